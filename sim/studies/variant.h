/* sim/studies/variant.h - a scenario and what is different in it: the unit of sweeps, comparisons and plans. */
#pragma once
#include "sim/load/engine-options.h"
#include "sim/run.h"
G_BEGIN_DECLS

typedef struct {
  const char *file;       /* scenario file, nullable */
  const char *preset;     /* policy preset in place of the scenario's configuration, nullable */
  char **key, **value;    /* NULL-terminated: set after the file is read; "key.entry" for an entry of a map */
  const char *base;       /* folder that paths of the values start from, nullable */
  const char *out;        /* results directory, NULL: only the figures */
  const char *explain;    /* nullable, with explain_at and explained: as in SimRunInput; so is saved */
  SimTime explain_at;
  SimExplain **explained;
  char **saved;
  const VcCacheOptions *cache;
  const VcEngineOptions *engine;
  const volatile sig_atomic_t *interrupted;
} SimVariant;

#define SIM_VARIANT_SHAKE "30" /* seconds that --shake stands for when it is not given */
/** The settings of repeat @repeat, appended to both lists: submissions moved by up to @shake (NULL: SIM_VARIANT_SHAKE) and equal best nodes drawn.
 * Repeat 0 is the scenario as it is: nothing. */
void sim_variant_shake (GPtrArray *key, GPtrArray *value, guint repeat, const char *shake);

/** Run it. NULL with @error. (transfer full) */
RpResults *sim_variant_run (const SimVariant *v, GError **error);

G_END_DECLS
