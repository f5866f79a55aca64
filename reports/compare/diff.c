#include "diff.h"
#include <string.h>

static void
add (GArray *out, char sign, const char *line)
{
  RpDiffLine l = { sign, line };

  g_array_append_val (out, l);
}

/* Length of the longest common subsequence of the ends of both from each pair of places on: [n + 1][m + 1]. */
static guint16 *
common (const char *const *a, guint n, const char *const *b, guint m)
{
  guint16 *length = g_new0 (guint16, (gsize) (n + 1) * (m + 1));

  for (guint i = n; i-- > 0;)
    for (guint k = m; k-- > 0;) {
      guint16 *at = length + (gsize) i * (m + 1) + k;

      *at = strcmp (a[i], b[k]) == 0 ? (guint16) (at[m + 2] + 1) : MAX (at[m + 1], at[1]);
    }
  return length;
}

static GArray *
all_lines (const char *const *a, const char *const *b)
{
  guint n = g_strv_length ((char **) a), m = g_strv_length ((char **) b), i = 0, k = 0;
  GArray *out = g_array_new (FALSE, FALSE, sizeof (RpDiffLine));
  g_autofree guint16 *length = n <= RP_DIFF_LINES && m <= RP_DIFF_LINES ? common (a, n, b, m) : NULL;

  while (length != NULL && i < n && k < m) {
    const guint16 *at = length + (gsize) i * (m + 1) + k;

    if (strcmp (a[i], b[k]) == 0) {
      add (out, ' ', a[i++]);
      k++;
    } else if (at[m + 1] >= at[1]) {
      add (out, '-', a[i++]);
    } else {
      add (out, '+', b[k++]);
    }
  }
  while (i < n)
    add (out, '-', a[i++]);
  while (k < m)
    add (out, '+', b[k++]);
  return out;
}

GArray *
rp_diff (const char *const *a, const char *const *b, guint around)
{
  g_autoptr (GArray) all = all_lines (a, b);
  GArray *out = g_array_new (FALSE, FALSE, sizeof (RpDiffLine));
  g_autofree gboolean *shown = g_new0 (gboolean, all->len + 1);
  gboolean any = FALSE;

  for (guint i = 0; i < all->len; i++)
    if (g_array_index (all, RpDiffLine, i).sign != ' ') {
      any = TRUE;
      for (guint k = i > around ? i - around : 0; k <= i + around && k < all->len; k++)
        shown[k] = TRUE;
    }
  for (guint i = 0; i < all->len && any; i++) {
    const RpDiffLine *l = &g_array_index (all, RpDiffLine, i);

    if (shown[i])
      add (out, l->sign, l->line);
    else if (i == 0 || shown[i - 1])
      add (out, '@', NULL); /* once for the lines that are left out here */
  }
  return out;
}
