/* workloads/import/registry.c - the formats that there are, by name. One line each: declared, and listed. */
#include "import.h"

extern const WlImportFormat wl_format_itp;
extern const WlImportFormat wl_format_openb;

const WlImportFormat *const wl_import_formats[] = {
  &wl_format_itp,
  &wl_format_openb,
  NULL,
};
