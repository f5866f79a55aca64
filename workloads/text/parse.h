/* workloads/text/parse.h - what a single cell may hold: numbers, times, names and lists.
 *
 * Every refusal is a WL_ERROR_VALUE "what, expected …, found …" without a place: the caller that
 * knows where adds it. Results are untouched on failure. Arrays free their elements (see the
 * constructors). */
#pragma once
#include "workloads/native/native.h"
G_BEGIN_DECLS

#define WL_AMOUNT_MAX (G_GINT64_CONSTANT (1) << 53) /* doubles are exact up to here */
#define WL_TIME_MAX (G_GINT64_CONSTANT (1) << 53)   /* µs: 285 years */
#define WL_NAME_MAX 253                             /* DNS subdomain */
#define WL_LABEL_MAX 63                             /* DNS label */

/** Text of an input for a message: in quotes, shortened, bytes that would break the line escaped.
 * (transfer full) */
char *wl_shown (const char *text);
/** Set @error to WL_ERROR_VALUE "@what, expected @expected, found '@found'"; FALSE. */
gboolean wl_refuse (GError **error, const char *what, const char *expected, const char *found);

gboolean wl_parse_int (const char *text, gint64 min, gint64 max, gint64 *out, GError **error);
gboolean wl_parse_bool (const char *text, gboolean *out, GError **error); /* true, false */
/** Is @name a resource whose unit is the byte (its limit then counts bytes and not thousandths)? */
gboolean wl_resource_is_bytes (const char *name);
/** A quantity of resource @name, from 0 to WL_AMOUNT_MAX (bytes of memory, thousandths of anything
 * else). */
gboolean wl_parse_amount (const char *name, const char *text, VcQuantity *out, GError **error);

/** A DNS-1123 subdomain (labels joined by dots) or, without @dots, one label, of at most @max
 * bytes. */
gboolean wl_check_name (const char *text, gboolean dots, guint max, GError **error);
/** A qualified name as labels and taints use it: [prefix/]name. */
gboolean wl_check_key (const char *text, GError **error);
/** A resource of a pod or node: cpu, memory, pods, ephemeral-storage, or an extended resource
 * prefix/name. */
gboolean wl_check_resource (const char *text, GError **error);
/** An integer (written back without leading zeros) or the name of a priority class. */
gboolean wl_parse_priority (const char *text, char **out, GError **error);

gboolean wl_parse_pairs (const char *text, GArray **out, GError **error); /* "k=v;k2=v2" */
/** The same with any text for a value; a semicolon in it is written `\;`. */
gboolean wl_parse_annotations (const char *text, GArray **out, GError **error);
gboolean wl_parse_taints (const char *text, GArray **out,
                          GError **error); /* "key=value:Effect;key:Effect" */
gboolean wl_parse_tolerations (const char *text, GArray **out,
                               GError **error); /* the same, and ":", "key:", ":Effect"; "key:NoExecute@SECONDS" */
gboolean
wl_parse_resources (const char *text, GArray **out, GError **error); /* "cpu=4;memory=8Gi" */
/** "d1|d2" per replica, each "a>b" per run: a GArray of GArrays of WlTime or gint32. At most
 * @replicas entries. */
gboolean wl_parse_durations (const char *text, guint replicas, GArray **out, GError **error);
gboolean wl_parse_exit_codes (const char *text, guint replicas, GArray **out, GError **error);
/** "t:n>t:n": replicas by time since the submission, times ascending: a GArray of WlScaleStep. */
gboolean wl_parse_scale (const char *text, GArray **out, GError **error);

gboolean wl_resources_equal (const GArray *a,
                             const GArray *b); /* the same names and amounts in the same order */

G_END_DECLS
