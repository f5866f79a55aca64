/* core/base/resource.c - see resource.h. */
#include "core/base/resource.h"
#include <string.h>

G_DEFINE_QUARK (vc-res-error, vc_res_error)

/* ---- names ---------------------------------------------------------------------------------- */

struct VcResNames {
  GPtrArray *name;         /* of char*, by dimension */
  GPtrArray *insufficient; /* of char*, by dimension */
  GHashTable *dim;         /* name -> GUINT_TO_POINTER (dimension + 1) */
  guint pods;
};

static int
compare_names (gconstpointer l, gconstpointer r)
{
  return strcmp (*(const char *const *) l, *(const char *const *) r);
}

static void
append_name (VcResNames *names, const char *name)
{
  char *own = g_strdup (name);

  g_ptr_array_add (names->name, own);
  g_ptr_array_add (names->insufficient, g_strconcat ("Insufficient ", name, NULL));
  g_hash_table_insert (names->dim, own, GUINT_TO_POINTER (names->name->len));
}

VcResNames *
vc_res_names_new (const char *const *scalars, guint n_scalars, GError **error)
{
  g_autoptr (VcResNames) names = g_new0 (VcResNames, 1);
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();

  names->name = g_ptr_array_new_with_free_func (g_free);
  names->insufficient = g_ptr_array_new_with_free_func (g_free);
  names->dim = g_hash_table_new (g_str_hash, g_str_equal);
  append_name (names, "cpu");
  append_name (names, "memory");
  g_ptr_array_add (sorted, (gpointer) "pods");
  for (guint i = 0; i < n_scalars; i++)
    g_ptr_array_add (sorted, (gpointer) scalars[i]);
  g_ptr_array_sort (sorted, compare_names);
  for (guint i = 0; i < sorted->len; i++) {
    const char *name = g_ptr_array_index (sorted, i);

    /* Not for a repeat, nor for cpu and memory, which have their place. */
    if (!g_hash_table_contains (names->dim, name))
      append_name (names, name);
  }
  if (names->name->len > VC_RES_MAX) {
    g_set_error (error, VC_RES_ERROR, VC_RES_ERROR_TOO_MANY,
                 "%u different resource names (cpu and memory included); at most %d are supported",
                 names->name->len, VC_RES_MAX);
    return NULL;
  }
  names->pods = (guint) vc_res_names_find (names, "pods");
  return g_steal_pointer (&names);
}

void
vc_res_names_free (VcResNames *names)
{
  if (names == NULL)
    return;
  g_hash_table_unref (names->dim);
  g_ptr_array_unref (names->insufficient);
  g_ptr_array_unref (names->name);
  g_free (names);
}

guint
vc_res_names_count (const VcResNames *names)
{
  return names->name->len;
}

const char *
vc_res_names_get (const VcResNames *names, guint dim)
{
  g_assert (dim < names->name->len);
  return g_ptr_array_index (names->name, dim);
}

int
vc_res_names_find (const VcResNames *names, const char *name)
{
  return (int) GPOINTER_TO_UINT (g_hash_table_lookup (names->dim, name)) - 1;
}

guint
vc_res_names_pods (const VcResNames *names)
{
  return names->pods;
}

const char *
vc_res_names_insufficient (const VcResNames *names, guint dim)
{
  g_assert (dim < names->insufficient->len);
  return g_ptr_array_index (names->insufficient, dim);
}

/* One label of a DNS name: lower case letters, digits and inner dashes. */
static gboolean
is_dns_label (const char *s, gsize n)
{
  if (n == 0 || s[0] == '-' || s[n - 1] == '-')
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!g_ascii_islower (s[i]) && !g_ascii_isdigit (s[i]) && s[i] != '-')
      return FALSE;
  return TRUE;
}

static gboolean
is_dns_subdomain (const char *s, gsize n)
{
  gsize start = 0;

  for (gsize i = 0; i <= n; i++)
    if (i == n || s[i] == '.') {
      if (!is_dns_label (s + start, i - start))
        return FALSE;
      start = i + 1;
    }
  return TRUE;
}

/* An extended resource: "<domain>/<name>", also valid as the quota "requests.<domain>/<name>". */
static gboolean
is_extended_name (const char *name)
{
  enum { DOMAIN_MAX = 253 - 9, NAME_MAX_LENGTH = 63 }; /* 9: strlen ("requests.") */
  const char *slash = strchr (name, '/'), *tail;
  gsize n;

  if (slash == NULL || g_str_has_prefix (name, "requests."))
    return FALSE;
  if (slash - name > DOMAIN_MAX || !is_dns_subdomain (name, (gsize) (slash - name)))
    return FALSE;
  tail = slash + 1;
  n = strlen (tail);
  if (n == 0 || n > NAME_MAX_LENGTH || !g_ascii_isalnum (tail[0]) || !g_ascii_isalnum (tail[n - 1]))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!g_ascii_isalnum (tail[i]) && strchr ("-_.", tail[i]) == NULL)
      return FALSE;
  return TRUE;
}

gboolean
vc_res_is_scalar_name (const char *name)
{
  if (strcmp (name, "pods") == 0 || strcmp (name, "ephemeral-storage") == 0)
    return TRUE;
  if (g_str_has_prefix (name, "count/"))
    return FALSE;
  return g_str_has_prefix (name, "hugepages-") || g_str_has_prefix (name, "attachable-volumes-")
         || strstr (name, "kubernetes.io/") != NULL || is_extended_name (name);
}

/* ---- vectors -------------------------------------------------------------------------------- */

#define CPU_AND_MEMORY G_GUINT64_CONSTANT (3)

static inline guint64
bit (guint dim)
{
  return G_GUINT64_CONSTANT (1) << dim;
}

VcRes *
vc_res_init (VcResBuf *buf, guint n)
{
  VcRes *r = &buf->r;

  g_assert (n >= VC_RES_FIRST_SCALAR && n <= VC_RES_MAX);
  r->n = n;
  vc_res_clear (r);
  return r;
}

gsize
vc_res_size (guint n)
{
  return sizeof (VcRes) + n * sizeof (double);
}

VcRes *
vc_res_new (guint n)
{
  VcRes *r;

  g_assert (n >= VC_RES_FIRST_SCALAR && n <= VC_RES_MAX);
  r = g_malloc0 (vc_res_size (n));
  r->n = n;
  return r;
}

VcRes *
vc_res_dup (const VcRes *r)
{
  return g_memdup2 (r, vc_res_size (r->n));
}

void
vc_res_free (VcRes *r)
{
  g_free (r);
}

void
vc_res_clear (VcRes *r)
{
  r->map = FALSE;
  r->has = 0;
  for (guint d = 0; d < r->n; d++)
    r->v[d] = 0;
}

void
vc_res_copy (VcRes *dst, const VcRes *src)
{
  g_assert (dst->n == src->n);
  dst->map = src->map;
  dst->has = src->has;
  for (guint d = 0; d < src->n; d++)
    dst->v[d] = src->v[d];
}

void
vc_res_set (VcRes *r, guint dim, double value)
{
  g_assert (dim < r->n);
  r->v[dim] = value;
  if (dim >= VC_RES_FIRST_SCALAR) {
    r->has |= bit (dim);
    r->map = TRUE;
  }
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

void
vc_res_add (VcRes *r, const VcRes *o)
{
  g_assert (r->n == o->n);
  for (guint d = 0; d < o->n; d++)
    r->v[d] += o->v[d];
  r->has |= o->has;
  r->map |= o->has != 0; /* an empty map creates none */
}

void
vc_res_sub_unchecked (VcRes *r, const VcRes *o)
{
  guint n = r->map ? r->n : VC_RES_FIRST_SCALAR;

  g_assert (r->n == o->n);
  for (guint d = 0; d < n; d++)
    r->v[d] -= o->v[d];
  if (r->map)
    r->has |= o->has;
}

gboolean
vc_res_sub (VcRes *r, const VcRes *o)
{
  gboolean enough = vc_res_less_equal (o, r, VC_ABSENT_ZERO);

  vc_res_sub_unchecked (r, o);
  return enough;
}

void
vc_res_scale (VcRes *r, double f)
{
  for (guint d = 0; d < r->n; d++)
    r->v[d] *= f;
}

void
vc_res_set_max (VcRes *r, const VcRes *o)
{
  g_assert (r->n == o->n);
  for (guint d = 0; d < o->n; d++)
    if (vc_res_has (o, d) && (!vc_res_has (r, d) || o->v[d] > r->v[d]))
      r->v[d] = o->v[d];
  r->has |= o->has;
  r->map |= o->has != 0;
}

void
vc_res_fit_delta (VcRes *r, const VcRes *o)
{
  g_assert (r->n == o->n);
  for (guint d = 0; d < o->n; d++)
    if (o->v[d] > 0) {
      r->v[d] -= o->v[d] + VC_RES_EPSILON;
      r->has |= bit (d) & ~CPU_AND_MEMORY;
    }
  r->map = TRUE;
}

void
vc_res_min_dimension (VcRes *r, const VcRes *o, VcAbsent absent)
{
  g_assert (r->n == o->n);
  for (guint d = 0; d < r->n; d++) {
    if (!vc_res_has (r, d) || (absent == VC_ABSENT_INFINITY && !vc_res_has (o, d)))
      continue;
    if (!vc_res_has (o, d) || o->v[d] < r->v[d])
      r->v[d] = o->v[d]; /* zero when absent */
  }
}

/* The parts by which l exceeds r, and r exceeds or equals l (not wanted when NULL). The number that
 * stands for an absent scalar under "infinity" is -1, and a value that happens to be -1 is taken
 * for it, as upstream does. */
static void
diff (const VcRes *l, const VcRes *r, VcAbsent absent, VcRes *increased, VcRes *decreased)
{
  const double infinity = -1, fill = absent == VC_ABSENT_INFINITY ? infinity : 0;

  for (guint d = 0; d < l->n; d++) {
    double x, y, by;
    VcRes *out;

    if (!vc_res_has (l, d) && !vc_res_has (r, d))
      continue;
    x = vc_res_has (l, d) ? l->v[d] : fill;
    y = vc_res_has (r, d) ? r->v[d] : fill;
    if (d >= VC_RES_FIRST_SCALAR && (x == infinity || y == infinity)) {
      out = x == infinity ? increased : decreased;
      by = infinity;
    } else {
      out = x > y ? increased : decreased;
      by = x > y ? x - y : y - x;
    }
    if (out != NULL)
      vc_res_set (out, d, by);
  }
}

void
vc_res_diff (const VcRes *l, const VcRes *r, VcAbsent absent, VcRes *increased, VcRes *decreased)
{
  g_assert (l->n == r->n && l->n == increased->n && l->n == decreased->n);
  vc_res_clear (increased);
  vc_res_clear (decreased);
  increased->map = decreased->map = TRUE;
  diff (l, r, absent, increased, decreased);
}

void
vc_res_exceeded (const VcRes *l, const VcRes *r, VcRes *out)
{
  g_assert (l->n == r->n && l->n == out->n);
  vc_res_clear (out);
  out->map = TRUE;
  diff (l, r, VC_ABSENT_ZERO, out, NULL);
}

void
vc_res_min (const VcRes *l, const VcRes *r, VcRes *out)
{
  g_assert (l->n == r->n && l->n == out->n);
  vc_res_clear (out);
  out->map = l->map && r->map;
  out->has = out->map ? l->has : 0;
  for (guint d = 0; d < l->n; d++)
    if (vc_res_has (out, d))
      out->v[d] = MIN (l->v[d], r->v[d]);
}

void
vc_res_max (const VcRes *l, const VcRes *r, VcRes *out)
{
  g_assert (l->n == r->n && l->n == out->n);
  vc_res_clear (out);
  out->map = l->map || r->map;
  for (guint d = 0; d < VC_RES_FIRST_SCALAR; d++)
    out->v[d] = MAX (l->v[d], r->v[d]);
  for (guint d = VC_RES_FIRST_SCALAR; d < l->n; d++)
    if ((vc_res_has (l, d) && l->v[d] >= 0) || (vc_res_has (r, d) && r->v[d] >= 0))
      vc_res_set (out, d, MAX (l->v[d], r->v[d]));
}

double
vc_share (double l, double r)
{
  if (r == 0)
    return l == 0 ? 0 : 1;
  return l / r;
}

/* ---- comparisons ----------------------------------------------------------------------------
 *
 * Each builds a mask of dimensions without branches and then decides by presence. */

/* Dimensions in which r is not at most o. */
static inline guint64
lacking (const VcRes *r, const VcRes *o)
{
  guint64 mask = 0;

  g_assert (r->n == o->n);
  for (guint d = 0; d < r->n; d++)
    mask |= (guint64) !vc_le (r->v[d], o->v[d]) << d;
  return mask;
}

/* Dimensions in which r is less than o, without tolerance. */
static inline guint64
below (const VcRes *r, const VcRes *o)
{
  guint64 mask = 0;

  g_assert (r->n == o->n);
  for (guint d = 0; d < r->n; d++)
    mask |= (guint64) (r->v[d] < o->v[d]) << d;
  return mask;
}

/* Dimensions that `req` asks for, without `pods`, which these comparisons never look at. */
static inline guint64
asked (const VcRes *req, const VcResNames *names)
{
  guint64 mask = 0;

  for (guint d = 0; d < req->n; d++)
    mask |= (guint64) (req->v[d] > 0) << d;
  return mask & ~bit (names->pods);
}

/* Dimensions of r that a comparison of all of r looks at. */
static inline guint64
looked_at (const VcRes *r, const VcRes *o, VcAbsent absent)
{
  return (absent == VC_ABSENT_INFINITY ? r->has & o->has : r->has) | CPU_AND_MEMORY;
}

static inline gboolean
give (guint64 mask, guint64 *out)
{
  if (out != NULL)
    *out = mask;
  return mask != 0;
}

gboolean
vc_res_less (const VcRes *r, const VcRes *o, VcAbsent absent)
{
  if (absent == VC_ABSENT_INFINITY && (o->has & ~r->has) != 0)
    return FALSE;
  return (looked_at (r, o, absent) & ~below (r, o)) == 0;
}

gboolean
vc_res_less_equal (const VcRes *r, const VcRes *o, VcAbsent absent)
{
  if (absent == VC_ABSENT_INFINITY && (o->has & ~r->has) != 0)
    return FALSE;
  return (lacking (r, o) & looked_at (r, o, absent)) == 0;
}

gboolean
vc_res_less_equal_names (const VcRes *r, const VcRes *o, VcAbsent absent, guint64 *failing)
{
  return !give (lacking (r, o) & looked_at (r, o, absent), failing);
}

gboolean
vc_res_less_equal_dimension (const VcRes *r, const VcRes *o, const VcRes *req,
                             const VcResNames *names, guint64 *failing)
{
  guint64 known;

  if (r == NULL)
    return !give (0, failing);
  if (o == NULL) { /* fails even when there is nothing to name */
    give (vc_res_name_mask (r), failing);
    return FALSE;
  }
  if (req == NULL)
    return vc_res_less_equal_names (r, o, VC_ABSENT_ZERO, failing);
  known = r->map ? G_MAXUINT64 : CPU_AND_MEMORY;
  return !give (below (o, r) & asked (req, names) & known, failing);
}

gboolean
vc_res_less_partly (const VcRes *r, const VcRes *o, VcAbsent absent)
{
  /* Presence alone decides here: a scalar that only one side has is less, whatever its value. */
  if ((absent == VC_ABSENT_ZERO ? o->has & ~r->has : r->has & ~o->has) != 0)
    return TRUE;
  return (below (r, o) & (r->has | CPU_AND_MEMORY)) != 0;
}

gboolean
vc_res_less_equal_partly (const VcRes *r, const VcRes *o, VcAbsent absent)
{
  if ((absent == VC_ABSENT_ZERO ? o->has & ~r->has : r->has & ~o->has) != 0)
    return TRUE;
  return (~lacking (r, o) & (r->has | CPU_AND_MEMORY)) != 0;
}

gboolean
vc_res_less_equal_partly_dimension (const VcRes *r, const VcRes *o, const VcRes *req,
                                    const VcResNames *names, guint64 *fitting)
{
  if (req == NULL)
    return give (0, fitting);
  return give (~lacking (r, o) & asked (req, names), fitting);
}

gboolean
vc_res_less_equal_partly_dimension_filtered (const VcRes *r, const VcRes *o, const VcRes *req,
                                             const VcResNames *names, guint64 *fitting)
{
  guint64 used = 0;

  if (req == NULL)
    return give (0, fitting);
  for (guint d = 0; d < r->n; d++)
    used |= (guint64) !(r->v[d] < VC_RES_EPSILON && o->v[d] < VC_RES_EPSILON) << d;
  return give (~lacking (r, o) & asked (req, names) & used, fitting);
}

gboolean
vc_res_equal (const VcRes *r, const VcRes *o, VcAbsent absent)
{
  guint64 other = 0;

  (void) absent; /* upstream takes it and does not look at it */
  g_assert (r->n == o->n);
  for (guint d = 0; d < r->n; d++)
    other |= (guint64) !(r->v[d] == o->v[d] || ABS (r->v[d] - o->v[d]) < VC_RES_EPSILON) << d;
  return (other & (r->has | CPU_AND_MEMORY)) == 0;
}

gboolean
vc_res_greater_partly (const VcRes *r, const VcRes *o, VcAbsent absent, guint64 *exceeding)
{
  return !vc_res_less_equal_names (r, o, absent, exceeding);
}

gboolean
vc_res_greater_partly_dimension (const VcRes *r, const VcRes *o, const VcRes *req,
                                 const VcResNames *names, guint64 *exceeding)
{
  if (req == NULL)
    return give (0, exceeding);
  if (o == NULL) {
    VC_RES_LOCAL (empty, r->n);

    return give (below (empty, r) & asked (req, names), exceeding);
  }
  return give (below (o, r) & asked (req, names), exceeding);
}

gboolean
vc_res_greater_partly_relevant (const VcRes *r, const VcRes *o, const VcRes *req,
                                const VcResNames *names, guint64 *exceeding)
{
  guint64 relevant;

  if (req == NULL || o == NULL) /* without o nothing is configured, so nothing is relevant */
    return give (0, exceeding);
  relevant = o->has;
  for (guint d = 0; d < VC_RES_FIRST_SCALAR; d++)
    relevant |= (guint64) !(o->v[d] < VC_RES_EPSILON) << d;
  return give (below (o, r) & asked (req, names) & relevant, exceeding);
}

gboolean
vc_res_same (const VcRes *r, const VcRes *o)
{
  g_assert (r->n == o->n);
  for (guint d = 0; d < r->n; d++)
    if (r->v[d] != o->v[d])
      return FALSE;
  return r->has == o->has;
}

gboolean
vc_res_is_empty (const VcRes *r, const VcResNames *names)
{
  return (vc_res_name_mask (r) & ~bit (names->pods)) == 0;
}

gboolean
vc_res_is_zero (const VcRes *r, guint dim, gboolean *ok)
{
  if (ok != NULL)
    *ok = !r->map || vc_res_has (r, dim);
  return r->v[dim] < VC_RES_EPSILON;
}

guint64
vc_res_name_mask (const VcRes *r)
{
  guint64 mask = 0;

  for (guint d = 0; d < r->n; d++)
    mask |= (guint64) (r->v[d] >= VC_RES_EPSILON) << d;
  return mask;
}

guint64
vc_res_intersection (const VcRes *a, const VcRes *b)
{
  return vc_res_name_mask (a) & vc_res_name_mask (b);
}

guint64
vc_res_intersection_ignored (const VcRes *a, const VcRes *b, const VcResNames *names)
{
  return vc_res_intersection (a, b) & ~bit (names->pods);
}
