/* workloads/import/clouds/google.h - what the traces of Google's clusters of 2011 and 2019 have in common: events of machines, of jobs and of their tasks, in any
 * order of rows; private to these two formats. Times are microseconds, 0 is before the trace and 2^63-1 after it. Requests and capacities are parts of a unit.
 *
 * A task is what its events say in the end: it comes with its first submission, and runs from its last scheduling to its last end. What is kept is one record of fixed
 * size a task and a job; all events pass by. */
#pragma once
#include "workloads/import/import.h"
#include "workloads/import/machines.h"
G_BEGIN_DECLS

#define WL_GOOGLE_AFTER G_MAXINT64 /* time of what happens after the trace */

/* In the numbers of 2019. */
typedef enum {
  WL_GOOGLE_SUBMIT, WL_GOOGLE_QUEUE, WL_GOOGLE_ENABLE, WL_GOOGLE_SCHEDULE, WL_GOOGLE_EVICT, WL_GOOGLE_FAIL, WL_GOOGLE_FINISH, WL_GOOGLE_KILL, WL_GOOGLE_LOST,
  WL_GOOGLE_UPDATE_PENDING, WL_GOOGLE_UPDATE_RUNNING, WL_GOOGLE_EVENTS
} WlGoogleEvent;

typedef struct {
  gint64 job;
  WlTime time;
  WlGoogleEvent event;
  const char *user;    /* "": not said */
  gint64 priority;     /* -1: not said */
  gint64 class;        /* of latency sensitivity, -1: not said */
} WlGoogleJob;

typedef struct {
  WlGoogleJob of;            /* its job */
  gint64 index, machine;     /* machine 0 or below: none */
  gboolean asks;             /* is a request given? */
  gint64 cpu_milli, memory;
  gboolean apart;            /* tasks of the job must not share a machine */
} WlGoogleTask;

/* What a format decides. */
typedef struct {
  gint64 preemptable_below;                    /* jobs of a lower priority may be evicted … */
  const char *(*band) (gint64 priority);       /* the queue of --queue-by=band */
} WlGoogleRules;

typedef struct WlGoogle WlGoogle;
WlGoogle *wl_google_new (WlImport *imp, const WlGoogleRules *rules);
void wl_google_free (WlGoogle *g);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlGoogle, wl_google_free)

/** Events: rows that can say nothing are dropped here, with their reason. TRUE always. */
gboolean wl_google_task (WlGoogle *g, const WlGoogleTask *event);
gboolean wl_google_job (WlGoogle *g, const WlGoogleJob *event);

typedef enum { WL_RELATION_EQUAL, WL_RELATION_NOT_EQUAL, WL_RELATION_LESS, WL_RELATION_GREATER, WL_RELATION_AT_MOST, WL_RELATION_AT_LEAST, WL_RELATION_PRESENT, WL_RELATION_ABSENT } WlRelation;
typedef struct {
  gint64 job, index;
  const char *attribute;
  WlRelation relation;
  const char *value; /* "" means that it is not there, or (not equal) that it is */
  gboolean row;      /* a row of its own, which is dropped with the task */
} WlGoogleConstraint;
/** A constraint of a task on the machines; without @keep it is only looked at. FALSE with @error, without a place: the value is no number where it has to be one. */
gboolean wl_google_constraint (WlGoogle *g, const WlGoogleConstraint *c, gboolean keep, GError **error);
/** An attribute of a machine (@value NULL: not any more): a label of the node, where a constraint that has been read names it; else the row is dropped. TRUE always. */
gboolean wl_google_attribute (WlGoogle *g, WlMachines *machines, gint64 machine, WlTime time, const char *name, const char *value);
/** A task whose whole life is one row: it came and ran from event->of.time to @end. Rows that say it again are dropped or, with @more, tell of another part of it. */
gboolean wl_google_life (WlGoogle *g, const WlGoogleTask *task, WlTime end, gboolean more);
/** The queue of @job that --queue-by=scheduler means. @queue stays. */
void wl_google_queue (WlGoogle *g, gint64 job, const char *queue);
/** @job starts after @target is over. */
void wl_google_after (WlGoogle *g, gint64 job, gint64 target);
/** No two tasks of @job may be on machines with the same value of the label @key, which stays. */
void wl_google_apart (WlGoogle *g, gint64 job, const char *key);

/** A part of a unit, at least 1 where it is above 0. FALSE with @error, without a place. */
gboolean wl_google_part (const char *text, gint64 unit, gint64 *out, GError **error);
/** All files are read: jobs and the record go to the import. @attributes: are attributes of machines among them? Constraints count only then. */
void wl_google_finish (WlGoogle *g, gboolean attributes);
/** Nodes for a trace without a list: as many whole units as hold the most that is asked for at one time, if every task started when it came. */
guint32 wl_google_peak (WlGoogle *g);
/** The name of a machine. (transfer full) */
char *wl_google_machine_name (gint64 id);

/** Options of both formats. */
#define WL_GOOGLE_OPTIONS                                                                                                                  \
  { "unit-cpu", WL_OPTION_SIZE, "64", NULL, "cores of the largest machine: what 1.0 stands for" },                                     \
  { "unit-memory", WL_OPTION_SIZE, "256Gi", NULL, "memory of the largest machine" },                                                   \
  { "killed", WL_OPTION_CHOICE, "delete", "delete|run", "jobs whose tasks all ended when they were killed at one time: they run until they are deleted then, or for as long as they ran" }, \
  { "constraints", WL_OPTION_CHOICE, "keep", "keep|ignore", "constraints of tasks on attributes of machines, where the files have both" }

G_END_DECLS
