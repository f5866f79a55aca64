#include "cache-private.h"
#include "core/base/go-duration.h"
#include "core/conf/args.h"
#include "core/model/sub-jobs.h"
#include "core/model/claims.h"
#include <string.h>

void
vc_cache_options_init (VcCacheOptions *o)
{
  static const char *const volcano[] = { "volcano", NULL };
  *o = (VcCacheOptions) { .shard = "volcano", .default_queue = "default", .scheduler_names = volcano, .priority_class = TRUE };
}

VcCache *
vc_cache_new (VcResNames *names, const VcCacheOptions *o)
{
  VcCache *c = g_new0 (VcCache, 1);

  c->cluster = vc_cluster_new (names);
  c->devices = vc_devices_new (c->cluster);
  c->numa = vc_numa_new (c->cluster);
  c->default_queue = g_strdup (o->default_queue);
  c->scheduler_names = g_strdupv ((char **) o->scheduler_names);
  c->node_selector = g_strdupv ((char **) o->node_selector);
  c->ignored_provisioners = g_strdupv ((char **) o->ignored_provisioners);
  c->priority_class = o->priority_class;
  c->sharding = o->sharding;
  c->shard = g_strdup (o->shard);
  c->images = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, vc_cache_image_state_free);
  c->binds = g_array_new (FALSE, FALSE, sizeof (VcBind));
  c->evicts = g_array_new (FALSE, FALSE, sizeof (VcEvict));
  c->statuses = g_array_new (FALSE, FALSE, sizeof (VcStatusWrite));
  c->cluster->priorities_dirty = TRUE;
  return c;
}

void
vc_cache_free (VcCache *c)
{
  if (c == NULL)
    return;
  g_hash_table_unref (c->images);
  vc_devices_free (c->devices);
  vc_numa_free (c->numa);
  vc_cluster_free (c->cluster);
  g_free (c->default_queue);
  g_strfreev (c->scheduler_names);
  g_strfreev (c->node_selector);
  g_strfreev (c->ignored_provisioners);
  g_free (c->shard);
  g_clear_pointer (&c->shards, g_hash_table_unref);
  g_clear_pointer (&c->in_shard, g_hash_table_unref);
  g_array_unref (c->binds);
  g_array_unref (c->evicts);
  g_array_unref (c->statuses);
  g_free (c);
}

VcCluster *
vc_cache_cluster (VcCache *c)
{
  return c->cluster;
}

GArray *
vc_cache_binds (VcCache *c)
{
  return c->binds;
}

GArray *
vc_cache_evicts (VcCache *c)
{
  return c->evicts;
}

GArray *
vc_cache_statuses (VcCache *c)
{
  return c->statuses;
}

/* ---- priority classes, namespaces ----------------------------------------------------------- */

void
vc_cache_add_priority_class (VcCache *c, const VcPriorityClassObject *o)
{
  VcPriorityClassObject *copy = g_new (VcPriorityClassObject, 1);

  vc_cache_remove_priority_class (c, o->name); /* an update is a removal and an addition, also for the default (01 §18.5) */
  *copy = *o;
  copy->name = vc_cluster_intern (c->cluster, o->name);
  if (o->global_default)
    c->cluster->default_priority = o->value;
  g_hash_table_insert (c->cluster->classes, (gpointer) copy->name, copy);
  c->cluster->priorities_dirty = TRUE;
}

void
vc_cache_remove_priority_class (VcCache *c, const char *name)
{
  const VcPriorityClassObject *old = g_hash_table_lookup (c->cluster->classes, name);

  if (old == NULL)
    return;
  if (old->global_default)
    c->cluster->default_priority = 0; /* even if another default class exists (Q16) */
  g_hash_table_remove (c->cluster->classes, name);
  c->cluster->priorities_dirty = TRUE;
}

void
vc_cache_add_namespace (VcCache *c, const VcNamespaceObject *o)
{
  static const VcPairs no_annotations = { 0 };

  g_hash_table_insert (c->cluster->namespaces, (gpointer) vc_cluster_intern (c->cluster, o->name),
                       (gpointer) vc_cluster_meta (c->cluster, &o->labels, &no_annotations));
}

void
vc_cache_add_config_map (VcCache *c, const VcConfigMapObject *o)
{
  vc_devices_add_config_map (c->devices, o);
}

void
vc_cache_add_numatopology (VcCache *c, const VcNumatopologyObject *o)
{
  vc_numa_set (c->numa, vc_node_row (c->cluster, o->name), o);
}

/* ---- queues --------------------------------------------------------------------------------- */

static guint32
find_queue (const VcCluster *c, const char *name)
{
  guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (c->queue_rows, name));
  return row > 0 ? row - 1 : VC_NONE;
}

/* Jobs name their queue by text: link them when it comes, cut them off when it goes. */
static void
link_jobs (VcCluster *c, const char *name, guint32 row)
{
  const char *text = vc_cluster_intern (c, name);

  for (guint32 i = 0; i < c->n_job_order; i++) {
    VcJob *j = &c->job[c->job_order[i]];
    if (j->has_pg && j->queue_name == text && j->queue != row) {
      j->queue = row;
      if (row != VC_NONE)
        c->queue[row].n_jobs++;
    }
  }
}

/* A copy with the names interned, in one block. NULL when there is nothing. */
static VcNodeGroups *
keep_groups (VcCluster *c, const VcNodeGroups *from)
{
  const VcNames *const list[] = { &from->required, &from->preferred, &from->anti_required, &from->anti_preferred };
  gsize n = 0;

  if (!from->given)
    return NULL;
  for (guint k = 0; k < G_N_ELEMENTS (list); k++)
    n += list[k]->n;
  VcNodeGroups *to = g_malloc0 (sizeof *to + n * sizeof (char *));
  VcNames *const copy[] = { &to->required, &to->preferred, &to->anti_required, &to->anti_preferred };
  const char **name = (const char **) (gpointer) (to + 1);
  to->given = TRUE;
  for (guint k = 0; k < G_N_ELEMENTS (list); k++) {
    *copy[k] = (VcNames) { name, list[k]->n };
    for (guint i = 0; i < list[k]->n; i++)
      *name++ = vc_cluster_intern (c, list[k]->item[i]);
  }
  return to;
}

guint32
vc_cache_add_queue (VcCache *cache, const VcQueueObject *o)
{
  VcCluster *c = cache->cluster;
  gboolean fresh = find_queue (c, o->name) == VC_NONE;
  guint32 row = vc_queue_row (c, o->name);
  VcQueue *q = &c->queue[row];

  static const VcPairs no_labels = { 0 };
  q->meta = vc_cluster_meta (c, &no_labels, &o->annotations); /* the old one stays: plugins know by the pointer whether they have read it */
  q->parent = vc_cluster_intern (c, o->parent != NULL ? o->parent : "");
  q->state = vc_cluster_intern (c, o->state != NULL ? o->state : "");
  q->created = o->created;
  q->weight = o->weight;
  q->priority = o->priority;
  q->reclaimable = o->reclaimable != 0;
  q->has_capability = o->capability.n > 0;
  vc_res_clear (q->capability);
  vc_res_clear (q->deserved);
  vc_res_clear (q->guarantee);
  vc_amounts_add (&o->capability, c->names, q->capability);
  vc_amounts_add (&o->deserved, c->names, q->deserved);
  vc_amounts_add (&o->guarantee, c->names, q->guarantee);
  g_free (q->groups);
  q->groups = keep_groups (c, &o->groups);
  vc_device_quota_free (q->devices);
  q->devices = vc_device_quota_new (c, &o->capability, &o->deserved, &o->guarantee);
  if (fresh)
    link_jobs (c, o->name, row);
  return row;
}

void
vc_cache_remove_queue (VcCache *cache, const char *name)
{
  VcCluster *c = cache->cluster;
  guint32 row = find_queue (c, name);

  if (row == VC_NONE)
    return;
  link_jobs (c, name, VC_NONE);
  vc_queue_free (c, row);
}

void
vc_cache_set_queue_state (VcCache *c, guint32 queue, const char *state)
{
  c->cluster->queue[queue].state = vc_cluster_intern (c->cluster, state);
}

/* ---- PodGroups ------------------------------------------------------------------------------ */

static guint8
phase_of (const char *text)
{
  if (text == NULL || *text == '\0')
    return VC_PG_EMPTY;
  for (guint i = VC_PG_PENDING; i < VC_PG_OTHER; i++)
    if (strcmp (text, vc_pg_phase_names[i]) == 0)
      return (guint8) i;
  return VC_PG_OTHER;
}

/* The first annotation that is a positive duration, in nanoseconds; 0: none. */
static gint64
waiting_time (const VcPairs *annotations)
{
  static const char *const keys[] = { "volcano.sh/sla-waiting-time", "sla-waiting-time" };

  for (guint k = 0; k < G_N_ELEMENTS (keys); k++) {
    const char *text = vc_pairs_get (annotations, keys[k]);
    gint64 ns;

    if (text != NULL && vc_go_duration_parse (text, &ns) && ns > 0)
      return ns;
  }
  return 0;
}

gboolean
vc_cache_read_preemptable (const VcPairs *annotations, const VcPairs *labels, gboolean fallback)
{
  const char *text = vc_pairs_get (annotations, "volcano.sh/preemptable");
  gboolean value = FALSE;

  if (text == NULL)
    text = vc_pairs_get (labels, "volcano.sh/preemptable");
  if (text == NULL)
    return fallback;
  return vc_parse_bool (text, &value) && value;
}

gboolean
vc_cache_read_revocable (const VcPairs *annotations)
{
  const char *zone = vc_pairs_get (annotations, "volcano.sh/revocable-zone");
  const char *text = vc_pairs_get (annotations, "volcano.sh/preemptable");
  gboolean value = FALSE;

  if (zone != NULL)
    return strcmp (zone, "*") == 0;
  return text != NULL && vc_parse_bool (text, &value) && value;
}

static void
set_role_minimums (VcCluster *c, guint32 row, const VcPodGroupObject *o)
{
  for (guint i = 0; i < c->job[row].n_roles; i++)
    c->job[row].role[i].min = -1;
  c->job[row].role_min_total = 0;
  for (guint i = 0; i < o->n_role_mins; i++) {
    guint32 r = vc_job_role (c, row, o->role_min[i].role);
    c->job[row].role[r].min = o->role_min[i].min;
    c->job[row].role_min_total += o->role_min[i].min;
  }
}

static void
set_conditions (VcCluster *c, VcJob *j, const VcPodGroupObject *o)
{
  for (guint i = 0; i < j->n_conds; i++)
    g_free (j->cond[i].message);
  j->cond = g_renew (VcCondition, j->cond, o->n_conditions);
  j->n_conds = o->n_conditions;
  for (guint i = 0; i < o->n_conditions; i++)
    j->cond[i] = (VcCondition) { .type = vc_cluster_intern (c, o->condition[i].type != NULL ? o->condition[i].type : ""),
                                 .status = vc_cluster_intern (c, o->condition[i].status != NULL ? o->condition[i].status : ""),
                                 .reason = vc_cluster_intern (c, o->condition[i].reason != NULL ? o->condition[i].reason : ""),
                                 .message = g_strdup (o->condition[i].message) };
}

/* What of the spec may change while the PodGroup lives. */
static void
set_demands (VcCluster *c, guint32 row, const VcPodGroupObject *o)
{
  VcJob *j = &c->job[row];
  int ephemeral = vc_res_names_find (c->names, "ephemeral-storage");

  j->priority_class = vc_cluster_intern (c, o->priority_class);
  j->min_available = o->min_member;
  set_role_minimums (c, row, o);
  j->has_min_resources = o->min_resources.given;
  vc_res_clear (j->min_resources);
  vc_amounts_add (&o->min_resources, c->names, j->min_resources);
  j->min_list = vc_cluster_amounts (c, &o->min_resources);
  j->min_names = 0;
  for (guint i = 0; i < o->min_resources.n; i++) {
    int d = vc_res_names_find (c->names, o->min_resources.item[i].name);
    if (d >= 0 && d != ephemeral)
      j->min_names |= G_GUINT64_CONSTANT (1) << d;
  }
  c->priorities_dirty = TRUE;
}

void
vc_cache_update_pod_group (VcCache *cache, guint32 job, const VcPodGroupObject *o)
{
  const VcJob *j = &cache->cluster->job[job];

  set_demands (cache->cluster, job, o);
  vc_sub_jobs_refresh (j);
  vc_step (cache->cluster, "UpdatePodGroupV1beta1", job, VC_NONE, "PodGroup %s: minMember %d; phase %s", j->key, j->min_available,
           vc_step_text (j->phase_text));
}

void
vc_cache_pod_group_phase (VcCache *cache, guint32 job, VcPgPhase phase)
{
  VcJob *j = &cache->cluster->job[job];

  j->phase = (guint8) phase;
  j->phase_text = vc_cluster_intern (cache->cluster, vc_pg_phase_names[phase]);
  vc_step (cache->cluster, "UpdatePodGroupV1beta1", job, VC_NONE, "PodGroup %s: phase %s", j->key, j->phase_text);
}

guint32
vc_cache_add_pod_group (VcCache *cache, const VcPodGroupObject *o)
{
  VcCluster *c = cache->cluster;
  g_autofree char *key = g_strconcat (o->ns, "/", o->name, NULL);
  guint32 row = vc_job_row (c, key, o->ns);
  VcJob *j = &c->job[row];
  const char *queue = o->queue != NULL && *o->queue != '\0' ? o->queue : cache->default_queue;

  if (j->has_pg && j->queue != VC_NONE)
    c->queue[j->queue].n_jobs--;
  j->has_pg = TRUE;
  j->queue_name = vc_cluster_intern (c, queue);
  j->queue = find_queue (c, queue);
  if (j->queue != VC_NONE)
    c->queue[j->queue].n_jobs++;
  const VcMeta *before = j->meta;
  j->meta = vc_cluster_meta (c, &o->labels, &o->annotations);
  vc_cluster_drop_meta (c, before);
  j->created = o->created;
  j->preemptable = vc_cache_read_preemptable (&o->annotations, &o->labels, FALSE);
  j->preemptable_given = vc_pairs_get (&o->annotations, "volcano.sh/preemptable") != NULL || vc_pairs_get (&o->labels, "volcano.sh/preemptable") != NULL;
  j->revocable = vc_cache_read_revocable (&o->annotations);
  j->waiting_time_ns = waiting_time (&o->annotations);
  j->phase = phase_of (o->phase);
  j->phase_text = vc_cluster_intern (c, o->phase != NULL ? o->phase : "");
  set_demands (c, row, o);
  vc_sub_jobs_set (c, row, o);
  set_conditions (c, j, o);
  vc_step (c, "AddPodGroupV1beta1", row, VC_NONE, "PodGroup %s: minMember %d; queue %s; phase %s", j->key, j->min_available, queue, vc_step_text (j->phase_text));
  return row;
}

void
vc_cache_remove_pod_group (VcCache *cache, guint32 row)
{
  VcCluster *c = cache->cluster;
  VcJob *j = &c->job[row];

  if (j->has_pg && j->queue != VC_NONE)
    c->queue[j->queue].n_jobs--;
  vc_step (c, "DeletePodGroupV1beta1", row, VC_NONE, "PodGroup %s", j->key);
  j->has_pg = FALSE;
  j->queue = VC_NONE;
  vc_sub_jobs_drop (c, row);
  if (j->n_tasks == 0)
    vc_job_free (c, row);
}

/* ---- writes of a session -------------------------------------------------------------------- */

void
vc_cache_write_status (VcCache *c, guint32 job)
{
  VcStatusWrite w = { job, c->cluster->job[job].phase };
  g_array_append_val (c->statuses, w);
}

void
vc_cache_image_state_free (gpointer p)
{
  VcImageState *s = p;
  g_hash_table_unref (s->nodes);
  g_free (s);
}
