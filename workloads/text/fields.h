/* workloads/text/fields.h - typed values out of a YAML tree, each refusal with its place, for files of our own and small ones of Volcano.
 *
 * A reader puts its value at @out and gives TRUE, or sets the error. */
#pragma once
#include "core/conf/conf-yaml.h"
#include "workloads/native/distribution.h"
G_BEGIN_DECLS

typedef struct { const char *source; GError **error; } GenReader;
typedef gboolean GenRead (GenReader *r, const VcYamlNode *value, gpointer out);
typedef struct { const char *key; GenRead *read; gsize offset; gboolean required; } GenField;

/** Refuse what is at @at: "file:line:column: …". Always FALSE. */
gboolean gen_fail (GenReader *r, const VcYamlNode *at, WlError code, const char *format, ...) G_GNUC_PRINTF (4, 5);
/** Put the place of @at in front of the error that a cell's reader has set. Always FALSE. */
gboolean gen_place (GenReader *r, const VcYamlNode *at);
const char *gen_kind (const VcYamlNode *n); /* "a list" */
/** Text of a scalar that is not empty, NULL with the error. @what: "a time". */
const char *gen_text_of (GenReader *r, const VcYamlNode *n, const char *what);
/** The fields of map @n into @out; a key that is not among them is for @other (nullable; FALSE without an error: unknown), or is refused with the
 * nearest name. @what names the map. */
gboolean gen_map (GenReader *r, const VcYamlNode *n, const GenField *field, guint n_fields, const char *what, gpointer out,
                  gboolean (*other) (GenReader *r, const VcYamlNode *key, const VcYamlNode *value, gpointer out));
#define GEN_MAP(r, n, fields, what, out, other) gen_map ((r), (n), (fields), G_N_ELEMENTS (fields), (what), (out), (other))
/** Each item of a list that is not empty, by @read with @to. */
gboolean gen_list (GenReader *r, const VcYamlNode *n, const char *what, GenRead *read, gpointer to);

GenRead gen_text;     /* char * */
GenRead gen_name;     /* char *, a DNS name with room for a number */
GenRead gen_count;    /* gint64, 0 to 100 million */
GenRead gen_seed;     /* guint64 */
GenRead gen_number;   /* double from 0 */
GenRead gen_time;     /* WlTime */
GenRead gen_bool;     /* int, 0 or 1 */
GenRead gen_times;    /* WlDistribution of times */
GenRead gen_later;    /* char *: a distribution of times, kept as it is written */
gboolean gen_distribution (GenReader *r, const VcYamlNode *n, WlValues values, WlDistribution *out);
/** "0.5 0.2 …", or a list: @expected numbers from 0 (0: any number of them), one above 0. @n_out may be NULL. */
gboolean gen_numbers (GenReader *r, const VcYamlNode *n, const char *what, guint expected, double **out, guint *n_out);

G_END_DECLS
