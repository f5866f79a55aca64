/* The profile of a synthetic trace, out of its YAML. */
#include "profile.h"
#include "workloads/text/fields.h"
#include "workloads/text/parse.h"
#include <string.h>

const char *const wl_purposes[WL_N_SEEDS] = { "arrivals", "sizes", "durations", "queues", "users" };

/* ---- arrivals ------------------------------------------------------------------------------------ */

static gboolean
read_day (GenReader *r, const VcYamlNode *n, gpointer out)
{
  WlArrival *a = (WlArrival *) (gpointer) ((char *) out - G_STRUCT_OFFSET (WlArrival, day));

  if (!gen_numbers (r, n, "day", 0, &a->day, &a->n_day))
    return FALSE;
  if (a->n_day > 1440 || 86400 % a->n_day != 0)
    return gen_fail (r, n, WL_ERROR_VALUE, "day, expected a number of weights that divides the day into whole seconds, at most 1440, found %u", a->n_day);
  return TRUE;
}

static gboolean
read_week (GenReader *r, const VcYamlNode *n, gpointer out)
{
  return gen_numbers (r, n, "week", 7, out, NULL);
}

static gboolean
read_arrival (GenReader *r, const VcYamlNode *n, gpointer out)
{
  static const GenField fields[] = {
    { "interval", gen_times, G_STRUCT_OFFSET (WlArrival, interval), FALSE }, { "children", gen_number, G_STRUCT_OFFSET (WlArrival, children), FALSE },
    { "delay", gen_times, G_STRUCT_OFFSET (WlArrival, delay), FALSE },       { "day", read_day, G_STRUCT_OFFSET (WlArrival, day), FALSE },
    { "week", read_week, G_STRUCT_OFFSET (WlArrival, week), FALSE },          { "replay", gen_text, G_STRUCT_OFFSET (WlArrival, replay), FALSE },
    { "block", gen_time, G_STRUCT_OFFSET (WlArrival, block), FALSE },
  };
  WlArrival *a = out;

  a->interval.a = -1;
  if (!GEN_MAP (r, n, fields, "arrival", a, NULL))
    return FALSE;
  gboolean has_interval = a->interval.kind != WL_CONSTANT || a->interval.a >= 0, has_delay = a->delay.kind != WL_CONSTANT || a->delay.a > 0;

  if (has_interval == (a->replay != NULL))
    return gen_fail (r, n, WL_ERROR_CONFLICT, "arrival, expected either 'interval' (time between jobs) or 'replay', found %s", has_interval ? "both" : "neither");
  if (a->children >= 1)
    return gen_fail (r, n, WL_ERROR_VALUE, "arrival, expected fewer than 1 child a job, found more: it would never end");
  if (has_delay != (a->children > 0))
    return gen_fail (r, n, WL_ERROR_CONFLICT, "arrival, expected 'children' above 0 together with 'delay', found one of them");
  if (a->replay != NULL && (a->children > 0 || a->day != NULL || a->week != NULL))
    return gen_fail (r, n, WL_ERROR_CONFLICT, "arrival, expected 'replay' with nothing but 'block', found more");
  if (a->replay != NULL && (a->block < G_USEC_PER_SEC || G_GINT64_CONSTANT (86400000000) % a->block != 0))
    return gen_fail (r, n, WL_ERROR_VALUE, "arrival, expected a 'block' that divides the day, at least 1s, found another");
  if (a->replay != NULL && !g_path_is_absolute (a->replay)) { /* beside the profile */
    g_autofree char *name = g_steal_pointer (&a->replay), *dir = g_path_get_dirname (r->source);

    a->replay = g_build_filename (dir, name, NULL);
  }
  return a->given = TRUE;
}

static void
arrival_clear (WlArrival *a)
{
  wl_distribution_clear (&a->interval);
  wl_distribution_clear (&a->delay);
  g_free (a->day);
  g_free (a->week);
  g_free (a->replay);
}

/* ---- classes of jobs ----------------------------------------------------------------------------- */

static void
request_clear (gpointer data)
{
  WlRequest *q = data;

  g_free (q->resource);
  g_free (q->times);
  wl_distribution_clear (&q->amount);
}

static void
cell_clear (gpointer data)
{
  WlCell *c = data;

  g_free (c->column);
  g_free (c->text);
}

static GArray *
cleared_array (guint size, GDestroyNotify clear)
{
  GArray *a = g_array_new (FALSE, TRUE, size);

  g_array_set_clear_func (a, clear);
  return a;
}

static void
shape_clear (gpointer data)
{
  WlShape *s = data;

  wl_distribution_clear (&s->replicas);
  g_array_unref (s->requests);
}

/* cpu, memory, …: an amount, or "FACTOR * RESOURCE". */
static gboolean
read_request (GenReader *r, const VcYamlNode *key, const VcYamlNode *value, gpointer out)
{
  WlShape *s = out;
  WlRequest q = { 0 };

  if (strcmp (key->text, "cpu") != 0 && strcmp (key->text, "memory") != 0 && strcmp (key->text, "ephemeral-storage") != 0 && strchr (key->text, '/') == NULL)
    return FALSE;
  if (!wl_check_resource (key->text, r->error))
    return gen_place (r, key);
  const char *text = gen_text_of (r, value, "an amount"), *star = text != NULL ? strstr (text, " * ") : NULL;

  if (text == NULL)
    return FALSE;
  if (star != NULL) {
    g_autofree char *factor = g_strndup (text, (gsize) (star - text));
    gboolean known = FALSE;

    for (guint i = 0; i < s->requests->len; i++)
      known |= strcmp (g_array_index (s->requests, WlRequest, i).resource, star + 3) == 0;
    if (!known)
      return gen_fail (r, value, WL_ERROR_VALUE, "%s, expected the name of a resource that is given before, found '%s'", key->text, star + 3);
    if (!wl_parse_distribution_of (factor, WL_AMOUNTS, &q.amount, r->error))
      return gen_place (r, value);
    q.times = g_strdup (star + 3);
  } else if (!gen_distribution (r, value, WL_AMOUNTS, &q.amount))
    return FALSE;
  q.resource = g_strdup (key->text);
  g_array_append_val (s->requests, q);
  return TRUE;
}

static gboolean
read_replicas (GenReader *r, const VcYamlNode *n, gpointer out)
{
  WlShape *s = (WlShape *) (gpointer) ((char *) out - G_STRUCT_OFFSET (WlShape, replicas));

  return s->has_replicas = gen_distribution (r, n, WL_NUMBERS, &s->replicas);
}

static gboolean
read_shape (GenReader *r, const VcYamlNode *n, const char *what, gboolean with_share, GArray *to)
{
  static const GenField fields[] = {
    { "replicas", read_replicas, G_STRUCT_OFFSET (WlShape, replicas), FALSE }, { "share", gen_number, G_STRUCT_OFFSET (WlShape, share), FALSE },
  };
  WlShape s = { .share = 1, .requests = cleared_array (sizeof (WlRequest), request_clear) };

  g_array_append_val (to, s);
  return gen_map (r, n, fields, with_share ? 2 : 1, what, &g_array_index (to, WlShape, to->len - 1), read_request);
}

static gboolean
read_requests (GenReader *r, const VcYamlNode *n, gpointer out)
{
  GArray **shapes = out;

  if ((*shapes)->len > 0)
    return gen_fail (r, n, WL_ERROR_CONFLICT, "class, expected either 'requests' or 'shapes', found both");
  return read_shape (r, n, "requests", FALSE, *shapes);
}

static gboolean
read_shapes (GenReader *r, const VcYamlNode *n, gpointer out)
{
  GArray **shapes = out;

  if ((*shapes)->len > 0)
    return gen_fail (r, n, WL_ERROR_CONFLICT, "class, expected either 'requests' or 'shapes', found both");
  if (n->kind != VC_YAML_LIST || n->child->len == 0)
    return gen_fail (r, n, WL_ERROR_VALUE, "shapes, expected a list of maps, found %s", n->kind == VC_YAML_LIST ? "nothing in it" : gen_kind (n));
  for (guint i = 0; i < n->child->len; i++)
    if (!read_shape (r, n->child->pdata[i], "shape", TRUE, *shapes))
      return FALSE;
  return TRUE;
}

static gboolean
six_numbers (GenReader *r, const VcYamlNode *n, const char *what, double *const to[6], const gboolean *negative)
{
  const char *text = gen_text_of (r, n, "six numbers");
  g_auto (GStrv) part = text != NULL ? g_strsplit (text, " ", -1) : NULL;

  if (text == NULL)
    return FALSE;
  for (guint i = 0; i < 6; i++) {
    char *end = NULL;

    if (g_strv_length (part) != 6)
      return gen_fail (r, n, WL_ERROR_VALUE, "%s, expected six numbers with blanks between, found %u", what, g_strv_length (part));
    *to[i] = g_ascii_strtod (part[i], &end);
    if (end == part[i] || *end != '\0' || !(*to[i] >= (negative[i] ? -1e6 : 0) && *to[i] <= 1e6)) {
      g_autofree char *shown = wl_shown (part[i]);
      return gen_fail (r, n, WL_ERROR_VALUE, "%s, expected a number%s, found %s", what, negative[i] ? "" : " from 0", shown);
    }
  }
  return TRUE;
}

static gboolean
read_two_stage (GenReader *r, const VcYamlNode *n, gpointer out)
{
  static const gboolean no[6] = { 0 };
  WlTwoStage *t = out;

  if (!six_numbers (r, n, "two_stage", (double *const[6]) { &t->serial, &t->power, &t->low, &t->middle, &t->high, &t->first }, no))
    return FALSE;
  if (t->serial + t->power > 1 || t->first > 1 || t->low > t->middle || t->middle > t->high || t->high > 20)
    return gen_fail (r, n, WL_ERROR_VALUE, "two_stage, expected SERIAL + POWER and FIRST up to 1 and LOW, MIDDLE and HIGH ascending up to 20, found other values");
  return t->given = TRUE;
}

static gboolean
read_hyper (GenReader *r, const VcYamlNode *n, gpointer out)
{
  static const gboolean negative[6] = { FALSE, FALSE, FALSE, FALSE, TRUE, TRUE };
  WlHyperGamma *h = out;

  if (!six_numbers (r, n, "hyper_gamma", (double *const[6]) { &h->shape1, &h->scale1, &h->shape2, &h->scale2, &h->slope, &h->base }, negative))
    return FALSE;
  if (!(h->shape1 > 0 && h->scale1 > 0 && h->shape2 > 0 && h->scale2 > 0))
    return gen_fail (r, n, WL_ERROR_VALUE, "hyper_gamma, expected shapes and scales above 0, found 0");
  return h->given = TRUE;
}

static gboolean
read_priority (GenReader *r, const VcYamlNode *n, gpointer out)
{
  WlJobClass *c = (WlJobClass *) (gpointer) ((char *) out - G_STRUCT_OFFSET (WlJobClass, priority));
  const char *text = gen_text_of (r, n, "a priority");

  if (text == NULL)
    return FALSE;
  c->priority_line = n->line;
  c->priority_column = n->col;
  g_clear_pointer (&c->priority, g_free);
  return wl_parse_priority (text, &c->priority, r->error) || gen_place (r, n);
}

/* Columns that are copied as they are; what they may hold is checked when the trace is read. */
static gboolean
read_cells (GenReader *r, const VcYamlNode *n, gpointer out)
{
  GArray *cells = *(GArray **) out;

  if (n->kind != VC_YAML_MAP)
    return gen_fail (r, n, WL_ERROR_VALUE, "columns, expected a map from column to text, found %s", gen_kind (n));
  for (guint i = 0; i + 1 < n->child->len; i += 2) {
    const VcYamlNode *key = n->child->pdata[i], *value = n->child->pdata[i + 1];
    const char *column = gen_text_of (r, key, "the name of a column"), *text = column != NULL ? gen_text_of (r, value, "a text") : NULL;

    if (text == NULL)
      return FALSE;
    WlCell c = { g_strdup (column), g_strdup (text) };
    g_array_append_val (cells, c);
  }
  return TRUE;
}

static void
class_clear (gpointer data)
{
  WlJobClass *c = data;

  g_free (c->name);
  arrival_clear (&c->arrival);
  g_free (c->queue);
  g_free (c->ns);
  g_free (c->priority);
  wl_distribution_clear (&c->duration);
  g_array_unref (c->shapes);
  g_array_unref (c->cells);
}

static gboolean
read_class (GenReader *r, const VcYamlNode *n, gpointer out)
{
  static const GenField fields[] = {
    { "class", gen_name, G_STRUCT_OFFSET (WlJobClass, name), TRUE },
    { "share", gen_number, G_STRUCT_OFFSET (WlJobClass, share), FALSE },
    { "arrival", read_arrival, G_STRUCT_OFFSET (WlJobClass, arrival), FALSE },
    { "first", gen_time, G_STRUCT_OFFSET (WlJobClass, first), FALSE },
    { "jobs", gen_count, G_STRUCT_OFFSET (WlJobClass, jobs), FALSE },
    { "queue", gen_name, G_STRUCT_OFFSET (WlJobClass, queue), FALSE },
    { "namespace", gen_name, G_STRUCT_OFFSET (WlJobClass, ns), FALSE },
    { "priority", read_priority, G_STRUCT_OFFSET (WlJobClass, priority), FALSE },
    { "preemptable", gen_bool, G_STRUCT_OFFSET (WlJobClass, preemptable), FALSE },
    { "gang", gen_bool, G_STRUCT_OFFSET (WlJobClass, gang), FALSE },
    { "min_available", gen_count, G_STRUCT_OFFSET (WlJobClass, min_available), FALSE },
    { "duration", gen_times, G_STRUCT_OFFSET (WlJobClass, duration), FALSE },
    { "each", gen_bool, G_STRUCT_OFFSET (WlJobClass, each), FALSE },
    { "endless", gen_number, G_STRUCT_OFFSET (WlJobClass, endless), FALSE },
    { "hyper_gamma", read_hyper, G_STRUCT_OFFSET (WlJobClass, hyper), FALSE },
    { "two_stage", read_two_stage, G_STRUCT_OFFSET (WlJobClass, two_stage), FALSE },
    { "requests", read_requests, G_STRUCT_OFFSET (WlJobClass, shapes), FALSE },
    { "shapes", read_shapes, G_STRUCT_OFFSET (WlJobClass, shapes), FALSE },
    { "columns", read_cells, G_STRUCT_OFFSET (WlJobClass, cells), FALSE },
  };
  GArray *to = out;
  WlJobClass made = { .share = 1, .jobs = -1, .preemptable = -1, .gang = TRUE, .min_available = -1, .line = n->line, .column = n->col,
                      .shapes = cleared_array (sizeof (WlShape), shape_clear), .cells = cleared_array (sizeof (WlCell), cell_clear) };

  g_array_append_val (to, made);
  WlJobClass *c = &g_array_index (to, WlJobClass, to->len - 1);

  if (!GEN_MAP (r, n, fields, "class", c, NULL))
    return FALSE;
  gboolean has_duration = c->duration.kind != WL_CONSTANT || c->duration.a > 0;

  for (guint i = 0; i + 1 < to->len; i++)
    if (strcmp (g_array_index (to, WlJobClass, i).name, c->name) == 0)
      return gen_fail (r, n, WL_ERROR_CONFLICT, "class '%s' is given twice", c->name);
  if (c->endless > 1)
    return gen_fail (r, n, WL_ERROR_VALUE, "class '%s', expected 'endless' from 0 to 1, found more", c->name);
  if (has_duration == c->hyper.given && (has_duration || c->endless < 1))
    return gen_fail (r, n, WL_ERROR_CONFLICT, "class '%s', expected either 'duration' (above 0) or 'hyper_gamma', found %s", c->name, has_duration ? "both" : "neither");
  if (c->shapes->len == 0)
    return gen_fail (r, n, WL_ERROR_HEADER, "class '%s', expected 'requests' or 'shapes', found neither", c->name);
  double sum = 0;

  for (guint i = 0; i < c->shapes->len; i++) {
    const WlShape *s = &g_array_index (c->shapes, WlShape, i);

    sum += s->share;
    if (c->two_stage.given && s->has_replicas)
      return gen_fail (r, n, WL_ERROR_CONFLICT, "class '%s', expected either 'two_stage' or 'replicas', found both", c->name);
  }
  if (!(sum > 0))
    return gen_fail (r, n, WL_ERROR_VALUE, "class '%s', expected a shape with a share above 0, found none", c->name);
  if (!c->arrival.given && c->first != 0)
    return gen_fail (r, n, WL_ERROR_CONFLICT, "class '%s', expected 'first' with an arrival of its own, found none", c->name);
  return TRUE;
}

/* ---- nodes, queues, users ------------------------------------------------------------------------ */

static gboolean
read_step (GenReader *r, const VcYamlNode *n, gpointer out)
{
  static const GenField fields[] = {
    { "time", gen_time, G_STRUCT_OFFSET (WlStep, time), TRUE }, { "count", gen_count, G_STRUCT_OFFSET (WlStep, count), TRUE },
  };
  GArray *to = out;
  WlStep s = { 0 };

  if (!GEN_MAP (r, n, fields, "a change of the nodes", &s, NULL))
    return FALSE;
  g_array_append_val (to, s);
  return TRUE;
}

static gboolean
read_steps (GenReader *r, const VcYamlNode *n, gpointer out)
{
  return gen_list (r, n, "changes of the nodes", read_step, *(GArray **) out);
}

/* Any other key is a column of the native table. */
static gboolean
keep_cell (GenReader *r, const VcYamlNode *key, const VcYamlNode *value, GArray *cells, const char *const *known)
{
  if (strchr (key->text, '/') == NULL && !g_strv_contains (known, key->text))
    return FALSE;
  const char *text = gen_text_of (r, value, "a text");

  if (text == NULL)
    return FALSE;
  WlCell c = { g_strdup (key->text), g_strdup (text) };
  g_array_append_val (cells, c);
  return TRUE;
}

static gboolean
node_column (GenReader *r, const VcYamlNode *key, const VcYamlNode *value, gpointer out)
{
  static const char *const known[] = { "cpu", "memory", "pods", "ephemeral-storage", "labels", "taints", "annotations", NULL };

  return keep_cell (r, key, value, ((WlNodeClass *) out)->cells, known);
}

static void
node_class_clear (gpointer data)
{
  WlNodeClass *c = data;

  g_free (c->name);
  g_array_unref (c->cells);
  g_array_unref (c->joins);
  g_array_unref (c->leaves);
  g_free (c->mtbf);
  g_free (c->mttr);
  g_free (c->rack_mtbf);
  g_free (c->rack_mttr);
}

gboolean
wl_node_class_has_pool (const WlNodeClass *n)
{
  for (guint i = 0; i < n->cells->len; i++) {
    const WlCell *c = &g_array_index (n->cells, WlCell, i);

    if (strcmp (c->column, "labels") == 0)
      return g_str_has_prefix (c->text, "pool=") || strstr (c->text, ";pool=") != NULL;
  }
  return FALSE;
}

static gboolean
read_node (GenReader *r, const VcYamlNode *n, gpointer out)
{
  static const GenField fields[] = {
    { "node", gen_name, G_STRUCT_OFFSET (WlNodeClass, name), TRUE },          { "count", gen_count, G_STRUCT_OFFSET (WlNodeClass, count), FALSE },
    { "racks", gen_count, G_STRUCT_OFFSET (WlNodeClass, racks), FALSE },      { "joins", read_steps, G_STRUCT_OFFSET (WlNodeClass, joins), FALSE },
    { "leaves", read_steps, G_STRUCT_OFFSET (WlNodeClass, leaves), FALSE },    { "mtbf", gen_later, G_STRUCT_OFFSET (WlNodeClass, mtbf), FALSE },
    { "mttr", gen_later, G_STRUCT_OFFSET (WlNodeClass, mttr), FALSE },        { "rack_mtbf", gen_later, G_STRUCT_OFFSET (WlNodeClass, rack_mtbf), FALSE },
    { "rack_mttr", gen_later, G_STRUCT_OFFSET (WlNodeClass, rack_mttr), FALSE },
  };
  GArray *to = out;
  WlNodeClass made = { .count = 1, .cells = cleared_array (sizeof (WlCell), cell_clear), .joins = g_array_new (FALSE, FALSE, sizeof (WlStep)),
                       .leaves = g_array_new (FALSE, FALSE, sizeof (WlStep)) };

  g_array_append_val (to, made);
  WlNodeClass *c = &g_array_index (to, WlNodeClass, to->len - 1);

  if (!GEN_MAP (r, n, fields, "nodes", c, node_column))
    return FALSE;
  for (guint i = 0; i + 1 < to->len; i++)
    if (strcmp (g_array_index (to, WlNodeClass, i).name, c->name) == 0)
      return gen_fail (r, n, WL_ERROR_CONFLICT, "nodes '%s' are given twice", c->name);
  if ((c->mtbf == NULL) != (c->mttr == NULL) || (c->rack_mtbf == NULL) != (c->rack_mttr == NULL))
    return gen_fail (r, n, WL_ERROR_CONFLICT, "nodes '%s', expected the time between failures and the time to repair together, found one of them", c->name);
  if ((c->mtbf != NULL || c->rack_mtbf != NULL) && wl_node_class_has_pool (c))
    return gen_fail (r, n, WL_ERROR_CONFLICT, "nodes '%s', expected failures without a label 'pool' of one's own, by which they are told, found both", c->name);
  if (c->rack_mtbf != NULL && c->racks == 0)
    return gen_fail (r, n, WL_ERROR_CONFLICT, "nodes '%s', expected 'racks' for failures of racks, found none", c->name);
  gint64 left = c->count;

  for (guint i = 0; i < c->joins->len; i++)
    left += g_array_index (c->joins, WlStep, i).count;
  for (guint i = 0; i < c->leaves->len; i++)
    left -= g_array_index (c->leaves, WlStep, i).count;
  if (left < 0)
    return gen_fail (r, n, WL_ERROR_VALUE, "nodes '%s', expected as many nodes as leave, found fewer", c->name);
  return TRUE;
}

static gboolean
read_nodes (GenReader *r, const VcYamlNode *n, gpointer out)
{
  return gen_list (r, n, "nodes", read_node, *(GArray **) out);
}

static gboolean
queue_column (GenReader *r, const VcYamlNode *key, const VcYamlNode *value, gpointer out)
{
  static const char *const known[] = { "parent", "weight", "reclaimable", "priority", "state", "dequeue_strategy", NULL };

  return keep_cell (r, key, value, ((WlQueueClass *) out)->cells, known);
}

static void
queue_class_clear (gpointer data)
{
  WlQueueClass *c = data;

  g_free (c->name);
  g_array_unref (c->cells);
}

static gboolean
read_queue (GenReader *r, const VcYamlNode *n, gpointer out)
{
  static const GenField fields[] = {
    { "queue", gen_name, G_STRUCT_OFFSET (WlQueueClass, name), TRUE }, { "share", gen_number, G_STRUCT_OFFSET (WlQueueClass, share), FALSE },
  };
  GArray *to = out;
  WlQueueClass made = { .share = 1, .cells = cleared_array (sizeof (WlCell), cell_clear) };

  g_array_append_val (to, made);
  return GEN_MAP (r, n, fields, "queues", &g_array_index (to, WlQueueClass, to->len - 1), queue_column);
}

static gboolean
read_crowd (GenReader *r, const VcYamlNode *n, gpointer out)
{
  static const GenField fields[] = {
    { "count", gen_count, G_STRUCT_OFFSET (WlCrowd, count), TRUE }, { "zipf", gen_number, G_STRUCT_OFFSET (WlCrowd, zipf), FALSE },
    { "prefix", gen_name, G_STRUCT_OFFSET (WlCrowd, prefix), FALSE },
  };

  return GEN_MAP (r, n, fields, "a crowd", out, NULL);
}

/* Queues one by one, or so many of them. */
static gboolean
read_queues (GenReader *r, const VcYamlNode *n, gpointer out)
{
  WlProfile *p = (WlProfile *) (gpointer) ((char *) out - G_STRUCT_OFFSET (WlProfile, queues));

  return n->kind == VC_YAML_MAP ? read_crowd (r, n, &p->queue_crowd) : gen_list (r, n, "queues", read_queue, p->queues);
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static gboolean
read_classes (GenReader *r, const VcYamlNode *n, gpointer out)
{
  return gen_list (r, n, "classes", read_class, *(GArray **) out);
}

static gboolean
read_priorities (GenReader *r, const VcYamlNode *n, gpointer out)
{
  const GArray *cells = *(GArray **) out;

  if (n->kind != VC_YAML_MAP)
    return gen_fail (r, n, WL_ERROR_VALUE, "priority_classes, expected a map from name to integer, found %s", gen_kind (n));
  if (!read_cells (r, n, out))
    return FALSE;
  for (guint i = 0; i < cells->len; i++) {
    const WlCell *c = &g_array_index (cells, WlCell, i);
    gint64 v;

    if (!wl_check_name (c->column, TRUE, WL_NAME_MAX, r->error) || !wl_parse_int (c->text, G_MININT32, 1000000000, &v, r->error))
      return gen_place (r, n->child->pdata[2 * i]);
  }
  return TRUE;
}

static gboolean
read_seeds (GenReader *r, const VcYamlNode *n, gpointer out)
{
  WlProfile *p = (WlProfile *) (gpointer) ((char *) out - G_STRUCT_OFFSET (WlProfile, seeds));
  GenField fields[WL_N_SEEDS];

  for (guint i = 0; i < WL_N_SEEDS; i++)
    fields[i] = (GenField) { wl_purposes[i], gen_seed, i * sizeof (guint64), FALSE };
  if (!GEN_MAP (r, n, fields, "seeds", p->seeds, NULL))
    return FALSE;
  for (guint i = 0; i + 1 < n->child->len; i += 2)
    for (guint k = 0; k < WL_N_SEEDS; k++)
      p->seeded[k] |= strcmp (((const VcYamlNode *) n->child->pdata[i])->text, wl_purposes[k]) == 0;
  return TRUE;
}

/* A name must be that of a class: no run could read the trace else. */
static gboolean
check_priority (GenReader *r, const WlProfile *p, const WlJobClass *c)
{
  const VcYamlNode at = { .line = c->priority_line, .col = c->priority_column };
  gint64 number;
  gboolean known = c->priority == NULL || wl_parse_int (c->priority, G_MININT32, G_MAXINT32, &number, NULL) || strcmp (c->priority, "system-cluster-critical") == 0 ||
                   strcmp (c->priority, "system-node-critical") == 0;

  for (guint i = 0; i < p->priorities->len; i++)
    known |= strcmp (g_array_index (p->priorities, WlCell, i).column, c->priority != NULL ? c->priority : "") == 0;
  return known || gen_fail (r, &at, WL_ERROR_VALUE, "priority, expected a whole number or a name of priority_classes, found '%s'", c->priority);
}

static gboolean
check_whole (GenReader *r, const VcYamlNode *root, const WlProfile *p)
{
  double shared = 0;
  gboolean own = FALSE;

  if (!(p->rate >= 1e-6 && p->rate <= 1e6))
    return gen_fail (r, root, WL_ERROR_VALUE, "rate, expected a factor from 1e-6 to 1e6, found another");
  if (p->jobs == 0 || p->span == 0)
    return gen_fail (r, root, WL_ERROR_VALUE, "%s, expected more than 0, found 0: there would be no jobs", p->jobs == 0 ? "jobs" : "span");

  for (guint i = 0; i < p->classes->len; i++) {
    const WlJobClass *c = &g_array_index (p->classes, WlJobClass, i);

    if (!check_priority (r, p, c))
      return FALSE;
    if (c->arrival.given)
      own = TRUE;
    else
      shared += c->share;
    if (c->arrival.given && p->jobs < 0 && p->span == WL_TIME_NONE && c->jobs < 0)
      return gen_fail (r, root, WL_ERROR_HEADER, "expected an end: 'span', 'jobs', or 'jobs' of class '%s', found none", c->name);
    if (!c->arrival.given && !p->arrival.given)
      return gen_fail (r, root, WL_ERROR_HEADER, "expected 'arrival', of class '%s' or of all, found none", c->name);
    if (c->queue == NULL || p->queues->len == 0)
      continue;
    gboolean known = FALSE;

    for (guint q = 0; q < p->queues->len; q++)
      known |= strcmp (g_array_index (p->queues, WlQueueClass, q).name, c->queue) == 0;
    if (!known)
      return gen_fail (r, root, WL_ERROR_CONFLICT, "class '%s', expected a queue of 'queues', found '%s'", c->name, c->queue);
  }
  if (p->arrival.given && !(shared > 0))
    return gen_fail (r, root, WL_ERROR_CONFLICT, "expected a class with a share above 0 of the common arrivals, found %s", own ? "only classes with arrivals of their own" : "none");
  if (p->arrival.given && p->jobs < 0 && p->span == WL_TIME_NONE)
    return gen_fail (r, root, WL_ERROR_HEADER, "expected an end of the arrivals: 'span' or 'jobs', found neither");
  return TRUE;
}

WlProfile *
wl_profile_read (const char *source, const char *text, gsize len, GError **error)
{
  static const GenField fields[] = {
    { "seed", gen_seed, G_STRUCT_OFFSET (WlProfile, seed), FALSE },       { "seeds", read_seeds, G_STRUCT_OFFSET (WlProfile, seeds), FALSE },
    { "span", gen_time, G_STRUCT_OFFSET (WlProfile, span), FALSE },       { "jobs", gen_count, G_STRUCT_OFFSET (WlProfile, jobs), FALSE },
    { "arrival", read_arrival, G_STRUCT_OFFSET (WlProfile, arrival), FALSE }, { "classes", read_classes, G_STRUCT_OFFSET (WlProfile, classes), TRUE },
    { "nodes", read_nodes, G_STRUCT_OFFSET (WlProfile, nodes), TRUE },     { "queues", read_queues, G_STRUCT_OFFSET (WlProfile, queues), FALSE },
    { "rate", gen_number, G_STRUCT_OFFSET (WlProfile, rate), FALSE },     { "users", read_crowd, G_STRUCT_OFFSET (WlProfile, users), FALSE },
    { "queue_weight_by_share", gen_bool, G_STRUCT_OFFSET (WlProfile, queue_weight_by_share), FALSE },
    { "priority_classes", read_priorities, G_STRUCT_OFFSET (WlProfile, priorities), FALSE }, { "conf", gen_text, G_STRUCT_OFFSET (WlProfile, conf), FALSE },
  };
  g_autoptr (WlProfile) p = g_new0 (WlProfile, 1);
  g_autoptr (GError) first = NULL;
  g_auto (VcYamlDoc) doc = { 0 };
  g_auto (VcYamlFault) fault = { 0 };
  GenReader r = { source, &first };

  p->source = g_strdup (source);
  p->span = WL_TIME_NONE;
  p->jobs = -1;
  p->rate = 1;
  p->classes = cleared_array (sizeof (WlJobClass), class_clear);
  p->nodes = cleared_array (sizeof (WlNodeClass), node_class_clear);
  p->queues = cleared_array (sizeof (WlQueueClass), queue_class_clear);
  p->priorities = cleared_array (sizeof (WlCell), cell_clear);
  if (!vc_yaml_read (text, len, &doc, &fault)) {
    g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "%s:%u:%u: %s", source, fault.line, fault.col, fault.what);
    return NULL;
  }
  if (doc.root == NULL) {
    g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "%s:1:1: expected a profile, found an empty document", source);
    return NULL;
  }
  if (!GEN_MAP (&r, doc.root, fields, "profile", p, NULL) || !check_whole (&r, doc.root, p)) {
    g_propagate_error (error, g_steal_pointer (&first));
    return NULL;
  }
  return g_steal_pointer (&p);
}

void
wl_profile_free (WlProfile *p)
{
  if (p == NULL)
    return;
  g_free (p->source);
  arrival_clear (&p->arrival);
  g_clear_pointer (&p->classes, g_array_unref);
  g_clear_pointer (&p->nodes, g_array_unref);
  g_clear_pointer (&p->queues, g_array_unref);
  g_clear_pointer (&p->priorities, g_array_unref);
  g_free (p->conf);
  g_free (p->queue_crowd.prefix);
  g_free (p->users.prefix);
  g_free (p);
}

void
wl_profile_random (const WlProfile *p, WlPurpose purpose, const char *subject, guint64 number, VcRandom *out)
{
  vc_random_init (out, p->seeded[purpose] ? p->seeds[purpose] : p->seed, wl_purposes[purpose], subject, number);
}
