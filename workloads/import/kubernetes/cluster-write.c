/* workloads/import/kubernetes/cluster-write.c - what has been joined, as objects of a run. */
#include "cluster-private.h"
#include "workloads/admission/findings.h"
#include "workloads/import/gang.h"
#include "workloads/k8s/k8s-objects.h"
#include "workloads/native/append.h"
#include <string.h>

#define SOON 1 /* µs: a deletion at the very time of a submission would come before it */

/* The item at hand, with the runs of its pods. */
typedef struct {
  WlCluster *c;
  const WlItem *item;
  const char *group;   /* of a pod: its PodGroup, NULL */
  const char *class;   /* of a pod: its priority class, NULL */
  GPtrArray *runs;     /* GArray of WlRun by task; NULL in it: as the annotation says */
} Writing;

/* ---- texts ---------------------------------------------------------------------------------------------- */

static void
put (GString *out, const char *indent, const char *key, const char *value)
{
  g_string_append_printf (out, "%s%s: ", indent, key);
  wl_append_quoted (out, value);
  g_string_append_c (out, '\n');
}

static void
put_time (GString *out, const char *indent, const char *key, WlTime t)
{
  g_autoptr (GString) text = g_string_new (NULL);

  wl_append_time (text, t);
  put (out, indent, key, text->str);
}

static void
append_time (GString *out, WlTime t)
{
  if (t == WL_TIME_NEVER)
    g_string_append (out, "inf");
  else
    wl_append_time (out, t);
}

static gboolean
same_run (const WlRun *a, const WlRun *b)
{
  return a->first == b->first && a->whole == b->whole && a->exit_code == b->exit_code;
}

/* "d1|d2", each "left>whole"; one for all when they are equal. */
static void
put_runs (GString *out, const char *indent, const GArray *runs)
{
  g_autoptr (GString) times = g_string_new (NULL), codes = g_string_new (NULL);
  guint n = runs->len;
  gboolean fails = FALSE;

  while (n > 1 && same_run (&g_array_index (runs, WlRun, n - 1), &g_array_index (runs, WlRun, n - 2)))
    n--; /* the last one is that of all further ones */
  if (n > 1)
    n = runs->len;
  for (guint i = 0; i < n; i++) {
    const WlRun *r = &g_array_index (runs, WlRun, i);

    if (i > 0) {
      g_string_append_c (times, '|');
      g_string_append_c (codes, '|');
    }
    append_time (times, r->first);
    if (r->whole != r->first) {
      g_string_append_c (times, '>');
      append_time (times, r->whole);
    }
    g_string_append_printf (codes, "%d", r->exit_code);
    fails = fails || r->exit_code != 0;
  }
  put (out, indent, "volsim.io/duration", times->str);
  if (fails)
    put (out, indent, "volsim.io/exit-code", codes->str);
}

/* ---- where ------------------------------------------------------------------------------------------------ */

/* The node that a pod is on from the start, NULL: none. */
static const char *
place_of (const WlCluster *c, const WlItem *pod)
{
  if (pod == NULL || pod->node == NULL || (!c->snapshot && !pod->foreign && !pod->stated) || wl_cluster_find (c, "Node", NULL, pod->node) == NULL)
    return NULL;
  return wl_import_node_name (c->imp, pod->node);
}

static void
put_places (GString *out, const char *indent, const WlCluster *c, const GPtrArray *pods)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean any = FALSE;

  for (guint i = 0; pods != NULL && i < pods->len; i++) {
    const char *node = place_of (c, pods->pdata[i]);

    g_string_append_printf (text, "%s%s", i > 0 ? "|" : "", node != NULL ? node : "");
    any = any || node != NULL;
  }
  if (any)
    put (out, indent, "volsim.io/node", text->str);
}

/* Objects of ours say themselves where their pods are found: a trace that was exported keeps its beginning. */
static void
put_noted_places (GString *out, const char *indent, WlCluster *c, const char *places)
{
  g_auto (GStrv) node = g_strsplit (places != NULL ? places : "", "|", -1);
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean any = FALSE;

  for (guint i = 0; node[i] != NULL; i++) {
    const gboolean there = *node[i] != '\0' && wl_cluster_find (c, "Node", NULL, node[i]) != NULL;

    if (*node[i] != '\0' && !there)
      wl_import_note (c->imp, "places of pods (volsim.io/node) on nodes that are not among the objects: left out", 1);
    g_string_append_printf (text, "%s%s", i > 0 ? "|" : "", there ? wl_import_node_name (c->imp, node[i]) : "");
    any = any || there;
  }
  if (any)
    put (out, indent, "volsim.io/node", text->str);
}

static guint
placed_among (const WlCluster *c, const GPtrArray *pods)
{
  guint n = 0;

  for (guint i = 0; pods != NULL && i < pods->len; i++)
    n += place_of (c, pods->pdata[i]) != NULL;
  return n;
}

static guint
placed_pods (const WlCluster *c, const WlItem *item)
{
  guint n = item->kind == WL_KIND_POD && place_of (c, item) != NULL;

  for (guint k = 0; k < item->n_tasks; k++)
    n += placed_among (c, item->task[k].pod);
  return n + placed_among (c, item->members);
}

/* Phase in which its PodGroup is found, NULL: a new one's. */
static const char *
group_phase (const WlCluster *c, const WlItem *item)
{
  static const char *const kept[] = { "Inqueue", "Running", "Unknown", NULL };
  const WlItem *group = item->kind == WL_KIND_POD_GROUP ? item : item->pod_group;
  guint placed = placed_pods (c, item);

  if (!c->snapshot || item->foreign)
    return NULL;
  if (group != NULL && g_strv_contains (kept, group->phase))
    return group->phase;
  if (placed == 0)
    return NULL;
  if (group == NULL || *group->phase == '\0')
    wl_import_default (c->imp, "phases of PodGroups (by their running pods)");
  return (gint64) placed >= MAX (item->min_available, 1) ? "Running" : "Inqueue";
}

/* ---- when ------------------------------------------------------------------------------------------------- */

/* @made_up: nobody says it. */
static WlTime
submit_of (const WlCluster *c, const WlItem *item, gboolean *made_up)
{
  *made_up = item->submit == WL_TIME_NONE && (c->noted || (!c->snapshot && item->created == WL_TIME_NONE));
  if (item->submit != WL_TIME_NONE)
    return item->submit;
  return c->noted || c->snapshot || item->created == WL_TIME_NONE ? 0 : MAX (item->created - c->origin, 0);
}

/* How long pods run whose jobs are made while the run goes on, unless something says it. */
static void
put_maker_duration (WlCluster *c, const WlItem *item, GString *out, const char *indent)
{
  if (strstr (item->text, "volsim.io/duration") != NULL)
    return;
  put_time (out, indent, "volsim.io/duration", wl_import_duration (c->imp, "duration"));
  wl_import_default (c->imp, "running time of pods of JobTemplates and CronJobs (--duration)");
}

static void
put_notes (const Writing *w, GString *out, const char *indent)
{
  WlCluster *c = w->c;
  const WlItem *item = w->item;
  gboolean timed = item->kind != WL_N_KINDS || item->maker || item->submit != WL_TIME_NONE;
  const char *phase = item->kind == WL_N_KINDS ? NULL : c->snapshot ? group_phase (c, item) : item->found_phase;
  gboolean made_up;
  WlTime submit = submit_of (c, item, &made_up);

  if (timed)
    put_time (out, indent, "volsim.io/submit", submit);
  if (timed && made_up)
    wl_import_default (c->imp, "submission (0)");
  if (item->remove != WL_TIME_NONE)
    put_time (out, indent, "volsim.io/delete", item->remove);
  else if (item->deleted != WL_TIME_NONE)
    put_time (out, indent, "volsim.io/delete", MAX (item->deleted - c->origin, submit + SOON));
  else if (c->snapshot && item->gone != WL_TIME_NONE && item->kind != WL_N_KINDS)
    put_time (out, indent, "volsim.io/delete", SOON);
  if (c->snapshot && item->kind != WL_N_KINDS && item->created != WL_TIME_NONE && item->created < c->origin)
    put_time (out, indent, "volsim.io/age", c->origin - item->created);
  else if (!c->snapshot && item->found_age > 0)
    put_time (out, indent, "volsim.io/age", item->found_age);
  if (phase != NULL)
    put (out, indent, "volsim.io/phase", phase);
  if (item->n_tasks > 0 && item->kind != WL_KIND_VCJOB && item->task[0].scale != NULL)
    put (out, indent, "volsim.io/scale", item->task[0].scale);
  if (w->group != NULL)
    put (out, indent, "scheduling.k8s.io/group-name", w->group);
  else if (item->labelled_queue)
    put (out, indent, "scheduling.volcano.sh/queue-name", item->queue);
  if (strcmp (item->object, "JobTemplate") == 0)
    put_maker_duration (c, item, out, indent);
  if (item->kind == WL_KIND_POD && w->runs->pdata[0] != NULL)
    put_runs (out, indent, w->runs->pdata[0]);
}

const char *
wl_cluster_share (const WlCluster *c)
{
  const char *given = wl_import_text (c->imp, "gpu-share");

  return given != NULL ? given : c->shares ? "device" : "whole";
}

/* A container for the GPUs of a pod, by the kind of sharing, as tables would have them. */
static void
put_cards (const WlCluster *c, GString *out, const char *indent, const WlImportAmounts *a)
{
  const char *mode = wl_cluster_share (c);
  gint64 cards = a->gpus, share = a->gpu_milli > 0 ? a->gpu_milli : 1000, memory = MAX (wl_import_number (c->imp, "gpu-memory"), 1);

  g_string_append_printf (out, "%s-\n%s  name: cards\n%s  image: cards\n%s  resources:\n%s    limits:\n", indent, indent, indent, indent, indent);
  if (strcmp (mode, "whole") == 0)
    g_string_append_printf (out, "%s      %s: %" G_GINT64_FORMAT "\n", indent, WL_CARD, cards);
  else if (strcmp (mode, "pooled") == 0)
    g_string_append_printf (out, "%s      volsim.io/gpu-milli: %" G_GINT64_FORMAT "\n", indent, cards * share);
  else
    g_string_append_printf (out, "%s      volcano.sh/vgpu-number: %" G_GINT64_FORMAT "\n%s      volcano.sh/vgpu-cores: %" G_GINT64_FORMAT "\n%s      volcano.sh/vgpu-memory: %" G_GINT64_FORMAT "\n",
                            indent, cards, indent, (share + 9) / 10, indent, (share * memory + 999) / 1000);
}

static void
fill (GString *out, WlMark mark, guint task, const char *indent, gpointer user)
{
  const Writing *w = user;
  const WlItem *item = w->item;

  switch (mark) {
  case WL_MARK_NAME:
    put (out, indent, "name", item->out_name);
    break;
  case WL_MARK_NOTES:
    put_notes (w, out, indent);
    break;
  case WL_MARK_TASK:
    if (item->maker)
      put_maker_duration (w->c, item, out, indent);
    if (task < w->runs->len && w->runs->pdata[task] != NULL)
      put_runs (out, indent, w->runs->pdata[task]);
    if (task < item->n_tasks && item->kind == WL_KIND_VCJOB && item->task[task].scale != NULL)
      put (out, indent, "volsim.io/scale", item->task[task].scale);
    if (task < item->n_tasks && !w->c->snapshot && item->task[task].places != NULL)
      put_noted_places (out, indent, w->c, item->task[task].places);
    else if (task < item->n_tasks)
      put_places (out, indent, w->c, item->task[task].pod);
    break;
  case WL_MARK_PRIORITY:
    if (w->class != NULL)
      put (out, indent, "priorityClassName", w->class);
    break;
  case WL_MARK_NODE:
    if (place_of (w->c, item) != NULL)
      put (out, indent, "nodeName", place_of (w->c, item));
    break;
  case WL_MARK_CARDS:
    if (task < item->n_tasks && item->task[task].request.gpus > 0)
      put_cards (w->c, out, indent, &item->task[task].request);
    break;
  case WL_MARK_GRACE:
    if (item->no_policy)
      put (out, indent, "restartPolicy", "Never");
    if (item->grace != NULL)
      g_string_append_printf (out, "%sterminationGracePeriodSeconds: %s\n", indent, item->grace);
    else if (w->c->snapshot && item->gone != WL_TIME_NONE)
      g_string_append_printf (out, "%sterminationGracePeriodSeconds: %" G_GINT64_FORMAT "\n", indent, MAX (item->gone - w->c->origin, 0) / G_USEC_PER_SEC);
    break;
  }
}

/* ---- runs --------------------------------------------------------------------------------------------------- */

/* NULL: the annotation that is there says it all. */
static GArray *
runs_of (WlCluster *c, const WlItem *item, guint k)
{
  const WlItemTask *task = &item->task[k];
  guint n = MAX (MAX (task->replicas, task->pod != NULL ? task->pod->len : 0), 1);
  gboolean grows = task->pod != NULL && item->kind != WL_KIND_VCJOB; /* the pods that follow are none of these */

  if (task->note != NULL && !(c->snapshot && placed_pods (c, item) > 0))
    return NULL;
  GArray *runs = g_array_sized_new (FALSE, FALSE, sizeof (WlRun), n);

  for (guint i = 0; i < n; i++) {
    WlRun run = wl_item_run (c, item, k, i);

    g_array_append_val (runs, run);
  }
  if (grows) {
    WlRun run = wl_item_run (c, item, k, G_MAXUINT);

    g_array_append_val (runs, run);
  }
  return runs;
}

static void
runs_free (gpointer data)
{
  if (data != NULL)
    g_array_unref (data);
}

static void
fill_role (WlCluster *c, const WlItem *item, guint k, const GArray *runs, GArray *times, WlImportRole *role)
{
  const WlItemTask *task = &item->task[k];

  *role = (WlImportRole){ .name = task->name, .replicas = task->replicas, .request = task->request };
  for (guint i = 0; i < task->replicas; i++) {
    WlTime t = runs != NULL ? g_array_index (runs, WlRun, MIN (i, runs->len - 1)).first : wl_item_run (c, item, k, i).whole;

    g_array_append_val (times, t);
  }
  role->durations = (const WlTime *) (gpointer) times->data;
}

/* ---- records ------------------------------------------------------------------------------------------------ */

typedef struct { GArray *starts; WlTime now, end; guint ended, pods; GString *nodes; } Seen;

static void
see_pod (Seen *s, const WlItem *pod)
{
  s->pods++;
  if (pod == NULL)
    return;
  if (pod->started != WL_TIME_NONE || strcmp (pod->phase, "Running") == 0) {
    WlTime start = pod->started != WL_TIME_NONE ? pod->started : s->now;

    g_array_append_val (s->starts, start);
  }
  if (pod->finished != WL_TIME_NONE && wl_item_is_over (pod)) {
    s->end = MAX (s->end, pod->finished);
    s->ended++;
  }
  if (pod->node != NULL)
    g_string_append_printf (s->nodes, "%s%s", s->nodes->len > 0 ? "|" : "", pod->node);
}

static int
by_value (gconstpointer a, gconstpointer b)
{
  WlTime l = *(const WlTime *) a, r = *(const WlTime *) b;

  return l < r ? -1 : l > r;
}

/* When as many pods ran as the gang needs, and when all had ended. */
static void
record (WlCluster *c, const WlItem *item, guint32 job)
{
  Seen s = { .starts = g_array_new (FALSE, FALSE, sizeof (WlTime)), .now = c->origin, .end = WL_TIME_NONE, .nodes = g_string_new (NULL) };
  WlImportRecord r = { .wait = WL_TIME_NONE, .start = WL_TIME_NONE, .end = WL_TIME_NONE, .status = *item->phase != '\0' ? item->phase : NULL };

  if (item->kind == WL_KIND_POD)
    see_pod (&s, item);
  for (guint k = 0; k < item->n_tasks && item->kind != WL_KIND_POD; k++)
    for (guint i = 0; i < MAX (item->task[k].replicas, item->task[k].pod != NULL ? item->task[k].pod->len : 0); i++)
      see_pod (&s, item->task[k].pod != NULL && i < item->task[k].pod->len ? item->task[k].pod->pdata[i] : NULL);
  for (guint i = 0; item->members != NULL && i < item->members->len; i++)
    see_pod (&s, item->members->pdata[i]);
  guint gang = (guint) MAX (item->min_available, 1);

  g_array_sort (s.starts, by_value);
  if (s.starts->len >= gang)
    r.start = g_array_index (s.starts, WlTime, gang - 1);
  if (c->snapshot && r.start != WL_TIME_NONE)
    r.start = MAX (r.start, c->origin);
  if (s.ended == s.pods && s.pods > 0)
    r.end = s.end;
  r.nodes = s.nodes->len > 0 ? s.nodes->str : NULL;
  if (r.status != NULL || r.start != WL_TIME_NONE || r.nodes != NULL)
    wl_import_recorded (c->imp, job, &r);
  g_array_unref (s.starts);
  g_string_free (s.nodes, TRUE);
}

/* ---- names, classes, queues ---------------------------------------------------------------------------------- */

/* A run has one namespace for all workloads; what has the name of another kind gets its own. */
static void
name_apart (WlCluster *c, GHashTable *names)
{
  for (guint i = 0; i < c->items->len; i++) {
    WlItem *item = c->items->pdata[i];

    if (item->dropped || item->taken || item->kind == WL_N_KINDS)
      continue;
    for (guint n = 1;; n++) {
      char *key = g_strdup_printf ("%s/%s", item->ns, item->out_name);

      if (!g_hash_table_contains (names, key)) {
        g_hash_table_add (names, key);
        break;
      }
      g_autofree char *kind = g_ascii_strdown (item->object, -1), *other = n == 1 ? g_strdup_printf ("%.230s-%s", item->name, kind) : g_strdup_printf ("%.220s-%s-%u", item->name, kind, n);

      g_free (key);
      item->out_name = vc_arena_strdup (c->arena, other);
      if (n == 1)
        wl_import_note (c->imp, "objects that share their name with one of another kind get a name of their own", 1);
    }
  }
}

/* Priority class of a pod by itself: its own, else one of its value. */
static const char *
class_of (WlCluster *c, const WlItem *pod)
{
  gint32 *value;

  if (pod->priority_class != NULL || !pod->has_priority || pod->priority == c->default_priority || pod->foreign)
    return pod->foreign ? NULL : pod->priority_class;
  g_autofree char *name = g_strdup_printf ("volsim-priority-%s%d", pod->priority < 0 ? "minus" : "", pod->priority);

  value = vc_arena_new0 (c->arena, gint32, 1);
  *value = pod->priority;
  const char *kept = vc_arena_strdup (c->arena, name);

  g_hash_table_insert (c->made, (gpointer) kept, value);
  return kept;
}

static void
put_class (GString *out, const char *name, gint32 value)
{
  g_string_append (out, "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata:\n");
  put (out, "  ", "name", name);
  g_string_append_printf (out, "value: %d\n", value);
}

/* The value that pods of that class have, as admission resolved it. */
static gboolean
value_of_class (const WlCluster *c, const char *name, gint32 *value)
{
  for (guint i = 0; i < c->items->len; i++) {
    const WlItem *pod = c->items->pdata[i];

    if (pod->kind == WL_KIND_POD && pod->has_priority && g_strcmp0 (pod->priority_class, name) == 0) {
      *value = pod->priority;
      return TRUE;
    }
  }
  return FALSE;
}

static void
note_class (WlCluster *c, const char *name)
{
  if (name != NULL && *name != '\0' && !g_hash_table_contains (c->classes, name))
    g_hash_table_insert (c->classes, (gpointer) name, NULL);
}

static void
write_classes (WlCluster *c, GString *out)
{
  for (guint i = 0; i < c->items->len; i++) {
    const WlItem *item = c->items->pdata[i];

    if (!item->dropped && !item->taken && !item->foreign && item->kind == WL_KIND_POD)
      note_class (c, item->priority_class);
    for (guint m = 0; !item->dropped && item->members != NULL && m < item->members->len; m++)
      note_class (c, ((const WlItem *) item->members->pdata[m])->priority_class);
  }
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (c->classes), (GCompareFunc) strcmp);

  for (const GList *l = names; l != NULL; l = l->next) {
    gint32 value = 0;

    if (g_hash_table_lookup (c->classes, l->data) != NULL)
      continue;
    if (!value_of_class (c, l->data, &value))
      wl_import_default (c->imp, "values of priority classes that are not among the objects (0)");
    put_class (out, l->data, value);
  }
  g_autoptr (GList) made = g_list_sort (g_hash_table_get_keys (c->made), (GCompareFunc) strcmp);

  for (const GList *l = made; l != NULL; l = l->next)
    put_class (out, l->data, *(const gint32 *) g_hash_table_lookup (c->made, l->data));
}

static gboolean
need_queue (const WlCluster *c, GHashTable *missing, const char *name)
{
  return name != NULL && *name != '\0' && strcmp (name, "root") != 0 && strcmp (name, "default") != 0 && !g_hash_table_contains (c->queues, name)
         && wl_dns_subdomain_problem (name) == NULL && g_hash_table_add (missing, (gpointer) name);
}

static void
write_missing_queues (WlCluster *c, GString *out)
{
  g_autoptr (GHashTable) missing = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < c->items->len; i++) {
    const WlItem *item = c->items->pdata[i];

    if (!item->dropped && !item->taken && !item->foreign)
      (void) need_queue (c, missing, item->queue);
  }
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (missing), (GCompareFunc) strcmp);

  for (const GList *l = names; l != NULL; l = l->next) {
    g_string_append (out, "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata:\n");
    put (out, "  ", "name", l->data);
    g_string_append (out, "spec:\n  weight: 1\n");
    wl_import_object_queue (c->imp);
    wl_import_default (c->imp, "queues that are not among the objects (weight 1)");
  }
}

/* A queue that is not open refuses its own jobs when they come: in a run they all do. */
static void
write_queue_state (WlCluster *c, const WlItem *queue, GString *out)
{
  if (*queue->phase == '\0' || strcmp (queue->phase, "Open") == 0)
    return;
  for (guint i = 0; i < c->items->len && c->snapshot; i++) {
    const WlItem *item = c->items->pdata[i];

    if (!item->dropped && !item->taken && item->kind != WL_N_KINDS && g_strcmp0 (item->queue, queue->name) == 0) {
      wl_import_note (c->imp, "queues that are closed with jobs in them are open here", 1);
      return;
    }
  }
  g_string_append (out, "status:\n");
  put (out, "  ", "state", queue->phase);
}

/* ---- items --------------------------------------------------------------------------------------------------- */

static void write_item (WlCluster *c, WlItem *item, const char *group, GString *out);

static void
write_members (WlCluster *c, const WlItem *group, GString *out)
{
  for (guint i = 0; group->members != NULL && i < group->members->len; i++) {
    WlItem *pod = group->members->pdata[i];

    if (!pod->dropped)
      write_item (c, pod, group->out_name, out);
  }
}

/* A PodGroup that only its pods know. */
static void
write_made_group (WlCluster *c, const WlItem *group, GString *out)
{
  const Writing w = { .c = c, .item = group };
  guint n = 0;

  for (guint i = 0; group->members != NULL && i < group->members->len; i++)
    n += !((const WlItem *) group->members->pdata[i])->dropped;
  g_string_append (out, "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata:\n");
  put (out, "  ", "name", group->out_name);
  put (out, "  ", "namespace", group->ns);
  g_string_append (out, "  annotations:\n");
  put_notes (&w, out, "    ");
  g_string_append_printf (out, "spec:\n  minMember: %u\n", n);
  put (out, "  ", "queue", group->queue != NULL && *group->queue != '\0' ? group->queue : "default");
  if (group->priority_class != NULL)
    put (out, "  ", "priorityClassName", group->priority_class);
}

static void
write_item (WlCluster *c, WlItem *item, const char *group, GString *out)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func (runs_free);
  Writing w = { .c = c, .item = item, .group = group, .class = item->kind == WL_KIND_POD ? class_of (c, item) : NULL, .runs = runs };

  for (guint k = 0; k < item->n_tasks; k++)
    g_ptr_array_add (runs, runs_of (c, item, k));
  if (item->text != NULL)
    wl_manifest_fill (out, item->text, fill, &w);
  else
    write_made_group (c, item, out);
  if (strcmp (item->object, "Queue") == 0)
    write_queue_state (c, item, out);
  if (item->kind == WL_KIND_POD)
    item->length = runs->pdata[0] != NULL ? g_array_index ((GArray *) runs->pdata[0], WlRun, 0).first : wl_item_run (c, item, 0, 0).whole;
  if (item->kind == WL_N_KINDS || group != NULL)
    return;
  write_members (c, item, out);
  g_autofree WlImportRole *role = g_new0 (WlImportRole, item->n_tasks + (item->members != NULL ? item->members->len : 0) + 1);
  g_autoptr (GPtrArray) times = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  guint n = 0;

  for (guint k = 0; k < item->n_tasks; k++) {
    if (item->task[k].replicas == 0)
      continue;
    g_ptr_array_add (times, g_array_new (FALSE, FALSE, sizeof (WlTime)));
    fill_role (c, item, k, runs->pdata[k], times->pdata[n], &role[n]);
    n++;
  }
  for (guint i = 0; item->members != NULL && i < item->members->len; i++) {
    const WlItem *pod = item->members->pdata[i];

    if (pod->dropped || pod->n_tasks == 0)
      continue;
    role[n++] = (WlImportRole){ .name = pod->task[0].name, .replicas = 1, .request = pod->task[0].request, .duration = pod->length };
  }
  gboolean made_up;
  const WlImportJob job = { .name = item->out_name, .ns = item->ns, .submit = submit_of (c, item, &made_up) + c->origin, .role = role, .n_roles = n, .by_object = TRUE };

  record (c, item, wl_import_job (c->imp, &job));
}

static int
by_age (gconstpointer a, gconstpointer b, gpointer user)
{
  const WlItem *l = *(const WlItem *const *) a, *r = *(const WlItem *const *) b;

  if (l->created == r->created)
    return 0;
  return l->created < r->created ? -1 : 1;
}

/* Nodes of one size, where there are none. */
static void
make_nodes (WlCluster *c)
{
  guint32 n = (guint32) wl_import_number (c->imp, "nodes");
  g_autofree char *cards = g_strdup_printf ("%s=%" G_GINT64_FORMAT, WL_CARD, wl_import_number (c->imp, "gpus-per-node"));
  const WlImportNode node = { .name = "n",
                              .time = WL_TIME_NONE,
                              .labels = "kubernetes.io/arch=amd64;kubernetes.io/os=linux", /* every kubelet says so, and manifests select by it */
                              .capacity = { .cpu_milli = wl_import_milli (c->imp, "node-cpu"), .memory = wl_import_bytes (c->imp, "node-memory"), .more = cards },
                              .count = n };

  if (c->cards) {
    wl_gang_nodes (c->imp, n);
    return;
  }
  wl_import_node (c->imp, &node);
  if (!wl_import_given (c->imp, "nodes"))
    wl_import_default_more (c->imp, "nodes", n);
}

/* Read what has been written as a run will. What admission will say against jobs is told now. */
static gboolean
check (WlCluster *c, const GString *text, GError **error)
{
  g_autoptr (WlObjects) o = wl_objects_parse_workload (text->str, text->len, "objects.yaml", error);

  if (o == NULL) {
    g_prefix_error (error, "what was made of these objects cannot be read: ");
    return FALSE;
  }
  for (guint i = 0; i < o->jobs->len; i++) {
    const WlJobObject *job = o->jobs->pdata[i];

    if (job->refusal.text == NULL && !job->refusal.no_order)
      continue;
    g_autofree char *what = g_strdup_printf ("jobs that admission will refuse, such as %s/%s", job->ns, job->name);

    for (guint k = i; k < o->jobs->len; k++)
      if (((const WlJobObject *) o->jobs->pdata[k])->refusal.text != NULL || ((const WlJobObject *) o->jobs->pdata[k])->refusal.no_order)
        wl_import_note (c->imp, what, 1);
    break;
  }
  return TRUE;
}

gboolean
wl_cluster_write (WlCluster *c, GError **error)
{
  GString *out = wl_import_objects (c->imp);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) workloads = g_ptr_array_new (); /* WlItem: oldest first */
  g_autoptr (GString) texts = g_string_new (NULL);

  c->shares = FALSE; /* among what is left */
  for (guint i = 0; i < c->items->len; i++) {
    const WlItem *item = c->items->pdata[i];

    for (guint k = 0; k < item->n_tasks && !item->dropped; k++)
      c->shares = c->shares || (item->task[k].request.gpu_milli > 0 && item->task[k].request.gpu_milli < 1000);
  }
  if (!c->cards && wl_import_given (c->imp, "gpu-share"))
    wl_import_note (c->imp, "--gpu-share changes nothing: the objects say which devices they ask for", 1);
  name_apart (c, names);
  write_missing_queues (c, out);
  for (guint i = 0; i < c->items->len; i++) {
    WlItem *item = c->items->pdata[i];

    if (item->dropped || item->taken)
      continue;
    if (item->kind == WL_N_KINDS)
      write_item (c, item, NULL, out);
    else
      g_ptr_array_add (workloads, item);
  }
  g_ptr_array_sort_with_data (workloads, by_age, NULL); /* stable, as GLib's is */
  for (guint i = 0; i < workloads->len; i++)
    write_item (c, workloads->pdata[i], NULL, texts);
  write_classes (c, out);
  g_string_append_len (out, texts->str, (gssize) texts->len);
  if (out->len == 0)
    g_string_append (out, "# nothing but nodes\n");
  wl_import_set_offset (c->imp, c->origin);
  if (c->origin != 0)
    wl_import_origin (c->imp, 0);
  if (c->crons > 0) {
    wl_import_scenario (c->imp, "until", wl_import_text (c->imp, "end"));
    if (!wl_import_given (c->imp, "end"))
      wl_import_default (c->imp, "end of the run, as CronJobs go on for ever (--end)");
  }
  if (c->nodes == 0)
    make_nodes (c);
  return check (c, out, error);
}
