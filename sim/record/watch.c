#include "watch.h"
#include "chain.h"
#include "sim/world/claims.h"
#include "sim/world/budgets.h"
#include "sim/world/faults.h"
#include "sim/world/hyper-nodes.h"
#include "sim/world/pod-object.h"
#include "sim/world/views.h"
#include <string.h>

#define ROOM (1u << 20) /* bytes of copies that are given back together */

typedef enum { POD_ADDED, POD_STATUS, POD_BOUND, POD_EVICTED, POD_REMOVED, GROUP, GROUP_REMOVED, NODE, NODE_REMOVED } NewsKind;

/* Copies of what several pieces of news refer to. */
typedef struct {
  VcArena *arena;
  guint waiting;
} Room;

typedef struct {
  SimTime due;
  NewsKind kind;
  guint32 row;          /* of the pod, job or node in the world; of the node of a bind, */
  guint32 pod;          /* whose pod this is */
  guint64 uid;          /* of the pod */
  gint64 value;         /* status; second and node of a bind; is the group fresh? */
  gpointer object;      /* copy, in room */
  const VcShape *shape;
  Room *room;
} News;

struct SimWatch {
  GArray *line;         /* News, in their order */
  guint *head;          /* [n_views] place of the first one that the view has not heard */
  Room *room;
  SimTime woken;        /* the last event that was posted for the line */
};

/* ---- the line ------------------------------------------------------------------------------- */

gboolean
sim_watch_is_late (const SimWorld *w)
{
  for (guint v = 0; w->watch != NULL && v < w->n_views; v++)
    if (w->watch->head[v] < w->watch->line->len)
      return TRUE;
  return FALSE;
}

/* Does news go into the line? */
static gboolean
waits (SimWorld *w)
{
  return sim_watch_is_late (w) || sim_faults_informer_lag (w) > 0;
}

static Room *
room_of (SimWatch *s)
{
  if (s->room == NULL || vc_arena_bytes (s->room->arena) > ROOM) {
    if (s->room != NULL && s->room->waiting == 0) {
      vc_arena_reset (s->room->arena);
      return s->room;
    }
    s->room = g_new0 (Room, 1);
    s->room->arena = vc_arena_new ();
  }
  return s->room;
}

static void
leave_room (SimWatch *s, Room *room)
{
  if (room == NULL || --room->waiting > 0 || room == s->room)
    return;
  vc_arena_free (room->arena);
  g_free (room);
}

static SimWatch *
watch_of (SimWorld *w)
{
  if (w->watch == NULL) {
    w->watch = g_new0 (SimWatch, 1);
    w->watch->line = g_array_new (FALSE, FALSE, sizeof (News));
    w->watch->head = g_new0 (guint, w->n_views);
    w->watch->woken = SIM_NO_TIME;
  }
  return w->watch;
}

static void
put (SimWorld *w, News n)
{
  SimWatch *s = watch_of (w);
  SimTime due = sim_time_after (w->now, sim_faults_informer_lag (w));

  if (sim_watch_is_late (w))
    due = MAX (due, g_array_index (s->line, News, s->line->len - 1).due); /* a watch never overtakes itself */
  n.due = due;
  if (n.room != NULL)
    n.room->waiting++;
  g_array_append_val (s->line, n);
  if (s->woken != due) {
    s->woken = due;
    sim_event_queue_post (w->events, due, SIM_RANK_WATCH, SIM_EVENT_WATCH, 0, 0);
  }
}

/* ---- copies --------------------------------------------------------------------------------- */

static VcPairs
copy_pairs (VcArena *a, const VcPairs *from)
{
  VcPair *item = vc_arena_new0 (a, VcPair, MAX (from->n, 1));

  for (guint i = 0; i < from->n; i++)
    item[i] = (VcPair){ vc_arena_strdup (a, from->item[i].key), vc_arena_strdup (a, from->item[i].value) };
  return (VcPairs){ item, from->n };
}

static VcAmounts
copy_amounts (VcArena *a, const VcAmounts *from)
{
  VcAmount *item = vc_arena_new0 (a, VcAmount, MAX (from->n, 1));

  for (guint i = 0; i < from->n; i++)
    item[i] = (VcAmount){ vc_arena_strdup (a, from->item[i].name), from->item[i].q };
  return (VcAmounts){ item, from->n, from->given };
}

static gpointer
copy_pod (VcArena *a, const VcPodObject *from)
{
  VcPodObject *o = vc_arena_new0 (a, VcPodObject, 1);

  *o = *from; /* what the spec points to belongs to shape and world */
  o->ns = vc_arena_strdup (a, from->ns);
  o->name = vc_arena_strdup (a, from->name);
  o->uid = vc_arena_strdup (a, from->uid);
  o->annotations = copy_pairs (a, &from->annotations);
  o->labels = copy_pairs (a, &from->labels);
  if (from->spec.n_claims > 0) {
    VcPodClaim *claim = vc_arena_new0 (a, VcPodClaim, from->spec.n_claims);

    memcpy (claim, from->spec.claim, from->spec.n_claims * sizeof *claim); /* their texts last as long as the world */
    o->spec.claim = claim;
  }
  return o;
}

static gpointer
copy_group (VcArena *a, const VcPodGroupObject *from)
{
  VcPodGroupObject *o = vc_arena_new0 (a, VcPodGroupObject, 1);
  VcRoleMin *minimum = vc_arena_new0 (a, VcRoleMin, MAX (from->n_role_mins, 1));

  *o = *from;
  o->ns = vc_arena_strdup (a, from->ns);
  o->name = vc_arena_strdup (a, from->name);
  o->uid = vc_arena_strdup (a, from->uid);
  o->annotations = copy_pairs (a, &from->annotations);
  o->labels = copy_pairs (a, &from->labels);
  o->queue = vc_arena_strdup (a, from->queue);
  o->priority_class = vc_arena_strdup (a, from->priority_class);
  for (guint i = 0; i < from->n_role_mins; i++)
    minimum[i] = (VcRoleMin){ vc_arena_strdup (a, from->role_min[i].role), from->role_min[i].min };
  o->role_min = minimum;
  o->min_resources = copy_amounts (a, &from->min_resources);
  return o;
}

static gpointer
copy_node (VcArena *a, const VcNodeObject *from)
{
  VcNodeObject *o = vc_arena_new0 (a, VcNodeObject, 1);
  VcTaint *taint = vc_arena_new0 (a, VcTaint, MAX (from->n_taints, 1));
  VcImage *image = vc_arena_new0 (a, VcImage, MAX (from->n_images, 1));

  *o = *from;
  o->allocatable = copy_amounts (a, &from->allocatable);
  o->labels = copy_pairs (a, &from->labels);
  if (from->n_taints > 0)
    memcpy (taint, from->taint, from->n_taints * sizeof *taint); /* their texts last as long as the world */
  if (from->n_images > 0)
    memcpy (image, from->image, from->n_images * sizeof *image);
  o->taint = taint;
  o->image = image;
  return o;
}

/* ---- what the cache is told ----------------------------------------------------------------- */

static guint32
find_task (const SimWorld *w, guint64 uid)
{
  char text[24];

  g_snprintf (text, sizeof text, "%016" G_GUINT64_FORMAT, uid);
  return GPOINTER_TO_UINT (g_hash_table_lookup (w->cluster->task_rows, text)) - 1; /* VC_NONE when there is none */
}

/* The pod itself, when its object is still there. */
static SimPod *
living (SimWorld *w, guint32 row, guint64 uid)
{
  return w->pod[row].live && w->pod[row].uid == uid ? &w->pod[row] : NULL;
}

static void
add_pod (SimWorld *w, guint32 pod, guint64 uid, const VcPodObject *o, const VcShape *shape)
{
  SimPod *p = living (w, pod, uid);
  guint32 task = vc_cache_add_pod_of_shape (w->cache, o, sim_view_shape (w, shape));

  if (task != VC_NONE)
    w->cluster->task[task].user = pod;
  if (p != NULL) {
    sim_view_set_task (w, pod, task);
    sim_budgets_meet (w, pod);
  }
}

/* A scheduler that did not evict the pod itself hears that it is going. */
static void
evict_pod (SimWorld *w, guint32 task)
{
  if (w->n_views > 1 && w->cluster->task[task].status != VC_RELEASING)
    vc_cache_pod_status (w->cache, task, VC_RELEASING);
  vc_cache_pod_evicted (w->cache, task);
}

/* A pod of another scheduler has a node now: the watcher's filter lets it pass, as a pod that is new. */
static void
meet_pod (SimWorld *w, guint32 pod, guint64 uid, guint32 node, gint64 second)
{
  SimPod *p = living (w, pod, uid);

  if (p == NULL || (w->at == sim_view_of_role (w, &w->role[p->role]) && !sim_role_is_foreign (&w->role[p->role])))
    return; /* its own scheduler has reasons not to know it */
  SimPodText text;
  VcPodObject o = sim_pod_describe (w, pod, &text);

  sim_claims_resolve (w, pod, &o);
  o.node = w->node[node].name;
  o.scheduled_time = second;
  add_pod (w, pod, uid, &o, w->role[p->role].shape);
}

static void
bind_pod (SimWorld *w, guint32 pod, guint64 uid, guint32 task, guint32 node, gint64 second)
{
  guint32 row = sim_view_node (w, node);

  if (row == VC_NONE)
    return; /* no selector of the scheduler picks the node */
  if (task == VC_NONE) {
    meet_pod (w, pod, uid, node, second);
    return;
  }
  vc_cache_pod_placed (w->cache, task, row);
  vc_cache_pod_scheduled (w->cache, task, second);
}

static guint32
find_group (const SimWorld *w, const char *ns, const char *name)
{
  g_autofree char *key = g_strconcat (ns, "/", name, NULL);

  return GPOINTER_TO_UINT (g_hash_table_lookup (w->cluster->job_rows, key)) - 1;
}

static void
tell_group (SimWorld *w, guint32 job, const VcPodGroupObject *o, gboolean fresh)
{
  guint32 row = find_group (w, o->ns, o->name);

  if (!fresh) {
    if (row != VC_NONE && w->cluster->job[row].has_pg)
      vc_cache_update_pod_group (w->cache, row, o);
    return;
  }
  sim_chain_about (w, job);
  row = vc_cache_add_pod_group (w->cache, o);
  w->cluster->job[row].user = job;
  sim_chain_about (w, SIM_NONE);
  if (w->job[job].has_pg)
    sim_view_set_group (w, job, row);
}

static void
tell_group_removed (SimWorld *w, guint32 job, const char *ns, const char *name)
{
  guint32 row = find_group (w, ns, name);

  if (row == VC_NONE || !w->cluster->job[row].has_pg)
    return;
  vc_cache_remove_pod_group (w->cache, row);
  if (sim_view_group (w, job) == row)
    sim_view_set_group (w, job, VC_NONE);
}

static void
note_row (SimWorld *w, guint32 row, guint32 node)
{
  if (row >= w->n_node_rows) {
    guint32 more = MAX (row + 1, w->n_node_rows * 2);

    w->node_of_row = g_renew (guint32, w->node_of_row, more);
    for (guint32 i = w->n_node_rows; i < more; i++)
      w->node_of_row[i] = SIM_NONE;
    w->n_node_rows = more;
  }
  w->node_of_row[row] = node;
}

static void
tell_node (SimWorld *w, guint32 node, const VcNodeObject *o)
{
  SimNode *n = &w->node[node];
  guint32 row = vc_cache_add_node (w->cache, o);

  if (w->at == 0)
    n->row = row;
  if (row == VC_NONE)
    return;
  if (w->at == 0)
    note_row (w, row, node);
  if (n->usage != NULL)
    vc_cache_set_node_usage (w->cache, n->usage);
}

static void
deliver (SimWorld *w, const News *n)
{
  guint32 task = n->kind <= POD_REMOVED && n->kind != POD_ADDED ? find_task (w, n->uid) : VC_NONE;
  const VcPodGroupObject *group = n->object;

  switch (n->kind) {
  case POD_ADDED:
    add_pod (w, n->row, n->uid, n->object, n->shape);
    break;
  case POD_STATUS:
    if (task != VC_NONE)
      vc_cache_pod_status (w->cache, task, (VcStatus) n->value);
    break;
  case POD_BOUND:
    bind_pod (w, n->pod, n->uid, task, n->row, n->value);
    break;
  case POD_EVICTED:
    if (task != VC_NONE)
      evict_pod (w, task);
    break;
  case POD_REMOVED:
    if (task != VC_NONE)
      vc_cache_remove_pod (w->cache, task);
    break;
  case GROUP:
    tell_group (w, n->row, group, n->value != 0);
    break;
  case GROUP_REMOVED:
    tell_group_removed (w, n->row, group->ns, group->name);
    break;
  case NODE:
    tell_node (w, n->row, n->object);
    sim_hyper_nodes_expect_retries (w);
    break;
  case NODE_REMOVED:
  default:
    vc_cache_remove_node (w->cache, w->node[n->row].name);
    sim_hyper_nodes_expect_retries (w);
    break;
  }
}

/* Everything due by @limit, to the view that is entered. */
static void
deliver_until (SimWorld *w, SimTime limit)
{
  SimWatch *s = w->watch;
  guint *head = &s->head[w->at];

  while (*head < s->line->len && g_array_index (s->line, News, *head).due <= limit) {
    News n = g_array_index (s->line, News, (*head)++);

    deliver (w, &n);
  }
}

/* What everybody has been told goes from time to time. */
static void
tidy (SimWorld *w)
{
  SimWatch *s = w->watch;
  guint told = s->line->len;

  for (guint v = 0; v < w->n_views; v++)
    told = MIN (told, s->head[v]);
  if (told < s->line->len && told <= 4096)
    return;
  for (guint i = 0; i < told; i++)
    leave_room (s, g_array_index (s->line, News, i).room);
  g_array_remove_range (s->line, 0, told);
  for (guint v = 0; v < w->n_views; v++)
    s->head[v] -= told;
}

void
sim_watch_event (SimWorld *w)
{
  SIM_EACH_VIEW (w, back)
    deliver_until (w, w->now);
  tidy (w);
}

void
sim_watch_flush (SimWorld *w)
{
  if (w->watch == NULL)
    return;
  deliver_until (w, SIM_NEVER);
  tidy (w);
}

void
sim_watch_free (SimWorld *w)
{
  SimWatch *s = w->watch;

  if (s == NULL)
    return;
  for (guint i = 0; i < s->line->len; i++)
    leave_room (s, g_array_index (s->line, News, i).room);
  if (s->room != NULL) {
    vc_arena_free (s->room->arena);
    g_free (s->room);
  }
  g_array_unref (s->line);
  g_free (s->head);
  g_free (s);
  w->watch = NULL;
}

/* ---- what happens --------------------------------------------------------------------------- */

void
sim_watch_pod_added (SimWorld *w, guint32 pod, const VcPodObject *o, const VcShape *shape)
{
  guint64 uid = w->pod[pod].uid;

  if (!waits (w)) {
    sim_chain_about (w, w->pod[pod].job);
    SIM_EACH_VIEW (w, back)
      add_pod (w, pod, uid, o, shape);
    sim_chain_about (w, SIM_NONE);
    return;
  }
  Room *room = room_of (watch_of (w));

  put (w, (News){ .kind = POD_ADDED, .row = pod, .uid = uid, .object = copy_pod (room->arena, o), .shape = shape, .room = room });
}

/* Something about the pod, to every scheduler that has it. */
static void
about_pod (SimWorld *w, guint32 pod, NewsKind kind, gint64 value)
{
  if (waits (w)) {
    put (w, (News){ .kind = kind, .uid = w->pod[pod].uid, .value = value });
    return;
  }
  SIM_EACH_VIEW (w, back) {
    guint32 task = sim_view_task (w, pod);

    if (task == VC_NONE)
      continue;
    if (kind == POD_STATUS)
      vc_cache_pod_status (w->cache, task, (VcStatus) value);
    else if (kind == POD_EVICTED)
      evict_pod (w, task);
    else
      vc_cache_remove_pod (w->cache, task);
  }
}

void
sim_watch_pod_status (SimWorld *w, guint32 pod, VcStatus status)
{
  about_pod (w, pod, POD_STATUS, status);
}

void
sim_watch_pod_bound (SimWorld *w, guint32 pod, guint32 node)
{
  guint64 uid = w->pod[pod].uid;
  gint64 second = sim_world_second (w);

  if (waits (w)) {
    put (w, (News){ .kind = POD_BOUND, .row = node, .pod = pod, .uid = uid, .value = second });
    return;
  }
  SIM_EACH_VIEW (w, back)
    bind_pod (w, pod, uid, sim_view_task (w, pod), node, second);
}

void
sim_watch_pod_evicted (SimWorld *w, guint32 pod)
{
  about_pod (w, pod, POD_EVICTED, 0);
}

void
sim_watch_pod_removed (SimWorld *w, guint32 pod)
{
  about_pod (w, pod, POD_REMOVED, 0);
  SIM_EACH_VIEW (w, back)
    sim_view_set_task (w, pod, VC_NONE);
}

void
sim_watch_group (SimWorld *w, guint32 job, const VcPodGroupObject *o, gboolean fresh)
{
  if (!waits (w)) {
    SIM_EACH_VIEW (w, back)
      tell_group (w, job, o, fresh);
    return;
  }
  Room *room = room_of (watch_of (w));

  put (w, (News){ .kind = GROUP, .row = job, .value = fresh, .object = copy_group (room->arena, o), .room = room });
}

void
sim_watch_group_removed (SimWorld *w, guint32 job, const char *ns, const char *name)
{
  const VcPodGroupObject gone = { .ns = ns, .name = name };

  if (!waits (w)) {
    SIM_EACH_VIEW (w, back)
      tell_group_removed (w, job, ns, name);
    return;
  }
  Room *room = room_of (watch_of (w));

  put (w, (News){ .kind = GROUP_REMOVED, .row = job, .object = copy_group (room->arena, &gone), .room = room });
}

void
sim_watch_node (SimWorld *w, guint32 node, const VcNodeObject *o)
{
  if (!waits (w)) {
    SIM_EACH_VIEW (w, back)
      tell_node (w, node, o);
    return;
  }
  Room *room = room_of (watch_of (w));

  put (w, (News){ .kind = NODE, .row = node, .object = copy_node (room->arena, o), .room = room });
}

void
sim_watch_node_listed (SimWorld *w, guint32 node, const VcNodeObject *o)
{
  tell_node (w, node, o); /* lists are never late: the caches are synchronised before the first cycle */
}

void
sim_watch_node_removed (SimWorld *w, guint32 node)
{
  if (waits (w))
    put (w, (News){ .kind = NODE_REMOVED, .row = node });
  else
    SIM_EACH_VIEW (w, back)
      vc_cache_remove_node (w->cache, w->node[node].name);
}

guint32
sim_pod_of_task (const SimWorld *w, guint32 task)
{
  const VcTask *t = &w->cluster->task[task];

  return t->user != VC_NONE && w->pod[t->user].live && sim_view_task (w, t->user) == task ? t->user : SIM_NONE;
}
