/* core/session/job-lines.h - the jobs that an action works through, a line for each queue, best first.
 *
 * Upstream keeps them in heaps whose comparisons ask one plugin after the other. Where every plugin that orders jobs can say its
 * part as a number (VcJobKeyFn), the order is total, and nobody's place changes while he waits: then what a heap gives out is the best of
 * what is in it, whatever its layout, and the jobs are sorted by their numbers instead. The sorted list is kept from session to session, and
 * only jobs whose numbers changed move in it. Otherwise, with --plain and for few jobs the lines are Go's heaps.
 *
 * One set of lines at a time; it ends with the action. */
#pragma once
#include "session.h"
G_BEGIN_DECLS

typedef struct VcJobLines VcJobLines;

VcJobLines *vc_job_lines_new (void);
void vc_job_lines_free (VcJobLines *l); /* NULL is fine */

/** Empty lines for one action of @ssn; (transfer none). */
VcJobLines *vc_job_lines_begin (VcSession *ssn);
/** Put @job into the line of @queue; TRUE when it is the first there. Only before vc_job_lines_close(). */
gboolean vc_job_lines_add (VcJobLines *l, guint32 queue, guint32 job);
/** All are there. From now on only a job that was popped may change what jobs are ordered by. */
void vc_job_lines_close (VcJobLines *l);
gboolean vc_job_lines_is_empty (const VcJobLines *l, guint32 queue);
/** Take the best job of a line that is not empty. */
guint32 vc_job_lines_pop (VcJobLines *l, guint32 queue);
/** The job that would be popped next; VC_NONE: the line is empty. */
guint32 vc_job_lines_next (const VcJobLines *l, guint32 queue);
/** Put a popped job back. */
void vc_job_lines_push (VcJobLines *l, guint32 queue, guint32 job);

G_END_DECLS
