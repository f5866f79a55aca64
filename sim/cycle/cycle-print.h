/* sim/cycle/cycle-print.h - the answer of a dry run: what was decided, as table, JSON or YAML. */
#pragma once
#include "cycle.h"
G_BEGIN_DECLS

typedef struct SimAnswer SimAnswer;
SimAnswer *sim_answer_new (void);
void sim_answer_free (SimAnswer *a);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimAnswer, sim_answer_free)
/** Take the state of a session at its close; of several cycles the last stays, binds and evictions add up. */
void sim_answer_capture (SimAnswer *a, VcSession *ssn);
void sim_answer_bind (SimAnswer *a, const char *pod, const char *node);
void sim_answer_evict (SimAnswer *a, const char *pod);
/** @explanation (nullable) stands under "explain" in JSON and YAML (then it is JSON), behind the tables otherwise; @diagnoses (nullable) likewise under
 * "diagnoses". (transfer full) */
char *sim_answer_print (const SimAnswer *a, SimFormat format, const char *explanation, const char *diagnoses);

G_END_DECLS
