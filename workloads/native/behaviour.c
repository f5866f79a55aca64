#include "behaviour.h"
#include "workloads/text/parse.h"

#define USAGE_MAX 100 /* limits may lie above requests */

enum { K_FAILURE, K_TIME_TO_FAILURE, K_CHECKPOINT, K_USAGE, K_PRE_STOP, K_TERMINATION, K_RESTART_COST };
const char *const wl_behaviour_names[WL_N_BEHAVIOURS] = {
  [K_FAILURE] = "failure", [K_TIME_TO_FAILURE] = "time_to_failure", [K_CHECKPOINT] = "checkpoint",
  [K_USAGE] = "usage",     [K_PRE_STOP] = "pre_stop",               [K_TERMINATION] = "termination",
  [K_RESTART_COST] = "restart_cost",
};

WlBehaviour *
wl_behaviour_new (void)
{
  WlBehaviour *b = g_rc_box_new0 (WlBehaviour);

  b->failure = b->usage = -1;
  b->checkpoint = WL_TIME_NONE;
  return b;
}

WlBehaviour *
wl_behaviour_ref (WlBehaviour *b)
{
  return g_rc_box_acquire (b);
}

static void
behaviour_clear (gpointer data)
{
  WlBehaviour *b = data;

  wl_distribution_clear (&b->time_to_failure);
  wl_distribution_clear (&b->pre_stop);
  wl_distribution_clear (&b->termination);
}

void
wl_behaviour_unref (WlBehaviour *b)
{
  if (b != NULL)
    g_rc_box_release_full (b, behaviour_clear);
}

gboolean
wl_parse_share (const char *text, double max, double *out, GError **error)
{
  char *end = NULL;
  double v = g_ascii_isdigit (*text) || *text == '.' ? g_ascii_strtod (text, &end) : -1;

  if (end != NULL && *end == '\0' && v >= 0 && v <= max) {
    *out = v;
    return TRUE;
  }
  g_autofree char *shown = wl_shown (text);

  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "expected a number from 0 to %g, found %s", max, shown);
  return FALSE;
}

static gboolean
set_distribution (WlDistribution *to, gboolean *given, const char *text, GError **error)
{
  WlDistribution d;

  if (!wl_parse_distribution (text, TRUE, &d, error))
    return FALSE;
  wl_distribution_clear (to);
  *to = d;
  *given = TRUE;
  return TRUE;
}

gboolean
wl_behaviour_set (WlBehaviour *b, guint key, const char *text, GError **error)
{
  switch (key) {
  case K_FAILURE:
    return wl_parse_share (text, 1, &b->failure, error);
  case K_USAGE:
    return wl_parse_share (text, USAGE_MAX, &b->usage, error);
  case K_CHECKPOINT:
    return wl_parse_time (text, FALSE, &b->checkpoint, error);
  case K_RESTART_COST:
    return wl_parse_time (text, FALSE, &b->restart_cost, error);
  case K_TIME_TO_FAILURE:
    return set_distribution (&b->time_to_failure, &b->has_time_to_failure, text, error);
  case K_PRE_STOP:
    return set_distribution (&b->pre_stop, &b->has_pre_stop, text, error);
  case K_TERMINATION:
  default:
    return set_distribution (&b->termination, &b->has_termination, text, error);
  }
}
