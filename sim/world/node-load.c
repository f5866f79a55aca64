#include "node-load.h"
#include "machines.h"
#include "views.h"
#include <string.h>

#define WINDOW (600 * SIM_SECOND)
#define PERIOD "10m"
enum { CPU, MEMORY, N_DIMS };

/* The load of one node so far; integrals are in engine amounts × seconds. */
typedef struct {
  double now[N_DIMS];      /* used at the moment */
  double sum[N_DIMS];      /* ∫ now dt until `since` */
  SimTime since;
  double (*past)[N_DIMS];  /* [n_past] sums at the last measurements, a ring; NULL before the first */
  SimTime *taken;          /* [n_past] when those were */
  guint n, head;           /* how many there are, and the oldest */
} Load;

struct SimNodeLoad {
  Load *node; guint32 n_nodes;
  guint n_past;            /* measurements in a window */
};

SimNodeLoad *
sim_node_load_new (const SimWorld *w)
{
  SimTime interval = w->model->usage_interval;

  if (interval <= 0)
    return NULL;
  SimNodeLoad *l = g_new0 (SimNodeLoad, 1);

  l->n_nodes = w->n_nodes;
  l->node = g_new0 (Load, MAX (w->n_nodes, 1));
  l->n_past = (guint) MAX (WINDOW / interval, 1);
  return l;
}

void
sim_node_load_free (SimNodeLoad *l)
{
  if (l == NULL)
    return;
  for (guint32 i = 0; i < l->n_nodes; i++) {
    g_free (l->node[i].past);
    g_free (l->node[i].taken);
  }
  g_free (l->node);
  g_free (l);
}

void
sim_node_load_prepare (SimWorld *w)
{
  if (w->load != NULL)
    sim_event_queue_post (w->events, w->model->usage_interval, SIM_RANK_WATCH, SIM_EVENT_LOAD, 0, 0);
}

static void
catch_up (const SimWorld *w, Load *n)
{
  double seconds = (double) (w->now - n->since) / (double) SIM_SECOND;

  for (guint d = 0; d < N_DIMS; d++)
    n->sum[d] += n->now[d] * seconds;
  n->since = w->now;
}

void
sim_node_load_add (SimWorld *w, guint32 pod, int sign)
{
  const SimPod *p = &w->pod[pod];
  const SimRole *r = &w->role[p->role];

  if (w->load == NULL)
    return;
  double part = r->behaviour != NULL && r->behaviour->usage >= 0 ? r->behaviour->usage : w->model->usage;
  Load *n = &w->load->node[p->node];

  catch_up (w, n);
  n->now[CPU] += sign * part * r->shape->request->v[VC_RES_CPU];
  n->now[MEMORY] += sign * part * r->shape->request->v[VC_RES_MEMORY];
}

static double
percent (double sum, double seconds, double capacity)
{
  return seconds > 0 && capacity > 0 ? MAX (sum, 0) / seconds / capacity * 100 : 0; /* sums of differences may fall a hair below 0 */
}

static double
capacity_of (const SimNode *n, const char *name, gboolean milli)
{
  for (guint i = 0; i < n->resources.n; i++)
    if (strcmp (n->resources.item[i].name, name) == 0)
      return (double) (milli ? n->resources.item[i].q.milli : n->resources.item[i].q.value);
  return 0;
}

static void
measure (SimWorld *w, guint32 node)
{
  SimNodeLoad *l = w->load;
  Load *n = &l->node[node];
  const SimNode *o = &w->node[node];

  catch_up (w, n);
  if (n->past == NULL) {
    n->past = g_malloc0_n (l->n_past, sizeof *n->past);
    n->taken = g_new0 (SimTime, l->n_past);
    n->n = 1; /* at time 0 nothing has run */
  }
  double seconds = (double) (w->now - n->taken[n->head]) / (double) SIM_SECOND;
  VcUsageAverage a = { PERIOD, percent (n->sum[CPU] - n->past[n->head][CPU], seconds, capacity_of (o, "cpu", TRUE)),
                       percent (n->sum[MEMORY] - n->past[n->head][MEMORY], seconds, capacity_of (o, "memory", FALSE)) };
  VcNodeUsageObject usage = { .node = o->name, .average = &a, .n_averages = 1, .time_us = w->options.epoch * SIM_SECOND + w->now };
  guint at = (n->head + n->n) % l->n_past;

  for (guint d = 0; d < N_DIMS; d++)
    n->past[at][d] = n->sum[d];
  n->taken[at] = w->now;
  if (n->n < l->n_past)
    n->n++;
  else
    n->head = (at + 1) % l->n_past; /* the oldest has been overwritten */
  SIM_EACH_VIEW (w, back)
    vc_cache_set_node_usage (w->cache, &usage);
}

void
sim_node_load_measure (SimWorld *w)
{
  for (guint32 i = 0; i < w->n_nodes; i++)
    if (w->node[i].present && !sim_node_is_mute (&w->node[i]))
      measure (w, i);
  sim_event_queue_post (w->events, sim_time_after (w->now, w->model->usage_interval), SIM_RANK_WATCH, SIM_EVENT_LOAD, 0, 0);
}
