/* core/plugins/support.h - columns that plugin instances keep per job or queue from session to session, and what the queue plugins sum up. */
#pragma once
#include "core/model/cluster.h"
#include <string.h>

/* One or more resource vectors per row in one block. Rows that appear are empty vectors; pointers hold until the next reserve. */
typedef struct {
  char *block;
  gsize stride;   /* bytes of one vector */
  guint per_row;
  guint32 rows;
} VcVectors;

static inline VcRes *
vc_vectors_at (const VcVectors *v, guint32 row, guint which)
{
  return (VcRes *) (gpointer) (v->block + ((gsize) row * v->per_row + which) * v->stride);
}

/** Room for @rows rows of @per_row vectors of @n_res dimensions; both stay as first asked for. */
static inline void
vc_vectors_reserve (VcVectors *v, guint32 rows, guint per_row, guint n_res)
{
  if (rows <= v->rows)
    return;
  guint32 want = MAX (rows, v->rows * 2u);

  v->stride = vc_res_size (n_res);
  v->per_row = per_row;
  v->block = g_realloc_n (v->block, (gsize) want * per_row, v->stride);
  memset (v->block + (gsize) v->rows * per_row * v->stride, 0, (gsize) (want - v->rows) * per_row * v->stride);
  for (guint32 r = v->rows; r < want; r++)
    for (guint w = 0; w < per_row; w++)
      vc_vectors_at (v, r, w)->n = n_res;
  v->rows = want;
}

static inline void
vc_vectors_clear (VcVectors *v)
{
  g_free (v->block);
  *v = (VcVectors) { 0 };
}

/* Rows seen since the last begin: a set that empties in O(1). */
typedef struct {
  guint32 *stamp, rows, now;
} VcMarks;

static inline void
vc_marks_reserve (VcMarks *m, guint32 rows)
{
  if (rows <= m->rows)
    return;
  guint32 want = MAX (rows, m->rows * 2u);

  m->stamp = g_realloc_n (m->stamp, want, sizeof *m->stamp);
  memset (m->stamp + m->rows, 0, (gsize) (want - m->rows) * sizeof *m->stamp);
  m->rows = want;
}

static inline void
vc_marks_begin (VcMarks *m)
{
  if (++m->now == 0 && m->rows > 0) { /* wrapped around: old stamps would look new */
    memset (m->stamp, 0, (gsize) m->rows * sizeof *m->stamp);
    m->now = 1;
  }
}

static inline gboolean
vc_marks_has (const VcMarks *m, guint32 row)
{
  return m->stamp[row] == m->now;
}

/** Put @row in; TRUE when it was not there. */
static inline gboolean
vc_marks_add (VcMarks *m, guint32 row)
{
  if (m->stamp[row] == m->now)
    return FALSE;
  m->stamp[row] = m->now;
  return TRUE;
}

static inline void
vc_marks_remove (VcMarks *m, guint32 row)
{
  m->stamp[row] = 0; /* never the current one */
}

static inline void
vc_marks_clear (VcMarks *m)
{
  g_free (m->stamp);
  *m = (VcMarks) { 0 };
}

/** Add the job to its queue's allocated, request and elastic (above the job's minResources). Vectors that the counters tell to be zero are
 * not touched: with many jobs it is the cache misses that count. */
static inline void
vc_job_add_usage (const VcJob *j, VcRes *allocated, VcRes *request, VcRes *elastic)
{
  if (j->count[VC_PENDING] > 0)
    vc_res_add (request, j->pending);
  if (vc_job_allocated_num (j) == 0)
    return;
  vc_res_add (allocated, j->allocated);
  vc_res_add (request, j->allocated);
  for (guint d = 0; d < elastic->n; d++) {
    double above = j->allocated->v[d] - j->min_resources->v[d];

    if (above > 0)
      vc_res_set (elastic, d, elastic->v[d] + above);
  }
}
