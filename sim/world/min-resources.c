/* sim/world/min-resources.c - mirrors CalcFirstCountResources and CalcPGMinResources (pkg/controllers/job/job_controller_util.go). */
#include "min-resources.h"
#include <string.h>

static void
sort_by_priority (const SimGroupTask *task, guint n, guint *order)
{
  for (guint i = 0; i < n; i++) { /* insertion: stable, and the lists are short */
    guint k = i;

    while (k > 0 && task[order[k - 1]].priority < task[i].priority) {
      order[k] = order[k - 1];
      k--;
    }
    order[k] = i;
  }
}

void
sim_min_resources_pods (gint64 min_available, const SimGroupTask *task, guint n, guint32 *taken)
{
  g_autofree guint *order = g_new (guint, MAX (n, 1));
  gint64 left = min_available, minima = 0;

  sort_by_priority (task, n, order);
  for (guint i = 0; i < n; i++) {
    minima += task[i].min_available >= 0 ? task[i].min_available : (gint64) task[i].replicas;
    taken[i] = 0;
  }
  if (min_available >= minima)
    for (guint k = 0; k < n && left > 0; k++) {
      gint64 take = CLAMP (task[order[k]].min_available, 0, left);

      taken[order[k]] = (guint32) take;
      left -= take;
    }
  for (guint k = 0; k < n && left > 0; k++) {
    guint i = order[k];
    gint64 rest = (gint64) task[i].replicas - taken[i];
    gint64 take = CLAMP (left, 0, MAX (rest, 0));

    taken[i] += (guint32) take;
    left -= take;
  }
}

/* @n times @q more. */
static void
add (GArray *out, const char *name, VcQuantity q, gint64 n)
{
  VcNano more = vc_quantity_thousandths (q) * n;

  for (guint i = 0; i < out->len; i++) {
    VcAmount *a = &g_array_index (out, VcAmount, i);

    if (strcmp (a->name, name) == 0) {
      a->q = vc_quantity_of (vc_quantity_thousandths (a->q) + more);
      return;
    }
  }
  VcAmount fresh = { name, vc_quantity_of (more) };

  g_array_append_val (out, fresh);
}

static gboolean
is_more (VcQuantity a, VcQuantity b)
{
  return vc_quantity_thousandths (a) > vc_quantity_thousandths (b);
}

/* Raise @out to @with, amount by amount. */
static void
raise_to (GArray *out, const GArray *with)
{
  for (guint k = 0; k < with->len; k++) {
    const VcAmount *a = &g_array_index (with, VcAmount, k);
    gboolean known = FALSE;

    for (guint i = 0; i < out->len && !known; i++) {
      VcAmount *o = &g_array_index (out, VcAmount, i);

      known = strcmp (o->name, a->name) == 0;
      if (known && is_more (a->q, o->q))
        o->q = a->q;
    }
    if (!known)
      g_array_append_val (out, *a);
  }
}

static void
add_all (GArray *out, const VcAmounts *a)
{
  for (guint i = 0; i < a->n; i++)
    add (out, a->item[i].name, a->item[i].q, 1);
}

static void
aggregate (const VcPodSpec *spec, gboolean limits, GArray *out)
{
  g_autoptr (GArray) sum = g_array_new (FALSE, FALSE, sizeof (VcAmount)), most = g_array_new (FALSE, FALSE, sizeof (VcAmount));
  g_autoptr (GArray) sidecars = g_array_new (FALSE, FALSE, sizeof (VcAmount)), step = g_array_new (FALSE, FALSE, sizeof (VcAmount));

  for (guint i = 0; i < spec->n_containers; i++) {
    const VcContainer *c = &spec->container[i];
    const VcAmounts *amounts = limits ? &c->limit : &c->request;

    if (!c->init || c->sidecar)
      add_all (sum, amounts);
    if (!c->init)
      continue;
    if (c->sidecar)
      add_all (sidecars, amounts);
    g_array_set_size (step, 0);
    if (sidecars->len > 0)
      g_array_append_vals (step, sidecars->data, sidecars->len);
    if (!c->sidecar)
      add_all (step, amounts);
    raise_to (most, step); /* init containers run one by one, next to the sidecars before them */
  }
  raise_to (sum, most);
  const VcAmounts *pod_level = limits ? &spec->pod_limit : &spec->pod_level;

  for (guint k = 0; k < pod_level->n; k++) {
    VcAmount a = pod_level->item[k];
    gboolean known = FALSE;

    for (guint i = 0; i < sum->len && !known; i++) {
      VcAmount *o = &g_array_index (sum, VcAmount, i);

      known = strcmp (o->name, a.name) == 0;
      if (known)
        o->q = a.q;
    }
    if (!known)
      g_array_append_val (sum, a);
  }
  if (!limits || sum->len > 0)
    add_all (sum, &spec->overhead);
  if (sum->len > 0)
    g_array_append_vals (out, sum->data, sum->len);
}

void
sim_quota_requests (const VcPodSpec *spec, GArray *out)
{
  aggregate (spec, FALSE, out);
}

void
sim_quota_limits (const VcPodSpec *spec, GArray *out)
{
  aggregate (spec, TRUE, out);
}

/* A sum of thousandths rounds up to whole units once, not once per pod. */
static void
settle (GArray *out, guint from)
{
  for (guint i = from; i < out->len; i++) {
    VcAmount *a = &g_array_index (out, VcAmount, i);

    if (strcmp (a->name, "cpu") == 0)
      a->q.value = a->q.milli / 1000 + (a->q.milli % 1000 != 0);
  }
}

void
sim_min_resources (gint64 min_available, const SimGroupTask *task, guint n, GPtrArray *quota_names, GArray *out)
{
  g_autofree guint32 *taken = g_new (guint32, MAX (n, 1));
  guint from = out->len;

  sim_min_resources_pods (min_available, task, n, taken);
  for (guint i = 0; i < n; i++) {
    gint64 pods = taken[i];

    if (pods == 0)
      continue;
    add (out, "pods", (VcQuantity){ 1, 1000 }, pods);
    for (guint k = 0; k < task[i].usage.n; k++) {
      const VcAmount *a = &task[i].usage.item[k];

      add (out, a->name, a->q, pods);
    }
  }
  settle (out, from);
  if (quota_names == NULL || out->len == from)
    return;
  guint end = out->len;

  for (guint i = from; i < end; i++) {
    VcAmount a = g_array_index (out, VcAmount, i);
    gboolean is_pods = strcmp (a.name, "pods") == 0;

    if (g_str_has_prefix (a.name, "limits."))
      continue;
    char *name = g_strconcat (is_pods ? "count/" : "requests.", a.name, NULL);

    g_ptr_array_add (quota_names, name);
    a.name = name;
    g_array_append_val (out, a);
  }
}
