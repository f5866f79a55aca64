/* workloads/import/store.c - what a format reports, kept small: equal requests and traits are one record, texts are one pointer. */
#include "import-private.h"
#include "sort.h"
#include "workloads/text/parse.h"
#include <string.h>

#define LONGEST_FLOW 20 /* with a step, a hyphen and what tells both apart it is a name */
#define LONGEST_STEP 24

void
wl_import_store_init (WlImport *imp)
{
  imp->texts = wl_texts_new ();
  imp->names = g_string_chunk_new (64 * 1024);
  imp->job_names = wl_texts_new ();
  imp->job_ids = g_hash_table_new (g_str_hash, g_str_equal);
  imp->node_names = g_hash_table_new (g_str_hash, g_str_equal);
  imp->queue_names = g_hash_table_new (g_str_hash, g_str_equal);
  imp->flow_names = g_hash_table_new (g_str_hash, g_str_equal);
  imp->step_names = g_hash_table_new (g_str_hash, g_str_equal);
  imp->names_taken = g_hash_table_new (g_str_hash, g_str_equal);
  imp->requests = wl_records_new (sizeof (WlImportAmounts));
  imp->role_traits = wl_records_new (sizeof (WlRoleTraits));
  imp->job_traits = wl_records_new (sizeof (WlJobTraits));
  wl_import_rows_init (imp);
  imp->steps = g_array_new (FALSE, FALSE, sizeof (WlStoredStep));
  imp->after = g_array_new (FALSE, FALSE, sizeof (guint32));
  imp->durations = g_array_new (FALSE, FALSE, sizeof (WlTime));
  imp->nodes = g_array_new (FALSE, FALSE, sizeof (WlStoredNode));
  imp->queues = g_array_new (FALSE, FALSE, sizeof (WlStoredQueue));
  imp->faults = g_array_new (FALSE, FALSE, sizeof (WlStoredFault));
  imp->classes = g_array_new (FALSE, FALSE, sizeof (WlStoredClass));
  imp->extra_columns = g_ptr_array_new ();
  imp->extras = g_ptr_array_new ();
  imp->objects = g_string_new (NULL);
  imp->scenario = g_string_new (NULL);
}

void
wl_import_store_clear (WlImport *imp)
{
  GArray **const arrays[]
      = { &imp->durations, &imp->steps, &imp->after, &imp->nodes, &imp->queues, &imp->faults, &imp->classes };
  GHashTable **const tables[] = { &imp->job_ids, &imp->node_names, &imp->queue_names, &imp->flow_names, &imp->step_names, &imp->names_taken };
  WlPacked **const packed[] = { &imp->jobs, &imp->roles, &imp->records };
  WlRecords **const records[] = { &imp->requests, &imp->role_traits, &imp->job_traits };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_clear_pointer (arrays[i], g_array_unref);
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    g_clear_pointer (tables[i], g_hash_table_unref);
  for (guint i = 0; i < G_N_ELEMENTS (records); i++)
    g_clear_pointer (records[i], wl_records_free);
  for (guint i = 0; i < G_N_ELEMENTS (packed); i++)
    g_clear_pointer (packed[i], wl_packed_free);
  g_clear_pointer (&imp->extra_columns, g_ptr_array_unref);
  g_clear_pointer (&imp->extras, g_ptr_array_unref);
  g_clear_pointer (&imp->names, g_string_chunk_free);
  g_clear_pointer (&imp->texts, wl_texts_free);
  g_clear_pointer (&imp->job_names, wl_texts_free);
  g_clear_pointer (&imp->order, g_free);
  g_clear_pointer (&imp->conf, g_free);
  if (imp->objects != NULL)
    g_string_free (g_steal_pointer (&imp->objects), TRUE);
  if (imp->scenario != NULL)
    g_string_free (g_steal_pointer (&imp->scenario), TRUE);
}

/* ---- names ---------------------------------------------------------------------------------------- */

/* @text in at most @max bytes of a name; a dot stays one when @dots. */
static char *
clean (const char *text, gboolean dots, gsize max)
{
  GString *out = g_string_sized_new (max);

  for (const char *p = text; *p != '\0' && out->len < max; p++) {
    char c = g_ascii_tolower (*p), last = out->len > 0 ? out->str[out->len - 1] : '-';

    if (g_ascii_isalnum (c))
      g_string_append_c (out, c);
    else if (g_ascii_isalnum (last))
      g_string_append_c (out, dots && c == '.' ? '.' : '-');
  }
  while (out->len > 0 && !g_ascii_isalnum (out->str[out->len - 1]))
    g_string_truncate (out, out->len - 1);
  if (out->len == 0)
    g_string_append_c (out, 'x');
  return g_string_free (out, FALSE);
}

char *
wl_import_label (const char *text)
{
  return clean (text, FALSE, WL_LABEL_MAX);
}

char *
wl_import_label_value (const char *text)
{
  GString *out = g_string_new (NULL);

  for (const char *p = text; *p != '\0' && out->len < WL_LABEL_MAX; p++)
    if (out->len > 0 || g_ascii_isalnum (*p))
      g_string_append_c (out, g_ascii_isalnum (*p) || strchr ("-_.", *p) != NULL ? *p : '-');
  while (out->len > 0 && !g_ascii_isalnum (out->str[out->len - 1]))
    g_string_truncate (out, out->len - 1);
  return g_string_free (out, FALSE);
}

/* The same, told apart from another text that became the same name. */
static char *
told_apart (const char *text, const char *name, guint attempt)
{
  guint32 h = 2166136261u + attempt;

  for (const char *p = text; *p != '\0'; p++)
    h = (h ^ (guint8) *p) * 16777619u;
  return g_strdup_printf ("%.54s-%08x", name, h);
}

/* The name of the text @text in @table; two texts never share one. */
static const char *
name_of (WlImport *imp, GHashTable *table, char kind, gsize max, const char *text)
{
  const char *known = g_hash_table_lookup (table, text);
  g_autofree char *name = NULL;

  if (known != NULL)
    return known;
  name = clean (text, TRUE, max);
  for (guint attempt = 0;; attempt++) {
    g_autofree char *key = attempt == 0 ? g_strdup_printf ("%c/%s", kind, name) : NULL, *other = NULL;

    if (attempt > 0) {
      other = told_apart (text, name, attempt);
      key = g_strdup_printf ("%c/%s", kind, other);
    }
    if (kind == 'q' && strcmp (key, "q/root") == 0)
      continue; /* Volcano's own */
    if (!g_hash_table_contains (imp->names_taken, key)) {
      const char *kept = g_string_chunk_insert (imp->names, key);

      g_hash_table_add (imp->names_taken, (gpointer) kept);
      g_hash_table_insert (table, g_string_chunk_insert (imp->names, text), (gpointer) (kept + 2));
      return kept + 2;
    }
  }
}

const char *
wl_import_node_name (WlImport *imp, const char *text)
{
  return text != NULL && *text != '\0' ? name_of (imp, imp->node_names, 'n', WL_LABEL_MAX, text) : NULL;
}

static const char *
queue_name (WlImport *imp, const char *text)
{
  return text != NULL && *text != '\0' ? name_of (imp, imp->queue_names, 'q', WL_LABEL_MAX, text) : NULL;
}

/* "n1|n2" with names made valid. */
static const char *
node_names (WlImport *imp, const char *text)
{
  g_autoptr (GString) out = NULL;
  g_auto (GStrv) part = NULL;

  if (text == NULL || *text == '\0')
    return NULL;
  if (strchr (text, '|') == NULL)
    return wl_import_node_name (imp, text);
  out = g_string_new (NULL);
  part = g_strsplit (text, "|", -1);
  for (char **p = part; *p != NULL; p++)
    g_string_append_printf (out, "%s%s", p > part ? "|" : "", **p != '\0' ? wl_import_node_name (imp, *p) : "");
  return wl_texts_add (imp->texts, out->str);
}

/* The name of a job with the trace's id @id; NULL: it exists already. */
static const char *
job_name (WlImport *imp, const char *ns, const char *id)
{
  g_autofree char *full = ns != NULL ? g_strconcat (ns, "/", id, NULL) : NULL, *made = NULL;
  const char *key = full != NULL ? full : id;
  gboolean valid = wl_check_name (id, TRUE, WL_LABEL_MAX, NULL);
  gsize skip = ns != NULL ? strlen (ns) + 1 : 0;

  if (!valid) {
    g_autofree char *name = clean (id, TRUE, WL_LABEL_MAX);

    made = ns != NULL ? g_strconcat (ns, "/", name, NULL) : g_steal_pointer (&name);
  }
  for (guint attempt = 1;; attempt++) {
    const char *name = made != NULL ? made : key, *kept = wl_texts_add_new (imp->job_names, name), *owner;

    if (kept != NULL) {
      if (made != NULL)
        g_hash_table_insert (imp->job_ids, (gpointer) kept, g_string_chunk_insert (imp->names, key));
      return kept + skip;
    }
    owner = g_hash_table_lookup (imp->job_ids, name);
    if (strcmp (owner != NULL ? owner : name, key) == 0)
      return NULL;
    g_free (made);
    {
      g_autofree char *base = clean (id, TRUE, WL_LABEL_MAX), *other = told_apart (id, base, attempt);

      made = ns != NULL ? g_strconcat (ns, "/", other, NULL) : g_steal_pointer (&other);
    }
  }
}

/* ---- jobs ------------------------------------------------------------------------------------------- */

__extension__ typedef __int128 Wide;

gint64
wl_import_product (gint64 a, gint64 b, gint64 per)
{
  return (gint64) MIN ((Wide) a * b / per, WL_AMOUNT_MAX * 64);
}

static WlImportAmounts
keep_amounts (WlImport *imp, const WlImportAmounts *a)
{
  WlImportAmounts kept = *a;

  imp->too_much |= a->cpu_milli > WL_AMOUNT_MAX || a->memory > WL_AMOUNT_MAX;
  kept.more = wl_texts_add (imp->texts, a->more);
  if (kept.gpus == 0 || kept.gpu_milli >= 1000)
    kept.gpu_milli = 0;
  return kept;
}

/* A running time as --whole-seconds leaves it. */
static WlTime
cut (WlImport *imp, WlTime duration)
{
  if (!imp->whole_seconds || duration == WL_TIME_NEVER || duration % G_USEC_PER_SEC == 0)
    return duration;
  wl_import_note (imp, "running time cut to whole seconds", 1);
  return duration - duration % G_USEC_PER_SEC;
}

/* Gives the longest running time of the role's pods. */
static WlTime
store_role (WlImport *imp, const WlImportRole *role)
{
  g_autofree char *apart = role->apart != NULL ? wl_import_label (role->apart) : NULL;
  WlRoleTraits traits = { .name = wl_texts_add (imp->texts, role->name),
                          .selector = wl_texts_add (imp->texts, role->node_selector),
                          .tolerations = wl_texts_add (imp->texts, role->tolerations),
                          .apart = wl_texts_add (imp->texts, apart),
                          .scale = wl_texts_add (imp->texts, role->scale),
                          .apart_by = wl_texts_add (imp->texts, role->apart_by),
                          .spread = wl_texts_add (imp->texts, role->spread),
                          .checkpoint = role->checkpoint,
                          .restart_cost = role->restart_cost,
                          .min_available = role->min_available,
                          .exit_code = role->exit_code };
  WlImportAmounts request = keep_amounts (imp, &role->request);
  WlStoredRole stored = { .replicas = MAX (role->replicas, 1), .duration = cut (imp, role->duration) };
  WlTime longest = stored.duration;

  stored.traits = wl_records_add (imp->role_traits, &traits);
  stored.request = wl_records_add (imp->requests, &request);
  imp->shares |= request.gpu_milli != 0;
  imp->objects_needed |= traits.apart_by != NULL || traits.spread != NULL;
  if (role->durations != NULL) {
    stored.durations = imp->durations->len + 1;
    longest = 0;
    for (guint i = 0; i < stored.replicas; i++) {
      WlTime duration = cut (imp, role->durations[i]);

      longest = MAX (longest, duration);
      g_array_append_val (imp->durations, duration);
    }
  }
  wl_import_add_role_row (imp, &stored);
  return longest;
}

/* A step of a flow is <flow>-<template>, as its controller names it: both are told apart from others of their kind. */
static char *
step_name (WlImport *imp, const char **flow, const char *name)
{
  *flow = name_of (imp, imp->flow_names, 'f', LONGEST_FLOW, *flow);
  return g_strdup_printf ("%s-%s", *flow, name_of (imp, imp->step_names, 't', LONGEST_STEP, name));
}

/* JSON can say bytes that no table may hold, and that a terminal would obey: they are replaced, so that what is written can be read. */
static const char *
keep_text (WlImport *imp, const char *text)
{
  const char *p = text;

  if (text != NULL && imp->last_text != NULL && wl_same_text (imp->last_text, text))
    return imp->last_text; /* which is clean */
  while (p != NULL && *p != '\0' && (((guchar) *p >= 0x20 && *p != 0x7f) || *p == '\n' || *p == '\t'))
    p++;
  if (p == NULL || *p == '\0')
    return imp->last_text = wl_texts_add (imp->texts, text);
  g_autoptr (GString) clean = g_string_new (NULL);

  for (p = text; *p != '\0'; p++)
    if (((guchar) *p >= 0x20 && *p != 0x7f) || *p == '\n' || *p == '\t')
      g_string_append_c (clean, *p);
    else
      g_string_append (clean, "\xef\xbf\xbd");
  wl_import_note (imp, "texts with control characters, which are replaced", 1);
  return wl_texts_add (imp->texts, clean->str);
}

guint32
wl_import_job (WlImport *imp, const WlImportJob *job)
{
  const char *flow = job->flow;
  g_autofree char *step = flow != NULL ? step_name (imp, &flow, job->name) : NULL;
  const char *id = step != NULL ? step : job->name;
  g_autofree char *ns = job->ns != NULL && *job->ns != '\0' && !job->by_object ? wl_import_label (job->ns) : NULL;
  WlJobTraits traits = { .ns = wl_texts_add (imp->texts, job->by_object ? job->ns : ns),
                         .queue = job->by_object ? NULL : queue_name (imp, job->queue),
                         .priority = wl_texts_add (imp->texts, job->priority),
                         .remove = job->remove == 0 ? WL_TIME_NONE : job->remove,
                         .min_available = job->min_available,
                         .preemptable = job->preemptable };
  WlStoredJob stored = { .submit = job->submit, .walltime = MAX (job->walltime, 0), .first_role = wl_packed_len (imp->roles), .n_roles = job->n_roles, .by_object = job->by_object };
  WlTime longest = 0;

  g_assert (job->n_roles > 0 || job->by_object);
  if (job->queue != NULL && *job->queue == '\0' && !job->by_object)
    wl_import_default (imp, "queue (the trace names none: default)");
  if (job->by_object) {
    stored.name = wl_texts_add (imp->texts, id);
    imp->object_jobs++;
  } else if (id != NULL && *id != '\0') {
    stored.name = job_name (imp, traits.ns, id);
    if (stored.name == NULL) {
      wl_import_drop (imp, "duplicate id");
      return G_MAXUINT32;
    }
  } else {
    stored.number = imp->unnamed++;
  }
  if (flow != NULL) {
    WlStoredStep of = { flow, imp->after->len, 0 };

    for (guint i = 0; i < job->n_after; i++)
      if (job->after[i] != G_MAXUINT32) { /* a job that was dropped */
        g_array_append_val (imp->after, job->after[i]);
        of.n_after++;
      }
    g_array_append_val (imp->steps, of);
    stored.step = imp->steps->len;
    imp->objects_needed = TRUE;
  }
  stored.traits = wl_records_add (imp->job_traits, &traits);
  for (guint i = 0; i < job->n_roles; i++) {
    const WlTime run = store_role (imp, &job->role[i]);

    longest = MAX (longest, run);
  }
  if (stored.walltime == 0 && imp->assume_walltime && longest != WL_TIME_NEVER) {
    stored.walltime = longest;
    wl_import_default (imp, "walltime (the running time)");
  }
  imp->walltimes |= stored.walltime > 0;
  for (guint i = 0; i < imp->extra_columns->len; i++)
    g_ptr_array_add (imp->extras, (gpointer) keep_text (imp, job->extra != NULL ? job->extra[i] : NULL));
  return wl_import_add_job_row (imp, &stored);
}

void
wl_import_extra (WlImport *imp, const char *column)
{
  g_assert (wl_import_n_jobs (imp) == 0);
  g_ptr_array_add (imp->extra_columns, (gpointer) wl_texts_add (imp->texts, column));
}

void
wl_import_recorded (WlImport *imp, guint32 job, const WlImportRecord *record)
{
  WlStoredRecord stored = { .wait = record->wait, .start = record->start, .end = record->end, .job = job, .evictions = record->evictions };

  if (job == G_MAXUINT32)
    return;
  stored.status = keep_text (imp, record->status);
  stored.nodes = node_names (imp, record->nodes);
  wl_import_add_record_row (imp, &stored);
}

/* ---- the cluster -------------------------------------------------------------------------------------- */

void
wl_import_node (WlImport *imp, const WlImportNode *node)
{
  g_autofree char *numbered = node->name == NULL ? g_strdup_printf ("n-%u", imp->nodes->len) : NULL;
  WlStoredNode stored = { .name = wl_import_node_name (imp, node->name != NULL ? node->name : numbered),
                          .model = wl_texts_add (imp->texts, node->model),
                          .labels = wl_texts_add (imp->texts, node->labels),
                          .taints = wl_texts_add (imp->texts, node->taints),
                          .annotations = wl_texts_add (imp->texts, node->annotations),
                          .time = node->time,
                          .capacity = keep_amounts (imp, &node->capacity),
                          .pods = !wl_import_given (imp, "node-pods")            ? node->pods
                                  : wl_import_number (imp, "node-pods") == 0 ? -1
                                                                             : wl_import_number (imp, "node-pods"),
                          .event = node->event,
                          .count = MAX (node->count, 1) };

  g_array_append_val (imp->nodes, stored);
}

void
wl_import_queue (WlImport *imp, const WlImportQueue *queue)
{
  WlStoredQueue stored = { .name = queue_name (imp, queue->name),
                           .parent = queue_name (imp, queue->parent),
                           .time = queue->time,
                           .weight = MAX (queue->weight, 1),
                           .reclaimable = queue->reclaimable,
                           .gpu_limit = queue->gpu_limit,
                           .capability = keep_amounts (imp, &queue->capability),
                           .deserved = keep_amounts (imp, &queue->deserved),
                           .guarantee = keep_amounts (imp, &queue->guarantee) };

  if (stored.name == NULL) /* that of the jobs without one */
    stored.name = wl_texts_add (imp->texts, "default");
  g_array_append_val (imp->queues, stored);
}

void
wl_import_priority_class (WlImport *imp, const char *name, gint32 value)
{
  WlStoredClass c = { wl_texts_add (imp->texts, name), value };

  for (guint i = 0; i < imp->classes->len; i++)
    if (g_array_index (imp->classes, WlStoredClass, i).name == c.name)
      return;
  g_array_append_val (imp->classes, c);
}

void
wl_import_fault (WlImport *imp, const WlImportFault *fault)
{
  WlStoredFault stored = { .time = fault->time,
                           .duration = fault->duration,
                           .kind = wl_texts_add (imp->texts, fault->kind),
                           .target = node_names (imp, fault->target),
                           .value = wl_texts_add (imp->texts, fault->value) };

  g_array_append_val (imp->faults, stored);
}

GString *
wl_import_objects (WlImport *imp)
{
  return imp->objects;
}

void
wl_import_conf (WlImport *imp, const char *text)
{
  if (imp->conf == NULL)
    imp->conf = g_strdup (text);
}

void
wl_import_object_queue (WlImport *imp)
{
  imp->object_queues++;
}

void
wl_import_scenario (WlImport *imp, const char *key, const char *value)
{
  g_string_append_printf (imp->scenario, "%s: %s\n", key, value);
}

void
wl_import_origin (WlImport *imp, gint64 unix_seconds)
{
  imp->has_origin = TRUE;
  imp->origin = unix_seconds;
}

void
wl_import_set_offset (WlImport *imp, WlTime offset)
{
  imp->has_offset = TRUE;
  imp->offset = offset;
}

void
wl_import_span (WlImport *imp, WlTime begin, WlTime end)
{
  imp->has_span = TRUE;
  imp->span_begin = begin;
  imp->span_end = end;
}

/* ---- before writing ------------------------------------------------------------------------------------- */

static int
by_time (gconstpointer a, gconstpointer b, gpointer data)
{
  const WlStoredNode *nodes = data;
  guint32 l = *(const guint32 *) a, r = *(const guint32 *) b;

  if (nodes[l].time != nodes[r].time)
    return nodes[l].time < nodes[r].time ? -1 : 1;
  return l < r ? -1 : l > r;
}

/* Nodes by time, those of one time in the order in which they came. */
static void
sort_nodes (WlImport *imp)
{
  guint n = imp->nodes->len;
  g_autofree guint32 *order = g_new (guint32, n + 1);
  g_autoptr (GArray) sorted = g_array_sized_new (FALSE, FALSE, sizeof (WlStoredNode), n);

  for (guint32 i = 0; i < n; i++) {
    WlStoredNode *node = &g_array_index (imp->nodes, WlStoredNode, i);

    node->time = node->time == WL_TIME_NONE ? 0 : MAX (node->time - imp->offset, 0);
    order[i] = i;
  }
  g_qsort_with_data (order, (gint) n, sizeof *order, by_time, imp->nodes->data);
  for (guint32 i = 0; i < n; i++)
    g_array_append_val (sorted, g_array_index (imp->nodes, WlStoredNode, order[i]));
  g_array_unref (imp->nodes);
  imp->nodes = g_steal_pointer (&sorted);
}

/* A node that is there cannot come again. */
static void
drop_duplicate_nodes (WlImport *imp)
{
  g_autoptr (GHashTable) there = g_hash_table_new (g_str_hash, g_str_equal);
  guint n = 0;

  for (guint i = 0; i < imp->nodes->len; i++) {
    const WlStoredNode node = g_array_index (imp->nodes, WlStoredNode, i);

    if (node.event == WL_NODE_REMOVE)
      g_hash_table_remove (there, node.name);
    if (node.event == WL_NODE_ADD && !g_hash_table_add (there, (gpointer) node.name))
      wl_import_note (imp, "duplicate node, left out", 1); /* not every list of nodes counts as rows */
    else
      g_array_index (imp->nodes, WlStoredNode, n++) = node;
  }
  g_array_set_size (imp->nodes, n);
}

static gboolean
any_amount (const WlImportAmounts *a)
{
  return a->cpu_milli > 0 || a->memory > 0 || a->gpus > 0 || a->more != NULL;
}

/* Changes of a queue from before time 0 are what it begins with. */
static void
settle_queues (WlImport *imp)
{
  g_autoptr (GHashTable) first = g_hash_table_new (NULL, NULL); /* name → 1 + its row at time 0 */
  guint n = 0;

  for (guint i = 0; i < imp->queues->len; i++) {
    WlStoredQueue *q = &g_array_index (imp->queues, WlStoredQueue, i), *known;
    guint at = GPOINTER_TO_UINT (g_hash_table_lookup (first, q->name));

    q->time = q->time == WL_TIME_NONE ? 0 : MAX (q->time - imp->offset, 0);
    if (q->time > 0 || at == 0) {
      if (q->time == 0)
        g_hash_table_insert (first, (gpointer) q->name, GUINT_TO_POINTER (n + 1));
      g_array_index (imp->queues, WlStoredQueue, n++) = *q;
      continue;
    }
    known = &g_array_index (imp->queues, WlStoredQueue, at - 1);
    known->weight = q->weight;
    known->parent = q->parent != NULL ? q->parent : known->parent;
    known->reclaimable = q->reclaimable != 0 ? q->reclaimable : known->reclaimable;
    if (any_amount (&q->capability) || q->gpu_limit) {
      known->capability = q->capability;
      known->gpu_limit = q->gpu_limit;
    }
    known->deserved = any_amount (&q->deserved) ? q->deserved : known->deserved;
    known->guarantee = any_amount (&q->guarantee) ? q->guarantee : known->guarantee;
  }
  g_array_set_size (imp->queues, n);
}

/* What is over before time 0 is gone, what began before it lasts for the rest. */
static void
settle_faults (WlImport *imp)
{
  guint n = 0;

  for (guint i = 0; i < imp->faults->len; i++) {
    WlStoredFault f = g_array_index (imp->faults, WlStoredFault, i);

    f.time -= imp->offset;
    if (f.time < 0 && f.duration != WL_TIME_NEVER) {
      f.duration += f.time;
      if (f.duration <= 0)
        continue;
    }
    f.time = MAX (f.time, 0);
    g_array_index (imp->faults, WlStoredFault, n++) = f;
  }
  g_array_set_size (imp->faults, n);
}

static void
sort_jobs (WlImport *imp)
{
  guint32 n = wl_import_n_jobs (imp);

  if (imp->rising)
    return;
  g_autofree guint64 *key = g_new (guint64, n);

  for (guint32 i = 0; i < n; i++)
    key[i] = (guint64) wl_import_get_job (imp, i).submit ^ G_GUINT64_CONSTANT (1) << 63; /* in the order of unsigned numbers */
  imp->order = wl_sorted_by (key, n);
}

gboolean
wl_import_settle (WlImport *imp, GError **error)
{
  guint32 n = wl_import_n_jobs (imp);
  const char *share = wl_import_text (imp, "gpu-share");

  wl_texts_seal (imp->job_names);
  sort_jobs (imp);
  if (!imp->has_offset)
    imp->offset = wl_import_on (imp, "keep-times") || n == 0 ? 0 : wl_import_get_job (imp, wl_import_at (imp, 0)).submit;
  imp->settled = TRUE;
  if (imp->too_much) {
    g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "what a pod, a node or a queue has, expected up to 8Pi of memory and 9007199254740 cores, found more; are the options too large?");
    return FALSE;
  }
  if (n > 0 && wl_import_get_job (imp, wl_import_at (imp, n - 1)).submit > WL_TIME_MAX) {
    g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "the last submission, expected within 285 years, found later");
    return FALSE;
  }
  sort_nodes (imp);
  drop_duplicate_nodes (imp);
  if (n == 0 && imp->nodes->len == 0 && imp->objects->len == 0) {
    g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "the files, expected a job or a node, found none that counts");
    return FALSE;
  }
  settle_queues (imp);
  settle_faults (imp);
  imp->share = share == NULL ? (imp->shares ? WL_GPU_DEVICE : WL_GPU_WHOLE)
               : strcmp (share, "device") == 0 ? WL_GPU_DEVICE
               : strcmp (share, "pooled") == 0 ? WL_GPU_POOLED
                                               : WL_GPU_WHOLE;
  imp->card_memory = wl_import_number (imp, "gpu-memory");
  return TRUE;
}
