/* core/plugins/tdm.c - time division multiplexing: nodes that are lent to revocable pods for some hours of the day.
 *
 * Nodes with the label volcano.sh/revocable-zone=Z are lent while the zone's window is open: from the first time to the second, today, in
 * UTC, both whole seconds included; when the first is not before the second, to the second time of tomorrow. So a window across
 * midnight is closed after midnight (upstream's behaviour), and 0:00-0:00 is always open. The times are looked at when they are used:
 * a zone with a bad text, or with none, is closed.
 *
 * Policy:
 *   Predicate     zoned nodes take revocable pods only (annotation volcano.sh/revocable-zone `*`, or volcano.sh/preemptable true), and only in
 *                 an open zone
 *   NodeOrder     100 for a revocable pod on a zoned node
 *   Preemptable   an evictor that is preemptable or revocable itself may evict nothing; others the preemptable Running tasks on nodes without
 *                 a zone, of each job as many as its budget allows
 *   VictimTasks   once a period, of each closed zone: its nodes' preemptable Running tasks, of each job as many as its budget allows
 *   JobOrder      jobs that are not preemptable first
 *   JobPipelined  as gang does without roles
 *   JobStarving   jobs that are not preemptable and have pending tasks
 * Budget: with volcano.sh/jdb-min-available m: running - m, with volcano.sh/jdb-max-unavailable u: u - (tasks neither running nor finished);
 * a percentage is of all tasks, rounded up; else, and when fewer than m run, 1.
 *
 * Example: zone rz1 at 8:00-20:00, five running tasks of a job with max-unavailable 30%: at 21:00 two of them are evicted (30% of 5
 * rounded up), and, if they are not placed again, no more in the periods that follow.
 *
 * Mirrors pkg/scheduler/plugins/tdm/tdm.go. */
#include "core/base/go-duration.h"
#include "plugins.h"
#include <errno.h>
#include <math.h>
#include <string.h>

#define ZONE_LABEL "volcano.sh/revocable-zone"
#define ZONE_KEY "tdm.revocable-zone."
#define PERIOD_KEY "tdm.evict.period"
#define MINUTE_NS G_GINT64_CONSTANT (60000000000)
#define DAY 86400

const VcArgSpec vc_tdm_args[] = {
  { ZONE_KEY "*", VC_ARG_STRING, "window of a zone, HH:MM-HH:MM in UTC" },
  { PERIOD_KEY, VC_ARG_STRING, "least time between two rounds of evictions, a duration (default 1m)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef struct {
  char *name, *window; /* window NULL: a node names the zone, the configuration does not */
  const char *closed;  /* why, in this session (interned); NULL: open */
} Zone;

typedef struct {
  GPtrArray *zones;    /* Zone, in the order of the arguments, then as nodes name them */
  gint64 period_ns, last_us;
  gboolean has_evicted;
  guint32 *zone_of, *version, rows; /* per node row: place in zones or VC_NONE, as of the node's static version */
  gboolean any_node;
} Tdm;

static void
zone_free (gpointer p)
{
  Zone *z = p;

  g_free (z->name);
  g_free (z->window);
  g_free (z);
}

static guint32
zone_place (Tdm *tdm, const char *name)
{
  for (guint i = 0; i < tdm->zones->len; i++)
    if (strcmp (((Zone *) tdm->zones->pdata[i])->name, name) == 0)
      return i;
  Zone *z = g_new0 (Zone, 1);
  z->name = g_strdup (name);
  g_ptr_array_add (tdm->zones, z);
  return tdm->zones->len - 1;
}

static gboolean
tdm_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  Tdm *tdm = self;

  tdm->zones = g_ptr_array_new_with_free_func (zone_free);
  tdm->period_ns = MINUTE_NS;
  for (guint i = 0; i < option->args.n; i++) {
    const VcArg *a = &option->args.arg[i];
    const char *at = strstr (a->key, ZONE_KEY);

    if (at == NULL && strcmp (a->key, PERIOD_KEY) != 0)
      continue;
    if (a->type != VC_VALUE_STRING) { /* upstream's process ends here */
      g_set_error (error, VC_CONF_ERROR, VC_CONF_ERROR_TYPE, "line %u, column %u: plugin 'tdm': wrong type of argument '%s', expected a text", a->line, a->col,
                   a->key);
      return FALSE;
    }
    if (at != NULL) {
      g_autofree char *name = g_strdup_printf ("%.*s%s", (int) (at - a->key), a->key, at + strlen (ZONE_KEY));
      guint32 at_zone = zone_place (tdm, name);
      Zone *z = tdm->zones->pdata[at_zone];

      g_free (z->window);
      z->window = g_strdup (a->s);
    }
    if (strcmp (a->key, PERIOD_KEY) == 0)
      vc_go_duration_parse (a->s, &tdm->period_ns);
  }
  return TRUE;
}

/* ---- windows: errors are in Go's words, as pods get to see them -------------------------------- */

/* As Go's time package quotes what it could not parse. */
static void
append_quoted (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (; *text != '\0'; text++) {
    guchar c = (guchar) *text;

    if (c >= 0x80 || c < ' ') {
      g_string_append_printf (out, "\\x%02x", c);
      continue;
    }
    if (c == '"' || c == '\\')
      g_string_append_c (out, '\\');
    g_string_append_c (out, (char) c);
  }
  g_string_append_c (out, '"');
}

static char *
bad_time (const char *text, const char *what, const char *rest)
{
  GString *s = g_string_new ("parsing time ");

  append_quoted (s, text);
  g_string_append (s, what);
  if (rest != NULL)
    append_quoted (s, rest);
  return g_string_free (s, FALSE);
}

static char *
not_as_layout (const char *text, const char *rest, const char *part)
{
  GString *s = g_string_new (": cannot parse ");

  append_quoted (s, rest);
  g_string_append (s, " as ");
  append_quoted (s, part);
  g_string_prepend (s, " as \"15:04\"");
  char *message = bad_time (text, s->str, NULL);
  g_string_free (s, TRUE);
  return message;
}

/* Go's time.Parse ("15:04", text): seconds since midnight. Returns the error, or NULL. */
static char *
parse_time (const char *text, gint64 *seconds)
{
  const char *p = text;

  if (!g_ascii_isdigit (*p))
    return not_as_layout (text, p, "15");
  gint64 hour = *p++ - '0';
  if (g_ascii_isdigit (*p))
    hour = hour * 10 + (*p++ - '0');
  if (hour >= 24)
    return bad_time (text, ": hour out of range", NULL);
  if (*p != ':')
    return not_as_layout (text, p, ":");
  p++;
  if (!g_ascii_isdigit (p[0]) || !g_ascii_isdigit (p[1]))
    return not_as_layout (text, p, "04");
  gint64 minute = (p[0] - '0') * 10 + (p[1] - '0');
  if (minute >= 60)
    return bad_time (text, ": minute out of range", NULL);
  if (p[2] != '\0')
    return bad_time (text, ": extra text: ", p + 2);
  *seconds = (hour * 60 + minute) * 60;
  return NULL;
}

/* Why the zone is closed at @now (seconds), or NULL. */
static char *
closed_reason (const Zone *z, gint64 now)
{
  if (z->window == NULL)
    return g_strdup_printf ("revocable zone %s not support", z->name);
  g_autofree char *trimmed = g_strstrip (g_strdup (z->window));
  g_auto (GStrv) side = g_strsplit (trimmed, "-", -1);
  gint64 start, end;

  if (g_strv_length (side) != 2)
    return g_strdup_printf ("revocable zone %s format error", z->window);
  char *reason = parse_time (side[0], &start);
  if (reason == NULL)
    reason = parse_time (side[1], &end);
  if (reason != NULL)
    return reason;
  gint64 midnight = now - ((now % DAY) + DAY) % DAY;
  if (start >= end)
    end += DAY;
  if (now < midnight + start || now > midnight + end)
    return g_strdup_printf ("current time beyond revocable zone %s:%s", z->name, z->window);
  return NULL;
}

static const Zone *
zone_of (const Tdm *tdm, guint32 node)
{
  return tdm->zone_of[node] != VC_NONE ? tdm->zones->pdata[tdm->zone_of[node]] : NULL;
}

/* ---- placing ------------------------------------------------------------------------------------ */

static gboolean
tdm_predicate (gpointer self, VcSession *ssn, guint32 task, guint32 node, VcFitError *e)
{
  const Zone *z = zone_of (self, node);

  if (z == NULL)
    return TRUE;
  if (z->closed == NULL && vc_task (vc_session_cluster (ssn), task)->revocable)
    return TRUE;
  vc_fit_error_add (e, VC_UNRESOLVABLE, z->closed != NULL ? z->closed : "not allow to dispatch to revocable node", "tdm");
  return FALSE;
}

/* Where there are zones, the scope is wider. */
static guint32
tdm_room (gpointer self, VcSession *ssn, guint32 task, guint32 node)
{
  return VC_ROOM_MAX;
}

static gboolean
tdm_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  const Tdm *tdm = self;

  if (!tdm->any_node)
    return TRUE;
  gboolean revocable = vc_task (vc_session_cluster (ssn), task)->revocable;
  for (guint i = 0; i < n; i++) {
    const Zone *z = zone_of (tdm, nodes[i]);

    if (z == NULL)
      continue;
    if (z->closed != NULL)
      score[i] = -(double) INFINITY; /* the callback fails for this node */
    else if (revocable)
      score[i] += 100;
  }
  return TRUE;
}

/* What a shape's tasks may do here is not in the shape, and it changes with the time. */
static VcScope
tdm_scope (gpointer self, VcSession *ssn, const VcShape *shape)
{
  return ((const Tdm *) self)->any_node ? VC_SCOPE_CLUSTER : VC_SCOPE_NODE;
}

/* ---- victims ------------------------------------------------------------------------------------ */

/* intstr.Parse and GetValueFromIntOrPercent, rounded up: a number, or with any `%` in it a percentage; 0 for what they refuse. */
static gint64
int_or_percent (const char *text, guint32 total)
{
  g_autoptr (GString) number = g_string_new (text);
  guint percent = g_string_replace (number, "%", "", 0);
  const char *digits = number->str + (number->str[0] == '+' || number->str[0] == '-');
  char *end = NULL;

  errno = 0;
  gint64 v = g_ascii_strtoll (number->str, &end, 10);
  if (!g_ascii_isdigit (*digits) || errno != 0 || *end != '\0')
    return 0;
  return percent > 0 ? (gint64) ceil ((double) v * (double) total / 100) : (gint32) v;
}

static gint64
most_victims (const VcJob *j)
{
  const char *least = vc_pairs_get (&j->meta->annotations, "volcano.sh/jdb-min-available");
  const char *most = least == NULL ? vc_pairs_get (&j->meta->annotations, "volcano.sh/jdb-max-unavailable") : NULL;
  gint64 running = j->count[VC_RUNNING];

  if (most != NULL && *most != '\0') {
    gint64 limit = int_or_percent (most, j->n_tasks);
    gint64 away = (gint64) j->n_tasks - j->count[VC_SUCCEEDED] - j->count[VC_FAILED] - running;

    return MAX (limit - away, 0);
  }
  if (least != NULL && *least != '\0') {
    gint64 limit = int_or_percent (least, j->n_tasks);

    if (running >= limit)
      return running - limit;
  }
  return 1;
}

typedef struct {
  const char *job; /* key */
  guint32 task, place;
} Candidate;

static int
by_job (gconstpointer a, gconstpointer b)
{
  const Candidate *l = a, *r = b;
  int cmp = strcmp (l->job, r->job);

  return cmp != 0 ? cmp : l->place < r->place ? -1 : l->place > r->place;
}

/* The first of each job, as many as it may lose; jobs by key. */
static void
within_budget (const VcCluster *c, GArray *candidates, GArray *out)
{
  gint64 left = 0;

  g_array_sort (candidates, by_job);
  for (guint i = 0; i < candidates->len; i++) {
    const Candidate *cand = &g_array_index (candidates, Candidate, i);

    if (i == 0 || g_array_index (candidates, Candidate, i - 1).job != cand->job)
      left = most_victims (vc_job (c, c->task[cand->task].job));
    if (left-- > 0)
      g_array_append_val (out, cand->task);
  }
}

static void
add_candidate (const VcCluster *c, GArray *candidates, guint32 task)
{
  Candidate cand = { c->job[c->task[task].job].key, task, candidates->len };

  g_array_append_val (candidates, cand);
}

static VcVote
tdm_preemptable (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out)
{
  const VcCluster *c = vc_session_cluster (ssn);
  const VcTask *preemptor = vc_task (c, evictor);

  *n_out = 0;
  if (preemptor->preemptable || preemptor->revocable)
    return VC_REJECT;
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Candidate));
  g_autoptr (GArray) victims = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < n; i++) {
    const VcTask *t = vc_task (c, candidates[i]);

    if (t->preemptable && t->status == VC_RUNNING && t->node != VC_NONE && c->nodes.info[t->node].listed && zone_of (self, t->node) == NULL &&
        vc_session_has_job (ssn, t->job))
      add_candidate (c, found, candidates[i]);
  }
  within_budget (c, found, victims);
  for (guint i = 0; i < victims->len; i++)
    out[(*n_out)++] = g_array_index (victims, guint32, i);
  return VC_PERMIT;
}

static int
by_key (gconstpointer a, gconstpointer b, gpointer user)
{
  const VcTask *t = user;

  return strcmp (t[*(const guint32 *) a].key, t[*(const guint32 *) b].key);
}

/* Tasks that a closed zone's nodes should lose: nodes by name, on a node by key. */
static void
add_zone_victims (Tdm *tdm, VcSession *ssn, guint32 zone, GArray *out)
{
  VcCluster *c = vc_session_cluster (ssn);
  const guint32 *nodes = vc_cluster_nodes_by_name (c);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Candidate));
  g_autoptr (GArray) tasks = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < c->nodes.n_list; i++) {
    const VcNode *node = &c->nodes.info[nodes[i]];

    if (tdm->zone_of[nodes[i]] != zone)
      continue;
    g_array_set_size (tasks, 0);
    g_array_append_vals (tasks, node->task, node->n_tasks);
    g_array_sort_with_data (tasks, by_key, c->task);
    for (guint t = 0; t < tasks->len; t++) {
      guint32 row = g_array_index (tasks, guint32, t);

      if (c->task[row].preemptable && c->task[row].status == VC_RUNNING && vc_session_has_job (ssn, c->task[row].job))
        add_candidate (c, found, row);
    }
  }
  within_budget (c, found, out);
}

static void
tdm_victim_tasks (gpointer self, VcSession *ssn, const guint32 *tasks, guint n, GArray *out)
{
  Tdm *tdm = self;
  guint before = out->len;
  gint64 now = vc_session_now (ssn);

  if (tdm->has_evicted && tdm->period_ns > (now - tdm->last_us) * 1000)
    return;
  for (guint z = 0; z < tdm->zones->len; z++) {
    const Zone *zone = tdm->zones->pdata[z];

    if (zone->window != NULL && zone->closed != NULL)
      add_zone_victims (tdm, ssn, z, out);
  }
  for (guint i = before; i < out->len; i++)
    vc_session_mark_node_victim (ssn, g_array_index (out, guint32, i));
  tdm->has_evicted = TRUE;
  tdm->last_us = now;
}

/* ---- jobs ---------------------------------------------------------------------------------------- */

static int
tdm_job_order (gpointer self, VcSession *ssn, guint32 l, guint32 r)
{
  const VcCluster *c = vc_session_cluster (ssn);

  return vc_job (c, l)->preemptable - vc_job (c, r)->preemptable;
}

static gboolean
tdm_job_key (gpointer self, VcSession *ssn, guint32 job, gint64 *key)
{
  *key = vc_job (vc_session_cluster (ssn), job)->preemptable;
  return TRUE;
}

static VcVote
tdm_job_pipelined (gpointer self, VcSession *ssn, guint32 job)
{
  return vc_job_is_pipelined (vc_job (vc_session_cluster (ssn), job)) ? VC_PERMIT : VC_REJECT;
}

static gboolean
tdm_job_starving (gpointer self, VcSession *ssn, guint32 job)
{
  const VcJob *j = vc_job (vc_session_cluster (ssn), job);

  return !j->preemptable && j->count[VC_PENDING] > 0;
}

/* ---- session -------------------------------------------------------------------------------------- */

static void
read_nodes (Tdm *tdm, const VcNodes *nodes)
{
  if (tdm->rows < nodes->n) {
    tdm->zone_of = g_renew (guint32, tdm->zone_of, nodes->cap);
    tdm->version = g_renew (guint32, tdm->version, nodes->cap);
    for (guint32 i = tdm->rows; i < nodes->cap; i++) {
      tdm->zone_of[i] = VC_NONE;
      tdm->version[i] = G_MAXUINT32; /* not read yet */
    }
    tdm->rows = nodes->cap;
  }
  tdm->any_node = FALSE;
  for (guint32 i = 0; i < nodes->n_list; i++) {
    guint32 row = nodes->list[i];

    if (tdm->version[row] != nodes->info[row].static_version) {
      const char *name = vc_pairs_get (&nodes->info[row].facts.labels, ZONE_LABEL);

      tdm->zone_of[row] = name != NULL && *name != '\0' ? zone_place (tdm, name) : VC_NONE;
      tdm->version[row] = nodes->info[row].static_version;
    }
    tdm->any_node |= tdm->zone_of[row] != VC_NONE;
  }
}

static void
tdm_session_open (gpointer self, VcSession *ssn)
{
  Tdm *tdm = self;
  VcCluster *c = vc_session_cluster (ssn);
  gint64 now = vc_session_now (ssn), second = now / G_USEC_PER_SEC - (now % G_USEC_PER_SEC < 0);

  read_nodes (tdm, &c->nodes);
  for (guint i = 0; i < tdm->zones->len; i++) {
    Zone *z = tdm->zones->pdata[i];
    g_autofree char *reason = closed_reason (z, second);

    z->closed = vc_cluster_intern (c, reason);
  }
  vc_session_add_predicate (ssn, tdm_predicate, NULL, tdm_scope);
  vc_session_add_room (ssn, tdm_room);
  vc_session_add_node_order (ssn, tdm_score, tdm_scope);
  vc_session_add_victims (ssn, VC_HOOK_PREEMPTABLE, tdm_preemptable);
  vc_session_add_victim_tasks (ssn, tdm_victim_tasks);
  vc_session_add_job_order (ssn, tdm_job_order, tdm_job_key);
  vc_session_add_job_vote (ssn, VC_HOOK_JOB_PIPELINED, tdm_job_pipelined);
  vc_session_add_job_test (ssn, VC_HOOK_JOB_STARVING, tdm_job_starving);
}

static void
tdm_clear (gpointer self)
{
  Tdm *tdm = self;

  if (tdm->zones != NULL)
    g_ptr_array_unref (tdm->zones);
  g_free (tdm->zone_of);
  g_free (tdm->version);
}

const VcPluginClass vc_plugin_tdm = {
  .name = "tdm",
  .summary = VC_TDM_SUMMARY,
  .args = vc_tdm_args,
  .instance_size = sizeof (Tdm),
  .init = tdm_init,
  .session_open = tdm_session_open,
  .clear = tdm_clear,
};
