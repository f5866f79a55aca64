/* core/base/go-number.h - numbers as Go's library reads and computes them. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

/** strconv.ParseInt (text, 10, …) of the whole text, within [low, high]; FALSE leaves @out alone. */
gboolean vc_go_parse_int (const char *text, gint64 low, gint64 high, gint64 *out);
/** math.Pow for a whole exponent, to the last bit (Go multiplies; the C library does otherwise). */
double vc_go_pow (double x, gint64 y);

G_END_DECLS
