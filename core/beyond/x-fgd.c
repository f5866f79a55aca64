/* x-fgd - fragmentation gradient descent: each pod goes where it leaves the fewest fragments of GPU cards. x-fragments tells how many there are.
 *
 * Policy: fragments.h says what a fragment is. F is what a node has of them, F' what it would have with the pod; the score is
 *   100 / (1 + exp (-(F - F') / 1000)), cut to a whole number
 * A pod that asks for a part of one card is tried on every card that has it: the node has the score of the best one, the first of equal ones, and the pod
 * gets that card. Else it takes the fullest cards that do. Of equal nodes the first one gets the pod.
 *
 * Example: the free parts of a node go from 200 fragments to 0: 100 / (1 + exp (-0.2)) = 54.98, so 54.
 *
 * x-fragments places nothing. It writes to the log (level 3) how much is given out and how much of the rest is fragments, after each placement and when the
 * session closes. Cards are booked by predicates: name it behind that.
 *
 * Weng et al.: Beware of Fragmentation (USENIX ATC'23). Not Volcano's. */
#include "beyond.h"
#include "cards.h"
#include "core/base/random.h"
#include "core/devices/devices.h"
#include "fragments.h"
#include <string.h>

#define KINDS(prefix)                                                                                                                       \
  { prefix ".pods", VC_ARG_ANY, "usual pods, a list of 'CPU CARDS PART MODELS COUNT' (default: all pods that there are)" },  \
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

/* Without a list another pod may change what a fragment is. */
static VcScope
fgd_scope (gpointer self, VcSession *ssn, const VcShape *shape)
{
  return vc_fragments_listed (((const Fgd *) self)->fragments) ? VC_SCOPE_NODE : VC_SCOPE_CLUSTER;
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
  vc_session_add_node_order (ssn, fgd_score, fgd_scope);
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

typedef struct { double left, fragments; guint cards; } Part; /* of a node: cards, what is left of them, in fragments; thousandths */
typedef struct {
  Fgd fgd;
  Part *part; guint32 cap;
  Part sum;
} Figure;

static void
count_node (Figure *f, guint32 where)
{
  VcCluster *c = vc_session_cluster (f->fgd.view.ssn);
  VcCardNode node = vc_card_view_node (&f->fgd.view, where);
  Part *p = &f->part[where], was = *p;

  *p = (Part) { (double) vc_card_node_sum (&node), vc_fragments_of (f->fgd.fragments, c, where, &node), node.n };
  f->sum.left += p->left - was.left;
  f->sum.fragments += p->fragments - was.fragments;
  f->sum.cards += p->cards - was.cards;
}

static void
tell (const Figure *f, VcSession *ssn, const char *where)
{
  double cards = f->sum.cards;

  vc_session_log (ssn, 3, "x-fragments: %.3f of %u cards given out, %.3f in fragments, %s", cards - f->sum.left / VC_CARD, f->sum.cards,
                  f->sum.fragments / VC_CARD, where);
}

static void
figure_moved (gpointer self, VcSession *ssn, guint32 task)
{
  const VcTask *t = vc_task (vc_session_cluster (ssn), task);

  if (t->node == VC_NONE)
    return;
  count_node (self, t->node);
  tell (self, ssn, t->key);
}

static gboolean
figure_allocated (gpointer self, VcSession *ssn, guint32 task)
{
  figure_moved (self, ssn, task);
  return TRUE;
}

static gboolean
figure_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  return init_as (&((Figure *) self)->fgd, "x-fragments", &option->args, error);
}

static void
figure_clear (gpointer self)
{
  Figure *f = self;

  g_free (f->part);
  fgd_clear (&f->fgd);
}

static void
figure_session_open (gpointer self, VcSession *ssn)
{
  Figure *f = self;
  const VcNodes *n = &vc_session_cluster (ssn)->nodes;

  if (!vc_session_logs (ssn, 3))
    return;
  vc_card_view_open (&f->fgd.view, ssn);
  vc_fragments_learn (f->fgd.fragments, &f->fgd.view);
  if (f->cap < n->cap)
    f->part = g_renew (Part, f->part, f->cap = n->cap);
  memset (f->part, 0, f->cap * sizeof *f->part);
  f->sum = (Part) { 0 };
  for (guint32 i = 0; i < n->n_list; i++)
    count_node (f, n->list[i]);
  vc_session_add_handlers (ssn, figure_allocated, figure_moved);
}

static void
figure_session_close (gpointer self, VcSession *ssn)
{
  if (vc_session_logs (ssn, 3))
    tell (self, ssn, "in all");
}

const VcPluginClass vc_plugin_x_fragments = {
  .name = "x-fragments",
  .summary = VC_X_FRAGMENTS_SUMMARY,
  .args = vc_x_fragments_args,
  .instance_size = sizeof (Figure),
  .init = figure_init,
  .session_open = figure_session_open,
  .session_close = figure_session_close,
  .clear = figure_clear,
};
