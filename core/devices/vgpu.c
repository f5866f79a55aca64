/* core/devices/vgpu.c - GPU cards that pods share, each with memory and a share of the cores (HAMi-core), or that are cut (MIG).
 *
 * Policy: a node announces its cards in the annotation volcano.sh/node-vgpu-register, "uuid,count,memory,type,health,mode:" repeated; it needs some
 * volcano.sh/vgpu-number, -cores and -memory in its allocatable. The last entry's mode is the node's: mig when the configuration knows how to cut
 * cards of the type, else hami-core. Each container that has a limit of the number or the memory asks for so many cards (1), each with so much memory
 * (or a percentage, or else all of it) and cores in percent (0).
 *
 *   order of the cards    binpack: most used memory first; spread: fewest pods first; equal ones by index. Else the highest index first
 *   a card is passed over when its UUID is not allowed (volcano.sh/vgpu-use-gpuuuid, -nouse-gpuuuid); it has all the pods that it can have; a pod of the
 *                         same PodGroup sits on it (volcano.sh/vgpu-podgroup-policy: spread); memory or cores are short; all cores are asked for and
 *                         somebody is on it; none is asked for and all are used; its type is not allowed (nvidia.com/use-gputype, nouse-gputype);
 *                         when cut, no slot serves
 *   score                 binpack: sum over the chosen cards of 100 * used memory / memory, with the pod on it. Else 0: spread asks whether the card is
 *                         idle after the pod is on it
 *
 * Example: a card of 30000 MB with 3000 used; a pod of 1000 scores 100 * 4000 / 30000 = 13.33 under binpack.
 *
 * What a session books it never takes back: releasing looks for the assignment in the pod, which gets it with the bind (finding V2).
 *
 * Mirrors pkg/scheduler/api/devices/nvidia/vgpu/{device_info,utils,hamicore}.go. */
#include "vgpu.h"
#include <math.h>
#include <string.h>

#define REGISTER "volcano.sh/node-vgpu-register"
#define TYPE "NVIDIA"
#define ALL_CORES 100

/* ---- what a pod asks for ------------------------------------------------------------------------ */

VcVgpuPolicy
vc_vgpu_policy (const char *name)
{
  return strcmp (name, "binpack") == 0 ? VC_VGPU_BINPACK : strcmp (name, "spread") == 0 ? VC_VGPU_SPREAD : VC_VGPU_ANY;
}

static const char *const *
names_of (const char *list, VcArena *arena)
{
  g_auto (GStrv) part = g_strsplit (list != NULL ? list : "", ",", -1);
  const char **names = vc_arena_new0 (arena, const char *, g_strv_length (part) + 1);
  guint n = 0;

  for (char **p = part; *p != NULL; p++)
    if (*g_strstrip (*p) != '\0')
      names[n++] = vc_arena_strdup (arena, *p);
  return names;
}

VcVgpuAsk *
vc_vgpu_ask (const VcPodSpec *spec, const VcNvidiaConfig *names, VcArena *arena)
{
  const VcPairs *hints = &spec->device_hints;
  VcVgpuAsk *a = vc_arena_new0 (arena, VcVgpuAsk, 1);

  a->ask.asks = TRUE;
  a->request = vc_device_requests (spec, arena, names->count, names->memory, names->memory_percentage, names->cores, &a->n);
  a->mode = vc_pairs_get (hints, "volcano.sh/vgpu-mode");
  a->use_type = vc_pairs_get (hints, "nvidia.com/use-gputype");
  a->nouse_type = vc_pairs_get (hints, "nvidia.com/nouse-gputype");
  a->use_uuid = names_of (vc_pairs_get (hints, "volcano.sh/vgpu-use-gpuuuid"), arena);
  a->nouse_uuid = names_of (vc_pairs_get (hints, "volcano.sh/vgpu-nouse-gpuuuid"), arena);
  if (g_strcmp0 (vc_pairs_get (hints, "volcano.sh/vgpu-podgroup-policy"), "spread") == 0)
    a->apart_from = vc_pairs_get (hints, VC_DEVICE_HINT_GROUP);
  return a;
}

static gboolean
contains (const char *text, const char *part, gsize len)
{
  gsize n = strlen (text);

  for (gsize i = 0; i + len <= n; i++)
    if (g_ascii_strncasecmp (text + i, part, len) == 0)
      return TRUE;
  return FALSE;
}

/* Is any entry of the comma list a part of the type? An empty entry is a part of everything. */
static gboolean
type_in (const char *type, const char *list)
{
  const char *part, *at = list;
  gsize len;

  while (vc_device_next_part (&at, ',', &part, &len))
    if (contains (type, part, len))
      return TRUE;
  return FALSE;
}

static gboolean
type_allowed (const VcVgpuCard *c, const VcVgpuAsk *a)
{
  if (!c->nvidia)
    return FALSE;
  if (a->use_type != NULL)
    return type_in (c->type, a->use_type);
  return a->nouse_type == NULL || !type_in (c->type, a->nouse_type);
}

static gboolean
uuid_allowed (const VcVgpuCard *c, const VcVgpuAsk *a)
{
  gboolean listed = a->use_uuid[0] != NULL || a->nouse_uuid[0] != NULL;

  if (!listed)
    return TRUE;
  if (*c->uuid == '\0' || (a->use_uuid[0] != NULL && !g_strv_contains (a->use_uuid, c->uuid)))
    return FALSE;
  return !g_strv_contains (a->nouse_uuid, c->uuid);
}

/* ---- the choice ----------------------------------------------------------------------------------- */

typedef struct { guint64 number, memory, cores; } Use;
typedef struct { guint card; guint64 memory, cores; } Tentative;

static gboolean
group_sits_on (const VcVgpuCard *c, const char *group)
{
  for (guint32 i = 0; i < c->pods.n; i++) {
    const VcDevicePod *p = &c->pods.pod[i];

    if (p->group != NULL && strcmp (p->group, group) == 0 && (p->memory > 0 || p->cores > 0))
      return TRUE;
  }
  return FALSE;
}

static gboolean
goes_before (const VcVgpu *g, const Use *use, VcVgpuPolicy policy, guint a, guint b)
{
  if (policy == VC_VGPU_BINPACK && use[a].memory != use[b].memory)
    return use[a].memory > use[b].memory;
  if (policy == VC_VGPU_SPREAD && use[a].number != use[b].number)
    return use[a].number < use[b].number;
  return policy == VC_VGPU_ANY ? g->card[a].index > g->card[b].index : g->card[a].index < g->card[b].index;
}

static void
sort_cards (const VcVgpu *g, const Use *use, VcVgpuPolicy policy, guint *order)
{
  for (guint i = 0; i < g->n; i++) {
    guint at = i;

    for (; at > 0 && goes_before (g, use, policy, i, order[at - 1]); at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  for (guint at = g->n; g->first > 0 && at-- > 1;) /* to the front, the others keep their order */
    if (order[at] == g->first - 1) {
      memmove (order + 1, order, at * sizeof *order);
      order[0] = g->first - 1;
      break;
    }
}

static guint64
memory_for (const VcVgpuCard *c, const VcDeviceRequest *r)
{
  if (r->percent == VC_DEVICE_NO_PERCENT)
    return (guint64) (gint64) r->memory;
  return (guint64) ((double) c->memory * (double) r->percent / 100.0);
}

/* Why the card does not serve the request, or NULL. The UUID has been looked at. */
static const char *
refusal (const VcVgpuCard *c, const Use *u, const VcVgpuAsk *a, const VcDeviceRequest *r, guint64 memory, gboolean closed)
{
  guint64 cores = (guint64) (gint64) r->cores;

  if (closed)
    return "a pod of the same rule sits on it";
  if (c->number <= u->number)
    return "it has all the pods that it can have";
  if (a->apart_from != NULL && group_sits_on (c, a->apart_from))
    return "a pod of the same PodGroup sits on it";
  if ((gint64) c->memory - (gint64) u->memory < (gint64) memory)
    return "memory is short";
  if (u->cores + cores > ALL_CORES)
    return "cores are short";
  if (cores == ALL_CORES && u->number > 0)
    return "all cores are asked for and somebody is on it";
  if (u->cores == ALL_CORES && cores == 0)
    return "all cores are used";
  return type_allowed (c, a) ? NULL : "its type is not allowed";
}

static void
explain (GString *why, const VcVgpuCard *c, const Use *u, const char *refused)
{
  if (why != NULL)
    g_string_append_printf (why, "%s: %s (%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " pods, %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " MB, %" G_GUINT64_FORMAT " of 100 cores)\n",
                            c->uuid, refused, u->number, c->number, u->memory, c->memory, u->cores);
}

static double
score_of (const VcVgpuCard *c, const Use *u, VcVgpuPolicy policy)
{
  if (policy == VC_VGPU_BINPACK)
    return 100 * ((double) u->memory / (double) c->memory);
  return policy == VC_VGPU_SPREAD && u->number == 0 ? 100 : 0;
}

static void
roll_back (Use *use, const GArray *tentative)
{
  for (guint i = 0; i < tentative->len; i++) {
    const Tentative *t = &g_array_index (tentative, Tentative, i);
    Use *u = &use[t->card];

    u->number -= u->number > 0;
    u->memory = u->memory >= t->memory ? u->memory - t->memory : 0;
    u->cores = u->cores >= t->cores ? u->cores - t->cores : 0;
  }
}

/* Cards for one container. FALSE: not enough. */
static gboolean
serve (const VcVgpu *g, const VcVgpuAsk *a, guint container, VcVgpuPolicy policy, guint64 factor, const guint8 *closed, Use *use, guint *order, GArray *tentative,
       VcVgpuChoice *out, GString *why)
{
  const VcDeviceRequest *r = &a->request[container];
  gint32 left = r->nums;

  if (left > (gint64) g->n) {
    if (why != NULL)
      g_string_append_printf (why, "%d cards asked for, the node has %u\n", left, g->n);
    return FALSE;
  }
  sort_cards (g, use, policy, order);
  for (guint k = 0; k < g->n; k++) {
    const VcVgpuCard *c = &g->card[order[k]];
    Use *u = &use[order[k]];
    guint64 memory = memory_for (c, r), got = memory;
    gint group = -1, slot = -1;
    const char *refused = uuid_allowed (c, a) ? refusal (c, u, a, r, memory, closed != NULL && closed[order[k]]) : "its UUID is not allowed";

    if (refused == NULL && g->mig) {
      if (!vc_mig_match (c, factor > 1 ? memory * factor : memory, &group, &slot, &got))
        refused = "no slot serves";
      else if (factor > 1)
        got /= factor;
    }
    if (refused != NULL) {
      explain (why, c, u, refused);
      continue;
    }
    u->number++;
    u->memory += got;
    u->cores += (guint64) (gint64) r->cores;
    const Tentative t = { order[k], memory, (guint64) (gint64) r->cores };
    g_array_append_val (tentative, t);
    if (left > 0) {
      left--;
      if (out != NULL) {
        const VcVgpuPick pick = { container, order[k], memory, (guint32) r->cores, slot, group };

        g_array_append_val (out->pick, pick);
        out->score += score_of (c, u, policy);
      }
    }
    if (left == 0)
      break; /* a container that asks for no card at all takes its share of the first one all the same */
  }
  return left <= 0;
}

gboolean
vc_vgpu_choose (VcVgpu *g, const VcVgpuAsk *a, VcVgpuPolicy policy, guint64 factor, const guint8 *closed, gboolean book, VcVgpuChoice *out, GString *why)
{
  g_autofree Use *use = NULL;
  g_autofree guint *order = NULL;
  g_autoptr (GArray) tentative = NULL;
  gboolean fits = TRUE;

  if (a->mode != NULL && strcmp (a->mode, g->mig ? "mig" : "hami-core") != 0) {
    if (why != NULL)
      g_string_append_printf (why, "mode %s is asked for, the node's is %s\n", a->mode, g->mig ? "mig" : "hami-core");
    return FALSE;
  }
  if (a->n == 0)
    return TRUE;
  use = g_new (Use, g->n);
  order = g_new (guint, g->n);
  tentative = g_array_new (FALSE, FALSE, sizeof (Tentative));
  for (guint i = 0; i < g->n; i++)
    use[i] = (Use) { g->card[i].used_number, g->card[i].used_memory, g->card[i].used_cores };
  for (guint i = 0; i < a->n && fits; i++)
    fits = serve (g, a, i, policy, factor, closed, use, order, tentative, out, why);
  if (!fits)
    roll_back (use, tentative);
  for (guint i = 0; i < g->n && book; i++) {
    g->card[i].used_number = use[i].number;
    g->card[i].used_memory = use[i].memory;
    g->card[i].used_cores = use[i].cores;
  }
  return fits;
}

/* ---- the book ----------------------------------------------------------------------------------- */

void
vc_vgpu_free (VcVgpu *g)
{
  if (g == NULL)
    return;
  for (guint i = 0; i < g->n; i++) {
    g_free (g->card[i].pods.pod);
    vc_mig_usage_free (g->card[i].usage);
  }
  vc_gpu_exclusive_free (g->exclusive);
  g_free (g->card);
  g_free (g);
}

VcVgpu *
vc_vgpu_copy (const VcVgpu *from)
{
  VcVgpu *to = g_memdup2 (from, sizeof *from);

  to->card = g_memdup2 (from->card, from->n * sizeof *from->card);
  for (guint i = 0; i < from->n; i++) {
    to->card[i].pods = vc_device_pods_copy (&from->card[i].pods);
    to->card[i].usage = vc_mig_usage_copy (from->card[i].usage);
  }
  to->exclusive = vc_gpu_exclusive_copy (from->exclusive);
  return to;
}

/* Go's strconv.Atoi with the error passed over: 0 for what is no number. */
static guint64
number_of (const char *text)
{
  gint64 v = 0;

  return vc_device_int (text, strlen (text), &v) ? (guint64) v : 0;
}

VcVgpu *
vc_vgpu_read (const char *text, const VcDeviceConfig *config, VcCluster *c)
{
  g_auto (GStrv) entry = g_strsplit (text, ":", -1);
  guint n = g_strv_length (entry);
  g_autoptr (VcVgpu) g = NULL;

  if (n < 2)
    return NULL;
  g = g_new0 (VcVgpu, 1);
  g->card = g_new0 (VcVgpuCard, n);
  for (guint i = 0; i < n; i++) {
    g_auto (GStrv) item = g_strsplit (entry[i], ",", -1);

    if (strchr (entry[i], ',') == NULL)
      continue;
    if (g_strv_length (item) < 6)
      return NULL;
    VcVgpuCard *card = &g->card[g->n++];
    card->index = (gint32) i;
    card->uuid = vc_cluster_intern (c, item[0]);
    card->number = number_of (item[1]);
    card->memory = number_of (item[2]);
    card->type = vc_cluster_intern (c, item[3]);
    card->nvidia = strstr (item[3], TYPE) != NULL;
    card->group = -1;
    g->mig = strcmp (item[5], "mig") == 0;
    if (g->mig) {
      card->model = vc_device_config_model (config, card->type);
      g->mig = card->model != NULL;
    }
  }
  return g->n > 0 ? g_steal_pointer (&g) : NULL;
}

static VcVgpuCard *
find_card (VcVgpu *g, const VcDeviceShare *s)
{
  for (guint i = 0; i < g->n; i++)
    if (g_strstr_len (s->id, (gssize) s->id_len, g->card[i].uuid) != NULL)
      return &g->card[i];
  return NULL;
}

/* The next readable card of an assignment "UUID,TYPE,MEMORY,CORES:…:;…". */
static gboolean
next_share (const char **at, VcDeviceShare *out)
{
  while (*at != NULL) {
    const char *part = *at, *field[4] = { part };
    gsize len = strcspn (part, ":;");
    guint n = 1;

    *at = part[len] != '\0' ? part + len + 1 : NULL;
    for (gsize i = 0; i < len && n < 4; i++)
      if (part[i] == ',')
        field[n++] = part + i + 1;
    if (n < 4)
      continue;
    gsize last = strcspn (field[3], ",:;");
    *out = (VcDeviceShare) { .id = part, .id_len = (gsize) (field[1] - part) - 1 };
    if (vc_device_uint32 (field[2], (gsize) (field[3] - field[2]) - 1, &out->memory) && vc_device_uint32 (field[3], last, &out->cores))
      return TRUE;
  }
  return FALSE;
}

/* The PodGroup of a pod, "namespace/name", interned; NULL: none. */
static const char *
group_of (const VcDeviceCall *call)
{
  static const char *const keys[] = { "scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name" };
  VcCluster *c = vc_devices_cluster (call->d);
  const VcTask *t = &c->task[call->task];

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    const char *name = vc_pairs_get (&t->meta->annotations, keys[i]);

    if (name != NULL && *name != '\0') {
      g_autofree char *key = g_strconcat (t->ns, "/", name, NULL);
      return vc_cluster_intern (c, key);
    }
  }
  return NULL;
}

/* Put a pod with an assignment on a card. A pod that is on it already is left as it is. */
static void
put_on (const VcDeviceCall *call, VcVgpu *g, VcVgpuCard *c, const VcDeviceShare *s)
{
  guint64 memory = s->memory;

  if (g->mig) {
    const char *group;
    gsize len;
    gint64 position;
    guint64 factor = vc_devices_config (call->d)->nvidia.memory_factor;

    if (!vc_mig_parse (s->id, s->id_len, &group, &len, &position))
      return;
    if (vc_device_pods_find (&c->pods, call->task) != NULL)
      return;
    memory = vc_mig_take (c, group, len, position);
    memory = factor > 1 ? memory / factor : memory;
  } else if (vc_device_pods_find (&c->pods, call->task) != NULL) {
    return;
  }
  VcDevicePod *p = vc_device_pods_add (&c->pods, call->task);
  *p = (VcDevicePod) { call->task, memory, s->cores, group_of (call) };
  c->used_number++;
  c->used_memory += memory;
  c->used_cores += s->cores;
}

static void
take_off (const VcDeviceCall *call, VcVgpu *g, VcVgpuCard *c, const VcDeviceShare *s)
{
  guint64 memory = s->memory;
  const char *group = NULL;
  gsize len = 0;
  gint64 position = 0;

  if ((g->mig && !vc_mig_parse (s->id, s->id_len, &group, &len, &position)) || vc_device_pods_find (&c->pods, call->task) == NULL)
    return;
  if (g->mig) {
    guint64 factor = vc_devices_config (call->d)->nvidia.memory_factor;

    memory = vc_mig_give (c, group, len, position);
    memory = factor > 1 ? memory / factor : memory;
  }
  c->used_number--;
  c->used_memory -= memory;
  c->used_cores -= s->cores;
  vc_device_pods_remove (&c->pods, call->task);
}

/* ---- the family ------------------------------------------------------------------------------- */

static gpointer
make (const VcDeviceCall *call)
{
  static const char *const needed[] = { "volcano.sh/vgpu-number", "volcano.sh/vgpu-cores", "volcano.sh/vgpu-memory" };
  VcCluster *c = vc_devices_cluster (call->d);
  const VcNode *node = &c->nodes.info[call->node];
  const char *text = vc_pairs_get (&node->annotations, REGISTER);

  for (guint i = 0; i < G_N_ELEMENTS (needed); i++) {
    int d = vc_res_names_find (c->names, needed[i]);

    if (d < 0 || node->allocatable->v[d] <= 0)
      return NULL;
  }
  return text != NULL ? vc_vgpu_read (text, vc_devices_config (call->d), c) : NULL;
}

static gpointer
copy (gconstpointer book)
{
  return vc_vgpu_copy (book);
}

static void
free_book (gpointer book)
{
  vc_vgpu_free (book);
}

static VcDeviceAsk *
parse (VcDevices *d, const VcDeviceSlot *slot, const VcShape *shape)
{
  const VcNvidiaConfig *names = &vc_devices_config (d)->nvidia;

  if (!vc_device_limited (&shape->spec, names->memory) && !vc_device_limited (&shape->spec, names->count))
    return NULL;
  return &vc_vgpu_ask (&shape->spec, names, vc_devices_arena (d))->ask;
}

static const VcPairs *
labels_of (const VcDeviceCall *call)
{
  return &vc_devices_cluster (call->d)->task[call->task].meta->labels;
}

static gboolean
matters (const VcDeviceCall *call, gconstpointer book, const char *text)
{
  return text != NULL || ((const VcVgpu *) book)->exclusive != NULL;
}

static void
reserve (const VcDeviceCall *call, VcVgpu *g)
{
  for (guint i = 0; i < g->n; i++)
    if (vc_device_pods_find (&g->card[i].pods, call->task) != NULL)
      vc_gpu_exclusive_reserve (g->exclusive, i, labels_of (call));
}

static void
add (const VcDeviceCall *call, gpointer book, const char *text)
{
  VcVgpu *g = book;
  const char *at = text;
  VcDeviceShare s;

  while (next_share (&at, &s)) {
    VcVgpuCard *c = find_card (g, &s);

    if (c != NULL)
      put_on (call, g, c, &s);
  }
  if (g->exclusive != NULL) {
    vc_gpu_exclusive_know (g->exclusive, call->task, labels_of (call), TRUE);
    reserve (call, g);
  }
}

static void
leave (const VcDeviceCall *call, VcVgpu *g, const char *text, gboolean forget)
{
  const char *at = text;
  VcDeviceShare s;

  while (next_share (&at, &s)) {
    VcVgpuCard *c = find_card (g, &s);

    if (c != NULL)
      take_off (call, g, c, &s);
  }
  if (g->exclusive != NULL) {
    g_autofree const VcDevicePods **pods = g_new (const VcDevicePods *, g->n);

    for (guint i = 0; i < g->n; i++)
      pods[i] = &g->card[i].pods;
    vc_gpu_exclusive_leave (g->exclusive, call->task, labels_of (call), pods, forget);
  }
}

static void
sub (const VcDeviceCall *call, gpointer book, const char *text)
{
  leave (call, book, text, TRUE);
}

static void
release (const VcDeviceCall *call, gpointer book, const char *text)
{
  leave (call, book, text, FALSE);
}

static gboolean
choose (const VcDeviceCall *call, VcVgpu *g, const char *policy, gboolean book, VcVgpuChoice *out, GString *why)
{
  g_autofree guint8 *closed = g->exclusive != NULL ? g_new (guint8, g->n) : NULL;
  gboolean any = closed != NULL && vc_gpu_exclusive_closed (g->exclusive, labels_of (call), closed);
  gint first = book ? vc_devices_chosen_card (call) : -1;

  g->first = first >= 0 ? (guint) first + 1 : 0;
  return vc_vgpu_choose (g, (const VcVgpuAsk *) (gconstpointer) call->ask, vc_vgpu_policy (policy), vc_devices_config (call->d)->nvidia.memory_factor, any ? closed : NULL, book, out, why);
}

static VcDeviceVerdict
filter (const VcDeviceCall *call, gpointer book, const char *policy, const char **reason, GString *why)
{
  if (choose (call, book, policy, FALSE, NULL, why))
    return VC_DEVICE_FITS;
  *reason = "hami-vgpuDeviceSharing error";
  return VC_DEVICE_FULL;
}

/* The filter has left the score of its choice. */
static double
score (const VcDeviceCall *call, gpointer book, const char *policy)
{
  g_autoptr (GArray) pick = g_array_new (FALSE, FALSE, sizeof (VcVgpuPick));
  VcVgpuChoice choice = { pick, 0 };

  return choose (call, book, policy, FALSE, &choice, NULL) ? choice.score : 0;
}

static void
append_share (GString *text, const VcVgpu *g, const VcVgpuPick *p)
{
  const VcVgpuCard *c = &g->card[p->card];

  g_string_append (text, c->uuid);
  if (p->slot >= 0)
    g_string_append_printf (text, "[%s-%d]", c->model->group[p->group].name, p->slot);
  g_string_append_printf (text, "," TYPE ",%" G_GUINT64_FORMAT ",%u:", p->memory, p->cores);
}

/* addToPodMap: each card whose UUID is part of an assigned one notes the pod, beside the figures that the choice has booked. */
static void
note_pod (const VcDeviceCall *call, VcVgpu *g, const char *text)
{
  const char *at = text, *group = group_of (call);
  VcDeviceShare s;

  while (next_share (&at, &s))
    for (guint i = 0; i < g->n; i++) {
      if (g_strstr_len (s.id, (gssize) s.id_len, g->card[i].uuid) == NULL)
        continue;
      VcDevicePod *p = vc_device_pods_add (&g->card[i].pods, call->task);
      p->memory += s.memory;
      p->cores += s.cores;
      p->group = group;
    }
}

static gboolean
allocate (const VcDeviceCall *call, gpointer book, const char *policy, GString *text)
{
  VcVgpu *g = book;
  const VcVgpuAsk *a = (const VcVgpuAsk *) (gconstpointer) call->ask;
  g_autoptr (GArray) pick = g_array_new (FALSE, FALSE, sizeof (VcVgpuPick));
  VcVgpuChoice choice = { pick, 0 };
  guint k = 0;

  if (!choose (call, g, policy, TRUE, &choice, NULL) || !vc_devices_lock (call))
    return FALSE; /* without the lock the cards stay taken */
  for (guint i = 0; i < a->n; i++) {
    g_string_append (text, i > 0 ? ";" : "");
    for (; k < pick->len && g_array_index (pick, VcVgpuPick, k).container == i; k++)
      append_share (text, g, &g_array_index (pick, VcVgpuPick, k));
  }
  note_pod (call, g, text->str);
  if (g->exclusive != NULL && vc_gpu_rules_match (vc_devices_settings (call->d)->rules, labels_of (call))) {
    vc_gpu_exclusive_know (g->exclusive, call->task, labels_of (call), FALSE);
    reserve (call, g);
  }
  return TRUE;
}

/* Pods with a rule that are on the node: the cards that they are booked on, or, when they are on no card, those that they name. */
static void
open_pod (const VcDeviceCall *call, VcVgpu *g)
{
  const char *at = vc_devices_carried (call, call->task);
  gboolean booked = FALSE;
  VcDeviceShare s;

  vc_gpu_exclusive_know (g->exclusive, call->task, labels_of (call), TRUE);
  for (guint i = 0; i < g->n; i++)
    booked |= vc_device_pods_find (&g->card[i].pods, call->task) != NULL;
  reserve (call, g);
  while (!booked && next_share (&at, &s))
    for (guint i = g->n; i-- > 0;) /* of equal UUIDs the last counts */
      if (strlen (g->card[i].uuid) == s.id_len && memcmp (g->card[i].uuid, s.id, s.id_len) == 0) {
        vc_gpu_exclusive_reserve (g->exclusive, i, labels_of (call));
        break;
      }
}

static void
session_open (const VcDeviceCall *call, gpointer book)
{
  VcVgpu *g = book;
  const VcNode *node = &vc_devices_cluster (call->d)->nodes.info[call->node];
  VcDeviceCall pod = *call;

  if (g->mig)
    return;
  g->exclusive = vc_gpu_exclusive_new (vc_devices_settings (call->d)->rules, g->n);
  for (guint32 i = 0; i < node->n_tasks; i++) {
    pod.task = node->task[i];
    open_pod (&pod, g);
  }
}

/* A queue's status counts memory and cores of the assignment in place of what the pod asks for. */
static void
queue_amounts (const VcDeviceCall *call, gconstpointer book, const char *text, VcDeviceAmountFn fn, gpointer user)
{
  const VcVgpu *g = book;
  const VcNvidiaConfig *names = &vc_devices_config (call->d)->nvidia;
  const VcResNames *res = vc_devices_cluster (call->d)->names;
  const char *at = text;
  double memory = 0, cores = 0;
  gboolean any = FALSE;
  VcDeviceShare s;

  while (next_share (&at, &s))
    for (guint i = 0; i < g->n; i++)
      if (g_strstr_len (s.id, (gssize) s.id_len, g->card[i].uuid) != NULL) {
        memory += (double) s.memory * 1000;
        cores += (double) s.cores * 1000;
        any = TRUE;
      }
  if (any && vc_res_names_find (res, names->memory) >= 0)
    fn (user, (guint) vc_res_names_find (res, names->memory), memory);
  if (any && vc_res_names_find (res, names->cores) >= 0)
    fn (user, (guint) vc_res_names_find (res, names->cores), cores);
}

const VcDeviceClass vc_device_vgpu = {
  .name = "hamivgpu",
  .summary = "GPU cards shared with memory and cores, or cut into instances",
  .lock = "hamivgpu",
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
  .release = release,
  .queue_amounts = queue_amounts,
  .open = session_open,
};
