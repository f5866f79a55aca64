/* core/devices/gpu-exclusive.c - rules that keep pods with certain labels on cards of their own.
 *
 * Policy: deviceshare.GPUExclusiveRules is a list of label sets; a pod matches a rule when it has all its labels. A card on which a pod of a rule
 * sits takes no other pod of that rule; pods that match no rule, or other rules only, may share it. Nodes that cut their cards (mig) are left alone.
 *
 * Example: the rule {team: y}; job/a (team y) sits on GPU-0. job/b (team y) may take GPU-1, GPU-2; job/c (team x) any card.
 *
 * A session finds out anew who sits where: on the books, and for pods that are not booked (those that are being deleted) by their annotation.
 * Upstream would also remember cards from one session to the next, but makes its plugins anew for each session, so that it never does.
 *
 * Mirrors pkg/scheduler/plugins/deviceshare/gpuexclusive.go. */
#include "gpu-exclusive.h"
#include <string.h>

typedef struct { const VcPair *label; guint n; } Rule;
struct VcGpuRules { guint n; Rule *rule; };

/* A pod: does it count as one of its rules, and is its identity known? */
typedef struct { guint32 task; gboolean ruled, known; } Known;

struct VcGpuExclusive {
  const VcGpuRules *rules;
  guint n_cards;
  guint8 *held;   /* [rule][card] */
  GArray *pod;    /* Known */
};

const VcGpuRules *
vc_gpu_rules_read (const VcArg *arg, VcArena *arena)
{
  VcGpuRules *rules;

  if (arg == NULL || !arg->is_list || arg->child == NULL)
    return NULL;
  rules = vc_arena_new0 (arena, VcGpuRules, 1);
  rules->rule = vc_arena_new0 (arena, Rule, arg->child->n);
  for (guint i = 0; i < arg->child->n; i++) {
    const VcArg *map = &arg->child->arg[i];
    guint n = map->child != NULL && !map->is_list ? map->child->n : 0, kept = 0;
    VcPair *label = vc_arena_new0 (arena, VcPair, n);

    for (guint k = 0; k < n; k++) {
      const VcArg *a = &map->child->arg[k];

      if (a->type == VC_VALUE_STRING)
        label[kept++] = (VcPair) { vc_arena_strdup (arena, a->key), vc_arena_strdup (arena, a->s) };
    }
    if (kept > 0)
      rules->rule[rules->n++] = (Rule) { label, kept };
  }
  return rules->n > 0 ? rules : NULL;
}

static gboolean
matches (const Rule *r, const VcPairs *labels)
{
  for (guint i = 0; i < r->n; i++) {
    const char *v = vc_pairs_get (labels, r->label[i].key);

    if (v == NULL || strcmp (v, r->label[i].value) != 0)
      return FALSE;
  }
  return TRUE;
}

gboolean
vc_gpu_rules_match (const VcGpuRules *rules, const VcPairs *labels)
{
  for (guint i = 0; i < rules->n; i++)
    if (matches (&rules->rule[i], labels))
      return TRUE;
  return FALSE;
}

VcGpuExclusive *
vc_gpu_exclusive_new (const VcGpuRules *rules, guint n_cards)
{
  VcGpuExclusive *x = g_new0 (VcGpuExclusive, 1);

  x->rules = rules;
  x->n_cards = n_cards;
  x->held = g_new0 (guint8, (gsize) rules->n * n_cards + 1);
  x->pod = g_array_new (FALSE, FALSE, sizeof (Known));
  return x;
}

VcGpuExclusive *
vc_gpu_exclusive_copy (const VcGpuExclusive *from)
{
  if (from == NULL)
    return NULL;
  VcGpuExclusive *x = vc_gpu_exclusive_new (from->rules, from->n_cards);

  memcpy (x->held, from->held, (gsize) x->rules->n * x->n_cards);
  if (from->pod->len > 0)
    g_array_append_vals (x->pod, from->pod->data, from->pod->len);
  return x;
}

void
vc_gpu_exclusive_free (VcGpuExclusive *x)
{
  if (x == NULL)
    return;
  g_free (x->held);
  g_array_unref (x->pod);
  g_free (x);
}

static Known *
find_pod (const VcGpuExclusive *x, guint32 task)
{
  for (guint i = 0; i < x->pod->len; i++)
    if (g_array_index (x->pod, Known, i).task == task)
      return &g_array_index (x->pod, Known, i);
  return NULL;
}

void
vc_gpu_exclusive_know (VcGpuExclusive *x, guint32 task, const VcPairs *labels, gboolean uid_known)
{
  Known *p = find_pod (x, task);

  if (p == NULL) {
    const Known fresh = { .task = task };

    g_array_append_val (x->pod, fresh);
    p = &g_array_index (x->pod, Known, x->pod->len - 1);
  }
  p->ruled |= vc_gpu_rules_match (x->rules, labels);
  p->known |= uid_known;
}

void
vc_gpu_exclusive_reserve (VcGpuExclusive *x, guint card, const VcPairs *labels)
{
  for (guint r = 0; r < x->rules->n; r++)
    if (matches (&x->rules->rule[r], labels))
      x->held[r * x->n_cards + card] = TRUE;
}

/* Does a pod of any rule sit on the card, besides @task? */
static gboolean
still_held (const VcGpuExclusive *x, guint32 task, const VcDevicePods *pods)
{
  for (guint32 i = 0; i < pods->n; i++) {
    const Known *p = pods->pod[i].task != task ? find_pod (x, pods->pod[i].task) : NULL;

    if (p != NULL && p->ruled && p->known)
      return TRUE;
  }
  return FALSE;
}

void
vc_gpu_exclusive_leave (VcGpuExclusive *x, guint32 task, const VcPairs *labels, const VcDevicePods *const *pods, gboolean forget)
{
  Known *p = find_pod (x, task);

  if (p == NULL)
    return;
  if (p->ruled) {
    p->ruled = FALSE;
    for (guint r = 0; r < x->rules->n; r++)
      for (guint c = 0; c < x->n_cards && matches (&x->rules->rule[r], labels); c++)
        if (x->held[r * x->n_cards + c] && !still_held (x, task, pods[c]))
          x->held[r * x->n_cards + c] = FALSE;
  }
  if (forget)
    p->known = FALSE;
}

gboolean
vc_gpu_exclusive_closed (const VcGpuExclusive *x, const VcPairs *labels, guint8 *closed)
{
  gboolean any = FALSE;

  memset (closed, 0, x->n_cards);
  for (guint r = 0; r < x->rules->n; r++)
    for (guint c = 0; c < x->n_cards && matches (&x->rules->rule[r], labels); c++)
      if (x->held[r * x->n_cards + c])
        any = closed[c] = 1;
  return any;
}
