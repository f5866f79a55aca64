#include "reports/words.h"

#include <math.h>
#include <string.h>

/* A time span in at most 7 characters (below 10,000 days): "0s", "12.5s", "59.9min", "2.1h",
 * "41.7d". */
char *
rp_span (double seconds)
{
  static const struct {
    double size;
    const char *unit;
  } units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } };
  const double magnitude = fabs (seconds);
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  if (magnitude == 0)
    return g_strdup ("0s");
  for (guint i = 0; i < G_N_ELEMENTS (units); i++) {
    const double v = seconds / units[i].size;

    if (magnitude < units[i].size * 2 && i + 1 < G_N_ELEMENTS (units))
      continue;
    g_ascii_formatd (buf, sizeof buf,
                     fabs (v) >= 99.95 ? "%.0f"
                     : fabs (v) < 0.1  ? "%.2g"
                                       : "%.1f",
                     v);
    if (g_str_has_suffix (buf, ".0"))
      buf[strlen (buf) - 2] = '\0';
    return g_strdup_printf ("%s%s", buf, units[i].unit);
  }
  g_assert_not_reached ();
}

char *
rp_percent (double ratio)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (ratio))
    return g_strdup ("–");
  g_ascii_formatd (buf, sizeof buf, "%.1f", ratio * 100);
  return g_strdup_printf ("%s %%", buf);
}

char *
rp_number (guint64 n)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, n);
  GString *out = g_string_new (NULL);
  const gsize len = strlen (digits);

  for (gsize i = 0; i < len; i++) {
    if (i > 0 && (len - i) % 3 == 0)
      g_string_append_c (out, ',');
    g_string_append_c (out, digits[i]);
  }
  return g_string_free (out, FALSE);
}

/* @text in exactly @width columns: cut with an ellipsis or padded, on the left when @right. Control
 * characters become spaces, since this goes to a terminal. */
void
rp_append_cell (GString *out, const char *text, guint width, gboolean right)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  const glong n = g_utf8_strlen (valid, -1);
  const guint pad = n < (glong) width ? width - (guint) n : 0;

  for (char *p = valid; *p != '\0'; p++)
    if ((guchar) *p < 0x20 || *p == 0x7f)
      *p = ' ';
  if (right)
    g_string_append_printf (out, "%*s", (int) pad, "");
  if (n > (glong) width) {
    g_string_append_len (out, valid, g_utf8_offset_to_pointer (valid, (glong) width - 1) - valid);
    g_string_append (out, "…");
  } else {
    g_string_append (out, valid);
  }
  if (!right)
    g_string_append_printf (out, "%*s", (int) pad, "");
}

void
rp_append_line (GString *out, const char *text)
{
  const glong n = g_utf8_strlen (text, -1);

  rp_append_cell (out, text, (guint) CLAMP (n, 0, RP_SCREEN_WIDTH), FALSE);
  g_string_append_c (out, '\n');
}

void
rp_append_wrapped (GString *out, const char *first, const char *text)
{
  guint indent = (guint) g_utf8_strlen (first, -1), column = indent;
  g_auto (GStrv) words = g_strsplit_set (text, " \n\t\r", -1);
  gboolean begin = TRUE;

  g_string_append (out, first);
  for (char **w = words; *w != NULL; w++) {
    guint n = (guint) g_utf8_strlen (*w, -1);

    if (n == 0)
      continue;
    if (!begin && column + 1 + n > RP_SCREEN_WIDTH) {
      g_string_append_printf (out, "\n%*s", (int) indent, "");
      column = indent;
      begin = TRUE;
    }
    if (!begin)
      g_string_append_c (out, ' ');
    for (const char *at = *w; *at != '\0'; at++) /* this goes to a terminal */
      g_string_append_c (out, (guchar) *at < 0x20 || *at == 0x7f ? ' ' : *at);
    column += n + !begin;
    begin = FALSE;
  }
  g_string_append_c (out, '\n');
}

char *
rp_ahead_words (const char *ahead)
{
  gboolean queue = g_str_has_prefix (ahead, "queues: ");
  const char *by = strchr (ahead, ' ') != NULL ? strchr (ahead, ' ') + 1 : "";

  if (*by == '\0')
    return g_strdup ("first");
  if (strcmp (by, "created") == 0)
    return g_strdup (queue ? "first as its queue is older" : "first as it is older");
  if (strcmp (by, "name") == 0)
    return g_strdup (queue ? "first by its queue's name" : "first by its name");
  return g_strdup_printf (queue ? "first as %s puts its queue first" : "first by %s", by);
}

char *
rp_blame_words (const char *cause, const char *by, const char *reason)
{
  static const struct { const char *cause, *words; } plain[] = {
    { "cycle", "the next cycle has not run yet" },
    { "order", "the cycle did not get to its pods" },
    { "topology", "no part of the network that it accepts has room" },
    { "start", "its pods are bound and start" },
    { "terminating", "its old pods still have to go" },
    { "pods", "a task waits for another task" },
    { "controller", "its PodGroup is missing" },
    { "evicted", "its pods were evicted" },
    { "restart", "it starts again" },
    { "suspended", "a user suspended it" },
  };

  if (strcmp (cause, "enqueue") == 0)
    return *by != '\0' ? g_strdup_printf ("not admitted: %s votes against it", by) : g_strdup ("not admitted: enqueue has not asked");
  if (strcmp (cause, "overused") == 0)
    return g_strdup_printf ("its queue is over its share (%s)", by);
  if (strcmp (cause, "quota") == 0)
    return g_strdup_printf ("its queue may not take the pod (%s)", by);
  if (strcmp (cause, "lost") == 0) {
    g_autofree char *first = rp_ahead_words (by);

    return g_strdup_printf ("lost to a job %s: %s", first, reason);
  }
  if (strcmp (cause, "nodes") == 0)
    return g_strdup_printf ("no node takes a pod%s%s", *reason != '\0' ? ": " : "", reason);
  if (strcmp (cause, "gang") == 0)
    return g_strdup_printf ("only a part of the gang fits%s%s", *reason != '\0' ? ": " : "", reason);
  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    if (strcmp (cause, plain[i].cause) == 0)
      return g_strdup (plain[i].words);
  return g_strdup (cause);
}
