/* workloads/admission/queue-admission.c - mirrors pkg/webhooks/admission/queues: defaults, and what is refused of queues that are made, changed or
 * deleted. */
#include "admission.h"
#include "findings.h"
#include <string.h>

#define MAX_DEPTH 5
#define HIERARCHY "volcano.sh/hierarchy"
#define WEIGHTS "volcano.sh/hierarchy-weights"
#define LEAST 0.1 /* below it an amount counts as none */

/* ---- amounts -------------------------------------------------------------------------------- */

static const VcQuantity *
find (const VcAmounts *list, const char *name)
{
  for (guint i = 0; i < list->n; i++)
    if (strcmp (list->item[i].name, name) == 0)
      return &list->item[i].q;
  return NULL;
}

static int
compare (VcQuantity a, VcQuantity b)
{
  gboolean less = a.value != b.value ? a.value < b.value : a.milli < b.milli;

  return less ? -1 : a.value != b.value || a.milli != b.milli;
}

/* The shortest text: the greatest suffix that leaves a whole number. */
static char *
show_units (gint64 value, gint64 step, const char *const *suffix, guint n)
{
  guint i = 0;

  while (value != 0 && i + 1 < n && value % step == 0) {
    value /= step;
    i++;
  }
  return g_strdup_printf ("%" G_GINT64_FORMAT "%s", value, suffix[i]);
}

/* Bytes in powers of 1024, anything else in powers of 1000, as Kubernetes writes them. */
static char *
show (const char *name, VcQuantity q)
{
  static const char *const binary[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" }, *const decimal[] = { "m", "", "k", "M", "G", "T", "P", "E" };
  gboolean bytes = strcmp (name, "memory") == 0 || strcmp (name, "ephemeral-storage") == 0 || g_str_has_prefix (name, "hugepages-");

  if (bytes && q.value >= 1024 && q.value % 1024 == 0)
    return show_units (q.value, 1024, binary, G_N_ELEMENTS (binary));
  if (q.milli == 0 || q.value > G_MAXINT64 / 1000)
    return show_units (q.value, 1000, decimal + 1, G_N_ELEMENTS (decimal) - 1);
  return show_units (q.milli, 1000, decimal, G_N_ELEMENTS (decimal));
}

/* As the scheduler's Resource counts: thousandths, but for memory and pods. */
static double
engine_amount (const char *name, VcQuantity q)
{
  return strcmp (name, "memory") == 0 || strcmp (name, "pods") == 0 ? (double) q.value : (double) q.milli;
}

static double
amount_of (const VcAmounts *list, const char *name)
{
  const VcQuantity *q = find (list, name);

  return q != NULL ? engine_amount (name, *q) : 0;
}

static char *
show_engine_amount (const char *name, double v)
{
  if (strcmp (name, "cpu") == 0)
    return show (name, (VcQuantity){ (gint64) v / 1000, (gint64) v });
  if (strcmp (name, "memory") == 0)
    return show (name, (VcQuantity){ (gint64) v, (gint64) v * 1000 });
  return g_strdup_printf ("%.2f", v);
}

/* A sum of lists, with the names that any of them has. */
typedef struct { GPtrArray *name; GArray *value; } Sum;

static void
sum_init (Sum *s)
{
  s->name = g_ptr_array_new ();
  s->value = g_array_new (FALSE, FALSE, sizeof (double));
}

static void
sum_clear (Sum *s)
{
  g_ptr_array_unref (s->name);
  g_array_unref (s->value);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sum, sum_clear)

static void
sum_add (Sum *s, const VcAmounts *list)
{
  for (guint i = 0; i < list->n; i++) {
    const char *name = list->item[i].name;
    double v = engine_amount (name, list->item[i].q);
    guint k = 0;

    while (k < s->name->len && strcmp (s->name->pdata[k], name) < 0)
      k++;
    if (k == s->name->len || strcmp (s->name->pdata[k], name) != 0) {
      double none = 0;

      g_ptr_array_insert (s->name, (gint) k, (gpointer) name);
      g_array_insert_val (s->value, k, none);
    }
    g_array_index (s->value, double, k) += v;
  }
}

/* Does the sum go beyond the limit in any resource? One of which the limit says nothing does. */
static gboolean
exceeds (const Sum *s, const VcAmounts *limit)
{
  for (guint i = 0; i < s->name->len; i++) {
    const char *name = s->name->pdata[i];
    gboolean basic = strcmp (name, "cpu") == 0 || strcmp (name, "memory") == 0;

    if ((!basic && find (limit, name) == NULL) || g_array_index (s->value, double, i) > amount_of (limit, name))
      return TRUE;
  }
  return FALSE;
}

static char *
show_sum (const Sum *s)
{
  GString *out = g_string_new (NULL);
  double cpu = 0, memory = 0;

  for (guint i = 0; i < s->name->len; i++) {
    double v = g_array_index (s->value, double, i);

    if (strcmp (s->name->pdata[i], "cpu") == 0)
      cpu = v;
    else if (strcmp (s->name->pdata[i], "memory") == 0)
      memory = v;
    else
      g_string_append_printf (out, ", %s %.2f", (const char *) s->name->pdata[i], v);
  }
  g_autofree char *head = g_strdup_printf ("cpu %.2f, memory %.2f", cpu, memory);
  g_string_prepend (out, head);
  return g_string_free (out, FALSE);
}

static char *
show_amounts (const VcAmounts *list)
{
  g_auto (Sum) s;

  sum_init (&s);
  sum_add (&s, list);
  return show_sum (&s);
}

/* ---- the queue itself ----------------------------------------------------------------------- */

static gboolean
is_whole (const char *name, VcQuantity q)
{
  gboolean counted = strcmp (name, "pods") == 0 || (strchr (name, '/') != NULL && strstr (name, "kubernetes.io/") == NULL);

  return !counted || q.milli % 1000 == 0;
}

static void
judge_amounts (const VcAmounts *list, const char *field, GPtrArray *out)
{
  for (guint i = 0; i < list->n; i++) {
    const char *name = list->item[i].name;
    g_autofree char *path = g_strdup_printf ("requestBody.spec.%s.%s", field, name), *shown = show (name, list->item[i].q);

    if (list->item[i].q.value < 0 || list->item[i].q.milli < 0)
      wl_find_invalid (out, path, shown, "must be greater than or equal to 0");
    if (!is_whole (name, list->item[i].q))
      wl_find (out, path, "Invalid value: %s: must be an integer", shown);
  }
}

static void
judge_groups (const VcQueueObject *q, GPtrArray *out)
{
  judge_amounts (&q->capability, "capability", out);
  judge_amounts (&q->deserved, "deserved", out);
  judge_amounts (&q->guarantee, "guarantee.resource", out);
  for (guint i = 0; i < q->guarantee.n; i++) {
    const char *name = q->guarantee.item[i].name;
    const VcQuantity *deserved = find (&q->deserved, name);
    g_autofree char *path = g_strdup_printf ("requestBody.spec.deserved.%s", name), *least = show (name, q->guarantee.item[i].q);

    if (deserved == NULL) {
      wl_find (out, path, "Invalid value: \"<nil>\": deserved[%s] must be >= guarantee[%s]=%s", name, name, least);
    } else if (compare (*deserved, q->guarantee.item[i].q) < 0) {
      g_autofree char *has = show (name, *deserved);

      wl_find (out, path, "Invalid value: \"%s\": deserved[%s]=%s must be >= guarantee[%s]=%s", has, name, has, name, least);
    }
  }
  for (guint i = 0; i < q->deserved.n; i++) {
    const char *name = q->deserved.item[i].name;
    const VcQuantity *most = find (&q->capability, name);

    if (most == NULL || compare (q->deserved.item[i].q, *most) <= 0)
      continue;
    g_autofree char *path = g_strdup_printf ("requestBody.spec.deserved.%s", name), *has = show (name, q->deserved.item[i].q), *limit = show (name, *most);

    wl_find (out, path, "Invalid value: \"%s\": deserved[%s]=%s must be <= capability[%s]=%s", has, name, has, name, limit);
  }
}

static const char *
note_of (const VcQueueObject *q, const char *key)
{
  const char *text = vc_pairs_get (&q->annotations, key);

  return text != NULL ? text : "";
}

/* The annotations that make the tree of hierarchical shares. The first problem is the only one. */
static void
judge_annotations (const WlQueueState *all, guint n, const VcQueueObject *q, GPtrArray *out)
{
  static const char path[] = "requestBody.metadata.annotations";
  const char *hierarchy = note_of (q, HIERARCHY), *weights = note_of (q, WEIGHTS);

  if (*hierarchy == '\0' && *weights == '\0')
    return;
  g_auto (GStrv) steps = g_strsplit (hierarchy, "/", -1), numbers = g_strsplit (weights, "/", -1);

  if (MAX (g_strv_length (steps), 1) != MAX (g_strv_length (numbers), 1)) {
    wl_find_invalid (out, path, hierarchy, HIERARCHY " must have the same length with " WEIGHTS);
    return;
  }
  for (guint i = 0; i < MAX (g_strv_length (numbers), 1); i++) {
    const char *text = numbers[i] != NULL ? numbers[i] : "";
    char *end = NULL;
    double v = g_ascii_strtod (text, &end);

    if (*text == '\0' || *end != '\0' || g_ascii_isspace (*text)) {
      wl_find (out, path, "Invalid value: \"%s\": %s in the %s is invalid number: strconv.ParseFloat: parsing \"%s\": invalid syntax", weights, text, weights,
               text);
      return;
    }
    if (!(v > 0)) {
      wl_find (out, path, "Invalid value: \"%s\": %s in the %s must be larger than 0", weights, text, weights);
      return;
    }
  }
  g_autofree char *below = g_strconcat (hierarchy, "/", NULL);

  for (guint i = 0; i < n; i++) {
    const char *other = note_of (&all[i].object, HIERARCHY);

    if (strcmp (all[i].object.name, q->name) != 0 && g_str_has_prefix (other, below)) {
      wl_find (out, path, "Invalid value: \"%s\": %s is not allowed to be in the sub path of %s of queue %s", hierarchy, hierarchy, other,
               all[i].object.name);
      return;
    }
  }
}

static char *
judge_queue (const WlQueueState *all, guint n, const VcQueueObject *q)
{
  g_autoptr (GPtrArray) out = wl_findings_new ();
  const char *state = q->state != NULL ? q->state : "";

  judge_groups (q, out);
  if (*state != '\0' && strcmp (state, "Open") != 0 && strcmp (state, "Closed") != 0)
    wl_find_invalid (out, "requestBody.spec.state", state, "queue state must be in [Open Closed]");
  judge_annotations (all, n, q, out);
  return out->len > 0 ? wl_findings_text (out) : NULL;
}

/* ---- its place in the tree ------------------------------------------------------------------- */

static const WlQueueState *
lookup (const WlQueueState *all, guint n, const char *name)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (all[i].object.name, name) == 0)
      return &all[i];
  return NULL;
}

static gboolean
has_parent (const VcQueueObject *q)
{
  return q->parent != NULL && *q->parent != '\0' && strcmp (q->parent, "root") != 0;
}

static gboolean
is_child (const VcQueueObject *q, const char *parent)
{
  return q->parent != NULL && strcmp (q->parent, parent) == 0;
}

static guint
count_children (const WlQueueState *all, guint n, const char *parent)
{
  guint k = 0;

  for (guint i = 0; i < n; i++)
    k += is_child (&all[i].object, parent);
  return k;
}

static char *
judge_place (const WlQueueState *all, guint n, const VcQueueObject *q)
{
  const WlQueueState *parent = NULL;
  guint depth = 1;

  if (!has_parent (q))
    return NULL;
  if (strcmp (q->parent, q->name) == 0)
    return g_strdup_printf ("queue %s cannot use itself as parent", q->name);
  for (const VcQueueObject *at = q; has_parent (at); at = &parent->object) {
    if (++depth > MAX_DEPTH)
      return g_strdup_printf ("queue %s exceeds the maximum allowed depth of %d", q->name, MAX_DEPTH);
    parent = lookup (all, n, at->parent);
    if (parent == NULL) {
      g_autofree char *problem = wl_queue_not_found (at->parent);

      return g_strdup_printf ("failed to get parent queue %s of queue %s: %s", at->parent, q->name, problem);
    }
  }
  parent = lookup (all, n, q->parent);
  if (count_children (all, n, q->parent) == 0 && parent->pods > 0)
    return g_strdup_printf ("queue %s cannot be the parent queue of queue %s because it has allocated Pods: %" G_GINT64_FORMAT, q->parent, q->name,
                            parent->pods);
  return NULL;
}

/* The limit of the nearest queue above that has one. */
static double
limit_above (const WlQueueState *all, guint n, const VcQueueObject *q, const char *resource)
{
  const WlQueueState *up;
  guint steps = n;

  for (const VcQueueObject *at = q; has_parent (at) && steps-- > 0; at = &up->object) {
    up = lookup (all, n, at->parent);
    if (up == NULL)
      return 0;
    double v = amount_of (&up->object.capability, resource);

    if (v > 0)
      return v;
  }
  return 0;
}

/* The limit of @q, else the greatest of those below it. */
static double
limit_below (const WlQueueState *all, guint n, const VcQueueObject *q, const char *resource, guint depth)
{
  double most = amount_of (&q->capability, resource);

  if (most > 0 || depth > n)
    return most;
  for (guint i = 0; i < n; i++)
    if (is_child (&all[i].object, q->name))
      most = MAX (most, limit_below (all, n, &all[i].object, resource, depth + 1));
  return most;
}

static char *
beyond (const char *format_prefix, const VcQueueObject *parent, const char *what, const Sum *sum, const VcAmounts *limit)
{
  g_autofree char *total = show_sum (sum), *most = show_amounts (limit);

  return g_strdup_printf ("%s %s validation failed: sum of children's %s (%s) exceeds parent's %s limit (%s)", format_prefix, parent->name, what, total, what,
                          most);
}

/* Do the children of @parent, with @q (nullable) as it is to be, stay within what it guarantees and deserves? */
static char *
judge_sums (const WlQueueState *all, guint n, const VcQueueObject *parent, const VcQueueObject *q, const char *prefix)
{
  g_auto (Sum) guarantee;
  g_auto (Sum) deserved;

  sum_init (&guarantee);
  sum_init (&deserved);
  for (guint i = 0; i <= n; i++) {
    const VcQueueObject *child = i < n ? &all[i].object : q;

    if (child == NULL || (i < n && (!is_child (child, parent->name) || (q != NULL && strcmp (child->name, q->name) == 0))))
      continue;
    sum_add (&guarantee, &child->guarantee);
    if (exceeds (&guarantee, &parent->guarantee))
      return beyond (prefix, parent, "guarantee", &guarantee, &parent->guarantee);
    sum_add (&deserved, &child->deserved);
    if (exceeds (&deserved, &parent->deserved))
      return beyond (prefix, parent, "deserved", &deserved, &parent->deserved);
  }
  return NULL;
}

static char *
judge_tree (const WlQueueState *all, guint n, const VcQueueObject *q)
{
  if (has_parent (q)) {
    const WlQueueState *parent = lookup (all, n, q->parent);

    if (parent == NULL) {
      g_autofree char *problem = wl_queue_not_found (q->parent);

      return g_strdup_printf ("parent queue %s not found: %s", q->parent, problem);
    }
    for (guint i = 0; i < q->capability.n; i++) {
      const char *name = q->capability.item[i].name;
      double v = amount_of (&q->capability, name), most = limit_above (all, n, q, name);

      if (v < LEAST || most <= 0 || v <= most)
        continue;
      g_autofree char *has = show_engine_amount (name, v), *limit = show_engine_amount (name, most);

      return g_strdup_printf ("queue %s capability[%s]=%s exceeds its ancestor's capability=%s", q->name, name, has, limit);
    }
    char *problem = judge_sums (all, n, &parent->object, q, "parent queue");

    if (problem != NULL)
      return problem;
  }
  if (count_children (all, n, q->name) == 0)
    return NULL;
  for (guint i = 0; i < q->capability.n; i++) {
    const char *name = q->capability.item[i].name;
    double v = amount_of (&q->capability, name), most = 0;

    for (guint k = 0; k < n; k++)
      if (is_child (&all[k].object, q->name))
        most = MAX (most, limit_below (all, n, &all[k].object, name, 0));
    if (v < LEAST || v >= most)
      continue;
    g_autofree char *has = show_engine_amount (name, v), *below = show_engine_amount (name, most);

    return g_strdup_printf ("queue %s capability[%s]=%s is smaller than its descendants' max capability=%s", q->name, name, has, below);
  }
  return judge_sums (all, n, q, NULL, "queue");
}

/* ---- the interface -------------------------------------------------------------------------- */

static gboolean
same_amounts (const VcAmounts *a, const VcAmounts *b)
{
  gboolean same = a->n == b->n;

  for (guint i = 0; same && i < a->n; i++) {
    const VcQuantity *q = find (b, a->item[i].name);

    same = q != NULL && compare (a->item[i].q, *q) == 0;
  }
  return same;
}

static gboolean
same_resources (const VcQueueObject *a, const VcQueueObject *b)
{
  return same_amounts (&a->capability, &b->capability) && same_amounts (&a->deserved, &b->deserved) && same_amounts (&a->guarantee, &b->guarantee);
}

char *
wl_admit_queue (const WlQueueState *all, guint n, const VcQueueObject *old, const VcQueueObject *now)
{
  gboolean moved = old == NULL || g_strcmp0 (old->parent, now->parent) != 0, root = strcmp (now->name, "root") == 0;
  char *problem = judge_queue (all, n, now);

  if (problem == NULL && moved)
    problem = judge_place (all, n, now);
  if (problem == NULL && root && old != NULL && !same_resources (old, now))
    return g_strdup ("root queue's resource attributes (capability, deserved, guarantee) cannot be modified");
  if (problem == NULL && !root && (moved || !same_resources (old, now)))
    problem = judge_tree (all, n, now);
  return problem;
}

char *
wl_admit_queue_deletion (const WlQueueState *all, guint n, const char *name, gboolean check_pods)
{
  const WlQueueState *q = lookup (all, n, name);
  g_autoptr (GString) children = g_string_new (NULL);
  guint count = 0;

  if (strcmp (name, "default") == 0 || strcmp (name, "root") == 0)
    return g_strdup_printf ("`%s` queue can not be deleted", name);
  if (q == NULL)
    return wl_queue_not_found (name);
  if (check_pods && q->pods > 0)
    return g_strdup_printf ("queue %s cannot be deleted because it has allocated Pods: %" G_GINT64_FORMAT, name, q->pods);
  for (guint i = 0; i < n; i++)
    if (is_child (&all[i].object, name))
      g_string_append_printf (children, "%s%s", count++ > 0 ? ", " : "", all[i].object.name);
  return count > 0 ? g_strdup_printf ("queue %s can not be deleted because it has %u child queues: %s", name, count, children->str) : NULL;
}

void
wl_default_queue (VcArena *arena, VcQueueObject *q)
{
  const char *hierarchy = note_of (q, HIERARCHY), *weights = note_of (q, WEIGHTS);

  if (q->weight == 0)
    q->weight = 1;
  if (q->reclaimable < 0)
    q->reclaimable = TRUE;
  if (*hierarchy == '\0' || *weights == '\0' || g_str_has_prefix (hierarchy, "root"))
    return;
  VcPair *pair = vc_arena_new0 (arena, VcPair, q->annotations.n);

  for (guint i = 0; i < q->annotations.n; i++) {
    g_autofree char *longer = NULL;

    pair[i] = q->annotations.item[i];
    if (strcmp (pair[i].key, HIERARCHY) == 0)
      longer = g_strconcat ("root/", hierarchy, NULL);
    else if (strcmp (pair[i].key, WEIGHTS) == 0)
      longer = g_strconcat ("1/", weights, NULL);
    if (longer != NULL)
      pair[i].value = vc_arena_strdup (arena, longer);
  }
  q->annotations.item = pair;
}
