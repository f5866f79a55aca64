/* Texts of Slurm: durations, sizes, resources, lists of hosts. */
#include "slurm.h"
#include "workloads/text/parse.h"
#include <string.h>

#define MAX_HOSTS 200000

gboolean
wl_slurm_clock (const char *text, WlTime *out, GError **error)
{
  if (wl_import_parse_missing (text) || g_ascii_strcasecmp (text, "n/a") == 0) {
    *out = WL_TIME_NONE;
    return TRUE;
  }
  return wl_import_parse_clock (text, out, error);
}

gboolean
wl_slurm_duration (const char *text, WlTime *out, GError **error)
{
  static const char *const endless[] = { "UNLIMITED", "INFINITE", "Partition_Limit", "NOT_SET", "INVALID", NULL };
  static const char shape[] = "a duration such as 1-02:03:04, 03:04 or 90 minutes";
  const char *dash = strchr (text, '-'), *clock = dash != NULL ? dash + 1 : text;
  g_auto (GStrv) part = g_strsplit (clock, ":", 4);
  const guint n = g_strv_length (part);
  gint64 days = 0, v, micro = 0;

  if (g_strv_contains (endless, text)) {
    *out = WL_TIME_NEVER;
    return TRUE;
  }
  g_autofree char *before = dash != NULL ? g_strndup (text, (gsize) (dash - text)) : NULL;

  if (n == 0 || n > 3 || (before != NULL && !wl_parse_int (before, 0, 1000000, &days, NULL)))
    return wl_refuse (error, "not a duration", shape, text);
  /* With days the first part is hours; without them one part is minutes, two are minutes and seconds. */
  gint64 unit = G_USEC_PER_SEC * (dash != NULL || n == 3 ? G_GINT64_CONSTANT (3600) : G_GINT64_CONSTANT (60));

  for (guint i = 0; i < n; i++, unit /= 60) {
    if (!wl_import_parse_scaled (part[i], unit, 0, WL_TIME_MAX, &v, NULL) || *part[i] == '+' || *part[i] == '-' || (i > 0 && v >= 60 * unit))
      return wl_refuse (error, "not a duration", shape, text);
    micro += v;
  }
  micro += days * 86400 * G_USEC_PER_SEC;
  if (micro > WL_TIME_MAX)
    return wl_refuse (error, "duration too long", "at most 285 years", text);
  *out = micro;
  return TRUE;
}

gboolean
wl_slurm_memory (const char *text, WlSlurmOf otherwise, gint64 *bytes, WlSlurmOf *of, GError **error)
{
  static const char units[] = "KMGTP";
  gsize n = strlen (text);
  gint64 unit = 1 << 20;

  *of = otherwise;
  *bytes = 0;
  if (wl_import_parse_missing (text))
    return TRUE;
  if (n > 1 && (text[n - 1] == 'c' || text[n - 1] == 'n'))
    *of = text[--n] == 'c' ? WL_SLURM_OF_CPU : WL_SLURM_OF_NODE;
  if (n > 1 && (text[n - 1] == 'B' || text[n - 1] == 'b')) /* GB */
    n--;
  const char *letter = n > 1 ? strchr (units, g_ascii_toupper (text[n - 1])) : NULL;

  if (letter != NULL) {
    unit = G_GINT64_CONSTANT (1) << (10 * (letter - units + 1));
    n--;
  }
  g_autofree char *number = g_strndup (text, n);

  return wl_import_parse_scaled (number, unit, 0, WL_AMOUNT_MAX, bytes, NULL) || wl_refuse (error, "not an amount of memory", "one such as 4000M, 2800Mc or 500Gn", text);
}

gboolean
wl_slurm_tres (const char *text, const char *name, char **amount)
{
  const gsize n = strlen (name);

  for (const char *p = text; p != NULL && *p != '\0'; p = strchr (p, ',') != NULL ? strchr (p, ',') + 1 : NULL)
    if (strncmp (p, name, n) == 0 && p[n] == '=') {
      *amount = g_strndup (p + n + 1, strcspn (p + n + 1, ","));
      return TRUE;
    }
  return FALSE;
}

char *
wl_slurm_tres_type (const char *text)
{
  const char *at = strstr (text, "gres/gpu:");

  return at != NULL ? g_strndup (at + 9, strcspn (at + 9, "=,")) : NULL;
}

gboolean
wl_slurm_gres (const char *text, gint64 *gpus, char **type, GError **error)
{
  g_auto (GStrv) part = g_strsplit (text, ",", -1);

  *gpus = 0;
  *type = NULL;
  for (char **p = part; *p != NULL; p++) {
    char *at = *p;
    gint64 n = 1;

    if (g_str_has_prefix (at, "gres:") || g_str_has_prefix (at, "gres/"))
      at += 5;
    if (strncmp (at, "gpu", 3) != 0 || (at[3] != '\0' && at[3] != ':' && at[3] != '='))
      continue; /* not GPUs */
    at[strcspn (at, "(")] = '\0'; /* gpu:2(S:0-1) */
    g_auto (GStrv) word = g_strsplit_set (at, ":=", -1);
    const guint words = g_strv_length (word);

    const gboolean counted = words > 1 && word[words - 1][strspn (word[words - 1], "0123456789")] == '\0';

    if (words > 3 || (words == 3 && !counted) || (counted && !wl_parse_int (word[words - 1], 0, 100000, &n, NULL))) {
      g_clear_pointer (type, g_free);
      return wl_refuse (error, "not a request of GPUs", "one such as gpu:2 or gpu:a100:2", text);
    }
    *gpus += n;
    if (*type == NULL && words > 1 && (words == 3 || !counted) && *word[1] != '\0')
      *type = g_strdup (word[1]);
  }
  return TRUE;
}

/* ---- lists of hosts --------------------------------------------------------------------------------- */

static gboolean
too_many (const GPtrArray *out, const char *text, GError **error)
{
  return out->len >= MAX_HOSTS && !wl_refuse (error, "list of hosts", "at most 200000 hosts", text);
}

/* @rest may hold further brackets. */
static gboolean
expand (GPtrArray *out, const char *begin, const char *rest, GError **error)
{
  const char *open = strchr (rest, '['), *close = open != NULL ? strchr (open, ']') : NULL;

  if (open == NULL) {
    if (too_many (out, rest, error))
      return FALSE;
    g_ptr_array_add (out, g_strconcat (begin, rest, NULL));
    return TRUE;
  }
  if (close == NULL)
    return wl_refuse (error, "list of hosts", "a closing bracket", rest);
  g_autofree char *inner = g_strndup (open + 1, (gsize) (close - open - 1)), *before = g_strndup (rest, (gsize) (open - rest));
  g_auto (GStrv) range = g_strsplit (inner, ",", -1);

  for (char **r = range; *r != NULL; r++) {
    g_auto (GStrv) bound = g_strsplit (*r, "-", 2);
    const char *low_text = bound[0], *high_text = low_text != NULL && bound[1] != NULL ? bound[1] : low_text;
    gint64 low, high;

    if (low_text == NULL || low_text[strspn (low_text, "0123456789")] != '\0' || high_text[strspn (high_text, "0123456789")] != '\0' || strlen (low_text) > 9 || strlen (high_text) > 9
        || *low_text == '\0' || *high_text == '\0')
      return wl_refuse (error, "list of hosts", "numbers and ranges in brackets, such as n[001-087,90]", rest);
    low = g_ascii_strtoll (low_text, NULL, 10);
    high = g_ascii_strtoll (high_text, NULL, 10);
    if (high < low)
      return wl_refuse (error, "list of hosts", "a range from low to high", rest);
    for (gint64 i = low; i <= high; i++) {
      g_autofree char *name = g_strdup_printf ("%s%s%0*" G_GINT64_FORMAT, begin, before, (int) strlen (low_text), i);

      if (too_many (out, rest, error) || !expand (out, name, close + 1, error))
        return FALSE;
    }
  }
  return TRUE;
}

GPtrArray *
wl_slurm_hosts (const char *text, GError **error)
{
  g_autoptr (GPtrArray) out = g_ptr_array_new_with_free_func (g_free);

  for (const char *p = text; *p != '\0';) {
    gsize n = 0;
    int depth = 0;

    for (; p[n] != '\0' && (p[n] != ',' || depth > 0); n++)
      depth += p[n] == '[' ? 1 : p[n] == ']' ? -1 : 0;
    g_autofree char *one = g_strstrip (g_strndup (p, n));

    if (*one != '\0' && !expand (out, "", one, error))
      return NULL;
    p += n + (p[n] != '\0');
  }
  return g_steal_pointer (&out);
}
