/* sim/load/scenario.h - what a run consists of: inputs and options, from a scenario file and the command line.
 *
 * A scenario file is a YAML map; paths in it are relative to the file. Every scalar key is also an option of `volsim run`
 * (with `-` for `_`), and options override the file. Keys, defaults and meanings stand in one table (sim_scenario_keys). */
#pragma once
#include "core/conf/conf.h"
#include "core/conf/preset.h"
#include "sim/world/model.h"
G_BEGIN_DECLS

typedef struct { char *name; gint64 value; } SimClass;
typedef struct { char *pod; guint32 n; } SimBindFailure;   /* "ns/pod": the first n binds of pods of that name fail */
typedef struct { char *name; guint32 n; } SimNodeCount;    /* so many nodes of that row of nodes.csv */
typedef struct { SimTime time; char *file; } SimConfAt;    /* the scheduler finds another configuration */

/* One of several schedulers. */
typedef struct {
  char *name;
  const char *names[2];        /* that name, and NULL */
  char *conf;                  /* this file, or … */
  const VcPreset *preset;      /* … this preset; both NULL: as the scenario says */
  SimTime period, offset;      /* SIM_NO_TIME: as the scenario says; of the first cycle */
  char *shard;                 /* its NodeShard */
  guint8 sharding;             /* VcSharding */
} SimSchedulerSpec;

typedef struct {
  char *nodes, *jobs, *queues, *objects, *commands, *scale, *node_usage, *images, *faults, *recorded, *conf, *out, *follow, *admission_conf; /* NULL: not given */
  const VcPreset *preset;                   /* in place of conf: setting one of them takes the other back */
  SimTime period, grace, until, sample, shake;
  double arrival_rate, request_scale;
  gint64 keep_nodes;                        /* -1: all */
  SimTime snapshot;                         /* SIM_NO_TIME: not given */
  char *more_jobs; gint64 more_copies; SimTime more_at;
  SimModel model;                           /* with the seed */
  SimTime cycle_cost, cycle_cost_node, cycle_cost_pod; /* constant, for each node, for each pending pod */
  gint64 start;                             /* second of the calendar at time 0 */
  gint64 percentage_nodes_to_find, minimum_feasible_nodes, minimum_percentage_nodes_to_find;
  gboolean random_ties; guint64 tie_seed;
  gboolean lenient, plain, skip, check, check_fully, charts, follow_record;
  gint64 verbosity;
  char **ignored_provisioners;              /* NULL: not given */
  guint webhooks;                           /* WlWebhook bits */
  gboolean check_pods_of_queues;            /* a queue with allocated pods cannot be deleted */
  GArray *classes;                          /* SimClass */
  GPtrArray *schedulers;                    /* SimSchedulerSpec; empty: one */
  GString *given;                           /* " --key value" of what the command line or a variant gave, where it may change a result */
  GArray *node_count;                       /* SimNodeCount */
  GArray *bind_fail, *conf_at;              /* SimBindFailure, SimConfAt, in the order in which they are given */
  GPtrArray *topology_types;                /* char **: the type's name, then its labels from the top down to kubernetes.io/hostname */
} SimScenario;

typedef struct {
  const char *key;      /* as in the file; NULL ends the table */
  const char *argument; /* what the value looks like; NULL: a switch; LEFT=RIGHT: may be given often, in the file a map from left to right */
  const char *fallback; /* default, as text */
  const char *summary;
} SimScenarioKey;
extern const SimScenarioKey sim_scenario_keys[];
gboolean sim_scenario_key_repeats (const SimScenarioKey *key);

void sim_scenario_init (SimScenario *s);
void sim_scenario_clear (SimScenario *s);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SimScenario, sim_scenario_clear)

/** Set one key from its text; a key that repeats takes one entry. @base (nullable) is the folder that relative paths start from. */
gboolean sim_scenario_set (SimScenario *s, const char *key, const char *value, const char *base, GError **error);
/** Note that the command line gave @key (@value NULL: a switch), for SimScenario.given. */
void sim_scenario_note (SimScenario *s, const char *key, const char *value);
/* What a user hears of a preset whose name begins with x-. */
#define SIM_PRESET_BEYOND "policy preset '%s' is not Volcano's: it needs what only volsim has (docs/presets.md)"
/** Take a preset for the configuration, in place of a file that has been given before. */
gboolean sim_scenario_set_preset (SimScenario *s, const char *name, GError **error);
/** Actions and plugins of the configurations (VcConf) that Volcano does not have, with commas between; "": none. (transfer full) */
char *sim_confs_beyond (const GPtrArray *confs);
/** Refuse a configuration by file and by preset at once: @what_conf and @what_preset are how the user has said it. */
gboolean sim_scenario_check_conf (gboolean conf, gboolean preset, const char *what_conf, const char *what_preset, GError **error);
/** Read the file @path ("-": standard input). Errors are "file:line:column: …". */
gboolean sim_scenario_read (SimScenario *s, const char *path, GError **error);

G_END_DECLS
