#include "batch.h"
#include <stdio.h>
#include <unistd.h>

typedef struct {
  const SimBatch *b;
  int next;               /* atomic: the piece that nobody has taken yet */
  GError **errors;        /* [n]: each place is written by the thread that has its piece */
  GAsyncQueue *done;      /* indices + 1, and a mark for each thread that ends */
} Shared;

#define SECOND 1000000

static const char thread_ends = 0; /* its address is the mark */

static gpointer
work (gpointer data)
{
  Shared *s = data;

  for (;;) {
    int i = g_atomic_int_add (&s->next, 1);

    if (i >= (int) s->b->n || (s->b->interrupted != NULL && *s->b->interrupted != 0))
      break;
    s->b->fn (s->b->user, (guint) i, &s->errors[i]);
    g_async_queue_push (s->done, GUINT_TO_POINTER ((guint) i + 1));
  }
  g_async_queue_push (s->done, (gpointer) &thread_ends);
  return NULL;
}

static void
show (const SimBatch *b, guint done, gint64 began)
{
  double gone = (double) (g_get_monotonic_time () - began) / 1e6;

  fprintf (stderr, "\r\033[K%u of %u %s, %.0f s", done, b->n, b->what, gone);
  if (done > 0 && done < b->n)
    fprintf (stderr, ", about %.0f s left", gone / done * (b->n - done));
  fflush (stderr);
}

GError **
sim_batch_run (const SimBatch *batch)
{
  Shared s = { .b = batch, .errors = g_new0 (GError *, batch->n + 1), .done = g_async_queue_new () };
  guint n = MIN (batch->threads > 0 ? batch->threads : g_get_num_processors (), MAX (batch->n, 1)), running = n, done = 0;
  g_autofree GThread **thread = g_new (GThread *, n);
  gboolean terminal = isatty (STDERR_FILENO) == 1;
  gint64 began = g_get_monotonic_time ();

  (void) g_ascii_strtoll ("0", NULL, 10); /* GLib makes its C locale now: a thread that waits for it would find errno set, and take a good number for a bad one */
  for (guint i = 0; i < n; i++)
    thread[i] = g_thread_new ("run", work, &s);
  while (running > 0) {
    gpointer news = terminal ? g_async_queue_timeout_pop (s.done, SECOND) : g_async_queue_pop (s.done);

    if (news == &thread_ends)
      running--;
    else if (news != NULL)
      done++; /* NULL: a second has gone by, and a first run may take many */
    if (terminal)
      show (batch, done, began);
  }
  for (guint i = 0; i < n; i++)
    g_thread_join (thread[i]);
  if (terminal)
    fputs ("\r\033[K", stderr);
  g_async_queue_unref (s.done);
  return s.errors;
}

void
sim_batch_errors_free (GError **errors, guint n)
{
  for (guint i = 0; errors != NULL && i < n; i++)
    g_clear_error (&errors[i]);
  g_free (errors);
}
