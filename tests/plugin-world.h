/* tests/plugin-world.h - small clusters made in memory, and a session opened on them. */
#pragma once
#include "core/plugins/plugins.h"
#include "core/session/engine.h"
#include "suite.h"
#include <math.h>
#include <string.h>

#define GI (G_GINT64_CONSTANT (1) << 30)
#define G_BYTES (G_GINT64_CONSTANT (1000000000))
#define GPU "nvidia.com/gpu"
#define FOO "example.com/foo"
#define TIERS "actions: \"allocate\"\ntiers:\n- plugins:\n"

/* ---- small clusters ------------------------------------------------------------------------- */

typedef struct {
  VcCache *cache;
  VcCluster *c;
  VcEngine *engine;
  GString *log;
} World;

static inline void
world_init (World *w)
{
  const char *const scalars[] = { GPU, FOO };
  VcCacheOptions options;

  vc_cache_options_init (&options);
  w->cache = vc_cache_new (vc_res_names_new (scalars, G_N_ELEMENTS (scalars), NULL), &options);
  w->c = vc_cache_cluster (w->cache);
  w->engine = NULL;
  w->log = g_string_new (NULL);
}

static inline void
world_clear (World *w)
{
  g_clear_pointer (&w->engine, vc_engine_free);
  g_clear_pointer (&w->cache, vc_cache_free);
  g_string_free (w->log, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (World, world_clear)

/* What a node has, or a pod or a minimum asks for; 0 is left out. */
typedef struct {
  gint64 cpu_milli, memory, pods, gpu, foo;
} Have;
#define HAVE(...) have ((const gint64[5]){ __VA_ARGS__ })
#define NONE HAVE (0)

static inline Have
have (const gint64 *v)
{
  return (Have){ v[0], v[1], v[2], v[3], v[4] };
}

static inline VcAmounts
amounts (const Have *h, VcAmount *room)
{
  guint n = 0;

  if (h->cpu_milli != 0)
    room[n++] = (VcAmount){ "cpu", { (h->cpu_milli + 999) / 1000, h->cpu_milli } };
  if (h->memory != 0)
    room[n++] = (VcAmount){ "memory", { h->memory, h->memory * 1000 } };
  if (h->pods != 0)
    room[n++] = (VcAmount){ "pods", { h->pods, h->pods * 1000 } };
  if (h->gpu != 0)
    room[n++] = (VcAmount){ GPU, { h->gpu, h->gpu * 1000 } };
  if (h->foo != 0)
    room[n++] = (VcAmount){ FOO, { h->foo, h->foo * 1000 } };
  return (VcAmounts){ room, n, TRUE };
}

static inline guint32
add_node (World *w, const char *name, Have has, const VcNodeObject *more)
{
  VcAmount room[5];
  VcNodeObject o = more != NULL ? *more : (VcNodeObject){ 0 };

  o.name = name;
  o.allocatable = amounts (&has, room);
  return vc_cache_add_node (w->cache, &o);
}

static inline guint32
add_queue (World *w, const char *name, gint32 weight, Have capability, Have guarantee)
{
  VcAmount room[2][5];
  VcQueueObject o = { .name = name,
                      .state = "Open",
                      .created = VC_NO_TIME,
                      .weight = weight,
                      .reclaimable = -1 };

  o.capability = amounts (&capability, room[0]);
  o.guarantee = amounts (&guarantee, room[1]);
  o.capability.given = o.capability.n > 0;
  o.guarantee.given = o.guarantee.n > 0;
  return vc_cache_add_queue (w->cache, &o);
}

static inline guint32
add_group (World *w, const char *name, const char *queue, gint32 min_member, const char *phase,
           const Have *min)
{
  VcAmount room[5];
  VcPodGroupObject o = { .ns = "ns",
                         .name = name,
                         .uid = name,
                         .created = VC_NO_TIME,
                         .queue = queue,
                         .min_member = min_member,
                         .phase = phase };

  if (min != NULL)
    o.min_resources = amounts (min, room);
  return vc_cache_add_pod_group (w->cache, &o);
}

/* A pod of @group; with @node it runs there. @more: constraints, namespace, priority. */
static inline guint32
add_pod (World *w, const char *group, const char *name, Have request, const char *node,
         const VcPodObject *more)
{
  VcAmount room[5];
  VcContainer container = { .name = "c" };
  const VcPair annotation = { "scheduling.k8s.io/group-name", group };
  VcPodObject o = more != NULL ? *more : (VcPodObject){ 0 };

  if (o.spec.n_containers == 1)
    container = o.spec.container[0];
  container.request = amounts (&request, room);
  o.spec.container = &container;
  o.spec.n_containers = 1;
  o.ns = o.ns != NULL ? o.ns : "ns";
  o.name = o.uid = name;
  if (o.annotations.n == 0)
    o.annotations = (VcPairs){ &annotation, 1 };
  o.created = o.start_time = VC_NO_TIME;
  o.node = node;
  o.phase = node != NULL ? VC_POD_RUNNING : VC_POD_PENDING;
  return vc_cache_add_pod (w->cache, &o);
}

static inline void
keep_log (gpointer user, int level, const char *text)
{
  g_string_append_printf (((World *) user)->log, "%s\n", text);
}

static inline gboolean
world_start (World *w, const char *conf_text)
{
  g_autoptr (GError) error = NULL;
  VcConf *conf = vc_conf_parse (conf_text, strlen (conf_text), "conf", vc_catalog (), FALSE, NULL,
                                &error);
  VcEngineOptions options;

  vc_engine_options_init (&options);
  options.messages = TRUE;
  options.verbosity = 4;
  options.log = keep_log;
  options.log_user = w;
  if (conf != NULL)
    w->engine = vc_engine_new (w->cache, conf, FALSE, &options, &error);
  return suite_check (w->engine != NULL, "%s", error != NULL ? error->message : "");
}

static inline gboolean
near (double a, double b)
{
  return fabs (a - b) <= 1e-9 * MAX (1.0, fabs (b));
}

/* ---- tests that only look: what a session answers ------------------------------------------- */

typedef struct {
  World *w;
  guint32 task[16], queue[8], node[8];
  GArray *victims;
} Look;

static inline void
look_at (World *w, Look *look, const char *conf, void (*fn) (VcSession *ssn, gpointer user))
{
  look->w = w;
  look->victims = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (world_start (w, conf))
    vc_engine_with_session (w->engine, 0, fn, look);
  g_array_unref (look->victims);
}

static inline gboolean
victims_are (Look *l, const guint32 *want, guint n)
{
  if (l->victims->len != n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (g_array_index (l->victims, guint32, i) != want[i])
      return FALSE;
  return TRUE;
}

static inline double
score_of (VcSession *ssn, guint32 task, guint32 node)
{
  double score = -1;

  suite_check (vc_session_scores (ssn, task, &node, 1, &score), "there is a score");
  return score;
}
