/* What containers ask for, and the small pieces that families share. Mirrors ExtractResourceRequest of pkg/scheduler/api/devices/util.go. */
#include "device-class.h"
#include <string.h>

const VcQuantity *
vc_device_amount (const VcAmounts *a, const char *name)
{
  for (guint i = 0; name != NULL && i < a->n; i++)
    if (strcmp (a->item[i].name, name) == 0)
      return &a->item[i].q;
  return NULL;
}

gboolean
vc_device_limited (const VcPodSpec *spec, const char *name)
{
  for (guint i = 0; i < spec->n_containers; i++)
    if (!spec->container[i].init && vc_device_amount (&spec->container[i].limit, name) != NULL)
      return TRUE;
  return FALSE;
}

/* AsInt64: a fraction, or nothing, leaves *out. The figures are kept in 32 bits, so greater ones wrap around. */
static void
whole (const VcQuantity *q, gint32 *out)
{
  if (q != NULL && q->milli % 1000 == 0)
    *out = (gint32) (guint32) (guint64) q->value;
}

static const VcQuantity *
limit_or_request (const VcContainer *c, const char *name)
{
  const VcQuantity *q = name != NULL && *name != '\0' ? vc_device_amount (&c->limit, name) : NULL;

  return q != NULL || name == NULL || *name == '\0' ? q : vc_device_amount (&c->request, name);
}

VcDeviceRequest *
vc_device_requests (const VcPodSpec *spec, VcArena *arena, const char *count, const char *memory, const char *percentage, const char *cores, guint *n)
{
  VcDeviceRequest *list = vc_arena_new0 (arena, VcDeviceRequest, spec->n_containers);

  *n = 0;
  for (guint i = 0; i < spec->n_containers; i++) {
    const VcContainer *c = &spec->container[i];
    const VcQuantity *number = vc_device_amount (&c->limit, count);
    VcDeviceRequest r = { .nums = 1, .percent = VC_DEVICE_NO_PERCENT };

    if (c->init || (number == NULL && vc_device_amount (&c->limit, memory) == NULL))
      continue;
    if (number != NULL) {
      r.nums = 0;
      whole (number, &r.nums);
    }
    const VcQuantity *amount = vc_device_amount (&c->limit, memory);
    whole (amount != NULL ? amount : vc_device_amount (&c->request, memory), &r.memory);
    whole (limit_or_request (c, percentage), &r.percent);
    if (r.percent == VC_DEVICE_NO_PERCENT && r.memory == 0)
      r.percent = 100; /* neither is given: the whole card */
    whole (limit_or_request (c, cores), &r.cores);
    list[(*n)++] = r;
  }
  return list;
}

/* ---- texts ---- */

gboolean
vc_device_int (const char *text, gsize len, gint64 *out)
{
  gsize i = len > 0 && (*text == '-' || *text == '+');
  guint64 v = 0, limit = (guint64) G_MAXINT64 + (len > 0 && *text == '-');

  if (i == len)
    return FALSE;
  for (; i < len; i++)
    if (!g_ascii_isdigit (text[i]) || !g_uint64_checked_mul (&v, v, 10) || !g_uint64_checked_add (&v, v, (guint64) (text[i] - '0')) || v > limit)
      return FALSE;
  *out = *text == '-' ? (gint64) (0 - v) : (gint64) v;
  return TRUE;
}

gboolean
vc_device_uint32 (const char *text, gsize len, guint32 *out)
{
  gint64 v;

  if (len == 0 || !g_ascii_isdigit (*text) || !vc_device_int (text, len, &v) || v > G_MAXUINT32)
    return FALSE;
  *out = (guint32) v;
  return TRUE;
}

gboolean
vc_device_next_part (const char **at, char separator, const char **part, gsize *len)
{
  if (*at == NULL)
    return FALSE;
  const char *end = strchr (*at, separator);

  *part = *at;
  *len = end != NULL ? (gsize) (end - *at) : strlen (*at);
  *at = end != NULL ? end + 1 : NULL;
  return TRUE;
}

/* ---- pods of a card ---- */

VcDevicePod *
vc_device_pods_find (const VcDevicePods *p, guint32 task)
{
  for (guint32 i = 0; i < p->n; i++)
    if (p->pod[i].task == task)
      return &p->pod[i];
  return NULL;
}

VcDevicePod *
vc_device_pods_add (VcDevicePods *p, guint32 task)
{
  VcDevicePod *known = vc_device_pods_find (p, task);

  if (known != NULL)
    return known;
  if (p->n == p->cap) {
    p->cap = MAX (4u, p->cap * 2);
    p->pod = g_renew (VcDevicePod, p->pod, p->cap);
  }
  p->pod[p->n] = (VcDevicePod) { .task = task };
  return &p->pod[p->n++];
}

void
vc_device_pods_remove (VcDevicePods *p, guint32 task)
{
  VcDevicePod *known = vc_device_pods_find (p, task);

  if (known != NULL)
    *known = p->pod[--p->n];
}

VcDevicePods
vc_device_pods_copy (const VcDevicePods *p)
{
  VcDevicePods copy = { .n = p->n, .cap = p->n };

  copy.pod = p->n > 0 ? g_memdup2 (p->pod, p->n * sizeof *p->pod) : NULL;
  return copy;
}
