/* Types: every call finds an overload that its arguments may fit, names become slots, and what Kubernetes has and this does not is
 * refused by name. */
#include "cel-private.h"
#include <string.h>

typedef struct {
  VcCel *e;
  GError **error;
  const char *name[CEL_SLOTS];
  const CelType *type[CEL_SLOTS];
  guint n;
} Check;

#define SIMPLE(kind) (&simple[kind])
static const CelType simple[] = {
  [TYPE_DYN] = { TYPE_DYN, NULL, NULL },       [TYPE_ANY] = { TYPE_ANY, NULL, NULL },           [TYPE_NULL] = { TYPE_NULL, NULL, NULL },
  [TYPE_BOOL] = { TYPE_BOOL, NULL, NULL },     [TYPE_INT] = { TYPE_INT, NULL, NULL },           [TYPE_UINT] = { TYPE_UINT, NULL, NULL },
  [TYPE_DOUBLE] = { TYPE_DOUBLE, NULL, NULL }, [TYPE_STRING] = { TYPE_STRING, NULL, NULL },     [TYPE_LIST] = { TYPE_LIST, &simple[TYPE_DYN], NULL },
  [TYPE_MAP] = { TYPE_MAP, &simple[TYPE_DYN], &simple[TYPE_DYN] }, [TYPE_DEVICE] = { TYPE_DEVICE, NULL, NULL },
  [TYPE_QUANTITY] = { TYPE_QUANTITY, NULL, NULL }, [TYPE_SEMVER] = { TYPE_SEMVER, NULL, NULL },
  [TYPE_OPTIONAL] = { TYPE_OPTIONAL, &simple[TYPE_DYN], NULL }, [TYPE_TYPE] = { TYPE_TYPE, NULL, NULL },
};
static const CelType strings = { TYPE_LIST, &simple[TYPE_STRING], NULL };
static const CelType attributes_of_domain = { TYPE_MAP, &simple[TYPE_ANY], &simple[TYPE_STRING] };
static const CelType capacity_of_domain = { TYPE_MAP, &simple[TYPE_QUANTITY], &simple[TYPE_STRING] };
static const CelType attributes_type = { TYPE_MAP, &attributes_of_domain, &simple[TYPE_STRING] };
static const CelType capacity_type = { TYPE_MAP, &capacity_of_domain, &simple[TYPE_STRING] };

static const char *const type_names[] = { "dyn", "any", "null", "bool", "int", "uint", "double", "string", "list", "map", "kubernetes.DRADevice", "kubernetes.Quantity", "kubernetes.Semver", "optional_type", "type" };

/* Functions of Kubernetes' environment that are not here. */
static const char *const missing[] = {
  "timestamp", "duration", "bytes", "getFullYear", "getMonth", "getDayOfYear", "getDate", "getDayOfMonth", "getDayOfWeek", "getHours", "getMinutes", "getSeconds", "getMilliseconds", "url",
  "isURL", "getScheme", "getHost", "getHostname", "getPort", "getEscapedPath", "getQuery", "find", "findAll", "isSorted", "sum", "min", "max", "ip", "isIP", "ip.isCanonical", "family", "isUnspecified",
  "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast", "cidr", "isCIDR", "containsIP", "containsCIDR", "prefixLength", "masked", "format", "format.named", "validate", "strings.quote",
  "lists.range", "slice", "flatten", "distinct", "sort", "sortBy", "reverse", "first", "last", "path", "group", "serviceAccount", "resource", "subresource", "namespace", "name", "check", "allowed", "reason",
  "errored", "error", "fieldSelector", "labelSelector", "unwrap", "unwrapOpt",
};

static gboolean
is_open (const CelType *t)
{
  return t->kind == TYPE_DYN || t->kind == TYPE_ANY;
}

static const CelType *
type_new (Check *k, CelTypeKind kind, const CelType *elem, const CelType *key)
{
  CelType *t = vc_arena_new0 (k->e->arena, CelType, 1);
  *t = (CelType) { kind, elem, key };
  return t;
}

static void
append_type (GString *out, const CelType *t)
{
  g_string_append (out, type_names[t->kind]);
  if (t->elem == NULL)
    return;
  g_string_append_c (out, '(');
  if (t->key != NULL) {
    append_type (out, t->key);
    g_string_append (out, ", ");
  }
  append_type (out, t->elem);
  g_string_append_c (out, ')');
}

/* May a value of one be a value of the other? */
static gboolean
fits (const CelType *a, const CelType *b)
{
  if (is_open (a) || is_open (b))
    return TRUE;
  if (a->kind != b->kind)
    return (a->kind == TYPE_NULL && b->kind >= TYPE_DEVICE && b->kind != TYPE_TYPE) || (b->kind == TYPE_NULL && a->kind >= TYPE_DEVICE && a->kind != TYPE_TYPE);
  return (a->elem == NULL || fits (a->elem, b->elem)) && (a->key == NULL || fits (a->key, b->key));
}

/* The type of both, dynamic where they differ. */
static const CelType *
join_types (const CelType *a, const CelType *b)
{
  if (a == NULL || a == b)
    return b;
  return fits (a, b) && !is_open (b) ? a : SIMPLE (TYPE_DYN);
}

static gboolean
refuse_call (Check *k, const CelNode *n)
{
  g_autoptr (GString) types = g_string_new (NULL);

  guint first = n->member ? 1 : 0;

  for (guint i = first; i < n->n; i++) {
    g_string_append (types, i > first ? ", " : "");
    append_type (types, n->arg[i]->type);
  }
  if (n->member) {
    g_autoptr (GString) target = g_string_new (NULL);
    append_type (target, n->arg[0]->type);
    cel_refuse (k->error, VC_CEL_ERROR_SYNTAX, k->e->text, n->at, "found no matching overload for '%s' applied to '%s.(%s)'", n->name, target->str, types->str);
  } else {
    cel_refuse (k->error, VC_CEL_ERROR_SYNTAX, k->e->text, n->at, "found no matching overload for '%s' applied to '(%s)'", n->name, types->str);
  }
  return FALSE;
}

/* ---- signatures ------------------------------------------------------------------------------
 * b i u d s: bool int uint double string; q v: quantity semver; n: null; t: a type; L S M O: list, list of strings, map, optional;
 * A: anything; E, e: what the optional in front holds; y (result): dynamic; a: as the first argument; o: an optional of the last argument */

static const CelType *
type_of_letter (char letter)
{
  switch (letter) {
  case 'b':
    return SIMPLE (TYPE_BOOL);
  case 'i':
    return SIMPLE (TYPE_INT);
  case 'u':
    return SIMPLE (TYPE_UINT);
  case 'd':
    return SIMPLE (TYPE_DOUBLE);
  case 's':
    return SIMPLE (TYPE_STRING);
  case 'q':
    return SIMPLE (TYPE_QUANTITY);
  case 'v':
    return SIMPLE (TYPE_SEMVER);
  case 't':
    return SIMPLE (TYPE_TYPE);
  case 'L':
    return SIMPLE (TYPE_LIST);
  case 'S':
    return &strings;
  case 'M':
    return SIMPLE (TYPE_MAP);
  case 'O':
    return SIMPLE (TYPE_OPTIONAL);
  default:
    return SIMPLE (TYPE_DYN);
  }
}

/* The result of one overload for these arguments, or NULL when it does not fit. */
static const CelType *
try_overload (Check *k, const CelFunction *f, const CelNode *n)
{
  const char *colon = strchr (f->signature, ':');

  if (f->member != n->member || (gsize) (colon - f->signature) != n->n)
    return NULL;
  const CelType *front = n->n > 0 ? n->arg[0]->type : NULL;
  for (guint i = 0; i < n->n; i++) {
    const CelType *want = f->signature[i] != 'E' ? type_of_letter (f->signature[i]) : front->elem != NULL ? front->elem : SIMPLE (TYPE_DYN);
    if (!fits (want, n->arg[i]->type))
      return NULL;
  }
  switch (colon[1]) {
  case 'e':
    return front->elem == NULL || is_open (n->arg[n->n - 1]->type) ? SIMPLE (TYPE_DYN) : front->elem;
  case 'a': /* as the first argument */
    return front;
  case 'o':
    return type_new (k, TYPE_OPTIONAL, n->n > 0 ? n->arg[n->n - 1]->type : SIMPLE (TYPE_DYN), NULL);
  default:
    return type_of_letter (colon[1]);
  }
}

static gboolean
check_function (Check *k, CelNode *n)
{
  const CelType *result = NULL;
  gboolean known = FALSE;

  for (guint i = 0; i < cel_n_functions; i++) {
    const CelFunction *f = &cel_functions[i];

    if (strcmp (f->name, n->name) != 0)
      continue;
    known = TRUE;
    const CelType *t = try_overload (k, f, n);
    if (t == NULL)
      continue;
    n->function = f;
    result = join_types (result, t);
  }
  if (result != NULL) {
    n->type = result;
    return TRUE;
  }
  if (known)
    return refuse_call (k, n);
  for (guint i = 0; i < G_N_ELEMENTS (missing); i++)
    if (strcmp (missing[i], n->name) == 0) {
      cel_refuse (k->error, VC_CEL_ERROR_UNSUPPORTED, k->e->text, n->at, "the function %s() is not implemented yet", n->name);
      return FALSE;
    }
  cel_refuse (k->error, VC_CEL_ERROR_SYNTAX, k->e->text, n->at, "undeclared reference to '%s'", n->name);
  return FALSE;
}

/* ---- regular expressions: what RE2 and PCRE read alike ------------------------------------------ */

static const char *
odd_pattern (const char *s)
{
  gboolean class = FALSE, repeated = FALSE;

  for (; *s != '\0'; s++) {
    gboolean repeat = FALSE;
    if (*s == '\\') {
      s++;
      if (*s == '\0' || (guchar) *s >= 0x80 || strchr ("abAdDfnrsStwWBz", *s) == NULL)
        if (*s == '\0' || g_ascii_isalnum (*s) || (guchar) *s >= 0x80)
          return "an escape sequence";
      if (class && (*s == 'b' || *s == 'B' || *s == 'A' || *s == 'z'))
        return "an escape sequence in a class";
    } else if (class) {
      class = *s != ']';
      if (s[0] == '[' && (s[1] == '.' || s[1] == '='))
        return "a collating element";
      if (s[0] == '[' && s[1] == ':') {
        s = strstr (s + 2, ":]");
        if (s == NULL)
          return "a class without its end";
        s++;
      }
    } else if (*s == '[') {
      class = TRUE;
      if (s[1] == '^')
        s++;
      if (s[1] == ']')
        s++;
    } else if (s[0] == '(' && s[1] == '?') {
      if (s[2] != ':')
        return "a group with options";
    } else if (s[0] == '(' && s[1] == '*') {
      return "a verb";
    } else if (*s == '*' || *s == '+' || *s == '?' || (*s == '{' && g_ascii_isdigit (s[1]))) {
      /* `+?` is the lazy form in both; anything else behind a repetition is refused by RE2 or possessive in PCRE */
      if (repeated && *s != '?')
        return "a repetition of a repetition";
      if (*s == '{') {
        guint64 most = g_ascii_strtoull (s + 1, NULL, 10);
        const char *end = strchr (s, '}');
        const char *comma = strchr (s, ',');
        if (end != NULL && comma != NULL && comma < end && comma + 1 < end)
          most = MAX (most, g_ascii_strtoull (comma + 1, NULL, 10));
        if (most > 1000 || end == NULL)
          return "a repetition of more than 1000";
        s = end;
      }
      repeat = !repeated;
    }
    repeated = repeat;
  }
  return NULL;
}

static gboolean
check_pattern (Check *k, CelNode *n)
{
  const CelNode *pattern = n->arg[1];
  GError *bad = NULL;

  if (pattern->kind != NODE_CONST) {
    cel_refuse (k->error, VC_CEL_ERROR_UNSUPPORTED, k->e->text, pattern->at, "a regular expression that is not a literal is not implemented yet");
    return FALSE;
  }
  const char *odd = odd_pattern (pattern->value.v.text);
  if (odd != NULL) {
    cel_refuse (k->error, VC_CEL_ERROR_UNSUPPORTED, k->e->text, pattern->at, "%s in a regular expression is not implemented yet", odd);
    return FALSE;
  }
  n->regex = g_regex_new (pattern->value.v.text, G_REGEX_DOLLAR_ENDONLY | G_REGEX_NEWLINE_LF, 0, &bad);
  if (n->regex == NULL) {
    cel_refuse (k->error, VC_CEL_ERROR_SYNTAX, k->e->text, pattern->at, "invalid matches argument: %s", bad->message);
    g_error_free (bad);
    return FALSE;
  }
  g_ptr_array_add (k->e->regexes, n->regex);
  return TRUE;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static gboolean check (Check *k, CelNode *n);

static gboolean
check_args (Check *k, CelNode *n)
{
  for (guint i = 0; i < n->n; i++)
    if (!check (k, n->arg[i]))
      return FALSE;
  return TRUE;
}

static gboolean
push (Check *k, CelNode *n, const CelType *type)
{
  if (k->n == CEL_SLOTS) {
    cel_refuse (k->error, VC_CEL_ERROR_SYNTAX, k->e->text, n->at, "too many variables inside each other");
    return FALSE;
  }
  n->slot = k->n;
  k->name[k->n] = n->name;
  k->type[k->n++] = type;
  return TRUE;
}

static gboolean
check_ident (Check *k, CelNode *n)
{
  static const CelTypeKind named[] = { TYPE_BOOL, TYPE_INT, TYPE_UINT, TYPE_DOUBLE, TYPE_STRING, TYPE_LIST, TYPE_MAP, TYPE_TYPE };
  static const VcCelKind kinds[] = { VC_CEL_BOOL, VC_CEL_INT, VC_CEL_UINT, VC_CEL_DOUBLE, VC_CEL_STRING, VC_CEL_LIST, VC_CEL_MAP, VC_CEL_TYPE };

  for (guint i = k->n; i-- > 0;)
    if (strcmp (k->name[i], n->name) == 0) {
      n->slot = i;
      n->type = k->type[i];
      return TRUE;
    }
  if (strcmp (n->name, "device") == 0) {
    n->is_device = TRUE;
    n->type = SIMPLE (TYPE_DEVICE);
    return TRUE;
  }
  for (guint i = 0; i < G_N_ELEMENTS (named); i++)
    if (strcmp (type_names[named[i]], n->name) == 0) {
      n->kind = NODE_CONST;
      n->value = (VcCelValue) { .kind = VC_CEL_TYPE, .v.i = kinds[i] };
      n->type = SIMPLE (TYPE_TYPE);
      return TRUE;
    }
  if (strcmp (n->name, "null_type") == 0) {
    n->kind = NODE_CONST;
    n->value = (VcCelValue) { .kind = VC_CEL_TYPE, .v.i = VC_CEL_NULL };
    n->type = SIMPLE (TYPE_TYPE);
    return TRUE;
  }
  cel_refuse (k->error, VC_CEL_ERROR_SYNTAX, k->e->text, n->at, "undeclared reference to '%s'", n->name);
  return FALSE;
}

static gboolean
check_select (Check *k, CelNode *n)
{
  if (!check (k, n->arg[0]))
    return FALSE;
  const CelType *t = n->arg[0]->type, *field = NULL;
  gboolean through = t->kind == TYPE_OPTIONAL; /* a selection in an optional gives an optional */

  if (through)
    t = t->elem;
  if (t->kind == TYPE_DEVICE) {
    static const struct { const char *name; const CelType *type; } fields[] = {
      { "driver", &simple[TYPE_STRING] }, { "allowMultipleAllocations", &simple[TYPE_BOOL] }, { "attributes", &attributes_type }, { "capacity", &capacity_type }
    };
    for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
      if (strcmp (fields[i].name, n->name) == 0)
        field = fields[i].type;
    if (field == NULL) {
      cel_refuse (k->error, VC_CEL_ERROR_SYNTAX, k->e->text, n->at, "undefined field '%s'", n->name);
      return FALSE;
    }
  } else if (t->kind == TYPE_MAP) {
    field = t->elem;
  } else if (is_open (t)) {
    field = SIMPLE (TYPE_DYN);
  } else {
    g_autoptr (GString) type = g_string_new (NULL);
    append_type (type, t);
    cel_refuse (k->error, VC_CEL_ERROR_SYNTAX, k->e->text, n->at, "type '%s' does not support field selection", type->str);
    return FALSE;
  }
  n->type = n->test ? SIMPLE (TYPE_BOOL) : through || n->optional ? type_new (k, TYPE_OPTIONAL, field, NULL) : field;
  return TRUE;
}

static gboolean
check_index (Check *k, CelNode *n)
{
  const CelType *t = n->arg[0]->type, *index = n->arg[1]->type, *item;
  gboolean through = t->kind == TYPE_OPTIONAL, optional = strcmp (n->name, "_[?_]") == 0;

  if (through)
    t = t->elem;
  if (t->kind == TYPE_LIST && fits (index, SIMPLE (TYPE_INT)))
    item = t->elem;
  else if (t->kind == TYPE_MAP && fits (index, t->key))
    item = t->elem;
  else if (is_open (t))
    item = SIMPLE (TYPE_DYN);
  else
    return refuse_call (k, n);
  n->type = through || optional ? type_new (k, TYPE_OPTIONAL, item, NULL) : item;
  return TRUE;
}

/* "sets.contains", "optional.of": a target that is no variable is part of the name. */
static gboolean
join_name (Check *k, CelNode *n)
{
  static const char *const spaces[] = { "sets", "optional", "strings", "lists", "math", "ip", "format" };
  CelNode *target = n->member ? n->arg[0] : NULL;

  if (target == NULL || target->kind != NODE_IDENT)
    return FALSE;
  for (guint i = 0; i < k->n; i++)
    if (strcmp (k->name[i], target->name) == 0)
      return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (spaces); i++)
    if (strcmp (spaces[i], target->name) == 0) {
      g_autofree char *name = g_strconcat (target->name, ".", n->name, NULL);
      n->name = vc_arena_strdup (k->e->arena, name);
      n->arg++;
      n->n--;
      n->member = FALSE;
      n->at = target->at;
      return TRUE;
    }
  return FALSE;
}

static gboolean
check_call (Check *k, CelNode *n)
{
  join_name (k, n);
  if (!check_args (k, n))
    return FALSE;
  if (strcmp (n->name, "_[_]") == 0 || strcmp (n->name, "_[?_]") == 0)
    return check_index (k, n);
  if (strcmp (n->name, "_==_") == 0 || strcmp (n->name, "_!=_") == 0) {
    n->type = SIMPLE (TYPE_BOOL);
    return fits (n->arg[0]->type, n->arg[1]->type) || refuse_call (k, n);
  }
  if (strcmp (n->name, "@in") == 0) {
    const CelType *in = n->arg[1]->type;
    gboolean good = is_open (in) || (in->kind == TYPE_LIST && fits (n->arg[0]->type, in->elem)) || (in->kind == TYPE_MAP && fits (n->arg[0]->type, in->key));
    n->type = SIMPLE (TYPE_BOOL);
    return good || refuse_call (k, n);
  }
  if (strcmp (n->name, "_?_:_") == 0) {
    if (!fits (n->arg[0]->type, SIMPLE (TYPE_BOOL)) || !fits (n->arg[1]->type, n->arg[2]->type))
      return refuse_call (k, n);
    n->type = is_open (n->arg[1]->type) ? n->arg[1]->type : is_open (n->arg[2]->type) ? n->arg[2]->type : n->arg[1]->type;
    return TRUE;
  }
  if (!check_function (k, n))
    return FALSE;
  return strcmp (n->name, "matches") != 0 || check_pattern (k, n);
}

/* Items of a literal are of one type, or dynamic; to be assignable is not enough. */
static gboolean
mixes (const CelType *a, const CelType *b)
{
  return a->kind != b->kind && a->kind != TYPE_DYN && b->kind != TYPE_DYN;
}

static gboolean
check_items (Check *k, CelNode *n)
{
  const CelType *of[2] = { NULL, NULL }; /* of a map: keys, values */
  guint stride = n->kind == NODE_MAP ? 2 : 1;

  if (!check_args (k, n))
    return FALSE;
  for (guint i = 0; i < n->n; i++) {
    const CelType **t = &of[i % stride];
    if (*t != NULL && (!fits (*t, n->arg[i]->type) || mixes (*t, n->arg[i]->type))) {
      g_autoptr (GString) want = g_string_new (NULL);
      g_autoptr (GString) got = g_string_new (NULL);
      append_type (want, *t);
      append_type (got, n->arg[i]->type);
      cel_refuse (k->error, VC_CEL_ERROR_SYNTAX, k->e->text, n->arg[i]->at, "expected type '%s' but found '%s'", want->str, got->str);
      return FALSE;
    }
    *t = *t == NULL ? n->arg[i]->type : is_open (*t) ? *t : join_types (*t, n->arg[i]->type);
  }
  if (stride == 1)
    n->type = of[0] == NULL ? SIMPLE (TYPE_LIST) : type_new (k, TYPE_LIST, of[0], NULL);
  else
    n->type = of[0] == NULL ? SIMPLE (TYPE_MAP) : type_new (k, TYPE_MAP, of[1], of[0]);
  return TRUE;
}

static gboolean
check_fold (Check *k, CelNode *n)
{
  CelNode *range = n->arg[0], *step = n->arg[1], *filter = n->n == 3 ? n->arg[2] : NULL;
  gboolean optional = n->fold == FOLD_OPT_MAP || n->fold == FOLD_OPT_FLAT_MAP;

  if (!check (k, range))
    return FALSE;
  const CelType *t = range->type;
  if (optional ? t->kind != TYPE_OPTIONAL && t->kind != TYPE_DYN : t->kind != TYPE_LIST && t->kind != TYPE_MAP && t->kind != TYPE_DYN) {
    g_autoptr (GString) type = g_string_new (NULL);
    append_type (type, t);
    cel_refuse (k->error, VC_CEL_ERROR_SYNTAX, k->e->text, range->at, "expression of type '%s' cannot be range of a comprehension (must be list, map, or dynamic)", type->str);
    return FALSE;
  }
  const CelType *item = t->kind == TYPE_MAP ? t->key : t->kind == TYPE_DYN ? SIMPLE (TYPE_DYN) : t->elem;
  if (!push (k, n, item) || (filter != NULL && !check (k, filter)) || !check (k, step))
    return FALSE;
  k->n--;
  gboolean test = n->fold <= FOLD_FILTER;
  const CelNode *condition = filter != NULL ? filter : test ? step : NULL;
  if (condition != NULL && !fits (condition->type, SIMPLE (TYPE_BOOL))) {
    g_autoptr (GString) type = g_string_new (NULL);
    append_type (type, condition->type);
    cel_refuse (k->error, VC_CEL_ERROR_SYNTAX, k->e->text, condition->at, "expected type 'bool' but found '%s'", type->str);
    return FALSE;
  }
  if (n->fold == FOLD_OPT_FLAT_MAP && !fits (step->type, SIMPLE (TYPE_OPTIONAL)))
    return refuse_call (k, n);
  n->type = n->fold <= FOLD_EXISTS_ONE ? SIMPLE (TYPE_BOOL)
            : n->fold == FOLD_FILTER   ? type_new (k, TYPE_LIST, item, NULL)
            : n->fold == FOLD_MAP      ? type_new (k, TYPE_LIST, step->type, NULL)
            : n->fold == FOLD_OPT_MAP  ? type_new (k, TYPE_OPTIONAL, step->type, NULL)
                                       : step->type;
  return TRUE;
}

static gboolean
check (Check *k, CelNode *n)
{
  static const CelTypeKind of_const[] = { [VC_CEL_NULL] = TYPE_NULL, [VC_CEL_BOOL] = TYPE_BOOL, [VC_CEL_INT] = TYPE_INT, [VC_CEL_UINT] = TYPE_UINT, [VC_CEL_DOUBLE] = TYPE_DOUBLE, [VC_CEL_STRING] = TYPE_STRING };

  switch (n->kind) {
  case NODE_CONST:
    n->type = SIMPLE (of_const[n->value.kind]);
    return TRUE;
  case NODE_IDENT:
    return check_ident (k, n);
  case NODE_SELECT:
    return check_select (k, n);
  case NODE_CALL:
    return check_call (k, n);
  case NODE_LIST:
  case NODE_MAP:
    return check_items (k, n);
  case NODE_FOLD:
    return check_fold (k, n);
  case NODE_BIND:
  default:
    if (!check (k, n->arg[0]) || !push (k, n, n->arg[0]->type) || !check (k, n->arg[1]))
      return FALSE;
    k->n--;
    n->type = n->arg[1]->type;
    return TRUE;
  }
}

gboolean
cel_check (VcCel *e, CelNode *root, GError **error)
{
  Check k = { .e = e, .error = error };

  if (!check (&k, root))
    return FALSE;
  if (root->type->kind == TYPE_BOOL || root->type->kind == TYPE_ANY)
    return TRUE;
  g_autoptr (GString) type = g_string_new (NULL);
  append_type (type, root->type);
  cel_refuse (error, VC_CEL_ERROR_SYNTAX, e->text, root->at, "must evaluate to bool or the unknown type, not %s", type->str);
  return FALSE;
}
