/* core/plugins/nodegroup.c - tie queues to groups of nodes, hard and soft, with caps per queue and group.
 *
 * Policy: a node's group is its label volcano.sh/nodegroup-name; a queue's rules are the four lists of spec.affinity (with enableHierarchy
 * a queue that has none takes those of its nearest ancestor that has).
 *   filter   no label: fits only when not strict and the queue has no rules (none at all, or four empty lists); a label and no rules: no fit;
 *            else the group must be in required or preferred; anti-required excludes it, and anti-preferred lets it in again. Then for each
 *            amount that the queue's annotation volcano.sh/nodegroup-resource-limits lists for the group: allocated + request may not exceed
 *            it. An annotation that cannot be read keeps the queue's tasks off every node. None of this is cured by an eviction.
 *   score    100 in required, plus 50 in preferred (enablePreferredOrder: 50 * (n - i) / n for the i-th of n); in anti-preferred it is -1.
 *
 * Example: required {a, b}, preferred {b}, anti-preferred {c}: a scores 100, b 150, c -1 and all fit; nodes of d and nodes without a label
 * do not fit.
 *
 * Mirrors pkg/scheduler/plugins/nodegroup/{nodegroup,errors}.go. */
#include "plugins.h"
#include "support.h"
#include "core/base/json.h"

#define LABEL "volcano.sh/nodegroup-name"
#define LIMITS "volcano.sh/nodegroup-resource-limits"

const VcArgSpec vc_nodegroup_args[] = {
  { "strict", VC_ARG_BOOL, "tasks of queues without rules stay off nodes without the label too (default true)" },
  { "enablePreferredOrder", VC_ARG_BOOL, "the earlier a preferred group is listed, the higher its score (default false)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef struct {
  guint32 group;
  guint64 dims;    /* that are listed */
  gboolean closed; /* below zero in something that nobody has or asks for */
  VcRes *most;
  VcRes *used;     /* of the queue's tasks on the group's nodes; of the session */
} Limit;

typedef struct {
  const VcMeta *meta; /* from which the rest was read */
  gboolean bad;
  Limit *limit;
  guint n;
} Limits;

/* What one queue thinks of one group: found out when first asked for. */
typedef struct {
  gboolean known, fits;
  double score;
} Opinion;

typedef struct {
  gboolean strict, in_order;
  GHashTable *group_ids;   /* label text, interned → id, from 1; 0: no label */
  const char **group_name; /* by id */
  guint32 n_groups;
  /* by node row */
  guint32 *group, *version, n_nodes;
  /* by queue row */
  Limits *limits;
  guint32 n_limits;
  /* of the session */
  const VcNodeGroups **rules; /* by queue row */
  Opinion *opinion;           /* by queue row and group id */
  gsize n_rules, n_opinions;
} NodeGroup;

static gboolean
nodegroup_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  NodeGroup *g = self;

  g->strict = TRUE;
  vc_args_get_bool (&option->args, "strict", &g->strict);
  vc_args_get_bool (&option->args, "enablePreferredOrder", &g->in_order);
  g->group_ids = g_hash_table_new (g_str_hash, g_str_equal);
  return TRUE;
}

static guint32
group_id (NodeGroup *g, VcCluster *c, const char *name)
{
  guint32 id = GPOINTER_TO_UINT (g_hash_table_lookup (g->group_ids, name));

  if (id > 0)
    return id;
  id = ++g->n_groups;
  g->group_name = g_renew (const char *, g->group_name, id + 1);
  g->group_name[id] = vc_cluster_intern (c, name);
  g_hash_table_insert (g->group_ids, (gpointer) g->group_name[id], GUINT_TO_POINTER (id));
  return id;
}

/* ---- limits ----------------------------------------------------------------------------------- */

static void
limits_clear (Limits *l)
{
  for (guint i = 0; i < l->n; i++) {
    vc_res_free (l->limit[i].most);
    vc_res_free (l->limit[i].used);
  }
  g_free (l->limit);
  *l = (Limits) { 0 };
}

/* A quantity as a text or a number; null is none. */
static gboolean
read_quantity (const VcJson *v, VcQuantity *out)
{
  *out = (VcQuantity) { 0 };
  if (v->kind == VC_JSON_NULL)
    return TRUE;
  if (v->kind != VC_JSON_TEXT && v->kind != VC_JSON_NUMBER)
    return FALSE;
  g_autofree char *text = g_strstrip (g_strdup (v->text));
  return vc_quantity_parse (text, out, NULL);
}

static gboolean
read_limit (const VcCluster *c, const VcJson *list, Limit *l)
{
  l->dims = 0;
  l->closed = FALSE;
  vc_res_clear (l->most);
  for (const VcJson *v = list->child; v != NULL; v = v->next) {
    VcAmount a = { .name = v->key };
    const VcAmounts one = { .item = &a, .n = 1, .given = TRUE };
    gboolean last = TRUE;

    if (!read_quantity (v, &a.q))
      return FALSE;
    for (const VcJson *other = v->next; other != NULL && last; other = other->next)
      last = strcmp (other->key, v->key) != 0;
    if (!last) /* of a repeated name the last counts */
      continue;
    int d = vc_res_names_find (c->names, v->key);
    if (d >= 0) {
      l->dims |= G_GUINT64_CONSTANT (1) << d;
      vc_amounts_add (&one, c->names, l->most);
    } else if (vc_res_is_scalar_name (v->key)) {
      l->closed |= a.q.milli < 0;
    }
  }
  return TRUE;
}

/* FALSE when json.Unmarshal would fail. */
static gboolean
read_limits (NodeGroup *g, VcCluster *c, const char *text, Limits *out)
{
  g_autoptr (VcArena) arena = vc_arena_new ();
  const VcJson *map = vc_json_parse_all (text, strlen (text), arena, NULL);

  if (map == NULL || (map->kind != VC_JSON_MAP && map->kind != VC_JSON_NULL))
    return FALSE;
  for (const VcJson *v = map->child; v != NULL; v = v->next) {
    guint32 group = group_id (g, c, v->key);
    Limit *l = NULL;

    if (v->kind != VC_JSON_MAP && v->kind != VC_JSON_NULL)
      return FALSE;
    for (guint i = 0; i < out->n; i++)
      if (out->limit[i].group == group)
        l = &out->limit[i];
    if (l == NULL) {
      out->limit = g_renew (Limit, out->limit, out->n + 1);
      l = &out->limit[out->n++];
      *l = (Limit) { .group = group, .most = vc_res_new (c->n_res), .used = vc_res_new (c->n_res) };
    }
    if (!read_limit (c, v, l))
      return FALSE;
  }
  return TRUE;
}

static Limit *
limit_of (const NodeGroup *g, const VcCluster *c, guint32 job, guint32 group)
{
  const Limits *l = &g->limits[c->job[job].queue];

  for (guint i = 0; i < l->n; i++)
    if (l->limit[i].group == group)
      return &l->limit[i];
  return NULL;
}

static gboolean
exceeds (const Limit *l, const VcRes *request)
{
  if (l->closed)
    return TRUE;
  for (guint64 left = l->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    double used = l->used->v[d] + request->v[d], most = l->most->v[d];

    if (used > most && used - most >= VC_RES_EPSILON)
      return TRUE;
  }
  return FALSE;
}

/* Nothing else reads what is allocated, so only groups with a limit are counted. */
static Limit *
counted_in (const NodeGroup *g, VcSession *ssn, guint32 task)
{
  const VcCluster *c = vc_session_cluster (ssn);
  const VcTask *t = vc_task (c, task);

  if (!vc_session_has_job (ssn, t->job) || t->node == VC_NONE || t->node >= g->n_nodes || g->group[t->node] == 0)
    return NULL;
  return limit_of (g, c, t->job, g->group[t->node]);
}

static gboolean
nodegroup_allocated (gpointer self, VcSession *ssn, guint32 task)
{
  Limit *l = counted_in (self, ssn, task);

  if (l != NULL)
    vc_res_add (l->used, vc_task (vc_session_cluster (ssn), task)->shape->request);
  return TRUE;
}

static void
nodegroup_deallocated (gpointer self, VcSession *ssn, guint32 task)
{
  Limit *l = counted_in (self, ssn, task);

  if (l != NULL)
    vc_res_sub_unchecked (l->used, vc_task (vc_session_cluster (ssn), task)->shape->request);
}

/* ---- rules ------------------------------------------------------------------------------------ */

static gboolean
lists (const VcNames *names, const char *name)
{
  for (guint i = 0; i < names->n; i++)
    if (strcmp (names->item[i], name) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_empty (const VcNodeGroups *r)
{
  return r == NULL || r->required.n + r->preferred.n + r->anti_required.n + r->anti_preferred.n == 0;
}

/* A name that is listed twice has the later place, and counts once. */
static double
preference (const VcNames *names, const char *name)
{
  guint distinct = 0, place = 0;

  for (guint i = 0; i < names->n; i++) {
    gboolean again = FALSE;

    for (guint k = 0; k < i && !again; k++)
      again = strcmp (names->item[k], names->item[i]) == 0;
    distinct += !again;
    if (strcmp (names->item[i], name) == 0)
      place = i;
  }
  return 50.0 * ((double) distinct - (double) place) / (double) distinct;
}

static const Opinion *
opinion_of (const NodeGroup *g, guint32 queue, guint32 group)
{
  Opinion *o = &g->opinion[queue * ((gsize) g->n_groups + 1) + group];
  const VcNodeGroups *r = g->rules[queue];
  const char *name = g->group_name[group];

  if (o->known)
    return o;
  o->known = TRUE;
  gboolean required = lists (&r->required, name), preferred = lists (&r->preferred, name);
  o->fits = (required || preferred) && !lists (&r->anti_required, name);
  o->score = required ? 100 : 0;
  if (preferred)
    o->score += g->in_order ? preference (&r->preferred, name) : 50;
  if (lists (&r->anti_preferred, name)) {
    o->fits = TRUE;
    o->score = -1;
  }
  return o;
}

static gboolean
refuse (VcFitError *e, const char *reason)
{
  vc_fit_error_add (e, VC_UNRESOLVABLE, reason, "nodegroup");
  return FALSE;
}

static gboolean
nodegroup_predicate (gpointer self, VcSession *ssn, guint32 task, guint32 node, VcFitError *e)
{
  const NodeGroup *g = self;
  VcCluster *c = vc_session_cluster (ssn);
  const VcTask *t = vc_task (c, task);

  if (!vc_session_has_job (ssn, t->job)) {
    g_autofree char *text = g_strdup_printf ("job %s not found in session", t->job != VC_NONE ? vc_job (c, t->job)->key : "");

    vc_fit_error_add (e, VC_ERROR, vc_cluster_intern (c, text), "nodegroup");
    return FALSE;
  }
  guint32 queue = vc_job (c, t->job)->queue, group = g->group[node];
  gboolean unset = is_empty (g->rules[queue]);

  if (g->limits[queue].bad)
    return refuse (e, "node group resource limit annotation invalid");
  if (group == 0)
    return (!g->strict && unset) || refuse (e, "node group label not found");
  if (unset)
    return refuse (e, "node group affinity not specified");
  if (!opinion_of (g, queue, group)->fits)
    return refuse (e, "node does not satisfy the node group affinity");
  const Limit *l = limit_of (g, c, t->job, group);
  return l == NULL || !exceeds (l, t->shape->request) || refuse (e, "node group resource limit exceeded");
}

static gboolean
nodegroup_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  const NodeGroup *g = self;
  const VcCluster *c = vc_session_cluster (ssn);
  guint32 job = vc_task (c, task)->job;

  if (!vc_session_has_job (ssn, job) || g->rules[vc_job (c, job)->queue] == NULL)
    return TRUE;
  for (guint i = 0; i < n; i++)
    if (g->group[nodes[i]] != 0)
      score[i] += opinion_of (g, vc_job (c, job)->queue, g->group[nodes[i]])->score;
  return TRUE;
}

/* Two tasks of one shape may belong to different queues, and a placement counts against the whole group. */
static VcScope
wide_scope (gpointer self, VcSession *ssn, const VcShape *shape)
{
  return VC_SCOPE_CLUSTER;
}

static VcScope
score_scope (gpointer self, VcSession *ssn, const VcShape *shape)
{
  return VC_SCOPE_GROUP;
}

/* ---- session ---------------------------------------------------------------------------------- */

static void
look_up_groups (NodeGroup *g, VcCluster *c)
{
  if (g->n_nodes < c->nodes.n) {
    g->group = g_renew (guint32, g->group, c->nodes.cap);
    g->version = g_renew (guint32, g->version, c->nodes.cap);
    memset (g->group + g->n_nodes, 0, (c->nodes.cap - g->n_nodes) * sizeof *g->group);
    memset (g->version + g->n_nodes, 0, (c->nodes.cap - g->n_nodes) * sizeof *g->version);
    g->n_nodes = c->nodes.cap;
  }
  for (guint32 row = 0; row < c->nodes.n; row++) {
    const VcNode *node = &c->nodes.info[row];

    if (g->version[row] == node->static_version)
      continue;
    const char *name = node->ready ? vc_pairs_get (&node->facts.labels, LABEL) : NULL;
    g->version[row] = node->static_version;
    g->group[row] = name != NULL ? group_id (g, c, name) : 0;
  }
}

static void
look_up_limits (NodeGroup *g, VcCluster *c, guint32 queue)
{
  Limits *l = &g->limits[queue];
  const VcMeta *meta = c->queue[queue].meta;

  if (l->meta != meta) {
    const char *text = meta != NULL ? vc_pairs_get (&meta->annotations, LIMITS) : NULL;

    limits_clear (l);
    l->meta = meta;
    if (text != NULL && *text != '\0' && !read_limits (g, c, text, l)) {
      limits_clear (l);
      l->meta = meta;
      l->bad = TRUE;
    }
  }
  for (guint i = 0; i < l->n; i++)
    vc_res_clear (l->limit[i].used);
}

/* Own rules, or those of the nearest ancestor that has some. An unknown parent or a circle ends the way. */
static const VcNodeGroups *
inherited (const VcCluster *c, guint32 queue)
{
  for (guint32 steps = 0; steps < c->n_queue_order; steps++) {
    const VcQueue *q = vc_queue (c, queue);

    if (q->groups != NULL)
      return q->groups;
    if (strcmp (q->name, "root") == 0)
      return NULL;
    guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (c->queue_rows, *q->parent != '\0' ? q->parent : "root"));
    if (row == 0)
      return NULL;
    queue = row - 1;
  }
  return NULL;
}

static void
nodegroup_session_open (gpointer self, VcSession *ssn)
{
  NodeGroup *g = self;
  VcCluster *c = vc_session_cluster (ssn);
  gboolean hierarchy = vc_session_hierarchy_enabled (ssn, "nodegroup");
  guint n_queues, n_jobs;
  const guint32 *queues = vc_session_queues (ssn, &n_queues), *jobs = vc_session_jobs (ssn, &n_jobs);

  if (g->n_limits < c->n_queues) {
    g->limits = g_renew (Limits, g->limits, c->n_queues);
    memset (g->limits + g->n_limits, 0, (c->n_queues - g->n_limits) * sizeof *g->limits);
    g->n_limits = c->n_queues;
  }
  if (g->n_rules < c->n_queues) {
    g->n_rules = c->n_queues;
    g->rules = g_renew (const VcNodeGroups *, g->rules, g->n_rules);
  }
  look_up_groups (g, c);
  for (guint i = 0; i < n_queues; i++) {
    look_up_limits (g, c, queues[i]);
    g->rules[queues[i]] = hierarchy ? inherited (c, queues[i]) : c->queue[queues[i]].groups;
  }
  gsize n = c->n_queues * ((gsize) g->n_groups + 1);
  if (g->n_opinions < n) {
    g->n_opinions = n;
    g->opinion = g_renew (Opinion, g->opinion, n);
  }
  if (n > 0)
    memset (g->opinion, 0, n * sizeof *g->opinion);
  for (guint i = 0; i < n_jobs; i++) {
    const VcJob *j = vc_job (c, jobs[i]);

    if (g->limits[j->queue].n == 0 || vc_job_allocated_num (j) == 0)
      continue;
    for (guint32 k = 0; k < j->n_tasks; k++)
      if (vc_status_allocated (vc_task (c, j->task[k])->status))
        nodegroup_allocated (g, ssn, j->task[k]);
  }
  vc_session_add_node_order (ssn, nodegroup_score, score_scope);
  vc_session_add_predicate (ssn, nodegroup_predicate, NULL, wide_scope);
  vc_session_add_handlers (ssn, nodegroup_allocated, nodegroup_deallocated);
}

static void
nodegroup_clear (gpointer self)
{
  NodeGroup *g = self;

  for (guint32 q = 0; q < g->n_limits; q++)
    limits_clear (&g->limits[q]);
  g_free (g->limits);
  g_free (g->rules);
  g_free (g->opinion);
  g_free (g->group);
  g_free (g->version);
  g_free (g->group_name);
  g_clear_pointer (&g->group_ids, g_hash_table_unref);
}

const VcPluginClass vc_plugin_nodegroup = {
  .name = "nodegroup",
  .summary = VC_NODEGROUP_SUMMARY,
  .args = vc_nodegroup_args,
  .instance_size = sizeof (NodeGroup),
  .init = nodegroup_init,
  .session_open = nodegroup_session_open,
  .clear = nodegroup_clear,
};
