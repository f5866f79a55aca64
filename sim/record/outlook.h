/* sim/record/outlook.h - what the simulation tells policies beyond Volcano's of a job: requested time, when it started, what is left to run. */
#pragma once
#include "core/session/engine.h"
G_BEGIN_DECLS

/** VcEngineOptions.outlook and .progress: @user is the SimWorld, @job a row of it. */
gboolean sim_outlook (gpointer user, guint32 job, VcOutlook *out);
gboolean sim_progress (gpointer user, guint32 job, VcProgress *out);

G_END_DECLS
