/* core/plugins/task-topology.c - within a job, put tasks that like each other together, and those that do not apart.
 *
 * Policy: annotations of the PodGroup name roles: volcano.sh/task-topology-affinity and -anti-affinity ("a,b;c": `;` between groups, `,`
 * inside; a group of one name means the role with itself), -task-order ("a,b": earlier first). A name that no task has, or one twice in a
 * group, and the job is left alone. A task's name is its annotation volcano.sh/task-spec; those without a name in one of the groups stay
 * outside.
 *   buckets  when a session opens: placed tasks by node; then the others, by order, by priority (self-anti 4, inter-affinity 3, self-affinity
 *            2, inter-anti 1), by name, each into the bucket with the greatest sum of likes less dislikes, among equals the one that asks for
 *            less; a new bucket when that sum is below zero or there is none yet
 *   order    tasks in a bucket before those outside; of one job: the bucket with more tasks to place first, then the older one; within a
 *            bucket by order and priority
 *   score    s = tasks of the bucket on the node, less the dislikes of what this session has put there, plus the tasks to place, as many as
 *            fit with this one into Idle + Releasing; s * task-topology.weight * 100 / size of the largest bucket. 0 when the task itself
 *            does not fit.
 * Counters only grow: what is taken back in a session stays counted, and a task that is placed twice leaves its bucket twice, in its
 * request.
 *
 * Example: affinity "ps,worker", anti-affinity "ps", two of each, 1 cpu each: buckets {ps-0, worker-0}, {ps-1, worker-1}. A node with room
 * for both scores 2 of 2 = 100 for ps-0, one with room for one 50; with ps-0 placed there, worker-0 scores 1 + 1 = 100, ps-1 -1 + 2 = 50.
 *
 * Mirrors pkg/scheduler/plugins/task-topology/{topology,manager,bucket,util}.go. */
#include "plugins.h"
#include "support.h"
#include "core/base/arena.h"
#include "core/base/go-sort.h"

#define AFFINITY "volcano.sh/task-topology-affinity"
#define ANTI_AFFINITY "volcano.sh/task-topology-anti-affinity"
#define ORDER "volcano.sh/task-topology-task-order"
#define TASK_NAME "volcano.sh/task-spec"

const VcArgSpec vc_task_topology_args[] = {
  { "task-topology.weight", VC_ARG_INT, "weight of the score (default 1)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef enum { INTER_ANTI = 1, SELF_AFFINITY, INTER_AFFINITY, SELF_ANTI } Priority;

/* A task on a node: of a bucket, or of the job in this session. */
typedef struct Placed Placed;
struct Placed {
  Placed *next;
  guint32 node, name;
};

typedef struct {
  guint index;
  guint32 *task, n_tasks; /* to place, by UID */
  guint32 n_bound;
  guint32 *count;         /* by name: tasks ever put in */
  Placed *placed;
  VcRes *request;         /* of the tasks to place */
  double weight;          /* upstream's reqScore */
} Bucket;

typedef struct {
  guint n_names;
  const char **name;
  gint8 *affinity, *anti;  /* [n_names][n_names]: 0 or 1 */
  gint64 *order;
  guint8 *priority;        /* 0: in no group */
  Bucket **bucket;
  guint n_buckets, cap_buckets;
  gint64 max_size;
  Placed *placed;          /* in this session */
} Manager;

typedef struct {
  gint64 weight;
  VcArena *arena;          /* of the session */
  Manager **manager;       /* by job row; NULL: none */
  guint32 n_rows, *managed, n_managed;
  /* by task row, of those in a bucket */
  VcMarks inside;
  Bucket **bucket;
  guint32 *name;
  /* by node row; zero between calls */
  gint64 *here, *dislike;
  guint32 n_nodes;
} TaskTopology;

static gboolean
task_topology_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  TaskTopology *t = self;

  t->weight = 1;
  vc_args_get_int (&option->args, "task-topology.weight", &t->weight);
  t->arena = vc_arena_new ();
  return TRUE;
}

/* ---- annotations ------------------------------------------------------------------------------ */

typedef struct {
  char ***group; /* NULL-terminated, of names; a list of no group when not given */
  gboolean given;
} Groups;

static void
groups_clear (Groups *g)
{
  for (guint i = 0; g->group != NULL && g->group[i] != NULL; i++)
    g_strfreev (g->group[i]);
  g_clear_pointer (&g->group, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Groups, groups_clear)

/* As Go's strings.Split, of which an empty text has one empty part. */
static char **
split (const char *text, const char *at)
{
  static const char *const nothing[] = { "", NULL };
  return *text != '\0' ? g_strsplit (text, at, -1) : g_strdupv ((char **) nothing);
}

static gboolean
job_has_role (const VcJob *j, const char *name)
{
  for (guint i = 0; i < j->n_roles; i++)
    if (j->role[i].tasks > 0 && strcmp (j->role[i].name, name) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
group_is_valid (const VcJob *j, char *const *group)
{
  for (guint i = 0; group[i] != NULL; i++) {
    if (*group[i] == '\0')
      continue;
    if (!job_has_role (j, group[i]))
      return FALSE;
    for (guint k = 0; k < i; k++)
      if (strcmp (group[i], group[k]) == 0)
        return FALSE;
  }
  return TRUE;
}

/* FALSE: the plugin leaves the job alone. */
static gboolean
read_groups (const VcJob *j, const char *text, gboolean several, Groups *out)
{
  out->given = text != NULL;
  if (text == NULL)
    return TRUE;
  g_auto (GStrv) parts = several ? split (text, ";") : g_strdupv ((char *[]) { (char *) text, NULL });
  out->group = g_new0 (char **, g_strv_length (parts) + 1);
  for (guint i = 0; parts[i] != NULL; i++) {
    out->group[i] = split (parts[i], ",");
    if (!group_is_valid (j, out->group[i]))
      return FALSE;
  }
  return TRUE;
}

/* ---- one job's topology ----------------------------------------------------------------------- */

static guint32
find_name (const Manager *m, const char *name)
{
  for (guint i = 0; i < m->n_names; i++)
    if (strcmp (m->name[i], name) == 0)
      return i;
  return VC_NONE;
}

static guint
count_names (const Groups *g)
{
  guint n = 0;

  for (guint i = 0; g->group != NULL && g->group[i] != NULL; i++)
    n += g_strv_length (g->group[i]);
  return n;
}

static void
add_names (Manager *m, VcArena *a, const Groups *g)
{
  for (guint i = 0; g->group != NULL && g->group[i] != NULL; i++)
    for (char **name = g->group[i]; *name != NULL; name++)
      if (find_name (m, *name) == VC_NONE)
        m->name[m->n_names++] = vc_arena_strdup (a, *name);
}

static void
relate (Manager *m, const Groups *g, gint8 *matrix, Priority alone, Priority together)
{
  for (guint i = 0; g->group != NULL && g->group[i] != NULL; i++) {
    char **group = g->group[i];
    gboolean single = group[0] != NULL && group[1] == NULL;

    for (guint k = 0; group[k] != NULL; k++) {
      guint32 a = find_name (m, group[k]);
      Priority p = single ? alone : together;

      if (p > m->priority[a])
        m->priority[a] = (guint8) p;
      if (single)
        matrix[a * m->n_names + a] = 1;
      for (guint l = 0; l < k; l++) {
        guint32 b = find_name (m, group[l]);
        if (a != b) /* the empty name may come twice; nobody has it */
          matrix[a * m->n_names + b] = matrix[b * m->n_names + a] = 1;
      }
    }
  }
}

static Manager *
read_topology (TaskTopology *t, const VcJob *j)
{
  const VcPairs *annotations = &j->meta->annotations;
  g_auto (Groups) affinity = { 0 }, anti = { 0 }, order = { 0 };
  VcArena *a = t->arena;

  if (!read_groups (j, vc_pairs_get (annotations, AFFINITY), TRUE, &affinity) || !read_groups (j, vc_pairs_get (annotations, ANTI_AFFINITY), TRUE, &anti)
      || !read_groups (j, vc_pairs_get (annotations, ORDER), FALSE, &order))
    return NULL;
  if (!affinity.given && !anti.given && !order.given)
    return NULL;
  Manager *m = vc_arena_new0 (a, Manager, 1);
  guint most = count_names (&affinity) + count_names (&anti) + count_names (&order);
  m->name = vc_arena_new0 (a, const char *, most);
  add_names (m, a, &affinity);
  add_names (m, a, &anti);
  add_names (m, a, &order);
  m->affinity = vc_arena_new0 (a, gint8, (gsize) m->n_names * m->n_names);
  m->anti = vc_arena_new0 (a, gint8, (gsize) m->n_names * m->n_names);
  m->order = vc_arena_new0 (a, gint64, m->n_names);
  m->priority = vc_arena_new0 (a, guint8, m->n_names);
  relate (m, &affinity, m->affinity, SELF_AFFINITY, INTER_AFFINITY);
  relate (m, &anti, m->anti, SELF_ANTI, INTER_ANTI);
  if (order.given) {
    char **names = order.group[0];
    guint n = g_strv_length (names);
    for (guint i = 0; i < n; i++)
      m->order[find_name (m, names[i])] = n - i;
  }
  return m;
}

/* ---- buckets ---------------------------------------------------------------------------------- */

typedef struct {
  const TaskTopology *t;
  const VcCluster *c;
  const Manager *m;
} Sorting;

/* > 0: l goes first. */
static int
compare_names (const TaskTopology *t, const Manager *m, guint32 l, guint32 r)
{
  guint32 a = t->name[l], b = t->name[r];

  if (m->order[a] != m->order[b])
    return m->order[a] > m->order[b] ? 1 : -1;
  return (m->priority[a] > m->priority[b]) - (m->priority[a] < m->priority[b]);
}

/* sort.Reverse of upstream's order: does r come before l there? */
static gboolean
goes_before (gpointer user, guint32 r, guint32 l)
{
  const Sorting *s = user;
  const VcTask *a = vc_task (s->c, l), *b = vc_task (s->c, r);

  if (a->node != VC_NONE || b->node != VC_NONE) {
    if (a->node == VC_NONE || b->node == VC_NONE)
      return a->node == VC_NONE;
    return strcmp (s->c->nodes.info[a->node].name, s->c->nodes.info[b->node].name) > 0;
  }
  int cmp = compare_names (s->t, s->m, l, r);
  return cmp != 0 ? cmp < 0 : strcmp (a->name, b->name) > 0;
}

static Bucket *
new_bucket (TaskTopology *t, const VcCluster *c, Manager *m)
{
  Bucket *b = vc_arena_new0 (t->arena, Bucket, 1);

  if (m->n_buckets == m->cap_buckets) {
    Bucket **more = vc_arena_new0 (t->arena, Bucket *, m->cap_buckets * 2 + 4);
    if (m->n_buckets > 0)
      memcpy (more, m->bucket, m->n_buckets * sizeof *more);
    m->bucket = more;
    m->cap_buckets = m->cap_buckets * 2 + 4;
  }
  b->index = m->n_buckets;
  b->count = vc_arena_new0 (t->arena, guint32, m->n_names);
  b->request = vc_arena_alloc (t->arena, vc_res_size (c->n_res));
  b->request->n = c->n_res;
  m->bucket[m->n_buckets++] = b;
  return b;
}

static gint64
liking (const Manager *m, const Bucket *b, guint32 name)
{
  const gint8 *likes = &m->affinity[name * m->n_names], *dislikes = &m->anti[name * m->n_names];
  gint64 sum = 0;

  for (guint i = 0; i < m->n_names; i++)
    sum += (gint64) b->count[i] * (likes[i] - dislikes[i]);
  return sum;
}

/* The bucket for an unplaced task. NULL: a new one. */
static Bucket *
best_bucket (const Manager *m, guint32 name)
{
  Bucket *best = NULL;
  gint64 most = 0;

  for (guint i = 0; i < m->n_buckets; i++) {
    Bucket *b = m->bucket[i];
    gint64 sum = liking (m, b, name);

    if (best == NULL || sum > most || (sum == most && b->weight < best->weight)) {
      best = b;
      most = sum;
    }
  }
  return most < 0 ? NULL : best;
}

static void
put_on (TaskTopology *t, Placed **list, guint32 node, guint32 name)
{
  Placed *p = vc_arena_new0 (t->arena, Placed, 1);

  *p = (Placed) { *list, node, name };
  *list = p;
}

/* Milli-cores, MiB and scalars in one sum. */
static double
weight_of (const VcRes *r)
{
  double sum = r->v[VC_RES_CPU] + r->v[VC_RES_MEMORY] / 1024 / 1024;

  for (guint d = VC_RES_FIRST_SCALAR; d < r->n; d++)
    sum += r->v[d];
  return sum;
}

static void
add_task (TaskTopology *t, const VcCluster *c, Manager *m, Bucket *b, guint32 task)
{
  const VcTask *v = vc_task (c, task);

  t->bucket[task] = b;
  b->count[t->name[task]]++;
  if (v->node != VC_NONE) {
    put_on (t, &b->placed, v->node, t->name[task]);
    b->n_bound++;
  } else {
    b->n_tasks++;
    b->weight += weight_of (v->shape->request);
    vc_res_add (b->request, v->shape->request);
  }
  m->max_size = MAX (m->max_size, (gint64) b->n_tasks + b->n_bound);
}

static void
build_buckets (TaskTopology *t, const VcCluster *c, Manager *m, const VcJob *j)
{
  g_autofree guint32 *task = g_new (guint32, j->n_tasks);
  guint32 n = 0, last_node = VC_NONE;
  Bucket *of_node = NULL;

  for (guint32 i = 0; i < j->n_tasks; i++) {
    const char *text = vc_pairs_get (&vc_task (c, j->task[i])->meta->annotations, TASK_NAME);
    guint32 name = text != NULL && *text != '\0' ? find_name (m, text) : VC_NONE;

    if (name == VC_NONE || m->priority[name] == 0)
      continue;
    vc_marks_add (&t->inside, j->task[i]);
    t->name[j->task[i]] = name;
    task[n++] = j->task[i];
  }
  vc_go_sort (task, n, goes_before, &(Sorting) { t, c, m });
  for (guint32 i = 0; i < n; i++) {
    guint32 node = vc_task (c, task[i])->node;
    Bucket *b;

    if (node == VC_NONE) {
      b = best_bucket (m, t->name[task[i]]);
    } else { /* tasks of one node follow each other */
      b = node == last_node ? of_node : NULL;
      last_node = node;
    }
    if (b == NULL)
      b = new_bucket (t, c, m);
    if (node != VC_NONE)
      of_node = b;
    add_task (t, c, m, b, task[i]);
  }
  for (guint i = 0; i < m->n_buckets; i++) {
    m->bucket[i]->task = vc_arena_new0 (t->arena, guint32, m->bucket[i]->n_tasks);
    m->bucket[i]->n_tasks = 0;
  }
  for (guint32 i = 0; i < j->n_tasks; i++) { /* by UID */
    guint32 row = j->task[i];
    if (vc_marks_has (&t->inside, row) && vc_task (c, row)->node == VC_NONE)
      t->bucket[row]->task[t->bucket[row]->n_tasks++] = row;
  }
}

/* ---- hooks ------------------------------------------------------------------------------------ */

static inline Manager *
manager_of (const TaskTopology *t, guint32 job)
{
  return job != VC_NONE && job < t->n_rows ? t->manager[job] : NULL;
}

static inline Bucket *
bucket_of (const TaskTopology *t, guint32 task)
{
  return task < t->inside.rows && vc_marks_has (&t->inside, task) ? t->bucket[task] : NULL;
}

static int
task_topology_order (gpointer self, VcSession *ssn, guint32 l, guint32 r)
{
  const TaskTopology *t = self;
  const VcCluster *c = vc_session_cluster (ssn);
  guint32 lj = vc_task (c, l)->job, rj = vc_task (c, r)->job;
  const Manager *m = manager_of (t, lj);

  if (m == NULL || manager_of (t, rj) == NULL)
    return 0;
  const Bucket *a = bucket_of (t, l), *b = bucket_of (t, r);
  if ((a == NULL) != (b == NULL))
    return a != NULL ? -1 : 1;
  if (lj != rj || a == NULL)
    return 0;
  if (a->n_tasks != b->n_tasks)
    return a->n_tasks > b->n_tasks ? -1 : 1;
  if (a == b)
    return -compare_names (t, m, l, r);
  return a->index < b->index ? -1 : 1;
}

/* Upstream ends in a panic where a bucket holds less than is taken from it (finding W2); here nothing is left then. */
static void
take (VcSession *ssn, VcRes *from, const VcRes *request)
{
  if (vc_res_sub (from, request))
    return;
  for (guint d = 0; d < from->n; d++)
    from->v[d] = MAX (from->v[d], 0);
  vc_session_log (ssn, 3, "task-topology: a task is placed again and its bucket asks for less than it: Volcano ends here");
}

/* Idle + Releasing. */
static void
room_of (const VcCluster *c, guint32 node, VcRes *out)
{
  const VcNodes *n = &c->nodes;

  vc_res_copy (out, n->info[node].allocatable);
  for (guint d = 0; d < c->n_res; d++) {
    double v = n->idle[d][node] + n->releasing[d][node];

    if (d < VC_RES_FIRST_SCALAR || vc_res_has (out, d))
      out->v[d] = v;
    else if (n->idle[d][node] != 0 || n->releasing[d][node] != 0)
      vc_res_set (out, d, v);
  }
}

static gint64
count_in_bucket (VcSession *ssn, const Bucket *b, guint32 task, const VcRes *room)
{
  const VcCluster *c = vc_session_cluster (ssn);
  gint64 n = b->n_tasks;

  if (vc_res_less_equal (b->request, room, VC_ABSENT_ZERO))
    return n;
  VC_RES_LOCAL (rest, c->n_res);
  vc_res_copy (rest, b->request);
  for (guint32 i = 0; i < b->n_tasks; i++) {
    if (b->task[i] == task)
      continue;
    take (ssn, rest, vc_task (c, b->task[i])->shape->request);
    n--;
    if (vc_res_less_equal (rest, room, VC_ABSENT_ZERO))
      break;
  }
  return n;
}

static gboolean
task_topology_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  TaskTopology *t = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcTask *v = vc_task (c, task);
  const Manager *m = manager_of (t, v->job);
  const Bucket *b = m != NULL ? bucket_of (t, task) : NULL;

  if (b == NULL)
    return TRUE;
  const gint8 *dislikes = &m->anti[t->name[task] * m->n_names];
  for (const Placed *p = b->placed; p != NULL; p = p->next)
    t->here[p->node]++;
  for (const Placed *p = m->placed; p != NULL; p = p->next)
    t->dislike[p->node] -= dislikes[p->name];
  VC_RES_LOCAL (room, c->n_res);
  for (guint i = 0; i < n; i++) {
    room_of (c, nodes[i], room);
    if (vc_res_less_partly (room, v->shape->request, VC_ABSENT_ZERO))
      continue;
    gint64 s = t->here[nodes[i]] + t->dislike[nodes[i]] + count_in_bucket (ssn, b, task, room);
    double scaled = (double) (s * t->weight);
    score[i] += m->max_size != 0 ? scaled * 100.0 / (double) m->max_size : scaled;
  }
  for (const Placed *p = b->placed; p != NULL; p = p->next)
    t->here[p->node] = 0;
  for (const Placed *p = m->placed; p != NULL; p = p->next)
    t->dislike[p->node] = 0;
  return TRUE;
}

/* No session knows of a way back (there is no deallocate handler). */
static gboolean
task_topology_allocated (gpointer self, VcSession *ssn, guint32 task)
{
  TaskTopology *t = self;
  const VcTask *v = vc_task (vc_session_cluster (ssn), task);
  Manager *m = manager_of (t, v->job);
  Bucket *b = m != NULL ? bucket_of (t, task) : NULL;

  if (b == NULL) /* nobody likes or dislikes a task outside */
    return TRUE;
  put_on (t, &m->placed, v->node, t->name[task]);
  put_on (t, &b->placed, v->node, t->name[task]);
  b->n_bound++;
  for (guint32 i = 0; i < b->n_tasks; i++)
    if (b->task[i] == task) {
      memmove (&b->task[i], &b->task[i + 1], (b->n_tasks - i - 1) * sizeof *b->task);
      b->n_tasks--;
      break;
    }
  take (ssn, b->request, v->shape->request);
  return TRUE;
}

/* The score depends on the task's job and on its siblings; without a job that says something it is 0. */
static VcScope
task_topology_scope (gpointer self, VcSession *ssn, const VcShape *shape)
{
  return ((const TaskTopology *) self)->n_managed > 0 ? VC_SCOPE_GROUP : VC_SCOPE_NODE;
}

/* ---- session ---------------------------------------------------------------------------------- */

static void
make_room (TaskTopology *t, const VcCluster *c)
{
  if (t->n_rows < c->cap_jobs) {
    t->manager = g_renew (Manager *, t->manager, c->cap_jobs);
    t->managed = g_renew (guint32, t->managed, c->cap_jobs);
    memset (t->manager + t->n_rows, 0, (c->cap_jobs - t->n_rows) * sizeof *t->manager);
    t->n_rows = c->cap_jobs;
  }
  if (t->inside.rows < c->n_tasks) {
    vc_marks_reserve (&t->inside, c->n_tasks);
    t->bucket = g_renew (Bucket *, t->bucket, t->inside.rows);
    t->name = g_renew (guint32, t->name, t->inside.rows);
  }
  if (t->n_nodes < c->nodes.cap) {
    t->here = g_renew (gint64, t->here, c->nodes.cap);
    t->dislike = g_renew (gint64, t->dislike, c->nodes.cap);
    memset (t->here + t->n_nodes, 0, (c->nodes.cap - t->n_nodes) * sizeof *t->here);
    memset (t->dislike + t->n_nodes, 0, (c->nodes.cap - t->n_nodes) * sizeof *t->dislike);
    t->n_nodes = c->nodes.cap;
  }
}

static void
task_topology_session_open (gpointer self, VcSession *ssn)
{
  TaskTopology *t = self;
  const VcCluster *c = vc_session_cluster (ssn);
  guint n;
  const guint32 *jobs = vc_session_jobs (ssn, &n);

  for (guint32 i = 0; i < t->n_managed; i++)
    t->manager[t->managed[i]] = NULL;
  t->n_managed = 0;
  vc_arena_reset (t->arena);
  make_room (t, c);
  vc_marks_begin (&t->inside);
  for (guint i = 0; i < n; i++) {
    const VcJob *j = vc_job (c, jobs[i]);

    if (j->count[VC_PENDING] == 0 || j->meta == NULL)
      continue;
    Manager *m = read_topology (t, j);
    if (m == NULL)
      continue;
    t->manager[jobs[i]] = m;
    t->managed[t->n_managed++] = jobs[i];
    build_buckets (t, c, m, j);
  }
  vc_session_add_compare (ssn, VC_HOOK_TASK_ORDER, task_topology_order);
  vc_session_add_node_order (ssn, task_topology_score, task_topology_scope);
  vc_session_add_handlers (ssn, task_topology_allocated, NULL);
}

static void
task_topology_clear (gpointer self)
{
  TaskTopology *t = self;

  vc_arena_free (t->arena);
  g_free (t->manager);
  g_free (t->managed);
  vc_marks_clear (&t->inside);
  g_free (t->bucket);
  g_free (t->name);
  g_free (t->here);
  g_free (t->dislike);
}

const VcPluginClass vc_plugin_task_topology = {
  .name = "task-topology",
  .summary = VC_TASK_TOPOLOGY_SUMMARY,
  .args = vc_task_topology_args,
  .instance_size = sizeof (TaskTopology),
  .init = task_topology_init,
  .session_open = task_topology_session_open,
  .clear = task_topology_clear,
};
