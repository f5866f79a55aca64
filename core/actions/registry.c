#include "actions.h"
#include "core/beyond/beyond.h"
#include <string.h>

const VcActionClass *const vc_action_classes[] = { &vc_action_allocate,    &vc_action_backfill, &vc_action_enqueue, &vc_action_gangpreempt,
                                                    &vc_action_gangreclaim, &vc_action_preempt,  &vc_action_reclaim, &vc_action_shuffle,
                                                    &vc_action_x_easy,     &vc_action_x_fcfs,    &vc_action_x_follow_record, &vc_action_x_restart, NULL };

const VcActionClass *
vc_action_find (const char *name)
{
  for (const VcActionClass *const *a = vc_action_classes; *a != NULL; a++)
    if (strcmp ((*a)->name, name) == 0)
      return *a;
  return NULL;
}
