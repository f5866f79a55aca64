/* sim/studies/plan-compact.c - volsim plan compact: how small a cell. */
#include "plan-command.h"
#include "results-read.h"
#include "reports/folder.h"
#include "reports/words.h"
#include "sim/cycle/cycle.h"
#include "sim/interrupt.h"
#include "workloads/native/reshape.h"
#include "workloads/text/parse.h"
#include "workloads/transform/table.h"
#include <math.h>
#include <string.h>

typedef struct { WlTime time; double cpu; } Step;

static int
by_time (gconstpointer a, gconstpointer b)
{
  const Step *l = a, *r = b;

  return l->time != r->time ? (l->time < r->time ? -1 : 1) : l->cpu < r->cpu ? -1 : l->cpu > r->cpu; /* what leaves goes first */
}

/* When the jobs would use most cpu if none had to wait. */
static WlTime
busiest (const GArray *jobs)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (Step));
  double now = 0, most = -1;
  WlTime best = 0;

  for (guint i = 0; i < jobs->len; i++) {
    const WlJob *j = &g_array_index (jobs, WlJob, i);

    for (guint k = 0; k < j->roles->len; k++) {
      const WlRole *r = &g_array_index (j->roles, WlRole, k);
      WlTime run = g_array_index (g_array_index (r->durations, GArray *, 0), WlTime, 0);
      double cpu = 0;

      for (guint d = 0; d < r->resources->len; d++)
        if (strcmp (g_array_index (r->resources, WlResource, d).name, "cpu") == 0)
          cpu = (double) g_array_index (r->resources, WlResource, d).amount.milli * r->replicas;
      Step up = { j->submit, cpu }, down = { j->submit + run, -cpu };

      g_array_append_val (steps, up);
      if (run != WL_TIME_NEVER)
        g_array_append_val (steps, down);
    }
  }
  g_array_sort (steps, by_time);
  for (guint i = 0; i < steps->len; i++) {
    now += g_array_index (steps, Step, i).cpu;
    if (now > most) {
      most = now;
      best = g_array_index (steps, Step, i).time;
    }
  }
  return best;
}

static void
set_kept (gpointer user, double x, GPtrArray *key, GPtrArray *value)
{
  plan_setting (key, value, "keep_nodes", g_strdup_printf ("%.0f", x));
}

/* What every run has: the workload of that moment, for a day at most. */
static void
set_moment (const char *moment, GPtrArray *key, GPtrArray *value)
{
  plan_setting (key, value, "snapshot", g_strdup (moment));
  plan_setting (key, value, "until", g_strdup ("86400"));
}

/* Names of the jobs that start in the whole cell, as "namespace/name"; what finds no room there is no load of the cell. NULL with @error. */
static GHashTable *
run_whole (const PlanContext *c, const char *moment, const char *dir, GError **error)
{
  g_autoptr (GPtrArray) key = g_ptr_array_new_with_free_func (g_free), value = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *out = g_build_filename (dir, "whole", NULL);

  set_moment (moment, key, value);
  g_ptr_array_add (key, NULL);
  g_ptr_array_add (value, NULL);
  SimVariant v = { .file = c->a->scenario,
                   .preset = c->a->preset,
                   .key = (char **) key->pdata,
                   .value = (char **) value->pdata,
                   .out = out,
                   .cache = &c->cache,
                   .engine = &c->engine,
                   .interrupted = sim_interrupted () };
  g_autoptr (RpResults) results = sim_variant_run (&v, error);
  g_autoptr (RpRunData) d = results != NULL ? sim_results_read (out, error) : NULL;

  rp_results_remove (out);
  if (d == NULL)
    return NULL;
  GHashTable *started = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL); /* for look-ups only */

  for (guint i = 0; i < d->jobs->len; i++) {
    const RpJob *j = &g_array_index (d->jobs, RpJob, i);

    if (j->gang_start != RP_NONE)
      g_hash_table_add (started, g_strconcat (j->ns, "/", j->job, NULL));
  }
  return started;
}

/* Rows of these jobs alone, as @path. FALSE with @error. */
static gboolean
write_jobs (const PlanContext *c, GHashTable *started, const char *path, GError **error)
{
  g_autoptr (WlTable) t = wl_table_read (c->scenario.jobs, error);
  g_autoptr (GString) text = g_string_new (NULL);

  if (t == NULL)
    return FALSE;
  g_autofree gboolean *keep = g_new0 (gboolean, wl_table_rows (t) + 1);
  int ns = wl_table_column (t, "namespace"), job = wl_table_column (t, "job");

  for (guint i = 0; i < wl_table_rows (t); i++) {
    const char *space = wl_table_cell (t, i, ns);
    g_autofree char *name = g_strconcat (*space != '\0' ? space : "default", "/", wl_table_cell (t, i, job), NULL);

    keep[i] = g_hash_table_contains (started, name);
  }
  wl_table_filter (t, keep);
  wl_table_write (t, text);
  return rp_file_write (path, text->str, text->len, error);
}

#define CLONES 4 /* times the cell at most, as its authors did where the whole one was too small for other orders of packing */

/* Trial @k. */
static gboolean
try_removing (const PlanContext *c, guint k, const char *moment, const char *jobs, guint n, SimPlanAnswer *answer, GError **error)
{
  g_autoptr (GPtrArray) key = g_ptr_array_new_with_free_func (g_free), value = g_ptr_array_new_with_free_func (g_free);

  set_moment (moment, key, value);
  plan_setting (key, value, "jobs", g_strdup (jobs));
  plan_setting (key, value, "seed", g_strdup_printf ("%u", k));
  plan_setting (key, value, "ties", g_strdup_printf ("random:%u", k));
  g_ptr_array_add (key, NULL);
  g_ptr_array_add (value, NULL);
  SimPlan plan = plan_of (c, key, value);
  g_autofree char *label = g_strdup_printf ("trial %u of %d", k, c->a->trials);

  plan.label = label;
  plan.promise.allow_stuck = TRUE;
  for (guint low = 1, high = n; high <= CLONES * n; low = high, high += (n + 3) / 4) {
    if (!sim_plan_search (&plan, low, high, 1, TRUE, set_kept, NULL, answer->points, &answer->border, &answer->found, error))
      return FALSE;
    if (answer->found)
      break;
  }
  return TRUE;
}

static gboolean
search (PlanContext *c, SimPlanReport *r, const char *moment, const char *when, guint all, const char *dir, GError **error)
{
  g_autofree char *jobs = g_build_filename (dir, "jobs.csv", NULL);
  g_autoptr (GHashTable) started = run_whole (c, moment, dir, error);

  if (started == NULL || !write_jobs (c, started, jobs, error))
    return FALSE;
  guint n_jobs = g_hash_table_size (started), allowed = (guint) floor (c->a->pending * n_jobs + 1e-9);

  if (n_jobs == 0)
    return plan_refuse (error, "plan compact: expected a cell in which jobs start, found none that does");
  g_autofree char *limit = g_strdup_printf ("never_started <= %u", allowed), *number = rp_number (n_jobs), *total = rp_number (all),
                  *part = n_jobs < all ? g_strdup_printf (" (of %s) that start in the whole cell, of those", total) : g_strdup ("");

  g_ptr_array_add (c->conditions, rp_threshold_parse (limit, "--pending", TRUE, NULL));
  r->question = g_strdup_printf ("least cell for the %s jobs%s %s%s, packed from scratch; %u may stay pending", number, part,
                                 when != NULL ? "that run at " : "of the whole trace at once", when != NULL ? when : "", allowed);
  for (guint k = 1; k <= (guint) c->a->trials; k++)
    if (!try_removing (c, k, moment, jobs, r->whole, sim_plan_report_add (r), error))
      return FALSE;
  return TRUE;
}

gboolean
plan_compact (PlanContext *c, SimPlanReport *r, GError **error)
{
  g_autoptr (GArray) nodes = c->scenario.nodes != NULL ? wl_read_nodes (c->scenario.nodes, error) : NULL;
  g_autoptr (GArray) jobs = nodes != NULL && c->scenario.jobs != NULL ? wl_read_jobs (c->scenario.jobs, error) : NULL;
  WlTime at;

  if (jobs == NULL) {
    if (error != NULL && *error == NULL)
      plan_refuse (error, "%s: expected a scenario with nodes and jobs in CSV files, found none", c->a->scenario);
    return FALSE;
  }
  if (c->a->slo != NULL)
    return plan_refuse (error, "plan compact: expected no --slo (its promise is --pending), found '%s'", c->a->slo[0]);
  if (c->a->at == NULL)
    at = busiest (jobs);
  else if (strcmp (c->a->at, "all") == 0)
    at = WL_TIME_NEVER;
  else if (!wl_parse_time (c->a->at, FALSE, &at, error)) {
    g_prefix_error (error, "--at: ");
    return FALSE;
  }
  wl_jobs_snapshot (jobs, at);
  if (jobs->len == 0)
    return plan_refuse (error, "--at: expected a time at which jobs run, found %s (no job)", c->a->at != NULL ? c->a->at : "0");
  g_autofree char *moment = at == WL_TIME_NEVER ? g_strdup ("all") : g_strdup_printf ("%.6f", (double) at / 1e6), *when = at == WL_TIME_NEVER ? NULL : rp_span ((double) at / 1e6);
  g_autofree char *dir = rp_folder_temporary (error);

  if (dir == NULL)
    return FALSE;
  r->x_name = g_strdup ("nodes kept");
  r->unit = 1;
  r->trials = TRUE;
  r->whole = wl_nodes_initial (nodes);
  gboolean good = search (c, r, moment, when, jobs->len, dir, error);

  rp_folder_remove (dir);
  return good;
}
