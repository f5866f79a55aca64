#include "faults.h"
#include "behaviour.h"
#include "workloads/text/trace-columns.h"
#include <string.h>

const char *const wl_fault_names[WL_N_FAULTS] = {
  [WL_FAULT_CRASH] = "crash",
  [WL_FAULT_NOTREADY] = "notready",
  [WL_FAULT_REMOVE] = "remove",
  [WL_FAULT_CORDON] = "cordon",
  [WL_FAULT_DRAIN] = "drain",
  [WL_FAULT_MAINTENANCE] = "maintenance",
  [WL_FAULT_SHRINK] = "shrink",
  [WL_FAULT_TAINT] = "taint",
  [WL_FAULT_SCHEDULER_RESTART] = "scheduler-restart",
  [WL_FAULT_LEADER_CHANGE] = "leader-change",
  [WL_FAULT_CONTROLLER_LAG] = "controller-lag",
  [WL_FAULT_INFORMER_LAG] = "informer-lag",
  [WL_FAULT_BIND_ERROR] = "bind-error",
};

enum { C_TIME, C_KIND, C_TARGET, C_UNIT, C_DURATION, C_EVERY, C_COUNT, C_VALUE, C_LEAD, N_COLUMNS };
static const WlColumn columns[N_COLUMNS] = {
  [C_TIME] = { "time", FALSE },         [C_KIND] = { "kind", TRUE },   [C_TARGET] = { "target", FALSE },
  [C_UNIT] = { "unit", FALSE },         [C_DURATION] = { "duration", FALSE }, [C_EVERY] = { "every", FALSE },
  [C_COUNT] = { "count", FALSE },       [C_VALUE] = { "value", FALSE },       [C_LEAD] = { "lead", FALSE },
};

typedef struct {
  WlCsv *csv;
  int where[N_COLUMNS];
} Reader;

static void
fault_clear (gpointer data)
{
  WlFault *f = data;

  g_free (f->target);
  g_strfreev (f->names);
  g_free (f->unit);
  wl_distribution_clear (&f->every);
  wl_distribution_clear (&f->duration);
  g_clear_pointer (&f->labels, g_array_unref);
  g_clear_pointer (&f->resources, g_array_unref);
  g_clear_pointer (&f->taints, g_array_unref);
}

static const char *
cell (const Reader *r, int c)
{
  return wl_csv_cell (r->csv, r->where[c]);
}

static gboolean
refuse (const Reader *r, int c, const char *expected, GError **error)
{
  g_autofree char *what = g_strdup_printf ("column '%s'", columns[c].name), *shown = wl_shown (cell (r, c));

  return wl_csv_refuse (r->csv, r->where[c] >= 0 ? r->where[c] : r->where[C_KIND], WL_ERROR_VALUE, what, expected, shown, error);
}

static gboolean
read_kind (const Reader *r, WlFault *f, GError **error)
{
  const char *text = wl_csv_required (r->csv, r->where[C_KIND], "a kind of fault", error);

  if (text == NULL)
    return FALSE;
  for (guint k = 0; k < WL_N_FAULTS; k++)
    if (strcmp (text, wl_fault_names[k]) == 0) {
      f->kind = (WlFaultKind) k;
      return TRUE;
    }
  return refuse (r, C_KIND,
                 "crash, notready, remove, cordon, drain, maintenance, shrink, taint, scheduler-restart, leader-change, controller-lag, "
                 "informer-lag or bind-error",
                 error);
}

static gboolean
read_target (const Reader *r, WlFault *f, GError **error)
{
  const char *text = cell (r, C_TARGET), *unit = cell (r, C_UNIT);

  f->target = g_strdup (text);
  f->unit = g_strdup (*unit != '\0' ? unit : "node");
  if (!wl_fault_is_of_nodes (f->kind)) {
    if (*text != '\0' && !wl_fault_is_of_schedulers (f->kind))
      return refuse (r, C_TARGET, "nothing: this kind is of the whole control plane", error);
    return *unit == '\0' || refuse (r, C_UNIT, "nothing: this kind is of the whole control plane", error);
  }
  if (*text == '\0')
    return refuse (r, C_TARGET, "a node, several with '|' between, labels such as rack=r1, or *", error);
  if (strcmp (f->unit, "node") != 0 && strcmp (f->unit, "all") != 0 && !wl_check_key (f->unit, error))
    return wl_csv_locate (r->csv, r->where[C_UNIT], error);
  f->everywhere = strcmp (text, "*") == 0;
  if (f->everywhere)
    return TRUE;
  if (strchr (text, '=') != NULL)
    return wl_parse_pairs (text, &f->labels, error) || wl_csv_locate (r->csv, r->where[C_TARGET], error);
  f->names = g_strsplit (text, "|", -1);
  for (char **name = f->names; *name != NULL; name++)
    if (!wl_check_name (*name, TRUE, WL_NAME_MAX, error))
      return wl_csv_locate (r->csv, r->where[C_TARGET], error);
  return TRUE;
}

static gboolean
read_distribution (const Reader *r, int c, WlDistribution *out, gboolean *given, GError **error)
{
  const char *text = cell (r, c);

  *given = *text != '\0';
  return !*given || wl_parse_distribution (text, TRUE, out, error) || wl_csv_locate (r->csv, r->where[c], error);
}

static gboolean
read_times (const Reader *r, WlFault *f, GError **error)
{
  gboolean at_once = f->kind == WL_FAULT_SCHEDULER_RESTART || f->kind == WL_FAULT_LEADER_CHANGE;

  f->count = -1;
  if (!wl_trace_time (r->csv, r->where[C_TIME], &f->time, error) || !read_distribution (r, C_DURATION, &f->duration, &f->ends, error) ||
      !read_distribution (r, C_EVERY, &f->every, &f->recurs, error) || !wl_trace_int (r->csv, r->where[C_COUNT], 1, G_MAXINT32, &f->count, error) ||
      !wl_trace_time (r->csv, r->where[C_LEAD], &f->lead, error))
    return FALSE;
  if (f->recurs && !f->ends && !at_once)
    return refuse (r, C_DURATION, "how long each takes, for it comes again", error);
  if (f->recurs && f->every.kind == WL_CONSTANT && f->every.a <= 0)
    return refuse (r, C_EVERY, "a time above 0", error);
  if (f->kind == WL_FAULT_MAINTENANCE && !f->ends)
    return refuse (r, C_DURATION, "how long the machine is off", error);
  if (f->count >= 0 && !f->recurs)
    return refuse (r, C_COUNT, "nothing without a time in 'every'", error);
  if (*cell (r, C_LEAD) != '\0' && f->kind != WL_FAULT_MAINTENANCE)
    return refuse (r, C_LEAD, "nothing: only maintenance has a lead", error);
  if (!f->recurs && f->lead > f->time)
    return refuse (r, C_LEAD, "at most the time of the fault", error);
  return TRUE;
}

static gboolean
read_shrink (const Reader *r, WlFault *f, const char *text, GError **error)
{
  gsize len = strlen (text);
  gint64 percent;

  if (len > 1 && text[len - 1] == '%') {
    g_autofree char *number = g_strndup (text, len - 1);

    if (!wl_parse_int (number, 0, 99, &percent, NULL))
      return refuse (r, C_VALUE, "0% to 99%, or resources such as cpu=4;memory=8Gi", error);
    f->percent = (gint32) percent;
    return TRUE;
  }
  f->percent = -1;
  return wl_parse_resources (text, &f->resources, error) || wl_csv_locate (r->csv, r->where[C_VALUE], error);
}

static gboolean
read_value (const Reader *r, WlFault *f, GError **error)
{
  const char *text = cell (r, C_VALUE);
  gboolean wanted = f->kind == WL_FAULT_SHRINK || f->kind == WL_FAULT_TAINT || f->kind == WL_FAULT_CONTROLLER_LAG ||
                    f->kind == WL_FAULT_INFORMER_LAG || f->kind == WL_FAULT_BIND_ERROR;

  if (wanted != (*text != '\0'))
    return refuse (r, C_VALUE, wanted ? "a value of this kind of fault" : "nothing: this kind has no value", error);
  if (!wanted)
    return TRUE;
  if (f->kind == WL_FAULT_SHRINK)
    return read_shrink (r, f, text, error);
  if (f->kind == WL_FAULT_TAINT)
    return wl_parse_taints (text, &f->taints, error) || wl_csv_locate (r->csv, r->where[C_VALUE], error);
  if (f->kind == WL_FAULT_BIND_ERROR)
    return wl_parse_share (text, 1, &f->rate, error) || wl_csv_locate (r->csv, r->where[C_VALUE], error);
  return wl_parse_time (text, FALSE, &f->lag, error) || wl_csv_locate (r->csv, r->where[C_VALUE], error);
}

GArray *
wl_read_faults (const char *path, GError **error)
{
  g_autoptr (WlCsv) csv = wl_csv_open (path, error);
  g_autoptr (GArray) rows = g_array_new (FALSE, TRUE, sizeof (WlFault)), others = g_array_new (FALSE, FALSE, sizeof (guint));
  Reader r = { .csv = csv };

  g_array_set_clear_func (rows, fault_clear);
  if (csv == NULL || !wl_csv_columns (csv, columns, N_COLUMNS, r.where, others, error))
    return NULL;
  if (others->len > 0) {
    wl_csv_unknown_column (csv, g_array_index (others, guint, 0), columns, N_COLUMNS, error);
    return NULL;
  }
  for (;;) {
    gboolean got = FALSE;

    if (!wl_csv_next (csv, &got, error))
      return NULL;
    if (!got)
      return g_steal_pointer (&rows);
    g_array_set_size (rows, rows->len + 1); /* zeroed; freed with the others */
    WlFault *f = &g_array_index (rows, WlFault, rows->len - 1);

    f->line = wl_csv_line (csv);
    if (!read_kind (&r, f, error) || !read_target (&r, f, error) || !read_times (&r, f, error) || !read_value (&r, f, error))
      return NULL;
  }
}
