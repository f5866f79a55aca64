/* sim/validate/validate.h - what a look at a configuration, and at the cluster and jobs that it is meant for, can warn of before anything runs:
 * settings that conflict, that have no effect, or that are known to starve jobs or to evict in circles.
 *
 * validate.c has the list of warnings and looks at the configuration's plugins as the engine registers them; validate-conf.c checks the
 * configuration alone, validate-data.c together with nodes, queues and jobs, which validate-facts.c gathers. */
#pragma once
#include "core/session/engine.h"
#include "sim/world/world.h"
#include "workloads/k8s/k8s-objects.h"
G_BEGIN_DECLS

/* ---- nodes, queues and jobs as far as they are known ---- */
typedef struct {
  const VcShape *shape;
  guint32 job;           /* in SimFacts.job */
  guint32 count;         /* pods */
} SimFactRole;
typedef struct {
  const char *name;      /* "<namespace>/<name>" */
  const char *file; guint32 line;
  const char *queue_name;
  guint32 queue;         /* row in the cluster, VC_NONE: no such queue */
  guint32 min, pods;     /* pods it cannot start without; all of them */
  guint32 first_role, n_roles;
  gint64 priority;
  gboolean preemptable;  /* at least one of its pods may be evicted */
} SimFactJob;
typedef struct { guint32 row; const char *file; guint32 line; } SimFactQueue;
typedef struct { const char *file; guint32 line; const char *text; } SimFactRefusal; /* what admission would not let in */
typedef struct {
  VcCluster *cluster;    /* nodes and queues: every one that ever comes */
  GArray *role, *job, *queue, *refused; /* of the types above */
  GStringChunk *text;
  gpointer owner[2]; GDestroyNotify free_owner[2];
} SimFacts;
SimFacts *sim_facts_of_objects (const WlObjects *objects, GError **error);
typedef struct { const char *nodes, *jobs, *queues; const char *const *classes; /* NULL-terminated "NAME=VALUE", or NULL */ } SimFactFiles;
SimFacts *sim_facts_of_files (const SimFactFiles *files, GError **error);
/** What admission has against the jobs and queues of @objects goes into the facts. */
void sim_facts_judge_objects (SimFacts *f, const WlObjects *objects);
/** The same of the changes of queues that the world is to see; they take effect in it, without jobs and without the clock. @file: of the rows. */
void sim_facts_judge_queues (SimFacts *f, SimWorld *w, const char *file);
void sim_facts_free (SimFacts *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimFacts, sim_facts_free)

/* ---- warnings ---- */
typedef struct {
  const char *code;      /* static: one word for each kind */
  const char *entry;     /* static: the entry of the gallery that proves it; NULL: none */
  char *file; guint32 line, column;
  char *text;
} SimWarning;
/** Check the configuration @text strictly, with @facts unless NULL. The warnings by place, those of the configuration first. NULL with
 * @error when the configuration is refused. (transfer full: GPtrArray of SimWarning) */
GPtrArray *sim_validate (const char *text, gsize len, const char *source, const SimFacts *facts, GError **error);

/* ---- shared by the checks ---- */
typedef struct {
  const VcConf *conf;
  const char *text; gsize len;
  const char *source;
  const SimFacts *facts; /* or NULL */
  GPtrArray *asked[VC_N_HOOKS]; /* names of the plugins that are asked in a family, in order */
  GPtrArray *warnings;
} SimValidation;
void sim_warn (SimValidation *v, const char *code, const char *file, guint32 line, guint32 column, const char *format, ...) G_GNUC_PRINTF (6, 7);
/** At the name of the @nth (from 0) mention of @action in `actions`; NULL: where `actions` stands. */
void sim_warn_action (SimValidation *v, const char *code, const char *action, guint nth, const char *format, ...) G_GNUC_PRINTF (5, 6);
void sim_warn_plugin (SimValidation *v, const char *code, const VcPluginOption *plugin, const char *format, ...) G_GNUC_PRINTF (4, 5);
gboolean sim_has_action (const SimValidation *v, const char *action);
/** Place in `actions` of the first mention, or -1. */
int sim_action_place (const SimValidation *v, const char *action);
/** preempt, reclaim, gangpreempt or gangreclaim, whichever comes first; NULL: nothing of the kind. */
const char *sim_evicting_action (const SimValidation *v);
/** First entry of the plugin, NULL; @tier (nullable) gets its tier. */
const VcPluginOption *sim_plugin (const SimValidation *v, const char *name, guint *tier);
gboolean sim_is_asked (const SimValidation *v, VcHookFamily f, const char *plugin);
double sim_plugin_float (const VcPluginOption *plugin, const char *key, double fallback);
/** Does a gang need more at once than its queue deserves? Needs facts. */
gboolean sim_gang_above_share (const SimValidation *v);
void sim_check_conf (SimValidation *v);
void sim_check_data (SimValidation *v);
void sim_check_admission (SimValidation *v);

G_END_DECLS
