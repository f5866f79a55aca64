/* sim/cmd-plan.c - volsim plan: how many nodes, how much more work, how small a cell, how many more copies. */
#include "commands.h"
#include "cycle.h"
#include "interrupt.h"
#include "plan-write.h"
#include "reports/folder.h"
#include "reports/words.h"
#include "results-read.h"
#include "workloads/parse.h"
#include "workloads/reshape.h"
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  char *scenario, *output, *out, *shake, *at, *job, *what, *within, *title;
  char **node, **slo;
  int repeat, threads, trials, max;
  gboolean allow_stuck;
  double factor, pending;
} Arguments;

static void
arguments_clear (Arguments *a)
{
  char **text[] = { &a->scenario, &a->output, &a->out, &a->shake, &a->at, &a->job, &a->what, &a->within, &a->title };

  for (guint i = 0; i < G_N_ELEMENTS (text); i++)
    g_free (*text[i]);
  g_strfreev (a->node);
  g_strfreev (a->slo);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Arguments, arguments_clear)

typedef struct {
  const Arguments *a;
  SimScenario scenario;
  GPtrArray *conditions;
  VcCacheOptions cache;
  VcEngineOptions engine;
  SimPlanOrigin origin;
  char *command, *conf;      /* of origin */
} Context;

static void
context_clear (Context *c)
{
  sim_scenario_clear (&c->scenario);
  g_clear_pointer (&c->conditions, g_ptr_array_unref);
  g_clear_pointer (&c->origin.input, g_ptr_array_unref);
  g_clear_pointer (&c->origin.digest, g_ptr_array_unref);
  g_free (c->command);
  g_free (c->conf);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Context, context_clear)

static gboolean
refuse (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
refuse (GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INPUT, text);
  return FALSE;
}

static void
setting (GPtrArray *key, GPtrArray *value, const char *k, char *v)
{
  g_ptr_array_add (key, g_strdup (k));
  g_ptr_array_add (value, v);
}

/* Repeat @repeat of a search: 0 is the scenario as it is, the others shake it. */
static void
shaken (const Context *c, guint repeat, GPtrArray *key, GPtrArray *value)
{
  sim_variant_shake (key, value, repeat, c->a->shake);
  g_ptr_array_add (key, NULL);
  g_ptr_array_add (value, NULL);
}

static SimPlan
plan_of (const Context *c, GPtrArray *key, GPtrArray *value)
{
  return (SimPlan){ .scenario = c->a->scenario,
                    .key = (char **) key->pdata,
                    .value = (char **) value->pdata,
                    .promise = { c->conditions, c->a->allow_stuck },
                    .threads = (guint) c->a->threads,
                    .cache = &c->cache,
                    .engine = &c->engine };
}

/* ---- nodes --------------------------------------------------------------------------------------- */

typedef struct {
  char *name;
  gint64 low, high;
  gboolean range;    /* given */
  double price;      /* NaN: not given */
} NodeType;

static void
type_clear (gpointer data)
{
  g_free (((NodeType *) data)->name);
}

/* NAME[=LOW..HIGH][@PRICE] */
static gboolean
parse_type (const char *text, NodeType *t, GError **error)
{
  const char *at = strrchr (text, '@'), *equals = strchr (text, '=');
  gsize end = at != NULL ? (gsize) (at - text) : strlen (text);
  char *rest = NULL;

  *t = (NodeType){ .name = g_strndup (text, equals != NULL ? (gsize) (equals - text) : end), .price = (double) NAN };
  if (*t->name == '\0')
    return refuse (error, "--node: expected NAME[=LOW..HIGH][@PRICE], found '%s'", text);
  if (at != NULL) {
    t->price = g_ascii_strtod (at + 1, &rest);
    if (at[1] == '\0' || *rest != '\0' || !(t->price >= 0 && t->price <= 1e12))
      return refuse (error, "--node: expected a price from 0 behind '@', found '%s'", text);
  }
  if (equals == NULL)
    return TRUE;
  g_autofree char *range = g_strndup (equals + 1, end - (gsize) (equals + 1 - text));
  g_auto (GStrv) bound = g_strsplit (range, "..", 2);

  t->range = TRUE;
  if (bound[0] == NULL || bound[1] == NULL || !g_ascii_string_to_signed (bound[0], 10, 0, 1000000, &t->low, NULL) ||
      !g_ascii_string_to_signed (bound[1], 10, t->low, 1000000, &t->high, NULL))
    return refuse (error, "--node: expected LOW..HIGH with whole numbers from 0 to 1000000, found '%s'", range);
  return TRUE;
}

static GArray *
read_types (const Context *c, GError **error)
{
  g_autoptr (GArray) types = g_array_new (FALSE, TRUE, sizeof (NodeType));
  g_autoptr (GArray) nodes = c->scenario.nodes != NULL ? wl_read_nodes (c->scenario.nodes, error) : NULL;

  g_array_set_clear_func (types, type_clear);
  if (nodes == NULL) {
    if (c->scenario.nodes == NULL)
      refuse (error, "%s: expected a scenario with nodes, found none", c->a->scenario);
    return NULL;
  }
  for (char **text = c->a->node; text != NULL && *text != NULL; text++) {
    g_array_set_size (types, types->len + 1);
    NodeType *t = &g_array_index (types, NodeType, types->len - 1);

    if (!parse_type (*text, t, error))
      return NULL;
    guint n = wl_nodes_named (nodes, t->name);

    if (n == 0) {
      refuse (error, "--node: expected a row of %s, found '%s'", c->scenario.nodes, t->name);
      return NULL;
    }
    if (!t->range) {
      t->low = 1;
      t->high = n;
    }
  }
  if (types->len == 0) {
    refuse (error, "plan nodes: expected --node NAME, a row of %s", c->scenario.nodes);
    return NULL;
  }
  for (guint i = 0; types->len > 1 && i < types->len; i++) {
    const NodeType *t = &g_array_index (types, NodeType, i);

    if (!t->range || isnan (t->price)) {
      refuse (error, "--node: several kinds of nodes need a range and a price each (NAME=LOW..HIGH@PRICE), found '%s'", t->name);
      return NULL;
    }
  }
  return g_steal_pointer (&types);
}

typedef struct { const GArray *types; const gint64 *count; } NodeSetting; /* counts of all kinds but the first */

static void
set_nodes (gpointer user, double x, GPtrArray *key, GPtrArray *value)
{
  const NodeSetting *s = user;

  for (guint i = 0; i < s->types->len; i++) {
    const NodeType *t = &g_array_index (s->types, NodeType, i);
    g_autofree char *k = g_strconcat ("node_count.", t->name, NULL);

    setting (key, value, k, g_strdup_printf ("%" G_GINT64_FORMAT, i == 0 ? (gint64) x : s->count[i]));
  }
}

/* One kind: without a range the upper end is doubled until the promise holds. */
static gboolean
search_kind (const SimPlan *plan, const NodeType *first, NodeSetting *s, GArray *points, gint64 *border, gboolean *found, GError **error)
{
  gint64 high = first->high;

  for (;;) {
    if (!sim_plan_search (plan, first->low, high, 1, TRUE, set_nodes, s, points, border, found, error))
      return FALSE;
    if (*found || first->range || high >= 64 * first->high)
      return TRUE;
    high *= 2;
  }
}

#define MIXES_MAX 100000.0

/* Combinations of the kinds but the first, for each of which there is a search. */
static double
mixes (const GArray *types)
{
  double n = 1;

  for (guint i = 1; i < types->len; i++)
    n *= (double) (g_array_index (types, NodeType, i).high - g_array_index (types, NodeType, i).low + 1);
  return n;
}

static gboolean
plan_nodes_once (const Context *c, const GArray *types, guint repeat, SimPlanAnswer *out, GError **error)
{
  g_autoptr (GPtrArray) key = g_ptr_array_new_with_free_func (g_free), value = g_ptr_array_new_with_free_func (g_free);

  shaken (c, repeat, key, value);
  SimPlan plan = plan_of (c, key, value);
  const NodeType *first = &g_array_index (types, NodeType, 0);
  g_autofree gint64 *count = g_new0 (gint64, types->len);
  NodeSetting s = { types, count };

  if (types->len == 1)
    return search_kind (&plan, first, &s, out->points, &out->border, &out->found, error);
  for (guint i = 1; i < types->len; i++)
    count[i] = g_array_index (types, NodeType, i).low;
  guint mix = 0;

  out->cost = (double) INFINITY;
  out->mix = g_new0 (gint64, types->len);
  for (;;) { /* every mix of the other kinds; those that cannot be cheaper are left out */
    double others = 0;

    for (guint i = 1; i < types->len; i++)
      others += (double) count[i] * g_array_index (types, NodeType, i).price;
    mix++;
    if (others + (double) first->low * first->price < out->cost) {
      g_autofree char *label = g_strdup_printf ("mix %u of %u", mix, (guint) mixes (types));

      plan.label = label;
      g_autoptr (GArray) points = sim_points_new ();
      gint64 border = 0;
      gboolean found = FALSE;

      if (!sim_plan_search (&plan, first->low, first->high, 1, TRUE, set_nodes, &s, points, &border, &found, error))
        return FALSE;
      double cost = others + (double) border * first->price;

      out->runs += points->len;
      if (found && cost < out->cost) {
        out->found = TRUE;
        out->cost = cost;
        out->border = out->mix[0] = border;
        memcpy (out->mix + 1, count + 1, (types->len - 1) * sizeof *count);
      }
    }
    guint i = 1;

    while (i < types->len && ++count[i] > g_array_index (types, NodeType, i).high) {
      count[i] = g_array_index (types, NodeType, i).low;
      i++;
    }
    if (i == types->len)
      return TRUE;
  }
}

static gboolean
plan_nodes (const Context *c, SimPlanReport *r, GError **error)
{
  g_autoptr (GArray) types = read_types (c, error);

  if (types == NULL)
    return FALSE;
  const NodeType *first = &g_array_index (types, NodeType, 0);

  if (mixes (types) > MIXES_MAX)
    return refuse (error, "--node: expected ranges with at most %.0f mixes of the kinds behind the first, found %.0f", MIXES_MAX, mixes (types));
  r->question = g_strdup_printf ("least number of nodes '%s' that keeps the promise", first->name);
  r->x_name = g_strdup_printf ("nodes '%s'", first->name);
  r->unit = 1;
  for (guint i = 0; i < types->len && types->len > 1; i++)
    g_ptr_array_add (r->kinds, g_strdup (g_array_index (types, NodeType, i).name));
  for (guint k = 0; k <= (guint) c->a->repeat; k++)
    if (!plan_nodes_once (c, types, k, sim_plan_report_add (r), error))
      return FALSE;
  return TRUE;
}

/* ---- inflate ------------------------------------------------------------------------------------- */

static void
set_factor (gpointer user, double x, GPtrArray *key, GPtrArray *value)
{
  setting (key, value, user, g_strdup_printf ("%.2f", x));
}

static gboolean
plan_inflate (const Context *c, SimPlanReport *r, GError **error)
{
  gboolean vertical = g_strcmp0 (c->a->what, "requests") == 0;

  if (c->a->what != NULL && !vertical && strcmp (c->a->what, "jobs") != 0)
    return refuse (error, "--what: expected jobs or requests, found '%s'", c->a->what);
  if (!(c->a->factor > 1 && c->a->factor <= 1000))
    return refuse (error, "--max-factor: expected a number above 1 up to 1000, found %g", c->a->factor);
  r->question = g_strdup (vertical ? "greatest factor on the requests of jobs that keeps the promise" : "greatest factor on the rate of arriving jobs that keeps the promise");
  r->x_name = g_strdup (vertical ? "requests ×" : "arrival rate ×");
  r->unit = 0.01;
  r->less_helps = TRUE;
  for (guint k = 0; k <= (guint) c->a->repeat; k++) {
    g_autoptr (GPtrArray) key = g_ptr_array_new_with_free_func (g_free), value = g_ptr_array_new_with_free_func (g_free);
    SimPlanAnswer *answer = sim_plan_report_add (r);

    shaken (c, k, key, value);
    SimPlan plan = plan_of (c, key, value);

    if (!sim_plan_search (&plan, 100, (gint64) (c->a->factor * 100 + 0.5), 0.01, FALSE, set_factor, (gpointer) (vertical ? "request_scale" : "arrival_rate"),
                          answer->points, &answer->border, &answer->found, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- compact ------------------------------------------------------------------------------------- */

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
  setting (key, value, "keep_nodes", g_strdup_printf ("%.0f", x));
}

static gboolean
plan_compact (Context *c, SimPlanReport *r, GError **error)
{
  g_autoptr (GArray) nodes = c->scenario.nodes != NULL ? wl_read_nodes (c->scenario.nodes, error) : NULL;
  g_autoptr (GArray) jobs = nodes != NULL && c->scenario.jobs != NULL ? wl_read_jobs (c->scenario.jobs, error) : NULL;
  WlTime at;

  if (jobs == NULL) {
    if (error != NULL && *error == NULL)
      refuse (error, "%s: expected a scenario with nodes and jobs in CSV files, found none", c->a->scenario);
    return FALSE;
  }
  if (c->a->slo != NULL)
    return refuse (error, "plan compact: expected no --slo (its promise is --pending), found '%s'", c->a->slo[0]);
  if (c->a->at == NULL)
    at = busiest (jobs);
  else if (strcmp (c->a->at, "all") == 0)
    at = WL_TIME_NEVER;
  else if (!wl_parse_time (c->a->at, FALSE, &at, error)) {
    g_prefix_error (error, "--at: ");
    return FALSE;
  }
  wl_jobs_snapshot (jobs, at);
  guint n = wl_nodes_initial (nodes), allowed = (guint) floor (c->a->pending * jobs->len + 1e-9);

  if (jobs->len == 0)
    return refuse (error, "--at: expected a time at which jobs run, found %s (no job)", c->a->at != NULL ? c->a->at : "0");
  g_autofree char *limit = g_strdup_printf ("never_started <= %u", allowed);

  g_ptr_array_add (c->conditions, rp_threshold_parse (limit, "--pending", TRUE, NULL));
  g_autofree char *moment = at == WL_TIME_NEVER ? g_strdup ("all") : g_strdup_printf ("%.6f", (double) at / 1e6), *when = at == WL_TIME_NEVER ? NULL : rp_span ((double) at / 1e6);

  r->question = g_strdup_printf ("least cell for the %u jobs %s%s, packed from scratch; %u may stay pending", jobs->len,
                                 when != NULL ? "that run at " : "of the whole trace at once", when != NULL ? when : "", allowed);
  r->x_name = g_strdup ("nodes kept");
  r->unit = 1;
  r->trials = TRUE;
  r->whole = n;
  for (guint k = 1; k <= (guint) c->a->trials; k++) {
    g_autoptr (GPtrArray) key = g_ptr_array_new_with_free_func (g_free), value = g_ptr_array_new_with_free_func (g_free);
    SimPlanAnswer *answer = sim_plan_report_add (r);

    setting (key, value, "snapshot", g_strdup (moment));
    setting (key, value, "seed", g_strdup_printf ("%u", k));
    setting (key, value, "ties", g_strdup_printf ("random:%u", k));
    setting (key, value, "until", g_strdup ("86400"));
    g_ptr_array_add (key, NULL);
    g_ptr_array_add (value, NULL);
    SimPlan plan = plan_of (c, key, value);

    plan.promise.allow_stuck = TRUE;
    if (!sim_plan_search (&plan, 1, n, 1, TRUE, set_kept, NULL, answer->points, &answer->border, &answer->found, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- fit ----------------------------------------------------------------------------------------- */

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
run_fit (const Context *c, guint copies, WlTime at, WlTime within, SimFit *out, GError **error)
{
  g_autofree char *dir = rp_folder_temporary (error), *results = dir != NULL ? g_build_filename (dir, "fit", NULL) : NULL;
  g_autofree char *job = g_strdup (c->a->job), *n = g_strdup_printf ("%u", copies), *when = g_strdup_printf ("%.6f", (double) at / 1e6);
  char *key[] = { (char *) "more_jobs", (char *) "more_copies", (char *) "more_at", NULL }, *value[] = { job, n, when, NULL };

  if (dir == NULL)
    return FALSE;
  SimVariant v = { .file = c->a->scenario, .key = key, .value = value, .out = results, .cache = &c->cache, .engine = &c->engine, .interrupted = sim_interrupted () };
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

static int
plan_fit (const Context *c, GError **error)
{
  g_auto (SimFit) fit = { 0 };
  WlTime at = 0, within = 3 * c->scenario.period;

  if (c->a->job == NULL)
    return refuse (error, "plan fit: expected --job FILE, a jobs.csv or a Job object (.yaml, .yml, .json)"), -1;
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

/* ---- command line -------------------------------------------------------------------------------- */

static gboolean
read_conditions (Context *c, GError **error)
{
  c->conditions = g_ptr_array_new_with_free_func ((GDestroyNotify) rp_threshold_free);
  for (char **text = c->a->slo; text != NULL && *text != NULL; text++) {
    RpThreshold *t = rp_threshold_parse (*text, "--slo", TRUE, error);

    if (t == NULL)
      return FALSE;
    g_ptr_array_add (c->conditions, t);
  }
  return TRUE;
}

static gboolean
check (const Arguments *a, GError **error)
{
  if (a->scenario == NULL)
    return refuse (error, "plan: expected --scenario FILE");
  if (a->output != NULL && strcmp (a->output, "table") != 0 && strcmp (a->output, "json") != 0)
    return refuse (error, "--output: expected table or json, found '%s'", a->output);
  if (a->repeat < 0 || a->repeat > 1000 || a->threads < 0)
    return refuse (error, "--%s: expected a number from 0, found %d", a->threads < 0 ? "threads" : "repeat", a->threads < 0 ? a->threads : a->repeat);
  if (a->trials < 1 || a->trials > 1000)
    return refuse (error, "--trials: expected a number from 1 to 1000, found %d", a->trials);
  if (a->max < 1 || a->max > 1000000)
    return refuse (error, "--max-copies: expected a number from 1 to 1000000, found %d", a->max);
  return (a->pending >= 0 && a->pending < 1) || refuse (error, "--pending: expected a share from 0 to 1, found %g", a->pending);
}

/* What the page tells of the inputs; the scenario's own, since every run is a variation of it. */
static void
find_origin (Context *c)
{
  c->origin = (SimPlanOrigin){ .title = c->a->title,
                               .command = c->command,
                               .input = g_ptr_array_new_with_free_func (g_free),
                               .digest = g_ptr_array_new_with_free_func (g_free) };
  if (c->scenario.conf != NULL)
    (void) g_file_get_contents (c->scenario.conf, &c->conf, NULL, NULL);
  c->origin.configuration = c->conf;
  sim_run_inputs (&c->scenario, c->a->scenario, c->origin.input, c->origin.digest);
  if (c->a->job != NULL)
    sim_run_input (c->a->job, c->origin.input, c->origin.digest);
}

int
cmd_plan (int argc, char **argv, GError **error)
{
  g_auto (Arguments) a = { .trials = 11, .factor = 16, .pending = 0.002, .max = 4096 };
  const GOptionEntry entries[] = {
    { "scenario", 's', 0, G_OPTION_ARG_FILENAME, &a.scenario, "What is run", "FILE" },
    { "slo", 0, 0, G_OPTION_ARG_STRING_ARRAY, &a.slo, "What must hold: 'p95_wait(queue=prod) <= 30m' (may be given often)", "CONDITION" },
    { "allow-stuck", 0, 0, G_OPTION_ARG_NONE, &a.allow_stuck, "Jobs that never start break no promise", NULL },
    { "node", 0, 0, G_OPTION_ARG_STRING_ARRAY, &a.node, "nodes: the row of nodes.csv whose number is sought", "NAME[=LOW..HIGH][@PRICE]" },
    { "what", 0, 0, G_OPTION_ARG_STRING, &a.what, "inflate: jobs (they come faster) or requests (they are larger)", "KIND" },
    { "max-factor", 0, 0, G_OPTION_ARG_DOUBLE, &a.factor, "inflate: look no further (default: 16)", "N" },
    { "at", 0, 0, G_OPTION_ARG_STRING, &a.at, "compact: whose jobs are packed (default: the busiest time; all: those of the whole trace at once); fit: when the copies come", "TIME" },
    { "trials", 0, 0, G_OPTION_ARG_INT, &a.trials, "compact: orders in which nodes are taken away (default: 11)", "N" },
    { "pending", 0, 0, G_OPTION_ARG_DOUBLE, &a.pending, "compact: share of the jobs that may stay pending (default: 0.002)", "SHARE" },
    { "job", 0, 0, G_OPTION_ARG_FILENAME, &a.job, "fit: the job that is copied: a jobs.csv, or a Job object (.yaml, .yml, .json)", "FILE" },
    { "within", 0, 0, G_OPTION_ARG_STRING, &a.within, "fit: a copy that starts in this time fits now (default: three periods)", "TIME" },
    { "max-copies", 0, 0, G_OPTION_ARG_INT, &a.max, "fit: try no more copies (default: 4096)", "N" },
    { "repeat", 0, 0, G_OPTION_ARG_INT, &a.repeat, "Seek N times more with shaken submissions, for the interval", "N" },
    { "shake", 0, 0, G_OPTION_ARG_STRING, &a.shake, "By how much submissions are moved then, either way (default: 30)", "TIME" },
    { "threads", 't', 0, G_OPTION_ARG_INT, &a.threads, "Runs at once (default: one for each processor)", "N" },
    { "out", 0, 0, G_OPTION_ARG_FILENAME, &a.out, "Write report.html, plan.json, plan.csv and the chart there", "DIR" },
    { "title", 0, 0, G_OPTION_ARG_STRING, &a.title, "The question, as heading of the page", "TEXT" },
    { "output", 'o', 0, G_OPTION_ARG_STRING, &a.output, "table or json", "FORMAT" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("nodes|inflate|compact|fit - how many, how much, how small");
  g_auto (Context) c = { .a = &a };
  g_auto (SimPlanReport) r = { 0 };
  g_autoptr (RpFolder) folder = NULL;
  gboolean good;

  c.command = cmd_line (argc, argv);
  sim_scenario_init (&c.scenario);
  sim_plan_report_init (&r);
  vc_cache_options_init (&c.cache);
  vc_engine_options_init (&c.engine);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, "Exit status: 0 there is an answer (fit: whatever it is), 1 no setting that was tried keeps the promise, or something could not be written,\n"
                                             "2 wrong usage or input, 130 interrupted.");
  if (!g_option_context_parse (context, &argc, &argv, error))
    return -1;
  if (argc != 2)
    return refuse (error, "plan: expected one of nodes, inflate, compact, fit, found %s", argc < 2 ? "nothing" : argv[2]), -1;
  if (!check (&a, error) || !sim_scenario_read (&c.scenario, a.scenario, error) || !read_conditions (&c, error))
    return -1;
  if (a.out != NULL && (folder = rp_folder_claim (a.out, "plan", error)) == NULL) /* now: not after hours of search */
    return -1;
  sim_catch_signals ();
  if (a.out != NULL)
    find_origin (&c);
  if (strcmp (argv[1], "fit") == 0) {
    int status = plan_fit (&c, error);

    if (status == 0 && folder != NULL)
      rp_folder_keep (folder);
    return status;
  }
  if (strcmp (argv[1], "nodes") == 0)
    good = plan_nodes (&c, &r, error);
  else if (strcmp (argv[1], "inflate") == 0)
    good = plan_inflate (&c, &r, error);
  else if (strcmp (argv[1], "compact") == 0)
    good = plan_compact (&c, &r, error);
  else
    good = refuse (error, "plan: expected one of nodes, inflate, compact, fit, found '%s'", argv[1]);
  if (!good)
    return -1;
  r.conditions = c.conditions;
  g_autofree char *text = g_strcmp0 (a.output, "json") == 0 ? sim_plan_report_json (&r) : sim_plan_report_text (&r);

  r.allow_stuck = a.allow_stuck || r.trials;
  if (a.out != NULL && !sim_plan_report_write (&r, &c.origin, a.out, error))
    return -1;
  if (folder != NULL)
    rp_folder_keep (folder);
  if (cmd_print (text, error) < 0)
    return -1;
  return sim_plan_report_found (&r) ? 0 : 1;
}
