/* workloads/import/alibaba/openb.c - Alibaba GPU cluster 2023 ("openb"): a node list and pod lists as CSV, times in seconds.
 *
 * A pod is a job of one task. It is submitted at its creation and runs from its scheduling to its deletion; a pod that was never scheduled has no running time:
 * it is dropped, or (--pending=median) gets the median of the pods with as many GPUs and the same QoS. gpu_spec is a set of models, any of which will do; qos becomes
 * a priority class, and BE can be preempted. Less than 1000 gpu_milli is a part of one GPU.
 *
 * --mode=inflation is what the authors do: all pods of a list come one after the other, a second apart, and never end. Lists without times (multigpu*) are for that
 * alone. --shuffle puts pods and nodes into another order first, --load 1.3 draws more pods until they ask for 130 % of the GPUs, as the authors do with ten
 * seeds, and --draws=simulator gives the very orders of theirs (openb-order.h). */
#include "openb-order.h"
#include "workloads/import/import.h"
#include "workloads/text/parse.h"
#include <string.h>

enum { N_NAME, N_CPU, N_MEMORY, N_GPU, N_MODEL, N_NODE_COLUMNS };
static const WlColumn node_columns[N_NODE_COLUMNS] = {
  [N_NAME] = { "sn", TRUE }, [N_CPU] = { "cpu_milli", TRUE }, [N_MEMORY] = { "memory_mib", TRUE }, [N_GPU] = { "gpu", TRUE }, [N_MODEL] = { "model", TRUE },
};
#define LOAD_MAX 100 /* times the GPUs of all nodes */
#define REPEAT_MAX 1000

enum { P_NAME, P_CPU, P_MEMORY, P_GPUS, P_SHARE, P_SPEC, P_QOS, P_PHASE, P_CREATED, P_DELETED, P_SCHEDULED, N_POD_COLUMNS };
static const WlColumn pod_columns[N_POD_COLUMNS] = {
  [P_NAME] = { "name", TRUE },      [P_CPU] = { "cpu_milli", TRUE },           [P_MEMORY] = { "memory_mib", TRUE },
  [P_GPUS] = { "num_gpu", TRUE },   [P_SHARE] = { "gpu_milli", TRUE },         [P_SPEC] = { "gpu_spec", FALSE },
  [P_QOS] = { "qos", FALSE },       [P_PHASE] = { "pod_phase", FALSE },        [P_CREATED] = { "creation_time", FALSE },
  [P_DELETED] = { "deletion_time", FALSE }, [P_SCHEDULED] = { "scheduled_time", FALSE },
};

static const WlImportOption options[] = {
  { "mode", WL_OPTION_CHOICE, "replay", "replay|inflation", "replay: pods come and end as recorded; inflation: all pods come in order and never end" },
  { "pending", WL_OPTION_CHOICE, "drop", "drop|median", "pods that were never scheduled; median: they run as long as the median of (num_gpu, qos)" },
  { "queue-by", WL_OPTION_CHOICE, "none", "none|qos", "one queue, or one for each QoS class" },
  { "gpu-spec", WL_OPTION_CHOICE, "require", "require|ignore", "GPU models that a pod names" },
  { "interval", WL_OPTION_TIME, "1", NULL, "time between pods of an inflation" },
  { "shuffle", WL_OPTION_SEED, NULL, NULL, "order of pods and nodes of an inflation, drawn with this seed (default: as in the files)" },
  { "repeat", WL_OPTION_NUMBER, "1", NULL, "how often an inflation goes through the list (1.3: and 30 % of it again)" },
  { "load", WL_OPTION_NUMBER, NULL, NULL, "what the shuffled pods ask for, in parts of the nodes' GPUs: some are drawn again, or left out (1.3: 130 %)" },
  { "draws", WL_OPTION_CHOICE, "volsim", "volsim|simulator", "random numbers: volsim's, or those of the authors' simulator for the same seed" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

static const struct { const char *qos, *class; gint32 value; } classes[]
    = { { "LS", "ls", 300 }, { "Guaranteed", "guaranteed", 300 }, { "Burstable", "burstable", 200 }, { "BE", "be", 100 } };
#define N_CLASSES G_N_ELEMENTS (classes)
#define BEST_EFFORT (N_CLASSES - 1)

/* A pod that waits for its running time, or for its turn. */
typedef struct {
  const char *name, *selector; /* of the reader's texts, once it is kept */
  WlTime submit;
  WlImportAmounts request;
  guint8 class; /* N_CLASSES: none */
} Pod;

typedef struct {
  gboolean inflation, median, by_qos, ignore_spec;
  guint list;         /* number of the pod list */
  GArray *nodes;      /* WlImportNode */
  GArray *kept;       /* Pod */
  GStringChunk *text;
  GHashTable *runs;   /* (GPUs, class) → GArray of WlTime, for medians */
} Reader;

static gboolean
node_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Reader *r = user;
  gint64 cpu, memory, gpu;
  const char *name = wl_csv_required (csv, cell[N_NAME], "a node name", error);

  if (name == NULL || !wl_import_int (csv, cell[N_CPU], 0, G_MAXINT32, &cpu, error) || !wl_import_int (csv, cell[N_MEMORY], 0, G_MAXINT32, &memory, error)
      || !wl_import_int (csv, cell[N_GPU], 0, 1000, &gpu, error))
    return FALSE;
  const WlImportNode node = { .name = g_string_chunk_insert (r->text, name),
                              .time = WL_TIME_NONE,
                              .capacity = { .cpu_milli = cpu, .memory = memory << 20, .gpus = (guint32) gpu },
                              .model = g_string_chunk_insert_const (r->text, wl_csv_cell (csv, cell[N_MODEL])) };

  g_array_append_val (r->nodes, node);
  return TRUE;
}

/* "A|B|A" as a term on the label, each model once; "" for none. */
static void
selector_of (const char *spec, char *out, gsize size)
{
  const char *p = spec;

  *out = '\0';
  while (*p != '\0') {
    g_autofree char *model = g_strndup (p, strcspn (p, "|")), *value = wl_import_label_value (model);
    gsize n = strlen (value);
    gboolean known = FALSE;

    for (const char *q = *out != '\0' ? strchr (out, '=') : NULL; q != NULL && !known; q = strchr (q + 1, '|'))
      known = strncmp (q + 1, value, n) == 0 && (q[1 + n] == '|' || q[1 + n] == '\0');
    if (n > 0 && !known) {
      g_strlcat (out, *out == '\0' ? "gpu-model=" : "|", size);
      g_strlcat (out, value, size);
    }
    p += strlen (model);
    p += *p == '|';
  }
}

static gboolean
read_request (WlCsv *csv, const int *cell, WlImportAmounts *out, GError **error)
{
  gint64 cpu, memory, gpus, share;

  if (!wl_import_int (csv, cell[P_CPU], 0, G_MAXINT32, &cpu, error) || !wl_import_int (csv, cell[P_MEMORY], 0, G_MAXINT32, &memory, error)
      || !wl_import_int (csv, cell[P_GPUS], 0, 1000, &gpus, error) || !wl_import_int (csv, cell[P_SHARE], 0, 1000, &share, error))
    return FALSE;
  if ((gpus == 0) != (share == 0) || (gpus > 1 && share != 1000))
    return wl_csv_refuse (csv, cell[P_SHARE], WL_ERROR_VALUE, "column 'gpu_milli'", gpus == 0 ? "0 without a GPU" : gpus == 1 ? "1 to 1000" : "1000 for several GPUs",
                          wl_csv_cell (csv, cell[P_SHARE]), error);
  *out = (WlImportAmounts){ .cpu_milli = cpu, .memory = memory << 20, .gpus = (guint32) gpus, .gpu_milli = (guint32) share };
  return TRUE;
}

static gboolean
read_class (WlCsv *csv, int cell, guint8 *out, GError **error)
{
  const char *qos = wl_csv_cell (csv, cell);
  guint i = 0;

  while (i < N_CLASSES && (classes[i].qos[0] != qos[0] || strcmp (classes[i].qos, qos) != 0))
    i++;
  *out = (guint8) i;
  if (i < N_CLASSES || *qos == '\0')
    return TRUE;
  g_autofree char *shown = wl_shown (qos);

  return wl_csv_refuse (csv, cell, WL_ERROR_VALUE, "column 'qos'", "LS, Guaranteed, Burstable or BE", shown, error);
}

static guint32
emit (WlImport *imp, const Reader *r, const Pod *pod, WlTime submit, WlTime run)
{
  gboolean has_class = pod->class < N_CLASSES;
  const WlImportRole role = { .name = "pod", .replicas = 1, .request = pod->request, .duration = run, .node_selector = pod->selector };
  const WlImportJob job = { .name = pod->name,
                            .queue = !r->by_qos ? NULL : has_class ? classes[pod->class].class : "",
                            .priority = has_class ? classes[pod->class].class : NULL,
                            .submit = submit,
                            .preemptable = pod->class == BEST_EFFORT,
                            .role = &role,
                            .n_roles = 1 };

  return wl_import_job (imp, &job);
}

static gpointer
class_key (const Pod *pod)
{
  return GUINT_TO_POINTER (pod->request.gpus * (N_CLASSES + 1) + pod->class + 1);
}

static void
note_run (Reader *r, const Pod *pod, WlTime run)
{
  GArray *runs = g_hash_table_lookup (r->runs, class_key (pod));

  if (runs == NULL) {
    runs = g_array_new (FALSE, FALSE, sizeof (WlTime));
    g_hash_table_insert (r->runs, class_key (pod), runs);
  }
  g_array_append_val (runs, run);
}

static void
keep (Reader *r, Pod *pod)
{
  pod->name = g_string_chunk_insert (r->text, pod->name);
  if (pod->selector != NULL)
    pod->selector = g_string_chunk_insert_const (r->text, pod->selector);
  g_array_append_vals (r->kept, pod, 1);
}

static gboolean
pod_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Reader *r = user;
  WlTime deleted, scheduled;
  Pod pod = { .submit = 0 };
  char selector[256], of_list[WL_LABEL_MAX + 1];
  const char *name = wl_csv_required (csv, cell[P_NAME], "a pod name", error), *spec = wl_csv_cell (csv, cell[P_SPEC]);

  if (name == NULL || !read_request (csv, cell, &pod.request, error) || !read_class (csv, cell[P_QOS], &pod.class, error))
    return FALSE;
  if (r->list > 0)
    g_snprintf (of_list, sizeof of_list, "%.50s-list%u", name, r->list + 1);
  pod.name = r->list > 0 ? of_list : name;
  if (pod.class == N_CLASSES)
    wl_import_default (imp, "qos (none given: no priority)");
  *selector = '\0';
  if (*spec != '\0' && !r->ignore_spec)
    selector_of (spec, selector, sizeof selector);
  pod.selector = *selector != '\0' ? selector : NULL;
  if (r->inflation) {
    keep (r, &pod);
    return TRUE;
  }
  if (!wl_import_time (csv, cell[P_CREATED], &pod.submit, error))
    return FALSE;
  if (*wl_csv_cell (csv, cell[P_SCHEDULED]) == '\0') {
    if (!r->median)
      return wl_import_drop (imp, "never scheduled");
    keep (r, &pod);
    return TRUE;
  }
  if (!wl_import_time (csv, cell[P_DELETED], &deleted, error) || !wl_import_time (csv, cell[P_SCHEDULED], &scheduled, error))
    return FALSE;
  if (deleted < scheduled)
    return wl_csv_refuse (csv, cell[P_DELETED], WL_ERROR_VALUE, "deletion time", "a time at or after the scheduling", wl_csv_cell (csv, cell[P_DELETED]), error);
  if (r->median)
    note_run (r, &pod, deleted - scheduled);
  const WlImportRecord record = { .wait = scheduled - pod.submit, .start = scheduled, .end = deleted, .status = wl_csv_cell (csv, cell[P_PHASE]) };

  wl_import_recorded (imp, emit (imp, r, &pod, pod.submit, deleted - scheduled), &record);
  return TRUE;
}

static int
by_time (gconstpointer a, gconstpointer b)
{
  const WlTime *l = a, *r = b;

  return *l < *r ? -1 : *l > *r;
}

/* The pods without a running time, with the median of their kind. */
static void
give_medians (WlImport *imp, Reader *r)
{
  for (guint i = 0; i < r->kept->len; i++) {
    const Pod *pod = &g_array_index (r->kept, Pod, i);
    GArray *runs = g_hash_table_lookup (r->runs, class_key (pod));

    if (runs == NULL) {
      wl_import_drop_more (imp, "never scheduled, and no pod of the same num_gpu and qos to go by", 1);
      continue;
    }
    g_array_sort (runs, by_time); /* sorted after the first time */
    emit (imp, r, pod, pod->submit, g_array_index (runs, WlTime, (runs->len - 1) / 2));
    wl_import_default (imp, "duration (median of num_gpu and qos)");
  }
}

/* Numbers of the pods in the order in which they come, and of the nodes. FALSE with @error: options that do not go together. */
static gboolean
draw_orders (WlImport *imp, const Reader *r, GArray **pods, GArray **nodes, GError **error)
{
  guint n = r->kept->len, m = r->nodes->len;
  g_autofree WlOpenbDemand *demand = g_new (WlOpenbDemand, n + 1);
  g_autofree const char **name = g_new (const char *, m + 1);
  gint64 gpus = 0;

  for (guint i = 0; i < n; i++) {
    const Pod *pod = &g_array_index (r->kept, Pod, i);

    demand[i] = (WlOpenbDemand){ pod->name, pod->request.gpu_milli, (gint64) pod->request.gpus * pod->request.gpu_milli };
  }
  for (guint i = 0; i < m; i++) {
    name[i] = g_array_index (r->nodes, WlImportNode, i).name;
    gpus += g_array_index (r->nodes, WlImportNode, i).capacity.gpus * (gint64) 1000;
  }
  gboolean load = wl_import_given (imp, "load"), shuffled = wl_import_given (imp, "shuffle");

  if (!shuffled && (load || wl_import_is (imp, "draws", "simulator"))) {
    g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "--load and --draws, expected --shuffle SEED beside them, found none");
    return FALSE;
  }
  if (load && (wl_import_given (imp, "repeat") || gpus == 0)) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--load, expected %s",
                 gpus == 0 ? "a node list with GPUs among the files, found none" : "no --repeat beside it, found both");
    return FALSE;
  }
  if (load && !(wl_import_decimal (imp, "load") > 0 && wl_import_decimal (imp, "load") <= LOAD_MAX)) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--load, expected a number above 0 and up to %d, found '%s'", LOAD_MAX, wl_import_text (imp, "load"));
    return FALSE;
  }
  if (!(wl_import_decimal (imp, "repeat") > 0 && wl_import_decimal (imp, "repeat") <= REPEAT_MAX)) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--repeat, expected a number above 0 and up to %d, found '%s'", REPEAT_MAX, wl_import_text (imp, "repeat"));
    return FALSE;
  }
  if (!shuffled)
    return TRUE;
  g_autoptr (WlOpenbDraws) draws = wl_openb_draws_new (wl_import_number (imp, "shuffle"), wl_import_is (imp, "draws", "simulator"));

  *pods = wl_openb_order_pods (draws, demand, n, load ? (gint64) (wl_import_decimal (imp, "load") * (double) gpus) : -1);
  *nodes = wl_openb_order_nodes (draws, name, m);
  return TRUE;
}

static gboolean
inflate (WlImport *imp, const Reader *r, GArray **node_order, GError **error)
{
  g_autoptr (GArray) order = NULL;
  WlTime interval = wl_import_duration (imp, "interval");
  guint n = r->kept->len;

  if (!draw_orders (imp, r, &order, node_order, error))
    return FALSE;
  guint drawn = order != NULL ? order->len : n;
  guint64 total = (guint64) (wl_import_decimal (imp, "repeat") * drawn + 0.5);
  g_autofree guint32 *times = g_new0 (guint32, n + 1);

  if (total > 0 && interval > WL_TIME_MAX / (WlTime) total) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--interval, expected submissions within 285 years, found %" G_GUINT64_FORMAT " pods at intervals of '%s'", total,
                 wl_import_text (imp, "interval"));
    return FALSE;
  }
  for (guint64 i = 0; drawn > 0 && i < total; i++) {
    guint32 row = order != NULL ? g_array_index (order, guint32, i % drawn) : (guint32) (i % drawn);
    Pod pod = g_array_index (r->kept, Pod, row);
    g_autofree char *again = times[row] > 0 ? g_strdup_printf ("%.52s-r%u", pod.name, times[row]) : NULL;

    times[row]++;
    if (again != NULL)
      pod.name = again;
    emit (imp, r, &pod, (WlTime) i * interval, WL_TIME_NEVER);
  }
  for (guint32 i = 0; i < n && wl_import_given (imp, "load"); i++)
    if (times[i] == 0)
      wl_import_drop_more (imp, "beyond the load", 1);
  wl_import_default_more (imp, "submission and duration (inflation)", total);
  return TRUE;
}

static void
emit_nodes (WlImport *imp, const Reader *r, const GArray *order)
{
  for (guint i = 0; i < r->nodes->len; i++)
    wl_import_node (imp, &g_array_index (r->nodes, WlImportNode, order != NULL ? g_array_index (order, guint32, i) : i));
}

static gboolean
is_node_list (const WlImportHead *head)
{
  return wl_head_has (head, ',', "sn,cpu_milli,memory_mib,gpu,model");
}

static guint
detect (const WlImportHead *head)
{
  return is_node_list (head) || wl_head_has (head, ',', "name,cpu_milli,memory_mib,num_gpu,gpu_milli") ? WL_DETECT_SURE : WL_DETECT_NO;
}

static gboolean
read_pods (WlImport *imp, Reader *r, guint file, GError **error)
{
  const WlImportHead *head = wl_import_head (imp, file);

  if (!r->inflation && !wl_head_has (head, ',', "creation_time,deletion_time,scheduled_time")) {
    g_set_error (error, WL_ERROR, WL_ERROR_HEADER, "%s:1:1: a pod list without times, expected --mode=inflation for it, found --mode=replay", wl_import_path (imp, file));
    return FALSE;
  }
  return wl_import_table (imp, file, NULL, pod_columns, N_POD_COLUMNS, pod_row, r, error);
}

/* What only an inflation looks at is refused elsewhere. */
static gboolean
check_mode (WlImport *imp, GError **error)
{
  static const char *const inflation[] = { "shuffle", "repeat", "load", "draws" };

  for (guint i = 0; !wl_import_is (imp, "mode", "inflation") && i < G_N_ELEMENTS (inflation); i++)
    if (wl_import_given (imp, inflation[i])) {
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--%s, expected --mode=inflation beside it, found --mode=replay", inflation[i]);
      return FALSE;
    }
  return TRUE;
}

static gboolean
run (WlImport *imp, GError **error)
{
  g_autoptr (GArray) kept = g_array_new (FALSE, TRUE, sizeof (Pod));
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (WlImportNode)), order = NULL;
  g_autoptr (GHashTable) runs = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  Reader r = { .inflation = wl_import_is (imp, "mode", "inflation"),
               .median = wl_import_is (imp, "pending", "median"),
               .by_qos = wl_import_is (imp, "queue-by", "qos"),
               .ignore_spec = wl_import_is (imp, "gpu-spec", "ignore"),
               .kept = kept,
               .nodes = rows,
               .runs = runs };
  guint nodes = 0, lists = 0;
  gboolean good = check_mode (imp, error);

  r.text = g_string_chunk_new (4096);
  for (guint i = 0; i < N_CLASSES; i++)
    wl_import_priority_class (imp, classes[i].class, classes[i].value);
  for (guint i = 0; good && i < wl_import_n_files (imp); i++)
    if (is_node_list (wl_import_head (imp, i))) {
      nodes++;
      good = wl_import_table (imp, i, NULL, node_columns, N_NODE_COLUMNS, node_row, &r, error);
    } else {
      r.list = lists++;
      good = read_pods (imp, &r, i, error);
    }
  if (good && r.inflation)
    good = inflate (imp, &r, &order, error);
  else if (good)
    give_medians (imp, &r);
  if (good)
    emit_nodes (imp, &r, order);
  if (good && nodes == 0)
    wl_import_note (imp, "no node list among the files: the scenario has no nodes", 1);
  g_string_chunk_free (r.text);
  return good;
}

extern const WlImportFormat wl_format_openb;
const WlImportFormat wl_format_openb = {
  .name = "openb",
  .title = "Alibaba GPU cluster 2023 (openb)",
  .files = "openb_node_list_*.csv and openb_pod_list_*.csv, in any order",
  .licence = "study and research; the copy in hkust-adsl/kubernetes-scheduler-simulator is Apache-2.0",
  .options = options,
  .detect = detect,
  .run = run,
};
