/* sim/scheduler/batch.h - many independent pieces of work on a few threads, with one line of progress. The order in which they end decides nothing. */
#pragma once
#include <glib.h>
#include <signal.h>
G_BEGIN_DECLS

/** One piece: TRUE, or FALSE with @error. Called on any thread, once for each index. */
typedef gboolean SimBatchFn (gpointer user, guint index, GError **error);

typedef struct {
  guint n, threads;       /* threads 0: one for each processor */
  SimBatchFn *fn;
  gpointer user;
  const char *what;       /* for the progress line on a terminal: "runs" */
  const volatile sig_atomic_t *interrupted; /* nullable: nothing new begins when it is not 0 */
} SimBatch;

/** Do all pieces; those that fail do not stop the others. What went wrong with each, NULL where nothing did or where it never began.
 * (transfer full: [n] GError *, sim_batch_errors_free()) */
GError **sim_batch_run (const SimBatch *batch);
void sim_batch_errors_free (GError **errors, guint n);

G_END_DECLS
