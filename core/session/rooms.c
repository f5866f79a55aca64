#include "rooms.h"
#include "search.h"
#include <math.h>

typedef struct {
  guint64 at;      /* clock when it was counted; 0: never */
  VcRoom room;
} Counted;

typedef struct {
  Counted *hyper;  /* [n_hypers] */
  guint32 n_hypers;
  guint32 session; /* in which `serves` was found out */
  gboolean serves;
  guint32 asked;   /* the same for `countable` */
  gboolean countable;
} OfShape;

struct VcRooms {
  guint32 session;
  gboolean open;
  GPtrArray *shape;  /* OfShape by shape id; NULL until asked */
  /* A clock of changes: what was counted before a HyperNode's stamp, or before `floor`, is void. */
  guint64 clock, floor;
  guint64 *stamp;    /* [n_hypers] */
  guint32 n_hypers;
  guint32 epoch;
  gsize pos;         /* of the nodes' change log */
};

static void
of_shape_free (gpointer p)
{
  OfShape *s = p;

  if (s != NULL)
    g_free (s->hyper);
  g_free (s);
}

void
vc_rooms_free (VcRooms *r)
{
  if (r == NULL)
    return;
  g_ptr_array_unref (r->shape);
  g_free (r->stamp);
  g_free (r);
}

/* ---- who is served ----------------------------------------------------------------------------------- */

static gboolean
trials_leave_no_trace (const VcSession *ssn)
{
  const VcEngine *e = ssn->engine;
  const VcEngineOptions *o = &e->options;

  if (o->plain || o->random_ties || o->observer != NULL || (o->verbosity >= 3 && o->log != NULL))
    return FALSE;
  if (ssn->chain[VC_HOOK_NODE_MAP].n > 0 || ssn->chain[VC_HOOK_BEST_NODE].n > 0)
    return FALSE;
  for (guint i = 0; i < ssn->n_handlers; i++)
    if ((ssn->handler[i].allocated != NULL) != (ssn->handler[i].deallocated != NULL))
      return FALSE; /* it remembers placements that are undone */
  for (guint i = 0; i < e->n_plugins; i++)
    if (e->plugin[i].class->connect != NULL)
      return FALSE; /* a service sees every question */
  return TRUE;
}

gboolean
vc_rooms_open (VcSession *ssn)
{
  VcEngine *e = ssn->engine;

  if (e->rooms == NULL) {
    e->rooms = g_new0 (VcRooms, 1);
    e->rooms->shape = g_ptr_array_new_with_free_func (of_shape_free);
  }
  VcRooms *r = e->rooms;
  if (r->session != ssn->number) {
    const VcHyperView *v = vc_session_hypers (ssn);

    r->session = ssn->number;
    r->open = trials_leave_no_trace (ssn);
    if (v->n > r->n_hypers) {
      r->stamp = g_renew (guint64, r->stamp, v->n);
      for (guint32 h = r->n_hypers; h < v->n; h++)
        r->stamp[h] = 0;
      r->n_hypers = v->n;
    }
    r->floor = ++r->clock; /* other hooks, other members: all is counted anew */
    r->epoch = ssn->cluster->nodes.log_epoch;
    r->pos = ssn->cluster->nodes.n_log;
  }
  return r->open;
}

static OfShape *
of_shape (VcSession *ssn, const VcShape *shape)
{
  VcRooms *r = ssn->engine->rooms;

  if (r->shape->len <= shape->id)
    g_ptr_array_set_size (r->shape, (gint) vc_shape_table_count (ssn->cluster->shapes));
  if (r->shape->pdata[shape->id] == NULL)
    r->shape->pdata[shape->id] = g_new0 (OfShape, 1);
  return r->shape->pdata[shape->id];
}

static gboolean
scope_within (VcSession *ssn, const VcHook *h, const VcShape *shape, VcScope widest)
{
  return h->scope == NULL || h->scope (h->self, ssn, shape) <= widest;
}

static gboolean
find_out (VcSession *ssn, const VcShape *shape)
{
  const VcChain *predicates = &ssn->chain[VC_HOOK_PREDICATE], *rooms = &ssn->chain[VC_HOOK_ROOM], *batch = &ssn->chain[VC_HOOK_BATCH_NODE_ORDER];

  if (predicates->n != rooms->n || shape->bad_preferred || shape->spec.n_preferred > 0 || /* a preference may make a normalised score fail */
      shape->spec.n_volumes > 0 || shape->spec.has_claims || vc_devices_asked (ssn->cache->devices, shape))
    return FALSE;
  for (guint i = 0; i < predicates->n; i++)
    if (predicates->item[i].plugin != rooms->item[i].plugin || !scope_within (ssn, &predicates->item[i], shape, VC_SCOPE_NODE))
      return FALSE;
  for (guint i = 0; i < batch->n; i++)
    if (!scope_within (ssn, &batch->item[i], shape, VC_SCOPE_GROUP))
      return FALSE;
  return TRUE;
}

gboolean
vc_rooms_serve (VcSession *ssn, const VcShape *shape)
{
  if (!vc_rooms_open (ssn))
    return FALSE;
  OfShape *s = of_shape (ssn, shape);
  if (s->session != ssn->number) {
    s->session = ssn->number;
    s->serves = find_out (ssn, shape);
  }
  return s->serves;
}

/* ---- counting ------------------------------------------------------------------------------------------ */

/* The most n with r <= room - (n - 1) r, as each placement tests it. */
static guint32
times (double r, double room)
{
  double n = floor (room / r);

  if (!(n < VC_ROOM_MAX))
    return VC_ROOM_MAX;
  n = MAX (n, 0);
  while (n > 0 && !vc_le (r, room - (n - 1) * r))
    n--;
  while (n < VC_ROOM_MAX && vc_le (r, room - n * r))
    n++;
  return (guint32) n;
}

/* How many such tasks the node takes. VC_ROOM_UNKNOWN: it cannot be told. */
static guint32
room_of_node (VcSession *ssn, guint32 task, guint32 node)
{
  const VcCluster *c = ssn->cluster;
  const VcShape *shape = c->task[task].shape;
  const VcChain *rooms = &ssn->chain[VC_HOOK_ROOM];
  guint32 future = VC_ROOM_MAX, idle = VC_ROOM_MAX;

  if (!vc_search_may_use (ssn, node))
    return 0;
  for (guint64 left = shape->dims; left != 0 && future > 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    double r = shape->request->v[d];

    if (!(r > 0))
      return VC_ROOM_UNKNOWN;
    future = MIN (future, times (r, c->nodes.future[d][node]));
    if (c->nodes.idle[d][node] != c->nodes.future[d][node])
      idle = MIN (idle, times (r, c->nodes.idle[d][node]));
  }
  for (guint i = 0; i < rooms->n && future > 0; i++) {
    guint32 n = ((VcRoomFn) rooms->item[i].fn) (rooms->item[i].self, ssn, task, node);
    if (n == VC_ROOM_UNKNOWN)
      return n;
    future = MIN (future, n);
  }
  if (future == 0)
    return 0;
  /* The rest would be pipelined. On a node without scalars idle room does not shrink as it should (01 §1.3). */
  return idle < future || (shape->request->map && !c->nodes.info[node].idle_map) ? VC_ROOM_UNKNOWN : future;
}

gboolean
vc_rooms_countable (VcSession *ssn, const VcShape *shape)
{
  vc_rooms_open (ssn);
  OfShape *s = of_shape (ssn, shape);

  if (s->asked != ssn->number) {
    s->asked = ssn->number;
    s->countable = find_out (ssn, shape);
  }
  return s->countable;
}

guint32
vc_rooms_with (VcSession *ssn, guint32 task, guint32 node, const double *more)
{
  const VcCluster *c = ssn->cluster;
  const VcShape *shape = c->task[task].shape;
  const VcChain *rooms = &ssn->chain[VC_HOOK_ROOM];
  guint32 room = VC_ROOM_MAX;

  if (!vc_search_may_use (ssn, node) || (shape->request->map && !c->nodes.info[node].idle_map)) /* its scalars do not shrink as they should (01 §1.3) */
    return 0;
  for (guint64 left = shape->dims; left != 0 && room > 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    double r = shape->request->v[d], there = c->nodes.future[d][node] + (more != NULL ? more[d] : 0);

    if (r > 0)
      room = MIN (room, times (r, there));
    else if (!vc_le (r, there))
      return 0;
  }
  for (guint i = 0; i < rooms->n && room > 0; i++) {
    guint32 n = ((VcRoomFn) rooms->item[i].fn) (rooms->item[i].self, ssn, task, node);

    room = n == VC_ROOM_UNKNOWN ? 0 : MIN (room, n);
  }
  return room;
}

static VcRoom
count (VcSession *ssn, guint32 task, guint32 hyper)
{
  const VcHyperNode *h = &vc_session_hypers (ssn)->hyper[hyper];
  const VcNodes *n = &ssn->cluster->nodes;
  const guint32 *node = hyper == VC_HYPER_ROOT ? n->list : h->node;
  guint32 n_nodes = hyper == VC_HYPER_ROOT ? n->n_list : h->n_nodes;
  VcRoom room = { TRUE, 0, 0 };

  for (guint32 i = 0; i < n_nodes && room.known; i++) {
    guint32 m = room_of_node (ssn, task, node[i]);

    room.known = m != VC_ROOM_UNKNOWN;
    room.nodes += m > 0;
    room.tasks += m;
  }
  return room;
}

static void
follow_changes (VcSession *ssn)
{
  VcRooms *r = ssn->engine->rooms;
  const VcHyperView *v = vc_session_hypers (ssn);
  const VcNodes *n = &ssn->cluster->nodes;

  if (r->epoch == n->log_epoch && r->pos == n->n_log)
    return;
  r->clock++;
  if (r->epoch != n->log_epoch) {
    r->floor = r->clock;
    r->epoch = n->log_epoch;
    r->pos = n->n_log;
  }
  for (; r->pos < n->n_log; r->pos++)
    for (guint32 k = v->holder_at[n->log[r->pos]]; k < v->holder_at[n->log[r->pos] + 1]; k++)
      r->stamp[v->holder[k]] = r->clock;
}

VcRoom
vc_rooms_of (VcSession *ssn, guint32 task, guint32 hyper)
{
  VcRooms *r = ssn->engine->rooms;
  OfShape *s = of_shape (ssn, ssn->cluster->task[task].shape);

  follow_changes (ssn);
  if (s->n_hypers < r->n_hypers) {
    s->hyper = g_renew (Counted, s->hyper, r->n_hypers);
    for (; s->n_hypers < r->n_hypers; s->n_hypers++)
      s->hyper[s->n_hypers].at = 0;
  }
  Counted *x = &s->hyper[hyper];
  if (x->at < MAX (r->stamp[hyper], r->floor)) {
    x->room = count (ssn, task, hyper);
    x->at = r->clock;
  }
  return x->room;
}
