/* core/beyond/beyond.h - scheduling policies that Volcano does not have.
 *
 * They exist to reproduce results that others published for such policies (docs/external.md), with this engine's clock, placement and figures.
 * Every name begins with `x-`; none does anything unless the configuration names it, and nothing here takes part in what is compared with Volcano.
 * These actions admit jobs themselves, so that a configuration needs no `enqueue` beside them. */
#pragma once
#include "core/session/engine.h"
G_BEGIN_DECLS

extern const VcArgSpec vc_x_fcfs_args[], vc_x_easy_args[];
extern const VcActionClass vc_action_x_fcfs, vc_action_x_easy;

#define VC_X_FCFS_SUMMARY "start jobs in their order; the first one that does not fit stops all behind it"
#define VC_X_EASY_SUMMARY "the same, but jobs behind start when they do not delay the first one that waits (EASY backfill)"

G_END_DECLS
