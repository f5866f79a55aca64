/* core/plugins/template.c - an example to copy: prefer nodes with few pods.
 *
 * Say here what the plugin is for, its formula, a worked example, and the upstream file that it mirrors, as in every plugin of this folder:
 *
 * Policy: the more of a node's pod slots are free, the better.
 *   score = (max_pods - pods) * 100 / max_pods * template.weight, 0 for a node that is full or has no slots
 *
 * Example: max_pods 110, 22 pods on the node, weight 2: (110 - 22) * 100 / 110 * 2 = 160.
 *
 * How to make a plugin of this file (`-` in its name is `_` in C: plugin fewest-pods, class vc_plugin_fewest_pods):
 *  1. Copy it, rename `template`, make its hooks static (one is public here for the example's own test), delete these steps. Declare class, argument
 *     table and a VC_…_SUMMARY text in plugins.h; add the file to core/meson.build.
 *  2. In registry.c, in order of the names: a line in vc_plugin_classes[], and one in the catalog: name, the same summary, argument table or NULL, TRUE
 *     (it exists). This example has none, so no configuration can name it. The number of plugins stands in tests/test-plugins.c
 *     (the_catalog_tells_what_exists) and their names in README.md (Status).
 *  3. Keep to the rules that make cycles fast and repeatable: no state outside the instance; in session_open nothing that grows with the
 *     number of tasks (VcJob keeps counters and sums); no allocation in hooks called per task; lists in their order, never a hash
 *     table's; and a scope for each predicate or score that looks at more than one node.
 *  4. Build; `volsim plugins --names` lists it; try it with `volsim cycle --conf`; add cases to tests/test-plugins-*.c, and run tests/run. */
#include "plugins.h"

/* 1. Arguments: what the configuration may say below `arguments:`. Types are checked when the file is read; the summary names default and
 *    unit, as `volsim plugins` prints it. */
const VcArgSpec vc_template_args[] = {
  { "template.weight", VC_ARG_INT, "weight of the score (default 1; 0 switches it off)" },
  { NULL, VC_ARG_ANY, NULL },
};

/* 2. Instance: zeroed memory that lives as long as the configuration. What depends on the cluster is built anew in session_open. */
typedef struct {
  gint64 weight;
} Template;

/* 3. Init: defaults, then arguments. Return FALSE with an error to refuse the configuration. */
static gboolean
template_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  Template *t = self;

  t->weight = 1;
  vc_args_get_int (&option->args, "template.weight", &t->weight);
  return TRUE;
}

/* 4. Hooks: one column of nodes per call, adding to score[i] and touching nothing else. Rows are places in the tables of VcCluster. */
gboolean
vc_template_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  const Template *t = self;
  const VcNodes *all = &vc_session_cluster (ssn)->nodes;

  for (guint i = 0; i < n; i++) {
    gint64 slots = all->info[nodes[i]].max_pods, pods = all->mirror_pods[nodes[i]];

    if (pods < slots)
      score[i] += (double) ((slots - pods) * 100 / slots * t->weight);
  }
  return TRUE;
}

/* 5. Session open: add the hooks. They are asked in the order of the configuration, while its enable flags let them. */
static void
template_session_open (gpointer self, VcSession *ssn)
{
  const Template *t = self;

  if (t->weight != 0)
    vc_session_add_node_order (ssn, vc_template_score, NULL); /* NULL: the score depends on the node alone */
}

/* 6. Class: all that the engine knows of the plugin. Leave out what it does not need (here session_close and clear). */
const VcPluginClass vc_plugin_template = {
  .name = "template",
  .summary = "example: prefer nodes with few pods",
  .args = vc_template_args,
  .instance_size = sizeof (Template),
  .init = template_init,
  .session_open = template_session_open,
};
