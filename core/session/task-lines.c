#include "task-lines.h"
#include "session-private.h"

typedef struct {
  VcTaskLine line;
  guint32 serial, version, generation; /* of what it was made: the job, its tasks, the configuration */
  gboolean good, alike;
} Kept;

struct VcTaskLines {
  Kept *kept; guint32 n, cap; /* by row of the job */
  GPtrArray *old;             /* lists of before, which records of this session may point to */
};

VcTaskLines *
vc_task_lines_new (void)
{
  VcTaskLines *l = g_new0 (VcTaskLines, 1);

  l->old = g_ptr_array_new_with_free_func (g_free);
  return l;
}

void
vc_task_lines_free (VcTaskLines *l)
{
  if (l == NULL)
    return;
  for (guint32 i = 0; i < l->n; i++)
    g_free ((gpointer) l->kept[i].line.task);
  g_free (l->kept);
  g_ptr_array_unref (l->old);
  g_free (l);
}

void
vc_task_lines_begin (VcTaskLines *l)
{
  g_ptr_array_set_size (l->old, 0);
}

static gboolean
is_steady (const VcSession *ssn)
{
  const VcChain *c = &ssn->chain[VC_HOOK_TASK_ORDER];

  if (ssn->engine->options.plain)
    return FALSE;
  for (guint i = 0; i < c->n; i++)
    if (c->item[i].aux == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
may_be_placed (const VcTask *t)
{
  return t->status == VC_PENDING && !t->best_effort && (!t->gated || t->gate_only_queue);
}

/* What decides for a task before any node is looked at. A claim may count against a quota of devices, and who opted in to the admission gate reserves. */
static gboolean
are_alike (const VcTask *l, const VcTask *r)
{
  return l->shape == r->shape && l->role == r->role && l->sub == r->sub && !r->gated && !r->gate_opt_in && r->claims == NULL;
}

static int
by_task_order (gconstpointer a, gconstpointer b, gpointer ssn)
{
  const guint32 l = *(const guint32 *) a, r = *(const guint32 *) b;

  return l == r ? 0 : vc_session_task_less (ssn, l, r) ? -1 : 1;
}

/* Is each before the next one? Equal ones (there are none among pods of a cluster) would be a matter of the heap's layout. */
static gboolean
is_sorted (VcSession *ssn, const guint32 *task, guint32 n)
{
  for (guint32 i = 1; i < n; i++)
    if (!vc_session_task_less (ssn, task[i - 1], task[i]))
      return FALSE;
  return TRUE;
}

static void
make (VcSession *ssn, guint32 job, Kept *k)
{
  const VcCluster *c = ssn->cluster;
  const VcJob *j = &c->job[job];
  guint32 *task = g_new (guint32, MIN (j->n_tasks, j->count[VC_PENDING]) + 1), n = 0;
  gboolean indexed = FALSE, unindexed = FALSE;

  k->alike = TRUE;
  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = &c->task[j->task[i]];

    if (!may_be_placed (t))
      continue;
    task[n++] = j->task[i];
    *(t->has_index ? &indexed : &unindexed) = TRUE;
    k->alike &= are_alike (&c->task[task[0]], t);
  }
  k->good = !(indexed && unindexed); /* with both the default order is not transitive */
  if (k->good && !is_sorted (ssn, task, n)) {
    g_qsort_with_data (task, (gint) n, sizeof *task, by_task_order, ssn);
    k->good = is_sorted (ssn, task, n);
  }
  if (k->line.task != NULL)
    g_ptr_array_add (ssn->engine->task_lines->old, (gpointer) k->line.task);
  k->line = (VcTaskLine) { task, n };
}

const VcTaskLine *
vc_task_line (VcSession *ssn, guint32 job)
{
  const VcEngine *e = ssn->engine;
  VcTaskLines *l = e->task_lines;
  const VcJob *j = &ssn->cluster->job[job];

  if (!is_steady (ssn))
    return NULL;
  if (job >= l->n) {
    guint32 n = ssn->cluster->n_jobs;

    l->kept = vc_grow (l->kept, &l->cap, n, sizeof *l->kept);
    memset (l->kept + l->n, 0, (n - l->n) * sizeof *l->kept);
    l->n = n;
  }
  Kept *k = &l->kept[job];
  if (k->serial != j->serial || k->version != j->tasks_version || k->generation != e->conf_generation || k->line.task == NULL) {
    make (ssn, job, k);
    k->serial = j->serial;
    k->version = j->tasks_version;
    k->generation = e->conf_generation;
  }
  return k->good ? &k->line : NULL;
}

gboolean
vc_task_line_is_alike (VcSession *ssn, guint32 job)
{
  const VcObserver *o = ssn->engine->options.observer;

  return ssn->engine->task_lines->kept[job].alike && (o == NULL || o->pick == NULL) && !vc_session_logs (ssn, 3);
}
