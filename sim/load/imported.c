/* sim/load/imported.c - see imported.h. */
#include "imported.h"
#include "core/conf/conf.h"
#include "reports/folder.h"
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include <string.h>

/* ---- formats -------------------------------------------------------------------------------------- */

static void
refuse_format (const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (const WlImportFormat *const *f = wl_import_formats; *f != NULL; f++)
    g_ptr_array_add (names, (gpointer) (*f)->name);
  const char *near = vc_nearest_name (name, (const char *const *) names->pdata, names->len);

  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "unknown format or missing file '%s', expected one that 'volsim import --list' names, or a file%s%s%s", name,
               near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
}

const WlImportFormat *
sim_import_format (GPtrArray *words, GError **error)
{
  const char *first = words->len > 0 ? words->pdata[0] : NULL;
  const WlImportFormat *f = first != NULL ? wl_import_find (first) : NULL;

  if (f != NULL) {
    g_ptr_array_remove_index (words, 0);
  } else if (first != NULL && words->len > 1 && !g_file_test (first, G_FILE_TEST_EXISTS)) {
    refuse_format (first, error);
    return NULL;
  }
  if (words->len == 0) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "import needs at least one file");
    return NULL;
  }
  return f != NULL ? f : wl_import_detect ((const char *const *) words->pdata, words->len, error); /* the report says which */
}

/* ---- for one run ---------------------------------------------------------------------------------- */

static char *
words_of (const WlImportFormat *f, const SimImported *i, const char *const *options)
{
  GString *out = g_string_new ("--import");
  g_autofree char *format = cmd_word (f->name);

  g_string_append_printf (out, " %s", format);
  for (char **file = i->files; *file != NULL; file++) {
    g_autofree char *word = cmd_word (*file);

    g_string_append_printf (out, " %s", word);
  }
  for (const char *const *o = options; o != NULL && *o != NULL; o++) {
    g_autofree char *word = cmd_word (*o);

    g_string_append_printf (out, " --import-option %s", word);
  }
  return g_string_free (out, FALSE);
}

SimImported *
sim_imported_new (GPtrArray *words, const char *const *options, GError **error)
{
  g_autoptr (SimImported) i = g_new0 (SimImported, 1);
  const WlImportFormat *f = sim_import_format (words, error);

  if (f == NULL)
    return NULL;
  i->files = g_new0 (char *, words->len + 1);
  for (guint k = 0; k < words->len; k++)
    i->files[k] = g_strdup (words->pdata[k]);
  i->words = words_of (f, i, options);
  i->dir = rp_folder_temporary (error);
  if (i->dir == NULL || !wl_import_run (f, (const char *const *) i->files, words->len, options, i->dir, &i->report, error))
    return NULL;
  i->scenario = g_build_filename (i->dir, "scenario.yaml", NULL);
  return g_steal_pointer (&i);
}

void
sim_imported_free (SimImported *i)
{
  if (i == NULL)
    return;
  if (i->dir != NULL)
    rp_folder_remove (i->dir);
  g_free (i->dir);
  g_free (i->scenario);
  g_free (i->report);
  g_free (i->words);
  g_strfreev (i->files);
  g_free (i);
}
