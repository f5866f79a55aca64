/* workloads/import/import-private.h - one import under way. */
#pragma once
#include "import.h"
#include "packed.h"
#include "records.h"
G_BEGIN_DECLS

/* How often something was seen; few kinds. */
typedef struct { char *what; guint64 n; char *first; } WlCount; /* first: message of the first one, NULL: none */

typedef struct {
  char *path;
  WlImportHead head; /* with its own copies */
} WlImportFile;

typedef enum { WL_GPU_WHOLE, WL_GPU_DEVICE, WL_GPU_POOLED } WlGpuShare;

/* What the sinks take, with equal parts as numbers and texts as those of `texts`. Jobs, their roles and records are kept packed: wl_import_get_job() and the like make these of them. */
typedef struct {
  const char *name, *selector, *tolerations, *scale, *apart, *apart_by, *spread;
  WlTime checkpoint, restart_cost;
  gint32 min_available, exit_code;
} WlRoleTraits;
typedef struct { const char *ns, *queue, *priority; WlTime remove; gint32 min_available, preemptable; } WlJobTraits;
typedef struct {
  guint32 request, traits; /* numbers of requests, role_traits */
  guint32 replicas;
  guint32 durations;       /* 1 + place of the list in `durations`, 0: one for all */
  WlTime duration;
} WlStoredRole;
typedef struct {
  WlTime submit, walltime; /* walltime 0: none */
  const char *name; /* NULL: by number */
  guint32 traits, first_role, n_roles;
  guint32 number;   /* among those without a name */
  guint32 step;     /* 1 + place in `steps`, 0: by itself */
  gboolean by_object;
} WlStoredJob;
typedef struct {
  const char *flow;
  guint32 first_after, n_after; /* in `after` */
} WlStoredStep;
typedef struct {
  const char *name, *model, *labels, *taints, *annotations;
  WlTime time;
  WlImportAmounts capacity;
  gint64 pods;
  WlNodeEvent event;
  guint32 count;
} WlStoredNode;
typedef struct {
  const char *name, *parent;
  WlTime time;
  gint32 weight;
  int reclaimable;
  gboolean gpu_limit;
  WlImportAmounts capability, deserved, guarantee;
} WlStoredQueue;
typedef struct { WlTime time, duration; const char *kind, *target, *value; } WlStoredFault;
typedef struct {
  WlTime wait, start, end;
  const char *status, *nodes;
  guint32 job, evictions;
} WlStoredRecord;
typedef struct { const char *name; gint32 value; } WlStoredClass;

struct WlImport {
  const WlImportFormat *format;
  GHashTable *options; /* name → text that was given */
  GArray *files;       /* WlImportFile */
  gboolean skip_bad, whole_seconds, assume_walltime;

  /* rows */
  guint64 read, dropped_rows, bad_rows;
  gboolean row_dropped;
  GArray *dropped, *bad, *defaulted, *notes; /* WlCount */

  /* what was collected */
  WlTexts *texts;
  const char *last_text;  /* of `texts`, of those from the trace as they are; or NULL */
  GStringChunk *names;    /* of nodes and queues */
  WlTexts *job_names;     /* with the namespace in front where there is one */
  GHashTable *job_ids;    /* name → the trace's id, where they differ */
  GHashTable *node_names, *queue_names; /* the trace's name → ours */
  GHashTable *flow_names, *step_names;  /* of flows and their jobs, likewise */
  GHashTable *names_taken; /* of nodes, queues, flows and steps: "n/…", "q/…", "f/…", "t/…" */
  WlRecords *requests, *role_traits, *job_traits; /* WlImportAmounts, WlRoleTraits, WlJobTraits */
  GArray *steps, *after; /* of flows: WlStoredStep, and the jobs that they wait for (guint32) */
  gboolean objects_needed; /* do jobs ask for what a table cannot say? */
  WlPacked *jobs, *roles, *records; /* WlStoredJob, WlStoredRole, WlStoredRecord */
  WlTime last_submit;               /* of the last job */
  guint32 last_recorded;            /* job of the last record */
  GArray *durations, *nodes, *queues, *faults, *classes;
  GPtrArray *extra_columns, *extras; /* texts; extras: a row of them for each job */
  GString *objects, *scenario;
  char *conf;           /* NULL: none */
  guint32 unnamed, object_jobs, object_queues;
  gboolean has_origin, has_offset, has_span;
  gint64 origin;
  WlTime offset, span_begin, span_end;
  gboolean too_much; /* does anything have more than WL_AMOUNT_MAX? */
  gboolean shares; /* does any pod ask for a part of a GPU? */
  gboolean walltimes; /* has any job one? */

  /* for writing */
  WlGpuShare share;
  gint64 card_memory; /* MB */
  gboolean rising, records_rising; /* jobs come by submission, records as jobs do */
  gboolean settled;   /* times of jobs are from `offset` on */
  guint32 *order;     /* jobs by (submission, row); NULL: as they are */
};

void wl_count (GArray *counts, const char *what, guint64 n, const char *first);
GArray *wl_counts_new (void);
void wl_import_store_init (WlImport *imp);
void wl_import_store_clear (WlImport *imp);
void wl_import_append_job_name (const WlImport *imp, GString *s, const WlStoredJob *j);
/* objects.c: jobs that a row of jobs.csv cannot say, as YAML documents. */
gboolean wl_import_is_object (const WlImport *imp, const WlStoredJob *j);
/** The documents of the @place-th job in order of submission: with the first of a flow the JobFlow itself. */
void wl_put_object (const WlImport *imp, GString *out, guint32 place);
void wl_put_durations (const WlImport *imp, GString *s, const WlStoredRole *r);
/** Sort, shift, choose the kind of GPU shares: what comes before writing. FALSE with @error: no run takes it. */
gboolean wl_import_settle (WlImport *imp, GError **error);
/** What the report says of jobs and nodes; after wl_import_settle() and before wl_import_arrange(). (transfer full) */
typedef struct WlImportFacts WlImportFacts;
WlImportFacts *wl_import_facts (const WlImport *imp);
void wl_import_facts_free (WlImportFacts *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlImportFacts, wl_import_facts_free)
/** All files into the folder @dir, after wl_import_arrange(). */
gboolean wl_import_write (WlImport *imp, const char *dir, GError **error);
/** import.json and import.txt into @dir; *text is the latter. */
gboolean wl_import_report (const WlImportFacts *f, const char *dir, char **text, GError **error);

/** Empty tables of jobs, roles and records. */
void wl_import_rows_init (WlImport *imp);
/** Add a row; of a job its number. Roles follow their job, and records come after theirs. */
guint32 wl_import_add_job_row (WlImport *imp, const WlStoredJob *j);
void wl_import_add_role_row (WlImport *imp, const WlStoredRole *r);
/** Times of @r that contradict each other are dropped, and counted. */
void wl_import_add_record_row (WlImport *imp, WlStoredRecord *r);
/** Jobs, roles and records in the order of the jobs' submissions: from now on the @number of a job is its place. */
void wl_import_arrange (WlImport *imp);
/** Job @number in the order in which they came (until wl_import_arrange()), with its submission from the offset on once that is known. */
WlStoredJob wl_import_get_job (const WlImport *imp, guint32 number);
/** Role @k of it. */
WlStoredRole wl_import_get_role (const WlImport *imp, const WlStoredJob *j, guint k);
/** Number of the job of record @number. */
guint32 wl_import_job_of_record (const WlImport *imp, guint32 number);
/** Record @number, of @job, in the order in which they came (until wl_import_arrange()), with all its times as they are written. */
WlStoredRecord wl_import_get_record (const WlImport *imp, guint32 number, const WlStoredJob *job);

static inline guint32
wl_import_n_jobs (const WlImport *imp)
{
  return wl_packed_len (imp->jobs);
}

/** Number of the @place-th job by submission. */
static inline guint32
wl_import_at (const WlImport *imp, guint32 place)
{
  return imp->order != NULL ? imp->order[place] : place;
}

/** The step of a flow that the job is, or NULL. */
static inline const WlStoredStep *
wl_import_step (const WlImport *imp, const WlStoredJob *j)
{
  return j->step > 0 ? &g_array_index (imp->steps, WlStoredStep, j->step - 1) : NULL;
}

/** The flow that it is a step of, or NULL. */
static inline const char *
wl_import_flow (const WlImport *imp, const WlStoredJob *j)
{
  const WlStoredStep *step = wl_import_step (imp, j);

  return step != NULL ? step->flow : NULL;
}

static inline guint32
wl_import_share (const WlImportAmounts *a)
{
  return a->gpus == 0 ? 0 : a->gpu_milli == 0 ? 1000 : a->gpu_milli;
}

G_END_DECLS
