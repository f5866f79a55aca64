/* sim/cycle/save-private.h - pieces of saved objects that several kinds have, and the kinds of save-objects.c. */
#pragma once
#include "core/model/quota.h"
#include "core/model/sub-jobs.h"
#include "reports/json.h"
G_BEGIN_DECLS

/* save-cycle.c */
void sim_save_begin (RpJson *j, const char *api, const char *kind);
void sim_save_pairs (RpJson *j, const char *key, const VcPairs *pairs);
void sim_save_amounts (RpJson *j, const char *key, const VcAmounts *a);
void sim_save_expressions (RpJson *j, const char *key, const VcExpression *e, guint n);

/* save-objects.c */
void sim_save_pod_terms (RpJson *j, const VcPodSpec *s); /* podAffinity and podAntiAffinity */
void sim_save_spreads (RpJson *j, const VcPodSpec *s);
void sim_save_quotas (RpJson *j, const VcCluster *c);
void sim_save_budgets (RpJson *j, const VcCluster *c);
void sim_save_hyper_nodes (RpJson *j, const VcCluster *c);
void sim_save_namespaces (RpJson *j, const VcCluster *c);
void sim_save_sub_groups (RpJson *j, const VcSubJobs *s); /* of a PodGroup's spec */
void sim_save_node_groups (RpJson *j, const VcNodeGroups *g); /* of a queue's spec */

G_END_DECLS
