#include "append.h"
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
