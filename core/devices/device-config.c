#include "device-config.h"
#include "core/conf/args.h"
#include <math.h>
#include <string.h>

typedef struct {
  VcArena *arena;
  gboolean bad; /* some value has a type that its field does not take */
} Reader;

/* ---- fields as yaml.v2 decodes them: null leaves the field, a wrong type spoils the whole text ---- */

static const VcArg *
field (const VcArgs *map, const char *key)
{
  const VcArg *a = map != NULL ? vc_args_find (map, key) : NULL;

  return a != NULL && a->type != VC_VALUE_NULL ? a : NULL;
}

/* Any scalar is a text. */
static const char *
text_of (Reader *r, const VcArgs *map, const char *key)
{
  const VcArg *a = field (map, key);

  if (a == NULL)
    return "";
  r->bad |= a->child != NULL;
  return a->child == NULL ? vc_arena_strdup (r->arena, a->s) : "";
}

/* A whole number between @low and @high, or a float, which is cut. */
static gint64
int_of (Reader *r, const VcArgs *map, const char *key, gint64 low, gint64 high)
{
  const VcArg *a = field (map, key);

  if (a == NULL)
    return 0;
  if (a->type == VC_VALUE_INT && a->i >= low && a->i <= high)
    return a->i;
  if (a->type == VC_VALUE_FLOAT && a->f >= (double) low && a->f < (double) high)
    return (gint64) a->f;
  r->bad = TRUE;
  return 0;
}

static void
check_bool (Reader *r, const VcArgs *map, const char *key)
{
  const VcArg *a = field (map, key);

  r->bad |= a != NULL && a->type != VC_VALUE_BOOL;
}

static void
check_float (Reader *r, const VcArgs *map, const char *key)
{
  const VcArg *a = field (map, key);

  r->bad |= a != NULL && a->type != VC_VALUE_FLOAT && a->type != VC_VALUE_INT;
}

/* The elements of a list; NULL when it is not given. */
static const VcArgs *
list_of (Reader *r, const VcArgs *map, const char *key)
{
  const VcArg *a = field (map, key);

  if (a == NULL)
    return NULL;
  r->bad |= a->child == NULL || !a->is_list;
  return a->is_list ? a->child : NULL;
}

/* An element of a list as a map; null is an empty one. */
static const VcArgs *
map_at (Reader *r, const VcArgs *list, guint i)
{
  const VcArg *a = &list->arg[i];

  if (a->type == VC_VALUE_NULL)
    return NULL;
  r->bad |= a->child == NULL || a->is_list;
  return !a->is_list ? a->child : NULL;
}

static const VcArgs *
map_of (Reader *r, const VcArgs *map, const char *key)
{
  const VcArg *a = field (map, key);

  if (a == NULL)
    return NULL;
  r->bad |= a->child == NULL || a->is_list;
  return !a->is_list ? a->child : NULL;
}

static guint
length (const VcArgs *list)
{
  return list != NULL ? list->n : 0;
}

/* ---- GPUs ---- */

static void
read_group (Reader *r, const VcArgs *map, VcMigGroup *out)
{
  const VcArgs *list = list_of (r, map, "geometries");

  out->name = text_of (r, map, "group");
  out->n_instances = length (list);
  out->instance = vc_arena_new0 (r->arena, VcMigInstance, out->n_instances);
  for (guint i = 0; i < out->n_instances; i++) {
    const VcArgs *one = map_at (r, list, i);

    out->instance[i] = (VcMigInstance) { text_of (r, one, "name"), (guint64) int_of (r, one, "memory", 0, G_MAXINT64), int_of (r, one, "count", G_MININT64, G_MAXINT64) };
  }
}

static void
read_model (Reader *r, const VcArgs *map, VcMigModel *out)
{
  const VcArgs *models = list_of (r, map, "models"), *groups = list_of (r, map, "allowedGeometries");

  out->n_models = length (models);
  out->model = vc_arena_new0 (r->arena, const char *, out->n_models);
  for (guint i = 0; i < out->n_models; i++) {
    const VcArg *a = &models->arg[i];

    r->bad |= a->child != NULL;
    out->model[i] = a->child == NULL && a->type != VC_VALUE_NULL ? vc_arena_strdup (r->arena, a->s) : "";
  }
  out->n_groups = length (groups);
  out->group = vc_arena_new0 (r->arena, VcMigGroup, out->n_groups);
  for (guint i = 0; i < out->n_groups; i++)
    read_group (r, map_at (r, groups, i), &out->group[i]);
}

static void
read_nvidia (Reader *r, const VcArgs *map, VcNvidiaConfig *out)
{
  static const char *const numbers[] = { "defaultMemory", "defaultCores", "defaultGPUNum", "deviceSplitCount" };
  static const char *const floats[] = { "deviceMemoryScaling", "deviceCoreScaling" };
  static const char *const flags[] = { "overwriteEnv", "disableCoreLimit" };
  const VcArgs *models = list_of (r, map, "knownMigGeometries");

  out->count = text_of (r, map, "resourceCountName");
  out->memory = text_of (r, map, "resourceMemoryName");
  out->cores = text_of (r, map, "resourceCoreName");
  out->memory_percentage = text_of (r, map, "resourceMemoryPercentageName");
  out->memory_factor = (guint64) int_of (r, map, "gpuMemoryFactor", 0, G_MAXINT64);
  text_of (r, map, "resourcePriorityName");
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    int_of (r, map, numbers[i], 0, G_MAXINT64);
  for (guint i = 0; i < G_N_ELEMENTS (floats); i++)
    check_float (r, map, floats[i]);
  for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
    check_bool (r, map, flags[i]);
  out->n_models = length (models);
  out->model = vc_arena_new0 (r->arena, VcMigModel, out->n_models);
  for (guint i = 0; i < out->n_models; i++)
    read_model (r, map_at (r, models, i), &out->model[i]);
}

/* ---- NPUs ---- */

static void
read_npu (Reader *r, const VcArgs *map, VcNpuConfig *out)
{
  const VcArgs *list = list_of (r, map, "templates");

  out->word = text_of (r, map, "commonWord");
  out->resource = text_of (r, map, "resourceName");
  out->memory = text_of (r, map, "resourceMemoryName");
  out->memory_allocatable = int_of (r, map, "memoryAllocatable", G_MININT64, G_MAXINT64);
  out->memory_capacity = int_of (r, map, "memoryCapacity", G_MININT64, G_MAXINT64);
  text_of (r, map, "chipName");
  int_of (r, map, "aiCore", G_MININT32, G_MAXINT32);
  int_of (r, map, "aiCPU", G_MININT32, G_MAXINT32);
  out->template = vc_arena_new0 (r->arena, VcNpuTemplate, length (list));
  for (guint i = 0; i < length (list); i++) {
    const VcArgs *one = map_at (r, list, i);
    VcNpuTemplate t = { text_of (r, one, "name"), int_of (r, one, "memory", G_MININT64, G_MAXINT64) };
    guint at = out->n_templates++;

    int_of (r, one, "aiCore", G_MININT32, G_MAXINT32);
    int_of (r, one, "aiCPU", G_MININT32, G_MAXINT32);
    for (; at > 0 && out->template[at - 1].memory > t.memory; at--) /* ascending by memory, equal ones as they come */
      out->template[at] = out->template[at - 1];
    out->template[at] = t;
  }
}

/* `vnpus` is a map with a list of types in it, or in the older form that list alone. */
static void
read_npus (Reader *r, const VcArgs *map, VcDeviceConfig *out)
{
  const VcArg *a = field (map, "vnpus");
  const VcArgs *list;

  if (a == NULL)
    return;
  r->bad |= a->child == NULL;
  list = a->is_list ? a->child : list_of (r, a->child, "configs");
  if (!a->is_list && a->child != NULL) {
    const VcArg *core = field (a->child, "hamiVnpuCore");

    check_bool (r, a->child, "hamiVnpuCore");
    out->hami_core = core != NULL && core->b;
  }
  out->npu = vc_arena_new0 (r->arena, VcNpuConfig, length (list));
  out->n_npus = length (list);
  for (guint i = 0; i < out->n_npus; i++)
    read_npu (r, map_at (r, list, i), &out->npu[i]);
}

/* ---- the whole ---- */

const VcDeviceConfig *
vc_device_config_read (const char *text, gsize len, VcArena *arena)
{
  g_auto (VcArgs) map = { 0 };
  Reader r = { .arena = arena };
  VcDeviceConfig *config = vc_arena_new0 (arena, VcDeviceConfig, 1);

  if (!vc_args_read (text, len, &map))
    return NULL;
  read_nvidia (&r, map_of (&r, &map, "nvidia"), &config->nvidia);
  read_npus (&r, &map, config);
  return r.bad ? NULL : config;
}

const VcDeviceConfig *
vc_device_config_default (VcArena *arena)
{
  static const VcNpuTemplate template[] = { { "vir01", 3072 }, { "vir02", 6144 }, { "vir04", 12288 } };
  VcDeviceConfig *config = vc_arena_new0 (arena, VcDeviceConfig, 1);
  VcNpuConfig *npu = vc_arena_new0 (arena, VcNpuConfig, 1);

  config->nvidia.count = "volcano.sh/vgpu-number";
  config->nvidia.memory = "volcano.sh/vgpu-memory";
  config->nvidia.cores = "volcano.sh/vgpu-cores";
  config->nvidia.memory_percentage = "";
  npu->word = "Ascend310P";
  npu->resource = "huawei.com/Ascend310P";
  npu->memory = "huawei.com/Ascend310P-memory";
  npu->memory_allocatable = 21527;
  npu->memory_capacity = 24576;
  npu->template = vc_arena_new0 (arena, VcNpuTemplate, G_N_ELEMENTS (template));
  npu->n_templates = G_N_ELEMENTS (template);
  memcpy (npu->template, template, sizeof template);
  config->npu = npu;
  config->n_npus = 1;
  return config;
}

const VcMigModel *
vc_device_config_model (const VcDeviceConfig *config, const char *type)
{
  for (guint m = 0; m < config->nvidia.n_models; m++)
    for (guint i = 0; i < config->nvidia.model[m].n_models; i++)
      if (strstr (type, config->nvidia.model[m].model[i]) != NULL)
        return &config->nvidia.model[m];
  return NULL;
}
