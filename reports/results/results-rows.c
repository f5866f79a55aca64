/* reports/results/results-rows.c - the rows of results: a row of a table, and what it adds to the summary. */
#include "results-private.h"
#include <math.h>

static void
amounts (const RpResults *r, RpCsv *w, const double *v)
{
  for (guint i = 0; i < r->n_resources; i++) {
    if (v != NULL)
      rp_csv_double (w, v[i] / r->resources[i].divisor);
    else
      rp_csv_empty (w);
  }
}

static void
texts (RpCsv *w, const char *const *text, guint n)
{
  for (guint i = 0; i < n; i++)
    rp_csv_text (w, text[i]);
}

/* Ratios that follow from other columns: all their digits would say nothing and cost much. */
static double
to_millionths (double v)
{
  return rint (v * 1e6) / 1e6;
}

static void
saw (RpResults *r, gint64 time)
{
  if (time > r->last_time)
    r->last_time = time;
}

void
rp_results_cycle (RpResults *r, const RpCycle *c)
{
  RpCsv *w = r->csv[RP_FILE_CYCLES];
  const guint32 counts[] = {
    c->binds,         c->evictions,       c->pending,    c->running,      c->releasing,
    c->pg_pending,    c->pg_inqueue,      c->pg_running, c->pg_unknown,   c->pipelined,
    c->discarded,     c->jobs_considered, c->enqueued,   c->jobs_waiting, c->jobs_running,
    c->jobs_finished, c->nodes,
  };

  saw (r, c->time);
  rp_summary_cycle (&r->summary, c);
  if (w == NULL)
    return;
  rp_csv_time (w, c->time);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    rp_csv_int (w, counts[i]);
  rp_csv_time (w, c->e2e);
  rp_csv_text (w, c->scheduler);
  amounts (r, w, c->capacity);
  amounts (r, w, c->allocated);
  amounts (r, w, c->requested);
  amounts (r, w, c->idle);
  amounts (r, w, c->fragmented);
  rp_csv_end_row (w);
  w = r->csv[RP_FILE_REASONS];
  for (guint i = 0; i < c->n_reasons; i++) {
    rp_csv_time (w, c->time);
    rp_csv_text (w, c->reason[i]);
    rp_csv_int (w, c->reason_pods[i]);
    rp_csv_end_row (w);
  }
}

void
rp_results_queue (RpResults *r, const RpQueue *q)
{
  RpCsv *w = r->csv[RP_FILE_QUEUES];
  double share, deserved_share;

  saw (r, q->time);
  rp_summary_queue (&r->summary, q, &share, &deserved_share);
  if (w == NULL)
    return;
  rp_csv_time (w, q->time);
  rp_csv_text (w, q->queue);
  rp_csv_double (w, q->weight);
  rp_csv_double (w, q->share);
  rp_csv_int (w, q->overused ? 1 : 0);
  rp_csv_int (w, q->pending_jobs);
  rp_csv_int (w, q->running_jobs);
  rp_csv_int (w, q->pg_pending);
  rp_csv_int (w, q->pg_inqueue);
  rp_csv_int (w, q->pg_running);
  rp_csv_int (w, q->pg_unknown);
  rp_csv_int (w, q->pg_completed);
  rp_csv_double (w, to_millionths (share));
  rp_csv_double (w, to_millionths (deserved_share));
  rp_csv_text (w, q->scheduler);
  amounts (r, w, q->allocated);
  amounts (r, w, q->deserved);
  amounts (r, w, q->request);
  amounts (r, w, q->inqueue);
  rp_csv_end_row (w);
}

static gint64
difference (gint64 later, gint64 earlier)
{
  return later == RP_NONE || earlier == RP_NONE ? RP_NONE : later - earlier;
}

static void
placement (RpCsv *w, const RpJob *j)
{
  rp_csv_text (w, j->hyper_node);
  if (j->hyper_node == NULL) {
    for (guint i = 0; i < 4; i++)
      rp_csv_empty (w);
    return;
  }
  rp_csv_int (w, j->tier);
  rp_csv_text (w, j->tier_name);
  rp_csv_int (w, j->racks);
  rp_csv_double (w, to_millionths (j->topology_cost));
}

void
rp_results_job (RpResults *r, const RpJob *j)
{
  RpCsv *w = r->csv[RP_FILE_JOBS];

  rp_summary_job (&r->summary, j);
  if (w == NULL)
    return;
  rp_csv_text (w, j->ns);
  rp_csv_text (w, j->job);
  rp_csv_text (w, j->queue);
  rp_csv_time (w, j->submit);
  rp_csv_time (w, j->inqueue);
  rp_csv_time (w, j->first_bind);
  rp_csv_time (w, j->gang_start);
  rp_csv_time (w, j->finish);
  rp_csv_text (w, j->phase);
  rp_csv_text (w, j->podgroup);
  rp_csv_int (w, j->evictions);
  rp_csv_time (w, difference (j->gang_start, j->submit));
  rp_csv_time (w, j->run);
  rp_csv_time (w, difference (j->finish, j->submit));
  rp_csv_double (w, to_millionths (rp_job_slowdown (j)));
  rp_csv_int (w, j->restarts);
  rp_csv_int (w, j->pods);
  rp_csv_int (w, j->min_available);
  amounts (r, w, j->used);
  amounts (r, w, j->wasted);
  rp_csv_text (w, j->reason);
  rp_csv_text (w, j->owner);
  rp_csv_time (w, j->lost);
  rp_csv_text (w, j->kind);
  rp_csv_text (w, j->scheduler);
  placement (w, j);
  rp_csv_int (w, j->priority);
  rp_csv_int (w, j->preemptable);
  amounts (r, w, j->pod);
  amounts (r, w, j->least);
  rp_csv_int (w, j->places);
  if (j->pool != RP_NO_POOL)
    rp_csv_int (w, j->pool);
  else
    rp_csv_empty (w);
  rp_csv_text (w, j->cause);
  rp_csv_text (w, j->by);
  rp_csv_int (w, j->missing);
  for (guint i = 0; i < r->n_extra; i++)
    rp_csv_text (w, j->extra != NULL ? j->extra[i] : NULL);
  rp_csv_end_row (w);
}

void
rp_results_task (RpResults *r, const RpTask *t)
{
  RpCsv *w = r->csv[RP_FILE_TASKS];

  rp_summary_task (&r->summary, t);
  if (w == NULL)
    return;
  rp_csv_text (w, t->ns);
  rp_csv_text (w, t->job);
  rp_csv_text (w, t->task);
  rp_csv_int (w, t->index);
  rp_csv_int (w, t->attempt);
  rp_csv_text (w, t->pod);
  rp_csv_text (w, t->node);
  rp_csv_time (w, t->created);
  rp_csv_time (w, t->assumed);
  rp_csv_time (w, t->bound);
  rp_csv_time (w, t->running);
  rp_csv_time (w, t->evicted);
  rp_csv_time (w, t->finished);
  rp_csv_text (w, t->outcome);
  rp_csv_time (w, t->lost);
  rp_csv_text (w, t->scheduler);
  rp_csv_end_row (w);
}

void
rp_results_event (RpResults *r, const RpEvent *e)
{
  RpCsv *w = r->csv[RP_FILE_EVENTS];

  saw (r, e->time);
  if (w == NULL)
    return;
  rp_csv_time (w, e->time);
  rp_csv_text (w, e->kind);
  rp_csv_text (w, e->ns);
  rp_csv_text (w, e->name);
  rp_csv_text (w, e->event);
  rp_csv_text (w, e->detail);
  rp_csv_end_row (w);
}

void
rp_results_phase (RpResults *r, const RpPhase *p)
{
  RpCsv *w = r->csv[RP_FILE_PHASES];
  /* only the status of a job that exists has the two counters */
  const gboolean counted = strcmp (p->kind, "job") == 0 && strcmp (p->phase, "Deleted") != 0
                           && strcmp (p->phase, "Rejected") != 0;

  saw (r, p->time);
  if (w == NULL)
    return;
  rp_csv_time (w, p->time);
  rp_csv_text (w, p->kind);
  rp_csv_text (w, p->ns);
  rp_csv_text (w, p->name);
  rp_csv_text (w, p->phase);
  if (counted) {
    rp_csv_int (w, p->retry);
    rp_csv_int (w, p->version);
  } else {
    rp_csv_empty (w);
    rp_csv_empty (w);
  }
  rp_csv_end_row (w);
}

void
rp_results_wait (RpResults *r, const RpWait *wait)
{
  RpCsv *w = r->csv[RP_FILE_LEDGER];

  if (w == NULL)
    return;
  rp_csv_text (w, wait->ns);
  rp_csv_text (w, wait->job);
  rp_csv_text (w, wait->queue);
  rp_csv_time (w, wait->from);
  rp_csv_time (w, wait->to);
  rp_csv_text (w, wait->again ? "again" : "first");
  rp_csv_text (w, wait->cause);
  rp_csv_text (w, wait->by);
  rp_csv_text (w, wait->reason);
  rp_csv_int (w, wait->nodes);
  rp_csv_int (w, wait->missing);
  rp_csv_text (w, wait->lost_to);
  rp_csv_text (w, wait->ahead);
  rp_csv_end_row (w);
}

void
rp_results_rack (RpResults *r, const RpRack *k)
{
  RpCsv *w = r->csv[RP_FILE_RACKS];
  const double share = rp_summary_rack (&r->summary, k);

  saw (r, k->time);
  if (w == NULL)
    return;
  rp_csv_time (w, k->time);
  rp_csv_text (w, k->hyper_node);
  rp_csv_text (w, k->within);
  if (k->hyper_node != NULL)
    rp_csv_int (w, k->tier);
  else
    rp_csv_empty (w);
  rp_csv_int (w, k->nodes);
  rp_csv_double (w, to_millionths (share));
  amounts (r, w, k->capacity);
  amounts (r, w, k->allocated);
  rp_csv_end_row (w);
}

void
rp_results_eviction (RpResults *r, const RpEviction *e)
{
  RpCsv *w = r->csv[RP_FILE_EVICTIONS];

  if (w == NULL)
    return;
  rp_csv_time (w, e->time);
  rp_csv_text (w, e->action);
  rp_csv_text (w, e->ns);
  rp_csv_text (w, e->job);
  rp_csv_text (w, e->queue);
  rp_csv_text (w, e->task);
  rp_csv_int (w, e->index);
  rp_csv_int (w, e->attempt);
  rp_csv_text (w, e->node);
  rp_csv_time (w, e->ran);
  rp_csv_text (w, e->for_ns);
  rp_csv_text (w, e->for_job);
  rp_csv_text (w, e->for_queue);
  amounts (r, w, e->frees);
  rp_csv_end_row (w);
}

void
rp_results_quota (RpResults *r, const RpQuota *q)
{
  RpCsv *w = r->csv[RP_FILE_QUOTAS];

  if (w == NULL)
    return;
  rp_csv_time (w, q->time);
  rp_csv_text (w, q->queue);
  rp_csv_text (w, q->parent);
  rp_csv_int (w, q->weight);
  rp_csv_int (w, q->priority);
  rp_csv_int (w, q->reclaimable);
  amounts (r, w, q->capability);
  amounts (r, w, q->guarantee);
  amounts (r, w, q->deserved);
  rp_csv_end_row (w);
}

void
rp_results_node (RpResults *r, const RpNode *n)
{
  RpCsv *w = r->csv[RP_FILE_NODES];
  g_autoptr (GString) pools = g_string_new (NULL);

  if (w == NULL)
    return;
  for (guint i = 0; i < RP_MAX_POOLS; i++)
    if ((n->pools >> i) & 1)
      g_string_append_printf (pools, "%s%u", pools->len > 0 ? " " : "", i);
  rp_csv_text (w, n->node);
  amounts (r, w, n->capacity);
  rp_csv_text (w, pools->str);
  rp_csv_end_row (w);
}

void
rp_results_step (RpResults *r, const RpStep *s)
{
  RpCsv *w = r->csv[RP_FILE_CHAIN];

  saw (r, s->time);
  if (w == NULL)
    return;
  rp_csv_time (w, s->time);
  texts (w, (const char *[]){ s->component, s->function, s->ns, s->job, s->detail }, 5);
  rp_csv_end_row (w);
}

void
rp_results_scheduler (RpResults *r, const RpScheduler *s)
{
  RpCsv *w = r->csv[RP_FILE_SCHEDULERS];
  const guint64 counts[] = { s->nodes, s->cycles, s->binds, s->evictions, s->enqueued, s->refused, s->jobs, s->started, s->finished };

  if (w == NULL)
    return;
  texts (w, (const char *[]){ s->name, s->sharding, s->shard }, 3);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    rp_csv_int (w, (gint64) counts[i]);
  rp_csv_end_row (w);
}

void
rp_results_record (RpResults *r, const RpRecorded *row)
{
  RpCsv *w = r->csv[RP_FILE_RECORDED];

  if (w == NULL)
    return;
  texts (w, (const char *[]){ row->ns, row->job }, 2);
  rp_csv_time (w, row->submit);
  rp_csv_time (w, row->wait);
  rp_csv_time (w, row->start);
  rp_csv_time (w, row->end);
  rp_csv_text (w, row->status);
  rp_csv_int (w, row->evictions);
  rp_csv_text (w, row->nodes);
  rp_csv_end_row (w);
}

void
rp_results_misfit (RpResults *r, const RpMisfit *m)
{
  RpCsv *w = r->csv[RP_FILE_MISFITS];
  RpFollowed *f = &r->summary.followed;

  ++*(m->recorded == RP_NONE ? &f->unknown : m->start == RP_NONE ? &f->never : m->start > m->recorded ? &f->later : &f->on_time);
  if (w == NULL || m->reason == NULL)
    return;
  texts (w, (const char *[]){ m->ns, m->job, m->queue }, 3);
  rp_csv_time (w, m->recorded);
  rp_csv_time (w, m->start);
  texts (w, (const char *[]){ m->pod, m->node, m->reason }, 3);
  rp_csv_end_row (w);
}
