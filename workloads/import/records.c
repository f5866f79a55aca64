/* workloads/import/records.c - see records.h. Open addressing; the last record is tried first, since neighbours are often equal. */
#include "records.h"
#include <string.h>

struct WlRecords {
  guint size;
  GArray *all;     /* the records themselves */
  guint32 *slot;   /* [n_slots] 1 + number, 0: free */
  guint32 n_slots; /* a power of two */
  guint32 last;
};

static guint64
mix (const guint8 *bytes, gsize n)
{
  guint64 h = n * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  for (gsize i = 0; i < n; i += 8) {
    guint64 word = 0;

    memcpy (&word, bytes + i, MIN (8, n - i));
    h = (h ^ word) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
    h ^= h >> 32;
  }
  return h;
}

WlRecords *
wl_records_new (guint size)
{
  WlRecords *r = g_new0 (WlRecords, 1);

  g_assert (size % 8 == 0);
  r->size = size;
  r->all = g_array_new (FALSE, FALSE, size);
  r->n_slots = 64;
  r->slot = g_new0 (guint32, r->n_slots);
  return r;
}

void
wl_records_free (WlRecords *r)
{
  if (r == NULL)
    return;
  g_array_unref (r->all);
  g_free (r->slot);
  g_free (r);
}

const void *
wl_records_get (const WlRecords *r, guint32 id)
{
  return r->all->data + (gsize) id * r->size;
}

guint
wl_records_len (const WlRecords *r)
{
  return r->all->len;
}

static guint32
place (const WlRecords *r, const void *record)
{
  guint32 at = (guint32) mix (record, r->size) & (r->n_slots - 1);

  while (r->slot[at] != 0 && memcmp (wl_records_get (r, r->slot[at] - 1), record, r->size) != 0)
    at = (at + 1) & (r->n_slots - 1);
  return at;
}

static void
grow (WlRecords *r)
{
  r->n_slots *= 2;
  g_free (r->slot);
  r->slot = g_new0 (guint32, r->n_slots);
  for (guint32 i = 0; i < r->all->len; i++)
    r->slot[place (r, wl_records_get (r, i))] = i + 1;
}

guint32
wl_records_add (WlRecords *r, const void *record)
{
  guint32 at;

  if (r->last < r->all->len && memcmp (wl_records_get (r, r->last), record, r->size) == 0)
    return r->last;
  at = place (r, record);
  if (r->slot[at] == 0) {
    g_array_append_vals (r->all, record, 1);
    r->slot[at] = r->all->len;
    r->last = r->all->len - 1;
    if (r->all->len > r->n_slots / 2)
      grow (r);
    return r->last;
  }
  return r->last = r->slot[at] - 1;
}

/* ---- texts ---- */

struct WlTexts {
  GStringChunk *chunk;
  GPtrArray *all;
  guint32 *slot;
  guint32 n_slots;
};

WlTexts *
wl_texts_new (void)
{
  WlTexts *t = g_new0 (WlTexts, 1);

  t->chunk = g_string_chunk_new (64 * 1024);
  t->all = g_ptr_array_new ();
  t->n_slots = 64;
  t->slot = g_new0 (guint32, t->n_slots);
  return t;
}

void
wl_texts_free (WlTexts *t)
{
  if (t == NULL)
    return;
  g_string_chunk_free (t->chunk);
  g_ptr_array_unref (t->all);
  g_free (t->slot);
  g_free (t);
}

static guint32
text_place (const WlTexts *t, const char *text)
{
  guint32 at = (guint32) mix ((const guint8 *) text, strlen (text)) & (t->n_slots - 1);

  while (t->slot[at] != 0 && strcmp (t->all->pdata[t->slot[at] - 1], text) != 0)
    at = (at + 1) & (t->n_slots - 1);
  return at;
}

const char *
wl_texts_add (WlTexts *t, const char *text)
{
  guint32 at;

  if (text == NULL || *text == '\0')
    return NULL;
  at = text_place (t, text);
  if (t->slot[at] != 0)
    return t->all->pdata[t->slot[at] - 1];
  g_ptr_array_add (t->all, g_string_chunk_insert (t->chunk, text));
  t->slot[at] = t->all->len;
  text = t->all->pdata[t->all->len - 1];
  if (t->all->len > t->n_slots / 2) {
    t->n_slots *= 2;
    g_free (t->slot);
    t->slot = g_new0 (guint32, t->n_slots);
    for (guint32 i = 0; i < t->all->len; i++)
      t->slot[text_place (t, t->all->pdata[i])] = i + 1;
  }
  return text;
}
