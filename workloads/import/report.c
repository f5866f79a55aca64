/* workloads/import/report.c - import.json and import.txt: what was read, what was made of it, and whether it fits the cluster. */
#include "import-private.h"
#include "core/model/shape.h"
#include "workloads/native/node-terms.h"
#include "workloads/text/file-digest.h"
#include "workloads/text/parse.h"
#include <math.h>
#include <string.h>

typedef struct { char *name; const char *unit; double capacity, requested, time; } Sum; /* time: requested × duration, in seconds */

struct WlImportFacts {
  const WlImport *imp;
  GArray *sums;          /* Sum: cpu, memory, gpu, others */
  guint64 pods, nodes, endless, hopeless;
  guint flows, steps; /* jobs of flows */
  WlTime first, last, begin, end;
  WlStoredJob example; /* one that no node can hold */
};
typedef WlImportFacts Facts;

/* ---- sums ------------------------------------------------------------------------------------------- */

static double
amount_of (const WlImportAmounts *a, guint i, const char *name)
{
  gsize n = strlen (name);

  if (i == 0)
    return (double) a->cpu_milli / 1000;
  if (i == 1)
    return (double) a->memory / (1 << 30);
  if (i == 2)
    return a->gpus * wl_import_share (a) / 1000.0;
  for (const char *p = a->more; p != NULL; p = strchr (p, ';') != NULL ? strchr (p, ';') + 1 : NULL)
    if (strncmp (p, name, n) == 0 && p[n] == '=') {
      g_autofree char *text = g_strndup (p + n + 1, strcspn (p + n + 1, ";"));
      VcQuantity q;

      return vc_quantity_parse (text, &q, NULL) ? (double) q.milli / 1000 : 0;
    }
  return 0;
}

static void
note_names (GArray *sums, const WlImportAmounts *a)
{
  g_auto (GStrv) part = a->more != NULL ? g_strsplit (a->more, ";", -1) : NULL;

  for (char **p = part; p != NULL && *p != NULL; p++) {
    guint i = 0;

    (*p)[strcspn (*p, "=")] = '\0';
    while (i < sums->len && strcmp (g_array_index (sums, Sum, i).name, *p) != 0)
      i++;
    if (i == sums->len) {
      Sum s = { .name = g_strdup (*p), .unit = "" };

      g_array_append_val (sums, s);
    }
  }
}

static void
sum_clear (gpointer data)
{
  g_free (((Sum *) data)->name);
}

static void
begin_sums (Facts *f)
{
  const Sum first[] = { { .name = g_strdup ("cpu"), .unit = "cores" }, { .name = g_strdup ("memory"), .unit = "GiB" }, { .name = g_strdup ("gpu"), .unit = "cards" } };

  f->sums = g_array_new (FALSE, FALSE, sizeof (Sum));
  g_array_set_clear_func (f->sums, sum_clear);
  g_array_append_vals (f->sums, first, G_N_ELEMENTS (first));
  for (guint i = 0; i < f->imp->nodes->len; i++)
    note_names (f->sums, &g_array_index (f->imp->nodes, WlStoredNode, i).capacity);
  for (guint i = 0; i < wl_records_len (f->imp->requests); i++)
    note_names (f->sums, wl_records_get (f->imp->requests, i));
}

/* Every node that is ever there counts once, with what it has at first. */
static void
sum_nodes (Facts *f)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < f->imp->nodes->len; i++) {
    const WlStoredNode *n = &g_array_index (f->imp->nodes, WlStoredNode, i);

    if (n->event != WL_NODE_ADD || !g_hash_table_add (seen, (gpointer) n->name))
      continue;
    f->nodes += n->count;
    for (guint r = 0; r < f->sums->len; r++) {
      Sum *s = &g_array_index (f->sums, Sum, r);

      s->capacity += n->count * amount_of (&n->capacity, r, s->name);
    }
  }
}

/* Seconds that all pods of the role run, at most @limit each; @endless counts those that never end. */
static double
running_time (const WlImport *imp, const WlStoredRole *r, WlTime limit, guint64 *endless)
{
  double sum = 0;

  if (r->durations == 0 && r->duration != WL_TIME_NEVER)
    return r->replicas * ((double) MIN (r->duration, limit) / 1e6);
  for (guint i = 0; i < r->replicas; i++) {
    WlTime d = MIN (limit, r->durations == 0 ? r->duration : g_array_index (imp->durations, WlTime, r->durations - 1 + i));

    if (d == WL_TIME_NEVER)
      *endless += 1;
    else
      sum += (double) d / 1e6;
  }
  return sum;
}

/* ---- what no node can hold ---------------------------------------------------------------------------- */

typedef struct { const char *model, *labels; WlImportAmounts capacity; } NodeClass;

static VcPairs
sorted_labels (const GArray *pairs, VcPair *item)
{
  guint n = 0;

  for (guint i = 0; i < pairs->len; i++) {
    const WlPair *p = &g_array_index (pairs, WlPair, i);
    guint at = n++;

    for (; at > 0 && strcmp (item[at - 1].key, p->key) > 0; at--)
      item[at] = item[at - 1];
    item[at] = (VcPair){ p->key, p->value };
  }
  return (VcPairs){ item, n };
}

static gboolean
selected (const NodeClass *c, const char *selector)
{
  g_autofree char *model = c->model != NULL ? wl_import_label_value (c->model) : NULL;
  g_autofree char *text = g_strdup_printf ("%s%s%s%s", model != NULL ? "gpu-model=" : "", model != NULL ? model : "", model != NULL && c->labels != NULL ? ";" : "",
                                           c->labels != NULL ? c->labels : "");
  g_autoptr (GArray) labels = NULL, pairs = NULL, terms = NULL;

  if ((*text == '\0' ? (labels = wl_pairs_new ()) == NULL : !wl_parse_pairs (text, &labels, NULL)) || !wl_parse_node_selector (selector, &pairs, &terms, NULL))
    return TRUE; /* volsim run will say so */
  g_autofree VcPair *item = g_new0 (VcPair, labels->len + 1);
  const VcPairs sorted = sorted_labels (labels, item);

  for (guint i = 0; i < pairs->len; i++) {
    const WlPair *p = &g_array_index (pairs, WlPair, i);

    if (g_strcmp0 (vc_pairs_get (&sorted, p->key), p->value) != 0)
      return FALSE;
  }
  for (guint i = 0; i < terms->len; i++) {
    const WlNodeTerm *t = &g_array_index (terms, WlNodeTerm, i);
    const VcExpression e = { t->key, t->op, (const char *const *) t->value, g_strv_length (t->value) };
    const VcNodeTerm term = { .label = &e, .n_labels = 1 };
    const VcNodeFacts node = { .name = "", .labels = sorted };

    if (!vc_term_matches (&term, &node))
      return FALSE;
  }
  return TRUE;
}

static gboolean
holds (const Facts *f, const NodeClass *c, const WlImportAmounts *request)
{
  if (request->gpus > c->capacity.gpus)
    return FALSE;
  for (guint r = 0; r < f->sums->len; r++) {
    const Sum *s = &g_array_index (f->sums, Sum, r);

    if (r != 2 && amount_of (request, r, s->name) > amount_of (&c->capacity, r, s->name) + 1e-9)
      return FALSE;
  }
  return TRUE;
}

/* What jobs ask for: with a selector, the same of each of many. */
typedef struct { const char *selector; guint64 request; } Ask;
typedef struct { WlRecords *classes, *asks; GByteArray *fits; } Fits; /* classes of nodes, and whether any of them fits, by ask */

static void
note_classes (const WlImport *imp, WlRecords *classes)
{
  for (guint i = 0; i < imp->nodes->len; i++) {
    const WlStoredNode *n = &g_array_index (imp->nodes, WlStoredNode, i);
    const NodeClass c = { n->model, n->labels, n->capacity };

    if (n->event == WL_NODE_ADD || n->event == WL_NODE_UPDATE)
      wl_records_add (classes, &c);
  }
}

/* Can any node hold a pod of the role? */
static gboolean
fits_somewhere (const Facts *f, Fits *fits, const WlStoredRole *r)
{
  const WlImport *imp = f->imp;
  const Ask ask = { ((const WlRoleTraits *) wl_records_get (imp->role_traits, r->traits))->selector, r->request };
  guint32 at = wl_records_add (fits->asks, &ask);

  if (at == fits->fits->len) {
    guint8 any = 0;

    for (guint c = 0; c < wl_records_len (fits->classes) && !any; c++)
      any = holds (f, wl_records_get (fits->classes, c), wl_records_get (imp->requests, r->request))
            && (ask.selector == NULL || selected (wl_records_get (fits->classes, c), ask.selector));
    g_byte_array_append (fits->fits, &any, 1);
  }
  return fits->fits->data[at];
}

/* One way through all jobs, as they came: sums (of doubles, which depend on the order), and those that no node can hold, with the first to be submitted as the example. */
static void
sum_jobs (Facts *f)
{
  const WlImport *imp = f->imp;
  guint n = f->sums->len, n_requests = wl_records_len (imp->requests);
  g_autofree double *amount = g_new (double, (gsize) n * n_requests + 1);
  g_autoptr (WlRecords) classes = wl_records_new (sizeof (NodeClass)), asks = wl_records_new (sizeof (Ask));
  g_autoptr (GByteArray) known = g_byte_array_new ();
  Fits fits = { classes, asks, known };
  const char *flow = NULL; /* of the job before */

  note_classes (imp, classes);
  for (guint i = 0; i < n_requests; i++)
    for (guint r = 0; r < n; r++)
      amount[(gsize) i * n + r] = amount_of (wl_records_get (imp->requests, i), r, g_array_index (f->sums, Sum, r).name);
  for (guint32 i = 0; i < wl_import_n_jobs (imp); i++) {
    const WlStoredJob job = wl_import_get_job (imp, i), *j = &job;
    WlTime remove = ((const WlJobTraits *) wl_records_get (imp->job_traits, j->traits))->remove;
    WlTime limit = remove == WL_TIME_NONE ? WL_TIME_NEVER : MAX (remove - imp->offset - j->submit, 0); /* until its user deletes it */
    gboolean fine = TRUE;

    f->steps += j->step > 0;
    f->flows += j->step > 0 && flow != wl_import_flow (imp, j);
    flow = wl_import_flow (imp, j);
    for (guint k = 0; k < j->n_roles; k++) {
      const WlStoredRole of_job = wl_import_get_role (imp, j, k), *role = &of_job;
      double seconds = running_time (imp, role, limit, &f->endless);

      f->pods += role->replicas;
      for (guint r = 0; r < n; r++) {
        Sum *s = &g_array_index (f->sums, Sum, r);

        s->requested += role->replicas * amount[(gsize) role->request * n + r];
        s->time += seconds * amount[(gsize) role->request * n + r];
      }
      fine = fine && (wl_records_len (classes) == 0 || fits_somewhere (f, &fits, role));
    }
    if (fine)
      continue;
    if (f->hopeless++ == 0 || j->submit < f->example.submit)
      f->example = job;
  }
}

static void
find_times (Facts *f)
{
  const WlImport *imp = f->imp;
  guint n = wl_import_n_jobs (imp);

  f->first = n > 0 ? wl_import_get_job (imp, wl_import_at (imp, 0)).submit : 0;
  f->last = n > 0 ? wl_import_get_job (imp, wl_import_at (imp, n - 1)).submit : 0;
  f->begin = imp->has_span ? imp->span_begin - imp->offset : f->first;
  f->end = imp->has_span ? imp->span_end - imp->offset : f->last;
}

/* NaN: cannot be said. */
static double
load_of (const Facts *f, const Sum *s)
{
  double seconds = (double) (f->end - f->begin) / 1e6;

  return s->capacity > 0 && seconds > 0 ? s->time / (s->capacity * seconds) : NAN;
}

/* ---- JSON ------------------------------------------------------------------------------------------------- */

static void
append_string (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (const char *p = text; *p != '\0'; p++) {
    if (*p == '"' || *p == '\\')
      g_string_append_printf (out, "\\%c", *p);
    else if ((guchar) *p < 0x20)
      g_string_append_printf (out, "\\u%04x", (guchar) *p);
    else
      g_string_append_c (out, *p);
  }
  g_string_append_c (out, '"');
}

static void
append_number (GString *out, double v)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (out, isfinite (v) ? g_ascii_formatd (text, sizeof text, "%.10g", v) : "null");
}

static void
append_counts (GString *out, const char *key, const GArray *counts)
{
  g_string_append_printf (out, ",\n  \"%s\": {", key);
  for (guint i = 0; i < counts->len; i++) {
    const WlCount *c = &g_array_index (counts, WlCount, i);

    g_string_append (out, i > 0 ? ",\n    " : "\n    ");
    append_string (out, c->what);
    g_string_append_printf (out, ": %" G_GUINT64_FORMAT, c->n);
  }
  g_string_append (out, counts->len > 0 ? "\n  }" : "}");
}

static void
append_time_key (GString *out, const char *key, WlTime t)
{
  g_string_append_printf (out, ",\n  \"%s\": ", key);
  wl_append_time (out, t);
}

static const char *const share_names[] = { [WL_GPU_WHOLE] = "whole", [WL_GPU_DEVICE] = "device", [WL_GPU_POOLED] = "pooled" };

static void
append_files (GString *out, const WlImport *imp, char **digest, const guint64 *size)
{
  g_string_append (out, ",\n  \"files\": [");
  for (guint i = 0; i < imp->files->len; i++) {
    g_string_append (out, i > 0 ? ",\n    {\"name\": " : "\n    {\"name\": ");
    append_string (out, wl_import_head (imp, i)->name);
    g_string_append_printf (out, ", \"bytes\": %" G_GUINT64_FORMAT ", \"sha256\": \"%s\"}", size[i], digest[i]);
  }
  g_string_append (out, "\n  ],\n  \"options\": {");
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (imp->options), (GCompareFunc) strcmp);

  for (GList *l = names; l != NULL; l = l->next) {
    g_string_append (out, l != names ? ", " : "");
    append_string (out, l->data);
    g_string_append (out, ": ");
    append_string (out, g_hash_table_lookup (imp->options, l->data));
  }
  g_string_append_c (out, '}');
}

static GString *
json_of (const Facts *f, char **digest, const guint64 *size)
{
  const WlImport *imp = f->imp;
  GString *out = g_string_new ("{\n  \"schema\": \"volsim-import/1\",\n  \"format\": ");

  append_string (out, imp->format->name);
  append_files (out, imp, digest, size);
  g_string_append_printf (out, ",\n  \"rows_read\": %" G_GUINT64_FORMAT ",\n  \"rows_imported\": %" G_GUINT64_FORMAT ",\n  \"rows_dropped\": %" G_GUINT64_FORMAT
                               ",\n  \"rows_bad\": %" G_GUINT64_FORMAT,
                          imp->read, imp->read - imp->dropped_rows - imp->bad_rows, imp->dropped_rows, imp->bad_rows);
  append_counts (out, "dropped", imp->dropped);
  append_counts (out, "bad", imp->bad);
  append_counts (out, "defaulted", imp->defaulted);
  append_counts (out, "notes", imp->notes);
  g_string_append_printf (out, ",\n  \"jobs\": %u,\n  \"flows\": %u,\n  \"steps\": %u,\n  \"pods\": %" G_GUINT64_FORMAT ",\n  \"queues\": %u,\n  \"nodes\": %" G_GUINT64_FORMAT
                               ",\n  \"recorded\": %u,\n  \"faults\": %u,\n  \"pods_without_end\": %" G_GUINT64_FORMAT ",\n  \"never_schedulable\": %" G_GUINT64_FORMAT
                               ",\n  \"gpu_share\": \"%s\"",
                          wl_import_n_jobs (imp) - f->steps + f->flows, f->flows, f->steps, f->pods, MAX (imp->queues->len + imp->object_queues, 1), f->nodes, wl_packed_len (imp->records),
                          imp->faults->len, f->endless, f->hopeless,
                          share_names[imp->share]);
  append_time_key (out, "offset_s", imp->offset);
  append_time_key (out, "first_submit_s", f->first);
  append_time_key (out, "last_submit_s", f->last);
  append_time_key (out, "span_s", f->end - f->begin);
  g_string_append (out, ",\n  \"resources\": {");
  gboolean any = FALSE;

  for (guint r = 0; r < f->sums->len; r++) {
    const Sum *s = &g_array_index (f->sums, Sum, r);

    if (s->capacity == 0 && s->requested == 0)
      continue;
    g_string_append (out, any ? ",\n    " : "\n    ");
    any = TRUE;
    append_string (out, s->name);
    g_string_append (out, ": {\"unit\": ");
    append_string (out, s->unit);
    g_string_append (out, ", \"capacity\": ");
    append_number (out, s->capacity);
    g_string_append (out, ", \"requested\": ");
    append_number (out, s->requested);
    g_string_append (out, ", \"offered_load\": ");
    append_number (out, load_of (f, s));
    g_string_append_c (out, '}');
  }
  g_string_append (out, "\n  }\n}\n");
  return out;
}

/* ---- text --------------------------------------------------------------------------------------------------- */

/* 1234567 → 1,234,567 */
static char *
grouped (guint64 v)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, v);
  gsize n = strlen (digits);
  GString *out = g_string_new (NULL);

  for (gsize i = 0; i < n; i++) {
    if (i > 0 && (n - i) % 3 == 0)
      g_string_append_c (out, ',');
    g_string_append_c (out, digits[i]);
  }
  return g_string_free (out, FALSE);
}

static void
append_lines (GString *out, const char *title, const GArray *counts)
{
  for (guint i = 0; i < counts->len; i++) {
    const WlCount *c = &g_array_index (counts, WlCount, i);
    g_autofree char *n = grouped (c->n);

    g_string_append_printf (out, "%-12s %10s  %s\n", i == 0 ? title : "", n, c->what);
    if (c->first != NULL)
      g_string_append_printf (out, "%-12s %10s  the first: %s\n", "", "", c->first);
  }
}

static void
append_resources (GString *out, const Facts *f)
{
  g_string_append_printf (out, "%-28s %14s %16s %14s\n", "Resources", "capacity", "sum of requests", "offered load");
  for (guint r = 0; r < f->sums->len; r++) {
    const Sum *s = &g_array_index (f->sums, Sum, r);
    g_autofree char *name = *s->unit != '\0' ? g_strdup_printf ("%s (%s)", s->name, s->unit) : g_strdup (s->name);
    double load = load_of (f, s);
    char a[G_ASCII_DTOSTR_BUF_SIZE], b[G_ASCII_DTOSTR_BUF_SIZE], c[G_ASCII_DTOSTR_BUF_SIZE];

    if (s->capacity == 0 && s->requested == 0)
      continue;
    g_string_append_printf (out, "  %-26s %14s %16s %14s\n", name, g_ascii_formatd (a, sizeof a, "%.1f", s->capacity),
                            g_ascii_formatd (b, sizeof b, "%.1f", s->requested), isfinite (load) ? g_ascii_formatd (c, sizeof c, "%.4f", load) : "-");
  }
}

static GString *
text_of (const Facts *f, char **digest, const guint64 *size)
{
  const WlImport *imp = f->imp;
  GString *out = g_string_new (NULL);
  g_autofree char *read = grouped (imp->read), *imported = grouped (imp->read - imp->dropped_rows - imp->bad_rows), *dropped = grouped (imp->dropped_rows),
                  *bad = grouped (imp->bad_rows), *jobs = grouped (wl_import_n_jobs (imp) - f->steps + f->flows), *pods = grouped (f->pods), *nodes = grouped (f->nodes);

  g_string_append_printf (out, "Format       %s: %s\n", imp->format->name, imp->format->title);
  for (guint i = 0; i < imp->files->len; i++)
    g_string_append_printf (out, "%-12s %s, %" G_GUINT64_FORMAT " bytes, sha256 %s\n", i == 0 ? "Files" : "", wl_import_head (imp, i)->name, size[i], digest[i]);
  g_string_append_printf (out, "Rows         %s read = %s imported + %s dropped + %s bad\n", read, imported, dropped, bad);
  append_lines (out, "Dropped", imp->dropped);
  append_lines (out, "Bad", imp->bad);
  g_string_append_printf (out, "Made         %s jobs of %s pods, %u queues, %s nodes", jobs, pods, MAX (imp->queues->len + imp->object_queues, 1), nodes);
  if (f->flows > 0)
    g_string_append_printf (out, ", %u of the jobs flows of %u steps", f->flows, f->steps);
  if (imp->faults->len > 0)
    g_string_append_printf (out, ", %u faults", imp->faults->len);
  if (wl_packed_len (imp->records) > 0)
    g_string_append_printf (out, "; the record of %u jobs", wl_packed_len (imp->records));
  g_string_append (out, "\nTimes        submissions from ");
  wl_append_time (out, f->first);
  g_string_append (out, " to ");
  wl_append_time (out, f->last);
  g_string_append (out, " s; 0 is ");
  wl_append_time (out, imp->offset);
  g_string_append (out, " s of the trace\n");
  if (imp->share != WL_GPU_WHOLE || imp->shares)
    g_string_append_printf (out, "GPU shares   %s\n", share_names[imp->share]);
  append_lines (out, "Made up", imp->defaulted);
  append_lines (out, "Notes", imp->notes);
  append_resources (out, f);
  if (f->endless > 0)
    g_string_append_printf (out, "%" G_GUINT64_FORMAT " pods never end and count for no load.\n", f->endless);
  if (f->hopeless > 0) {
    g_string_append_printf (out, "%" G_GUINT64_FORMAT " jobs have a pod that no node can hold, such as ", f->hopeless);
    wl_import_append_job_name (imp, out, &f->example);
    g_string_append (out, ".\n");
  }
  return out;
}

static gboolean
write_file (const char *dir, const char *name, const GString *text, GError **error)
{
  g_autofree char *path = g_build_filename (dir, name, NULL);
  g_autoptr (GError) e = NULL;

  if (g_file_set_contents (path, text->str, (gssize) text->len, &e))
    return TRUE;
  g_set_error (error, WL_ERROR, WL_ERROR_WRITE, "%s: cannot write, expected a writable folder, found: %s", path, e->message);
  return FALSE;
}

WlImportFacts *
wl_import_facts (const WlImport *imp)
{
  WlImportFacts *f = g_new0 (WlImportFacts, 1);

  f->imp = imp;
  begin_sums (f);
  sum_nodes (f);
  sum_jobs (f);
  find_times (f);
  return f;
}

void
wl_import_facts_free (WlImportFacts *f)
{
  if (f == NULL)
    return;
  g_array_unref (f->sums);
  g_free (f);
}

gboolean
wl_import_report (const WlImportFacts *f, const char *dir, char **text, GError **error)
{
  const WlImport *imp = f->imp;
  g_auto (GStrv) digest = g_new0 (char *, imp->files->len + 1);
  g_autofree guint64 *size = g_new0 (guint64, imp->files->len + 1);

  for (guint i = 0; i < imp->files->len; i++)
    digest[i] = wl_file_digest (wl_import_path (imp, i), &size[i]);
  GString *json = json_of (f, digest, size), *words = text_of (f, digest, size);
  gboolean good = write_file (dir, "import.json", json, error) && write_file (dir, "import.txt", words, error);

  g_string_free (json, TRUE);
  *text = g_string_free (words, FALSE);
  return good;
}
