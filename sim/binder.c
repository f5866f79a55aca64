/* sim/binder.c - mirrors the bind path of pkg/scheduler/cache/cache.go behind AddBindTask. */
#include "binder.h"
#include "chain.h"
#include "job-requests.h"
#include "kubelet.h"
#include "node-events.h"
#include "record.h"

struct SimBinder {
  GArray *batch;          /* VcBind: what came out of the channel, sorted by pod UID */
  GHashTable *failures;   /* "ns/pod" → how many of its next binds fail; for look-ups only */
};

SimBinder *
sim_binder_new (void)
{
  SimBinder *b = g_new0 (SimBinder, 1);

  b->batch = g_array_new (FALSE, FALSE, sizeof (VcBind));
  b->failures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return b;
}

void
sim_binder_free (SimBinder *b)
{
  if (b == NULL)
    return;
  g_array_unref (b->batch);
  g_hash_table_unref (b->failures);
  g_free (b);
}

void
sim_binder_fail (SimBinder *b, const char *ns_pod, guint n)
{
  g_hash_table_insert (b->failures, g_strdup (ns_pod), GUINT_TO_POINTER (n));
}

/* Does the API server refuse this bind? */
static gboolean
is_refused (SimWorld *w, guint32 pod)
{
  SimBinder *b = w->binder;

  if (g_hash_table_size (b->failures) == 0)
    return FALSE;
  g_autofree char *key = g_strconcat (w->job[w->pod[pod].job].ns, "/", sim_pod_name (w, pod), NULL);
  guint32 left = GPOINTER_TO_UINT (g_hash_table_lookup (b->failures, key));

  if (left == 0)
    return FALSE;
  sim_binder_fail (b, key, left - 1);
  return TRUE;
}

void
sim_binder_arrive (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];
  SimJob *j = &w->job[p->job];
  guint32 node = p->bind_node;

  p->bind_node = SIM_NONE;
  p->bound = w->now;
  sim_pod_place (w, pod, node);
  if (j->first_bind == SIM_NO_TIME)
    j->first_bind = w->now;
  sim_record_pod_event (w, pod, "bound", w->node[node].name);
  sim_step (w, p->job, "binder", "DefaultBinder.Bind", "pod %s to node %s: nodeName written %.6g s after its creation", sim_pod_name (w, pod),
            w->node[node].name, (double) (w->now - p->created) / (double) SIM_SECOND);
  vc_cache_pod_status (w->cache, p->task, VC_BOUND);
  vc_cache_pod_scheduled (w->cache, p->task, sim_world_second (w));
  sim_jobs_pod_updated (w, pod);
  if (!w->node[node].present)
    sim_node_lose_pod (w, pod); /* the machine went while the bind was under way */
  else
    sim_pod_accept (w, pod);
}

/* resyncTask: the pod is read again, so its task is Pending before the next cycle; its condition PodScheduled says SchedulerError. */
static void
resync_task (SimWorld *w, guint32 pod, guint32 node)
{
  sim_record_pod_event (w, pod, "bind-failed", w->node[node].name);
  sim_step (w, w->pod[pod].job, "binder", "resyncTask", "pod %s: PodScheduled=False; SchedulerError; read again as Pending", sim_pod_name (w, pod));
  vc_cache_pod_status (w->cache, w->pod[pod].task, VC_PENDING);
  sim_jobs_pod_updated (w, pod);
}

/* FALSE: it failed. */
static gboolean
bind (SimWorld *w, guint32 pod, guint32 node)
{
  if (is_refused (w, pod)) {
    sim_step (w, w->pod[pod].job, "binder", "DefaultBinder.Bind", "pod %s to node %s: error", sim_pod_name (w, pod), w->node[node].name);
    resync_task (w, pod, node);
    return FALSE;
  }
  w->pod[pod].bind_node = node;
  if (w->options.bind_latency == 0)
    sim_binder_arrive (w, pod);
  else
    sim_pod_post (w, pod, w->options.bind_latency, SIM_EVENT_POD_BIND);
  return TRUE;
}

static int
by_uid (gconstpointer a, gconstpointer b, gpointer user)
{
  const SimWorld *w = user;
  guint64 l = w->pod[w->cluster->task[((const VcBind *) a)->task].user].uid;
  guint64 r = w->pod[w->cluster->task[((const VcBind *) b)->task].user].uid;

  return l < r ? -1 : l > r;
}

guint32
sim_binder_process (SimWorld *w)
{
  GArray *channel = vc_cache_binds (w->cache), *batch = w->binder->batch;
  guint32 failed = 0;

  g_array_set_size (batch, 0);
  g_array_append_vals (batch, channel->data, channel->len);
  g_array_set_size (channel, 0);
  g_array_sort_with_data (batch, by_uid, w);
  for (guint i = 0; i < batch->len; i++) {
    const VcBind *b = &g_array_index (batch, VcBind, i);
    guint32 pod = w->cluster->task[b->task].user;

    w->pod[pod].assumed = w->now;
    sim_step (w, w->pod[pod].job, "binder", "processBindTask", "pod %s out of BindFlowChannel", sim_pod_name (w, pod));

    failed += !bind (w, pod, w->node_of_row[b->node]);
  }
  return failed;
}
