#include "ignored.h"
#include "core/devices/devices.h"
#include <string.h>

/* Upstream ignores such names from the moment in which a node with the device is seen; here they are ignored from the start. */
char **
sim_ignored_resources (const VcConf *conf, const GPtrArray *maps, const GPtrArray *nodes)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();

  for (guint t = 0; t < conf->n_tiers; t++)
    for (guint p = 0; p < conf->tier[t].n; p++) {
      const VcPluginOption *o = &conf->tier[t].plugin[p];

      if (strcmp (o->name, "deviceshare") != 0)
        continue;
      g_autofree char **names = vc_devices_ignored (&o->args, (const VcConfigMapObject *const *) maps->pdata, maps->len,
                                                    (const VcNodeObject *const *) nodes->pdata, nodes->len);
      for (char **n = names; *n != NULL; n++)
        g_ptr_array_add (all, *n);
    }
  g_ptr_array_add (all, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&all), FALSE);
}

void
sim_drop_ignored (char **names, const VcCacheOptions *options)
{
  guint kept = 0;

  for (char **n = names; *n != NULL; n++)
    if (options->ignored_resources != NULL && g_strv_contains (options->ignored_resources, *n))
      g_free (*n);
    else
      names[kept++] = *n;
  names[kept] = NULL;
}
