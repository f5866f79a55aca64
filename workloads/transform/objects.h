/* workloads/transform/objects.h - objects.yaml of a trace as texts, one for each object, of which the steps change single values: what they do not touch stays as it is.
 *
 * Known are vcjobs, and JobFlows with their JobTemplates, whose steps are jobs named <flow>-<template>. Other kinds stay as they are where a step does not concern
 * them; where it would, they are refused by name. */
#pragma once
#include "workloads/native/native.h"
G_BEGIN_DECLS

typedef struct WlObjectTexts WlObjectTexts;

/** The objects of @path (YAML, one object in each document). NULL with @error. (transfer full) */
WlObjectTexts *wl_object_texts_read (const char *path, GError **error);
void wl_object_texts_free (WlObjectTexts *o);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlObjectTexts, wl_object_texts_free)

/** How many jobs they are: vcjobs, and steps of flows. */
guint wl_object_texts_jobs (const WlObjectTexts *o);
guint wl_object_texts_count (const WlObjectTexts *o);

/* What a condition asks of a vcjob, or of a flow as one. */
typedef struct {
  const char *name, *ns, *queue, *priority; /* NULL: steps of the flow differ in it */
  WlTime submit, duration;                  /* the longest pod; WL_TIME_NEVER */
  guint64 pods;
} WlObjectFacts;
typedef gboolean WlObjectKeep (const WlObjectFacts *facts, gpointer user, GError **error);
/** Keep vcjobs and flows for which @keep says so, and templates that a flow has. Names of the jobs that go, as in recorded.csv ("ns/name"), are added to @gone. FALSE with
 * @error: @keep has set it (the object is named in front), or there is an object whose kind cannot be chosen. */
gboolean wl_object_texts_keep (WlObjectTexts *o, const char *option, WlObjectKeep *keep, gpointer user, GHashTable *gone, GError **error);
/** One more of each vcjob and flow with @copies[i] > 0, i counting them in their order: its names get -x2, -x3 …; its times @move(i, copy) more, not below 0. */
typedef WlTime WlObjectMove (guint unit, const char *name, guint copy, gpointer user);
gboolean wl_object_texts_copy (WlObjectTexts *o, const guint *copies, WlObjectMove *move, gpointer user, GError **error);
/** Every time of submission and deletion through @change (WL_TIME_NONE: refused), and running times through @run; both nullable. */
typedef WlTime WlObjectChange (WlTime time, gconstpointer data);
typedef char *WlObjectRun (const char *text, gconstpointer data, GError **error);
gboolean wl_object_texts_times (WlObjectTexts *o, const char *option, WlObjectChange *change, gconstpointer data, WlObjectRun *run, gconstpointer run_data, GError **error);
/** Queues of vcjobs and templates through @mapped; each of them is told to @found (nullable). Without @option, for those who only look, other objects do not matter. */
gboolean wl_object_texts_queues (WlObjectTexts *o, const char *option, const char *(*mapped) (const char *queue, gconstpointer data), gconstpointer data,
                                 void (*found) (const char *queue, gpointer user), gpointer user, GError **error);
/** Names of jobs, flows and templates get @prefix and a dash in front; classes of priority keep theirs. */
gboolean wl_object_texts_prefix (WlObjectTexts *o, const char *prefix, GError **error);
/** What @from has behind what @o has; classes of priority that are the same are there once. FALSE with @error: two of a name are not the same. */
gboolean wl_object_texts_append (WlObjectTexts *o, const WlObjectTexts *from, GError **error);
/** FALSE with @error: "@option cannot be applied to KIND ns/name of FILE" of the first object, if there is any. */
gboolean wl_object_texts_refuse (const WlObjectTexts *o, const char *option, GError **error);
void wl_object_texts_write (const WlObjectTexts *o, GString *out);

G_END_DECLS
