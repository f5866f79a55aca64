/* core/base/arena.h - memory that is freed all at once.
 *
 * Object graphs of a reader, scratch of a cycle. Pointers stay valid until reset or free. */
#pragma once
#include <glib.h>
#include <string.h>
G_BEGIN_DECLS

typedef struct VcArena VcArena;
VcArena *vc_arena_new (void);
void vc_arena_free (VcArena *a);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcArena, vc_arena_free)
void vc_arena_reset (VcArena *a);              /* everything handed out so far is dead; memory is kept */
gpointer vc_arena_alloc (VcArena *a, gsize n); /* zeroed, aligned to 16 bytes */
char *vc_arena_strdup (VcArena *a, const char *s); /* NULL stays NULL */
char *vc_arena_strndup (VcArena *a, const char *s, gsize n);
gsize vc_arena_bytes (const VcArena *a);       /* reserved from the system */
#define vc_arena_new0(a, type, n) ((type *) vc_arena_alloc ((a), sizeof (type) * (gsize) (n)))

G_END_DECLS
