#include "random.h"
#include <float.h>
#include <math.h>

guint64
vc_random_mix (guint64 *state)
{
  guint64 z = *state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* FNV-1a of the text and a byte that ends it, so that "a","bc" is not "ab","c". */
static guint64
hash (guint64 h, const char *text)
{
  const guint64 prime = G_GUINT64_CONSTANT (0x100000001b3);

  for (; text != NULL && *text != '\0'; text++)
    h = (h ^ (guchar) *text) * prime;
  return (h ^ 0xff) * prime;
}

void
vc_random_init (VcRandom *r, guint64 seed, const char *purpose, const char *subject, guint64 number)
{
  guint64 state = seed, name = hash (hash (G_GUINT64_CONSTANT (0xcbf29ce484222325), purpose), subject);

  /* Mixed one after the other: seeds and numbers are small and near each other, and may not cancel out. */
  state = vc_random_mix (&state) ^ name;
  state = vc_random_mix (&state) + number;
  for (guint i = 0; i < 4; i++)
    r->s[i] = vc_random_mix (&state); /* never all zero: splitmix64 gives each value once */
}

static inline guint64
rotate (guint64 x, int by)
{
  return x << by | x >> (64 - by);
}

guint64
vc_random_next (VcRandom *r)
{
  guint64 *s = r->s, out = rotate (s[1] * 5, 7) * 9, t = s[1] << 17;

  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate (s[3], 45);
  return out;
}

double
vc_random_unit (VcRandom *r)
{
  return (double) (vc_random_next (r) >> 11) * 0x1p-53;
}

guint64
vc_random_below (VcRandom *r, guint64 n)
{
  guint64 rest = -n % n, x; /* 2^64 mod n: that many values would be one too likely */

  do
    x = vc_random_next (r);
  while (x < rest);
  return x % n;
}

double
vc_random_normal (VcRandom *r)
{
  double u, v, q;

  do { /* Marsaglia's polar method; the second value is thrown away, so that a stream has no memory of it */
    u = 2 * vc_random_unit (r) - 1;
    v = 2 * vc_random_unit (r) - 1;
    q = u * u + v * v;
  } while (q >= 1 || q == 0);
  return u * sqrt (-2 * vc_random_log (q) / q);
}

#define LN2_HIGH 0x1.62e42fefa38p-1   /* its last 11 bits are zero: a product with an exponent is exact */
#define LN2_LOW 0x1.ef35793c7673p-45

double
vc_random_log (double x)
{
  int e;
  double m = frexp (x, &e);

  if (m < 0x1.6a09e667f3bcdp-1) { /* below the root of a half */
    m *= 2;
    e--;
  }
  double s = (m - 1) / (m + 1), q = s * s, sum = 0;

  for (int k = 23; k > 1; k -= 2) /* 2 artanh (s); |s| < 0.172 */
    sum = (sum + 1.0 / k) * q;
  return e * LN2_HIGH + (e * LN2_LOW + 2 * s * sum + 2 * s);
}

double
vc_random_exp (double x)
{
  if (x > 709.7)
    return DBL_MAX;
  if (x < -745)
    return 0;
  double k = floor (x / (LN2_HIGH + LN2_LOW) + 0.5), r = (x - k * LN2_HIGH) - k * LN2_LOW, sum = 1;

  for (int i = 15; i > 0; i--)
    sum = 1 + sum * r / i;
  return ldexp (sum, (int) k);
}
