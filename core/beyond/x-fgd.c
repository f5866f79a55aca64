/* x-fgd - fragmentation gradient descent: each pod goes where it leaves the fewest fragments of GPU cards. x-fragments tells how many there are.
 *
 * Policy: fragments.h says what a fragment is. F is what a node has of them, F' what it would have with the pod; the score is
 *   100 / (1 + exp (-(F - F') / 1000)), cut to a whole number
 * A pod that asks for a part of one card is tried on every card that has it: the node has the score of the best one, the first of equal ones, and the pod
 * gets that card. Else it takes the fullest cards that do. Of equal nodes the first one gets the pod.
 *
 * Example: the free parts of a node go from 200 fragments to 0: 100 / (1 + exp (-0.2)) = 54.98, so 54.
 *
 * x-fragments places nothing: when the session closes it writes a line to the log (level 3).
 *
 * Weng et al.: Beware of Fragmentation (USENIX ATC'23). Not Volcano's. */
#include "beyond.h"
#include "cards.h"
#include "core/base/random.h"
#include "core/devices/devices.h"
#include "fragments.h"

#define KINDS(prefix)                                                                                                                       \
  { prefix ".pods", VC_ARG_ANY, "usual pods, a list of 'CPU CARDS PART MODELS COUNT' (default: the pods of the first session that has any)" },  \
  { prefix ".popularity", VC_ARG_INT, "the most frequent kinds count until they are so many percent of the pods (default 95)" },               \
  { prefix ".model-label", VC_ARG_STRING, "label of nodes that has their model (default gpu-model)" },                                         \
  { NULL, VC_ARG_ANY, NULL }
const VcArgSpec vc_x_fgd_args[] = { KINDS ("x-fgd") };
const VcArgSpec vc_x_fragments_args[] = { KINDS ("x-fragments") };

typedef struct {
  VcFragments *fragments;
  VcCardView view;
} Fgd;

static gboolean
init_as (Fgd *p, const char *prefix, const VcArgs *args, GError **error)
{
  g_autofree char *pods = g_strconcat (prefix, ".pods", NULL), *popularity = g_strconcat (prefix, ".popularity", NULL),
                  *label = g_strconcat (prefix, ".model-label", NULL);
  gint64 percent = 95;

  vc_args_get_int (args, popularity, &percent);
  p->fragments = vc_fragments_new (prefix, vc_args_find (args, pods), percent, vc_args_get_string (args, label, "gpu-model"), error);
  return p->fragments != NULL;
}

static gboolean
fgd_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  return init_as (self, "x-fgd", &option->args, error);
}

static gboolean
fragments_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  return init_as (self, "x-fragments", &option->args, error);
}

static void
fgd_clear (gpointer self)
{
  Fgd *p = self;

  vc_fragments_free (p->fragments);
  vc_card_view_clear (&p->view);
}

/* ---- the policy ------------------------------------------------------------------------------------- */

static gint64
score_of (double before, double after)
{
  return (gint64) (1.0 / (1.0 + vc_random_exp (-((before - after) / 1000))) * 100);
}

/* The node's score with the pod; @card: which one it gets, -1: the fullest that do. @there: the pod's CPU has been taken already. */
static gint64
judge (Fgd *p, guint32 task, guint32 where, gboolean there, gint *card)
{
  VcCluster *c = vc_session_cluster (p->view.ssn);
  VcCardNode node = vc_card_view_node (&p->view, where);
  VcCardPod pod = vc_card_view_pod (&p->view, vc_task (c, task)->shape);
  gint64 best = 0;

  *card = -1;
  node.cpu += there ? pod.cpu : 0;
  double before = vc_fragments_of (p->fragments, c, where, &node);
  node.cpu -= pod.cpu;
  if (vc_card_pod_shares (&pod)) {
    for (guint i = 0; i < node.n; i++) {
      if (node.left[i] < pod.part)
        continue;
      node.left[i] -= pod.part;
      gint64 score = score_of (before, vc_fragments_of (p->fragments, c, where, &node));
      node.left[i] += pod.part;
      if (*card < 0 || score > best) {
        best = score;
        *card = (gint) i;
      }
    }
    return best;
  }
  g_autofree guint8 *taken = g_new (guint8, node.n + 1);
  if (vc_card_node_take (&node, &pod, taken))
    for (guint i = 0; i < node.n; i++)
      node.left[i] -= taken[i] ? pod.part : 0;
  return score_of (before, vc_fragments_of (p->fragments, c, where, &node));
}

static gboolean
fgd_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  gint ignored;

  for (guint i = 0; i < n; i++)
    score[i] += (double) judge (self, task, nodes[i], FALSE, &ignored);
  return TRUE;
}

static gint
fgd_card (gpointer self, guint32 task, guint32 node)
{
  gint card;

  judge (self, task, node, TRUE, &card);
  return card;
}

static void
fgd_session_open (gpointer self, VcSession *ssn)
{
  Fgd *p = self;

  vc_card_view_open (&p->view, ssn);
  vc_fragments_learn (p->fragments, &p->view);
  vc_session_add_node_order (ssn, fgd_score, NULL);
  vc_devices_set_card_choice (vc_session_devices (ssn), fgd_card, p);
}

const VcPluginClass vc_plugin_x_fgd = {
  .name = "x-fgd",
  .summary = VC_X_FGD_SUMMARY,
  .args = vc_x_fgd_args,
  .instance_size = sizeof (Fgd),
  .init = fgd_init,
  .session_open = fgd_session_open,
  .clear = fgd_clear,
};

/* ---- the figure ------------------------------------------------------------------------------------- */

static void
fragments_session_open (gpointer self, VcSession *ssn)
{
  Fgd *p = self;

  vc_card_view_open (&p->view, ssn);
  vc_fragments_learn (p->fragments, &p->view);
}

static void
fragments_session_close (gpointer self, VcSession *ssn)
{
  Fgd *p = self;
  VcCluster *c = vc_session_cluster (ssn);
  guint64 cards = 0;
  gint64 left = 0;
  double fragments = 0;

  if (!vc_session_logs (ssn, 3))
    return;
  for (guint32 i = 0; i < c->nodes.n_list; i++) {
    VcCardNode node = vc_card_view_node (&p->view, c->nodes.list[i]);

    cards += node.n;
    left += vc_card_node_sum (&node);
    fragments += vc_fragments_of (p->fragments, c, c->nodes.list[i], &node);
  }
  double whole = (double) cards * VC_CARD;
  vc_session_log (ssn, 3, "x-fragments: %" G_GUINT64_FORMAT " cards, %.2f %% given out, %.2f %% in fragments", cards, cards > 0 ? 100 - 100 * (double) left / whole : 0,
                  cards > 0 ? 100 * fragments / whole : 0);
}

const VcPluginClass vc_plugin_x_fragments = {
  .name = "x-fragments",
  .summary = VC_X_FRAGMENTS_SUMMARY,
  .args = vc_x_fragments_args,
  .instance_size = sizeof (Fgd),
  .init = fragments_init,
  .session_open = fragments_session_open,
  .session_close = fragments_session_close,
  .clear = fgd_clear,
};
