/* tests/test-claims.c - devices for claims in one cycle, worked out by hand from the rules of Kubernetes' allocator.
 *
 * Each case is a small cluster as objects. Nodes n1 and n2 have room for many pods; the pods of a case are Pending, each in a job of its own
 * unless it says otherwise. Expected: the node of each pod that is bound, the reasons of one that waits, and the devices of each claim. */
#include "core/model/claims.h"
#include "case.h"
#include "run-helper.h"
#include "suite.h"
#include <string.h>

#define CONF "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n"

/* ---- objects, in YAML's flow style ---- */
#define API "--- {apiVersion: resource.k8s.io/v1, kind: "
#define NODE(name) "--- {apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {zone: z-" name "}}, status: {allocatable: {cpu: 8, pods: 20}}}\n"
#define NODES                                                                                                                    \
  NODE ("n1") NODE ("n2")                                                                                                        \
  "--- {apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: default}, spec: {weight: 1}, status: {state: Open}}\n"
#define CLASS(name, selectors) API "DeviceClass, metadata: {name: " name "}, spec: {selectors: [" selectors "]}}\n"
#define CEL(text) "{cel: {expression: '" text "'}}"
#define GPU CLASS ("gpu", CEL ("device.driver == \"gpu\""))
#define ON(node) "nodeName: " node
#define EVERYWHERE "allNodes: true"
#define POOL(name, generation, slices) "pool: {name: " name ", generation: " generation ", resourceSliceCount: " slices "}"
#define SLICE_OF(name, driver, where, pool, devices) API "ResourceSlice, metadata: {name: " name "}, spec: {driver: " driver ", " where ", " pool ", " devices "}}\n"
#define SLICE(name, where, devices) SLICE_OF (name, "gpu", where, POOL (name, "1", "1"), "devices: [" devices "]")
#define DEVICE(name, more) "{name: " name more "}"
#define ATTRIBUTES(list) ", attributes: {" list "}"
#define CAPACITY(list) ", capacity: {" list "}"
#define CLAIM_OF(name, spec, status) API "ResourceClaim, metadata: {name: " name ", uid: " name "-uid}, spec: {devices: {" spec "}}" status "}\n"
#define CLAIM(name, requests) CLAIM_OF (name, "requests: [" requests "]", "")
#define ASK(name, count, more) "{name: " name ", exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: " count more "}}"
#define ALL(name, more) "{name: " name ", exactly: {deviceClassName: gpu, allocationMode: All" more "}}"
#define SELECT(list) ", selectors: [" list "]"
#define HAS(device, pool) ", status: {allocation: {devices: {results: [{request: r, driver: gpu, pool: " pool ", device: " device "}]}}}"
#define GROUP(name, min)                                                                                                         \
  "--- {apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: " name "}, spec: {minMember: " min ", queue: default}, status: {phase: Inqueue}}\n"
#define MEMBER(name, group, claims, more)                                                                                        \
  "--- {apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: " name ", annotations: {scheduling.k8s.io/group-name: " group "}}, spec: {containers: [{resources: "    \
  "{requests: {cpu: 1}}}], resourceClaims: [" claims "]" more "}, status: {phase: Pending}}\n"
#define POD(name, claims) GROUP (name, "1") MEMBER (name, name, claims, "")
#define POD_ON(name, node, claims) GROUP (name, "1") MEMBER (name, name, claims, ", nodeSelector: {zone: z-" node "}")
#define USES(claim) "{name: e-" claim ", resourceClaimName: " claim "}"
#define NONE "cannot allocate all claims"

static const struct {
  const char *what, *objects;
  const char *binds;   /* "pod=node …", ascending by pod */
  const char *fit;     /* "pod: reason=nodes; …" of every pod that waits with reasons */
  const char *devices; /* "claim: request=driver/pool/device …; …", ascending by claim */
} cases[] = {
  { "the first device of the first node that has one, the next claim the next one; then there is none",
    NODES GPU SLICE ("s1", ON ("n1"), DEVICE ("d1", "")) SLICE ("s2", ON ("n2"), DEVICE ("d1", "")) CLAIM ("a", ASK ("r", "1", "")) CLAIM ("b", ASK ("r", "1", ""))
        CLAIM ("c", ASK ("r", "1", "")) POD ("a", USES ("a")) POD ("b", USES ("b")) POD ("c", USES ("c")),
    "default/a=n1 default/b=n2", "default/c: " NONE "=2", "default/a: r=gpu/s1/d1; default/b: r=gpu/s2/d1" },
  { "selectors of class and request narrow the choice",
    NODES GPU SLICE ("s1", ON ("n1"), DEVICE ("d1", ATTRIBUTES ("model: {string: old}")) ", " DEVICE ("d2", ATTRIBUTES ("model: {string: new}") CAPACITY ("memory: {value: 8Gi}")))
        SLICE_OF ("s3", "nic", ON ("n2"), POOL ("s3", "1", "1"), "devices: [" DEVICE ("d9", ATTRIBUTES ("model: {string: new}")) "]")
            CLAIM ("a", ASK ("r", "1", SELECT (CEL ("device.attributes[\"gpu\"].model == \"new\"") ", " CEL ("device.capacity[\"gpu\"].memory.compareTo(quantity(\"8Gi\")) >= 0"))))
                POD ("a", USES ("a")),
    "default/a=n1", "", "default/a: r=gpu/s1/d2" },
  { "an expression that fails for a device fails the node",
    NODES GPU SLICE ("s1", ON ("n1"), DEVICE ("d1", "")) SLICE ("s2", ON ("n2"), DEVICE ("d1", ATTRIBUTES ("x: {int: 1}")))
        CLAIM ("a", ASK ("r", "1", SELECT (CEL ("device.attributes[\"gpu\"].x == 1")))) POD ("a", USES ("a")),
    "default/a=n2", "", "default/a: r=gpu/s2/d1" },
  { "several devices of one request are a combination, in order; too many for one node",
    NODES GPU SLICE ("s1", ON ("n1"), DEVICE ("d1", "") ", " DEVICE ("d2", "") ", " DEVICE ("d3", "")) CLAIM ("a", ASK ("r", "2", "")) CLAIM ("b", ASK ("r", "2", ""))
        POD ("a", USES ("a")) POD ("b", USES ("b")),
    "default/a=n1", "default/b: " NONE "=2", "default/a: r=gpu/s1/d1 r=gpu/s1/d2" },
  { "a dead end goes back: the wide request comes first, and leaves the one device that the narrow one can use",
    NODES GPU SLICE ("s1", ON ("n1"), DEVICE ("d1", ATTRIBUTES ("x: {bool: true}")) ", " DEVICE ("d2", ATTRIBUTES ("x: {bool: false}")))
        CLAIM ("a", ASK ("wide", "1", "") ", " ASK ("narrow", "1", SELECT (CEL ("device.attributes[\"gpu\"].x")))) POD ("a", USES ("a")),
    "default/a=n1", "", "default/a: wide=gpu/s1/d2 narrow=gpu/s1/d1" },
  { "so it does between the claims of a pod",
    NODES GPU SLICE ("s1", ON ("n1"), DEVICE ("d1", ATTRIBUTES ("x: {bool: true}")) ", " DEVICE ("d2", ATTRIBUTES ("x: {bool: false}")))
        CLAIM ("a", ASK ("r", "1", "")) CLAIM ("b", ASK ("r", "1", SELECT (CEL ("device.attributes[\"gpu\"].x")))) POD ("p", USES ("a") ", " USES ("b")),
    "default/p=n1", "", "default/a: r=gpu/s1/d2; default/b: r=gpu/s1/d1" },
  { "all devices of the node: none in use, and at least one",
    NODES GPU SLICE ("s1", ON ("n1"), DEVICE ("d1", "") ", " DEVICE ("d2", "")) SLICE ("s2", ON ("n2"), DEVICE ("d1", "") ", " DEVICE ("d2", ""))
        CLAIM_OF ("a", "requests: [" ASK ("r", "1", "") "]", HAS ("d2", "s1")) CLAIM ("b", ALL ("r", "")) CLAIM ("c", ALL ("r", SELECT (CEL ("device.driver == \"x\""))))
            POD ("b", USES ("b")) POD ("c", USES ("c")),
    "default/b=n2", "default/c: " NONE "=2", "default/a: r=gpu/s1/d2; default/b: r=gpu/s2/d1 r=gpu/s2/d2" },
  { "all devices while a pool is being updated: an error",
    NODES GPU SLICE_OF ("s1", "gpu", ON ("n1"), POOL ("p", "1", "2"), "devices: [" DEVICE ("d1", "") "]") CLAIM ("a", ALL ("r", "")) POD_ON ("a", "n1", USES ("a")),
    "", "default/a: claim default/a, request r: asks for all devices, but resource pool gpu/p is currently being updated=1, node(s) didn't match Pod's node affinity/selector=1", "" },
  { "an incomplete pool offers nothing, an old generation does not count, and a device name given twice spoils the pool",
    NODES GPU SLICE_OF ("s1", "gpu", ON ("n1"), POOL ("p1", "2", "2"), "devices: [" DEVICE ("d1", "") "]")
        SLICE_OF ("s2", "gpu", ON ("n2"), POOL ("p2", "1", "1"), "devices: [" DEVICE ("old", "") "]")
            SLICE_OF ("s3", "gpu", ON ("n2"), POOL ("p2", "2", "1"), "devices: [" DEVICE ("new", "") "]")
                SLICE_OF ("s4", "gpu", ON ("n1"), POOL ("p3", "1", "2"), "devices: [" DEVICE ("d1", "") "]")
                    SLICE_OF ("s5", "gpu", ON ("n1"), POOL ("p3", "1", "2"), "devices: [" DEVICE ("d1", "") "]") CLAIM ("a", ASK ("r", "1", ""))
                        CLAIM ("b", ASK ("r", "1", "")) POD ("a", USES ("a")) POD ("b", USES ("b")),
    "default/a=n2", "default/b: " NONE "=1, invalid resource pools were encountered=1", "default/a: r=gpu/p2/new" },
  { "devices must agree on an attribute",
    NODES GPU SLICE ("s1", ON ("n1"), DEVICE ("d1", ATTRIBUTES ("numa: {int: 0}")) ", " DEVICE ("d2", ATTRIBUTES ("numa: {int: 1}")) ", " DEVICE ("d3", "") ", "
                                          DEVICE ("d4", ATTRIBUTES ("numa: {int: 1}")))
        CLAIM_OF ("a", "requests: [" ASK ("r", "2", "") "], constraints: [{matchAttribute: gpu/numa}]", "") POD ("a", USES ("a")),
    "default/a=n1", "", "default/a: r=gpu/s1/d2 r=gpu/s1/d4" },
  { "or must not, and only those of the requests that are named",
    NODES GPU SLICE ("s1", ON ("n1"), DEVICE ("d1", ATTRIBUTES ("numa: {int: 0}")) ", " DEVICE ("d2", ATTRIBUTES ("numa: {int: 0}")) ", "
                                          DEVICE ("d3", ATTRIBUTES ("numa: {int: 0}")) ", " DEVICE ("d4", ATTRIBUTES ("numa: {int: 1}")))
        CLAIM_OF ("a", "requests: [" ASK ("x", "1", "") ", " ASK ("y", "1", "") ", " ASK ("z", "1", "") "], constraints: [{distinctAttribute: gpu/numa, requests: [y, z]}]", "")
            POD ("a", USES ("a")),
    "default/a=n1", "", "default/a: x=gpu/s1/d1 y=gpu/s1/d2 z=gpu/s1/d4" },
  { "the first alternative that works; the sooner it stands the better the node",
    NODES GPU CLASS ("big", CEL ("device.attributes[\"gpu\"].size == 2")) SLICE ("s1", ON ("n1"), DEVICE ("d1", ATTRIBUTES ("size: {int: 1}")) ", " DEVICE ("d2", ATTRIBUTES ("size: {int: 1}")))
        SLICE ("s2", ON ("n2"), DEVICE ("d1", ATTRIBUTES ("size: {int: 2}")))
            CLAIM ("a", "{name: r, firstAvailable: [{name: one, deviceClassName: big, allocationMode: ExactCount, count: 1}, {name: two, deviceClassName: gpu, allocationMode: ExactCount, count: 2}]}")
                CLAIM ("b", "{name: r, firstAvailable: [{name: one, deviceClassName: big, allocationMode: ExactCount, count: 1}, {name: two, deviceClassName: gpu, allocationMode: ExactCount, count: 2}]}")
                    POD ("a", USES ("a")) POD ("b", USES ("b")),
    "default/a=n2 default/b=n1", "", "default/a: r/one=gpu/s2/d1; default/b: r/two=gpu/s1/d1 r/two=gpu/s1/d2" },
  { "taints keep claims away that do not tolerate them; effect None does not",
    NODES GPU SLICE ("s1", ON ("n1"), DEVICE ("d1", ", taints: [{key: k, value: v, effect: NoSchedule}]") ", " DEVICE ("d2", ", taints: [{key: k, effect: NoExecute}]") ", "
                                          DEVICE ("d3", ", taints: [{key: k, effect: None}]"))
        CLAIM ("a", ASK ("r", "1", "")) CLAIM ("b", ASK ("r", "1", ", tolerations: [{key: k, operator: Exists, effect: NoExecute}]"))
            CLAIM ("c", ASK ("r", "1", ", tolerations: [{key: k, operator: Equal, value: w}]")) POD ("a", USES ("a")) POD ("b", USES ("b")) POD ("c", USES ("c")),
    "default/a=n1 default/b=n1", "default/c: " NONE "=2", "default/a: r=gpu/s1/d3; default/b: r=gpu/s1/d2" },
  { "partitions take from the counters of their pool",
    NODES GPU SLICE_OF ("s0", "gpu", ON ("n1"), POOL ("p", "1", "2"), "sharedCounters: [{name: card, counters: {memory: {value: 8Gi}}}]")
        SLICE_OF ("s1", "gpu", ON ("n1"), POOL ("p", "1", "2"),
                  "devices: [" DEVICE ("whole", ATTRIBUTES ("size: {int: 8}") ", consumesCounters: [{counterSet: card, counters: {memory: {value: 8Gi}}}]") ", "
                  DEVICE ("half1", ATTRIBUTES ("size: {int: 4}") ", consumesCounters: [{counterSet: card, counters: {memory: {value: 4Gi}}}]") ", "
                  DEVICE ("half2", ATTRIBUTES ("size: {int: 4}") ", consumesCounters: [{counterSet: card, counters: {memory: {value: 4Gi}}}]") "]")
            CLAIM ("a", ASK ("r", "1", SELECT (CEL ("device.attributes[\"gpu\"].size == 4")))) CLAIM ("b", ASK ("r", "1", "")) CLAIM ("c", ASK ("r", "1", ""))
                POD ("a", USES ("a")) POD ("b", USES ("b")) POD ("c", USES ("c")),
    "default/a=n1 default/b=n1", "default/c: " NONE "=2", "default/a: r=gpu/p/half1; default/b: r=gpu/p/half2" },
  { "a device that is shared gives capacity away, rounded up as its policy says",
    NODES GPU SLICE ("s1", ON ("n1"), DEVICE ("d1", ", allowMultipleAllocations: true" CAPACITY ("memory: {value: 10Gi, requestPolicy: {default: 2Gi, validRange: {min: 2Gi, step: 2Gi}}}")))
        CLAIM ("a", ASK ("r", "1", ", capacity: {requests: {memory: 5Gi}}")) CLAIM ("b", ASK ("r", "1", "")) CLAIM ("c", ASK ("r", "1", ", capacity: {requests: {memory: 3Gi}}"))
            CLAIM ("d", ASK ("r", "1", ", capacity: {requests: {memory: 1Gi}}")) POD ("a", USES ("a")) POD ("b", USES ("b")) POD ("c", USES ("c")) POD ("d", USES ("d")),
    "default/a=n1 default/b=n1 default/d=n1", "default/c: " NONE "=2", "default/a: r=gpu/s1/d1; default/b: r=gpu/s1/d1; default/d: r=gpu/s1/d1" },
  { "administrators get devices that are in use, each once per claim, and use nothing up",
    NODES GPU SLICE ("s1", ON ("n1"), DEVICE ("d1", "")) CLAIM ("a", ASK ("r", "1", "")) CLAIM ("b", ASK ("r", "1", ", adminAccess: true")) CLAIM ("c", ASK ("r", "2", ", adminAccess: true"))
        CLAIM ("d", ASK ("r", "1", ", adminAccess: true")) POD ("a", USES ("a")) POD ("b", USES ("b")) POD ("c", USES ("c")) POD ("d", USES ("d")),
    "default/a=n1 default/b=n1 default/d=n1", "default/c: " NONE "=2", "default/a: r=gpu/s1/d1; default/b: r=gpu/s1/d1; default/d: r=gpu/s1/d1" },
  { "a claim that has its devices goes where they are; pods share it",
    NODES GPU SLICE ("s2", ON ("n2"), DEVICE ("d1", ""))
        CLAIM_OF ("a", "requests: [" ASK ("r", "1", "") "]",
                  ", status: {allocation: {devices: {results: [{request: r, driver: gpu, pool: s2, device: d1}]}, nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: "
                  "metadata.name, operator: In, values: [n2]}]}]}}, reservedFor: [{resource: pods, name: x, uid: x}]}")
            POD ("a", USES ("a")) POD ("b", USES ("a")) POD_ON ("c", "n1", USES ("a")),
    "default/a=n2 default/b=n2", "default/c: node(s) didn't match Pod's node affinity/selector=1, resourceclaim not available on the node=1", "default/a: r=gpu/s2/d1" },
  { "a claim that another pod is getting devices for must be waited for",
    NODES GPU SLICE ("s1", ON ("n1"), DEVICE ("d1", "")) CLAIM ("a", ASK ("r", "1", "")) POD ("a", USES ("a")) POD ("b", USES ("a")),
    "default/a=n1", "default/b: plugin DynamicResources pre-predicates failed resource claim default/a is in the process of being allocated=2", "default/a: r=gpu/s1/d1" },
  { "a gang that fails gives its devices back in the same cycle",
    NODES GPU SLICE ("s1", ON ("n1"), DEVICE ("d1", "")) CLAIM ("a", ASK ("r", "1", "")) CLAIM ("b", ASK ("r", "1", "")) CLAIM ("c", ASK ("r", "1", "")) GROUP ("g", "2")
        MEMBER ("g0", "g", USES ("a"), "") MEMBER ("g1", "g", USES ("b"), "") POD ("z", USES ("c")),
    "default/z=n1", "default/g1: " NONE "=2", "default/c: r=gpu/s1/d1" },
  { "devices beyond one node",
    NODES GPU SLICE ("net", EVERYWHERE, DEVICE ("d1", "") ", " DEVICE ("d2", ""))
        SLICE_OF ("zone", "gpu", "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [z-n2]}]}]}", POOL ("zone", "1", "1"),
                  "devices: [" DEVICE ("far", ATTRIBUTES ("far: {bool: true}")) "]")
            CLAIM ("a", ASK ("r", "1", "")) CLAIM ("b", ASK ("r", "1", SELECT (CEL ("\"far\" in device.attributes[\"gpu\"]")))) POD ("a", USES ("a")) POD ("b", USES ("b")),
    "default/a=n1 default/b=n2", "", "default/a: r=gpu/net/d1; default/b: r=gpu/zone/far" },
  { "claims that cannot be had refuse the pod",
    NODES GPU CLAIM ("a", "{name: r, exactly: {deviceClassName: none, allocationMode: ExactCount, count: 1}}") POD ("a", USES ("a"))
        POD ("b", "{name: t, resourceClaimTemplateName: template}"),
    "",
    "default/a: plugin DynamicResources pre-predicates failed request r: device class none does not exist=2; "
    "default/b: plugin DynamicResources pre-predicates failed pod \"default/b\": ResourceClaim not created yet=2",
    "" },
};

/* ---- running ---- */

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* What the claims have when the cycle is over. */
static char *
devices_of (const WlObjects *objects, const SimCycleInput *in)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VcCache) cache = sim_cycle_load (objects, &in->cache, NULL, &error);
  VcConf *conf = vc_conf_parse (CONF, strlen (CONF), "conf", vc_catalog (), FALSE, NULL, &error);
  g_autoptr (VcEngine) engine = vc_engine_new (cache, conf, FALSE, &in->engine, &error);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  VcCycleResult ignored;

  if (!suite_check (engine != NULL, "%s", error != NULL ? error->message : "?"))
    return g_strdup ("");
  vc_engine_cycle (engine, 0, &ignored);
  const VcClaims *s = vc_cache_cluster (cache)->claims;
  for (guint32 i = 0; i < s->n_claims; i++) {
    const VcAllocation *a = s->claim[i].flight != NULL ? s->claim[i].flight : s->claim[i].allocation;
    g_autofree char *devices = a != NULL ? vc_allocation_describe (s, a) : NULL;
    if (devices != NULL)
      g_ptr_array_add (lines, g_strdup_printf ("%s: %s", s->claim[i].key, devices));
  }
  g_ptr_array_sort (lines, compare_texts);
  g_ptr_array_add (lines, NULL);
  return g_strjoinv ("; ", (char **) lines->pdata);
}

static void
run_cases (gboolean plain)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (WlObjects) objects = wl_objects_parse (cases[i].objects, strlen (cases[i].objects), "case", &error);
    g_autoptr (VcArena) arena = vc_arena_new ();
    SimCycleInput in;

    if (!suite_check (objects != NULL, "%s: %s", cases[i].what, error != NULL ? error->message : "?"))
      continue;
    sim_cycle_input_init (&in);
    in.conf_text = CONF;
    in.conf_len = strlen (CONF);
    in.conf_source = "conf";
    in.engine.plain = plain;
    g_autofree char *answer = sim_cycle_run (objects, &in, SIM_FORMAT_JSON, NULL, &error);
    const Jd *json = answer != NULL ? jd_parse (arena, answer, strlen (answer), NULL) : NULL;
    g_autofree char *binds = case_binds (json);
    g_autofree char *fit = case_fit (json);
    g_autofree char *devices = devices_of (objects, &in);
    suite_check (json != NULL && strcmp (binds, cases[i].binds) == 0, "%s: binds\n  %s\n  expected\n  %s", cases[i].what, binds, cases[i].binds);
    suite_check (strcmp (fit, cases[i].fit) == 0, "%s: reasons\n  %s\n  expected\n  %s", cases[i].what, fit, cases[i].fit);
    suite_check (strcmp (devices, cases[i].devices) == 0, "%s: devices\n  %s\n  expected\n  %s", cases[i].what, devices, cases[i].devices);
  }
}

static void
claims_decide_where_pods_go (void)
{
  run_cases (FALSE);
}

static void
without_shortcuts_too (void)
{
  run_cases (TRUE);
}

/* ---- why ---- */

static void
explain_names_claims_and_devices (void)
{
  static const char text[] = NODES GPU SLICE ("s1", ON ("n1"), DEVICE ("d1", "")) SLICE ("s2", ON ("n2"), DEVICE ("d1", "") ", " DEVICE ("d2", ""))
      CLAIM ("a", ASK ("r", "2", "")) POD ("a", USES ("a"));
  static const char *const lines[] = { "        claim default/a, request r: 1 of 2 devices found\n", "        claim default/a: r=gpu/s2/d1 r=gpu/s2/d2\n",
                                       "\ndefault/a on n2: claim default/a: r=gpu/s2/d1 r=gpu/s2/d2\n" };
  g_autoptr (GError) error = NULL;
  g_autoptr (WlObjects) objects = wl_objects_parse (text, strlen (text), "case", &error);
  SimCycleInput in;

  sim_cycle_input_init (&in);
  in.conf_text = CONF;
  in.conf_len = strlen (CONF);
  in.conf_source = "conf";
  in.explain = "default/a";
  g_autofree char *answer = objects != NULL ? sim_cycle_run (objects, &in, SIM_FORMAT_TABLE, NULL, &error) : NULL;
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    suite_check (answer != NULL && strstr (answer, lines[i]) != NULL, "%s in\n%s", lines[i], answer != NULL ? answer : error->message);
}

static void
what_is_not_done_yet_is_named (void)
{
  static const struct { const char *objects, *conf; guint cycles; const char *message; } bad[] = {
    { POD ("a", USES ("a")), "actions: allocate\ntiers:\n- plugins:\n  - name: extender\n    arguments: {extender.urlPrefix: 'http://127.0.0.1:9'}\n", 1,
      "case:2:1: telling the service of plugin extender about resource claims is not implemented yet" },
    { SLICE ("s", ON ("n1"), DEVICE ("d", ", bindingConditions: [ready], bindingFailureConditions: [broken]")), CONF, 2,
      "case:1:1: waiting for the binding conditions of devices beyond the first cycle is not implemented yet" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (WlObjects) objects = wl_objects_parse (bad[i].objects, strlen (bad[i].objects), "case", &error);
    SimCycleInput in;

    sim_cycle_input_init (&in);
    in.conf_text = bad[i].conf;
    in.conf_len = strlen (bad[i].conf);
    in.conf_source = "conf";
    in.cycles = bad[i].cycles;
    g_autofree char *answer = objects != NULL ? sim_cycle_run (objects, &in, SIM_FORMAT_JSON, NULL, &error) : NULL;
    suite_check (answer == NULL && strcmp (error->message, bad[i].message) == 0, "%s", error != NULL ? error->message : "no error");
  }
}

/* ---- runs ---- */

#define TEMPLATE API "ResourceClaimTemplate, metadata: {name: t}, spec: {spec: {devices: {requests: [" ASK ("r", "1", "") "]}}}}\n"
#define TIMED(notes) API "ResourceClaim, metadata: {name: c, annotations: {" notes "}}, spec: {devices: {requests: [" ASK ("r", "1", "") "]}}}\n"
#define JOB(claims)                                                                                                              \
  "--- {apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: j, annotations: {volsim.io/submit: '0'}}, spec: {minAvailable: 1, tasks: [{name: w, replicas: 1, template: "    \
  "{spec: {restartPolicy: Never, containers: [{name: c, image: i}], resourceClaims: [" claims "]}}}]}}\n"

static void
runs_refuse_what_they_cannot_do (void)
{
  static const struct { const char *objects, *conf, *message; } bad[] = {
    { JOB ("{name: e, resourceClaimTemplateName: t}"), CONF,
      "objects.yaml:1:1: task 'w' of job 'j': expected ResourceClaimTemplate 't' among the objects of namespace 'default'" },
    { TEMPLATE JOB ("{name: e, resourceClaimName: c}"), CONF, "objects.yaml:2:1: task 'w' of job 'j': expected ResourceClaim 'c' among the objects of namespace 'default'" },
    { TEMPLATE JOB ("{name: e}"), CONF,
      "objects.yaml:2:1: task 'w' of job 'j': expected resourceClaimName or resourceClaimTemplateName of 'e' among the objects of namespace 'default'" },
    { TEMPLATE TEMPLATE, CONF, "objects.yaml:2:1: ResourceClaimTemplate 't' of namespace 'default' stands there twice" },
    { CLAIM_OF ("c", "requests: [" ASK ("r", "1", "") "]", HAS ("d", "p")), CONF,
      "objects.yaml:1:1: a ResourceClaim that is allocated, reserved or being deleted when the run begins is not implemented yet" },
    { API "ResourceClaimTemplate, metadata: {name: c, annotations: {volsim.io/delete: '5'}}, spec: {spec: {}}}\n", CONF,
      "objects.yaml:1:1: a ResourceClaimTemplate that comes or goes during the run is not implemented yet" },
    { TIMED ("volsim.io/submit: '5', volsim.io/delete: '5'"), CONF, "objects.yaml:1:1: annotation volsim.io/delete of ResourceClaim 'c', expected a time after it comes" },
    { TIMED ("volsim.io/submit: '5', volsim.io/delete: '7'") TIMED ("volsim.io/submit: '6'"), CONF,
      "objects.yaml:2:1: ResourceClaim 'default/c' is there already: a claim does not change, another one of that name has to come after it is deleted (volsim.io/delete)" },
    { SLICE ("s", ON ("n1"), DEVICE ("d", ", bindingConditions: [ready], bindingFailureConditions: [broken]")), CONF,
      "objects.yaml:1:1: waiting for the binding conditions of devices beyond the first cycle is not implemented yet" },
    { TEMPLATE JOB ("{name: e, resourceClaimTemplateName: t}"), "actions: allocate\ntiers:\n- plugins:\n  - name: extender\n    arguments: {extender.urlPrefix: 'http://127.0.0.1:9'}\n",
      "objects.yaml:2:1: telling the service of plugin extender about resource claims is not implemented yet" },
  };
  g_autofree char *dir = test_make_dir ();
  g_autofree char *nodes = g_build_filename (dir, "nodes.csv", NULL), *objects = g_build_filename (dir, "objects.yaml", NULL);
  g_autofree char *conf = g_build_filename (dir, "conf", NULL), *out = g_build_filename (dir, "out", NULL);

  suite_check (g_file_set_contents (nodes, "node,cpu,memory\nn1,8,8Gi\n", -1, NULL), "nodes");
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "run", (char *) "--nodes", nodes, (char *) "--objects", objects, (char *) "--conf", conf, (char *) "--out", out, NULL };
    g_autofree char *complaint = NULL;

    suite_check (g_file_set_contents (objects, bad[i].objects, -1, NULL) && g_file_set_contents (conf, bad[i].conf, -1, NULL), "inputs");
    int status = test_run (args, NULL, &complaint);
    suite_check (status == 2 && strstr (complaint, bad[i].message) != NULL, "case %u: exit status %d, %s", i, status, complaint);
    suite_check (!g_file_test (out, G_FILE_TEST_EXISTS), "case %u leaves nothing", i);
  }
  test_remove_tree (dir);
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "claims decide where pods go", claims_decide_where_pods_go },
    { "so they do without the engine's shortcuts", without_shortcuts_too },
    { "explain names claims and devices", explain_names_claims_and_devices },
    { "what is not done yet is named", what_is_not_done_yet_is_named },
    { "runs refuse what they cannot do", runs_refuse_what_they_cannot_do },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("claims", tests);
}
