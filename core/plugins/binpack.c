/* core/plugins/binpack.c - best fit: the fuller a node is in what the task asks for, the better.
 *
 * Policy: over the resources that the task requests and that have a weight (cpu, memory, then listed scalars by name)
 *   score = sum (w_r * (used_r + request_r) / allocatable_r) / sum (w_r) * 100 * binpack.weight
 * A resource of which the node has none adds nothing above but its weight below. One in which used + request > allocatable makes the
 * whole score 0. `used` counts running and releasing tasks, not pipelined ones. Other resources (a GPU that is not listed, `pods`) do not
 * count.
 *
 * Example: weights 10, cpu 5, memory 1, gpu 2; node of 8 cpu/32 Gi/4 gpu with 4/8 Gi/1 used; a task of 2 cpu/4 Gi/1 gpu:
 * (5 * 6/8 + 1 * 12/32 + 2 * 2/4) / 8 = 0.640625, so 640.625.
 *
 * Mirrors pkg/scheduler/plugins/binpack/binpack.go. */
#include "pack-weights.h"
#include "plugins.h"

#define LIST "binpack.resources"

const VcArgSpec vc_binpack_args[] = {
  { "binpack.weight", VC_ARG_INT, "weight of the score (default 1; 0 switches it off)" },
  { "binpack.cpu", VC_ARG_INT, "weight of cpu (default 1; below 0 counts as 1)" },
  { "binpack.memory", VC_ARG_INT, "weight of memory (default 1; below 0 counts as 1)" },
  { LIST, VC_ARG_STRING, "further resources that count, separated by commas (default none)" },
  { LIST ".*", VC_ARG_INT, "weight of a listed resource (default 1; below 0 counts as 1)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef struct {
  gint64 weight;
  VcPackWeights pack;
} Binpack;

static gboolean
binpack_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  Binpack *b = self;

  b->weight = 1;
  vc_args_get_int (&option->args, "binpack.weight", &b->weight);
  vc_pack_weights_read (&b->pack, &option->args, "binpack.");
  return TRUE;
}

static gboolean
binpack_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  const Binpack *b = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcRes *request = vc_task (c, task)->shape->request;
  guint dim[VC_RES_MAX], n_dims = 0;
  gint64 sum = 0;

  for (guint64 left = b->pack.weighted & vc_res_name_mask (request); left != 0; left &= left - 1) {
    dim[n_dims] = (guint) __builtin_ctzll (left);
    sum += b->pack.w[dim[n_dims++]];
  }
  double below = (double) (sum > 0 ? sum : 1), scale = (double) (gint64) (100u * (guint64) b->weight);

  for (guint i = 0; i < n; i++) {
    const VcRes *allocatable = c->nodes.info[nodes[i]].allocatable;
    double above = 0;

    for (guint k = 0; k < n_dims; k++) {
      guint d = dim[k];
      double whole = allocatable->v[d], used = request->v[d] + c->nodes.used[d][nodes[i]];

      if (whole == 0 || b->pack.w[d] == 0)
        continue;
      if (used > whole) {
        above = 0;
        break;
      }
      above += used * (double) b->pack.w[d] / whole;
    }
    score[i] += above / below * scale; /* a division by 1 changes nothing */
  }
  return TRUE;
}

static void
binpack_session_open (gpointer self, VcSession *ssn)
{
  Binpack *b = self;

  if (b->weight == 0)
    return;
  vc_pack_weights_set (&b->pack, vc_session_cluster (ssn)->names);
  vc_session_add_node_order (ssn, binpack_score, NULL);
}

static void
binpack_clear (gpointer self)
{
  vc_pack_weights_clear (&((Binpack *) self)->pack);
}

const VcPluginClass vc_plugin_binpack = {
  .name = "binpack",
  .summary = VC_BINPACK_SUMMARY,
  .args = vc_binpack_args,
  .instance_size = sizeof (Binpack),
  .init = binpack_init,
  .session_open = binpack_session_open,
  .clear = binpack_clear,
};
