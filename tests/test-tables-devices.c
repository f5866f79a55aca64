/* tests/test-tables-devices.c - cards of one node, against recorded answers of the parts of deviceshare. */
#include "core/cache/cache-private.h"
#include "core/devices/gpushare.h"
#include "core/devices/vgpu.h"
#include "suite.h"
#include <string.h>

#define MEMORY "volcano.sh/gpu-memory"
#define NUMBER "volcano.sh/gpu-number"

static VcQuantity
quantity (SuiteNode *text)
{
  VcQuantity q = { 0, 0 };

  if (*suite_text (text) != '\0' && !vc_quantity_parse (suite_text (text), &q, NULL))
    g_error ("'%s' is no quantity", suite_text (text));
  return q;
}

static VcAmounts
amounts (SuiteNode *map, VcAmount *room)
{
  SuiteNode *value;
  const char *name;
  guint n = 0;

  for (void *at = NULL; map != NULL && (value = suite_next_pair (map, &at, &name)) != NULL;)
    room[n++] = (VcAmount) { name, quantity (value) };
  return (VcAmounts) { room, n, TRUE };
}

/* ---- cards shared by memory or given out by number ---------------------------------------------- */

static void
needs_of_pods (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("gpushare-cards.json");
  SuiteNode *row;

  for (void *at = NULL; (row = suite_next (suite_need (suite_root (doc), "need"), &at)) != NULL;) {
    static const char *const lists[] = { "init", "containers" };
    VcContainer container[8] = { { 0 } };
    VcAmount room[8][4];
    VcPodSpec spec = { .container = container };
    guint64 memory;
    gint64 number;

    for (guint k = 0; k < 2; k++) {
      SuiteNode *list = suite_get (row, lists[k]), *limits;

      for (void *it = NULL; list != NULL && !suite_is_null (list) && (limits = suite_next (list, &it)) != NULL; spec.n_containers++)
        container[spec.n_containers] = (VcContainer) { .init = k == 0, .limit = amounts (limits, room[spec.n_containers]) };
    }
    vc_gpushare_need (&spec, &memory, &number);
    suite_check ((gint64) memory == suite_int (suite_need (row, "memory")) && number == suite_int (suite_need (row, "number")), "%" G_GUINT64_FORMAT " MB, %" G_GINT64_FORMAT " cards", memory, number);
  }
}

static void
check_share (SuiteNode *row, guint i)
{
  SuiteNode *placed, *value;
  const char *id;
  g_autoptr (VcGpuShare) g = vc_gpushare_new (quantity (suite_need (row, "memory")).value, quantity (suite_need (row, "number")).value, suite_text (suite_need (row, "unhealthy")));
  VcAmount room[4];
  VcContainer container = { .limit = amounts (suite_need (row, "request"), room) };
  VcPodSpec spec = { .container = &container, .n_containers = 1 };
  guint64 memory, left;
  gint64 number;
  guint pod = 0;

  if (suite_is_null (suite_need (row, "cards"))) {
    suite_check (g == NULL, "row %u: the node has no cards", i);
    return;
  }
  if (!suite_check (g != NULL && vc_gpushare_n_cards (g) == suite_int (suite_need (row, "cards")), "row %u: number of cards", i))
    return;
  for (void *at = NULL; (placed = suite_next (suite_need (row, "placed"), &at)) != NULL; pod++) {
    const char *phase = suite_text (suite_at (placed, 3));
    gboolean ended = strcmp (phase, "Succeeded") == 0 || strcmp (phase, "Failed") == 0;

    if (*suite_text (suite_at (placed, 1)) != '\0' || *suite_text (suite_at (placed, 2)) != '\0') /* who asks for neither is on no card */
      vc_gpushare_add (g, pod, suite_text (suite_at (placed, 0)), ended ? 0 : (guint64) quantity (suite_at (placed, 1)).value);
  }
  for (void *at = NULL; (value = suite_next_pair (suite_need (row, "idle"), &at, &id)) != NULL;)
    suite_check (vc_gpushare_idle (g, g_ascii_strtoll (id, NULL, 10), &left) && (gint64) left == suite_int (value), "row %u: card %s has %" G_GUINT64_FORMAT " left", i, id, left);
  suite_check (vc_gpushare_idle_cards (g) == suite_int (suite_need (row, "idle_cards")), "row %u: %u idle cards", i, vc_gpushare_idle_cards (g));
  vc_gpushare_need (&spec, &memory, &number);
  suite_check ((memory == 0 || vc_gpushare_pick (g, memory) >= 0) == suite_bool (suite_need (row, "fits_memory")), "row %u: fits by memory", i);
  suite_check ((number <= 0 || vc_gpushare_idle_cards (g) >= number) == suite_bool (suite_need (row, "fits_number")), "row %u: fits by number", i);
  if (suite_get (row, "card") != NULL)
    suite_check (vc_gpushare_pick (g, memory) == suite_int (suite_need (row, "card")), "row %u: card %" G_GINT64_FORMAT, i, vc_gpushare_pick (g, memory));
}

static void
cards_shared_whole (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("gpushare-cards.json");
  SuiteNode *rows = suite_need (suite_root (doc), "rows");

  for (guint i = 0; i < suite_count (rows); i++)
    check_share (suite_at (rows, i), i);
}

/* ---- cards shared with memory and cores ------------------------------------------------------------ */

static VcVgpu *
cards_of (SuiteNode *list, VcCluster *c)
{
  VcVgpu *g = g_new0 (VcVgpu, 1);

  g->n = suite_count (list);
  g->card = g_new0 (VcVgpuCard, g->n);
  for (guint i = 0; i < g->n; i++) {
    SuiteNode *row = suite_at (list, i), *group = suite_get (row, "group_on_it");
    VcVgpuCard *card = &g->card[i];

    *card = (VcVgpuCard) { .index = (gint32) i,
                           .uuid = vc_cluster_intern (c, suite_text (suite_need (row, "uuid"))),
                           .type = vc_cluster_intern (c, suite_text (suite_need (row, "type"))),
                           .memory = (guint64) suite_int (suite_need (row, "memory")),
                           .number = (guint64) suite_int (suite_need (row, "number")),
                           .used_number = (guint64) suite_int (suite_need (row, "used_number")),
                           .used_memory = (guint64) suite_int (suite_need (row, "used_memory")),
                           .used_cores = (guint64) suite_int (suite_need (row, "used_cores")),
                           .group = -1 };
    card->nvidia = strstr (card->type, "NVIDIA") != NULL;
    if (group != NULL)
      *vc_device_pods_add (&card->pods, 0) = (VcDevicePod) { 0, card->used_memory, card->used_cores, vc_cluster_intern (c, suite_text (group)) };
  }
  return g;
}

/* The pod ns1/p1 as the cache learns of it: its shape carries what narrows the choice. */
static const VcShape *
shape_of (VcCache *cache, SuiteNode *pod)
{
  VcContainer container[4] = { { 0 } };
  VcAmount room[4][4];
  VcPair pair[4];
  SuiteNode *limits, *value, *annotations = suite_need (pod, "annotations");
  VcPodObject o = { .ns = "ns1", .name = "p1", .uid = "p1", .created = VC_NO_TIME, .start_time = VC_NO_TIME, .scheduled_time = VC_NO_TIME, .phase = VC_POD_PENDING, .node = "n1",
                    .annotations = { pair, 0 }, .spec = { .container = container } };
  const char *key;

  for (void *at = NULL; (limits = suite_next (suite_need (pod, "limits"), &at)) != NULL; o.spec.n_containers++)
    container[o.spec.n_containers] = (VcContainer) { .limit = amounts (limits, room[o.spec.n_containers]) };
  for (void *at = NULL; !suite_is_null (annotations) && (value = suite_next_pair (annotations, &at, &key)) != NULL;)
    pair[o.annotations.n++] = (VcPair) { key, suite_text (value) }; /* ascending in the table */
  guint32 task = vc_cache_add_pod (cache, &o);

  return vc_cache_cluster (cache)->task[task].shape;
}

static void
check_choice (const VcVgpuChoice *choice, const VcVgpu *g, const VcVgpuAsk *ask, SuiteNode *devices, guint row)
{
  guint n = 0;

  for (guint c = 0; c < suite_count (devices); c++)
    for (guint k = 0; k < suite_count (suite_at (devices, c)); k++, n++) {
      SuiteNode *want = suite_at (suite_at (devices, c), k);
      const VcVgpuPick *p = n < choice->pick->len ? &g_array_index (choice->pick, VcVgpuPick, n) : NULL;

      suite_check (p != NULL && p->container == c && strcmp (g->card[p->card].uuid, suite_text (suite_at (want, 0))) == 0 && (gint64) p->memory == suite_int (suite_at (want, 1)) &&
                     p->cores == suite_int (suite_at (want, 2)), "row %u: container %u, card %u is not %s", row, c, k, suite_text (suite_at (want, 0)));
    }
  suite_check (choice->pick->len == n, "row %u: %u cards instead of %u", row, choice->pick->len, n);
}

static void
cards_shared_in_parts (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("vgpu-cards.json");
  SuiteNode *root = suite_root (doc), *rows = suite_need (root, "rows");
  g_autoptr (VcArena) arena = vc_arena_new ();
  const VcDeviceConfig *config = vc_device_config_default (arena);

  for (guint i = 0; i < suite_count (rows); i++) {
    SuiteNode *row = suite_at (rows, i), *after = suite_need (row, "after");
    VcCacheOptions options;

    vc_cache_options_init (&options);
    g_autoptr (VcCache) cache = vc_cache_new (vc_res_names_new (NULL, 0, NULL), &options);
    g_autoptr (VcVgpu) g = cards_of (suite_at (suite_need (root, "cards"), (guint) suite_int (suite_need (row, "cards"))), vc_cache_cluster (cache));
    const VcShape *shape = shape_of (cache, suite_at (suite_need (root, "pods"), (guint) suite_int (suite_need (row, "pod"))));
    const VcVgpuAsk *ask = vc_vgpu_ask (&shape->spec, &config->nvidia, arena);
    g_autoptr (GArray) pick = g_array_new (FALSE, FALSE, sizeof (VcVgpuPick)), tried = g_array_new (FALSE, FALSE, sizeof (VcVgpuPick));
    VcVgpuPolicy policy = vc_vgpu_policy (suite_text (suite_need (row, "policy")));
    VcVgpuChoice choice = { pick, 0 }, before = { tried, 0 };
    gboolean tries = vc_vgpu_choose (g, ask, policy, 0, NULL, FALSE, &before, NULL);
    gboolean fits = vc_vgpu_choose (g, ask, policy, 0, NULL, TRUE, &choice, NULL);

    suite_check (fits == suite_bool (suite_need (row, "fit")) && tries == fits, "row %u: fits %d, on paper %d", i, fits, tries);
    suite_check ((fits ? choice.score : 0) == suite_number (suite_need (row, "score")) && (!fits || before.score == choice.score), "row %u: score %.17g", i, choice.score);
    if (fits)
      check_choice (&choice, g, ask, suite_need (row, "devices"), i);
    for (guint c = 0; c < suite_count (after); c++) {
      SuiteNode *want = suite_at (after, c);
      const VcVgpuCard *card = &g->card[c];

      suite_check ((gint64) card->used_number == suite_int (suite_at (want, 0)) && (gint64) card->used_memory == suite_int (suite_at (want, 1)) && (gint64) card->used_cores == suite_int (suite_at (want, 2)),
                   "row %u: card %u has %" G_GUINT64_FORMAT " pods, %" G_GUINT64_FORMAT " MB, %" G_GUINT64_FORMAT " cores", i, c, card->used_number, card->used_memory, card->used_cores);
    }
  }
}

static CU_TestInfo tests[] = {
  { "what pods need of whole cards", needs_of_pods },
  { "cards shared by memory or given out by number", cards_shared_whole },
  { "cards shared with memory and cores: choice, score and figures afterwards", cards_shared_in_parts },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("tables-devices", tests);
}
