/* sim/recorded.c - see recorded.h. */
#include "recorded.h"
#include "workloads/native.h"

gboolean
sim_recorded_copy (const char *path, RpResults *results, GError **error)
{
  g_autoptr (GArray) rows = wl_read_recorded (path, error);

  if (rows == NULL || !rp_results_recorded (results, error))
    return FALSE;
  for (guint i = 0; i < rows->len; i++) {
    const WlRecord *r = &g_array_index (rows, WlRecord, i);
    g_autofree char *nodes = r->nodes != NULL ? g_strjoinv ("|", r->nodes) : NULL;
    const RpRecorded row = { .ns = r->ns, .job = r->job, .submit = r->submit, .wait = r->wait, .start = r->start, .end = r->end, .status = r->status,
                             .nodes = nodes, .evictions = (guint32) r->evictions };

    rp_results_record (results, &row);
  }
  return TRUE;
}
