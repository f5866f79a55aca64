/* workloads/import/hpc/swf.h - the cluster of a log: lists of machines, and requests of nodes as PBS takes them; private to swf.c. */
#pragma once
#include "workloads/import/import.h"
G_BEGIN_DECLS

typedef struct { char *name; gint64 nodes, processors, memory; guint32 gpus; char *more; } WlSwfGroup; /* equal nodes; memory 0: not known */
typedef struct { GArray *groups; } WlSwfMachines;

WlSwfMachines wl_swf_machines_new (void);
void wl_swf_machines_clear (WlSwfMachines *m);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WlSwfMachines, wl_swf_machines_clear)

/** Is the file a list of machines: Alea's (.machines) or AccaSim's (JSON)? */
gboolean wl_swf_is_machines (const WlImportHead *head);
/** Add the groups of @file. FALSE with @error "file:line:column: …". */
gboolean wl_swf_read_machines (WlImport *imp, guint file, WlSwfMachines *m, GError **error);
void wl_swf_add_machines (WlImport *imp, const WlSwfMachines *m);
gint64 wl_swf_processors (const WlSwfMachines *m); /* of all nodes */
gint64 wl_swf_memory (const WlSwfMachines *m);     /* the same */
gint64 wl_swf_least_processors (const WlSwfMachines *m); /* of a node */
gint64 wl_swf_least_memory (const WlSwfMachines *m);     /* of a node with the fewest processors; 0: not known */

#define WL_SWF_MAX_PARTS 8
typedef struct {
  struct { gint64 nodes, processors; } part[WL_SWF_MAX_PARTS]; /* processors of each node */
  guint n;
  char *selector; /* of nodes; NULL: any. (transfer full) */
} WlSwfRequest;
/** Read "2:ppn=8:cl_zewura#excl" or "1:ppn=1+3:ppn=2" of a job of so many @processors. With #excl pods take whole nodes. FALSE, counted in the report: it cannot be
 * understood, or does not add up. */
gboolean wl_swf_read_request (WlImport *imp, const char *text, gint64 processors, const WlSwfMachines *m, WlSwfRequest *out);

G_END_DECLS
