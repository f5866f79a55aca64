/* reports/folder.h - where an answer is written: a file appears complete or not at all, and a folder that holds something else is left alone. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

/** Write @text to @path: beside it, then renamed. A link stays and what it leads to is written, if that is not there yet, too; a FIFO, a device and standard output
 * (/dev/stdout) are written into. FALSE with @error (RP_ERROR_IO) naming @path. */
gboolean rp_file_write (const char *path, const char *text, gsize length, GError **error);

/** The same in two steps, for several files that appear together: what can fail is done by rp_draft_new(), unless rp_draft_is_direct(). */
typedef struct RpDraft RpDraft;
/** NULL with errno. (transfer full) */
RpDraft *rp_draft_new (const char *path, const char *text, gsize length);
/** Is it written into what is there, by rp_draft_finish()? */
gboolean rp_draft_is_direct (const RpDraft *d);
/** Put it into its place. FALSE with errno. */
gboolean rp_draft_finish (RpDraft *d);
/** What is not finished goes. */
void rp_draft_free (RpDraft *d);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RpDraft, rp_draft_free)
/** Where @path leads, without links; what is not there yet is where its folder, or a link, says. (transfer full) */
char *rp_file_place (const char *path);

/** Make @dir and the folders above it; those that are new are added to @made (char *), outermost first. FALSE with @error (RP_ERROR_IO). */
gboolean rp_folder_make (const char *dir, GPtrArray *made, GError **error);
/** Take the folders of @made away again, as far as they are empty. */
void rp_folder_unmake (const GPtrArray *made);

/** Remove @path, a file or a folder with everything in it; links are not followed. Best effort. */
void rp_folder_remove (const char *path);
/** A new folder for work that nobody is to see, in the place of temporary files. NULL with @error (RP_ERROR_IO). (transfer full) */
char *rp_folder_temporary (GError **error);
/** *@empty: is nothing in the folder @dir? FALSE with @error (RP_ERROR_IO) when that cannot be told. */
gboolean rp_folder_empty (const char *dir, gboolean *empty, GError **error);

/* The folder of a command that answers into several files. The command owns it by a file `.volsim-<command>`, which is the first thing in it. */
typedef struct RpFolder RpFolder;
/** May @command answer into @dir? It is not there yet, is empty, or holds an earlier answer of the same command. Nothing is made. FALSE with
 * @error: RP_ERROR_INPUT when it is something else, RP_ERROR_IO when that cannot be told. */
gboolean rp_folder_check (const char *dir, const char *command, GError **error);
/** Take @dir for @command, as far as rp_folder_check() allows. Several processes may take it at once. NULL with its @error, or RP_ERROR_IO when
 * the folder cannot be made. (transfer full) */
RpFolder *rp_folder_claim (const char *dir, const char *command, GError **error);
/** The answer is complete: what was made stays. */
void rp_folder_keep (RpFolder *f);
/** Unless it is kept, the folder goes away again as far as this claim has made it and nothing is in it. NULL is fine. */
void rp_folder_free (RpFolder *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RpFolder, rp_folder_free)

G_END_DECLS
