/* workloads/import/alibaba/pai.h - what the two layouts of the PAI trace share: tables (pai.c) and the list of jobs of its simulator (pai-list.c); private to the format. */
#pragma once
#include "workloads/import/import.h"
G_BEGIN_DECLS

#define WL_PAI_MACHINES 7
typedef struct { const char *type; guint cores, gib, gpus, count; } WlPaiMachine;
extern const WlPaiMachine wl_pai_machines[WL_PAI_MACHINES]; /* as published */

/** GPUs of a pod in thousandths of one as devices and a share of each: more than one are whole ones (what is not is rounded up and noted). */
void wl_pai_gpus (WlImport *imp, gint64 milli, WlImportAmounts *out);
/** Selector of nodes with that type; NULL: any. (transfer full) */
char *wl_pai_selector (const char *type);

typedef struct WlPaiList WlPaiList;
WlPaiList *wl_pai_list_new (WlImport *imp);
void wl_pai_list_free (WlPaiList *l);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlPaiList, wl_pai_list_free)
/** Read file @file, whose header names the columns of a list. FALSE with @error. */
gboolean wl_pai_list_read (WlPaiList *l, guint file, GError **error);
/** All rows are there: jobs and the record go to the import. */
void wl_pai_list_finish (WlPaiList *l);

G_END_DECLS
