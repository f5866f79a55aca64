/* sim/load/images.h - container images on nodes: the first pull on a node takes its time, later ones nothing.
 *
 * A kubelet pulls one image after the other (serializeImagePulls), in the order in which pods ask; a pod starts when it has all of its
 * images. An image that is there appears in the node's status, where the scheduler's ImageLocality sees it. Images that the table does not
 * know are there from the start and appear nowhere. */
#pragma once
#include "sim/world/world.h"
G_BEGIN_DECLS

/** @rows: WlImage of images.csv; @node_rows: name → row + 1 of the world's nodes. (transfer full), NULL with a line "file:line:1: …". */
SimImages *sim_images_new (const SimWorld *w, const char *file, const GArray *rows, GHashTable *node_rows, GError **error);
void sim_images_free (SimImages *images);

/** A pod has come to its node: when its images will be there. */
SimTime sim_images_pull (SimWorld *w, guint32 pod);
/** A pull is over: the node's status has the image. FALSE: the machine is another one by now. */
gboolean sim_images_event (SimWorld *w, const SimEvent *ev);
/** The machine is gone, and its disk; or it has stopped, and pulls under way are lost (@keep: what is there stays). */
void sim_images_lose (SimWorld *w, guint32 node, gboolean keep);
/** What the node's status lists; valid until the next call. */
const VcImage *sim_images_of (SimWorld *w, guint32 node, guint *n);

G_END_DECLS
