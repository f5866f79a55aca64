/* tests/test-k8s-objects.c - Kubernetes objects as kubectl prints them, and everything that is not
 * quite that. */
#include "workloads/k8s/k8s-objects.h"
#include "workloads/native/native.h"
#include "k8s-refusals.h"
#include "suite.h"
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

/* ---- helpers -------------------------------------------------------------------------------- */
static WlObjects *
read_bytes (const char *text, gsize len)
{
  g_autoptr (GError) error = NULL;
  WlObjects *o = wl_objects_parse (text, len, "in.yaml", &error);

  if (o == NULL)
    g_error ("'%.300s': %s", text, error->message); /* the tests below cannot go on */
  return o;
}

static WlObjects *
read_text (const char *text)
{
  return read_bytes (text, strlen (text));
}

static WlObject *
nth (const WlObjects *o, guint i)
{
  g_assert (i < o->objects->len);
  return g_ptr_array_index (o->objects, i);
}

static gboolean
is_text (const char *a, const char *b)
{
  return suite_check (g_strcmp0 (a, b) == 0, "'%s' is '%s'", a, b);
}

static void
refused (const char *text, gssize len, const char *message)
{
  g_autoptr (GError) error = NULL;
  WlObjects *o = wl_objects_parse (text, len < 0 ? strlen (text) : (gsize) len, "in.yaml", &error);

  suite_check (o == NULL, "refused: %s", text);
  wl_objects_free (o);
  if (o == NULL
      && suite_check (error != NULL && error->domain == WL_ERROR, "an error is set: %s", text))
    suite_check (strcmp (error->message, message) == 0, "message\n  %s\n  expected\n  %s\n  of %s",
                 error->message, message, text);
}

static gint64
milli_of (const VcAmounts *list, const char *name)
{
  for (guint i = 0; i < list->n; i++)
    if (strcmp (list->item[i].name, name) == 0)
      return list->item[i].q.milli;
  return -1;
}

static gint64
value_of (const VcAmounts *list, const char *name)
{
  for (guint i = 0; i < list->n; i++)
    if (strcmp (list->item[i].name, name) == 0)
      return list->item[i].q.value;
  return -1;
}

/* ---- kinds ---------------------------------------------------------------------------------- */
static void
a_node_has_amounts_labels_taints_and_images (void)
{
  g_autoptr (WlObjects) o
      = read_text ("apiVersion: v1\n"
                   "kind: Node\n"
                   "metadata:\n"
                   "  name: n1\n"
                   "  labels: {zone: b, arch: amd64, \"\": e}\n"
                   "  annotations: {k: v}\n"
                   "  creationTimestamp: \"2026-01-01T00:00:00Z\"\n"
                   "spec:\n"
                   "  unschedulable: true\n"
                   "  taints:\n"
                   "  - {key: a, value: b, effect: NoSchedule, timeAdded: null}\n"
                   "  - key: c\n"
                   "    effect: NoExecute\n"
                   "status:\n"
                   "  capacity: {cpu: 9}\n"
                   "  allocatable: {memory: 1e3, cpu: 2, nvidia.com/gpu: \"4\", pods: \" 110 \"}\n"
                   "  images:\n"
                   "  - names: [a:1, b:1]\n"
                   "    sizeBytes: 5000000000\n"
                   "  - names: null\n"
                   "  - names: [c:2]\n");
  const WlObject *w = nth (o, 0);
  const VcNodeObject *n = &w->node;

  CU_ASSERT_EQUAL (o->objects->len, 1);
  CU_ASSERT_EQUAL (w->kind, WL_OBJECT_NODE);
  CU_ASSERT_EQUAL (w->line, 1);
  is_text (w->file, "in.yaml");
  is_text (n->name, "n1");
  CU_ASSERT_EQUAL (n->labels.n, 3);
  is_text (n->labels.item[0].key, "");
  is_text (n->labels.item[1].key, "arch");
  is_text (n->labels.item[2].value, "b");
  CU_ASSERT_EQUAL (n->annotations.n, 1);
  CU_ASSERT_TRUE (n->unschedulable);
  CU_ASSERT_EQUAL (n->n_taints, 2);
  is_text (n->taint[0].value, "b");
  is_text (n->taint[1].value, NULL);
  is_text (n->taint[1].effect, "NoExecute");
  CU_ASSERT_TRUE (n->allocatable.given);
  CU_ASSERT_EQUAL (n->allocatable.n, 4);
  is_text (n->allocatable.item[0].name, "cpu");
  CU_ASSERT_EQUAL (milli_of (&n->allocatable, "cpu"), 2000);
  CU_ASSERT_EQUAL (value_of (&n->allocatable, "memory"), 1000);
  CU_ASSERT_EQUAL (value_of (&n->allocatable, "pods"), 110);
  CU_ASSERT_EQUAL (n->n_images, 3);
  is_text (n->image[1].name, "b:1");
  CU_ASSERT_EQUAL (n->image[1].size, 5000000000);
  CU_ASSERT_EQUAL (n->image[2].size, 0);

  g_autoptr (WlObjects) bare = read_text (
      "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {capacity: {cpu: 3}}}");
  CU_ASSERT_EQUAL (milli_of (&nth (bare, 0)->node.allocatable, "cpu"), 3000);
  CU_ASSERT_FALSE (nth (bare, 0)->node.unschedulable);
  g_autoptr (WlObjects) none = read_text ("{apiVersion: v1, kind: Node, metadata: {name: n}}");
  CU_ASSERT_FALSE (nth (none, 0)->node.allocatable.given);
}

static void
a_pod_has_all_its_fields (void)
{
  g_autoptr (WlObjects) o = read_text (
      "apiVersion: v1\nkind: Pod\n"
      "metadata: {name: p, namespace: s, uid: u1, creationTimestamp: \"2026-01-01T00:00:00+01:00\","
      " deletionTimestamp: \"2026-01-01T01:00:00Z\", labels: {a: b}, annotations: "
      "{volcano.sh/task-spec: w}}\n"
      "spec:\n"
      "  nodeName: n1\n"
      "  schedulerName: volcano\n"
      "  priority: -5\n"
      "  priorityClassName: low\n"
      "  preemptionPolicy: Never\n"
      "  nodeSelector: {zone: z1}\n"
      "  overhead: {cpu: 250m}\n"
      "  resources: {requests: {cpu: 3, hugepages-2Mi: 4Mi, nvidia.com/gpu: 1}}\n"
      "  schedulingGates: [{name: g1}, {name: g2}]\n"
      "  tolerations: [{}, {key: k, operator: Exists}, {operator: Equal, value: v, effect: "
      "NoSchedule}, {operator: Gt}]\n"
      "  volumes: [{name: t, projected: {sources: []}}, {name: e, emptyDir: {}}, "
      "{persistentVolumeClaim: null}]\n"
      "  topologySpreadConstraints: []\n"
      "  resourceClaims: []\n"
      "  affinity:\n"
      "    podAffinity: {}\n"
      "    podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}\n"
      "    nodeAffinity:\n"
      "      requiredDuringSchedulingIgnoredDuringExecution:\n"
      "        nodeSelectorTerms:\n"
      "        - matchExpressions: [{key: zone, operator: NotIn, values: [z3, z4]}, {key: x, "
      "operator: Bogus}]\n"
      "          matchFields: [{key: metadata.name, operator: In, values: [n1]}]\n"
      "        - {}\n"
      "      preferredDuringSchedulingIgnoredDuringExecution:\n"
      "      - weight: 7\n"
      "        preference: {matchExpressions: [{key: m, operator: Lt, values: [\"5\"]}]}\n"
      "  initContainers:\n"
      "  - {name: i0, resources: {requests: {cpu: 1}}, ports: [{hostPort: 1}]}\n"
      "  - {name: i1, restartPolicy: Always, ports: [{hostPort: 99, hostIP: 10.0.0.1, protocol: "
      "UDP}]}\n"
      "  containers:\n"
      "  - {name: c0, image: app:1, resources: {limits: {cpu: 8}, requests: {memory: 1Gi, cpu: "
      "500m}},"
      " ports: [{containerPort: 80}, {hostPort: 8080, hostIP: \"\"}, {hostPort: 0}]}\n"
      "  - {}\n"
      "status:\n"
      "  phase: Running\n"
      "  nominatedNodeName: n2\n"
      "  startTime: \"2026-01-01T00:00:01.999Z\"\n"
      "  conditions:\n"
      "  - {type: PodScheduled, status: \"True\"}\n"
      "  - {type: DisruptionTarget, status: \"True\", reason: PreemptionByScheduler}\n");
  const VcPodObject *p = &nth (o, 0)->pod;
  const VcPodSpec *s = &p->spec;

  CU_ASSERT_EQUAL (nth (o, 0)->kind, WL_OBJECT_POD);
  is_text (p->ns, "s");
  is_text (p->uid, "u1");
  is_text (p->annotations.item[0].value, "w");
  CU_ASSERT_EQUAL (p->created, 1767222000);
  CU_ASSERT_TRUE (p->deleting);
  CU_ASSERT_TRUE (p->preemption_victim);
  CU_ASSERT_EQUAL (p->phase, VC_POD_RUNNING);
  is_text (p->node, "n1");
  is_text (p->nominated_node, "n2");
  is_text (p->scheduler_name, "volcano");
  CU_ASSERT_EQUAL (p->start_time, 1767225601);
  CU_ASSERT_TRUE (s->has_priority);
  CU_ASSERT_EQUAL (s->priority, -5);
  is_text (s->priority_class, "low");
  CU_ASSERT_TRUE (s->never_preempts);
  CU_ASSERT_EQUAL (s->node_selector.n, 1);
  CU_ASSERT_EQUAL (milli_of (&s->overhead, "cpu"), 250);
  CU_ASSERT_TRUE (s->pod_level.given);
  CU_ASSERT_EQUAL (s->pod_level.n,
                   2); /* only cpu, memory and huge pages may be set for a whole pod */
  CU_ASSERT_EQUAL (value_of (&s->pod_level, "hugepages-2Mi"), 4194304);
  CU_ASSERT_EQUAL (s->n_gates, 2);
  is_text (s->gate[1], "g2");
  CU_ASSERT_EQUAL (s->n_tolerations, 4);
  CU_ASSERT_EQUAL (s->toleration[0].op, VC_TOLERATE_EQUAL);
  is_text (s->toleration[0].key, NULL);
  CU_ASSERT_EQUAL (s->toleration[1].op, VC_TOLERATE_EXISTS);
  CU_ASSERT_EQUAL (s->toleration[2].op, VC_TOLERATE_EQUAL);
  CU_ASSERT_EQUAL (s->toleration[3].op, VC_TOLERATE_OTHER);
  CU_ASSERT_TRUE (s->has_required);
  CU_ASSERT_EQUAL (s->n_required, 2);
  CU_ASSERT_EQUAL (s->required[0].n_labels, 2);
  CU_ASSERT_EQUAL (s->required[0].label[0].op, VC_OP_NOT_IN);
  CU_ASSERT_EQUAL (s->required[0].label[0].n_values, 2);
  is_text (s->required[0].label[0].value[1], "z4");
  CU_ASSERT_EQUAL (s->required[0].label[1].op, VC_OP_UNKNOWN);
  CU_ASSERT_EQUAL (s->required[0].n_fields, 1);
  CU_ASSERT_EQUAL (s->required[1].n_labels + s->required[1].n_fields, 0);
  CU_ASSERT_EQUAL (s->n_preferred, 1);
  CU_ASSERT_EQUAL (s->preferred[0].weight, 7);
  CU_ASSERT_EQUAL (s->preferred[0].label[0].op, VC_OP_LT);
  CU_ASSERT_EQUAL (s->n_containers, 4);
  CU_ASSERT_TRUE (s->container[0].init && !s->container[0].sidecar);
  CU_ASSERT_EQUAL (s->container[0].n_ports, 0);
  CU_ASSERT_TRUE (s->container[1].init && s->container[1].sidecar);
  is_text (s->container[1].port[0].protocol, "UDP");
  CU_ASSERT_FALSE (s->container[1].request.given);
  is_text (s->container[2].image, "app:1");
  CU_ASSERT_FALSE (s->container[2].init);
  CU_ASSERT_EQUAL (s->container[2].request.n, 2); /* limits are not taken for requests */
  CU_ASSERT_EQUAL (milli_of (&s->container[2].request, "cpu"), 500);
  CU_ASSERT_EQUAL (s->container[2].n_ports, 1);
  is_text (s->container[2].port[0].ip, "0.0.0.0");
  is_text (s->container[2].port[0].protocol, "TCP");
  CU_ASSERT_EQUAL (s->container[2].port[0].port, 8080);
  is_text (s->container[3].name, NULL);
}

static void
a_bare_pod_has_defaults (void)
{
  g_autoptr (WlObjects) o = read_text (
      "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"creationTimestamp\":"
      "null},\"spec\":{\"containers\":[],"
      "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{"
      "\"nodeSelectorTerms\":[]}}},"
      "\"resources\":{\"requests\":{\"nvidia.com/gpu\":\"1\"}}},"
      "\"status\":{\"phase\":\"Odd\",\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":"
      "\"False\"},"
      "{\"type\":\"DisruptionTarget\",\"status\":\"True\",\"reason\":\"PreemptionByScheduler\"}]}"
      "}");
  const VcPodObject *p = &nth (o, 0)->pod;

  is_text (p->ns, "default");
  is_text (p->uid, "default-p");
  CU_ASSERT_EQUAL (p->created, VC_NO_TIME);
  CU_ASSERT_EQUAL (p->start_time, VC_NO_TIME);
  CU_ASSERT_FALSE (p->deleting);
  CU_ASSERT_FALSE (p->preemption_victim); /* the first condition of the type decides */
  CU_ASSERT_EQUAL (p->phase, VC_POD_NONE);
  is_text (p->scheduler_name, NULL);
  CU_ASSERT_FALSE (p->spec.has_priority);
  CU_ASSERT_TRUE (p->spec.has_required);
  CU_ASSERT_EQUAL (p->spec.n_required, 0);
  CU_ASSERT_FALSE (p->spec.pod_level.given);
  CU_ASSERT_EQUAL (p->spec.n_containers, 0);
}

static void
a_resize_counts_the_greatest_of_spec_status_and_allocated (void)
{
  static const char format[]
      = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
        "spec:\n"
        "  initContainers:\n"
        "  - {name: once, resources: {requests: {cpu: 1}}}\n"
        "  - {name: side, restartPolicy: Always, resources: {requests: {cpu: 1}}}\n"
        "  containers:\n"
        "  - {name: c, resources: {requests: {cpu: 4, memory: 1Gi}}}\n"
        "  - {name: d, resources: {requests: {cpu: 1}}}\n"
        "  - {name: e, resources: {requests: {cpu: 1}}}\n"
        "status:\n"
        "  conditions: [{type: PodResizePending, status: \"True\", reason: %s}]\n"
        "  initContainerStatuses:\n"
        "  - {name: once, resources: {requests: {cpu: 9}}}\n"
        "  - {name: side, resources: {requests: {cpu: 7}}}\n"
        "  containerStatuses:\n"
        "  - {name: c, resources: {requests: {cpu: 99}}}\n"
        "  - {name: c, resources: {requests: {cpu: 2, memory: 3Gi}}, allocatedResources: {cpu: 3, "
        "memory: 2Gi, a/b: 1}}\n"
        "  - {name: d, allocatedResources: {cpu: 8}}\n"
        "  - {name: e, resources: {}}\n";
  g_autofree char *deferred_text = g_strdup_printf (format, "Deferred");
  g_autofree char *infeasible_text = g_strdup_printf (format, "Infeasible");
  g_autoptr (WlObjects) deferred = read_text (deferred_text);
  g_autoptr (WlObjects) infeasible = read_text (infeasible_text);
  const VcContainer *c = nth (deferred, 0)->pod.spec.container;

  CU_ASSERT_EQUAL (milli_of (&c[0].request, "cpu"),
                   1000); /* ordinary init containers are not resized */
  CU_ASSERT_EQUAL (milli_of (&c[1].request, "cpu"), 7000);
  CU_ASSERT_EQUAL (c[2].request.n, 3);
  CU_ASSERT_EQUAL (milli_of (&c[2].request, "cpu"), 4000); /* the last status of a name counts */
  CU_ASSERT_EQUAL (value_of (&c[2].request, "memory"), G_GINT64_CONSTANT (3) << 30);
  CU_ASSERT_EQUAL (value_of (&c[2].request, "a/b"), 1);
  CU_ASSERT_EQUAL (milli_of (&c[3].request, "cpu"),
                   1000); /* no resources in the status: the spec alone */
  CU_ASSERT_EQUAL (milli_of (&c[4].request, "cpu"), 1000);
  c = nth (infeasible, 0)->pod.spec.container;
  CU_ASSERT_EQUAL (milli_of (&c[2].request, "cpu"), 3000);
  CU_ASSERT_EQUAL (c[4].request.n, 0);
  CU_ASSERT_TRUE (c[4].request.given);
}

static void
groups_queues_classes_and_namespaces_are_read (void)
{
  g_autoptr (WlObjects) o = read_text (
      "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\n"
      "metadata: {name: g, uid: pu, creationTimestamp: \"1970-01-01T00:00:10Z\"}\n"
      "spec: {minMember: 3, minTaskMember: {worker: 2, ps: 1}, queue: q, priorityClassName: high, "
      "minResources: {},"
      " networkTopology: null, subGroupPolicy: []}\n"
      "status: {phase: Inqueue, conditions: [{type: Unschedulable, status: \"True\", reason: r, "
      "transitionID: x, message: m}]}\n"
      "---\n"
      "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n"
      "metadata: {name: q, annotations: {a: b}}\n"
      "spec: {weight: 4, priority: 2, parent: root, reclaimable: false, dequeueStrategy: fifo, "
      "capability: {cpu: 5},"
      " deserved: {memory: 1Ki}, guarantee: {resource: {cpu: 1}}}\n"
      "status: {state: Open, allocated: {cpu: 0}}\n"
      "---\n"
      "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: r}\n"
      "---\n"
      "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: "
      "2000001000\nglobalDefault: true\n"
      "---\n"
      "apiVersion: v1\nkind: Namespace\nmetadata: {name: s, labels: {team: x, empty: }}\n");
  const VcPodGroupObject *g = &nth (o, 0)->pod_group;
  const VcQueueObject *q = &nth (o, 1)->queue, *bare = &nth (o, 2)->queue;

  CU_ASSERT_EQUAL (o->objects->len, 5);
  is_text (g->ns, "default");
  is_text (g->uid, "pu");
  CU_ASSERT_EQUAL (g->created, 10);
  CU_ASSERT_EQUAL (g->min_member, 3);
  CU_ASSERT_EQUAL (g->n_role_mins, 2);
  is_text (g->role_min[0].role, "ps");
  CU_ASSERT_EQUAL (g->role_min[1].min, 2);
  is_text (g->queue, "q");
  is_text (g->priority_class, "high");
  CU_ASSERT_TRUE (g->min_resources.given);
  CU_ASSERT_EQUAL (g->min_resources.n, 0);
  is_text (g->phase, "Inqueue");
  CU_ASSERT_EQUAL (g->n_conditions, 1);
  is_text (g->condition[0].message, "m");
  CU_ASSERT_EQUAL (q->weight, 4);
  CU_ASSERT_EQUAL (q->priority, 2);
  is_text (q->parent, "root");
  is_text (q->state, "Open");
  CU_ASSERT_EQUAL (q->reclaimable, 0);
  CU_ASSERT_EQUAL (milli_of (&q->capability, "cpu"), 5000);
  CU_ASSERT_EQUAL (value_of (&q->deserved, "memory"), 1024);
  CU_ASSERT_EQUAL (milli_of (&q->guarantee, "cpu"), 1000);
  CU_ASSERT_EQUAL (bare->weight, 0);
  CU_ASSERT_EQUAL (bare->reclaimable, -1);
  CU_ASSERT_FALSE (bare->capability.given);
  CU_ASSERT_EQUAL (nth (o, 2)->line, 13);
  is_text (nth (o, 3)->priority_class.name, "high");
  CU_ASSERT_EQUAL (nth (o, 3)->priority_class.value, 2000001000);
  CU_ASSERT_TRUE (nth (o, 3)->priority_class.global_default);
  CU_ASSERT_EQUAL (nth (o, 4)->ns.labels.n, 2);
  is_text (nth (o, 4)->ns.labels.item[0].value, ""); /* Kubernetes keeps the key of a null */
}

/* ---- forms of input ------------------------------------------------------------------------- */

static void
names_are (const char *text, const char *names)
{
  g_autoptr (WlObjects) o = read_text (text);
  g_autoptr (GString) found = g_string_new (NULL);

  for (guint i = 0; i < o->objects->len; i++) {
    const WlObject *w = nth (o, i);
    g_string_append_printf (found, "%s%s:%u", i > 0 ? " " : "",
                            w->kind == WL_OBJECT_POD ? w->pod.name : w->node.name, w->line);
  }
  suite_check (strcmp (found->str, names) == 0, "'%s', expected '%s' of %s", found->str, names,
               text);
}

static void
lists_and_streams_keep_the_order (void)
{
  names_are ("", "");
  names_are ("\n \t\n", "");
  names_are ("# nothing\n---\n---\nnull\n...\n", "");
  names_are (NODE ("b") NODE ("a"), "b:1 a:1");
  names_are (NODE ("b") "\n" NODE ("a") "\n\n" NODE ("b"),
             "b:1 a:2 b:4"); /* a later one of the same name follows */
  names_are ("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" NODE ("b") "," NODE ("a") "]}",
             "b:1 a:1");
  names_are ("{\n  \"apiVersion\": \"v1\",\n  \"items\": [\n    {\n      \"apiVersion\": \"v1\",\n "
             "     \"kind\": \"Node\",\n"
             "      \"metadata\": {\"name\": \"x\"}\n    },\n    " NODE (
                 "y") "\n  ],\n  \"kind\": \"List\"\n}\n" NODE ("z"),
             "x:4 y:9 z:13");
  names_are ("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[]}", "");
  names_are ("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":null}{\"apiVersion\":\"v1\","
             "\"kind\":\"List\"}",
             "");
  names_are ("apiVersion: v1\nkind: List\nitems:\n- " NODE (
                 "b") "\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: a\n",
             "b:4 a:5");
  names_are ("{\"apiVersion\":\"v1\",\"kind\":\"NodeList\",\"items\":[{\"metadata\":{\"name\":"
             "\"a\"}},{\"metadata\":{\"name\":\"b\"}}]}",
             "a:1 b:1");
  names_are ("apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a}\n", "a:4");
  names_are ("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"v1\",\"kind\":"
             "\"List\",\"items\":[" NODE ("b") "]}," NODE ("a") "]}",
             "b:1 a:1");
  names_are (NODE ("a") "\n---\n" NODE ("b") "\n", "a:1 b:3");
  names_are ("  apiVersion: v1\n  kind: Node\n  metadata: {name: a}\n", "a:1");
  names_are ("{\"items\":[\"[}\\\"\"],\"apiVersion\":\"v1\",\"kind\":\"Thing\"}" NODE ("a"), "a:1");
}

static void
unknown_kinds_are_counted (void)
{
  g_autoptr (WlObjects) o = read_text (
      "apiVersion: v1\nkind: Service\nmetadata: {name: 5}\n---\n"
      "apiVersion: v1\nkind: Secret\n---\napiVersion: v1\nkind: Secret\nspec: 7\n---\n"
      "apiVersion: batch/v1\nkind: Job\n---\n" NODE (
          "a") "\n---\n"
               "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\n");

  CU_ASSERT_EQUAL (o->objects->len, 1);
  CU_ASSERT_EQUAL_FATAL (o->skipped->len, 4);
  is_text (g_ptr_array_index (o->skipped, 0), "1 Job.batch");
  is_text (g_ptr_array_index (o->skipped, 1), "1 PodGroup.scheduling.x-k8s.io");
  is_text (g_ptr_array_index (o->skipped, 2), "2 Secret");
  is_text (g_ptr_array_index (o->skipped, 3), "1 Service");
}

static char *
write_file (const char *dir, const char *name, const char *text, gboolean gzip)
{
  char *path = g_build_filename (dir, name, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GOutputStream) out
      = G_OUTPUT_STREAM (g_file_replace (file, NULL, FALSE, G_FILE_CREATE_NONE, NULL, NULL));

  g_assert_nonnull (out);
  if (gzip) {
    g_autoptr (GConverter) zip
        = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1));
    GOutputStream *packed = g_converter_output_stream_new (out, zip);
    g_object_unref (out);
    out = packed;
  }
  g_assert_true (g_output_stream_write_all (out, text, strlen (text), NULL, NULL, NULL));
  g_assert_true (g_output_stream_close (out, NULL, NULL));
  return path;
}

static void
several_files_are_read_in_turn (void)
{
  g_autofree char *dir = g_dir_make_tmp ("k8s-objects-XXXXXX", NULL);
  g_autofree char *first = write_file (dir, "one.json", NODE ("b"), FALSE);
  g_autofree char *second = write_file (dir, "two.yaml.gz", "---\n" NODE ("a") "\n", TRUE);
  g_autofree char *third = write_file (dir, "bad.yaml", "kind: Node\n", FALSE);
  g_autofree char *missing = g_build_filename (dir, "none", NULL);
  const char *good[] = { first, second }, *bad[] = { first, third }, *none[] = { missing };
  g_autoptr (GError) error = NULL;
  g_autoptr (WlObjects) o = wl_objects_read (good, 2, &error);

  CU_ASSERT_PTR_NOT_NULL_FATAL (o);
  CU_ASSERT_EQUAL (o->objects->len, 2);
  is_text (nth (o, 0)->node.name, "b");
  is_text (nth (o, 1)->node.name, "a");
  is_text (nth (o, 1)->file, second);
  CU_ASSERT_EQUAL (nth (o, 1)->line, 2);
  CU_ASSERT_PTR_NULL (wl_objects_read (bad, 2, &error));
  g_autofree char *message = g_strdup_printf ("%s:1:1: Node: apiVersion: missing", third);
  is_text (error->message, message);
  g_clear_error (&error);
  CU_ASSERT_PTR_NULL (wl_objects_read (none, 1, &error));
  CU_ASSERT_TRUE (g_error_matches (error, WL_ERROR, WL_ERROR_IO));
  CU_ASSERT_PTR_NULL (wl_objects_read (none, 1, NULL));
  g_autoptr (WlObjects) nothing = wl_objects_read (NULL, 0, NULL);
  CU_ASSERT_EQUAL (nothing->objects->len, 0);
  g_unlink (first);
  g_unlink (second);
  g_unlink (third);
  g_rmdir (dir);
}

static void
anchors_marks_line_ends_and_escapes_are_understood (void)
{
  names_are ("\xEF\xBB\xBF" NODE ("a"), "a:1");
  names_are ("\xEF\xBB\xBF"
             "apiVersion: v1\r\nkind: Node\r\nmetadata:\r\n  name: a\r\n---\r\n" NODE ("b") "\r\n",
             "a:1 b:6");
  g_autoptr (WlObjects) o = read_text (
      "apiVersion: v1\nkind: List\nitems:\n"
      "- &n\n  apiVersion: v1\n  kind: Node\n  metadata: &m {name: a, labels: &l {x: z}}\n"
      "- *n\n"
      "- {apiVersion: v1, kind: Pod, metadata: {name: p, labels: *l}, spec: {nodeSelector: *l}}\n");
  CU_ASSERT_EQUAL_FATAL (o->objects->len, 3);
  is_text (nth (o, 1)->node.name, "a");
  is_text (nth (o, 2)->pod.spec.node_selector.item[0].value, "z");
  g_autoptr (WlObjects) e = read_text ("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{"
                                       "\"name\":\"\\u00e9\\ud83d\\ude00\\/\\n\","
                                       "\t\"labels\":{\"a b\":\"\",\"q\":\"'\"}}}");
  is_text (nth (e, 0)->node.name, "é😀/\n");
  CU_ASSERT_EQUAL (nth (e, 0)->node.labels.n, 2);
  g_autoptr (WlObjects) t = read_text (
      "apiVersion: v1\nkind: Node\nmetadata:\n  name: !!str 5\n  labels:\n"
      "    a: \"1\"\n    b: |\n      x\n      y\n    c: >-\n      x\n      y\n    d: 1.2.3\n"
      "    e: 2026-01-01\n    f: -x\n    g: 08\n    h: y\n    i: 1e\n    j: 0b12\n    k: e5\n");
  is_text (nth (t, 0)->node.name, "5");
  is_text (nth (t, 0)->node.labels.item[1].value, "x\ny\n");
  is_text (nth (t, 0)->node.labels.item[2].value, "x y");
  CU_ASSERT_EQUAL (nth (t, 0)->node.labels.n, 11);
}

/* ---- refusals ------------------------------------------------------------------------------- */
static void
bad_inputs_are_refused_with_their_place (void)
{

  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    refused (refusals[i].text, -1, refusals[i].message);
  refused ("kind: a\0b", 9, IN "1:8: a NUL byte");
}

static void
unsupported_kinds_are_refused_by_name (void)
{
  static const char *const kinds[] = {
    "batch.volcano.sh/v1alpha1",
    "CronJob",
    "flow.volcano.sh/v1alpha1",
    "JobFlow",
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i += 2) {
    g_autofree char *text = g_strdup_printf ("apiVersion: %s\nkind: %s\n", kinds[i], kinds[i + 1]);
    g_autofree char *start
        = g_strdup_printf (IN "1:1: %s: %s objects are ", kinds[i + 1], kinds[i + 1]);
    g_autoptr (GError) error = NULL;
    CU_ASSERT_PTR_NULL (wl_objects_parse (text, strlen (text), "in.yaml", &error));
    suite_check (error != NULL && g_str_has_prefix (error->message, start), "%s",
                 error != NULL ? error->message : text);
  }
}

/* ---- hostile inputs ------------------------------------------------------------------------- */
static const char whole_list[]
    = "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [\n"
      "  {\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"n\\u00e9\", "
      "\"labels\": {\"b\": \"é\", \"a\": \"\"}},\n"
      "   \"spec\": {\"taints\": [{\"key\": \"k\", \"effect\": \"NoSchedule\"}], "
      "\"unschedulable\": false},\n"
      "   \"status\": {\"allocatable\": {\"cpu\": \"4\", \"memory\": \"8Gi\"}, \"images\": "
      "[{\"names\": [\"a\"], \"sizeBytes\": 12}]}},\n"
      "  {\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"p\", "
      "\"creationTimestamp\": \"2026-01-01T00:00:00Z\"},\n"
      "   \"spec\": {\"containers\": [{\"name\": \"c\", \"resources\": {\"requests\": {\"cpu\": "
      "\"1\"}}}], \"priority\": 5},\n"
      "   \"status\": {\"phase\": \"Running\", \"containerStatuses\": [{\"name\": \"c\", "
      "\"resources\": {\"requests\": {\"cpu\": 2}}}]}}\n"
      "]}\n";

static void
a_file_cut_anywhere_does_no_harm (void)
{
  static const char stream[]
      = "# two documents\n---\napiVersion: v1\nkind: List\nitems:\n- &n\n  apiVersion: v1\n  kind: "
        "Node\n  metadata:\n    name: \"a\"\n"
        "    labels: {x: 'y', ? z : |\n        w}\n- *n\n---\napiVersion: " SC
        "\nkind: Queue\nmetadata:\n  name: >-\n    q\n"
        "spec:\n  weight: 1\n  capability:\n    cpu: 2\n  reclaimable: true\n...\n";
  const char *const texts[] = { whole_list, stream };

  for (guint t = 0; t < 2; t++) {
    gsize len = strlen (texts[t]);
    for (gsize n = 0; n <= len; n++) {
      g_autofree char *cut = g_strndup (texts[t], n); /* ends where the allocation does */
      g_autoptr (GError) error = NULL;
      WlObjects *o = wl_objects_parse (cut, n, "cut", &error);
      CU_ASSERT_EQUAL (o == NULL, error != NULL);
      if (error != NULL)
        suite_check (strchr (error->message, '\n') == NULL
                         && g_str_has_prefix (error->message, "cut:"),
                     "%s", error->message);
      if (t == 0)
        suite_check ((o != NULL) == (n == 0 || n >= len - 1),
                     "JSON cut to %" G_GSIZE_FORMAT " bytes", n);
      wl_objects_free (o);
    }
  }
}

static void
random_damage_does_no_harm (void)
{
  static const char bytes[] = "{}[]:,\"'&*!|>-#%@`?\\ \n\r\t0a~\xC3\xFF";
  guint64 seed = 7;
  gsize len = strlen (whole_list);

  for (guint round = 0; round < 3000; round++) {
    g_autofree char *text = g_memdup2 (whole_list, len + 1);
    guint hits = 1 + (guint) (suite_random (&seed) % 3);
    for (guint i = 0; i < hits; i++)
      text[suite_random (&seed) % len] = bytes[suite_random (&seed) % (sizeof bytes - 1)];
    g_autoptr (GError) error = NULL;
    WlObjects *o = wl_objects_parse (text, len, "x", &error);
    suite_check ((o == NULL) == (error != NULL), "round %u", round);
    wl_objects_free (o);
  }
}

/* A List read item by item decides as the same List read whole: a comment in front makes it YAML.
 */
static void
json_lists_read_as_yaml_does (void)
{
  static const char bytes[] = "{}[]:,\"1a \n-";
  guint64 seed = 11;
  gsize len = strlen (whole_list);
  guint same = 0;

  for (guint round = 0; round < 3000; round++) {
    g_autofree char *text = g_memdup2 (whole_list, len + 1);
    text[suite_random (&seed) % len] = bytes[suite_random (&seed) % (sizeof bytes - 1)];
    g_autofree char *yaml = g_strconcat ("#\n", text, NULL);
    WlObjects *a = wl_objects_parse (text, len, "x", NULL),
              *b = wl_objects_parse (yaml, len + 2, "x", NULL);
    if (suite_check ((a == NULL) == (b == NULL), "round %u: %s", round, text) && a != NULL) {
      CU_ASSERT_EQUAL (a->objects->len, b->objects->len);
      same++;
    }
    wl_objects_free (a);
    wl_objects_free (b);
  }
  CU_ASSERT_TRUE (same > 100);
}

static void
depth_size_and_aliases_have_limits (void)
{
  g_autoptr (GError) error = NULL;
  const guint n = 100000;

  for (guint kind = 0; kind < 4; kind++) {
    g_autoptr (GString) deep = g_string_new (NULL);
    for (guint i = 0; i < n; i++)
      g_string_append (deep, ((const char *[]){ "[", "{\"a\":", "- ", "? " })[kind]);
    CU_ASSERT_PTR_NULL (wl_objects_parse (deep->str, deep->len, "deep", &error));
    suite_check (error != NULL && strstr (error->message, "depth") != NULL, "%s",
                 error != NULL ? error->message : "read");
    g_clear_error (&error);
  }
  g_autoptr (GString) lists = g_string_new (NULL);
  for (guint i = 0; i < 12; i++)
    g_string_append (lists, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
  for (guint i = 0; i < 12; i++)
    g_string_append (lists, "]}");
  CU_ASSERT_PTR_NULL (wl_objects_parse (lists->str, lists->len, "lists", &error));
  suite_check (error != NULL && strstr (error->message, "nested too deeply") != NULL, "%s",
               error != NULL ? error->message : "read");
  g_clear_error (&error);
  refused ("&a {apiVersion: v1, kind: List, items: [*a]}", -1,
           IN "1:40: List: items: lists inside lists are nested too deeply");

  g_autofree char *huge = g_strnfill (4 << 20, 'x');
  g_autofree char *text = g_strdup_printf (
      "{apiVersion: v1, kind: Node, metadata: {name: n, labels: {a: \"%s\"}, uid: 5}}", huge);
  CU_ASSERT_PTR_NULL (wl_objects_parse (text, strlen (text), "huge", &error));
  suite_check (error != NULL && strlen (error->message) < 200, "a short message");
  g_clear_error (&error);
  text[strlen (text) - 3] = '~';
  g_autoptr (WlObjects) o = wl_objects_parse (text, strlen (text), "huge", &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL (o);
  CU_ASSERT_EQUAL (strlen (nth (o, 0)->node.labels.item[0].value), 4 << 20);
  g_autofree char *name
      = g_strdup_printf ("{apiVersion: v1, kind: Node, metadata: {name: [%s]}}", huge);
  CU_ASSERT_PTR_NULL (wl_objects_parse (name, strlen (name), "huge", NULL));

  /* ten lists of ten aliases each, over and over: a few lines that stand for a million containers
   */
  g_autoptr (GString) laughs
      = g_string_new ("apiVersion: v1\nkind: List\nx0: &x0 {name: a, image: ");
  g_string_append_len (laughs, huge, 100000);
  g_string_append (
      laughs,
      "}\nx1: &x1 {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [*x0");
  for (guint i = 0; i < 999; i++)
    g_string_append (laughs, ",*x0");
  g_string_append (laughs, "]}}\nitems: [*x1");
  for (guint i = 0; i < 999; i++)
    g_string_append (laughs, ",*x1");
  g_string_append (laughs, "]\n");
  CU_ASSERT_PTR_NULL (wl_objects_parse (laughs->str, laughs->len, "laughs", &error));
  suite_check (error != NULL && strstr (error->message, "aliases expand to too much") != NULL, "%s",
               error != NULL ? error->message : "read");
}

static void
times_are_read_exactly (void)
{
  static const struct {
    const char *text;
    gint64 seconds;
  } good[] = {
    { "1970-01-01T00:00:00Z", 0 },
    { "1969-12-31T23:59:59Z", -1 },
    { "2026-01-01T00:00:00Z", 1767225600 },
    { "2000-02-29T12:00:00Z", 951825600 },
    { "2024-03-01T00:00:00+05:30", 1709231400 },
    { "2026-01-01T00:00:00.999999999Z", 1767225600 },
    { "0001-01-01T00:00:00Z", VC_NO_TIME },
    { "9999-12-31T23:59:59Z", 253402300799 },
    { "2026-01-01T00:00:00-00:30", 1767227400 },
    { "0000-01-01T00:00:00Z", -62167219200 },
    { "0000-03-01T00:00:00Z", -62162035200 },
  };
  static const char *const bad[] = {
    "",
    "2026",
    "2026-01-01",
    "2026-01-01 00:00:00Z",
    "2026-01-01t00:00:00Z",
    "2026-01-01T00:00:00",
    "2026-1-01T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z",
    "2026-01-01T00:00:60Z",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00+1:00",
    "2026-01-01T00:00:00+0100",
    "2026-01-01T00:00:00Zx",
    "2026-01-01T00:00:00+24:00",
    "+026-01-01T00:00:00Z",
    "2026-01-01T00:00:00z",
  };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    gint64 t = 7;
    suite_check (vc_parse_rfc3339 (good[i].text, &t) && t == good[i].seconds,
                 "%s is %" G_GINT64_FORMAT, good[i].text, t);
  }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    gint64 t = 7;
    suite_check (!vc_parse_rfc3339 (bad[i], &t) && t == 7, "'%s' is refused", bad[i]);
  }
}

static CU_TestInfo tests[] = {
  { "a node has amounts, labels, taints and images", a_node_has_amounts_labels_taints_and_images },
  { "a pod has all its fields", a_pod_has_all_its_fields },
  { "a bare pod has defaults", a_bare_pod_has_defaults },
  { "a resize counts the greatest of spec, status and allocated",
    a_resize_counts_the_greatest_of_spec_status_and_allocated },
  { "groups, queues, classes and namespaces are read",
    groups_queues_classes_and_namespaces_are_read },
  { "lists and streams keep the order", lists_and_streams_keep_the_order },
  { "unknown kinds are counted", unknown_kinds_are_counted },
  { "several files are read in turn", several_files_are_read_in_turn },
  { "anchors, marks, line ends and escapes are understood",
    anchors_marks_line_ends_and_escapes_are_understood },
  { "bad inputs are refused with their place", bad_inputs_are_refused_with_their_place },
  { "unsupported kinds are refused by name", unsupported_kinds_are_refused_by_name },
  { "a file cut anywhere does no harm", a_file_cut_anywhere_does_no_harm },
  { "random damage does no harm", random_damage_does_no_harm },
  { "JSON lists read as YAML does", json_lists_read_as_yaml_does },
  { "depth, size and aliases have limits", depth_size_and_aliases_have_limits },
  { "times are read exactly", times_are_read_exactly },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("k8s-objects", tests);
}
