/* workloads/import/packed.c - see packed.h. Rows come in groups; the first of a group stands for itself, so that a group can be read without those before it.
 *
 * A row begins with two bits for each column: how many bytes its difference from what was expected has, 0, 1, 3 or 8. These follow one another, the sign in the lowest bit. No
 * branch of the reader depends on the numbers but for the last column that differs: others would cost more than all the rest. */
#include "packed.h"
#include <string.h>

#define BLOCK (64 * 1024)
#define PART_BLOCK (16 * 1024)
#define PART_BITS 12 /* so many rows at full length stay in the cache of the processor */
#define PART (1U << PART_BITS)
#define MOST_BYTES (sizeof (guint32) + 8 * WL_PACKED_COLUMNS)

typedef struct {
  gint64 value[WL_PACKED_COLUMNS];
  guint64 step[WL_PACKED_COLUMNS]; /* by how much steady columns had grown; unsigned: whatever overflows comes back */
} Row;

struct WlPacked {
  guint n_columns, n_steady;
  gsize block;                /* bytes of each */
  guint32 len;
  GPtrArray *blocks, *groups; /* groups: where each begins */
  guint8 *to, *end;           /* room of the last block */
  Row last;
  Row at;                     /* the row that was read last: next - 1 */
  guint32 next;               /* 0: none was read yet */
  const guint8 *from;
};

static const guint8 bytes_of[] = { 0, 1, 3, 8 };
static const guint64 mask_of[] = { 0, 0xff, 0xffffff, G_MAXUINT64 };

WlPacked *
wl_packed_new (guint n_columns, guint n_steady)
{
  WlPacked *p = g_new0 (WlPacked, 1);

  g_assert (n_columns > 0 && n_columns <= WL_PACKED_COLUMNS && n_steady <= n_columns);
  p->n_columns = n_columns;
  p->n_steady = n_steady;
  p->block = BLOCK;
  p->blocks = g_ptr_array_new_with_free_func (g_free);
  p->groups = g_ptr_array_new ();
  return p;
}

void
wl_packed_free (WlPacked *p)
{
  if (p == NULL)
    return;
  g_ptr_array_unref (p->blocks);
  g_ptr_array_unref (p->groups);
  g_free (p);
}

guint32
wl_packed_len (const WlPacked *p)
{
  return p->len;
}

static void
begin_group (WlPacked *p)
{
  if (p->end - p->to < (gssize) (WL_PACKED_GROUP * MOST_BYTES + sizeof (guint64))) { /* eight bytes are read and written where fewer count */
    p->to = g_malloc (p->block);
    p->end = p->to + p->block;
    g_ptr_array_add (p->blocks, p->to);
  }
  g_ptr_array_add (p->groups, p->to);
  p->last = (Row){ 0 };
}

void
wl_packed_add (WlPacked *p, const gint64 *row)
{
  guint32 kinds = 0;

  if (p->len % WL_PACKED_GROUP == 0)
    begin_group (p);
  guint8 *to = p->to + sizeof kinds;

  for (guint c = 0; c < p->n_columns; c++) {
    guint64 grown = (guint64) row[c] - (guint64) p->last.value[c];

    if (grown == p->last.step[c]) {
      p->last.value[c] = row[c];
      continue;
    }
    guint64 off = grown - p->last.step[c], sign = (guint64) ((gint64) off >> 63), bits = GUINT64_TO_LE (off << 1 ^ sign);
    guint32 kind = (bits > mask_of[0]) + (bits > mask_of[1]) + (bits > mask_of[2]);

    p->last.value[c] = row[c];
    if (c < p->n_steady)
      p->last.step[c] = grown;
    memcpy (to, &bits, sizeof bits);
    to += bytes_of[kind];
    kinds |= kind << 2 * c;
  }
  memcpy (p->to, &kinds, sizeof kinds);
  p->to = to;
  p->len++;
}

static inline guint64
take (const guint8 **from, guint kind)
{
  guint64 bits;

  memcpy (&bits, *from, sizeof bits);
  bits = GUINT64_FROM_LE (bits) & mask_of[kind];
  *from += bytes_of[kind];
  return bits >> 1 ^ -(bits & 1);
}

static void
read_next (WlPacked *p)
{
  guint32 kinds;
  const guint8 *from;

  if (p->next % WL_PACKED_GROUP == 0) {
    p->from = p->groups->pdata[p->next / WL_PACKED_GROUP];
    p->at = (Row){ 0 };
  }
  memcpy (&kinds, p->from, sizeof kinds);
  from = p->from + sizeof kinds;
  for (guint c = 0; c < p->n_steady; c++, kinds >>= 2) {
    p->at.step[c] += take (&from, kinds & 3);
    p->at.value[c] = (gint64) ((guint64) p->at.value[c] + p->at.step[c]);
  }
  for (guint c = p->n_steady; kinds != 0; c++, kinds >>= 2)
    p->at.value[c] = (gint64) ((guint64) p->at.value[c] + take (&from, kinds & 3));
  p->from = from;
  p->next++;
}

const gint64 *
wl_packed_get (WlPacked *p, guint32 number)
{
  g_assert (number < p->len);
  /* Reading on is possible within the group, and from the end of one to the beginning of the next; the row at hand is there still. */
  if (number + 1 != p->next && (number + 1 < p->next || number / WL_PACKED_GROUP != p->next / WL_PACKED_GROUP))
    p->next = number - number % WL_PACKED_GROUP;
  while (p->next <= number)
    read_next (p);
  return p->at.value;
}

/* ---- another order ------------------------------------------------------------------------------------ */

/* Row p->next, which is read for the last time: *block, where the reading is, goes once it is behind. */
static const gint64 *
consume (WlPacked *p, guint *block)
{
  if (p->next % WL_PACKED_GROUP == 0) {
    const guint8 *group = p->groups->pdata[p->next / WL_PACKED_GROUP], *at = p->blocks->pdata[*block];

    if (group < at || group >= at + p->block) {
      g_clear_pointer (&p->blocks->pdata[*block], g_free);
      *block += 1;
    }
  }
  read_next (p);
  return p->at.value;
}

/* Reading rows here and there would read half of a group for each of them. So they are dealt out first, to parts of the new order, each of which is then put into order at full length. */
WlPacked *
wl_packed_rearranged (WlPacked *p, const guint32 *place, WlPackedEdit edit, gpointer data)
{
  const guint32 n = p->len, n_parts = (n + PART - 1) / PART;
  WlPacked *out = wl_packed_new (p->n_columns, p->n_steady);
  g_autofree WlPacked **part = g_new (WlPacked *, n_parts + 1);
  g_autofree guint16 *within = g_new (guint16, n + 1); /* places in their part, of the rows of one part after those of the other */
  g_autofree gint64 *rows = g_new0 (gint64, (gsize) PART * p->n_columns);
  guint block = 0;

  for (guint32 k = 0; k < n_parts; k++) {
    part[k] = wl_packed_new (p->n_columns, p->n_steady);
    part[k]->block = PART_BLOCK;
  }
  p->next = 0;
  for (guint32 i = 0; i < n; i++) {
    const guint32 k = place[i] >> PART_BITS;

    g_assert (place[i] < n && part[k]->len < PART);
    within[((gsize) k << PART_BITS) + part[k]->len] = (guint16) (place[i] % PART);
    wl_packed_add (part[k], consume (p, &block));
  }
  wl_packed_free (p);
  for (guint32 k = 0; k < n_parts; k++) {
    const guint32 first = k << PART_BITS, len = part[k]->len;

    block = 0;
    for (guint32 i = 0; i < len; i++)
      memcpy (rows + (gsize) within[first + i] * out->n_columns, consume (part[k], &block), out->n_columns * sizeof *rows);
    wl_packed_free (part[k]);
    for (guint32 i = 0; i < len; i++) {
      gint64 *row = rows + (gsize) i * out->n_columns;

      if (edit != NULL)
        edit (row, first + i, data);
      wl_packed_add (out, row);
    }
  }
  return out;
}
