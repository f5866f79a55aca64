/* See fragments.h. */
#include "fragments.h"
#include "core/conf/conf.h"
#include <string.h>

typedef struct {
  gint64 cpu, part;
  guint cards;
  const char *models;    /* with | between, "": any; of a kind in the list */
  const VcShape *shape;  /* else of the pods whose kind it is: its affinity to nodes counts */
  double share;          /* how many, then which part of all */
} Kind;

/* Which kinds may use the cards of a node, by its labels. */
typedef struct { guint32 version; guint8 *may; } Access;

struct VcFragments {
  GArray *kind;  /* Kind, the most frequent first */
  GStringChunk *text;
  char *label;
  gint64 popularity;
  gboolean listed;
  GArray *count; /* guint32, by shape: the pods whose kinds these are; NULL: none */
  GArray *access; /* Access, by node row */
};

static void
access_clear (gpointer data)
{
  g_free (((Access *) data)->may);
}

void
vc_fragments_free (VcFragments *f)
{
  if (f == NULL)
    return;
  g_array_unref (f->kind);
  g_array_unref (f->access);
  g_clear_pointer (&f->count, g_array_unref);
  g_string_chunk_free (f->text);
  g_free (f->label);
  g_free (f);
}

/* Descending by number; of equally many in descending order of what they ask for. */
static int
by_number (gconstpointer a, gconstpointer b)
{
  const Kind *l = a, *r = b;

#define DESCENDING(field) \
  if (l->field != r->field) \
    return l->field > r->field ? -1 : 1
  DESCENDING (share);
  DESCENDING (cpu);
  DESCENDING (part);
  DESCENDING (cards);
#undef DESCENDING
  return l->models != NULL && r->models != NULL ? strcmp (r->models, l->models) : 0;
}

/* The most frequent kinds, with shares that add up to 1. */
static void
keep_usual (VcFragments *f)
{
  double total = 0, kept = 0;
  guint n = 0;

  g_array_sort (f->kind, by_number);
  for (guint i = 0; i < f->kind->len; i++)
    total += g_array_index (f->kind, Kind, i).share;
  while (n < f->kind->len && kept < (double) f->popularity * total / 100)
    kept += g_array_index (f->kind, Kind, n++).share;
  g_array_set_size (f->kind, n);
  for (guint i = 0; i < n; i++) {
    Kind *k = &g_array_index (f->kind, Kind, i);

    k->share = k->share / total / (kept / total);
  }
}

static gboolean
read_kind (VcFragments *f, const char *text)
{
  g_auto (GStrv) part = g_strsplit_set (text, " ", -1);
  guint64 cpu, cards, of_card, count;

  if (g_strv_length (part) != 5 || !g_ascii_string_to_unsigned (part[0], 10, 0, G_MAXINT32, &cpu, NULL)
      || !g_ascii_string_to_unsigned (part[1], 10, 0, 1000, &cards, NULL) || !g_ascii_string_to_unsigned (part[2], 10, 0, VC_CARD, &of_card, NULL)
      || *part[3] == '\0' || !g_ascii_string_to_unsigned (part[4], 10, 1, G_MAXINT32, &count, NULL) || (cards == 0) != (of_card == 0))
    return FALSE;
  const Kind k = { .cpu = (gint64) cpu,
                   .part = (gint64) of_card,
                   .cards = (guint) cards,
                   .models = g_string_chunk_insert (f->text, strcmp (part[3], "-") == 0 ? "" : part[3]),
                   .share = (double) count };

  g_array_append_val (f->kind, k);
  return TRUE;
}

VcFragments *
vc_fragments_new (const char *prefix, const VcArg *list, gint64 popularity, const char *label, GError **error)
{
  g_autoptr (VcFragments) f = g_new0 (VcFragments, 1);

  f->kind = g_array_new (FALSE, TRUE, sizeof (Kind));
  f->access = g_array_new (FALSE, TRUE, sizeof (Access));
  g_array_set_clear_func (f->access, access_clear);
  f->text = g_string_chunk_new (1024);
  f->label = g_strdup (label);
  f->popularity = popularity;
  if (popularity < 1 || popularity > 100) {
    g_set_error (error, VC_CONF_ERROR, VC_CONF_ERROR_TYPE, "%s.popularity, expected percent from 1 to 100, found %" G_GINT64_FORMAT, prefix, popularity);
    return NULL;
  }
  if (list == NULL || list->type == VC_VALUE_NULL)
    return g_steal_pointer (&f);
  for (guint i = 0; list->child != NULL && i < list->child->n; i++) {
    const VcArg *item = &list->child->arg[i];

    if (item->s == NULL || !read_kind (f, item->s)) {
      g_set_error (error, VC_CONF_ERROR, VC_CONF_ERROR_TYPE, "%s.pods, line %u: expected 'CPU CARDS PART MODELS COUNT' as in '12000 1 500 - 20', found '%s'", prefix,
                   item->line, item->s != NULL ? item->s : "a list or a map");
      return NULL;
    }
  }
  if (f->kind->len == 0) {
    g_set_error (error, VC_CONF_ERROR, VC_CONF_ERROR_TYPE, "%s.pods, line %u: expected a list of kinds of pods, found none", prefix, list->line);
    return NULL;
  }
  keep_usual (f);
  f->listed = TRUE;
  return g_steal_pointer (&f);
}

/* @many more pods of the shape. */
static void
add_pods (VcFragments *f, const VcCardPod *pod, const VcShape *shape, guint32 many)
{
  const VcShape *restricted = pod->cards > 0 && shape->needs_node_affinity ? shape : NULL;

  for (guint i = 0; i < f->kind->len; i++) {
    Kind *k = &g_array_index (f->kind, Kind, i);

    if (k->cpu == pod->cpu && k->cards == pod->cards && k->part == pod->part && k->shape == restricted) {
      k->share += many;
      return;
    }
  }
  const Kind k = { .cpu = pod->cpu, .part = pod->cards > 0 ? pod->part : 0, .cards = pod->cards, .shape = restricted, .share = many };

  g_array_append_val (f->kind, k);
}

/* How many pods the session has of each shape. (transfer full) */
static GArray *
count_shapes (VcSession *ssn)
{
  const VcCluster *c = vc_session_cluster (ssn);
  GArray *count = g_array_new (FALSE, TRUE, sizeof (guint32));
  guint n;
  const guint32 *jobs = vc_session_jobs (ssn, &n);

  g_array_set_size (count, vc_shape_table_count (c->shapes));
  for (guint i = 0; i < n; i++)
    for (guint32 t = 0; t < c->job[jobs[i]].n_tasks; t++)
      g_array_index (count, guint32, c->task[c->job[jobs[i]].task[t]].shape->id)++;
  return count;
}

void
vc_fragments_learn (VcFragments *f, VcCardView *view)
{
  const VcCluster *c = vc_session_cluster (view->ssn);

  if (f->listed)
    return;
  g_autoptr (GArray) count = count_shapes (view->ssn);
  if (f->count != NULL && f->count->len == count->len && memcmp (f->count->data, count->data, count->len * sizeof (guint32)) == 0)
    return;
  for (guint32 i = 0; i < c->nodes.n_list; i++)
    if (vc_card_view_node (view, c->nodes.list[i]).n > 0)
      break; /* how large a card is */
  g_array_set_size (f->kind, 0);
  g_array_set_size (f->access, 0);
  for (guint i = 0; i < count->len; i++) {
    const VcShape *shape = vc_shape_get (c->shapes, i);
    guint32 many = g_array_index (count, guint32, i);
    VcCardPod pod = vc_card_view_pod (view, shape);

    if (many > 0)
      add_pods (f, &pod, shape, many);
  }
  keep_usual (f);
  g_clear_pointer (&f->count, g_array_unref);
  f->count = g_steal_pointer (&count);
}

gboolean
vc_fragments_listed (const VcFragments *f)
{
  return f->listed;
}

/* ---- one node --------------------------------------------------------------------------------------- */

static gboolean
names_model (const char *models, const char *model)
{
  gsize n = strlen (model);

  if (*models == '\0')
    return TRUE;
  for (const char *p = models; n > 0 && p != NULL; p = strchr (p, '|') != NULL ? strchr (p, '|') + 1 : NULL)
    if (strncmp (p, model, n) == 0 && (p[n] == '|' || p[n] == '\0'))
      return TRUE;
  return FALSE;
}

static const guint8 *
access_of (VcFragments *f, const VcCluster *c, guint32 where)
{
  const VcNode *info = &c->nodes.info[where];

  if (f->access->len <= where)
    g_array_set_size (f->access, where + 1);
  Access *a = &g_array_index (f->access, Access, where);
  if (a->may != NULL && a->version == info->static_version)
    return a->may;
  const char *model = vc_pairs_get (&info->facts.labels, f->label);

  a->version = info->static_version;
  a->may = g_renew (guint8, a->may, MAX (f->kind->len, 1));
  for (guint i = 0; i < f->kind->len; i++) {
    const Kind *k = &g_array_index (f->kind, Kind, i);

    gboolean may = k->shape != NULL ? vc_node_affinity_matches (k->shape, &info->facts) : k->models == NULL || names_model (k->models, model != NULL ? model : "");
    a->may[i] = may ? 1 : 0;
  }
  return a->may;
}

double
vc_fragments_of (VcFragments *f, VcCluster *c, guint32 where, const VcCardNode *node)
{
  enum { LACKS_BOTH, LACKS_CARDS, LACKS_CPU, NO_CARDS_AND_CPU, NO_CARDS_LACKS_CPU, NO_ACCESS, N };
  const guint8 *may = access_of (f, c, where);
  double amount[N] = { 0 }, sum = 0;
  double total = (double) vc_card_node_sum (node);

  for (guint i = 0; i < f->kind->len; i++) {
    const Kind *k = &g_array_index (f->kind, Kind, i);
    gboolean cpu = node->cpu >= k->cpu;
    guint fit = 0;
    gint64 small = 0;

    for (guint d = 0; d < node->n; d++)
      if (node->left[d] >= k->part)
        fit++;
      else
        small += node->left[d];
    if (k->part == 0)
      amount[cpu ? NO_CARDS_AND_CPU : NO_CARDS_LACKS_CPU] += k->share * total;
    else if (!may[i])
      amount[NO_ACCESS] += k->share * total;
    else if (fit < k->cards)
      amount[cpu ? LACKS_CARDS : LACKS_BOTH] += k->share * total;
    else
      amount[cpu ? LACKS_CARDS : LACKS_CPU] += k->share * (cpu ? (double) small : total);
  }
  for (guint i = 0; i < N; i++) /* in this order: sums of reasons, then their sum */
    sum += amount[i];
  return sum;
}
