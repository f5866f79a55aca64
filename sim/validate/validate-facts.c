/* sim/validate/validate-facts.c - nodes, queues and jobs for the checks, from Kubernetes objects or from volsim's own files. */
#include "validate.h"
#include "sim/cycle/cycle.h"
#include "sim/load/load.h"
#include "workloads/native/native.h"
#include <string.h>

static SimFacts *
facts_new (VcCluster *cluster, gpointer owner, GDestroyNotify free_owner)
{
  SimFacts *f = g_new0 (SimFacts, 1);

  f->cluster = cluster;
  f->owner[0] = owner;
  f->free_owner[0] = free_owner;
  f->role = g_array_new (FALSE, FALSE, sizeof (SimFactRole));
  f->job = g_array_new (FALSE, FALSE, sizeof (SimFactJob));
  f->queue = g_array_new (FALSE, FALSE, sizeof (SimFactQueue));
  f->refused = g_array_new (FALSE, FALSE, sizeof (SimFactRefusal));
  f->text = g_string_chunk_new (4096);
  return f;
}

void
sim_facts_free (SimFacts *f)
{
  if (f == NULL)
    return;
  g_array_unref (f->role);
  g_array_unref (f->job);
  g_array_unref (f->queue);
  g_array_unref (f->refused);
  g_string_chunk_free (f->text);
  for (guint i = 0; i < G_N_ELEMENTS (f->owner); i++)
    if (f->owner[i] != NULL)
      f->free_owner[i](f->owner[i]);
  g_free (f);
}

static guint32
row_of (GHashTable *rows, const char *name)
{
  guint32 row = name != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (rows, name)) : 0;

  return row > 0 ? row - 1 : VC_NONE;
}

/* ---- objects -------------------------------------------------------------------------------- */

static void
add_group (SimFacts *f, const WlObject *o)
{
  const VcCluster *c = f->cluster;
  const VcPodGroupObject *pg = &o->pod_group;
  g_autofree char *key = g_strdup_printf ("%s/%s", pg->ns, pg->name);
  guint32 row = row_of (c->job_rows, key);
  SimFactJob job = { .file = o->file, .line = o->line, .first_role = f->role->len };

  if (row == VC_NONE || !c->job[row].has_pg)
    return;
  const VcJob *j = &c->job[row];
  job.name = j->key;
  job.queue_name = j->queue_name;
  job.queue = j->queue;
  const VcPriorityClassObject *class = j->priority_class != NULL ? g_hash_table_lookup (c->classes, j->priority_class) : NULL;

  job.priority = class != NULL ? class->value : c->default_priority; /* what a session finds when it opens */
  job.min = (guint32) MAX (j->min_available, 0);
  job.pods = j->n_tasks;
  job.preemptable = j->n_tasks == 0;
  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = &c->task[j->task[i]];
    guint32 k = job.first_role;

    job.preemptable |= t->preemptable;
    while (k < f->role->len && g_array_index (f->role, SimFactRole, k).shape != t->shape)
      k++;
    if (k == f->role->len) {
      SimFactRole role = { t->shape, f->job->len, 0 };

      g_array_append_val (f->role, role);
    }
    g_array_index (f->role, SimFactRole, k).count++;
  }
  job.n_roles = f->role->len - job.first_role;
  g_array_append_val (f->job, job);
}

SimFacts *
sim_facts_of_objects (const WlObjects *objects, GError **error)
{
  VcCacheOptions options;

  vc_cache_options_init (&options);
  VcCache *cache = sim_cycle_load (objects, &options, NULL, error);
  if (cache == NULL)
    return NULL;
  SimFacts *f = facts_new (vc_cache_cluster (cache), cache, (GDestroyNotify) vc_cache_free);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = objects->objects->len; i-- > 0;) { /* of two with one name the last counts */
    const WlObject *o = objects->objects->pdata[i];

    if (o->kind == WL_OBJECT_POD_GROUP && g_hash_table_add (seen, g_strdup_printf ("group %s/%s", o->pod_group.ns, o->pod_group.name)))
      add_group (f, o);
    if (o->kind == WL_OBJECT_QUEUE && g_hash_table_add (seen, g_strdup_printf ("queue %s", o->queue.name))) {
      SimFactQueue q = { row_of (f->cluster->queue_rows, o->queue.name), o->file, o->line };

      g_array_append_val (f->queue, q);
    }
  }
  sim_facts_judge_objects (f, objects);
  return f;
}

/* ---- files ---------------------------------------------------------------------------------- */

static void
add_job (SimFacts *f, const SimWorld *w, guint32 i, const char *file)
{
  const SimJob *j = &w->job[i];
  g_autofree char *name = g_strdup_printf ("%s/%s", j->ns, j->name);
  SimFactJob job = {
    .name = g_string_chunk_insert (f->text, name),
    .file = file,
    .line = j->line,
    .queue_name = w->queue[j->queue].name,
    .queue = row_of (f->cluster->queue_rows, w->queue[j->queue].name),
    .min = (guint32) MAX (j->min_available, 0),
    .pods = j->replicas,
    .first_role = f->role->len,
    .n_roles = j->n_roles,
    .priority = j->priority,
    .preemptable = j->preemptable != 0,
  };

  for (guint32 k = 0; k < j->n_roles; k++) {
    const SimRole *r = &w->role[j->first_role + k];
    SimFactRole role = { r->shape, f->job->len, r->replicas };

    g_array_append_val (f->role, role);
  }
  g_array_append_val (f->job, job);
}

/* Nodes and queues that come later count like the others. */
static void
add_late (const SimWorld *w)
{
  for (guint32 i = 0; i < w->n_changes; i++) {
    const SimNodeChange *n = &w->change[i];
    const VcNodeObject o = { .name = w->node[n->node].name, .allocatable = n->resources, .capacity = n->resources, .labels = n->labels, .taint = n->taint, .n_taints = n->n_taints, .annotations = n->annotations };

    if (n->event == WL_NODE_ADD)
      vc_cache_add_node (w->cache, &o);
  }
  for (guint32 i = 0; i < w->n_queue_changes; i++) {
    const SimQueueChange *q = &w->queue_change[i];
    const VcQueueObject o = { .name = w->queue[q->queue].name,
                              .parent = q->parent != NULL ? q->parent : "root",
                              .state = "Open",
                              .weight = q->weight >= 0 ? q->weight : 1,
                              .priority = MAX (q->priority, 0),
                              .reclaimable = q->reclaimable,
                              .capability = q->capability,
                              .guarantee = q->guarantee,
                              .deserved = q->deserved };

    if (row_of (w->cluster->queue_rows, o.name) == VC_NONE)
      vc_cache_add_queue (w->cache, &o);
  }
}

static gboolean
add_queue_lines (SimFacts *f, const char *path, GError **error)
{
  g_autoptr (GArray) rows = path != NULL ? wl_read_queues (path, error) : NULL;
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  if (path != NULL && rows == NULL)
    return FALSE;
  for (guint i = 0; rows != NULL && i < rows->len; i++) {
    const WlQueueRow *row = &g_array_index (rows, WlQueueRow, i);
    SimFactQueue q = { row_of (f->cluster->queue_rows, row->name), path, row->line };

    if (q.row != VC_NONE && g_hash_table_add (seen, GUINT_TO_POINTER (q.row + 1)))
      g_array_append_val (f->queue, q);
  }
  return TRUE;
}

SimFacts *
sim_facts_of_files (const SimFactFiles *files, GError **error)
{
  g_auto (SimScenario) s = { 0 };
  const char **extra = NULL;
  guint n_extra = 0;
  VcCacheOptions options;

  sim_scenario_init (&s);
  vc_cache_options_init (&options);
  s.nodes = g_strdup (files->nodes);
  s.jobs = g_strdup (files->jobs);
  s.queues = g_strdup (files->queues);
  for (guint i = 0; files->classes != NULL && files->classes[i] != NULL; i++) {
    const char *text = files->classes[i], *equals = strchr (text, '=');
    gint64 value;

    if (equals == NULL || equals == text || !g_ascii_string_to_signed (equals + 1, 10, G_MININT32, G_MAXINT32, &value, NULL)) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--priority-class: expected NAME=INTEGER, found '%s'", text);
      return NULL;
    }
    SimClass class = { g_strndup (text, (gsize) (equals - text)), value };
    g_array_append_val (s.classes, class);
  }
  SimWorld *w = sim_load_world (&s, NULL, 0, &options, &extra, &n_extra, error);
  if (w == NULL)
    return NULL;
  g_autoptr (SimFacts) f = facts_new (w->cluster, w, (GDestroyNotify) sim_world_free);
  sim_facts_judge_queues (f, w, files->queues);
  add_late (w);
  for (guint32 i = 0; i < w->n_jobs; i++)
    add_job (f, w, i, files->jobs);
  return add_queue_lines (f, files->queues, error) ? g_steal_pointer (&f) : NULL;
}
