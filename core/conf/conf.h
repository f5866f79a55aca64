/* core/conf/conf.h - a volcano-scheduler.conf: actions, tiers of plugins with flags and arguments, action arguments.
 *
 * Reads text, not files. Accepts a bare configuration or a ConfigMap that carries one (data key `volcano-scheduler.conf`, or the
 * only key that ends in `.conf`). Plain scalars are read as yaml.v2 reads them (YAML 1.1; shared finding W11).
 * Mirrors pkg/scheduler/conf/scheduler_conf.go, pkg/scheduler/util.go (UnmarshalSchedulerConf) and plugins/defaults.go. */
#pragma once
#include "args.h"
G_BEGIN_DECLS

/* Enable flags in the order of vc_flag_names (the YAML keys, 01 §8.2). */
typedef enum {
  VC_FLAG_JOB_ORDER, VC_FLAG_HIERARCHY, VC_FLAG_JOB_READY, VC_FLAG_JOB_PIPELINED, VC_FLAG_TASK_ORDER, VC_FLAG_PREEMPTABLE,
  VC_FLAG_RECLAIMABLE, VC_FLAG_PREEMPTIVE, VC_FLAG_QUEUE_ORDER, VC_FLAG_CLUSTER_ORDER, VC_FLAG_PREDICATE, VC_FLAG_BEST_NODE,
  VC_FLAG_NODE_ORDER, VC_FLAG_TARGET_JOB, VC_FLAG_RESERVED_NODES, VC_FLAG_JOB_ENQUEUED, VC_FLAG_VICTIM, VC_FLAG_JOB_STARVING,
  VC_FLAG_OVERUSED, VC_FLAG_ALLOCATABLE, VC_FLAG_HYPER_NODE_ORDER, VC_FLAG_SUB_JOB_READY, VC_FLAG_SUB_JOB_PIPELINED,
  VC_FLAG_SUB_JOB_ORDER, VC_FLAG_HYPER_NODE_GRADIENT, VC_N_FLAGS
} VcFlag;
extern const char *const vc_flag_names[VC_N_FLAGS]; /* "enableJobOrder", "enableHierarchy", … */

typedef struct {
  char *name;
  guint32 line, col;        /* of the name, from 1 */
  gint8 given[VC_N_FLAGS];  /* -1 not given, 0 false, 1 true */
  gboolean on[VC_N_FLAGS];  /* after defaults: not given = true, but hierarchy and cluster order = false */
  VcArgs args;
} VcPluginOption;
typedef struct { VcPluginOption *plugin; guint n; } VcTier;
typedef struct { char *name; guint32 line, col; VcArgs args; } VcActionConf;
typedef struct {
  char **actions;         /* NULL-terminated, trimmed, in order, repeats kept */
  VcTier *tier;
  guint n_tiers;
  VcActionConf *action_conf; /* `configurations`, in file order; the first of a name counts */
  guint n_action_confs;
  char *metrics_interval; /* `metrics: interval:` as written; NULL */
} VcConf;

/* What a configuration may name: plugins and actions of upstream, whether they exist here, and their arguments. */
typedef enum { VC_ARG_INT, VC_ARG_FLOAT, VC_ARG_BOOL, VC_ARG_STRING, VC_ARG_ANY } VcArgType;
typedef struct {
  const char *key;    /* "binpack.weight"; a trailing `*` matches any rest: "binpack.resources.*" */
  VcArgType type;
  const char *summary; /* with default and unit */
} VcArgSpec;
#define VC_BEYOND 2
typedef struct {
  const char *name;
  const char *summary;
  const VcArgSpec *args; /* ends with key NULL; may be NULL */
  int exists;            /* TRUE; FALSE: upstream has it, volsim does not yet; VC_BEYOND: volsim has it, upstream does not (core/beyond) */
} VcNameSpec;
typedef struct {
  const VcNameSpec *plugins; guint n_plugins;
  const VcNameSpec *actions; guint n_actions;
} VcCatalog;

#define VC_CONF_ERROR (vc_conf_error_quark ())
typedef enum { VC_CONF_ERROR_SYNTAX, VC_CONF_ERROR_UNKNOWN, VC_CONF_ERROR_TYPE, VC_CONF_ERROR_UNSUPPORTED, VC_CONF_ERROR_CONFLICT } VcConfError;
GQuark vc_conf_error_quark (void);

/** Read @text (@len bytes), naming it @source in messages ("source:line:column: …, expected …, found …").
 * @lenient accepts what Volcano accepts and appends one text per oddity to @warnings (char *, g_free; may be NULL):
 * unknown keys, unknown plugins (they are skipped), unknown arguments, values of the wrong type, repeated keys (the last
 * counts), tiers or plugins left empty, further documents. Otherwise each of these is an error that gives the nearest known
 * name. A second `configurations` entry for one action gives a warning in both modes. In both modes refused: broken YAML, an
 * unknown action, a flag that is no boolean, drf with enableHierarchy beside proportion in one tier, and a plugin or action
 * that upstream has and volsim does not yet (such an action may have `configurations`, as long as it is not run).
 * @known NULL: no name is checked. (transfer full) */
VcConf *vc_conf_parse (const char *text, gsize len, const char *source, const VcCatalog *known, gboolean lenient,
                       GPtrArray *warnings, GError **error);
/** The built-in default (01 §8.1 rule 5). */
VcConf *vc_conf_default (void);
/** The shipped chart's configuration: the default plus binpack last, gang and drf with enablePreemptable false. */
VcConf *vc_conf_chart (void);
void vc_conf_free (VcConf *conf);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcConf, vc_conf_free)
/** Run  instead, and of the plugins only those of  (both NULL-terminated). */
void vc_conf_keep (VcConf *conf, const char *const *actions, const char *const *plugins);
/** Arguments of an action: the first entry of that name, or an empty list. */
const VcArgs *vc_conf_action_args (const VcConf *conf, const char *action);

/** The name of @names nearest to @text by edit distance (at most a third of its length, at least 1; two neighbours swapped are
 * one edit, and a name that differs in upper and lower case only is always near), or NULL. Borrowed. */
const char *vc_nearest_name (const char *text, const char *const *names, guint n);

G_END_DECLS
