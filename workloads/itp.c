/* workloads/itp.c - see itp.h. */
#include "itp.h"
#include "csv-table.h"
#include "parse.h"
#include <string.h>

#define GPUS_PER_NODE 8
#define CPU_PER_GPU 10
#define MEMORY_GI_PER_GPU 80
#define MAX_GPUS 1000000

typedef enum {
  C_ID,
  C_SUBMIT,
  C_DURATION,
  C_GPUS,
  C_ITERATIONS,
  C_MODEL,
  C_DEADLINE,
  C_BATCH,
  N_COLUMNS
} Column;

static const WlColumn known[N_COLUMNS] = {
  [C_ID] = { "job_id", TRUE },
  [C_SUBMIT] = { "submission_time", TRUE },
  [C_DURATION] = { "duration", TRUE },
  [C_GPUS] = { "num_gpu", TRUE },
  /* of the elasticflow_ files; not used */
  [C_ITERATIONS] = { "num_iteration", FALSE },
  [C_MODEL] = { "model_name", FALSE },
  [C_DEADLINE] = { "deadline", FALSE },
  [C_BATCH] = { "batch_size", FALSE },
};

/* GPUs in use 95 % of the time if every job of the cluster started at once. */
static const struct {
  const char *cluster;
  guint gpus;
} sizes[]
    = { { "cluster01", 132 }, { "cluster02", 193 }, { "cluster04", 752 }, { "cluster06", 248 },
        { "cluster07", 376 }, { "cluster09", 87 },  { "cluster10", 26 } };

static guint
default_nodes (const char *path, GError **error)
{
  g_autofree char *base = g_path_get_basename (path);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (strstr (base, sizes[i].cluster) != NULL)
      return (sizes[i].gpus + GPUS_PER_NODE - 1) / GPUS_PER_NODE;
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE,
               "%s: no usual size for this trace, expected --nodes N or a file named after its cluster, found '%s'", path, base);
  return 0;
}

/* A queue's name from that of the file: cluster06.csv.gz → cluster06; a name already taken gets a
 * number. */
static char *
queue_name (const char *path, guint position, const GPtrArray *taken)
{
  g_autofree char *base = g_path_get_basename (path);
  GString *name = g_string_new (NULL);

  base[strcspn (base, ".")] = '\0';
  for (const char *p = base; *p != '\0' && name->len < WL_LABEL_MAX - 8; p++) {
    char c = g_ascii_tolower (*p);

    if (g_ascii_isalnum (c))
      g_string_append_c (name, c);
    else if (name->len > 0 && name->str[name->len - 1] != '-')
      g_string_append_c (name, '-');
  }
  if (name->len > 0 && name->str[name->len - 1] == '-')
    g_string_truncate (name, name->len - 1);
  if (name->len == 0
      || g_ptr_array_find_with_equal_func ((GPtrArray *) taken, name->str, g_str_equal, NULL)
      || strcmp (name->str, "default") == 0 || strcmp (name->str, "root") == 0)
    g_string_append_printf (name, "%s%u", name->len > 0 ? "-" : "itp", position + 1);
  return g_string_free (name, FALSE);
}

static void
append_role (GString *out, guint number, const char *submit, const char *queue, const char *task,
             gint64 pods, gint64 gpus, const char *duration)
{
  g_string_append_printf (out,
                          "itp-%05u,%s,%s,,,%s,%" G_GINT64_FORMAT ",,%" G_GINT64_FORMAT
                          ",%" G_GINT64_FORMAT "Gi,%s,%" G_GINT64_FORMAT "\n",
                          number, submit, queue, task, pods, gpus * CPU_PER_GPU,
                          gpus * MEMORY_GI_PER_GPU, duration, gpus);
}

/* Append the jobs of @path to @out, numbered from *@number. */
static gboolean
convert_file (const char *path, const char *queue, guint *number, GString *out, GError **error)
{
  g_autoptr (WlCsv) csv = wl_csv_open (path, error);
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (guint));
  int where[N_COLUMNS];
  gboolean got;

  if (csv == NULL || !wl_csv_columns (csv, known, N_COLUMNS, where, others, error))
    return FALSE;
  if (others->len > 0)
    return wl_csv_unknown_column (csv, g_array_index (others, guint, 0), known, N_COLUMNS, error);
  for (;;) {
    const char *submit, *duration, *gpus_text;
    gint64 gpus;
    WlTime t;

    if (!wl_csv_next (csv, &got, error))
      return FALSE;
    if (!got)
      return TRUE;
    submit = wl_csv_cell (csv, where[C_SUBMIT]);
    duration = wl_csv_cell (csv, where[C_DURATION]);
    gpus_text = wl_csv_cell (csv, where[C_GPUS]);
    if (!wl_parse_time (submit, FALSE, &t, error))
      return wl_csv_locate (csv, where[C_SUBMIT], error);
    if (!wl_parse_time (duration, FALSE, &t, error))
      return wl_csv_locate (csv, where[C_DURATION], error);
    if (!wl_parse_int (gpus_text, 1, MAX_GPUS, &gpus, error))
      return wl_csv_locate (csv, where[C_GPUS], error);
    if (gpus <= GPUS_PER_NODE || gpus % GPUS_PER_NODE == 0) {
      append_role (out, *number, submit, queue, "w", (gpus + GPUS_PER_NODE - 1) / GPUS_PER_NODE,
                   MIN (gpus, GPUS_PER_NODE), duration);
    } else { /* whole nodes, and a pod for the rest */
      append_role (out, *number, submit, queue, "w", gpus / GPUS_PER_NODE, GPUS_PER_NODE, duration);
      append_role (out, *number, submit, queue, "rest", 1, gpus % GPUS_PER_NODE, duration);
    }
    *number += 1;
  }
}

gboolean
wl_itp_convert (const char *const *paths, guint n, const char *out_dir, guint n_nodes,
                GError **error)
{
  g_autoptr (GString) nodes = g_string_new ("node,cpu,memory,nvidia.com/gpu,count\n");
  g_autoptr (GString) queues = g_string_new ("queue,weight\n");
  g_autoptr (GString) jobs
      = g_string_new ("job,submit,queue,priority,min_available,task,replicas,task_min_available,"
                      "cpu,memory,duration,nvidia.com/gpu\n");
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  guint number = 0, total = n_nodes;

  for (guint i = 0; i < n; i++) {
    char *queue = n > 1 ? queue_name (paths[i], i, names) : g_strdup ("");

    g_ptr_array_add (names, queue);
    if (n > 1)
      g_string_append_printf (queues, "%s,1\n", queue);
    if (!convert_file (paths[i], queue, &number, jobs, error))
      return FALSE;
    if (n_nodes == 0) {
      guint more = default_nodes (paths[i], error);

      if (more == 0)
        return FALSE;
      total += more;
    }
  }
  g_string_append_printf (nodes, "n,96,768Gi,%d,%u\n", GPUS_PER_NODE, total);
  return wl_write_traces (out_dir, nodes, jobs, queues, error);
}
