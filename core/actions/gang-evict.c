#include "gang-evict.h"
#include "core/base/go-sort.h"
#include <math.h>
#include <string.h>

void
vc_gang_read_arguments (VcSession *ssn, VcGangRules *rules)
{
  const VcArgs *args = vc_conf_action_args (ssn->engine->conf, rules->name);

  rules->max_domains = 8;
  rules->allow_whole = TRUE;
  vc_args_get_int (args, "maxDomains", &rules->max_domains);
  if (rules->max_domains <= 0)
    rules->max_domains = 8;
  vc_args_get_bool (args, "allowWholeBundle", &rules->allow_whole);
}

static void
bundle_free (gpointer p)
{
  VcBundle *b = p;
  g_array_unref (b->task);
  g_free (b);
}

static VcBundle *
bundle_new (guint32 job, gboolean whole)
{
  VcBundle *b = g_new0 (VcBundle, 1);
  b->job = job;
  b->whole = whole;
  b->task = g_array_new (FALSE, FALSE, sizeof (guint32));
  return b;
}

/* ---- demand -------------------------------------------------------------------------------------- */

static void
drain (VcHeap *heap, GArray *out)
{
  while (!vc_heap_is_empty (heap)) {
    guint32 t = vc_heap_pop (heap);
    g_array_append_val (out, t);
  }
}

/* A job that is ready asks for its first sub-job only, as it stands in the worksheet. */
void
vc_gang_demand (VcSession *ssn, guint32 job, GArray *out)
{
  VcCluster *c = ssn->cluster;
  const VcJob *j = &c->job[job];
  g_auto (VcHeap) heap = { 0 };

  g_array_set_size (out, 0);
  if (j->subs != NULL) {
    g_autoptr (VcWorksheet) sheet = vc_worksheet_new (ssn, job, TRUE);
    gboolean ready = vc_session_job_ready (ssn, job);

    while (!vc_worksheet_is_empty (sheet) && !(ready && out->len > 0))
      drain (&sheet->tasks[vc_heap_pop (&sheet->subs)], out);
    return;
  }
  vc_heap_init (&heap, vc_session_heap_task_less, ssn);
  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = &c->task[j->task[i]];
    if (t->status == VC_PENDING && !t->gated && !t->best_effort)
      vc_heap_push (&heap, j->task[i]);
  }
  drain (&heap, out);
}

static void
sum_requests (const VcCluster *c, const GArray *tasks, VcRes *out)
{
  vc_res_clear (out);
  for (guint i = 0; i < tasks->len; i++)
    vc_res_add (out, c->task[g_array_index (tasks, guint32, i)].shape->request);
}

/* ---- bundles ------------------------------------------------------------------------------------- */

static int
compare_cheapest (gconstpointer a, gconstpointer b, gpointer user)
{
  const VcTask *t = user, *l = &t[*(const guint32 *) a], *r = &t[*(const guint32 *) b];
  if (l->priority != r->priority)
    return l->priority < r->priority ? -1 : 1;
  return strcmp (l->uid, r->uid);
}

/* What sub-group policies let a job lose: of each sub-job whether it lacks a pod already, of each policy how many sub-jobs are ready beyond
 * its minimum (by the row of its first sub-job; the default sub-job counts by itself). */
typedef struct {
  const VcSubJobs *subs; /* NULL: no policies, everything may go */
  guint8 *broken;
  gint64 *surplus;
} GroupSlack;

static guint
group_row (const VcSubJobs *s, guint32 sub)
{
  guint i = 0;

  while (s->sub[i].gid != s->sub[sub].gid)
    i++;
  return i;
}

static void
slack_init (GroupSlack *g, const VcJob *j)
{
  *g = (GroupSlack) { .subs = vc_job_has_policies (j) ? j->subs : NULL };
  if (g->subs == NULL)
    return;
  g->broken = g_new0 (guint8, g->subs->n + 1);
  g->surplus = g_new0 (gint64, g->subs->n + 1);
  for (guint i = 0; i < g->subs->n; i++) {
    const VcSubJob *b = &g->subs->sub[i];
    guint row = group_row (g->subs, i);

    if (row == i)
      g->surplus[row] -= vc_sub_jobs_min (g->subs, b->gid);
    if (b->n_tasks == 0)
      continue;
    if (vc_sub_job_is_ready (b))
      g->surplus[row]++;
    else
      g->broken[i] = TRUE;
  }
}

static void
slack_clear (GroupSlack *g)
{
  g_free (g->broken);
  g_free (g->surplus);
}

static gboolean
slack_allows (const GroupSlack *g, guint32 sub)
{
  return g->subs == NULL || g->broken[sub] || g->surplus[group_row (g->subs, sub)] > 0;
}

static void
slack_take (GroupSlack *g, guint32 sub)
{
  if (g->subs == NULL || g->broken[sub])
    return;
  g->broken[sub] = TRUE;
  g->surplus[group_row (g->subs, sub)]--;
}

/* Split the candidates of one job: what it can lose and stay ready, and the rest (02 §8.2). */
static void
split_job (VcCluster *c, guint32 job, GArray *local, GPtrArray *bundles)
{
  const VcJob *j = &c->job[job];
  gint64 surplus = (gint64) vc_job_ready_num (j) - j->min_available;
  gboolean roles = j->min_available >= j->role_min_total;
  g_autofree gint64 *role_surplus = g_new0 (gint64, j->n_roles + 1);
  VcBundle *safe = bundle_new (job, FALSE), *whole = bundle_new (job, TRUE);

  g_array_sort_with_data (local, compare_cheapest, c->task);
  for (guint r = 0; r < j->n_roles; r++) {
    const VcRole *role = &j->role[r];
    role_surplus[r] = (gint64) role->count[VC_ALLOCATED] + role->count[VC_BINDING] + role->count[VC_BOUND] + role->count[VC_RUNNING] +
                      role->count[VC_SUCCEEDED] + role->pending_empty - role->min;
  }
  gboolean broken = surplus < 0; /* nothing left to break */
  GroupSlack slack;
  slack_init (&slack, j);
  for (guint i = 0; i < local->len; i++) {
    guint32 t = g_array_index (local, guint32, i);
    guint16 r = c->task[t].role;
    gboolean has_min = roles && j->role[r].min >= 0;

    if (broken || (surplus > 0 && (!has_min || role_surplus[r] > 0) && slack_allows (&slack, c->task[t].sub))) {
      g_array_append_val (safe->task, t);
      slack_take (&slack, c->task[t].sub);
      surplus--;
      if (has_min)
        role_surplus[r]--;
    } else {
      g_array_append_val (whole->task, t);
    }
  }
  slack_clear (&slack);
  if (safe->task->len > 0)
    g_ptr_array_add (bundles, safe);
  else
    bundle_free (safe);
  if (whole->task->len > 0)
    g_ptr_array_add (bundles, whole);
  else
    bundle_free (whole);
}

static double
score_against (const VcRes *r, const VcRes *need, gboolean cap)
{
  double score = 0;

  for (guint d = 0; d < need->n; d++) {
    if (need->v[d] < VC_RES_EPSILON)
      continue;
    double v = r->v[d];
    if (cap && v > need->v[d])
      v = need->v[d];
    score += v / need->v[d];
  }
  return score;
}

static void
rate (const VcCluster *c, VcBundle *b, const VcRes *need)
{
  VC_RES_LOCAL (local, c->n_res);

  sum_requests (c, b->task, local);
  double global = b->whole ? score_against (c->job[b->job].total, need, FALSE) : 0;
  b->roi = global == 0 ? (double) INFINITY : score_against (local, need, TRUE) / global;
}

typedef struct {
  VcSession *ssn;
  const VcGangRules *rules;
  guint32 queue; /* of the job that wants room */
  GPtrArray *bundles;
} BundleOrder;

static gboolean
bundle_less (gpointer user, guint32 l, guint32 r)
{
  const BundleOrder *o = user;
  const VcBundle *a = o->bundles->pdata[l], *b = o->bundles->pdata[r];
  const VcCluster *c = o->ssn->cluster;
  guint32 qa = c->job[a->job].queue, qb = c->job[b->job].queue;
  gboolean ab = FALSE, ba = FALSE;

  if (a->whole != b->whole)
    return !a->whole;
  if (o->rules->reclaim && qa != qb) {
    ab = vc_session_victim_queue_less (o->ssn, qa, qb, o->queue);
    ba = vc_session_victim_queue_less (o->ssn, qb, qa, o->queue);
  } else if (!o->rules->reclaim && a->job != b->job) {
    ab = !vc_session_job_less (o->ssn, a->job, b->job);
    ba = !vc_session_job_less (o->ssn, b->job, a->job);
  }
  if (ab != ba)
    return ab;
  if (a->roi != b->roi)
    return a->roi > b->roi;
  int cmp = strcmp (c->job[a->job].key, c->job[b->job].key);
  if (cmp == 0)
    cmp = strcmp (c->task[g_array_index (a->task, guint32, 0)].uid, c->task[g_array_index (b->task, guint32, 0)].uid);
  return cmp != 0 ? cmp < 0 : a->task->len < b->task->len;
}

static void
sort_bundles (VcSession *ssn, const VcGangRules *rules, guint32 job, const VcRes *need, GPtrArray *bundles)
{
  BundleOrder o = { ssn, rules, ssn->cluster->job[job].queue, bundles };
  g_autofree guint32 *order = g_new (guint32, bundles->len + 1);
  g_autofree gpointer *sorted = g_new (gpointer, bundles->len + 1);

  for (guint i = 0; i < bundles->len; i++) {
    rate (ssn->cluster, bundles->pdata[i], need);
    order[i] = i;
  }
  vc_go_sort_stable (order, bundles->len, bundle_less, &o);
  for (guint i = 0; i < bundles->len; i++)
    sorted[i] = bundles->pdata[order[i]];
  if (bundles->len > 0)
    memcpy (bundles->pdata, sorted, bundles->len * sizeof *sorted);
}

static gboolean
may_go (const VcCluster *c, guint32 job, guint32 candidate, gboolean reclaim)
{
  const VcTask *v = &c->task[candidate];

  if (!v->preemptable || !vc_job_in_session (c, v->job) || (v->status != VC_RUNNING && (reclaim || v->status != VC_BOUND)))
    return FALSE;
  const VcJob *j = &c->job[v->job];
  if (j->preemptable_given && !j->preemptable)
    return FALSE;
  if (reclaim)
    return j->queue != c->job[job].queue && c->queue[j->queue].reclaimable;
  return j->queue == c->job[job].queue && j->priority < c->job[job].priority && v->job != job;
}

/* A whole bundle survives only as a whole; a safe one shrinks to what is allowed. */
static void
keep_allowed (GPtrArray *bundles, const GArray *allowed, gboolean *mark)
{
  for (guint i = 0; i < allowed->len; i++)
    mark[g_array_index (allowed, guint32, i)] = TRUE;
  for (guint i = 0; i < bundles->len;) {
    VcBundle *b = bundles->pdata[i];
    guint kept = 0, all = b->task->len;
    for (guint t = 0; t < all; t++)
      if (mark[g_array_index (b->task, guint32, t)])
        g_array_index (b->task, guint32, kept++) = g_array_index (b->task, guint32, t);
    if (kept == 0 || (b->whole && kept < all)) {
      g_ptr_array_remove_index (bundles, i);
      continue;
    }
    g_array_set_size (b->task, kept);
    i++;
  }
}

/* Victim bundles of a domain in the order in which they are taken. (transfer full) */
static GPtrArray *
select_bundles (VcSession *ssn, guint32 job, const VcHyperNode *domain, const VcRes *need, const VcGangRules *rules)
{
  VcCluster *c = ssn->cluster;
  GPtrArray *bundles = g_ptr_array_new_with_free_func (bundle_free);
  g_autofree GArray **of_job = g_new0 (GArray *, c->n_jobs + 1);
  g_autoptr (GArray) flat = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) allowed = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree gboolean *mark = g_new0 (gboolean, c->n_tasks + 1);

  for (guint32 i = 0; i < domain->n_nodes; i++) {
    guint n;
    const guint32 *on_node = vc_evict_tasks_of (c, domain->node[i], &n);
    for (guint t = 0; t < n; t++) {
      guint32 v = on_node[t], vj = c->task[v].job;
      if (!may_go (c, job, v, rules->reclaim))
        continue;
      if (of_job[vj] == NULL)
        of_job[vj] = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_array_append_val (of_job[vj], v);
    }
  }
  for (guint i = 0; i < ssn->n_jobs; i++)
    if (of_job[ssn->jobs[i]] != NULL) {
      split_job (c, ssn->jobs[i], of_job[ssn->jobs[i]], bundles);
      g_array_unref (of_job[ssn->jobs[i]]);
    }
  if (bundles->len == 0)
    return bundles;
  sort_bundles (ssn, rules, job, need, bundles);
  for (guint i = 0; i < bundles->len; i++) {
    const VcBundle *b = bundles->pdata[i];
    g_array_append_vals (flat, b->task->data, b->task->len);
  }
  vc_session_set_eviction (ssn, rules->reclaim ? VC_EVICT_GANG_RECLAIM : VC_EVICT_GANG_PREEMPT, job);
  vc_session_victims (ssn, VC_HOOK_UNIFIED_EVICTABLE, VC_NONE, (const guint32 *) (gpointer) flat->data, flat->len, allowed);
  keep_allowed (bundles, allowed, mark);
  sort_bundles (ssn, rules, job, need, bundles);
  for (guint i = 0; i < bundles->len && !rules->allow_whole;)
    if (((VcBundle *) bundles->pdata[i])->whole)
      g_ptr_array_remove_index (bundles, i);
    else
      i++;
  return bundles;
}

/* ---- plan ---------------------------------------------------------------------------------------- */

/* Nodes of the domain that are not beyond help; when the whole cluster is, the restriction does not count (Q21). */
static void
trial_nodes (VcSession *ssn, guint32 task, const VcHyperNode *domain, GArray *nodes)
{
  const VcFit *fit = vc_fit_of_task (ssn, task);

  g_array_set_size (nodes, 0);
  if (fit == NULL || fit->n_unresolvable == 0 || fit->n_unresolvable >= ssn->cluster->nodes.n_list) {
    g_array_append_vals (nodes, domain->node, domain->n_nodes);
    return;
  }
  for (guint32 i = 0; i < domain->n_nodes; i++) {
    gboolean skip = FALSE;
    for (guint u = 0; u < fit->n_unresolvable && !skip; u++)
      skip = fit->unresolvable[u] == domain->node[i];
    if (!skip)
      g_array_append_val (nodes, domain->node[i]);
  }
}

/* Pipeline every task of @demand within the domain in @st; FALSE: @st is empty again. */
static gboolean
trial (VcSession *ssn, VcStatement *st, guint32 job, guint32 sub, const GArray *demand, const VcHyperNode *domain, gboolean victims)
{
  VcCluster *c = ssn->cluster;
  gboolean cache = TRUE, good = demand->len > 0 && domain->n_nodes > 0;
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (guint32));

  vc_args_get_bool (vc_conf_action_args (ssn->engine->conf, "allocate"), "predicateErrorCacheEnable", &cache);
  VcSearch *search = vc_search_scratch (ssn, job, VC_SEARCH_TRIAL, cache);
  for (guint i = 0; i < demand->len && good; i++) {
    guint32 task = g_array_index (demand, guint32, i), node = VC_NONE;

    good = vc_session_allocatable (ssn, c->job[job].queue, task);
    if (!good)
      break;
    trial_nodes (ssn, task, domain, nodes);
    good = nodes->len > 0 && vc_session_pre_predicate (ssn, task) == NULL &&
           vc_search_pick_list (search, task, (const guint32 *) (gpointer) nodes->data, nodes->len, &node) == VC_FOUND &&
           vc_shape_fits (c->task[task].shape, c->nodes.future, node) && vc_statement_pipeline (st, task, node, victims);
  }
  if (good && (vc_session_sub_job_ready (ssn, job, sub) || vc_session_sub_job_pipelined (ssn, job, sub)))
    return TRUE;
  vc_statement_discard (st);
  return FALSE;
}

/* A sub-job's tasks in the first HyperNode within @domain that takes them all. VC_HYPER_NONE: none does. */
static guint32
place_sub_job (VcSession *ssn, VcStatement *st, guint32 job, guint32 sub, const GArray *demand, guint32 domain, gboolean victims)
{
  const VcHyperView *v = vc_session_hypers (ssn);
  g_auto (VcGradients) gradients = { 0 };

  if (!vc_job_has_hard_topology (&ssn->cluster->job[job]))
    return trial (ssn, st, job, sub, demand, &v->hyper[domain], victims) ? domain : VC_HYPER_NONE;
  vc_gradients_init (&gradients);
  vc_session_gradients (ssn, job, sub, domain, VC_FOR_EVICTION, &gradients);
  for (guint i = 0; i < gradients.hyper->len; i++) {
    guint32 hyper = g_array_index (gradients.hyper, guint32, i);
    if (trial (ssn, st, job, sub, demand, &v->hyper[hyper], victims))
      return hyper;
  }
  return VC_HYPER_NONE;
}

static void
free_statement (gpointer st)
{
  vc_statement_free (st);
}

/* Evict @victims, place the gang sub-job by sub-job; a plan when the job is then pipelined, with the HyperNode of each sub-job in @promised. The
 * session is clean on return. */
static VcPlan *
make_plan (VcSession *ssn, guint32 job, guint32 domain, const GArray *victims, const char *reason, GArray *promised)
{
  g_autoptr (GPtrArray) chain = g_ptr_array_new_with_free_func (free_statement);
  g_autoptr (VcWorksheet) sheet = ssn->cluster->job[job].subs != NULL ? vc_worksheet_new (ssn, job, TRUE) : NULL;
  g_autoptr (GArray) demand = g_array_new (FALSE, FALSE, sizeof (guint32));
  gboolean was_ready = vc_session_job_ready (ssn, job), pipelined = FALSE, good = TRUE;
  VcPlan *plan = NULL;

  g_array_set_size (promised, 0);
  if (sheet == NULL)
    vc_gang_demand (ssn, job, demand);
  g_ptr_array_add (chain, vc_statement_new (ssn));
  for (guint i = 0; i < victims->len; i++)
    vc_statement_evict (chain->pdata[0], g_array_index (victims, guint32, i), reason);
  do {
    VcGangPromise p = { 0, VC_HYPER_NONE };
    g_autoptr (VcStatement) st = vc_statement_new (ssn);

    if (sheet != NULL) {
      if (vc_worksheet_is_empty (sheet))
        break;
      p.sub = vc_heap_pop (&sheet->subs);
      g_array_set_size (demand, 0);
      drain (&sheet->tasks[p.sub], demand);
    }
    p.hyper = place_sub_job (ssn, st, job, p.sub, demand, domain, victims->len > 0);
    good = p.hyper != VC_HYPER_NONE;
    if (!good)
      break;
    g_ptr_array_add (chain, g_steal_pointer (&st));
    g_array_append_val (promised, p);
    pipelined = vc_session_job_pipelined (ssn, job);
  } while (sheet != NULL && !was_ready && !pipelined);
  if (good && pipelined)
    plan = vc_statement_save ((VcStatement *const *) chain->pdata, chain->len);
  for (guint i = chain->len; i-- > 0;)
    vc_statement_discard (chain->pdata[i]);
  return plan;
}

/* Domains in which the job may be placed, the widest first (GetCandidateDomains). */
static void
find_domains (VcSession *ssn, guint32 job, gint64 most, GArray *out)
{
  g_auto (VcGradients) gradients = { 0 };
  guint32 root = VC_HYPER_ROOT;

  vc_gradients_init (&gradients);
  vc_session_gradients (ssn, job, VC_NONE, VC_HYPER_ROOT, VC_FOR_EVICTION, &gradients);
  for (guint i = 0; i < gradients.hyper->len && out->len < most; i++) {
    guint32 hyper = g_array_index (gradients.hyper, guint32, i);
    gboolean known = FALSE;
    for (guint k = 0; k < out->len && !known; k++)
      known = g_array_index (out, guint32, k) == hyper;
    if (!known)
      g_array_append_val (out, hyper);
  }
  if (out->len == 0 && !vc_job_has_hard_topology (&ssn->cluster->job[job]))
    g_array_append_val (out, root);
}

/* Bundle after bundle of the domain, until a plan with all of them succeeds. */
static gboolean
evict_in (VcSession *ssn, VcStatement *st, guint32 job, guint32 domain, const VcRes *need, const VcGangRules *rules, GArray *promised)
{
  const VcCluster *c = ssn->cluster;
  const VcHyperNode *h = &vc_session_hypers (ssn)->hyper[domain];
  g_autoptr (GPtrArray) bundles = select_bundles (ssn, job, h, need, rules);
  g_autoptr (GArray) victims = g_array_new (FALSE, FALSE, sizeof (guint32));
  VC_RES_LOCAL (room, c->n_res);

  for (guint d = 0; d < c->n_res && bundles->len > 0; d++)
    for (guint32 i = 0; i < h->n_nodes; i++) /* what is pipelined is not taken off (Q18) */
      room->v[d] += c->nodes.idle[d][h->node[i]] + c->nodes.releasing[d][h->node[i]];
  for (guint b = 0; b < bundles->len; b++) {
    const GArray *more = ((VcBundle *) bundles->pdata[b])->task;
    gboolean enough = TRUE;

    g_array_append_vals (victims, more->data, more->len);
    for (guint i = 0; i < more->len; i++)
      for (guint d = 0; d < c->n_res; d++)
        room->v[d] += c->task[g_array_index (more, guint32, i)].shape->request->v[d];
    for (guint d = 0; d < c->n_res && enough; d++)
      enough = (d >= VC_RES_FIRST_SCALAR && !vc_res_has (need, d)) || vc_le (need->v[d], room->v[d]);
    if (!enough)
      continue;
    g_autoptr (VcPlan) plan = make_plan (ssn, job, domain, victims, rules->name, promised);
    if (plan != NULL && vc_statement_recover (st, plan))
      return TRUE;
  }
  return FALSE;
}

gboolean
vc_gang_evict (VcSession *ssn, VcStatement *st, guint32 job, const VcGangRules *rules, GArray *promised)
{
  VcCluster *c = ssn->cluster;
  g_autoptr (GArray) demand = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) domains = g_array_new (FALSE, FALSE, sizeof (guint32));
  VC_RES_LOCAL (need, c->n_res);

  vc_gang_demand (ssn, job, demand);
  if (demand->len == 0)
    return FALSE;
  if (rules->reclaim && !vc_session_preemptive (ssn, c->job[job].queue, (const guint32 *) (gpointer) demand->data, demand->len))
    return FALSE;
  sum_requests (c, demand, need);
  find_domains (ssn, job, rules->max_domains, domains);
  for (guint i = 0; i < domains->len; i++)
    if (vc_session_hypers (ssn)->hyper[g_array_index (domains, guint32, i)].n_nodes > 0 &&
        evict_in (ssn, st, job, g_array_index (domains, guint32, i), need, rules, promised))
      return TRUE;
  return FALSE;
}
