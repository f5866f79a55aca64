/* Kubernetes' own kinds of values: quantities (k8s.io/apiserver/pkg/cel/library/quantity.go) and versions (semverlib.go, and blang/semver
 * below it). */
#include "cel-private.h"
#include <string.h>

static VcCelValue
keep_quantity (CelRun *run, VcCelQuantity q)
{
  VcCelQuantity *kept = vc_arena_new0 (run->arena, VcCelQuantity, 1);
  *kept = q;
  return (VcCelValue) { .kind = VC_CEL_QUANTITY, .v.quantity = kept };
}

/* ---- quantities -------------------------------------------------------------------------------- */

gboolean
vc_cel_quantity_parse (const char *text, VcCelQuantity *out)
{
  gsize n = strlen (text);

  if (!vc_nano_parse (text, &out->amount, NULL))
    return FALSE;
  /* Digits behind the point use up the factor of the suffix: 1.5k is 15 hundreds, 1.5 is 15 tenths. */
  const char *point = strchr (text, '.');
  gsize places = point != NULL ? strspn (point + 1, "0123456789") : 0;
  static const char factors[] = "kMGTPE";
  const char *factor = n > 0 && text[n - 1] != '\0' ? strchr (factors, text[n - 1]) : NULL;
  const char *e = strpbrk (text, "eE");
  gint64 exponent = factor != NULL && (e == NULL || e[1] == '\0') ? 3 * (factor - factors + 1) : e != NULL && e[1] != '\0' ? g_ascii_strtoll (e + 1, NULL, 10) : 0;
  gboolean small = n > 0 && strchr ("num", text[n - 1]) != NULL;
  gboolean binary = n > 0 && text[n - 1] == 'i';
  out->fraction = small || (binary ? places > 0 : (gint64) places > exponent);
  return TRUE;
}

CEL_CALL (cel_quantity)
{
  VcCelQuantity q;

  CEL_NEED (0, VC_CEL_STRING);
  if (!vc_cel_quantity_parse (a[0].v.text, &q))
    return cel_fail (run, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  return keep_quantity (run, q);
}

CEL_CALL (cel_is_quantity)
{
  VcCelQuantity q;

  CEL_NEED (0, VC_CEL_STRING);
  return vc_cel_bool (vc_cel_quantity_parse (a[0].v.text, &q));
}

static gboolean
fits_int (const VcCelQuantity *q)
{
  return !q->fraction && q->amount / VC_NANO_ONE <= G_MAXINT64 && q->amount / VC_NANO_ONE >= G_MININT64;
}

CEL_CALL (cel_quantity_part)
{
  if (a[0].kind != VC_CEL_QUANTITY)
    return cel_no_overload_of (run, node->name, a, n);
  const VcCelQuantity *q = a[0].v.quantity;
  if (node->name[0] == 'i') /* isInteger */
    return vc_cel_bool (fits_int (q));
  if (node->name[0] == 's') /* sign */
    return vc_cel_int ((q->amount > 0) - (q->amount < 0));
  if (node->name[2] == 'A') /* asApproximateFloat */
    return (VcCelValue) { .kind = VC_CEL_DOUBLE, .v.d = (double) (q->amount / VC_NANO_ONE) + (double) (q->amount % VC_NANO_ONE) / 1e9 };
  return fits_int (q) ? vc_cel_int ((gint64) (q->amount / VC_NANO_ONE)) : cel_fail (run, "cannot convert value to integer");
}

CEL_CALL (cel_quantity_sum)
{
  if (a[0].kind != VC_CEL_QUANTITY || (a[1].kind != VC_CEL_INT && a[1].kind != VC_CEL_QUANTITY))
    return cel_no_overload_of (run, node->name, a, n);
  VcCelQuantity b = a[1].kind == VC_CEL_INT ? (VcCelQuantity) { (VcNano) a[1].v.i * VC_NANO_ONE, FALSE } : *a[1].v.quantity;
  b.amount = a[0].v.quantity->amount + (node->name[0] == 'a' ? b.amount : -b.amount);
  b.fraction = b.fraction || a[0].v.quantity->fraction;
  return keep_quantity (run, b);
}

/* compareTo, isLessThan, isGreaterThan of quantities and of versions. */
CEL_CALL (cel_compare)
{
  int c;

  if (a[0].kind != a[1].kind || (a[0].kind != VC_CEL_SEMVER && a[0].kind != VC_CEL_QUANTITY))
    return cel_no_overload_of (run, node->name, a, n);
  if (a[0].kind == VC_CEL_SEMVER) {
    c = vc_semver_compare (a[0].v.semver, a[1].v.semver);
  } else {
    VcNano x = a[0].v.quantity->amount, y = a[1].v.quantity->amount;
    c = (x > y) - (x < y);
  }
  if (node->name[0] == 'c')
    return vc_cel_int (c);
  return vc_cel_bool (node->name[2] == 'L' ? c < 0 : c > 0);
}

/* ---- versions ---------------------------------------------------------------------------------- */

/* One number of the three. */
static gboolean
version_number (const char *name, const char *from, const char *to, guint64 *out, char **why)
{
  *out = 0;
  for (const char *p = from; p < to || p == from; p++)
    if (p == to || !g_ascii_isdigit (*p)) {
      *why = g_strdup_printf ("Invalid character(s) found in %s number \"%.*s\"", name, (int) (to - from), from);
      return FALSE;
    }
  if (*from == '0' && to > from + 1) {
    *why = g_strdup_printf ("%c%s number must not contain leading zeroes \"%.*s\"", g_ascii_toupper (name[0]), name + 1, (int) (to - from), from);
    return FALSE;
  }
  for (const char *p = from; p < to; p++)
    if (__builtin_mul_overflow (*out, (guint64) 10, out) || __builtin_add_overflow (*out, (guint64) (*p - '0'), out)) {
      *why = g_strdup_printf ("strconv.ParseUint: parsing \"%.*s\": value out of range", (int) (to - from), from);
      return FALSE;
    }
  return TRUE;
}

/* Parts between points. @what: "prerelease" or "build meta data". */
static gboolean
version_parts (const char *what, const char *from, const char *end, char **why)
{
  gboolean pre = what[0] == 'p';

  for (const char *p = from;; p++) {
    if (p < end && *p != '.')
      continue;
    gboolean digits = TRUE, good = TRUE;
    for (const char *q = from; q < p; q++) {
      digits = digits && g_ascii_isdigit (*q);
      good = good && (g_ascii_isalnum (*q) || *q == '-');
    }
    if (p == from)
      *why = g_strdup (pre ? "Prerelease is empty" : "Build meta data is empty");
    else if (pre && digits && *from == '0' && p > from + 1)
      *why = g_strdup_printf ("Numeric PreRelease version must not contain leading zeroes \"%.*s\"", (int) (p - from), from);
    else if (!good)
      *why = g_strdup_printf ("Invalid character(s) found in %s \"%.*s\"", what, (int) (p - from), from);
    if (*why != NULL)
      return FALSE;
    if (p == end)
      return TRUE;
    from = p + 1;
  }
}

/* As blang/semver reads and complains. */
static gboolean
parse_version (const char *text, VcArena *arena, VcSemver *out, char **why)
{
  const char *end = text + strlen (text), *first = strchr (text, '.'), *second = first != NULL ? strchr (first + 1, '.') : NULL;
  VcSemver v = { 0 };

  if (text == end || second == NULL) {
    *why = g_strdup (text == end ? "Version string empty" : "No Major.Minor.Patch elements found");
    return FALSE;
  }
  const char *build = strchr (second + 1, '+');
  const char *stop = build != NULL ? build : end;
  const char *pre = memchr (second + 1, '-', (gsize) (stop - second - 1));
  if (!version_number ("major", text, first, &v.major, why) || !version_number ("minor", first + 1, second, &v.minor, why) ||
      !version_number ("patch", second + 1, pre != NULL ? pre : stop, &v.patch, why) ||
      (pre != NULL && !version_parts ("prerelease", pre + 1, stop, why)) ||
      (build != NULL && !version_parts ("build meta data", build + 1, end, why)))
    return FALSE;
  if (pre != NULL)
    v.pre = vc_arena_strndup (arena, pre + 1, (gsize) (stop - pre - 1));
  *out = v;
  return TRUE;
}

gboolean
vc_semver_parse (const char *text, VcArena *arena, VcSemver *out)
{
  g_autofree char *ignored = NULL;

  return parse_version (text, arena, out, &ignored);
}

static int
compare_pre (const char *a, const char *b)
{
  while (*a != '\0' && *b != '\0') {
    const char *ae = strchrnul (a, '.'), *be = strchrnul (b, '.');
    gboolean an = TRUE, bn = TRUE;
    int c;

    for (const char *p = a; p < ae; p++)
      an = an && g_ascii_isdigit (*p);
    for (const char *p = b; p < be; p++)
      bn = bn && g_ascii_isdigit (*p);
    if (an != bn)
      return an ? -1 : 1; /* numbers come before words */
    if (an && ae - a != be - b)
      return ae - a < be - b ? -1 : 1; /* without leading zeros the longer number is the greater */
    c = strncmp (a, b, (gsize) MIN (ae - a, be - b));
    if (c == 0)
      c = (ae - a > be - b) - (ae - a < be - b);
    if (c != 0)
      return c < 0 ? -1 : 1;
    a = *ae != '\0' ? ae + 1 : ae;
    b = *be != '\0' ? be + 1 : be;
  }
  return (*a != '\0') - (*b != '\0');
}

int
vc_semver_compare (const VcSemver *a, const VcSemver *b)
{
  const guint64 x[] = { a->major, a->minor, a->patch }, y[] = { b->major, b->minor, b->patch };

  for (guint i = 0; i < 3; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  if (a->pre == NULL || b->pre == NULL)
    return (a->pre == NULL) - (b->pre == NULL);
  return compare_pre (a->pre, b->pre);
}

/* "v1.2" and the like as SemVer wants them: no leading v, three numbers, no leading zeros. */
static char *
normalize (const char *text)
{
  if (*text == 'v')
    text++;
  gsize head = strcspn (text, "-+");
  g_autofree char *numbers = g_strndup (text, head);
  g_auto (GStrv) parts = g_strsplit (numbers, ".", -1);
  GString *out = g_string_new (NULL);
  guint n = g_strv_length (parts);

  for (guint i = 0; i < MAX (n, 3); i++) {
    const char *p = i < n ? parts[i] : "0";
    while (p[0] == '0' && p[1] != '\0')
      p++;
    g_string_append_printf (out, "%s%s", i > 0 ? "." : "", p);
  }
  g_string_append (out, text + head);
  return g_string_free (out, FALSE);
}

static gboolean
read_version (CelRun *run, const VcCelValue *a, guint n, VcSemver *v, char **why)
{
  g_autofree char *text = n == 2 && a[1].v.i ? normalize (a[0].v.text) : g_strdup (a[0].v.text);
  return parse_version (text, run->arena, v, why);
}

CEL_CALL (cel_semver)
{
  VcSemver *v = vc_arena_new0 (run->arena, VcSemver, 1);
  g_autofree char *why = NULL;

  CEL_NEED (0, VC_CEL_STRING);
  if (n == 2)
    CEL_NEED (1, VC_CEL_BOOL);
  if (!read_version (run, a, n, v, &why))
    return cel_fail (run, "%s", why);
  return (VcCelValue) { .kind = VC_CEL_SEMVER, .v.semver = v };
}

CEL_CALL (cel_is_semver)
{
  VcSemver v;
  g_autofree char *ignored = NULL;

  CEL_NEED (0, VC_CEL_STRING);
  if (n == 2)
    CEL_NEED (1, VC_CEL_BOOL);
  return vc_cel_bool (read_version (run, a, n, &v, &ignored));
}

CEL_CALL (cel_version_part)
{
  CEL_NEED (0, VC_CEL_SEMVER);
  const VcSemver *v = a[0].v.semver;
  return vc_cel_int ((gint64) (node->name[0] == 'p' ? v->patch : node->name[1] == 'a' ? v->major : v->minor));
}
