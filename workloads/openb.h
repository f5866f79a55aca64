/* workloads/openb.h - Alibaba GPU cluster 2023 ("openb"): a node list and pod lists as CSV, times in seconds. */
#pragma once
#include "native.h"
G_BEGIN_DECLS

typedef struct {
  guint32 nodes, jobs;
  guint32 pending;      /* rows left out: never scheduled in the record, so their running time is unknown */
  guint32 several_models; /* rows left out: they allow several GPU models, which the native columns cannot say */
  guint32 shared;       /* jobs that ask for a part of a GPU: they get a whole one */
} WlOpenbReport;

/** Write nodes.csv, jobs.csv and queues.csv into @out_dir (made when missing): @paths is the node list, then the pod lists.
 *
 * A pod becomes a job of one task `pod`: submitted at its creation, running for deletion - scheduling. A part of a GPU counts as a
 * whole one (Volcano without a device plugin); the GPU model is the label gpu-model of a node, and the node selector of a pod that names one. */
gboolean wl_openb_convert (const char *const *paths, guint n, const char *out_dir, WlOpenbReport *report, GError **error);

G_END_DECLS
