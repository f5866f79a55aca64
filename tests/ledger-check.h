/* tests/ledger-check.h - what must hold of ledger.csv in every results directory. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

/** For each job of @results: the intervals of its first wait follow each other without a gap from the submission to the gang start, or, where
 * it never started, to its finish or the end of the run. Those of later waits do not overlap. What is wrong, one text
 * each. (transfer full) */
GPtrArray *ledger_faults (const char *results);

G_END_DECLS
