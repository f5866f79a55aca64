#include "threshold.h"
#include "core/base/go-duration.h"
#include "core/conf/conf.h"
#include <math.h>
#include <string.h>

struct RpThreshold {
  char *where, *text, *figure;
  gboolean above, or_equal, relative;
  double limit; /* or the factor */
};

static gboolean
refuse (const RpThreshold *t, const char *expected, const char *found, GError **error)
{
  g_set_error (error, RP_ERROR, RP_ERROR_INPUT, "%s: condition '%s': expected %s, found '%s'", t->where, t->text, expected, found);
  return FALSE;
}

/* A number, or a time in Go's notation as seconds. */
static gboolean
parse_number (const char *word, double *out)
{
  char *end = NULL;
  gint64 ns;

  *out = g_ascii_strtod (word, &end);
  if (end != word && *end == '\0' && isfinite (*out))
    return TRUE;
  if (!vc_go_duration_parse (word, &ns))
    return FALSE;
  *out = (double) ns / 1e9;
  return TRUE;
}

/* @alone: there is no base to compare with. */
static gboolean
parse_limit (RpThreshold *t, const char *words, gboolean alone, GError **error)
{
  const char *const expected = alone ? "a number or a time" : "a number, a time, or a factor of base";
  g_auto (GStrv) factor = g_strsplit (words, "*", 2);

  t->limit = 1;
  if (factor[0] == NULL)
    return refuse (t, expected, words, error);
  for (guint i = 0; factor[i] != NULL; i++)
    g_strstrip (factor[i]);
  if (alone || (factor[1] == NULL && strcmp (factor[0], "base") != 0))
    return parse_number (words, &t->limit) || refuse (t, expected, words, error);
  t->relative = TRUE;
  if (factor[1] == NULL)
    return TRUE;
  guint base = strcmp (factor[0], "base") == 0 ? 0 : 1;

  return (strcmp (factor[base], "base") == 0 && parse_number (factor[1 - base], &t->limit)) || refuse (t, "a number * base", words, error);
}

RpThreshold *
rp_threshold_parse (const char *text, const char *where, gboolean alone, GError **error)
{
  g_autoptr (RpThreshold) t = g_new0 (RpThreshold, 1);
  const char *close = strrchr (text, ')'); /* the figure's last one: names of users may hold anything */
  const char *op = strpbrk (close != NULL ? close : text, "<>");

  t->where = g_strdup (where);
  t->text = g_strdup (text);
  if (op == NULL) {
    refuse (t, "a figure, one of < <= > >=, and a limit", text, error);
    return NULL;
  }
  g_autofree char *figure = g_strndup (text, (gsize) (op - text));

  t->figure = g_strdup (g_strstrip (figure));
  t->above = *op == '>';
  t->or_equal = op[1] == '=';
  g_autofree char *limit = g_strdup (op + 1 + t->or_equal);

  g_strstrip (limit);
  if (*t->figure == '\0') {
    refuse (t, "the name of a figure, then one of < <= > >=", "", error);
    return NULL;
  }
  return parse_limit (t, limit, alone, error) ? g_steal_pointer (&t) : NULL;
}

void
rp_threshold_free (RpThreshold *t)
{
  if (t == NULL)
    return;
  g_free (t->where);
  g_free (t->text);
  g_free (t->figure);
  g_free (t);
}

static void
unknown_figure (const RpThreshold *t, const RpComparison *c, GError **error)
{
  const GArray *rows = rp_comparison_rows (c);
  g_autofree const char **name = g_new (const char *, rows->len + 1);

  for (guint i = 0; i < rows->len; i++)
    name[i] = g_array_index (rows, RpComparedRow, i).name;
  const char *nearest = vc_nearest_name (t->figure, name, rows->len);
  g_autofree char *expected = g_strdup_printf ("a figure such as %s (docs/compare.md lists them)", nearest != NULL ? nearest : "p95_wait or p95_wait(queue=default)");

  refuse (t, expected, t->figure, error);
}

gboolean
rp_threshold_can_judge (const RpThreshold *t, const RpComparison *c, guint side, GError **error)
{
  const RpComparedRow *r = rp_comparison_find (c, t->figure);
  const RpSide *sides = rp_comparison_sides (c, NULL);

  if (r == NULL) {
    unknown_figure (t, c, error);
    return FALSE;
  }
  const char *without = t->relative && isnan (r->value[0]) ? "base" : isnan (r->value[side]) ? sides[side].label : NULL;

  if (without != NULL)
    g_set_error (error, RP_ERROR, RP_ERROR_INPUT, "%s: condition '%s': %s has no %s", t->where, t->text, without, t->figure);
  return without == NULL;
}

char *
rp_threshold_check (const RpThreshold *t, const RpComparison *c, guint side, GError **error)
{
  const RpComparedRow *r = rp_comparison_find (c, t->figure);

  if (r == NULL) {
    unknown_figure (t, c, error);
    return NULL;
  }
  double value = r->value[side], limit = t->relative ? t->limit * r->value[0] : t->limit;

  if (isnan (value) || isnan (limit))
    return NULL;
  if (!(t->above ? (t->or_equal ? value >= limit : value > limit) : (t->or_equal ? value <= limit : value < limit)))
    return NULL;
  g_autofree char *is = rp_metric_text (r->unit, value), *than = rp_metric_text (r->unit, limit);

  if (strcmp (is, than) == 0 && value != limit) { /* in people's words they are the same: in all digits, then */
    char buf[G_ASCII_DTOSTR_BUF_SIZE];

    g_free (is);
    g_free (than);
    is = g_strdup (g_ascii_formatd (buf, sizeof buf, "%.9g", value));
    than = g_strdup (g_ascii_formatd (buf, sizeof buf, "%.9g", limit));
  }
  const RpSide *sides = rp_comparison_sides (c, NULL);

  return g_strdup_printf ("%s: %s: %s against %s", sides[side].label, t->text, is, than);
}

char *
rp_threshold_words (const RpThreshold *t, const RpComparison *c, guint side)
{
  const RpComparedRow *r = rp_comparison_find (c, t->figure);
  g_autofree char *is = r != NULL ? rp_metric_text (r->unit, r->value[side]) : g_strdup ("–");

  return g_strdup_printf ("%s: %s", t->text, is);
}

const char *
rp_threshold_text (const RpThreshold *t)
{
  return t->text;
}

const char *
rp_threshold_figure (const RpThreshold *t)
{
  return t->figure;
}

double
rp_threshold_limit (const RpThreshold *t)
{
  return t->relative ? (double) NAN : t->limit;
}
