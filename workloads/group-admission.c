/* workloads/group-admission.c - mirrors pkg/webhooks/admission/podgroups, pods and hypernodes. */
#include "admission.h"
#include <string.h>

/* ---- PodGroups ------------------------------------------------------------------------------ */

char *
wl_admit_pod_group (const char *refusal, const char *queue_name, const WlQueueView *queue)
{
  g_autofree char *problem = NULL;

  if (queue_name != NULL && *queue_name != '\0') {
    if (queue == NULL) {
      g_autofree char *missing = wl_queue_not_found (queue_name);

      problem = g_strdup_printf ("unable to find queue: %s", missing);
    } else if (strcmp (queue->state, "Open") != 0) {
      problem = g_strdup_printf ("can only submit PodGroup to queue with state `Open`, queue `%s` status is `%s`.", queue->name, queue->state);
    }
  }
  if (problem == NULL || refusal == NULL)
    return problem != NULL ? g_steal_pointer (&problem) : g_strdup (refusal);
  return g_strdup_printf ("%s; %s", problem, refusal);
}
