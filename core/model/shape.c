#include "shape.h"
#include "selector.h"
#include <string.h>

struct VcShapeTable {
  const VcResNames *names;
  VcArena *arena;
  GHashTable *by_key; /* GBytes → VcShape */
  GPtrArray *all;
};

const char *
vc_pairs_get (const VcPairs *pairs, const char *key)
{
  guint lo = 0, hi = pairs->n;

  while (lo < hi) {
    guint mid = (lo + hi) / 2;
    int c = strcmp (pairs->item[mid].key, key);
    if (c == 0)
      return pairs->item[mid].value;
    if (c < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return NULL;
}

VcPairs
vc_pairs_copy (VcArena *a, const VcPairs *from)
{
  VcPair *item = vc_arena_new0 (a, VcPair, from->n);

  for (guint i = 0; i < from->n; i++)
    item[i] = (VcPair) { vc_arena_strdup (a, from->item[i].key), vc_arena_strdup (a, from->item[i].value) };
  return (VcPairs) { item, from->n };
}

/* ---- requests ------------------------------------------------------------------------------- */

void
vc_amounts_add (const VcAmounts *amounts, const VcResNames *names, VcRes *out)
{
  guint pods = vc_res_names_pods (names);

  for (guint i = 0; i < amounts->n; i++) {
    const VcAmount *a = &amounts->item[i];
    int dim = vc_res_names_find (names, a->name);

    if (dim < 0)
      continue;
    if (dim == VC_RES_CPU)
      out->v[VC_RES_CPU] += (double) a->q.milli;
    else if (dim == VC_RES_MEMORY)
      out->v[VC_RES_MEMORY] += (double) a->q.value;
    else if ((guint) dim == pods)
      vc_res_set (out, (guint) dim, out->v[dim] + (double) a->q.value);
    else if (vc_res_is_scalar_name (a->name))
      vc_res_set (out, (guint) dim, out->v[dim] + (double) a->q.milli);
  }
}

void
vc_pod_request (const VcPodSpec *spec, const VcResNames *names, gboolean without_init, VcRes *out)
{
  guint n = vc_res_names_count (names);
  VC_RES_LOCAL (side, n);
  VC_RES_LOCAL (init, n);
  VC_RES_LOCAL (one, n);

  vc_res_clear (out);
  for (guint i = 0; i < spec->n_containers; i++)
    if (!spec->container[i].init)
      vc_amounts_add (&spec->container[i].request, names, out);
  for (guint i = 0; i < spec->n_containers; i++) {
    const VcContainer *c = &spec->container[i];

    if (!c->init || without_init)
      continue;
    vc_res_clear (one);
    vc_amounts_add (&c->request, names, one);
    if (c->sidecar) {
      vc_res_add (out, one);
      vc_res_add (side, one);
      vc_res_set_max (init, side);
    } else {
      vc_res_add (one, side);
      vc_res_set_max (init, one);
    }
  }
  vc_res_set_max (out, init);
  guint pods = vc_res_names_pods (names);
  if (!without_init)
    vc_res_set (out, pods, out->v[pods] + 1);
  if (spec->pod_level.n > 0) {
    vc_res_clear (one);
    vc_amounts_add (&spec->pod_level, names, one);
    for (guint i = 0; i < spec->pod_level.n; i++) {
      int dim = vc_res_names_find (names, spec->pod_level.item[i].name);
      if (dim >= 0)
        vc_res_set (out, (guint) dim, one->v[dim]);
    }
  }
  vc_amounts_add (&spec->overhead, names, out);
  vc_amounts_add (&spec->attachments, names, out);
}

static const VcQuantity *
amount_find (const VcAmounts *a, const char *name)
{
  for (guint i = 0; i < a->n; i++)
    if (strcmp (a->item[i].name, name) == 0)
      return &a->item[i].q;
  return NULL;
}

static gint64
k_value (const VcQuantity *q, guint k)
{
  return k == VC_K_CPU ? q->milli : q->value;
}

/* Request of one resource as the Kubernetes scorers count it (04 §3.2). @nonzero: a container that asks for none counts 100m or 200Mi. A
 * placed pod with requests of its own loses these defaults where it, its overhead or any container names the resource; the
 * incoming pod's own requests are invisible to the scorers that use the defaults (finding W1). */
static gint64
k_request (const VcPodSpec *s, guint k, gboolean nonzero, gboolean placed)
{
  static const char *const k_name[VC_K_N] = { "cpu", "memory", VC_K_GPU_NAME };
  const VcQuantity *level = amount_find (&s->pod_level, k_name[k]);
  const VcQuantity *over = amount_find (&s->overhead, k_name[k]);
  gint64 sum = 0, side = 0, peak = 0;

  if (placed && nonzero && s->pod_level.n > 0) {
    gboolean named = level != NULL || over != NULL;
    for (guint i = 0; i < s->n_containers && !named; i++)
      named = amount_find (&s->container[i].request, k_name[k]) != NULL;
    if (named)
      nonzero = FALSE;
  }
  gint64 fallback = !nonzero ? 0 : k == VC_K_CPU ? 100 : k == VC_K_MEMORY ? 200 * G_GINT64_CONSTANT (1048576) : 0;
  for (guint i = 0; i < s->n_containers; i++) {
    if (s->container[i].init)
      continue;
    const VcQuantity *q = amount_find (&s->container[i].request, k_name[k]);
    sum += q != NULL ? k_value (q, k) : fallback;
  }
  for (guint i = 0; i < s->n_containers; i++) {
    const VcContainer *c = &s->container[i];
    if (!c->init)
      continue;
    const VcQuantity *q = amount_find (&c->request, k_name[k]);
    gint64 one = q != NULL ? k_value (q, k) : fallback;
    if (c->sidecar) {
      sum += one;
      side += one;
      peak = MAX (peak, side);
    } else {
      peak = MAX (peak, one + side);
    }
  }
  sum = MAX (sum, peak);
  if (level != NULL && (placed || !nonzero))
    sum = k_value (level, k);
  if (over != NULL)
    sum += k_value (over, k);
  return sum;
}

/* ---- limits and quality of service ------------------------------------------------------------ */

static double
amount_of (const VcAmounts *a, const char *name, gboolean milli)
{
  const VcQuantity *q = amount_find (a, name);
  return q == NULL ? 0 : (double) (milli ? q->milli : q->value);
}

/* GetPodResourceLimit: containers are summed as in vc_pod_request(); pod-level limits replace the sum; the overhead is added to a limit
 * that exists. */
static double
limit_of (const VcPodSpec *s, const char *name, gboolean milli)
{
  double sum = 0, side = 0, peak = 0;

  for (guint i = 0; i < s->n_containers; i++)
    if (!s->container[i].init)
      sum += amount_of (&s->container[i].limit, name, milli);
  for (guint i = 0; i < s->n_containers; i++) {
    const VcContainer *c = &s->container[i];
    if (!c->init)
      continue;
    double one = amount_of (&c->limit, name, milli);
    if (c->sidecar) {
      sum += one;
      side += one;
      peak = MAX (peak, side);
    } else {
      peak = MAX (peak, one + side);
    }
  }
  sum = MAX (sum, peak);
  if (amount_find (&s->pod_limit, name) != NULL)
    sum = amount_of (&s->pod_limit, name, milli);
  return sum != 0 ? sum + amount_of (&s->overhead, name, milli) : 0;
}

/* ComputePodQOS (k8s.io/kubernetes/pkg/apis/core/v1/helper/qos), unless the status has the class. */
static VcQos
qos_of (const VcPodSpec *s)
{
  static const char *const name[] = { "cpu", "memory" };
  gboolean level = s->pod_level.n > 0 || s->pod_limit.n > 0, full = TRUE, equal = TRUE;
  guint n_requests = 0, n_limits = 0;

  if (s->qos != VC_QOS_UNSET)
    return s->qos;
  for (guint k = 0; k < G_N_ELEMENTS (name); k++) {
    double request = 0, limit = 0;

    if (level) {
      request = amount_of (&s->pod_level, name[k], k == 0);
      limit = amount_of (&s->pod_limit, name[k], k == 0);
      full &= limit > 0;
    }
    for (guint i = 0; i < s->n_containers && !level; i++) {
      double one = amount_of (&s->container[i].limit, name[k], k == 0);
      request += amount_of (&s->container[i].request, name[k], k == 0);
      limit += one;
      full &= one > 0;
    }
    n_requests += request > 0;
    n_limits += limit > 0;
    equal &= request == limit;
  }
  if (n_requests == 0 && n_limits == 0)
    return VC_QOS_BEST_EFFORT;
  return full && equal ? VC_QOS_GUARANTEED : VC_QOS_BURSTABLE;
}

/* ---- keys: equal pods give equal bytes ------------------------------------------------------ */

static void
key_text (GString *k, const char *s)
{
  guint32 n = s != NULL ? (guint32) strlen (s) : G_MAXUINT32;
  g_string_append_len (k, (const char *) &n, sizeof n);
  if (s != NULL)
    g_string_append_len (k, s, n);
}

static void
key_int (GString *k, gint64 v)
{
  g_string_append_len (k, (const char *) &v, sizeof v);
}

static void
key_amounts (GString *k, const VcAmounts *a)
{
  key_int (k, a->n);
  for (guint i = 0; i < a->n; i++) {
    key_text (k, a->item[i].name);
    key_int (k, a->item[i].q.value);
    key_int (k, a->item[i].q.milli);
  }
}

static void
key_texts (GString *k, const char *const *text, guint n)
{
  key_int (k, n);
  for (guint i = 0; i < n; i++)
    key_text (k, text[i]);
}

static void
key_pairs (GString *k, const VcPairs *pairs)
{
  key_int (k, pairs->n);
  for (guint i = 0; i < pairs->n; i++) {
    key_text (k, pairs->item[i].key);
    key_text (k, pairs->item[i].value);
  }
}

static void
key_expressions (GString *k, const VcExpression *e, guint n)
{
  key_int (k, n);
  for (guint i = 0; i < n; i++) {
    key_text (k, e[i].key);
    key_int (k, e[i].op);
    key_texts (k, e[i].value, e[i].n_values);
  }
}

static void
key_terms (GString *k, const VcNodeTerm *t, guint n)
{
  key_int (k, n);
  for (guint i = 0; i < n; i++) {
    key_int (k, t[i].weight);
    key_expressions (k, t[i].label, t[i].n_labels);
    key_expressions (k, t[i].field, t[i].n_fields);
  }
}

static void
key_selector (GString *k, const VcSelector *s)
{
  key_int (k, s->given);
  key_pairs (k, &s->match);
  key_expressions (k, s->expression, s->n_expressions);
}

static void
key_pod_terms (GString *k, const VcPodTerms *t)
{
  key_int (k, t->given);
  key_int (k, t->n_required);
  key_int (k, t->n_preferred);
  for (guint i = 0; i < t->n_required + t->n_preferred; i++) {
    const VcPodTerm *p = i < t->n_required ? &t->required[i] : &t->preferred[i - t->n_required];
    key_text (k, p->topology_key);
    key_selector (k, &p->selector);
    key_texts (k, p->ns, p->n_ns);
    key_selector (k, &p->ns_selector);
    key_int (k, p->weight);
  }
}

static void
key_spreads (GString *k, const VcSpread *s, guint n)
{
  key_int (k, n);
  for (guint i = 0; i < n; i++) {
    key_text (k, s[i].topology_key);
    key_selector (k, &s[i].selector);
    key_texts (k, s[i].label_key, s[i].n_label_keys);
    key_int (k, s[i].max_skew);
    key_int (k, s[i].min_domains);
    key_int (k, s[i].hard + 2 * s[i].any_affinity + 4 * s[i].heeds_taints);
  }
}

static void
build_key (GString *k, const VcPodSpec *s)
{
  gboolean named = qos_of (s) == VC_QOS_GUARANTEED; /* names of containers stand in refusals of NUMA nodes */

  key_int (k, s->n_containers);
  for (guint i = 0; i < s->n_containers; i++) {
    const VcContainer *c = &s->container[i];
    key_text (k, named ? c->name : NULL);
    key_text (k, c->image);
    key_amounts (k, &c->request);
    key_amounts (k, &c->limit);
    key_int (k, c->init + 2 * c->sidecar);
    key_int (k, c->n_ports);
    for (guint j = 0; j < c->n_ports; j++) {
      key_text (k, c->port[j].ip);
      key_text (k, c->port[j].protocol);
      key_int (k, c->port[j].port);
    }
  }
  key_amounts (k, &s->overhead);
  key_amounts (k, &s->pod_level);
  key_amounts (k, &s->pod_limit);
  key_int (k, s->qos);
  key_pairs (k, &s->node_selector);
  key_int (k, s->has_required);
  key_terms (k, s->required, s->n_required);
  key_terms (k, s->preferred, s->n_preferred);
  key_int (k, s->n_tolerations);
  for (guint i = 0; i < s->n_tolerations; i++) {
    key_text (k, s->toleration[i].key);
    key_text (k, s->toleration[i].value);
    key_text (k, s->toleration[i].effect);
    key_int (k, s->toleration[i].op);
    key_int (k, s->toleration[i].bounded);
    key_int (k, s->toleration[i].seconds);
  }
  key_text (k, s->strategy_type);
  key_text (k, s->strategy_weights);
  key_pairs (k, &s->device_hints);
  key_text (k, s->numa_policy);
  key_pod_terms (k, &s->affinity);
  key_pod_terms (k, &s->anti_affinity);
  key_spreads (k, s->spread, s->n_spreads);
  key_int (k, s->has_claims);
  key_int (k, s->n_volumes);
  for (guint i = 0; i < s->n_volumes; i++) {
    key_text (k, s->volume[i].name);
    key_int (k, s->volume[i].ephemeral);
  }
  key_amounts (k, &s->attachments);
}

/* ---- deep copies ---------------------------------------------------------------------------- */

static VcAmounts
copy_amounts (VcArena *a, const VcAmounts *from)
{
  VcAmount *item = vc_arena_new0 (a, VcAmount, from->n);
  for (guint i = 0; i < from->n; i++) {
    item[i] = from->item[i];
    item[i].name = vc_arena_strdup (a, from->item[i].name);
  }
  return (VcAmounts) { .item = item, .n = from->n, .given = from->given };
}

static const VcExpression *
copy_expressions (VcArena *a, const VcExpression *from, guint n)
{
  VcExpression *e = vc_arena_new0 (a, VcExpression, n);
  for (guint i = 0; i < n; i++) {
    const char **value = vc_arena_new0 (a, const char *, from[i].n_values + 1);
    for (guint v = 0; v < from[i].n_values; v++)
      value[v] = vc_arena_strdup (a, from[i].value[v]);
    e[i] = (VcExpression) { vc_arena_strdup (a, from[i].key), from[i].op, value, from[i].n_values };
  }
  return e;
}

static const VcNodeTerm *
copy_terms (VcArena *a, const VcNodeTerm *from, guint n)
{
  VcNodeTerm *t = vc_arena_new0 (a, VcNodeTerm, n);
  for (guint i = 0; i < n; i++) {
    t[i] = from[i];
    t[i].label = copy_expressions (a, from[i].label, from[i].n_labels);
    t[i].field = copy_expressions (a, from[i].field, from[i].n_fields);
  }
  return t;
}

static const char *const *
copy_texts (VcArena *a, const char *const *from, guint n)
{
  const char **text = vc_arena_new0 (a, const char *, n);
  for (guint i = 0; i < n; i++)
    text[i] = vc_arena_strdup (a, from[i]);
  return text;
}

static const VcPodTerm *
copy_pod_term_list (VcArena *a, const VcPodTerm *from, guint n)
{
  VcPodTerm *t = vc_arena_new0 (a, VcPodTerm, n);
  for (guint i = 0; i < n; i++)
    t[i] = (VcPodTerm) { .topology_key = vc_arena_strdup (a, from[i].topology_key),
                         .selector = vc_selector_copy (a, &from[i].selector),
                         .ns = copy_texts (a, from[i].ns, from[i].n_ns),
                         .n_ns = from[i].n_ns,
                         .ns_selector = vc_selector_copy (a, &from[i].ns_selector),
                         .weight = from[i].weight };
  return t;
}

static VcPodTerms
copy_pod_terms (VcArena *a, const VcPodTerms *from)
{
  VcPodTerms t = *from;
  t.required = copy_pod_term_list (a, from->required, from->n_required);
  t.preferred = copy_pod_term_list (a, from->preferred, from->n_preferred);
  return t;
}

static const VcSpread *
copy_spreads (VcArena *a, const VcSpread *from, guint n)
{
  VcSpread *s = vc_arena_new0 (a, VcSpread, n);
  for (guint i = 0; i < n; i++) {
    s[i] = from[i];
    s[i].topology_key = vc_arena_strdup (a, from[i].topology_key);
    s[i].selector = vc_selector_copy (a, &from[i].selector);
    s[i].label_key = copy_texts (a, from[i].label_key, from[i].n_label_keys);
  }
  return s;
}

static void
copy_spec (VcArena *a, const VcPodSpec *from, VcPodSpec *to)
{
  *to = *from;
  VcContainer *c = vc_arena_new0 (a, VcContainer, from->n_containers);
  for (guint i = 0; i < from->n_containers; i++) {
    c[i] = from->container[i];
    c[i].name = vc_arena_strdup (a, c[i].name);
    c[i].image = vc_arena_strdup (a, c[i].image);
    c[i].request = copy_amounts (a, &c[i].request);
    c[i].limit = copy_amounts (a, &c[i].limit);
    VcHostPort *p = vc_arena_new0 (a, VcHostPort, c[i].n_ports);
    for (guint j = 0; j < c[i].n_ports; j++)
      p[j] = (VcHostPort) { vc_arena_strdup (a, c[i].port[j].ip), vc_arena_strdup (a, c[i].port[j].protocol), c[i].port[j].port };
    c[i].port = p;
  }
  to->container = c;
  to->overhead = copy_amounts (a, &from->overhead);
  to->pod_level = copy_amounts (a, &from->pod_level);
  to->pod_limit = copy_amounts (a, &from->pod_limit);
  to->node_selector = vc_pairs_copy (a, &from->node_selector);
  to->required = copy_terms (a, from->required, from->n_required);
  to->preferred = copy_terms (a, from->preferred, from->n_preferred);
  VcToleration *t = vc_arena_new0 (a, VcToleration, from->n_tolerations);
  for (guint i = 0; i < from->n_tolerations; i++) {
    const VcToleration *f = &from->toleration[i];
    t[i] = (VcToleration) { vc_arena_strdup (a, f->key), vc_arena_strdup (a, f->value), vc_arena_strdup (a, f->effect), f->op, f->bounded, f->seconds };
  }
  to->toleration = t;
  to->strategy_type = vc_arena_strdup (a, from->strategy_type);
  to->strategy_weights = vc_arena_strdup (a, from->strategy_weights);
  to->device_hints = vc_pairs_copy (a, &from->device_hints);
  to->numa_policy = vc_arena_strdup (a, from->numa_policy);
  to->affinity = copy_pod_terms (a, &from->affinity);
  to->anti_affinity = copy_pod_terms (a, &from->anti_affinity);
  to->spread = copy_spreads (a, from->spread, from->n_spreads);
  VcPodVolume *volume = vc_arena_new0 (a, VcPodVolume, from->n_volumes);
  for (guint i = 0; i < from->n_volumes; i++)
    volume[i] = (VcPodVolume) { .name = vc_arena_strdup (a, from->volume[i].name), .ephemeral = from->volume[i].ephemeral };
  to->volume = volume;
  to->attachments = copy_amounts (a, &from->attachments);
  /* not part of a shape: they belong to the pod */
  to->priority_class = NULL;
  to->gate = NULL;
  to->n_gates = 0;
  to->claim = NULL;
  to->n_claims = 0;
}

/* ---- table ---------------------------------------------------------------------------------- */

VcShapeTable *
vc_shape_table_new (const VcResNames *names)
{
  VcShapeTable *t = g_new0 (VcShapeTable, 1);
  t->names = names;
  t->arena = vc_arena_new ();
  t->by_key = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  t->all = g_ptr_array_new ();
  return t;
}

void
vc_shape_table_free (VcShapeTable *t)
{
  if (t == NULL)
    return;
  for (guint i = 0; i < t->all->len; i++)
    vc_res_free (((VcShape *) t->all->pdata[i])->request);
  g_ptr_array_unref (t->all);
  g_hash_table_unref (t->by_key);
  vc_arena_free (t->arena);
  g_free (t);
}

/* The required terms pin metadata.name and leave no name (NodeAffinity's PreFilter). */
static gboolean
pins_nowhere (const VcPodSpec *s)
{
  if (!s->has_required || s->n_required == 0)
    return FALSE;
  for (guint i = 0; i < s->n_required; i++) {
    const VcNodeTerm *t = &s->required[i];
    const VcExpression *first = NULL;
    gboolean left = FALSE;

    for (guint f = 0; f < t->n_fields && first == NULL; f++)
      if (strcmp (t->field[f].key, "metadata.name") == 0 && t->field[f].op == VC_OP_IN)
        first = &t->field[f];
    if (first == NULL)
      return FALSE;
    for (guint v = 0; v < first->n_values && !left; v++) {
      left = TRUE;
      for (guint f = 0; f < t->n_fields && left; f++) {
        const VcExpression *e = &t->field[f];
        if (strcmp (e->key, "metadata.name") != 0 || e->op != VC_OP_IN)
          continue;
        gboolean in = FALSE;
        for (guint w = 0; w < e->n_values; w++)
          in |= strcmp (e->value[w], first->value[v]) == 0;
        left = in;
      }
    }
    if (left)
      return FALSE;
  }
  return TRUE;
}

const VcShape *
vc_shape_intern (VcShapeTable *t, const VcPodSpec *spec)
{
  g_autoptr (GString) key = g_string_sized_new (256);
  build_key (key, spec);
  g_autoptr (GBytes) probe = g_bytes_new_static (key->str, key->len);
  VcShape *s = g_hash_table_lookup (t->by_key, probe);

  if (s != NULL)
    return s;
  s = vc_arena_new0 (t->arena, VcShape, 1);
  s->id = t->all->len;
  copy_spec (t->arena, spec, &s->spec);
  s->request = vc_res_new (vc_res_names_count (t->names));
  vc_pod_request (&s->spec, t->names, FALSE, s->request);
  s->dims = 3u | s->request->has;
  s->best_effort = vc_res_is_empty (s->request, t->names);
  s->limit[0] = limit_of (&s->spec, "cpu", TRUE);
  s->limit[1] = limit_of (&s->spec, "memory", FALSE);
  s->qos = qos_of (&s->spec);
  s->needs_node_affinity = s->spec.node_selector.n > 0 || s->spec.has_required;
  s->pinned_nowhere = pins_nowhere (&s->spec);
  guint n_ports = 0;
  for (guint i = 0; i < s->spec.n_containers; i++) {
    const VcContainer *c = &s->spec.container[i];
    if (!c->init || c->sidecar)
      n_ports += c->n_ports;
    if (c->image != NULL)
      s->n_images++;
    for (guint j = 0; j < c->limit.n && !s->extended_limits; j++)
      s->extended_limits = strchr (c->limit.item[j].name, '/') != NULL;
  }
  VcHostPort *port = vc_arena_new0 (t->arena, VcHostPort, n_ports);
  for (guint i = 0; i < s->spec.n_containers; i++) {
    const VcContainer *c = &s->spec.container[i];
    for (guint j = 0; (!c->init || c->sidecar) && j < c->n_ports; j++)
      port[s->n_ports++] = c->port[j];
  }
  s->port = port;
  for (guint i = 0; i < s->spec.n_preferred; i++) {
    const VcNodeTerm *p = &s->spec.preferred[i];
    if (p->weight != 0 && (p->n_labels > 0 || p->n_fields > 0) && !vc_term_is_valid (p))
      s->bad_preferred = TRUE;
  }
  s->has_pod_terms = s->spec.affinity.given || s->spec.anti_affinity.given;
  s->has_preferred_pods = s->spec.affinity.n_preferred > 0 || s->spec.anti_affinity.n_preferred > 0;
  for (guint i = 0; i < s->spec.n_spreads; i++) {
    *(s->spec.spread[i].hard ? &s->n_hard_spreads : &s->n_soft_spreads) += 1;
    s->spread_reads_labels |= s->spec.spread[i].n_label_keys > 0;
  }
  for (guint k = 0; k < VC_K_N; k++)
    s->k_request[k] = k_request (&s->spec, k, FALSE, FALSE);
  for (guint k = 0; k < 2; k++) {
    s->k_nonzero_new[k] = k_request (&s->spec, k, TRUE, FALSE);
    s->k_nonzero_placed[k] = k_request (&s->spec, k, TRUE, TRUE);
  }
  g_ptr_array_add (t->all, s);
  g_hash_table_insert (t->by_key, g_bytes_new (key->str, key->len), s);
  return s;
}

guint32
vc_shape_table_count (const VcShapeTable *t)
{
  return t->all->len;
}

const VcShape *
vc_shape_get (const VcShapeTable *t, guint32 id)
{
  return t->all->pdata[id];
}
