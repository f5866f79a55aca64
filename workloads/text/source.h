/* workloads/text/source.h - the bytes of an input: a file, a compressed file (by its suffix, or by its first bytes) or
 * standard input, as a stream.
 *
 * Errors are WL_ERROR_IO. Those of wl_source_open() name the path; those of wl_source_read() do
 * not, so that the caller can put the place in front. */
#pragma once
#include "workloads/native/native.h"
G_BEGIN_DECLS

typedef struct WlSource WlSource;

WlSource *wl_source_open (const char *path, GError **error);
/** The same by the first bytes, whatever the name: gzip, and with libarchive zstd, xz, and the first file of a zip. */
WlSource *wl_source_open_any (const char *path, GError **error);
void wl_source_free (WlSource *src);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlSource, wl_source_free)
/** Up to @size bytes into @buf; 0 at the end, -1 with @error. */
gssize wl_source_read (WlSource *src, void *buf, gsize size, GError **error);
/** How messages call @path: "standard input" for "-". Borrowed. */
const char *wl_source_name (const char *path);

G_END_DECLS
