/* tests/test-plugins-policy.c - the plugins that order jobs and choose victims by policy: hierarchical
 * drf, sla, tdm, cdp; durations as Go reads them. */
#include "core/base/go-duration.h"
#include "plugin-world.h"

#define NOW_DAY (G_GINT64_CONSTANT (1767225600)) /* 2026-01-01T00:00:00Z, a midnight */

/* ---- a cluster with annotations ------------------------------------------------------------- */

static guint32
add_noted_group (World *w, const char *name, const char *queue, gint64 created, const char *key,
                 const char *value)
{
  const VcPair note = { key, value };
  VcPodGroupObject o = { .ns = "ns",
                         .name = name,
                         .uid = name,
                         .created = created,
                         .queue = queue,
                         .min_member = 1,
                         .phase = "Running",
                         .annotations = { &note, key != NULL ? 1u : 0u } };

  return vc_cache_add_pod_group (w->cache, &o);
}

static void
add_tree_queue (World *w, const char *name, const char *path, const char *weights)
{
  const VcPair notes[]
      = { { "volcano.sh/hierarchy", path }, { "volcano.sh/hierarchy-weights", weights } };
  VcQueueObject o = { .name = name,
                      .state = "Open",
                      .created = VC_NO_TIME,
                      .weight = 1,
                      .reclaimable = -1,
                      .annotations = { notes, 2 } };

  vc_cache_add_queue (w->cache, &o);
}

typedef struct {
  Look look;
  guint32 job[4];
  GString *text; /* what the session answered */
} Seen;

static void
ask (World *w, Seen *s, const char *conf, gint64 now_s, void (*fn) (VcSession *ssn, gpointer user))
{
  s->look.w = w;
  s->look.victims = g_array_new (FALSE, FALSE, sizeof (guint32));
  s->text = g_string_new (NULL);
  if (w->engine != NULL || world_start (w, conf))
    vc_engine_with_session (w->engine, now_s * G_USEC_PER_SEC, fn, s);
}

static void
seen_clear (Seen *s)
{
  g_array_unref (s->look.victims);
  g_string_free (s->text, TRUE);
}

static void
note_victims (Seen *s, const VcCluster *c)
{
  for (guint i = 0; i < s->look.victims->len; i++)
    g_string_append_printf (s->text, "%s ",
                            c->task[g_array_index (s->look.victims, guint32, i)].name);
}

/* ---- hierarchical drf ----------------------------------------------------------------------- */

/* The rescaling example of upstream's tests: 10 cpu, 10 GB, 50 pods; sci wants both, dev cpu, prod
 * memory, all weights are equal. The heap of queues keeps its layout while shares in it change, so the
 * turns are dev prod sci, dev prod, dev sci prod, dev sci prod, dev sci prod, dev prod: cpu 6 + 4,
 * memory 6 + 4. */
static void
the_tree_shares_what_leaves_compete_for (void)
{
  static const char *const group[] = { "pg1", "pg21", "pg22" };
  static const char *const queue[] = { "sci", "dev", "prod" };
  static const guint32 want[] = { 4, 6, 6 };
  const Have each[] = { HAVE (1000, G_BYTES), HAVE (1000), HAVE (0, G_BYTES) };
  g_auto (World) w = { 0 };
  VcCycleResult result;

  world_init (&w);
  add_node (&w, "n", HAVE (10000, 10 * G_BYTES, 50), NULL);
  add_tree_queue (&w, "sci", "root/sci", "100/50");
  add_tree_queue (&w, "dev", "root/eng/dev", "100/50/50");
  add_tree_queue (&w, "prod", "root/eng/prod", "100/50/50");
  for (guint g = 0; g < 3; g++) {
    add_group (&w, group[g], queue[g], 0, "Inqueue", NULL);
    for (guint i = 0; i < 10; i++) {
      g_autofree char *name = g_strdup_printf ("%s-%02u", group[g], i);
      add_pod (&w, group[g], name, each[g], NULL, NULL);
    }
  }
  if (!world_start (&w, "actions: \"allocate\"\ntiers:\n- plugins:\n  - name: drf\n"
                        "    enableHierarchy: true\n  - name: predicates\n"))
    return;
  vc_engine_cycle (w.engine, 0, &result);
  suite_check (result.binds == 16, "%u binds", result.binds);
  for (guint g = 0; g < 3; g++) {
    guint32 n = 0;
    for (guint32 j = 0; j < w.c->n_jobs; j++)
      if (strcmp (w.c->job[j].name, group[g]) == 0)
        n = w.c->job[j].count[VC_BINDING];
    suite_check (n == want[g], "%s: %u tasks", group[g], n);
  }
}

static void
look_at_tree (VcSession *ssn, gpointer user)
{
  Seen *s = user;
  const VcCluster *c = vc_session_cluster (ssn);
  guint n;
  const guint32 *q = vc_session_queues (ssn, &n);

  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < n; k++)
      if (i != k && vc_session_queue_less (ssn, q[i], q[k]))
        g_string_append_printf (s->text, "%s<%s ", c->queue[q[i]].name, c->queue[q[k]].name);
  vc_session_victims (ssn, VC_HOOK_RECLAIMABLE, s->look.task[0], &s->look.task[1], 4,
                      s->look.victims);
  note_victims (s, c);
}

/* a and b lie below one inner node, c beside it with weight 2; 20 cpu, 100 pods. Nobody has all it wants.
 *   a 1 cpu .05, b 3 cpu .15; inner: a + b scaled to .05: .1 / 1; c 11 cpu: .55 / 2 = .275
 * With one cpu more a has .1, and the inner node .2. Without
 *   b0 (1 cpu)    b has .1, as a: refused       b1 (half a cpu) b .125: accepted
 *   c0 (half)     c .525 / 2 = .2625: accepted  c1 (10.5 cpu)   c .0125: refused */
static void
queues_are_compared_level_by_level (void)
{
  g_auto (World) w = { 0 };
  Seen s = { 0 };
  Have cpu = HAVE (1000);

  world_init (&w);
  add_node (&w, "n", HAVE (20000, 10 * GI, 100), NULL);
  add_tree_queue (&w, "a", "root/x/a", "1/1/1");
  add_tree_queue (&w, "b", "root/x/b", "1/1"); /* the third weight is missing: 1 */
  add_tree_queue (&w, "c", "root/c", "1/2");
  add_group (&w, "ja", "a", 1, "Running", NULL);
  add_group (&w, "jb", "b", 1, "Running", NULL);
  add_group (&w, "jc", "c", 1, "Running", NULL);
  add_pod (&w, "ja", "a0", cpu, "n", NULL);
  s.look.task[0] = add_pod (&w, "ja", "a1", cpu, NULL, NULL);
  add_pod (&w, "ja", "a2", cpu, NULL, NULL);
  s.look.task[1] = add_pod (&w, "jb", "b0", cpu, "n", NULL);
  s.look.task[2] = add_pod (&w, "jb", "b1", HAVE (500), "n", NULL);
  add_pod (&w, "jb", "b2", HAVE (1500), "n", NULL);
  add_pod (&w, "jb", "b3", cpu, NULL, NULL);
  s.look.task[3] = add_pod (&w, "jc", "c0", HAVE (500), "n", NULL);
  s.look.task[4] = add_pod (&w, "jc", "c1", HAVE (10500), "n", NULL);
  add_pod (&w, "jc", "c2", cpu, NULL, NULL);
  ask (&w, &s, TIERS "  - name: drf\n    enableHierarchy: true\n", 0, look_at_tree);
  suite_check (strcmp (s.text->str, "a<b a<c b<c b1 c0 ") == 0, "%s", s.text->str);
  seen_clear (&s);
}

/* ---- sla ------------------------------------------------------------------------------------ */

static const char *
sign (int cmp)
{
  return cmp < 0 ? "<" : cmp > 0 ? ">" : "=";
}

/* Of each job: before or behind the next one, and whether it is called pipelined. */
static void
look_at_sla (VcSession *ssn, gpointer user)
{
  Seen *s = user;

  for (guint i = 0; i < 3; i++) {
    int cmp = vc_session_job_compare (ssn, s->job[i], s->job[(i + 1) % 3]);

    suite_check (vc_session_job_enqueueable (ssn, s->job[i]), "nobody keeps job %u out", i);
    g_string_append_printf (s->text, "%s%d ", sign (cmp), vc_session_job_pipelined (ssn, s->job[i]));
  }
}

/* Jobs: 3 minutes by the argument, 1 hour, and 200 seconds by the older key. gang in the second tier
 * calls none of them pipelined. */
static void
jobs_that_waited_long_enough_get_in (void)
{
  static const struct {
    gint64 after;
    const char *want;
  } rows[] = {
    { 0, "<0 >0 >0 " },   { 179, "<0 >0 >0 " },  { 180, "<1 >0 >0 " },
    { 200, "<1 >0 >1 " }, { 3600, "<1 >1 >1 " },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_auto (World) w = { 0 };
    Seen s = { 0 };

    world_init (&w);
    add_node (&w, "n", HAVE (1000, GI, 10), NULL);
    add_queue (&w, "q", 1, NONE, NONE);
    s.job[0] = add_noted_group (&w, "j0", "q", NOW_DAY, NULL, NULL);
    s.job[1] = add_noted_group (&w, "j1", "q", NOW_DAY, "volcano.sh/sla-waiting-time", "1h");
    s.job[2] = add_noted_group (&w, "j2", "q", NOW_DAY, "sla-waiting-time", "3m20s");
    ask (&w, &s,
         TIERS "  - name: sla\n    arguments:\n      sla-waiting-time: 3m\n"
               "- plugins:\n  - name: gang\n",
         NOW_DAY + rows[i].after, look_at_sla);
    suite_check (strcmp (s.text->str, rows[i].want) == 0, "after %d s: %s", (int) rows[i].after,
                 s.text->str);
    seen_clear (&s);
  }
}

static void
look_at_order (VcSession *ssn, gpointer user)
{
  Seen *s = user;

  for (guint i = 0; i < 3; i++)
    g_string_append (s->text, sign (vc_session_job_compare (ssn, s->job[i], s->job[(i + 1) % 3])));
}

static void
the_earlier_limit_goes_first (void)
{
  g_auto (World) w = { 0 };
  Seen s = { 0 };

  world_init (&w);
  add_node (&w, "n", HAVE (1000, GI, 10), NULL);
  add_queue (&w, "q", 1, NONE, NONE);
  s.job[0] = add_noted_group (&w, "j0", "q", 100, NULL, NULL);
  s.job[1] = add_noted_group (&w, "j1", "q", 100, "volcano.sh/sla-waiting-time", "10.5s");
  s.job[2] = add_noted_group (&w, "j2", "q", 110, "volcano.sh/sla-waiting-time", "400ms");
  ask (&w, &s, TIERS "  - name: sla\n", 0, look_at_order);
  suite_check (strcmp (s.text->str, ">><") == 0, "%s", s.text->str);
  seen_clear (&s);
}

/* ---- tdm ------------------------------------------------------------------------------------ */

#define TDM \
  "actions: \"shuffle\"\ntiers:\n- plugins:\n  - name: tdm\n    arguments:\n" \
  "      tdm.revocable-zone.rz1: 0:00-0:00\n      tdm.revocable-zone.rz2: \"%s\"\n"

static guint32
add_zone_node (World *w, const char *name, const char *zone)
{
  const VcPair label = { "volcano.sh/revocable-zone", zone };
  VcNodeObject o = { .labels = { &label, zone != NULL ? 1u : 0u } };

  return add_node (w, name, HAVE (8000, 16 * GI, 110), &o);
}

static guint32
add_tdm_pod (World *w, const char *group, const char *name, const char *node, gboolean preemptable,
             gboolean revocable)
{
  const VcPair note[] = { { "scheduling.k8s.io/group-name", group },
                          { "volcano.sh/preemptable", preemptable ? "true" : "false" },
                          { "volcano.sh/revocable-zone", "*" } };
  VcPodObject o = { .annotations = { note, revocable ? 3u : 2u } };

  return add_pod (w, group, name, HAVE (100), node, &o);
}

static void
look_at_zone (VcSession *ssn, gpointer user)
{
  Seen *s = user;
  VcFitError e = { 0 };

  if (vc_session_predicate (ssn, s->look.task[0], s->look.node[1], &e))
    g_string_assign (s->text, "open");
  else
    g_string_assign (s->text, e.item[0].reason);
}

/* What a revocable pod is told about a node of zone rz2, by window and time of day. */
static void
windows_open_and_close_in_utc (void)
{
  static const struct {
    const char *window, *want;
    gint64 second;
  } rows[] = {
    { "8:00-20:00", "current time beyond revocable zone rz2:8:00-20:00", 28799 },
    { "8:00-20:00", "open", 28800 },
    { "8:00-20:00", "open", 72000 },
    { "8:00-20:00", "current time beyond revocable zone rz2:8:00-20:00", 72001 },
    { " 08:00-9:00 ", "open", 30000 },
    { "0:00-0:00", "open", 86399 },
    { "22:00-6:00", "open", 79200 },
    { "22:00-6:00", "current time beyond revocable zone rz2:22:00-6:00", 3600 }, /* after midnight */
    { "00:00_01:00", "revocable zone 00:00_01:00 format error", 0 },
    { "0:00", "revocable zone 0:00 format error", 0 },
    { "1-2-3", "revocable zone 1-2-3 format error", 0 },
    { "1:0-0:0", "parsing time \"1:0\" as \"15:04\": cannot parse \"0\" as \"04\"", 0 },
    { "63:59-23:59", "parsing time \"63:59\": hour out of range", 0 },
    { "0:00-0:60", "parsing time \"0:60\": minute out of range", 0 },
    { "x-y", "parsing time \"x\" as \"15:04\": cannot parse \"x\" as \"15\"", 0 },
    { "10-11:00", "parsing time \"10\" as \"15:04\": cannot parse \"\" as \":\"", 0 },
    { "10:00 - 11:00", "parsing time \"10:00 \": extra text: \" \"", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_auto (World) w = { 0 };
    Seen s = { 0 };
    g_autofree char *conf = g_strdup_printf (TDM, rows[i].window);

    world_init (&w);
    add_queue (&w, "q", 1, NONE, NONE);
    s.look.node[1] = add_zone_node (&w, "n", "rz2");
    add_group (&w, "A", "q", 1, "Inqueue", NULL);
    s.look.task[0] = add_tdm_pod (&w, "A", "a", NULL, TRUE, TRUE);
    ask (&w, &s, conf, NOW_DAY + rows[i].second, look_at_zone);
    suite_check (strcmp (s.text->str, rows[i].want) == 0, "'%s' at %d: %s", rows[i].window,
                 (int) rows[i].second, s.text->str);
    seen_clear (&s);
  }
}

static void
look_at_lending (VcSession *ssn, gpointer user)
{
  Seen *s = user;

  for (guint t = 0; t < 2; t++)
    for (guint n = 0; n < 4; n++) {
      VcFitError e = { 0 };

      if (vc_session_predicate (ssn, s->look.task[t], s->look.node[n], &e))
        g_string_append_printf (s->text, "%.0f ",
                                score_of (ssn, s->look.task[t], s->look.node[n]));
      else
        g_string_append (s->text, "- ");
    }
  g_string_append_printf (s->text, "%d", vc_session_job_compare (ssn, s->job[0], s->job[1]));
}

/* Nodes of zone rz1 (always open), rz2 (closed), rz3 (not configured) and none. */
static void
zoned_nodes_are_for_revocable_pods (void)
{
  g_auto (World) w = { 0 };
  Seen s = { 0 };
  g_autofree char *conf = g_strdup_printf (TDM, "0:00-0:01");

  world_init (&w);
  add_queue (&w, "q", 1, NONE, NONE);
  s.look.node[0] = add_zone_node (&w, "n1", "rz1");
  s.look.node[1] = add_zone_node (&w, "n2", "rz2");
  s.look.node[2] = add_zone_node (&w, "n3", "rz3");
  s.look.node[3] = add_zone_node (&w, "n4", NULL);
  s.job[0] = add_noted_group (&w, "A", "q", 0, NULL, NULL);
  s.job[1] = add_noted_group (&w, "B", "q", 0, "volcano.sh/preemptable", "true");
  s.look.task[0] = add_tdm_pod (&w, "A", "a", NULL, FALSE, TRUE);
  s.look.task[1] = add_tdm_pod (&w, "A", "b", NULL, FALSE, FALSE);
  ask (&w, &s, conf, NOW_DAY + 7200, look_at_lending);
  suite_check (strcmp (s.text->str, "100 - - 0 - - - 0 -1") == 0, "%s", s.text->str);
  seen_clear (&s);
}

/* Five Running tasks on a node of a closed zone, three or all of them preemptable: how many go. */
static void
budgets_bound_what_a_zone_loses (void)
{
  static const struct {
    const char *key, *value;
    guint preemptable, want;
  } rows[] = {
    { NULL, NULL, 3, 1 },
    { "volcano.sh/jdb-max-unavailable", "30%", 3, 2 },
    { "volcano.sh/jdb-max-unavailable", "99%", 3, 3 },
    { "volcano.sh/jdb-max-unavailable", "50%", 5, 3 },
    { "volcano.sh/jdb-max-unavailable", "3", 5, 3 },
    { "volcano.sh/jdb-max-unavailable", "0", 5, 0 },
    { "volcano.sh/jdb-max-unavailable", "many", 5, 0 },
    { "volcano.sh/jdb-min-available", "3", 5, 2 },
    { "volcano.sh/jdb-min-available", "30%", 5, 3 },
    { "volcano.sh/jdb-min-available", "9", 5, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_auto (World) w = { 0 };
    g_autofree char *conf = g_strdup_printf (TDM, "0:00-0:01");
    VcCycleResult result;

    world_init (&w);
    add_queue (&w, "q", 1, NONE, NONE);
    add_zone_node (&w, "n", "rz2");
    add_noted_group (&w, "A", "q", 0, rows[i].key, rows[i].value);
    for (guint p = 0; p < 5; p++) {
      g_autofree char *name = g_strdup_printf ("a%u", p);
      add_tdm_pod (&w, "A", name, "n", p < rows[i].preemptable, TRUE);
    }
    if (!world_start (&w, conf))
      return;
    vc_engine_cycle (w.engine, NOW_DAY * G_USEC_PER_SEC, &result);
    suite_check (result.evictions == 0, "%u evictions from an open zone", result.evictions);
    vc_engine_cycle (w.engine, (NOW_DAY + 59) * G_USEC_PER_SEC, &result);
    vc_engine_cycle (w.engine, (NOW_DAY + 7200) * G_USEC_PER_SEC, &result);
    suite_check (result.evictions == rows[i].want, "row %u: %u evictions", i, result.evictions);
    g_array_set_size (vc_cache_evicts (w.cache), 0);
    vc_engine_cycle (w.engine, (NOW_DAY + 7259) * G_USEC_PER_SEC, &result);
    suite_check (result.evictions == 0, "row %u: %u evictions within the period", i,
                 result.evictions);
  }
}

static void
look_at_tdm_victims (VcSession *ssn, gpointer user)
{
  Seen *s = user;

  for (guint t = 4; t < 6; t++) {
    vc_session_victims (ssn, VC_HOOK_PREEMPTABLE, s->look.task[t], s->look.task, 4,
                        s->look.victims);
    note_victims (s, vc_session_cluster (ssn));
    g_string_append (s->text, "| ");
  }
}

/* Candidates: preemptable ones on n1 (no zone; one may go, by default) and on n2 (rz1), and one that
 * is not preemptable. Evictors: one that is preemptable itself, then one that is not. */
static void
preemptable_pods_evict_nobody (void)
{
  g_auto (World) w = { 0 };
  Seen s = { 0 };
  g_autofree char *conf = g_strdup_printf (TDM, "0:00-0:00");

  world_init (&w);
  add_queue (&w, "q", 1, NONE, NONE);
  add_zone_node (&w, "n1", NULL);
  add_zone_node (&w, "n2", "rz1");
  add_noted_group (&w, "A", "q", 0, NULL, NULL);
  add_noted_group (&w, "B", "q", 0, NULL, NULL);
  s.look.task[0] = add_tdm_pod (&w, "A", "a0", "n2", TRUE, TRUE);
  s.look.task[1] = add_tdm_pod (&w, "A", "a1", "n1", FALSE, FALSE);
  s.look.task[2] = add_tdm_pod (&w, "A", "a2", "n1", TRUE, FALSE);
  s.look.task[3] = add_tdm_pod (&w, "A", "a3", "n1", TRUE, FALSE);
  s.look.task[4] = add_tdm_pod (&w, "B", "b0", NULL, TRUE, FALSE);
  s.look.task[5] = add_tdm_pod (&w, "B", "b1", NULL, FALSE, FALSE);
  ask (&w, &s, conf, NOW_DAY, look_at_tdm_victims);
  suite_check (strcmp (s.text->str, "| a2 | ") == 0, "%s", s.text->str);
  seen_clear (&s);
}

/* ---- cdp ------------------------------------------------------------------------------------ */

static void
look_at_cooldown (VcSession *ssn, gpointer user)
{
  Seen *s = user;

  for (guint f = 0; f < 2; f++) {
    vc_session_victims (ssn, f == 0 ? VC_HOOK_PREEMPTABLE : VC_HOOK_RECLAIMABLE, s->look.task[5],
                        s->look.task, 5, s->look.victims);
    note_victims (s, vc_session_cluster (ssn));
  }
}

static guint32
add_cooling_pod (World *w, const char *name, const char *label, const char *annotation,
                 gint64 scheduled)
{
  const VcPair note[] = { { "scheduling.k8s.io/group-name", "A" },
                          { "volcano.sh/cooldown-time", annotation } };
  const VcPair own = { "volcano.sh/cooldown-time", label };
  VcPodObject o = { .annotations = { note, annotation != NULL ? 2u : 1u },
                    .labels = { &own, label != NULL ? 1u : 0u },
                    .scheduled_time = scheduled };

  return add_pod (w, "A", name, HAVE (100), "n", &o);
}

static void
fresh_pods_are_left_alone (void)
{
  g_auto (World) w = { 0 };
  Seen s = { 0 };

  world_init (&w);
  add_node (&w, "n", HAVE (1000, GI, 10), NULL);
  add_queue (&w, "q", 1, NONE, NONE);
  add_noted_group (&w, "A", "q", 0, NULL, NULL);
  s.look.task[0] = add_cooling_pod (&w, "fresh", "600s", NULL, NOW_DAY - 100);
  s.look.task[1] = add_cooling_pod (&w, "old", "600s", NULL, NOW_DAY - 600);
  s.look.task[2] = add_cooling_pod (&w, "bad", "600abcde", "600s", NOW_DAY - 100);
  s.look.task[3] = add_cooling_pod (&w, "noted", NULL, "600.5s", NOW_DAY - 600);
  s.look.task[4] = add_cooling_pod (&w, "never", "600s", NULL, VC_NO_TIME);
  s.look.task[5] = add_pod (&w, "A", "evictor", HAVE (100), NULL, NULL);
  ask (&w, &s, TIERS "  - name: cdp\n", NOW_DAY, look_at_cooldown);
  suite_check (strcmp (s.text->str, "old bad never old bad never ") == 0, "%s", s.text->str);
  seen_clear (&s);
}

/* ---- what a discarded eviction leaves ------------------------------------------------------- */

/* gang g (min 2, priority high) finds room for one task by evicting v, not for two: all of it is taken
 * back, the Bound victim is Bound again in the next session, and the pod that had been placed is
 * nominated to the node. */
static void
a_preemption_in_vain_still_nominates (void)
{
  const VcPriorityClassObject high = { .name = "high", .value = 10 };
  VcPodGroupObject g = { .ns = "ns",
                         .name = "g",
                         .uid = "g",
                         .created = 0,
                         .queue = "q",
                         .min_member = 2,
                         .phase = "Inqueue",
                         .priority_class = "high" };
  g_auto (World) w = { 0 };
  VcCycleResult result;
  guint n;

  world_init (&w);
  vc_cache_add_priority_class (w.cache, &high);
  guint32 node = add_node (&w, "n", HAVE (1000, GI, 10), NULL);
  add_queue (&w, "q", 1, NONE, NONE);
  vc_cache_add_pod_group (w.cache, &g);
  add_group (&w, "low", "q", 1, "Running", NULL);
  guint32 victim = add_pod (&w, "low", "v", HAVE (1000), "n", NULL);
  vc_cache_pod_status (w.cache, victim, VC_BOUND);
  guint32 first = add_pod (&w, "g", "g0", HAVE (1000), NULL, NULL);
  add_pod (&w, "g", "g1", HAVE (1000), NULL, NULL);
  if (!world_start (&w, "actions: \"preempt\"\ntiers:\n- plugins:\n  - name: priority\n"
                        "  - name: gang\n    enablePreemptable: false\n  - name: predicates\n"))
    return;
  vc_engine_cycle (w.engine, 0, &result);
  const VcNomination *nominations = vc_engine_nominations (w.engine, &n);
  suite_check (result.evictions == 0 && result.discarded > 0, "%u evictions", result.evictions);
  suite_check (n == 1 && nominations[0].task == first && nominations[0].node == node,
               "%u nominations", n);
  suite_check (w.c->task[victim].status == VC_BOUND, "the victim is %u",
               w.c->task[victim].status);
}

/* ---- durations ------------------------------------------------------------------------------ */

static void
durations_are_read_as_go_reads_them (void)
{
  static const struct {
    const char *text;
    gint64 ns; /* G_MININT64 + 1: refused */
  } rows[] = {
    { "0", 0 },
    { "5s", 5000000000 },
    { "-1.5h", -5400000000000 },
    { "+1h15m30.918273645s", 4530918273645 },
    { "1\xc2\xb5s", 1000 },
    { "1\xce\xbcs", 1000 },
    { ".5ms", 500000 },
    { "1.ms", 1000000 },
    { "9223372036854775807ns", G_MAXINT64 },
    { "-9223372036854775808ns", G_MININT64 },
    { "9223372036854775808ns", G_MININT64 + 1 },
    { "2562048h", G_MININT64 + 1 },
    { "", G_MININT64 + 1 },
    { "3", G_MININT64 + 1 },
    { "-", G_MININT64 + 1 },
    { "s", G_MININT64 + 1 },
    { ".s", G_MININT64 + 1 },
    { "1d", G_MININT64 + 1 },
    { "1h ", G_MININT64 + 1 },
    { "1e3s", G_MININT64 + 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    gint64 ns = G_MININT64 + 1;

    vc_go_duration_parse (rows[i].text, &ns);
    suite_check (ns == rows[i].ns, "'%s': %" G_GINT64_FORMAT, rows[i].text, ns);
  }
}

static CU_TestInfo tests[] = {
  { "the tree shares what its leaves compete for", the_tree_shares_what_leaves_compete_for },
  { "queues are compared level by level", queues_are_compared_level_by_level },
  { "jobs that waited long enough get in", jobs_that_waited_long_enough_get_in },
  { "the earlier limit goes first", the_earlier_limit_goes_first },
  { "windows open and close in UTC", windows_open_and_close_in_utc },
  { "zoned nodes are for revocable pods", zoned_nodes_are_for_revocable_pods },
  { "budgets bound what a zone loses", budgets_bound_what_a_zone_loses },
  { "preemptable pods evict nobody", preemptable_pods_evict_nobody },
  { "fresh pods are left alone", fresh_pods_are_left_alone },
  { "a preemption in vain still nominates", a_preemption_in_vain_still_nominates },
  { "durations are read as Go reads them", durations_are_read_as_go_reads_them },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("plugins-policy", tests);
}
