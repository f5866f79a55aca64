#include "append.h"
#include "node-terms.h"
#include <string.h>

void
wl_append_cell (GString *out, const char *text)
{
  if (text == NULL)
    return;
  if (strpbrk (text, ",\"\r\n") == NULL) {
    g_string_append (out, text);
    return;
  }
  g_string_append_c (out, '"');
  for (; *text != '\0'; text++) {
    if (*text == '"')
      g_string_append_c (out, '"');
    g_string_append_c (out, *text);
  }
  g_string_append_c (out, '"');
}

void
wl_append_quoted (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (const guchar *c = (const guchar *) text; *c != '\0'; c++) {
    if (*c == '"' || *c == '\\')
      g_string_append_printf (out, "\\%c", *c);
    else if (*c < 0x20 || *c == 0x7f)
      g_string_append_printf (out, "\\u%04x", *c);
    else
      g_string_append_c (out, (char) *c);
  }
  g_string_append_c (out, '"');
}

void
wl_append_amount (GString *out, const WlResource *r)
{
  if (r->amount.milli < G_MAXINT64 && r->amount.milli % 1000 != 0)
    g_string_append_printf (out, "%" G_GINT64_FORMAT "m", r->amount.milli);
  else
    g_string_append_printf (out, "%" G_GINT64_FORMAT, r->amount.value);
}

double
wl_units (const WlResource *r)
{
  return r->amount.milli < G_MAXINT64 ? (double) r->amount.milli / 1000 : (double) r->amount.value;
}

void
wl_append_taints (GString *out, const GArray *taints, gboolean tolerations)
{
  for (guint i = 0; i < taints->len; i++) {
    const WlTaint *t = &g_array_index (taints, WlTaint, i);

    g_string_append_printf (out, "%s%s", i > 0 ? ";" : "", t->key);
    if (tolerations ? !t->exists : *t->value != '\0')
      g_string_append_printf (out, "=%s", t->value);
    g_string_append_printf (out, ":%s", t->effect);
    if (t->bounded)
      g_string_append_printf (out, "@%" G_GINT64_FORMAT, t->seconds);
  }
}

void
wl_append_node_selector (GString *out, const GArray *pairs, const GArray *terms)
{
  static const char *const operators[] = { [VC_OP_IN] = "=", [VC_OP_NOT_IN] = "!=", [VC_OP_EXISTS] = "=*", [VC_OP_DOES_NOT_EXIST] = "!=*", [VC_OP_GT] = ">", [VC_OP_LT] = "<" };
  const char *between = "";

  for (guint i = 0; i < pairs->len; i++, between = ";")
    g_string_append_printf (out, "%s%s=%s", between, g_array_index (pairs, WlPair, i).key, g_array_index (pairs, WlPair, i).value);
  for (guint i = 0; terms != NULL && i < terms->len; i++, between = ";") {
    const WlNodeTerm *t = &g_array_index (terms, WlNodeTerm, i);
    g_autofree char *values = t->value != NULL ? g_strjoinv ("|", t->value) : NULL;

    g_string_append_printf (out, "%s%s%s%s", between, t->key, operators[t->op], values != NULL ? values : "");
  }
}
