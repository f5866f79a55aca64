/* core/base/json.h - JSON texts as Go's encoding/json writes and reads them.
 *
 * The writers append to a GString. The reader takes the first value of a text, as json.Decoder does, and leaves the rest alone. */
#pragma once
#include "arena.h"
G_BEGIN_DECLS

/** A text in quotes. `<`, `>`, `&` and the separators U+2028, U+2029 are escaped; bytes that are no UTF-8 become U+FFFD. */
void vc_json_text (GString *out, const char *text);
/** `"key":`, after a comma unless the map has just been opened. */
void vc_json_key (GString *out, const char *key);
void vc_json_int (GString *out, gint64 v);
void vc_json_bool (GString *out, gboolean v);
/** The shortest decimal that reads back as @v. A value that JSON cannot express gives null. */
void vc_json_number (GString *out, double v);

typedef enum { VC_JSON_NULL, VC_JSON_BOOL, VC_JSON_NUMBER, VC_JSON_TEXT, VC_JSON_LIST, VC_JSON_MAP } VcJsonKind;
typedef struct VcJson VcJson;
struct VcJson {
  VcJsonKind kind;
  gboolean truth;
  const char *text; /* of a text; of a number, as written */
  const char *key;  /* in a map; NULL in a list */
  VcJson *child, *next; /* first of a list or map; next sibling */
};

#define VC_JSON_ERROR (vc_json_error_quark ())
typedef enum { VC_JSON_ERROR_SYNTAX, VC_JSON_ERROR_TYPE } VcJsonError;
GQuark vc_json_error_quark (void);

/** The first value of @text, in @arena. NULL with @error ("byte 12: …"). */
const VcJson *vc_json_parse (const char *text, gsize len, VcArena *arena, GError **error);
/** The same where nothing but blanks may follow the value, as for json.Unmarshal. */
const VcJson *vc_json_parse_all (const char *text, gsize len, VcArena *arena, GError **error);
/** Member @key of a map: of that name, or else of that name in any case; of several the last. NULL: none, or null, or @map is NULL. */
const VcJson *vc_json_get (const VcJson *map, const char *key);
/** Typed members as Go decodes them: absent or null leaves *out. FALSE with @error when the value is of another type. */
gboolean vc_json_get_text (const VcJson *map, const char *key, const char **out, GError **error);
gboolean vc_json_get_bool (const VcJson *map, const char *key, gboolean *out, GError **error);
gboolean vc_json_get_int (const VcJson *map, const char *key, gint64 *out, GError **error); /* whole numbers only */
gboolean vc_json_as_double (const VcJson *v, double *out, GError **error);

G_END_DECLS
