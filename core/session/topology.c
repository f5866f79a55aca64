/* HyperNodes and sub-jobs in a session: what a topology asks for as a number of a tier, which HyperNode holds what is allocated already, and the
 * hooks that look at HyperNodes. Mirrors adjustNetworkTopologySpec, removeInvalidAllocatedHyperNode and recoverAllocatedHyperNode
 * (pkg/scheduler/framework/session.go), HyperNodeGradientFor…Fn (session_plugins.go) and PrioritizeHyperNodes (pkg/scheduler/util). */
#include "session-private.h"
#include <string.h>

const VcHyperView *
vc_session_hypers (VcSession *ssn)
{
  if (ssn->hypers == NULL)
    ssn->hypers = vc_hyper_nodes_view (ssn->cluster->hyper, ssn->cluster);
  return ssn->hypers;
}

/* ---- rules ----------------------------------------------------------------------------------------- */

/* @soft_tier: how far up a soft topology may reach. */
static VcTopologyRule
rule_of (const VcCluster *c, const VcTopologySpec *spec, gint64 soft_tier, gboolean *has_tier)
{
  VcTopologyRule r = { .given = spec->mode != VC_TOPOLOGY_NONE, .tier = spec->tier };

  *has_tier = spec->has_tier != 0;
  if (!*has_tier && spec->tier_name != NULL && *spec->tier_name != '\0')
    *has_tier = vc_hyper_tier_named (c->hyper, spec->tier_name, &r.tier); /* an unknown name counts as none */
  if (spec->mode == VC_TOPOLOGY_SOFT) {
    r.tier = soft_tier;
    *has_tier = TRUE;
  }
  r.hard = *has_tier && (spec->mode == VC_TOPOLOGY_HARD || spec->mode == VC_TOPOLOGY_SOFT);
  return r;
}

static void
set_rules (VcSession *ssn, VcSubJobs *s)
{
  const VcHyperView *v = vc_session_hypers (ssn);
  gint64 top = v->hyper[VC_HYPER_ROOT].tier;
  gboolean has_tier, ignored;

  s->rule = rule_of (ssn->cluster, &s->topology, top, &has_tier);
  for (guint i = 0; i < s->n; i++) {
    VcSubJob *b = &s->sub[i];
    const VcTopologySpec *spec = b->policy != VC_NONE ? &s->policy[b->policy].topology : &s->topology;
    b->rule = rule_of (ssn->cluster, spec, s->rule.given && has_tier ? s->rule.tier : top, &ignored);
  }
}

/* ---- what is allocated ----------------------------------------------------------------------------- */

static void
forget_invalid (const VcHyperView *v, VcJob *j)
{
  VcSubJobs *s = j->subs;

  if (s->allocated != VC_HYPER_NONE && (!v->hyper[s->allocated].present || vc_job_allocated_num (j) == 0)) {
    s->allocated = VC_HYPER_NONE;
    s->dirty = TRUE;
  }
  for (guint i = 0; i < s->n; i++) {
    VcSubJob *b = &s->sub[i];
    if (b->n_tasks == 0 || b->allocated == VC_HYPER_NONE || (v->hyper[b->allocated].present && vc_sub_job_allocated_num (b) > 0))
      continue;
    b->allocated = VC_HYPER_NONE;
    s->dirty = TRUE;
  }
}

/* The HyperNode of the lowest tier, the first by name, that holds every allocated task of the sub-job. */
static guint32
lowest_holder (const VcCluster *c, const VcHyperView *v, const VcJob *j, guint32 sub)
{
  guint32 best = VC_HYPER_NONE;
  const VcTask *first = NULL;

  for (guint32 i = 0; i < j->n_tasks && first == NULL; i++) {
    const VcTask *t = &c->task[j->task[i]];
    if (t->sub == sub && vc_status_allocated (t->status) && t->node != VC_NONE)
      first = t;
  }
  for (guint32 k = first != NULL ? v->holder_at[first->node] : 0; first != NULL && k < v->holder_at[first->node + 1]; k++) {
    guint32 hyper = v->holder[k];
    gboolean all = best == VC_HYPER_NONE || v->hyper[hyper].tier < v->hyper[best].tier;

    for (guint32 i = 0; i < j->n_tasks && all; i++) {
      const VcTask *t = &c->task[j->task[i]];
      if (t->sub == sub && vc_status_allocated (t->status) && t->node != VC_NONE)
        all = vc_hyper_holds (v, hyper, t->node);
    }
    if (all)
      best = hyper;
  }
  return best;
}

static void
recover (VcCluster *c, const VcHyperView *v, VcJob *j)
{
  VcSubJobs *s = j->subs;
  gboolean updated = FALSE;
  guint32 lca = VC_HYPER_NONE;

  for (guint i = 0; i < s->n; i++) {
    VcSubJob *b = &s->sub[i];
    if (b->n_tasks == 0 || !b->rule.given || b->allocated != VC_HYPER_NONE || vc_sub_job_allocated_num (b) == 0)
      continue;
    b->allocated = lowest_holder (c, v, j, i);
    updated |= b->allocated != VC_HYPER_NONE;
  }
  s->dirty |= updated;
  if (s->allocated != VC_HYPER_NONE && !updated)
    return;
  for (guint i = 0; i < s->n; i++) {
    const VcSubJob *b = &s->sub[s->order[i]];
    if (b->n_tasks == 0 || b->allocated == VC_HYPER_NONE)
      continue;
    lca = vc_hyper_lca (v, lca, b->allocated);
    if (lca == VC_HYPER_NONE)
      break;
  }
  s->dirty |= s->allocated != lca;
  s->allocated = lca;
}

void
vc_session_open_topology (VcSession *ssn)
{
  VcCluster *c = ssn->cluster;

  ssn->hypers = NULL;
  for (guint i = 0; c->n_divided > 0 && i < ssn->n_jobs; i++) {
    VcJob *j = &c->job[ssn->jobs[i]];
    VcSubJobs *s = j->subs;

    if (s == NULL)
      continue;
    s->dirty = FALSE;
    s->kept = s->allocated;
    for (guint k = 0; k < s->n; k++)
      s->sub[k].kept = s->sub[k].allocated;
    set_rules (ssn, s);
    if (!vc_session_hypers (ssn)->ready)
      continue;
    forget_invalid (ssn->hypers, j);
    if (vc_job_has_topology (j))
      recover (c, ssn->hypers, j);
  }
}

/* Only what a commit or the opening has changed is kept. */
gboolean
vc_session_close_topology (VcSession *ssn)
{
  VcCluster *c = ssn->cluster;
  gboolean news = FALSE;

  for (guint i = 0; c->n_divided > 0 && i < ssn->n_jobs; i++) {
    VcSubJobs *s = c->job[ssn->jobs[i]].subs;

    if (s == NULL)
      continue;
    if (!s->dirty)
      s->allocated = s->kept;
    news |= s->allocated != s->kept;
    for (guint k = 0; k < s->n; k++) {
      if (!s->dirty)
        s->sub[k].allocated = s->sub[k].kept;
      news |= s->sub[k].allocated != s->sub[k].kept;
    }
  }
  return news;
}

/* ---- hooks ----------------------------------------------------------------------------------------- */

void
vc_gradients_init (VcGradients *g)
{
  g->hyper = g_array_new (FALSE, FALSE, sizeof (guint32));
  g->end = g_array_new (FALSE, FALSE, sizeof (guint));
}

void
vc_gradients_clear (VcGradients *g)
{
  g_clear_pointer (&g->hyper, g_array_unref);
  g_clear_pointer (&g->end, g_array_unref);
}

void
vc_session_gradients (VcSession *ssn, guint32 job, guint32 sub, guint32 hyper, VcPurpose purpose, VcGradients *out)
{
  const VcChain *chain = &ssn->chain[VC_HOOK_GRADIENT];

  g_array_set_size (out->hyper, 0);
  g_array_set_size (out->end, 0);
  if (chain->n > 0) {
    ((VcGradientFn) chain->item[0].fn) (chain->item[0].self, ssn, job, sub, hyper, purpose, out);
    return;
  }
  g_array_append_val (out->hyper, hyper);
  g_array_append_val (out->end, out->hyper->len);
}

const VcObserver *
vc_session_hyper_observer (const VcSession *ssn)
{
  const VcObserver *o = ssn->engine->options.observer;

  return o != NULL && o->hypers != NULL ? o : NULL;
}

void
vc_session_hyper_scores (VcSession *ssn, guint32 job, guint32 sub, const guint32 *hypers, guint n, double *total)
{
  const VcChain *chain = &ssn->chain[VC_HOOK_HYPER_ORDER];
  g_autofree guint *order = g_new (guint, chain->n + 1);
  g_autofree double *score = g_new (double, n + 1);
  guint m = 0;

  memset (total, 0, n * sizeof *total);
  /* The answers are kept by plugin name, so one that is listed twice counts once, and are summed up by name. */
  for (guint h = 0; h < chain->n; h++) {
    guint at = 0;
    while (at < m && strcmp (chain->item[order[at]].plugin, chain->item[h].plugin) < 0)
      at++;
    if (at < m && strcmp (chain->item[order[at]].plugin, chain->item[h].plugin) == 0)
      continue;
    memmove (&order[at + 1], &order[at], (m - at) * sizeof *order);
    order[at] = h;
    m++;
  }
  for (guint k = 0; k < m; k++) {
    const VcHook *h = &chain->item[order[k]];
    memset (score, 0, n * sizeof *score);
    ((VcHyperScoreFn) h->fn) (h->self, ssn, job, sub, hypers, n, score);
    for (guint i = 0; i < n; i++)
      total[i] += score[i];
  }
}
