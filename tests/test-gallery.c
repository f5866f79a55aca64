/* tests/test-gallery.c - the gallery of known pathologies (scenarios/gallery): each entry has the outcome of the real engine, `explain` finds what is
 * wrong with it and says the change that avoids it, and finds nothing where that change was made or nothing is wrong. */
#include "json-doc.h"
#include "ledger-check.h"
#include "run-helper.h"
#include "suite.h"
#include <math.h>
#include <string.h>

#define NEVER (-1.0)
#define ANY (-2.0)

/* Figures and changes are those of the table beside the recordings of the real engine. */
static const struct {
  const char *entry, *variant;
  int evictions;
  const char *job; double wait;  /* gang_start − submit of that job */
  const char *code, *advice;     /* NULL: nothing is wrong; else a word of the advice */
} cases[] = {
  { "g01-elastic-two-queues", "case", 0, "w1", NEVER, "admission-blocks-reclaim", "leave out the action enqueue" },
  { "g01-elastic-two-queues", "fix", 2, "w1", 31, NULL, NULL },
  { "g02-victim-bigger-than-surplus", "case", 116, "b1", NEVER, "eviction-loop", "Give the claiming queue 'blue' the higher priority (priority: 10)" },
  { "g02-victim-bigger-than-surplus", "fix", 1, "b1", 31, NULL, NULL },
  { "g02-victim-bigger-than-surplus", "proportion", 1, "b1", ANY, NULL, NULL },
  { "g03-memory-slack-tug-of-war", "case", 691, NULL, ANY, "eviction-loop", "2Gi memory instead of 16Gi memory, or leave memory out of deserved" },
  { "g03-memory-slack-tug-of-war", "fix", 2, NULL, ANY, NULL, NULL },
  { "g04-priority-on-the-borrower", "case", 600, "b0", NEVER, "eviction-loop", "Take the priority from 'red', or give 'blue' at least the same" },
  { "g04-priority-on-the-borrower", "fix", 5, "b0", 31, NULL, NULL },
  { "g08-enqueue-blocks-reclaim", "case", 0, "o0", 2982, "admission-blocks-reclaim", "overcommit-factor: 2 or more (it is 1.2), or leave out the action enqueue" },
  { "g08-enqueue-blocks-reclaim", "fix", 3, "o0", 31, NULL, NULL },
  { "g09-wrong-pool-fills-inqueue", "case", 0, "big", 272, "admission-beside-idle-nodes", "overcommit-factor: 3 or more" },
  { "g09-wrong-pool-fills-inqueue", "fix", 0, "big", 1, NULL, NULL },
  { "g10-big-gang-starves", "case", 0, "giant", 988, "starving-job", "actions: \"allocate, preempt, backfill\" (without enqueue)" },
  { "g10-big-gang-starves", "fix", 7, "giant", 32, NULL, NULL },
  { "g11-gang-one-short", "case", 1, NULL, ANY, "gang-one-short", "leave out drf" },
  { "g11-gang-one-short", "fix", 1, NULL, ANY, NULL, NULL },
  { "g12-half-gpu-each", "case", 0, "third", NEVER, "share-smaller-than-job", "weight 3" },
  { "g12-half-gpu-each", "fix", 0, "third", 91, NULL, NULL },
  { "g15-preempt-never-asked", "case", 0, "vip", 2942, "admission-blocks-preempt", "overcommit-factor: 2 or more (it is 1.2), or leave out the action enqueue" },
  { "g15-preempt-never-asked", "fix", 2, "vip", 31, NULL, NULL },
  { "g17-last-borrowed-gpu-kept", "case", 0, "hi0", NEVER, "shares-beyond-cluster", "lower the deserved nvidia.com/gpu of queue 'lo' to what is left (0 nvidia.com/gpu)" },
  { "g17-last-borrowed-gpu-kept", "fix", 4, "hi0", 11, NULL, NULL },
  { "g18-cousin-reclaim", "case", 1, "b1", 11, "cousin-reclaim", "ancestorReclaimLevel: 1" },
  { "g18-cousin-reclaim", "fix", 0, "b1", 2471, NULL, NULL },
  { "g22-binpack-ignores-gpu", "case", 0, "full", 2751, "scattered-resource", "binpack.resources: nvidia.com/gpu, with a weight: binpack.resources.nvidia.com/gpu: 10" },
  { "g22-binpack-ignores-gpu", "fix", 0, "full", 1, NULL, NULL },
  { "g23-greedy-gang", "case", 0, "pairx", NEVER, "greedy-gang", "list the task with the largest pods first in the job, or" },
  { "g23-greedy-gang", "fix", 0, "pairx", 1, NULL, NULL },
  { "g23-greedy-gang", "order", 0, "pairx", 1, NULL, NULL },
  { "g28-gold-queue-robbed-first", "case", 3, NULL, ANY, "better-queue-pays", "no setting is known" },
  { "g30-two-full-gangs", "case", 0, NULL, ANY, NULL, NULL },
  { "g31-one-resource-used-up", "case", 0, "c", 1, NULL, NULL },
  { "g32-sum-fits-pods-do-not", "case", 0, "t0", NEVER, "unplaceable-gang-admitted", "leave out the action enqueue" },
  { "g32-sum-fits-pods-do-not", "fix", 0, "t0", 1, NULL, NULL },
  { "g33-tree-root-full", "case", 1, "due", 11, NULL, NULL },
  { "g34-unplaceable-head", "case", 0, NULL, ANY, NULL, NULL },
  { "g35-elastic-mutual", "case", 0, NULL, ANY, NULL, NULL },
  { "g38-drf-preempt-elastic", "case", 2, NULL, ANY, NULL, NULL },
  { "g39-single-queue-reclaim", "case", 0, NULL, ANY, NULL, NULL },
  { "g41-drf-spares-whale", "case", 0, NULL, ANY, NULL, NULL },
  { "g42-besteffort-takes-pod-slots", "case", 0, "gang", 993, "starving-job", "actions: \"allocate, backfill, preempt\"" },
  { "g42-besteffort-takes-pod-slots", "fix", 8, "gang", 32, NULL, NULL },
  { "g43-preempt-backfill-pingpong", "case", 479, "gang", NEVER, "eviction-loop", "actions: \"allocate, backfill, preempt\"; or give preempt enableTopologyAwarePreemption: true" },
  { "g43-preempt-backfill-pingpong", "fix", 15, "gang", 62, NULL, NULL },
  { "g43-preempt-backfill-pingpong", "gangpreempt", 927, "gang", NEVER, "eviction-loop", "actions: \"allocate, backfill, preempt\"" },
  { "g43-preempt-backfill-pingpong", "topology", 8, "gang", 54, NULL, NULL },
  { "g44-guarantee-typo", "case", 0, "d", NEVER, "guarantee-beyond-cluster", "lower the guarantee of queue 'typo'" },
  { "g44-guarantee-typo", "fix", 0, "d", 1, NULL, NULL },
  { "g57-unlimited-capability", "case", 0, NULL, ANY, NULL, NULL },
  { "g60-priority-across-queues", "case", 0, "vip", 696, "starving-job", "a queue of its own with a large weight (10)" },
  { "g60-priority-across-queues", "fix", 0, "vip", 96, NULL, NULL },
  { "g61-claims-beyond-deserved", "case", 8, NULL, ANY, "beyond-deserved", "put capacity in the first tier" },
  { "g61-claims-beyond-deserved", "fix", 0, "t4", NEVER, NULL, NULL },
  { "g64-first-job-blocks-reclaim", "case", 1, "small", 11, NULL, NULL },
  { "g65-not-preemptable-lender", "case", 0, "note", 2971, "nothing-evictable", "leave the label volcano.sh/preemptable: \"false\" off" },
  { "g65-not-preemptable-lender", "fix", 2, "note", 11, NULL, NULL },
};

/* Entries of one cycle: pods that it evicts, and what `cycle --diagnose` says. */
static const struct {
  const char *entry, *conf, *objects;
  guint evictions;
  const char *code, *what, *advice;
} cycles[] = {
  { "g45-stale-nomination", "volcano-scheduler.conf", "objects.json", 0, "stale-nomination", "its pod 'g/vip-0' carries a nominated node", "run preempt before allocate, or the action gangpreempt" },
  { "g45-stale-nomination", "fix.conf", "objects.json", 1, NULL, NULL, NULL },
  { "g46-gangpreempt-drains", "volcano-scheduler.conf", "objects.json", 11, "drained", "11 pods (of 'g/elastic') for 'g/one', which needs the room of 1", "use the action 'preempt' instead" },
  { "g46-gangpreempt-drains", "fix.conf", "objects.json", 1, NULL, NULL, NULL },
  { "g50-backfill-skips-rest", "volcano-scheduler.conf", "objects.json", 0, NULL, NULL, NULL },
  { "g52-reclaim-unplaceable", "volcano-scheduler.conf", "objects.json", 1, "wasted-evictions", "1 pod is evicted for 'g/want', and it gets nothing", "No setting" },
  { "g52-reclaim-unplaceable", "volcano-scheduler.conf", "objects-next.json", 0, "wasted-evictions", "room on n0 is kept for 'g/want'", "No setting" },
  { "g52-reclaim-unplaceable", "gangreclaim.conf", "objects.json", 2, "wasted-evictions", "2 pods are evicted for 'g/want', and it gets nothing", "No setting" },
  { "g54-within-job-evict", "volcano-scheduler.conf", "objects.json", 0, NULL, NULL, NULL },
  { "g55-queue-order-refresh", "volcano-scheduler.conf", "objects.json", 0, NULL, NULL, NULL },
  { "g56-stock-gang-one-short", "volcano-scheduler.conf", "objects.json", 0, "gang-one-short", "'g/train' holds 1 of the 2 pods", "leave out drf" },
  { "g56-stock-gang-one-short", "fix.conf", "objects.json", 0, NULL, NULL, NULL },
};

static char *
input (const char *entry, const char *file)
{
  return g_build_filename (g_getenv ("VOLSIM_SOURCE"), "scenarios", "gallery", entry, file, NULL);
}

static gboolean
run (const char *entry, const char *variant, const char *results)
{
  g_autofree char *file = g_strconcat (variant, ".yaml", NULL), *path = input (entry, file), *complaint = NULL;
  char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "run", path, (char *) "--no-charts", (char *) "--out", (char *) results, NULL };
  int status = test_run (args, NULL, &complaint);

  return suite_check (status == 0, "%s: exit status %d: %s", path, status, complaint);
}

/* Evictions and the wait of a job are the real engine's. */
static void
check_outcome (const char *results, guint i)
{
  g_auto (TestTable) jobs = { 0 };
  g_autofree char *path = g_build_filename (results, "jobs.csv", NULL);
  int evictions = 0;
  double wait = ANY;

  if (!suite_check (test_table_read (&jobs, path, NULL), "%s", path))
    return;
  for (guint r = 0; r < jobs.rows->len; r++) {
    const char *cell = test_table_cell (&jobs, r, test_table_column (&jobs, "wait"));

    evictions += atoi (test_table_cell (&jobs, r, test_table_column (&jobs, "evictions")));
    if (cases[i].job != NULL && strcmp (test_table_cell (&jobs, r, test_table_column (&jobs, "job")), cases[i].job) == 0)
      wait = *cell == '\0' ? NEVER : g_ascii_strtod (cell, NULL);
  }
  suite_check (evictions == cases[i].evictions, "%s/%s: %d evictions, the real engine has %d", cases[i].entry, cases[i].variant, evictions, cases[i].evictions);
  suite_check (cases[i].job == NULL || cases[i].wait == ANY || wait == cases[i].wait, "%s/%s: '%s' waits %g s, in the real engine %g", cases[i].entry, cases[i].variant,
               cases[i].job, wait, cases[i].wait);
}

static void
check_diagnoses (const char *results, guint i)
{
  char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "explain", (char *) results, (char *) "-o", (char *) "json", NULL };
  g_autofree char *text = NULL;
  g_autoptr (VcArena) arena = vc_arena_new ();
  int status = test_run (args, &text, NULL);
  const Jd *doc = status == 0 ? jd_parse (arena, text, strlen (text), NULL) : NULL, *list = doc != NULL ? jd_get (doc, "diagnoses") : NULL;

  if (!suite_check (list != NULL, "%s/%s: explain gives no diagnoses (status %d)", cases[i].entry, cases[i].variant, status))
    return;
  suite_check (list->n == (cases[i].code != NULL), "%s/%s: %u diagnoses:\n%s", cases[i].entry, cases[i].variant, list->n, strstr (text, "\"diagnoses\""));
  if (list->n == 0 || cases[i].code == NULL)
    return;
  const char *code = jd_text (jd_get (list->child[0], "code"), ""), *advice = jd_text (jd_get (list->child[0], "advice"), "");

  suite_check (strcmp (code, cases[i].code) == 0 && strstr (advice, cases[i].advice) != NULL, "%s/%s: wanted %s with '%s', got %s with '%s'", cases[i].entry,
               cases[i].variant, cases[i].code, cases[i].advice, code, advice);
  /* the entry that is named shows the same thing; g01 is of the kind of g08 */
  const char *shown = jd_text (jd_get (list->child[0], "gallery"), "");
  gboolean same = strcmp (shown, cases[i].entry) == 0 || g_str_has_prefix (cases[i].entry, "g01");

  suite_check (same, "%s/%s: shown by %s", cases[i].entry, cases[i].variant, shown);
}

static void
explain_finds_what_is_wrong_and_no_more (void)
{
  g_autofree char *tmp = test_make_dir (), *results = g_build_filename (tmp, "results", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    if (!run (cases[i].entry, cases[i].variant, results))
      continue;
    g_autoptr (GPtrArray) faults = ledger_faults (results);

    for (guint k = 0; k < faults->len; k++)
      suite_check (FALSE, "%s/%s: %s", cases[i].entry, cases[i].variant, (const char *) faults->pdata[k]);
    check_outcome (results, i);
    check_diagnoses (results, i);
  }
  test_remove_tree (tmp);
}

static void
a_cycle_is_diagnosed (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cycles); i++) {
    g_autofree char *conf = input (cycles[i].entry, cycles[i].conf), *objects = input (cycles[i].entry, cycles[i].objects), *text = NULL, *plain = NULL;
    char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "cycle", objects, (char *) "--conf", conf, (char *) "-o", (char *) "json", (char *) "--diagnose", NULL };
    g_autoptr (VcArena) arena = vc_arena_new ();
    int status = test_run (args, &text, NULL);
    const Jd *doc = status == 0 ? jd_parse (arena, text, strlen (text), NULL) : NULL, *list = doc != NULL ? jd_get (doc, "diagnoses") : NULL;

    if (!suite_check (list != NULL, "%s: cycle gives no diagnoses (status %d)", conf, status))
      continue;
    suite_check (jd_get (doc, "evictions")->n == cycles[i].evictions, "%s: %u evictions, the real engine has %u", conf, jd_get (doc, "evictions")->n, cycles[i].evictions);
    suite_check (list->n == (cycles[i].code != NULL), "%s, %s: %u diagnoses:\n%s", conf, objects, list->n, strstr (text, "\"diagnoses\""));
    if (list->n > 0 && cycles[i].code != NULL) {
      const char *code = jd_text (jd_get (list->child[0], "code"), ""), *what = jd_text (jd_get (list->child[0], "what"), ""),
                 *advice = jd_text (jd_get (list->child[0], "advice"), ""), *shown = jd_text (jd_get (list->child[0], "gallery"), "");

      suite_check (strcmp (code, cycles[i].code) == 0 && strstr (what, cycles[i].what) != NULL && strstr (advice, cycles[i].advice) != NULL && strcmp (shown, cycles[i].entry) == 0,
                   "%s: got %s, %s, %s, shown by %s", conf, code, what, advice, shown);
    }
    args[7] = NULL; /* and the rest of the answer is what it is without */
    suite_check (test_run (args, &plain, NULL) == 0 && strncmp (plain, text, strlen (plain) - strlen ("\n}\n")) == 0, "%s: --diagnose changes the answer", conf);
  }
}

/* ---- a cycle of a run ---- */

/* What `cycle --diagnose` says of one cycle of an entry, taken out of its run. */
static const struct { const char *entry, *variant, *at, *code, *advice; /* NULL: nothing is wrong */ } moments[] = {
  { "g01-elastic-two-queues", "case", "11", "admission-blocks-reclaim", "leave out the action enqueue" },
  { "g08-enqueue-blocks-reclaim", "case", "100", "admission-blocks-reclaim", "overcommit-factor: 2 or more (it is 1.2), or leave out the action enqueue" },
  { "g08-enqueue-blocks-reclaim", "fix", "100", NULL, NULL },
  { "g15-preempt-never-asked", "case", "100", "admission-blocks-preempt", "overcommit-factor: 2 or more (it is 1.2), or leave out the action enqueue" },
  { "g15-preempt-never-asked", "fix", "100", NULL, NULL },
  { "g33-tree-root-full", "case", "11", NULL, NULL },
  { "g39-single-queue-reclaim", "case", "11", NULL, NULL },
  { "g44-guarantee-typo", "case", "100", "guarantee-beyond-cluster", "lower the guarantee of queue 'typo' to less than 16 cpu" },
  { "g44-guarantee-typo", "fix", "11", NULL, NULL },
  { "g64-first-job-blocks-reclaim", "case", "11", NULL, NULL },
  { "g65-not-preemptable-lender", "case", "100", "nothing-evictable", "leave the label volcano.sh/preemptable: \"false\" off" },
  { "g65-not-preemptable-lender", "fix", "100", NULL, NULL },
};

static void
a_cycle_of_a_run_is_diagnosed (void)
{
  g_autofree char *tmp = g_dir_make_tmp ("volsim-gallery-XXXXXX", NULL), *saved = g_build_filename (tmp, "cycle.json", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (moments); i++) {
    g_autofree char *file = g_strconcat (moments[i].variant, ".yaml", NULL), *path = input (moments[i].entry, file), *command = NULL, *text = NULL, *complaint = NULL;
    char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "run", path, (char *) "--save-cycle", saved, (char *) "--at", (char *) moments[i].at, NULL };
    g_auto (GStrv) words = NULL;
    g_autoptr (VcArena) arena = vc_arena_new ();

    if (!suite_check (test_run (args, &command, &complaint) == 0 && g_shell_parse_argv (command, NULL, &words, NULL), "%s at %s is not saved: %s", path, moments[i].at, complaint))
      continue;
    g_autoptr (GPtrArray) line = g_ptr_array_new ();

    g_ptr_array_add (line, args[0]);
    for (guint k = 1; words[k] != NULL; k++)
      g_ptr_array_add (line, words[k]);
    g_ptr_array_add (line, (gpointer) "--diagnose");
    g_ptr_array_add (line, (gpointer) "--output=json");
    g_ptr_array_add (line, NULL);
    int status = test_run ((char **) line->pdata, &text, NULL);
    const Jd *doc = status == 0 ? jd_parse (arena, text, strlen (text), NULL) : NULL, *list = doc != NULL ? jd_get (doc, "diagnoses") : NULL;

    if (!suite_check (list != NULL, "%s: no diagnoses (status %d)", command, status))
      continue;
    suite_check (list->n == (moments[i].code != NULL), "%s, %s at %s: %u diagnoses:\n%s", moments[i].entry, moments[i].variant, moments[i].at, list->n, strstr (text, "\"diagnoses\""));
    if (list->n > 0 && moments[i].code != NULL)
      suite_check (strcmp (jd_text (jd_get (list->child[0], "code"), ""), moments[i].code) == 0 && strstr (jd_text (jd_get (list->child[0], "advice"), ""), moments[i].advice) != NULL,
                   "%s, %s at %s: got %s", moments[i].entry, moments[i].variant, moments[i].at, strstr (text, "\"diagnoses\""));
  }
  test_remove_tree (tmp);
}

/* ---- validate ---- */

/* What validate warns of with an entry of the gallery as its proof: in these, and in no other variant. */
static const struct { const char *entry, *variant, *code, *proof; } warned[] = {
  { "g01-elastic-two-queues", "case", "admission-blocks-eviction", "g08-enqueue-blocks-reclaim" },
  { "g03-memory-slack-tug-of-war", "case", "slack-in-deserved", NULL }, /* NULL: by itself */
  { "g04-priority-on-the-borrower", "case", "priority-on-borrower", NULL },
  { "g08-enqueue-blocks-reclaim", "case", "admission-blocks-eviction", NULL },
  { "g09-wrong-pool-fills-inqueue", "case", "pool-fills-admission", NULL },
  { "g10-big-gang-starves", "case", "big-gang-starves", NULL },
  { "g11-gang-one-short", "case", "drf-before-gangs", NULL },
  { "g12-half-gpu-each", "case", "jobs-above-every-share", NULL },
  { "g15-preempt-never-asked", "case", "admission-blocks-eviction", NULL },
  { "g17-last-borrowed-gpu-kept", "case", "shares-beyond-cluster", NULL },
  { "g18-cousin-reclaim", "case", "parents-not-asked", NULL },
  { "g22-binpack-ignores-gpu", "case", "binpack-ignores", NULL },
  { "g23-greedy-gang", "case", "small-pods-first", NULL },
  { "g28-gold-queue-robbed-first", "case", "better-queue-pays", NULL },
  { "g32-sum-fits-pods-do-not", "case", "unplaceable-gang-admitted", NULL },
  { "g42-besteffort-takes-pod-slots", "case", "backfill-takes-places", NULL },
  { "g43-preempt-backfill-pingpong", "case", "backfill-takes-back", NULL },
  { "g43-preempt-backfill-pingpong", "gangpreempt", "backfill-takes-back", NULL },
  { "g44-guarantee-typo", "case", "guarantee-beyond-cluster", NULL },
  { "g60-priority-across-queues", "case", "priority-across-queues", NULL },
  { "g61-claims-beyond-deserved", "case", "shares-asked-too-late", NULL },
  { "g65-not-preemptable-lender", "case", "nothing-evictable", NULL },
  /* of one cycle: by configuration and objects */
  { "g45-stale-nomination", "volcano-scheduler.conf objects.json", "nominated-pods-wait", NULL },
  { "g46-gangpreempt-drains", "volcano-scheduler.conf objects.json", "elastic-jobs-drained", NULL },
  { "g52-reclaim-unplaceable", "volcano-scheduler.conf objects.json", "reclaims-for-unplaceable", NULL },
  { "g52-reclaim-unplaceable", "volcano-scheduler.conf objects-next.json", "reclaims-for-unplaceable", NULL },
  { "g52-reclaim-unplaceable", "gangreclaim.conf objects.json", "reclaims-for-unplaceable", NULL },
  { "g52-reclaim-unplaceable", "gangreclaim.conf objects.json", "elastic-jobs-drained", "g46-gangpreempt-drains" },
  { "g56-stock-gang-one-short", "volcano-scheduler.conf objects.json", "broken-gang", NULL },
};

/* Run validate with @args and compare those of its warnings that have a proof. */
static void
check_warnings (const char *entry, const char *variant, GPtrArray *args)
{
  g_autofree char *text = NULL, *complaint = NULL;
  g_autoptr (VcArena) arena = vc_arena_new ();
  guint expected = 0, found = 0;

  g_ptr_array_add (args, (gpointer) "-o");
  g_ptr_array_add (args, (gpointer) "json");
  g_ptr_array_add (args, NULL);
  int status = test_run ((char **) args->pdata, &text, &complaint);
  const Jd *doc = status == 0 ? jd_parse (arena, text, strlen (text), NULL) : NULL, *list = doc != NULL ? jd_get (doc, "warnings") : NULL;

  if (!suite_check (list != NULL, "%s, %s: status %d: %s", entry, variant, status, complaint))
    return;
  for (guint i = 0; i < list->n; i++) {
    const char *code = jd_text (jd_get (list->child[i], "code"), ""), *proof = jd_text (jd_get (list->child[i], "gallery"), "");
    gboolean wanted = *proof == '\0';

    found += *proof != '\0';
    for (guint k = 0; k < G_N_ELEMENTS (warned) && !wanted; k++)
      wanted = strcmp (warned[k].entry, entry) == 0 && strcmp (warned[k].variant, variant) == 0 && strcmp (warned[k].code, code) == 0
               && strcmp (warned[k].proof != NULL ? warned[k].proof : entry, proof) == 0;
    suite_check (wanted, "%s, %s: warned of %s (gallery: %s)", entry, variant, code, proof);
  }
  for (guint k = 0; k < G_N_ELEMENTS (warned); k++)
    expected += strcmp (warned[k].entry, entry) == 0 && strcmp (warned[k].variant, variant) == 0;
  suite_check (found == expected, "%s, %s: %u warnings with a proof, expected %u", entry, variant, found, expected);
}

/* A file of the variant's own, or that of the case; NULL: there is none. (transfer full) */
static char *
own_or_common (const char *entry, const char *stem, const char *variant, const char *suffix)
{
  g_autofree char *name = g_strconcat (stem, "-", variant, suffix, NULL), *file = g_strconcat (stem, suffix, NULL);
  g_autofree char *own = input (entry, name), *common = input (entry, file);

  if (g_file_test (own, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&own);
  return g_file_test (common, G_FILE_TEST_EXISTS) ? g_steal_pointer (&common) : NULL;
}

static void
validate_warns_of_what_the_gallery_shows (void)
{
  static const char *const inputs[] = { "nodes", "jobs", "queues" };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GPtrArray) args = g_ptr_array_new ();
    g_autofree char *file = g_strconcat (cases[i].variant, ".conf", NULL), *own = input (cases[i].entry, file), *stock = input (cases[i].entry, "volcano-scheduler.conf");
    char *flag[3] = { NULL }, *path[3] = { NULL };

    g_ptr_array_add (args, (gpointer) g_getenv ("VOLSIM_BIN"));
    g_ptr_array_add (args, (gpointer) "validate");
    g_ptr_array_add (args, g_file_test (own, G_FILE_TEST_EXISTS) ? own : stock);
    for (guint k = 0; k < G_N_ELEMENTS (inputs); k++) {
      path[k] = own_or_common (cases[i].entry, inputs[k], cases[i].variant, ".csv");
      flag[k] = g_strconcat ("--", inputs[k], NULL);
      if (path[k] == NULL)
        continue;
      g_ptr_array_add (args, flag[k]);
      g_ptr_array_add (args, path[k]);
    }
    check_warnings (cases[i].entry, cases[i].variant, args);
    for (guint k = 0; k < G_N_ELEMENTS (inputs); k++) {
      g_clear_pointer (&path[k], g_free);
      g_clear_pointer (&flag[k], g_free);
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (cycles); i++) {
    g_autoptr (GPtrArray) args = g_ptr_array_new ();
    g_autofree char *conf = input (cycles[i].entry, cycles[i].conf), *objects = input (cycles[i].entry, cycles[i].objects);
    g_autofree char *what = g_strconcat (cycles[i].conf, " ", cycles[i].objects, NULL);

    g_ptr_array_add (args, (gpointer) g_getenv ("VOLSIM_BIN"));
    g_ptr_array_add (args, (gpointer) "validate");
    g_ptr_array_add (args, conf);
    g_ptr_array_add (args, objects);
    check_warnings (cycles[i].entry, what, args);
  }
}

/* What the table leaves out would be carried for nothing. */
static void
every_scenario_of_the_gallery_is_checked (void)
{
  g_autofree char *dir = g_build_filename (g_getenv ("VOLSIM_SOURCE"), "scenarios", "gallery", NULL);
  g_autoptr (GDir) d = g_dir_open (dir, 0, NULL);
  const char *entry, *file;
  guint n = 0;

  while (d != NULL && (entry = g_dir_read_name (d)) != NULL) {
    g_autofree char *sub = g_build_filename (dir, entry, NULL);
    g_autoptr (GDir) s = g_dir_open (sub, 0, NULL);

    while (s != NULL && (file = g_dir_read_name (s)) != NULL) {
      gboolean found = !g_str_has_suffix (file, ".yaml");

      n += !found;
      for (guint i = 0; i < G_N_ELEMENTS (cases) && !found; i++)
        found = strcmp (cases[i].entry, entry) == 0 && strncmp (cases[i].variant, file, strlen (cases[i].variant)) == 0
                && strcmp (file + strlen (cases[i].variant), ".yaml") == 0;
      suite_check (found, "%s/%s is in no table", entry, file);
    }
  }
  suite_check (n == G_N_ELEMENTS (cases), "%u scenarios, %u in the table", n, (guint) G_N_ELEMENTS (cases));
}

/* What explain tells to look at can be looked at: the command runs up to that cycle and explains it. */
static void
the_cycle_to_look_at_is_there (void)
{
  g_autofree char *tmp = test_make_dir (), *results = g_build_filename (tmp, "results", NULL), *text = NULL, *shown = NULL;
  char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "explain", results, NULL };

  if (run ("g02-victim-bigger-than-surplus", "case", results)) {
    CU_ASSERT_EQUAL (test_run (args, &text, NULL), 0);
    const char *look = strstr (text, "look: volsim ");

    if (suite_check (look != NULL && strstr (look, "--explain default/b1 --at 42\n") != NULL, "%s", text)) {
      g_autofree char *line = g_strndup (look + strlen ("look: volsim "), strcspn (look + strlen ("look: volsim "), "\n"));
      g_auto (GStrv) words = NULL;
      g_autoptr (GPtrArray) again = g_ptr_array_new ();

      suite_check (g_shell_parse_argv (line, NULL, &words, NULL), "%s", line);
      g_ptr_array_add (again, (gpointer) g_getenv ("VOLSIM_BIN"));
      for (char **w = words; w != NULL && *w != NULL; w++)
        g_ptr_array_add (again, *w);
      g_ptr_array_add (again, NULL);
      suite_check (test_run ((char **) again->pdata, &shown, NULL) == 0 && strstr (shown, "r0-w-0") != NULL, "%s:\n%s", line, shown);
    }
  }
  test_remove_tree (tmp);
}

/* The page of some entries: before and after, alone, and the same every time. */
static void
the_page_shows_before_and_after (void)
{
  g_autofree char *from = g_build_filename (g_getenv ("VOLSIM_SOURCE"), "scenarios", "gallery", NULL), *tmp = test_make_dir ();
  g_autofree char *out = g_build_filename (tmp, "out", NULL), *path = g_build_filename (out, "index.html", NULL), *page = NULL, *again = NULL, *lines = NULL;
  char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "gallery", (char *) "g12", (char *) "g02-victim-bigger-than-surplus", (char *) "g46", (char *) "--from", from,
                   (char *) "--out", out, NULL };
  static const char *const shown[] = {
    "<td>116 → 1</td><td>1 → 0</td><td>b1: never → 31s</td>", "<td>second: never → 41s</td>", "+ blue,,7,28Gi,10", "<b>eviction-loop</b>", "share-smaller-than-job",
    "drained: gangpreempt evicts 11 pods", "volsim run ", "<svg ",
  };

  suite_check (test_run (args, &lines, NULL) == 0 && strstr (lines, "  116 evicted   1 never  eviction-loop\n") != NULL, "%s", lines);
  page = test_read (path, NULL, NULL);
  for (guint i = 0; page != NULL && i < G_N_ELEMENTS (shown); i++)
    suite_check (strstr (page, shown[i]) != NULL, "the page lacks '%s'", shown[i]);
  suite_check (page != NULL && strstr (page, "<script") == NULL && strstr (page, "src=") == NULL && strstr (page, "g08-") == NULL, "the page stands alone");
  suite_check (test_run (args, NULL, NULL) == 0, "a second time into the same folder");
  again = test_read (path, NULL, NULL);
  suite_check (g_strcmp0 (page, again) == 0, "the same bytes");
  test_remove_tree (tmp);
}

static void
what_is_no_gallery_is_refused (void)
{
  static const struct { const char *entries, *name, *complaint; } bad[] = {
    { "entry,variants,symptom\n../up,case,x\n", NULL, "entries.csv:2:1: an entry, expected letters, digits and '-', found '../up'" },
    { "entry,variants,symptom\na,case  fix,x\n", NULL, "a variant, expected letters, digits and '-', one space between two" },
    { "entry,variants,symptom\n", NULL, "expected entries, found none" },
    { "entry,symptom\na,x\n", NULL, "column 'variants'" },
    { "entry,variants,symptom\na,case,<b>\n", "b", "gallery: expected an entry such as 'a', found 'b'" },
    { "entry,variants,symptom\na,case,x\n", "a", "volcano-scheduler.conf" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *tmp = test_make_dir (), *out = g_build_filename (tmp, "out", NULL), *complaint = NULL;
    g_free (test_write (tmp, "entries.csv", bad[i].entries));
    char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "gallery", (char *) "--from", tmp, (char *) "--out", out, (char *) bad[i].name, NULL };
    int status = test_run (args, NULL, &complaint);

    suite_check (status == 2 && strstr (complaint, bad[i].complaint) != NULL && !g_file_test (out, G_FILE_TEST_EXISTS), "wanted '%s', got %d: %s", bad[i].complaint, status,
                 complaint);
    test_remove_tree (tmp);
  }
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "explain finds what is wrong and no more", explain_finds_what_is_wrong_and_no_more },
    { "a cycle is diagnosed", a_cycle_is_diagnosed },
    { "a cycle of a run is diagnosed", a_cycle_of_a_run_is_diagnosed },
    { "validate warns of what the gallery shows", validate_warns_of_what_the_gallery_shows },
    { "every scenario of the gallery is checked", every_scenario_of_the_gallery_is_checked },
    { "the cycle to look at is there", the_cycle_to_look_at_is_there },
    { "the page shows before and after", the_page_shows_before_and_after },
    { "what is no gallery is refused", what_is_no_gallery_is_refused },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("gallery", tests);
}
