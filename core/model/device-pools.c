/* Slices and what nodes see of them: see claims.h. */
#include "device-pools.h"
#include <string.h>

/* ---- selectors ------------------------------------------------------------------------------- */

enum { SAID_NOTHING, SAID_NO, SAID_YES, SAID_ERROR };

struct VcSelectorCel {
  VcCel *cel;
  VcArena *scratch;
  guint8 *said;      /* by place of the device */
  guint32 n_said;
  guint32 version;   /* of the slices when it said so */
  GHashTable *error; /* place + 1 → text */
};

const VcSelectorCel *
vc_claims_selector (VcClaims *s, const char *text)
{
  VcSelectorCel *x = g_hash_table_lookup (s->selectors, text);

  if (x != NULL)
    return x;
  x = g_new0 (VcSelectorCel, 1);
  x->cel = vc_cel_compile (text, NULL);
  g_assert (x->cel != NULL);
  x->scratch = vc_arena_new ();
  x->error = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (s->selectors, (gpointer) vc_cel_text (x->cel), x);
  return x;
}

void
vc_selector_cel_free (gpointer p)
{
  VcSelectorCel *x = p;

  vc_cel_free (x->cel);
  vc_arena_free (x->scratch);
  g_free (x->said);
  g_hash_table_unref (x->error);
  g_free (x);
}

gboolean
vc_claims_matches (VcClaims *s, const VcSelectorCel *selector, const VcDevice *d, gboolean plain, const char **error)
{
  VcSelectorCel *x = (VcSelectorCel *) selector;

  if (x->version != s->slices_version || x->n_said < s->n_places) {
    g_free (x->said);
    x->said = g_new0 (guint8, s->n_places + 1);
    x->n_said = s->n_places;
    x->version = s->slices_version;
    g_hash_table_remove_all (x->error);
  }
  guint8 *said = &x->said[d->place];
  if (*said == SAID_NOTHING || plain) {
    const char *why;
    gboolean match = vc_cel_matches (x->cel, &d->cel, x->scratch, &why);

    *said = why != NULL ? SAID_ERROR : match ? SAID_YES : SAID_NO;
    if (why != NULL)
      g_hash_table_insert (x->error, GUINT_TO_POINTER (d->place + 1), (gpointer) vc_cluster_intern (s->cluster, why));
    vc_arena_reset (x->scratch);
  }
  *error = *said == SAID_ERROR ? g_hash_table_lookup (x->error, GUINT_TO_POINTER (d->place + 1)) : NULL;
  return *said == SAID_YES;
}

/* ---- names ----------------------------------------------------------------------------------- */

static guint32
pool_row (VcClaims *s, const char *driver, const char *name)
{
  g_autofree char *text = g_strconcat (driver, "\n", name, NULL);
  const char *key = vc_cluster_intern (s->cluster, text);
  guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (s->pool_rows, key));

  if (row > 0)
    return row - 1;
  VcPool pool = { vc_cluster_intern (s->cluster, driver), vc_cluster_intern (s->cluster, name) };
  g_array_append_val (s->pools, pool);
  g_hash_table_insert (s->pool_rows, (gpointer) key, GUINT_TO_POINTER (s->pools->len));
  return s->pools->len - 1;
}

guint32
vc_claims_device_row (VcClaims *s, const char *driver, const char *pool, const char *device)
{
  g_autofree char *text = g_strconcat (driver, "\n", pool, "\n", device, NULL);
  const char *key = vc_cluster_intern (s->cluster, text);
  guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (s->device_rows, key));

  if (row > 0)
    return row - 1;
  VcDeviceId d = { .driver = vc_cluster_intern (s->cluster, driver), .pool = vc_cluster_intern (s->cluster, pool),
                   .name = vc_cluster_intern (s->cluster, device), .in_pool = pool_row (s, driver, pool) };
  g_array_append_val (s->devices, d);
  g_hash_table_insert (s->device_rows, (gpointer) key, GUINT_TO_POINTER (s->devices->len));
  return s->devices->len - 1;
}

/* ---- node selectors --------------------------------------------------------------------------- */

gboolean
vc_node_terms_match (const VcNodeTerms *terms, const VcNodeFacts *node)
{
  for (guint i = 0; i < terms->n; i++)
    if (vc_term_matches (&terms->term[i], node))
      return TRUE;
  return FALSE;
}

gboolean
vc_node_is_reached (const char *node, gboolean all, const VcNodeTerms *terms, const VcNodeFacts *facts)
{
  if (node != NULL && *node != '\0')
    return strcmp (node, facts->name) == 0;
  return all || (terms->given && vc_node_terms_match (terms, facts));
}

static void
key_expressions (GString *key, const VcExpression *e, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_string_append_printf (key, "%zu:%s %d", strlen (e[i].key), e[i].key, e[i].op);
    for (guint v = 0; v < e[i].n_values; v++)
      g_string_append_printf (key, " %zu:%s", strlen (e[i].value[v]), e[i].value[v]);
    g_string_append_c (key, ';');
  }
  g_string_append_c (key, '|');
}

static const VcExpression *
copy_expressions (VcArena *arena, const VcExpression *from, guint n)
{
  VcExpression *to = vc_arena_new0 (arena, VcExpression, n);

  for (guint i = 0; i < n; i++) {
    const char **value = vc_arena_new0 (arena, const char *, from[i].n_values + 1);
    for (guint v = 0; v < from[i].n_values; v++)
      value[v] = vc_arena_strdup (arena, from[i].value[v]);
    to[i] = (VcExpression) { vc_arena_strdup (arena, from[i].key), from[i].op, value, from[i].n_values };
  }
  return to;
}

static VcNodeTerms
copy_terms (VcArena *arena, const VcNodeTerms *from)
{
  VcNodeTerm *term = vc_arena_new0 (arena, VcNodeTerm, from->n);

  for (guint i = 0; i < from->n; i++) {
    term[i] = from->term[i];
    term[i].label = copy_expressions (arena, from->term[i].label, from->term[i].n_labels);
    term[i].field = copy_expressions (arena, from->term[i].field, from->term[i].n_fields);
  }
  return (VcNodeTerms) { term, from->n, from->given };
}

VcNodeTerms
vc_claims_keep_terms (VcClaims *s, const VcNodeTerms *terms)
{
  g_autoptr (GString) key = g_string_new (NULL);

  if (!terms->given)
    return (VcNodeTerms) { 0 };
  for (guint i = 0; i < terms->n; i++) {
    key_expressions (key, terms->term[i].label, terms->term[i].n_labels);
    key_expressions (key, terms->term[i].field, terms->term[i].n_fields);
  }
  VcNodeTerms *kept = g_hash_table_lookup (s->kept_terms, key->str);
  if (kept == NULL) {
    kept = vc_arena_new0 (s->kept, VcNodeTerms, 1);
    *kept = copy_terms (s->kept, terms);
    g_hash_table_insert (s->kept_terms, vc_arena_strdup (s->kept, key->str), kept);
  }
  return *kept;
}

/* ---- slices ---------------------------------------------------------------------------------- */

void
vc_slice_free (gpointer p)
{
  VcSlice *slice = p;

  vc_arena_free (slice->arena); /* it lies in there itself */
}

static VcExacts
copy_exacts (VcArena *arena, const VcExacts *from)
{
  VcExact *item = vc_arena_new0 (arena, VcExact, from->n);

  for (guint i = 0; i < from->n; i++)
    item[i] = (VcExact) { vc_arena_strdup (arena, from->item[i].name), from->item[i].amount };
  return (VcExacts) { item, from->n, from->given };
}

static const VcCounterSet *
copy_counters (VcArena *arena, const VcCounterSet *from, guint n)
{
  VcCounterSet *to = vc_arena_new0 (arena, VcCounterSet, n);

  for (guint i = 0; i < n; i++)
    to[i] = (VcCounterSet) { vc_arena_strdup (arena, from[i].set), copy_exacts (arena, &from[i].counters) };
  return to;
}

static void
copy_device (VcArena *arena, const VcDeviceObject *from, VcDeviceObject *to)
{
  VcDeviceAttribute *attribute = vc_arena_new0 (arena, VcDeviceAttribute, from->n_attributes);
  VcDeviceCapacity *capacity = vc_arena_new0 (arena, VcDeviceCapacity, from->n_capacities);
  VcTaint *taint = vc_arena_new0 (arena, VcTaint, from->n_taints);

  *to = *from;
  to->name = vc_arena_strdup (arena, from->name);
  to->node = vc_arena_strdup (arena, from->node);
  to->nodes = copy_terms (arena, &from->nodes);
  for (guint i = 0; i < from->n_attributes; i++) {
    attribute[i] = from->attribute[i];
    attribute[i].name = vc_arena_strdup (arena, from->attribute[i].name);
    attribute[i].text = vc_arena_strdup (arena, from->attribute[i].text);
  }
  for (guint i = 0; i < from->n_capacities; i++) {
    VcNano *valid = vc_arena_new0 (arena, VcNano, from->capacity[i].n_valid);
    capacity[i] = from->capacity[i];
    capacity[i].name = vc_arena_strdup (arena, from->capacity[i].name);
    if (from->capacity[i].n_valid > 0)
      memcpy (valid, from->capacity[i].valid, from->capacity[i].n_valid * sizeof *valid);
    capacity[i].valid = valid;
  }
  for (guint i = 0; i < from->n_taints; i++)
    taint[i] = (VcTaint) { vc_arena_strdup (arena, from->taint[i].key), vc_arena_strdup (arena, from->taint[i].value), vc_arena_strdup (arena, from->taint[i].effect) };
  to->attribute = attribute;
  to->capacity = capacity;
  to->taint = taint;
  to->consumes = copy_counters (arena, from->consumes, from->n_consumes);
}

/* "DOMAIN/NAME" in its parts; a name alone is of the driver's domain. */
static const char *
split_name (VcArena *arena, const char *name, const char *driver, const char **domain)
{
  const char *slash = strchr (name, '/');

  *domain = slash != NULL ? vc_arena_strndup (arena, name, (gsize) (slash - name)) : driver;
  return slash != NULL ? slash + 1 : name;
}

/* One more value of device.attributes or device.capacity. The maps grow to n entries at most. */
static void
add_value (VcArena *arena, VcCelValue *map, guint n, const char *name, const char *driver, VcCelValue value)
{
  const char *domain;
  const char *id = split_name (arena, name, driver, &domain);
  VcCelEntry *outer = (VcCelEntry *) map->v.entry;
  guint32 d = 0, i = 0;

  if (outer == NULL)
    map->v.entry = outer = vc_arena_new0 (arena, VcCelEntry, n);
  while (d < map->n && strcmp (outer[d].key.v.text, domain) < 0)
    d++;
  if (d == map->n || strcmp (outer[d].key.v.text, domain) != 0) {
    memmove (&outer[d + 1], &outer[d], (map->n - d) * sizeof *outer);
    outer[d] = (VcCelEntry) { vc_cel_string (domain), { .kind = VC_CEL_MAP, .v.entry = vc_arena_new0 (arena, VcCelEntry, n) } };
    map->n++;
  }
  VcCelEntry *inner = (VcCelEntry *) outer[d].value.v.entry;
  while (i < outer[d].value.n && strcmp (inner[i].key.v.text, id) < 0)
    i++;
  if (i == outer[d].value.n || strcmp (inner[i].key.v.text, id) != 0) {
    memmove (&inner[i + 1], &inner[i], (outer[d].value.n - i) * sizeof *inner);
    outer[d].value.n++;
  }
  inner[i] = (VcCelEntry) { vc_cel_string (id), value };
}

static VcCelValue
attribute_value (VcArena *arena, const VcDeviceAttribute *a)
{
  VcSemver *version;

  switch ((int) a->kind) {
  case VC_CEL_INT:
    return vc_cel_int (a->i);
  case VC_CEL_BOOL:
    return vc_cel_bool (a->i != 0);
  case VC_CEL_SEMVER:
    version = vc_arena_new0 (arena, VcSemver, 1);
    vc_semver_parse (a->text, arena, version); /* the reader has seen that it is one */
    return (VcCelValue) { .kind = VC_CEL_SEMVER, .v.semver = version };
  default:
    return vc_cel_string (a->text);
  }
}

static void
set_cel (VcArena *arena, const char *driver, VcDevice *d)
{
  const VcDeviceObject *o = d->object;

  d->cel = (VcCelDevice) { .driver = driver, .shared = o->shared, .attributes.kind = VC_CEL_MAP, .capacity.kind = VC_CEL_MAP };
  for (guint i = 0; i < o->n_attributes; i++)
    add_value (arena, &d->cel.attributes, o->n_attributes, o->attribute[i].name, driver, attribute_value (arena, &o->attribute[i]));
  for (guint i = 0; i < o->n_capacities; i++)
    add_value (arena, &d->cel.capacity, o->n_capacities, o->capacity[i].name, driver, (VcCelValue) { .kind = VC_CEL_QUANTITY, .v.quantity = &o->capacity[i].value });
}

static guint
find_slice (const VcClaims *s, const char *name, gboolean *found)
{
  guint low = 0, high = s->slices->len;

  while (low < high) {
    guint mid = (low + high) / 2;
    if (strcmp (((const VcSlice *) s->slices->pdata[mid])->object->name, name) < 0)
      low = mid + 1;
    else
      high = mid;
  }
  *found = low < s->slices->len && strcmp (((const VcSlice *) s->slices->pdata[low])->object->name, name) == 0;
  return low;
}

void
vc_claims_add_slice (VcClaims *s, const VcResourceSliceObject *o)
{
  VcArena *arena = vc_arena_new ();
  VcSlice *slice = vc_arena_new0 (arena, VcSlice, 1);
  VcResourceSliceObject *copy = vc_arena_new0 (arena, VcResourceSliceObject, 1);
  VcDeviceObject *device = vc_arena_new0 (arena, VcDeviceObject, o->n_devices);
  gboolean found;

  *copy = *o;
  copy->name = vc_arena_strdup (arena, o->name);
  copy->node = vc_arena_strdup (arena, o->node);
  copy->nodes = copy_terms (arena, &o->nodes);
  copy->counters = copy_counters (arena, o->counters, o->n_counters);
  copy->device = device;
  slice->arena = arena;
  slice->object = copy;
  slice->driver = vc_cluster_intern (s->cluster, o->driver);
  slice->pool = vc_cluster_intern (s->cluster, o->pool);
  copy->driver = slice->driver;
  copy->pool = slice->pool;
  slice->pool_row = pool_row (s, o->driver, o->pool);
  slice->device = vc_arena_new0 (arena, VcDevice, o->n_devices);
  for (guint i = 0; i < o->n_devices; i++) {
    VcDevice *d = &slice->device[i];
    copy_device (arena, &o->device[i], &device[i]);
    d->object = &device[i];
    d->id = vc_claims_device_row (s, o->driver, o->pool, o->device[i].name);
    d->place = s->n_places++;
    set_cel (arena, slice->driver, d);
  }
  guint at = find_slice (s, o->name, &found);
  if (found)
    g_ptr_array_remove_index (s->slices, at);
  g_ptr_array_insert (s->slices, (gint) at, slice);
  s->slices_version++;
}

void
vc_claims_remove_slice (VcClaims *s, const char *name)
{
  gboolean found;
  guint at = find_slice (s, name, &found);

  if (!found)
    return;
  g_ptr_array_remove_index (s->slices, at);
  s->slices_version++;
}

const VcDeviceAttribute *
vc_device_attribute (const VcDevice *d, const char *driver, const char *name)
{
  const VcDeviceObject *o = d->object;
  const char *slash = strchr (name, '/');
  const char *id = slash != NULL && strlen (driver) == (gsize) (slash - name) && memcmp (name, driver, (gsize) (slash - name)) == 0 ? slash + 1 : NULL;

  for (guint i = 0; i < o->n_attributes; i++)
    if (strcmp (o->attribute[i].name, name) == 0)
      return &o->attribute[i];
  for (guint i = 0; id != NULL && i < o->n_attributes; i++)
    if (strcmp (o->attribute[i].name, id) == 0)
      return &o->attribute[i];
  return NULL;
}

/* ---- pools of a node (GatherPools) ------------------------------------------------------------- */

static gboolean
is_relevant (const VcSlice *slice, const VcNodeFacts *node)
{
  const VcResourceSliceObject *o = slice->object;

  if (o->n_counters > 0)
    return TRUE;
  if ((o->node != NULL && *o->node != '\0') || o->all_nodes || o->nodes.given)
    return vc_node_is_reached (o->node, o->all_nodes, &o->nodes, node);
  for (guint i = 0; o->per_device && i < o->n_devices; i++)
    if (vc_node_is_reached (o->device[i].node, o->device[i].all_nodes, &o->device[i].nodes, node))
      return TRUE;
  return FALSE;
}

/* Slices of the newest generation among those of one pool. */
static void
keep_newest (GPtrArray *slices)
{
  gint64 newest = G_MININT64;
  guint kept = 0;

  for (guint i = 0; i < slices->len; i++)
    newest = MAX (newest, ((const VcSlice *) slices->pdata[i])->object->generation);
  for (guint i = 0; i < slices->len; i++)
    if (((const VcSlice *) slices->pdata[i])->object->generation == newest)
      slices->pdata[kept++] = slices->pdata[i];
  g_ptr_array_set_size (slices, (gint) kept);
}

static gpointer *
keep_pointers (VcArena *arena, const GPtrArray *list)
{
  gpointer *copy = vc_arena_new0 (arena, gpointer, list->len + 1);

  if (list->len > 0)
    memcpy (copy, list->pdata, list->len * sizeof *copy);
  return copy;
}

static const VcCounterSet *
find_set (const GPtrArray *sets, const char *name)
{
  for (guint i = 0; i < sets->len; i++)
    if (strcmp (((const VcCounterSet *) sets->pdata[i])->set, name) == 0)
      return sets->pdata[i];
  return NULL;
}

static gboolean
has_counter (const VcCounterSet *set, const char *name)
{
  for (guint i = 0; i < set->counters.n; i++)
    if (strcmp (set->counters.item[i].name, name) == 0)
      return TRUE;
  return FALSE;
}

/* Every counter that a device consumes is one of the pool's. */
static gboolean
counters_exist (const GPtrArray *slices, const GPtrArray *sets)
{
  for (guint i = 0; i < slices->len; i++) {
    const VcResourceSliceObject *o = ((const VcSlice *) slices->pdata[i])->object;
    for (guint d = 0; d < o->n_devices; d++)
      for (guint k = 0; k < o->device[d].n_consumes; k++) {
        const VcCounterSet *used = &o->device[d].consumes[k], *set = find_set (sets, used->set);
        for (guint n = 0; set != NULL && n < used->counters.n; n++)
          if (!has_counter (set, used->counters.item[n].name))
            return FALSE;
        if (set == NULL)
          return FALSE;
      }
  }
  return TRUE;
}

static gboolean
names_are_unique (const GPtrArray *slices)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < slices->len; i++) {
    const VcResourceSliceObject *o = ((const VcSlice *) slices->pdata[i])->object;
    for (guint d = 0; d < o->n_devices; d++)
      if (!g_hash_table_add (seen, (gpointer) o->device[d].name))
        return FALSE;
  }
  return TRUE;
}

/* A complete pool (buildPool): @mine reach the node, @all are all of the generation or NULL when these are the same. */
static void
build_pool (VcArena *arena, VcNodePool *out, const GPtrArray *mine, const GPtrArray *all)
{
  g_autoptr (GPtrArray) devices = g_ptr_array_new ();
  g_autoptr (GPtrArray) sets = g_ptr_array_new ();
  g_autoptr (GPtrArray) others = g_ptr_array_new ();

  for (guint i = 0; i < mine->len; i++) {
    const VcSlice *slice = mine->pdata[i];
    if (slice->object->n_counters == 0)
      g_ptr_array_add (devices, (gpointer) slice);
    for (guint k = 0; k < slice->object->n_counters && !out->invalid; k++) {
      out->invalid = find_set (sets, slice->object->counters[k].set) != NULL;
      g_ptr_array_add (sets, (gpointer) &slice->object->counters[k]);
    }
  }
  for (guint i = 0; all != NULL && all->len != mine->len && i < all->len; i++)
    if (!g_ptr_array_find ((GPtrArray *) mine, all->pdata[i], NULL))
      g_ptr_array_add (others, all->pdata[i]);
  out->invalid = out->invalid || !names_are_unique (devices) || !counters_exist (mine, sets) || !counters_exist (others, sets);
  if (out->invalid)
    return;
  out->slice = (const VcSlice *const *) (gpointer) keep_pointers (arena, devices);
  out->n_slices = devices->len;
  out->elsewhere = (const VcSlice *const *) (gpointer) keep_pointers (arena, others);
  out->n_elsewhere = others->len;
  out->set = (const VcCounterSet *const *) (gpointer) keep_pointers (arena, sets);
  out->n_sets = sets->len;
}

/* FALSE: the pool is being replaced, its old slices count no more. */
static gboolean
gather_pool (const VcClaims *s, VcArena *arena, guint32 row, GPtrArray *mine, VcNodePool *out)
{
  g_autoptr (GPtrArray) all = NULL;

  *out = (VcNodePool) { .pool = row };
  keep_newest (mine);
  const VcResourceSliceObject *first = ((const VcSlice *) mine->pdata[0])->object;
  if (mine->len != first->n_slices) {
    all = g_ptr_array_new ();
    for (guint i = 0; i < s->slices->len; i++) {
      const VcSlice *slice = s->slices->pdata[i];
      if (slice->pool_row != row || slice->object->generation < first->generation)
        continue;
      if (slice->object->generation > first->generation)
        return FALSE;
      g_ptr_array_add (all, (gpointer) slice);
    }
    out->incomplete = all->len != first->n_slices;
    if (out->incomplete)
      return TRUE;
  }
  build_pool (arena, out, mine, all);
  return TRUE;
}

static gboolean
has_conditions (const VcNodePool *p)
{
  for (guint i = 0; i < p->n_slices; i++)
    for (guint d = 0; d < p->slice[i]->object->n_devices; d++)
      if (p->slice[i]->object->device[d].has_conditions)
        return TRUE;
  return FALSE;
}

static int
compare_pools (gconstpointer a, gconstpointer b, gpointer claims)
{
  const VcClaims *s = claims;
  const VcNodePool *l = a, *r = b;
  gboolean lc = has_conditions (l), rc = has_conditions (r);
  const VcPool *lp = &g_array_index (s->pools, VcPool, l->pool), *rp = &g_array_index (s->pools, VcPool, r->pool);

  if (lc != rc)
    return lc ? 1 : -1;
  int c = strcmp (lp->driver, rp->driver);
  return c != 0 ? c : strcmp (lp->name, rp->name);
}

/* Who looks at which slice: those that name their node, but for counters, belong to it alone. */
static void
index_slices (VcClaims *s)
{
  g_hash_table_remove_all (s->slices_of);
  g_ptr_array_set_size (s->slices_shared, 0);
  vc_arena_reset (s->pools_arena);
  s->pools_version = s->slices_version;
  for (guint i = 0; i < s->slices->len; i++) {
    const VcSlice *slice = s->slices->pdata[i];
    const char *node = slice->object->node;
    GPtrArray *list = s->slices_shared;

    if (node != NULL && *node != '\0' && slice->object->n_counters == 0) {
      list = g_hash_table_lookup (s->slices_of, node);
      if (list == NULL) {
        list = g_ptr_array_new ();
        g_hash_table_insert (s->slices_of, (gpointer) node, list);
      }
    }
    g_ptr_array_add (list, (gpointer) slice);
  }
}

static int
compare_slices (gconstpointer a, gconstpointer b)
{
  const VcSlice *const *l = a, *const *r = b;
  return strcmp ((*l)->object->name, (*r)->object->name);
}

static void
gather (VcClaims *s, VcNodePools *out, const VcNodeFacts *node)
{
  const GPtrArray *const lists[] = { g_hash_table_lookup (s->slices_of, node->name), s->slices_shared };
  g_autoptr (GPtrArray) of_pools = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  g_autoptr (GArray) pools = g_array_new (FALSE, FALSE, sizeof (VcNodePool));

  for (guint k = 0; k < G_N_ELEMENTS (lists); k++)
    for (guint i = 0; lists[k] != NULL && i < lists[k]->len; i++) {
      const VcSlice *slice = lists[k]->pdata[i];
      guint at = 0;

      if (!is_relevant (slice, node))
        continue;
      while (at < of_pools->len && ((const VcSlice *) ((const GPtrArray *) of_pools->pdata[at])->pdata[0])->pool_row != slice->pool_row)
        at++;
      if (at == of_pools->len)
        g_ptr_array_add (of_pools, g_ptr_array_new ());
      g_ptr_array_add (of_pools->pdata[at], (gpointer) slice);
    }
  for (guint i = 0; i < of_pools->len; i++) {
    GPtrArray *mine = of_pools->pdata[i];
    VcNodePool pool;

    g_ptr_array_sort (mine, compare_slices);
    if (gather_pool (s, s->pools_arena, ((const VcSlice *) mine->pdata[0])->pool_row, mine, &pool))
      g_array_append_val (pools, pool);
  }
  g_array_sort_with_data (pools, compare_pools, s);
  VcNodePool *copy = vc_arena_new0 (s->pools_arena, VcNodePool, pools->len);
  if (pools->len > 0)
    memcpy (copy, pools->data, pools->len * sizeof *copy);
  out->pool = copy;
  out->n = pools->len;
}

const VcNodePools *
vc_claims_pools (VcClaims *s, guint32 node)
{
  const VcNodes *n = &s->cluster->nodes;

  if (s->pools_version != s->slices_version)
    index_slices (s);
  if (node >= s->cap_nodes) {
    guint32 cap = MAX (n->n, s->cap_nodes * 2);
    s->of_node = g_renew (VcNodePools, s->of_node, cap);
    memset (s->of_node + s->cap_nodes, 0, (cap - s->cap_nodes) * sizeof *s->of_node);
    s->cap_nodes = cap;
  }
  VcNodePools *p = &s->of_node[node];
  if (p->version == s->slices_version && p->node_version == n->info[node].static_version)
    return p;
  p->version = s->slices_version;
  p->node_version = n->info[node].static_version;
  gather (s, p, &n->info[node].facts);
  return p;
}
