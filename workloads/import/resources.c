/* workloads/import/resources.c - amounts as resources of Kubernetes. See write.c for what becomes of GPUs. */
#include "resources.h"
#include "table-out.h"

static void
column_clear (gpointer data)
{
  g_free (((WlResourceColumn *) data)->name);
}

/* The amount of @name in "a=1;b=2", or NULL. (transfer full) */
static char *
more_of (const char *more, const char *name)
{
  gsize n = strlen (name);

  for (const char *p = more; p != NULL; p = strchr (p, ';') != NULL ? strchr (p, ';') + 1 : NULL)
    if (strncmp (p, name, n) == 0 && p[n] == '=')
      return g_strndup (p + n + 1, strcspn (p + n + 1, ";"));
  return NULL;
}

static void
note_more (GPtrArray *names, const char *more)
{
  g_auto (GStrv) part = more != NULL ? g_strsplit (more, ";", -1) : NULL;

  for (char **p = part; p != NULL && *p != NULL; p++) {
    char *equals = strchr (*p, '=');

    if (equals == NULL)
      continue;
    *equals = '\0';
    if (!g_ptr_array_find_with_equal_func (names, *p, g_str_equal, NULL))
      g_ptr_array_add (names, g_strdup (*p));
  }
}

int
wl_by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

void
wl_note_uses (WlUses *u, const WlImportAmounts *a)
{
  u->cpu |= a->cpu_milli > 0;
  u->memory |= a->memory > 0;
  u->gpus |= a->gpus > 0;
  note_more (u->more, a->more);
}

static void
add_column (GArray *columns, const char *name, WlResourceKind kind)
{
  WlResourceColumn c = { g_strdup (name), kind };

  g_array_append_val (columns, c);
}

/* The columns of what is used; ends @u. */
GArray *
wl_resource_columns (const WlImport *imp, WlUses *u, gboolean of_queue)
{
  GArray *columns = g_array_new (FALSE, FALSE, sizeof (WlResourceColumn));

  g_array_set_clear_func (columns, column_clear);
  if (u->cpu)
    add_column (columns, "cpu", WL_CPU);
  if (u->memory)
    add_column (columns, "memory", WL_MEMORY);
  if (u->gpus && imp->share == WL_GPU_WHOLE)
    add_column (columns, "nvidia.com/gpu", WL_GPU);
  if (u->gpus && imp->share == WL_GPU_POOLED)
    add_column (columns, "volsim.io/gpu-milli", WL_GPU);
  if (u->gpus && imp->share == WL_GPU_DEVICE) {
    add_column (columns, "volcano.sh/vgpu-number", WL_GPU);
    if (!of_queue) { /* a quota in cards */
      add_column (columns, "volcano.sh/vgpu-cores", WL_GPU_CORES);
      add_column (columns, "volcano.sh/vgpu-memory", WL_GPU_MEMORY);
    }
  }
  g_ptr_array_sort (u->more, wl_by_name);
  for (guint i = 0; i < u->more->len; i++)
    add_column (columns, u->more->pdata[i], WL_MORE);
  g_clear_pointer (&u->more, g_ptr_array_unref);
  return columns;
}

static gint64
gpu_amount (const WlImport *imp, const WlImportAmounts *a, WlResourceKind kind, WlOwner owner)
{
  gint64 cards = a->gpus, share = wl_import_share (a);

  if (imp->share == WL_GPU_POOLED)
    return cards * share;
  if (imp->share == WL_GPU_WHOLE || owner == WL_OF_QUEUE)
    return cards;
  if (kind == WL_GPU) /* each pod on a card counts one */
    return owner == WL_OF_NODE ? cards * WL_PODS_OF_CARD : cards;
  if (kind == WL_GPU_CORES)
    return owner == WL_OF_NODE ? cards * 100 : (share + 9) / 10;
  return owner == WL_OF_NODE ? cards * imp->card_memory : (share * imp->card_memory + 999) / 1000;
}

void
wl_put_amount (const WlImport *imp, GString *s, const WlImportAmounts *a, const WlResourceColumn *c, WlOwner owner)
{
  g_autofree char *more = NULL;

  switch (c->kind) {
  case WL_CPU:
    if (a->cpu_milli > 0)
      wl_put_cpu (s, a->cpu_milli);
    break;
  case WL_MEMORY:
    if (a->memory > 0)
      wl_put_bytes (s, a->memory);
    break;
  case WL_GPU:
  case WL_GPU_CORES:
  case WL_GPU_MEMORY:
    if (a->gpus > 0)
      wl_put_int (s, gpu_amount (imp, a, c->kind, owner));
    break;
  case WL_MORE:
    more = more_of (a->more, c->name);
    wl_put_cell (s, more);
    break;
  }
}
