/* core/actions/worksheet.h - what a job with sub-jobs still has to place: its sub-jobs as a heap, and the pending tasks of each.
 *
 * Sub-jobs that their policy's minimum needs come first, the rest by sub-job order; whether one is needed is found out once. Sub-jobs without a
 * task to place are not in the heap. Mirrors organizeJobWorksheet (pkg/scheduler/actions/allocate/allocate.go) and organizeEvictionWorksheet
 * (pkg/scheduler/actions/utils/simulate.go), which differ in the gates that a task may have. */
#pragma once
#include "actions.h"
G_BEGIN_DECLS

typedef struct VcWorksheet VcWorksheet;
struct VcWorksheet {
  VcHeap subs;    /* rows of sub-jobs */
  VcHeap *tasks;  /* [n_subs] */
  guint n_subs;
  struct VcWorksheetOrder *order; /* who comes first: shared with the copies */
};

/** @any_gate: every scheduling gate leaves a task out; else the queue admission gate alone does not. The job must have sub-jobs. */
VcWorksheet *vc_worksheet_new (VcSession *ssn, guint32 job, gboolean any_gate);
VcWorksheet *vc_worksheet_copy (const VcWorksheet *w);
void vc_worksheet_free (VcWorksheet *w); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcWorksheet, vc_worksheet_free)
static inline gboolean vc_worksheet_is_empty (const VcWorksheet *w) { return vc_heap_is_empty (&w->subs); }

G_END_DECLS
