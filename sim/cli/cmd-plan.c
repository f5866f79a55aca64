/* sim/cli/cmd-plan.c - volsim plan: its command line, and how much more work (inflate). */
#include "reports/folder.h"
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include "sim/interrupt.h"
#include "sim/studies/plan-command.h"
#include <stdio.h>
#include <string.h>

static void
arguments_clear (PlanArguments *a)
{
  char **text[] = { &a->scenario, &a->preset, &a->output, &a->out, &a->shake, &a->at, &a->job, &a->what, &a->within, &a->title };

  for (guint i = 0; i < G_N_ELEMENTS (text); i++)
    g_free (*text[i]);
  g_strfreev (a->node);
  g_strfreev (a->slo);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PlanArguments, arguments_clear)

static void
context_clear (PlanContext *c)
{
  sim_scenario_clear (&c->scenario);
  g_clear_pointer (&c->conditions, g_ptr_array_unref);
  g_clear_pointer (&c->origin.input, g_ptr_array_unref);
  g_clear_pointer (&c->origin.digest, g_ptr_array_unref);
  g_free (c->command);
  g_free (c->conf);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PlanContext, context_clear)

gboolean
plan_refuse (GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INPUT, text);
  return FALSE;
}

void
plan_setting (GPtrArray *key, GPtrArray *value, const char *k, char *v)
{
  g_ptr_array_add (key, g_strdup (k));
  g_ptr_array_add (value, v);
}

void
plan_shaken (const PlanContext *c, guint repeat, GPtrArray *key, GPtrArray *value)
{
  sim_variant_shake (key, value, repeat, c->a->shake);
  g_ptr_array_add (key, NULL);
  g_ptr_array_add (value, NULL);
}

SimPlan
plan_of (const PlanContext *c, GPtrArray *key, GPtrArray *value)
{
  return (SimPlan){ .scenario = c->a->scenario,
                    .preset = c->a->preset,
                    .key = (char **) key->pdata,
                    .value = (char **) value->pdata,
                    .promise = { c->conditions, c->a->allow_stuck },
                    .threads = (guint) c->a->threads,
                    .cache = &c->cache,
                    .engine = &c->engine };
}

/* ---- inflate ------------------------------------------------------------------------------------- */

static void
set_factor (gpointer user, double x, GPtrArray *key, GPtrArray *value)
{
  plan_setting (key, value, user, g_strdup_printf ("%.2f", x));
}

static gboolean
plan_inflate (const PlanContext *c, SimPlanReport *r, GError **error)
{
  gboolean vertical = g_strcmp0 (c->a->what, "requests") == 0;

  if (c->a->what != NULL && !vertical && strcmp (c->a->what, "jobs") != 0)
    return plan_refuse (error, "--what: expected jobs or requests, found '%s'", c->a->what);
  if (!(c->a->factor > 1 && c->a->factor <= 1000))
    return plan_refuse (error, "--max-factor: expected a number above 1 up to 1000, found %g", c->a->factor);
  r->question = g_strdup (vertical ? "greatest factor on the requests of jobs that keeps the promise" : "greatest factor on the rate of arriving jobs that keeps the promise");
  r->x_name = g_strdup (vertical ? "requests ×" : "arrival rate ×");
  r->unit = 0.01;
  r->less_helps = TRUE;
  for (guint k = 0; k <= (guint) c->a->repeat; k++) {
    g_autoptr (GPtrArray) key = g_ptr_array_new_with_free_func (g_free), value = g_ptr_array_new_with_free_func (g_free);
    SimPlanAnswer *answer = sim_plan_report_add (r);

    plan_shaken (c, k, key, value);
    SimPlan plan = plan_of (c, key, value);

    if (!sim_plan_search (&plan, 100, (gint64) (c->a->factor * 100 + 0.5), 0.01, FALSE, set_factor, (gpointer) (vertical ? "request_scale" : "arrival_rate"),
                          answer->points, &answer->border, &answer->found, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- command line -------------------------------------------------------------------------------- */

static gboolean
read_conditions (PlanContext *c, GError **error)
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
check (const PlanArguments *a, GError **error)
{
  if (a->scenario == NULL)
    return plan_refuse (error, "plan: expected --scenario FILE");
  if (a->output != NULL && strcmp (a->output, "table") != 0 && strcmp (a->output, "json") != 0)
    return plan_refuse (error, "--output: expected table or json, found '%s'", a->output);
  if (a->repeat < 0 || a->repeat > 1000 || a->threads < 0)
    return plan_refuse (error, "--%s: expected a number from 0, found %d", a->threads < 0 ? "threads" : "repeat", a->threads < 0 ? a->threads : a->repeat);
  if (a->trials < 1 || a->trials > 1000)
    return plan_refuse (error, "--trials: expected a number from 1 to 1000, found %d", a->trials);
  if (a->max < 1 || a->max > 1000000)
    return plan_refuse (error, "--max-copies: expected a number from 1 to 1000000, found %d", a->max);
  return (a->pending >= 0 && a->pending < 1) || plan_refuse (error, "--pending: expected a share from 0 to 1, found %g", a->pending);
}

/* What the page tells of the inputs; the scenario's own, since every run is a variation of it. */
static void
find_origin (PlanContext *c)
{
  c->origin = (SimPlanOrigin){ .title = c->a->title,
                               .command = c->command,
                               .input = g_ptr_array_new_with_free_func (g_free),
                               .digest = g_ptr_array_new_with_free_func (g_free) };
  if (c->scenario.preset != NULL)
    c->conf = g_strdup (c->scenario.preset->text);
  else if (c->scenario.conf != NULL)
    (void) g_file_get_contents (c->scenario.conf, &c->conf, NULL, NULL);
  c->origin.configuration = c->conf;
  sim_run_inputs (&c->scenario, c->a->scenario, c->origin.input, c->origin.digest);
  if (c->a->job != NULL)
    sim_run_input (c->a->job, c->origin.input, c->origin.digest);
}

int
cmd_plan (int argc, char **argv, GError **error)
{
  static const char *const questions[] = { "nodes", "inflate", "compact", "fit", NULL };
  g_auto (PlanArguments) a = { .trials = 11, .factor = 16, .pending = 0.002, .max = 4096 };
  const GOptionEntry entries[] = {
    { "scenario", 's', 0, G_OPTION_ARG_FILENAME, &a.scenario, "What is run", "FILE" },
    { "policy-preset", 0, 0, G_OPTION_ARG_STRING, &a.preset, "Configuration that 'volsim presets' lists, in place of the scenario's", "NAME" },
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
  g_auto (PlanContext) c = { .a = &a };
  g_auto (SimPlanReport) r = { 0 };
  g_autoptr (RpFolder) folder = NULL;
  gboolean good;

  c.command = cmd_line (argc, argv);
  sim_scenario_init (&c.scenario);
  sim_plan_report_init (&r);
  vc_cache_options_init (&c.cache);
  vc_engine_options_init (&c.engine);
  g_option_context_set_description (context, "Exit status: 0 there is an answer (fit: whatever it is), 1 no setting that was tried keeps the promise, or something could not be written,\n"
                                             "2 wrong usage or input, 130 interrupted.");
  if (!cmd_parse (context, entries, &argc, &argv, error))
    return -1;
  if (argc != 2)
    return plan_refuse (error, "plan: expected one of nodes, inflate, compact, fit, found %s", argc < 2 ? "none" : "several"), -1;
  if (!g_strv_contains (questions, argv[1]))
    return plan_refuse (error, "plan: expected one of nodes, inflate, compact, fit, found '%s'", argv[1]), -1;
  if (!check (&a, error) || !sim_scenario_read (&c.scenario, a.scenario, error) || (a.preset != NULL && !sim_scenario_set_preset (&c.scenario, a.preset, error)) || !read_conditions (&c, error))
    return -1;
  if (a.out != NULL && (folder = rp_folder_claim (a.out, "plan", error)) == NULL) /* now: not after hours of search */
    return -1;
  if (c.scenario.preset != NULL && vc_preset_is_beyond (c.scenario.preset))
    fprintf (stderr, "volsim: warning: " SIM_PRESET_BEYOND "\n", c.scenario.preset->name);
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
  else
    good = plan_compact (&c, &r, error);
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
