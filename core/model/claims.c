/* Classes, claims, and what is taken: see claims.h. Slices and pools are in device-pools.c. */
#include "claims.h"
#include "device-pools.h"
#include <string.h>

/* ---- the whole ------------------------------------------------------------------------------- */

static void
class_free (gpointer p)
{
  VcClaimClass *class = p;

  g_free ((gpointer) class->selector);
  g_free (class);
}

VcClaims *
vc_claims_get (VcCluster *c)
{
  if (c->claims != NULL)
    return c->claims;
  VcClaims *s = c->claims = g_new0 (VcClaims, 1);

  s->cluster = c;
  s->class_of = g_hash_table_new_full (NULL, NULL, NULL, class_free);
  s->selectors = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, vc_selector_cel_free);
  s->slices = g_ptr_array_new_with_free_func (vc_slice_free);
  s->devices = g_array_new (FALSE, TRUE, sizeof (VcDeviceId));
  s->device_rows = g_hash_table_new (NULL, NULL);
  s->pools = g_array_new (FALSE, TRUE, sizeof (VcPool));
  s->pool_rows = g_hash_table_new (NULL, NULL);
  s->claim_rows = g_hash_table_new (NULL, NULL);
  s->kept = vc_arena_new ();
  s->kept_terms = g_hash_table_new (g_str_hash, g_str_equal);
  s->plans = g_hash_table_new (g_str_hash, g_str_equal);
  s->free_claims = g_array_new (FALSE, FALSE, sizeof (guint32));
  s->pools_arena = vc_arena_new ();
  s->slices_of = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_ptr_array_unref);
  s->slices_shared = g_ptr_array_new ();
  s->states = g_hash_table_new (NULL, NULL);
  s->leavers = g_array_new (FALSE, FALSE, sizeof (VcLeaver));
  s->journal = g_array_new (FALSE, FALSE, sizeof (VcFlight));
  return s;
}

static void
claim_clear (VcResourceClaim *c)
{
  g_free (c->allocation);
  g_free (c->flight);
  g_clear_pointer (&c->reserved_for, g_ptr_array_unref);
}

void
vc_claims_free (VcClaims *s)
{
  if (s == NULL)
    return;
  for (guint32 i = 0; i < s->n_claims; i++)
    claim_clear (&s->claim[i]);
  for (guint i = 0; i < s->devices->len; i++) {
    g_clear_pointer (&vc_claims_device (s, i)->consumed, g_array_unref);
    g_clear_pointer (&vc_claims_device (s, i)->flying, g_array_unref);
  }
  g_free (s->of_node);
  g_free (s->claim);
  g_hash_table_unref (s->class_of);
  g_ptr_array_unref (s->slices);
  g_hash_table_unref (s->selectors);
  g_array_unref (s->devices);
  g_hash_table_unref (s->device_rows);
  g_array_unref (s->pools);
  g_hash_table_unref (s->pool_rows);
  g_hash_table_unref (s->claim_rows);
  g_hash_table_unref (s->slices_of);
  g_ptr_array_unref (s->slices_shared);
  vc_arena_free (s->pools_arena);
  g_array_unref (s->free_claims);
  g_hash_table_unref (s->plans);
  vc_arena_free (s->kept);
  g_hash_table_unref (s->kept_terms);
  g_hash_table_unref (s->states);
  g_array_unref (s->leavers);
  g_array_unref (s->journal);
  g_free (s);
}

/* ---- classes --------------------------------------------------------------------------------- */

void
vc_claims_add_class (VcClaims *s, const VcDeviceClassObject *o)
{
  VcClaimClass *class = g_new0 (VcClaimClass, 1);
  const VcSelectorCel **selector = g_new0 (const VcSelectorCel *, o->n_selectors + 1);

  for (guint i = 0; i < o->n_selectors; i++)
    selector[i] = vc_claims_selector (s, o->selector[i]);
  class->name = vc_cluster_intern (s->cluster, o->name);
  class->selector = selector;
  class->n_selectors = o->n_selectors;
  g_hash_table_replace (s->class_of, (gpointer) class->name, class);
  s->slices_version++; /* whoever keeps answers keeps them by this */
}

void
vc_claims_remove_class (VcClaims *s, const char *name)
{
  g_hash_table_remove (s->class_of, vc_cluster_intern (s->cluster, name));
  s->slices_version++;
}

const VcClaimClass *
vc_claims_class (const VcClaims *s, const char *name)
{
  return g_hash_table_lookup (s->class_of, name);
}

/* ---- what is taken ---------------------------------------------------------------------------- */

/* A taken amount more or less on a list by name. */
static void
add_amounts (GArray **list, const VcExacts *more, gboolean plus)
{
  if (*list == NULL)
    *list = g_array_new (FALSE, FALSE, sizeof (VcExact));
  for (guint i = 0; i < more->n; i++) {
    guint at = 0;
    while (at < (*list)->len && g_array_index (*list, VcExact, at).name != more->item[i].name)
      at++;
    if (at == (*list)->len) {
      VcExact fresh = { more->item[i].name, 0 };
      if (!plus)
        continue;
      g_array_append_val (*list, fresh);
    }
    g_array_index (*list, VcExact, at).amount += plus ? more->item[i].amount : -more->item[i].amount;
  }
}

static gboolean
all_zero (const GArray *list)
{
  for (guint i = 0; list != NULL && i < list->len; i++)
    if (g_array_index (list, VcExact, i).amount != 0)
      return FALSE;
  return TRUE;
}

/* A claim's status came with an allocation, or lost it. Taken devices are a set: of two claims with one device the first to go frees it. */
static void
apply_status (VcClaims *s, const VcAllocation *a, gboolean plus)
{
  for (guint i = 0; i < a->n; i++) {
    const VcTaken *t = &a->taken[i];
    VcDeviceId *d = vc_claims_device (s, t->device);

    if (t->admin)
      continue;
    if (!t->shared) {
      d->taken = plus;
      continue;
    }
    if (!t->consumed.given || (!plus && !d->shares))
      continue;
    add_amounts (&d->consumed, &t->consumed, plus);
    d->shares = plus || !all_zero (d->consumed);
    if (!d->shares)
      g_array_set_size (d->consumed, 0);
  }
}

static void
apply_flight (VcClaims *s, const VcAllocation *a, gboolean plus)
{
  for (guint i = 0; i < a->n; i++) {
    const VcTaken *t = &a->taken[i];
    VcDeviceId *d = vc_claims_device (s, t->device);

    if (t->admin)
      continue;
    if (!t->shared) {
      d->flights += plus ? 1 : -1u;
    } else if (t->consumed.given) {
      add_amounts (&d->flying, &t->consumed, plus);
      d->shared_flights += plus ? 1 : -1u;
    }
  }
}

VcNano
vc_device_consumed (const VcDeviceId *d, const char *capacity)
{
  GArray *const lists[] = { d->consumed, d->flying };
  VcNano sum = 0;

  for (guint k = 0; k < G_N_ELEMENTS (lists); k++)
    for (guint i = 0; lists[k] != NULL && i < lists[k]->len; i++)
      if (strcmp (g_array_index (lists[k], VcExact, i).name, capacity) == 0)
        sum += g_array_index (lists[k], VcExact, i).amount;
  return sum;
}

VcAllocation *
vc_allocation_copy (VcClaims *s, const VcAllocation *a)
{
  gsize n = 0;

  for (guint i = 0; i < a->n; i++)
    n += a->taken[i].consumed.n;
  gsize head = sizeof *a + a->n * sizeof (VcTaken);
  head = (head + 15u) & ~(gsize) 15u; /* amounts are 16 bytes wide */
  VcAllocation *copy = g_malloc0 (head + n * sizeof (VcExact));
  VcExact *amount = (VcExact *) (gpointer) ((char *) copy + head);
  memcpy (copy, a, sizeof *a + a->n * sizeof (VcTaken));
  for (guint i = 0; i < a->n; i++) {
    VcTaken *t = &copy->taken[i];
    t->request = vc_cluster_intern (s->cluster, t->request);
    for (guint k = 0; k < t->consumed.n; k++)
      amount[k] = (VcExact) { vc_cluster_intern (s->cluster, t->consumed.item[k].name), t->consumed.item[k].amount };
    t->consumed.item = amount;
    amount += t->consumed.n;
  }
  return copy;
}

gboolean
vc_allocation_reaches (const VcAllocation *a, const VcNodeFacts *node)
{
  if (a->node != NULL)
    return strcmp (a->node, node->name) == 0;
  return !a->nodes.given || vc_node_terms_match (&a->nodes, node);
}

void
vc_claims_take_off (VcClaims *s, guint32 claim, const VcAllocation *a)
{
  VcResourceClaim *c = &s->claim[claim];

  c->sharers++;
  if (c->flight != NULL)
    return;
  c->flight = vc_allocation_copy (s, a);
  apply_flight (s, c->flight, TRUE);
  VcFlight f = { claim, a, TRUE };
  g_array_append_val (s->journal, f);
}

gboolean
vc_claims_land (VcClaims *s, guint32 claim, gboolean force)
{
  VcResourceClaim *c = &s->claim[claim];

  if (c->flight == NULL)
    return FALSE;
  if (!force && --c->sharers > 0)
    return FALSE;
  apply_flight (s, c->flight, FALSE);
  VcFlight f = { claim, NULL, FALSE };
  g_array_append_val (s->journal, f);
  c->sharers = 0;
  g_clear_pointer (&c->flight, g_free);
  return TRUE;
}

void
vc_claims_settle (VcClaims *s, guint32 claim, gint64 second)
{
  VcResourceClaim *c = &s->claim[claim];

  if (c->flight == NULL)
    return;
  g_assert (c->allocation == NULL);
  apply_flight (s, c->flight, FALSE);
  c->allocation = g_steal_pointer (&c->flight);
  c->sharers = 0;
  c->binding = VC_BINDING_READY;
  c->allocated_at = second;
  apply_status (s, c->allocation, TRUE);
}

void
vc_claims_deallocate (VcClaims *s, guint32 claim)
{
  VcResourceClaim *c = &s->claim[claim];

  if (c->allocation == NULL)
    return;
  apply_status (s, c->allocation, FALSE);
  g_clear_pointer (&c->allocation, g_free);
}

void
vc_claims_reserve_for (VcClaims *s, guint32 claim, const char *uid)
{
  VcResourceClaim *c = &s->claim[claim];

  if (vc_claims_is_reserved_for (c, uid))
    return;
  if (c->reserved_for == NULL)
    c->reserved_for = g_ptr_array_new ();
  g_ptr_array_add (c->reserved_for, (gpointer) vc_cluster_intern (s->cluster, uid));
}

gboolean
vc_claims_is_reserved_for (const VcResourceClaim *c, const char *uid)
{
  for (guint i = 0; c->reserved_for != NULL && i < c->reserved_for->len; i++)
    if (strcmp (c->reserved_for->pdata[i], uid) == 0)
      return TRUE;
  return FALSE;
}

void
vc_claims_unreserve (VcClaims *s, guint32 claim, const char *uid)
{
  VcResourceClaim *c = &s->claim[claim];

  for (guint i = 0; c->reserved_for != NULL && i < c->reserved_for->len; i++)
    if (strcmp (c->reserved_for->pdata[i], uid) == 0)
      g_ptr_array_remove_index (c->reserved_for, i--);
}

void
vc_claims_note_leaver (VcClaims *s, guint32 claim, const char *uid)
{
  VcLeaver l = { claim, vc_cluster_intern (s->cluster, uid) };
  g_array_append_val (s->leavers, l);
}

gboolean
vc_claims_let_leave (VcClaims *s)
{
  gboolean any = s->leavers->len > 0;

  for (guint i = 0; i < s->leavers->len; i++)
    vc_claims_unreserve (s, g_array_index (s->leavers, VcLeaver, i).claim, g_array_index (s->leavers, VcLeaver, i).uid);
  g_array_set_size (s->leavers, 0);
  return any;
}

void
vc_claims_open (VcClaims *s)
{
  g_array_set_size (s->journal, 0);
}

/* A flight of the journal holds what a session's arena keeps; what ended is found at its beginning, or it was under way before. */
static const VcAllocation *
flight_before (const VcClaims *s, guint at)
{
  guint32 claim = g_array_index (s->journal, VcFlight, at).claim;

  for (guint i = at; i-- > 0;)
    if (g_array_index (s->journal, VcFlight, i).claim == claim && g_array_index (s->journal, VcFlight, i).begins)
      return g_array_index (s->journal, VcFlight, i).allocation;
  return NULL;
}

void
vc_claims_travel (VcClaims *s, guint from, gboolean forth)
{
  for (guint k = from; k < s->journal->len; k++) {
    guint at = forth ? k : s->journal->len - 1 - (k - from);
    const VcFlight *f = &g_array_index (s->journal, VcFlight, at);
    const VcAllocation *a = f->begins ? f->allocation : flight_before (s, at);

    if (a != NULL)
      apply_flight (s, a, f->begins == forth);
  }
}

/* ---- claims ---------------------------------------------------------------------------------- */

static VcExacts
copy_exacts (VcClaims *s, VcArena *arena, const VcExacts *from)
{
  VcExact *item = vc_arena_new0 (arena, VcExact, from->n);

  for (guint i = 0; i < from->n; i++)
    item[i] = (VcExact) { vc_cluster_intern (s->cluster, from->item[i].name), from->item[i].amount };
  return (VcExacts) { item, from->n, from->given };
}

static VcSubRequest
copy_ask (VcClaims *s, VcArena *arena, const VcSubRequest *from)
{
  VcCluster *c = s->cluster;
  VcSubRequest to = *from;
  VcToleration *toleration = vc_arena_new0 (arena, VcToleration, from->n_tolerations);

  to.name = vc_cluster_intern (c, from->name);
  to.device_class = vc_cluster_intern (c, from->device_class != NULL ? from->device_class : "");
  to.mode_text = vc_cluster_intern (c, from->mode_text);
  for (guint i = 0; i < from->n_tolerations; i++) {
    const VcToleration *t = &from->toleration[i];
    toleration[i] = (VcToleration) { .key = vc_cluster_intern (c, t->key), .value = vc_cluster_intern (c, t->value), .effect = vc_cluster_intern (c, t->effect), .op = t->op };
  }
  to.toleration = toleration;
  to.capacity = copy_exacts (s, arena, &from->capacity);
  to.selector = NULL; /* see VcClaimAsk */
  return to;
}

static void
key_text (GString *key, const char *text)
{
  if (text == NULL)
    g_string_append_c (key, '-');
  else
    g_string_append_printf (key, "%zu:%s", strlen (text), text);
}

static void
key_ask (GString *key, const VcSubRequest *a)
{
  key_text (key, a->name);
  key_text (key, a->device_class);
  key_text (key, a->mode_text);
  g_string_append_printf (key, "%" G_GINT64_FORMAT "%c%c", a->count, a->admin ? 'A' : 'a', a->has_admin ? 'H' : 'h');
  for (guint i = 0; i < a->n_selectors; i++)
    key_text (key, a->selector[i]);
  for (guint i = 0; i < a->n_tolerations; i++) {
    const VcToleration *t = &a->toleration[i];
    g_string_append_printf (key, "t%d", t->op);
    key_text (key, t->key);
    key_text (key, t->value);
    key_text (key, t->effect);
  }
  for (guint i = 0; i < a->capacity.n; i++) {
    const VcNano q = a->capacity.item[i].amount;
    g_string_append_printf (key, "c%" G_GINT64_FORMAT ".%" G_GINT64_FORMAT, (gint64) (q / VC_NANO_ONE), (gint64) (q % VC_NANO_ONE));
    key_text (key, a->capacity.item[i].name);
  }
}

static char *
plan_key (const VcClaimSpec *spec)
{
  GString *key = g_string_new (NULL);

  for (guint i = 0; i < spec->n_requests; i++) {
    g_string_append_c (key, spec->request[i].first ? 'F' : 'E');
    key_text (key, spec->request[i].name);
    for (guint k = 0; k < spec->request[i].n_asks; k++)
      key_ask (key, &spec->request[i].ask[k]);
  }
  for (guint i = 0; i < spec->n_constraints; i++) {
    g_string_append_c (key, spec->constraint[i].distinct ? 'D' : 'M');
    key_text (key, spec->constraint[i].attribute);
    for (guint k = 0; k < spec->constraint[i].n_requests; k++)
      key_text (key, spec->constraint[i].request[k]);
  }
  return g_string_free (key, FALSE);
}

static VcClaimPlan *
plan_new (VcClaims *s, const VcClaimSpec *spec)
{
  VcArena *arena = s->kept;
  VcClaimPlan *plan = vc_arena_new0 (arena, VcClaimPlan, 1);
  VcClaimRequest *request = vc_arena_new0 (arena, VcClaimRequest, spec->n_requests);
  VcDeviceConstraint *constraint = vc_arena_new0 (arena, VcDeviceConstraint, spec->n_constraints);

  plan->spec = (VcClaimSpec) { request, spec->n_requests, constraint, spec->n_constraints };
  plan->ask = vc_arena_new0 (arena, VcClaimAsk *, spec->n_requests + 1);
  for (guint i = 0; i < spec->n_requests; i++) {
    const VcClaimRequest *from = &spec->request[i];
    VcSubRequest *ask = vc_arena_new0 (arena, VcSubRequest, from->n_asks);

    plan->ask[i] = vc_arena_new0 (arena, VcClaimAsk, from->n_asks + 1);
    for (guint k = 0; k < from->n_asks; k++) {
      const VcSelectorCel **selector = vc_arena_new0 (arena, const VcSelectorCel *, from->ask[k].n_selectors + 1);
      ask[k] = copy_ask (s, arena, &from->ask[k]);
      for (guint j = 0; j < from->ask[k].n_selectors; j++)
        selector[j] = vc_claims_selector (s, from->ask[k].selector[j]);
      plan->ask[i][k] = (VcClaimAsk) { &ask[k], selector };
    }
    request[i] = (VcClaimRequest) { vc_cluster_intern (s->cluster, from->name), ask, from->n_asks, from->first };
  }
  for (guint i = 0; i < spec->n_constraints; i++) {
    const VcDeviceConstraint *from = &spec->constraint[i];
    const char **name = vc_arena_new0 (arena, const char *, from->n_requests + 1);
    for (guint k = 0; k < from->n_requests; k++)
      name[k] = vc_cluster_intern (s->cluster, from->request[k]);
    constraint[i] = (VcDeviceConstraint) { name, from->n_requests, vc_cluster_intern (s->cluster, from->attribute), from->distinct };
  }
  return plan;
}

static VcNano
times (VcNano q, gint64 n)
{
  VcNano product;

  return __builtin_mul_overflow (q, (VcNano) n, &product) ? (q > 0) == (n > 0) ? ((VcNano) 1 << 126) : -((VcNano) 1 << 126) : product;
}

/* What the claim counts for in quotas: plain requests of a number of devices, added up per class (buildTaskDRAInfo). */
static void
set_demands (VcClaims *s, VcClaimPlan *plan)
{
  const VcClaimSpec *spec = &plan->spec;
  VcDeviceDemand *demand = vc_arena_new0 (s->kept, VcDeviceDemand, spec->n_requests);
  guint n = 0;

  for (guint i = 0; i < spec->n_requests; i++) {
    const VcClaimRequest *r = &spec->request[i];
    const VcSubRequest *ask = r->ask;
    guint at = 0;

    if (r->first || r->n_asks == 0 || ask->mode == VC_DEVICES_ALL || *ask->device_class == '\0')
      continue;
    gint64 count = ask->count != 0 ? ask->count : 1;
    while (at < n && demand[at].device_class != ask->device_class)
      at++;
    n = MAX (n, at + 1);
    demand[at].device_class = ask->device_class;
    demand[at].count = (gint64) ((guint64) demand[at].count + (guint64) count);
    VcExact *sum = vc_arena_new0 (s->kept, VcExact, demand[at].capacity.n + ask->capacity.n);
    guint m = demand[at].capacity.n;
    if (m > 0)
      memcpy (sum, demand[at].capacity.item, m * sizeof *sum);
    for (guint k = 0; k < ask->capacity.n; k++) {
      guint d = 0;
      while (d < m && sum[d].name != ask->capacity.item[k].name)
        d++;
      sum[d].name = ask->capacity.item[k].name;
      sum[d].amount += times (ask->capacity.item[k].amount, count);
      m = MAX (m, d + 1);
    }
    demand[at].capacity = (VcExacts) { sum, m, m > 0 };
  }
  plan->demand = demand;
  plan->n_demands = n;
}

static const VcClaimPlan *
find_plan (VcClaims *s, const VcClaimSpec *spec)
{
  g_autofree char *key = plan_key (spec);
  VcClaimPlan *plan = g_hash_table_lookup (s->plans, key);

  if (plan != NULL)
    return plan;
  plan = plan_new (s, spec);
  set_demands (s, plan);
  g_hash_table_insert (s->plans, vc_arena_strdup (s->kept, key), plan);
  return plan;
}

static VcAllocation *
read_allocation (VcClaims *s, const VcAllocationObject *o)
{
  g_autofree VcAllocation *a = g_malloc0 (sizeof *a + o->n_results * sizeof (VcTaken));

  a->n = o->n_results;
  a->nodes = vc_claims_keep_terms (s, &o->nodes);
  for (guint i = 0; i < o->n_results; i++) {
    const VcDeviceResult *r = &o->result[i];
    a->taken[i] = (VcTaken) { vc_claims_device_row (s, r->driver, r->pool, r->device), r->request, r->admin, r->shared, r->consumed };
  }
  return vc_allocation_copy (s, a);
}

static guint32
claim_new (VcClaims *s)
{
  guint32 row = s->n_claims;

  if (s->free_claims->len > 0) {
    row = g_array_index (s->free_claims, guint32, s->free_claims->len - 1);
    g_array_set_size (s->free_claims, s->free_claims->len - 1);
    claim_clear (&s->claim[row]);
  } else if (s->n_claims++ == s->cap_claims) {
    s->cap_claims = MAX (16, s->cap_claims * 2);
    s->claim = g_renew (VcResourceClaim, s->claim, s->cap_claims);
  }
  memset (&s->claim[row], 0, sizeof *s->claim);
  return row;
}

guint32
vc_claims_find (const VcClaims *s, const char *ns, const char *name)
{
  g_autofree char *key = g_strconcat (ns, "/", name, NULL);

  return GPOINTER_TO_UINT (g_hash_table_lookup (s->claim_rows, vc_cluster_intern (s->cluster, key))) - 1u;
}

guint32
vc_claims_add (VcClaims *s, const VcResourceClaimObject *o)
{
  guint32 row = vc_claims_find (s, o->ns, o->name);

  if (row != VC_NONE && strcmp (s->claim[row].uid, o->uid) != 0) { /* another claim of that name */
    vc_claims_remove (s, o->ns, o->name);
    row = VC_NONE;
  }
  gboolean fresh = row == VC_NONE;
  if (fresh)
    row = claim_new (s);
  VcResourceClaim *c = &s->claim[row];
  if (fresh) {
    g_autofree char *key = g_strconcat (o->ns, "/", o->name, NULL);
    *c = (VcResourceClaim) { .ns = vc_cluster_intern (s->cluster, o->ns), .name = vc_cluster_intern (s->cluster, o->name),
                     .uid = vc_cluster_intern (s->cluster, o->uid), .key = vc_cluster_intern (s->cluster, key), .live = TRUE };
    c->plan = find_plan (s, &o->spec); /* the spec never changes */
    g_hash_table_insert (s->claim_rows, (gpointer) c->key, GUINT_TO_POINTER (row + 1));
  }
  c->owner = vc_cluster_intern (s->cluster, o->owner);
  c->deleting = o->deleting;
  if (c->allocation != NULL && o->allocation == NULL)
    vc_claims_deallocate (s, row);
  if (c->allocation == NULL && o->allocation != NULL) {
    c->allocation = read_allocation (s, o->allocation);
    apply_status (s, c->allocation, TRUE);
  }
  if (o->allocation != NULL) {
    c->binding = o->allocation->binding;
    c->allocated_at = o->allocation->time;
  }
  g_clear_pointer (&c->reserved_for, g_ptr_array_unref);
  for (guint i = 0; i < o->n_reserved_for; i++)
    vc_claims_reserve_for (s, row, o->reserved_for[i]);
  return row;
}

void
vc_claims_remove (VcClaims *s, const char *ns, const char *name)
{
  guint32 row = vc_claims_find (s, ns, name);

  if (row == VC_NONE)
    return;
  vc_claims_deallocate (s, row);
  g_hash_table_remove (s->claim_rows, s->claim[row].key);
  s->claim[row].live = FALSE;
  if (s->claim[row].flight == NULL)
    g_array_append_val (s->free_claims, row);
  /* else what is under way stays so: nobody tells the tracker */
}

gboolean
vc_claims_delete (VcClaims *s, const char *ns, const char *name)
{
  guint32 row = vc_claims_find (s, ns, name);

  if (row != VC_NONE && s->claim[row].allocation != NULL && s->claim[row].reserved_for != NULL && s->claim[row].reserved_for->len > 0) {
    s->claim[row].deleting = TRUE; /* its finalizer stays until then */
    return FALSE;
  }
  vc_claims_remove (s, ns, name);
  return TRUE;
}

void
vc_claims_tell (VcClaims *to, const VcClaims *from, guint32 claim)
{
  const VcResourceClaim *c = &from->claim[claim];
  guint32 row = c->live ? vc_claims_find (to, c->ns, c->name) : VC_NONE;

  if (row == VC_NONE || strcmp (to->claim[row].uid, c->uid) != 0)
    return;
  VcResourceClaim *own = &to->claim[row];

  if (own->allocation != NULL && c->allocation == NULL)
    vc_claims_deallocate (to, row);
  if (own->allocation == NULL && c->allocation != NULL) {
    g_autofree VcAllocation *a = g_memdup2 (c->allocation, sizeof *a + c->allocation->n * sizeof (VcTaken));

    vc_claims_land (to, row, TRUE);
    a->node = vc_cluster_intern (to->cluster, a->node);
    a->nodes = vc_claims_keep_terms (to, &a->nodes);
    for (guint i = 0; i < a->n; i++) {
      const VcDeviceId *id = &g_array_index (from->devices, VcDeviceId, a->taken[i].device);

      a->taken[i].device = vc_claims_device_row (to, id->driver, id->pool, id->name);
    }
    own->allocation = vc_allocation_copy (to, a);
    apply_status (to, own->allocation, TRUE);
  }
  own->binding = c->binding;
  own->allocated_at = c->allocated_at;
  own->deleting = c->deleting;
  g_clear_pointer (&own->reserved_for, g_ptr_array_unref);
  for (guint i = 0; c->reserved_for != NULL && i < c->reserved_for->len; i++)
    vc_claims_reserve_for (to, row, c->reserved_for->pdata[i]);
}
