/* workloads/text/time-zone.h - time zones of the machine's tz database, by the names that Go's time.LoadLocation accepts. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef struct WlTimeZone WlTimeZone;

/** The zone of that name. "", "UTC" and "Local" are UTC: a controller in its container has no other local time. NULL with @error when the
 * database has no such zone (texts as Go's). (transfer full) */
WlTimeZone *wl_time_zone_load (const char *name, GError **error);
void wl_time_zone_free (WlTimeZone *z); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlTimeZone, wl_time_zone_free)

/** Seconds east of Greenwich at the second @unix_time. The zone remembers the last stretch of time, nothing that could be seen. */
int wl_time_zone_offset (WlTimeZone *z, gint64 unix_time);

/* What a clock on the wall and a calendar show. */
typedef struct {
  gint64 year;
  int month, day;             /* from 1 */
  int hour, minute, second;
  int weekday;                /* 0: Sunday */
} WlCivil;
WlCivil wl_civil_at (WlTimeZone *z, gint64 unix_time);
/** The second at which the wall shows it, as Go's time.Date: months, days and hours beyond their range carry over; what a change of the
 * clock leaves out or makes twice is one of the two. */
gint64 wl_civil_to_unix (WlTimeZone *z, gint64 year, gint64 month, gint64 day, gint64 hour, gint64 minute, gint64 second);

G_END_DECLS
