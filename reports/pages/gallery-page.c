#include "gallery-page.h"
#include "page.h"
#include "svg-steps.h"
#include "reports/words.h"
#include <string.h>

void
rp_gallery_run_free (gpointer p)
{
  RpGalleryRun *r = p;

  if (r == NULL)
    return;
  for (guint i = 0; i < r->n_files; i++)
    g_free (r->file[i].text);
  g_clear_pointer (&r->diagnoses, g_ptr_array_unref);
  rp_run_data_free (r->data);
  g_free (r->variant);
  g_free (r->cycle);
  g_free (r->command);
  g_free (r);
}

void
rp_gallery_entry_free (gpointer p)
{
  RpGalleryEntry *e = p;

  if (e == NULL)
    return;
  g_free (e->name);
  g_free (e->reported);
  g_free (e->symptom);
  g_free (e->still);
  g_free (e->change);
  g_ptr_array_unref (e->runs);
  g_free (e);
}

RpGalleryFigures
rp_gallery_figures (const RpRunData *d)
{
  RpGalleryFigures f = { .evictions = d->evictions->len, .mean_wait = RP_NONE, .longest = RP_NONE };
  gint64 sum = 0, n = 0;

  for (guint i = 0; i < d->jobs->len; i++) {
    const RpJob *j = &g_array_index (d->jobs, RpJob, i);

    if (strcmp (j->phase, "Rejected") == 0)
      continue;
    if (j->gang_start == RP_NONE) {
      f.never++;
      continue;
    }
    sum += j->gang_start - j->submit;
    n++;
    f.longest = MAX (f.longest, j->gang_start - j->submit);
  }
  if (n > 0)
    f.mean_wait = sum / n;
  for (guint i = 0; i < d->tasks->len; i++)
    f.pods_lost += strcmp (g_array_index (d->tasks, RpTask, i).outcome, "Evicted") == 0;
  return f;
}

/* ---- figures -------------------------------------------------------------------------------------- */

static const char *
file_of (const RpGalleryRun *r, const char *name)
{
  for (guint i = 0; i < r->n_files; i++)
    if (strcmp (r->file[i].name, name) == 0)
      return r->file[i].text != NULL ? r->file[i].text : "";
  return "";
}

static const char *
title_of (const RpGalleryRun *r)
{
  return strcmp (r->variant, "case") == 0 ? "without" : r->variant;
}

static void
append_differences (GString *out, const RpGalleryRun *from, const RpGalleryRun *to)
{
  for (guint i = 0; i < to->n_files; i++) {
    const char *before = file_of (from, to->file[i].name), *after = file_of (to, to->file[i].name);

    if (strcmp (before, after) == 0)
      continue;
    g_autofree char *a = g_strdup_printf ("%s, without", to->file[i].name), *b = g_strdup_printf ("%s, %s", to->file[i].name, title_of (to));

    rp_page_difference (out, a, before, b, after);
  }
}

static char *
wait_text (gint64 wait)
{
  return wait != RP_NONE ? rp_span ((double) wait / 1e6) : g_strdup ("–");
}

/* The job that the diagnosis of the first run names, or whose wait differs most between the first two runs. */
static const RpJob *
telling_job (const RpGalleryEntry *e)
{
  const RpGalleryRun *first = e->runs->pdata[0], *second = e->runs->len > 1 ? e->runs->pdata[1] : NULL;
  const RpJob *best = NULL;
  gint64 most = -1;

  for (guint i = 0; i < first->data->jobs->len; i++) {
    const RpJob *j = &g_array_index (first->data->jobs, RpJob, i);
    const RpJob *o = second != NULL && i < second->data->jobs->len ? &g_array_index (second->data->jobs, RpJob, i) : NULL;
    gint64 wait = j->gang_start != RP_NONE ? j->gang_start - j->submit : G_MAXINT64 / 4;
    gint64 other = o != NULL && o->gang_start != RP_NONE ? o->gang_start - o->submit : G_MAXINT64 / 4;

    if (first->diagnoses->len > 0 && g_strcmp0 (((RpDiagnosis *) first->diagnoses->pdata[0])->job, j->job) == 0)
      return j;
    if (ABS (wait - other) > most && second != NULL) {
      most = ABS (wait - other);
      best = j;
    }
  }
  return best;
}

static char *
wait_of (const RpRunData *d, const char *ns, const char *job)
{
  for (guint i = 0; i < d->jobs->len; i++) {
    const RpJob *j = &g_array_index (d->jobs, RpJob, i);

    if (strcmp (j->job, job) == 0 && strcmp (j->ns, ns) == 0)
      return j->gang_start != RP_NONE ? wait_text (j->gang_start - j->submit) : g_strdup ("never");
  }
  return g_strdup ("–");
}

static void
append_figures (GString *out, const RpGalleryEntry *e)
{
  static const char *const rows[] = { "evictions", "jobs that never start", "mean wait of the others", "longest of these", "" };
  const RpJob *job = telling_job (e);

  g_autoptr (GPtrArray) head = g_ptr_array_new ();

  g_ptr_array_add (head, (gpointer) "");
  for (guint i = 0; i < e->runs->len; i++)
    g_ptr_array_add (head, (gpointer) title_of (e->runs->pdata[i]));
  rp_page_table_begin (out, (const char *const *) head->pdata, head->len, "");
  for (guint k = 0; k < G_N_ELEMENTS (rows); k++) {
    if (*rows[k] == '\0' && job == NULL)
      continue;
    g_string_append (out, "<tr><td>");
    if (*rows[k] != '\0')
      g_string_append (out, rows[k]);
    else {
      g_string_append (out, "wait of job ");
      rp_page_text (out, job->job);
    }
    g_string_append (out, "</td>");
    for (guint i = 0; i < e->runs->len; i++) {
      const RpGalleryRun *r = e->runs->pdata[i];
      RpGalleryFigures f = rp_gallery_figures (r->data);
      g_autofree char *cell = k == 0   ? rp_number (f.evictions)
                              : k == 1 ? rp_number (f.never)
                              : k == 2 ? wait_text (f.mean_wait)
                              : k == 3 ? wait_text (f.longest)
                                       : wait_of (r->data, job->ns, job->job);

      g_string_append (out, "<td>");
      rp_page_text (out, cell);
      g_string_append (out, "</td>");
    }
    g_string_append (out, "</tr>\n");
  }
  rp_page_table_end (out);
}

/* ---- charts --------------------------------------------------------------------------------------- */

static void
add_point (RpCurve *c, gint64 time, double value)
{
  rp_curve_add (c, time, value);
}

/* Evictions so far where there are any, else jobs that wait. */
static void
append_chart (GString *out, const RpGalleryEntry *e)
{
  gboolean evictions = FALSE;
  guint n = MIN (e->runs->len, 6);
  RpSteps series[6];
  gint64 end = 1;

  for (guint i = 0; i < n; i++) {
    const RpGalleryRun *r = e->runs->pdata[i];

    evictions |= r->data->evictions->len > 0;
    end = MAX (end, r->data->end);
  }
  for (guint i = 0; i < n; i++) {
    const RpRunData *d = ((RpGalleryRun *) e->runs->pdata[i])->data;
    RpCurve curve;

    rp_curve_init (&curve, 1000);
    add_point (&curve, 0, 0);
    for (guint k = 0; k < d->evictions->len && evictions; k++)
      add_point (&curve, g_array_index (d->evictions, RpEviction, k).time, k + 1);
    for (guint k = 0; k < d->cycles->len && !evictions; k++)
      add_point (&curve, g_array_index (d->cycles, RpCycle, k).time, g_array_index (d->cycles, RpCycle, k).jobs_waiting);
    series[i] = (RpSteps) { title_of (e->runs->pdata[i]), rp_curve_thinned (&curve) };
    rp_curve_clear (&curve);
  }
  g_autoptr (GString) svg = g_string_new (NULL);

  rp_svg_steps (svg, series, n, end, evictions ? "evictions so far" : "jobs that wait");
  rp_page_chart (out, svg->str, evictions ? "Evictions so far, without the change and with it." : "Jobs that wait, without the change and with it.");
  for (guint i = 0; i < n; i++)
    g_array_unref ((GArray *) series[i].points);
}

/* ---- entries -------------------------------------------------------------------------------------- */

static void
append_diagnoses (GString *out, const RpGalleryRun *r)
{
  g_autofree char *head = g_strdup_printf ("Diagnosis, %s", title_of (r));

  rp_page_heading (out, 3, head);
  if (r->diagnoses->len == 0)
    g_string_append (out, "<p>None.</p>\n");
  for (guint i = 0; i < r->diagnoses->len; i++) {
    const RpDiagnosis *x = r->diagnoses->pdata[i];

    g_string_append (out, "<p><b>");
    rp_page_text (out, x->code);
    g_string_append (out, "</b>: ");
    rp_page_text (out, x->what);
    g_string_append (out, ".</p><p><b>Advice:</b> ");
    rp_page_text (out, x->advice);
    g_string_append (out, ".</p>\n");
  }
}

static void
append_reports (GString *out, const char *reported)
{
  g_auto (GStrv) one = g_strsplit (reported, " ", -1);

  for (char **r = one; *r != NULL; r++) {
    const char *number = strchr (*r, '#');

    if (number == NULL)
      continue;
    g_autofree char *project = g_strndup (*r, (gsize) (number - *r));

    g_string_append_printf (out, "%s<a href=\"https://github.com/", r == one ? "" : ", ");
    rp_page_text (out, project);
    g_string_append (out, "/issues/");
    rp_page_text (out, number + 1);
    g_string_append (out, "\">");
    rp_page_text (out, *r);
    g_string_append (out, "</a>");
  }
}

static void
append_entry (GString *out, const RpGalleryEntry *e)
{
  const RpGalleryRun *first = e->runs->pdata[0];

  g_string_append (out, "<section id=\"");
  rp_page_text (out, e->name);
  g_string_append (out, "\">\n<h2>");
  rp_page_text (out, e->name);
  g_string_append (out, "</h2>\n<p>");
  rp_page_text (out, e->symptom);
  g_string_append (out, "</p>\n<p>Still there: ");
  rp_page_text (out, e->still);
  if (*e->change != '\0') {
    g_string_append (out, ". What avoids it: ");
    rp_page_text (out, e->change);
  }
  g_string_append (out, ". Reported: ");
  append_reports (out, e->reported);
  g_string_append (out, "</p>\n");
  if (first->data != NULL) {
    append_figures (out, e);
    append_chart (out, e);
  }
  for (guint i = 0; i < e->runs->len; i++) {
    const RpGalleryRun *r = e->runs->pdata[i];

    if (i > 0)
      append_differences (out, first, r);
    if (r->data != NULL) {
      append_diagnoses (out, r);
    } else {
      g_autofree char *head = g_strdup_printf ("The cycle, %s", title_of (r));

      rp_page_heading (out, 3, head);
      rp_page_pre (out, r->cycle);
    }
  }
  rp_page_heading (out, 3, "Run it");
  g_string_append (out, "<pre tabindex=\"0\">");
  for (guint i = 0; i < e->runs->len; i++) {
    rp_page_text (out, ((RpGalleryRun *) e->runs->pdata[i])->command);
    g_string_append_c (out, '\n');
  }
  g_string_append (out, "</pre>\n</section>\n");
}

static void
append_contents (GString *out, const GPtrArray *entries)
{
  static const char *const head[] = { "entry", "still there", "evictions", "never start", "wait of the job in question" };

  rp_page_table_begin (out, head, G_N_ELEMENTS (head), "");
  for (guint i = 0; i < entries->len; i++) {
    const RpGalleryEntry *e = entries->pdata[i];
    const RpGalleryRun *a = e->runs->pdata[0], *b = e->runs->len > 1 ? e->runs->pdata[1] : NULL;

    g_string_append (out, "<tr><td><a href=\"#");
    rp_page_text (out, e->name);
    g_string_append (out, "\">");
    rp_page_text (out, e->name);
    g_string_append (out, "</a></td><td>");
    rp_page_text (out, e->still);
    g_string_append (out, "</td>");
    if (a->data == NULL) {
      g_string_append (out, "<td colspan=\"3\">one cycle</td></tr>\n");
      continue;
    }
    RpGalleryFigures f = rp_gallery_figures (a->data), g = b != NULL ? rp_gallery_figures (b->data) : f;
    const RpJob *job = telling_job (e);
    g_autofree char *wait = job != NULL ? wait_of (a->data, job->ns, job->job) : wait_text (f.longest);
    g_autofree char *then = job != NULL && b != NULL ? wait_of (b->data, job->ns, job->job) : NULL;

    if (b != NULL)
      g_string_append_printf (out, "<td>%u → %u</td><td>%u → %u</td><td>", f.evictions, g.evictions, f.never, g.never);
    else
      g_string_append_printf (out, "<td>%u</td><td>%u</td><td>", f.evictions, f.never);
    if (job != NULL) {
      rp_page_text (out, job->job);
      g_string_append (out, ": ");
    }
    g_string_append_printf (out, "%s%s%s</td></tr>\n", wait, then != NULL ? " → " : "", then != NULL ? then : "");
  }
  rp_page_table_end (out);
}

char *
rp_gallery_page (const GPtrArray *entries)
{
  GString *out = rp_page_begin ("Gallery of scheduling pathologies");

  rp_page_paragraph (out, "Situations that users of Volcano have reported, each as the smallest input that shows it, and the same with the change that avoids it. "
                          "volsim decides as Volcano does. “Without” is the input as reported; arrows lead from there to the change.");
  append_contents (out, entries);
  for (guint i = 0; i < entries->len; i++)
    append_entry (out, entries->pdata[i]);
  return rp_page_end (out);
}
