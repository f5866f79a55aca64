/* workloads/transform/objects-private.h - documents of objects.yaml, and edits of them, for the files objects*.c. */
#pragma once
#include "objects.h"
#include "core/conf/conf-yaml.h"
G_BEGIN_DECLS

#define NOTE_SUBMIT "volsim.io/submit"

typedef enum { JOB, FLOW, TEMPLATE, OTHER } Kind;
typedef struct {
  char *text;
  guint line; /* of the file */
  Kind kind;
  char *kind_name, *ns, *name;
  gboolean timed; /* has a time of submission */
} WlDoc;

struct WlObjectTexts {
  char *path;
  GPtrArray *docs;       /* WlDoc */
  GHashTable *templates; /* "ns/name" to WlDoc: of a large import there are hundreds of thousands */
};

void wl_doc_free (gpointer doc);
/** The tree of a document. FALSE with @error. */
gboolean wl_doc_parse (const WlObjectTexts *o, const WlDoc *d, VcYamlDoc *doc, GError **error);
const VcYamlNode *wl_doc_get (const VcYamlNode *map, const char *key);         /* nullable, as @map */
const char *wl_doc_text (const VcYamlNode *node, const char *fallback); /* @fallback: no text is there, or an empty one */
/** "FILE:LINE:1: KIND ns/name: …"; returns FALSE. */
gboolean wl_doc_refuse (const WlObjectTexts *o, const WlDoc *d, GError **error, const char *format, ...) G_GNUC_PRINTF (4, 5);
gboolean wl_doc_refuse_kind (const WlObjectTexts *o, const WlDoc *d, const char *option, GError **error);
/** One more document. */
void wl_doc_add (WlObjectTexts *o, WlDoc *d);
/** Find the templates anew, when documents have gone or have other names. */
void wl_doc_index (WlObjectTexts *o);
WlDoc *wl_doc_template (const WlObjectTexts *o, const char *ns, const char *name); /* NULL: there is none */
/** Calls @fn for each step of the flow @root. */
typedef void WlDocStepFn (const char *template, gpointer user);
void wl_doc_each_step (const VcYamlNode *root, WlDocStepFn *fn, gpointer user);

GArray *wl_edits_new (void);
/** @n becomes @value, in quotes. FALSE with @error: it stands there in a style that cannot be changed. */
gboolean wl_edits_put (const WlObjectTexts *o, const WlDoc *d, GArray *edits, const VcYamlNode *n, const char *value, GError **error);
/** One more entry in front of those of @map, which has some. */
void wl_edits_insert (const WlDoc *d, GArray *edits, const VcYamlNode *map, const char *key, const char *value);
void wl_edits_apply (WlDoc *d, GArray *edits);
typedef struct {
  const WlObjectTexts *o;
  const WlDoc *d;
  GArray *edits;
  GError **error;
} WlEditWalk;
typedef char *WlEditRewrite (const char *text, gconstpointer data, GError **error);
/** Every value of one of @keys at any depth below @n, through @fn, which gives NULL for what stays, or sets its error. */
gboolean wl_edits_walk (const WlEditWalk *w, const VcYamlNode *n, const char *const *keys, WlEditRewrite *fn, gconstpointer data);

G_END_DECLS
