/* workloads/import/resources.h - amounts as resources of Kubernetes. */
#pragma once
#include "import-private.h"
G_BEGIN_DECLS

#define WL_PODS_OF_CARD 1000 /* nobody is kept off a card by the number of pods */

int wl_by_name (gconstpointer a, gconstpointer b); /* of texts in a GPtrArray */

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
void wl_put_amount (const WlImport *imp, GString *s, const WlImportAmounts *a, const WlResourceColumn *c, WlOwner owner);

G_END_DECLS
