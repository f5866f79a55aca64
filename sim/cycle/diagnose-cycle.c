#include "diagnose-cycle-private.h"
#include "core/conf/args.h"
#include "reports/json.h"
#include "reports/words.h"
#include <string.h>

typedef struct { const char *code, *entry; char *what, *advice; } Finding;

static void
finding_free (gpointer p)
{
  Finding *f = p;

  g_free (f->what);
  g_free (f->advice);
  g_free (f);
}

static int
action_place (const VcConf *conf, const char *name)
{
  for (int i = 0; conf->actions[i] != NULL; i++)
    if (strcmp (conf->actions[i], name) == 0)
      return i;
  return -1;
}

/* The first of two actions of a kind. */
static const char *
action_of (const VcConf *conf, const char *one, const char *other)
{
  return action_place (conf, one) >= 0 ? one : action_place (conf, other) >= 0 ? other : NULL;
}

static void
read_plugins (SimCycleDiagnosis *x, const VcConf *conf)
{
  for (guint t = 0; t < conf->n_tiers; t++)
    for (guint i = 0; i < conf->tier[t].n; i++) {
      const VcPluginOption *p = &conf->tier[t].plugin[i];

      x->drf_orders |= strcmp (p->name, "drf") == 0 && p->on[VC_FLAG_JOB_ORDER];
      if (strcmp (p->name, "overcommit") != 0)
        continue;
      x->overcommit = 1.2;
      vc_args_get_float (&p->args, "overcommit-factor", &x->overcommit);
      x->overcommit = x->overcommit < 1 ? 1.2 : x->overcommit;
    }
}

SimCycleDiagnosis *
sim_cycle_diagnosis_new (VcCache *cache, const VcConf *conf)
{
  SimCycleDiagnosis *x = g_new0 (SimCycleDiagnosis, 1);

  x->cache = cache;
  x->c = vc_cache_cluster (cache);
  x->reclaims = action_of (conf, "reclaim", "gangreclaim");
  x->preempts = action_of (conf, "preempt", "gangpreempt");
  x->gang_preempts = action_place (conf, "gangpreempt") >= 0;
  x->preempt_first = action_place (conf, "preempt") >= 0 && action_place (conf, "preempt") < action_place (conf, "allocate");
  x->enqueues = action_place (conf, "enqueue") >= 0;
  read_plugins (x, conf);
  x->n_tasks = x->c->n_tasks;
  x->n_jobs = x->c->n_jobs;
  x->nominated = g_new (guint32, x->n_tasks + 1);
  x->running = g_new0 (guint32, x->n_jobs + 1);
  for (guint32 i = 0; i < x->n_tasks; i++)
    x->nominated[i] = x->c->task[i].live ? x->c->task[i].nominated : VC_NONE;
  for (guint32 i = 0; i < x->n_jobs; i++)
    x->running[i] = x->c->job[i].live ? vc_job_allocated_num (&x->c->job[i]) : 0;
  x->evicted = g_array_new (FALSE, FALSE, sizeof (VcEvict));
  x->bound = g_array_new (FALSE, FALSE, sizeof (VcBind));
  x->promised = g_array_new (FALSE, FALSE, sizeof (SimCyclePromise));
  x->found = g_ptr_array_new_with_free_func (finding_free);
  return x;
}

void
sim_cycle_diagnosis_free (SimCycleDiagnosis *x)
{
  if (x == NULL)
    return;
  g_free (x->nominated);
  g_free (x->running);
  g_array_unref (x->evicted);
  g_array_unref (x->bound);
  g_array_unref (x->promised);
  g_ptr_array_unref (x->found);
  g_free (x);
}

void
sim_cycle_find (SimCycleDiagnosis *x, const char *code, const char *entry, char *what, char *advice)
{
  Finding *f = g_new (Finding, 1);

  *f = (Finding) { code, entry, what, advice };
  g_ptr_array_add (x->found, f);
}

/* ---- of the cycle itself ------------------------------------------------------------------------ */

/* Evictions whose room is promised to a task of @job. */
static guint
evictions_for (const SimCycleDiagnosis *x, guint32 job, double *freed)
{
  guint n = 0;

  for (guint i = 0; i < x->evicted->len; i++) {
    const VcEvict *e = &g_array_index (x->evicted, VcEvict, i);

    if (e->for_task == VC_NONE || sim_diagnosed_task (x, e->for_task)->job != job)
      continue;
    n++;
    for (guint d = 0; d < x->c->n_res && freed != NULL; d++)
      freed[d] += sim_diagnosed_task (x, e->task)->shape->request->v[d];
  }
  return n;
}

/* Far more is freed than the pods that are promised room ask for. */
static void
find_drained (SimCycleDiagnosis *x, guint32 job)
{
  g_autofree double *freed = g_new0 (double, x->c->n_res), *asked = g_new0 (double, x->c->n_res);
  guint n = evictions_for (x, job, freed), needed = n;
  const char *action = NULL, *victim = NULL;

  for (guint i = 0; i < x->evicted->len; i++) {
    const VcEvict *e = &g_array_index (x->evicted, VcEvict, i);

    if (e->for_task != VC_NONE && sim_diagnosed_task (x, e->for_task)->job == job && sim_diagnosed_task (x, e->task)->job != VC_NONE) {
      action = e->reason;
      victim = x->c->job[sim_diagnosed_task (x, e->task)->job].key;
    }
  }
  for (guint i = 0; i < x->promised->len; i++) {
    guint32 row = g_array_index (x->promised, SimCyclePromise, i).task;

    for (guint d = 0; d < x->c->n_res && sim_diagnosed_task (x, row)->job == job; d++)
      asked[d] += sim_diagnosed_task (x, row)->shape->request->v[d];
  }
  for (guint keep = 1; keep < n && needed == n; keep++) { /* victims of one claim are alike as a rule */
    gboolean enough = TRUE;

    for (guint d = 0; d < x->c->n_res && enough; d++)
      enough = asked[d] <= 0 || asked[d] <= freed[d] * keep / n + VC_RES_EPSILON;
    if (enough)
      needed = keep;
  }
  if (n < 3 || needed + 2 > n || action == NULL)
    return;
  sim_cycle_find (x, "drained", "g46-gangpreempt-drains",
                  g_strdup_printf ("%s evicts %u pods (of '%s') for '%s', which needs the room of %u", action, n, victim, x->c->job[job].key, needed),
                  g_str_has_prefix (action, "gang") ? g_strdup_printf ("'%s' takes all that a job has above its minimum at once; use the action '%s' instead", action,
                                                                       action + strlen ("gang"))
                                                    : g_strdup ("no setting is known that avoids it"));
}

/* Would its minimum find room if jobs of lower priority in its queue made it? */
static gboolean
has_victims (const SimCycleDiagnosis *x, const VcJob *j)
{
  VC_RES_LOCAL (need, x->c->n_res);
  gint64 missing = j->min_available - (gint64) vc_job_ready_num (j);
  guint32 victim;

  for (guint32 i = 0; i < j->n_tasks && missing > 0; i++) {
    const VcTask *t = sim_diagnosed_task (x, j->task[i]);

    if (t->status != VC_PENDING)
      continue;
    missing--;
    for (guint d = 0; d < x->c->n_res; d++)
      need->v[d] += t->shape->request->v[d];
  }
  return sim_cycle_find_victims (x, j, need, &victim);
}

/* Is a pod leaving the node? */
static gboolean
is_left (const SimCycleDiagnosis *x, guint32 node)
{
  for (guint32 k = 0; k < x->n_tasks; k++)
    if (sim_diagnosed_task (x, k)->live && sim_diagnosed_task (x, k)->status == VC_RELEASING && sim_diagnosed_task (x, k)->node == node)
      return TRUE;
  return FALSE;
}

/* preempt passes over pods with a nominated node that would take them, and the rest of the gang fails with them, cycle after cycle. */
static void
find_stale_nomination (SimCycleDiagnosis *x, guint32 job, guint promised)
{
  const VcJob *j = &x->c->job[job];

  if (x->preempts == NULL || x->gang_preempts || x->preempt_first || promised > 0 || evictions_for (x, job, NULL) > 0 || (gint64) vc_job_ready_num (j) >= j->min_available || !has_victims (x, j))
    return;
  guint32 stale = VC_NONE;

  for (guint32 i = 0; i < j->n_tasks; i++) {
    guint32 row = j->task[i];

    if (row >= x->n_tasks || x->nominated[row] == VC_NONE || sim_diagnosed_task (x, row)->status != VC_PENDING)
      continue;
    if (is_left (x, x->nominated[row]))
      return; /* its victims are still there: it may wait */
    if (stale == VC_NONE)
      stale = row;
  }
  if (stale == VC_NONE)
    return;
  sim_cycle_find (x, "stale-nomination", "g45-stale-nomination",
                  g_strdup_printf ("'%s' (minimum %d) gets nothing although jobs of lower priority hold enough in its queue: its pod '%s' carries a nominated node that nobody is "
                                   "leaving, so that preempt passes it over, and the gang fails with it in every cycle",
                                   j->key, j->min_available, sim_diagnosed_task (x, stale)->key),
                  g_strdup ("run preempt before allocate, or the action gangpreempt instead of preempt; or take the nominated node out of the pod's status"));
}

static gboolean
covers (const SimCycleDiagnosis *x, const VcShape *large, const VcShape *small)
{
  for (guint d = 0; d < x->c->n_res; d++)
    if (small->request->v[d] > large->request->v[d] + VC_RES_EPSILON)
      return FALSE;
  return TRUE;
}

/* It holds places and is below its minimum, and another job got room that one of its pods could have had. */
static void
find_one_short (SimCycleDiagnosis *x, guint32 job)
{
  const VcJob *j = &x->c->job[job];

  if (!x->drf_orders || j->min_available < 2 || x->running[job] == 0 || (gint64) vc_job_ready_num (j) >= j->min_available)
    return;
  for (guint i = 0; i < x->bound->len; i++) {
    const VcBind *b = &g_array_index (x->bound, VcBind, i);
    guint32 other = sim_diagnosed_task (x, b->task)->job;

    if (other == VC_NONE || other == job || x->c->job[other].queue != j->queue || x->c->job[other].priority > j->priority)
      continue;
    for (guint32 k = 0; k < j->n_tasks; k++) {
      const VcTask *t = sim_diagnosed_task (x, j->task[k]);

      if (t->status != VC_PENDING || !covers (x, sim_diagnosed_task (x, b->task)->shape, t->shape))
        continue;
      sim_cycle_find (x, "gang-one-short", "g56-stock-gang-one-short",
                      g_strdup_printf ("'%s' holds %u of the %d pods that it needs and stays below its minimum: '%s' of job '%s', which holds less, is bound to %s, where '%s' "
                                       "would have completed the gang",
                                       j->key, x->running[job], j->min_available, sim_diagnosed_task (x, b->task)->key, x->c->job[other].key, x->c->nodes.info[b->node].name, t->key),
                      g_strdup ("drf serves jobs that hold less before it completes a gang: leave out drf, or switch off its order of jobs (enableJobOrder: false)"));
      return;
    }
  }
}

static guint
promised_to (const SimCycleDiagnosis *x, guint32 job)
{
  guint n = 0;

  for (guint i = 0; i < x->promised->len; i++)
    n += sim_diagnosed_task (x, g_array_index (x->promised, SimCyclePromise, i).task)->job == job;
  return n;
}

void
sim_cycle_diagnosis_take (SimCycleDiagnosis *x, const VcEngine *engine)
{
  const GArray *evicts = vc_cache_evicts (x->cache), *binds = vc_cache_binds (x->cache);
  guint n;
  const VcLeftover *left = vc_engine_leftovers (engine, &n);

  g_array_append_vals (x->evicted, evicts->data, evicts->len);
  g_array_append_vals (x->bound, binds->data, binds->len);
  for (guint i = 0; i < n; i++)
    if (left[i].status == VC_PIPELINED) {
      SimCyclePromise p = { left[i].task, left[i].node };

      g_array_append_val (x->promised, p);
    }
  for (guint32 i = 0; i < x->n_jobs; i++) {
    if (!x->c->job[i].live || !x->c->job[i].has_pg)
      continue;
    guint promised = promised_to (x, i);

    if (promised > 0)
      find_drained (x, i);
    find_stale_nomination (x, i, promised);
    find_one_short (x, i);
  }
  sim_cycle_find_waiting (x, engine);
}

/* ---- one cycle later ---------------------------------------------------------------------------- */

void
sim_cycle_diagnosis_clear_victims (SimCycleDiagnosis *x)
{
  for (guint32 i = 0; i < x->n_tasks; i++)
    if (sim_diagnosed_task (x, i)->live && sim_diagnosed_task (x, i)->status == VC_RELEASING)
      vc_cache_remove_pod (x->cache, i);
}

static gboolean
is_bound (const SimCycleDiagnosis *x, guint32 row)
{
  const GArray *binds = vc_cache_binds (x->cache);

  for (guint i = 0; i < binds->len; i++)
    if (g_array_index (binds, VcBind, i).task == row)
      return TRUE;
  return FALSE;
}

/* What the nodes say of the task: a reason that is no shortage before one that is. NULL: nothing. */
static const char *
refusal (const VcEngine *engine, guint32 job, guint32 row, gboolean *amounts)
{
  const char *found = NULL;

  *amounts = TRUE;
  for (const VcFit *f = vc_engine_fits (engine, job); f != NULL; f = f->next)
    for (guint i = 0; i < f->n_reasons && f->task == row; i++) {
      gboolean short_of = g_str_has_prefix (f->reason[i].reason, "Insufficient") || strstr (f->reason[i].reason, "pod number") != NULL;

      if (found == NULL || (*amounts && !short_of)) {
        found = f->reason[i].reason;
        *amounts = short_of;
      }
    }
  return found;
}

/* Nobody of the job has its promised room one cycle later, with the victims gone. */
static void
find_wasted (SimCycleDiagnosis *x, const VcEngine *engine, guint32 job)
{
  const char *reason = NULL;
  guint32 pod = VC_NONE, node = VC_NONE;
  gboolean amounts = TRUE;

  for (guint i = 0; i < x->promised->len; i++) {
    const SimCyclePromise *p = &g_array_index (x->promised, SimCyclePromise, i);

    if (sim_diagnosed_task (x, p->task)->job != job)
      continue;
    if (is_bound (x, p->task))
      return;
    if (pod == VC_NONE) {
      pod = p->task;
      node = p->node;
      reason = refusal (engine, job, pod, &amounts);
    }
  }
  guint n = evictions_for (x, job, NULL);

  if (pod == VC_NONE || reason == NULL || (n == 0 && amounts))
    return; /* it waits for room that others are leaving, or is promised it once more by an action that runs before allocate */
  g_autofree char *gone = n > 0 ? g_strdup_printf ("%u pod%s evicted for '%s', and it gets nothing", n, n == 1 ? " is" : "s are", x->c->job[job].key)
                                : g_strdup_printf ("room on %s is kept for '%s' that it cannot use", x->c->nodes.info[node].name, x->c->job[job].key);

  sim_cycle_find (x, "wasted-evictions", "g52-reclaim-unplaceable",
                  g_strdup_printf ("%s: one cycle later, with the victims gone, '%s' is not bound. Nodes refuse it: %s", gone, sim_diagnosed_task (x, pod)->key, reason),
                  g_strdup ("evictions look at amounts alone, not at what else keeps the pod from the node: loosen that constraint of the pod, or keep it from evicting (a queue "
                            "or a priority of its own). No setting of the scheduler is known that avoids it"));
}

static char *
as_json (const SimCycleDiagnosis *x)
{
  RpJson j;
  gsize len;

  rp_json_init (&j);
  rp_json_begin_array (&j, "diagnoses");
  for (guint i = 0; i < x->found->len; i++) {
    const Finding *f = x->found->pdata[i];

    rp_json_begin_object (&j, NULL);
    rp_json_text (&j, "code", f->code);
    rp_json_text (&j, "what", f->what);
    rp_json_text (&j, "advice", f->advice);
    rp_json_text (&j, "gallery", f->entry);
    rp_json_end_object (&j);
  }
  rp_json_end_array (&j);
  g_autofree char *text = rp_json_finish (&j, &len);
  const char *list = strchr (text, '['), *end = strrchr (text, ']');

  return g_strndup (list, (gsize) (end - list) + 1);
}

static char *
as_text (const SimCycleDiagnosis *x)
{
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "DIAGNOSES (%u)\n", x->found->len);
  for (guint i = 0; i < x->found->len; i++) {
    const Finding *f = x->found->pdata[i];
    g_autofree char *head = g_strdup_printf ("%s: %s", f->code, f->what);

    rp_append_wrapped (out, "  ", head);
    rp_append_wrapped (out, "    advice: ", f->advice);
    rp_append_wrapped (out, "    shown by: ", f->entry);
  }
  return g_string_free (out, FALSE);
}

char *
sim_cycle_diagnosis_finish (SimCycleDiagnosis *x, const VcEngine *engine, gboolean json)
{
  for (guint32 i = 0; i < x->n_jobs; i++)
    if (x->c->job[i].live && x->c->job[i].has_pg)
      find_wasted (x, engine, i);
  return json ? as_json (x) : as_text (x);
}
