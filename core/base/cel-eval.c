/* Evaluation: a walk over the checked tree. Errors are values; `&&`, `||` and the folds made of them let one go when the other side
 * settles the answer. */
#include "cel-private.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

VcCel *
vc_cel_compile (const char *text, GError **error)
{
  g_autoptr (VcCel) e = g_new0 (VcCel, 1);

  e->arena = vc_arena_new ();
  e->text = vc_arena_strdup (e->arena, text);
  e->regexes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_regex_unref);
  CelNode *root = cel_parse (e->text, e->arena, error);
  if (root == NULL || !cel_check (e, root, error))
    return NULL;
  e->root = root;
  return g_steal_pointer (&e);
}

void
vc_cel_free (VcCel *e)
{
  if (e == NULL)
    return;
  g_ptr_array_unref (e->regexes);
  vc_arena_free (e->arena);
  g_free (e);
}

const char *
vc_cel_text (const VcCel *e)
{
  return e->text;
}

VcCelValue
cel_fail (CelRun *run, const char *format, ...)
{
  va_list ap;

  va_start (ap, format);
  g_autofree char *message = g_strdup_vprintf (format, ap);
  va_end (ap);
  return (VcCelValue) { .kind = VC_CEL_ERROR, .v.text = vc_arena_strdup (run->arena, message) };
}

VcCelValue
cel_no_overload (void)
{
  return (VcCelValue) { .kind = VC_CEL_ERROR, .v.text = "no such overload" };
}

VcCelValue
cel_no_overload_of (CelRun *run, const char *name, const VcCelValue *argv, guint n)
{
  g_autoptr (GString) types = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (types, "%s%s", i > 0 ? ", " : "", cel_kind_name (argv[i].kind));
  return cel_fail (run, "no such overload: %s(%s)", name, types->str);
}

const char *
cel_kind_name (VcCelKind kind)
{
  static const char *const names[] = { "null_type", "bool", "int", "uint", "double", "string", "list", "map", "kubernetes.Quantity", "kubernetes.Semver", "optional_type", "type", "kubernetes.DRADevice", "error" };
  return names[kind];
}

/* ---- comparison ------------------------------------------------------------------------------ */

static gboolean
is_number (const VcCelValue *v)
{
  return v->kind == VC_CEL_INT || v->kind == VC_CEL_UINT || v->kind == VC_CEL_DOUBLE;
}

/* Numbers of any kinds; neither is a NaN. */
static int
compare_numbers (const VcCelValue *a, const VcCelValue *b)
{
  if (a->kind == VC_CEL_DOUBLE || b->kind == VC_CEL_DOUBLE) {
    /* An integer against a double: within the range of the integers the double is compared exactly enough by its own arithmetic, as
     * upstream does. */
    double x = a->kind == VC_CEL_DOUBLE ? a->v.d : a->kind == VC_CEL_INT ? (double) a->v.i : (double) a->v.u;
    double y = b->kind == VC_CEL_DOUBLE ? b->v.d : b->kind == VC_CEL_INT ? (double) b->v.i : (double) b->v.u;
    return (x > y) - (x < y);
  }
  VcNano x = a->kind == VC_CEL_INT ? (VcNano) a->v.i : (VcNano) a->v.u, y = b->kind == VC_CEL_INT ? (VcNano) b->v.i : (VcNano) b->v.u;
  return (x > y) - (x < y);
}

static gboolean
is_nan (const VcCelValue *v)
{
  return v->kind == VC_CEL_DOUBLE && isnan (v->v.d);
}

gboolean
cel_order (const VcCelValue *a, const VcCelValue *b, int *out)
{
  if (is_number (a) && is_number (b) && !is_nan (a) && !is_nan (b)) {
    *out = compare_numbers (a, b);
    return TRUE;
  }
  if (a->kind != b->kind || (a->kind != VC_CEL_STRING && a->kind != VC_CEL_BOOL))
    return FALSE;
  *out = a->kind == VC_CEL_BOOL ? (int) (a->v.i - b->v.i) : strcmp (a->v.text, b->v.text);
  return TRUE;
}

static gboolean
equal_items (const VcCelValue *a, const VcCelValue *b)
{
  if (a->n != b->n)
    return FALSE;
  for (guint32 i = 0; i < a->n; i++)
    if (!cel_equal (&a->v.item[i], &b->v.item[i]))
      return FALSE;
  return TRUE;
}

static gboolean
equal_entries (const VcCelValue *a, const VcCelValue *b)
{
  if (a->n != b->n)
    return FALSE;
  for (guint32 i = 0; i < a->n; i++) {
    const VcCelValue *other = cel_map_find (b, &a->v.entry[i].key);
    if (other == NULL || !cel_equal (&a->v.entry[i].value, other))
      return FALSE;
  }
  return TRUE;
}

gboolean
cel_equal (const VcCelValue *a, const VcCelValue *b)
{
  if (is_number (a) && is_number (b))
    return !is_nan (a) && !is_nan (b) && compare_numbers (a, b) == 0;
  if (a->kind != b->kind)
    return FALSE;
  switch ((VcCelKind) a->kind) {
  case VC_CEL_STRING:
    return a->n == b->n && memcmp (a->v.text, b->v.text, a->n) == 0;
  case VC_CEL_LIST:
  case VC_CEL_OPTIONAL:
    return equal_items (a, b);
  case VC_CEL_MAP:
    return equal_entries (a, b);
  case VC_CEL_QUANTITY:
    return a->v.quantity->amount == b->v.quantity->amount;
  case VC_CEL_SEMVER:
    return vc_semver_compare (a->v.semver, b->v.semver) == 0;
  case VC_CEL_NULL:
    return TRUE;
  case VC_CEL_BOOL:
  case VC_CEL_TYPE:
    return a->v.i == b->v.i;
  case VC_CEL_INT:
  case VC_CEL_UINT:
  case VC_CEL_DOUBLE:
  case VC_CEL_DEVICE:
  case VC_CEL_ERROR:
  default:
    return a->v.device == b->v.device;
  }
}

const VcCelValue *
cel_map_find (const VcCelValue *map, const VcCelValue *key)
{
  for (guint32 i = 0; i < map->n; i++)
    if (cel_equal (&map->v.entry[i].key, key))
      return &map->v.entry[i].value;
  return NULL;
}

/* ---- fields and items ------------------------------------------------------------------------ */

static VcCelValue
no_key (CelRun *run, const VcCelValue *key)
{
  switch ((VcCelKind) key->kind) {
  case VC_CEL_STRING:
    return cel_fail (run, "no such key: %s", key->v.text);
  case VC_CEL_BOOL:
    return cel_fail (run, "no such key: %s", key->v.i ? "true" : "false");
  case VC_CEL_UINT:
    return cel_fail (run, "no such key: %" G_GUINT64_FORMAT, key->v.u);
  case VC_CEL_INT:
    return cel_fail (run, "no such key: %" G_GINT64_FORMAT, key->v.i);
  case VC_CEL_NULL:
  case VC_CEL_DOUBLE:
  case VC_CEL_LIST:
  case VC_CEL_MAP:
  case VC_CEL_QUANTITY:
  case VC_CEL_SEMVER:
  case VC_CEL_OPTIONAL:
  case VC_CEL_TYPE:
  case VC_CEL_DEVICE:
  case VC_CEL_ERROR:
  default:
    return cel_fail (run, "no such key");
  }
}

static VcCelValue
device_field (const VcCelDevice *d, const char *name)
{
  if (strcmp (name, "driver") == 0)
    return vc_cel_string (d->driver);
  if (strcmp (name, "allowMultipleAllocations") == 0)
    return vc_cel_bool (d->shared);
  VcCelValue map = strcmp (name, "attributes") == 0 ? d->attributes : d->capacity;
  map.open = TRUE;
  return map;
}

/* What stands at @key. *found tells whether there is anything; errors count as found. */
static VcCelValue
look_up (CelRun *run, const VcCelValue *in, const VcCelValue *key, gboolean *found)
{
  *found = TRUE;
  if (in->kind == VC_CEL_DEVICE && key->kind == VC_CEL_STRING)
    return device_field (in->v.device, key->v.text);
  if (in->kind == VC_CEL_MAP) {
    const VcCelValue *v = cel_map_find (in, key);
    if (v != NULL)
      return *v;
    if (in->open)
      return (VcCelValue) { .kind = VC_CEL_MAP };
  }
  if (in->kind == VC_CEL_LIST && (key->kind == VC_CEL_INT || key->kind == VC_CEL_UINT || (key->kind == VC_CEL_DOUBLE && key->v.d == floor (key->v.d)))) {
    gint64 i = key->kind == VC_CEL_DOUBLE ? (gint64) key->v.d : key->v.i;
    if (i >= 0 && i < in->n)
      return in->v.item[i];
    *found = FALSE;
    return cel_fail (run, "index out of bounds: %" G_GINT64_FORMAT, i);
  }
  *found = FALSE;
  return no_key (run, key);
}

static VcCelValue
optional_of (CelRun *run, VcCelValue v)
{
  VcCelValue *kept = vc_arena_new0 (run->arena, VcCelValue, 1);
  *kept = v;
  return (VcCelValue) { .kind = VC_CEL_OPTIONAL, .n = 1, .v.item = kept };
}

static VcCelValue
get_field (CelRun *run, const VcCelValue *in, const VcCelValue *key, gboolean optional, gboolean test)
{
  gboolean found, through = in->kind == VC_CEL_OPTIONAL;

  if (in->kind == VC_CEL_ERROR)
    return *in;
  if (key->kind == VC_CEL_ERROR)
    return *key;
  if (through && in->n == 0)
    return test ? vc_cel_bool (FALSE) : *in;
  VcCelValue v = look_up (run, through ? in->v.item : in, key, &found);
  if (test)
    return vc_cel_bool (found);
  if (!through && !optional)
    return v;
  return found ? optional_of (run, v) : (VcCelValue) { .kind = VC_CEL_OPTIONAL };
}

/* ---- logic ----------------------------------------------------------------------------------- */

/* Both sides of `&&` (@settles FALSE) or `||`: the side that settles the answer wins over a failure. */
static VcCelValue
join_logic (VcCelValue a, VcCelValue b, gboolean settles)
{
  if (b.kind == VC_CEL_BOOL && (b.v.i != 0) == settles)
    return b;
  if (a.kind != VC_CEL_BOOL)
    return a.kind == VC_CEL_ERROR ? a : cel_no_overload ();
  return b.kind == VC_CEL_BOOL || b.kind == VC_CEL_ERROR ? b : cel_no_overload ();
}

static VcCelValue
eval_logic (CelRun *run, const CelNode *n, gboolean settles)
{
  VcCelValue a = cel_eval (run, n->arg[0]);

  if (a.kind == VC_CEL_BOOL && (a.v.i != 0) == settles)
    return a;
  return join_logic (a, cel_eval (run, n->arg[1]), settles);
}

/* ---- folds ----------------------------------------------------------------------------------- */

static VcCelValue
range_item (const VcCelValue *range, guint32 i)
{
  return range->kind == VC_CEL_MAP ? range->v.entry[i].key : range->v.item[i];
}

static VcCelValue
fold_logic (CelRun *run, const CelNode *n, const VcCelValue *range, gboolean settles)
{
  VcCelValue sum = vc_cel_bool (!settles);

  for (guint32 i = 0; i < range->n; i++) {
    run->slot[n->slot] = range_item (range, i);
    sum = join_logic (sum, cel_eval (run, n->arg[1]), settles);
    if (sum.kind == VC_CEL_BOOL && (sum.v.i != 0) == settles)
      break;
  }
  return sum;
}

static VcCelValue
fold_one (CelRun *run, const CelNode *n, const VcCelValue *range)
{
  guint32 count = 0;

  for (guint32 i = 0; i < range->n; i++) {
    run->slot[n->slot] = range_item (range, i);
    VcCelValue v = cel_eval (run, n->arg[1]);
    if (v.kind != VC_CEL_BOOL)
      return v.kind == VC_CEL_ERROR ? v : cel_no_overload ();
    count += v.v.i != 0;
  }
  return vc_cel_bool (count == 1);
}

static VcCelValue
fold_list (CelRun *run, const CelNode *n, const VcCelValue *range)
{
  const CelNode *filter = n->fold == FOLD_FILTER ? n->arg[1] : n->n == 3 ? n->arg[2] : NULL;
  VcCelValue *item = vc_arena_new0 (run->arena, VcCelValue, range->n);
  guint32 count = 0;

  for (guint32 i = 0; i < range->n; i++) {
    VcCelValue v = run->slot[n->slot] = range_item (range, i);
    if (filter != NULL) {
      VcCelValue keep = cel_eval (run, filter);
      if (keep.kind != VC_CEL_BOOL)
        return keep.kind == VC_CEL_ERROR ? keep : cel_no_overload ();
      if (!keep.v.i)
        continue;
    }
    if (n->fold == FOLD_MAP)
      v = cel_eval (run, n->arg[1]);
    if (v.kind == VC_CEL_ERROR)
      return v;
    item[count++] = v;
  }
  return (VcCelValue) { .kind = VC_CEL_LIST, .n = count, .v.item = item };
}

static VcCelValue
eval_fold (CelRun *run, const CelNode *n)
{
  VcCelValue range = cel_eval (run, n->arg[0]);

  if (range.kind == VC_CEL_ERROR)
    return range;
  if (n->fold == FOLD_OPT_MAP || n->fold == FOLD_OPT_FLAT_MAP) {
    if (range.kind != VC_CEL_OPTIONAL)
      return cel_no_overload ();
    if (range.n == 0)
      return range;
    run->slot[n->slot] = *range.v.item;
    VcCelValue v = cel_eval (run, n->arg[1]);
    return n->fold == FOLD_OPT_FLAT_MAP || v.kind == VC_CEL_ERROR ? v : optional_of (run, v);
  }
  if (range.kind != VC_CEL_LIST && range.kind != VC_CEL_MAP)
    return cel_no_overload ();
  if (n->fold == FOLD_ALL || n->fold == FOLD_EXISTS)
    return fold_logic (run, n, &range, n->fold == FOLD_EXISTS);
  return n->fold == FOLD_EXISTS_ONE ? fold_one (run, n, &range) : fold_list (run, n, &range);
}

/* ---- calls and literals ----------------------------------------------------------------------- */

static VcCelValue
eval_in (const VcCelValue *what, const VcCelValue *where)
{
  if (where->kind == VC_CEL_MAP)
    return vc_cel_bool (cel_map_find (where, what) != NULL);
  if (where->kind != VC_CEL_LIST)
    return cel_no_overload ();
  for (guint32 i = 0; i < where->n; i++)
    if (cel_equal (what, &where->v.item[i]))
      return vc_cel_bool (TRUE);
  return vc_cel_bool (FALSE);
}

static VcCelValue
eval_call (CelRun *run, const CelNode *n)
{
  VcCelValue argv[4];

  if (n->n > G_N_ELEMENTS (argv))
    return cel_no_overload ();
  if (n->name[0] == '_') {
    if (strcmp (n->name, "_&&_") == 0)
      return eval_logic (run, n, FALSE);
    if (strcmp (n->name, "_||_") == 0)
      return eval_logic (run, n, TRUE);
    if (strcmp (n->name, "_?_:_") == 0) {
      VcCelValue v = cel_eval (run, n->arg[0]);
      if (v.kind != VC_CEL_BOOL)
        return v.kind == VC_CEL_ERROR ? v : cel_no_overload ();
      return cel_eval (run, n->arg[v.v.i ? 1 : 2]);
    }
  }
  for (guint i = 0; i < n->n; i++) {
    if (i == 1 && argv[0].kind == VC_CEL_OPTIONAL && argv[0].n == 1 && n->function != NULL && cel_is_lazy (n->function)) {
      argv[1] = (VcCelValue) { 0 }; /* not asked for */
      continue;
    }
    argv[i] = cel_eval (run, n->arg[i]);
    if (argv[i].kind == VC_CEL_ERROR)
      return argv[i];
  }
  if (n->function != NULL)
    return n->function->call (run, n, argv, n->n);
  if (strcmp (n->name, "_==_") == 0 || strcmp (n->name, "_!=_") == 0) {
    if ((argv[0].kind == VC_CEL_QUANTITY || argv[0].kind == VC_CEL_SEMVER) && argv[1].kind != argv[0].kind && argv[1].kind != VC_CEL_NULL)
      return cel_no_overload (); /* upstream's own types compare with their like alone */
    return vc_cel_bool (cel_equal (&argv[0], &argv[1]) == (n->name[1] == '='));
  }
  if (strcmp (n->name, "@in") == 0)
    return eval_in (&argv[0], &argv[1]);
  return get_field (run, &argv[0], &argv[1], n->name[2] == '?', FALSE);
}

static VcCelValue
eval_list (CelRun *run, const CelNode *n)
{
  VcCelValue *item = vc_arena_new0 (run->arena, VcCelValue, n->n);

  for (guint i = 0; i < n->n; i++) {
    item[i] = cel_eval (run, n->arg[i]);
    if (item[i].kind == VC_CEL_ERROR)
      return item[i];
  }
  return (VcCelValue) { .kind = VC_CEL_LIST, .n = n->n, .v.item = item };
}

static VcCelValue
eval_map (CelRun *run, const CelNode *n)
{
  VcCelEntry *entry = vc_arena_new0 (run->arena, VcCelEntry, n->n / 2);
  VcCelValue map = { .kind = VC_CEL_MAP, .v.entry = entry };

  for (guint i = 0; i < n->n; i += 2) {
    VcCelEntry e = { cel_eval (run, n->arg[i]), cel_eval (run, n->arg[i + 1]) };
    if (e.key.kind == VC_CEL_ERROR || e.value.kind == VC_CEL_ERROR)
      return e.key.kind == VC_CEL_ERROR ? e.key : e.value;
    guint32 at = 0;
    while (at < map.n && !cel_equal (&entry[at].key, &e.key))
      at++;
    entry[at] = e; /* of several the last one counts */
    map.n = MAX (map.n, at + 1);
  }
  return map;
}

VcCelValue
cel_eval (CelRun *run, const CelNode *n)
{
  if (++run->cost > CEL_COST_LIMIT)
    return cel_fail (run, "operation cancelled: actual cost limit exceeded");
  switch (n->kind) {
  case NODE_CONST:
    return n->value;
  case NODE_IDENT:
    return n->is_device ? (VcCelValue) { .kind = VC_CEL_DEVICE, .v.device = run->device } : run->slot[n->slot];
  case NODE_SELECT: {
    VcCelValue in = cel_eval (run, n->arg[0]), key = vc_cel_string (n->name);
    return get_field (run, &in, &key, n->optional, n->test);
  }
  case NODE_CALL:
    return eval_call (run, n);
  case NODE_LIST:
    return eval_list (run, n);
  case NODE_MAP:
    return eval_map (run, n);
  case NODE_FOLD:
    return eval_fold (run, n);
  case NODE_BIND:
  default: {
    VcCelValue v = cel_eval (run, n->arg[0]);
    run->slot[n->slot] = v; /* a failure counts only where the name is used */
    return cel_eval (run, n->arg[1]);
  }
  }
}

gboolean
vc_cel_matches (const VcCel *e, const VcCelDevice *d, VcArena *scratch, const char **error)
{
  CelRun run = { .device = d, .arena = scratch };
  VcCelValue v = cel_eval (&run, e->root);

  *error = NULL;
  if (v.kind == VC_CEL_BOOL)
    return v.v.i != 0;
  if (v.kind == VC_CEL_SEMVER)
    v = cel_fail (&run, "CEL result of type kubernetes.Semver could not be converted to bool: type conversion error from 'Semver' to 'bool'");
  else if (v.kind == VC_CEL_STRING)
    v = cel_fail (&run, "CEL result of type string could not be converted to bool: unsupported native conversion from string to 'bool'");
  else if (v.kind != VC_CEL_ERROR)
    v = cel_fail (&run, "CEL result of type %s could not be converted to bool: unsupported type conversion from '%s' to bool", cel_kind_name (v.kind), cel_kind_name (v.kind));
  *error = v.v.text;
  return FALSE;
}
