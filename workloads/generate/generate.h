/* workloads/generate/generate.h - a synthetic trace out of a profile: the same profile and seeds give the same bytes everywhere. */
#pragma once
#include "fit.h"
G_BEGIN_DECLS

typedef struct { WlTime time; guint32 job_class, number; } WlArrived; /* number: the how-manieth of its class, from 0 */

/** When which class's jobs come, ascending; ties in the order of the classes. @rate above 0 is one more factor on the profile's.
 * (transfer full, WlArrived) */
GArray *wl_generate_arrivals (const WlProfile *p, double rate, GError **error);

typedef struct { char *resource; double amount; } WlDrawnAmount; /* units; the name is the profile's */
typedef struct {
  WlTime submit, duration; /* duration: the longest of its pods */
  guint32 job_class, number, replicas, queue, user; /* G_MAXUINT32: none */
  guint32 first_amount, n_amounts;                  /* in WlGenerated.amounts: a pod's request */
  double work;                                      /* seconds of all its pods */
} WlDrawnJob;

typedef struct {
  GArray *jobs;      /* WlDrawnJob, ascending by submission */
  GArray *amounts;   /* WlDrawnAmount */
  GPtrArray *queues; /* names; empty: the default queue */
  GArray *queue_shares; /* double */
  guint n_users;
} WlGenerated;

/** Draw the jobs; @rate as above. NULL with @error. */
WlGenerated *wl_generate (const WlProfile *p, double rate, GError **error);
void wl_generated_free (WlGenerated *g);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlGenerated, wl_generated_free)
/** Requested resource-time by the capacity of the nodes that are there at the start, over the time from the first submission to
 * the last; 0 when the nodes have none of it. */
double wl_generated_load (const WlProfile *p, const WlGenerated *g, const char *resource);
/** The rate at which the load of @resource is @load, within 0.1 % where the jobs are fine enough. FALSE with @error when none within
 * 5 % is found. */
gboolean wl_generate_rate (const WlProfile *p, const char *resource, double load, double *rate, GError **error);

/** The running times of job @number of class @c, one after the other where each pod has its own: what is drawn from this stream. */
void wl_generate_duration_stream (const WlProfile *p, const WlJobClass *c, guint32 number, VcRandom *r);
WlTime wl_generate_duration (const WlJobClass *c, guint32 replicas, VcRandom *r);

/** Write nodes.csv, jobs.csv, queues.csv, faults.csv (with failures), scenario.yaml and profile.yaml (@text, the profile) into @dir, which must not
 * exist, be empty or be what an earlier call has made: all or nothing. With @fit (nullable) also fit.csv, and *@table (nullable) tells the same to a reader. */
gboolean wl_generated_write (const WlProfile *p, const WlGenerated *g, const char *text, const WlFit *fit, char **table, const char *dir, GError **error);
/** A table for a terminal: jobs, pods, span, load by resource, shares of queues. (transfer full) */
char *wl_generated_summary (const WlProfile *p, const WlGenerated *g);

G_END_DECLS
