/* x-follow-record - jobs start when and where a record says that they did, as far as the cluster has room for them there.
 *
 * Policy: every job that the record knows may enter at once. When its recorded start has come its pending pods are placed, in task order, each on the
 * node that the record gives it; where it gives none, on the first one that takes it. A gang starts whole or not at all. What does not fit is told with its
 * reason, and tried again whenever something has happened. Jobs that the record does not know wait for ever. Of two that start at one time the one
 * that took no time comes first, since it needs its place for this instant alone; else the one that was submitted first.
 *
 * The plugins of the configuration judge nodes (predicates, devices) and gangs; nobody's order, share or vote counts. Use it with period 0. Not Volcano's. */
#include "beyond.h"
#include "core/session/search.h"
#include "waiting.h"

const VcArgSpec vc_x_follow_record_args[] = { { NULL, VC_ARG_ANY, NULL } };

typedef struct {
  VcWaiting x;
  gint64 start;
  gboolean no_time; /* it ended when it started */
} Due;

static int
by_start (gconstpointer a, gconstpointer b)
{
  const Due *l = a, *r = b;

  if (l->start != r->start)
    return l->start < r->start ? -1 : 1;
  if (l->no_time != r->no_time)
    return l->no_time ? -1 : 1;
  if (l->x.submitted != r->x.submitted)
    return l->x.submitted < r->x.submitted ? -1 : 1;
  return l->x.place < r->x.place ? -1 : l->x.place > r->x.place;
}

/* Why the node has no room for the task now; NULL: it has. */
static const char *
objection (VcSession *ssn, guint32 task, guint32 node)
{
  VcCluster *c = ssn->cluster;
  const VcShape *shape = c->task[task].shape;
  VcFitError error = { 0 };

  if (!c->nodes.info[node].listed)
    return VC_RECORD_NODE_GONE;
  for (guint d = 0; d < c->n_res; d++)
    if ((shape->dims >> d & 1) != 0 && !vc_le (shape->request->v[d], c->nodes.idle[d][node]))
      return vc_res_names_insufficient (c->names, d);
  if (vc_session_predicate (ssn, task, node, &error))
    return NULL;
  return error.n > 0 ? error.item[0].reason : "a plugin refuses the node";
}

/* NULL: it is placed. */
static const char *
place (VcSession *ssn, VcStatement *st, guint32 task, guint32 *node)
{
  const VcRecordHooks *record = ssn->engine->options.record;
  const char *reason = vc_session_pre_predicate (ssn, task);
  guint32 from = 0;

  *node = VC_NONE;
  if (!record->node (ssn->engine->options.outlook_user, task, node))
    return VC_RECORD_NODE_GONE;
  if (reason != NULL)
    return reason;
  if (*node == VC_NONE) {
    *node = vc_waiting_first_fit (ssn, task, &from);
    reason = *node == VC_NONE ? "no node has room for it" : NULL;
  } else {
    reason = objection (ssn, task, *node);
  }
  if (reason == NULL && !vc_statement_allocate (st, task, *node))
    reason = "a plugin refuses the task";
  return reason;
}

static void
start (VcSession *ssn, VcStatement *st, guint32 job)
{
  const VcEngineOptions *o = &ssn->engine->options;
  const VcJob *j = &ssn->cluster->job[job];
  g_auto (VcHeap) tasks = { 0 };

  ssn->result.jobs_considered++;
  vc_waiting_tasks (ssn, job, &tasks);
  while (!vc_heap_is_empty (&tasks)) {
    guint32 task = vc_heap_pop (&tasks), node;
    const char *reason = place (ssn, st, task, &node);

    if (reason == NULL)
      continue;
    vc_fit_record_refusal (ssn, task, reason, 1);
    o->record->refused (o->outlook_user, j->user, task, reason);
  }
  if (vc_statement_length (st) > 0 && vc_waiting_is_whole (j))
    vc_statement_commit (st);
  else
    vc_statement_discard (st);
}

static void
run_follow_record (VcSession *ssn)
{
  const VcEngineOptions *o = &ssn->engine->options;
  g_autoptr (GArray) waiting = vc_waiting_new (ssn);
  g_autoptr (GArray) known = g_array_new (FALSE, FALSE, sizeof (Due));
  g_autoptr (VcStatement) st = vc_statement_new (ssn);

  for (guint i = 0; i < waiting->len && o->record != NULL; i++) {
    Due due = { g_array_index (waiting, VcWaiting, i), 0, FALSE };

    if (!o->record->start (o->outlook_user, ssn->cluster->job[due.x.job].user, &due.start, &due.no_time))
      continue;
    (void) vc_waiting_admit (ssn, &due.x);
    g_array_append_val (known, due);
  }
  g_array_sort (known, by_start);
  for (guint i = 0; i < known->len; i++) {
    const Due *due = &g_array_index (known, Due, i);

    if (due->start > ssn->now) {
      vc_session_wake_at (ssn, due->start);
      return;
    }
    start (ssn, st, due->x.job);
  }
}

const VcActionClass vc_action_x_follow_record = { .name = "x-follow-record", .summary = VC_X_FOLLOW_RECORD_SUMMARY, .args = vc_x_follow_record_args, .run = run_follow_record };
