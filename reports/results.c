/* reports/results.c - the results directory: made beside its place, filled row by row, renamed when
 * all is well. */
#include "reports/results.h"
#include "reports/charts.h"
#include "reports/csv-writer.h"
#include "reports/folder.h"
#include "reports/schema.h"
#include "reports/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

G_DEFINE_QUARK (rp_error_quark, rp_error)

struct RpResults {
  char *dir;               /* as the user named it */
  char *target, *partial;  /* the same place without links, and where the files are now */
  GPtrArray *made_parents; /* directories above the target that did not exist, outermost first */
  RpResource *resources;
  guint n_resources, n_extra;
  RpCsv *csv[RP_N_FILES];
  RpSummary summary;
  gint64 last_time;
  gboolean ended, committed, charts;
  char *version;
};

/* ---- directories ---------------------------------------------------------------------------- */

static gboolean
io_error (GError **error, const char *what, const char *path)
{
  const int e = errno;

  g_set_error (error, RP_ERROR, RP_ERROR_IO, "cannot %s '%s': %s", what, path, g_strerror (e));
  return FALSE;
}

/* Does @dir hold an earlier result of this program? */
static gboolean
holds_result (const char *dir)
{
  static const char mark[] = "{\n  \"schema\": \"" RP_SCHEMA_NAME;
  g_autofree char *path = g_build_filename (dir, "summary.json", NULL);
  char head[sizeof mark - 1];
  gboolean ok = FALSE;
  FILE *f = fopen (path, "rbe");

  if (f != NULL) {
    ok = fread (head, 1, sizeof head, f) == sizeof head && memcmp (head, mark, sizeof head) == 0;
    (void) fclose (f);
  }
  return ok;
}

/* May a result take the place of @dir? */
static gboolean
may_replace (const char *dir, GError **error)
{
  gboolean empty = FALSE;
  struct stat st;

  if (stat (dir, &st) != 0)
    return errno == ENOENT ? TRUE : io_error (error, "look at", dir);
  if (!S_ISDIR (st.st_mode)) {
    g_set_error (error, RP_ERROR, RP_ERROR_IO, "'%s' exists and is not a directory", dir);
    return FALSE;
  }
  if (!rp_folder_empty (dir, &empty, error))
    return FALSE;
  if (empty || holds_result (dir))
    return TRUE;
  g_set_error (error, RP_ERROR, RP_ERROR_IO,
               "'%s' exists and holds no earlier result (no summary.json of volsim); choose "
               "another directory or remove it",
               dir);
  return FALSE;
}

/* A new directory beside the target; the number tells runs of one process apart. */
static char *
make_sibling (const char *target, const char *kind, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (target), *name = g_path_get_basename (target);

  for (guint i = 0;; i++) {
    g_autofree char *file
        = i == 0 ? g_strdup_printf (".%s.%s-%ld", name, kind, (long) getpid ())
                 : g_strdup_printf (".%s.%s-%ld-%u", name, kind, (long) getpid (), i);
    g_autofree char *path = g_build_filename (parent, file, NULL);

    if (g_mkdir (path, 0777) == 0)
      return g_steal_pointer (&path);
    if (errno != EEXIST || i >= 1000) {
      io_error (error, "create", path);
      return NULL;
    }
  }
}

/* What a results directory holds beside the tables. */
static const char *const other_files[] = { "summary.json", "timing.json", "charts", "report.html", "volcano-scheduler.conf", NULL };

void
rp_results_remove (const char *dir)
{
  for (guint f = 0; f < RP_N_FILES; f++) {
    g_autofree char *path = g_build_filename (dir, rp_file_name (f), NULL);

    (void) g_unlink (path);
  }
  for (const char *const *name = other_files; *name != NULL; name++) {
    g_autofree char *path = g_build_filename (dir, *name, NULL);

    rp_folder_remove (path);
  }
  (void) g_rmdir (dir);
}

/* Put the finished directory in its place. What volsim did not write into the old one moves along.
 */
static gboolean
move_into_place (RpResults *r, GError **error)
{
  g_autofree char *old = NULL;
  g_autoptr (GDir) d = NULL;
  const char *name;

  if (!may_replace (r->target, error)) /* it may have changed since the start */
    return FALSE;
  if (g_file_test (r->target, G_FILE_TEST_EXISTS)) {
    old = make_sibling (r->target, "old", error);
    if (old == NULL)
      return FALSE;
    if (g_rename (r->target, old) != 0) { /* onto an empty directory */
      io_error (error, "move away", r->target);
      (void) g_rmdir (old);
      return FALSE;
    }
  }
  if (g_rename (r->partial, r->target) != 0) {
    io_error (error, "create", r->target);
    if (old != NULL)
      (void) g_rename (old, r->target);
    return FALSE;
  }
  g_clear_pointer (&r->partial, g_free);
  if (old == NULL)
    return TRUE;
  rp_results_remove (old);
  d = g_dir_open (old, 0, NULL);
  while (d != NULL && (name = g_dir_read_name (d)) != NULL) {
    g_autofree char *from = g_build_filename (old, name, NULL), *to = g_build_filename (r->target, name, NULL);

    if (g_file_test (to, G_FILE_TEST_EXISTS) || g_rename (from, to) != 0)
      rp_folder_remove (from);
  }
  (void) g_rmdir (old);
  return TRUE;
}

/* ---- opening -------------------------------------------------------------------------------- */

static char *
resolve (const char *dir)
{
  char *real = realpath (dir, NULL); /* a link to a directory: replace what it points to */
  char *out;

  if (real == NULL)
    return g_canonicalize_filename (dir, NULL);
  out = g_strdup (real);
  free (real);
  return out;
}

static gboolean
open_file (RpResults *r, RpFile f, const char *const *extra, GError **error)
{
  g_auto (GStrv) header = rp_schema_header (f, r->resources, r->n_resources, extra, r->n_extra);
  g_autofree char *path = g_build_filename (r->partial, rp_file_name (f), NULL);

  r->csv[f] = rp_csv_open (path, g_strv_length (header), error);
  if (r->csv[f] == NULL)
    return FALSE;
  for (guint i = 0; header[i] != NULL; i++)
    rp_csv_text (r->csv[f], header[i]);
  rp_csv_end_row (r->csv[f]);
  return TRUE;
}

static gboolean
open_files (RpResults *r, const char *const *extra, GError **error)
{
  for (guint f = 0; f < RP_N_FILES; f++)
    if (f != RP_FILE_CHAIN && f != RP_FILE_SCHEDULERS && f != RP_FILE_RACKS && f != RP_FILE_RECORDED && f != RP_FILE_MISFITS && !open_file (r, f, extra, error))
      return FALSE;
  return TRUE;
}

gboolean
rp_results_follow (RpResults *r, GError **error)
{
  return r->dir == NULL || open_file (r, RP_FILE_CHAIN, NULL, error);
}

gboolean
rp_results_several (RpResults *r, GError **error)
{
  return r->dir == NULL || open_file (r, RP_FILE_SCHEDULERS, NULL, error);
}

gboolean
rp_results_racks (RpResults *r, GError **error)
{
  return r->dir == NULL || open_file (r, RP_FILE_RACKS, NULL, error);
}

gboolean
rp_results_recorded (RpResults *r, GError **error)
{
  return r->dir == NULL || open_file (r, RP_FILE_RECORDED, NULL, error);
}

gboolean
rp_results_misfits (RpResults *r, GError **error)
{
  r->summary.followed.told = TRUE;
  return r->dir == NULL || open_file (r, RP_FILE_MISFITS, NULL, error);
}

RpResults *
rp_results_new (const char *dir, const RpResource *resources, guint n_resources,
                const char *const *extra_columns, guint n_extra, GError **error)
{
  g_autoptr (RpResults) r = g_new0 (RpResults, 1);
  g_autofree char *parent = NULL;

  r->dir = g_strdup (dir);
  r->made_parents = g_ptr_array_new_with_free_func (g_free);
  r->n_resources = n_resources;
  r->n_extra = n_extra;
  r->resources = g_new0 (RpResource, n_resources);
  for (guint i = 0; i < n_resources; i++)
    r->resources[i] = (RpResource){ g_strdup (resources[i].name), resources[i].divisor };
  rp_summary_init (&r->summary, r->resources, n_resources);
  if (dir == NULL)
    return g_steal_pointer (&r);
  r->target = resolve (dir);
  if (!may_replace (r->target, error))
    return NULL;
  parent = g_path_get_dirname (r->target);
  if (!rp_folder_make (parent, r->made_parents, error))
    return NULL;
  r->partial = make_sibling (r->target, "partial", error);
  if (r->partial == NULL || !open_files (r, extra_columns, error))
    return NULL;
  return g_steal_pointer (&r);
}

void
rp_results_free (RpResults *r)
{
  if (r == NULL)
    return;
  for (guint f = 0; f < RP_N_FILES; f++)
    rp_csv_free (r->csv[f]);
  if (r->partial != NULL)
    rp_folder_remove (r->partial);
  if (!r->committed)
    rp_folder_unmake (r->made_parents);
  rp_summary_clear (&r->summary);
  for (guint i = 0; i < r->n_resources; i++)
    g_free ((char *) r->resources[i].name);
  g_free (r->resources);
  g_ptr_array_unref (r->made_parents);
  g_free (r->version);
  g_free (r->partial);
  g_free (r->target);
  g_free (r->dir);
  g_free (r);
}

/* ---- rows ----------------------------------------------------------------------------------- */

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

void
rp_results_end (RpResults *r, gint64 time)
{
  rp_summary_end (&r->summary, time);
  r->ended = TRUE;
}

/* ---- commit --------------------------------------------------------------------------------- */

static gboolean
write_file (RpResults *r, const char *name, const char *text, gsize length, GError **error)
{
  g_autofree char *path = g_build_filename (r->partial, name, NULL);
  FILE *f = fopen (path, "wxe");
  gboolean ok;

  if (f == NULL)
    return io_error (error, "create", path);
  ok = fwrite (text, 1, length, f) == length;
  if (!ok) {
    io_error (error, "write", path);
    (void) fclose (f);
    return FALSE;
  }
  return fclose (f) == 0 ? TRUE
                         : io_error (error, "write", path); /* a full disk may show only here */
}

static gboolean
draw_charts (RpResults *r, char **warning, GError **error)
{
  g_autofree char *dir = g_build_filename (r->partial, "charts", NULL), *text = NULL;

  if (g_mkdir (dir, 0777) != 0)
    return io_error (error, "create", dir);
  if (!rp_charts_draw (&r->summary, dir, &text, error))
    return FALSE;
  r->charts = text == NULL;
  if (text != NULL)
    rp_folder_remove (dir);
  if (warning != NULL)
    *warning = g_steal_pointer (&text);
  return TRUE;
}

gboolean
rp_results_commit (RpResults *r, const RpManifest *m, const RpTiming *t, gboolean charts,
                   char **warning, GError **error)
{
  g_autofree char *summary = NULL, *timing = NULL;
  guint64 rows[RP_N_FILES];
  gsize length;
  gboolean drawn;

  g_assert (!r->committed && r->dir != NULL);
  if (warning != NULL)
    *warning = NULL;
  if (!r->ended)
    rp_results_end (r, r->last_time);
  for (guint f = 0; f < RP_N_FILES; f++) {
    rows[f] = r->csv[f] != NULL ? rp_csv_rows (r->csv[f]) - 1 : RP_NO_FILE;
    if (r->csv[f] != NULL && !rp_csv_close (r->csv[f], error))
      goto failed;
  }
  r->version = g_strdup (m->version);
  summary = rp_summary_json (&r->summary, m, rows, &length);
  if (!write_file (r, "summary.json", summary, length, error))
    goto failed;
  if (m->conf_text != NULL && !write_file (r, "volcano-scheduler.conf", m->conf_text, strlen (m->conf_text), error))
    goto failed;
  const RpTook before = rp_took (NULL, TRUE);

  drawn = !charts || draw_charts (r, warning, error);
  if (m->interrupted != NULL && *m->interrupted != 0) { /* gnuplot gets the terminal's Ctrl-C as well, and fails of it */
    g_clear_error (error);
    g_set_error_literal (error, RP_ERROR, RP_ERROR_INTERRUPTED, "interrupted; no results are written");
    goto failed;
  }
  if (!drawn)
    goto failed;
  const RpTook drawing = rp_took (&before, TRUE);

  timing = rp_timing_json (t, r->charts ? &drawing : NULL, r->summary.end, &length);
  if (!write_file (r, "timing.json", timing, length, error) || !move_into_place (r, error))
    goto failed;
  r->committed = TRUE;
  return TRUE;

failed:
  rp_folder_remove (r->partial); /* make room at once: the caller may still want to write */
  return FALSE;
}

const RpSummary *
rp_results_summary (const RpResults *r)
{
  return &r->summary;
}

char *
rp_results_summary_text (const RpResults *r)
{
  return rp_summary_text (&r->summary, r->version != NULL ? r->version : VOLSIM_VERSION, r->dir,
                          r->charts);
}
