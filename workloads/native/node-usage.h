/* workloads/native/node-usage.h - measured load of nodes, for the plugins that look at it.
 *
 * JSON (or YAML): by node the averages of cpu and memory in percent by period, and the time at which they were taken (RFC 3339):
 *   {"n1": {"cpu": {"10m": 75}, "mem": {"10m": 15.5}, "time": "2026-01-01T01:56:40Z"}}
 * A list of such measurements is the node's load over time; where no time passes (volsim cycle) the last one counts.
 * Volcano's plugin usage looks at the period 10m; a node without a time counts as not measured lately. Every refusal is one line
 * "file:line:column: path: …". */
#pragma once
#include "core/base/arena.h"
#include "core/cache/cache.h"
G_BEGIN_DECLS

typedef struct {
  VcArena *arena;            /* owns what the objects point to */
  VcNodeUsageObject *object; /* in file order */
  guint n;
} WlNodeUsage;

/** Read the file @path ("-": standard input). NULL with @error. (transfer full) */
WlNodeUsage *wl_node_usage_read (const char *path, GError **error);
/** The same from a text, naming it @source. */
WlNodeUsage *wl_node_usage_parse (const char *text, gsize len, const char *source, GError **error);
void wl_node_usage_free (WlNodeUsage *u);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlNodeUsage, wl_node_usage_free)
/** Give the cache all of it. Of a node that it does not know a warning (char *) is appended to @warnings, which may be NULL. */
void wl_node_usage_apply (const WlNodeUsage *u, VcCache *cache, GPtrArray *warnings);

G_END_DECLS
