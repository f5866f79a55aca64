/* tests/test-job-controller.c - the job controller against recorded values: from a request to an
 * action, and one step on a job in every state; and delayed actions, worked out by hand. */
#include "run-helper.h"
#include "sim/controllers/delayed-actions.h"
#include "sim/controllers/job-controller.h"
#include "sim/controllers/job-requests.h"
#include "sim/world/job-table.h"
#include "sim/world/queues.h"
#include "sim/record/record.h"
#include "suite.h"
#include "workloads/native/native.h"
#include <string.h>

#define TASKS_MAX 8
#define PODS_MAX 64

/* ---- policies ---- */

static guint
index_of (const char *const *names, guint n, const char *text)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (names[i], text) == 0)
      return i;
  g_error ("'%s' is not known", text);
}

static guint32
cause_bit (SuiteNode *node)
{
  return 1u << index_of (sim_cause_names, SIM_N_CAUSES, suite_text (node));
}

static SimPolicies
read_policies (SuiteNode *list, SimPolicy *item)
{
  SuiteNode *node, *value;
  guint n = 0;

  if (suite_is_null (list))
    return (SimPolicies){ item, 0 };
  for (void *at = NULL; n < TASKS_MAX && (node = suite_next (list, &at)) != NULL; n++) {
    item[n] = (SimPolicy){
      .action = (guint8) sim_job_action_find (suite_text (suite_need (node, "action"))),
      .timeout = SIM_NO_TIME,
    };
    if ((value = suite_get (node, "event")) != NULL)
      item[n].causes |= cause_bit (value);
    if (suite_get (node, "events") != NULL)
      for (void *e = NULL; (value = suite_next (suite_get (node, "events"), &e)) != NULL;)
        item[n].causes |= cause_bit (value);
    if ((value = suite_get (node, "exitCode")) != NULL) {
      item[n].has_exit_code = TRUE;
      item[n].exit_code = (gint32) suite_int (value);
    }
    if ((value = suite_get (node, "timeout")) != NULL)
      suite_check (wl_parse_time (suite_text (value), FALSE, &item[n].timeout, NULL), "a timeout");
  }
  return (SimPolicies){ item, n };
}

static void
every_request_becomes_the_recorded_action (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("job-policies.json");
  SuiteNode *sets = suite_need (suite_root (doc), "policies"),
            *rows = suite_need (suite_root (doc), "rows"), *row;
  guint i = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; i++) {
    SimPolicy of_job[TASKS_MAX], of_task[TASKS_MAX];
    SuiteNode *set = suite_at (sets, (guint) suite_int (suite_at (row, 0)));
    const char *task = suite_text (suite_at (row, 1)), *action = suite_text (suite_at (row, 4));
    const char *uid = suite_text (suite_at (row, 6));
    SimPolicies job = read_policies (suite_need (set, "job"), of_job);
    SimPolicies own = read_policies (suite_need (set, "task"), of_task);
    const SimRequest req = {
      .cause = (guint8) index_of (sim_cause_names, SIM_N_CAUSES, suite_text (suite_at (row, 2))),
      .exit_code = (gint32) suite_int (suite_at (row, 3)),
      .action = *action != '\0' ? (guint8) sim_job_action_find (action) : SIM_NO_ACTION,
      .version = (guint32) suite_int (suite_at (row, 5)),
    };
    SimReaction got = sim_job_policy_apply (&job, strcmp (task, "a") == 0 ? &own : NULL, &req, 1,
                                            strcmp (uid, "k") != 0);

    suite_check (strcmp (sim_job_action_names[got.action], suite_text (suite_at (row, 7))) == 0,
                 "row %u: %s, wanted %s", i, sim_job_action_names[got.action],
                 suite_text (suite_at (row, 7)));
    suite_check (got.delay == suite_int (suite_at (row, 8)) * SIM_SECOND, "row %u: delay", i);
  }
  suite_check (i >= 500, "rows");
}

/* ---- a world of one job ---- */

static const gint64 forever[] = { SIM_NEVER }, zero[] = { 0 };
static const SimRuns forever_runs = { 1, forever }, zero_runs = { 1, zero };
static const SimSchedule endless = { 1, &forever_runs }, good = { 1, &zero_runs };

typedef struct {
  char *dir;
  RpResults *results;
  SimWorld *w;
  SimRecord *record;
} World;

static World
make_world (void)
{
  static const RpResource resources[] = { { "cpu", 1000 }, { "memory", 1 } };
  const SimWorldOptions options = { .grace = 30 * SIM_SECOND };
  static SimModel model;
  VcCacheOptions cache;
  World v = { .dir = test_make_dir () };
  g_autofree char *out = g_build_filename (v.dir, "out", NULL);
  SimNode *node = g_new0 (SimNode, 1);

  vc_cache_options_init (&cache);
  sim_model_init (&model);
  v.w = sim_world_new (vc_cache_new (vc_res_names_new (NULL, 0, NULL), &cache), &cache, &options, &model);
  v.results = rp_results_new (out, resources, 2, NULL, 0, NULL);
  v.w->queue = g_new0 (SimQueue, 1);
  v.w->n_queues = 1;
  v.w->queue[0] = (SimQueue){ .name = "default",
                              .parent = "root",
                              .state = "Open",
                              .row = VC_NONE,
                              .weight = 1,
                              .running = g_new0 (double, v.w->n_res) };
  sim_queue_publish (v.w, 0);
  *node = (SimNode){ .name = "n", .row = VC_NONE, .first_pod = SIM_NONE, .present = TRUE };
  v.w->node = node;
  v.w->n_nodes = 1;
  sim_event_queue_seal (v.w->events);
  v.record = sim_record_new (v.w, v.results, 0);
  return v;
}

static void
free_world (World *v)
{
  sim_record_free (v->record);
  sim_world_free (v->w);
  rp_results_free (v->results);
  test_remove_tree (v->dir);
  g_free (v->dir);
}

static gint64
optional (SuiteNode *map, const char *key, gint64 fallback)
{
  SuiteNode *v = suite_get (map, key);

  return v != NULL && !suite_is_null (v) ? suite_int (v) : fallback;
}

static guint32
role_named (const SimWorld *w, const char *name)
{
  for (guint32 k = 0; k < w->n_roles; k++)
    if (strcmp (w->role[k].name, name) == 0)
      return k;
  return SIM_NONE;
}

static void
add_depends (SimWorld *w, SuiteNode *depends, SimTaskSpec *spec)
{
  SuiteNode *names = suite_need (depends, "name"), *name;
  guint32 *role = vc_arena_new0 (w->arena, guint32, TASKS_MAX);

  for (void *at = NULL; (name = suite_next (names, &at)) != NULL;)
    role[spec->n_depends++] = role_named (w, suite_text (name));
  spec->depends = role;
  spec->depends_on_any = suite_get (depends, "iteration") != NULL;
}

static void
add_job (SimWorld *w, SuiteNode *spec)
{
  static const VcPodSpec empty = { 0 };
  static const SimJobSpec plain = { .file = "" };
  SuiteNode *tasks = suite_need (spec, "tasks"), *task, *part;
  SimJob *j = w->job = g_new0 (SimJob, 1);

  w->n_jobs = 1;
  w->role = g_new0 (SimRole, TASKS_MAX);
  *j = sim_job_at_rest ();
  j->ns = "ns";
  j->name = "j1";
  j->spec = &plain;
  j->min_available = (gint32) suite_int (suite_need (spec, "minAvailable"));
  j->min_success = (gint32) optional (spec, "minSuccess", -1);
  j->max_retry = (guint32) suite_int (suite_need (spec, "maxRetry"));
  for (void *at = NULL; (task = suite_next (tasks, &at)) != NULL;) {
    SimTaskSpec *t = vc_arena_new0 (w->arena, SimTaskSpec, 1);

    *t = (SimTaskSpec){ .scheduler = "volcano", .grace = SIM_NO_TIME, .max_retry = 3 };
    if ((part = suite_get (task, "partitionPolicy")) != NULL)
      t->partition_size = (guint32) suite_int (suite_need (part, "partitionSize"));
    if (suite_get (task, "dependsOn") != NULL)
      add_depends (w, suite_get (task, "dependsOn"), t);
    w->role[w->n_roles++]
        = (SimRole){ .name = g_string_chunk_insert (w->text, suite_text (suite_need (task, "name"))),
                     .replicas = (guint32) suite_int (suite_need (task, "replicas")),
                     .min_available = (gint32) optional (task, "minAvailable", 0),
                     .shape = vc_shape_intern (w->cluster->shapes, &empty),
                     .duration = &endless,
                     .exit_code = &good,
                     .spec = t };
    j->replicas += w->role[w->n_roles - 1].replicas;
  }
  j->n_roles = w->n_roles;
  sim_job_begin (w, 0);
}

/* The pod "j1-ROLE-INDEX". FALSE: the job has no place for it. */
static gboolean
find_slot (const SimWorld *w, const char *pod, guint32 *role, guint32 *index)
{
  g_auto (GStrv) part = g_strsplit (pod, "-", 3);

  *role = role_named (w, part[1]);
  *index = (guint32) g_ascii_strtoull (part[2], NULL, 10);
  g_assert (*index < PODS_MAX);
  return *role != SIM_NONE;
}

static void
add_pod (SimWorld *w, guint32 role, guint32 index, SuiteNode *row)
{
  static const char *const phases[] = { "Pending", "Running", "Succeeded", "Failed" };
  static const VcPodPhase theirs[]
      = { VC_POD_PENDING, VC_POD_RUNNING, VC_POD_SUCCEEDED, VC_POD_FAILED };
  SimPodPhase phase
      = (SimPodPhase) index_of (phases, G_N_ELEMENTS (phases), suite_text (suite_at (row, 1)));
  gboolean deleting = suite_bool (suite_at (row, 2));

  w->job[0].scaled |= index >= w->role[role].replicas; /* it was more once */
  sim_role_grow (&w->role[role], index + 1);
  sim_pod_create (w, role, index);
  guint32 pod = sim_role_pod (&w->role[role], index);
  SimPod *p = &w->pod[pod];

  if (phase != SIM_POD_PENDING || deleting) {
    VcPodObject o = { .ns = "ns",
                      .name = suite_text (suite_at (row, 0)),
                      .uid = suite_text (suite_at (row, 0)),
                      .phase = theirs[phase],
                      .deleting = deleting,
                      .node = "n",
                      .scheduler_name = "volcano",
                      .start_time = VC_NO_TIME,
                      .scheduled_time = VC_NO_TIME };

    vc_cache_remove_pod (w->cache, p->task);
    p->task = vc_cache_add_pod (w->cache, &o);
    w->cluster->task[p->task].user = pod;
    sim_pod_place (w, pod, 0);
  }
  sim_pod_set (w, pod, phase, deleting);
  p->out_of_sync = suite_bool (suite_at (row, 3)) != 0;
  p->unready = suite_bool (suite_at (row, 4)) == 0;
}

static void
add_group (SimWorld *w, const char *phase)
{
  SimJob *j = &w->job[0];
  VcPodGroupObject o = { .ns = "ns", .name = "j1-0", .uid = "j1-0", .queue = "default" };

  if (*phase == '\0')
    return;
  j->pg = vc_cache_add_pod_group (w->cache, &o);
  j->has_pg = TRUE;
  j->pg_phase = VC_PG_EMPTY;
  if (strcmp (phase, "-") != 0)
    j->pg_phase = (guint8) index_of (vc_pg_phase_names, VC_PG_OTHER + 1, phase);
  w->groups[j->pg_phase]++;
}

/* ---- one step ---- */

static SimRequest
target_of (const SimWorld *w, SuiteNode *row)
{
  SuiteNode *target = suite_get (row, "target");
  SimRequest req
      = { .pod_uid = SIM_NO_POD, .role = SIM_NONE, .index = SIM_NONE, .action = SIM_NO_ACTION };

  if (target == NULL)
    return req;
  req.role = role_named (w, suite_text (suite_need (target, "task")));
  req.index = 0;
  if (strcmp (suite_text (suite_need (target, "type")), "partition") == 0)
    req.index = (guint32) g_ascii_strtoull (suite_text (suite_need (target, "partition")), NULL, 10)
                * w->role[req.role].spec->partition_size;
  else
    req.index = (guint32) g_ascii_strtoull (
        strrchr (suite_text (suite_need (target, "pod")), '-') + 1, NULL, 10);
  return req;
}

static gboolean
has_text (SuiteNode *list, const char *text)
{
  SuiteNode *item;

  for (void *at = NULL; (item = suite_next (list, &at)) != NULL;)
    if (strcmp (suite_text (item), text) == 0)
      return TRUE;
  return FALSE;
}

/* What a place for a pod held before the step. */
typedef struct {
  gboolean taken, deleting;
} Before;

static void
check_pods (const SimWorld *w, guint i, SuiteNode *row, guint64 first_new,
            Before before[TASKS_MAX][PODS_MAX])
{
  SuiteNode *created = suite_need (row, "created"), *deleted = suite_need (row, "deleted");

  for (guint32 k = 0; k < w->n_roles; k++)
    for (guint32 x = 0; x < w->role[k].n_slots; x++) {
      g_autofree char *name = g_strdup_printf ("j1-%s-%u", w->role[k].name, x);
      guint32 pod = sim_role_pod (&w->role[k], x);
      const Before *b = &before[k][x];
      gboolean fresh = pod != SIM_NONE && w->pod[pod].uid >= first_new;
      gboolean gone = b->taken && (pod == SIM_NONE || (w->pod[pod].deleting && !b->deleting));

      suite_check (fresh == has_text (created, name), "row %u: %s is made", i, name);
      suite_check (gone == has_text (deleted, name), "row %u: %s is deleted", i, name);
    }
}

static void
check_after (const SimWorld *w, guint i, SuiteNode *after)
{
  const SimJob *j = &w->job[0];
  SuiteNode *c = suite_need (after, "counts");
  const gint64 counts[] = { j->status.pending, j->status.running,     j->status.succeeded,
                            j->status.failed,  j->status.terminating, j->status.unknown };

  suite_check (strcmp (sim_job_phase_names[j->phase], suite_text (suite_need (after, "phase"))) == 0,
               "row %u: %s, wanted %s", i, sim_job_phase_names[j->phase],
               suite_text (suite_need (after, "phase")));
  suite_check (j->retry == suite_int (suite_need (after, "retry")), "row %u: retry %u", i, j->retry);
  suite_check (j->version == suite_int (suite_need (after, "version")), "row %u: version %u", i,
               j->version);
  suite_check (j->has_pg == suite_int (suite_need (after, "groups")), "row %u: PodGroup", i);
  for (guint k = 0; k < G_N_ELEMENTS (counts); k++)
    suite_check (counts[k] == suite_int (suite_at (c, k)), "row %u: counter %u is %d", i, k,
                 (int) counts[k]);
  /* the time also moves with the counts for each task, which nothing here keeps */
  if (j->changed != SIM_NO_TIME)
    suite_check (suite_bool (suite_need (after, "moved")), "row %u: the time did not move", i);
}

/* FALSE: the row holds a pod that no run can have, stamped but not deleted. */
static gboolean
check_step (guint i, SuiteNode *row, SuiteNode *spec)
{
  World v = make_world ();
  SimWorld *w = v.w;
  SuiteNode *pods = suite_need (row, "pods"), *pod;
  Before before[TASKS_MAX][PODS_MAX] = { { { 0 } } };
  gboolean possible = TRUE;
  guint32 role, index;

  add_job (w, spec);
  for (void *at = NULL; possible && (pod = suite_next (pods, &at)) != NULL;) {
    possible = find_slot (w, suite_text (suite_at (pod, 0)), &role, &index)
               && (!suite_bool (suite_at (pod, 3)) || suite_bool (suite_at (pod, 2)));
    if (!possible)
      break;
    add_pod (w, role, index, pod);
    before[role][index] = (Before){ TRUE, suite_bool (suite_at (pod, 2)) };
  }
  if (possible) {
    SimJob *j = &w->job[0];
    SuiteNode *gone = suite_get (row, "job_deleted");
    SimJobAction action = sim_job_action_find (suite_text (suite_need (row, "action")));
    guint64 first_new = w->next_uid;

    add_group (w, suite_text (suite_need (row, "group")));
    j->phase = (guint8) index_of (sim_job_phase_names, SIM_N_JOB_PHASES,
                                  suite_text (suite_need (row, "phase")));
    j->retry = (guint32) suite_int (suite_need (row, "retry"));
    j->version = 4;
    j->status = (SimJobCounts){ j->live.pending, j->live.running,     j->live.succeeded,
                                j->live.failed,  j->live.terminating, 0 };
    j->exists = (gone == NULL || !suite_bool (gone)) != 0;
    j->n_requests = 1; /* as while a request is handled: nothing of the job is cleared away */
    SimRequest req = target_of (w, row);

    suite_check (sim_job_execute (w, 0, action, &req) != suite_bool (suite_need (row, "error")),
                 "row %u: an error", i);
    check_pods (w, i, row, first_new, before);
    check_after (w, i, suite_need (row, "after"));
  }
  free_world (&v);
  return possible;
}

static void
every_step_of_the_controller_is_as_recorded (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("job-steps.json");
  SuiteNode *specs = suite_need (suite_root (doc), "specs"),
            *rows = suite_need (suite_root (doc), "rows"), *row;
  guint i = 0, done = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; i++)
    done += check_step (i, row, suite_at (specs, (guint) suite_int (suite_need (row, "spec"))));
  suite_check (i == 521 && done == 517, "%u of %u rows", done, i);
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "every request becomes the recorded action", every_request_becomes_the_recorded_action },
    { "every step of the controller is as recorded", every_step_of_the_controller_is_as_recorded },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("job-controller", tests);
}
