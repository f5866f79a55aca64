/* sim/world/storage.c - see storage.h. */
#include "storage-private.h"
#include "core/model/selector.h"
#include "sim/cycle/cycle.h"
#include "sim/record/record.h"
#include <string.h>

static void
free_claim (gpointer p)
{
  SimClaim *c = p;

  g_free (c->ns);
  g_free (c->name);
  g_free (c);
}

static void
free_job_claims (gpointer data)
{
  SimJobClaims *o = data;

  g_array_unref (o->claims);
  g_array_unref (o->kept);
  g_free (o);
}

SimJobClaims *
sim_storage_of_job (SimStorage *s, guint32 job)
{
  SimJobClaims *o = g_hash_table_lookup (s->of_job, GUINT_TO_POINTER (job + 1));

  if (o != NULL)
    return o;
  o = g_new (SimJobClaims, 1);
  o->claims = g_array_new (FALSE, FALSE, sizeof (guint32));
  o->kept = g_array_new (FALSE, FALSE, sizeof (SimKeptUse));
  g_hash_table_insert (s->of_job, GUINT_TO_POINTER (job + 1), o);
  return o;
}

SimStorage *
sim_storage_get (SimWorld *w)
{
  if (w->storage != NULL)
    return w->storage;
  SimStorage *s = w->storage = g_new0 (SimStorage, 1);

  s->claim = g_ptr_array_new_with_free_func (free_claim);
  s->by_key = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  s->unbound = g_array_new (FALSE, FALSE, sizeof (guint32));
  s->fresh = g_ptr_array_new ();
  s->of_job = g_hash_table_new_full (NULL, NULL, NULL, free_job_claims);
  s->waiting = g_array_new (FALSE, FALSE, sizeof (SimWaitingPod));
  return s;
}

void
sim_storage_free (SimStorage *s)
{
  if (s == NULL)
    return;
  g_ptr_array_unref (s->claim);
  g_hash_table_unref (s->by_key);
  g_array_unref (s->unbound);
  g_ptr_array_unref (s->fresh);
  g_hash_table_unref (s->of_job);
  g_array_unref (s->waiting);
  g_free (s);
}

static inline const VcVolumes *
tables (const SimWorld *w)
{
  return sim_storage_tables (w);
}

gboolean
sim_storage_has_claim (const SimWorld *w, const char *ns, const char *name)
{
  return sim_storage_row (w->storage, ns, name) != SIM_NONE;
}

/* ---- telling the API server ------------------------------------------------------------------- */

void
sim_storage_put_claim (SimWorld *w, const VcPersistentVolumeClaimObject *o)
{
  const VcVolumes *t = w->cluster->volumes;
  guint32 known = t != NULL ? vc_volumes_claim (t, o->ns, o->name) : VC_NONE;
  gboolean same = known != VC_NONE && memcmp (&o->selector, &t->claim[known].selector, sizeof o->selector) == 0;

  SIM_EACH_VIEW (w, back) {
    VcPersistentVolumeClaimObject own = *o;
    guint32 row = same ? vc_volumes_claim (w->cluster->volumes, o->ns, o->name) : VC_NONE;

    if (row != VC_NONE)
      own.selector = w->cluster->volumes->claim[row].selector; /* that of the view, which is not to be copied again */
    vc_cache_add_claim (w->cache, &own);
  }
  sim_storage_get (w)->dirty = TRUE;
}

void
sim_storage_put_volume (SimWorld *w, const VcPersistentVolumeObject *o)
{
  SIM_EACH_VIEW (w, back)
    vc_cache_add_volume (w->cache, o);
  sim_storage_get (w)->dirty = TRUE;
}

static void
tell (SimWorld *w, const char *kind, const char *ns, const char *name, const char *event, const char *detail)
{
  if (w->record != NULL)
    sim_record_event (w, kind, ns, name, event, detail);
}

/* ---- volumes ---------------------------------------------------------------------------------- */

/* A driver's room on the nodes that reach a volume shrinks or grows, in the view that is entered. */
static void
move_capacity_here (SimWorld *w, const char *name, int sign)
{
  const VcVolume *v = &w->cluster->volumes->volume[vc_volumes_volume (w->cluster->volumes, name)];
  GHashTableIter it;
  gpointer value;

  if (v->where == NULL)
    return;
  g_hash_table_iter_init (&it, w->cluster->volumes->capacities); /* each by itself: the order does not matter */
  while (g_hash_table_iter_next (&it, NULL, &value)) {
    VcStorageCapacity *c = value;
    gboolean reached = FALSE;

    if (c->class != v->class || !c->has_capacity || !vc_selector_is_valid (&c->topology))
      continue;
    for (guint32 i = 0; i < w->cluster->nodes.n_list && !reached; i++) {
      const VcNodeFacts *facts = &w->cluster->nodes.info[w->cluster->nodes.list[i]].facts;
      reached = vc_selector_matches (&c->topology, &facts->labels) && vc_volume_reaches (v->where, facts);
    }
    if (reached)
      c->capacity = MAX (c->capacity - sign * v->capacity.value, 0);
  }
}

static void
move_capacity (SimWorld *w, const char *name, int sign)
{
  SIM_EACH_VIEW (w, back)
    move_capacity_here (w, name, sign);
}

static void
remove_volume (SimWorld *w, guint32 row)
{
  const char *name = tables (w)->volume[row].name;

  tell (w, "PersistentVolume", "", name, "deleted", "");
  move_capacity (w, name, -1);
  SIM_EACH_VIEW (w, back)
    vc_cache_remove_volume (w->cache, name);
}

/* The claim of a volume is gone. */
static void
release_volume (SimWorld *w, guint32 row)
{
  const VcVolume *v = &tables (w)->volume[row];

  if (!v->retain || v->deleting) {
    remove_volume (w, row);
    return;
  }
  VcPersistentVolumeObject o = vc_volume_object (v);

  o.phase = VC_VOLUME_RELEASED;
  sim_storage_put_volume (w, &o);
  tell (w, "PersistentVolume", "", o.name, "released", "");
}

/* ---- claims: made and gone --------------------------------------------------------------------- */

/* The class of a claim that names none, by the newest class that calls itself the default. */
static const char *
default_class (const SimWorld *w)
{
  const VcVolumes *v = tables (w);

  for (guint32 i = v != NULL ? v->n_classes : 0; i-- > 0;)
    if (v->class[i].is_default)
      return v->class[i].name;
  return NULL;
}

void
sim_storage_make_claim (SimWorld *w, const VcPersistentVolumeClaimObject *given, guint32 job)
{
  SimStorage *s = sim_storage_get (w);
  VcPersistentVolumeClaimObject o = *given;
  guint32 row = sim_storage_row (s, o.ns, o.name);
  g_autofree char *uid = g_strdup_printf ("claim-%08" G_GUINT64_FORMAT, s->next_uid++);
  SimClaim *c;

  if (o.uid == NULL || *o.uid == '\0')
    o.uid = uid;
  if (o.class == NULL)
    o.class = default_class (w);
  if (row == SIM_NONE) {
    row = s->claim->len;
    c = g_new0 (SimClaim, 1);
    *c = (SimClaim){ .ns = g_strdup (o.ns), .name = g_strdup (o.name) };
    g_ptr_array_add (s->claim, c);
    if (job != SIM_NONE)
      g_array_append_val (sim_storage_of_job (s, job)->claims, row);
    g_hash_table_insert (s->by_key, g_strconcat (o.ns, "/", o.name, NULL), GUINT_TO_POINTER (row + 1));
    tell (w, "PersistentVolumeClaim", o.ns, o.name, "created", o.class != NULL ? o.class : "");
  }
  c = s->claim->pdata[row];
  if (!c->listed && !(o.bind_completed && o.volume != NULL)) {
    c->listed = TRUE;
    g_array_append_val (s->unbound, row);
  }
  sim_storage_put_claim (w, &o);
}

/* The object goes, and its volume is released. */
static void
finalize_claim (SimWorld *w, SimClaim *c)
{
  SimStorage *s = w->storage;
  g_autofree char *key = g_strconcat (c->ns, "/", c->name, NULL);
  const VcClaim *claim = sim_storage_object (w, c);
  guint32 volume = *claim->volume != '\0' ? vc_volumes_volume (tables (w), claim->volume) : VC_NONE;
  gboolean held = volume != VC_NONE && g_strcmp0 (tables (w)->volume[volume].claim_uid, claim->uid) == 0;

  tell (w, "PersistentVolumeClaim", c->ns, c->name, "deleted", "");
  SIM_EACH_VIEW (w, back)
    vc_cache_remove_claim (w->cache, c->ns, c->name);
  g_hash_table_remove (s->by_key, key);
  c->gone = TRUE;
  c->stamp++;
  if (held)
    release_volume (w, volume);
  s->dirty = TRUE;
}

void
sim_storage_delete_claim (SimWorld *w, SimClaim *c)
{
  VcPersistentVolumeClaimObject o = vc_claim_object (sim_storage_object (w, c));

  if (c->users == 0) {
    finalize_claim (w, c);
  } else if (!o.deleting) {
    o.deleting = TRUE; /* it is protected while it is used */
    sim_storage_put_claim (w, &o);
  }
}

/* ---- objects of the input ---------------------------------------------------------------------- */

gboolean
sim_storage_add (SimWorld *w, const WlObject *o)
{
  if (o->kind == WL_OBJECT_PERSISTENT_VOLUME_CLAIM) {
    gboolean known = sim_storage_has_claim (w, o->claim.ns, o->claim.name);

    sim_storage_make_claim (w, &o->claim, SIM_NONE);
    if (!known)
      sim_storage_reread (w, o->claim.ns, o->claim.name);
    return TRUE;
  }
  gboolean known = FALSE;

  SIM_EACH_VIEW (w, back)
    known = sim_load_storage (w->cache, o);
  if (!known)
    return FALSE;
  sim_storage_get (w)->dirty = TRUE;
  if (o->kind == WL_OBJECT_PERSISTENT_VOLUME) {
    g_ptr_array_add (w->storage->fresh, (gpointer) o->volume.name);
    tell (w, "PersistentVolume", "", o->volume.name, "created", o->volume.class != NULL ? o->volume.class : "");
  }
  return TRUE;
}

gboolean
sim_storage_delete (SimWorld *w, const WlObject *o)
{
  if (o->kind == WL_OBJECT_PERSISTENT_VOLUME_CLAIM) {
    SimClaim *c = sim_storage_claim (w->storage, sim_storage_row (w->storage, o->claim.ns, o->claim.name));

    if (c != NULL)
      sim_storage_delete_claim (w, c);
    return TRUE;
  }
  if (o->kind != WL_OBJECT_PERSISTENT_VOLUME)
    return FALSE;
  guint32 row = vc_volumes_volume (tables (w), o->volume.name);

  if (row == VC_NONE)
    return TRUE;
  if (tables (w)->volume[row].phase != VC_VOLUME_BOUND) {
    remove_volume (w, row);
    return TRUE;
  }
  VcPersistentVolumeObject v = vc_volume_object (&tables (w)->volume[row]);

  v.deleting = TRUE; /* protected while it is bound */
  sim_storage_put_volume (w, &v);
  return TRUE;
}

/* ---- binding ----------------------------------------------------------------------------------- */

static void
bind (SimWorld *w, guint32 volume, guint32 claim)
{
  VcPersistentVolumeObject v = vc_volume_object (&tables (w)->volume[volume]);
  VcPersistentVolumeClaimObject c = vc_claim_object (&tables (w)->claim[claim]);

  v.claim_ns = c.ns;
  v.claim_name = c.name;
  v.claim_uid = c.uid;
  v.phase = VC_VOLUME_BOUND;
  c.volume = v.name;
  c.bind_completed = TRUE;
  sim_storage_put_volume (w, &v);
  sim_storage_put_claim (w, &c);
  w->storage->bound = TRUE;
  tell (w, "PersistentVolumeClaim", c.ns, c.name, "bound", v.name);
}

/* Is the volume the claim's, beforehand? *other: another one's. */
static gboolean
belongs_to (const VcVolume *v, const VcClaim *c, gboolean *other)
{
  gboolean mine = v->claim_name != NULL && strcmp (v->claim_name, c->name) == 0 && g_strcmp0 (v->claim_ns, c->ns) == 0
                  && (*v->claim_uid == '\0' || strcmp (v->claim_uid, c->uid) == 0);

  *other = v->claim_name != NULL && !mine;
  return mine;
}

/* Is the volume good enough for a claim, whoever's it is? */
static gboolean
satisfies (const VcVolume *v, const VcClaim *c)
{
  return !v->deleting && vc_quantity_compare (&v->capacity, &c->request) >= 0 && v->block == c->block && v->attributes_class == c->attributes_class;
}

/* Among the volumes that offer exactly @modes: the claim's own, else the smallest. With @delayed only the claim's own. */
static guint32
match_modes (const VcVolumes *t, const VcClaim *c, guint modes, gboolean delayed)
{
  const GArray *list = vc_volumes_of_class (t, c->class);
  guint32 best = VC_NONE;

  for (guint i = 0; list != NULL && i < list->len; i++) {
    guint32 row = g_array_index (list, guint32, i);
    const VcVolume *v = &t->volume[row];
    gboolean other, mine = belongs_to (v, c, &other);

    if (v->modes != modes || other || !satisfies (v, c))
      continue;
    if (mine)
      return row;
    if (!delayed && v->phase == VC_VOLUME_AVAILABLE && (!c->selector.given || vc_selector_matches (&c->selector, &v->meta->labels))
        && (best == VC_NONE || vc_quantity_compare (&v->capacity, &t->volume[best].capacity) < 0))
      best = row;
  }
  return best;
}

guint32
sim_storage_match (const VcVolumes *t, const VcClaim *c, gboolean delayed)
{
  for (guint n = 0; n <= 4; n++) /* the fewest access modes first */
    for (guint modes = 0; modes < 16; modes++) {
      guint32 row = (guint) __builtin_popcount (modes) == n && (modes & c->modes) == c->modes ? match_modes (t, c, modes, delayed) : VC_NONE;

      if (row != VC_NONE)
        return row;
    }
  return VC_NONE;
}

static void
begin_provisioning (SimWorld *w, guint32 row)
{
  SimClaim *c = sim_storage_claim (w->storage, row);
  g_autofree char *key = g_strconcat (c->ns, "/", c->name, NULL);
  VcRandom r = { 0 };

  if (c->provisioning)
    return;
  c->provisioning = TRUE;
  c->stamp++;
  if (!wl_distribution_is_constant (&w->model->provision_latency))
    vc_random_init (&r, w->model->seed, "provision-latency", key, c->stamp);
  sim_event_queue_post (w->events, sim_time_after (w->now, wl_distribution_draw_time (&w->model->provision_latency, &r)), SIM_RANK_POD,
                        SIM_EVENT_PROVISIONED, row, c->stamp);
}

static gboolean
makes_volumes (const char *provisioner)
{
  return provisioner != NULL && *provisioner != '\0' && strcmp (provisioner, "kubernetes.io/no-provisioner") != 0;
}

/* syncUnboundClaim. TRUE: it is bound, or gone. */
static gboolean
sync_claim (SimWorld *w, guint32 row)
{
  SimClaim *info = sim_storage_claim (w->storage, row);
  const VcVolumes *t = tables (w);
  guint32 claim = info->gone ? VC_NONE : vc_volumes_claim (t, info->ns, info->name);

  if (claim == VC_NONE || vc_claim_is_bound (&t->claim[claim]))
    return TRUE;
  const VcClaim *c = &t->claim[claim];
  guint32 class = *c->class != '\0' ? vc_volumes_class (t, c->class) : VC_NONE;
  gboolean delayed = class != VC_NONE && t->class[class].mode == VC_BINDING_WAIT, other;

  if (c->deleting)
    return FALSE;
  if (*c->volume != '\0') {
    guint32 volume = vc_volumes_volume (t, c->volume);
    gboolean good = volume != VC_NONE
                    && (belongs_to (&t->volume[volume], c, &other)
                        || (!other && t->volume[volume].class == c->class && (t->volume[volume].modes & c->modes) == c->modes && satisfies (&t->volume[volume], c)));

    if (good)
      bind (w, volume, claim);
    return good;
  }
  guint32 volume = sim_storage_match (t, c, delayed);
  if (volume != VC_NONE) {
    bind (w, volume, claim);
    return TRUE;
  }
  if (class != VC_NONE && (!delayed || c->selected_node != NULL) && makes_volumes (t->class[class].provisioner))
    begin_provisioning (w, row);
  return FALSE;
}

/* syncVolume, for what the user says of a volume. */
static void
sync_volume (SimWorld *w, const char *name)
{
  guint32 row = vc_volumes_volume (tables (w), name), claim = VC_NONE;

  if (row == VC_NONE)
    return;
  const VcVolume *v = &tables (w)->volume[row];
  VcVolumePhase phase = VC_VOLUME_AVAILABLE;

  if (v->claim_name != NULL && *v->claim_uid != '\0') {
    claim = vc_volumes_claim (tables (w), v->claim_ns, v->claim_name);
    if (claim == VC_NONE || strcmp (tables (w)->claim[claim].uid, v->claim_uid) != 0) {
      if (v->phase != VC_VOLUME_RELEASED && v->phase != VC_VOLUME_FAILED)
        release_volume (w, row);
      return;
    }
    if (tables (w)->claim[claim].volume == v->name)
      phase = VC_VOLUME_BOUND;
  }
  if (v->phase == phase)
    return;
  VcPersistentVolumeObject o = vc_volume_object (v);

  o.phase = phase;
  sim_storage_put_volume (w, &o);
}

void
sim_storage_settle (SimWorld *w)
{
  SimStorage *s = w->storage;

  while (s != NULL && s->dirty) {
    guint left = 0;

    s->dirty = FALSE;
    for (guint i = 0; i < s->fresh->len; i++)
      sync_volume (w, s->fresh->pdata[i]);
    g_ptr_array_set_size (s->fresh, 0);
    for (guint i = 0; i < s->unbound->len; i++) {
      guint32 row = g_array_index (s->unbound, guint32, i);

      if (sync_claim (w, row))
        sim_storage_claim (s, row)->listed = FALSE;
      else
        g_array_index (s->unbound, guint32, left++) = row;
    }
    g_array_set_size (s->unbound, left);
    if (s->bound)
      sim_storage_wake (w);
  }
}

/* ---- provisioning ------------------------------------------------------------------------------ */

/* What the driver's CSINode on @node says of where a volume can be reached: one expression for each key. Returns their number. */
static guint
topology_of (const SimWorld *w, const char *driver, const VcNode *node, VcExpression *e, const char **value, guint most)
{
  const VcCsiNodeObject *csi = vc_volumes_csi_node (tables (w), node->name);
  guint n = 0;

  for (guint d = 0; csi != NULL && d < csi->n_drivers; d++)
    for (guint k = 0; csi->driver[d].name == driver && k < csi->driver[d].topology.n && n < most; k++) {
      value[n] = vc_pairs_get (&node->facts.labels, csi->driver[d].topology.item[k]);
      if (value[n] == NULL)
        continue;
      e[n] = (VcExpression){ csi->driver[d].topology.item[k], VC_OP_IN, &value[n], 1 };
      n++;
    }
  return n;
}

static guint32
fnv1a (const char *text)
{
  guint32 h = 2166136261u;

  for (; *text != '\0'; text++)
    h = (h ^ (guchar) *text) * 16777619u;
  return h;
}

/* The node whose topology the volume gets: the one that was selected, else, among those that have the driver and lie in the class's
 * topologies, one that the claim's name picks. VC_NONE: none. */
static guint32
place_of (const SimWorld *w, const VcClaim *c, const VcStorageClass *class)
{
  g_autoptr (GArray) fit = g_array_new (FALSE, FALSE, sizeof (guint32));
  VcCluster *cluster = w->view[0].cluster;
  const guint32 *by_name = vc_cluster_nodes_by_name (cluster);

  if (c->selected_node != NULL)
    return vc_cluster_node (cluster, c->selected_node);
  for (guint32 i = 0; i < cluster->nodes.n_list; i++) {
    const VcNode *node = &cluster->nodes.info[by_name[i]];
    const VcCsiNodeObject *csi = vc_volumes_csi_node (tables (w), node->name);
    gboolean has = FALSE;

    for (guint d = 0; csi != NULL && d < csi->n_drivers; d++)
      has |= csi->driver[d].name == class->provisioner;
    if (has && vc_volume_reaches (class->where, &node->facts))
      g_array_append_val (fit, by_name[i]);
  }
  return fit->len > 0 ? g_array_index (fit, guint32, fnv1a (c->name) % fit->len) : VC_NONE;
}

static void
provision (SimWorld *w, guint32 claim)
{
  enum { MOST = 8 };
  const VcClaim *c = &tables (w)->claim[claim];
  const VcStorageClass *class = &tables (w)->class[vc_volumes_class (tables (w), c->class)];
  guint32 node = place_of (w, c, class);
  VcExpression e[MOST];
  const char *value[MOST];
  guint n = node != VC_NONE ? topology_of (w, class->provisioner, &w->view[0].cluster->nodes.info[node], e, value, MOST) : 0;
  const VcNodeTerm term = { .label = e, .n_labels = n };
  const VcPersistentVolumeObject o = {
    .name = vc_cluster_internf (w->view[0].cluster, "pvc-%s", c->uid),
    .class = c->class,
    .capacity = c->request,
    .modes = c->modes,
    .block = c->block,
    .attributes_class = c->attributes_class,
    .claim_ns = c->ns,
    .claim_name = c->name,
    .claim_uid = c->uid,
    .has_affinity = n > 0,
    .term = &term,
    .n_terms = 1,
    .driver = class->driver,
    .handle = vc_cluster_internf (w->view[0].cluster, "pvc-%s", c->uid),
    .phase = VC_VOLUME_AVAILABLE,
    .retain = class->retain,
  };

  sim_storage_put_volume (w, &o);
  tell (w, "PersistentVolume", "", o.name, "provisioned", c->class);
  move_capacity (w, o.name, 1);
}

gboolean
sim_storage_event (SimWorld *w, const SimEvent *ev)
{
  SimClaim *info = sim_storage_claim (w->storage, ev->subject);
  guint32 claim;

  if (info->stamp != ev->stamp || info->gone)
    return FALSE;
  info->provisioning = FALSE;
  claim = vc_volumes_claim (tables (w), info->ns, info->name);
  if (vc_claim_is_bound (&tables (w)->claim[claim]) || vc_volumes_class (tables (w), tables (w)->claim[claim].class) == VC_NONE)
    return FALSE;
  provision (w, claim);
  sim_storage_settle (w);
  return TRUE;
}

/* ---- warnings ----------------------------------------------------------------------------------- */

static gboolean
is_on_a_node (const SimWorld *w, const char *driver)
{
  GHashTableIter it;
  gpointer value;

  g_hash_table_iter_init (&it, tables (w)->csi_nodes); /* any order: one is enough */
  while (g_hash_table_iter_next (&it, NULL, &value)) {
    const VcCsiNodeObject *csi = value;

    for (guint i = 0; i < csi->n_drivers; i++)
      if (strcmp (csi->driver[i].name, driver) == 0)
        return TRUE;
  }
  return FALSE;
}

void
sim_storage_warn (const SimWorld *w, GPtrArray *warnings)
{
  const GPtrArray *objects = w->storage != NULL ? w->objects->objects : NULL;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; objects != NULL && i < objects->len; i++) {
    const WlObject *o = objects->pdata[i];
    const char *driver = NULL;

    if (o->kind == WL_OBJECT_PERSISTENT_VOLUME)
      driver = o->volume.driver;
    else if (o->kind == WL_OBJECT_STORAGE_CLASS && (makes_volumes (o->storage_class.provisioner) || o->storage_class.mode == VC_BINDING_WAIT))
      driver = o->storage_class.csi_driver != NULL ? o->storage_class.csi_driver : o->storage_class.provisioner; /* counted before there is a volume */
    if (driver != NULL && *driver != '\0' && !vc_cache_ignores_driver (w->cache, driver) && !is_on_a_node (w, driver)
        && g_hash_table_add (seen, (gpointer) driver))
      g_ptr_array_add (warnings, g_strdup_printf ("%s:%u:1: no CSINode has the driver '%s': pods with its volumes fit on no node, unless "
                                                  "ignored_provisioners names it", o->file, o->line, driver));
  }
}
