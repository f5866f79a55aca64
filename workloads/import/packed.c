/* workloads/import/packed.c - see packed.h. Rows come in groups; the first of a group stands for itself, so that a group can be read without those before it.
 *
 * A row begins with two bits for each column: as expected, a difference, or a difference in millions (times are microseconds and mostly whole seconds). The differences follow, least
 * significant seven bits first, the sign in the lowest bit. */
#include "packed.h"
#include <string.h>

#define BLOCK (64 * 1024)
#define MOST_BYTES (2 + WL_PACKED_COLUMNS * 10) /* of a row: 64 bits are ten times seven */
#define MILLION 1000000

enum { EXPECTED, DIFFERENT, MILLIONS };

typedef struct { guint64 value[WL_PACKED_COLUMNS], step[WL_PACKED_COLUMNS]; } Row; /* and by how much each column had grown; unsigned: whatever overflows comes back */

struct WlPacked {
  guint n_columns;
  guint32 steady, len;
  GPtrArray *blocks, *groups; /* groups: where each begins */
  guint8 *to, *end;           /* room of the last block */
  Row last;
  Row at;                     /* the row that was read last: next - 1 */
  guint32 next;               /* 0: none was read yet */
  const guint8 *from;
};

WlPacked *
wl_packed_new (guint n_columns, guint32 steady)
{
  WlPacked *p = g_new0 (WlPacked, 1);

  g_assert (n_columns > 0 && n_columns <= WL_PACKED_COLUMNS);
  p->n_columns = n_columns;
  p->steady = steady;
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
  if (p->end - p->to < WL_PACKED_GROUP * MOST_BYTES) {
    p->to = g_malloc (BLOCK);
    p->end = p->to + BLOCK;
    g_ptr_array_add (p->blocks, p->to);
  }
  g_ptr_array_add (p->groups, p->to);
  p->last = (Row){ 0 };
}

static inline guint8 *
put (guint8 *to, gint64 v)
{
  guint64 left = (guint64) v << 1 ^ (guint64) (v >> 63);

  for (; left >= 0x80; left >>= 7)
    *to++ = (guint8) (left | 0x80);
  *to++ = (guint8) left;
  return to;
}

static inline gint64
take (const guint8 **from)
{
  const guint8 *p = *from;
  guint64 v = *p & 0x7f;

  for (guint bits = 7; *p++ >= 0x80; bits += 7)
    v |= (guint64) (*p & 0x7f) << bits;
  *from = p;
  return (gint64) (v >> 1 ^ -(v & 1));
}

void
wl_packed_add (WlPacked *p, const gint64 *row)
{
  guint16 kinds = 0;

  if (p->len % WL_PACKED_GROUP == 0)
    begin_group (p);
  guint8 *to = p->to + sizeof kinds;

  for (guint c = 0; c < p->n_columns; c++) {
    guint64 grown = (guint64) row[c] - p->last.value[c];
    gint64 off = (gint64) (grown - p->last.step[c]);

    p->last.value[c] = (guint64) row[c];
    p->last.step[c] = (p->steady >> c & 1) != 0 ? grown : 0;
    if (off == 0)
      continue;
    gboolean whole = (off >= MILLION || off <= -MILLION) && off % MILLION == 0;

    kinds |= (guint16) ((whole ? MILLIONS : DIFFERENT) << 2 * c);
    to = put (to, whole ? off / MILLION : off);
  }
  memcpy (p->to, &kinds, sizeof kinds);
  p->to = to;
  p->len++;
}

static void
read_next (WlPacked *p)
{
  guint16 kinds;
  const guint8 *from;

  if (p->next % WL_PACKED_GROUP == 0) {
    p->from = p->groups->pdata[p->next / WL_PACKED_GROUP];
    p->at = (Row){ 0 };
  }
  memcpy (&kinds, p->from, sizeof kinds);
  from = p->from + sizeof kinds;
  for (guint c = 0; c < p->n_columns; c++) {
    guint64 grown = p->at.step[c];
    guint kind = kinds >> 2 * c & 3;

    if (kind != EXPECTED)
      grown += (guint64) take (&from) * (kind == MILLIONS ? MILLION : 1);
    p->at.value[c] += grown;
    p->at.step[c] = (p->steady >> c & 1) != 0 ? grown : 0;
  }
  p->from = from;
  p->next++;
}

void
wl_packed_get (WlPacked *p, guint32 number, gint64 *row)
{
  g_assert (number < p->len);
  if (number + 1 < p->next || number / WL_PACKED_GROUP != p->next / WL_PACKED_GROUP)
    if (number + 1 != p->next) /* the last one of a group, once more */
      p->next = number - number % WL_PACKED_GROUP;
  while (p->next <= number)
    read_next (p);
  memcpy (row, p->at.value, p->n_columns * sizeof *row);
}
