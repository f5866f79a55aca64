/* workloads/import/training/gavel.c - traces of Gavel (7 or 10 fields) and Shockwave (12), separated by tabs, without a header. A job of n workers is a gang of n pods of one
 * GPU. Gavel gives steps: how long they take comes from simulation_throughputs.json, for a chosen GPU type; Shockwave gives seconds. Cluster files say how many
 * V100, P100 and K80 there are.
 *
 * The table knows up to 8 workers, and one only for three of the models, while jobs of the msr traces have up to 64: no running time can be told for these, unless
 * --missing-scale=linear takes it that n times the workers of a known scale are n times as fast. */
#include "workloads/import/gang.h"
#include "workloads/import/hpc.h"
#include "workloads/import/json.h"
#include "workloads/text/parse.h"
#include <string.h>

/* Where the fields of each layout are; -1: not there. */
typedef struct { guint n; int type, steps, scale, weight, slo, duration, arrival; } Layout;
static const Layout layouts[] = {
  { 7, 0, 4, 6, -1, -1, -1, 5 },
  { 10, 0, 5, 6, 7, 8, -1, 9 },
  { 12, 0, 5, 6, 8, 9, 10, 11 },
};

static const WlImportOption options[] = {
  { "nodes", WL_OPTION_COUNT, "16", NULL, "nodes, where there is no cluster file" },
  WL_GANG_OPTIONS ("4", "32", "128Gi", "4", "16Gi"),
  { "gpu-type", WL_OPTION_CHOICE, "v100", "v100|p100|k80", "GPU type that running times are for" },
  { "missing-scale", WL_OPTION_CHOICE, "drop", "drop|linear", "jobs of more workers than the throughputs know; linear: in proportion to the largest number that they know" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

typedef struct {
  WlImport *imp;
  WlJson rates; /* of the chosen GPU type; NULL: no file */
  gboolean linear;
  const char *queue;
} Reader;

/* @field is the one at fault among those of the line. */
static gboolean
refuse (Reader *r, guint file, guint64 line, char **fields, int field, const char *what, GError **error)
{
  guint64 column = 1;

  for (int i = 0; i < field; i++)
    column += strlen (fields[i]) + 1;
  g_prefix_error (error, "%s: ", what);
  return wl_import_locate (r->imp, file, line, column, error);
}

/* What is known of the model at @scale, or (--missing-scale=linear) at the largest smaller one, which *known tells. NULL: nothing. */
static WlJson
find_rate (const Reader *r, const char *type, gint64 scale, gint64 *known)
{
  for (*known = scale; *known > 0; (*known)--) {
    g_autofree char *key = g_strdup_printf ("('%s', %" G_GINT64_FORMAT ")", type, *known);
    WlJson rate = wl_json_get (wl_json_get (r->rates, key), "null");

    if (rate != NULL || !r->linear)
      return rate;
  }
  return NULL;
}

/* Seconds that the job takes, from its steps; FALSE with *error, or with none and a reason in @drop. */
static gboolean
from_steps (const Reader *r, const char *type, const char *steps, gint64 scale, WlTime *run, const char **drop, GError **error)
{
  gint64 n, rate, known;

  if (!wl_import_parse_int (steps, 0, G_GINT64_CONSTANT (1) << 40, &n, error))
    return FALSE;
  WlJson per_second = find_rate (r, type, scale, &known);

  if (per_second == NULL) {
    *drop = "no throughput for this model and scale (--missing-scale)";
    return FALSE;
  }
  if (!wl_json_scaled (per_second, 1000000, 0, G_GINT64_CONSTANT (1) << 50, &rate, error))
    return FALSE;
  if (rate == 0) {
    *drop = "throughput 0: it cannot run on this GPU type";
    return FALSE;
  }
  if (known < scale)
    wl_import_default (r->imp, "throughput, in proportion to that of fewer workers");
  *run = (WlTime) ((double) n * 1e12 / (double) rate * (double) known / (double) scale + 0.5); /* µs: steps / (rate / 10^6) * 10^6 */
  return TRUE;
}

static gboolean
job_line (WlImport *imp, guint file, guint64 number, char *line, gsize len, gpointer user, GError **error)
{
  Reader *r = user;
  const Layout *l = NULL;

  if (*line == '\0')
    return TRUE;
  wl_import_begin_row (imp);
  if (!wl_hpc_check_text (line, len, error))
    return wl_import_locate (imp, file, number, 1, error);
  g_auto (GStrv) field = g_strsplit (line, "\t", -1);
  guint n = g_strv_length (field);

  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    if (layouts[i].n == n)
      l = &layouts[i];
  if (l == NULL) {
    g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "expected 7, 10 or 12 fields with tabs between, found %u", n);
    return wl_import_locate (imp, file, number, 1, error);
  }
  const char *drop = NULL;
  gint64 scale;
  WlTime submit, run;
  gint64 weight, slo = -1; /* in millionths: only looked at, they are passed on as they are written */

  if (!wl_import_parse_int (field[l->scale], 1, 10000, &scale, error))
    return refuse (r, file, number, field, l->scale, "scale factor", error);
  if (!wl_import_parse_scaled (field[l->arrival], G_USEC_PER_SEC, 0, WL_TIME_MAX, &submit, error))
    return refuse (r, file, number, field, l->arrival, "arrival time", error);
  if (l->weight >= 0 && !wl_import_parse_scaled (field[l->weight], 1000000, 0, WL_TIME_MAX, &weight, error))
    return refuse (r, file, number, field, l->weight, "priority weight", error);
  if (l->slo >= 0 && !wl_import_parse_missing (field[l->slo]) && !wl_import_parse_scaled (field[l->slo], 1000000, -WL_TIME_MAX, WL_TIME_MAX, &slo, error))
    return refuse (r, file, number, field, l->slo, "SLO", error);
  if (l->duration >= 0) {
    if (!wl_import_parse_scaled (field[l->duration], G_USEC_PER_SEC, 0, WL_TIME_MAX, &run, error))
      return refuse (r, file, number, field, l->duration, "duration", error);
  } else if (r->rates == NULL) {
    g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "a job in steps, expected simulation_throughputs.json among the files, found none");
    return wl_import_locate (imp, file, number, 1, error);
  } else if (!from_steps (r, field[l->type], field[l->steps], scale, &run, &drop, error))
    return drop != NULL ? wl_import_drop (imp, drop) : refuse (r, file, number, field, l->steps, "steps", error);
  const WlImportRole role = { .name = "worker",
                              .replicas = (guint32) scale,
                              .request = { .cpu_milli = wl_import_milli (imp, "pod-cpu"), .memory = wl_import_bytes (imp, "pod-memory"), .gpus = 1 },
                              .duration = run };
  const char *extra[] = { field[l->type], l->weight >= 0 ? field[l->weight] : "", slo >= 0 ? field[l->slo] : "" };
  const WlImportJob job = { .queue = r->queue, .submit = submit, .role = &role, .n_roles = 1, .extra = extra };

  wl_import_job (imp, &job);
  wl_import_default (imp, "cpu and memory of pods");
  return TRUE;
}

/* ---- throughputs and clusters ---------------------------------------------------------------------- */

typedef enum { JOBS, RATES, CLUSTER, OTHER } Kind;

static Kind
kind_of (const WlImportHead *head)
{
  const char *at = head->text;

  while (g_ascii_isspace (*at))
    at++;
  if (*at != '{')
    return JOBS;
  if (strstr (at, "(batch size ") != NULL)
    return RATES;
  return strstr (at, "\"philly\"") != NULL && strchr (at, ':') != NULL ? CLUSTER : OTHER;
}

/* {"philly": ["V100:P100:K80"]}: numbers of GPUs. */
static gboolean
read_cluster (WlImport *imp, guint file, gboolean *any, GError **error)
{
  static const char *const types[] = { "v100", "p100", "k80" };
  const gint64 per_node = MAX (wl_import_number (imp, "gpus-per-node"), 1);
  gsize len;
  g_autofree char *text = wl_import_whole (imp, file, &len, error);
  g_autoptr (WlJsonDoc) doc = text != NULL ? wl_json_read (wl_import_path (imp, file), text, len, error) : NULL;
  const char *counts = doc != NULL ? wl_json_text (wl_json_at (wl_json_get (wl_json_root (doc), "philly"), 0)) : NULL;

  if (doc == NULL)
    return FALSE;
  g_auto (GStrv) part = g_strsplit (counts != NULL ? counts : "", ":", -1);

  if (g_strv_length (part) != 3) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "cluster, expected \"philly\": [\"V100:P100:K80\"], found something else");
    return wl_import_locate (imp, file, 1, 1, error);
  }
  for (guint i = 0; i < 3; i++) {
    gint64 gpus;

    if (!wl_parse_int (part[i], 0, 10000000, &gpus, error))
      return wl_import_locate (imp, file, 1, 1, error);
    const WlImportNode node = { .name = types[i],
                                .time = WL_TIME_NONE,
                                .capacity = { .cpu_milli = wl_import_milli (imp, "node-cpu"), .memory = wl_import_bytes (imp, "node-memory"), .gpus = (guint32) per_node },
                                .model = types[i],
                                .count = (guint32) ((gpus + per_node - 1) / per_node) };

    if (gpus == 0)
      continue;
    wl_import_node (imp, &node);
    *any = TRUE;
    wl_import_default_more (imp, "nodes of the GPUs", node.count);
  }
  return TRUE;
}

static gboolean
read_all (WlImport *imp, Reader *r, GError **error)
{
  gboolean cluster = FALSE;
  guint jobs = 0;

  for (guint i = 0; i < wl_import_n_files (imp); i++)
    jobs += kind_of (wl_import_head (imp, i)) == JOBS;
  for (guint i = 0; i < wl_import_n_files (imp); i++) {
    const WlImportHead *head = wl_import_head (imp, i);
    g_autofree char *stem = g_strndup (head->name, strcspn (head->name, "."));
    Kind kind = kind_of (head);

    if (kind == OTHER)
      wl_import_note (imp, "settings of the simulator, which do not matter here", 1);
    if (kind == CLUSTER && !read_cluster (imp, i, &cluster, error))
      return FALSE;
    if (kind != JOBS)
      continue;
    r->queue = jobs > 1 ? stem : NULL;
    if (!wl_import_lines (imp, i, job_line, r, error))
      return FALSE;
  }
  if (!cluster)
    wl_gang_nodes (imp, (guint32) wl_import_number (imp, "nodes"));
  return TRUE;
}

static gboolean
run (WlImport *imp, GError **error)
{
  Reader r = { .imp = imp, .linear = wl_import_is (imp, "missing-scale", "linear") };
  g_autoptr (WlJsonDoc) doc = NULL;
  g_autofree char *text = NULL;

  for (guint i = 0; i < wl_import_n_files (imp); i++)
    if (kind_of (wl_import_head (imp, i)) == RATES && text == NULL) {
      gsize len;

      text = wl_import_whole (imp, i, &len, error);
      if (text == NULL || (doc = wl_json_read (wl_import_path (imp, i), text, len, error)) == NULL)
        return FALSE;
      r.rates = wl_json_get (wl_json_root (doc), wl_import_text (imp, "gpu-type"));
      if (r.rates == NULL) {
        g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s: expected throughputs of '%s', found none", wl_import_path (imp, i), wl_import_text (imp, "gpu-type"));
        return FALSE;
      }
    }
  wl_import_extra (imp, "x_model");
  wl_import_extra (imp, "x_weight");
  wl_import_extra (imp, "x_slo");
  return read_all (imp, &r, error);
}

static guint
detect_fields (const WlImportHead *head, gboolean shockwave)
{
  guint n = wl_head_fields (head, '\t');

  if (shockwave ? n == 12 : n == 7 || n == 10)
    return strstr (head->text, "(batch size ") != NULL ? WL_DETECT_SURE : WL_DETECT_WEAK;
  return WL_DETECT_NO;
}

static guint
detect_gavel (const WlImportHead *head)
{
  Kind kind = kind_of (head);

  return kind == JOBS ? detect_fields (head, FALSE) : kind == RATES || kind == CLUSTER ? WL_DETECT_SURE : WL_DETECT_NO;
}

static guint
detect_shockwave (const WlImportHead *head)
{
  Kind kind = kind_of (head);

  if (kind == OTHER)
    return strstr (head->text, "\"future_rounds\"") != NULL ? WL_DETECT_SURE : WL_DETECT_NO;
  return kind == JOBS ? detect_fields (head, TRUE) : WL_DETECT_NO;
}

extern const WlImportFormat wl_format_gavel, wl_format_shockwave;
const WlImportFormat wl_format_gavel = {
  .name = "gavel",
  .title = "Gavel",
  .files = "traces of 7 or 10 fields, simulation_throughputs.json, and a cluster file",
  .licence = "MIT; github.com/stanford-futuredata/gavel",
  .options = options,
  .detect = detect_gavel,
  .run = run,
};
const WlImportFormat wl_format_shockwave = {
  .name = "shockwave",
  .title = "Shockwave",
  .files = "traces of 12 fields",
  .licence = "MIT; github.com/uw-mad-dash/shockwave",
  .options = options,
  .detect = detect_shockwave,
  .run = run,
};
