/* workloads/import/kubernetes/cluster-time.c - how long pods of a cluster run. Who says it, in this order: the job's runningEstimate, pods of the same task that have
 * finished, annotation volsim.io/duration, simSpec, what the trace has recorded, a Stage of KWOK, and in the end an option. */
#include "cluster-private.h"
#include "core/base/random.h"
#include "workloads/text/parse.h"
#include <string.h>

static gboolean
has_run (const WlItem *pod)
{
  return pod != NULL && pod->started != WL_TIME_NONE && pod->finished != WL_TIME_NONE && pod->finished >= pod->started;
}

static WlTime
mean_of (WlItemTask *task)
{
  gint64 sum = 0, n = 0;

  if (task->has_mean)
    return task->mean;
  for (guint i = 0; task->pod != NULL && i < task->pod->len; i++) {
    const WlItem *pod = task->pod->pdata[i];

    if (!has_run (pod) || !wl_item_is_over (pod))
      continue;
    sum += (pod->finished - pod->started) / G_USEC_PER_SEC;
    n++;
  }
  task->mean = n > 0 ? (sum + n / 2) / n * G_USEC_PER_SEC : WL_TIME_NONE;
  task->has_mean = TRUE;
  return task->mean;
}

/* First run of the replica by annotation volsim.io/duration, WL_TIME_NONE: it is none that can be read. */
static WlTime
noted (const char *text, guint index)
{
  g_autoptr (GArray) lists = NULL;

  if (!wl_parse_durations (text, WL_REPLICAS_MAX, &lists, NULL) || lists->len == 0)
    return WL_TIME_NONE;
  const GArray *runs = g_array_index (lists, GArray *, MIN (index, lists->len - 1));

  return runs->len > 0 ? g_array_index (runs, WlTime, 0) : WL_TIME_NONE;
}

/* One of the Stages that are for such pods, by their weights. */
static const WlStage *
stage_of (const WlCluster *c, const VcPairs *labels, const char *owner_kind, VcRandom *random)
{
  const WlStage *chosen = NULL;
  gint64 all = 0, n = 0;

  for (guint i = 0; i < c->stages->len; i++) {
    const WlStage *s = c->stages->pdata[i];

    if (!wl_stage_matches (s, labels, owner_kind))
      continue;
    n++;
    all += s->weight;
    if (chosen == NULL)
      chosen = s;
  }
  if (n <= 1)
    return chosen;
  guint64 at = vc_random_below (random, (guint64) (all > 0 ? all : n)); /* without weights each is as likely as the others */

  for (guint i = 0; i < c->stages->len; i++) {
    const WlStage *s = c->stages->pdata[i];
    guint64 share = (guint64) (all > 0 ? s->weight : 1);

    if (!wl_stage_matches (s, labels, owner_kind))
      continue;
    if (at < share)
      return s;
    at -= share;
  }
  return chosen;
}

static WlTime
by_stage (WlCluster *c, const WlItem *item, const WlItemTask *task, const WlItem *pod, guint index, gint32 *exit_code)
{
  g_autofree char *subject = pod != NULL ? g_strdup_printf ("%s/%s", pod->ns, pod->name) : g_strdup_printf ("%s/%s-%s-%u", item->ns, item->name, task->name, index);
  VcRandom random;

  if (c->stages->len == 0)
    return WL_TIME_NONE;
  vc_random_init (&random, (guint64) wl_import_number (c->imp, "seed"), "stage", subject, 0);
  const WlStage *s = stage_of (c, pod != NULL ? &pod->labels : &task->labels, pod != NULL ? pod->owner_kind : item->kind == WL_KIND_BATCH_JOB ? "Job" : item->object, &random);

  if (s == NULL)
    return WL_TIME_NONE;
  *exit_code = s->fails ? 1 : 0;
  if (s->least == s->most || wl_import_is (c->imp, "stage-delay", "least"))
    return s->least;
  return wl_import_is (c->imp, "stage-delay", "most") ? s->most : s->least + (WlTime) vc_random_below (&random, (guint64) (s->most - s->least) + 1);
}

static WlTime
whole_run (WlCluster *c, const WlItem *item, WlItemTask *task, const WlItem *pod, guint index, gint32 *exit_code)
{
  WlTime t;

  if (item->estimate != WL_TIME_NONE)
    return item->estimate;
  if ((t = mean_of (task)) != WL_TIME_NONE)
    return t;
  if (task->note != NULL && (t = noted (task->note, index)) != WL_TIME_NONE)
    return t;
  if (pod != NULL && pod->phases != WL_TIME_NONE)
    return pod->phases;
  if (task->lives != NULL && task->lives->len > 0)
    return g_array_index (task->lives, WlTime, MIN (index, task->lives->len - 1));
  if ((t = by_stage (c, item, task, pod, index, exit_code)) != WL_TIME_NONE)
    return t;
  if (task->always || item->foreign) {
    if (index != G_MAXUINT)
      wl_import_default (c->imp, item->foreign ? "running time of pods of other schedulers (for ever)" : "running time of pods that always restart (for ever)");
    return WL_TIME_NEVER;
  }
  if (index != G_MAXUINT)
    wl_import_default (c->imp, "running time of pods (--duration)");
  return wl_import_duration (c->imp, "duration");
}

WlRun
wl_item_run (WlCluster *c, const WlItem *item, guint k, guint index)
{
  WlItemTask *task = &item->task[k];
  const WlItem *pod = item->kind == WL_KIND_POD ? item : task->pod != NULL && index < task->pod->len ? task->pod->pdata[index] : NULL;
  WlRun run = { 0 };

  if (has_run (pod) && wl_item_is_over (pod)) {
    WlTime t = pod->finished - pod->started;

    run = (WlRun){ t, t, pod->exit_code };
    if (!c->snapshot)
      return run;
    run.first = 0; /* it has ended, in a job that lives */
    return run;
  }
  run.whole = run.first = whole_run (c, item, task, pod, index, &run.exit_code);
  if (!c->snapshot || pod == NULL || pod->node == NULL || pod->started == WL_TIME_NONE || run.whole == WL_TIME_NEVER)
    return run;
  WlTime elapsed = MAX (c->origin - pod->started, 0);

  if (elapsed >= run.whole)
    wl_import_note (c->imp, "pods that have run longer than they are said to: they end after a second", 1);
  run.first = MAX (run.whole - elapsed, G_USEC_PER_SEC);
  return run;
}
