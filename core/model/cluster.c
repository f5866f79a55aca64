#include "cluster-ops.h"
#include "hyper-nodes.h"
#include "sub-jobs.h"
#include "claims.h"
#include "volumes.h"
#include <string.h>

const char *const vc_status_names[VC_N_STATUS] = { "Pending", "Allocated", "Pipelined", "Binding", "Bound", "Running", "Releasing",
                                                   "Succeeded", "Failed", "Unknown" };
const char *const vc_pg_phase_names[] = { "", "Pending", "Inqueue", "Running", "Unknown", "Completed", "" };

VcCluster *
vc_cluster_new (VcResNames *names)
{
  VcCluster *c = g_new0 (VcCluster, 1);

  c->names = names;
  c->n_res = vc_res_names_count (names);
  c->text = g_string_chunk_new (4096);
  c->text_index = g_hash_table_new (g_str_hash, g_str_equal);
  c->shapes = vc_shape_table_new (names);
  c->metas = vc_metas_new ();
  c->meta_key = g_string_new (NULL);
  c->meta_arena = vc_arena_new ();
  c->node_rows = g_hash_table_new (g_str_hash, g_str_equal);
  c->task_rows = g_hash_table_new (g_str_hash, g_str_equal);
  c->job_rows = g_hash_table_new (g_str_hash, g_str_equal);
  c->queue_rows = g_hash_table_new (g_str_hash, g_str_equal);
  c->classes = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  c->namespaces = g_hash_table_new (g_str_hash, g_str_equal);
  c->free_task = c->free_job = VC_NONE;
  c->total = vc_res_new (c->n_res);
  c->used_total = vc_res_new (c->n_res);
  double ***column[] = { &c->nodes.idle, &c->nodes.used, &c->nodes.releasing, &c->nodes.pipelined, &c->nodes.future, &c->nodes.claimed };
  for (guint i = 0; i < G_N_ELEMENTS (column); i++)
    *column[i] = g_new0 (double *, c->n_res);
  c->hyper = vc_hyper_nodes_new ();
  c->nodes.log_epoch = 1;
  c->nodes.list_is_rows = TRUE;
  return c;
}

static void
job_clear (VcJob *j)
{
  for (guint i = 0; i < j->n_conds; i++)
    g_free (j->cond[i].message);
  g_free (j->cond);
  g_free (j->task);
  g_free (j->role);
  g_free (j->key);
  vc_res_free (j->min_resources);
  vc_res_free (j->allocated);
  vc_res_free (j->pending);
  vc_res_free (j->total);
  vc_res_free (j->gated);
  vc_sub_jobs_free (j->subs);
  memset (j, 0, sizeof *j);
}

void
vc_cluster_free (VcCluster *c)
{
  if (c == NULL)
    return;
  for (guint32 i = 0; i < c->n_tasks; i++) {
    g_free (c->task[i].name);
    vc_pod_claims_free (c->task[i].claims);
  }
  for (guint32 i = 0; i < c->n_jobs; i++)
    job_clear (&c->job[i]);
  for (guint32 i = 0; i < c->n_queues; i++)
    vc_queue_clear (&c->queue[i]);
  VcNodes *n = &c->nodes;
  for (guint32 i = 0; i < n->n; i++) {
    VcNode *node = &n->info[i];
    g_free (node->name);
    vc_arena_free (node->arena);
    vc_res_free (node->allocatable);
    vc_res_free (node->capacity);
    g_free (node->usage);
    g_free (node->task);
    g_free (node->port);
  }
  for (guint d = 0; d < c->n_res; d++) {
    g_free (n->idle[d]);
    g_free (n->used[d]);
    g_free (n->releasing[d]);
    g_free (n->pipelined[d]);
    g_free (n->future[d]);
    g_free (n->claimed[d]);
  }
  g_free (n->idle);
  g_free (n->used);
  g_free (n->releasing);
  g_free (n->pipelined);
  g_free (n->future);
  g_free (n->claimed);
  for (guint k = 0; k < VC_K_N; k++) {
    g_free (n->k_alloc[k]);
    g_free (n->k_request[k]);
  }
  g_free (n->k_nonzero[0]);
  g_free (n->k_nonzero[1]);
  g_free (n->mirror_pods);
  g_free (n->info);
  g_free (n->list);
  g_free (n->by_name);
  g_free (n->log);
  g_free (c->task);
  g_free (c->journal);
  g_free (c->job);
  g_free (c->queue);
  g_free (c->job_order);
  g_free (c->queue_order);
  g_hash_table_unref (c->node_rows);
  g_hash_table_unref (c->task_rows);
  g_hash_table_unref (c->job_rows);
  g_hash_table_unref (c->queue_rows);
  g_hash_table_unref (c->classes);
  g_hash_table_unref (c->namespaces);
  g_hash_table_unref (c->text_index);
  g_string_chunk_free (c->text);
  vc_shape_table_free (c->shapes);
  vc_hyper_nodes_free (c->hyper);
  g_hash_table_unref (c->metas);
  g_string_free (c->meta_key, TRUE);
  vc_volumes_free (c->volumes);
  g_clear_pointer (&c->quotas, g_ptr_array_unref);
  vc_claims_free (c->claims);
  g_clear_pointer (&c->budgets, g_ptr_array_unref);
  g_clear_pointer (&c->amounts, g_hash_table_unref);
  vc_arena_free (c->meta_arena);
  vc_res_free (c->total);
  vc_res_free (c->used_total);
  vc_res_names_free (c->names);
  g_free (c);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

guint32
vc_cluster_node (const VcCluster *c, const char *name)
{
  guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (c->node_rows, name));
  return row > 0 ? row - 1 : VC_NONE;
}

static gpointer
grow_column (gpointer p, guint32 old, guint32 cap, gsize size)
{
  p = g_realloc_n (p, cap, size);
  memset ((char *) p + old * size, 0, (cap - old) * size);
  return p;
}

static void
grow_nodes (VcCluster *c)
{
  VcNodes *n = &c->nodes;
  guint32 old = n->cap, cap = MAX (64u, old * 2u);

  for (guint d = 0; d < c->n_res; d++) {
    n->idle[d] = grow_column (n->idle[d], old, cap, sizeof (double));
    n->used[d] = grow_column (n->used[d], old, cap, sizeof (double));
    n->releasing[d] = grow_column (n->releasing[d], old, cap, sizeof (double));
    n->pipelined[d] = grow_column (n->pipelined[d], old, cap, sizeof (double));
    n->future[d] = grow_column (n->future[d], old, cap, sizeof (double));
    n->claimed[d] = grow_column (n->claimed[d], old, cap, sizeof (double));
  }
  for (guint k = 0; k < VC_K_N; k++) {
    n->k_alloc[k] = grow_column (n->k_alloc[k], old, cap, sizeof (gint64));
    n->k_request[k] = grow_column (n->k_request[k], old, cap, sizeof (gint64));
  }
  for (guint k = 0; k < 2; k++)
    n->k_nonzero[k] = grow_column (n->k_nonzero[k], old, cap, sizeof (gint64));
  n->mirror_pods = grow_column (n->mirror_pods, old, cap, sizeof (guint32));
  n->info = grow_column (n->info, old, cap, sizeof (VcNode));
  n->list = grow_column (n->list, old, cap, sizeof (guint32));
  n->by_name = grow_column (n->by_name, old, cap, sizeof (guint32));
  n->cap = cap;
}

guint32
vc_node_row (VcCluster *c, const char *name)
{
  guint32 row = vc_cluster_node (c, name);

  if (row != VC_NONE)
    return row;
  if (c->nodes.n == c->nodes.cap)
    grow_nodes (c);
  row = c->nodes.n++;
  VcNode *node = &c->nodes.info[row];
  node->name = g_strdup (name);
  node->allocatable = vc_res_new (c->n_res);
  node->capacity = vc_res_new (c->n_res);
  node->arena = vc_arena_new ();
  node->facts.name = node->name;
  g_hash_table_insert (c->node_rows, node->name, GUINT_TO_POINTER (row + 1));
  return row;
}

void
vc_node_list_stale (VcCluster *c)
{
  c->nodes.log_epoch++;
  c->nodes.n_log = 0;
  c->nodes.grown++;
}

static void
list_changed (VcCluster *c)
{
  VcNodes *n = &c->nodes;

  n->list_is_rows = TRUE;
  for (guint32 i = 0; i < n->n_list && n->list_is_rows; i++)
    n->list_is_rows = n->list[i] == i;
  n->by_name_dirty = TRUE;
  c->total_dirty = TRUE;
  vc_node_list_stale (c);
}

void
vc_node_list_append (VcCluster *c, guint32 row)
{
  VcNodes *n = &c->nodes;
  gboolean was = n->list_is_rows;

  n->list[n->n_list++] = row;
  n->info[row].listed = n->info[row].cached = TRUE;
  if (was && row == n->n_list - 1) { /* the usual case while a cluster is loaded: nothing to look through */
    n->by_name_dirty = TRUE;
    c->total_dirty = TRUE;
    vc_node_list_stale (c);
  } else {
    list_changed (c);
  }
}

void
vc_node_list_remove (VcCluster *c, guint32 row)
{
  VcNodes *n = &c->nodes;

  for (guint32 i = 0; i < n->n_list; i++)
    if (n->list[i] == row) {
      memmove (&n->list[i], &n->list[i + 1], (n->n_list - i - 1) * sizeof *n->list);
      n->n_list--;
      break;
    }
  n->info[row].listed = n->info[row].cached = FALSE;
  list_changed (c);
}

void
vc_node_list_clear (VcCluster *c)
{
  VcNodes *n = &c->nodes;

  for (guint32 i = 0; i < n->n_list; i++)
    n->info[n->list[i]].listed = n->info[n->list[i]].cached = FALSE;
  n->n_list = 0;
  list_changed (c);
}

void
vc_node_touch (VcCluster *c, guint32 row, gboolean may_grow)
{
  VcNodes *n = &c->nodes;

  if (n->n_log == n->cap_log) {
    if (n->n_log >= 4u * n->n + 65536u) { /* readers that lag further behind rebuild at less cost */
      n->log_epoch++;
      n->n_log = 0;
    } else {
      n->cap_log = MAX (1024u, n->cap_log * 2);
      n->log = g_renew (guint32, n->log, n->cap_log);
    }
  }
  n->log[n->n_log++] = row;
  if (may_grow)
    n->grown++;
}

static int
compare_node_names (gconstpointer a, gconstpointer b, gpointer user)
{
  const VcNode *info = user;
  return strcmp (info[*(const guint32 *) a].name, info[*(const guint32 *) b].name);
}

const guint32 *
vc_cluster_nodes_by_name (VcCluster *c)
{
  VcNodes *n = &c->nodes;

  if (n->by_name_dirty) {
    memcpy (n->by_name, n->list, n->n_list * sizeof *n->list);
    g_qsort_with_data (n->by_name, (gint) n->n_list, sizeof (guint32), compare_node_names, n->info);
    n->by_name_dirty = FALSE;
  }
  return n->by_name;
}

const VcRes *
vc_cluster_total (VcCluster *c)
{
  if (c->total_dirty) {
    const guint32 *row = vc_cluster_nodes_by_name (c);
    vc_res_clear (c->total);
    vc_res_clear (c->used_total);
    for (guint32 i = 0; i < c->nodes.n_list; i++) {
      vc_res_add (c->total, c->nodes.info[row[i]].allocatable);
      for (guint d = 0; d < c->n_res; d++)
        c->used_total->v[d] += c->nodes.used[d][row[i]];
    }
    for (guint d = 2; d < c->n_res; d++)
      if (c->used_total->v[d] != 0)
        vc_res_set (c->used_total, d, c->used_total->v[d]);
    c->total_dirty = FALSE;
  }
  return c->total;
}

/* Move the request of a shape between the columns of one node. Each argument is -1, 0 or 1. */
static void
account (VcCluster *c, guint32 row, const VcShape *s, int idle, int used, int releasing, int pipelined)
{
  VcNodes *n = &c->nodes;
  VcNode *node = &n->info[row];
  gboolean listed = node->listed;

  if (idle > 0 && s->request->map)
    node->idle_map = TRUE;
  for (guint64 left = s->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    double r = s->request->v[d];

    if (d < VC_RES_FIRST_SCALAR || node->idle_map) /* a missing scalar map loses what is subtracted */
      n->idle[d][row] += idle * r;
    n->used[d][row] += used * r;
    n->releasing[d][row] += releasing * r;
    n->pipelined[d][row] += pipelined * r;
    n->future[d][row] = n->idle[d][row] + n->releasing[d][row] - n->pipelined[d][row];
    if (listed && used != 0) {
      c->used_total->v[d] += used * r;
      if (d >= VC_RES_FIRST_SCALAR) {
        c->used_total->has |= G_GUINT64_CONSTANT (1) << d;
        c->used_total->map = 1;
      }
    }
  }
}

static void
account_status (VcCluster *c, guint32 row, const VcShape *s, VcStatus status, int sign)
{
  if (status == VC_RELEASING)
    account (c, row, s, -sign, sign, sign, 0);
  else if (status == VC_PIPELINED)
    account (c, row, s, 0, 0, 0, sign);
  else
    account (c, row, s, -sign, sign, 0, 0);
}

void
vc_node_put (VcCluster *c, guint32 t)
{
  VcTask *task = &c->task[t];
  VcNode *node = &c->nodes.info[task->node];

  g_assert (task->pos_in_node == VC_NONE);
  node->task = vc_grow (node->task, &node->cap_tasks, node->n_tasks + 1, sizeof *node->task);
  task->pos_in_node = node->n_tasks;
  node->tasks_sorted = FALSE;
  node->task[node->n_tasks++] = t;
  account_status (c, task->node, task->shape, task->status, 1);
  vc_node_touch (c, task->node, task->status == VC_RELEASING);
}

void
vc_node_take (VcCluster *c, guint32 t)
{
  VcTask *task = &c->task[t];

  if (task->pos_in_node == VC_NONE)
    return;
  VcNode *node = &c->nodes.info[task->node];
  guint32 last = node->task[--node->n_tasks];
  node->tasks_sorted = FALSE;
  node->task[task->pos_in_node] = last;
  c->task[last].pos_in_node = task->pos_in_node;
  task->pos_in_node = VC_NONE;
  account_status (c, task->node, task->shape, task->status, -1);
  vc_node_touch (c, task->node, TRUE);
}

void
vc_node_hide_released (VcCluster *c, guint32 row, const VcShape *shape, gboolean hide)
{
  for (guint d = 0; d < c->n_res; d++) {
    double r = hide ? -shape->request->v[d] : shape->request->v[d];

    c->nodes.releasing[d][row] += r;
    c->nodes.future[d][row] += r;
  }
  vc_node_touch (c, row, !hide);
}

void
vc_node_recount (VcCluster *c, guint32 row)
{
  VcNodes *n = &c->nodes;
  VcNode *node = &n->info[row];

  for (guint d = 0; d < c->n_res; d++) {
    if (node->listed)
      c->used_total->v[d] -= n->used[d][row];
    n->idle[d][row] = n->future[d][row] = node->allocatable->v[d];
    n->used[d][row] = n->releasing[d][row] = n->pipelined[d][row] = 0;
  }
  node->idle_map = node->allocatable->map;
  for (guint32 i = 0; i < node->n_tasks; i++)
    account_status (c, row, c->task[node->task[i]].shape, c->task[node->task[i]].status, 1);
  vc_node_touch (c, row, TRUE);
}

/* ---- tasks ---------------------------------------------------------------------------------- */

guint32
vc_task_new (VcCluster *c, const char *ns, const char *name, const char *uid)
{
  guint32 t = c->free_task;

  if (t != VC_NONE) {
    c->free_task = c->task[t].node;
  } else {
    c->task = vc_grow (c->task, &c->cap_tasks, c->n_tasks + 1, sizeof *c->task);
    t = c->n_tasks++;
  }
  VcTask *task = &c->task[t];
  memset (task, 0, sizeof *task);
  gsize n_name = strlen (name) + 1, n_uid = strlen (uid) + 1, n_ns = strlen (ns);
  char *block = g_malloc (n_name + n_uid + n_ns + 1 + n_name);
  memcpy (block, name, n_name);
  memcpy (block + n_name, uid, n_uid);
  char *key = block + n_name + n_uid;
  memcpy (key, ns, n_ns);
  key[n_ns] = '/';
  memcpy (key + n_ns + 1, name, n_name);
  task->name = block;
  task->uid = block + n_name;
  task->key = key;
  task->ns = vc_cluster_intern (c, ns);
  task->job = task->node = task->bound_to = task->pos_in_node = task->nominated = task->last_node = task->user = task->job_hyper = VC_NONE;
  task->last_status = VC_N_STATUS;
  task->start_time = VC_NO_TIME;
  task->scheduled_time = VC_NO_TIME;
  task->live = TRUE;
  g_hash_table_insert (c->task_rows, (gpointer) task->uid, GUINT_TO_POINTER (t + 1));
  return t;
}

/* Tasks that look at other tasks are counted, so that nobody has to look when there are none. */
static void
count_relations (VcCluster *c, const VcShape *s, int sign)
{
  c->n_pod_terms += (guint32) (sign * (s->has_pod_terms != FALSE));
  c->n_repelling += (guint32) (sign * (s->spec.anti_affinity.n_required > 0));
  c->n_preferring += (guint32) (sign * (s->has_preferred_pods != FALSE));
  c->n_spreading += (guint32) (sign * (s->spec.n_spreads > 0));
}

void
vc_task_set_shape (VcCluster *c, guint32 t, const VcShape *shape)
{
  if (c->task[t].shape != NULL)
    count_relations (c, c->task[t].shape, -1);
  c->task[t].shape = shape;
  c->task[t].best_effort = shape->best_effort;
  if (c->task[t].job != VC_NONE)
    c->job[c->task[t].job].roster_version++;
  count_relations (c, shape, 1);
}

void
vc_task_free (VcCluster *c, guint32 t)
{
  VcTask *task = &c->task[t];

  if (task->shape != NULL)
    count_relations (c, task->shape, -1);
  g_hash_table_remove (c->task_rows, task->uid);
  vc_pod_claims_free (task->claims);
  vc_cluster_drop_meta (c, task->meta);
  g_free (task->name);
  memset (task, 0, sizeof *task);
  task->node = c->free_task;
  c->free_task = t;
}

/* Count a task in its job (sign 1) or take it out (-1), by its present status. */
static void
count (VcCluster *c, VcTask *task, int sign)
{
  VcJob *j = &c->job[task->job];
  VcRole *role = &j->role[task->role];
  VcStatus s = task->status;
  VcRes *sum = vc_status_allocated (s) ? j->allocated : s == VC_PENDING ? j->pending : NULL;

  if (j->subs != NULL)
    vc_sub_jobs_count (j->subs, task, sign);
  j->count[s] += (guint32) sign;
  role->count[s] += (guint32) sign;
  if (s == VC_PENDING) {
    *(sign > 0 ? &j->pending_came : &j->pending_left) += 1;
    if (task->best_effort) {
      j->pending_best_effort += (guint32) sign;
      role->pending_empty += (guint32) sign;
    }
    if (task->gated)
      j->pending_gated += (guint32) sign;
  }
  if (s == VC_RELEASING && task->node != VC_NONE)
    j->releasing_placed += (guint32) sign;
  if (sum != NULL) {
    if (sign > 0)
      vc_res_add (sum, task->shape->request);
    else
      vc_res_sub_unchecked (sum, task->shape->request);
  }
}

guint32
vc_job_role (VcCluster *c, guint32 job, const char *name)
{
  VcJob *j = &c->job[job];
  const char *text = vc_cluster_intern (c, name);

  for (guint i = 0; i < j->n_roles; i++)
    if (j->role[i].name == text)
      return i;
  j->role = g_renew (VcRole, j->role, j->n_roles + 1);
  memset (&j->role[j->n_roles], 0, sizeof (VcRole));
  j->role[j->n_roles].name = text;
  j->role[j->n_roles].min = -1;
  return j->n_roles++;
}

/* Place of @uid in the job's task list: the first task whose UID is not below it. */
static guint32
task_place (const VcCluster *c, const VcJob *j, const char *uid)
{
  guint32 lo = 0, hi = j->n_tasks;

  if (hi > 0 && strcmp (c->task[j->task[hi - 1]].uid, uid) < 0)
    return hi; /* UIDs grow with creation */
  while (lo < hi) {
    guint32 mid = (lo + hi) / 2;
    if (strcmp (c->task[j->task[mid]].uid, uid) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

void
vc_job_add_task (VcCluster *c, guint32 job, guint32 t, const char *role_name)
{
  guint32 r = vc_job_role (c, job, role_name);
  VcJob *j = &c->job[job];
  VcTask *task = &c->task[t];

  task->job = job;
  task->role = (guint16) r;
  VcRole *role = &j->role[r];
  role->tasks++;
  if (role->shape == NULL)
    role->shape = task->shape;
  else if (role->shape != task->shape && *role->name != '\0')
    j->mixed_roles = TRUE;
  j->task = vc_grow (j->task, &j->cap_tasks, j->n_tasks + 1, sizeof *j->task);
  guint32 at = task_place (c, j, task->uid);
  memmove (&j->task[at + 1], &j->task[at], (j->n_tasks - at) * sizeof *j->task);
  j->task[at] = t;
  j->roster_version++;
  j->n_tasks++;
  vc_res_add (j->total, task->shape->request);
  if (task->gated) {
    j->n_gated++;
    if (!task->gate_only_queue)
      vc_res_add (j->gated, task->shape->request);
  }
  if (task->nominated != VC_NONE)
    j->nominated_any = TRUE;
  if (j->subs != NULL)
    vc_sub_jobs_place (c, job, t);
  count (c, task, 1);
}

void
vc_job_remove_task (VcCluster *c, guint32 t)
{
  VcTask *task = &c->task[t];

  if (task->job == VC_NONE)
    return;
  VcJob *j = &c->job[task->job];
  guint32 at = task_place (c, j, task->uid);
  g_assert (at < j->n_tasks && j->task[at] == t);
  memmove (&j->task[at], &j->task[at + 1], (j->n_tasks - at - 1) * sizeof *j->task);
  j->roster_version++;
  j->n_tasks--;
  j->role[task->role].tasks--;
  vc_res_sub_unchecked (j->total, task->shape->request);
  if (task->gated) {
    j->n_gated--;
    if (!task->gate_only_queue)
      vc_res_sub_unchecked (j->gated, task->shape->request);
  }
  count (c, task, -1);
  if (j->subs != NULL)
    vc_sub_jobs_displace (c, task->job, t);
  task->job = VC_NONE;
}

void
vc_task_move (VcCluster *c, guint32 t, VcStatus status, guint32 node)
{
  VcTask *task = &c->task[t];

  if (task->job != VC_NONE)
    count (c, task, -1);
  task->status = (guint8) status;
  task->node = node;
  if (task->job != VC_NONE)
    count (c, task, 1);
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static guint32
job_place (const VcCluster *c, const char *key)
{
  guint32 lo = 0, hi = c->n_job_order;

  if (hi > 0 && strcmp (c->job[c->job_order[hi - 1]].key, key) < 0)
    return hi;
  while (lo < hi) {
    guint32 mid = (lo + hi) / 2;
    if (strcmp (c->job[c->job_order[mid]].key, key) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

guint32
vc_job_row (VcCluster *c, const char *key, const char *ns)
{
  guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (c->job_rows, key));

  if (row > 0)
    return row - 1;
  row = c->free_job;
  if (row != VC_NONE) {
    c->free_job = c->job[row].user;
  } else {
    c->job = vc_grow (c->job, &c->cap_jobs, c->n_jobs + 1, sizeof *c->job);
    row = c->n_jobs++;
  }
  VcJob *j = &c->job[row];
  memset (j, 0, sizeof *j);
  j->key = g_strdup (key);
  j->ns = vc_cluster_intern (c, ns);
  j->name = j->key + strlen (ns) + 1;
  j->live = TRUE;
  j->serial = ++c->job_serials;
  j->queue = j->user = VC_NONE;
  j->created = VC_NO_TIME;
  j->waiting_time_ns = 0;
  j->phase_text = "";
  j->min_resources = vc_res_new (c->n_res);
  j->allocated = vc_res_new (c->n_res);
  j->pending = vc_res_new (c->n_res);
  j->total = vc_res_new (c->n_res);
  j->gated = vc_res_new (c->n_res);
  g_hash_table_insert (c->job_rows, j->key, GUINT_TO_POINTER (row + 1));
  c->job_order = vc_grow (c->job_order, &c->cap_job_order, c->n_job_order + 1, sizeof *c->job_order);
  guint32 at = job_place (c, key);
  memmove (&c->job_order[at + 1], &c->job_order[at], (c->n_job_order - at) * sizeof *c->job_order);
  c->job_order[at] = row;
  c->n_job_order++;
  return row;
}

void
vc_job_free (VcCluster *c, guint32 row)
{
  VcJob *j = &c->job[row];
  guint32 at = job_place (c, j->key);

  g_assert (at < c->n_job_order && c->job_order[at] == row);
  memmove (&c->job_order[at], &c->job_order[at + 1], (c->n_job_order - at - 1) * sizeof *c->job_order);
  c->n_job_order--;
  g_hash_table_remove (c->job_rows, j->key);
  vc_sub_jobs_drop (c, row);
  vc_cluster_drop_meta (c, j->meta);
  job_clear (j);
  j->user = c->free_job;
  c->free_job = row;
}
