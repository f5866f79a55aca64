/* x-2dlas - two-dimensional least attained service, discretised: the job order of Tiresias.
 *
 * Policy: attained service is running time × devices. Jobs begin in the first queue; when the service of a running one reaches the limit of its queue it
 * moves to the end of the next. Lower queues come first. Within a queue those that ran since the last event come before those that waited, otherwise as
 * before: nobody returns to an earlier queue. A cycle is due when the first running job reaches its limit, at a whole second of its running time.
 *
 * Example, limits 3250 and 7200: a job of 8 GPUs leaves the first queue after 407 s (3250 / 8, rounded up), the second after 900 s.
 *
 * Gu et al.: Tiresias (NSDI'19). Not Volcano's. */
#include "beyond.h"

#define QUEUES_MAX 16

const VcArgSpec vc_x_2dlas_args[] = {
  { "x-2dlas.resource", VC_ARG_STRING, "what service is counted in (default nvidia.com/gpu)" },
  { "x-2dlas.limits", VC_ARG_STRING, "service in seconds × devices at which a job leaves each queue but the last, with commas between (default 3250,7200)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef struct {
  guint32 id;        /* of the job, for as long as it lives (VcOutlook.place) */
  guint32 row, queue;
  gint64 submitted, attained; /* µs of running time */
  double devices;
  gboolean ran, alive;
} Entry;

typedef struct {
  char *resource;
  gint64 limit[QUEUES_MAX]; /* seconds × devices; the last queue has none */
  guint n_queues;
  GArray *entries;   /* Entry, in order of arrival */
  GArray *order;     /* guint32: ids, queue by queue */
  GHashTable *index; /* id → 1 + place in entries */
  gint64 event;      /* time of the last event */
  guint32 *rank; guint32 cap; /* by job row */
} Las;

static gboolean
read_limits (Las *l, const char *text, GError **error)
{
  g_auto (GStrv) part = g_strsplit (text, ",", -1);

  for (guint i = 0; part[i] != NULL; i++) {
    guint64 limit;

    if (i + 1 >= QUEUES_MAX || !g_ascii_string_to_unsigned (g_strstrip (part[i]), 10, 1, G_MAXINT32, &limit, NULL) ||
        (i > 0 && (gint64) limit <= l->limit[i - 1])) {
      g_set_error (error, VC_CONF_ERROR, VC_CONF_ERROR_TYPE, "x-2dlas.limits, expected at most %d growing whole numbers with commas between, found '%s'", QUEUES_MAX - 1, text);
      return FALSE;
    }
    l->limit[i] = (gint64) limit;
    l->n_queues = i + 2;
  }
  return TRUE;
}

static gboolean
las_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  Las *l = self;
  const char *limits = vc_args_get_string (&option->args, "x-2dlas.limits", "3250,7200");

  l->resource = g_strdup (vc_args_get_string (&option->args, "x-2dlas.resource", "nvidia.com/gpu"));
  l->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  l->order = g_array_new (FALSE, FALSE, sizeof (guint32));
  l->index = g_hash_table_new (NULL, NULL);
  l->event = -1;
  l->n_queues = 1;
  return read_limits (l, limits, error);
}

static void
las_clear (gpointer self)
{
  Las *l = self;

  g_free (l->resource);
  g_free (l->rank);
  if (l->entries != NULL)
    g_array_unref (l->entries);
  if (l->order != NULL)
    g_array_unref (l->order);
  if (l->index != NULL)
    g_hash_table_unref (l->index);
}

static Entry *
entry_of (const Las *l, guint32 id)
{
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (l->index, GUINT_TO_POINTER (id)));

  return place > 0 ? &g_array_index (l->entries, Entry, place - 1) : NULL;
}

/* ---- one event ------------------------------------------------------------------------------- */

static int
by_submission (gconstpointer a, gconstpointer b)
{
  const Entry *l = a, *r = b;

  if (l->submitted != r->submitted)
    return l->submitted < r->submitted ? -1 : 1;
  return l->id < r->id ? -1 : l->id > r->id;
}

/* Which jobs are there now, who ran, who is new (into @fresh). */
static void
look (Las *l, VcSession *ssn, GArray *fresh)
{
  const VcCluster *c = vc_session_cluster (ssn);
  guint n;
  const guint32 *jobs = vc_session_jobs (ssn, &n);
  gint64 now = vc_session_now (ssn);

  for (guint i = 0; i < l->entries->len; i++)
    g_array_index (l->entries, Entry, i).alive = FALSE;
  for (guint i = 0; i < n; i++) {
    VcProgress p;
    VcOutlook o;

    vc_session_progress (ssn, jobs[i], &p);
    if (p.left == 0)
      continue; /* it has ended */
    vc_session_outlook (ssn, jobs[i], &o);
    Entry *e = entry_of (l, o.place);

    if (e == NULL) {
      Entry new_one = { .id = o.place, .row = jobs[i], .submitted = o.submitted, .alive = TRUE, .devices = vc_beyond_devices (ssn, jobs[i], l->resource) };

      g_array_append_val (fresh, new_one);
      continue;
    }
    e->alive = TRUE;
    e->row = jobs[i];
    e->ran = vc_job_allocated_num (&c->job[jobs[i]]) > 0;
    if (e->ran)
      e->attained += now - MAX (l->event, p.started);
  }
  g_array_sort (fresh, by_submission);
}

static void
swap (GArray **a, GArray **b)
{
  GArray *kept = *a;

  *a = *b;
  *b = kept;
}

/* Those that have ended leave; of each queue those that ran come first; new ones go to the end of the first queue. */
static void
reorder (Las *l, const GArray *fresh)
{
  g_autoptr (GArray) order = g_array_sized_new (FALSE, FALSE, sizeof (guint32), l->order->len + fresh->len);
  g_autoptr (GArray) entries = g_array_sized_new (FALSE, FALSE, sizeof (Entry), l->entries->len + fresh->len);

  for (guint q = 0; q < l->n_queues; q++) {
    for (int ran = 1; ran >= 0; ran--)
      for (guint i = 0; i < l->order->len; i++) {
        const Entry *e = entry_of (l, g_array_index (l->order, guint32, i));

        if (e->alive && e->queue == q && (e->ran != FALSE) == ran)
          g_array_append_val (order, e->id);
      }
    for (guint i = 0; q == 0 && i < fresh->len; i++)
      g_array_append_val (order, g_array_index (fresh, Entry, i).id);
  }
  for (guint i = 0; i < l->entries->len; i++)
    if (g_array_index (l->entries, Entry, i).alive)
      g_array_append_val (entries, g_array_index (l->entries, Entry, i));
  g_array_append_vals (entries, fresh->data, fresh->len);
  g_hash_table_remove_all (l->index);
  for (guint i = 0; i < entries->len; i++)
    g_hash_table_insert (l->index, GUINT_TO_POINTER (g_array_index (entries, Entry, i).id), GUINT_TO_POINTER (i + 1));
  swap (&l->order, &order);
  swap (&l->entries, &entries);
}

/* To the end of the next queue, which begins right behind the last one of this. */
static void
demote (Las *l, Entry *e)
{
  guint to = 0;

  e->queue++;
  for (guint i = 0; i < l->order->len; i++)
    if (g_array_index (l->order, guint32, i) == e->id) {
      g_array_remove_index (l->order, i);
      break;
    }
  while (to < l->order->len && entry_of (l, g_array_index (l->order, guint32, to))->queue <= e->queue)
    to++;
  g_array_insert_val (l->order, to, e->id);
}

static void
las_event (Las *l, VcSession *ssn)
{
  g_autoptr (GArray) fresh = g_array_new (FALSE, FALSE, sizeof (Entry));

  look (l, ssn, fresh);
  reorder (l, fresh);
  for (guint i = 0; i < l->entries->len; i++) {
    Entry *e = &g_array_index (l->entries, Entry, i);

    if (e->ran && e->queue + 1 < l->n_queues && (double) e->attained * e->devices >= (double) l->limit[e->queue] * G_USEC_PER_SEC)
      demote (l, e);
  }
  l->event = vc_session_now (ssn);
}

/* ---- hooks ------------------------------------------------------------------------------------ */

static int
las_order (gpointer self, VcSession *ssn, guint32 l, guint32 r)
{
  const Las *las = self;

  return las->rank[l] < las->rank[r] ? -1 : las->rank[l] > las->rank[r];
}

static gboolean
las_key (gpointer self, VcSession *ssn, guint32 job, gint64 *key)
{
  *key = ((const Las *) self)->rank[job];
  return TRUE;
}

static void
las_session_open (gpointer self, VcSession *ssn)
{
  Las *l = self;
  const VcCluster *c = vc_session_cluster (ssn);

  if (vc_session_now (ssn) != l->event)
    las_event (l, ssn);
  if (l->cap < c->n_jobs) {
    l->cap = c->cap_jobs;
    l->rank = g_renew (guint32, l->rank, l->cap);
  }
  for (guint32 i = 0; i < c->n_jobs; i++)
    l->rank[i] = G_MAXUINT32;
  for (guint i = 0; i < l->order->len; i++)
    l->rank[entry_of (l, g_array_index (l->order, guint32, i))->row] = i;
  vc_session_add_job_order (ssn, las_order, las_key);
}

/* When the first of those that run now reaches its limit. */
static void
las_session_close (gpointer self, VcSession *ssn)
{
  const Las *l = self;
  const VcCluster *c = vc_session_cluster (ssn);

  for (guint i = 0; i < l->entries->len; i++) {
    const Entry *e = &g_array_index (l->entries, Entry, i);

    if (e->queue + 1 >= l->n_queues || e->devices <= 0 || vc_job_allocated_num (&c->job[e->row]) == 0)
      continue;
    gint64 whole = (gint64) ((double) l->limit[e->queue] / e->devices), seconds = (double) whole * e->devices < (double) l->limit[e->queue] ? whole + 1 : whole;

    vc_session_wake_at (ssn, vc_session_now (ssn) + seconds * G_USEC_PER_SEC - e->attained);
  }
}

const VcPluginClass vc_plugin_x_2dlas = {
  .name = "x-2dlas",
  .summary = VC_X_2DLAS_SUMMARY,
  .args = vc_x_2dlas_args,
  .instance_size = sizeof (Las),
  .init = las_init,
  .session_open = las_session_open,
  .session_close = las_session_close,
  .clear = las_clear,
};
