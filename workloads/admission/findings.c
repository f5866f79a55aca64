/* workloads/admission/findings.c - mirrors field.Error and the name checks of k8s.io/apimachinery/pkg/util/validation. */
#include "findings.h"
#include <string.h>

#define LABEL_MAX 63
#define SUBDOMAIN_MAX 253

GPtrArray *
wl_findings_new (void)
{
  return g_ptr_array_new_with_free_func (g_free);
}

void
wl_find (GPtrArray *out, const char *path, const char *format, ...)
{
  va_list ap;

  va_start (ap, format);
  g_autofree char *what = g_strdup_vprintf (format, ap);
  va_end (ap);
  g_ptr_array_add (out, g_strdup_printf ("%s: %s", path, what));
}

void
wl_find_invalid (GPtrArray *out, const char *path, const char *value, const char *why)
{
  wl_find (out, path, "Invalid value: \"%s\": %s", value, why);
}

void
wl_find_required (GPtrArray *out, const char *path)
{
  wl_find (out, path, "Required value");
}

void
wl_find_unsupported (GPtrArray *out, const char *path, const char *value, const char *const *allowed, guint n)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (list, "%s\"%s\"", i > 0 ? ", " : "", allowed[i]);
  wl_find (out, path, "Unsupported value: \"%s\": supported values: %s", value, list->str);
}

char *
wl_findings_text (const GPtrArray *findings)
{
  g_autoptr (GString) out = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < findings->len; i++) {
    gboolean said = FALSE;

    for (guint k = 0; k < i && !said; k++)
      said = strcmp (findings->pdata[k], findings->pdata[i]) == 0;
    if (said)
      continue;
    g_string_append_printf (out, "%s%s", n++ > 0 ? ", " : "", (const char *) findings->pdata[i]);
  }
  return n > 1 ? g_strdup_printf ("[%s]", out->str) : g_strdup (out->str);
}

/* ---- names ---------------------------------------------------------------------------------- */

static gboolean
is_lower_alnum (char c)
{
  return g_ascii_isdigit (c) || g_ascii_islower (c);
}

/* Lower-case letters, digits and hyphens inside. */
static gboolean
is_label (const char *text, gsize len)
{
  if (len == 0 || !is_lower_alnum (text[0]) || !is_lower_alnum (text[len - 1]))
    return FALSE;
  for (gsize i = 0; i < len; i++)
    if (!is_lower_alnum (text[i]) && text[i] != '-')
      return FALSE;
  return TRUE;
}

/* Letters, digits, and `-_.` inside. */
static gboolean
is_name (const char *text, gsize len)
{
  if (len == 0 || !g_ascii_isalnum (text[0]) || !g_ascii_isalnum (text[len - 1]))
    return FALSE;
  for (gsize i = 0; i < len; i++)
    if (!g_ascii_isalnum (text[i]) && strchr ("-_.", text[i]) == NULL)
      return FALSE;
  return TRUE;
}

const char *
wl_dns_label_problem (const char *text)
{
  gsize len = strlen (text);

  if (len > LABEL_MAX)
    return "must be no more than 63 bytes";
  return is_label (text, len) ? NULL
                              : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and "
                                "end with an alphanumeric character";
}

const char *
wl_dns_subdomain_problem (const char *text)
{
  gboolean good = TRUE;

  if (strlen (text) > SUBDOMAIN_MAX)
    return "must be no more than 253 bytes";
  for (const char *part = text; good && part != NULL;) {
    const char *dot = strchr (part, '.');

    good = is_label (part, dot != NULL ? (gsize) (dot - part) : strlen (part));
    part = dot != NULL ? dot + 1 : NULL;
  }
  return good ? NULL
              : "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end "
                "with an alphanumeric character";
}

const char *
wl_label_value_problem (const char *text)
{
  gsize len = strlen (text);

  if (len > LABEL_MAX)
    return "must be no more than 63 bytes";
  return len == 0 || is_name (text, len) ? NULL
                                         : "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
                                           "and must start and end with an alphanumeric character";
}

void
wl_qualified_problems (const char *text, GPtrArray *out)
{
  const char *slash = strchr (text, '/'), *name = slash != NULL ? slash + 1 : text;

  if (slash != NULL && strchr (name, '/') != NULL) {
    g_ptr_array_add (out, (gpointer) "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with "
                                     "an alphanumeric character with an optional DNS subdomain prefix and '/'");
    return;
  }
  if (slash != NULL) {
    g_autofree char *prefix = g_strndup (text, (gsize) (slash - text));

    if (*prefix == '\0')
      g_ptr_array_add (out, (gpointer) "prefix part must be non-empty");
    else if (wl_dns_subdomain_problem (prefix) != NULL)
      g_ptr_array_add (out, (gpointer) (strlen (prefix) > SUBDOMAIN_MAX ? "prefix part must be no more than 253 bytes"
                                                                        : "prefix part a lowercase RFC 1123 subdomain must consist of lower "
                                                                          "case alphanumeric characters, '-' or '.', and must start and end "
                                                                          "with an alphanumeric character"));
  }
  gsize len = strlen (name);

  if (len == 0)
    g_ptr_array_add (out, (gpointer) "name part must be non-empty");
  else if (len > LABEL_MAX)
    g_ptr_array_add (out, (gpointer) "name part must be no more than 63 bytes");
  if (!is_name (name, len))
    g_ptr_array_add (out, (gpointer) "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
                                     "alphanumeric character");
}

char *
wl_qualified_problem (const char *text)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new ();

  wl_qualified_problems (text, problems);
  if (problems->len == 0)
    return NULL;
  g_ptr_array_add (problems, NULL);
  g_autofree char *all = g_strjoinv (" ", (char **) problems->pdata);
  return g_strdup_printf ("[%s]", all);
}
