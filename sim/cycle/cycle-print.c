#include "cycle-print.h"
#include "core/session/messages.h"
#include "core/session/session-private.h"
#include <string.h>

/* A small tree of values with sorted keys: JSON and YAML are printed from it, the table reads it too. */
typedef enum { V_TEXT, V_NUMBER, V_BOOL, V_MAP, V_LIST } ValueKind;
typedef struct Value Value;
struct Value {
  ValueKind kind;
  char *text;
  double number;
  GTree *map;       /* key → Value */
  GPtrArray *list;
};
struct SimAnswer {
  Value *root; /* map */
};

static void
value_free (gpointer p)
{
  Value *v = p;

  if (v == NULL)
    return;
  g_free (v->text);
  if (v->map != NULL)
    g_tree_unref (v->map);
  if (v->list != NULL)
    g_ptr_array_unref (v->list);
  g_free (v);
}

static int
compare_keys (gconstpointer a, gconstpointer b, gpointer unused)
{
  return strcmp (a, b);
}

static Value *
value_new (ValueKind kind)
{
  Value *v = g_new0 (Value, 1);

  v->kind = kind;
  if (kind == V_MAP)
    v->map = g_tree_new_full (compare_keys, NULL, g_free, value_free);
  if (kind == V_LIST)
    v->list = g_ptr_array_new_with_free_func (value_free);
  return v;
}

static Value *
put (Value *map, const char *key, Value *v)
{
  g_tree_replace (map->map, g_strdup (key), v);
  return v;
}

static void
put_text (Value *map, const char *key, const char *text)
{
  put (map, key, value_new (V_TEXT))->text = g_strdup (text);
}

static void
put_number (Value *map, const char *key, double number)
{
  put (map, key, value_new (V_NUMBER))->number = number;
}

static Value *
get (const Value *map, const char *key)
{
  return g_tree_lookup (map->map, key);
}

SimAnswer *
sim_answer_new (void)
{
  static const char *const maps[] = { "binds", "pipelined", "nominated", "podgroups", "jobs", "queues", "fit" };
  SimAnswer *a = g_new0 (SimAnswer, 1);

  a->root = value_new (V_MAP);
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++)
    put (a->root, maps[i], value_new (V_MAP));
  put (a->root, "evictions", value_new (V_LIST));
  return a;
}

void
sim_answer_free (SimAnswer *a)
{
  if (a == NULL)
    return;
  value_free (a->root);
  g_free (a);
}

void
sim_answer_bind (SimAnswer *a, const char *pod, const char *node)
{
  put_text (get (a->root, "binds"), pod, node);
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(Value *const *) a)->text, (*(Value *const *) b)->text);
}

void
sim_answer_evict (SimAnswer *a, const char *pod)
{
  Value *list = get (a->root, "evictions"), *v = value_new (V_TEXT);

  v->text = g_strdup (pod);
  g_ptr_array_add (list->list, v);
  g_ptr_array_sort (list->list, compare_texts);
}

/* ---- capture ------------------------------------------------------------------------------------ */

static void
put_vector (Value *map, const char *key, const VcRes *r, const VcResNames *names)
{
  Value *v = put (map, key, value_new (V_MAP));

  for (guint d = 0; d < r->n; d++)
    if (vc_res_has (r, d))
      put_number (v, vc_res_names_get (names, d), r->v[d]);
}

static void
capture_queue (SimAnswer *a, VcSession *ssn, guint32 row)
{
  const VcCluster *c = ssn->cluster;
  const VcQueueGauge *g = vc_session_gauge (ssn, row);
  Value *q = put (get (a->root, "queues"), c->queue[row].name, value_new (V_MAP));

  put_vector (q, "allocated", g->allocated, c->names);
  put_vector (q, "request", g->request, c->names);
  put_vector (q, "inqueue", g->inqueue, c->names);
  if (g->published)
    put_vector (q, "deserved", g->deserved, c->names);
  if (g->weight != 0)
    put_number (q, "weight", g->weight);
  if (g->parts & VC_GAUGE_SHARE)
    put_number (q, "share", g->share);
  if (g->parts & VC_GAUGE_OVERUSED)
    put (q, "overused", value_new (V_BOOL))->number = g->overused;
  if (g->parts & VC_GAUGE_CAPACITY)
    put_vector (q, "capacity", g->capacity, c->names);
  if (g->parts & VC_GAUGE_REAL_CAPACITY)
    put_vector (q, "real_capacity", g->real_capacity, c->names);
}

static void
capture_job (SimAnswer *a, VcSession *ssn, guint32 row)
{
  const VcCluster *c = ssn->cluster;
  const VcJob *j = &c->job[row];
  Value *pg = put (get (a->root, "podgroups"), j->key, value_new (V_MAP));
  Value *job = put (get (a->root, "jobs"), j->key, value_new (V_MAP));
  Value *conditions = put (pg, "conditions", value_new (V_LIST)), *tasks = put (job, "tasks", value_new (V_MAP));

  put_text (pg, "phase", j->phase_text);
  for (guint i = 0; i < j->n_conds; i++) {
    Value *cond = value_new (V_MAP);
    put_text (cond, "type", j->cond[i].type);
    put_text (cond, "status", j->cond[i].status);
    put_text (cond, "reason", j->cond[i].reason);
    put_text (cond, "message", j->cond[i].message != NULL ? j->cond[i].message : "");
    g_ptr_array_add (conditions->list, cond);
  }
  for (guint s = 0; s < VC_N_STATUS; s++)
    if (j->count[s] > 0)
      put_number (tasks, vc_status_names[s], j->count[s]);
  g_autofree char *reason = vc_session_job_fit_text (ssn, row);
  put_text (job, "reason", reason);
  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = &c->task[j->task[i]];
    if (t->status == VC_PIPELINED) {
      put_text (get (a->root, "pipelined"), t->key, c->nodes.info[t->node].name);
      if (t->evicted_for)
        put_text (get (a->root, "nominated"), t->key, c->nodes.info[t->node].name);
    }
    if (t->status == VC_PENDING && t->last_status == VC_PIPELINED && t->last_evicted)
      put_text (get (a->root, "nominated"), t->key, c->nodes.info[t->last_node].name);
  }
  /* Reasons of tasks left pending; of a task's records the newest counts. */
  for (const VcFit *f = j->fit; f != NULL; f = f->next) {
    const VcTask *t = &c->task[f->task];
    Value *fit = get (a->root, "fit");
    if (t->status != VC_PENDING || f->n_reasons == 0 || get (fit, t->key) != NULL)
      continue;
    Value *v = put (fit, t->key, value_new (V_MAP));
    for (guint i = 0; i < f->n_reasons; i++)
      put_number (v, f->reason[i].reason, f->reason[i].nodes);
  }
}

void
sim_answer_capture (SimAnswer *a, VcSession *ssn)
{
  static const char *const fresh[] = { "pipelined", "nominated", "podgroups", "jobs", "queues", "fit" };
  guint n;

  for (guint i = 0; i < G_N_ELEMENTS (fresh); i++)
    put (a->root, fresh[i], value_new (V_MAP));
  const guint32 *rows = vc_session_jobs (ssn, &n);
  for (guint i = 0; i < n; i++)
    capture_job (a, ssn, rows[i]);
  rows = vc_session_queues (ssn, &n);
  for (guint i = 0; i < n; i++)
    capture_queue (a, ssn, rows[i]);
}

/* ---- JSON and YAML ------------------------------------------------------------------------------ */

static void
append_quoted (GString *out, const char *s)
{
  g_string_append_c (out, '"');
  for (; *s != '\0'; s++) {
    guchar ch = (guchar) *s;
    if (ch == '"' || ch == '\\')
      g_string_append_printf (out, "\\%c", ch);
    else if (ch == '\n')
      g_string_append (out, "\\n");
    else if (ch < 0x20)
      g_string_append_printf (out, "\\u%04x", ch);
    else
      g_string_append_c (out, (char) ch);
  }
  g_string_append_c (out, '"');
}

static void
append_number (GString *out, double v)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  if (v > -9e15 && v < 9e15 && v == (double) (gint64) v)
    g_string_append_printf (out, "%" G_GINT64_FORMAT, (gint64) v);
  else
    g_string_append (out, g_ascii_dtostr (buf, sizeof buf, v));
}

static void append_value (GString *out, const Value *v, SimFormat format, guint depth);

typedef struct { GString *out; SimFormat format; guint depth; gboolean first; } Printer;

static void
newline (Printer *p)
{
  if (p->format == SIM_FORMAT_JSON) {
    g_string_append (p->out, p->first ? "\n" : ",\n");
  } else if (!p->first || p->depth > 0) {
    g_string_append_c (p->out, '\n');
  }
  p->first = FALSE;
  for (guint i = 0; i < p->depth * 2 + (p->format == SIM_FORMAT_JSON ? 2u : 0u); i++)
    g_string_append_c (p->out, ' ');
}

static gboolean
print_entry (gpointer key, gpointer value, gpointer user)
{
  Printer *p = user;

  newline (p);
  append_quoted (p->out, key); /* in YAML too: keys such as "3" or "yes" stay texts */
  g_string_append (p->out, ": ");
  append_value (p->out, value, p->format, p->depth + 1);
  return FALSE;
}

static void
append_value (GString *out, const Value *v, SimFormat format, guint depth)
{
  Printer p = { out, format, depth, TRUE };

  switch (v->kind) {
  case V_TEXT:
    append_quoted (out, v->text);
    return;
  case V_NUMBER:
    append_number (out, v->number);
    return;
  case V_BOOL:
    g_string_append (out, v->number != 0 ? "true" : "false");
    return;
  case V_MAP:
    if (g_tree_nnodes (v->map) == 0) {
      g_string_append (out, "{}");
      return;
    }
    if (format == SIM_FORMAT_JSON)
      g_string_append_c (out, '{');
    g_tree_foreach (v->map, print_entry, &p);
    break;
  case V_LIST:
    if (v->list->len == 0) {
      g_string_append (out, "[]");
      return;
    }
    if (format == SIM_FORMAT_JSON)
      g_string_append_c (out, '[');
    for (guint i = 0; i < v->list->len; i++) {
      newline (&p);
      if (format == SIM_FORMAT_YAML)
        g_string_append (out, "- ");
      append_value (out, v->list->pdata[i], format == SIM_FORMAT_YAML && ((Value *) v->list->pdata[i])->kind == V_TEXT ? format : SIM_FORMAT_JSON, depth + 1);
    }
    break;
  default:
    break;
  }
  if (format == SIM_FORMAT_JSON) {
    g_string_append_c (out, '\n');
    for (guint i = 0; i < depth * 2; i++)
      g_string_append_c (out, ' ');
    g_string_append_c (out, v->kind == V_MAP ? '}' : ']');
  }
}

/* ---- the table ---------------------------------------------------------------------------------- */

static gboolean
row_pair (gpointer key, gpointer value, gpointer user)
{
  g_string_append_printf (user, "  %-40s %s\n", (const char *) key, ((Value *) value)->text);
  return FALSE;
}

typedef struct { GString *out; const SimAnswer *a; } Rows;

static gboolean
row_count (gpointer key, gpointer value, gpointer user)
{
  GString *out = user;
  g_string_append_printf (out, "%s%.0f %s", out->len > 0 ? ", " : "", ((Value *) value)->number, (const char *) key);
  return FALSE;
}

static gboolean
row_job (gpointer key, gpointer value, gpointer user)
{
  Rows *r = user;
  Value *job = value, *pg = get (get (r->a->root, "podgroups"), key), *tasks = get (job, "tasks");
  g_autoptr (GString) counts = g_string_new (NULL);

  g_tree_foreach (tasks->map, row_count, counts);
  g_string_append_printf (r->out, "  %-40s %-10s %s\n", (const char *) key, get (pg, "phase")->text, counts->str);
  if (get (tasks, "Pending") != NULL)
    g_string_append_printf (r->out, "      why: %s\n", get (job, "reason")->text);
  return FALSE;
}

static void
append_amounts (GString *out, Value *q, const char *key)
{
  Value *v = get (q, key), *cpu = v != NULL ? get (v, "cpu") : NULL, *memory = v != NULL ? get (v, "memory") : NULL;

  if (cpu == NULL || memory == NULL)
    g_string_append_printf (out, " %20s", "-");
  else
    g_string_append_printf (out, " %9.1f /%7.1fGi", cpu->number / 1000, memory->number / 1073741824.0);
}

static gboolean
row_queue (gpointer key, gpointer value, gpointer user)
{
  GString *out = user;
  Value *q = value, *share = get (q, "share"), *over = get (q, "overused");

  g_string_append_printf (out, "  %-20s", (const char *) key);
  append_amounts (out, q, "allocated");
  append_amounts (out, q, "deserved");
  append_amounts (out, q, "request");
  if (share != NULL)
    g_string_append_printf (out, "  %.3f%s", share->number, over != NULL && over->number != 0 ? " overused" : "");
  g_string_append_c (out, '\n');
  return FALSE;
}

static void
append_pairs (GString *out, const SimAnswer *a, const char *title, const char *key)
{
  Value *map = get (a->root, key);

  g_string_append_printf (out, "%s (%d)\n", title, g_tree_nnodes (map->map));
  g_tree_foreach (map->map, row_pair, out);
}

static char *
print_table (const SimAnswer *a)
{
  GString *out = g_string_new (NULL);
  Value *evictions = get (a->root, "evictions");
  Rows rows = { out, a };

  append_pairs (out, a, "BINDS: pod, node", "binds");
  if (g_tree_nnodes (get (a->root, "pipelined")->map) > 0)
    append_pairs (out, a, "PIPELINED: pod, node (waits for what is being released)", "pipelined");
  if (evictions->list->len > 0) {
    g_string_append_printf (out, "EVICTIONS (%u)\n", evictions->list->len);
    for (guint i = 0; i < evictions->list->len; i++)
      g_string_append_printf (out, "  %s\n", ((Value *) evictions->list->pdata[i])->text);
  }
  g_string_append (out, "JOBS: PodGroup, phase after the cycle, tasks\n");
  g_tree_foreach (get (a->root, "jobs")->map, row_job, &rows);
  g_string_append_printf (out, "QUEUES: %-12s %20s %20s %20s  share\n", "", "allocated cpu/mem", "deserved cpu/mem", "request cpu/mem");
  g_tree_foreach (get (a->root, "queues")->map, row_queue, out);
  return g_string_free (out, FALSE);
}

/* One more member of the map that @out ends with; JSON is YAML in flow style. */
static void
append_member (GString *out, SimFormat format, const char *key, const char *json)
{
  if (json == NULL)
    return;
  if (format == SIM_FORMAT_JSON)
    g_string_truncate (out, out->len - strlen ("\n}"));
  g_string_append_printf (out, format == SIM_FORMAT_JSON ? ",\n  \"%s\": %s\n}" : "\n\"%s\": %s", key, json);
}

char *
sim_answer_print (const SimAnswer *a, SimFormat format, const char *explanation, const char *diagnoses)
{
  if (format == SIM_FORMAT_TABLE) {
    g_autofree char *table = print_table (a);
    return g_strconcat (table, explanation != NULL ? explanation : "", diagnoses, NULL);
  }
  GString *out = g_string_new (NULL);
  append_value (out, a->root, format, 0);
  append_member (out, format, "explain", explanation);
  append_member (out, format, "diagnoses", diagnoses);
  g_string_append_c (out, '\n');
  return g_string_free (out, FALSE);
}
