/* reports/json.c - see json.h. */
#include "reports/csv-writer.h"
#include "reports/json.h"
#include "reports/results/results.h"

#include <string.h>

void
rp_json_init (RpJson *j)
{
  j->out = g_string_new ("{");
  j->depth = 1;
  j->empty = TRUE;
}

static void
new_line (RpJson *j)
{
  g_string_append_c (j->out, '\n');
  for (guint i = 0; i < j->depth; i++)
    g_string_append (j->out, "  ");
}

static void
append_quoted (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_validate (text, -1, NULL) ? NULL : g_utf8_make_valid (text, -1);

  g_string_append_c (out, '"');
  for (const char *p = valid != NULL ? valid : text; *p != '\0'; p++) {
    if (*p == '"' || *p == '\\')
      g_string_append_c (out, '\\');
    if ((guchar) *p < 0x20 || *p == 0x7f)
      g_string_append_printf (out, "\\u%04x", (guint) *p);
    else
      g_string_append_c (out, *p);
  }
  g_string_append_c (out, '"');
}

static void
start (RpJson *j, const char *key)
{
  if (!j->empty)
    g_string_append_c (j->out, ',');
  new_line (j);
  j->empty = FALSE;
  if (key != NULL) {
    append_quoted (j->out, key);
    g_string_append (j->out, ": ");
  }
}

static void
begin (RpJson *j, const char *key, char bracket)
{
  start (j, key);
  g_string_append_c (j->out, bracket);
  j->depth++;
  j->empty = TRUE;
}

static void
end (RpJson *j, char bracket)
{
  j->depth--;
  if (!j->empty)
    new_line (j);
  g_string_append_c (j->out, bracket);
  j->empty = FALSE;
}

void
rp_json_begin_object (RpJson *j, const char *key)
{
  begin (j, key, '{');
}
void
rp_json_end_object (RpJson *j)
{
  end (j, '}');
}
void
rp_json_begin_array (RpJson *j, const char *key)
{
  begin (j, key, '[');
}
void
rp_json_end_array (RpJson *j)
{
  end (j, ']');
}

void
rp_json_text (RpJson *j, const char *key, const char *text)
{
  start (j, key);
  append_quoted (j->out, text != NULL ? text : "");
}

void
rp_json_uint (RpJson *j, const char *key, guint64 v)
{
  start (j, key);
  g_string_append_printf (j->out, "%" G_GUINT64_FORMAT, v);
}

void
rp_json_int (RpJson *j, const char *key, gint64 v)
{
  start (j, key);
  g_string_append_printf (j->out, "%" G_GINT64_FORMAT, v);
}

void
rp_json_bool (RpJson *j, const char *key, gboolean v)
{
  start (j, key);
  g_string_append (j->out, v ? "true" : "false");
}

static void
append_number (RpJson *j, const char *key, const char *buf, guint n)
{
  start (j, key);
  if (n > 0)
    g_string_append_len (j->out, buf, n);
  else
    g_string_append (j->out, "null");
}

void
rp_json_double (RpJson *j, const char *key, double v)
{
  char buf[RP_DOUBLE_SIZE];

  append_number (j, key, buf, rp_format_double (buf, v));
}

void
rp_json_time (RpJson *j, const char *key, gint64 us)
{
  char buf[RP_DOUBLE_SIZE];

  append_number (j, key, buf, us == RP_NONE ? 0 : rp_format_time (buf, us));
}

char *
rp_json_finish (RpJson *j, gsize *length)
{
  end (j, '}');
  g_string_append_c (j->out, '\n');
  *length = j->out->len;
  return g_string_free (g_steal_pointer (&j->out), FALSE);
}
