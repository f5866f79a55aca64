/* sim/load/engine-options.h - the scheduler's own flags under upstream's names, for every subcommand that runs the engine. */
#pragma once
#include "core/session/engine.h"
G_BEGIN_DECLS

typedef struct SimEngineOptions SimEngineOptions;
SimEngineOptions *sim_engine_options_new (void);
void sim_engine_options_free (SimEngineOptions *o);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimEngineOptions, sim_engine_options_free)
#define SIM_ENGINE_OPTIONS "scheduler" /* name of the group */
/** Option group with --percentage-nodes-to-find, --scheduler-name, --plain, --ties and so on. Owned by the context it is added to. */
GOptionGroup *sim_engine_options_group (SimEngineOptions *o);
/** Its entries, borrowed. */
const GOptionEntry *sim_engine_options_entries (const SimEngineOptions *o);
/** Check the values and write them; pointers in @cache and @engine live as long as @o. Either target may be NULL. */
gboolean sim_engine_options_apply (SimEngineOptions *o, VcCacheOptions *cache, VcEngineOptions *engine, GError **error);

G_END_DECLS
