#include "session-private.h"
#include "job-lines.h"
#include "task-lines.h"
#include "rooms.h"
#include "search-private.h"
#include "turns.h"
#include <string.h>

void
vc_engine_options_init (VcEngineOptions *o)
{
  *o = (VcEngineOptions) { .minimum_feasible_nodes = 100, .minimum_percentage_nodes_to_find = 5 };
}

static void
clear_conf (VcEngine *e)
{
  for (guint p = 0; p < e->n_plugins; p++) {
    if (e->plugin[p].class->clear != NULL)
      e->plugin[p].class->clear (e->plugin[p].self);
    g_free (e->plugin[p].self);
  }
  g_clear_pointer (&e->plugin, g_free);
  g_clear_pointer (&e->action, g_free);
  g_clear_pointer (&e->action_ns, g_free);
  g_clear_pointer (&e->ssn.registered, g_free);
  g_clear_pointer (&e->ssn.handler, g_free);
  for (guint f = 0; f < VC_N_HOOKS; f++) {
    g_clear_pointer (&e->ssn.chain[f].item, g_free);
    e->ssn.chain[f].n = 0;
  }
  g_clear_pointer (&e->conf, vc_conf_free);
  e->n_plugins = e->n_actions = 0;
}

/* Make the plugins of @conf. Everything that can fail comes first, so that a refused configuration leaves the old one in place. */
gboolean
vc_engine_set_conf (VcEngine *e, VcConf *conf, gboolean lenient, GError **error)
{
  guint n = 0, n_actions = g_strv_length (conf->actions);
  g_autofree VcPlugin *plugin = NULL;
  g_autofree const VcActionClass **action = g_new0 (const VcActionClass *, n_actions + 1);

  for (guint t = 0; t < conf->n_tiers; t++)
    n += conf->tier[t].n;
  plugin = g_new0 (VcPlugin, n + 1);
  for (guint i = 0; i < n_actions; i++) {
    action[i] = vc_action_find (conf->actions[i]);
    if (action[i] == NULL) {
      g_set_error (error, VC_CONF_ERROR, VC_CONF_ERROR_UNSUPPORTED, "action '%s' does not exist", conf->actions[i]);
      vc_conf_free (conf);
      return FALSE;
    }
  }
  n = 0;
  for (guint t = 0; t < conf->n_tiers; t++)
    for (guint i = 0; i < conf->tier[t].n; i++) {
      const VcPluginOption *o = &conf->tier[t].plugin[i];
      VcPlugin *p = &plugin[n];

      p->class = vc_plugin_find (o->name);
      p->option = o;
      p->tier = t;
      p->name_id = n;
      for (guint k = n; k-- > 0;)
        if (strcmp (plugin[k].option->name, o->name) == 0)
          p->name_id = plugin[k].name_id;
      gboolean good = p->class != NULL;
      if (!good)
        g_set_error (error, VC_CONF_ERROR, VC_CONF_ERROR_UNKNOWN, "plugin '%s' does not exist", o->name);
      p->self = good ? g_malloc0 (MAX (p->class->instance_size, 1)) : NULL;
      n++;
      if (good && p->class->init != NULL)
        good = p->class->init (p->self, o, lenient, error);
      if (good && p->class->connect != NULL)
        good = p->class->connect (p->self, e->options.http, error);
      if (!good) {
        for (guint k = 0; k < n; k++) {
          if (plugin[k].class != NULL && plugin[k].class->clear != NULL)
            plugin[k].class->clear (plugin[k].self);
          g_free (plugin[k].self);
        }
        vc_conf_free (conf);
        return FALSE;
      }
    }
  clear_conf (e);
  e->conf = conf;
  e->lenient = lenient;
  e->plugin = g_steal_pointer (&plugin);
  e->n_plugins = n;
  e->action = g_steal_pointer (&action);
  e->n_actions = n_actions;
  e->action_ns = g_new0 (gint64, n_actions + 1);
  e->has_enqueue = vc_engine_has_action (e, "enqueue");
  e->ssn.registered = g_new0 (VcHook, (n + 1) * VC_N_HOOKS);
  e->ssn.n_registered_before = G_MAXUINT;
  e->ssn.handler = g_new0 (VcHandler, 2 * n + 1);
  for (guint f = 0; f < VC_N_HOOKS; f++)
    e->ssn.chain[f].item = g_new0 (VcHook, n + 1);
  e->conf_generation++;
  return TRUE;
}

gboolean
vc_engine_restart (VcEngine *e, VcConf *conf, GError **error)
{
  e->rotating = e->dry_run_cursor = 0;
  return vc_engine_set_conf (e, conf != NULL ? conf : g_steal_pointer (&e->conf), e->lenient, error);
}

VcEngine *
vc_engine_new (VcCache *cache, VcConf *conf, gboolean lenient, const VcEngineOptions *options, GError **error)
{
  VcEngine *e = g_new0 (VcEngine, 1);

  e->cache = cache;
  e->options = *options;
  e->ssn.arena = vc_arena_new ();
  e->victims = g_array_new (FALSE, FALSE, sizeof (guint32));
  e->rows = g_array_new (FALSE, FALSE, sizeof (guint32));
  e->ssn.node_victims = g_array_new (FALSE, FALSE, sizeof (guint32));
  e->ssn.unreleased = g_array_new (FALSE, FALSE, sizeof (guint32));
  e->rand_state = options->tie_seed * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15) + 1;
  e->views = vc_shape_views_new (e);
  e->lines = vc_job_lines_new ();
  e->task_lines = vc_task_lines_new ();
  if (!vc_engine_set_conf (e, conf, lenient, error)) {
    vc_engine_free (e);
    return NULL;
  }
  return e;
}

void
vc_engine_free (VcEngine *e)
{
  if (e == NULL)
    return;
  clear_conf (e);
  vc_shape_views_free (e->views);
  vc_job_lines_free (e->lines);
  vc_task_lines_free (e->task_lines);
  vc_rooms_free (e->rooms);
  vc_turns_free (e->turns);
  vc_search_free_scratch (e->scratch);
  for (guint32 q = 0; q < e->n_gauges; q++) {
    vc_res_free (e->gauge[q].deserved);
    vc_res_free (e->gauge[q].allocated);
    vc_res_free (e->gauge[q].request);
    vc_res_free (e->gauge[q].inqueue);
    vc_res_free (e->gauge[q].capacity);
    vc_res_free (e->gauge[q].real_capacity);
  }
  g_free (e->gauge);
  g_free (e->leftover);
  g_free (e->nomination);
  for (guint32 i = 0; i < e->cap_heaps; i++)
    vc_heap_clear (&e->heap[i]);
  g_free (e->heap);
  g_free (e->job_slot);
  g_array_unref (e->victims);
  g_array_unref (e->rows);
  g_array_unref (e->ssn.node_victims);
  g_array_unref (e->ssn.unreleased);
  g_free (e->ssn.jobs);
  g_free (e->ssn.touched);
  vc_arena_free (e->ssn.arena);
  g_free (e);
}

static gint64
tick (const VcEngine *e)
{
  return e->options.clock != NULL ? e->options.clock () : 0;
}

void
vc_engine_cycle (VcEngine *e, gint64 now, VcCycleResult *out)
{
  guint32 rotating = e->rotating, cursor = e->dry_run_cursor;
  gint64 t0 = tick (e), t1;

  vc_session_open (e, now);
  t1 = tick (e);
  e->open_ns += t1 - t0;
  vc_step (e->cache->cluster, "OpenSession", VC_NONE, VC_NONE, "jobs %u; nodes %u", e->ssn.n_jobs, e->cache->cluster->nodes.n_list);
  for (guint i = 0; i < e->n_actions; i++) {
    vc_session_log (&e->ssn, 3, "enter %s", e->action[i]->name);
    vc_step (e->cache->cluster, "Execute", VC_NONE, VC_NONE, "action %s", e->action[i]->name);
    e->action[i]->run (&e->ssn);
    t0 = t1;
    t1 = tick (e);
    e->action_ns[i] += t1 - t0;
  }
  vc_step (e->cache->cluster, "CloseSession", VC_NONE, VC_NONE, "binds %u; evictions %u", e->ssn.result.binds, e->ssn.result.evictions);
  vc_session_close (e, rotating, cursor);
  e->close_ns += tick (e) - t1;
  *out = e->ssn.result;
}

void
vc_engine_set_observer (VcEngine *e, const VcObserver *observer)
{
  e->options.observer = observer;
}

void
vc_engine_with_session (VcEngine *e, gint64 now, void (*fn) (VcSession *ssn, gpointer user), gpointer user)
{
  vc_session_open (e, now);
  fn (&e->ssn, user);
  vc_session_close (e, e->rotating, e->dry_run_cursor);
}

const VcQueueGauge *
vc_engine_gauge (const VcEngine *e, guint32 queue)
{
  return queue < e->n_gauges ? &e->gauge[queue] : NULL;
}

const VcFit *
vc_engine_fits (const VcEngine *e, guint32 job)
{
  return e->cache->cluster->job[job].fit;
}

const VcLeftover *
vc_engine_leftovers (const VcEngine *e, guint *n)
{
  *n = e->n_leftovers;
  return e->leftover;
}

const VcNomination *
vc_engine_nominations (const VcEngine *e, guint *n)
{
  *n = e->n_nominations;
  return e->nomination;
}

gboolean
vc_engine_reads_clock (const VcEngine *e)
{
  static const char *const timed[] = { "tdm", "cdp", "rescheduling", "usage", "extender" };

  for (guint p = 0; p < e->n_plugins; p++) {
    const VcPluginClass *class = e->plugin[p].class;

    if (class->reads_clock != NULL && class->reads_clock (e->plugin[p].self))
      return TRUE;
    for (guint i = 0; i < G_N_ELEMENTS (timed); i++)
      if (strcmp (class->name, timed[i]) == 0)
        return TRUE;
  }
  return FALSE;
}

gint64
vc_engine_bind_patience (const VcEngine *e)
{
  gint64 seconds = -1;

  for (guint p = 0; p < e->n_plugins; p++)
    if (e->plugin[p].class->bind_patience != NULL)
      seconds = MAX (seconds, e->plugin[p].class->bind_patience (e->plugin[p].self));
  return seconds;
}

gboolean
vc_engine_has_plugin (const VcEngine *e, const char *name, VcFlag flag)
{
  for (guint p = 0; p < e->n_plugins; p++)
    if (strcmp (e->plugin[p].class->name, name) == 0 && e->plugin[p].option->on[flag])
      return TRUE;
  return FALSE;
}

gboolean
vc_engine_has_action (const VcEngine *e, const char *name)
{
  for (guint i = 0; i < e->n_actions; i++)
    if (strcmp (e->action[i]->name, name) == 0)
      return TRUE;
  return FALSE;
}

guint32 vc_engine_session (const VcEngine *e) { return e->ssn.number; }
guint vc_engine_n_actions (const VcEngine *e) { return e->n_actions; }
const char *vc_engine_action_name (const VcEngine *e, guint i) { return e->action[i]->name; }
double vc_engine_action_seconds (const VcEngine *e, guint i) { return (double) e->action_ns[i] / 1e9; }
double vc_engine_open_seconds (const VcEngine *e) { return (double) e->open_ns / 1e9; }
double vc_engine_close_seconds (const VcEngine *e) { return (double) e->close_ns / 1e9; }
