#include "task-lines.h"
#include "session-private.h"
#include <string.h>

typedef struct {
  VcTaskLine line;
  guint32 *all, n_all; /* all tasks of the job in their order */
  guint32 *base;       /* where the line's array begins */
  guint32 serial, roster, generation; /* of what it was made: the job, its tasks, the configuration */
  guint32 came, left;  /* … and who was pending */
  guint n_roles;       /* of the line; 0: two tasks of a role are not alike */
  gboolean good;
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
  for (guint32 i = 0; i < l->n; i++) {
    g_free (l->kept[i].base);
    g_free (l->kept[i].all);
  }
  g_free (l->kept);
  g_ptr_array_unref (l->old);
  g_free (l);
}

void
vc_task_lines_begin (VcTaskLines *l)
{
  g_ptr_array_set_size (l->old, 0);
}

/* What decides for a task before any node is looked at. A claim may count against a quota of devices, and who opted in to the admission gate reserves. */
static gboolean
are_alike (const VcTask *l, const VcTask *r)
{
  return l->shape == r->shape && l->sub == r->sub && !r->gated && !r->gate_opt_in && r->claims == NULL;
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
put_in_order (VcSession *ssn, guint32 job, Kept *k)
{
  const VcCluster *c = ssn->cluster;
  const VcJob *j = &c->job[job];
  gboolean indexed = FALSE, unindexed = FALSE;

  g_free (k->all);
  k->all = g_memdup2 (j->task, j->n_tasks * sizeof *j->task);
  k->n_all = j->n_tasks;
  for (guint32 i = 0; i < k->n_all; i++)
    *(c->task[k->all[i]].has_index ? &indexed : &unindexed) = TRUE;
  k->good = !(indexed && unindexed); /* with both the default order is not transitive */
  if (k->good && !is_sorted (ssn, k->all, k->n_all)) {
    g_qsort_with_data (k->all, (gint) k->n_all, sizeof *k->all, by_task_order, ssn);
    k->good = is_sorted (ssn, k->all, k->n_all);
  }
}

static void
pick (VcSession *ssn, guint32 job, Kept *k)
{
  const VcCluster *c = ssn->cluster;
  const VcJob *j = &c->job[job];
  const guint most = j->count[VC_PENDING];
  guint32 *task = g_new (guint32, most + 1), n = 0;
  g_autofree guint32 *first = g_new (guint32, j->n_roles + 1); /* of each role */
  gboolean alike = TRUE;

  k->n_roles = 0;
  memset (first, 0xff, j->n_roles * sizeof *first);
  for (guint32 i = 0, seen = 0; i < k->n_all && seen < most; i++) {
    const VcTask *t = &c->task[k->all[i]];

    seen += t->status == VC_PENDING;
    if (!vc_task_may_be_placed (t))
      continue;
    task[n++] = k->all[i];
    if (first[t->role] == VC_NONE) {
      first[t->role] = k->all[i];
      k->n_roles++;
    }
    alike &= are_alike (&c->task[first[t->role]], t);
  }
  if (!alike)
    k->n_roles = 0;
  if (k->base != NULL)
    g_ptr_array_add (ssn->engine->task_lines->old, k->base);
  k->base = task;
  k->line = (VcTaskLine) { task, n };
}

/* Nobody has become pending: whoever is not any more is missing. As a rule it is those in front, who were placed. FALSE: it is not. */
static gboolean
drop_front (VcSession *ssn, guint32 job, Kept *k)
{
  const VcCluster *c = ssn->cluster;
  const VcJob *j = &c->job[job];
  const guint32 n = j->count[VC_PENDING];

  if (j->pending_best_effort > 0 || j->pending_gated > 0 || n > k->line.n)
    return FALSE;
  for (guint32 i = 0; i < k->line.n - n; i++)
    if (c->task[k->line.task[i]].status == VC_PENDING)
      return FALSE;
  k->line = (VcTaskLine) { k->line.task + (k->line.n - n), n };
  if (k->n_roles > 0) {
    k->n_roles = 0;
    for (guint r = 0; r < j->n_roles; r++)
      k->n_roles += j->role[r].count[VC_PENDING] > 0;
  }
  return TRUE;
}

const VcTaskLine *
vc_task_line (VcSession *ssn, guint32 job)
{
  const VcEngine *e = ssn->engine;
  VcTaskLines *l = e->task_lines;
  const VcJob *j = &ssn->cluster->job[job];

  if (!vc_session_may_keep_order (ssn, VC_HOOK_TASK_ORDER))
    return NULL;
  if (job >= l->n) {
    guint32 n = ssn->cluster->n_jobs;

    l->kept = vc_grow (l->kept, &l->cap, n, sizeof *l->kept);
    memset (l->kept + l->n, 0, (n - l->n) * sizeof *l->kept);
    l->n = n;
  }
  Kept *k = &l->kept[job];
  const gboolean fresh = k->serial != j->serial || k->roster != j->roster_version || k->generation != e->conf_generation;
  if (fresh)
    put_in_order (ssn, job, k);
  if (fresh || k->came != j->pending_came || (k->left != j->pending_left && !drop_front (ssn, job, k)))
    pick (ssn, job, k);
  k->serial = j->serial;
  k->roster = j->roster_version;
  k->came = j->pending_came;
  k->left = j->pending_left;
  k->generation = e->conf_generation;
  return k->good ? &k->line : NULL;
}

guint
vc_task_line_roles_alike (VcSession *ssn, guint32 job)
{
  const VcObserver *o = ssn->engine->options.observer;

  return (o != NULL && o->pick != NULL) || vc_session_logs (ssn, 3) ? 0 : ssn->engine->task_lines->kept[job].n_roles;
}
