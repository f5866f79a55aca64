/* workloads/import/cells.c - what a cell of a published table may hold. */
#include "import.h"
#include "workloads/text/parse.h"
#include <string.h>

__extension__ typedef __int128 Wide;

gboolean
wl_import_parse_missing (const char *text)
{
  static const char *const spellings[] = { "nan", "NaN", "None", "NULL", "null", "NA", "Unknown", "" };

  for (guint i = 0; i < G_N_ELEMENTS (spellings); i++)
    if (strcmp (text, spellings[i]) == 0)
      return TRUE;
  return FALSE;
}

gboolean
wl_import_missing (const WlCsv *csv, int cell)
{
  return wl_import_parse_missing (wl_csv_cell (csv, cell));
}

/* Digits, a point and an exponent as an exact integer times 10^-*places. FALSE: not a number, or too many digits for that. */
static gboolean
read_digits (const char *text, gboolean *negative, Wide *digits, int *places)
{
  const char *p = text;
  int n = 0, point = -1;
  gint64 exponent = 0;
  Wide v = 0;

  *negative = *p == '-';
  p += *p == '-' || *p == '+';
  for (; g_ascii_isdigit (*p) || (*p == '.' && point < 0); p++) {
    if (*p == '.') {
      point = 0;
      continue;
    }
    n++;
    if (n <= 30) { /* what comes behind is noise */
      v = v * 10 + (*p - '0');
      point += point >= 0;
    } else if (point < 0) {
      return FALSE;
    }
  }
  if (n == 0)
    return FALSE;
  if (*p == 'e' || *p == 'E') {
    char *end;

    exponent = g_ascii_strtoll (p + 1, &end, 10);
    if (end == p + 1 || exponent < -60 || exponent > 30)
      return FALSE;
    p = end;
  }
  if (*p != '\0')
    return FALSE;
  point = MAX (point, 0) - (int) exponent;
  for (; point < 0 && v < ((Wide) 1 << 120) / 10; point++)
    v *= 10;
  *digits = v;
  *places = point;
  return point >= 0;
}

gboolean
wl_import_parse_scaled (const char *text, gint64 scale, gint64 min, gint64 max, gint64 *out, GError **error)
{
  gboolean negative;
  Wide v, ten = 1;
  int places;
  g_autofree char *expected = NULL;

  if (!read_digits (text, &negative, &v, &places))
    return wl_refuse (error, "not a number", "a decimal number", text);
  for (; places > 37; places--)
    v /= 10;
  for (int i = 0; i < places; i++)
    ten *= 10;
  if (v < ((Wide) 1 << 126) / scale) {
    Wide whole = v / ten, rest = v % ten; /* apart, so that nothing overflows */
    Wide scaled = whole * scale + (ten < ((Wide) 1 << 126) / scale ? (rest * scale * 2 + ten) / (2 * ten) : rest / (ten / scale));

    if (negative)
      scaled = -scaled;
    if (scaled >= min && scaled <= max) {
      *out = (gint64) scaled;
      return TRUE;
    }
  }
  if (scale == 1)
    expected = g_strdup_printf ("%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, min, max);
  else
    expected = g_strdup_printf ("%.15g to %.15g", (double) min / (double) scale, (double) max / (double) scale);
  return wl_refuse (error, "number out of range", expected, text);
}

gboolean
wl_import_scaled (const WlCsv *csv, int cell, gint64 scale, gint64 min, gint64 max, gint64 *out, GError **error)
{
  return wl_import_parse_scaled (wl_csv_cell (csv, cell), scale, min, max, out, error) || wl_csv_locate (csv, cell, error);
}

gboolean
wl_import_parse_int (const char *text, gint64 min, gint64 max, gint64 *out, GError **error)
{
  gint64 v, thousandth;
  g_autofree char *expected = NULL;

  if (!wl_import_parse_scaled (text, 1, min, max, &v, error))
    return FALSE;
  if (strpbrk (text, ".eE") != NULL
      && (!wl_import_parse_scaled (text, 1000000, G_MININT64, G_MAXINT64, &thousandth, NULL) || thousandth % 1000000 != 0)) {
    expected = g_strdup_printf ("%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, min, max);
    return wl_refuse (error, "not a whole number", expected, text);
  }
  *out = v;
  return TRUE;
}

gboolean
wl_import_int (const WlCsv *csv, int cell, gint64 min, gint64 max, gint64 *out, GError **error)
{
  const char *text = wl_csv_cell (csv, cell);

  return (wl_csv_digits (csv, cell, out) && *out >= min && *out <= max) || wl_import_parse_int (text, min, max, out, error) || wl_csv_locate (csv, cell, error);
}

gboolean
wl_import_time (const WlCsv *csv, int cell, WlTime *out, GError **error)
{
  const char *text = wl_csv_cell (csv, cell);
  gint64 v = 0;

  if (wl_csv_digits (csv, cell, &v) && v <= WL_TIME_MAX / 1000000) {
    *out = v * 1000000;
    return TRUE;
  }
  return wl_import_parse_scaled (text, 1000000, -WL_TIME_MAX, WL_TIME_MAX, out, error) || wl_csv_locate (csv, cell, error);
}

/* Two digits at @p, or -1. */
static int
two (const char *p)
{
  return g_ascii_isdigit (p[0]) && g_ascii_isdigit (p[1]) ? (p[0] - '0') * 10 + (p[1] - '0') : -1;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar. */
static gint64
days_to (int year, int month, int day)
{
  gint64 y = year - (month <= 2), era = y / 400, of_era = y - era * 400;
  gint64 of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "", Z, +08:00 or +0800: seconds to subtract. */
static gboolean
read_zone (const char *p, gint64 *seconds)
{
  int h, m;

  *seconds = 0;
  if (*p == '\0' || strcmp (p, "Z") == 0)
    return TRUE;
  if (*p != '+' && *p != '-')
    return FALSE;
  h = two (p + 1);
  m = h < 0 ? -1 : p[3] == ':' ? two (p + 4) : two (p + 3);
  if (h < 0 || m < 0 || h > 18 || m > 59 || p[p[3] == ':' ? 6 : 5] != '\0')
    return FALSE;
  *seconds = (*p == '-' ? -1 : 1) * (h * 3600 + m * 60);
  return TRUE;
}

gboolean
wl_import_parse_clock (const char *text, WlTime *out, GError **error)
{
  static const char shape[] = "a time such as 2017-10-03 21:04:05";
  static const int longest[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
  int century = two (text), year = century < 0 ? -1 : two (text + 2), v[5];
  const char *at = text + 4;
  gint64 micro = 0, zone;

  if (century < 0 || year < 0)
    return wl_refuse (error, "not a time", shape, text);
  for (guint i = 0; i < 5; i++) { /* month, day, hour, minute, second, each behind its mark */
    gboolean mark = i < 2 ? *at == '-' : i == 2 ? *at == ' ' || *at == 'T' : *at == ':';

    v[i] = mark ? two (at + 1) : -1;
    if (v[i] < 0)
      return wl_refuse (error, "not a time", shape, text);
    at += 3;
  }
  if (*at == '.')
    for (gint64 unit = 100000; g_ascii_isdigit (*++at); unit /= 10)
      micro += (*at - '0') * unit;
  year += century * 100;
  if (v[0] < 1 || v[0] > 12 || v[1] < 1 || v[1] > longest[v[0] - 1] || v[2] > 23 || v[3] > 59 || v[4] > 60 || !read_zone (at, &zone)
      || (v[0] == 2 && v[1] == 29 && (year % 4 != 0 || (year % 100 == 0 && year % 400 != 0))))
    return wl_refuse (error, "not a time", shape, text);
  *out = ((days_to (year, v[0], v[1]) * 86400) + v[2] * 3600 + v[3] * 60 + v[4] - zone) * 1000000 + micro;
  return TRUE;
}
