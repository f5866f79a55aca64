/* workloads/import/google.c - see google.h. */
#include "google.h"
#include "pods.h"
#include "records.h"
#include "workloads/parse.h"
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
  const char *user, *queue;
  gint64 priority, class; /* -1: not said */
  guint32 rows;
  WlGoogleEvent end_event;
} Job;
typedef struct { gint64 cpu_milli, memory; } Request;

struct WlGoogle {
  WlImport *imp;
  const WlGoogleRules *rules;
  gboolean by_user, by_band, by_scheduler, delete_killed;
  WlTexts *texts;
  WlRecords *task_keys, *job_keys, *requests; /* TaskKey and JobKey: numbers of task and job; Request */
  GArray *task, *job;
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
  WlPod pod = { .request = { .cpu_milli = r->cpu_milli, .memory = r->memory }, .duration = run, .selector = t->selector };

  if (t->machine > 0) {
    pod.node = wl_google_machine_name (t->machine);
    g_ptr_array_add (names, (gpointer) pod.node);
  }
  wl_pods_add (pods, &pod);
}

static void
give_job (WlGoogle *g, guint32 number, WlPods *pods, const Sum *s, WlTime remove, gboolean apart)
{
  const Job *j = &g_array_index (g->job, Job, number);
  gint64 priority = MAX (j->priority, 0);
  guint n;
  const WlImportRole *roles = wl_pods_roles (pods, &n);
  g_autofree char *name = g_strdup_printf ("job-%" G_GINT64_FORMAT, ((const JobKey *) wl_records_get (g->job_keys, number))->id);
  g_autofree char *class = g_strdup_printf ("priority-%" G_GINT64_FORMAT, priority), *latency = j->class >= 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, j->class) : NULL;
  const char *extra[] = { j->user, latency };
  const WlImportJob job = { .name = name,
                            .queue = g->by_user ? j->user : g->by_band ? g->rules->band (priority) : g->by_scheduler ? j->queue : NULL,
                            .priority = class,
                            .submit = s->submit,
                            .min_available = 1,
                            .preemptable = priority < g->rules->preemptable_below ? 1 : -1,
                            .remove = remove,
                            .role = roles,
                            .n_roles = n,
                            .extra = extra };
  /* what began before the trace has no recorded start, and so no wait */
  const WlImportRecord record = { .wait = s->start > 0 ? s->start - s->submit : WL_TIME_NONE,
                                  .start = s->start > 0 ? s->start : WL_TIME_NONE,
                                  .end = s->last_end,
                                  .status = j->over != WL_TIME_NONE ? ends[j->end_event] : s->mixed ? "MIXED" : ends[s->event],
                                  .nodes = wl_pods_nodes (pods, g->imp),
                                  .evictions = s->evictions };

  wl_import_priority_class (g->imp, class, (gint32) priority);
  if (j->priority < 0)
    wl_import_default (g->imp, "priority");
  if (apart)
    wl_import_note (g->imp, "jobs whose tasks must not share a machine: not kept", 1);
  wl_import_recorded (g->imp, wl_import_job (g->imp, &job), &record);
}

/* Tasks @order[0 … n - 1] are those of one job. */
static void
make_job (WlGoogle *g, const guint32 *order, guint n, WlPods *pods)
{
  guint32 number = g_array_index (g->task, Task, order[0]).job;
  const Job *j = &g_array_index (g->job, Job, number);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  Sum s = { .submit = j->submit, .start = WL_TIME_NONE, .first_end = WL_TIME_NONE };
  gboolean apart = FALSE;
  WlTime run = 0, remove;

  for (guint i = 0; i < n; i++) {
    const Task *t = &g_array_index (g->task, Task, order[i]);
    const char *why = outcome (g, t, &run);

    if (why == NULL)
      sum_task (&s, t, run);
    else
      wl_import_drop_more (g->imp, why, t->rows + t->more_rows);
  }
  if (s.kept == 0) {
    wl_import_drop_more (g->imp, "job without a task that ran", j->rows);
    return;
  }
  remove = time_of_kill (g, j, &s);
  wl_pods_clear (pods);
  for (guint i = 0; i < n; i++) {
    const Task *t = &g_array_index (g->task, Task, order[i]);

    if (outcome (g, t, &run) != NULL)
      continue;
    note_task (g, t, run);
    if (t->submit != WL_TIME_NONE && t->submit > s.submit)
      wl_import_note (g->imp, "tasks that came later than their job come with it", 1);
    apart = apart || t->apart;
    add_pod (g, pods, t, remove != WL_TIME_NONE ? WL_TIME_NEVER : run, names);
  }
  earliest (&g->first, s.submit);
  give_job (g, number, pods, &s, remove, apart);
}

void
wl_google_finish (WlGoogle *g, gboolean attributes)
{
  guint n = g->task->len;
  g_autofree guint32 *order = g_new (guint32, n + 1);
  g_autoptr (WlPods) pods = wl_pods_new ();
  gboolean keep = attributes && wl_import_is (g->imp, "constraints", "keep");
  g_autofree guint8 *seen = g_new0 (guint8, g->job->len + 1);

  for (guint32 i = 0; i < n; i++) {
    Task *t = &g_array_index (g->task, Task, i);

    order[i] = i;
    seen[t->job] = 1;
    if (t->selector != NULL && !keep) {
      wl_import_note (g->imp, attributes ? "tasks with constraints: ignored" : "tasks with constraints: not kept, no attributes of machines among the files", 1);
      t->selector = NULL;
    }
  }
  g_qsort_with_data (order, (gint) n, sizeof *order, by_job, g);
  for (guint from = 0, to; from < n; from = to) {
    for (to = from + 1; to < n && g_array_index (g->task, Task, order[to]).job == g_array_index (g->task, Task, order[from]).job;)
      to++;
    make_job (g, order + from, to - from, pods);
  }
  if (g->first != WL_TIME_NONE)
    wl_import_span (g->imp, g->first, g->last);
  for (guint i = 0; i < g->job->len; i++)
    if (!seen[i])
      wl_import_drop_more (g->imp, "job without a task that ran", g_array_index (g->job, Job, i).rows);
}

/* ---- how many nodes it would take ---------------------------------------------------------------------------- */

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
  gint64 cpu = 0, memory = 0, most_cpu = 0, most_memory = 0;
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
  return (guint32) CLAMP (MAX ((most_cpu + unit_cpu - 1) / unit_cpu, (most_memory + unit_memory - 1) / unit_memory), 1, 1000000);
}
