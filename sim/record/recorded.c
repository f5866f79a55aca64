/* sim/record/recorded.c - see recorded.h. */
#include "recorded.h"
#include "watch.h"
#include "workloads/native/native.h"

GArray *
sim_recorded_read (const char *path, RpResults *results, GError **error)
{
  g_autoptr (GArray) rows = wl_read_recorded (path, error);

  if (rows == NULL || !rp_results_recorded (results, error))
    return NULL;
  for (guint i = 0; i < rows->len; i++) {
    const WlRecord *r = &g_array_index (rows, WlRecord, i);
    g_autofree char *nodes = r->nodes != NULL ? g_strjoinv ("|", r->nodes) : NULL;
    const RpRecorded row = { .ns = r->ns, .job = r->job, .submit = r->submit, .wait = r->wait, .start = r->start, .end = r->end, .status = r->status,
                             .nodes = nodes, .evictions = (guint32) r->evictions };

    rp_results_record (results, &row);
  }
  return g_steal_pointer (&rows);
}

/* ---- the configuration --------------------------------------------------------------------------- */

void
sim_recorded_conf (VcConf *conf)
{
  static const char *const action[] = { "x-follow-record", NULL }, *const judges[] = { "gang", "predicates", "deviceshare", "numa-aware", NULL };

  vc_conf_keep (conf, action, judges);
}

/* ---- jobs ------------------------------------------------------------------------------------------ */

typedef struct {
  const WlRecord *record; /* NULL: there is none */
  SimTime start;          /* SIM_NO_TIME: it does not tell */
  guint32 *node; guint n; /* rows in SimWorld.node, pod by pod: SIM_NONE for one that the cluster never has, ANY for one that is not told */
  char *pod, *at, *reason; /* the first one that found no room */
} Fate;

#define ANY (SIM_NONE - 1)

struct SimRecorded {
  SimWorld *w;
  RpResults *results;
  Fate *fate; guint n; /* by job */
};

static void
read_nodes (const SimRecorded *r, Fate *f, GHashTable *node_of)
{
  f->n = f->record->nodes != NULL ? g_strv_length (f->record->nodes) : 0;
  f->node = g_new (guint32, f->n + 1);
  for (guint i = 0; i < f->n; i++) {
    const SimNode *node = g_hash_table_lookup (node_of, f->record->nodes[i]);

    f->node[i] = *f->record->nodes[i] == '\0' ? ANY : node != NULL ? (guint32) (node - r->w->node) : SIM_NONE;
  }
}

SimRecorded *
sim_recorded_new (SimWorld *w, const GArray *rows, RpResults *results, GError **error)
{
  g_autoptr (SimRecorded) r = g_new0 (SimRecorded, 1);
  g_autoptr (GHashTable) record_of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL); /* both for look-ups only */
  g_autoptr (GHashTable) node_of = g_hash_table_new (g_str_hash, g_str_equal);

  if (!rp_results_misfits (results, error))
    return NULL;
  r->w = w;
  r->results = results;
  r->n = w->n_jobs;
  r->fate = g_new0 (Fate, r->n + 1);
  for (guint i = 0; i < rows->len; i++) {
    WlRecord *row = &g_array_index (rows, WlRecord, i);

    g_hash_table_insert (record_of, g_strconcat (row->ns, "/", row->job, NULL), row);
  }
  for (guint32 i = 0; i < w->n_nodes; i++)
    g_hash_table_insert (node_of, (gpointer) w->node[i].name, &w->node[i]);
  for (guint32 i = 0; i < w->n_jobs; i++) {
    const SimJob *j = &w->job[i];
    g_autofree char *key = g_strconcat (j->ns, "/", j->name, NULL);
    Fate *f = &r->fate[i];

    f->record = g_hash_table_lookup (record_of, key);
    f->start = SIM_NO_TIME;
    if (f->record == NULL)
      continue;
    if (f->record->start != WL_TIME_NONE)
      f->start = f->record->start;
    else if (f->record->wait != WL_TIME_NONE)
      f->start = (f->record->submit != WL_TIME_NONE ? f->record->submit : j->submit) + f->record->wait;
    if (f->start != SIM_NO_TIME)
      f->start = MAX (f->start, j->submit); /* nothing starts before it is there */
    read_nodes (r, f, node_of);
  }
  w->recorded = r;
  return g_steal_pointer (&r);
}

void
sim_recorded_free (SimRecorded *r)
{
  if (r == NULL)
    return;
  for (guint i = 0; i < r->n; i++) {
    g_free (r->fate[i].node);
    g_free (r->fate[i].pod);
    g_free (r->fate[i].at);
    g_free (r->fate[i].reason);
  }
  g_free (r->fate);
  g_free (r);
}

/* ---- what the engine asks -------------------------------------------------------------------------- */

/* NULL: a job that came into being on the way. */
static Fate *
fate_of (const SimWorld *w, guint32 job)
{
  return job < w->recorded->n ? &w->recorded->fate[job] : NULL;
}

static gboolean
start_of (gpointer user, guint32 job, gint64 *start, gboolean *no_time)
{
  const SimWorld *w = user;
  const Fate *f = fate_of (w, job);

  if (f == NULL || f->start == SIM_NO_TIME)
    return FALSE;
  *start = w->options.epoch * SIM_SECOND + f->start;
  *no_time = f->record->end != WL_TIME_NONE && f->record->end <= f->start;
  return TRUE;
}

/* Place of the pod among all of its job, role by role: as the record lists nodes. */
static guint32
place_of (const SimWorld *w, const SimPod *p)
{
  guint32 place = p->place;

  for (guint32 k = w->job[p->job].first_role; k < p->role; k++)
    place += w->role[k].replicas;
  return place;
}

/* Row in SimWorld.node, or SIM_NONE or ANY as above. */
static guint32
node_of_pod (const SimWorld *w, guint32 pod)
{
  const SimPod *p = &w->pod[pod];
  const Fate *f = fate_of (w, p->job);
  guint32 place = place_of (w, p);

  return f != NULL && place < f->n ? f->node[place] : ANY;
}

static gboolean
node_of (gpointer user, guint32 task, guint32 *row)
{
  const SimWorld *w = user;
  guint32 pod = sim_pod_of_task (w, task), node = pod != SIM_NONE ? node_of_pod (w, pod) : ANY;

  *row = VC_NONE;
  if (node == ANY)
    return TRUE;
  if (node == SIM_NONE || !w->node[node].present || w->node[node].row == VC_NONE)
    return FALSE;
  *row = w->node[node].row;
  return TRUE;
}

static void
refused (gpointer user, guint32 job, guint32 task, const char *reason)
{
  SimWorld *w = user;
  Fate *f = fate_of (w, job);
  guint32 pod = sim_pod_of_task (w, task), place;

  if (f == NULL || f->reason != NULL || pod == SIM_NONE)
    return;
  place = place_of (w, &w->pod[pod]);
  f->pod = g_strdup (sim_pod_name (w, pod));
  f->at = g_strdup (place < f->n ? f->record->nodes[place] : "");
  f->reason = g_strdup (reason);
}

const VcRecordHooks sim_recorded_hooks = { start_of, node_of, refused };

/* ---- the end ----------------------------------------------------------------------------------------- */

/* Does the gang start with all of its pods? Of another one some may have been left behind. */
static gboolean
all_at_once (const SimWorld *w, const SimJob *j)
{
  gint64 pods = 0;

  for (guint32 k = 0; k < j->n_roles; k++)
    pods += w->role[j->first_role + k].replicas;
  return j->min_available >= pods;
}

void
sim_recorded_finish (SimRecorded *r)
{
  const SimWorld *w = r->w;

  for (guint32 i = 0; i < r->n; i++) {
    const SimJob *j = &w->job[i];
    const Fate *f = &r->fate[i];
    const char *reason = f->reason;

    if (j->submit > w->now || (f->start != SIM_NO_TIME && f->start > w->now && j->gang_start == SIM_NO_TIME))
      continue; /* its time had not come when the run ended */
    if (j->rejected)
      reason = "it was rejected at admission";
    else if (f->start == SIM_NO_TIME)
      reason = f->record == NULL ? "the record does not know it" : "the record does not tell when it started";
    else if (j->gang_start == f->start && (reason == NULL || all_at_once (w, j)))
      reason = NULL; /* there was room before the instant was over */
    else if (reason == NULL)
      reason = j->gang_start == SIM_NO_TIME ? "its pods were not there" : "its pods came or started later";
    const RpMisfit row = { .ns = j->ns, .job = j->name, .queue = w->queue[j->queue].name, .recorded = f->start, .start = j->gang_start,
                           .pod = f->pod != NULL ? f->pod : "", .node = f->at != NULL ? f->at : "", .reason = reason };

    rp_results_misfit (r->results, &row);
  }
}
