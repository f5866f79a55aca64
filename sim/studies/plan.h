/* sim/studies/plan.h - searches over whole replays: the least or greatest setting that keeps a promise. */
#pragma once
#include "variant.h"
#include "reports/compare/threshold.h"
G_BEGIN_DECLS

/* What must hold of a run, besides that every job has started (unless allow_stuck). */
typedef struct {
  const GPtrArray *conditions; /* RpThreshold *: all must hold */
  gboolean allow_stuck;
} SimPromise;

/* One point of the curve: a setting, what the run said. */
typedef struct {
  double x;
  gboolean good;
  char *broken;          /* the first condition that does not hold, in words; NULL when all do */
  GArray *metrics;       /* RpMetric */
} SimPoint;

typedef struct {
  const char *scenario, *preset; /* preset: nullable, as in SimVariant */
  char **key, **value;   /* settings of every run, NULL-terminated */
  SimPromise promise;
  guint threads;
  const char *label;     /* of the search, for the progress line; nullable */
  const VcCacheOptions *cache;
  const VcEngineOptions *engine;
} SimPlan;

/** Settings for one value of x: "key", "value" pairs appended to both lists (texts are taken over). */
typedef void SimPlanSet (gpointer user, double x, GPtrArray *key, GPtrArray *value);

/** Runs at all of @xs, at most plan->threads at once; appended to @points in the order of @xs. FALSE with @error. */
gboolean sim_plan_points (const SimPlan *plan, const double *xs, guint n, SimPlanSet *set, gpointer user, GArray *points, GError **error);

/** Search among whole steps @low … @high of size @step for the border between settings that keep the promise and those that do not: the least
 * that does when @more_helps, else the greatest. The promise is taken to be monotone; the neighbour on the other side is always run, too.
 * *found is FALSE when none of them keeps it. Points are gathered in @points in ascending order. */
gboolean sim_plan_search (const SimPlan *plan, gint64 low, gint64 high, double step, gboolean more_helps, SimPlanSet *set, gpointer user,
                          GArray *points, gint64 *border, gboolean *found, GError **error);

GArray *sim_points_new (void); /* of SimPoint, cleared with the array */

G_END_DECLS
