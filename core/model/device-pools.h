/* core/model/device-pools.h - private to the claims: slices, pools, compiled selectors. */
#pragma once
#include "claims.h"
G_BEGIN_DECLS

/** The compiled expression, one for equal texts. The reader has seen that it compiles. */
const VcSelectorCel *vc_claims_selector (VcClaims *s, const char *text);
void vc_selector_cel_free (gpointer selector);
void vc_slice_free (gpointer slice);
/** The row of a device, made when it is new; its pool as well. */
guint32 vc_claims_device_row (VcClaims *s, const char *driver, const char *pool, const char *device);

G_END_DECLS
