/* workloads/import/dag.h - which tasks of a job wait for which, told by their names as Alibaba writes them: M1 is task 1, R2_1 waits for 1, J4_2_3_Stg5 for 2 and 3. Other
 * names (task_…, MergeTask) wait for nobody; private to formats. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef struct WlDag WlDag;
WlDag *wl_dag_new (void);
void wl_dag_free (WlDag *d);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlDag, wl_dag_free)
/** The next job begins. */
void wl_dag_clear (WlDag *d);
/** Task 0, 1, … of the job. */
void wl_dag_add (WlDag *d, const char *name);
/** FALSE: tasks wait for each other. *missing counts what they wait for and the job does not have; *edges the rest. */
gboolean wl_dag_solve (WlDag *d, guint *missing, guint *edges);
/** The i-th task in an order in which each comes behind those that it waits for; of several the first. */
guint wl_dag_at (const WlDag *d, guint i);
/** The tasks that @task waits for; NULL: none. */
const guint32 *wl_dag_needs (const WlDag *d, guint task, guint *n);

G_END_DECLS
