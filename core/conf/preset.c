/* core/conf/preset.c - the presets' texts. Each is complete: nothing of a default shows through. */
#include "preset.h"
#include "conf.h"
#include <string.h>

/* Without overcommit every job is admitted at once, so that the order of jobs and the actions alone decide; plugins whose votes about victims are to be
 * taken together stand in one tier, because the first tier that names any ends the vote. */

#define CARDS                                                                                                                                                  \
  "actions: \"allocate\"\n"                                                                                                                                    \
  "tiers:\n"                                                                                                                                                   \
  "- plugins:\n"                                                                                                                                               \
  "  - name: gang\n"                                                                                                                                           \
  "  - name: deviceshare\n"                                                                                                                                    \
  "    arguments:\n"                                                                                                                                           \
  "      deviceshare.VGPUEnable: true\n"                                                                                                                       \
  "      deviceshare.SchedulePolicy: binpack\n"                                                                                                                \
  "  - name: predicates\n"

const VcPreset vc_presets[] = {
  { "chart", "the configuration that Volcano's Helm chart installs; what runs without a configuration",
    "# What Volcano's Helm chart installs. Admission up to 1.2 times the cluster, gangs, queues by weight, jobs of a queue by priority and then by\n"
    "# dominant share, nodes filled up. Nothing is evicted.\n"
    "actions: \"enqueue, allocate, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: priority\n"
    "  - name: gang\n"
    "    enablePreemptable: false\n"
    "  - name: conformance\n"
    "- plugins:\n"
    "  - name: overcommit\n"
    "  - name: drf\n"
    "    enablePreemptable: false\n"
    "  - name: predicates\n"
    "  - name: proportion\n"
    "  - name: nodeorder\n"
    "  - name: binpack\n" },
  { "default", "what the scheduler falls back on when it finds no configuration",
    "# What is built into the scheduler for the case that its configuration cannot be read when it starts. As the chart's, but nodes are filled evenly.\n"
    "actions: \"enqueue, allocate, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: priority\n"
    "  - name: gang\n"
    "  - name: conformance\n"
    "- plugins:\n"
    "  - name: overcommit\n"
    "  - name: drf\n"
    "  - name: predicates\n"
    "  - name: proportion\n"
    "  - name: nodeorder\n" },
  { "fcfs", "first come first served: the first gang that does not fit holds what is free until it fits",
    "# First come first served, strictly, for gangs whose pods are alike: whatever is free is held for the job at the head of the line.\n"
    "# sla puts jobs in the order of their creation and, once a job has waited for a microsecond, counts it as on its way: what it has been given is not\n"
    "# taken back at the end of its turn, and nobody behind it gets it. sla stands in a tier of its own, so that gang cannot overrule that; gang still\n"
    "# binds nothing before all is there. Jobs that come in the same second may pass each other in that second. A pod that fits on no node\n"
    "# holds nothing: where one pod is larger than what is left of each node, smaller ones behind it pass (x-fcfs stops them, too).\n"
    "actions: \"enqueue, allocate\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: sla\n"
    "    arguments:\n"
    "      sla-waiting-time: 1us\n"
    "- plugins:\n"
    "  - name: gang\n"
    "  - name: predicates\n" },
  { "first-fit", "in the order of submission, whatever fits starts: backfill that promises nothing",
    "# Jobs in the order of their creation; one that does not fit lets those behind it pass, and nothing is kept for it. A large job may wait for ever.\n"
    "# That is what allocate does when no plugin orders jobs and none reserves.\n"
    "actions: \"enqueue, allocate\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: gang\n"
    "  - name: predicates\n" },
  { "aging", "first-fit until a job has waited for an hour, then what is free is held for it",
    "# As first-fit, but what is free is held for a job that has waited for an hour: from then on it goes first and counts as on its way (see fcfs).\n"
    "# The hour bounds how long small jobs may pass a large one. The annotation volcano.sh/sla-waiting-time of a job overrules it.\n"
    "actions: \"enqueue, allocate\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: sla\n"
    "    arguments:\n"
    "      sla-waiting-time: 1h\n"
    "- plugins:\n"
    "  - name: gang\n"
    "  - name: predicates\n" },
  { "gang", "jobs start whole or not at all; nodes are chosen as the kube-scheduler does",
    "# A job starts when min_available of its pods fit together, and holds nothing before that. Order and passing as with first-fit; pods that ask for\n"
    "# nothing are placed by backfill.\n"
    "actions: \"enqueue, allocate, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: gang\n"
    "  - name: predicates\n"
    "  - name: nodeorder\n" },
  { "no-gang", "every pod by itself, as with the kube-scheduler: jobs may start in part",
    "# Without the plugin gang each pod that fits starts at once, whether the others of its job do or not: two large jobs may hold half of the cluster each.\n"
    "actions: \"enqueue, allocate, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: predicates\n"
    "  - name: nodeorder\n" },
  { "priority", "jobs of higher classes of priority first; nothing is evicted",
    "# The order is that of the classes of priority, of equal ones that of creation. What runs goes on to its end.\n"
    "actions: \"enqueue, allocate, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: priority\n"
    "  - name: gang\n"
    "  - name: predicates\n"
    "  - name: nodeorder\n" },
  { "preempt", "jobs of higher classes of priority first, and at the cost of lower ones of their queue",
    "# As priority, and a job that does not fit evicts pods of jobs of lower classes in its own queue, whole gangs too (enablePreemptable: false: gang does not protect\n"
    "# what is at its minimum), but none of the system (conformance).\n"
    "actions: \"enqueue, allocate, preempt, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: priority\n"
    "  - name: gang\n"
    "    enablePreemptable: false\n"
    "  - name: conformance\n"
    "  - name: predicates\n"
    "  - name: nodeorder\n" },
  { "drf", "dominant resource fairness between the jobs of a queue",
    "# The job whose dominant share of the cluster is the smallest goes first, so that jobs grow evenly in what they use most. Nothing is evicted.\n"
    "actions: \"enqueue, allocate, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: drf\n"
    "    enablePreemptable: false\n"
    "  - name: gang\n"
    "  - name: predicates\n"
    "  - name: nodeorder\n" },
  { "hdrf", "dominant resource fairness along a tree of queues, with reclaiming",
    "# Queues stand in a tree by their annotations volcano.sh/hierarchy and volcano.sh/hierarchy-weights, and shares are fair at each level of it. A queue below its\n"
    "# share takes pods back from those above theirs.\n"
    "actions: \"enqueue, allocate, reclaim, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: drf\n"
    "    enableHierarchy: true\n"
    "  - name: gang\n"
    "  - name: conformance\n"
    "  - name: predicates\n"
    "  - name: nodeorder\n" },
  { "fair-share", "queues share the cluster by weight and take back what is theirs",
    "# proportion splits the cluster between the queues that ask for something, by their weights. What a queue does not need others may use, until it wants it:\n"
    "# then reclaim evicts their pods above their share.\n"
    "actions: \"enqueue, allocate, reclaim, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: proportion\n"
    "  - name: gang\n"
    "  - name: conformance\n"
    "  - name: predicates\n"
    "  - name: nodeorder\n" },
  { "capacity", "queues have amounts of each resource that they deserve, and take them back",
    "# As fair-share, but what a queue deserves are amounts (deserved, guarantee and capability of the queue) in place of weights.\n"
    "actions: \"enqueue, allocate, reclaim, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: capacity\n"
    "  - name: gang\n"
    "  - name: conformance\n"
    "  - name: predicates\n"
    "  - name: nodeorder\n" },
  { "capacity-tree", "the same with queues in a tree (their parent), limits of the upper ones included",
    "# As capacity, with the tree that the queues' parent makes: a queue is bound by all above it. Jobs go to its leaves.\n"
    "actions: \"enqueue, allocate, reclaim, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: capacity\n"
    "    enableHierarchy: true\n"
    "  - name: gang\n"
    "  - name: conformance\n"
    "  - name: predicates\n"
    "  - name: nodeorder\n" },
  { "binpack", "nodes are filled up one after the other",
    "# Order as with gang. The fullest node that still fits is taken, GPUs counting ten times as much as cpu and memory, so that whole nodes stay free.\n"
    "actions: \"enqueue, allocate, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: gang\n"
    "  - name: predicates\n"
    "  - name: binpack\n"
    "    arguments:\n"
    "      binpack.resources: nvidia.com/gpu\n"
    "      binpack.resources.nvidia.com/gpu: 10\n" },
  { "spread", "nodes are filled evenly",
    "# Order as with gang. The node with the most left of cpu and memory is taken; the other scores of nodeorder are off.\n"
    "actions: \"enqueue, allocate, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: gang\n"
    "  - name: predicates\n"
    "  - name: nodeorder\n"
    "    arguments:\n"
    "      leastrequested.weight: 1\n"
    "      balancedresource.weight: 0\n"
    "      nodeaffinity.weight: 0\n"
    "      tainttoleration.weight: 0\n"
    "      imagelocality.weight: 0\n"
    "      podaffinity.weight: 0\n"
    "      podtopologyspread.weight: 0\n" },
  { "racks", "a job's pods stay within few racks, and racks are filled up",
    "# Order as with gang. Where HyperNodes say what the network is like (network_topology_types makes them of labels), pods of a job come close to each other.\n"
    "actions: \"enqueue, allocate, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: gang\n"
    "  - name: predicates\n"
    "  - name: network-topology-aware\n"
    "    arguments:\n"
    "      weight: 10\n"
    "  - name: nodeorder\n" },

  { "x-fcfs", "first come first served, strictly, whatever the shapes of pods",
    "# Not Volcano's: the action x-fcfs is volsim's own. Jobs start in the order of submission, and the first one that does not fit stops all behind it.\n"
    "# For published figures: --period 0 --grace 0.\n"
    "actions: \"x-fcfs\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: predicates\n" },
  { "x-easy", "EASY backfill: the first job that does not fit is promised its earliest start",
    "# Not Volcano's: the action x-easy is volsim's own. As x-fcfs, but a job behind the first one that does not fit starts if that delays this one's earliest start, by\n"
    "# the requested times (column walltime) of what runs, in no way. For published figures: --period 0 --grace 0.\n"
    "actions: \"x-easy\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: predicates\n" },
  { "x-srtf", "shortest remaining time first, with preemption",
    "# Not Volcano's: the action x-restart and the plugin x-srtf are volsim's own. At each event all that runs is evicted and started anew, the job with the least time\n"
    "# left first; jobs need checkpoints (column checkpoint), or they begin anew. For published figures: --period 0 --grace 0.\n"
    "actions: \"x-restart\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: x-srtf\n"
    "  - name: predicates\n" },
  { "x-srsf", "shortest remaining service first (time × GPUs), with preemption",
    "# Not Volcano's: the action x-restart and the plugin x-srsf are volsim's own. As x-srtf, in the order of the remaining time × GPUs.\n"
    "# For published figures: --period 0 --grace 0.\n"
    "actions: \"x-restart\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: x-srsf\n"
    "  - name: predicates\n" },
  { "x-2dlas", "least attained service in queues (Tiresias), with preemption",
    "# Not Volcano's: the action x-restart and the plugin x-2dlas are volsim's own. As x-srtf, in the order of the service that jobs have had, in three queues up to 3,250\n"
    "# and 7,200 GPU seconds. For published figures: --period 0 --grace 0.\n"
    "actions: \"x-restart\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: x-2dlas\n"
    "  - name: predicates\n" },
  { "x-fgd", "shared GPU cards: the node and the card on which the pod leaves the fewest fragments (FGD)",
    "# Not Volcano's: the plugin x-fgd is volsim's own. Shared GPU cards: the node and the card on which the pod leaves the fewest fragments.\n"
    "# For published figures: --period longer than the submissions take, --percentage-nodes-to-find 100.\n" CARDS "  - name: x-fgd\n" },
  { "x-bestfit", "shared GPU cards: the node that has least left of CPU and cards",
    "# Not Volcano's: the plugin x-bestfit is volsim's own. Shared GPU cards: the node that has least left of CPU and GPU cards. Options as for x-fgd.\n" CARDS
    "  - name: x-bestfit\n" },
  { "x-dotprod", "shared GPU cards: the node whose free CPU and cards are least like the request",
    "# Not Volcano's: the plugin x-dotprod is volsim's own. Shared GPU cards: the node whose free CPU and cards are least like what the pod asks for. Options as for x-fgd.\n" CARDS
    "  - name: x-dotprod\n" },
  { "x-gpupacking", "shared GPU cards: used cards first, then used nodes",
    "# Not Volcano's: the plugin x-gpupacking is volsim's own. Shared GPU cards: used cards, then used nodes. Options as for x-fgd.\n" CARDS "  - name: x-gpupacking\n" },
  { "x-gpuclustering", "shared GPU cards: nodes with pods that ask for as many cards",
    "# Not Volcano's: the plugin x-gpuclustering is volsim's own. Shared GPU cards: nodes with pods that ask for as many cards. Options as for x-fgd.\n" CARDS
    "  - name: x-gpuclustering\n" },
  { "x-random", "shared GPU cards: any node, and any card of it",
    "# Not Volcano's: the plugin x-random is volsim's own. Shared GPU cards: any node that takes the pod, and any card of it. Options as for x-fgd.\n" CARDS
    "  - name: x-random\n" },
  { NULL, NULL, NULL },
};

gboolean
vc_preset_is_beyond (const VcPreset *preset)
{
  return g_str_has_prefix (preset->name, "x-");
}

const VcPreset *
vc_preset_find (const char *name, GError **error)
{
  const char *names[G_N_ELEMENTS (vc_presets)];
  guint n = 0;

  for (const VcPreset *p = vc_presets; p->name != NULL; p++) {
    if (strcmp (p->name, name) == 0)
      return p;
    names[n++] = p->name;
  }
  const char *one = vc_nearest_name (name, names, n), *other = NULL;

  if (one != NULL) { /* of two that are near both are worth a mention: fcfs and x-fcfs */
    const char *rest[G_N_ELEMENTS (vc_presets)];
    guint left = 0;

    for (guint i = 0; i < n; i++)
      if (names[i] != one)
        rest[left++] = names[i];
    other = vc_nearest_name (name, rest, left);
  }
  /* a name without its x-, or with one that it does not have */
  for (guint i = 0; i < n && one == NULL; i++)
    if (g_str_has_prefix (names[i], "x-") && (g_str_has_suffix (names[i] + 2, name) || (g_str_has_prefix (name, "x-") && g_str_has_suffix (names[i], name + 2))))
      one = names[i];
  g_set_error (error, VC_CONF_ERROR, VC_CONF_ERROR_UNKNOWN, "'%s' is no policy preset, expected one that 'volsim presets' lists%s%s%s%s%s%s", name,
               one != NULL ? "; did you mean '" : "", one != NULL ? one : "", one != NULL ? "'" : "", other != NULL ? " or '" : "", other != NULL ? other : "",
               other != NULL ? "'?" : one != NULL ? "?" : "");
  return NULL;
}
