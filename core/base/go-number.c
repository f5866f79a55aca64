#include "core/base/go-number.h"
#include <errno.h>
#include <math.h>

gboolean
vc_go_parse_int (const char *text, gint64 low, gint64 high, gint64 *out)
{
  char *end = NULL;
  const char *digits = *text == '+' || *text == '-' ? text + 1 : text;

  if (!g_ascii_isdigit (*digits))
    return FALSE;
  errno = 0;
  gint64 v = g_ascii_strtoll (text, &end, 10);
  if (errno != 0 || *end != '\0' || v < low || v > high)
    return FALSE;
  *out = v;
  return TRUE;
}

/* Mirrors pow in math/pow.go. */
double
vc_go_pow (double x, gint64 y)
{
  double a = 1;
  int ax = 0, xe;

  if (y == 0 || x == 1)
    return 1;
  if (y == 1 || isnan (x))
    return x;
  if (x == 0)
    return y < 0 ? (y % 2 != 0 ? copysign (INFINITY, x) : INFINITY) : y % 2 != 0 ? x : 0;
  if (isinf (x))
    return y < 0 ? (x < 0 && y % 2 != 0 ? -0.0 : 0) : x < 0 && y % 2 != 0 ? -INFINITY : INFINITY;
  double m = frexp (x, &xe);
  for (gint64 i = y < 0 ? -y : y; i != 0; i >>= 1) {
    if (xe < -(1 << 12) || xe > 1 << 12) { /* out of range for certain */
      ax += xe;
      break;
    }
    if ((i & 1) == 1) {
      a *= m;
      ax += xe;
    }
    m *= m;
    xe *= 2;
    if (m < 0.5) {
      m += m;
      xe--;
    }
  }
  if (y < 0) {
    a = 1 / a;
    ax = -ax;
  }
  return ldexp (a, ax);
}
