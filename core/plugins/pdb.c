/* core/plugins/pdb.c - evictions keep within the PodDisruptionBudgets.
 *
 * Policy: the candidates are walked in the order given, each list with fresh budgets. A pod uses up one of status.disruptionsAllowed of every
 * budget of its namespace whose selector matches it, unless the budget lists it as disrupted already; it is a victim when none of them
 * was used up before. A pod that is refused has used up its other budgets too. A pod without labels is never a victim, as upstream drops it.
 * A selector that is not given, is empty or is malformed matches nothing.
 *
 * Example: a budget for app=a allows one disruption; of the candidates a-0, b-0, a-1 (app=a, b, a) a-0 and b-0 are victims.
 *
 * Mirrors pkg/scheduler/plugins/pdb/pdb.go. */
#include "plugins.h"
#include "core/model/quota.h"
#include <string.h>

typedef struct {
  gint32 *left; /* per budget, of the current list */
  guint n_left;
} Pdb;

static gboolean
is_disrupted (const VcBudget *b, const char *name)
{
  for (guint i = 0; i < b->n_disrupted; i++)
    if (strcmp (b->disrupted[i], name) == 0)
      return TRUE;
  return FALSE;
}

static guint
filter (Pdb *pdb, const VcCluster *c, const guint32 *tasks, guint n, guint32 *out)
{
  guint n_budgets = c->budgets != NULL ? c->budgets->len : 0, kept = 0;

  if (n_budgets > pdb->n_left) {
    pdb->left = g_renew (gint32, pdb->left, n_budgets);
    pdb->n_left = n_budgets;
  }
  for (guint b = 0; b < n_budgets; b++)
    pdb->left[b] = ((const VcBudget *) c->budgets->pdata[b])->allowed;
  for (guint i = 0; i < n; i++) {
    const VcTask *t = vc_task (c, tasks[i]);
    gboolean violated = FALSE;

    if (t->meta->labels.n == 0)
      continue;
    for (guint b = 0; b < n_budgets; b++) {
      const VcBudget *budget = c->budgets->pdata[b];

      if (budget->ns != t->ns || !budget->matches_any || !vc_selector_matches (&budget->selector, &t->meta->labels) || is_disrupted (budget, t->name))
        continue;
      pdb->left[b]--;
      violated |= pdb->left[b] < 0;
    }
    if (!violated)
      out[kept++] = tasks[i];
  }
  return kept;
}

static VcVote
pdb_victims (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out)
{
  *n_out = filter (self, vc_session_cluster (ssn), candidates, n, out);
  return VC_PERMIT;
}

static void
pdb_victim_tasks (gpointer self, VcSession *ssn, const guint32 *tasks, guint n, GArray *out)
{
  guint had = out->len;

  if (n == 0)
    return; /* the array may have no memory yet to point into */
  g_array_set_size (out, had + n);
  g_array_set_size (out, had + filter (self, vc_session_cluster (ssn), tasks, n, &g_array_index (out, guint32, had)));
}

static void
pdb_session_open (gpointer self, VcSession *ssn)
{
  vc_session_add_victims (ssn, VC_HOOK_PREEMPTABLE, pdb_victims);
  vc_session_add_victims_of (ssn, VC_HOOK_RECLAIMABLE, pdb_victims, VC_READS_QUEUE);
  vc_session_add_victim_tasks (ssn, pdb_victim_tasks);
}

static void
pdb_clear (gpointer self)
{
  Pdb *pdb = self;

  g_free (pdb->left);
}

const VcPluginClass vc_plugin_pdb = {
  .name = "pdb",
  .summary = VC_PDB_SUMMARY,
  .instance_size = sizeof (Pdb),
  .session_open = pdb_session_open,
  .clear = pdb_clear,
};
