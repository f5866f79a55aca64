/* workloads/import/pods.c - see pods.h. */
#include "pods.h"
#include "workloads/text/parse.h"
#include <string.h>

#define MOST_DURATIONS 20000
#define LONGEST_CELL 1000000 /* names grow shorter, not longer, when they are made valid, but for the eight digits of some */
#define LONGEST_ROLE 40 /* what is left of a pod's name for the job and the index */

typedef struct { WlTime duration; const char *node; guint32 count; } Run;
typedef struct {
  WlPod like;  /* what they ask for */
  GArray *run; /* Run */
  guint64 count;
  gboolean differ;
} Group;

struct WlPods {
  GArray *group;      /* Group */
  guint last;         /* the group of the pod before */
  GHashTable *by_key; /* text → 1 + group, once there are many */
  GArray *role;       /* WlImportRole */
  GPtrArray *names, *lists;
  GHashTable *taken;  /* names of roles */
  GString *nodes;
  guint64 count;
  gboolean placed;
};

static void
group_clear (gpointer data)
{
  g_array_unref (((Group *) data)->run);
}

WlPods *
wl_pods_new (void)
{
  WlPods *p = g_new0 (WlPods, 1);

  p->group = g_array_new (FALSE, FALSE, sizeof (Group));
  g_array_set_clear_func (p->group, group_clear);
  p->by_key = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  p->role = g_array_new (FALSE, FALSE, sizeof (WlImportRole));
  p->names = g_ptr_array_new_with_free_func (g_free);
  p->lists = g_ptr_array_new_with_free_func (g_free);
  p->taken = g_hash_table_new (g_str_hash, g_str_equal);
  p->nodes = g_string_new (NULL);
  return p;
}

void
wl_pods_free (WlPods *p)
{
  if (p == NULL)
    return;
  g_array_unref (p->group);
  g_hash_table_unref (p->by_key);
  g_array_unref (p->role);
  g_hash_table_unref (p->taken);
  g_ptr_array_unref (p->names);
  g_ptr_array_unref (p->lists);
  g_string_free (p->nodes, TRUE);
  g_free (p);
}

void
wl_pods_clear (WlPods *p)
{
  g_array_set_size (p->group, 0);
  g_hash_table_remove_all (p->by_key);
  p->last = 0;
  p->count = 0;
  p->placed = FALSE;
}

static gboolean
same (const char *a, const char *b)
{
  return g_strcmp0 (a, b) == 0;
}

static gboolean
alike (const WlPod *a, const WlPod *b)
{
  const WlImportAmounts *l = &a->request, *r = &b->request;

  return l->cpu_milli == r->cpu_milli && l->memory == r->memory && l->gpus == r->gpus && l->gpu_milli == r->gpu_milli && same (l->more, r->more) && same (a->role, b->role) &&
         same (a->selector, b->selector) && same (a->apart, b->apart) && same (a->spread, b->spread);
}

/* A text that only pods of one role have in common. (transfer full) */
static char *
key_of (const WlPod *pod)
{
  const WlImportAmounts *r = &pod->request;
  const char *const text[] = { pod->role, r->more, pod->selector, pod->apart, pod->spread };
  GString *s = g_string_new (NULL);

  g_string_printf (s, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %u %u", r->cpu_milli, r->memory, r->gpus, r->gpu_milli);
  for (guint i = 0; i < G_N_ELEMENTS (text); i++)
    g_string_append_printf (s, "\n%s", text[i] != NULL ? text[i] : "");
  return g_string_free (s, FALSE);
}

static Group *
group_of (WlPods *p, const WlPod *pod)
{
  g_autofree char *key = NULL;
  guint at;

  if (p->last < p->group->len && alike (&g_array_index (p->group, Group, p->last).like, pod))
    return &g_array_index (p->group, Group, p->last);
  key = key_of (pod);
  at = GPOINTER_TO_UINT (g_hash_table_lookup (p->by_key, key));
  if (at == 0) {
    Group fresh = { .like = *pod, .run = g_array_new (FALSE, FALSE, sizeof (Run)) };

    g_array_append_val (p->group, fresh);
    at = p->group->len;
    g_hash_table_insert (p->by_key, g_steal_pointer (&key), GUINT_TO_POINTER (at));
  }
  p->last = at - 1;
  return &g_array_index (p->group, Group, p->last);
}

void
wl_pods_add (WlPods *p, const WlPod *pod)
{
  Group *g = group_of (p, pod);
  const Run run = { pod->duration, pod->node, MAX (pod->count, 1) };
  Run *last = g->run->len > 0 ? &g_array_index (g->run, Run, g->run->len - 1) : NULL;

  g->differ = g->differ || (last != NULL && last->duration != run.duration);
  if (last != NULL && last->duration == run.duration && last->node == NULL && run.node == NULL)
    last->count += run.count;
  else
    g_array_append_val (g->run, run);
  g->count += run.count;
  p->count += run.count;
  p->placed = p->placed || (pod->node != NULL && *pod->node != '\0');
}

guint64
wl_pods_count (const WlPods *p)
{
  return p->count;
}

static const char *
role_name (WlPods *p, const char *wanted)
{
  g_autofree char *label = wl_import_label (wanted != NULL && *wanted != '\0' ? wanted : "task");

  if (strlen (label) > LONGEST_ROLE)
    label[LONGEST_ROLE] = '\0';
  for (gsize n = strlen (label); n > 0 && label[n - 1] == '-'; n--)
    label[n - 1] = '\0';
  for (guint i = 1;; i++) {
    char *name = i == 1 ? g_strdup (label) : g_strdup_printf ("%s-%u", label, i);

    g_ptr_array_add (p->names, name);
    if (g_hash_table_add (p->taken, name))
      return name;
  }
}

/* @n pods of @g from @first on (a run and a pod of it) as a role. */
static void
add_role (WlPods *p, const Group *g, guint32 n, guint *run, guint32 *used)
{
  WlImportRole role = { .name = role_name (p, g->like.role),
                        .replicas = n,
                        .request = g->like.request,
                        .duration = g_array_index (g->run, Run, *run).duration,
                        .node_selector = g->like.selector,
                        .apart_by = g->like.apart,
                        .spread = g->like.spread };
  WlTime *list = g->differ ? g_new (WlTime, n) : NULL;

  for (guint32 i = 0; i < n; i++) {
    const Run *r = &g_array_index (g->run, Run, *run);

    if (list != NULL)
      list[i] = r->duration;
    if (p->placed)
      g_string_append_printf (p->nodes, "%s%s", p->nodes->len > 0 || p->role->len + i > 0 ? "|" : "", r->node != NULL ? r->node : "");
    if (++*used == r->count) {
      *used = 0;
      ++*run;
    }
  }
  if (list != NULL)
    g_ptr_array_add (p->lists, list);
  role.durations = list;
  g_array_append_val (p->role, role);
}

const WlImportRole *
wl_pods_roles (WlPods *p, guint *n)
{
  g_array_set_size (p->role, 0);
  g_hash_table_remove_all (p->taken);
  g_ptr_array_set_size (p->names, 0);
  g_ptr_array_set_size (p->lists, 0);
  g_string_truncate (p->nodes, 0);
  for (guint i = 0; i < p->group->len; i++) {
    const Group *g = &g_array_index (p->group, Group, i);
    guint64 most = g->differ ? MOST_DURATIONS : WL_REPLICAS_MAX;
    guint run = 0;
    guint32 used = 0;

    for (guint64 left = g->count; left > 0;) {
      guint32 part = (guint32) MIN (left, most);

      add_role (p, g, part, &run, &used);
      left -= part;
    }
  }
  *n = p->role->len;
  return (const WlImportRole *) (const void *) p->role->data;
}

const char *
wl_pods_nodes (const WlPods *p, WlImport *imp)
{
  if (p->nodes->len <= LONGEST_CELL)
    return p->placed ? p->nodes->str : NULL;
  wl_import_note (imp, "recorded nodes of a job left out: more than fit a cell", 1);
  return NULL;
}
