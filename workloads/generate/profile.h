/* workloads/generate/profile.h - what a synthetic trace is to look like: a YAML map of nodes, queues, users, classes of jobs and
 * failures. docs/generate.md is the reference of the keys. */
#pragma once
#include "workloads/native/distribution.h"
G_BEGIN_DECLS

/* When jobs come. Time between jobs is drawn at the mean rate; `day` and `week` then stretch and press it together (time is warped, so a
 * Poisson process stays one). Each job brings `children` more on average, each after its own `delay` (Hawkes). */
typedef struct {
  gboolean given;
  WlDistribution interval; /* times */
  double children;         /* 0 to below 1; 0: no bursts */
  WlDistribution delay;    /* times; only with children */
  double *day; guint n_day;   /* weights of equal parts of the day, NULL: even */
  double *week;               /* weights of seven days from the first, NULL: even */
  char *replay;               /* a jobs.csv whose submissions are drawn again; NULL */
  WlTime block;               /* replay: length of the pieces that are drawn */
} WlArrival;

typedef struct {
  char *resource;
  WlDistribution amount; /* amounts in units; plain numbers where @times is given */
  char *times;           /* that many times the job's amount of another resource; NULL */
} WlRequest;

typedef struct { char *column, *text; } WlCell; /* copied into the column of that name */

/* One size of jobs, among others of its class. */
typedef struct {
  double share;
  WlDistribution replicas; gboolean has_replicas; /* numbers */
  GArray *requests;                               /* WlRequest */
} WlShape;

/* Sizes by Lublin and Feitelson: serial, a power of two, or anything, log-uniform in two stages. */
typedef struct { gboolean given; double serial, power, low, middle, high, first; } WlTwoStage;
/* Running times by the same: e to the power of one of two gamma values; the first with probability slope · replicas + base. */
typedef struct { gboolean given; double shape1, scale1, shape2, scale2, slope, base; } WlHyperGamma;

typedef struct {
  char *name;
  double share;           /* of the jobs of the profile's own arrivals */
  WlArrival arrival;      /* its own; not given: it shares the profile's */
  WlTime first;           /* its own arrivals begin then */
  gint64 jobs;            /* at most, -1: no limit */
  char *queue, *ns, *priority; /* NULL: drawn; default; none */
  int preemptable;        /* -1 not given */
  gboolean gang;          /* all pods of a job at once; else min_available */
  gint64 min_available;
  WlDistribution duration; gboolean each; /* times; drawn for each pod */
  double endless;         /* share of the jobs that never end */
  WlHyperGamma hyper;
  WlTwoStage two_stage;
  GArray *shapes;         /* WlShape, at least one */
  GArray *cells;          /* WlCell */
  guint32 line, column, priority_line, priority_column;
} WlJobClass;

typedef struct { WlTime time; gint64 count; } WlStep;
typedef struct {
  char *name;
  gint64 count, racks;    /* racks 0: none */
  GArray *cells;          /* WlCell, resources among them */
  GArray *joins, *leaves; /* WlStep */
  char *mtbf, *mttr, *rack_mtbf, *rack_mttr; /* distributions as written, NULL: none */
} WlNodeClass;

/** Do its labels say `pool` themselves? */
gboolean wl_node_class_has_pool (const WlNodeClass *n);

typedef struct { char *name; double share; GArray *cells; } WlQueueClass;
typedef struct { gint64 count; double zipf; char *prefix; } WlCrowd; /* of users or queues; count 0: none */

typedef struct {
  char *source;            /* name of the file, for messages */
  guint64 seed;
  guint64 seeds[5]; gboolean seeded[5]; /* of single purposes, by WlPurpose */
  WlTime span;             /* WL_TIME_NONE: no limit */
  gint64 jobs;             /* -1: no limit */
  double rate;             /* all arrivals come that many times as fast */
  WlArrival arrival;
  GArray *classes;         /* WlJobClass */
  GArray *nodes;           /* WlNodeClass */
  GArray *queues;          /* WlQueueClass */
  WlCrowd queue_crowd, users;
  gboolean queue_weight_by_share;
  GArray *priorities;      /* WlCell: classes of priority and their values */
  char *conf;              /* text of the scheduler's configuration; NULL: Volcano's */
} WlProfile;

typedef enum { WL_SEED_ARRIVALS, WL_SEED_SIZES, WL_SEED_DURATIONS, WL_SEED_QUEUES, WL_SEED_USERS, WL_N_SEEDS } WlPurpose;
extern const char *const wl_purposes[WL_N_SEEDS];

/** Read the profile @text of @len bytes; @source names it in messages. NULL with "file:line:column: …". (transfer full) */
WlProfile *wl_profile_read (const char *source, const char *text, gsize len, GError **error);
void wl_profile_free (WlProfile *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlProfile, wl_profile_free)
/** The stream of @purpose and @subject under the profile's seeds. */
void wl_profile_random (const WlProfile *p, WlPurpose purpose, const char *subject, guint64 number, VcRandom *out);

typedef struct { const char *name, *summary, *text; } WlPreset;
extern const WlPreset wl_presets[]; /* ends with a NULL name */
/** NULL when there is none of that name. */
const WlPreset *wl_preset (const char *name);

G_END_DECLS
