/* Typed values out of the YAML of a profile. */
#include "fields.h"
#include "parse.h"
#include "core/conf/conf.h"
#include <string.h>

/* ---- the tree ------------------------------------------------------------------------------------ */

gboolean
gen_fail (GenReader *r, const VcYamlNode *at, WlError code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (r->error, WL_ERROR, (gint) code, "%s:%u:%u: %s", r->source, at->line, at->col, what);
  return FALSE;
}

const char *
gen_kind (const VcYamlNode *n)
{
  switch (n->kind) {
  case VC_YAML_LIST:
    return "a list";
  case VC_YAML_MAP:
    return "a map";
  case VC_YAML_ALIAS:
    return "an alias";
  case VC_YAML_SCALAR:
  default:
    return "a value";
  }
}

/* An error of a cell's reader, at its place. */
gboolean
gen_place (GenReader *r, const VcYamlNode *at)
{
  if (r->error != NULL && *r->error != NULL)
    g_prefix_error (r->error, "%s:%u:%u: ", r->source, at->line, at->col);
  return FALSE;
}

const char *
gen_text_of (GenReader *r, const VcYamlNode *n, const char *what)
{
  if (n->kind == VC_YAML_SCALAR && *n->text != '\0')
    return n->text;
  gen_fail (r, n, WL_ERROR_VALUE, "expected %s, found %s", what, n->kind == VC_YAML_SCALAR ? "nothing" : gen_kind (n));
  return NULL;
}

/* The fields of map @n into @out; what is not among them goes to @other with its key, or is refused. */
gboolean
gen_map (GenReader *r, const VcYamlNode *n, const GenField *field, guint n_fields, const char *what, gpointer out,
          gboolean (*other) (GenReader *r, const VcYamlNode *key, const VcYamlNode *value, gpointer out))
{
  guint64 seen = 0;

  if (n->kind != VC_YAML_MAP)
    return gen_fail (r, n, WL_ERROR_VALUE, "%s, expected a map, found %s", what, gen_kind (n));
  for (guint i = 0; i + 1 < n->child->len; i += 2) {
    const VcYamlNode *key = n->child->pdata[i], *value = n->child->pdata[i + 1];
    guint f = 0;

    if (key->kind != VC_YAML_SCALAR)
      return gen_fail (r, key, WL_ERROR_VALUE, "%s, expected a key, found %s", what, gen_kind (key));
    for (guint k = 0; k < i; k += 2)
      if (strcmp (((const VcYamlNode *) n->child->pdata[k])->text, key->text) == 0)
        return gen_fail (r, key, WL_ERROR_CONFLICT, "%s, key '%s' is given twice", what, key->text);
    while (f < n_fields && strcmp (field[f].key, key->text) != 0)
      f++;
    if (f < n_fields) {
      seen |= G_GUINT64_CONSTANT (1) << f;
      if (!field[f].read (r, value, (char *) out + field[f].offset))
        return FALSE;
      continue;
    }
    if (other != NULL && other (r, key, value, out))
      continue;
    if (r->error != NULL && *r->error != NULL)
      return FALSE;
    const char *names[64];

    for (f = 0; f < n_fields; f++)
      names[f] = field[f].key;
    const char *near = vc_nearest_name (key->text, names, n_fields);
    g_autofree char *shown = wl_shown (key->text);

    return gen_fail (r, key, WL_ERROR_HEADER, "%s, unknown key %s%s%s%s", what, shown, near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                 near != NULL ? "'?" : "");
  }
  for (guint f = 0; f < n_fields; f++)
    if (field[f].required && !(seen >> f & 1))
      return gen_fail (r, n, WL_ERROR_HEADER, "%s, expected the key '%s', found none", what, field[f].key);
  return TRUE;
}

gboolean
gen_list (GenReader *r, const VcYamlNode *n, const char *what, GenRead *read, gpointer to)
{
  if (n->kind != VC_YAML_LIST || n->child->len == 0)
    return gen_fail (r, n, WL_ERROR_VALUE, "%s, expected a list of maps, found %s", what, n->kind == VC_YAML_LIST ? "nothing in it" : gen_kind (n));
  for (guint i = 0; i < n->child->len; i++)
    if (!read (r, n->child->pdata[i], to))
      return FALSE;
  return TRUE;
}

/* ---- values -------------------------------------------------------------------------------------- */

gboolean
gen_text (GenReader *r, const VcYamlNode *n, gpointer out)
{
  const char *text = gen_text_of (r, n, "a text");

  if (text == NULL)
    return FALSE;
  g_free (*(char **) out);
  *(char **) out = g_strdup (text);
  return TRUE;
}

gboolean
gen_name (GenReader *r, const VcYamlNode *n, gpointer out)
{
  const char *text = gen_text_of (r, n, "a name");

  if (text == NULL)
    return FALSE;
  if (!wl_check_name (text, TRUE, 200, r->error)) /* room for a number behind it */
    return gen_place (r, n);
  return gen_text (r, n, out);
}

gboolean
gen_count (GenReader *r, const VcYamlNode *n, gpointer out)
{
  const char *text = gen_text_of (r, n, "a number");

  return text != NULL && (wl_parse_int (text, 0, 100000000, out, r->error) || gen_place (r, n));
}

gboolean
gen_seed (GenReader *r, const VcYamlNode *n, gpointer out)
{
  const char *text = gen_text_of (r, n, "a number");
  gint64 v;

  if (text == NULL)
    return FALSE;
  if (!wl_parse_int (text, 0, G_MAXINT64, &v, r->error))
    return gen_place (r, n);
  *(guint64 *) out = (guint64) v;
  return TRUE;
}

gboolean
gen_number (GenReader *r, const VcYamlNode *n, gpointer out)
{
  const char *text = gen_text_of (r, n, "a number");
  g_auto (WlDistribution) d = { 0 };

  if (text == NULL)
    return FALSE;
  g_autofree char *shown = wl_shown (text);
  if (!wl_parse_distribution_of (text, WL_NUMBERS, &d, NULL) || !wl_distribution_is_constant (&d))
    return gen_fail (r, n, WL_ERROR_VALUE, "expected a number from 0, found %s", shown);
  *(double *) out = d.a;
  return TRUE;
}

gboolean
gen_time (GenReader *r, const VcYamlNode *n, gpointer out)
{
  const char *text = gen_text_of (r, n, "a time");

  return text != NULL && (wl_parse_time (text, FALSE, out, r->error) || gen_place (r, n));
}

gboolean
gen_bool (GenReader *r, const VcYamlNode *n, gpointer out)
{
  const char *text = gen_text_of (r, n, "true or false");
  gboolean b;

  if (text == NULL)
    return FALSE;
  if (!wl_parse_bool (text, &b, r->error))
    return gen_place (r, n);
  *(int *) out = b;
  return TRUE;
}

gboolean
gen_distribution (GenReader *r, const VcYamlNode *n, WlValues values, WlDistribution *out)
{
  const char *text = gen_text_of (r, n, "a distribution");
  WlDistribution d = { 0 };

  if (text == NULL)
    return FALSE;
  if (!wl_parse_distribution_of (text, values, &d, r->error))
    return gen_place (r, n);
  wl_distribution_clear (out);
  *out = d;
  return TRUE;
}

gboolean
gen_times (GenReader *r, const VcYamlNode *n, gpointer out)
{
  return gen_distribution (r, n, WL_TIMES, out);
}

/* A distribution that the run will draw from: kept as it is written. */
gboolean
gen_later (GenReader *r, const VcYamlNode *n, gpointer out)
{
  g_auto (WlDistribution) d = { 0 };

  return gen_distribution (r, n, WL_TIMES, &d) && gen_text (r, n, out);
}

/* "0.5 0.2 …" of @expected numbers (0: any), separated by blanks or as a list. */
gboolean
gen_numbers (GenReader *r, const VcYamlNode *n, const char *what, guint expected, double **out, guint *n_out)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (double));
  double v, sum = 0;

  if (n->kind == VC_YAML_LIST) {
    for (guint i = 0; i < n->child->len; i++) {
      if (!gen_number (r, n->child->pdata[i], &v))
        return FALSE;
      g_array_append_val (list, v);
    }
  } else {
    g_autofree char *text = g_strdup (gen_text_of (r, n, "a list of numbers"));

    if (text == NULL)
      return FALSE;
    for (char *word = strtok (text, " \t\n"); word != NULL; word = strtok (NULL, " \t\n")) {
      char *end;

      v = g_ascii_strtod (word, &end);
      if (*end != '\0' || !(v >= 0 && v <= 1e12)) {
        g_autofree char *shown = wl_shown (word);
        return gen_fail (r, n, WL_ERROR_VALUE, "%s, expected numbers from 0, found %s", what, shown);
      }
      g_array_append_val (list, v);
    }
  }
  if (expected > 0 && list->len != expected)
    return gen_fail (r, n, WL_ERROR_VALUE, "%s, expected %u numbers, found %u", what, expected, list->len);
  for (guint i = 0; i < list->len; i++)
    sum += g_array_index (list, double, i);
  if (!(sum > 0))
    return gen_fail (r, n, WL_ERROR_VALUE, "%s, expected a number above 0 among them, found none", what);
  g_free (*out);
  if (n_out != NULL)
    *n_out = list->len;
  *out = (double *) (gpointer) g_array_free (g_steal_pointer (&list), FALSE);
  return TRUE;
}
