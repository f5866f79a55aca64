/* workloads/import/json.h - JSON (and YAML) documents of traces, through libfyaml; private to formats. A value that is missing is NULL everywhere, so that
 * paths may be walked without a check at each step. */
#pragma once
#include "workloads/native/native.h"
G_BEGIN_DECLS

typedef struct WlJsonDoc WlJsonDoc;
typedef struct fy_node *WlJson;

/** The first document of @text, which must outlive it. NULL with "file:line:column: …". (transfer full) */
WlJsonDoc *wl_json_read (const char *file, const char *text, gsize len, GError **error);
void wl_json_free (WlJsonDoc *doc);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlJsonDoc, wl_json_free)
WlJson wl_json_root (const WlJsonDoc *doc);

gboolean wl_json_is_list (WlJson at);
gboolean wl_json_is_map (WlJson at);
WlJson wl_json_get (WlJson map, const char *key);
guint wl_json_count (WlJson at); /* items of a list, pairs of a map */
WlJson wl_json_at (WlJson list, guint i); /* the i-th item, slowly: for short lists */
/** Walk a list of any length: for (void *it = NULL; (item = wl_json_next (list, &it)) != NULL;). */
WlJson wl_json_next (WlJson list, void **it);
/** Walk the values of a map in the same way, with their keys (NULL: a key that is no text). */
WlJson wl_json_next_pair (WlJson map, void **it, const char **key);
/** Text of a scalar; NULL of anything else, and of null. It belongs to the document. */
const char *wl_json_text (WlJson at);
gboolean wl_json_is_quoted (WlJson at); /* a scalar in quotes: a text, whatever it looks like */
/** A number, times @scale, as wl_import_parse_scaled(). FALSE with "what, expected …, found …" when it is none, or out of range. */
gboolean wl_json_scaled (WlJson at, gint64 scale, gint64 min, gint64 max, gint64 *out, GError **error);
gboolean wl_json_int (WlJson at, gint64 min, gint64 max, gint64 *out, GError **error); /* the same without a fraction */
/* Where a value begins, or its first one when it is a map or a list: from 1. */
guint64 wl_json_line (WlJson at);
guint64 wl_json_column (WlJson at);

G_END_DECLS
