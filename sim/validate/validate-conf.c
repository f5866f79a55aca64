/* sim/validate/validate-conf.c - what the configuration alone shows. */
#include "validate.h"
#include <string.h>

/* ---- actions -------------------------------------------------------------------------------- */

static void
check_repeats (SimValidation *v)
{
  for (guint i = 0; v->conf->actions[i] != NULL; i++) {
    guint earlier = 0;

    for (guint k = 0; k < i; k++)
      earlier += strcmp (v->conf->actions[k], v->conf->actions[i]) == 0;
    if (earlier > 0)
      sim_warn_action (v, "action-twice", v->conf->actions[i], earlier, "action '%s' is listed twice and runs twice in every cycle", v->conf->actions[i]);
  }
}

static void
check_pairs (SimValidation *v)
{
  static const char *const pairs[][2] = { { "preempt", "gangpreempt" }, { "reclaim", "gangreclaim" } };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++) {
    int plain = sim_action_place (v, pairs[i][0]), gang = sim_action_place (v, pairs[i][1]);

    if (plain >= 0 && gang >= 0)
      sim_warn_action (v, "both-ways-of-evicting", pairs[i][gang > plain], 0,
                       "'%s' and '%s' run in one cycle: both evict for the same jobs; Volcano's design asks for one of them", pairs[i][0], pairs[i][1]);
  }
}

/* Is there somebody whom the evicting actions could serve? Unknown without jobs; reclaim needs two queues. */
static gboolean
may_evict (const SimValidation *v)
{
  guint32 first = VC_NONE;

  if (v->facts == NULL || sim_has_action (v, "preempt") || sim_has_action (v, "gangpreempt"))
    return TRUE;
  for (guint i = 0; i < v->facts->job->len; i++) {
    guint32 queue = g_array_index (v->facts->job, SimFactJob, i).queue;

    if (first != VC_NONE && queue != VC_NONE && queue != first)
      return TRUE;
    first = queue != VC_NONE ? queue : first;
  }
  return FALSE;
}

/* Does admission hold back what the evicting actions are there for? */
static void
check_admission (SimValidation *v)
{
  const VcPluginOption *overcommit = sim_plugin (v, "overcommit", NULL);
  double factor = sim_plugin_float (overcommit, "overcommit-factor", 1.2);
  gboolean asked = sim_is_asked (v, VC_HOOK_JOB_ENQUEUEABLE, "overcommit");
  const char *evicts = sim_evicting_action (v);

  if (overcommit != NULL && !sim_has_action (v, "enqueue"))
    sim_warn_plugin (v, "overcommit-unused", overcommit, "overcommit has no effect: it is asked by the action enqueue only, which is not run");
  if (overcommit != NULL && vc_args_find (&overcommit->args, "overcommit-factor") != NULL && factor < 1)
    sim_warn_plugin (v, "overcommit-factor", overcommit, "overcommit-factor %g is below 1 and counts as 1.2", factor);
  if (!sim_has_action (v, "enqueue"))
    return;
  if (v->asked[VC_HOOK_JOB_ENQUEUEABLE]->len == 0)
    sim_warn_action (v, "enqueue-admits-all", "enqueue", 0,
                     "no plugin is asked about admission (overcommit, proportion, capacity, sla, resourcequota with enableJobEnqueued): enqueue admits every job");
  if (evicts != NULL && asked && factor < 2 && may_evict (v))
    sim_warn_plugin (v, "admission-blocks-eviction", overcommit,
                     "a full cluster admits no job beyond %g times its size, and '%s' looks at admitted jobs only: jobs that could evict others may wait "
                     "for ever (overcommit-factor 2 or more, or no action enqueue)",
                     factor < 1 ? 1.2 : factor, evicts);
  else if ((sim_has_action (v, "preempt") || sim_has_action (v, "gangpreempt"))
           && (sim_is_asked (v, VC_HOOK_JOB_ENQUEUEABLE, "proportion") || sim_is_asked (v, VC_HOOK_JOB_ENQUEUEABLE, "capacity")))
    sim_warn_action (v, "admission-blocks-eviction", "enqueue", 0,
                     "a full queue admits no job, and '%s' looks at admitted jobs only: a job of high priority may wait for ever (leave out enqueue, or "
                     "give its queue room)",
                     sim_has_action (v, "preempt") ? "preempt" : "gangpreempt");
  if (overcommit != NULL && vc_args_find (&overcommit->args, "overcommit-factor") != NULL && factor > 1 && v->facts == NULL
      && sim_is_asked (v, VC_HOOK_JOB_ENQUEUEABLE, "proportion"))
    sim_warn_plugin (v, "overcommit-without-effect", overcommit,
                     "overcommit-factor %g has no effect as long as only one queue has jobs: proportion admits no more than the cluster has", factor);
}

static void
check_shuffle (SimValidation *v)
{
  const VcPluginOption *rescheduling = sim_plugin (v, "rescheduling", NULL), *tdm = sim_plugin (v, "tdm", NULL);

  if (sim_has_action (v, "shuffle")) {
    if (!sim_is_asked (v, VC_HOOK_VICTIM_TASKS, "tdm") && !sim_is_asked (v, VC_HOOK_VICTIM_TASKS, "pdb") && rescheduling == NULL)
      sim_warn_action (v, "shuffle-idle", "shuffle", 0, "no plugin names pods to move (rescheduling, tdm, pdb with enabledVictim): shuffle does nothing");
    return;
  }
  if (rescheduling != NULL)
    sim_warn_plugin (v, "rescheduling-unused", rescheduling, "rescheduling has no effect: what it chooses is evicted by the action shuffle only");
  if (tdm != NULL)
    sim_warn_plugin (v, "tdm-without-shuffle", tdm, "pods stay on revocable nodes after the window is closed: tdm evicts them through the action shuffle only");
}

static void
check_actions (SimValidation *v)
{
  const char *evicts = sim_evicting_action (v);

  check_repeats (v);
  check_pairs (v);
  if (!sim_has_action (v, "allocate"))
    sim_warn_action (v, "no-allocate", NULL, 0, "no action 'allocate': pods with requests are never placed on what is idle");
  if (evicts != NULL && v->asked[VC_HOOK_JOB_STARVING]->len == 0)
    sim_warn_action (v, "nobody-starves", evicts, 0,
                     "no plugin says which jobs starve (gang, priority or tdm with enableJobStarving): '%s' never does anything", evicts);
  check_admission (v);
  check_shuffle (v);
  for (guint i = 0; i < v->conf->n_action_confs; i++) {
    const VcActionConf *c = &v->conf->action_conf[i];

    if (!sim_has_action (v, c->name))
      sim_warn (v, "configuration-unused", v->source, c->line, c->col, "configuration of action '%s', which is not run", c->name);
  }
}

/* ---- victims -------------------------------------------------------------------------------- */

static gboolean
is_one_of (const char *name, const char *const *list)
{
  return g_strv_contains (list, name);
}

/* The plugins asked in a family up to and without @tier, joined; NULL: none. */
static char *
asked_before (const SimValidation *v, VcHookFamily f, guint tier)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < v->asked[f]->len; i++) {
    guint of = 0;

    if (sim_plugin (v, v->asked[f]->pdata[i], &of) != NULL && of < tier)
      g_ptr_array_add (names, v->asked[f]->pdata[i]);
  }
  if (names->len == 0)
    return NULL;
  g_ptr_array_add (names, NULL);
  return g_strjoinv (", ", (char **) names->pdata);
}

/* gang names pods of jobs that lose nothing by it: those above their minimum, or with a minimum of one. */
static gboolean
gang_yields (const SimValidation *v)
{
  if (v->facts == NULL || !sim_is_asked (v, VC_HOOK_RECLAIMABLE, "gang"))
    return TRUE;
  for (guint i = 0; i < v->facts->job->len; i++) {
    const SimFactJob *j = &g_array_index (v->facts->job, SimFactJob, i);

    if (j->min <= 1 || j->min < j->pods)
      return TRUE;
  }
  return FALSE;
}

static void
check_reclaim (SimValidation *v, const char *action, VcHookFamily f)
{
  static const char *const queue_plugins[] = { "capacity", "proportion", "extender", NULL };
  const char *limit = NULL;
  guint tier = G_MAXUINT;

  if (!sim_has_action (v, action))
    return;
  for (guint i = 0; i < v->asked[f]->len && limit == NULL; i++)
    if (is_one_of (v->asked[f]->pdata[i], queue_plugins) || (f == VC_HOOK_RECLAIMABLE && strcmp (v->asked[f]->pdata[i], "drf") == 0)) /* drf: with a tree of queues */
      limit = v->asked[f]->pdata[i];
  if (limit == NULL) {
    sim_warn_action (v, "reclaim-without-shares", action, 0,
                     v->asked[f]->len == 0
                         ? "no plugin names victims: '%s' never evicts"
                         : "no queue plugin says what a queue may keep (%s with enableReclaimable): '%s' takes from any queue, whatever its share",
                     v->asked[f]->len == 0 ? action : f == VC_HOOK_RECLAIMABLE ? "proportion or capacity" : "capacity", action);
    return;
  }
  sim_plugin (v, limit, &tier);
  g_autofree char *before = asked_before (v, f, tier);
  if (before != NULL && f == VC_HOOK_RECLAIMABLE && gang_yields (v) && (v->facts == NULL || sim_gang_above_share (v)))
    sim_warn_plugin (v, "shares-asked-too-late", sim_plugin (v, limit, NULL),
                     "'%s' asks %s in a tier above %s: when they name victims, what a queue deserves is not looked at (pods beyond a job's minimum are "
                     "taken from queues below their share)",
                     action, before, limit);
}

static void
check_preempt (SimValidation *v)
{
  const GPtrArray *asked = v->asked[VC_HOOK_PREEMPTABLE];
  static const char *const choosing[] = { "priority", "drf", "tdm", "extender", NULL };
  gboolean chooses = FALSE, gang = sim_is_asked (v, VC_HOOK_PREEMPTABLE, "gang");
  guint gang_tier = 0, last = 0;

  if (!sim_has_action (v, "preempt"))
    return;
  if (asked->len == 0) {
    sim_warn_action (v, "nothing-preemptable", "preempt", 0, "no plugin with enablePreemptable names victims: preempt never evicts");
    return;
  }
  for (guint i = 0; i < asked->len; i++) {
    guint tier = 0;

    sim_plugin (v, asked->pdata[i], &tier);
    last = MAX (last, tier);
    chooses |= is_one_of (asked->pdata[i], choosing);
  }
  if (gang && sim_plugin (v, "gang", &gang_tier) != NULL && last == gang_tier)
    sim_warn_plugin (v, "gang-protects-all", sim_plugin (v, "gang", NULL),
                     "gang with enablePreemptable keeps every job at its minimum, and no later tier is asked: preempt never stops a gang that just "
                     "runs (enablePreemptable: false)");
  if (!chooses)
    sim_warn_action (v, "preempt-without-order", "preempt", 0,
                     "neither priority nor drf is asked for victims (enablePreemptable): preempt takes any pod of the same queue, of higher priority too");
}

/* ---- plugins -------------------------------------------------------------------------------- */

static void
check_doubles (SimValidation *v)
{
  for (guint t = 0; t < v->conf->n_tiers; t++)
    for (guint i = 0; i < v->conf->tier[t].n; i++) {
      const VcPluginOption *o = &v->conf->tier[t].plugin[i], *first = sim_plugin (v, o->name, NULL);

      if (first != o)
        sim_warn_plugin (v, "plugin-twice", o, "plugin '%s' stands in line %u already: the callbacks of the last entry serve both places, each with its own flags",
                         o->name, first->line);
    }
}

static void
check_queue_plugins (SimValidation *v)
{
  const VcPluginOption *capacity = sim_plugin (v, "capacity", NULL), *proportion = sim_plugin (v, "proportion", NULL), *drf = sim_plugin (v, "drf", NULL);

  if (capacity != NULL && proportion != NULL)
    sim_warn_plugin (v, "two-queue-plugins", capacity->line > proportion->line ? capacity : proportion,
                     "capacity and proportion together: shares by weight and deserved amounts limit the queues at once, and the stricter one wins");
  if (drf != NULL && proportion != NULL && drf->on[VC_FLAG_HIERARCHY])
    sim_warn_plugin (v, "hierarchy-beside-proportion", proportion,
                     "drf with enableHierarchy orders queues as a tree, but proportion splits the cluster between them as if there was none");
}

static void
check_predicates (SimValidation *v)
{
  const VcPluginOption *predicates = sim_plugin (v, "predicates", NULL);

  if (predicates == NULL)
    sim_warn_action (v, "no-predicates", sim_has_action (v, "allocate") ? "allocate" : NULL, 0,
                     "no plugin predicates: pods are bound without a look at node selectors, taints, ports and the number of pods of a node");
  else if (!predicates->on[VC_FLAG_PREDICATE])
    sim_warn_plugin (v, "predicates-off", predicates,
                     "predicates with enablePredicate: false still answers when pods are placed, and then refuses them: hardly anything is placed");
}

static void
check_scores (SimValidation *v)
{
  const VcPluginOption *nodeorder = sim_plugin (v, "nodeorder", NULL), *binpack = sim_plugin (v, "binpack", NULL);
  double least = sim_plugin_float (nodeorder, "leastrequested.weight", 1), most = sim_plugin_float (nodeorder, "mostrequested.weight", 0);
  double pack = sim_plugin_float (binpack, "binpack.weight", 1);

  if (nodeorder != NULL && !nodeorder->on[VC_FLAG_NODE_ORDER])
    nodeorder = NULL;
  if (binpack != NULL && !binpack->on[VC_FLAG_NODE_ORDER])
    binpack = NULL;
  if (nodeorder != NULL && least > 0 && most > 0)
    sim_warn_plugin (v, "scores-cancel", nodeorder, "leastrequested.weight %g and mostrequested.weight %g pull pods apart and together at once", least, most);
  if (binpack != NULL && pack <= 0)
    sim_warn_plugin (v, "binpack-off", binpack, "binpack.weight %g switches binpack off", pack);
  else if (nodeorder != NULL && binpack != NULL && least > 0
           && (vc_args_find (&binpack->args, "binpack.weight") != NULL || vc_args_find (&nodeorder->args, "leastrequested.weight") != NULL) && least >= pack)
    sim_warn_plugin (v, "scores-cancel", binpack, "binpack.weight %g packs what leastrequested.weight %g of nodeorder spreads: they cancel out", pack, least);
}

static void
check_gang_flags (SimValidation *v)
{
  const VcPluginOption *gang = sim_plugin (v, "gang", NULL);

  if (gang != NULL && v->facts == NULL && !(gang->on[VC_FLAG_JOB_READY] && gang->on[VC_FLAG_SUB_JOB_READY]))
    sim_warn_plugin (v, "gang-off", gang, "gang with %s: false: jobs start with fewer pods than their minimum",
                     vc_flag_names[gang->on[VC_FLAG_JOB_READY] ? VC_FLAG_SUB_JOB_READY : VC_FLAG_JOB_READY]);
}

void
sim_check_conf (SimValidation *v)
{
  check_actions (v);
  check_reclaim (v, "reclaim", VC_HOOK_RECLAIMABLE);
  check_reclaim (v, "gangreclaim", VC_HOOK_UNIFIED_EVICTABLE);
  check_preempt (v);
  check_doubles (v);
  check_queue_plugins (v);
  check_predicates (v);
  check_scores (v);
  check_gang_flags (v);
}
