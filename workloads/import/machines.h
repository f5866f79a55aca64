/* workloads/import/machines.h - rows about machines, in any order, become nodes over time; private to formats. */
#pragma once
#include "import.h"
G_BEGIN_DECLS

typedef struct WlMachines WlMachines;
/** @pods as in WlImportNode. */
WlMachines *wl_machines_new (WlImport *imp, gint64 pods);
void wl_machines_free (WlMachines *m);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlMachines, wl_machines_free)

/* In the order in which those of one time count. */
typedef enum { WL_MACHINE_ATTRIBUTE, WL_MACHINE_REMOVE, WL_MACHINE_ADD, WL_MACHINE_UPDATE } WlMachineEvent;

typedef struct {
  const char *machine;  /* its name */
  WlTime time;
  WlMachineEvent event;
  gboolean measured;    /* is the capacity given? */
  gint64 cpu_milli, memory;
  const char *more;     /* other resources, as in WlImportAmounts; NULL: none */
  const char *labels;   /* "rack=a;row=b" of what comes or changes; of an attribute: its key */
  const char *value;    /* of an attribute; NULL: the machine does not have it any more */
} WlMachineRow;
/** A row that has been read. */
void wl_machines_add (WlMachines *m, const WlMachineRow *row);
/** Has the machine a row yet? */
gboolean wl_machines_have (const WlMachines *m, const char *machine);
/** All rows are there: nodes go to the import, and rows that said nothing new are dropped and counted. Gives the number of machines. */
guint wl_machines_finish (WlMachines *m);

G_END_DECLS
