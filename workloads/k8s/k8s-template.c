/* Pod templates: fields, annotations, what the API server fills in. */
#include "k8s-template.h"
#include "workloads/native/behaviour.h"
#include "workloads/text/parse.h"
#include <stddef.h>
#include <string.h>

/* ---- fields --------------------------------------------------------------------------------- */

static gboolean
read_template_meta (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "annotations", k8s_pairs, offsetof (K8sMeta, annotations) },
    { "labels", k8s_pairs, offsetof (K8sMeta, labels) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_template_fields (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "restartPolicy", k8s_text, offsetof (K8sTemplate, restart_policy) },
    { "terminationGracePeriodSeconds", k8s_given_int32, offsetof (K8sTemplate, grace) },
    { "activeDeadlineSeconds", k8s_given_int32, offsetof (K8sTemplate, deadline) },
  };
  K8sTemplate *t = out;
  return k8s_pod_template_spec (r, node, &t->spec) && K8S_FIELDS (r, node, fields, t);
}

gboolean
k8s_template (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "metadata", read_template_meta, offsetof (K8sTemplate, meta) },
    { "spec", k8s_template_fields, 0 },
  };
  const K8sTemplate *t = out;

  return K8S_FIELDS (r, node, fields, out) && (t->spec.node == NULL || k8s_unsupported (r, node, "a template whose pods name their node"));
}

/* ---- annotations ---------------------------------------------------------------------------- */

static gboolean
refuse_note (const K8sNotes *n, const char *key, const char *problem)
{
  return k8s_refuse (n->r, n->at, "annotation %s: %s", key, problem);
}

static GArray *
keep_array (GPtrArray *arrays, GArray *a)
{
  g_ptr_array_add (arrays, a);
  return a;
}

/* The template's annotation, else the object's, else @fallback (nullable). */
static gboolean
note_lists (const K8sNotes *n, const VcPairs *own, const char *key, const char *fallback, gboolean times, guint replicas,
            GPtrArray *arrays, GArray **out)
{
  const char *text = vc_pairs_get (own, key);
  guint limit = text != NULL ? replicas : WL_REPLICAS_MAX; /* the object's is for all its tasks */
  g_autoptr (GError) e = NULL;

  if (text == NULL)
    text = vc_pairs_get (n->of_object, key);
  if (text == NULL)
    text = fallback;
  if (text == NULL)
    return TRUE;
  if (!(times ? wl_parse_durations : wl_parse_exit_codes) (text, limit, out, &e))
    return refuse_note (n, key, e->message);
  keep_array (arrays, *out);
  return TRUE;
}

static void
holder_clear (gpointer data)
{
  wl_behaviour_unref (*(WlBehaviour **) data);
}

/* What the pods do, from the template's annotations, else the object's. */
static gboolean
note_behaviour (const K8sNotes *n, const VcPairs *own, GPtrArray *arrays, WlBehaviour **out)
{
  for (guint k = 0; k < WL_N_BEHAVIOURS; k++) {
    g_autofree char *key = g_strdelimit (g_strconcat ("volsim.io/", wl_behaviour_names[k], NULL), "_", '-');
    const char *text = vc_pairs_get (own, key);
    g_autoptr (GError) e = NULL;

    if (text == NULL && (text = vc_pairs_get (n->of_object, key)) == NULL)
      continue;
    if (*out == NULL) {
      GArray *holder = keep_array (arrays, g_array_new (FALSE, FALSE, sizeof (WlBehaviour *)));

      *out = wl_behaviour_new ();
      g_array_set_clear_func (holder, holder_clear);
      g_array_append_val (holder, *out);
    }
    if (!wl_behaviour_set (*out, k, text, &e))
      return refuse_note (n, key, e->message);
  }
  return TRUE;
}

static gboolean
note_scale (const K8sNotes *n, const VcPairs *own, GPtrArray *arrays, GArray **out)
{
  static const char key[] = "volsim.io/scale";
  const char *text = vc_pairs_get (own, key);
  g_autoptr (GError) e = NULL;

  if (text == NULL)
    text = vc_pairs_get (n->of_object, key);
  if (text == NULL)
    return TRUE;
  if (!wl_parse_scale (text, out, &e))
    return refuse_note (n, key, e->message);
  keep_array (arrays, *out);
  return TRUE;
}

/* Nodes by replica. */
static gboolean
note_nodes (const K8sNotes *n, const VcPairs *own, guint replicas, VcNames *out)
{
  static const char key[] = "volsim.io/node";
  const char *text = vc_pairs_get (own, key);

  if (text == NULL || *text == '\0')
    return TRUE;
  g_auto (GStrv) part = g_strsplit (text, "|", -1);
  guint count = g_strv_length (part);

  if (count > replicas)
    return refuse_note (n, key, "expected at most one node for each replica, found more");
  const char **item = vc_arena_new0 (n->r->arena, const char *, count);

  for (guint i = 0; i < count; i++)
    item[i] = vc_arena_strdup (n->r->arena, part[i]);
  *out = (VcNames){ item, count };
  return TRUE;
}

gboolean
k8s_found_notes (K8sReader *r, struct fy_node *at, const VcPairs *notes, WlJobObject *out)
{
  static const char *const phases[] = { "Pending", "Inqueue", "Running", "Unknown", NULL };
  const char *phase = vc_pairs_get (notes, "volsim.io/phase");

  if (!k8s_time_note (r, at, notes, "volsim.io/age", &out->age))
    return FALSE;
  if (phase != NULL && !g_strv_contains (phases, phase))
    return k8s_refuse (r, at, "annotation volsim.io/phase: expected Pending, Inqueue, Running or Unknown, found %s", phase);
  out->phase = phase;
  return TRUE;
}

/* ---- defaults ------------------------------------------------------------------------------- */

static VcAmounts
with_limits (VcArena *arena, VcAmounts request, VcAmounts limit)
{
  guint n = 0;

  if (limit.n == 0)
    return request;
  VcAmount *item = vc_arena_new0 (arena, VcAmount, request.n + limit.n);

  for (guint i = 0, k = 0; i < request.n || k < limit.n;) { /* both ascending by name */
    int order = i == request.n ? 1 : k == limit.n ? -1 : strcmp (request.item[i].name, limit.item[k].name);

    k += order >= 0;
    item[n++] = order <= 0 ? request.item[i++] : limit.item[k - 1];
  }
  return (VcAmounts){ item, n, TRUE };
}

/* As the API server completes the spec of a pod. */
static VcPodSpec
complete (VcArena *arena, const VcPodSpec *raw)
{
  VcPodSpec spec = *raw;
  VcContainer *container = vc_arena_new0 (arena, VcContainer, MAX (raw->n_containers, 1));

  for (guint i = 0; i < raw->n_containers; i++) {
    container[i] = raw->container[i];
    container[i].request = with_limits (arena, raw->container[i].request, raw->container[i].limit);
  }
  spec.container = container;
  return spec;
}

gboolean
k8s_template_task (const K8sNotes *n, const K8sTemplate *template, guint replicas, GPtrArray *arrays, WlTask *out)
{
  const char *scheduler = template->spec.scheduler, *restart = template->restart_policy;
  const VcPairs *own = &template->meta.annotations;

  *out = (WlTask){
    .labels = template->meta.labels,
    .annotations = template->meta.annotations,
    .raw = template->spec.spec,
    .spec = complete (n->r->arena, &template->spec.spec),
    .scheduler = scheduler != NULL && *scheduler != '\0' ? scheduler : NULL,
    .restart_policy = restart != NULL && *restart != '\0' ? restart : "Always",
    .has_deadline = template->deadline.given,
    .grace = template->grace.given ? (WlTime) MAX (template->grace.value, 0) * G_USEC_PER_SEC : WL_TIME_NONE,
  };
  return note_lists (n, own, "volsim.io/duration", "inf", TRUE, replicas, arrays, &out->durations)
         && note_lists (n, own, "volsim.io/exit-code", "0", FALSE, replicas, arrays, &out->exit_codes)
         && note_lists (n, own, "volsim.io/start-delay", NULL, TRUE, replicas, arrays, &out->start_delays)
         && note_behaviour (n, own, arrays, &out->behaviour) && note_scale (n, own, arrays, &out->scale) && note_nodes (n, own, replicas, &out->nodes);
}
