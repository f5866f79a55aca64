/* workloads/native/folder.h - a folder of files that a command makes: it is there whole or not at all, and nothing of others is lost for it. */
#pragma once
#include "native.h"
G_BEGIN_DECLS

/** Signal @number: the reading of an import ends, and no folder is finished any more. For a signal handler; 0 takes it back. */
void wl_folder_interrupt (int number);
/** Has it come to that? TRUE with @error (WL_ERROR_INTERRUPTED). */
gboolean wl_folder_interrupted (GError **error);

typedef struct WlFolder WlFolder;

/** The folder @path of 'volsim @command', made under a hidden name beside it. @path may be missing, empty, or what the same command made earlier and
 * nothing was added to since: that is replaced in the end. Anything else is refused (WL_ERROR_CONFLICT); WL_ERROR_WRITE where nothing can be written.
 * The file '.volsim-@command' in it marks it and lists its files. (transfer full) */
WlFolder *wl_folder_begin (const char *path, const char *command, GError **error);
/** Write @text as file @name of it. */
gboolean wl_folder_add (WlFolder *f, const char *name, const char *text, gsize len, GError **error);
/** Where its files go until it is finished. */
const char *wl_folder_path (const WlFolder *f);
/** Can the nodes.csv, jobs.csv, queues.csv and faults.csv that were added be read? A refusal names @source, from which they were made, and the place. */
gboolean wl_folder_check_trace (const WlFolder *f, const char *source, GError **error);
/** Put it in its place. */
gboolean wl_folder_finish (WlFolder *f, GError **error);
/** Removes what has not been finished. NULL is fine. */
void wl_folder_free (WlFolder *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlFolder, wl_folder_free)

G_END_DECLS
