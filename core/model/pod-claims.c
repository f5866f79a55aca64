/* What pods and queues keep of claims, and texts about them. */
#include "claims.h"
#include <string.h>

/* ---- pods ------------------------------------------------------------------------------------ */

static int
compare_charged (gconstpointer a, gconstpointer b)
{
  return strcmp (((const VcChargedClaim *) a)->key, ((const VcChargedClaim *) b)->key);
}

VcPodClaims *
vc_pod_claims_new (VcClaims *s, const char *ns, const VcPodClaim *entry, guint n, gboolean *drop)
{
  VcPodClaims *p = g_new0 (VcPodClaims, 1);
  gboolean waits = FALSE;

  *drop = FALSE;
  p->n = n;
  p->entry = g_new0 (VcPodClaim, n);
  p->charged = g_new0 (VcChargedClaim, n);
  for (guint i = 0; i < n; i++) {
    p->entry[i] = entry[i];
    p->entry[i].name = vc_cluster_intern (s->cluster, entry[i].name);
    p->entry[i].claim = vc_cluster_intern (s->cluster, entry[i].claim);
    p->entry[i].template = vc_cluster_intern (s->cluster, entry[i].template);
    guint32 row = entry[i].claim != NULL ? vc_claims_find (s, ns, entry[i].claim) : VC_NONE;
    guint k = 0;
    waits |= row == VC_NONE && entry[i].template != NULL;
    *drop |= row == VC_NONE && entry[i].template == NULL && !waits; /* the first that is missing decides */
    while (row != VC_NONE && k < p->n_charged && p->charged[k].key != s->claim[row].key)
      k++;
    if (row != VC_NONE && k == p->n_charged && s->claim[row].plan->n_demands > 0)
      p->charged[p->n_charged++] = (VcChargedClaim) { s->claim[row].key, s->claim[row].plan };
  }
  if (waits)
    p->n_charged = 0;
  qsort (p->charged, p->n_charged, sizeof *p->charged, compare_charged);
  if (*drop)
    g_clear_pointer (&p, vc_pod_claims_free);
  return p;
}

void
vc_pod_claims_free (VcPodClaims *p)
{
  if (p == NULL)
    return;
  g_free (p->entry);
  g_free (p->charged);
  g_free (p);
}

/* ---- quotas ---------------------------------------------------------------------------------- */

/* "deviceclass/CLASS" or "DIMENSION.deviceclass/CLASS". *dimension is NULL for the former. */
static const char *
quota_class (VcCluster *c, const char *name, const char **dimension)
{
  static const char prefix[] = "deviceclass/", separator[] = ".deviceclass/";
  const char *at = strstr (name, separator), *class = NULL;

  *dimension = NULL;
  if (at != NULL && at > name) {
    g_autofree char *text = g_strndup (name, (gsize) (at - name));
    *dimension = vc_cluster_intern (c, text);
    class = at + strlen (separator);
  } else if (g_str_has_prefix (name, prefix)) {
    class = name + strlen (prefix);
  }
  return class != NULL && *class != '\0' ? vc_cluster_intern (c, class) : NULL;
}

static gboolean
names_devices (VcCluster *c, const VcAmounts *list)
{
  const char *ignored;

  for (guint i = 0; i < list->n; i++)
    if (quota_class (c, list->item[i].name, &ignored) != NULL)
      return TRUE;
  return FALSE;
}

VcDeviceQuota *
vc_device_quota_new (VcCluster *c, const VcAmounts *capability, const VcAmounts *deserved, const VcAmounts *guarantee)
{
  if (!names_devices (c, capability) && !names_devices (c, deserved) && !names_devices (c, guarantee))
    return NULL;
  VcDeviceQuota *q = g_new0 (VcDeviceQuota, 1);
  q->arena = vc_arena_new ();
  VcDeviceDemand *of = vc_arena_new0 (q->arena, VcDeviceDemand, capability->n);
  for (guint i = 0; i < capability->n; i++) {
    const char *dimension, *class = quota_class (c, capability->item[i].name, &dimension);
    const VcQuantity *amount = &capability->item[i].q;
    guint at = 0;

    if (class == NULL)
      continue;
    while (at < q->n && of[at].device_class != class)
      at++;
    q->n = MAX (q->n, at + 1);
    of[at].device_class = class;
    if (dimension == NULL) {
      of[at].count = amount->value;
      continue;
    }
    VcExact *item = vc_arena_new0 (q->arena, VcExact, of[at].capacity.n + 1);
    if (of[at].capacity.n > 0)
      memcpy (item, of[at].capacity.item, of[at].capacity.n * sizeof *item);
    /* to the milli, beyond which no quota goes; an amount too great for that in whole units */
    item[of[at].capacity.n] = (VcExact) { dimension, amount->milli == G_MAXINT64 ? (VcNano) amount->value * VC_NANO_ONE : (VcNano) amount->milli * (VC_NANO_ONE / 1000) };
    of[at].capacity = (VcExacts) { item, of[at].capacity.n + 1, TRUE };
  }
  q->capability = of;
  return q;
}

void
vc_device_quota_free (VcDeviceQuota *q)
{
  if (q == NULL)
    return;
  vc_arena_free (q->arena);
  g_free (q);
}

/* ---- texts -------------------------------------------------------------------------------------- */

char *
vc_allocation_describe (const VcClaims *s, const VcAllocation *a)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < a->n; i++) {
    const VcDeviceId *d = vc_claims_device (s, a->taken[i].device);
    g_string_append_printf (out, "%s%s=%s/%s/%s", i > 0 ? " " : "", a->taken[i].request, d->driver, d->pool, d->name);
  }
  return g_string_free (out, FALSE);
}

char *
vc_pod_claims_describe (const VcClaims *s, const char *ns, const VcPodClaims *p)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; p != NULL && i < p->n; i++) {
    guint32 row = p->entry[i].claim != NULL ? vc_claims_find (s, ns, p->entry[i].claim) : VC_NONE;
    const VcAllocation *a = row == VC_NONE ? NULL : s->claim[row].flight != NULL ? s->claim[row].flight : s->claim[row].allocation;
    if (a == NULL)
      continue;
    g_autofree char *devices = vc_allocation_describe (s, a);
    g_string_append_printf (out, "%sclaim %s: %s", out->len > 0 ? "; " : "", s->claim[row].key, devices);
  }
  return out->len > 0 ? g_strdup (out->str) : NULL;
}
