/* tests/test-tables-gang.c - counters and gang tests of a job, against recorded values. */
#include "core/cache/cache.h"
#include "core/model/cluster-ops.h"
#include "suite.h"
#include <string.h>

static VcStatus
status_named (const char *name)
{
  for (int s = 0; s < VC_N_STATUS; s++)
    if (strcmp (vc_status_names[s], name) == 0)
      return (VcStatus) s;
  g_error ("no status '%s'", name);
}

static int
compare_roles (gconstpointer a, gconstpointer b)
{
  return strcmp (((const VcRoleMin *) a)->role, ((const VcRoleMin *) b)->role);
}

static guint32
add_job (VcCache *cache, SuiteNode *row)
{
  g_autoptr (GArray) roles = g_array_new (FALSE, FALSE, sizeof (VcRoleMin));
  SuiteNode *given = suite_get (row, "roles"), *value;
  const char *role;
  VcPodGroupObject group = {
    .ns = "ns",
    .name = "g",
    .uid = "pg",
    .created = VC_NO_TIME,
    .min_member = (gint32) suite_int (suite_need (row, "min")),
    .phase = "Inqueue",
  };

  if (given != NULL && !suite_is_null (given))
    for (void *at = NULL; (value = suite_next_pair (given, &at, &role)) != NULL;) {
      VcRoleMin m = { role, (gint32) suite_int (value) };

      g_array_append_val (roles, m);
    }
  g_array_sort (roles, compare_roles);
  group.role_min = (const VcRoleMin *) (void *) roles->data;
  group.n_role_mins = roles->len;
  return vc_cache_add_pod_group (cache, &group);
}

static void
add_task (VcCache *cache, guint32 node, SuiteNode *cells, guint i)
{
  const VcAmount cpu = { "cpu", { 1, 1000 } };
  const VcContainer container = { .name = "c",
                                  .request = { suite_bool (suite_at (cells, 2)) ? NULL : &cpu,
                                               suite_bool (suite_at (cells, 2)) ? 0 : 1, TRUE } };
  const VcPair annotations[] = { { "scheduling.k8s.io/group-name", "g" },
                                 { "volcano.sh/task-spec", suite_text (suite_at (cells, 0)) } };
  g_autofree char *name = g_strdup_printf ("p%02u", i);
  VcPodObject pod = {
    .ns = "ns",
    .name = name,
    .uid = name,
    .annotations = { annotations, G_N_ELEMENTS (annotations) },
    .created = VC_NO_TIME,
    .start_time = VC_NO_TIME,
    .phase = VC_POD_PENDING,
    .spec = { .container = &container, .n_containers = 1 },
  };
  guint32 task = vc_cache_add_pod (cache, &pod);

  suite_check (task != VC_NONE, "the pod enters");
  vc_task_move (vc_cache_cluster (cache), task, status_named (suite_text (suite_at (cells, 1))),
                suite_bool (suite_at (cells, 3)) ? node : VC_NONE);
}

static void
check_vector (guint i, const char *what, SuiteNode *want, const VcRes *got, const VcResNames *names)
{
  SuiteNode *scalars = suite_get (want, "scalars");
  SuiteNode *pods = scalars != NULL ? suite_get (scalars, "pods") : NULL;

  suite_check (got->v[VC_RES_CPU] == suite_number (suite_need (want, "cpu")), "row %u: %s cpu %g",
               i, what, got->v[VC_RES_CPU]);
  suite_check (got->v[VC_RES_MEMORY] == suite_number (suite_need (want, "memory")),
               "row %u: %s memory", i, what);
  suite_check (got->v[vc_res_names_pods (names)] == (pods != NULL ? suite_number (pods) : 0),
               "row %u: %s pods %g", i, what, got->v[vc_res_names_pods (names)]);
}

#define CHECK_NUMBER(row, i, key, got)                                                             \
  suite_check ((gint64) (got) == suite_int (suite_need (row, key)),                                \
               "row %u: %s is %" G_GINT64_FORMAT, i, key, (gint64) (got))
#define CHECK_TEST(row, i, key, got)                                                               \
  suite_check (!!(got) == suite_bool (suite_need (row, key)), "row %u: %s", i, key)

static void
counters_and_gang_tests_are_as_recorded (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("gang-checks.json");
  SuiteNode *rows = suite_need (suite_root (doc), "rows"), *row, *cells;
  guint i = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; i++) {
    g_autoptr (VcCache) cache = NULL;
    VcCacheOptions options;
    VcCluster *c;
    const VcJob *j;
    guint32 job, node, n = 0;

    vc_cache_options_init (&options);
    cache = vc_cache_new (vc_res_names_new (NULL, 0, NULL), &options);
    c = vc_cache_cluster (cache);
    node = vc_node_row (c, "n1");
    job = add_job (cache, row);
    for (void *k = NULL; (cells = suite_next (suite_need (row, "tasks"), &k)) != NULL;)
      add_task (cache, node, cells, n++);
    j = &c->job[job];
    CHECK_NUMBER (row, i, "ready", vc_job_ready_num (j));
    CHECK_NUMBER (row, i, "waiting", j->count[VC_PIPELINED]);
    CHECK_NUMBER (row, i, "valid", vc_job_valid_num (j));
    CHECK_NUMBER (row, i, "scheduled", vc_job_scheduled_num (j));
    CHECK_NUMBER (row, i, "allocated", vc_job_allocated_num (j));
    CHECK_NUMBER (row, i, "pending_best_effort", j->pending_best_effort);
    CHECK_NUMBER (row, i, "releasing_scheduled", j->releasing_placed);
    CHECK_TEST (row, i, "is_ready", vc_job_is_ready (j));
    CHECK_TEST (row, i, "is_pipelined", vc_job_is_pipelined (j));
    CHECK_TEST (row, i, "is_starving", vc_job_is_starving (j));
    CHECK_TEST (row, i, "roles_valid", vc_job_roles_valid (j));
    CHECK_TEST (row, i, "roles_ready", vc_job_roles_ready (j));
    CHECK_TEST (row, i, "roles_pipelined", vc_job_roles_pipelined (j));
    CHECK_TEST (row, i, "roles_starving", vc_job_roles_starving (j));
    check_vector (i, "total", suite_need (row, "total"), j->total, c->names);
    check_vector (i, "held", suite_need (row, "held"), j->allocated, c->names);
  }
  suite_check (i >= 200, "rows");
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "counters and gang tests are as recorded", counters_and_gang_tests_are_as_recorded },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("tables-gang", tests);
}
