/* tests/fuzz/fuzz-world.c - see fuzz-world.h. */
#include "fuzz-world.h"
#include <stdio.h>
#include <string.h>

#define GPU "nvidia.com/gpu"
#define FOO "example.com/foo"
#define MIB (G_GINT64_CONSTANT (1) << 20)
#define START (G_GINT64_CONSTANT (1767225600)) /* 2026-01-01, seconds */

/* ---- amounts -------------------------------------------------------------------------------- */

typedef struct {
  VcAmount item[5];
  guint n;
} List;

static void
put (List *l, const char *name, gint64 milli)
{
  if (milli != 0)
    l->item[l->n++] = (VcAmount) { name, { (milli + 999) / 1000, milli } };
}

static VcAmounts
amounts (const List *l)
{
  return (VcAmounts) { l->item, l->n, l->n > 0 };
}

/* What a pod asks for: small steps, so that requests of different pods meet exactly. */
static List
request (FuzzWorld *w)
{
  List l = { .n = 0 };

  if (fuzz_chance (w, 6))
    return l; /* best effort */
  put (&l, "cpu", 500 * (gint64) (1 + fuzz_below (w, fuzz_chance (w, 20) ? 12 : 4)));
  if (fuzz_chance (w, 85))
    put (&l, "memory", 512 * MIB * 1000 * (gint64) (1 + fuzz_below (w, 6)));
  if (fuzz_chance (w, 25))
    put (&l, GPU, 1000 * (gint64) (1 + fuzz_below (w, 2)));
  if (fuzz_chance (w, 4))
    put (&l, FOO, 1000);
  return l;
}

static List
share_of_cluster (FuzzWorld *w, guint most)
{
  List l = { .n = 0 };

  if (fuzz_chance (w, 85))
    put (&l, "cpu", 1000 * (gint64) (1 + fuzz_below (w, most)));
  if (fuzz_chance (w, 70))
    put (&l, "memory", 1024 * MIB * 1000 * (gint64) (1 + fuzz_below (w, most)));
  if (fuzz_chance (w, 30))
    put (&l, GPU, 1000 * (gint64) fuzz_below (w, 6));
  return l;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static void
add_node (FuzzWorld *w, guint i)
{
  char name[16];
  List has = { .n = 0 };
  VcPair labels[5];
  VcPair annotation = { "volcano.sh/oversubscription-cpu", "1500" };
  guint n_labels = 0;
  static const char *const effects[] = { "NoSchedule", "PreferNoSchedule", "NoExecute" };
  VcTaint taint = { "dedicated", "x", effects[fuzz_below (w, 3)] };
  const VcImage image = { "registry.example.com/model:1", 800 * MIB };
  gboolean bare = fuzz_chance (w, 3);

  g_snprintf (name, sizeof name, "n%02u", (i * 7) % 23); /* names do not ascend as nodes come */
  put (&has, "cpu", 1000 * (gint64) (1 + fuzz_below (w, 8)));
  put (&has, "memory", 1024 * MIB * 1000 * (gint64) (2 + fuzz_below (w, 12)));
  if (!bare)
    put (&has, "pods", 1000 * (gint64) (fuzz_chance (w, 20) ? 2 + fuzz_below (w, 4) : 110));
  w->scalarless |= bare;
  if (!bare && fuzz_chance (w, 40))
    put (&has, GPU, 1000 * (gint64) (1 + fuzz_below (w, 4)));
  if (!bare && fuzz_chance (w, 10))
    put (&has, FOO, 2000);
  labels[n_labels++] = (VcPair) { "kubernetes.io/hostname", name };
  if (fuzz_chance (w, 40))
    labels[n_labels++] = (VcPair) { "volcano.sh/nodegroup-name", i % 3 == 0 ? "a" : "b" };
  if (fuzz_chance (w, 15))
    labels[n_labels++] = (VcPair) { "volcano.sh/revocable-zone", "rz1" };
  labels[n_labels++] = (VcPair) { "zone", i % 2 == 0 ? "a" : "b" };
  const VcNodeObject o = {
    .name = name,
    .allocatable = amounts (&has),
    .capacity = amounts (&has),
    .labels = { labels, n_labels },
    .annotations = { &annotation, fuzz_chance (w, 3) ? 1 : 0 },
    .taint = &taint,
    .n_taints = fuzz_chance (w, 12) ? 1 : 0,
    .unschedulable = fuzz_chance (w, 4),
    .image = &image,
    .n_images = fuzz_chance (w, 20) ? 1 : 0,
  };
  const VcUsageAverage average = { "10m", (double) fuzz_below (w, 101), (double) fuzz_below (w, 101) };
  const VcNodeUsageObject usage = { name, &average, 1, w->now };
  gboolean measured = fuzz_chance (w, 40);

  for (guint s = 0; s < 2; s++) {
    vc_cache_add_node (w->cache[s], &o);
    if (measured)
      vc_cache_set_node_usage (w->cache[s], &usage);
  }
}

/* ---- queues --------------------------------------------------------------------------------- */

static void
queue_name (guint i, char out[16])
{
  if (i < 2)
    g_strlcpy (out, i == 0 ? "root" : "default", 16);
  else
    g_snprintf (out, 16, "q%u", i);
}

static void
add_queue (FuzzWorld *w, guint i)
{
  char name[16], parent[16] = "root", path[64];
  static const char *const weights[] = { "1/1/1", "1/2/3", "1/4", "2/1/0.5", "x" };
  List lists[3] = { { .n = 0 } };
  static const char *const node_groups[] = { "a", "b", "c" };
  VcNodeGroups groups = { .given = fuzz_chance (w, 50) };
  VcNames *const rules[] = { &groups.required, &groups.preferred, &groups.anti_required, &groups.anti_preferred };
  VcPair annotations[3];
  guint n_annotations = fuzz_chance (w, 50) ? 2 : 0;

  queue_name (i, name);
  for (guint k = 0; k < G_N_ELEMENTS (rules) && groups.given; k++)
    if (fuzz_chance (w, 40))
      *rules[k] = (VcNames) { node_groups + fuzz_below (w, 2), 1 + fuzz_below (w, 2) };
  if (w->hierarchy && i > 3 && fuzz_chance (w, 60))
    queue_name (2 + fuzz_below (w, 2), parent);
  g_snprintf (path, sizeof path, "root/%s/%s", i % 2 == 0 ? "eng" : "sci", name);
  annotations[0] = (VcPair) { "volcano.sh/hierarchy", path };
  annotations[1] = (VcPair) { "volcano.sh/hierarchy-weights", weights[fuzz_below (w, G_N_ELEMENTS (weights))] };
  if (fuzz_chance (w, 10))
    annotations[n_annotations++] = (VcPair) { "volcano.sh/nodegroup-resource-limits", "{\"a\":{\"cpu\":\"4\"},\"b\":{\"memory\":\"4Gi\"}}" };
  if (i > 0) {
    if (fuzz_chance (w, 30))
      lists[0] = share_of_cluster (w, 16);
    if (fuzz_chance (w, 60))
      lists[1] = share_of_cluster (w, 8);
    if (fuzz_chance (w, 15))
      lists[2] = share_of_cluster (w, 2);
  }
  const VcQueueObject o = {
    .name = name,
    .parent = i == 0 ? "" : fuzz_chance (w, 80) || w->hierarchy ? parent : "",
    .state = i > 1 && fuzz_chance (w, 5) ? "Closed" : "Open",
    .annotations = { annotations, n_annotations },
    .created = START + (gint64) fuzz_below (w, 5),
    .weight = (gint32) (fuzz_chance (w, 5) ? 0 : 1 + fuzz_below (w, 4)),
    .priority = fuzz_chance (w, 20) ? (gint32) fuzz_below (w, 3) : 0,
    .reclaimable = fuzz_chance (w, 10) ? 0 : fuzz_chance (w, 50) ? 1 : -1,
    .capability = amounts (&lists[0]),
    .deserved = amounts (&lists[1]),
    .guarantee = amounts (&lists[2]),
    .groups = groups,
  };
  for (guint s = 0; s < 2; s++)
    vc_cache_add_queue (w->cache[s], &o);
}

/* ---- storage and shards ---------------------------------------------------------------------- */

#define DRIVER "fast.example.com"
#define N_CLAIMS 12

static void
claim_name (guint i, char out[16])
{
  g_snprintf (out, 16, "c%02u", i);
}

/* A local volume on some node, free, of a claim beforehand, or of a claim that is bound to it. */
static void
add_volume (FuzzWorld *w, guint i)
{
  const VcCluster *c = vc_cache_cluster (w->cache[0]);
  char name[16], claim[16], handle[16];
  const char *host = c->nodes.info[c->nodes.list[fuzz_below (w, c->nodes.n_list)]].name, *class = i % 3 == 0 ? "now" : "local";
  const VcExpression where = { "kubernetes.io/hostname", VC_OP_IN, &host, 1 };
  const VcNodeTerm term = { .label = &where, .n_labels = 1 };
  const VcPair zone = { "topology.kubernetes.io/zone", "z1" };
  gboolean bound = i % 3 == 0;

  g_snprintf (name, sizeof name, "v%02u", (i * 5) % 31);
  g_snprintf (handle, sizeof handle, "h%02u", i % 7);
  claim_name (i % N_CLAIMS, claim);
  const VcPersistentVolumeObject o = {
    .name = name,
    .labels = { &zone, fuzz_chance (w, 5) ? 1 : 0 },
    .class = class,
    .capacity = { (gint64) (1 + fuzz_below (w, 4)) << 30, ((gint64) (1 + fuzz_below (w, 4)) << 30) * 1000 },
    .modes = fuzz_chance (w, 80) ? VC_ACCESS_ONCE : VC_ACCESS_ONCE | VC_ACCESS_MANY,
    .claim_ns = "ns",
    .claim_name = bound || fuzz_chance (w, 10) ? claim : NULL,
    .claim_uid = bound ? claim : NULL,
    .has_affinity = fuzz_chance (w, 85),
    .term = &term,
    .n_terms = 1,
    .driver = bound ? DRIVER : NULL,
    .handle = handle,
    .phase = bound ? VC_VOLUME_BOUND : VC_VOLUME_AVAILABLE,
  };
  for (guint s = 0; s < 2; s++)
    vc_cache_add_volume (w->cache[s], &o);
}

static void
add_claim (FuzzWorld *w, guint i)
{
  static const char *const classes[] = { "local", "fast", "local" };
  char name[16], volume[16];

  claim_name (i, name);
  g_snprintf (volume, sizeof volume, "v%02u", (i * 5) % 31);
  gboolean bound = i % 3 == 0;
  const VcPersistentVolumeClaimObject o = {
    .ns = "ns",
    .name = name,
    .uid = name,
    .class = bound ? "now" : classes[fuzz_below (w, 3)],
    .has_request = TRUE,
    .request = { (gint64) (1 + fuzz_below (w, 3)) << 30, ((gint64) (1 + fuzz_below (w, 3)) << 30) * 1000 },
    .modes = VC_ACCESS_ONCE,
    .volume = bound ? volume : NULL,
    .bind_completed = bound && fuzz_chance (w, 95),
    .deleting = fuzz_chance (w, 2),
  };
  for (guint s = 0; s < 2; s++)
    vc_cache_add_claim (w->cache[s], &o);
}

static void
add_storage (FuzzWorld *w)
{
  const VcStorageClassObject classes[] = {
    { .name = "local", .provisioner = "kubernetes.io/no-provisioner", .mode = VC_BINDING_WAIT },
    { .name = "fast", .provisioner = DRIVER, .mode = VC_BINDING_WAIT },
    { .name = "now", .provisioner = DRIVER, .mode = VC_BINDING_IMMEDIATE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    for (guint s = 0; s < 2; s++)
      vc_cache_add_storage_class (w->cache[s], &classes[i]);
  for (guint i = 0; i < 24; i++)
    add_volume (w, i);
  for (guint i = 0; i < N_CLAIMS; i++)
    add_claim (w, i);
}

/* Before the nodes, which take their limits from here. */
static void
add_csi_nodes (FuzzWorld *w)
{
  for (guint i = 0; i < 23; i++) {
    char name[16];
    const VcCsiLimit limit = { .name = DRIVER, .limited = fuzz_chance (w, 60), .count = (gint32) fuzz_below (w, 4) };

    g_snprintf (name, sizeof name, "n%02u", i);
    const VcCsiNodeObject o = { name, &limit, 1 };
    for (guint s = 0; s < 2; s++)
      vc_cache_add_csi_node (w->cache[s], &o);
  }
}

static void
add_shards (FuzzWorld *w)
{
  static const char *const names[] = { "n00", "n07", "n14", "n21", "n05", "n12" };
  const VcNodeShardObject own = { "volcano", { names, 1 + fuzz_below (w, 6) }, { NULL, 0 } };
  const VcNodeShardObject other = { "other", { NULL, 0 }, { names + 1, fuzz_below (w, 3) } };

  gboolean known = fuzz_chance (w, 95);

  for (guint s = 0; s < 2; s++) {
    vc_cache_add_node_shard (w->cache[s], &other);
    if (known)
      vc_cache_add_node_shard (w->cache[s], &own);
  }
}

/* ---- HyperNodes ---------------------------------------------------------------------------------- */

#define N_RACKS 5u
#define N_BLOCKS 2u
static const char *const tier_names[] = { "rack", "block", "hall" };

/* HyperNode @i: racks of nodes, blocks of racks, a hall of blocks. Members are named one by one, by a pattern, or by their labels; once in a while a
 * node is in two racks, or a member has not come yet. */
static void
add_hyper_node (FuzzWorld *w, guint i)
{
  static const char *const patterns[] = { "^n0[0-9]$", "^n1", "^n2.*$" };
  guint tier = i < N_RACKS ? 1 : i < N_RACKS + N_BLOCKS ? 2 : 3, n = 0;
  char name[16], text[32][16];
  VcMember member[32] = { 0 };
  const VcPair zone = { "zone", i % 2 == 0 ? "a" : "b" };

  g_snprintf (name, sizeof name, "h%u-%u", 4 - tier, i); /* names descend as tiers rise */
  if (tier == 1 && fuzz_chance (w, 10)) {
    member[n++] = (VcMember) { .type = VC_MEMBER_NODE, .pattern = patterns[fuzz_below (w, 3)] };
  } else if (tier == 1 && fuzz_chance (w, 10)) {
    member[n++] = (VcMember) { .type = VC_MEMBER_NODE, .labels = { TRUE, { &zone, 1 }, NULL, 0 } };
  } else if (tier == 1) {
    for (guint k = 0; k < 23; k++)
      if (k % N_RACKS == i || fuzz_chance (w, 2)) {
        g_snprintf (text[n], sizeof text[n], "n%02u", k);
        member[n] = (VcMember) { .type = VC_MEMBER_NODE, .exact = text[n] };
        n++;
      }
  } else {
    guint first = tier == 2 ? 0 : N_RACKS, last = tier == 2 ? N_RACKS : N_RACKS + N_BLOCKS;
    for (guint k = first; k < last; k++)
      if (tier == 3 || k % N_BLOCKS == i - N_RACKS) {
        g_snprintf (text[n], sizeof text[n], "h%u-%u", 5 - tier, k);
        member[n] = (VcMember) { .type = VC_MEMBER_HYPER_NODE, .exact = text[n] };
        n++;
      }
  }
  const VcHyperNodeObject o = { .name = name, .tier_name = fuzz_chance (w, 80) ? tier_names[tier - 1] : NULL, .tier = tier, .member = member, .n_members = n };
  for (guint s = 0; s < 2; s++)
    vc_cache_add_hyper_node (w->cache[s], &o);
}

static void
remove_hyper_node (FuzzWorld *w, guint i)
{
  char name[16];

  g_snprintf (name, sizeof name, "h%u-%u", i < N_RACKS ? 3 : i < N_RACKS + N_BLOCKS ? 2 : 1, i);
  for (guint s = 0; s < 2; s++)
    vc_cache_remove_hyper_node (w->cache[s], name);
}

static VcTopologySpec
topology_spec (FuzzWorld *w)
{
  VcTopologySpec t = { .mode = fuzz_chance (w, 70) ? VC_TOPOLOGY_HARD : VC_TOPOLOGY_SOFT };

  if (fuzz_chance (w, 75)) {
    t.has_tier = TRUE;
    t.tier = (gint64) (1 + fuzz_below (w, 3));
  } else if (fuzz_chance (w, 80)) {
    t.tier_name = tier_names[fuzz_below (w, 3)];
  }
  return t;
}

/* ---- jobs and pods -------------------------------------------------------------------------- */

static const char *const priority_names[] = { NULL, "low", "high", "unheard-of" };

/* Does @l fit into what @node has idle? */
static gboolean
fits (FuzzWorld *w, const List *l, guint32 node)
{
  const VcCluster *c = vc_cache_cluster (w->cache[0]);

  if (c->nodes.idle[vc_res_names_pods (c->names)][node] < 1)
    return FALSE;
  for (guint i = 0; i < l->n; i++) {
    int d = vc_res_names_find (c->names, l->item[i].name);
    double v = d == VC_RES_MEMORY ? (double) l->item[i].q.value : (double) l->item[i].q.milli;

    if (d < 0 || c->nodes.idle[d][node] < v)
      return FALSE;
  }
  return TRUE;
}

static void
add_pod (FuzzWorld *w, const char *group, guint role, const List *asks, guint variant, gboolean running)
{
  VcCluster *c = vc_cache_cluster (w->cache[0]);
  char name[40], uid[40];
  static const char *const roles[] = { "worker", "master" };
  VcPair annotations[4], labels[2], selector = { "zone", variant % 2 == 0 ? "a" : "b" };
  guint n_annotations = 0;
  const VcHostPort port = { "0.0.0.0", "TCP", 8080 };
  const VcToleration toleration = { "dedicated", NULL, NULL, VC_TOLERATE_EXISTS , FALSE, 0 };
  const char *zone_b[] = { "b" }, *gate[] = { "scheduling.volcano.sh/queue-allocation-gate", "example.com/other" };
  const VcExpression expression = { "zone", VC_OP_IN, zone_b, 1 };
  const VcNodeTerm preferred = { .label = &expression, .n_labels = 1, .weight = 10 };
  VcContainer container = { .name = "main", .image = "registry.example.com/model:1", .request = amounts (asks) };
  const char *node = NULL;

  if (running && c->nodes.n_list > 0) {
    guint32 row = c->nodes.list[fuzz_below (w, c->nodes.n_list)];

    if (fits (w, asks, row) || (!w->tidy && fuzz_chance (w, 30)))
      node = c->nodes.info[row].name;
  }
  w->best_effort |= asks->n == 0;
  guint id = w->next_uid++;
  g_snprintf (name, sizeof name, "%s-%s-%u", group, roles[role], id);
  g_snprintf (uid, sizeof uid, "%04x-%u", (guint) ((id * w->uid_order) & 0xffff), id);
  annotations[n_annotations++] = (VcPair) { "scheduling.k8s.io/group-name", group };
  if (variant % 5 == 4)
    annotations[n_annotations++] = (VcPair) { "volcano.sh/preemptable", fuzz_chance (w, 70) ? "true" : "false" };
  if (variant % 7 == 6)
    annotations[n_annotations++] = (VcPair) { "volcano.sh/revocable-zone", "*" };
  annotations[n_annotations++] = (VcPair) { "volcano.sh/task-spec", roles[role] };
  /* where pods look at each other, those of one shape differ in their labels */
  labels[0] = (VcPair) { "app", (w->relations ? id : variant) % 2 == 0 ? "front" : "back" };
  char part[16];
  g_snprintf (part, sizeof part, "%u", id % 3);
  labels[1] = (VcPair) { "part", part };
  if (variant % 11 == 10) {
    container.port = &port;
    container.n_ports = 1;
  }
  const VcPair front = { "app", "front" };
  const char *topology = variant % 5 < 2 ? "kubernetes.io/hostname" : "zone";
  const VcPodTerm term = { .topology_key = topology, .selector = { TRUE, { &front, 1 }, NULL, 0 }, .weight = 20 };
  const VcSpread spread = {
    .topology_key = topology, .selector = { TRUE, { &front, 1 }, NULL, 0 }, .max_skew = 1, .min_domains = 1, .hard = variant % 3 == 0,
  };
  guint relation = w->relations ? variant % 8 : 8;
  char claim[2][16];
  VcPodVolume volume[2] = { { .name = claim[0] }, { .name = claim[1] } };
  claim_name (fuzz_below (w, N_CLAIMS + (fuzz_chance (w, 5) ? 1u : 0u)), claim[0]); /* once in a while one that is missing */
  claim_name (fuzz_below (w, N_CLAIMS), claim[1]);
  const VcPodObject o = {
    .ns = variant % 13 == 12 ? "kube-system" : "ns",
    .name = name,
    .uid = uid,
    .annotations = { annotations, n_annotations },
    .labels = { labels, w->topology ? 2 : 1 },
    .created = START + (gint64) fuzz_below (w, 4),
    .phase = node != NULL && fuzz_chance (w, 90) ? VC_POD_RUNNING : VC_POD_PENDING,
    .deleting = node != NULL && fuzz_chance (w, 6),
    .node = node,
    .start_time = node != NULL ? START + (gint64) fuzz_below (w, 100) : VC_NO_TIME,
    .scheduled_time = node != NULL ? START : VC_NO_TIME,
    .spec = {
      .container = &container,
      .n_containers = 1,
      .node_selector = { &selector, variant % 9 == 8 ? 1 : 0 },
      .toleration = &toleration,
      .n_tolerations = variant % 4 == 3 ? 1 : 0,
      .preferred = &preferred,
      .n_preferred = variant % 6 == 5 ? 1 : 0,
      .affinity = { relation == 0 || relation == 1, &term, relation == 0, &term, relation == 1 },
      .anti_affinity = { relation == 2 || relation == 3, &term, relation == 2, &term, relation == 3 },
      .spread = &spread,
      .n_spreads = relation == 4 || relation == 5,
      .has_priority = variant % 3 == 2,
      .priority = (gint32) (fuzz_below (w, 3) * 50),
      .never_preempts = variant % 17 == 16,
      .gate = gate,
      .volume = volume,
      .n_volumes = w->storage && variant % 4 != 0 ? fuzz_below (w, 3) : 0,
      .n_gates = node == NULL && variant % 19 == 18 ? 1 + fuzz_below (w, 2) : 0,
    },
  };
  for (guint s = 0; s < 2; s++)
    vc_cache_add_pod (w->cache[s], &o);
}

static void
add_group (FuzzWorld *w)
{
  char name[16], queue[16];
  guint i = w->n_groups++, variant = fuzz_below (w, 1000), size = 1 + fuzz_below (w, fuzz_chance (w, 20) ? 9 : 4);
  gboolean running = fuzz_chance (w, 55), two_roles = size > 1 && fuzz_chance (w, 25);
  List asks[2], min = { .n = 0 };
  static const char *const phases[] = { "Inqueue", "Pending", "", "Inqueue", "Inqueue", "Running" };
  static const char *const waits[] = { "1s", "1h" };
  static const char *const likes[] = { "master,worker", "worker", "master;worker" };
  VcPair annotations[5];
  guint n_annotations = 0;

  g_snprintf (name, sizeof name, "g%03u", (i * 37) % 1000);
  queue_name (1 + fuzz_below (w, w->n_queues - 1), queue);
  asks[0] = request (w);
  asks[1] = request (w);
  if (fuzz_chance (w, 50))
    for (guint k = 0; k < asks[0].n; k++)
      put (&min, asks[0].item[k].name, asks[0].item[k].q.milli * size);
  const VcRoleMin role_min[] = { { "master", (gint32) fuzz_below (w, 2) }, { "worker", (gint32) fuzz_below (w, size) } };
  if (fuzz_chance (w, 8))
    annotations[n_annotations++] = (VcPair) { "sla-waiting-time", waits[fuzz_below (w, 2)] };
  if (fuzz_chance (w, 15))
    annotations[n_annotations++] = (VcPair) { "volcano.sh/preemptable", fuzz_chance (w, 60) ? "true" : "false" };
  if (fuzz_chance (w, 25))
    annotations[n_annotations++] = (VcPair) { "volcano.sh/task-topology-affinity", likes[fuzz_below (w, 3)] };
  if (fuzz_chance (w, 20))
    annotations[n_annotations++] = (VcPair) { "volcano.sh/task-topology-anti-affinity", likes[fuzz_below (w, 3)] };
  if (fuzz_chance (w, 15))
    annotations[n_annotations++] = (VcPair) { "volcano.sh/task-topology-task-order", "worker,master" };
  static const char *const part_key[] = { "part" };
  const VcPair front = { "app", "front" };
  VcSubGroupPolicy policy[2] = { { .name = "parts", .key = part_key, .n_keys = 1 }, { .name = "fronts" } };
  VcTopologySpec topology = { 0 };
  guint n_policies = 0;
  if (w->topology && fuzz_chance (w, 75)) {
    topology = topology_spec (w);
  }
  if (w->topology && fuzz_chance (w, 25)) {
    n_policies = 1 + fuzz_below (w, 2);
    policy[0].selector = (VcSelector) { fuzz_chance (w, 40), { &front, 1 }, NULL, 0 };
    policy[1].selector = (VcSelector) { TRUE, { &front, 1 }, NULL, 0 };
    for (guint k = 0; k < 2; k++) {
      policy[k].has_size = fuzz_chance (w, 70);
      policy[k].size = (gint32) (1 + fuzz_below (w, 3));
      policy[k].min_groups = (gint32) fuzz_below (w, 3);
      if (fuzz_chance (w, 60))
        policy[k].topology = topology_spec (w);
    }
  }
  const VcPodGroupObject o = {
    .topology = topology,
    .policy = policy,
    .n_policies = n_policies,
    .ns = variant % 13 == 12 ? "kube-system" : "ns",
    .name = name,
    .uid = name,
    .annotations = { annotations, n_annotations },
    .created = START + (gint64) fuzz_below (w, 6),
    .queue = fuzz_chance (w, 2) ? "nowhere" : queue,
    .priority_class = priority_names[fuzz_below (w, G_N_ELEMENTS (priority_names))],
    .min_member = (gint32) (fuzz_chance (w, 40) ? size : fuzz_below (w, size + 1)),
    .role_min = role_min,
    .n_role_mins = two_roles && fuzz_chance (w, 60) ? 2 : 0,
    .min_resources = amounts (&min),
    .phase = running ? "Running" : phases[fuzz_below (w, G_N_ELEMENTS (phases))],
  };
  for (guint s = 0; s < 2; s++)
    vc_cache_add_pod_group (w->cache[s], &o);
  for (guint p = 0; p < size; p++)
    add_pod (w, name, two_roles && p == 0, &asks[two_roles && p == 0], variant, running && fuzz_chance (w, 90));
}

/* Quotas and budgets: rare, and only so that the plugins that read them have something to read. */
static void
add_limits (FuzzWorld *w)
{
  List hard = { .n = 0 }, used = { .n = 0 };
  const VcPair match = { "app", "front" };

  put (&hard, "cpu", 1000 * (gint64) (1 + fuzz_below (w, 20)));
  put (&used, "cpu", 1000 * (gint64) fuzz_below (w, 4));
  const VcResourceQuotaObject quota = { .ns = "ns", .name = "quota", .hard = amounts (&hard), .used = amounts (&used) };
  const VcPodDisruptionBudgetObject budget = {
    .ns = "ns",
    .name = "budget",
    .selector = { TRUE, { &match, 1 }, NULL, 0 },
    .min_available = { TRUE, FALSE, 1 },
    .disruptions_allowed = (gint32) fuzz_below (w, 3),
    .expected_pods = 4,
    .current_healthy = 4,
    .desired_healthy = 2,
  };
  for (guint s = 0; s < 2; s++) {
    vc_cache_add_resource_quota (w->cache[s], &quota);
    vc_cache_add_pod_disruption_budget (w->cache[s], &budget);
  }
}

void
fuzz_world_init (FuzzWorld *w, guint64 seed)
{
  static const char *const ignored[] = { "kubernetes.io/no-provisioner", DRIVER, NULL };
  const char *const scalars[] = { GPU, FOO, ("attachable-volumes-csi-" DRIVER) };
  const VcPriorityClassObject classes[] = { { "low", 10, FALSE }, { "high", 1000, FALSE }, { "usual", 100, TRUE } };
  VcCacheOptions options;

  *w = (FuzzWorld) { .state = seed * G_GUINT64_CONSTANT (0xD1342543DE82EF95) + 1 };
  vc_cache_options_init (&options);
  options.priority_class = !fuzz_chance (w, 5);
  w->storage = fuzz_chance (w, 25);
  options.ignored_provisioners = fuzz_chance (w, 70) ? ignored : ignored + 2;
  options.sharding = fuzz_chance (w, 80) ? VC_SHARDING_NONE : fuzz_chance (w, 50) ? VC_SHARDING_SOFT : VC_SHARDING_HARD;
  w->now = (START + (gint64) fuzz_below (w, 86400)) * G_USEC_PER_SEC;
  w->tidy = fuzz_chance (w, 60);
  w->relations = fuzz_chance (w, 40);
  w->hierarchy = fuzz_chance (w, 35);
  w->topology = fuzz_chance (w, 40);
  w->n_nodes = 1 + fuzz_below (w, fuzz_chance (w, 20) || w->topology ? 12 : 5);
  if (w->topology && fuzz_chance (w, 70)) /* else hardly a trial can be foreseen */
    w->relations = w->storage = FALSE;
  w->n_queues = 2 + fuzz_below (w, 6);
  w->uid_order = fuzz_next (w) | 1;
  gboolean usual = fuzz_chance (w, 20), limits = fuzz_chance (w, 25);
  guint n_groups = 1 + fuzz_below (w, fuzz_chance (w, 25) ? 20 : 8);
  for (guint s = 0; s < 2; s++) {
    w->cache[s] = vc_cache_new (vc_res_names_new (scalars, G_N_ELEMENTS (scalars), NULL), &options);
    for (guint i = 0; i < 2u + usual; i++)
      vc_cache_add_priority_class (w->cache[s], &classes[i]);
  }
  if (w->storage)
    add_csi_nodes (w);
  for (guint i = 0; i < w->n_nodes; i++)
    add_node (w, i);
  if (w->storage)
    add_storage (w);
  for (guint i = 0; w->topology && i < N_RACKS + N_BLOCKS + 1; i++)
    if (fuzz_chance (w, 95))
      add_hyper_node (w, i);
  if (options.sharding != VC_SHARDING_NONE)
    add_shards (w);
  for (guint i = 0; i < w->n_queues; i++)
    add_queue (w, i);
  for (guint i = 0; i < n_groups; i++)
    add_group (w);
  if (limits)
    add_limits (w);
  w->conf = fuzz_conf (w);
}

void
fuzz_world_clear (FuzzWorld *w)
{
  for (guint s = 0; s < 2; s++) {
    g_clear_pointer (&w->engine[s], vc_engine_free);
    g_clear_pointer (&w->cache[s], vc_cache_free);
  }
  g_clear_pointer (&w->conf, g_free);
}

/* ---- events --------------------------------------------------------------------------------- */

static void
set_status (FuzzWorld *w, guint32 task, VcStatus status)
{
  for (guint s = 0; s < 2; s++)
    vc_cache_pod_status (w->cache[s], task, status);
}

static void
remove_pod (FuzzWorld *w, guint32 task)
{
  for (guint s = 0; s < 2; s++)
    vc_cache_remove_pod (w->cache[s], task);
}

/* Binds arrive, or fail; evicted pods are on their way, or gone. */
static void
settle (FuzzWorld *w)
{
  GArray *binds = vc_cache_binds (w->cache[0]), *evicts = vc_cache_evicts (w->cache[0]);
  guint n;
  const VcNomination *nomination = vc_engine_nominations (w->engine[0], &n);

  for (guint i = 0; i < n; i++)
    for (guint s = 0; s < 2; s++)
      vc_cache_pod_nominate (w->cache[s], nomination[i].task, nomination[i].node);
  for (guint i = 0; i < binds->len; i++) {
    guint32 task = g_array_index (binds, VcBind, i).task;

    if (fuzz_chance (w, 5)) {
      set_status (w, task, VC_PENDING);
      continue;
    }
    for (guint s = 0; s < 2; s++)
      vc_cache_pod_scheduled (w->cache[s], task, w->now / G_USEC_PER_SEC);
    if (fuzz_chance (w, 95)) /* else it stays Binding */
      set_status (w, task, fuzz_chance (w, 70) ? VC_RUNNING : VC_BOUND);
  }
  for (guint i = 0; i < evicts->len; i++) {
    guint32 task = g_array_index (evicts, VcEvict, i).task;

    set_status (w, task, VC_RELEASING);
    for (guint s = 0; s < 2; s++)
      vc_cache_pod_evicted (w->cache[s], task);
    if (fuzz_chance (w, 40))
      remove_pod (w, task);
  }
  for (guint s = 0; s < 2; s++) {
    g_array_set_size (vc_cache_binds (w->cache[s]), 0);
    g_array_set_size (vc_cache_evicts (w->cache[s]), 0);
    g_array_set_size (vc_cache_statuses (w->cache[s]), 0);
  }
}

/* Something happens to a random pod. */
static void
touch_pod (FuzzWorld *w)
{
  const VcCluster *c = vc_cache_cluster (w->cache[0]);

  if (c->n_tasks == 0)
    return;
  guint32 row = fuzz_below (w, c->n_tasks);
  const VcTask *t = &c->task[row];
  if (!t->live)
    return;
  switch (t->status) {
  case VC_BINDING:
  case VC_BOUND:
    set_status (w, row, VC_RUNNING);
    break;
  case VC_RUNNING:
    set_status (w, row, fuzz_chance (w, 60) ? VC_SUCCEEDED : VC_FAILED);
    break;
  case VC_RELEASING:
  case VC_SUCCEEDED:
  case VC_FAILED:
    remove_pod (w, row);
    break;
  case VC_PENDING:
    if (fuzz_chance (w, 20))
      remove_pod (w, row);
    break;
  default:
    break;
  }
}

static void
touch_job (FuzzWorld *w)
{
  const VcCluster *c = vc_cache_cluster (w->cache[0]);

  if (c->n_job_order == 0)
    return;
  guint32 row = c->job_order[fuzz_below (w, c->n_job_order)];
  const VcJob *j = &c->job[row];
  if (j->has_pg && fuzz_chance (w, 20)) {
    for (guint s = 0; s < 2; s++)
      vc_cache_remove_pod_group (w->cache[s], row);
  } else if (j->has_pg && strcmp (j->ns, "ns") == 0) { /* scales up */
    char name[16];
    List asks = request (w);

    g_strlcpy (name, j->name, sizeof name);
    add_pod (w, name, 0, &asks, fuzz_below (w, 1000), FALSE);
  }
}

static void
one_event (FuzzWorld *w)
{
  char name[16];

  switch (fuzz_below (w, w->topology ? 13 : 12)) {
  case 0:
  case 1:
    add_group (w);
    break;
  case 2:
  case 3:
    touch_job (w);
    break;
  case 4:
    if (w->tidy ? w->n_nodes < 14 : fuzz_chance (w, 60)) /* a new node, or another state of one that is there */
      add_node (w, w->tidy ? w->n_nodes++ : fuzz_below (w, w->n_nodes));
    break;
  case 5:
    if (!w->tidy && fuzz_chance (w, 40)) {
      g_snprintf (name, sizeof name, "n%02u", (fuzz_below (w, w->n_nodes) * 7) % 23);
      w->ghosts = TRUE;
      for (guint s = 0; s < 2; s++)
        vc_cache_remove_node (w->cache[s], name);
    }
    break;
  case 6:
    if (fuzz_chance (w, 50)) {
      guint i = 1 + fuzz_below (w, w->n_queues - 1);
      add_queue (w, i);
    }
    break;
  case 12:
    if (fuzz_chance (w, 60))
      add_hyper_node (w, fuzz_below (w, N_RACKS + N_BLOCKS + 1));
    else if (fuzz_chance (w, 30))
      remove_hyper_node (w, fuzz_below (w, N_RACKS + N_BLOCKS + 1));
    break;
  default:
    touch_pod (w);
    break;
  }
}

void
fuzz_events (FuzzWorld *w)
{
  guint n = fuzz_below (w, 10);

  settle (w);
  for (guint i = 0; i < n; i++)
    one_event (w);
  w->now += (1 + (gint64) fuzz_below (w, 4)) * G_USEC_PER_SEC;
}
