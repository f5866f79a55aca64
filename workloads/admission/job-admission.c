/* workloads/admission/job-admission.c - mirrors pkg/webhooks/admission/jobs/validate; the schema's limits are in k8s-schema.c, what Kubernetes has against
 * pod templates in template-admission.c. */
#include "job-admission.h"
#include "admission.h"
#include "template-admission.h"
#include "workloads/k8s/k8s-schema.h"
#include <string.h>

/* ---- policies ------------------------------------------------------------------------------- */

static gboolean
is_one_of (const char *text, const char *const *list, guint n)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (list[i], text) == 0)
      return TRUE;
  return FALSE;
}

static const char *const events[] = { "*", "JobUpdated", "PodEvicted", "PodFailed", "PodPending", "TaskCompleted", "TaskFailed", "Unknown" };
static const char *const actions[] = { "AbortJob",         "CompleteJob", "RestartJob",  "RestartPartition",
                                       "RestartPod", "RestartTask", "ResumeJob",   "TerminateJob" };

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
append_words (GString *out, const char *const *word, guint n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "%s%s", i > 0 ? " " : "", word[i]);
}

/* The first problem ends the list; the one of the wildcard is looked at after that. Upstream writes them as a list over several lines. */
static void
judge_policies (const WlPolicy *list, guint n, const char *path, GString *out)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new ();
  g_autoptr (GArray) codes = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GString) first = g_string_new (NULL);
  gboolean wildcard;

  for (guint i = 0; i < n && !policy_is_bad (&list[i], path, seen, codes, first); i++)
    ;
  wildcard = seen->len > 1 && is_one_of ("*", (const char *const *) seen->pdata, seen->len);
  if (first->len == 0 && !wildcard)
    return;
  g_string_append (out, first->len > 0 && wildcard ? "2 errors occurred:" : "1 error occurred:");
  if (first->len > 0)
    g_string_append_printf (out, " * %s", first->str);
  if (wildcard)
    g_string_append (out, " * if there's * here, no other policy should be here");
  g_string_append (out, " valid events are [");
  append_words (out, events, G_N_ELEMENTS (events));
  g_string_append (out, "], valid actions are [");
  append_words (out, actions, G_N_ELEMENTS (actions));
  g_string_append (out, "];");
}

/* ---- tasks ---------------------------------------------------------------------------------- */

static const char two_tiers[] = "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously";

static void
judge_partitions (const char *job, const WlTask *t, GString *out)
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
    g_string_append_printf (out, "%s in task: %s, job: %s", problem, t->name, job);
  if (t->two_tiers)
    g_string_append (out, two_tiers);
}

/* Is there no order in which the tasks could start: do they wait for each other in a circle, or for one that does not exist? One that is
 * named twice is waited for twice, and comes once. */
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
          if (free_task[k] && strcmp (job->task[k].name, t->depends[d]) == 0 && !is_one_of (t->depends[d], t->depends, d)) {
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

/* A policy for memory and cpus of one NUMA node wants whole cpus in every container; a container without requests has its limits. */
static gboolean
judge_numa (struct fy_node *task, guint index, GString *out)
{
  static const char *const lists[] = { "containers", "initContainers" };
  struct fy_node *spec = k8s_get (k8s_get (task, "template"), "spec"), *item;
  g_autoptr (GString) text = g_string_new (NULL);
  const char *policy = k8s_get_text (task, "topologyPolicy", text);
  guint n = 0;

  if (*policy == '\0' || strcmp (policy, "none") == 0)
    return TRUE;
  for (guint l = 0; l < G_N_ELEMENTS (lists); l++) {
    void *at = NULL;

    for (struct fy_node *list = k8s_get (spec, lists[l]); (item = k8s_next (list, &at)) != NULL; n++) {
      struct fy_node *resources = k8s_get (item, "resources"), *amounts = k8s_get (resources, "requests");
      VcQuantity cpu = { 0, 0 };

      if (k8s_is_empty (amounts))
        amounts = k8s_get (resources, "limits");
      if (!vc_quantity_parse (k8s_get_text (amounts, "cpu", text), &cpu, NULL) || cpu.value == 0 || cpu.value * 1000 != cpu.milli) {
        g_string_append_printf (out, "the cpu request isn't an integer in spec.task[%u] container[%u].", index, n);
        return FALSE;
      }
    }
  }
  return TRUE;
}

static void
judge_pod (const WlJobObject *job, const WlTask *t, struct fy_node *task, guint index, GString *out)
{
  g_autofree char *pod = g_strdup_printf ("%s-%s-%u", job->name, t->name, index), *problem = wl_qualified_problem (pod);
  g_autoptr (GPtrArray) findings = wl_findings_new ();

  if (problem != NULL)
    g_string_append_printf (out, "create pod with name %s validate failed %s;", pod, problem);
  wl_judge_template (k8s_get (task, "template"), findings);
  if (findings->len == 0) {
    judge_numa (task, index, out);
    return;
  }
  g_string_append_printf (out, "spec.task[%u].", index);
  for (guint i = 0; i < findings->len; i++)
    g_string_append_printf (out, "%s. ", (const char *) findings->pdata[i]);
}

/* ---- volumes -------------------------------------------------------------------------------- */

static void
judge_volumes (const WlJobObject *job, GString *out)
{
  for (guint i = 0; i < job->n_volumes; i++) {
    const WlVolume *v = &job->volume[i];

    if (*v->mount_path == '\0') {
      g_string_append (out, " mountPath is required;");
      return;
    }
    for (guint k = 0; k < i; k++)
      if (strcmp (job->volume[k].mount_path, v->mount_path) == 0) {
        g_string_append_printf (out, " duplicated mountPath: %s;", v->mount_path);
        return;
      }
    if (v->made == NULL && *v->claim == '\0') {
      g_string_append (out, " either VolumeClaim or VolumeClaimName must be specified;");
      return;
    }
    if (*v->claim == '\0')
      continue;
    if (v->made != NULL) {
      g_string_append (out, "conflict: If you want to use an existing PVC, just specify VolumeClaimName.If you want to create a new PVC, "
                            "you do not need to specify VolumeClaimName");
      return;
    }
    const char *problem = wl_dns_subdomain_problem (v->claim);

    if (problem != NULL) {
      g_string_append_printf (out, "invalid VolumeClaimName %s : [%s]", v->claim, problem);
      return;
    }
  }
}

/* ---- a new job ------------------------------------------------------------------------------ */

static const char no_order[] = " job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);";

/* What is said before anything else, and alone. */
static const char *
early_exit (const WlJobObject *job, const JobPlugins *plugins)
{
  if (job->n_tasks == 0)
    return "No task specified in job spec";
  for (guint i = 0; plugins->mpi_master != NULL && i < job->n_tasks; i++)
    if (strcmp (job->task[i].name, plugins->mpi_master) == 0)
      return NULL;
  return plugins->mpi_master != NULL ? "The specified mpi master task was not found" : NULL;
}

static void
judge_tasks (const WlJobObject *job, struct fy_node *spec, GString *out)
{
  struct fy_node *list = k8s_get (spec, "tasks");
  void *at = NULL;
  gint64 replicas = 0;

  for (guint i = 0; i < job->n_tasks; i++) {
    const WlTask *t = &job->task[i];
    struct fy_node *node = k8s_next (list, &at);
    gboolean twice = FALSE;

    if (t->min_available > t->replicas)
      g_string_append_printf (out, " 'minAvailable' is greater than 'replicas' in task: %s, job: %s;", t->name, job->name);
    replicas += t->replicas;
    for (guint k = 0; k < i; k++)
      twice = twice || strcmp (job->task[k].name, t->name) == 0;
    if (twice) {
      g_string_append_printf (out, " duplicated task name %s;", t->name);
      break;
    }
    judge_policies (t->policy, t->n_policies, "spec.tasks.policies", out);
    judge_pod (job, t, node, i, out);
    if (t->divided)
      judge_partitions (job->name, t, out);
  }
  g_autofree char *problem = wl_qualified_problem (job->name);

  if (problem != NULL)
    g_string_append_printf (out, "create job with name %s validate failed %s", job->name, problem);
  if (replicas < job->min_available)
    g_string_append (out, " job 'minAvailable' should not be greater than total replicas in tasks;");
}

void
judge_job (VcArena *arena, struct fy_node *spec, const JobPlugins *plugins, WlJobObject *job)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GPtrArray) findings = wl_findings_new ();
  const char *early = early_exit (job, plugins);

  k8s_judge_schema (K8S_SCHEMA_JOB, job->name, spec, findings);
  if (findings->len > 0) {
    g_autofree char *text = k8s_schema_text (K8S_SCHEMA_JOB, job->name, findings);

    g_string_append_printf (out, "%s; ", text);
  }
  if (early != NULL) {
    g_string_append (out, early);
    job->refusal.alone = TRUE;
  } else {
    if (job->two_tiers)
      g_string_append (out, two_tiers);
    judge_tasks (job, spec, out);
    judge_policies (job->policy, job->n_policies, "spec.policies", out);
    for (guint i = 0; i < plugins->unknown.n; i++)
      g_string_append_printf (out, " unable to find job plugin: %s;", plugins->unknown.item[i]);
    judge_volumes (job, out);
    gboolean depends = FALSE;

    for (guint i = 0; i < job->n_tasks; i++)
      depends = depends || job->task[i].n_depends > 0;
    job->refusal.no_order = depends && waits_for_ever (job);
  }
  if (out->len > 0)
    job->refusal.text = vc_arena_strdup (arena, out->str);
}

char *
wl_queue_not_found (const char *name)
{
  return g_strdup_printf ("queue.scheduling.volcano.sh \"%s\" not found", name);
}

char *
wl_admit_job (const WlJobRefusal *refusal, const char *queue_name, const WlQueueView *queue)
{
  g_autoptr (GString) out = g_string_new (refusal != NULL ? refusal->text : NULL);

  if (refusal != NULL && refusal->alone)
    return g_strdup (g_strstrip (out->str));
  if (queue == NULL) {
    g_autofree char *problem = wl_queue_not_found (queue_name);

    g_string_append_printf (out, " unable to find job queue: %s;", problem);
  } else {
    if (strcmp (queue->state, "Open") != 0)
      g_string_append_printf (out, " can only submit job to queue with state `Open`, queue `%s` status is `%s`;", queue->name, queue->state);
    if (strcmp (queue->name, "root") == 0)
      g_string_append (out, " can not submit job to root queue;");
    else if (queue->n_children > 0)
      g_string_append_printf (out, " can only submit job to leaf queue, queue `%s` has %u child queues;", queue->name, queue->n_children);
  }
  if (refusal != NULL && refusal->no_order)
    g_string_append (out, no_order);
  return out->len > 0 ? g_strdup (g_strstrip (out->str)) : NULL;
}

/* ---- a changed job -------------------------------------------------------------------------- */

const char *
wl_admit_job_update (VcArena *arena, const WlJobObject *old, const WlJobObject *now)
{
  g_autoptr (GString) out = g_string_new (NULL);
  gint64 replicas = 0;

  for (guint i = 0; i < now->n_tasks && out->len == 0; i++) {
    const WlTask *t = &now->task[i];

    replicas += t->replicas;
    if (t->replicas < 0)
      g_string_append_printf (out, "'replicas' must be >= 0 in task: %s", t->name);
    else if (t->min_available < 0)
      g_string_append_printf (out, "'minAvailable' must be >= 0 in task: %s", t->name);
    else if (t->min_available > t->replicas)
      g_string_append_printf (out, "'minAvailable' must be <= 'replicas' in task: %s", t->name);
    else if (t->divided)
      judge_partitions (now->name, t, out);
  }
  if (out->len > 0)
    return vc_arena_strdup (arena, out->str);
  if (now->min_available > replicas)
    return "job 'minAvailable' must not be greater than total replicas";
  if (now->min_available < 0)
    return "job 'minAvailable' must be >= 0";
  if (now->two_tiers)
    return two_tiers;
  if (old->n_tasks != now->n_tasks)
    return "job updates may not add or remove tasks";
  if (old->frozen[0] != now->frozen[0] || old->frozen[1] != now->frozen[1])
    return "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec` and `PriorityClassName`";
  return NULL;
}
