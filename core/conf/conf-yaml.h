/* core/conf/conf-yaml.h - YAML text as a tree of nodes with places, and scalars as yaml.v2 2.4.0
 * reads them.
 *
 * libfyaml splits the text into events; the tree, the anchors and the meaning of scalars are made
 * here, because Volcano reads its configuration with a YAML 1.1 reader that has its own rules
 * (which anchor a repeated name means, merge keys in document order, octal 010, booleans y and
 * off). Only the first document is read, as there. */
#pragma once
#include "args.h"
G_BEGIN_DECLS

#define VC_YAML_MAX_BYTES (2u << 20) /* twice what a ConfigMap can hold */
#define VC_YAML_MAX_DEPTH 64

typedef enum { VC_YAML_SCALAR, VC_YAML_LIST, VC_YAML_MAP, VC_YAML_ALIAS } VcYamlKind;
typedef struct VcYamlNode VcYamlNode;
struct VcYamlNode {
  VcYamlKind kind;
  gboolean plain;     /* scalar: no quotes, so its text decides its type */
  gboolean literal;   /* scalar: written as a block with `|` */
  gboolean busy;      /* alias: for the reader, to see a value that contains itself */
  char *tag;          /* "tag:yaml.org,2002:int", "!own", or NULL */
  char *text;         /* scalar: its text; alias: the name */
  VcYamlNode *target; /* alias */
  GPtrArray *child;   /* list: elements; map: key, value, key, value … */
  gsize pos;          /* bytes from the start of the text */
  guint32 line, col;  /* from 1, columns in characters; an empty value has the place of its key */
};
typedef struct {
  GPtrArray *nodes;            /* owns them */
  VcYamlNode *root;            /* NULL: no document at all */
  guint32 more_line, more_col; /* start of what follows the first document; 0 when nothing does */
} VcYamlDoc;

typedef struct {
  guint32 line, col;
  char *what;
} VcYamlFault;

/** Read the first document of @text into @doc; FALSE with @fault when it is no YAML. Clear @doc in
 * either case. */
gboolean vc_yaml_read (const char *text, gsize len, VcYamlDoc *doc, VcYamlFault *fault);
void vc_yaml_doc_clear (VcYamlDoc *doc);
void vc_yaml_fault_clear (VcYamlFault *fault);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (VcYamlDoc, vc_yaml_doc_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (VcYamlFault, vc_yaml_fault_clear)

/** Type and value of the scalar @n, written to type, b, i, f and s of @out (s is newly allocated;
 * the text of a !!binary decoded). FALSE with the reason in @why when the tag does not fit the
 * text; @out is then untouched. */
gboolean vc_yaml_scalar (const VcYamlNode *n, VcArg *out, char **why);
/** Whether @n is the key `<<` that merges another map into its own. */
gboolean vc_yaml_is_merge (const VcYamlNode *n);

G_END_DECLS
