/* reports/pages/gallery-page.h - the gallery of pathologies as one HTML page: each entry before and after the change, with figures, the difference between the
 * inputs, a chart and the diagnosis. No script, nothing from elsewhere. */
#pragma once
#include "reports/diagnose/diagnose.h"
G_BEGIN_DECLS

typedef struct { const char *name; char *text; } RpGalleryFile; /* an input: "configuration", and what is in it; text NULL: none */

typedef struct {
  char *variant;        /* "case": as it was reported; else what was changed */
  RpRunData *data;      /* NULL for an entry of one cycle */
  GPtrArray *diagnoses; /* RpDiagnosis, with data */
  char *cycle;          /* what `volsim cycle --diagnose` prints, without data */
  RpGalleryFile file[4];
  guint n_files;
  char *command;        /* what runs it again */
} RpGalleryRun;

typedef struct {
  char *name, *reported, *symptom, *still, *change; /* reported: "owner/project#number …" */
  GPtrArray *runs;      /* RpGalleryRun, the case first */
} RpGalleryEntry;

void rp_gallery_run_free (gpointer run);
void rp_gallery_entry_free (gpointer entry);
/** The page of @entries (RpGalleryEntry). (transfer full) */
char *rp_gallery_page (const GPtrArray *entries);

/* Figures of a run that the page and the terminal show. */
typedef struct { guint evictions, never, pods_lost; gint64 mean_wait, longest; } RpGalleryFigures; /* waits: of jobs that started; RP_NONE: of none */
RpGalleryFigures rp_gallery_figures (const RpRunData *d);

G_END_DECLS
