/* See openb-order.h.
 *
 * The simulator (github.com/hkust-adsl/kubernetes-scheduler-simulator) is written in Go and draws everything from one source: a number for its log, the
 * shuffle of the pods by name, the pods that it draws or removes, and the order of the nodes by name. Before the last its scheduler starts ten watches,
 * each of which draws how long it lasts. */
#include "openb-order.h"
#include "core/base/go-random.h"
#include "core/base/random.h"
#include <string.h>

#define WATCHES 10

struct WlOpenbDraws {
  VcGoRandom *go; /* NULL: own streams */
  guint64 seed;
  VcRandom more;
};

WlOpenbDraws *
wl_openb_draws_new (gint64 seed, gboolean simulator)
{
  WlOpenbDraws *d = g_new0 (WlOpenbDraws, 1);

  d->seed = (guint64) seed;
  vc_random_init (&d->more, d->seed, "openb-more", "", 0);
  if (simulator) {
    d->go = vc_go_random_new (seed);
    vc_go_random_next (d->go);
  }
  return d;
}

void
wl_openb_draws_free (WlOpenbDraws *d)
{
  if (d == NULL)
    return;
  vc_go_random_free (d->go);
  g_free (d);
}

static guint32
below (WlOpenbDraws *d, guint32 n)
{
  return d->go != NULL ? vc_go_random_below (d->go, n) : (guint32) vc_random_below (&d->more, n);
}

static void
shuffle (const WlOpenbDraws *d, const char *what, guint32 *entry, guint32 n)
{
  VcRandom random;

  vc_random_init (&random, d->seed, what, "", 0);
  for (guint32 i = n; i > 1; i--) {
    guint32 k = (guint32) vc_random_below (&random, i), other = entry[k];

    entry[k] = entry[i - 1];
    entry[i - 1] = other;
  }
}

static GArray *
numbers (guint32 n)
{
  GArray *a = g_array_sized_new (FALSE, FALSE, sizeof (guint32), n);

  for (guint32 i = 0; i < n; i++)
    g_array_append_val (a, i);
  return a;
}

static int
by_pod_name (gconstpointer a, gconstpointer b, gpointer user)
{
  const WlOpenbDemand *pod = user;
  guint32 l = *(const guint32 *) a, r = *(const guint32 *) b;
  int order = strcmp (pod[l].name, pod[r].name);

  return order != 0 ? order : l < r ? -1 : l > r;
}

static int
by_node_name (gconstpointer a, gconstpointer b, gpointer user)
{
  const char *const *name = user;
  guint32 l = *(const guint32 *) a, r = *(const guint32 *) b;
  int order = strcmp (name[l], name[r]);

  return order != 0 ? order : l < r ? -1 : l > r;
}

GArray *
wl_openb_order_pods (WlOpenbDraws *d, const WlOpenbDemand *pod, guint32 n, gint64 wanted)
{
  GArray *order = numbers (n);
  g_autoptr (GArray) list = NULL; /* what is drawn from */
  gint64 sum = 0;

  if (d->go != NULL)
    g_array_sort_with_data (order, by_pod_name, (gpointer) pod);
  list = g_array_copy (order);
  if (d->go != NULL)
    vc_go_random_shuffle (d->go, (guint32 *) (gpointer) order->data, n);
  else
    shuffle (d, "openb-shuffle", (guint32 *) (gpointer) order->data, n);
  for (guint32 i = 0; i < n; i++)
    sum += pod[i].all;
  if (wanted < 0 || sum == wanted || sum == 0)
    return order;
  while (sum > wanted) {
    guint32 at = below (d, order->len);

    sum -= pod[g_array_index (order, guint32, at)].all;
    g_array_remove_index (order, at);
    if (sum <= wanted)
      return order;
  }
  for (;;) {
    guint32 row = g_array_index (list, guint32, below (d, n));

    if (sum + pod[row].card > wanted)
      return order;
    sum += pod[row].all;
    g_array_append_val (order, row);
  }
}

GArray *
wl_openb_order_nodes (WlOpenbDraws *d, const char *const *name, guint32 n)
{
  GArray *order = numbers (n);

  if (d->go == NULL) {
    shuffle (d, "openb-nodes", (guint32 *) (gpointer) order->data, n);
    return order;
  }
  g_autofree guint32 *place = g_new (guint32, n + 1);
  g_autoptr (GArray) sorted = g_array_copy (order);

  g_array_sort_with_data (sorted, by_node_name, (gpointer) name);
  for (guint i = 0; i < WATCHES; i++)
    vc_go_random_next (d->go);
  vc_go_random_permute (d->go, place, n);
  for (guint32 i = 0; i < n; i++)
    g_array_index (order, guint32, place[i]) = g_array_index (sorted, guint32, i);
  return order;
}
