/* A trace as manifests: Nodes, Queues, PriorityClasses and Volcano Jobs, with volsim's annotations for what a cluster would find out. */
#include "transform.h"
#include "workloads/native/append.h"
#include "workloads/native/behaviour.h"
#include "workloads/native/node-terms.h"
#include <string.h>

static void
add_pair (GString *out, const char *indent, const char *key, const char *value)
{
  g_string_append (out, indent);
  wl_append_quoted (out, key);
  g_string_append (out, ": ");
  wl_append_quoted (out, value);
  g_string_append_c (out, '\n');
}

static void
add_amounts (GString *out, const char *indent, const GArray *amounts)
{
  for (guint i = 0; i < amounts->len; i++) {
    const WlResource *r = &g_array_index (amounts, WlResource, i);
    g_autoptr (GString) text = g_string_new (NULL);

    wl_append_amount (text, r);
    add_pair (out, indent, r->name, text->str);
  }
}

static void
add_labels (GString *out, const char *indent, const GArray *pairs)
{
  for (guint i = 0; i < pairs->len; i++)
    add_pair (out, indent, g_array_index (pairs, WlPair, i).key, g_array_index (pairs, WlPair, i).value);
}

static void
add_begin (GString *out, const char *api, const char *kind, const char *name)
{
  g_string_append_printf (out, "---\napiVersion: %s\nkind: %s\nmetadata:\n  name: ", api, kind);
  wl_append_quoted (out, name);
  g_string_append_c (out, '\n');
}

/* ---- nodes and queues ---------------------------------------------------------------------------- */

/* How a node is found at the start. */
typedef struct { gboolean cordoned, not_ready; } NodeState;

/* What rows without a time, or of time 0, say of nodes that are there by then; the last one counts. Those are @said. */
static GHashTable *
node_states (const GArray *nodes, guint64 *said)
{
  GHashTable *states = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);

  for (guint i = 0; i < nodes->len; i++) {
    const WlNodeRow *n = &g_array_index (nodes, WlNodeRow, i);
    NodeState *state = g_hash_table_lookup (states, n->name);

    if (n->time > 0)
      continue;
    if (n->event == WL_NODE_ADD && state == NULL)
      g_hash_table_insert (states, n->name, g_new0 (NodeState, 1));
    if (state == NULL)
      continue;
    if (n->event == WL_NODE_CORDON || n->event == WL_NODE_UNCORDON)
      state->cordoned = n->event == WL_NODE_CORDON;
    else if (n->event == WL_NODE_NOTREADY || n->event == WL_NODE_READY)
      state->not_ready = n->event == WL_NODE_NOTREADY;
    else
      continue;
    (*said)++;
  }
  return states;
}

static void
add_node (GString *out, const WlNodeRow *n, const NodeState *state)
{
  add_begin (out, "v1", "Node", n->name);
  if (n->labels->len > 0) {
    g_string_append (out, "  labels:\n");
    add_labels (out, "    ", n->labels);
  }
  if (n->annotations->len > 0) {
    g_string_append (out, "  annotations:\n");
    add_labels (out, "    ", n->annotations);
  }
  if (state->cordoned || n->taints->len > 0)
    g_string_append (out, "spec:\n");
  if (state->cordoned)
    g_string_append (out, "  unschedulable: true\n");
  if (n->taints->len > 0) {
    g_string_append (out, "  taints:\n");
    for (guint i = 0; i < n->taints->len; i++) {
      const WlTaint *t = &g_array_index (n->taints, WlTaint, i);

      g_string_append (out, "  - key: ");
      wl_append_quoted (out, t->key);
      if (t->value != NULL && *t->value != '\0') {
        g_string_append (out, "\n    value: ");
        wl_append_quoted (out, t->value);
      }
      g_string_append_printf (out, "\n    effect: %s\n", t->effect);
    }
  }
  g_string_append (out, "status:\n  allocatable:\n");
  add_amounts (out, "    ", n->resources);
  g_string_append_printf (out, "  conditions:\n  - {type: Ready, status: \"%s\"}\n", state->not_ready ? "False" : "True");
}

/* Node groups that its pods must or should use (@required, @preferred), or avoid. */
static void
add_groups (GString *out, const char *kind, char *const *required, char *const *preferred)
{
  const struct { const char *key; char *const *names; } lists[] = {
    { "requiredDuringSchedulingIgnoredDuringExecution", required }, { "preferredDuringSchedulingIgnoredDuringExecution", preferred },
  };

  if (required == NULL && preferred == NULL)
    return;
  g_string_append_printf (out, "    %s:\n", kind);
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    if (lists[i].names == NULL)
      continue;
    g_string_append_printf (out, "      %s:\n", lists[i].key);
    for (char *const *name = lists[i].names; *name != NULL; name++) {
      g_string_append (out, "      - ");
      wl_append_quoted (out, *name);
      g_string_append_c (out, '\n');
    }
  }
}

static void
add_queue (GString *out, const WlQueueRow *q)
{
  const struct { const char *name; const GArray *amounts; } groups[] = { { "capability", q->capability }, { "deserved", q->deserved } };
  gboolean grouped = FALSE;

  add_begin (out, "scheduling.volcano.sh/v1beta1", "Queue", q->name);
  if (q->hierarchy != NULL || q->hierarchy_weights != NULL)
    g_string_append (out, "  annotations:\n");
  if (q->hierarchy != NULL)
    add_pair (out, "    ", "volcano.sh/hierarchy", q->hierarchy);
  if (q->hierarchy_weights != NULL)
    add_pair (out, "    ", "volcano.sh/hierarchy-weights", q->hierarchy_weights);
  g_string_append_printf (out, "spec:\n  weight: %d\n", q->weight >= 0 ? q->weight : 1);
  if (q->parent != NULL) {
    g_string_append (out, "  parent: ");
    wl_append_quoted (out, q->parent);
    g_string_append_c (out, '\n');
  }
  if (q->reclaimable >= 0)
    g_string_append_printf (out, "  reclaimable: %s\n", q->reclaimable ? "true" : "false");
  if (q->priority >= 0)
    g_string_append_printf (out, "  priority: %d\n", q->priority);
  if (q->strategy != NULL)
    g_string_append_printf (out, "  dequeueStrategy: %s\n", q->strategy);
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    if (groups[i].amounts->len > 0) {
      g_string_append_printf (out, "  %s:\n", groups[i].name);
      add_amounts (out, "    ", groups[i].amounts);
    }
  if (q->guarantee->len > 0) {
    g_string_append (out, "  guarantee:\n    resource:\n");
    add_amounts (out, "      ", q->guarantee);
  }
  for (guint i = 0; i < WL_N_GROUP_LISTS; i++)
    grouped |= q->groups[i] != NULL;
  if (grouped) {
    g_string_append (out, "  affinity:\n");
    add_groups (out, "nodeGroupAffinity", q->groups[WL_GROUPS_REQUIRED], q->groups[WL_GROUPS_PREFERRED]);
    add_groups (out, "nodeGroupAntiAffinity", q->groups[WL_GROUPS_ANTI_REQUIRED], q->groups[WL_GROUPS_ANTI_PREFERRED]);
  }
  if (q->state != NULL)
    g_string_append_printf (out, "status:\n  state: %s\n", q->state);
}

/* ---- jobs ---------------------------------------------------------------------------------------- */

/* "d1|d2", each "a>b". */
static void
add_runs (GString *out, const GArray *lists, gboolean times)
{
  for (guint i = 0; i < lists->len; i++) {
    const GArray *runs = g_array_index (lists, GArray *, i);

    g_string_append (out, i > 0 ? "|" : "");
    for (guint k = 0; k < runs->len; k++) {
      g_string_append (out, k > 0 ? ">" : "");
      if (!times)
        g_string_append_printf (out, "%d", g_array_index (runs, gint32, k));
      else if (g_array_index (runs, WlTime, k) == WL_TIME_NEVER)
        g_string_append (out, "inf");
      else
        wl_append_time (out, g_array_index (runs, WlTime, k));
    }
  }
}

static gboolean
all_zero (const GArray *codes)
{
  for (guint i = 0; i < codes->len; i++) {
    const GArray *runs = g_array_index (codes, GArray *, i);

    for (guint k = 0; k < runs->len; k++)
      if (g_array_index (runs, gint32, k) != 0)
        return FALSE;
  }
  return TRUE;
}

static void
add_time_note (GString *out, const char *indent, const char *key, WlTime t)
{
  g_autoptr (GString) text = g_string_new (NULL);

  wl_append_time (text, t);
  add_pair (out, indent, key, text->str);
}

static void
add_behaviour (GString *out, const char *indent, const WlBehaviour *b)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];
  const struct { const char *key; const WlDistribution *d; gboolean given; } parts[] = {
    { "volsim.io/time-to-failure", &b->time_to_failure, b->has_time_to_failure }, { "volsim.io/pre-stop", &b->pre_stop, b->has_pre_stop },
    { "volsim.io/termination", &b->termination, b->has_termination },
  };

  if (b->failure >= 0)
    add_pair (out, indent, "volsim.io/failure", g_ascii_formatd (buf, sizeof buf, "%.15g", b->failure));
  if (b->usage >= 0)
    add_pair (out, indent, "volsim.io/usage", g_ascii_formatd (buf, sizeof buf, "%.15g", b->usage));
  if (b->checkpoint != WL_TIME_NONE)
    add_time_note (out, indent, "volsim.io/checkpoint", b->checkpoint);
  if (b->restart_cost > 0)
    add_time_note (out, indent, "volsim.io/restart-cost", b->restart_cost);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (parts[i].given) {
      g_autofree char *text = wl_distribution_text (parts[i].d, WL_TIMES);
      add_pair (out, indent, parts[i].key, text);
    }
}

/* Terms of the column node_selector that a node selector cannot say. */
static void
add_node_affinity (GString *out, const GArray *terms)
{
  static const char *const operators[] = { [VC_OP_IN] = "In", [VC_OP_NOT_IN] = "NotIn", [VC_OP_EXISTS] = "Exists", [VC_OP_DOES_NOT_EXIST] = "DoesNotExist", [VC_OP_GT] = "Gt", [VC_OP_LT] = "Lt" };

  g_string_append (out, "          nodeAffinity:\n            requiredDuringSchedulingIgnoredDuringExecution:\n              nodeSelectorTerms:\n"
                        "              - matchExpressions:\n");
  for (guint i = 0; i < terms->len; i++) {
    const WlNodeTerm *t = &g_array_index (terms, WlNodeTerm, i);

    g_string_append (out, "                - key: ");
    wl_append_quoted (out, t->key);
    g_string_append_printf (out, "\n                  operator: %s\n", operators[t->op]);
    if (t->value == NULL || t->value[0] == NULL)
      continue;
    g_string_append (out, "                  values: [");
    for (guint k = 0; t->value[k] != NULL; k++) {
      g_string_append (out, k > 0 ? ", " : "");
      wl_append_quoted (out, t->value[k]);
    }
    g_string_append (out, "]\n");
  }
}

static void
add_affinity (GString *out, const WlRole *role)
{
  gboolean of_nodes = role->node_terms != NULL && role->node_terms->len > 0;

  if (of_nodes || role->apart != NULL)
    g_string_append (out, "        affinity:\n");
  if (of_nodes)
    add_node_affinity (out, role->node_terms);
  if (role->apart != NULL) {
    g_string_append (out, "          podAntiAffinity:\n            requiredDuringSchedulingIgnoredDuringExecution:\n            - topologyKey: kubernetes.io/hostname\n"
                          "              labelSelector:\n                matchLabels:\n");
    add_pair (out, "                  ", WL_APART, role->apart);
  }
}

static void
add_tolerations (GString *out, const GArray *list)
{
  if (list->len == 0)
    return;
  g_string_append (out, "        tolerations:\n");
  for (guint i = 0; i < list->len; i++) {
    const WlTaint *t = &g_array_index (list, WlTaint, i);

    g_string_append_printf (out, "        - operator: %s\n", t->exists ? "Exists" : "Equal");
    if (t->key != NULL && *t->key != '\0') {
      g_string_append (out, "          key: ");
      wl_append_quoted (out, t->key);
      g_string_append_c (out, '\n');
    }
    if (!t->exists) {
      g_string_append (out, "          value: ");
      wl_append_quoted (out, t->value != NULL ? t->value : "");
      g_string_append_c (out, '\n');
    }
    if (t->effect != NULL && *t->effect != '\0')
      g_string_append_printf (out, "          effect: %s\n", t->effect);
    if (t->bounded)
      g_string_append_printf (out, "          tolerationSeconds: %" G_GINT64_FORMAT "\n", t->seconds);
  }
}

/* "t1:n1>t2:n2". */
static void
add_scale (GString *out, const char *indent, const GArray *steps)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < steps->len; i++) {
    const WlScaleStep *s = &g_array_index (steps, WlScaleStep, i);

    g_string_append (text, i > 0 ? ">" : "");
    wl_append_time (text, s->after);
    g_string_append_printf (text, ":%d", s->replicas);
  }
  add_pair (out, indent, "volsim.io/scale", text->str);
}

static void
add_role (GString *out, const WlRole *role)
{
  g_autoptr (GString) runs = g_string_new (NULL), codes = g_string_new (NULL);

  add_runs (runs, role->durations, TRUE);
  add_runs (codes, role->exit_codes, FALSE);
  g_string_append (out, "  - name: ");
  wl_append_quoted (out, role->name);
  g_string_append_printf (out, "\n    replicas: %u\n", role->replicas);
  if (role->min_available >= 0)
    g_string_append_printf (out, "    minAvailable: %d\n", role->min_available);
  g_string_append (out, "    template:\n      metadata:\n");
  if (role->apart != NULL) {
    g_string_append (out, "        labels:\n");
    add_pair (out, "          ", WL_APART, role->apart);
  }
  g_string_append (out, "        annotations:\n");
  add_pair (out, "          ", "volsim.io/duration", runs->str);
  if (!all_zero (role->exit_codes))
    add_pair (out, "          ", "volsim.io/exit-code", codes->str);
  if (role->behaviour != NULL)
    add_behaviour (out, "          ", role->behaviour);
  if (role->scale != NULL)
    add_scale (out, "          ", role->scale);
  g_string_append (out, "      spec:\n        restartPolicy: Never\n");
  if (role->node_selector->len > 0) {
    g_string_append (out, "        nodeSelector:\n");
    add_labels (out, "          ", role->node_selector);
  }
  add_affinity (out, role);
  add_tolerations (out, role->tolerations);
  g_string_append (out, "        containers:\n        - name: main\n          image: ");
  wl_append_quoted (out, role->image != NULL ? role->image : "main");
  g_string_append_c (out, '\n');
  if (role->resources->len > 0) {
    g_string_append (out, "          resources:\n            requests:\n");
    add_amounts (out, "              ", role->resources);
    gboolean limits = FALSE;

    for (guint i = 0; i < role->resources->len; i++) { /* extended resources are asked for by limits, too */
      const WlResource *r = &g_array_index (role->resources, WlResource, i);

      if (strchr (r->name, '/') == NULL)
        continue;
      g_autoptr (GString) text = g_string_new (NULL);

      wl_append_amount (text, r);
      g_string_append (out, limits ? "" : "            limits:\n");
      add_pair (out, "              ", r->name, text->str);
      limits = TRUE;
    }
  }
}

static gboolean
is_number (const char *text)
{
  return *text != '\0' && strspn (text, "-0123456789") == strlen (text);
}

static char *
class_name (const char *priority)
{
  return is_number (priority) ? g_strdup_printf ("volsim-priority-%s%s", *priority == '-' ? "minus" : "", priority) : g_strdup (priority);
}

static void
add_job (GString *out, const WlJob *job)
{
  add_begin (out, "batch.volcano.sh/v1alpha1", "Job", job->name);
  g_string_append (out, "  namespace: ");
  wl_append_quoted (out, job->ns);
  g_string_append (out, "\n  annotations:\n");
  add_time_note (out, "    ", "volsim.io/submit", job->submit);
  if (job->sla != WL_TIME_NONE) {
    g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT "us", job->sla);

    add_pair (out, "    ", "volcano.sh/sla-waiting-time", text);
  }
  if (job->remove != WL_TIME_NONE)
    add_time_note (out, "    ", "volsim.io/delete", job->remove);
  if (job->walltime != WL_TIME_NONE)
    add_time_note (out, "    ", "volsim.io/walltime", job->walltime);
  if (job->preemptable >= 0)
    add_pair (out, "    ", "volcano.sh/preemptable", job->preemptable ? "true" : "false");
  g_string_append (out, "spec:\n  queue: ");
  wl_append_quoted (out, job->queue);
  g_string_append_c (out, '\n');
  if (job->scheduler != NULL) {
    g_string_append (out, "  schedulerName: ");
    wl_append_quoted (out, job->scheduler);
    g_string_append_c (out, '\n');
  }
  if (job->min_available >= 0)
    g_string_append_printf (out, "  minAvailable: %d\n", job->min_available);
  if (job->max_retry >= 0)
    g_string_append_printf (out, "  maxRetry: %d\n", job->max_retry);
  if (job->min_success >= 0)
    g_string_append_printf (out, "  minSuccess: %d\n", job->min_success);
  if (job->ttl >= 0)
    g_string_append_printf (out, "  ttlSecondsAfterFinished: %" G_GINT64_FORMAT "\n", job->ttl);
  if (job->priority != NULL) {
    g_autofree char *name = class_name (job->priority);

    g_string_append (out, "  priorityClassName: ");
    wl_append_quoted (out, name);
    g_string_append_c (out, '\n');
  }
  g_string_append (out, "  tasks:\n");
  for (guint i = 0; i < job->roles->len; i++)
    add_role (out, &g_array_index (job->roles, WlRole, i));
}

/* ---- all ----------------------------------------------------------------------------------------- */

static void
note (GPtrArray *notes, guint64 n, const char *what)
{
  if (n > 0)
    g_ptr_array_add (notes, g_strdup_printf ("%" G_GUINT64_FORMAT " %s", n, what));
}

GString *
wl_export_kubernetes (const GArray *nodes, const GArray *jobs, const GArray *queues, GPtrArray *notes, GError **error)
{
  g_autoptr (GHashTable) classes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GString *out = g_string_new ("# Made by volsim transform.\n");
  guint64 node_changes = 0, said = 0, queue_changes = 0, requests = 0, extra = 0;
  g_autoptr (GHashTable) states = node_states (nodes, &said);

  for (guint i = 0; i < nodes->len; i++) {
    const WlNodeRow *n = &g_array_index (nodes, WlNodeRow, i);

    if (n->event == WL_NODE_ADD && n->time <= 0)
      add_node (out, n, g_hash_table_lookup (states, n->name));
    else
      node_changes++;
  }
  for (guint i = 0; queues != NULL && i < queues->len; i++) {
    const WlQueueRow *q = &g_array_index (queues, WlQueueRow, i);

    if (q->time > 0)
      queue_changes++;
    else if (strcmp (q->name, "root") != 0)
      add_queue (out, q);
  }
  for (guint i = 0; i < jobs->len; i++) {
    const WlJob *job = &g_array_index (jobs, WlJob, i);
    g_autofree char *name = job->priority != NULL ? class_name (job->priority) : NULL;

    if (name != NULL && is_number (job->priority) && g_hash_table_add (classes, g_strdup (name))) {
      add_begin (out, "scheduling.k8s.io/v1", "PriorityClass", name);
      g_string_append_printf (out, "value: %s\n", job->priority);
    }
    requests += job->min_resources != NULL;
    extra += job->extra->len > 0;
    add_job (out, job);
  }
  note (notes, node_changes - said, "rows of nodes.csv after the start are left out");
  note (notes, queue_changes, "rows of queues.csv after the start are left out");
  note (notes, requests, "jobs have min_resources, which a cluster works out itself: left out");
  note (notes, extra, "jobs have columns x_…, which are left out");
  return out;
}
