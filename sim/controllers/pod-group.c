/* sim/controllers/pod-group.c - see pod-group.h. */
#include "pod-group.h"
#include "sim/world/min-resources.h"
#include "sim/world/pairs.h"
#include <string.h>

#define MIN_MEMBER "scheduling.volcano.sh/group-min-member"
#define QUEUE "scheduling.volcano.sh/queue-name"
#define PREFIX "volcano.sh/" /* of annotations that are handed down */
#define TOPOLOGY_MODE "volcano.sh/network-topology-mode"
#define TOPOLOGY_TIER "volcano.sh/network-topology-highest-tier"

const SimPodOwner *
sim_pod_controller (const SimPodOwner *owner, guint n)
{
  for (guint i = 0; i < n; i++)
    if (owner[i].controller)
      return &owner[i];
  return NULL;
}

void
sim_pod_group_name (GString *out, const VcPodObject *pod, const SimPodOwner *owner, guint n)
{
  const SimPodOwner *by = sim_pod_controller (owner, n);

  g_string_assign (out, "podgroup-");
  g_string_append (out, by != NULL ? by->uid : pod->uid);
}

/* Owners that hand annotations down; of several that give one key the first counts. */
static gboolean
hands_down (const SimPodOwner *owner)
{
  static const char *const kinds[] = { "ReplicaSet", "DaemonSet", "StatefulSet", "Job", NULL };

  return g_strv_contains (kinds, owner->kind);
}

static const char *
handed_down (const SimPodOwner *owner, guint n, const char *key)
{
  for (guint i = 0; i < n; i++) {
    const char *value = hands_down (&owner[i]) ? vc_pairs_get (&owner[i].annotations, key) : NULL;

    if (value != NULL)
      return value;
  }
  return NULL;
}

static void
inherit_annotations (GArray *to, const SimPodOwner *owner, guint n)
{
  for (guint i = n; i > 0; i--) { /* backwards: the first of a key is put last and stays */
    const SimPodOwner *o = &owner[i - 1];

    for (guint k = 0; hands_down (o) && k < o->annotations.n; k++)
      if (g_str_has_prefix (o->annotations.item[k].key, PREFIX))
        sim_pairs_put (to, o->annotations.item[k].key, o->annotations.item[k].value);
  }
}

gint32
sim_pod_group_min_member (const SimPodOwner *owner, guint n)
{
  const char *text = handed_down (owner, n, MIN_MEMBER);
  gint64 value;

  return text != NULL && g_ascii_string_to_signed (text, 10, G_MININT32, G_MAXINT32, &value, NULL) && value >= 0 ? (gint32) value : 1;
}

static void
read_topology (const VcPairs *annotations, SimPodGroup *out)
{
  const char *mode = vc_pairs_get (annotations, TOPOLOGY_MODE), *tier = vc_pairs_get (annotations, TOPOLOGY_TIER);

  if (mode == NULL && tier == NULL)
    return;
  out->topology.mode = mode != NULL && g_ascii_strcasecmp (mode, "soft") == 0 ? VC_TOPOLOGY_SOFT : VC_TOPOLOGY_HARD; /* what is neither counts as hard */
  out->topology.has_tier = tier != NULL && g_ascii_string_to_signed (tier, 10, G_MININT64, G_MAXINT64, &out->topology.tier, NULL);
}

void
sim_pod_group_build (const VcPodObject *pod, const SimPodOwner *owner, guint n, gboolean inherit, GPtrArray *quota_names,
                     SimPodGroup *out)
{
  static const char *const own_annotations[] = { "volcano.sh/preemptable", "volcano.sh/cooldown-time", "volcano.sh/revocable-zone" };
  static const char *const own_labels[] = { "volcano.sh/preemptable", "volcano.sh/cooldown-time" };
  g_autoptr (GArray) usage = g_array_new (FALSE, FALSE, sizeof (VcAmount));

  *out = (SimPodGroup){ .min_member = inherit ? sim_pod_group_min_member (owner, n) : 1,
                        .queue = vc_pairs_get (&pod->annotations, QUEUE),
                        .priority_class = pod->spec.priority_class,
                        .phase = "Pending",
                        .min_resources = g_array_new (FALSE, FALSE, sizeof (VcAmount)),
                        .annotations = g_array_new (FALSE, FALSE, sizeof (VcPair)),
                        .labels = g_array_new (FALSE, FALSE, sizeof (VcPair)) };
  sim_quota_requests (&pod->spec, usage);
  const SimGroupTask task = { .replicas = (guint32) out->min_member,
                              .min_available = out->min_member,
                              .usage = { (const VcAmount *) (gpointer) usage->data, usage->len, TRUE } };

  sim_min_resources (out->min_member, &task, 1, quota_names, out->min_resources);
  if (inherit)
    inherit_annotations (out->annotations, owner, n);
  for (guint i = 0; i < G_N_ELEMENTS (own_annotations); i++)
    sim_pairs_copy (out->annotations, &pod->annotations, own_annotations[i]);
  for (guint i = 0; i < G_N_ELEMENTS (own_labels); i++)
    sim_pairs_copy (out->labels, &pod->labels, own_labels[i]);
  sim_pairs_copy_budget (out->annotations, &pod->annotations);
  read_topology (&pod->annotations, out);
}

void
sim_pod_group_clear (SimPodGroup *g)
{
  g_clear_pointer (&g->min_resources, g_array_unref);
  g_clear_pointer (&g->annotations, g_array_unref);
  g_clear_pointer (&g->labels, g_array_unref);
}
