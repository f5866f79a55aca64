/* core/devices/ascend-hami.h - Ascend NPUs shared by HAMi: what others ask of a node. */
#pragma once
#include "device-class.h"
G_BEGIN_DECLS

/** Do the annotations of a node announce devices of this type? */
gboolean vc_ascend_hami_announces (const VcNpuConfig *config, const VcPairs *annotations);

G_END_DECLS
