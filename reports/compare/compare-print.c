/* reports/compare/compare-print.c - a comparison on one screen, and as JSON. */
#include "compare-private.h"
#include "reports/json.h"
#include "reports/words.h"
#include <math.h>
#include <string.h>

#define MOVES_SHOWN 3u
#define USERS_SHOWN 20u /* of more users nobody wants to see each at first */

static const RpSide *
side (const RpComparison *c, guint i)
{
  return &rp_comparison_sides (c, NULL)[i];
}

static guint
n_sides (const RpComparison *c)
{
  guint n;

  rp_comparison_sides (c, &n);
  return n;
}

const char *
rp_verdict_word (RpVerdict v)
{
  static const char *const word[] = { [RP_VERDICT_NONE] = "", [RP_VERDICT_BETTER] = "better", [RP_VERDICT_WORSE] = "worse",
                                      [RP_VERDICT_OTHER] = "differs", [RP_VERDICT_CHANCE] = "chance" };

  return word[v];
}

/* Is there a difference that the digits which are shown do not hold? */
static gboolean
is_beyond_digits (const RpComparedRow *r, guint i)
{
  double d = fabs (r->difference[i]);

  if (isnan (d) || d == 0 || !isnan (r->half[i]))
    return FALSE;
  return r->unit == RP_UNIT_RATIO ? d < 0.0005 : r->unit == RP_UNIT_NUMBER && d < 0.0005 * MAX (fabs (r->value[0]), fabs (r->value[i]));
}

const char *
rp_compared_row_verdict (const RpComparedRow *r, guint i)
{
  return is_beyond_digits (r, i) ? "" : rp_verdict_word (r->verdict[i]);
}

/* "+12.5s", with its interval where there is one. */
char *
rp_compared_row_change (const RpComparedRow *r, guint i)
{
  if (isnan (r->difference[i]))
    return g_strdup ("–");
  if (r->difference[i] == 0 && (isnan (r->half[i]) || r->half[i] == 0))
    return g_strdup ("=");
  if (is_beyond_digits (r, i))
    return g_strdup ("≈");
  g_autofree char *mean = rp_metric_text (r->unit, r->difference[i]);
  g_autofree char *half = isnan (r->half[i]) ? NULL : rp_metric_text (r->unit, r->half[i]);
  const char *sign = r->difference[i] > 0 ? "+" : "";

  return half != NULL ? g_strdup_printf ("%s%s ±%s", sign, mean, half) : g_strdup_printf ("%s%s", sign, mean);
}

/* What a first look needs; the rest is in the JSON. */
static gboolean
is_shown (const char *name)
{
  static const char *const cluster[] = { "mean_wait", "p50_wait", "p95_wait", "p99_wait", "max_wait", "mean_slowdown", "p95_slowdown", "never_started", "deadlines_met", "evictions", "makespan", "fairness", "mean_topology_cost", "p95_topology_cost", "crossing_jobs" };
  static const char *const grouped[] = { "mean_wait(queue=", "p95_wait(queue=", "deadlines_met(queue=", "mean_wait(user=", "mean_wait(class=", "mean_topology_cost(queue=", "crossing_jobs(queue=", "utilisation(resource=", "goodput(", "fragmentation(", "work_lost(resource=" };

  for (guint i = 0; i < G_N_ELEMENTS (cluster); i++)
    if (strcmp (name, cluster[i]) == 0)
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (grouped); i++)
    if (g_str_has_prefix (name, grouped[i]))
      return TRUE;
  return FALSE;
}

/* A resource goes without that word. */
char *
rp_compared_row_title (const RpComparedRow *r)
{
  const char *name = r->name;
  GString *out = g_string_new (NULL);

  for (; *name != '\0'; name++) {
    if (*name == '(' || *name == ',')
      g_string_append (out, g_str_has_prefix (name + 1, "resource=") ? " " : ", ");
    else if (*name == '=')
      g_string_append_c (out, ' ');
    else if (*name != ')')
      g_string_append_c (out, *name);
    if ((*name == '(' || *name == ',') && g_str_has_prefix (name + 1, "resource="))
      name += strlen ("resource=");
  }
  return g_string_free (out, FALSE);
}

static gboolean
all_equal_zero (const RpComparedRow *r)
{
  for (guint i = 0; i < r->n; i++)
    if (!isnan (r->value[i]) && r->value[i] != 0)
      return FALSE;
  return TRUE;
}

/* Names in the heading of a table: without folders and the ending .conf where they can still be told apart, and their end when they are long. */
static char *
heading (const RpComparison *c, guint which, guint width)
{
  g_autofree char *name = g_path_get_basename (side (c, which)->label);
  gboolean plain = TRUE; /* do all sides differ without folders? */

  for (guint i = 0; i < n_sides (c) && plain; i++)
    for (guint k = 0; k < i && plain; k++) {
      g_autofree char *a = g_path_get_basename (side (c, i)->label), *b = g_path_get_basename (side (c, k)->label);

      plain = strcmp (a, b) != 0 || strcmp (side (c, i)->label, side (c, k)->label) == 0;
    }
  g_autofree char *valid = g_utf8_make_valid (plain ? name : side (c, which)->label, -1);

  if (g_str_has_suffix (valid, ".conf") && valid[5] != '\0')
    valid[strlen (valid) - 5] = '\0';
  glong n = g_utf8_strlen (valid, -1);

  return n <= (glong) width ? g_steal_pointer (&valid) : g_strconcat ("…", g_utf8_offset_to_pointer (valid, n - (glong) width + 1), NULL);
}

/* Is it the share of the cluster that a queue has of what is used most? Against a record that is what a first look needs, too. */
static gboolean
is_share_of_scarcest (const RpComparison *c, const char *name)
{
  const GArray *rows = rp_comparison_rows (c);
  const RpComparedRow *most = NULL;

  if (!side (c, 0)->run->is_record || !g_str_has_prefix (name, "utilisation(queue="))
    return FALSE;
  for (guint i = 0; i < rows->len; i++) {
    const RpComparedRow *r = &g_array_index (rows, RpComparedRow, i);

    if (g_str_has_prefix (r->name, "utilisation(resource=") && !isnan (r->value[0]) && (most == NULL || r->value[0] > most->value[0]))
      most = r;
  }
  g_autofree char *end = most != NULL ? g_strconcat (",", most->name + strlen ("utilisation("), NULL) : NULL;

  return end != NULL && g_str_has_suffix (name, end);
}

gboolean
rp_compared_row_is_shown (const RpComparison *c, const RpComparedRow *r)
{
  if (side (c, 0)->run->is_record && isnan (r->value[0]))
    return FALSE; /* no record tells it */
  if (strstr (r->name, "(queue=") != NULL && rp_comparison_queues (c) <= 1)
    return FALSE; /* those of the only queue are the cluster's */
  if (strstr (r->name, "(user=") != NULL && rp_comparison_users (c) > USERS_SHOWN)
    return FALSE;
  return (is_shown (r->name) || is_share_of_scarcest (c, r->name)) && !all_equal_zero (r);
}

char *
rp_comparison_left_out (const RpComparison *c)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < n_sides (c); i++)
    if (!side (c, i)->run->is_record && side (c, i)->run->left_out > 0) {
      g_autofree char *jobs = rp_number (side (c, i)->run->left_out);

      g_string_append_printf (out, "%s: %s jobs are left out, as the record does not tell when they started\n", side (c, i)->label, jobs);
    }
  return g_string_free (out, FALSE);
}

static void
append_table (GString *out, const RpComparison *c)
{
  const GArray *rows = rp_comparison_rows (c);

  for (guint i = 1; i < n_sides (c); i++) {
    g_autofree char *first = heading (c, 0, 10), *second = heading (c, i, 10);

    g_string_append_c (out, '\n');
    if (n_sides (c) > 2) {
      g_autofree char *line = g_strdup_printf ("%s:", side (c, i)->label);

      rp_append_line (out, line);
    }
    rp_append_cell (out, "", 32, FALSE);
    rp_append_cell (out, first, 11, TRUE);
    rp_append_cell (out, second, 11, TRUE);
    rp_append_cell (out, "difference", 17, TRUE);
    g_string_append_c (out, '\n');
    for (guint k = 0; k < rows->len; k++) {
      const RpComparedRow *r = &g_array_index (rows, RpComparedRow, k);

      if (!rp_compared_row_is_shown (c, r))
        continue;
      g_autofree char *name = rp_compared_row_title (r);
      g_autofree char *base = rp_metric_text (r->unit, r->value[0]), *value = rp_metric_text (r->unit, r->value[i]), *change = rp_compared_row_change (r, i);

      rp_append_cell (out, name, 31, FALSE);
      g_string_append_c (out, ' ');
      rp_append_cell (out, base, 11, TRUE);
      rp_append_cell (out, value, 11, TRUE);
      rp_append_cell (out, change, 17, TRUE);
      const char *verdict = rp_compared_row_verdict (r, i);

      g_string_append_printf (out, "%s%s\n", *verdict != '\0' ? " " : "", verdict);
    }
  }
}

static void
append_moves (GString *out, const RpComparison *c, guint i)
{
  g_autoptr (GArray) moves = rp_moves (side (c, 0)->run, side (c, i)->run);
  guint winners = 0, losers;

  while (winners < moves->len && g_array_index (moves, RpMove, winners).change < 0)
    winners++;
  losers = moves->len - winners;
  g_string_append_printf (out, "\n%s: %u jobs wait less, %u wait longer\n", side (c, i)->label, winners, losers);
  for (guint k = 0; k < moves->len; k++) {
    const RpMove *m = &g_array_index (moves, RpMove, k);
    g_autofree char *span = rp_span ((double) m->change / 1e6);

    if (k >= MIN (winners, MOVES_SHOWN) && k + MIN (losers, MOVES_SHOWN) < moves->len)
      continue;
    g_string_append_printf (out, "  %s%s  %s/%s (queue %s)\n", m->change > 0 ? "+" : "", span, m->base->ns, m->base->job, m->base->queue);
  }
}

char *
rp_comparison_text (const RpComparison *c)
{
  GString *out = g_string_new (NULL);
  const RpSide *base = side (c, 0);
  g_autofree char *jobs = rp_number (base->run->jobs->len);

  g_string_append_printf (out, "%s jobs; every difference is to %s", jobs, base->label);
  if (base->n_shaken > 1)
    g_string_append_printf (out, ": mean and 95 %% interval of %u pairs of runs\nwith shaken submissions; \"chance\" is a difference that may well be none", base->n_shaken);
  g_autofree char *left_out = rp_comparison_left_out (c);

  g_string_append_printf (out, "\n%s", left_out);
  append_table (out, c);
  for (guint i = 1; i < n_sides (c); i++)
    append_moves (out, c, i);
  return g_string_free (out, FALSE);
}

/* ---- JSON --------------------------------------------------------------------------------------- */

static void
json_moves (RpJson *j, const RpComparison *c, guint i)
{
  g_autoptr (GArray) moves = rp_moves (side (c, 0)->run, side (c, i)->run);

  rp_json_begin_array (j, "moves");
  for (guint k = 0; k < moves->len; k++) {
    const RpMove *m = &g_array_index (moves, RpMove, k);

    rp_json_begin_object (j, NULL);
    rp_json_text (j, "namespace", m->base->ns);
    rp_json_text (j, "job", m->base->job);
    rp_json_text (j, "queue", m->base->queue);
    rp_json_time (j, "wait_change_s", m->change);
    rp_json_end_object (j);
  }
  rp_json_end_array (j);
}

static void
json_side (RpJson *j, const RpComparison *c, guint i, const char *parting)
{
  const GArray *rows = rp_comparison_rows (c);

  rp_json_begin_object (j, NULL);
  rp_json_text (j, "name", side (c, i)->label);
  rp_json_text (j, "configuration_sha256", side (c, i)->run->conf_digest);
  if (side (c, 0)->run->is_record)
    rp_json_uint (j, "jobs_left_out", side (c, i)->run->left_out);
  rp_json_begin_object (j, "figures");
  for (guint k = 0; k < rows->len; k++) {
    const RpComparedRow *r = &g_array_index (rows, RpComparedRow, k);

    rp_json_begin_object (j, r->name);
    rp_json_double (j, "value", r->value[i]);
    if (i > 0) {
      rp_json_double (j, "difference", r->difference[i]);
      rp_json_double (j, "half_interval", r->half[i]);
      rp_json_text (j, "verdict", rp_verdict_word (r->verdict[i]));
    }
    rp_json_end_object (j);
  }
  rp_json_end_object (j);
  if (i > 0)
    json_moves (j, c, i);
  if (parting != NULL)
    rp_json_text (j, "first_divergence", parting);
  rp_json_end_object (j);
}

char *
rp_comparison_json (const RpComparison *c, const char *const *part, gsize *length)
{
  RpJson j;

  rp_json_init (&j);
  rp_json_uint (&j, "shaken_pairs", side (c, 0)->n_shaken);
  rp_json_begin_array (&j, "runs");
  for (guint i = 0; i < n_sides (c); i++)
    json_side (&j, c, i, part != NULL && i > 0 ? part[i] : NULL);
  rp_json_end_array (&j);
  return rp_json_finish (&j, length);
}
