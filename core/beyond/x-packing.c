/* x-bestfit, x-dotprod, x-gpuclustering, x-gpupacking, x-random - policies that place pods on nodes with shared GPU cards, one pod after the other.
 *
 * Policy: each gives a node from 0 to 100, in whole numbers; CPU counts in parts of 128 cores, cards in parts of 8, all cards of the node together.
 *   x-bestfit         (1 - (what is left of the CPU with the pod / 2 + what is left of the cards / 2)) * 100
 *   x-dotprod         (1 - (CPU left * CPU asked for + cards left * cards asked for) / 2) * 100, left: before the pod
 *   x-gpuclustering   (8 - cards left) / 8 * 25, more by 75 when all pods with cards on the node are of the pod's kind, 50 when some are, 25 when there are
 *                     none. A kind: parts of a card, one card, two cards, ...
 *   x-gpupacking      used cards first: 100 less a tenth of the percentages that are free on the cards that the pod gets. If some of them are wholly free:
 *                     50 less the number of those. On a node whose cards are all free: 33 less their number
 *   x-random          every node that takes the pod is as likely as the others (x-random.seed), and so is every card of it that does
 * x-gpuclustering and x-gpupacking give 0 to pods without cards. Of equal nodes the first one gets the pod. Which card it gets is deviceshare's choice but for
 * x-random; `deviceshare.SchedulePolicy: binpack` is the best fit, which they are meant to have.
 *
 * Example: 96 cores and 8 cards are free, the pod asks for 12.8 cores and half a card. x-bestfit: (1 - (0.65 / 2 + 0.9375 / 2)) * 100 = 20.6, cut to 20.
 *
 * The rules are those with which Weng et al., "Beware of Fragmentation" (USENIX ATC'23) compare FGD (x-fgd). Not Volcano's. */
#include "beyond.h"
#include "cards.h"
#include "core/base/random.h"
#include "core/devices/devices.h"
#include <string.h>

#define MOST_CPU 128000
#define MOST_CARDS (8 * VC_CARD)
#define BEST 100

const VcArgSpec vc_x_packing_args[] = { { NULL, VC_ARG_ANY, NULL } };
const VcArgSpec vc_x_random_args[] = {
  { "x-random.seed", VC_ARG_INT, "seed of what is drawn (default 0)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef struct Packing Packing;
typedef gint64 (*ScoreFn) (Packing *p, guint32 where, const VcCardNode *node, const VcCardPod *pod);
struct Packing {
  ScoreFn score;
  VcCardView view;
  guint64 seed;
};

/* ---- the rules ------------------------------------------------------------------------------------ */

static gint64
best_fit (Packing *p, guint32 where, const VcCardNode *node, const VcCardPod *pod)
{
  double cpu = (double) (node->cpu - pod->cpu) / MOST_CPU * 0.5;
  double cards = (double) (vc_card_node_sum (node) - pod->cards * pod->part) / MOST_CARDS * 0.5;

  return (gint64) ((1 - (cpu + cards)) * BEST);
}

static gint64
dot_product (Packing *p, guint32 where, const VcCardNode *node, const VcCardPod *pod)
{
  double cpu = (double) node->cpu / MOST_CPU * ((double) pod->cpu / MOST_CPU);
  double cards = (double) vc_card_node_sum (node) / MOST_CARDS * ((double) (pod->cards * pod->part) / MOST_CARDS);

  return (gint64) ((1 - (cpu + cards) / 2) * BEST);
}

/* The kind of a pod with cards; 0: parts of one. */
static guint
kind_of (const VcCardPod *pod)
{
  return vc_card_pod_shares (pod) ? 0 : pod->cards;
}

static gint64
clustering (Packing *p, guint32 where, const VcCardNode *node, const VcCardPod *pod)
{
  const VcCluster *c = vc_session_cluster (p->view.ssn);
  const VcNode *info = &c->nodes.info[where];
  gboolean same = FALSE, others = FALSE;

  if (pod->cards == 0)
    return 0;
  for (guint32 i = 0; i < info->n_tasks && !(same && others); i++) {
    VcCardPod there = vc_card_view_pod (&p->view, c->task[info->task[i]].shape);

    if (there.cards > 0 && kind_of (&there) == kind_of (pod))
      same = TRUE;
    else
      others |= there.cards > 0;
  }
  gint64 quarter = BEST / 4 * (MOST_CARDS - vc_card_node_sum (node)) / MOST_CARDS;

  return quarter + (same ? (others ? 50 : 75) : others ? 0 : 25);
}

static gint64
gpu_packing (Packing *p, guint32 where, const VcCardNode *node, const VcCardPod *pod)
{
  g_autofree guint8 *taken = NULL;
  gint64 free_cards = 0, fresh = 0, percent = 0;

  if (pod->cards == 0)
    return 0;
  for (guint i = 0; i < node->n; i++)
    free_cards += node->left[i] == VC_CARD;
  if (free_cards == node->n)
    return MAX (BEST / 3 - free_cards, free_cards);
  taken = g_new (guint8, node->n);
  if (!vc_card_node_take (node, pod, taken))
    return 0;
  for (guint i = 0; i < node->n; i++)
    if (taken[i]) {
      fresh += node->left[i] == VC_CARD;
      percent += node->left[i] * 100 / VC_CARD;
    }
  return fresh > 0 ? MAX (BEST / 2 - fresh, BEST / 3) : MAX (BEST - percent / 10, BEST / 2);
}

/* ---- chance: a number for each pod and place, whatever else is drawn ---------------------------------- */

static guint64
lot (const Packing *p, const char *what, guint32 task, guint32 place)
{
  VcRandom random;

  vc_random_init (&random, p->seed, what, vc_task (vc_session_cluster (p->view.ssn), task)->key, place);
  return vc_random_next (&random) >> 11; /* as exact as a double */
}

static gboolean
random_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  for (guint i = 0; i < n; i++)
    score[i] += (double) lot (self, "x-random", task, nodes[i]);
  return TRUE;
}

static VcScope
random_scope (gpointer self, VcSession *ssn, const VcShape *shape)
{
  return VC_SCOPE_CLUSTER; /* pods of a shape differ */
}

static gint
random_card (gpointer self, guint32 task, guint32 node)
{
  Packing *p = self;
  VcCardNode cards = vc_card_view_node (&p->view, node);
  VcCardPod pod = vc_card_view_pod (&p->view, vc_task (vc_session_cluster (p->view.ssn), task)->shape);
  guint64 best = 0;
  gint chosen = -1;

  for (guint i = 0; i < cards.n && vc_card_pod_shares (&pod); i++) {
    guint64 drawn = lot (p, "x-random-card", task, i);

    if (cards.left[i] >= pod.part && (chosen < 0 || drawn > best)) {
      best = drawn;
      chosen = (gint) i;
    }
  }
  return chosen;
}

/* ---- the plugins ---------------------------------------------------------------------------------------- */

static gboolean
packing_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  Packing *p = self;

  for (guint i = 0; i < n; i++) {
    VcCardNode node = vc_card_view_node (&p->view, nodes[i]);
    VcCardPod pod = vc_card_view_pod (&p->view, vc_task (vc_session_cluster (ssn), task)->shape);

    score[i] += (double) p->score (p, nodes[i], &node, &pod);
  }
  return TRUE;
}

static void
packing_session_open (gpointer self, VcSession *ssn)
{
  Packing *p = self;

  vc_card_view_open (&p->view, ssn);
  if (p->score != NULL) {
    vc_session_add_node_order (ssn, packing_score, NULL);
    return;
  }
  vc_session_add_node_order (ssn, random_score, random_scope);
  vc_devices_set_card_choice (vc_session_devices (ssn), random_card, p);
}

static void
packing_clear (gpointer self)
{
  vc_card_view_clear (&((Packing *) self)->view);
}

static gboolean
random_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  gint64 seed = 0;

  vc_args_get_int (&option->args, "x-random.seed", &seed);
  ((Packing *) self)->seed = (guint64) seed;
  return TRUE;
}

#define INIT(name, rule)                                                                             \
  static gboolean                                                                                    \
  name (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)               \
  {                                                                                                  \
    ((Packing *) self)->score = rule;                                                                \
    return TRUE;                                                                                     \
  }
INIT (best_fit_init, best_fit)
INIT (dot_product_init, dot_product)
INIT (clustering_init, clustering)
INIT (gpu_packing_init, gpu_packing)

#define CLASS(text, about, arguments, start) \
  { .name = text, .summary = about, .args = arguments, .instance_size = sizeof (Packing), .init = start, .session_open = packing_session_open, .clear = packing_clear }
const VcPluginClass vc_plugin_x_bestfit = CLASS ("x-bestfit", VC_X_BESTFIT_SUMMARY, vc_x_packing_args, best_fit_init);
const VcPluginClass vc_plugin_x_dotprod = CLASS ("x-dotprod", VC_X_DOTPROD_SUMMARY, vc_x_packing_args, dot_product_init);
const VcPluginClass vc_plugin_x_gpuclustering = CLASS ("x-gpuclustering", VC_X_GPUCLUSTERING_SUMMARY, vc_x_packing_args, clustering_init);
const VcPluginClass vc_plugin_x_gpupacking = CLASS ("x-gpupacking", VC_X_GPUPACKING_SUMMARY, vc_x_packing_args, gpu_packing_init);
const VcPluginClass vc_plugin_x_random = CLASS ("x-random", VC_X_RANDOM_SUMMARY, vc_x_random_args, random_init);
