/* workloads/import/write.c - what was collected as volsim's own files.
 *
 * A table has only the columns that something is said in. GPUs become resources here, by the kind of sharing:
 *
 *   whole    nvidia.com/gpu, parts rounded up to cards
 *   pooled   volsim.io/gpu-milli: 1000 a card, parts may be cut across cards
 *   device   volcano.sh/vgpu-number, -cores (percent) and -memory (MB) of each, for the plugin deviceshare; nodes announce their cards in the annotation
 *            that the device plugin writes. All cards count as equally large, so that a share means the same on each. */
#include "resources.h"
#include "table-out.h"
#include "workloads/text/parse.h"
#include <string.h>

#define NO_LIMIT 1000000  /* pods on a node */

static void
append_header (GString *s, const GArray *columns, const char *prefix)
{
  for (guint i = 0; i < columns->len; i++)
    g_string_append_printf (s, ",%s%s", prefix, g_array_index (columns, WlResourceColumn, i).name);
}

/* ---- nodes ---------------------------------------------------------------------------------------- */

static const char *const events[] = { [WL_NODE_ADD] = "add",     [WL_NODE_UPDATE] = "update",     [WL_NODE_CORDON] = "cordon", [WL_NODE_UNCORDON] = "uncordon",
                                      [WL_NODE_DRAIN] = "drain", [WL_NODE_NOTREADY] = "notready", [WL_NODE_READY] = "ready",   [WL_NODE_REMOVE] = "remove" };

static void
append_labels (GString *s, const WlStoredNode *n)
{
  g_autofree char *model = n->model != NULL ? wl_import_label_value (n->model) : NULL;
  g_autofree char *all = model != NULL ? g_strdup_printf ("gpu-model=%s%s%s", model, n->labels != NULL ? ";" : "", n->labels != NULL ? n->labels : "")
                                       : g_strdup (n->labels);

  wl_put_cell (s, all);
}

/* What the node says of itself, and the annotation of the device plugin: uuid,count,memory,type,health,mode for each card. */
static void
append_annotations (const WlImport *imp, GString *s, const WlStoredNode *n)
{
  g_autoptr (GString) text = g_string_new (n->annotations);
  g_autofree char *model = wl_import_label_value (n->model != NULL ? n->model : "GPU");

  if (n->capacity.gpus == 0 || imp->share != WL_GPU_DEVICE) {
    wl_put_cell (s, text->str);
    return;
  }
  g_string_append (text, text->len > 0 ? ";volcano.sh/node-vgpu-register=" : "volcano.sh/node-vgpu-register=");
  for (guint i = 0; i < n->capacity.gpus; i++)
    g_string_append_printf (text, "GPU-%u,%d,%" G_GINT64_FORMAT ",NVIDIA-%s,true,:", i, WL_PODS_OF_CARD, imp->card_memory, model);
  wl_put_cell (s, text->str);
}

static gboolean
write_nodes (const WlImport *imp, const char *dir, GError **error)
{
  g_auto (WlOut) o = { 0 };
  WlUses uses = { .more = g_ptr_array_new_with_free_func (g_free) };
  gboolean times = FALSE, changes = FALSE, pods = FALSE, labels = FALSE, taints = FALSE, annotations = FALSE, counts = FALSE;

  for (guint i = 0; i < imp->nodes->len; i++) {
    const WlStoredNode *n = &g_array_index (imp->nodes, WlStoredNode, i);

    wl_note_uses (&uses, &n->capacity);
    times |= n->time != 0;
    changes |= n->event != WL_NODE_ADD;
    pods |= n->pods != 0;
    labels |= n->labels != NULL || n->model != NULL;
    taints |= n->taints != NULL;
    annotations |= n->annotations != NULL;
    counts |= n->count > 1;
  }
  gboolean cards = uses.gpus && imp->share == WL_GPU_DEVICE;
  g_autoptr (GArray) columns = wl_resource_columns (imp, &uses, FALSE);

  if (!wl_out_open (&o, dir, "nodes.csv", error))
    return FALSE;
  g_string_append_printf (o.row, "node%s%s", times ? ",time" : "", changes ? ",event" : "");
  append_header (o.row, columns, "");
  g_string_append_printf (o.row, "%s%s%s%s%s", pods ? ",pods" : "", labels ? ",labels" : "", taints ? ",taints" : "", annotations || cards ? ",annotations" : "",
                          counts ? ",count" : "");
  wl_out_end_row (&o);
  for (guint i = 0; i < imp->nodes->len; i++) {
    const WlStoredNode *n = &g_array_index (imp->nodes, WlStoredNode, i);
    gboolean says = n->event == WL_NODE_ADD || n->event == WL_NODE_UPDATE;

    g_string_append (o.row, n->name);
    if (times) {
      g_string_append_c (o.row, ',');
      wl_put_time (o.row, n->time);
    }
    if (changes)
      g_string_append_printf (o.row, ",%s", events[n->event]);
    for (guint c = 0; c < columns->len; c++) {
      g_string_append_c (o.row, ',');
      if (says)
        wl_put_amount (imp, o.row, &n->capacity, &g_array_index (columns, WlResourceColumn, c), WL_OF_NODE);
    }
    if (pods) {
      g_string_append_c (o.row, ',');
      if (says && n->pods != 0)
        wl_put_int (o.row, n->pods > 0 ? n->pods : NO_LIMIT);
    }
    if (labels) {
      g_string_append_c (o.row, ',');
      append_labels (o.row, n);
    }
    if (taints) {
      g_string_append_c (o.row, ',');
      wl_put_cell (o.row, n->taints);
    }
    if (annotations || cards) {
      g_string_append_c (o.row, ',');
      if (says)
        append_annotations (imp, o.row, n);
    }
    if (counts)
      g_string_append_printf (o.row, ",%u", n->count);
    wl_out_end_row (&o);
  }
  return wl_out_close (&o, error);
}

/* ---- jobs ----------------------------------------------------------------------------------------- */

typedef struct {
  gboolean ns, queue, priority, min_available, preemptable, remove, walltime, task, task_min, exit_code, selector, tolerations, apart, scale, checkpoint, restart_cost;
} JobUses;

static JobUses
job_uses (const WlImport *imp)
{
  JobUses u = { .walltime = imp->walltimes };

  for (guint i = 0; i < wl_records_len (imp->job_traits); i++) {
    const WlJobTraits *t = wl_records_get (imp->job_traits, i);

    u.ns |= t->ns != NULL;
    u.queue |= t->queue != NULL;
    u.priority |= t->priority != NULL;
    u.min_available |= t->min_available > 0;
    u.preemptable |= t->preemptable != 0;
    u.remove |= t->remove != WL_TIME_NONE;
  }
  for (guint i = 0; i < wl_records_len (imp->role_traits); i++) {
    const WlRoleTraits *t = wl_records_get (imp->role_traits, i);

    u.task |= t->name != NULL;
    u.task_min |= t->min_available > 0;
    u.exit_code |= t->exit_code != 0;
    u.selector |= t->selector != NULL;
    u.tolerations |= t->tolerations != NULL;
    u.apart |= t->apart != NULL;
    u.scale |= t->scale != NULL;
    u.checkpoint |= t->checkpoint > 0;
    u.restart_cost |= t->restart_cost > 0;
  }
  return u;
}

void
wl_import_append_job_name (const WlImport *imp, GString *s, const WlStoredJob *j)
{
  if (j->name != NULL)
    wl_put_text (s, j->name);
  else
    g_string_append_printf (s, "%s-%05u", imp->format->name, j->number);
}

void
wl_put_durations (const WlImport *imp, GString *s, const WlStoredRole *r)
{
  if (r->durations == 0) {
    wl_put_time (s, r->duration);
    return;
  }
  for (guint i = 0; i < r->replicas; i++) {
    if (i > 0)
      g_string_append_c (s, '|');
    wl_put_time (s, g_array_index (imp->durations, WlTime, r->durations - 1 + i));
  }
}

static inline void
comma_text (GString *s, gboolean used, const char *text)
{
  if (used) {
    g_string_append_c (s, ',');
    wl_put_cell (s, text);
  }
}

static inline void
comma_int (GString *s, gboolean used, gboolean given, gint64 v)
{
  if (used) {
    g_string_append_c (s, ',');
    if (given)
      wl_put_count (s, v);
  }
}

static inline void
comma_time_if (GString *s, gboolean used, WlTime t)
{
  if (used) {
    g_string_append_c (s, ',');
    if (t > 0)
      wl_put_time (s, t);
  }
}

/* Cells that many jobs have in common are made once, and again when another one had their slot. */
#define N_SHARED 256
typedef struct JobTable JobTable;
typedef void MakeCells (const JobTable *t, GString *s, guint32 id);
typedef struct { MakeCells *make; struct { guint32 id; GString *text; } slot[N_SHARED]; } Shared; /* text NULL: free */

/* A time as text: the submission of a job, which stands in several cells. */
typedef struct { WlTime t; guint n; char text[40]; } Moment;

static inline void
put_moment (Moment *m, GString *s, WlTime t)
{
  if (t == m->t && m->n > 0) {
    wl_put (s, m->text, m->n);
    return;
  }
  const gsize before = s->len;

  wl_put_time (s, t);
  m->n = (guint) (s->len - before);
  m->n = m->n <= sizeof m->text ? m->n : 0;
  memcpy (m->text, s->str + before, m->n);
  m->t = t;
}

struct JobTable {
  const WlImport *imp;
  Moment moment;
  JobUses uses;
  GArray *columns;                     /* WlResourceColumn */
  Shared before, task, request, after; /* from queue to preemptable; task; resources; behind the duration */
};

static void
put_shared (const JobTable *t, Shared *c, GString *out, guint32 id)
{
  GString **text = &c->slot[id % N_SHARED].text;

  if (*text == NULL || c->slot[id % N_SHARED].id != id) {
    if (*text == NULL)
      *text = g_string_new (NULL);
    g_string_truncate (*text, 0);
    c->slot[id % N_SHARED].id = id;
    c->make (t, *text, id);
  }
  wl_put (out, (*text)->str, (*text)->len);
}

static void
make_before (const JobTable *t, GString *s, guint32 id)
{
  const WlJobTraits *jt = wl_records_get (t->imp->job_traits, id);

  comma_text (s, t->uses.queue, jt->queue);
  comma_text (s, t->uses.priority, jt->priority);
  comma_int (s, t->uses.min_available, jt->min_available > 0, jt->min_available);
  comma_text (s, t->uses.preemptable, jt->preemptable > 0 ? "true" : jt->preemptable < 0 ? "false" : NULL);
}

static void
make_task (const JobTable *t, GString *s, guint32 id)
{
  comma_text (s, t->uses.task, ((const WlRoleTraits *) wl_records_get (t->imp->role_traits, id))->name);
}

static void
make_request (const JobTable *t, GString *s, guint32 id)
{
  for (guint c = 0; c < t->columns->len; c++) {
    g_string_append_c (s, ',');
    wl_put_amount (t->imp, s, wl_records_get (t->imp->requests, id), &g_array_index (t->columns, WlResourceColumn, c), WL_OF_POD);
  }
}

static void
make_after (const JobTable *t, GString *s, guint32 id)
{
  const WlRoleTraits *rt = wl_records_get (t->imp->role_traits, id);

  comma_int (s, t->uses.exit_code, rt->exit_code != 0, rt->exit_code);
  comma_text (s, t->uses.selector, rt->selector);
  comma_text (s, t->uses.tolerations, rt->tolerations);
  comma_text (s, t->uses.apart, rt->apart);
  comma_text (s, t->uses.scale, rt->scale);
  comma_time_if (s, t->uses.checkpoint, rt->checkpoint);
  comma_time_if (s, t->uses.restart_cost, rt->restart_cost);
}

static JobTable *
job_table_new (const WlImport *imp)
{
  JobTable *t = g_new0 (JobTable, 1);
  WlUses uses = { .more = g_ptr_array_new_with_free_func (g_free) };

  t->imp = imp;
  t->uses = job_uses (imp);
  for (guint i = 0; i < wl_records_len (imp->requests); i++)
    wl_note_uses (&uses, wl_records_get (imp->requests, i));
  t->columns = wl_resource_columns (imp, &uses, FALSE);
  t->before.make = make_before;
  t->task.make = make_task;
  t->request.make = make_request;
  t->after.make = make_after;
  return t;
}

static void
job_table_free (JobTable *t)
{
  Shared *const all[] = { &t->before, &t->task, &t->request, &t->after };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    for (guint k = 0; k < N_SHARED; k++)
      if (all[i]->slot[k].text != NULL)
        g_string_free (all[i]->slot[k].text, TRUE);
  g_array_unref (t->columns);
  g_free (t);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobTable, job_table_free)

static void
append_job (JobTable *table, WlOut *o, guint32 at, const WlStoredJob *j)
{
  const WlImport *imp = table->imp;
  const JobUses *u = &table->uses;
  const WlJobTraits *t = wl_records_get (imp->job_traits, j->traits);

  for (guint k = 0; k < j->n_roles; k++) {
    const WlStoredRole role = wl_import_get_role (imp, j, k), *r = &role;
    const gint32 task_min = u->task_min ? ((const WlRoleTraits *) wl_records_get (imp->role_traits, r->traits))->min_available : 0;

    wl_import_append_job_name (imp, o->row, j);
    comma_text (o->row, u->ns, t->ns);
    g_string_append_c (o->row, ',');
    put_moment (&table->moment, o->row, j->submit);
    put_shared (table, &table->before, o->row, j->traits);
    if (u->remove) {
      g_string_append_c (o->row, ',');
      if (t->remove != WL_TIME_NONE)
        wl_put_time (o->row, MAX (t->remove - imp->offset, j->submit));
    }
    comma_time_if (o->row, u->walltime, j->walltime);
    put_shared (table, &table->task, o->row, r->traits);
    comma_int (o->row, TRUE, TRUE, r->replicas);
    comma_int (o->row, u->task_min, task_min > 0, task_min);
    put_shared (table, &table->request, o->row, r->request);
    g_string_append_c (o->row, ',');
    wl_put_durations (imp, o->row, r);
    put_shared (table, &table->after, o->row, r->traits);
    for (guint i = 0; i < imp->extra_columns->len; i++)
      comma_text (o->row, TRUE, imp->extras->pdata[(gsize) at * imp->extra_columns->len + i]);
    wl_out_end_row (o);
  }
}

static gboolean
begin_jobs (const JobTable *t, WlOut *o, const char *dir, GError **error)
{
  static const char *const names[] = { ",namespace", ",submit", ",queue", ",priority", ",min_available", ",preemptable", ",delete", ",walltime", ",task", ",replicas", ",task_min_available" };
  const JobUses u = t->uses;
  const gboolean used[] = { u.ns, TRUE, u.queue, u.priority, u.min_available, u.preemptable, u.remove, u.walltime, u.task, TRUE, u.task_min };

  if (!wl_out_open (o, dir, "jobs.csv", error))
    return FALSE;
  g_string_append (o->row, "job");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (used[i])
      g_string_append (o->row, names[i]);
  append_header (o->row, t->columns, "");
  g_string_append_printf (o->row, ",duration%s%s%s%s%s%s%s", u.exit_code ? ",exit_code" : "", u.selector ? ",node_selector" : "", u.tolerations ? ",tolerations" : "",
                          u.apart ? ",apart" : "",
                          u.scale ? ",scale" : "", u.checkpoint ? ",checkpoint" : "", u.restart_cost ? ",restart_cost" : "");
  for (guint i = 0; i < t->imp->extra_columns->len; i++)
    g_string_append_printf (o->row, ",%s", (const char *) t->imp->extra_columns->pdata[i]);
  wl_out_end_row (o);
  return TRUE;
}

static gboolean
begin_recorded (WlOut *o, const char *dir, GError **error)
{
  if (!wl_out_open (o, dir, "recorded.csv", error))
    return FALSE;
  g_string_append (o->row, "namespace,job,submit,wait,start,end,status,evictions,nodes");
  wl_out_end_row (o);
  return TRUE;
}

static void
append_record (JobTable *table, WlOut *o, const WlStoredJob *j, const WlStoredRecord *r)
{
  const WlImport *imp = table->imp;
  const WlJobTraits *t = wl_records_get (imp->job_traits, j->traits);

  wl_put_text (o->row, t->ns != NULL ? t->ns : "default");
  g_string_append_c (o->row, ',');
  wl_import_append_job_name (imp, o->row, j);
  g_string_append_c (o->row, ',');
  put_moment (&table->moment, o->row, j->submit);
  g_string_append_c (o->row, ',');
  if (r->wait == 0)
    g_string_append_c (o->row, '0');
  else
    wl_put_time (o->row, r->wait);
  g_string_append_c (o->row, ',');
  if (r->start == j->submit)
    put_moment (&table->moment, o->row, r->start);
  else
    wl_put_time (o->row, r->start); /* nothing for WL_TIME_NONE */
  g_string_append_c (o->row, ',');
  wl_put_time (o->row, r->end);
  comma_text (o->row, TRUE, r->status);
  comma_int (o->row, TRUE, TRUE, r->evictions);
  comma_text (o->row, TRUE, r->nodes);
  wl_out_end_row (o);
}

/* Of a trace without jobs, too: a scenario names its jobs, if there are none. */
static gboolean
has_job_table (const WlImport *imp)
{
  return imp->object_jobs == 0 || wl_import_n_jobs (imp) > imp->object_jobs;
}

#define N_AHEAD 8 /* jobs whose names are fetched meanwhile: where jobs came in no order, names lie anywhere */

/* jobs.csv and recorded.csv, each if it has anything: in one way through the jobs. */
static gboolean
write_jobs (const WlImport *imp, const char *dir, GError **error)
{
  g_auto (WlOut) jobs = { 0 }, recorded = { 0 };
  g_autoptr (JobTable) table = job_table_new (imp);
  const guint32 n_jobs = wl_import_n_jobs (imp), n_records = wl_packed_len (imp->records);
  WlStoredJob ahead[N_AHEAD];
  guint32 record = 0, read = 0;

  if ((has_job_table (imp) && !begin_jobs (table, &jobs, dir, error)) || (n_records > 0 && !begin_recorded (&recorded, dir, error)))
    return FALSE;
  for (guint32 i = 0; i < n_jobs; i++) {
    for (; read < n_jobs && read < i + N_AHEAD; read++) {
      ahead[read % N_AHEAD] = wl_import_get_job (imp, read);
      __builtin_prefetch (ahead[read % N_AHEAD].name);
    }
    const WlStoredJob job = ahead[i % N_AHEAD];

    if (!job.by_object && !wl_import_is_object (imp, &job))
      append_job (table, &jobs, i, &job);
    for (; record < n_records && wl_import_job_of_record (imp, record) == i; record++) {
      const WlStoredRecord r = wl_import_get_record (imp, record, &job);

      append_record (table, &recorded, &job, &r);
    }
  }
  return (jobs.f == NULL || wl_out_close (&jobs, error)) && (recorded.f == NULL || wl_out_close (&recorded, error));
}

/* ---- the other tables ------------------------------------------------------------------------------- */

static gboolean
write_queues (const WlImport *imp, const char *dir, GError **error)
{
  static const char *const prefix[] = { "capability/", "deserved/", "guarantee/" };
  g_auto (WlOut) o = { 0 };
  GArray *columns[3];
  gboolean times = FALSE, parents = FALSE, reclaimable = FALSE;

  for (guint g = 0; g < 3; g++) {
    WlUses uses = { .more = g_ptr_array_new_with_free_func (g_free) };

    for (guint i = 0; i < imp->queues->len; i++) {
      const WlStoredQueue *q = &g_array_index (imp->queues, WlStoredQueue, i);

      wl_note_uses (&uses, g == 0 ? &q->capability : g == 1 ? &q->deserved : &q->guarantee);
      times |= q->time != 0;
      parents |= q->parent != NULL;
      reclaimable |= q->reclaimable != 0;
    }
    columns[g] = wl_resource_columns (imp, &uses, TRUE);
  }
  gboolean good = wl_out_open (&o, dir, "queues.csv", error);

  if (good) {
    g_string_append_printf (o.row, "queue%s%s,weight%s", times ? ",time" : "", parents ? ",parent" : "", reclaimable ? ",reclaimable" : "");
    for (guint g = 0; g < 3; g++)
      append_header (o.row, columns[g], prefix[g]);
    wl_out_end_row (&o);
  }
  for (guint i = 0; good && i < imp->queues->len; i++) {
    const WlStoredQueue *q = &g_array_index (imp->queues, WlStoredQueue, i);

    g_string_append (o.row, q->name);
    if (times) {
      g_string_append_c (o.row, ',');
      wl_put_time (o.row, q->time);
    }
    comma_text (o.row, parents, q->parent);
    comma_int (o.row, TRUE, TRUE, q->weight);
    comma_text (o.row, reclaimable, q->reclaimable > 0 ? "true" : q->reclaimable < 0 ? "false" : NULL);
    for (guint g = 0; g < 3; g++)
      for (guint c = 0; c < columns[g]->len; c++) {
        const WlResourceColumn *column = &g_array_index (columns[g], WlResourceColumn, c);

        g_string_append_c (o.row, ',');
        if (g == 0 && q->gpu_limit && q->capability.gpus == 0 && column->kind == WL_GPU)
          g_string_append_c (o.row, '0');
        wl_put_amount (imp, o.row, g == 0 ? &q->capability : g == 1 ? &q->deserved : &q->guarantee, column, WL_OF_QUEUE);
      }
    wl_out_end_row (&o);
  }
  for (guint g = 0; g < 3; g++)
    g_array_unref (columns[g]);
  return good && wl_out_close (&o, error);
}

static gboolean
write_faults (const WlImport *imp, const char *dir, GError **error)
{
  g_auto (WlOut) o = { 0 };

  if (!wl_out_open (&o, dir, "faults.csv", error))
    return FALSE;
  g_string_append (o.row, "time,kind,target,duration,value");
  wl_out_end_row (&o);
  for (guint i = 0; i < imp->faults->len; i++) {
    const WlStoredFault *f = &g_array_index (imp->faults, WlStoredFault, i);

    wl_put_time (o.row, f->time);
    g_string_append_printf (o.row, ",%s", f->kind);
    comma_text (o.row, TRUE, f->target);
    g_string_append_c (o.row, ',');
    if (f->duration != WL_TIME_NEVER)
      wl_put_time (o.row, f->duration);
    comma_text (o.row, TRUE, f->value);
    wl_out_end_row (&o);
  }
  return wl_out_close (&o, error);
}

static gboolean
write_text (const char *dir, const char *name, const char *text, GError **error)
{
  g_auto (WlOut) o = { 0 };

  if (!wl_out_open (&o, dir, name, error))
    return FALSE;
  g_string_append (o.row, text);
  return wl_out_close (&o, error);
}

/* What the format wrote itself, and jobs that a table cannot say. */
static gboolean
write_objects (const WlImport *imp, const char *dir, GError **error)
{
  g_auto (WlOut) o = { 0 };

  if (!wl_out_open (&o, dir, "objects.yaml", error))
    return FALSE;
  g_string_append (o.row, imp->objects->str);
  for (guint32 i = 0; i < wl_import_n_jobs (imp); i++) {
    const WlStoredJob job = wl_import_get_job (imp, i);

    if (wl_import_is_object (imp, &job)) {
      wl_put_object (imp, o.row, i);
      if (o.row->len > 192 * 1024)
        wl_out_flush (&o);
    }
  }
  return wl_out_close (&o, error);
}

/* ---- the scenario ------------------------------------------------------------------------------------- */

static const char conf_with_cards[] = /* the chart's configuration, and deviceshare */
    "actions: \"enqueue, allocate, backfill\"\n"
    "tiers:\n"
    "- plugins:\n"
    "  - name: priority\n"
    "  - name: gang\n"
    "    enablePreemptable: false\n"
    "  - name: conformance\n"
    "- plugins:\n"
    "  - name: overcommit\n"
    "  - name: drf\n"
    "    enablePreemptable: false\n"
    "  - name: deviceshare\n"
    "    arguments:\n"
    "      deviceshare.VGPUEnable: true\n"
    "      deviceshare.SchedulePolicy: binpack\n"
    "  - name: predicates\n"
    "  - name: proportion\n"
    "  - name: nodeorder\n"
    "  - name: binpack\n";

static gboolean
write_scenario (const WlImport *imp, const char *dir, GError **error)
{
  g_autoptr (GString) s = g_string_new (NULL);

  g_string_append_printf (s, "# %s, imported by volsim; import.txt tells what became of it. Paths are relative to this file.\n", imp->format->title);
  g_string_append (s, imp->nodes->len > 0 ? "nodes: nodes.csv\n" : "# nodes: this trace has none\n");
  g_string_append (s, has_job_table (imp) ? "jobs: jobs.csv\n" : "");
  if (imp->queues->len > 0)
    g_string_append (s, "queues: queues.csv\n");
  if (imp->objects->len > 0 || imp->objects_needed)
    g_string_append (s, "objects: objects.yaml\n");
  if (imp->faults->len > 0)
    g_string_append (s, "faults: faults.csv\n");
  if (wl_packed_len (imp->records) > 0)
    g_string_append (s, "recorded: recorded.csv\n");
  if (imp->share == WL_GPU_DEVICE || imp->conf != NULL)
    g_string_append (s, "conf: volcano-scheduler.conf\n");
  if (imp->has_origin) {
    gint64 second = imp->origin + imp->offset / 1000000 - (imp->offset % 1000000 < 0);
    g_autoptr (GDateTime) date = g_date_time_new_from_unix_utc (second);
    g_autofree char *text = date != NULL ? g_date_time_format (date, "%Y-%m-%dT%H:%M:%SZ") : NULL;

    if (text != NULL)
      g_string_append_printf (s, "start: %s\n", text);
  }
  g_string_append (s, imp->scenario->str);
  if (imp->classes->len > 0)
    g_string_append (s, "priority_classes:\n");
  for (guint i = 0; i < imp->classes->len; i++) {
    const WlStoredClass *c = &g_array_index (imp->classes, WlStoredClass, i);

    g_string_append_printf (s, "  %s: %d\n", c->name, c->value);
  }
  return write_text (dir, "scenario.yaml", s->str, error);
}

/* Queues that jobs name and nobody has declared come behind the others, with weight 1. */
static void
complete_queues (WlImport *imp)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) missing = g_ptr_array_new ();

  g_hash_table_add (known, (gpointer) "default");
  for (guint i = 0; i < imp->queues->len; i++)
    g_hash_table_add (known, (gpointer) g_array_index (imp->queues, WlStoredQueue, i).name);
  for (guint i = 0; i < wl_records_len (imp->job_traits); i++) {
    const WlJobTraits *t = wl_records_get (imp->job_traits, i);

    if (t->queue != NULL && g_hash_table_add (known, (gpointer) t->queue))
      g_ptr_array_add (missing, (gpointer) t->queue);
  }
  g_ptr_array_sort (missing, wl_by_name);
  for (guint i = 0; i < missing->len; i++) {
    WlStoredQueue q = { .name = missing->pdata[i], .weight = 1 };

    g_array_append_val (imp->queues, q);
  }
}

gboolean
wl_import_write (WlImport *imp, const char *dir, GError **error)
{
  complete_queues (imp);
  return (imp->nodes->len == 0 || write_nodes (imp, dir, error)) && write_jobs (imp, dir, error)
         && (imp->queues->len == 0 || write_queues (imp, dir, error)) && (imp->faults->len == 0 || write_faults (imp, dir, error))
         && ((imp->objects->len == 0 && !imp->objects_needed) || write_objects (imp, dir, error))
         && ((imp->share != WL_GPU_DEVICE && imp->conf == NULL) || write_text (dir, "volcano-scheduler.conf", imp->conf != NULL ? imp->conf : conf_with_cards, error))
         && write_scenario (imp, dir, error);
}
