#include "capacity-devices.h"
#include "core/session/session.h"
#include <string.h>

/* Devices by class: how many, and how much of each dimension. */
typedef struct { const char *device_class; gint64 count; GArray *capacity; /* VcExact */ } Amount;
struct CapacityDeviceList { GArray *amount; };
struct CapacityDevices {
  const VcDeviceQuota *quota;
  CapacityDeviceList allocated, inqueue;
  GHashTable *holders; /* claim key → number of tasks */
};

/* ---- lists of amounts ---------------------------------------------------------------------------- */

static void
amount_clear (gpointer p)
{
  g_array_unref (((Amount *) p)->capacity);
}

static void
list_init (CapacityDeviceList *l)
{
  l->amount = g_array_new (FALSE, FALSE, sizeof (Amount));
  g_array_set_clear_func (l->amount, amount_clear);
}

static Amount *
list_find (const CapacityDeviceList *l, const char *class)
{
  for (guint i = 0; i < l->amount->len; i++)
    if (g_array_index (l->amount, Amount, i).device_class == class)
      return &g_array_index (l->amount, Amount, i);
  return NULL;
}

static Amount *
list_get (CapacityDeviceList *l, const char *class)
{
  Amount fresh = { class, 0, NULL }, *a = list_find (l, class);

  if (a != NULL)
    return a;
  fresh.capacity = g_array_new (FALSE, FALSE, sizeof (VcExact));
  g_array_append_val (l->amount, fresh);
  return &g_array_index (l->amount, Amount, l->amount->len - 1);
}

static VcExact *
find_dimension (const GArray *list, const char *name)
{
  for (guint i = 0; list != NULL && i < list->len; i++)
    if (g_array_index (list, VcExact, i).name == name)
      return &g_array_index (list, VcExact, i);
  return NULL;
}

static VcNano
dimension_of (const Amount *a, const char *name)
{
  const VcExact *q = a != NULL ? find_dimension (a->capacity, name) : NULL;

  return q != NULL ? q->amount : 0;
}

static gint64
sum (gint64 a, gint64 b)
{
  gint64 s;

  return __builtin_add_overflow (a, b, &s) ? (a > 0 ? G_MAXINT64 : G_MININT64) : s;
}

static gint64
product (gint64 a, gint64 b)
{
  gint64 p;

  return __builtin_mul_overflow (a, b, &p) ? ((a > 0) == (b > 0) ? G_MAXINT64 : G_MININT64) : p;
}

static VcNano
times (VcNano q, gint64 n)
{
  VcNano p;

  return __builtin_mul_overflow (q, (VcNano) n, &p) ? ((q > 0) == (n > 0) ? (VcNano) 1 << 120 : -((VcNano) 1 << 120)) : p;
}

static void
add_dimension (GArray *list, const char *name, VcNano more)
{
  VcExact *q = find_dimension (list, name), fresh = { name, more };

  if (q == NULL)
    g_array_append_val (list, fresh);
  else if (__builtin_add_overflow (q->amount, more, &q->amount))
    q->amount = more > 0 ? (VcNano) 1 << 120 : -((VcNano) 1 << 120);
}

static void
list_add (CapacityDeviceList *l, const VcDeviceDemand *demand, guint n, gint64 n_times)
{
  for (guint i = 0; i < n; i++) {
    Amount *a = list_get (l, demand[i].device_class);

    a->count = sum (a->count, product (demand[i].count, n_times));
    for (guint k = 0; k < demand[i].capacity.n; k++)
      add_dimension (a->capacity, demand[i].capacity.item[k].name, times (demand[i].capacity.item[k].amount, n_times));
  }
}

/* Never below zero. */
static void
list_subtract (CapacityDeviceList *l, const VcDeviceDemand *demand, guint n)
{
  for (guint i = 0; i < n; i++) {
    Amount *a = list_find (l, demand[i].device_class);

    if (a == NULL)
      continue;
    a->count = (gint64) ((guint64) a->count - (guint64) demand[i].count);
    a->count = MAX (a->count, 0);
    for (guint k = 0; k < demand[i].capacity.n; k++) {
      VcExact *q = find_dimension (a->capacity, demand[i].capacity.item[k].name);
      if (q != NULL)
        q->amount = MAX (q->amount - demand[i].capacity.item[k].amount, 0);
    }
  }
}

static void
list_copy (const CapacityDeviceList *from, CapacityDeviceList *to)
{
  list_init (to);
  for (guint i = 0; i < from->amount->len; i++) {
    const Amount *a = &g_array_index (from->amount, Amount, i);
    Amount copy = { a->device_class, a->count, g_array_copy (a->capacity) };
    g_array_append_val (to->amount, copy);
  }
}

/* ---- a queue -------------------------------------------------------------------------------------- */

CapacityDevices *
capacity_devices_new (const VcQueue *queue)
{
  if (queue->devices == NULL)
    return NULL;
  CapacityDevices *d = g_new0 (CapacityDevices, 1);

  d->quota = queue->devices;
  list_init (&d->allocated);
  list_init (&d->inqueue);
  d->holders = g_hash_table_new (NULL, NULL);
  return d;
}

CapacityDevices *
capacity_devices_copy (const CapacityDevices *from)
{
  GHashTableIter it;
  gpointer key, value;

  if (from == NULL)
    return NULL;
  CapacityDevices *d = g_new0 (CapacityDevices, 1);
  d->quota = from->quota;
  list_copy (&from->allocated, &d->allocated);
  list_copy (&from->inqueue, &d->inqueue);
  d->holders = g_hash_table_new (NULL, NULL);
  g_hash_table_iter_init (&it, from->holders); /* a copy: the order says nothing */
  while (g_hash_table_iter_next (&it, &key, &value))
    g_hash_table_insert (d->holders, key, value);
  return d;
}

void
capacity_devices_free (CapacityDevices *d)
{
  if (d == NULL)
    return;
  g_array_unref (d->allocated.amount);
  g_array_unref (d->inqueue.amount);
  g_hash_table_unref (d->holders);
  g_free (d);
}

static guint
holders_of (const CapacityDevices *d, const VcChargedClaim *c)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (d->holders, c->key));
}

void
capacity_devices_add_task (CapacityDevices *d, const VcTask *t)
{
  for (guint i = 0; d != NULL && t->claims != NULL && i < t->claims->n_charged; i++) {
    const VcChargedClaim *c = &t->claims->charged[i];
    guint n = holders_of (d, c);

    if (n == 0)
      list_add (&d->allocated, c->plan->demand, c->plan->n_demands, 1);
    g_hash_table_insert (d->holders, (gpointer) c->key, GUINT_TO_POINTER (n + 1));
  }
}

void
capacity_devices_remove_task (CapacityDevices *d, const VcTask *t)
{
  for (guint i = 0; d != NULL && t->claims != NULL && i < t->claims->n_charged; i++) {
    const VcChargedClaim *c = &t->claims->charged[i];
    guint n = holders_of (d, c);

    if (n > 1) {
      g_hash_table_insert (d->holders, (gpointer) c->key, GUINT_TO_POINTER (n - 1));
      continue;
    }
    list_subtract (&d->allocated, c->plan->demand, c->plan->n_demands);
    g_hash_table_remove (d->holders, c->key);
  }
}

static const VcDeviceDemand *
capability_of (const CapacityDevices *d, const char *class)
{
  for (guint i = 0; i < d->quota->n; i++)
    if (d->quota->capability[i].device_class == class)
      return &d->quota->capability[i];
  return NULL;
}

void
capacity_devices_pass_on (const CapacityDevices *now, const CapacityDevices *before, CapacityDevices *above)
{
  if (now == NULL || above == NULL)
    return;
  for (guint i = 0; i < now->allocated.amount->len; i++) {
    const Amount *a = &g_array_index (now->allocated.amount, Amount, i), *old = list_find (&before->allocated, a->device_class);

    if (capability_of (above, a->device_class) == NULL)
      continue;
    Amount *sum_above = list_get (&above->allocated, a->device_class);
    sum_above->count = sum (sum_above->count, (gint64) ((guint64) a->count - (guint64) (old != NULL ? old->count : 0)));
    for (guint k = 0; k < a->capacity->len; k++) {
      const VcExact *q = &g_array_index (a->capacity, VcExact, k);
      add_dimension (sum_above->capacity, q->name, q->amount - dimension_of (old, q->name));
    }
  }
}

/* checkDRAAllocatable */
static gboolean
fits (const CapacityDevices *d, const CapacityDeviceList *request, gboolean dimensions, gboolean admission)
{
  for (guint i = 0; i < request->amount->len; i++) {
    const Amount *r = &g_array_index (request->amount, Amount, i);
    const VcDeviceDemand *most = capability_of (d, r->device_class);

    if (most == NULL)
      continue;
    const Amount *held = list_find (&d->allocated, r->device_class), *admitted = admission ? list_find (&d->inqueue, r->device_class) : NULL;
    gint64 count = sum (held != NULL ? held->count : 0, admitted != NULL ? admitted->count : 0);
    if (most->count > 0 && sum (count, r->count) > most->count)
      return FALSE;
    for (guint k = 0; dimensions && k < r->capacity->len; k++) {
      const VcExact *q = &g_array_index (r->capacity, VcExact, k);
      const VcNano *room = NULL;
      for (guint m = 0; m < most->capacity.n && room == NULL; m++)
        if (most->capacity.item[m].name == q->name)
          room = &most->capacity.item[m].amount;
      if (room == NULL || dimension_of (held, q->name) + dimension_of (admitted, q->name) + q->amount > *room)
        return FALSE;
    }
  }
  return TRUE;
}

gboolean
capacity_devices_fit_task (const CapacityDevices *d, const VcTask *t, gboolean dimensions)
{
  CapacityDeviceList more;

  if (d == NULL || t->claims == NULL || t->claims->n_charged == 0)
    return TRUE;
  list_init (&more);
  for (guint i = 0; i < t->claims->n_charged; i++) /* claims that the queue holds already cost nothing more */
    if (holders_of (d, &t->claims->charged[i]) == 0)
      list_add (&more, t->claims->charged[i].plan->demand, t->claims->charged[i].plan->n_demands, 1);
  gboolean good = fits (d, &more, dimensions, FALSE);
  g_array_unref (more.amount);
  return good;
}

/* ---- jobs ----------------------------------------------------------------------------------------- */

/* A task's devices as its claims add up, whoever else has them; counts wrap as upstream's do here. */
static void
add_task_times (CapacityDeviceList *to, const VcTask *t, gint64 n_times)
{
  CapacityDeviceList own;

  list_init (&own);
  for (guint i = 0; i < t->claims->n_charged; i++) {
    const VcClaimPlan *plan = t->claims->charged[i].plan;
    for (guint k = 0; k < plan->n_demands; k++) {
      Amount *a = list_get (&own, plan->demand[k].device_class);
      a->count = (gint64) ((guint64) a->count + (guint64) plan->demand[k].count);
      for (guint m = 0; m < plan->demand[k].capacity.n; m++)
        add_dimension (a->capacity, plan->demand[k].capacity.item[m].name, plan->demand[k].capacity.item[m].amount);
    }
  }
  for (guint i = 0; i < own.amount->len; i++) {
    const Amount *a = &g_array_index (own.amount, Amount, i);
    const VcDeviceDemand d = { a->device_class, a->count, { (const VcExact *) (gpointer) a->capacity->data, a->capacity->len, TRUE } };
    list_add (to, &d, 1, n_times);
  }
  g_array_unref (own.amount);
}

static int
compare_tasks (gconstpointer a, gconstpointer b, gpointer tasks)
{
  const VcTask *t = tasks, *l = &t[*(const guint32 *) a], *r = &t[*(const guint32 *) b];
  int c = strcmp (l->ns, r->ns);

  c = c != 0 ? c : strcmp (l->name, r->name);
  return c != 0 ? c : strcmp (l->uid, r->uid);
}

CapacityDeviceList *
capacity_devices_minimum (const VcCluster *c, const VcJob *j)
{
  g_autoptr (CapacityDeviceList) l = g_new0 (CapacityDeviceList, 1);
  g_autoptr (GArray) tasks = NULL;
  gboolean roles = FALSE;

  if (c->claims == NULL)
    return NULL;
  list_init (l);
  for (guint i = 0; i < j->n_roles; i++)
    roles |= j->role[i].min >= 0;
  roles |= j->role_min_total > 0;
  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = vc_task (c, j->task[i]);

    if (t->claims == NULL || t->claims->n_charged == 0)
      continue;
    if (tasks == NULL)
      tasks = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_array_append_val (tasks, j->task[i]);
  }
  if (tasks == NULL)
    return NULL;
  if (!roles) {
    g_array_sort_with_data (tasks, compare_tasks, c->task);
    for (guint i = 0; i < tasks->len && (gint64) i < j->min_available; i++)
      add_task_times (l, vc_task (c, g_array_index (tasks, guint32, i)), 1);
  } else { /* the first task of each role stands for all of it */
    g_autofree gboolean *seen = g_new0 (gboolean, j->n_roles + 1);
    for (guint i = 0; i < tasks->len; i++) {
      const VcTask *t = vc_task (c, g_array_index (tasks, guint32, i));
      if (j->role[t->role].min > 0 && !seen[t->role])
        add_task_times (l, t, j->role[t->role].min);
      seen[t->role] |= j->role[t->role].min > 0;
    }
  }
  return l->amount->len > 0 ? g_steal_pointer (&l) : NULL;
}

void
capacity_device_list_free (CapacityDeviceList *l)
{
  if (l == NULL)
    return;
  g_array_unref (l->amount);
  g_free (l);
}

gboolean
capacity_devices_fit_minimum (const CapacityDevices *d, const CapacityDeviceList *minimum, gboolean dimensions)
{
  return d == NULL || minimum == NULL || fits (d, minimum, dimensions, TRUE);
}

void
capacity_devices_admit (CapacityDevices *d, const CapacityDeviceList *minimum)
{
  for (guint i = 0; d != NULL && minimum != NULL && i < minimum->amount->len; i++) {
    const Amount *a = &g_array_index (minimum->amount, Amount, i);
    const VcDeviceDemand more = { a->device_class, a->count, { (const VcExact *) (gpointer) a->capacity->data, a->capacity->len, TRUE } };
    list_add (&d->inqueue, &more, 1, 1);
  }
}
