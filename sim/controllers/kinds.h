/* sim/controllers/kinds.h - kinds of workloads other than vcjobs, and what their controllers do as far as scheduling sees it.
 *
 * Each is a row of the table of jobs with one role (a PodGroup: one for each of its pods). Whatever happens to its pods asks for one call of
 * its sync; these calls wait in one line with the requests to the job controller. Phases are those of jobs, for all kinds: Pending until as
 * many pods run as the PodGroup wants, then Running; pods by themselves, PodGroups and batch Jobs end Completed or Failed. */
#pragma once
#include "sim/world/world.h"
G_BEGIN_DECLS

typedef struct {
  const char *name;     /* in jobs.csv, and in phases.csv for all but vcjobs */
  const char *object;   /* the Kubernetes kind, in events.csv */
  /* Bring the pods in line with what is asked for. FALSE: something failed and is to be tried again. */
  gboolean (*sync) (SimWorld *w, guint32 job);
  void (*pod_removed) (SimWorld *w, guint32 pod); /* the pod object is about to go; NULL: that is no news */
} SimKind;
extern const SimKind sim_kinds[WL_N_KINDS];

static inline const SimKind *
sim_kind_of (const SimJob *j)
{
  return &sim_kinds[j->kind];
}

/* A batch Job's own account (job_controller.go, backoff_utils.go). */
typedef struct {
  gint64 succeeded, failed;  /* pods that were counted */
  gint64 streak;             /* failures since the last success */
  SimTime last_failure;
  SimTime started;           /* second of the first sync, cut */
  gint64 gone_succeeded;     /* that disappeared before they were counted */
  SimTime gone_success;      /* the latest of these */
  GArray *gone_failures;     /* SimTime of those that had failed; NULL: none */
  guint8 *done;              /* [completions] by index, of an indexed one */
  gint64 n_done;
  guint8 verdict;            /* SimJobPhase it will end in once all pods are gone; SIM_JOB_NEW: none yet */
} SimBatch;

/* What a workload keeps besides what all jobs have. */
struct SimKube {
  const WlWorkload *work;
  guint64 uid;          /* of its object */
  const char *group;    /* name of its PodGroup, the last one; NULL: there was none */
  guint32 made;         /* pods so far */
  guint32 failures;     /* of sync, in a row */
  struct SimDeployment *deployment; /* of a Deployment that is updated (rollouts.h); NULL: it has one ReplicaSet alone */
  guint32 revision;     /* of a Deployment: which of its ReplicaSets, from 1 (0: the only one); of a StatefulSet: the template that is asked for, of its roles */
  guint32 current;      /* StatefulSet: the template that all its pods had last */
  SimTime wake;         /* the earliest time at which its controller looks again by itself, SIM_NEVER */
  gint64 succeeded;     /* PodGroup: pods that had succeeded when they went */
  SimBatch batch;
};

/* ---- from outside ---- */
/** The object appears. */
void sim_kind_submit (SimWorld *w, guint32 job);
/** Its controller is to look at it. */
void sim_kind_sync (SimWorld *w, guint32 job);
/** Its time to look again has come. FALSE: an earlier look has settled it. */
gboolean sim_kind_wake (SimWorld *w, const SimEvent *ev);
/** A user deletes a pod by itself, or a PodGroup: its pods are objects of their own. */
void sim_kind_delete (SimWorld *w, guint32 job);
/** The pod of a PodGroup appears, or is deleted. */
void sim_member_submit (SimWorld *w, guint32 role);
void sim_member_delete (SimWorld *w, guint32 role);
/** The replicas were edited, @before was there. */
void sim_kind_scaled (SimWorld *w, guint32 job, guint32 before);

/* ---- for the controllers ---- */
/** Make a pod at @index of the workload's role. FALSE: a quota refuses it. */
gboolean sim_kind_make_pod (SimWorld *w, guint32 role, guint32 index);
/** The lowest free place of a role, which grows when it has none. */
guint32 sim_kind_free_place (SimWorld *w, guint32 role);
/** Look again @delay from now, if no earlier look is planned. */
void sim_kind_look_again (SimWorld *w, guint32 job, SimTime delay);
/** A new phase; Completed and Failed end the job. No effect when it is the old one. */
void sim_kind_enter (SimWorld *w, guint32 job, SimJobPhase phase);
/** Is the pod Running, its container up and its node to be heard? */
gboolean sim_pod_is_ready (const SimWorld *w, const SimPod *p);
/** Has it been so for minReadySeconds of its workload? If it will have been, the workload's controller looks again then. */
gboolean sim_pod_is_available (SimWorld *w, guint32 job, const SimPod *p);
/** Since when, in seconds of the run, cut. */
gint64 sim_pod_ready_since (const SimWorld *w, const SimPod *p);

static inline gboolean
sim_pod_is_active (const SimPod *p) /* controller.IsPodActive */
{
  return !p->deleting && (p->phase == SIM_POD_PENDING || p->phase == SIM_POD_RUNNING);
}

/* kinds-*.c */
gboolean sim_bare_pod_sync (SimWorld *w, guint32 job);
gboolean sim_group_sync (SimWorld *w, guint32 job);
void sim_group_pod_removed (SimWorld *w, guint32 pod);
gboolean sim_replica_set_sync (SimWorld *w, guint32 job);
gboolean sim_stateful_set_sync (SimWorld *w, guint32 job);
gboolean sim_batch_job_sync (SimWorld *w, guint32 job);
void sim_batch_pod_removed (SimWorld *w, guint32 pod);

G_END_DECLS
