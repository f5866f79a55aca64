/* reports/words.h - figures as people read them, and columns on a terminal. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

#define RP_SCREEN_WIDTH 79

/** A time span in at most 7 characters (below 10,000 days): "0s", "12.5s", "59.9min", "2.1h", "41.7d". (transfer full) */
char *rp_span (double seconds);
/** "12.5 %", "–" for NaN. (transfer full) */
char *rp_percent (double ratio);
/** Thousands separated. (transfer full) */
char *rp_number (guint64 n);
/** Why another job had its turn first, in words: "first by priority". @ahead is as in ledger.csv. (transfer full) */
char *rp_ahead_words (const char *ahead);
/** What stands in a job's way, in words: "not admitted: plugin overcommit votes against it". @cause and the others are as in ledger.csv. (transfer full) */
char *rp_blame_words (const char *cause, const char *by, const char *reason);
/** @text in exactly @width columns: cut with an ellipsis or padded, on the left when @right. Control characters become spaces, since this goes
 * to a terminal. */
void rp_append_cell (GString *out, const char *text, guint width, gboolean right);
/** One line, cut at the width of the screen. */
void rp_append_line (GString *out, const char *text);
/** Words of @text in lines of the screen's width: the first behind @first, the others behind as many spaces. */
void rp_append_wrapped (GString *out, const char *first, const char *text);

G_END_DECLS
