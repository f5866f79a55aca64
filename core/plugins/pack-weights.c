#include "pack-weights.h"

gint64
vc_pack_weight_arg (const VcArgs *args, const char *key)
{
  gint64 w = 1;

  vc_args_get_int (args, key, &w);
  return w < 0 ? 1 : w;
}

static gint64
weight_of (const VcArgs *args, const char *prefix, const char *key, const char *name)
{
  g_autofree char *full = g_strconcat (prefix, key, name, NULL);

  return vc_pack_weight_arg (args, full);
}

void
vc_pack_weights_read (VcPackWeights *p, const VcArgs *args, const char *prefix)
{
  g_autofree char *list = g_strconcat (prefix, "resources", NULL);
  g_auto (GStrv) names = g_strsplit (vc_args_get_string (args, list, ""), ",", -1);

  p->cpu = weight_of (args, prefix, "cpu", NULL);
  p->memory = weight_of (args, prefix, "memory", NULL);
  p->listed = g_new0 (VcListedWeight, g_strv_length (names));
  for (guint i = 0; names[i] != NULL; i++) {
    const char *name = g_strstrip (names[i]);

    if (*name != '\0')
      p->listed[p->n_listed++] = (VcListedWeight) { g_strdup (name), weight_of (args, prefix, "resources.", name) };
  }
}

void
vc_pack_weights_set (VcPackWeights *p, const VcResNames *names)
{
  p->weighted = 0;
  for (guint i = 0; i < p->n_listed; i++) {
    int d = vc_res_names_find (names, p->listed[i].name);

    if (d < 0) /* nobody has or asks for it */
      continue;
    p->weighted |= G_GUINT64_CONSTANT (1) << d;
    p->w[d] = p->listed[i].weight;
  }
  p->weighted |= 3;
  p->w[VC_RES_CPU] = p->cpu;
  p->w[VC_RES_MEMORY] = p->memory;
}

void
vc_pack_weights_clear (VcPackWeights *p)
{
  for (guint i = 0; i < p->n_listed; i++)
    g_free (p->listed[i].name);
  g_free (p->listed);
}
