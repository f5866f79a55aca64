/* See go-random.h. Mirrors math/rand (rng.go, gen_cooked.go, rand.go) up to Go 1.26, which keeps these numbers for programs that name a seed. */
#include "go-random.h"
#include <string.h>

#define LENGTH 607
#define TAP 273
#define STEPS G_GUINT64_CONSTANT (7800000000000)
#define BIT31 ((guint32) 1 << 31)
#define MODULUS (BIT31 - 1)
#define FIRST(k) ((2 * LENGTH - TAP - 1 - (k)) % LENGTH) /* place of the k-th value that is replaced */

struct VcGoRandom {
  guint tap, feed;
  guint64 value[LENGTH];
};

/* x -> 48271 x modulo 2^31 - 1 */
static guint32
next_seed (guint32 x)
{
  return (guint32) ((guint64) x * 48271 % MODULUS);
}

/* The values that a seed stands for: three numbers each, the first two shifted. */
static void
expand (gint64 seed, guint high, guint middle, guint64 *value)
{
  gint64 rest = seed % MODULUS;
  guint32 x = rest == 0 ? 89482311 : (guint32) (rest < 0 ? rest + MODULUS : rest);

  for (guint i = 0; i < 20; i++)
    x = next_seed (x);
  for (guint i = 0; i < LENGTH; i++) {
    value[i] = (guint64) (x = next_seed (x)) << high;
    value[i] ^= (guint64) (x = next_seed (x)) << middle;
    value[i] ^= x = next_seed (x);
  }
}

/* @a = @a * @b modulo x^607 - x^334 - 1: a value is the sum of those 607 and 273 steps before. */
static void
multiply (guint64 *a, const guint64 *b)
{
  guint64 product[2 * LENGTH - 1] = { 0 };

  for (guint i = 0; i < LENGTH; i++)
    for (guint k = 0; k < LENGTH; k++)
      product[i + k] += a[i] * b[k];
  for (guint i = 2 * LENGTH - 2; i >= LENGTH; i--) {
    product[i - LENGTH] += product[i];
    product[i - TAP] += product[i];
  }
  memcpy (a, product, LENGTH * sizeof *a);
}

/* The state of the generator with seed 1 after many steps. */
static void
cook (guint64 *out)
{
  guint64 start[LENGTH], value[2 * LENGTH], power[LENGTH] = { 0 }, jump[LENGTH] = { 0 };

  expand (1, 20, 10, start);
  for (guint k = 0; k < 2 * LENGTH; k++)
    value[k] = k < LENGTH ? start[FIRST (k)] : value[k - LENGTH] + value[k - TAP];
  power[1] = 1;
  jump[0] = 1;
  for (guint64 left = STEPS; left > 0; left >>= 1) {
    if (left & 1)
      multiply (jump, power);
    multiply (power, power);
  }
  for (guint k = 0; k < LENGTH; k++) {
    guint64 sum = 0;

    for (guint i = 0; i < LENGTH; i++)
      sum += jump[i] * value[i + k];
    out[FIRST ((STEPS + k) % LENGTH)] = sum;
  }
}

VcGoRandom *
vc_go_random_new (gint64 seed)
{
  VcGoRandom *r = g_new (VcGoRandom, 1);
  guint64 cooked[LENGTH];

  cook (cooked);
  expand (seed, 40, 20, r->value);
  for (guint i = 0; i < LENGTH; i++)
    r->value[i] ^= cooked[i];
  r->tap = 0;
  r->feed = LENGTH - TAP;
  return r;
}

void
vc_go_random_free (VcGoRandom *r)
{
  g_free (r);
}

gint64
vc_go_random_next (VcGoRandom *r)
{
  r->tap = (r->tap + LENGTH - 1) % LENGTH;
  r->feed = (r->feed + LENGTH - 1) % LENGTH;
  return (gint64) ((r->value[r->feed] += r->value[r->tap]) & G_MAXINT64);
}

guint32
vc_go_random_below (VcGoRandom *r, guint32 n)
{
  guint32 most = MODULUS - BIT31 % n, v; /* a whole number of times n */

  do
    v = (guint32) (vc_go_random_next (r) >> 32);
  while ((n & (n - 1)) != 0 && v > most);
  return v % n;
}

/* int31n: by multiplication, which draws other numbers than Intn does. */
static guint32
below_by_product (VcGoRandom *r, guint32 n)
{
  guint64 product = (guint64) (guint32) (vc_go_random_next (r) >> 31) * n;

  while ((guint32) product < n && (guint32) product < -n % n)
    product = (guint64) (guint32) (vc_go_random_next (r) >> 31) * n;
  return (guint32) (product >> 32);
}

void
vc_go_random_shuffle (VcGoRandom *r, guint32 *entry, guint32 n)
{
  for (guint32 i = n; i > 1; i--) {
    guint32 k = below_by_product (r, i), other = entry[k];

    entry[k] = entry[i - 1];
    entry[i - 1] = other;
  }
}

void
vc_go_random_permute (VcGoRandom *r, guint32 *entry, guint32 n)
{
  for (guint32 i = 0; i < n; i++) {
    guint32 k = vc_go_random_below (r, i + 1);

    entry[i] = entry[k];
    entry[k] = i;
  }
}
