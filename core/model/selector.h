/* core/model/selector.h - label selectors (metav1.LabelSelector).
 *
 * Mirrors LabelSelectorAsSelector (apimachinery, meta/v1/helpers.go) and labels.Requirement. */
#pragma once
#include "core/base/arena.h"
#include "objects.h"
G_BEGIN_DECLS

/** Would Kubernetes make a selector of it? Keys and values must be labels, operators In, NotIn, Exists or DoesNotExist with the values
 * that they take. A selector that is not given is valid. */
gboolean vc_selector_is_valid (const VcSelector *s);
/** Is it given without any condition? */
gboolean vc_selector_is_empty (const VcSelector *s);
/** Do the labels satisfy a valid selector? One that is not given matches nothing, an empty one everything. */
gboolean vc_selector_matches (const VcSelector *s, const VcPairs *labels);
/** DeepEqual. */
gboolean vc_selector_same (const VcSelector *a, const VcSelector *b);
/** A copy whose lists and texts are in @arena. */
VcSelector vc_selector_copy (VcArena *arena, const VcSelector *s);

G_END_DECLS
