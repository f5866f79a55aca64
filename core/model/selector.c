#include "selector.h"
#include <string.h>

#define NAME_LIMIT 63
#define PREFIX_LIMIT 253

/* Letters, digits and inner `-`, `_`, `.`; at most 63. */
static gboolean
is_name (const char *text)
{
  gsize len = strlen (text);

  if (len == 0 || len > NAME_LIMIT || !g_ascii_isalnum (text[0]) || !g_ascii_isalnum (text[len - 1]))
    return FALSE;
  for (gsize i = 0; i < len; i++)
    if (!g_ascii_isalnum (text[i]) && strchr ("-_.", text[i]) == NULL)
      return FALSE;
  return TRUE;
}

/* A DNS subdomain: lower case letters, digits, inner dashes, and dots between parts. */
static gboolean
is_prefix (const char *text, gsize len)
{
  if (len == 0 || len > PREFIX_LIMIT)
    return FALSE;
  for (gsize i = 0; i < len; i++) {
    gboolean edge = i == 0 || i == len - 1 || text[i - 1] == '.' || text[i + 1] == '.';
    gboolean alnum = g_ascii_islower (text[i]) || g_ascii_isdigit (text[i]);
    if (!alnum && (edge || (text[i] != '-' && text[i] != '.')))
      return FALSE;
  }
  return TRUE;
}

static gboolean
is_key (const char *text)
{
  const char *slash = strchr (text, '/');

  return slash == NULL ? is_name (text) : is_prefix (text, (gsize) (slash - text)) && is_name (slash + 1);
}

static gboolean
is_value (const char *text)
{
  return *text == '\0' || is_name (text);
}

static gboolean
expression_is_valid (const VcExpression *e)
{
  if (!is_key (e->key))
    return FALSE;
  for (guint i = 0; i < e->n_values; i++)
    if (!is_value (e->value[i]))
      return FALSE;
  switch (e->op) {
  case VC_OP_IN:
  case VC_OP_NOT_IN:
    return e->n_values > 0;
  case VC_OP_EXISTS:
  case VC_OP_DOES_NOT_EXIST:
    return e->n_values == 0;
  case VC_OP_GT: /* for nodes only */
  case VC_OP_LT:
  case VC_OP_UNKNOWN:
  default:
    return FALSE;
  }
}

gboolean
vc_selector_is_valid (const VcSelector *s)
{
  for (guint i = 0; i < s->match.n; i++)
    if (!is_key (s->match.item[i].key) || !is_value (s->match.item[i].value))
      return FALSE;
  for (guint i = 0; i < s->n_expressions; i++)
    if (!expression_is_valid (&s->expression[i]))
      return FALSE;
  return TRUE;
}

gboolean
vc_selector_is_empty (const VcSelector *s)
{
  return s->given && s->match.n == 0 && s->n_expressions == 0;
}

static gboolean
expression_holds (const VcExpression *e, const char *value)
{
  gboolean named = FALSE;

  if (e->op == VC_OP_EXISTS || e->op == VC_OP_DOES_NOT_EXIST)
    return (value != NULL) == (e->op == VC_OP_EXISTS);
  for (guint i = 0; value != NULL && i < e->n_values && !named; i++)
    named = strcmp (e->value[i], value) == 0;
  return named == (e->op == VC_OP_IN); /* NotIn holds without the label */
}

gboolean
vc_selector_matches (const VcSelector *s, const VcPairs *labels)
{
  if (!s->given)
    return FALSE;
  for (guint i = 0; i < s->match.n; i++) {
    const char *value = vc_pairs_get (labels, s->match.item[i].key);
    if (value == NULL || strcmp (value, s->match.item[i].value) != 0)
      return FALSE;
  }
  for (guint i = 0; i < s->n_expressions; i++)
    if (!expression_holds (&s->expression[i], vc_pairs_get (labels, s->expression[i].key)))
      return FALSE;
  return TRUE;
}

static gboolean
same_expression (const VcExpression *a, const VcExpression *b)
{
  if (strcmp (a->key, b->key) != 0 || a->op != b->op || a->n_values != b->n_values)
    return FALSE;
  for (guint i = 0; i < a->n_values; i++)
    if (strcmp (a->value[i], b->value[i]) != 0)
      return FALSE;
  return TRUE;
}

gboolean
vc_selector_same (const VcSelector *a, const VcSelector *b)
{
  if (!a->given != !b->given || a->match.n != b->match.n || a->n_expressions != b->n_expressions)
    return FALSE;
  for (guint i = 0; i < a->match.n; i++)
    if (strcmp (a->match.item[i].key, b->match.item[i].key) != 0 || strcmp (a->match.item[i].value, b->match.item[i].value) != 0)
      return FALSE;
  for (guint i = 0; i < a->n_expressions; i++)
    if (!same_expression (&a->expression[i], &b->expression[i]))
      return FALSE;
  return TRUE;
}

VcSelector
vc_selector_copy (VcArena *arena, const VcSelector *s)
{
  VcPair *pair = vc_arena_new0 (arena, VcPair, s->match.n);
  VcExpression *list = vc_arena_new0 (arena, VcExpression, s->n_expressions);

  for (guint i = 0; i < s->match.n; i++)
    pair[i] = (VcPair) { vc_arena_strdup (arena, s->match.item[i].key), vc_arena_strdup (arena, s->match.item[i].value) };
  for (guint i = 0; i < s->n_expressions; i++) {
    const VcExpression *e = &s->expression[i];
    const char **value = vc_arena_new0 (arena, const char *, e->n_values);
    for (guint k = 0; k < e->n_values; k++)
      value[k] = vc_arena_strdup (arena, e->value[k]);
    list[i] = (VcExpression) { vc_arena_strdup (arena, e->key), e->op, value, e->n_values };
  }
  return (VcSelector) { s->given, { pair, s->match.n }, list, s->n_expressions };
}
