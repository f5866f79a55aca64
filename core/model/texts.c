/* Texts of a cluster: each is kept once, and so are equal sets of labels and annotations. */
#include "cluster.h"
#include <string.h>

const char *
vc_cluster_intern (VcCluster *c, const char *text)
{
  if (text == NULL)
    return NULL;
  const char *known = g_hash_table_lookup (c->text_index, text);
  if (known == NULL) {
    known = g_string_chunk_insert (c->text, text);
    g_hash_table_add (c->text_index, (gpointer) known);
  }
  return known;
}

const char *
vc_cluster_internf (VcCluster *c, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  return vc_cluster_intern (c, text);
}

static void
add_pairs_key (GString *key, const VcPairs *pairs)
{
  for (guint i = 0; i < pairs->n; i++) {
    g_string_append_len (key, pairs->item[i].key, (gssize) strlen (pairs->item[i].key) + 1);
    g_string_append_len (key, pairs->item[i].value, (gssize) strlen (pairs->item[i].value) + 1);
  }
  g_string_append_c (key, '\1');
}

static VcPairs
copy_pairs (VcCluster *c, const VcPairs *pairs)
{
  VcPair *item = vc_arena_new0 (c->meta_arena, VcPair, pairs->n);
  for (guint i = 0; i < pairs->n; i++)
    item[i] = (VcPair) { vc_cluster_intern (c, pairs->item[i].key), vc_cluster_intern (c, pairs->item[i].value) };
  return (VcPairs) { item, pairs->n };
}

const VcMeta *
vc_cluster_meta (VcCluster *c, const VcPairs *labels, const VcPairs *annotations)
{
  g_autoptr (GString) key = g_string_sized_new (128);
  add_pairs_key (key, labels);
  add_pairs_key (key, annotations);
  g_autoptr (GBytes) probe = g_bytes_new_static (key->str, key->len);
  VcMeta *m = g_hash_table_lookup (c->metas, probe);

  if (m == NULL) {
    m = vc_arena_new0 (c->meta_arena, VcMeta, 1);
    m->labels = copy_pairs (c, labels);
    m->annotations = copy_pairs (c, annotations);
    g_hash_table_insert (c->metas, g_bytes_new (key->str, key->len), m);
    static const VcPairs none = { 0 };
    m->bare = annotations->n == 0 ? m : vc_cluster_meta (c, labels, &none);
  }
  return m;
}
