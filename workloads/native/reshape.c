#include "reshape.h"
#include "behaviour.h"
#include "core/base/random.h"
#include <math.h>
#include <string.h>

/* ---- nodes --------------------------------------------------------------------------------------- */

/* Does row @r come from a line of nodes.csv that adds `name`, alone or as <name>-<i>? */
static gboolean
is_of (const WlNodeRow *r, const char *name)
{
  gsize n = strlen (name);

  if (r->event != WL_NODE_ADD || strncmp (r->name, name, n) != 0)
    return FALSE;
  if (r->name[n] == '\0')
    return TRUE;
  return r->name[n] == '-' && r->name[n + 1] != '\0' && strspn (r->name + n + 1, "0123456789") == strlen (r->name + n + 1);
}

static WlNodeRow
copy_row (const WlNodeRow *r, char *name)
{
  WlNodeRow one = *r;

  one.name = name;
  g_array_ref (one.resources);
  g_array_ref (one.labels);
  g_array_ref (one.taints);
  g_array_ref (one.annotations);
  return one;
}

/* Put @rows in place of @nodes' rows; the clear function of @nodes frees what was there. */
static void
replace_rows (GArray *nodes, GArray *rows)
{
  g_array_set_size (nodes, 0);
  g_array_append_vals (nodes, rows->data, rows->len);
}

gboolean
wl_nodes_set_count (GArray *nodes, const char *name, guint count)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (WlNodeRow)); /* without a clear function: its rows move */
  guint32 line = 0;

  for (guint i = 0; i < nodes->len && line == 0; i++)
    if (is_of (&g_array_index (nodes, WlNodeRow, i), name))
      line = g_array_index (nodes, WlNodeRow, i).line;
  if (line == 0)
    return FALSE;
  gboolean done = FALSE;

  for (guint i = 0; i < nodes->len; i++) {
    const WlNodeRow *r = &g_array_index (nodes, WlNodeRow, i);

    if (r->line != line) {
      WlNodeRow other = copy_row (r, g_strdup (r->name));

      g_array_append_val (rows, other);
      continue;
    }
    for (guint k = 0; k < count && !done; k++) {
      WlNodeRow one = copy_row (r, count > 1 ? g_strdup_printf ("%s-%u", name, k) : g_strdup (name));

      g_array_append_val (rows, one);
    }
    done = TRUE;
  }
  replace_rows (nodes, rows);
  return TRUE;
}

guint
wl_nodes_named (const GArray *nodes, const char *name)
{
  guint n = 0;

  for (guint i = 0; i < nodes->len; i++)
    n += is_of (&g_array_index (nodes, WlNodeRow, i), name);
  return n;
}

static gboolean
is_initial (const WlNodeRow *r)
{
  return r->event == WL_NODE_ADD && r->time == 0;
}

guint
wl_nodes_initial (const GArray *nodes)
{
  guint n = 0;

  for (guint i = 0; i < nodes->len; i++)
    n += is_initial (&g_array_index (nodes, WlNodeRow, i));
  return n;
}

/* Place in the order of removal: each node draws by its own name, so that the kept sets are nested. */
typedef struct { guint64 draw; guint32 row; } Draw;

static int
by_draw (gconstpointer a, gconstpointer b)
{
  const Draw *l = a, *r = b;

  return l->draw != r->draw ? (l->draw < r->draw ? -1 : 1) : l->row < r->row ? -1 : l->row > r->row;
}

/* The nodes of time 0, or the clones of them with that number, in the order in which they come in. */
static GArray *
draw_nodes (const GArray *nodes, guint clone, guint64 seed)
{
  GArray *draws = g_array_new (FALSE, FALSE, sizeof (Draw));

  for (guint32 i = 0; i < nodes->len; i++) {
    const WlNodeRow *r = &g_array_index (nodes, WlNodeRow, i);
    VcRandom random;

    if (!is_initial (r))
      continue;
    vc_random_init (&random, seed, "keep-nodes", r->name, clone);
    Draw d = { vc_random_next (&random), i };

    g_array_append_val (draws, d);
  }
  g_array_sort (draws, by_draw);
  return draws;
}

void
wl_nodes_keep (GArray *nodes, guint n, guint64 seed)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (WlNodeRow));
  guint whole = wl_nodes_initial (nodes);

  for (guint clone = 0; n > 0 && whole > 0; clone++) {
    g_autoptr (GArray) draws = draw_nodes (nodes, clone, seed);
    g_autoptr (GHashTable) kept = g_hash_table_new (g_str_hash, g_str_equal); /* for look-ups only */

    for (guint i = 0; i < MIN (n, whole); i++)
      g_hash_table_add (kept, g_array_index (nodes, WlNodeRow, g_array_index (draws, Draw, i).row).name);
    for (guint i = 0; i < nodes->len; i++) {
      const WlNodeRow *r = &g_array_index (nodes, WlNodeRow, i);

      if (g_hash_table_contains (kept, r->name)) {
        WlNodeRow one = copy_row (r, clone == 0 ? g_strdup (r->name) : g_strdup_printf ("%s-clone-%u", r->name, clone));

        g_array_append_val (rows, one);
      }
    }
    n -= MIN (n, whole);
  }
  replace_rows (nodes, rows);
}

/* ---- jobs ---------------------------------------------------------------------------------------- */

/* The longest that a pod of the job runs, all its runs one after the other. */
static WlTime
longest (const WlJob *j)
{
  WlTime most = 0;

  for (guint k = 0; k < j->roles->len; k++) {
    const GArray *lists = g_array_index (j->roles, WlRole, k).durations;

    for (guint i = 0; i < lists->len; i++) {
      const GArray *runs = g_array_index (lists, GArray *, i);
      WlTime first = g_array_index (runs, WlTime, 0);

      most = MAX (most, first);
    }
  }
  return most;
}

static GArray *
for_ever (void)
{
  GArray *lists = wl_lists_new (), *runs = g_array_new (FALSE, FALSE, sizeof (WlTime));
  WlTime never = WL_TIME_NEVER;

  g_array_append_val (runs, never);
  g_array_append_val (lists, runs);
  return lists;
}

void
wl_jobs_snapshot (GArray *jobs, WlTime at)
{
  guint kept = 0;
  g_autoptr (GArray) never = for_ever ();

  for (guint i = 0; i < jobs->len; i++) {
    WlJob *j = &g_array_index (jobs, WlJob, i);
    WlTime run = longest (j);
    gboolean alive = at == WL_TIME_NEVER || (j->submit <= at && (run == WL_TIME_NEVER || j->submit + run > at) && (j->remove == WL_TIME_NONE || j->remove > at));

    if (!alive)
      continue;
    j->submit = 0;
    j->remove = WL_TIME_NONE;
    for (guint k = 0; k < j->roles->len; k++) {
      WlRole *r = &g_array_index (j->roles, WlRole, k);

      g_array_unref (r->durations);
      r->durations = g_array_ref (never);
    }
    if (kept != i) { /* swapped, so that what is dropped below is freed */
      WlJob moved = g_array_index (jobs, WlJob, kept);

      g_array_index (jobs, WlJob, kept) = *j;
      g_array_index (jobs, WlJob, i) = moved;
    }
    kept++;
  }
  g_array_set_size (jobs, kept);
}

static GArray *
scaled (const GArray *resources, double factor)
{
  GArray *out = wl_resources_new ();

  for (guint i = 0; i < resources->len; i++) {
    const WlResource *r = &g_array_index (resources, WlResource, i);
    gboolean whole = strcmp (r->name, "memory") == 0 || strcmp (r->name, "ephemeral-storage") == 0;
    double value = ceil ((double) r->amount.value * factor - 1e-9), milli = ceil ((double) r->amount.milli * factor - 1e-9);
    WlResource s = { g_strdup (r->name), { (gint64) value, whole ? (gint64) value * 1000 : (gint64) milli } };

    if (!whole)
      s.amount.value = (s.amount.milli + 999) / 1000;
    g_array_append_val (out, s);
  }
  return out;
}

void
wl_jobs_scale_requests (GArray *jobs, double factor)
{
  g_autoptr (GHashTable) made = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) g_array_unref, (GDestroyNotify) g_array_unref);

  for (guint i = 0; i < jobs->len; i++) {
    WlJob *j = &g_array_index (jobs, WlJob, i);

    for (guint k = 0; k <= j->roles->len; k++) { /* the last one: min_resources */
      GArray **place = k < j->roles->len ? &g_array_index (j->roles, WlRole, k).resources : &j->min_resources;
      GArray *now = *place != NULL ? g_hash_table_lookup (made, *place) : NULL; /* equal requests stay one array */

      if (*place == NULL)
        continue;
      if (now == NULL) {
        now = scaled (*place, factor);
        g_hash_table_insert (made, g_array_ref (*place), now);
      }
      g_array_unref (*place);
      *place = g_array_ref (now);
    }
  }
}

static GArray *
ref (GArray *a)
{
  return a != NULL ? g_array_ref (a) : NULL;
}

static GArray *
copy_roles (const GArray *roles)
{
  GArray *out = wl_roles_new ();

  for (guint k = 0; k < roles->len; k++) {
    WlRole r = g_array_index (roles, WlRole, k);

    r.name = g_strdup (r.name);
    ref (r.resources);
    ref (r.durations);
    ref (r.exit_codes);
    ref (r.node_selector);
    ref (r.node_terms);
    ref (r.tolerations);
    r.image = g_strdup (r.image);
    r.apart = g_strdup (r.apart);
    r.behaviour = r.behaviour != NULL ? wl_behaviour_ref (r.behaviour) : NULL;
    ref (r.scale);
    g_array_append_val (out, r);
  }
  return out;
}

/* The copy's own values in the columns of the others; what those do not have is left out. */
static GArray *
extra_of (const GArray *columns, GArray *own)
{
  GArray *out = wl_pairs_new ();

  for (guint i = 0; i < columns->len; i++) {
    const char *key = g_array_index (columns, WlPair, i).key, *value = "";

    for (guint k = 0; k < own->len; k++)
      if (strcmp (g_array_index (own, WlPair, k).key, key) == 0)
        value = g_array_index (own, WlPair, k).value;
    WlPair pair = { g_strdup (key), g_strdup (value) };

    g_array_append_val (out, pair);
  }
  return out;
}

void
wl_jobs_add_copies (GArray *jobs, const GArray *more, guint n, WlTime at)
{
  if (more->len == 0)
    return;
  g_autoptr (GArray) columns = ref (g_array_index (jobs->len > 0 ? jobs : more, WlJob, 0).extra);

  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < more->len; k++) {
      WlJob j = g_array_index (more, WlJob, k);

      j.name = g_strdup_printf ("%s-copy-%u", j.name, i);
      j.ns = g_strdup (j.ns);
      j.queue = g_strdup (j.queue);
      j.priority = g_strdup (j.priority);
      j.scheduler = g_strdup (j.scheduler);
      j.min_resources = ref (j.min_resources);
      j.roles = copy_roles (j.roles);
      j.extra = extra_of (columns, j.extra);
      j.submit = at;
      j.remove = WL_TIME_NONE;
      g_array_append_val (jobs, j);
    }
}
