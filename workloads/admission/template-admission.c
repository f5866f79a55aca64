/* workloads/admission/template-admission.c - see template-admission.h. */
#include "template-admission.h"
#include "core/base/quantity.h"
#include "workloads/k8s/k8s-schema.h"
#include <string.h>

/* The path grows and shrinks with the walk; texts are scratch. */
typedef struct {
  GString *path, *text, *key;
  GPtrArray *out;
} Judge;

static gsize
enter (Judge *j, const char *key)
{
  gsize before = j->path->len;

  g_string_append_printf (j->path, ".%s", key);
  return before;
}

static gsize
enter_item (Judge *j, guint i)
{
  gsize before = j->path->len;

  g_string_append_printf (j->path, "[%u]", i);
  return before;
}

static void
leave (Judge *j, gsize before)
{
  g_string_truncate (j->path, before);
}

/* A finding about field @key of the value at hand. */
G_GNUC_PRINTF (3, 4) static void
say (Judge *j, const char *key, const char *format, ...)
{
  gsize before = enter (j, key);
  va_list ap;

  va_start (ap, format);
  g_autofree char *what = g_strdup_vprintf (format, ap);
  va_end (ap);
  wl_find (j->out, j->path->str, "%s", what);
  leave (j, before);
}

static const char *
text_of (Judge *j, struct fy_node *map, const char *key)
{
  return k8s_get_text (map, key, j->text);
}

static gint64
number_of (Judge *j, struct fy_node *map, const char *key)
{
  return g_ascii_strtoll (text_of (j, map, key), NULL, 0);
}

static void
invalid_unless (Judge *j, const char *key, const char *value, const char *problem)
{
  if (problem != NULL)
    say (j, key, "Invalid value: \"%s\": %s", value, problem);
}

static gboolean
is_among (const char *text, const char *const *list, guint n)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (list[i], text) == 0)
      return TRUE;
  return FALSE;
}

static void
one_of (Judge *j, struct fy_node *map, const char *key, const char *const *allowed, guint n)
{
  g_autofree char *value = g_strdup (text_of (j, map, key));
  gsize before = enter (j, key);

  if (*value != '\0' && !is_among (value, allowed, n))
    wl_find_unsupported (j->out, j->path->str, value, allowed, n);
  leave (j, before);
}

static void
label_key (Judge *j, const char *field, const char *value)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new ();

  wl_qualified_problems (value, problems);
  for (guint i = 0; i < problems->len; i++)
    invalid_unless (j, field, value, problems->pdata[i]);
}

/* A map of labels, as field @key; annotations have keys alone. */
static void
labels (Judge *j, struct fy_node *map, const char *field, gboolean values)
{
  struct fy_node *value;
  void *at = NULL;

  while (k8s_next_pair (map, &at, j->key, &value)) {
    g_autofree char *key = values ? g_strdup (j->key->str) : g_ascii_strdown (j->key->str, -1);

    label_key (j, field, key);
    if (values) {
      g_autofree char *text = g_strdup (k8s_scalar (value, j->text));

      invalid_unless (j, field, text, wl_label_value_problem (text));
    }
  }
}

/* ---- containers ----------------------------------------------------------------------------- */

static gboolean
add_once (GHashTable *seen, const char *name)
{
  return g_hash_table_add (seen, g_strdup (name));
}

static void
ports (Judge *j, struct fy_node *container, GHashTable *host_ports, gboolean host_network)
{
  static const char *const protocols[] = { "SCTP", "TCP", "UDP" };
  gsize before = enter (j, "ports");
  struct fy_node *list = k8s_get (container, "ports"), *port;
  void *at = NULL;

  for (guint i = 0; (port = k8s_next (list, &at)) != NULL; i++) {
    gsize item = enter_item (j, i);
    gint64 own = number_of (j, port, "containerPort"), host = number_of (j, port, "hostPort");

    if (own == 0)
      say (j, "containerPort", "Required value");
    else if (own < 1 || own > 65535)
      say (j, "containerPort", "Invalid value: %" G_GINT64_FORMAT ": must be between 1 and 65535, inclusive", own);
    if (host != 0 && (host < 1 || host > 65535))
      say (j, "hostPort", "Invalid value: %" G_GINT64_FORMAT ": must be between 1 and 65535, inclusive", host);
    if (host_network && host != 0 && host != own)
      say (j, "hostPort", "Invalid value: %" G_GINT64_FORMAT ": must match `containerPort` when `hostNetwork` is true", host);
    one_of (j, port, "protocol", protocols, G_N_ELEMENTS (protocols));
    if (host != 0) {
      g_autofree char *protocol = g_strdup (text_of (j, port, "protocol"));
      g_autofree char *key = g_strdup_printf ("%s/%s/%" G_GINT64_FORMAT, *protocol != '\0' ? protocol : "TCP", text_of (j, port, "hostIP"), host);

      if (!add_once (host_ports, key))
        say (j, "hostPort", "Duplicate value: \"%s\"", key);
    }
    leave (j, item);
  }
  leave (j, before);
}

static void
mounts (Judge *j, struct fy_node *container, GHashTable *volumes)
{
  g_autoptr (GHashTable) paths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gsize before = enter (j, "volumeMounts");
  struct fy_node *list = k8s_get (container, "volumeMounts"), *mount;
  void *at = NULL;

  for (guint i = 0; (mount = k8s_next (list, &at)) != NULL; i++) {
    gsize item = enter_item (j, i);
    g_autofree char *name = g_strdup (text_of (j, mount, "name")), *path = g_strdup (text_of (j, mount, "mountPath"));

    if (*name == '\0')
      say (j, "name", "Required value");
    if (!g_hash_table_contains (volumes, name))
      say (j, "name", "Not found: \"%s\"", name);
    if (*path == '\0')
      say (j, "mountPath", "Required value");
    if (!add_once (paths, path))
      invalid_unless (j, "mountPath", path, "must be unique");
    leave (j, item);
  }
  leave (j, before);
}

static gboolean
is_native (const char *resource)
{
  return strchr (resource, '/') == NULL || strstr (resource, "kubernetes.io/") != NULL;
}

static gboolean
may_overcommit (const char *resource)
{
  return is_native (resource) && !g_str_has_prefix (resource, "hugepages-");
}

static const char *
resource_problem (const char *name)
{
  static const char *const standard[] = { "cpu", "memory", "ephemeral-storage" };

  if (strchr (name, '/') == NULL)
    return is_among (name, standard, G_N_ELEMENTS (standard)) || g_str_has_prefix (name, "hugepages-")
               ? NULL
               : "must be a standard resource for containers";
  return !is_native (name) && g_str_has_prefix (name, "requests.") ? "doesn't follow extended resource name standard" : NULL;
}

static gboolean
quantity_of (Judge *j, struct fy_node *list, const char *name, VcQuantity *out)
{
  struct fy_node *value = k8s_get (list, name);

  return value != NULL && vc_quantity_parse (k8s_scalar (value, j->text), out, NULL);
}

static int
compare (VcQuantity a, VcQuantity b)
{
  gboolean less = a.value != b.value ? a.value < b.value : a.milli < b.milli;

  return less ? -1 : a.value != b.value || a.milli != b.milli;
}

/* Names and amounts of one list, requests or limits. */
static void
amounts (Judge *j, struct fy_node *list, const char *field)
{
  struct fy_node *value;
  void *at = NULL;

  while (k8s_next_pair (list, &at, j->key, &value)) {
    g_autofree char *name = g_strdup (j->key->str), *place = g_strdup_printf ("%s[%s]", field, name);
    g_autofree char *text = g_strdup (k8s_scalar (value, j->text));
    g_autoptr (GPtrArray) problems = g_ptr_array_new ();
    VcQuantity q;

    wl_qualified_problems (name, problems);
    for (guint i = 0; i < problems->len; i++)
      invalid_unless (j, place, name, problems->pdata[i]);
    if (problems->len == 0)
      invalid_unless (j, place, name, resource_problem (name));
    if (!vc_quantity_parse (text, &q, NULL))
      continue; /* the reader has refused it */
    if (q.value < 0 || q.milli < 0)
      invalid_unless (j, place, text, "must be greater than or equal to 0");
    if (!is_native (name) && q.milli % 1000 != 0)
      invalid_unless (j, place, text, "must be an integer");
  }
}

static void
resources (Judge *j, struct fy_node *container)
{
  struct fy_node *node = k8s_get (container, "resources"), *limits = k8s_get (node, "limits"), *requests = k8s_get (node, "requests"), *value;
  gsize before = enter (j, "resources");
  void *at = NULL;

  amounts (j, limits, "limits");
  amounts (j, requests, "requests");
  while (k8s_next_pair (requests, &at, j->key, &value)) {
    g_autofree char *name = g_strdup (j->key->str), *text = g_strdup (k8s_scalar (value, j->text));
    VcQuantity request, limit;

    if (!vc_quantity_parse (text, &request, NULL))
      continue;
    if (!quantity_of (j, limits, name, &limit)) {
      if (!may_overcommit (name))
        say (j, "limits", "Required value: Limit must be set for non overcommitable resources");
      continue;
    }
    int order = compare (request, limit);

    if (order != 0 && !may_overcommit (name))
      say (j, "requests", "Invalid value: \"%s\": must be equal to %s limit of %s", text, name, k8s_scalar (k8s_get (limits, name), j->text));
    else if (order > 0)
      say (j, "requests", "Invalid value: \"%s\": must be less than or equal to %s limit of %s", text, name,
           k8s_scalar (k8s_get (limits, name), j->text));
  }
  leave (j, before);
}

typedef struct {
  GHashTable *names, *volumes, *host_ports;
  gboolean host_network;
} Pod;

static void
container (Judge *j, struct fy_node *node, gboolean init, Pod *pod)
{
  static const char *const pull[] = { "Always", "IfNotPresent", "Never" }, *const message[] = { "File", "FallbackToLogsOnError" };
  static const char *const always[] = { "Always" };
  g_autoptr (GHashTable) own_ports = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *name = g_strdup (text_of (j, node, "name"));

  if (*name == '\0')
    say (j, "name", "Required value");
  else
    invalid_unless (j, "name", name, wl_dns_label_problem (name));
  if (*text_of (j, node, "image") == '\0')
    say (j, "image", "Required value");
  one_of (j, node, "terminationMessagePolicy", message, G_N_ELEMENTS (message));
  ports (j, node, init ? own_ports : pod->host_ports, !init && pod->host_network);
  mounts (j, node, pod->volumes);
  one_of (j, node, "imagePullPolicy", pull, G_N_ELEMENTS (pull));
  resources (j, node);
  if (init)
    one_of (j, node, "restartPolicy", always, 1);
  if ((*name != '\0' || !init) && !add_once (pod->names, name))
    say (j, "name", "Duplicate value: \"%s\"", name);
  if (!init && k8s_get (node, "restartPolicy") != NULL)
    say (j, "restartPolicy", "Forbidden: may not be set for non-init containers");
}

static void
containers (Judge *j, struct fy_node *spec, const char *field, gboolean init, Pod *pod)
{
  gsize before = enter (j, field);
  struct fy_node *list = k8s_get (spec, field), *item;
  void *at = NULL;
  guint n = 0;

  for (; (item = k8s_next (list, &at)) != NULL; n++) {
    gsize here = enter_item (j, n);

    container (j, item, init, pod);
    leave (j, here);
  }
  if (n == 0 && !init)
    wl_find_required (j->out, j->path->str);
  leave (j, before);
}

static void
volumes (Judge *j, struct fy_node *spec, GHashTable *names)
{
  gsize before = enter (j, "volumes");
  struct fy_node *list = k8s_get (spec, "volumes"), *item;
  void *at = NULL;

  for (guint i = 0; (item = k8s_next (list, &at)) != NULL; i++) {
    gsize here = enter_item (j, i);
    g_autofree char *name = g_strdup (text_of (j, item, "name"));
    const char *problem = wl_dns_label_problem (name);

    if (*name == '\0')
      say (j, "name", "Required value");
    else if (problem != NULL)
      invalid_unless (j, "name", name, problem);
    else if (!add_once (names, name))
      say (j, "name", "Duplicate value: \"%s\"", name);
    leave (j, here);
  }
  leave (j, before);
}

/* ---- where a pod may run --------------------------------------------------------------------- */

static guint
length (struct fy_node *list)
{
  void *at = NULL;
  guint n = 0;

  while (k8s_next (list, &at) != NULL)
    n++;
  return n;
}

/* A requirement on labels: of nodes, or of pods, which know neither Gt nor Lt. */
static void
requirement (Judge *j, struct fy_node *node, gboolean of_nodes, gboolean check_values)
{
  g_autofree char *op = g_strdup (text_of (j, node, "operator")), *key = g_strdup (text_of (j, node, "key"));
  struct fy_node *values = k8s_get (node, "values"), *value;
  guint n = length (values);
  void *at = NULL;

  if (strcmp (op, "In") == 0 || strcmp (op, "NotIn") == 0) {
    if (n == 0)
      say (j, "values", "Required value: must be specified when `operator` is 'In' or 'NotIn'");
  } else if (strcmp (op, "Exists") == 0 || strcmp (op, "DoesNotExist") == 0) {
    if (n > 0)
      say (j, "values", "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (of_nodes && (strcmp (op, "Gt") == 0 || strcmp (op, "Lt") == 0)) {
    if (n != 1)
      say (j, "values", "Required value: must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else {
    invalid_unless (j, "operator", op, of_nodes ? "not a valid selector operator" : "not a valid label selector operator");
  }
  label_key (j, "key", key);
  for (guint i = 0; check_values && (value = k8s_next (values, &at)) != NULL; i++) {
    g_autofree char *text = g_strdup (k8s_scalar (value, j->text)), *place = g_strdup_printf ("values[%u]", i);

    invalid_unless (j, place, text, wl_label_value_problem (text));
  }
}

static void
requirements (Judge *j, struct fy_node *term, gboolean of_nodes, gboolean check_values)
{
  gsize before = enter (j, "matchExpressions");
  struct fy_node *list = k8s_get (term, "matchExpressions"), *item;
  void *at = NULL;

  for (guint i = 0; (item = k8s_next (list, &at)) != NULL; i++) {
    gsize here = enter_item (j, i);

    requirement (j, item, of_nodes, check_values);
    leave (j, here);
  }
  leave (j, before);
}

static void
weight (Judge *j, struct fy_node *term)
{
  gint64 w = number_of (j, term, "weight");

  if (w < 1 || w > 100)
    say (j, "weight", "Invalid value: %" G_GINT64_FORMAT ": must be in the range 1-100", w);
}

static void
pod_term (Judge *j, struct fy_node *term)
{
  struct fy_node *selector = k8s_get (term, "labelSelector");
  gsize before = enter (j, "labelSelector");

  labels (j, k8s_get (selector, "matchLabels"), "matchLabels", TRUE);
  requirements (j, selector, FALSE, TRUE);
  leave (j, before);
  g_autofree char *key = g_strdup (text_of (j, term, "topologyKey"));

  if (*key == '\0')
    say (j, "topologyKey", "Required value: can not be empty");
  label_key (j, "topologyKey", key);
}

static void
node_term (Judge *j, struct fy_node *term)
{
  requirements (j, term, TRUE, TRUE);
}

static void
weighted_node_term (Judge *j, struct fy_node *term)
{
  weight (j, term);
  gsize before = enter (j, "preference");

  requirements (j, k8s_get (term, "preference"), TRUE, FALSE);
  leave (j, before);
}

static void
weighted_pod_term (Judge *j, struct fy_node *term)
{
  weight (j, term);
  gsize before = enter (j, "podAffinityTerm");

  pod_term (j, k8s_get (term, "podAffinityTerm"));
  leave (j, before);
}

static guint
each (Judge *j, struct fy_node *map, const char *field, void (*judge) (Judge *, struct fy_node *))
{
  gsize before = enter (j, field);
  struct fy_node *list = k8s_get (map, field), *item;
  void *at = NULL;
  guint n = 0;

  for (; (item = k8s_next (list, &at)) != NULL; n++) {
    gsize here = enter_item (j, n);

    judge (j, item);
    leave (j, here);
  }
  leave (j, before);
  return n;
}

static void
affinity (Judge *j, struct fy_node *spec)
{
  static const char required[] = "requiredDuringSchedulingIgnoredDuringExecution", preferred[] = "preferredDuringSchedulingIgnoredDuringExecution";
  static const char *const of_pods[] = { "podAffinity", "podAntiAffinity" };
  struct fy_node *node = k8s_get (spec, "affinity"), *of_nodes = k8s_get (node, "nodeAffinity"), *must = k8s_get (of_nodes, required);
  gsize before = enter (j, "affinity"), inner = enter (j, "nodeAffinity");

  if (must != NULL) {
    gsize here = enter (j, required);

    if (each (j, must, "nodeSelectorTerms", node_term) == 0)
      say (j, "nodeSelectorTerms", "Required value: must have at least one node selector term");
    leave (j, here);
  }
  each (j, of_nodes, preferred, weighted_node_term);
  leave (j, inner);
  for (guint i = 0; i < G_N_ELEMENTS (of_pods); i++) {
    gsize here = enter (j, of_pods[i]);

    each (j, k8s_get (node, of_pods[i]), required, pod_term);
    each (j, k8s_get (node, of_pods[i]), preferred, weighted_pod_term);
    leave (j, here);
  }
  leave (j, before);
}

static void
toleration (Judge *j, struct fy_node *node)
{
  static const char *const effects[] = { "NoSchedule", "PreferNoSchedule", "NoExecute" };
  g_autofree char *key = g_strdup (text_of (j, node, "key")), *op = g_strdup (text_of (j, node, "operator")),
                  *value = g_strdup (text_of (j, node, "value")), *effect = g_strdup (text_of (j, node, "effect"));

  if (*key != '\0')
    label_key (j, "key", key);
  else if (strcmp (op, "Exists") != 0)
    invalid_unless (j, "operator", op, "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
  if (k8s_get (node, "tolerationSeconds") != NULL && strcmp (effect, "NoExecute") != 0)
    invalid_unless (j, "effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
  if (*op == '\0' || strcmp (op, "Equal") == 0) {
    invalid_unless (j, "operator", value, wl_label_value_problem (value));
  } else if (strcmp (op, "Exists") == 0) {
    if (*value != '\0')
      invalid_unless (j, "operator", value, "value must be empty when `operator` is 'Exists'");
  } else {
    say (j, "operator", "Unsupported value: \"%s\": supported values: \"Equal\", \"Exists\"", op);
  }
  one_of (j, node, "effect", effects, G_N_ELEMENTS (effects));
}

static void
spread (Judge *j, struct fy_node *node)
{
  static const char *const modes[] = { "DoNotSchedule", "ScheduleAnyway" };
  gint64 skew = number_of (j, node, "maxSkew");

  if (skew <= 0)
    say (j, "maxSkew", "Invalid value: %" G_GINT64_FORMAT ": must be greater than 0", skew);
  if (*text_of (j, node, "topologyKey") == '\0')
    say (j, "topologyKey", "Required value: can not be empty");
  if (*text_of (j, node, "whenUnsatisfiable") == '\0')
    say (j, "whenUnsatisfiable", "Unsupported value: \"\": supported values: \"DoNotSchedule\", \"ScheduleAnyway\"");
  one_of (j, node, "whenUnsatisfiable", modes, G_N_ELEMENTS (modes));
  if (k8s_get (node, "minDomains") != NULL) {
    gint64 domains = number_of (j, node, "minDomains");

    if (domains <= 0)
      say (j, "minDomains", "Invalid value: %" G_GINT64_FORMAT ": must be greater than 0", domains);
    if (strcmp (text_of (j, node, "whenUnsatisfiable"), "DoNotSchedule") != 0)
      say (j, "minDomains", "Invalid value: %" G_GINT64_FORMAT ": can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway", domains);
  }
}

static void
gates (Judge *j, struct fy_node *spec)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  struct fy_node *list = k8s_get (spec, "schedulingGates"), *item;
  void *at = NULL;

  for (guint i = 0; (item = k8s_next (list, &at)) != NULL; i++) {
    g_autofree char *name = g_strdup (text_of (j, item, "name")), *place = g_strdup_printf ("schedulingGates[%u]", i);

    label_key (j, place, name);
    if (!add_once (seen, name))
      say (j, place, "Duplicate value: \"%s\"", name);
  }
}

/* ---- the template --------------------------------------------------------------------------- */

static void
name_field (Judge *j, struct fy_node *spec, const char *key, const char *(*problem) (const char *))
{
  g_autofree char *value = g_strdup (text_of (j, spec, key));

  if (*value != '\0')
    invalid_unless (j, key, value, problem (value));
}

void
wl_judge_template (struct fy_node *node, GPtrArray *out)
{
  static const char *const restarts[] = { "Always", "OnFailure", "Never" };
  static const char *const dns[] = { "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None" };
  static const char *const preemption[] = { "Never", "PreemptLowerPriority" };
  g_autoptr (GString) path = g_string_new ("template"), text = g_string_new (NULL), key = g_string_new (NULL);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) volume_names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) host_ports = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Judge j = { path, text, key, out };
  struct fy_node *meta = k8s_get (node, "metadata"), *spec = k8s_get (node, "spec");
  Pod pod = { names, volume_names, host_ports, g_ascii_strcasecmp (text_of (&j, spec, "hostNetwork"), "true") == 0 };

  labels (&j, k8s_get (meta, "labels"), "labels", TRUE);
  labels (&j, k8s_get (meta, "annotations"), "annotations", FALSE);
  enter (&j, "spec");
  volumes (&j, spec, volume_names);
  containers (&j, spec, "containers", FALSE, &pod);
  containers (&j, spec, "initContainers", TRUE, &pod);
  one_of (&j, spec, "restartPolicy", restarts, G_N_ELEMENTS (restarts));
  one_of (&j, spec, "dnsPolicy", dns, G_N_ELEMENTS (dns));
  labels (&j, k8s_get (spec, "nodeSelector"), "nodeSelector", TRUE);
  affinity (&j, spec);
  gates (&j, spec);
  each (&j, spec, "topologySpreadConstraints", spread);
  name_field (&j, spec, "serviceAccountName", wl_dns_subdomain_problem);
  name_field (&j, spec, "nodeName", wl_dns_subdomain_problem);
  if (k8s_get (spec, "activeDeadlineSeconds") != NULL) {
    gint64 deadline = number_of (&j, spec, "activeDeadlineSeconds");

    if (deadline < 1 || deadline > G_MAXINT32)
      say (&j, "activeDeadlineSeconds", "Invalid value: %" G_GINT64_FORMAT ": must be between 1 and 2147483647, inclusive", deadline);
  }
  name_field (&j, spec, "hostname", wl_dns_label_problem);
  name_field (&j, spec, "subdomain", wl_dns_label_problem);
  each (&j, spec, "tolerations", toleration);
  name_field (&j, spec, "priorityClassName", wl_dns_subdomain_problem);
  name_field (&j, spec, "runtimeClassName", wl_dns_subdomain_problem);
  one_of (&j, spec, "preemptionPolicy", preemption, G_N_ELEMENTS (preemption));
}
