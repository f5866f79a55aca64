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

/* ---- labels and annotations ----------------------------------------------------------------- */

/* In one block, with the pairs and their texts behind it. */
typedef struct {
  VcMeta meta;        /* first: a pointer to it is one to the record */
  guint32 holders;
  gsize length;
  const char *texts;  /* every key and value with its end, and a mark after the labels: equal bytes are equal sets */
} Meta;

static guint
hash_meta (gconstpointer p)
{
  const Meta *m = p;
  guint32 h = 2166136261u;

  for (gsize i = 0; i < m->length; i++)
    h = (h ^ (guint8) m->texts[i]) * 16777619u;
  return h;
}

static gboolean
same_meta (gconstpointer a, gconstpointer b)
{
  const Meta *l = a, *r = b;

  return l->length == r->length && memcmp (l->texts, r->texts, l->length) == 0;
}

static void
add_texts (GString *to, const VcPairs *pairs)
{
  for (guint i = 0; i < pairs->n; i++) {
    g_string_append_len (to, pairs->item[i].key, (gssize) strlen (pairs->item[i].key) + 1);
    g_string_append_len (to, pairs->item[i].value, (gssize) strlen (pairs->item[i].value) + 1);
  }
  g_string_append_c (to, '\1');
}

/* @n pairs into @item, their texts one after the other from *text, which moves behind the mark. */
static VcPairs
read_texts (VcPair *item, guint n, const char **text)
{
  for (guint i = 0; i < n; i++) {
    item[i].key = *text;
    *text += strlen (*text) + 1;
    item[i].value = *text;
    *text += strlen (*text) + 1;
  }
  (*text)++;
  return (VcPairs) { item, n };
}

GHashTable *
vc_metas_new (void)
{
  return g_hash_table_new_full (hash_meta, same_meta, g_free, NULL);
}

const VcMeta *
vc_cluster_meta (VcCluster *c, const VcPairs *labels, const VcPairs *annotations)
{
  guint n = labels->n + annotations->n;

  g_string_truncate (c->meta_key, 0);
  add_texts (c->meta_key, labels);
  add_texts (c->meta_key, annotations);
  Meta probe = { .length = c->meta_key->len, .texts = c->meta_key->str };
  Meta *m = g_hash_table_lookup (c->metas, &probe);

  if (m == NULL) {
    m = g_malloc (sizeof *m + n * sizeof (VcPair) + probe.length);
    VcPair *item = (VcPair *) (gpointer) (m + 1);
    const char *text = memcpy (item + n, probe.texts, probe.length);

    *m = (Meta) { .length = probe.length, .texts = text };
    m->meta.labels = read_texts (item, labels->n, &text);
    m->meta.annotations = read_texts (item + labels->n, annotations->n, &text);
    g_hash_table_add (c->metas, m);
    static const VcPairs none = { 0 };
    m->meta.bare = annotations->n == 0 ? &m->meta : vc_cluster_meta (c, labels, &none); /* the key is written anew */
  }
  m->holders++;
  return &m->meta;
}

void
vc_cluster_drop_meta (VcCluster *c, const VcMeta *meta)
{
  Meta *m = (Meta *) (gpointer) meta;

  if (m == NULL || --m->holders > 0)
    return;
  const VcMeta *bare = meta->bare;

  g_hash_table_remove (c->metas, m);
  if (bare != meta)
    vc_cluster_drop_meta (c, bare);
}
