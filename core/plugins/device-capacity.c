#include "device-capacity.h"
#include <string.h>

VcCapacityUse *
vc_capacity_use_of (VcCapacityUse *list, guint32 device)
{
  for (VcCapacityUse *u = list; u != NULL; u = u->next)
    if (u->device == device && u->live)
      return u;
  return NULL;
}

void
vc_capacity_use_add (VcCapacityUse **list, VcArena *arena, guint32 device, const VcDeviceObject *o, const VcExact *consumed)
{
  VcCapacityUse *u = vc_capacity_use_of (*list, device);

  if (u == NULL) {
    u = vc_arena_alloc (arena, sizeof *u + o->n_capacities * sizeof (VcNano));
    u->device = device;
    u->live = TRUE;
    u->n = o->n_capacities;
    u->next = *list;
    *list = u;
  }
  for (guint i = 0; i < u->n; i++)
    u->amount[i] += consumed[i].amount;
}

void
vc_capacity_use_remove (VcCapacityUse *list, guint32 device, const VcExact *consumed)
{
  VcCapacityUse *u = vc_capacity_use_of (list, device);
  gboolean any = FALSE;

  for (guint i = 0; u != NULL && i < u->n; i++) {
    u->amount[i] -= consumed[i].amount;
    any |= u->amount[i] != 0;
  }
  if (u != NULL)
    u->live = any;
}

static const VcNano *
asked_of (const VcExacts *asked, const char *name)
{
  for (guint i = 0; i < asked->n; i++)
    if (strcmp (asked->item[i].name, name) == 0)
      return &asked->item[i].amount;
  return NULL;
}

/* Up to the next step from the minimum on, in whole units. */
static VcNano
round_to_range (VcNano q, const VcDeviceCapacity *c)
{
  if (q < c->min)
    return c->min;
  if (!c->has_step)
    return q;
  gint64 step = vc_nano_value (c->step), min = vc_nano_value (c->min), above = vc_nano_value (q) - min;
  gint64 n = above / step + (above % step != 0);
  return (VcNano) (min + step * n) * VC_NANO_ONE;
}

static VcNano
consumption (const VcNano *asked, const VcDeviceCapacity *c)
{
  if (asked == NULL)
    return c->has_policy && c->has_default ? c->fallback : c->value.amount;
  if (!c->has_policy)
    return *asked;
  if (c->has_range && c->has_min)
    return round_to_range (*asked, c);
  for (guint i = 0; i < c->n_valid; i++)
    if (*asked <= c->valid[i])
      return c->valid[i];
  return *asked;
}

static gboolean
violates_policy (VcNano q, const VcDeviceCapacity *c)
{
  if (!c->has_policy || (c->has_default && q == c->fallback))
    return FALSE;
  if (c->has_range) {
    if (c->has_max && q > c->max)
      return TRUE;
    return c->has_step && (vc_nano_value (q) - vc_nano_value (c->min)) % vc_nano_value (c->step) != 0;
  }
  for (guint i = 0; i < c->n_valid; i++)
    if (c->valid[i] == q)
      return FALSE;
  return c->n_valid > 0;
}

VcCapacityCheck
vc_capacity_check (const VcDeviceId *d, const VcDeviceObject *o, const VcExacts *asked, const VcCapacityUse *use)
{
  guint known = 0;

  for (guint i = 0; i < o->n_capacities; i++)
    known += asked->n > 0 && asked_of (asked, o->capacity[i].name) != NULL;
  if (known < asked->n)
    return VC_CAPACITY_UNKNOWN;
  for (guint i = 0; i < o->n_capacities; i++) {
    const VcDeviceCapacity *c = &o->capacity[i];
    VcNano q = consumption (asked_of (asked, c->name), c);

    if (violates_policy (q, c))
      return VC_CAPACITY_LACKS;
    if (d->consumed != NULL || d->flying != NULL)
      q += vc_device_consumed (d, c->name);
    if (use != NULL)
      q += use->amount[i];
    if (q > c->value.amount)
      return VC_CAPACITY_LACKS;
  }
  return VC_CAPACITY_FITS;
}

const VcExact *
vc_capacity_consumption (const VcDeviceObject *o, const VcExacts *asked, VcArena *arena)
{
  VcExact *out = vc_arena_new0 (arena, VcExact, o->n_capacities);

  for (guint i = 0; i < o->n_capacities; i++)
    out[i] = (VcExact) { o->capacity[i].name, consumption (asked_of (asked, o->capacity[i].name), &o->capacity[i]) };
  return out;
}
