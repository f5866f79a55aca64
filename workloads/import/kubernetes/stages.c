/* workloads/import/kubernetes/stages.c - see stages.h. */
#include "stages.h"
#include "workloads/k8s/k8s-schema.h"
#include <stddef.h>
#include <string.h>

#define LABELS ".metadata.labels"
#define OWNER ".metadata.ownerReferences.[].kind"

/* ---- reading ------------------------------------------------------------------------------------------ */

/* The phase that a template of a pod's status gives it, "": none. */
static char *
phase_in (const char *template)
{
  g_auto (GStrv) line = g_strsplit (template, "\n", -1);

  for (char **l = line; *l != NULL; l++) {
    char *text = g_strstrip (*l);

    if (!g_str_has_prefix (text, "phase:"))
      continue;
    g_autofree char *value = g_strdup (text + strlen ("phase:"));

    g_strdelimit (value, "\"'", ' ');
    return g_strdup (g_strstrip (value));
  }
  return g_strdup ("");
}

/* Of statusTemplate, or of a patch of the status. */
static char *
next_phase (struct fy_node *next)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char *phase = phase_in (k8s_get_text (next, "statusTemplate", text));
  struct fy_node *patch;
  void *at = NULL;

  while (*phase == '\0' && (patch = k8s_next (k8s_get (next, "patches"), &at)) != NULL) {
    if (strcmp (k8s_get_text (patch, "subresource", text), "status") != 0)
      continue;
    g_free (phase);
    phase = phase_in (k8s_get_text (patch, "template", text));
  }
  return phase;
}

/* Key of the label that an expression is about, NULL: none. (transfer full) */
static char *
label_of (const char *key)
{
  const char *rest = key + strlen (LABELS);
  gsize len;

  if (!g_str_has_prefix (key, LABELS) || (*rest != '.' && *rest != '['))
    return NULL;
  len = strlen (rest);
  if (*rest == '.')
    return g_strdup (rest + 1);
  return len > 4 && strchr ("\"'", rest[1]) != NULL && rest[len - 1] == ']' ? g_strndup (rest + 2, len - 4) : NULL;
}

static gboolean
is_understood (const VcExpression *e)
{
  g_autofree char *label = label_of (e->key);

  if (e->op == VC_OP_UNKNOWN)
    return FALSE;
  return label != NULL || strcmp (e->key, ".metadata.deletionTimestamp") == 0 || strcmp (e->key, ".status.phase") == 0 || strcmp (e->key, OWNER) == 0;
}

static const char *
why_not (struct fy_node *spec, const WlStage *s, const char *phase)
{
  g_autoptr (GString) text = g_string_new (NULL);
  struct fy_node *delay = k8s_get (spec, "delay");

  if (strcmp (k8s_get_text (k8s_get (spec, "resourceRef"), "kind", text), "Pod") != 0)
    return "Stages of other objects than pods";
  if (strcmp (phase, "Succeeded") != 0 && strcmp (phase, "Failed") != 0)
    return "Stages that end no pods";
  if (k8s_get (delay, "durationFrom") != NULL || k8s_get (delay, "jitterDurationFrom") != NULL)
    return "Stages whose delay is in the object";
  if (k8s_get (k8s_get (spec, "selector"), "matchAnnotations") != NULL)
    return "Stages whose selector is not understood";
  for (guint i = 0; i < s->selector.n_expressions; i++)
    if (!is_understood (&s->selector.expression[i]))
      return "Stages whose selector is not understood";
  return NULL;
}

static gboolean
read_number (K8sReader *r, struct fy_node *map, const char *key, gint64 most, gint64 *out)
{
  struct fy_node *node = k8s_get (map, key);

  if (node == NULL)
    return TRUE;
  return k8s_field (r, key, node, k8s_int64, out) && ((*out >= 0 && *out <= most) || k8s_refuse (r, node, "%s: expected 0 to %" G_GINT64_FORMAT ", found %" G_GINT64_FORMAT, key, most, *out));
}

gboolean
wl_stage_read (K8sReader *r, const K8sTop *top, const K8sMeta *meta, WlStage *out, const char **why)
{
  struct fy_node *delay = k8s_get (top->spec, "delay");
  const gint64 longest = G_GINT64_CONSTANT (1) << 42; /* ms */
  gint64 least = 0, most = -1;
  g_autofree char *phase = next_phase (k8s_get (top->spec, "next"));

  *out = (WlStage){ .name = meta->name, .weight = 0 };
  if (!k8s_field (r, "spec.selector", k8s_get (top->spec, "selector"), k8s_selector, &out->selector) || !read_number (r, delay, "durationMilliseconds", longest, &least) ||
      !read_number (r, delay, "jitterDurationMilliseconds", longest, &most) || !read_number (r, top->spec, "weight", G_MAXINT32, &out->weight))
    return FALSE;
  out->least = 1000 * (most >= 0 ? MIN (least, most) : least);
  out->most = 1000 * (most >= 0 ? most : least);
  out->fails = strcmp (phase, "Failed") == 0;
  *why = why_not (top->spec, out, phase);
  return TRUE;
}

/* ---- matching ----------------------------------------------------------------------------------------- */

static gboolean
holds (const VcExpression *e, const char *value)
{
  gboolean among = FALSE;

  for (guint i = 0; value != NULL && i < e->n_values; i++)
    among = among || strcmp (e->value[i], value) == 0;
  return e->op == VC_OP_IN ? among : e->op == VC_OP_NOT_IN ? !among : e->op == VC_OP_EXISTS ? value != NULL : value == NULL;
}

gboolean
wl_stage_matches (const WlStage *s, const VcPairs *labels, const char *owner_kind)
{
  for (guint i = 0; i < s->selector.match.n; i++)
    if (g_strcmp0 (vc_pairs_get (labels, s->selector.match.item[i].key), s->selector.match.item[i].value) != 0)
      return FALSE;
  for (guint i = 0; i < s->selector.n_expressions; i++) {
    const VcExpression *e = &s->selector.expression[i];
    g_autofree char *label = label_of (e->key);
    const char *value = label != NULL                            ? vc_pairs_get (labels, label)
                        : strcmp (e->key, OWNER) == 0            ? owner_kind
                        : strcmp (e->key, ".status.phase") == 0  ? "Running"
                                                                 : NULL; /* it is not being deleted */

    if (!holds (e, value))
      return FALSE;
  }
  return TRUE;
}
