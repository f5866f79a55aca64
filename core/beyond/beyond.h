/* core/beyond/beyond.h - scheduling policies that Volcano does not have.
 *
 * They exist to reproduce results that others published for such policies (docs/external.md), with this engine's clock, placement and figures, and to do
 * again what a record tells (docs/record.md).
 * Every name begins with `x-`; none does anything unless the configuration names it, and nothing here takes part in what is compared with Volcano.
 * These actions admit jobs themselves, so that a configuration needs no `enqueue` beside them. */
#pragma once
#include "core/session/engine.h"
G_BEGIN_DECLS

extern const VcArgSpec vc_x_fcfs_args[], vc_x_easy_args[], vc_x_restart_args[], vc_x_follow_record_args[];
extern const VcActionClass vc_action_x_fcfs, vc_action_x_easy, vc_action_x_restart, vc_action_x_follow_record;
extern const VcArgSpec vc_x_2dlas_args[], vc_x_srsf_args[], vc_x_srtf_args[];
extern const VcPluginClass vc_plugin_x_2dlas, vc_plugin_x_srsf, vc_plugin_x_srtf;
extern const VcArgSpec vc_x_fgd_args[], vc_x_fragments_args[], vc_x_packing_args[], vc_x_random_args[];
extern const VcPluginClass vc_plugin_x_bestfit, vc_plugin_x_dotprod, vc_plugin_x_fgd, vc_plugin_x_fragments, vc_plugin_x_gpuclustering, vc_plugin_x_gpupacking,
  vc_plugin_x_random;

#define VC_X_FCFS_SUMMARY "start jobs in their order; the first one that does not fit stops all behind it"
#define VC_X_EASY_SUMMARY "the same, but jobs behind start when they do not delay the first one that waits (EASY backfill)"

#define VC_X_RESTART_SUMMARY "whenever something happens all give way, and jobs start anew in job order"
#define VC_X_FOLLOW_RECORD_SUMMARY "start jobs when and where the record of a run says (follow_record); nothing without one"
#define VC_X_2DLAS_SUMMARY "order jobs by attained service in queues (Tiresias)"
#define VC_X_BESTFIT_SUMMARY "prefer the node that has least left of CPU and GPU cards"
#define VC_X_DOTPROD_SUMMARY "prefer the node whose free CPU and GPU cards are least like what the pod asks for"
#define VC_X_FGD_SUMMARY "prefer the node and the GPU card on which the pod leaves the fewest fragments (FGD)"
#define VC_X_FRAGMENTS_SUMMARY "log how much of the GPU cards is fragmented"
#define VC_X_GPUCLUSTERING_SUMMARY "prefer nodes with pods that ask for as many GPU cards"
#define VC_X_GPUPACKING_SUMMARY "prefer used GPU cards, then used nodes"
#define VC_X_RANDOM_SUMMARY "any node that takes the pod"
#define VC_X_SRSF_SUMMARY "order jobs by remaining time × devices"
#define VC_X_SRTF_SUMMARY "order jobs by remaining time"

#define VC_RECORD_NODE_GONE "the node is not there"

/** How many devices of that name the whole job asks for; 1 when it asks for none. */
double vc_beyond_devices (VcSession *ssn, guint32 job, const char *resource);

G_END_DECLS
