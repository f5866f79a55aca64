/* core/session/task-lines.h - the pending tasks of each job that allocate may place, in the order in which it tries them.
 *
 * Upstream puts them into a heap in every session. Where every plugin that orders tasks keeps to a steady order (vc_session_add_steady_task_order()), what
 * that heap gives out is a sorted list, which is kept from session to session and made anew only when something of the job's tasks has changed: all tasks
 * are sorted when some have come or gone, and those that are pending picked when the status of one has changed. */
#pragma once
#include "session.h"
G_BEGIN_DECLS

/** Is the task one that allocate may place? */
static inline gboolean
vc_task_may_be_placed (const VcTask *t)
{
  return t->status == VC_PENDING && !t->best_effort && (!t->gated || t->gate_only_queue);
}

typedef struct VcTaskLines VcTaskLines;
typedef struct { const guint32 *task; guint32 n; } VcTaskLine;

VcTaskLines *vc_task_lines_new (void);
void vc_task_lines_free (VcTaskLines *l); /* NULL is fine */
/** A session opens: what records of the last one (VcFit) still pointed to may go. */
void vc_task_lines_begin (VcTaskLines *l);

/** The tasks of @job in their order; valid until the next session opens, whatever happens to the tasks. NULL: no list can tell the order (some plugin's
 * order may change, --plain, names of pods that mix two orders), and Go's heap is to be used. Mirrors the first loop of allocate.go's pickUpQueuesAndJobs. */
const VcTaskLine *vc_task_line (VcSession *ssn, guint32 job);
/** Of how many roles the tasks of the job's line are, when all of a role ask for the same, so that what is refused to one by its queue is refused to all.
 * 0: they do not, or somebody wants to hear of each of them. Only after vc_task_line() gave a line in the same action. */
guint vc_task_line_roles_alike (VcSession *ssn, guint32 job);

G_END_DECLS
