/* sim/cli/cmd-import.c - volsim import: published traces become volsim's own files. */
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include "sim/interrupt.h"
#include "sim/load/imported.h"
#include <string.h>

#define DEFAULT_OUT "volsim-import"

typedef struct {
  const char *out;            /* NULL: not given */
  GPtrArray *files, *options; /* borrowed; options as "name=value" (owned) */
  GPtrArray *names;           /* of options, as given */
  const char *unknown;        /* an option that no format has; what follows it may be its value */
  gboolean list, help;
} Arguments;

static gboolean
fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (GError **error, const char *format, ...)
{
  va_list ap;

  va_start (ap, format);
  g_autofree char *what = g_strdup_vprintf (format, ap);

  va_end (ap);
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s", what);
  return FALSE;
}

/* An option of this name, of any format: a name takes a value everywhere or nowhere, so that --name VALUE can be read before the format is known. */
static const WlImportOption *
any_option (const char *name)
{
  const WlImportOption *o = NULL;

  for (const WlImportFormat *const *f = wl_import_formats; *f != NULL && o == NULL; f++)
    o = wl_import_option (*f, name, NULL);
  return o;
}

/* The value of --@name at @i: behind '=', or the next argument. */
static const char *
value_of (int argc, char **argv, int *i, const char *equals, const char *name, GError **error)
{
  if (equals != NULL)
    return equals + 1;
  if (*i + 1 < argc)
    return argv[++*i];
  fail (error, "--%s: expected a value, found the end of the command line", name);
  return NULL;
}

static gboolean
take_out (Arguments *a, int argc, char **argv, int *i, const char *equals, GError **error)
{
  if (a->out != NULL)
    return fail (error, "--out, expected once, found twice");
  a->out = value_of (argc, argv, i, equals, "out", error);
  return a->out != NULL;
}

static gboolean
take_option (Arguments *a, int argc, char **argv, int *i, GError **error)
{
  const char *text = argv[*i] + 2, *equals = strchr (text, '=');
  g_autofree char *name = equals != NULL ? g_strndup (text, (gsize) (equals - text)) : g_strdup (text);
  const WlImportOption *known;
  const char *value = NULL;

  if (strcmp (name, "list") == 0 || strcmp (name, "help") == 0) {
    if (equals != NULL)
      return fail (error, "--%s takes no value, found '%s'", name, equals + 1);
    *(*name == 'l' ? &a->list : &a->help) = TRUE;
    return TRUE;
  }
  if (strcmp (name, "out") == 0)
    return take_out (a, argc, argv, i, equals, error);
  known = any_option (name);
  if (known == NULL) {
    a->unknown = text;
    value = "";
  } else if (known->kind == WL_OPTION_SWITCH) {
    value = equals != NULL ? equals + 1 : "true";
  } else if ((value = value_of (argc, argv, i, equals, name, error)) == NULL) {
    return FALSE;
  }
  g_ptr_array_add (a->options, g_strconcat (name, "=", value, NULL));
  g_ptr_array_add (a->names, g_steal_pointer (&name));
  return TRUE;
}

static gboolean
parse_arguments (Arguments *a, int argc, char **argv, GError **error)
{
  gboolean only_files = FALSE;

  for (int i = 1; i < argc; i++) {
    if (only_files || argv[i][0] != '-' || argv[i][1] == '\0') {
      g_ptr_array_add (a->files, argv[i]);
    } else if (strcmp (argv[i], "--") == 0) {
      only_files = TRUE;
    } else if (strcmp (argv[i], "-o") == 0) {
      if (!take_out (a, argc, argv, &i, NULL, error))
        return FALSE;
    } else if (strcmp (argv[i], "-h") == 0) {
      a->help = TRUE;
    } else if (argv[i][1] != '-') {
      return fail (error, "unknown option %s", argv[i]);
    } else if (!take_option (a, argc, argv, &i, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- help ----------------------------------------------------------------------------------------- */

static void
append_options (GString *out, const WlImportOption *options)
{
  static const char *const shapes[] = { [WL_OPTION_TEXT] = "TEXT", [WL_OPTION_INT] = "N", [WL_OPTION_COUNT] = "N", [WL_OPTION_SEED] = "N", [WL_OPTION_NUMBER] = "NUMBER", [WL_OPTION_TIME] = "TIME", [WL_OPTION_QUANTITY] = "QUANTITY", [WL_OPTION_SIZE] = "QUANTITY" };

  for (const WlImportOption *o = options; o != NULL && o->name != NULL; o++) {
    g_autofree char *usage = o->kind == WL_OPTION_SWITCH ? g_strdup_printf ("--%s", o->name)
                                                         : g_strdup_printf ("--%s=%s", o->name, o->kind == WL_OPTION_CHOICE ? o->choices : shapes[o->kind]);

    g_string_append_printf (out, "  %-32s %s", usage, o->help);
    if (o->fallback != NULL)
      g_string_append_printf (out, " (default: %s)", o->fallback);
    g_string_append_c (out, '\n');
  }
}

static char *
help_text (const WlImportFormat *f)
{
  GString *out = g_string_new (NULL);

  if (f != NULL) {
    g_string_append_printf (out, "Usage: volsim import %s FILE... [OPTION...]\n\n%s\nFiles: %s\nLicence of the data: %s\n\nOptions:\n", f->name, f->title, f->files,
                            f->licence);
    append_options (out, f->options);
  } else {
    g_string_append (out, "Usage: volsim import [FORMAT] FILE... [OPTION...]\n\nTurn a published trace into volsim's own files and a scenario. Without FORMAT the content "
                          "tells.\nFiles may be compressed (gzip, zstd, xz, zip).\n\nOptions:\n");
    g_string_append_printf (out, "  %-32s %s\n", "--list", "list the formats");
    g_string_append_printf (out, "  %-32s %s\n", "FORMAT --help", "options of a format");
  }
  g_string_append_printf (out, "  %-32s %s\n", "-o, --out=DIR", "where the files go (default: " DEFAULT_OUT "); an earlier import is replaced");
  append_options (out, wl_import_common);
  return g_string_free (out, FALSE);
}

/* Of the format that the words name or the files have. */
static char *
help (GPtrArray *words, GError **error)
{
  const WlImportFormat *f = NULL;

  if (words->len > 0 && (f = wl_import_find (words->pdata[0])) == NULL && (f = sim_import_format (words, error)) == NULL)
    return NULL;
  return help_text (f);
}

static char *
list_text (void)
{
  GString *out = g_string_new (NULL);

  for (const WlImportFormat *const *f = wl_import_formats; *f != NULL; f++)
    g_string_append_printf (out, "%-14s %s\n%-14s   %s\n", (*f)->name, (*f)->title, "", (*f)->files);
  return g_string_free (out, FALSE);
}

/* ---- the import ------------------------------------------------------------------------------------- */

/* Refuse it with the nearest of the format's options, as far as the format can be told. */
static void
refuse_option (const Arguments *a, GError **error)
{
  g_autofree char *name = g_strndup (a->unknown, strcspn (a->unknown, "="));
  const WlImportFormat *f = a->files->len > 0 ? wl_import_find (a->files->pdata[0]) : NULL;

  if (f == NULL && a->files->len > 0)
    f = wl_import_detect ((const char *const *) a->files->pdata, 1, NULL);
  if (f == NULL)
    fail (error, "--%s is no option of any format", name);
  else
    (void) wl_import_option (f, name, error);
}

static int
import (Arguments *a, GError **error)
{
  g_autofree char *report = NULL;
  const WlImportFormat *f = NULL;

  if (a->unknown != NULL)
    refuse_option (a, error);
  else
    f = sim_import_format (a->files, error);
  if (f == NULL)
    return -1;
  for (guint i = 0; i < a->names->len; i++) /* by name, before a value is looked at */
    if (wl_import_option (f, a->names->pdata[i], error) == NULL)
      return -1;
  sim_catch_signals ();
  g_ptr_array_add (a->options, NULL);
  if (!wl_import_run (f, (const char *const *) a->files->pdata, a->files->len, (const char *const *) a->options->pdata, a->out != NULL ? a->out : DEFAULT_OUT, &report, error))
    return -1;
  return cmd_print (report, error);
}

int
cmd_import (int argc, char **argv, GError **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new (), options = g_ptr_array_new_with_free_func (g_free), names = g_ptr_array_new_with_free_func (g_free);
  Arguments a = { .files = files, .options = options, .names = names };
  g_autofree char *text = NULL;

  if (!parse_arguments (&a, argc, argv, error))
    return -1;
  if (a.list)
    text = list_text ();
  else if (a.help)
    text = help (files, error);
  if (text == NULL && (a.list || a.help))
    return -1;
  return text != NULL ? cmd_print (text, error) : import (&a, error);
}
