/* sim/cli/scenario-options.h - every key of a scenario as an option of the command line: --key VALUE, --switch, --no-switch. */
#pragma once
#include "sim/load/scenario.h"
G_BEGIN_DECLS

typedef struct SimScenarioOptions SimScenarioOptions;
SimScenarioOptions *sim_scenario_options_new (void);
void sim_scenario_options_free (SimScenarioOptions *o);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimScenarioOptions, sim_scenario_options_free)
/** Into the main group of @context; @o must outlive the parse. */
void sim_scenario_options_add (SimScenarioOptions *o, GOptionContext *context);
/** They, borrowed. */
const GOptionEntry *sim_scenario_options_entries (const SimScenarioOptions *o);
/** What was given replaces what @s has. */
gboolean sim_scenario_options_apply (const SimScenarioOptions *o, SimScenario *s, GError **error);

G_END_DECLS
