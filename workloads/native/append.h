/* workloads/native/append.h - texts and amounts as files want them. */
#pragma once
#include "native.h"
G_BEGIN_DECLS

/** A cell of RFC 4180 CSV: in quotes only where it must be. NULL is empty. */
void wl_append_cell (GString *out, const char *text);
/** A text in double quotes that JSON and YAML read back as it is. */
void wl_append_quoted (GString *out, const char *text);
/** An amount as a Kubernetes quantity: whole units, else thousandths ("500m"). */
void wl_append_amount (GString *out, const WlResource *resource);
/** "key=value:Effect;…" of WlTaint, as wl_parse_taints() or (@tolerations) wl_parse_tolerations() reads it. */
void wl_append_taints (GString *out, const GArray *taints, gboolean tolerations);
/** "key=value;key!=a|b;…" of WlPair and WlNodeTerm (NULL: none), as wl_parse_node_selector() reads it. */
void wl_append_node_selector (GString *out, const GArray *pairs, const GArray *terms);
/** The same amount as a number of units: cores, bytes, devices. */
double wl_units (const WlResource *resource);

G_END_DECLS
