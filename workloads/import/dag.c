/* workloads/import/dag.c - see dag.h. */
#include "dag.h"
#include <string.h>

#define MOST_DIGITS 6

typedef struct {
  guint own;                  /* its number, 0: none */
  guint first_number, first;  /* where what it waits for begins: in numbers, in needs */
} Task;

struct WlDag {
  GArray *task;    /* Task, and one more behind them */
  GArray *numbers; /* guint32, as the names say */
  GArray *needs;   /* guint32, tasks */
  GArray *order;   /* guint32 */
};

WlDag *
wl_dag_new (void)
{
  WlDag *d = g_new0 (WlDag, 1);

  d->task = g_array_new (FALSE, FALSE, sizeof (Task));
  d->numbers = g_array_new (FALSE, FALSE, sizeof (guint32));
  d->needs = g_array_new (FALSE, FALSE, sizeof (guint32));
  d->order = g_array_new (FALSE, FALSE, sizeof (guint32));
  return d;
}

void
wl_dag_free (WlDag *d)
{
  if (d == NULL)
    return;
  g_array_unref (d->task);
  g_array_unref (d->numbers);
  g_array_unref (d->needs);
  g_array_unref (d->order);
  g_free (d);
}

void
wl_dag_clear (WlDag *d)
{
  g_array_set_size (d->task, 0);
  g_array_set_size (d->numbers, 0);
}

/* Digits at *at, which moves behind them; 0: none, or too many. */
static guint32
read_number (const char **at)
{
  guint32 v = 0;
  guint n = 0;

  for (; g_ascii_isdigit ((*at)[n]); n++)
    v = n < MOST_DIGITS ? v * 10 + (guint32) ((*at)[n] - '0') : 0;
  *at += n;
  return n <= MOST_DIGITS ? v : 0;
}

void
wl_dag_add (WlDag *d, const char *name)
{
  Task t = { .first_number = d->numbers->len };
  const char *p = name;

  while (g_ascii_isalpha (*p))
    p++;
  if (p > name)
    t.own = read_number (&p);
  while (t.own > 0 && *p == '_') {
    p++;
    guint32 number = read_number (&p);

    if (number > 0 && (*p == '_' || *p == '\0'))
      g_array_append_val (d->numbers, number);
    p += strcspn (p, "_"); /* Stg3 */
  }
  g_array_append_val (d->task, t);
}

static void
find_needs (WlDag *d, guint n, guint *missing)
{
  *missing = 0;
  g_array_set_size (d->needs, 0);
  for (guint32 i = 0; i <= n; i++) {
    Task *t = &g_array_index (d->task, Task, i);

    t->first = d->needs->len;
    for (guint k = t->first_number; i < n && k < g_array_index (d->task, Task, i + 1).first_number; k++) {
      guint before = d->needs->len;

      for (guint32 other = 0; other < n; other++)
        if (g_array_index (d->task, Task, other).own == g_array_index (d->numbers, guint32, k))
          g_array_append_val (d->needs, other);
      *missing += d->needs->len == before;
    }
  }
}

gboolean
wl_dag_solve (WlDag *d, guint *missing, guint *edges)
{
  const Task end = { .first_number = d->numbers->len };
  guint n = d->task->len;
  g_autofree guint8 *done = g_new0 (guint8, n + 1);
  gboolean moved = TRUE;

  g_array_append_val (d->task, end);
  find_needs (d, n, missing);
  *edges = d->needs->len;
  g_array_set_size (d->order, 0);
  while (moved && d->order->len < n) { /* tasks usually come in order: one pass */
    moved = FALSE;
    for (guint32 i = 0; i < n; i++) {
      guint open = 0, n_needs;
      const guint32 *need = wl_dag_needs (d, i, &n_needs);

      for (guint k = 0; k < n_needs; k++)
        open += !done[need[k]];
      if (done[i] || open > 0)
        continue;
      done[i] = 1;
      g_array_append_val (d->order, i);
      moved = TRUE;
    }
  }
  return d->order->len == n;
}

guint
wl_dag_at (const WlDag *d, guint i)
{
  return g_array_index (d->order, guint32, i);
}

const guint32 *
wl_dag_needs (const WlDag *d, guint task, guint *n)
{
  guint first = g_array_index (d->task, Task, task).first;

  *n = g_array_index (d->task, Task, task + 1).first - first;
  return *n > 0 ? (const guint32 *) (const void *) d->needs->data + first : NULL;
}
