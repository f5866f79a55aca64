/* workloads/import/objects.c - jobs that a row of jobs.csv cannot say, as objects: those whose pods keep away from each other are Jobs of Volcano, those that wait for
 * others are JobTemplates of a JobFlow. */
#include "resources.h"
#include "table-out.h"
#include "workloads/native/node-terms.h"
#include <string.h>

/* Names are in quotes: without them 1e-30 would be a number. */

gboolean
wl_import_is_object (const WlImport *imp, const WlStoredJob *j)
{
  if (j->step > 0 || !imp->objects_needed)
    return j->step > 0;
  for (guint k = 0; k < j->n_roles; k++) {
    const WlRoleTraits *t = wl_records_get (imp->role_traits, wl_import_get_role (imp, j, k).traits);

    if (t->apart_by != NULL || t->spread != NULL)
      return TRUE;
  }
  return FALSE;
}

/* A text in double quotes. */
static void
append_text (GString *s, const char *text)
{
  g_string_append_c (s, '"');
  for (const char *p = text; *p != '\0'; p++) {
    if (*p == '"' || *p == '\\')
      g_string_append_c (s, '\\');
    g_string_append_c (s, *p);
  }
  g_string_append_c (s, '"');
}

static void
append_line (GString *s, const char *key, const char *text)
{
  g_string_append (s, key);
  append_text (s, text);
  g_string_append_c (s, '\n');
}

static void
append_moment (GString *s, const char *key, WlTime t)
{
  g_string_append (s, key);
  g_string_append_c (s, '"');
  wl_put_time (s, t);
  g_string_append (s, "\"\n");
}

/* ---- pods --------------------------------------------------------------------------------------------- */

static void
append_requests (const WlImport *imp, GString *s, const WlImportAmounts *a)
{
  WlUses uses = { .more = g_ptr_array_new_with_free_func (g_free) };
  g_autoptr (GString) amount = g_string_new (NULL);

  wl_note_uses (&uses, a);
  g_autoptr (GArray) columns = wl_resource_columns (imp, &uses, FALSE);

  if (columns->len == 0)
    return;
  g_string_append (s, "          resources:\n            limits:\n"); /* requests follow them, and devices want them */
  for (guint i = 0; i < columns->len; i++) {
    const WlResourceColumn *c = &g_array_index (columns, WlResourceColumn, i);

    g_string_truncate (amount, 0);
    wl_put_amount (imp, amount, a, c, WL_OF_POD);
    if (amount->len > 0)
      g_string_append_printf (s, "              %s: \"%s\"\n", c->name, amount->str);
  }
}

static void
append_expression (GString *s, const char *key, const char *operator, char **value)
{
  g_string_append_printf (s, "                - key: \"%s\"\n                  operator: %s\n", key, operator);
  if (value == NULL || *value == NULL)
    return;
  g_string_append (s, "                  values: [");
  for (char **v = value; *v != NULL; v++) {
    g_string_append (s, v > value ? ", " : "");
    append_text (s, *v);
  }
  g_string_append (s, "]\n");
}

/* Terms of a selector as required node affinity. */
static void
append_selector (GString *s, const char *selector)
{
  static const char *const names[] = { [VC_OP_IN] = "In", [VC_OP_NOT_IN] = "NotIn", [VC_OP_EXISTS] = "Exists", [VC_OP_DOES_NOT_EXIST] = "DoesNotExist", [VC_OP_GT] = "Gt", [VC_OP_LT] = "Lt" };
  g_autoptr (GArray) pairs = NULL, terms = NULL;

  if (selector == NULL || !wl_parse_node_selector (selector, &pairs, &terms, NULL))
    return;
  g_string_append (s, "          nodeAffinity:\n            requiredDuringSchedulingIgnoredDuringExecution:\n              nodeSelectorTerms:\n              - matchExpressions:\n");
  for (guint i = 0; i < pairs->len; i++) {
    char *value[] = { g_array_index (pairs, WlPair, i).value, NULL };

    append_expression (s, g_array_index (pairs, WlPair, i).key, "In", value);
  }
  for (guint i = 0; i < terms->len; i++) {
    const WlNodeTerm *t = &g_array_index (terms, WlNodeTerm, i);

    append_expression (s, t->key, names[t->op], t->value);
  }
}

static void
append_role (const WlImport *imp, GString *s, const WlStoredJob *j, guint k, const char *job)
{
  const WlJobTraits *of_job = wl_records_get (imp->job_traits, j->traits);
  const WlStoredRole r = wl_import_get_role (imp, j, k);
  const WlRoleTraits *t = wl_records_get (imp->role_traits, r.traits);

  g_string_append_printf (s, "  - name: \"%s\"\n    replicas: %u\n", t->name != NULL ? t->name : "task", r.replicas);
  if (t->min_available > 0)
    g_string_append_printf (s, "    minAvailable: %d\n", t->min_available);
  g_string_append_printf (s, "    template:\n      metadata:\n        labels:\n          volsim.io/job: \"%s\"\n        annotations:\n          volsim.io/duration: \"", job);
  wl_put_durations (imp, s, &r);
  g_string_append (s, "\"\n");
  if (t->exit_code != 0)
    g_string_append_printf (s, "          volsim.io/exit-code: \"%d\"\n", t->exit_code);
  if (t->scale != NULL)
    append_line (s, "          volsim.io/scale: ", t->scale);
  if (of_job->preemptable != 0)
    g_string_append_printf (s, "          volcano.sh/preemptable: \"%s\"\n", of_job->preemptable > 0 ? "true" : "false");
  g_string_append (s, "      spec:\n        restartPolicy: Never\n");
  if (t->selector != NULL || t->apart_by != NULL)
    g_string_append (s, "        affinity:\n");
  append_selector (s, t->selector);
  if (t->apart_by != NULL)
    g_string_append_printf (s, "          podAntiAffinity:\n            requiredDuringSchedulingIgnoredDuringExecution:\n            - topologyKey: %s\n              labelSelector:\n"
                               "                matchLabels: {volsim.io/job: \"%s\"}\n",
                            t->apart_by, job);
  if (t->spread != NULL)
    g_string_append_printf (s, "        topologySpreadConstraints:\n        - topologyKey: %s\n          maxSkew: 1\n          whenUnsatisfiable: ScheduleAnyway\n          labelSelector:\n"
                               "            matchLabels: {volsim.io/job: \"%s\"}\n",
                            t->spread, job);
  g_string_append (s, "        containers:\n        - name: main\n          image: worker\n");
  append_requests (imp, s, wl_records_get (imp->requests, r.request));
}

/* ---- jobs --------------------------------------------------------------------------------------------- */

static void
append_head (GString *s, const char *group, const char *kind, const char *name, const char *ns)
{
  g_string_append_printf (s, "---\napiVersion: %s.volcano.sh/v1alpha1\nkind: %s\nmetadata:\n  name: \"%s\"\n", group, kind, name);
  if (ns != NULL)
    g_string_append_printf (s, "  namespace: \"%s\"\n", ns);
}

static void
append_spec (const WlImport *imp, GString *s, const WlStoredJob *j, const char *name)
{
  const WlJobTraits *t = wl_records_get (imp->job_traits, j->traits);
  guint32 pods = 0;

  for (guint k = 0; k < j->n_roles; k++)
    pods += wl_import_get_role (imp, j, k).replicas;
  g_string_append_printf (s, "spec:\n  minAvailable: %u\n", t->min_available > 0 ? (guint32) t->min_available : pods);
  if (t->queue != NULL)
    g_string_append_printf (s, "  queue: \"%s\"\n", t->queue);
  if (t->priority != NULL)
    append_line (s, "  priorityClassName: ", t->priority);
  g_string_append (s, "  tasks:\n");
  for (guint k = 0; k < j->n_roles; k++)
    append_role (imp, s, j, k, name);
}

/* Name of a job's template: what stands behind the name of the flow. */
static const char *
template_of (const WlImport *imp, const WlStoredJob *j)
{
  return j->name + strlen (wl_import_flow (imp, j)) + 1;
}

/* The flow that begins with the @place-th job. */
static void
append_flow (const WlImport *imp, GString *s, guint32 place)
{
  const WlStoredJob first = wl_import_get_job (imp, place);
  const char *flow = wl_import_flow (imp, &first);

  append_head (s, "flow", "JobFlow", flow, ((const WlJobTraits *) wl_records_get (imp->job_traits, first.traits))->ns);
  append_moment (s, "  annotations:\n    volsim.io/submit: ", first.submit);
  g_string_append (s, "spec:\n  jobRetainPolicy: retain\n  flows:\n");
  for (; place < wl_import_n_jobs (imp); place++) {
    const WlStoredJob j = wl_import_get_job (imp, place);
    const WlStoredStep *step = wl_import_step (imp, &j);

    if (step == NULL || step->flow != flow)
      break;
    g_string_append_printf (s, "  - name: \"%s\"\n", template_of (imp, &j));
    for (guint i = 0; i < step->n_after; i++) {
      const WlStoredJob other = wl_import_get_job (imp, g_array_index (imp->after, guint32, step->first_after + i));

      g_string_append_printf (s, "%s\"%s\"", i == 0 ? "    dependsOn:\n      targets: [" : ", ", template_of (imp, &other));
    }
    if (step->n_after > 0)
      g_string_append (s, "]\n");
  }
}

void
wl_put_object (const WlImport *imp, GString *out, guint32 place)
{
  const WlStoredJob before = place > 0 ? wl_import_get_job (imp, place - 1) : (WlStoredJob){ 0 };
  const WlStoredJob job = wl_import_get_job (imp, place), *j = &job;
  const WlJobTraits *t = wl_records_get (imp->job_traits, j->traits);
  g_autoptr (GString) name = g_string_new (NULL);

  wl_import_append_job_name (imp, name, j);
  if (j->step > 0) {
    if (wl_import_flow (imp, &before) != wl_import_flow (imp, j))
      append_flow (imp, out, place);
    append_head (out, "flow", "JobTemplate", template_of (imp, j), t->ns);
  } else {
    append_head (out, "batch", "Job", name->str, t->ns);
    if (t->preemptable != 0)
      g_string_append_printf (out, "  labels:\n    volcano.sh/preemptable: \"%s\"\n", t->preemptable > 0 ? "true" : "false");
    append_moment (out, "  annotations:\n    volsim.io/submit: ", j->submit);
    if (t->remove != WL_TIME_NONE)
      append_moment (out, "    volsim.io/delete: ", MAX (t->remove - imp->offset, j->submit));
  }
  append_spec (imp, out, j, name->str);
}
