#include "node-usage.h"
#include "native.h"
#include "workloads/k8s/k8s-fields.h"
#include "workloads/k8s/k8s-objects.h"
#include <math.h>

#define SIZE_LIMIT (64u << 20)
#define PERCENT_LIMIT 1e9

typedef gboolean (*ReadEntry) (K8sReader *r, const char *key, struct fy_node *value, gpointer out);

/* Every entry of a mapping by @read, with its place in messages. */
static gboolean
read_map (K8sReader *r, struct fy_node *map, ReadEntry read, gpointer out)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  void *it = NULL;
  gboolean ok = TRUE;

  if (map == NULL || !fy_node_is_mapping (map))
    return k8s_expected (r, map, "a mapping");
  for (struct fy_node_pair *pair; ok && (pair = fy_node_mapping_iterate (map, &it)) != NULL;) {
    struct fy_node *key = fy_node_pair_key (pair), *value = fy_node_pair_value (pair);
    gsize len = 0;
    const char *text = key != NULL && fy_node_is_scalar (key) && !fy_node_is_alias (key) ? fy_node_get_scalar (key, &len) : NULL;

    if (text == NULL || memchr (text, '\0', len) != NULL)
      return k8s_expected (r, key, "a text as key");
    const char *copy = vc_arena_strndup (r->arena, text, len);
    const K8sPath frame = { .up = r->path, .key = copy, .key_len = len, .at = key };
    r->path = &frame;
    ok = g_hash_table_add (seen, (gpointer) copy) || k8s_refuse (r, key, "the key is given twice");
    ok = ok && k8s_resolve (r, &value) && read (r, copy, value, out);
    r->path = frame.up;
  }
  return ok;
}

typedef struct {
  GArray *averages; /* VcUsageAverage */
  gboolean memory;
} Dimension;

static gboolean
read_percent (K8sReader *r, const char *period, struct fy_node *value, gpointer out)
{
  const Dimension *d = out;
  guint i = 0;
  char buf[64], *end = NULL;
  gsize len = 0;
  const char *text = value != NULL && fy_node_is_scalar (value) && fy_node_get_style (value) == FYNS_PLAIN ? fy_node_get_scalar (value, &len) : NULL;

  if (text == NULL || len == 0 || len >= sizeof buf)
    return k8s_expected (r, value, "a number of percent, 0 or more");
  memcpy (buf, text, len);
  buf[len] = '\0';
  double v = g_ascii_strtod (buf, &end);
  if (*end != '\0' || !(v >= 0 && v <= PERCENT_LIMIT))
    return k8s_expected (r, value, "a number of percent, 0 or more");
  while (i < d->averages->len && strcmp (g_array_index (d->averages, VcUsageAverage, i).period, period) != 0)
    i++;
  if (i == d->averages->len) {
    VcUsageAverage fresh = { .period = period };
    g_array_append_val (d->averages, fresh);
  }
  VcUsageAverage *a = &g_array_index (d->averages, VcUsageAverage, i);
  *(d->memory ? &a->memory : &a->cpu) = v;
  return TRUE;
}

typedef struct {
  GArray *averages;
  gint64 time;
} Measurement;

static gboolean
read_part (K8sReader *r, const char *key, struct fy_node *value, gpointer out)
{
  Measurement *m = out;
  Dimension d = { m->averages, strcmp (key, "mem") == 0 };

  if (d.memory || strcmp (key, "cpu") == 0)
    return value == NULL || read_map (r, value, read_percent, &d);
  if (strcmp (key, "time") == 0)
    return value == NULL || k8s_time (r, value, &m->time);
  return k8s_refuse (r, NULL, "unknown key, expected cpu, mem or time");
}

static gboolean
read_measurement (K8sReader *r, const char *name, struct fy_node *value, gpointer out)
{
  g_autoptr (GArray) averages = g_array_new (FALSE, FALSE, sizeof (VcUsageAverage));
  Measurement m = { averages, VC_NO_TIME };

  if (!read_map (r, value, read_part, &m))
    return FALSE;
  VcUsageAverage *copy = vc_arena_new0 (r->arena, VcUsageAverage, averages->len);
  if (averages->len > 0)
    memcpy (copy, averages->data, averages->len * sizeof *copy);
  VcNodeUsageObject o = { .node = name, .average = copy, .n_averages = averages->len, .time_us = m.time * G_USEC_PER_SEC };
  g_array_append_val ((GArray *) out, o);
  return TRUE;
}

/* One measurement, or a list of them. */
static gboolean
read_node (K8sReader *r, const char *name, struct fy_node *value, gpointer out)
{
  void *it = NULL;

  if (value == NULL || !fy_node_is_sequence (value))
    return read_measurement (r, name, value, out);
  for (struct fy_node *item; (item = fy_node_sequence_iterate (value, &it)) != NULL;)
    if (!k8s_resolve (r, &item) || !read_measurement (r, name, item, out))
      return FALSE;
  return TRUE;
}

static void
swallow (struct fy_diag *diag, void *user, const char *buf, size_t len)
{
}

static gboolean
read_text (K8sReader *r, GArray *out)
{
  struct fy_diag_cfg diag_cfg;
  gboolean ok = FALSE;

  fy_diag_cfg_default (&diag_cfg);
  diag_cfg.fp = NULL;
  diag_cfg.output_fn = swallow;
  struct fy_diag *diag = fy_diag_create (&diag_cfg);
  struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET | FYPCF_ALLOW_DUPLICATE_KEYS, .diag = diag };
  struct fy_document *doc = fy_document_build_from_string (&cfg, r->text, r->len);
  struct fy_node *root = doc != NULL ? fy_document_root (doc) : NULL;

  if (doc == NULL)
    k8s_refuse_at (r, 0, WL_ERROR_SYNTAX, "bad YAML or JSON, expected the measured load of nodes");
  else
    ok = k8s_resolve (r, &root) && read_map (r, root, read_node, out);
  fy_document_destroy (doc);
  fy_diag_destroy (diag);
  return ok;
}

WlNodeUsage *
wl_node_usage_parse (const char *text, gsize len, const char *source, GError **error)
{
  g_autoptr (WlNodeUsage) u = g_new0 (WlNodeUsage, 1);
  g_autoptr (GArray) objects = g_array_new (FALSE, FALSE, sizeof (VcNodeUsageObject));

  u->arena = vc_arena_new ();
  K8sReader r = { .arena = u->arena, .source = source, .text = text, .len = len, .budget = SIZE_LIMIT, .error = error };
  if (!read_text (&r, objects))
    return NULL;
  u->n = objects->len;
  u->object = (VcNodeUsageObject *) (gpointer) g_array_free (g_steal_pointer (&objects), FALSE);
  return g_steal_pointer (&u);
}

WlNodeUsage *
wl_node_usage_read (const char *path, GError **error)
{
  gsize len = 0;
  g_autofree char *text = wl_read_file (path, SIZE_LIMIT, &len, error);

  return text != NULL ? wl_node_usage_parse (text, len, path, error) : NULL;
}

void
wl_node_usage_free (WlNodeUsage *u)
{
  if (u == NULL)
    return;
  vc_arena_free (u->arena);
  g_free (u->object);
  g_free (u);
}

void
wl_node_usage_apply (const WlNodeUsage *u, VcCache *cache, GPtrArray *warnings)
{
  for (guint i = 0; i < u->n; i++)
    if (!vc_cache_set_node_usage (cache, &u->object[i]) && warnings != NULL)
      g_ptr_array_add (warnings, g_strdup_printf ("measured load of node '%s', which does not exist", u->object[i].node));
}
