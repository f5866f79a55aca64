/* workloads/native/native.c - the arrays of the native trace files: who frees what. The readers are
 * native-*.c. */
#include "native.h"
#include "behaviour.h"

static void
resource_clear (gpointer data)
{
  g_free (((WlResource *) data)->name);
}

static void
pair_clear (gpointer data)
{
  WlPair *pair = data;

  g_free (pair->key);
  g_free (pair->value);
}

static void
taint_clear (gpointer data)
{
  WlTaint *taint = data;

  g_free (taint->key);
  g_free (taint->value);
  g_free (taint->effect);
}

static void
unref (GArray *array)
{
  if (array != NULL)
    g_array_unref (array);
}

static void
list_clear (gpointer data)
{
  unref (*(GArray **) data);
}

static void
node_row_clear (gpointer data)
{
  WlNodeRow *row = data;

  g_free (row->name);
  unref (row->resources);
  unref (row->labels);
  unref (row->taints);
  unref (row->annotations);
}

static void
role_clear (gpointer data)
{
  WlRole *role = data;

  g_free (role->name);
  unref (role->resources);
  unref (role->durations);
  unref (role->exit_codes);
  unref (role->node_selector);
  unref (role->node_terms);
  unref (role->tolerations);
  g_free (role->image);
  g_free (role->apart);
  wl_behaviour_unref (role->behaviour);
  unref (role->scale);
}

static void
job_clear (gpointer data)
{
  WlJob *job = data;

  g_free (job->name);
  g_free (job->ns);
  g_free (job->queue);
  g_free (job->priority);
  g_free (job->scheduler);
  unref (job->min_resources);
  unref (job->roles);
  unref (job->extra);
}

static void
queue_row_clear (gpointer data)
{
  WlQueueRow *row = data;

  g_free (row->name);
  g_free (row->parent);
  g_free (row->state);
  unref (row->capability);
  unref (row->guarantee);
  unref (row->deserved);
  g_free (row->strategy);
  g_free (row->hierarchy);
  g_free (row->hierarchy_weights);
  for (guint i = 0; i < WL_N_GROUP_LISTS; i++)
    g_strfreev (row->groups[i]);
}

static GArray *
array_new (gsize size, guint reserve, GDestroyNotify clear)
{
  GArray *array = g_array_sized_new (FALSE, TRUE, (guint) size,
                                     reserve); /* zeroed: a row begun may be freed at any time */

  g_array_set_clear_func (array, clear);
  return array;
}

GArray *
wl_resources_new (void)
{
  return array_new (sizeof (WlResource), 0, resource_clear);
}

GArray *
wl_pairs_new (void)
{
  return array_new (sizeof (WlPair), 0, pair_clear);
}

GArray *
wl_taints_new (void)
{
  return array_new (sizeof (WlTaint), 0, taint_clear);
}

GArray *
wl_lists_new (void)
{
  return array_new (sizeof (GArray *), 1, list_clear);
}

GArray *
wl_node_rows_new (void)
{
  return array_new (sizeof (WlNodeRow), 0, node_row_clear);
}

GArray *
wl_roles_new (void)
{
  return array_new (sizeof (WlRole), 1, role_clear);
}

GArray *
wl_jobs_new (void)
{
  return array_new (sizeof (WlJob), 0, job_clear);
}

GArray *
wl_queue_rows_new (void)
{
  return array_new (sizeof (WlQueueRow), 0, queue_row_clear);
}
