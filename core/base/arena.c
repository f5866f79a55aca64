#include "arena.h"

#define CHUNK (64u * 1024u)

typedef struct Chunk Chunk;
struct Chunk {
  Chunk *next;
  gsize size, used; /* of `data` */
  char *data;
};
struct VcArena {
  Chunk *first, *now;
  gsize bytes;
};

VcArena *
vc_arena_new (void)
{
  return g_new0 (VcArena, 1);
}

void
vc_arena_free (VcArena *a)
{
  if (a == NULL)
    return;
  for (Chunk *c = a->first, *next; c != NULL; c = next) {
    next = c->next;
    g_free (c->data);
    g_free (c);
  }
  g_free (a);
}

void
vc_arena_reset (VcArena *a)
{
  for (Chunk *c = a->first; c != NULL; c = c->next)
    c->used = 0;
  a->now = a->first;
}

gpointer
vc_arena_alloc (VcArena *a, gsize n)
{
  n = (n + 15u) & ~(gsize) 15u;
  Chunk *c = a->now;

  while (c != NULL && c->size - c->used < n && c->next != NULL)
    c = c->next;
  if (c == NULL || c->size - c->used < n) {
    Chunk *fresh = g_new0 (Chunk, 1);
    fresh->size = MAX (n, CHUNK);
    fresh->data = g_malloc (fresh->size);
    a->bytes += fresh->size;
    if (c == NULL)
      a->first = fresh;
    else
      c->next = fresh;
    c = fresh;
  }
  a->now = c;
  gpointer p = c->data + c->used;
  c->used += n;
  memset (p, 0, n);
  return p;
}

char *
vc_arena_strndup (VcArena *a, const char *s, gsize n)
{
  char *p = vc_arena_alloc (a, n + 1);
  memcpy (p, s, n);
  return p;
}

char *
vc_arena_strdup (VcArena *a, const char *s)
{
  return s != NULL ? vc_arena_strndup (a, s, strlen (s)) : NULL;
}

gsize
vc_arena_bytes (const VcArena *a)
{
  return a->bytes;
}
