#include "batsim.h"
#include "workloads/import/hpc.h"
#include "workloads/text/parse.h"
#include <math.h>
#include <string.h>

#define MAX_HOSTS 1000000

typedef struct {
  GArray *hosts;         /* WlBatsimHost */
  guint open;            /* first host of the element that is open */
  gboolean inside;       /* … which is a host or a cluster */
  gboolean computes;     /* … and has no other role */
  guint64 others, include;
} Platform;

static void
host_clear (gpointer data)
{
  g_free (((WlBatsimHost *) data)->name);
}

/* "100.0Mf, 50Mf": the first state counts. */
static gboolean
read_speed (const char *text, double *out, GError **error)
{
  static const struct { const char *unit; double flops; } units[] = { { "", 1 },      { "f", 1 },      { "kf", 1e3 },  { "Kf", 1e3 },  { "Mf", 1e6 },         { "Gf", 1e9 },
                                                                      { "Tf", 1e12 }, { "Pf", 1e15 }, { "Ef", 1e18 }, { "Zf", 1e21 }, { "Kif", 1024 },       { "Mif", 1048576 },
                                                                      { "Gif", 1073741824 }, { "Tif", 1099511627776.0 } };
  g_autofree char *first = g_strstrip (g_strndup (text, strcspn (text, ",")));
  char *end;
  double v = g_ascii_strtod (first, &end);

  while (g_ascii_isspace (*end))
    end++;
  if (g_str_has_suffix (end, "flops")) /* the long form of f */
    end[strlen (end) - 4] = '\0';
  for (guint i = 0; end > first && i < G_N_ELEMENTS (units); i++)
    if (strcmp (end, units[i].unit) == 0 && v > 0 && isfinite (v)) {
      *out = v * units[i].flops;
      return TRUE;
    }
  return wl_refuse (error, "speed of a host", "a number of flops above 0, such as 1.5Gf", text);
}

static gboolean
add_host (Platform *p, const char *prefix, gint64 number, const char *suffix, double speed, gint64 cores, GError **error)
{
  const WlBatsimHost host = { .name = number < 0 ? g_strdup (prefix) : g_strdup_printf ("%s%" G_GINT64_FORMAT "%s", prefix, number, suffix), .speed = speed, .cores = cores };

  g_array_append_val (p->hosts, host);
  if (p->hosts->len <= MAX_HOSTS)
    return TRUE;
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "platform, expected at most %d hosts, found more", MAX_HOSTS);
  return FALSE;
}

/* "0-31,40" */
static gboolean
add_radical (Platform *p, const char *radical, const char *prefix, const char *suffix, double speed, gint64 cores, GError **error)
{
  g_auto (GStrv) part = g_strsplit (radical, ",", -1);

  for (char **r = part; *r != NULL; r++) {
    g_auto (GStrv) bound = g_strsplit (g_strstrip (*r), "-", 2);
    gint64 low, high;

    if (bound[0] == NULL || !wl_parse_int (bound[0], 0, G_MAXINT32, &low, NULL) || !wl_parse_int (bound[1] != NULL ? bound[1] : bound[0], low, G_MAXINT32, &high, NULL))
      return wl_refuse (error, "radical of a cluster", "numbers and ranges such as 0-31,40", radical);
    for (gint64 i = low; i <= high; i++)
      if (!add_host (p, prefix, i, suffix, speed, cores, error))
        return FALSE;
  }
  return TRUE;
}

static const char *
attribute (const char **names, const char **values, const char *name)
{
  for (guint i = 0; names[i] != NULL; i++)
    if (strcmp (names[i], name) == 0)
      return values[i];
  return NULL;
}

static gboolean
is_cluster (const char *element)
{
  return strcmp (element, "cluster") == 0 || strcmp (element, "cabinet") == 0;
}

static gboolean
add_hosts (Platform *p, const char *element, const char **names, const char **values, GError **error)
{
  const char *id = attribute (names, values, "id"), *speed = attribute (names, values, "speed"), *core = attribute (names, values, "core"), *prefix = attribute (names, values, "prefix"),
             *suffix = attribute (names, values, "suffix"), *radical = attribute (names, values, "radical");
  double flops = 0;
  gint64 cores = 1;

  if (speed == NULL)
    speed = attribute (names, values, "power"); /* version 3 */
  if (speed == NULL)
    return wl_refuse (error, element, "the attribute speed", "none");
  if (!read_speed (speed, &flops, error))
    return FALSE;
  if (core != NULL && !wl_parse_int (core, 1, 1000000, &cores, error)) {
    g_prefix_error (error, "core of a %s: ", element);
    return FALSE;
  }
  p->open = p->hosts->len;
  p->inside = p->computes = TRUE;
  if (!is_cluster (element))
    return id != NULL && *id != '\0' ? add_host (p, id, -1, "", flops, cores, error) : wl_refuse (error, element, "the attribute id", "none");
  return radical != NULL ? add_radical (p, radical, prefix != NULL ? prefix : "", suffix != NULL ? suffix : "", flops, cores, error) : wl_refuse (error, element, "the attribute radical", "none");
}

static void
start_element (GMarkupParseContext *context, const char *element, const char **names, const char **values, gpointer user, GError **error)
{
  Platform *p = user;

  if (strcmp (element, "host") == 0 || is_cluster (element)) {
    (void) add_hosts (p, element, names, values, error);
  } else if (strcmp (element, "prop") == 0 && p->inside && g_strcmp0 (attribute (names, values, "id"), "role") == 0) {
    g_auto (GStrv) role = g_strsplit (attribute (names, values, "value") != NULL ? attribute (names, values, "value") : "", ",", -1);

    p->computes = g_strv_contains ((const char *const *) role, "compute_node") || !(g_strv_contains ((const char *const *) role, "master") || g_strv_contains ((const char *const *) role, "storage"));
  } else if (strcmp (element, "include") == 0) {
    p->include++;
  }
}

static void
end_element (GMarkupParseContext *context, const char *element, gpointer user, GError **error)
{
  Platform *p = user;

  if (!p->inside || !(strcmp (element, "host") == 0 || is_cluster (element)))
    return;
  p->inside = FALSE;
  for (guint i = p->hosts->len; i > p->open; i--)
    if (!p->computes || g_str_has_prefix (g_array_index (p->hosts, WlBatsimHost, i - 1).name, "master_host")) {
      g_array_remove_index (p->hosts, i - 1);
      p->others++;
    }
}

/* Numbers in names as numbers, as Batsim gives its hosts their ids. */
static int
by_name (gconstpointer a, gconstpointer b)
{
  const char *l = ((const WlBatsimHost *) a)->name, *r = ((const WlBatsimHost *) b)->name;

  while (*l != '\0' && *r != '\0') {
    if (g_ascii_isdigit (*l) && g_ascii_isdigit (*r)) {
      const char *l_digits = l + strspn (l, "0"), *r_digits = r + strspn (r, "0");
      const gsize l_len = strspn (l_digits, "0123456789"), r_len = strspn (r_digits, "0123456789");
      const int order = l_len != r_len ? (l_len < r_len ? -1 : 1) : strncmp (l_digits, r_digits, l_len);

      if (order != 0)
        return order;
      l = l_digits + l_len;
      r = r_digits + r_len;
    } else if (*l != *r) {
      return (guchar) *l < (guchar) *r ? -1 : 1;
    } else {
      l++;
      r++;
    }
  }
  return (*l != '\0') - (*r != '\0');
}

/* GLib's message without its place, which the caller tells; bytes that a terminal would obey as \xNN. */
static char *
xml_fault (const char *message)
{
  const char *at = g_str_has_prefix (message, "Error on line ") ? strstr (message, ": ") : NULL;
  GString *out = g_string_new (NULL);

  for (const char *p = at != NULL ? at + 2 : message; *p != '\0'; p++)
    if ((guchar) *p < 0x20 || *p == 0x7f)
      g_string_append_printf (out, "\\x%02x", (guchar) *p);
    else
      g_string_append_c (out, *p);
  return g_string_free (out, FALSE);
}

GArray *
wl_batsim_platform (WlImport *imp, guint file, GError **error)
{
  static const GMarkupParser parser = { .start_element = start_element, .end_element = end_element };
  gsize len;
  g_autofree char *text = wl_import_whole (imp, file, &len, error);
  g_autoptr (GArray) hosts = g_array_new (FALSE, FALSE, sizeof (WlBatsimHost));
  Platform p = { .hosts = hosts };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, &p, NULL);
  g_autoptr (GError) e = NULL;
  int line, column;

  g_array_set_clear_func (hosts, host_clear);
  if (text == NULL)
    return NULL;
  if (!g_markup_parse_context_parse (context, text, (gssize) len, &e) || !g_markup_parse_context_end_parse (context, &e)) {
    g_markup_parse_context_get_position (context, &line, &column);
    g_autofree char *fault = xml_fault (e->message);

    if (e->domain == WL_ERROR)
      g_propagate_error (error, g_steal_pointer (&e));
    else
      g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "expected XML, found an error: %s", fault);
    wl_import_locate (imp, file, (guint64) MAX (line, 1), (guint64) MAX (column, 1), error);
    return NULL;
  }
  g_array_sort (hosts, by_name);
  wl_import_note (imp, "hosts that do not compute (masters, storages)", p.others);
  wl_import_note (imp, "platforms included in the platform: not read", p.include);
  if (hosts->len > 0)
    return g_steal_pointer (&hosts);
  g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "platform, expected hosts that compute, found none");
  wl_import_locate (imp, file, 1, 1, error);
  return NULL;
}
