/* sim/load/load-private.h - what the parts of the loader share. Only load*.c uses it. */
#pragma once
#include "scenario.h"
#include "sim/world/world.h"
G_BEGIN_DECLS

typedef struct {
  const SimScenario *s;
  GArray *nodes, *jobs, *queues;  /* as read */
  SimWorld *w;                    /* has the objects */
  WlObjects *objects;             /* before there is a world; nullable */
  GHashTable *amounts;            /* GArray of the reader → VcAmounts */
  GHashTable *schedules;          /* GArray of the reader, or a single value → SimSchedule */
  GHashTable *behaviours;         /* WlBehaviour that the world has by now */
  GHashTable *classes;            /* name → value in a gint64 */
  gint32 default_priority;        /* of pods without a class */
  const char *const *schedulers;  /* names that the scheduler goes by */
  GHashTable *queue_rows;         /* name → row + 1 */
  GHashTable *node_rows;          /* name → row + 1 */
} SimLoader;

/** Set "file:line:1: …"; returns FALSE. */
gboolean sim_loader_refuse (GError **error, const char *file, guint32 line, const char *format, ...) G_GNUC_PRINTF (4, 5);
/** The resource group that the webhook of pods puts such pods into; NULL: none, or it is off. */
const WlResourceGroup *sim_loader_resource_group (const SimLoader *l, const char *ns, const VcPairs *annotations);
/** What a list of the reader says, made once. */
VcAmounts sim_loader_amounts (SimLoader *l, GArray *resources);
const SimSchedule *sim_loader_schedule (SimLoader *l, GArray *lists, gboolean times);
/** The same, kept alive by the world; NULL stays NULL. */
const WlBehaviour *sim_loader_behaviour (SimLoader *l, WlBehaviour *b);
void sim_loader_add_class (SimLoader *l, const char *name, gint64 value, gboolean global_default);
/** Names of resources that objects use are added to @names; @drivers owns those that storage makes. */
void sim_loader_note_objects (const WlObjects *objects, GHashTable *seen, GHashTable *drivers, GPtrArray *names);
/** When a job is submitted, by the scenario's arrival_rate and shake, if its trace says @submit. */
SimTime sim_loader_submit (const SimLoader *l, const char *ns, const char *name, SimTime submit);
/** Is it an object of storage? */
gboolean sim_loader_is_storage (WlObjectKind kind);
/** No pod asks for more than can be summed up exactly. */
gboolean sim_loader_check_amounts (const WlObjects *objects, GError **error);
/** Only what a run knows to do with may stand in the objects; priority classes become known. */
gboolean sim_loader_check_objects (SimLoader *l, GError **error);
/** Queues as they are at the start, and their changes as events. */
gboolean sim_loader_load_queues (SimLoader *l, GError **error);
/** Tasks of all Job objects. */
guint32 sim_loader_object_roles (const WlObjects *objects);
/** Job objects become jobs behind those that are there. */
gboolean sim_loader_load_objects (SimLoader *l, GError **error);
/** One after the other, with the updates of those that come again. */
gboolean sim_loader_load_jobs (SimLoader *l, GError **error);
/** A row for the job; with the events of its life; the event of its deletion, where it has one. */
gboolean sim_loader_add_row (SimLoader *l, const WlJobObject *job, GError **error);
gboolean sim_loader_load_job (SimLoader *l, const WlJobObject *job, GError **error);
void sim_loader_prepare_delete (SimLoader *l, const WlJobObject *job, guint32 row, SimTime submit);
/** What a Job object says into @j and @role, [job->n_tasks]; their rows and times stay as they are. */
gboolean sim_loader_fill_job (SimLoader *l, const WlJobObject *job, SimJob *j, SimRole *role, GError **error);
/** Objects that make jobs. */
gboolean sim_loader_load_makers (SimLoader *l, GError **error);
/** Rows of jobs, 1 added, by "namespace/name". (transfer full) */
GHashTable *sim_loader_index_jobs (const SimWorld *w);
/** The schedule of a job from those of its @n tasks (each of WlScaleStep, nullable). NULL: none has one. */
const SimScaleSchedule *sim_loader_scale (SimLoader *l, GArray *const *scale, guint n);
/** Edits become events; their jobs must exist. */
gboolean sim_loader_load_edits (SimLoader *l, GError **error);
/** Commands become events; their jobs must exist. */
gboolean sim_loader_load_commands (SimLoader *l, GError **error);

G_END_DECLS
