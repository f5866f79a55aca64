/* sim/studies/plan-fit.c - volsim plan fit: how many more copies of a job. */
#include "plan-command.h"
#include "results-read.h"
#include "reports/folder.h"
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include "sim/interrupt.h"
#include "workloads/text/parse.h"
#include <glib/gstdio.h>
#include <string.h>

static gboolean
is_copy (const RpJob *j)
{
  const char *mark = g_strrstr (j->job, "-copy-");

  return mark != NULL && mark[6] != '\0' && strspn (mark + 6, "0123456789") == strlen (mark + 6);
}

static int
by_start (gconstpointer a, gconstpointer b)
{
  SimTime l = *(const SimTime *) a, r = *(const SimTime *) b;

  return l < r ? -1 : l > r;
}

static gboolean
run_fit (const PlanContext *c, guint copies, WlTime at, WlTime within, SimFit *out, GError **error)
{
  g_autofree char *dir = rp_folder_temporary (error), *results = dir != NULL ? g_build_filename (dir, "fit", NULL) : NULL;
  g_autofree char *job = g_strdup (c->a->job), *n = g_strdup_printf ("%u", copies), *when = g_strdup_printf ("%.6f", (double) at / 1e6);
  char *key[] = { (char *) "more_jobs", (char *) "more_copies", (char *) "more_at", NULL }, *value[] = { job, n, when, NULL };

  if (dir == NULL)
    return FALSE;
  SimVariant v = { .file = c->a->scenario, .preset = c->a->preset, .key = key, .value = value, .out = results, .cache = &c->cache, .engine = &c->engine, .interrupted = sim_interrupted () };
  g_autoptr (RpResults) r = sim_variant_run (&v, error);
  g_autoptr (RpRunData) d = r != NULL ? sim_results_read (results, error) : NULL;

  rp_results_remove (results);
  (void) g_rmdir (dir);
  if (d == NULL)
    return FALSE;
  sim_fit_clear (out);
  out->copies = copies;
  for (guint i = 0; i < d->jobs->len; i++) {
    const RpJob *j = &g_array_index (d->jobs, RpJob, i);

    if (j->submit != at || !is_copy (j))
      continue;
    out->jobs++;
    if (j->gang_start == RP_NONE)
      out->never++;
    else if (j->gang_start <= at + within)
      out->now++;
    else
      out->later++;
    if (j->gang_start != RP_NONE)
      sim_fit_start (out, j->gang_start);
    sim_fit_count (out, j->gang_start == RP_NONE && *j->reason != '\0' ? j->reason : j->phase, j->gang_start == RP_NONE);
  }
  out->end = d->end;
  if (out->starts != NULL)
    g_array_sort (out->starts, by_start);
  return TRUE;
}

int
plan_fit (const PlanContext *c, GError **error)
{
  g_auto (SimFit) fit = { 0 };
  WlTime at = 0, within = 3 * c->scenario.period;

  if (c->a->job == NULL)
    return plan_refuse (error, "plan fit: expected --job FILE, a jobs.csv or a Job object (.yaml, .yml, .json)"), -1;
  if ((c->a->at != NULL && !wl_parse_time (c->a->at, FALSE, &at, error)) || (c->a->within != NULL && !wl_parse_time (c->a->within, FALSE, &within, error))) {
    g_prefix_error (error, "%s: ", c->a->within != NULL ? "--at or --within" : "--at");
    return -1;
  }
  for (guint n = 64;; n *= 4) { /* until some stay outside */
    n = MIN (n, (guint) c->a->max);
    if (!run_fit (c, n, at, within, &fit, error))
      return -1;
    if (fit.now < fit.jobs || n == (guint) c->a->max)
      break;
  }
  g_autofree char *text = g_strcmp0 (c->a->output, "json") == 0 ? sim_fit_json (&fit, at, within) : sim_fit_text (&fit, at, within);

  if (c->a->out != NULL && !sim_fit_write (&fit, at, within, &c->origin, c->a->out, error))
    return -1;
  return cmd_print (text, error);
}
