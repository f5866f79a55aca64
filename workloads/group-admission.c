/* workloads/group-admission.c - mirrors pkg/webhooks/admission/podgroups, pods and hypernodes. */
#include "admission.h"
#include "core/base/go-regex.h"
#include "k8s-schema.h"
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
