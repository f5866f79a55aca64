/* sim/studies/plan-command.h - what the four questions of `volsim plan` have in common; only the files of that command use it. */
#pragma once
#include "plan-write.h"
G_BEGIN_DECLS

typedef struct {
  char *scenario, *preset, *output, *out, *shake, *at, *job, *what, *within, *title;
  char **node, **slo;
  int repeat, threads, trials, max;
  gboolean allow_stuck;
  double factor, pending;
} PlanArguments;

typedef struct {
  const PlanArguments *a;
  SimScenario scenario;
  GPtrArray *conditions;
  VcCacheOptions cache;
  VcEngineOptions engine;
  SimPlanOrigin origin;
  char *command, *conf;      /* of origin */
} PlanContext;

/** FALSE, with the text as error of wrong input. */
gboolean plan_refuse (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);
/** One more setting of a run; @v is taken over. */
void plan_setting (GPtrArray *key, GPtrArray *value, const char *k, char *v);
/** The settings of repeat @repeat of a search: 0 is the scenario as it is, the others shake it. Both lists are ended. */
void plan_shaken (const PlanContext *c, guint repeat, GPtrArray *key, GPtrArray *value);
/** Searches with these settings, both lists ended. */
SimPlan plan_of (const PlanContext *c, GPtrArray *key, GPtrArray *value);

/* the questions: FALSE, or -1, with @error */
gboolean plan_nodes (const PlanContext *c, SimPlanReport *r, GError **error);
gboolean plan_compact (PlanContext *c, SimPlanReport *r, GError **error);
int plan_fit (const PlanContext *c, GError **error);

G_END_DECLS
