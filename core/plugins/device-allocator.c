#include "device-allocator.h"
#include "device-capacity.h"
#include <stdarg.h>

#define MOST_RESULTS 32 /* AllocationResultsMaxSize: devices of one claim */

typedef struct { const VcNodePool *pool; const VcSlice *slice; const VcDevice *device; } Candidate;
typedef struct {
  const VcClaimRequest *request;
  const VcSubRequest *ask;
  const VcSelectorCel *const *selector;
  const VcClaimClass *class;
  gint64 n_devices;
  const Candidate *all; /* of "all" devices */
} Ask;
typedef struct { Ask *ask; guint n; } Request;

/* A constraint of the claim at hand, with what it has seen. */
typedef struct { const char *request; const VcDeviceAttribute *attribute; } Seen;
typedef struct {
  const VcDeviceConstraint *of;
  guint n_devices;
  const VcDeviceAttribute *attribute; /* matchAttribute: of the first device */
  Seen *seen; guint n_seen;           /* distinctAttribute: one per request */
} Constraint;

typedef struct { Candidate at; const Ask *ask; gboolean admin, shared; const VcExact *consumed; guint n_consumed; } Result;
typedef struct {
  Request *request;
  Constraint *constraint;
  Result result[MOST_RESULTS];
  guint n_results;
} ClaimState;

typedef struct { const char *pool, *set, *counter; VcNano amount; } Counter;
struct VcCounterBook {
  VcArena *arena;
  Counter *counter; guint n, cap;
  const char **known; guint n_known, cap_known; /* pools that have been asked */
};

typedef struct { guint32 stamp; guint64 claims; } Mark; /* which of the claims take the device */
struct VcAllocator {
  Mark *mark; guint32 n_marks, stamp;
  VcArena *scratch; /* of one attempt */
  VcDeadEnd dead_end;
};

typedef enum { GOING, EXCEEDED, FAILED } Trouble;
typedef struct { guint claim, request, sub; gint64 device; } Goal;
typedef struct {
  VcAllocator *memory;
  VcClaims *s;
  VcCounterBook *book;
  VcArena *arena;
  const VcNodeFacts *node;
  const VcNodePools *pools;
  const VcWish *wish;
  ClaimState *claim; guint n_claims;
  VcCapacityUse *use;                   /* capacity of shared devices in this attempt */
  Counter *consumed; guint n_consumed, cap_consumed;
  VcAllocatorLimits limits;
  guint64 steps;
  Goal furthest;                        /* for whoever asks why */
  const char *reason;
} Search;

VcAllocator *
vc_allocator_new (void)
{
  VcAllocator *a = g_new0 (VcAllocator, 1);

  a->scratch = vc_arena_new ();
  return a;
}

void
vc_allocator_free (VcAllocator *a)
{
  if (a == NULL)
    return;
  vc_arena_free (a->scratch);
  g_free (a->mark);
  g_free (a);
}

VcCounterBook *
vc_counter_book_new (VcArena *arena)
{
  VcCounterBook *book = vc_arena_new0 (arena, VcCounterBook, 1);

  book->arena = arena;
  return book;
}

static gboolean G_GNUC_PRINTF (2, 3)
fail (Search *x, const char *format, ...)
{
  va_list ap;

  va_start (ap, format);
  g_autofree char *text = g_strdup_vprintf (format, ap);
  va_end (ap);
  x->reason = vc_cluster_intern (x->s->cluster, text);
  return FALSE;
}

static const char *
ask_name (const Ask *a)
{
  return a->ask->name != NULL ? a->ask->name : a->request->name;
}

/* ---- which devices may serve --------------------------------------------------------------------- */

static Mark *
mark_of (Search *x, guint32 device)
{
  Mark *m = &x->memory->mark[device];

  if (m->stamp != x->memory->stamp)
    *m = (Mark) { x->memory->stamp, 0 };
  return m;
}

static gboolean
in_use (Search *x, guint32 device)
{
  return vc_device_is_taken (vc_claims_device (x->s, device)) || mark_of (x, device)->claims != 0;
}

static gboolean
matches_all (Search *x, const VcSelectorCel *const *selector, guint n, const VcDevice *d, const VcClaimClass *class, guint claim)
{
  for (guint i = 0; i < n; i++) {
    const char *error;

    if (vc_claims_matches (x->s, selector[i], d, x->limits.plain, &error))
      continue;
    if (error != NULL && class != NULL)
      fail (x, "class %s: selector #%u: CEL runtime error: %s", class->name, i, error);
    else if (error != NULL)
      fail (x, "claim %s: selector #%u: CEL runtime error: %s", x->wish[claim].key, i, error);
    return FALSE;
  }
  return TRUE;
}

/* FALSE, with x->reason set when it could not be told. */
static gboolean
is_selectable (Search *x, guint claim, const Ask *a, const Candidate *c)
{
  const VcDeviceObject *o = c->device->object;

  if (!matches_all (x, a->class->selector, a->class->n_selectors, c->device, a->class, claim) ||
      !matches_all (x, a->selector, a->ask->n_selectors, c->device, NULL, claim))
    return FALSE;
  return !c->slice->object->per_device || vc_node_is_reached (o->node, o->all_nodes, &o->nodes, x->node);
}

static VcCapacityCheck
check_capacity (Search *x, const Ask *a, const VcDevice *d)
{
  return vc_capacity_check (vc_claims_device (x->s, d->id), d->object, &a->ask->capacity, vc_capacity_use_of (x->use, d->id));
}

/* ---- preparation ------------------------------------------------------------------------------- */

static const char *
pool_text (Search *x, const VcNodePool *p)
{
  const VcPool *pool = &g_array_index (x->s->pools, VcPool, p->pool);
  g_autofree char *text = g_strdup_printf ("%s/%s", pool->driver, pool->name);

  return vc_cluster_intern (x->s->cluster, text);
}

/* "all" is fixed before the search. */
static gboolean
find_all (Search *x, guint claim, Ask *a)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (Candidate));

  for (guint p = 0; p < x->pools->n; p++) {
    const VcNodePool *pool = &x->pools->pool[p];

    if (pool->incomplete || pool->invalid)
      return fail (x, "claim %s, request %s: asks for all devices, but resource pool %s is currently %s", x->wish[claim].key, ask_name (a),
                   pool_text (x, pool), pool->incomplete ? "being updated" : "invalid");
    for (guint i = 0; i < pool->n_slices; i++)
      for (guint d = 0; d < pool->slice[i]->object->n_devices; d++) {
        Candidate c = { pool, pool->slice[i], &pool->slice[i]->device[d] };

        if (is_selectable (x, claim, a, &c)) {
          if (check_capacity (x, a, c.device) == VC_CAPACITY_FITS)
            g_array_append_val (list, c);
        } else if (x->reason != NULL) {
          return FALSE;
        }
      }
  }
  Candidate *all = vc_arena_new0 (x->arena, Candidate, list->len + 1);
  if (list->len > 0)
    memcpy (all, list->data, list->len * sizeof *all);
  a->all = all;
  a->n_devices = list->len;
  return TRUE;
}

static gboolean
prepare_ask (Search *x, guint claim, Ask *a)
{
  const char *key = x->wish[claim].key;

  if (*a->ask->device_class == '\0')
    return fail (x, "claim %s, request %s: missing device class name (unsupported request type?)", key, ask_name (a));
  a->class = vc_claims_class (x->s, a->ask->device_class);
  if (a->class == NULL)
    return fail (x, "claim %s, request %s: could not retrieve device class %s: deviceclass.resource.k8s.io \"%s\" not found", key, ask_name (a), a->ask->device_class,
                 a->ask->device_class);
  switch (a->ask->mode) {
  case VC_DEVICES_EXACT:
    a->n_devices = a->ask->count;
    return TRUE;
  case VC_DEVICES_ALL:
    return find_all (x, claim, a);
  case VC_DEVICES_OTHER:
  default:
    return fail (x, "claim %s, request %s: unsupported count mode %s", key, ask_name (a), a->ask->mode_text);
  }
}

static gboolean
prepare_claim (Search *x, guint claim)
{
  const VcClaimPlan *plan = x->wish[claim].plan;
  ClaimState *state = &x->claim[claim];
  gint64 least = 0;

  state->request = vc_arena_new0 (x->arena, Request, plan->spec.n_requests + 1);
  for (guint r = 0; r < plan->spec.n_requests; r++) {
    const VcClaimRequest *request = &plan->spec.request[r];
    gint64 least_of_request = G_MAXINT64;

    state->request[r] = (Request) { vc_arena_new0 (x->arena, Ask, request->n_asks + 1), request->n_asks };
    for (guint k = 0; k < request->n_asks; k++) {
      Ask *a = &state->request[r].ask[k];
      *a = (Ask) { .request = request, .ask = plan->ask[r][k].ask, .selector = plan->ask[r][k].selector };
      if (!prepare_ask (x, claim, a))
        return FALSE;
      least_of_request = MIN (least_of_request, a->n_devices);
    }
    if (__builtin_add_overflow (least, least_of_request, &least))
      least = G_MAXINT64;
  }
  if (least > MOST_RESULTS)
    return fail (x, "claim %s: number of requested devices %" G_GINT64_FORMAT " exceeds the claim limit of %d", x->wish[claim].key, least, MOST_RESULTS);
  state->constraint = vc_arena_new0 (x->arena, Constraint, plan->spec.n_constraints + 1);
  for (guint i = 0; i < plan->spec.n_constraints; i++) {
    state->constraint[i].of = &plan->spec.constraint[i];
    if (plan->spec.constraint[i].attribute == NULL)
      return fail (x, "claim %s, constraint #%u: empty constraint (unsupported constraint type?)", x->wish[claim].key, i);
    state->constraint[i].seen = vc_arena_new0 (x->arena, Seen, plan->spec.n_requests + 1);
  }
  return TRUE;
}

/* ---- constraints ------------------------------------------------------------------------------- */

static gboolean
concerns (const VcDeviceConstraint *c, const Ask *a)
{
  for (guint i = 0; i < c->n_requests; i++) {
    const char *name = c->request[i], *base = a->request->name;
    gsize len = strlen (base);

    if (strcmp (name, base) == 0)
      return TRUE;
    if (a->ask->name != NULL && strncmp (name, base, len) == 0 && name[len] == '/' && strcmp (name + len + 1, a->ask->name) == 0)
      return TRUE;
  }
  return c->n_requests == 0;
}

static gboolean
same_value (const VcDeviceAttribute *a, const VcDeviceAttribute *b)
{
  if (a->kind != b->kind)
    return FALSE;
  return a->kind == VC_CEL_STRING || a->kind == VC_CEL_SEMVER ? strcmp (a->text, b->text) == 0 : a->i == b->i;
}

static gboolean
constraint_add (Constraint *k, const Ask *a, const VcDevice *d, const char *driver)
{
  if (!concerns (k->of, a))
    return TRUE;
  const VcDeviceAttribute *attribute = vc_device_attribute (d, driver, k->of->attribute);
  if (attribute == NULL)
    return FALSE;
  if (!k->of->distinct) {
    if (k->n_devices > 0 && !same_value (attribute, k->attribute))
      return FALSE;
    if (k->n_devices == 0)
      k->attribute = attribute;
    k->n_devices++;
    return TRUE;
  }
  guint at = k->n_seen;
  for (guint i = 0; i < k->n_seen; i++) {
    if (k->n_devices > 0 && same_value (attribute, k->seen[i].attribute))
      return FALSE;
    if (k->seen[i].request == a->request->name)
      at = i;
  }
  k->seen[at] = (Seen) { a->request->name, attribute };
  k->n_seen = MAX (k->n_seen, at + 1);
  k->n_devices = k->n_devices == 0 ? 1 : k->n_devices + 1;
  return TRUE;
}

static void
constraint_remove (Constraint *k, const Ask *a)
{
  if (!concerns (k->of, a))
    return;
  k->n_devices--;
  for (guint i = 0; k->of->distinct && i < k->n_seen; i++)
    if (k->seen[i].request == a->request->name) {
      k->seen[i] = k->seen[--k->n_seen];
      break;
    }
}

/* ---- counters ---------------------------------------------------------------------------------- */

static Counter *
find_counter (Counter *list, guint n, const char *pool, const char *set, const char *name)
{
  for (guint i = 0; i < n; i++)
    if (list[i].pool == pool && strcmp (list[i].set, set) == 0 && strcmp (list[i].counter, name) == 0)
      return &list[i];
  return NULL;
}

static Counter *
append_counter (VcArena *arena, Counter **list, guint *n, guint *cap, Counter c)
{
  if (*n == *cap) {
    guint more = MAX (16, *cap * 2);
    Counter *grown = vc_arena_new0 (arena, Counter, more);
    if (*n > 0)
      memcpy (grown, *list, *n * sizeof *grown);
    *list = grown;
    *cap = more;
  }
  (*list)[*n] = c;
  return &(*list)[(*n)++];
}

/* What other claims have left of the pool's counters. */
static void
open_counters (Search *x, const char *name, const VcNodePool *pool)
{
  VcCounterBook *b = x->book;
  const VcSlice *const *const lists[] = { pool->slice, pool->elsewhere };
  const guint n[] = { pool->n_slices, pool->n_elsewhere };

  for (guint i = 0; i < pool->n_sets; i++)
    for (guint k = 0; k < pool->set[i]->counters.n; k++)
      append_counter (b->arena, &b->counter, &b->n, &b->cap,
                      (Counter) { name, pool->set[i]->set, pool->set[i]->counters.item[k].name, pool->set[i]->counters.item[k].amount });
  for (guint l = 0; l < G_N_ELEMENTS (lists); l++)
    for (guint i = 0; i < n[l]; i++)
      for (guint d = 0; d < lists[l][i]->object->n_devices; d++) {
        const VcDeviceObject *o = &lists[l][i]->object->device[d];
        if (o->n_consumes == 0 || !vc_device_is_taken (vc_claims_device (x->s, lists[l][i]->device[d].id)))
          continue;
        for (guint k = 0; k < o->n_consumes; k++)
          for (guint m = 0; m < o->consumes[k].counters.n; m++) {
            Counter *c = find_counter (b->counter, b->n, name, o->consumes[k].set, o->consumes[k].counters.item[m].name);
            if (c != NULL)
              c->amount -= o->consumes[k].counters.item[m].amount;
          }
      }
  if (b->n_known == b->cap_known) {
    guint more = MAX (8, b->cap_known * 2);
    const char **grown = vc_arena_new0 (b->arena, const char *, more);
    if (b->n_known > 0)
      memcpy (grown, b->known, b->n_known * sizeof *grown);
    b->known = grown;
    b->cap_known = more;
  }
  b->known[b->n_known++] = name;
}

static void
count (Search *x, const char *pool, const VcDeviceObject *o, gboolean plus)
{
  for (guint k = 0; k < o->n_consumes; k++)
    for (guint m = 0; m < o->consumes[k].counters.n; m++) {
      const VcExact *amount = &o->consumes[k].counters.item[m];
      Counter *c = find_counter (x->consumed, x->n_consumed, pool, o->consumes[k].set, amount->name);
      if (c == NULL)
        c = append_counter (x->arena, &x->consumed, &x->n_consumed, &x->cap_consumed, (Counter) { pool, o->consumes[k].set, amount->name, 0 });
      c->amount += plus ? amount->amount : -amount->amount;
    }
}

/* Book the device's counters; FALSE, and nothing booked, when some counter of the pool does not suffice. */
static gboolean
book_counters (Search *x, const Candidate *c)
{
  const char *name = c->slice->pool;
  gboolean known = FALSE;

  for (guint i = 0; i < x->book->n_known && !known; i++)
    known = x->book->known[i] == name;
  if (!known)
    open_counters (x, name, c->pool);
  count (x, name, c->device->object, TRUE);
  for (guint i = 0; i < x->book->n; i++) {
    const Counter *left = &x->book->counter[i];
    if (left->pool != name)
      continue;
    const Counter *used = find_counter (x->consumed, x->n_consumed, name, left->set, left->counter);
    if (left->amount < (used != NULL ? used->amount : 0)) {
      count (x, name, c->device->object, FALSE);
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- one device --------------------------------------------------------------------------------- */

static gboolean
tolerates (const VcToleration *t, const VcTaint *taint)
{
  const char *effect = t->effect != NULL ? t->effect : "", *key = t->key != NULL ? t->key : "";

  if (*effect != '\0' && strcmp (effect, taint->effect != NULL ? taint->effect : "") != 0)
    return FALSE;
  if (*key != '\0' && strcmp (key, taint->key != NULL ? taint->key : "") != 0)
    return FALSE;
  if (t->op == VC_TOLERATE_EQUAL)
    return strcmp (t->value != NULL ? t->value : "", taint->value != NULL ? taint->value : "") == 0;
  return t->op == VC_TOLERATE_EXISTS;
}

static gboolean
taint_prevents (const VcDeviceObject *d, const VcSubRequest *a)
{
  for (guint i = 0; i < d->n_taints; i++) {
    gboolean tolerated = FALSE;

    if (g_strcmp0 (d->taint[i].effect, "NoSchedule") != 0 && g_strcmp0 (d->taint[i].effect, "NoExecute") != 0)
      continue;
    for (guint k = 0; k < a->n_tolerations && !tolerated; k++)
      tolerated = tolerates (&a->toleration[k], &d->taint[i]);
    if (!tolerated)
      return TRUE;
  }
  return FALSE;
}

/* Take the device for the claim; FALSE when it cannot be, with x->reason when the search must end. @must: no other device will do. */
static gboolean
take (Search *x, guint claim, const Ask *a, const Candidate *c, gboolean must)
{
  ClaimState *state = &x->claim[claim];
  const VcDeviceObject *o = c->device->object;
  Mark *mark = mark_of (x, c->device->id);
  guint n_constraints = x->wish[claim].plan->spec.n_constraints;

  if (!o->shared && a->ask->admin && (mark->claims >> claim & 1u))
    return FALSE;
  if (!a->ask->admin && in_use (x, c->device->id))
    return FALSE;
  gboolean used = vc_device_is_consumed (vc_claims_device (x->s, c->device->id)) || vc_capacity_use_of (x->use, c->device->id) != NULL;
  if (!(o->shared && used) && o->n_consumes > 0) {
    if (must)
      return fail (x, "claim %s, request %s: all devices, among them some that consume counters: Volcano breaks down here (nil pointer in checkAvailableCounters)",
                   x->wish[claim].key, ask_name (a));
    if (!book_counters (x, c))
      return FALSE;
  }
  if (taint_prevents (o, a->ask))
    return FALSE;
  for (guint i = 0; i < n_constraints; i++) {
    if (constraint_add (&state->constraint[i], a, c->device, c->slice->driver))
      continue;
    if (must)
      return fail (x, "claim %s, request %s: cannot add device %s/%s/%s because a claim constraint would not be satisfied", x->wish[claim].key, ask_name (a),
                   c->slice->driver, c->slice->pool, o->name);
    while (i-- > 0)
      constraint_remove (&state->constraint[i], a);
    return FALSE;
  }
  if (!o->shared)
    mark->claims |= G_GUINT64_CONSTANT (1) << claim;
  if (check_capacity (x, a, c->device) != VC_CAPACITY_FITS)
    return FALSE; /* what has been marked stays so, as upstream */
  Result *r = &state->result[state->n_results++];
  *r = (Result) { .at = *c, .ask = a, .admin = a->ask->admin, .shared = o->shared };
  if (o->shared) {
    r->consumed = vc_capacity_consumption (o, &a->ask->capacity, x->arena);
    r->n_consumed = o->n_capacities;
    vc_capacity_use_add (&x->use, x->arena, c->device->id, o, r->consumed);
  }
  return TRUE;
}

/* Undo the last take() of the claim. */
static void
give_back (Search *x, guint claim, const Ask *a, const Candidate *c)
{
  ClaimState *state = &x->claim[claim];
  const Result *r = &state->result[--state->n_results];

  for (guint i = 0; i < x->wish[claim].plan->spec.n_constraints; i++)
    constraint_remove (&state->constraint[i], a);
  mark_of (x, c->device->id)->claims &= ~(G_GUINT64_CONSTANT (1) << claim);
  if (!r->shared) {
    if (c->device->object->n_consumes > 0)
      count (x, c->slice->pool, c->device->object, FALSE);
  } else if (r->n_consumed > 0) {
    vc_capacity_use_remove (x->use, c->device->id, r->consumed);
  }
}

/* ---- the search ---------------------------------------------------------------------------------- */

typedef struct { guint pool, slice, device; } Place;

static Trouble allocate_one (Search *x, Goal g, gboolean sub, Place from, gboolean *done);

/* firstAvailable: the first alternative that leads to the end. */
static Trouble
allocate_first (Search *x, Goal g, gboolean *done)
{
  const Request *r = &x->claim[g.claim].request[g.request];
  gboolean all_exceeded = TRUE;

  for (g.sub = 0; g.sub < r->n; g.sub++) {
    Trouble t = allocate_one (x, g, TRUE, (Place) { 0 }, done);

    if (t == EXCEEDED)
      continue;
    all_exceeded = FALSE;
    if (t == FAILED || *done)
      return t;
  }
  return all_exceeded ? EXCEEDED : GOING;
}

static Trouble
allocate_all (Search *x, Goal g, const Ask *a, gboolean sub, gboolean *done)
{
  const Candidate *c = &a->all[g.device];
  Goal next = { g.claim, g.request, g.sub, g.device + 1 };

  if (!take (x, g.claim, a, c, TRUE))
    return x->reason != NULL ? FAILED : GOING;
  Trouble t = allocate_one (x, next, sub, (Place) { 0 }, done);
  if (t != GOING || !*done)
    give_back (x, g.claim, a, c);
  return t;
}

/* One more device of a request, from @from on: combinations, not permutations. */
static Trouble
allocate_some (Search *x, Goal g, const Ask *a, gboolean sub, Place from, gboolean *done)
{
  for (guint p = from.pool; p < x->pools->n; p++) {
    const VcNodePool *pool = &x->pools->pool[p];

    if (pool->incomplete || pool->invalid)
      continue;
    for (guint i = p == from.pool ? from.slice : 0; i < pool->n_slices; i++)
      for (guint d = p == from.pool && i == from.slice ? from.device : 0; d < pool->slice[i]->object->n_devices; d++) {
        Candidate c = { pool, pool->slice[i], &pool->slice[i]->device[d] };
        Goal next = { g.claim, g.request, g.sub, g.device + 1 };

        if (a->ask->admin ? (mark_of (x, c.device->id)->claims >> g.claim & 1u) != 0 : in_use (x, c.device->id))
          continue;
        if (!is_selectable (x, g.claim, a, &c)) {
          if (x->reason != NULL)
            return FAILED;
          continue;
        }
        if (check_capacity (x, a, c.device) != VC_CAPACITY_FITS)
          continue;
        if (!take (x, g.claim, a, &c, FALSE)) {
          if (x->reason != NULL)
            return FAILED;
          continue;
        }
        Trouble t = allocate_one (x, next, sub, (Place) { p, i, d + 1 }, done);
        if (t == GOING && *done)
          return GOING;
        give_back (x, g.claim, a, &c);
        if (t != GOING)
          return t;
      }
  }
  return GOING;
}

static gboolean
is_further (const Goal *a, const Goal *b)
{
  if (a->claim != b->claim || a->request != b->request)
    return a->claim != b->claim ? a->claim > b->claim : a->request > b->request;
  return a->device >= b->device;
}

/* @sub: an alternative of firstAvailable has been chosen. */
static Trouble
allocate_one (Search *x, Goal g, gboolean sub, Place from, gboolean *done)
{
  *done = FALSE;
  if (x->limits.steps > 0 && ++x->steps > x->limits.steps) {
    fail (x, "node %s: timed out trying to allocate devices", x->node->name);
    return FAILED;
  }
  if (g.claim >= x->n_claims) {
    *done = TRUE;
    return GOING;
  }
  if (g.request >= x->wish[g.claim].plan->spec.n_requests) {
    Trouble t = allocate_one (x, (Goal) { .claim = g.claim + 1 }, FALSE, (Place) { 0 }, done);
    return t == EXCEEDED ? GOING : t; /* another claim's affair */
  }
  const Request *r = &x->claim[g.claim].request[g.request];
  if (!sub && r->n > 0 && r->ask[0].request->first)
    return allocate_first (x, g, done);
  const Ask *a = &r->ask[g.sub];
  gboolean all = a->ask->mode == VC_DEVICES_ALL;
  if (is_further (&g, &x->furthest)) {
    x->furthest = g;
    x->memory->dead_end = (VcDeadEnd) { x->wish[g.claim].key, ask_name (a), g.device, a->n_devices };
  }
  if (all && a->n_devices == 0)
    return GOING;
  if (g.device >= a->n_devices)
    return allocate_one (x, (Goal) { .claim = g.claim, .request = g.request + 1 }, FALSE, (Place) { 0 }, done);
  if ((gint64) x->claim[g.claim].n_results + a->n_devices - g.device > MOST_RESULTS)
    return EXCEEDED;
  return all ? allocate_all (x, g, a, sub, done) : allocate_some (x, g, a, sub, from, done);
}

/* ---- the result ---------------------------------------------------------------------------------- */

static gboolean
same_requirement (const VcExpression *a, const VcExpression *b)
{
  if (strcmp (a->key, b->key) != 0 || a->op != b->op)
    return FALSE;
  for (int turn = 0; turn < 2; turn++) {
    const VcExpression *of = turn ? b : a, *in = turn ? a : b;
    for (guint i = 0; i < of->n_values; i++) {
      gboolean found = FALSE;
      for (guint k = 0; k < in->n_values && !found; k++)
        found = strcmp (of->value[i], in->value[k]) == 0;
      if (!found)
        return FALSE;
    }
  }
  return TRUE;
}

static void
add_requirements (GArray *to, const VcExpression *from, guint n)
{
  for (guint i = 0; i < n; i++) {
    gboolean there = FALSE;
    for (guint k = 0; k < to->len && !there; k++)
      there = same_requirement (&g_array_index (to, VcExpression, k), &from[i]);
    if (!there)
      g_array_append_val (to, from[i]);
  }
}

/* Where the claim can be used: here alone when a device is local, else where all of its devices are. */
static gboolean
set_nodes (Search *x, guint claim, VcAllocation *out)
{
  const ClaimState *state = &x->claim[claim];
  g_autoptr (GArray) labels = g_array_new (FALSE, FALSE, sizeof (VcExpression));
  g_autoptr (GArray) fields = g_array_new (FALSE, FALSE, sizeof (VcExpression));

  for (guint i = 0; i < state->n_results; i++) {
    const Candidate *c = &state->result[i].at;
    const VcDeviceObject *d = c->device->object;
    const VcResourceSliceObject *slice = c->slice->object;
    const VcNodeTerms *nodes = slice->per_device ? &d->nodes : &slice->nodes;

    if ((slice->per_device ? d->node : slice->node) != NULL || d->binds_to_node) {
      out->node = vc_cluster_intern (x->s->cluster, x->node->name);
      return TRUE;
    }
    if (nodes->given && nodes->n > 1)
      return fail (x, "create NodeSelector for claim %s: unsupported ResourceSlice.NodeSelector with %u terms", x->wish[claim].name, nodes->n);
    if (nodes->n == 1) {
      add_requirements (fields, nodes->term[0].field, nodes->term[0].n_fields);
      add_requirements (labels, nodes->term[0].label, nodes->term[0].n_labels);
    }
  }
  if (labels->len == 0 && fields->len == 0)
    return TRUE;
  const VcNodeTerm term = { .label = (const VcExpression *) (gpointer) labels->data, .n_labels = labels->len,
                            .field = (const VcExpression *) (gpointer) fields->data, .n_fields = fields->len };
  out->nodes = vc_claims_keep_terms (x->s, &(VcNodeTerms) { &term, 1, TRUE });
  return TRUE;
}

static const VcAllocation *
result_of (Search *x, guint claim, VcArena *arena)
{
  const ClaimState *state = &x->claim[claim];
  VcAllocation *out = vc_arena_alloc (arena, sizeof *out + state->n_results * sizeof (VcTaken));

  out->n = state->n_results;
  for (guint i = 0; i < state->n_results; i++) {
    const Result *r = &state->result[i];
    VcExact *consumed = vc_arena_new0 (arena, VcExact, r->n_consumed);
    if (r->n_consumed > 0)
      memcpy (consumed, r->consumed, r->n_consumed * sizeof *consumed);
    g_autofree char *request = r->ask->ask->name != NULL ? g_strconcat (r->ask->request->name, "/", r->ask->ask->name, NULL) : g_strdup (r->ask->request->name);
    out->taken[i] = (VcTaken) { r->at.device->id, vc_cluster_intern (x->s->cluster, request), r->admin, r->shared, { consumed, r->n_consumed, r->n_consumed > 0 } };
  }
  return set_nodes (x, claim, out) ? out : NULL;
}

VcAllocatorResult
vc_allocator_run (VcAllocator *a, VcClaims *s, VcCounterBook *book, guint32 node, const VcWish *wish, guint n, const VcAllocatorLimits *limits,
                  VcArena *arena, const VcAllocation **out, const char **reason)
{
  Search x = { .memory = a, .s = s, .book = book, .arena = a->scratch, .node = &s->cluster->nodes.info[node].facts, .pools = vc_claims_pools (s, node),
               .wish = wish, .n_claims = n, .limits = *limits };
  gboolean done = FALSE;

  *reason = NULL;
  if (s->devices->len > a->n_marks) {
    a->mark = g_renew (Mark, a->mark, s->devices->len);
    memset (a->mark + a->n_marks, 0, (s->devices->len - a->n_marks) * sizeof *a->mark);
    a->n_marks = s->devices->len;
  }
  if (++a->stamp == 0) { /* wrapped around: old marks would look new */
    memset (a->mark, 0, a->n_marks * sizeof *a->mark);
    a->stamp = 1;
  }
  vc_arena_reset (a->scratch);
  a->dead_end = (VcDeadEnd) { 0 };
  x.claim = vc_arena_new0 (a->scratch, ClaimState, n + 1);
  for (guint i = 0; i < n; i++)
    if (!prepare_claim (&x, i)) {
      *reason = x.reason;
      return VC_ALLOCATED_ERROR;
    }
  Trouble t = allocate_one (&x, (Goal) { 0 }, FALSE, (Place) { 0 }, &done);
  if (t == EXCEEDED)
    fail (&x, "allocation max size exceeded");
  if (t == GOING && !done) {
    for (guint p = 0; p < x.pools->n && *reason == NULL; p++)
      if (x.pools->pool[p].invalid)
        *reason = "invalid resource pools were encountered";
    return VC_ALLOCATED_NOT;
  }
  for (guint i = 0; i < n && x.reason == NULL; i++)
    out[i] = result_of (&x, i, arena);
  *reason = x.reason;
  return x.reason != NULL ? VC_ALLOCATED_ERROR : VC_ALLOCATED_ALL;
}

VcDeadEnd
vc_allocator_dead_end (const VcAllocator *a)
{
  return a->dead_end;
}
