/* core/devices/vgpu-mig.c - cards that are cut into instances (MIG).
 *
 * Policy: a card can be cut in one of the groups that the configuration knows for its type; a group lists kinds of instances with memory and
 * count. A card with a group in use serves from that group; else the first group that can serves. Within the group the smallest instance with enough
 * memory and a free slot is taken; in a group nobody uses yet any instance counts as free. A slot is named UUID[group-position], where the position
 * counts the slots of the kinds before it, then the first free one of the kind.
 *
 * Example: group2 = 3 x 2g.10gb (10240) + 1 x 1g.5gb (5120). 5000 MB get position 3; with it taken, 5000 MB get 2g.10gb at position 0.
 *
 * Within a session no slot is marked: only pods that carry an assignment do that (finding V3). A card keeps its group when the last pod leaves.
 *
 * Mirrors pkg/scheduler/api/devices/nvidia/vgpu/mig.go. */
#include "vgpu.h"
#include <string.h>

static void
usage_clear (gpointer p)
{
  g_array_unref (((VcMigUsage *) p)->taken);
}

static GArray *
usage_new (void)
{
  GArray *usage = g_array_new (FALSE, FALSE, sizeof (VcMigUsage));

  g_array_set_clear_func (usage, usage_clear);
  return usage;
}

GArray *
vc_mig_usage_copy (const GArray *from)
{
  if (from == NULL)
    return NULL;
  GArray *to = usage_new ();

  for (guint i = 0; i < from->len; i++) {
    VcMigUsage u = g_array_index (from, VcMigUsage, i);

    u.taken = g_array_copy (u.taken);
    g_array_append_val (to, u);
  }
  return to;
}

void
vc_mig_usage_free (GArray *usage)
{
  if (usage != NULL)
    g_array_unref (usage);
}

/* ---- the choice -------------------------------------------------------------------------------- */

static gint
position_of (const VcMigGroup *group, guint instance, const GArray *taken)
{
  gint at = 0;

  for (guint i = 0; i < instance; i++)
    at += (gint) group->instance[i].count;
  for (gint64 i = 0; i < group->instance[instance].count; i++) {
    gboolean used = FALSE;

    for (guint k = 0; taken != NULL && k < taken->len && !used; k++)
      used = g_array_index (taken, gint, k) == i;
    if (!used)
      return at + (gint) i;
  }
  return at;
}

static const GArray *
taken_of (const GArray *usage, const char *name, gboolean *found)
{
  *found = FALSE;
  for (guint i = 0; usage != NULL && i < usage->len; i++)
    if (strcmp (g_array_index (usage, VcMigUsage, i).name, name) == 0) {
      *found = TRUE;
      return g_array_index (usage, VcMigUsage, i).taken;
    }
  return NULL;
}

/* The instance to serve from, smallest memory first; of equal ones the first listed. */
static gboolean
pick_from_group (const VcMigGroup *group, const GArray *usage, guint64 memory, gint *position, guint64 *got)
{
  gboolean unused = usage == NULL || usage->len == 0;
  guint n = group->n_instances;
  g_autofree guint *order = g_new (guint, n + 1);

  for (guint i = 0; i < n; i++) {
    guint at = i;

    for (; at > 0 && group->instance[order[at - 1]].memory > group->instance[i].memory; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  for (guint k = 0; k < n; k++) {
    const VcMigInstance *one = &group->instance[order[k]];
    gboolean listed;
    const GArray *taken = taken_of (usage, one->name, &listed);

    if (one->memory < memory || (!unused && (!listed || one->count <= (gint64) taken->len)))
      continue; /* in a group in use, a kind that nobody has a slot of does not serve */
    *position = position_of (group, order[k], taken);
    *got = one->memory;
    return TRUE;
  }
  return FALSE;
}

gboolean
vc_mig_match (const VcVgpuCard *card, guint64 memory, gint *group, gint *position, guint64 *got)
{
  guint n = card->model != NULL ? card->model->n_groups : 0;

  for (guint i = 0; i < n; i++) {
    if (card->group >= 0 && card->group != (gint) i)
      continue;
    *group = (gint) i;
    if (pick_from_group (&card->model->group[i], card->group >= 0 ? card->usage : NULL, memory, position, got))
      return TRUE;
  }
  return FALSE;
}

/* ---- slots --------------------------------------------------------------------------------------- */

gboolean
vc_mig_parse (const char *id, gsize len, const char **group, gsize *group_len, gint64 *position)
{
  const char *open = memchr (id, '[', len), *close = memchr (id, ']', len);

  if (open == NULL || close == NULL || open > close)
    return FALSE;
  const char *dash = memchr (open + 1, '-', (gsize) (close - open - 1));
  if (dash == NULL || memchr (dash + 1, '-', (gsize) (close - dash - 1)) != NULL)
    return FALSE;
  *group = open + 1;
  *group_len = (gsize) (dash - open - 1);
  return vc_device_int (dash + 1, (gsize) (close - dash - 1), position);
}

/* Group by name; the kind of instance and the slot of it that stand at @position. FALSE: no such group, or no such slot. */
static gboolean
find_slot (const VcVgpuCard *card, const char *name, gsize len, gint64 position, guint *group, guint *instance, gint *slot)
{
  for (guint g = 0; card->model != NULL && g < card->model->n_groups; g++) {
    const VcMigGroup *one = &card->model->group[g];
    gint64 before = 0;

    if (strlen (one->name) != len || memcmp (one->name, name, len) != 0)
      continue;
    for (guint i = 0; i < one->n_instances; i++) {
      if (position < before + one->instance[i].count) {
        *group = g;
        *instance = i;
        *slot = (gint) (position - before);
        return TRUE;
      }
      before += one->instance[i].count;
    }
    return FALSE; /* a position beyond the group: upstream ends there; here it holds no slot */
  }
  return FALSE;
}

guint64
vc_mig_take (VcVgpuCard *card, const char *name, gsize len, gint64 position)
{
  guint group, instance, at = 0;
  gint slot;

  if (!find_slot (card, name, len, position, &group, &instance, &slot))
    return 0;
  const VcMigInstance *one = &card->model->group[group].instance[instance];
  card->group = (gint) group;
  if (card->usage == NULL)
    card->usage = usage_new ();
  for (guint i = 0; i < card->usage->len; i++) {
    VcMigUsage *u = &g_array_index (card->usage, VcMigUsage, i);

    if (strcmp (u->name, one->name) != 0)
      continue;
    while (at < u->taken->len && g_array_index (u->taken, gint, at) < slot)
      at++;
    if (at == u->taken->len || g_array_index (u->taken, gint, at) != slot)
      g_array_insert_val (u->taken, at, slot);
    return u->memory;
  }
  VcMigUsage u = { one->name, one->memory, g_array_new (FALSE, FALSE, sizeof (gint)) };
  g_array_append_val (u.taken, slot);
  g_array_append_val (card->usage, u);
  return one->memory;
}

guint64
vc_mig_give (VcVgpuCard *card, const char *name, gsize len, gint64 position)
{
  guint group, instance;
  gint slot;

  if (!find_slot (card, name, len, position, &group, &instance, &slot))
    return 0;
  const char *kind = card->model->group[group].instance[instance].name;
  card->group = (gint) group;
  for (guint i = 0; card->usage != NULL && i < card->usage->len; i++) {
    VcMigUsage *u = &g_array_index (card->usage, VcMigUsage, i);
    guint64 memory = u->memory;

    if (strcmp (u->name, kind) != 0)
      continue;
    for (guint k = 0; k < u->taken->len; k++)
      if (g_array_index (u->taken, gint, k) == slot) {
        g_array_remove_index (u->taken, k);
        break;
      }
    if (u->taken->len == 0)
      g_array_remove_index (card->usage, i);
    return memory;
  }
  return 0;
}
