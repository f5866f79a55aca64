/* Texts for people: why a job waits (01 §17). Mirrors FitError (pkg/scheduler/api/job_info.go) and FitErrors.Error (unschedule_info.go). */
#include "messages.h"
#include "session-private.h"
#include <string.h>

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Sort as strings, join with ", " (so "10 x" stands before "2 y", as upstream prints it). */
static char *
sorted_list (GPtrArray *entries)
{
  g_ptr_array_sort (entries, compare_texts);
  g_ptr_array_add (entries, NULL);
  return g_strjoinv (", ", (char **) entries->pdata);
}

char *
vc_fit_text (const VcCluster *c, const VcFit *fit, guint32 task)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (g_free);

  if (fit->skipped)
    return g_strdup_printf ("Task %s with role spec %s has already predicated failed, skip", c->task[task].name, c->job[c->task[task].job].role[c->task[task].role].name);
  if (fit->within != NULL) {
    VcFit plain = *fit;
    plain.within = NULL;
    g_autofree char *text = vc_fit_text (c, &plain, task);
    return g_strdup_printf ("In hyperNode %s: %s", fit->within, text);
  }
  if (fit->n_reasons == 0)
    return g_strdup_printf ("0/%u nodes are unavailable", fit->nodes);
  for (guint i = 0; i < fit->n_reasons; i++)
    g_ptr_array_add (entries, g_strdup_printf ("%u %s", fit->reason[i].nodes, fit->reason[i].reason));
  g_autofree char *list = sorted_list (entries);
  return g_strdup_printf ("0/%u nodes are unavailable: %s.", fit->nodes, list);
}

/* Pending tasks by what they are told: those that a discarded statement had placed could be scheduled. */
static char *
pending_reasons (const VcCluster *c, const VcJob *j)
{
  guint could = 0, cannot = 0;
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (g_free);

  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = &c->task[j->task[i]];
    if (t->status != VC_PENDING)
      continue;
    if (t->last_status == VC_ALLOCATED)
      could++;
    else
      cannot++;
  }
  if (could > 0)
    g_ptr_array_add (entries, g_strdup_printf ("%u Schedulable", could));
  if (cannot > 0)
    g_ptr_array_add (entries, g_strdup_printf ("%u Unschedulable", cannot));
  return sorted_list (entries);
}

char *
vc_session_job_fit_text (VcSession *ssn, guint32 job)
{
  const VcCluster *c = ssn->cluster;
  const VcJob *j = &c->job[job];
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (g_free);
  GString *out = g_string_new (vc_job_is_ready (j) ? "pod group is ready" : "pod group is not ready");
  const VcFit *origin = NULL;
  guint32 first = VC_NONE; /* task of that record */

  for (guint s = 0; s < VC_N_STATUS; s++)
    if (j->count[s] > 0)
      g_ptr_array_add (entries, g_strdup_printf ("%u %s", j->count[s], vc_status_names[s]));
  g_ptr_array_add (entries, g_strdup_printf ("%d minAvailable", j->min_available));
  g_autofree char *histogram = sorted_list (entries);
  g_string_append_printf (out, ", %s", histogram);
  if (j->count[VC_PENDING] > 0) {
    g_autofree char *pending = pending_reasons (c, j);
    g_string_append_printf (out, "; Pending: %s", pending);
  }
  for (const VcFit *f = j->fit; f != NULL; f = f->next) /* of the smallest UID; of one task the newest */
    for (guint32 i = 0; i <= f->n_rest; i++) {
      guint32 task = i == 0 ? f->task : f->rest[i - 1];

      if (origin == NULL || strcmp (c->task[task].uid, c->task[first].uid) < 0) {
        origin = f;
        first = task;
      }
    }
  if (origin != NULL) {
    g_autofree char *text = vc_fit_text (c, origin, first);
    g_string_append_printf (out, ". Origin reason is %s: %s", c->task[first].name, text);
  }
  return g_string_free (out, FALSE);
}
