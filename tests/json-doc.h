/* tests/json-doc.h - JSON texts as trees that know where each value stands in the text.
 *
 * An own small reader on purpose: what volsim prints is not judged by the library that volsim reads
 * with, and the text of a value (the objects of a case, say) can be handed on as it was written. */
#pragma once
#include "core/base/arena.h"
#include <glib.h>
G_BEGIN_DECLS

typedef enum { JD_NULL, JD_BOOL, JD_NUMBER, JD_STRING, JD_ARRAY, JD_OBJECT } JdType;
typedef struct Jd Jd;
struct Jd {
  JdType type;
  double number;      /* JD_NUMBER; JD_BOOL: 0 or 1 */
  const char *string; /* JD_STRING, unescaped */
  const char *raw;    /* the value's own text, [raw_len] bytes of what was parsed */
  gsize raw_len;
  guint n;          /* children of an array or object */
  Jd **child;       /* in the order of the text */
  const char **key; /* [n] of an object */
  guint *by_key;    /* [n] places of an object's children, ascending by key */
};

/** Read the whole of @text, which must outlive the tree. NULL when it is not JSON (@where,
 * nullable: the byte). */
Jd *jd_parse (VcArena *arena, const char *text, gsize len, gsize *where);
/** Member @key of an object; NULL when there is none or @o is no object (or NULL). */
Jd *jd_get (const Jd *o, const char *key);
/** The text of a string; @fallback for anything else. */
const char *jd_text (const Jd *v, const char *fallback);
double jd_number (const Jd *v, double fallback); /* numbers and booleans */
gboolean jd_is_null (const Jd *v);               /* NULL counts as null */
/** Same type and content; numbers by value, objects in any order. NULL equals NULL only. */
gboolean jd_equal (const Jd *a, const Jd *b);
/** The value's own text, "(nothing)" for NULL. (transfer full) */
char *jd_dup_raw (const Jd *v);

G_END_DECLS
