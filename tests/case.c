/* tests/case.c - see case.h. */
#include "case.h"
#include <math.h>
#include <string.h>

static char *
list_text (const Jd *json)
{
  const Jd *objects = jd_get (json, "objects");

  return g_strdup_printf ("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":%.*s}",
                          objects != NULL ? (int) objects->raw_len : 2,
                          objects != NULL ? objects->raw : "[]");
}

WlObjects *
case_objects (const Jd *json, GError **error)
{
  g_autofree char *text = list_text (json);

  return wl_objects_parse (text, strlen (text), jd_text (jd_get (json, "id"), "case"), error);
}

/* A text or a list of texts, NULL-terminated. */
static const char *const *
texts_of (const Jd *value, VcArena *arena)
{
  guint n = value->type == JD_ARRAY ? value->n : 1;
  const char **list = vc_arena_new0 (arena, const char *, n + 1);

  for (guint i = 0; i < n; i++)
    list[i] = jd_text (value->type == JD_ARRAY ? value->child[i] : value, "");
  return list;
}

gboolean
case_input (const Jd *json, VcArena *arena, SimCycleInput *in, GError **error)
{
  const Jd *usage = jd_get (json, "nodeUsage");
  const Jd *options = jd_get (json, "options");
  const char *now = jd_text (jd_get (json, "now"), NULL);
  gint64 seconds;

  sim_cycle_input_init (in);
  in->lenient = TRUE;
  in->conf_text = jd_text (jd_get (json, "conf"), "");
  in->conf_len = strlen (in->conf_text);
  in->conf_source = "volcano-scheduler.conf";
  for (guint i = 0; options != NULL && i < options->n; i++) {
    const char *key = options->key[i];
    const Jd *value = options->child[i];

    if (strcmp (key, "percentage-nodes-to-find") == 0)
      in->engine.percentage_nodes_to_find = (gint64) jd_number (value, 0);
    else if (strcmp (key, "minimum-feasible-nodes") == 0)
      in->engine.minimum_feasible_nodes = (gint64) jd_number (value, 0);
    else if (strcmp (key, "minimum-percentage-nodes-to-find") == 0)
      in->engine.minimum_percentage_nodes_to_find = (gint64) jd_number (value, 0);
    else if (strcmp (key, "feature-gates") == 0
             && strcmp (jd_text (value, ""), "SchedulingGatesQueueAdmission=true") == 0)
      in->engine.gates_admission = TRUE;
    else if (strcmp (key, "scheduler-sharding-mode") == 0)
      in->cache.sharding = strcmp (jd_text (value, ""), "hard") == 0 ? VC_SHARDING_HARD : VC_SHARDING_SOFT;
    else if (strcmp (key, "scheduler-sharding-name") == 0)
      in->cache.shard = jd_text (value, "");
    else if (strcmp (key, "ignored-provisioners") == 0)
      in->cache.ignored_provisioners = texts_of (value, arena);
    else if (strcmp (key, "node-selector") == 0)
      in->cache.node_selector = texts_of (value, arena);
    else if (strcmp (key, "default-queue") == 0)
      in->cache.default_queue = jd_text (value, "");
    else if (strcmp (key, "priority-class") == 0)
      in->cache.priority_class = value->raw[0] == 't';
    else {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "flag %s is not known to the test", key);
      return FALSE;
    }
  }
  if (now != NULL && vc_parse_rfc3339 (now, &seconds))
    in->now = seconds * G_USEC_PER_SEC;
  if (usage == NULL)
    return TRUE;
  in->usage = wl_node_usage_parse (usage->raw, usage->raw_len, "nodeUsage", error);
  return in->usage != NULL;
}

void
case_input_clear (SimCycleInput *in)
{
  wl_node_usage_free ((WlNodeUsage *) in->usage);
  in->usage = NULL;
}

char **
case_arguments (const Jd *json, const char *volsim, const char *dir, GError **error)
{
  g_autoptr (GPtrArray) args = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *conf = g_build_filename (dir, "volcano-scheduler.conf", NULL);
  g_autofree char *objects = g_build_filename (dir, "objects.json", NULL);
  g_autofree char *list = list_text (json);
  const Jd *options = jd_get (json, "options"), *now = jd_get (json, "now");
  const Jd *usage = jd_get (json, "nodeUsage");

  if (!g_file_set_contents (conf, jd_text (jd_get (json, "conf"), ""), -1, error)
      || !g_file_set_contents (objects, list, -1, error))
    return NULL;
  g_ptr_array_add (args, g_strdup (volsim));
  g_ptr_array_add (args, g_strdup ("cycle"));
  g_ptr_array_add (args, g_strdup ("--lenient"));
  g_ptr_array_add (args, g_strdup ("--conf"));
  g_ptr_array_add (args, g_strdup (conf));
  for (guint i = 0; options != NULL && i < options->n; i++) {
    g_autofree char *raw = jd_dup_raw (options->child[i]);

    g_ptr_array_add (
        args, g_strdup_printf ("--%s=%s", options->key[i], jd_text (options->child[i], raw)));
  }
  if (usage != NULL) {
    g_autofree char *path = g_build_filename (dir, "node-usage.json", NULL);

    if (!g_file_set_contents (path, usage->raw, (gssize) usage->raw_len, error))
      return NULL;
    g_ptr_array_add (args, g_strdup ("--node-usage"));
    g_ptr_array_add (args, g_steal_pointer (&path));
  }
  if (now != NULL) {
    g_ptr_array_add (args, g_strdup ("--now"));
    g_ptr_array_add (args, g_strdup (jd_text (now, "")));
  }
  g_ptr_array_add (args, g_strdup (objects));
  g_ptr_array_add (args, g_strdup ("-o"));
  g_ptr_array_add (args, g_strdup ("json"));
  g_ptr_array_add (args, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&args), FALSE);
}

/* ---- comparison ---- */

G_GNUC_PRINTF (2, 3) static void differs (GPtrArray *out, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (out, g_strdup_vprintf (format, args));
  va_end (args);
}

static void
compare_values (const char *what, const char *key, const Jd *want, const Jd *got, GPtrArray *out)
{
  if (!jd_equal (want, got)) {
    g_autofree char *w = jd_dup_raw (want), *g = jd_dup_raw (got);

    differs (out, "%s[%s]: Volcano %s, volsim %s", what, key, w, g);
  }
}

/* Every member of @want; with @both also that @got has no other. */
static void
compare_maps (const char *what, const Jd *want, const Jd *got, gboolean both, GPtrArray *out)
{
  for (guint i = 0; i < want->n; i++)
    compare_values (what, want->key[i], want->child[i], jd_get (got, want->key[i]), out);
  for (guint i = 0; both && got != NULL && got->type == JD_OBJECT && i < got->n; i++)
    if (jd_get (want, got->key[i]) == NULL)
      compare_values (what, got->key[i], NULL, got->child[i], out);
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* A list of texts, of triples or of conditions, sorted and joined. */
static char *
joined (const Jd *list)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; list != NULL && i < list->n; i++) {
    const Jd *v = list->child[i];

    if (v->type == JD_OBJECT)
      g_ptr_array_add (texts, g_strdup_printf ("%s/%s/%s", jd_text (jd_get (v, "type"), ""),
                                               jd_text (jd_get (v, "status"), ""),
                                               jd_text (jd_get (v, "reason"), "")));
    else if (v->type == JD_ARRAY && v->n == 3)
      g_ptr_array_add (texts,
                       g_strdup_printf ("%s/%s/%s", jd_text (v->child[0], ""),
                                        jd_text (v->child[1], ""), jd_text (v->child[2], "")));
    else
      g_ptr_array_add (texts, g_strdup (jd_text (v, "?")));
  }
  g_ptr_array_sort (texts, compare_texts);
  g_ptr_array_add (texts, NULL);
  return g_strjoinv (", ", (char **) texts->pdata);
}

static void
compare_lists (const char *what, const char *key, const Jd *want, const Jd *got, GPtrArray *out)
{
  g_autofree char *w = joined (want), *g = joined (got);

  if (strcmp (w, g) != 0)
    differs (out, "%s%s: Volcano {%s}, volsim {%s}", what, key, w, g);
}

static void
compare_pod_groups (const Jd *want, const Jd *got, gboolean conditions, GPtrArray *out)
{
  for (guint i = 0; i < want->n; i++) {
    const Jd *w = want->child[i], *g = jd_get (got, want->key[i]);
    const char *phase = jd_text (jd_get (w, "phase"), ""),
               *found = jd_text (jd_get (g, "phase"), "");
    const Jd *list = jd_get (w, "conditions");

    if (strcmp (phase, found) != 0)
      differs (out, "podgroups[%s].phase: Volcano '%s', volsim '%s'", want->key[i], phase, found);
    if (list != NULL && conditions)
      compare_lists ("conditions of ", want->key[i], list, jd_get (g, "conditions"), out);
  }
}

/* Numbers of tasks by status; a status that is not listed has none. */
static void
compare_tasks (const Jd *want, const Jd *jobs, GPtrArray *out)
{
  for (guint i = 0; i < want->n; i++) {
    const Jd *w = want->child[i], *g = jd_get (jd_get (jobs, want->key[i]), "tasks");
    gboolean same = TRUE;

    for (guint k = 0; k < w->n; k++)
      same = same && jd_number (w->child[k], 0) == jd_number (jd_get (g, w->key[k]), 0);
    for (guint k = 0; g != NULL && k < g->n; k++)
      same = same && jd_number (g->child[k], 0) == jd_number (jd_get (w, g->key[k]), 0);
    if (!same) {
      g_autofree char *a = jd_dup_raw (w), *b = jd_dup_raw (g);

      differs (out, "tasks[%s]: Volcano %s, volsim %s", want->key[i], a, b);
    }
  }
}

static gboolean
close_enough (const Jd *want, const Jd *got)
{
  double a = jd_number (want, NAN), b = jd_number (got, got == NULL ? 0 : NAN);

  if (isnan (a) || isnan (b))
    return jd_equal (want, got);
  return a == b || fabs (a - b) <= MAX (1e-9 * MAX (fabs (a), fabs (b)), 1e-6);
}

static void
compare_queues (const Jd *want, const Jd *got, GPtrArray *out)
{
  for (guint i = 0; i < want->n; i++) {
    const Jd *w = want->child[i], *g = jd_get (got, want->key[i]);

    for (guint k = 0; k < w->n; k++) {
      const Jd *figure = w->child[k], *found = jd_get (g, w->key[k]);
      gboolean vector = figure->type == JD_OBJECT;

      for (guint r = 0; r < (vector ? figure->n : 1); r++) {
        const Jd *a = vector ? figure->child[r] : figure;
        const Jd *b = vector ? jd_get (found, figure->key[r]) : found;

        if (!close_enough (a, b)) {
          g_autofree char *x = jd_dup_raw (a), *y = jd_dup_raw (b);

          differs (out, "queues[%s].%s%s%s: Volcano %s, volsim %s", want->key[i], w->key[k],
                   vector ? "/" : "", vector ? figure->key[r] : "", x, y);
        }
      }
    }
  }
}

void
case_diff (const Jd *json, const Jd *got, GPtrArray *out)
{
  static const char *const parts[]
      = { "binds", "pipelined", "evictions", "podgroups", "tasks", "fit", "queues" };
  const Jd *expect = jd_get (json, "expect"), *absent = jd_get (json, "absent");
  g_autoptr (GHashTable) left_out = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; absent != NULL && i < absent->n; i++)
    g_hash_table_add (left_out, (gpointer) jd_text (absent->child[i], ""));
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    const char *part = parts[i];
    const Jd *want = jd_get (expect, part), *g = jd_get (got, part);

    if (want == NULL || g_hash_table_contains (left_out, part))
      continue;
    if (strcmp (part, "evictions") == 0)
      compare_lists (part, "", want, g, out);
    else if (strcmp (part, "podgroups") == 0)
      compare_pod_groups (want, g, !g_hash_table_contains (left_out, "conditions"), out);
    else if (strcmp (part, "tasks") == 0)
      compare_tasks (want, jd_get (got, "jobs"), out);
    else if (strcmp (part, "queues") == 0)
      compare_queues (want, g, out);
    else
      compare_maps (part, want, g, strcmp (part, "fit") != 0, out);
  }
}

/* ---- an answer in one line ---- */

/* The members of an object, each by @print, ascending, joined. */
static char *
join (const Jd *object, const char *between, char *(*print) (const char *key, const Jd *value))
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; object != NULL && i < object->n; i++)
    g_ptr_array_add (parts, print (object->key[i], object->child[i]));
  g_ptr_array_sort (parts, compare_texts);
  g_ptr_array_add (parts, NULL);
  return g_strjoinv (between, (char **) parts->pdata);
}

static char *
print_bind (const char *key, const Jd *value)
{
  return g_strdup_printf ("%s=%s", key, jd_text (value, "?"));
}

static char *
print_reason (const char *key, const Jd *value)
{
  return g_strdup_printf ("%s=%.0f", key, jd_number (value, -1));
}

static char *
print_fit (const char *key, const Jd *value)
{
  g_autofree char *reasons = join (value, ", ", print_reason);
  return g_strdup_printf ("%s: %s", key, reasons);
}

char *
case_binds (const Jd *answer)
{
  return join (jd_get (answer, "binds"), " ", print_bind);
}

char *
case_fit (const Jd *answer)
{
  return join (jd_get (answer, "fit"), "; ", print_fit);
}
