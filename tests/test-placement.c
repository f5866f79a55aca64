/* Where jobs run in the network: integrals of racks, the order of racks, the heaviest gangs, and the chart. */
#include "reports/charts/charts.h"
#include "reports/placement.h"
#include "tests/suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static const RpResource resources[] = { { "cpu", 1000 } };

static void
rack_row (RpSummary *s, gint64 time, const char *name, const char *within, guint32 nodes, double share)
{
  const double capacity[] = { 8000.0 * nodes }, allocated[] = { 8000.0 * nodes * share };
  const RpRack row = { time, name, within, 1, nodes, capacity, allocated };

  suite_check (fabs (rp_summary_rack (s, &row) - (nodes > 0 ? share : 0)) < 1e-12, "the share of %s", name);
}

static RpJob
gang (const char *name, guint32 pods, guint32 racks, gint64 tier, double cost, gint64 from, gint64 to)
{
  static const double none[] = { 0 };
  static const char *const tiers[] = { "", "rack", "spine", "" };

  return (RpJob){ .ns = "n", .job = name, .queue = "q", .submit = from, .inqueue = from, .first_bind = from, .gang_start = from, .finish = to, .run = RP_NONE,
                  .phase = "Completed", .podgroup = "", .pods = pods, .used = none, .wasted = none, .reason = "", .kind = "vcjob",
                  .hyper_node = tier == 3 ? "<cluster-top-hypernode>" : "h", .tier_name = tiers[tier], .tier = tier, .racks = racks, .topology_cost = cost };
}

/* Rows at random times, from seconds to weeks: bins, however often they were doubled, hold the same integrals as a sum over the rows. */
static void
bins_hold_the_integrals_of_the_rows (void)
{
  static const gint64 steps[] = { 100000, 7 * G_USEC_PER_SEC, (gint64) 3600 * G_USEC_PER_SEC };
  guint64 state = 3;

  for (guint c = 0; c < G_N_ELEMENTS (steps); c++) {
    RpSummary s;
    double filled = 0, there = 0, share = 0, got_filled = 0, got_there = 0;
    gint64 time = 5 * G_USEC_PER_SEC, last = time;
    guint32 nodes = 0;

    rp_summary_init (&s, resources, 1);
    for (guint i = 0; i < 2000; i++) {
      filled += nodes > 0 ? share * (double) (time - last) : 0;
      there += nodes > 0 ? (double) (time - last) : 0;
      share = (double) (suite_random (&state) % 1001) / 1000;
      nodes = (guint32) (suite_random (&state) % 4);
      rack_row (&s, time, "r", "", nodes, share);
      last = time;
      time += (gint64) (suite_random (&state) % (guint64) steps[c]);
    }
    filled += nodes > 0 ? share * (double) (time - last) : 0;
    there += nodes > 0 ? (double) (time - last) : 0;
    rp_summary_end (&s, time);
    const RpPlacement *p = &s.placement;
    const RpRackHeat *r = p->racks->pdata[0];

    for (guint i = 0; i < RP_HEAT_BINS; i++) {
      got_filled += r->filled[i];
      got_there += r->there[i];
      suite_check (r->there[i] <= (double) p->width && r->filled[i] <= r->there[i] + 1e-6, "bin %u", i);
    }
    suite_check (p->from == 5 * G_USEC_PER_SEC && time - p->from <= p->width * (gint64) RP_HEAT_BINS, "the bins reach the end");
    suite_check (p->width == G_USEC_PER_SEC || time - p->from > p->width * (gint64) RP_HEAT_BINS / 2, "more than half of the bins are used");
    suite_check (fabs (got_filled - filled) < 1e-9 * filled && fabs (got_there - there) < 1e-9 * there, "%g %g instead of %g %g", got_filled, got_there, filled, there);
    rp_summary_clear (&s);
  }
}

/* A rack that is half full for 1 s, full for 1 s, away for 1 s, and half full again. */
static void
a_bin_is_the_mean_over_the_time_with_nodes (void)
{
  RpSummary s;

  rp_summary_init (&s, resources, 1);
  rack_row (&s, 0, "r", "z", 2, 0.5);
  rack_row (&s, G_USEC_PER_SEC, "r", "z", 2, 1);
  rack_row (&s, 2 * G_USEC_PER_SEC, "r", "z", 0, 0);
  rack_row (&s, 3 * G_USEC_PER_SEC, "r", "z/s", 1, 0.5);
  rp_summary_end (&s, 7 * G_USEC_PER_SEC / 2);
  const RpRackHeat *r = s.placement.racks->pdata[0];

  CU_ASSERT_EQUAL (r->filled[0], 0.5e6);
  CU_ASSERT_EQUAL (r->filled[1], 1e6);
  CU_ASSERT_EQUAL (r->there[2], 0);
  CU_ASSERT_EQUAL (r->there[3], 0.5e6);
  CU_ASSERT_EQUAL (r->filled[3], 0.25e6);
  CU_ASSERT_STRING_EQUAL (r->within, "z/s");
  rp_summary_clear (&s);
}

static void
numbers_in_names_count_by_value (void)
{
  static const char *const ascending[] = { "", "r", "r-1", "r-01", "r-2", "r-9b", "r-10", "r-10-2", "r-10-11", "r-123456789012345678901234567890", "ra", "s1" };

  for (guint i = 0; i < G_N_ELEMENTS (ascending); i++)
    for (guint k = 0; k < G_N_ELEMENTS (ascending); k++) {
      const int order = rp_compare_natural (ascending[i], ascending[k]), want = i < k ? -1 : i > k;

      /* "r-01" and "r-1" are equal numbers: only that they differ is certain */
      if ((i == 2 && k == 3) || (i == 3 && k == 2))
        suite_check (order != 0, "'%s' and '%s'", ascending[i], ascending[k]);
      else
        suite_check ((order > 0) - (order < 0) == want, "'%s' against '%s': %d", ascending[i], ascending[k], order);
    }
}

static void
racks_stand_in_the_order_of_the_network (void)
{
  static const char *const rows[][2] = { { "", "" }, { "r-10", "z1/s1" }, { "r-9", "z1/s1" }, { "r-1", "z2/s1" }, { "r-11", "z1/s2" }, { "alone", "" } };
  static const char *const want[] = { "alone", "r-9", "r-10", "r-11", "r-1", "" };
  RpSummary s;

  rp_summary_init (&s, resources, 1);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    rack_row (&s, 0, rows[i][0], rows[i][1], 1, 0);
  g_autoptr (GPtrArray) sorted = rp_placement_racks_sorted (&s.placement);

  for (guint i = 0; i < G_N_ELEMENTS (want); i++)
    CU_ASSERT_STRING_EQUAL (((const RpRackHeat *) sorted->pdata[i])->name, want[i]);
  rp_summary_clear (&s);
}

/* Job k has k pods and cost 30 - k: pods × cost is highest in the middle. Those on one rack are never listed, however they came to a cost. */
static void
the_heaviest_gangs_are_kept (void)
{
  RpSummary s;

  rp_summary_init (&s, resources, 1);
  for (guint k = 2; k < 30; k++) {
    g_autofree char *name = g_strdup_printf ("j%02u", k);
    const RpJob j = gang (name, k, k % 5 == 0 ? 1 : 2, k % 5 == 0 ? 1 : 2, 30.0 - k, 0, RP_NONE);

    rp_summary_job (&s, &j);
  }
  /* 14·16 = 16·14 = 224, 13·17 = 17·13 = 221, 12·18 = 216, 11·19 = 209, 9·21 = 189 (15 and 10, 20 are on one rack), 8·22 = 176 */
  static const char *const want[] = { "n/j14", "n/j16", "n/j13", "n/j17", "n/j12", "n/j18", "n/j11", "n/j19", "n/j09", "n/j21" };

  CU_ASSERT_EQUAL (s.placement.far->len, RP_FAR_LISTED);
  for (guint i = 0; i < G_N_ELEMENTS (want); i++)
    CU_ASSERT_STRING_EQUAL (((const RpFarJob *) s.placement.far->pdata[i])->name, want[i]);
  rp_summary_clear (&s);
}

static void
gangs_are_counted_by_tier_and_singles_are_not (void)
{
  const RpJob jobs[] = { gang ("a", 2, 1, 1, 0, 0, 5), gang ("b", 4, 2, 2, 0.5, 0, 5), gang ("c", 4, 3, 3, 2, 0, 5), gang ("d", 8, 2, 2, 1, 0, 5),
                         gang ("single", 1, 1, 1, (double) NAN, 0, 5) };
  g_auto (RpTopologySum) sum = { 0 };
  RpSummary s;

  rp_summary_init (&s, resources, 1);
  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    rp_summary_job (&s, &jobs[i]);
  rp_summary_all_topology (&s, &sum);
  CU_ASSERT_EQUAL (sum.costs->len, 4);
  CU_ASSERT_EQUAL (sum.crossing, 3);
  CU_ASSERT_EQUAL (sum.tiers->len, 3);
  const RpTierCount *t = &g_array_index (sum.tiers, RpTierCount, 0);

  CU_ASSERT (t[0].jobs == 1 && t[1].jobs == 2 && t[2].jobs == 1 && t[2].tier == 3);
  CU_ASSERT_STRING_EQUAL (t[1].name, "spine");
  CU_ASSERT_STRING_EQUAL (t[2].name, "cluster"); /* the root */
  rp_summary_clear (&s);
}

/* ---- the chart -------------------------------------------------------------------------------------- */

/* @n racks in spines of 16, busier and busier, for two hours, with gangs on them. */
static void
fill (RpSummary *s, guint n)
{
  const double capacity[] = { 1000 }, none[] = { 0 };
  const RpCycle cycle = { .time = 0, .capacity = capacity, .allocated = none, .requested = none, .idle = capacity, .fragmented = none };

  rp_summary_init (s, resources, 1);
  rp_summary_cycle (s, &cycle);
  for (guint t = 0; t < 120; t++)
    for (guint i = 0; i < n; i++) {
      g_autofree char *name = g_strdup_printf ("rack-%u", i), *within = g_strdup_printf ("z/spine-%u", i / 16);

      if ((i + t) % 7 == 0)
        rack_row (s, (gint64) t * 60 * G_USEC_PER_SEC, name, within, 4, (double) (i % 5) / 8 + t / 240.0);
    }
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf ("job%u", i);
    const RpJob j = gang (name, 4 + i % 3, 1 + i % 3, 1 + i % 3, i % 3, (gint64) i * G_USEC_PER_SEC, (gint64) (i + 600) * G_USEC_PER_SEC);

    rp_summary_job (s, &j);
  }
  rp_summary_end (s, (gint64) 7200 * G_USEC_PER_SEC);
}

/* The text of placement.svg; NULL when there is none. The directory is left empty. */
static char *
draw (const RpSummary *s)
{
  g_autofree char *dir = g_dir_make_tmp ("volsim-placement-XXXXXX", NULL), *warning = NULL, *svg = g_build_filename (dir, "placement.svg", NULL),
                  *png = g_build_filename (dir, "placement.png", NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;
  const char *name;

  suite_check (rp_charts_draw (s, dir, &warning, &error) && warning == NULL, "%s%s", warning != NULL ? warning : "", error != NULL ? error->message : "");
  (void) g_file_get_contents (svg, &text, NULL, NULL);
  CU_ASSERT_EQUAL (text != NULL, g_file_test (png, G_FILE_TEST_IS_REGULAR));
  g_autoptr (GDir) d = g_dir_open (dir, 0, NULL);

  while ((name = g_dir_read_name (d)) != NULL) {
    g_autofree char *path = g_build_filename (dir, name, NULL);

    (void) g_unlink (path);
  }
  CU_ASSERT_EQUAL (g_rmdir (dir), 0);
  return text;
}

static void
few_and_many_racks_give_a_picture (void)
{
  static const struct { guint racks; const char *here, *not_here; } cases[] = {
    { 1, "how full each rack is (1 rack)", "spine-1" },
    { 20, "spine-1/rack-16", "in a row" }, /* every rack by its name, the first of a spine with it */
    { 100, "spine-6", "rack-17" },          /* no room for names of racks */
    { 700, "(700 racks, up to 3 of them in a row)", "rack-17" },
  };
  g_autofree char *gnuplot = g_find_program_in_path ("gnuplot");

  if (gnuplot == NULL) {
    CU_PASS ("gnuplot is not installed");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    RpSummary s;
    g_autofree char *svg = NULL, *again = NULL;

    fill (&s, cases[i].racks);
    svg = draw (&s);
    suite_check (svg != NULL && strstr (svg, cases[i].here) != NULL, "%u racks: no '%s'", cases[i].racks, cases[i].here);
    suite_check (svg != NULL && strstr (svg, cases[i].not_here) == NULL, "%u racks: '%s'", cases[i].racks, cases[i].not_here);
    suite_check (svg != NULL && strstr (svg, "style='image-rendering:pixelated'") != NULL, "cells get blurred");
    again = i < 2 ? draw (&s) : g_strdup (svg);
    suite_check (g_strcmp0 (svg, again) == 0, "%u racks: other bytes", cases[i].racks);
    rp_summary_clear (&s);
  }
}

static void
without_hyper_nodes_there_is_no_picture (void)
{
  g_autofree char *gnuplot = g_find_program_in_path ("gnuplot"), *svg = NULL;
  RpSummary s;

  if (gnuplot == NULL) {
    CU_PASS ("gnuplot is not installed");
    return;
  }
  fill (&s, 0);
  svg = draw (&s);
  CU_ASSERT_PTR_NULL (svg);
  rp_summary_clear (&s);
}

static CU_TestInfo tests[] = {
  { "bins hold the integrals of the rows", bins_hold_the_integrals_of_the_rows },
  { "a bin is the mean over the time with nodes", a_bin_is_the_mean_over_the_time_with_nodes },
  { "numbers in names count by value", numbers_in_names_count_by_value },
  { "racks stand in the order of the network", racks_stand_in_the_order_of_the_network },
  { "the heaviest gangs are kept", the_heaviest_gangs_are_kept },
  { "gangs are counted by tier, and singles are not", gangs_are_counted_by_tier_and_singles_are_not },
  { "few and many racks give a picture", few_and_many_racks_give_a_picture },
  { "without HyperNodes there is no picture", without_hyper_nodes_there_is_no_picture },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("placement", tests);
}
