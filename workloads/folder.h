/* workloads/folder.h - a folder of files that is there whole or not at all. */
#pragma once
#include "native.h"
G_BEGIN_DECLS

typedef struct WlFolder WlFolder;

/** A folder under a hidden name beside @path. @path may be missing, empty, or a folder that holds the file @mark: then it is an earlier output and is
 * replaced in the end; anything else is refused. NULL with @error. */
WlFolder *wl_folder_begin (const char *path, const char *mark, GError **error);
/** Write @text as file @name of it. */
gboolean wl_folder_add (WlFolder *f, const char *name, const char *text, gsize len, GError **error);
/** Where file @name of it is until it is finished. (transfer full) */
char *wl_folder_path (const WlFolder *f, const char *name);
/** Can the nodes.csv, jobs.csv, queues.csv and faults.csv that were added be read? A refusal names @source, from which they were made, and the place. */
gboolean wl_folder_check_trace (const WlFolder *f, const char *source, GError **error);
/** Put it in its place. */
gboolean wl_folder_finish (WlFolder *f, GError **error);
/** Removes what has not been finished. */
void wl_folder_free (WlFolder *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlFolder, wl_folder_free)

G_END_DECLS
