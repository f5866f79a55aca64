/* workloads/generate/sample.h - what a trace looks like in one dimension each; private to the fit. */
#pragma once
#include "profile.h"
G_BEGIN_DECLS

#define WL_ENDLESS "pods that never end (0 or 1)"
typedef struct { char *name; GArray *values; } WlMarginal; /* doubles, ascending */
typedef struct {
  GPtrArray *marginals;   /* WlMarginal: times between jobs, jobs in an hour, pods, running time, requests of a pod, work */
  GHashTable *queues, *users; /* name → number of jobs, as pointer */
  guint n_jobs;
} WlSample;

/** Of @jobs (WlJob). */
WlSample *wl_sample_new (const GArray *jobs);
void wl_sample_free (WlSample *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlSample, wl_sample_free)

/** Pods of the job, all roles. */
guint64 wl_job_pods (const WlJob *job);
/** The longest running time of the first run of a pod of @role in seconds; -1: for ever. */
double wl_role_seconds (const WlRole *role);
const char *wl_job_user (const WlJob *job); /* x_user; NULL */

/** Greatest difference of the two distribution functions; both ascending (doubles). 1 when one is empty and the other is not. */
double wl_ks_distance (const GArray *a, const GArray *b);
int wl_compare_doubles (gconstpointer a, gconstpointer b);
/** Nearest rank; 0 of nothing. */
double wl_percentile (const GArray *ascending, double p);
/** The form that is nearest to @values (ascending, in units of @values_are): @how as in wl_fit(). @name is that of its kind. (transfer full) */
char *wl_fit_distribution (const GArray *values, const char *how, WlValues values_are);

G_END_DECLS
