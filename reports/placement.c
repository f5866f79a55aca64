/* reports/placement.c - see placement.h. */
#include "core/model/hyper-nodes.h"
#include "reports/placement.h"

#include <math.h>
#include <string.h>

/* ---- gangs ---------------------------------------------------------------------------------------- */

static gboolean
is_gang (const RpJob *j)
{
  return j->hyper_node != NULL && !isnan (j->topology_cost);
}

static void
tier_clear (gpointer data)
{
  g_free (((RpTierCount *) data)->name);
}

void
rp_topology_sum_init (RpTopologySum *t)
{
  *t = (RpTopologySum){ .costs = g_array_new (FALSE, FALSE, sizeof (double)), .tiers = g_array_new (FALSE, FALSE, sizeof (RpTierCount)) };
  g_array_set_clear_func (t->tiers, tier_clear);
}

void
rp_topology_sum_clear (RpTopologySum *t)
{
  g_clear_pointer (&t->costs, g_array_unref);
  g_clear_pointer (&t->tiers, g_array_unref);
}

static void
count_tier (RpTopologySum *t, gint64 tier, const char *name, guint64 jobs)
{
  guint i = 0;

  while (i < t->tiers->len && g_array_index (t->tiers, RpTierCount, i).tier < tier)
    i++;
  if (i == t->tiers->len || g_array_index (t->tiers, RpTierCount, i).tier != tier) {
    RpTierCount fresh = { tier, g_strdup (""), 0 };

    g_array_insert_val (t->tiers, i, fresh);
  }
  RpTierCount *c = &g_array_index (t->tiers, RpTierCount, i);

  c->jobs += jobs;
  if (*c->name == '\0' && name != NULL && *name != '\0') {
    g_free (c->name);
    c->name = g_strdup (name);
  }
}

void
rp_topology_sum_add (RpTopologySum *t, const RpJob *j)
{
  if (!is_gang (j))
    return;
  g_array_append_val (t->costs, j->topology_cost);
  t->crossing += j->racks > 1;
  count_tier (t, j->tier, strcmp (j->hyper_node, VC_HYPER_ROOT_NAME) == 0 ? "cluster" : j->tier_name, 1);
}

void
rp_topology_sum_merge (RpTopologySum *into, const RpTopologySum *from)
{
  g_array_append_vals (into->costs, from->costs->data, from->costs->len);
  into->crossing += from->crossing;
  for (guint i = 0; i < from->tiers->len; i++) {
    const RpTierCount *c = &g_array_index (from->tiers, RpTierCount, i);

    count_tier (into, c->tier, c->name, c->jobs);
  }
}

/* ---- racks over time ------------------------------------------------------------------------------ */

static void
rack_free (gpointer data)
{
  RpRackHeat *r = data;

  g_free (r->name);
  g_free (r->within);
  g_free (r->filled);
  g_free (r->there);
  g_free (r);
}

static void
far_free (gpointer data)
{
  RpFarJob *f = data;

  g_free (f->name);
  g_free (f);
}

void
rp_placement_init (RpPlacement *p)
{
  *p = (RpPlacement){ .from = RP_NONE, .width = G_USEC_PER_SEC };
  p->racks = g_ptr_array_new_with_free_func (rack_free);
  p->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  p->runs = g_array_new (FALSE, FALSE, sizeof (RpGangRun));
  p->far = g_ptr_array_new_with_free_func (far_free);
}

void
rp_placement_clear (RpPlacement *p)
{
  g_clear_pointer (&p->by_name, g_hash_table_unref);
  g_clear_pointer (&p->racks, g_ptr_array_unref);
  g_clear_pointer (&p->runs, g_array_unref);
  g_clear_pointer (&p->far, g_ptr_array_unref);
}

/* Two bins become one until @time has a place. */
static void
reach (RpPlacement *p, gint64 time)
{
  while (time - p->from > p->width * (gint64) RP_HEAT_BINS) {
    for (guint k = 0; k < p->racks->len; k++) {
      RpRackHeat *r = p->racks->pdata[k];

      for (guint i = 0; i < RP_HEAT_BINS; i++) {
        r->filled[i] = 2 * i < RP_HEAT_BINS ? r->filled[2 * i] + r->filled[2 * i + 1] : 0;
        r->there[i] = 2 * i < RP_HEAT_BINS ? r->there[2 * i] + r->there[2 * i + 1] : 0;
      }
    }
    p->width *= 2;
  }
}

/* What the rack was up to @to goes into its bins. */
static void
integrate (const RpPlacement *p, RpRackHeat *r, gint64 to)
{
  while (r->since < to) {
    const gint64 bin = (r->since - p->from) / p->width, until = MIN (to, p->from + (bin + 1) * p->width);

    if (r->nodes > 0) {
      r->filled[bin] += r->share * (double) (until - r->since);
      r->there[bin] += (double) (until - r->since);
    }
    r->since = until;
  }
}

void
rp_placement_rack (RpPlacement *p, const RpRack *k, double share)
{
  const char *name = k->hyper_node != NULL ? k->hyper_node : "";
  RpRackHeat *r = g_hash_table_lookup (p->by_name, name);

  if (p->from == RP_NONE)
    p->from = k->time;
  reach (p, k->time);
  if (r == NULL) {
    r = g_new0 (RpRackHeat, 1);
    r->name = g_strdup (name);
    r->since = k->time;
    r->filled = g_new0 (double, RP_HEAT_BINS);
    r->there = g_new0 (double, RP_HEAT_BINS);
    g_ptr_array_add (p->racks, r);
    g_hash_table_insert (p->by_name, r->name, r);
  }
  integrate (p, r, k->time);
  if (r->within == NULL || strcmp (r->within, k->within) != 0) {
    g_free (r->within);
    r->within = g_strdup (k->within);
  }
  r->nodes = k->nodes;
  r->share = share;
}

void
rp_placement_end (RpPlacement *p, gint64 end)
{
  if (p->racks->len == 0)
    return;
  reach (p, end);
  for (guint i = 0; i < p->racks->len; i++)
    integrate (p, p->racks->pdata[i], end);
}

/* ---- jobs ----------------------------------------------------------------------------------------- */

int
rp_compare_far (double cost_a, guint32 pods_a, const char *name_a, double cost_b, guint32 pods_b, const char *name_b)
{
  const double a = cost_a * pods_a, b = cost_b * pods_b;

  if (a != b)
    return a > b ? -1 : 1;
  return strcmp (name_a, name_b);
}

static void
keep_far (RpPlacement *p, const RpJob *j)
{
  g_autofree char *name = g_strdup_printf ("%s/%s", j->ns, j->job);
  guint at = p->far->len;

  for (; at > 0; at--) {
    const RpFarJob *f = p->far->pdata[at - 1];

    if (rp_compare_far (f->cost, f->pods, f->name, j->topology_cost, j->pods, name) <= 0)
      break;
  }
  if (at >= RP_FAR_LISTED)
    return;
  RpFarJob *fresh = g_new0 (RpFarJob, 1);

  *fresh = (RpFarJob){ g_steal_pointer (&name), j->pods, j->racks, j->topology_cost, j->gang_start, j->finish };
  g_ptr_array_insert (p->far, (gint) at, fresh);
  if (p->far->len > RP_FAR_LISTED)
    g_ptr_array_set_size (p->far, (gint) RP_FAR_LISTED);
}

void
rp_placement_job (RpPlacement *p, const RpJob *j)
{
  const RpGangRun run = { j->gang_start, j->finish, j->tier, j->pods, j->racks > 1 };

  if (!is_gang (j))
    return;
  g_array_append_val (p->runs, run);
  if (j->racks > 1)
    keep_far (p, j);
}

/* ---- order ---------------------------------------------------------------------------------------- */

int
rp_compare_natural (const char *a, const char *b)
{
  const char *x = a, *y = b;

  while (*x != '\0' && *y != '\0') {
    if (g_ascii_isdigit (*x) && g_ascii_isdigit (*y)) {
      const gsize zeros_x = strspn (x, "0"), zeros_y = strspn (y, "0");
      const gsize n = strspn (x + zeros_x, "0123456789"), m = strspn (y + zeros_y, "0123456789");
      const int order = n != m ? (n < m ? -1 : 1) : strncmp (x + zeros_x, y + zeros_y, n);

      if (order != 0)
        return order;
      x += zeros_x + n;
      y += zeros_y + m;
    } else if (*x != *y) {
      return (guchar) *x < (guchar) *y ? -1 : 1;
    } else {
      x++;
      y++;
    }
  }
  if (*x != *y)
    return *x == '\0' ? -1 : 1;
  return strcmp (a, b); /* "r1" and "r01" are two names */
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const RpRackHeat *l = *(RpRackHeat *const *) a, *r = *(RpRackHeat *const *) b;

  if ((*l->name == '\0') != (*r->name == '\0'))
    return *l->name == '\0' ? 1 : -1;
  const int order = rp_compare_natural (l->within, r->within);

  return order != 0 ? order : rp_compare_natural (l->name, r->name);
}

GPtrArray *
rp_placement_racks_sorted (const RpPlacement *p)
{
  GPtrArray *out = g_ptr_array_new ();

  for (guint i = 0; i < p->racks->len; i++)
    g_ptr_array_add (out, p->racks->pdata[i]);
  g_ptr_array_sort (out, by_place);
  return out;
}
