/* workloads/import/machines.c - see machines.h. */
#include "machines.h"
#include "records.h"
#include <string.h>

typedef struct {
  WlTime time;
  gint64 cpu_milli, memory;
  const char *more, *labels, *value; /* of texts */
  guint32 machine;
  WlMachineEvent event;
  gboolean measured;
} Row;

typedef struct { const char *key, *value; } Attribute;

struct WlMachines {
  WlImport *imp;
  gint64 pods;
  WlTexts *texts;
  GHashTable *numbers; /* name → 1 + number */
  GPtrArray *names;
  GArray *row;
  GArray *attribute;   /* of the machine at hand */
};

WlMachines *
wl_machines_new (WlImport *imp, gint64 pods)
{
  WlMachines *m = g_new0 (WlMachines, 1);

  m->imp = imp;
  m->pods = pods;
  m->texts = wl_texts_new ();
  m->numbers = g_hash_table_new (NULL, NULL); /* texts are kept once */
  m->names = g_ptr_array_new ();
  m->row = g_array_new (FALSE, FALSE, sizeof (Row));
  m->attribute = g_array_new (FALSE, FALSE, sizeof (Attribute));
  return m;
}

void
wl_machines_free (WlMachines *m)
{
  if (m == NULL)
    return;
  wl_texts_free (m->texts);
  g_hash_table_unref (m->numbers);
  g_ptr_array_unref (m->names);
  g_array_unref (m->row);
  g_array_unref (m->attribute);
  g_free (m);
}

void
wl_machines_add (WlMachines *m, const WlMachineRow *row)
{
  const char *name = wl_texts_add (m->texts, row->machine);
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (m->numbers, name));
  Row r = { .time = row->time,
            .cpu_milli = row->cpu_milli,
            .memory = row->memory,
            .more = wl_texts_add (m->texts, row->more),
            .labels = wl_texts_add (m->texts, row->labels),
            .value = wl_texts_add (m->texts, row->value),
            .event = row->event,
            .measured = row->measured };

  if (number == 0) {
    g_ptr_array_add (m->names, (gpointer) name);
    number = m->names->len;
    g_hash_table_insert (m->numbers, (gpointer) name, GUINT_TO_POINTER (number));
  }
  r.machine = number - 1;
  g_array_append_val (m->row, r);
}

gboolean
wl_machines_have (const WlMachines *m, const char *machine)
{
  return g_hash_table_contains (m->numbers, wl_texts_add (m->texts, machine));
}

static int
by_machine (gconstpointer a, gconstpointer b, gpointer data)
{
  const Row *row = data, *l = &row[*(const guint32 *) a], *r = &row[*(const guint32 *) b];

  if (l->machine != r->machine)
    return l->machine < r->machine ? -1 : 1;
  if (l->time != r->time)
    return l->time < r->time ? -1 : 1;
  if (l->event != r->event)
    return l->event < r->event ? -1 : 1;
  return l < r ? -1 : l > r; /* by row */
}

/* A machine on its way through time. */
typedef struct {
  gboolean there, measured, stale; /* stale: an attribute has changed since the last row of the node */
  gint64 cpu_milli, memory;
  const char *more, *labels;
} State;

/* TRUE: something has changed. */
static gboolean
set_attribute (WlMachines *m, const Row *r)
{
  for (guint i = 0; i < m->attribute->len; i++) {
    Attribute *a = &g_array_index (m->attribute, Attribute, i);

    if (a->key != r->labels)
      continue;
    gboolean changed = a->value != r->value;

    a->value = r->value;
    return changed;
  }
  if (r->value == NULL)
    return FALSE;
  const Attribute fresh = { r->labels, r->value };

  g_array_append_val (m->attribute, fresh);
  return TRUE;
}

static void
emit (WlMachines *m, const State *s, const Row *r, WlNodeEvent event)
{
  g_autoptr (GString) labels = g_string_new (s->labels);

  for (guint i = 0; i < m->attribute->len; i++) {
    const Attribute *a = &g_array_index (m->attribute, Attribute, i);

    if (a->value != NULL)
      g_string_append_printf (labels, "%s%s=%s", labels->len > 0 ? ";" : "", a->key, a->value);
  }
  const WlImportNode node = { .name = m->names->pdata[r->machine],
                              .time = r->time,
                              .event = event,
                              .capacity = { .cpu_milli = s->cpu_milli, .memory = s->memory, .more = s->more },
                              .pods = event != WL_NODE_REMOVE ? m->pods : 0,
                              .labels = event != WL_NODE_REMOVE ? labels->str : NULL };

  wl_import_node (m->imp, &node);
}

/* The machine has, from now on, what @r says; FALSE: that is what it had. */
static gboolean
take (State *s, const Row *r)
{
  const char *labels = r->labels != NULL || !s->there ? r->labels : s->labels;
  gboolean changed = s->labels != labels || (r->measured && (s->cpu_milli != r->cpu_milli || s->memory != r->memory || s->more != r->more));

  s->labels = labels;
  if (r->measured) {
    s->measured = TRUE;
    s->cpu_milli = r->cpu_milli;
    s->memory = r->memory;
    s->more = r->more;
  }
  return changed;
}

static void
apply (WlMachines *m, State *s, const Row *r)
{
  gboolean changed;

  switch (r->event) {
  case WL_MACHINE_ATTRIBUTE:
    s->stale = set_attribute (m, r) || s->stale;
    break;
  case WL_MACHINE_REMOVE:
    if (s->there)
      emit (m, s, r, WL_NODE_REMOVE);
    else
      wl_import_drop_more (m->imp, "removal of a machine that is not there", 1);
    s->there = FALSE;
    break;
  case WL_MACHINE_ADD:
  case WL_MACHINE_UPDATE:
    if (!s->there && r->event == WL_MACHINE_UPDATE) {
      wl_import_drop_more (m->imp, "update of a machine that is not there", 1);
      break;
    }
    changed = take (s, r) || s->stale;
    if (!s->measured) {
      wl_import_drop_more (m->imp, "machine without capacity", 1);
      break;
    }
    if (!s->there)
      emit (m, s, r, WL_NODE_ADD);
    else if (changed)
      emit (m, s, r, WL_NODE_UPDATE);
    else
      wl_import_drop_more (m->imp, "says nothing new of a machine", 1);
    s->there = TRUE;
    s->stale = FALSE;
    break;
  }
}

guint
wl_machines_finish (WlMachines *m)
{
  const Row *row = (const Row *) (const void *) m->row->data;
  guint n = m->row->len, nodes = 0;
  g_autofree guint32 *order = g_new (guint32, n + 1);
  State s = { 0 };
  gboolean ever = FALSE;

  for (guint32 i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) n, sizeof *order, by_machine, (gpointer) row);
  for (guint i = 0; i < n; i++) {
    const Row *r = &row[order[i]], *next = i + 1 < n ? &row[order[i + 1]] : NULL;

    apply (m, &s, r);
    ever = ever || s.there;
    if (next != NULL && next->machine == r->machine && next->time == r->time)
      continue;
    if (s.there && s.stale)
      emit (m, &s, r, WL_NODE_UPDATE);
    s.stale = FALSE;
    if (next != NULL && next->machine == r->machine)
      continue;
    nodes += ever;
    ever = FALSE;
    s = (State){ 0 };
    g_array_set_size (m->attribute, 0);
  }
  return nodes;
}
