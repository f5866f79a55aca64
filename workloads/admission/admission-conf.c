/* workloads/admission/admission-conf.c - see admission-conf.h. */
#include "admission-conf.h"
#include "workloads/k8s/k8s-objects.h"
#include "workloads/k8s/k8s-schema.h"
#include "workloads/text/source.h"
#include <stdlib.h>
#include <string.h>

struct WlResourceGroup {
  const char *name, *scheduler;
  gboolean by_namespace, by_own_name; /* by_own_name: annotation volcano.sh/resource-group may name it */
  VcNames namespaces;
  VcPairs annotations, labels;
  gboolean has_affinity;
  VcPodSpec spec;      /* tolerations and affinity */
};

struct WlAdmissionConf {
  VcArena *arena;
  GPtrArray *group;    /* WlResourceGroup */
  GPtrArray *objects;  /* WlObjects: the specs' memory */
};

void
wl_admission_conf_free (WlAdmissionConf *conf)
{
  if (conf == NULL)
    return;
  g_ptr_array_unref (conf->group);
  g_ptr_array_unref (conf->objects);
  vc_arena_free (conf->arena);
  g_free (conf);
}

/* ---- reading ---------------------------------------------------------------------------------- */

G_GNUC_PRINTF (3, 4) static gboolean
refuse (GError **error, const char *path, const char *format, ...)
{
  va_list ap;

  va_start (ap, format);
  g_autofree char *what = g_strdup_vprintf (format, ap);
  va_end (ap);
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s:1:1: %s", path, what);
  return FALSE;
}

static int
by_key (gconstpointer a, gconstpointer b)
{
  return strcmp (((const VcPair *) a)->key, ((const VcPair *) b)->key);
}

/* Of a key that is there twice the first counts. */
static void
add_pairs (VcArena *arena, struct fy_node *map, GArray *pairs)
{
  g_autoptr (GString) key = g_string_new (NULL), text = g_string_new (NULL);
  struct fy_node *value;
  void *at = NULL;

  while (k8s_next_pair (map, &at, key, &value)) {
    gboolean known = FALSE;

    for (guint i = 0; i < pairs->len && !known; i++)
      known = strcmp (g_array_index (pairs, VcPair, i).key, key->str) == 0;
    if (known)
      continue;
    VcPair pair = { vc_arena_strdup (arena, key->str), vc_arena_strdup (arena, k8s_scalar (value, text)) };

    g_array_append_val (pairs, pair);
  }
}

static VcPairs
keep_pairs (VcArena *arena, GArray *pairs)
{
  VcPair *item = vc_arena_new0 (arena, VcPair, MAX (pairs->len, 1));

  g_array_sort (pairs, by_key);
  if (pairs->len > 0)
    memcpy (item, pairs->data, pairs->len * sizeof *item);
  return (VcPairs){ item, pairs->len };
}

/* Namespaces, or annotations as one "key: value" a text. */
static void
read_object (WlAdmissionConf *conf, struct fy_node *object, WlResourceGroup *g)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (VcPair));
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  struct fy_node *list = k8s_get (object, "value"), *item;
  const char *key = k8s_get_text (object, "key", text);
  void *at = NULL;

  g->by_namespace = strcmp (key, "namespace") == 0;
  g->by_own_name = *key == '\0';
  while ((item = k8s_next (list, &at)) != NULL) {
    k8s_scalar (item, text);
    if (g->by_namespace) {
      g_ptr_array_add (names, vc_arena_strdup (conf->arena, text->str));
      continue;
    }
    struct fy_document *doc = fy_document_build_from_string (NULL, text->str, text->len);

    if (doc != NULL)
      add_pairs (conf->arena, fy_document_root (doc), pairs);
    fy_document_destroy (doc);
  }
  const char **copy = vc_arena_new0 (conf->arena, const char *, MAX (names->len, 1));

  if (names->len > 0)
    memcpy (copy, names->pdata, names->len * sizeof *copy);
  g->namespaces = (VcNames){ copy, names->len };
  g->annotations = keep_pairs (conf->arena, pairs);
}

/* Tolerations and affinity are read like those of a pod. */
static gboolean
read_spec (WlAdmissionConf *conf, const char *path, struct fy_node *node, WlResourceGroup *g, GError **error)
{
  g_autoptr (GString) affinity = g_string_new (NULL);
  struct fy_node *list = k8s_get (node, "tolerations");
  char *tolerations = list != NULL ? fy_emit_node_to_string (list, FYECF_MODE_JSON_ONELINE) : NULL;
  g_autoptr (GError) e = NULL;

  k8s_get_text (node, "affinity", affinity);
  g->has_affinity = affinity->len > 0;
  g_autofree char *pod = g_strdup_printf ("{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"group\"}, \"spec\": {\"tolerations\": %s, "
                                          "\"affinity\": %s}}",
                                          tolerations != NULL ? tolerations : "[]", g->has_affinity ? affinity->str : "{}");
  free (tolerations);
  WlObjects *o = wl_objects_parse (pod, strlen (pod), "pod", &e);

  if (o == NULL)
    return refuse (error, path, "resource group '%s': tolerations and affinity: %s", g->name, e->message);
  g_ptr_array_add (conf->objects, o);
  g->spec = ((WlObject *) o->objects->pdata[0])->pod.spec;
  return TRUE;
}

static gboolean
read_group (WlAdmissionConf *conf, const char *path, struct fy_node *node, GError **error)
{
  WlResourceGroup *g = vc_arena_new0 (conf->arena, WlResourceGroup, 1);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GArray) labels = g_array_new (FALSE, FALSE, sizeof (VcPair));

  if (!fy_node_is_mapping (node))
    return refuse (error, path, "expected a list of resource groups, each a map");
  g->name = vc_arena_strdup (conf->arena, k8s_get_text (node, "resourceGroup", text));
  k8s_get_text (node, "schedulerName", text);
  g->scheduler = text->len > 0 ? vc_arena_strdup (conf->arena, text->str) : NULL;
  add_pairs (conf->arena, k8s_get (node, "labels"), labels);
  g->labels = keep_pairs (conf->arena, labels);
  read_object (conf, k8s_get (node, "object"), g);
  g_ptr_array_add (conf->group, g);
  return read_spec (conf, path, node, g, error);
}

WlAdmissionConf *
wl_admission_conf_read (const char *path, GError **error)
{
  gsize len = 0;
  g_autofree char *text = wl_read_file (path, 16u << 20, &len, error);
  struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET };

  if (text == NULL)
    return NULL;
  struct fy_document *doc = fy_document_build_from_string (&cfg, text, len);

  if (doc == NULL) {
    refuse (error, path, "expected YAML with a list resourceGroups, found something else");
    return NULL;
  }
  WlAdmissionConf *conf = g_new0 (WlAdmissionConf, 1);
  struct fy_node *list = k8s_get (fy_document_root (doc), "resourceGroups"), *item;
  gboolean good = list == NULL || fy_node_is_sequence (list) || refuse (error, path, "resourceGroups: expected a list");
  void *at = NULL;

  conf->arena = vc_arena_new ();
  conf->group = g_ptr_array_new ();
  conf->objects = g_ptr_array_new_with_free_func ((GDestroyNotify) wl_objects_free);
  while (good && (item = k8s_next (list, &at)) != NULL)
    good = read_group (conf, path, item, error);
  fy_document_destroy (doc);
  if (good)
    return conf;
  wl_admission_conf_free (conf);
  return NULL;
}

/* ---- pods ------------------------------------------------------------------------------------- */

static gboolean
belongs (const WlResourceGroup *g, const char *ns, const VcPairs *annotations)
{
  const char *own = vc_pairs_get (annotations, "volcano.sh/resource-group");

  for (guint i = 0; g->by_namespace && i < g->namespaces.n; i++)
    if (strcmp (g->namespaces.item[i], ns) == 0)
      return TRUE;
  if (g->by_namespace)
    return FALSE;
  for (guint i = 0; i < g->annotations.n; i++) { /* an annotation that is not there equals an empty one */
    const char *value = vc_pairs_get (annotations, g->annotations.item[i].key);

    if (strcmp (value != NULL ? value : "", g->annotations.item[i].value) == 0)
      return TRUE;
  }
  return g->by_own_name && strcmp (own != NULL ? own : "", g->name) == 0;
}

const WlResourceGroup *
wl_resource_group_of (const WlAdmissionConf *conf, const char *ns, const VcPairs *annotations)
{
  for (guint i = 0; i < conf->group->len; i++)
    if (belongs (conf->group->pdata[i], ns, annotations))
      return conf->group->pdata[i];
  return NULL;
}

/* @with's pairs, and those of @base whose keys it does not have. */
static VcPairs
merge (VcArena *arena, const VcPairs *base, const VcPairs *with)
{
  VcPair *item = vc_arena_new0 (arena, VcPair, MAX (base->n + with->n, 1));
  guint n = 0, i = 0, k = 0;

  while (i < base->n || k < with->n) {
    int order = i == base->n ? 1 : k == with->n ? -1 : strcmp (base->item[i].key, with->item[k].key);

    item[n++] = order < 0 ? base->item[i] : with->item[k];
    i += order <= 0;
    k += order >= 0;
  }
  return (VcPairs){ item, n };
}

static gboolean
has_affinity (const VcPodSpec *s)
{
  return s->has_required || s->n_preferred > 0 || s->affinity.given || s->anti_affinity.given;
}

void
wl_resource_group_apply (VcArena *arena, const WlResourceGroup *g, VcPodSpec *spec)
{
  if (g->labels.n > 0)
    spec->node_selector = merge (arena, &spec->node_selector, &g->labels);
  if (g->has_affinity && !has_affinity (spec)) {
    spec->has_required = g->spec.has_required;
    spec->required = g->spec.required;
    spec->n_required = g->spec.n_required;
    spec->preferred = g->spec.preferred;
    spec->n_preferred = g->spec.n_preferred;
    spec->affinity = g->spec.affinity;
    spec->anti_affinity = g->spec.anti_affinity;
  }
  if (g->spec.n_tolerations == 0)
    return;
  VcToleration *toleration = vc_arena_new0 (arena, VcToleration, spec->n_tolerations + g->spec.n_tolerations);

  if (spec->n_tolerations > 0)
    memcpy (toleration, spec->toleration, spec->n_tolerations * sizeof *toleration);
  memcpy (toleration + spec->n_tolerations, g->spec.toleration, g->spec.n_tolerations * sizeof *toleration);
  spec->toleration = toleration;
  spec->n_tolerations += g->spec.n_tolerations;
}

const char *
wl_resource_group_scheduler (const WlResourceGroup *g)
{
  return g->scheduler;
}
