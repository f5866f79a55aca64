/* tests/test-random.c - random streams and what is drawn from distributions. */
#include "core/base/go-random.h"
#include "core/base/random.h"
#include "suite.h"
#include "workloads/native/distribution.h"
#include "workloads/native/native.h"
#include <math.h>
#include <string.h>

static void
splitmix64_gives_its_published_values (void)
{
  static const guint64 expected[] = { G_GUINT64_CONSTANT (6457827717110365317), G_GUINT64_CONSTANT (3203168211198807973),
                                      G_GUINT64_CONSTANT (9817491932198370423), G_GUINT64_CONSTANT (4593380528125082431),
                                      G_GUINT64_CONSTANT (16408922859458223821) };
  guint64 state = 1234567;

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    CU_ASSERT_EQUAL (vc_random_mix (&state), expected[i]);
}

static void
xoshiro256_gives_its_published_values (void)
{
  static const guint64 expected[] = { 11520, 0, 1509978240, G_GUINT64_CONSTANT (1215971899390074240), G_GUINT64_CONSTANT (1216172134540287360),
                                      G_GUINT64_CONSTANT (607988272756665600), G_GUINT64_CONSTANT (16172922978634559625),
                                      G_GUINT64_CONSTANT (8476171486693032832), G_GUINT64_CONSTANT (10595114339597558777),
                                      G_GUINT64_CONSTANT (2904607092377533576) };
  VcRandom r = { { 1, 2, 3, 4 } };

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    CU_ASSERT_EQUAL (vc_random_next (&r), expected[i]);
}

/* Printed by a program in Go 1.26. */
static void
go_random_draws_what_go_draws (void)
{
  static const struct { gint64 seed, first, second, later; guint32 below[4]; const char *shuffled, *permuted; } rows[] = {
    { 1, 5577006791947779410, 8674665223082153551, 2737229745535687717, { 2, 7, 674935082, 4492 }, "2930647815", "4756982013" },
    { 42, 3440579354231278675, 608747136543856411, 6948028009713547519, { 9, 6, 545484680, 4893 }, "8720351694", "5034218679" },
    { 0, 8717895732742165505, 2259404117704393152, 458733900367560165, { 3, 2, 65111217, 5102 }, "2705934186", "3810549726" },
    { -7, 747107023976529931, 7084732931963018726, 2751772776585359230, { 1, 6, 66100064, 5272 }, "1508436972", "8194235607" },
    { 1099511627781, 2916455904842158270, 5507080614734369183, 5428011497143208235, { 0, 3, 878091578, 7656 }, "7389105462", "8701496523" },
  };
  static const guint32 below[] = { 10, 8, (1 << 30) + 3, 8152 };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (VcGoRandom) r = vc_go_random_new (rows[i].seed);
    guint32 order[10], permutation[10];
    char shuffled[11] = "", permuted[11] = "";

    CU_ASSERT_EQUAL (vc_go_random_next (r), rows[i].first);
    CU_ASSERT_EQUAL (vc_go_random_next (r), rows[i].second);
    for (guint k = 0; k < 1000; k++)
      vc_go_random_next (r);
    CU_ASSERT_EQUAL (vc_go_random_next (r), rows[i].later);
    for (guint k = 0; k < G_N_ELEMENTS (below); k++)
      CU_ASSERT_EQUAL (vc_go_random_below (r, below[k]), rows[i].below[k]);
    for (guint32 k = 0; k < 10; k++)
      order[k] = k;
    vc_go_random_shuffle (r, order, 10);
    vc_go_random_permute (r, permutation, 10);
    for (guint k = 0; k < 10; k++) {
      shuffled[k] = (char) ('0' + order[k]);
      permuted[k] = (char) ('0' + permutation[k]);
    }
    suite_check (strcmp (shuffled, rows[i].shuffled) == 0 && strcmp (permuted, rows[i].permuted) == 0, "%s, %s", shuffled, permuted);
  }
}

/* A stream is its seed and name: nothing that is drawn elsewhere moves it, and any other name is another stream. */
static void
streams_are_told_apart_by_seed_purpose_subject_and_number (void)
{
  static const struct { guint64 seed; const char *purpose, *subject; guint64 number; } name[] = {
    { 0, "a", NULL, 0 },  { 1, "a", NULL, 0 },   { 0, "b", NULL, 0 },  { 0, "a", "x", 0 },
    { 0, "a", "x", 1 },   { 1, "a", "x", 0 },    { 0, "ax", NULL, 0 }, { 0, "a", "xy", 0 },
    { 0, "ax", "y", 0 },  { 0, "", "ax", 0 },    { 2, "a", "x", 0 },   { 0, "a", "x", 2 },
  };
  guint64 first[G_N_ELEMENTS (name)];

  for (guint i = 0; i < G_N_ELEMENTS (name); i++) {
    VcRandom r, again;

    vc_random_init (&r, name[i].seed, name[i].purpose, name[i].subject, name[i].number);
    vc_random_init (&again, name[i].seed, name[i].purpose, name[i].subject, name[i].number);
    first[i] = vc_random_next (&r);
    CU_ASSERT_EQUAL (vc_random_next (&again), first[i]);
    for (guint k = 0; k < i; k++)
      suite_check (first[k] != first[i], "streams %u and %u begin alike", k, i);
  }
}

static void
numbers_below_a_bound_are_even (void)
{
  guint seen[7] = { 0 };
  VcRandom r;

  vc_random_init (&r, 5, "below", NULL, 0);
  for (guint i = 0; i < 70000; i++) {
    guint64 x = vc_random_below (&r, 7);

    if (!suite_check (x < 7, "%" G_GUINT64_FORMAT " is below 7", x))
      return;
    seen[x]++;
  }
  for (guint i = 0; i < 7; i++) /* 10,000 expected, deviation 93 */
    suite_check (seen[i] > 9500 && seen[i] < 10500, "%u came %u times", i, seen[i]);
  CU_ASSERT_EQUAL (vc_random_below (&r, 1), 0);
}

static void
logarithm_and_exponential_agree_with_libm (void)
{
  VcRandom r;

  vc_random_init (&r, 1, "libm", NULL, 0);
  for (guint i = 0; i < 200000; i++) {
    double x = ldexp (0.5 + vc_random_unit (&r) / 2, (int) vc_random_below (&r, 2000) - 1000), y = (vc_random_unit (&r) - 0.5) * 1400;
    double l = log (x), e = exp (y);

    if (!suite_check (fabs (vc_random_log (x) - l) <= 4e-16 * MAX (fabs (l), 1e-3), "log (%a)", x) ||
        !suite_check (fabs (vc_random_exp (y) - e) <= 6e-16 * e, "exp (%a)", y))
      return;
  }
  CU_ASSERT_EQUAL (vc_random_log (1), 0);
  CU_ASSERT_EQUAL (vc_random_exp (0), 1);
  CU_ASSERT_EQUAL (vc_random_exp (-1e9), 0);
  CU_ASSERT (isfinite (vc_random_exp (1e9)));
}

/* ---- distributions -------------------------------------------------------------------------- */

typedef struct { const char *text; double low, high, mean, deviation; } Known;

/* Mean and deviation of each form, by its formula; times are in seconds here. */
static void
draws_have_the_mean_and_the_deviation_of_their_distribution (void)
{
  const Known known[] = {
    { "12.5", 12.5, 12.5, 12.5, 0 },
    { "1m", 60, 60, 60, 0 },
    { "uniform:2:6", 2, 6, 4, 4 / sqrt (12) },
    { "exponential:10", 0, G_MAXDOUBLE, 10, 10 },
    { "lognormal:1m:0.5", 0, G_MAXDOUBLE, 60 * exp (0.125), 60 * exp (0.125) * sqrt (exp (0.25) - 1) },
    { "weibull:10:1", 0, G_MAXDOUBLE, 10, 10 },
    { "weibull:10:2", 0, G_MAXDOUBLE, 10 * tgamma (1.5), 10 * sqrt (tgamma (2) - tgamma (1.5) * tgamma (1.5)) },
    { "empirical:1|2|2|5", 1, 5, 2.5, 1.5 },
    { "gamma:4:10", 0, G_MAXDOUBLE, 40, 20 },
    { "gamma:0.25:8", 0, G_MAXDOUBLE, 2, 4 },
    { "loggamma:4:0.1:1000000", 1, G_MAXDOUBLE, pow (0.9, -4), sqrt (pow (0.8, -4) - pow (0.9, -8)) },
    { "pareto:1:16:2", 1, 16, 32 / 17.0, sqrt (2 * log (16) * 256 / 255 - (32 / 17.0) * (32 / 17.0)) },
    { "shifted:60:6", 60, G_MAXDOUBLE, 66, 6 },
    { "weighted:1=3|5=1|9=0", 1, 5, 2, sqrt (3) },
    { "quantiles:0|10|40", 0, 40, 15, sqrt (0.5 * 100 / 3 + 0.5 * (625 + 900 / 12.0) - 225) },
  };
  const guint n = 100000;

  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    g_auto (WlDistribution) d = { 0 };
    g_autoptr (GError) error = NULL;
    double sum = 0, squares = 0, low = G_MAXDOUBLE, high = 0;
    VcRandom r;

    if (!suite_check (wl_parse_distribution (known[i].text, TRUE, &d, &error), "%s", error != NULL ? error->message : ""))
      continue;
    vc_random_init (&r, 3, "draws", known[i].text, 0);
    for (guint k = 0; k < n; k++) {
      double x = (double) wl_distribution_draw_time (&d, &r) / 1e6;

      sum += x;
      squares += x * x;
      low = MIN (low, x);
      high = MAX (high, x);
    }
    double mean = sum / n, deviation = sqrt (MAX (squares / n - mean * mean, 0));

    suite_check (low >= known[i].low && high <= known[i].high, "%s: from %g to %g", known[i].text, low, high);
    suite_check (fabs (mean - known[i].mean) <= 5 * known[i].deviation / sqrt (n) + 1e-6, "%s: mean %g", known[i].text, mean);
    suite_check (fabs (deviation - known[i].deviation) <= 0.03 * known[i].deviation + 1e-4, "%s: deviation %g", known[i].text, deviation);
    CU_ASSERT_EQUAL (wl_distribution_is_constant (&d), known[i].deviation == 0);
  }
}

/* The text of what was read reads back as the same. */
static void
a_distribution_is_written_as_it_is_read (void)
{
  static const char *const texts[] = { "12.5", "uniform:2:6", "lognormal:60:0.5", "gamma:4:10", "loggamma:4:0.1:1000000", "pareto:1:16:2", "shifted:60:6",
                                       "empirical:1|2|2|5", "weighted:1=3|5=1|9=0", "quantiles:0|10|40" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (WlValues values = WL_NUMBERS; values <= WL_AMOUNTS; values++) {
      g_auto (WlDistribution) d = { 0 };

      if (!suite_check (wl_parse_distribution_of (texts[i], values, &d, NULL), "%s", texts[i]))
        continue;
      g_autofree char *text = wl_distribution_text (&d, values);
      CU_ASSERT_STRING_EQUAL (text, texts[i]);
    }
}

static void
a_distribution_of_numbers_has_no_units (void)
{
  g_auto (WlDistribution) d = { 0 };
  VcRandom r;

  vc_random_init (&r, 3, "numbers", NULL, 0);
  suite_check (wl_parse_distribution ("uniform:1.5:2.5", FALSE, &d, NULL), "numbers are read");
  for (guint i = 0; i < 1000; i++) {
    double x = wl_distribution_draw (&d, &r);

    suite_check (x >= 1.5 && x < 2.5, "%g", x);
  }
}

static void
what_is_no_distribution_is_refused_with_the_reason (void)
{
  static const struct { const char *text, *says; } bad[] = {
    { "", "a time or a distribution such as" },
    { "-1", "a time or a distribution such as" },
    { "inf", "a time or a distribution such as" },
    { "often", "a time or a distribution such as" },
    { "uniform:1", "uniform:LOW:HIGH" },
    { "uniform:3:1", "LOW not above HIGH" },
    { "uniform:1:2:3", "uniform:LOW:HIGH" },
    { "exponential:", "exponential:MEAN" },
    { "exponential:0", "above 0" },
    { "lognormal:10", "lognormal:MEDIAN:SIGMA" },
    { "lognormal:10:-1", "lognormal:MEDIAN:SIGMA" },
    { "lognormal:10:2s", "lognormal:MEDIAN:SIGMA" },
    { "weibull:10:0", "weibull:SCALE:SHAPE" },
    { "empirical:", "empirical:" },
    { "empirical:1||2", "empirical:" },
    { "gamma:0:3", "gamma:SHAPE:SCALE" },
    { "pareto:3:3:1", "pareto:LOW:HIGH:SHAPE" },
    { "pareto:1:3", "pareto:LOW:HIGH:SHAPE" },
    { "weighted:1=0|2=0", "weighted:A=2" },
    { "weighted:1|2", "weighted:A=2" },
    { "quantiles:3|2", "quantiles:A|B|C" },
    { "quantiles:3", "quantiles:A|B|C" },
    { "poisson:3", "a time or a distribution such as" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_auto (WlDistribution) d = { 0 };
    g_autoptr (GError) error = NULL;

    suite_check (!wl_parse_distribution (bad[i].text, TRUE, &d, &error), "'%s' is refused", bad[i].text);
    suite_check (error != NULL && strstr (error->message, bad[i].says) != NULL && strstr (error->message, "found '") != NULL, "'%s': %s", bad[i].text,
                 error != NULL ? error->message : "no error");
  }
}

static CU_TestInfo tests[] = {
  { "splitmix64 gives its published values", splitmix64_gives_its_published_values },
  { "xoshiro256** gives its published values", xoshiro256_gives_its_published_values },
  { "go-random draws what Go draws", go_random_draws_what_go_draws },
  { "streams are told apart by seed, purpose, subject and number", streams_are_told_apart_by_seed_purpose_subject_and_number },
  { "numbers below a bound are even", numbers_below_a_bound_are_even },
  { "logarithm and exponential agree with libm", logarithm_and_exponential_agree_with_libm },
  { "draws have the mean and the deviation of their distribution", draws_have_the_mean_and_the_deviation_of_their_distribution },
  { "a distribution is written as it is read", a_distribution_is_written_as_it_is_read },
  { "a distribution of numbers has no units", a_distribution_of_numbers_has_no_units },
  { "what is no distribution is refused with the reason", what_is_no_distribution_is_refused_with_the_reason },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("random", tests);
}
