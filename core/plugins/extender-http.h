/* core/plugins/extender-http.h - how the plugin extender reaches its service.
 *
 * The engine opens no socket: whoever makes it brings the way there (VcEngineOptions.http). */
#pragma once
#include "core/session/session.h"
G_BEGIN_DECLS

struct VcHttpTransport {
  /** POST @body (JSON) to @url and give the answer's status code in *status. @answer: gets the answer's body up to @limit + 1 bytes, or NULL
   * when nobody wants it. @timeout_us bounds the whole exchange; 0: no bound. FALSE with @error when there is no answer. */
  gboolean (*post) (gpointer user, const char *url, const char *body, gsize len, gint64 timeout_us, GString *answer, gsize limit, guint *status,
                    GError **error);
  gpointer user;
};

G_END_DECLS
