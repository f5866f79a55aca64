/* sim/load/imported.h - formats of traces on the command line, and a trace that is imported for one run alone. */
#pragma once
#include "workloads/import/import.h"
G_BEGIN_DECLS

/** The format that the first word names, which is taken out of @words (char *), or the one that the files have. NULL with @error. */
const WlImportFormat *sim_import_format (GPtrArray *words, GError **error);

/* What `volsim run` makes of a trace before it runs. */
typedef struct {
  char *dir;        /* a temporary folder, which goes with this */
  char *scenario;   /* in it */
  char *report;     /* of the import, as text */
  char *words;      /* the command line of `volsim run` that makes it: "--import itp a.csv --import-option nodes=5" */
  char **files;     /* of the trace */
} SimImported;

/** Import the trace of @words ([FORMAT] FILE…; changed) with @options ("name=value"; nullable). NULL with @error. (transfer full) */
SimImported *sim_imported_new (GPtrArray *words, const char *const *options, GError **error);
void sim_imported_free (SimImported *i);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimImported, sim_imported_free)

G_END_DECLS
