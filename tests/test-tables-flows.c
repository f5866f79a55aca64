/* tests/test-tables-flows.c - job flows and cron jobs against recorded values: every step of their
 * controllers, and when a schedule fires. */
#include "sim/controllers/cron-step.h"
#include "sim/controllers/flow-step.h"
#include "suite.h"
#include "workloads/k8s/k8s-objects.h"
#include "workloads/text/time-zone.h"
#include <string.h>

static guint
index_of (const char *const *names, guint n, const char *text)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (names[i], text) == 0)
      return i;
  g_error ("'%s' is not known", text);
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* ---- job flows ---- */

#define STEPS_MAX 4

typedef struct {
  SimFlowStep step[STEPS_MAX];
  guint n;
  gboolean there[STEPS_MAX]; /* is there a job of that step? */
  SimJobPhase phase[STEPS_MAX];
  GPtrArray *texts, *made;
} Flow;

static const char *
job_name (Flow *f, SuiteNode *step)
{
  g_ptr_array_add (f->texts, g_strconcat ("f-", suite_text (step), NULL));
  return g_ptr_array_index (f->texts, f->texts->len - 1);
}

static void
read_flow (Flow *f, SuiteNode *steps, SuiteNode *jobs)
{
  SuiteNode *step, *target;

  *f = (Flow){ .texts = g_ptr_array_new_with_free_func (g_free), .made = g_ptr_array_new () };
  for (void *at = NULL; f->n < STEPS_MAX && (step = suite_next (steps, &at)) != NULL; f->n++) {
    SuiteNode *phase = suite_get (jobs, suite_text (suite_need (step, "name"))),
              *targets = suite_get (step, "dependsOn");
    const char **name = g_new0 (const char *, STEPS_MAX);
    guint n = 0;

    g_ptr_array_add (f->texts, name);
    if (targets != NULL && !suite_is_null (targets))
      for (void *t = NULL; (target = suite_next (targets, &t)) != NULL;)
        name[n++] = job_name (f, target);
    f->step[f->n] = (SimFlowStep){ job_name (f, suite_need (step, "name")), name, n };
    f->there[f->n] = phase != NULL;
    if (phase != NULL)
      f->phase[f->n]
          = (SimJobPhase) index_of (sim_job_phase_names, SIM_N_JOB_PHASES, suite_text (phase));
  }
}

static gboolean
find_phase (gpointer user, const char *job, SimJobPhase *phase)
{
  const Flow *f = user;

  for (guint i = 0; i < f->n; i++)
    if (f->there[i] && strcmp (f->step[i].job, job) == 0) {
      *phase = f->phase[i];
      return TRUE;
    }
  return FALSE;
}

static gboolean
note_made (gpointer user, guint step)
{
  Flow *f = user;

  g_ptr_array_add (f->made, (gpointer) f->step[step].job);
  return TRUE;
}

/* @want: texts, in this order. */
static void
check_texts (const char *what, guint row, SuiteNode *want, const GPtrArray *got)
{
  gboolean same = suite_count (want) == got->len;

  for (guint i = 0; same && i < got->len; i++)
    same = strcmp (suite_text (suite_at (want, i)), g_ptr_array_index (got, i)) == 0;
  suite_check (same, "row %u: %s: %u entries, wanted %u", row, what, got->len, suite_count (want));
}

static void
every_deployment_of_a_flow_is_as_recorded (void)
{
  static const char *const lists[SIM_N_FLOW_LISTS]
      = { "pending", "running", "failed", "completed", "terminated", "unknown" };
  g_autoptr (SuiteDoc) doc = suite_load ("jobflow-deploy.json");
  SuiteNode *flows = suite_need (suite_root (doc), "flows"),
            *rows = suite_need (suite_root (doc), "rows"), *row;
  guint i = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; i++) {
    Flow f;

    read_flow (&f, suite_at (flows, (guint) suite_int (suite_need (row, "flow"))),
               suite_need (row, "jobs"));
    const SimFlowOps ops = { &f, find_phase, note_made };
    gboolean good = sim_flow_deploy (f.step, f.n, &ops);

    suite_check (good != suite_bool (suite_need (row, "error")), "row %u: an error", i);
    check_texts ("created", i, suite_need (row, "created"), f.made);
    for (guint list = 0; list < SIM_N_FLOW_LISTS; list++) {
      g_autoptr (GPtrArray) jobs = g_ptr_array_new ();

      for (guint k = 0; k < f.n; k++)
        if (f.there[k] && sim_flow_list_of (f.phase[k]) == list)
          g_ptr_array_add (jobs, (gpointer) f.step[k].job);
      g_ptr_array_sort (jobs, compare_texts); /* the status lists them by name */
      check_texts (lists[list], i, suite_need (row, lists[list]), jobs);
    }
    g_ptr_array_unref (f.texts);
    g_ptr_array_unref (f.made);
  }
  suite_check (i == 60, "rows");
}

static void
every_phase_of_a_flow_is_as_recorded (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("jobflow-state.json");
  SuiteNode *rows = suite_need (suite_root (doc), "rows"), *row;
  guint i = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; i++) {
    SimFlowPhase phase = (SimFlowPhase) index_of (sim_flow_phase_names, SIM_N_FLOW_PHASES,
                                                  suite_text (suite_at (row, 0)));
    const guint count[SIM_N_FLOW_LISTS] = {
      [SIM_FLOW_LIST_RUNNING] = (guint) suite_int (suite_at (row, 2)),
      [SIM_FLOW_LIST_FAILED] = (guint) suite_int (suite_at (row, 3)),
      [SIM_FLOW_LIST_COMPLETED] = (guint) suite_int (suite_at (row, 4)),
      [SIM_FLOW_LIST_TERMINATED] = (guint) suite_int (suite_at (row, 5)),
    };
    gboolean synced = sim_flow_is_synced (phase);

    suite_check (synced == suite_bool (suite_at (row, 6)), "row %u: synced", i);
    if (synced)
      phase = sim_flow_next_phase (phase, (guint) suite_int (suite_at (row, 1)), count);
    suite_check (strcmp (sim_flow_phase_names[phase], suite_text (suite_at (row, 7))) == 0,
                 "row %u: %s, wanted %s", i, sim_flow_phase_names[phase],
                 suite_text (suite_at (row, 7)));
  }
  suite_check (i == 330, "rows");
}

/* ---- cron jobs: when ---- */

static gint64
read_time (SuiteNode *map, const char *key, gint64 fallback)
{
  SuiteNode *node = suite_get (map, key);
  gint64 second = 0;

  if (node == NULL)
    return fallback;
  suite_check (vc_parse_rfc3339 (suite_text (node), &second), "'%s' is a time", suite_text (node));
  return second * G_USEC_PER_SEC;
}

static gint64
read_int (SuiteNode *map, const char *key, gint64 fallback)
{
  SuiteNode *node = suite_get (map, key);

  return node != NULL ? suite_int (node) : fallback;
}

static WlCronSchedule *
read_schedule (SuiteNode *row)
{
  SuiteNode *zone = suite_get (row, "zone");
  const char *text = suite_text (suite_need (row, "schedule"));
  g_autofree char *whole = zone != NULL ? g_strdup_printf ("TZ=%s %s", suite_text (zone), text)
                                        : g_strdup (text);

  return wl_cron_schedule_parse (whole, NULL);
}

static void
times_are_as_recorded (void)
{
  static const char *const names[] = { "none", "few", "many" };
  g_autoptr (SuiteDoc) doc = suite_load ("cron-times.json");
  SuiteNode *rows = suite_need (suite_root (doc), "rows"), *row;
  guint i = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; i++) {
    g_autoptr (WlCronSchedule) schedule = read_schedule (row);
    const SimCronSpec spec = { .ns = "ns",
                               .name = "c1",
                               .schedule = schedule,
                               .created = read_time (row, "created", 0),
                               .deadline = read_int (row, "deadline", -1) };
    gint64 last = read_time (row, "last", SIM_CRON_NO_TIME), now = read_time (row, "now", 0);
    gint64 earliest, start;
    SimCronMissed missed;
    gboolean good = sim_cron_most_recent (&spec, last, now, TRUE, &earliest, &start, &missed);
    SuiteNode *job = suite_get (row, "job");

    suite_check (earliest == read_time (row, "earliest", 0), "row %u: the earliest", i);
    suite_check (good == (suite_get (row, "error") == NULL), "row %u: an error", i);
    suite_check (strcmp (names[missed], suite_text (suite_need (row, "missed"))) == 0,
                 "row %u: missed %s", i, names[missed]);
    suite_check (start == read_time (row, "start", SIM_CRON_NO_TIME), "row %u: the start", i);
    if (start != SIM_CRON_NO_TIME) {
      g_autofree char *name = sim_cron_job_name (&spec, start);

      suite_check (job != NULL && strcmp (name, suite_text (job)) == 0, "row %u: %s", i, name);
    }
    if (good)
      suite_check (sim_cron_wait (&spec, last, now) == read_int (row, "again_ms", -1) * 1000,
                   "row %u: the next look", i);
  }
  suite_check (i == 609, "rows");
}

static void
check_firings (SuiteNode *row, gint64 t)
{
  g_autoptr (WlCronSchedule) schedule = read_schedule (row);
  const char *text = suite_text (suite_need (row, "schedule"));
  SuiteNode *next;

  if (suite_get (row, "bad") != NULL) {
    suite_check (schedule == NULL, "'%s' is no schedule", text);
    return;
  }
  if (!suite_check (schedule != NULL, "'%s' is a schedule", text))
    return;
  void *n = NULL;
  while ((next = suite_next (suite_need (row, "next"), &n)) != NULL) {
    gint64 want = WL_CRON_ZERO;

    if (strcmp (suite_text (next), "never") != 0 && vc_parse_rfc3339 (suite_text (next), &want))
      want *= G_USEC_PER_SEC;
    t = wl_cron_schedule_next (schedule, t);
    suite_check (t == want, "'%s': %s", text, suite_text (next));
    if (t == WL_CRON_ZERO)
      break;
  }
}

static void
schedules_fire_as_recorded (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("cron-times.json");
  SuiteNode *rows = suite_need (suite_root (doc), "next"), *row;
  guint i = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; i++) {
    gint64 second = 0;

    suite_check (vc_parse_rfc3339 ("2026-01-30T10:15:20Z", &second), "a time");
    check_firings (row, second * G_USEC_PER_SEC);
  }
  suite_check (i == 32, "rows");
}

/* Half-hour steps, midnights that do not exist or come twice, a day that was left out. */
static void
clocks_that_change_are_followed (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("cron-zones.json");
  SuiteNode *rows = suite_need (suite_root (doc), "rows"), *row;
  guint i = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; i++)
    check_firings (row, read_time (row, "after", 0));
  suite_check (i >= 150, "rows");
}

/* In Samoa there was no 30 December 2011; upstream's search for a day after it does not end. */
static void
a_day_that_was_left_out_ends_the_search (void)
{
  g_autoptr (WlCronSchedule) schedule = wl_cron_schedule_parse ("TZ=Pacific/Apia 0 12 31 * *", NULL);
  gint64 second = 0;

  suite_check (schedule != NULL && vc_parse_rfc3339 ("2011-12-28T00:00:00Z", &second), "a schedule");
  if (schedule != NULL)
    suite_check (wl_cron_schedule_next (schedule, second * G_USEC_PER_SEC) == WL_CRON_ZERO, "no firing");
}

static void
zones_are_those_of_the_database (void)
{
  static const char *const none[] = { "Nowhere/Land", "utc+1", "../UTC", "/usr/share/zoneinfo/UTC",
                                      "zone.tab", "EST5EDT4", "+01:00", "Europe", "europe/berlin" };

  for (guint i = 0; i < G_N_ELEMENTS (none); i++) {
    g_autoptr (WlTimeZone) zone = wl_time_zone_load (none[i], NULL);

    suite_check (zone == NULL, "'%s' is no zone", none[i]);
  }
}

/* ---- cron jobs: what ---- */

#define JOBS_MAX 16

typedef struct {
  SimCronStatus status;
  SimCronChild child[JOBS_MAX];
  guint n;
  gboolean gone[JOBS_MAX];
  GPtrArray *made, *removed, *texts;
} Cron;

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (((const SimCronChild *) a)->name, ((const SimCronChild *) b)->name);
}

static gboolean
has_reference (const Cron *c, guint32 uid)
{
  for (guint i = 0; i < c->status.active->len; i++)
    if (g_array_index (c->status.active, SimCronRef, i).uid == uid)
      return TRUE;
  return FALSE;
}

static gboolean
find_job (gpointer user, const char *name, SimCronFound *out)
{
  const Cron *c = user;

  for (guint i = 0; i < c->n; i++)
    if (!c->gone[i] && strcmp (c->child[i].name, name) == 0) {
      *out = (SimCronFound){ c->child[i].uid, c->child[i].name, TRUE,
                             sim_job_phase_is_final (c->child[i].phase),
                             has_reference (c, c->child[i].uid), "c1" };
      return TRUE;
    }
  return FALSE;
}

static SimCronMade
make_job (gpointer user, const char *name, gint64 scheduled, SimCronFound *out, const char **refusal)
{
  Cron *c = user;

  if (find_job (user, name, out))
    return SIM_CRON_EXISTS;
  g_ptr_array_add (c->made, g_strdup (name));
  *out = (SimCronFound){ .uid = 100, .name = g_ptr_array_index (c->made, c->made->len - 1), .owned = TRUE };
  return SIM_CRON_MADE;
}

static void
remove_job (gpointer user, guint32 uid)
{
  Cron *c = user;

  for (guint i = 0; i < c->n; i++)
    if (c->child[i].uid == uid) {
      c->gone[i] = TRUE;
      g_ptr_array_add (c->removed, (gpointer) c->child[i].name);
    }
}

static void
no_event (gpointer user, const char *reason, const char *message)
{
}

static void
read_cron (Cron *c, SuiteNode *row)
{
  SuiteNode *job;

  *c = (Cron){ .status = { g_array_new (FALSE, FALSE, sizeof (SimCronRef)),
                           read_time (row, "last", SIM_CRON_NO_TIME), SIM_CRON_NO_TIME, TRUE },
               .made = g_ptr_array_new_with_free_func (g_free),
               .removed = g_ptr_array_new () };
  for (void *at = NULL;
       c->n < JOBS_MAX && (job = suite_next (suite_need (row, "jobs"), &at)) != NULL; c->n++) {
    SimCronRef ref = { c->n, suite_text (suite_at (job, 0)) };
    gint64 time = 0;

    suite_check (vc_parse_rfc3339 (suite_text (suite_at (job, 2)), &time), "a time");
    c->child[c->n] = (SimCronChild){ ref.uid,
                                     ref.name,
                                     (SimJobPhase) index_of (sim_job_phase_names, SIM_N_JOB_PHASES,
                                                             suite_text (suite_at (job, 1))),
                                     suite_bool (suite_at (job, 3)),
                                     time * G_USEC_PER_SEC,
                                     time * G_USEC_PER_SEC };
    if (c->child[c->n].active)
      g_array_append_val (c->status.active, ref);
  }
  qsort (c->child, c->n, sizeof *c->child, by_name);
}

static void
check_cron (guint i, SuiteNode *row)
{
  static const char *const policies[] = { "Allow", "Forbid", "Replace" };
  const char *policy = suite_text (suite_need (row, "policy"));
  g_autoptr (WlCronSchedule) schedule = read_schedule (row);
  g_autoptr (GPtrArray) active = g_ptr_array_new ();
  gint64 created = 0, wait = -1;
  gboolean changed;
  Cron c;

  suite_check (vc_parse_rfc3339 ("2026-01-01T00:20:00Z", &created), "a time");
  read_cron (&c, row);
  const SimCronSpec spec = {
    .ns = "ns",
    .name = "c1",
    .schedule = schedule,
    .created = created * G_USEC_PER_SEC,
    .deadline = read_int (row, "deadline", -1),
    .concurrency = *policy != '\0' ? (SimCronConcurrency) index_of (policies, 3, policy) : SIM_CRON_ALLOW,
    .suspend = suite_bool (suite_need (row, "suspend")),
    .keep_completed = (gint32) read_int (row, "keep_completed", -1),
    .keep_failed = (gint32) read_int (row, "keep_failed", -1),
  };
  const SimCronOps ops = { &c, find_job, make_job, remove_job, no_event };
  SimCronOutcome outcome = sim_cron_step (&spec, &c.status, c.child, c.n, read_time (row, "now", 0),
                                          &ops, &wait, &changed);

  suite_check ((outcome == SIM_CRON_FAILED) == suite_bool (suite_need (row, "error")),
               "row %u: an error", i);
  suite_check (wait == (outcome == SIM_CRON_AGAIN ? read_int (row, "again_ms", -1) * 1000 : -1),
               "row %u: the next look", i);
  suite_check ((outcome == SIM_CRON_AGAIN) == (suite_get (row, "again_ms") != NULL),
               "row %u: a next look", i);
  check_texts ("created", i, suite_need (row, "created"), c.made);
  g_ptr_array_sort (c.removed, compare_texts); /* the record has them by name */
  check_texts ("deleted", i, suite_need (row, "deleted"), c.removed);
  for (guint k = 0; k < c.status.active->len; k++)
    g_ptr_array_add (active, (gpointer) g_array_index (c.status.active, SimCronRef, k).name);
  check_texts ("active", i, suite_need (row, "active"), active);
  suite_check (c.status.last == read_time (row, "last_after", SIM_CRON_NO_TIME), "row %u: last start", i);
  suite_check (c.status.last_success == read_time (row, "last_success", SIM_CRON_NO_TIME),
               "row %u: last success", i);
  g_array_unref (c.status.active);
  g_ptr_array_unref (c.made);
  g_ptr_array_unref (c.removed);
}

static void
every_step_of_a_cron_job_is_as_recorded (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("cron-steps.json");
  SuiteNode *rows = suite_need (suite_root (doc), "rows"), *row;
  guint i = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; i++)
    check_cron (i, row);
  suite_check (i == 55, "rows");
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "every deployment of a flow is as recorded", every_deployment_of_a_flow_is_as_recorded },
    { "every phase of a flow is as recorded", every_phase_of_a_flow_is_as_recorded },
    { "schedules fire as recorded", schedules_fire_as_recorded },
    { "clocks that change are followed", clocks_that_change_are_followed },
    { "a day that was left out ends the search", a_day_that_was_left_out_ends_the_search },
    { "zones are those of the database", zones_are_those_of_the_database },
    { "times are as recorded", times_are_as_recorded },
    { "every step of a cron job is as recorded", every_step_of_a_cron_job_is_as_recorded },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("tables-flows", tests);
}
