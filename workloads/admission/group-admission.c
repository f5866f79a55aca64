/* workloads/admission/group-admission.c - mirrors pkg/webhooks/admission/podgroups, pods and hypernodes. */
#include "admission.h"
#include "core/base/go-regex.h"
#include "workloads/k8s/k8s-schema.h"
#include <string.h>

/* ---- PodGroups ------------------------------------------------------------------------------ */

char *
wl_admit_pod_group (const char *refusal, const char *queue_name, const WlQueueView *queue)
{
  g_autofree char *problem = NULL;

  if (queue_name != NULL && *queue_name != '\0') {
    if (queue == NULL) {
      g_autofree char *missing = wl_queue_not_found (queue_name);

      problem = g_strdup_printf ("unable to find queue: %s", missing);
    } else if (strcmp (queue->state, "Open") != 0) {
      problem = g_strdup_printf ("can only submit PodGroup to queue with state `Open`, queue `%s` status is `%s`.", queue->name, queue->state);
    }
  }
  if (problem == NULL || refusal == NULL)
    return problem != NULL ? g_steal_pointer (&problem) : g_strdup (refusal);
  return g_strdup_printf ("%s; %s", problem, refusal);
}

static gboolean
names_two_tiers (struct fy_node *topology)
{
  g_autoptr (GString) text = g_string_new (NULL);

  return k8s_get (topology, "highestTierAllowed") != NULL && *k8s_get_text (topology, "highestTierName", text) != '\0';
}

char *
k8s_judge_pod_group (const char *name, struct fy_node *spec)
{
  static const char two_tiers[] = "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously.";
  g_autoptr (GPtrArray) schema = wl_findings_new (), said = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) text = g_string_new (NULL);
  struct fy_node *list = k8s_get (spec, "subGroupPolicy"), *policy;
  void *at = NULL;

  k8s_judge_schema (K8S_SCHEMA_POD_GROUP, name, spec, schema);
  if (names_two_tiers (k8s_get (spec, "networkTopology")))
    g_ptr_array_add (said, g_strdup (two_tiers));
  while ((policy = k8s_next (list, &at)) != NULL)
    if (names_two_tiers (k8s_get (policy, "networkTopology"))) {
      g_ptr_array_add (said, g_strdup_printf ("in subGroupPolicy '%s': %s", k8s_get_text (policy, "name", text), two_tiers));
      break; /* the first is told of */
    }
  if (schema->len == 0 && said->len == 0)
    return NULL;
  g_autofree char *first = schema->len > 0 ? k8s_schema_text (K8S_SCHEMA_POD_GROUP, name, schema) : NULL;

  g_ptr_array_add (said, NULL);
  g_autofree char *second = g_strjoinv (" ", (char **) said->pdata);

  return g_strdup_printf ("%s%s%s", first != NULL ? first : "", first != NULL && *second != '\0' ? "; " : "", second);
}

/* ---- pods ----------------------------------------------------------------------------------- */

static gboolean
parse_atoi (const char *text, gint64 *v)
{
  return g_ascii_string_to_signed (*text == '+' ? text + 1 : text, 10, G_MININT64, G_MAXINT64, v, NULL);
}

static char *
judge_share (const char *key, const char *value)
{
  gint64 v;

  if (parse_atoi (value, &v))
    return v > 0 ? NULL : g_strdup_printf ("invalid value <\"%s\"> for %s, it must be a positive integer", value, key);
  g_auto (GStrv) parts = g_strsplit (value, "%", -1);
  g_autofree char *digits = g_strjoinv ("", parts);

  if (!parse_atoi (digits, &v))
    return g_strdup_printf ("invalid value strconv.Atoi: parsing \"%s\": invalid syntax for %s", digits, key);
  return v > 0 && v < 100 ? NULL
                          : g_strdup_printf ("invalid value <\"%s\"> for %s, it must be a valid percentage which between 1%% ~ 99%%", value, key);
}

char *
wl_admit_pod (const VcPairs *annotations)
{
  static const char *const keys[] = { "volcano.sh/jdb-min-available", "volcano.sh/jdb-max-unavailable" };
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    const char *value = vc_pairs_get (annotations, keys[i]);
    char *problem = value != NULL ? judge_share (keys[i], value) : NULL;

    if (problem != NULL)
      return problem;
    n += value != NULL;
  }
  return n > 1 ? g_strdup_printf ("not allow configure multiple annotations <[%s %s]> at same time", keys[0], keys[1]) : NULL;
}

/* ---- webhooks ------------------------------------------------------------------------------- */

gboolean
wl_parse_webhooks (const char *text, guint *bits, GError **error)
{
  static const struct { const char *path; guint bit; gboolean needed; } known[] = {
    { "/jobs/mutate", 0, TRUE },
    { "/jobs/validate", 0, TRUE },
    { "/queues/mutate", 0, TRUE },
    { "/queues/validate", WL_WEBHOOK_QUEUES_VALIDATE, FALSE },
    { "/hypernodes/validate", 0, TRUE },
    { "/cronjobs/validate", 0, TRUE },
    { "/podgroups/validate", WL_WEBHOOK_POD_GROUPS_VALIDATE, FALSE },
    { "/podgroups/mutate", WL_WEBHOOK_POD_GROUPS_MUTATE, FALSE },
    { "/pods/mutate", WL_WEBHOOK_PODS_MUTATE, FALSE },
    { "/pods/validate", WL_WEBHOOK_PODS_VALIDATE, FALSE },
    { "/jobflows/validate", WL_WEBHOOK_JOB_FLOWS_VALIDATE, FALSE },
  };
  g_auto (GStrv) path = g_strsplit (text, ",", -1);

  *bits = 0;
  for (guint i = 0; path[i] != NULL; i++) {
    guint k = 0;

    g_strstrip (path[i]);
    while (k < G_N_ELEMENTS (known) && strcmp (known[k].path, path[i]) != 0)
      k++;
    if (k == G_N_ELEMENTS (known)) {
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "expected paths of webhooks such as /queues/validate, found '%s'", path[i]);
      return FALSE;
    }
    *bits |= known[k].bit;
  }
  for (guint k = 0; k < G_N_ELEMENTS (known); k++)
    if (known[k].needed && !g_strv_contains ((const char *const *) path, known[k].path)) {
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "without %s, which is not simulated: it cannot be left out", known[k].path);
      return FALSE;
    }
  return TRUE;
}

/* ---- HyperNodes ----------------------------------------------------------------------------- */

/* The rules that the schema writes as expressions: exactly one way to choose a member. */
static void
judge_selectors (struct fy_node *members, GPtrArray *out)
{
  static const char *const ways[] = { "exactMatch", "regexMatch", "labelMatch" };
  struct fy_node *member;
  void *at = NULL;

  for (guint i = 0; (member = k8s_next (members, &at)) != NULL; i++) {
    struct fy_node *selector = k8s_get (member, "selector");
    g_autofree char *path = g_strdup_printf ("spec.members[%u].selector", i);
    guint n = 0;

    for (guint k = 0; k < G_N_ELEMENTS (ways); k++)
      n += k8s_get (selector, ways[k]) != NULL;
    if (selector != NULL && n == 0)
      wl_find_invalid (out, path, "object", "Either ExactMatch or RegexMatch or LabelMatch must be specified");
    if (n > 1)
      wl_find_invalid (out, path, "object", "Only one of ExactMatch, RegexMatch, or LabelMatch can be specified");
  }
}

static void
judge_members (struct fy_node *members, GPtrArray *out)
{
  g_autoptr (GString) text = g_string_new (NULL);
  struct fy_node *member;
  void *at = NULL;
  guint n = 0;

  for (; (member = k8s_next (members, &at)) != NULL; n++) {
    const char *pattern = k8s_get_text (k8s_get (k8s_get (member, "selector"), "regexMatch"), "pattern", text), *what = NULL;

    if (*pattern == '\0' || vc_go_regex_check (pattern, &what) != VC_GO_REGEX_BAD)
      continue;
    g_autofree char *why = g_strdup_printf ("member regexMatch pattern is invalid: error parsing regexp: %s", what);

    wl_find_invalid (out, "spec.members.selector.regexMatch.pattern", pattern, why);
  }
  if (n == 0)
    wl_find (out, "spec.members", "Invalid value: null: member must have at least one member");
}

char *
k8s_judge_hyper_node (const char *name, struct fy_node *spec)
{
  g_autoptr (GPtrArray) schema = wl_findings_new (), webhook = wl_findings_new ();
  struct fy_node *members = k8s_get (spec, "members");

  k8s_judge_schema (K8S_SCHEMA_HYPER_NODE, name, spec, schema);
  judge_selectors (members, schema);
  judge_members (members, webhook);
  g_autofree char *first = schema->len > 0 ? k8s_schema_text (K8S_SCHEMA_HYPER_NODE, name, schema) : NULL;
  g_autofree char *second = webhook->len > 0 ? wl_findings_text (webhook) : NULL;

  if (first != NULL && second != NULL)
    return g_strdup_printf ("%s; %s", first, second);
  return first != NULL ? g_steal_pointer (&first) : g_steal_pointer (&second);
}
