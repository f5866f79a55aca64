/* core/session/reasons.h - why the nodes refuse a shape, kept from search to search: only nodes that have changed since are asked again. */
#pragma once
#include "search.h"
G_BEGIN_DECLS

typedef struct VcReasons VcReasons;

VcReasons *vc_reasons_new (void);
void vc_reasons_free (VcReasons *r); /* NULL is fine */
/** Count into @counts why nodes refuse @task, in the order in which a scan from the rotating index meets the reasons, and append the nodes that no eviction can
 * help to @unresolvable (guint32 rows, emptied first). Always of tasks that the nodes treat alike, and in the same mode (search-shapes.c). */
void vc_reasons_count (VcReasons *r, VcSearch *s, guint32 task, VcFit *counts, GArray *unresolvable);

G_END_DECLS
