/* workloads/native/reshape.h - a trace that has been read, made larger or smaller: what planning asks about. */
#pragma once
#include "native.h"
G_BEGIN_DECLS

/** The row `@name` of nodes.csv stands for @count nodes instead (column count). FALSE when no such row adds nodes. */
gboolean wl_nodes_set_count (GArray *nodes, const char *name, guint count);
/** Keep @n nodes of those that rows add at time 0, drawn by @seed, and nothing of the others; a smaller @n keeps a subset of a larger one. Beyond their number the
 * cell is cloned as often as it takes: all of them stay, and those that are added, in as random an order, are copies named <name>-clone-<number>. */
void wl_nodes_keep (GArray *nodes, guint n, guint64 seed);
/** How many nodes the row @name of nodes.csv adds, alone or as <name>-<number>. */
guint wl_nodes_named (const GArray *nodes, const char *name);
/** How many nodes rows add at time 0. */
guint wl_nodes_initial (const GArray *nodes);

/** Only the jobs that would run at @at if none had waited: submitted at or before it and not over yet; WL_TIME_NEVER: all. They come at 0 and
 * never end. */
void wl_jobs_snapshot (GArray *jobs, WlTime at);
/** Requests and minimum resources times @factor; amounts are rounded up to thousandths of cores and devices and to whole bytes. */
void wl_jobs_scale_requests (GArray *jobs, double factor);
/** @n copies of each of @more behind the others, submitted at @at, named <job>-copy-<number>. */
void wl_jobs_add_copies (GArray *jobs, const GArray *more, guint n, WlTime at);

G_END_DECLS
