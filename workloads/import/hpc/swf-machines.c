#include "swf.h"
#include "workloads/import/hpc.h"
#include "workloads/import/json.h"
#include "workloads/text/parse.h"
#include <string.h>

#define MAX_NODES 10000000
#define MAX_CORES 1000000
#define KIB 1024
#define SPEED 4 /* the field that may be a fraction */

static void
group_clear (gpointer data)
{
  WlSwfGroup *g = data;

  g_free (g->name);
  g_free (g->more);
}

WlSwfMachines
wl_swf_machines_new (void)
{
  WlSwfMachines m = { g_array_new (FALSE, TRUE, sizeof (WlSwfGroup)) };

  g_array_set_clear_func (m.groups, group_clear);
  return m;
}

void
wl_swf_machines_clear (WlSwfMachines *m)
{
  g_clear_pointer (&m->groups, g_array_unref);
}

static const WlSwfGroup *
group_at (const WlSwfMachines *m, guint i)
{
  return &g_array_index (m->groups, WlSwfGroup, i);
}

gint64
wl_swf_processors (const WlSwfMachines *m)
{
  gint64 sum = 0;

  for (guint i = 0; i < m->groups->len; i++)
    sum += group_at (m, i)->nodes * group_at (m, i)->processors;
  return sum;
}

gint64
wl_swf_memory (const WlSwfMachines *m)
{
  double sum = 0;

  for (guint i = 0; i < m->groups->len; i++)
    sum += (double) group_at (m, i)->nodes * (double) group_at (m, i)->memory;
  return (gint64) MIN (sum, (double) WL_AMOUNT_MAX);
}

static const WlSwfGroup *
least (const WlSwfMachines *m)
{
  const WlSwfGroup *found = group_at (m, 0);

  for (guint i = 1; i < m->groups->len; i++)
    if (group_at (m, i)->processors < found->processors)
      found = group_at (m, i);
  return found;
}

gint64
wl_swf_least_processors (const WlSwfMachines *m)
{
  return least (m)->processors;
}

gint64
wl_swf_least_memory (const WlSwfMachines *m)
{
  return least (m)->memory;
}

void
wl_swf_add_machines (WlImport *imp, const WlSwfMachines *m)
{
  for (guint i = 0; i < m->groups->len; i++) {
    const WlSwfGroup *g = group_at (m, i);
    g_autofree char *value = wl_import_label_value (g->name), *labels = g_strdup_printf ("cluster=%s", value);
    const gint64 memory = g->memory > 0 ? g->memory : wl_import_product (g->processors, wl_import_bytes (imp, "memory-per-core"), 1);
    const WlImportNode node = { .name = g->name, .time = WL_TIME_NONE, .capacity = { .cpu_milli = g->processors * 1000, .memory = memory, .gpus = g->gpus, .more = g->more },
                                .pods = -1, .labels = labels, .count = (guint32) g->nodes };

    wl_import_node (imp, &node);
    if (g->memory == 0)
      wl_import_default_more (imp, "memory of nodes", (guint64) g->nodes);
  }
}

/* ---- files ------------------------------------------------------------------------------------------ */

static gboolean
is_json (const WlImportHead *head)
{
  return head->text[strspn (head->text, " \t\r\n")] == '{' && strstr (head->text, "\"groups\"") != NULL && strstr (head->text, "\"resources\"") != NULL;
}

/* "0  seth  120  2  1  1048576", and perhaps more numbers. */
gboolean
wl_swf_is_machines (const WlImportHead *head)
{
  g_autofree char *line = wl_head_line (head);
  char *at = line, *word;
  guint n = 0;
  gint64 v;

  if (is_json (head))
    return TRUE;
  for (; (word = wl_hpc_word (&at)) != NULL; n++)
    if (wl_import_parse_scaled (word, 1, 0, G_MAXINT64, &v, NULL) != (n != 1))
      return FALSE;
  return n >= 6 && n <= 8;
}

static gboolean
machine_line (WlImport *imp, guint file, guint64 number, char *line, gsize len, gpointer user, GError **error)
{
  static const struct { const char *name; gint64 min, max; } field[] = { { "id", 0, G_MAXINT32 }, { NULL, 0, 0 }, { "nodes", 1, MAX_NODES }, { "CPUs of a node", 1, MAX_CORES },
                                                                        { "speed", 0, G_MAXINT32 }, { "KB of memory", 0, WL_AMOUNT_MAX / KIB } };
  WlSwfMachines *m = user;
  gint64 v[G_N_ELEMENTS (field)] = { 0 };
  char *at = line, *word, *name = NULL;
  guint n = 0;

  if (line[strspn (line, " \t")] == '\0')
    return TRUE;
  if (!wl_hpc_check_text (line, len, error))
    return wl_import_locate (imp, file, number, 1, error);
  for (; (word = wl_hpc_word (&at)) != NULL && n < G_N_ELEMENTS (field); n++) {
    if (field[n].name == NULL) {
      name = word;
    } else if (!(n == SPEED ? wl_import_parse_scaled (word, 1000, field[n].min, field[n].max, &v[n], error) : wl_import_parse_int (word, field[n].min, field[n].max, &v[n], error))) {
      g_prefix_error (error, "%s: ", field[n].name);
      return wl_import_locate (imp, file, number, (guint64) (word - line) + 1, error);
    }
  }
  if (n < G_N_ELEMENTS (field)) {
    g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "machines, expected id, name, nodes, CPUs of a node, speed and KB of memory, found %u fields", n);
    return wl_import_locate (imp, file, number, 1, error);
  }
  const WlSwfGroup group = { .name = g_strdup (name), .nodes = v[2], .processors = v[3], .memory = v[5] * KIB };

  g_array_append_val (m->groups, group);
  return TRUE;
}

/* Resources of a group of AccaSim: cores, KB of memory, GPUs, others by name. */
static gboolean
read_group (WlJson at, gint64 cores_of_processor, WlSwfGroup *g, GError **error)
{
  g_autoptr (GString) more = g_string_new (NULL);
  const char *key;
  WlJson value;
  gint64 v;

  for (void *it = NULL; (value = wl_json_next_pair (at, &it, &key)) != NULL;) {
    if (!wl_json_int (value, 0, WL_AMOUNT_MAX / KIB, &v, error)) {
      g_prefix_error (error, "'%s' of group '%s': ", key != NULL ? key : "", g->name);
      return FALSE;
    }
    if (key == NULL) {
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "group '%s', expected names of resources, found something else", g->name);
      return FALSE;
    }
    if (strcmp (key, "core") == 0) {
      g->processors = v / cores_of_processor;
    } else if (strcmp (key, "mem") == 0) {
      g->memory = v * KIB;
    } else if (strcmp (key, "gpu") == 0) {
      g->gpus = (guint32) MIN (v, 1000);
    } else {
      g_autofree char *label = wl_import_label (key);
      g_string_append_printf (more, "%svolsim.io/%s=%" G_GINT64_FORMAT, more->len > 0 ? ";" : "", label, v);
    }
  }
  if (g->processors < 1 || g->processors > MAX_CORES) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "'core' of group '%s', expected 1 to %d processors, found %" G_GINT64_FORMAT, g->name, MAX_CORES, g->processors);
    return FALSE;
  }
  g->more = more->len > 0 ? g_strdup (more->str) : NULL;
  return TRUE;
}

static gboolean
read_json (WlImport *imp, guint file, WlSwfMachines *m, GError **error)
{
  gsize len;
  g_autofree char *text = wl_import_whole (imp, file, &len, error);
  g_autoptr (WlJsonDoc) doc = text != NULL ? wl_json_read (wl_import_path (imp, file), text, len, error) : NULL;
  WlJson root = doc != NULL ? wl_json_root (doc) : NULL, groups = wl_json_get (root, "groups"), resources = wl_json_get (root, "resources"), count;
  WlJson equivalent = wl_json_get (wl_json_get (wl_json_get (root, "equivalence"), "processor"), "core"), start = wl_json_get (root, "start_time");
  gint64 cores = 1, second;
  const char *name;

  if (doc == NULL)
    return FALSE;
  if (equivalent != NULL && !wl_json_int (equivalent, 1, MAX_CORES, &cores, error))
    return wl_import_locate (imp, file, wl_json_line (equivalent), wl_json_column (equivalent), error);
  if (start != NULL) {
    if (!wl_json_int (start, 0, WL_TIME_MAX / G_USEC_PER_SEC, &second, error))
      return wl_import_locate (imp, file, wl_json_line (start), wl_json_column (start), error);
    if (second > 0)
      wl_import_origin (imp, second);
  }
  for (void *it = NULL; (count = wl_json_next_pair (resources, &it, &name)) != NULL;) {
    WlSwfGroup g = { .name = g_strdup (name != NULL ? name : "") };
    WlJson group = wl_json_get (groups, g.name);
    gboolean good = group != NULL || (g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "resources, expected the name of a group, found '%s'", g.name), FALSE);

    good = good && wl_json_int (count, 1, MAX_NODES, &g.nodes, error) && read_group (group, cores, &g, error);
    g_array_append_val (m->groups, g);
    if (!good)
      return wl_import_locate (imp, file, wl_json_line (count), wl_json_column (count), error);
  }
  return TRUE;
}

gboolean
wl_swf_read_machines (WlImport *imp, guint file, WlSwfMachines *m, GError **error)
{
  return is_json (wl_import_head (imp, file)) ? read_json (imp, file, m, error) : wl_import_lines (imp, file, machine_line, m, error);
}

/* ---- requests --------------------------------------------------------------------------------------- */

/* A property of nodes as a term of the selector. FALSE: nothing that the list of machines tells. */
static gboolean
add_property (const WlSwfMachines *m, const char *property, GString *selector, const WlSwfGroup **of)
{
  const gboolean not = *property == '^';
  const char *name = property + not;
  g_autoptr (GString) term = g_string_new (NULL);

  for (guint i = 0; i < m->groups->len; i++) {
    const WlSwfGroup *g = group_at (m, i);
    g_autofree char *cpus = g_strdup_printf ("nodecpus%" G_GINT64_FORMAT, g->processors), *value = wl_import_label_value (g->name);

    if ((g_str_has_prefix (name, "cl_") && strcmp (name + 3, g->name) == 0) || strcmp (name, cpus) == 0) {
      g_string_append_printf (term, "%s%s", term->len > 0 ? "|" : "", value);
      *of = not ? *of : g;
    }
  }
  if (term->len == 0)
    return FALSE;
  g_autofree char *text = g_strdup_printf ("cluster%s%s", not ? "!=" : "=", term->str);

  if (strstr (selector->str, text) == NULL) /* properties are often said twice */
    g_string_append_printf (selector, "%s%s", selector->len > 0 ? ";" : "", text);
  return TRUE;
}

gboolean
wl_swf_read_request (WlImport *imp, const char *text, gint64 processors, const WlSwfMachines *m, WlSwfRequest *out)
{
  g_autofree char *plain = g_strndup (text, strcspn (text, "#"));
  g_auto (GStrv) part = g_strsplit (plain, "+", -1);
  g_autoptr (GString) selector = g_string_new (NULL);
  const gboolean exclusive = strstr (text, "#excl") != NULL;
  gboolean ignored = FALSE;
  const WlSwfGroup *of = NULL;
  gint64 sum = 0;

  *out = (WlSwfRequest) { .n = 0 };
  for (char **p = part; *p != NULL; p++) {
    g_auto (GStrv) word = g_strsplit (*p, ":", -1);
    gint64 nodes, each = 0;

    if (word[0] == NULL || out->n == WL_SWF_MAX_PARTS || !wl_parse_int (word[0], 1, MAX_NODES, &nodes, NULL)) {
      sum = -1;
      break;
    }
    for (char **w = word + 1; *w != NULL; w++)
      if (g_str_has_prefix (*w, "ppn="))
        each = CLAMP (g_ascii_strtoll (*w + 4, NULL, 10), 0, MAX_CORES);
      else
        ignored |= !add_property (m, *w, selector, &of);
    if (each == 0 && part[1] == NULL && processors % nodes == 0)
      each = processors / nodes;
    if (each == 0) {
      sum = -1;
      break;
    }
    sum += nodes * each;
    out->part[out->n].nodes = nodes;
    out->part[out->n++].processors = each;
  }
  if (sum != processors) {
    wl_import_note (imp, "request of nodes that does not add up to the processors: ignored", 1);
    return FALSE;
  }
  if (ignored)
    wl_import_note (imp, "properties of nodes that no list of machines tells: ignored", 1);
  for (guint i = 0; i < out->n && exclusive; i++) {
    for (guint k = 0; k < m->groups->len && of == NULL; k++)
      of = group_at (m, k)->processors >= out->part[i].processors ? group_at (m, k) : NULL;
    out->part[i].processors = MAX (out->part[i].processors, of != NULL ? of->processors : 0);
  }
  out->selector = selector->len > 0 ? g_strdup (selector->str) : NULL;
  return TRUE;
}
