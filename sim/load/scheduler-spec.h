/* sim/load/scheduler-spec.h - the key `schedulers` of a scenario: a list of maps, one for each scheduler of the run. */
#pragma once
#include "scenario.h"
#include "core/conf/conf-yaml.h"
G_BEGIN_DECLS

/** Append the schedulers of @list to @out (SimSchedulerSpec). Paths are relative to @base (nullable). Errors are "source:line:column: …". */
gboolean sim_scheduler_specs_read (const char *source, const char *base, const VcYamlNode *list, GPtrArray *out, GError **error);
void sim_scheduler_spec_free (gpointer spec);

G_END_DECLS
