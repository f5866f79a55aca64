/* tests/fuzz/fuzz-conf.c - random configurations, see fuzz-world.h. */
#include "fuzz-world.h"
#include <string.h>

static void
shuffle (FuzzWorld *w, const char **list, guint n)
{
  for (guint i = n; i > 1; i--) {
    guint k = fuzz_below (w, i);
    const char *t = list[i - 1];

    list[i - 1] = list[k];
    list[k] = t;
  }
}

static void
write_actions (FuzzWorld *w, GString *out)
{
  const char *list[32];
  guint n = 0;

  for (guint i = 0; vc_action_classes[i] != NULL; i++) {
    const char *name = vc_action_classes[i]->name;
    guint percent = strcmp (name, "allocate") == 0 ? 92 : strcmp (name, "shuffle") == 0 ? 15 : 50;

    if (fuzz_chance (w, percent))
      list[n++] = name;
  }
  if (n == 0)
    list[n++] = "allocate";
  shuffle (w, list, n);
  if (fuzz_chance (w, 8) && n < G_N_ELEMENTS (list)) {
    list[n] = list[fuzz_below (w, n)];
    n++;
  }
  g_string_append (out, "actions: \"");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "%s%s", i > 0 ? ", " : "", list[i]);
  g_string_append (out, "\"\n");
}

static void
write_arguments (FuzzWorld *w, GString *out, const char *plugin)
{
  static const struct {
    const char *plugin, *text;
  } known[] = {
    { "binpack", "binpack.weight: 5\n      binpack.cpu: 2\n      binpack.resources: nvidia.com/gpu\n      binpack.resources.nvidia.com/gpu: 3" },
    { "binpack", "binpack.weight: 0" },
    { "capacity", "ancestorReclaimLevel: 1" },
    { "capacity", "ancestorReclaimLevel: 3" },
    { "nodeorder", "mostrequested.weight: 2\n      leastrequested.weight: 0" },
    { "nodeorder", "nodeaffinity.weight: 5\n      balancedresource.weight: 0\n      tainttoleration.weight: 1" },
    { "network-topology-aware", "weight: 10\n      hypernode.binpack.cpu: 5\n      hypernode.binpack.memory: 0" },
    { "network-topology-aware", "hypernode.binpack.normal-pod.enable: false\n      hypernode.binpack.resources: nvidia.com/gpu" },
    { "overcommit", "overcommit-factor: 1.0" },
    { "overcommit", "overcommit-factor: 2.5" },
    { "predicates", "predicate.CacheEnable: true" },
    { "predicates", "predicate.NodePortsEnable: false\n      predicate.TaintTolerationEnable: false" },
    { "rescheduling", "interval: 1s\n      metricsPeriod: 10m\n      strategies:\n      - name: lowNodeUtilization\n        params:\n          "
                      "thresholds: {cpu: 30, memory: 30}\n          targetThresholds: {cpu: 60, memory: 60}" },
    { "nodegroup", "strict: false" },
    { "nodegroup", "enablePreferredOrder: true\n      strict: false" },
    { "resource-strategy-fit", "resourceStrategyFitWeight: 5\n      resources:\n        nvidia.com/gpu:\n          type: MostAllocated\n          weight: 2\n        "
                               "cpu:\n          type: LeastAllocated\n          weight: 1" },
    { "resource-strategy-fit", "sra:\n        enable: true\n        resources: nvidia.com/gpu\n        weight: 10\n      proportional:\n        enable: true\n        "
                               "resources: nvidia.com/gpu\n        resourceProportion:\n          nvidia.com/gpu.cpu: 1\n          nvidia.com/gpu.memory: 0.001" },
    { "task-topology", "task-topology.weight: 10" },
    { "sla", "sla-waiting-time: 1h" },
    { "tdm", "tdm.revocable-zone.rz1: 06:00-18:00\n      tdm.evict.period: 1s" },
    { "tdm", "tdm.revocable-zone.rz1: 18:00-06:00\n      tdm.evict.period: 2s" },
    { "usage", "thresholds:\n        cpu: 70\n        mem: 60" },
  };
  guint fitting[G_N_ELEMENTS (known)], n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (known[i].plugin, plugin) == 0)
      fitting[n++] = i;
  if (n > 0 && fuzz_chance (w, 50))
    g_string_append_printf (out, "    arguments:\n      %s\n", known[fitting[fuzz_below (w, n)]].text);
}

static void
write_plugin (FuzzWorld *w, GString *out, const char *name)
{
  g_string_append_printf (out, "  - name: %s\n", name);
  if (fuzz_chance (w, 25))
    for (guint f = 0; f < VC_N_FLAGS; f++)
      if (f != VC_FLAG_HIERARCHY && fuzz_chance (w, 12))
        g_string_append_printf (out, "    %s: %s\n", vc_flag_names[f], fuzz_chance (w, 85) ? "false" : "true");
  if (fuzz_chance (w, strcmp (name, "capacity") == 0 ? 40 : strcmp (name, "drf") == 0 ? 20 : 3))
    g_string_append (out, "    enableHierarchy: true\n");
  write_arguments (w, out, name);
}

static char *
write_conf (FuzzWorld *w)
{
  static const char *const action_args[] = {
    "- name: preempt\n  arguments:\n    enableTopologyAwarePreemption: true\n    minCandidateNodesPercentage: 50\n",
    "- name: allocate\n  arguments:\n    predicateErrorCacheEnable: false\n",
    "- name: preempt\n  arguments:\n    predicateErrorCacheEnable: false\n",
  };
  GString *out = g_string_new (NULL);
  const char *list[64];
  guint n = 0, tiers = 1 + fuzz_below (w, 3), at = 0, few = fuzz_chance (w, 50) ? 25 : 60;

  write_actions (w, out);
  for (guint i = 0; vc_plugin_classes[i] != NULL; i++) {
    const char *name = vc_plugin_classes[i]->name;
    gboolean strict = strcmp (name, "tdm") == 0 || strcmp (name, "resourcequota") == 0 || strcmp (name, "usage") == 0 || strcmp (name, "nodegroup") == 0; /* they refuse a lot */
    gboolean racks = strcmp (name, "network-topology-aware") == 0 && w->topology;
    guint percent = strcmp (name, "gang") == 0 || racks ? 80 : strcmp (name, "predicates") == 0 ? 70 : strict ? few / 3 : few;

    if (strcmp (name, "extender") != 0 && fuzz_chance (w, percent)) /* extender needs a service */
      list[n++] = name;
  }
  if (n == 0)
    list[n++] = "gang";
  shuffle (w, list, n);
  if (fuzz_chance (w, 4)) {
    list[n] = list[fuzz_below (w, n)];
    n++;
  }
  g_string_append (out, "tiers:\n");
  for (guint t = 0; t < tiers && at < n; t++) {
    guint end = t + 1 == tiers ? n : at + 1 + fuzz_below (w, n - at);

    g_string_append (out, "- plugins:\n");
    for (; at < end; at++)
      write_plugin (w, out, list[at]);
  }
  if (fuzz_chance (w, 30))
    g_string_append_printf (out, "configurations:\n%s", action_args[fuzz_below (w, G_N_ELEMENTS (action_args))]);
  return g_string_free (out, FALSE);
}

char *
fuzz_conf (FuzzWorld *w)
{
  for (;;) { /* drf with enableHierarchy beside proportion is refused: another one then */
    g_autofree char *text = write_conf (w);
    g_autoptr (VcConf) conf = vc_conf_parse (text, strlen (text), "conf", vc_catalog (), TRUE, NULL, NULL);

    if (conf != NULL)
      return g_steal_pointer (&text);
  }
}
