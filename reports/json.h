/* reports/json.h - a small JSON writer: keys in the order of the calls, two spaces of indentation.
 */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef struct {
  GString *out;
  guint depth;
  gboolean empty; /* nothing stands yet in the innermost object or array */
} RpJson;

void rp_json_init (RpJson *j);
/** Ends the text and gives it away; the writer may be thrown away afterwards. (transfer full) */
char *rp_json_finish (RpJson *j, gsize *length);

/* @key is NULL inside an array. */
void rp_json_begin_object (RpJson *j, const char *key);
void rp_json_end_object (RpJson *j);
void rp_json_begin_array (RpJson *j, const char *key);
void rp_json_end_array (RpJson *j);
void rp_json_text (RpJson *j, const char *key, const char *text);
void rp_json_uint (RpJson *j, const char *key, guint64 v);
void rp_json_int (RpJson *j, const char *key, gint64 v);
void rp_json_bool (RpJson *j, const char *key, gboolean v);
void rp_json_double (RpJson *j, const char *key, double v); /* NaN, infinity: null */
void rp_json_time (RpJson *j, const char *key, gint64 us);  /* seconds; RP_NONE: null */

G_END_DECLS
