/* core/conf/args.h - arguments of a plugin or action, as the configuration gives them.
 *
 * The readers accept what upstream's Arguments.GetInt/GetFloat64/GetBool/GetString accept; a value of another type
 * leaves the default (pkg/scheduler/framework/arguments.go). In strict mode such a value has been refused when the file was
 * read; in lenient mode a warning was given then. A null counts as absent for every reader; vc_args_find() still shows it. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef enum {
  VC_VALUE_NULL,
  VC_VALUE_BOOL,
  VC_VALUE_INT,
  VC_VALUE_FLOAT,
  VC_VALUE_STRING,
  VC_VALUE_OTHER /* list or map; also an integer beyond gint64, which none of the readers takes (then s is set) */
} VcValueType;
typedef struct VcArgs VcArgs;
typedef struct {
  char *key;
  VcValueType type;
  gboolean b;
  gint64 i;
  double f;
  char *s;           /* text as written, for every scalar */
  guint32 line, col; /* of the value, from 1 */
  guint32 key_line, key_col;
  VcArgs *child;     /* list (keys are "") or map: its elements; NULL for a scalar */
  gboolean is_list;
} VcArg;
struct VcArgs {
  VcArg *arg;
  guint n;
}; /* in file order; of a repeated key the last counts */

/** The argument @key as written, or NULL. Borrowed. */
const VcArg *vc_args_find (const VcArgs *args, const char *key);
void vc_args_get_int (const VcArgs *args, const char *key, gint64 *inout);       /* YAML integer only */
void vc_args_get_float (const VcArgs *args, const char *key, double *inout);     /* float, or integer widened */
void vc_args_get_bool (const VcArgs *args, const char *key, gboolean *inout);    /* bool, or a text Go's ParseBool takes */
const char *vc_args_get_string (const VcArgs *args, const char *key, const char *fallback); /* borrowed */
/** Go's strconv.ParseBool: FALSE when @text is none of its texts. */
gboolean vc_parse_bool (const char *text, gboolean *out);
/** Read a YAML map as yaml.v2 takes it, of any depth, of a repeated key the last value. No text at all is an empty map. FALSE when @text is no YAML
 * or no map; *out is then empty. */
gboolean vc_args_read (const char *text, gsize len, VcArgs *out);
/** Free what @args owns, nested values too, and leave it empty. */
void vc_args_clear (VcArgs *args);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (VcArgs, vc_args_clear)

G_END_DECLS
