#include "job-lines.h"
#include "session-private.h"
#include <string.h>

enum { MAX_KEYS = 6, FEW = 8 /* a line of less than one in so many jobs is left to a heap */ };

/* What a job is ordered by, as last asked: the words of the plugins, then the second of its creation, then its name. One line of cache. */
typedef struct {
  gint64 key[MAX_KEYS];
  gint64 created;
  guint32 serial;  /* of the job; 0: the row is not in the list */
  guint32 session; /* in which it was asked */
} Place;

typedef struct {
  guint32 round;     /* the set of lines that it belongs to */
  guint32 n;         /* added */
  guint32 at, end;   /* of VcJobLines.item */
  guint32 heap;      /* slot of the session's heaps: jobs put back, or all of them; VC_NONE: none yet */
} Line;

struct VcJobLines {
  VcSession *ssn;
  guint32 round;     /* of the set of lines */
  gboolean keyed;    /* the words of all plugins are there */
  Line *line; guint32 cap_line;    /* per queue */
  GArray *added;     /* guint32: jobs, in the order in which they came */
  guint32 *item; guint32 cap_item; /* the lines, one after the other */
  guint32 *line_of; guint32 cap_line_of; /* job row → queue row + 1, of jobs of this set; else 0 */
  /* the list */
  Place *place; guint32 cap_place; /* per job row */
  guint32 *list, n_list, cap_list; /* job rows, best first */
  GArray *moved;     /* guint32 */
  guint8 *is_moved; guint32 cap_moved;
  guint n_keys;
  guint32 session;   /* in which it was brought up to date */
};

VcJobLines *
vc_job_lines_new (void)
{
  VcJobLines *l = g_new0 (VcJobLines, 1);

  l->added = g_array_new (FALSE, FALSE, sizeof (guint32));
  l->moved = g_array_new (FALSE, FALSE, sizeof (guint32));
  return l;
}

void
vc_job_lines_free (VcJobLines *l)
{
  if (l == NULL)
    return;
  g_array_unref (l->added);
  g_array_unref (l->moved);
  g_free (l->line);
  g_free (l->item);
  g_free (l->line_of);
  g_free (l->place);
  g_free (l->list);
  g_free (l->is_moved);
  g_free (l);
}

/* ---- the list -------------------------------------------------------------------------------- */

static int
compare_places (gconstpointer a, gconstpointer b, gpointer user)
{
  const VcJobLines *l = user;
  guint32 i = *(const guint32 *) a, k = *(const guint32 *) b;
  const Place *p = &l->place[i], *q = &l->place[k];

  for (guint w = 0; w < l->n_keys; w++)
    if (p->key[w] != q->key[w])
      return p->key[w] < q->key[w] ? -1 : 1;
  if (p->created != q->created)
    return p->created < q->created ? -1 : 1;
  return strcmp (l->ssn->cluster->job[i].key, l->ssn->cluster->job[k].key);
}

/* Ask the plugins again; TRUE when the answer is another one. FALSE in @good: a plugin cannot say it in a number. */
static gboolean
ask (VcJobLines *l, guint32 job, gboolean *good)
{
  VcSession *ssn = l->ssn;
  const VcJob *j = &ssn->cluster->job[job];
  const VcChain *c = &ssn->chain[VC_HOOK_JOB_ORDER];
  Place *p = &l->place[job];
  gboolean other = p->serial != j->serial || p->created != j->created;

  for (guint i = 0; i < c->n; i++) {
    gint64 word = 0;

    *good &= ((VcJobKeyFn) c->item[i].aux) (c->item[i].self, ssn, job, &word);
    other |= p->key[i] != word;
    p->key[i] = word;
  }
  p->created = j->created;
  p->serial = j->serial;
  p->session = ssn->number;
  return other;
}

static void
move (VcJobLines *l, guint32 job)
{
  if (l->is_moved[job])
    return;
  l->is_moved[job] = TRUE;
  g_array_append_val (l->moved, job);
}

/* Where @job belongs in list[from..to): it is none of these. */
static guint32
place_of (const VcJobLines *l, guint32 job, const guint32 *list, guint32 from, guint32 to)
{
  while (from < to) {
    guint32 mid = from + (to - from) / 2;

    if (compare_places (&list[mid], &job, (gpointer) l) < 0)
      from = mid + 1;
    else
      to = mid;
  }
  return from;
}

/* Those that moved leave the list, with those that are gone, and come in where they belong. */
static void
put_in_order (VcJobLines *l)
{
  guint32 kept = 0, room = l->ssn->n_jobs;

  for (guint32 i = 0; i < l->n_list; i++)
    if (l->place[l->list[i]].session == l->ssn->number && !l->is_moved[l->list[i]])
      l->list[kept++] = l->list[i];
    else if (!l->is_moved[l->list[i]])
      l->place[l->list[i]].serial = 0;
  l->list = vc_grow (l->list, &l->cap_list, room, sizeof *l->list);
  g_array_sort_with_data (l->moved, compare_places, l);
  l->n_list = kept + l->moved->len;
  /* from the end: what lies behind a newcomer goes to its final place, and then he does */
  for (guint i = l->moved->len; i-- > 0;) {
    guint32 job = g_array_index (l->moved, guint32, i), at = place_of (l, job, l->list, 0, kept);

    memmove (&l->list[at + i + 1], &l->list[at], (kept - at) * sizeof *l->list);
    l->list[at + i] = job;
    kept = at;
    l->is_moved[job] = FALSE;
  }
  g_array_set_size (l->moved, 0);
}

/* FALSE: some plugin cannot say its part in a number. */
static gboolean
bring_up_to_date (VcJobLines *l)
{
  VcSession *ssn = l->ssn;
  guint n_keys = ssn->chain[VC_HOOK_JOB_ORDER].n;
  gboolean good = TRUE, first = l->session != ssn->number;

  l->place = vc_grow (l->place, &l->cap_place, ssn->cluster->n_jobs, sizeof *l->place);
  l->is_moved = vc_grow (l->is_moved, &l->cap_moved, ssn->cluster->n_jobs, sizeof *l->is_moved);
  if (l->n_keys != n_keys) {
    for (guint32 i = 0; i < l->n_list; i++)
      l->place[l->list[i]].serial = 0;
    l->n_list = 0;
    l->n_keys = n_keys;
  }
  if (first) {
    for (guint i = 0; i < ssn->n_jobs; i++)
      if (ask (l, ssn->jobs[i], &good))
        move (l, ssn->jobs[i]);
  } else { /* since then only jobs whose tasks moved can be others */
    for (guint32 i = 0; i < ssn->n_touched; i++) {
      guint32 job = ssn->cluster->task[ssn->touched[i]].job;

      if (vc_job_in_session (ssn->cluster, job) && ask (l, job, &good))
        move (l, job);
    }
  }
  if (first || l->moved->len > 0)
    put_in_order (l);
  l->session = good ? ssn->number : 0;
  return good;
}

/* ---- lines ----------------------------------------------------------------------------------- */

VcJobLines *
vc_job_lines_begin (VcSession *ssn)
{
  VcJobLines *l = ssn->engine->lines;

  l->ssn = ssn;
  l->round++;
  l->line = vc_grow (l->line, &l->cap_line, ssn->cluster->n_queues, sizeof *l->line);
  g_array_set_size (l->added, 0);
  l->keyed = ssn->chain[VC_HOOK_JOB_ORDER].n <= MAX_KEYS && vc_session_may_keep_order (ssn, VC_HOOK_JOB_ORDER);
  return l;
}

static void
push_heap (VcJobLines *l, Line *line, guint32 job)
{
  if (line->heap == VC_NONE)
    vc_session_heap (l->ssn, &line->heap, vc_session_heap_job_less);
  vc_heap_push (&l->ssn->engine->heap[line->heap], job);
}

gboolean
vc_job_lines_add (VcJobLines *l, guint32 queue, guint32 job)
{
  Line *line = &l->line[queue];
  gboolean fresh = line->round != l->round;

  if (fresh)
    *line = (Line) { .round = l->round, .heap = VC_NONE };
  line->n++;
  if (l->keyed)
    g_array_append_val (l->added, job);
  else
    push_heap (l, line, job);
  return fresh;
}

/* Each line is a part of `item`; the list says in which order. */
static void
take_from_list (VcJobLines *l)
{
  const VcCluster *c = l->ssn->cluster;
  guint32 begin = 0;

  l->item = vc_grow (l->item, &l->cap_item, l->added->len, sizeof *l->item);
  l->line_of = vc_grow (l->line_of, &l->cap_line_of, c->n_jobs, sizeof *l->line_of);
  for (guint32 q = 0; q < c->n_queues; q++)
    if (l->line[q].round == l->round) {
      l->line[q].at = l->line[q].end = begin;
      begin += l->line[q].n;
    }
  for (guint i = 0; i < l->added->len; i++) {
    guint32 job = g_array_index (l->added, guint32, i);

    l->line_of[job] = c->job[job].queue + 1;
  }
  for (guint32 i = 0; i < l->n_list; i++) {
    guint32 job = l->list[i], queue = l->line_of[job];

    if (queue == 0)
      continue;
    l->item[l->line[queue - 1].end++] = job;
    l->line_of[job] = 0;
  }
}

void
vc_job_lines_close (VcJobLines *l)
{
  if (!l->keyed)
    return;
  if ((guint64) l->added->len * FEW >= l->ssn->n_jobs && bring_up_to_date (l)) {
    take_from_list (l);
    return;
  }
  for (guint i = 0; i < l->added->len; i++) {
    guint32 job = g_array_index (l->added, guint32, i);

    push_heap (l, &l->line[l->ssn->cluster->job[job].queue], job);
  }
}

static inline gboolean
heap_is_empty (const VcJobLines *l, const Line *line)
{
  return line->heap == VC_NONE || vc_heap_is_empty (&l->ssn->engine->heap[line->heap]);
}

gboolean
vc_job_lines_is_empty (const VcJobLines *l, guint32 queue)
{
  const Line *line = &l->line[queue];

  return line->round != l->round || (line->at == line->end && heap_is_empty (l, line));
}

/* Does the next job come from the heap, rather than from the list? The line is not empty. */
static gboolean
heap_is_next (const VcJobLines *l, const Line *line)
{
  return line->at == line->end
         || (!heap_is_empty (l, line) && vc_session_job_less (l->ssn, l->ssn->engine->heap[line->heap].item[0], l->item[line->at]));
}

guint32
vc_job_lines_next (const VcJobLines *l, guint32 queue)
{
  const Line *line = &l->line[queue];

  if (vc_job_lines_is_empty (l, queue))
    return VC_NONE;
  return heap_is_next (l, line) ? l->ssn->engine->heap[line->heap].item[0] : l->item[line->at];
}

guint32
vc_job_lines_pop (VcJobLines *l, guint32 queue)
{
  Line *line = &l->line[queue];

  g_assert (!vc_job_lines_is_empty (l, queue));
  return heap_is_next (l, line) ? vc_heap_pop (&l->ssn->engine->heap[line->heap]) : l->item[line->at++];
}

void
vc_job_lines_push (VcJobLines *l, guint32 queue, guint32 job)
{
  push_heap (l, &l->line[queue], job);
}
