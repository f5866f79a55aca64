/* core/beyond/fragments.h - how much of a node's free GPU cards the usual pods cannot use (Weng et al., USENIX ATC'23).
 *
 * Usual pods are kinds of pods (CPU, cards, part of each card, models) with the share of all pods that each has; the rarest kinds are left out. For one
 * kind the fragments of a node are the free parts of cards that are too small for it, or all that is free when the node cannot take such a pod: for want of
 * CPU, of cards, for its model, or because the kind asks for no card. What is fragmented is the mean over the kinds.
 *
 * Example: two cards with 1000 and 400 left, half of the pods ask for 500 of a card, half for 300: (400 + 0) / 2 = 200. */
#pragma once
#include "cards.h"
#include "core/conf/args.h"
G_BEGIN_DECLS

typedef struct VcFragments VcFragments;

/** The kinds that @list names, each as "CPU CARDS PART MODELS COUNT": thousandths of a core, cards, thousandths of each, models with | between or - for
 * any, how many such pods there are. Kinds count until they make up @popularity percent of the pods, the most frequent first. A node's model is its label
 * @label. @list NULL: no kinds yet. NULL with @error that begins with @prefix. */
VcFragments *vc_fragments_new (const char *prefix, const VcArg *list, gint64 popularity, const char *label, GError **error);
void vc_fragments_free (VcFragments *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcFragments, vc_fragments_free)
/** Without a list the kinds are those of all pods of the session, also of those that run. */
void vc_fragments_learn (VcFragments *f, VcCardView *view);
/** Is there a list? */
gboolean vc_fragments_listed (const VcFragments *f);
/** Thousandths of cards of node @where that are fragments when it has @node left. */
double vc_fragments_of (VcFragments *f, VcCluster *c, guint32 where, const VcCardNode *node);

G_END_DECLS
