/* core/base/go-duration.h - Go's time.ParseDuration. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

/** Read a duration such as "1h30m", "-1.5s" or "0" in nanoseconds. FALSE, and *out untouched, for a text that Go refuses, an empty one and
 * one out of range included. */
gboolean vc_go_duration_parse (const char *text, gint64 *out);

G_END_DECLS
