#include "ledger.h"
#include "sim/world/views.h"
#include <string.h>

/* What stands in a job's way. Texts are static or interned for the whole run, so that they are compared as pointers. */
typedef struct {
  const char *cause, *by, *reason;
  const char *lost_to, *ahead; /* who took what it lacks, and why that one came first; "" */
} Obstacle;

typedef struct {
  Obstacle now;
  SimTime from;           /* SIM_NO_TIME: it does not wait */
  guint32 nodes, missing; /* when the interval began */
  guint32 place;          /* in SimLedger.waiting */
  gboolean again;
  gboolean last;          /* it waited when the run ended */
  /* of the session that goes on */
  guint32 voted, refused; /* cycle in which a vote kept it out, or a task of it was refused */
  const char *voter, *refuser;
  guint32 admitted;       /* jobs that had been let in when the vote kept it out */
  /* the job that it lost to last (SIM_NONE: none), in which cycle, and why that one came first */
  guint32 rival, lost;
  const char *lost_to, *ahead;
} Wait;

struct SimLedger {
  SimWorld *w;
  RpResults *results;
  VcObserver observer;
  Wait *wait; guint32 n_waits;      /* [n_waits] by job */
  GArray *waiting;                  /* guint32: jobs; their order follows from what happened */
  SimTime last_change;
  gboolean finished;
  guint32 cycle;                    /* number of the cycle, from 1 */
  guint32 *overused; const char **overused_by; guint32 n_overused; /* by queue row of the cache: cycle in which it was */
};

static Wait *
wait_of (SimLedger *l, guint32 job)
{
  if (job >= l->n_waits) {
    guint32 n = MAX (l->w->cap_jobs, job + 1); /* grows with the table */

    l->wait = g_renew (Wait, l->wait, n);
    for (guint32 i = l->n_waits; i < n; i++)
      l->wait[i] = (Wait){ .from = SIM_NO_TIME, .rival = SIM_NONE };
    l->n_waits = n;
  }
  return &l->wait[job];
}

/* Does the scheduler that runs a cycle decide about the job? Others see its PodGroup as well. */
static gboolean
is_own (const SimLedger *l, guint32 job)
{
  return job < l->w->n_jobs && sim_view_of_job (l->w, job) == l->w->at;
}

/* ---- what the session says -------------------------------------------------------------------- */

static void
on_vote (gpointer user, VcSession *ssn, VcHookFamily f, guint32 row, const char *plugin, VcVote vote)
{
  SimLedger *l = user;

  guint32 job = l->w->cluster->job[row].user;

  if (f != VC_HOOK_JOB_ENQUEUEABLE || vote >= 0 || !is_own (l, job))
    return;
  Wait *wait = wait_of (l, job);

  wait->voted = l->cycle;
  wait->admitted = vc_session_admitted (ssn);
  wait->voter = plugin;
}

static gboolean
is_overused (const SimLedger *l, guint32 queue)
{
  return queue != VC_NONE && queue < l->n_overused && l->overused[queue] == l->cycle;
}

static void
on_refused (gpointer user, VcSession *ssn, VcHookFamily f, guint32 queue, guint32 task, const char *plugin)
{
  SimLedger *l = user;

  if (f == VC_HOOK_OVERUSED) {
    if (queue >= l->n_overused) {
      l->overused = g_renew (guint32, l->overused, queue + 1);
      l->overused_by = g_renew (const char *, l->overused_by, queue + 1);
      memset (l->overused + l->n_overused, 0, (queue + 1 - l->n_overused) * sizeof *l->overused);
      l->n_overused = queue + 1;
    }
    l->overused[queue] = l->cycle;
    l->overused_by[queue] = plugin;
  } else if (f == VC_HOOK_ALLOCATABLE) {
    const VcCluster *c = l->w->cluster;
    guint32 job = c->task[task].job;

    if (job == VC_NONE || !is_own (l, c->job[job].user))
      return;
    Wait *wait = wait_of (l, c->job[job].user);

    if (wait->refused == l->cycle) /* the first one tells */
      return;
    wait->refused = l->cycle;
    wait->refuser = plugin;
  }
}

/* ---- who took it ------------------------------------------------------------------------------ */

/* Is the rival still admitted without pods, or has it pods on nodes? What it took is gone for as long. */
static gboolean
holds (const SimLedger *l, guint32 rival)
{
  guint32 group = sim_view_group (l->w, rival);
  const VcJob *j = group != VC_NONE ? &l->w->cluster->job[group] : NULL;

  return j != NULL && (j->phase == VC_PG_INQUEUE || vc_job_allocated_num (j) + j->count[VC_RELEASING] > 0);
}

/* What a rival can have taken: a place, room on nodes, or a share of the queue. 0: nothing. */
static int
thing_of (const char *cause)
{
  if (strcmp (cause, "enqueue") == 0)
    return 1;
  if (strcmp (cause, "nodes") == 0 || strcmp (cause, "gang") == 0)
    return 2;
  return strcmp (cause, "quota") == 0 || strcmp (cause, "overused") == 0 ? 3 : 0;
}

/* A rival is kept while it holds what it took, so that a job in a long line names one and not everybody that passes. */
static gboolean
has_rival (const SimLedger *l, const Wait *wait)
{
  return wait->rival != SIM_NONE && *wait->now.lost_to != '\0' && holds (l, wait->rival);
}

static const char *
reason_to_come_first (SimLedger *l, const VcLoss *loss)
{
  if (loss->by == NULL)
    return "";
  g_autofree char *text = g_strdup_printf ("%s: %s", loss->by_queue ? "queues" : "jobs", loss->by);

  return g_string_chunk_insert_const (l->w->text, text);
}

static void
note_loss (SimLedger *l, Wait *wait, const VcCluster *c, const VcLoss *loss)
{
  wait->rival = c->job[loss->job].user;
  const SimJob *rival = &l->w->job[wait->rival];
  g_autofree char *name = g_strdup_printf ("%s/%s", rival->ns, rival->name);

  wait->lost = l->cycle;
  wait->ahead = reason_to_come_first (l, loss);
  wait->lost_to = g_string_chunk_insert_const (l->w->text, name);
}

/* Only jobs that found no place can have lost it, and only in a cycle that has given places to others. */
static void
on_closing (gpointer user, VcSession *ssn)
{
  SimLedger *l = user;
  const VcCluster *c = l->w->cluster;

  if (!vc_session_anything_taken (ssn))
    return;
  for (guint i = 0; i < l->waiting->len; i++) {
    guint32 job = g_array_index (l->waiting, guint32, i), group = is_own (l, job) ? sim_view_group (l->w, job) : VC_NONE;
    Wait *wait = &l->wait[job];
    VcLoss loss;

    if (group == VC_NONE || c->job[group].count[VC_PENDING] == 0 || has_rival (l, wait))
      continue;
    gboolean share = c->job[group].fit == NULL;

    if (share && wait->refused != l->cycle && !is_overused (l, c->job[group].queue))
      continue;
    if (!vc_session_lost_to (ssn, group, share, &loss))
      continue;
    note_loss (l, wait, c, &loss);
  }
}

static void
on_enqueued (gpointer user, VcSession *ssn)
{
  SimLedger *l = user;
  VcLoss loss;

  if (vc_session_admitted (ssn) == 0)
    return;
  for (guint i = 0; i < l->waiting->len; i++) {
    guint32 job = g_array_index (l->waiting, guint32, i);
    Wait *wait = &l->wait[job];

    if (wait->voted != l->cycle || has_rival (l, wait))
      continue;
    if (vc_session_kept_out_by (ssn, sim_view_group (l->w, job), wait->admitted, &loss))
      note_loss (l, wait, l->w->cluster, &loss);
  }
}

/* @o is what stands in its way now: did somebody take it? */
static void
name_rival (const SimLedger *l, guint32 job, Obstacle *o)
{
  const Wait *wait = &l->wait[job];
  int thing = thing_of (o->cause);

  if (thing == 0 || (wait->lost != l->cycle && !(has_rival (l, wait) && thing == thing_of (wait->now.cause))))
    return;
  o->lost_to = wait->lost_to;
  o->ahead = wait->ahead;
}

SimLedger *
sim_ledger_new (SimWorld *w, RpResults *results)
{
  SimLedger *l = g_new0 (SimLedger, 1);

  l->w = w;
  l->results = results;
  l->observer = (VcObserver){ .user = l, .vote = on_vote, .refused = on_refused, .enqueued = on_enqueued, .closing = on_closing };
  l->waiting = g_array_new (FALSE, FALSE, sizeof (guint32));
  l->cycle = 1;
  w->ledger = l;
  return l;
}

void
sim_ledger_free (SimLedger *l)
{
  if (l == NULL)
    return;
  l->w->ledger = NULL;
  g_free (l->wait);
  g_array_unref (l->waiting);
  g_free (l->overused);
  g_free (l->overused_by);
  g_free (l);
}

const VcObserver *
sim_ledger_observer (SimLedger *l)
{
  return &l->observer;
}

/* ---- intervals -------------------------------------------------------------------------------- */

static void
write_row (SimLedger *l, guint32 job)
{
  const Wait *wait = &l->wait[job];
  const SimJob *j = &l->w->job[job];

  if (wait->from >= l->w->now)
    return; /* nothing lasts no time */
  RpWait row = { .ns = j->ns,
                 .job = j->name,
                 .queue = l->w->queue[j->queue].name,
                 .from = wait->from,
                 .to = l->w->now,
                 .again = wait->again,
                 .cause = wait->now.cause,
                 .by = wait->now.by,
                 .reason = wait->now.reason,
                 .nodes = wait->nodes,
                 .missing = wait->missing,
                 .lost_to = wait->now.lost_to,
                 .ahead = wait->now.ahead };

  rp_results_wait (l->results, &row);
}

/* Interned texts are mostly the same pointer; the same literal of two files need not be. */
static gboolean
says_same (const char *a, const char *b)
{
  return a == b || (a != NULL && b != NULL && strcmp (a, b) == 0);
}

static inline gboolean
same (const Obstacle *a, const Obstacle *b)
{
  return says_same (a->cause, b->cause) && says_same (a->by, b->by) && says_same (a->reason, b->reason) && says_same (a->lost_to, b->lost_to) && says_same (a->ahead, b->ahead);
}

static void
stand_in_the_way (SimLedger *l, guint32 job, const Obstacle *o, guint32 nodes, guint32 missing)
{
  Wait *wait = &l->wait[job];

  if (same (&wait->now, o))
    return;
  write_row (l, job);
  wait->now = *o;
  wait->from = l->last_change = l->w->now;
  wait->nodes = nodes;
  wait->missing = missing;
}

void
sim_ledger_wait (SimWorld *w, guint32 job, const char *cause)
{
  SimLedger *l = w->ledger;

  if (l == NULL)
    return;
  Wait *wait = wait_of (l, job);

  if (wait->from != SIM_NO_TIME)
    return;
  wait->again = w->job[job].started;
  wait->now = (Obstacle){ cause, "", "", "", "" };
  wait->from = w->now;
  wait->nodes = wait->missing = 0;
  wait->place = l->waiting->len;
  g_array_append_val (l->waiting, job);
}

void
sim_ledger_end (SimWorld *w, guint32 job)
{
  SimLedger *l = w->ledger;

  if (l == NULL || job >= l->n_waits || l->wait[job].from == SIM_NO_TIME)
    return;
  guint32 last = g_array_index (l->waiting, guint32, l->waiting->len - 1), place = l->wait[job].place;

  write_row (l, job);
  l->wait[job].from = SIM_NO_TIME;
  g_array_index (l->waiting, guint32, place) = last;
  l->wait[last].place = place;
  g_array_set_size (l->waiting, l->waiting->len - 1);
}

void
sim_ledger_resume (SimWorld *w, guint32 job, SimTime since)
{
  sim_ledger_wait (w, job, "suspended");
  if (w->ledger != NULL && !w->job[job].started)
    w->ledger->wait[job].from = since;
}

/* ---- what a cycle found ----------------------------------------------------------------------- */

/* A shortage before what else nodes say, which is how the cluster is. */
static const VcFitReason *
telling_reason (const VcFit *fit)
{
  const VcFitReason *best = NULL;
  gboolean best_short = FALSE;

  for (guint i = 0; i < fit->n_reasons; i++) {
    const VcFitReason *r = &fit->reason[i];

    if (best == NULL || r->shortage > best_short || (r->shortage == best_short && r->nodes > best->nodes)) {
      best = r;
      best_short = r->shortage;
    }
  }
  return best;
}

/* A job that is admitted and has pods without a place. */
static void
judge_pods (SimLedger *l, const VcEngine *engine, guint32 job)
{
  SimWorld *w = l->w;
  const SimJob *j = &w->job[job];
  guint32 group = sim_view_group (w, job);
  const VcJob *pg = &w->cluster->job[group];
  const VcFit *fit = vc_engine_fits (engine, group);
  Obstacle o = { "order", "", "", "", "" };
  guint32 nodes = 0, missing = 0;

  while (fit != NULL && fit->next != NULL) /* the first task that failed */
    fit = fit->next;
  if (fit != NULL) {
    const VcFitReason *r = telling_reason (fit);
    guint32 had = vc_job_ready_num (pg) + (pg->undone_session == vc_engine_session (engine) ? pg->undone : 0); /* members with a place, before it was taken back */

    o.cause = had > 0 ? "gang" : "nodes";
    o.reason = g_string_chunk_insert_const (w->text, r != NULL ? r->reason : "");
    nodes = r != NULL ? r->nodes : 0;
    missing = pg->min_available > 0 && had < (guint32) pg->min_available ? (guint32) pg->min_available - had : 0;
  } else if (pg->homeless_session == vc_engine_session (engine)) {
    o.cause = "topology";
  } else if (l->wait[job].refused == l->cycle) {
    o.cause = "quota";
    o.by = l->wait[job].refuser;
  } else if (is_overused (l, pg->queue)) {
    o.cause = "overused";
    o.by = l->overused_by[pg->queue];
  } else if (j->last_uid >= w->view[w->at].cycle_uid) {
    o.cause = "cycle"; /* no cycle has seen the newest pod */
  }
  name_rival (l, job, &o);
  stand_in_the_way (l, job, &o, nodes, missing);
}

static void
judge (SimLedger *l, const VcEngine *engine, guint32 job)
{
  const SimJob *j = &l->w->job[job];
  const Wait *wait = &l->wait[job];
  Obstacle o = { "controller", "", "", "", "" };

  if (j->has_pg && (j->pg_phase == VC_PG_EMPTY || j->pg_phase == VC_PG_PENDING)) {
    o.cause = "enqueue";
    o.by = wait->voted == l->cycle ? wait->voter : "";
    if (j->started && j->unbound == 0 && j->live.running < (guint32) MAX (j->min_available, 0))
      o.cause = "restart";
    name_rival (l, job, &o);
  } else if (j->has_pg && j->unbound > 0 && sim_view_group (l->w, job) != VC_NONE) {
    judge_pods (l, engine, job);
    return;
  } else if (j->live.pending > 0 && j->unbound == 0) {
    o.cause = "start"; /* all pods have a node, some do not run yet */
  } else if (j->live.terminating > 0) {
    o.cause = "terminating"; /* its own old pods still have to go */
  } else if (j->has_pg) {
    o.cause = "pods"; /* its controller has not made them: a task waits for another one */
  }
  stand_in_the_way (l, job, &o, 0, 0);
}

void
sim_ledger_cycle (SimLedger *l, const VcEngine *engine)
{
  for (guint i = 0; i < l->waiting->len; i++)
    if (is_own (l, g_array_index (l->waiting, guint32, i)))
      judge (l, engine, g_array_index (l->waiting, guint32, i));
  l->cycle++;
}

SimTime
sim_ledger_last_change (const SimLedger *l)
{
  return l->last_change;
}

void
sim_ledger_last (const SimWorld *w, guint32 job, RpJob *row)
{
  const SimLedger *l = w->ledger;

  if (l == NULL || !l->finished || job >= l->n_waits || !l->wait[job].last)
    return;
  row->cause = l->wait[job].now.cause;
  row->by = l->wait[job].now.by;
  row->missing = l->wait[job].missing;
}

void
sim_ledger_finish (SimLedger *l)
{
  for (guint i = 0; i < l->waiting->len; i++)
    l->wait[g_array_index (l->waiting, guint32, i)].last = TRUE;
  l->finished = TRUE;
  while (l->waiting->len > 0)
    sim_ledger_end (l->w, g_array_index (l->waiting, guint32, l->waiting->len - 1));
}
