/* sim/world/faults.h - the faults of faults.csv: each row is one fault, or comes again and again, for single nodes, for groups of nodes that fail
 * together, or for the control plane.
 *
 * A recurring row draws the time until the next fault from `every` and how long it takes from `duration`, for each unit from a stream of its
 * own (core/base/random.h), which the row's kind and target and the unit's name tell apart: rows do not shift each other. A fault that is over
 * undoes what it did itself, unless the node object has gone in between. */
#pragma once
#include "world.h"
G_BEGIN_DECLS

/** The rows of @file (WlFault, kept). @node_rows: name → row + 1. Labels are those that a node has when it is added first. NULL with a line
 * "file:line:1: …". (transfer full) */
SimFaults *sim_faults_new (SimWorld *w, const char *file, GArray *rows, GHashTable *node_rows, GError **error);
void sim_faults_free (SimFaults *f);
/** Post the first fault of every unit; before the events are sealed. */
void sim_faults_prepare (SimWorld *w);

/** A fault announces itself (a maintenance that begins soon), begins, or is over. FALSE: nothing came of it. */
gboolean sim_faults_lead (SimWorld *w, const SimEvent *ev);
gboolean sim_faults_begin (SimWorld *w, const SimEvent *ev);
gboolean sim_faults_end (SimWorld *w, const SimEvent *ev);

/** Add the taints of faults under way on the node. */
void sim_faults_taint (const SimWorld *w, guint32 node, GArray *taints);
/** What is left of the node's resources; @room holds it when something is missing. */
VcAmounts sim_faults_capacity (const SimWorld *w, guint32 node, GArray *room);
/** The node object is gone: faults under way are not its any more. */
void sim_faults_forget (SimWorld *w, guint32 node);

/** How late controllers act and watch events come just now, and how many binds fail. */
SimTime sim_faults_controller_lag (const SimWorld *w);
SimTime sim_faults_informer_lag (const SimWorld *w);
double sim_faults_bind_error (const SimWorld *w);

G_END_DECLS
