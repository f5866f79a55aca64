/* workloads/import/hpc/slurm-job.h - a job of Slurm, whatever file told of it; private to the files slurm*.c. */
#pragma once
#include "slurm.h"
G_BEGIN_DECLS

#define WL_SLURM_TO_LIMIT (-1) /* a run that lasts until its limit */

typedef struct {
  const char *id, *user, *account, *partition, *qos, *state, *hosts, *constraint; /* NULL or "": not said */
  WlTime submit, eligible, start, end; /* WL_TIME_NONE: not said */
  WlTime run;              /* WL_TIME_NONE: end - start */
  WlTime limit;            /* 0: none */
  gint64 nodes, cpus;      /* cpus of all nodes; nodes 0: not said */
  gint64 tasks_per_node;   /* 0: not said */
  gint64 memory;           /* bytes, 0: not said */
  WlSlurmOf of;            /* … of what */
  gint64 gpus;
  gboolean gpus_of_job;    /* else of each node */
  const char *gpu_type;    /* NULL: any */
  gint64 priority;         /* below 0: not said */
  gboolean exclusive;
  gboolean recorded;       /* it has been run: what happened is a record */
} WlSlurmJob;
#define WL_SLURM_JOB { .submit = WL_TIME_NONE, .eligible = WL_TIME_NONE, .start = WL_TIME_NONE, .end = WL_TIME_NONE, .run = WL_TIME_NONE, .cpus = 1, .priority = -1 }

typedef struct WlSlurmMaker WlSlurmMaker;
/** Jobs for the cluster @c. NULL with @error: an option is wrong. (transfer full) */
WlSlurmMaker *wl_slurm_maker_new (WlImport *imp, WlSlurmCluster *c, GError **error);
void wl_slurm_maker_free (WlSlurmMaker *m);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlSlurmMaker, wl_slurm_maker_free)
/** Import the job, or drop it. FALSE with @error "what, expected …, found …": it cannot be. */
gboolean wl_slurm_add_job (WlSlurmMaker *m, const WlSlurmJob *job, GError **error);
/** The nodes: those of the cluster, or of a size that the jobs tell. Last of all. */
void wl_slurm_add_cluster (WlSlurmMaker *m);

G_END_DECLS
