/* sim/cycle/explain-diff.h - two explanations of the same pod in the same cycle: which plugin makes the difference. */
#pragma once
#include "explain.h"
#include "core/conf/conf.h"
G_BEGIN_DECLS

/** In words, as lines: the first answer that differs between @a and @b, with plugin and tier. @conf_a and @conf_b are the configurations. NULL when
 * no plugin's answer differs (the order of jobs or queues, or the actions, then decide). (transfer full) */
char *sim_explain_difference (const SimExplain *a, const SimExplain *b, const VcConf *conf_a, const VcConf *conf_b, const char *label_a,
                              const char *label_b);

/** The same where others have taken the room of a node before it on one side only: no plugin says so, the order of pods does. (transfer full) */
char *sim_explain_crowding (const SimExplain *a, const SimExplain *b, const VcConf *conf_a, const VcConf *conf_b, const char *label_a, const char *label_b);
/** Does @job ("namespace/job") have a turn on both sides before turns differ? The place of the first one, G_MAXUINT: it has none. */
guint sim_explain_turn_of (const SimExplain *a, const SimExplain *b, const char *job);
/** In words, as a line: which two jobs or queues first have their turns the other way round, and who puts them so on each side. NULL when turns do not
 * differ, or when one of the two is not there on the other side; then *missing (transfer full, NULL: none) is a job that has a turn on one side only,
 * "namespace/job". (transfer full) */
char *sim_explain_order (const SimExplain *a, const SimExplain *b, const VcConf *conf_a, const VcConf *conf_b, const char *label_a, const char *label_b,
                         char **missing);

G_END_DECLS
