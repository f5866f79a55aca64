/* Requirements on labels: those of node selector terms, and label selectors. */
#include "k8s-fields.h"
#include <stddef.h>

typedef struct {
  const char *key, *op;
  K8sTexts values;
} RawExpression;

static const struct {
  const char *name;
  VcOperator op;
} operators[] = {
  { "In", VC_OP_IN },         { "NotIn", VC_OP_NOT_IN },
  { "Exists", VC_OP_EXISTS }, { "DoesNotExist", VC_OP_DOES_NOT_EXIST },
  { "Gt", VC_OP_GT },         { "Lt", VC_OP_LT },
};
#define N_LABEL_OPERATORS 4 /* label selectors know only the first ones */

static gboolean
read_requirement (K8sReader *r, struct fy_node *node, guint n_operators, VcExpression *e)
{
  static const K8sField fields[] = {
    { "key", k8s_text, offsetof (RawExpression, key) },
    { "operator", k8s_text, offsetof (RawExpression, op) },
    { "values", k8s_texts, offsetof (RawExpression, values) },
  };
  RawExpression raw = { 0 };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  *e = (VcExpression){ raw.key != NULL ? raw.key : "", VC_OP_UNKNOWN, raw.values.item,
                       raw.values.n };
  for (guint i = 0; i < n_operators; i++)
    if (g_strcmp0 (raw.op, operators[i].name) == 0)
      e->op = operators[i].op;
  return TRUE;
}

static gboolean
read_node_expression (K8sReader *r, struct fy_node *node, gpointer out)
{
  return read_requirement (r, node, G_N_ELEMENTS (operators), out);
}

static gboolean
read_label_expression (K8sReader *r, struct fy_node *node, gpointer out)
{
  return read_requirement (r, node, N_LABEL_OPERATORS, out);
}

gboolean
k8s_node_expressions (K8sReader *r, struct fy_node *node, gpointer out)
{
  K8sExpressions *list = out;
  gpointer items;
  if (!k8s_list (r, node, sizeof (VcExpression), read_node_expression, &items, &list->n))
    return FALSE;
  list->item = items;
  return TRUE;
}

static gboolean
read_label_expressions (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcSelector *s = out;
  gpointer items;
  if (!k8s_list (r, node, sizeof (VcExpression), read_label_expression, &items, &s->n_expressions))
    return FALSE;
  s->expression = items;
  return TRUE;
}

gboolean
k8s_selector (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "matchLabels", k8s_pairs, offsetof (VcSelector, match) },
    { "matchExpressions", read_label_expressions, 0 },
  };
  VcSelector *s = out;
  s->given = TRUE;
  return K8S_FIELDS (r, node, fields, s);
}
