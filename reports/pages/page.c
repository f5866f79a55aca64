#include "page.h"
#include <string.h>

#define LONG_HEAD 16u /* bytes: a longer head of a column is broken wherever it has to be */

/* Wide things (listings, charts, tables with many columns) scroll in their own box: the page itself is never wider than the screen. Charts keep a size
 * at which their letters can be read, and their white ground. On a phone each row of a table is a list of its cells with the columns' heads beside them
 * (append_labels()). */
static const char style[] =
  "*{box-sizing:border-box}"
  "body{font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff;margin:0 auto;max-width:60rem;padding:1rem;overflow-wrap:anywhere}"
  "h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.2rem;border-bottom:1px solid #ccc;margin-top:2rem}h3{font-size:1rem;margin:1.2rem 0 .4rem}"
  "table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.2rem .6rem;text-align:right;border-bottom:1px solid #e5e5e5;white-space:nowrap;vertical-align:top}"
  "th:first-child,td:first-child{text-align:left;white-space:normal;overflow-wrap:break-word;min-width:6rem;max-width:26rem}th{background:#f5f5f5;vertical-align:bottom}th.long{white-space:normal;overflow-wrap:anywhere;min-width:7rem}td.bar{text-align:left}"
  ".t2 td:nth-child(2),.t2 th:nth-child(2),.t3 td:nth-child(3),.t3 th:nth-child(3),.t4 td:nth-child(4),.t4 th:nth-child(4),.t5 td:nth-child(5),.t5 th:nth-child(5),.t6 td:nth-child(6),.t6 th:nth-child(6){text-align:left}"
  ".wide{overflow-x:auto;margin:.5rem 0;max-width:100%}figure{margin:1rem 0}figure svg{display:block;width:100%;min-width:44rem;height:auto}figcaption{color:#555;font-size:.9rem}"
  "pre{background:#f5f5f5;padding:.6rem;overflow-x:auto;font-size:.85rem;white-space:pre-wrap}.bar span{display:inline-block;height:.7rem;background:#0072B2}"
  ".facts{display:flex;flex-wrap:wrap;gap:.6rem;padding:0;list-style:none}.facts li{background:#f5f5f5;padding:.5rem .8rem;border-radius:.3rem}"
  ".facts b{display:block;font-size:1.3rem}pre b{font-weight:600}pre .less{color:#8f3a00;background:#fbe9dd}pre .more{color:#00543d;background:#dff3ec}"
  "td.sha{font-family:monospace;font-size:.8rem}"
  "@media (max-width:40rem){body{padding:.7rem}h1{font-size:1.3rem}.facts b{font-size:1.1rem}th,td{padding:.2rem .4rem;font-size:.9rem}th:first-child,td:first-child{max-width:12rem}pre{font-size:.75rem}"
  ".wide table,.wide tbody,.wide tr{display:block;width:100%}.wide tr:first-child{display:none}.wide tr{border-bottom:1px solid #ccc;padding:.3rem 0}"
  ".wide td,.wide td:first-child{display:grid;grid-template-columns:minmax(8rem,1fr) auto;gap:1rem;border:0;max-width:none;padding:.1rem .2rem;text-align:right;white-space:normal;overflow-wrap:anywhere}"
  ".wide td:first-child,.wide td[colspan]{display:block}.wide td:first-child{font-weight:600;text-align:left}.wide td:empty{display:none}.wide td::before{color:#555;text-align:left;font-family:system-ui,sans-serif;font-size:1rem;min-width:0}.wide td[colspan]::before{content:none!important}}"
  "@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark}body{color:#e4e4e4;background:#16181c}a{color:#7cc4f4}h2,.wide tr{border-color:#444}th,td{border-color:#333}th,pre,.facts li{background:#24272d}"
  "figure svg{background:#fff}figcaption,.wide td::before{color:#aaa}.bar span{background:#56B4E9}pre .less{color:#ffb38a;background:#3a2418}pre .more{color:#8fe0c0;background:#12332a}}"
  "@media print{h2{break-after:avoid}figure{break-inside:avoid}.wide,pre{overflow:visible}figure svg{min-width:0}}";

/* ---- texts --------------------------------------------------------------------------------------- */

void
rp_page_text (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  for (char *p = valid; *p != '\0'; p++)
    if (((guchar) *p < 0x20 && *p != '\n' && *p != '\t') || *p == 0x7f)
      *p = ' '; /* not allowed in a page, not even as a reference */
  g_autofree char *safe = g_markup_escape_text (valid, -1);

  g_string_append (out, safe);
}

static void
element (GString *out, const char *open, const char *text, const char *close)
{
  g_string_append (out, open);
  rp_page_text (out, text);
  g_string_append (out, close);
}

void
rp_page_heading (GString *out, int level, const char *text)
{
  element (out, level == 2 ? "<h2>" : "<h3>", text, level == 2 ? "</h2>\n" : "</h3>\n");
}

void
rp_page_paragraph (GString *out, const char *text)
{
  element (out, "<p>", text, "</p>\n");
}

void
rp_page_pre (GString *out, const char *text)
{
  element (out, "<pre tabindex=\"0\">", text, "</pre>\n");
}

GString *
rp_page_begin (const char *title)
{
  GString *out = g_string_new ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");

  element (out, "<title>", title, "</title>\n");
  g_string_append_printf (out, "<style>%s</style></head><body>\n", style);
  element (out, "<h1>", title, "</h1>\n");
  return out;
}

char *
rp_page_end (GString *out)
{
  g_string_append (out, "</body></html>\n");
  return g_string_free (out, FALSE);
}

/* ---- facts and tables ---------------------------------------------------------------------------- */

void
rp_page_facts_begin (GString *out)
{
  g_string_append (out, "<ul class=\"facts\">\n");
}

void
rp_page_fact (GString *out, const char *what, const char *value)
{
  element (out, "<li><b>", value, "</b>");
  element (out, "", what, "</li>\n");
}

void
rp_page_facts_end (GString *out)
{
  g_string_append (out, "</ul>\n");
}

/* A text as a string of a style sheet: all that could end it, or the sheet, is written by its number. */
static void
append_css_string (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  g_string_append_c (out, '"');
  for (const char *p = valid; *p != '\0'; p++)
    if (g_ascii_isalnum (*p) || *p == ' ' || (guchar) *p >= 0x80)
      g_string_append_c (out, *p);
    else
      g_string_append_printf (out, "\\%x ", (guint) (guchar) *p);
  g_string_append_c (out, '"');
}

/* What stands beside the cells of a table on a narrow screen, where its head is not shown. */
static void
append_labels (GString *out, gsize table, const char *const *head, guint n)
{
  g_string_append (out, "<style>@media (max-width:40rem){");
  for (guint i = 1; i < n; i++) {
    g_string_append_printf (out, "#w%" G_GSIZE_FORMAT " td:nth-child(%u)::before{content:", table, i + 1);
    append_css_string (out, head[i]);
    g_string_append_c (out, '}');
  }
  g_string_append (out, "}</style>\n");
}

void
rp_page_table_begin (GString *out, const char *const *head, guint n, const char *texts)
{
  gsize table = out->len; /* no other one begins there */

  append_labels (out, table, head, n);
  g_string_append_printf (out, "<div class=\"wide\" id=\"w%" G_GSIZE_FORMAT "\" tabindex=\"0\"><table class=\"t", table);
  for (; *texts != '\0'; texts++)
    g_string_append_printf (out, "%c%s", *texts, texts[1] != '\0' ? " t" : "");
  g_string_append (out, "\">\n<tr>");
  for (guint i = 0; i < n; i++)
    element (out, strlen (head[i]) > LONG_HEAD ? "<th class=\"long\">" : "<th>", head[i], "</th>"); /* names of files must not push figures aside */
  g_string_append (out, "</tr>\n");
}

static void
cells (GString *out, const char *const *cell, guint n)
{
  g_string_append (out, "<tr>");
  for (guint i = 0; i < n; i++)
    element (out, "<td>", cell[i], "</td>");
}

void
rp_page_row (GString *out, const char *const *cell, guint n)
{
  cells (out, cell, n);
  g_string_append (out, "</tr>\n");
}

void
rp_page_bar_row (GString *out, const char *const *cell, guint n, double share)
{
  char width[G_ASCII_DTOSTR_BUF_SIZE];

  cells (out, cell, n);
  g_string_append_printf (out, "<td class=\"bar\"><span style=\"width:%srem\"></span></td></tr>\n", g_ascii_formatd (width, sizeof width, "%.1f", CLAMP (share, 0, 1) * 10));
}

void
rp_page_table_end (GString *out)
{
  g_string_append (out, "</table></div>\n");
}

/* ---- charts -------------------------------------------------------------------------------------- */

void
rp_page_chart (GString *out, const char *svg, const char *caption)
{
  const char *from = strstr (svg, "<svg");

  if (from == NULL)
    return;
  g_string_append_printf (out, "<figure>\n<div class=\"wide\" tabindex=\"0\">%s</div>", from);
  element (out, "<figcaption>", caption, "</figcaption></figure>\n");
}

void
rp_page_charts (GString *out, const char *dir, const RpPageChart *charts, guint n, const char *heading)
{
  gboolean any = FALSE;

  for (guint i = 0; i < n; i++) {
    g_autofree char *file = g_strconcat (charts[i].name, ".svg", NULL), *path = g_build_filename (dir, file, NULL), *svg = NULL;

    if (!g_file_get_contents (path, &svg, NULL, NULL))
      continue; /* not drawn */
    if (!any && heading != NULL)
      rp_page_heading (out, 2, heading);
    any = TRUE;
    rp_page_chart (out, svg, charts[i].caption);
  }
}

/* ---- whence it comes ----------------------------------------------------------------------------- */

static void
input (GString *out, const char *name, const char *digest)
{
  element (out, "<tr><td>", name, "</td>");
  element (out, "<td class=\"sha\">", digest, "</td></tr>\n");
}

void
rp_page_inputs (GString *out, const char *const *name, const char *const *digest, guint n, const VcJson *const *summary, guint n_summaries)
{
  static const char *const head[] = { "input", "SHA-256" };
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL); /* for look-ups only */

  rp_page_heading (out, 2, "Inputs");
  rp_page_table_begin (out, head, G_N_ELEMENTS (head), "2");
  for (guint i = 0; i < n; i++)
    input (out, name[i], digest[i]);
  for (guint i = 0; i < n_summaries; i++) {
    const VcJson *list = vc_json_get (summary[i], "inputs");

    for (const VcJson *one = list != NULL ? list->child : NULL; one != NULL; one = one->next) {
      const char *file = "", *sha = "";

      vc_json_get_text (one, "name", &file, NULL);
      vc_json_get_text (one, "sha256", &sha, NULL);
      if (g_hash_table_add (seen, g_strconcat (sha, " ", file, NULL)))
        input (out, file, sha);
    }
  }
  rp_page_table_end (out);
}

void
rp_page_difference (GString *out, const char *name_a, const char *a, const char *name_b, const char *b)
{
  g_auto (GStrv) lines_a = g_strsplit (a, "\n", -1), lines_b = g_strsplit (b, "\n", -1);
  g_autoptr (GArray) diff = rp_diff ((const char *const *) lines_a, (const char *const *) lines_b, 3);

  if (diff->len == 0) {
    rp_page_paragraph (out, "The texts are equal.");
    return;
  }
  element (out, "<pre tabindex=\"0\"><span class=\"less\">--- ", name_a, "</span>\n");
  element (out, "<span class=\"more\">+++ ", name_b, "</span>\n");
  for (guint i = 0; i < diff->len; i++) {
    const RpDiffLine *l = &g_array_index (diff, RpDiffLine, i);

    if (l->sign == '@')
      g_string_append (out, "…\n");
    else if (l->sign == ' ')
      element (out, "  ", l->line, "\n");
    else
      element (out, l->sign == '-' ? "<span class=\"less\">- " : "<span class=\"more\">+ ", l->line, "</span>\n");
  }
  g_string_append (out, "</pre>\n");
}

void
rp_page_fidelity (GString *out)
{
  g_string_append (out,
                   "<h2>How far to trust it</h2>\n<ul>\n"
                   "<li><b>Exact:</b> what the scheduler decides in a cycle (admission, order, nodes, gangs, evictions, phases), for every plugin and action that volsim "
                   "accepts, is compared with recorded decisions of Volcano. Where Volcano leaves an order to chance, one order is fixed.</li>\n"
                   "<li><b>As told by the inputs:</b> run times, exit codes, latencies, faults and the load of nodes are those of the trace and the scenario; jobs run no faster or "
                   "slower for their neighbours unless the scenario says so.</li>\n"
                   "<li><b>Not modelled:</b> the time that API server and controllers take (unless the scenario gives lags and rates), networks, the real contention of shared "
                   "devices, and whatever volsim refuses by name.</li>\n</ul>\n");
}

void
rp_page_again (GString *out, const char *command, const char *version, const char *words)
{
  rp_page_heading (out, 2, "Run it again");
  rp_page_pre (out, command);
  g_string_append (out, "<p>volsim ");
  element (out, "", version, "; the same inputs give the same bytes. ");
  element (out, "", words, "</p>\n");
}
