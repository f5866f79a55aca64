/* workloads/native/images.h - images.csv: how large container images are, or how long a node takes to pull them.
 *
 * Columns: image (required), size (bytes, a quantity), time (how long a pull takes; without it size by bandwidth), node (the row is for that
 * node alone). One row for each image and node. */
#pragma once
#include "native.h"
G_BEGIN_DECLS

typedef struct {
  char *image, *node;   /* node NULL: every node without a row of its own */
  gint64 size;          /* bytes, 0 when not given */
  WlTime time;          /* WL_TIME_NONE: not given */
  guint32 line;
} WlImage;

/** In the order of the file; free with g_array_unref(). */
GArray *wl_read_images (const char *path, GError **error);

G_END_DECLS
