/* sim/load/load.c - the rows of a trace become tables: what many rows share is made once, and the readers' memory is given back. */
#include "load.h"
#include "images.h"
#include "load-private.h"
#include "core/base/random.h"
#include "sim/controllers/hypernode-controller.h"
#include "sim/cycle/cycle.h"
#include "sim/scheduler/binder.h"
#include "sim/world/claims.h"
#include "sim/world/faults.h"
#include "sim/world/ignored.h"
#include "sim/world/job-table.h"
#include "sim/world/node-load.h"
#include "sim/world/queues.h"
#include "sim/world/views.h"
#include "workloads/native/faults.h"
#include "workloads/native/images.h"
#include "workloads/native/native.h"
#include "workloads/native/node-terms.h"
#include "workloads/native/reshape.h"
#include <string.h>

static void
loader_clear (SimLoader *l)
{
  g_clear_pointer (&l->nodes, g_array_unref);
  g_clear_pointer (&l->jobs, g_array_unref);
  g_clear_pointer (&l->queues, g_array_unref);
  g_clear_pointer (&l->w, sim_world_free);
  g_clear_pointer (&l->objects, wl_objects_free);
  g_clear_pointer (&l->amounts, g_hash_table_unref);
  g_clear_pointer (&l->schedules, g_hash_table_unref);
  g_clear_pointer (&l->behaviours, g_hash_table_unref);
  g_clear_pointer (&l->classes, g_hash_table_unref);
  g_clear_pointer (&l->queue_rows, g_hash_table_unref);
  g_clear_pointer (&l->node_rows, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SimLoader, loader_clear)

gboolean
sim_loader_refuse (GError **error, const char *file, guint32 line, const char *format, ...)
{
  va_list ap;

  va_start (ap, format);
  g_autofree char *what = g_strdup_vprintf (format, ap);

  va_end (ap);
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s:%u:1: %s", file, line, what);
  return FALSE;
}

/* ---- shared pieces -------------------------------------------------------------------------- */

VcAmounts
sim_loader_amounts (SimLoader *l, GArray *resources)
{
  VcAmounts *known = g_hash_table_lookup (l->amounts, resources);

  if (known != NULL)
    return *known;
  VcAmount *item = vc_arena_new0 (l->w->arena, VcAmount, MAX (resources->len, 1));

  for (guint i = 0; i < resources->len; i++) {
    const WlResource *r = &g_array_index (resources, WlResource, i);

    item[i] = (VcAmount){ g_string_chunk_insert_const (l->w->text, r->name), r->amount };
  }
  known = vc_arena_new0 (l->w->arena, VcAmounts, 1);
  *known = (VcAmounts){ item, resources->len, TRUE };
  g_hash_table_insert (l->amounts, resources, known);
  return *known;
}

static void
insert_pair (VcPair *item, guint n, VcPair pair)
{
  while (n > 0 && strcmp (item[n - 1].key, pair.key) > 0) {
    item[n] = item[n - 1];
    n--;
  }
  item[n] = pair;
}

/* Labels by key; @hostname (nullable) is added unless it is given. */
static VcPairs
pairs_of (SimLoader *l, const GArray *pairs, const char *hostname)
{
  VcPair *item = vc_arena_new0 (l->w->arena, VcPair, pairs->len + 1);
  guint n = 0;

  for (guint i = 0; i < pairs->len; i++) {
    const WlPair *p = &g_array_index (pairs, WlPair, i);

    insert_pair (item, n++,
                 (VcPair){ g_string_chunk_insert_const (l->w->text, p->key), g_string_chunk_insert_const (l->w->text, p->value) });
    if (hostname != NULL && strcmp (p->key, "kubernetes.io/hostname") == 0)
      hostname = NULL;
  }
  if (hostname != NULL)
    insert_pair (item, n++, (VcPair){ "kubernetes.io/hostname", hostname });
  return (VcPairs){ item, n };
}

static const VcTaint *
taints_of (SimLoader *l, const GArray *taints)
{
  VcTaint *item = vc_arena_new0 (l->w->arena, VcTaint, MAX (taints->len, 1));

  for (guint i = 0; i < taints->len; i++) {
    const WlTaint *t = &g_array_index (taints, WlTaint, i);

    item[i] = (VcTaint){ g_string_chunk_insert_const (l->w->text, t->key != NULL ? t->key : ""),
                         g_string_chunk_insert_const (l->w->text, t->value != NULL ? t->value : ""),
                         g_string_chunk_insert_const (l->w->text, t->effect != NULL ? t->effect : "") };
  }
  return item;
}

static gint64
list_value (const GArray *list, guint i, gboolean times)
{
  if (!times)
    return g_array_index (list, gint32, i);
  return g_array_index (list, WlTime, i) == WL_TIME_NEVER ? SIM_NEVER : g_array_index (list, WlTime, i);
}

const SimSchedule *
sim_loader_schedule (SimLoader *l, GArray *lists, gboolean times)
{
  SimSchedule *s = g_hash_table_lookup (l->schedules, lists);

  if (s != NULL)
    return s;
  guint n = lists->len;
  SimRuns *replica = vc_arena_new0 (l->w->arena, SimRuns, n);

  for (guint i = 0; i < n; i++) {
    const GArray *list = g_array_index (lists, GArray *, i);
    gint64 *value = vc_arena_new0 (l->w->arena, gint64, list->len);

    for (guint k = 0; k < list->len; k++)
      value[k] = list_value (list, k, times);
    replica[i] = (SimRuns){ list->len, value };
  }
  s = vc_arena_new0 (l->w->arena, SimSchedule, 1);
  *s = (SimSchedule){ n, replica };
  g_hash_table_insert (l->schedules, lists, s);
  return s;
}

const WlBehaviour *
sim_loader_behaviour (SimLoader *l, WlBehaviour *b)
{
  if (b != NULL && g_hash_table_add (l->behaviours, b))
    g_ptr_array_add (l->w->behaviours, wl_behaviour_ref (b));
  return b;
}

/* ---- resources ------------------------------------------------------------------------------ */

static void
note_names (GHashTable *seen, GPtrArray *names, const GArray *resources)
{
  for (guint i = 0; resources != NULL && i < resources->len; i++) {
    char *name = g_array_index (resources, WlResource, i).name;

    if (vc_res_is_scalar_name (name) && g_hash_table_add (seen, name))
      g_ptr_array_add (names, name);
  }
}

static VcResNames *
resource_names (const SimLoader *l, const char *const *ignored, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) done = g_hash_table_new (NULL, NULL); /* arrays are shared between rows */
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < l->nodes->len; i++) {
    GArray *a = g_array_index (l->nodes, WlNodeRow, i).resources;

    if (g_hash_table_add (done, a))
      note_names (seen, names, a);
  }
  for (guint i = 0; i < l->jobs->len; i++) {
    const WlJob *j = &g_array_index (l->jobs, WlJob, i);

    note_names (seen, names, j->min_resources);
    for (guint k = 0; k < j->roles->len; k++) {
      GArray *a = g_array_index (j->roles, WlRole, k).resources;

      if (g_hash_table_add (done, a))
        note_names (seen, names, a);
    }
  }
  for (guint i = 0; l->queues != NULL && i < l->queues->len; i++) {
    const WlQueueRow *q = &g_array_index (l->queues, WlQueueRow, i);

    note_names (seen, names, q->capability);
    note_names (seen, names, q->guarantee);
    note_names (seen, names, q->deserved);
  }
  g_autoptr (GHashTable) drivers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (l->objects != NULL)
    sim_loader_note_objects (l->objects, seen, drivers, names);
  for (guint i = names->len; i-- > 0;)
    if (g_strv_contains (ignored, names->pdata[i]))
      g_ptr_array_remove_index_fast (names, i);
  return vc_res_names_new ((const char *const *) names->pdata, names->len, error);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static void
load_nodes (SimLoader *l)
{
  SimWorld *w = l->w;

  w->node = g_new0 (SimNode, MAX (l->nodes->len, 1));
  w->change = g_new0 (SimNodeChange, MAX (l->nodes->len, 1));
  w->n_changes = l->nodes->len;
  for (guint i = 0; i < l->nodes->len; i++) {
    const WlNodeRow *row = &g_array_index (l->nodes, WlNodeRow, i);
    guint32 known = GPOINTER_TO_UINT (g_hash_table_lookup (l->node_rows, row->name));

    if (known == 0) {
      const char *name = g_string_chunk_insert (w->text, row->name);

      w->node[w->n_nodes++] = (SimNode){ .name = name, .row = VC_NONE, .first_pod = SIM_NONE, .lowered = SIM_NO_TIME };
      known = w->n_nodes;
      g_hash_table_insert (l->node_rows, (gpointer) name, GUINT_TO_POINTER (known));
    }
    const char *name = w->node[known - 1].name;

    w->change[i] = (SimNodeChange){ .node = known - 1,
                                    .event = (int) row->event,
                                    .resources = sim_loader_amounts (l, row->resources),
                                    .labels = pairs_of (l, row->labels, name),
                                    .taint = taints_of (l, row->taints),
                                    .n_taints = row->taints->len,
                                    .annotations = pairs_of (l, row->annotations, NULL),
                                    .has_resources = row->has_resources,
                                    .has_labels = row->has_labels,
                                    .has_taints = row->has_taints,
                                    .has_annotations = row->has_annotations };
    sim_event_queue_prepare (w->events, row->time, SIM_RANK_NODE, SIM_EVENT_NODE, i);
  }
}

/* ---- jobs ----------------------------------------------------------------------------------- */

void
sim_loader_add_class (SimLoader *l, const char *name, gint64 value, gboolean global_default)
{
  gint64 *v = g_new (gint64, 1);
  VcPriorityClassObject o = { name, value, global_default };

  *v = value;
  if (global_default)
    l->default_priority = (gint32) value;
  g_hash_table_insert (l->classes, g_strdup (name), v);
  SIM_EACH_VIEW (l->w, back)
    vc_cache_add_priority_class (l->w->cache, &o);
}

static gboolean
load_priority (SimLoader *l, const WlJob *row, SimJob *j, GError **error)
{
  g_autofree char *made = NULL;
  const char *name = row->priority;
  gint64 value;

  j->priority = l->default_priority;
  if (name == NULL)
    return TRUE;
  if (g_ascii_string_to_signed (name, 10, G_MININT32, G_MAXINT32, &value, NULL)) {
    name = made = g_strdup_printf ("prio-%s", name);
    if (g_hash_table_lookup (l->classes, name) == NULL)
      sim_loader_add_class (l, name, value, FALSE);
  }
  const gint64 *known = g_hash_table_lookup (l->classes, name);

  if (known == NULL)
    return sim_loader_refuse (error, l->s->jobs, row->line,
                   "priority class of job '%s', expected an integer or a class of priority_classes in the scenario, found '%s'",
                   row->name, name);
  j->priority = (gint32) *known;
  j->priority_class = g_string_chunk_insert_const (l->w->text, name);
  return TRUE;
}

/* Extended resources cannot be overcommitted: what a container requests of them is its limit, too. */
static VcAmounts
limits_of (SimLoader *l, const VcAmounts *request)
{
  VcAmount *item = vc_arena_new0 (l->w->arena, VcAmount, request->n);
  guint n = 0;

  for (guint i = 0; i < request->n; i++)
    if (strchr (request->item[i].name, '/') != NULL)
      item[n++] = request->item[i];
  return (VcAmounts){ item, n, n > 0 };
}

/* The terms beyond equality, as required node affinity. */
static void
require_nodes (SimLoader *l, const GArray *terms, VcPodSpec *spec)
{
  if (terms == NULL || terms->len == 0)
    return;
  VcExpression *e = vc_arena_new0 (l->w->arena, VcExpression, terms->len);
  VcNodeTerm *one = vc_arena_new0 (l->w->arena, VcNodeTerm, 1);

  for (guint i = 0; i < terms->len; i++) {
    const WlNodeTerm *t = &g_array_index (terms, WlNodeTerm, i);

    e[i] = (VcExpression){ t->key, t->op, (const char *const *) t->value, g_strv_length (t->value) };
  }
  *one = (VcNodeTerm){ .label = e, .n_labels = terms->len };
  spec->has_required = TRUE;
  spec->required = one;
  spec->n_required = 1;
}

/* No node has two pods with this label. */
static void
keep_apart (SimLoader *l, const char *apart, VcPodSpec *spec)
{
  if (apart == NULL)
    return;
  VcPair *label = vc_arena_new0 (l->w->arena, VcPair, 1);
  VcPodTerm *term = vc_arena_new0 (l->w->arena, VcPodTerm, 1);

  *label = (VcPair){ WL_APART, g_string_chunk_insert_const (l->w->text, apart) };
  *term = (VcPodTerm){ .topology_key = "kubernetes.io/hostname", .selector = { .given = TRUE, .match = { label, 1 } } };
  spec->anti_affinity = (VcPodTerms){ .given = TRUE, .required = term, .n_required = 1 };
}

/* @group (nullable): the resource group of its pods. */
static const VcShape *
shape_of (SimLoader *l, const WlRole *role, VcAmounts request, const WlResourceGroup *group)
{
  guint n = role->tolerations->len;
  g_autofree VcToleration *toleration = g_new0 (VcToleration, MAX (n, 1));
  VcContainer container = { .request = request, .limit = limits_of (l, &request), .image = role->image };
  VcPodSpec spec = { .container = &container, .n_containers = 1, .node_selector = pairs_of (l, role->node_selector, NULL) };

  require_nodes (l, role->node_terms, &spec);
  keep_apart (l, role->apart, &spec);
  for (guint i = 0; i < n; i++) {
    const WlTaint *t = &g_array_index (role->tolerations, WlTaint, i);

    toleration[i] = (VcToleration){ t->key, t->value, t->effect, t->exists ? VC_TOLERATE_EXISTS : VC_TOLERATE_EQUAL, t->bounded, t->seconds };
  }
  spec.toleration = toleration;
  spec.n_tolerations = n;
  if (group != NULL)
    wl_resource_group_apply (l->w->arena, group, &spec);
  return vc_shape_intern (l->w->cluster->shapes, &spec);
}

SimTime
sim_loader_submit (const SimLoader *l, const char *ns, const char *name, SimTime submit)
{
  const SimScenario *s = l->s;

  if (s->arrival_rate != 1)
    submit = (SimTime) ((double) submit / s->arrival_rate + 0.5);
  if (s->shake > 0) {
    g_autofree char *subject = g_strconcat (ns, "/", name, NULL);
    VcRandom r;

    vc_random_init (&r, s->model.seed, "shake", subject, 0);
    submit += (SimTime) vc_random_below (&r, 2 * (guint64) s->shake + 1) - s->shake;
  }
  return MAX (submit, 0);
}

static gboolean
load_job (SimLoader *l, guint32 i, guint n_extra, GError **error)
{
  SimWorld *w = l->w;
  const WlJob *row = &g_array_index (l->jobs, WlJob, i);
  const char *queue = row->queue != NULL && *row->queue != '\0' ? row->queue : "default";
  gint64 minima = 0;
  gboolean any_scale = FALSE;

  SimJob *j = &w->job[sim_job_add (w, row->roles->len)];

  j->ns = g_string_chunk_insert_const (w->text, row->ns);
  j->name = g_string_chunk_insert (w->text, row->name);
  j->queue = GPOINTER_TO_UINT (g_hash_table_lookup (l->queue_rows, queue)) - 1;
  j->line = row->line;
  j->min_success = row->min_success;
  j->max_retry = row->max_retry > 0 ? (guint32) row->max_retry : 3;
  j->preemptable = (gint8) row->preemptable;
  j->ttl = row->ttl;
  j->submit = sim_loader_submit (l, row->ns, row->name, row->submit);
  j->walltime = row->walltime;
  j->sla = row->sla;
  j->deadline = row->deadline;
  if (!load_priority (l, row, j, error))
    return FALSE;
  if (row->min_resources != NULL) {
    VcAmounts a = sim_loader_amounts (l, row->min_resources);

    j->has_min_resources = TRUE;
    j->min_resources = a.item;
    j->n_min_resources = a.n;
  }
  const VcPairs no_notes = { NULL, 0 };
  const WlResourceGroup *group = sim_loader_resource_group (l, j->ns, &no_notes);
  const char *scheduler = group != NULL ? wl_resource_group_scheduler (group) : NULL;

  if (row->scheduler != NULL && !sim_views_know (w, row->scheduler))
    return sim_loader_refuse (error, l->s->jobs, row->line, "scheduler of job '%s', expected a scheduler of this run, found '%s'", row->name, row->scheduler);
  if (scheduler == NULL && row->scheduler != NULL)
    scheduler = g_string_chunk_insert_const (w->text, row->scheduler);

  for (guint k = 0; k < row->roles->len; k++) {
    const WlRole *r = &g_array_index (row->roles, WlRole, k);
    SimRole *role = &w->role[j->first_role + k];
    VcAmounts request = sim_loader_amounts (l, r->resources);

    *role = (SimRole){ .name = g_string_chunk_insert_const (w->text, r->name),
                       .job = role->job,
                       .replicas = r->replicas,
                       .min_available = r->min_available >= 0 ? r->min_available : (gint32) r->replicas,
                       .shape = shape_of (l, r, request, group),
                       .scheduler = scheduler,
                       .apart = r->apart != NULL ? g_string_chunk_insert_const (w->text, r->apart) : NULL,
                       .request = request,
                       .quota = request,
                       .duration = sim_loader_schedule (l, r->durations, TRUE),
                       .exit_code = sim_loader_schedule (l, r->exit_codes, FALSE),
                       .behaviour = sim_loader_behaviour (l, r->behaviour) };
    j->replicas += r->replicas;
    minima += role->min_available;
    any_scale |= r->scale != NULL;
  }
  j->min_available = row->min_available > 0 ? row->min_available : (gint32) MIN (minima, G_MAXINT32);
  if (any_scale) {
    g_autofree GArray **scale = g_new (GArray *, row->roles->len);

    for (guint k = 0; k < row->roles->len; k++)
      scale[k] = g_array_index (row->roles, WlRole, k).scale;
    j->schedule = sim_loader_scale (l, scale, row->roles->len);
  }
  if (n_extra > 0) {
    const char **extra = vc_arena_new0 (w->arena, const char *, n_extra);

    for (guint k = 0; k < n_extra; k++)
      extra[k] = g_string_chunk_insert_const (w->text, g_array_index (row->extra, WlPair, k).value);
    j->extra = extra;
  }
  sim_event_queue_prepare (w->events, j->submit, SIM_RANK_SUBMIT, SIM_EVENT_JOB_SUBMIT, i);
  if (row->remove != WL_TIME_NONE)
    sim_event_queue_prepare (w->events, MAX (row->remove + (j->submit - row->submit), 0), SIM_RANK_DELETE, SIM_EVENT_JOB_DELETE, i);
  return TRUE;
}

static gboolean
load_jobs (SimLoader *l, const char ***extra_columns, guint *n_extra, GError **error)
{
  SimWorld *w = l->w;
  guint32 n_roles = 0;

  *n_extra = 0;
  if (l->jobs->len > 0) {
    const GArray *extra = g_array_index (l->jobs, WlJob, 0).extra;

    *n_extra = extra->len;
    *extra_columns = vc_arena_new0 (w->arena, const char *, MAX (extra->len, 1));
    for (guint i = 0; i < extra->len; i++)
      (*extra_columns)[i] = g_string_chunk_insert_const (w->text, g_array_index (extra, WlPair, i).key);
  }
  for (guint i = 0; i < l->jobs->len; i++)
    n_roles += g_array_index (l->jobs, WlJob, i).roles->len;
  sim_loader_add_class (l, "system-cluster-critical", 2000000000, FALSE);
  sim_loader_add_class (l, "system-node-critical", 2000001000, FALSE);
  for (guint i = 0; i < l->s->classes->len; i++) {
    const SimClass *c = &g_array_index (l->s->classes, SimClass, i);

    sim_loader_add_class (l, c->name, c->value, FALSE);
  }
  if (w->objects != NULL && !sim_loader_check_objects (l, error))
    return FALSE;
  n_roles += w->objects != NULL ? sim_loader_object_roles (w->objects) : 0;
  sim_jobs_reserve (w, l->jobs->len + (w->objects != NULL ? w->objects->jobs->len : 0), n_roles);
  for (guint32 i = 0; i < l->jobs->len; i++)
    if (!load_job (l, i, *n_extra, error))
      return FALSE;
  if (w->objects != NULL && !sim_loader_load_objects (l, error))
    return FALSE;
  return (l->s->commands == NULL || sim_loader_load_commands (l, error)) && (l->s->scale == NULL || sim_loader_load_edits (l, error));
}

static void
load_bind_failures (SimLoader *l)
{
  const GArray *given = l->s->bind_fail;

  for (guint i = 0; i < given->len; i++) {
    const SimBindFailure *f = &g_array_index (given, SimBindFailure, i);

    sim_binder_fail (l->w->binder, f->pod, f->n);
  }
}

static void
load_topology_types (SimLoader *l)
{
  SimWorld *w = l->w;
  const GPtrArray *given = l->s->topology_types;

  w->n_topology_types = given->len;
  w->topology_type = vc_arena_new0 (w->arena, SimTopologyType, MAX (given->len, 1));
  for (guint t = 0; t < given->len; t++) {
    char **entry = given->pdata[t];
    guint n = g_strv_length (entry) - 2; /* the name stands before, the host name behind */
    const char **label = vc_arena_new0 (w->arena, const char *, n);

    for (guint i = 0; i < n; i++)
      label[i] = g_string_chunk_insert_const (w->text, entry[n - i]);
    w->topology_type[t] = (SimTopologyType){ g_string_chunk_insert_const (w->text, entry[0]), label, n };
  }
}

/* A measurement is known from its time on; one without a time, or from before the run, from the start. */
static gboolean
load_usage (SimLoader *l, GError **error)
{
  SimWorld *w = l->w;

  if (l->s->node_usage == NULL)
    return TRUE;
  if (l->s->model.usage_interval > 0) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "node_usage and usage_interval exclude each other, expected one of them, found both");
    return FALSE;
  }
  w->usage = wl_node_usage_read (l->s->node_usage, error);
  if (w->usage == NULL)
    return FALSE;
  w->usage_node = g_new (guint32, MAX (w->usage->n, 1));
  for (guint32 i = 0; i < w->usage->n; i++) {
    const VcNodeUsageObject *o = &w->usage->object[i];
    SimTime known = MAX (o->time_us - w->options.epoch * SIM_SECOND, 0);

    w->usage_node[i] = GPOINTER_TO_UINT (g_hash_table_lookup (l->node_rows, o->node)) - 1;
    if (w->usage_node[i] != SIM_NONE)
      sim_event_queue_prepare (w->events, known, SIM_RANK_NODE, SIM_EVENT_NODE_USAGE, i);
  }
  return TRUE;
}

static gboolean
load_images (SimLoader *l, GError **error)
{
  if (l->s->images == NULL)
    return TRUE;
  g_autoptr (GArray) rows = wl_read_images (l->s->images, error);

  if (rows != NULL)
    l->w->images = sim_images_new (l->w, l->s->images, rows, l->node_rows, error);
  return l->w->images != NULL;
}

static gboolean
load_faults (SimLoader *l, GError **error)
{
  if (l->s->faults == NULL)
    return TRUE;
  g_autoptr (GArray) rows = wl_read_faults (l->s->faults, error);

  if (rows != NULL)
    l->w->faults = sim_faults_new (l->w, l->s->faults, rows, l->node_rows, error);
  return l->w->faults != NULL;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Kubernetes objects rather than rows of a table, by the name. */
static gboolean
holds_objects (const char *path)
{
  static const char *const endings[] = { ".yaml", ".yml", ".json" };
  gboolean found = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    found |= g_str_has_suffix (path, endings[i]);
  return found;
}

/* What planning changes of the trace. */
static gboolean
reshape (const SimScenario *s, GArray *nodes, GArray *jobs, GError **error)
{
  for (guint i = 0; i < s->node_count->len; i++) {
    const SimNodeCount *c = &g_array_index (s->node_count, SimNodeCount, i);

    if (!wl_nodes_set_count (nodes, c->name, c->n)) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "'node_count', expected a row of %s that adds nodes, found '%s'", s->nodes, c->name);
      return FALSE;
    }
  }
  if (s->keep_nodes >= 0)
    wl_nodes_keep (nodes, (guint) s->keep_nodes, s->model.seed);
  if (s->snapshot != SIM_NO_TIME)
    wl_jobs_snapshot (jobs, s->snapshot);
  if (s->request_scale != 1)
    wl_jobs_scale_requests (jobs, s->request_scale);
  if (s->more_jobs != NULL && !holds_objects (s->more_jobs)) {
    g_autoptr (GArray) more = wl_read_jobs (s->more_jobs, error);

    if (more == NULL)
      return FALSE;
    wl_jobs_add_copies (jobs, more, (guint) s->more_copies, s->more_at);
  }
  return TRUE;
}

static gboolean
refuse_several (GError **error, const char *what)
{
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s is not implemented yet where there are several schedulers", what);
  return FALSE;
}

/* What one scheduler knows of shared devices and CPUs does not reach the others. */
static gboolean
check_for_several (const SimLoader *l, const VcConf *const *confs, guint n_confs, GError **error)
{
  static const char *const plugins[] = { "deviceshare", "numa-aware", NULL };

  for (guint i = 0; l->objects != NULL && i < l->objects->objects->len; i++) {
    const WlObject *o = l->objects->objects->pdata[i];
    g_autofree char *what = g_strdup_printf ("%s:%u:1: Numatopology", o->file, o->line);

    if (o->kind == WL_OBJECT_NUMATOPOLOGY)
      return refuse_several (error, what);
  }
  for (guint i = 0; i < n_confs; i++)
    for (guint t = 0; t < confs[i]->n_tiers; t++)
      for (guint p = 0; p < confs[i]->tier[t].n; p++)
        if (g_strv_contains (plugins, confs[i]->tier[t].plugin[p].name))
          {
          g_autofree char *what = g_strdup_printf ("plugin '%s'", confs[i]->tier[t].plugin[p].name);

          return refuse_several (error, what);
        }
  return TRUE;
}

/* The world with a view for each scheduler. @names is taken over. */
static SimWorld *
new_world (SimLoader *l, const VcCacheOptions *given, VcResNames *names, const char *const *ignored, GError **error)
{
  const SimScenario *s = l->s;
  const SimWorldOptions options = { s->grace, s->start };
  guint n = s->schedulers->len;
  VcCacheOptions o = *given;
  g_autoptr (SimWorld) w = NULL;

  for (guint i = 0; i < MAX (n, 1); i++) {
    if (n > 0) {
      const SimSchedulerSpec *spec = s->schedulers->pdata[i];

      o.scheduler_names = spec->names;
      o.sharding = (VcSharding) spec->sharding;
      o.shard = spec->shard;
    }
    if (i > 0 && (names = resource_names (l, ignored, error)) == NULL)
      return NULL;
    VcCache *cache = vc_cache_new (names, &o);

    if (i == 0)
      w = sim_world_new (cache, &o, &options, &s->model);
    else
      sim_views_add (w, cache, &o);
  }
  const char **name = vc_arena_new0 (w->arena, const char *, n + 1);

  for (guint i = 0; i < n; i++)
    name[i] = ((const SimSchedulerSpec *) s->schedulers->pdata[i])->name;
  l->schedulers = n > 0 ? name : given->scheduler_names;
  return g_steal_pointer (&w);
}

SimWorld *
sim_load_world (const SimScenario *s, const VcConf *const *confs, guint n_confs, const VcCacheOptions *cache, const char ***extra_columns, guint *n_extra, GError **error)
{
  g_auto (SimLoader) l = { .s = s };
  VcCacheOptions of_cache = *cache;

  if (s->nodes == NULL || (s->jobs == NULL && s->objects == NULL)) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "no %s: give --%s FILE, or a scenario that names it", s->nodes == NULL ? "nodes" : "jobs",
                 s->nodes == NULL ? "nodes" : "jobs");
    return NULL;
  }
  l.nodes = wl_read_nodes (s->nodes, error);
  if (l.nodes == NULL)
    return NULL;
  l.jobs = s->jobs != NULL ? wl_read_jobs (s->jobs, error) : wl_jobs_new ();
  if (l.jobs == NULL)
    return NULL;
  if (!reshape (s, l.nodes, l.jobs, error))
    return NULL;
  if (s->more_jobs != NULL && holds_objects (s->more_jobs))
    l.objects = wl_objects_read_copies (s->objects, s->more_jobs, (guint) s->more_copies, s->more_at, error);
  else if (s->objects != NULL)
    l.objects = wl_objects_read_workload ((const char *const *) &s->objects, 1, error);
  if (l.objects == NULL && (s->objects != NULL || (s->more_jobs != NULL && holds_objects (s->more_jobs))))
    return NULL;
  if (s->queues != NULL && (l.queues = wl_read_queues (s->queues, error)) == NULL)
    return NULL;
  if (s->schedulers->len > 1 && !check_for_several (&l, confs, n_confs, error))
    return NULL;
  if (l.objects != NULL && !sim_loader_check_amounts (l.objects, error))
    return NULL;
  for (guint i = 0; l.objects != NULL && i < n_confs; i++)
    if (!sim_claims_check (l.objects, confs[i], TRUE, error))
      return NULL;
  g_auto (GStrv) ignored = sim_ignored_in_rows (confs, n_confs, l.nodes, l.objects);
  VcResNames *names = resource_names (&l, (const char *const *) ignored, error);

  if (names == NULL)
    return NULL;
  if (s->ignored_provisioners != NULL)
    of_cache.ignored_provisioners = (const char *const *) s->ignored_provisioners;
  l.w = new_world (&l, &of_cache, names, (const char *const *) ignored, error);
  if (l.w == NULL)
    return NULL;
  l.w->objects = g_steal_pointer (&l.objects);
  l.w->webhooks = s->webhooks;
  l.w->check_pods_of_queues = s->check_pods_of_queues;
  if (s->admission_conf != NULL && (l.w->admission = wl_admission_conf_read (s->admission_conf, error)) == NULL)
    return NULL;
  l.amounts = g_hash_table_new (NULL, NULL);
  l.schedules = g_hash_table_new (NULL, NULL);
  l.behaviours = g_hash_table_new (NULL, NULL);
  l.classes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  l.queue_rows = g_hash_table_new (g_str_hash, g_str_equal);
  l.node_rows = g_hash_table_new (g_str_hash, g_str_equal);
  if (!sim_loader_load_queues (&l, error))
    return NULL;
  load_nodes (&l);
  load_topology_types (&l);
  load_bind_failures (&l);
  if (!load_usage (&l, error) || !load_images (&l, error) || !load_faults (&l, error))
    return NULL;
  if (!load_jobs (&l, extra_columns, n_extra, error))
    return NULL;
  sim_event_queue_seal (l.w->events);
  sim_faults_prepare (l.w);
  l.w->load = sim_node_load_new (l.w);
  sim_node_load_prepare (l.w);
  return g_steal_pointer (&l.w);
}
