/* workloads/import/hpc.h - what formats of clusters of gangs share: limits of time, jobs over nodes, how much was in use at once; private to formats. */
#pragma once
#include "workloads/import/import.h"
G_BEGIN_DECLS

#define WL_HPC_KILLED 143 /* exit code of a job that its time limit ends: SIGTERM */

/** A job that asked for @walltime (0: no limit) is ended by it when @kill: *run and *exit_code are set, and the report counts it. */
void wl_hpc_limit (WlImport *imp, gboolean kill, WlTime walltime, WlTime *run, int *exit_code);

/** @total units over @pods pods as evenly as whole units allow: first *n_more pods of *each + 1, the others of *each. */
void wl_hpc_spread (gint64 total, gint64 pods, gint64 *each, gint64 *n_more);

/** Is @line one that a table can repeat: UTF-8 without control bytes? FALSE with @error "what, expected …, found …". */
gboolean wl_hpc_check_text (const char *line, gsize len, GError **error);

/* The largest sum of amounts at one time. */
typedef struct { WlTime time; gint64 change; } WlUse;
#define wl_uses_new() g_array_new (FALSE, FALSE, sizeof (WlUse))
void wl_uses_add (GArray *uses, WlTime start, WlTime end, gint64 amount);
/** What ends at an instant has gone before something begins then. Sorts @uses. */
gint64 wl_uses_peak (GArray *uses);
/** The least amount that suffices for @percent of the time from the first start to the last end. Sorts @uses. */
gint64 wl_uses_share (GArray *uses, guint percent);

/** The next word of *at, which blanks and tabs end: its end becomes NUL, *at moves behind it. NULL: no more. */
char *wl_hpc_word (char **at);

G_END_DECLS
