/* workloads/admission/flow-admission.c - mirrors pkg/webhooks/admission/{jobflows,cronjobs}/validate. */
#include "findings.h"
#include "workloads/k8s/k8s-flow.h"
#include "workloads/native/cron-schedule.h"
#include "workloads/text/time-zone.h"
#include <string.h>

/* ---- job flows ------------------------------------------------------------------------------- */

#define NOT_DAG "jobflow Flow is not DAG"

/* Steps by their names, each once: of two with the same name the later one counts. */
static GPtrArray *
sort_steps (const WlJobFlow *flow)
{
  GPtrArray *step = g_ptr_array_new ();

  for (guint i = 0; i < flow->n_steps; i++) {
    const WlFlowStep *s = &flow->step[i];
    guint at = 0;

    while (at < step->len && strcmp (((const WlFlowStep *) step->pdata[at])->name, s->name) < 0)
      at++;
    if (at < step->len && strcmp (((const WlFlowStep *) step->pdata[at])->name, s->name) == 0)
      step->pdata[at] = (gpointer) s;
    else
      g_ptr_array_insert (step, (int) at, (gpointer) s);
  }
  return step;
}

static guint
find_step (const GPtrArray *step, const char *name)
{
  guint i = 0;

  while (i < step->len && strcmp (((const WlFlowStep *) step->pdata[i])->name, name) != 0)
    i++;
  return i;
}

/* Take away what waits for nothing that is left; what remains goes in a circle. */
static gboolean
goes_in_a_circle (const GPtrArray *step)
{
  g_autofree gboolean *done = g_new0 (gboolean, MAX (step->len, 1));
  guint n_done = 0;

  for (gboolean more = TRUE; more;) {
    more = FALSE;
    for (guint i = 0; i < step->len; i++) {
      const WlFlowStep *s = step->pdata[i];
      gboolean free_now = !done[i];

      for (guint t = 0; t < s->n_targets && free_now; t++)
        free_now = done[find_step (step, s->target[t])];
      if (free_now) {
        done[i] = more = TRUE;
        n_done++;
      }
    }
  }
  return n_done < step->len;
}

char *
wl_admit_job_flow (const WlJobFlow *flow)
{
  g_autoptr (GPtrArray) step = sort_steps (flow);

  for (guint i = 0; i < step->len; i++) {
    const WlFlowStep *s = step->pdata[i];

    for (guint t = 0; t < s->n_targets; t++)
      if (find_step (step, s->target[t]) == step->len)
        return g_strdup_printf (NOT_DAG ": vertex is not defined: %s", s->target[t]);
  }
  return goes_in_a_circle (step) ? g_strdup (NOT_DAG) : NULL;
}

/* ---- cron jobs ------------------------------------------------------------------------------- */

#define NAME_MAX_BYTES 52 /* a hyphen and ten digits have to fit behind it */

/* A part of a zone's name between slashes. */
static gboolean
is_part_of_zone (const char *part)
{
  gsize len = strlen (part);

  if (len < 1 || len > 14 || *part == '-' || strcmp (part, ".") == 0 || strcmp (part, "..") == 0)
    return FALSE;
  for (const char *c = part; *c != '\0'; c++)
    if (!g_ascii_isalnum (*c) && strchr (".-_+", *c) == NULL)
      return FALSE;
  return TRUE;
}

static void
judge_zone (const char *zone, GString *out)
{
  g_auto (GStrv) part = g_strsplit (zone, "/", -1);

  if (*zone == '\0') {
    g_string_append (out, " timeZone must be nil or non-empty string, got empty string");
    return;
  }
  for (guint i = 0; part[i] != NULL; i++)
    if (!is_part_of_zone (part[i]))
      g_string_append (out, " unknown timeZone");
  if (g_ascii_strcasecmp (zone, "Local") == 0) {
    g_string_append (out, " timeZone can't be Local, and must be defined in https://www.iana.org/time-zones");
    return;
  }
  g_autoptr (WlTimeZone) known = wl_time_zone_load (zone, NULL);

  if (known == NULL)
    g_string_append (out, " invalid timeZone");
}

char *
wl_admit_cron_job (const char *name, const char *schedule, const char *zone)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (WlCronSchedule) parsed = wl_cron_schedule_parse (schedule, NULL);
  g_autoptr (GPtrArray) problems = g_ptr_array_new ();

  if (*schedule == '\0')
    g_string_append (out, " schedule is required, but got empty");
  else if (strstr (schedule, "TZ") != NULL)
    g_string_append (out, " schedule should not contain TZ or CRON_TZ, TZ should only be set in the timeZone field");
  else if (parsed == NULL)
    g_string_append (out, "schedule is not a valid cron expression");
  if (zone != NULL)
    judge_zone (zone, out);
  g_strstrip (out->str);
  out->len = strlen (out->str);
  const char *between = out->len > 0 ? "; " : "";

  wl_qualified_problems (name, problems);
  if (strlen (name) > NAME_MAX_BYTES) {
    g_string_append_printf (out, "%scronJob name must be no more than %d characters to accommodate job name suffix (max 63 total)", between,
                            NAME_MAX_BYTES);
  } else if (problems->len > 0) {
    g_string_append_printf (out, "%sinvalid cronJob name \"%s\": ", between, name);
    for (guint i = 0; i < problems->len; i++)
      g_string_append_printf (out, "%s%s", i > 0 ? "; " : "", (const char *) problems->pdata[i]);
  }
  return out->len > 0 ? g_strdup (out->str) : NULL;
}

/* ---- the jobs of a template ------------------------------------------------------------------ */

/* A name that is too long, or not one that Kubernetes takes, is a problem of the job alone. */
static void
judge_name (const char *what, const char *name, const char *some_name, const char *end, GString *out)
{
  g_autofree char *before = wl_qualified_problem (some_name), *problem = wl_qualified_problem (name);

  if (problem != NULL && before == NULL)
    g_string_append_printf (out, "create %s with name %s validate failed %s%s", what, name, problem, end);
}

char *
wl_template_text (const WlJobTemplate *t, const char *text, const char *name)
{
  g_autoptr (GString) out = g_string_new (text);

  g_string_replace (out, t->job_name, name, 0);
  return text != NULL ? g_strdup (out->str) : NULL;
}

WlJobRefusal
wl_template_refusal (const WlJobTemplate *t, const char *name)
{
  const WlJobRefusal *known = &t->job.refusal;
  g_autofree char *text = wl_template_text (t, known->text, name);
  g_autoptr (GString) out = g_string_new (text);

  for (guint i = 0; i < t->job.n_tasks && !known->alone; i++) {
    const char *task = t->job.task[i].name;
    g_autofree char *pod = g_strdup_printf ("%s-%s-%u", name, task, i);
    g_autofree char *some_pod = g_strdup_printf ("%s-%s-%u", t->job_name, task, i);

    judge_name ("pod", pod, some_pod, ";", out);
  }
  if (!known->alone)
    judge_name ("job", name, t->job_name, "", out);
  return (WlJobRefusal){ out->len > 0 ? g_strdup (out->str) : NULL, known->alone, known->no_order };
}
