/* workloads/import/resources.h - amounts as resources of Kubernetes, and values as cells of a table. */
#pragma once
#include "import-private.h"
G_BEGIN_DECLS

#define WL_PODS_OF_CARD 1000 /* nobody is kept off a card by the number of pods */

int wl_by_name (gconstpointer a, gconstpointer b); /* of texts in a GPtrArray */
void wl_out_int (GString *s, gint64 v);
void wl_out_time (GString *s, WlTime t); /* nothing for WL_TIME_NONE */
void wl_out_cell (GString *s, const char *text); /* in quotes when it has to be */

typedef enum { WL_CPU, WL_MEMORY, WL_GPU, WL_GPU_CORES, WL_GPU_MEMORY, WL_MORE } WlResourceKind;
typedef struct {
  char *name;
  WlResourceKind kind;
} WlResourceColumn;
typedef enum { WL_OF_POD, WL_OF_NODE, WL_OF_QUEUE } WlOwner;

/* Which resources are used; `more` is made by its owner. */
typedef struct { gboolean cpu, memory, gpus; GPtrArray *more; } WlUses;
void wl_note_uses (WlUses *u, const WlImportAmounts *a);
/** The columns of what is used; ends @u. An array of WlResourceColumn. (transfer full) */
GArray *wl_resource_columns (const WlImport *imp, WlUses *u, gboolean of_queue);
/** The amount of one of them; nothing when there is none. */
void wl_out_amount (const WlImport *imp, GString *s, const WlImportAmounts *a, const WlResourceColumn *c, WlOwner owner);

G_END_DECLS
