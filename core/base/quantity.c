/* core/base/quantity.c - see quantity.h.
 *
 * The number is kept as its decimal digits: nothing is lost however long the text is. Rounding to
 * whole nanos first cannot be seen in the result: rounding up twice, to finer and then to coarser
 * steps, is rounding up once. */
#include "core/base/quantity.h"
#include <string.h>

G_DEFINE_QUARK (vc-quantity-error, vc_quantity_error)

typedef struct {
  char name[3];
  gint8 exp10;
  gint8 exp2;
} Suffix;

static const Suffix suffixes[] = {
  { "n", -9, 0 },  { "u", -6, 0 },  { "m", -3, 0 },  { "", 0, 0 },    { "k", 3, 0 },
  { "M", 6, 0 },   { "G", 9, 0 },   { "T", 12, 0 },  { "P", 15, 0 },  { "E", 18, 0 },
  { "Ki", 0, 10 }, { "Mi", 0, 20 }, { "Gi", 0, 30 }, { "Ti", 0, 40 }, { "Pi", 0, 50 },
  { "Ei", 0, 60 },
};

/* Beyond this a non-zero number is out of range, or a rounding step, whatever its digits (texts are
 * shorter). */
#define EXPONENT_FAR (G_MAXINT32 / 2)

/* The suffix after the number: a name of the table, or e/E and a whole number. */
static gboolean
parse_suffix (const char *s, gint64 *exp10, guint *exp2)
{
  gboolean negative;

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++)
    if (strcmp (s, suffixes[i].name) == 0) {
      *exp10 = suffixes[i].exp10;
      *exp2 = (guint) suffixes[i].exp2;
      return TRUE;
    }
  if (*s != 'e' && *s != 'E')
    return FALSE;
  s++;
  negative = *s == '-';
  if (*s == '-' || *s == '+')
    s++;
  if (!g_ascii_isdigit (*s))
    return FALSE;
  *exp10 = 0;
  for (; g_ascii_isdigit (*s); s++)
    *exp10 = MIN (*exp10 * 10 + (*s - '0'), EXPONENT_FAR);
  if (negative)
    *exp10 = -*exp10;
  *exp2 = 0;
  return *s == '\0';
}

/* Multiply the @n digits (most significant first, each 0-9) by 2^exp2 in place. The leading ones
 * must be zeros enough for the product: 19 for 2^60. */
static void
shift_digits (guint8 *digit, gsize n, guint exp2)
{
  guint64 carry = 0; /* stays below 2^60 * 10 / 9 */

  for (gsize i = n; i-- > 0;) {
    guint64 x = ((guint64) digit[i] << exp2) + carry;

    digit[i] = (guint8) (x % 10);
    carry = x / 10;
  }
  g_assert (carry == 0);
}

/* The first @whole digits of @digit (zeros follow the last one) as a number, plus one when anything
 * is left over. */
static gint64
round_away (const guint8 *digit, gsize n, gint64 whole, gboolean negative)
{
  const guint64 limit = (guint64) G_MAXINT64 + (negative ? 1 : 0);
  guint64 x = 0;
  gboolean rest = FALSE;
  gsize i = 0;

  for (; (gint64) i < whole; i++) {
    guint d = i < n ? digit[i] : 0;

    if (i >= n && x == 0)
      break; /* zero, however many places it has */
    if (x > (limit - d) / 10) {
      x = limit;
      break;
    }
    x = x * 10 + d;
  }
  for (; i < n && !rest; i++)
    rest = digit[i] != 0;
  if (rest && x < limit)
    x++;
  /* The least int64 has no positive counterpart: negate in unsigned arithmetic. */
  return negative ? (gint64) (0 - x) : (gint64) x;
}

/* The first @whole digits as round_away() takes them, in nanos. */
static VcNano
round_to_nano (const guint8 *digit, gsize n, gint64 whole, gboolean negative)
{
  const VcNano limit = (VcNano) G_MAXINT64 * VC_NANO_ONE;
  VcNano x = 0;
  gboolean rest = FALSE;
  gsize i = 0;

  for (; (gint64) i < whole + 9; i++) {
    if (i >= n && x == 0)
      break;
    x = x * 10 + (i < n ? digit[i] : 0);
    if (x > limit)
      return negative ? -limit : limit;
  }
  for (; i < n && !rest; i++)
    rest = digit[i] != 0;
  x += rest;
  return negative ? -x : x;
}

typedef struct {
  guint8 *digit; /* most significant first */
  gsize n;
  gint64 whole;  /* digits before the decimal point */
  gboolean negative;
} Digits;

/* FALSE: no quantity. The digits are the caller's in either case. */
static gboolean
parse_digits (const char *text, Digits *d)
{
  enum { ROOM = 19 }; /* decimal digits of 2^60 */
  const char *s = text, *first;
  gint64 exp10;
  guint exp2;

  d->n = ROOM;
  d->negative = *s == '-';
  if (*text == '\0')
    return FALSE;
  if (*s == '-' || *s == '+')
    s++;
  first = s;
  d->digit = g_malloc0 (ROOM + strlen (s));
  for (; g_ascii_isdigit (*s); s++)
    d->digit[d->n++] = (guint8) (*s - '0');
  d->whole = ROOM + (s - first);
  if (*s == '.')
    for (s++; g_ascii_isdigit (*s); s++)
      d->digit[d->n++] = (guint8) (*s - '0');
  if (!parse_suffix (s, &exp10, &exp2))
    return FALSE;
  /* Either side of the point may be empty, even both: upstream reads "." and "Ki" as zero, but takes
   * another path, which wants a digit, for the largest factors and for less than a nano. */
  if (d->n == ROOM && (exp2 >= 50 || exp10 < -9))
    return FALSE;
  shift_digits (d->digit, d->n, exp2);
  d->whole += exp10;
  return TRUE;
}

static gboolean
refuse (const char *text, GError **error)
{
  g_set_error (error, VC_QUANTITY_ERROR, VC_QUANTITY_ERROR_SYNTAX,
               "'%s' is not a quantity (a decimal number, then nothing, one of n u m k M G T P E, "
               "Ki Mi Gi Ti Pi Ei or an exponent)",
               text);
  return FALSE;
}

gboolean
vc_quantity_parse (const char *text, VcQuantity *out, GError **error)
{
  Digits d = { 0 };
  gboolean good = parse_digits (text, &d);

  if (good) {
    out->value = round_away (d.digit, d.n, d.whole, d.negative);
    out->milli = round_away (d.digit, d.n, d.whole + 3, d.negative);
  }
  g_free (d.digit);
  return good || refuse (text, error);
}

gboolean
vc_nano_parse (const char *text, VcNano *out, GError **error)
{
  Digits d = { 0 };
  gboolean good = parse_digits (text, &d);

  if (good)
    *out = round_to_nano (d.digit, d.n, d.whole, d.negative);
  g_free (d.digit);
  return good || refuse (text, error);
}

gint64
vc_nano_value (VcNano q)
{
  VcNano whole = q / VC_NANO_ONE;

  if (q % VC_NANO_ONE != 0)
    whole += q > 0 ? 1 : -1;
  return (gint64) CLAMP (whole, (VcNano) G_MININT64, (VcNano) G_MAXINT64);
}

VcNano
vc_quantity_thousandths (VcQuantity q)
{
  return q.milli < G_MAXINT64 && q.milli > G_MININT64 ? (VcNano) q.milli : (VcNano) q.value * 1000;
}

VcQuantity
vc_quantity_of (VcNano thousandths)
{
  return (VcQuantity){ .value = vc_nano_value (thousandths * (VC_NANO_ONE / 1000)),
                       .milli = (gint64) CLAMP (thousandths, (VcNano) G_MININT64, (VcNano) G_MAXINT64) };
}
