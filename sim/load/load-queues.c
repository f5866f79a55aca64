/* sim/load/load-queues.c - rows of queues.csv and Queue objects become queues, and changes of them. */
#include "load-private.h"
#include "sim/world/queues.h"
#include <string.h>

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Names of all queues that anything speaks of; @seen says which job was the first to name a queue that never comes (row + 1), 0: it comes. */
static void
gather_names (const SimLoader *l, GPtrArray *names, GHashTable *seen)
{
  const WlObjects *objects = l->w->objects;

  g_ptr_array_add (names, (gpointer) "default");
  g_ptr_array_add (names, (gpointer) "root");
  g_hash_table_insert (seen, (gpointer) "default", NULL);
  g_hash_table_insert (seen, (gpointer) "root", NULL);
  for (guint i = 0; l->queues != NULL && i < l->queues->len; i++) {
    const WlQueueRow *q = &g_array_index (l->queues, WlQueueRow, i);

    if (g_hash_table_insert (seen, q->name, NULL))
      g_ptr_array_add (names, q->name);
  }
  for (guint i = 0; objects != NULL && i < objects->objects->len; i++) {
    const WlObject *o = objects->objects->pdata[i];

    if (o->kind == WL_OBJECT_QUEUE && g_hash_table_insert (seen, (gpointer) o->queue.name, NULL))
      g_ptr_array_add (names, (gpointer) o->queue.name);
  }
  for (guint i = 0; objects != NULL && i < objects->objects->len; i++) {
    const WlObject *o = objects->objects->pdata[i];
    const char *queue = o->kind == WL_OBJECT_NAMESPACE ? vc_pairs_get (&o->ns.annotations, "scheduling.volcano.sh/queue-name") : NULL;

    if (queue != NULL && g_hash_table_insert (seen, (gpointer) queue, NULL))
      g_ptr_array_add (names, (gpointer) queue);
  }
  for (guint i = 0; i < l->jobs->len; i++) { /* a queue that never comes: admission will see */
    char *queue = g_array_index (l->jobs, WlJob, i).queue;

    if (queue == NULL || *queue == '\0' || g_hash_table_contains (seen, queue))
      continue;
    g_hash_table_insert (seen, queue, GUINT_TO_POINTER (i + 1));
    g_ptr_array_add (names, queue);
  }
  for (guint i = 0; objects != NULL && i < objects->jobs->len; i++) {
    const char *queue = ((const WlJobObject *) objects->jobs->pdata[i])->queue;

    if (g_hash_table_contains (seen, queue))
      continue;
    g_hash_table_insert (seen, (gpointer) queue, GUINT_TO_POINTER (l->jobs->len + i + 1));
    g_ptr_array_add (names, (gpointer) queue);
  }
  for (guint i = 0; objects != NULL && i < objects->templates->len + objects->crons->len; i++) {
    const char *queue = i < objects->templates->len
                            ? ((const WlJobTemplate *) objects->templates->pdata[i])->job.queue
                            : ((const WlCronJob *) objects->crons->pdata[i - objects->templates->len])->made_from.job.queue;

    if (g_hash_table_contains (seen, queue))
      continue;
    g_hash_table_insert (seen, (gpointer) queue, NULL); /* makers.c warns of it */
    g_ptr_array_add (names, (gpointer) queue);
  }
  g_ptr_array_sort (names, by_text);
}

static guint32
row_of (const SimLoader *l, const char *name)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (l->queue_rows, name)) - 1;
}

static const char *
keep (const SimLoader *l, const char *text)
{
  return text != NULL ? g_string_chunk_insert_const (l->w->text, text) : NULL;
}

static VcNames
names_of (const SimLoader *l, char **list)
{
  guint n = list != NULL ? g_strv_length (list) : 0;

  if (n == 0)
    return (VcNames){ NULL, 0 };
  const char **item = vc_arena_new0 (l->w->arena, const char *, n);

  for (guint i = 0; i < n; i++)
    item[i] = keep (l, list[i]);
  return (VcNames){ item, n };
}

static SimQueueChange
change_of_row (SimLoader *l, const WlQueueRow *row)
{
  SimQueueChange c = { .queue = row_of (l, row->name),
                       .line = row->line,
                       .removes = g_strcmp0 (row->state, "Deleted") == 0,
                       .hierarchy = keep (l, row->hierarchy),
                       .hierarchy_weights = keep (l, row->hierarchy_weights),
                       .parent = keep (l, row->parent),
                       .state = keep (l, row->state),
                       .weight = row->weight,
                       .priority = row->priority,
                       .reclaimable = row->reclaimable,
                       .capability = sim_loader_amounts (l, row->capability),
                       .guarantee = sim_loader_amounts (l, row->guarantee),
                       .deserved = sim_loader_amounts (l, row->deserved) };

  for (guint i = 0; i < WL_N_GROUP_LISTS; i++)
    c.groups[i] = names_of (l, row->groups[i]);
  return c;
}

/* The change is made now when its time is the start, else in its turn. */
static void
add_change (SimLoader *l, SimQueueChange c, SimTime time, gboolean at_start)
{
  SimWorld *w = l->w;
  guint32 i = w->n_queue_changes++;

  w->queue_change[i] = c;
  if (at_start)
    sim_queue_change (w, i, TRUE);
  else
    sim_event_queue_prepare (w->events, time, SIM_RANK_QUEUE, SIM_EVENT_QUEUE, i);
}

static gboolean
add_object (SimLoader *l, const WlObject *o, GError **error)
{
  const SimQueueChange none = { .queue = row_of (l, o->queue.name), .weight = -1, .priority = -1, .reclaimable = -1 };
  SimQueueChange made = none, removed = none;

  if (o->refusal != NULL && o->submit == WL_TIME_NONE)
    return sim_loader_refuse (error, o->file, o->line, "queue '%s' cannot be there from the start: %s", o->queue.name, o->refusal);
  made.object = o;
  removed.removes = TRUE;
  add_change (l, made, o->submit, o->submit == WL_TIME_NONE);
  if (o->remove != WL_TIME_NONE)
    add_change (l, removed, o->remove, FALSE);
  return TRUE;
}

gboolean
sim_loader_load_queues (SimLoader *l, GError **error)
{
  SimWorld *w = l->w;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  guint n = (l->queues != NULL ? l->queues->len : 0) + (w->objects != NULL ? 2 * w->objects->objects->len : 0);

  gather_names (l, names, seen);
  w->n_queues = names->len;
  w->queue = g_new0 (SimQueue, w->n_queues);
  for (guint i = 0; i < names->len; i++) {
    SimQueue *q = &w->queue[i];

    q->name = g_string_chunk_insert_const (w->text, names->pdata[i]);
    q->running = g_new0 (double, w->n_res);
    q->unknown_job = GPOINTER_TO_UINT (g_hash_table_lookup (seen, q->name)) - 1;
    sim_queue_reset (w, i);
    g_hash_table_insert (l->queue_rows, (gpointer) q->name, GUINT_TO_POINTER (i + 1));
  }
  sim_queue_publish (w, row_of (l, "root"));
  sim_queue_publish (w, row_of (l, "default"));
  w->queue_change = g_new0 (SimQueueChange, MAX (n, 1));
  for (guint i = 0; l->queues != NULL && i < l->queues->len; i++) {
    const WlQueueRow *row = &g_array_index (l->queues, WlQueueRow, i);

    add_change (l, change_of_row (l, row), row->time, row->time <= 0);
  }
  for (guint i = 0; w->objects != NULL && i < w->objects->objects->len; i++) {
    const WlObject *o = w->objects->objects->pdata[i];

    if (o->kind == WL_OBJECT_QUEUE && !add_object (l, o, error))
      return FALSE;
  }
  for (guint32 i = 0; i < w->n_queues; i++) { /* the engine follows the parents of a queue up to root */
    guint32 at = i;

    for (guint32 depth = 0; at != SIM_NONE && strcmp (w->queue[at].parent, "") != 0; depth++) {
      if (depth > w->n_queues)
        return sim_loader_refuse (error, l->s->objects != NULL ? l->s->objects : l->s->queues, 1, "queue '%s': its parents form a loop, expected a path to root",
                                  w->queue[i].name);
      at = row_of (l, w->queue[at].parent);
    }
  }
  return TRUE;
}
