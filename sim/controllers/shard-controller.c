/* sim/controllers/shard-controller.c - see shard-controller.h. Names in comments are those of Volcano's functions. */
#include "shard-controller.h"
#include "sim/record/record.h"
#include "sim/scheduler/shards.h"
#include <math.h>
#include <string.h>

#define BATCH 50u                              /* nodes that choose and are chosen together */
#define SIGNIFICANT 0.5                        /* a change of the utilisation that makes it look at everything */
#define SOON (200 * SIM_SECOND / 1000)         /* after that */
#define REFRESH (80 * SIM_SECOND)
#define OLD (120 * SIM_SECOND)                 /* metrics that are refreshed */
#define KEPT (300 * SIM_SECOND)                /* how long an assignment may be used again */

typedef enum { START, PERIOD, SYNC, REFRESH_METRICS, UPDATE /* and those behind it: the number of the update */ } Subject;

typedef struct {
  gboolean known, noted;
  double cpu, memory;      /* utilisation, 0 to 1 */
  SimTime updated;
} Metrics;

struct SimShardController {
  WlShardingConf *conf;    /* that is in force */
  GPtrArray *update;       /* WlShardingConf: later ones, in the order of the input; NULL: the ConfigMap goes */
  Metrics *metrics;        /* by row of nodes; NULL: it has not started */
  GArray *noted;           /* guint32: nodes that something has happened on, in that order */
  GPtrArray *heard;        /* char *: NodeShards that others have written */
  GPtrArray *assigned;     /* GPtrArray * of names of nodes (const char *), by scheduler; what it has worked out last */
  SimTime assigned_at;
  SimTime next;            /* look at everything */
  guint32 timer;           /* counts how often the period has become another one, from 1: what was planned before does not hold */
  gboolean asked;          /* the metrics have changed since the last one: the run goes on until the next */
};

/* ---- metrics ---------------------------------------------------------------------------------- */

static gint64
amount_of (const VcAmounts *list, const char *name, gboolean milli)
{
  for (guint i = 0; i < list->n; i++)
    if (strcmp (list->item[i].name, name) == 0)
      return milli ? list->item[i].q.milli : list->item[i].q.value;
  return 0;
}

static double
part (gint64 requested, gint64 capacity)
{
  return capacity > 0 ? MIN ((double) requested / (double) capacity, 1) : 0;
}

/* calculateMetricsFromPodsAndNode: what regular containers of pods that have not finished ask for. */
static Metrics
measure (const SimWorld *w, guint32 node)
{
  const SimNode *n = &w->node[node];
  gint64 cpu = 0, memory = 0;

  for (guint32 row = n->first_pod; row != SIM_NONE; row = w->pod[row].next_on_node) {
    const SimPod *p = &w->pod[row];
    const VcPodSpec *spec = &w->role[p->role].shape->spec;

    for (guint i = 0; p->phase != SIM_POD_SUCCEEDED && p->phase != SIM_POD_FAILED && i < spec->n_containers; i++)
      if (!spec->container[i].init) {
        cpu += amount_of (&spec->container[i].request, "cpu", TRUE);
        memory += amount_of (&spec->container[i].request, "memory", FALSE);
      }
  }
  return (Metrics){ .known = TRUE,
                    .cpu = part (cpu, amount_of (&n->resources, "cpu", TRUE)),
                    .memory = part (memory, amount_of (&n->resources, "memory", FALSE)),
                    .updated = w->now };
}

/* TRUE: significantly other than before. */
static gboolean
update_metrics (SimWorld *w, guint32 node)
{
  SimShardController *c = w->shard_controller;
  Metrics *m = &c->metrics[node], before = *m;

  *m = measure (w, node);
  m->noted = before.noted;
  if (!c->asked && (!before.known || m->cpu != before.cpu)) { /* a run does not end before it is seen what comes of it */
    c->asked = TRUE;
    sim_event_queue_post (w->events, c->next, SIM_RANK_TIMER, SIM_EVENT_SHARDING, SYNC, c->timer);
  }
  return !before.known || fabs (m->cpu - before.cpu) > SIGNIFICANT || fabs (m->memory - before.memory) > SIGNIFICANT;
}

static void
refresh (SimWorld *w)
{
  SimShardController *c = w->shard_controller;

  for (guint32 i = 0; i < w->n_nodes; i++)
    if (w->node[i].present && (!c->metrics[i].known || w->now - c->metrics[i].updated > OLD))
      update_metrics (w, i); /* the event that this makes finds nothing new */
}

/* ---- policies --------------------------------------------------------------------------------- */

static double
hundredths (double x)
{
  return round (x * 100) / 100;
}

static const char *
label_of (const SimNode *n, const char *key)
{
  const char *value = vc_pairs_get (&n->labels, key);

  return value != NULL ? value : "";
}

static gboolean
passes (const SimWorld *w, const WlShardScheduler *s, guint32 node)
{
  const Metrics *m = &w->shard_controller->metrics[node];

  for (guint i = 0; i < s->policies->len; i++) {
    const WlShardPolicy *p = &g_array_index (s->policies, WlShardPolicy, i);

    if (p->kind == WL_SHARD_ALLOCATION_RATE && (!m->known || hundredths (m->cpu) < hundredths (p->min_cpu) || hundredths (m->cpu) > hundredths (p->max_cpu)))
      return FALSE;
  }
  return TRUE;
}

static double
score (const SimWorld *w, const WlShardScheduler *s, guint32 node)
{
  const Metrics *m = &w->shard_controller->metrics[node];
  double sum = 0;

  for (guint i = 0; i < s->policies->len; i++) {
    const WlShardPolicy *p = &g_array_index (s->policies, WlShardPolicy, i);
    double range = hundredths (p->max_cpu) - hundredths (p->min_cpu);

    if (p->kind == WL_SHARD_ALLOCATION_RATE && m->known)
      sum += p->weight * (range == 0 ? 1 : CLAMP ((hundredths (m->cpu) - hundredths (p->min_cpu)) / range, 0, 1));
    else if (p->kind == WL_SHARD_WARMUP)
      sum += p->weight * (strcmp (label_of (&w->node[node], p->label), p->value) == 0);
  }
  return sum;
}

typedef struct { guint32 node; double score; } Candidate;

static int
by_score (gconstpointer a, gconstpointer b)
{
  const Candidate *l = a, *r = b;

  return l->score != r->score ? (l->score > r->score ? -1 : 1) : (l->node > r->node) - (l->node < r->node);
}

/* runPipeline of one scheduler over @node, without those that are @taken (nullable; by row of nodes). The chosen ones are added to @to. */
static void
choose (const SimWorld *w, const WlShardScheduler *s, const guint32 *node, guint n, guint8 *taken, GPtrArray *to)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Candidate));
  guint most;

  for (guint i = 0; i < n; i++) {
    Candidate one = { node[i], 0 };

    if ((taken != NULL && taken[node[i]]) || !passes (w, s, node[i]))
      continue;
    one.score = score (w, s, node[i]);
    g_array_append_val (all, one);
  }
  g_array_sort (all, by_score);
  most = all->len;
  for (guint i = 0; i < s->policies->len; i++) {
    const WlShardPolicy *p = &g_array_index (s->policies, WlShardPolicy, i);

    if (p->kind == WL_SHARD_NODE_LIMIT && p->max_nodes > 0)
      most = MIN (most, p->max_nodes);
  }
  for (guint i = 0; i < most; i++) {
    guint32 row = g_array_index (all, Candidate, i).node;

    if (taken != NULL)
      taken[row] = TRUE;
    g_ptr_array_add (to, (gpointer) w->node[row].name);
  }
}

static GArray *
present_nodes (const SimWorld *w)
{
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < w->n_nodes; i++)
    if (w->node[i].present)
      g_array_append_val (nodes, i);
  return nodes;
}

/* CalculateShardAssignments: many nodes in batches, of which each scheduler chooses as if there were no others. */
static void
assign (SimWorld *w)
{
  SimShardController *c = w->shard_controller;
  g_autoptr (GArray) nodes = present_nodes (w);
  g_autofree guint8 *taken = g_new0 (guint8, w->n_nodes + 1);

  g_ptr_array_set_size (c->assigned, 0);
  for (guint i = 0; i < c->conf->schedulers->len; i++)
    g_ptr_array_add (c->assigned, g_ptr_array_new ());
  for (guint at = 0; at < nodes->len; at += BATCH)
    for (guint i = 0; i < c->conf->schedulers->len; i++)
      choose (w, &g_array_index (c->conf->schedulers, WlShardScheduler, i), &g_array_index (nodes, guint32, at), MIN (BATCH, nodes->len - at), taken, c->assigned->pdata[i]);
  c->assigned_at = w->now;
}

/* ---- what is written --------------------------------------------------------------------------- */

/* assignmentNeedsUpdate: another number of nodes, or a tenth of them and at least one are new. */
static gboolean
needs_update (const GPtrArray *desired, const GPtrArray *assigned)
{
  guint fresh = 0;

  for (guint i = 0; desired->len == assigned->len && i < assigned->len; i++)
    fresh += !g_ptr_array_find_with_equal_func ((GPtrArray *) desired, assigned->pdata[i], g_str_equal, NULL);
  return desired->len != assigned->len || fresh >= MAX (1, assigned->len / 10);
}

/* applyAssignment. TRUE: the NodeShard is another one. */
static gboolean
apply (SimWorld *w, guint scheduler, const GPtrArray *assigned)
{
  const char *name = g_array_index (w->shard_controller->conf->schedulers, WlShardScheduler, scheduler).name;
  const GPtrArray *desired = sim_shard_desired (w, name);
  VcNodeShardObject o = { .name = name, .desired = { (const char **) assigned->pdata, assigned->len } };

  if (desired != NULL && !needs_update (desired, assigned))
    return FALSE;
  sim_shard_put (w, &o, FALSE);
  return TRUE;
}

static guint
find_in (const WlShardingConf *conf, const char *name)
{
  guint i = 0;

  while (i < conf->schedulers->len && strcmp (g_array_index (conf->schedulers, WlShardScheduler, i).name, name) != 0)
    i++;
  return i;
}

static guint
find_scheduler (const SimShardController *c, const char *name)
{
  return find_in (c->conf, name);
}

/* cleanupStaleNodeShards */
static gboolean
drop_stale (SimWorld *w)
{
  const SimShardController *c = w->shard_controller;
  g_autoptr (GPtrArray) names = sim_shard_names (w);
  gboolean some = FALSE;

  for (guint i = 0; i < names->len; i++)
    if (find_scheduler (c, names->pdata[i]) == c->conf->schedulers->len) {
      sim_shard_drop (w, names->pdata[i]);
      some = TRUE;
    }
  return some;
}

/* syncShards */
static gboolean
sync_all (SimWorld *w)
{
  SimShardController *c = w->shard_controller;
  gboolean some = FALSE;

  c->asked = FALSE;
  assign (w);
  for (guint i = 0; i < c->assigned->len; i++)
    some |= apply (w, i, c->assigned->pdata[i]);
  return drop_stale (w) || some;
}

/* syncHandler: the assignment that is known, or another one, for which no other scheduler has taken any node. */
static gboolean
sync_one (SimWorld *w, const char *name)
{
  SimShardController *c = w->shard_controller;
  guint i = find_scheduler (c, name);

  if (i == c->conf->schedulers->len)
    return FALSE;
  if (i < c->assigned->len && w->now - c->assigned_at <= KEPT)
    return apply (w, i, c->assigned->pdata[i]);
  g_autoptr (GArray) nodes = present_nodes (w);
  g_autoptr (GPtrArray) chosen = g_ptr_array_new ();

  choose (w, &g_array_index (c->conf->schedulers, WlShardScheduler, i), (const guint32 *) (gpointer) nodes->data, nodes->len, NULL, chosen);
  return apply (w, i, chosen);
}

/* ---- what happens ------------------------------------------------------------------------------ */

void
sim_shard_controller_note (SimWorld *w, guint32 node)
{
  SimShardController *c = w->shard_controller;

  if (c == NULL || c->metrics == NULL) /* it has not started, and will look at all */
    return;
  if (!w->node[node].present) {
    c->metrics[node].known = FALSE;
    return;
  }
  if (!c->metrics[node].noted)
    g_array_append_val (c->noted, node);
  c->metrics[node].noted = TRUE;
}

static gboolean
same_pairs (const VcPairs *a, const VcPairs *b)
{
  gboolean same = a->n == b->n;

  for (guint i = 0; same && i < a->n; i++)
    same = g_strcmp0 (vc_pairs_get (b, a->item[i].key), a->item[i].value) == 0;
  return same;
}

/* isNodeSignificantlyChanged */
void
sim_shard_controller_compare (SimWorld *w, guint32 node, const SimNode *before)
{
  const SimNode *n = &w->node[node];
  gint64 old_cpu = (amount_of (&before->resources, "cpu", TRUE) + 999) / 1000, cpu = (amount_of (&n->resources, "cpu", TRUE) + 999) / 1000;

  if (!before->present || !same_pairs (&before->labels, &n->labels) || !same_pairs (&before->annotations, &n->annotations)
      || (double) ABS (cpu - old_cpu) / (double) (old_cpu + 1) > SIGNIFICANT)
    sim_shard_controller_note (w, node);
}

void
sim_shard_controller_heard (SimWorld *w, const char *name)
{
  if (w->shard_controller != NULL && w->shard_controller->metrics != NULL)
    g_ptr_array_add (w->shard_controller->heard, g_strdup (name));
}

/* processNodeEvent */
static void
see_to_node (SimWorld *w, guint32 node)
{
  SimShardController *c = w->shard_controller;

  c->metrics[node].noted = FALSE;
  if (w->node[node].present && c->conf->by_events && update_metrics (w, node))
    sim_event_queue_post (w->events, w->now + SOON, SIM_RANK_TIMER, SIM_EVENT_SHARDING, SYNC, 0);
}

gboolean
sim_shard_controller_settle (SimWorld *w)
{
  SimShardController *c = w->shard_controller;
  gboolean some = FALSE;

  if (c == NULL || c->metrics == NULL)
    return FALSE;
  for (guint i = 0; i < c->noted->len; i++)
    see_to_node (w, g_array_index (c->noted, guint32, i));
  g_array_set_size (c->noted, 0);
  for (guint i = 0; i < c->heard->len; i++) /* what it writes itself it hears of, too */
    some |= sync_one (w, c->heard->pdata[i]);
  g_ptr_array_set_size (c->heard, 0);
  return some;
}

static void
post (SimWorld *w, SimTime delay, Subject subject)
{
  sim_event_queue_post (w->events, sim_time_after (w->now, delay), SIM_RANK_TIMER, SIM_EVENT_SHARDING_PERIOD, subject, w->shard_controller->timer);
}

static void
post_period (SimWorld *w)
{
  w->shard_controller->next = sim_time_after (w->now, w->shard_controller->conf->period);
  post (w, w->shard_controller->conf->period, PERIOD);
}

/* Run: everything is measured and divided; what was heard before is no news any more. */
static gboolean
start (SimWorld *w)
{
  SimShardController *c = w->shard_controller;

  if (c->conf == NULL)
    c->conf = wl_sharding_conf_default ();
  c->metrics = g_new0 (Metrics, MAX (w->n_nodes, 1));
  c->asked = TRUE; /* it looks at everything right now */
  c->next = sim_time_after (w->now, c->conf->period);
  refresh (w);
  post_period (w);
  post (w, REFRESH, REFRESH_METRICS);
  return sync_all (w);
}

/* reloadFromConfigMap: what has been worked out counts no longer, and every scheduler chooses among all nodes until the next look at everything. */
static void
update (SimWorld *w, guint i)
{
  SimShardController *c = w->shard_controller;
  WlShardingConf *conf = c->update->pdata[i];

  sim_record_event (w, "ConfigMap", "volcano-system", "volcano-sharding-configmap", conf != NULL ? "updated" : "deleted", "");
  if (conf == NULL)
    return;
  gboolean other_period = conf->has_period && conf->period != c->conf->period;

  if (!conf->has_period)
    conf->period = c->conf->period;
  if (!conf->has_by_events)
    conf->by_events = c->conf->by_events;
  wl_sharding_conf_free (c->conf);
  c->conf = g_steal_pointer (&c->update->pdata[i]);
  g_ptr_array_set_size (c->assigned, 0);
  for (guint k = 0; k < c->conf->schedulers->len; k++)
    sim_shard_controller_heard (w, g_array_index (c->conf->schedulers, WlShardScheduler, k).name);
  if (other_period) {
    c->timer++;
    post_period (w);
  }
  if (other_period || !c->asked) /* a run does not end before everything has been looked at */
    sim_event_queue_post (w->events, c->next, SIM_RANK_TIMER, SIM_EVENT_SHARDING, SYNC, c->timer);
  c->asked = TRUE;
}

gboolean
sim_shard_controller_event (SimWorld *w, const SimEvent *ev)
{
  SimShardController *c = w->shard_controller;

  switch ((Subject) ev->subject) {
  case START:
    return start (w);
  case PERIOD:
    if (ev->stamp != c->timer)
      return FALSE;
    post_period (w);
    return sync_all (w);
  case REFRESH_METRICS:
    refresh (w);
    post (w, REFRESH, REFRESH_METRICS);
    return FALSE;
  case SYNC:
    return (ev->stamp == 0 || ev->stamp == c->timer) && sync_all (w);
  case UPDATE:
  default:
    update (w, ev->subject - UPDATE);
    return FALSE;
  }
}

/* ---- its life ---------------------------------------------------------------------------------- */

static void
free_conf (gpointer conf)
{
  wl_sharding_conf_free (conf);
}

gboolean
sim_shard_controller_plan (SimWorld *w, WlShardingConf *conf, SimTime time)
{
  SimShardController *c = w->shard_controller;

  if (c == NULL) {
    c = w->shard_controller = g_new0 (SimShardController, 1);
    c->timer = 1;
    c->update = g_ptr_array_new_with_free_func (free_conf);
    c->noted = g_array_new (FALSE, FALSE, sizeof (guint32));
    c->heard = g_ptr_array_new_with_free_func (g_free);
    c->assigned = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
    sim_event_queue_prepare (w->events, 0, SIM_RANK_TIMER, SIM_EVENT_SHARDING, START);
  }
  if (time > 0) {
    sim_event_queue_prepare (w->events, time, SIM_RANK_TIMER, SIM_EVENT_SHARDING, UPDATE + c->update->len);
    g_ptr_array_add (c->update, conf);
    return TRUE;
  }
  if (c->conf != NULL)
    return FALSE;
  c->conf = conf;
  return TRUE;
}

void
sim_shard_controller_free (SimShardController *c)
{
  if (c == NULL)
    return;
  wl_sharding_conf_free (c->conf);
  g_ptr_array_unref (c->update);
  g_free (c->metrics);
  g_array_unref (c->noted);
  g_ptr_array_unref (c->heard);
  g_ptr_array_unref (c->assigned);
  g_free (c);
}

gboolean
sim_shard_controller_makes (const SimWorld *w, const char *name)
{
  const SimShardController *c = w->shard_controller;

  if (c == NULL)
    return FALSE;
  g_autoptr (WlShardingConf) first = c->conf == NULL ? wl_sharding_conf_default () : NULL;
  gboolean makes = find_in (first != NULL ? first : c->conf, name) < (first != NULL ? first : c->conf)->schedulers->len;

  for (guint i = 0; i < c->update->len && !makes; i++)
    makes = c->update->pdata[i] != NULL && find_in (c->update->pdata[i], name) < ((const WlShardingConf *) c->update->pdata[i])->schedulers->len;
  return makes;
}
