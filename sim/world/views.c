/* sim/world/views.c - see views.h. */
#include "views.h"
#include <string.h>

void
sim_views_add (SimWorld *w, VcCache *cache, const VcCacheOptions *options)
{
  w->view = g_renew (SimView, w->view, w->n_views + 1);
  w->view[w->n_views++] = (SimView){ .name = options->scheduler_names[0],
                                       .names = options->scheduler_names,
                                       .cache = cache,
                                       .cluster = vc_cache_cluster (cache),
                                       .back = SIM_NO_TIME,
                                       .sharding = options->sharding,
                                       .shard = options->shard };
  sim_view_enter (w, 0);
}

void
sim_views_free (SimWorld *w)
{
  for (guint v = 0; v < w->n_views; v++) {
    vc_cache_free (w->view[v].cache);
    g_free (w->view[v].task);
    g_free (w->view[v].group);
    g_free (w->view[v].shape);
  }
  g_clear_pointer (&w->view, g_free);
}

/* ---- whose it is ---------------------------------------------------------------------------- */

const char *
sim_role_scheduler (const SimWorld *w, const SimRole *role)
{
  if (role->scheduler != NULL)
    return role->scheduler;
  return role->spec != NULL ? role->spec->scheduler : w->scheduler_name;
}

guint
sim_view_of_role (SimWorld *w, SimRole *role)
{
  if (w->n_views == 1)
    return 0;
  if (role->view == 0) {
    const char *name = sim_role_scheduler (w, role);

    role->view = 1;
    for (guint v = 0; v < w->n_views; v++)
      if (g_strv_contains (w->view[v].names, name))
        role->view = (guint8) (v + 1);
  }
  return role->view - 1u;
}

guint
sim_view_of_job (SimWorld *w, guint32 job)
{
  const SimJob *j = &w->job[job];

  return w->n_views > 1 && j->n_roles > 0 ? sim_view_of_role (w, &w->role[j->first_role]) : 0;
}

gboolean
sim_views_know (const SimWorld *w, const char *scheduler)
{
  for (guint v = 0; v < w->n_views; v++)
    if (g_strv_contains (w->view[v].names, scheduler))
      return TRUE;
  return FALSE;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void
put (guint32 **rows, guint32 *n, guint32 at, guint32 row)
{
  if (at >= *n) {
    guint32 more = MAX (at + 1, *n * 2);

    *rows = g_renew (guint32, *rows, more);
    for (guint32 i = *n; i < more; i++)
      (*rows)[i] = VC_NONE;
    *n = more;
  }
  (*rows)[at] = row;
}

guint32
sim_view_task (const SimWorld *w, guint32 pod)
{
  const SimView *v = &w->view[w->at];

  if (w->at == 0)
    return w->pod[pod].task;
  return pod < v->n_tasks ? v->task[pod] : VC_NONE;
}

void
sim_view_set_task (SimWorld *w, guint32 pod, guint32 task)
{
  if (w->at == 0)
    w->pod[pod].task = task;
  else
    put (&w->view[w->at].task, &w->view[w->at].n_tasks, pod, task);
}

guint32
sim_view_group (const SimWorld *w, guint32 job)
{
  const SimView *v = &w->view[w->at];

  if (w->at == 0)
    return w->job[job].pg;
  return job < v->n_groups ? v->group[job] : VC_NONE;
}

void
sim_view_set_group (SimWorld *w, guint32 job, guint32 group)
{
  if (w->at == 0)
    w->job[job].pg = group;
  else
    put (&w->view[w->at].group, &w->view[w->at].n_groups, job, group);
}

guint32
sim_view_node (const SimWorld *w, guint32 node)
{
  return w->at == 0 || w->node[node].row == VC_NONE ? w->node[node].row : vc_cluster_node (w->cluster, w->node[node].name);
}

guint32
sim_view_world_node (const SimWorld *w, guint32 row)
{
  return w->node_of_row[w->at == 0 ? row : vc_cluster_node (w->view[0].cluster, w->cluster->nodes.info[row].name)];
}

const VcShape *
sim_view_shape (SimWorld *w, const VcShape *shape)
{
  SimView *v = &w->view[w->at];

  if (w->at == 0)
    return shape;
  if (shape->id >= v->n_shapes) {
    guint32 n = MAX (shape->id + 1, v->n_shapes * 2);

    v->shape = g_renew (const VcShape *, v->shape, n);
    memset (v->shape + v->n_shapes, 0, (n - v->n_shapes) * sizeof *v->shape);
    v->n_shapes = n;
  }
  if (v->shape[shape->id] == NULL)
    v->shape[shape->id] = vc_shape_intern (v->cluster->shapes, &shape->spec);
  return v->shape[shape->id];
}
