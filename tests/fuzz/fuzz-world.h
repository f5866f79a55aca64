/* tests/fuzz/fuzz-world.h - random clusters, configurations and events between cycles, all from one number.
 *
 * Every object and event goes to two caches alike: one belongs to an engine with its shortcuts, the other to an engine without. As long as
 * both decide the same, their rows are the same too. */
#pragma once
#include "core/session/engine.h"
G_BEGIN_DECLS

typedef struct {
  guint64 state; /* of the random numbers */
  VcCache *cache[2];
  VcEngine *engine[2];
  gint64 now;
  char *conf;             /* text */
  gboolean tidy;          /* pods run only where they fit, and nodes do not shrink */
  gboolean best_effort;   /* there is, or was, a pod without requests */
  gboolean hierarchy;     /* queues have parents */
  gboolean relations;     /* some pods look at other pods */
  gboolean storage;       /* there are volumes, and some pods have claims */
  gboolean topology;      /* there are HyperNodes, and some jobs have a topology or sub-groups */
  gboolean ghosts;        /* a node went with its pods: if it comes back it does not count them, until one is evicted */
  gboolean scalarless;    /* some node lists no scalar at all */
  guint n_nodes, n_queues, n_groups, n_pods, next_uid;
  guint64 uid_order;      /* spreads the UIDs, so that they do not ascend as pods are made */
} FuzzWorld;

static inline guint64
fuzz_next (FuzzWorld *w) /* splitmix64 */
{
  guint64 z = (w->state += G_GUINT64_CONSTANT (0x9E3779B97F4A7C15));

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94D049BB133111EB);
  return z ^ (z >> 31);
}
static inline guint fuzz_below (FuzzWorld *w, guint n) { return (guint) (fuzz_next (w) % n); }
static inline gboolean fuzz_chance (FuzzWorld *w, guint percent) { return fuzz_below (w, 100) < percent; }

/** A cluster of @seed with objects in both caches, and a configuration; no engines yet. */
void fuzz_world_init (FuzzWorld *w, guint64 seed);
void fuzz_world_clear (FuzzWorld *w); /* with the engines */
/** A random configuration that vc_conf_parse() takes. (transfer full) */
char *fuzz_conf (FuzzWorld *w);
/** What a cluster does with the decisions of the last cycle, and other events. Empties the lists of the caches; moves the clock. */
void fuzz_events (FuzzWorld *w);

G_END_DECLS
