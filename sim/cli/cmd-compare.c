/* sim/cli/cmd-compare.c - volsim compare: what another configuration does to the same work, or results that are there already. */
#include "core/conf/conf-yaml.h"
#include "core/conf/preset.h"
#include "reports/compare/compare-chart.h"
#include "reports/compare/compare-page.h"
#include "reports/compare/threshold.h"
#include "reports/folder.h"
#include "reports/recorded.h"
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include "sim/cycle/explain-diff.h"
#include "sim/cycle/save-cycle.h"
#include "sim/interrupt.h"
#include "sim/scheduler/batch.h"
#include "sim/studies/results-read.h"
#include "sim/studies/variant.h"
#include "workloads/native/native.h"
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  char *scenario, *out, *output, *shake, *fail_file, *title;
  char **fail_if, **preset;
  int repeat, threads;
  gboolean recorded;
} Arguments;

typedef struct {
  const Arguments *a;
  char **name;              /* configurations, presets or results directories; the first one is the record, with --with-recorded */
  guint n, n_files;         /* sides; those before the presets */
  char *dir;                /* of the runs */
  char *command;            /* that this is */
  gboolean results_given;
  VcCacheOptions cache;
  VcEngineOptions engine;
  RpRunData **run;          /* [n] */
  GArray **metrics;         /* [n] */
  GArray ***shaken;         /* [n][repeat] */
} Compare;

/* ---- runs ---------------------------------------------------------------------------------------- */

static char *
run_dir (const Compare *c, guint side, guint repeat)
{
  g_autofree char *name = g_strdup_printf ("%u-%u", side, repeat);

  return g_build_filename (c->dir, name, NULL);
}

static gboolean
is_preset (const Compare *c, guint side)
{
  return side >= c->n_files;
}

/* The settings of repeat @repeat: the first run is as the scenario says. */
static void
settings (const Compare *c, guint side, guint repeat, GPtrArray *key, GPtrArray *value)
{
  g_ptr_array_add (key, g_strdup (is_preset (c, side) ? "policy_preset" : "conf"));
  g_ptr_array_add (value, g_strdup (c->name[side]));
  sim_variant_shake (key, value, repeat, c->a->shake);
  g_ptr_array_add (key, NULL);
  g_ptr_array_add (value, NULL);
}

/* @v says what is wanted of the run. */
static RpResults *
run_variant (const Compare *c, guint side, guint repeat, SimVariant v, GError **error)
{
  g_autoptr (GPtrArray) key = g_ptr_array_new_with_free_func (g_free), value = g_ptr_array_new_with_free_func (g_free);

  settings (c, side, repeat, key, value);
  v.file = c->a->scenario;
  v.key = (char **) key->pdata;
  v.value = (char **) value->pdata;
  v.cache = &c->cache;
  v.engine = &c->engine;
  v.interrupted = sim_interrupted ();
  return sim_variant_run (&v, error);
}

/* Runs begin behind the record. */
static guint
first_run (const Compare *c)
{
  return c->a->recorded;
}

static gboolean
do_run (gpointer user, guint index, GError **error)
{
  Compare *c = user;
  guint repeats = (guint) c->a->repeat + 1, side = first_run (c) + index / repeats, repeat = index % repeats;
  g_autofree char *dir = run_dir (c, side, repeat);
  g_autoptr (RpResults) results = run_variant (c, side, repeat, (SimVariant){ .out = dir }, error);

  if (results == NULL)
    return FALSE;
  g_autoptr (RpRunData) d = sim_results_read (dir, error);

  if (d == NULL)
    return FALSE;
  if (repeat > 0) {
    c->shaken[side][repeat - 1] = rp_metrics (d);
    return TRUE;
  }
  if (!c->a->recorded) /* the record decides which jobs count */
    c->metrics[side] = rp_metrics (d);
  c->run[side] = g_steal_pointer (&d);
  return TRUE;
}

static gboolean
run_all (Compare *c, GError **error)
{
  guint n = (c->n - first_run (c)) * ((guint) c->a->repeat + 1);
  SimBatch b = { .n = n, .threads = (guint) c->a->threads, .fn = do_run, .user = c, .what = "runs", .interrupted = sim_interrupted () };

  sim_catch_signals ();
  GError **errors = sim_batch_run (&b);
  gboolean good = TRUE;

  for (guint i = 0; i < n && good; i++)
    if (errors[i] != NULL) {
      g_propagate_error (error, g_steal_pointer (&errors[i]));
      good = FALSE;
    }
  sim_batch_errors_free (errors, n);
  if (good && *sim_interrupted () != 0) {
    g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INTERRUPTED, "interrupted; nothing is compared");
    return FALSE;
  }
  return good;
}

static gboolean
read_all (Compare *c, GError **error)
{
  for (guint i = first_run (c); i < c->n; i++) {
    c->run[i] = sim_results_read (c->name[i], error);
    if (c->run[i] == NULL)
      return FALSE;
    if (!c->a->recorded)
      c->metrics[i] = rp_metrics (c->run[i]);
  }
  return TRUE;
}

/* The record becomes the first side, and only the jobs that it knows count. */
static gboolean
add_record (Compare *c, GError **error)
{
  if (c->run[1]->recorded->len == 0) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--with-recorded: %s: expected recorded.csv, which a run has whose scenario names one (key 'recorded'), found none", c->name[1]);
    return FALSE;
  }
  for (guint i = 1; i < c->n; i++)
    rp_recorded_keep (c->run[i]);
  if (c->run[1]->jobs->len == 0) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--with-recorded: %s/recorded.csv: expected waits or starts of jobs of the run, found none", c->name[1]);
    return FALSE;
  }
  c->run[0] = rp_recorded_run (c->run[1]);
  for (guint i = 0; i < c->n; i++)
    c->metrics[i] = rp_metrics (c->run[i]);
  return TRUE;
}

/* ---- where they part ------------------------------------------------------------------------------- */

/* What a side is configured with. NULL with @error. (transfer full) */
static char *
conf_text (const Compare *c, guint side, gsize *len, GError **error)
{
  if (!is_preset (c, side))
    return wl_read_file (c->name[side], VC_YAML_MAX_BYTES, len, error);
  const VcPreset *preset = vc_preset_find (c->name[side], error);

  *len = preset != NULL ? strlen (preset->text) : 0;
  return preset != NULL ? g_strdup (preset->text) : NULL;
}

static VcConf *
read_conf (const Compare *c, guint side, GError **error)
{
  gsize len = 0;
  g_autofree char *text = conf_text (c, side, &len, error);

  return text != NULL ? vc_conf_parse (text, len, c->name[side], vc_catalog (), TRUE, NULL, error) : NULL;
}

/* Both runs once more up to the cycle in which they part, with the plugins' answers about one job. */
typedef struct {
  SimExplain *x[2];
  VcConf *conf[2];
} Asked;

static void
asked_clear (Asked *a)
{
  for (guint i = 0; i < 2; i++) {
    g_clear_pointer (&a->x[i], sim_explain_free);
    g_clear_pointer (&a->conf[i], vc_conf_free);
  }
}

/* FALSE without @error: the cycle does not tell. */
static gboolean
ask_plugins (const Compare *c, guint side, const char *job, gint64 time, Asked *out, GError **error)
{
  const guint sides[] = { 0, side };

  asked_clear (out);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (RpResults) results = run_variant (c, sides[i], 0, (SimVariant){ .explain = job, .explain_at = time, .explained = &out->x[i] }, error);

    out->conf[i] = results != NULL ? read_conf (c, sides[i], error) : NULL;
    if (out->conf[i] == NULL || out->x[i] == NULL)
      return FALSE;
  }
  return TRUE;
}

static char *
answers_differ (const Compare *c, guint side, const Asked *a)
{
  return sim_explain_difference (a->x[0], a->x[1], a->conf[0], a->conf[1], c->name[0], c->name[side]);
}

/* Of the decisions that differ, the one whose job had its turn first, while turns were the same on both sides. NULL: none of them. */
static const RpDecision *
first_in_turn (const Asked *a, const RpDivergence *d)
{
  const RpDecision *first = NULL;
  guint best = G_MAXUINT;

  for (guint k = 0; k < 2; k++)
    for (guint i = 0; i < d->only[k]->len; i++) {
      const RpDecision *one = &g_array_index (d->only[k], RpDecision, i);
      g_autofree char *job = g_strconcat (one->ns_job, "/", one->job, NULL);
      guint turn = sim_explain_turn_of (a->x[0], a->x[1], job);

      if (turn < best) {
        best = turn;
        first = one;
      }
    }
  return first;
}

/* Why they part, as lines (NULL: no plugin says); *one is the decision that it is about, *group its PodGroup. The job that had its turn first is asked about, then
 * the order of turns, then a job that has a turn on one side only. What has no turn, such as evictions, is asked about in the order of decisions; and at last there
 * is who was there first. */
static char *
find_reason (const Compare *c, guint side, const RpDivergence *d, const RpDecision **one, char **group, GError **error)
{
  Asked asked = { { NULL, NULL }, { NULL, NULL } };
  g_autoptr (GPtrArray) about = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *crowd = NULL;
  char *why = NULL;

  for (guint k = 0; k < 2; k++)
    if (d->only[k]->len > 0) {
      const RpDecision *e = &g_array_index (d->only[k], RpDecision, 0);

      *one = *one != NULL ? *one : e;
      g_ptr_array_add (about, g_strconcat (e->ns_job, "/", e->job, NULL));
    }
  for (guint k = 0; k < about->len && why == NULL; k++) {
    gboolean told = ask_plugins (c, side, about->pdata[k], d->time, &asked, error);
    const RpDecision *first = told && k == 0 ? first_in_turn (&asked, d) : NULL;
    g_autofree char *job = first != NULL ? g_strconcat (first->ns_job, "/", first->job, NULL) : NULL, *missing = NULL;

    if (first != NULL && strcmp (job, about->pdata[0]) != 0)
      told = ask_plugins (c, side, job, d->time, &asked, error);
    if (!told)
      break;
    *one = first != NULL ? first : *one;
    g_free (*group);
    *group = g_strdup (sim_explain_target (asked.x[0]));
    if (first != NULL || k > 0)
      why = answers_differ (c, side, &asked);
    if (why == NULL && k == 0) {
      why = sim_explain_order (asked.x[0], asked.x[1], asked.conf[0], asked.conf[1], c->name[0], c->name[side], &missing);
      if (missing != NULL)
        g_ptr_array_insert (about, 1, g_steal_pointer (&missing));
    }
    if (why == NULL && first == NULL && k == 0)
      why = answers_differ (c, side, &asked);
    if (why == NULL && crowd == NULL)
      crowd = sim_explain_crowding (asked.x[0], asked.x[1], asked.conf[0], asked.conf[1], c->name[0], c->name[side]);
  }
  if (why == NULL)
    why = g_steal_pointer (&crowd);
  asked_clear (&asked);
  return why;
}

/* With --out: the cycle in which they part as objects, and the commands that decide it under both configurations, as lines. What keeps a cycle from being saved
 * is told, too. FALSE with @error. */
static gboolean
keep_cycle (const Compare *c, guint side, gint64 time, const char *subject, GString *out, GError **error)
{
  g_autofree char *name = g_strdup_printf ("cycle-%u.json", side), *file = g_build_filename (c->dir, name, NULL), *saved = NULL, *word = cmd_word (subject);
  g_autoptr (GError) refusal = NULL;
  g_auto (SimScenario) s = { 0 };

  sim_scenario_init (&s);
  if (!sim_scenario_read (&s, c->a->scenario, error))
    return FALSE;
  g_autoptr (RpResults) r = run_variant (c, 0, 0, (SimVariant){ .explain_at = time, .saved = &saved }, &refusal);

  if (g_error_matches (refusal, SIM_ERROR, SIM_ERROR_INTERRUPTED)) {
    g_propagate_error (error, g_steal_pointer (&refusal));
    return FALSE;
  }
  if (r == NULL || saved == NULL) {
    g_string_append_printf (out, "  no file of that cycle: %s\n", refusal != NULL ? refusal->message : "it does not run by itself");
    return TRUE;
  }
  if (!rp_file_write (file, saved, strlen (saved), error))
    return FALSE;
  g_string_append (out, "  the cycle by itself, as each decides it:\n");
  for (guint i = 0; i <= side; i += side) {
    g_autofree char *command = sim_cycle_command (&s, is_preset (c, i) ? NULL : c->name[i], is_preset (c, i) ? c->name[i] : NULL, time, file);

    g_string_append_printf (out, "    %s --explain %s\n", command, word);
  }
  return TRUE;
}

static void
append_decisions (GString *out, const char *label, const GArray *only)
{
  for (guint i = 0; i < MIN (only->len, 5); i++) {
    const RpDecision *d = &g_array_index (only, RpDecision, i);

    if (strcmp (d->what, "inqueue") == 0)
      g_string_append_printf (out, "  only %s admits %s/%s\n", label, d->ns, d->name);
    else if (strcmp (d->what, "bind") == 0)
      g_string_append_printf (out, "  only %s binds %s/%s to %s\n", label, d->ns, d->name, d->detail);
    else
      g_string_append_printf (out, "  only %s evicts %s/%s from %s\n", label, d->ns, d->name, d->detail);
  }
  if (only->len > 5)
    g_string_append_printf (out, "  … and %u decisions more of %s\n", only->len - 5, label);
}

/* (transfer full); NULL with @error. */
static char *
tell_parting (const Compare *c, guint side, GError **error)
{
  if (c->run[0]->is_record)
    return rp_recorded_parting (c->run[0], c->run[side], c->name[side]);
  g_auto (RpDivergence) d = { 0 };
  GString *out = g_string_new (NULL);
  GError *e = NULL;

  rp_divergence_find (c->run[0], c->run[side], &d);
  g_autoptr (GString) at = g_string_new (NULL), cycle = g_string_new (NULL);

  wl_append_time (at, d.time);

  if (!d.found) {
    g_string_append_printf (out, "%s and %s decide the same throughout\n", c->name[0], c->name[side]);
    return g_string_free (out, FALSE);
  }
  g_string_append_printf (out, "%s and %s part in the cycle at %s s:\n", c->name[0], c->name[side], at->str);
  append_decisions (out, c->name[0], d.only[0]);
  append_decisions (out, c->name[side], d.only[1]);
  if (!c->results_given) {
    const RpDecision *one = NULL;
    g_autofree char *group = NULL, *why = NULL;

    why = find_reason (c, side, &d, &one, &group, &e);
    g_autofree char *pod = g_strconcat (one->ns, "/", one->name, NULL);
    gboolean about_job = strcmp (one->what, "inqueue") == 0 && group != NULL;

    if (e == NULL && c->a->out != NULL)
      keep_cycle (c, side, d.time, about_job ? group : pod, cycle, &e);
    if (e != NULL) {
      g_propagate_error (error, e);
      g_string_free (out, TRUE);
      return NULL;
    }
    g_string_append_printf (out, "  %s", why != NULL ? why : "no plugin answers differently about it: the order of jobs and queues, or the actions, decide\n");
    g_string_append_printf (out, "  to look closer: volsim run %s --%s %s --explain %s/%s --at %s\n", c->a->scenario, is_preset (c, side) ? "policy-preset" : "conf", c->name[side], one->ns_job, one->job, at->str);
    g_string_append (out, cycle->str);
  }
  return g_string_free (out, FALSE);
}

/* ---- conditions ------------------------------------------------------------------------------------ */

/* The conditions of the command line, then the lines of the file. */
static GPtrArray *
read_conditions (const Arguments *a, GError **error)
{
  g_autoptr (GPtrArray) out = g_ptr_array_new_with_free_func ((GDestroyNotify) rp_threshold_free);

  for (char **text = a->fail_if; text != NULL && *text != NULL; text++) {
    RpThreshold *t = rp_threshold_parse (*text, "--fail-if", FALSE, error);

    if (t == NULL)
      return NULL;
    g_ptr_array_add (out, t);
  }
  if (a->fail_file != NULL) {
    gsize len = 0;
    g_autofree char *text = wl_read_file (a->fail_file, 1u << 20, &len, error);
    g_auto (GStrv) line = text != NULL ? g_strsplit (text, "\n", -1) : NULL;

    if (text == NULL)
      return NULL;
    for (guint i = 0; line[i] != NULL; i++) {
      g_strstrip (line[i]);
      if (*line[i] == '\0' || *line[i] == '#')
        continue;
      g_autofree char *where = g_strdup_printf ("%s:%u", a->fail_file, i + 1);
      RpThreshold *t = rp_threshold_parse (line[i], where, FALSE, error);

      if (t == NULL)
        return NULL;
      g_ptr_array_add (out, t);
    }
  }
  return g_steal_pointer (&out);
}

/* How many hold; each gets a line in @out that begins with @mark. -1 with @error. */
static int
check_conditions (const GPtrArray *conditions, const RpComparison *c, guint n, const char *mark, GString *out, GError **error)
{
  int failed = 0;

  for (guint i = 0; i < conditions->len; i++)
    for (guint side = n > 1 ? 1 : 0; side < n; side++) {
      if (!rp_threshold_can_judge (conditions->pdata[i], c, side, error)) /* a test that cannot fail is none */
        return -1;
      g_autofree char *line = rp_threshold_check (conditions->pdata[i], c, side, NULL);

      if (line == NULL)
        continue;
      g_string_append_printf (out, "%sFAILED %s\n", mark, line);
      failed++;
    }
  return failed;
}

/* ---- command line ---------------------------------------------------------------------------------- */

/* The text of each side's configuration; NULL where it is that of the chart, or nobody has kept it. */
static char **
read_texts (const Compare *c)
{
  char **text = g_new0 (char *, c->n + 1);

  for (guint i = first_run (c); i < c->n; i++) {
    g_autofree char *path = c->results_given ? g_build_filename (c->name[i], "volcano-scheduler.conf", NULL) : NULL;
    gsize len;

    if (path != NULL)
      (void) g_file_get_contents (path, &text[i], NULL, NULL);
    else
      text[i] = conf_text (c, i, &len, NULL);
  }
  return text;
}

/* The conditions that were asked about, then those that hold. */
static char *
tell_conditions (const GPtrArray *conditions, const char *failures)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < conditions->len; i++)
    g_string_append_printf (out, "must not hold: %s\n", rp_threshold_text (conditions->pdata[i]));
  if (conditions->len > 0)
    g_string_append (out, *failures != '\0' ? failures : "none of them holds\n");
  return g_string_free (out, FALSE);
}

/* What --out is for: JSON, charts and the page. */
static gboolean
write_answer (const Compare *c, const RpComparison *comparison, const char *const *part, const GPtrArray *conditions, const char *failures, const char *json,
              GError **error)
{
  g_autofree char *json_path = g_build_filename (c->dir, "comparison.json", NULL), *page_path = g_build_filename (c->dir, "report.html", NULL);
  g_autofree char *charts = g_build_filename (c->dir, "charts", NULL), *warning = NULL, *told = tell_conditions (conditions, failures);
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) text = read_texts (c);

  rp_folder_remove (charts); /* of an earlier comparison, perhaps of more kinds */
  if (!rp_folder_make (charts, made, error) || !rp_compare_charts_draw (comparison, charts, &warning, error))
    return FALSE;
  if (warning != NULL)
    fprintf (stderr, "volsim: warning: %s\n", warning);
  RpComparePage in = { c->a->title, charts, (const char *const *) text, part, told, c->command };
  g_autofree char *page = rp_compare_page (comparison, &in);

  return rp_file_write (json_path, json, strlen (json), error) && rp_file_write (page_path, page, strlen (page), error);
}

static int
report (Compare *c, const GPtrArray *conditions, GError **error)
{
  g_autofree RpSide *sides = g_new0 (RpSide, c->n);
  g_auto (GStrv) part = g_new0 (char *, c->n + 1);

  for (guint i = 0; i < c->n; i++)
    sides[i] = (RpSide){ c->name[i], c->run[i], c->metrics[i], (const GArray *const *) c->shaken[i], c->results_given ? 0 : (guint) c->a->repeat };
  g_autoptr (RpComparison) comparison = rp_compare (sides, c->n);
  g_autoptr (GString) failures = g_string_new (NULL);
  gboolean json_wanted = g_strcmp0 (c->a->output, "json") == 0; /* failures go to standard error then, as whatever else is no answer */
  int failed = check_conditions (conditions, comparison, c->n, json_wanted ? "volsim: " : "", failures, error);

  if (failed < 0)
    return -1;
  part[0] = g_strdup ("");
  for (guint i = 1; i < c->n; i++)
    if ((part[i] = tell_parting (c, i, error)) == NULL)
      return -1;
  gsize length = 0;
  g_autofree char *json = json_wanted || c->a->out != NULL ? rp_comparison_json (comparison, (const char *const *) part, &length) : NULL;

  if (c->a->out != NULL && !write_answer (c, comparison, (const char *const *) part, conditions, failures->str, json, error))
    return -1;
  if (json_wanted) {
    if (cmd_print (json, error) < 0)
      return -1;
    fputs (failures->str, stderr);
    return failed > 0 ? 3 : 0;
  }
  g_autofree char *text = rp_comparison_text (comparison);
  g_autoptr (GString) out = g_string_new (text);

  for (guint i = 1; i < c->n; i++)
    g_string_append_printf (out, "\n%s", part[i]);
  if (failed > 0)
    g_string_append_printf (out, "\n%s", failures->str);
  return cmd_print (out->str, error) < 0 ? -1 : failed > 0 ? 3 : 0;
}

static void
remove_runs (const Compare *c)
{
  for (guint i = first_run (c); i < c->n; i++)
    for (guint k = 0; k <= (guint) c->a->repeat; k++) {
      g_autofree char *dir = run_dir (c, i, k);

      rp_results_remove (dir);
    }
}

/* What an earlier comparison has left in the same place: with fewer repeats now its runs would pass for those of this one. */
static void
remove_old_answer (const char *folder)
{
  static const char *const files[] = { "report.html", "comparison.json", "charts" };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (folder, files[i], NULL);

    rp_folder_remove (path);
  }
  g_autoptr (GDir) d = g_dir_open (folder, 0, NULL);
  const char *name;

  while (d != NULL && (name = g_dir_read_name (d)) != NULL) {
    g_autofree char *dir = g_build_filename (folder, name, NULL);
    gsize side = strspn (name, "0123456789");

    if (g_str_has_prefix (name, "cycle-") && g_str_has_suffix (name, ".json"))
      rp_folder_remove (dir);
    if (side > 0 && name[side] == '-' && name[side + 1] != '\0' && strspn (name + side + 1, "0123456789") == strlen (name + side + 1))
      rp_results_remove (dir);
  }
}

static int
compare (Compare *c, GError **error)
{
  g_autoptr (GPtrArray) conditions = read_conditions (c->a, error);
  gboolean temporary = !c->results_given && c->a->out == NULL;
  g_autoptr (RpFolder) folder = NULL;

  if (conditions == NULL)
    return -1;
  if (temporary && (c->dir = rp_folder_temporary (error)) == NULL)
    return -1;
  if (c->a->out != NULL) {
    if ((folder = rp_folder_claim (c->a->out, "compare", error)) == NULL)
      return -1;
    c->dir = g_strdup (c->a->out);
    remove_old_answer (c->dir);
  }
  gboolean good = (c->results_given ? read_all (c, error) : run_all (c, error)) && (!c->a->recorded || add_record (c, error));
  int status = good ? report (c, conditions, error) : -1;

  if (folder != NULL && status >= 0)
    rp_folder_keep (folder);
  else if (folder != NULL)
    remove_old_answer (c->dir);
  else if (temporary)
    remove_runs (c);
  if (temporary)
    (void) g_rmdir (c->dir);
  return status;
}

static gboolean
check_arguments (const Arguments *a, Compare *c, GError **error)
{
  guint results = 0, first = first_run (c), given = c->n - first;

  for (guint i = c->n_files; i < c->n; i++) {
    const VcPreset *preset = vc_preset_find (c->name[i], error);

    if (preset == NULL) {
      g_prefix_error (error, "--policy-preset: ");
      return FALSE;
    }
    if (vc_preset_is_beyond (preset))
      fprintf (stderr, "volsim: warning: " SIM_PRESET_BEYOND "\n", preset->name);
  }
  for (guint i = first; i < c->n_files; i++) {
    results += g_file_test (c->name[i], G_FILE_TEST_IS_DIR);
    if (!g_file_test (c->name[i], G_FILE_TEST_EXISTS)) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s: cannot open, expected a configuration or a results directory, found none", c->name[i]);
      return FALSE;
    }
  }
  c->results_given = results > 0;
  if (c->n < 2)
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "compare: expected at least %s, found %u", a->recorded ? "one configuration, preset or results directory" : "two configurations, presets or results directories", given);
  else if (a->recorded && a->repeat > 0)
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "compare: --repeat shakes submissions, and a record cannot be shaken, found --with-recorded");
  else if (results > 0 && results < given)
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "compare: expected configurations alone or results directories alone, found both");
  else if (results == 0 && a->scenario == NULL)
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "compare: configurations need a scenario to run: --scenario FILE");
  else if (results > 0 && (a->scenario != NULL || a->repeat > 0))
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "compare: --scenario and --repeat are for configurations, found results directories");
  else if (a->repeat < 0 || a->repeat > 1000 || a->threads < 0)
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--%s: expected a number from 0%s, found %d", a->threads < 0 ? "threads" : "repeat",
                 a->threads < 0 ? "" : " to 1000", a->threads < 0 ? a->threads : a->repeat);
  else if (a->output != NULL && strcmp (a->output, "table") != 0 && strcmp (a->output, "json") != 0)
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--output: expected table or json, found '%s'", a->output);
  else
    return TRUE;
  return FALSE;
}

static void
arguments_clear (Arguments *a)
{
  g_free (a->scenario);
  g_free (a->out);
  g_free (a->output);
  g_free (a->shake);
  g_free (a->fail_file);
  g_free (a->title);
  g_strfreev (a->fail_if);
  g_strfreev (a->preset);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Arguments, arguments_clear)

static void
compare_clear (Compare *c)
{
  for (guint i = 0; i < c->n; i++) {
    rp_run_data_free (c->run[i]);
    g_clear_pointer (&c->metrics[i], g_array_unref);
    for (guint k = 0; k < (guint) MAX (c->a->repeat, 0); k++)
      g_clear_pointer (&c->shaken[i][k], g_array_unref);
    g_free (c->shaken[i]);
  }
  g_free (c->name);
  g_free (c->run);
  g_free (c->metrics);
  g_free (c->shaken);
  g_free (c->dir);
  g_free (c->command);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Compare, compare_clear)

int
cmd_compare (int argc, char **argv, GError **error)
{
  g_auto (Arguments) a = { 0 };
  char recorded[] = "recorded";
  const GOptionEntry entries[] = {
    { "scenario", 's', 0, G_OPTION_ARG_FILENAME, &a.scenario, "What the configurations are to run", "FILE" },
    { "policy-preset", 0, 0, G_OPTION_ARG_STRING_ARRAY, &a.preset, "A configuration that 'volsim presets' lists, as a side behind those of files (may be given often)", "NAME" },
    { "with-recorded", 0, 0, G_OPTION_ARG_NONE, &a.recorded, "Compare with what the trace says has happened, as the first side (the runs need the key 'recorded')", NULL },
    { "repeat", 0, 0, G_OPTION_ARG_INT, &a.repeat, "Run each N times more with shaken submissions, to tell differences from chance", "N" },
    { "shake", 0, 0, G_OPTION_ARG_STRING, &a.shake, "By how much submissions are moved then, either way (default: 30)", "TIME" },
    { "threads", 't', 0, G_OPTION_ARG_INT, &a.threads, "Runs at once (default: one for each processor)", "N" },
    { "out", 0, 0, G_OPTION_ARG_FILENAME, &a.out, "Write report.html, comparison.json and charts there, and keep the runs", "DIR" },
    { "title", 0, 0, G_OPTION_ARG_STRING, &a.title, "The question, as heading of the page", "TEXT" },
    { "output", 'o', 0, G_OPTION_ARG_STRING, &a.output, "table or json", "FORMAT" },
    { "fail-if", 0, 0, G_OPTION_ARG_STRING_ARRAY, &a.fail_if, "Exit with 3 when this holds of any but the first: 'p95_wait(queue=prod) > 1.05 * base'", "CONDITION" },
    { "fail-file", 0, 0, G_OPTION_ARG_FILENAME, &a.fail_file, "The same from a file, one condition a line", "FILE" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("CONF|--policy-preset NAME … | RESULTS RESULTS… | --with-recorded CONF… | --with-recorded RESULTS… - what another configuration does to the same work");

  g_autofree char *command = cmd_line (argc, argv);

  g_option_context_set_description (context, "Exit status: 0 compared, 1 something could not be written, 2 wrong usage or input, 3 a condition of --fail-if or --fail-file holds,\n130 interrupted.");
  if (!cmd_parse (context, entries, &argc, &argv, error))
    return -1;
  argv[0] = recorded; /* its label */
  const guint n_files = (guint) MAX (argc - !a.recorded, 0), n_presets = a.preset != NULL ? g_strv_length (a.preset) : 0;
  g_auto (Compare) c = { .a = &a, .name = g_new0 (char *, n_files + n_presets + 1), .n = n_files + n_presets, .n_files = n_files, .command = g_steal_pointer (&command) };

  for (guint i = 0; i < c.n; i++)
    c.name[i] = i < n_files ? argv[i + !a.recorded] : a.preset[i - n_files];

  c.run = g_new0 (RpRunData *, c.n + 1);
  c.metrics = g_new0 (GArray *, c.n + 1);
  c.shaken = g_new0 (GArray **, c.n + 1);
  for (guint i = 0; i < c.n; i++)
    c.shaken[i] = g_new0 (GArray *, (guint) CLAMP (a.repeat, 0, 1000) + 1);
  if (!check_arguments (&a, &c, error)) {
    a.repeat = CLAMP (a.repeat, 0, 1000);
    return -1;
  }
  vc_cache_options_init (&c.cache);
  vc_engine_options_init (&c.engine);
  return compare (&c, error);
}
