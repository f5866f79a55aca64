/* tests/fuzz/fuzz-engine.c - random clusters through the engine, and what must hold after every cycle.
 *
 *   fuzz-engine [--first N] [--count N] [--cycles N] [--show]
 *
 * Each number is a cluster with a configuration of its own (fuzz-world.c). Its cycles are decided twice, with the engine's shortcuts and
 * without; in between pods start, end, come and go. A property that does not hold ends the program with the number, the cycle and the
 * configuration. --show prints what happens, to look at one number. */
#include "fuzz-world.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  guint64 number;
  guint cycle;
  FuzzWorld *w;
  gboolean show;
  gboolean exact_fit; /* the engines keep every reason: else the counts may differ */
  /* totals, to see that the clusters are not dull */
  guint64 cycles, binds, evictions, pipelined, discarded, gangs, trials, foreseen, astray;
} Run;

typedef struct {
  guint8 status;
  guint32 node;
} Before;

/* What at_close saw: states that are rolled back afterwards. */
typedef struct {
  const Run *run;
  guint32 rotating;
  GArray *sums; /* double: per queue row and dimension, requests of allocated and pipelined tasks */
} AtClose;

G_GNUC_PRINTF (2, 3) static void
fail (const Run *r, const char *format, ...)
{
  va_list args;

  fflush (stdout);
  fprintf (stderr, "cluster %" G_GUINT64_FORMAT ", cycle %u: ", r->number, r->cycle);
  va_start (args, format);
  vfprintf (stderr, format, args);
  va_end (args);
  fprintf (stderr, "\n\n%s", r->w->conf);
  exit (1);
}

static gboolean
near (double a, double b)
{
  return fabs (a - b) <= 1e-6 * MAX (1.0, fabs (b));
}

/* ---- the tables agree with a recount -------------------------------------------------------- */

static void
check_node (const Run *r, const VcCluster *c, guint32 row)
{
  const VcNode *node = &c->nodes.info[row];
  gint64 k_request[VC_K_N] = { 0 };
  guint32 mirrored = 0, ports = 0;

  for (guint d = 0; d < c->n_res; d++) {
    double used = 0, releasing = 0;

    for (guint32 i = 0; i < node->n_tasks; i++) {
      const VcTask *t = &c->task[node->task[i]];
      double v = t->shape->request->v[d];

      used += v;
      releasing += t->status == VC_RELEASING ? v : 0;
    }
    if (!near (c->nodes.used[d][row], used))
      fail (r, "node %s, dimension %u: used %g, its tasks have %g", node->name, d, c->nodes.used[d][row], used);
    if (!near (c->nodes.releasing[d][row], releasing) || c->nodes.pipelined[d][row] != 0)
      fail (r, "node %s, dimension %u: releasing %g, its tasks have %g; pipelined %g", node->name, d, c->nodes.releasing[d][row], releasing,
            c->nodes.pipelined[d][row]);
    if (node->listed && (d < VC_RES_FIRST_SCALAR || node->allocatable->map)
        && !near (c->nodes.idle[d][row] + used, node->allocatable->v[d]))
      fail (r, "node %s, dimension %u: idle %g + used %g is not allocatable %g", node->name, d, c->nodes.idle[d][row], used,
            node->allocatable->v[d]);
    if (!near (c->nodes.future[d][row], c->nodes.idle[d][row] + releasing))
      fail (r, "node %s, dimension %u: future %g, idle %g + releasing %g", node->name, d, c->nodes.future[d][row], c->nodes.idle[d][row], releasing);
    if (c->nodes.claimed[d][row] != 0)
      fail (r, "node %s, dimension %u: %g is still claimed", node->name, d, c->nodes.claimed[d][row]);
  }
  for (guint32 i = 0; i < node->n_tasks; i++) {
    const VcTask *t = &c->task[node->task[i]];

    if (!t->live || t->node != row || t->pos_in_node != i)
      fail (r, "node %s lists task %s, which is elsewhere", node->name, t->key);
    if (t->status == VC_PENDING || t->status == VC_ALLOCATED || t->status == VC_PIPELINED || vc_status_terminated (t->status))
      fail (r, "task %s on node %s is %s", t->key, node->name, vc_status_names[t->status]);
    if (!t->in_mirror)
      fail (r, "task %s on node %s is not in the mirror", t->key, node->name);
    for (guint k = 0; k < VC_K_N; k++)
      k_request[k] += t->shape->k_request[k];
    mirrored++;
    ports += t->shape->n_ports;
  }
  if (mirrored != c->nodes.mirror_pods[row] || ports != node->n_ports)
    fail (r, "mirror of node %s: %u pods, %u ports, expected %u and %u", node->name, c->nodes.mirror_pods[row], node->n_ports, mirrored, ports);
  for (guint k = 0; k < VC_K_N; k++)
    if (k_request[k] != c->nodes.k_request[k][row])
      fail (r, "mirror of node %s: request %u is %" G_GINT64_FORMAT ", expected %" G_GINT64_FORMAT, node->name, k, c->nodes.k_request[k][row],
            k_request[k]);
}

static void
check_job (const Run *r, const VcCluster *c, guint32 row)
{
  const VcJob *j = &c->job[row];
  guint32 count[VC_N_STATUS] = { 0 }, pending_best_effort = 0, gated = 0, tasks_of_roles = 0;

  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = &c->task[j->task[i]];

    if (!t->live || t->job != row)
      fail (r, "job %s lists task %s of another job", j->key, t->key);
    if (i > 0 && strcmp (c->task[j->task[i - 1]].uid, t->uid) >= 0)
      fail (r, "tasks of job %s do not ascend by UID", j->key);
    count[t->status]++;
    pending_best_effort += t->status == VC_PENDING && t->best_effort;
    gated += t->gated;
  }
  for (guint s = 0; s < VC_N_STATUS; s++)
    if (count[s] != j->count[s])
      fail (r, "job %s counts %u tasks as %s, there are %u", j->key, j->count[s], vc_status_names[s], count[s]);
  if (pending_best_effort != j->pending_best_effort || gated != j->n_gated)
    fail (r, "job %s: %u pending best-effort and %u gated tasks, expected %u and %u", j->key, j->pending_best_effort, j->n_gated,
          pending_best_effort, gated);
  for (guint k = 0; k < j->n_roles; k++) {
    const VcRole *role = &j->role[k];
    guint32 of_role[VC_N_STATUS] = { 0 }, n = 0;

    for (guint32 i = 0; i < j->n_tasks; i++)
      if (c->task[j->task[i]].role == k) {
        of_role[c->task[j->task[i]].status]++;
        n++;
      }
    if (memcmp (of_role, role->count, sizeof of_role) != 0 || n != role->tasks)
      fail (r, "role '%s' of job %s: counters differ from its %u tasks", role->name, j->key, n);
    tasks_of_roles += n;
  }
  if (tasks_of_roles != j->n_tasks)
    fail (r, "job %s: %u tasks, but %u in its roles", j->key, j->n_tasks, tasks_of_roles);
  for (guint d = 0; d < c->n_res; d++) {
    double allocated = 0, pending = 0, total = 0;

    for (guint32 i = 0; i < j->n_tasks; i++) {
      const VcTask *t = &c->task[j->task[i]];
      double v = t->shape->request->v[d];

      allocated += vc_status_allocated (t->status) ? v : 0;
      pending += t->status == VC_PENDING ? v : 0;
      total += v;
    }
    if (!near (j->allocated->v[d], allocated) || !near (j->pending->v[d], pending) || !near (j->total->v[d], total))
      fail (r, "job %s, dimension %u: allocated %g, pending %g, total %g; its tasks have %g, %g, %g", j->key, d, j->allocated->v[d],
            j->pending->v[d], j->total->v[d], allocated, pending, total);
  }
}

static void
check_tables (const Run *r, const VcCluster *c)
{
  guint32 on_nodes = 0, listed = 0;

  for (guint32 n = 0; n < c->nodes.n; n++) {
    check_node (r, c, n);
    listed += c->nodes.info[n].n_tasks;
  }
  for (guint32 j = 0; j < c->n_job_order; j++)
    check_job (r, c, c->job_order[j]);
  for (guint32 t = 0; t < c->n_tasks; t++) {
    const VcTask *task = &c->task[t];

    if (!task->live)
      continue;
    on_nodes += task->pos_in_node != VC_NONE;
    if (task->status == VC_ALLOCATED || task->status == VC_PIPELINED)
      fail (r, "task %s is still %s after the cycle", task->key, vc_status_names[task->status]);
    if (task->status == VC_PENDING && task->node != VC_NONE)
      fail (r, "task %s is pending on a node", task->key);
    if (task->pos_in_node == VC_NONE && task->in_mirror)
      fail (r, "task %s is on no node and mirrored", task->key);
  }
  if (on_nodes != listed) /* each knows one place, so none is on two nodes */
    fail (r, "%u tasks know a place on a node, the nodes list %u", on_nodes, listed);
}

/* ---- a cycle changes only what it says ------------------------------------------------------ */

static void
check_changes (const Run *r, VcCache *cache, const Before *before, guint32 n_before, const VcCycleResult *result)
{
  const VcCluster *c = vc_cache_cluster (cache);
  const GArray *binds = vc_cache_binds (cache), *evicts = vc_cache_evicts (cache);
  g_autofree guint8 *said = g_new0 (guint8, n_before + 1);

  if (binds->len != result->binds || evicts->len != result->evictions)
    fail (r, "%u binds and %u evictions were handed over, the result has %u and %u", binds->len, evicts->len, result->binds, result->evictions);
  for (guint i = 0; i < binds->len; i++) {
    const VcBind *b = &g_array_index (binds, VcBind, i);
    const VcTask *t = &c->task[b->task];

    if (said[b->task]++ != 0)
      fail (r, "task %s was bound twice", t->key);
    if (before[b->task].status != VC_PENDING || t->status != VC_BINDING || t->node != b->node || !c->nodes.info[b->node].listed)
      fail (r, "task %s was bound, but it was %s and is %s", t->key, vc_status_names[before[b->task].status], vc_status_names[t->status]);
    for (guint d = 0; d < c->n_res; d++)
      if (t->shape->request->v[d] > 0 && c->nodes.idle[d][b->node] <= -VC_RES_EPSILON && !r->w->scalarless && !r->w->ghosts)
        fail (r, "task %s was bound to %s, which has not that much of dimension %u (%g left)", t->key, c->nodes.info[b->node].name, d,
              c->nodes.idle[d][b->node]);
  }
  for (guint i = 0; i < evicts->len; i++) {
    const VcTask *t = &c->task[g_array_index (evicts, VcEvict, i).task];
    const Before *b = &before[g_array_index (evicts, VcEvict, i).task];

    if (said[t - c->task]++ != 0)
      fail (r, "task %s was evicted twice, or bound and evicted", t->key);
    if (t->status != VC_RELEASING || t->node != b->node || (b->status != VC_RUNNING && b->status != VC_BOUND && b->status != VC_BINDING))
      fail (r, "task %s was evicted, but it was %s and is %s", t->key, vc_status_names[b->status], vc_status_names[t->status]);
  }
  for (guint32 t = 0; t < n_before; t++)
    if (c->task[t].live && said[t] == 0 && (c->task[t].status != before[t].status || c->task[t].node != before[t].node))
      fail (r, "task %s was neither bound nor evicted, but was %s and is %s", c->task[t].key, vc_status_names[before[t].status],
            vc_status_names[c->task[t].status]);
}

/* ---- gangs ---------------------------------------------------------------------------------- */

static const VcPluginOption *
only_entry (const VcConf *conf, const char *name)
{
  const VcPluginOption *found = NULL;

  for (guint t = 0; t < conf->n_tiers; t++)
    for (guint i = 0; i < conf->tier[t].n; i++)
      if (strcmp (conf->tier[t].plugin[i].name, name) == 0) {
        if (found != NULL)
          return NULL;
        found = &conf->tier[t].plugin[i];
      }
  return found;
}

static gboolean
has_plugin (const VcConf *conf, const char *name)
{
  for (guint t = 0; t < conf->n_tiers; t++)
    for (guint i = 0; i < conf->tier[t].n; i++)
      if (strcmp (conf->tier[t].plugin[i].name, name) == 0)
        return TRUE;
  return FALSE;
}

static gboolean
has_action (const VcConf *conf, const char *name)
{
  return g_strv_contains ((const char *const *) conf->actions, name);
}

static gboolean
overfull (const VcCluster *c)
{
  for (guint32 i = 0; i < c->nodes.n_list; i++)
    for (guint d = 0; d < c->n_res; d++)
      if (c->nodes.idle[d][c->nodes.list[i]] < 0)
        return TRUE;
  return FALSE;
}

/* A job that was below its minimum starts whole or not at all, unless a node refused a bind: then some node is, or was, overfull, or gets pods
 * that nobody has tested for room. */
static void
check_gangs (Run *r, VcCache *cache, const VcConf *conf, const guint8 *was_ready, guint32 n_jobs)
{
  const VcCluster *c = vc_cache_cluster (cache);
  const VcPluginOption *gang = only_entry (conf, "gang");
  const GArray *binds = vc_cache_binds (cache), *evicts = vc_cache_evicts (cache);
  g_autofree guint8 *evicted = g_new0 (guint8, c->n_jobs + 1);

  if (gang == NULL || !gang->on[VC_FLAG_JOB_READY] || !gang->on[VC_FLAG_SUB_JOB_READY] || overfull (c) || r->w->scalarless || r->w->ghosts
      || (r->w->best_effort && has_action (conf, "backfill")))
    return;
  for (guint i = 0; i < evicts->len; i++) {
    guint32 job = c->task[g_array_index (evicts, VcEvict, i).task].job;
    if (job != VC_NONE)
      evicted[job] = TRUE;
  }
  for (guint i = 0; i < binds->len; i++) {
    guint32 job = c->task[g_array_index (binds, VcBind, i).task].job;

    if (job == VC_NONE || job >= n_jobs || was_ready[job] || evicted[job])
      continue;
    r->gangs++;
    if (!vc_job_is_ready (&c->job[job]) || !vc_job_roles_ready (&c->job[job]))
      fail (r, "job %s was below its minimum of %d, and only a part of it was bound", c->job[job].key, c->job[job].min_available);
  }
}

/* ---- queues --------------------------------------------------------------------------------- */

/* Node figures while the session still stands. The action shuffle may keep released room from the session's eyes. */
static void
check_open_node (const Run *r, const VcCluster *c, guint32 row)
{
  const VcNode *node = &c->nodes.info[row];

  for (guint d = 0; d < c->n_res; d++) {
    double used = 0, releasing = 0, pipelined = 0, claimed = 0;

    for (guint32 i = 0; i < node->n_tasks; i++) {
      const VcTask *t = &c->task[node->task[i]];
      double v = t->shape->request->v[d];

      used += t->status != VC_PIPELINED ? v : 0;
      pipelined += t->status == VC_PIPELINED ? v : 0;
      releasing += t->status == VC_RELEASING ? v : 0;
      claimed += t->status == VC_ALLOCATED ? v : 0;
    }
    if (!near (c->nodes.used[d][row], used) || !near (c->nodes.pipelined[d][row], pipelined) || !near (c->nodes.claimed[d][row], claimed)
        || (!near (c->nodes.releasing[d][row], releasing) && strstr (r->w->conf, "shuffle") == NULL))
      fail (r, "at close, node %s, dimension %u: used %g, releasing %g, pipelined %g, claimed %g; its tasks have %g, %g, %g, %g", node->name, d,
            c->nodes.used[d][row], c->nodes.releasing[d][row], c->nodes.pipelined[d][row], c->nodes.claimed[d][row], used, releasing, pipelined,
            claimed);
  }
}

static void
at_close (VcSession *ssn, gpointer user)
{
  AtClose *seen = user;
  const VcCluster *c = vc_session_cluster (ssn);
  guint n;
  const guint32 *jobs = vc_session_jobs (ssn, &n);

  seen->rotating = vc_session_rotating_index (ssn);
  for (guint32 row = 0; row < c->nodes.n; row++)
    check_open_node (seen->run, c, row);
  for (guint32 i = 0; i < c->n_job_order; i++)
    check_job (seen->run, c, c->job_order[i]);
  g_array_set_size (seen->sums, 0);
  g_array_set_size (seen->sums, c->n_queues * c->n_res);
  for (guint i = 0; i < n; i++) {
    const VcJob *j = &c->job[jobs[i]];

    for (guint32 k = 0; k < j->n_tasks; k++) {
      const VcTask *t = &c->task[j->task[k]];

      if (!vc_status_allocated (t->status) && t->status != VC_PIPELINED)
        continue;
      for (guint d = 0; d < c->n_res; d++)
        g_array_index (seen->sums, double, j->queue * c->n_res + d) += t->shape->request->v[d];
    }
  }
}

/* Capacity gives up on a tree with a job above a leaf, half way through its sums. */
static gboolean
tree_is_sound (const VcCluster *c, const guint8 *has_children)
{
  for (guint32 i = 0; i < c->n_job_order; i++) {
    const VcJob *j = &c->job[c->job_order[i]];

    if (j->has_pg && j->queue != VC_NONE && has_children[j->queue])
      return FALSE;
  }
  return TRUE;
}

/* What a queue plugin says is allocated is what the tasks add up to. Of a tree capacity keeps the gauges of leaves only up to date. */
static void
check_queues (const Run *r, VcCache *cache, const VcEngine *engine, const VcConf *conf, const AtClose *seen)
{
  const VcCluster *c = vc_cache_cluster (cache);
  gboolean capacity = has_plugin (conf, "capacity"), proportion = has_plugin (conf, "proportion");
  const VcPluginOption *only = only_entry (conf, "capacity");
  gboolean tree = only != NULL && only->on[VC_FLAG_HIERARCHY];
  g_autofree guint8 *has_children = g_new0 (guint8, c->n_queues + 1);

  if (capacity == proportion || (capacity && only == NULL))
    return;
  for (guint32 i = 0; i < c->n_queue_order && tree; i++) {
    const VcQueue *q = &c->queue[c->queue_order[i]];
    guint32 above = GPOINTER_TO_UINT (g_hash_table_lookup (c->queue_rows, *q->parent != '\0' ? q->parent : "root"));

    if (strcmp (q->name, "root") != 0)
      has_children[above - 1] = TRUE;
  }
  if (!tree_is_sound (c, has_children))
    return;
  for (guint32 i = 0; i < c->n_queue_order; i++) {
    guint32 q = c->queue_order[i];
    const VcQueueGauge *gauge = vc_engine_gauge (engine, q);

    for (guint d = 0; gauge->published && !has_children[q] && d < c->n_res; d++) {
      double sum = g_array_index (seen->sums, double, q * c->n_res + d);

      if (!near (gauge->allocated->v[d], sum))
        fail (r, "queue %s, dimension %u: %s says %g is allocated, the tasks add up to %g", c->queue[q].name, d,
              capacity ? "capacity" : "proportion", gauge->allocated->v[d], sum);
    }
  }
}

/* ---- both engines decide the same ----------------------------------------------------------- */

static void
check_lists (const Run *r, const GArray *a, const GArray *b, const char *what)
{
  if (a->len != b->len || (a->len > 0 && memcmp (a->data, b->data, a->len * g_array_get_element_size ((GArray *) a)) != 0))
    fail (r, "%s differ: %u with shortcuts, %u without", what, a->len, b->len);
}

/* Reasons come in any order: what is printed of them is sorted. */
static guint32
nodes_with (const VcFit *f, const char *reason)
{
  for (guint i = 0; i < f->n_reasons; i++)
    if (strcmp (f->reason[i].reason, reason) == 0)
      return f->reason[i].nodes;
  return 0;
}

/* A record and one of the tasks that it is of. */
typedef struct { const VcFit *fit; guint32 task; } TaskFit;

/* The records of a job, newest first, one for each task. */
static GArray *
fits_of (const Run *r, guint side, guint32 job)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (TaskFit));

  for (const VcFit *f = vc_engine_fits (r->w->engine[side], job); f != NULL; f = f->next)
    for (guint32 i = 0; i <= f->n_rest; i++) {
      const TaskFit one = { f, i < f->n_rest ? f->rest[f->n_rest - 1 - i] : f->task };

      g_array_append_val (list, one);
    }
  return list;
}

static gboolean
same_fit (const TaskFit *a, const TaskFit *b)
{
  gboolean same = a->task == b->task && a->fit->nodes == b->fit->nodes && a->fit->n_reasons == b->fit->n_reasons && a->fit->skipped == b->fit->skipped;

  for (guint k = 0; same && k < a->fit->n_reasons; k++)
    same = a->fit->reason[k].nodes == nodes_with (b->fit, a->fit->reason[k].reason);
  return same;
}

static void
fail_fits (const Run *r, const TaskFit *a, const TaskFit *b)
{
  const VcFit *list[2] = { a->fit, b->fit };
  const guint32 task[2] = { a->task, b->task };
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint s = 0; s < 2; s++) {
    g_string_append_printf (text, "\n  %s: task %s, %u nodes", s == 0 ? "with shortcuts" : "without", vc_cache_cluster (r->w->cache[s])->task[task[s]].key,
                            list[s]->nodes);
    if (list[s]->skipped)
      g_string_append (text, ", skipped");
    for (guint i = 0; i < list[s]->n_reasons; i++)
      g_string_append_printf (text, ", %u %s", list[s]->reason[i].nodes, list[s]->reason[i].reason);
  }
  fail (r, "why a task found no node differs:%s", text->str);
}

static void
check_same_jobs (const Run *r)
{
  const VcCluster *a = vc_cache_cluster (r->w->cache[0]), *b = vc_cache_cluster (r->w->cache[1]);

  if (a->n_job_order != b->n_job_order)
    fail (r, "%u jobs with shortcuts, %u without", a->n_job_order, b->n_job_order);
  for (guint32 i = 0; i < a->n_job_order; i++) {
    const VcJob *x = &a->job[a->job_order[i]], *y = &b->job[b->job_order[i]];
    gboolean same = strcmp (x->key, y->key) == 0 && x->phase == y->phase && x->n_conds == y->n_conds;

    for (guint k = 0; same && k < x->n_conds; k++)
      same = g_strcmp0 (x->cond[k].type, y->cond[k].type) == 0 && g_strcmp0 (x->cond[k].status, y->cond[k].status) == 0
             && g_strcmp0 (x->cond[k].reason, y->cond[k].reason) == 0 && (!r->exact_fit || g_strcmp0 (x->cond[k].message, y->cond[k].message) == 0);
    if (!same)
      fail (r, "job %s: phase %s or its conditions differ from %s without shortcuts", x->key, vc_pg_phase_names[x->phase],
            vc_pg_phase_names[y->phase]);
    if (x->homeless_session != y->homeless_session)
      fail (r, "job %s has no HyperNode to be tried in with shortcuts, or without", x->key);
    g_autoptr (GArray) f = fits_of (r, 0, a->job_order[i]), g = fits_of (r, 1, b->job_order[i]);
    for (guint k = 0; r->exact_fit && k < MIN (f->len, g->len); k++)
      if (!same_fit (&g_array_index (f, TaskFit, k), &g_array_index (g, TaskFit, k)))
        fail_fits (r, &g_array_index (f, TaskFit, k), &g_array_index (g, TaskFit, k));
    if (r->exact_fit && f->len != g->len)
      fail (r, "job %s: more tasks found no node with shortcuts, or without", x->key);
  }
}

static void
check_same (const Run *r, const AtClose seen[2], const VcCycleResult result[2])
{
  FuzzWorld *w = r->w;
  guint n[2];
  const VcLeftover *left[2];
  const VcNomination *nominated[2];

  check_lists (r, vc_cache_binds (w->cache[0]), vc_cache_binds (w->cache[1]), "binds");
  for (guint s = 0; s < 2; s++)
    left[s] = vc_engine_leftovers (w->engine[s], &n[s]);
  if (n[0] != n[1])
    fail (r, "%u tasks left Allocated or Pipelined with shortcuts, %u without", n[0], n[1]);
  for (guint i = 0; i < n[0]; i++)
    if (left[0][i].task != left[1][i].task || left[0][i].node != left[1][i].node || left[0][i].status != left[1][i].status)
      fail (r, "task %s is left on another node or in another state without shortcuts", vc_cache_cluster (w->cache[0])->task[left[0][i].task].key);
  for (guint s = 0; s < 2; s++)
    nominated[s] = vc_engine_nominations (w->engine[s], &n[s]);
  if (n[0] != n[1] || (n[0] > 0 && memcmp (nominated[0], nominated[1], n[0] * sizeof *nominated[0]) != 0))
    fail (r, "nominated nodes differ");
  const GArray *a = vc_cache_evicts (w->cache[0]), *b = vc_cache_evicts (w->cache[1]);
  for (guint i = 0; i < MAX (a->len, b->len); i++)
    if (i >= a->len || i >= b->len || g_array_index (a, VcEvict, i).task != g_array_index (b, VcEvict, i).task)
      fail (r, "evictions differ: %u with shortcuts, %u without, first in place %u", a->len, b->len, i);
  a = vc_cache_statuses (w->cache[0]);
  b = vc_cache_statuses (w->cache[1]);
  for (guint i = 0; i < MAX (a->len, b->len); i++)
    if (i >= a->len || i >= b->len || g_array_index (a, VcStatusWrite, i).job != g_array_index (b, VcStatusWrite, i).job
        || g_array_index (a, VcStatusWrite, i).phase != g_array_index (b, VcStatusWrite, i).phase)
      fail (r, "written phases differ, first in place %u", i);
  if (seen[0].rotating != seen[1].rotating)
    fail (r, "rotating index %u with shortcuts, %u without", seen[0].rotating, seen[1].rotating);
  if (result[0].changed != result[1].changed || result[0].discarded != result[1].discarded || result[0].pipelined != result[1].pipelined
      || result[0].enqueued != result[1].enqueued)
    fail (r, "the counts of the cycle differ");
  check_same_jobs (r);
}

/* ---- one cluster ---------------------------------------------------------------------------- */

static VcConf *
parse_conf (const Run *r)
{
  g_autoptr (GError) error = NULL;
  VcConf *conf = vc_conf_parse (r->w->conf, strlen (r->w->conf), "conf", vc_catalog (), TRUE, NULL, &error);

  if (conf == NULL)
    fail (r, "%s", error->message);
  return conf;
}

static void
start_engines (Run *r, AtClose seen[2])
{
  FuzzWorld *w = r->w;
  gboolean messages = fuzz_chance (w, 50), gates = fuzz_chance (w, 20), few = fuzz_chance (w, 30);
  g_autoptr (GError) error = NULL;

  r->exact_fit = fuzz_chance (w, 50);
  for (guint s = 0; s < 2; s++) {
    VcEngineOptions options;

    vc_engine_options_init (&options);
    options.messages = messages;
    options.exact_fit = r->exact_fit;
    options.gates_admission = gates;
    if (few) /* small lists of candidates, so that the scan stops early */
      options.minimum_feasible_nodes = 2;
    options.percentage_nodes_to_find = few ? 40 : 0;
    options.plain = s == 1;
    options.at_close = at_close;
    options.at_close_user = &seen[s];
    w->engine[s] = vc_engine_new (w->cache[s], parse_conf (r), TRUE, &options, &error);
    if (w->engine[s] == NULL)
      fail (r, "%s", error->message);
  }
}

static Before *
take_states (const VcCluster *c, guint8 *ready)
{
  Before *before = g_new (Before, c->n_tasks + 1);

  for (guint32 t = 0; t < c->n_tasks; t++)
    before[t] = (Before) { c->task[t].status, c->task[t].node };
  for (guint32 j = 0; j < c->n_jobs; j++)
    ready[j] = !c->job[j].live || (vc_job_is_ready (&c->job[j]) && vc_job_roles_ready (&c->job[j]));
  return before;
}

static void
one_cycle (Run *r, const VcConf *conf, AtClose seen[2])
{
  FuzzWorld *w = r->w;
  VcCycleResult result[2];
  const VcCluster *c = vc_cache_cluster (w->cache[0]);
  guint32 n_jobs = c->n_jobs;
  g_autofree guint8 *ready = g_new0 (guint8, n_jobs + 1);
  g_autofree Before *before = take_states (c, ready);
  gboolean was_overfull = overfull (c);

  for (guint s = 0; s < 2; s++) {
    vc_engine_cycle (w->engine[s], w->now, &result[s]);
    check_tables (r, vc_cache_cluster (w->cache[s]));
    check_changes (r, w->cache[s], before, c->n_tasks, &result[s]);
    check_queues (r, w->cache[s], w->engine[s], conf, &seen[s]);
  }
  if (!was_overfull)
    check_gangs (r, w->cache[0], conf, ready, n_jobs);
  check_same (r, seen, result);
  r->cycles++;
  r->binds += result[0].binds;
  r->evictions += result[0].evictions;
  r->pipelined += result[0].pipelined;
  r->discarded += result[0].discarded;
  r->trials += result[0].trials;
  r->foreseen += result[0].foreseen;
  r->astray += result[0].astray;
  if (result[1].foreseen > 0)
    fail (r, "%u trials were foreseen without shortcuts", result[1].foreseen);
  if (r->show) {
    const GArray *binds = vc_cache_binds (w->cache[0]), *evicts = vc_cache_evicts (w->cache[0]);

    printf ("cycle %u: %u binds, %u evictions, %u pipelined\n", r->cycle, result[0].binds, result[0].evictions, result[0].pipelined);
    for (guint i = 0; i < binds->len; i++)
      printf ("  bind %s to %s\n", c->task[g_array_index (binds, VcBind, i).task].key, c->nodes.info[g_array_index (binds, VcBind, i).node].name);
    for (guint i = 0; i < evicts->len; i++)
      printf ("  evict %s\n", c->task[g_array_index (evicts, VcEvict, i).task].key);
  }
}

static void
one_cluster (Run *r, guint cycles)
{
  FuzzWorld w;
  AtClose seen[2];

  r->cycle = 0;
  fuzz_world_init (&w, r->number);
  r->w = &w;
  if (r->show)
    printf ("%s", w.conf);
  g_autoptr (VcConf) conf = parse_conf (r);
  for (guint s = 0; s < 2; s++)
    seen[s] = (AtClose) { .run = r, .sums = g_array_new (FALSE, TRUE, sizeof (double)) };
  start_engines (r, seen);
  for (r->cycle = 1; r->cycle <= cycles; r->cycle++) {
    if (r->cycle > 1 && fuzz_chance (&w, 8)) { /* another configuration from now on */
      g_free (w.conf);
      w.conf = fuzz_conf (&w);
      for (guint s = 0; s < 2; s++)
        if (!vc_engine_set_conf (w.engine[s], parse_conf (r), TRUE, NULL))
          fail (r, "the configuration is refused");
      vc_conf_free (g_steal_pointer (&conf));
      conf = parse_conf (r);
    }
    one_cycle (r, conf, seen);
    fuzz_events (&w);
    for (guint s = 0; s < 2; s++)
      check_tables (r, vc_cache_cluster (w.cache[s]));
  }
  for (guint s = 0; s < 2; s++)
    g_array_unref (seen[s].sums);
  fuzz_world_clear (&w);
}

int
main (int argc, char **argv)
{
  Run r = { 0 };
  guint64 first = 1, count = 300;
  guint cycles = 6;

  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "--show") == 0)
      r.show = TRUE;
    else if (strcmp (argv[i], "--first") == 0 && i + 1 < argc)
      first = g_ascii_strtoull (argv[++i], NULL, 10);
    else if (strcmp (argv[i], "--count") == 0 && i + 1 < argc)
      count = g_ascii_strtoull (argv[++i], NULL, 10);
    else if (strcmp (argv[i], "--cycles") == 0 && i + 1 < argc)
      cycles = (guint) g_ascii_strtoull (argv[++i], NULL, 10);
    else {
      fprintf (stderr, "usage: fuzz-engine [--first N] [--count N] [--cycles N] [--show]\n");
      return 2;
    }
  for (guint64 i = 0; i < count; i++) {
    r.number = first + i;
    one_cluster (&r, cycles);
  }
  printf ("%" G_GUINT64_FORMAT " clusters, %" G_GUINT64_FORMAT " cycles: %" G_GUINT64_FORMAT " binds, %" G_GUINT64_FORMAT " evictions, %" G_GUINT64_FORMAT
          " pipelined, %" G_GUINT64_FORMAT " discarded, %" G_GUINT64_FORMAT " binds of gangs; in HyperNodes %" G_GUINT64_FORMAT " trials made, %" G_GUINT64_FORMAT " foreseen, %" G_GUINT64_FORMAT
          " attempts astray\n",
          count, r.cycles, r.binds, r.evictions, r.pipelined, r.discarded, r.gangs, r.trials, r.foreseen, r.astray);
  return count > 10 && (r.binds == 0 || r.cycles == 0 || r.foreseen == 0 || r.astray == 0); /* a fuzzer that places nothing tests nothing */
}
