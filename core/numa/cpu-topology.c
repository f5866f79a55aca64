#include "cpu-topology.h"
#include "core/base/go-number.h"
#include "core/base/go-sort.h"
#include <string.h>

/* A core of a socket, and a group of CPUs: of a socket, of a core id, of a core of a socket. Ascending by ids, sockets first. */
typedef struct { guint32 id; guint64 *cpus; } Group;
typedef struct { guint32 socket, core; } Pair; /* indices of groups */

struct VcCpuTopology {
  guint words;
  VcCpuDetail *cpu; guint n;      /* ascending */
  guint64 *all;
  Group *socket, *core; guint n_sockets, n_cores;
  Pair *pair; guint n_pairs;
  guint32 *home;                  /* by core: the socket (index) of its first CPU */
  guint64 nodes;                  /* NUMA nodes */
  guint64 *of_node[VC_NUMA_LIMIT]; /* CPUs; NULL: no such node */
  guint32 node[VC_NUMA_MOST]; guint n_nodes;
  gint64 per_socket, per_core;
};

/* ---- sets ----------------------------------------------------------------------------------------- */

guint32
vc_cpu_count (const guint64 *cpus, guint words)
{
  guint32 n = 0;

  for (guint w = 0; w < words; w++)
    n += (guint32) __builtin_popcountll (cpus[w]);
  return n;
}

static guint32
count_both (const guint64 *a, const guint64 *b, guint words)
{
  guint32 n = 0;

  for (guint w = 0; w < words; w++)
    n += (guint32) __builtin_popcountll (a[w] & b[w]);
  return n;
}

static guint32
first_of (const guint64 *cpus)
{
  guint32 w = 0;

  while (cpus[w] == 0)
    w++;
  return w * 64 + (guint32) __builtin_ctzll (cpus[w]);
}

gint64
vc_cpu_list_parse (const char *text, guint64 *out)
{
  g_auto (GStrv) part = NULL;
  gint64 top = 0, first, last;

  if (*text == '\0')
    return 0;
  part = g_strsplit (text, ",", -1);
  for (guint i = 0; part[i] != NULL; i++) {
    char *dash = strchr (part[i], '-');

    if (dash != NULL)
      *dash = '\0';
    if (!vc_go_parse_int (part[i], G_MININT64, G_MAXINT64, &first))
      return -1;
    last = first;
    if (dash != NULL && !vc_go_parse_int (dash + 1, G_MININT64, G_MAXINT64, &last))
      return -1;
    if (first > last)
      return -1;
    if (first < 0 || last >= VC_CPU_LIMIT) /* a minus would have been the dash of a range, so only beyond that one */
      return -2;
    for (gint64 cpu = first; out != NULL && cpu <= last; cpu++)
      vc_cpu_add (out, (guint32) cpu);
    top = MAX (top, last + 1);
  }
  return top;
}

void
vc_cpu_list_append (GString *out, const guint64 *cpus, guint words)
{
  gboolean any = FALSE;

  for (guint32 cpu = 0; cpu < words * 64; cpu++) {
    guint32 last = cpu;

    if (!vc_cpu_has (cpus, words, cpu))
      continue;
    while (vc_cpu_has (cpus, words, last + 1))
      last++;
    g_string_append_printf (out, last > cpu ? "%s%u-%u" : "%s%u", any ? "," : "", cpu, last);
    any = TRUE;
    cpu = last;
  }
  if (!any)
    g_string_append (out, "none");
}

/* ---- the topology --------------------------------------------------------------------------------- */

static int
compare_cpus (gconstpointer a, gconstpointer b)
{
  const VcCpuDetail *l = a, *r = b;
  return l->cpu < r->cpu ? -1 : l->cpu > r->cpu;
}

static int
compare_ids (gconstpointer a, gconstpointer b)
{
  const Group *l = a, *r = b;
  return l->id < r->id ? -1 : l->id > r->id;
}

static int
compare_pairs (gconstpointer a, gconstpointer b)
{
  const Pair *l = a, *r = b;
  return l->socket != r->socket ? (l->socket < r->socket ? -1 : 1) : l->core < r->core ? -1 : l->core > r->core;
}

/* Groups of CPUs by the id at @offset of a detail. */
static Group *
group_by (const VcCpuTopology *t, gsize offset, guint *n)
{
  Group *group = g_new0 (Group, MAX (t->n, 1));

  *n = 0;
  for (guint i = 0; i < t->n; i++)
    group[i].id = G_STRUCT_MEMBER (guint32, &t->cpu[i], offset);
  qsort (group, t->n, sizeof *group, compare_ids);
  for (guint i = 0; i < t->n; i++)
    if (i == 0 || group[i].id != group[*n - 1].id)
      group[(*n)++] = (Group) { group[i].id, g_new0 (guint64, t->words) };
  for (guint i = 0; i < t->n; i++) {
    const Group key = { G_STRUCT_MEMBER (guint32, &t->cpu[i], offset), NULL };
    Group *g = bsearch (&key, group, *n, sizeof *group, compare_ids);

    vc_cpu_add (g->cpus, t->cpu[i].cpu);
  }
  return group;
}

/* Cores of sockets. */
static void
set_pairs (VcCpuTopology *t)
{
  t->pair = g_new (Pair, MAX (t->n, 1));
  for (guint i = 0; i < t->n; i++) {
    const Group socket = { t->cpu[i].socket, NULL }, core = { t->cpu[i].core, NULL };
    const Group *s = bsearch (&socket, t->socket, t->n_sockets, sizeof *t->socket, compare_ids), *c = bsearch (&core, t->core, t->n_cores, sizeof *t->core, compare_ids);

    t->pair[i] = (Pair) { (guint32) (s - t->socket), (guint32) (c - t->core) };
    if (t->cpu[i].cpu == first_of (c->cpus))
      t->home[c - t->core] = (guint32) (s - t->socket);
  }
  qsort (t->pair, t->n, sizeof *t->pair, compare_pairs);
  for (guint i = 0; i < t->n; i++)
    if (i == 0 || compare_pairs (&t->pair[i], &t->pair[t->n_pairs - 1]) != 0)
      t->pair[t->n_pairs++] = t->pair[i];
}

VcCpuTopology *
vc_cpu_topology_new (const VcCpuDetail *detail, guint n, guint32 top)
{
  VcCpuTopology *t = g_new0 (VcCpuTopology, 1);

  for (guint i = 0; i < n; i++)
    top = MAX (top, detail[i].cpu + 1);
  t->words = MAX (vc_cpu_words (top), 1);
  t->all = g_new0 (guint64, t->words);
  t->cpu = g_new (VcCpuDetail, MAX (n, 1));
  for (guint i = n; i-- > 0;)
    if (!vc_cpu_has (t->all, t->words, detail[i].cpu)) {
      vc_cpu_add (t->all, detail[i].cpu);
      t->cpu[t->n++] = detail[i];
    }
  qsort (t->cpu, t->n, sizeof *t->cpu, compare_cpus);
  t->socket = group_by (t, G_STRUCT_OFFSET (VcCpuDetail, socket), &t->n_sockets);
  t->core = group_by (t, G_STRUCT_OFFSET (VcCpuDetail, core), &t->n_cores);
  t->home = g_new0 (guint32, MAX (t->n_cores, 1));
  set_pairs (t);
  for (guint i = 0; i < t->n; i++) {
    guint32 node = t->cpu[i].numa;

    if (t->of_node[node] == NULL)
      t->of_node[node] = g_new0 (guint64, t->words);
    vc_cpu_add (t->of_node[node], t->cpu[i].cpu);
    t->nodes |= G_GUINT64_CONSTANT (1) << node;
  }
  for (guint64 left = t->nodes; left != 0 && t->n_nodes < VC_NUMA_MOST; left &= left - 1)
    t->node[t->n_nodes++] = (guint32) __builtin_ctzll (left);
  t->per_socket = t->n_sockets > 0 ? t->n / t->n_sockets : 0;
  t->per_core = t->n_pairs > 0 ? t->n / t->n_pairs : 0;
  return t;
}

void
vc_cpu_topology_free (VcCpuTopology *t)
{
  if (t == NULL)
    return;
  for (guint i = 0; i < t->n_sockets; i++)
    g_free (t->socket[i].cpus);
  for (guint i = 0; i < t->n_cores; i++)
    g_free (t->core[i].cpus);
  for (guint i = 0; i < VC_NUMA_LIMIT; i++)
    g_free (t->of_node[i]);
  g_free (t->socket);
  g_free (t->core);
  g_free (t->pair);
  g_free (t->home);
  g_free (t->cpu);
  g_free (t->all);
  g_free (t);
}

guint vc_cpu_topology_words (const VcCpuTopology *t) { return t->words; }
const guint64 *vc_cpu_topology_all (const VcCpuTopology *t) { return t->all; }
guint64 vc_cpu_topology_nodes (const VcCpuTopology *t) { return t->nodes; }

/* CPUs of the set that have no detail. */
static guint32
strangers (const VcCpuTopology *t, const guint64 *cpus)
{
  return vc_cpu_count (cpus, t->words) - count_both (cpus, t->all, t->words);
}

guint64
vc_cpu_topology_span (const VcCpuTopology *t, const guint64 *cpus)
{
  guint64 span = strangers (t, cpus) > 0 ? 1 : 0;

  for (guint i = 0; i < t->n_nodes; i++)
    if (count_both (t->of_node[t->node[i]], cpus, t->words) > 0)
      span |= G_GUINT64_CONSTANT (1) << t->node[i];
  return span;
}

/* ---- taking CPUs ----------------------------------------------------------------------------------- */

typedef struct {
  const VcCpuTopology *t;
  guint64 *left;      /* CPUs with a detail that are still to be had */
  guint64 *taken;
  gint64 need;
  guint32 *socket_has, *socket_left, *core_left; /* of a sort: by socket CPUs taken and left, by core CPUs left */
} Taker;

static gboolean
take (Taker *a, const guint64 *cpus)
{
  for (guint w = 0; w < a->t->words; w++) {
    guint64 some = cpus[w] & a->left[w];

    a->need -= __builtin_popcountll (some);
    a->taken[w] |= some;
    a->left[w] &= ~some;
  }
  return a->need < 1;
}

/* Whole sockets: all that is left of them. Upstream compares ids of sockets with ids of CPUs: a socket counts only while the CPU of that id is left. */
static gboolean
take_sockets (Taker *a)
{
  const VcCpuTopology *t = a->t;
  g_autofree gboolean *listed = g_new (gboolean, MAX (t->n_sockets, 1));

  for (guint s = 0; s < t->n_sockets; s++)
    listed[s] = vc_cpu_has (a->left, t->words, t->socket[s].id) && count_both (t->socket[s].cpus, a->left, t->words) > 0;
  for (guint s = 0; s < t->n_sockets && a->need >= t->per_socket; s++)
    if (listed[s] && take (a, t->socket[s].cpus))
      return TRUE;
  return FALSE;
}

static gboolean
fewer_cores (gpointer user, guint32 l, guint32 r)
{
  const Taker *a = user;
  return a->socket_left[l] < a->socket_left[r] || a->t->socket[l].id < a->t->socket[r].id;
}

/* Is the core of the socket to be had? Again by the CPU of that id. */
static gboolean
is_core_listed (const Taker *a, const Pair *p)
{
  const VcCpuTopology *t = a->t;

  if (!vc_cpu_has (a->left, t->words, t->core[p->core].id))
    return FALSE;
  for (guint w = 0; w < t->words; w++)
    if ((t->core[p->core].cpus[w] & t->socket[p->socket].cpus[w] & a->left[w]) != 0)
      return TRUE;
  return FALSE;
}

/* Whole cores, of the sockets with the fewest of them first: all that is left of a core. */
static gboolean
take_cores (Taker *a)
{
  const VcCpuTopology *t = a->t;
  g_autofree guint32 *socket = g_new (guint32, MAX (t->n_sockets, 1));
  g_autofree gboolean *listed = g_new (gboolean, MAX (t->n_pairs, 1));
  guint n = 0;

  memset (a->socket_left, 0, t->n_sockets * sizeof *a->socket_left); /* listed cores, for this sort */
  for (guint i = 0; i < t->n_pairs; i++)
    a->socket_left[t->pair[i].socket] += (guint32) (listed[i] = is_core_listed (a, &t->pair[i]));
  for (guint s = 0; s < t->n_sockets; s++)
    if (count_both (t->socket[s].cpus, a->left, t->words) > 0)
      socket[n++] = s;
  vc_go_sort (socket, n, fewer_cores, a);
  for (guint k = 0; k < n; k++)
    for (guint i = 0; i < t->n_pairs; i++)
      if (t->pair[i].socket == socket[k] && listed[i]) {
        if (take (a, t->core[t->pair[i].core].cpus))
          return TRUE;
        if (a->need < t->per_core)
          return FALSE;
      }
  return FALSE;
}

/* Upstream's chain of comparisons, which is no order: two cores may each be less than the other. */
static gboolean
core_goes_first (gpointer user, guint32 l, guint32 r)
{
  const Taker *a = user;
  guint32 ls = a->t->home[l], rs = a->t->home[r];

  return a->socket_has[ls] > a->socket_has[rs] || a->socket_left[ls] < a->socket_left[rs] || a->core_left[l] < a->core_left[r] || ls < rs || l < r;
}

/* Single CPUs, core by core. */
static gboolean
take_cpus (Taker *a)
{
  const VcCpuTopology *t = a->t;
  g_autofree guint32 *core = g_new (guint32, MAX (t->n_cores, 1));
  guint n = 0;

  for (guint s = 0; s < t->n_sockets; s++) {
    a->socket_has[s] = count_both (t->socket[s].cpus, a->taken, t->words);
    a->socket_left[s] = count_both (t->socket[s].cpus, a->left, t->words);
  }
  for (guint c = 0; c < t->n_cores; c++) {
    a->core_left[c] = count_both (t->core[c].cpus, a->left, t->words);
    if (a->core_left[c] > 0)
      core[n++] = c;
  }
  vc_go_sort (core, n, core_goes_first, a);
  for (guint k = 0; k < n; k++)
    for (guint w = 0; w < t->words; w++)
      for (guint64 some; (some = t->core[core[k]].cpus[w] & a->left[w]) != 0;) {
        a->taken[w] |= some & -some;
        a->left[w] &= ~(some & -some);
        if (--a->need < 1)
          return TRUE;
      }
  return FALSE;
}

gboolean
vc_cpu_take (const VcCpuTopology *t, const guint64 *free, gint64 n, guint64 *out)
{
  memset (out, 0, t->words * sizeof *out);
  if (n < 1)
    return TRUE;
  if (n > count_both (free, t->all, t->words))
    return FALSE;
  g_autofree guint64 *left = g_new (guint64, t->words);
  g_autofree guint32 *counts = g_new (guint32, 2 * t->n_sockets + t->n_cores);
  Taker a = { t, left, out, n, counts, counts + t->n_sockets, counts + 2 * t->n_sockets };
  for (guint w = 0; w < t->words; w++)
    left[w] = free[w] & t->all[w];
  return (n >= t->per_socket && take_sockets (&a)) || (a.need >= t->per_core && take_cores (&a)) || take_cpus (&a);
}

/* ---- hints ------------------------------------------------------------------------------------------ */

typedef struct {
  const VcCpuTopology *t;
  guint32 total[VC_NUMA_MOST], free[VC_NUMA_MOST]; /* CPUs by node, in the order of the nodes */
  gint64 n;
  guint least; /* nodes */
  GArray *hints;
} Hinter;

/* Every set of @size nodes that adds nodes from @from on to those chosen. */
static void
hint_sets (Hinter *h, guint from, guint size, guint chosen, guint64 nodes, guint32 total, guint32 free)
{
  if (chosen == size) {
    const VcNumaHint hint = { nodes, FALSE, FALSE };

    if (total >= h->n && size < h->least)
      h->least = size;
    if (free >= h->n)
      g_array_append_val (h->hints, hint);
    return;
  }
  for (guint i = from; i < h->t->n_nodes; i++)
    hint_sets (h, i + 1, size, chosen + 1, nodes | G_GUINT64_CONSTANT (1) << h->t->node[i], total + h->total[i], free + h->free[i]);
}

void
vc_cpu_hints (const VcCpuTopology *t, const guint64 *free, gint64 n, GArray *hints)
{
  Hinter h = { .t = t, .n = n, .least = t->n_nodes, .hints = hints };

  g_array_set_size (hints, 0);
  for (guint i = 0; i < t->n_nodes; i++) {
    h.total[i] = vc_cpu_count (t->of_node[t->node[i]], t->words);
    h.free[i] = count_both (t->of_node[t->node[i]], free, t->words) + (t->node[i] == 0 ? strangers (t, free) : 0);
  }
  for (guint size = 1; size <= t->n_nodes; size++)
    hint_sets (&h, 0, size, 0, 0, 0, 0);
  for (guint i = 0; i < hints->len; i++) {
    VcNumaHint *hint = &g_array_index (hints, VcNumaHint, i);

    hint->preferred = (guint) __builtin_popcountll (hint->nodes) == h.least;
  }
}

void
vc_cpu_give (const VcCpuTopology *t, const guint64 *free, gint64 n, const VcNumaHint *chosen, guint64 *out)
{
  g_autofree guint64 *some = g_new (guint64, t->words), *rest = g_new (guint64, t->words);

  memset (out, 0, t->words * sizeof *out);
  if (!chosen->any) {
    memset (some, 0, t->words * sizeof *some);
    for (guint64 left = chosen->nodes; left != 0; left &= left - 1) {
      const guint64 *cpus = t->of_node[__builtin_ctzll (left)];

      for (guint w = 0; cpus != NULL && w < t->words; w++)
        some[w] |= cpus[w] & free[w];
    }
    gint64 aligned = vc_cpu_count (some, t->words);
    if (!vc_cpu_take (t, some, MIN (n, aligned), out)) {
      memset (out, 0, t->words * sizeof *out);
      return;
    }
  }
  for (guint w = 0; w < t->words; w++)
    some[w] = free[w] & ~out[w];
  if (!vc_cpu_take (t, some, n - (gint64) vc_cpu_count (out, t->words), rest)) {
    memset (out, 0, t->words * sizeof *out);
    return;
  }
  for (guint w = 0; w < t->words; w++)
    out[w] |= rest[w];
}
