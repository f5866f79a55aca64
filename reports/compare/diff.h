/* reports/compare/diff.h - two texts line by line. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef struct { char sign; const char *line; } RpDiffLine; /* ' ' both, '-' only the first, '+' only the second; '@' lines are left out (line NULL) */
/** The shortest way from the lines @a to the lines @b (NULL-terminated, borrowed) with up to @around equal lines about each change; nothing when they are equal.
 * Beyond RP_DIFF_LINES lines the whole of both. (transfer full: RpDiffLine) */
#define RP_DIFF_LINES 2000u
GArray *rp_diff (const char *const *a, const char *const *b, guint around);

G_END_DECLS
