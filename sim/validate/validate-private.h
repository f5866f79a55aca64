/* sim/validate/validate-private.h - what the checks of a configuration together with nodes, queues and jobs share. */
#pragma once
#include "validate.h"
G_BEGIN_DECLS

#define SIM_DATA_SHOWN 5 /* jobs named for one kind of warning; the others are counted */

typedef struct {
  SimValidation *v;
  const SimFacts *f;
  const VcCluster *c;
  const VcRes *total;
  double *least;    /* [job][dimension]: what a job cannot start without */
  guint32 *jobs_of; /* per queue row */
  guint n_busy;     /* queues with jobs */
} Data;

static inline const SimFactJob *
job_at (const Data *d, guint i)
{
  return &g_array_index (d->f->job, SimFactJob, i);
}

static inline const SimFactRole *
role_at (const Data *d, guint i)
{
  return &g_array_index (d->f->role, SimFactRole, i);
}

static inline double
least_of (const Data *d, guint job, guint dim)
{
  return d->least[job * d->c->n_res + dim];
}

/* Jobs are named one by one up to a limit; then how many more there are. */
typedef struct { const char *code; guint n; const SimFactJob *last; } Many;

static inline gboolean
many (Many *m, const SimFactJob *job)
{
  m->last = job;
  return m->n++ < SIM_DATA_SHOWN;
}

static inline void
many_end (Data *d, const Many *m, const char *what)
{
  if (m->n > SIM_DATA_SHOWN)
    sim_warn (d->v, m->code, m->last->file, m->last->line, 1, "%u more jobs %s, the last is '%s'", m->n - SIM_DATA_SHOWN, what, m->last->name);
}

/** "1.5 cpu", "64 Gi memory". (transfer full) */
char *sim_data_show (const Data *d, guint dim, double v);
/** At the queue's own line, or where nothing says where that is, at @plugin. */
void sim_data_warn_queue (Data *d, const char *code, guint32 row, const VcPluginOption *plugin, const char *format, ...) G_GNUC_PRINTF (5, 6);
gboolean sim_data_node_takes (const Data *d, const VcShape *s, guint32 node);
gboolean sim_data_has_room (const VcShape *s, const VcRes *room);
/** Pods of a shape that an empty cluster takes, at most @enough. */
guint32 sim_data_places (const Data *d, const VcShape *s, guint32 enough);

/* validate-queues.c */
void sim_check_queues (Data *d);

G_END_DECLS
