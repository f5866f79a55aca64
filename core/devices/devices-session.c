/* The session side of the books: copies, filters, scores, allocation. See devices.h. */
#include "core/model/cluster-ops.h"
#include "devices-private.h"
#include "vgpu.h"
#include <string.h>

/* The session's copies, made at the first write. */
static gpointer *
live_of (VcDevices *d, guint32 node)
{
  VcNodeBooks *b = &d->node[node];

  if (b->live != NULL)
    return b->live;
  b->live = g_new0 (gpointer, d->n_slots);
  for (guint s = 0; s < d->n_slots; s++)
    if (b->base[s] != NULL)
      b->live[s] = d->slot[s].class->copy (b->base[s]);
  g_array_append_val (d->dirty, node);
  return b->live;
}

/* ---- the session ------------------------------------------------------------------------------------- */

void
vc_devices_session_open (VcDevices *d, gint64 now)
{
  d->session++;
  d->now = now;
  for (guint s = 0; s < d->n_slots; s++) {
    const VcDeviceClass *class = d->slot[s].class;

    if (class->open == NULL || (class == &vc_device_vgpu && d->settings.rules == NULL))
      continue;
    for (guint32 n = 0; n < d->cap_nodes; n++)
      if (d->node[n].base != NULL && d->node[n].base[s] != NULL) {
        VcDeviceCall call = vc_devices_call (d, s, n, VC_NONE);

        class->open (&call, live_of (d, n)[s]);
      }
  }
}

void
vc_devices_session_close (VcDevices *d)
{
  for (guint i = 0; i < d->dirty->len; i++) {
    guint32 node = g_array_index (d->dirty, guint32, i);

    vc_devices_free_books (d, &d->node[node].live);
    vc_node_touch (d->c, node, TRUE);
  }
  vc_devices_set_card_choice (d, NULL, NULL);
  g_array_set_size (d->dirty, 0);
  for (guint i = 0; i < d->claiming->len; i++) {
    guint32 task = g_array_index (d->claiming, guint32, i);
    VcClaim *k = vc_claim_find (d, task);

    if (k == NULL)
      continue;
    g_clear_pointer (&k->session, g_array_unref);
    if (k->binding == NULL && k->bound == NULL)
      vc_devices_forget (d, task);
  }
  g_array_set_size (d->claiming, 0);
}

/* Books are copied for a write only. */
static void
move_live (VcDevices *d, guint32 task, gboolean in)
{
  guint32 node = d->c->task[task].node;

  if (vc_devices_base (d, node) == NULL)
    return;
  for (guint s = 0; s < d->n_slots; s++) {
    gpointer book = vc_devices_book (d, s, node);
    VcDeviceCall call = vc_devices_call (d, s, node, task);

    if (book != NULL && call.slot->class->matters (&call, book, vc_devices_carried (&call, task))) {
      vc_devices_move (d, live_of (d, node), task, in);
      return;
    }
  }
}

void
vc_devices_session_put (VcDevices *d, guint32 task)
{
  if (d->n_slots > 0 && vc_devices_is_booked (d->c->task[task].status))
    move_live (d, task, TRUE);
}

void
vc_devices_session_take (VcDevices *d, guint32 task)
{
  if (d->n_slots > 0 && vc_devices_is_booked (d->c->task[task].status))
    move_live (d, task, FALSE);
}

gboolean
vc_devices_scored (const VcDeviceCall *call)
{
  return call->d->node[call->node].scored[call->slot->index] == call->d->session;
}

gboolean
vc_devices_lock (const VcDeviceCall *call)
{
  const char *name = call->slot->class->lock;
  VcDevices *d = call->d;

  return !d->settings.node_lock || name == NULL || vc_node_locks_take (d->locks, call->node, name, d->now);
}

/* Does the pod ask the family for something on a node that has the devices? */
static gboolean
concerns (VcDevices *d, guint slot, guint32 node, guint32 task, VcDeviceCall *call, gpointer *book)
{
  *book = vc_devices_book (d, slot, node);
  if (*book == NULL)
    return FALSE;
  *call = vc_devices_call (d, slot, node, task);
  return call->ask != NULL && call->ask->asks;
}

VcDeviceVerdict
vc_devices_filter (VcDevices *d, guint32 task, guint32 node, const char *policy, const char **reason, GString *why)
{
  VcDeviceCall call;
  gpointer book;

  for (guint s = 0; s < d->n_slots; s++) {
    if (!concerns (d, s, node, task, &call, &book))
      continue;
    VcDeviceVerdict v = call.slot->class->filter (&call, book, policy, reason, why);
    if (v != VC_DEVICE_FITS)
      return v;
  }
  return VC_DEVICE_FITS;
}

gboolean
vc_devices_fit_without (VcDevices *d, guint32 task, guint32 node, const guint32 *gone, guint n)
{
  const char *ignored;
  VcDeviceCall call, leaving;
  gpointer book;

  for (guint s = 0; s < d->n_slots; s++) {
    if (!concerns (d, s, node, task, &call, &book))
      continue;
    const VcDeviceClass *class = call.slot->class;
    gpointer paper = class->copy (book);
    for (guint i = 0; i < n; i++) {
      leaving = vc_devices_call (d, s, node, gone[i]);
      const char *text = vc_devices_carried (&leaving, gone[i]);
      if (class->matters (&leaving, paper, text))
        class->sub (&leaving, paper, text);
    }
    gboolean fits = class->filter (&call, paper, "", &ignored, NULL) == VC_DEVICE_FITS;
    class->free (paper);
    if (!fits)
      return FALSE;
  }
  return TRUE;
}

guint
vc_devices_n_families (const VcDevices *d)
{
  return d->n_slots;
}

const char *
vc_devices_family_name (const VcDevices *d, guint family)
{
  return d->slot[d->by_name[family]].name;
}

gboolean
vc_devices_family_score (VcDevices *d, guint family, guint32 task, guint32 node, const char *policy, gboolean filtered, double *score)
{
  VcDeviceCall call;
  gpointer book;

  if (!concerns (d, d->by_name[family], node, task, &call, &book) || call.slot->class->score == NULL)
    return FALSE;
  *score = 0;
  if (filtered || call.slot->class != &vc_device_vgpu) /* its score is what the filter left */
    *score = call.slot->class->score (&call, book, policy);
  return TRUE;
}

double
vc_devices_score (VcDevices *d, guint32 task, guint32 node, const char *policy, gboolean filtered)
{
  double sum = 0, score;

  for (guint i = 0; i < d->n_slots; i++)
    if (vc_devices_family_score (d, i, task, node, policy, filtered, &score)) {
      d->node[node].scored[d->by_name[i]] = d->session;
      sum += score;
    }
  return sum;
}

gboolean
vc_devices_allocate (VcDevices *d, guint32 task)
{
  guint32 node = d->c->task[task].node;
  VcDeviceCall call;
  gpointer book;

  for (guint s = 0; s < d->n_slots; s++) {
    if (!concerns (d, s, node, task, &call, &book))
      continue;
    g_autoptr (GString) text = g_string_new (NULL);
    vc_node_touch (d->c, node, FALSE);
    if (!call.slot->class->allocate (&call, live_of (d, node)[s], d->settings.policy, text))
      return FALSE;
    vc_claim_set (d, task, call.slot->key, text->str);
  }
  return TRUE;
}

void
vc_devices_release (VcDevices *d, guint32 task)
{
  guint32 node = d->c->task[task].node;
  VcDeviceCall call;
  gpointer book;

  for (guint s = 0; s < d->n_slots; s++) {
    if (!concerns (d, s, node, task, &call, &book))
      continue;
    VcClaim *k = vc_claim_find (d, task);
    call.slot->class->release (&call, live_of (d, node)[s], vc_devices_carried (&call, task));
    vc_node_touch (d->c, node, TRUE);
    if (k != NULL)
      vc_claim_drop (k->session, call.slot->key);
  }
}

/* ---- cards ---------------------------------------------------------------------------------------------- */

static gint
vgpu_slot (const VcDevices *d)
{
  for (guint s = 0; s < d->n_slots; s++)
    if (d->slot[s].class == &vc_device_vgpu)
      return (gint) s;
  return -1;
}

void
vc_devices_cards (const VcDevices *d, guint32 node, GArray *out)
{
  gint slot = vgpu_slot (d);
  const VcVgpu *g = slot >= 0 ? vc_devices_book (d, (guint) slot, node) : NULL;

  g_array_set_size (out, 0);
  for (guint i = 0; g != NULL && i < g->n; i++) {
    const VcDeviceCard card = { g->card[i].memory, g->card[i].used_memory };

    g_array_append_val (out, card);
  }
}

VcDeviceCardRequest
vc_devices_card_request (VcDevices *d, const VcShape *shape)
{
  VcDeviceCardRequest r = { 0 };
  gint slot = vgpu_slot (d);
  const VcVgpuAsk *a = slot >= 0 ? (const VcVgpuAsk *) (gconstpointer) vc_devices_asks (d, shape)[slot] : NULL;

  for (guint i = 0; a != NULL && i < a->n; i++) {
    const VcDeviceRequest *c = &a->request[i];
    gboolean percent = c->percent != VC_DEVICE_NO_PERCENT;
    guint64 memory = (guint64) MAX (0, percent ? c->percent : c->memory);

    if (c->nums <= 0)
      continue;
    r.cards += (guint) c->nums;
    if (memory >= r.memory) {
      r.memory = memory;
      r.percent = percent;
    }
  }
  return r;
}

void
vc_devices_set_card_choice (VcDevices *d, VcDeviceCardFn fn, gpointer user)
{
  d->card_choice = fn;
  d->card_choice_user = user;
}

gint
vc_devices_chosen_card (const VcDeviceCall *call)
{
  return call->d->card_choice != NULL ? call->d->card_choice (call->d->card_choice_user, call->task, call->node) : -1;
}

/* ---- what others read -------------------------------------------------------------------------------- */

char *
vc_devices_describe (VcDevices *d, guint32 task)
{
  const VcClaim *k = d->n_slots > 0 ? vc_claim_find (d, task) : NULL;
  const GArray *list = k == NULL ? NULL : k->session != NULL ? k->session : k->binding != NULL ? k->binding : k->bound;
  GString *out;

  if (list == NULL || list->len == 0)
    return NULL;
  out = g_string_new (NULL);
  for (guint i = 0; i < list->len; i++)
    g_string_append_printf (out, "%s%s=%s", i > 0 ? " " : "", g_array_index (list, VcAssigned, i).key, g_array_index (list, VcAssigned, i).value);
  return g_string_free (out, FALSE);
}

void
vc_devices_score_batch (VcDevices *d, guint32 task, const guint32 *nodes, guint n, double weight, double *score)
{
}

void
vc_devices_queue_amounts (VcDevices *d, guint32 task, VcDeviceAmountFn fn, gpointer user)
{
  VcDeviceCall call;
  gpointer book;

  for (guint i = 0; i < d->n_slots; i++)
    if (concerns (d, d->by_name[i], d->c->task[task].node, task, &call, &book) && call.slot->class->queue_amounts != NULL)
      call.slot->class->queue_amounts (&call, book, vc_devices_carried (&call, task), fn, user);
}
