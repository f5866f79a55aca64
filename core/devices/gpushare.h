/* core/devices/gpushare.h - GPU cards shared by memory, or given out by number: the book of one node. */
#pragma once
#include "device-class.h"
G_BEGIN_DECLS

typedef struct VcGpuShare VcGpuShare;

/** Cards 0 … @number - 1 with @memory / @number each, without the ids that the comma list @unhealthy names (NULL: none). NULL when there is no card. */
VcGpuShare *vc_gpushare_new (gint64 memory, gint64 number, const char *unhealthy);
void vc_gpushare_free (VcGpuShare *g);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcGpuShare, vc_gpushare_free)
guint vc_gpushare_n_cards (const VcGpuShare *g);
/** Put a pod on the cards of the comma list @ids; @memory is what it needs on each of them (0 once it has ended). */
void vc_gpushare_add (VcGpuShare *g, guint32 pod, const char *ids, guint64 memory);
/** Memory left on card @id; FALSE when there is no such card. */
gboolean vc_gpushare_idle (const VcGpuShare *g, gint64 id, guint64 *memory);
/** Cards without a pod. */
guint vc_gpushare_idle_cards (const VcGpuShare *g);
/** The first card with @memory left; -1: none. */
gint64 vc_gpushare_pick (const VcGpuShare *g, guint64 memory);
/** What a pod needs: the sum over its containers, or the greatest of an init container. */
void vc_gpushare_need (const VcPodSpec *spec, guint64 *memory, gint64 *number);

G_END_DECLS
