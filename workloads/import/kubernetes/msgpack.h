/* workloads/import/kubernetes/msgpack.h - MessagePack as the JSON that says the same; private to formats. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

/** One value of @data as JSON text. Keys that are no texts become the text of their JSON ("[\"a\", \"b\"]", "17"). NULL with @error "what, expected …, found
 * … at byte N". (transfer full) */
GString *wl_msgpack_json (const guint8 *data, gsize len, GError **error);

G_END_DECLS
