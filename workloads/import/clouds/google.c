/* workloads/import/clouds/google.c - see google.h. */
#include "google.h"
#include "workloads/import/pods.h"
#include "workloads/import/records.h"
#include "workloads/text/parse.h"
#include <string.h>

#define MOST_UNITS 1000 /* no request or machine is larger */
#define AT_ONCE (60 * G_USEC_PER_SEC) /* tasks of a job that end within this were killed at one time */

static const char *const ends[WL_GOOGLE_EVENTS] = { [WL_GOOGLE_EVICT] = "EVICT", [WL_GOOGLE_FAIL] = "FAIL", [WL_GOOGLE_FINISH] = "FINISH", [WL_GOOGLE_KILL] = "KILL", [WL_GOOGLE_LOST] = "LOST" };

typedef struct { gint64 job, index; } TaskKey;
typedef struct {
  WlTime submit, start, end, asked; /* WL_TIME_NONE: no such event; asked: of the request that counts */
  gint64 machine;
  const char *selector;
  guint32 request; /* 1 + number, 0: none yet */
  guint32 job, rows, more_rows, evictions, starts; /* more_rows: of constraints */
  WlGoogleEvent end_event;
  guint weak : 1, apart : 1, life : 1; /* weak: the request is not from a submission or update */
} Task;
typedef struct { gint64 id; } JobKey;
typedef struct {
  WlTime submit, over; /* WL_TIME_NONE: no such event */
  const char *user, *queue, *apart;
  gint64 priority, class; /* -1: not said */
  guint32 rows;
  WlGoogleEvent end_event;
} Job;
typedef struct { gint64 cpu_milli, memory; } Request;
typedef struct { guint32 job, target; } Edge; /* the job starts after the target */

/* The place of a job in a flow. */
typedef struct { const char *flow; WlTime submit; const guint32 *after; guint n_after; } Step;

struct WlGoogle {
  WlImport *imp;
  const WlGoogleRules *rules;
  gboolean by_user, by_band, by_scheduler, delete_killed;
  WlTexts *texts;
  WlRecords *task_keys, *job_keys, *requests; /* TaskKey and JobKey: numbers of task and job; Request */
  GArray *task, *job;
  WlRecords *edges; /* Edge */
  GHashTable *wanted; /* keys of labels, of texts */
  WlTime first, last; /* submission, WL_TIME_NONE: none yet; event that is in the trace */
};

WlGoogle *
wl_google_new (WlImport *imp, const WlGoogleRules *rules)
{
  WlGoogle *g = g_new0 (WlGoogle, 1);

  g->imp = imp;
  g->rules = rules;
  g->first = WL_TIME_NONE;
  g->by_user = wl_import_is (imp, "queue-by", "user");
  g->by_band = wl_import_is (imp, "queue-by", "band");
  g->by_scheduler = wl_import_is (imp, "queue-by", "scheduler");
  g->delete_killed = wl_import_is (imp, "killed", "delete");
  g->texts = wl_texts_new ();
  g->task_keys = wl_records_new (sizeof (TaskKey));
  g->job_keys = wl_records_new (sizeof (JobKey));
  g->requests = wl_records_new (sizeof (Request));
  g->task = g_array_new (FALSE, FALSE, sizeof (Task));
  g->job = g_array_new (FALSE, FALSE, sizeof (Job));
  g->edges = wl_records_new (sizeof (Edge));
  g->wanted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  wl_import_extra (imp, "x_user");
  wl_import_extra (imp, "x_class");
  return g;
}

void
wl_google_free (WlGoogle *g)
{
  if (g == NULL)
    return;
  wl_texts_free (g->texts);
  wl_records_free (g->task_keys);
  wl_records_free (g->job_keys);
  wl_records_free (g->requests);
  g_array_unref (g->task);
  g_array_unref (g->job);
  wl_records_free (g->edges);
  g_hash_table_unref (g->wanted);
  g_free (g);
}

/* ---- events ------------------------------------------------------------------------------------------ */

static Job *
job_of (WlGoogle *g, gint64 id, guint32 *number)
{
  const JobKey key = { id };
  const Job fresh = { .submit = WL_TIME_NONE, .over = WL_TIME_NONE, .priority = -1, .class = -1 };

  *number = wl_records_add (g->job_keys, &key);
  if (*number == g->job->len)
    g_array_append_val (g->job, fresh);
  return &g_array_index (g->job, Job, *number);
}

static Task *
task_of (WlGoogle *g, gint64 job, gint64 index)
{
  const TaskKey key = { job, index };
  const Task fresh = { .submit = WL_TIME_NONE, .start = WL_TIME_NONE, .end = WL_TIME_NONE, .asked = WL_TIME_NONE };
  guint32 at = wl_records_add (g->task_keys, &key);
  Task *t;

  if (at == g->task->len)
    g_array_append_val (g->task, fresh);
  t = &g_array_index (g->task, Task, at);
  (void) job_of (g, job, &t->job);
  return t;
}

static gboolean
is_end (WlGoogleEvent event)
{
  return ends[event] != NULL;
}

static void
earliest (WlTime *at, WlTime t)
{
  *at = *at == WL_TIME_NONE ? t : MIN (*at, t);
}

/* What any event says about its job. */
static void
note_job (WlGoogle *g, Job *j, const WlGoogleJob *e)
{
  if (j->user == NULL)
    j->user = wl_texts_add (g->texts, e->user);
  if (j->class < 0)
    j->class = e->class;
  if (j->priority < 0)
    j->priority = e->priority;
  else if (e->priority >= 0 && e->priority != j->priority)
    wl_import_note (g->imp, "events with another priority than the first of their job", 1);
  if (e->time != WL_GOOGLE_AFTER)
    g->last = MAX (g->last, e->time);
}

gboolean
wl_google_job (WlGoogle *g, const WlGoogleJob *e)
{
  guint32 number;
  Job *j = job_of (g, e->job, &number);

  note_job (g, j, e);
  if (e->time == WL_GOOGLE_AFTER)
    return wl_import_drop (g->imp, "after the end of the trace");
  j->rows++;
  if (e->event == WL_GOOGLE_SUBMIT)
    earliest (&j->submit, e->time);
  if (is_end (e->event) && (j->over == WL_TIME_NONE || e->time >= j->over)) {
    j->over = e->time;
    j->end_event = e->event;
  }
  return TRUE;
}

static void
note_request (WlGoogle *g, Task *t, const WlGoogleTask *e)
{
  guint weak = e->of.event != WL_GOOGLE_SUBMIT && e->of.event != WL_GOOGLE_UPDATE_PENDING;
  const Request r = { e->cpu_milli, e->memory };

  if (!e->asks || (t->request != 0 && (weak > t->weak || (weak == t->weak && e->of.time < t->asked))))
    return;
  t->request = 1 + wl_records_add (g->requests, &r);
  t->asked = e->of.time;
  t->weak = weak & 1;
}

gboolean
wl_google_task (WlGoogle *g, const WlGoogleTask *e)
{
  Task *t = task_of (g, e->of.job, e->index);
  WlTime time = e->of.time;

  note_job (g, &g_array_index (g->job, Job, t->job), &e->of);
  if (e->of.time == WL_GOOGLE_AFTER)
    return wl_import_drop (g->imp, "after the end of the trace");
  if (e->of.event == WL_GOOGLE_UPDATE_RUNNING)
    return wl_import_drop (g->imp, "update of a running task");
  t->rows++;
  t->apart = e->apart ? 1 : t->apart;
  note_request (g, t, e);
  if (e->of.event == WL_GOOGLE_SUBMIT)
    earliest (&t->submit, time);
  if (e->of.event == WL_GOOGLE_UPDATE_PENDING)
    wl_import_note (g->imp, "requests changed while the task waited", 1);
  t->evictions += e->of.event == WL_GOOGLE_EVICT;
  t->starts += e->of.event == WL_GOOGLE_SCHEDULE;
  if (e->of.event == WL_GOOGLE_SCHEDULE && (t->start == WL_TIME_NONE || time >= t->start)) {
    t->start = time;
    t->machine = e->machine;
  }
  if (is_end (e->of.event) && (t->end == WL_TIME_NONE || time > t->end || (time == t->end && e->of.event > t->end_event))) {
    t->end = time;
    t->end_event = e->of.event;
  }
  return TRUE;
}

gboolean
wl_google_life (WlGoogle *g, const WlGoogleTask *e, WlTime end, gboolean more)
{
  Task *t = task_of (g, e->of.job, e->index);

  if (t->rows > 0 && !(more && t->life))
    return wl_import_drop (g->imp, "duplicate id");
  note_job (g, &g_array_index (g->job, Job, t->job), &e->of);
  t->rows++;
  t->life = TRUE;
  note_request (g, t, e);
  earliest (&t->submit, e->of.time);
  t->start = t->submit;
  t->machine = e->machine > 0 ? e->machine : t->machine;
  t->starts = 1;
  t->end = t->rows == 1 ? end : MAX (t->end, end);
  if (is_end (e->of.event))
    t->end_event = e->of.event;
  g->last = MAX (g->last, end == WL_GOOGLE_AFTER ? g->last : end);
  return TRUE;
}

void
wl_google_queue (WlGoogle *g, gint64 job, const char *queue)
{
  guint32 number;

  job_of (g, job, &number)->queue = queue;
}

/* ---- constraints --------------------------------------------------------------------------------------- */

static char *
key_of (const char *attribute)
{
  g_autofree char *value = wl_import_label_value (attribute);

  return *value != '\0' ? g_steal_pointer (&value) : g_strdup ("x");
}

/* The constraint as a term of a node selector; NULL with @error. */
static char *
term_of (const WlGoogleConstraint *c, const char *key, GError **error)
{
  g_autofree char *value = wl_import_label_value (c->value);
  gboolean numbers = c->relation >= WL_RELATION_LESS && c->relation <= WL_RELATION_AT_LEAST, empty = *value == '\0';
  gint64 v = 0;

  if (numbers && !wl_parse_int (c->value, G_MININT32, G_MAXINT32, &v, error))
    return NULL;
  switch (c->relation) {
  case WL_RELATION_EQUAL:
    return empty ? g_strdup_printf ("%s!=*", key) : g_strdup_printf ("%s=%s", key, value);
  case WL_RELATION_NOT_EQUAL:
    return empty ? g_strdup_printf ("%s=*", key) : g_strdup_printf ("%s!=%s", key, value);
  case WL_RELATION_LESS:
  case WL_RELATION_AT_MOST:
    return g_strdup_printf ("%s<%" G_GINT64_FORMAT, key, v + (c->relation == WL_RELATION_AT_MOST));
  case WL_RELATION_GREATER:
  case WL_RELATION_AT_LEAST:
    return g_strdup_printf ("%s>%" G_GINT64_FORMAT, key, v - (c->relation == WL_RELATION_AT_LEAST));
  case WL_RELATION_PRESENT:
    return g_strdup_printf ("%s=*", key);
  case WL_RELATION_ABSENT:
    return g_strdup_printf ("%s!=*", key);
  }
  g_assert_not_reached ();
}

gboolean
wl_google_constraint (WlGoogle *g, const WlGoogleConstraint *c, gboolean keep, GError **error)
{
  g_autofree char *key = key_of (c->attribute), *term = term_of (c, key, error);

  if (term == NULL || !keep)
    return term != NULL;
  Task *t = task_of (g, c->job, c->index);
  g_auto (GStrv) have = t->selector != NULL ? g_strsplit (t->selector, ";", -1) : NULL;

  t->more_rows += c->row;
  g_hash_table_add (g->wanted, g_steal_pointer (&key));
  if (have == NULL || !g_strv_contains ((const char *const *) have, term)) { /* a task that comes again says them again */
    g_autofree char *all = have != NULL ? g_strconcat (t->selector, ";", term, NULL) : NULL;

    t->selector = wl_texts_add (g->texts, all != NULL ? all : term);
  }
  return TRUE;
}

gboolean
wl_google_attribute (WlGoogle *g, WlMachines *machines, gint64 machine, WlTime time, const char *name, const char *value)
{
  g_autofree char *key = key_of (name), *label = value != NULL ? wl_import_label_value (value) : NULL, *node = wl_google_machine_name (machine);
  const WlMachineRow row = { .machine = node, .time = time, .event = WL_MACHINE_ATTRIBUTE, .labels = key, .value = label };

  if (!g_hash_table_contains (g->wanted, key))
    return wl_import_drop (g->imp, "attribute that no constraint names");
  if (time == WL_GOOGLE_AFTER)
    return wl_import_drop (g->imp, "after the end of the trace");
  wl_machines_add (machines, &row);
  return TRUE;
}

gboolean
wl_google_part (const char *text, gint64 unit, gint64 *out, GError **error)
{
  if (!wl_import_parse_scaled (text, unit, 0, MIN (unit, G_MAXINT64 / MOST_UNITS) * MOST_UNITS, out, error))
    return FALSE;
  if (*out == 0 && strpbrk (text, "123456789") != NULL)
    *out = 1;
  return TRUE;
}

/* ---- tasks become jobs ------------------------------------------------------------------------------------ */

char *
wl_google_machine_name (gint64 id)
{
  return g_strdup_printf ("m-%" G_GINT64_FORMAT, id);
}

/* How long a task ran in the end; NULL: it did, else why it is left out. */
static const char *
outcome (const WlGoogle *g, const Task *t, WlTime *run)
{
  if (t->rows == 0)
    return "constraint of a task without events";
  if (t->start == WL_TIME_NONE)
    return "never scheduled";
  if (t->request == 0)
    return "no request";
  if (t->life && t->end < t->start)
    return "ends before it starts";
  if (t->start == WL_GOOGLE_AFTER)
    return "after the end of the trace";
  /* an eviction at the moment of the next start ended the run before */
  gboolean on = t->end == WL_TIME_NONE || t->end == WL_GOOGLE_AFTER || t->end < t->start || (t->end == t->start && t->end_event == WL_GOOGLE_EVICT && t->starts > 1);

  *run = (on ? MAX (g->last, t->start) : t->end) - t->start;
  return NULL;
}

static gboolean
runs_on (const Task *t, WlTime run)
{
  return t->end == WL_TIME_NONE || t->end != t->start + run;
}

static int
by_job (gconstpointer a, gconstpointer b, gpointer data)
{
  const WlGoogle *g = data;
  guint32 l = *(const guint32 *) a, r = *(const guint32 *) b;
  guint32 lj = g_array_index (g->task, Task, l).job, rj = g_array_index (g->task, Task, r).job;
  gint64 li, ri;

  if (lj != rj)
    return lj < rj ? -1 : 1;
  li = ((const TaskKey *) wl_records_get (g->task_keys, l))->index;
  ri = ((const TaskKey *) wl_records_get (g->task_keys, r))->index;
  return li < ri ? -1 : li > ri;
}

/* What the tasks of a job come to. */
typedef struct {
  guint kept;
  WlTime submit, start, first_end, last_end;
  guint32 evictions;
  gboolean killed, mixed;
  WlGoogleEvent event; /* 0: runs on */
} Sum;

/* Does the user end the job, whatever the schedule? */
static WlTime
time_of_kill (const WlGoogle *g, const Job *j, const Sum *s)
{
  if (!g->delete_killed || !s->killed || s->last_end - s->first_end > AT_ONCE)
    return WL_TIME_NONE;
  return j->over != WL_TIME_NONE && j->end_event == WL_GOOGLE_KILL && ABS (j->over - s->last_end) <= AT_ONCE ? MAX (j->over, s->last_end) : s->last_end;
}

static void
sum_task (Sum *s, const Task *t, WlTime run)
{
  WlTime end = t->start + run;
  WlGoogleEvent event = runs_on (t, run) ? WL_GOOGLE_SUBMIT : t->end_event;

  s->killed = (s->kept == 0 || s->killed) && event == WL_GOOGLE_KILL;
  s->mixed = s->mixed || (s->kept > 0 && s->event != event);
  s->event = event;
  earliest (&s->submit, t->submit != WL_TIME_NONE ? t->submit : t->start);
  earliest (&s->start, t->start);
  earliest (&s->first_end, end);
  s->last_end = s->kept == 0 ? end : MAX (s->last_end, end);
  s->evictions += t->evictions;
  s->kept++;
}

static void
note_task (WlGoogle *g, const Task *t, WlTime run)
{
  if (t->submit == WL_TIME_NONE)
    wl_import_default (g->imp, "submission of tasks (their start)");
  if (runs_on (t, run))
    wl_import_default (g->imp, "end of tasks (they outlive the trace)");
  else if (t->end_event == WL_GOOGLE_LOST)
    wl_import_default (g->imp, "end of tasks (their record was lost then)");
  else if (t->end_event == WL_GOOGLE_EVICT)
    wl_import_default (g->imp, "end of tasks (evicted, and never scheduled again)");
}

static void
add_pod (WlGoogle *g, WlPods *pods, const Task *t, WlTime run, GPtrArray *names)
{
  const Request *r = wl_records_get (g->requests, t->request - 1);
  WlPod pod = { .request = { .cpu_milli = r->cpu_milli, .memory = r->memory },
                .duration = run,
                .selector = t->selector,
                .apart = t->apart ? "kubernetes.io/hostname" : g_array_index (g->job, Job, t->job).apart };

  if (t->machine > 0) {
    pod.node = wl_google_machine_name (t->machine);
    g_ptr_array_add (names, (gpointer) pod.node);
  }
  wl_pods_add (pods, &pod);
}

static guint32
give_job (const WlGoogle *g, guint32 number, WlPods *pods, const Sum *s, WlTime remove, const Step *step)
{
  const Job *j = &g_array_index (g->job, Job, number);
  gint64 priority = MAX (j->priority, 0);
  guint n;
  const WlImportRole *roles = wl_pods_roles (pods, &n);
  g_autofree char *name = g_strdup_printf ("job-%" G_GINT64_FORMAT, ((const JobKey *) wl_records_get (g->job_keys, number))->id);
  g_autofree char *class = g_strdup_printf ("priority-%" G_GINT64_FORMAT, priority), *latency = j->class >= 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, j->class) : NULL;
  const char *extra[] = { j->user, latency };
  const WlImportJob job = { .name = name,
                            .queue = g->by_user ? (j->user != NULL ? j->user : "") : g->by_band ? g->rules->band (priority) : g->by_scheduler ? j->queue : NULL,
                            .priority = class,
                            .submit = step != NULL ? step->submit : s->submit,
                            .min_available = 1,
                            .preemptable = priority < g->rules->preemptable_below ? 1 : -1,
                            .remove = remove,
                            .role = roles,
                            .n_roles = n,
                            .flow = step != NULL ? step->flow : NULL,
                            .after = step != NULL ? step->after : NULL,
                            .n_after = step != NULL ? step->n_after : 0,
                            .extra = extra };
  /* when what came before the trace came, or began, is not recorded */
  const WlImportRecord record = { .wait = s->submit > 0 && s->start > 0 ? s->start - s->submit : WL_TIME_NEVER,
                                  .start = s->start > 0 ? s->start : WL_TIME_NONE,
                                  .end = s->last_end,
                                  .status = j->over != WL_TIME_NONE ? ends[j->end_event] : s->mixed ? "MIXED" : ends[s->event],
                                  .nodes = wl_pods_nodes (pods, g->imp),
                                  .evictions = s->evictions };

  wl_import_priority_class (g->imp, class, (gint32) priority);
  if (j->priority < 0)
    wl_import_default (g->imp, "priority");
  guint32 at = wl_import_job (g->imp, &job);

  wl_import_recorded (g->imp, at, &record);
  return at;
}

/* Sum up the tasks @order[0 … n - 1] of one job. */
static Sum
sum_job (const WlGoogle *g, const guint32 *order, guint n)
{
  Sum s = { .submit = g_array_index (g->job, Job, g_array_index (g->task, Task, order[0]).job).submit, .start = WL_TIME_NONE, .first_end = WL_TIME_NONE };
  WlTime run = 0;

  for (guint i = 0; i < n; i++) {
    const Task *t = &g_array_index (g->task, Task, order[i]);

    if (outcome (g, t, &run) == NULL)
      sum_task (&s, t, run);
  }
  return s;
}

/* Tasks @order[0 … n - 1] are those of one job; @step: its place in a flow, NULL: none. Gives the job's number. */
static guint32
make_job (WlGoogle *g, const guint32 *order, guint n, WlPods *pods, const Step *step)
{
  guint32 number = g_array_index (g->task, Task, order[0]).job;
  const Job *j = &g_array_index (g->job, Job, number);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  Sum s = sum_job (g, order, n);
  WlTime run = 0, remove = s.kept > 0 && step == NULL ? time_of_kill (g, j, &s) : WL_TIME_NONE;

  wl_pods_clear (pods);
  for (guint i = 0; i < n; i++) {
    const Task *t = &g_array_index (g->task, Task, order[i]);
    const char *why = outcome (g, t, &run);

    if (why != NULL) {
      wl_import_drop_more (g->imp, why, t->rows + t->more_rows);
      continue;
    }
    note_task (g, t, run);
    if (t->submit != WL_TIME_NONE && t->submit > s.submit)
      wl_import_note (g->imp, "tasks that came later than their job come with it", 1);
    add_pod (g, pods, t, remove != WL_TIME_NONE ? WL_TIME_NEVER : run, names);
  }
  if (s.kept == 0) {
    wl_import_drop_more (g->imp, "job without a task that ran", j->rows);
    return G_MAXUINT32;
  }
  earliest (&g->first, s.submit);
  return give_job (g, number, pods, &s, remove, step);
}

/* ---- jobs that start after others -------------------------------------------------------------------------- */

typedef struct {
  guint32 *order; /* tasks by job */
  guint32 *from;  /* [jobs + 1] where those of each begin */
  guint32 *root;  /* [jobs] towards the first job of its flow; itself: there */
  guint32 *next;  /* [jobs] 1 + the next job of its flow, 0: none */
  guint32 *made;  /* [jobs] 1 + its number in the import, 0: not yet */
  GArray *edges;  /* Edge: those that hold a job back, by job */
} Layout;

static guint32
root_of (const Layout *l, guint32 job)
{
  while (l->root[job] != job)
    job = l->root[job] = l->root[l->root[job]];
  return job;
}

static Sum
sum_at (const WlGoogle *g, const Layout *l, guint32 job)
{
  return l->from[job + 1] > l->from[job] ? sum_job (g, l->order + l->from[job], l->from[job + 1] - l->from[job]) : (Sum){ 0 };
}

static int
by_edge (gconstpointer a, gconstpointer b)
{
  const Edge *l = a, *r = b;

  if (l->job != r->job)
    return l->job < r->job ? -1 : 1;
  return l->target < r->target ? -1 : l->target > r->target;
}

/* Dependencies count that hold a job back: what it waits for is there, and was not over when it came. */
static void
join_flows (WlGoogle *g, Layout *l)
{
  g_autofree guint32 *last = g_new (guint32, g->job->len + 1); /* of the flow of each root so far */

  for (guint i = 0; i < wl_records_len (g->edges); i++) {
    const Edge e = *(const Edge *) wl_records_get (g->edges, i);
    Sum job = sum_at (g, l, e.job), target = sum_at (g, l, e.target);

    if (job.kept == 0 || target.kept == 0 || e.job == e.target) {
      wl_import_note (g->imp, "jobs to start after that are not there: ignored", 1);
    } else if (target.last_end <= job.submit) {
      wl_import_note (g->imp, "jobs to start after that were over before: ignored", 1);
    } else {
      guint32 a = root_of (l, e.job), b = root_of (l, e.target);

      l->root[MAX (a, b)] = MIN (a, b);
      g_array_append_val (l->edges, e);
    }
  }
  g_array_sort (l->edges, by_edge);
  for (guint32 i = 0; i < g->job->len; i++) {
    guint32 first = root_of (l, i);

    if (first != i)
      l->next[last[first]] = 1 + i;
    last[first] = i;
  }
}

/* What @job waits for, as numbers in the import; FALSE: some of it is not made yet. */
static gboolean
find_after (const Layout *l, guint32 job, GArray *after)
{
  guint low = 0, high = l->edges->len;

  g_array_set_size (after, 0);
  while (low < high) { /* the first edge of the job */
    guint middle = (low + high) / 2;

    if (g_array_index (l->edges, Edge, middle).job < job)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < l->edges->len && g_array_index (l->edges, Edge, low).job == job; low++) {
    guint32 made = l->made[g_array_index (l->edges, Edge, low).target], number = made - 1;

    if (made == 0)
      return FALSE;
    g_array_append_val (after, number);
  }
  return TRUE;
}

/* The jobs of the flow that begins with @first, each behind those that it waits for. */
static void
make_flow (WlGoogle *g, Layout *l, guint32 first, WlPods *pods)
{
  g_autoptr (GArray) after = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree char *name = g_strdup_printf ("flow-%" G_GINT64_FORMAT, ((const JobKey *) wl_records_get (g->job_keys, first))->id);
  Step step = { .flow = name, .submit = WL_TIME_NONE };
  gboolean moved = TRUE, circle = FALSE;
  guint members = 0;

  for (guint32 k = 1 + first; k > 0; k = l->next[k - 1], members++)
    earliest (&step.submit, sum_at (g, l, k - 1).submit);
  for (guint left = members; left > 0; circle = !moved) {
    moved = FALSE;
    for (guint32 at = 1 + first; at > 0; at = l->next[at - 1]) {
      guint32 k = at - 1;

      if (l->made[k] != 0 || (!find_after (l, k, after) && !circle))
        continue;
      if (circle)
        wl_import_note (g->imp, "jobs that wait for each other: one of them does not", 1);
      step.after = (const guint32 *) (const void *) after->data;
      step.n_after = after->len;
      l->made[k] = 1 + make_job (g, l->order + l->from[k], l->from[k + 1] - l->from[k], pods, &step);
      left--;
      moved = TRUE;
      circle = FALSE;
    }
  }
  wl_import_note (g->imp, "jobs of flows, which come with the first of them", members);
}

void
wl_google_after (WlGoogle *g, gint64 job, gint64 target)
{
  Edge e;

  (void) job_of (g, job, &e.job);
  (void) job_of (g, target, &e.target);
  (void) wl_records_add (g->edges, &e);
}

void
wl_google_apart (WlGoogle *g, gint64 job, const char *key)
{
  guint32 number;

  job_of (g, job, &number)->apart = key;
}

/* ---- all of it ------------------------------------------------------------------------------------------------ */

static void
ignore_constraints (WlGoogle *g, gboolean attributes)
{
  for (guint32 i = 0; i < g->task->len; i++) {
    Task *t = &g_array_index (g->task, Task, i);

    if (t->selector != NULL)
      wl_import_note (g->imp, attributes ? "tasks with constraints: ignored" : "tasks with constraints: not kept, no attributes of machines among the files", 1);
    t->selector = NULL;
  }
}

void
wl_google_finish (WlGoogle *g, gboolean attributes)
{
  guint n = g->task->len, n_jobs = g->job->len;
  g_autofree guint32 *order = g_new (guint32, n + 1), *from = g_new0 (guint32, n_jobs + 1), *root = g_new (guint32, n_jobs + 1), *next = g_new0 (guint32, n_jobs + 1),
                     *made = g_new0 (guint32, n_jobs + 1);
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (Edge));
  g_autoptr (WlPods) pods = wl_pods_new ();
  Layout l = { order, from, root, next, made, edges };

  if (!attributes || wl_import_is (g->imp, "constraints", "ignore"))
    ignore_constraints (g, attributes);
  for (guint32 i = 0; i < n; i++) {
    order[i] = i;
    from[g_array_index (g->task, Task, i).job + 1]++;
  }
  for (guint32 i = 0; i < n_jobs; i++) {
    from[i + 1] += from[i];
    root[i] = i;
  }
  g_qsort_with_data (order, (gint) n, sizeof *order, by_job, g);
  join_flows (g, &l);
  for (guint32 i = 0; i < n_jobs; i++)
    if (from[i + 1] == from[i])
      wl_import_drop_more (g->imp, "job without a task that ran", g_array_index (g->job, Job, i).rows);
    else if (root_of (&l, i) == i && next[i] > 0)
      make_flow (g, &l, i, pods);
    else if (root_of (&l, i) == i)
      make_job (g, order + from[i], from[i + 1] - from[i], pods, NULL);
  if (g->first != WL_TIME_NONE)
    wl_import_span (g->imp, g->first, g->last);
}

/* ---- how many nodes it would take ---------------------------------------------------------------------------- */

__extension__ typedef __int128 Wide; /* what millions of large requests come to does not fit 64 bits */

typedef struct { WlTime time; gint64 cpu_milli, memory; } Change;

static int
by_change (gconstpointer a, gconstpointer b)
{
  const Change *l = a, *r = b;

  if (l->time != r->time)
    return l->time < r->time ? -1 : 1;
  return l->cpu_milli < r->cpu_milli ? -1 : l->cpu_milli > r->cpu_milli;
}

guint32
wl_google_peak (WlGoogle *g)
{
  g_autoptr (GArray) change = g_array_new (FALSE, FALSE, sizeof (Change));
  Wide cpu = 0, memory = 0, most_cpu = 0, most_memory = 0;
  gint64 unit_cpu = MAX (wl_import_milli (g->imp, "unit-cpu"), 1), unit_memory = MAX (wl_import_bytes (g->imp, "unit-memory"), 1);

  for (guint32 i = 0; i < g->task->len; i++) {
    const Task *t = &g_array_index (g->task, Task, i);
    WlTime run = 0, from = t->submit != WL_TIME_NONE ? t->submit : t->start;

    if (outcome (g, t, &run) != NULL)
      continue;
    const Request *r = wl_records_get (g->requests, t->request - 1);
    const Change both[] = { { from, r->cpu_milli, r->memory }, { from + run, -r->cpu_milli, -r->memory } };

    g_array_append_vals (change, both, 2);
  }
  g_array_sort (change, by_change);
  for (guint i = 0; i < change->len; i++) {
    cpu += g_array_index (change, Change, i).cpu_milli;
    memory += g_array_index (change, Change, i).memory;
    most_cpu = MAX (most_cpu, cpu);
    most_memory = MAX (most_memory, memory);
  }
  return (guint32) CLAMP (MAX ((most_cpu + unit_cpu - 1) / unit_cpu, (most_memory + unit_memory - 1) / unit_memory), 1, WL_OPTION_MAX);
}
