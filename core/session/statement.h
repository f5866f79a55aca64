/* core/session/statement.h - a transaction: evictions, pipelines and allocations that are undone or committed together.
 *
 * Every operation acts on the session at once; Discard undoes in reverse order. Mirrors pkg/scheduler/framework/statement.go. */
#pragma once
#include "session.h"
G_BEGIN_DECLS

typedef struct VcStatement VcStatement;
VcStatement *vc_statement_new (VcSession *ssn); /* may be reused after commit or discard */
void vc_statement_free (VcStatement *st);       /* must be empty: committed or discarded */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcStatement, vc_statement_free)

void vc_statement_evict (VcStatement *st, guint32 task, const char *reason); /* @reason static or interned */
/** Reserve what is being released on @node. FALSE: a handler failed; everything is undone and nothing recorded. Whether the task fits is the caller's affair. */
gboolean vc_statement_pipeline (VcStatement *st, guint32 task, guint32 node, gboolean evicted);
gboolean vc_statement_allocate (VcStatement *st, guint32 task, guint32 node);
void vc_statement_discard (VcStatement *st);
/** The same for a trial: it is not counted as a statement that was given up. */
void vc_statement_undo (VcStatement *st);
/** A job's placements were given up: the statement's, or the most that a trial had. */
void vc_session_note_discard (VcSession *ssn, guint32 job, guint operations);
/** Hand over: evictions and binds reach the cache; a refused bind is undone alone (the rest of the gang proceeds). */
void vc_statement_commit (VcStatement *st);
void vc_statement_merge (VcStatement *st, VcStatement *other); /* @other is empty afterwards */
guint vc_statement_length (const VcStatement *st);
gboolean vc_statement_has_evictions (const VcStatement *st);

/* A detached plan: what was done, to be replayed after a discard. */
typedef struct VcPlan VcPlan;
VcPlan *vc_statement_save (VcStatement *const *statements, guint n);
/** Replay into @st; FALSE at the first operation that fails (what was replayed before it stays). */
gboolean vc_statement_recover (VcStatement *st, const VcPlan *plan);
guint vc_plan_length (const VcPlan *p);
void vc_plan_free (VcPlan *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcPlan, vc_plan_free)

/** Session.Allocate (backfill): at once, handler errors ignored; when the job is ready every Allocated task of it goes to the binder. */
void vc_session_allocate (VcSession *ssn, guint32 task, guint32 node);
/** Every Allocated task of @job goes to the binder, whoever has placed it. */
void vc_session_bind_allocated (VcSession *ssn, guint32 job);
/** Session.Evict (shuffle): the cache first, then the session. FALSE: the cache refused. */
gboolean vc_session_evict (VcSession *ssn, guint32 task, const char *reason);
/** Undo a task that is Pipelined (backfill takes back best-effort reservations). */
void vc_session_unpipeline (VcSession *ssn, guint32 task);

G_END_DECLS
