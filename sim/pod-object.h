/* sim/pod-object.h - a pod as an object: its name, labels and annotations, and what the scheduler hears of it. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** The pod object of this row appears to the scheduler. */
void sim_pod_tell (SimWorld *w, guint32 pod);

G_END_DECLS
