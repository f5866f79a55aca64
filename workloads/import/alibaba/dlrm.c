/* workloads/import/alibaba/dlrm.c - Alibaba DLRM serving 2025: one file of instances, each a pod that serves, on GPU nodes (HN) or CPU nodes (CN). An instance without
 * creation was there before the trace, one without deletion outlives it. RDMA is percent of a NIC.
 *
 * Neither Kubernetes nor Volcano can say "at most four pods of an application on a node". The instances of such an application are dealt out to four groups in turn, and
 * those of one group keep apart: no node has more than four then. It is a little stricter than the limit, as a node can have one of each group only.
 *
 * There is no node list. NICs and memory decide how many nodes it takes: 2,392 GPUs at once ask for 696 NICs. */
#include "workloads/import/import.h"
#include "workloads/text/parse.h"
#include <string.h>

enum { C_NAME, C_ROLE, C_APP, C_CPU, C_GPU, C_RDMA, C_MEMORY, C_DISK, C_MOST, C_CREATED, C_SCHEDULED, C_DELETED,
       C_CPU_LIMIT, C_GPU_LIMIT, C_RDMA_LIMIT, C_MEMORY_LIMIT, C_DISK_LIMIT, N_COLUMNS };
static const WlColumn columns[N_COLUMNS] = {
  [C_NAME] = { "instance_sn", TRUE },          [C_ROLE] = { "role", TRUE },                 [C_APP] = { "app_name", TRUE },
  [C_CPU] = { "cpu_request", TRUE },           [C_GPU] = { "gpu_request", TRUE },           [C_RDMA] = { "rdma_request", TRUE },
  [C_MEMORY] = { "memory_request", TRUE },     [C_DISK] = { "disk_request", TRUE },         [C_MOST] = { "max_instance_per_node", TRUE },
  [C_CREATED] = { "creation_time", TRUE },     [C_SCHEDULED] = { "scheduled_time", TRUE },  [C_DELETED] = { "deletion_time", TRUE },
  [C_CPU_LIMIT] = { "cpu_limit", FALSE },      [C_GPU_LIMIT] = { "gpu_limit", FALSE },      [C_RDMA_LIMIT] = { "rdma_limit", FALSE },
  [C_MEMORY_LIMIT] = { "memory_limit", FALSE }, [C_DISK_LIMIT] = { "disk_limit", FALSE },
};

static const WlImportOption options[] = {
  { "hn-nodes", WL_OPTION_INT, "750", NULL, "GPU nodes (8 GPUs, 128 cores, 1 TiB, a NIC)" },
  { "cn-nodes", WL_OPTION_INT, "1700", NULL, "CPU nodes (192 cores, 1 TiB, a NIC)" },
  { "per-node", WL_OPTION_CHOICE, "limit", "limit|ignore", "the most instances of an application on a node; limit: they keep apart in as many groups" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

typedef enum { HN, CN, N_POOLS } Pool;
static const char *const pool_names[N_POOLS] = { [HN] = "hn", [CN] = "cn" };

typedef struct {
  gboolean ignore;
  GHashTable *dealt; /* "application-pool-limit" → instances so far */
} Reader;

/* GiB, or what else has a binary unit, as bytes. */
static gboolean
gibibytes (WlCsv *csv, int cell, gint64 *out, GError **error)
{
  return wl_import_scaled (csv, cell, G_GINT64_CONSTANT (1) << 30, 0, G_GINT64_CONSTANT (1) << 52, out, error);
}

/* The group of the next instance of @app, of which a node of @pool has at most @limit. (transfer full) */
static char *
group_of (Reader *r, const char *app, Pool pool, gint64 limit)
{
  g_autofree char *key = g_strdup_printf ("%s-%s-%" G_GINT64_FORMAT, app, pool_names[pool], limit);
  guint dealt = GPOINTER_TO_UINT (g_hash_table_lookup (r->dealt, key));
  char *group = g_strdup_printf ("%s-%u", key, (guint) (dealt % limit));

  g_hash_table_replace (r->dealt, g_steal_pointer (&key), GUINT_TO_POINTER (dealt + 1));
  return group;
}

static gboolean
read_pool (const WlCsv *csv, int cell, Pool *out, GError **error)
{
  const char *text = wl_csv_cell (csv, cell);

  *out = strcmp (text, "HN") == 0 ? HN : CN;
  if (*out == HN || strcmp (text, "CN") == 0)
    return TRUE;
  g_autofree char *shown = wl_shown (text);

  return wl_csv_refuse (csv, cell, WL_ERROR_VALUE, "column 'role'", "HN or CN", shown, error);
}

static gboolean
job_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Reader *r = user;
  const char *name = wl_csv_required (csv, cell[C_NAME], "an instance name", error), *app = name != NULL ? wl_csv_required (csv, cell[C_APP], "an application", error) : NULL;
  Pool pool = CN;
  WlTime created = 0, scheduled = WL_TIME_NONE, deleted = WL_TIME_NEVER;
  gboolean there = wl_import_missing (csv, cell[C_CREATED]), stays = wl_import_missing (csv, cell[C_DELETED]), waited = !wl_import_missing (csv, cell[C_SCHEDULED]);
  WlImportAmounts request = { 0 };
  gint64 gpus, rdma, disk, most;

  if (app == NULL || !read_pool (csv, cell[C_ROLE], &pool, error) || !wl_import_scaled (csv, cell[C_CPU], 1000, 0, G_MAXINT32, &request.cpu_milli, error) || !wl_import_int (csv, cell[C_GPU], 0, 1000, &gpus, error) ||
      !wl_import_scaled (csv, cell[C_RDMA], 1, 0, 100000, &rdma, error) || !gibibytes (csv, cell[C_MEMORY], &request.memory, error) ||
      !gibibytes (csv, cell[C_DISK], &disk, error) || !wl_import_int (csv, cell[C_MOST], -1, 100000, &most, error) ||
      (!there && !wl_import_time (csv, cell[C_CREATED], &created, error)) || (waited && !wl_import_time (csv, cell[C_SCHEDULED], &scheduled, error)) ||
      (!stays && !wl_import_time (csv, cell[C_DELETED], &deleted, error)))
    return FALSE;
  if (most == 0)
    return wl_csv_refuse (csv, cell[C_MOST], WL_ERROR_VALUE, "column 'max_instance_per_node'", "-1 (no limit), or a number from 1", "'0'", error);
  WlTime start = scheduled != WL_TIME_NONE ? scheduled : created;

  if (!stays && deleted < start)
    return wl_import_drop (imp, "deleted before it was scheduled");
  if (!there && !waited)
    return wl_import_drop (imp, "never scheduled");
  g_autoptr (GString) more = g_string_new (NULL);
  g_autofree char *apart = NULL;

  if (rdma > 0)
    g_string_append_printf (more, "rdma.io/nic=%" G_GINT64_FORMAT, rdma);
  if (disk > 0)
    g_string_append_printf (more, "%sephemeral-storage=%" G_GINT64_FORMAT, more->len > 0 ? ";" : "", disk);
  if (most > 0 && r->ignore)
    wl_import_note (imp, "limit of instances of an application on a node, which is ignored", 1);
  else if (most > 0)
    apart = group_of (r, app, pool, most);
  request.gpus = (guint32) gpus;
  request.more = more->str;
  if (there)
    wl_import_default (imp, "creation (there before the trace)");
  if (stays)
    wl_import_default (imp, "deletion (outlives the trace)");
  const WlImportRole role = { .name = "instance",
                              .replicas = 1,
                              .request = request,
                              .duration = stays ? WL_TIME_NEVER : deleted - start,
                              .apart = apart,
                              .node_selector = pool == HN ? "pool=hn" : "pool=cn" };
  const char *extra[] = { app };
  const WlImportJob job = { .name = name, .submit = created, .role = &role, .n_roles = 1, .extra = extra };
  const WlImportRecord record = { .wait = WL_TIME_NONE, .start = start, .end = stays ? WL_TIME_NONE : deleted };

  guint32 number = wl_import_job (imp, &job);
  if (!there)
    wl_import_recorded (imp, number, &record);
  return TRUE;
}

static guint
detect (const WlImportHead *head)
{
  return wl_head_has (head, ',', "instance_sn,role,app_name,max_instance_per_node") ? WL_DETECT_SURE : WL_DETECT_NO;
}

static void
add_nodes (WlImport *imp)
{
  const gint64 tib = G_GINT64_CONSTANT (1) << 40;
  const struct { const char *option; WlImportAmounts capacity; } pools[N_POOLS] = {
    [HN] = { "hn-nodes", { .cpu_milli = 128000, .memory = tib, .gpus = 8, .more = "rdma.io/nic=100;ephemeral-storage=20Ti" } },
    [CN] = { "cn-nodes", { .cpu_milli = 192000, .memory = tib, .more = "rdma.io/nic=100;ephemeral-storage=20Ti" } },
  };

  for (Pool p = 0; p < N_POOLS; p++) {
    g_autofree char *labels = g_strdup_printf ("pool=%s", pool_names[p]);
    const WlImportNode node = { .name = pool_names[p], .time = WL_TIME_NONE, .capacity = pools[p].capacity, .labels = labels,
                                .count = (guint32) wl_import_number (imp, pools[p].option) };

    if (node.count > 0)
      wl_import_node (imp, &node);
    wl_import_default_more (imp, "nodes", node.count);
  }
}

static gboolean
run (WlImport *imp, GError **error)
{
  g_autoptr (GHashTable) dealt = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Reader r = { .ignore = wl_import_is (imp, "per-node", "ignore"), .dealt = dealt };

  wl_import_extra (imp, "x_app");
  add_nodes (imp);
  for (guint i = 0; i < wl_import_n_files (imp); i++)
    if (!wl_import_table (imp, i, NULL, columns, N_COLUMNS, job_row, &r, error))
      return FALSE;
  return TRUE;
}

extern const WlImportFormat wl_format_dlrm;
const WlImportFormat wl_format_dlrm = {
  .name = "dlrm",
  .title = "Alibaba DLRM serving 2025",
  .files = "disaggregated_DLRM_trace.csv",
  .licence = "study and research; github.com/alibaba/clusterdata",
  .options = options,
  .detect = detect,
  .run = run,
};
