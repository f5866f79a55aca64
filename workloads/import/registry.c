/* workloads/import/registry.c - the formats that there are, by name. One line each: declared, and listed. */
#include "import.h"

extern const WlImportFormat wl_format_acme;
extern const WlImportFormat wl_format_alibaba_2017;
extern const WlImportFormat wl_format_alibaba_2018;
extern const WlImportFormat wl_format_azure;
extern const WlImportFormat wl_format_batsim;
extern const WlImportFormat wl_format_dlrm;
extern const WlImportFormat wl_format_gavel;
extern const WlImportFormat wl_format_google_2011;
extern const WlImportFormat wl_format_google_2019;
extern const WlImportFormat wl_format_helios;
extern const WlImportFormat wl_format_itp;
extern const WlImportFormat wl_format_kai;
extern const WlImportFormat wl_format_kubernetes;
extern const WlImportFormat wl_format_kwok;
extern const WlImportFormat wl_format_muri;
extern const WlImportFormat wl_format_openb;
extern const WlImportFormat wl_format_pai;
extern const WlImportFormat wl_format_pfnet;
extern const WlImportFormat wl_format_philly;
extern const WlImportFormat wl_format_pollux;
extern const WlImportFormat wl_format_shockwave;
extern const WlImportFormat wl_format_simkube;
extern const WlImportFormat wl_format_slurm;
extern const WlImportFormat wl_format_spot;
extern const WlImportFormat wl_format_swf;

const WlImportFormat *const wl_import_formats[] = {
  &wl_format_acme,
  &wl_format_alibaba_2017,
  &wl_format_alibaba_2018,
  &wl_format_azure,
  &wl_format_batsim,
  &wl_format_dlrm,
  &wl_format_gavel,
  &wl_format_google_2011,
  &wl_format_google_2019,
  &wl_format_helios,
  &wl_format_itp,
  &wl_format_kai,
  &wl_format_kubernetes,
  &wl_format_kwok,
  &wl_format_muri,
  &wl_format_openb,
  &wl_format_pai,
  &wl_format_pfnet,
  &wl_format_philly,
  &wl_format_pollux,
  &wl_format_shockwave,
  &wl_format_simkube,
  &wl_format_slurm,
  &wl_format_spot,
  &wl_format_swf,
  NULL,
};
