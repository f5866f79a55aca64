/* workloads/import/records.c - see records.h. Open addressing; the last record is tried first, since neighbours are often equal. */
#include "records.h"
#include <string.h>

/* Where things are by their hash: a table of hash << 32 | 1 + number, 0: free. */
typedef struct {
  guint64 *slot;
  guint32 n; /* a power of two */
} Slots;

struct WlRecords {
  guint size;
  GArray *all; /* the records themselves */
  Slots slots;
  guint32 last;
};

/* 32 bits that depend on every bit. */
static guint64
hash_of (const void *bytes, gsize n)
{
  guint64 h = n * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  const guint8 *p = bytes;

  for (; n > 0; p += 8) {
    guint64 word = 0;

    if (n >= 8)
      memcpy (&word, p, 8);
    for (gsize i = 0; n < 8 && i < n; i++)
      word = word << 8 | p[i];
    h = (h ^ word) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
    h ^= h >> 32;
    n -= MIN (n, 8);
  }
  return (h * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32;
}

static void
slots_init (Slots *s)
{
  s->n = 64;
  s->slot = g_new0 (guint64, s->n);
}

/* Something new with @hash and the number @id; half of the table stays free. */
static void
slots_add (Slots *s, guint64 hash, guint32 id)
{
  guint32 at = (guint32) hash & (s->n - 1);

  while (s->slot[at] != 0)
    at = (at + 1) & (s->n - 1);
  s->slot[at] = hash << 32 | (id + 1);
  if (id < s->n / 2)
    return;
  Slots larger = { g_new0 (guint64, 2 * (gsize) s->n), 2 * s->n };

  for (guint32 i = 0; i < s->n; i++)
    if (s->slot[i] != 0) {
      at = (guint32) (s->slot[i] >> 32) & (larger.n - 1);
      while (larger.slot[at] != 0)
        at = (at + 1) & (larger.n - 1);
      larger.slot[at] = s->slot[i];
    }
  g_free (s->slot);
  *s = larger;
}

/* The next number from *@at on whose hash is @hash, or G_MAXUINT32; begin with *at = hash. */
static inline guint32
slots_next (const Slots *s, guint64 hash, guint32 *at)
{
  for (;;) {
    guint64 slot = s->slot[*at & (s->n - 1)];

    *at = (*at & (s->n - 1)) + 1;
    if (slot == 0)
      return G_MAXUINT32;
    if (slot >> 32 == hash)
      return (guint32) slot - 1;
  }
}

WlRecords *
wl_records_new (guint size)
{
  WlRecords *r = g_new0 (WlRecords, 1);

  g_assert (size % 8 == 0);
  r->size = size;
  r->all = g_array_new (FALSE, FALSE, size);
  slots_init (&r->slots);
  return r;
}

void
wl_records_free (WlRecords *r)
{
  if (r == NULL)
    return;
  g_array_unref (r->all);
  g_free (r->slots.slot);
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

/* memcmp() in line: nearly always it ends at the first word or says yes. */
static inline gboolean
is_record (const WlRecords *r, guint32 id, const void *record)
{
  const guint8 *known = wl_records_get (r, id);
  guint64 differ = 0;

  for (guint i = 0; i < r->size && differ == 0; i += 8) {
    guint64 a, b;

    memcpy (&a, known + i, 8);
    memcpy (&b, (const guint8 *) record + i, 8);
    differ = a ^ b;
  }
  return differ == 0;
}

guint32
wl_records_add (WlRecords *r, const void *record)
{
  guint64 hash;
  guint32 at, id;

  if (r->last < r->all->len && is_record (r, r->last, record))
    return r->last;
  hash = hash_of (record, r->size);
  at = (guint32) hash;
  while ((id = slots_next (&r->slots, hash, &at)) != G_MAXUINT32 && !is_record (r, id, record))
    ;
  if (id == G_MAXUINT32) {
    id = r->all->len;
    g_array_append_vals (r->all, record, 1);
    slots_add (&r->slots, hash, id);
  }
  return r->last = id;
}

/* ---- texts ---- */

/* Names of jobs are numbered more often than not. A text behind the last one in the order of (length, bytes) is new when all before it came so, too: then nothing is
 * looked up, and there is no table until the first one that does not. */
struct WlTexts {
  GStringChunk *chunk;
  GPtrArray *all;
  gsize last_len;  /* of the last one, while they rise */
  Slots slots;     /* none while they rise */
};

WlTexts *
wl_texts_new (void)
{
  WlTexts *t = g_new0 (WlTexts, 1);

  t->chunk = g_string_chunk_new (64 * 1024);
  t->all = g_ptr_array_new ();
  return t;
}

void
wl_texts_free (WlTexts *t)
{
  if (t == NULL)
    return;
  g_string_chunk_free (t->chunk);
  g_ptr_array_unref (t->all);
  g_free (t->slots.slot);
  g_free (t);
}

static void
stop_rising (WlTexts *t)
{
  slots_init (&t->slots);
  for (guint32 i = 0; i < t->all->len; i++)
    slots_add (&t->slots, hash_of (t->all->pdata[i], strlen (t->all->pdata[i])), i);
}

static const char *
keep_text (WlTexts *t, const char *text, gsize n)
{
  const char *kept = g_string_chunk_insert_len (t->chunk, text, (gssize) n);

  g_ptr_array_add (t->all, (gpointer) kept);
  t->last_len = n;
  return kept;
}

/* The kept copy; *fresh tells whether it was made now. */
static const char *
add_text (WlTexts *t, const char *text, gboolean *fresh)
{
  gsize n = strlen (text);
  guint64 hash;
  guint32 at, id;

  *fresh = TRUE;
  if (t->slots.n == 0) {
    if (t->all->len == 0 || n > t->last_len || (n == t->last_len && memcmp (text, t->all->pdata[t->all->len - 1], n) > 0))
      return keep_text (t, text, n);
    stop_rising (t);
  }
  hash = hash_of (text, n);
  at = (guint32) hash;
  while ((id = slots_next (&t->slots, hash, &at)) != G_MAXUINT32)
    if (strcmp (t->all->pdata[id], text) == 0) {
      *fresh = FALSE;
      return t->all->pdata[id];
    }
  slots_add (&t->slots, hash, t->all->len);
  return keep_text (t, text, n);
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
