/* sim/studies/gallery.h - running the entries of the gallery: the smallest inputs that show known pathologies of scheduling, and the same with the change that
 * avoids them.
 *
 * A gallery is a folder with entries.csv and a folder for each entry. There a variant is a scenario (case.yaml, fix.yaml …), or, for entries of one
 * cycle, Kubernetes objects (objects.json, objects-<variant>.json) with a configuration (volcano-scheduler.conf, <variant>.conf). */
#pragma once
#include "reports/pages/gallery-page.h"
#include <signal.h>
G_BEGIN_DECLS

/** The entries of the gallery in @dir, without runs. NULL with @error. (transfer full: RpGalleryEntry) */
GPtrArray *sim_gallery_read (const char *dir, GError **error);
/** Run all variants of @e of the gallery in @dir, with results below @out, and read them back into e->runs. */
gboolean sim_gallery_run (RpGalleryEntry *e, const char *dir, const char *out, const volatile sig_atomic_t *interrupted, GError **error);
/** One line for each run of @e: figures and codes of diagnoses. (transfer full) */
char *sim_gallery_lines (const RpGalleryEntry *e);

G_END_DECLS
