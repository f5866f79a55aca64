/* Objects that make jobs: their fields, the API server's defaults. What the webhooks say of them is in flow-admission.c. */
#include "k8s-flow.h"
#include "k8s-fields.h"
#include "k8s-schema.h"
#include "k8s-template.h"
#include <stddef.h>
#include <string.h>

#define SOME_NAME "q9z" /* of a job of a JobTemplate: no longer than any that a JobFlow gives */

/* ---- what they have in common ---------------------------------------------------------------- */

/* @start: the object may be there from the start. */
static gboolean
read_maker (K8sReader *r, const K8sTop *top, const K8sMeta *meta, gboolean start, K8sSchemaKind schema, WlMaker *out)
{
  g_autoptr (GPtrArray) findings = wl_findings_new ();

  *out = (WlMaker){ .ns = meta->ns,
                    .name = meta->name,
                    .file = r->source,
                    .line = k8s_line (r, r->object),
                    .submit = WL_TIME_NONE,
                    .remove = WL_TIME_NONE };
  if (!k8s_time_note (r, top->metadata, &meta->annotations, "volsim.io/submit", &out->submit)
      || !k8s_time_note (r, top->metadata, &meta->annotations, "volsim.io/delete", &out->remove))
    return FALSE;
  if (out->submit == WL_TIME_NONE && !start && !r->timeless)
    return k8s_refuse (r, top->metadata, "annotation volsim.io/submit: missing; it says when the object is made");
  k8s_judge_schema (schema, meta->name, top->spec, findings);
  if (findings->len > 0) {
    g_autofree char *text = k8s_schema_text (schema, meta->name, findings);

    out->rejected = vc_arena_strdup (r->arena, text);
  }
  return TRUE;
}

/* What only jobs have a use for would be passed over without a word. */
static gboolean
refuse_notes (K8sReader *r, struct fy_node *at, const VcPairs *annotations, const char *const *keys, const char *where)
{
  for (guint i = 0; keys[i] != NULL; i++)
    if (vc_pairs_get (annotations, keys[i]) != NULL)
      return k8s_refuse (r, at, "annotation %s: expected on %s", keys[i], where);
  return TRUE;
}

static const char *const of_pods[] = { "volsim.io/duration", "volsim.io/exit-code", "volsim.io/start-delay", NULL };

/* ---- job flows ------------------------------------------------------------------------------- */

typedef struct { K8sTexts targets; gboolean probe; } Depends;

static gboolean
note_given (K8sReader *r, struct fy_node *node, gpointer out)
{
  *(gboolean *) out = !k8s_is_empty (node);
  return TRUE;
}

static gboolean
read_depends (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "targets", k8s_texts, offsetof (Depends, targets) },
    { "probe", note_given, offsetof (Depends, probe) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

typedef struct { const char *name; Depends depends; gboolean patch; } RawStep;

static gboolean
read_step (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "name", k8s_text, offsetof (RawStep, name) },
    { "dependsOn", read_depends, offsetof (RawStep, depends) },
    { "patch", note_given, offsetof (RawStep, patch) },
  };
  RawStep raw = { .name = "" };

  if (!K8S_FIELDS (r, node, fields, &raw))
    return FALSE;
  *(WlFlowStep *) out = (WlFlowStep){ raw.name, raw.depends.targets.item, raw.depends.targets.n, raw.depends.probe, raw.patch };
  return TRUE;
}

typedef struct { WlFlowStep *step; guint n_steps; const char *retain; } RawFlow;

static gboolean
read_steps (K8sReader *r, struct fy_node *node, gpointer out)
{
  RawFlow *flow = out;
  gpointer items = NULL;

  if (!k8s_list (r, node, sizeof (WlFlowStep), read_step, &items, &flow->n_steps))
    return FALSE;
  flow->step = items;
  return TRUE;
}

static gboolean
read_flow_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "flows", read_steps, 0 },
    { "jobRetainPolicy", k8s_text, offsetof (RawFlow, retain) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_job_flow (K8sReader *r, const K8sTop *top, const K8sMeta *meta, WlJobFlow *out)
{
  RawFlow raw = { 0 };

  if (!k8s_field (r, "spec", top->spec, read_flow_spec, &raw)
      || !refuse_notes (r, top->metadata, &meta->annotations, of_pods, "the JobTemplates of its steps")
      || !read_maker (r, top, meta, FALSE, K8S_SCHEMA_JOB_FLOW, &out->maker))
    return FALSE;
  out->step = raw.step;
  out->n_steps = raw.n_steps;
  out->deletes = g_strcmp0 (raw.retain, "delete") == 0;
  if (out->maker.rejected == NULL) {
    g_autofree char *problem = wl_admit_job_flow (out);

    out->refused = problem != NULL ? vc_arena_strdup (r->arena, problem) : NULL;
  }
  return TRUE;
}

/* ---- templates ------------------------------------------------------------------------------- */

gboolean
k8s_read_job_template (K8sReader *r, const K8sTop *top, const K8sMeta *meta, GPtrArray *arrays, WlJobTemplate *out)
{
  out->job_name = SOME_NAME;
  return read_maker (r, top, meta, TRUE, K8S_SCHEMA_JOB_TEMPLATE, &out->maker)
         && k8s_read_job_as (r, top->metadata, top->spec, meta, SOME_NAME, arrays, &out->job);
}

/* ---- cron jobs ------------------------------------------------------------------------------- */

typedef struct { gboolean given; gint64 value; } Int64;

static gboolean
read_given_int64 (K8sReader *r, struct fy_node *node, gpointer out)
{
  Int64 *n = out;

  n->given = TRUE;
  return k8s_int64 (r, node, &n->value);
}

typedef struct {
  const char *schedule, *zone, *concurrency;
  Int64 deadline;
  gboolean suspend;
  K8sInt32 keep_completed, keep_failed;
  K8sMeta meta;               /* of the jobs */
  struct fy_node *at, *spec;  /* metadata and spec of the jobs */
} RawCron;

static gboolean
read_job_meta (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "annotations", k8s_pairs, offsetof (K8sMeta, annotations) },
    { "labels", k8s_pairs, offsetof (K8sMeta, labels) },
  };
  RawCron *cron = out;

  cron->at = node;
  return K8S_FIELDS (r, node, fields, &cron->meta);
}

static gboolean
read_job_template (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "metadata", read_job_meta, 0 },
    { "spec", k8s_node, offsetof (RawCron, spec) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_cron_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "schedule", k8s_text, offsetof (RawCron, schedule) },
    { "timeZone", k8s_text, offsetof (RawCron, zone) },
    { "startingDeadlineSeconds", read_given_int64, offsetof (RawCron, deadline) },
    { "concurrencyPolicy", k8s_text, offsetof (RawCron, concurrency) },
    { "suspend", k8s_bool, offsetof (RawCron, suspend) },
    { "jobTemplate", read_job_template, 0 },
    { "successfulJobsHistoryLimit", k8s_given_int32, offsetof (RawCron, keep_completed) },
    { "failedJobsHistoryLimit", k8s_given_int32, offsetof (RawCron, keep_failed) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_cron_job (K8sReader *r, const K8sTop *top, const K8sMeta *meta, GPtrArray *arrays, WlCronJob *out)
{
  static const char *const of_makers[] = { "volsim.io/submit", "volsim.io/delete", NULL };
  WlMaker *maker = &out->made_from.maker;
  RawCron raw = { .schedule = "" };

  if (!k8s_field (r, "spec", top->spec, read_cron_spec, &raw)
      || !refuse_notes (r, top->metadata, &meta->annotations, of_pods, "spec.jobTemplate.metadata or the pod templates")
      || !refuse_notes (r, raw.at, &raw.meta.annotations, of_makers, "the CronJob: its schedule says when its jobs are made")
      || !read_maker (r, top, meta, FALSE, K8S_SCHEMA_CRON_JOB, maker))
    return FALSE;
  out->schedule = raw.zone != NULL ? vc_arena_strdup (r->arena, "") : raw.schedule;
  if (raw.zone != NULL) {
    g_autofree char *whole = g_strdup_printf ("TZ=%s %s", raw.zone, raw.schedule);

    out->schedule = vc_arena_strdup (r->arena, whole);
  }
  out->deadline = raw.deadline.given ? raw.deadline.value : -1;
  out->concurrency = g_strcmp0 (raw.concurrency, "Forbid") == 0 ? 1 : g_strcmp0 (raw.concurrency, "Replace") == 0 ? 2 : 0;
  out->suspend = raw.suspend;
  out->keep_completed = raw.keep_completed.given ? raw.keep_completed.value : 3;
  out->keep_failed = raw.keep_failed.given ? raw.keep_failed.value : 1;
  if (maker->rejected == NULL) {
    g_autofree char *problem = wl_admit_cron_job (meta->name, raw.schedule, raw.zone);

    maker->rejected = problem != NULL ? vc_arena_strdup (r->arena, problem) : NULL;
  }
  g_autofree char *some_name = g_strdup_printf ("%s-29454360", meta->name); /* the minutes have eight digits until 2160 */

  out->made_from.job_name = vc_arena_strdup (r->arena, some_name);
  raw.meta.ns = meta->ns;
  return k8s_read_job_as (r, raw.at != NULL ? raw.at : top->metadata, raw.spec, &raw.meta, out->made_from.job_name, arrays, &out->made_from.job);
}
