/* core/base/random.h - random numbers that are the same everywhere: one stream for each purpose and subject.
 *
 * The generator is xoshiro256** (Blackman and Vigna, 2018), its state four values of splitmix64, whose start is the seed mixed with the
 * FNV-1a hash of purpose and subject. So a stream depends on the seed and on its name alone: what else is drawn, and in which order,
 * shifts nothing. Logarithm and exponential are own series, because libm's differ from machine to machine in the last bit. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef struct { guint64 s[4]; } VcRandom;

/** The stream of @purpose ("bind-error"), and of @subject within it (nullable: "default/train-w-0") and its @number-th turn. */
void vc_random_init (VcRandom *r, guint64 seed, const char *purpose, const char *subject, guint64 number);
/** 64 random bits. */
guint64 vc_random_next (VcRandom *r);
/** A multiple of 2^-53 in [0, 1). */
double vc_random_unit (VcRandom *r);
/** A whole number below @n, which is not 0; each is equally likely. */
guint64 vc_random_below (VcRandom *r, guint64 n);
/** From the standard normal distribution. */
double vc_random_normal (VcRandom *r);

/** One step of splitmix64. */
guint64 vc_random_mix (guint64 *state);
/** log (@x) of a positive finite number, exp (@x): within two units of the last place, the same bits everywhere. exp() is 0 or the
 * largest finite number beyond its range. */
double vc_random_log (double x);
double vc_random_exp (double x);

G_END_DECLS
