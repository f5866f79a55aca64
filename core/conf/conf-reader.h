/* core/conf/conf-reader.h - reading a configuration's tree into structures the way yaml.v2 decodes
 * it, with messages that give the place. Internal to core/conf. */
#pragma once
#include "conf.h"
#include "conf-yaml.h"
G_BEGIN_DECLS

/* Where the text of a ConfigMap's key lies in the outer file. */
typedef struct {
  const VcYamlNode *scalar;
  guint32 indent; /* of a literal block */
} VcReadInside;

typedef struct {
  const char *source;
  const char *text; /* that the nodes' positions count in */
  gsize len;
  const VcCatalog *known; /* NULL: names are not checked */
  gboolean lenient;
  GPtrArray *warnings; /* or NULL */
  GError **error;
  GStringChunk *scratch;      /* texts for messages */
  const VcReadInside *inside; /* NULL for a bare configuration */
  guint64 n_read, n_aliased;
  guint alias_depth;
} VcReader;

/** @text as a message shows it: short and on one line. Borrowed from the reader. */
const char *vc_reader_show (VcReader *r, const char *text);
/** Type and text of a value. Borrowed from the reader. */
const char *vc_reader_describe (VcReader *r, const VcYamlNode *n);
const char *vc_reader_describe_value (VcReader *r, const VcArg *v, gboolean quoted);
/** Place of @line and @col of the text that is read, in the file. */
void vc_reader_place (const VcReader *r, guint32 *line, guint32 *col);
/** Set the error; always FALSE, to be returned. */
gboolean vc_reader_fail (VcReader *r, VcConfError code, guint32 line, guint32 col, const char *fmt,
                         ...) G_GNUC_PRINTF (5, 6);
void vc_reader_warn (VcReader *r, guint32 line, guint32 col, const char *fmt, ...)
    G_GNUC_PRINTF (4, 5);
/** Something Volcano lets pass: an error, or when lenient a warning and TRUE. */
gboolean vc_reader_odd (VcReader *r, VcConfError code, guint32 line, guint32 col, const char *fmt,
                        ...) G_GNUC_PRINTF (5, 6);
/** Set the error that @fault tells, with what stands at its place. Always FALSE. */
gboolean vc_reader_fault (VcReader *r, const VcYamlFault *fault);

/** ", did you mean 'x'?" with @near or the name of @names that is nearest to @text; without one ",
 * expected one of x, y". */
const char *vc_reader_advise (VcReader *r, const char *text, const char *near,
                              const char *const *names, guint n);
const char *vc_reader_advise_name (VcReader *r, const char *text, const VcNameSpec *specs, guint n);
const VcNameSpec *vc_find_name (const VcNameSpec *specs, guint n, const char *name);
/** Names and types of the arguments of @kind ("plugin" or "action") @spec. */
gboolean
vc_reader_check_args (VcReader *r, const char *kind, const VcNameSpec *spec, const VcArgs *args);

typedef struct {
  const char *text;
  guint32 line, col;
} VcReadKey;
typedef gboolean (*VcReadFn) (VcReader *r, VcYamlNode *n, gpointer out);
typedef gboolean (*VcReadEntryFn) (VcReader *r, const VcReadKey *key, VcYamlNode *value,
                                   gpointer out);

/** Hand @n to @fn, or what it stands for when it is an alias. */
gboolean vc_read_node (VcReader *r, VcYamlNode *n, VcReadFn fn, gpointer out);
/** Hand the entries of the map @n to @fn in their order; entries of merged maps come where they are
 * merged. */
gboolean vc_read_map (VcReader *r, VcYamlNode *n, VcReadEntryFn fn, gpointer out);
/** Whether @n is a null. FALSE with the error set when it is no value at all. */
gboolean vc_read_null (VcReader *r, VcYamlNode *n, gboolean *out);
/** Type and value of the scalar @n (see vc_yaml_scalar()). */
gboolean vc_read_scalar (VcReader *r, VcYamlNode *n, VcArg *out);

/* A text: any scalar counts as it is written, null as the empty text. */
typedef struct {
  char *s; /* owned; NULL when not given */
  VcYamlNode *node;
  const char *what; /* for messages */
} VcReadText;
/** Read into a VcReadText. */
gboolean vc_read_text (VcReader *r, VcYamlNode *n, gpointer text);

typedef struct {
  GArray *arg;     /* VcArg */
  GHashTable *row; /* key (borrowed from arg) to row */
} VcArgsDraft;
/** Read a map of arguments into a VcArgsDraft; of one that is given twice (by a merge) the entries
 * add up. */
gboolean vc_read_arguments (VcReader *r, VcYamlNode *n, gpointer draft);
void vc_args_draft_reset (VcArgsDraft *d);
VcArgs vc_args_draft_steal (VcArgsDraft *d);

gboolean vc_reader_is_config_map (const VcYamlDoc *doc);
/** The value of a ConfigMap that holds the configuration, or NULL with the error set. */
const VcYamlNode *vc_reader_config_map_text (VcReader *r, const VcYamlDoc *doc);
/** Spaces before each line of the literal block @n in @text; 0 for another style. */
guint32 vc_reader_literal_indent (const char *text, gsize len, const VcYamlNode *n);

G_END_DECLS
