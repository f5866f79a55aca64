/* One pod against one node: the rules of Kubernetes' NodeAffinity, TaintToleration and NodePorts filters (04 §2.10). */
#include "shape.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static gboolean
parse_int64 (const char *text, gint64 *out)
{
  char *end = NULL;

  if (text == NULL || *text == '\0' || g_ascii_isspace (*text))
    return FALSE;
  errno = 0;
  *out = g_ascii_strtoll (text, &end, 10);
  return errno == 0 && *end == '\0';
}

static gboolean
label_is_valid (const VcExpression *e)
{
  gint64 ignored;

  switch (e->op) {
  case VC_OP_IN:
  case VC_OP_NOT_IN:
    return e->n_values > 0;
  case VC_OP_EXISTS:
  case VC_OP_DOES_NOT_EXIST:
    return e->n_values == 0;
  case VC_OP_GT:
  case VC_OP_LT:
    return e->n_values == 1 && parse_int64 (e->value[0], &ignored);
  case VC_OP_UNKNOWN:
  default:
    return FALSE;
  }
}

gboolean
vc_term_is_valid (const VcNodeTerm *term)
{
  for (guint i = 0; i < term->n_labels; i++)
    if (!label_is_valid (&term->label[i]))
      return FALSE;
  for (guint i = 0; i < term->n_fields; i++) {
    const VcExpression *e = &term->field[i];
    if ((e->op != VC_OP_IN && e->op != VC_OP_NOT_IN) || e->n_values != 1)
      return FALSE;
  }
  return TRUE;
}

static gboolean
value_in (const VcExpression *e, const char *value)
{
  for (guint i = 0; i < e->n_values; i++)
    if (strcmp (e->value[i], value) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
expression_holds (const VcExpression *e, const char *value /* NULL: absent */)
{
  gint64 l, r;

  switch (e->op) {
  case VC_OP_IN:
    return value != NULL && value_in (e, value);
  case VC_OP_NOT_IN:
    return value == NULL || !value_in (e, value);
  case VC_OP_EXISTS:
    return value != NULL;
  case VC_OP_DOES_NOT_EXIST:
    return value == NULL;
  case VC_OP_GT:
  case VC_OP_LT:
    if (value == NULL || !parse_int64 (value, &l) || !parse_int64 (e->value[0], &r))
      return FALSE;
    return e->op == VC_OP_GT ? l > r : l < r;
  case VC_OP_UNKNOWN:
  default:
    return FALSE;
  }
}

gboolean
vc_term_matches (const VcNodeTerm *term, const VcNodeFacts *node)
{
  if ((term->n_labels == 0 && term->n_fields == 0) || !vc_term_is_valid (term))
    return FALSE;
  for (guint i = 0; i < term->n_labels; i++)
    if (!expression_holds (&term->label[i], vc_pairs_get (&node->labels, term->label[i].key)))
      return FALSE;
  for (guint i = 0; i < term->n_fields; i++) {
    const char *value = strcmp (term->field[i].key, "metadata.name") == 0 ? node->name : "";
    if (!expression_holds (&term->field[i], value))
      return FALSE;
  }
  return TRUE;
}

gboolean
vc_node_affinity_matches (const VcShape *s, const VcNodeFacts *node)
{
  for (guint i = 0; i < s->spec.node_selector.n; i++) {
    const char *value = vc_pairs_get (&node->labels, s->spec.node_selector.item[i].key);
    if (value == NULL || strcmp (value, s->spec.node_selector.item[i].value) != 0)
      return FALSE;
  }
  if (!s->spec.has_required)
    return TRUE;
  for (guint i = 0; i < s->spec.n_required; i++)
    if (vc_term_matches (&s->spec.required[i], node))
      return TRUE;
  return FALSE;
}

gboolean
vc_toleration_covers (const VcToleration *t, const VcTaint *taint)
{
  const char *effect = t->effect != NULL ? t->effect : "";
  const char *key = t->key != NULL ? t->key : "";

  if (*effect != '\0' && strcmp (effect, taint->effect) != 0)
    return FALSE;
  if (*key != '\0' && strcmp (key, taint->key) != 0)
    return FALSE;
  if (t->op == VC_TOLERATE_EXISTS)
    return TRUE;
  return t->op == VC_TOLERATE_EQUAL && g_strcmp0 (t->value != NULL ? t->value : "", taint->value != NULL ? taint->value : "") == 0;
}

gboolean
vc_tolerates (const VcShape *s, const VcTaint *taint)
{
  for (guint i = 0; i < s->spec.n_tolerations; i++)
    if (vc_toleration_covers (&s->spec.toleration[i], taint))
      return TRUE;
  return FALSE;
}

static gboolean
is_hard (const VcTaint *t)
{
  return g_strcmp0 (t->effect, "NoSchedule") == 0 || g_strcmp0 (t->effect, "NoExecute") == 0;
}

gboolean
vc_tolerates_node (const VcShape *s, const VcNodeFacts *node)
{
  for (guint i = 0; i < node->n_taints; i++)
    if (is_hard (&node->taint[i]) && !vc_tolerates (s, &node->taint[i]))
      return FALSE;
  return TRUE;
}

gboolean
vc_tolerates_unschedulable (const VcShape *s)
{
  static const VcTaint cordon = { "node.kubernetes.io/unschedulable", "", "NoSchedule" };
  return vc_tolerates (s, &cordon);
}

guint
vc_untolerated_preferences (const VcShape *s, const VcNodeFacts *node)
{
  guint count = 0;

  for (guint i = 0; i < node->n_taints; i++) {
    const VcTaint *taint = &node->taint[i];
    gboolean covered = FALSE;

    if (g_strcmp0 (taint->effect, "PreferNoSchedule") != 0)
      continue;
    for (guint t = 0; t < s->spec.n_tolerations && !covered; t++) {
      const VcToleration *tol = &s->spec.toleration[t];
      gboolean applies = tol->effect == NULL || *tol->effect == '\0' || strcmp (tol->effect, "PreferNoSchedule") == 0;
      covered = applies && vc_toleration_covers (tol, taint);
    }
    count += !covered;
  }
  return count;
}

gboolean
vc_ports_conflict (const VcHostPort *a, const VcHostPort *b)
{
  if (a->port != b->port || strcmp (a->protocol, b->protocol) != 0)
    return FALSE;
  return strcmp (a->ip, "0.0.0.0") == 0 || strcmp (b->ip, "0.0.0.0") == 0 || strcmp (a->ip, b->ip) == 0;
}
