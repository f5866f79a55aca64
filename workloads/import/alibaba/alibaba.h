/* workloads/import/alibaba/alibaba.h - what the traces of Alibaba's co-located clusters of 2017 and 2018 have in common: batch jobs of tasks, tasks of equal instances, rows in
 * any order; and services in containers; private to these two formats.
 *
 * What is kept is a record of fixed size for each task and, where instances are listed, each instance of it that counts. */
#pragma once
#include "workloads/import/import.h"
G_BEGIN_DECLS

typedef struct WlBatch WlBatch;
/** @dag: names of tasks tell which others must be over first. @machine: what the usual one has. */
WlBatch *wl_batch_new (WlImport *imp, gboolean dag, const WlImportAmounts *machine);
void wl_batch_free (WlBatch *b);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlBatch, wl_batch_free)

typedef enum { WL_BATCH_TERMINATED, WL_BATCH_FAILED, WL_BATCH_RUNNING, WL_BATCH_WAITING, WL_BATCH_CANCELLED, WL_BATCH_INTERRUPTED, WL_BATCH_READY, WL_BATCH_STATES } WlBatchState;
#define WL_BATCH_WORDS "Terminated|Failed|Running|Waiting|Cancelled|Interrupted|Ready"
/** A status; FALSE with @error. */
gboolean wl_batch_state (const WlCsv *csv, int cell, WlBatchState *out, GError **error);

typedef struct {
  const char *job, *task;
  WlBatchState state;
  WlTime start, end;         /* end WL_TIME_NONE: not over when the trace ended */
  gint64 instances;          /* 0: not said */
  gint64 cpu_milli, memory;  /* of an instance, -1: not said */
  const char *type;          /* x_type, and the queue of --queue-by=task_type; NULL: none */
  guint file;                /* where the row is */
  guint64 line, column;
} WlBatchTask;
/** A row of a task; TRUE always. */
gboolean wl_batch_task (WlBatch *b, const WlBatchTask *task);

typedef struct {
  const char *job, *task, *machine; /* machine "": not said */
  WlBatchState state;
  WlTime start, end;                /* end WL_TIME_NONE: not over when the trace ended */
  gint64 try, tries;
} WlBatchInstance;
/** A row of an instance; TRUE always. */
gboolean wl_batch_instance (WlBatch *b, const WlBatchInstance *instance);

/** All rows are there: jobs and the record go to the import. FALSE with @error: tasks wait for each other. */
gboolean wl_batch_finish (WlBatch *b, GError **error);

#define WL_BATCH_OPTIONS(cores, n_nodes)                                                                                                         \
  { "unit-memory", WL_OPTION_SIZE, "256Gi", NULL, "memory of the largest machine: what 1 (2017) or 100 (2018) stands for" },                  \
  { "pod-cpu", WL_OPTION_QUANTITY, cores, NULL, "cores of an instance whose task does not say it" },                                              \
  { "pod-memory", WL_OPTION_QUANTITY, NULL, NULL, "memory of such an instance (default: 2Gi a core)" },                                           \
  { "max-instances", WL_OPTION_COUNT, NULL, NULL, "most instances of a task; the others are left out and counted" },                                \
  { "group-instances", WL_OPTION_COUNT, "1", NULL, "instances of a task that are one pod, which asks for as much as they do together, up to half of a machine" },            \
  { "wave", WL_OPTION_COUNT, NULL, NULL, "instances of a task that ran at a time, where they are not listed: each takes its part of the task's time" }, \
  { "nodes", WL_OPTION_COUNT, n_nodes, NULL, "nodes, where the files list no machines" }

/** Memory in bytes, where @per stands for @unit bytes; at most 4 TiB. FALSE with @error. */
gboolean wl_batch_memory (const WlCsv *csv, int cell, gint64 unit, gint64 per, gint64 *out, GError **error);

#define WL_BATCH_PRIORITY 100
#define WL_SERVICE_PRIORITY 1000

G_END_DECLS
