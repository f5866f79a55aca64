/* tests/case.h - one recorded scheduling cycle: its input for sim_cycle_run(), and what differs
 * from the record. */
#pragma once
#include "json-doc.h"
#include "sim/cycle/cycle.h"
G_BEGIN_DECLS

/** The objects of @json as a List, parsed. (transfer full) */
WlObjects *case_objects (const Jd *json, GError **error);
/** Configuration, flags, clock and measured load of @json, mapped as the command line maps them
 * (lenient). Borrows the texts of @json, and lists from @arena. FALSE with @error for a flag that is
 * not known here. */
gboolean case_input (const Jd *json, VcArena *arena, SimCycleInput *in, GError **error);
/** Give back what case_input() has made beside. */
void case_input_clear (SimCycleInput *in);
/** The case as arguments of `volsim cycle`, its files written to @dir: NULL-terminated. (transfer
 * full) */
char **case_arguments (const Jd *json, const char *volsim, const char *dir, GError **error);
/** Differences between the record @json and @got (the answer in JSON), one text each: decisions
 * exactly, figures of queues to 1e-9 of their size. */
void case_diff (const Jd *json, const Jd *got, GPtrArray *out);

/* For cases that are worked out by hand: an answer in one line, ascending. (transfer full) */
char *case_binds (const Jd *answer); /* "pod=node …" */
char *case_fit (const Jd *answer);   /* "pod: reason=nodes, …; …" */

G_END_DECLS
