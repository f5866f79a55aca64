/* workloads/import/clouds/google-2019.c - Google ClusterData 2019: tables that people export from BigQuery as CSV with a header (members of structs as resource_request_cpus or
 * resource_request.cpus, or the struct in one cell) or as JSON, one row a line; and the flat join of them that is widely copied. One cell of eight, a month; the trace begins at 600 s. */
#include "google.h"
#include "workloads/import/dict.h"
#include "workloads/import/table-kind.h"
#include "workloads/text/parse.h"
#include <string.h>

/* Columns of all tables. */
enum {
  F_TIME, F_TYPE, F_COLLECTION, F_INDEX, F_CLASS, F_MISSING, F_COLLECTION_TYPE, F_PRIORITY, F_ALLOC, F_ALLOC_INDEX, F_MACHINE, F_CPU, F_MEMORY, F_REQUEST, F_CONSTRAINT, F_USER, F_NAME, F_LOGICAL,
  F_PARENT, F_AFTER, F_PER_MACHINE, F_PER_SWITCH, F_SCALING, F_SCHEDULER, F_SWITCH, F_CAPACITY, F_PLATFORM, F_VALUE, F_DELETED, F_START, F_END, F_USAGE, N_FIELDS
};
#define MAX_COLUMNS 40

typedef struct { const char *name; int field; gboolean required; } Column;
typedef enum { INSTANCES, COLLECTIONS, ATTRIBUTES, MACHINES, FLAT, USAGE, N_KINDS } Kind;

static const Column instance_columns[] = {
  { "time", F_TIME, TRUE },  { "type", F_TYPE, TRUE },      { "collection_id", F_COLLECTION, TRUE },      { "instance_index", F_INDEX, TRUE }, { "scheduling_class", F_CLASS, FALSE },
  { "missing_type", F_MISSING, FALSE }, { "collection_type", F_COLLECTION_TYPE, FALSE }, { "priority", F_PRIORITY, FALSE }, { "alloc_collection_id", F_ALLOC, FALSE },
  { "alloc_instance_index", F_ALLOC_INDEX, FALSE }, { "machine_id", F_MACHINE, FALSE }, { "resource_request_cpus", F_CPU, FALSE }, { "resource_request.cpus", F_CPU, FALSE },
  { "resource_request_memory", F_MEMORY, FALSE }, { "resource_request.memory", F_MEMORY, FALSE }, { "resource_request", F_REQUEST, FALSE }, { "constraint", F_CONSTRAINT, FALSE }, { NULL, 0, FALSE },
};
static const Column collection_columns[] = {
  { "time", F_TIME, TRUE }, { "type", F_TYPE, TRUE }, { "collection_id", F_COLLECTION, TRUE }, { "scheduling_class", F_CLASS, FALSE }, { "missing_type", F_MISSING, FALSE },
  { "collection_type", F_COLLECTION_TYPE, FALSE }, { "priority", F_PRIORITY, FALSE }, { "alloc_collection_id", F_ALLOC, FALSE }, { "user", F_USER, TRUE }, { "collection_name", F_NAME, FALSE },
  { "collection_logical_name", F_LOGICAL, FALSE }, { "parent_collection_id", F_PARENT, FALSE }, { "start_after_collection_ids", F_AFTER, FALSE }, { "max_per_machine", F_PER_MACHINE, FALSE },
  { "max_per_switch", F_PER_SWITCH, FALSE }, { "vertical_scaling", F_SCALING, FALSE }, { "scheduler", F_SCHEDULER, FALSE }, { NULL, 0, FALSE },
};
static const Column attribute_columns[] = {
  { "time", F_TIME, TRUE }, { "machine_id", F_MACHINE, TRUE }, { "name", F_NAME, TRUE }, { "value", F_VALUE, TRUE }, { "deleted", F_DELETED, FALSE }, { NULL, 0, FALSE },
};
static const Column machine_columns[] = {
  { "time", F_TIME, TRUE }, { "machine_id", F_MACHINE, TRUE }, { "type", F_TYPE, TRUE }, { "switch_id", F_SWITCH, FALSE }, { "capacity_cpus", F_CPU, FALSE }, { "capacity.cpus", F_CPU, FALSE },
  { "capacity_memory", F_MEMORY, FALSE }, { "capacity.memory", F_MEMORY, FALSE }, { "capacity", F_CAPACITY, FALSE }, { "platform_id", F_PLATFORM, FALSE }, { "missing_data_reason", F_MISSING, FALSE },
  { NULL, 0, FALSE },
};
static const Column flat_columns[] = {
  { "time", F_TIME, TRUE }, { "instance_events_type", F_TYPE, TRUE }, { "collection_id", F_COLLECTION, TRUE }, { "instance_index", F_INDEX, TRUE }, { "scheduling_class", F_CLASS, FALSE },
  { "collection_type", F_COLLECTION_TYPE, FALSE }, { "priority", F_PRIORITY, FALSE }, { "alloc_collection_id", F_ALLOC, FALSE }, { "machine_id", F_MACHINE, FALSE },
  { "resource_request", F_REQUEST, TRUE }, { "constraint", F_CONSTRAINT, FALSE }, { "user", F_USER, FALSE }, { "start_after_collection_ids", F_AFTER, FALSE }, { "vertical_scaling", F_SCALING, FALSE },
  { "scheduler", F_SCHEDULER, FALSE }, { "start_time", F_START, TRUE }, { "end_time", F_END, TRUE }, { NULL, 0, FALSE },
};
static const Column usage_columns[] = {
  { "start_time", F_START, TRUE }, { "end_time", F_END, TRUE }, { "collection_id", F_COLLECTION, TRUE }, { "instance_index", F_INDEX, TRUE }, { "sample_rate", F_USAGE, TRUE }, { NULL, 0, FALSE },
};
/* The one with the most to recognise it by comes first. */
static const struct { Kind kind; const char *name; const Column *column; } tables[N_KINDS] = {
  { FLAT, "flat join", flat_columns },
  { USAGE, "instance_usage", usage_columns },
  { INSTANCES, "instance_events", instance_columns },
  { COLLECTIONS, "collection_events", collection_columns },
  { MACHINES, "machine_events", machine_columns },
  { ATTRIBUTES, "machine_attributes", attribute_columns },
};

static const WlImportOption options[] = {
  WL_GOOGLE_OPTIONS,
  { "queue-by", WL_OPTION_CHOICE, "scheduler", "scheduler|user|band|none", "what the queues are; scheduler: batch for jobs of the batch scheduler; band: free, batch, middle, production and monitoring" },
  { "allocs", WL_OPTION_CHOICE, "hold", "hold|ignore", "alloc sets: they hold resources as jobs, and tasks in them are left out; or the other way round" },
  { "nodes", WL_OPTION_COUNT, NULL, NULL, "nodes of one unit, where the files list no machines (default: what the tasks ask for at most at one time)" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

typedef struct {
  WlGoogle *google;
  WlMachines *machines;
  gint64 cpu, memory;       /* of a unit */
  gboolean hold;            /* alloc sets are jobs */
  const Column *column;     /* of the table at hand */
  int at[N_FIELDS];         /* of a table: the cell of each field, or -1 */
} Reader;

/* ---- fields of a row, from a cell or a line of JSON ------------------------------------------------------- */

typedef struct {
  WlImport *imp;
  const int *at;           /* of a table */
  WlCsv *csv;              /* NULL: JSON */
  guint file;
  guint64 line;
  const Column *column;
  GString *text[N_FIELDS]; /* of JSON; NULL: never seen */
  gsize place[N_FIELDS];   /* bytes into the line */
  gboolean given[N_FIELDS];
} Fields;

static const char *
get (const Fields *f, int field)
{
  if (f->csv != NULL)
    return wl_csv_cell (f->csv, f->at[field]);
  return f->given[field] ? f->text[field]->str : "";
}

/* Nothing, or one of the words for it. */
static gboolean
is_missing (const Fields *f, int field)
{
  return wl_import_parse_missing (get (f, field));
}

/* Put the place of @field in front of @error; returns FALSE. */
static gboolean
locate (const Fields *f, int field, GError **error)
{
  const Column *c = f->column;

  if (f->csv != NULL)
    return wl_csv_locate (f->csv, MAX (f->at[field], 0), error);
  while (c->name != NULL && c->field != field)
    c++;
  g_prefix_error (error, "'%s': ", c->name != NULL ? c->name : "row");
  return wl_import_locate (f->imp, f->file, f->line, f->given[field] ? f->place[field] + 1 : 1, error);
}

/* A whole number, or @missing where there is none; WL_TIME_NONE: there has to be one. */
static gboolean
number (const Fields *f, int field, gint64 missing, gint64 min, gint64 max, gint64 *out, GError **error)
{
  const char *text = get (f, field), *p = text;
  gint64 fine, plain = 0;

  for (; g_ascii_isdigit (*p) && p - text < 18; p++) /* the usual case: a few digits and nothing else */
    plain = plain * 10 + (*p - '0');
  *out = plain;
  if (p > text && *p == '\0' && plain >= min && plain <= max)
    return TRUE;
  *out = missing;
  if (is_missing (f, field)) {
    if (missing != WL_TIME_NONE)
      return TRUE;
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "empty, expected a whole number, found ''");
    return locate (f, field, error);
  }
  if (!wl_import_parse_scaled (text, 1, min, max, out, error))
    return locate (f, field, error);
  if (strpbrk (text, ".eE") == NULL || (wl_import_parse_scaled (text, 1000000, G_MININT64, G_MAXINT64, &fine, NULL) && fine % 1000000 == 0))
    return TRUE;
  g_autofree char *shown = wl_shown (text);

  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "not a whole number, expected %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ", found %s", min, max, shown);
  return locate (f, field, error);
}

static gboolean
time_of (const Fields *f, int field, WlTime *out, GError **error)
{
  if (!number (f, field, WL_TIME_NONE, 0, WL_GOOGLE_AFTER, out, error))
    return FALSE;
  if (*out <= WL_TIME_MAX || *out == WL_GOOGLE_AFTER)
    return TRUE;
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "time out of range, expected microseconds up to 2^53, or 2^63-1, found '%s'", get (f, field));
  return locate (f, field, error);
}

/* An event by number or name. */
static gboolean
event_of (const Fields *f, const char *const *names, guint n, guint first, gint64 *out, GError **error)
{
  const char *text = get (f, F_TYPE);

  for (guint i = first; i < n; i++)
    if (strcmp (text, names[i]) == 0) {
      *out = i;
      return TRUE;
    }
  return number (f, F_TYPE, WL_TIME_NONE, first, n - 1, out, error);
}

/* ---- structs ------------------------------------------------------------------------------------------------ */

typedef struct { const Reader *r; gint64 cpu, memory; gboolean given, has_cpu, has_memory; } Amounts; /* given: one of both at least */

static gboolean
amount_item (const char *key, const char *value, gsize at, gpointer user, GError **error)
{
  Amounts *a = user;
  gboolean cpu = g_strcmp0 (key, "cpus") == 0;

  if ((!cpu && g_strcmp0 (key, "memory") != 0) || wl_import_parse_missing (value))
    return TRUE;
  a->given = TRUE;
  *(cpu ? &a->has_cpu : &a->has_memory) = TRUE;
  return wl_google_part (value, cpu ? a->r->cpu : a->r->memory, cpu ? &a->cpu : &a->memory, error);
}

/* cpus and memory: a field each, or both in the struct @whole. */
static gboolean
read_amounts (const Reader *r, const Fields *f, int whole, Amounts *a, GError **error)
{
  gsize place;

  *a = (Amounts){ .r = r };
  for (guint k = 0; k < 2; k++) {
    int field = k == 0 ? F_CPU : F_MEMORY;

    if (is_missing (f, field))
      continue;
    a->given = TRUE;
    *(k == 0 ? &a->has_cpu : &a->has_memory) = TRUE;
    if (!wl_google_part (get (f, field), k == 0 ? r->cpu : r->memory, k == 0 ? &a->cpu : &a->memory, error))
      return locate (f, field, error);
  }
  return is_missing (f, whole) || wl_dict_each (get (f, whole), amount_item, a, &place, error) || locate (f, whole, error);
}

/* One of the two alone: the other is taken for 0. */
static void
note_amounts (const Fields *f, const Amounts *a)
{
  if (a->has_cpu != a->has_memory)
    wl_import_default (f->imp, a->has_cpu ? "memory of a row (none)" : "cpu of a row (none)");
}

typedef struct { WlGoogle *google; WlGoogleConstraint c; GString *name, *value; gint64 relation; gboolean keep; } Constraint;

static gboolean
constraint_item (const char *key, const char *value, gsize at, gpointer user, GError **error)
{
  Constraint *c = user;

  if (g_strcmp0 (key, "name") == 0)
    g_string_assign (c->name, value);
  else if (g_strcmp0 (key, "value") == 0)
    g_string_assign (c->value, value);
  else if (g_strcmp0 (key, "relation") == 0)
    return wl_import_parse_scaled (value, 1, 0, WL_RELATION_ABSENT, &c->relation, error);
  return TRUE;
}

static gboolean
constraint_of_list (const char *key, const char *value, gsize at, gpointer user, GError **error)
{
  Constraint *c = user;
  gsize place;

  g_string_truncate (c->name, 0);
  g_string_truncate (c->value, 0);
  c->relation = -1;
  if (!wl_dict_each (value, constraint_item, c, &place, error))
    return FALSE;
  if (c->name->len == 0 || c->relation < 0) {
    g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "constraint, expected name, value and relation, found none of one of them");
    return FALSE;
  }
  c->c.attribute = c->name->str;
  c->c.value = c->value->str;
  c->c.relation = (WlRelation) c->relation;
  return wl_google_constraint (c->google, &c->c, c->keep, error);
}

/* The constraints of a row; with @keep they go to its task, else they are only looked at. */
static gboolean
read_constraints (const Reader *r, const Fields *f, const WlGoogleTask *e, gboolean keep, GError **error)
{
  if (strcmp (get (f, F_CONSTRAINT), "[]") == 0) /* as most have it */
    return TRUE;
  g_autoptr (GString) name = g_string_new (NULL), value = g_string_new (NULL);
  Constraint c = { .google = r->google, .c = { .job = e->of.job, .index = e->index }, .name = name, .value = value, .keep = keep };
  gsize place;

  return is_missing (f, F_CONSTRAINT) || wl_dict_each (get (f, F_CONSTRAINT), constraint_of_list, &c, &place, error) || locate (f, F_CONSTRAINT, error);
}

typedef struct { WlGoogle *google; gint64 job; gboolean keep; } After;

static gboolean
after_item (const char *key, const char *value, gsize at, gpointer user, GError **error)
{
  const After *a = user;
  gint64 target;

  if (!wl_import_parse_scaled (value, 1, 0, G_MAXINT64, &target, error))
    return FALSE;
  if (a->keep)
    wl_google_after (a->google, a->job, target);
  return TRUE;
}

/* The jobs to start after; with @keep they count, else they are only looked at. */
static gboolean
read_after (const Reader *r, const Fields *f, gint64 job, gboolean keep, GError **error)
{
  After a = { r->google, job, keep };
  gsize place;

  return is_missing (f, F_AFTER) || wl_dict_each (get (f, F_AFTER), after_item, &a, &place, error) || locate (f, F_AFTER, error);
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

static const char *const event_names[WL_GOOGLE_EVENTS] = { "SUBMIT", "QUEUE", "ENABLE", "SCHEDULE", "EVICT", "FAIL", "FINISH", "KILL", "LOST", "UPDATE_PENDING", "UPDATE_RUNNING" };

typedef struct { gboolean alloc, inside; } Place;

/* What rows of jobs and of their instances have in common. */
static gboolean
read_job (const Fields *f, WlGoogleJob *out, Place *p, GError **error)
{
  gint64 event, type, alloc;

  if (!time_of (f, F_TIME, &out->time, error) || !event_of (f, event_names, WL_GOOGLE_EVENTS, 0, &event, error) ||
      !number (f, F_COLLECTION, WL_TIME_NONE, 0, G_MAXINT64, &out->job, error) || !number (f, F_CLASS, -1, 0, 3, &out->class, error) || !number (f, F_PRIORITY, -1, 0, 1000, &out->priority, error) ||
      !number (f, F_COLLECTION_TYPE, 0, 0, 1, &type, error) || !number (f, F_ALLOC, 0, 0, G_MAXINT64, &alloc, error))
    return FALSE;
  out->event = (WlGoogleEvent) event;
  out->user = get (f, F_USER);
  *p = (Place){ type == 1, alloc != 0 };
  return TRUE;
}

static void
note_missing (const Fields *f)
{
  const char *text = get (f, F_MISSING);

  if (!is_missing (f, F_MISSING) && strcmp (text, "0") != 0)
    wl_import_note (f->imp, "events that the authors reconstructed (missing_type)", 1);
}

/* NULL, or why a row of @p is left out. */
static const char *
left_out (const Reader *r, const Place *p)
{
  if (r->hold)
    return p->inside ? "runs inside an alloc set" : NULL;
  return p->alloc ? "alloc set" : NULL;
}

static gboolean
instance_row (const Reader *r, const Fields *f, GError **error)
{
  WlGoogleTask e = { 0 };
  Amounts a;
  Place p;

  if (!read_job (f, &e.of, &p, error) || !number (f, F_INDEX, WL_TIME_NONE, 0, G_MAXINT32, &e.index, error) || !number (f, F_MACHINE, 0, -1, G_MAXINT64, &e.machine, error) ||
      !read_amounts (r, f, F_REQUEST, &a, error) || !read_constraints (r, f, &e, FALSE, error))
    return FALSE;
  if (left_out (r, &p) != NULL)
    return wl_import_drop (f->imp, left_out (r, &p));
  e.asks = a.given;
  e.cpu_milli = a.cpu;
  e.memory = a.memory;
  note_missing (f);
  note_amounts (f, &a);
  (void) read_constraints (r, f, &e, TRUE, NULL);
  return wl_google_task (r->google, &e);
}

static gboolean
flat_row (const Reader *r, const Fields *f, GError **error)
{
  WlGoogleTask e = { 0 };
  WlTime start, end;
  Amounts a;
  Place p;

  if (!read_job (f, &e.of, &p, error) || !number (f, F_INDEX, WL_TIME_NONE, 0, G_MAXINT32, &e.index, error) || !number (f, F_MACHINE, 0, -1, G_MAXINT64, &e.machine, error) ||
      !read_amounts (r, f, F_REQUEST, &a, error) || !read_constraints (r, f, &e, FALSE, error) || !time_of (f, F_START, &start, error) || !time_of (f, F_END, &end, error))
    return FALSE;
  if (left_out (r, &p) != NULL)
    return wl_import_drop (f->imp, left_out (r, &p));
  if (end < start)
    return wl_import_drop (f->imp, "ends before it starts");
  e.asks = a.given;
  e.cpu_milli = a.cpu;
  e.memory = a.memory;
  e.of.time = start;
  (void) read_constraints (r, f, &e, TRUE, NULL);
  note_amounts (f, &a);
  wl_import_default (f->imp, "submission, start and end (the samples of usage)");
  return wl_google_life (r->google, &e, end, TRUE);
}

static gboolean
collection_row (const Reader *r, const Fields *f, GError **error)
{
  WlGoogleJob e = { 0 };
  gint64 scheduler, per_machine, per_switch, scaling, parent;
  Place p;

  if (!read_job (f, &e, &p, error) || !number (f, F_SCHEDULER, 0, 0, 1, &scheduler, error) || !number (f, F_PER_MACHINE, 0, 0, G_MAXINT32, &per_machine, error) ||
      !number (f, F_PER_SWITCH, 0, 0, G_MAXINT32, &per_switch, error) || !number (f, F_SCALING, 0, 0, 3, &scaling, error) || !number (f, F_PARENT, 0, 0, G_MAXINT64, &parent, error) ||
      !read_after (r, f, e.job, FALSE, error))
    return FALSE;
  if (left_out (r, &p) != NULL)
    return wl_import_drop (f->imp, left_out (r, &p));
  note_missing (f);
  if (e.event == WL_GOOGLE_SUBMIT) {
    if (scaling > 1)
      wl_import_note (f->imp, "jobs whose requests may be resized (vertical_scaling): not kept", 1);
    if (per_machine > 1 || per_switch > 1)
      wl_import_note (f->imp, "limits of several tasks on a machine or switch: not kept", 1);
    if (parent > 0)
      wl_import_note (f->imp, "jobs that end with their parent: not kept", 1);
  }
  (void) read_after (r, f, e.job, TRUE, NULL);
  if (per_machine == 1 || per_switch == 1)
    wl_google_apart (r->google, e.job, per_switch == 1 ? "rack" : "kubernetes.io/hostname");
  if (scheduler == 1)
    wl_google_queue (r->google, e.job, "batch");
  return wl_google_job (r->google, &e);
}

static gboolean
attribute_row (const Reader *r, const Fields *f, GError **error)
{
  gint64 machine;
  WlTime time;
  gboolean deleted = strcmp (get (f, F_DELETED), "true") == 0 || strcmp (get (f, F_DELETED), "True") == 0 || strcmp (get (f, F_DELETED), "1") == 0;

  if (!time_of (f, F_TIME, &time, error) || !number (f, F_MACHINE, WL_TIME_NONE, 0, G_MAXINT64, &machine, error))
    return FALSE;
  if (*get (f, F_NAME) == '\0') {
    g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "empty, expected the name of an attribute, found ''");
    return locate (f, F_NAME, error);
  }
  return wl_google_attribute (r->google, r->machines, machine, time, get (f, F_NAME), deleted ? NULL : get (f, F_VALUE));
}

static gboolean
machine_row (const Reader *r, const Fields *f, GError **error)
{
  static const char *const names[] = { "", "ADD", "REMOVE", "UPDATE" };
  static const WlMachineEvent events[] = { WL_MACHINE_ADD, WL_MACHINE_ADD, WL_MACHINE_REMOVE, WL_MACHINE_UPDATE };
  WlMachineRow row = { 0 };
  gint64 machine, event;
  Amounts a;

  if (!time_of (f, F_TIME, &row.time, error) || !number (f, F_MACHINE, WL_TIME_NONE, 0, G_MAXINT64, &machine, error) || !event_of (f, names, G_N_ELEMENTS (names), 1, &event, error) ||
      !read_amounts (r, f, F_CAPACITY, &a, error))
    return FALSE;
  if (row.time == WL_GOOGLE_AFTER)
    return wl_import_drop (f->imp, "after the end of the trace");
  g_autofree char *name = wl_google_machine_name (machine), *rack = wl_import_label_value (get (f, F_SWITCH)), *platform = wl_import_label_value (get (f, F_PLATFORM));
  g_autofree char *labels = g_strdup_printf ("%s%s%s%s%s", *rack != '\0' ? "rack=" : "", rack, *rack != '\0' && *platform != '\0' ? ";" : "", *platform != '\0' ? "platform=" : "", platform);

  row.machine = name;
  row.event = events[event];
  row.measured = a.given;
  row.cpu_milli = a.cpu;
  row.memory = a.memory;
  row.labels = labels;
  note_amounts (f, &a);
  wl_machines_add (r->machines, &row);
  return TRUE;
}

typedef gboolean RowOf (const Reader *r, const Fields *f, GError **error);
static RowOf *const row_of[N_KINDS] = { [INSTANCES] = instance_row, [COLLECTIONS] = collection_row, [ATTRIBUTES] = attribute_row, [MACHINES] = machine_row, [FLAT] = flat_row };

/* ---- tables ------------------------------------------------------------------------------------------------- */

typedef struct { Reader *r; Kind kind; Fields f; } Table;

static gboolean
csv_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Table *t = user;

  if (t->f.csv == NULL) { /* the first row: the places of the fields */
    for (guint i = 0; i < N_FIELDS; i++)
      t->r->at[i] = -1;
    for (guint i = 0; t->f.column[i].name != NULL; i++)
      if (cell[i] >= 0)
        t->r->at[t->f.column[i].field] = cell[i];
    t->f.csv = csv;
    t->f.at = t->r->at;
  }
  return row_of[t->kind](t->r, &t->f, error);
}

static gboolean
read_csv (WlImport *imp, guint file, Table *t, GError **error)
{
  static const WlCsvShape shape = { .others = TRUE };
  WlColumn known[MAX_COLUMNS];
  guint n = 0;

  for (; t->f.column[n].name != NULL; n++)
    known[n] = (WlColumn){ t->f.column[n].name, t->f.column[n].required };
  return wl_import_table (imp, file, &shape, known, n, csv_row, t, error);
}

static gboolean
json_item (const char *key, const char *value, gsize at, gpointer user, GError **error)
{
  Fields *f = user;

  for (const Column *c = f->column; c->name != NULL; c++) {
    if (g_strcmp0 (key, c->name) != 0)
      continue;
    if (f->text[c->field] == NULL)
      f->text[c->field] = g_string_new (NULL);
    g_string_assign (f->text[c->field], value);
    f->place[c->field] = at;
    f->given[c->field] = TRUE;
  }
  return TRUE;
}

static gboolean
json_line (WlImport *imp, guint file, guint64 number_of_line, char *line, gsize len, gpointer user, GError **error)
{
  Table *t = user;
  const char *end = line;
  gsize place = 0;

  if (len == 0)
    return TRUE;
  wl_import_begin_row (imp);
  t->f.line = number_of_line;
  memset (t->f.given, 0, sizeof t->f.given);
  if (!g_utf8_validate (line, (gssize) len, &end)) { /* NUL, too */
    g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "invalid UTF-8, expected text, found byte 0x%02x", (guchar) *end);
    return wl_import_locate (imp, file, number_of_line, (guint64) (end - line) + 1, error);
  }
  if (!wl_dict_each (line, json_item, &t->f, &place, error))
    return wl_import_locate (imp, file, number_of_line, place + 1, error);
  return row_of[t->kind](t->r, &t->f, error);
}

static gboolean
is_json (const WlImportHead *head)
{
  g_autofree char *line = wl_head_line (head);

  return *line == '{';
}

static gboolean
has_columns (const WlImportHead *head, const Column *column)
{
  g_autofree char *line = wl_head_line (head);
  g_autoptr (GString) names = g_string_new (NULL);

  for (const Column *c = column; c->name != NULL; c++) {
    g_autofree char *quoted = g_strdup_printf ("\"%s\"", c->name);

    if (!c->required)
      continue;
    if (*line == '{' && strstr (line, quoted) == NULL)
      return FALSE;
    g_string_append_printf (names, "%s%s", names->len > 0 ? "," : "", c->name);
  }
  return *line == '{' || wl_head_has (head, ',', names->str);
}

/* The table of a file, -1: none. */
static int
find_table (const WlImportHead *head)
{
  for (guint i = 0; i < N_KINDS; i++)
    if (has_columns (head, tables[i].column))
      return (int) i;
  return -1;
}

static gboolean
read_file (WlImport *imp, guint file, guint table, Reader *r, GError **error)
{
  Table t = { .r = r, .kind = tables[table].kind, .f = { .imp = imp, .file = file, .column = tables[table].column } };
  gboolean good;

  if (t.kind == USAGE) {
    wl_import_note (imp, "files of usage, which nothing needs", 1);
    return TRUE;
  }
  good = is_json (wl_import_head (imp, file)) ? wl_import_lines (imp, file, json_line, &t, error) : read_csv (imp, file, &t, error);
  for (guint i = 0; i < N_FIELDS; i++)
    if (t.f.text[i] != NULL)
      g_string_free (t.f.text[i], TRUE);
  return good;
}

static guint
detect (const WlImportHead *head)
{
  return find_table (head) >= 0 ? WL_DETECT_SURE : WL_DETECT_NO;
}

static const char *
band (gint64 priority)
{
  return priority <= 99 ? "free" : priority <= 115 ? "batch" : priority <= 119 ? "middle" : priority <= 359 ? "production" : "monitoring";
}

static gboolean
run (WlImport *imp, GError **error)
{
  static const WlGoogleRules rules = { 116, band };
  g_autoptr (WlGoogle) google = wl_google_new (imp, &rules);
  g_autoptr (WlMachines) machines = wl_machines_new (imp, -1);
  Reader r = { .google = google, .machines = machines, .cpu = wl_import_milli (imp, "unit-cpu"), .memory = wl_import_bytes (imp, "unit-memory"), .hold = wl_import_is (imp, "allocs", "hold") };
  gboolean attributes = FALSE;

  for (Kind k = 0; k < N_KINDS; k++) /* attributes behind the tasks: those are kept that constraints name */
    for (guint i = 0; i < wl_import_n_files (imp); i++) {
      int table = find_table (wl_import_head (imp, i));

      if (table < 0) {
        g_set_error (error, WL_ERROR, WL_ERROR_HEADER, "unknown table, expected instance_events, collection_events, machine_events, machine_attributes or the flat join, found another one");
        return wl_import_locate (imp, i, 1, 1, error);
      }
      if (tables[table].kind == k && !read_file (imp, i, (guint) table, &r, error))
        return FALSE;
      attributes = attributes || tables[table].kind == ATTRIBUTES;
    }
  if (wl_machines_finish (machines) == 0) {
    const WlImportNode node = { .name = "n",
                                .time = WL_TIME_NONE,
                                .capacity = { .cpu_milli = r.cpu, .memory = r.memory },
                                .pods = -1,
                                .count = wl_import_given (imp, "nodes") ? (guint32) wl_import_number (imp, "nodes") : wl_google_peak (google) };

    wl_import_node (imp, &node);
    wl_import_default_more (imp, "nodes", node.count);
  }
  wl_google_finish (google, attributes);
  return TRUE;
}

extern const WlImportFormat wl_format_google_2019;
const WlImportFormat wl_format_google_2019 = {
  .name = "google-2019",
  .title = "Google ClusterData 2019",
  .files = "instance_events, collection_events, machine_events and machine_attributes as CSV with a header or JSON lines; or the flat join",
  .licence = "CC BY 4.0; github.com/google/cluster-data",
  .options = options,
  .detect = detect,
  .run = run,
};
