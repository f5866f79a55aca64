/* sim/world/budgets.c - see budgets.h. */
#include "budgets.h"
#include "cluster-objects.h"
#include "views.h"
#include "core/model/selector.h"
#include "sim/controllers/rollouts.h"
#include <string.h>

/* A job that has pods under a budget; the ReplicaSets of a Deployment count as it. */
typedef struct {
  guint32 job, pods;
  guint32 replicas;    /* that count for the budget */
  gboolean no_scale;   /* it has none, or is gone */
  guint32 found;       /* pods, in a recount */
} Under;

struct SimBudget {
  guint32 object;
  gint32 healthy, allowed;
  GHashTable *under;   /* row of a job + 1 → Under, of jobs that control their pods; NULL: no scale is asked for */
  gint64 replicas;     /* of them together */
  guint32 no_scale;    /* how many of them have none */
  gboolean dirty;      /* `allowed` may be another one; it is in the list of these */
  gint32 found;        /* healthy ones, in a recount */
};

/* A list of these, up to one without a budget, says which budgets cover a pod. */
struct SimCover {
  SimBudget *budget;
  Under *under;        /* NULL: nothing controls the pod, or no scale is asked for */
};

static inline const VcPodDisruptionBudgetObject *
object_of (const SimWorld *w, const SimBudget *b)
{
  return &sim_object_at (w, b->object)->budget;
}

static void
set_dirty (SimWorld *w, SimBudget *b)
{
  if (!b->dirty)
    g_ptr_array_add (w->budgets_dirty, b);
  b->dirty = TRUE;
}

/* ---- pods ----------------------------------------------------------------------------------- */

/* IsPodReady: its containers are up, and its node is heard of. */
static gboolean
is_ready (const SimWorld *w, const SimPod *p)
{
  return p->phase == SIM_POD_RUNNING && !p->unready && !w->node[p->node].unreachable;
}

/* Pods that may count on a budget's side: running, ready, not on their way out. */
static inline gboolean
is_healthy (const SimWorld *w, const SimPod *p)
{
  return p->live && !p->deleting && p->task != VC_NONE && is_ready (w, p);
}

static gboolean
covers (const SimWorld *w, const SimBudget *b, const SimPod *p)
{
  const VcPodDisruptionBudgetObject *o = object_of (w, b);

  return p->task != VC_NONE && strcmp (w->job[p->job].ns, o->ns) == 0 && vc_selector_is_valid (&o->selector) &&
         vc_selector_matches (&o->selector, &w->view[0].cluster->task[p->task].meta->labels);
}

static guint
n_covers (const SimPod *p)
{
  guint n = 0;

  while (p->cover != NULL && p->cover[n].budget != NULL)
    n++;
  return n;
}

static void
mark_healthy (SimWorld *w, SimPod *p, gboolean healthy)
{
  if (p->healthy == (healthy != 0))
    return;
  p->healthy = healthy != 0;
  for (struct SimCover *c = p->cover; c != NULL && c->budget != NULL; c++) {
    c->budget->healthy += healthy ? 1 : -1;
    set_dirty (w, c->budget);
  }
}

/* ---- what controllers want ------------------------------------------------------------------- */

/* Percentages and maxUnavailable need to know how many pods their controllers want. */
static gboolean
needs_scale (const VcPodDisruptionBudgetObject *o)
{
  return o->max_unavailable.given || !o->min_available.given || o->min_available.percent;
}

/* Has the job's kind no scale, or is the job gone? Else *replicas are what it wants. */
static gboolean
has_no_scale (const SimWorld *w, guint32 job, guint32 *replicas)
{
  const SimJob *j = &w->job[job];
  gboolean none = !j->exists || (j->kind != WL_KIND_REPLICA_SET && j->kind != WL_KIND_DEPLOYMENT && j->kind != WL_KIND_STATEFUL_SET);

  *replicas = none ? 0 : sim_rollout_replicas (w, job);
  return none;
}

static void
put_figures (SimWorld *w, SimBudget *b, Under *u, gboolean no_scale, guint32 replicas)
{
  b->replicas += (gint64) replicas - u->replicas;
  b->no_scale += (guint32) no_scale - (guint32) u->no_scale;
  u->replicas = replicas;
  u->no_scale = no_scale;
  set_dirty (w, b);
}

void
sim_budgets_job_changed (SimWorld *w, guint32 job)
{
  for (guint i = 0; w->budgets != NULL && i < w->budgets->len; i++) {
    SimBudget *b = w->budgets->pdata[i];
    Under *u = b->under != NULL ? g_hash_table_lookup (b->under, GUINT_TO_POINTER (job + 1)) : NULL;
    guint32 replicas;

    if (u != NULL) {
      gboolean none = has_no_scale (w, job, &replicas);
      put_figures (w, b, u, none, replicas);
    }
  }
}

static Under *
enter_job (SimWorld *w, SimBudget *b, guint32 job)
{
  gpointer key = GUINT_TO_POINTER (job + 1);
  Under *u = g_hash_table_lookup (b->under, key);
  guint32 replicas;

  if (u == NULL) {
    gboolean none = has_no_scale (w, job, &replicas);

    u = g_new0 (Under, 1);
    u->job = job;
    g_hash_table_insert (b->under, key, u);
    put_figures (w, b, u, none, replicas);
  }
  u->pods++;
  return u;
}

static void
leave_job (SimWorld *w, SimBudget *b, Under *u)
{
  if (--u->pods > 0)
    return;
  put_figures (w, b, u, FALSE, 0);
  g_hash_table_remove (b->under, GUINT_TO_POINTER (u->job + 1));
}

/* ---- coverage -------------------------------------------------------------------------------- */

/* Pods without a controller do not count where a scale is asked for. */
static gboolean
is_controlled (const SimWorld *w, const SimPod *p)
{
  return w->job[p->job].kind != WL_KIND_POD && w->job[p->job].kind != WL_KIND_POD_GROUP;
}

static void
cover (SimWorld *w, SimBudget *b, SimPod *p)
{
  guint n = n_covers (p);

  p->cover = g_renew (struct SimCover, p->cover, n + 2);
  p->cover[n] = (struct SimCover){ b, b->under != NULL && is_controlled (w, p) ? enter_job (w, b, sim_rollout_first (w, p->job)) : NULL };
  p->cover[n + 1].budget = NULL;
  if (p->healthy) {
    b->healthy++;
    set_dirty (w, b);
  }
}

void
sim_budgets_meet (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];
  gboolean known = p->cover != NULL; /* a row that is another one now */

  for (guint i = 0; w->budgets != NULL && !known && i < w->budgets->len; i++)
    if (covers (w, w->budgets->pdata[i], p))
      cover (w, w->budgets->pdata[i], p);
  sim_budgets_look (w, pod);
}

void
sim_budgets_look (SimWorld *w, guint32 pod)
{
  mark_healthy (w, &w->pod[pod], is_healthy (w, &w->pod[pod]));
}

void
sim_budgets_look_at_node (SimWorld *w, guint32 node)
{
  for (guint32 row = w->node[node].first_pod; row != SIM_NONE; row = w->pod[row].next_on_node)
    sim_budgets_look (w, row);
}

void
sim_budgets_leave (SimWorld *w, guint32 pod)
{
  SimPod *p = &w->pod[pod];

  mark_healthy (w, p, FALSE);
  for (struct SimCover *c = p->cover; c != NULL && c->budget != NULL; c++)
    if (c->under != NULL)
      leave_job (w, c->budget, c->under);
  g_clear_pointer (&p->cover, g_free);
}

/* ---- what may go ----------------------------------------------------------------------------- */

/* GetScaledValueFromIntOrPercent, rounded up. */
static gint64
scaled (VcIntOrPercent v, gint64 total)
{
  return v.percent ? (v.value * total + 99) / 100 : v.value;
}

/* getExpectedPodCount: how many healthy pods there have to be. FALSE: the controller cannot tell, and allows no disruption. What is expected
 * (getExpectedScale) are the replicas of all controllers that have pods under the budget. */
static gboolean
desired_pods (const SimWorld *w, const SimBudget *b, gint64 *desired)
{
  const VcPodDisruptionBudgetObject *o = object_of (w, b);

  *desired = 0;
  if (!needs_scale (o)) {
    *desired = o->min_available.value;
    return TRUE;
  }
  if ((!o->max_unavailable.given && !o->min_available.given) || b->no_scale > 0)
    return FALSE;
  *desired = o->max_unavailable.given ? MAX (b->replicas - scaled (o->max_unavailable, b->replicas), 0) : scaled (o->min_available, b->replicas);
  return b->replicas > 0;
}

static gint32
allowed_by (const SimWorld *w, const SimBudget *b)
{
  gint64 desired;

  return desired_pods (w, b, &desired) ? (gint32) MAX (b->healthy - desired, 0) : 0;
}

SimEviction
sim_eviction_ask (const SimWorld *w, guint32 pod, const char **budget)
{
  const SimPod *p = &w->pod[pod];

  if (p->phase != SIM_POD_RUNNING || p->deleting || n_covers (p) == 0)
    return SIM_EVICTION_GRANTED; /* no budget is asked about pods that do not run */
  if (n_covers (p) > 1)
    return SIM_EVICTION_ERROR;
  const SimBudget *b = p->cover[0].budget;
  gint64 desired;
  gboolean known = desired_pods (w, b, &desired);

  if (!is_ready (w, p) && (object_of (w, b)->evicts_unhealthy || (known && desired > 0 && b->healthy >= desired)))
    return SIM_EVICTION_GRANTED; /* it does not count among the healthy ones, and those suffice */
  if (allowed_by (w, b) > 0)
    return SIM_EVICTION_GRANTED;
  *budget = object_of (w, b)->name;
  return SIM_EVICTION_LATER;
}

static void
tell (SimWorld *w, const SimBudget *b)
{
  VcPodDisruptionBudgetObject o = *object_of (w, b);

  o.disruptions_allowed = b->allowed;
  SIM_EACH_VIEW (w, back)
    vc_cache_add_pod_disruption_budget (w->cache, &o);
}

void
sim_budgets_flush (SimWorld *w)
{
  for (guint i = 0; w->budgets_dirty != NULL && i < w->budgets_dirty->len; i++) {
    SimBudget *b = w->budgets_dirty->pdata[i];
    gint32 allowed = allowed_by (w, b);

    b->dirty = FALSE;
    if (allowed == b->allowed)
      continue;
    b->allowed = allowed;
    tell (w, b);
  }
  if (w->budgets_dirty != NULL)
    g_ptr_array_set_size (w->budgets_dirty, 0);
}

/* ---- budgets come and go --------------------------------------------------------------------- */

static void
budget_free (gpointer data)
{
  SimBudget *b = data;

  g_clear_pointer (&b->under, g_hash_table_unref);
  g_free (b);
}

void
sim_budget_add (SimWorld *w, guint32 i)
{
  SimBudget *b = g_new0 (SimBudget, 1);

  if (w->budgets == NULL) {
    w->budgets = g_ptr_array_new_with_free_func (budget_free);
    w->budgets_dirty = g_ptr_array_new ();
  }
  b->object = i;
  if (needs_scale (object_of (w, b)))
    b->under = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_ptr_array_add (w->budgets, b);
  w->budget_changes++;
  for (guint32 row = 0; row < w->n_pods; row++)
    if (w->pod[row].live && covers (w, b, &w->pod[row]))
      cover (w, b, &w->pod[row]);
  b->allowed = allowed_by (w, b);
  tell (w, b);
}

/* The pod is covered by others alone. */
static void
uncover (SimPod *p, const SimBudget *b)
{
  guint left = 0, n = n_covers (p);

  for (guint i = 0; i < n; i++)
    if (p->cover[i].budget != b)
      p->cover[left++] = p->cover[i];
  if (left == 0)
    g_clear_pointer (&p->cover, g_free);
  else
    p->cover[left].budget = NULL;
}

void
sim_budget_drop (SimWorld *w, guint32 i)
{
  for (guint k = 0; w->budgets != NULL && k < w->budgets->len; k++) {
    SimBudget *b = w->budgets->pdata[k];

    if (b->object != i)
      continue;
    for (guint32 row = 0; row < w->n_pods; row++)
      if (w->pod[row].live)
        uncover (&w->pod[row], b);
    g_ptr_array_remove (w->budgets_dirty, b);
    g_ptr_array_remove_index (w->budgets, k);
    w->budget_changes++;
    return;
  }
}

guint32
sim_budget_find (const SimWorld *w, const VcPodDisruptionBudgetObject *o)
{
  for (guint k = 0; w->budgets != NULL && k < w->budgets->len; k++) {
    const SimBudget *b = w->budgets->pdata[k];

    if (strcmp (object_of (w, b)->ns, o->ns) == 0 && strcmp (object_of (w, b)->name, o->name) == 0)
      return b->object;
  }
  return SIM_NONE;
}

void
sim_budgets_free (SimWorld *w)
{
  for (guint32 row = 0; row < w->n_pods; row++)
    if (w->pod[row].live)
      g_clear_pointer (&w->pod[row].cover, g_free);
  g_clear_pointer (&w->budgets_dirty, g_ptr_array_unref);
  g_clear_pointer (&w->budgets, g_ptr_array_unref);
}

/* ---- recounts -------------------------------------------------------------------------------- */

gboolean
sim_budgets_know (const SimWorld *w, const SimPod *p)
{
  return p->healthy == is_healthy (w, p);
}

gboolean
sim_budgets_cover (const SimWorld *w, const SimPod *p)
{
  guint n = n_covers (p), known = 0;

  for (guint i = 0; w->budgets != NULL && i < w->budgets->len; i++) {
    const SimBudget *b = w->budgets->pdata[i];
    gboolean covered = FALSE;

    for (guint k = 0; k < n; k++)
      covered |= p->cover[k].budget == b;
    if (covered != covers (w, b, p))
      return FALSE;
    known += covered;
  }
  return known == n;
}

static void
begin_recount (SimBudget *b)
{
  GHashTableIter at;
  gpointer u;

  b->found = 0;
  if (b->under == NULL)
    return;
  g_hash_table_iter_init (&at, b->under);
  while (g_hash_table_iter_next (&at, NULL, &u))
    ((Under *) u)->found = 0;
}

static gboolean
agrees (const SimWorld *w, const SimBudget *b)
{
  GHashTableIter at;
  gpointer data;
  gint64 sum = 0;
  guint32 no_scale = 0;

  if (b->found != b->healthy || (!b->dirty && b->allowed != allowed_by (w, b)))
    return FALSE;
  if (b->under == NULL)
    return TRUE;
  g_hash_table_iter_init (&at, b->under);
  while (g_hash_table_iter_next (&at, NULL, &data)) { /* the order means nothing */
    const Under *u = data;
    guint32 replicas;
    gboolean none = has_no_scale (w, u->job, &replicas);

    if (u->found != u->pods || u->pods == 0 || u->replicas != replicas || u->no_scale != none)
      return FALSE;
    sum += replicas;
    no_scale += none;
  }
  return sum == b->replicas && no_scale == b->no_scale;
}

const char *
sim_budgets_recount (const SimWorld *w)
{
  for (guint i = 0; w->budgets != NULL && i < w->budgets->len; i++)
    begin_recount (w->budgets->pdata[i]);
  for (guint32 row = 0; w->budgets != NULL && row < w->n_pods; row++)
    for (const struct SimCover *c = w->pod[row].live ? w->pod[row].cover : NULL; c != NULL && c->budget != NULL; c++) {
      c->budget->found += is_healthy (w, &w->pod[row]);
      if (c->under != NULL)
        c->under->found++;
    }
  for (guint i = 0; w->budgets != NULL && i < w->budgets->len; i++)
    if (!agrees (w, w->budgets->pdata[i]))
      return object_of (w, w->budgets->pdata[i])->name;
  return NULL;
}
