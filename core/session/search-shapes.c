/* Shape views: for each task shape, which nodes pass and how they score, kept up to date by the nodes' change log.
 *
 * Exact under these conditions (02 §13 S3-S8), else the plain scan answers: every predicate and score hook looks at the node alone (or, for
 * scores, at the candidate group: then only the feasibility is taken from the view); no map, reduce or best-node hook; a named role of the job
 * has tasks of one shape only, so that upstream's error cache (job, role, node) cannot change an answer.
 * The rows of a view are summed up in blocks of 64 nodes, so a pick costs N/64 steps and a placement one block. */
#include "reasons.h"
#include "search-private.h"
#include <math.h>
#include <string.h>

#define BLOCK 64u

#define N_MODES (VC_SEARCH_PREEMPT + 1)
enum { FUTURE, IDLE, N_CLASSES }; /* what a passing node has room in */

typedef struct {
  guint32 n[N_CLASSES];
  guint32 row[N_CLASSES]; /* of the best total; smallest row among equals */
  double best[N_CLASSES];
} Summary;

typedef struct {
  guint32 generation, epoch;
  gsize pos;          /* of the change log */
  guint32 cap;        /* rows */
  gboolean scored;    /* totals are kept (no score looks at the group) */
  guint32 n_fit;
  guint8 *fit;        /* 0 does not pass, 1 + class */
  double *total;
  Summary *block;
  guint32 bad_session; /* scoring failed as a whole in this session */
  /* reason counts at (hist_epoch, hist_pos), when no node passed */
  guint32 hist_epoch;
  gsize hist_pos;
  VcFitReason *hist; guint n_hist;
  GArray *unresolvable; /* rows; NULL until reasons are counted */
  VcReasons *reasons;
} View;

struct VcShapeViews {
  VcEngine *engine;
  GPtrArray *view[N_MODES]; /* by mode, by shape id */
  /* bounds of FutureIdle over the present nodes, to see at once that nothing fits */
  guint64 grown;
  guint32 epoch;
  gsize pos;
  double *most, *least;
  /* scratch, by number of rows */
  guint32 cap;
  guint8 *ok;
  guint32 *rows, *seen_mark, mark;
  double *order, *batch;
  guint32 session; /* in which `simple` was found out */
  gboolean simple; /* no map, reduce, best-node hook; no predicate beyond the node */
};

VcShapeViews *
vc_shape_views_new (VcEngine *e)
{
  VcShapeViews *v = g_new0 (VcShapeViews, 1);
  v->engine = e;
  for (int m = 0; m < N_MODES; m++)
    v->view[m] = g_ptr_array_new ();
  v->grown = G_MAXUINT64;
  return v;
}

static void
view_free (View *w)
{
  if (w == NULL)
    return;
  g_free (w->fit);
  g_free (w->total);
  g_free (w->block);
  g_free (w->hist);
  g_clear_pointer (&w->unresolvable, g_array_unref);
  vc_reasons_free (w->reasons);
  g_free (w);
}

void
vc_shape_views_free (VcShapeViews *v)
{
  if (v == NULL)
    return;
  for (int m = 0; m < N_MODES; m++) {
    for (guint i = 0; i < v->view[m]->len; i++)
      view_free (v->view[m]->pdata[i]);
    g_ptr_array_unref (v->view[m]);
  }
  g_free (v->most);
  g_free (v->least);
  g_free (v->ok);
  g_free (v->rows);
  g_free (v->seen_mark);
  g_free (v->order);
  g_free (v->batch);
  g_free (v);
}

/* ---- may the views answer? -------------------------------------------------------------------- */

static gboolean
chain_within (VcSession *ssn, VcHookFamily f, const VcShape *shape, VcScope widest)
{
  const VcChain *c = &ssn->chain[f];

  for (guint i = 0; i < c->n; i++)
    if (c->item[i].scope != NULL && c->item[i].scope (c->item[i].self, ssn, shape) > widest)
      return FALSE;
  return TRUE;
}

gboolean
vc_shape_views_serve (VcSearch *s, guint32 task)
{
  VcSession *ssn = s->ssn;
  VcShapeViews *v = ssn->engine->views;
  const VcEngineOptions *o = &ssn->engine->options;
  const VcJob *j = &ssn->cluster->job[s->job];

  if (v->session != ssn->number) {
    v->session = ssn->number;
    v->simple = !o->plain && o->verbosity < 5 && ssn->cache->sharding != VC_SHARDING_SOFT && ssn->chain[VC_HOOK_NODE_MAP].n == 0 && ssn->chain[VC_HOOK_BEST_NODE].n == 0;
  }
  if (!v->simple || j->mixed_roles)
    return FALSE;
  /* Upstream's error cache keeps an old reason for a node that a sibling role has changed since: only the plain scan counts that. */
  if (o->exact_fit && j->n_roles > 1)
    return FALSE;
  return chain_within (ssn, VC_HOOK_PREDICATE, ssn->cluster->task[task].shape, VC_SCOPE_NODE);
}

/* ---- keeping a view up to date ------------------------------------------------------------------ */

static void
make_room (VcShapeViews *v, guint32 rows)
{
  if (rows <= v->cap)
    return;
  v->cap = MAX (rows, v->cap * 2);
  v->ok = g_renew (guint8, v->ok, v->cap);
  v->rows = g_renew (guint32, v->rows, v->cap);
  v->order = g_renew (double, v->order, v->cap);
  v->batch = g_renew (double, v->batch, v->cap);
  g_free (v->seen_mark);
  v->seen_mark = g_new0 (guint32, v->cap);
  v->mark = 0;
}

static void
add_row (Summary *b, guint class, double total, guint32 row)
{
  b->n[class]++;
  if (b->row[class] == VC_NONE ? total == total : total > b->best[class] || (total == b->best[class] && row < b->row[class])) {
    b->best[class] = total;
    b->row[class] = row;
  }
}

static void
summary_init (Summary *b)
{
  b->n[FUTURE] = b->n[IDLE] = 0;
  b->row[FUTURE] = b->row[IDLE] = VC_NONE;
  b->best[FUTURE] = b->best[IDLE] = 0;
}

static void
sum_block (View *w, guint32 block)
{
  Summary *b = &w->block[block];

  summary_init (b);
  for (guint32 r = block * BLOCK, end = r + BLOCK; r < end; r++)
    if (w->fit[r] > 0)
      add_row (b, w->fit[r] - 1u, w->total[r], r);
}

/* A row changed from (old_fit, old_total) to what the view says now: most changes need no look at the rest of the block. */
static void
update_block (View *w, guint32 row, guint8 old_fit, double old_total)
{
  Summary *b = &w->block[row / BLOCK];
  guint8 fit = w->fit[row];
  double total = w->total[row];

  if (old_fit == fit && fit > 0 && b->row[fit - 1] == row && total >= old_total) {
    b->best[fit - 1] = total; /* the best got better; a tie with a smaller row is impossible: that one would be the best */
    return;
  }
  if (old_fit > 0) {
    b->n[old_fit - 1]--;
    if (b->row[old_fit - 1] == row || b->row[old_fit - 1] == VC_NONE) {
      sum_block (w, row / BLOCK);
      return;
    }
  }
  if (fit > 0)
    add_row (b, fit - 1u, total, row);
}

/* The two parts of the totals of v->rows[0..m), into v->order and v->batch. FALSE: the batch fails, so no node has a total. */
static gboolean
score (VcShapeViews *v, VcSession *ssn, guint32 task, guint32 m)
{
  memset (v->order, 0, m * sizeof *v->order);
  memset (v->batch, 0, m * sizeof *v->batch);
  const VcChain *chain = &ssn->chain[VC_HOOK_NODE_ORDER];
  for (guint h = 0; h < chain->n; h++)
    if (!((VcNodeScoreFn) chain->item[h].fn) (chain->item[h].self, ssn, task, v->rows, m, v->order)) {
      memset (v->order, 0, m * sizeof *v->order);
      break;
    }
  chain = &ssn->chain[VC_HOOK_BATCH_NODE_ORDER];
  for (guint h = 0; h < chain->n; h++)
    if (!((VcNodeScoreFn) chain->item[h].fn) (chain->item[h].self, ssn, task, v->rows, m, v->batch))
      return FALSE;
  return TRUE;
}

/* As the plain scan for evictions has it: what an eviction may cure does not count. */
static void
test_for_evictions (VcSearch *s, guint32 task, const guint32 *rows, guint32 n, guint8 *ok)
{
  for (guint32 i = 0; i < n; i++) {
    VcFitError ignored = { 0 };
    ok[i] = vc_search_test (s, task, rows[i], &ignored) ? 1 + IDLE : 0;
  }
}

/* Ask the hooks anew for @rows. FALSE: scoring failed as a whole. @fresh: the blocks are summed up by the caller. */
static gboolean
evaluate (VcShapeViews *v, View *w, VcSearch *s, guint32 task, const guint32 *rows, guint32 n, gboolean fresh)
{
  VcSession *ssn = s->ssn;
  const VcCluster *c = ssn->cluster;
  const VcShape *shape = c->task[task].shape;
  const VcChain *p = &ssn->chain[VC_HOOK_PREDICATE];
  guint n_hooks = s->mode == VC_SEARCH_PREEMPT ? 0 : p->n;
  guint8 *ok = v->ok;
  guint32 m = 0;

  memset (ok, 1 + IDLE, n);
  for (guint32 i = 0; ssn->cache->sharding == VC_SHARDING_HARD && i < n; i++)
    if (!c->nodes.info[rows[i]].in_shard)
      ok[i] = 0;
  if (s->mode == VC_SEARCH_ALLOCATE)
    for (guint64 left = shape->dims; left != 0; left &= left - 1) {
      guint d = (guint) __builtin_ctzll (left);
      const double *idle = c->nodes.idle[d], *future = c->nodes.future[d];
      double r = shape->request->v[d];

      for (guint32 i = 0; i < n; i++) {
        guint8 class = !vc_le (r, future[rows[i]]) ? 0 : vc_le (r, idle[rows[i]]) ? 1 + IDLE : 1 + FUTURE;
        ok[i] = MIN (ok[i], class);
      }
    }
  /* A node may have idle room and no future room (what is pipelined there exceeds it): upstream tests FutureIdle first. */
  if (s->mode == VC_SEARCH_PREEMPT)
    test_for_evictions (s, task, rows, n, ok);
  for (guint h = 0; h < n_hooks; h++) {
    if (p->item[h].aux != NULL) {
      ((VcPredicateColumnFn) p->item[h].aux) (p->item[h].self, ssn, task, rows, n, ok);
      continue;
    }
    for (guint32 i = 0; i < n; i++) {
      VcFitError ignored = { 0 };
      if (ok[i] > 0 && !((VcPredicateFn) p->item[h].fn) (p->item[h].self, ssn, task, rows[i], &ignored))
        ok[i] = 0;
    }
  }
  for (guint32 i = 0; i < n; i++)
    if (ok[i] > 0)
      v->rows[m++] = rows[i];
  if (w->scored && m > 0 && !score (v, ssn, task, m))
    return FALSE;
  m = 0;
  for (guint32 i = 0; i < n; i++) {
    guint32 row = rows[i];
    guint8 old_fit = w->fit[row];
    double old_total = w->total[row];

    w->n_fit += (ok[i] > 0) - (old_fit > 0);
    w->fit[row] = ok[i];
    if (ok[i] > 0 && w->scored) {
      /* a node whose own scores failed keeps the other part (vc_session_scores) */
      w->total[row] = (0.0 + (v->order[m] == -(double) INFINITY ? 0 : v->order[m])) + v->batch[m];
      m++;
    }
    if (!fresh && (old_fit > 0 || ok[i] > 0))
      update_block (w, row, old_fit, old_total);
  }
  return TRUE;
}

static gboolean
rebuild (VcShapeViews *v, View *w, VcSearch *s, guint32 task)
{
  const VcNodes *n = &s->ssn->cluster->nodes;

  if (w->cap < n->cap) {
    w->cap = n->cap; /* a multiple of BLOCK: columns start at 64 and double */
    w->fit = g_renew (guint8, w->fit, w->cap);
    w->total = g_renew (double, w->total, w->cap);
    w->block = g_renew (Summary, w->block, w->cap / BLOCK);
  }
  memset (w->fit, 0, w->cap);
  memset (w->total, 0, w->cap * sizeof *w->total);
  w->n_fit = 0;
  w->generation = s->ssn->engine->conf_generation;
  w->epoch = n->log_epoch;
  w->pos = n->n_log;
  w->hist_epoch = 0;
  if (!evaluate (v, w, s, task, n->list, n->n_list, TRUE))
    return FALSE;
  for (guint32 b = 0; b < w->cap / BLOCK; b++)
    sum_block (w, b);
  return TRUE;
}

/* Bring @w to the present state of the nodes. */
static gboolean
refresh (VcShapeViews *v, View *w, VcSearch *s, guint32 task, gboolean scored)
{
  const VcNodes *n = &s->ssn->cluster->nodes;

  make_room (v, n->cap);
  if (w->generation != s->ssn->engine->conf_generation || w->epoch != n->log_epoch || w->scored != scored || n->n_log - w->pos > n->n_list / 2 + 16) {
    w->scored = scored;
    return rebuild (v, w, s, task);
  }
  if (w->pos == n->n_log)
    return TRUE;
  guint32 m = 0;
  g_autofree guint32 *many = NULL;
  guint32 few[64], *rows = few;
  gsize lag = n->n_log - w->pos;
  if (lag > G_N_ELEMENTS (few))
    rows = many = g_new (guint32, lag);
  v->mark++;
  for (; w->pos < n->n_log; w->pos++) {
    guint32 row = n->log[w->pos];
    if (v->seen_mark[row] != v->mark && n->info[row].listed) {
      v->seen_mark[row] = v->mark;
      rows[m++] = row;
    }
  }
  return evaluate (v, w, s, task, rows, m, FALSE);
}

/* ---- bounds: does anything fit at all? ---------------------------------------------------------- */

static void
refresh_bounds (VcShapeViews *v, const VcCluster *c)
{
  const VcNodes *n = &c->nodes;

  if (v->most == NULL) {
    v->most = g_new0 (double, c->n_res);
    v->least = g_new0 (double, c->n_res);
  }
  if (v->grown == n->grown && v->epoch == n->log_epoch) {
    for (; v->pos < n->n_log; v->pos++) /* nothing has grown: the upper bound still holds */
      for (guint d = 0; d < c->n_res; d++)
        v->least[d] = MIN (v->least[d], n->future[d][n->log[v->pos]]);
    return;
  }
  for (guint d = 0; d < c->n_res; d++) {
    const double *f = n->future[d];
    double most = -G_MAXDOUBLE, least = G_MAXDOUBLE;
    for (guint32 i = 0; i < n->n_list; i++) {
      double x = f[n->list[i]];
      most = x > most ? x : most;
      least = x < least ? x : least;
    }
    v->most[d] = most;
    v->least[d] = least;
  }
  v->grown = n->grown;
  v->epoch = n->log_epoch;
  v->pos = n->n_log;
}

/* Nothing fits, as the bounds tell; *uniform: the dimension that every node lacks first, when they tell that too. */
static gboolean
hopeless (VcShapeViews *v, const VcCluster *c, const VcShape *shape, int *uniform)
{
  gboolean all_before = TRUE;

  *uniform = -1;
  refresh_bounds (v, c);
  for (guint64 left = shape->dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    if (!vc_le (shape->request->v[d], v->most[d])) {
      if (all_before)
        *uniform = (int) d;
      return TRUE;
    }
    all_before &= vc_le (shape->request->v[d], v->least[d]);
  }
  return FALSE;
}

/* ---- reasons ------------------------------------------------------------------------------------ */

static void
count_reasons (View *w, VcSearch *s, guint32 task)
{
  const VcNodes *n = &s->ssn->cluster->nodes;
  VcFit counts = { 0 };

  if (w->reasons == NULL) {
    w->reasons = vc_reasons_new ();
    w->unresolvable = g_array_new (FALSE, FALSE, sizeof (guint32));
  }
  vc_reasons_count (w->reasons, s, task, &counts, w->unresolvable);
  w->hist = g_renew (VcFitReason, w->hist, MAX (counts.n_reasons, 1));
  if (counts.n_reasons > 0)
    memcpy (w->hist, counts.reason, counts.n_reasons * sizeof *w->hist);
  w->n_hist = counts.n_reasons;
  w->hist_epoch = n->log_epoch;
  w->hist_pos = n->n_log;
}

static void
record_failure (View *w, VcSearch *s, guint32 task, int uniform)
{
  VcSession *ssn = s->ssn;
  const VcCluster *c = ssn->cluster;
  VcFit *fit = vc_fit_record (ssn, task);

  fit->nodes = c->nodes.n_list;
  if (uniform >= 0) {
    vc_fit_count (ssn, fit, vc_res_names_insufficient (c->names, (guint) uniform), fit->nodes);
    return;
  }
  if (w->reasons == NULL || w->hist_epoch != c->nodes.log_epoch || w->hist_pos != c->nodes.n_log || w->generation != ssn->engine->conf_generation)
    count_reasons (w, s, task);
  if (w->n_hist > 0) { /* with what has been found out of each reason */
    fit->reason = vc_arena_new0 (ssn->arena, VcFitReason, (w->n_hist + 3) / 4 * 4);
    memcpy (fit->reason, w->hist, w->n_hist * sizeof *w->hist);
    fit->n_reasons = w->n_hist;
  }
  if (w->unresolvable->len > 0) {
    guint32 *copy = vc_arena_new0 (ssn->arena, guint32, w->unresolvable->len);
    memcpy (copy, w->unresolvable->data, w->unresolvable->len * sizeof *copy);
    fit->unresolvable = copy;
    fit->n_unresolvable = w->unresolvable->len;
  }
}

/* ---- the pick ------------------------------------------------------------------------------------ */

typedef struct {
  const View *w;
  const VcNodes *n;
  guint32 limit, count;
  guint32 seen;       /* positions looked at */
  gboolean stopped;
  Summary sum;
  GArray *found;      /* rows in scan order, when the group is needed */
} Walk;

static void
walk_rows (Walk *k, guint32 from, guint32 to)
{
  for (guint32 p = from; p < to && !k->stopped; p++) {
    guint32 row = k->n->list_is_rows ? p : k->n->list[p];
    k->seen++;
    if (k->w->fit[row] == 0)
      continue;
    if (k->count == k->limit) {
      k->stopped = TRUE; /* one more than wanted: looked at, not kept */
      return;
    }
    k->count++;
    if (k->found != NULL)
      g_array_append_val (k->found, row);
    else
      add_row (&k->sum, k->w->fit[row] - 1u, k->w->total[row], row);
  }
}

static void
walk_range (Walk *k, guint32 from, guint32 to)
{
  if (!k->n->list_is_rows || k->found != NULL) {
    walk_rows (k, from, to);
    return;
  }
  while (from < to && !k->stopped) {
    guint32 block = from / BLOCK, end = (block + 1) * BLOCK;
    const Summary *b = &k->w->block[block];

    if (from % BLOCK != 0 || end > to || k->count + b->n[FUTURE] + b->n[IDLE] > k->limit) {
      walk_rows (k, from, MIN (end, to));
    } else {
      k->seen += BLOCK;
      k->count += b->n[FUTURE] + b->n[IDLE];
      for (guint class = 0; class < N_CLASSES; class++) {
        guint32 before = k->sum.n[class];
        if (b->row[class] != VC_NONE)
          add_row (&k->sum, class, b->best[class], b->row[class]);
        k->sum.n[class] = before + b->n[class];
      }
    }
    from = end;
  }
}

/* The totals of a group: those that are kept, when they look at nothing but the node. */
static gboolean
totals_of (VcSession *ssn, const View *w, guint32 task, const guint32 *group, guint n, double *total)
{
  if (!w->scored)
    return vc_session_scores (ssn, task, group, n, total);
  for (guint i = 0; i < n; i++)
    total[i] = w->total[group[i]];
  return TRUE;
}

/* Candidate rows by class, as the plain scan would choose among them. */
static guint32
choose_in_group (VcSession *ssn, const View *w, guint32 task, GArray *found)
{
  g_autofree guint32 *group = g_new (guint32, found->len + 1);
  g_autofree double *total = g_new (double, found->len + 1);

  for (int class = IDLE; class >= FUTURE; class--) {
    guint n = 0;
    for (guint i = 0; i < found->len; i++)
      if (w->fit[g_array_index (found, guint32, i)] == class + 1)
        group[n++] = g_array_index (found, guint32, i);
    if (n == 1)
      return group[0];
    if (n > 1 && totals_of (ssn, w, task, group, n, total)) {
      guint32 best = vc_session_best_node (ssn, task, group, total, n);
      if (best != VC_NONE)
        return best;
    }
  }
  return VC_NONE;
}

static View *
view_of (VcShapeViews *v, VcSearch *s, guint32 task)
{
  const VcCluster *c = s->ssn->cluster;
  GPtrArray *views = v->view[s->mode];
  guint32 id = c->task[task].shape->id;

  if (views->len <= id)
    g_ptr_array_set_size (views, (gint) vc_shape_table_count (c->shapes));
  if (views->pdata[id] == NULL)
    views->pdata[id] = g_new0 (View, 1);
  return views->pdata[id];
}

gboolean
vc_shape_views_scan (VcSearch *s, guint32 task, const guint32 *list, guint n, GArray *found)
{
  VcEngine *e = s->ssn->engine;
  View *w = view_of (e->views, s, task);
  guint32 limit = vc_search_limit (s->ssn, n), seen = 0;

  if (n == 0 || !refresh (e->views, w, s, task, FALSE))
    return FALSE;
  g_array_set_size (found, 0);
  for (guint32 i = 0, at = e->rotating % n; i < n; i++, at = at + 1 < n ? at + 1 : 0) {
    seen++;
    if (w->fit[list[at]] == 0)
      continue;
    if (found->len == limit)
      break; /* looked at, but one more than wanted */
    g_array_append_val (found, list[at]);
  }
  e->rotating = (e->rotating + seen) % n;
  return TRUE;
}

gboolean
vc_shape_views_pick (VcSearch *s, guint32 task, guint32 *node, VcSearchResult *result)
{
  VcSession *ssn = s->ssn;
  VcEngine *e = ssn->engine;
  VcShapeViews *v = e->views;
  VcCluster *c = ssn->cluster;
  const VcShape *shape = c->task[task].shape;
  int uniform = -1;

  if (c->nodes.n_list == 0)
    return FALSE;
  View *w = view_of (v, s, task);
  if (w->bad_session == ssn->number)
    return FALSE;
  guint32 n = c->nodes.n_list;
  if (s->mode == VC_SEARCH_ALLOCATE && hopeless (v, c, shape, &uniform)) {
    record_failure (w, s, task, ssn->cache->sharding == VC_SHARDING_HARD ? -1 : uniform); /* nodes of others have their own reason */
    e->rotating %= n;
    *result = VC_NO_CANDIDATE;
    return TRUE;
  }
  gboolean scored = chain_within (ssn, VC_HOOK_NODE_ORDER, shape, VC_SCOPE_NODE) && chain_within (ssn, VC_HOOK_BATCH_NODE_ORDER, shape, VC_SCOPE_NODE);
  if (!refresh (v, w, s, task, scored)) {
    w->bad_session = ssn->number;
    w->generation = 0; /* built anew next time */
    return FALSE;
  }
  if (w->n_fit == 0) {
    record_failure (w, s, task, -1);
    e->rotating %= n;
    *result = VC_NO_CANDIDATE;
    return TRUE;
  }
  ssn->remembered = task;
  gboolean summed = scored && !e->options.random_ties; /* ties are drawn one by one, in the order of the scan */
  g_autoptr (GArray) found = summed ? NULL : g_array_new (FALSE, FALSE, sizeof (guint32));
  Walk k = { .w = w, .n = &c->nodes, .limit = vc_search_limit (ssn, n), .found = found };
  guint32 start = e->rotating % n;
  summary_init (&k.sum);
  walk_range (&k, start, n);
  walk_range (&k, 0, start);
  e->rotating = (start + k.seen) % n;
  if (!summed)
    *node = choose_in_group (ssn, w, task, found);
  else
    *node = k.sum.row[IDLE] != VC_NONE ? k.sum.row[IDLE] : k.sum.row[FUTURE];
  *result = *node != VC_NONE ? VC_FOUND : VC_NO_CHOICE;
  return TRUE;
}
