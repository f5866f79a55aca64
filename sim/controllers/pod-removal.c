/* sim/controllers/pod-removal.c - see pod-removal.h. */
#include "pod-removal.h"
#include "kinds.h"
#include "core/base/go-sort.h"
#include <string.h>

/* ---- the list ------------------------------------------------------------------------------- */

typedef struct { guint32 pod; char *name; } Named;

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (((const Named *) a)->name, ((const Named *) b)->name);
}

static void
named_clear (gpointer p)
{
  g_free (((Named *) p)->name);
}

GArray *
sim_active_pods (SimWorld *w, guint32 job)
{
  g_autoptr (GArray) named = g_array_new (FALSE, FALSE, sizeof (Named));
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (guint32));

  g_array_set_clear_func (named, named_clear);
  sim_job_pods (w, job);
  for (guint i = 0; i < w->rows->len; i++) {
    guint32 pod = g_array_index (w->rows, guint32, i);

    if (sim_pod_is_active (&w->pod[pod])) {
      Named n = { pod, g_strdup (sim_pod_name (w, pod)) };

      g_array_append_val (named, n);
    }
  }
  g_array_sort (named, by_name);
  for (guint i = 0; i < named->len; i++)
    g_array_append_val (rows, g_array_index (named, Named, i).pod);
  return rows;
}

/* ---- the order ------------------------------------------------------------------------------ */

typedef struct {
  const SimWorld *w;
  GHashTable *on_node; /* node → active pods of the set there, for look-ups only; NULL: no set */
} Order;

static guint
rank (const Order *o, const SimPod *p)
{
  return o->on_node != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (o->on_node, GUINT_TO_POINTER (p->node))) : 0;
}

/* The power of two that an age in nanoseconds has. @second is one of the run. */
static int
age (const SimWorld *w, gint64 second)
{
  SimTime d = w->now - second * SIM_SECOND;

  return d > 0 ? (int) g_bit_storage ((gulong) d * 1000) - 1 : -1;
}

/* Of two different seconds: does the first one's pod go before the other? */
static gboolean
is_younger (const Order *o, gint64 a, gint64 b, const SimPod *p, const SimPod *q)
{
  if (o->on_node == NULL)
    return a > b;
  int l = age (o->w, a), r = age (o->w, b);

  return l != r ? l < r : p->uid < q->uid;
}

static gboolean
goes_before (gpointer user, guint32 a, guint32 b)
{
  const Order *o = user;
  const SimPod *p = &o->w->pod[a], *q = &o->w->pod[b];
  gboolean ready = sim_pod_is_ready (o->w, p);

  if ((p->node == SIM_NONE) != (q->node == SIM_NONE))
    return p->node == SIM_NONE;
  if (p->phase != q->phase)
    return p->phase < q->phase;
  if (ready != sim_pod_is_ready (o->w, q))
    return !ready;
  if (rank (o, p) != rank (o, q))
    return rank (o, p) > rank (o, q);
  if (ready) {
    gint64 l = sim_pod_ready_since (o->w, p), r = sim_pod_ready_since (o->w, q);

    if (l != r)
      return is_younger (o, l, r, p, q);
  }
  if (p->restarts != q->restarts)
    return p->restarts > q->restarts;
  gint64 l = sim_time_seconds (p->created), r = sim_time_seconds (q->created);

  return l != r && is_younger (o, l, r, p, q);
}

void
sim_sort_for_removal (SimWorld *w, GArray *pods, gboolean of_set)
{
  g_autoptr (GHashTable) on_node = of_set ? g_hash_table_new (NULL, NULL) : NULL;
  Order order = { w, on_node };

  for (guint i = 0; of_set && i < pods->len; i++) {
    gpointer node = GUINT_TO_POINTER (w->pod[g_array_index (pods, guint32, i)].node);

    g_hash_table_insert (on_node, node, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (on_node, node)) + 1));
  }
  vc_go_sort ((guint32 *) (gpointer) pods->data, pods->len, goes_before, &order);
}
