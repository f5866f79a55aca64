/* tests/test-pod-terms.c - pod affinity and topology spread: sums that follow the mirror's journal
 * are those of a fresh count, also for a place in the past. */
#include "core/plugins/pod-affinity.h"
#include "core/plugins/topology-spread.h"
#include "plugin-world.h"

#define N_NODES 9
#define N_PODS 60

static guint64
next (guint64 *state)
{
  *state = *state * G_GUINT64_CONSTANT (6364136223846793005) + G_GUINT64_CONSTANT (1442695040888963407);
  return *state >> 33;
}

/* What the filters say about every node, and the scores of all. */
static char *
answers (VcTallies *t, const VcCluster *c, const VcTask *task)
{
  GString *s = g_string_new (NULL);
  gint64 score[N_NODES];

  for (guint32 n = 0; n < N_NODES; n++) {
    VcCode code = VC_OK;
    const char *pods = vc_pod_affinity_filter (t, task, n, NULL, &code);
    const char *spread = vc_topology_spread_filter (t, task, n, &code);
    g_string_append_printf (s, "%d%s|%s;", (int) code, pods != NULL ? pods : "", spread != NULL ? spread : "");
  }
  if (task->prefilter_at < c->n_journal) /* scores are of the present alone */
    return g_string_free (s, FALSE);
  if (vc_pod_affinity_score (t, task, c->nodes.list, N_NODES, score))
    for (guint n = 0; n < N_NODES; n++)
      g_string_append_printf (s, " %d", (int) score[n]);
  if (vc_topology_spread_score (t, task, c->nodes.list, N_NODES, score))
    for (guint n = 0; n < N_NODES; n++)
      g_string_append_printf (s, " %d", (int) score[n]);
  return g_string_free (s, FALSE);
}

static gboolean
relates (const VcShape *shape)
{
  return vc_pod_affinity_repels (shape) || vc_pod_affinity_relates (shape);
}

static guint32
random_pod (World *w, guint64 *state, guint i, const char *node, gboolean repels)
{
  static const char *const apps[] = { "a", "b", "c" }, *const keys[] = { "zone", "kubernetes.io/hostname", "rack" };
  VcPair label = { "app", apps[next (state) % 3] };
  const VcPair wanted = { "app", apps[next (state) % 3] };
  const VcSelector selector = { TRUE, { &wanted, 1 }, NULL, 0 };
  const VcPodTerm term[2] = { { .topology_key = keys[next (state) % 3], .selector = selector, .weight = 3 },
                              { .topology_key = keys[next (state) % 3], .selector = selector, .weight = 5 } };
  const VcSpread spread[2] = {
    { .topology_key = keys[next (state) % 3], .selector = selector, .max_skew = 1, .min_domains = 1, .hard = TRUE },
    { .topology_key = keys[next (state) % 3], .selector = selector, .max_skew = 2, .min_domains = 1 },
  };
  guint kind = (guint) (next (state) % 8);
  g_autofree char *name = g_strdup_printf ("p%u", i);
  const VcPodObject o = {
    .ns = next (state) % 4 == 0 ? "other" : "ns",
    .labels = { &label, 1 },
    .spec = { .affinity = { TRUE, term, kind % 2, term, kind / 2 % 2 },
              .anti_affinity = { TRUE, term + 1, repels || kind / 4 % 2, term + 1, next (state) % 2 },
              .spread = spread,
              .n_spreads = 2 },
  };

  return add_pod (w, "g", name, NONE, node, &o);
}

static void
sums_follow_the_journal (void)
{
  for (guint64 seed = 1; seed <= 40; seed++) {
    g_auto (World) w = { 0 };
    guint64 state = seed;
    guint32 pod[N_PODS];
    g_autoptr (GPtrArray) old = g_ptr_array_new_with_free_func (g_free);
    VcTallies *kept = vc_tallies_new ();

    world_init (&w);
    for (guint n = 0; n < N_NODES; n++) {
      g_autofree char *name = g_strdup_printf ("n%u", n), *zone = g_strdup_printf ("z%u", n % 3);
      const VcPair labels[] = { { "kubernetes.io/hostname", name }, { "rack", n % 2 ? "r" : "s" }, { "zone", zone } };
      const VcNodeObject more = { .labels = { labels, n % 4 == 3 ? 2 : 3 } }; /* some lack the zone */
      add_node (&w, name, HAVE (8000, 8 * GI, 99), &more);
    }
    for (guint i = 0; i < N_PODS; i++) { /* the first of each node never leaves the mirror: the list stays as it is */
      g_autofree char *node = i < 50 ? g_strdup_printf ("n%u", i % N_NODES) : NULL;
      pod[i] = random_pod (&w, &state, i, node, i < N_NODES);
    }
    vc_tallies_open (kept, w.c, relates);
    vc_mirror_journal (w.c, TRUE);
    for (guint step = 0; step < 60; step++) {
      VcTask *task = &w.c->task[pod[50 + step % 10]];
      guint32 moved = pod[N_NODES + next (&state) % (50 - N_NODES)];
      VcTallies *fresh = vc_tallies_new ();

      if (w.c->task[moved].in_mirror)
        vc_mirror_remove (w.c, moved);
      else
        vc_mirror_add (w.c, moved);
      vc_tallies_open (fresh, w.c, relates);
      task->prefilter_at = w.c->n_journal;
      suite_check (vc_pod_affinity_prepare (kept, task) == vc_pod_affinity_prepare (fresh, task), "seed %u step %u: skipped alike",
                   (guint) seed, step);
      char *a = answers (kept, w.c, task);
      g_autofree char *b = answers (fresh, w.c, task);
      suite_check (strcmp (a, b) == 0, "seed %u step %u: %s, counted anew: %s", (guint) seed, step, a, b);
      g_ptr_array_add (old, a);
      vc_tallies_free (fresh);
    }
    for (guint step = 60; step-- > 0;) { /* back in time, by the filters alone */
      VcTask *task = &w.c->task[pod[50 + step % 10]];
      task->prefilter_at = step + 1;
      g_autofree char *a = answers (kept, w.c, task);
      suite_check (g_str_has_prefix (old->pdata[step], a), "seed %u: as it was at step %u", (guint) seed, step);
    }
    vc_tallies_free (kept);
  }
}

/* Pods without any terms: nobody keeps a journal, and no shape looks beyond its node. */
static void
without_terms_nothing_is_kept (void)
{
  g_auto (World) w = { 0 };

  world_init (&w);
  add_node (&w, "n0", HAVE (8000, 8 * GI, 9), NULL);
  guint32 plain = add_pod (&w, "g", "p", HAVE (1000), "n0", NULL);
  suite_check (w.c->n_pod_terms + w.c->n_repelling + w.c->n_preferring + w.c->n_spreading == 0, "no terms");
  guint64 state = 7;
  guint32 other = random_pod (&w, &state, 1, "n0", TRUE);
  suite_check (w.c->n_pod_terms == 1 && w.c->n_repelling == 1 && w.c->n_spreading == 1, "one pod with terms");
  vc_cache_remove_pod (w.cache, other);
  suite_check (w.c->n_pod_terms + w.c->n_repelling + w.c->n_preferring + w.c->n_spreading == 0, "it is gone");
  vc_mirror_remove (w.c, plain);
  suite_check (w.c->n_journal == 0, "no journal");
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "sums follow the journal", sums_follow_the_journal },
    { "without terms nothing is kept", without_terms_nothing_is_kept },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("pod-terms", tests);
}
