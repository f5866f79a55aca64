/* sim/load/load-amounts.c - no pod of a run asks for more than doubles hold exactly: beyond that sums would not be those of their parts. Rows of jobs.csv have the same
 * limit. */
#include "load-private.h"
#include "workloads/text/parse.h"

/* The first amount of the list that is too large, NULL: none. */
static const VcAmount *
excess (const VcAmounts *list)
{
  for (guint i = 0; i < list->n; i++) {
    const VcAmount *a = &list->item[i];

    if (wl_resource_is_bytes (a->name) ? a->q.value > WL_AMOUNT_MAX : a->q.milli > WL_AMOUNT_MAX)
      return a;
  }
  return NULL;
}

static const VcAmount *
excess_of_pod (const VcPodSpec *spec)
{
  const VcAmounts *whole[] = { &spec->overhead, &spec->pod_level, &spec->pod_limit };
  const VcAmount *a = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (whole) && a == NULL; i++)
    a = excess (whole[i]);
  for (guint i = 0; i < spec->n_containers && a == NULL; i++) {
    a = excess (&spec->container[i].request);
    if (a == NULL)
      a = excess (&spec->container[i].limit);
  }
  return a;
}

static gboolean
check_job (const WlJobObject *job, const char *file, guint32 line, GError **error)
{
  for (guint k = 0; k < job->n_tasks; k++) {
    const VcAmount *a = excess_of_pod (&job->task[k].raw);

    if (a == NULL)
      continue;
    gboolean bytes = wl_resource_is_bytes (a->name);

    return sim_loader_refuse (error, file, line, "%s of a pod of task '%s' of '%s/%s', expected at most %s, found %" G_GINT64_FORMAT "%s", a->name, job->task[k].name,
                              job->ns, job->name, bytes ? "8Pi" : "9007199254740", a->q.value, a->q.value == G_MAXINT64 ? " or more" : "");
  }
  return TRUE;
}

gboolean
sim_loader_check_amounts (const WlObjects *objects, GError **error)
{
  for (guint i = 0; i < objects->jobs->len; i++) {
    const WlJobObject *job = objects->jobs->pdata[i];

    if (!check_job (job, job->file, job->line, error))
      return FALSE;
  }
  for (guint i = 0; i < objects->templates->len; i++) {
    const WlJobTemplate *t = objects->templates->pdata[i];

    if (!check_job (&t->job, t->maker.file, t->maker.line, error))
      return FALSE;
  }
  for (guint i = 0; i < objects->crons->len; i++) {
    const WlCronJob *cron = objects->crons->pdata[i];

    if (!check_job (&cron->made_from.job, cron->made_from.maker.file, cron->made_from.maker.line, error))
      return FALSE;
  }
  return TRUE;
}
