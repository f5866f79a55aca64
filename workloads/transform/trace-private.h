/* workloads/transform/trace-private.h - what the steps share. */
#pragma once
#include "transform.h"
#include "workloads/native/distribution.h"
G_BEGIN_DECLS

/** Find out which rows of jobs.csv are one job: t->job_of and t->n_jobs. */
void wl_trace_index_jobs (WlTrace *t);
/** Keep the jobs with @keep[job], and their records. */
void wl_trace_keep_jobs (WlTrace *t, const gboolean *keep);
/** Drop the records of these jobs ("ns/name"). */
void wl_trace_drop_records (WlTrace *t, GHashTable *gone);
/** A time of a cell; @file is the table's name for the message. Empty: *given FALSE. */
gboolean wl_trace_time_of (const WlTrace *t, const WlTable *table, const char *file, guint row, int column, WlTime *out, gboolean *given, GError **error);
/** Put "folder/file:line: column 'name': " in front of @error; returns FALSE. */
gboolean wl_trace_locate (const WlTrace *t, const WlTable *table, const char *file, guint row, int column, GError **error);
void wl_trace_set_time (WlTable *table, guint row, guint column, WlTime time);
/** scenario.yaml of the folder, if there is one: t->start, t->conf and t->settings. FALSE with @error: it names files or jobs that the steps do not know. */
gboolean wl_trace_read_scenario (WlTrace *t, GError **error);
/** The lines for the scenario.yaml that is written. */
void wl_trace_append_settings (const WlTrace *t, GString *scenario);
/** Can they be one trace? FALSE with @error: not with different settings. */
gboolean wl_trace_same_settings (const WlTrace *a, const WlTrace *b, GError **error);
/** Rows of jobs by submission. */
gboolean wl_trace_sort_jobs (WlTrace *t, GError **error);
/** What had happened before @from is so from time 0 on: nodes, queues, faults. */
gboolean wl_trace_begin_at (WlTrace *t, WlTime from, GError **error);

G_END_DECLS
