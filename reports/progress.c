/* reports/progress.c - one line on a terminal that tells how far a run is. The wall clock read here
 * goes nowhere else. */
#include "reports/results/results.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL (G_USEC_PER_SEC / 10)
#define CLEAR_LINE "\r\033[K"

struct RpProgress {
  guint32 total;
  gint64 started, last; /* monotonic µs */
  gboolean shown;
};

RpProgress *
rp_progress_new (guint32 total_jobs)
{
  const char *term = g_getenv ("TERM");
  RpProgress *p;

  if (!isatty (STDERR_FILENO) || term == NULL || strcmp (term, "dumb") == 0)
    return NULL;
  p = g_new0 (RpProgress, 1);
  p->total = total_jobs;
  p->started = g_get_monotonic_time ();
  return p; /* last = 0: the first update shows */
}

static void
append_span (GString *out, gint64 seconds)
{
  if (seconds >= 86400)
    g_string_append_printf (out, "%" G_GINT64_FORMAT "d ", seconds / 86400);
  g_string_append_printf (out, "%02d:%02d:%02d", (int) (seconds / 3600 % 24),
                          (int) (seconds / 60 % 60), (int) (seconds % 60));
}

void
rp_progress_update (RpProgress *p, gint64 time, guint32 jobs_done)
{
  g_autoptr (GString) line = NULL;
  gint64 now;

  if (p == NULL)
    return;
  now = g_get_monotonic_time ();
  if (now - p->last < INTERVAL)
    return;
  p->last = now;
  line = g_string_new (CLEAR_LINE "time ");
  append_span (line, time / G_USEC_PER_SEC);
  g_string_append_printf (line, ", %u of %u jobs done", jobs_done, p->total);
  if (p->total > 0)
    g_string_append_printf (line, " (%u %%)", (guint) ((guint64) jobs_done * 100 / p->total));
  if (jobs_done > 0 && jobs_done < p->total) {
    const double left = (double) (now - p->started) / jobs_done * (p->total - jobs_done);

    g_string_append (line, ", about ");
    append_span (line, (gint64) (left / G_USEC_PER_SEC));
    g_string_append (line, " left");
  }
  (void) fwrite (line->str, 1, line->len, stderr);
  (void) fflush (stderr);
  p->shown = TRUE;
}

void
rp_progress_free (RpProgress *p)
{
  if (p == NULL)
    return;
  if (p->shown) {
    (void) fputs (CLEAR_LINE, stderr);
    (void) fflush (stderr);
  }
  g_free (p);
}
