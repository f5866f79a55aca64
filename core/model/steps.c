#include "steps.h"
#include <stdarg.h>

void
vc_step_tell (VcCluster *c, const char *function, guint32 job, guint32 task, const char *format, ...)
{
  const VcListener *l = &c->listener;
  va_list args;

  if (!l->wants (l->user, job))
    return;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  l->step (l->user, function, job, task, text);
}
