/* reports/pages/page.h - the pieces of an HTML page that stands alone: no script, nothing from elsewhere, readable on paper and on a phone. Every text is
 * escaped here; wide things scroll in themselves. */
#pragma once
#include "core/base/json.h"
#include "reports/compare/diff.h"
#include "reports/results/run-data.h"
G_BEGIN_DECLS

/** A page up to its heading. (transfer full: rp_page_end()) */
GString *rp_page_begin (const char *title);
char *rp_page_end (GString *out); /* (transfer full) */

void rp_page_text (GString *out, const char *text);
void rp_page_heading (GString *out, int level, const char *text); /* 2 or 3 */
void rp_page_paragraph (GString *out, const char *text);
void rp_page_pre (GString *out, const char *text);

/* Figures at a glance. */
void rp_page_facts_begin (GString *out);
void rp_page_fact (GString *out, const char *what, const char *value);
void rp_page_facts_end (GString *out);

/* Tables: the first column is text, and those whose numbers (from 2 to 6) stand in @texts; the others are aligned to the right. */
void rp_page_table_begin (GString *out, const char *const *head, guint n, const char *texts);
void rp_page_row (GString *out, const char *const *cell, guint n);
/** A row whose last cell is a bar of @share (0 to 1) of the widest one. */
void rp_page_bar_row (GString *out, const char *const *cell, guint n, double share);
void rp_page_table_end (GString *out);

/** A chart from the text of an SVG file. */
void rp_page_chart (GString *out, const char *svg, const char *caption);
/** The charts of @dir that are there, as <name>.svg; each with its caption. A heading stands above the first. */
typedef struct { const char *name, *caption; } RpPageChart;
void rp_page_charts (GString *out, const char *dir, const RpPageChart *charts, guint n, const char *heading);

/** Files with their digests: first the @n that are given, then those of the runs with these summaries (summary.json), each once. */
void rp_page_inputs (GString *out, const char *const *name, const char *const *digest, guint n, const VcJson *const *summary, guint n_summaries);
/** Lines that only one of two texts has, with some around them. */
void rp_page_difference (GString *out, const char *name_a, const char *a, const char *name_b, const char *b);
/** What a reader may take from these figures, and how to get them again. */
void rp_page_fidelity (GString *out);
void rp_page_again (GString *out, const char *command, const char *version, const char *words);

G_END_DECLS
