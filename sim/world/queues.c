/* sim/world/queues.c - queue objects of the simulated cluster. */
#include "queues.h"
#include "cluster-objects.h"
#include "views.h"
#include "sim/controllers/queue-controller.h"
#include "sim/record/record.h"
#include "workloads/admission/admission.h"
#include <string.h>

/* ---- the objects ----------------------------------------------------------------------------- */

static VcQueueObject
object_of (const SimQueue *q)
{
  return (VcQueueObject){ .name = q->name,
                          .parent = q->parent,
                          .state = q->state,
                          .annotations = q->annotations,
                          .created = q->created,
                          .weight = q->weight,
                          .priority = q->priority,
                          .reclaimable = q->reclaimable,
                          .capability = q->capability,
                          .guarantee = q->guarantee,
                          .deserved = q->deserved,
                          .groups = q->groups };
}

/* What has been said of the queue is forgotten. */
void
sim_queue_reset (SimWorld *w, guint32 queue)
{
  SimQueue *q = &w->queue[queue];

  q->row = VC_NONE;
  q->weight = 1;
  q->priority = 0;
  q->reclaimable = strcmp (q->name, "root") != 0;
  q->parent = strcmp (q->name, "root") == 0 ? "" : "root";
  q->state = "Open";
  q->created = w->options.epoch;
  q->closed_by_parent = -1;
  q->capability = q->guarantee = q->deserved = (VcAmounts){ 0 };
  q->groups = (VcNodeGroups){ 0 };
  q->annotations = (VcPairs){ 0 };
}

void
sim_queue_publish (SimWorld *w, guint32 queue)
{
  VcQueueObject o = object_of (&w->queue[queue]);

  SIM_EACH_VIEW (w, back)
    w->queue[queue].row = vc_cache_add_queue (w->cache, &o);
  sim_record_quota (w, queue);
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Every queue that exists, by name, with the pods that its status tells of: those of the last cycle. */
static GArray *
states_of (const SimWorld *w)
{
  GArray *all = g_array_new (FALSE, TRUE, sizeof (WlQueueState));
  guint pods = vc_res_names_pods (w->cluster->names);

  for (guint32 i = 0; i < w->n_queues; i++) {
    const SimQueue *q = &w->queue[i];

    if (q->row == VC_NONE)
      continue;
    const VcRes *allocated = w->cluster->queue[q->row].status_allocated;
    WlQueueState s = { object_of (q), allocated != NULL ? (gint64) allocated->v[pods] : 0 };

    g_array_append_val (all, s);
  }
  return all;
}

static void
refuse (SimWorld *w, guint32 queue, const char *reason)
{
  sim_record_queue_phase (w, queue, "Rejected");
  sim_record_event (w, "Queue", "", w->queue[queue].name, "rejected", reason);
}

static void
set_note (SimWorld *w, VcPairs *notes, const char *key, const char *value)
{
  VcPair *pair = vc_arena_new0 (w->arena, VcPair, notes->n + 1);
  guint n = 0;
  gboolean placed = FALSE;

  for (guint i = 0; i < notes->n; i++) {
    int order = strcmp (notes->item[i].key, key);

    if (!placed && order >= 0) {
      pair[n++] = (VcPair){ key, value };
      placed = TRUE;
    }
    if (order != 0)
      pair[n++] = notes->item[i];
  }
  if (!placed)
    pair[n++] = (VcPair){ key, value };
  *notes = (VcPairs){ pair, n };
}

static void
set_groups (VcNodeGroups *groups, const VcNames *given)
{
  VcNames *const lists[WL_N_GROUP_LISTS] = { &groups->required, &groups->preferred, &groups->anti_required, &groups->anti_preferred };

  for (guint i = 0; i < WL_N_GROUP_LISTS; i++)
    if (given[i].item != NULL) {
      *lists[i] = given[i];
      groups->given = TRUE;
    }
}

/* The queue as @c wants it: a row changes what it names, an object is all there is. */
static SimQueue
changed (SimWorld *w, const SimQueueChange *c)
{
  SimQueue q = w->queue[c->queue];
  gboolean root = strcmp (q.name, "root") == 0;

  if (c->object != NULL) {
    VcQueueObject o = c->object->queue;

    wl_default_queue (w->arena, &o);
    q.parent = root ? "" : o.parent != NULL && *o.parent != '\0' ? o.parent : "root";
    q.weight = o.weight;
    q.priority = o.priority;
    q.reclaimable = o.reclaimable;
    q.capability = o.capability;
    q.guarantee = o.guarantee;
    q.deserved = o.deserved;
    q.groups = o.groups;
    q.annotations = o.annotations;
    const char *closed = vc_pairs_get (&o.annotations, "volcano.sh/closed-by-parent");

    if (closed != NULL)
      q.closed_by_parent = strcmp (closed, "true") == 0;
    return q;
  }
  if (c->parent != NULL && !root)
    q.parent = *c->parent != '\0' ? c->parent : "root";
  if (c->weight >= 0)
    q.weight = MAX (c->weight, 1); /* admission makes 1 of 0 */
  if (c->priority >= 0)
    q.priority = c->priority;
  if (c->reclaimable >= 0)
    q.reclaimable = c->reclaimable;
  if (c->capability.n > 0)
    q.capability = c->capability;
  if (c->guarantee.n > 0)
    q.guarantee = c->guarantee;
  if (c->deserved.n > 0)
    q.deserved = c->deserved;
  if (c->hierarchy != NULL)
    set_note (w, &q.annotations, "volcano.sh/hierarchy", c->hierarchy);
  if (c->hierarchy_weights != NULL)
    set_note (w, &q.annotations, "volcano.sh/hierarchy-weights", c->hierarchy_weights);
  if (c->hierarchy != NULL || c->hierarchy_weights != NULL) {
    VcQueueObject o = object_of (&q);

    if (q.row == VC_NONE) /* defaults are for new queues */
      wl_default_queue (w->arena, &o);
    q.annotations = o.annotations;
  }
  set_groups (&q.groups, c->groups);
  return q;
}

/* What admission says of the queue as it is to be; NULL: nothing. */
static char *
judge (const SimWorld *w, const SimQueueChange *c, const SimQueue *now)
{
  if ((w->webhooks & WL_WEBHOOK_QUEUES_VALIDATE) == 0)
    return c->object != NULL ? g_strdup (c->object->refusal) : NULL;
  g_autoptr (GArray) all = states_of (w);
  VcQueueObject old = object_of (&w->queue[c->queue]), o = object_of (now);

  if (c->object != NULL && c->object->refusal != NULL)
    return g_strdup (c->object->refusal);
  o.state = c->object != NULL ? c->object->queue.state : NULL; /* of the status, which nobody but the controller may write */
  return wl_admit_queue ((const WlQueueState *) (gpointer) all->data, all->len, now->row != VC_NONE ? &old : NULL, &o);
}

static char *
judge_deletion (const SimWorld *w, guint32 queue)
{
  if ((w->webhooks & WL_WEBHOOK_QUEUES_VALIDATE) == 0)
    return w->queue[queue].row == VC_NONE ? wl_queue_not_found (w->queue[queue].name) : NULL;
  g_autoptr (GArray) all = states_of (w);

  return wl_admit_queue_deletion ((const WlQueueState *) (gpointer) all->data, all->len, w->queue[queue].name, w->check_pods_of_queues);
}

static void
remove_queue (SimWorld *w, guint32 queue)
{
  SIM_EACH_VIEW (w, back)
    vc_cache_remove_queue (w->cache, w->queue[queue].name);
  sim_queue_reset (w, queue);
}

static void
delete_queue (SimWorld *w, guint32 queue)
{
  g_autofree char *reason = judge_deletion (w, queue);

  if (reason != NULL) {
    refuse (w, queue, reason);
    return;
  }
  remove_queue (w, queue);
  sim_record_queue_phase (w, queue, "Deleted");
  sim_record_event (w, "Queue", "", w->queue[queue].name, "deleted", "");
}

/* Does the change touch more than the queue's state? */
static gboolean
is_spec_change (const SimQueueChange *c)
{
  gboolean groups = FALSE;

  for (guint i = 0; i < WL_N_GROUP_LISTS; i++)
    groups = groups || c->groups[i].item != NULL;
  return groups || c->object != NULL || c->parent != NULL || c->weight >= 0 || c->priority >= 0 || c->reclaimable >= 0 || c->capability.n > 0
         || c->guarantee.n > 0 || c->deserved.n > 0 || c->hierarchy != NULL || c->hierarchy_weights != NULL;
}

/* The state in which the queue is found when the run begins. */
static const char *
found_state (const SimQueueChange *c)
{
  const char *state = c->object != NULL ? c->object->queue.state : c->state;

  return state != NULL && *state != '\0' ? state : "Open";
}

void
sim_queue_change (SimWorld *w, guint32 change, gboolean at_start)
{
  const SimQueueChange *c = &w->queue_change[change];
  SimQueue *q = &w->queue[c->queue];

  if (c->removes) {
    delete_queue (w, c->queue);
    return;
  }
  gboolean is_new = q->row == VC_NONE;
  SimQueue now = changed (w, c);
  gboolean moved = strcmp (now.parent, q->parent) != 0;
  g_autofree char *reason = !at_start && (is_new || is_spec_change (c)) ? judge (w, c, &now) : NULL;

  if (reason != NULL) {
    refuse (w, c->queue, reason);
    return;
  }
  *q = now;
  if (is_new)
    q->created = sim_world_second (w);
  if (at_start && (c->object != NULL || c->state != NULL))
    q->state = found_state (c);
  sim_queue_publish (w, c->queue);
  if (is_new || moved)
    sim_queue_request (w, c->queue, SIM_QUEUE_SYNC);
  if (c->state != NULL && !at_start) /* a command */
    sim_queue_request (w, c->queue, strcmp (c->state, "Open") == 0 ? SIM_QUEUE_OPEN : SIM_QUEUE_CLOSE);
}

char *
sim_queue_forecast (SimWorld *w, guint32 change)
{
  const SimQueueChange *c = &w->queue_change[change];
  SimQueue now = changed (w, c);
  char *reason = c->removes                                                         ? judge_deletion (w, c->queue)
                 : w->queue[c->queue].row == VC_NONE || is_spec_change (c) ? judge (w, c, &now)
                                                                                    : NULL;

  if (reason != NULL)
    return reason;
  if (c->removes) {
    remove_queue (w, c->queue);
    return NULL;
  }
  w->queue[c->queue] = now;
  sim_queue_publish (w, c->queue);
  return NULL;
}

char *
sim_queue_doubt (const SimWorld *w, guint32 queue)
{
  const SimQueue *q = &w->queue[queue];
  VcQueueObject o = object_of (q);

  if ((w->webhooks & WL_WEBHOOK_QUEUES_VALIDATE) == 0 || q->row == VC_NONE || strcmp (q->name, "root") == 0 || strcmp (q->name, "default") == 0)
    return NULL;
  g_autoptr (GArray) all = states_of (w);

  o.state = NULL;
  return wl_admit_queue ((const WlQueueState *) (gpointer) all->data, all->len, NULL, &o);
}

void
sim_queue_warn (const SimWorld *w, GPtrArray *warnings)
{
  for (guint32 i = 0; i < w->n_queues; i++) {
    g_autofree char *reason = sim_queue_doubt (w, i);

    if (reason != NULL)
      g_ptr_array_add (warnings, g_strdup_printf ("queue '%s' is there from the start, but admission would refuse it: %s", w->queue[i].name, reason));
  }
}

void
sim_queue_redirect (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];
  const char *name = strcmp (w->queue[j->queue].name, "default") == 0 ? sim_namespace_queue (w, j->ns) : NULL;

  for (guint32 i = 0; name != NULL && i < w->n_queues; i++)
    if (strcmp (w->queue[i].name, name) == 0)
      j->queue = i;
}

char *
sim_queue_admit_group (const SimWorld *w, guint32 queue, const char *refusal)
{
  const SimQueue *q = &w->queue[queue];
  const WlQueueView view = { q->name, q->state, 0 };

  return wl_admit_pod_group (refusal, q->name, q->row != VC_NONE ? &view : NULL);
}

static guint
count_children (const SimWorld *w, guint32 queue)
{
  guint n = 0;

  for (guint32 i = 0; i < w->n_queues; i++)
    n += w->queue[i].row != VC_NONE && strcmp (w->queue[i].parent, w->queue[queue].name) == 0;
  return n;
}

char *
sim_queue_admit_job (const SimWorld *w, guint32 queue, const WlJobRefusal *refusal)
{
  const SimQueue *q = &w->queue[queue];
  const WlQueueView view = { q->name, q->state, count_children (w, queue) };

  return wl_admit_job (refusal, q->name, q->row != VC_NONE ? &view : NULL);
}
