/* sim/cycle/explain-diff.h - two explanations of the same pod in the same cycle: which plugin makes the difference. */
#pragma once
#include "explain.h"
#include "core/conf/conf.h"
G_BEGIN_DECLS

/** In words, as lines: the first answer that differs between @a and @b, with plugin and tier. @conf_a and @conf_b are the configurations. NULL when
 * no plugin's answer differs (the order of jobs or queues, or the actions, then decide). (transfer full) */
char *sim_explain_difference (const SimExplain *a, const SimExplain *b, const VcConf *conf_a, const VcConf *conf_b, const char *label_a,
                              const char *label_b);

G_END_DECLS
