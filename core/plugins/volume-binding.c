/* core/plugins/volume-binding.c - volumes for a pod's claims: which nodes reach them, and who gets them.
 *
 * Policy. PreFilter refuses a pod (UU) whose claims are missing, lost, being deleted or not its own, and one with an unbound claim that
 * does not wait for its first consumer. Then a node passes when
 *   - the volume of every bound claim exists and reaches the node by its node affinity, and
 *   - for the unbound claims, the smallest first: a volume that is bound to the claim beforehand reaches the node; else the smallest free
 *     volume of the class (of equal ones the first by name) that is large enough, of the same mode and attributes class, offers the
 *     claim's access modes, matches its selector, reaches the node and is not taken by another claim of the pod; else the class has a
 *     provisioner, its topologies reach the node, and its driver, when it tracks capacity, has a segment there that holds the claim.
 *   - A claim whose provisioning has been given to a node passes on that node alone.
 * All of it is as PreFilter found it. Reserve assumes the bindings of the chosen node: volumes are the claims', claims have their node;
 * what is unplaced gives them back. A pipelined task reserves the node of its last allocation, as a rule none (finding V4).
 *
 * Worked example: claims c1 (5Gi) and c2 (8Gi), free volumes p1 10Gi, p2 10Gi, p3 5Gi on one node: c1 takes p3, c2 takes p1. With p1 alone
 * free c1 takes it and c2 must be provisioned: "node(s) didn't find available persistent volumes to bind" when the class cannot.
 *
 * Reasons (one status, joined): "node(s) didn't match PersistentVolume's node affinity", "node(s) didn't find available persistent volumes to
 * bind", "node(s) did not have enough free storage", "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)".
 *
 * The score of free capacity is behind upstream's gate StorageCapacityScoring, which is off: nodes get no points for volumes.
 *
 * Mirrors pkg/scheduler/framework/plugins/volumebinding/{volume_binding,binder}.go of Kubernetes, FindMatchingVolume and GetBindVolumeToClaim
 * (component-helpers, storage/volume/pv_helpers.go). */
#include "volume-filters.h"
#include "core/base/go-sort.h"
#include "core/model/selector.h"
#include <string.h>

#define NO_PROVISIONER "kubernetes.io/no-provisioner"

/* A volume for a claim (volume VC_NONE: to be provisioned). `held`: the volume as it was read is the claim's already. */
typedef struct { guint32 claim, volume; gboolean held; } Binding;
typedef struct { guint32 node; guint n; Binding *item; } Reserved; /* what Reserve has made of a node */

typedef struct {
  guint32 at;                     /* place in the log of assumptions when PreFilter ran */
  guint n_bound, n_delayed;
  guint32 *bound, *delayed;       /* claim rows */
  guint8 *passed;                 /* by node row: Filter has passed it since; NULL without delayed claims */
  Reserved *reserved; guint n_reserved; guint32 cap_reserved;
} State;

struct VcVolumeBinding {
  VcCluster *c;
  VcArena *arena;                 /* of the states; dies with the session */
  GHashTable *states;             /* task row + 1 → State */
  GArray *find, *provision;       /* guint32: claims at hand */
  GArray *binding;                /* Binding: the outcome */
};

VcVolumeBinding *
vc_volume_binding_new (void)
{
  VcVolumeBinding *b = g_new0 (VcVolumeBinding, 1);

  b->arena = vc_arena_new ();
  b->states = g_hash_table_new (NULL, NULL);
  b->find = g_array_new (FALSE, FALSE, sizeof (guint32));
  b->provision = g_array_new (FALSE, FALSE, sizeof (guint32));
  b->binding = g_array_new (FALSE, FALSE, sizeof (Binding));
  return b;
}

void
vc_volume_binding_free (VcVolumeBinding *b)
{
  if (b == NULL)
    return;
  vc_arena_free (b->arena);
  g_hash_table_unref (b->states);
  g_array_unref (b->find);
  g_array_unref (b->provision);
  g_array_unref (b->binding);
  g_free (b);
}

void
vc_volume_binding_open (VcVolumeBinding *b, VcCluster *c)
{
  b->c = c;
  if (g_hash_table_size (b->states) == 0)
    return;
  g_hash_table_remove_all (b->states);
  vc_arena_reset (b->arena);
}

static State *
find_state (const VcVolumeBinding *b, guint32 task)
{
  return g_hash_table_lookup (b->states, GUINT_TO_POINTER (task + 1));
}

/* ---- PreFilter --------------------------------------------------------------------------------- */

/* The claim of volume @i, or the reason why the pod cannot have it. */
static const char *
check_claim (VcCluster *c, const VcTask *t, guint i, guint32 *row)
{
  const VcPodVolume *volume = &t->shape->spec.volume[i];
  g_autofree char *made = NULL;
  const char *name = vc_pod_claim_name (volume, t->name, &made);

  *row = vc_volumes_claim (c->volumes, t->ns, name);
  if (*row == VC_NONE && volume->ephemeral)
    return vc_cluster_internf (c, "waiting for ephemeral volume controller to create the persistentvolumeclaim \"%s\"", name);
  if (*row == VC_NONE)
    return vc_cluster_internf (c, "persistentvolumeclaim \"%s\" not found", name);
  const VcClaim *claim = &c->volumes->claim[*row];
  if (claim->lost)
    return vc_cluster_internf (c, "persistentvolumeclaim \"%s\" bound to non-existent persistentvolume \"%s\"", claim->name, claim->volume);
  if (claim->deleting)
    return vc_cluster_internf (c, "persistentvolumeclaim \"%s\" is being deleted", claim->name);
  if (volume->ephemeral && !vc_claim_is_owned (claim, t->uid))
    return vc_cluster_internf (c, "PVC %s was not created for pod %s (pod is not owner)", claim->key, t->key);
  return NULL;
}

/* Does an unbound claim wait for its first consumer? A claim that names a volume beforehand counts as immediate. */
static const char *
check_delay (VcCluster *c, const VcClaim *claim, gboolean *waits)
{
  guint32 class = *claim->class != '\0' ? vc_volumes_class (c->volumes, claim->class) : VC_NONE;

  *waits = FALSE;
  if (class == VC_NONE)
    return NULL;
  if (c->volumes->class[class].mode == VC_BINDING_UNSET)
    return vc_cluster_internf (c, "VolumeBindingMode not set for StorageClass \"%s\"", claim->class);
  *waits = c->volumes->class[class].mode == VC_BINDING_WAIT && *claim->volume == '\0';
  return NULL;
}

const char *
vc_volume_binding_prepare (VcVolumeBinding *b, guint32 task)
{
  VcCluster *c = b->c;
  const VcTask *t = vc_task (c, task);
  guint n = t->shape->spec.n_volumes;
  State *s = find_state (b, task);
  const char *reason = NULL;
  gboolean immediate = FALSE;

  if (s == NULL) {
    s = vc_arena_new0 (b->arena, State, 1);
    s->bound = vc_arena_new0 (b->arena, guint32, n);
    s->delayed = vc_arena_new0 (b->arena, guint32, n);
  }
  s->n_bound = s->n_delayed = s->n_reserved = 0;
  for (guint i = 0; i < n && reason == NULL; i++)
    reason = check_claim (c, t, i, &s->bound[i]);
  for (guint i = 0; i < n && reason == NULL; i++) {
    guint32 row = s->bound[i]; /* the list of bound ones grows no faster than it is read */
    gboolean waits;

    if (vc_claim_is_bound (&c->volumes->claim[row])) {
      s->bound[s->n_bound++] = row;
      continue;
    }
    reason = check_delay (c, &c->volumes->claim[row], &waits);
    if (waits)
      s->delayed[s->n_delayed++] = row;
    else
      immediate = TRUE;
  }
  if (reason != NULL || immediate)
    return reason != NULL ? reason : "pod has unbound immediate PersistentVolumeClaims";
  s->at = c->volumes->n_log;
  if (s->n_delayed > 0 && s->passed == NULL)
    s->passed = vc_arena_new0 (b->arena, guint8, c->nodes.n);
  else if (s->passed != NULL)
    memset (s->passed, 0, c->nodes.n);
  g_hash_table_insert (b->states, GUINT_TO_POINTER (task + 1), s);
  return NULL;
}

/* ---- one node ---------------------------------------------------------------------------------- */

typedef enum { WRONG_NODE = 1, NO_VOLUME = 2, NO_SPACE = 4, GONE = 8 } Conflict; /* bits, in the order of the reasons */

static Conflict
check_bound (const VcCluster *c, const State *s, const VcNodeFacts *node)
{
  for (guint i = 0; i < s->n_bound; i++) {
    guint32 volume = vc_volumes_volume (c->volumes, c->volumes->claim[s->bound[i]].volume);

    if (volume == VC_NONE)
      return GONE;
    if (!vc_volume_reaches (c->volumes->volume[volume].where, node))
      return WRONG_NODE;
  }
  return 0;
}

/* Is the volume, as it was at @at, bound to the claim (beforehand or by assumption)? *other: to another one. */
static gboolean
is_claims (const VcVolumes *v, guint32 volume, guint32 claim, guint32 at, gboolean *other)
{
  const VcVolume *p = &v->volume[volume];
  const VcClaim *q = &v->claim[claim];
  guint32 assumed = vc_volumes_assumed_at (v, volume, at);

  *other = FALSE;
  if (assumed == claim)
    return TRUE;
  if (assumed == VC_NONE && p->claim_name == NULL)
    return FALSE;
  gboolean mine = assumed == VC_NONE && strcmp (p->claim_name, q->name) == 0 && g_strcmp0 (p->claim_ns, q->ns) == 0
                  && (*p->claim_uid == '\0' || strcmp (p->claim_uid, q->uid) == 0);
  *other = !mine;
  return mine;
}

static gboolean
is_chosen (const GArray *binding, guint32 volume)
{
  for (guint i = 0; i < binding->len; i++)
    if (g_array_index (binding, Binding, i).volume == volume)
      return TRUE;
  return FALSE;
}

/* FindMatchingVolume: the volume for a claim on a node, or VC_NONE. */
static guint32
match (VcVolumeBinding *b, guint32 row, guint32 at, const VcNodeFacts *node)
{
  const VcVolumes *v = b->c->volumes;
  const VcClaim *claim = &v->claim[row];
  const GArray *list = vc_volumes_of_class (v, claim->class);
  guint32 best = VC_NONE;

  for (guint i = 0; list != NULL && i < list->len; i++) {
    guint32 candidate = g_array_index (list, guint32, i);
    const VcVolume *p = &v->volume[candidate];
    gboolean other;
    gboolean mine = is_claims (v, candidate, row, at, &other);

    if (other || is_chosen (b->binding, candidate) || vc_quantity_compare (&p->capacity, &claim->request) < 0
        || p->block != claim->block || p->attributes_class != claim->attributes_class || p->deleting)
      continue;
    if (mine)
      return vc_volume_reaches (p->where, node) ? candidate : VC_NONE;
    if (p->phase != VC_VOLUME_AVAILABLE || (claim->selector.given && !vc_selector_matches (&claim->selector, &p->meta->labels))
        || (claim->modes & ~(guint) p->modes) != 0)
      continue;
    if (best != VC_NONE && vc_quantity_compare (&v->volume[best].capacity, &p->capacity) <= 0)
      continue;
    if (vc_volume_reaches (p->where, node))
      best = candidate;
  }
  return best;
}

/* Does the driver have room for the claim where the node can reach it? */
static gboolean
has_capacity (const VcVolumes *v, const VcClaim *claim, const VcStorageClass *class, const VcNodeFacts *node)
{
  GHashTableIter it;
  gpointer value;

  if (!claim->has_request || !g_hash_table_contains (v->drivers, class->provisioner))
    return TRUE;
  g_hash_table_iter_init (&it, v->capacities); /* any order: is there one? */
  while (g_hash_table_iter_next (&it, NULL, &value)) {
    const VcStorageCapacity *capacity = value;

    gint64 limit = capacity->has_largest ? capacity->largest : capacity->has_capacity ? capacity->capacity : -1;

    if (capacity->class == class->name && limit >= claim->request.value && capacity->topology.given
        && vc_selector_is_valid (&capacity->topology) && vc_selector_matches (&capacity->topology, &node->labels))
      return TRUE;
  }
  return FALSE;
}

/* The claims that no volume was found for. *error: a text that makes the status an Error. */
static Conflict
check_provisioning (VcVolumeBinding *b, const VcNodeFacts *node, const char **error)
{
  VcVolumes *v = b->c->volumes;

  for (guint i = 0; i < b->provision->len; i++) {
    guint32 row = g_array_index (b->provision, guint32, i);
    const VcClaim *claim = &v->claim[row];
    guint32 class = *claim->class != '\0' ? vc_volumes_class (v, claim->class) : VC_NONE;

    if (class == VC_NONE) {
      *error = *claim->class == '\0' ? vc_cluster_internf (b->c, "no class for claim \"%s\"", claim->key) : vc_cluster_internf (b->c, "failed to find storage class \"%s\"", claim->class);
      return 0;
    }
    const VcStorageClass *k = &v->class[class];
    if (*k->provisioner == '\0' || strcmp (k->provisioner, NO_PROVISIONER) == 0 || !vc_volume_reaches (k->where, node))
      return NO_VOLUME;
    if (!has_capacity (v, claim, k, node))
      return NO_SPACE;
    Binding made = { row, VC_NONE, FALSE };
    g_array_append_val (b->binding, made);
  }
  return 0;
}

static gboolean
smaller_request (gpointer user, guint32 l, guint32 r)
{
  const VcVolumes *v = user;
  return vc_quantity_compare (&v->claim[l].request, &v->claim[r].request) < 0;
}

/* FindPodVolumes: the conflicts of a node; without any (and without *error) the bindings are in b->binding. */
static Conflict
find_volumes (VcVolumeBinding *b, const State *s, guint32 node, const char **error)
{
  VcCluster *c = b->c;
  const VcVolumes *v = c->volumes;
  const VcNodeFacts *facts = &c->nodes.info[node].facts;
  Conflict conflicts = check_bound (c, s, facts);
  gboolean matched = TRUE;

  g_array_set_size (b->binding, 0);
  g_array_set_size (b->find, 0);
  g_array_set_size (b->provision, 0);
  for (guint i = 0; i < s->n_delayed; i++) {
    const VcClaim *claim = &v->claim[s->delayed[i]];
    guint32 selected = vc_volumes_selected_at (v, s->delayed[i], s->at);

    if (selected == VC_NONE && claim->selected_node == NULL)
      g_array_append_val (b->find, s->delayed[i]);
    else if (selected != VC_NONE ? selected == node : strcmp (claim->selected_node, facts->name) == 0)
      g_array_append_val (b->provision, s->delayed[i]);
    else
      return conflicts | NO_VOLUME;
  }
  vc_go_sort ((guint32 *) (gpointer) b->find->data, b->find->len, smaller_request, c->volumes);
  for (guint i = 0; i < b->find->len; i++) {
    guint32 claim = g_array_index (b->find, guint32, i);
    Binding found = { claim, match (b, claim, s->at, facts), FALSE };
    gboolean other;

    if (found.volume == VC_NONE) {
      matched = FALSE;
      g_array_append_val (b->provision, claim);
      continue;
    }
    found.held = is_claims (v, found.volume, claim, s->at, &other) && *v->volume[found.volume].claim_uid != '\0';
    found.held |= vc_volumes_assumed_at (v, found.volume, s->at) == claim;
    g_array_append_val (b->binding, found);
  }
  if (b->provision->len > 0)
    return conflicts | check_provisioning (b, facts, error);
  return conflicts | (matched ? 0 : NO_VOLUME);
}

/* ---- Filter ------------------------------------------------------------------------------------ */

static const char *
reason_of (VcCluster *c, Conflict conflicts)
{
  static const char *const text[]
      = { "node(s) didn't match PersistentVolume's node affinity", "node(s) didn't find available persistent volumes to bind", "node(s) did not have enough free storage",
          "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)" };
  g_autoptr (GString) joined = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (text); i++) {
    if ((conflicts & (1u << i)) == 0)
      continue;
    if (conflicts == 1u << i)
      return text[i];
    if (joined == NULL)
      joined = g_string_new (text[i]);
    else
      g_string_append_printf (joined, ", %s", text[i]);
  }
  return vc_cluster_intern (c, joined->str);
}

/* Where the node's reservation is, or NULL. */
static Reserved *
find_reserved (State *s, guint32 node)
{
  for (guint i = 0; i < s->n_reserved; i++)
    if (s->reserved[i].node == node)
      return &s->reserved[i];
  return NULL;
}

const char *
vc_volume_binding_filter (VcVolumeBinding *b, guint32 task, guint32 node, VcCode *code)
{
  State *s = find_state (b, task);
  const char *error = NULL;

  *code = VC_ERROR;
  if (s == NULL)
    return "not found"; /* PreFilter has refused the pod */
  Conflict conflicts = find_volumes (b, s, node, &error);
  if (error != NULL)
    return error;
  *code = VC_UNRESOLVABLE;
  if (conflicts != 0)
    return reason_of (b->c, conflicts);
  if (s->passed == NULL)
    return NULL;
  s->passed[node] = TRUE;
  Reserved *old = find_reserved (s, node);
  if (old != NULL)
    *old = s->reserved[--s->n_reserved]; /* a new look takes the place of what Reserve has made of the old one */
  return NULL;
}

/* ---- Reserve ----------------------------------------------------------------------------------- */

static Reserved *
new_reserved (VcVolumeBinding *b, State *s, guint32 node)
{
  const char *ignored = NULL;

  if (s->n_reserved == s->cap_reserved) {
    Reserved *more = vc_arena_new0 (b->arena, Reserved, MAX (2 * s->cap_reserved, 2));
    if (s->n_reserved > 0)
      memcpy (more, s->reserved, s->n_reserved * sizeof *more);
    s->reserved = more;
    s->cap_reserved = MAX (2 * s->cap_reserved, 2);
  }
  find_volumes (b, s, node, &ignored); /* as Filter has found them: nothing of what it reads has changed */
  Reserved *r = &s->reserved[s->n_reserved++];
  *r = (Reserved) { node, b->binding->len, vc_arena_new0 (b->arena, Binding, b->binding->len) };
  if (r->n > 0)
    memcpy (r->item, b->binding->data, r->n * sizeof *r->item);
  return r;
}

void
vc_volume_binding_reserve (VcVolumeBinding *b, guint32 task)
{
  State *s = find_state (b, task);
  guint32 node = vc_task (b->c, task)->bound_to;

  if (s == NULL || s->passed == NULL || node == VC_NONE || node >= b->c->nodes.n || !s->passed[node])
    return;
  Reserved *r = find_reserved (s, node);
  if (r == NULL)
    r = new_reserved (b, s, node);
  for (guint i = 0; i < r->n; i++) {
    Binding *item = &r->item[i];

    if (item->volume == VC_NONE) {
      vc_volumes_select_node (b->c->volumes, item->claim, node);
    } else if (!item->held) { /* a second reservation finds the volume of the first, which needs no change and so is not assumed */
      vc_volumes_assume (b->c->volumes, item->volume, item->claim);
      item->held = TRUE;
    }
  }
}

void
vc_volume_binding_unreserve (VcVolumeBinding *b, guint32 task)
{
  State *s = find_state (b, task);
  guint32 node = vc_task (b->c, task)->bound_to;
  Reserved *r = s != NULL && node != VC_NONE ? find_reserved (s, node) : NULL;

  for (guint i = 0; r != NULL && i < r->n; i++)
    if (r->item[i].volume == VC_NONE)
      vc_volumes_select_node (b->c->volumes, r->item[i].claim, VC_NONE);
    else
      vc_volumes_assume (b->c->volumes, r->item[i].volume, VC_NONE);
}
