/* core/base/rfc3339.h - times as Kubernetes writes them. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

/** "2026-01-01T12:00:00Z", or with an offset, as seconds since the epoch (fractions cut). FALSE: @text is no such time. */
gboolean vc_parse_rfc3339 (const char *text, gint64 *out);

G_END_DECLS
