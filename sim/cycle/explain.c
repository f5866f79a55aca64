#include "explain-private.h"
#include "core/model/claims.h"
#include "core/model/sub-jobs.h"
#include "core/session/search.h"
#include "reports/json.h"
#include <string.h>

static const char *
keep (SimExplain *x, const char *text)
{
  char *copy = g_strdup (text);
  g_ptr_array_add (x->garbage, copy);
  return copy;
}

static gboolean
job_is_target (const SimExplain *x, const VcCluster *c, guint32 job)
{
  return job != VC_NONE && strcmp (c->job[job].key, x->target) == 0;
}

static gboolean
task_is_target (const SimExplain *x, const VcCluster *c, guint32 task)
{
  return task != VC_NONE && (strcmp (c->task[task].key, x->target) == 0 || job_is_target (x, c, c->task[task].job));
}

/* Is the job the target, or the job of the target pod? */
static gboolean
job_concerns (const SimExplain *x, const VcCluster *c, guint32 job)
{
  if (job_is_target (x, c, job))
    return TRUE;
  for (guint32 i = 0; job != VC_NONE && i < c->job[job].n_tasks; i++)
    if (strcmp (c->task[c->job[job].task[i]].key, x->target) == 0)
      return TRUE;
  return FALSE;
}

static const char *
hook_words (VcHookFamily f)
{
  if (f == VC_HOOK_JOB_ENQUEUEABLE)
    return "enqueue vote";
  if (f == VC_HOOK_JOB_PIPELINED)
    return "pipelined vote";
  if (f == VC_HOOK_OVERUSED)
    return "queue is overused";
  if (f == VC_HOOK_ALLOCATABLE)
    return "queue may not allocate";
  if (f == VC_HOOK_PREEMPTIVE)
    return "queue may not reclaim";
  if (f == VC_HOOK_JOB_VALID)
    return "job is not valid";
  if (f == VC_HOOK_JOB_READY)
    return "job is not complete";
  if (f == VC_HOOK_JOB_STARVING)
    return "job does not starve";
  if (f == VC_HOOK_PREEMPTABLE)
    return "preempt victims";
  if (f == VC_HOOK_RECLAIMABLE)
    return "reclaim victims";
  return "gang victims";
}

static SimExplainEntry *
add_entry (SimExplain *x, SimExplainKind kind, VcHookFamily f, const char *plugin, const char *subject)
{
  SimExplainEntry *e = g_new0 (SimExplainEntry, 1);

  g_ptr_array_add (x->garbage, e);
  g_ptr_array_add (x->entries, e);
  e->kind = kind;
  e->what = hook_words (f);
  e->plugin = keep (x, plugin);
  e->subject = keep (x, subject);
  return e;
}

/* ---- watching ------------------------------------------------------------------------------------ */

static void
on_vote (gpointer user, VcSession *ssn, VcHookFamily f, guint32 job, const char *plugin, VcVote vote)
{
  SimExplain *x = user;
  const VcCluster *c = vc_session_cluster (ssn);

  if (job_concerns (x, c, job))
    add_entry (x, SIM_EXPLAIN_VOTE, f, plugin, c->job[job].key)->vote = vote;
}

static void
on_refused (gpointer user, VcSession *ssn, VcHookFamily f, guint32 queue, guint32 task, const char *plugin)
{
  SimExplain *x = user;
  const VcCluster *c = vc_session_cluster (ssn);

  if (task != VC_NONE) {
    if (task_is_target (x, c, task))
      add_entry (x, SIM_EXPLAIN_REFUSED, f, plugin, c->task[task].key);
    return;
  }
  guint n;
  const guint32 *jobs = vc_session_jobs (ssn, &n);
  for (guint i = 0; i < n; i++)
    if (c->job[jobs[i]].queue == queue && job_concerns (x, c, jobs[i])) {
      add_entry (x, SIM_EXPLAIN_REFUSED, f, plugin, c->queue[queue].name);
      return;
    }
}

/* Answers change while a gang fills up, so the last one counts. */
static void
on_denied (gpointer user, VcSession *ssn, VcHookFamily f, guint32 job, const char *plugin)
{
  SimExplain *x = user;
  const VcCluster *c = vc_session_cluster (ssn);
  guint kept = 0;

  if (!job_concerns (x, c, job))
    return;
  for (guint i = 0; i < x->entries->len; i++) {
    const SimExplainEntry *e = x->entries->pdata[i];

    if (e->kind != SIM_EXPLAIN_REFUSED || strcmp (e->what, hook_words (f)) != 0 || strcmp (e->subject, c->job[job].key) != 0)
      x->entries->pdata[kept++] = x->entries->pdata[i];
  }
  g_ptr_array_set_size (x->entries, (gint) kept);
  if (plugin != NULL)
    add_entry (x, SIM_EXPLAIN_REFUSED, f, plugin, c->job[job].key);
}

static void
on_turn (gpointer user, VcSession *ssn, const VcTurnSeen *seen)
{
  SimExplain *x = user;
  const VcCluster *c = vc_session_cluster (ssn);
  const SimExplainTurn turn = { .admission = seen->admission,
                                .queue = keep (x, c->queue[seen->queue].name),
                                .job = seen->job != VC_NONE ? keep (x, c->job[seen->job].key) : "",
                                .next_queue = seen->next_queue != VC_NONE ? keep (x, c->queue[seen->next_queue].name) : "",
                                .next_job = seen->next_job != VC_NONE ? keep (x, c->job[seen->next_job].key) : "",
                                .queue_by = seen->queue_by != NULL ? keep (x, seen->queue_by) : "",
                                .job_by = seen->job_by != NULL ? keep (x, seen->job_by) : "",
                                .queue_rank = seen->queue_rank,
                                .job_rank = seen->job_rank };

  g_array_append_val (x->turns, turn);
}

static void
on_victims (gpointer user, VcSession *ssn, VcHookFamily f, guint32 evictor, const char *plugin, const guint32 *candidates, guint n,
            const guint32 *accepted, guint m)
{
  SimExplain *x = user;
  const VcCluster *c = vc_session_cluster (ssn);
  gboolean concerns = evictor == VC_NONE ? job_concerns (x, c, vc_session_eviction_job (ssn)) : task_is_target (x, c, evictor);

  for (guint i = 0; i < n && !concerns; i++)
    concerns = task_is_target (x, c, candidates[i]);
  if (!concerns || n == 0)
    return;
  SimExplainEntry *e = add_entry (x, SIM_EXPLAIN_VICTIMS, f, plugin, evictor != VC_NONE ? c->task[evictor].key : c->job[vc_session_eviction_job (ssn)].key);
  e->accepted = g_ptr_array_new ();
  e->vetoed = g_ptr_array_new ();
  for (guint i = 0; i < n; i++) {
    gboolean in = FALSE;
    for (guint k = 0; k < m && !in; k++)
      in = accepted[k] == candidates[i];
    g_ptr_array_add (in ? e->accepted : e->vetoed, (gpointer) keep (x, c->task[candidates[i]].key));
  }
}

static const char *
lacking (const VcCluster *c, const VcShape *shape, double *const *column, guint32 node)
{
  for (guint d = 0; d < c->n_res; d++)
    if (((shape->dims >> d) & 1u) && !vc_le (shape->request->v[d], column[d][node]))
      return vc_res_names_insufficient (c->names, d);
  return NULL;
}

/* Lines that a plugin adds to its answer. */
static void
add_notes (SimExplain *x, VcSession *ssn, guint participant, guint32 task, guint32 node, SimExplainRow *row)
{
  g_autoptr (GString) text = g_string_new (NULL);

  vc_session_participant_explain (ssn, participant, task, node, text);
  g_auto (GStrv) line = g_strsplit (text->str, "\n", -1);
  for (char **l = line; *l != NULL; l++)
    if (**l != '\0')
      g_ptr_array_add (row->notes, (gpointer) keep (x, *l));
}

/* What the scan says of one node; TRUE when it is a candidate. */
static gboolean
examine (SimExplain *x, VcSession *ssn, guint32 task, guint32 node, gboolean resources, SimExplainRow *row)
{
  const VcCluster *c = vc_session_cluster (ssn);
  const VcShape *shape = c->task[task].shape;
  const char *short_of = resources ? lacking (c, shape, c->nodes.future, node) : NULL;

  row->room = "no";
  if (!vc_search_may_use (ssn, node)) {
    g_ptr_array_add (row->reasons, (gpointer) keep (x, VC_OUTSIDE_SHARD));
    return FALSE;
  }
  if (short_of != NULL) {
    g_ptr_array_add (row->reasons, (gpointer) keep (x, short_of));
    return FALSE;
  }
  for (guint i = 0; i < vc_session_participants (ssn, VC_HOOK_PREDICATE); i++) {
    VcFitError e = { 0 };
    gboolean fits = vc_session_participant_predicate (ssn, i, task, node, &e);
    add_notes (x, ssn, i, task, node, row);
    if (fits)
      continue;
    for (guint k = 0; k < e.n; k++) {
      g_autofree char *text = g_strdup_printf ("%s: %s", vc_session_participant (ssn, VC_HOOK_PREDICATE, i), e.item[k].reason);
      g_ptr_array_add (row->reasons, (gpointer) keep (x, text));
    }
    return FALSE;
  }
  row->room = resources && lacking (c, shape, c->nodes.idle, node) != NULL ? "future" : "idle";
  return TRUE;
}

typedef struct {
  SimExplain *x;
  SimExplainEntry *e;
  SimExplainRow **rows;
  guint n;
  const char *plugin;
} Telling;

static void
on_part (gpointer user, const char *name, gint64 weight, const double *score)
{
  Telling *t = user;
  SimExplainPart part = { t->plugin, keep (t->x, name), weight };

  g_array_append_val (t->e->parts, part);
  for (guint k = 0; k < t->n; k++)
    g_array_append_val (t->rows[k]->part, score[k]);
}

/* Scores as the engine asks for them: of the group that it chooses from (idle room first). */
static void
score_group (SimExplain *x, VcSession *ssn, guint32 task, SimExplainEntry *e, const guint32 *nodes, SimExplainRow **rows, guint n)
{
  static const VcHookFamily families[] = { VC_HOOK_NODE_ORDER, VC_HOOK_BATCH_NODE_ORDER };
  g_autofree double *value = g_new (double, n);
  g_autofree double *total = g_new0 (double, n);

  e->plugins = g_ptr_array_new ();
  for (guint f = 0; f < 2; f++)
    for (guint i = 0; i < vc_session_participants (ssn, families[f]); i++)
      g_ptr_array_add (e->plugins, (gpointer) keep (x, vc_session_participant (ssn, families[f], i)));
  e->parts = g_array_new (FALSE, FALSE, sizeof (SimExplainPart));
  for (guint k = 0; k < n; k++) {
    rows[k]->part = g_array_new (FALSE, FALSE, sizeof (double));
    rows[k]->score = g_new0 (double, e->plugins->len + 1);
    g_ptr_array_add (x->garbage, rows[k]->score);
    rows[k]->scored = TRUE;
  }
  guint column = 0;
  for (guint f = 0; f < 2; f++)
    for (guint i = 0; i < vc_session_participants (ssn, families[f]); i++, column++) {
      memset (value, 0, n * sizeof *value);
      if (vc_session_participant_score (ssn, families[f], i, task, nodes, n, value))
        for (guint k = 0; k < n; k++)
          rows[k]->score[column] = value[k];
      Telling telling = { x, e, rows, n, e->plugins->pdata[column] };
      vc_session_participant_terms (ssn, families[f], i, task, nodes, n, on_part, &telling);
    }
  if (vc_session_scores (ssn, task, nodes, n, total))
    for (guint k = 0; k < n; k++)
      rows[k]->total = total[k];
}

static void
on_pick (gpointer user, VcSession *ssn, guint32 task, gboolean resources, guint32 hyper, const guint32 *nodes, guint n)
{
  SimExplain *x = user;
  const VcCluster *c = vc_session_cluster (ssn);
  guint32 found = 0, start = vc_session_rotating_index (ssn), limit = vc_session_node_limit (ssn, n);

  if (!task_is_target (x, c, task) || n == 0)
    return;
  SimExplainEntry *e = add_entry (x, SIM_EXPLAIN_PICK, VC_N_HOOKS, "", c->task[task].key);
  e->within = hyper != VC_NONE ? keep (x, vc_session_hypers (ssn)->hyper[hyper].name) : NULL;
  e->rows = g_ptr_array_new ();
  g_autofree SimExplainRow **by_list = g_new0 (SimExplainRow *, n);
  for (guint32 i = 0; i < n; i++) {
    SimExplainRow *row = g_new0 (SimExplainRow, 1);
    g_ptr_array_add (x->garbage, row);
    g_ptr_array_add (e->rows, row);
    by_list[i] = row;
    row->node = keep (x, c->nodes.info[nodes[i]].name);
    row->room = "not looked at";
    row->reasons = g_ptr_array_new ();
    row->notes = g_ptr_array_new ();
  }
  g_autofree guint32 *group = g_new (guint32, n);
  g_autofree SimExplainRow **group_rows = g_new (SimExplainRow *, n);
  gboolean any_idle = FALSE;
  for (guint32 i = 0; i < n; i++) {
    guint32 at = (start + i) % n;
    if (examine (x, ssn, task, nodes[at], resources, by_list[at]) && ++found > limit) {
      by_list[at]->room = "not looked at"; /* one more than wanted: seen, not kept */
      break;
    }
    any_idle |= strcmp (by_list[at]->room, "idle") == 0;
  }
  guint m = 0;
  for (guint32 i = 0; i < n; i++) {
    guint32 at = (start + i) % n;
    if (strcmp (by_list[at]->room, any_idle ? "idle" : "future") != 0)
      continue;
    group[m] = nodes[at];
    group_rows[m++] = by_list[at];
  }
  guint own = vc_search_by_shard (ssn, group, m); /* the group that the engine asks first */
  if (own > 0 && own < m) {
    m = own;
    for (guint32 i = 0; i < m; i++)
      for (guint32 at = 0; at < n; at++)
        if (nodes[at] == group[i])
          group_rows[i] = by_list[at];
  }
  if (m > 1)
    score_group (x, ssn, task, e, group, group_rows, m);
}

static void
on_picked (gpointer user, VcSession *ssn, guint32 task, guint32 node)
{
  SimExplain *x = user;
  const VcCluster *c = vc_session_cluster (ssn);

  if (!task_is_target (x, c, task) || x->entries->len == 0 || node == VC_NONE)
    return;
  SimExplainEntry *e = x->entries->pdata[x->entries->len - 1];
  if (e->kind != SIM_EXPLAIN_PICK)
    return;
  e->chosen = keep (x, c->nodes.info[node].name);
  for (guint i = 0; i < e->rows->len; i++)
    ((SimExplainRow *) e->rows->pdata[i])->chosen = strcmp (((SimExplainRow *) e->rows->pdata[i])->node, e->chosen) == 0;
}

/* Devices are worth a line, and so is a placement that some handler refused. */
static void
on_placed (gpointer user, VcSession *ssn, guint32 task, gboolean good)
{
  SimExplain *x = user;
  const VcCluster *c = vc_session_cluster (ssn);
  g_autofree char *claims = NULL, *shared = NULL, *devices = NULL;

  if (!task_is_target (x, c, task))
    return;
  claims = vc_pod_claims_describe (c->claims, c->task[task].ns, c->task[task].claims);
  shared = vc_devices_describe (vc_session_devices (ssn), task);
  devices = claims != NULL && shared != NULL ? g_strconcat (claims, "; ", shared, NULL) : g_strdup (claims != NULL ? claims : shared);
  if (good && devices == NULL)
    return;
  SimExplainEntry *e = add_entry (x, SIM_EXPLAIN_PLACED, VC_N_HOOKS, "", c->task[task].key);
  e->chosen = keep (x, c->nodes.info[c->task[task].node].name);
  e->devices = good ? keep (x, devices) : NULL;
}

static void
entry_clear (SimExplainEntry *e)
{
  g_clear_pointer (&e->accepted, g_ptr_array_unref);
  g_clear_pointer (&e->vetoed, g_ptr_array_unref);
  g_clear_pointer (&e->plugins, g_ptr_array_unref);
  for (guint r = 0; e->rows != NULL && r < e->rows->len; r++) {
    SimExplainRow *row = e->rows->pdata[r];

    g_ptr_array_unref (row->reasons);
    g_ptr_array_unref (row->notes);
    g_clear_pointer (&row->part, g_array_unref);
  }
  g_clear_pointer (&e->parts, g_array_unref);
  g_clear_pointer (&e->rows, g_ptr_array_unref);
}

static gboolean
is_within (const VcHyperView *v, const char *name, guint32 hyper)
{
  for (guint i = 0; hyper != VC_NONE && i < v->n_by_name; i++)
    if (strcmp (v->hyper[v->by_name[i]].name, name) == 0)
      for (guint32 x = v->by_name[i], depth = 0; x != VC_HYPER_NONE && depth < v->n; x = v->hyper[x].parent, depth++)
        if (x == hyper)
          return TRUE;
  return FALSE;
}

/* Where the trials of a gradient begin: behind the last gradient of a job, or of whoever it was when a sub-job (@sub) is tried. */
static guint
first_trial (const SimExplain *x, gboolean sub)
{
  for (guint i = x->entries->len; i > 0; i--) {
    const SimExplainEntry *e = x->entries->pdata[i - 1];

    if (e->kind == SIM_EXPLAIN_HYPERS && (sub || strcmp (e->plugin, "job") == 0))
      return i;
  }
  return 0;
}

/* Trials are many: of HyperNodes that would do and were not taken the scores of the HyperNodes say enough. What stays are picks in the one that was
 * chosen (or in those below), and picks that found no node; votes on whether a trial is enough go when one was. */
static void
forget_trials (SimExplain *x, const VcHyperView *v, guint from, guint32 chosen)
{
  guint kept = from;

  for (guint i = from; i < x->entries->len; i++) {
    SimExplainEntry *e = x->entries->pdata[i];

    const gboolean pick = e->kind == SIM_EXPLAIN_PICK && e->within != NULL && e->chosen != NULL && !is_within (v, e->within, chosen);
    const gboolean vote = e->kind == SIM_EXPLAIN_VOTE && chosen != VC_NONE && strcmp (e->what, hook_words (VC_HOOK_JOB_PIPELINED)) == 0;

    if (pick || vote)
      entry_clear (e);
    else
      x->entries->pdata[kept++] = e;
  }
  g_ptr_array_set_size (x->entries, (gint) kept);
}

/* A gradient of HyperNodes: the rows are those, room says whether the job or sub-job fits. */
static void
on_hypers (gpointer user, VcSession *ssn, guint32 job, guint32 sub, guint gradient, const VcHyperTrial *trial, guint n, guint32 chosen)
{
  SimExplain *x = user;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcHyperView *v = vc_session_hypers (ssn);

  if (!job_concerns (x, c, job))
    return;
  forget_trials (x, v, first_trial (x, sub != VC_NONE), chosen);
  SimExplainEntry *e = add_entry (x, SIM_EXPLAIN_HYPERS, VC_N_HOOKS, sub != VC_NONE ? "sub-job" : "job", sub != VC_NONE ? vc_job_sub (&c->job[job], sub)->uid : c->job[job].key);
  e->vote = (int) gradient + 1;
  e->chosen = chosen != VC_NONE ? keep (x, v->hyper[chosen].name) : NULL;
  e->rows = g_ptr_array_new ();
  for (guint i = 0; i < n; i++) {
    SimExplainRow *row = g_new0 (SimExplainRow, 1);
    g_autofree char *tier = g_strdup_printf ("tier %" G_GINT64_FORMAT ", %s", v->hyper[trial[i].hyper].tier, trial[i].fits ? "fits" : "does not fit");

    g_ptr_array_add (x->garbage, row);
    g_ptr_array_add (e->rows, row);
    row->node = keep (x, v->hyper[trial[i].hyper].name);
    row->room = keep (x, tier);
    row->reasons = g_ptr_array_new ();
    row->notes = g_ptr_array_new ();
    row->scored = trial[i].fits && ABS (trial[i].score) <= G_MAXDOUBLE; /* a score may be infinite */
    row->total = trial[i].score;
    row->chosen = trial[i].hyper == chosen;
  }
}

SimExplain *
sim_explain_new (const char *target)
{
  SimExplain *x = g_new0 (SimExplain, 1);

  x->target = g_strdup (target);
  x->entries = g_ptr_array_new ();
  x->garbage = g_ptr_array_new_with_free_func (g_free);
  x->observer = (VcObserver) { .user = x, .vote = on_vote, .refused = on_refused, .victims = on_victims, .pick = on_pick, .picked = on_picked, .placed = on_placed,
                               .hypers = on_hypers, .denied = on_denied, .turn = on_turn };
  x->turns = g_array_new (FALSE, FALSE, sizeof (SimExplainTurn));
  return x;
}

void
sim_explain_free (SimExplain *x)
{
  if (x == NULL)
    return;
  for (guint i = 0; i < x->entries->len; i++)
    entry_clear (x->entries->pdata[i]);
  g_ptr_array_unref (x->entries);
  g_ptr_array_unref (x->garbage);
  g_array_unref (x->turns);
  g_free (x->target);
  g_free (x);
}

const VcObserver *
sim_explain_observer (const SimExplain *x)
{
  return &x->observer;
}

const char *
sim_explain_target (const SimExplain *x)
{
  return x->target;
}

gboolean
sim_explain_exists (const SimExplain *x, const VcCluster *c)
{
  if (g_hash_table_contains (c->job_rows, x->target))
    return TRUE;
  for (guint32 t = 0; t < c->n_tasks; t++)
    if (c->task[t].live && strcmp (c->task[t].key, x->target) == 0)
      return TRUE;
  return FALSE;
}

/* ---- printing ------------------------------------------------------------------------------------ */

static const char *
vote_word (int vote)
{
  return vote > 0 ? "permit" : vote < 0 ? "reject" : "abstain";
}

static void
append_number (GString *out, int width, double v)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (out, "  %*s", width, g_ascii_formatd (buf, sizeof buf, v == (double) (gint64) v ? "%.0f" : "%.4f", v));
}

/* Scores of 0..100 and their weights, of the plugins that add up several. */
static void
print_parts (GString *out, const SimExplainEntry *e)
{
  if (e->parts == NULL || e->parts->len == 0)
    return;
  g_autoptr (GPtrArray) heads = g_ptr_array_new_with_free_func (g_free);

  g_string_append_printf (out, "    %-24s", "score, with its weight");
  for (guint p = 0; p < e->parts->len; p++) {
    const SimExplainPart *part = &g_array_index (e->parts, SimExplainPart, p);
    char *head = g_strdup_printf ("%s*%" G_GINT64_FORMAT, part->name, part->weight);

    g_ptr_array_add (heads, head);
    g_string_append_printf (out, "  %s", head);
  }
  g_string_append_c (out, '\n');
  for (guint i = 0; i < e->rows->len; i++) {
    const SimExplainRow *r = e->rows->pdata[i];

    if (!r->scored)
      continue;
    g_string_append_printf (out, "  %s %-24s", r->chosen ? "*" : " ", r->node);
    for (guint p = 0; p < e->parts->len; p++)
      append_number (out, (int) strlen (heads->pdata[p]), g_array_index (r->part, double, p) / (double) g_array_index (e->parts, SimExplainPart, p).weight);
    g_string_append_c (out, '\n');
  }
}

static void
print_pick (GString *out, const SimExplainEntry *e)
{
  g_string_append_printf (out, "nodes%s%s for %s: %s%s\n", e->within != NULL ? " of " : "", e->within != NULL ? e->within : "", e->subject, e->chosen != NULL ? "chosen " : "none chosen", e->chosen != NULL ? e->chosen : "");
  g_string_append_printf (out, "    %-24s %-14s", "node", "room");
  for (guint p = 0; e->plugins != NULL && p < e->plugins->len; p++)
    g_string_append_printf (out, "  %*s", (int) MAX (strlen (e->plugins->pdata[p]), 9), (const char *) e->plugins->pdata[p]);
  g_string_append (out, e->plugins != NULL ? "      total\n" : "\n");
  for (guint i = 0; i < e->rows->len; i++) {
    const SimExplainRow *r = e->rows->pdata[i];
    g_string_append_printf (out, "  %s %-24s %-14s", r->chosen ? "*" : " ", r->node, r->room);
    for (guint p = 0; r->scored && p < e->plugins->len; p++)
      append_number (out, (int) MAX (strlen (e->plugins->pdata[p]), 9), r->score[p]);
    if (r->scored)
      append_number (out, 9, r->total);
    for (guint k = 0; k < r->reasons->len; k++)
      g_string_append_printf (out, "%s%s", k > 0 ? "; " : "  ", (const char *) r->reasons->pdata[k]);
    g_string_append_c (out, '\n');
    for (guint k = 0; k < r->notes->len; k++)
      g_string_append_printf (out, "        %s\n", (const char *) r->notes->pdata[k]);
  }
  print_parts (out, e);
}

static void
print_hypers (GString *out, const SimExplainEntry *e)
{
  g_string_append_printf (out, "HyperNodes for %s %s, gradient %d: %s%s\n", e->plugin, e->subject, e->vote, e->chosen != NULL ? "chosen " : "none fits",
                          e->chosen != NULL ? e->chosen : "");
  for (guint i = 0; i < e->rows->len; i++) {
    const SimExplainRow *r = e->rows->pdata[i];

    g_string_append_printf (out, "  %s %-24s %-20s", r->chosen ? "*" : " ", r->node, r->room);
    if (r->scored)
      append_number (out, 9, r->total);
    g_string_append_c (out, '\n');
  }
}

static void
print_list (GString *out, const char *title, const GPtrArray *keys)
{
  g_string_append_printf (out, "    %s:", title);
  for (guint i = 0; i < keys->len; i++)
    g_string_append_printf (out, " %s", (const char *) keys->pdata[i]);
  g_string_append (out, keys->len > 0 ? "\n" : " none\n");
}

char *
sim_explain_text (const SimExplain *x)
{
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "EXPLAIN %s\n", x->target);
  if (x->entries->len == 0)
    g_string_append (out, "the engine asked no plugin about it in this cycle\n");
  for (guint i = 0; i < x->entries->len; i++) {
    const SimExplainEntry *e = x->entries->pdata[i];
    switch (e->kind) {
    case SIM_EXPLAIN_VOTE:
      g_string_append_printf (out, "%s on %s: %s says %s\n", e->what, e->subject, e->plugin, vote_word (e->vote));
      break;
    case SIM_EXPLAIN_REFUSED:
      g_string_append_printf (out, "%s for %s: %s says so\n", e->what, e->subject, e->plugin);
      break;
    case SIM_EXPLAIN_VICTIMS:
      g_string_append_printf (out, "%s for %s by %s\n", e->what, e->subject, e->plugin);
      print_list (out, "accepted", e->accepted);
      print_list (out, "vetoed", e->vetoed);
      break;
    case SIM_EXPLAIN_PLACED:
      g_string_append_printf (out, "%s on %s: %s\n", e->subject, e->chosen, e->devices != NULL ? e->devices : "a handler refused, the placement is taken back");
      break;
    case SIM_EXPLAIN_HYPERS:
      print_hypers (out, e);
      break;
    case SIM_EXPLAIN_PICK:
    default:
      print_pick (out, e);
      break;
    }
  }
  return g_string_free (out, FALSE);
}

static void
json_list (RpJson *j, const char *key, const GPtrArray *texts)
{
  rp_json_begin_array (j, key);
  for (guint i = 0; i < texts->len; i++)
    rp_json_text (j, NULL, texts->pdata[i]);
  rp_json_end_array (j);
}

static void
json_parts (RpJson *j, const SimExplainEntry *e, const SimExplainRow *r, const char *column)
{
  gboolean any = FALSE;

  for (guint i = 0; i < e->parts->len; i++) {
    const SimExplainPart *part = &g_array_index (e->parts, SimExplainPart, i);

    if (part->plugin != column) /* the column's own text: a plugin may have two */
      continue;
    if (!any)
      rp_json_begin_array (j, "terms");
    any = TRUE;
    rp_json_begin_object (j, NULL);
    rp_json_text (j, "name", part->name);
    rp_json_double (j, "weight", (double) part->weight);
    rp_json_double (j, "score", g_array_index (r->part, double, i) / (double) part->weight);
    rp_json_end_object (j);
  }
  if (any)
    rp_json_end_array (j);
}

static void
json_pick (RpJson *j, const SimExplainEntry *e)
{
  if (e->within != NULL)
    rp_json_text (j, "within", e->within);
  if (e->chosen != NULL)
    rp_json_text (j, "chosen", e->chosen);
  rp_json_begin_array (j, "nodes");
  for (guint i = 0; i < e->rows->len; i++) {
    const SimExplainRow *r = e->rows->pdata[i];
    rp_json_begin_object (j, NULL);
    rp_json_text (j, "node", r->node);
    rp_json_text (j, "room", r->room);
    if (r->reasons->len > 0)
      json_list (j, "reasons", r->reasons);
    if (r->notes->len > 0)
      json_list (j, "notes", r->notes);
    if (r->scored) {
      rp_json_begin_array (j, "scores");
      for (guint p = 0; p < e->plugins->len; p++) {
        rp_json_begin_object (j, NULL);
        rp_json_text (j, "plugin", e->plugins->pdata[p]);
        rp_json_double (j, "score", r->score[p]);
        json_parts (j, e, r, e->plugins->pdata[p]);
        rp_json_end_object (j);
      }
      rp_json_end_array (j);
      rp_json_double (j, "total", r->total);
    }
    rp_json_end_object (j);
  }
  rp_json_end_array (j);
}

static void
json_hypers (RpJson *j, const SimExplainEntry *e)
{
  rp_json_text (j, "of", e->plugin);
  rp_json_double (j, "gradient", (double) e->vote);
  if (e->chosen != NULL)
    rp_json_text (j, "chosen", e->chosen);
  rp_json_begin_array (j, "hypernodes");
  for (guint i = 0; i < e->rows->len; i++) {
    const SimExplainRow *r = e->rows->pdata[i];

    rp_json_begin_object (j, NULL);
    rp_json_text (j, "hypernode", r->node);
    rp_json_text (j, "room", r->room);
    if (r->scored)
      rp_json_double (j, "score", r->total);
    rp_json_end_object (j);
  }
  rp_json_end_array (j);
}

char *
sim_explain_json (const SimExplain *x)
{
  static const char *const kinds[] = { "vote", "refused", "victims", "pick", "placed", "hypernodes" };
  RpJson j;
  gsize length;

  rp_json_init (&j);
  rp_json_text (&j, "target", x->target);
  rp_json_begin_array (&j, "steps");
  for (guint i = 0; i < x->entries->len; i++) {
    const SimExplainEntry *e = x->entries->pdata[i];
    rp_json_begin_object (&j, NULL);
    rp_json_text (&j, "kind", kinds[e->kind]);
    if (e->kind != SIM_EXPLAIN_PICK && e->kind != SIM_EXPLAIN_PLACED && e->kind != SIM_EXPLAIN_HYPERS) {
      rp_json_text (&j, "about", e->what);
      rp_json_text (&j, "plugin", e->plugin);
    }
    rp_json_text (&j, "subject", e->subject);
    if (e->kind == SIM_EXPLAIN_VOTE)
      rp_json_text (&j, "vote", vote_word (e->vote));
    if (e->kind == SIM_EXPLAIN_VICTIMS) {
      json_list (&j, "accepted", e->accepted);
      json_list (&j, "vetoed", e->vetoed);
    }
    if (e->kind == SIM_EXPLAIN_PICK)
      json_pick (&j, e);
    if (e->kind == SIM_EXPLAIN_HYPERS)
      json_hypers (&j, e);
    if (e->kind == SIM_EXPLAIN_PLACED) {
      rp_json_text (&j, "node", e->chosen);
      rp_json_text (&j, e->devices != NULL ? "devices" : "refused", e->devices != NULL ? e->devices : "taken back");
    }
    rp_json_end_object (&j);
  }
  rp_json_end_array (&j);
  return rp_json_finish (&j, &length);
}
