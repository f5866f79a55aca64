/* A profile that makes traces like a given one: sizes as they are, running times and times between jobs by the form that is nearest to them. */
#include "fit.h"
#include "sample.h"
#include "core/conf/conf-yaml.h"
#include "core/conf/preset.h"
#include "workloads/k8s/k8s-objects.h"
#include "workloads/native/append.h"
#include "workloads/text/parse.h"
#include <math.h>
#include <string.h>

#define CLASSES_MOST 128u
#define SHAPES_MOST 400u
#define DAY_HOURS 24u
#define SETTINGS_MOST (4u << 20) /* bytes of a scenario or a configuration */

struct WlFit {
  char *folder, *profile;
  GArray *jobs; /* WlJob */
  WlSample *sample;
  GPtrArray *notes; /* what the profile cannot say */
  guint crowded;    /* jobs for which there was no class any more */
};

static void
note (WlFit *f, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
note (WlFit *f, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (f->notes, g_strdup_vprintf (format, args));
  va_end (args);
}

static void
add_number (GString *out, double v)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (out, g_ascii_formatd (buf, sizeof buf, v == floor (v) && fabs (v) < 1e15 ? "%.0f" : "%.6g", v));
}

/* ---- when jobs come ------------------------------------------------------------------------------ */

/* Jobs by hour of the day from the first midnight of the trace's own axis, and by day of the week. */
static void
add_arrival (WlFit *f, const char *how, GString *out)
{
  g_autoptr (GArray) submits = g_array_new (FALSE, FALSE, sizeof (double)), gaps = g_array_new (FALSE, FALSE, sizeof (double));
  double hour[DAY_HOURS] = { 0 }, up_to[DAY_HOURS + 1] = { 0 };
  const double length = 3600.0 * G_USEC_PER_SEC, day = DAY_HOURS * length;

  for (guint i = 0; i < f->jobs->len; i++) {
    double t = (double) g_array_index (f->jobs, WlJob, i).submit;

    g_array_append_val (submits, t);
  }
  g_array_sort (submits, wl_compare_doubles);
  double last = submits->len > 0 ? g_array_index (submits, double, submits->len - 1) : 0;
  gboolean daily = last >= 2 * day;

  for (guint i = 0; i < submits->len; i++)
    hour[(guint) (fmod (g_array_index (submits, double, i), day) / length)]++;
  /* The last day counts by the part that there is of it. */
  for (guint h = 0; h < DAY_HOURS; h++) {
    double seen = floor (last / day) * length + CLAMP (fmod (last, day) - h * length, 0, length);

    hour[h] = daily && submits->len > 0 ? hour[h] / seen * last / submits->len : 1;
    up_to[h + 1] = up_to[h] + hour[h] * length;
  }
  double before = 0;

  for (guint i = 0; i < submits->len; i++) { /* time at the mean rate */
    double t = g_array_index (submits, double, i), whole = floor (t / day), rest = t - whole * day;
    guint h = MIN ((guint) (rest / length), DAY_HOURS - 1);
    double at = (whole * up_to[DAY_HOURS] + up_to[h] + hour[h] * (rest - h * length)) * (day / up_to[DAY_HOURS]), gap = at - before;

    if (i > 0)
      g_array_append_val (gaps, gap);
    before = at;
  }
  g_array_sort (gaps, wl_compare_doubles);
  for (guint i = 0; i < gaps->len && g_array_index (gaps, double, i) < 0; i++) /* rounding */
    g_array_index (gaps, double, i) = 0;
  g_autofree char *interval = wl_fit_distribution (gaps, how, WL_TIMES);

  g_string_append_printf (out, "arrival:\n  interval: %s\n", interval);
  if (daily) {
    g_string_append (out, "  day:");
    for (guint h = 0; h < DAY_HOURS; h++) {
      g_string_append_c (out, ' ');
      add_number (out, floor (hour[h] * 10000 + 0.5) / 10000);
    }
    g_string_append_c (out, '\n');
  }
}

/* ---- nodes and queues ---------------------------------------------------------------------------- */

typedef struct { char *text; guint32 count; } Counted;

static void
counted_clear (gpointer data)
{
  g_free (((Counted *) data)->text);
}

/* One more of @text, in the order in which texts come. */
static Counted *
count_text (GArray *list, GHashTable *where, const char *text)
{
  gpointer at;

  if (!g_hash_table_lookup_extended (where, text, NULL, &at)) {
    Counted one = { g_strdup (text), 0 };

    at = GUINT_TO_POINTER (list->len);
    g_array_append_val (list, one);
    g_hash_table_insert (where, g_strdup (text), at);
  }
  Counted *c = &g_array_index (list, Counted, GPOINTER_TO_UINT (at));

  c->count++;
  return c;
}

static GArray *
counted_new (void)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Counted));

  g_array_set_clear_func (list, counted_clear);
  return list;
}

static void
append_taints (GString *out, const GArray *list)
{
  wl_append_taints (out, list, FALSE);
}

static void
append_annotations (GString *out, const GArray *list)
{
  for (guint i = 0; i < list->len; i++) {
    const WlPair *p = &g_array_index (list, WlPair, i);

    g_string_append_printf (out, "%s%s=", i > 0 ? ";" : "", p->key);
    for (const char *c = p->value; *c != '\0'; c++)
      g_string_append_printf (out, "%s%c", *c == ';' || *c == '\\' ? "\\" : "", *c);
  }
}

/* A line of YAML with a column of nodes.csv, unless @list is empty. */
static void
add_cell (GString *out, const char *column, const GArray *list, void append (GString *out, const GArray *list))
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (list->len == 0)
    return;
  append (text, list);
  g_string_append_printf (out, "    %s: ", column);
  wl_append_quoted (out, text->str);
  g_string_append_c (out, '\n');
}

static gboolean
add_nodes (WlFit *f, GString *out, GError **error)
{
  g_autofree char *path = g_build_filename (f->folder, "nodes.csv", NULL);
  g_autoptr (GArray) nodes = wl_read_nodes (path, error), kinds = counted_new ();
  g_autoptr (GHashTable) where = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint later = 0;

  if (nodes == NULL)
    return FALSE;
  for (guint i = 0; i < nodes->len; i++) {
    const WlNodeRow *n = &g_array_index (nodes, WlNodeRow, i);
    g_autoptr (GString) kind = g_string_new (NULL);

    if (n->event != WL_NODE_ADD || n->time > 0) {
      later++;
      continue;
    }
    for (guint k = 0; k < n->resources->len; k++) {
      const WlResource *r = &g_array_index (n->resources, WlResource, k);

      if (strcmp (r->name, "pods") == 0 && r->amount.value == 110) /* filled in */
        continue;
      g_string_append (kind, "    ");
      wl_append_quoted (kind, r->name);
      g_string_append (kind, ": ");
      wl_append_amount (kind, r);
      g_string_append_c (kind, '\n');
    }
    for (guint k = 0; k < n->labels->len; k++) {
      const WlPair *l = &g_array_index (n->labels, WlPair, k);
      g_autofree char *pair = g_strdup_printf ("%s=%s", l->key, l->value);
      gboolean first = strstr (kind->str, "    labels: ") == NULL;

      if (first)
        g_string_append (kind, "    labels: ");
      else
        g_string_truncate (kind, kind->len - 2); /* quote and end of line */
      g_string_append_printf (kind, "%s%s\"\n", first ? "\"" : ";", pair);
    }
    add_cell (kind, "taints", n->taints, append_taints);
    add_cell (kind, "annotations", n->annotations, append_annotations);
    count_text (kinds, where, kind->str);
  }
  g_string_append (out, "nodes:\n");
  for (guint i = 0; i < kinds->len; i++) {
    const Counted *c = &g_array_index (kinds, Counted, i);

    g_string_append_printf (out, "  - node: n%u\n    count: %u\n%s", i, c->count, c->text);
  }
  if (kinds->len == 0) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s: expected nodes that are there from the start, found none", path);
    return FALSE;
  }
  if (later > 0)
    note (f, "%u rows of nodes (later changes) are left out", later);
  return TRUE;
}

static int
by_count (gconstpointer a, gconstpointer b)
{
  const Counted *x = a, *y = b;

  return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp (x->text, y->text);
}

static GArray *
sorted_counts (GHashTable *table)
{
  GArray *list = counted_new ();
  GHashTableIter i;
  gpointer name, n;

  g_hash_table_iter_init (&i, table);
  while (g_hash_table_iter_next (&i, &name, &n)) {
    Counted one = { g_strdup (name), (guint32) GPOINTER_TO_SIZE (n) };
    g_array_append_val (list, one);
  }
  g_array_sort (list, by_count);
  return list;
}

static void
add_queue_cells (GString *out, const WlQueueRow *q)
{
  if (q->weight >= 0)
    g_string_append_printf (out, "    weight: %d\n", q->weight);
  if (q->priority >= 0)
    g_string_append_printf (out, "    priority: %d\n", q->priority);
  if (q->reclaimable >= 0)
    g_string_append_printf (out, "    reclaimable: %s\n", q->reclaimable ? "true" : "false");
  if (q->parent != NULL) {
    g_string_append (out, "    parent: ");
    wl_append_quoted (out, q->parent);
    g_string_append_c (out, '\n');
  }
  const struct { const char *name; const GArray *amounts; } groups[] = { { "capability", q->capability }, { "guarantee", q->guarantee }, { "deserved", q->deserved } };

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    for (guint k = 0; k < groups[i].amounts->len; k++) {
      const WlResource *r = &g_array_index (groups[i].amounts, WlResource, k);
      g_autofree char *column = g_strdup_printf ("%s/%s", groups[i].name, r->name);

      g_string_append (out, "    ");
      wl_append_quoted (out, column);
      g_string_append (out, ": ");
      wl_append_amount (out, r);
      g_string_append_c (out, '\n');
    }
}

static gboolean
add_queues (WlFit *f, GString *out, GError **error)
{
  g_autofree char *path = g_build_filename (f->folder, "queues.csv", NULL);
  g_autoptr (GArray) rows = g_file_test (path, G_FILE_TEST_EXISTS) ? wl_read_queues (path, error) : wl_queue_rows_new ();
  g_autoptr (GArray) used = sorted_counts (f->sample->queues);
  g_autoptr (GString) list = g_string_new (NULL);

  if (rows == NULL)
    return FALSE;
  for (guint i = 0; i < rows->len; i++) {
    const WlQueueRow *q = &g_array_index (rows, WlQueueRow, i);

    if (q->time > 0 || strcmp (q->name, "root") == 0)
      continue;
    g_string_append (list, "  - queue: ");
    wl_append_quoted (list, q->name);
    g_string_append_printf (list, "\n    share: %u\n", GPOINTER_TO_UINT (g_hash_table_lookup (f->sample->queues, q->name)));
    add_queue_cells (list, q);
    for (guint k = 0; k < used->len; k++)
      if (strcmp (g_array_index (used, Counted, k).text, q->name) == 0)
        g_array_remove_index (used, k);
  }
  for (guint k = 0; k < used->len; k++) {
    const Counted *c = &g_array_index (used, Counted, k);

    if (list->len == 0 && used->len == 1 && strcmp (c->text, "default") == 0)
      break; /* it is there anyway */
    g_string_append (list, "  - queue: ");
    wl_append_quoted (list, c->text);
    g_string_append_printf (list, "\n    share: %u\n", c->count);
  }
  if (list->len > 0)
    g_string_append_printf (out, "queues:\n%s", list->str);
  return TRUE;
}

/* The exponent under which the ranks' counts are likeliest. */
static double
zipf_exponent (const GArray *sorted)
{
  double n = 0, logs = 0, low = 0, high = 10;

  for (guint i = 0; i < sorted->len; i++) {
    n += g_array_index (sorted, Counted, i).count;
    logs += g_array_index (sorted, Counted, i).count * vc_random_log (i + 1.0);
  }
  for (guint turn = 0; turn < 50; turn++) {
    double s = (low + high) / 2, s0 = 0, s1 = 0;

    for (guint i = 0; i < sorted->len; i++) {
      double l = vc_random_log (i + 1.0), p = vc_random_exp (-s * l);

      s0 += p;
      s1 += p * l;
    }
    if (s1 / s0 > logs / n)
      low = s;
    else
      high = s;
  }
  return (low + high) / 2;
}

static void
add_users (WlFit *f, GString *out)
{
  g_autoptr (GArray) users = sorted_counts (f->sample->users);

  if (users->len == 0)
    return;
  g_string_append_printf (out, "users: {count: %u, zipf: ", users->len);
  add_number (out, floor (zipf_exponent (users) * 1000 + 0.5) / 1000);
  g_string_append (out, "}\n");
}

/* ---- classes ------------------------------------------------------------------------------------- */

typedef struct {
  char *key;
  char *cells;     /* priority and the like, as YAML */
  GArray *shapes;  /* Counted, text as YAML */
  GHashTable *where;
  GArray *run;     /* µs */
  guint jobs, endless, dropped;
  guint several, gangs; /* jobs of several pods, and those of them that need all at once */
} Group;

static void
group_clear (gpointer data)
{
  Group *g = data;

  g_free (g->key);
  g_free (g->cells);
  g_array_unref (g->shapes);
  g_hash_table_unref (g->where);
  g_array_unref (g->run);
}

/* What sets the size of a job: its devices, without any its cores. */
static double
job_size (const WlJob *job)
{
  double devices = 0, cores = 0;

  for (guint i = 0; i < job->roles->len; i++) {
    const WlRole *role = &g_array_index (job->roles, WlRole, i);

    for (guint k = 0; k < role->resources->len; k++) {
      const WlResource *r = &g_array_index (role->resources, WlResource, k);

      if (strchr (r->name, '/') != NULL)
        devices += wl_units (r) * role->replicas;
      else if (strcmp (r->name, "cpu") == 0)
        cores += wl_units (r) * role->replicas;
    }
  }
  return devices > 0 ? 4096 + devices : cores; /* devices apart */
}

static int
doubling (double x)
{
  int n = 0;

  for (; x > 1 && n < 60; x /= 2)
    n++;
  return n;
}

static Group *
group_of (WlFit *f, GArray *groups, const WlJob *job)
{
  const WlRole *role = &g_array_index (job->roles, WlRole, 0);
  double size = job_size (job);
  g_autoptr (GString) selector = g_string_new (NULL), tolerations = g_string_new (NULL);

  wl_append_node_selector (selector, role->node_selector, role->node_terms);
  wl_append_taints (tolerations, role->tolerations, TRUE);
  g_autofree char *key = g_strdup_printf ("%s|%d|%c%02d|%s|%s", job->priority != NULL ? job->priority : "", job->preemptable, size > 4096 ? 'd' : 'c',
                                          doubling (size > 4096 ? size - 4096 : size), selector->str, tolerations->str);

  for (guint i = 0; i < groups->len; i++)
    if (strcmp (g_array_index (groups, Group, i).key, key) == 0)
      return &g_array_index (groups, Group, i);
  if (groups->len == CLASSES_MOST) { /* the rest joins the last */
    f->crowded++;
    return &g_array_index (groups, Group, CLASSES_MOST - 1);
  }
  g_autoptr (GString) cells = g_string_new (NULL);

  if (job->priority != NULL) {
    g_string_append (cells, "    priority: ");
    wl_append_quoted (cells, job->priority);
    g_string_append_c (cells, '\n');
  }
  if (job->preemptable >= 0)
    g_string_append_printf (cells, "    preemptable: %s\n", job->preemptable ? "true" : "false");
  if (selector->len > 0 || tolerations->len > 0)
    g_string_append (cells, "    columns:\n");
  if (selector->len > 0) {
    g_string_append (cells, "      node_selector: ");
    wl_append_quoted (cells, selector->str);
    g_string_append_c (cells, '\n');
  }
  if (tolerations->len > 0) {
    g_string_append (cells, "      tolerations: ");
    wl_append_quoted (cells, tolerations->str);
    g_string_append_c (cells, '\n');
  }
  Group g = { .key = g_steal_pointer (&key), .cells = g_strdup (cells->str), .shapes = counted_new (), .run = g_array_new (FALSE, FALSE, sizeof (double)),
              .where = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };

  g_array_append_val (groups, g);
  return &g_array_index (groups, Group, groups->len - 1);
}

static void
add_to_group (Group *g, const WlJob *job)
{
  const WlRole *role = &g_array_index (job->roles, WlRole, 0);
  g_autoptr (GString) shape = g_string_new (NULL);
  double seconds = wl_role_seconds (role);
  guint64 pods = wl_job_pods (job);

  g->jobs++;
  g->several += pods > 1;
  g->gangs += pods > 1 && (job->min_available < 0 || (guint64) job->min_available >= pods);
  if (seconds >= 0) {
    seconds *= G_USEC_PER_SEC;
    g_array_append_val (g->run, seconds);
  } else {
    g->endless++;
  }
  g_string_append_printf (shape, "replicas: %" G_GUINT64_FORMAT, pods);
  for (guint k = 0; k < role->resources->len; k++) {
    const WlResource *r = &g_array_index (role->resources, WlResource, k);

    g_string_append (shape, ", ");
    wl_append_quoted (shape, r->name);
    g_string_append (shape, ": ");
    wl_append_amount (shape, r);
  }
  count_text (g->shapes, g->where, shape->str);
}

static void
add_group (WlFit *f, Group *g, guint index, const char *how, GString *out)
{
  g_array_sort (g->run, wl_compare_doubles);
  g_autofree char *run = wl_fit_distribution (g->run, how, WL_TIMES);

  g_array_sort (g->shapes, by_count);
  for (guint i = SHAPES_MOST; i < g->shapes->len; i++)
    g->dropped += g_array_index (g->shapes, Counted, i).count;
  if (g->dropped > 0)
    note (f, "class-%u: %u jobs of rare sizes are left out, the %u most frequent stand for them", index, g->dropped, SHAPES_MOST);
  g_string_append_printf (out, "  - class: class-%u\n    share: %u\n%s", index, g->jobs, g->cells);
  if (g->gangs * 2 < g->several)
    g_string_append (out, "    gang: false\n");
  if (g->gangs > 0 && g->gangs < g->several)
    note (f, "class-%u: %u of %u jobs of several pods are gangs; all are made %s", index, g->gangs, g->several, g->gangs * 2 < g->several ? "none" : "gangs");
  if (g->endless > 0) {
    g_string_append (out, "    endless: ");
    add_number (out, (double) g->endless / g->jobs);
    g_string_append_c (out, '\n');
  }
  if (g->run->len > 0)
    g_string_append_printf (out, "    duration: %s\n", strcmp (run, "0") != 0 ? run : "1ms");
  g_string_append (out, "    shapes:\n");
  for (guint i = 0; i < g->shapes->len && i < SHAPES_MOST; i++) {
    const Counted *c = &g_array_index (g->shapes, Counted, i);

    g_string_append_printf (out, "      - {share: %u, %s}\n", c->count, c->text);
  }
}

static void
add_classes (WlFit *f, const char *how, GString *out)
{
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (Group));
  guint several = 0, apart = 0;

  g_array_set_clear_func (groups, group_clear);
  for (guint i = 0; i < f->jobs->len; i++) {
    const WlJob *job = &g_array_index (f->jobs, WlJob, i);

    several += job->roles->len > 1;
    apart += g_array_index (job->roles, WlRole, 0).apart != NULL;
    add_to_group (group_of (f, groups, job), job);
  }
  if (several > 0)
    note (f, "%u jobs of several tasks become one task of as many pods, like the first", several);
  if (apart > 0)
    note (f, "%u jobs keep apart from others: that is left out", apart);
  if (f->crowded > 0)
    note (f, "%u jobs of rare kinds (priority, size, nodes) join the last of %u classes", f->crowded, CLASSES_MOST);
  g_string_append (out, "classes:\n");
  for (guint i = 0; i < groups->len; i++)
    add_group (f, &g_array_index (groups, Group, i), i, how, out);
}

/* ---- settings ------------------------------------------------------------------------------------ */

static const VcYamlNode *
value_of (const VcYamlNode *map, const char *key)
{
  for (guint i = 0; map != NULL && map->kind == VC_YAML_MAP && i + 1 < map->child->len; i += 2)
    if (g_strcmp0 (((const VcYamlNode *) map->child->pdata[i])->text, key) == 0)
      return map->child->pdata[i + 1];
  return NULL;
}

/* Classes of priority and the configuration, without which the jobs could not run as those of the trace do. */
static gboolean
add_settings (WlFit *f, GString *out, GError **error)
{
  g_autofree char *path = g_build_filename (f->folder, "scenario.yaml", NULL), *text = NULL;
  g_auto (VcYamlDoc) doc = { 0 };
  g_auto (VcYamlFault) fault = { 0 };
  gsize len;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  if ((text = wl_read_file (path, SETTINGS_MOST, &len, error)) == NULL)
    return FALSE;
  if (!vc_yaml_read (text, len, &doc, &fault)) {
    g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "%s:%u:%u: %s", path, fault.line, fault.col, fault.what);
    return FALSE;
  }
  const VcYamlNode *classes = value_of (doc.root, "priority_classes"), *conf = value_of (doc.root, "conf"), *preset = value_of (doc.root, "policy_preset");

  if (classes != NULL && classes->kind == VC_YAML_MAP && classes->child->len > 1)
    g_string_append (out, "priority_classes:\n");
  for (guint i = 0; classes != NULL && classes->kind == VC_YAML_MAP && i + 1 < classes->child->len; i += 2) {
    const VcYamlNode *name = classes->child->pdata[i], *value = classes->child->pdata[i + 1];

    if (name->kind == VC_YAML_SCALAR && value->kind == VC_YAML_SCALAR) /* others no run accepts */
      g_string_append_printf (out, "  %s: %s\n", name->text, value->text);
  }
  g_autofree char *held = NULL;

  if (preset != NULL && preset->kind == VC_YAML_SCALAR) {
    const VcPreset *named = vc_preset_find (preset->text, error);

    if (named == NULL) {
      g_prefix_error (error, "%s:%u:%u: 'policy_preset', ", path, preset->line, preset->col);
      return FALSE;
    }
    held = g_strdup (named->text);
  } else if (conf != NULL && conf->kind == VC_YAML_SCALAR) {
    g_autofree char *file = g_path_is_absolute (conf->text) ? g_strdup (conf->text) : g_build_filename (f->folder, conf->text, NULL);

    if ((held = wl_read_file (file, SETTINGS_MOST, NULL, error)) == NULL)
      return FALSE;
  } else {
    return TRUE;
  }
  g_auto (GStrv) line = g_strsplit (g_strchomp (held), "\n", -1);

  g_string_append (out, "conf: |\n");
  for (char **l = line; *l != NULL; l++)
    g_string_append_printf (out, "%s%s\n", **l != '\0' ? "  " : "", *l);
  return TRUE;
}

/* Jobs that are objects are no part of the profile: it is a matter of rows. */
static gboolean
note_objects (WlFit *f, GError **error)
{
  static const char *const names[] = { "objects.yaml", "objects.json" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (f->folder, names[i], NULL);
    const char *const file = path;
    guint steps = 0;

    if (!g_file_test (path, G_FILE_TEST_EXISTS))
      continue;
    g_autoptr (WlObjects) o = wl_objects_read_workload (&file, 1, error);

    if (o == NULL)
      return FALSE;
    for (guint k = 0; k < o->flows->len; k++)
      steps += ((const WlJobFlow *) o->flows->pdata[k])->n_steps;
    if (o->jobs->len + o->flows->len + o->crons->len > 0)
      note (f, "%s is left out, the profile and the table are of jobs.csv alone: %u Jobs, %u JobFlows of %u jobs, %u CronJobs", names[i], o->jobs->len, o->flows->len, steps, o->crons->len);
  }
  return TRUE;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

WlFit *
wl_fit (const char *folder, const char *how, GError **error)
{
  g_autoptr (WlFit) f = g_new0 (WlFit, 1);
  g_autofree char *path = g_build_filename (folder, "jobs.csv", NULL), *objects = g_build_filename (folder, "objects.yaml", NULL);
  g_autoptr (GString) out = g_string_new (NULL);

  f->folder = g_strdup (folder);
  f->notes = g_ptr_array_new_with_free_func (g_free);
  if (how == NULL)
    how = "best";
  if (strcmp (how, "best") != 0 && strcmp (how, "parametric") != 0 && strcmp (how, "empirical") != 0) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--fit, expected best, parametric or empirical, found '%s'", how);
    return NULL;
  }
  const gboolean objects_alone = !g_file_test (path, G_FILE_TEST_EXISTS) && g_file_test (objects, G_FILE_TEST_EXISTS); /* the dump of a cluster */

  if (!objects_alone && (f->jobs = wl_read_jobs (path, error)) == NULL)
    return NULL;
  if (objects_alone || f->jobs->len < 2) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s: expected at least two jobs to fit a profile to, found %u%s", path, objects_alone ? 0 : f->jobs->len,
                 objects_alone ? " (those in objects.yaml cannot be fitted)" : "");
    return NULL;
  }
  f->sample = wl_sample_new (f->jobs);
  g_autofree char *base = g_path_get_basename (folder), *shown = g_strescape (base, NULL);
  g_string_append_printf (out, "# Fitted to %u jobs of the trace \"%s\".\nseed: 1\njobs: %u\n", f->jobs->len, shown, f->jobs->len);
  add_arrival (f, how, out);
  if (!add_nodes (f, out, error) || !add_queues (f, out, error))
    return NULL;
  if (!add_settings (f, out, error))
    return NULL;
  add_users (f, out);
  add_classes (f, how, out);
  if (!note_objects (f, error))
    return NULL;
  f->profile = g_string_free (g_steal_pointer (&out), FALSE);
  return g_steal_pointer (&f);
}

void
wl_fit_free (WlFit *f)
{
  if (f == NULL)
    return;
  g_free (f->folder);
  g_free (f->profile);
  g_clear_pointer (&f->jobs, g_array_unref);
  g_clear_pointer (&f->sample, wl_sample_free);
  g_ptr_array_unref (f->notes);
  g_free (f);
}

const char *
wl_fit_profile (const WlFit *f)
{
  return f->profile;
}

/* ---- how well it fits ---------------------------------------------------------------------------- */

static const GArray *
values_of (const WlSample *s, const char *name)
{
  for (guint i = 0; i < s->marginals->len; i++)
    if (strcmp (((const WlMarginal *) s->marginals->pdata[i])->name, name) == 0)
      return ((const WlMarginal *) s->marginals->pdata[i])->values;
  return NULL;
}

/* Half the sum of the differences of the shares, ranked for users, whose names are new. */
static double
share_distance (GHashTable *a, GHashTable *b, double n_a, double n_b, gboolean by_rank)
{
  g_autoptr (GArray) x = sorted_counts (a), y = sorted_counts (b);
  double sum = 0;

  if (by_rank) {
    for (guint i = 0; i < MAX (x->len, y->len); i++)
      sum += fabs ((i < x->len ? g_array_index (x, Counted, i).count / n_a : 0) - (i < y->len ? g_array_index (y, Counted, i).count / n_b : 0));
    return sum / 2;
  }
  for (guint i = 0; i < x->len; i++) {
    const Counted *c = &g_array_index (x, Counted, i);

    sum += fabs (c->count / n_a - (double) GPOINTER_TO_SIZE (g_hash_table_lookup (b, c->text)) / n_b);
  }
  for (guint i = 0; i < y->len; i++)
    if (!g_hash_table_contains (a, g_array_index (y, Counted, i).text))
      sum += g_array_index (y, Counted, i).count / n_b;
  return sum / 2;
}

static void
add_line (GString *table, GString *csv, const char *name, const double q[6], double ks)
{
  char buf[6][G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < 6; i++)
    g_ascii_formatd (buf[i], sizeof buf[i], "%.6g", q[i]);
  g_string_append_printf (table, "%-34s %11s %11s %11s %11s %11s %11s %7.4f\n", name, buf[0], buf[1], buf[2], buf[3], buf[4], buf[5], ks);
  g_string_append_printf (csv, "\"%s\",%s,%s,%s,%s,%s,%s,%.6f\n", name, buf[0], buf[1], buf[2], buf[3], buf[4], buf[5], ks);
}

char *
wl_fit_table (const WlFit *f, const char *folder, GString *csv, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "jobs.csv", NULL);
  g_autoptr (GArray) jobs = wl_read_jobs (path, error);

  if (jobs == NULL)
    return NULL;
  GString *table = g_string_new (NULL);
  g_autoptr (WlSample) made = wl_sample_new (jobs);

  g_string_append (csv, "marginal,trace_p50,trace_p95,trace_max,made_p50,made_p95,made_max,distance\n");
  g_string_append_printf (table, "%-34s %35s %35s %7s\n%-34s %11s %11s %11s %11s %11s %11s\n", "How well it fits", "trace", "made", "KS", "", "p50", "p95", "max", "p50",
                          "p95", "max");
  for (guint i = 0; i < f->sample->marginals->len; i++) {
    const WlMarginal *m = f->sample->marginals->pdata[i];
    const GArray *other = values_of (made, m->name);
    g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (double));
    double q[6];

    if (other == NULL)
      other = none;
    if (strcmp (m->name, WL_ENDLESS) == 0 && wl_percentile (m->values, 100) + wl_percentile (other, 100) < 1)
      continue; /* all end in both */
    for (guint k = 0; k < 3; k++) {
      static const double p[] = { 50, 95, 100 };

      q[k] = wl_percentile (m->values, p[k]);
      q[3 + k] = wl_percentile (other, p[k]);
    }
    add_line (table, csv, m->name, q, wl_ks_distance (m->values, other));
  }
  const double none[6] = { 0 };

  add_line (table, csv, "queues (half the sum of differences)", none, share_distance (f->sample->queues, made->queues, f->sample->n_jobs, MAX (made->n_jobs, 1), FALSE));
  if (g_hash_table_size (f->sample->users) > 0)
    add_line (table, csv, "users by rank (the same)", none, share_distance (f->sample->users, made->users, f->sample->n_jobs, MAX (made->n_jobs, 1), TRUE));
  for (guint i = 0; i < f->notes->len; i++)
    g_string_append_printf (table, "note: %s\n", (const char *) f->notes->pdata[i]);
  return g_string_free (table, FALSE);
}
