/* tests/test-devices.c - shared devices: what upstream's own tests state, malformed annotations, what a session leaves behind. */
#include "cell.h"
#include "core/cache/cache-private.h"
#include "core/devices/ascend-hami.h"
#include "core/devices/node-lock.h"
#include "core/devices/vgpu.h"
#include "run-helper.h"
#include "suite.h"
#include <string.h>

/* ---- small clusters ------------------------------------------------------------------------------- */

#define GPUS(name, annotations) \
  "- {apiVersion: v1, kind: Node, metadata: {name: " name ", annotations: {" annotations "}}, status: {allocatable: {pods: 99, volcano.sh/vgpu-number: 99, volcano.sh/vgpu-memory: 999999, volcano.sh/vgpu-cores: 999}}}\n"
#define REGISTER "volcano.sh/node-vgpu-register: "
#define TWO_CARDS REGISTER "'GPU-0,10,8000,NVIDIA-A,true,hami-core:GPU-1,10,8000,NVIDIA-A,true,hami-core:'"
#define ONE_CARD REGISTER "'GPU-0,10,8000,NVIDIA-A,true,hami-core:'"
#define VGPU(memory) "volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: " memory

static gboolean
start (Cell *c, const char *items, const char *actions, const char *arguments)
{
  g_autofree char *conf = g_strdup_printf ("actions: \"%s\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n- plugins:\n  - name: predicates\n  - name: deviceshare\n    arguments:\n%s", actions, arguments);

  return cell_start (c, items, conf);
}

/* What a cycle decides on fresh objects. */
static void
decides (const char *what, const char *items, const char *actions, const char *arguments, const char *want)
{
  g_auto (Cell) c = { 0 };

  if (!start (&c, items, actions, arguments))
    return;
  g_autofree char *got = cell_cycle (&c, TRUE);
  suite_check (strcmp (got, want) == 0, "%s:%s, expected%s", what, got, want);
}

#define VGPU_ON "      deviceshare.VGPUEnable: true\n"

/* ---- whole cards ------------------------------------------------------------------------------------- */

#define CARDS(name, annotations, number, memory)                                                                                                                               \
  "- {apiVersion: v1, kind: Node, metadata: {name: " name ", annotations: {" annotations "}}, status: {capacity: {volcano.sh/gpu-number: " number ", volcano.sh/gpu-memory: "   \
  memory "}, allocatable: {pods: 99, volcano.sh/gpu-number: 99, volcano.sh/gpu-memory: 99999}}}\n"
#define SHARING "      deviceshare.GPUSharingEnable: true\n"
#define NUMBERS "      deviceshare.GPUNumberEnable: true\n"
#define PART(memory) "volcano.sh/gpu-memory: " memory

static void
whole_cards (void)
{
  /* 2 cards of 1000; 900 on card 0 */
  const char *taken = CARDS ("n1", "", "2", "2000") GROUP ("r", "1") GROUP ("a", "1") POD ("r1", "r", ", volcano.sh/gpu-index: '0'}", PART ("900"), ON ("n1"));
  g_autofree char *room = g_strconcat (taken, POD ("a1", "a", "}", PART ("500"), PENDING), POD ("a2", "a", "}", PART ("600"), PENDING), NULL);
  g_autofree char *odd = g_strconcat (CARDS ("n1", "", "2", "2000") GROUP ("r", "1") GROUP ("a", "1") POD ("r1", "r", ", volcano.sh/gpu-index: '0,x'}", PART ("900"), ON ("n1")), POD ("a1", "a", "}", PART ("1000"), PENDING), POD ("a2", "a", "}", PART ("1000"), PENDING), NULL);

  decides ("card 1 holds 500, then has no room for 600", room, "allocate", SHARING, " a1>n1");
  decides ("an index that is no list puts the pod on no card", odd, "allocate", SHARING, " a1>n1 a2>n1");
  decides ("unhealthy cards are out, entries that are no number are passed over", CARDS ("n1", "volcano.sh/gpu-unhealthy-ids: '0,x,7'", "2", "2000") GROUP ("a", "1") POD ("a1", "a", "}", PART ("700"), PENDING) POD ("a2", "a", "}", PART ("700"), PENDING), "allocate", SHARING, " a1>n1");
  decides ("a node without cards is no business of the plugin, but placing fails nothing either", "- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {pods: 9, volcano.sh/gpu-memory: 500}}}\n" GROUP ("a", "1") POD ("a1", "a", "}", PART ("500"), PENDING), "allocate", SHARING, " a1>n1");
  decides ("by number: two of three cards, then one is not enough for two", CARDS ("n1", "", "3", "3000") GROUP ("a", "1") POD ("a1", "a", "}", "volcano.sh/gpu-number: 2", PENDING) POD ("a2", "a", "}", "volcano.sh/gpu-number: 2", PENDING), "allocate", NUMBERS, " a1>n1");
  decides ("who names memory is booked by memory also where cards are given out by number", CARDS ("n1", "", "1", "1000") GROUP ("a", "1") POD ("a1", "a", "}", "volcano.sh/gpu-number: 1, volcano.sh/gpu-memory: 2000", PENDING), "allocate", NUMBERS, "");
}

/* Two pods of gang a fit on card 0, the third does not: what they booked is given back, and b gets it. */
static void
discarded_gangs_give_cards_back (void)
{
  decides ("whole cards", CARDS ("n1", "", "1", "1000") GROUP ("a", "3") GROUP ("b", "1") POD ("a1", "a", "}", PART ("400"), PENDING) POD ("a2", "a", "}", PART ("400"), PENDING) POD ("a3", "a", "}", PART ("400"), PENDING) POD ("b1", "b", "}", PART ("900"), PENDING), "allocate", SHARING, " b1>n1");
  decides ("parts of cards stay booked for the session", GPUS ("n1", ONE_CARD) GROUP ("a", "3") GROUP ("b", "1") POD ("a1", "a", "}", VGPU ("3000"), PENDING) POD ("a2", "a", "}", VGPU ("3000"), PENDING) POD ("a3", "a", "}", VGPU ("3000"), PENDING) POD ("b1", "b", "}", VGPU ("4000"), PENDING), "allocate", VGPU_ON, "");
}

/* … and only for the session. */
static void
a_new_session_starts_from_the_books (void)
{
  g_auto (Cell) c = { 0 };

  if (!start (&c, GPUS ("n1", ONE_CARD) GROUP ("a", "3") GROUP ("b", "1") POD ("a1", "a", "}", VGPU ("3000"), PENDING) POD ("a2", "a", "}", VGPU ("3000"), PENDING) POD ("a3", "a", "}", VGPU ("3000"), PENDING) POD ("b1", "b", "}", VGPU ("4000"), PENDING), "allocate", VGPU_ON))
    return;
  g_autofree char *first = cell_cycle (&c, TRUE);
  vc_cache_remove_pod (c.cache, task_named (&c, "a3")); /* the gang is invalid now */
  g_autofree char *second = cell_cycle (&c, TRUE);
  suite_check (strcmp (first, "") == 0 && strcmp (second, " b1>n1") == 0, "first%s, then%s", first, second);
}

/* ---- parts of cards -------------------------------------------------------------------------------- */

static void
malformed_inventories (void)
{
  const char *pod = GROUP ("a", "1") POD ("a1", "a", "}", VGPU ("9000"), PENDING);
  static const struct { const char *text; gboolean cards; } rows[] = {
    { "GPU-0,10,8000,NVIDIA-A,true,hami-core:", TRUE },  { "GPU-0,10,8000,NVIDIA-A,true,hami-core", FALSE /* no colon */ },
    { "GPU-0,10,8000,NVIDIA-A,true:", FALSE /* five fields */ }, { "GPU-0,10,8000,NVIDIA-A,true,mig:", TRUE /* nobody knows how to cut it */ },
    { ":", FALSE },                                      { "GPU-0,ten,8000,NVIDIA-A,maybe,:", TRUE /* for no pod at all */ },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *items = g_strdup_printf ("- {apiVersion: v1, kind: Node, metadata: {name: n1, annotations: {volcano.sh/node-vgpu-register: '%s'}}, status: {allocatable: {pods: 9, volcano.sh/vgpu-number: 9, volcano.sh/vgpu-memory: 9999, volcano.sh/vgpu-cores: 99}}}\n%s", rows[i].text, pod);

    /* 9000 fit on no card of 8000; without cards the node's own amounts decide */
    decides (rows[i].text, items, "allocate", VGPU_ON, rows[i].cards ? "" : " a1>n1");
  }
  decides ("a node whose cores are used up has no cards", "- {apiVersion: v1, kind: Node, metadata: {name: n1, annotations: {" ONE_CARD "}}, status: {allocatable: {pods: 9, volcano.sh/vgpu-number: 9, volcano.sh/vgpu-memory: 9999, volcano.sh/vgpu-cores: 0}}}\n" GROUP ("a", "1") POD ("a1", "a", "}", VGPU ("9000"), PENDING), "allocate", VGPU_ON, " a1>n1");
}

static void
malformed_assignments (void)
{
  static const struct { const char *text; gboolean full; } rows[] = {
    { "GPU-0,NVIDIA,8000,0:", TRUE }, { "GPU-0,NVIDIA,8000:", FALSE }, { "GPU-0,NVIDIA,8000.5,0:", FALSE }, { "GPU-0,NVIDIA,8000,-1:", FALSE },
    { "GPU-9,NVIDIA,8000,0:", FALSE }, { "x;GPU-0,NVIDIA,8000,0:;", TRUE }, { "MY-GPU-0,NVIDIA,8000,0:", TRUE /* its UUID is a part of that */ }, { "", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *items = g_strdup_printf (GPUS ("n1", ONE_CARD) GROUP ("r", "1") GROUP ("a", "1")
                                              POD ("r1", "r", ", volcano.sh/vgpu-ids-new: '%s'}", VGPU ("8000"), ON ("n1")) POD ("a1", "a", "}", VGPU ("1"), PENDING), rows[i].text);

    decides (rows[i].text, items, "allocate", VGPU_ON, rows[i].full ? "" : " a1>n1");
  }
}

/* Until the bind comes back nobody but the session knows which card the pod has. */
static void
a_bind_brings_its_cards_when_it_arrives (void)
{
  for (guint arrive = 0; arrive < 2; arrive++) {
    g_auto (Cell) c = { 0 };

    if (!start (&c, GPUS ("n1", ONE_CARD) GROUP ("a", "1") GROUP ("b", "1") POD ("a1", "a", "}", VGPU ("8000"), PENDING), "allocate", VGPU_ON))
      return;
    g_autofree char *first = cell_cycle (&c, arrive);
    const VcPair group = { "scheduling.k8s.io/group-name", "b" };
    const VcAmount asks[] = { { "volcano.sh/vgpu-memory", { 8000, 8000000 } }, { "volcano.sh/vgpu-number", { 1, 1000 } } };
    const VcContainer container = { .request = { asks, 2, TRUE }, .limit = { asks, 2, TRUE } };
    const VcPodObject b = { .ns = "ns", .name = "b1", .uid = "b1", .annotations = { &group, 1 }, .created = VC_NO_TIME, .start_time = VC_NO_TIME, .scheduled_time = VC_NO_TIME, .phase = VC_POD_PENDING, .spec = { .container = &container, .n_containers = 1 } };
    vc_cache_add_pod (c.cache, &b);
    g_autofree char *second = cell_cycle (&c, TRUE);
    g_autofree char *what = vc_devices_describe (c.cache->devices, task_named (&c, "a1"));

    suite_check (strcmp (first, " a1>n1") == 0 && strcmp (second, arrive ? "" : " b1>n1") == 0, "arrived %u: first%s, then%s", arrive, first, second);
    suite_check (g_strcmp0 (what, "volcano.sh/vgpu-ids-new=GPU-0,NVIDIA,8000,0:") == 0, "%s", what);
    if (!arrive)
      continue;
    vc_cache_pod_status (c.cache, task_named (&c, "a1"), VC_RUNNING);
    vc_cache_pod_status (c.cache, task_named (&c, "a1"), VC_SUCCEEDED); /* gives the card back */
    g_autofree char *third = cell_cycle (&c, TRUE);
    suite_check (strcmp (third, " b1>n1") == 0, "then%s", third);
  }
}

static void
a_failed_bind_brings_nothing (void)
{
  g_auto (Cell) c = { 0 };

  if (!start (&c, GPUS ("n1", ONE_CARD) GROUP ("a", "1") POD ("a1", "a", "}", VGPU ("8000"), PENDING), "allocate", VGPU_ON))
    return;
  for (guint i = 0; i < 2; i++) {
    g_autofree char *got = cell_cycle (&c, FALSE);
    vc_cache_pod_status (c.cache, task_named (&c, "a1"), VC_PENDING);
    g_autofree char *what = vc_devices_describe (c.cache->devices, task_named (&c, "a1"));
    suite_check (strcmp (got, " a1>n1") == 0 && what == NULL, "cycle %u%s: %s", i, got, what);
  }
}

/* A node that is updated forgets which group a card was cut in, once nobody is on it. */
static void
assignments_of_running_pods_are_booked_anew_with_the_node (void)
{
  g_auto (Cell) c = { 0 };

  if (!start (&c, GPUS ("n1", ONE_CARD) GROUP ("r", "1") GROUP ("a", "1") POD ("r1", "r", ", volcano.sh/vgpu-ids-new: 'GPU-0,NVIDIA,8000,0:'}", VGPU ("8000"), ON ("n1")) POD ("a1", "a", "}", VGPU ("8000"), PENDING), "allocate", VGPU_ON))
    return;
  g_autofree char *first = cell_cycle (&c, TRUE);
  const VcPair cards = { "volcano.sh/node-vgpu-register", "GPU-0,10,8000,NVIDIA-A,true,:GPU-1,10,8000,NVIDIA-A,true,:" };
  const VcAmount have[] = { { "pods", { 9, 9000 } }, { "volcano.sh/vgpu-cores", { 99, 99000 } }, { "volcano.sh/vgpu-memory", { 99999, 99999000 } }, { "volcano.sh/vgpu-number", { 99, 99000 } } };
  const VcNodeObject n1 = { .name = "n1", .allocatable = { have, 4, TRUE }, .annotations = { &cards, 1 } };
  vc_cache_add_node (c.cache, &n1);
  g_autofree char *second = cell_cycle (&c, TRUE);
  g_autofree char *what = vc_devices_describe (c.cache->devices, task_named (&c, "a1"));
  suite_check (strcmp (first, "") == 0 && strcmp (second, " a1>n1") == 0 && g_strcmp0 (what, "volcano.sh/vgpu-ids-new=GPU-1,NVIDIA,8000,0:") == 0, "first%s, then%s: %s", first, second, what);
}

/* A container that asks for no card at all still takes its share of the first one. */
static void
odd_requests (void)
{
  static const struct { const char *limits, *want; } rows[] = {
    { "volcano.sh/vgpu-number: 0, volcano.sh/vgpu-memory: 100", "" },
    { "volcano.sh/vgpu-number: 500m", "" },                       /* no whole number counts as none */
    { "volcano.sh/vgpu-memory: 500m", "GPU-0,NVIDIA,8000,0:" },   /* all of a card */
    { "volcano.sh/vgpu-memory: 4294967297", "GPU-0,NVIDIA,1,0:" }, /* 32 bits */
    { "volcano.sh/vgpu-memory: 10, volcano.sh/vgpu-cores: 101", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_auto (Cell) c = { 0 };
    g_autofree char *items = g_strdup_printf ("- {apiVersion: v1, kind: Node, metadata: {name: n1, annotations: {" ONE_CARD "}}, status: {allocatable: {pods: 9, volcano.sh/vgpu-number: 9, volcano.sh/vgpu-memory: 9999999999, volcano.sh/vgpu-cores: 999}}}\n" GROUP ("a", "1") POD ("a1", "a", "}", "%s", PENDING), rows[i].limits, rows[i].limits);

    if (!start (&c, items, "allocate", VGPU_ON))
      continue;
    g_autofree char *got = cell_cycle (&c, TRUE);
    g_autofree char *what = vc_devices_describe (c.cache->devices, task_named (&c, "a1"));
    suite_check ((rows[i].want != NULL) == (*got != '\0'), "%s:%s", rows[i].limits, got);
    suite_check (rows[i].want == NULL || g_strcmp0 (what + strlen ("volcano.sh/vgpu-ids-new="), rows[i].want) == 0, "%s: %s", rows[i].limits, what);
  }
}

/* binpack 13.33 for 1000 more on a card of 30000 with 3000 used; spread scores nothing. */
static void
scores (void)
{
  static const struct { const char *policy; double score; } rows[] = { { "binpack", 40.0 / 3 }, { "spread", 0 }, { "none", 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_auto (Cell) c = { 0 };
    g_autofree char *arguments = g_strdup_printf (VGPU_ON "      deviceshare.SchedulePolicy: %s\n", rows[i].policy);

    if (!start (&c, GPUS ("n1", REGISTER "'GPU-0,10,30000,NVIDIA-A,true,:'") GROUP ("r", "1") GROUP ("a", "2") POD ("r1", "r", ", volcano.sh/vgpu-ids-new: 'GPU-0,NVIDIA,3000,0:'}", VGPU ("3000"), ON ("n1")) POD ("a1", "a", "}", VGPU ("1000"), PENDING), "allocate", arguments))
      continue;
    g_autofree char * G_GNUC_UNUSED none = cell_cycle (&c, TRUE); /* the gang lacks a pod; the families are on from here */
    g_autoptr (GString) why = g_string_new (NULL);
    const char *reason = NULL;
    VcDevices *d = c.cache->devices;
    guint32 task = task_named (&c, "a1");

    suite_check (vc_devices_filter (d, task, 0, rows[i].policy, &reason, why) == VC_DEVICE_FITS, "%s", reason);
    suite_check (vc_devices_score (d, task, 0, rows[i].policy, TRUE) == rows[i].score, "%s: %g", rows[i].policy, vc_devices_score (d, task, 0, rows[i].policy, TRUE));
    suite_check (vc_devices_score (d, task, 0, rows[i].policy, FALSE) == 0, "without a filter there is no score");
  }
}

/* ---- cut cards ------------------------------------------------------------------------------------- */

static const char geometry[] = "nvidia:\n  resourceCountName: volcano.sh/vgpu-number\n  resourceMemoryName: volcano.sh/vgpu-memory\n  resourceCoreName: volcano.sh/vgpu-cores\n"
                               "  knownMigGeometries:\n  - models: [A100]\n    allowedGeometries:\n    - group: group1\n      geometries:\n      - {name: 1g.5gb, memory: 5120, count: 7}\n"
                               "    - group: group2\n      geometries:\n      - {name: 2g.10gb, memory: 10240, count: 3}\n      - {name: 1g.5gb, memory: 5120, count: 1}\n";

static void
slots_of_cut_cards (void)
{
  g_autoptr (VcArena) arena = vc_arena_new ();
  const VcDeviceConfig *config = vc_device_config_read (geometry, strlen (geometry), arena);
  VcVgpuCard card = { .group = -1 };
  gint group = -1, position = -1;
  guint64 got = 0;

  if (!suite_check (config != NULL && vc_device_config_model (config, "H100") == NULL, "the geometries are read"))
    return;
  card.model = vc_device_config_model (config, "NVIDIA-A100-SXM4-40GB");
  suite_check (vc_mig_match (&card, 5000, &group, &position, &got) && group == 0 && position == 0 && got == 5120, "%d-%d", group, position);
  suite_check (vc_mig_match (&card, 6000, &group, &position, &got) && group == 1 && position == 0 && got == 10240, "%d-%d", group, position);
  suite_check (!vc_mig_match (&card, 10241, &group, &position, &got), "no instance has that much");
  suite_check (vc_mig_take (&card, "group2", 6, 3) == 5120 && card.group == 1, "position 3 is the small instance");
  suite_check (!vc_mig_match (&card, 6000, &group, &position, &got), "in a group in use a kind that nobody has a slot of does not serve");
  suite_check (!vc_mig_match (&card, 5000, &group, &position, &got), "nor does it for less");
  suite_check (vc_mig_take (&card, "group2", 6, 1) == 10240 && vc_mig_match (&card, 5000, &group, &position, &got) && group == 1 && position == 0 && got == 10240, "%d-%d", group, position);
  suite_check (vc_mig_take (&card, "group2", 6, 0) == 10240 && vc_mig_match (&card, 5000, &group, &position, &got) && position == 2, "the first free slot is %d", position);
  suite_check (vc_mig_take (&card, "group2", 6, 4) == 0 && vc_mig_take (&card, "group3", 6, 0) == 0, "no such slot, no such group");
  for (gint i = 0; i < 4; i++)
    vc_mig_give (&card, "group2", 6, i);
  suite_check (card.usage->len == 0 && card.group == 1 && vc_mig_match (&card, 5000, &group, &position, &got) && group == 1 && position == 3, "empty, the card stays in its group: %d-%d", group, position);
  vc_mig_usage_free (card.usage);
}

static void
names_of_slots (void)
{
  static const struct { const char *id; gboolean good; } rows[] = { { "GPU-0[group2-3]", TRUE }, { "GPU-0", FALSE }, { "GPU-0[group2]", FALSE }, { "GPU-0[a-b-1]", FALSE }, { "GPU-0[a-x]", FALSE }, { "GPU-0]a-1[", FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const char *group;
    gsize len;
    gint64 position;

    suite_check (vc_mig_parse (rows[i].id, strlen (rows[i].id), &group, &len, &position) == rows[i].good, "%s", rows[i].id);
  }
}

/* ---- exclusive cards --------------------------------------------------------------------------------- */

#define RULES VGPU_ON "      deviceshare.GPUExclusiveRules:\n      - team: red\n      - team: blue\n        tier: gold\n      - 7\n"
#define FOUR_CARDS REGISTER "'GPU-0,10,8000,NVIDIA-A,true,:GPU-1,10,8000,NVIDIA-A,true,:GPU-2,10,8000,NVIDIA-A,true,:GPU-3,10,8000,NVIDIA-A,true,:'"
#define LABELLED(labels, assigned) assigned "}, labels: {" labels "}"

static guint
cards_for (const char *labels)
{
  guint fit = 0;

  for (guint n = 1; n <= 4; n++) {
    g_auto (Cell) c = { 0 };
    g_autofree char *items = g_strdup_printf (
      GPUS ("n1", FOUR_CARDS) GROUP ("r", "1") GROUP ("a", "1") POD ("r1", "r", LABELLED ("team: red", ", volcano.sh/vgpu-ids-new: 'GPU-0,NVIDIA,100,0:'"), VGPU ("100"), ON ("n1"))
        POD ("b1", "r", LABELLED ("team: blue, tier: gold", ", volcano.sh/vgpu-ids-new: 'GPU-1,NVIDIA,100,0:'"), VGPU ("100"), ON ("n1")) POD ("a1", "a", LABELLED ("%s", ""), "volcano.sh/vgpu-number: %u, volcano.sh/vgpu-memory: 10", PENDING),
      labels, n, n);

    if (!start (&c, items, "allocate", RULES))
      return 0;
    g_autofree char *got = cell_cycle (&c, TRUE);
    fit = *got != '\0' ? n : fit;
  }
  return fit;
}

static void
pods_of_a_rule_keep_apart (void)
{
  suite_check (cards_for ("team: red") == 3, "red sees %u cards", cards_for ("team: red"));
  suite_check (cards_for ("team: blue, tier: gold") == 3, "blue and gold sees %u", cards_for ("team: blue, tier: gold"));
  suite_check (cards_for ("team: blue") == 4, "blue alone matches no rule");
  suite_check (cards_for ("tier: gold") == 4, "nor does gold alone");
}

/* Within a session: the second pod of a rule goes to the other card, a third finds none; others share. */
static void
rules_hold_within_a_session (void)
{
  decides ("two cards", GPUS ("n1", TWO_CARDS) GROUP ("a", "1") POD ("a1", "a", LABELLED ("team: red", ""), VGPU ("10"), PENDING) POD ("a2", "a", LABELLED ("team: red", ""), VGPU ("10"), PENDING) POD ("a3", "a", LABELLED ("team: red", ""), VGPU ("10"), PENDING), "allocate", RULES, " a1>n1 a2>n1");
  decides ("others", GPUS ("n1", ONE_CARD) GROUP ("a", "1") GROUP ("b", "1") POD ("a1", "a", LABELLED ("team: red", ""), VGPU ("10"), PENDING) POD ("b1", "b", LABELLED ("team: green", ""), VGPU ("10"), PENDING), "allocate", RULES, " a1>n1 b1>n1");
  decides ("a pod that is being deleted holds its card", GPUS ("n1", ONE_CARD) GROUP ("r", "1") GROUP ("a", "1") "- {apiVersion: v1, kind: Pod, metadata: {name: r1, namespace: ns, uid: r1, deletionTimestamp: '2026-01-01T00:00:00Z', labels: {team: red}, annotations: {scheduling.k8s.io/group-name: r, volcano.sh/vgpu-ids-new: 'GPU-0,NVIDIA,100,0:'}}, spec: {containers: [{resources: {limits: {" VGPU ("100") "}}}], nodeName: n1}, status: {phase: Running}}\n" POD ("a1", "a", LABELLED ("team: red", ""), VGPU ("10"), PENDING), "allocate", RULES, "");
}

/* ---- NPUs ------------------------------------------------------------------------------------------- */

#define NPUS(name, devices, more) "- {apiVersion: v1, kind: Node, metadata: {name: " name ", annotations: {" more "hami.io/node-register-Ascend310P: '" devices "'}}, status: {allocatable: {pods: 99, huawei.com/Ascend310P: 99}}}\n"
#define NPU(id, count, cores) "{\"id\":\"" id "\",\"count\":" count ",\"devmem\":21527,\"devcore\":" cores ",\"type\":\"Ascend310P\",\"health\":true}"
#define HAMI "      deviceshare.AscendHAMiVNPUEnable: true\n"

static char *
assigned_npu (const char *node, const char *more, const char *limits)
{
  g_auto (Cell) c = { 0 };
  g_autofree char *pod = g_strdup_printf (GROUP ("a", "1") POD ("a1", "a", "%s}", "%s", PENDING), more, limits, limits);
  g_autofree char *items = g_strconcat (node, pod, NULL);

  if (!start (&c, items, "allocate", HAMI))
    return NULL;
  g_autofree char * G_GNUC_UNUSED got = cell_cycle (&c, TRUE);
  return vc_devices_describe (c.cache->devices, task_named (&c, "a1"));
}

static void
npus_by_template (void)
{
  static const struct { const char *memory; const char *want; } rows[] = { { "1", "3072" }, { "3072", "3072" }, { "3073", "6144" }, { "12289", "21527" }, { "24576", "21527" }, { "24577", "0" } };
  const char *node = NPUS ("n1", "[" NPU ("b", "2", "8") "," NPU ("a", "2", "8") "]", "");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *limits = g_strdup_printf ("huawei.com/Ascend310P: 1, huawei.com/Ascend310P-memory: %s", rows[i].memory);
    g_autofree char *want = g_strdup_printf ("hami.io/Ascend310P-devices-allocated=a,Ascend310P,%s,0:;", rows[i].want);
    g_autofree char *got = assigned_npu (node, "", limits);

    suite_check (g_strcmp0 (got, want) == 0, "%s MB: %s", rows[i].memory, got);
  }
  g_autofree char *whole = assigned_npu (node, "", "huawei.com/Ascend310P: 2");
  g_autofree char *parts = assigned_npu (node, "", "huawei.com/Ascend310P: 2, huawei.com/Ascend310P-memory: 3072");
  g_autofree char *soft = assigned_npu (node, ", huawei.com/vnpu-mode: hami-core", "huawei.com/Ascend310P: 1, huawei.com/Ascend310P-memory: 100");
  g_autofree char *offered = assigned_npu (NPUS ("n1", "[" NPU ("a", "2", "8") "]", "hami-vnpu-core: 'true', "), ", huawei.com/vnpu-mode: hami-core", "huawei.com/Ascend310P: 1, huawei.com/Ascend310P-memory: 100, huawei.com/Ascend310P-core: 30");
  suite_check (g_strcmp0 (whole, "hami.io/Ascend310P-devices-allocated=a,Ascend310P,21527,0:b,Ascend310P,21527,0:;") == 0, "two whole ones: %s", whole);
  suite_check (parts == NULL && soft == NULL, "several parts: %s, soft where it is not offered: %s", parts, soft);
  suite_check (g_strcmp0 (offered, "hami.io/Ascend310P-devices-allocated=a,Ascend310P,100,30:;") == 0, "soft: %s", offered);
}

static void
malformed_npus (void)
{
  static const struct { const char *text; gboolean devices; } rows[] = {
    { "[" NPU ("a", "1", "8") "]", TRUE },      { "[" NPU ("a", "1.5", "8") "]", FALSE },  { "[" NPU ("a", "\"1\"", "8") "]", FALSE }, { "[]", FALSE },   { "null", FALSE }, { "{}", FALSE },
    { "[" NPU ("a", "1", "8") "] x", FALSE },   { "[{\"ID\":\"a\",\"COUNT\":1}]", TRUE },   { "[{}]", TRUE },                              { "[7]", FALSE },  { "[{\"id\":\"a\",\"custominfo\":7}]", FALSE }, { "[{\"id\":\"a\",\"index\":-1}]", FALSE },
    { "[{\"id\":\"a\",\"count\":2147483648}]", FALSE }, { "[{\"id\":\"a\",\"whatever\":[]}]", TRUE },
  };
  g_autoptr (VcArena) arena = vc_arena_new ();
  const VcDeviceConfig *config = vc_device_config_default (arena);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const VcPair pair = { "hami.io/node-register-Ascend310P", rows[i].text };
    const VcPairs annotations = { &pair, 1 };

    suite_check (vc_ascend_hami_announces (&config->npu[0], &annotations) == rows[i].devices, "%s", rows[i].text);
  }
}

/* The first device of the second container gets lost when the assignment is read back: its room is given out twice. */
static void
assignments_are_read_back_as_upstream_does (void)
{
  decides ("two containers", NPUS ("n1", "[" NPU ("a", "9", "8") "," NPU ("b", "9", "8") "]", "") GROUP ("r", "1") GROUP ("a", "1") POD ("r1", "r", ", hami.io/Ascend310P-devices-allocated: 'a,Ascend310P,21527,0:;b,Ascend310P,21527,0:;'}", "huawei.com/Ascend310P: 1", ON ("n1")) POD ("a1", "a", "}", "huawei.com/Ascend310P: 1", PENDING) POD ("a2", "a", "}", "huawei.com/Ascend310P: 1", PENDING), "allocate", HAMI, " a1>n1");
  decides ("a part with three fields spoils it all", NPUS ("n1", "[" NPU ("a", "9", "8") "]", "") GROUP ("r", "1") GROUP ("a", "1") POD ("r1", "r", ", hami.io/Ascend310P-devices-allocated: 'a,Ascend310P,21527,0:b,c,d:;'}", "huawei.com/Ascend310P: 1", ON ("n1")) POD ("a1", "a", "}", "huawei.com/Ascend310P: 1", PENDING), "allocate", HAMI, " a1>n1");
}

/* ---- the configuration --------------------------------------------------------------------------------- */

static void
configurations (void)
{
  static const struct { const char *text; gboolean good; guint npus; const char *count; } rows[] = {
    { "", TRUE, 0, "" },
    { "nvidia:\nvnpus:\n", TRUE, 0, "" },
    { "nvidia: {resourceCountName: 7, gpuMemoryFactor: 2.9, whatever: [1]}\n", TRUE, 0, "7" },
    { "vnpus:\n- {commonWord: X, resourceName: a/x}\n- {commonWord: Y}\n", TRUE, 2, "" },
    { "vnpus: {hamiVnpuCore: true, configs: [{commonWord: X}]}\n", TRUE, 1, "" },
    { "vnpus: x\n", FALSE, 0, NULL },
    { "nvidia: [x]\n", FALSE, 0, NULL },
    { "nvidia: {gpuMemoryFactor: '2'}\n", FALSE, 0, NULL },
    { "nvidia: {gpuMemoryFactor: -2}\n", FALSE, 0, NULL },
    { "nvidia: {overwriteEnv: 1}\n", FALSE, 0, NULL },
    { "vnpus: [{commonWord: [X]}]\n", FALSE, 0, NULL },
    { "vnpus: [{aiCore: 2147483648}]\n", FALSE, 0, NULL },
    { "- x\n", FALSE, 0, NULL },
    { "nvidia: {", FALSE, 0, NULL },
    { "a: &a {resourceCountName: c}\nnvidia: {<<: *a}\n", TRUE, 0, "c" },
  };
  g_autoptr (VcArena) arena = vc_arena_new ();

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const VcDeviceConfig *c = vc_device_config_read (rows[i].text, strlen (rows[i].text), arena);

    suite_check ((c != NULL) == rows[i].good, "'%s'", rows[i].text);
    if (c != NULL)
      suite_check ((c->n_npus == rows[i].npus && strcmp (c->nvidia.count, rows[i].count) == 0), "'%s': %u types, count %s", rows[i].text, c->n_npus, c->nvidia.count);
  }
}

static void
arguments_that_exclude_each_other (void)
{
  static const struct { const char *arguments; const char *error; } rows[] = {
    { SHARING NUMBERS, "cannot both be true" }, { SHARING VGPU_ON, "cannot both be true" }, { NUMBERS VGPU_ON, "cannot both be true" }, { VGPU_ON HAMI, NULL },
    { "      deviceshare.GPUSharingEnable: \"true\"\n", NULL },
    { "      deviceshare.AscendMindClusterVNPUEnable: true\n", "AscendMindClusterVNPUEnable (NPUs cut by what the components of MindCluster report) is not implemented yet" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *conf = g_strconcat ("actions: allocate\ntiers:\n- plugins:\n  - name: deviceshare\n    arguments:\n", rows[i].arguments, NULL);
    g_autoptr (GError) error = NULL;
    VcCacheOptions cache;
    VcEngineOptions options;

    vc_cache_options_init (&cache);
    vc_engine_options_init (&options);
    g_autoptr (VcCache) c = vc_cache_new (vc_res_names_new (NULL, 0, NULL), &cache);
    VcConf *parsed = vc_conf_parse (conf, strlen (conf), "conf", vc_catalog (), FALSE, NULL, &error);
    g_autoptr (VcEngine) engine = parsed != NULL ? vc_engine_new (c, parsed, FALSE, &options, &error) : NULL;
    suite_check ((engine != NULL) == (rows[i].error == NULL) && (rows[i].error == NULL || strstr (error->message, rows[i].error) != NULL), "row %u: %s", i, error != NULL ? error->message : "accepted");
  }
}

static void
names_that_are_no_resources (void)
{
  const VcPair devices = { "hami.io/node-register-Ascend310P", "[" NPU ("a", "1", "8") "]" };
  const VcAmount have = { "huawei.com/Ascend310P", { 1, 1000 } };
  const VcNodeObject with = { .name = "n1", .allocatable = { &have, 1, TRUE }, .annotations = { &devices, 1 } }, without = { .name = "n2", .allocatable = { &have, 1, TRUE } };
  const VcNodeObject *nodes[] = { &without, &with };
  g_auto (VcArgs) args = { 0 };

  vc_args_read ("deviceshare.AscendHAMiVNPUEnable: true", 38, &args);
  g_auto (GStrv) both = vc_devices_ignored (&args, NULL, 0, nodes, 2), none = vc_devices_ignored (&args, NULL, 0, nodes, 1);
  g_autofree char *text = g_strjoinv (" ", both);
  suite_check (strcmp (text, "huawei.com/Ascend310P-core huawei.com/Ascend310P-memory") == 0 && none[0] == NULL, "%s", text);
}

/* ---- the rest ------------------------------------------------------------------------------------------- */

static void
locks_of_nodes (void)
{
  VcNodeLocks *l = vc_node_locks_new ();
  const gint64 second = G_USEC_PER_SEC;

  suite_check (vc_node_locks_take (l, 1, "gpu", NOW + 1), "nobody holds it");
  suite_check (!vc_node_locks_take (l, 1, "gpu", NOW + 300 * second) && vc_node_locks_take (l, 2, "gpu", NOW) && vc_node_locks_take (l, 1, "hamivgpu", NOW), "others' locks are others");
  suite_check (vc_node_locks_take (l, 1, "gpu", NOW + 300 * second + 1), "after five minutes it is old");
  vc_node_locks_give (l, 1, "gpu");
  suite_check (vc_node_locks_take (l, 1, "gpu", NOW + 301 * second), "given back");
  vc_node_locks_set (l, 1, "gpu", "2025-12-31T23:00:00+01:00");
  suite_check (vc_node_locks_take (l, 1, "gpu", NOW), "the node says it is two hours old");
  vc_node_locks_set (l, 1, "gpu", "yesterday");
  suite_check (!vc_node_locks_take (l, 1, "gpu", NOW + 9999 * second), "a time that nobody can read never ends");
  vc_node_locks_free (l);
}

/* One placement at a time: the next one when the pod runs. */
static void
locks_hold_placements_up (void)
{
  g_auto (Cell) c = { 0 };

  if (!start (&c, GPUS ("n1", ONE_CARD) GROUP ("a", "1") POD ("a1", "a", "}", VGPU ("10"), PENDING) POD ("a2", "a", "}", VGPU ("10"), PENDING), "allocate", VGPU_ON "      deviceshare.NodeLockEnable: true\n"))
    return;
  suite_check (vc_engine_reads_clock (c.engine), "locks age with the clock");
  g_autofree char *first = cell_cycle (&c, TRUE), *second = cell_cycle (&c, TRUE);
  vc_cache_pod_status (c.cache, task_named (&c, "a1"), VC_RUNNING);
  g_autofree char *third = cell_cycle (&c, TRUE);
  suite_check (strcmp (first, " a1>n1") == 0 && strcmp (second, "") == 0 && strcmp (third, " a2>n1") == 0, "first%s, then%s, then%s", first, second, third);
}

static void
add_amount (gpointer user, guint dim, double amount)
{
  double *v = user;
  v[dim] = amount;
}

/* Two cards of 1000 each: the queue's status counts 2000, where the pod asks for 1000. */
static void
queues_count_what_pods_were_given (void)
{
  g_auto (Cell) c = { 0 };
  double v[VC_RES_MAX] = { 0 };

  if (!start (&c, GPUS ("n1", TWO_CARDS) GROUP ("r", "1") POD ("r1", "r", ", volcano.sh/vgpu-ids-new: 'GPU-0,NVIDIA,1000,5:GPU-1,NVIDIA,1000,6:'}", "volcano.sh/vgpu-number: 2, volcano.sh/vgpu-memory: 1000", ON ("n1")), "allocate", VGPU_ON))
    return;
  g_autofree char * G_GNUC_UNUSED none = cell_cycle (&c, TRUE);
  VcCluster *cluster = vc_cache_cluster (c.cache);
  vc_devices_queue_amounts (c.cache->devices, task_named (&c, "r1"), add_amount, v);
  suite_check (v[vc_res_names_find (cluster->names, "volcano.sh/vgpu-memory")] == 2000000 && v[vc_res_names_find (cluster->names, "volcano.sh/vgpu-cores")] == 11000, "memory and cores");
}

/* Evicting r1 gives its card to a1; a dry run and the real eviction agree. r2's eviction would not help: its card is too small. */
static void
evictions_free_cards (void)
{
  const char *objects = "- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 100}\n" GPUS ("n1", REGISTER "'GPU-0,10,8000,NVIDIA-A,true,:GPU-1,10,2000,NVIDIA-A,true,:'") GROUP ("r", "1")
    "- {apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: a, namespace: ns}, spec: {minMember: 1, queue: q, priorityClassName: high}, status: {phase: Inqueue}}\n"
    POD ("r1", "r", ", volcano.sh/vgpu-ids-new: 'GPU-0,NVIDIA,8000,0:'}", VGPU ("8000"), ", priority: 1" ON ("n1")) POD ("r2", "r", ", volcano.sh/vgpu-ids-new: 'GPU-1,NVIDIA,2000,0:'}", VGPU ("2000"), ", priority: 1" ON ("n1"))
      POD ("a1", "a", "}", VGPU ("5000"), ", priority: 100, priorityClassName: high" PENDING);
  decides ("by eviction", objects, "allocate, preempt", VGPU_ON, " a1~n1 !r1");
  decides ("tried on paper before", objects, "allocate, preempt", VGPU_ON "configurations:\n- name: preempt\n  arguments:\n    enableTopologyAwarePreemption: true\n", " a1~n1 !r1");
}

/* ---- a run ------------------------------------------------------------------------------------------------ */

/* Two nodes with two cards of 32000. The six pods of a (16000 each) leave 16000 on one card of each node, so the four of b (20000 each) wait until a ends. */
static void
a_run_keeps_cards_apart (void)
{
  g_autofree char *dir = test_make_dir ();
  g_autofree char *nodes = test_write (dir, "nodes.csv", "node,cpu,memory,volcano.sh/vgpu-number,volcano.sh/vgpu-memory,volcano.sh/vgpu-cores,annotations,count\n"
                                                       "gpu,32,128Gi,20,64000,200,\"volcano.sh/node-vgpu-register=GPU-0,10,32000,NVIDIA-A,true,:GPU-1,10,32000,NVIDIA-A,true,:\",2\n");
  g_autofree char *jobs = test_write (dir, "jobs.csv", "job,submit,replicas,cpu,memory,volcano.sh/vgpu-number,volcano.sh/vgpu-memory,duration\na,0,6,1,1Gi,1,16000,60\nb,1,4,1,1Gi,1,20000,30\n");
  g_autofree char *conf = test_write (dir, "v.conf", "actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n  - name: deviceshare\n    arguments:\n      deviceshare.VGPUEnable: true\n      deviceshare.SchedulePolicy: binpack\n");
  const char *const args[] = { "--nodes", nodes, "--jobs", jobs, "--conf", conf, NULL };
  g_autofree char *out = test_run_all_ways (dir, args), *table = g_build_filename (out, "jobs.csv", NULL);
  g_auto (TestTable) t = { 0 };

  if (suite_check (test_table_read (&t, table, NULL), "%s", table))
    for (guint r = 0; r < t.rows->len; r++) {
      const char *want = strcmp (test_table_cell (&t, r, test_table_column (&t, "job")), "a") == 0 ? "1" : "61";

      suite_check (strcmp (test_table_cell (&t, r, test_table_column (&t, "gang_start")), want) == 0, "row %u starts at %s", r, test_table_cell (&t, r, test_table_column (&t, "gang_start")));
    }
  test_remove_tree (dir);
}

static CU_TestInfo tests[] = {
  { "whole cards: by memory, by number, malformed lists", whole_cards },
  { "a discarded gang gives whole cards back, parts of cards not", discarded_gangs_give_cards_back },
  { "a new session starts from the books", a_new_session_starts_from_the_books },
  { "malformed inventories", malformed_inventories },
  { "malformed assignments", malformed_assignments },
  { "a bind brings its cards when it arrives", a_bind_brings_its_cards_when_it_arrives },
  { "a failed bind brings nothing", a_failed_bind_brings_nothing },
  { "a node that changes is booked anew", assignments_of_running_pods_are_booked_anew_with_the_node },
  { "odd requests", odd_requests },
  { "scores of parts of cards", scores },
  { "slots of cut cards", slots_of_cut_cards },
  { "names of slots", names_of_slots },
  { "pods of a rule keep apart", pods_of_a_rule_keep_apart },
  { "rules hold within a session", rules_hold_within_a_session },
  { "NPUs by template", npus_by_template },
  { "malformed NPUs", malformed_npus },
  { "assignments of NPUs are read back as upstream does", assignments_are_read_back_as_upstream_does },
  { "configurations of devices", configurations },
  { "arguments that exclude each other", arguments_that_exclude_each_other },
  { "names that are no resources", names_that_are_no_resources },
  { "locks of nodes", locks_of_nodes },
  { "locks hold placements up", locks_hold_placements_up },
  { "queues count what pods were given", queues_count_what_pods_were_given },
  { "evictions free cards", evictions_free_cards },
  { "a run keeps cards apart", a_run_keeps_cards_apart },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("devices", tests);
}
