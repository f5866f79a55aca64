#include "reports/room.h"
#include <math.h>
#include <string.h>

#define MOMENTS 16 /* at most, for one question */

typedef struct { gint64 time; guint32 node, job; gint8 sign; } Move;
typedef struct { gint64 time; guint question; } Moment;
typedef struct { guint job; RpRoomAnswer answer; } Question;

struct RpRoom {
  const RpRunData *d;
  guint n_nodes;
  double *idle;       /* [node][resource] */
  guint32 *pods;      /* [node] */
  double *capacity;   /* [resource] of all nodes */
  GArray *moves;      /* Move */
  GArray *moments;    /* Moment */
  GArray *questions;  /* Question */
};

static int
by_time (gconstpointer a, gconstpointer b)
{
  const Move *l = a, *r = b;

  if (l->time != r->time)
    return l->time < r->time ? -1 : 1;
  return l->sign < r->sign ? -1 : l->sign > r->sign; /* who leaves makes room for who comes */
}

static int
by_moment (gconstpointer a, gconstpointer b)
{
  const Moment *l = a, *r = b;

  return l->time < r->time ? -1 : l->time > r->time ? 1 : l->question < r->question ? -1 : l->question > r->question;
}

static guint
row_of (GHashTable *rows, gconstpointer key)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (rows, key));
}

static void
collect_moves (RpRoom *r)
{
  const RpRunData *d = r->d;
  g_autoptr (GHashTable) nodes = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) jobs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < d->nodes->len; i++)
    g_hash_table_insert (nodes, (gpointer) g_array_index (d->nodes, RpNode, i).node, GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < d->jobs->len; i++) {
    const RpJob *j = &g_array_index (d->jobs, RpJob, i);

    g_hash_table_replace (jobs, g_strconcat (j->ns, "\n", j->job, NULL), GUINT_TO_POINTER (i + 1));
  }
  g_autoptr (GString) key = g_string_new (NULL);

  for (guint i = 0; i < d->tasks->len; i++) {
    const RpTask *t = &g_array_index (d->tasks, RpTask, i);
    gint64 from = t->assumed != RP_NONE ? t->assumed : t->bound;

    if (*t->node == '\0' || from == RP_NONE)
      continue;
    g_string_printf (key, "%s\n%s", t->ns, t->job);
    guint node = row_of (nodes, t->node), job = row_of (jobs, key->str);

    if (node == 0 || job == 0)
      continue;
    Move in = { from, node - 1, job - 1, 1 }, out = { t->finished, node - 1, job - 1, -1 };

    g_array_append_val (r->moves, in);
    if (t->finished != RP_NONE)
      g_array_append_val (r->moves, out);
  }
  g_array_sort (r->moves, by_time);
}

RpRoom *
rp_room_new (const RpRunData *d)
{
  RpRoom *r = g_new0 (RpRoom, 1);

  r->d = d;
  r->n_nodes = d->nodes->len;
  r->idle = g_new0 (double, (gsize) r->n_nodes * d->n_res + 1);
  r->pods = g_new0 (guint32, r->n_nodes + 1);
  r->capacity = g_new0 (double, d->n_res + 1);
  r->moves = g_array_new (FALSE, FALSE, sizeof (Move));
  r->moments = g_array_new (FALSE, FALSE, sizeof (Moment));
  r->questions = g_array_new (FALSE, TRUE, sizeof (Question));
  for (guint n = 0; n < r->n_nodes; n++) {
    const double *capacity = g_array_index (d->nodes, RpNode, n).capacity;

    for (guint k = 0; k < d->n_res && capacity != NULL; k++) {
      r->idle[(gsize) n * d->n_res + k] = capacity[k];
      r->capacity[k] += capacity[k];
    }
  }
  return r;
}

void
rp_room_free (RpRoom *r)
{
  if (r == NULL)
    return;
  g_free (r->idle);
  g_free (r->pods);
  g_free (r->capacity);
  g_array_unref (r->moves);
  g_array_unref (r->moments);
  g_array_unref (r->questions);
  g_free (r);
}

guint
rp_room_ask (RpRoom *r, guint job, gint64 from, gint64 to)
{
  Question q = { .job = job };
  guint n = to - from >= MOMENTS ? MOMENTS : 1;

  for (guint i = 0; i < n; i++) {
    Moment m = { n == 1 ? to : from + (to - from) / n * i + (to - from) / n / 2, r->questions->len };

    g_array_append_val (r->moments, m);
  }
  g_array_append_val (r->questions, q);
  return r->questions->len - 1;
}

static inline double
slack (double v)
{
  return 1e-9 * MAX (fabs (v), 1);
}

static void
look (RpRoom *r, Question *q)
{
  const RpRunData *d = r->d;
  const RpJob *j = &g_array_index (d->jobs, RpJob, q->job);
  guint64 needs = MAX (j->min_available, 1), places = 0;
  g_autofree double *sum = g_new0 (double, d->n_res + 1);
  guint64 others = 0;
  gboolean enough = TRUE;

  for (guint n = 0; n < r->n_nodes; n++) {
    const double *idle = r->idle + (gsize) n * d->n_res;
    double fits = (double) needs;

    if (((g_array_index (d->nodes, RpNode, n).pools >> j->pool) & 1) == 0)
      continue;
    others += r->pods[n];
    for (guint k = 0; k < d->n_res; k++) {
      sum[k] += idle[k];
      if (j->pod[k] > 0)
        fits = MIN (fits, floor ((idle[k] + slack (idle[k])) / j->pod[k]));
    }
    places += fits > 0 ? (guint64) fits : 0;
  }
  for (guint k = 0; k < d->n_res; k++)
    enough &= j->least == NULL || j->least[k] <= sum[k] + slack (sum[k]);
  q->answer.asked++;
  q->answer.fits += places >= needs;
  q->answer.by_sum += enough;
  q->answer.empty += others == 0;
}

/* Do the nodes add up to what the cluster had in the cycle before @time? */
static gboolean
adds_up (const RpRoom *r, gint64 time, guint *cycle)
{
  const GArray *cycles = r->d->cycles;

  while (*cycle + 1 < cycles->len && g_array_index (cycles, RpCycle, *cycle + 1).time <= time)
    ++*cycle;
  if (cycles->len == 0)
    return FALSE;
  const double *capacity = g_array_index (cycles, RpCycle, *cycle).capacity;

  for (guint k = 0; k < r->d->n_res && capacity != NULL; k++)
    if (fabs (capacity[k] - r->capacity[k]) > slack (capacity[k]))
      return FALSE;
  return capacity != NULL;
}

void
rp_room_answer (RpRoom *r)
{
  const RpRunData *d = r->d;
  guint move = 0, cycle = 0;

  if (r->moments->len == 0)
    return;
  collect_moves (r);
  g_array_sort (r->moments, by_moment);
  for (guint i = 0; i < r->moments->len; i++) {
    const Moment *m = &g_array_index (r->moments, Moment, i);
    Question *q = &g_array_index (r->questions, Question, m->question);
    const RpJob *asks = &g_array_index (d->jobs, RpJob, q->job);

    for (; move < r->moves->len && g_array_index (r->moves, Move, move).time <= m->time; move++) {
      const Move *v = &g_array_index (r->moves, Move, move);
      const RpJob *j = &g_array_index (d->jobs, RpJob, v->job);

      for (guint k = 0; k < d->n_res && j->pod != NULL; k++)
        r->idle[(gsize) v->node * d->n_res + k] -= v->sign * j->pod[k];
      r->pods[v->node] += (guint32) v->sign;
    }
    if (asks->pool != RP_NO_POOL && asks->pod != NULL && adds_up (r, m->time, &cycle))
      look (r, q);
  }
}

RpRoomAnswer
rp_room_get (const RpRoom *r, guint question)
{
  return g_array_index (r->questions, Question, question).answer;
}
