/* workloads/import/import.c - an import from its files to its folder: options, reading, rows that are counted. */
#include "import-private.h"
#include "core/conf/conf.h" /* vc_nearest_name() */
#include "workloads/native/folder.h"
#include "workloads/text/parse.h"
#include "workloads/text/source.h"
#include <stdlib.h>
#include <string.h>

#define MARK "\xef\xbb\xbf" /* of UTF-8, which some editors put in front */
#define HEAD (64 * 1024)

const WlImportOption wl_import_common[] = {
  { "on-bad-row", WL_OPTION_CHOICE, "fail", "fail|skip", "what happens when a row cannot be read; skip: it is counted in the report" },
  { "other-columns", WL_OPTION_CHOICE, "fail", "fail|ignore", "what happens when a table has a column that its format does not know; ignore: it is counted in the report" },
  { "gpu-share", WL_OPTION_CHOICE, NULL, "device|pooled|whole",
    "parts of GPUs: device (shared cards, plugin deviceshare; the default where there are parts), pooled (thousandths that may be cut across cards), "
    "whole (rounded up to cards)" },
  { "gpu-memory", WL_OPTION_COUNT, "16000", NULL, "MB of every card, for --gpu-share=device" },
  { "keep-times", WL_OPTION_SWITCH, NULL, NULL, "do not shift the first submission to 0" },
  { "node-pods", WL_OPTION_INT, NULL, NULL, "most pods of a node, 0: any number (default: 110, any number in traces of HPC clusters)" },
  { "whole-seconds", WL_OPTION_SWITCH, NULL, NULL, "cut running times to whole seconds" },
  { "assume-walltime", WL_OPTION_SWITCH, NULL, NULL, "where the trace has no requested time of a job, its running time is the column walltime" },
  { NULL, WL_OPTION_TEXT, NULL, NULL, NULL },
};

/* ---- counts ----------------------------------------------------------------------------------- */

static void
count_clear (gpointer data)
{
  WlCount *c = data;

  g_free (c->what);
  g_free (c->first);
}

GArray *
wl_counts_new (void)
{
  GArray *a = g_array_new (FALSE, FALSE, sizeof (WlCount));

  g_array_set_clear_func (a, count_clear);
  return a;
}

void
wl_count (GArray *counts, const char *what, guint64 n, const char *first)
{
  WlCount c;

  for (guint i = 0; i < counts->len; i++)
    if (strcmp (g_array_index (counts, WlCount, i).what, what) == 0) {
      g_array_index (counts, WlCount, i).n += n;
      return;
    }
  if (n == 0)
    return;
  c = (WlCount){ g_strdup (what), n, g_strdup (first) };
  g_array_append_val (counts, c);
}

void
wl_import_default (WlImport *imp, const char *field)
{
  wl_count (imp->defaulted, field, 1, NULL);
}

void
wl_import_default_more (WlImport *imp, const char *field, guint64 n)
{
  wl_count (imp->defaulted, field, n, NULL);
}

void
wl_import_note (WlImport *imp, const char *what, guint64 n)
{
  wl_count (imp->notes, what, n, NULL);
}

void
wl_import_begin_row (WlImport *imp)
{
  imp->read++;
  imp->row_dropped = FALSE;
}

gboolean
wl_import_drop (WlImport *imp, const char *reason)
{
  if (!imp->row_dropped) /* a row is left out once */
    wl_import_drop_more (imp, reason, 1);
  imp->row_dropped = TRUE;
  return TRUE;
}

void
wl_import_drop_more (WlImport *imp, const char *reason, guint64 n)
{
  imp->dropped_rows += n;
  wl_count (imp->dropped, reason, n, NULL);
}

/* The message without its place and what was found: equal for rows with the same fault. */
static char *
reason_of (const char *message)
{
  const char *from = message, *found;

  for (const char *p = message; (p = strchr (p, ':')) != NULL; p++) { /* "…:12:3: " */
    char *end;

    if (!g_ascii_isdigit (p[1]))
      continue;
    (void) g_ascii_strtoull (p + 1, &end, 10);
    if (*end == ':' && g_ascii_isdigit (end[1]))
      (void) g_ascii_strtoull (end + 1, &end, 10);
    if (g_str_has_prefix (end, ": ")) {
      from = end + 2;
      break;
    }
  }
  found = g_strrstr (from, ", found ");
  return found != NULL ? g_strndup (from, (gsize) (found - from)) : g_strdup (from);
}

gboolean
wl_import_bad_row (WlImport *imp, GError **error)
{
  g_autofree char *reason = NULL;

  if (!imp->skip_bad || (*error)->domain != WL_ERROR || (*error)->code == WL_ERROR_IO || (*error)->code == WL_ERROR_WRITE || (*error)->code == WL_ERROR_HEADER)
    return FALSE;
  reason = reason_of ((*error)->message);
  imp->bad_rows++;
  wl_count (imp->bad, reason, 1, (*error)->message);
  g_clear_error (error);
  return TRUE;
}

gboolean
wl_import_locate (WlImport *imp, guint file, guint64 line, guint64 column, GError **error)
{
  g_prefix_error (error, "%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT ": ", wl_source_name (wl_import_path (imp, file)), line, column);
  return FALSE;
}

/* ---- files -------------------------------------------------------------------------------------- */

guint
wl_import_n_files (const WlImport *imp)
{
  return imp->files->len;
}

const char *
wl_import_path (const WlImport *imp, guint file)
{
  return g_array_index (imp->files, WlImportFile, file).path;
}

const WlImportHead *
wl_import_head (const WlImport *imp, guint file)
{
  return &g_array_index (imp->files, WlImportFile, file).head;
}

static void
file_clear (gpointer data)
{
  WlImportFile *f = data;

  g_free (f->path);
  g_free ((char *) f->head.name);
  g_free ((char *) f->head.text);
}

static gboolean
read_head (const char *path, WlImportFile *f, GError **error)
{
  g_autoptr (WlSource) src = wl_source_open_any (path, error);
  char *text = g_malloc (HEAD + 1);
  gsize have = 0;
  gssize n = 1;

  f->path = g_strdup (path);
  f->head.name = g_path_get_basename (path);
  f->head.text = text;
  while (src != NULL && n > 0 && have < HEAD) {
    n = wl_source_read (src, text + have, HEAD - have, error);
    have += (gsize) MAX (n, 0);
  }
  text[have] = '\0';
  if (have >= strlen (MARK) && memcmp (text, MARK, strlen (MARK)) == 0) { /* nobody needs to know of it */
    have -= strlen (MARK);
    memmove (text, text + strlen (MARK), have);
    text[have] = '\0';
  }
  f->head.len = have;
  if (n < 0)
    g_prefix_error (error, "%s: ", path);
  return src != NULL && n >= 0;
}

static gboolean
same_file (const char *a, const char *b)
{
  g_autofree char *first = realpath (a, NULL), *second = realpath (b, NULL);

  return first != NULL && g_strcmp0 (first, second) == 0;
}

/* Heads of all files: an array with a clear function, NULL with @error. */
static GArray *
open_files (const char *const *paths, guint n, GError **error)
{
  g_autoptr (GArray) files = g_array_new (FALSE, TRUE, sizeof (WlImportFile));

  g_array_set_clear_func (files, file_clear);
  for (guint i = 0; i < n; i++) {
    if (strcmp (paths[i], "-") == 0) {
      g_set_error (error, WL_ERROR, WL_ERROR_IO, "standard input: a trace is looked at before it is read, expected a file, found '-'");
      return NULL;
    }
    for (guint k = 0; k < i; k++)
      if (same_file (paths[k], paths[i])) {
        g_set_error (error, WL_ERROR, WL_ERROR_CONFLICT, "%s: expected each file once, found it twice", paths[i]);
        return NULL;
      }
    g_array_set_size (files, i + 1);
    if (!read_head (paths[i], &g_array_index (files, WlImportFile, i), error))
      return NULL;
    const WlImportHead *head = &g_array_index (files, WlImportFile, i).head;

    if (head->len < HEAD && strspn (head->text, " \t\r\n") == head->len) {
      g_set_error (error, WL_ERROR, WL_ERROR_HEADER, "%s:1:1: an empty file, expected a trace, found nothing", paths[i]);
      return NULL;
    }
  }
  return g_steal_pointer (&files);
}

char *
wl_head_line (const WlImportHead *head)
{
  const char *p = head->text, *end;

  if (g_str_has_prefix (p, MARK))
    p += 3;
  while (*p == '\n' || *p == '\r')
    p++;
  end = p + strcspn (p, "\r\n");
  return g_strndup (p, (gsize) (end - p));
}

gboolean
wl_head_has (const WlImportHead *head, char separator, const char *columns)
{
  const char by[] = { separator, '\0' };
  g_autofree char *line = wl_head_line (head);
  g_auto (GStrv) field = g_strsplit (line, by, -1), wanted = g_strsplit (columns, ",", -1);

  for (char **f = field; *f != NULL; f++) {
    char *name = g_strstrip (*f);
    gsize n = strlen (name);

    if (n >= 2 && name[0] == '"' && name[n - 1] == '"') {
      name[n - 1] = '\0';
      memmove (*f, name + 1, n - 1);
    }
  }
  for (char **w = wanted; *w != NULL; w++)
    if (!g_strv_contains ((const char *const *) field, *w))
      return FALSE;
  return TRUE;
}

gboolean
wl_head_has_key (const WlImportHead *head, const char *key)
{
  gsize len = strlen (key);

  for (const char *at = head->text; (at = strstr (at, key)) != NULL; at += len) {
    char before = at > head->text ? at[-1] : '\n', after = at[len];

    if ((before == '"' && after == '"') || (strchr ("\n {,-", before) != NULL && after == ':'))
      return TRUE;
  }
  return FALSE;
}

guint
wl_head_fields (const WlImportHead *head, char separator)
{
  g_autofree char *line = wl_head_line (head);
  guint n = *line != '\0';

  for (const char *p = line; *p != '\0'; p++)
    n += *p == separator;
  return n;
}

/* ---- detection ------------------------------------------------------------------------------------ */

const WlImportFormat *
wl_import_find (const char *name)
{
  for (const WlImportFormat *const *f = wl_import_formats; *f != NULL; f++)
    if (strcmp ((*f)->name, name) == 0)
      return *f;
  return NULL;
}

static const WlImportFormat *
choose (const GArray *files, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  const WlImportFormat *best = NULL;
  guint top = 0, candidates = 0, most = 0, odd = 0; /* odd: the first file unknown to the format that knows most of them */

  for (const WlImportFormat *const *f = wl_import_formats; *f != NULL; f++) {
    guint least = G_MAXUINT, sum = 0, first = 0;

    for (guint i = files->len; i-- > 0;) {
      const guint sure = (*f)->detect (&g_array_index (files, WlImportFile, i).head);

      least = MIN (least, sure);
      sum += sure;
      first = sure == WL_DETECT_NO ? i : first;
    }
    if (sum > most) {
      most = sum;
      odd = first;
    }
    if (least == WL_DETECT_NO || least < top)
      continue;
    if (least > top) {
      g_string_truncate (names, 0);
      candidates = 0;
    }
    top = least;
    best = *f;
    g_string_append_printf (names, "%s%s", candidates++ > 0 ? ", " : "", (*f)->name);
  }
  if (candidates == 1)
    return best;
  if (candidates == 0)
    g_set_error (error, WL_ERROR, WL_ERROR_HEADER, "%s: the format of the trace, expected one that 'volsim import --list' names, found none that knows %s; name it: volsim import FORMAT FILE...",
                 g_array_index (files, WlImportFile, odd).path, files->len == 1 ? "this file" : most > 0 ? "this file and the others" : "any of these files");
  else
    g_set_error (error, WL_ERROR, WL_ERROR_HEADER, "%s: the format of the trace, expected one, found several that it could be: %s; name it: volsim import FORMAT FILE...",
                 g_array_index (files, WlImportFile, 0).path, names->str);
  return NULL;
}

const WlImportFormat *
wl_import_detect (const char *const *paths, guint n, GError **error)
{
  g_autoptr (GArray) files = open_files (paths, n, error);

  return files != NULL ? choose (files, error) : NULL;
}

/* ---- options ---------------------------------------------------------------------------------------- */

static const WlImportOption *
find_option (const WlImportFormat *format, const char *name)
{
  for (const WlImportOption *o = format->options; o != NULL && o->name != NULL; o++)
    if (strcmp (o->name, name) == 0)
      return o;
  for (const WlImportOption *o = wl_import_common; o->name != NULL; o++)
    if (strcmp (o->name, name) == 0)
      return o;
  return NULL;
}

const WlImportOption *
wl_import_option (const WlImportFormat *format, const char *name, GError **error)
{
  const WlImportOption *known = find_option (format, name);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *near;

  if (known != NULL)
    return known;
  for (const WlImportOption *o = format->options; o != NULL && o->name != NULL; o++)
    g_ptr_array_add (names, (gpointer) o->name);
  for (const WlImportOption *o = wl_import_common; o->name != NULL; o++)
    g_ptr_array_add (names, (gpointer) o->name);
  near = vc_nearest_name (name, (const char *const *) names->pdata, names->len);
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--%s is no option of format %s%s%s%s", name, format->name, near != NULL ? ", did you mean --" : "; ",
               near != NULL ? near : "'volsim import ", near != NULL ? "?" : "FORMAT --help' lists them");
  return NULL;
}

/* Options that speak of memory count bytes, the others cores or GPUs. */
static gboolean
check_quantity (const WlImportOption *o, const char *value, GError **error)
{
  const gboolean bytes = strstr (o->name, "memory") != NULL;
  const char *wanted = NULL;
  VcQuantity q;

  if (!wl_parse_amount ("memory", value, &q, error))
    return FALSE;
  if (o->kind == WL_OPTION_SIZE && (bytes ? q.value : q.milli) == 0)
    wanted = "a quantity above 0";
  else if (bytes ? q.value > WL_OPTION_MEMORY_MAX : q.milli > WL_OPTION_MAX * G_GINT64_CONSTANT (1000))
    wanted = bytes ? "a quantity up to 64Ti" : "a quantity up to 1000000";
  if (wanted == NULL)
    return TRUE;
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "expected %s, found '%s'", wanted, value);
  return FALSE;
}

static gboolean
check_value (const WlImportOption *o, const char *value, GError **error)
{
  g_autofree char *around = NULL, *wanted = NULL;
  gint64 v;
  WlTime t;

  switch (o->kind) {
  case WL_OPTION_TEXT:
    return *value != '\0' || (g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "expected a text, found ''"), FALSE);
  case WL_OPTION_INT:
  case WL_OPTION_COUNT:
    return wl_parse_int (value, o->kind == WL_OPTION_COUNT, WL_OPTION_MAX, &v, error);
  case WL_OPTION_SEED:
    return wl_parse_int (value, 0, G_MAXINT32, &v, error);
  case WL_OPTION_NUMBER:
    return wl_import_parse_scaled (value, 1000000, 0, WL_AMOUNT_MAX, &v, error);
  case WL_OPTION_TIME:
    return wl_parse_time (value, FALSE, &t, error);
  case WL_OPTION_QUANTITY:
  case WL_OPTION_SIZE:
    return check_quantity (o, value, error);
  case WL_OPTION_SWITCH:
    return wl_parse_bool (value, &(gboolean){ FALSE }, error);
  case WL_OPTION_CHOICE:
    break;
  }
  around = g_strdup_printf ("|%s|", o->choices);
  wanted = g_strdup_printf ("|%s|", value);
  if (*value != '\0' && strchr (value, '|') == NULL && strstr (around, wanted) != NULL)
    return TRUE;
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "expected one of %s, found '%s'", o->choices, value);
  return FALSE;
}

static gboolean
take_options (WlImport *imp, const char *const *options, GError **error)
{
  for (const char *const *o = options; o != NULL && *o != NULL; o++) {
    const char *equals = strchr (*o, '=');
    g_autofree char *name = equals != NULL ? g_strndup (*o, (gsize) (equals - *o)) : g_strdup (*o);

    if (*name == '\0') {
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "an option of the import, expected NAME or NAME=VALUE, found '%s'", *o);
      return FALSE;
    }
    const WlImportOption *known = wl_import_option (imp->format, name, error);

    if (known == NULL)
      return FALSE;
    if (wl_import_given (imp, name)) {
      g_set_error (error, WL_ERROR, WL_ERROR_CONFLICT, "--%s, expected once, found twice", name);
      return FALSE;
    }
    if (equals == NULL && known->kind != WL_OPTION_SWITCH) {
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--%s: expected a value (%s=VALUE), found none", name, name);
      return FALSE;
    }
    if (!check_value (known, equals != NULL ? equals + 1 : "true", error)) {
      g_prefix_error (error, "--%s: ", name);
      return FALSE;
    }
    g_hash_table_replace (imp->options, g_strdup (name), g_strdup (equals != NULL ? equals + 1 : "true"));
  }
  imp->skip_bad = wl_import_is (imp, "on-bad-row", "skip");
  imp->whole_seconds = wl_import_on (imp, "whole-seconds");
  imp->assume_walltime = wl_import_on (imp, "assume-walltime");
  return TRUE;
}

const char *
wl_import_text (const WlImport *imp, const char *option)
{
  const char *given = g_hash_table_lookup (imp->options, option);
  const WlImportOption *o = find_option (imp->format, option);

  g_assert (o != NULL);
  return given != NULL ? given : o->fallback;
}

gboolean
wl_import_is (const WlImport *imp, const char *option, const char *choice)
{
  return g_strcmp0 (wl_import_text (imp, option), choice) == 0;
}

gint64
wl_import_number (const WlImport *imp, const char *option)
{
  const char *text = wl_import_text (imp, option);

  return text != NULL ? g_ascii_strtoll (text, NULL, 10) : 0;
}

double
wl_import_decimal (const WlImport *imp, const char *option)
{
  const char *text = wl_import_text (imp, option);

  return text != NULL ? g_ascii_strtod (text, NULL) : 0;
}

WlTime
wl_import_duration (const WlImport *imp, const char *option)
{
  const char *text = wl_import_text (imp, option);
  WlTime t = 0;

  return text != NULL && wl_parse_time (text, FALSE, &t, NULL) ? t : 0;
}

static VcQuantity
quantity (const WlImport *imp, const char *option)
{
  const char *text = wl_import_text (imp, option);
  VcQuantity q = { 0 };

  if (text != NULL)
    (void) vc_quantity_parse (text, &q, NULL);
  return q;
}

gint64
wl_import_milli (const WlImport *imp, const char *option)
{
  return quantity (imp, option).milli;
}

gint64
wl_import_bytes (const WlImport *imp, const char *option)
{
  return quantity (imp, option).value;
}

gboolean
wl_import_on (const WlImport *imp, const char *option)
{
  return wl_import_is (imp, option, "true");
}

gboolean
wl_import_given (const WlImport *imp, const char *option)
{
  return g_hash_table_contains (imp->options, option);
}

/* ---- reading ------------------------------------------------------------------------------------------ */

/* Columns that the format does not know. Those without a name are what tools leave behind: row numbers in front, a separator at the end. */
static gboolean
pass_over (WlImport *imp, WlCsv *csv, const GArray *others, const WlColumn *known, guint n_known, GError **error)
{
  const gboolean ignore = wl_import_is (imp, "other-columns", "ignore");

  for (guint i = 0; i < others->len; i++) {
    const guint cell = g_array_index (others, guint, i);
    const char *name = wl_csv_header (csv, cell);
    g_autofree char *note = *name == '\0' ? g_strdup ("columns without a name: ignored") : g_strdup_printf ("column '%s': ignored", name);

    if (*name != '\0' && !ignore)
      return wl_csv_unknown_column (csv, cell, known, n_known, error);
    wl_import_note (imp, note, 1);
  }
  return TRUE;
}

gboolean
wl_import_table (WlImport *imp, guint file, const WlCsvShape *shape, const WlColumn *known, guint n_known, WlImportRow *row, gpointer user,
                 GError **error)
{
  WlCsvShape packed = shape != NULL ? *shape : (WlCsvShape){ 0 };
  g_autoptr (WlCsv) csv = NULL;
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree int *cell = g_new (int, MAX (n_known, 1));
  gboolean got = TRUE;

  packed.by_magic = TRUE;
  csv = wl_csv_open_shaped (wl_import_path (imp, file), &packed, error);
  if (csv == NULL || !wl_csv_columns (csv, known, n_known, cell, others, error))
    return FALSE;
  if (!packed.others && !pass_over (imp, csv, others, known, n_known, error))
    return FALSE;
  while (got) {
    g_autoptr (GError) e = NULL;
    gboolean whole = wl_csv_next (csv, &got, &e);

    if (wl_folder_interrupted (error))
      return FALSE;
    if (!got && whole)
      break;
    wl_import_begin_row (imp);
    if ((!whole || !row (imp, csv, cell, user, &e)) && !((whole || wl_csv_can_go_on (csv)) && wl_import_bad_row (imp, &e))) {
      g_propagate_error (error, g_steal_pointer (&e));
      return FALSE;
    }
  }
  return TRUE;
}

char *
wl_import_whole (WlImport *imp, guint file, gsize *len, GError **error)
{
  const char *path = wl_import_path (imp, file);
  g_autoptr (WlSource) src = wl_source_open_any (path, error);
  g_autoptr (GByteArray) all = g_byte_array_new ();
  g_autofree guint8 *buffer = g_malloc (HEAD);
  gssize n;

  if (src == NULL)
    return NULL;
  while ((n = wl_source_read (src, buffer, HEAD, error)) > 0) {
    if (all->len > G_MAXUINT32 - 2 * HEAD) {
      g_set_error (error, WL_ERROR, WL_ERROR_IO, "%s: file too large, expected less than 4 GiB, found more", path);
      return NULL;
    }
    g_byte_array_append (all, buffer, (guint) n);
  }
  if (n < 0) {
    g_prefix_error (error, "%s: ", path);
    return NULL;
  }
  if (all->len >= strlen (MARK) && memcmp (all->data, MARK, strlen (MARK)) == 0)
    g_byte_array_remove_range (all, 0, (guint) strlen (MARK));
  if (len != NULL)
    *len = all->len;
  g_byte_array_append (all, (const guint8 *) "", 1);
  return (char *) g_byte_array_free (g_steal_pointer (&all), FALSE);
}

#define MAX_LINE (64 * 1024 * 1024)

/* One line of @text, whose end becomes NUL. */
static gboolean
give_line (WlImport *imp, guint file, guint64 number, char *text, gsize len, WlImportLine *line, gpointer user, GError **error)
{
  g_autoptr (GError) e = NULL;
  const guint64 before = imp->read;

  if (len > 0 && text[len - 1] == '\r')
    len--;
  text[len] = '\0';
  if (number == 1 && g_str_has_prefix (text, MARK)) {
    text += 3;
    len -= 3;
  }
  if (line (imp, file, number, text, len, user, &e))
    return TRUE;
  if (imp->read == before) /* a header, or a line of a cluster: a row, too, when it cannot be read */
    wl_import_begin_row (imp);
  if (wl_import_bad_row (imp, &e))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&e));
  return FALSE;
}

gboolean
wl_import_lines (WlImport *imp, guint file, WlImportLine *line, gpointer user, GError **error)
{
  g_autoptr (WlSource) src = wl_source_open_any (wl_import_path (imp, file), error);
  g_autofree char *buffer = NULL;
  gsize size = HEAD, from = 0, to = 0;
  guint64 number = 0;
  gssize n = src != NULL ? 1 : -1;

  if (src == NULL)
    return FALSE;
  buffer = g_malloc (size + 1);
  while (n > 0) {
    char *end;

    memmove (buffer, buffer + from, to - from);
    to -= from;
    from = 0;
    if (to == size) {
      if (size >= MAX_LINE) {
        g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "line too long, expected at most 64 MiB, found more");
        return wl_import_locate (imp, file, number + 1, 1, error);
      }
      size *= 2;
      buffer = g_realloc (buffer, size + 1);
    }
    if (wl_folder_interrupted (error))
      return FALSE;
    n = wl_source_read (src, buffer + to, size - to, error);
    if (n < 0)
      return wl_import_locate (imp, file, number + 1, 1, error);
    to += (gsize) n;
    while ((end = memchr (buffer + from, '\n', to - from)) != NULL) {
      if (!give_line (imp, file, ++number, buffer + from, (gsize) (end - buffer) - from, line, user, error))
        return FALSE;
      from = (gsize) (end - buffer) + 1;
    }
  }
  return from == to || give_line (imp, file, number + 1, buffer + from, to - from, line, user, error);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

static void
import_clear (WlImport *imp)
{
  g_clear_pointer (&imp->options, g_hash_table_unref);
  g_clear_pointer (&imp->files, g_array_unref);
  g_clear_pointer (&imp->dropped, g_array_unref);
  g_clear_pointer (&imp->bad, g_array_unref);
  g_clear_pointer (&imp->defaulted, g_array_unref);
  g_clear_pointer (&imp->notes, g_array_unref);
  wl_import_store_clear (imp);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WlImport, import_clear)

gboolean
wl_import_run (const WlImportFormat *format, const char *const *paths, guint n, const char *const *options, const char *out, char **report,
               GError **error)
{
  g_auto (WlImport) imp = { .format = format,
                            .options = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
                            .dropped = wl_counts_new (),
                            .bad = wl_counts_new (),
                            .defaulted = wl_counts_new (),
                            .notes = wl_counts_new () };
  g_autoptr (WlFolder) dir = NULL;
  g_autofree char *text = NULL;

  wl_import_store_init (&imp);
  if (!take_options (&imp, options, error) || (imp.files = open_files (paths, n, error)) == NULL || (dir = wl_folder_begin (out, "import", error)) == NULL
      || !format->run (&imp, error))
    return FALSE;
  if (!wl_import_settle (&imp, error))
    return FALSE;
  g_autoptr (WlImportFacts) facts = wl_import_facts (&imp);

  wl_import_arrange (&imp);
  if (!wl_import_write (&imp, wl_folder_path (dir), error) || !wl_import_report (facts, wl_folder_path (dir), &text, error) || !wl_folder_finish (dir, error))
    return FALSE;
  if (report != NULL)
    *report = g_steal_pointer (&text);
  return TRUE;
}
