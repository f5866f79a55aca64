#include "dynamic-resources.h"
#include "device-allocator.h"
#include <string.h>

#define STEPS_PER_SECOND 1000000 /* of the search for devices: virtual time stands still, so its timeout counts steps */
#define BINDING_TIMEOUT 600      /* seconds, upstream's default; Volcano has no argument for it */
#define MOST_ALTERNATIVES 8      /* FirstAvailableDeviceRequestMaxSize */

typedef struct { guint32 node; const VcAllocation *const *allocation; } Found;
/* What PrePredicate leaves for a task (stateData). */
typedef struct {
  guint32 *claim; guint n;  /* rows; none when PrePredicate has failed */
  guint n_open;             /* claims that are not allocated */
  VcWish *wish;             /* [n_open] */
  VcCounterBook *book;
  guint at;                 /* place in the claims' journal */
  GArray *found;            /* Found: by the filter, one per node */
  guint32 dead_node;        /* where the filter failed last, and how */
  VcDeadEnd dead_end;
} State;

struct VcDynamicResources {
  VcSession *ssn;
  VcClaims *claims;
  VcArena *arena;           /* of the session */
  GPtrArray *founds;        /* the states' lists */
  VcAllocator *allocator;
  VcAllocatorLimits limits;
};

VcDynamicResources *
vc_dynamic_resources_new (gint64 timeout)
{
  VcDynamicResources *r = g_new0 (VcDynamicResources, 1);

  r->arena = vc_arena_new ();
  r->founds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  r->allocator = vc_allocator_new ();
  r->limits.steps = (guint64) timeout * STEPS_PER_SECOND;
  return r;
}

void
vc_dynamic_resources_free (VcDynamicResources *r)
{
  if (r == NULL)
    return;
  vc_arena_free (r->arena);
  g_ptr_array_unref (r->founds);
  vc_allocator_free (r->allocator);
  g_free (r);
}

void
vc_dynamic_resources_open (VcDynamicResources *r, VcSession *ssn)
{
  r->ssn = ssn;
  r->claims = vc_session_cluster (ssn)->claims;
  r->limits.plain = vc_session_is_plain (ssn);
  if (r->claims == NULL)
    return;
  /* States are the session's, as upstream's cycle states are: two entries of the plugin share them. */
  if (r->claims->states_session != vc_session_number (ssn)) {
    r->claims->states_session = vc_session_number (ssn);
    g_hash_table_remove_all (r->claims->states);
    vc_claims_open (r->claims);
  }
  g_ptr_array_set_size (r->founds, 0);
  vc_arena_reset (r->arena);
}

static State *
state_of (const VcDynamicResources *r, guint32 task)
{
  return g_hash_table_lookup (r->claims->states, GUINT_TO_POINTER (task + 1));
}

static const char *
say (VcDynamicResources *r, const char *format, ...) G_GNUC_PRINTF (2, 3);
static const char *
say (VcDynamicResources *r, const char *format, ...)
{
  va_list ap;

  va_start (ap, format);
  g_autofree char *text = g_strdup_vprintf (format, ap);
  va_end (ap);
  return vc_cluster_intern (r->claims->cluster, text);
}

/* ---- PrePredicate ------------------------------------------------------------------------------ */

/* The claim of one entry. VC_NONE with *reason NULL: the entry needs none. */
static guint32
find_claim (VcDynamicResources *r, const VcTask *t, const VcPodClaim *entry, const char **reason)
{
  *reason = NULL;
  if (entry->none)
    return VC_NONE;
  if (entry->claim == NULL) {
    *reason = entry->template != NULL ? say (r, "pod \"%s\": ResourceClaim not created yet", t->key)
                              : say (r, "pod \"%s\", spec.resourceClaim \"%s\": none of the supported fields are set", t->key, entry->name);
    return VC_NONE;
  }
  guint32 row = vc_claims_find (r->claims, t->ns, entry->claim);
  if (row == VC_NONE) {
    *reason = say (r, "could not find ResourceClaim \"%s/%s\"", t->ns, entry->claim);
    return VC_NONE;
  }
  const VcResourceClaim *c = &r->claims->claim[row];
  if (c->deleting)
    *reason = say (r, "resourceclaim \"%s\" is being deleted", c->name);
  else if (entry->template != NULL && g_strcmp0 (c->owner, t->uid) != 0)
    *reason = say (r, "ResourceClaim %s was not created for Pod %s (Pod is not owner)", c->key, t->key);
  return row;
}

/* The classes of a claim that is to be allocated must exist. */
static const char *
check_classes (VcDynamicResources *r, const VcResourceClaim *c)
{
  const VcClaimSpec *spec = &c->plan->spec;

  for (guint i = 0; i < spec->n_requests; i++) {
    const VcClaimRequest *q = &spec->request[i];

    if (q->n_asks == 0)
      return say (r, "resource claim %s, request %s: unknown request type", c->key, q->name);
    for (guint k = 0; k < q->n_asks; k++) {
      const char *class = q->ask[k].device_class, *slash = q->first ? "/" : "", *sub = q->first && q->ask[k].name != NULL ? q->ask[k].name : "";
      if (*class == '\0')
        return say (r, "request %s%s%s: unsupported request type", q->name, slash, sub);
      if (vc_claims_class (r->claims, class) == NULL)
        return say (r, "request %s%s%s: device class %s does not exist", q->name, slash, sub, class);
    }
  }
  return NULL;
}

const char *
vc_dynamic_resources_prepare (VcDynamicResources *r, guint32 task)
{
  const VcTask *t = vc_task (vc_session_cluster (r->ssn), task);
  const VcPodClaims *pod = t->claims;
  State *st = vc_arena_new0 (r->arena, State, 1);
  guint32 *rows = vc_arena_new0 (r->arena, guint32, pod->n);
  const char *reason = NULL;
  guint n = 0;

  g_hash_table_insert (r->claims->states, GUINT_TO_POINTER (task + 1), st);
  st->wish = vc_arena_new0 (r->arena, VcWish, pod->n);
  for (guint i = 0; i < pod->n; i++) {
    guint32 row = find_claim (r, t, &pod->entry[i], &reason);
    if (reason != NULL)
      return say (r, "plugin DynamicResources pre-predicates failed %s", reason);
    if (row != VC_NONE)
      rows[n++] = row;
  }
  for (guint i = 0; i < n; i++) {
    const VcResourceClaim *c = &r->claims->claim[rows[i]];

    if (c->allocation != NULL)
      continue;
    reason = c->flight != NULL ? say (r, "resource claim %s is in the process of being allocated", c->key) : check_classes (r, c);
    if (reason != NULL)
      return say (r, "plugin DynamicResources pre-predicates failed %s", reason);
    st->wish[st->n_open++] = (VcWish) { c->key, c->name, c->plan };
  }
  st->claim = rows;
  st->n = n;
  st->at = r->claims->journal->len;
  if (st->n_open > 0) {
    st->book = vc_counter_book_new (r->arena);
    st->found = g_array_new (FALSE, FALSE, sizeof (Found));
    g_ptr_array_add (r->founds, st->found);
  }
  return NULL;
}

/* ---- the filter --------------------------------------------------------------------------------- */

/* Is an allocated claim of no use here: elsewhere, or its devices will not get ready? */
static gboolean
is_unavailable (const VcDynamicResources *r, const VcResourceClaim *c, const VcNodeFacts *node)
{
  if (!vc_allocation_reaches (c->allocation, node))
    return TRUE;
  if (c->binding == VC_BINDING_READY)
    return FALSE;
  return c->binding == VC_BINDING_FAILED ||
         (c->allocated_at != VC_NO_TIME && c->allocated_at + BINDING_TIMEOUT < vc_session_now (r->ssn) / G_USEC_PER_SEC);
}

static void
remember (State *st, guint32 node, const VcAllocation *const *allocation)
{
  Found f = { node, allocation };

  for (guint i = 0; i < st->found->len; i++)
    if (g_array_index (st->found, Found, i).node == node) {
      g_array_index (st->found, Found, i) = f;
      return;
    }
  g_array_append_val (st->found, f);
}

static const VcAllocation *const *
recall (const State *st, guint32 node)
{
  for (guint i = st->found != NULL ? st->found->len : 0; i-- > 0;)
    if (g_array_index (st->found, Found, i).node == node)
      return g_array_index (st->found, Found, i).allocation;
  return NULL;
}

const char *
vc_dynamic_resources_filter (VcDynamicResources *r, guint32 task, guint32 node, VcCode *code)
{
  const VcNodeFacts *facts = &vc_session_cluster (r->ssn)->nodes.info[node].facts;
  State *st = state_of (r, task);
  gboolean unavailable = FALSE;
  const char *reason = NULL;

  *code = st != NULL ? VC_UNRESOLVABLE : VC_ERROR;
  if (st == NULL)
    return "not found"; /* PrePredicate ended before it came here */
  for (guint i = 0; i < st->n; i++) {
    const VcResourceClaim *c = &r->claims->claim[st->claim[i]];
    unavailable |= c->allocation != NULL && is_unavailable (r, c, facts);
  }
  const VcAllocation **out = NULL;
  if (st->n_open > 0) {
    gboolean travel = st->at < r->claims->journal->len; /* the filter sees what was taken when PrePredicate ran */

    out = vc_arena_new0 (r->arena, const VcAllocation *, st->n_open);
    if (travel)
      vc_claims_travel (r->claims, st->at, FALSE);
    VcAllocatorResult result = vc_allocator_run (r->allocator, r->claims, st->book, node, st->wish, st->n_open, &r->limits, r->arena, out, &reason);
    if (travel)
      vc_claims_travel (r->claims, st->at, TRUE);
    if (result == VC_ALLOCATED_ERROR)
      *code = VC_ERROR;
    if (result != VC_ALLOCATED_ALL) {
      st->dead_node = node;
      st->dead_end = vc_allocator_dead_end (r->allocator);
      return reason != NULL ? reason : "cannot allocate all claims";
    }
  }
  if (unavailable)
    return "resourceclaim not available on the node";
  if (st->n_open > 0)
    remember (st, node, out);
  return NULL;
}

/* ---- reserve ------------------------------------------------------------------------------------ */

gboolean
vc_dynamic_resources_reserve (VcDynamicResources *r, guint32 task, guint32 node)
{
  State *st = state_of (r, task);
  guint k = 0;

  if (st == NULL)
    return FALSE; /* "not found" */
  if (st->n_open == 0 || st->n == 0)
    return TRUE;
  const VcAllocation *const *found = node != VC_NONE ? recall (st, node) : NULL;
  if (found == NULL)
    return FALSE; /* "claim allocation not found for node" */
  for (guint i = 0; i < st->n; i++)
    if (r->claims->claim[st->claim[i]].allocation == NULL)
      vc_claims_take_off (r->claims, st->claim[i], found[k++]);
  return TRUE;
}

void
vc_dynamic_resources_unreserve (VcDynamicResources *r, guint32 task)
{
  const VcTask *t = vc_task (vc_session_cluster (r->ssn), task);
  const State *st = state_of (r, task);

  for (guint i = 0; st != NULL && i < st->n; i++) {
    const VcResourceClaim *c = &r->claims->claim[st->claim[i]];

    vc_claims_land (r->claims, st->claim[i], FALSE);
    if (c->allocation != NULL && vc_claims_is_reserved_for (c, t->uid))
      vc_claims_note_leaver (r->claims, st->claim[i], t->uid);
  }
}

/* ---- score -------------------------------------------------------------------------------------- */

static gint64
worth (const VcResourceClaim *c, const VcAllocation *a)
{
  const VcClaimSpec *spec = &c->plan->spec;
  gint64 sum = 0;

  for (guint i = 0; i < spec->n_requests; i++) {
    const VcClaimRequest *q = &spec->request[i];
    gsize len = strlen (q->name);

    for (guint k = 0; q->first && k < q->n_asks; k++) {
      gboolean chosen = FALSE;
      for (guint d = 0; d < a->n && !chosen; d++) {
        const char *name = a->taken[d].request;
        chosen = strncmp (name, q->name, len) == 0 && name[len] == '/' && strcmp (name + len + 1, q->ask[k].name) == 0;
      }
      if (chosen)
        sum += MOST_ALTERNATIVES - (gint64) k;
    }
  }
  return sum;
}

gboolean
vc_dynamic_resources_score (VcDynamicResources *r, guint32 task, const guint32 *nodes, guint n, double *score)
{
  const State *st = state_of (r, task);
  g_autofree gint64 *sum = g_new0 (gint64, n);
  gint64 most = 0;

  if (st == NULL)
    return FALSE;
  if (st->n == 0)
    return TRUE;
  for (guint i = 0; i < n; i++) {
    const VcAllocation *const *found = recall (st, nodes[i]);

    if (found == NULL)
      continue;
    /* Allocations stand by open claims, but are read by claim: a pod that has an allocated claim as well runs out of them. */
    if (st->n > st->n_open)
      return FALSE;
    for (guint k = 0; k < st->n; k++)
      sum[i] += worth (&r->claims->claim[st->claim[k]], found[k]);
    most = MAX (most, sum[i]);
  }
  for (guint i = 0; i < n && most > 0; i++)
    score[i] += (double) (sum[i] * 100 / most);
  return TRUE;
}

/* ---- why ----------------------------------------------------------------------------------------- */

void
vc_dynamic_resources_explain (const VcDynamicResources *r, guint32 task, guint32 node, GString *out)
{
  const State *st = state_of (r, task);
  const VcAllocation *const *found = st != NULL ? recall (st, node) : NULL;

  for (guint i = 0; found != NULL && i < st->n_open; i++) {
    g_autofree char *devices = vc_allocation_describe (r->claims, found[i]);
    g_string_append_printf (out, "claim %s: %s\n", st->wish[i].key, devices);
  }
  if (found == NULL && st != NULL && st->dead_end.claim != NULL && st->dead_node == node)
    g_string_append_printf (out, "claim %s, request %s: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " devices found\n", st->dead_end.claim, st->dead_end.request,
                            st->dead_end.got, st->dead_end.wanted);
  for (guint i = 0; st != NULL && i < st->n; i++) {
    const VcResourceClaim *c = &r->claims->claim[st->claim[i]];
    if (c->allocation == NULL)
      continue;
    g_autofree char *devices = vc_allocation_describe (r->claims, c->allocation);
    g_string_append_printf (out, "claim %s is allocated%s: %s\n", c->key,
                            is_unavailable (r, c, &vc_session_cluster (r->ssn)->nodes.info[node].facts) ? " and of no use here" : "", devices);
  }
}
