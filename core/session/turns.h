/* core/session/turns.h - whose turn came when in allocate, and who took what another job lacked afterwards.
 *
 * A session keeps its turns only while somebody listens to them or to its close (VcObserver.turn, VcObserver.closing). The close is when
 * vc_session_lost_to() may be asked: what was bound is on its nodes then, and plugins still answer. Nothing here changes a decision. */
#pragma once
#include "session-private.h"
G_BEGIN_DECLS

/** The job has its turn; @next is the job of its queue that comes after it (VC_NONE: none), @queues holds those that still wait for theirs, the next one on top. */
void vc_turns_job (VcSession *ssn, guint32 job, guint32 next, const VcHeap *queues);
/** The queue had its turn, and no job of it was tried. */
void vc_turns_queue (VcSession *ssn, guint32 queue, const VcHeap *queues);
/** The action is over. */
void vc_turns_end (VcSession *ssn);
/** The job has its turn in enqueue. */
void vc_turns_enqueue (VcSession *ssn, guint32 job, guint32 next, const VcHeap *queues);
/** enqueue has admitted the job. */
void vc_turns_admit (VcSession *ssn, guint32 job);
/** And it is over. */
void vc_turns_admitted (VcSession *ssn);
void vc_turns_free (VcTurns *t); /* NULL is fine */

G_END_DECLS
