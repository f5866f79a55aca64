/* workloads/native/native.h - volsim's own trace files: nodes.csv, jobs.csv, queues.csv (RFC 4180, through libcsv).
 *
 * Files are plain, gzip (`.gz`; with libarchive also `.zst`, `.xz`) or `-` for standard input. Columns come in any order; a header line is
 * required. Quantities are Kubernetes texts, times and durations seconds ("12.5") or Go-style ("1h30m"), read as
 * microseconds rounded half up. Every refusal is one line "file:line:column: what, expected …, found …" (line and
 * column from 1; the column is that of the first byte of the cell). */
#pragma once
#include "core/base/quantity.h"
#include <glib.h>
G_BEGIN_DECLS

#define WL_ERROR (wl_error_quark ())
typedef enum { WL_ERROR_IO, WL_ERROR_SYNTAX, WL_ERROR_HEADER, WL_ERROR_VALUE, WL_ERROR_CONFLICT, WL_ERROR_WRITE, WL_ERROR_INTERRUPTED, WL_ERROR_UNSUPPORTED /* right, but not simulated */ } WlError;
GQuark wl_error_quark (void);

typedef gint64 WlTime; /* microseconds since the start of the scenario */
#define WL_TIME_NONE G_MININT64
#define WL_TIME_NEVER G_MAXINT64

typedef struct { char *name; VcQuantity amount; } WlResource; /* cpu, memory, pods, … */
typedef struct { char *key, *value; } WlPair;
typedef struct WlBehaviour WlBehaviour; /* behaviour.h */
typedef struct { char *key, *value, *effect; gboolean exists, bounded; gint64 seconds; } WlTaint; /* taint, or toleration (exists: operator Exists; bounded: for so many seconds) */

typedef enum {
  WL_NODE_ADD, WL_NODE_UPDATE, WL_NODE_CORDON, WL_NODE_UNCORDON, WL_NODE_DRAIN, WL_NODE_NOTREADY, WL_NODE_READY, WL_NODE_REMOVE
} WlNodeEvent;
typedef struct {
  char *name;
  WlTime time;
  WlNodeEvent event;
  GArray *resources;  /* WlResource: cells that are not empty; `pods` 110 is filled in when the cell is empty, for add and for an update of resources */
  GArray *labels;     /* WlPair */
  GArray *taints;     /* WlTaint */
  GArray *annotations; /* WlPair */
  gboolean has_resources, has_labels, has_taints, has_annotations; /* is a cell of the group given? (update replaces only given groups) */
  guint32 line;
} WlNodeRow; /* `count` above 1 is expanded: one row per node, in file order, named <node>-0 …; such rows share their arrays */

#define WL_REPLICAS_MAX 1000000
typedef struct { WlTime after; gint32 replicas; } WlScaleStep; /* so many replicas that long after the submission, in order of time */
#define WL_APART "volsim.io/apart" /* label of pods with `apart` */
typedef struct {
  char *name;              /* role */
  guint32 replicas;
  gint32 min_available;    /* -1 not given */
  GArray *resources;       /* WlResource, request of one pod; zero and empty cells left out */
  GArray *durations;       /* GArray* of WlTime per replica list entry: runs; WL_TIME_NEVER = inf. "d1|d2" → 2 entries; "a>b" → runs */
  GArray *exit_codes;      /* GArray* of gint32, the same shape rules */
  GArray *node_selector;   /* WlPair */
  GArray *node_terms;      /* WlNodeTerm (node-terms.h): required node affinity, all of them; NULL: none */
  GArray *tolerations;     /* WlTaint */
  char *image;             /* NULL not given */
  char *apart;             /* pods of the namespace with the same text never share a node; NULL not given */
  WlBehaviour *behaviour;  /* NULL: nothing given */
  GArray *scale;           /* WlScaleStep, NULL not given */
  guint32 line;
} WlRole;
typedef struct {
  char *name, *ns, *queue;
  WlTime submit;
  char *priority;          /* NULL not given; text of an integer or a class name */
  char *scheduler;         /* NULL not given */
  gint32 min_available;    /* -1 not given */
  GArray *min_resources;   /* WlResource, NULL not given (cell: "cpu=4;memory=8Gi") */
  int preemptable;         /* -1 not given, 0, 1 */
  gint32 max_retry, min_success; /* -1 not given */
  gint64 ttl;              /* seconds, -1 not given */
  WlTime remove;           /* column `delete`, WL_TIME_NONE not given */
  WlTime walltime;         /* time that the user asked for, WL_TIME_NONE not given */
  WlTime sla;              /* longest wait that plugin sla lets pass, WL_TIME_NONE not given */
  WlTime deadline;         /* column x_deadline: from the submission to the time by which it is to be finished, WL_TIME_NONE not given */
  GArray *roles;           /* WlRole, in file order */
  GArray *extra;           /* WlPair: columns x_… carried through to the results, in header order */
  guint32 line;            /* first row */
} WlJob; /* rows with the same (namespace, job) are one job, at the file position of its first row */

/* Lists of node groups: those that a queue's pods must or should use, must or should avoid. */
typedef enum { WL_GROUPS_REQUIRED, WL_GROUPS_PREFERRED, WL_GROUPS_ANTI_REQUIRED, WL_GROUPS_ANTI_PREFERRED, WL_N_GROUP_LISTS } WlGroupList;

typedef struct {
  char *name, *parent;      /* parent NULL not given */
  WlTime time;
  gint32 weight, priority;  /* -1 not given */
  int reclaimable;          /* -1, 0, 1 */
  char *state;              /* NULL, "Open", "Closed", "Deleted" */
  char *strategy;           /* dequeueStrategy, NULL not given */
  char *hierarchy, *hierarchy_weights; /* annotations, NULL not given */
  char **groups[WL_N_GROUP_LISTS]; /* names of node groups, NULL not given */
  GArray *capability, *guarantee, *deserved; /* WlResource, empty when no cell is given */
  guint32 line;
} WlQueueRow;

/* Every GArray member is set (empty when nothing is given) unless NULL is named as a value above. Arrays may be shared between rows
 * by reference: read them only. */
GArray *wl_resources_new (void);   /* of WlResource, and so on: freed with their elements by g_array_unref() */
GArray *wl_pairs_new (void);
GArray *wl_taints_new (void);
GArray *wl_lists_new (void);       /* of GArray *, for durations and exit_codes */
GArray *wl_node_rows_new (void);
GArray *wl_roles_new (void);
GArray *wl_jobs_new (void);
GArray *wl_queue_rows_new (void);

/* Arrays of the rows above, in file order; free with the matching function. @path "-" reads standard input. */
GArray *wl_read_nodes (const char *path, GError **error);   /* WlNodeRow */
GArray *wl_read_jobs (const char *path, GError **error);    /* WlJob */
GArray *wl_read_queues (const char *path, GError **error);  /* WlQueueRow */
/* All three set a clear function on the array, so g_array_unref() frees everything. */

/* One edit of a job while it lives: what is not given stays as it is. */
typedef struct {
  WlTime time;
  char *ns, *job, *task;                /* task NULL: not given */
  gint32 replicas, task_min, min_available; /* -1: not given; one of them is */
  guint32 line;
} WlScaleEdit;
/** scale.csv, in the order of the file; free with g_array_unref(). */
GArray *wl_read_scale (const char *path, GError **error);

/* What happened to a job in reality. Times are WL_TIME_NONE where the trace does not tell, and may be below 0. */
typedef struct {
  char *ns, *job;
  WlTime submit, wait, start, end;
  char *status;                         /* in the trace's words, "" */
  gint32 evictions;
  char **nodes;                         /* pod by pod; NULL: not told */
} WlRecord;
/** recorded.csv, in the order of the file; free with g_array_unref(). */
GArray *wl_read_recorded (const char *path, GError **error);

/** Times and durations: "12.5", "1h30m", "250ms", "2d". Half a microsecond rounds up. @allow_inf reads "inf" as WL_TIME_NEVER. */
gboolean wl_parse_time (const char *text, gboolean allow_inf, WlTime *out, GError **error);
/** The shortest text of @t in seconds, at most six decimals, without trailing zeros ("12.5", "81", "0"). */
void wl_append_time (GString *out, WlTime t);

/** Whole content of @path, decompressed by its suffix (.gz; .zst and .xz with libarchive); "-" is standard input. At most @limit bytes
 * (0 = no limit). NULL with a one-line @error. (transfer full) */
char *wl_read_file (const char *path, gsize limit, gsize *len, GError **error);

G_END_DECLS
