/* workloads/text/file-digest.h - SHA-256 of input files: what results and imports were made from. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

/** SHA-256 of the bytes of @path as hexadecimal digits, and (unless NULL) how many bytes there are. "" when it cannot be read, as standard input, which is gone.
 * (transfer full) */
char *wl_file_digest (const char *path, guint64 *size);

G_END_DECLS
