#include "sub-jobs.h"
#include "cluster-ops.h"
#include "core/base/go-number.h"
#include "selector.h"
#include <string.h>

#define LONGEST_ID 128 /* bytes of joined label values; longer ones are hashed */

/* ---- policies -------------------------------------------------------------------------------------- */

static gboolean
same_topology (const VcTopologySpec *a, const VcTopologySpec *b)
{
  return a->mode == b->mode && !a->has_tier == !b->has_tier && a->tier == b->tier &&
         g_strcmp0 (a->tier_name != NULL ? a->tier_name : "", b->tier_name != NULL ? b->tier_name : "") == 0;
}

static gboolean
same_policies (const VcSubJobs *s, const VcPodGroupObject *o)
{
  if (s->n_policies != o->n_policies)
    return FALSE;
  for (guint i = 0; i < o->n_policies; i++) {
    const VcSubGroupPolicy *a = &s->policy[i], *b = &o->policy[i];
    if (strcmp (a->name, b->name) != 0 || !same_topology (&a->topology, &b->topology) || !a->has_size != !b->has_size || a->size != b->size ||
        a->min_groups != b->min_groups || !vc_selector_same (&a->selector, &b->selector) || a->n_keys != b->n_keys)
      return FALSE;
    for (guint k = 0; k < a->n_keys; k++)
      if (strcmp (a->key[k], b->key[k]) != 0)
        return FALSE;
  }
  return TRUE;
}

static VcTopologySpec
copy_topology (VcArena *arena, const VcTopologySpec *from)
{
  VcTopologySpec to = *from;

  to.tier_name = vc_arena_strdup (arena, from->tier_name);
  return to;
}

static int
compare_mins (gconstpointer a, gconstpointer b)
{
  return strcmp (((const VcGroupMin *) a)->gid, ((const VcGroupMin *) b)->gid);
}

static void
copy_policies (VcCluster *c, guint32 job, VcSubJobs *s, const VcPodGroupObject *o)
{
  s->n_policies = o->n_policies;
  s->policy = vc_arena_new0 (s->arena, VcSubGroupPolicy, o->n_policies);
  s->policy_gid = vc_arena_new0 (s->arena, const char *, o->n_policies);
  s->min = vc_arena_new0 (s->arena, VcGroupMin, o->n_policies);
  for (guint i = 0; i < o->n_policies; i++) {
    const VcSubGroupPolicy *from = &o->policy[i];
    VcSubGroupPolicy *to = &s->policy[i];
    const char **key = vc_arena_new0 (s->arena, const char *, from->n_keys);
    g_autofree char *gid = g_strconcat (c->job[job].key, "/", from->name, NULL);
    guint m = 0;

    *to = *from;
    to->name = vc_arena_strdup (s->arena, from->name);
    to->topology = copy_topology (s->arena, &from->topology);
    to->selector = vc_selector_copy (s->arena, &from->selector);
    for (guint k = 0; k < from->n_keys; k++)
      key[k] = vc_arena_strdup (s->arena, from->key[k]);
    to->key = key;
    s->policy_gid[i] = vc_cluster_intern (c, gid);
    while (m < s->n_mins && s->min[m].gid != s->policy_gid[i])
      m++;
    s->n_mins = MAX (s->n_mins, m + 1);
    s->min[m] = (VcGroupMin) { s->policy_gid[i], from->min_groups }; /* of two policies of one name the last counts */
  }
  qsort (s->min, s->n_mins, sizeof *s->min, compare_mins);
}

/* ---- sub-jobs -------------------------------------------------------------------------------------- */

static void
clear_subs (VcSubJobs *s)
{
  for (guint i = 0; i < s->n; i++) {
    vc_res_free (s->sub[i].pending);
    vc_res_free (s->sub[i].total);
  }
  s->n = 0;
}

void
vc_sub_jobs_forget (VcSubJobs *s)
{
  s->allocated = s->kept = VC_HYPER_NONE;
  for (guint i = 0; i < s->n; i++)
    s->sub[i].allocated = s->sub[i].kept = s->sub[i].nominated = VC_HYPER_NONE;
}

void
vc_sub_jobs_free (VcSubJobs *s)
{
  if (s == NULL)
    return;
  clear_subs (s);
  g_free (s->sub);
  g_free (s->order);
  vc_arena_free (s->arena);
  g_free (s);
}

/* Minimum, as the policy or the job says it now. */
static void
refresh_sub (const VcJob *j, VcSubJob *b)
{
  const VcSubJobs *s = j->subs;

  if (b->policy != VC_NONE)
    b->min_available = s->policy[b->policy].has_size ? s->policy[b->policy].size : 1;
  else
    b->min_available = s->n_policies == 0 ? j->min_available : 1;
}

static guint32
sub_of (VcCluster *c, guint32 job, const char *uid, const char *gid, guint32 policy, gint64 match_index)
{
  VcJob *j = &c->job[job];
  VcSubJobs *s = j->subs;
  const char *text = vc_cluster_intern (c, uid);

  for (guint i = 0; i < s->n; i++)
    if (s->sub[i].uid == text)
      return i;
  if (s->n == s->cap) {
    s->cap = MAX (4u, s->cap * 2u);
    s->sub = g_renew (VcSubJob, s->sub, s->cap);
    s->order = g_renew (guint32, s->order, s->cap);
  }
  guint32 row = s->n++;
  guint at = row;
  s->sub[row] = (VcSubJob) { .uid = text,
                             .gid = gid,
                             .policy = policy,
                             .match_index = match_index,
                             .pending = vc_res_new (c->n_res),
                             .total = vc_res_new (c->n_res),
                             .allocated = VC_HYPER_NONE,
                             .kept = VC_HYPER_NONE,
                             .nominated = VC_HYPER_NONE };
  refresh_sub (j, &s->sub[row]);
  for (; at > 0 && strcmp (s->sub[s->order[at - 1]].uid, text) > 0; at--)
    s->order[at] = s->order[at - 1];
  s->order[at] = row;
  return row;
}

/* The values of the policy's label keys, joined by "-"; NULL: the policy does not take the pod. One without keys takes none (Q4). */
static char *
match_values (const VcSubGroupPolicy *p, const VcPairs *labels)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (p->selector.given && (!vc_selector_is_valid (&p->selector) || !vc_selector_matches (&p->selector, labels)))
    return NULL;
  for (guint i = 0; i < p->n_keys; i++) {
    const char *value = vc_pairs_get (labels, p->key[i]);
    if (value == NULL || *value == '\0')
      return NULL;
    g_string_append_printf (text, i > 0 ? "-%s" : "%s", value);
  }
  return p->n_keys > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

/* FNV-1a of 32 bits as a decimal number, its digits written in letters that make no words. */
static char *
short_id (const char *text)
{
  static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
  guint32 hash = 2166136261u;

  for (const guchar *p = (const guchar *) text; *p != '\0'; p++)
    hash = (hash ^ *p) * 16777619u;
  char *id = g_strdup_printf ("%u", hash);
  for (char *p = id; *p != '\0'; p++)
    *p = letters[(guchar) *p % (sizeof letters - 1)];
  return id;
}

void
vc_sub_jobs_place (VcCluster *c, guint32 job, guint32 task)
{
  static const VcPairs none = { 0 };
  VcSubJobs *s = c->job[job].subs;
  VcTask *t = &c->task[task];
  const VcPairs *labels = t->meta != NULL ? &t->meta->labels : &none;
  const char *key = c->job[job].key;
  guint32 row = VC_NONE;

  for (guint i = 0; i < s->n_policies && row == VC_NONE; i++) {
    g_autofree char *values = match_values (&s->policy[i], labels);
    gint64 index = 0;

    if (values == NULL)
      continue;
    vc_go_parse_int (vc_pairs_get (labels, s->policy[i].key[0]), G_MININT64, G_MAXINT64, &index);
    g_autofree char *brief = strlen (values) > LONGEST_ID ? short_id (values) : NULL;
    g_autofree char *uid = g_strconcat (key, "/", s->policy[i].name, "-", brief != NULL ? brief : values, NULL);
    row = sub_of (c, job, uid, s->policy_gid[i], i, index);
  }
  if (row == VC_NONE)
    row = sub_of (c, job, key, vc_cluster_intern (c, key), VC_NONE, 0);
  t->sub = row;
  VcSubJob *b = &s->sub[row];
  b->n_tasks++;
  b->priority = MAX (b->priority, t->priority);
  vc_res_add (b->total, t->shape->request);
}

void
vc_sub_jobs_displace (VcCluster *c, guint32 job, guint32 task)
{
  const VcJob *j = &c->job[job];
  VcSubJob *b = vc_job_sub (j, c->task[task].sub);

  b->n_tasks--;
  vc_res_sub_unchecked (b->total, c->task[task].shape->request);
  if (b->priority != c->task[task].priority)
    return;
  b->priority = 0;
  for (guint32 i = 0; i < j->n_tasks; i++) {
    const VcTask *t = &c->task[j->task[i]];
    if (j->task[i] != task && t->sub == c->task[task].sub)
      b->priority = MAX (b->priority, t->priority);
  }
}

void
vc_sub_jobs_count (VcSubJobs *s, const VcTask *t, int sign)
{
  VcSubJob *b = &s->sub[t->sub];

  b->count[t->status] += (guint32) sign;
  if (t->status != VC_PENDING)
    return;
  b->pending_best_effort += (guint32) (t->best_effort ? sign : 0);
  if (sign > 0)
    vc_res_add (b->pending, t->shape->request);
  else
    vc_res_sub_unchecked (b->pending, t->shape->request);
}

static void
place_all (VcCluster *c, guint32 job)
{
  clear_subs (c->job[job].subs);
  for (guint32 i = 0; i < c->job[job].n_tasks; i++) {
    vc_sub_jobs_place (c, job, c->job[job].task[i]);
    vc_sub_jobs_count (c->job[job].subs, &c->task[c->job[job].task[i]], 1);
  }
}

void
vc_sub_jobs_drop (VcCluster *c, guint32 job)
{
  if (c->job[job].subs == NULL)
    return;
  g_clear_pointer (&c->job[job].subs, vc_sub_jobs_free);
  c->n_divided--;
}

void
vc_sub_jobs_refresh (const VcJob *j)
{
  for (guint i = 0; j->subs != NULL && i < j->subs->n; i++)
    refresh_sub (j, &j->subs->sub[i]);
}

void
vc_sub_jobs_set (VcCluster *c, guint32 job, const VcPodGroupObject *o)
{
  VcJob *j = &c->job[job];

  if (o->topology.mode == VC_TOPOLOGY_NONE && o->n_policies == 0) {
    vc_sub_jobs_drop (c, job);
    return;
  }
  if (j->subs != NULL && same_policies (j->subs, o)) {
    if (!same_topology (&j->subs->topology, &o->topology))
      j->subs->topology = copy_topology (j->subs->arena, &o->topology);
    vc_sub_jobs_refresh (j);
    return;
  }
  guint32 allocated = j->subs != NULL ? j->subs->allocated : VC_HYPER_NONE;
  vc_sub_jobs_drop (c, job);
  VcSubJobs *s = g_new0 (VcSubJobs, 1);
  s->arena = vc_arena_new ();
  s->topology = copy_topology (s->arena, &o->topology);
  s->allocated = s->kept = allocated;
  j->subs = s;
  c->n_divided++;
  copy_policies (c, job, s, o);
  place_all (c, job);
}

/* ---- questions ------------------------------------------------------------------------------------- */

gboolean
vc_job_has_topology (const VcJob *j)
{
  const VcSubJobs *s = j->subs;
  gboolean any = s != NULL && s->topology.mode != VC_TOPOLOGY_NONE;

  for (guint i = 0; s != NULL && i < s->n && !any; i++)
    any = s->sub[i].n_tasks > 0 && s->sub[i].policy != VC_NONE && s->policy[s->sub[i].policy].topology.mode != VC_TOPOLOGY_NONE;
  return any;
}

gboolean
vc_job_has_hard_topology (const VcJob *j)
{
  const VcSubJobs *s = j->subs;
  gboolean any = s != NULL && s->rule.hard;

  for (guint i = 0; s != NULL && i < s->n && !any; i++)
    any = s->sub[i].n_tasks > 0 && s->sub[i].rule.hard;
  return any;
}

gint32
vc_sub_jobs_min (const VcSubJobs *s, const char *gid)
{
  for (guint i = 0; i < s->n_mins; i++)
    if (s->min[i].gid == gid)
      return s->min[i].min;
  return 0;
}

static gboolean
exists (const VcSubJob *b)
{
  return TRUE;
}

/* Are there as many sub-jobs of each policy that satisfy @test as it wants? */
static gboolean
enough (const VcJob *j, gboolean (*test) (const VcSubJob *b))
{
  const VcSubJobs *s = j->subs;

  for (guint m = 0; s != NULL && m < s->n_mins; m++) {
    gint64 n = 0;

    for (guint i = 0; i < s->n && n < s->min[m].min; i++)
      n += s->sub[i].gid == s->min[m].gid && s->sub[i].n_tasks > 0 && test (&s->sub[i]);
    if (n < s->min[m].min)
      return FALSE;
  }
  return TRUE;
}

gboolean vc_job_groups_valid (const VcJob *j) { return enough (j, exists); }
gboolean vc_job_groups_ready (const VcJob *j) { return enough (j, vc_sub_job_is_ready); }
gboolean vc_job_groups_pipelined (const VcJob *j) { return enough (j, vc_sub_job_is_pipelined); }
