/* workloads/text/parse.c - see parse.h. */
#include "parse.h"
#include <errno.h>
#include <string.h>

G_DEFINE_QUARK (wl_error_quark, wl_error)

__extension__ typedef unsigned __int128 Wide; /* a time in units of 1e-18 s does not fit 64 bits */

/* ---- refusals ---- */

char *
wl_shown (const char *text)
{
  GString *out = g_string_new ("'");
  gsize shown = 0;

  for (const char *p = text; *p != '\0'; p++, shown++) {
    guchar c = (guchar) *p;

    if (shown >= 60 && (c & 0xc0) != 0x80) { /* never inside a character */
      g_string_append (out, "'…");
      return g_string_free (out, FALSE);
    }
    if (c == '\n')
      g_string_append (out, "\\n");
    else if (c < 0x20 || c == 0x7f)
      g_string_append_printf (out, "\\x%02x", c);
    else
      g_string_append_c (out, (char) c);
  }
  g_string_append_c (out, '\'');
  return g_string_free (out, FALSE);
}

gboolean
wl_refuse (GError **error, const char *what, const char *expected, const char *found)
{
  g_autofree char *shown = wl_shown (found);

  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s, expected %s, found %s", what, expected, shown);
  return FALSE;
}

/* ---- numbers ---- */

gboolean
wl_parse_int (const char *text, gint64 min, gint64 max, gint64 *out, GError **error)
{
  const char *digits = text + (*text == '-');
  gboolean whole = *digits != '\0';
  gint64 v;

  for (const char *p = digits; *p != '\0'; p++)
    whole = whole && g_ascii_isdigit (*p);
  errno = 0;
  v = whole ? g_ascii_strtoll (text, NULL, 10) : 0;
  if (!whole || errno != 0 || v < min || v > max) { /* what is too large becomes the largest number, which may be within the range */
    g_autofree char *expected
        = g_strdup_printf ("%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, min, max);

    return wl_refuse (error, whole ? "number out of range" : "not a whole number", expected, text);
  }
  *out = v;
  return TRUE;
}

gboolean
wl_parse_bool (const char *text, gboolean *out, GError **error)
{
  gboolean yes = strcmp (text, "true") == 0;

  if (!yes && strcmp (text, "false") != 0)
    return wl_refuse (error, "not a truth value", "true or false", text);
  *out = yes;
  return TRUE;
}

gboolean
wl_resource_is_bytes (const char *name)
{
  return strcmp (name, "memory") == 0 || strcmp (name, "ephemeral-storage") == 0;
}

gboolean
wl_parse_amount (const char *name, const char *text, VcQuantity *out, GError **error)
{
  gboolean bytes = wl_resource_is_bytes (name);
  VcQuantity q;

  if (!vc_quantity_parse (text, &q, NULL))
    return wl_refuse (error, "not a quantity", bytes ? "a number such as 512Mi or 16Gi" : "a number such as 2 or 500m", text);
  if (q.milli < 0)
    return wl_refuse (error, "negative quantity", "0 or more", text);
  if (bytes && q.value > WL_AMOUNT_MAX)
    return wl_refuse (error, "quantity too large", "at most 8Pi", text);
  if (!bytes && q.milli > WL_AMOUNT_MAX)
    return wl_refuse (error, "quantity too large", "at most 9007199254740", text);
  *out = q;
  return TRUE;
}

/* ---- times ---- */

typedef enum { TIME_OK, TIME_SYNTAX, TIME_NEGATIVE, TIME_HUGE } TimeStatus;

/* One "12.5" at *@p, in nanoseconds of @unit_ns, cut (so half a microsecond stays visible). */
static TimeStatus
read_decimal (const char **p, guint64 unit_ns, Wide *ns)
{
  const Wide limit = (Wide) WL_TIME_MAX * 1000;
  const char *s = *p;
  Wide whole = 0, fraction = 0, scale = 1;
  gboolean any = FALSE;

  for (; g_ascii_isdigit (*s); s++, any = TRUE)
    if (whole <= limit)
      whole = whole * 10 + (Wide) (*s - '0');
  if (*s == '.')
    for (s++; g_ascii_isdigit (*s); s++, any = TRUE)
      if (scale < (Wide) 1000000000000000000u) {
        fraction = fraction * 10 + (Wide) (*s - '0');
        scale *= 10;
      }
  *p = s;
  if (!any)
    return TIME_SYNTAX;
  *ns = whole * unit_ns + fraction * unit_ns / scale;
  return whole > limit ? TIME_HUGE : TIME_OK;
}

/* The unit at *@p in nanoseconds, or 0. */
static guint64
read_unit (const char **p)
{
  static const struct {
    const char *name;
    guint64 ns;
  } units[]
      = { { "ns", 1 },       { "us", 1000 },      { "µs", 1000 },       { "μs", 1000 },
          { "ms", 1000000 }, { "s", 1000000000 }, { "m", 60000000000 }, { "h", 3600000000000 },
          { "d", 86400000000000 } };

  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_str_has_prefix (*p, units[i].name)) {
      *p += strlen (units[i].name);
      return units[i].ns;
    }
  return 0;
}

/* "1.25e3": the exponent moves the point, exactly, and the digits are then read as any others. */
static TimeStatus
read_exponent (const char *text, Wide *ns)
{
  const char *e = strpbrk (text, "eE"), *first = e + 1 + (e[1] == '-' || e[1] == '+');
  g_autoptr (GString) digits = g_string_new (NULL);
  const char *p;
  gint64 shift = 0;
  gssize point = -1;

  if (*first == '\0')
    return TIME_SYNTAX;
  for (p = first; g_ascii_isdigit (*p); p++)
    shift = MIN (shift * 10 + (*p - '0'), 1000);
  if (*p != '\0')
    return TIME_SYNTAX;
  for (p = text; p < e; p++) {
    if (*p == '.' && point < 0)
      point = (gssize) digits->len;
    else if (g_ascii_isdigit (*p))
      g_string_append_c (digits, *p);
    else
      return TIME_SYNTAX;
  }
  if (digits->len == 0)
    return TIME_SYNTAX;
  point = (point < 0 ? (gssize) digits->len : point) + (gssize) (e[1] == '-' ? -shift : shift);
  while (point > (gssize) digits->len)
    g_string_append_c (digits, '0');
  for (; point < 0; point++)
    g_string_prepend_c (digits, '0');
  g_string_insert_c (digits, point, '.');
  p = digits->str;
  return read_decimal (&p, 1000000000, ns);
}

static TimeStatus
read_time (const char *text, WlTime *out)
{
  Wide ns = 0;
  const char *p = text;
  TimeStatus status = TIME_OK;

  if (*text == '-') {
    WlTime positive;

    return read_time (text + 1, &positive) == TIME_SYNTAX ? TIME_SYNTAX : TIME_NEGATIVE;
  }
  if (strspn (text, "0123456789.") == strlen (text)) {
    status = read_decimal (&p, 1000000000, &ns);
    if (status == TIME_OK && *p != '\0')
      status = TIME_SYNTAX;
  } else if (strpbrk (text, "eE") != NULL) {
    status = read_exponent (text, &ns);
  } else {
    while (*p != '\0' && status != TIME_SYNTAX) {
      const char *number = p;
      Wide part = 0;
      guint64 unit;
      TimeStatus one = read_decimal (&p, 1, &part);

      unit = one == TIME_SYNTAX ? 0 : read_unit (&p);
      if (unit == 0)
        status = TIME_SYNTAX;
      else if (one == TIME_OK && read_decimal (&number, unit, &part) == TIME_OK
               && part <= (Wide) WL_TIME_MAX * 1000)
        ns += part;
      else
        status = TIME_HUGE;
      if (ns > (Wide) WL_TIME_MAX * 1000)
        ns = (Wide) WL_TIME_MAX * 1000 + 1000; /* refused below; stays small enough to add to */
    }
  }
  if (status != TIME_OK)
    return status;
  ns = (ns + 500) / 1000;
  if (ns > WL_TIME_MAX)
    return TIME_HUGE;
  *out = (WlTime) ns;
  return TIME_OK;
}

gboolean
wl_parse_time (const char *text, gboolean allow_inf, WlTime *out, GError **error)
{
  const char *expected = allow_inf ? "seconds (12.5), a duration (1h30m) or inf"
                                   : "seconds (12.5) or a duration (1h30m)";
  TimeStatus status;

  if (allow_inf && strcmp (text, "inf") == 0) {
    *out = WL_TIME_NEVER;
    return TRUE;
  }
  status = *text == '\0' ? TIME_SYNTAX : read_time (text, out);
  if (status == TIME_SYNTAX)
    return wl_refuse (error, "not a time", expected, text);
  if (status == TIME_NEGATIVE)
    return wl_refuse (error, "negative time", "0 or more", text);
  if (status == TIME_HUGE)
    return wl_refuse (error, "time too large", "at most 9007199254 seconds", text);
  return TRUE;
}

void
wl_append_time (GString *out, WlTime t)
{
  guint64 us = t < 0 ? -(guint64) t : (guint64) t;
  char text[40];
  int n;

  if (t == WL_TIME_NONE)
    return;
  if (t == WL_TIME_NEVER) {
    g_string_append (out, "inf");
    return;
  }
  n = g_snprintf (text, sizeof text, "%s%" G_GUINT64_FORMAT ".%06u", t < 0 ? "-" : "", us / 1000000,
                  (guint) (us % 1000000));
  while (text[n - 1] == '0')
    n--;
  g_string_append_len (out, text, n - (text[n - 1] == '.'));
}

/* ---- names ---- */

gboolean
wl_check_name (const char *text, gboolean dots, guint max, GError **error)
{
  gsize len = 0;
  gboolean good, edge = TRUE; /* edge: at the first byte of a label */
  g_autofree char *expected = NULL;

  while (g_ascii_islower (text[len]) || g_ascii_isdigit (text[len]) || text[len] == '-')
    len++;
  if (text[len] == '\0' && len > 0 && len <= max && text[0] != '-' && text[len - 1] != '-')
    return TRUE; /* a single label: nearly all names */
  len += strlen (text + len);
  good = len > 0 && len <= max;
  for (const char *p = text; good && *p != '\0'; p++) {
    gboolean alnum = g_ascii_islower (*p) || g_ascii_isdigit (*p);

    if (alnum)
      edge = FALSE;
    else if (*p == '.' && dots && !edge && p[-1] != '-')
      edge = TRUE;
    else if (*p != '-' || edge)
      good = FALSE;
  }
  if (good && !edge && text[len - 1] != '-')
    return TRUE;
  if (error == NULL)
    return FALSE; /* nobody asks why: importers try names of millions of jobs */
  expected
      = g_strdup_printf ("1 to %u lower-case letters, digits%s, a letter or digit at both ends",
                         max, dots ? ", '-' and '.'" : " and '-'");
  return wl_refuse (error, "not a valid name", expected, text);
}

/* [A-Za-z0-9] at both ends, -_. inside, 1 to 63 bytes. */
static gboolean
is_label_text (const char *text, gsize len)
{
  if (len == 0 || len > WL_LABEL_MAX || !g_ascii_isalnum (text[0])
      || !g_ascii_isalnum (text[len - 1]))
    return FALSE;
  for (gsize i = 0; i < len; i++)
    if (!g_ascii_isalnum (text[i]) && strchr ("-_.", text[i]) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
is_key (const char *text)
{
  const char *slash = strchr (text, '/');
  g_autofree char *prefix = NULL;

  if (slash == NULL)
    return is_label_text (text, strlen (text));
  prefix = g_strndup (text, (gsize) (slash - text));
  return wl_check_name (prefix, TRUE, WL_NAME_MAX, NULL)
         && is_label_text (slash + 1, strlen (slash + 1));
}

gboolean
wl_check_key (const char *text, GError **error)
{
  return is_key (text)
         || wl_refuse (error, "not a valid key", "[prefix/]name of letters, digits, '-', '_' and '.'", text);
}

gboolean
wl_check_resource (const char *text, GError **error)
{
  static const char *const known[] = { "cpu", "memory", "pods", "ephemeral-storage" };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (text, known[i]) == 0)
      return TRUE;
  if (strchr (text, '/') != NULL && is_key (text))
    return TRUE;
  return wl_refuse (error, "not a resource", "cpu, memory, pods, ephemeral-storage or prefix/name", text);
}

gboolean
wl_parse_priority (const char *text, char **out, GError **error)
{
  gboolean plain;
  gint64 v;

  if (strspn (text, "0123456789+-.")
      == strlen (text)) { /* a name of digits alone would be a number mistyped */
    if (!wl_parse_int (text, G_MININT32, 1000000000, &v, error))
      return FALSE;
    plain = text[*text == '-'] != '0' || strcmp (text, "0") == 0;
    *out = plain ? g_strdup (text) : g_strdup_printf ("%" G_GINT64_FORMAT, v);
    return TRUE;
  }
  if (!wl_check_name (text, TRUE, WL_NAME_MAX, NULL))
    return wl_refuse (error, "not a priority", "a whole number or the name of a priority class", text);
  *out = g_strdup (text);
  return TRUE;
}

/* ---- lists ---- */

/* A label, or an annotation, whose value may be any text. */
static gboolean
parse_pair (char *item, gboolean label, GArray *out, GError **error)
{
  char *eq = strchr (item, '=');
  WlPair pair;

  if (eq == NULL)
    return wl_refuse (error, label ? "not a label" : "not an annotation", "key=value;key2=value2", item);
  *eq = '\0';
  if (!wl_check_key (item, error))
    return FALSE;
  if (label && eq[1] != '\0' && !is_label_text (eq + 1, strlen (eq + 1)))
    return wl_refuse (error, "not a label value", "at most 63 letters, digits, '-', '_' and '.'", eq + 1);
  for (guint i = 0; i < out->len; i++)
    if (strcmp (g_array_index (out, WlPair, i).key, item) == 0)
      return wl_refuse (error, "key given twice", "each key once", item);
  pair = (WlPair){ g_strdup (item), g_strdup (eq + 1) };
  g_array_append_val (out, pair);
  return TRUE;
}

static gboolean
parse_taint (char *item, gboolean toleration, GArray *out, GError **error)
{
  static const char *const effects[] = { "NoSchedule", "PreferNoSchedule", "NoExecute" };
  const char *shape
      = toleration ? "key=value:Effect, key:Effect or ':'" : "key=value:Effect or key:Effect";
  g_autofree char *whole = g_strdup (item);
  char *colon = strrchr (item, ':'), *eq;
  gboolean known = FALSE;
  char *at = colon != NULL && toleration ? strchr (colon, '@') : NULL;
  gint64 seconds = 0;
  WlTaint taint;

  if (colon == NULL)
    return wl_refuse (error, toleration ? "not a toleration" : "not a taint", shape, whole);
  *colon = '\0';
  if (at != NULL) {
    *at++ = '\0';
    if (strcmp (colon + 1, "NoExecute") != 0)
      return wl_refuse (error, "toleration for a time", "the effect NoExecute", whole);
    if (!wl_parse_int (at, 0, G_MAXINT32, &seconds, error))
      return FALSE;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (effects); i++)
    known = known || strcmp (colon + 1, effects[i]) == 0;
  if (!known && !(toleration && colon[1] == '\0'))
    return wl_refuse (error, "unknown effect", "NoSchedule, PreferNoSchedule or NoExecute", colon + 1);
  eq = strchr (item, '=');
  if (eq != NULL)
    *eq++ = '\0';
  if (*item == '\0' && (!toleration || eq != NULL))
    return wl_refuse (error, toleration ? "not a toleration" : "not a taint", shape, whole);
  if (*item != '\0' && !wl_check_key (item, error))
    return FALSE;
  if (eq != NULL && *eq != '\0' && !is_label_text (eq, strlen (eq)))
    return wl_refuse (error, "not a taint value", "at most 63 letters, digits, '-', '_' and '.'", eq);
  for (guint i = 0; i < out->len && !toleration; i++) {
    const WlTaint *t = &g_array_index (out, WlTaint, i);

    if (strcmp (t->key, item) == 0 && strcmp (t->effect, colon + 1) == 0)
      return wl_refuse (error, "taint given twice", "each key and effect once", whole);
  }
  taint = (WlTaint){ .key = g_strdup (item),
                     .value = g_strdup (eq != NULL ? eq : ""),
                     .effect = g_strdup (colon + 1),
                     .exists = toleration && eq == NULL,
                     .bounded = at != NULL,
                     .seconds = seconds };
  g_array_append_val (out, taint);
  return TRUE;
}

static gboolean
parse_resource (char *item, GArray *out, GError **error)
{
  char *eq = strchr (item, '=');
  WlResource res;

  if (eq == NULL)
    return wl_refuse (error, "not a resource list", "cpu=4;memory=8Gi", item);
  *eq = '\0';
  if (!wl_check_resource (item, error) || !wl_parse_amount (item, eq + 1, &res.amount, error))
    return FALSE;
  for (guint i = 0; i < out->len; i++)
    if (strcmp (g_array_index (out, WlResource, i).name, item) == 0)
      return wl_refuse (error, "resource given twice", "each resource once", item);
  res.name = g_strdup (item);
  g_array_append_val (out, res);
  return TRUE;
}

typedef enum { ITEM_PAIR, ITEM_TAINT, ITEM_TOLERATION, ITEM_RESOURCE } ItemKind;

static gboolean
parse_items (const char *text, ItemKind kind, GArray *items, GArray **out, GError **error)
{
  g_autoptr (GArray) list = items;
  g_auto (GStrv) parts = g_strsplit (text, ";", -1);

  for (char **p = parts; *p != NULL; p++) {
    gboolean ok = kind == ITEM_PAIR       ? parse_pair (*p, TRUE, list, error)
                  : kind == ITEM_RESOURCE ? parse_resource (*p, list, error)
                                          : parse_taint (*p, kind == ITEM_TOLERATION, list, error);

    if (!ok)
      return FALSE;
  }
  *out = g_steal_pointer (&list);
  return TRUE;
}

gboolean
wl_parse_pairs (const char *text, GArray **out, GError **error)
{
  return parse_items (text, ITEM_PAIR, wl_pairs_new (), out, error);
}

gboolean
wl_parse_annotations (const char *text, GArray **out, GError **error)
{
  g_autoptr (GArray) list = wl_pairs_new ();
  g_autoptr (GString) item = g_string_new (NULL);

  for (const char *p = text;; p++) {
    if (*p == '\\' && p[1] == ';') {
      g_string_append_c (item, *++p);
    } else if (*p != ';' && *p != '\0') {
      g_string_append_c (item, *p);
    } else {
      if (!parse_pair (item->str, FALSE, list, error))
        return FALSE;
      g_string_truncate (item, 0);
      if (*p == '\0')
        break;
    }
  }
  *out = g_steal_pointer (&list);
  return TRUE;
}

gboolean
wl_parse_taints (const char *text, GArray **out, GError **error)
{
  return parse_items (text, ITEM_TAINT, wl_taints_new (), out, error);
}

gboolean
wl_parse_tolerations (const char *text, GArray **out, GError **error)
{
  return parse_items (text, ITEM_TOLERATION, wl_taints_new (), out, error);
}

gboolean
wl_parse_resources (const char *text, GArray **out, GError **error)
{
  return parse_items (text, ITEM_RESOURCE, wl_resources_new (), out, error);
}

/* One run at the end of @runs. */
static gboolean
append_run (const char *text, gboolean times, GArray *runs, GError **error)
{
  if (times) {
    WlTime t;

    if (!wl_parse_time (text, TRUE, &t, error))
      return FALSE;
    g_array_append_val (runs, t);
  } else {
    gint64 v;
    gint32 code;

    if (!wl_parse_int (text, 0, 255, &v, error))
      return FALSE;
    code = (gint32) v;
    g_array_append_val (runs, code);
  }
  return TRUE;
}

static gboolean
parse_runs (const char *text, gboolean times, guint replicas, GArray **out, GError **error)
{
  g_autoptr (GArray) list = wl_lists_new ();
  g_autofree char *copy = NULL;
  char room[64];
  GArray *runs = NULL;
  char *item = room;

  if (g_strlcpy (room, text, sizeof room) >= sizeof room)
    item = copy = g_strdup (text);

  for (;;) {
    char *end = item + strcspn (item, "|>"), stop = *end;

    *end = '\0';
    if (runs == NULL) {
      if (list->len == replicas) {
        g_autofree char *expected = g_strdup_printf ("at most %u (one for each replica)", replicas);
        return wl_refuse (error, "too many entries", expected, text);
      }
      runs = g_array_sized_new (FALSE, FALSE, times ? sizeof (WlTime) : sizeof (gint32), 1);
      g_array_append_val (list, runs);
    }
    if (!append_run (item, times, runs, error))
      return FALSE;
    if (stop == '\0')
      break;
    if (stop == '|')
      runs = NULL;
    item = end + 1;
  }
  *out = g_steal_pointer (&list);
  return TRUE;
}

gboolean
wl_parse_durations (const char *text, guint replicas, GArray **out, GError **error)
{
  return parse_runs (text, TRUE, replicas, out, error);
}

gboolean
wl_parse_exit_codes (const char *text, guint replicas, GArray **out, GError **error)
{
  return parse_runs (text, FALSE, replicas, out, error);
}

static gboolean
append_step (const char *item, GArray *steps, GError **error)
{
  static const char expected[] = "TIME:REPLICAS>TIME:REPLICAS…, times ascending";
  const char *colon = strrchr (item, ':');
  const WlScaleStep *last = steps->len > 0 ? &g_array_index (steps, WlScaleStep, steps->len - 1) : NULL;
  WlScaleStep step;
  gint64 replicas;

  if (colon == NULL)
    return wl_refuse (error, "not a schedule of replicas", expected, item);
  g_autofree char *time = g_strndup (item, (gsize) (colon - item));

  if (!wl_parse_time (time, FALSE, &step.after, error) || !wl_parse_int (colon + 1, 0, WL_REPLICAS_MAX, &replicas, error))
    return FALSE;
  if (last != NULL && step.after <= last->after)
    return wl_refuse (error, "times of a schedule do not ascend", expected, item);
  step.replicas = (gint32) replicas;
  g_array_append_val (steps, step);
  return TRUE;
}

gboolean
wl_parse_scale (const char *text, GArray **out, GError **error)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (WlScaleStep));
  g_auto (GStrv) item = g_strsplit (text, ">", -1);

  for (guint i = 0; item[i] != NULL; i++)
    if (!append_step (item[i], steps, error))
      return FALSE;
  *out = g_steal_pointer (&steps);
  return TRUE;
}

gboolean
wl_resources_equal (const GArray *a, const GArray *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++) {
    const WlResource *x = &g_array_index (a, WlResource, i), *y = &g_array_index (b, WlResource, i);

    if (strcmp (x->name, y->name) != 0 || x->amount.value != y->amount.value
        || x->amount.milli != y->amount.milli)
      return FALSE;
  }
  return TRUE;
}
