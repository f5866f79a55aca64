/* workloads/import/alibaba/pai-list.c - the list of jobs of the PAI simulator (pai_job_duration_estimate_100K.csv). GPUs and cores are those of all pods together; what was estimated
 * of durations is left alone. */
#include "pai.h"
#include "workloads/import/records.h"
#include "workloads/text/parse.h"
#include <string.h>

enum { C_ID, C_USER, C_GPUS, C_CPUS, C_PODS, C_DURATION, C_NAME, C_SUBMIT, C_GROUP, C_TYPE, C_WAIT, C_USER_DUR, C_GROUP_DUR, C_GROUP_GPU_DUR, N_COLUMNS };
static const WlColumn columns[N_COLUMNS] = {
  [C_ID] = { "job_id", TRUE },            [C_USER] = { "user", TRUE },         [C_GPUS] = { "num_gpu", TRUE },   [C_CPUS] = { "num_cpu", TRUE },   [C_PODS] = { "num_pod", TRUE },
  [C_DURATION] = { "duration", TRUE },    [C_NAME] = { "job_name", FALSE },    [C_SUBMIT] = { "submit_time", TRUE }, [C_GROUP] = { "group", FALSE }, [C_TYPE] = { "gpu_type", FALSE },
  [C_WAIT] = { "wait_time", FALSE },      [C_USER_DUR] = { "user_dur", FALSE }, [C_GROUP_DUR] = { "group_dur", FALSE }, [C_GROUP_GPU_DUR] = { "group_gpu_dur", FALSE },
};

#define MOST_ROLES 16 /* of a job */

typedef struct {
  WlTime submit, run, wait; /* wait WL_TIME_NONE: not said */
  const char *id, *user, *group, *type;
  gint64 cpu_milli, gpu_milli; /* of a pod */
  guint32 pods;
} Row;

struct WlPaiList {
  WlImport *imp;
  WlTexts *texts;
  GArray *row;
};

WlPaiList *
wl_pai_list_new (WlImport *imp)
{
  WlPaiList *l = g_new0 (WlPaiList, 1);

  l->imp = imp;
  l->texts = wl_texts_new ();
  l->row = g_array_new (FALSE, FALSE, sizeof (Row));
  return l;
}

void
wl_pai_list_free (WlPaiList *l)
{
  if (l == NULL)
    return;
  wl_texts_free (l->texts);
  g_array_unref (l->row);
  g_free (l);
}

static gboolean
list_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
{
  WlPaiList *l = user;
  const char *id = wl_csv_required (csv, cell[C_ID], "the id of a job", error);
  gint64 pods, gpus, cpus;
  Row row = { .wait = WL_TIME_NONE };

  if (id == NULL || !wl_import_scaled (csv, cell[C_GPUS], 1000, 0, G_MAXINT32, &gpus, error) || !wl_import_scaled (csv, cell[C_CPUS], 1000, 0, G_MAXINT32, &cpus, error) ||
      !wl_import_int (csv, cell[C_PODS], 1, WL_REPLICAS_MAX, &pods, error) || !wl_import_time (csv, cell[C_DURATION], &row.run, error) ||
      !wl_import_time (csv, cell[C_SUBMIT], &row.submit, error) || (cell[C_WAIT] >= 0 && !wl_import_missing (csv, cell[C_WAIT]) && !wl_import_time (csv, cell[C_WAIT], &row.wait, error)))
    return FALSE;
  if (row.run < 0)
    return wl_import_drop (imp, "negative duration");
  row.id = wl_texts_add (l->texts, id);
  row.user = wl_texts_add (l->texts, wl_csv_cell (csv, cell[C_USER]));
  row.group = wl_texts_add (l->texts, wl_csv_cell (csv, cell[C_GROUP]));
  row.type = wl_texts_add (l->texts, wl_csv_cell (csv, cell[C_TYPE]));
  row.pods = (guint32) pods;
  row.cpu_milli = (cpus + pods - 1) / pods;
  row.gpu_milli = (gpus + pods - 1) / pods;
  if (cpus % pods != 0 || gpus % pods != 0)
    wl_import_note (imp, "request of a pod rounded up: totals are no multiple of the pods", 1);
  g_array_append_val (l->row, row);
  return TRUE;
}

gboolean
wl_pai_list_read (WlPaiList *l, guint file, GError **error)
{
  return wl_import_table (l->imp, file, NULL, columns, N_COLUMNS, list_row, l, error);
}

static int
by_submit (gconstpointer a, gconstpointer b, gpointer data)
{
  const Row *row = data;
  guint32 l = *(const guint32 *) a, r = *(const guint32 *) b;

  return row[l].submit != row[r].submit ? (row[l].submit < row[r].submit ? -1 : 1) : l < r ? -1 : l > r;
}

/* Memory, which the list does not have: the GPUs' part of a machine, or 2 GiB a core. */
static gint64
memory_of (const Row *row)
{
  const WlPaiMachine *m = &wl_pai_machines[0]; /* of an unknown type */

  for (guint i = WL_PAI_MACHINES; i > 0; i--)
    if (wl_pai_machines[i - 1].gpus > 0 && g_strcmp0 (wl_pai_machines[i - 1].type, row->type) == 0)
      m = &wl_pai_machines[i - 1];
  if (row->gpu_milli == 0)
    return row->cpu_milli * (G_GINT64_CONSTANT (2) << 30) / 1000;
  return row->gpu_milli * ((gint64) m->gib << 30) / (gint64) m->gpus / 1000 * 9 / 10;
}

/* Rows @at[0 … n - 1] as the roles of one job. */
static void
give_job (const WlPaiList *l, const guint32 *at, guint n)
{
  WlImport *imp = l->imp;
  const Row *row = (const Row *) (const void *) l->row->data, *first = &row[at[0]];
  WlImportRole role[MOST_ROLES];
  char *selector[MOST_ROLES], *name[MOST_ROLES];
  WlTime start = WL_TIME_NONE, end = WL_TIME_NONE;

  for (guint i = 0; i < n; i++) {
    const Row *r = &row[at[i]];
    g_autofree char *type = wl_import_label (r->type != NULL ? r->type : "worker");

    name[i] = n == 1 ? g_strdup ("worker") : g_strdup_printf ("%.40s-%u", type, i);
    selector[i] = wl_import_is (imp, "pai-gpu-type", "require") ? wl_pai_selector (r->type) : NULL;
    role[i] = (WlImportRole){ .name = name[i], .replicas = r->pods, .request = { .cpu_milli = r->cpu_milli, .memory = memory_of (r) }, .duration = r->run, .node_selector = selector[i] };
    wl_pai_gpus (imp, r->gpu_milli, &role[i].request);
    wl_import_default (imp, "memory of pods");
    if (r->wait != WL_TIME_NONE) {
      start = start == WL_TIME_NONE ? r->submit + r->wait : MIN (start, r->submit + r->wait);
      end = MAX (end, r->submit + r->wait + r->run);
    }
  }
  g_autofree char *id = g_strdup_printf ("job-%s", first->id);
  const char *extra[] = { first->user, first->group };
  const char *queue = wl_import_is (imp, "queue-by", "group") ? first->group : wl_import_is (imp, "queue-by", "user") ? first->user : NULL;
  const gboolean by_none = wl_import_is (imp, "queue-by", "none");
  const WlImportJob job = { .name = id, .queue = queue != NULL || by_none ? queue : "", .submit = first->submit, .role = role, .n_roles = n, .extra = extra };
  const WlImportRecord record = { .start = start, .end = end, .wait = start != WL_TIME_NONE ? start - first->submit : WL_TIME_NONE };
  guint32 number = wl_import_job (imp, &job);

  if (start != WL_TIME_NONE)
    wl_import_recorded (imp, number, &record);
  for (guint i = 0; i < n; i++) {
    g_free (name[i]);
    g_free (selector[i]);
  }
}

void
wl_pai_list_finish (WlPaiList *l)
{
  const Row *row = (const Row *) (const void *) l->row->data;
  guint n = l->row->len;
  WlTime within = wl_import_given (l->imp, "pai-join-group") ? wl_import_duration (l->imp, "pai-join-group") : -1;
  g_autofree guint32 *order = g_new (guint32, n + 1);
  g_autofree guint8 *taken = g_new0 (guint8, n + 1);
  guint32 of[MOST_ROLES];

  for (guint32 i = 0; i < n; i++)
    order[i] = i;
  if (within >= 0)
    g_qsort_with_data (order, (gint) n, sizeof *order, by_submit, (gpointer) row);
  for (guint i = 0; i < n; i++) {
    guint k = 0;

    if (taken[i])
      continue;
    of[k++] = order[i];
    for (guint next = i + 1; within >= 0 && row[order[i]].group != NULL && next < n && k < MOST_ROLES && row[order[next]].submit - row[order[i]].submit <= within; next++)
      if (!taken[next] && row[order[next]].group == row[order[i]].group) {
        taken[next] = 1;
        of[k++] = order[next];
      }
    if (k > 1)
      wl_import_note (l->imp, "rows of a group that are one job", k);
    give_job (l, of, k);
  }
}
