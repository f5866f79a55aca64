#include "results-read.h"
#include "core/base/json.h"
#include "reports/results/schema.h"
#include "sim/cycle/cycle.h"
#include "workloads/text/csv-table.h"
#include "workloads/text/parse.h"
#include <errno.h>
#include <math.h>
#include <string.h>

#define TIME_MAX 9e12 /* seconds; microseconds of more do not fit */

/* One file while it is read. */
typedef struct {
  RpRunData *d;
  WlCsv *csv;
  guint n;         /* cells of the header */
  GError **error;
  gboolean good;
} Reader;

static gboolean
refuse (Reader *r, int cell, const char *expected)
{
  g_autofree char *shown = wl_shown (wl_csv_cell (r->csv, cell));

  if (r->good)
    wl_csv_refuse (r->csv, cell, WL_ERROR_VALUE, "a cell of the results", expected, shown, r->error);
  return r->good = FALSE;
}

/* ---- columns ----------------------------------------------------------------------------------- */

static int
column (const Reader *r, const char *name)
{
  for (guint i = 0; i < r->n; i++)
    if (strcmp (wl_csv_header (r->csv, i), name) == 0)
      return (int) i;
  return -1;
}

/* The cells of a family such as used/cpu, in the order of the resources. */
static int *
family (const Reader *r, const char *prefix)
{
  int *cell = g_new (int, r->d->n_res + 1);

  for (guint i = 0; i < r->d->n_res; i++) {
    g_autofree char *name = g_strconcat (prefix, "/", r->d->resource[i], NULL);

    cell[i] = column (r, name);
  }
  return cell;
}

/* ---- cells ------------------------------------------------------------------------------------- */

static double
number (Reader *r, int cell)
{
  const char *text = wl_csv_cell (r->csv, cell);
  char *end = NULL;

  if (*text == '\0')
    return (double) NAN;
  double v = g_ascii_strtod (text, &end);

  if (*end != '\0' || !isfinite (v))
    refuse (r, cell, "a number");
  return v;
}

static gint64
when (Reader *r, int cell)
{
  double seconds = number (r, cell);

  if (fabs (seconds) > TIME_MAX)
    refuse (r, cell, "a time within 9e12 seconds");
  return !r->good || isnan (seconds) ? RP_NONE : (gint64) llround (seconds * 1e6);
}

static guint32
count (Reader *r, int cell)
{
  guint64 v = 0;
  const char *text = wl_csv_cell (r->csv, cell);

  if (*text != '\0' && !g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT32, &v, NULL))
    refuse (r, cell, "a whole number");
  return (guint32) v;
}

static gint32
whole (Reader *r, int cell)
{
  gint64 v = 0;

  if (!g_ascii_string_to_signed (wl_csv_cell (r->csv, cell), 10, G_MININT32, G_MAXINT32, &v, NULL))
    refuse (r, cell, "a whole number");
  return (gint32) v;
}

static const char *
text (Reader *r, int cell)
{
  return rp_run_data_text (r->d, wl_csv_cell (r->csv, cell));
}

/* NULL when all cells are empty. */
static const double *
amounts (Reader *r, const int *cell)
{
  double *v = NULL;

  for (guint i = 0; i < r->d->n_res; i++) {
    double x = number (r, cell[i]);

    if (isnan (x))
      continue;
    if (v == NULL)
      v = vc_arena_new0 (r->d->arena, double, r->d->n_res);
    v[i] = x;
  }
  return v;
}

/* ---- files ------------------------------------------------------------------------------------- */

typedef void ReadRows (Reader *r);

static gboolean
next (Reader *r)
{
  gboolean got = FALSE;

  if (!r->good)
    return FALSE;
  if (!wl_csv_next (r->csv, &got, r->error))
    return r->good = FALSE;
  return got;
}

static void
read_cycles (Reader *r)
{
  static const char *const names[] = { "time", "binds", "evictions", "pending", "running", "releasing", "pg_pending", "pg_inqueue", "pg_running",
                                       "pg_unknown", "pipelined", "discarded", "jobs_considered", "enqueued", "jobs_waiting", "jobs_running",
                                       "jobs_finished", "nodes", "e2e" };
  int c[G_N_ELEMENTS (names)];
  g_autofree int *capacity = family (r, "capacity"), *allocated = family (r, "allocated"), *requested = family (r, "requested"),
                 *idle = family (r, "idle"), *fragmented = family (r, "fragmented");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    c[i] = column (r, names[i]);
  while (next (r)) {
    RpCycle row = { .time = when (r, c[0]), .binds = count (r, c[1]), .evictions = count (r, c[2]), .pending = count (r, c[3]),
                    .running = count (r, c[4]), .releasing = count (r, c[5]), .pg_pending = count (r, c[6]), .pg_inqueue = count (r, c[7]),
                    .pg_running = count (r, c[8]), .pg_unknown = count (r, c[9]), .pipelined = count (r, c[10]), .discarded = count (r, c[11]),
                    .jobs_considered = count (r, c[12]), .enqueued = count (r, c[13]), .jobs_waiting = count (r, c[14]),
                    .jobs_running = count (r, c[15]), .jobs_finished = count (r, c[16]), .nodes = count (r, c[17]), .e2e = when (r, c[18]),
                    .capacity = amounts (r, capacity), .allocated = amounts (r, allocated), .requested = amounts (r, requested),
                    .idle = amounts (r, idle), .fragmented = amounts (r, fragmented) };

    g_array_append_val (r->d->cycles, row);
  }
}

static void
read_queues (Reader *r)
{
  int time = column (r, "time"), queue = column (r, "queue"), weight = column (r, "weight"), share = column (r, "share"),
      overused = column (r, "overused"), pending = column (r, "pending_jobs"), running = column (r, "running_jobs"),
      pg_pending = column (r, "pg_pending"), pg_inqueue = column (r, "pg_inqueue"), pg_running = column (r, "pg_running"),
      pg_unknown = column (r, "pg_unknown"), pg_completed = column (r, "pg_completed");
  g_autofree int *allocated = family (r, "allocated"), *deserved = family (r, "deserved"), *request = family (r, "request"),
                 *inqueue = family (r, "inqueue");

  while (next (r)) {
    RpQueue row = { .time = when (r, time), .queue = text (r, queue), .weight = number (r, weight), .share = number (r, share),
                    .overused = count (r, overused) != 0, .pending_jobs = count (r, pending), .running_jobs = count (r, running),
                    .pg_pending = count (r, pg_pending), .pg_inqueue = count (r, pg_inqueue), .pg_running = count (r, pg_running),
                    .pg_unknown = count (r, pg_unknown), .pg_completed = count (r, pg_completed),
                    .allocated = amounts (r, allocated), .deserved = amounts (r, deserved), .request = amounts (r, request),
                    .inqueue = amounts (r, inqueue) };

    g_array_append_val (r->d->queues, row);
  }
}

/* User columns are those whose name begins with x_. */
static int *
user_columns (Reader *r)
{
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (int));

  for (guint i = 0; i < r->n; i++)
    if (g_str_has_prefix (wl_csv_header (r->csv, i), "x_")) {
      int cell = (int) i;

      g_array_append_val (cells, cell);
    }
  r->d->n_extra = cells->len;
  r->d->extra = vc_arena_new0 (r->d->arena, const char *, cells->len + 1);
  for (guint i = 0; i < cells->len; i++)
    r->d->extra[i] = rp_run_data_text (r->d, wl_csv_header (r->csv, (guint) g_array_index (cells, int, i)));
  return (int *) (gpointer) g_array_free (g_steal_pointer (&cells), FALSE);
}

/* The user's column x_deadline is a time after the submission. */
static void
read_deadline (Reader *r, const int *extra, RpJob *row)
{
  for (guint i = 0; i < r->d->n_extra; i++) {
    const char *cell = wl_csv_cell (r->csv, extra[i]);
    WlTime after;

    if (strcmp (r->d->extra[i], "x_deadline") != 0 || *cell == '\0')
      continue;
    if (!wl_parse_time (cell, FALSE, &after, NULL)) {
      refuse (r, extra[i], "a time");
      return;
    }
    row->has_deadline = TRUE;
    row->deadline = row->submit + after;
  }
}

static void
read_jobs (Reader *r)
{
  static const char *const names[] = { "namespace", "job", "queue", "submit", "inqueue", "first_bind", "gang_start", "finish", "phase", "podgroup",
                                       "evictions", "run", "restarts", "pods", "min_available", "reason", "owner", "lost", "hyper_node", "tier", "tier_name", "racks", "topology_cost",
                                       "kind", "priority", "preemptable", "places", "pool", "cause", "by", "missing" };
  int c[G_N_ELEMENTS (names)];
  g_autofree int *used = family (r, "used"), *wasted = family (r, "wasted"), *pod = family (r, "pod"), *least = family (r, "least"), *extra = user_columns (r);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    c[i] = column (r, names[i]);
  while (next (r)) {
    RpJob row = { .ns = text (r, c[0]), .job = text (r, c[1]), .queue = text (r, c[2]), .submit = when (r, c[3]), .inqueue = when (r, c[4]),
                  .first_bind = when (r, c[5]), .gang_start = when (r, c[6]), .finish = when (r, c[7]), .phase = text (r, c[8]),
                  .podgroup = text (r, c[9]), .evictions = count (r, c[10]), .run = when (r, c[11]), .restarts = count (r, c[12]),
                  .pods = count (r, c[13]), .min_available = count (r, c[14]), .used = amounts (r, used), .wasted = amounts (r, wasted),
                  .reason = text (r, c[15]), .owner = text (r, c[16]), .lost = when (r, c[17]), .kind = text (r, c[23]), .priority = whole (r, c[24]),
                  .preemptable = count (r, c[25]) != 0, .places = count (r, c[26]), .pool = *wl_csv_cell (r->csv, c[27]) != '\0' ? count (r, c[27]) : RP_NO_POOL,
                  .cause = text (r, c[28]), .by = text (r, c[29]), .missing = count (r, c[30]), .pod = amounts (r, pod), .least = amounts (r, least) };

    if (*wl_csv_cell (r->csv, c[18]) != '\0') {
      row.hyper_node = text (r, c[18]);
      row.tier = count (r, c[19]);
      row.tier_name = text (r, c[20]);
      row.racks = count (r, c[21]);
      row.topology_cost = number (r, c[22]);
    }
    if (row.pool != RP_NO_POOL && row.pool >= RP_MAX_POOLS)
      refuse (r, c[27], "a pool below 64");
    const char **more = vc_arena_new0 (r->d->arena, const char *, r->d->n_extra + 1);

    for (guint i = 0; i < r->d->n_extra; i++)
      more[i] = text (r, extra[i]);
    read_deadline (r, extra, &row);
    row.extra = more;
    g_array_append_val (r->d->jobs, row);
  }
}

static void
read_tasks (Reader *r)
{
  static const char *const names[] = { "namespace", "job", "task", "index", "attempt", "pod", "node", "created", "assumed", "bound", "running",
                                       "evicted", "finished", "outcome", "lost" };
  int c[G_N_ELEMENTS (names)];

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    c[i] = column (r, names[i]);
  while (next (r)) {
    RpTask row = { .ns = text (r, c[0]), .job = text (r, c[1]), .task = text (r, c[2]), .index = count (r, c[3]), .attempt = count (r, c[4]),
                   .pod = text (r, c[5]), .node = text (r, c[6]), .created = when (r, c[7]), .assumed = when (r, c[8]), .bound = when (r, c[9]),
                   .running = when (r, c[10]), .evicted = when (r, c[11]), .finished = when (r, c[12]), .outcome = text (r, c[13]), .lost = when (r, c[14]) };

    g_array_append_val (r->d->tasks, row);
  }
}

static void
read_events (Reader *r)
{
  int time = column (r, "time"), kind = column (r, "kind"), ns = column (r, "namespace"), name = column (r, "name"), event = column (r, "event"),
      detail = column (r, "detail");

  while (next (r)) {
    RpEvent row = { when (r, time), text (r, kind), text (r, ns), text (r, name), text (r, event), text (r, detail) };

    g_array_append_val (r->d->events, row);
  }
}

static void
read_waits (Reader *r)
{
  static const char *const names[] = { "namespace", "job", "queue", "from", "to", "wait", "cause", "by", "reason", "nodes", "missing",
                                       "lost_to", "ahead" };
  int c[G_N_ELEMENTS (names)];

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    c[i] = column (r, names[i]);
  while (next (r)) {
    RpWait row = { .ns = text (r, c[0]), .job = text (r, c[1]), .queue = text (r, c[2]), .from = when (r, c[3]), .to = when (r, c[4]),
                   .again = strcmp (wl_csv_cell (r->csv, c[5]), "again") == 0, .cause = text (r, c[6]), .by = text (r, c[7]),
                   .reason = text (r, c[8]), .nodes = count (r, c[9]), .missing = count (r, c[10]), .lost_to = text (r, c[11]), .ahead = text (r, c[12]) };

    g_array_append_val (r->d->waits, row);
  }
}

static void
read_evictions (Reader *r)
{
  static const char *const names[] = { "time", "action", "namespace", "job", "queue", "task", "index", "attempt", "node", "ran", "for_namespace",
                                       "for_job", "for_queue" };
  int c[G_N_ELEMENTS (names)];
  g_autofree int *frees = family (r, "frees");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    c[i] = column (r, names[i]);
  while (next (r)) {
    RpEviction row = { .time = when (r, c[0]), .action = text (r, c[1]), .ns = text (r, c[2]), .job = text (r, c[3]), .queue = text (r, c[4]),
                       .task = text (r, c[5]), .index = count (r, c[6]), .attempt = count (r, c[7]), .node = text (r, c[8]), .ran = when (r, c[9]),
                       .for_ns = text (r, c[10]), .for_job = text (r, c[11]), .for_queue = text (r, c[12]), .frees = amounts (r, frees) };

    g_array_append_val (r->d->evictions, row);
  }
}

static void
read_quotas (Reader *r)
{
  int time = column (r, "time"), queue = column (r, "queue"), parent = column (r, "parent"), weight = column (r, "weight"),
      priority = column (r, "priority"), reclaimable = column (r, "reclaimable");
  g_autofree int *capability = family (r, "capability"), *guarantee = family (r, "guarantee"), *deserved = family (r, "deserved");

  while (next (r)) {
    RpQuota row = { .time = when (r, time), .queue = text (r, queue), .parent = text (r, parent), .weight = whole (r, weight),
                    .priority = whole (r, priority), .reclaimable = count (r, reclaimable) != 0, .capability = amounts (r, capability),
                    .guarantee = amounts (r, guarantee), .deserved = amounts (r, deserved) };

    g_array_append_val (r->d->quotas, row);
  }
}

static void
read_nodes (Reader *r)
{
  int node = column (r, "node"), pools = column (r, "pools");
  g_autofree int *capacity = family (r, "capacity");

  while (next (r)) {
    RpNode row = { .node = text (r, node), .capacity = amounts (r, capacity) };
    g_auto (GStrv) list = g_strsplit (wl_csv_cell (r->csv, pools), " ", -1);

    for (char **at = list; *at != NULL; at++) {
      guint64 pool = 0;

      if (**at != '\0' && !g_ascii_string_to_unsigned (*at, 10, 0, RP_MAX_POOLS - 1, &pool, NULL))
        refuse (r, pools, "numbers of pools");
      else if (**at != '\0')
        row.pools |= (guint64) 1 << pool;
    }
    g_array_append_val (r->d->nodes, row);
  }
}

static void
read_recorded (Reader *r)
{
  static const char *const names[] = { "namespace", "job", "submit", "wait", "start", "end", "status", "evictions", "nodes" };
  int c[G_N_ELEMENTS (names)];

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    c[i] = column (r, names[i]);
  while (next (r)) {
    RpRecorded row = { .ns = text (r, c[0]), .job = text (r, c[1]), .submit = when (r, c[2]), .wait = when (r, c[3]), .start = when (r, c[4]),
                       .end = when (r, c[5]), .status = text (r, c[6]), .evictions = count (r, c[7]), .nodes = text (r, c[8]) };

    for (guint i = 2; i < 6; i++)
      if (fabs (number (r, c[i])) > (double) WL_TIME_MAX / 1e6)
        refuse (r, c[i], "a time within 285 years");
    g_array_append_val (r->d->recorded, row);
  }
}

/* The resources are those of the family used/… in the header of jobs.csv. */
static void
find_resources (Reader *r)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < r->n; i++)
    if (g_str_has_prefix (wl_csv_header (r->csv, i), "used/"))
      g_ptr_array_add (names, (gpointer) rp_run_data_text (r->d, wl_csv_header (r->csv, i) + strlen ("used/")));
  r->d->n_res = names->len;
  r->d->resource = vc_arena_new0 (r->d->arena, const char *, names->len + 1);
  for (guint i = 0; i < names->len; i++)
    r->d->resource[i] = names->pdata[i];
}

static gboolean
read_file (RpRunData *d, RpFile file, ReadRows *read, GError **error)
{
  g_autofree char *path = g_build_filename (d->dir, rp_file_name (file), NULL);
  g_autoptr (WlCsv) csv = wl_csv_open (path, error);

  if (csv == NULL)
    return FALSE;
  Reader r = { .d = d, .csv = csv, .n = wl_csv_width (csv), .error = error, .good = TRUE };

  if (file == RP_FILE_JOBS)
    find_resources (&r);
  for (guint i = 0; i < rp_n_columns; i++) /* families and user columns differ from run to run */
    if (rp_columns[i].file == file && strchr (rp_columns[i].name, '<') == NULL && column (&r, rp_columns[i].name) < 0) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s:1:1: expected a column '%s', found none", path, rp_columns[i].name);
      return FALSE;
    }
  read (&r);
  return r.good;
}

/* No figure of a summary is below 0 (but for rounding), and none comes near the longest time. The seed is any number. */
static gboolean
check_numbers (const VcJson *v, const char *place, GError **error)
{
  for (const VcJson *one = v->child; one != NULL; one = one->next) {
    g_autofree char *here = one->key == NULL ? g_strdup (place) : g_strdup_printf ("%s%s%s", place, *place != '\0' ? "/" : "", one->key);
    double x = 0;

    if (one->kind == VC_JSON_LIST || one->kind == VC_JSON_MAP) {
      if (!check_numbers (one, here, error))
        return FALSE;
    } else if (one->kind == VC_JSON_NUMBER && strcmp (here, "seed") != 0) {
      double most = strcmp (here, "fairness/jain") == 0 ? 1 : TIME_MAX;

      if (!vc_json_as_double (one, &x, error))
        return FALSE;
      if (!(x >= -1e-6 && x <= most + 1e-6)) {
        g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "'%s': expected a number from 0 to %g, found %s", here, most, one->text);
        return FALSE;
      }
    }
  }
  return TRUE;
}

static gboolean
check_schema (const VcJson *doc, GError **error)
{
  const char *schema = "";

  if (!vc_json_get_text (doc, "schema", &schema, error))
    return FALSE;
  if (strcmp (schema, RP_SCHEMA_NAME RP_SCHEMA_VERSION) == 0)
    return TRUE;
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "expected schema '%s', found '%s'", RP_SCHEMA_NAME RP_SCHEMA_VERSION, schema);
  return FALSE;
}

const VcJson *
sim_summary_read (const char *dir, VcArena *arena, char **text, GError **error)
{
  g_autofree char *path = g_build_filename (dir, "summary.json", NULL);
  gsize len = 0;
  GError *e = NULL;
  g_autofree char *content = wl_read_file (path, 256u << 20, &len, error);

  if (content == NULL)
    return NULL;
  const VcJson *doc = vc_json_parse_all (content, len, arena, &e);

  if (doc == NULL || doc->kind != VC_JSON_MAP || !check_schema (doc, &e) || !check_numbers (doc, "", &e)) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s: not a summary of volsim: %s", path, e != NULL ? e->message : "expected a map, found something else");
    g_clear_error (&e);
    return NULL;
  }
  if (text != NULL)
    *text = g_steal_pointer (&content);
  return doc;
}

static gboolean
read_summary (RpRunData *d, GError **error)
{
  const VcJson *doc = sim_summary_read (d->dir, d->arena, &d->summary, error);
  const VcJson *end = vc_json_get (doc, "end_s"), *period = vc_json_get (doc, "period_s"), *until = vc_json_get (doc, "until_s");
  double seconds = 0, period_s = 0, until_s = 0;

  if (doc == NULL)
    return FALSE;
  d->version = d->conf_digest = d->command = "";
  if (end == NULL)
    g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INPUT, "'end_s': expected a number, found none");
  if (end == NULL || !vc_json_get_text (doc, "version", &d->version, error) || !vc_json_get_text (doc, "configuration_sha256", &d->conf_digest, error) || !vc_json_get_text (doc, "command", &d->command, error) ||
      !vc_json_as_double (end, &seconds, error) || (period != NULL && !vc_json_as_double (period, &period_s, error)) ||
      (until != NULL && !vc_json_as_double (until, &until_s, error))) {
    g_prefix_error (error, "%s/summary.json: not a summary of volsim: ", d->dir);
    return FALSE;
  }
  d->end = (gint64) llround (seconds * 1e6);
  d->period = (gint64) llround (period_s * 1e6);
  d->until = until != NULL ? (gint64) llround (until_s * 1e6) : RP_NONE;
  d->jain = (double) NAN;
  const VcJson *jain = vc_json_get (vc_json_get (doc, "fairness"), "jain");

  return jain == NULL || vc_json_as_double (jain, &d->jain, error);
}

static gboolean
read_record (RpRunData *d, GError **error)
{
  g_autofree char *path = g_build_filename (d->dir, rp_file_name (RP_FILE_RECORDED), NULL);

  return !g_file_test (path, G_FILE_TEST_EXISTS) || read_file (d, RP_FILE_RECORDED, read_recorded, error);
}

RpRunData *
sim_results_read (const char *dir, GError **error)
{
  g_autoptr (RpRunData) d = rp_run_data_new (dir);

  if (!read_summary (d, error) || !read_file (d, RP_FILE_JOBS, read_jobs, error) || !read_file (d, RP_FILE_CYCLES, read_cycles, error) ||
      !read_file (d, RP_FILE_QUEUES, read_queues, error) || !read_file (d, RP_FILE_TASKS, read_tasks, error) ||
      !read_file (d, RP_FILE_EVENTS, read_events, error) || !read_file (d, RP_FILE_LEDGER, read_waits, error) ||
      !read_file (d, RP_FILE_EVICTIONS, read_evictions, error) || !read_file (d, RP_FILE_QUOTAS, read_quotas, error) ||
      !read_file (d, RP_FILE_NODES, read_nodes, error) || !read_record (d, error))
    return NULL;
  return g_steal_pointer (&d);
}

GPtrArray *
sim_results_diagnose (const RpRunData *d, GError **error)
{
  g_autofree char *path = g_build_filename (d->dir, "volcano-scheduler.conf", NULL), *text = NULL;
  gsize len = 0;
  g_autoptr (VcConf) conf = NULL;

  if (g_file_test (path, G_FILE_TEST_EXISTS)) {
    text = wl_read_file (path, 64u << 20, &len, error);
    conf = text != NULL ? vc_conf_parse (text, len, path, NULL, TRUE, NULL, error) : NULL;
  } else {
    conf = vc_conf_chart (); /* which is not written down */
  }
  return conf != NULL ? rp_diagnose (d, conf) : NULL;
}
