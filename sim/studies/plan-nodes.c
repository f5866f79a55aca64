/* sim/studies/plan-nodes.c - volsim plan nodes: how many nodes of which kind. */
#include "plan-command.h"
#include "workloads/native/reshape.h"
#include <math.h>
#include <string.h>

typedef struct {
  char *name;
  gint64 low, high;
  gboolean range;    /* given */
  double price;      /* NaN: not given */
} NodeType;

static void
type_clear (gpointer data)
{
  g_free (((NodeType *) data)->name);
}

/* NAME[=LOW..HIGH][@PRICE] */
static gboolean
parse_type (const char *text, NodeType *t, GError **error)
{
  const char *at = strrchr (text, '@'), *equals = strchr (text, '=');
  gsize end = at != NULL ? (gsize) (at - text) : strlen (text);
  char *rest = NULL;

  *t = (NodeType){ .name = g_strndup (text, equals != NULL ? (gsize) (equals - text) : end), .price = (double) NAN };
  if (*t->name == '\0')
    return plan_refuse (error, "--node: expected NAME[=LOW..HIGH][@PRICE], found '%s'", text);
  if (at != NULL) {
    t->price = g_ascii_strtod (at + 1, &rest);
    if (at[1] == '\0' || *rest != '\0' || !(t->price >= 0 && t->price <= 1e12))
      return plan_refuse (error, "--node: expected a price from 0 behind '@', found '%s'", text);
  }
  if (equals == NULL)
    return TRUE;
  g_autofree char *range = g_strndup (equals + 1, end - (gsize) (equals + 1 - text));
  g_auto (GStrv) bound = g_strsplit (range, "..", 2);

  t->range = TRUE;
  if (bound[0] == NULL || bound[1] == NULL || !g_ascii_string_to_signed (bound[0], 10, 0, 1000000, &t->low, NULL) ||
      !g_ascii_string_to_signed (bound[1], 10, t->low, 1000000, &t->high, NULL))
    return plan_refuse (error, "--node: expected LOW..HIGH with whole numbers from 0 to 1000000, found '%s'", range);
  return TRUE;
}

static GArray *
read_types (const PlanContext *c, GError **error)
{
  g_autoptr (GArray) types = g_array_new (FALSE, TRUE, sizeof (NodeType));
  g_autoptr (GArray) nodes = c->scenario.nodes != NULL ? wl_read_nodes (c->scenario.nodes, error) : NULL;

  g_array_set_clear_func (types, type_clear);
  if (nodes == NULL) {
    if (c->scenario.nodes == NULL)
      plan_refuse (error, "%s: expected a scenario with nodes, found none", c->a->scenario);
    return NULL;
  }
  for (char **text = c->a->node; text != NULL && *text != NULL; text++) {
    g_array_set_size (types, types->len + 1);
    NodeType *t = &g_array_index (types, NodeType, types->len - 1);

    if (!parse_type (*text, t, error))
      return NULL;
    guint n = wl_nodes_named (nodes, t->name);

    if (n == 0) {
      plan_refuse (error, "--node: expected a row of %s, found '%s'", c->scenario.nodes, t->name);
      return NULL;
    }
    if (!t->range) {
      t->low = 1;
      t->high = n;
    }
  }
  if (types->len == 0) {
    plan_refuse (error, "plan nodes: expected --node NAME, a row of %s", c->scenario.nodes);
    return NULL;
  }
  for (guint i = 0; types->len > 1 && i < types->len; i++) {
    const NodeType *t = &g_array_index (types, NodeType, i);

    if (!t->range || isnan (t->price)) {
      plan_refuse (error, "--node: several kinds of nodes need a range and a price each (NAME=LOW..HIGH@PRICE), found '%s'", t->name);
      return NULL;
    }
  }
  return g_steal_pointer (&types);
}

typedef struct { const GArray *types; const gint64 *count; } NodeSetting; /* counts of all kinds but the first */

static void
set_nodes (gpointer user, double x, GPtrArray *key, GPtrArray *value)
{
  const NodeSetting *s = user;

  for (guint i = 0; i < s->types->len; i++) {
    const NodeType *t = &g_array_index (s->types, NodeType, i);
    g_autofree char *k = g_strconcat ("node_count.", t->name, NULL);

    plan_setting (key, value, k, g_strdup_printf ("%" G_GINT64_FORMAT, i == 0 ? (gint64) x : s->count[i]));
  }
}

/* One kind: without a range the upper end is doubled until the promise holds. */
static gboolean
search_kind (const SimPlan *plan, const NodeType *first, NodeSetting *s, GArray *points, gint64 *border, gboolean *found, GError **error)
{
  gint64 high = first->high;

  for (;;) {
    if (!sim_plan_search (plan, first->low, high, 1, TRUE, set_nodes, s, points, border, found, error))
      return FALSE;
    if (*found || first->range || high >= 64 * first->high)
      return TRUE;
    high *= 2;
  }
}

#define MIXES_MAX 100000.0

/* Combinations of the kinds but the first, for each of which there is a search. */
static double
mixes (const GArray *types)
{
  double n = 1;

  for (guint i = 1; i < types->len; i++)
    n *= (double) (g_array_index (types, NodeType, i).high - g_array_index (types, NodeType, i).low + 1);
  return n;
}

static gboolean
plan_nodes_once (const PlanContext *c, const GArray *types, guint repeat, SimPlanAnswer *out, GError **error)
{
  g_autoptr (GPtrArray) key = g_ptr_array_new_with_free_func (g_free), value = g_ptr_array_new_with_free_func (g_free);

  plan_shaken (c, repeat, key, value);
  SimPlan plan = plan_of (c, key, value);
  const NodeType *first = &g_array_index (types, NodeType, 0);
  g_autofree gint64 *count = g_new0 (gint64, types->len);
  NodeSetting s = { types, count };

  if (types->len == 1)
    return search_kind (&plan, first, &s, out->points, &out->border, &out->found, error);
  for (guint i = 1; i < types->len; i++)
    count[i] = g_array_index (types, NodeType, i).low;
  guint mix = 0;

  out->cost = (double) INFINITY;
  out->mix = g_new0 (gint64, types->len);
  for (;;) { /* every mix of the other kinds; those that cannot be cheaper are left out */
    double others = 0;

    for (guint i = 1; i < types->len; i++)
      others += (double) count[i] * g_array_index (types, NodeType, i).price;
    mix++;
    if (others + (double) first->low * first->price < out->cost) {
      g_autofree char *label = g_strdup_printf ("mix %u of %u", mix, (guint) mixes (types));

      plan.label = label;
      g_autoptr (GArray) points = sim_points_new ();
      gint64 border = 0;
      gboolean found = FALSE;

      if (!sim_plan_search (&plan, first->low, first->high, 1, TRUE, set_nodes, &s, points, &border, &found, error))
        return FALSE;
      double cost = others + (double) border * first->price;

      out->runs += points->len;
      if (found && cost < out->cost) {
        out->found = TRUE;
        out->cost = cost;
        out->border = out->mix[0] = border;
        memcpy (out->mix + 1, count + 1, (types->len - 1) * sizeof *count);
      }
    }
    guint i = 1;

    while (i < types->len && ++count[i] > g_array_index (types, NodeType, i).high) {
      count[i] = g_array_index (types, NodeType, i).low;
      i++;
    }
    if (i == types->len)
      return TRUE;
  }
}

gboolean
plan_nodes (const PlanContext *c, SimPlanReport *r, GError **error)
{
  g_autoptr (GArray) types = read_types (c, error);

  if (types == NULL)
    return FALSE;
  const NodeType *first = &g_array_index (types, NodeType, 0);

  if (mixes (types) > MIXES_MAX)
    return plan_refuse (error, "--node: expected ranges with at most %.0f mixes of the kinds behind the first, found %.0f", MIXES_MAX, mixes (types));
  r->question = g_strdup_printf ("least number of nodes '%s' that keeps the promise", first->name);
  r->x_name = g_strdup_printf ("nodes '%s'", first->name);
  r->unit = 1;
  for (guint i = 0; i < types->len && types->len > 1; i++)
    g_ptr_array_add (r->kinds, g_strdup (g_array_index (types, NodeType, i).name));
  for (guint k = 0; k <= (guint) c->a->repeat; k++)
    if (!plan_nodes_once (c, types, k, sim_plan_report_add (r), error))
      return FALSE;
  return TRUE;
}
