/* tests/test-cards.c - policies for shared GPU cards (core/beyond): choices worked out by hand, what counts as a fragment, what is refused. */
#include "cell.h"
#include "core/beyond/fragments.h"
#include "core/cache/cache-private.h"
#include "core/devices/vgpu.h"
#include "suite.h"
#include <string.h>

/* A node with so many cores and cards of 1000 MB. */
static char *
node (const char *name, guint cores, guint cards, const char *model)
{
  g_autoptr (GString) all = g_string_new (NULL);

  for (guint i = 0; i < cards; i++)
    g_string_append_printf (all, "GPU-%u,10,1000,NVIDIA-A,true,hami-core:", i);
  return g_strdup_printf ("- {apiVersion: v1, kind: Node, metadata: {name: %s, labels: {gpu-model: %s}, annotations: {volcano.sh/node-vgpu-register: '%s'}}, status: {allocatable: "
                          "{pods: 99, cpu: %u, volcano.sh/vgpu-number: 999, volcano.sh/vgpu-memory: 99999, volcano.sh/vgpu-cores: 9999}}}\n",
                          name, model, all->str, cores);
}

#define PART(cpu, memory) "cpu: " cpu ", volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: " memory
#define CARDS(cpu, n) "cpu: " cpu ", volcano.sh/vgpu-number: " n ", volcano.sh/vgpu-memory: 1000"
#define SITS(name, where, card, limits) POD (name, "r", ", volcano.sh/vgpu-ids-new: '" card "'}", limits, ON (where))
#define WANTS(limits) POD ("p", "p", "}", limits, PENDING)
#define GROUPS GROUP ("r", "1") GROUP ("p", "1")

static char *
conf_of (const char *policy)
{
  return g_strdup_printf ("actions: \"allocate\"\ntiers:\n- plugins:\n  - name: predicates\n  - name: deviceshare\n    arguments:\n      deviceshare.VGPUEnable: true\n"
                          "      deviceshare.SchedulePolicy: binpack\n  - name: %s\n",
                          policy);
}

/* Where pod p goes, "node" or "node GPU-n"; twice, the second time without shortcuts. (transfer full) */
static char *
choice (const char *policy, const char *items)
{
  g_autofree char *conf = conf_of (policy), *first = NULL;

  for (int plain = 0; plain < 2; plain++) {
    g_auto (Cell) c = { .plain = plain };

    if (!cell_start (&c, items, conf))
      return g_strdup ("?");
    g_autofree char *got = cell_cycle (&c, TRUE), *cards = vc_devices_describe (c.cache->devices, task_named (&c, "p"));
    const char *card = cards != NULL ? strstr (cards, "GPU-") : NULL, *at = strstr (got, " p>");
    char *text = at == NULL ? g_strdup ("nowhere") : g_strdup_printf ("%s%s%.5s", at + 3, card != NULL ? " " : "", card != NULL ? card : "");

    if (plain)
      suite_check (strcmp (text, first) == 0, "%s: %s without shortcuts, %s with them", policy, text, first);
    else
      first = g_strdup (text);
    g_free (text);
  }
  return g_steal_pointer (&first);
}

static void
chooses (const char *policy, const char *nodes, const char *rest, const char *want)
{
  g_autofree char *items = g_strconcat (nodes, GROUPS, rest, NULL), *got = choice (policy, items);

  suite_check (strcmp (got, want) == 0, "%s: %s, expected %s", policy, got, want);
}

/* ---- nodes ------------------------------------------------------------------------------------------ */

static void
best_fit_and_dot_product (void)
{
  g_autofree char *a = node ("a", 64, 4, "A"), *b = node ("b", 32, 8, "A"), *c = node ("c", 32, 2, "A"), *ab = g_strconcat (a, b, NULL), *ac = g_strconcat (a, c, NULL);
  g_autofree char *twin = node ("d", 64, 4, "A"), *ad = g_strconcat (a, twin, NULL);

  chooses ("x-bestfit", ac, WANTS (PART ("1", "500")), "c GPU-0"); /* a 53, c 78 */
  chooses ("x-bestfit", ab, WANTS ("cpu: 32"), "a");               /* a 1 - (32 / 128 + 4 / 8) / 2: 62, b 1 - (0 + 8 / 8) / 2: 50 */
  chooses ("x-dotprod", ab, WANTS ("cpu: 32"), "b");               /* a 1 - 64 / 128 * 32 / 128 / 2: 93, b 96 */
  chooses ("x-dotprod", ab, WANTS (CARDS ("16", "1")), "a GPU-0"); /* a 93, b 92 */
  chooses ("x-bestfit", ad, WANTS ("cpu: 1"), "a");                /* equal ones: the first */
}

/* a holds parts of cards, b whole ones, c nothing, d both. */
static void
clustering (void)
{
  g_autofree char *a = node ("a", 64, 4, "A"), *b = node ("b", 64, 4, "A"), *c = node ("c", 64, 4, "A"), *d = node ("d", 64, 4, "A"), *abc = g_strconcat (c, a, b, NULL),
                  *dc = g_strconcat (c, d, NULL);
  const char *on_ab = SITS ("r1", "a", "GPU-0,NVIDIA,500,0:", PART ("1", "500")) SITS ("r2", "b", "GPU-0,NVIDIA,1000,0:", CARDS ("1", "1"));
  const char *on_d = SITS ("r1", "d", "GPU-0,NVIDIA,500,0:", PART ("1", "500")) SITS ("r2", "d", "GPU-1,NVIDIA,1000,0:", CARDS ("1", "1"));
  g_autofree char *part = g_strconcat (on_ab, WANTS (PART ("1", "300")), NULL), *whole = g_strconcat (on_ab, WANTS (CARDS ("1", "1")), NULL),
                  *two = g_strconcat (on_ab, WANTS (CARDS ("1", "2")), NULL), *mixed = g_strconcat (on_d, WANTS (CARDS ("1", "1")), NULL),
                  *three = g_strconcat (on_d, WANTS (CARDS ("1", "2")), NULL), *cpu = g_strconcat (on_ab, WANTS ("cpu: 1"), NULL);

  chooses ("x-gpuclustering", abc, part, "a GPU-0");  /* a 75 + 14 */
  chooses ("x-gpuclustering", abc, whole, "b GPU-1"); /* b 75 + 15, a 14 */
  chooses ("x-gpuclustering", abc, two, "c GPU-0");   /* nobody's kind: c 25 + 12, the others at most 15 */
  chooses ("x-gpuclustering", dc, mixed, "d GPU-2");  /* among others: 50 + 17, empty 25 + 12 */
  chooses ("x-gpuclustering", dc, three, "c GPU-0");  /* 37, d 17 */
  chooses ("x-gpuclustering", abc, cpu, "c");         /* all 0: the first */
}

static void
packing (void)
{
  g_autofree char *a = node ("a", 64, 2, "A"), *b = node ("b", 64, 2, "A"), *c = node ("c", 64, 8, "A"), *all = g_strconcat (c, b, a, NULL);
  const char *used = SITS ("r1", "a", "GPU-1,NVIDIA,600,0:", PART ("1", "600"));
  g_autofree char *fits = g_strconcat (used, WANTS (PART ("1", "400")), NULL), *fresh = g_strconcat (used, WANTS (PART ("1", "500")), NULL),
                  *two = g_strconcat (used, WANTS (CARDS ("1", "2")), NULL);

  chooses ("x-gpupacking", all, fits, "a GPU-1");  /* a used card: 100 - 40 / 10 = 96 */
  chooses ("x-gpupacking", all, fresh, "a GPU-0"); /* a fresh card of a used node: 49, b 31, c 25 */
  chooses ("x-gpupacking", all, two, "b GPU-0");   /* an empty node: b 31, c 25 */
}

/* ---- chance ------------------------------------------------------------------------------------------ */

static void
chance (void)
{
  g_autofree char *a = node ("a", 64, 2, "A"), *b = node ("b", 64, 2, "A"), *full = node ("full", 64, 2, "A"), *ab = g_strconcat (full, a, b, NULL),
                  *items = g_strconcat (ab, GROUPS SITS ("r1", "full", "GPU-0,NVIDIA,1000,0:GPU-1,NVIDIA,1000,0:", CARDS ("1", "2")) WANTS (PART ("1", "500")), NULL);
  guint seen[2][2] = { { 0 } };

  for (guint seed = 0; seed < 40; seed++) {
    g_autofree char *policy = g_strdup_printf ("x-random\n    arguments: {x-random.seed: %u}", seed), *got = choice (policy, items);

    if (suite_check (strlen (got) == 7 && (*got == 'a' || *got == 'b') && (got[6] == '0' || got[6] == '1'), "seed %u: %s", seed, got))
      seen[*got == 'b'][got[6] == '1']++;
  }
  for (guint i = 0; i < 4; i++)
    suite_check (seen[i / 2][i % 2] >= 3, "node %c, card %u: %u of 40", "ab"[i / 2], i % 2, seen[i / 2][i % 2]);
}

/* Cards 1 and 2 hold 500 each. Nobody's wish: the fullest, card 1. A wish is met where the pod fits, and counts for the first card only. */
static void
the_card_that_is_wanted_comes_first (void)
{
  static const struct { guint first, cards; guint64 memory; guint want[2]; } rows[] = {
    { 0, 1, 400, { 1 } }, { 1, 1, 400, { 0 } }, { 3, 1, 400, { 2 } }, { 3, 1, 600, { 0 } }, { 3, 2, 400, { 2, 1 } }, { 9, 1, 400, { 1 } },
  };
  static const char *const none[] = { NULL };
  g_autofree char *a = node ("a", 64, 3, "A"), *conf = conf_of ("x-fgd");
  g_autoptr (VcArena) arena = vc_arena_new ();
  g_auto (Cell) c = { 0 };

  if (!cell_start (&c, a, conf))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (VcVgpu) g = vc_vgpu_read ("GPU-0,9,1000,NVIDIA-A,true,hami-core:GPU-1,9,1000,NVIDIA-A,true,hami-core:GPU-2,9,1000,NVIDIA-A,true,hami-core:",
                                         vc_device_config_default (arena), vc_cache_cluster (c.cache));
    VcDeviceRequest request = { .nums = (gint32) rows[i].cards, .memory = (gint32) rows[i].memory, .percent = VC_DEVICE_NO_PERCENT };
    const VcVgpuAsk ask = { .ask = { TRUE }, .request = &request, .n = 1, .use_uuid = none, .nouse_uuid = none };
    g_autoptr (GArray) pick = g_array_new (FALSE, FALSE, sizeof (VcVgpuPick));
    VcVgpuChoice choice = { pick, 0 };

    for (guint k = 1; k < 3; k++) {
      g->card[k].used_number = 1;
      g->card[k].used_memory = 500;
    }
    g->first = rows[i].first;
    suite_check (vc_vgpu_choose (g, &ask, VC_VGPU_BINPACK, 1, NULL, FALSE, &choice, NULL) && pick->len == rows[i].cards, "row %u: %u cards", i, pick->len);
    for (guint k = 0; k < pick->len && k < 2; k++)
      suite_check (g_array_index (pick, VcVgpuPick, k).card == rows[i].want[k], "row %u: card %u is %u, expected %u", i, k, g_array_index (pick, VcVgpuPick, k).card, rows[i].want[k]);
  }
}

/* ---- fragments ------------------------------------------------------------------------------------------ */

#define KINDS(list) "x-fgd\n    arguments: {x-fgd.pods: [" list "]}"

static void
fragmentation_gradient (void)
{
  g_autofree char *a = node ("a", 64, 2, "A"), *b = node ("b", 64, 2, "B"), *ab = g_strconcat (a, b, NULL);
  const char *used = SITS ("r1", "a", "GPU-1,NVIDIA,400,0:", PART ("1", "400"));
  g_autofree char *small = g_strconcat (used, WANTS (PART ("1", "400")), NULL), *cpu = g_strconcat (used, WANTS ("cpu: 1"), NULL);

  /* cards of 1000 and 600: on the second 200 are left, which serve neither kind (45); on the first both serve both (50) */
  chooses (KINDS ("1000 1 600 - 1, 1000 1 400 - 1"), a, small, "a GPU-0");
  /* pods of 400 and of whole cards: on the second card 200 serve neither, but on the first 600 and 600 serve no whole card any more */
  chooses (KINDS ("1000 1 1000 - 1, 1000 1 400 - 1"), a, small, "a GPU-1");
  /* all pods want model A: what b has is lost anyway (2000, then 1600: 59), on a the pod makes 600 useless (35) */
  chooses (KINDS ("1000 1 1000 A 1"), ab, WANTS (PART ("1", "400")), "b GPU-0");
  /* without cards: the CPU of a is worth more, as its cards can be used */
  chooses (KINDS ("64000 1 1000 A|C 1"), ab, WANTS ("cpu: 1"), "b");
  /* without a list the kinds are those of the pods that are there: of 400 here, for which 200 on the second card would be lost */
  chooses ("x-fgd", a, small, "a GPU-0");
  chooses ("x-fgd", ab, cpu, "a");
}

static VcFragments *
kinds (const char *list, GError **error)
{
  g_autofree char *text = g_strdup_printf ("pods: [%s]", list);
  g_auto (VcArgs) args = { 0 };

  suite_check (vc_args_read (text, strlen (text), &args), "%s", text);
  return vc_fragments_new ("t", vc_args_find (&args, "pods"), 95, "gpu-model", error);
}

static void
what_a_fragment_is (void)
{
  static const struct { const char *kinds; gint64 cpu; double want; } rows[] = {
    { "1000 1 500 - 1, 1000 1 300 - 1", 4000, 200 },                       /* (400 + 0) / 2 */
    { "1000 1 500 - 1, 1000 1 300 - 1, 1000 0 0 - 1", 4000, 600 },         /* (400 + 0 + 1400) / 3 */
    { "1000 1 500 - 3, 1000 1 300 - 1", 4000, 300 },                       /* by their number */
    { "5000 1 300 - 1", 4000, 1400 }, { "5000 0 0 - 1", 4000, 1400 },      /* no CPU */
    { "1000 2 500 - 1", 4000, 1400 }, { "1000 2 400 - 1", 4000, 0 },       /* not enough cards */
    { "1000 1 300 T4 - 1", 4000, -1 },                                     /* six parts */
    { "1000 1 300 T4 1", 4000, 1400 }, { "1000 1 300 T4|A10 1", 4000, 0 }, /* models */
    { "1000 1 300 A1 1", 4000, 1400 },                                     /* not by their beginning */
    { "1000 1 300 - 96, 1000 1 500 - 4", 4000, 0 },                        /* rare kinds do not count */
    { "1000 1 300 - 94, 1000 1 500 - 6", 4000, 24 },
    { "", 0, -1 }, { "[1]", 0, -1 }, { "1000 1 1001 - 1", 0, -1 }, { "1000 1 0 - 1", 0, -1 }, { "1000 0 500 - 1", 0, -1 }, { "1000 1 500 - 0", 0, -1 }, { "-1 1 500 - 1", 0, -1 },
  };
  g_autofree char *a = node ("a", 64, 2, "A10"), *conf = conf_of ("x-fgd");
  g_auto (Cell) c = { 0 };

  if (!cell_start (&c, a, conf))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (VcFragments) f = kinds (rows[i].kinds, &error);
    gint64 left[] = { 1000, 400 };
    const VcCardNode view = { rows[i].cpu, 2, left };

    if (!suite_check ((f != NULL) == (rows[i].want >= 0), "%s: %s", rows[i].kinds, error != NULL ? error->message : "taken") || f == NULL)
      continue;
    double got = vc_fragments_of (f, vc_cache_cluster (c.cache), 0, &view);
    suite_check (got > rows[i].want - 1e-9 && got < rows[i].want + 1e-9, "%s: %g, expected %g", rows[i].kinds, got, rows[i].want);
  }
}

static void
refused_arguments (void)
{
  static const char *const rows[][2] = {
    { "x-fgd\n    arguments: {x-fgd.pods: [1000 1 500 -]}", "x-fgd.pods, line 10: expected 'CPU CARDS PART MODELS COUNT' as in '12000 1 500 - 20', found '1000 1 500 -'" },
    { "x-fgd\n    arguments: {x-fgd.pods: []}", "x-fgd.pods, line 10: expected a list of kinds of pods, found none" },
    { "x-fragments\n    arguments: {x-fragments.popularity: 101}", "x-fragments.popularity, expected percent from 1 to 100, found 101" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *conf = conf_of (rows[i][0]);
    g_autoptr (GError) error = NULL;
    VcConf *parsed = vc_conf_parse (conf, strlen (conf), "conf", vc_catalog (), FALSE, NULL, &error);
    VcCacheOptions cache_options;
    VcEngineOptions options;

    if (!suite_check (parsed != NULL, "%s", error != NULL ? error->message : "?"))
      continue;
    vc_cache_options_init (&cache_options);
    vc_engine_options_init (&options);
    VcCache *cache = vc_cache_new (vc_res_names_new (NULL, 0, NULL), &cache_options);
    VcEngine *engine = vc_engine_new (cache, parsed, FALSE, &options, &error);

    suite_check (engine == NULL && error != NULL && strstr (error->message, rows[i][1]) != NULL, "%s", error != NULL ? error->message : "taken");
    vc_engine_free (engine);
    vc_cache_free (cache);
  }
}

static CU_TestInfo tests[] = {
  { "best fit and dot product", best_fit_and_dot_product },
  { "clustering", clustering },
  { "packing", packing },
  { "chance", chance },
  { "the card that is wanted comes first", the_card_that_is_wanted_comes_first },
  { "fragmentation gradient descent", fragmentation_gradient },
  { "what a fragment is", what_a_fragment_is },
  { "refused arguments", refused_arguments },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("cards", tests);
}
