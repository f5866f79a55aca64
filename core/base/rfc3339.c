#include "rfc3339.h"

static gboolean
digits (const char **p, int n, int min, int max, int *out)
{
  int v = 0;
  for (int i = 0; i < n; i++) {
    if (!g_ascii_isdigit ((*p)[i]))
      return FALSE;
    v = v * 10 + ((*p)[i] - '0');
  }
  *p += n;
  *out = v;
  return v >= min && v <= max;
}

static gboolean
skip (const char **p, char c)
{
  if (**p != c)
    return FALSE;
  (*p)++;
  return TRUE;
}

gboolean
vc_parse_rfc3339 (const char *text, gint64 *out)
{
  static const int month_days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
  static const int before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
  const char *p = text;
  int y, mon, d, h, min, s, oh = 0, om = 0, sign = 0;

  if (!digits (&p, 4, 0, 9999, &y) || !skip (&p, '-') || !digits (&p, 2, 1, 12, &mon)
      || !skip (&p, '-') || !digits (&p, 2, 1, 31, &d) || !skip (&p, 'T')
      || !digits (&p, 2, 0, 23, &h) || !skip (&p, ':') || !digits (&p, 2, 0, 59, &min)
      || !skip (&p, ':') || !digits (&p, 2, 0, 59, &s))
    return FALSE;
  gboolean leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
  if (d > month_days[mon - 1] + (mon == 2 && leap))
    return FALSE;
  if (skip (&p, '.')) {
    if (!g_ascii_isdigit (*p))
      return FALSE;
    while (g_ascii_isdigit (*p))
      p++;
  }
  if (!skip (&p, 'Z')) {
    sign = *p == '+' ? 1 : -1;
    if (!skip (&p, '+') && !skip (&p, '-'))
      return FALSE;
    if (!digits (&p, 2, 0, 23, &oh) || !skip (&p, ':') || !digits (&p, 2, 0, 59, &om))
      return FALSE;
  }
  if (*p != '\0')
    return FALSE;
  int years = y - 1; /* whole years since year 1; year 0 is a leap year of its own */
  gint64 days = y == 0 ? -366 : (gint64) years * 365 + years / 4 - years / 100 + years / 400;
  days += before[mon - 1] + (mon > 2 && leap) + d - 1 - 719162;
  *out = days * 86400 + h * 3600 + min * 60 + s - sign * (oh * 3600 + om * 60);
  return TRUE;
}
