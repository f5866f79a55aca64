/* core/session/messages.h - texts for people. */
#pragma once
#include "session.h"
G_BEGIN_DECLS
/** "0/3 nodes are unavailable: 3 Insufficient cpu." (transfer full) */
char *vc_fit_text (const VcCluster *c, const VcFit *fit, guint32 task);
G_END_DECLS
