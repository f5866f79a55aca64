/* core/plugins/resource-strategy-fit.c - fill or spread by resource, spare nodes with scarce resources, keep room for idle accelerators.
 *
 * Policy, three parts, each in a map of its own:
 *   fit     over the resources that the task requests and that have a strategy (by exact name, else by the longest `prefix*`)
 *             MostAllocated  (used + request) * w / allocatable      LeastAllocated  (allocatable - used - request) * w / allocatable
 *           score = sum / sum (w) * 100 * resourceStrategyFitWeight. A resource of which the node has none, or of weight 0, adds nothing
 *           above; one in which used + request > allocatable makes the part 0. A pod may bring a strategy and weights of its own in the
 *           annotations volcano.sh/resource-strategy-scoring-type and -weight; weights that cannot be read make the part 0.
 *   sra     0 on a node that lacks a requested resource altogether, else
 *           (1 - sum of the weights of listed resources that the node has / sum of all their weights) * 100 * sra.weight
 *   filter  (proportional) a task that requests none of the listed resources must leave, for each one that the node has,
 *           idle * rate milli-cores and idle * rate * 10^6 bytes idle, with idle in milli-units. No eviction helps.
 *
 * Example: gpu MostAllocated weight 2, cpu LeastAllocated weight 1, factor 10; node of 4 gpu, 8 cpu with 1 gpu, 2 cpu used; a task of 1 gpu,
 * 2 cpu: (2/4 * 2 + 4/8 * 1) / 3 * 1000 = 500.
 *
 * Mirrors pkg/scheduler/plugins/resource-strategy-fit/{resource_strategy_fit,sra,proportional}.go. */
#include "plugins.h"
#include "core/base/json.h"
#include <errno.h>
#include <string.h>

#define FACTOR "resourceStrategyFitWeight"

const VcArgSpec vc_resource_strategy_fit_args[] = {
  { FACTOR, VC_ARG_FLOAT, "integer, factor of the fit score (default 10, also when below 0; 0 switches the part off)" },
  { "resources", VC_ARG_ANY,
    "map: resource, or prefix*, to type (LeastAllocated or MostAllocated) and weight (default 1); default cpu and memory, LeastAllocated" },
  { "sra", VC_ARG_ANY, "map: enable (default false), resources (separated by commas), weight (0 is off), resourceWeight (map, default 1 each)" },
  { "proportional", VC_ARG_ANY,
    "map: enable (default false), resources (separated by commas), resourceProportion (map: RESOURCE.cpu, RESOURCE.memory, default 1 each)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef enum { NO_STRATEGY, LEAST, MOST, OTHER } Kind;
typedef struct { char *name; Kind kind; gint64 weight; } Strategy; /* name may end with `*` */
typedef struct { char *name; gint64 weight; } Scarce;
typedef struct { char *name; double cpu, memory; const char *reason; } Kept;

/* Which resources of a task's request count, and how. */
typedef struct { guint n; gint64 sum; guint8 dim[VC_RES_MAX], kind[VC_RES_MAX]; gint64 weight[VC_RES_MAX]; } Plan;

typedef struct {
  gint64 factor;
  Strategy *strategy;
  guint n_strategies;
  gint64 sra_factor, sra_sum;
  Scarce *scarce;
  guint n_scarce;
  gboolean proportional;
  Kept *kept;
  guint n_kept;
  /* of the cluster */
  const VcResNames *names;
  Kind kind[VC_RES_MAX]; /* by dimension */
  gint64 weight[VC_RES_MAX];
  GPtrArray *plan; /* by shape id; NULL: not made */
} Rsf;

/* ---- arguments -------------------------------------------------------------------------------- */

/* A value that upstream's decoder does not take ends its process. */
static gboolean
refuse (GError **error, const VcArg *at, const char *where, const char *expected)
{
  g_set_error (error, VC_CONF_ERROR, VC_CONF_ERROR_TYPE, "plugin 'resource-strategy-fit': wrong type of %s%s%s in line %u, expected %s", where,
               *where != '\0' ? "." : "", at->key, at->line, expected);
  return FALSE;
}

/* A field of a structure: by its name in any case, as it is written if that is there. NULL: absent or null. */
static const VcArg *
field (const VcArgs *map, const char *name)
{
  const VcArg *found = vc_args_find (map, name);

  for (guint i = 0; map != NULL && found == NULL && i < map->n; i++)
    if (g_ascii_strcasecmp (map->arg[i].key, name) == 0)
      found = &map->arg[i];
  return found != NULL && found->type != VC_VALUE_NULL ? found : NULL;
}

/* Nothing, or a mapping; *out is NULL when there is nothing in it. */
static gboolean
as_map (const VcArg *a, const char *where, const VcArgs **out, GError **error)
{
  *out = NULL;
  if (a == NULL || a->type == VC_VALUE_NULL)
    return TRUE;
  if (a->type != VC_VALUE_OTHER || a->is_list || a->s != NULL)
    return refuse (error, a, where, "a mapping");
  *out = a->child;
  return TRUE;
}

/* Numbers are exchanged for each other: a fraction is cut. */
static gboolean
as_int (const VcArg *a, const char *where, gint64 *out, GError **error)
{
  if (a == NULL)
    return TRUE;
  if (a->type == VC_VALUE_NULL)
    *out = 0;
  else if (a->type == VC_VALUE_INT)
    *out = a->i;
  else if (a->type == VC_VALUE_FLOAT)
    *out = a->f > -9e18 && a->f < 9e18 ? (gint64) a->f : G_MININT64; /* as the processor converts it */
  else
    return refuse (error, a, where, "an integer");
  return TRUE;
}

static gboolean
as_double (const VcArg *a, const char *where, double *out, GError **error)
{
  if (a == NULL)
    return TRUE;
  if (a->type == VC_VALUE_NULL)
    *out = 0;
  else if (a->type == VC_VALUE_INT || a->type == VC_VALUE_FLOAT)
    *out = a->type == VC_VALUE_INT ? (double) a->i : a->f;
  else
    return refuse (error, a, where, "a number");
  return TRUE;
}

/* What sra and proportional have in common: is it on, which resources. */
static gboolean
read_section (const VcArgs *args, const char *name, const char *map_name, const VcArgs **section, gboolean *on, char ***resources,
              const VcArgs **map, GError **error)
{
  const VcArg *a;

  *on = FALSE;
  *map = NULL;
  if (!as_map (vc_args_find (args, name), "", section, error))
    return FALSE;
  a = field (*section, "enable");
  if (a != NULL && a->type != VC_VALUE_BOOL)
    return refuse (error, a, name, "true or false");
  *on = a != NULL && a->b;
  a = field (*section, "resources");
  if (a != NULL && a->type != VC_VALUE_STRING)
    return refuse (error, a, name, "a text");
  *resources = g_strsplit (a != NULL ? a->s : "", ",", -1);
  for (char **r = *resources; *r != NULL; r++)
    g_strstrip (*r);
  return as_map (field (*section, map_name), name, map, error);
}

static gboolean
read_sra (Rsf *r, const VcArgs *args, GError **error)
{
  const VcArgs *section, *map;
  gboolean on;
  gint64 factor = 0;
  g_auto (GStrv) names = NULL;

  if (!read_section (args, "sra", "resourceWeight", &section, &on, &names, &map, error)
      || !as_int (field (section, "weight"), "sra", &factor, error))
    return FALSE;
  for (guint i = 0; map != NULL && i < map->n; i++) { /* also those of resources that are not listed */
    gint64 ignored;
    if (!as_int (&map->arg[i], "sra.resourceWeight", &ignored, error))
      return FALSE;
  }
  if (!on)
    return TRUE;
  r->sra_factor = factor;
  r->scarce = g_new0 (Scarce, g_strv_length (names) + 1);
  for (char **name = names; *name != NULL; name++) {
    gint64 weight = 1;
    gboolean again = FALSE;

    if (**name == '\0')
      continue;
    as_int (vc_args_find (map, *name), "", &weight, NULL);
    weight = weight < 0 ? 1 : weight;
    for (guint i = 0; i < r->n_scarce && !again; i++)
      again = strcmp (r->scarce[i].name, *name) == 0;
    if (!again)
      r->scarce[r->n_scarce++] = (Scarce) { g_strdup (*name), weight };
    r->sra_sum += weight; /* of a name that is listed twice it counts twice, below the line alone */
  }
  return TRUE;
}

static int
compare_kept (gconstpointer a, gconstpointer b)
{
  return strcmp (((const Kept *) a)->name, ((const Kept *) b)->name);
}

static gboolean
read_proportional (Rsf *r, const VcArgs *args, GError **error)
{
  const VcArgs *section, *map;
  g_auto (GStrv) names = NULL;

  if (!read_section (args, "proportional", "resourceProportion", &section, &r->proportional, &names, &map, error))
    return FALSE;
  for (guint i = 0; map != NULL && i < map->n; i++) {
    double ignored;
    if (!as_double (&map->arg[i], "proportional.resourceProportion", &ignored, error))
      return FALSE;
  }
  if (!r->proportional)
    return TRUE;
  r->kept = g_new0 (Kept, g_strv_length (names) + 1);
  for (char **name = names; *name != NULL; name++) {
    g_autofree char *cpu = g_strconcat (*name, ".cpu", NULL), *memory = g_strconcat (*name, ".memory", NULL);
    Kept k = { .cpu = 1, .memory = 1 };
    gboolean again = FALSE;

    for (guint i = 0; i < r->n_kept && !again; i++)
      again = strcmp (r->kept[i].name, *name) == 0;
    if (**name == '\0' || again)
      continue;
    as_double (vc_args_find (map, cpu), "", &k.cpu, NULL);
    as_double (vc_args_find (map, memory), "", &k.memory, NULL);
    k.cpu = k.cpu < 0 ? 1 : k.cpu;
    k.memory = k.memory < 0 ? 1 : k.memory;
    k.name = g_strdup (*name);
    r->kept[r->n_kept++] = k;
  }
  qsort (r->kept, r->n_kept, sizeof *r->kept, compare_kept);
  return TRUE;
}

static gboolean
is_usable_pattern (const char *name)
{
  const char *star = strchr (name, '*');
  return star == NULL || (star != name && star[1] == '\0');
}

static gboolean
read_strategies (Rsf *r, const VcArgs *args, GError **error)
{
  const VcArgs *map;

  if (!as_map (vc_args_find (args, "resources"), "", &map, error))
    return FALSE;
  if (map == NULL || map->n == 0) {
    r->strategy = g_new0 (Strategy, 2);
    r->n_strategies = 2;
    r->strategy[0] = (Strategy) { g_strdup ("cpu"), LEAST, 1 };
    r->strategy[1] = (Strategy) { g_strdup ("memory"), LEAST, 1 };
    return TRUE;
  }
  r->strategy = g_new0 (Strategy, map->n);
  for (guint i = 0; i < map->n; i++) {
    const VcArg *a = &map->arg[i];
    const VcArgs *entry;
    gint64 weight = 0;

    if (!as_map (a, "resources", &entry, error))
      return FALSE;
    const VcArg *type = field (entry, "type");
    if (type != NULL && type->type != VC_VALUE_STRING)
      return refuse (error, type, a->key, "LeastAllocated or MostAllocated");
    if (!as_int (field (entry, "weight"), a->key, &weight, error))
      return FALSE;
    if (is_usable_pattern (a->key) && vc_args_find (map, a->key) == a)
      r->strategy[r->n_strategies++] = (Strategy) { g_strdup (a->key), type != NULL && strcmp (type->s, "MostAllocated") == 0 ? MOST : LEAST,
                                                    weight <= 0 ? 1 : weight };
  }
  return TRUE;
}

static gboolean
rsf_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  Rsf *r = self;
  const VcArg *factor = vc_args_find (&option->args, FACTOR);

  r->plan = g_ptr_array_new_with_free_func (g_free);
  r->factor = 10;
  as_int (factor, "", &r->factor, NULL); /* another type: refused, or when lenient warned of, as the file was read */
  if (r->factor < 0)
    r->factor = 10;
  return read_strategies (r, &option->args, error) && read_sra (r, &option->args, error) && read_proportional (r, &option->args, error);
}

/* ---- fit -------------------------------------------------------------------------------------- */

static void
plan_add (Plan *p, guint dim, Kind kind, gint64 weight)
{
  p->dim[p->n] = (guint8) dim;
  p->kind[p->n] = (guint8) kind;
  p->weight[p->n++] = weight;
  p->sum += weight;
}

/* Weights as json.Unmarshal reads a map of integers: FALSE when it fails. A name that is not there is passed over. */
static gboolean
plan_of_pod (Plan *p, const VcResNames *names, guint64 dims, const VcPodSpec *spec)
{
  Kind kind = strcmp (spec->strategy_type, "MostAllocated") == 0 ? MOST : strcmp (spec->strategy_type, "LeastAllocated") == 0 ? LEAST : OTHER;
  const char *text = spec->strategy_weights != NULL ? spec->strategy_weights : "";
  g_autoptr (VcArena) arena = vc_arena_new ();
  const VcJson *map = vc_json_parse_all (text, strlen (text), arena, NULL);
  gint64 weight[VC_RES_MAX] = { 0 };
  guint64 given = 0;

  if (map == NULL || (map->kind != VC_JSON_MAP && map->kind != VC_JSON_NULL))
    return FALSE;
  for (const VcJson *v = map->child; v != NULL; v = v->next) {
    int d = vc_res_names_find (names, v->key);
    gint64 w = 0;

    if (v->kind == VC_JSON_NUMBER) {
      char *end;
      errno = 0;
      w = g_ascii_strtoll (v->text, &end, 10);
      if (errno != 0 || *end != '\0')
        return FALSE;
    } else if (v->kind != VC_JSON_NULL) {
      return FALSE;
    }
    if (d >= 0) {
      weight[d] = w;
      given |= G_GUINT64_CONSTANT (1) << d;
    }
  }
  for (guint64 left = dims & given; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    plan_add (p, d, kind, weight[d]);
  }
  return TRUE;
}

static const Plan *
plan_of (Rsf *r, const VcShape *shape)
{
  if (r->plan->len <= shape->id)
    g_ptr_array_set_size (r->plan, (gint) MAX (shape->id + 1, 2 * r->plan->len));
  Plan *p = r->plan->pdata[shape->id];

  if (p != NULL)
    return p;
  p = r->plan->pdata[shape->id] = g_new0 (Plan, 1);
  guint64 dims = vc_res_name_mask (shape->request);
  if (shape->spec.strategy_type != NULL) {
    if (!plan_of_pod (p, r->names, dims, &shape->spec))
      *p = (Plan) { 0 };
    return p;
  }
  for (guint64 left = dims; left != 0; left &= left - 1) {
    guint d = (guint) __builtin_ctzll (left);
    if (r->kind[d] != NO_STRATEGY)
      plan_add (p, d, r->kind[d], r->weight[d]);
  }
  return p;
}

static double
fit_of (const Plan *p, const VcRes *request, const VcCluster *c, guint32 node)
{
  const VcRes *allocatable = c->nodes.info[node].allocatable;
  double sum = 0;

  for (guint k = 0; k < p->n; k++) {
    guint d = p->dim[k];
    double whole = allocatable->v[d], w = (double) p->weight[k];

    if (p->kind[k] == OTHER || w == 0 || whole == 0)
      continue;
    double used = request->v[d] + c->nodes.used[d][node];
    if (used > whole)
      return 0;
    sum += (p->kind[k] == MOST ? used : whole - used) * w / whole;
  }
  return p->sum > 0 ? sum / (double) p->sum : sum;
}

/* ---- sra -------------------------------------------------------------------------------------- */

static double
sra_of (const Rsf *r, guint64 dims, const VcCluster *c, guint32 node)
{
  const VcRes *allocatable = c->nodes.info[node].allocatable;
  double score = 0;

  for (guint64 left = dims; left != 0; left &= left - 1)
    if (allocatable->v[__builtin_ctzll (left)] == 0)
      return 0;
  for (guint i = 0; i < r->n_scarce; i++) {
    int d = vc_res_names_find (r->names, r->scarce[i].name);
    if (d >= 0 && allocatable->v[d] > 0)
      score += (double) r->scarce[i].weight;
  }
  if (r->sra_sum > 0)
    score = 1.0 - score / (double) r->sra_sum;
  return score * (double) (100 * r->sra_factor);
}

static gboolean
rsf_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  Rsf *r = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcShape *shape = vc_task (c, task)->shape;
  const Plan *p = plan_of (r, shape);
  guint64 dims = vc_res_name_mask (shape->request);
  double scale = 100.0 * (double) r->factor;

  for (guint i = 0; i < n; i++) {
    double s = r->factor > 0 ? fit_of (p, shape->request, c, nodes[i]) * scale : 0;

    if (r->sra_factor > 0)
      s += sra_of (r, dims, c, nodes[i]);
    score[i] += s;
  }
  return TRUE;
}

/* ---- proportional ----------------------------------------------------------------------------- */

static gboolean
rsf_predicate (gpointer self, VcSession *ssn, guint32 task, guint32 node, VcFitError *e)
{
  const Rsf *r = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcNodes *nodes = &c->nodes;
  const VcRes *request = vc_task (c, task)->shape->request;
  double cpu = nodes->idle[VC_RES_CPU][node] - request->v[VC_RES_CPU], memory = nodes->idle[VC_RES_MEMORY][node] - request->v[VC_RES_MEMORY];

  for (guint i = 0; i < r->n_kept; i++) {
    int d = vc_res_names_find (c->names, r->kept[i].name);
    if (d >= VC_RES_FIRST_SCALAR && request->v[d] > 0)
      return TRUE;
  }
  for (guint i = 0; i < r->n_kept; i++) {
    int d = vc_res_names_find (c->names, r->kept[i].name);
    if (d < VC_RES_FIRST_SCALAR)
      continue;
    double idle = nodes->idle[d][node];
    if (idle == 0 && !vc_res_has (nodes->info[node].allocatable, (guint) d))
      continue;
    if (cpu < idle * r->kept[i].cpu || memory < idle * r->kept[i].memory * 1000 * 1000) {
      vc_fit_error_add (e, VC_UNRESOLVABLE, r->kept[i].reason, "resource-strategy-fit");
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- session ---------------------------------------------------------------------------------- */

/* An exact name goes before every prefix, the longer prefix before the shorter. */
static void
choose_strategy (Rsf *r, guint dim)
{
  const char *name = vc_res_names_get (r->names, dim);
  gsize best = 0;

  r->kind[dim] = NO_STRATEGY;
  for (guint i = 0; i < r->n_strategies; i++) {
    const Strategy *s = &r->strategy[i];
    gsize len = strlen (s->name);
    gboolean prefix = len > 0 && s->name[len - 1] == '*';

    if (prefix ? len - 1 <= best || strncmp (name, s->name, len - 1) != 0 : strcmp (name, s->name) != 0)
      continue;
    r->kind[dim] = s->kind;
    r->weight[dim] = s->weight;
    if (!prefix)
      return;
    best = len - 1;
  }
}

static void
rsf_session_open (gpointer self, VcSession *ssn)
{
  Rsf *r = self;
  VcCluster *c = vc_session_cluster (ssn);

  if (r->names == NULL) { /* they stay as they are for the whole run */
    r->names = c->names;
    for (guint d = 0; d < c->n_res; d++)
      choose_strategy (r, d);
    for (guint i = 0; i < r->n_kept; i++) {
      g_autofree char *reason = g_strdup_printf ("proportional of resource %s check failed", r->kept[i].name);
      r->kept[i].reason = vc_cluster_intern (c, reason);
    }
  }
  if (r->proportional)
    vc_session_add_predicate (ssn, rsf_predicate, NULL, NULL);
  if (r->factor > 0 || r->sra_factor > 0)
    vc_session_add_node_order (ssn, rsf_score, NULL);
}

static void
rsf_clear (gpointer self)
{
  Rsf *r = self;

  for (guint i = 0; i < r->n_strategies; i++)
    g_free (r->strategy[i].name);
  for (guint i = 0; i < r->n_scarce; i++)
    g_free (r->scarce[i].name);
  for (guint i = 0; i < r->n_kept; i++)
    g_free (r->kept[i].name);
  g_free (r->strategy);
  g_free (r->scarce);
  g_free (r->kept);
  g_clear_pointer (&r->plan, g_ptr_array_unref);
}

const VcPluginClass vc_plugin_resource_strategy_fit = {
  .name = "resource-strategy-fit",
  .summary = VC_RESOURCE_STRATEGY_FIT_SUMMARY,
  .args = vc_resource_strategy_fit_args,
  .instance_size = sizeof (Rsf),
  .init = rsf_init,
  .session_open = rsf_session_open,
  .clear = rsf_clear,
};
