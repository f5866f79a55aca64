#include "reasons.h"
#include "search-private.h"

/* Nodes give a handful of answers: each is kept once, and of a node which one it gives. */
typedef struct { VcFitError error; gboolean unresolvable; guint32 nodes; } Answer;
enum { PASSES, FIRST_ANSWER, ASK = G_MAXUINT16 };

struct VcReasons {
  guint16 *of; guint32 cap; /* by row of the node: PASSES, ASK or FIRST_ANSWER + place in `answer` */
  GArray *answer;
  GArray *met;              /* scratch: places, in the order of a scan */
  guint32 epoch, generation;
  gsize pos;                /* of the change log */
};

VcReasons *
vc_reasons_new (void)
{
  VcReasons *r = g_new0 (VcReasons, 1);

  r->answer = g_array_new (FALSE, FALSE, sizeof (Answer));
  r->met = g_array_new (FALSE, FALSE, sizeof (guint32));
  return r;
}

void
vc_reasons_free (VcReasons *r)
{
  if (r == NULL)
    return;
  g_free (r->of);
  g_array_unref (r->answer);
  g_array_unref (r->met);
  g_free (r);
}

static gboolean
same (const VcFitError *a, const VcFitError *b)
{
  if (a->n != b->n)
    return FALSE;
  for (guint i = 0; i < a->n; i++)
    if (a->item[i].code != b->item[i].code || a->item[i].reason != b->item[i].reason)
      return FALSE;
  return TRUE;
}

static guint16
place_of (VcReasons *r, const VcFitError *e)
{
  guint i = 0;

  while (i < r->answer->len && !same (&g_array_index (r->answer, Answer, i).error, e))
    i++;
  if (i == r->answer->len) {
    const Answer a = { *e, vc_fit_error_has (e, VC_UNRESOLVABLE), 0 };

    g_array_append_val (r->answer, a);
  }
  return (guint16) (FIRST_ANSWER + i);
}

static void
ask (VcReasons *r, VcSearch *s, guint32 task, guint32 node)
{
  VcFitError e = { 0 };

  r->of[node] = vc_search_test (s, task, node, &e) ? PASSES : place_of (r, &e);
}

static void
refresh (VcReasons *r, VcSearch *s, guint32 task)
{
  const VcNodes *n = &s->ssn->cluster->nodes;
  const guint32 generation = s->ssn->engine->conf_generation;

  /* more than so many answers have come to nothing since: start anew */
  if (r->epoch != n->log_epoch || r->generation != generation || r->cap < n->cap || n->n_log - r->pos > n->n_list || r->answer->len > 1000) {
    r->cap = n->cap;
    r->of = g_renew (guint16, r->of, r->cap);
    g_array_set_size (r->answer, 0);
    r->epoch = n->log_epoch;
    r->generation = generation;
    for (guint32 i = 0; i < n->n_list; i++)
      ask (r, s, task, n->list[i]);
  } else {
    for (gsize i = r->pos; i < n->n_log; i++)
      r->of[n->log[i]] = n->info[n->log[i]].listed ? ASK : PASSES;
    for (gsize i = r->pos; i < n->n_log; i++)
      if (r->of[n->log[i]] == ASK)
        ask (r, s, task, n->log[i]);
  }
  r->pos = n->n_log;
}

static void
scan (VcReasons *r, const guint32 *list, guint32 n, GArray *unresolvable)
{
  Answer *answer = (Answer *) (gpointer) r->answer->data;

  for (guint32 i = 0; i < n; i++) {
    const guint32 at = r->of[list[i]] - 1u;

    if (r->of[list[i]] == PASSES)
      continue;
    if (answer[at].nodes++ == 0)
      g_array_append_val (r->met, at);
    if (answer[at].unresolvable)
      g_array_append_val (unresolvable, list[i]);
  }
}

void
vc_reasons_count (VcReasons *r, VcSearch *s, guint32 task, VcFit *counts, GArray *unresolvable)
{
  const VcNodes *n = &s->ssn->cluster->nodes;
  const guint32 from = n->n_list > 0 ? s->ssn->engine->rotating % n->n_list : 0;

  refresh (r, s, task);
  for (guint i = 0; i < r->answer->len; i++)
    g_array_index (r->answer, Answer, i).nodes = 0;
  g_array_set_size (r->met, 0);
  g_array_set_size (unresolvable, 0);
  scan (r, n->list + from, n->n_list - from, unresolvable);
  scan (r, n->list, from, unresolvable);
  for (guint i = 0; i < r->met->len; i++) {
    const Answer *a = &g_array_index (r->answer, Answer, g_array_index (r->met, guint32, i));

    for (guint k = 0; k < a->error.n; k++)
      vc_fit_count (s->ssn, counts, a->error.item[k].reason, a->nodes);
  }
}
