/* workloads/import/kubernetes/cluster.h - Kubernetes objects of a cluster become a scenario; private to formats.
 *
 * Objects are read one by one as a run would read them, so that what is wrong is refused with its place. When all are there they are joined: pods with the
 * workloads that make them, PodGroups with their jobs. What a run can have then goes to wl_import_objects(), nodes to the tables. */
#pragma once
#include "manifest.h"
#include "stages.h"
#include "workloads/import/import.h"
G_BEGIN_DECLS

#define WL_CLUSTER_OPTIONS                                                                                                                                        \
  { "mode", WL_OPTION_CHOICE, "auto", "auto|snapshot|replay",                                                                                                     \
    "snapshot: begin with the state of the dump; replay: everything is submitted again when it was made; auto: snapshot where pods have nodes" },                 \
  { "at", WL_OPTION_TEXT, NULL, NULL, "when the dump was made, such as 2025-03-03T08:20:00Z; without it the latest time in it" },                                 \
  { "duration", WL_OPTION_TIME, "1h", NULL, "running time of pods that nothing tells" },                                                                          \
  { "schedulers", WL_OPTION_TEXT, "volcano", NULL, "schedulerNames that count as Volcano's, with commas between; *: all" },                                       \
  { "fake-taint", WL_OPTION_CHOICE, "drop", "drop|keep", "the taint kwok.x-k8s.io/node of nodes that KWOK fakes" },                                               \
  { "stage-delay", WL_OPTION_CHOICE, "draw", "draw|least|most", "running time by a KWOK Stage: drawn between its two, or one of them" },                          \
  { "seed", WL_OPTION_SEED, "0", NULL, "seed of what is drawn" },                                                                                                  \
  { "end", WL_OPTION_TIME, "24h", NULL, "end of the run where CronJobs would go on for ever" },                                                                   \
  { "nodes", WL_OPTION_COUNT, "10", NULL, "nodes, where there are none among the objects" },                                                                        \
  { "gpus-per-node", WL_OPTION_INT, "8", NULL, "GPUs of such a node" },                                                                                           \
  { "node-cpu", WL_OPTION_SIZE, "96", NULL, "cores of such a node" },                                                                                         \
  { "node-memory", WL_OPTION_SIZE, "768Gi", NULL, "memory of such a node" }

/* A task of a workload; a pod by itself has one. */
typedef struct {
  const char *name;
  guint32 replicas;
  gint32 min_available;
  WlImportAmounts request;
  gboolean always;      /* its containers start again after each run */
  const char *note;     /* annotation volsim.io/duration; NULL: none */
  const char *places;   /* annotation volsim.io/node; NULL: none */
  VcPairs labels;       /* of its pods */
  GPtrArray *pod;       /* WlItem by index, NULL where there is none; NULL: none at all */
  guint32 now;          /* replicas, as changes go by, */
  const char *scale;    /* and these changes, as annotation volsim.io/scale has them; NULL: none */
  WlTime mean;          /* running time of its pods that have finished, WL_TIME_NONE; as long as has_mean */
  gboolean has_mean;
  GArray *lives;        /* WlTime by launch order, of formats that know; NULL: none */
} WlItemTask;

typedef struct WlItem WlItem;
struct WlItem {
  WlKind kind;          /* WL_N_KINDS: no workload */
  const char *object;   /* its Kubernetes kind; BatchJob: a Job of batch */
  const char *ns, *name, *uid, *out_name; /* ns NULL: none; out_name: in the scenario */
  const char *text;     /* with marks */
  const char *owner_kind, *owner_name;    /* its controller; NULL: none */
  WlKind owner;         /* as a workload; WL_N_KINDS: none */
  WlTime created;       /* since 1970; WL_TIME_NONE */
  WlTime deleted;       /* when it was, since 1970; WL_TIME_NONE */
  WlTime submit, remove; /* annotations; WL_TIME_NONE */
  WlTime found_age;     /* annotation volsim.io/age; 0 */
  const char *found_phase; /* annotation volsim.io/phase; NULL: none */
  gboolean stated;      /* it says when it comes and not when it was made, as objects do that volsim has exported: what it says of nodes holds without a status */
  const char *grace;    /* terminationGracePeriodSeconds of such a pod, NULL: none; a dump has it in each pod, whether anybody gave it or not */
  WlTime estimate;      /* runningEstimate; WL_TIME_NONE */
  const char *phase;    /* "" */
  const char *queue, *priority_class; /* NULL: none */
  gboolean has_priority; gint32 priority; /* of a pod, as admission resolved it */
  gboolean foreign;     /* its pods are another scheduler's */
  gboolean maker;       /* it makes jobs */
  gint32 min_available;
  WlItemTask *task; guint n_tasks;
  /* a pod */
  const char *group, *task_name, *node; /* NULL: none */
  gboolean no_policy;   /* it gives no restart policy */
  gboolean labelled_queue; /* its queue is that of a label */
  gint64 index;         /* in its task, -1 */
  WlTime started, finished, gone, phases; /* gone: the end of its deletion; phases: sum of those of annotation simSpec; each WL_TIME_NONE */
  gint32 exit_code;
  WlTime length;        /* as it is written */
  VcPairs labels;
  /* joined */
  WlItem *parent, *pod_group;
  GPtrArray *members;   /* of a PodGroup */
  gboolean dropped, taken; /* taken: it is part of another item */
};

typedef struct {
  WlImport *imp;
  gboolean in_row;      /* a row has begun that is not through */
  VcArena *arena, *scratch;
  GPtrArray *arrays;    /* of the reader */
  GPtrArray *items;     /* WlItem */
  GHashTable *by_key;   /* "object ns/name" → WlItem */
  GHashTable *kinds;    /* kind → objects read */
  GHashTable *queues;   /* names */
  GHashTable *classes;  /* name → gint32 * */
  GHashTable *made;     /* the same, of classes that are made up */
  gint32 default_priority;
  GPtrArray *stages;    /* WlStage */
  GStrv schedulers;     /* NULL: all */
  WlTime latest;        /* time in the objects; WL_TIME_NONE: none */
  gboolean noted;       /* some object says when it is submitted */
  guint nodes, pods_with_node, crons;
  gboolean keep_volumes, keep_devices; /* claims of pods on storage, and on devices */
  gboolean ends;        /* pods that give no restart policy end with their containers */
  gboolean own_rows;    /* objects are no rows: the format has others */
  guint ours;           /* workloads of the schedulers that count */
  const char *another;  /* the first scheduler that does not; NULL: none */
  gboolean of_then;     /* the objects are a history whatever they say */
  gboolean of_now;      /* the objects are a snapshot even where nothing runs */
  gboolean shares;      /* some pod has a part of a card */
  gboolean cards;       /* GPUs are cards of which pods may have parts (WlImportAmounts) */
  const char *group_key, *queue_key; /* annotation that names a pod's PodGroup, label that names its queue */
  gboolean snapshot;
  WlTime origin;        /* time 0 of the run, on the objects' own axis */
  WlTime at;            /* of --at, on the same; WL_TIME_NONE: not given */
} WlCluster;

WlCluster *wl_cluster_new (WlImport *imp);
/** All pods are ours, unless --schedulers says more: the objects come from a cluster without Volcano. */
void wl_cluster_take_all (WlCluster *c);
void wl_cluster_free (WlCluster *c);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlCluster, wl_cluster_free)
/** Look what is in file @file that decides how others are read. Before the first wl_cluster_file(). */
gboolean wl_cluster_look (WlCluster *c, guint file, GError **error);
/** All objects of file @file. */
gboolean wl_cluster_file (WlCluster *c, guint file, GError **error);
/** One object; for readers that have it from elsewhere. It is a row, unless @c has rows of its own. */
gboolean wl_cluster_object (K8sReader *r, struct fy_node *node, const K8sTop *top, gpointer cluster);
/** The same, counted by its fault where rows may be bad. */
gboolean wl_cluster_refused (gpointer cluster, GError **error);
/** Kind of an object as items have it: Jobs of batch are told from those of Volcano. */
const char *wl_cluster_kind (const K8sTop *top);
/** @object is such a kind. NULL: there is none. */
WlItem *wl_cluster_find (const WlCluster *c, const char *object, const char *ns, const char *name);
/** Another object may have its name from now on. */
void wl_cluster_forget (WlCluster *c, const WlItem *item);
/** What *error says is not simulated is counted; *error is cleared. */
void wl_cluster_unsupported (WlCluster *c, GError **error);
WlItem *wl_item_new (WlCluster *c, WlKind kind, const char *object, const char *ns, const char *name);
/** How sure it is that the file holds Kubernetes objects and nothing else. */
guint wl_detect_objects (const WlImportHead *head);
/** Join what is there, and write it. */
gboolean wl_cluster_finish (WlCluster *c, GError **error);

G_END_DECLS
