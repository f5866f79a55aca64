/* core/actions/gang-evict.h - whole gangs as victims and as preemptors: bundles of victims, the plan that places a gang on their room.
 *
 * A gang with a hard network topology is planned in one HyperNode after the other, another one in the whole cluster.
 * Mirrors pkg/scheduler/actions/utils/{util,bundle,simulate}.go. */
#pragma once
#include "evict.h"
#include "worksheet.h"
G_BEGIN_DECLS

typedef struct {
  guint32 job;
  gboolean whole;       /* evicting it breaks the gang; else it is surplus */
  GArray *task;         /* guint32, by (priority, UID) */
  double roi;
} VcBundle;
void vc_bundles_free (GPtrArray *bundles); /* of VcBundle * */

typedef struct {
  const char *name;       /* eviction reason and action */
  gint64 max_domains;
  gboolean allow_whole;
  gboolean reclaim;       /* victims of other queues (Running only), queue order; else of lower jobs of the own queue, job order */
} VcGangRules;

/* A sub-job and the HyperNode in which the plan places it. */
typedef struct { guint32 sub, hyper; } VcGangPromise;
/** Try to make room for @job: evictions and pipelines go into @st, where the sub-jobs are placed into @promised (VcGangPromise). FALSE: no
 * plan, nothing changed. */
gboolean vc_gang_evict (VcSession *ssn, VcStatement *st, guint32 job, const VcGangRules *rules, GArray *promised);
/** Pending, ungated tasks with a request that the job still needs, in task order (CollectPendingTasksForGangEviction). */
void vc_gang_demand (VcSession *ssn, guint32 job, GArray *out);
void vc_gang_read_arguments (VcSession *ssn, VcGangRules *rules);

G_END_DECLS
