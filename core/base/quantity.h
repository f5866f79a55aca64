/* core/base/quantity.h - Kubernetes quantities, read exactly.
 *
 * A quantity is a decimal number with a suffix (n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent such as e3, E-2).
 * Both roundings are away from zero to the next integer, as Quantity.Value() and Quantity.MilliValue() round;
 * out-of-range results saturate at the ends of int64. Finer than a nano is rounded up to a nano first, as upstream's parser does. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef struct {
  gint64 value; /* whole units, rounded away from zero */
  gint64 milli; /* thousandths, rounded away from zero */
} VcQuantity;

#define VC_QUANTITY_ERROR (vc_quantity_error_quark ())
typedef enum { VC_QUANTITY_ERROR_SYNTAX } VcQuantityError;
GQuark vc_quantity_error_quark (void);

/** Read @text (the whole of it, no surrounding blanks). FALSE with @error ("'…' is not a quantity") and *out untouched.
 * Negative quantities are read; whether they are allowed is the caller's affair. */
gboolean vc_quantity_parse (const char *text, VcQuantity *out, GError **error);

/* A quantity to the last nano, for comparisons that must not round: as upstream keeps it, within what an int64 of whole units can hold. */
__extension__ typedef __int128 VcNano;
/** @q in thousandths, whatever their number. */
VcNano vc_quantity_thousandths (VcQuantity q);
/** The quantity of so many thousandths; it saturates. */
VcQuantity vc_quantity_of (VcNano thousandths);
#define VC_NANO_ONE ((VcNano) 1000000000)
/** Read @text as above. FALSE with @error and *out untouched. */
gboolean vc_nano_parse (const char *text, VcNano *out, GError **error);
/** The quantity as upstream's Value() gives it: whole units, rounded away from zero. */
gint64 vc_nano_value (VcNano q);

G_END_DECLS
