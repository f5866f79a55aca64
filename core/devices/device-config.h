/* core/devices/device-config.h - what kinds of shared devices there are: resource names, MIG geometries, templates of NPUs.
 *
 * Read from the ConfigMap that the plugin deviceshare names (key device-config.yaml, YAML as yaml.v2 reads it), else the built-in one. A text
 * that does not decode counts as no ConfigMap at all, as upstream takes it.
 * Mirrors pkg/scheduler/api/devices/config/{config,vgpu,vnpu}.go. */
#pragma once
#include "core/base/arena.h"
G_BEGIN_DECLS

#define VC_DEVICE_CONFIG_KEY "device-config.yaml"

/* Instances of one kind that a card can be cut into. */
typedef struct { const char *name; guint64 memory; gint64 count; } VcMigInstance;
/* One way to cut a card. */
typedef struct { const char *name; VcMigInstance *instance; guint n_instances; } VcMigGroup;
typedef struct {
  const char **model; guint n_models; /* parts of the card's type */
  VcMigGroup *group; guint n_groups;
} VcMigModel;
typedef struct {
  const char *count, *memory, *cores, *memory_percentage; /* resource names; "" where none is configured */
  guint64 memory_factor;                                  /* 0 and 1: none */
  VcMigModel *model; guint n_models;
} VcNvidiaConfig;

typedef struct { const char *name; gint64 memory; } VcNpuTemplate;
typedef struct {
  const char *word;             /* commonWord: the type of the device */
  const char *resource, *memory; /* resource names */
  gint64 memory_allocatable, memory_capacity;
  VcNpuTemplate *template; guint n_templates; /* ascending by memory */
} VcNpuConfig;

typedef struct {
  VcNvidiaConfig nvidia;
  gboolean hami_core;           /* every node has soft partitions (vnpus.hamiVnpuCore) */
  VcNpuConfig *npu; guint n_npus;
} VcDeviceConfig;

/** The configuration that @text holds, in @arena. NULL when it does not decode. */
const VcDeviceConfig *vc_device_config_read (const char *text, gsize len, VcArena *arena);
/** The built-in one. */
const VcDeviceConfig *vc_device_config_default (VcArena *arena);
/** The ways in which cards of @type can be cut, or NULL when the configuration knows none. */
const VcMigModel *vc_device_config_model (const VcDeviceConfig *config, const char *type);

G_END_DECLS
