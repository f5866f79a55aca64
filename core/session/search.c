#include "search-private.h"
#include <string.h>

guint32
vc_search_limit (const VcSession *ssn, guint32 n)
{
  const VcEngineOptions *o = &ssn->engine->options;
  gint32 all = (gint32) n, least = (gint32) o->minimum_feasible_nodes, percent = (gint32) o->percentage_nodes_to_find;

  if (all <= least || percent >= 100)
    return n;
  if (percent <= 0)
    percent = MAX (50 - all / 125, (gint32) o->minimum_percentage_nodes_to_find);
  return (guint32) MAX (all * percent / 100, least);
}

VcSearch *
vc_search_new (VcSession *ssn, guint32 job, VcSearchMode mode, gboolean cache)
{
  VcSearch *s = vc_arena_new0 (ssn->arena, VcSearch, 1);

  s->ssn = ssn;
  s->job = job;
  s->mode = mode;
  s->cache = cache;
  return s;
}

/* Nothing is known of any node, whatever the helper was used for before. */
VcSearch *
vc_search_scratch (VcSession *ssn, guint32 job, VcSearchMode mode, gboolean cache)
{
  VcEngine *e = ssn->engine;

  if (e->scratch != NULL && e->scratch->n_rows < ssn->cluster->nodes.n)
    g_clear_pointer (&e->scratch, vc_search_free_scratch);
  if (e->scratch == NULL) {
    e->scratch = g_new0 (VcSearch, 1);
    e->scratch->scratch = TRUE;
    e->scratch->n_rows = ssn->cluster->nodes.cap;
    e->scratch->failed = g_ptr_array_new_with_free_func (g_free);
  }
  VcSearch *s = e->scratch;
  for (guint i = 0; i < s->n_failed; i++) {
    const VcFailedNode *f = s->failed->pdata[i];
    s->role_errors[f->role][f->node] = NULL;
  }
  s->n_failed = 0;
  s->ssn = ssn;
  s->job = job;
  s->mode = mode;
  s->cache = cache;
  return s;
}

void
vc_search_free_scratch (VcSearch *s)
{
  if (s == NULL)
    return;
  for (guint r = 0; r < s->n_roles; r++)
    g_free (s->role_errors[r]);
  g_free (s->role_errors);
  g_ptr_array_unref (s->failed);
  g_free (s);
}

/* ---- fit errors ------------------------------------------------------------------------------ */

VcFit *
vc_fit_record (VcSession *ssn, guint32 task)
{
  VcTask *t = &ssn->cluster->task[task];
  VcJob *j = &ssn->cluster->job[t->job];
  VcFit *f = vc_arena_new0 (ssn->arena, VcFit, 1);

  f->task = task;
  f->next = j->fit;
  j->fit = f;
  j->role[t->role].failed_session = ssn->number;
  return f;
}

static gboolean
tells_of_room (const char *reason)
{
  return strstr (reason, "Insufficient") != NULL || strcmp (reason, "node(s) pod number exceeded") == 0;
}

void
vc_fit_count (VcSession *ssn, VcFit *fit, const char *reason, guint32 nodes)
{
  if (*reason == '\0')
    return;
  for (guint i = 0; i < fit->n_reasons; i++)
    if (fit->reason[i].reason == reason || g_str_equal (fit->reason[i].reason, reason)) {
      fit->reason[i].nodes += nodes;
      return;
    }
  if (fit->n_reasons % 4 == 0) {
    VcFitReason *more = vc_arena_new0 (ssn->arena, VcFitReason, fit->n_reasons + 4);
    if (fit->n_reasons > 0)
      memcpy (more, fit->reason, fit->n_reasons * sizeof *more);
    fit->reason = more;
  }
  fit->reason[fit->n_reasons++] = (VcFitReason) { reason, nodes, tells_of_room (reason) };
}

void
vc_fit_record_skipped (VcSession *ssn, const guint32 *task, guint32 n)
{
  if (n == 0)
    return;
  VcFit *f = vc_fit_record (ssn, task[0]);
  f->skipped = TRUE;
  f->rest = n > 1 ? task + 1 : NULL;
  f->n_rest = n - 1;
}

void
vc_fit_record_refusal (VcSession *ssn, guint32 task, const char *reason, guint32 nodes)
{
  VcFit *f = vc_fit_record (ssn, task);

  f->nodes = nodes;
  vc_fit_count (ssn, f, reason, nodes);
}

gboolean
vc_fit_role_failed (VcSession *ssn, guint32 task)
{
  const VcCluster *c = ssn->cluster;
  const VcTask *t = &c->task[task];
  const VcJob *j = &c->job[t->job];
  const VcRole *r = &j->role[t->role];

  if (*r->name == '\0' || r->failed_session != ssn->number)
    return FALSE;
  if (!vc_job_has_policies (j))
    return TRUE;
  for (const VcFit *f = j->fit; f != NULL; f = f->next)
    if (c->task[f->task].sub == t->sub && c->task[f->task].role == t->role)
      return TRUE;
  return FALSE;
}

void
vc_fit_reset (VcSession *ssn, guint32 job, guint32 sub)
{
  const VcCluster *c = ssn->cluster;
  VcJob *j = &ssn->cluster->job[job];

  if (j->fit == NULL)
    return;
  if (sub == VC_NONE || !vc_job_has_policies (j)) {
    j->fit = NULL;
    for (guint r = 0; r < j->n_roles; r++)
      j->role[r].failed_session = 0;
    return;
  }
  for (VcFit **at = &j->fit; *at != NULL;)
    if (c->task[(*at)->task].sub == sub)
      *at = (*at)->next;
    else
      at = &(*at)->next;
}

static gboolean
is_in_rest (VcSession *ssn, const VcFit *f, guint32 task)
{
  guint32 lo = 0, hi = f->n_rest;

  while (lo < hi) { /* the first that is not before the task */
    guint32 mid = lo + (hi - lo) / 2;
    if (vc_session_task_less (ssn, f->rest[mid], task))
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < f->n_rest && f->rest[lo] == task;
}

const VcFit *
vc_fit_of_task (VcSession *ssn, guint32 task)
{
  for (const VcFit *f = ssn->cluster->job[ssn->cluster->task[task].job].fit; f != NULL; f = f->next)
    if (f->task == task || is_in_rest (ssn, f, task))
      return f;
  return NULL;
}

gboolean
vc_fit_need_continue (VcSession *ssn, guint32 job, guint32 sub)
{
  const VcJob *j = &ssn->cluster->job[job];

  if (vc_job_has_policies (j)) {
    const VcSubJob *b = vc_job_sub (j, sub);
    return (gint64) j->min_available != j->n_tasks && (gint64) b->min_available < b->n_tasks;
  }
  if (j->min_available < 0 ? FALSE : (guint32) j->min_available >= j->n_tasks)
    return FALSE; /* rules 1 and 2: the default sub-job has the job's minimum and tasks */
  if (j->min_available < j->role_min_total) {
    guint32 left = 0;
    for (guint i = 0; i < j->n_roles; i++)
      if (j->role[i].failed_session != ssn->number)
        left += j->role[i].count[VC_PENDING];
    return (gint64) vc_job_ready_num (j) + left >= j->min_available;
  }
  for (guint i = 0; i < j->n_roles; i++) {
    const VcRole *r = &j->role[i];
    guint32 have = r->count[VC_BOUND] + r->count[VC_BINDING] + r->count[VC_RUNNING] + r->count[VC_ALLOCATED] + r->count[VC_SUCCEEDED] +
                   r->pending_empty;
    if (r->failed_session == ssn->number && r->min > 0 && have < (guint32) r->min)
      return FALSE;
  }
  return TRUE;
}

/* ---- shards ---------------------------------------------------------------------------------- */

gboolean
vc_search_may_use (const VcSession *ssn, guint32 node)
{
  return ssn->cache->sharding != VC_SHARDING_HARD || ssn->cluster->nodes.info[node].in_shard;
}

guint
vc_search_by_shard (const VcSession *ssn, guint32 *nodes, guint n)
{
  guint own = 0;

  if (ssn->cache->sharding != VC_SHARDING_SOFT || n == 0)
    return n;
  g_autofree guint32 *others = g_new (guint32, n);
  for (guint i = 0; i < n; i++)
    if (ssn->cluster->nodes.info[nodes[i]].in_shard)
      nodes[own++] = nodes[i];
    else
      others[i - own] = nodes[i];
  memcpy (nodes + own, others, (n - own) * sizeof *nodes);
  return own;
}

/* ---- the plain scan -------------------------------------------------------------------------- */

gboolean
vc_search_test (VcSearch *s, guint32 task, guint32 node, VcFitError *e)
{
  VcCluster *c = s->ssn->cluster;
  const VcShape *shape = c->task[task].shape;

  if (!vc_search_may_use (s->ssn, node)) {
    vc_fit_error_add (e, VC_ERROR, VC_OUTSIDE_SHARD, "");
    return FALSE;
  }
  if (s->mode == VC_SEARCH_ALLOCATE || s->mode == VC_SEARCH_TRIAL)
    for (guint64 left = shape->dims; left != 0; left &= left - 1) {
      guint d = (guint) __builtin_ctzll (left);
      if (!vc_le (shape->request->v[d], c->nodes.future[d][node])) {
        vc_fit_error_add (e, VC_UNSCHEDULABLE, vc_res_names_insufficient (c->names, d), "");
        return FALSE;
      }
    }
  if (vc_session_predicate (s->ssn, task, node, e))
    return TRUE;
  if (s->mode != VC_SEARCH_PREEMPT && s->mode != VC_SEARCH_TRIAL)
    return FALSE;
  for (guint i = 0; i < e->n; i++) /* what an eviction may cure does not count */
    if (e->item[i].code != VC_UNSCHEDULABLE && e->item[i].code != VC_OK)
      return FALSE;
  return TRUE;
}

gboolean
vc_fit_error_has (const VcFitError *e, VcCode code)
{
  for (guint i = 0; i < e->n; i++)
    if (e->item[i].code == code)
      return TRUE;
  return FALSE;
}

static void
remember_scratch (VcSearch *s, guint32 role, guint32 node, const VcFitError *e)
{
  if (role >= s->n_roles) {
    guint n = MAX (role + 1, s->ssn->cluster->job[s->job].n_roles);
    s->role_errors = g_renew (VcFailedNode **, s->role_errors, n);
    memset (s->role_errors + s->n_roles, 0, (n - s->n_roles) * sizeof *s->role_errors);
    s->n_roles = n;
  }
  if (s->role_errors[role] == NULL)
    s->role_errors[role] = g_new0 (VcFailedNode *, s->n_rows);
  if (s->n_failed == s->failed->len)
    g_ptr_array_add (s->failed, g_new (VcFailedNode, 1));
  VcFailedNode *copy = s->failed->pdata[s->n_failed++];
  *copy = (VcFailedNode) { node, role, *e };
  s->role_errors[role][node] = copy;
}

static void
remember (VcSearch *s, guint32 role, guint32 node, const VcFitError *e)
{
  VcCluster *c = s->ssn->cluster;

  if (s->scratch) {
    remember_scratch (s, role, node, e);
    return;
  }
  if (s->role_errors == NULL) {
    s->n_roles = c->job[s->job].n_roles;
    s->role_errors = vc_arena_new0 (s->ssn->arena, VcFailedNode **, s->n_roles);
  }
  if (s->role_errors[role] == NULL)
    s->role_errors[role] = vc_arena_new0 (s->ssn->arena, VcFailedNode *, c->nodes.n);
  VcFailedNode *copy = vc_arena_new0 (s->ssn->arena, VcFailedNode, 1);
  *copy = (VcFailedNode) { node, role, *e };
  s->role_errors[role][node] = copy;
}

/* Scan @list from the rotating index (02 §1.9). Found nodes go to @found in scan order; failures are counted into @fit when given. */
static void
scan (VcSearch *s, guint32 task, const guint32 *list, guint32 n, GArray *found, GPtrArray *errors)
{
  VcEngine *e = s->ssn->engine;
  const VcTask *t = &s->ssn->cluster->task[task];
  gboolean named = *s->ssn->cluster->job[t->job].role[t->role].name != '\0';
  VcFailedNode **known = t->role < s->n_roles ? s->role_errors[t->role] : NULL; /* decided once, at entry */
  guint32 limit = vc_search_limit (s->ssn, n), seen = 0;

  if (n == 0)
    return;
  for (guint32 i = 0; i < n; i++) {
    guint32 node = list[(e->rotating + i) % n];
    VcFitError error = { 0 };

    seen++;
    if (s->cache && named && known != NULL && known[node] != NULL) {
      g_ptr_array_add (errors, known[node]);
      continue;
    }
    if (!vc_search_test (s, task, node, &error)) {
      remember (s, t->role, node, &error);
      g_ptr_array_add (errors, s->role_errors[t->role][node]);
      continue;
    }
    if (found->len == limit)
      break; /* looked at, but one more than wanted */
    g_array_append_val (found, node);
  }
  e->rotating = (e->rotating + seen) % n;
}

/* The best of a group by score. VC_NONE when scoring yields none. */
static guint32
choose_scored (VcSession *ssn, guint32 task, const guint32 *group, guint n)
{
  g_autofree double *total = g_new (double, n);

  if (!vc_session_scores (ssn, task, group, n, total))
    return VC_NONE;
  if (vc_session_logs (ssn, 5))
    for (guint i = 0; i < n; i++)
      vc_session_log (ssn, 5, "score %s on %s: %.17g", ssn->cluster->task[task].key, ssn->cluster->nodes.info[group[i]].name, total[i]);
  return vc_session_best_node (ssn, task, group, total, n);
}

/* A single node unseen, several by score. */
static guint32
choose (VcSession *ssn, guint32 task, const guint32 *group, guint n)
{
  return n == 1 ? group[0] : choose_scored (ssn, task, group, n);
}

/* The same of each group in turn: the scheduler's own nodes, then those of others. */
static guint32
choose_by_shard (VcSession *ssn, guint32 task, guint32 *group, guint n)
{
  guint own = vc_search_by_shard (ssn, group, n);
  guint32 node = own > 0 ? choose (ssn, task, group, own) : VC_NONE;

  return node == VC_NONE && own < n ? choose (ssn, task, group + own, n - own) : node;
}

/* backfill: one candidate unseen, else both groups by score. */
static guint32
choose_for_backfill (VcSession *ssn, guint32 task, guint32 *all, guint n)
{
  if (n == 1)
    return all[0];
  guint own = vc_search_by_shard (ssn, all, n);
  guint32 node = own > 0 ? choose_scored (ssn, task, all, own) : VC_NONE;

  return node == VC_NONE && own < n ? choose_scored (ssn, task, all + own, n - own) : node;
}

static VcSearchResult
pick_from (VcSearch *s, guint32 task, GArray *found, guint32 *node)
{
  const VcCluster *c = s->ssn->cluster;
  const VcShape *shape = c->task[task].shape;
  guint32 *all = (guint32 *) (gpointer) found->data;

  if (s->mode == VC_SEARCH_PLUGINS) {
    *node = choose_for_backfill (s->ssn, task, all, found->len);
    return *node != VC_NONE ? VC_FOUND : VC_NO_CHOICE;
  }
  g_autofree guint32 *group = g_new (guint32, found->len);
  for (int idle = 1; idle >= 0; idle--) { /* idle room always beats room that is being released */
    guint n = 0;
    for (guint i = 0; i < found->len; i++)
      if (vc_shape_fits (shape, c->nodes.idle, all[i]) ? idle : !idle && vc_shape_fits (shape, c->nodes.future, all[i]))
        group[n++] = all[i];
    if (n == 0)
      continue;
    *node = choose_by_shard (s->ssn, task, group, n);
    if (*node != VC_NONE)
      return VC_FOUND;
  }
  return VC_NO_CHOICE;
}

static VcSearchResult
pick_plain (VcSearch *s, guint32 task, const guint32 *list, guint32 n, gboolean record, const char *within, guint32 *node)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GPtrArray) errors = g_ptr_array_new ();

  scan (s, task, list, n, found, errors);
  if (found->len > 0)
    return pick_from (s, task, found, node);
  if (record) {
    VcFit *fit = vc_fit_record (s->ssn, task);
    guint32 *unresolvable = vc_arena_new0 (s->ssn->arena, guint32, errors->len + 1);
    for (guint i = 0; i < errors->len; i++) {
      const VcFailedNode *f = errors->pdata[i];
      for (guint k = 0; k < f->error.n; k++)
        vc_fit_count (s->ssn, fit, f->error.item[k].reason, 1);
      if (vc_fit_error_has (&f->error, VC_UNRESOLVABLE))
        unresolvable[fit->n_unresolvable++] = f->node;
    }
    fit->nodes = errors->len;
    fit->within = within;
    fit->unresolvable = unresolvable;
  }
  return VC_NO_CANDIDATE;
}

/* Who watches hears of a choice before and after it. */
static void
tell_pick (VcSearch *s, guint32 task, guint32 hyper, const guint32 *list, guint n)
{
  const VcObserver *o = s->ssn->engine->options.observer;

  if (o != NULL && o->pick != NULL)
    o->pick (o->user, s->ssn, task, s->mode == VC_SEARCH_ALLOCATE, hyper, list, n);
}

static void
tell_picked (VcSearch *s, guint32 task, guint32 node)
{
  const VcObserver *o = s->ssn->engine->options.observer;

  if (o != NULL && o->picked != NULL)
    o->picked (o->user, s->ssn, task, node);
}

VcSearchResult
vc_search_pick (VcSearch *s, guint32 task, guint32 *node)
{
  const VcNodes *n = &s->ssn->cluster->nodes;
  VcSearchResult result;

  *node = VC_NONE;
  if (vc_session_logs (s->ssn, 4))
    vc_session_log (s->ssn, 4, "consider %s: %u nodes", s->ssn->cluster->task[task].key, n->n_list);
  tell_pick (s, task, VC_NONE, n->list, n->n_list);
  if (!vc_shape_views_serve (s, task) || !vc_shape_views_pick (s, task, node, &result))
    result = pick_plain (s, task, n->list, n->n_list, TRUE, NULL, node);
  tell_picked (s, task, *node);
  return result;
}

VcSearchResult
vc_search_pick_within (VcSearch *s, guint32 task, guint32 hyper, guint32 *node)
{
  const VcHyperNode *h = &vc_session_hypers (s->ssn)->hyper[hyper];

  if (hyper == VC_HYPER_ROOT)
    return vc_search_pick (s, task, node);
  *node = VC_NONE;
  if (vc_session_logs (s->ssn, 4))
    vc_session_log (s->ssn, 4, "consider %s: %u nodes of %s", s->ssn->cluster->task[task].key, h->n_nodes, h->name);
  tell_pick (s, task, hyper, h->node, h->n_nodes);
  VcSearchResult result = pick_plain (s, task, h->node, h->n_nodes, TRUE, h->name, node);

  tell_picked (s, task, *node);
  return result;
}

VcSearchResult
vc_search_pick_one (VcSearch *s, guint32 task, guint32 only, guint32 *node)
{
  *node = VC_NONE;
  return pick_plain (s, task, &only, 1, FALSE, NULL, node);
}

VcSearchResult
vc_search_pick_list (VcSearch *s, guint32 task, const guint32 *list, guint n, guint32 *node)
{
  *node = VC_NONE;
  return pick_plain (s, task, list, n, FALSE, NULL, node);
}

void
vc_search_candidates (VcSearch *s, guint32 task, const guint32 *list, guint n, GArray *found)
{
  g_autoptr (GPtrArray) errors = g_ptr_array_new ();

  g_array_set_size (found, 0);
  scan (s, task, list, n, found, errors);
}

gboolean
vc_search_evictable (VcSession *ssn, guint32 task, gboolean cache, GArray *nodes, GArray *found)
{
  VcSearch s = { .ssn = ssn, .job = ssn->cluster->task[task].job, .mode = VC_SEARCH_PREEMPT, .cache = cache };

  vc_search_resolvable_nodes (ssn, task, nodes);
  const guint32 *list = (const guint32 *) (gpointer) nodes->data;
  if (vc_shape_views_serve (&s, task) && vc_shape_views_scan (&s, task, list, nodes->len, found))
    return TRUE;
  vc_search_candidates (&s, task, list, nodes->len, found);
  return FALSE;
}

void
vc_search_ask_evictable (VcSession *ssn, guint32 task, guint32 node)
{
  VcSearch s = { .ssn = ssn, .job = ssn->cluster->task[task].job, .mode = VC_SEARCH_PREEMPT };
  VcFitError ignored = { 0 };

  vc_search_test (&s, task, node, &ignored);
}

void
vc_search_resolvable_nodes (VcSession *ssn, guint32 task, GArray *out)
{
  const VcNodes *n = &ssn->cluster->nodes;
  const VcFit *fit = vc_fit_of_task (ssn, task);

  g_array_set_size (out, 0);
  g_array_append_vals (out, n->list, n->n_list);
  if (fit == NULL || fit->n_unresolvable == 0)
    return;
  g_autofree guint8 *skip = g_new0 (guint8, n->n);
  const guint32 *by_name = vc_cluster_nodes_by_name (ssn->cluster);
  guint kept = 0;
  for (guint i = 0; i < fit->n_unresolvable; i++)
    skip[fit->unresolvable[i]] = TRUE;
  for (guint i = 0; i < n->n_list; i++)
    if (!skip[by_name[i]])
      g_array_index (out, guint32, kept++) = by_name[i];
  g_array_set_size (out, kept);
}
