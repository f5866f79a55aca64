/* sim/world/chance.h - draws about pods. Each is a stream of its own, named by purpose and pod, so that it does not matter who else draws. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** Does it happen to this pod object, at the rate @rate? @turn tells several questions of one purpose apart. */
gboolean sim_pod_happens (SimWorld *w, guint32 pod, double rate, const char *purpose, guint32 turn);
/** How long it takes this pod object. */
SimTime sim_pod_draw (SimWorld *w, guint32 pod, const WlDistribution *d, const char *purpose, guint32 turn);
/** The stream itself. */
void sim_pod_random (SimWorld *w, guint32 pod, const char *purpose, guint32 turn, VcRandom *out);

G_END_DECLS
