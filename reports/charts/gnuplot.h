/* reports/charts/gnuplot.h - running gnuplot. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

/** Let gnuplot run @script in the existing directory @dir. TRUE with *@warning set when it could not (not installed, or it failed). FALSE with
 * @error when the disk refuses. */
gboolean rp_gnuplot_run (const char *script, gsize length, const char *dir, char **warning, GError **error);
/** @text in quotes for a script, cut after @most characters. (transfer full) */
char *rp_gnuplot_quote (const char *text, glong most);

G_END_DECLS
