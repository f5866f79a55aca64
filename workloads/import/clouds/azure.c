/* workloads/import/clouds/azure.c - Azure VM packing trace 2020: the tables vm and vmType of its SQLite file as CSV. A VM is a pod by itself, submitted at its start, in
 * days; priority 1 is low and may be evicted. What a VM asks for is a part of the machine, another for each machine type: one type is chosen, and VMs that
 * cannot run on it are left out. In the original a VM that does not fit is rejected; here it waits. */
#include "workloads/import/import.h"
#include "workloads/text/parse.h"
#include <string.h>

#define PARTS 1000000 /* of a machine: the unit of disks and the NIC */

enum { V_ID, V_TENANT, V_TYPE, V_PRIORITY, V_START, V_END, N_VM };
static const WlColumn vm_columns[N_VM] = {
  [V_ID] = { "vmId", TRUE }, [V_TENANT] = { "tenantId", TRUE }, [V_TYPE] = { "vmTypeId", TRUE }, [V_PRIORITY] = { "priority", TRUE }, [V_START] = { "starttime", TRUE }, [V_END] = { "endtime", TRUE },
};
enum { T_ID, T_TYPE, T_MACHINE, T_CORE, T_MEMORY, T_HDD, T_SSD, T_NIC, N_TYPE };
static const WlColumn type_columns[N_TYPE] = {
  [T_ID] = { "id", FALSE },       [T_TYPE] = { "vmTypeId", TRUE }, [T_MACHINE] = { "machineId", TRUE }, [T_CORE] = { "core", TRUE },
  [T_MEMORY] = { "memory", TRUE }, [T_HDD] = { "hdd", FALSE },      [T_SSD] = { "ssd", FALSE },          [T_NIC] = { "nic", FALSE },
};

static const WlImportOption options[] = {
  { "machine-type", WL_OPTION_INT, NULL, NULL, "machineId of the nodes (default: the one on which most VM types can run)" },
  { "nodes", WL_OPTION_COUNT, "100", NULL, "nodes of that type: the trace has no counts" },
  { "unit-cpu", WL_OPTION_SIZE, "64", NULL, "cores of a whole machine" },
  { "unit-memory", WL_OPTION_SIZE, "256Gi", NULL, "memory of a whole machine" },
  { "queue-by", WL_OPTION_CHOICE, "none", "none|tenant", "what the queues are" },
  { "span", WL_OPTION_TIME, "2160h", NULL, "end of the trace, for VMs that are still there (90 days)" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

/* Of a VM type on the chosen machine; parts per million, -1: not given. */
typedef struct { gint64 machine, core, memory, hdd, ssd, nic; } Parts;
typedef struct {
  GArray *rows;       /* Parts, all */
  GArray *types;      /* gint64 vmTypeId of each row */
  GHashTable *chosen; /* vmTypeId → Parts * */
  gboolean by_tenant;
  WlTime end;
} Reader;

static gboolean
part_of (WlCsv *csv, int cell, gint64 *out, GError **error)
{
  *out = 0;
  return cell < 0 || wl_import_missing (csv, cell) || wl_import_scaled (csv, cell, PARTS, 0, PARTS, out, error);
}

static gboolean
type_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  Reader *r = user;
  gint64 type;
  Parts p;

  if (!wl_import_int (csv, cell[T_TYPE], 0, G_MAXINT32, &type, error) || !wl_import_int (csv, cell[T_MACHINE], 0, G_MAXINT32, &p.machine, error) ||
      !wl_import_scaled (csv, cell[T_CORE], PARTS, 0, PARTS, &p.core, error) || !wl_import_scaled (csv, cell[T_MEMORY], PARTS, 0, PARTS, &p.memory, error) ||
      !part_of (csv, cell[T_HDD], &p.hdd, error) || !part_of (csv, cell[T_SSD], &p.ssd, error) || !part_of (csv, cell[T_NIC], &p.nic, error))
    return FALSE;
  gboolean silent = FALSE;

  for (guint i = T_HDD; i <= T_NIC; i++)
    silent |= cell[i] >= 0 && wl_import_missing (csv, cell[i]);
  if (silent)
    wl_import_default (imp, "disks or network of VM types (none)");
  g_array_append_val (r->rows, p);
  g_array_append_val (r->types, type);
  return TRUE;
}

/* The machine that most VM types can run on; of several the lowest. */
static gint64
usual_machine (const Reader *r)
{
  gint64 best = -1;
  guint most = 0;

  for (guint i = 0; i < r->rows->len; i++) {
    gint64 machine = g_array_index (r->rows, Parts, i).machine;
    guint n = 0;

    for (guint k = 0; k < r->rows->len; k++)
      n += g_array_index (r->rows, Parts, k).machine == machine;
    if (n > most || (n == most && machine < best)) {
      most = n;
      best = machine;
    }
  }
  return best;
}

static gboolean
choose_machine (WlImport *imp, Reader *r, gint64 *machine, GError **error)
{
  *machine = wl_import_given (imp, "machine-type") ? wl_import_number (imp, "machine-type") : usual_machine (r);
  for (guint i = 0; i < r->rows->len; i++) {
    Parts *p = &g_array_index (r->rows, Parts, i);

    if (p->machine == *machine)
      g_hash_table_insert (r->chosen, GINT_TO_POINTER ((int) g_array_index (r->types, gint64, i) + 1), p);
  }
  if (g_hash_table_size (r->chosen) > 0)
    return TRUE;
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--machine-type, expected a machineId of the file of VM types, found %" G_GINT64_FORMAT, *machine);
  return FALSE;
}

/* Days as microseconds. */
static gboolean
days (WlCsv *csv, int cell, WlTime *out, GError **error)
{
  return wl_import_scaled (csv, cell, G_GINT64_CONSTANT (86400) * G_USEC_PER_SEC, -WL_TIME_MAX, WL_TIME_MAX, out, error);
}

__extension__ typedef __int128 Wide;

static gint64
part (gint64 whole, gint64 parts)
{
  return (gint64) (((Wide) whole * parts + PARTS - 1) / PARTS); /* rounded up */
}

static gboolean
vm_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  const Reader *r = user;
  const char *id = wl_csv_required (csv, cell[V_ID], "a VM", error);
  gboolean stays = wl_import_missing (csv, cell[V_END]);
  gint64 tenant, type, priority;
  WlTime start, end = r->end;

  if (id == NULL || !wl_import_int (csv, cell[V_TENANT], 0, G_MAXINT64, &tenant, error) || !wl_import_int (csv, cell[V_TYPE], 0, G_MAXINT32 - 1, &type, error) ||
      !wl_import_int (csv, cell[V_PRIORITY], 0, 1, &priority, error) || !days (csv, cell[V_START], &start, error) || (!stays && !days (csv, cell[V_END], &end, error)))
    return FALSE;
  const Parts *p = g_hash_table_lookup (r->chosen, GINT_TO_POINTER ((int) type + 1));

  if (p == NULL)
    return wl_import_drop (imp, "cannot run on the chosen machine type");
  if (end < start)
    return wl_import_drop (imp, "ends before it starts");
  if (end <= 0)
    return wl_import_drop (imp, "over before the trace begins");
  if (stays)
    wl_import_default (imp, "end (still there at the end of the trace)");
  if (start < 0)
    wl_import_default (imp, "start (alive at the beginning: what is left of it counts)");
  g_autoptr (GString) more = g_string_new (NULL);
  const struct { const char *name; gint64 parts; } others[] = { { "volsim.io/hdd", p->hdd }, { "volsim.io/ssd", p->ssd }, { "volsim.io/nic", p->nic } };

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (others[i].parts > 0)
      g_string_append_printf (more, "%s%s=%" G_GINT64_FORMAT, more->len > 0 ? ";" : "", others[i].name, others[i].parts);
  g_autofree char *name = g_strdup_printf ("vm-%s", id), *queue = g_strdup_printf ("tenant-%" G_GINT64_FORMAT, tenant);
  g_autofree char *owner = g_strdup_printf ("tenant-%" G_GINT64_FORMAT, tenant);
  const char *extra[] = { owner };
  const WlImportRole role = { .name = "vm",
                              .replicas = 1,
                              .request = { .cpu_milli = part (wl_import_milli (imp, "unit-cpu"), p->core), .memory = part (wl_import_bytes (imp, "unit-memory"), p->memory), .more = more->str },
                              .duration = end - MAX (start, 0) };
  const WlImportJob job = { .name = name, .queue = r->by_tenant ? queue : NULL, .priority = priority == 0 ? "high" : "low", .submit = MAX (start, 0), .preemptable = priority == 0 ? -1 : 1,
                            .role = &role, .n_roles = 1, .extra = extra };

  wl_import_job (imp, &job);
  return TRUE;
}

static gboolean
is_types (const WlImportHead *head)
{
  return wl_head_has (head, ',', "vmTypeId,machineId,core,memory");
}

static guint
detect (const WlImportHead *head)
{
  return is_types (head) || wl_head_has (head, ',', "vmId,tenantId,vmTypeId,priority,starttime,endtime") ? WL_DETECT_SURE : WL_DETECT_NO;
}

static gboolean
run (WlImport *imp, GError **error)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Parts)), types = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GHashTable) chosen = g_hash_table_new (NULL, NULL);
  Reader r = { .rows = rows, .types = types, .chosen = chosen, .by_tenant = wl_import_is (imp, "queue-by", "tenant"), .end = wl_import_duration (imp, "span") };
  gint64 machine;

  for (guint i = 0; i < wl_import_n_files (imp); i++)
    if (detect (wl_import_head (imp, i)) == WL_DETECT_NO) {
      g_set_error_literal (error, WL_ERROR, WL_ERROR_HEADER,
                           "expected the columns of VM types (vmTypeId,machineId,core,memory,…) or of VMs (vmId,tenantId,vmTypeId,priority,starttime,endtime), found others");
      return wl_import_locate (imp, i, 1, 1, error);
    }
  for (guint i = 0; i < wl_import_n_files (imp); i++)
    if (is_types (wl_import_head (imp, i)) && !wl_import_table (imp, i, NULL, type_columns, N_TYPE, type_row, &r, error))
      return FALSE;
  if (rows->len == 0) {
    g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "azure: expected the table of VM types (vmTypeId,machineId,core,memory,…) among the files, found none");
    return FALSE;
  }
  if (!choose_machine (imp, &r, &machine, error))
    return FALSE;
  wl_import_extra (imp, "x_tenant");
  wl_import_priority_class (imp, "high", 1000);
  wl_import_priority_class (imp, "low", 100);
  wl_import_set_offset (imp, 0);
  for (guint i = 0; i < wl_import_n_files (imp); i++)
    if (!is_types (wl_import_head (imp, i)) && !wl_import_table (imp, i, NULL, vm_columns, N_VM, vm_row, &r, error))
      return FALSE;
  g_autofree char *labels = g_strdup_printf ("machine-type=%" G_GINT64_FORMAT, machine);
  const WlImportNode node = { .name = "n",
                              .time = WL_TIME_NONE,
                              .capacity = { .cpu_milli = wl_import_milli (imp, "unit-cpu"),
                                            .memory = wl_import_bytes (imp, "unit-memory"),
                                            .more = "volsim.io/hdd=1000000;volsim.io/ssd=1000000;volsim.io/nic=1000000" },
                              .pods = -1,
                              .labels = labels,
                              .count = (guint32) wl_import_number (imp, "nodes") };

  wl_import_node (imp, &node);
  wl_import_default_more (imp, "nodes", node.count);
  return TRUE;
}

extern const WlImportFormat wl_format_azure;
const WlImportFormat wl_format_azure = {
  .name = "azure",
  .title = "Azure VM packing 2020",
  .files = "the tables vm and vmType as CSV (sqlite3 -header -csv FILE 'select * from vm')",
  .licence = "CC BY 4.0; github.com/Azure/AzurePublicDataset",
  .options = options,
  .detect = detect,
  .run = run,
};
