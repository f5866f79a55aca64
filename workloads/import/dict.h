/* workloads/import/dict.h - maps and lists in one line of text, as JSON or as Python prints them ('a' for "a", None, True; commas may be missing between
 * items, as numpy leaves them out); private to formats. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

/** An item of a map, or of a list (@key NULL). @value is the text of a string or number, "" for null and None, and the whole text of a map or list, which
 * wl_dict_each() can read again. @at is where it begins, in bytes from the beginning. FALSE with @error ends the walk. */
typedef gboolean WlDictItem (const char *key, const char *value, gsize at, gpointer user, GError **error);
/** Walk the map or list that @text is. FALSE with @error "what, expected …, found …", and *@place, where it is (bytes from the beginning; of an error of
 * @item: where its value begins). */
gboolean wl_dict_each (const char *text, WlDictItem *item, gpointer user, gsize *place, GError **error);

G_END_DECLS
