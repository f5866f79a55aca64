#include "faults.h"
#include "drain.h"
#include "machines.h"
#include "node-events.h"
#include "views.h"
#include "sim/load/load-private.h"
#include "sim/record/record.h"
#include "workloads/native/faults.h"
#include "workloads/native/native.h"
#include <string.h>

#define LEASE (15 * SIM_SECOND) /* until another process becomes the leader, when the row does not say */

/* What fails together. */
typedef struct {
  guint32 row;
  char *name;           /* of the unit, for events.csv */
  char *stream;         /* for its draws */
  guint32 *node; guint n;
  guint32 *epoch;       /* [n] of the node object when the fault hit it, SIM_NONE: it did not */
  guint32 n_begun;
  gboolean announced, active;
} Unit;

struct SimFaults {
  GArray *row;          /* WlFault */
  VcAmounts *capacity;  /* by row: of a shrink */
  VcTaint **taint;      /* by row */
  GArray *unit;         /* Unit */
  guint32 *epoch;       /* of each node: grows when the object goes */
  GArray **marks;       /* of each node: guint32, rows of the shrinks and taints under way; NULL */
  guint32 n_nodes;
  guint32 *n_active;    /* by row: units of a row of the control plane that are under way, 0 or 1 */
};

static inline const WlFault *
row_of (const SimFaults *f, const Unit *u)
{
  return &g_array_index (f->row, WlFault, u->row);
}

static inline Unit *
unit_at (const SimWorld *w, guint32 i)
{
  return &g_array_index (w->faults->unit, Unit, i);
}

/* ---- units ---------------------------------------------------------------------------------- */

static void
unit_clear (gpointer data)
{
  Unit *u = data;

  g_free (u->name);
  g_free (u->stream);
  g_free (u->node);
  g_free (u->epoch);
}

/* By node, the SimNodeChange that adds it first. (transfer full) */
static GPtrArray *
first_adds (const SimWorld *w)
{
  GPtrArray *first = g_ptr_array_new ();

  g_ptr_array_set_size (first, (gint) w->n_nodes);
  for (guint32 i = 0; i < w->n_changes; i++)
    if (w->change[i].event == WL_NODE_ADD && first->pdata[w->change[i].node] == NULL)
      first->pdata[w->change[i].node] = &w->change[i];
  return first;
}

static gboolean
has_labels (const VcPairs *labels, const GArray *wanted)
{
  for (guint i = 0; i < wanted->len; i++) {
    const WlPair *p = &g_array_index (wanted, WlPair, i);
    const char *value = vc_pairs_get (labels, p->key);

    if (value == NULL || strcmp (value, p->value) != 0)
      return FALSE;
  }
  return TRUE;
}

/* Rows of the nodes that the fault is aimed at, in the order of the world. (transfer full), NULL with @error. */
static GArray *
targets (const SimWorld *w, const char *file, const WlFault *f, GHashTable *node_rows, GPtrArray *first, GError **error)
{
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (char **name = f->names; name != NULL && *name != NULL; name++) {
    guint32 row = GPOINTER_TO_UINT (g_hash_table_lookup (node_rows, *name)) - 1;

    if (row == SIM_NONE) {
      sim_loader_refuse (error, file, f->line, "target of a fault, expected a node of this run, found '%s'", *name);
      return NULL;
    }
    g_array_append_val (nodes, row);
  }
  for (guint32 i = 0; f->names == NULL && i < w->n_nodes; i++) {
    const SimNodeChange *add = first->pdata[i];

    if (f->everywhere || (add != NULL && has_labels (&add->labels, f->labels)))
      g_array_append_val (nodes, i);
  }
  if (nodes->len == 0) {
    sim_loader_refuse (error, file, f->line, "target of a fault, expected nodes of this run, found none with '%s'", f->target);
    return NULL;
  }
  return g_steal_pointer (&nodes);
}

/* The unit that the node belongs to. (transfer full) */
static char *
unit_name (const SimWorld *w, const WlFault *f, guint32 node, const SimNodeChange *add)
{
  if (strcmp (f->unit, "node") == 0)
    return g_strdup (w->node[node].name);
  if (strcmp (f->unit, "all") == 0)
    return g_strdup (f->target);
  const char *value = add != NULL ? vc_pairs_get (&add->labels, f->unit) : NULL;

  return value != NULL ? g_strdup_printf ("%s=%s", f->unit, value) : g_strdup (w->node[node].name); /* without the label: alone */
}

static Unit *
add_unit (SimFaults *f, guint32 row, char *name, const char *key)
{
  Unit u = { .row = row, .name = name, .stream = g_strconcat (key, " ", name, NULL) };

  g_array_append_val (f->unit, u);
  return &g_array_index (f->unit, Unit, f->unit->len - 1);
}

static void
join (Unit *u, guint32 node)
{
  u->node = g_renew (guint32, u->node, u->n + 1);
  u->epoch = g_renew (guint32, u->epoch, u->n + 1);
  u->epoch[u->n] = SIM_NONE;
  u->node[u->n++] = node;
}

static void
make_units (SimWorld *w, SimFaults *f, guint32 row, const GArray *nodes, const char *key, GPtrArray *first)
{
  const WlFault *r = &g_array_index (f->row, WlFault, row);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < nodes->len; i++) {
    guint32 node = g_array_index (nodes, guint32, i);
    char *name = unit_name (w, r, node, first->pdata[node]);
    guint at = GPOINTER_TO_UINT (g_hash_table_lookup (known, name));

    if (at == 0) {
      add_unit (f, row, name, key);
      at = f->unit->len;
      g_hash_table_insert (known, name, GUINT_TO_POINTER (at));
    } else {
      g_free (name);
    }
    join (&g_array_index (f->unit, Unit, at - 1), node);
  }
}

/* ---- loading -------------------------------------------------------------------------------- */

static void
keep_values (SimWorld *w, SimFaults *f, guint32 row)
{
  const WlFault *r = &g_array_index (f->row, WlFault, row);
  guint n = r->resources != NULL ? r->resources->len : 0, n_taints = r->taints != NULL ? r->taints->len : 0;
  VcAmount *amount = vc_arena_new0 (w->arena, VcAmount, MAX (n, 1));

  for (guint i = 0; i < n; i++) {
    const WlResource *a = &g_array_index (r->resources, WlResource, i);

    amount[i] = (VcAmount){ g_string_chunk_insert_const (w->text, a->name), a->amount };
  }
  f->capacity[row] = (VcAmounts){ amount, n, TRUE };
  f->taint[row] = vc_arena_new0 (w->arena, VcTaint, MAX (n_taints, 1));
  for (guint i = 0; i < n_taints; i++) {
    const WlTaint *t = &g_array_index (r->taints, WlTaint, i);

    f->taint[row][i] = (VcTaint){ g_string_chunk_insert_const (w->text, t->key), g_string_chunk_insert_const (w->text, t->value),
                                  g_string_chunk_insert_const (w->text, t->effect) };
  }
}

SimFaults *
sim_faults_new (SimWorld *w, const char *file, GArray *rows, GHashTable *node_rows, GError **error)
{
  SimFaults *f = g_new0 (SimFaults, 1);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL); /* "kind target" → how many rows */
  g_autoptr (GPtrArray) first = first_adds (w);

  f->row = g_array_ref (rows);
  f->capacity = g_new0 (VcAmounts, MAX (rows->len, 1));
  f->taint = g_new0 (VcTaint *, MAX (rows->len, 1));
  f->n_active = g_new0 (guint32, MAX (rows->len, 1));
  f->unit = g_array_new (FALSE, TRUE, sizeof (Unit));
  f->epoch = g_new0 (guint32, MAX (w->n_nodes, 1));
  f->marks = g_new0 (GArray *, MAX (w->n_nodes, 1));
  f->n_nodes = w->n_nodes;
  g_array_set_clear_func (f->unit, unit_clear);
  for (guint32 i = 0; i < rows->len; i++) {
    const WlFault *r = &g_array_index (rows, WlFault, i);
    char *kind_target = g_strconcat (wl_fault_names[r->kind], " ", r->target, NULL);
    guint before = GPOINTER_TO_UINT (g_hash_table_lookup (seen, kind_target));
    g_autofree char *key = before > 0 ? g_strdup_printf ("%s #%u", kind_target, before) : g_strdup (kind_target);

    g_hash_table_replace (seen, kind_target, GUINT_TO_POINTER (before + 1));
    keep_values (w, f, i);
    if (wl_fault_is_of_schedulers (r->kind) && *r->target != '\0' && !sim_views_know (w, r->target)) {
      sim_loader_refuse (error, file, r->line, "target of a fault, expected a scheduler of this run, found '%s'", r->target);
      sim_faults_free (f);
      return NULL;
    }
    if (!wl_fault_is_of_nodes (r->kind)) {
      add_unit (f, i, g_strdup (""), key);
      continue;
    }
    g_autoptr (GArray) nodes = targets (w, file, r, node_rows, first, error);

    if (nodes == NULL) {
      sim_faults_free (f);
      return NULL;
    }
    make_units (w, f, i, nodes, key, first);
  }
  return f;
}

void
sim_faults_free (SimFaults *f)
{
  if (f == NULL)
    return;
  for (guint32 i = 0; i < f->n_nodes; i++)
    g_clear_pointer (&f->marks[i], g_array_unref);
  g_free (f->marks);
  g_array_unref (f->row);
  g_array_unref (f->unit);
  g_free (f->capacity);
  g_free (f->taint);
  g_free (f->n_active);
  g_free (f->epoch);
  g_free (f);
}

/* ---- when ----------------------------------------------------------------------------------- */

static SimTime
draw (const SimWorld *w, const Unit *u, const WlDistribution *d, gboolean length)
{
  VcRandom r;

  vc_random_init (&r, w->model->seed, "fault", u->stream, (guint64) u->n_begun * 2 + (length ? 1 : 0));
  return wl_distribution_draw_time (d, &r);
}

static void
schedule (SimWorld *w, guint32 unit, SimTime from)
{
  const Unit *u = unit_at (w, unit);
  const WlFault *r = row_of (w->faults, u);
  SimTime at = r->recurs ? sim_time_after (from, MAX (draw (w, u, &r->every, FALSE), 1)) : from;
  SimEventKind kind = r->recurs ? SIM_EVENT_FAULT_AGAIN : SIM_EVENT_FAULT_BEGIN;

  if (r->kind == WL_FAULT_MAINTENANCE && r->lead > 0)
    sim_event_queue_post (w->events, MAX (at - r->lead, w->now), SIM_RANK_NODE, SIM_EVENT_FAULT_LEAD, unit, r->recurs);
  sim_event_queue_post (w->events, at, SIM_RANK_NODE, kind, unit, 0);
}

void
sim_faults_prepare (SimWorld *w)
{
  for (guint32 i = 0; w->faults != NULL && i < w->faults->unit->len; i++)
    schedule (w, i, row_of (w->faults, unit_at (w, i))->time);
}

/* ---- what faults do to a node --------------------------------------------------------------- */

static void
mark (SimFaults *f, guint32 node, guint32 row, gboolean on)
{
  if (f->marks[node] == NULL)
    f->marks[node] = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (on) {
    g_array_append_val (f->marks[node], row);
    return;
  }
  for (guint i = 0; i < f->marks[node]->len; i++)
    if (g_array_index (f->marks[node], guint32, i) == row) {
      g_array_remove_index (f->marks[node], i);
      return;
    }
}

static void
shrink (SimWorld *w, const Unit *u, guint32 node, gboolean on)
{
  mark (w->faults, node, u->row, on);
  sim_record_event (w, "Node", "", w->node[node].name, on ? "shrunk" : "restored", "");
  sim_node_publish (w, node);
}

static void
taint (SimWorld *w, const Unit *u, guint32 node, gboolean on)
{
  mark (w->faults, node, u->row, on);
  sim_record_event (w, "Node", "", w->node[node].name, on ? "tainted" : "untainted", "");
  sim_node_publish (w, node);
}

static void
crash (SimWorld *w, const Unit *u, guint32 node, gboolean on)
{
  if (on)
    sim_node_crash (w, node);
  else
    sim_node_repair (w, node);
}

static void
silence (SimWorld *w, const Unit *u, guint32 node, gboolean on)
{
  sim_node_silence (w, node, on);
}

static void
replace (SimWorld *w, const Unit *u, guint32 node, gboolean on)
{
  if (on)
    sim_node_remove (w, node);
  else if (!w->node[node].present)
    sim_node_add (w, node);
}

static void
cordon (SimWorld *w, const Unit *u, guint32 node, gboolean on)
{
  sim_node_fence (w, node, on);
}

static void
drain (SimWorld *w, const Unit *u, guint32 node, gboolean on)
{
  sim_node_fence (w, node, on);
  if (on)
    sim_node_drain (w, node);
}

static void
maintain (SimWorld *w, const Unit *u, guint32 node, gboolean on)
{
  if (on && !u->announced)
    sim_node_fence (w, node, TRUE);
  crash (w, u, node, on);
  if (!on)
    sim_node_fence (w, node, FALSE);
}

/* What a fault does to a node (on), and undoes. */
static void (*const effect[WL_N_FAULTS]) (SimWorld *w, const Unit *u, guint32 node, gboolean on) = {
  [WL_FAULT_CRASH] = crash,   [WL_FAULT_NOTREADY] = silence,      [WL_FAULT_REMOVE] = replace, [WL_FAULT_CORDON] = cordon,
  [WL_FAULT_DRAIN] = drain,   [WL_FAULT_MAINTENANCE] = maintain,  [WL_FAULT_SHRINK] = shrink,  [WL_FAULT_TAINT] = taint,
};

/* ---- events --------------------------------------------------------------------------------- */

static void
record (SimWorld *w, const Unit *u, const char *what)
{
  sim_record_event (w, "Fault", "", u->name, wl_fault_names[row_of (w->faults, u)->kind], what);
}

gboolean
sim_faults_lead (SimWorld *w, const SimEvent *ev)
{
  Unit *u = unit_at (w, ev->subject);

  record (w, u, "announced");
  u->announced = TRUE;
  for (guint i = 0; i < u->n; i++) {
    u->epoch[i] = SIM_NONE;
    if (!w->node[u->node[i]].present)
      continue;
    u->epoch[i] = w->faults->epoch[u->node[i]];
    sim_node_fence (w, u->node[i], TRUE);
    sim_node_drain (w, u->node[i]);
  }
  return TRUE;
}

/* The schedulers of that name are gone; all of them, where there is none. */
static void
leave (SimWorld *w, const char *name, SimTime back)
{
  for (guint v = 0; v < w->n_views; v++)
    if (*name == '\0' || g_strv_contains (w->view[v].names, name))
      w->view[v].back = MAX (w->view[v].back, back);
}

gboolean
sim_faults_begin (SimWorld *w, const SimEvent *ev)
{
  SimFaults *f = w->faults;
  Unit *u = unit_at (w, ev->subject);
  const WlFault *r = row_of (f, u);
  gboolean restart = wl_fault_is_of_schedulers (r->kind);
  SimTime length = r->ends ? draw (w, u, &r->duration, TRUE) : r->kind == WL_FAULT_LEADER_CHANGE ? LEASE : restart ? 0 : SIM_NEVER;

  record (w, u, "begins");
  u->n_begun++;
  u->active = TRUE;
  if (restart)
    leave (w, r->target, sim_time_after (w->now, length));
  else if (!wl_fault_is_of_nodes (r->kind))
    f->n_active[u->row]++;
  for (guint i = 0; i < u->n; i++) {
    guint32 node = u->node[i];

    if (!w->node[node].present || (u->announced && u->epoch[i] != f->epoch[node])) {
      u->epoch[i] = SIM_NONE;
      continue;
    }
    effect[r->kind](w, u, node, TRUE);
    u->epoch[i] = f->epoch[node];
  }
  sim_event_queue_post (w->events, sim_time_after (w->now, length), SIM_RANK_NODE, SIM_EVENT_FAULT_END, ev->subject, r->recurs);
  return TRUE;
}

gboolean
sim_faults_end (SimWorld *w, const SimEvent *ev)
{
  SimFaults *f = w->faults;
  Unit *u = unit_at (w, ev->subject);
  const WlFault *r = row_of (f, u);

  record (w, u, "over");
  u->active = u->announced = FALSE;
  if (!wl_fault_is_of_nodes (r->kind) && f->n_active[u->row] > 0)
    f->n_active[u->row]--;
  for (guint i = 0; i < u->n; i++)
    if (u->epoch[i] == f->epoch[u->node[i]])
      effect[r->kind](w, u, u->node[i], FALSE);
  if (r->recurs && (r->count < 0 || u->n_begun < (guint32) r->count))
    schedule (w, ev->subject, w->now);
  return TRUE;
}

/* ---- what is asked of faults under way ------------------------------------------------------ */

void
sim_faults_taint (const SimWorld *w, guint32 node, GArray *taints)
{
  const SimFaults *f = w->faults;

  for (guint i = 0; f != NULL && f->marks[node] != NULL && i < f->marks[node]->len; i++) {
    guint32 row = g_array_index (f->marks[node], guint32, i);
    const WlFault *r = &g_array_index (f->row, WlFault, row);

    for (guint k = 0; r->taints != NULL && k < r->taints->len; k++) {
      const VcTaint *t = &f->taint[row][k];
      gboolean there = FALSE;

      for (guint o = 0; o < taints->len && !there; o++) {
        const VcTaint *other = &g_array_index (taints, VcTaint, o);

        there = strcmp (other->key, t->key) == 0 && g_strcmp0 (other->effect, t->effect) == 0;
      }
      if (!there)
        g_array_append_val (taints, *t);
    }
  }
}

/* floor (q × percent / 100) of a quantity whose parts fit into 2^53. */
static VcQuantity
part_of (VcQuantity q, gint32 percent)
{
  gint64 milli = q.milli / 100 * percent + q.milli % 100 * percent / 100;

  return (VcQuantity){ q.value / 100 * percent + q.value % 100 * percent / 100, milli };
}

VcAmounts
sim_faults_capacity (const SimWorld *w, guint32 node, GArray *room)
{
  const SimFaults *f = w->faults;
  const VcAmounts *full = &w->node[node].resources;
  gboolean some = FALSE;

  if (f == NULL || f->marks[node] == NULL || f->marks[node]->len == 0)
    return *full;
  g_array_set_size (room, 0);
  if (full->n > 0)
    g_array_append_vals (room, full->item, full->n);
  for (guint i = 0; i < f->marks[node]->len; i++) {
    guint32 row = g_array_index (f->marks[node], guint32, i);
    const WlFault *r = &g_array_index (f->row, WlFault, row);

    if (r->kind != WL_FAULT_SHRINK)
      continue;
    some = TRUE;
    for (guint k = 0; k < room->len; k++) {
      VcAmount *a = &g_array_index (room, VcAmount, k);
      VcQuantity left = a->q;

      if (r->percent >= 0)
        left = part_of (full->item[k].q, r->percent);
      for (guint s = 0; s < f->capacity[row].n; s++)
        if (strcmp (f->capacity[row].item[s].name, a->name) == 0)
          left = f->capacity[row].item[s].q;
      if (left.milli < a->q.milli || left.value < a->q.value)
        a->q = left;
    }
  }
  return some ? (VcAmounts){ (const VcAmount *) (gpointer) room->data, room->len, TRUE } : *full;
}

void
sim_faults_forget (SimWorld *w, guint32 node)
{
  if (w->faults == NULL)
    return;
  w->faults->epoch[node]++;
  if (w->faults->marks[node] != NULL)
    g_array_set_size (w->faults->marks[node], 0);
}

static SimTime
lag (const SimWorld *w, WlFaultKind kind, SimTime base)
{
  const SimFaults *f = w->faults;

  for (guint32 i = 0; f != NULL && i < f->row->len; i++) {
    const WlFault *r = &g_array_index (f->row, WlFault, i);

    if (r->kind == kind && f->n_active[i] > 0)
      base = MAX (base, r->lag);
  }
  return base;
}

SimTime
sim_faults_controller_lag (const SimWorld *w)
{
  return lag (w, WL_FAULT_CONTROLLER_LAG, w->model->controller_lag);
}

SimTime
sim_faults_informer_lag (const SimWorld *w)
{
  return lag (w, WL_FAULT_INFORMER_LAG, w->model->informer_lag);
}

double
sim_faults_bind_error (const SimWorld *w)
{
  const SimFaults *f = w->faults;
  double rate = w->model->bind_error;

  for (guint32 i = 0; f != NULL && i < f->row->len; i++) {
    const WlFault *r = &g_array_index (f->row, WlFault, i);

    if (r->kind == WL_FAULT_BIND_ERROR && f->n_active[i] > 0)
      rate = MAX (rate, r->rate);
  }
  return rate;
}
