/* tests/test-plugins.c - the plugins that order, admit and evict, each on a small cluster and with its
 * worked example; the registry; the example plugin. */
#include "plugin-world.h"

/* ---- proportion ----------------------------------------------------------------------------- */

static void
check_four_queues (VcSession *ssn, gpointer user)
{
  Look *l = user;
  guint32 victim = l->task[1];

  suite_check (strstr (l->w->log->str, "after 29 rounds") != NULL, "log: %s", l->w->log->str);
  for (guint q = 0; q < 4; q++)
    suite_check (!vc_session_overused (ssn, l->queue[q]), "queue %u is not overused", q);
  suite_check (!vc_session_allocatable (ssn, l->queue[2], l->task[3]), "c has 4500 > 4000");
  suite_check (vc_session_allocatable (ssn, l->queue[1], l->task[4]), "b has 6500 <= 8000");
  suite_check (!vc_session_allocatable (ssn, l->queue[1], l->task[3]), "b has 7 Gi > 6 Gi");
  vc_session_victims (ssn, VC_HOOK_RECLAIMABLE, l->task[3], &victim, 1, l->victims);
  suite_check (l->victims->len == 0, "b is within what it deserves");
  suite_check (vc_session_queue_less (ssn, l->queue[3], l->queue[0]), "d (0) before a (1/3)");
  suite_check (vc_session_queue_less (ssn, l->queue[0], l->queue[1]), "a (1/3) before b (1)");
}

/* Total 16 cpu, 32 Gi. The deserved amounts after water-filling (see proportion.c):
 *
 *   queue  weight  request      allocated   bounds                   deserved    share
 *   a      1       3 cpu 20 Gi  1 cpu 4 Gi                           3 cpu 12 Gi 1/3
 *   b      2       12    6      6     6                              8     6     1 (memory)
 *   c      1       8     16     4     4     capability 5 cpu 16 Gi   4     12    1 (cpu)
 *   d      1       -            -           guarantee 1 cpu 2 Gi     1     2     0
 *
 * Pods are one third of a's, half of b's and a quarter of c's. */
static void
water_filling_ends_after_29_rounds (void)
{
  static const double want[4][3]
      = { { 3000, 12, 1.0 / 3 }, { 8000, 6, 1 }, { 4000, 12, 1 }, { 1000, 2, 0 } };
  g_auto (World) w = { 0 };
  Look l = { 0 };

  world_init (&w);
  add_node (&w, "n", HAVE (16000, 32 * GI, 110), NULL);
  l.queue[0] = add_queue (&w, "a", 1, NONE, NONE);
  l.queue[1] = add_queue (&w, "b", 2, NONE, NONE);
  l.queue[2] = add_queue (&w, "c", 1, HAVE (5000, 16 * GI), NONE);
  l.queue[3] = add_queue (&w, "d", 1, NONE, HAVE (1000, 2 * GI));
  for (guint q = 0; q < 4; q++)
    add_group (&w, w.c->queue[l.queue[q]].name, w.c->queue[l.queue[q]].name, 1, "Running", NULL);
  l.task[0] = add_pod (&w, "a", "a0", HAVE (1000, 4 * GI), "n", NULL);
  add_pod (&w, "a", "a1", HAVE (1000, 8 * GI), NULL, NULL);
  add_pod (&w, "a", "a2", HAVE (1000, 8 * GI), NULL, NULL);
  l.task[1] = add_pod (&w, "b", "b0", HAVE (6000, 6 * GI), "n", NULL);
  add_pod (&w, "b", "b1", HAVE (6000), NULL, NULL);
  l.task[2] = add_pod (&w, "c", "c0", HAVE (4000, 4 * GI), "n", NULL);
  l.task[3] = add_pod (&w, "c", "c1", HAVE (500, 1 * GI), NULL, NULL);
  l.task[4] = add_pod (&w, "c", "c2", HAVE (500), NULL, NULL);
  add_pod (&w, "c", "c3", HAVE (3000, 11 * GI), NULL, NULL);
  look_at (&w, &l, TIERS "  - name: proportion\n", check_four_queues);
  for (guint q = 0; q < 4 && w.engine != NULL; q++) {
    const VcQueueGauge *g = vc_engine_gauge (w.engine, l.queue[q]);

    suite_check (g->published && near (g->deserved->v[0], want[q][0]), "queue %u: %.17g milli", q,
                 g->deserved->v[0]);
    suite_check (near (g->deserved->v[1], want[q][1] * GI), "queue %u: %.17g bytes", q,
                 g->deserved->v[1]);
    suite_check (near (g->share, want[q][2]), "queue %u: share %.17g", q, g->share);
  }
}

static void
check_admission (VcSession *ssn, gpointer user)
{
  const guint32 *job = ((Look *) user)->task;

  suite_check (vc_session_job_enqueueable (ssn, job[1]), "1 + 1 cpu of 2");
  vc_session_job_enqueued (ssn, job[1]);
  suite_check (!vc_session_job_enqueueable (ssn, job[2]), "1 + 1 + 1 cpu of 2");
  suite_check (vc_session_job_enqueueable (ssn, job[3]), "memory alone is not short");
  suite_check (!vc_session_job_enqueueable (ssn, job[4]), "the queue is closed");
}

/* Queue q may use 2 cpu, 2 Gi; a pod with a minimum of the same size uses 1 cpu, 1 Gi of it. */
static void
a_queue_admits_up_to_its_capability (void)
{
  const Have cpu = HAVE (1000), memory = HAVE (0, GI), both = HAVE (1000, GI);
  g_auto (World) w = { 0 };
  Look l = { 0 };

  world_init (&w);
  add_node (&w, "n", HAVE (8000, 8 * GI, 110), NULL);
  add_queue (&w, "q", 1, HAVE (2000, 2 * GI), NONE);
  vc_cache_set_queue_state (w.cache, add_queue (&w, "shut", 1, NONE, NONE), "Closed");
  l.task[0] = add_group (&w, "run", "q", 1, "Running", &both);
  add_pod (&w, "run", "r", HAVE (1000, GI), "n", NULL);
  l.task[1] = add_group (&w, "j1", "q", 1, "Pending", &cpu);
  l.task[2] = add_group (&w, "j2", "q", 1, "Pending", &cpu);
  l.task[3] = add_group (&w, "j3", "q", 1, "Pending", &memory);
  l.task[4] = add_group (&w, "j4", "shut", 1, "Pending", &memory);
  look_at (&w, &l, TIERS "  - name: proportion\n", check_admission);
}

static void
check_reclaim (VcSession *ssn, gpointer user)
{
  Look *l = user;
  VC_RES_LOCAL (removed, l->w->c->n_res);
  VcSimState state = { .removed = removed };

  vc_session_victims (ssn, VC_HOOK_RECLAIMABLE, l->task[4], l->task, 4, l->victims);
  suite_check (victims_are (l, l->task, 2), "until a has no more than it deserves");
  suite_check (!vc_session_overused (ssn, l->queue[0]), "a has more cpu, but memory is left to it");
  suite_check (vc_session_preemptive (ssn, l->queue[1], l->task + 4, 2)
                   && !vc_session_preemptive (ssn, l->queue[1], l->task + 4, 3),
               "b may have two of three");
  suite_check (!vc_session_sim_allocatable (ssn, &state, l->queue[0], l->task[7]), "not prepared");
  suite_check (vc_session_pre_predicate (ssn, l->task[7]) == NULL, "no refusal");
  suite_check (!vc_session_sim_allocatable (ssn, &state, l->queue[0], l->task[7]), "4 + 1 of 2");
  for (guint i = 0; i < 3; i++) {
    suite_check (vc_session_sim_remove (ssn, &state, l->task[7], l->task[i], l->node[0]), "removed");
    vc_res_add (removed, l->w->c->task[l->task[i]].shape->request);
  }
  suite_check (vc_session_sim_allocatable (ssn, &state, l->queue[0], l->task[7]), "4 - 3 + 1 of 2");
}

/* Queues a and b share 4 cpu by equal weight; a uses all four, b wants three, a one more. */
static void
reclaim_leaves_a_queue_what_it_deserves (void)
{
  static const char *const name[] = { "a0", "a1", "a2", "a3", "b0", "b1", "b2", "a4" };
  g_auto (World) w = { 0 };
  Look l = { 0 };

  world_init (&w);
  l.node[0] = add_node (&w, "n", HAVE (4000, 8 * GI, 110), NULL);
  l.queue[0] = add_queue (&w, "a", 1, NONE, NONE);
  l.queue[1] = add_queue (&w, "b", 1, NONE, NONE);
  add_group (&w, "a", "a", 1, "Running", NULL);
  add_group (&w, "b", "b", 1, "Inqueue", NULL);
  for (guint i = 0; i < 8; i++)
    l.task[i] = add_pod (&w, name[i][0] == 'a' ? "a" : "b", name[i], HAVE (1000, GI),
                         i < 4 ? "n" : NULL, NULL);
  look_at (&w, &l, TIERS "  - name: proportion\n", check_reclaim);
}

/* ---- overcommit ----------------------------------------------------------------------------- */

static void
check_overcommit (VcSession *ssn, gpointer user)
{
  const guint32 *job = ((Look *) user)->task;

  vc_session_job_enqueued (ssn, job[1]);
  suite_check (vc_session_job_enqueueable (ssn, job[1]), "2 + 2 + 2 cpu of 7.2");
  vc_session_job_enqueued (ssn, job[1]);
  suite_check (!vc_session_job_enqueueable (ssn, job[1]), "2 + 2 + 2 + 2 cpu of 7.2");
  suite_check (vc_session_job_enqueueable (ssn, job[2]), "no minimum");
}

/* Nodes of 2 cpu, 4 Gi and 4 cpu, 16 Gi; an Inqueue job counts 2 cpu, 2 G from the start. A factor
 * below 1 counts as 1.2. */
static void
overcommit_admits_a_multiple_of_the_cluster (void)
{
  static const char *const conf[]
      = { TIERS "  - name: overcommit\n",
          TIERS "  - name: overcommit\n    arguments:\n      overcommit-factor: 0.8\n" };
  const Have min = HAVE (2000, 2 * G_BYTES);

  for (guint i = 0; i < G_N_ELEMENTS (conf); i++) {
    g_auto (World) w = { 0 };
    Look l = { 0 };

    world_init (&w);
    add_node (&w, "n1", HAVE (2000, 4 * GI, 110), NULL);
    add_node (&w, "n2", HAVE (4000, 16 * GI, 110), NULL);
    add_queue (&w, "q", 1, NONE, NONE);
    l.task[0] = add_group (&w, "in", "q", 2, "Inqueue", &min);
    l.task[1] = add_group (&w, "new", "q", 2, "Pending", &min);
    l.task[2] = add_group (&w, "bare", "q", 2, "Pending", NULL);
    look_at (&w, &l, conf[i], check_overcommit);
  }
}

/* ---- drf ------------------------------------------------------------------------------------ */

static void
check_drf (VcSession *ssn, gpointer user)
{
  Look *l = user;
  const VcTask *t = l->w->c->task;

  suite_check (vc_session_job_compare (ssn, t[l->task[2]].job, t[l->task[0]].job) < 0,
               "B (.333) before A (.444)");
  suite_check (vc_session_job_compare (ssn, t[l->task[3]].job, t[l->task[2]].job) < 0, "C is empty");
  vc_session_victims (ssn, VC_HOOK_PREEMPTABLE, l->task[3], l->task, 2, l->victims);
  suite_check (victims_are (l, l->task, 1), "the first task of A, not the second");
}

/* The example of drf.c: 9 cpu, 18 GB, 100 pods. */
static void
the_smaller_dominant_share_goes_first (void)
{
  g_auto (World) w = { 0 };
  Look l = { 0 };

  world_init (&w);
  add_node (&w, "n", HAVE (9000, 18 * G_BYTES, 100), NULL);
  add_queue (&w, "q", 1, NONE, NONE);
  add_group (&w, "A", "q", 1, "Running", NULL);
  add_group (&w, "B", "q", 1, "Running", NULL);
  add_group (&w, "C", "q", 1, "Inqueue", NULL);
  l.task[0] = add_pod (&w, "A", "a0", HAVE (1000, 4 * G_BYTES), "n", NULL);
  l.task[1] = add_pod (&w, "A", "a1", HAVE (1000, 4 * G_BYTES), "n", NULL);
  l.task[2] = add_pod (&w, "B", "b0", HAVE (3000, 1 * G_BYTES), "n", NULL);
  l.task[3] = add_pod (&w, "C", "c0", HAVE (1000, 2 * G_BYTES), NULL, NULL);
  look_at (&w, &l, TIERS "  - name: drf\n", check_drf);
}

static void
check_tree (VcSession *ssn, gpointer user)
{
  const guint32 *q = ((Look *) user)->queue;

  suite_check (vc_session_queue_less (ssn, q[1], q[0]), "within eng: dev (.25) before prod (.5)");
  suite_check (vc_session_queue_less (ssn, q[2], q[0]), "sci (.25 / 2) before eng (.25 / 1)");
  suite_check (vc_session_queue_less (ssn, q[2], q[1]), "the root's children decide first");
}

/* 8 cpu, all in use: eng (weight 1) has prod with 4 and dev with 2, sci (weight 2) has 2. */
static void
a_tree_orders_queues_by_share_over_weight (void)
{
  static const struct {
    const char *name, *path, *weights;
    gint64 cpu_milli;
  } row[] = { { "prod", "root/eng/prod", "1/1/1", 4000 },
              { "dev", "root/eng/dev", "1/1/1", 2000 },
              { "sci", "root/sci", "1/2", 2000 } };
  g_auto (World) w = { 0 };
  Look l = { 0 };

  world_init (&w);
  add_node (&w, "n", HAVE (8000, 64 * GI, 1000), NULL);
  for (guint i = 0; i < G_N_ELEMENTS (row); i++) {
    const VcPair notes[] = { { "volcano.sh/hierarchy", row[i].path },
                             { "volcano.sh/hierarchy-weights", row[i].weights } };
    const VcQueueObject o = { .name = row[i].name,
                              .state = "Open",
                              .annotations = { notes, 2 },
                              .created = VC_NO_TIME,
                              .weight = 1,
                              .reclaimable = -1 };
    const char run[] = { row[i].name[0], '0', '\0' }, wait[] = { row[i].name[0], '1', '\0' };

    l.queue[i] = vc_cache_add_queue (w.cache, &o);
    add_group (&w, row[i].name, row[i].name, 1, "Running", NULL);
    add_pod (&w, row[i].name, run, HAVE (row[i].cpu_milli, GI), "n", NULL);
    add_pod (&w, row[i].name, wait, HAVE (1000, GI), NULL, NULL);
  }
  look_at (&w, &l, TIERS "  - name: drf\n    enableHierarchy: true\n", check_tree);
}

/* ---- gang, priority, conformance ------------------------------------------------------------ */

static void
check_gang (VcSession *ssn, gpointer user)
{
  Look *l = user;
  guint32 ready = l->w->c->task[l->task[0]].job, waiting = l->w->c->task[l->task[4]].job;
  const char *reason = NULL, *message = NULL;

  vc_session_victims (ssn, VC_HOOK_PREEMPTABLE, l->task[4], l->task, 4, l->victims);
  suite_check (victims_are (l, l->task, 2), "four run, two must: the first two");
  suite_check (vc_session_job_less (ssn, waiting, ready), "a job that is not ready goes first");
  suite_check (vc_session_job_ready (ssn, ready) && !vc_session_job_ready (ssn, waiting), "ready");
  suite_check (!vc_session_job_pipelined (ssn, waiting), "nothing is pipelined");
  suite_check (vc_session_job_starving (ssn, waiting) && !vc_session_job_starving (ssn, ready),
               "starving");
  suite_check (vc_session_job_valid (ssn, ready, &reason, &message), "valid");
  suite_check (!vc_session_job_valid (ssn, waiting, &reason, &message), "one task of two");
  suite_check (g_strcmp0 (reason, "NotEnoughTasks") == 0
                   && g_strcmp0 (message, "Not enough valid tasks for gang-scheduling, valid: 1, "
                                          "min: 2")
                          == 0,
               "%s: %s", reason, message);
}

static void
a_gang_keeps_its_minimum (void)
{
  static const char *const name[] = { "a0", "a1", "a2", "a3" };
  g_auto (World) w = { 0 };
  Look l = { 0 };

  world_init (&w);
  add_node (&w, "n", HAVE (9000, 18 * GI, 100), NULL);
  add_queue (&w, "q", 1, NONE, NONE);
  add_group (&w, "A", "q", 2, "Running", NULL);
  add_group (&w, "B", "q", 2, "Inqueue", NULL);
  for (guint i = 0; i < 4; i++)
    l.task[i] = add_pod (&w, "A", name[i], HAVE (1000, GI), "n", NULL);
  l.task[4] = add_pod (&w, "B", "b0", HAVE (1000, GI), NULL, NULL);
  look_at (&w, &l, TIERS "  - name: gang\n", check_gang);
}

static void
nothing (VcSession *ssn, gpointer user)
{
}

/* minAvailable, tasks (R: Running, L: Releasing on a node, P: Pending), the condition at close. */
static void
releasing_tasks_hold_the_place_of_a_gang (void)
{
  static const struct {
    gint32 min;
    const char *tasks, *type, *message;
  } row[] = {
    { 2, "RL", NULL, NULL },
    { 2, "RLP", "Unschedulable", "1/3 tasks in gang unschedulable: " },
    { 3, "RL", "Unschedulable", "2/2 tasks in gang unschedulable: " },
    { 1, "RL", "Scheduled", "" },
    { 1, "", NULL, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (row); i++) {
    g_auto (World) w = { 0 };
    Look l = { 0 };

    world_init (&w);
    add_node (&w, "n", HAVE (9000, 18 * GI, 100), NULL);
    add_queue (&w, "q", 1, NONE, NONE);
    guint32 job = add_group (&w, "A", "q", row[i].min, "Running", NULL);
    for (guint t = 0; row[i].tasks[t] != '\0'; t++) {
      const char name[] = { 'a', (char) ('0' + t), '\0' };
      guint32 task = add_pod (&w, "A", name, HAVE (1000, GI),
                              row[i].tasks[t] == 'P' ? NULL : "n", NULL);

      if (row[i].tasks[t] == 'L')
        vc_cache_pod_status (w.cache, task, VC_RELEASING);
    }
    look_at (&w, &l, TIERS "  - name: gang\n", nothing);
    const VcJob *j = &w.c->job[job];
    if (row[i].type == NULL) {
      suite_check (j->n_conds == 0, "row %u: no condition", i);
      continue;
    }
    if (!suite_check (j->n_conds == 1, "row %u: %u conditions", i, j->n_conds))
      continue;
    suite_check (strcmp (j->cond[0].type, row[i].type) == 0, "row %u: %s", i, j->cond[0].type);
    suite_check (g_str_has_prefix (j->cond[0].message, row[i].message), "row %u: %s", i,
                 j->cond[0].message);
  }
}

static void
check_priority (VcSession *ssn, gpointer user)
{
  Look *l = user;
  const guint32 own[] = { l->task[1] }, other[] = { l->task[3] };

  suite_check (vc_session_task_less (ssn, l->task[2], l->task[1]), "1000 before 1");
  suite_check (vc_session_job_compare (ssn, l->w->c->task[l->task[0]].job,
                                       l->w->c->task[l->task[3]].job)
                   < 0,
               "the job of the higher class first");
  vc_session_victims (ssn, VC_HOOK_PREEMPTABLE, l->task[0], l->task + 1, 2, l->victims);
  suite_check (victims_are (l, own, 1), "in the same job by the task's priority");
  vc_session_victims (ssn, VC_HOOK_PREEMPTABLE, l->task[0], l->task + 3, 1, l->victims);
  suite_check (victims_are (l, other, 1), "of another job by the job's, whatever the task's");
  vc_session_victims (ssn, VC_HOOK_PREEMPTABLE, l->task[3], l->task, 3, l->victims);
  suite_check (l->victims->len == 0, "never upwards");
  suite_check (vc_session_job_starving (ssn, l->w->c->task[l->task[0]].job), "one task waits");
  vc_session_set_eviction (ssn, VC_EVICT_GANG_PREEMPT, l->w->c->task[l->task[0]].job);
  vc_session_victims (ssn, VC_HOOK_UNIFIED_EVICTABLE, l->task[0], l->task + 1, 3, l->victims);
  suite_check (victims_are (l, other, 1), "gangpreempt: jobs of lower priority");
  vc_session_set_eviction (ssn, VC_EVICT_GANG_RECLAIM, l->w->c->task[l->task[0]].job);
  vc_session_victims (ssn, VC_HOOK_UNIFIED_EVICTABLE, l->task[0], l->task + 1, 3, l->victims);
  suite_check (victims_are (l, l->task + 1, 3), "gangreclaim: all");
}

static void
only_lower_priority_is_preempted (void)
{
  static const VcPriorityClassObject high = { "high", 500, FALSE }, low = { "low", 100, FALSE };
  static const VcPodObject prio10 = { .spec = { .has_priority = TRUE, .priority = 10 } },
                           prio1 = { .spec = { .has_priority = TRUE, .priority = 1 } },
                           prio1000 = { .spec = { .has_priority = TRUE, .priority = 1000 } };
  VcPodGroupObject group = { .ns = "ns",
                             .created = VC_NO_TIME,
                             .queue = "q",
                             .min_member = 1,
                             .phase = "Running" };
  g_auto (World) w = { 0 };
  Look l = { 0 };

  world_init (&w);
  vc_cache_add_priority_class (w.cache, &high);
  vc_cache_add_priority_class (w.cache, &low);
  add_node (&w, "n", HAVE (9000, 18 * GI, 100), NULL);
  add_queue (&w, "q", 1, NONE, NONE);
  group.name = group.uid = "A";
  group.priority_class = "high";
  vc_cache_add_pod_group (w.cache, &group);
  group.name = group.uid = "B";
  group.priority_class = "low";
  vc_cache_add_pod_group (w.cache, &group);
  l.task[0] = add_pod (&w, "A", "a0", HAVE (1000), NULL, &prio10);
  l.task[1] = add_pod (&w, "A", "a1", HAVE (1000), "n", &prio1);
  l.task[2] = add_pod (&w, "A", "a2", HAVE (1000), "n", &prio1000);
  l.task[3] = add_pod (&w, "B", "b0", HAVE (1000), "n", &prio1000);
  look_at (&w, &l, TIERS "  - name: priority\n", check_priority);
}

static void
check_conformance (VcSession *ssn, gpointer user)
{
  Look *l = user;

  for (guint i = 0; i < 2; i++) {
    vc_session_victims (ssn, i == 0 ? VC_HOOK_PREEMPTABLE : VC_HOOK_RECLAIMABLE, l->task[0],
                        l->task, 3, l->victims);
    suite_check (victims_are (l, l->task, 1), "only the ordinary pod");
  }
}

static void
critical_pods_are_never_victims (void)
{
  static const VcPodObject system = { .ns = "kube-system" },
                           critical = { .spec = { .priority_class = "system-node-critical" } };
  g_auto (World) w = { 0 };
  Look l = { 0 };

  world_init (&w);
  add_node (&w, "n", HAVE (9000, 18 * GI, 100), NULL);
  add_queue (&w, "q", 1, NONE, NONE);
  add_group (&w, "A", "q", 1, "Running", NULL);
  l.task[0] = add_pod (&w, "A", "a0", HAVE (1000), "n", NULL);
  l.task[1] = add_pod (&w, "A", "a1", HAVE (1000), "n", &system);
  l.task[2] = add_pod (&w, "A", "a2", HAVE (1000), "n", &critical);
  look_at (&w, &l, TIERS "  - name: conformance\n", check_conformance);
}
/* ---- registry and template ------------------------------------------------------------------ */

static void
check_names (const VcNameSpec *names, guint n, guint want)
{
  suite_check (n == want, "%u names", n);
  for (guint i = 1; i < n; i++)
    suite_check (strcmp (names[i - 1].name, names[i].name) < 0, "%s is in order", names[i].name);
}

static const VcNameSpec *
find_name (const VcNameSpec *names, guint n, const char *name)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (names[i].name, name) == 0)
      return &names[i];
  return NULL;
}

static void
the_catalog_tells_what_exists (void)
{
  const VcCatalog *c = vc_catalog ();
  guint exist = 0, classes = 0;

  check_names (c->plugins, c->n_plugins, 24 + 10); /* Volcano's, and those of core/beyond */
  check_names (c->actions, c->n_actions, 8 + 4);
  for (guint i = 0; i < c->n_plugins; i++)
    exist += c->plugins[i].exists != FALSE;
  for (guint i = 0; i < c->n_actions; i++)
    exist += c->actions[i].exists != FALSE;
  for (const VcPluginClass *const *p = vc_plugin_classes; *p != NULL; p++, classes++) {
    const VcNameSpec *s = find_name (c->plugins, c->n_plugins, (*p)->name);

    suite_check (s != NULL && s->exists && s->args == (*p)->args
                     && strcmp (s->summary, (*p)->summary) == 0,
                 "plugin %s", (*p)->name);
    suite_check (s != NULL && (s->exists == VC_BEYOND) == g_str_has_prefix ((*p)->name, "x-"), "x- says that %s is not Volcano's", (*p)->name);
    suite_check (vc_plugin_find ((*p)->name) == *p, "%s is found", (*p)->name);
    suite_check (p == vc_plugin_classes || strcmp (p[-1]->name, (*p)->name) < 0, "in order");
  }
  for (const VcActionClass *const *a = vc_action_classes; *a != NULL; a++, classes++) {
    const VcNameSpec *s = find_name (c->actions, c->n_actions, (*a)->name);

    suite_check (s != NULL && s->exists && s->args == (*a)->args, "action %s", (*a)->name);
    suite_check (s != NULL && (s->exists == VC_BEYOND) == g_str_has_prefix ((*a)->name, "x-"), "x- says that %s is not Volcano's", (*a)->name);
  }
  suite_check (exist == classes, "%u of the catalog, %u classes", exist, classes);
  suite_check (vc_plugin_find ("template") == NULL, "the example is no plugin of ours");
}

static gint64 template_memory[8]; /* room for an instance */

static void
check_template (VcSession *ssn, gpointer user)
{
  Look *l = user;
  double score = 5;

  vc_template_score (template_memory, ssn, l->task[0], l->node, 1, &score);
  suite_check (score == 165, "added to what was there: %.17g", score);
}

/* The example of template.c, with 2 of 10 slots taken: (10 - 2) * 100 / 10 * 2 = 160. */
static void
the_template_works (void)
{
  VcArg weight = { .key = (char *) "template.weight", .type = VC_VALUE_INT, .i = 2 };
  const VcPluginOption option = { .args = { &weight, 1 } };
  g_auto (World) w = { 0 };
  Look l = { 0 };

  g_assert (vc_plugin_template.instance_size <= sizeof template_memory);
  suite_check (vc_plugin_template.init (template_memory, &option, FALSE, NULL), "init");
  world_init (&w);
  l.node[0] = add_node (&w, "n0", HAVE (8000, 8 * GI, 10), NULL);
  add_queue (&w, "q", 1, NONE, NONE);
  add_group (&w, "A", "q", 1, "Running", NULL);
  add_pod (&w, "A", "a0", HAVE (1000), "n0", NULL);
  add_pod (&w, "A", "a1", HAVE (1000), "n0", NULL);
  l.task[0] = add_pod (&w, "A", "a2", HAVE (1000), NULL, NULL);
  look_at (&w, &l, TIERS "  - name: gang\n", check_template);
}

static CU_TestInfo tests[] = {
  { "water-filling ends after 29 rounds", water_filling_ends_after_29_rounds },
  { "a queue admits up to its capability", a_queue_admits_up_to_its_capability },
  { "reclaim leaves a queue what it deserves", reclaim_leaves_a_queue_what_it_deserves },
  { "overcommit admits a multiple of the cluster", overcommit_admits_a_multiple_of_the_cluster },
  { "the smaller dominant share goes first", the_smaller_dominant_share_goes_first },
  { "a tree orders queues by share over weight", a_tree_orders_queues_by_share_over_weight },
  { "a gang keeps its minimum", a_gang_keeps_its_minimum },
  { "releasing tasks hold the place of a gang", releasing_tasks_hold_the_place_of_a_gang },
  { "only lower priority is preempted", only_lower_priority_is_preempted },
  { "critical pods are never victims", critical_pods_are_never_victims },
  { "the catalog tells what exists", the_catalog_tells_what_exists },
  { "the template works", the_template_works },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("plugins", tests);
}
