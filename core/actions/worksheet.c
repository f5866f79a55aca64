#include "worksheet.h"
#include "core/base/go-sort.h"

struct VcWorksheetOrder { /* lives until the session closes */
  VcSession *ssn;
  guint32 job;
  guint8 *needed; /* [n_subs] */
};

static gboolean
sub_less (gpointer user, guint32 l, guint32 r)
{
  const struct VcWorksheetOrder *o = user;
  return vc_session_sub_job_less (o->ssn, o->job, l, r);
}

static gboolean
needed_first (gpointer user, guint32 l, guint32 r)
{
  const struct VcWorksheetOrder *o = user;

  if (o->needed[l] != o->needed[r])
    return o->needed[l];
  return sub_less (user, l, r);
}

/* Of each policy as many sub-jobs as it still needs, those that are ready counted. */
static void
mark_needed (struct VcWorksheetOrder *o)
{
  const VcSubJobs *s = o->ssn->cluster->job[o->job].subs;
  g_autofree guint32 *waiting = g_new (guint32, s->n + 1);
  g_autofree gint64 *have = g_new0 (gint64, s->n_mins + 1);
  guint n = 0;

  for (guint i = 0; i < s->n; i++) {
    const VcSubJob *b = &s->sub[s->order[i]];
    if (b->n_tasks == 0)
      continue;
    if (!vc_session_sub_job_ready (o->ssn, o->job, s->order[i])) {
      waiting[n++] = s->order[i];
      continue;
    }
    for (guint m = 0; m < s->n_mins; m++)
      have[m] += s->min[m].gid == b->gid;
  }
  vc_go_sort (waiting, n, sub_less, o);
  for (guint i = 0; i < n; i++)
    for (guint m = 0; m < s->n_mins; m++)
      if (s->min[m].gid == s->sub[waiting[i]].gid && have[m] < s->min[m].min) {
        o->needed[waiting[i]] = TRUE;
        have[m]++;
      }
}

VcWorksheet *
vc_worksheet_new (VcSession *ssn, guint32 job, gboolean any_gate)
{
  const VcCluster *c = ssn->cluster;
  const VcJob *j = &c->job[job];
  const VcSubJobs *s = j->subs;
  VcWorksheet *w = g_new0 (VcWorksheet, 1);

  w->n_subs = s->n;
  w->tasks = g_new0 (VcHeap, s->n + 1);
  w->order = vc_arena_new0 (ssn->arena, struct VcWorksheetOrder, 1);
  *w->order = (struct VcWorksheetOrder) { ssn, job, vc_arena_new0 (ssn->arena, guint8, s->n + 1) };
  if (s->n_mins > 0)
    mark_needed (w->order);
  vc_heap_init (&w->subs, needed_first, w->order);
  for (guint i = 0; i < s->n; i++)
    vc_heap_init (&w->tasks[i], vc_session_heap_task_less, ssn);
  for (guint32 i = 0; i < j->n_tasks; i++) { /* by UID */
    const VcTask *t = &c->task[j->task[i]];
    if (t->status == VC_PENDING && !t->best_effort && (!t->gated || (!any_gate && t->gate_only_queue)))
      vc_heap_push (&w->tasks[t->sub], j->task[i]);
  }
  for (guint i = 0; i < s->n; i++)
    if (!vc_heap_is_empty (&w->tasks[s->order[i]]))
      vc_heap_push (&w->subs, s->order[i]);
  return w;
}

VcWorksheet *
vc_worksheet_copy (const VcWorksheet *w)
{
  VcWorksheet *copy = g_new0 (VcWorksheet, 1);

  copy->n_subs = w->n_subs;
  copy->order = w->order;
  copy->tasks = g_new0 (VcHeap, w->n_subs + 1);
  vc_heap_clone (&copy->subs, &w->subs);
  for (guint i = 0; i < w->n_subs; i++)
    vc_heap_clone (&copy->tasks[i], &w->tasks[i]);
  return copy;
}

void
vc_worksheet_free (VcWorksheet *w)
{
  if (w == NULL)
    return;
  for (guint i = 0; i < w->n_subs; i++)
    vc_heap_clear (&w->tasks[i]);
  vc_heap_clear (&w->subs);
  g_free (w->tasks);
  g_free (w);
}
