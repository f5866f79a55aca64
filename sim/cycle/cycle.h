/* sim/cycle/cycle.h - the dry run: one or more cycles on Kubernetes objects as they stand (07 §3). */
#pragma once
#include "core/session/engine.h"
#include "workloads/k8s/k8s-objects.h"
#include "workloads/native/node-usage.h"
G_BEGIN_DECLS

#define SIM_ERROR (sim_error_quark ())
typedef enum { SIM_ERROR_INPUT, SIM_ERROR_FAILED, SIM_ERROR_INTERRUPTED } SimError;
GQuark sim_error_quark (void);

typedef struct {
  const char *conf_text; gsize conf_len; const char *conf_source; /* NULL text: the chart's configuration */
  gboolean lenient;
  VcCacheOptions cache;
  VcEngineOptions engine;
  gint64 now;            /* microseconds since the epoch */
  const WlNodeUsage *usage; /* measured load of the nodes, or NULL */
  gboolean diagnose;     /* tell what is wrong with the last cycle */
  const char *explain;   /* pod or PodGroup to explain, NULL */
  GPtrArray *decisions;  /* nullable: what each cycle decides is appended, as sim_cycle_decisions() gives it */
  guint cycles;          /* 1 as a rule; between cycles bound pods stay Bound */
} SimCycleInput;
void sim_cycle_input_init (SimCycleInput *in);

typedef enum { SIM_FORMAT_TABLE, SIM_FORMAT_JSON, SIM_FORMAT_YAML } SimFormat;
/** Decide and print. Warnings (char *) are appended to @warnings when not NULL. NULL with @error. (transfer full) */
char *sim_cycle_run (const WlObjects *objects, const SimCycleInput *in, SimFormat format, GPtrArray *warnings, GError **error);

/** Every resource name that the objects use, for vc_res_names_new(). (transfer full: NULL-terminated, g_strfreev) */
char **sim_cycle_resource_names (const WlObjects *objects);
/** Hand one object of a kind that the cache knows to it: added, or updated. */
void sim_cycle_add_object (VcCache *cache, const WlObject *o);
/** A cache filled with the objects in order. NULL with @error. (transfer full) */
VcCache *sim_cycle_load (const WlObjects *objects, const VcCacheOptions *options, GPtrArray *warnings, GError **error);

/** What a storage object makes pods ask for (attachable-volumes-csi-…) is added to @set, which owns its texts. */
void sim_note_drivers (const WlObject *o, GHashTable *set);
/** Tell the cache of a storage object; FALSE: @o is none. */
gboolean sim_load_storage (VcCache *cache, const WlObject *o);

G_END_DECLS
