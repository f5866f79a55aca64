/* The files of a synthetic trace, and what it looks like in figures. */
#include "generate.h"
#include "workloads/native/append.h"
#include "workloads/native/folder.h"
#include "workloads/text/parse.h"
#include <math.h>
#include <string.h>

#define CONF "volcano-scheduler.conf"

/* ---- cells --------------------------------------------------------------------------------------- */

/* 12, 0.5 as 500m, bytes as Mi where they are whole. */
static void
add_amount (GString *out, const char *resource, double amount)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  if (amount == floor (amount) && wl_resource_is_bytes (resource) && amount >= 1048576 && fmod (amount, 1048576) == 0)
    g_string_append_printf (out, "%" G_GINT64_FORMAT "Mi", (gint64) (amount / 1048576));
  else if (amount == floor (amount))
    g_string_append_printf (out, "%" G_GINT64_FORMAT, (gint64) amount);
  else
    g_string_append_printf (out, "%sm", g_ascii_formatd (buf, sizeof buf, "%.0f", amount * 1000));
}

static const char *
cell_of (const GArray *cells, const char *column)
{
  for (guint i = 0; i < cells->len; i++)
    if (strcmp (g_array_index (cells, WlCell, i).column, column) == 0)
      return g_array_index (cells, WlCell, i).text;
  return NULL;
}

/* Columns in the order in which they are first named. */
static void
collect (GPtrArray *columns, const char *column)
{
  for (guint i = 0; i < columns->len; i++)
    if (strcmp (columns->pdata[i], column) == 0)
      return;
  g_ptr_array_add (columns, (gpointer) column);
}

static void
add_header (GString *out, const char *fixed, const GPtrArray *columns)
{
  g_string_append (out, fixed);
  for (guint i = 0; i < columns->len; i++) {
    g_string_append_c (out, ',');
    wl_append_cell (out, columns->pdata[i]);
  }
  g_string_append_c (out, '\n');
}

/* ---- nodes --------------------------------------------------------------------------------------- */

static gint64
all_of (const WlNodeClass *n)
{
  gint64 all = n->count;

  for (guint i = 0; i < n->joins->len; i++)
    all += g_array_index (n->joins, WlStep, i).count;
  return all;
}

static void
add_node (GString *out, const WlNodeClass *n, gint64 index, WlTime time, const GPtrArray *columns)
{
  const char *given = cell_of (n->cells, "labels");
  g_autoptr (GString) labels = g_string_new (NULL);
  gint64 all = all_of (n);

  if (!wl_node_class_has_pool (n))
    g_string_append_printf (labels, "pool=%s", n->name);
  if (n->racks > 0) /* neighbours share a rack */
    g_string_append_printf (labels, "%srack=%s-r%" G_GINT64_FORMAT, labels->len > 0 ? ";" : "", n->name, index * n->racks / all);
  if (given != NULL)
    g_string_append_printf (labels, "%s%s", labels->len > 0 ? ";" : "", given);
  g_string_append_printf (out, "%s-%" G_GINT64_FORMAT ",", n->name, index);
  wl_append_time (out, time);
  g_string_append (out, ",add,");
  wl_append_cell (out, labels->str);
  for (guint i = 0; i < columns->len; i++) {
    const char *text = cell_of (n->cells, columns->pdata[i]);

    g_string_append_c (out, ',');
    if (text != NULL)
      wl_append_cell (out, text);
  }
  g_string_append_c (out, '\n');
}

/* Joins take the next numbers; those that leave are the lowest that are still there. */
static void
add_nodes (GString *out, const WlProfile *p)
{
  g_autoptr (GPtrArray) columns = g_ptr_array_new ();

  for (guint i = 0; i < p->nodes->len; i++) {
    const WlNodeClass *n = &g_array_index (p->nodes, WlNodeClass, i);

    for (guint k = 0; k < n->cells->len; k++)
      if (strcmp (g_array_index (n->cells, WlCell, k).column, "labels") != 0)
        collect (columns, g_array_index (n->cells, WlCell, k).column);
  }
  add_header (out, "node,time,event,labels", columns);
  for (guint i = 0; i < p->nodes->len; i++) {
    const WlNodeClass *n = &g_array_index (p->nodes, WlNodeClass, i);
    gint64 next = 0, gone = 0;

    for (; next < n->count; next++)
      add_node (out, n, next, 0, columns);
    for (guint k = 0; k < n->joins->len; k++) {
      const WlStep *s = &g_array_index (n->joins, WlStep, k);

      for (gint64 end = next + s->count; next < end; next++)
        add_node (out, n, next, s->time, columns);
    }
    for (guint k = 0; k < n->leaves->len; k++) {
      const WlStep *s = &g_array_index (n->leaves, WlStep, k);

      for (gint64 end = gone + s->count; gone < end; gone++) {
        g_string_append_printf (out, "%s-%" G_GINT64_FORMAT ",", n->name, gone);
        wl_append_time (out, s->time);
        g_string_append (out, ",remove,");
        for (guint c = 0; c < columns->len; c++)
          g_string_append_c (out, ',');
        g_string_append_c (out, '\n');
      }
    }
  }
}

static void
add_faults (GString *out, const WlProfile *p)
{
  for (guint i = 0; i < p->nodes->len; i++) {
    const WlNodeClass *n = &g_array_index (p->nodes, WlNodeClass, i);

    for (guint rack = 0; rack < 2; rack++) {
      const char *every = rack ? n->rack_mtbf : n->mtbf, *repair = rack ? n->rack_mttr : n->mttr;

      if (every == NULL)
        continue;
      if (out->len == 0)
        g_string_append (out, "time,kind,target,unit,duration,every\n");
      g_string_append_printf (out, "0,crash,pool=%s,%s,", n->name, rack ? "rack" : "node");
      wl_append_cell (out, repair);
      g_string_append_c (out, ',');
      wl_append_cell (out, every);
      g_string_append_c (out, '\n');
    }
  }
}

/* ---- queues -------------------------------------------------------------------------------------- */

static void
add_queues (GString *out, const WlProfile *p, const WlGenerated *g)
{
  g_autoptr (GPtrArray) columns = g_ptr_array_new ();
  double least = G_MAXDOUBLE;

  if (p->queue_weight_by_share || p->queue_crowd.count > 0)
    collect (columns, "weight");
  for (guint i = 0; i < p->queues->len; i++) {
    const GArray *cells = g_array_index (p->queues, WlQueueClass, i).cells;

    for (guint k = 0; k < cells->len; k++)
      collect (columns, g_array_index (cells, WlCell, k).column);
  }
  for (guint i = 0; i < g->queue_shares->len; i++)
    if (g_array_index (g->queue_shares, double, i) > 0)
      least = MIN (least, g_array_index (g->queue_shares, double, i));
  add_header (out, "queue", columns);
  for (guint i = 0; i < g->queues->len; i++) {
    double share = g_array_index (g->queue_shares, double, i);

    wl_append_cell (out, g->queues->pdata[i]);
    for (guint k = 0; k < columns->len; k++) {
      const char *text = i < p->queues->len && p->queue_crowd.count == 0 ? cell_of (g_array_index (p->queues, WlQueueClass, i).cells, columns->pdata[k]) : NULL;

      g_string_append_c (out, ',');
      if (text != NULL)
        wl_append_cell (out, text);
      else if (strcmp (columns->pdata[k], "weight") == 0)
        g_string_append_printf (out, "%d", p->queue_weight_by_share ? (int) CLAMP (floor (share / least + 0.5), 1, 100000) : 1);
    }
    g_string_append_c (out, '\n');
  }
}

/* ---- jobs ---------------------------------------------------------------------------------------- */

static void
add_duration (GString *out, const WlProfile *p, const WlJobClass *c, const WlDrawnJob *job)
{
  VcRandom r;

  if (job->duration == WL_TIME_NEVER) {
    g_string_append (out, "inf");
    return;
  }
  if (!c->each) {
    wl_append_time (out, job->duration);
    return;
  }
  wl_generate_duration_stream (p, c, job->number, &r);
  for (guint32 i = 0; i < job->replicas; i++) {
    if (i > 0)
      g_string_append_c (out, '|');
    wl_append_time (out, wl_generate_duration (c, job->replicas, &r));
  }
}

static void
add_job (GString *out, const WlProfile *p, const WlGenerated *g, const WlDrawnJob *job, const GPtrArray *resources, const GPtrArray *columns)
{
  const WlJobClass *c = &g_array_index (p->classes, WlJobClass, job->job_class);

  g_string_append_printf (out, "%s-%u,", c->name, job->number);
  wl_append_time (out, job->submit);
  g_string_append_printf (out, ",%s,%s,%s,", c->ns != NULL ? c->ns : "", job->queue != G_MAXUINT32 ? (const char *) g->queues->pdata[job->queue] : c->queue != NULL ? c->queue : "",
                          c->priority != NULL ? c->priority : "");
  if (c->preemptable >= 0)
    g_string_append (out, c->preemptable ? "true" : "false");
  g_string_append_printf (out, ",%u,", job->replicas);
  if (c->min_available >= 0 || !c->gang)
    g_string_append_printf (out, "%" G_GINT64_FORMAT, MIN (c->min_available >= 0 ? c->min_available : 1, (gint64) job->replicas));
  g_string_append_c (out, ',');
  add_duration (out, p, c, job);
  if (g->n_users > 0)
    g_string_append_printf (out, ",%s-%u", p->users.prefix != NULL ? p->users.prefix : "user", job->user);
  for (guint k = 0; k < resources->len; k++) {
    g_string_append_c (out, ',');
    for (guint i = 0; i < job->n_amounts; i++) {
      const WlDrawnAmount *a = &g_array_index (g->amounts, WlDrawnAmount, job->first_amount + i);

      if (strcmp (a->resource, resources->pdata[k]) == 0 && a->amount > 0)
        add_amount (out, a->resource, a->amount);
    }
  }
  for (guint k = 0; k < columns->len; k++) {
    const char *text = cell_of (c->cells, columns->pdata[k]);

    g_string_append_c (out, ',');
    if (text != NULL)
      wl_append_cell (out, text);
  }
  g_string_append_c (out, '\n');
}

static GPtrArray *
resources_of (const WlProfile *p)
{
  GPtrArray *resources = g_ptr_array_new ();

  for (guint k = 0; k < p->classes->len; k++) {
    const GArray *shapes = g_array_index (p->classes, WlJobClass, k).shapes;

    for (guint i = 0; i < shapes->len; i++) {
      const GArray *requests = g_array_index (shapes, WlShape, i).requests;

      for (guint q = 0; q < requests->len; q++)
        collect (resources, g_array_index (requests, WlRequest, q).resource);
    }
  }
  return resources;
}

static void
add_jobs (GString *out, const WlProfile *p, const WlGenerated *g)
{
  g_autoptr (GPtrArray) resources = resources_of (p), columns = g_ptr_array_new (), extra = g_ptr_array_new ();

  for (guint k = 0; k < p->classes->len; k++) {
    const GArray *cells = g_array_index (p->classes, WlJobClass, k).cells;

    for (guint i = 0; i < cells->len; i++)
      collect (columns, g_array_index (cells, WlCell, i).column);
  }
  for (guint i = 0; i < resources->len; i++)
    g_ptr_array_add (extra, resources->pdata[i]);
  for (guint i = 0; i < columns->len; i++)
    g_ptr_array_add (extra, columns->pdata[i]);
  add_header (out, g->n_users > 0 ? "job,submit,namespace,queue,priority,preemptable,replicas,min_available,duration,x_user"
                                  : "job,submit,namespace,queue,priority,preemptable,replicas,min_available,duration", extra);
  for (guint i = 0; i < g->jobs->len; i++)
    add_job (out, p, g, &g_array_index (g->jobs, WlDrawnJob, i), resources, columns);
}

/* ---- the folder ---------------------------------------------------------------------------------- */

gboolean
wl_generated_write (const WlProfile *p, const WlGenerated *g, const char *text, const WlFit *fit, char **table, const char *dir, GError **error)
{
  g_autoptr (WlFolder) f = wl_folder_begin (dir, "generate", error);
  g_autoptr (GString) nodes = g_string_new (NULL), jobs = g_string_new (NULL), queues = g_string_new (NULL), faults = g_string_new (NULL),
                      scenario = g_string_new ("# A synthetic trace; profile.yaml is what it was drawn from.\nnodes: nodes.csv\njobs: jobs.csv\n");

  if (f == NULL)
    return FALSE;
  add_nodes (nodes, p);
  add_jobs (jobs, p, g);
  add_faults (faults, p);
  if (g->queues->len > 0) {
    add_queues (queues, p, g);
    g_string_append (scenario, "queues: queues.csv\n");
  }
  if (faults->len > 0)
    g_string_append (scenario, "faults: faults.csv\n");
  if (p->conf != NULL)
    g_string_append (scenario, "conf: " CONF "\n");
  if (p->priorities->len > 0)
    g_string_append (scenario, "priority_classes:\n");
  for (guint i = 0; i < p->priorities->len; i++)
    g_string_append_printf (scenario, "  %s: %s\n", g_array_index (p->priorities, WlCell, i).column, g_array_index (p->priorities, WlCell, i).text);
  g_string_append_printf (scenario, "seed: %" G_GUINT64_FORMAT "\n", p->seed);
  const gboolean added = wl_folder_add (f, "nodes.csv", nodes->str, nodes->len, error) && wl_folder_add (f, "jobs.csv", jobs->str, jobs->len, error)
                         && (queues->len == 0 || wl_folder_add (f, "queues.csv", queues->str, queues->len, error))
                         && (faults->len == 0 || wl_folder_add (f, "faults.csv", faults->str, faults->len, error))
                         && (p->conf == NULL || wl_folder_add (f, CONF, p->conf, strlen (p->conf), error))
                         && wl_folder_add (f, "scenario.yaml", scenario->str, scenario->len, error) && wl_folder_add (f, "profile.yaml", text, strlen (text), error)
                         && wl_folder_check_trace (f, p->source, error);
  g_autoptr (GString) csv = g_string_new (NULL);
  g_autofree char *told = added && fit != NULL ? wl_fit_table (fit, wl_folder_path (f), csv, error) : NULL;

  if (!added || (fit != NULL && (told == NULL || !wl_folder_add (f, "fit.csv", csv->str, csv->len, error))) || !wl_folder_finish (f, error))
    return FALSE;
  if (table != NULL)
    *table = g_steal_pointer (&told);
  return TRUE;
}

/* ---- figures ------------------------------------------------------------------------------------- */

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
percentile (const GArray *sorted, double p)
{
  if (sorted->len == 0)
    return 0;
  return g_array_index (sorted, double, (guint) CLAMP (ceil (p / 100 * sorted->len) - 1, 0, sorted->len - 1.0));
}

char *
wl_generated_summary (const WlProfile *p, const WlGenerated *g)
{
  GString *out = g_string_new (NULL);
  g_autoptr (GPtrArray) resources = resources_of (p);
  WlTime first = g->jobs->len > 0 ? g_array_index (g->jobs, WlDrawnJob, 0).submit : 0, last = first;
  guint64 pods = 0;

  for (guint i = 0; i < g->jobs->len; i++)
    pods += g_array_index (g->jobs, WlDrawnJob, i).replicas;
  if (g->jobs->len > 0)
    last = g_array_index (g->jobs, WlDrawnJob, g->jobs->len - 1).submit;
  g_string_append_printf (out, "%u jobs of %" G_GUINT64_FORMAT " pods, submitted from ", g->jobs->len, pods);
  wl_append_time (out, first);
  g_string_append (out, " s to ");
  wl_append_time (out, last);
  g_string_append (out, " s\n\nClass                           jobs   pods a job: mean    max   running s: p50        p95        max\n");
  for (guint k = 0; k < p->classes->len; k++) {
    g_autoptr (GArray) run = g_array_new (FALSE, FALSE, sizeof (double));
    double replicas = 0, most = 0;
    guint n = 0;

    for (guint i = 0; i < g->jobs->len; i++) {
      const WlDrawnJob *job = &g_array_index (g->jobs, WlDrawnJob, i);
      double seconds = (double) job->duration / G_USEC_PER_SEC;

      if (job->job_class != k)
        continue;
      n++;
      if (job->duration != WL_TIME_NEVER)
        g_array_append_val (run, seconds);
      replicas += job->replicas;
      most = MAX (most, job->replicas);
    }
    g_array_sort (run, compare_doubles);
    g_string_append_printf (out, "%-28.28s %7u %18.2f %6.0f %16.0f %10.0f %10.0f\n", g_array_index (p->classes, WlJobClass, k).name, n,
                            n > 0 ? replicas / n : 0, most, percentile (run, 50), percentile (run, 95), percentile (run, 100));
  }
  g_string_append (out, "\nOffered load (requests × running time over the capacity at the start × the time of the submissions)\n");
  for (guint i = 0; i < resources->len; i++)
    g_string_append_printf (out, "  %-32s %8.3f\n", (const char *) resources->pdata[i], wl_generated_load (p, g, resources->pdata[i]));
  return g_string_free (out, FALSE);
}
