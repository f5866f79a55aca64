/* workloads/import/hpc/batsim.h - SimGrid platforms, as far as Batsim's hosts go; private to batsim.c. */
#pragma once
#include "workloads/import/import.h"
G_BEGIN_DECLS

typedef struct { char *name; double speed; gint64 cores; } WlBatsimHost; /* speed: flop/s of a core */

/** Hosts of the platform @file that compute, in Batsim's order (by name, numbers in names as numbers); masters and storages are counted and left out. NULL with @error
 * "file:line:column: …". (transfer full) */
GArray *wl_batsim_platform (WlImport *imp, guint file, GError **error);

G_END_DECLS
