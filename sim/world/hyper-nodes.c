/* sim/world/hyper-nodes.c - see hyper-nodes.h. */
#include "hyper-nodes.h"
#include "views.h"
#include "core/model/hyper-nodes.h"
#include "sim/record/record.h"
#include <string.h>

#define BACKOFF 5000                    /* microseconds before the first retry, doubled each time … */
#define MAX_BACKOFF (1000 * SIM_SECOND) /* … up to this */

typedef struct {
  VcHyperNodeObject object;
  VcArena *arena;        /* of the object, NULL: the input's */
  gboolean exists;       /* as the API server has it */
  gboolean failed;       /* the cache could not make a tree of it */
  SimTime next, backoff; /* while it has failed: when it is tried next, and how long it waits */
  SimTime posted;        /* `next` for which there is an event already */
  guint32 stamp;         /* retries with another one are dead */
} Hyper;

struct SimHypers {
  GHashTable *row;       /* name → row + 1 */
  GArray *item;          /* Hyper; rows stay */
  gboolean broken;       /* the cache's tree was not ready when last looked at */
};

static inline Hyper *
hyper_at (const SimWorld *w, guint32 row)
{
  return &g_array_index (w->hypers->item, Hyper, row);
}

static guint32
find (const SimWorld *w, const char *name)
{
  guint32 row = w->hypers != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (w->hypers->row, name)) : 0;

  return row > 0 ? row - 1 : SIM_NONE;
}

static guint32
row_of (SimWorld *w, const char *name)
{
  const Hyper blank = { .exists = FALSE };

  if (w->hypers == NULL) {
    w->hypers = g_new0 (SimHypers, 1);
    w->hypers->row = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    w->hypers->item = g_array_new (FALSE, FALSE, sizeof (Hyper));
  }
  guint32 row = find (w, name);

  if (row == SIM_NONE) {
    g_array_append_val (w->hypers->item, blank);
    row = w->hypers->item->len - 1;
    g_hash_table_insert (w->hypers->row, g_strdup (name), GUINT_TO_POINTER (row + 1));
  }
  return row;
}

/* ---- retries -------------------------------------------------------------------------------- */

static void
back_off (Hyper *x, SimTime now)
{
  x->backoff = x->backoff == 0 ? BACKOFF : MIN (2 * x->backoff, MAX_BACKOFF);
  x->next = now + x->backoff;
}

void
sim_hyper_nodes_expect_retries (SimWorld *w)
{
  for (guint32 i = 0; w->hypers != NULL && i < w->hypers->item->len; i++) {
    Hyper *x = hyper_at (w, i);

    if (!x->failed)
      continue;
    while (x->next <= w->now) /* tries that ended as the last one did */
      back_off (x, x->next);
    if (x->posted != x->next)
      sim_event_queue_post (w->events, x->posted = x->next, SIM_RANK_QUEUE, SIM_EVENT_HYPER_RETRY, i, ++x->stamp);
  }
}

/* Has the tree become ready, or is it so no more, by what happened to @name? */
static void
note_tree (SimWorld *w, const char *name)
{
  gboolean broken = !vc_hyper_nodes_ready (w->cluster->hyper);

  if (w->hypers == NULL || w->hypers->broken == broken)
    return;
  w->hypers->broken = broken;
  sim_record_event (w, "HyperNode", "", name, broken ? "tree-not-ready" : "tree-ready", "");
}

static gboolean
tell_view (SimWorld *w, const Hyper *x)
{
  return x->exists ? vc_cache_add_hyper_node (w->cache, &x->object) : vc_cache_remove_hyper_node (w->cache, x->object.name);
}

/* Tell the caches what the API server has; @listed: only that of the view that is entered. */
static void
tell_cache (SimWorld *w, guint32 row, gboolean listed)
{
  Hyper *x = hyper_at (w, row);
  gboolean good = TRUE;

  if (listed)
    good = tell_view (w, x);
  else
    SIM_EACH_VIEW (w, back)
      good = tell_view (w, x) && good;
  note_tree (w, x->object.name);
  x->failed = !good;
  if (good) {
    x->next = x->backoff = x->posted = 0;
    x->stamp++;
  } else {
    back_off (x, w->now);
  }
}

gboolean
sim_hyper_node_event (SimWorld *w, const SimEvent *ev)
{
  if (hyper_at (w, ev->subject)->stamp != ev->stamp)
    return FALSE;
  tell_cache (w, ev->subject, FALSE);
  if (!hyper_at (w, ev->subject)->failed)
    sim_hyper_nodes_expect_retries (w);
  return TRUE;
}

void
sim_hyper_nodes_note_node (SimWorld *w)
{
  w->hypers_stale = TRUE;
  note_tree (w, "");
  sim_hyper_nodes_expect_retries (w);
}

/* ---- objects -------------------------------------------------------------------------------- */

void
sim_hyper_node_put (SimWorld *w, const VcHyperNodeObject *o, VcArena *arena, const char *source)
{
  guint32 row = row_of (w, o->name);
  Hyper *x = hyper_at (w, row);
  const char *event = x->exists ? "changed" : "created";

  g_clear_pointer (&x->arena, vc_arena_free);
  x->arena = arena;
  x->object = *o;
  x->exists = TRUE;
  sim_record_event (w, "HyperNode", "", o->name, event, source);
  tell_cache (w, row, FALSE);
  sim_hyper_nodes_expect_retries (w);
}

void
sim_hyper_node_drop (SimWorld *w, const char *name, const char *source)
{
  guint32 row = find (w, name);

  if (row == SIM_NONE || !hyper_at (w, row)->exists)
    return;
  hyper_at (w, row)->exists = FALSE;
  sim_record_event (w, "HyperNode", "", hyper_at (w, row)->object.name, "deleted", source);
  tell_cache (w, row, FALSE);
  w->hypers_stale = TRUE;
  sim_hyper_nodes_expect_retries (w);
}

void
sim_hyper_node_submit (SimWorld *w, guint32 i)
{
  const WlObject *o = w->objects->objects->pdata[i];

  if (o->refusal != NULL)
    sim_record_event (w, "HyperNode", "", o->hyper_node.name, "rejected", o->refusal);
  else
    sim_hyper_node_put (w, &o->hyper_node, NULL, "");
}

void
sim_hyper_node_delete (SimWorld *w, guint32 i)
{
  const WlObject *o = w->objects->objects->pdata[i];

  sim_hyper_node_drop (w, o->hyper_node.name, "");
}

const VcHyperNodeObject *
sim_hyper_node_find (const SimWorld *w, const char *name)
{
  guint32 row = find (w, name);

  return row != SIM_NONE && hyper_at (w, row)->exists ? &hyper_at (w, row)->object : NULL;
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const VcHyperNodeObject *const *) a)->name, (*(const VcHyperNodeObject *const *) b)->name);
}

GPtrArray *
sim_hyper_nodes_sorted (const SimWorld *w)
{
  GPtrArray *all = g_ptr_array_new ();

  for (guint32 i = 0; w->hypers != NULL && i < w->hypers->item->len; i++)
    if (hyper_at (w, i)->exists)
      g_ptr_array_add (all, &hyper_at (w, i)->object);
  g_ptr_array_sort (all, by_name);
  return all;
}

void
sim_hyper_nodes_list (SimWorld *w)
{
  g_autoptr (GPtrArray) all = sim_hyper_nodes_sorted (w);

  for (guint i = 0; i < all->len; i++) {
    guint32 row = find (w, ((const VcHyperNodeObject *) all->pdata[i])->name);

    hyper_at (w, row)->next = hyper_at (w, row)->backoff = hyper_at (w, row)->posted = 0;
    tell_cache (w, row, TRUE);
  }
  sim_hyper_nodes_expect_retries (w);
}

void
sim_hyper_nodes_free (SimWorld *w)
{
  for (guint32 i = 0; w->hypers != NULL && i < w->hypers->item->len; i++)
    g_clear_pointer (&hyper_at (w, i)->arena, vc_arena_free);
  if (w->hypers == NULL)
    return;
  g_hash_table_unref (w->hypers->row);
  g_array_unref (w->hypers->item);
  g_clear_pointer (&w->hypers, g_free);
}
