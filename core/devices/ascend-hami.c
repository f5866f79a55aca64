/* core/devices/ascend-hami.c - Ascend NPUs shared by HAMi: cut by templates, or softly (hami-core).
 *
 * Policy: the configuration lists types of NPU. A node has devices of a type when some of the type's resource is allocatable and its annotation
 * hami.io/node-register-TYPE is a JSON list of them (id, count, devmem, devcore, custominfo). Each container with a limit of the type's resource or of
 * its memory asks for so many devices (1), each with so much memory (all of it when none is given) and cores (RESOURCE-core, 0). Memory is rounded up to
 * a template, beyond the greatest to memoryAllocatable, beyond memoryCapacity to 0; several devices for one container must be whole ones, else that is
 * an error. With huawei.com/vnpu-mode: hami-core nothing is rounded, and the node must offer that (annotation hami-vnpu-core, else the configuration).
 *
 *   order     by score, greatest first, equal ones by id: binpack 100 * used memory / memory; spread 100 for a device that nobody uses; else 0
 *   fits      fewer pods than count; memory and cores enough (100 cores under hami-core); all 100 cores only for the first pod; a device with all cores
 *             used takes no pod without cores. Each container takes devices that no earlier one has taken
 *   Ascend910 when every device tells its NetworkID: of all that fit, those of the network with most of them first
 *   score     sum over the containers of the score of their first device; for Ascend910 with NetworkIDs + 10 * the greatest number of devices of one network
 *             / all of them
 *
 * Example (310P, templates 3072, 6144, 12288, allocatable 21527): 3073 MB become 6144. A device of 21527 with 3072 used scores 14.27 under binpack.
 *
 * A node is chosen with the plugin's policy, but its devices are then taken with the policy of the last scoring of this node in this session: with none
 * when it was the only candidate. An assignment is read back as one list, so that the first device of every further container is lost, as upstream's is.
 *
 * Mirrors pkg/scheduler/api/devices/ascend/hami/device_info.go. */
#include "ascend-hami.h"
#include "core/base/go-sort.h"
#include "core/base/json.h"
#include <string.h>

#define NETWORK_WEIGHT 10
#define NETWORK_PREFIX "Ascend910"

typedef enum { NETWORK_NONE, NETWORK_ODD /* no number */, NETWORK_NUMBER } Network;

typedef struct {
  const char *id;
  gint32 count, memory, cores;
  Network network;
  gint64 network_id;
  gint32 used, used_memory, used_cores;
  VcDevicePods pods;
} Device;

typedef struct {
  const VcNpuConfig *config;
  gboolean hami_core; /* the node offers soft partitions */
  guint n;
  Device *device;     /* ascending by id */
} Book;

typedef struct {
  VcDeviceAsk ask;
  VcDeviceRequest *request; guint n; /* by container */
  gboolean hami_core;
} Ask;

typedef struct { guint container, device; gint32 memory, cores; } Pick;

/* ---- the inventory ------------------------------------------------------------------------------ */

static gboolean
get_int (const VcJson *map, const char *key, gint64 low, gint64 high, gint64 *out)
{
  gint64 v = 0;

  if (!vc_json_get_int (map, key, &v, NULL) || v < low || v > high)
    return FALSE;
  *out = v;
  return TRUE;
}

static gboolean
get_int32 (const VcJson *map, const char *key, gint32 *out)
{
  gint64 v;

  if (!get_int (map, key, G_MININT32, G_MAXINT32, &v))
    return FALSE;
  *out = (gint32) v;
  return TRUE;
}

static gboolean
is_text (const VcJson *map, const char *key)
{
  const char *ignored = NULL;

  return vc_json_get_text (map, key, &ignored, NULL);
}

/* custominfo: any map; its NetworkID counts, which is found by its exact name. */
static gboolean
read_network (const VcJson *map, Device *d)
{
  const VcJson *info = vc_json_get (map, "custominfo");
  double v;

  if (info == NULL)
    return TRUE;
  if (info->kind != VC_JSON_MAP)
    return FALSE;
  for (const VcJson *e = info->child; e != NULL; e = e->next) {
    if (strcmp (e->key, "NetworkID") != 0)
      continue;
    d->network = NETWORK_ODD;
    if (e->kind == VC_JSON_NUMBER && vc_json_as_double (e, &v, NULL)) {
      d->network = NETWORK_NUMBER;
      d->network_id = v >= -9.2e18 && v <= 9.2e18 ? (gint64) v : G_MININT64;
    }
  }
  return TRUE;
}

static gboolean
read_pair_score (const VcJson *map)
{
  const VcJson *pair = vc_json_get (map, "devicepairscore"), *scores;
  gint64 ignored;

  if (pair == NULL)
    return TRUE;
  if (pair->kind != VC_JSON_MAP || !is_text (pair, "uuid"))
    return FALSE;
  scores = vc_json_get (pair, "score");
  if (scores != NULL && scores->kind != VC_JSON_MAP)
    return FALSE;
  for (const VcJson *e = scores != NULL ? scores->child : NULL; e != NULL; e = e->next)
    if (!get_int (scores, e->key, G_MININT64, G_MAXINT64, &ignored))
      return FALSE;
  return TRUE;
}

static gboolean
read_device (const VcJson *map, Device *d)
{
  static const char *const texts[] = { "type", "mode", "devicevendor" };
  gint64 ignored;
  gboolean flag;

  *d = (Device) { .id = "" };
  if (map->kind != VC_JSON_MAP || !vc_json_get_text (map, "id", &d->id, NULL) || !get_int32 (map, "count", &d->count) || !get_int32 (map, "devmem", &d->memory) ||
      !get_int32 (map, "devcore", &d->cores) || !get_int (map, "index", 0, G_MAXINT64, &ignored) || !get_int (map, "numa", G_MININT64, G_MAXINT64, &ignored) ||
      !vc_json_get_bool (map, "health", &flag, NULL) || !read_network (map, d))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (!is_text (map, texts[i]))
      return FALSE;
  return read_pair_score (map);
}

/* Of two devices with one id the later counts. */
static void
insert_device (GArray *list, const Device *d)
{
  guint at = list->len;

  while (at > 0 && strcmp (g_array_index (list, Device, at - 1).id, d->id) > 0)
    at--;
  if (at > 0 && strcmp (g_array_index (list, Device, at - 1).id, d->id) == 0)
    g_array_index (list, Device, at - 1) = *d;
  else
    g_array_insert_val (list, at, *d);
}

/* The devices that @text announces, or NULL. Ids point into @arena. */
static GArray *
read_devices (const char *text, VcArena *arena)
{
  const VcJson *list = vc_json_parse_all (text, strlen (text), arena, NULL);
  g_autoptr (GArray) devices = g_array_new (FALSE, FALSE, sizeof (Device));

  if (list == NULL || list->kind != VC_JSON_LIST)
    return NULL;
  for (const VcJson *e = list->child; e != NULL; e = e->next) {
    Device d;

    if (!read_device (e, &d))
      return NULL;
    insert_device (devices, &d);
  }
  return devices->len > 0 ? g_steal_pointer (&devices) : NULL;
}

gboolean
vc_ascend_hami_announces (const VcNpuConfig *config, const VcPairs *annotations)
{
  g_autofree char *key = g_strconcat ("hami.io/node-register-", config->word, NULL);
  const char *text = vc_pairs_get (annotations, key);
  g_autoptr (VcArena) arena = vc_arena_new ();
  g_autoptr (GArray) devices = text != NULL ? read_devices (text, arena) : NULL;

  return devices != NULL;
}

/* ---- the book ----------------------------------------------------------------------------------- */

static gpointer
make (const VcDeviceCall *call)
{
  VcCluster *c = vc_devices_cluster (call->d);
  const VcNode *node = &c->nodes.info[call->node];
  const VcNpuConfig *config = call->slot->npu;
  int dim = vc_res_names_find (c->names, config->resource);
  g_autofree char *key = g_strconcat ("hami.io/node-register-", config->word, NULL);
  const char *text = vc_pairs_get (&node->annotations, key), *soft = vc_pairs_get (&node->annotations, "hami-vnpu-core");
  g_autoptr (VcArena) arena = vc_arena_new ();

  if (dim < 0 || node->allocatable->v[dim] == 0 || text == NULL)
    return NULL;
  g_autoptr (GArray) devices = read_devices (text, arena);
  if (devices == NULL)
    return NULL;
  for (guint i = 0; i < devices->len; i++) {
    Device *d = &g_array_index (devices, Device, i);

    d->id = vc_cluster_intern (c, d->id);
  }
  Book *b = g_new0 (Book, 1);
  b->config = config;
  b->hami_core = soft != NULL ? strcmp (soft, "true") == 0 : vc_devices_config (call->d)->hami_core;
  b->n = devices->len;
  b->device = (Device *) (gpointer) g_array_free (g_steal_pointer (&devices), FALSE);
  return b;
}

static gpointer
copy (gconstpointer book)
{
  const Book *from = book;
  Book *to = g_memdup2 (from, sizeof *from);

  to->device = g_memdup2 (from->device, from->n * sizeof *from->device);
  for (guint i = 0; i < from->n; i++)
    to->device[i].pods = vc_device_pods_copy (&from->device[i].pods);
  return to;
}

static void
free_book (gpointer book)
{
  Book *b = book;

  for (guint i = 0; i < b->n; i++)
    g_free (b->device[i].pods.pod);
  g_free (b->device);
  g_free (b);
}

static VcDeviceAsk *
parse (VcDevices *d, const VcDeviceSlot *slot, const VcShape *shape)
{
  const VcNpuConfig *config = slot->npu;
  VcArena *arena = vc_devices_arena (d);

  if (!vc_device_limited (&shape->spec, config->resource) && !vc_device_limited (&shape->spec, config->memory))
    return NULL;
  Ask *a = vc_arena_new0 (arena, Ask, 1);
  g_autofree char *cores = g_strconcat (config->resource, "-core", NULL);
  a->ask.asks = TRUE;
  a->request = vc_device_requests (&shape->spec, arena, config->resource, config->memory, "", cores, &a->n);
  a->hami_core = g_strcmp0 (vc_pairs_get (&shape->spec.device_hints, "huawei.com/vnpu-mode"), "hami-core") == 0;
  return &a->ask;
}

static Device *
find_device (Book *b, const char *id, gsize len)
{
  for (guint i = 0; i < b->n; i++)
    if (strlen (b->device[i].id) == len && memcmp (b->device[i].id, id, len) == 0)
      return &b->device[i];
  return NULL;
}

/* Go's ParseInt (…, 10, 32) with the error passed over: the nearest end when it is out of range, 0 for what is no number. */
static gint32
int32_of (const char *text, gsize len)
{
  gint64 v = 0;
  gsize digits = len > 0 && (*text == '-' || *text == '+');

  if (vc_device_int (text, len, &v))
    return (gint32) CLAMP (v, G_MININT32, G_MAXINT32);
  for (gsize i = digits; i < len; i++)
    if (!g_ascii_isdigit (text[i]))
      return 0;
  return digits == len ? 0 : *text == '-' ? G_MININT32 : G_MAXINT32;
}

/* An assignment as a list of its parts between colons, whatever the container; one of them with too few fields spoils the whole. NULL: none. */
static GArray *
read_shares (const char *text)
{
  g_autoptr (GArray) shares = g_array_new (FALSE, FALSE, sizeof (VcDeviceShare));
  const char *part, *at = text;
  gsize len;

  while (vc_device_next_part (&at, ':', &part, &len)) {
    const char *field[5] = { part };
    guint n = 1;

    if (memchr (part, ',', len) == NULL)
      continue;
    for (gsize i = 0; i < len && n < 5; i++)
      if (part[i] == ',')
        field[n++] = part + i + 1;
    if (n < 4)
      return NULL;
    const char *end = n == 5 ? field[4] - 1 : part + len;
    VcDeviceShare s = { .id = part, .id_len = (gsize) (field[1] - part) - 1 };
    s.memory = (guint32) int32_of (field[2], (gsize) (field[3] - field[2]) - 1);
    s.cores = (guint32) int32_of (field[3], (gsize) (end - field[3]));
    g_array_append_val (shares, s);
  }
  return g_steal_pointer (&shares);
}

static void
book_use (Device *d, gint32 sign, gint64 memory, gint64 cores)
{
  d->used += sign;
  d->used_memory += sign * (gint32) memory;
  d->used_cores += sign * (gint32) cores;
}

static gboolean
matters (const VcDeviceCall *call, gconstpointer book, const char *text)
{
  const Book *b = book;

  if (text != NULL)
    return TRUE;
  for (guint i = 0; i < b->n; i++)
    if (vc_device_pods_find (&b->device[i].pods, call->task) != NULL)
      return TRUE;
  return FALSE;
}

static void
add (const VcDeviceCall *call, gpointer book, const char *text)
{
  Book *b = book;
  g_autoptr (GArray) shares = text != NULL ? read_shares (text) : NULL;

  for (guint i = 0; shares != NULL && i < shares->len; i++) {
    const VcDeviceShare *s = &g_array_index (shares, VcDeviceShare, i);
    Device *d = find_device (b, s->id, s->id_len);

    if (d == NULL || vc_device_pods_find (&d->pods, call->task) != NULL)
      continue;
    *vc_device_pods_add (&d->pods, call->task) = (VcDevicePod) { .task = call->task, .memory = s->memory, .cores = s->cores };
    book_use (d, 1, (gint32) s->memory, (gint32) s->cores);
  }
}

static void
sub (const VcDeviceCall *call, gpointer book, const char *text)
{
  Book *b = book;
  g_autoptr (GArray) shares = text != NULL ? read_shares (text) : NULL;

  for (guint i = 0; text == NULL && i < b->n; i++) { /* without an assignment: wherever the pod is booked */
    Device *d = &b->device[i];
    const VcDevicePod *p = vc_device_pods_find (&d->pods, call->task);

    if (p == NULL)
      continue;
    book_use (d, -1, (gint32) (guint32) p->memory, (gint32) (guint32) p->cores);
    vc_device_pods_remove (&d->pods, call->task);
  }
  for (guint i = 0; shares != NULL && i < shares->len; i++) {
    const VcDeviceShare *s = &g_array_index (shares, VcDeviceShare, i);
    Device *d = find_device (b, s->id, s->id_len);

    if (d == NULL || vc_device_pods_find (&d->pods, call->task) == NULL)
      continue;
    book_use (d, -1, (gint32) s->memory, (gint32) s->cores);
    vc_device_pods_remove (&d->pods, call->task);
  }
}

/* ---- the choice ----------------------------------------------------------------------------------- */

/* Memory rounded up to a template. @name: of the template, "" for a whole device. */
static gint64
trim_memory (const VcNpuConfig *c, gint64 memory)
{
  for (guint i = 0; i < c->n_templates; i++)
    if (memory <= c->template[i].memory)
      return c->template[i].memory;
  return memory <= c->memory_capacity ? c->memory_allocatable : 0;
}

static double
score_device (const Device *d, const char *policy)
{
  if (d->memory == 0)
    return 0;
  if (strcmp (policy, "binpack") == 0)
    return 100 * ((double) d->used_memory / (double) d->memory);
  return strcmp (policy, "spread") == 0 && d->used == 0 ? 100 : 0;
}

/* A container's request as it is looked for: @first is the first device in order, whose memory counts as all of it. */
static VcDeviceRequest
effective (const Book *b, const Ask *a, guint container, const Device *first)
{
  VcDeviceRequest r = a->request[container];

  if (r.memory == 0 && r.percent != 0)
    r.memory = (gint32) ((guint32) first->memory * (guint32) r.percent) / 100; /* 32 bits, as upstream's */
  if (r.memory > 0 && !a->hami_core)
    r.memory = (gint32) trim_memory (b->config, r.memory);
  return r;
}

static const char *
refusal (const Book *b, const Device *d, const VcDeviceRequest *r, gboolean hami_core)
{
  gint32 total = hami_core ? 100 : d->cores;

  if (hami_core && !b->hami_core)
    return "the node does not offer hami-core";
  if (d->count <= d->used)
    return "it has all the pods that it can have";
  if (d->memory - d->used_memory < r->memory)
    return "memory is short";
  if (total - d->used_cores < r->cores)
    return "cores are short";
  if (total == 100 && r->cores == 100 && d->used > 0)
    return "all cores are asked for and somebody is on it";
  return total != 0 && d->used_cores == total && r->cores == 0 ? "all cores are used" : NULL;
}

static gboolean
has_networks (const Book *b, const guint *device, guint n)
{
  for (guint i = 0; i < n; i++)
    if (b->device[device != NULL ? device[i] : i].network == NETWORK_NONE)
      return FALSE;
  return TRUE;
}

typedef struct { gint64 id; guint count; } NetworkCount;

static gboolean
more_devices (gpointer user, guint32 l, guint32 r)
{
  const NetworkCount *net = user;
  return net[l].count > net[r].count;
}

/* Networks among the devices, ascending by id. */
static GArray *
count_networks (const Book *b, const guint *device, guint n)
{
  GArray *nets = g_array_new (FALSE, FALSE, sizeof (NetworkCount));

  for (guint i = 0; i < n; i++) {
    const Device *d = &b->device[device[i]];
    guint at = 0;

    if (d->network != NETWORK_NUMBER)
      continue;
    while (at < nets->len && g_array_index (nets, NetworkCount, at).id < d->network_id)
      at++;
    if (at == nets->len || g_array_index (nets, NetworkCount, at).id != d->network_id) {
      const NetworkCount fresh = { d->network_id, 0 };

      g_array_insert_val (nets, at, fresh);
    }
    g_array_index (nets, NetworkCount, at).count++;
  }
  return nets;
}

/* Of the fitting devices @wanted, those of the network with most of them first; in place, returns how many are kept. */
static guint
prefer_network (const Book *b, guint *device, guint n, gint32 wanted)
{
  g_autoptr (GArray) nets = count_networks (b, device, n);
  g_autofree guint32 *order = g_new (guint32, nets->len + 1);
  g_autofree guint *kept = g_new (guint, n + 1);
  guint m = 0;

  for (guint i = 0; i < nets->len; i++)
    order[i] = i;
  vc_go_sort (order, nets->len, more_devices, nets->data);
  for (guint i = 0; i < nets->len && (m == 0 || (gint64) m != wanted); i++)
    for (guint k = 0; k < n && (m == 0 || (gint64) m != wanted); k++) { /* who wants none gets all: so upstream counts */
      const Device *d = &b->device[device[k]];

      if (d->network == NETWORK_NUMBER && d->network_id == g_array_index (nets, NetworkCount, order[i]).id)
        kept[m++] = device[k];
    }
  memcpy (device, kept, m * sizeof *kept);
  return m;
}

typedef struct { const Book *b; double *score; } Order;

static gboolean
higher_score (gpointer user, guint32 l, guint32 r)
{
  const Order *o = user;
  return o->score[l] > o->score[r];
}

/* selectDevices: picks by container into @pick. */
static VcDeviceVerdict
choose (const Book *b, const Ask *a, const char *policy, GArray *pick, GString *why)
{
  g_autofree guint32 *order = g_new (guint32, b->n);
  g_autofree double *score = g_new (double, b->n);
  g_autofree gboolean *taken = g_new0 (gboolean, b->n);
  g_autofree guint *fitting = g_new (guint, b->n);
  gboolean networks = g_str_has_prefix (b->config->word, NETWORK_PREFIX) && has_networks (b, NULL, b->n);
  Order by = { b, score };

  for (guint i = 0; i < b->n; i++) {
    order[i] = i;
    score[i] = score_device (&b->device[i], policy);
  }
  vc_go_sort (order, b->n, higher_score, &by);
  for (guint c = 0; c < a->n; c++) {
    VcDeviceRequest r = effective (b, a, c, &b->device[order[0]]);
    gint32 left = r.nums;
    guint m = 0;

    if (!a->hami_core && r.nums > 1 && trim_memory (b->config, r.memory) != b->config->memory_allocatable) {
      if (why != NULL)
        g_string_append_printf (why, "several devices are asked for, with %d MB of each: not whole ones\n", r.memory);
      return VC_DEVICE_FAILS;
    }
    for (guint k = 0; k < b->n; k++) {
      const Device *d = &b->device[order[k]];
      const char *refused = taken[order[k]] ? "another container has it" : refusal (b, d, &r, a->hami_core);

      if (refused != NULL) {
        if (why != NULL)
          g_string_append_printf (why, "%s: %s (%d of %d pods, %d of %d MB, %d of %d cores)\n", d->id, refused, d->used, d->count, d->used_memory, d->memory, d->used_cores, d->cores);
        continue;
      }
      fitting[m++] = order[k];
      if (--left <= 0 && !networks)
        break;
    }
    if (left > 0)
      return VC_DEVICE_FULL;
    if (networks)
      m = prefer_network (b, fitting, m, r.nums);
    for (guint i = 0; i < m; i++) {
      const Pick p = { c, fitting[i], r.memory, r.cores };

      g_array_append_val (pick, p);
      taken[fitting[i]] = TRUE;
    }
  }
  return VC_DEVICE_FITS;
}

/* ---- the family ------------------------------------------------------------------------------- */

static VcDeviceVerdict
filter (const VcDeviceCall *call, gpointer book, const char *policy, const char **reason, GString *why)
{
  g_autoptr (GArray) pick = g_array_new (FALSE, FALSE, sizeof (Pick));
  VcDeviceVerdict v = choose (book, (const Ask *) (gconstpointer) call->ask, policy, pick, why);

  if (v != VC_DEVICE_FITS)
    *reason = "no ascend device available";
  return v;
}

static double
score (const VcDeviceCall *call, gpointer book, const char *policy)
{
  const Book *b = book;
  const Ask *a = (const Ask *) (gconstpointer) call->ask;
  g_autoptr (GArray) pick = g_array_new (FALSE, FALSE, sizeof (Pick));
  g_autofree guint *first = g_new (guint, a->n + 1);
  double sum = 0;
  guint n = 0, most = 0, all = 0;

  if (choose (b, a, policy, pick, NULL) != VC_DEVICE_FITS)
    return 0;
  for (guint i = 0; i < pick->len; i++) {
    const Pick *p = &g_array_index (pick, Pick, i);

    if (i > 0 && g_array_index (pick, Pick, i - 1).container == p->container)
      continue;
    first[n++] = p->device;
    sum += score_device (&b->device[p->device], policy);
  }
  if (!g_str_has_prefix (b->config->word, NETWORK_PREFIX) || !has_networks (b, first, n))
    return sum;
  g_autoptr (GArray) nets = count_networks (b, first, n);
  for (guint i = 0; i < nets->len; i++) {
    guint count = g_array_index (nets, NetworkCount, i).count;

    most = MAX (most, count);
    all += count;
  }
  return all > 0 ? sum + ((double) most / (double) all) * NETWORK_WEIGHT : 0;
}

static gboolean
allocate (const VcDeviceCall *call, gpointer book, const char *policy, GString *text)
{
  Book *b = book;
  const Ask *a = (const Ask *) (gconstpointer) call->ask;
  g_autoptr (GArray) pick = g_array_new (FALSE, FALSE, sizeof (Pick));
  const char *last = vc_devices_scored (call) ? policy : "";
  guint k = 0;

  if (!vc_devices_lock (call) || choose (b, a, last, pick, NULL) != VC_DEVICE_FITS)
    return FALSE;
  for (guint c = 0; c < a->n; c++) {
    for (; k < pick->len && g_array_index (pick, Pick, k).container == c; k++) {
      const Pick *p = &g_array_index (pick, Pick, k);

      g_string_append_printf (text, "%s,%s,%d,%d:", b->device[p->device].id, b->config->word, p->memory, p->cores);
    }
    g_string_append_c (text, ';');
  }
  add (call, b, text->str);
  return TRUE;
}

const VcDeviceClass vc_device_ascend_hami = {
  .name = "ascend-hami",
  .summary = "Ascend NPUs cut by templates or softly",
  .lock = "hami.io/mutex.lock",
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
  .score_scope = VC_DEVICES_GROUP, /* a scoring decides with which policy the node's devices are taken */
};
