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
  h *= G_GUINT64_CONSTANT (0xc4ceb9fe1a85ec53); /* the last bytes of texts, where many differ, count in all bits */
  return h ^ h >> 32;
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
  guint64 *slot;   /* [n_slots] hash << 32 | 1 + number, 0: free */
  guint32 n_slots; /* a power of two */
};

WlTexts *
wl_texts_new (void)
{
  WlTexts *t = g_new0 (WlTexts, 1);

  t->chunk = g_string_chunk_new (64 * 1024);
  t->all = g_ptr_array_new ();
  t->n_slots = 64;
  t->slot = g_new0 (guint64, t->n_slots);
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

static void
double_slots (WlTexts *t)
{
  guint32 n = 2 * t->n_slots;
  guint64 *slot = g_new0 (guint64, n);

  for (guint32 i = 0; i < t->n_slots; i++) {
    guint32 at = (guint32) (t->slot[i] >> 32) & (n - 1);

    if (t->slot[i] == 0)
      continue;
    while (slot[at] != 0)
      at = (at + 1) & (n - 1);
    slot[at] = t->slot[i];
  }
  g_free (t->slot);
  t->slot = slot;
  t->n_slots = n;
}

/* The kept copy; *fresh tells whether it was made now. */
static const char *
add_text (WlTexts *t, const char *text, gboolean *fresh)
{
  gsize n = strlen (text);
  guint64 h = mix ((const guint8 *) text, n), tag = (h >> 32 ^ h) & G_MAXUINT32;
  guint32 at = (guint32) tag & (t->n_slots - 1);

  for (; t->slot[at] != 0; at = (at + 1) & (t->n_slots - 1)) {
    const char *known = t->slot[at] >> 32 == tag ? t->all->pdata[(guint32) t->slot[at] - 1] : NULL;

    if (known != NULL && strcmp (known, text) == 0) {
      *fresh = FALSE;
      return known;
    }
  }
  *fresh = TRUE;
  g_ptr_array_add (t->all, g_string_chunk_insert_len (t->chunk, text, (gssize) n));
  t->slot[at] = tag << 32 | t->all->len;
  if (t->all->len > t->n_slots / 2)
    double_slots (t);
  return t->all->pdata[t->all->len - 1];
}

const char *
wl_texts_add (WlTexts *t, const char *text)
{
  gboolean fresh;

  return text == NULL || *text == '\0' ? NULL : add_text (t, text, &fresh);
}

const char *
wl_texts_add_new (WlTexts *t, const char *text)
{
  gboolean fresh;
  const char *kept = add_text (t, text, &fresh);

  return fresh ? kept : NULL;
}
