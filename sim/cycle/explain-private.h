/* sim/cycle/explain-private.h - what an explanation holds, for the files that print and compare it. */
#pragma once
#include "explain.h"
G_BEGIN_DECLS

typedef struct {
  const char *node;       /* copies: the cluster may be gone when it is printed */
  const char *room;       /* "idle", "future", "no" or "not looked at" */
  GPtrArray *reasons;     /* char *: "plugin: reason" */
  GPtrArray *notes;       /* char *: what plugins add */
  double *score, total;   /* [n_plugins]; scored tells whether they count */
  GArray *part;           /* double: by part of the entry; NULL */
  gboolean scored, chosen;
} SimExplainRow;

/* A part of a plugin's score: its column is row->part[i]. */
typedef struct { const char *plugin, *name; gint64 weight; } SimExplainPart;

typedef enum { SIM_EXPLAIN_VOTE, SIM_EXPLAIN_REFUSED, SIM_EXPLAIN_VICTIMS, SIM_EXPLAIN_PICK, SIM_EXPLAIN_PLACED, SIM_EXPLAIN_HYPERS } SimExplainKind;
typedef struct {
  SimExplainKind kind;
  const char *what;       /* hook in words */
  const char *plugin;
  const char *subject;    /* job, queue or pod */
  int vote;
  GPtrArray *accepted, *vetoed; /* pod keys */
  GPtrArray *plugins;     /* columns of the score table */
  GArray *parts;          /* SimExplainPart: what some of them consist of */
  GPtrArray *rows;        /* SimExplainRow * */
  const char *chosen;     /* node, NULL */
  const char *within;     /* HyperNode that a pod was tried in, NULL: of no trial */
  const char *devices;    /* that a placement took; NULL: none, or it was taken back */
} SimExplainEntry;

/* A turn (VcTurnSeen) with names in place of rows; "" for none. */
typedef struct {
  gboolean admission;
  const char *queue, *job, *next_queue, *next_job;
  const char *queue_by, *job_by; /* "" for nobody */
  guint queue_rank, job_rank;
} SimExplainTurn;

struct SimExplain {
  char *target;
  VcObserver observer;
  GArray *turns;          /* SimExplainTurn: of all jobs, whatever the target is */
  GPtrArray *entries;
  GPtrArray *garbage;     /* everything that was allocated, freed at once */
};

G_END_DECLS
