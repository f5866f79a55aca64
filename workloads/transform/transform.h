/* workloads/transform/transform.h - a trace of native tables (nodes.csv, jobs.csv, queues.csv, faults.csv, recorded.csv) made into another one.
 * Cells that a step does not touch stay as they are, columns that it does not know too. */
#pragma once
#include "objects.h"
#include "table.h"
#include "workloads/native/folder.h"
G_BEGIN_DECLS

typedef struct {
  char *name;  /* of the folder, as a label */
  char *folder;
  WlTable *nodes, *jobs, *queues, *faults, *recorded; /* all but nodes and jobs may be NULL */
  WlObjectTexts *objects;                           /* NULL: there are none */
  WlTime start;      /* the date of time 0, WL_TIME_NONE: not given */
  char *conf;        /* text of the scheduler's configuration; NULL: the default */
  GString *settings; /* other lines of scenario.yaml */
  guint n_jobs;
  guint *job_of; /* by row of jobs: the job, from 0 in the order of first rows */
} WlTrace;

/** Read @folder. NULL with @error; tables that the steps do not know (objects.json, commands.csv, …) are refused by name. (transfer full) */
WlTrace *wl_trace_read (const char *folder, GError **error);
/** Jobs of jobs.csv, and of the objects. */
guint wl_trace_jobs (const WlTrace *t);
void wl_trace_free (WlTrace *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlTrace, wl_trace_free)

/** The date of time 0 in seconds since 1970, -1: none. */
gint64 wl_trace_start (const WlTrace *t);

/** Do the columns and queues that @conditions (of wl_trace_keep) and @pairs (of wl_trace_map_queues; both may be NULL) name stand in any of the traces?
 * A name that no job has would have no effect: it is refused. */
gboolean wl_trace_check_names (WlTrace *const *traces, guint n, const char *const *conditions, const char *const *pairs, GError **error);
/** Keep the jobs for which all @conditions hold: "queue=a|b", "pods>4", "duration<=1h", "nvidia.com/gpu>=8" (of all pods), "x_user!=bob". */
gboolean wl_trace_keep (WlTrace *t, const char *const *conditions, GError **error);
/** Keep what is submitted from @from to before @to (WL_TIME_NEVER: no end); @from becomes 0. Nodes, queues and faults are as they were then. */
gboolean wl_trace_window (WlTrace *t, WlTime from, WlTime to, GError **error);
/** @factor times the jobs, drawn by @seed: below 1 a part of them, above 1 all and more of them, again under new names, each moved by up to @move either
 * way. A larger factor holds the jobs of a smaller one. */
gboolean wl_trace_sample (WlTrace *t, double factor, WlTime move, guint64 seed, GError **error);
/** Times of submission, of nodes, queues and faults times @factor; running times times @run. */
gboolean wl_trace_stretch (WlTrace *t, double factor, double run, GError **error);
/** Rename queues by @pairs, "old=new" or "*=new" for all others. */
gboolean wl_trace_map_queues (WlTrace *t, const char *const *pairs, GError **error);
/** Put the clusters of @more into @t: names of nodes and jobs get the trace's name in front where there are several, nodes the label cluster. @queues: a queue
 * for each cluster, in place of its own. @pin: jobs stay on the nodes of their cluster. */
gboolean wl_trace_merge (WlTrace *t, WlTrace *const *more, guint n, gboolean queues, gboolean pin, GError **error);
/** Names of jobs, namespaces, queues, users, nodes, images, roles and values of labels become keyed hashes: equal ones stay equal, and without @key none can
 * be told. Other x_ columns and annotations go. */
gboolean wl_trace_anonymise (WlTrace *t, const guint8 *key, gsize len, GError **error);

/** Cut at @at: jobs that ran then (recorded.csv) come at 0 for the rest of their time; those that waited, in the order of submission, and what comes later not before @gap, so that priority
 * does not put them before what ran; those that were over go. recorded.csv keeps where the running ones are. */
gboolean wl_trace_warm_start (WlTrace *t, WlTime at, WlTime gap, GError **error);

/** Write the tables and scenario.yaml for @folder; what cannot be read back is refused. They are in their place once wl_folder_finish() has succeeded.
 * NULL with @error. (transfer full) */
WlFolder *wl_trace_write (const WlTrace *t, const char *folder, GError **error);

/* One file of another format. What it cannot say is counted in @notes (char *, a line each). @start is the date of time 0 in seconds since 1970, -1: none.
 * (transfer full) */
GString *wl_export_swf (const GArray *nodes, const GArray *jobs, gint64 start, GPtrArray *notes, GError **error);
GString *wl_export_batsim (const GArray *nodes, const GArray *jobs, GPtrArray *notes, GError **error);
/** Nodes as Node objects, jobs as Volcano Jobs with the annotations of volsim, queues as Queue objects. */
GString *wl_export_kubernetes (const GArray *nodes, const GArray *jobs, const GArray *queues, GPtrArray *notes, GError **error);
/** What the scenario of @folder says beside its tables, as documents to go behind those: PriorityClass objects, and a ConfigMap with the configuration of the
 * scheduler. NULL with @error. (transfer full) */
GString *wl_export_settings (const char *folder, GPtrArray *notes, GError **error);

G_END_DECLS
