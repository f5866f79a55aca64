/* sim/world/views.h - what each scheduler of a run knows of the one world: a cache of its own, filled by watchers of its own.
 *
 * A run has one view for each scheduler, in the order of the scenario; most have one. The world's `cache` and `cluster` are those of the view
 * that is entered: the first one as a rule, a scheduler's own while it runs a cycle, binds or starts anew. Rows of tasks, PodGroups, nodes and
 * shapes differ from view to view, and are translated here; queues are made and deleted in all views alike, so that their rows are the same.
 *
 * As in Volcano a pod without a node is in the cache of the scheduler that its schedulerName names and in no other; once it has a node it is in all of
 * them. PodGroups, queues and nodes are in all of them. */
#pragma once
#include "world.h"
#include "core/session/engine.h"
G_BEGIN_DECLS

struct SimView {
  const char *name;          /* schedulerName of its pods: the first of its */
  const char *const *names;
  VcCache *cache;
  VcCluster *cluster;
  VcSharding sharding;
  const char *shard;         /* its NodeShard */
  const VcEngine *engine;    /* borrowed; NULL before time starts */
  SimTime back;              /* it has gone, and comes again then; SIM_NO_TIME: it is there */
  guint64 cycle_uid;         /* when its last session opened: it has not seen pods from there on */
  /* rows here by rows of the world, in views behind the first one, whose rows stand in the world's tables */
  guint32 *task, *group; guint32 n_tasks, n_groups;
  const VcShape **shape; guint32 n_shapes; /* by id of the shape in the first view */
  /* what it did */
  guint64 cycles, binds, evictions, enqueued, refused; /* refused: pods whose node had no room for them any more */
};

/** A view behind those that are there, on @cache (taken over), which was made with @options; its texts are borrowed. */
void sim_views_add (SimWorld *w, VcCache *cache, const VcCacheOptions *options);
void sim_views_free (SimWorld *w);

static inline void
sim_view_enter (SimWorld *w, guint view)
{
  w->at = view;
  w->cache = w->view[view].cache;
  w->cluster = w->view[view].cluster;
}

/** Run the statement that follows in every view; @back names a variable. Neither `break` nor `return` may leave it. */
#define SIM_EACH_VIEW(w, back)                                                                                                   \
  for (guint back = (w)->at, back##_at = 0; back##_at < (w)->n_views ? (sim_view_enter ((w), back##_at), TRUE)                    \
                                                                     : (sim_view_enter ((w), back), FALSE); back##_at++)

/** The view of the scheduler that pods of that name belong to; the first one where no scheduler of the run has the name. */
guint sim_view_of_role (SimWorld *w, SimRole *role);
/** That of its first pods, who decides about the job. */
guint sim_view_of_job (SimWorld *w, guint32 job);
/** schedulerName of the role's pods. */
const char *sim_role_scheduler (const SimWorld *w, const SimRole *role);
/** Does a scheduler of the run go by that name? */
gboolean sim_views_know (const SimWorld *w, const char *scheduler);

/* in the view that is entered */
guint32 sim_view_task (const SimWorld *w, guint32 pod);
void sim_view_set_task (SimWorld *w, guint32 pod, guint32 task);
guint32 sim_view_group (const SimWorld *w, guint32 job);
void sim_view_set_group (SimWorld *w, guint32 job, guint32 group);
/** Row here of a node of the world, VC_NONE; and back. */
guint32 sim_view_node (const SimWorld *w, guint32 node);
guint32 sim_view_world_node (const SimWorld *w, guint32 row);
/** The shape here that equals @shape of the first view. */
const VcShape *sim_view_shape (SimWorld *w, const VcShape *shape);

G_END_DECLS
