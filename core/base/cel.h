/* core/base/cel.h - expressions of the Common Expression Language about one device, as DRA's selectors write them.
 *
 * The one variable is `device`: driver, allowMultipleAllocations, attributes["DOMAIN"].NAME (bool, int, string, version) and
 * capacity["DOMAIN"].NAME (quantity). A domain that the device does not have is an empty map.
 * Understood: literals (null, bool, int, uint, double, string, list, map), ! - + * / % == != < <= > >= in && || ?:, selection and indexing
 * (optional ones too), has, all, exists, exists_one, filter, map, cel.bind, optMap, optFlatMap, optionals, conversions, type, size,
 * the string functions but format and quote, matches with a literal pattern, sets.*, quantity() and semver() with their methods.
 * Kubernetes' other libraries (url, ip, cidr, lists, timestamps, durations, bytes, authorizer, format) are refused by name when
 * an expression is compiled.
 *
 * Expressions are checked against types first, as upstream does, so that a compiled one fails for reasons of the device only. Texts
 * of such failures are upstream's ("no such key: model").
 * Mirrors k8s.io/dynamic-resource-allocation/cel and what it uses of cel-go and k8s.io/apiserver/pkg/cel/library. */
#pragma once
#include "arena.h"
#include "quantity.h"
G_BEGIN_DECLS

typedef enum {
  VC_CEL_NULL, VC_CEL_BOOL, VC_CEL_INT, VC_CEL_UINT, VC_CEL_DOUBLE, VC_CEL_STRING, VC_CEL_LIST, VC_CEL_MAP, VC_CEL_QUANTITY, VC_CEL_SEMVER,
  VC_CEL_OPTIONAL, VC_CEL_TYPE, VC_CEL_DEVICE, VC_CEL_ERROR
} VcCelKind;

typedef struct VcCelValue VcCelValue;
typedef struct VcCelEntry VcCelEntry;
typedef struct { guint64 major, minor, patch; const char *pre; /* NULL: none */ } VcSemver;
typedef struct { VcNano amount; gboolean fraction; /* written with a fraction or as milli and below: no integer to upstream, whatever it is worth */ } VcCelQuantity;
typedef struct VcCelDevice VcCelDevice;
struct VcCelValue {
  guint8 kind;         /* VcCelKind */
  gboolean open;       /* of a map: a key that it has not stands for an empty map */
  guint32 n;           /* bytes of a text, items, entries; 1 for an optional with a value */
  union {
    gint64 i;          /* int, bool; kind that a type stands for */
    guint64 u;
    double d;
    const char *text;  /* string; message of an error; NUL-terminated */
    const VcCelValue *item; /* list, optional */
    const VcCelEntry *entry;
    const VcCelQuantity *quantity;
    const VcSemver *semver;
    const VcCelDevice *device;
  } v;
};
struct VcCelEntry { VcCelValue key, value; };

/* What `device` is: maps of maps from texts. Keys ascend. */
struct VcCelDevice {
  const char *driver;
  gboolean shared; /* allowMultipleAllocations */
  VcCelValue attributes, capacity;
};

#define VC_CEL_ERROR_DOMAIN (vc_cel_error_quark ())
typedef enum { VC_CEL_ERROR_SYNTAX, VC_CEL_ERROR_UNSUPPORTED } VcCelError;
GQuark vc_cel_error_quark (void);

typedef struct VcCel VcCel;
/** NULL with @error, one line: "column 12: …". (transfer full) */
VcCel *vc_cel_compile (const char *text, GError **error);
void vc_cel_free (VcCel *e);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcCel, vc_cel_free)
const char *vc_cel_text (const VcCel *e);
/** Does the device match? On failure *error is the reason, in @scratch, and the answer FALSE; else *error is NULL. */
gboolean vc_cel_matches (const VcCel *e, const VcCelDevice *d, VcArena *scratch, const char **error);

/** Read a quantity. FALSE: it is none. */
gboolean vc_cel_quantity_parse (const char *text, VcCelQuantity *out);
/** Read a version as SemVer 2.0.0 wants it; the text behind the pre-release is @text's. FALSE: it is none. */
gboolean vc_semver_parse (const char *text, VcArena *arena, VcSemver *out);
int vc_semver_compare (const VcSemver *a, const VcSemver *b);

/* Values for the maps of a device. */
static inline VcCelValue vc_cel_string (const char *text)
{
  return (VcCelValue) { .kind = VC_CEL_STRING, .n = (guint32) strlen (text), .v.text = text };
}
static inline VcCelValue vc_cel_int (gint64 i) { return (VcCelValue) { .kind = VC_CEL_INT, .v.i = i }; }
static inline VcCelValue vc_cel_bool (gboolean b) { return (VcCelValue) { .kind = VC_CEL_BOOL, .v.i = b != 0 }; }

G_END_DECLS
