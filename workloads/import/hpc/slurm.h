/* workloads/import/hpc/slurm.h - Slurm: what its texts mean, and its cluster; private to the files slurm*.c. */
#pragma once
#include "workloads/import/import.h"
G_BEGIN_DECLS

/* ---- texts (slurm-text.c). Each refusal is "what, expected …, found …" without a place. ---- */

/** "1-02:03:04", "03:04.5", "90" (minutes); UNLIMITED, INFINITE, Partition_Limit and the like give WL_TIME_NEVER. */
gboolean wl_slurm_duration (const char *text, WlTime *out, GError **error);
/** A wall-clock time; Unknown, None and the like give WL_TIME_NONE. */
gboolean wl_slurm_clock (const char *text, WlTime *out, GError **error);

typedef enum { WL_SLURM_OF_JOB, WL_SLURM_OF_NODE, WL_SLURM_OF_CPU } WlSlurmOf;
/** "500G", "2800Mc", "500000Mn", "4000" (MB): bytes, and of what; @of is what a text without c or n means. 0: not said. */
gboolean wl_slurm_memory (const char *text, WlSlurmOf otherwise, gint64 *bytes, WlSlurmOf *of, GError **error);
/** The amount of @name ("mem", "gres/gpu") in "cpu=32,mem=500G,gres/gpu=2,gres/gpu:a100=2". FALSE: it is not there. (transfer full) */
gboolean wl_slurm_tres (const char *text, const char *name, char **amount);
/** The type of the GPUs in such a text, or NULL. (transfer full) */
char *wl_slurm_tres_type (const char *text);
/** GPUs of "gpu:2", "gpu:tesla_v100:2,craynetwork:1", "gres:gpu:2": how many, and of which type (NULL: any; transfer full). */
gboolean wl_slurm_gres (const char *text, gint64 *gpus, char **type, GError **error);
/** Names of "b[002-003,7],g1". At most 200000. NULL with @error. (transfer full) */
GPtrArray *wl_slurm_hosts (const char *text, GError **error);

/* ---- the cluster (slurm-conf.c) ---- */

typedef struct {
  char *name, *features; /* features: "a,b", NULL: none */
  gint64 cores, memory;  /* memory in bytes, 0: not said */
  guint32 gpus;
  char *gpu_type;
  gboolean future, down;
  GString *labels;       /* those of constraints that somebody has */
} WlSlurmNode;
typedef struct {
  char *name, *nodes;    /* nodes as it is written, NULL: none */
  gint64 per_cpu, per_node, priority; /* default memory in bytes, 0: not said */
  gboolean is_default, all; /* all: it has all nodes */
  GHashTable *members;   /* names of nodes */
} WlSlurmPartition;
typedef struct {
  GArray *nodes, *partitions; /* WlSlurmNode, WlSlurmPartition */
  GHashTable *node_by_name;   /* name → place + 1 */
  GHashTable *constraints;    /* text → selector, "": cannot be understood */
  gint64 per_cpu, per_node;   /* default memory outside of partitions */
} WlSlurmCluster;

WlSlurmCluster wl_slurm_cluster_new (void);
void wl_slurm_cluster_clear (WlSlurmCluster *c);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WlSlurmCluster, wl_slurm_cluster_clear)
gboolean wl_slurm_is_conf (const WlImportHead *head);
gboolean wl_slurm_read_conf (WlImport *imp, guint file, WlSlurmCluster *c, GError **error);
/** After all files: which nodes partitions have. */
gboolean wl_slurm_settle (WlImport *imp, WlSlurmCluster *c, GError **error);
const WlSlurmPartition *wl_slurm_partition (const WlSlurmCluster *c, const char *name); /* NULL or "": the default one */
/** The terms of a node selector for "A&B", "A|B", "(A|B)&C"; NULL: it cannot be understood. It belongs to @c. */
const char *wl_slurm_constraint (WlSlurmCluster *c, const char *text);
/** The term for the nodes of a partition; NULL: it has all. (transfer full) */
char *wl_slurm_partition_term (const WlSlurmPartition *p);
/** Cores of the smallest node of @partition (NULL: any) that meets @constraint (NULL: any) and has at least @cores; 0: none. */
gint64 wl_slurm_smallest (const WlSlurmCluster *c, const WlSlurmPartition *partition, const char *constraint, gint64 cores);
void wl_slurm_add_nodes (WlImport *imp, const WlSlurmCluster *c);

/* ---- sacct (slurm-sacct.c): rows whose texts hold separators ---- */

typedef struct WlSlurmRepair WlSlurmRepair;
/** For a table with this header line. NULL with @error: it lacks JobID. (transfer full) */
WlSlurmRepair *wl_slurm_repair_new (const char *header, GError **error);
void wl_slurm_repair_free (WlSlurmRepair *r);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlSlurmRepair, wl_slurm_repair_free)
int wl_slurm_column (const WlSlurmRepair *r, const char *name); /* -1: not there */
/** Does a row begin with this line, or does it go on with the one before? */
gboolean wl_slurm_begins (const WlSlurmRepair *r, const char *line);
/** Could the next line belong to this row? */
gboolean wl_slurm_may_go_on (const WlSlurmRepair *r);
/** The cells of a row. *repaired: separators within texts were found. NULL with @error. (transfer full) */
char **wl_slurm_cells (const WlSlurmRepair *r, const char *line, gboolean *repaired, GError **error);

G_END_DECLS
