/* Mirrors pkg/webhooks/admission/jobs/validate, and the limits that the schema of Job sets. */
#include "job-admission.h"
#include <string.h>

/* ---- plugins -------------------------------------------------------------------------------- */

static const char *
scalar (K8sReader *r, struct fy_node *node)
{
  gsize len = 0;
  const char *text = node != NULL && fy_node_is_scalar (node) ? fy_node_get_scalar (node, &len) : NULL;

  return text != NULL ? vc_arena_strndup (r->arena, text, len) : "";
}

static const char *
master_of (const K8sTexts *arguments)
{
  for (guint i = 0; i < arguments->n; i++) {
    const char *text = arguments->item[i];

    while (*text == '-')
      text++;
    if (g_str_has_prefix (text, "master="))
      return text + 7;
    if (strcmp (text, "master") == 0 && i + 1 < arguments->n)
      return arguments->item[i + 1];
  }
  return "master";
}

gboolean
read_job_plugins (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const char *const known[] = { "svc", "ssh", "env", "mpi", "pytorch", "tensorflow", "ray", "hcclrank" };
  JobPlugins *plugins = out;
  void *at = NULL;

  if (!fy_node_is_mapping (node))
    return k8s_expected (r, node, "a map from plugins to their arguments");
  for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate (node, &at)) != NULL;) {
    struct fy_node *value = fy_node_pair_value (pair);
    const char *name = scalar (r, fy_node_pair_key (pair));
    K8sTexts arguments = { NULL, 0 };
    gboolean found = FALSE;

    if (!k8s_resolve (r, &value) || (value != NULL && !k8s_texts (r, value, &arguments)))
      return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS (known); i++)
      found = found || strcmp (known[i], name) == 0;
    if (!found && plugins->unknown == NULL)
      plugins->unknown = name;
    if (strcmp (name, "mpi") == 0)
      plugins->mpi_master = master_of (&arguments);
    for (guint i = 0; i < arguments.n; i++)
      if (strcmp (name, "pytorch") == 0 && strstr (arguments.item[i], "wait-master") != NULL)
        return k8s_unsupported (r, node, "an init container of the plugin pytorch that waits for the master");
  }
  return TRUE;
}

/* ---- policies ------------------------------------------------------------------------------- */

static gboolean
is_one_of (const char *text, const char *const *list, guint n)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (list[i], text) == 0)
      return TRUE;
  return FALSE;
}

static const char *const events[] = { "*", "PodFailed", "PodEvicted", "PodPending", "Unknown", "TaskCompleted", "TaskFailed", "JobUpdated" };
static const char *const actions[] = { "AbortJob",         "RestartJob",   "RestartTask", "RestartPod",
                                       "RestartPartition", "TerminateJob", "CompleteJob", "ResumeJob" };

static gboolean
policy_is_bad (const WlPolicy *p, const char *path, GPtrArray *seen, GArray *codes, GString *out)
{
  guint before = seen->len;

  if (p->n_events > 0 && p->has_exit_code) {
    g_string_append (out, "must not specify event and exitCode simultaneously");
    return TRUE;
  }
  if (p->n_events == 0 && !p->has_exit_code) {
    g_string_append (out, "either event and exitCode should be specified");
    return TRUE;
  }
  for (guint i = 0; i < p->n_events; i++) {
    const char *e = p->event[i];

    if (!is_one_of (e, events, G_N_ELEMENTS (events))) {
      g_string_append_printf (out, "%s: Invalid value: \"%s\": invalid policy event", path, e);
      return TRUE;
    }
    if (!is_one_of (p->action, actions, G_N_ELEMENTS (actions))) {
      g_string_append_printf (out, "%s: Invalid value: \"%s\": invalid policy action", path, p->action);
      return TRUE;
    }
    if (is_one_of (e, (const char *const *) seen->pdata, before)) {
      g_string_append_printf (out, "duplicate event %s  across different policy", e);
      return TRUE;
    }
    if (!is_one_of (e, (const char *const *) seen->pdata, seen->len)) /* twice in one policy is no mistake */
      g_ptr_array_add (seen, (gpointer) e);
  }
  if (p->n_events > 0)
    return FALSE;
  if (p->exit_code == 0) {
    g_string_append (out, "0 is not a valid error code");
    return TRUE;
  }
  for (guint i = 0; i < codes->len; i++)
    if (g_array_index (codes, gint32, i) == p->exit_code) {
      g_string_append_printf (out, "duplicate exitCode %d", p->exit_code);
      return TRUE;
    }
  g_array_append_val (codes, p->exit_code);
  return FALSE;
}

static void
judge_policies (const WlPolicy *list, guint n, const char *path, GString *out)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new ();
  g_autoptr (GArray) codes = g_array_new (FALSE, FALSE, sizeof (gint32));
  gsize before = out->len;

  for (guint i = 0; i < n && !policy_is_bad (&list[i], path, seen, codes, out); i++)
    ;
  if (seen->len > 1 && is_one_of ("*", (const char *const *) seen->pdata, seen->len))
    g_string_append (out, "if there's * here, no other policy should be here");
  if (out->len > before)
    g_string_append (out, ";");
}

/* ---- names and numbers ---------------------------------------------------------------------- */

static gboolean
is_qualified (const char *name)
{
  gsize len = strlen (name);

  if (len == 0 || len > 63 || !g_ascii_isalnum (name[0]) || !g_ascii_isalnum (name[len - 1]))
    return FALSE;
  for (gsize i = 0; i < len; i++)
    if (!g_ascii_isalnum (name[i]) && strchr ("-_.", name[i]) == NULL)
      return FALSE;
  return TRUE;
}

static void
judge_partitions (const WlJobObject *job, const WlTask *t, GString *out)
{
  const char *problem = NULL;

  if (t->partitions <= 0)
    problem = "'TotalPartitions' must be greater than 0";
  else if (t->partition_size <= 0)
    problem = "'PartitionSize' must be greater than 0";
  else if ((gint64) t->partitions * t->partition_size != t->replicas)
    problem = "'Replicas' are not equal to TotalPartitions*PartitionSize";
  else if (t->min_partitions > 0 && (gint64) t->min_partitions * t->partition_size != t->min_available)
    problem = "'MinAvailable' is not equal to MinPartitions*PartitionSize";
  if (problem != NULL)
    g_string_append_printf (out, "%s in task: %s, job: %s", problem, t->name, job->name);
}

/* Do the tasks wait for each other in a circle, or for one that does not exist? */
static gboolean
waits_for_ever (const WlJobObject *job)
{
  g_autofree gboolean *free_task = g_new0 (gboolean, MAX (job->n_tasks, 1));
  guint n_free = 0;

  for (gboolean more = TRUE; more;) {
    more = FALSE;
    for (guint i = 0; i < job->n_tasks; i++) {
      const WlTask *t = &job->task[i];
      guint met = 0;

      for (guint d = 0; d < t->n_depends; d++)
        for (guint k = 0; k < job->n_tasks; k++)
          if (free_task[k] && strcmp (job->task[k].name, t->depends[d]) == 0) {
            met++;
            break;
          }
      if (!free_task[i] && met == t->n_depends) {
        free_task[i] = more = TRUE;
        n_free++;
      }
    }
  }
  return n_free < job->n_tasks;
}

static void
judge_task (const WlJobObject *job, guint i, GString *out)
{
  const WlTask *t = &job->task[i];
  g_autofree char *pod = g_strdup_printf ("%s-%s-%u", job->name, t->name, i);

  judge_policies (t->policy, t->n_policies, "spec.tasks.policies", out);
  if (!is_qualified (pod))
    g_string_append_printf (out, "create pod with name %s validate failed;", pod);
  if (t->raw.n_containers == 0)
    g_string_append_printf (out, "spec.task[%u].template.spec.containers: Required value;", i);
  if (t->divided)
    judge_partitions (job, t, out);
}

/* What the schema refuses before any webhook is asked. */
static void
judge_numbers (const WlJobObject *job, GString *out)
{
  gboolean bad = job->min_available < 0 || job->max_retry < 0 || (job->min_success != -1 && job->min_success < 1) || job->ttl < -1;

  for (guint i = 0; i < job->n_tasks; i++)
    bad = bad || job->task[i].replicas < 0 || job->task[i].min_available < 0 || job->task[i].max_retry < 0
          || job->task[i].min_partitions < 0;
  if (bad)
    g_string_append (out, "a count is out of its range;");
}

const char *
judge_job (VcArena *arena, const WlJobObject *job, const JobPlugins *plugins)
{
  g_autoptr (GString) out = g_string_new (NULL);
  gint64 replicas = 0;
  gboolean master = plugins->mpi_master == NULL, depends = FALSE;

  if (job->n_tasks == 0)
    return "No task specified in job spec";
  for (guint i = 0; i < job->n_tasks; i++)
    master = master || strcmp (job->task[i].name, plugins->mpi_master) == 0;
  if (!master)
    return "The specified mpi master task was not found";
  judge_numbers (job, out);
  for (guint i = 0; i < job->n_tasks; i++) {
    const WlTask *t = &job->task[i];
    gboolean twice = FALSE;

    depends = depends || t->n_depends > 0;
    if (t->min_available > t->replicas)
      g_string_append_printf (out, " 'minAvailable' is greater than 'replicas' in task: %s, job: %s;", t->name, job->name);
    replicas += t->replicas;
    for (guint k = 0; k < i; k++)
      twice = twice || strcmp (job->task[k].name, t->name) == 0;
    if (twice) {
      g_string_append_printf (out, " duplicated task name %s;", t->name);
      break;
    }
    judge_task (job, i, out);
  }
  if (!is_qualified (job->name))
    g_string_append_printf (out, "create job with name %s validate failed", job->name);
  if (replicas < job->min_available)
    g_string_append (out, " job 'minAvailable' should not be greater than total replicas in tasks;");
  judge_policies (job->policy, job->n_policies, "spec.policies", out);
  if (plugins->unknown != NULL)
    g_string_append_printf (out, " unable to find job plugin: %s;", plugins->unknown);
  if (depends && waits_for_ever (job))
    g_string_append (out, " job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);");
  return out->len > 0 ? vc_arena_strdup (arena, g_strstrip (out->str)) : NULL;
}
