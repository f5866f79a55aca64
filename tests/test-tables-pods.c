/* tests/test-tables-pods.c - what the engine reads out of a pod and a pod group, against recorded
 * values: request, status, role, priority, preemptability, waiting time; and the default order of
 * two tasks. */
#include "core/cache/cache.h"
#include "core/session/session.h"
#include "json-doc.h"
#include "sim/cycle/cycle.h"
#include "suite.h"
#include <math.h>
#include <string.h>

typedef struct {
  VcArena *arena;
  char *text;
  const Jd *root;
} Table;

static void
table_load (Table *t, const char *path)
{
  gsize size;

  t->arena = vc_arena_new ();
  t->text = suite_read (path, &size);
  t->root = jd_parse (t->arena, t->text, size, NULL);
  suite_check (t->root != NULL, "%s is JSON", path);
}

static void
table_clear (Table *t)
{
  g_clear_pointer (&t->arena, vc_arena_free);
  g_clear_pointer (&t->text, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Table, table_clear)

static char *
raw (const Jd *v)
{
  return jd_is_null (v) ? g_strdup ("{}") : jd_dup_raw (v);
}

static WlObjects *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  WlObjects *o = wl_objects_parse (text, strlen (text), "test", &error);

  suite_check (o != NULL, "%s: %s", error != NULL ? error->message : "", text);
  return o;
}

static const WlObject *
object_at (const WlObjects *o, guint i)
{
  return g_ptr_array_index (o->objects, i);
}

static VcCache *
new_cache (const WlObjects *objects)
{
  g_auto (GStrv) names = sim_cycle_resource_names (objects);
  VcCacheOptions options;
  g_autoptr (GError) error = NULL;
  VcResNames *res = vc_res_names_new ((const char *const *) names, g_strv_length (names), &error);

  suite_check (res != NULL, "resource names");
  vc_cache_options_init (&options);
  return vc_cache_new (res, &options);
}

/* ---- requests ---- */

static void
check_vector (const char *what, guint row, const Jd *want, const VcRes *got,
              const VcResNames *names)
{
  const Jd *scalars = jd_get (want, "scalars");
  guint present = 0;

  suite_check (got->v[VC_RES_CPU] == jd_number (jd_get (want, "cpu"), -1), "row %u, %s: cpu %g",
               row, what, got->v[VC_RES_CPU]);
  suite_check (got->v[VC_RES_MEMORY] == jd_number (jd_get (want, "memory"), -1),
               "row %u, %s: memory %g", row, what, got->v[VC_RES_MEMORY]);
  for (guint i = 0; scalars != NULL && i < scalars->n; i++) {
    int d = vc_res_names_find (names, scalars->key[i]);
    gboolean has = d >= 0 && vc_res_has (got, (guint) d);

    suite_check (has && got->v[d] == scalars->child[i]->number, "row %u, %s: %s is %g", row, what,
                 scalars->key[i], has ? got->v[d] : -1);
  }
  for (guint d = VC_RES_FIRST_SCALAR; d < got->n; d++)
    present += vc_res_has (got, d);
  suite_check (present == (scalars != NULL ? scalars->n : 0), "row %u, %s: %u scalars", row, what,
               present);
}

static void
requests_are_as_recorded (void)
{
  g_auto (Table) t = { 0 };
  const Jd *rows;

  table_load (&t, "tables/pod-requests.json");
  rows = jd_get (t.root, "rows");
  suite_check (rows->n >= 12, "rows");
  for (guint i = 0; i < rows->n; i++) {
    const Jd *row = rows->child[i];
    g_autofree char *spec = raw (jd_get (row, "spec"));
    g_autofree char *text = g_strdup_printf (
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\","
        "\"uid\":\"u\"},\"spec\":%s}",
        spec);
    g_autoptr (WlObjects) o = parse (text);
    g_autoptr (VcCache) cache = o != NULL ? new_cache (o) : NULL;
    VcCluster *c;
    const VcShape *shape;

    if (o == NULL)
      continue;
    c = vc_cache_cluster (cache);
    VC_RES_LOCAL (request, c->n_res);
    vc_pod_request (&object_at (o, 0)->pod.spec, c->names, FALSE, request);
    check_vector ("request", i, jd_get (row, "request"), request, c->names);
    vc_pod_request (&object_at (o, 0)->pod.spec, c->names, TRUE, request);
    check_vector ("without init containers", i, jd_get (row, "without_init"), request, c->names);
    shape = vc_shape_intern (c->shapes, &object_at (o, 0)->pod.spec);
    check_vector ("shape", i, jd_get (row, "request"), shape->request, c->names);
    suite_check (shape->best_effort == (jd_number (jd_get (row, "best_effort"), -1) > 0),
                 "row %u: best effort", i);
  }
}

/* ---- status ---- */

static void
the_status_follows_phase_deletion_and_node (void)
{
  g_auto (Table) t = { 0 };
  const Jd *rows;

  table_load (&t, "tables/task-status.json");
  rows = jd_get (t.root, "rows");
  suite_check (rows->n >= 28, "rows");
  for (guint i = 0; i < rows->n; i++) {
    const Jd *row = rows->child[i];
    g_autofree char *text = g_strdup_printf (
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\","
        "\"uid\":\"u\",%s"
        "\"annotations\":{\"scheduling.k8s.io/"
        "group-name\":\"g\"}},\"spec\":{\"containers\":[{\"name\":\"c\"}]%s},\"status\":{\"phase\":"
        "\"%s\"}}",
        row->child[1]->number > 0 ? "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"," : "",
        row->child[2]->number > 0 ? ",\"nodeName\":\"n1\"" : "", row->child[0]->string);
    g_autoptr (WlObjects) o = parse (text);
    g_autoptr (VcCache) cache = o != NULL ? new_cache (o) : NULL;
    guint32 task;

    if (o == NULL)
      continue;
    task = vc_cache_add_pod (cache, &object_at (o, 0)->pod);
    if (suite_check (task != VC_NONE, "row %u: the pod enters", i)) {
      const char *got = vc_status_names[vc_task (vc_cache_cluster (cache), task)->status];

      suite_check (strcmp (got, row->child[3]->string) == 0, "row %u: %s", i, got);
    }
  }
}

/* ---- annotations and labels ---- */

/* @annotations with the group's name in it. */
static char *
with_group (const Jd *annotations)
{
  g_autofree char *text = raw (annotations);

  if (jd_is_null (annotations) || annotations->n == 0)
    return g_strdup ("{\"scheduling.k8s.io/group-name\":\"g\"}");
  return g_strdup_printf ("{\"scheduling.k8s.io/group-name\":\"g\",%s", text + 1);
}

static void
check_task_fields (guint i, const Jd *want, const VcCluster *c, guint32 row)
{
  const VcTask *task = vc_task (c, row);
  const VcJob *job = vc_job (c, task->job);

  suite_check (task->preemptable == (jd_number (jd_get (want, "preemptable"), -1) > 0),
               "row %u: task preemptable", i);
  suite_check (task->priority == (gint32) jd_number (jd_get (want, "priority"), -1),
               "row %u: priority %d", i, task->priority);
  suite_check (strcmp (job->role[task->role].name, jd_text (jd_get (want, "role"), "?")) == 0,
               "row %u: role '%s'", i, job->role[task->role].name);
  suite_check (task->revocable == (strcmp (jd_text (jd_get (want, "zone"), "?"), "*") == 0),
               "row %u: task zone", i);
}

static void
check_job_fields (guint i, const Jd *want, const VcJob *job)
{
  double seconds = jd_number (jd_get (want, "waiting_s"), -1);

  suite_check (job->preemptable == (jd_number (jd_get (want, "preemptable"), -1) > 0),
               "row %u: job preemptable", i);
  suite_check (job->revocable == (strcmp (jd_text (jd_get (want, "zone"), "?"), "*") == 0),
               "row %u: job zone", i);
  suite_check (fabs ((double) job->waiting_time_ns - MAX (seconds, 0) * 1e9) < 1,
               "row %u: waiting time %" G_GINT64_FORMAT, i, job->waiting_time_ns);
}

static void
annotations_and_labels_mean_what_they_meant (void)
{
  g_auto (Table) t = { 0 };
  const Jd *rows;

  table_load (&t, "tables/task-status.json");
  rows = jd_get (t.root, "metadata");
  suite_check (rows->n >= 70, "rows");
  for (guint i = 0; i < rows->n; i++) {
    const Jd *row = rows->child[i], *priority = jd_get (row, "priority");
    g_autofree char *annotations = raw (jd_get (row, "annotations")),
                    *labels = raw (jd_get (row, "labels"));
    g_autofree char *grouped = with_group (jd_get (row, "annotations")), *value = raw (priority);
    g_autofree char *text = g_strdup_printf (
        "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":["
        "{\"apiVersion\":\"scheduling.volcano.sh/"
        "v1beta1\",\"kind\":\"PodGroup\",\"metadata\":{\"name\":\"g\",\"namespace\":\"ns\","
        "\"annotations\":%s,\"labels\":%s},\"spec\":{\"minMember\":1}},"
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\","
        "\"uid\":\"u\",\"annotations\":%s,"
        "\"labels\":%s},\"spec\":{\"containers\":[{\"name\":\"c\"}]%s%s},\"status\":{\"phase\":"
        "\"Pending\"}}]}",
        annotations, labels, grouped, labels,
        jd_is_null (priority) ? "" : ",\"priority\":", jd_is_null (priority) ? "" : value);
    g_autoptr (WlObjects) o = parse (text);
    g_autoptr (VcCache) cache = o != NULL ? new_cache (o) : NULL;
    guint32 job, task;

    if (o == NULL)
      continue;
    job = vc_cache_add_pod_group (cache, &object_at (o, 0)->pod_group);
    task = vc_cache_add_pod (cache, &object_at (o, 1)->pod);
    if (!suite_check (task != VC_NONE, "row %u: the pod enters", i))
      continue;
    check_task_fields (i, jd_get (row, "task"), vc_cache_cluster (cache), task);
    check_job_fields (i, jd_get (row, "job"), vc_job (vc_cache_cluster (cache), job));
  }
}

/* ---- order ---- */

static guint32
add_named (VcCache *cache, const char *name, const char *uid, double created)
{
  static const VcPair group[] = { { "scheduling.k8s.io/group-name", "g" } };
  VcPodObject pod = {
    .ns = "ns",
    .name = name,
    .uid = uid,
    .annotations = { group, 1 },
    .created = (gint64) created,
    .phase = VC_POD_PENDING,
    .start_time = VC_NO_TIME,
  };

  return vc_cache_add_pod (cache, &pod);
}

static void
two_tasks_are_ordered_as_recorded (void)
{
  g_auto (Table) t = { 0 };
  const Jd *rows;

  table_load (&t, "tables/task-order.json");
  rows = jd_get (t.root, "rows");
  suite_check (rows->n >= 700, "rows");
  for (guint i = 0; i < rows->n; i++) {
    Jd *const *cell = rows->child[i]->child;
    g_autoptr (VcCache) cache = NULL;
    VcCacheOptions options;
    VcCluster *c;
    guint32 left, right;

    vc_cache_options_init (&options);
    cache = vc_cache_new (vc_res_names_new (NULL, 0, NULL), &options);
    left = add_named (cache, cell[0]->string, cell[4]->string, cell[2]->number);
    right = add_named (cache, cell[1]->string, cell[5]->string, cell[3]->number);
    c = vc_cache_cluster (cache);
    suite_check (vc_task_default_less (vc_task (c, left), vc_task (c, right))
                     == (cell[6]->number > 0),
                 "row %u: %s (%g, %s) before %s (%g, %s)", i, cell[0]->string, cell[2]->number,
                 cell[4]->string, cell[1]->string, cell[3]->number, cell[5]->string);
  }
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "requests of pods are as recorded", requests_are_as_recorded },
    { "the status follows phase, deletion and node", the_status_follows_phase_deletion_and_node },
    { "annotations and labels mean what they meant", annotations_and_labels_mean_what_they_meant },
    { "two tasks are ordered as recorded", two_tasks_are_ordered_as_recorded },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("tables-pods", tests);
}
