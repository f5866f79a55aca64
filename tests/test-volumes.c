/* tests/test-volumes.c - claims and volumes in one cycle, worked out by hand from the rules of Kubernetes' volume plugins.
 *
 * Each case is a small cluster as objects. Nodes n1, n2 (zones z1, z2) have room for many pods; the pods of a case are Pending, each in a job
 * of its own unless it says otherwise. Expected: the node of each pod that is bound, and of one that waits its reasons. */
#include "case.h"
#include "suite.h"
#include <string.h>

#define CONF "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n"

/* ---- objects ---- */
#define NODES                                                                                                                     \
  "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\",\"labels\":{\"host\":\"n1\",\"topology.kubernetes.io/zone\":\"z1\"}}," \
  "\"status\":{\"allocatable\":{\"cpu\":\"8\",\"pods\":\"20\"}}}\n"                                                                 \
  "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n2\",\"labels\":{\"host\":\"n2\",\"topology.kubernetes.io/zone\":\"z2\"}}," \
  "\"status\":{\"allocatable\":{\"cpu\":\"8\",\"pods\":\"20\"}}}\n"                                                                 \
  "{\"apiVersion\":\"scheduling.volcano.sh/v1beta1\",\"kind\":\"Queue\",\"metadata\":{\"name\":\"default\"},\"spec\":{\"weight\":1},\"status\":{\"state\":\"Open\"}}\n"
#define CLASS(name, provisioner, mode, more)                                                                                      \
  "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"StorageClass\",\"metadata\":{\"name\":\"" name "\"},\"provisioner\":\"" provisioner   \
  "\",\"volumeBindingMode\":\"" mode "\"" more "}\n"
#define LOCAL CLASS ("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer", "")
#define FAST CLASS ("fast", "fast.example.com", "WaitForFirstConsumer", "")
#define NOW CLASS ("now", "fast.example.com", "Immediate", "")
#define PV(name, class, size, spec, more)                                                                                         \
  "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolume\",\"metadata\":{\"name\":\"" name "\"" more "},\"spec\":{\"capacity\":{\"storage\":\"" size \
  "\"},\"accessModes\":[\"ReadWriteOnce\"],\"storageClassName\":\"" class "\"" spec "},\"status\":{\"phase\":\"Available\"}}\n"
#define ON(host)                                                                                                                  \
  ",\"nodeAffinity\":{\"required\":{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"host\",\"operator\":\"In\",\"values\":[\"" host   \
  "\"]}]}]}}"
#define PVC(name, class, size, spec, more)                                                                                        \
  "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\",\"metadata\":{\"name\":\"" name "\",\"uid\":\"uid-" name "\"" more "},\"spec\":{\"resources\":{"     \
  "\"requests\":{\"storage\":\"" size "\"}},\"accessModes\":[\"ReadWriteOnce\"],\"storageClassName\":\"" class "\"" spec "}}\n"
#define BOUND ",\"annotations\":{\"pv.kubernetes.io/bind-completed\":\"yes\"}"
#define TO(volume) ",\"volumeName\":\"" volume "\""
#define GROUP(name, min)                                                                                                          \
  "{\"apiVersion\":\"scheduling.volcano.sh/v1beta1\",\"kind\":\"PodGroup\",\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"minMember\":" min   \
  ",\"queue\":\"default\"},\"status\":{\"phase\":\"Inqueue\"}}\n"
#define MEMBER(name, group, volumes, spec)                                                                                        \
  "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\",\"uid\":\"" name "\",\"annotations\":{\"scheduling.k8s.io/group-name\":\"" group  \
  "\"}},\"spec\":{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"volumes\":[" volumes "]" spec "},\"status\":{\"phase\":\"Pending\"}}\n"
#define POD(name, volumes) GROUP (name, "1") MEMBER (name, name, volumes, "")
#define CLAIM(name) "{\"name\":\"v-" name "\",\"persistentVolumeClaim\":{\"claimName\":\"" name "\"}}"
#define SELECT(host) ",\"nodeSelector\":{\"host\":\"" host "\"}"
#define CSI_NODE(node, driver, limit)                                                                                             \
  "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"CSINode\",\"metadata\":{\"name\":\"" node "\"},\"spec\":{\"drivers\":[{\"name\":\"" driver "\"" limit "}]}}\n"
#define LIMIT(n) ",\"allocatable\":{\"count\":" n "}"
#define HANDLE(h) ",\"csi\":{\"driver\":\"fast.example.com\",\"volumeHandle\":\"" h "\"}"
#define CAPACITY(name, zone, amounts)                                                                                             \
  "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"CSIStorageCapacity\",\"metadata\":{\"name\":\"" name "\"},\"storageClassName\":\"fast\"," amounts          \
  "\"nodeTopology\":{\"matchLabels\":{\"topology.kubernetes.io/zone\":\"" zone "\"}}}\n"

static const char *const ignored_drivers[] = { "kubernetes.io/no-provisioner", "fast.example.com", NULL };

static const struct {
  const char *what, *objects;
  const char *binds; /* "pod=node …", ascending by pod */
  const char *fit;   /* "pod: reason=nodes; …" of every pod that waits with reasons */
  gboolean counted;  /* no driver is ignored */
} cases[] = {
  { "the smallest claim takes the smallest volume, the next one the first of equal volumes",
    NODES LOCAL PV ("p1", "local", "10Gi", ON ("n1"), "") PV ("p2", "local", "10Gi", ON ("n1"), "") PV ("p3", "local", "5Gi", ON ("n1"), "")
        PVC ("c1", "local", "5Gi", "", "") PVC ("c2", "local", "8Gi", "", "") PVC ("c3", "local", "9Gi", "", "") PVC ("c4", "local", "5Gi", "", "")
            POD ("a", CLAIM ("c2") "," CLAIM ("c1")) POD ("b", CLAIM ("c3")) POD ("c", CLAIM ("c4")),
    "default/a=n1 default/b=n1", "default/c: node(s) didn't find available persistent volumes to bind=2", FALSE },
  { "a volume that is bound to the claim beforehand decides, however large",
    NODES LOCAL PV ("p1", "local", "5Gi", ON ("n1"), "") PV ("p2", "local", "90Gi", ON ("n2") ",\"claimRef\":{\"namespace\":\"default\",\"name\":\"c1\"}", "")
        PVC ("c1", "local", "5Gi", "", "") POD ("a", CLAIM ("c1")),
    "default/a=n2", "", FALSE },
  { "a volume of another claim of that name is not free",
    NODES LOCAL PV ("p1", "local", "5Gi", ON ("n1") ",\"claimRef\":{\"namespace\":\"default\",\"name\":\"c1\",\"uid\":\"older\"}", "")
        PVC ("c1", "local", "5Gi", "", "") POD ("a", CLAIM ("c1")),
    "", "default/a: node(s) didn't find available persistent volumes to bind=2", FALSE },
  { "mode, access, selector and phase must fit",
    NODES LOCAL PV ("p1", "local", "5Gi", ",\"volumeMode\":\"Block\"", "") PV ("p2", "local", "5Gi", "", ",\"labels\":{\"k\":\"other\"}")
        PV ("p3", "local", "5Gi", ON ("n2"), ",\"labels\":{\"k\":\"v\"}") PVC ("c1", "local", "5Gi", ",\"selector\":{\"matchLabels\":{\"k\":\"v\"}}", "")
            POD ("a", CLAIM ("c1")),
    "default/a=n2", "", FALSE },
  { "a gang that fails gives its volumes back in the same cycle",
    NODES LOCAL PV ("p1", "local", "5Gi", ON ("n1"), "") PVC ("c1", "local", "5Gi", "", "") PVC ("c2", "local", "5Gi", "", "")
        PVC ("c3", "local", "5Gi", "", "") GROUP ("g", "2") MEMBER ("g0", "g", CLAIM ("c1"), "") MEMBER ("g1", "g", CLAIM ("c2"), "")
            POD ("z", CLAIM ("c3")),
    "default/z=n1", "default/g1: node(s) didn't find available persistent volumes to bind=2", FALSE },
  { "pods that share a claim meet on the node that its provisioning was given to",
    NODES FAST PVC ("c1", "fast", "5Gi", "", "") GROUP ("a", "1") MEMBER ("a", "a", CLAIM ("c1"), SELECT ("n2")) POD ("b", CLAIM ("c1")),
    "default/a=n2 default/b=n2", "", FALSE },
  { "a claim whose provisioning is under way passes on its node alone",
    NODES FAST PVC ("c1", "fast", "5Gi", "", ",\"annotations\":{\"volume.kubernetes.io/selected-node\":\"n2\"}") POD ("a", CLAIM ("c1")),
    "default/a=n2", "", FALSE },
  { "topologies of the class",
    NODES CLASS ("fast", "fast.example.com", "WaitForFirstConsumer",
                 ",\"allowedTopologies\":[{\"matchLabelExpressions\":[{\"key\":\"topology.kubernetes.io/zone\",\"values\":[\"z2\",\"z3\"]}]}]")
        PVC ("c1", "fast", "5Gi", "", "") POD ("a", CLAIM ("c1")),
    "default/a=n2", "", FALSE },
  { "a driver that tracks capacity needs a segment with room; the largest volume counts before the capacity",
    NODES FAST "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"CSIDriver\",\"metadata\":{\"name\":\"fast.example.com\"},\"spec\":{\"storageCapacity\":true}}\n"
        CAPACITY ("k1", "z1", "\"capacity\":\"100Gi\",\"maximumVolumeSize\":\"4Gi\",") CAPACITY ("k2", "z2", "\"capacity\":\"5Gi\",")
            PVC ("c1", "fast", "5Gi", "", "") PVC ("c2", "fast", "6Gi", "", "") POD ("a", CLAIM ("c1")) POD ("b", CLAIM ("c2")),
    "default/a=n2", "default/b: node(s) did not have enough free storage=2", FALSE },
  { "conflicts of one node are one reason",
    NODES LOCAL NOW PV ("p1", "now", "5Gi", ON ("n1"), "") PVC ("c1", "now", "5Gi", TO ("p1"), BOUND) PVC ("c2", "local", "5Gi", "", "")
        PVC ("c3", "now", "5Gi", TO ("gone"), BOUND) GROUP ("a", "1") MEMBER ("a", "a", CLAIM ("c1") "," CLAIM ("c2"), "")
            POD ("b", CLAIM ("c3")),
    "",
    "default/a: node(s) didn't find available persistent volumes to bind=1, "
    "node(s) didn't match PersistentVolume's node affinity, node(s) didn't find available persistent volumes to bind=1; "
    "default/b: plugin VolumeZone pre-predicates failed persistentvolume \"gone\" not found=2",
    FALSE },
  { "zones of a bound volume, with alternatives",
    NODES NOW PV ("p1", "now", "5Gi", "", ",\"labels\":{\"failure-domain.beta.kubernetes.io/zone\":\"z9__z2\"}") PVC ("c1", "now", "5Gi", TO ("p1"), BOUND)
        PV ("p2", "now", "5Gi", "", ",\"labels\":{\"topology.kubernetes.io/region\":\"r1\"}") PVC ("c2", "now", "5Gi", TO ("p2"), BOUND)
            POD ("a", CLAIM ("c1")) POD ("b", CLAIM ("c2")),
    "default/a=n2", "default/b: node(s) had no available volume zone=2", FALSE },
  { "claims that cannot be had refuse the pod",
    NODES NOW "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"StorageClass\",\"metadata\":{\"name\":\"odd\"},\"provisioner\":\"x\"}\n"
        PVC ("c1", "now", "5Gi", "", "") PVC ("c2", "none", "5Gi", "", "") PVC ("c3", "", "5Gi", "", "") PVC ("c4", "odd", "5Gi", "", "")
            POD ("a", CLAIM ("c1")) POD ("b", CLAIM ("c2")) POD ("c", CLAIM ("c3")) POD ("d", CLAIM ("c4")) POD ("e", CLAIM ("c5")),
    "",
    "default/a: plugin VolumeZone pre-predicates failed PersistentVolume had no name=2; "
    "default/b: plugin VolumeZone pre-predicates failed storageclass.storage.k8s.io \"none\" not found=2; "
    "default/c: plugin VolumeZone pre-predicates failed PersistentVolumeClaim had no pv name and storageClass name=2; "
    "default/d: plugin VolumeZone pre-predicates failed VolumeBindingMode not set for StorageClass \"odd\"=2; "
    "default/e: plugin VolumeZone pre-predicates failed persistentvolumeclaim \"c5\" not found=2",
    FALSE },
  { "ephemeral volumes: the claim is missing, is the pod's own, or another's (then the pod is unknown)",
    NODES FAST PVC ("b-v", "fast", "5Gi", "", ",\"ownerReferences\":[{\"uid\":\"b\",\"controller\":true}]")
        PVC ("c-v", "fast", "5Gi", "", ",\"ownerReferences\":[{\"uid\":\"x\",\"controller\":true}]") POD ("a", "{\"name\":\"v\",\"ephemeral\":{}}")
            POD ("b", "{\"name\":\"v\",\"ephemeral\":{}}") POD ("c", "{\"name\":\"v\",\"ephemeral\":{}}"),
    "default/b=n1",
    "default/a: plugin VolumeBinding pre-predicates failed waiting for ephemeral volume controller to create the persistentvolumeclaim \"a-v\"=2", FALSE },
  { "a volume that is attached without a pod counts, and again for the pod that wants it",
    NODES NOW CSI_NODE ("n1", "fast.example.com", LIMIT ("1")) CSI_NODE ("n2", "fast.example.com", LIMIT ("2"))
        PV ("p1", "now", "5Gi", HANDLE ("h1"), "") PVC ("c1", "now", "5Gi", TO ("p1"), BOUND) PV ("p2", "now", "5Gi", HANDLE ("h2"), "")
            PVC ("c2", "now", "5Gi", TO ("p2"), BOUND)
    "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"VolumeAttachment\",\"metadata\":{\"name\":\"x\"},\"spec\":{\"attacher\":\"fast.example.com\",\"nodeName\":\"n1\","
    "\"source\":{\"persistentVolumeName\":\"p1\"}}}\n"
        POD ("a", CLAIM ("c1")) GROUP ("b", "1") MEMBER ("b", "b", CLAIM ("c1"), "") POD ("c", CLAIM ("c2")) GROUP ("d", "1")
            MEMBER ("d", "d", CLAIM ("c2"), SELECT ("n1")),
    "default/a=n2 default/b=n2 default/c=n2", "default/d: node(s) didn't match Pod's node affinity/selector=1, node(s) exceed max volume count=1", FALSE },
  { "what a pod attaches is a request, on nodes whose driver has no limit too",
    NODES FAST CSI_NODE ("n2", "fast.example.com", "") PVC ("c1", "fast", "5Gi", "", "") PVC ("c2", "fast", "5Gi", "", "") POD ("a", CLAIM ("c1"))
        GROUP ("b", "1") MEMBER ("b", "b", CLAIM ("c2"), SELECT ("n1")),
    "default/a=n2",
    "default/b: Insufficient attachable-volumes-csi-fast.example.com=1, node(s) didn't match Pod's node affinity/selector=1", TRUE },
  { "a request of a shared volume counts for each pod",
    NODES NOW CSI_NODE ("n1", "fast.example.com", LIMIT ("1")) PV ("p1", "now", "5Gi", HANDLE ("h1"), "") PVC ("c1", "now", "5Gi", TO ("p1"), BOUND)
        POD ("a", CLAIM ("c1")) POD ("b", CLAIM ("c1")),
    "default/a=n1", "default/b: Insufficient attachable-volumes-csi-fast.example.com=2", TRUE },
};

/* ---- running ---- */

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
    if (!cases[i].counted)
      in.cache.ignored_provisioners = ignored_drivers;
    g_autofree char *answer = sim_cycle_run (objects, &in, SIM_FORMAT_JSON, NULL, &error);
    const Jd *json = answer != NULL ? jd_parse (arena, answer, strlen (answer), NULL) : NULL;
    g_autofree char *binds = case_binds (json);
    g_autofree char *fit = case_fit (json);
    suite_check (json != NULL && strcmp (binds, cases[i].binds) == 0, "%s: binds\n  %s\n  expected\n  %s", cases[i].what, binds, cases[i].binds);
    suite_check (strcmp (fit, cases[i].fit) == 0, "%s: reasons\n  %s\n  expected\n  %s", cases[i].what, fit, cases[i].fit);
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

int
main (void)
{
  CU_TestInfo tests[] = {
    { "claims decide where pods go", claims_decide_where_pods_go },
    { "so they do without the engine's shortcuts", without_shortcuts_too },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("volumes", tests);
}
