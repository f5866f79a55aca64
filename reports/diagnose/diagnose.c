#include "diagnose.h"
#include "diagnose-private.h"
#include "reports/words.h"
#include <math.h>
#include <string.h>

#define WORTH_A_LOOK 60000000 /* µs of waiting, from which on somebody would ask */
#define LOOKED_AT 1000u       /* waiting jobs for which the nodes are looked at, the longest waits first */

/* ---- the case ----------------------------------------------------------------------------------- */

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (((const RpCaseQueue *) a)->name, ((const RpCaseQueue *) b)->name);
}

static void
collect_queues (RpCase *c)
{
  const RpRunData *d = c->d;
  g_autoptr (GHashTable) met = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < d->quotas->len + d->jobs->len; i++) {
    RpCaseQueue q = { .name = i < d->quotas->len ? g_array_index (d->quotas, RpQuota, i).queue : g_array_index (d->jobs, RpJob, i - d->quotas->len).queue };

    if (!g_hash_table_add (met, (gpointer) q.name))
      continue;
    q.rows = g_array_new (FALSE, FALSE, sizeof (guint));
    q.quotas = g_array_new (FALSE, FALSE, sizeof (guint));
    q.children = g_array_new (FALSE, FALSE, sizeof (guint));
    g_array_append_val (c->queue, q);
  }
  g_array_sort (c->queue, by_name);
  for (guint i = 0; i < c->queue->len; i++)
    g_hash_table_insert (c->queue_row, (gpointer) g_array_index (c->queue, RpCaseQueue, i).name, GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < d->queues->len; i++) {
    guint q = rp_case_queue (c, g_array_index (d->queues, RpQueue, i).queue);

    if (q != RP_NOBODY)
      g_array_append_val (g_array_index (c->queue, RpCaseQueue, q).rows, i);
  }
  for (guint i = 0; i < d->quotas->len; i++)
    g_array_append_val (g_array_index (c->queue, RpCaseQueue, rp_case_queue (c, g_array_index (d->quotas, RpQuota, i).queue)).quotas, i);
  for (guint i = 0; i < c->queue->len; i++) {
    const RpQuota *quota = rp_case_quota_at (c, i, d->end);
    guint parent = quota != NULL && *quota->parent != '\0' ? rp_case_queue (c, quota->parent) : RP_NOBODY;

    if (parent != RP_NOBODY && parent != i)
      g_array_append_val (g_array_index (c->queue, RpCaseQueue, parent).children, i);
  }
}

static int
by_submit (gconstpointer a, gconstpointer b, gpointer user)
{
  guint l = *(const guint *) a, r = *(const guint *) b;
  gint64 x = rp_case_row (user, l)->submit, y = rp_case_row (user, r)->submit;

  return x < y ? -1 : x > y ? 1 : l < r ? -1 : l > r;
}

static void
collect_jobs (RpCase *c)
{
  const RpRunData *d = c->d;

  c->by_submit = g_new (guint, d->jobs->len + 1);
  c->explained = g_new0 (guint8, d->jobs->len + 1);
  for (guint i = 0; i < d->jobs->len; i++) {
    const RpJob *j = rp_case_row (c, i);
    RpCaseJob cj = { i, rp_case_queue (c, j->queue), NULL };

    g_array_append_val (c->job, cj);
    g_hash_table_replace (c->job_row, g_strconcat (j->ns, "\n", j->job, NULL), GUINT_TO_POINTER (i + 1));
    c->by_submit[i] = i;
  }
  g_qsort_with_data (c->by_submit, (gint) d->jobs->len, sizeof (guint), by_submit, c);
  for (guint i = 0; i < d->waits->len; i++) {
    const RpWait *w = &g_array_index (d->waits, RpWait, i);
    guint job = rp_case_job (c, w->ns, w->job);

    if (job == RP_NOBODY)
      continue;
    RpCaseJob *cj = &g_array_index (c->job, RpCaseJob, job);

    if (cj->waits == NULL)
      cj->waits = g_array_new (FALSE, FALSE, sizeof (guint));
    g_array_append_val (cj->waits, i);
  }
}

static void
case_clear (RpCase *c)
{
  for (guint i = 0; i < c->queue->len; i++) {
    g_array_unref (g_array_index (c->queue, RpCaseQueue, i).rows);
    g_array_unref (g_array_index (c->queue, RpCaseQueue, i).quotas);
    g_array_unref (g_array_index (c->queue, RpCaseQueue, i).children);
  }
  for (guint i = 0; i < c->job->len; i++)
    if (g_array_index (c->job, RpCaseJob, i).waits != NULL)
      g_array_unref (g_array_index (c->job, RpCaseJob, i).waits);
  g_array_unref (c->waiter);
  g_array_unref (c->queue);
  g_array_unref (c->job);
  g_hash_table_unref (c->job_row);
  g_hash_table_unref (c->queue_row);
  g_free (c->by_submit);
  g_free (c->explained);
}

/* ---- look-ups ----------------------------------------------------------------------------------- */

guint
rp_case_job (const RpCase *c, const char *ns, const char *job)
{
  g_autofree char *key = g_strconcat (ns, "\n", job, NULL);
  guint row = GPOINTER_TO_UINT (g_hash_table_lookup (c->job_row, key));

  return row > 0 ? row - 1 : RP_NOBODY;
}

guint
rp_case_queue (const RpCase *c, const char *name)
{
  guint row = GPOINTER_TO_UINT (g_hash_table_lookup (c->queue_row, name));

  return row > 0 ? row - 1 : RP_NOBODY;
}

const RpQueue *
rp_case_queue_at (const RpCase *c, guint queue, gint64 time, gboolean before)
{
  const GArray *rows = g_array_index (c->queue, RpCaseQueue, queue).rows;
  guint low = 0, high = rows->len;

  while (low < high) { /* the first row that is too late */
    guint middle = (low + high) / 2;
    gint64 at = g_array_index (c->d->queues, RpQueue, g_array_index (rows, guint, middle)).time;

    if (before ? at < time : at <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? &g_array_index (c->d->queues, RpQueue, g_array_index (rows, guint, low - 1)) : NULL;
}

const RpQuota *
rp_case_quota_at (const RpCase *c, guint queue, gint64 time)
{
  const GArray *rows = g_array_index (c->queue, RpCaseQueue, queue).quotas;
  const RpQuota *found = NULL;

  for (guint i = 0; i < rows->len; i++) {
    const RpQuota *q = &g_array_index (c->d->quotas, RpQuota, g_array_index (rows, guint, i));

    if (found == NULL || q->time <= time)
      found = q;
  }
  return found;
}

double
rp_case_deserved (const RpCase *c, guint queue, gint64 time, guint dim)
{
  const RpQuota *quota = rp_case_quota_at (c, queue, time);
  const RpQueue *row = rp_case_queue_at (c, queue, time, FALSE);

  if (rp_case_plugin (c, "capacity", NULL) != NULL) /* as the queue says: what is published is cut to the request */
    return quota != NULL && quota->deserved != NULL ? quota->deserved[dim] : 0;
  return row != NULL && row->deserved != NULL ? row->deserved[dim] : 0;
}

double
rp_case_held (const RpCase *c, guint queue, gint64 time, guint dim)
{
  const RpCaseQueue *q = &g_array_index (c->queue, RpCaseQueue, queue);
  const RpQueue *row = rp_case_queue_at (c, queue, time, TRUE);
  double sum = row != NULL && row->allocated != NULL ? row->allocated[dim] : 0;

  for (guint i = 0; i < q->children->len; i++)
    sum += rp_case_held (c, g_array_index (q->children, guint, i), time, dim);
  return sum;
}

gboolean
rp_case_share_nodes (const RpCase *c, guint a, guint b)
{
  guint32 l = rp_case_row (c, a)->pool, r = rp_case_row (c, b)->pool;

  return l == RP_NO_POOL || r == RP_NO_POOL || ((c->meets[l] >> r) & 1) != 0;
}

const RpCycle *
rp_case_cycle_at (const RpCase *c, gint64 time)
{
  const GArray *rows = c->d->cycles;
  guint low = 0, high = rows->len;

  while (low < high) {
    guint middle = (low + high) / 2;

    if (g_array_index (rows, RpCycle, middle).time <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? &g_array_index (rows, RpCycle, low - 1) : NULL;
}

const VcPluginOption *
rp_case_plugin (const RpCase *c, const char *name, guint *tier)
{
  for (guint t = 0; t < c->conf->n_tiers; t++)
    for (guint i = 0; i < c->conf->tier[t].n; i++)
      if (strcmp (c->conf->tier[t].plugin[i].name, name) == 0) {
        if (tier != NULL)
          *tier = t;
        return &c->conf->tier[t].plugin[i];
      }
  return NULL;
}

int
rp_case_action (const RpCase *c, const char *name)
{
  for (int i = 0; c->conf->actions[i] != NULL; i++)
    if (strcmp (c->conf->actions[i], name) == 0)
      return i;
  return -1;
}

const char *
rp_case_reclaims (const RpCase *c)
{
  return rp_case_action (c, "reclaim") >= 0 ? "reclaim" : rp_case_action (c, "gangreclaim") >= 0 ? "gangreclaim" : NULL;
}

const char *
rp_case_preempts (const RpCase *c)
{
  return rp_case_action (c, "preempt") >= 0 ? "preempt" : rp_case_action (c, "gangpreempt") >= 0 ? "gangpreempt" : NULL;
}

const char *
rp_case_queue_plugin (const RpCase *c)
{
  return rp_case_plugin (c, "capacity", NULL) != NULL ? "capacity" : rp_case_plugin (c, "proportion", NULL) != NULL ? "proportion" : NULL;
}

/* ---- waiting ------------------------------------------------------------------------------------ */

gboolean
rp_case_forever (const RpCase *c, guint job)
{
  const RpJob *j = rp_case_row (c, job);

  return j->gang_start == RP_NONE && *j->cause != '\0' && (c->d->until == RP_NONE || c->d->end < c->d->until);
}

gint64
rp_case_wait_end (const RpCase *c, guint job)
{
  const RpJob *j = rp_case_row (c, job);

  return j->gang_start != RP_NONE ? j->gang_start : j->finish != RP_NONE ? j->finish : c->d->end;
}

typedef struct { const char *cause, *by, *reason; gint64 sum, longest, from, to; } Sum;

/* What the job waited for most, up to @until. FALSE: for nothing but the next cycle. */
static gboolean
main_cause (const RpCase *c, guint job, RpWaiter *w)
{
  const RpJob *j = rp_case_row (c, job);
  const GArray *waits = g_array_index (c->job, RpCaseJob, job).waits;
  g_autoptr (GArray) sums = g_array_new (FALSE, FALSE, sizeof (Sum));
  const Sum *best = NULL;

  for (guint i = 0; waits != NULL && i < waits->len; i++) {
    const RpWait *v = &g_array_index (c->d->waits, RpWait, g_array_index (waits, guint, i));
    guint k = 0;

    if (v->again || strcmp (v->cause, "cycle") == 0 || strcmp (v->cause, "start") == 0)
      continue;
    while (k < sums->len && (strcmp (g_array_index (sums, Sum, k).cause, v->cause) != 0 || strcmp (g_array_index (sums, Sum, k).by, v->by) != 0))
      k++;
    if (k == sums->len) {
      Sum fresh = { .cause = v->cause, .by = v->by };

      g_array_append_val (sums, fresh);
    }
    Sum *s = &g_array_index (sums, Sum, k);

    s->sum += v->to - v->from;
    if (v->to - v->from > s->longest) {
      s->longest = v->to - v->from;
      s->from = v->from;
      s->to = v->to;
      s->reason = v->reason;
    }
  }
  for (guint k = 0; k < sums->len; k++)
    if (best == NULL || g_array_index (sums, Sum, k).sum > best->sum)
      best = &g_array_index (sums, Sum, k);
  if (w->forever) { /* what is there in the end stays */
    w->cause = j->cause;
    w->by = j->by;
    w->reason = j->reason;
    w->from = w->to = c->d->end;
    return TRUE;
  }
  if (best == NULL)
    return FALSE;
  w->cause = best->cause;
  w->by = best->by;
  w->reason = best->reason;
  w->from = best->from;
  w->to = best->to;
  return TRUE;
}

static int
longest_first (gconstpointer a, gconstpointer b)
{
  const RpWaiter *l = a, *r = b;

  if (l->forever != r->forever)
    return l->forever ? -1 : 1;
  return l->wait > r->wait ? -1 : l->wait < r->wait ? 1 : l->job < r->job ? -1 : l->job > r->job;
}

static void
collect_waiters (RpCase *c)
{
  g_autoptr (RpRoom) room = rp_room_new (c->d);

  for (guint i = 0; i < c->d->jobs->len; i++) {
    const RpJob *j = rp_case_row (c, i);
    RpWaiter w = { .job = i, .queue = g_array_index (c->job, RpCaseJob, i).queue, .wait = rp_case_wait_end (c, i) - j->submit, .forever = rp_case_forever (c, i) };

    if ((w.forever || w.wait >= WORTH_A_LOOK) && w.queue != RP_NOBODY && strcmp (j->phase, "Rejected") != 0 && main_cause (c, i, &w))
      g_array_append_val (c->waiter, w);
  }
  g_array_sort (c->waiter, longest_first);
  for (guint i = 0; i < MIN (c->waiter->len, LOOKED_AT); i++) {
    const RpWaiter *w = &g_array_index (c->waiter, RpWaiter, i);

    rp_room_ask (room, w->job, w->from, w->to);
  }
  rp_room_answer (room);
  for (guint i = 0; i < MIN (c->waiter->len, LOOKED_AT); i++)
    g_array_index (c->waiter, RpWaiter, i).room = rp_room_get (room, i);
}

/* ---- writing ------------------------------------------------------------------------------------ */

static void
diagnosis_free (gpointer p)
{
  RpDiagnosis *x = p;

  g_free (x->what);
  g_free (x->advice);
  g_array_unref (x->figure);
  g_free (x);
}

RpDiagnosis *
rp_case_add (RpCase *c, const char *code, const char *entry, gint64 at, guint job)
{
  RpDiagnosis *x = g_new0 (RpDiagnosis, 1);

  x->code = code;
  x->entry = entry;
  x->at = at;
  x->figure = g_array_new (FALSE, FALSE, sizeof (RpFigure));
  if (job != RP_NOBODY) {
    x->ns = rp_case_row (c, job)->ns;
    x->job = rp_case_row (c, job)->job;
  }
  g_ptr_array_add (c->out, x);
  return x;
}

void
rp_figure (RpDiagnosis *x, const char *name, double value)
{
  RpFigure f = { name, value };

  g_array_append_val (x->figure, f);
}

char *
rp_amount (const RpCase *c, guint dim, double v)
{
  const char *name = c->d->resource[dim];

  if (strcmp (name, "memory") == 0)
    return g_strdup_printf ("%.4gGi memory", v / 1073741824.0);
  return g_strdup_printf ("%.6g %s", v, name);
}

char *
rp_job_name (const RpCase *c, guint job)
{
  const RpJob *j = rp_case_row (c, job);

  return strcmp (j->ns, "default") == 0 ? g_strdup (j->job) : g_strconcat (j->ns, "/", j->job, NULL);
}

char *
rp_wait_words (gint64 wait, gboolean forever)
{
  return forever ? g_strdup ("for ever") : rp_span ((double) wait / 1e6);
}

/* ---- all of it ---------------------------------------------------------------------------------- */

GPtrArray *
rp_diagnose (const RpRunData *d, const VcConf *conf)
{
  RpCase c = { .d = d,
               .conf = conf,
               .waiter = g_array_new (FALSE, FALSE, sizeof (RpWaiter)),
               .job = g_array_new (FALSE, FALSE, sizeof (RpCaseJob)),
               .queue = g_array_new (FALSE, FALSE, sizeof (RpCaseQueue)),
               .job_row = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
               .queue_row = g_hash_table_new (g_str_hash, g_str_equal),
               .out = g_ptr_array_new_with_free_func (diagnosis_free) };
  for (guint i = 0; i < d->nodes->len; i++)
    for (guint k = 0; k < RP_MAX_POOLS; k++)
      if ((g_array_index (d->nodes, RpNode, i).pools >> k) & 1)
        c.meets[k] |= g_array_index (d->nodes, RpNode, i).pools;
  collect_queues (&c);
  collect_jobs (&c);
  collect_waiters (&c);
  rp_diagnose_evictions (&c);
  rp_diagnose_admission (&c);
  rp_diagnose_waits (&c);
  case_clear (&c);
  return c.out;
}

/* ---- printing ----------------------------------------------------------------------------------- */

char *
rp_diagnosis_command (const RpRunData *d, const RpDiagnosis *x)
{
  g_autofree char *at = g_strdup_printf ("%.6f", (double) x->at / 1e6);
  char *end = at + strlen (at);

  while (end[-1] == '0') /* seconds without idle zeros */
    *--end = '\0';
  if (end[-1] == '.')
    end[-1] = '\0';
  if (x->job == NULL)
    return g_strdup (*d->command != '\0' ? d->command : "volsim run …");
  g_autofree char *name = g_strconcat (x->ns, "/", x->job, NULL), *quoted = g_shell_quote (name);

  return g_strdup_printf ("%s --explain %s --at %s", *d->command != '\0' ? d->command : "volsim run …",
                          strpbrk (name, " '\"`$\\<>|&;()*?\n\t#~") != NULL ? quoted : name, at);
}

char *
rp_diagnoses_text (const RpRunData *d, const GPtrArray *diagnoses)
{
  GString *out = g_string_new (NULL);

  if (diagnoses->len == 0)
    return g_string_free (out, FALSE);
  g_string_append_printf (out, "\nDiagnoses (%u)\n", diagnoses->len);
  for (guint i = 0; i < diagnoses->len; i++) {
    const RpDiagnosis *x = diagnoses->pdata[i];
    g_autofree char *head = g_strdup_printf ("%s: %s", x->code, x->what), *command = rp_diagnosis_command (d, x);

    rp_append_wrapped (out, "  ", head);
    rp_append_wrapped (out, "    advice: ", x->advice);
    rp_append_wrapped (out, "    shown by: ", x->entry);
    g_string_append_printf (out, "    look: %s\n", command);
  }
  return g_string_free (out, FALSE);
}

void
rp_diagnoses_json (RpJson *j, const RpRunData *d, const GPtrArray *diagnoses)
{
  rp_json_begin_array (j, "diagnoses");
  for (guint i = 0; i < diagnoses->len; i++) {
    const RpDiagnosis *x = diagnoses->pdata[i];
    g_autofree char *command = rp_diagnosis_command (d, x);

    rp_json_begin_object (j, NULL);
    rp_json_text (j, "code", x->code);
    rp_json_text (j, "what", x->what);
    rp_json_text (j, "advice", x->advice);
    rp_json_text (j, "gallery", x->entry);
    rp_json_time (j, "at_s", x->at);
    rp_json_text (j, "namespace", x->ns != NULL ? x->ns : "");
    rp_json_text (j, "job", x->job != NULL ? x->job : "");
    rp_json_text (j, "look", command);
    rp_json_begin_object (j, "figures");
    for (guint k = 0; k < x->figure->len; k++) {
      const RpFigure *f = &g_array_index (x->figure, RpFigure, k);

      rp_json_double (j, f->name, f->value);
    }
    rp_json_end_object (j);
    rp_json_end_object (j);
  }
  rp_json_end_array (j);
}
