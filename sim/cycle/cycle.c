#include "cycle.h"
#include "cycle-print.h"
#include "diagnose-cycle.h"
#include "explain.h"
#include "save-cycle.h"
#include "core/conf/conf.h"
#include "core/model/volumes.h"
#include "sim/world/claims.h"
#include "sim/world/ignored.h"
#include <string.h>

G_DEFINE_QUARK (sim_error_quark, sim_error)

void
sim_cycle_input_init (SimCycleInput *in)
{
  *in = (SimCycleInput) { .cycles = 1, .now = G_GINT64_CONSTANT (1796000000) * G_USEC_PER_SEC };
  vc_cache_options_init (&in->cache);
  vc_engine_options_init (&in->engine);
  in->engine.messages = TRUE;
  in->engine.exact_fit = TRUE;
}

/* ---- loading ------------------------------------------------------------------------------------ */

static void
add_names (GHashTable *set, const VcAmounts *a)
{
  for (guint i = 0; i < a->n; i++)
    if (vc_res_is_scalar_name (a->item[i].name))
      g_hash_table_add (set, g_strdup (a->item[i].name));
}

static void
add_driver (GHashTable *set, const char *driver)
{
  if (driver != NULL && *driver != '\0')
    g_hash_table_add (set, vc_attach_resource (driver));
}

void
sim_note_drivers (const WlObject *o, GHashTable *set)
{
  if (o->kind == WL_OBJECT_STORAGE_CLASS)
    add_driver (set, o->storage_class.csi_driver != NULL ? o->storage_class.csi_driver : o->storage_class.provisioner);
  else if (o->kind == WL_OBJECT_PERSISTENT_VOLUME)
    add_driver (set, o->volume.driver);
  else if (o->kind == WL_OBJECT_CSI_NODE)
    for (guint i = 0; i < o->csi_node.n_drivers; i++)
      add_driver (set, o->csi_node.driver[i].name);
}

char **
sim_cycle_resource_names (const WlObjects *objects)
{
  g_autoptr (GHashTable) set = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < objects->objects->len; i++) {
    const WlObject *o = objects->objects->pdata[i];
    switch (o->kind) {
    case WL_OBJECT_NODE:
      add_names (set, &o->node.allocatable);
      add_names (set, &o->node.capacity); /* a device may be announced there alone */
      break;
    case WL_OBJECT_POD:
      for (guint c = 0; c < o->pod.spec.n_containers; c++)
        add_names (set, &o->pod.spec.container[c].request);
      add_names (set, &o->pod.spec.overhead);
      add_names (set, &o->pod.spec.pod_level);
      break;
    case WL_OBJECT_POD_GROUP:
      add_names (set, &o->pod_group.min_resources);
      break;
    case WL_OBJECT_QUEUE:
      add_names (set, &o->queue.capability);
      add_names (set, &o->queue.deserved);
      add_names (set, &o->queue.guarantee);
      break;
    case WL_OBJECT_STORAGE_CLASS:
    case WL_OBJECT_PERSISTENT_VOLUME:
    case WL_OBJECT_CSI_NODE:
      sim_note_drivers (o, set);
      break;
    case WL_OBJECT_PRIORITY_CLASS:
    case WL_OBJECT_NAMESPACE:
    case WL_OBJECT_RESOURCE_QUOTA: /* compared name by name, not in vectors */
    case WL_OBJECT_POD_DISRUPTION_BUDGET:
    case WL_OBJECT_PERSISTENT_VOLUME_CLAIM:
    case WL_OBJECT_CSI_DRIVER:
    case WL_OBJECT_CSI_STORAGE_CAPACITY:
    case WL_OBJECT_VOLUME_ATTACHMENT:
    case WL_OBJECT_CONFIG_MAP:
    case WL_OBJECT_HYPER_NODE:
    case WL_OBJECT_NUMATOPOLOGY:
    case WL_OBJECT_NODE_SHARD:
    case WL_OBJECT_RESOURCE_CLAIM:
    case WL_OBJECT_RESOURCE_CLAIM_TEMPLATE:
    case WL_OBJECT_RESOURCE_SLICE:
    case WL_OBJECT_DEVICE_CLASS:
    default:
      break;
    }
  }
  guint n = 0;
  g_autofree gpointer *keys = g_hash_table_get_keys_as_array (set, &n); /* any order: VcResNames sorts */
  char **names = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    names[i] = g_strdup (keys[i]);
  return names;
}

/* Objects enter by kind, within a kind in the order of the input. */
static const WlObjectKind load_order[] = {
  WL_OBJECT_CONFIG_MAP,
  WL_OBJECT_PRIORITY_CLASS,    WL_OBJECT_NAMESPACE,         WL_OBJECT_RESOURCE_QUOTA,          WL_OBJECT_POD_DISRUPTION_BUDGET, WL_OBJECT_STORAGE_CLASS,
  WL_OBJECT_PERSISTENT_VOLUME, WL_OBJECT_PERSISTENT_VOLUME_CLAIM, WL_OBJECT_CSI_NODE,         WL_OBJECT_CSI_DRIVER,            WL_OBJECT_CSI_STORAGE_CAPACITY,
  WL_OBJECT_VOLUME_ATTACHMENT, WL_OBJECT_DEVICE_CLASS,      WL_OBJECT_RESOURCE_SLICE,          WL_OBJECT_RESOURCE_CLAIM,        WL_OBJECT_NODE_SHARD,
  WL_OBJECT_NODE,              WL_OBJECT_NUMATOPOLOGY,      WL_OBJECT_POD,               WL_OBJECT_POD_GROUP,               WL_OBJECT_QUEUE,                 WL_OBJECT_HYPER_NODE
};

gboolean
sim_load_storage (VcCache *cache, const WlObject *o)
{
  switch (o->kind) {
  case WL_OBJECT_STORAGE_CLASS:
    vc_cache_add_storage_class (cache, &o->storage_class);
    return TRUE;
  case WL_OBJECT_PERSISTENT_VOLUME:
    vc_cache_add_volume (cache, &o->volume);
    return TRUE;
  case WL_OBJECT_PERSISTENT_VOLUME_CLAIM:
    vc_cache_add_claim (cache, &o->claim);
    return TRUE;
  case WL_OBJECT_CSI_NODE:
    vc_cache_add_csi_node (cache, &o->csi_node);
    return TRUE;
  case WL_OBJECT_CSI_DRIVER:
    vc_cache_add_csi_driver (cache, &o->csi_driver);
    return TRUE;
  case WL_OBJECT_CSI_STORAGE_CAPACITY:
    vc_cache_add_storage_capacity (cache, &o->storage_capacity);
    return TRUE;
  case WL_OBJECT_VOLUME_ATTACHMENT:
    vc_cache_add_volume_attachment (cache, &o->attachment);
    return TRUE;
  case WL_OBJECT_NODE:
  case WL_OBJECT_POD:
  case WL_OBJECT_POD_GROUP:
  case WL_OBJECT_QUEUE:
  case WL_OBJECT_PRIORITY_CLASS:
  case WL_OBJECT_NAMESPACE:
  case WL_OBJECT_RESOURCE_QUOTA:
  case WL_OBJECT_POD_DISRUPTION_BUDGET:
  case WL_OBJECT_CONFIG_MAP:
  case WL_OBJECT_HYPER_NODE:
  case WL_OBJECT_NUMATOPOLOGY:
  case WL_OBJECT_NODE_SHARD:
  case WL_OBJECT_RESOURCE_CLAIM:
  case WL_OBJECT_RESOURCE_CLAIM_TEMPLATE:
  case WL_OBJECT_RESOURCE_SLICE:
  case WL_OBJECT_DEVICE_CLASS:
  default:
    return FALSE;
  }
}

void
sim_cycle_add_object (VcCache *cache, const WlObject *o)
{
  if (sim_load_storage (cache, o))
    return;
  switch ((int) o->kind) {
  case WL_OBJECT_DEVICE_CLASS:
    vc_cache_add_device_class (cache, &o->device_class);
    break;
  case WL_OBJECT_RESOURCE_SLICE:
    vc_cache_add_resource_slice (cache, &o->slice);
    break;
  case WL_OBJECT_RESOURCE_CLAIM: /* of templates the claims are made already */
    vc_cache_add_resource_claim (cache, &o->resource_claim);
    break;
  case WL_OBJECT_PRIORITY_CLASS:
    vc_cache_add_priority_class (cache, &o->priority_class);
    break;
  case WL_OBJECT_NAMESPACE:
    vc_cache_add_namespace (cache, &o->ns);
    break;
  case WL_OBJECT_RESOURCE_QUOTA:
    vc_cache_add_resource_quota (cache, &o->quota);
    break;
  case WL_OBJECT_POD_DISRUPTION_BUDGET:
    vc_cache_add_pod_disruption_budget (cache, &o->budget);
    break;
  case WL_OBJECT_CONFIG_MAP:
    vc_cache_add_config_map (cache, &o->config_map);
    break;
  case WL_OBJECT_NODE:
    vc_cache_add_node (cache, &o->node);
    break;
  case WL_OBJECT_POD:
    vc_cache_add_pod (cache, &o->pod);
    break;
  case WL_OBJECT_POD_GROUP:
    vc_cache_add_pod_group (cache, &o->pod_group);
    break;
  case WL_OBJECT_QUEUE:
    vc_cache_add_queue (cache, &o->queue);
    break;
  case WL_OBJECT_HYPER_NODE:
    vc_cache_add_hyper_node (cache, &o->hyper_node);
    break;
  case WL_OBJECT_NUMATOPOLOGY:
    vc_cache_add_numatopology (cache, &o->numatopology);
    break;
  case WL_OBJECT_NODE_SHARD:
    vc_cache_add_node_shard (cache, &o->shard);
    break;
  default:
    break;
  }
}

/* The engine follows the parents of a queue up to root when it closes a session; a loop would not end. */
static gboolean
check_queues (const WlObjects *objects, const VcCluster *c, GError **error)
{
  for (guint i = 0; i < objects->objects->len; i++) {
    const WlObject *o = objects->objects->pdata[i];
    const char *at = o->kind == WL_OBJECT_QUEUE ? o->queue.parent : NULL;

    for (guint depth = 0; at != NULL && *at != '\0' && strcmp (at, "root") != 0; depth++) {
      guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (c->queue_rows, at));
      if (depth > c->n_queues) {
        g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s:%u: queue '%s': its parents form a loop, expected a path to root", o->file, o->line, o->queue.name);
        return FALSE;
      }
      if (row == 0)
        break; /* fatal only when a task runs below it; the engine stops there */
      at = c->queue[row - 1].parent;
    }
  }
  return TRUE;
}

VcCache *
sim_cycle_load (const WlObjects *objects, const VcCacheOptions *options, GPtrArray *warnings, GError **error)
{
  g_auto (GStrv) scalars = sim_cycle_resource_names (objects);
  sim_drop_ignored (scalars, options);
  VcResNames *names = vc_res_names_new ((const char *const *) scalars, g_strv_length (scalars), error);

  if (names == NULL)
    return NULL;
  g_autoptr (VcCache) cache = vc_cache_new (names, options);
  VcCluster *c = vc_cache_cluster (cache);
  for (guint k = 0; k < G_N_ELEMENTS (load_order); k++)
    for (guint i = 0; i < objects->objects->len; i++) {
      const WlObject *o = objects->objects->pdata[i];
      if (o->kind == load_order[k])
        sim_cycle_add_object (cache, o);
    }
  if (!check_queues (objects, c, error))
    return NULL;
  if (warnings != NULL) {
    static const char *const expected[] = { "root", "default" };
    for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
      if (!g_hash_table_contains (c->queue_rows, expected[i]))
        g_ptr_array_add (warnings, g_strdup_printf ("the objects hold no queue '%s'; a running Volcano always has one", expected[i]));
    for (guint i = 0; i < objects->skipped->len; i++)
      g_ptr_array_add (warnings, g_strdup_printf ("skipped: %s", (const char *) objects->skipped->pdata[i]));
  }
  return g_steal_pointer (&cache);
}

/* ---- the cycles --------------------------------------------------------------------------------- */

static VcConf *
read_conf (const SimCycleInput *in, GPtrArray *warnings, GError **error)
{
  if (in->conf_text == NULL)
    return vc_conf_chart ();
  return vc_conf_parse (in->conf_text, in->conf_len, in->conf_source, vc_catalog (), in->lenient, warnings, error);
}

/* Of the objects: what the devices of their nodes make of resources. */
static char **
ignored_resources (const WlObjects *objects, const VcConf *conf)
{
  g_autoptr (GPtrArray) maps = g_ptr_array_new (), nodes = g_ptr_array_new ();

  for (guint i = 0; i < objects->objects->len; i++) {
    WlObject *o = objects->objects->pdata[i];

    if (o->kind == WL_OBJECT_CONFIG_MAP)
      g_ptr_array_add (maps, &o->config_map);
    else if (o->kind == WL_OBJECT_NODE)
      g_ptr_array_add (nodes, &o->node);
  }
  return sim_ignored_resources (conf, maps, nodes);
}

/* Where the state at a session's close goes; NULL: nobody asks any more. */
typedef struct { SimAnswer *answer; } Capture;

static void
at_close (VcSession *ssn, gpointer user)
{
  const Capture *capture = user;

  if (capture->answer != NULL)
    sim_answer_capture (capture->answer, ssn);
}

/* The cycle after the last one, with its victims gone: of the diagnosis alone. */
static char *
look_ahead (SimCycleDiagnosis *diagnosis, VcEngine *engine, Capture *capture, gint64 now, gboolean json)
{
  VcCycleResult ignored;

  capture->answer = NULL;
  sim_cycle_diagnosis_clear_victims (diagnosis);
  vc_engine_cycle (engine, now, &ignored);
  return sim_cycle_diagnosis_finish (diagnosis, engine, json);
}

/* Between cycles: binds have arrived, evictions are under way. */
static void
settle (VcEngine *engine, VcCache *cache, gint64 now, SimAnswer *answer)
{
  GArray *binds = vc_cache_binds (cache), *evicts = vc_cache_evicts (cache);
  const VcCluster *c = vc_cache_cluster (cache);

  vc_cache_end_claims (cache);
  for (guint i = 0; i < binds->len; i++) {
    const VcBind *b = &g_array_index (binds, VcBind, i);
    sim_answer_bind (answer, c->task[b->task].key, c->nodes.info[b->node].name);
    if (!vc_cache_bind_resource_claims (cache, b->task, now / G_USEC_PER_SEC)) {
      vc_cache_pod_status (cache, b->task, VC_PENDING); /* it was decided; the bind fails */
      continue;
    }
    vc_cache_pod_status (cache, b->task, VC_BOUND);
    vc_cache_pod_scheduled (cache, b->task, now / G_USEC_PER_SEC);
  }
  for (guint i = 0; i < evicts->len; i++) {
    const VcEvict *v = &g_array_index (evicts, VcEvict, i);
    sim_answer_evict (answer, c->task[v->task].key);
    vc_cache_pod_status (cache, v->task, VC_RELEASING);
    vc_cache_pod_evicted (cache, v->task);
  }
  guint n;
  const VcNomination *nomination = vc_engine_nominations (engine, &n);
  for (guint i = 0; i < n; i++)
    vc_cache_pod_nominate (cache, nomination[i].task, nomination[i].node);
  g_array_set_size (binds, 0);
  g_array_set_size (evicts, 0);
  g_array_set_size (vc_cache_statuses (cache), 0);
}

char *
sim_cycle_run (const WlObjects *objects, const SimCycleInput *in, SimFormat format, GPtrArray *warnings, GError **error)
{
  g_autoptr (VcConf) conf = read_conf (in, warnings, error);
  if (conf == NULL || !sim_claims_check (objects, conf, in->cycles > 1 || in->diagnose, error))
    return NULL;
  VcCacheOptions cache_options = in->cache;
  g_auto (GStrv) no_resources = ignored_resources (objects, conf);
  cache_options.ignored_resources = (const char *const *) no_resources;
  g_autoptr (VcCache) cache = sim_cycle_load (objects, &cache_options, warnings, error);
  if (cache == NULL)
    return NULL;
  if (in->usage != NULL)
    wl_node_usage_apply (in->usage, cache, warnings);
  g_autoptr (SimAnswer) answer = sim_answer_new ();
  VcEngineOptions options = in->engine;
  options.at_close = at_close;
  Capture capture = { answer };
  options.at_close_user = &capture;
  g_autoptr (SimExplain) explain = in->explain != NULL ? sim_explain_new (in->explain) : NULL;
  if (explain != NULL) {
    if (!sim_explain_exists (explain, vc_cache_cluster (cache))) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--explain: expected the namespace/name of a pod or PodGroup among the objects, found '%s'", in->explain);
      return NULL;
    }
    options.observer = sim_explain_observer (explain);
  }
  g_autofree char *diagnoses = NULL;
  g_autoptr (VcConf) read_again = in->diagnose ? read_conf (in, NULL, error) : NULL; /* the engine takes the other one over */
  if (in->diagnose && read_again == NULL)
    return NULL;
  g_autoptr (VcEngine) engine = vc_engine_new (cache, g_steal_pointer (&conf), in->lenient, &options, error);
  if (engine == NULL)
    return NULL;
  g_autoptr (SimCycleDiagnosis) diagnosis = NULL;
  for (guint i = 0; i < in->cycles; i++) {
    VcCycleResult ignored;
    gint64 now = in->now + (gint64) i * G_USEC_PER_SEC;

    if (in->diagnose && i + 1 == in->cycles)
      diagnosis = sim_cycle_diagnosis_new (cache, read_again);
    vc_engine_cycle (engine, now, &ignored);
    if (diagnosis != NULL)
      sim_cycle_diagnosis_take (diagnosis, engine);
    if (in->decisions != NULL)
      g_ptr_array_extend_and_steal (in->decisions, sim_cycle_decisions (cache));
    settle (engine, cache, now, answer);
  }
  g_autofree char *explanation = explain == NULL ? NULL : format == SIM_FORMAT_TABLE ? sim_explain_text (explain) : sim_explain_json (explain);
  if (diagnosis != NULL)
    diagnoses = look_ahead (diagnosis, engine, &capture, in->now + (gint64) in->cycles * G_USEC_PER_SEC, format != SIM_FORMAT_TABLE);
  return sim_answer_print (answer, format, explanation, diagnoses);
}
