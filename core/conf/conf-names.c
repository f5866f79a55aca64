#include "conf-reader.h"
#include <string.h>

/* Edits between @a and @b, two swapped neighbours being one; at least @limit + 1 when there are
 * more than @limit. */
static guint
edit_distance (const char *a, guint na, const char *b, guint nb, guint limit)
{
  g_autofree guint *rows = NULL;
  guint *before, *above, *row;

  if (MAX (na, nb) - MIN (na, nb) > limit)
    return limit + 1;
  rows = g_new0 (guint, 3 * ((gsize) nb + 1));
  before = rows;
  above = before + nb + 1;
  row = above + nb + 1;
  for (guint j = 0; j <= nb; j++)
    above[j] = j;
  for (guint i = 1; i <= na; i++) {
    guint *spare = before;

    row[0] = i;
    for (guint j = 1; j <= nb; j++) {
      row[j] = MIN (MIN (above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = MIN (row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
    row = spare;
  }
  return above[nb];
}

const char *
vc_nearest_name (const char *text, const char *const *names, guint n)
{
  const gsize len = strlen (text);
  const guint limit = (guint) MAX (MIN (len, 3072) / 3, 1);
  const char *best = NULL;
  guint best_edits = limit + 1;

  for (guint i = 0; i < n; i++)
    if (g_ascii_strcasecmp (text, names[i]) == 0)
      return names[i];
  if (len > 1024) /* nobody's typing error, and the table would be large */
    return NULL;
  for (guint i = 0; i < n; i++) {
    const gsize other = strlen (names[i]);
    const guint edits = other > 4096
                            ? G_MAXUINT
                            : edit_distance (text, (guint) len, names[i], (guint) other, limit);

    if (edits < best_edits) {
      best = names[i];
      best_edits = edits;
    }
  }
  return best;
}

/* ", did you mean 'x'?" or ", expected one of x, y"; @near overrides the search. */
const char *
vc_reader_advise (VcReader *r, const char *text, const char *near, const char *const *names,
                  guint n)
{
  g_autoptr (GString) s = g_string_new (NULL);

  if (near == NULL)
    near = vc_nearest_name (text, names, n);
  if (near != NULL)
    g_string_printf (s, ", did you mean '%s'?", near);
  else
    for (guint i = 0; i < n; i++)
      g_string_append_printf (s, "%s%s",
                              i > 0   ? ", "
                              : n > 1 ? ", expected one of "
                                      : ", expected ",
                              names[i]);
  return g_string_chunk_insert_len (r->scratch, s->str, (gssize) s->len);
}

const VcNameSpec *
vc_find_name (const VcNameSpec *specs, guint n, const char *name)
{
  for (guint i = 0; i < n; i++)
    if (g_str_equal (specs[i].name, name))
      return &specs[i];
  return NULL;
}

const char *
vc_reader_advise_name (VcReader *r, const char *text, const VcNameSpec *specs, guint n)
{
  g_autofree const char **names = g_new (const char *, n + 1);

  for (guint i = 0; i < n; i++)
    names[i] = specs[i].name;
  return vc_reader_advise (r, text, NULL, names, n);
}

static gboolean
pattern_matches (const char *pattern, const char *key)
{
  const gsize n = strlen (pattern);

  return n > 0 && pattern[n - 1] == '*' && strncmp (pattern, key, n - 1) == 0;
}

static const VcArgSpec *
find_arg_spec (const VcArgSpec *specs, const char *key)
{
  const VcArgSpec *best = NULL;

  for (const VcArgSpec *s = specs; s != NULL && s->key != NULL; s++) {
    if (g_str_equal (s->key, key))
      return s;
    if (pattern_matches (s->key, key) && (best == NULL || strlen (s->key) > strlen (best->key)))
      best = s;
  }
  return best;
}

/* A pattern is compared as if it ended like @key does. */
static const char *
advise_arg (VcReader *r, const char *key, const VcArgSpec *specs)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new (), forms = g_ptr_array_new_with_free_func (g_free);
  const gsize len = strlen (key);
  const char *near;

  for (const VcArgSpec *s = specs; s != NULL && s->key != NULL; s++) {
    const gsize n = strlen (s->key);

    g_ptr_array_add (names, (gpointer) s->key);
    g_ptr_array_add (forms, n > 0 && s->key[n - 1] == '*' && len >= n - 1
                                ? g_strdup_printf ("%.*s%s", (int) n - 1, s->key, key + n - 1)
                                : g_strdup (s->key));
  }
  if (names->len == 0)
    return ", expected no arguments";
  near = vc_nearest_name (key, (const char *const *) forms->pdata, forms->len);
  for (guint i = 0; near != NULL && i < forms->len; i++)
    if (near == forms->pdata[i]) {
      near = names->pdata[i];
      break;
    }
  return vc_reader_advise (r, key, near, (const char *const *) names->pdata, names->len);
}

static gboolean
fits (const VcArg *a, VcArgType type)
{
  gboolean b;

  if (a->type == VC_VALUE_NULL)
    return TRUE;
  switch (type) {
  case VC_ARG_INT:
    return a->type == VC_VALUE_INT;
  case VC_ARG_FLOAT:
    return a->type == VC_VALUE_INT || a->type == VC_VALUE_FLOAT;
  case VC_ARG_BOOL:
    return a->type == VC_VALUE_BOOL || (a->type == VC_VALUE_STRING && vc_parse_bool (a->s, &b));
  case VC_ARG_STRING:
    return a->type == VC_VALUE_STRING;
  case VC_ARG_ANY:
  default:
    return TRUE;
  }
}

gboolean
vc_reader_check_args (VcReader *r, const char *kind, const VcNameSpec *spec, const VcArgs *args)
{
  static const char *const expected[] = { [VC_ARG_INT] = "an integer",
                                          [VC_ARG_FLOAT] = "a number",
                                          [VC_ARG_BOOL] = "true or false",
                                          [VC_ARG_STRING] = "a text",
                                          [VC_ARG_ANY] = "any value" };

  for (guint i = 0; i < args->n; i++) {
    const VcArg *a = &args->arg[i];
    const VcArgSpec *s = find_arg_spec (spec->args, a->key);

    if (s == NULL) {
      if (!vc_reader_odd (r, VC_CONF_ERROR_UNKNOWN, a->key_line, a->key_col,
                          "unknown argument '%s' of %s '%s'%s", vc_reader_show (r, a->key), kind,
                          spec->name, advise_arg (r, a->key, spec->args)))
        return FALSE;
    } else if (!fits (a, s->type)) {
      if (!vc_reader_odd (r, VC_CONF_ERROR_TYPE, a->line, a->col,
                          "wrong type of argument '%s' of %s '%s', expected %s, found %s",
                          vc_reader_show (r, a->key), kind, spec->name, expected[s->type],
                          vc_reader_describe_value (r, a, FALSE)))
        return FALSE;
    }
  }
  return TRUE;
}
