/* workloads/k8s/job-plugins.c - see job-plugins.h. */
#include "job-plugins.h"
#include <stdlib.h>
#include <string.h>

/* ---- arguments, as Go's flag package reads them ------------------------------------------------ */

typedef enum { TEXT, NUMBER, TRUTH } FlagType;
typedef struct { const char *name; FlagType type; const char *value; } Flag;

static Flag *
find_flag (Flag *flags, guint n, const char *name, gsize len)
{
  for (guint i = 0; i < n; i++)
    if (strlen (flags[i].name) == len && memcmp (flags[i].name, name, len) == 0)
      return &flags[i];
  return NULL;
}

static gboolean
is_truth (const char *text)
{
  static const char *const words[] = { "1", "t", "T", "true", "TRUE", "True", "0", "f", "F", "false", "FALSE", "False", NULL };

  return g_strv_contains (words, text);
}

static gboolean
is_value (FlagType type, const char *text)
{
  gint64 v;

  return type == TEXT || (type == TRUTH && is_truth (text)) || (type == NUMBER && g_ascii_string_to_signed (text, 10, G_MININT32, G_MAXINT32, &v, NULL));
}

/* Set the values that @arguments give; the first that makes no sense ends the reading, what came before it counts. */
static void
parse_flags (const K8sTexts *arguments, Flag *flags, guint n)
{
  for (guint i = 0; i < arguments->n; i++) {
    const char *text = arguments->item[i];

    if (text[0] != '-' || text[1] == '\0' || strcmp (text, "--") == 0)
      return;
    text += text[1] == '-' ? 2 : 1;
    const char *equals = strchr (text, '=');
    Flag *flag = find_flag (flags, n, text, equals != NULL ? (gsize) (equals - text) : strlen (text));
    const char *value = equals != NULL ? equals + 1 : NULL;

    if (flag == NULL)
      return;
    if (value == NULL && flag->type == TRUTH)
      value = "true";
    else if (value == NULL)
      value = i + 1 < arguments->n ? arguments->item[++i] : NULL;
    if (value == NULL || !is_value (flag->type, value))
      return;
    flag->value = value;
  }
}

/* ---- the map ---------------------------------------------------------------------------------- */

static const char *
key_of (K8sReader *r, struct fy_node *node)
{
  gsize len = 0;
  const char *text = node != NULL && fy_node_is_scalar (node) ? fy_node_get_scalar (node, &len) : NULL;

  return text != NULL ? vc_arena_strndup (r->arena, text, len) : "";
}

/* @name takes its place in the list, unless it is there. */
static void
add_name (VcArena *arena, VcNames *list, const char *name)
{
  const char **item = vc_arena_new0 (arena, const char *, list->n + 1);
  guint at = 0;

  while (at < list->n && strcmp (list->item[at], name) < 0)
    at++;
  if (at < list->n && strcmp (list->item[at], name) == 0)
    return;
  for (guint i = 0; i < list->n; i++)
    item[i < at ? i : i + 1] = list->item[i];
  item[at] = name;
  *list = (VcNames){ item, list->n + 1 };
}

static void
take_pytorch (const K8sTexts *arguments, WlMasterWait *wait)
{
  Flag flags[] = {
    { "master", TEXT, "master" }, { "worker", TEXT, "worker" }, { "port", NUMBER, "23456" }, { "wait-master-enabled", TRUTH, "false" },
    { "wait-master-timeout", NUMBER, "300" }, { "wait-master-image", TEXT, "busybox:1.36.1" },
  };

  parse_flags (arguments, flags, G_N_ELEMENTS (flags));
  if (strchr ("1tT", flags[3].value[0]) != NULL)
    *wait = (WlMasterWait){ flags[0].value, flags[1].value, flags[5].value, g_ascii_strtoll (flags[4].value, NULL, 10) * G_USEC_PER_SEC };
}

static void
take_plugin (K8sReader *r, const char *name, const K8sTexts *arguments, JobPlugins *plugins)
{
  static const char *const known[] = { "env", "hcclrank", "mpi", "pytorch", "ray", "ssh", "svc", "tensorflow", NULL };

  add_name (r->arena, g_strv_contains (known, name) ? &plugins->names : &plugins->unknown, name);
  if (strcmp (name, "mpi") == 0) {
    Flag flags[] = { { "master", TEXT, "master" }, { "worker", TEXT, "worker" }, { "port", NUMBER, "22" } };

    parse_flags (arguments, flags, G_N_ELEMENTS (flags));
    plugins->mpi_master = flags[0].value;
    add_name (r->arena, &plugins->names, "ssh");
  } else if (strcmp (name, "ray") == 0) {
    Flag flags[] = { { "head", TEXT, "head" },      { "headContainer", TEXT, "head" }, { "worker", TEXT, "worker" }, { "workerContainer", TEXT, "worker" },
                     { "port", NUMBER, "6379" }, { "dashboardPort", NUMBER, "8265" },  { "clientPort", NUMBER, "10001" } };

    parse_flags (arguments, flags, G_N_ELEMENTS (flags));
    plugins->ray_head = flags[0].value;
  } else if (strcmp (name, "pytorch") == 0) {
    take_pytorch (arguments, &plugins->wait);
  } else if (strcmp (name, "tensorflow") != 0) {
    return;
  }
  add_name (r->arena, &plugins->names, "svc");
}

gboolean
read_job_plugins (K8sReader *r, struct fy_node *node, gpointer out)
{
  JobPlugins *plugins = out;
  void *at = NULL;

  if (!fy_node_is_mapping (node))
    return k8s_expected (r, node, "a map from plugins to their arguments");
  for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate (node, &at)) != NULL;) {
    struct fy_node *value = fy_node_pair_value (pair);
    const char *name = key_of (r, fy_node_pair_key (pair));
    K8sTexts arguments = { NULL, 0 };

    if (!k8s_resolve (r, &value) || (value != NULL && !k8s_texts (r, value, &arguments)))
      return FALSE;
    take_plugin (r, name, &arguments, plugins);
  }
  return TRUE;
}

/* ---- what they do to the pods ------------------------------------------------------------------ */

static const WlTask *
find_task (const WlJobObject *job, const char *name)
{
  for (guint i = 0; i < job->n_tasks; i++)
    if (strcmp (job->task[i].name, name) == 0)
      return &job->task[i];
  return NULL;
}

/* One more init container behind the others; it asks for nothing. */
static void
add_init_container (VcArena *arena, VcPodSpec *spec, const char *name, const char *image)
{
  VcContainer *container = vc_arena_new0 (arena, VcContainer, spec->n_containers + 1);
  guint at = 0;

  for (guint i = 0; i < spec->n_containers; i++) {
    if (spec->container[i].init && g_strcmp0 (spec->container[i].name, name) == 0)
      return;
    at += spec->container[i].init != FALSE;
  }
  for (guint i = 0; i < spec->n_containers; i++)
    container[i < at ? i : i + 1] = spec->container[i];
  container[at] = (VcContainer){ .name = name, .image = image, .init = TRUE };
  spec->container = container;
  spec->n_containers++;
}

void
apply_job_plugins (VcArena *arena, const JobPlugins *plugins, WlJobObject *job)
{
  job->plugins = plugins->names;
  if (plugins->ray_head != NULL && find_task (job, plugins->ray_head) == NULL) {
    g_autofree char *text = g_strdup_printf ("job %s doesn't have head task %s", job->name, plugins->ray_head);

    job->pod_error = vc_arena_strdup (arena, text);
  }
  if (plugins->wait.worker == NULL || find_task (job, plugins->wait.master) == NULL)
    return;
  job->wait = plugins->wait;
  for (guint i = 0; i < job->n_tasks; i++)
    if (strcmp (job->task[i].name, plugins->wait.worker) == 0)
      add_init_container (arena, &((WlTask *) job->task)[i].spec, "wait-for-master", plugins->wait.image);
}
