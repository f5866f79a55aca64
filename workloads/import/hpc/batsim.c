/* workloads/import/hpc/batsim.c - Batsim: workloads (JSON), platforms of SimGrid (XML) and events of machines (a JSON object a line). A job is a gang of `res` pods, each on
 * a host of its own, which it takes whole. How long it runs is computed from its profile and the speed of the hosts; what is sent over the network takes no time. */
#include "batsim.h"
#include "workloads/import/hpc.h"
#include "workloads/import/json.h"
#include "workloads/text/parse.h"
#include <math.h>
#include <string.h>

#define MAX_DEPTH 32

static const WlImportOption options[] = {
  { "speed", WL_OPTION_NUMBER, "1000000000", NULL, "flop/s of a host where there is no platform" },
  { "memory-per-core", WL_OPTION_QUANTITY, "2Gi", NULL, "memory of a host for each core" },
  { "walltime", WL_OPTION_CHOICE, "kill", "ignore|kill", "a job that runs longer than it has asked for: goes on, or fails then, as in Batsim" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

/* ---- profiles --------------------------------------------------------------------------------------- */

typedef enum { KIND_DELAY, KIND_FLOPS, KIND_SEQUENCE } Kind;
static const struct { const char *type; Kind kind; gboolean array, total; } types[] = {
  { "DelayProfile", KIND_DELAY, FALSE, FALSE },
  { "delay", KIND_DELAY, FALSE, FALSE },
  { "ParallelTaskProfile", KIND_FLOPS, TRUE, FALSE },
  { "parallel", KIND_FLOPS, TRUE, FALSE },
  { "ptask", KIND_FLOPS, TRUE, FALSE },
  { "msg_par", KIND_FLOPS, TRUE, FALSE },
  { "ParallelTaskHomogeneousProfile", KIND_FLOPS, FALSE, FALSE },
  { "parallel_homogeneous", KIND_FLOPS, FALSE, FALSE },
  { "ptask_homogeneous", KIND_FLOPS, FALSE, FALSE },
  { "msg_par_hg", KIND_FLOPS, FALSE, FALSE },
  { "parallel_homogeneous_total", KIND_FLOPS, FALSE, TRUE },
  { "msg_par_hg_tot", KIND_FLOPS, FALSE, TRUE },
  { "SequentialCompositionProfile", KIND_SEQUENCE, FALSE, FALSE },
  { "sequential_composition", KIND_SEQUENCE, FALSE, FALSE },
  { "composed", KIND_SEQUENCE, FALSE, FALSE },
};

typedef struct {
  WlJson profiles;
  double speed;      /* of the slowest host */
  gboolean kill;
  const char *queue; /* several workloads: one each */
  gint64 hosts, cores, per_core; /* cores of the smallest host, and memory of a core */
  gboolean network;  /* has the job at hand something to send? */
  WlJson fault;      /* value of the job at hand that cannot be read; NULL: the job itself */
} Workload;

static gboolean
read_amount (WlJson at, double *out, GError **error)
{
  const char *text = wl_json_text (at);
  char *end = NULL;
  double v = text != NULL ? g_ascii_strtod (text, &end) : -1;

  if (text == NULL || end == text || *end != '\0' || !(v >= 0) || !isfinite (v))
    return wl_refuse (error, "amount of a profile", "a number from 0", text != NULL ? text : "");
  *out = v;
  return TRUE;
}

/* The largest amount of a list, or the one that is there; *any: is there anything above 0? */
static gboolean
read_amounts (WlJson at, double *most, gboolean *any, GError **error)
{
  WlJson one;
  double v;

  *most = 0;
  if (at != NULL && !wl_json_is_list (at)) {
    if (!read_amount (at, most, error))
      return FALSE;
  } else {
    for (void *it = NULL; (one = wl_json_next (at, &it)) != NULL;) {
      if (!read_amount (one, &v, error))
        return FALSE;
      *most = MAX (*most, v);
    }
  }
  *any = *most > 0;
  return TRUE;
}

static gboolean profile_time (Workload *w, const char *name, gint64 hosts, guint depth, double *seconds, GError **error);

static gboolean
sequence_time (Workload *w, WlJson profile, gint64 hosts, guint depth, double *seconds, GError **error)
{
  WlJson repeat = wl_json_get (profile, "repeat"), one;
  gint64 times = 1;
  double sum = 0, v;

  if (repeat == NULL)
    repeat = wl_json_get (profile, "nb");
  if (repeat != NULL && !wl_json_int (repeat, 0, G_MAXINT32, &times, error)) {
    g_prefix_error (error, "repetitions: ");
    return FALSE;
  }
  if (!wl_json_is_list (wl_json_get (profile, "seq")))
    return wl_refuse (error, "sequence of profiles", "a list seq", "none");
  for (void *it = NULL; (one = wl_json_next (wl_json_get (profile, "seq"), &it)) != NULL; sum += v)
    if (!profile_time (w, wl_json_text (one), hosts, depth + 1, &v, error))
      return FALSE;
  *seconds = sum * (double) times;
  return TRUE;
}

static gboolean
flops_time (Workload *w, WlJson profile, guint type, gint64 hosts, double *seconds, GError **error)
{
  const char *strategy = wl_json_text (wl_json_get (profile, "generation_strategy"));
  double flops, bytes;
  gboolean computes, sends;

  if (!types[type].array && wl_json_get (profile, "cpu") == NULL)
    return wl_refuse (error, types[type].type, "an amount cpu", "none");
  if (types[type].array && wl_json_get (profile, "cpu") != NULL && !wl_json_is_list (wl_json_get (profile, "cpu")))
    return wl_refuse (error, types[type].type, "a list cpu", wl_json_text (wl_json_get (profile, "cpu")) != NULL ? wl_json_text (wl_json_get (profile, "cpu")) : "something else");
  if (!read_amounts (wl_json_get (profile, "cpu"), &flops, &computes, error) || !read_amounts (wl_json_get (profile, "com"), &bytes, &sends, error))
    return FALSE;
  w->network |= sends;
  if (types[type].total || g_strcmp0 (strategy, "DefinedAmountsSpreadUniformly") == 0 || g_strcmp0 (strategy, "defined_amount_spread_uniformly") == 0)
    flops /= (double) hosts;
  else if (strategy != NULL && strcmp (strategy, "DefinedAmountsUsedForEachValue") != 0 && strcmp (strategy, "DefinedAmountsUsedForEachProcess") != 0 &&
           strcmp (strategy, "defined_amount_used_for_each_value") != 0)
    return wl_refuse (error, "generation_strategy", "DefinedAmountsUsedForEachValue or DefinedAmountsSpreadUniformly", strategy);
  *seconds = flops / w->speed;
  return TRUE;
}

static gboolean
profile_time (Workload *w, const char *name, gint64 hosts, guint depth, double *seconds, GError **error)
{
  WlJson profile = name != NULL ? wl_json_get (w->profiles, name) : NULL;
  const char *type = wl_json_text (wl_json_get (profile, "type"));
  guint t = 0;
  gint64 delay;

  if (profile == NULL)
    return wl_refuse (error, "profile", "one of the profiles", name != NULL ? name : "");
  if (depth > MAX_DEPTH)
    return wl_refuse (error, "sequence of profiles", "one that does not hold itself", name);
  while (t < G_N_ELEMENTS (types) && g_strcmp0 (type, types[t].type) != 0)
    t++;
  if (t == G_N_ELEMENTS (types))
    return wl_refuse (error, "type of a profile", "a delay, computation or sequence (traces and transfers have no running time without SimGrid)", type != NULL ? type : "");
  if (types[t].kind == KIND_SEQUENCE)
    return sequence_time (w, profile, hosts, depth, seconds, error);
  if (types[t].kind == KIND_FLOPS)
    return flops_time (w, profile, t, hosts, seconds, error);
  if (!wl_json_scaled (wl_json_get (profile, "delay"), G_USEC_PER_SEC, 0, WL_TIME_MAX, &delay, error)) {
    g_prefix_error (error, "delay of profile '%s': ", name);
    return FALSE;
  }
  *seconds = (double) delay / G_USEC_PER_SEC;
  return TRUE;
}

/* ---- jobs ------------------------------------------------------------------------------------------- */

/* Later than the clock can tell? Workloads that test Batsim's clock have such jobs. */
static gboolean
beyond_time (WlJson at)
{
  const char *text = wl_json_text (at);
  char *end = NULL;
  double v = text != NULL ? g_ascii_strtod (text, &end) : 0;

  return text != NULL && end != text && *end == '\0' && isfinite (v) && v > (double) WL_TIME_MAX / G_USEC_PER_SEC;
}

/* A number becomes job-N; "namespace/name" is what volsim writes. */
static char *
name_of (const Workload *w, WlJson at, char **ns)
{
  const char *id = wl_json_text (at), *slash = strchr (id, '/');
  const gboolean number = !wl_json_is_quoted (at) && id[strspn (id, "0123456789")] == '\0';

  *ns = slash != NULL ? g_strndup (id, (gsize) (slash - id)) : NULL;
  return g_strconcat (w->queue != NULL ? w->queue : "", w->queue != NULL ? "-" : "", number ? "job-" : "", slash != NULL ? slash + 1 : id, NULL);
}

static gboolean
read_time (WlJson at, const char *what, gint64 min, WlTime *out, GError **error)
{
  if (wl_json_scaled (at, G_USEC_PER_SEC, min, WL_TIME_MAX, out, error))
    return TRUE;
  g_prefix_error (error, "%s: ", what);
  return FALSE;
}

/* @w->fault is the value that a refusal is about. */
static gboolean
job (WlImport *imp, WlJson at, Workload *w, GError **error)
{
  const char *id = wl_json_text (wl_json_get (at, "id")), *profile = wl_json_text (wl_json_get (at, "profile"));
  WlJson asked = wl_json_get (at, "walltime"), returns = wl_json_get (profile != NULL ? wl_json_get (w->profiles, profile) : NULL, "ret");
  WlTime submit, walltime = -1, run;
  gint64 hosts, code = 0;
  double seconds;

  w->fault = NULL;
  if (id == NULL || *id == '\0')
    return wl_refuse (error, "job", "an id", "");
  w->fault = wl_json_get (at, "res");
  if (!wl_json_int (wl_json_get (at, "res"), 1, WL_REPLICAS_MAX, &hosts, error)) {
    g_prefix_error (error, "res of job '%s': ", id);
    return FALSE;
  }
  w->network = FALSE;
  if (beyond_time (asked)) {
    wl_import_note (imp, "requested times that the clock does not reach (285 years): no limit", 1);
    asked = NULL;
  }
  w->fault = asked;
  if (asked != NULL && (!read_time (asked, "walltime", -G_USEC_PER_SEC, &walltime, error) || (walltime == 0 && !wl_refuse (error, "walltime", "a time above 0, or -1", "0"))))
    return FALSE;
  w->fault = wl_json_get (at, "profile");
  if (!profile_time (w, profile, hosts, 0, &seconds, error) || (returns != NULL && !wl_json_int (returns, G_MININT32, G_MAXINT32, &code, error)))
    return FALSE;
  if (beyond_time (wl_json_get (at, "subtime")))
    return wl_import_drop (imp, "submitted later than the clock reaches (285 years)");
  w->fault = wl_json_get (at, "subtime");
  if (!read_time (w->fault, "subtime", 0, &submit, error))
    return FALSE;
  w->fault = wl_json_get (at, "profile");
  if (seconds * G_USEC_PER_SEC > (double) WL_TIME_MAX)
    return wl_refuse (error, "running time of the profile", "at most 285 years", profile);
  run = (WlTime) floor (seconds * G_USEC_PER_SEC + 0.5);
  int exit_code = code == 0 ? 0 : (int) CLAMP (code < 0 ? -code : code, 1, 255);
  g_autofree char *ns = NULL, *name = name_of (w, wl_json_get (at, "id"), &ns);

  wl_hpc_limit (imp, w->kill, walltime, &run, &exit_code);
  const WlImportRole role = { .name = "host", .replicas = (guint32) hosts, .request = { .cpu_milli = w->cores * 1000, .memory = wl_import_product (w->cores, w->per_core, 1) }, .duration = run, .exit_code = exit_code };
  const WlImportJob one = { .name = name, .ns = ns, .queue = w->queue, .submit = submit, .walltime = walltime, .role = &role, .n_roles = 1 };

  if (w->network)
    wl_import_note (imp, "jobs whose transfers take no time", 1);
  if (wl_json_get (at, "extra_data") != NULL)
    wl_import_note (imp, "extra_data of jobs ignored", 1);
  if (hosts > w->hosts)
    wl_import_note (imp, "jobs that ask for more hosts than there are", 1);
  wl_import_job (imp, &one);
  return TRUE;
}

static gboolean
is_workload (const WlImportHead *head)
{
  return head->text[strspn (head->text, " \t\r\n")] == '{' && strstr (head->text, "\"jobs\"") != NULL && strstr (head->text, "\"subtime\"") != NULL && strstr (head->text, "\"res\"") != NULL;
}

static gboolean
read_workload (WlImport *imp, guint file, WlJson root, Workload *w, GError **error)
{
  WlJson list = wl_json_get (root, "jobs"), one;

  w->profiles = wl_json_get (root, "profiles");
  if (!wl_json_is_list (list) || !wl_json_is_map (w->profiles)) {
    g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "workload, expected a list jobs and a map profiles, found something else");
    return wl_import_locate (imp, file, 1, 1, error);
  }
  for (void *it = NULL; (one = wl_json_next (list, &it)) != NULL;) {
    g_autoptr (GError) e = NULL;

    wl_import_begin_row (imp);
    if (job (imp, one, w, &e))
      continue;
    const WlJson fault = wl_json_text (w->fault) != NULL ? w->fault : one;

    wl_import_locate (imp, file, wl_json_line (fault), wl_json_column (fault), &e);
    if (!wl_import_bad_row (imp, &e)) {
      g_propagate_error (error, g_steal_pointer (&e));
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- events ----------------------------------------------------------------------------------------- */

static gboolean
is_events (const WlImportHead *head)
{
  g_autofree char *line = wl_head_line (head);

  return line[strspn (line, " \t")] == '{' && strstr (line, "\"timestamp\"") != NULL && strstr (line, "\"type\"") != NULL;
}

/* A row of nodes for each host of "0-4 6 8". */
static gboolean
change_hosts (WlImport *imp, const GArray *hosts, const char *resources, gboolean available, WlTime time, GError **error)
{
  g_auto (GStrv) part = g_strsplit_set (resources, " ,", -1);

  for (guint pass = 0; pass < 2; pass++) /* all are right before one is taken */
    for (char **p = part; *p != NULL; p++) {
      g_auto (GStrv) bound = g_strsplit (*p, "-", 2);
      gint64 low, high;

      if (bound[0] == NULL)
        continue;
      if (!wl_parse_int (bound[0], 0, (gint64) hosts->len - 1, &low, NULL) || !wl_parse_int (bound[1] != NULL ? bound[1] : bound[0], low, (gint64) hosts->len - 1, &high, NULL))
        return wl_refuse (error, "resources of an event", "numbers of hosts such as 0-4 6", resources);
      for (gint64 i = low; i <= high && pass == 1; i++) {
        const WlImportNode node = { .name = g_array_index (hosts, WlBatsimHost, i).name, .time = time, .event = available ? WL_NODE_UNCORDON : WL_NODE_DRAIN };

        wl_import_node (imp, &node);
      }
    }
  return TRUE;
}

static gboolean
event (WlImport *imp, const GArray *hosts, WlJson at, GError **error)
{
  const char *type = wl_json_text (wl_json_get (at, "type")), *data = wl_json_text (wl_json_get (at, "data")), *resources;
  g_autoptr (WlJsonDoc) inner = NULL;
  WlTime time;

  if (!wl_json_is_map (at) || type == NULL)
    return wl_refuse (error, "event", "an object with a type", type != NULL ? type : "");
  if (!read_time (wl_json_get (at, "timestamp"), "timestamp", 0, &time, error))
    return FALSE;
  if (strcmp (type, "generic") == 0) { /* what it means is in data, perhaps as JSON */
    if (data != NULL && data[strspn (data, " ")] == '{' && (inner = wl_json_read ("data", data, strlen (data), NULL)) != NULL)
      at = wl_json_root (inner);
    type = inner != NULL ? wl_json_text (wl_json_get (at, "type")) : NULL;
    if (g_strcmp0 (type, "machine_available") != 0 && g_strcmp0 (type, "machine_unavailable") != 0)
      return wl_import_drop (imp, "generic event");
  }
  if (strcmp (type, "machine_available") != 0 && strcmp (type, "machine_unavailable") != 0)
    return wl_refuse (error, "type of an event", "machine_available, machine_unavailable or generic", type);
  resources = wl_json_text (wl_json_get (at, "resources"));
  return resources != NULL ? change_hosts (imp, hosts, resources, strcmp (type, "machine_available") == 0, time, error) : wl_refuse (error, "event", "resources", "");
}

static gboolean
event_line (WlImport *imp, guint file, guint64 number, char *line, gsize len, gpointer user, GError **error)
{
  g_autoptr (WlJsonDoc) doc = NULL;

  if (line[strspn (line, " \t")] == '\0' && strlen (line) == len)
    return TRUE;
  wl_import_begin_row (imp);
  if (!wl_hpc_check_text (line, len, error))
    return wl_import_locate (imp, file, number, 1, error);
  doc = wl_json_read ("event", line, len, NULL);
  if (doc == NULL)
    (void) wl_refuse (error, "event", "a JSON object", line);
  return (doc != NULL && event (imp, user, wl_json_root (doc), error)) || wl_import_locate (imp, file, number, 1, error);
}

/* ---- all files -------------------------------------------------------------------------------------- */

static gboolean
is_platform (const WlImportHead *head)
{
  return head->text[strspn (head->text, " \t\r\n\xef\xbb\xbf")] == '<' && strstr (head->text, "<platform") != NULL;
}

static guint
detect (const WlImportHead *head)
{
  return is_workload (head) || is_platform (head) || is_events (head) ? WL_DETECT_SURE : WL_DETECT_NO;
}

/* Hosts without a platform: as many as the workloads are for, or as many as a job asks for. */
static gboolean
make_hosts (WlImport *imp, guint file, WlJson root, GArray *hosts, GError **error)
{
  WlJson said = wl_json_get (root, "nb_res"), one;
  gint64 n = 0, v;

  if (said != NULL && !wl_json_int (said, 1, WL_REPLICAS_MAX, &n, error)) {
    g_prefix_error (error, "nb_res: ");
    return wl_import_locate (imp, file, wl_json_line (said), wl_json_column (said), error);
  }
  if (said == NULL) {
    for (void *it = NULL; (one = wl_json_next (wl_json_get (root, "jobs"), &it)) != NULL;)
      if (wl_json_int (wl_json_get (one, "res"), 1, WL_REPLICAS_MAX, &v, NULL))
        n = MAX (n, v);
    wl_import_default (imp, "nb_res (the largest job's hosts)");
  }
  for (gint64 i = hosts->len; i < n; i++) {
    const WlBatsimHost host = { .name = g_strdup_printf ("host-%" G_GINT64_FORMAT, i), .speed = wl_import_decimal (imp, "speed"), .cores = 1 };

    g_array_append_val (hosts, host);
  }
  return TRUE;
}

/* Nodes, and what all jobs have to know about them. */
static void
add_hosts (WlImport *imp, const GArray *hosts, Workload *w)
{
  gint64 most = 0;
  double fastest = 0;

  w->hosts = hosts->len;
  for (guint i = 0; i < hosts->len; i++) {
    const WlBatsimHost *h = &g_array_index (hosts, WlBatsimHost, i);

    w->speed = i == 0 ? h->speed : MIN (w->speed, h->speed);
    w->cores = i == 0 ? h->cores : MIN (w->cores, h->cores);
    most = MAX (most, h->cores);
    fastest = MAX (fastest, h->speed);
  }
  for (guint i = 0; i < hosts->len; i++) {
    const WlBatsimHost *h = &g_array_index (hosts, WlBatsimHost, i);
    const WlImportNode node = { .name = h->name, .time = WL_TIME_NONE, .capacity = { .cpu_milli = h->cores * 1000, .memory = wl_import_product (h->cores, w->per_core, 1) }, .pods = most > w->cores ? 1 : -1 };

    wl_import_node (imp, &node);
  }
  if (fastest > w->speed)
    wl_import_note (imp, "hosts of different speeds: computations take the time of the slowest", 1);
  wl_import_default_more (imp, "memory of nodes and pods", hosts->len);
}

static void
host_clear (gpointer data)
{
  g_free (((WlBatsimHost *) data)->name);
}

static void
doc_free (gpointer data)
{
  wl_json_free (data);
}

static gboolean
run (WlImport *imp, GError **error)
{
  const guint n = wl_import_n_files (imp);
  g_autoptr (GArray) hosts = NULL;
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free), docs = g_ptr_array_new_with_free_func (doc_free); /* by file; NULL: no workload */
  Workload w = { .kill = wl_import_is (imp, "walltime", "kill"), .per_core = wl_import_bytes (imp, "memory-per-core") };
  guint workloads = 0;

  if (wl_import_decimal (imp, "speed") <= 0) {
    g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "--speed, expected flop/s above 0, found 0");
    return FALSE;
  }
  for (guint i = 0; i < n; i++) {
    if (!is_platform (wl_import_head (imp, i)))
      continue;
    if (hosts != NULL) {
      g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "batsim: expected one platform, found several");
      return FALSE;
    }
    if ((hosts = wl_batsim_platform (imp, i, error)) == NULL)
      return FALSE;
  }
  const gboolean made_up = hosts == NULL;

  if (made_up) {
    hosts = g_array_new (FALSE, FALSE, sizeof (WlBatsimHost));
    g_array_set_clear_func (hosts, host_clear);
  }
  for (guint i = 0; i < n; i++) {
    gsize len = 0;
    char *text = is_workload (wl_import_head (imp, i)) ? wl_import_whole (imp, i, &len, error) : NULL;
    WlJsonDoc *doc = text != NULL ? wl_json_read (wl_import_path (imp, i), text, len, error) : NULL;

    g_ptr_array_add (texts, text);
    g_ptr_array_add (docs, doc);
    if (is_workload (wl_import_head (imp, i)) && (doc == NULL || (made_up && !make_hosts (imp, i, wl_json_root (doc), hosts, error))))
      return FALSE;
    workloads += doc != NULL;
  }
  if (made_up && hosts->len > 0)
    wl_import_default_more (imp, "hosts of one core (no platform)", hosts->len);
  add_hosts (imp, hosts, &w);
  for (guint i = 0; i < n; i++) {
    const WlImportHead *head = wl_import_head (imp, i);
    g_autofree char *stem = g_strndup (head->name, strcspn (head->name, "."));

    w.queue = workloads > 1 ? stem : NULL;
    if (docs->pdata[i] == NULL && !is_events (head) && !is_platform (head)) {
      g_set_error_literal (error, WL_ERROR, WL_ERROR_HEADER, "kind of file, expected a workload, a platform or events, found none of them");
      return wl_import_locate (imp, i, 1, 1, error);
    }
    if ((docs->pdata[i] != NULL && !read_workload (imp, i, wl_json_root (docs->pdata[i]), &w, error))
        || (docs->pdata[i] == NULL && is_events (head) && !wl_import_lines (imp, i, event_line, hosts, error)))
      return FALSE;
  }
  return TRUE;
}

extern const WlImportFormat wl_format_batsim;
const WlImportFormat wl_format_batsim = {
  .name = "batsim",
  .title = "Batsim",
  .files = "workloads (JSON; several become a queue each), a platform (XML), events (JSON lines)",
  .licence = "LGPL-3.0; github.com/oar-team/batsim",
  .options = options,
  .detect = detect,
  .run = run,
};
