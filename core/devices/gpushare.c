/* core/devices/gpushare.c - GPU cards shared by memory, or given out by number.
 *
 * Policy: a node has capacity volcano.sh/gpu-number = n cards with volcano.sh/gpu-memory / n each (whole numbers); the ids in its annotation
 * volcano.sh/gpu-unhealthy-ids are left out. A pod sits on the cards that its annotation volcano.sh/gpu-index lists.
 *   by memory   need = max (sum over containers, greatest init container) of the limit gpu-memory; a card fits when
 *               max (0, memory - sum of the needs of its pods) >= need; the lowest id is taken
 *   by number   the same need of gpu-number; so many cards without any pod, lowest ids first
 * Nothing is scored. A pod that names memory is booked by memory, also where nodes are filtered by number.
 *
 * Example: 4000 on 2 cards; a pod of 1500 sits on card 0. A pod of 600 fits only on card 1, as card 0 has 500 left; one card is idle.
 *
 * Mirrors pkg/scheduler/api/devices/nvidia/gpushare/{device_info,share}.go. */
#include "gpushare.h"
#include <string.h>

#define MEMORY "volcano.sh/gpu-memory"
#define NUMBER "volcano.sh/gpu-number"
#define UNHEALTHY "volcano.sh/gpu-unhealthy-ids"

typedef struct {
  gint64 id;
  guint64 used; /* sum over the pods */
  VcDevicePods pods;
} Card;

struct VcGpuShare {
  guint64 memory; /* of each card */
  guint n;
  const char *full[2]; /* reasons by memory and by number */
  Card *card;          /* ascending by id */
};

typedef struct {
  VcDeviceAsk ask;
  guint64 memory;
  gint64 number;
} Ask;

/* ---- the book --------------------------------------------------------------------------------- */

static Card *
find_card (const VcGpuShare *g, gint64 id)
{
  for (guint i = 0; i < g->n; i++)
    if (g->card[i].id == id)
      return &g->card[i];
  return NULL;
}

static void
drop_card (VcGpuShare *g, gint64 id)
{
  Card *c = find_card (g, id);

  if (c == NULL)
    return;
  memmove (c, c + 1, (gsize) (&g->card[--g->n] - c) * sizeof *c);
}

VcGpuShare *
vc_gpushare_new (gint64 memory, gint64 number, const char *unhealthy)
{
  VcGpuShare *g;
  const char *part, *at = unhealthy;
  gsize len;
  gint64 id;

  if (number <= 0)
    return NULL;
  g = g_new0 (VcGpuShare, 1);
  g->memory = (guint64) (memory / number);
  g->n = (guint) MIN (number, 65536);
  g->card = g_new0 (Card, g->n);
  for (guint i = 0; i < g->n; i++)
    g->card[i].id = i;
  while (vc_device_next_part (&at, ',', &part, &len))
    if (vc_device_int (part, len, &id)) /* what is no number is passed over */
      drop_card (g, id);
  return g;
}

void
vc_gpushare_free (VcGpuShare *g)
{
  if (g == NULL)
    return;
  for (guint i = 0; i < g->n; i++)
    g_free (g->card[i].pods.pod);
  g_free (g->card);
  g_free (g);
}

guint
vc_gpushare_n_cards (const VcGpuShare *g)
{
  return g->n;
}

static void
put_on (Card *c, guint32 pod, guint64 memory)
{
  VcDevicePod *p = vc_device_pods_add (&c->pods, pod);

  c->used += memory - p->memory;
  p->memory = memory;
}

static void
take_off (Card *c, guint32 pod)
{
  const VcDevicePod *p = vc_device_pods_find (&c->pods, pod);

  if (p == NULL)
    return;
  c->used -= p->memory;
  vc_device_pods_remove (&c->pods, pod);
}

/* The ids of a comma list; an entry that is no number makes it no list. */
static GArray *
parse_ids (const char *text)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  const char *part, *at = text;
  gsize len;
  gint64 id;

  while (vc_device_next_part (&at, ',', &part, &len)) {
    if (!vc_device_int (part, len, &id)) {
      g_array_set_size (ids, 0);
      break;
    }
    g_array_append_val (ids, id);
  }
  return ids;
}

void
vc_gpushare_add (VcGpuShare *g, guint32 pod, const char *text, guint64 memory)
{
  g_autoptr (GArray) ids = parse_ids (text);

  for (guint i = 0; i < ids->len; i++) {
    Card *c = find_card (g, g_array_index (ids, gint64, i));

    if (c != NULL)
      put_on (c, pod, memory);
  }
}

static void
remove_pod (VcGpuShare *g, guint32 pod, const char *text)
{
  g_autoptr (GArray) ids = parse_ids (text);

  if (ids->len == 0)
    for (guint i = 0; i < g->n; i++)
      take_off (&g->card[i], pod);
  for (guint i = 0; i < ids->len; i++) {
    Card *c = find_card (g, g_array_index (ids, gint64, i));

    if (c != NULL)
      take_off (c, pod);
  }
}

static guint64
idle_of (const VcGpuShare *g, const Card *c)
{
  return c->used >= g->memory ? 0 : g->memory - c->used;
}

gboolean
vc_gpushare_idle (const VcGpuShare *g, gint64 id, guint64 *memory)
{
  const Card *c = find_card (g, id);

  if (c != NULL)
    *memory = idle_of (g, c);
  return c != NULL;
}

guint
vc_gpushare_idle_cards (const VcGpuShare *g)
{
  guint n = 0;

  for (guint i = 0; i < g->n; i++)
    n += g->card[i].pods.n == 0;
  return n;
}

gint64
vc_gpushare_pick (const VcGpuShare *g, guint64 memory)
{
  for (guint i = 0; i < g->n; i++)
    if (idle_of (g, &g->card[i]) >= memory)
      return g->card[i].id;
  return -1;
}

void
vc_gpushare_need (const VcPodSpec *spec, guint64 *memory, gint64 *number)
{
  guint64 init_memory = 0;
  gint64 init_number = 0;

  *memory = 0;
  *number = 0;
  for (guint i = 0; i < spec->n_containers; i++) {
    const VcContainer *c = &spec->container[i];
    const VcQuantity *m = vc_device_amount (&c->limit, MEMORY), *n = vc_device_amount (&c->limit, NUMBER);

    if (c->init) {
      init_memory = MAX (init_memory, m != NULL ? (guint64) m->value : 0);
      init_number = MAX (init_number, n != NULL ? n->value : 0);
    } else {
      *memory += m != NULL ? (guint64) m->value : 0;
      *number += n != NULL ? n->value : 0;
    }
  }
  *memory = MAX (*memory, init_memory);
  *number = MAX (*number, init_number);
}

/* ---- the family ------------------------------------------------------------------------------- */

static gpointer
make (const VcDeviceCall *call)
{
  VcCluster *c = vc_devices_cluster (call->d);
  const VcNode *node = &c->nodes.info[call->node];
  int memory = vc_res_names_find (c->names, MEMORY), number = vc_res_names_find (c->names, NUMBER);

  if (memory < 0 || number < 0 || !vc_res_has (node->capacity, (guint) memory) || !vc_res_has (node->capacity, (guint) number))
    return NULL;
  /* whole units, rounded up as Value() does */
  VcGpuShare *g = vc_gpushare_new (((gint64) node->capacity->v[memory] + 999) / 1000, ((gint64) node->capacity->v[number] + 999) / 1000,
                                   vc_pairs_get (&node->annotations, UNHEALTHY));

  if (g != NULL) {
    g_autofree char *by_memory = g_strdup_printf ("GpuShare no enough gpu memory on node %s", node->name);
    g_autofree char *by_number = g_strdup_printf ("GpuNumber no enough gpu number on node %s", node->name);

    g->full[0] = vc_cluster_intern (c, by_memory);
    g->full[1] = vc_cluster_intern (c, by_number);
  }
  return g;
}

static gpointer
copy (gconstpointer book)
{
  const VcGpuShare *from = book;
  VcGpuShare *to = g_memdup2 (from, sizeof *from);

  to->card = g_memdup2 (from->card, MAX (from->n, 1) * sizeof *from->card);
  for (guint i = 0; i < from->n; i++)
    to->card[i].pods = vc_device_pods_copy (&from->card[i].pods);
  return to;
}

static VcDeviceAsk *
parse (VcDevices *d, const VcDeviceSlot *slot, const VcShape *shape)
{
  const VcDeviceSettings *s = vc_devices_settings (d);
  guint64 memory;
  gint64 number;

  vc_gpushare_need (&shape->spec, &memory, &number);
  if (memory == 0 && number <= 0)
    return NULL;
  Ask *a = vc_arena_new0 (vc_devices_arena (d), Ask, 1);
  *a = (Ask) { { (s->gpu_sharing && memory > 0) || (s->gpu_number && number > 0) }, memory, number };
  return &a->ask;
}

static gboolean
matters (const VcDeviceCall *call, gconstpointer book, const char *text)
{
  return call->ask != NULL; /* who asks for neither is on no card */
}

static void
add (const VcDeviceCall *call, gpointer book, const char *text)
{
  vc_gpushare_add (book, call->task, text, ((const Ask *) (gconstpointer) call->ask)->memory);
}

static void
sub (const VcDeviceCall *call, gpointer book, const char *text)
{
  remove_pod (book, call->task, text);
}

static void
explain (const VcGpuShare *g, const Ask *a, GString *why)
{
  for (guint i = 0; i < g->n; i++) {
    const Card *c = &g->card[i];

    g_string_append_printf (why, "card %" G_GINT64_FORMAT ": %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " left, %u pods\n", c->id, idle_of (g, c), g->memory, c->pods.n);
  }
}

static VcDeviceVerdict
filter (const VcDeviceCall *call, gpointer book, const char *policy, const char **reason, GString *why)
{
  const VcDeviceSettings *s = vc_devices_settings (call->d);
  const VcGpuShare *g = book;
  const Ask *a = (const Ask *) (gconstpointer) call->ask;

  if (why != NULL)
    explain (g, a, why);
  if (s->gpu_sharing && a->memory > 0 && vc_gpushare_pick (g, a->memory) < 0) {
    *reason = g->full[0];
    return VC_DEVICE_FULL;
  }
  if (s->gpu_number && a->number > 0 && (gint64) vc_gpushare_idle_cards (g) < a->number) {
    *reason = g->full[1];
    return VC_DEVICE_FULL;
  }
  return VC_DEVICE_FITS;
}

static double
score (const VcDeviceCall *call, gpointer book, const char *policy)
{
  return 0;
}

static gboolean
allocate (const VcDeviceCall *call, gpointer book, const char *policy, GString *text)
{
  VcGpuShare *g = book;
  const Ask *a = (const Ask *) (gconstpointer) call->ask;

  if (a->memory > 0) {
    if (!vc_devices_lock (call))
      return FALSE;
    gint64 id = vc_gpushare_pick (g, a->memory);
    if (id < 0)
      return FALSE;
    put_on (find_card (g, id), call->task, a->memory);
    g_string_append_printf (text, "%" G_GINT64_FORMAT, id);
    return TRUE;
  }
  if ((gint64) vc_gpushare_idle_cards (g) < a->number)
    return FALSE;
  for (gint64 left = a->number, i = 0; left > 0; i++)
    if (g->card[i].pods.n == 0) {
      put_on (&g->card[i], call->task, 0);
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT, left < a->number ? "," : "", g->card[i].id);
      left--;
    }
  return TRUE;
}

static void
free_book (gpointer book)
{
  vc_gpushare_free (book);
}

const VcDeviceClass vc_device_gpushare = {
  .name = "GpuShare",
  .summary = "GPU cards shared by memory or given out by number",
  .lock = "gpu",
  .make = make,
  .copy = copy,
  .free = free_book,
  .parse = parse,
  .add = add,
  .sub = sub,
  .matters = matters,
  .filter = filter,
  .score = score,
  .allocate = allocate,
  .release = sub,
};
