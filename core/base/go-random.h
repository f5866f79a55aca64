/* core/base/go-random.h - the numbers that Go's math/rand draws for a seed: programs in Go that draw with a seed of their own can be followed number by
 * number.
 *
 * The source is an additive lagged Fibonacci generator (Mitchell and Reeds): x[n] = x[n-607] + x[n-273] modulo 2^64, whose first values are mixed with those
 * of the same generator after 7.8e12 steps. These are not stored but computed: the step is linear, so that many steps are one polynomial. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef struct VcGoRandom VcGoRandom;
/** rand.New (rand.NewSource (seed)). Takes some 10 ms. */
VcGoRandom *vc_go_random_new (gint64 seed);
void vc_go_random_free (VcGoRandom *r);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcGoRandom, vc_go_random_free)

/** Int63. */
gint64 vc_go_random_next (VcGoRandom *r);
/** Intn: below @n, from 1 to 2^31 - 1. */
guint32 vc_go_random_below (VcGoRandom *r, guint32 n);
/** Shuffle and Perm of less than 2^31 entries: into another order, or the numbers from 0 in one. */
void vc_go_random_shuffle (VcGoRandom *r, guint32 *entry, guint32 n);
void vc_go_random_permute (VcGoRandom *r, guint32 *entry, guint32 n);

G_END_DECLS
