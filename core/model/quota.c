#include "quota.h"
#include <string.h>

void
vc_quota_free (gpointer p)
{
  VcQuota *q = p;

  vc_arena_free (q->arena);
  g_free (q);
}

void
vc_budget_free (gpointer p)
{
  VcBudget *b = p;

  vc_arena_free (b->arena);
  g_free (b);
}

VcAmounts
vc_amounts_copy (VcArena *arena, const VcAmounts *a)
{
  VcAmount *item = vc_arena_new0 (arena, VcAmount, a->n);

  for (guint i = 0; i < a->n; i++)
    item[i] = (VcAmount) { vc_arena_strdup (arena, a->item[i].name), a->item[i].q };
  return (VcAmounts) { item, a->n, a->given };
}

const VcAmount *
vc_amounts_get (const VcAmounts *a, const char *name)
{
  for (guint i = 0; i < a->n; i++)
    if (strcmp (a->item[i].name, name) == 0)
      return &a->item[i];
  return NULL;
}

const VcAmounts *
vc_cluster_amounts (VcCluster *c, const VcAmounts *a)
{
  if (!a->given)
    return NULL;
  if (c->amounts == NULL)
    c->amounts = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  g_autoptr (GString) key = g_string_sized_new (128);
  for (guint i = 0; i < a->n; i++) {
    g_string_append_len (key, a->item[i].name, (gssize) strlen (a->item[i].name) + 1);
    g_string_append_len (key, (const char *) &a->item[i].q, sizeof a->item[i].q);
  }
  g_autoptr (GBytes) probe = g_bytes_new_static (key->str, key->len);
  VcAmounts *shared = g_hash_table_lookup (c->amounts, probe);

  if (shared == NULL) {
    shared = vc_arena_new0 (c->meta_arena, VcAmounts, 1);
    *shared = vc_amounts_copy (c->meta_arena, a);
    g_hash_table_insert (c->amounts, g_bytes_new (key->str, key->len), shared);
  }
  return shared;
}
