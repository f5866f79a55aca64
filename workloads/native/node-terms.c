/* workloads/native/node-terms.c - see node-terms.h. */
#include "node-terms.h"
#include "workloads/text/parse.h"
#include <string.h>

static void
term_clear (gpointer data)
{
  WlNodeTerm *t = data;

  g_free (t->key);
  g_strfreev (t->value);
}

GArray *
wl_node_terms_new (void)
{
  GArray *a = g_array_new (FALSE, FALSE, sizeof (WlNodeTerm));

  g_array_set_clear_func (a, term_clear);
  return a;
}

/* Labels' values as parse.c knows them: one pair is parsed for each. */
static gboolean
check_values (const char *key, char **value, GError **error)
{
  for (char **v = value; *v != NULL; v++) {
    g_autofree char *pair = g_strconcat (key, "=", *v, NULL);
    g_autoptr (GArray) parsed = NULL;

    if (**v == '\0')
      return wl_refuse (error, "empty value of a node selector", "values with '|' between", key);
    if (!wl_parse_pairs (pair, &parsed, error))
      return FALSE;
  }
  return TRUE;
}

/* @item is key, operator, values; the operator begins at @at. */
static gboolean
parse_term (const char *item, const char *at, GArray *terms, GError **error)
{
  gboolean not = at[0] == '!', order = at[0] == '<' || at[0] == '>';
  const char *text = at + (not ? 2 : 1);
  gboolean any = !order && strcmp (text, "*") == 0;
  g_autofree char *key = g_strndup (item, (gsize) (at - item));
  g_auto (GStrv) value = any ? g_new0 (char *, 1) : g_strsplit (text, "|", -1);
  gint64 number;
  WlNodeTerm t;

  if (not && at[1] != '=')
    return wl_refuse (error, "not a node selector", "key=value, key=a|b, key!=a|b, key=*, key!=*, key>N or key<N", item);
  if (!wl_check_key (key, error))
    return FALSE;
  if (order && !wl_parse_int (text, G_MININT64 + 1, G_MAXINT64, &number, error))
    return FALSE;
  if (!order && !any && (value[0] == NULL ? !wl_refuse (error, "empty value of a node selector", "values with '|' between", item) : !check_values (key, value, error)))
    return FALSE;
  t = (WlNodeTerm){ g_steal_pointer (&key),
                    order   ? (at[0] == '>' ? VC_OP_GT : VC_OP_LT)
                    : any   ? (not ? VC_OP_DOES_NOT_EXIST : VC_OP_EXISTS)
                            : (not ? VC_OP_NOT_IN : VC_OP_IN),
                    g_steal_pointer (&value) };
  g_array_append_val (terms, t);
  return TRUE;
}

gboolean
wl_parse_node_selector (const char *text, GArray **selector, GArray **terms, GError **error)
{
  g_auto (GStrv) item = g_strsplit (text, ";", -1);
  g_autoptr (GString) pairs = g_string_new (NULL);
  g_autoptr (GArray) others = wl_node_terms_new ();

  for (char **p = item; *p != NULL; p++) {
    const char *at = *p + strcspn (*p, "=!<>");
    gboolean plain = *at == '\0' || (*at == '=' && strchr (at, '|') == NULL && strcmp (at, "=*") != 0);

    if (plain) { /* what is no pair is refused as one */
      g_string_append_printf (pairs, "%s%s", pairs->len > 0 ? ";" : "", *p);
      if (**p == '\0')
        return wl_parse_pairs (text, selector, error);
    } else if (!parse_term (*p, at, others, error)) {
      return FALSE;
    }
  }
  if (pairs->len == 0)
    *selector = wl_pairs_new ();
  else if (!wl_parse_pairs (pairs->str, selector, error))
    return FALSE;
  *terms = g_steal_pointer (&others);
  return TRUE;
}
