/* Jobs of Slurm as gangs: a pod for each node, with its part of the cores. */
#include "slurm-job.h"
#include "workloads/import/hpc.h"
#include "workloads/text/parse.h"
#include <string.h>

/* What was in use on a node of the record. */
typedef struct { GArray *cpu, *memory, *gpu; } HostUse;

struct WlSlurmMaker {
  WlImport *imp;
  WlSlurmCluster *c;
  gboolean conf;           /* is there one? */
  gboolean eligible, fail;
  const char *queue_by, *priority_by, *walltime; /* walltime NULL: by the kind of file */
  gint64 per_core;
  GHashTable *qos;         /* name → value of its class (gint32 *) */
  /* without a conf */
  GHashTable *hosts;       /* name → HostUse */
  GPtrArray *host_names;   /* in the order in which they came */
  GArray *cpu, *memory, *gpu;
  gint64 largest_cpu, largest_memory, largest_gpu, largest_gang;
  gboolean unplaced;       /* some job has no hosts */
};

static void
host_use_free (gpointer data)
{
  HostUse *u = data;

  g_array_unref (u->cpu);
  g_array_unref (u->memory);
  g_array_unref (u->gpu);
  g_free (u);
}

/* "high=100;low=10" into m->qos */
static gboolean
read_qos (WlSlurmMaker *m, const char *text, GError **error)
{
  g_auto (GStrv) part = g_strsplit (text != NULL ? text : "", ";", -1);

  for (char **p = part; *p != NULL; p++) {
    char *equals = strchr (*p, '=');
    gint64 v;

    if (equals == NULL || !wl_parse_int (equals + 1, -1000000000, 1000000000, &v, NULL)) {
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--qos-priority, expected names and values such as high=100;low=10, found '%s'", *p);
      return FALSE;
    }
    const gint32 value = (gint32) v;

    g_hash_table_replace (m->qos, g_strndup (*p, (gsize) (equals - *p)), g_memdup2 (&value, sizeof value));
  }
  return TRUE;
}

WlSlurmMaker *
wl_slurm_maker_new (WlImport *imp, WlSlurmCluster *c, GError **error)
{
  g_autoptr (WlSlurmMaker) m = g_new0 (WlSlurmMaker, 1);

  *m = (WlSlurmMaker) { .imp = imp,
                        .c = c,
                        .conf = c->nodes->len > 0,
                        .eligible = wl_import_is (imp, "submit-by", "eligible"),
                        .fail = wl_import_is (imp, "failed", "fail"),
                        .queue_by = wl_import_text (imp, "queue-by"),
                        .priority_by = wl_import_text (imp, "priority-by"),
                        .walltime = wl_import_text (imp, "walltime"),
                        .per_core = wl_import_bytes (imp, "memory-per-core"),
                        .qos = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
                        .hosts = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, host_use_free),
                        .host_names = g_ptr_array_new_with_free_func (g_free),
                        .cpu = wl_uses_new (),
                        .memory = wl_uses_new (),
                        .gpu = wl_uses_new () };
  return read_qos (m, wl_import_text (imp, "qos-priority"), error) ? g_steal_pointer (&m) : NULL;
}

void
wl_slurm_maker_free (WlSlurmMaker *m)
{
  if (m == NULL)
    return;
  g_hash_table_unref (m->qos);
  g_hash_table_unref (m->hosts);
  g_ptr_array_unref (m->host_names);
  g_array_unref (m->cpu);
  g_array_unref (m->memory);
  g_array_unref (m->gpu);
  g_free (m);
}

static gboolean
given (const char *text)
{
  return text != NULL && *text != '\0';
}

/* ---- what a job asks for ---------------------------------------------------------------------------- */

typedef struct { gint64 pods, cpus, gpus; WlTime run, submit; const WlSlurmPartition *partition; } Shape;

/* FALSE: the job is left out, or *error says why it cannot be read. */
static gboolean
running_time (WlSlurmMaker *m, const WlSlurmJob *job, Shape *s, GError **error)
{
  WlImport *imp = m->imp;

  s->submit = m->eligible && job->eligible != WL_TIME_NONE ? MAX (job->eligible, job->submit) : job->submit;
  s->run = job->run;
  if (job->submit == WL_TIME_NONE)
    return !wl_import_drop (imp, "no time of submission");
  if (job->recorded && job->start == WL_TIME_NONE)
    return !wl_import_drop (imp, "never started");
  if (job->recorded && job->end == WL_TIME_NONE && s->run == WL_TIME_NONE)
    return !wl_import_drop (imp, "still running, and for how long is not said");
  if (job->recorded && job->end == WL_TIME_NONE)
    wl_import_default (imp, "end (still running: what it had run by then)");
  if (s->run == WL_TIME_NONE)
    s->run = job->end - job->start;
  if (s->run == WL_SLURM_TO_LIMIT) {
    if (job->limit <= 0) {
      g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "running time, expected a limit for a job that runs until its limit, found none");
      return FALSE;
    }
    s->run = job->limit;
    wl_import_default (imp, "running time (until its limit)");
  }
  if (s->run < 0)
    return !wl_import_drop (imp, "negative running time");
  if (job->recorded && s->run == 0 && given (job->state) && g_str_has_prefix (job->state, "CANCELLED"))
    return !wl_import_drop (imp, "cancelled before it ran");
  return TRUE;
}

static gboolean
find_shape (WlSlurmMaker *m, const WlSlurmJob *job, Shape *s, GError **error)
{
  WlImport *imp = m->imp;
  const char *constraint = given (job->constraint) && m->conf && wl_slurm_constraint (m->c, job->constraint) != NULL ? job->constraint : NULL;
  gint64 largest;

  if (!running_time (m, job, s, error))
    return FALSE;
  s->cpus = MAX (job->cpus, 1);
  s->partition = wl_slurm_partition (m->c, job->partition);
  if (m->conf && s->partition == NULL && given (job->partition))
    wl_import_note (imp, "jobs of a partition that slurm.conf does not have", 1);
  else if (s->partition != NULL && !given (job->partition))
    wl_import_default (imp, "partition (the default one)");
  s->pods = job->nodes;
  if (s->pods <= 0 && job->tasks_per_node > 0) {
    s->pods = (s->cpus + job->tasks_per_node - 1) / job->tasks_per_node;
  } else if (s->pods <= 0) {
    largest = m->conf ? wl_slurm_smallest (m->c, s->partition, constraint, 1) : 0;
    s->pods = largest > 0 ? (s->cpus + largest - 1) / largest : 1;
    wl_import_default (imp, "number of nodes");
  }
  if (s->pods > WL_REPLICAS_MAX || s->cpus > 100000000) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "job, expected at most %d nodes and 100000000 CPUs, found %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT, WL_REPLICAS_MAX, s->pods, s->cpus);
    return FALSE;
  }
  s->cpus = MAX (s->cpus, s->pods); /* no node without a core */
  if (job->exclusive) {
    largest = m->conf ? wl_slurm_smallest (m->c, s->partition, constraint, (s->cpus + s->pods - 1) / s->pods) : 0;
    if (largest > 0)
      s->cpus = s->pods * largest;
    wl_import_note (imp, largest > 0 ? "jobs that want whole nodes: the cores of the smallest that will do" : "jobs that want whole nodes: ignored, their size is not known", 1);
  }
  s->gpus = job->gpus_of_job ? (job->gpus + s->pods - 1) / s->pods : job->gpus;
  if (job->gpus_of_job && job->gpus % s->pods != 0)
    wl_import_note (imp, "GPUs of a pod rounded up: no multiple of the nodes", 1);
  return TRUE;
}

static gint64
memory_of (WlSlurmMaker *m, const WlSlurmJob *job, const Shape *s, gint64 cores)
{
  const gint64 per_cpu = s->partition != NULL && s->partition->per_cpu > 0 ? s->partition->per_cpu : m->c->per_cpu,
               per_node = s->partition != NULL && s->partition->per_node > 0 ? s->partition->per_node : m->c->per_node;

  if (job->memory > 0)
    return job->of == WL_SLURM_OF_CPU ? job->memory * cores : job->of == WL_SLURM_OF_NODE ? job->memory : job->memory / s->pods;
  return per_cpu > 0 ? per_cpu * cores : per_node > 0 ? per_node : wl_import_product (m->per_core, cores, 1);
}

/* Terms for partition, constraint and type of GPU. (transfer full) */
static char *
selector_of (WlSlurmMaker *m, const WlSlurmJob *job, const Shape *s)
{
  g_autofree char *partition = s->partition != NULL ? wl_slurm_partition_term (s->partition) : NULL, *type = given (job->gpu_type) ? wl_import_label_value (job->gpu_type) : NULL;
  const char *constraint = given (job->constraint) && m->conf ? wl_slurm_constraint (m->c, job->constraint) : NULL;
  GString *out = g_string_new (partition);

  if (given (job->constraint) && constraint == NULL)
    wl_import_note (m->imp, m->conf ? "constraints that cannot be understood: ignored" : "constraints ignored: no slurm.conf", 1);
  if (constraint != NULL)
    g_string_append_printf (out, "%s%s", out->len > 0 ? ";" : "", constraint);
  if (type != NULL && *type != '\0' && m->conf)
    g_string_append_printf (out, "%sgpu-model=%s", out->len > 0 ? ";" : "", type);
  return g_string_free (out, out->len == 0);
}

static const char *
named_queue (const WlSlurmMaker *m, const WlSlurmJob *job, const Shape *s)
{
  const char *by = m->queue_by;

  if (strcmp (by, "partition") == 0)
    return given (job->partition) ? job->partition : s->partition != NULL ? s->partition->name : NULL;
  return strcmp (by, "account") == 0 ? job->account : strcmp (by, "qos") == 0 ? job->qos : strcmp (by, "user") == 0 ? job->user : NULL;
}

static const char *
queue_of (const WlSlurmMaker *m, const WlSlurmJob *job, const Shape *s)
{
  const char *name = named_queue (m, job, s);

  return name != NULL || strcmp (m->queue_by, "none") == 0 ? name : "";
}

/* A class, or a number; NULL: none. (transfer full) */
static char *
priority_of (WlSlurmMaker *m, const WlSlurmJob *job, const Shape *s)
{
  gint64 value = -1;

  if (strcmp (m->priority_by, "qos") == 0 && given (job->qos)) {
    const gint32 *said = g_hash_table_lookup (m->qos, job->qos);
    g_autofree char *label = wl_import_label (job->qos);
    char *class = g_strconcat (g_ascii_isdigit (*label) ? "qos-" : "", label, NULL); /* a number would be a value */

    wl_import_priority_class (m->imp, class, said != NULL ? *said : 0);
    return class;
  }
  if (strcmp (m->priority_by, "qos") == 0)
    wl_import_default (m->imp, "qos (none given: no priority)");
  if (strcmp (m->priority_by, "partition") == 0 && s->partition != NULL)
    value = s->partition->priority;
  else if (strcmp (m->priority_by, "priority") == 0)
    value = job->priority;
  if (value > 1000000000)
    wl_import_note (m->imp, "priorities cut to 1000000000", 1);
  return value >= 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, MIN (value, 1000000000)) : NULL;
}

/* ---- what was in use, where no conf tells the nodes -------------------------------------------------- */

static void
note_use (WlSlurmMaker *m, const WlSlurmJob *job, const Shape *s, const WlImportRole *role, guint n, const GPtrArray *hosts)
{
  const WlTime start = job->start != WL_TIME_NONE ? job->start : s->submit, end = start + s->run;
  guint at = 0;

  m->largest_gang = MAX (m->largest_gang, s->pods);
  m->unplaced |= hosts == NULL || hosts->len == 0;
  for (guint i = 0; i < n; i++) {
    const WlImportAmounts *a = &role[i].request;

    m->largest_cpu = MAX (m->largest_cpu, a->cpu_milli / 1000);
    m->largest_memory = MAX (m->largest_memory, a->memory);
    m->largest_gpu = MAX (m->largest_gpu, a->gpus);
    wl_uses_add (m->cpu, start, end, a->cpu_milli / 1000 * role[i].replicas);
    wl_uses_add (m->memory, start, end, (a->memory >> 20) * role[i].replicas);
    wl_uses_add (m->gpu, start, end, (gint64) a->gpus * role[i].replicas);
    for (guint k = 0; hosts != NULL && k < role[i].replicas && at < hosts->len; k++, at++) {
      HostUse *u = g_hash_table_lookup (m->hosts, hosts->pdata[at]);

      if (u == NULL) {
        u = g_new (HostUse, 1);
        *u = (HostUse) { wl_uses_new (), wl_uses_new (), wl_uses_new () };
        g_ptr_array_add (m->host_names, g_strdup (hosts->pdata[at]));
        g_hash_table_insert (m->hosts, m->host_names->pdata[m->host_names->len - 1], u);
      }
      wl_uses_add (u->cpu, start, end, a->cpu_milli / 1000);
      wl_uses_add (u->memory, start, end, a->memory);
      wl_uses_add (u->gpu, start, end, a->gpus);
    }
  }
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static gint64
quotient (gint64 a, gint64 b)
{
  return b > 0 ? (a + b - 1) / b : 0;
}

void
wl_slurm_add_cluster (WlSlurmMaker *m)
{
  WlImport *imp = m->imp;
  const gboolean sized = wl_import_given (imp, "nodes");

  if (m->conf) {
    wl_slurm_add_nodes (imp, m->c);
    return;
  }
  if (!sized && !m->unplaced && m->host_names->len > 0) { /* the nodes of the record */
    g_ptr_array_sort (m->host_names, by_name);
    for (guint i = 0; i < m->host_names->len; i++) {
      HostUse *u = g_hash_table_lookup (m->hosts, m->host_names->pdata[i]);
      const WlImportNode node = { .name = m->host_names->pdata[i],
                                  .time = WL_TIME_NONE,
                                  .capacity = { .cpu_milli = MAX (wl_uses_peak (u->cpu), 1) * 1000, .memory = MAX (wl_uses_peak (u->memory), 1 << 20), .gpus = (guint32) wl_uses_peak (u->gpu) },
                                  .pods = -1 };

      wl_import_node (imp, &node);
    }
    wl_import_default_more (imp, "size of nodes (what was in use on them at once)", m->host_names->len);
    return;
  }
  const gint64 cpu = wl_import_given (imp, "node-cpu") ? wl_import_milli (imp, "node-cpu") / 1000 : m->largest_cpu,
               memory = wl_import_given (imp, "node-memory") ? wl_import_bytes (imp, "node-memory") : m->largest_memory,
               gpus = wl_import_given (imp, "gpus-per-node") ? wl_import_number (imp, "gpus-per-node") : m->largest_gpu;
  const gint64 needed = MAX (MAX (quotient (wl_uses_peak (m->cpu), cpu), quotient (wl_uses_peak (m->memory), MAX (memory >> 20, 1))),
                             MAX (quotient (wl_uses_peak (m->gpu), gpus), m->largest_gang));
  const WlImportNode node = { .name = "n",
                              .time = WL_TIME_NONE,
                              .capacity = { .cpu_milli = cpu * 1000, .memory = memory, .gpus = (guint32) gpus },
                              .pods = -1,
                              .count = (guint32) (sized ? wl_import_number (imp, "nodes") : needed) };

  if (node.count == 0)
    return;
  wl_import_node (imp, &node);
  if (!sized)
    wl_import_default_more (imp, "nodes (as many as suffice if every job starts as in the record, or at once)", node.count);
  if (!wl_import_given (imp, "node-cpu") || !wl_import_given (imp, "node-memory"))
    wl_import_default_more (imp, "size of nodes (the largest pod)", node.count);
}

/* ---- a job ------------------------------------------------------------------------------------------ */

static gboolean
failed (const char *state)
{
  return given (state) && !g_str_has_prefix (state, "COMPLETED") && !g_str_has_prefix (state, "RUNNING");
}

gboolean
wl_slurm_add_job (WlSlurmMaker *m, const WlSlurmJob *job, GError **error)
{
  WlImport *imp = m->imp;
  g_autoptr (GError) e = NULL;
  g_autoptr (GPtrArray) hosts = NULL;
  g_autoptr (GString) nodes = g_string_new (NULL), later = g_string_new (NULL);
  Shape s = { .pods = 0 };
  gint64 each, n_more;
  guint n = 0;

  if (given (job->hosts) && g_ascii_strncasecmp (job->hosts, "None", 4) != 0 && g_ascii_strncasecmp (job->hosts, "(null)", 6) != 0 && (hosts = wl_slurm_hosts (job->hosts, error)) == NULL)
    return FALSE;
  if (!find_shape (m, job, &s, &e)) {
    if (e == NULL)
      return TRUE; /* left out */
    g_propagate_error (error, g_steal_pointer (&e));
    return FALSE;
  }
  g_autofree char *selector = selector_of (m, job, &s), *priority = priority_of (m, job, &s), *name = given (job->id) ? g_strdup_printf ("job-%s", job->id) : NULL;
  WlImportRole role[2];
  WlTime run = s.run;
  int exit_code = m->fail && failed (job->state) ? 1 : 0;

  wl_hpc_limit (imp, m->walltime != NULL ? strcmp (m->walltime, "kill") == 0 : !job->recorded, job->limit, &run, &exit_code);
  wl_hpc_spread (s.cpus, s.pods, &each, &n_more);
  for (guint part = 0; part < 2; part++) { /* pods with a core more, and the others */
    const gint64 pods = part == 0 ? n_more : s.pods - n_more, cores = each + (part == 0);

    if (pods > 0)
      role[n++] = (WlImportRole) { .name = part == 0 || n_more == 0 ? "node" : "less",
                                   .replicas = (guint32) pods,
                                   .request = { .cpu_milli = cores * 1000, .memory = MIN (memory_of (m, job, &s, cores), WL_AMOUNT_MAX), .gpus = (guint32) s.gpus },
                                   .duration = run,
                                   .exit_code = exit_code,
                                   .node_selector = selector };
  }
  if (job->memory <= 0)
    wl_import_default (imp, "memory of pods");
  if (job->eligible != WL_TIME_NONE && job->eligible > job->submit) {
    wl_append_time (later, job->eligible - job->submit);
    wl_import_note (imp, m->eligible ? "jobs that come when they become eligible" : "jobs that became eligible only after their submission (--submit-by=eligible)", 1);
  }
  const char *extra[] = { job->user, job->account, job->qos, later->str };
  const WlImportJob one = { .name = name, .queue = queue_of (m, job, &s), .priority = priority, .submit = s.submit, .walltime = job->limit, .role = role, .n_roles = n, .extra = extra };
  const guint32 number = wl_import_job (imp, &one);

  if (number == G_MAXUINT32)
    return TRUE;
  for (guint i = 0; hosts != NULL && i < hosts->len; i++)
    g_string_append_printf (nodes, "%s%s", i > 0 ? "|" : "", (const char *) hosts->pdata[i]);
  const WlImportRecord record = { .wait = WL_TIME_NONE, .start = job->start, .end = job->end != WL_TIME_NONE ? job->end : job->start + s.run, .status = job->state, .nodes = nodes->str };

  if (job->recorded)
    wl_import_recorded (imp, number, &record);
  if (!m->conf)
    note_use (m, job, &s, role, n, hosts);
  return TRUE;
}
