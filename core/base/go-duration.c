#include "go-duration.h"
#include <string.h>

#define LIMIT (G_GUINT64_CONSTANT (1) << 63) /* the magnitude of the least int64 */

/* Digits as a whole number. FALSE when it exceeds the range. */
static gboolean
read_whole (const char **p, guint64 *out)
{
  for (*out = 0; g_ascii_isdigit (**p); (*p)++) {
    if (*out > LIMIT / 10)
      return FALSE;
    *out = *out * 10 + (guint64) (**p - '0');
    if (*out > LIMIT)
      return FALSE;
  }
  return TRUE;
}

/* Digits behind the point as *out / *scale; those that do not fit are passed over. */
static void
read_fraction (const char **p, guint64 *out, double *scale)
{
  gboolean full = FALSE;

  for (; g_ascii_isdigit (**p); (*p)++) {
    guint64 next = *out * 10 + (guint64) (**p - '0');

    if (full || *out > (LIMIT - 1) / 10 || next > LIMIT) {
      full = TRUE;
      continue;
    }
    *out = next;
    *scale *= 10;
  }
}

static guint64
read_unit (const char **p)
{
  static const struct {
    const char *name;
    guint64 ns;
  } units[] = { { "ns", 1 },
                { "us", 1000 },
                { "\xc2\xb5s", 1000 }, /* micro sign */
                { "\xce\xbcs", 1000 }, /* Greek letter mu */
                { "ms", 1000000 },
                { "s", 1000000000 },
                { "m", G_GUINT64_CONSTANT (60000000000) },
                { "h", G_GUINT64_CONSTANT (3600000000000) } };
  gsize len = strcspn (*p, ".0123456789");

  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (strlen (units[i].name) == len && strncmp (*p, units[i].name, len) == 0) {
      *p += len;
      return units[i].ns;
    }
  return 0;
}

gboolean
vc_go_duration_parse (const char *text, gint64 *out)
{
  const char *p = text;
  gboolean negative = *p == '-';
  guint64 sum = 0;

  if (*p == '-' || *p == '+')
    p++;
  if (strcmp (p, "0") == 0) {
    *out = 0;
    return TRUE;
  }
  if (*p == '\0')
    return FALSE;
  while (*p != '\0') {
    const char *start = p;
    guint64 v, fraction = 0, unit;
    double scale = 1;

    if (!read_whole (&p, &v))
      return FALSE;
    gboolean digits = p != start;
    if (*p == '.') {
      const char *point = ++p;
      read_fraction (&p, &fraction, &scale);
      digits |= p != point;
    }
    if (!digits)
      return FALSE;
    unit = read_unit (&p);
    if (unit == 0 || v > LIMIT / unit)
      return FALSE;
    v *= unit;
    if (fraction > 0)
      v += (guint64) ((double) fraction * ((double) unit / scale));
    if (v > LIMIT || sum + v > LIMIT)
      return FALSE;
    sum += v;
  }
  if (!negative && sum == LIMIT)
    return FALSE;
  *out = negative ? (gint64) (0 - sum) : (gint64) sum;
  return TRUE;
}
