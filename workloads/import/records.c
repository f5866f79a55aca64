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

static inline guint64
mix (guint64 h, guint64 word)
{
  h = (h ^ word) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
  return h ^ h >> 32;
}

/* 32 bits that depend on every bit. */
static inline guint64
hash_of (const void *bytes, gsize n)
{
  const guint8 *p = bytes;
  guint64 h = n * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15), word;

  for (; n >= sizeof word; n -= sizeof word, p += sizeof word) {
    memcpy (&word, p, sizeof word);
    h = mix (h, word);
  }
  if (n > 0) {
    word = 0;
    for (gsize i = 0; i < n; i++)
      word = word << 8 | p[i];
    h = mix (h, word);
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
#define BLOCK (64 * 1024)
#define N_RECENT 16

typedef struct { char *text; gsize used; } Block; /* texts one behind the other, each with its NUL */

struct WlTexts {
  GArray *blocks;   /* Block */
  gsize room;       /* of the last one */
  guint32 n;
  const char *last; /* while they rise: the last one, */
  gsize last_len;   /* and its length */
  GPtrArray *all;   /* by number; NULL while they rise */
  Slots slots;      /* none while they rise */
  gboolean sealed;
  const char *recent[N_RECENT]; /* of wl_texts_add(), which mostly gets one of a few */
};

static void
block_clear (gpointer data)
{
  g_free (((Block *) data)->text);
}

WlTexts *
wl_texts_new (void)
{
  WlTexts *t = g_new0 (WlTexts, 1);

  t->blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  g_array_set_clear_func (t->blocks, block_clear);
  return t;
}

void
wl_texts_free (WlTexts *t)
{
  if (t == NULL)
    return;
  g_array_unref (t->blocks);
  g_clear_pointer (&t->all, g_ptr_array_unref);
  g_free (t->slots.slot);
  g_free (t);
}

/* The table of all texts that there are. */
static void
stop_rising (WlTexts *t)
{
  t->all = g_ptr_array_sized_new (2 * t->n);
  slots_init (&t->slots);
  for (guint b = 0; b < t->blocks->len; b++) {
    const Block *block = &g_array_index (t->blocks, Block, b);
    gsize n;

    for (gsize at = 0; at < block->used; at += n + 1) {
      n = strlen (block->text + at);
      slots_add (&t->slots, hash_of (block->text + at, n), t->all->len);
      g_ptr_array_add (t->all, block->text + at);
    }
  }
}

static const char *
keep_text (WlTexts *t, const char *text, gsize n)
{
  if (t->room < n + 1) {
    t->room = MAX (n + 1, BLOCK);
    const Block fresh = { g_malloc (t->room), 0 };

    g_array_append_val (t->blocks, fresh);
  }
  Block *block = &g_array_index (t->blocks, Block, t->blocks->len - 1);
  char *kept = block->text + block->used;

  memcpy (kept, text, n + 1);
  block->used += n + 1;
  t->room -= n + 1;
  t->n++;
  t->last = kept;
  t->last_len = n;
  if (t->all != NULL)
    g_ptr_array_add (t->all, kept);
  return kept;
}

/* The kept copy; *fresh tells whether it was made now. */
static const char *
add_text (WlTexts *t, const char *text, gboolean *fresh)
{
  gsize n = strlen (text);
  guint64 hash;
  guint32 at, id;

  g_assert (!t->sealed);
  *fresh = TRUE;
  if (t->all == NULL) {
    if (t->n == 0 || n > t->last_len || (n == t->last_len && memcmp (text, t->last, n) > 0))
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
  slots_add (&t->slots, hash, t->n);
  return keep_text (t, text, n);
}

const char *
wl_texts_add (WlTexts *t, const char *text)
{
  gboolean fresh;
  const char **recent;

  if (text == NULL || *text == '\0')
    return NULL;
  recent = &t->recent[((guint8) text[0] ^ (guint8) text[1]) % N_RECENT];
  if (*recent == NULL || !wl_same_text (*recent, text))
    *recent = add_text (t, text, &fresh);
  return *recent;
}

const char *
wl_texts_add_new (WlTexts *t, const char *text)
{
  gboolean fresh;
  const char *kept = add_text (t, text, &fresh);

  return fresh ? kept : NULL;
}

void
wl_texts_seal (WlTexts *t)
{
  t->sealed = TRUE;
  g_clear_pointer (&t->all, g_ptr_array_unref);
  g_clear_pointer (&t->slots.slot, g_free);
}
