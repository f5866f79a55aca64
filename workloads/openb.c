#include "openb.h"
#include "csv-table.h"
#include "parse.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

enum { N_NAME, N_CPU, N_MEMORY, N_GPU, N_MODEL, N_NODE_COLUMNS };
static const WlColumn node_columns[N_NODE_COLUMNS] = {
  [N_NAME] = { "sn", TRUE }, [N_CPU] = { "cpu_milli", TRUE }, [N_MEMORY] = { "memory_mib", TRUE }, [N_GPU] = { "gpu", TRUE }, [N_MODEL] = { "model", TRUE },
};
enum { P_NAME, P_CPU, P_MEMORY, P_GPUS, P_SHARE, P_SPEC, P_QOS, P_PHASE, P_CREATED, P_DELETED, P_SCHEDULED, N_POD_COLUMNS };
static const WlColumn pod_columns[N_POD_COLUMNS] = {
  [P_NAME] = { "name", TRUE },           [P_CPU] = { "cpu_milli", TRUE },      [P_MEMORY] = { "memory_mib", TRUE }, [P_GPUS] = { "num_gpu", TRUE },
  [P_SHARE] = { "gpu_milli", TRUE },     [P_SPEC] = { "gpu_spec", FALSE },     [P_QOS] = { "qos", FALSE },          [P_PHASE] = { "pod_phase", FALSE },
  [P_CREATED] = { "creation_time", TRUE }, [P_DELETED] = { "deletion_time", TRUE }, [P_SCHEDULED] = { "scheduled_time", TRUE },
};
#define MOST G_GINT64_CONSTANT (1000000000000)

typedef gboolean (*RowFn) (WlCsv *csv, const int *where, GString *out, WlOpenbReport *r, GError **error);

static gboolean
whole (const WlCsv *csv, int cell, gint64 *out, GError **error)
{
  return wl_parse_int (wl_csv_cell (csv, cell), 0, MOST, out, error) || wl_csv_locate (csv, cell, error);
}

static gboolean
node_row (WlCsv *csv, const int *where, GString *out, WlOpenbReport *r, GError **error)
{
  gint64 cpu, memory, gpu;
  const char *name = wl_csv_required (csv, where[N_NAME], "a node name", error);

  if (name == NULL || !whole (csv, where[N_CPU], &cpu, error) || !whole (csv, where[N_MEMORY], &memory, error) || !whole (csv, where[N_GPU], &gpu, error))
    return FALSE;
  const char *model = wl_csv_cell (csv, where[N_MODEL]);
  g_string_append_printf (out, "%s,%" G_GINT64_FORMAT "m,%" G_GINT64_FORMAT "Mi,", name, cpu, memory);
  if (gpu > 0)
    g_string_append_printf (out, "%" G_GINT64_FORMAT, gpu);
  g_string_append_printf (out, ",%s%s\n", *model != '\0' ? "gpu-model=" : "", model);
  r->nodes++;
  return TRUE;
}

static gboolean
pod_row (WlCsv *csv, const int *where, GString *out, WlOpenbReport *r, GError **error)
{
  gint64 cpu, memory, gpus, share, created, deleted, scheduled;
  const char *name = wl_csv_required (csv, where[P_NAME], "a pod name", error);

  if (name == NULL || !whole (csv, where[P_CPU], &cpu, error) || !whole (csv, where[P_MEMORY], &memory, error) || !whole (csv, where[P_GPUS], &gpus, error) ||
      !whole (csv, where[P_SHARE], &share, error) || !whole (csv, where[P_CREATED], &created, error))
    return FALSE;
  if (*wl_csv_cell (csv, where[P_SCHEDULED]) == '\0') {
    r->pending++;
    return TRUE;
  }
  if (!whole (csv, where[P_DELETED], &deleted, error) || !whole (csv, where[P_SCHEDULED], &scheduled, error))
    return FALSE;
  if (deleted < scheduled)
    return wl_csv_refuse (csv, where[P_DELETED], WL_ERROR_VALUE, "deletion time", "a time at or after the scheduling", wl_csv_cell (csv, where[P_DELETED]), error);
  const char *spec = wl_csv_cell (csv, where[P_SPEC]);
  if (strchr (spec, '|') != NULL) {
    r->several_models++;
    return TRUE;
  }
  g_string_append_printf (out, "%s,%" G_GINT64_FORMAT ",pod,1,%" G_GINT64_FORMAT "m,", name, created, cpu);
  if (memory > 0)
    g_string_append_printf (out, "%" G_GINT64_FORMAT "Mi", memory);
  g_string_append_printf (out, ",%" G_GINT64_FORMAT ",", deleted - scheduled);
  if (gpus > 0)
    g_string_append_printf (out, "%" G_GINT64_FORMAT, gpus);
  g_string_append_printf (out, ",%s%s\n", *spec != '\0' ? "gpu-model=" : "", spec);
  r->jobs++;
  r->shared += gpus == 1 && share < 1000;
  return TRUE;
}

static gboolean
convert (const char *path, const WlColumn *columns, guint n, RowFn row, GString *out, WlOpenbReport *r, GError **error)
{
  g_autoptr (WlCsv) csv = wl_csv_open (path, error);
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (guint));
  int where[N_POD_COLUMNS];
  gboolean got;

  if (csv == NULL || !wl_csv_columns (csv, columns, n, where, others, error))
    return FALSE;
  if (others->len > 0)
    return wl_csv_unknown_column (csv, g_array_index (others, guint, 0), columns, n, error);
  for (;;) {
    if (!wl_csv_next (csv, &got, error))
      return FALSE;
    if (!got)
      return TRUE;
    if (!row (csv, where, out, r, error))
      return FALSE;
  }
}

gboolean
wl_openb_convert (const char *const *paths, guint n, const char *out_dir, WlOpenbReport *report, GError **error)
{
  g_autoptr (GString) nodes = g_string_new ("node,cpu,memory,nvidia.com/gpu,labels\n");
  g_autoptr (GString) jobs = g_string_new ("job,submit,task,replicas,cpu,memory,duration,nvidia.com/gpu,node_selector\n");
  g_autoptr (GString) queues = g_string_new ("queue,weight\n");

  *report = (WlOpenbReport) { 0 };
  if (n < 2) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "openb: expected the node list and at least one pod list, found %u file", n);
    return FALSE;
  }
  if (!convert (paths[0], node_columns, N_NODE_COLUMNS, node_row, nodes, report, error))
    return FALSE;
  for (guint i = 1; i < n; i++)
    if (!convert (paths[i], pod_columns, N_POD_COLUMNS, pod_row, jobs, report, error))
      return FALSE;
  return wl_write_traces (out_dir, nodes, jobs, queues, error);
}
