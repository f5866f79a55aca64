/* workloads/import/kubernetes/stages.h - Stages of KWOK: rules by which fake pods end; private to formats. */
#pragma once
#include "workloads/k8s/k8s-visit.h"
G_BEGIN_DECLS

typedef struct {
  const char *name;
  VcSelector selector;
  gint64 least, most; /* µs: of the delay */
  gint64 weight;
  gboolean fails;     /* phase Failed, else Succeeded */
} WlStage;

/** Read a Stage. *@why: why it is no rule for the end of pods (a literal), else NULL, and @out is filled in with texts in the reader's arena. */
gboolean wl_stage_read (K8sReader *r, const K8sTop *top, const K8sMeta *meta, WlStage *out, const char **why);
/** Is it for running pods of such labels and such a controller (nullable: none)? */
gboolean wl_stage_matches (const WlStage *s, const VcPairs *labels, const char *owner_kind);

G_END_DECLS
