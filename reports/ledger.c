#include "reports/diagnose/diagnose.h"
#include "reports/json.h"
#include "reports/ledger.h"
#include "reports/words.h"
#include <string.h>

#define CAUSES_SHOWN 12u
#define WINNERS_SHOWN 5u

/* ---- sums --------------------------------------------------------------------------------------- */

static gboolean
counts (const RpWait *w, const char *queue, gboolean again)
{
  return w->again == again && (queue == NULL || strcmp (w->queue, queue) == 0);
}

/* The longest first; equal times by their texts, so that the order follows from the content. */
static int
by_time (gconstpointer a, gconstpointer b)
{
  const RpBlame *l = a, *r = b;
  int order = l->time < r->time ? 1 : l->time > r->time ? -1 : strcmp (l->cause, r->cause);

  if (order == 0)
    order = strcmp (l->by, r->by);
  return order != 0 ? order : strcmp (l->reason, r->reason);
}

/* A wait as it is summed up: what another job took counts by why that one came first. */
static RpBlame
blame_of (const RpWait *w)
{
  if (*w->lost_to != '\0')
    return (RpBlame){ "lost", w->ahead, *w->reason != '\0' ? w->reason : strcmp (w->cause, "enqueue") == 0 ? "admission" : "share of the queue", 0, 0 };
  return (RpBlame){ w->cause, w->by, w->reason, 0, 0 };
}

GArray *
rp_ledger_blame (const RpRunData *d, const char *queue, gboolean again)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (RpBlame));
  g_autoptr (GHashTable) row_of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL); /* for look-ups only */
  g_autoptr (GHashTable) met = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < d->waits->len; i++) {
    const RpWait *w = &g_array_index (d->waits, RpWait, i);

    if (!counts (w, queue, again))
      continue;
    RpBlame fresh = blame_of (w);
    char *key = g_strconcat (fresh.cause, "\n", fresh.by, "\n", fresh.reason, NULL);
    guint row = GPOINTER_TO_UINT (g_hash_table_lookup (row_of, key));

    if (row == 0) {
      g_array_append_val (out, fresh);
      row = out->len;
      g_hash_table_insert (row_of, key, GUINT_TO_POINTER (row));
    } else {
      g_free (key);
    }
    RpBlame *b = &g_array_index (out, RpBlame, row - 1);

    b->time += w->to - w->from;
    b->jobs += g_hash_table_add (met, g_strdup_printf ("%u\n%s\n%s", row, w->ns, w->job));
  }
  g_array_sort (out, by_time);
  return out;
}

gint64
rp_ledger_total (const RpRunData *d, const char *queue, gboolean again)
{
  gint64 sum = 0;

  for (guint i = 0; i < d->waits->len; i++) {
    const RpWait *w = &g_array_index (d->waits, RpWait, i);

    if (counts (w, queue, again))
      sum += w->to - w->from;
  }
  return sum;
}

static int
by_loss (gconstpointer a, gconstpointer b)
{
  const RpWinner *l = a, *r = b;

  return l->time != r->time ? (l->time < r->time) - (l->time > r->time) : strcmp (l->job, r->job);
}

GArray *
rp_ledger_winners (const RpRunData *d)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (RpWinner));
  g_autoptr (GHashTable) row_of = g_hash_table_new (g_str_hash, g_str_equal); /* for look-ups only */
  g_autoptr (GHashTable) met = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < d->waits->len; i++) {
    const RpWait *w = &g_array_index (d->waits, RpWait, i);

    if (*w->lost_to == '\0')
      continue;
    guint row = GPOINTER_TO_UINT (g_hash_table_lookup (row_of, w->lost_to));

    if (row == 0) {
      RpWinner fresh = { w->lost_to, 0, 0 };

      g_array_append_val (out, fresh);
      row = out->len;
      g_hash_table_insert (row_of, (gpointer) w->lost_to, GUINT_TO_POINTER (row));
    }
    RpWinner *winner = &g_array_index (out, RpWinner, row - 1);

    winner->time += w->to - w->from;
    winner->losers += g_hash_table_add (met, g_strdup_printf ("%u\n%s\n%s", row, w->ns, w->job));
  }
  g_array_sort (out, by_loss);
  return out;
}

/* ---- words -------------------------------------------------------------------------------------- */

static void
append_blame (GString *out, const GArray *blame, gint64 total, guint limit)
{
  for (guint i = 0; i < MIN (blame->len, limit); i++) {
    const RpBlame *b = &g_array_index (blame, RpBlame, i);
    g_autofree char *words = rp_blame_words (b->cause, b->by, b->reason), *jobs = rp_number (b->jobs);
    g_autofree char *hours = g_strdup_printf ("%.2f", (double) b->time / 3600e6);
    g_autofree char *share = rp_percent (total > 0 ? (double) b->time / (double) total : 0);

    g_string_append (out, "  ");
    rp_append_cell (out, words, 48, FALSE);
    rp_append_cell (out, jobs, 8, TRUE);
    rp_append_cell (out, hours, 12, TRUE);
    rp_append_cell (out, share, 9, TRUE);
    g_string_append_c (out, '\n');
  }
  if (blame->len > limit)
    g_string_append_printf (out, "  (%u more)\n", blame->len - limit);
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Names of the queues that jobs waited in, by their bytes. */
static GPtrArray *
queues_of (const RpRunData *d)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < d->waits->len; i++) {
    const char *name = g_array_index (d->waits, RpWait, i).queue;
    guint k = 0;

    while (k < names->len && names->pdata[k] != name) /* one copy for equal texts */
      k++;
    if (k == names->len)
      g_ptr_array_add (names, (gpointer) name);
  }
  g_ptr_array_sort (names, by_text);
  return names;
}

static void
append_part (GString *out, const RpRunData *d, const char *title, const char *queue, gboolean again, guint limit)
{
  g_autoptr (GArray) blame = rp_ledger_blame (d, queue, again);
  gint64 total = rp_ledger_total (d, queue, again);

  if (blame->len == 0)
    return;
  g_autofree char *hours = g_strdup_printf ("%.2f", (double) total / 3600e6);

  g_string_append_c (out, '\n');
  rp_append_cell (out, title, 50, FALSE);
  rp_append_cell (out, "jobs", 8, TRUE);
  rp_append_cell (out, "job-hours", 12, TRUE);
  rp_append_cell (out, "share", 9, TRUE);
  g_string_append_c (out, '\n');
  append_blame (out, blame, total, limit);
  g_string_append (out, "  ");
  rp_append_cell (out, "all", 48, FALSE);
  rp_append_cell (out, "", 8, TRUE);
  rp_append_cell (out, hours, 12, TRUE);
  g_string_append_c (out, '\n');
}

static void
append_winners (GString *out, const RpRunData *d)
{
  g_autoptr (GArray) winners = rp_ledger_winners (d);

  if (winners->len == 0)
    return;
  g_string_append_c (out, '\n');
  rp_append_cell (out, "Others lost most to", 50, FALSE);
  rp_append_cell (out, "jobs", 8, TRUE);
  rp_append_cell (out, "job-hours", 12, TRUE);
  g_string_append_c (out, '\n');
  for (guint i = 0; i < MIN (winners->len, WINNERS_SHOWN); i++) {
    const RpWinner *w = &g_array_index (winners, RpWinner, i);
    g_autofree char *hours = g_strdup_printf ("%.2f", (double) w->time / 3600e6), *losers = rp_number (w->losers);

    g_string_append (out, "  ");
    rp_append_cell (out, w->job, 48, FALSE);
    rp_append_cell (out, losers, 8, TRUE);
    rp_append_cell (out, hours, 12, TRUE);
    g_string_append_c (out, '\n');
  }
  if (winners->len > WINNERS_SHOWN)
    g_string_append_printf (out, "  (%u more)\n", winners->len - WINNERS_SHOWN);
}

char *
rp_ledger_text (const RpRunData *d)
{
  GString *out = g_string_new (NULL);
  g_autoptr (GPtrArray) queues = queues_of (d);
  g_autofree char *end = rp_span ((double) d->end / 1e6), *jobs = rp_number (d->jobs->len);

  g_string_append_printf (out, "%s: %s jobs, %s of virtual time\n", d->dir, jobs, end);
  if (d->waits->len == 0)
    g_string_append (out, "\nNobody waited.\n");
  append_part (out, d, "Waiting for the first start", NULL, FALSE, CAUSES_SHOWN);
  append_part (out, d, "Waiting again after the gang was lost", NULL, TRUE, CAUSES_SHOWN);
  append_winners (out, d);
  for (guint i = 0; queues->len > 1 && i < queues->len; i++) {
    g_autofree char *title = g_strdup_printf ("Queue %s", (const char *) queues->pdata[i]);

    append_part (out, d, title, queues->pdata[i], FALSE, 5);
  }
  return g_string_free (out, FALSE);
}

char *
rp_ledger_job_text (const RpRunData *d, const char *ns, const char *job)
{
  g_autoptr (GString) out = g_string_new (NULL);
  const RpJob *found = NULL;

  for (guint i = 0; i < d->jobs->len && found == NULL; i++) {
    const RpJob *j = &g_array_index (d->jobs, RpJob, i);

    if (strcmp (j->ns, ns) == 0 && strcmp (j->job, job) == 0)
      found = j;
  }
  if (found == NULL)
    return NULL;
  g_autofree char *submit = rp_span ((double) found->submit / 1e6);
  g_autofree char *wait = found->gang_start != RP_NONE ? rp_span ((double) (found->gang_start - found->submit) / 1e6) : NULL;

  g_string_append_printf (out, "%s/%s in queue %s: submitted at %s, %s%s, phase %s\n", ns, job, found->queue, submit,
                          wait != NULL ? "waited " : "never started", wait != NULL ? wait : "", found->phase);
  for (guint i = 0; i < d->waits->len; i++) {
    const RpWait *w = &g_array_index (d->waits, RpWait, i);

    if (strcmp (w->ns, ns) != 0 || strcmp (w->job, job) != 0)
      continue;
    g_autofree char *words = rp_blame_words (w->cause, w->by, w->reason), *span = rp_span ((double) (w->to - w->from) / 1e6);

    g_string_append_printf (out, "  %14.6f – %14.6f s  %8s  %s", (double) w->from / 1e6, (double) w->to / 1e6, span, words);
    if (w->nodes > 0)
      g_string_append_printf (out, " on %u node%s", w->nodes, w->nodes == 1 ? "" : "s");
    if (w->missing > 0)
      g_string_append_printf (out, "; the gang lacks %u pod%s", w->missing, w->missing == 1 ? "" : "s");
    if (*w->lost_to != '\0') {
      g_autofree char *first = rp_ahead_words (w->ahead);

      g_string_append_printf (out, "; taken by %s, which came %s", w->lost_to, first);
    }
    g_string_append (out, w->again ? " (again)\n" : "\n");
  }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static void
blame_json (RpJson *j, const char *key, const RpRunData *d, const char *queue, gboolean again)
{
  g_autoptr (GArray) blame = rp_ledger_blame (d, queue, again);

  rp_json_begin_array (j, key);
  for (guint i = 0; i < blame->len; i++) {
    const RpBlame *b = &g_array_index (blame, RpBlame, i);

    rp_json_begin_object (j, NULL);
    rp_json_text (j, "cause", b->cause);
    rp_json_text (j, "by", b->by);
    rp_json_text (j, "reason", b->reason);
    rp_json_uint (j, "jobs", b->jobs);
    rp_json_time (j, "job_seconds", b->time);
    rp_json_end_object (j);
  }
  rp_json_end_array (j);
}

char *
rp_ledger_json (const RpRunData *d, const GPtrArray *diagnoses, gsize *length)
{
  g_autoptr (GPtrArray) queues = queues_of (d);
  RpJson j;

  rp_json_init (&j);
  rp_json_time (&j, "first_wait_s", rp_ledger_total (d, NULL, FALSE));
  rp_json_time (&j, "later_wait_s", rp_ledger_total (d, NULL, TRUE));
  blame_json (&j, "first", d, NULL, FALSE);
  blame_json (&j, "again", d, NULL, TRUE);
  rp_json_begin_object (&j, "queues");
  for (guint i = 0; i < queues->len; i++) {
    rp_json_begin_object (&j, queues->pdata[i]);
    blame_json (&j, "first", d, queues->pdata[i], FALSE);
    blame_json (&j, "again", d, queues->pdata[i], TRUE);
    rp_json_end_object (&j);
  }
  rp_json_end_object (&j);
  g_autoptr (GArray) winners = rp_ledger_winners (d);
  rp_json_begin_array (&j, "lost_to");
  for (guint i = 0; i < winners->len; i++) {
    const RpWinner *w = &g_array_index (winners, RpWinner, i);

    rp_json_begin_object (&j, NULL);
    rp_json_text (&j, "job", w->job);
    rp_json_uint (&j, "jobs", w->losers);
    rp_json_time (&j, "job_seconds", w->time);
    rp_json_end_object (&j);
  }
  rp_json_end_array (&j);
  rp_diagnoses_json (&j, d, diagnoses);
  return rp_json_finish (&j, length);
}
