/* workloads/text/time-zone.c - GLib reads the database; days are counted here, far beyond GDateTime's years. */
#include "time-zone.h"
#include "workloads/native/native.h"
#include <stdio.h>
#include <string.h>

#define DAY 86400
#define STRETCH (30 * DAY) /* looked at in one go */

struct WlTimeZone {
  GTimeZone *tz;     /* NULL: UTC */
  gint64 from, to;   /* the stretch [from, to] in which the offset is known */
  int offset;
};

/* ---- zones ---------------------------------------------------------------------------------- */

/* Is it a compiled zone? There are tables in text among them. */
static gboolean
is_zone_file (const char *path)
{
  char magic[4];
  FILE *f = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? fopen (path, "rb") : NULL;
  gboolean good = f != NULL && fread (magic, 1, sizeof magic, f) == sizeof magic && memcmp (magic, "TZif", sizeof magic) == 0;

  if (f != NULL)
    fclose (f);
  return good;
}

WlTimeZone *
wl_time_zone_load (const char *name, GError **error)
{
  static const char *const places[] = { "/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ", "/etc/zoneinfo" };

  if (*name == '\0' || strcmp (name, "UTC") == 0 || strcmp (name, "Local") == 0)
    return g_new0 (WlTimeZone, 1);
  if (strstr (name, "..") != NULL || *name == '/' || *name == '\\') {
    g_set_error_literal (error, WL_ERROR, WL_ERROR_SYNTAX, "time: invalid location name");
    return NULL;
  }
  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    g_autofree char *path = g_build_filename (places[i], name, NULL);
    GTimeZone *tz = is_zone_file (path) ? g_time_zone_new_identifier (path) : NULL; /* by its path: not as a rule such as EST5EDT */

    if (tz == NULL)
      continue;
    WlTimeZone *z = g_new0 (WlTimeZone, 1);

    z->tz = tz;
    z->from = G_MAXINT64;
    z->to = G_MININT64;
    return z;
  }
  g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "unknown time zone %s", name);
  return NULL;
}

void
wl_time_zone_free (WlTimeZone *z)
{
  if (z == NULL)
    return;
  g_clear_pointer (&z->tz, g_time_zone_unref);
  g_free (z);
}

int
wl_time_zone_offset (WlTimeZone *z, gint64 unix_time)
{
  if (z->tz == NULL || (unix_time >= z->from && unix_time <= z->to))
    return z->offset;
  int at = g_time_zone_find_interval (z->tz, G_TIME_TYPE_UNIVERSAL, unix_time);

  z->offset = (int) g_time_zone_get_offset (z->tz, at);
  z->from = z->to = unix_time;
  if (g_time_zone_find_interval (z->tz, G_TIME_TYPE_UNIVERSAL, unix_time + STRETCH) == at)
    z->to = unix_time + STRETCH;
  return z->offset;
}

/* ---- days ----------------------------------------------------------------------------------- */

static inline gint64
floor_div (gint64 a, gint64 b)
{
  return a / b - (a % b < 0);
}

/* Days since 1970 of a date of the Gregorian calendar. Years are counted from March, so that a leap day is the last one. */
static gint64
days_of (gint64 year, int month, gint64 day)
{
  gint64 y = month <= 2 ? year - 1 : year, era = floor_div (y, 400), of_era = y - era * 400;
  int m = month > 2 ? month - 3 : month + 9;

  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * m + 2) / 5 + day - 1 - 719468;
}

WlCivil
wl_civil_at (WlTimeZone *z, gint64 unix_time)
{
  gint64 local = unix_time + wl_time_zone_offset (z, unix_time), day = floor_div (local, DAY), shifted = day + 719468;
  int of_day = (int) (local - day * DAY), weekday = (int) ((day + 4) % 7);
  gint64 era = floor_div (shifted, 146097), of_era = shifted - era * 146097;
  gint64 y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int of_year = (int) (of_era - (365 * y + y / 4 - y / 100)), m = (5 * of_year + 2) / 153, month = m < 10 ? m + 3 : m - 9;

  return (WlCivil){ .year = y + era * 400 + (month <= 2),
                    .month = month,
                    .day = of_year - (153 * m + 2) / 5 + 1,
                    .hour = of_day / 3600,
                    .minute = of_day / 60 % 60,
                    .second = of_day % 60,
                    .weekday = weekday < 0 ? weekday + 7 : weekday };
}

gint64
wl_civil_to_unix (WlTimeZone *z, gint64 year, gint64 month, gint64 day, gint64 hour, gint64 minute, gint64 second)
{
  gint64 over = floor_div (month - 1, 12);
  gint64 local = days_of (year + over, (int) (month - over * 12), day) * DAY + hour * 3600 + minute * 60 + second;
  int offset = wl_time_zone_offset (z, local); /* as if the wall showed UTC: a first guess */

  return local - (offset != 0 ? wl_time_zone_offset (z, local - offset) : 0);
}
