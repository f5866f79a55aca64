/* Charts: thinning keeps what matters, pictures appear for any data, and the same data gives the
 * same bytes. */
#include "reports/charts/charts.h"
#include "reports/results/results.h"
#include "tests/suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static const RpResource resources[]
    = { { "cpu", 1000 }, { "memory", 1 }, { "nvidia.com/gpu", 1000 } };
static const char *const names[] = { "allocation", "jobs", "queues", "waits", "fragmentation" };

static gboolean
have_gnuplot (void)
{
  g_autofree char *path = g_find_program_in_path ("gnuplot");

  return path != NULL;
}

/* A run of @cycles cycles, one every 17 s, with @n_queues queues and a job in each per cycle. */
static void
fill (RpSummary *s, guint cycles, guint n_queues, const char *odd_name)
{
  guint64 state = 5;
  guint finished = 0;

  rp_summary_init (s, resources, G_N_ELEMENTS (resources));
  for (guint i = 0; i < cycles; i++) {
    const gint64 time = (gint64) i * 17 * G_USEC_PER_SEC;
    const double capacity[] = { 64000, 256e9, 8000 },
                 used = (double) (suite_random (&state) % 1000) / 1000;
    const double allocated[] = { 64000 * used, 256e9 * used, 8000 * used };
    const double idle[] = { 64000 - allocated[0], 256e9 - allocated[1], 8000 - allocated[2] };
    const double fragmented[] = { idle[0] / 2, idle[1] / 3, 0 };
    const RpCycle c = { .time = time,
                        .capacity = capacity,
                        .allocated = allocated,
                        .requested = fragmented,
                        .idle = idle,
                        .fragmented = fragmented,
                        .jobs_waiting = i % 7,
                        .jobs_running = i % 5,
                        .jobs_finished = finished++ };

    rp_summary_cycle (s, &c);
    for (guint q = 0; q < n_queues; q++) {
      g_autofree char *name
          = q == 0 && odd_name != NULL ? g_strdup (odd_name) : g_strdup_printf ("queue_%02u", q);
      const double part[]
          = { allocated[0] / n_queues, allocated[1] / n_queues, allocated[2] / n_queues };
      const RpQueue row = { .time = time,
                            .queue = name,
                            .weight = 1,
                            .pending_jobs = 1,
                            .allocated = part,
                            .deserved = i % 3 == 0 ? NULL : capacity };
      const RpJob job = { .ns = "default",
                          .job = "j",
                          .queue = name,
                          .submit = time,
                          .inqueue = time,
                          .first_bind = time,
                          .gang_start = time + (gint64) (i % 100) * 300000,
                          .finish = time + 60 * G_USEC_PER_SEC,
                          .run = 30 * G_USEC_PER_SEC,
                          .phase = "Completed",
                          .podgroup = "",
                          .used = part,
                          .wasted = fragmented,
                          .reason = "" };
      double share, deserved;

      rp_summary_queue (s, &row, &share, &deserved);
      rp_summary_job (s, &job);
    }
  }
  rp_summary_end (s, cycles > 0 ? (gint64) (cycles - 1) * 17 * G_USEC_PER_SEC : 0);
}

static char *
temporary_directory (void)
{
  g_autoptr (GError) error = NULL;
  char *dir = g_dir_make_tmp ("volsim-charts-XXXXXX", &error);

  g_assert_no_error (error);
  return dir;
}

/* Draw, give the SVG texts one after the other, and remove everything. NULL when something is
 * wrong. */
static char *
draw (const RpSummary *s)
{
  g_autofree char *dir = temporary_directory (), *warning = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) all = g_string_new (NULL);
  gboolean ok = suite_check (rp_charts_draw (s, dir, &warning, &error), "%s",
                             error != NULL ? error->message : "");

  ok = suite_check (warning == NULL, "warning: %s", warning) && ok;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *svg = g_strdup_printf ("%s/%s.svg", dir, names[i]),
                    *png = g_strdup_printf ("%s/%s.png", dir, names[i]);
    g_autofree char *text = NULL, *picture = NULL;
    gsize size = 0;

    ok = suite_check (g_file_get_contents (svg, &text, NULL, NULL), "no %s", svg) && ok;
    ok = suite_check (g_file_get_contents (png, &picture, &size, NULL) && size > 1000
                          && memcmp (picture, "\x89PNG", 4) == 0,
                      "no %s", png)
         && ok;
    g_string_append (all, text != NULL ? text : "");
    (void) g_unlink (svg);
    (void) g_unlink (png);
  }
  ok = suite_check (g_rmdir (dir) == 0, "something else was left in %s", dir) && ok;
  return ok ? g_string_free (g_steal_pointer (&all), FALSE) : NULL;
}

static void
thinning_keeps_extremes_and_the_last_value (void)
{
  RpCurve c;
  double low = INFINITY, high = -INFINITY;
  guint64 state = 1;
  gint64 time = 0;

  rp_curve_init (&c, 8000);
  for (guint i = 0; i < 300000; i++) {
    const double v = (double) (suite_random (&state) % 1000003);

    time += 1 + (gint64) (suite_random (&state) % 1000000);
    rp_curve_add (&c, time, v);
    low = fmin (low, v);
    high = fmax (high, v);
  }
  rp_curve_add (&c, time + 5, 0.5);
  g_autoptr (GArray) points = rp_curve_thinned (&c);
  double kept_low = INFINITY, kept_high = -INFINITY;

  CU_ASSERT_TRUE (points->len <= RP_CURVE_POINTS && points->len > RP_CURVE_POINTS / 2);
  for (guint i = 0; i < points->len; i++) {
    const RpPoint *p = &g_array_index (points, RpPoint, i);

    if (i > 0)
      CU_ASSERT_TRUE (p->time > g_array_index (points, RpPoint, i - 1).time);
    if (i + 1 < points->len)
      kept_low = fmin (kept_low, p->value);
    kept_high = fmax (kept_high, p->value);
  }
  CU_ASSERT_EQUAL (kept_low, low);
  CU_ASSERT_EQUAL (kept_high, high);
  CU_ASSERT_EQUAL (g_array_index (points, RpPoint, points->len - 1).value, 0.5);
  rp_curve_clear (&c);
}

/* A burst (1, 9, 3 in one bucket) followed by a long calm: the calm's value, 3, must survive beside
 * the peak. */
static void
a_value_that_lasts_survives_the_peak_before_it (void)
{
  RpCurve c;
  gboolean peak = FALSE, calm = FALSE;

  rp_curve_init (&c, 100000);
  for (guint i = 0; i < 5000; i++)
    rp_curve_add (&c, i * 1000, i % 2);
  rp_curve_add (&c, 5000000, 9);
  rp_curve_add (&c, 5000001, 3);
  rp_curve_add (&c, 50000000, 4);
  g_autoptr (GArray) points = rp_curve_thinned (&c);

  for (guint i = 0; i < points->len; i++) {
    const RpPoint *p = &g_array_index (points, RpPoint, i);

    peak |= p->value == 9;
    calm |= p->time == 5000001 && p->value == 3;
  }
  CU_ASSERT_TRUE (peak);
  CU_ASSERT_TRUE (calm);
  CU_ASSERT_TRUE (points->len <= RP_CURVE_POINTS);
  rp_curve_clear (&c);
}

static void
equal_values_and_equal_times_make_one_point (void)
{
  RpCurve c;

  rp_curve_init (&c, 100);
  rp_curve_add (&c, 0, 1);
  rp_curve_add (&c, 5, 1);
  rp_curve_add (&c, 7, 2);
  rp_curve_add (&c, 7, 3);
  rp_curve_add (&c, 9, (double) NAN);
  rp_curve_add (&c, 10, (double) NAN);
  g_autoptr (GArray) points = rp_curve_thinned (&c);

  CU_ASSERT_EQUAL (points->len, 3);
  CU_ASSERT_EQUAL (g_array_index (points, RpPoint, 1).value, 3);
  CU_ASSERT_TRUE (isnan (g_array_index (points, RpPoint, 2).value));
  rp_curve_clear (&c);
}

static void
the_script_holds_at_most_2000_steps_a_curve (void)
{
  RpSummary s;

  fill (&s, 9000, 2, NULL);
  g_autoptr (GString) script = rp_charts_script (&s);
  g_auto (GStrv) lines = g_strsplit (script->str, "\n", -1);
  guint in_block = 0, blocks = 0;

  for (guint i = 0; lines[i] != NULL; i++) {
    if (g_str_has_suffix (lines[i], "<< EOD")) {
      in_block = 0;
      blocks++;
    } else if (strcmp (lines[i], "EOD") == 0) {
      CU_ASSERT_TRUE (in_block <= 2 * RP_CURVE_POINTS); /* a step has two corners */
    }
    in_block++;
  }
  CU_ASSERT_EQUAL (blocks, 3 * 2 + 3 + 2 * 2 + 2
                               + 3 * 2); /* allocation, jobs, queues, waits, fragmentation */
  rp_summary_clear (&s);
}

static void
the_same_data_gives_the_same_bytes (void)
{
  RpSummary a, b;
  g_autofree char *first = NULL, *second = NULL;

  if (!have_gnuplot ()) {
    CU_PASS ("gnuplot is not installed");
    return;
  }
  fill (&a, 3000, 3, NULL);
  fill (&b, 3000, 3, NULL);
  first = draw (&a);
  second = draw (&b);
  CU_ASSERT_TRUE (first != NULL && second != NULL && strcmp (first, second) == 0);
  rp_summary_clear (&a);
  rp_summary_clear (&b);
}

static void
empty_one_point_and_many_queues_give_pictures (void)
{
  static const struct {
    guint cycles, queues;
    const char *text;
  } cases[] = {
    { 0, 0, "No cycle was recorded." },
    { 1, 0, "No queue ever had a pod or a waiting job." },
    { 1, 1, "only one cycle was recorded" },
    { 2, 1, "queue_00" },
    { 40, 12, "4 more queues are in the CSV file" },
  };

  if (!have_gnuplot ()) {
    CU_PASS ("gnuplot is not installed");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    RpSummary s;
    g_autofree char *svg = NULL;

    fill (&s, cases[i].cycles, cases[i].queues, NULL);
    svg = draw (&s);
    suite_check (svg != NULL && strstr (svg, cases[i].text) != NULL,
                 "case %u: '%s' is not in the pictures", i, cases[i].text);
    rp_summary_clear (&s);
  }
}

/* Names may not end a string, run a command or break a line of the script. */
static void
names_from_the_user_are_only_text (void)
{
  RpSummary s;
  g_autofree char *svg = NULL;

  if (!have_gnuplot ()) {
    CU_PASS ("gnuplot is not installed");
    return;
  }
  fill (&s, 5, 2, "it's \"a\" `touch pwned` $x @y #z {/=99 big}\nexit 3\nEOD <&\xff>");
  svg = draw (&s);
  suite_check (svg != NULL && strstr (svg, "`touch pwned` $x @y #z {/=99 big} exit 3 EOD") != NULL,
               "the name is not in the picture");
  rp_summary_clear (&s);
}

static void
without_gnuplot_there_is_a_warning_and_no_picture (void)
{
  g_autofree char *dir = temporary_directory (), *warning = NULL,
                  *path = g_strdup (g_getenv ("PATH"));
  g_autoptr (GError) error = NULL;
  RpSummary s;

  fill (&s, 5, 1, NULL);
  (void) g_setenv ("PATH", dir, TRUE);
  CU_ASSERT_TRUE (rp_charts_draw (&s, dir, &warning, &error));
  (void) g_setenv ("PATH", path, TRUE);
  CU_ASSERT_STRING_EQUAL (warning, "no charts: gnuplot is not installed");
  CU_ASSERT_EQUAL (g_rmdir (dir), 0);
  rp_summary_clear (&s);
}

static CU_TestInfo tests[] = {
  { "thinning keeps extremes and the last value", thinning_keeps_extremes_and_the_last_value },
  { "a value that lasts survives the peak before it",
    a_value_that_lasts_survives_the_peak_before_it },
  { "equal values and equal times make one point", equal_values_and_equal_times_make_one_point },
  { "the script holds at most 2000 steps a curve", the_script_holds_at_most_2000_steps_a_curve },
  { "the same data gives the same bytes", the_same_data_gives_the_same_bytes },
  { "empty, one point and many queues give pictures",
    empty_one_point_and_many_queues_give_pictures },
  { "names from the user are only text", names_from_the_user_are_only_text },
  { "without gnuplot there is a warning and no picture",
    without_gnuplot_there_is_a_warning_and_no_picture },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("charts", tests);
}
