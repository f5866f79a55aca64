#include "conf-reader.h"
#include <string.h>

/* ---- messages ---- */

/* One text for a message: short, on one line, valid UTF-8. */
const char *
vc_reader_show (VcReader *r, const char *text)
{
  g_autoptr (GString) s = g_string_new (NULL);
  guint n = 0;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);

    if (++n > 40) {
      g_string_append (s, "...");
      break;
    }
    if (c == '\n')
      g_string_append (s, "\\n");
    else if (c == '\t')
      g_string_append (s, "\\t");
    else if (g_unichar_isprint (c))
      g_string_append_unichar (s, c);
    else
      g_string_append_printf (s, "\\u%04x", c);
  }
  return g_string_chunk_insert_len (r->scratch, s->str, (gssize) s->len);
}

void
vc_reader_place (const VcReader *r, guint32 *line, guint32 *col)
{
  const VcReadInside *in = r->inside;

  if (in == NULL)
    return;
  /* A literal block has line by line what the text has, only indented; any other style begins here,
   * and no more is known. */
  *line = in->scalar->literal ? in->scalar->line + *line - 1 : in->scalar->line;
  *col = in->scalar->literal ? in->indent + *col : in->scalar->col;
}

static char *
message (VcReader *r, guint32 line, guint32 col, const char *what)
{
  const guint32 inner_line = line, inner_col = col;

  vc_reader_place (r, &line, &col);
  if (r->inside != NULL && !r->inside->scalar->literal)
    return g_strdup_printf ("%s:%u:%u: %s (at %u:%u of the text there)", r->source, line, col, what,
                            inner_line, inner_col);
  return g_strdup_printf ("%s:%u:%u: %s", r->source, line, col, what);
}

gboolean
vc_reader_fail (VcReader *r, VcConfError code, guint32 line, guint32 col, const char *fmt, ...)
{
  g_autofree char *what = NULL, *text = NULL;
  va_list ap;

  va_start (ap, fmt);
  what = g_strdup_vprintf (fmt, ap);
  va_end (ap);
  text = message (r, line, col, what);
  g_set_error_literal (r->error, VC_CONF_ERROR, (gint) code, text);
  return FALSE;
}

void
vc_reader_warn (VcReader *r, guint32 line, guint32 col, const char *fmt, ...)
{
  g_autofree char *what = NULL;
  va_list ap;

  if (r->warnings == NULL)
    return;
  va_start (ap, fmt);
  what = g_strdup_vprintf (fmt, ap);
  va_end (ap);
  g_ptr_array_add (r->warnings, message (r, line, col, what));
}

gboolean
vc_reader_odd (VcReader *r, VcConfError code, guint32 line, guint32 col, const char *fmt, ...)
{
  g_autofree char *what = NULL;
  va_list ap;

  va_start (ap, fmt);
  what = g_strdup_vprintf (fmt, ap);
  va_end (ap);
  if (!r->lenient)
    return vc_reader_fail (r, code, line, col, "%s", what);
  vc_reader_warn (r, line, col, "%s", what);
  return TRUE;
}

const char *
vc_reader_describe_value (VcReader *r, const VcArg *v, gboolean quoted)
{
  const char *text = v->s != NULL ? vc_reader_show (r, v->s) : "";
  g_autofree char *s = NULL;

  switch (v->type) {
  case VC_VALUE_NULL:
    return "null";
  case VC_VALUE_BOOL:
    s = g_strdup_printf ("boolean %s", text);
    break;
  case VC_VALUE_INT:
    s = g_strdup_printf ("integer %s", text);
    break;
  case VC_VALUE_FLOAT:
    s = g_strdup_printf ("float %s", text);
    break;
  case VC_VALUE_STRING:
    s = g_strdup_printf (quoted ? "quoted text '%s'" : "text '%s'", text);
    break;
  case VC_VALUE_OTHER:
  default:
    if (v->s == NULL)
      return v->is_list ? "a list" : "a mapping";
    s = g_strdup_printf ("integer %s, which has more than 64 bits", text);
  }
  return g_string_chunk_insert (r->scratch, s);
}

const char *
vc_reader_describe (VcReader *r, const VcYamlNode *n)
{
  VcArg v = { .type = VC_VALUE_OTHER, .is_list = n->kind == VC_YAML_LIST };
  g_autofree char *why = NULL;
  const char *text;

  if (n->kind == VC_YAML_SCALAR && !vc_yaml_scalar (n, &v, &why))
    return vc_reader_show (r, n->text);
  text = vc_reader_describe_value (r, &v, n->kind == VC_YAML_SCALAR && !n->plain);
  g_free (v.s);
  return text;
}

gboolean
vc_reader_fault (VcReader *r, const VcYamlFault *fault)
{
  const char *end = r->text + r->len, *p = r->text, *stop;
  g_autofree char *rest = NULL;

  if (!g_str_has_prefix (fault->what, "broken YAML")) /* then it says what it found */
    return vc_reader_fail (r, VC_CONF_ERROR_SYNTAX, fault->line, fault->col, "%s", fault->what);
  for (guint32 line = 1; p < end && line < fault->line; p++)
    line += *p == '\n' || (*p == '\r' && !(p + 1 < end && p[1] == '\n'));
  for (guint32 col = 1; p < end && *p != '\n' && *p != '\r' && col < fault->col; col++)
    p = g_utf8_next_char (p);
  for (stop = p; stop < end && *stop != '\n' && *stop != '\r';)
    stop++;
  rest = g_strndup (p, (gsize) (stop - p));
  if (*rest == '\0')
    return vc_reader_fail (r, VC_CONF_ERROR_SYNTAX, fault->line, fault->col,
                           "%s, found the end of the %s", fault->what,
                           stop < end ? "line" : "text");
  return vc_reader_fail (r, VC_CONF_ERROR_SYNTAX, fault->line, fault->col, "%s, found '%s'",
                         fault->what, vc_reader_show (r, rest));
}

/* ---- walking the tree as yaml.v2 decodes into structures ---- */

/* yaml.v2's guard against a small text that unfolds into a large one through aliases. */
static gboolean
too_many_aliases (const VcReader *r)
{
  const double low = 400000, high = 4000000, n = (double) r->n_read;
  const double allowed = n <= low    ? 0.99
                         : n >= high ? 0.10
                                     : 0.99 - 0.89 * ((n - low) / (high - low));

  return r->n_aliased > 100 && r->n_read > 1000 && (double) r->n_aliased / n > allowed;
}

gboolean
vc_read_node (VcReader *r, VcYamlNode *n, VcReadFn fn, gpointer out)
{
  gboolean ok;

  r->n_read++;
  r->n_aliased += r->alias_depth > 0;
  if (too_many_aliases (r) || r->alias_depth > VC_YAML_MAX_DEPTH)
    return vc_reader_fail (r, VC_CONF_ERROR_SYNTAX, n->line, n->col,
                           "too many values repeated by aliases");
  if (n->kind != VC_YAML_ALIAS)
    return fn (r, n, out);
  if (n->busy)
    return vc_reader_fail (r, VC_CONF_ERROR_SYNTAX, n->line, n->col, "value of *%s contains itself",
                           vc_reader_show (r, n->text));
  n->busy = TRUE;
  r->alias_depth++;
  ok = vc_read_node (r, n->target, fn, out);
  r->alias_depth--;
  n->busy = FALSE;
  return ok;
}

gboolean
vc_read_scalar (VcReader *r, VcYamlNode *n, VcArg *out)
{
  g_autofree char *why = NULL;

  if (!vc_yaml_scalar (n, out, &why))
    return vc_reader_fail (r, VC_CONF_ERROR_SYNTAX, n->line, n->col,
                           "tag does not fit its value, %s, found '%s'", why,
                           vc_reader_show (r, n->text));
  return TRUE;
}

gboolean
vc_read_text (VcReader *r, VcYamlNode *n, gpointer out)
{
  VcReadText *t = out;
  VcArg v = { 0 };

  if (n->kind != VC_YAML_SCALAR)
    return vc_reader_fail (r, VC_CONF_ERROR_TYPE, n->line, n->col,
                           "wrong type of %s, expected text, found %s", t->what,
                           vc_reader_describe (r, n));
  if (!vc_read_scalar (r, n, &v))
    return FALSE;
  g_free (t->s);
  t->s = v.type == VC_VALUE_NULL ? g_strdup ("") : g_steal_pointer (&v.s);
  t->node = n;
  g_free (v.s);
  return TRUE;
}

typedef struct {
  VcReadEntryFn fn;
  gpointer out;
} MapTarget;

static gboolean
read_merged_map (VcReader *r, VcYamlNode *n, gpointer out)
{
  MapTarget *t = out;

  return vc_read_map (r, n, t->fn, t->out);
}

/* `<<`: entries of other maps, written over those read so far; of a list the first map wins. */
static gboolean
read_merge (VcReader *r, VcYamlNode *value, VcReadEntryFn fn, gpointer out)
{
  MapTarget target = { fn, out };

  if (value->kind == VC_YAML_LIST) {
    for (guint i = value->child->len; i-- > 0;) {
      VcYamlNode *n = value->child->pdata[i];
      const VcYamlNode *real = n->kind == VC_YAML_ALIAS ? n->target : n;

      if (real->kind != VC_YAML_MAP)
        return vc_reader_fail (r, VC_CONF_ERROR_TYPE, n->line, n->col,
                               "wrong value of <<, expected a mapping, found %s",
                               vc_reader_describe (r, real));
      if (!vc_read_node (r, n, read_merged_map, &target))
        return FALSE;
    }
    return TRUE;
  }
  if ((value->kind == VC_YAML_ALIAS ? value->target : value)->kind != VC_YAML_MAP)
    return vc_reader_fail (
        r, VC_CONF_ERROR_TYPE, value->line, value->col,
        "wrong value of <<, expected a mapping or a list of mappings, found %s",
        vc_reader_describe (r, value->kind == VC_YAML_ALIAS ? value->target : value));
  return vc_read_node (r, value, read_merged_map, &target);
}

gboolean
vc_read_map (VcReader *r, VcYamlNode *n, VcReadEntryFn fn, gpointer out)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i + 1 < n->child->len; i += 2) {
    VcYamlNode *k = n->child->pdata[i], *value = n->child->pdata[i + 1];
    g_autofree char *name = NULL;
    VcReadText text = { .what = "a key" };
    gboolean ok;

    if (vc_yaml_is_merge (k)) {
      if (!read_merge (r, value, fn, out))
        return FALSE;
      continue;
    }
    ok = vc_read_node (r, k, vc_read_text, &text);
    name = text.s;
    if (!ok)
      return FALSE;
    if (g_hash_table_contains (seen, name)) {
      guint32 line = GPOINTER_TO_UINT (g_hash_table_lookup (seen, name)), col = 1;

      vc_reader_place (r, &line, &col);
      if (!vc_reader_odd (r, VC_CONF_ERROR_SYNTAX, k->line, k->col,
                          "repeated key '%s', expected it once, found it on line %u already",
                          vc_reader_show (r, name), line))
        return FALSE;
    } else {
      g_hash_table_insert (seen, g_strdup (name), GUINT_TO_POINTER (k->line));
    }
    if (!fn (r, &(VcReadKey){ name, k->line, k->col }, value, out))
      return FALSE;
  }
  return TRUE;
}

gboolean
vc_read_null (VcReader *r, VcYamlNode *n, gboolean *out)
{
  VcArg v = { 0 };

  *out = FALSE;
  if (n->kind != VC_YAML_SCALAR)
    return TRUE;
  if (!vc_read_scalar (r, n, &v))
    return FALSE;
  *out = v.type == VC_VALUE_NULL;
  g_free (v.s);
  return TRUE;
}

/* ---- arguments ---- */

VcArgs
vc_args_draft_steal (VcArgsDraft *d)
{
  VcArgs all = { 0 };

  if (d->arg != NULL) {
    all.n = d->arg->len;
    all.arg = (VcArg *) (gpointer) g_array_free (g_steal_pointer (&d->arg), FALSE);
    g_clear_pointer (&d->row, g_hash_table_unref);
  }
  return all;
}

void
vc_args_draft_reset (VcArgsDraft *d)
{
  if (d->arg != NULL) {
    VcArgs all = vc_args_draft_steal (d);

    vc_args_clear (&all);
  }
}

/* Takes what @value owns. */
static void
args_draft_set (VcArgsDraft *d, const char *key, VcArg value, gboolean unique)
{
  gpointer row;

  if (d->arg == NULL) {
    d->arg = g_array_new (FALSE, FALSE, sizeof (VcArg));
    d->row = g_hash_table_new (g_str_hash, g_str_equal);
  }
  if (unique && g_hash_table_lookup_extended (d->row, key, NULL, &row)) {
    VcArg *old = &g_array_index (d->arg, VcArg, GPOINTER_TO_UINT (row));
    VcArgs was = { .arg = g_new (VcArg, 1), .n = 1 };

    value.key = g_strdup (key);
    was.arg[0] = *old;
    *old = value;
    g_hash_table_replace (d->row, value.key, row);
    vc_args_clear (&was);
    return;
  }
  value.key = g_strdup (key);
  if (unique)
    g_hash_table_insert (d->row, value.key, GUINT_TO_POINTER (d->arg->len));
  g_array_append_val (d->arg, value);
}

static gboolean read_value (VcReader *r, VcYamlNode *n, gpointer out);

static gboolean
argument_entry (VcReader *r, const VcReadKey *key, VcYamlNode *value, gpointer out)
{
  VcArg v = { .key_line = key->line, .key_col = key->col };

  if (!vc_read_node (r, value, read_value, &v))
    return FALSE;
  args_draft_set (out, key->text, v, TRUE);
  return TRUE;
}

/* Any value, with what it contains. */
static gboolean
read_value (VcReader *r, VcYamlNode *n, gpointer out)
{
  VcArg *v = out;
  VcArgsDraft draft = { 0 };
  gboolean ok = TRUE;

  v->line = n->line;
  v->col = n->col;
  if (n->kind == VC_YAML_SCALAR)
    return vc_read_scalar (r, n, v);
  v->type = VC_VALUE_OTHER;
  v->is_list = n->kind == VC_YAML_LIST;
  if (v->is_list) {
    for (guint i = 0; ok && i < n->child->len; i++) {
      VcArg element = { 0 };

      ok = vc_read_node (r, n->child->pdata[i], read_value, &element);
      if (ok)
        args_draft_set (&draft, "", element, FALSE);
    }
  } else {
    ok = vc_read_map (r, n, argument_entry, &draft);
  }
  if (ok) {
    v->child = g_new0 (VcArgs, 1);
    *v->child = vc_args_draft_steal (&draft);
  }
  vc_args_draft_reset (&draft);
  return ok;
}

gboolean
vc_read_arguments (VcReader *r, VcYamlNode *n, gpointer out)
{
  gboolean null;

  if (n->kind == VC_YAML_MAP)
    return vc_read_map (r, n, argument_entry, out);
  if (!vc_read_null (r, n, &null))
    return FALSE;
  if (!null)
    return vc_reader_fail (r, VC_CONF_ERROR_TYPE, n->line, n->col,
                           "wrong type of arguments, expected a mapping, found %s",
                           vc_reader_describe (r, n));
  vc_args_draft_reset (out);
  return TRUE;
}

gboolean
vc_args_read (const char *text, gsize len, VcArgs *out)
{
  g_auto (VcYamlDoc) doc = { 0 };
  g_auto (VcYamlFault) fault = { 0 };
  g_autoptr (GError) ignored = NULL;
  g_autoptr (GStringChunk) scratch = g_string_chunk_new (256);
  VcReader r = { .source = "", .text = text, .len = len, .lenient = TRUE, .error = &ignored, .scratch = scratch };
  VcArgsDraft draft = { 0 };

  *out = (VcArgs) { 0 };
  if (!vc_yaml_read (text, len, &doc, &fault))
    return FALSE;
  if (doc.root != NULL && !vc_read_node (&r, doc.root, vc_read_arguments, &draft)) {
    vc_args_draft_reset (&draft);
    return FALSE;
  }
  *out = vc_args_draft_steal (&draft);
  return TRUE;
}

/* ---- ConfigMaps ---- */

static VcYamlNode *
find_entry (const VcYamlNode *map, const char *key)
{
  VcYamlNode *found = NULL;

  for (guint i = 0; i + 1 < map->child->len; i += 2) {
    const VcYamlNode *k = map->child->pdata[i];

    if (k->kind == VC_YAML_SCALAR && g_str_equal (k->text, key))
      found = map->child->pdata[i + 1];
  }
  return found != NULL && found->kind == VC_YAML_ALIAS ? found->target : found;
}

gboolean
vc_reader_is_config_map (const VcYamlDoc *doc)
{
  const VcYamlNode *kind
      = doc->root != NULL && doc->root->kind == VC_YAML_MAP ? find_entry (doc->root, "kind") : NULL;

  return kind != NULL && kind->kind == VC_YAML_SCALAR && g_str_equal (kind->text, "ConfigMap");
}

/* The value that holds the configuration, or NULL with the error set. */
const VcYamlNode *
vc_reader_config_map_text (VcReader *r, const VcYamlDoc *doc)
{
  static const char usual[] = "volcano-scheduler.conf";
  const VcYamlNode *data = find_entry (doc->root, "data"), *value, *only = NULL;
  guint n_found = 0;

  if (data == NULL || data->kind != VC_YAML_MAP) {
    const VcYamlNode *at = data != NULL ? data : doc->root;

    vc_reader_fail (r, VC_CONF_ERROR_TYPE, at->line, at->col,
                    "ConfigMap without data, expected data: with a key %s, found %s", usual,
                    data != NULL ? vc_reader_describe (r, data) : "no key data");
    return NULL;
  }
  value = find_entry (data, usual);
  for (guint i = 0; value == NULL && i + 1 < data->child->len; i += 2) {
    const VcYamlNode *k = data->child->pdata[i];

    if (k->kind == VC_YAML_SCALAR && g_str_has_suffix (k->text, ".conf")) {
      only = find_entry (data, k->text);
      n_found++;
    }
  }
  if (value == NULL && n_found != 1) {
    vc_reader_fail (r, VC_CONF_ERROR_UNKNOWN, data->line, data->col,
                    "ConfigMap without a configuration, expected a key %s or one key that ends in "
                    ".conf, found %u of them",
                    usual, n_found);
    return NULL;
  }
  value = value != NULL ? value : only;
  if (value->kind != VC_YAML_SCALAR) {
    vc_reader_fail (r, VC_CONF_ERROR_TYPE, value->line, value->col,
                    "wrong type of the configuration in a ConfigMap, expected a text (a block that "
                    "begins with |), found %s",
                    vc_reader_describe (r, value));
    return NULL;
  }
  return value;
}

/* What the first line with content has more than the text. */
guint32
vc_reader_literal_indent (const char *text, gsize len, const VcYamlNode *n)
{
  const char *inner = n->text;
  gsize at = MIN (n->pos, len), line;

  if (!n->literal)
    return 0;
  for (; *inner == '\n'; inner++) { /* blank lines may be shorter than the indent */
    const char *end = memchr (text + at, '\n', len - at);

    at = end != NULL ? (gsize) (end - text) + 1 : len;
  }
  for (line = at; line < len && text[line] == ' ';)
    line++;
  return (guint32) MAX ((gssize) (line - at) - (gssize) strspn (inner, " "), 0);
}
