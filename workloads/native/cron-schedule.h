/* workloads/native/cron-schedule.h - cron schedules as github.com/robfig/cron (v3.0.1, ParseStandard) reads and follows them, which is what the
 * CronJob controller uses: five fields, `@daily` and the like, `@every DURATION`, a zone by `TZ=NAME` or `CRON_TZ=NAME` in front.
 *
 * Times are microseconds since 1970. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef struct WlCronSchedule WlCronSchedule;

/* Go's zero time: what a schedule says that does not fire within five years. */
#define WL_CRON_ZERO (G_GINT64_CONSTANT (-62135596800) * G_USEC_PER_SEC)

/** NULL with @error when the text is no schedule. (transfer full) */
WlCronSchedule *wl_cron_schedule_parse (const char *text, GError **error);
void wl_cron_schedule_free (WlCronSchedule *s); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlCronSchedule, wl_cron_schedule_free)
/** The first firing after @time, on a whole second; WL_CRON_ZERO when there is none within five years. */
gint64 wl_cron_schedule_next (const WlCronSchedule *s, gint64 time);

G_END_DECLS
