/* sim/cli/cmd-gallery.c - volsim gallery: known pathologies, run again before and after the change that avoids them. */
#include "reports/folder.h"
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include "sim/interrupt.h"
#include "sim/studies/gallery.h"
#include <stdio.h>
#include <string.h>

/* The folder of the gallery: as given, in the working directory, or beside the program's sources. (transfer full) */
static char *
find_gallery (const char *given)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL), *folder = program != NULL ? g_path_get_dirname (program) : NULL;
  g_autofree char *here = g_build_filename ("scenarios", "gallery", NULL);
  g_autofree char *there = folder != NULL ? g_build_filename (folder, "..", "scenarios", "gallery", NULL) : NULL;

  if (given != NULL)
    return g_strdup (given);
  if (there != NULL && !g_file_test (here, G_FILE_TEST_IS_DIR) && g_file_test (there, G_FILE_TEST_IS_DIR))
    return g_canonicalize_filename (there, NULL);
  return g_steal_pointer (&here);
}

/* Leave those that the command line names, by name or by the number before the first '-'. */
static gboolean
choose (GPtrArray *entries, char **names, GError **error)
{
  g_autofree gboolean *wanted = g_new0 (gboolean, entries->len + 1);

  if (*names == NULL)
    return TRUE;
  for (char **n = names; *n != NULL; n++) {
    gboolean found = FALSE;

    for (guint i = 0; i < entries->len; i++) {
      const char *name = ((RpGalleryEntry *) entries->pdata[i])->name;
      gsize len = strlen (*n);

      if (strcmp (name, *n) == 0 || (len > 0 && strncmp (name, *n, len) == 0 && name[len] == '-'))
        wanted[i] = found = TRUE;
    }
    if (!found) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "gallery: expected an entry such as '%s', found '%s'", ((RpGalleryEntry *) entries->pdata[0])->name, *n);
      return FALSE;
    }
  }
  for (guint i = entries->len; i-- > 0;)
    if (!wanted[i])
      g_ptr_array_remove_index (entries, i);
  return TRUE;
}

static int
list (const GPtrArray *entries, GError **error)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; i < entries->len; i++) {
    const RpGalleryEntry *e = entries->pdata[i];

    g_string_append_printf (out, "%-32s %s\n", e->name, e->symptom);
  }
  return cmd_print (out->str, error);
}

int
cmd_gallery (int argc, char **argv, GError **error)
{
  g_autofree char *out = NULL, *from = NULL;
  gboolean only_list = FALSE;
  const GOptionEntry options[] = {
    { "out", 0, 0, G_OPTION_ARG_FILENAME, &out, "Where the page (index.html) and the results go (default: volsim-gallery)", "DIR" },
    { "from", 0, 0, G_OPTION_ARG_FILENAME, &from, "Folder of the gallery (default: scenarios/gallery)", "DIR" },
    { "list", 0, 0, G_OPTION_ARG_NONE, &only_list, "Print the entries and what they show, and run nothing", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("[ENTRY…] - known pathologies, before and after the change that avoids them");

  if (!cmd_parse (context, options, &argc, &argv, error))
    return -1;
  g_autofree char *dir = find_gallery (from);
  g_autoptr (GPtrArray) entries = sim_gallery_read (dir, error);

  if (entries == NULL)
    return -1;
  if (entries->len == 0) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s/entries.csv: expected entries, found none", dir);
    return -1;
  }
  if (!choose (entries, argv + 1, error))
    return -1;
  if (only_list)
    return list (entries, error);
  g_autoptr (RpFolder) folder = rp_folder_claim (out != NULL ? out : "volsim-gallery", "gallery", error);

  if (folder == NULL)
    return -1;
  for (guint i = 0; i < entries->len; i++) {
    if (!sim_gallery_run (entries->pdata[i], dir, out != NULL ? out : "volsim-gallery", sim_interrupted (), error))
      return -1;
    g_autofree char *lines = sim_gallery_lines (entries->pdata[i]);

    if (cmd_print (lines, error) != 0)
      return -1;
  }
  g_autofree char *page = rp_gallery_page (entries), *path = g_build_filename (out != NULL ? out : "volsim-gallery", "index.html", NULL);

  if (!rp_file_write (path, page, strlen (page), error))
    return -1;
  rp_folder_keep (folder);
  printf ("%s\n", path);
  return 0;
}
