/* workloads/transform/objects.c - see objects.h. A document is read into a tree whose scalars know their place in the text, so that one of them can be written anew without the
 * rest. Each step reads the documents again: a tree is not kept. */
#include "objects-private.h"
#include "workloads/k8s/k8s-objects.h"
#include "workloads/native/append.h"
#include "workloads/text/parse.h"
#include <string.h>


void
wl_doc_free (gpointer data)
{
  WlDoc *d = data;

  g_free (d->text);
  g_free (d->kind_name);
  g_free (d->ns);
  g_free (d->name);
  g_free (d);
}

void
wl_object_texts_free (WlObjectTexts *o)
{
  if (o == NULL)
    return;
  g_free (o->path);
  g_ptr_array_unref (o->docs);
  g_hash_table_unref (o->templates);
  g_free (o);
}

/* ---- trees --------------------------------------------------------------------------------------- */

const VcYamlNode *
wl_doc_get (const VcYamlNode *map, const char *key)
{
  for (guint i = 0; map != NULL && map->kind == VC_YAML_MAP && i + 1 < map->child->len; i += 2) {
    const VcYamlNode *k = map->child->pdata[i];

    if (k->kind == VC_YAML_SCALAR && strcmp (k->text, key) == 0)
      return map->child->pdata[i + 1];
  }
  return NULL;
}

const char *
wl_doc_text (const VcYamlNode *node, const char *fallback)
{
  return node != NULL && node->kind == VC_YAML_SCALAR && *node->text != '\0' ? node->text : fallback;
}

gboolean
wl_doc_parse (const WlObjectTexts *o, const WlDoc *d, VcYamlDoc *doc, GError **error)
{
  g_auto (VcYamlFault) fault = { 0 };

  if (vc_yaml_read (d->text, strlen (d->text), doc, &fault) && doc->root != NULL)
    return TRUE;
  g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "%s:%u:%u: %s", o->path, d->line + MAX (fault.line, 1) - 1, fault.col, fault.what != NULL ? fault.what : "expected an object");
  return FALSE;
}

/* "FILE:LINE:1: KIND ns/name: …" */
gboolean
wl_doc_refuse (const WlObjectTexts *o, const WlDoc *d, GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s:%u:1: %s %s/%s: %s", o->path, d->line, d->kind_name, d->ns, d->name, what);
  return FALSE;
}

gboolean
wl_doc_refuse_kind (const WlObjectTexts *o, const WlDoc *d, const char *option, GError **error)
{
  return wl_doc_refuse (o, d, error, "%s cannot be applied to it, expected Jobs of Volcano, JobFlows and JobTemplates alone", option);
}

/* ---- edits --------------------------------------------------------------------------------------- */

typedef struct { gsize at, end; char *text; } Edit;

static void
edit_clear (gpointer data)
{
  g_free (((Edit *) data)->text);
}

GArray *
wl_edits_new (void)
{
  GArray *edits = g_array_new (FALSE, FALSE, sizeof (Edit));

  g_array_set_clear_func (edits, edit_clear);
  return edits;
}

/* Where the scalar @n stands in the text, with its quotes. FALSE: in a way that is not written anew (a block). */
static gboolean
place_of (const char *text, const VcYamlNode *n, gsize *at, gsize *end)
{
  gsize pos = n->pos;

  if (n->plain) {
    *at = pos;
    *end = pos + strlen (n->text);
    return strncmp (text + pos, n->text, strlen (n->text)) == 0;
  }
  if (pos > 0 && text[pos] != '"' && text[pos] != '\'' && (text[pos - 1] == '"' || text[pos - 1] == '\''))
    pos--;
  const char quote = text[pos];

  if (n->literal || (quote != '"' && quote != '\''))
    return FALSE;
  *at = pos++;
  for (; text[pos] != '\0'; pos++) {
    if (quote == '"' && text[pos] == '\\' && text[pos + 1] != '\0')
      pos++;
    else if (text[pos] == quote && quote == '\'' && text[pos + 1] == '\'')
      pos++;
    else if (text[pos] == quote)
      break;
  }
  *end = pos + 1;
  return text[pos] == quote;
}

/* @n becomes @value, in quotes. */
gboolean
wl_edits_put (const WlObjectTexts *o, const WlDoc *d, GArray *edits, const VcYamlNode *n, const char *value, GError **error)
{
  g_autoptr (GString) quoted = g_string_new (NULL);
  Edit e = { 0 };

  if (n->kind != VC_YAML_SCALAR || !place_of (d->text, n, &e.at, &e.end))
    return wl_doc_refuse (o, d, error, "cannot be changed in line %u, expected the value beside its key, found another style", d->line + n->line - 1);
  wl_append_quoted (quoted, value);
  e.text = g_strdup (quoted->str);
  g_array_append_val (edits, e);
  return TRUE;
}

/* One more entry in front of those of @map, which has some. */
void
wl_edits_insert (const WlDoc *d, GArray *edits, const VcYamlNode *map, const char *key, const char *value)
{
  const VcYamlNode *first = map->child->pdata[0];
  g_autoptr (GString) text = g_string_new (NULL);
  gsize at = first->pos;

  if (!first->plain && at > 0 && (d->text[at - 1] == '"' || d->text[at - 1] == '\''))
    at--;
  g_string_append_printf (text, "%s: ", key);
  wl_append_quoted (text, value);
  if (d->text[map->pos] == '{')
    g_string_append (text, ", ");
  else
    g_string_append_printf (text, "\n%*s", (int) first->col - 1, "");
  const Edit e = { at, at, g_strdup (text->str) };

  g_array_append_val (edits, e);
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Edit *x = a, *y = b;

  return (x->at > y->at) - (x->at < y->at);
}

void
wl_edits_apply (WlDoc *d, GArray *edits)
{
  GString *out = g_string_new (NULL);
  gsize at = 0;

  if (edits->len > 0)
    qsort (edits->data, edits->len, sizeof (Edit), by_place);
  for (guint i = 0; i < edits->len; i++) {
    const Edit *e = &g_array_index (edits, Edit, i);

    g_string_append_len (out, d->text + at, (gssize) (e->at - at));
    g_string_append (out, e->text);
    at = e->end;
  }
  g_string_append (out, d->text + at);
  g_free (d->text);
  d->text = g_string_free (out, FALSE);
}


gboolean
wl_edits_walk (const WlEditWalk *w, const VcYamlNode *n, const char *const *keys, WlEditRewrite *fn, gconstpointer data)
{
  for (guint i = 0; n->kind != VC_YAML_SCALAR && n->kind != VC_YAML_ALIAS && i < n->child->len; i++) {
    const VcYamlNode *child = n->child->pdata[i], *key = n->kind == VC_YAML_MAP && i % 2 == 1 ? n->child->pdata[i - 1] : NULL;

    if (key == NULL || key->kind != VC_YAML_SCALAR || !g_strv_contains (keys, key->text) || child->kind != VC_YAML_SCALAR) {
      if (!wl_edits_walk (w, child, keys, fn, data))
        return FALSE;
      continue;
    }
    GError *e = NULL;
    g_autofree char *now = fn (child->text, data, &e);

    if (e != NULL) {
      (void) wl_doc_refuse (w->o, w->d, w->error, "%s: %s", key->text, e->message);
      g_error_free (e);
      return FALSE;
    }
    if (now != NULL && !wl_edits_put (w->o, w->d, w->edits, child, now, w->error))
      return FALSE;
  }
  return TRUE;
}

/* ---- reading ------------------------------------------------------------------------------------- */

static gboolean
describe (const WlObjectTexts *o, WlDoc *d, GError **error)
{
  static const struct { const char *group, *kind; Kind is; } known[] = {
    { "batch.volcano.sh/", "Job", JOB }, { "flow.volcano.sh/", "JobFlow", FLOW }, { "flow.volcano.sh/", "JobTemplate", TEMPLATE },
  };
  g_auto (VcYamlDoc) doc = { 0 };

  if (!wl_doc_parse (o, d, &doc, error))
    return FALSE;
  const VcYamlNode *meta = wl_doc_get (doc.root, "metadata");
  const char *group = wl_doc_text (wl_doc_get (doc.root, "apiVersion"), "");

  d->kind_name = g_strdup (wl_doc_text (wl_doc_get (doc.root, "kind"), "object"));
  d->ns = g_strdup (wl_doc_text (wl_doc_get (meta, "namespace"), "default"));
  d->name = g_strdup (wl_doc_text (wl_doc_get (meta, "name"), ""));
  d->timed = wl_doc_get (wl_doc_get (meta, "annotations"), NOTE_SUBMIT) != NULL;
  d->kind = OTHER;
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (d->kind_name, known[i].kind) == 0 && g_str_has_prefix (group, known[i].group))
      d->kind = known[i].is;
  if (g_str_has_suffix (d->kind_name, "List")) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s:%u:1: cannot be transformed, expected one object in each document, found a %s", o->path, d->line, d->kind_name);
    return FALSE;
  }
  return TRUE;
}

/* Two of a kind with one name are an object and its update: what holds for one of them would have to hold for both. */
static gboolean
check_names (const WlObjectTexts *o, GError **error)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < o->docs->len; i++) {
    const WlDoc *d = o->docs->pdata[i];

    if (!g_hash_table_add (known, g_strdup_printf ("%s %s/%s", d->kind_name, d->ns, d->name)))
      return wl_doc_refuse (o, d, error, "cannot be transformed, expected each object once, found an update of it");
  }
  return TRUE;
}

WlObjectTexts *
wl_object_texts_read (const char *path, GError **error)
{
  g_autoptr (WlObjectTexts) o = g_new0 (WlObjectTexts, 1);
  g_autoptr (WlObjects) read = wl_objects_read_workload (&path, 1, error); /* what is wrong is said in the words of a run */

  o->path = g_strdup (path);
  o->docs = g_ptr_array_new_with_free_func (wl_doc_free);
  o->templates = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *text = read != NULL ? wl_read_file (path, 0, NULL, error) : NULL;

  if (text == NULL)
    return NULL;
  guint line = 1, first = 1;
  const char *begin = text;

  for (const char *at = text;; line++) {
    const char *end = strchrnul (at, '\n');
    gboolean mark = strncmp (at, "---", 3) == 0 && (at[3] == '\n' || at[3] == '\0' || at[3] == '\r' || at[3] == ' ');

    if (mark || *at == '\0') {
      g_autofree char *one = g_strndup (begin, (gsize) (at - begin));
      g_auto (GStrv) lines = g_strsplit (one, "\n", -1);
      gboolean holds = FALSE;

      for (char **l = lines; *l != NULL; l++)
        holds |= (*l)[strspn (*l, " \t\r")] != '\0' && (*l)[strspn (*l, " \t\r")] != '#';
      if (holds) {
        WlDoc *d = g_new0 (WlDoc, 1);

        d->text = g_steal_pointer (&one);
        d->line = first;
        g_ptr_array_add (o->docs, d);
        if (!describe (o, d, error))
          return NULL;
      }
      begin = *end != '\0' ? end + 1 : end;
      first = line + 1;
    }
    if (*at == '\0')
      break;
    at = *end != '\0' ? end + 1 : end;
  }
  wl_doc_index (o);
  return check_names (o, error) ? g_steal_pointer (&o) : NULL;
}

/* ---- flows --------------------------------------------------------------------------------------- */

static void
index_template (WlObjectTexts *o, WlDoc *d)
{
  if (d->kind == TEMPLATE)
    g_hash_table_replace (o->templates, g_strconcat (d->ns, "/", d->name, NULL), d);
}

void
wl_doc_index (WlObjectTexts *o)
{
  g_hash_table_remove_all (o->templates);
  for (guint i = 0; i < o->docs->len; i++)
    index_template (o, o->docs->pdata[i]);
}

void
wl_doc_add (WlObjectTexts *o, WlDoc *d)
{
  g_ptr_array_add (o->docs, d);
  index_template (o, d);
}

WlDoc *
wl_doc_template (const WlObjectTexts *o, const char *ns, const char *name)
{
  g_autofree char *key = g_strconcat (ns, "/", name, NULL);

  return g_hash_table_lookup (o->templates, key);
}

void
wl_doc_each_step (const VcYamlNode *root, WlDocStepFn *fn, gpointer user)
{
  const VcYamlNode *flows = wl_doc_get (wl_doc_get (root, "spec"), "flows");

  for (guint i = 0; flows != NULL && flows->kind == VC_YAML_LIST && i < flows->child->len; i++) {
    const char *name = wl_doc_text (wl_doc_get (flows->child->pdata[i], "name"), NULL);

    if (name != NULL)
      fn (name, user);
  }
}

static void
count_step (const char *template, gpointer user)
{
  ++*(guint *) user;
}

guint
wl_object_texts_jobs (const WlObjectTexts *o)
{
  guint n = 0;

  for (guint i = 0; o != NULL && i < o->docs->len; i++) {
    const WlDoc *d = o->docs->pdata[i];
    g_auto (VcYamlDoc) doc = { 0 };

    if (d->kind == JOB)
      n++;
    else if (d->kind == FLOW && wl_doc_parse (o, d, &doc, NULL))
      wl_doc_each_step (doc.root, count_step, &n);
  }
  return n;
}

guint
wl_object_texts_count (const WlObjectTexts *o)
{
  return o != NULL ? o->docs->len : 0;
}

