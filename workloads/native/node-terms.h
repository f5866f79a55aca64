/* workloads/native/node-terms.h - the column node_selector: which nodes a task may use.
 *
 *   key=value     the label has the value            (a node selector)
 *   key=a|b       … one of these values              (required node affinity, as all below: In)
 *   key!=a|b      … none of them, or is not there    (NotIn)
 *   key=*  key!=* the label is there, or is not      (Exists, DoesNotExist)
 *   key>5  key<5  its value is a larger, or smaller, whole number (Gt, Lt)
 *
 * Terms stand with `;` between, and all must hold. */
#pragma once
#include "native.h"
#include "core/model/objects.h"
G_BEGIN_DECLS

typedef struct {
  char *key;
  VcOperator op;
  char **value; /* none for Exists and DoesNotExist */
} WlNodeTerm;

/** @selector gets the pairs (WlPair, each key once), @terms the rest (WlNodeTerm). FALSE with @error, "what, expected …, found …". */
gboolean wl_parse_node_selector (const char *text, GArray **selector, GArray **terms, GError **error);
GArray *wl_node_terms_new (void);

G_END_DECLS
