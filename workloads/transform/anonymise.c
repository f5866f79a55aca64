/* Names that tell nothing: each becomes a keyed hash (HMAC-SHA-256, cut to 60 bits) of its kind and text. */
#include "trace-private.h"
#include <string.h>

typedef struct { const guint8 *key; gsize len; } Key;

/* "<kind>-<15 hexadecimal digits>". (transfer full) */
static char *
hashed (const Key *k, const char *kind, const char *text)
{
  g_autofree char *subject = g_strdup_printf ("%s\n%s", kind, text);
  g_autofree char *digest = g_compute_hmac_for_string (G_CHECKSUM_SHA256, k->key, k->len, subject, -1);

  return g_strdup_printf ("%s-%.15s", kind, digest);
}

static void
hash_column (const Key *k, WlTable *table, const char *column, const char *kind, const char *keep)
{
  int at = table != NULL ? wl_table_column (table, column) : -1;

  for (guint i = 0; at >= 0 && i < wl_table_rows (table); i++) {
    const char *text = wl_table_cell (table, i, at);

    if (*text == '\0' || g_strcmp0 (text, keep) == 0)
      continue;
    g_autofree char *now = hashed (k, kind, text);
    wl_table_set (table, i, (guint) at, now);
  }
}

/* "k=v;k2=v2" and the like: keys that users chose are hashed with their values, those of Kubernetes and volsim stay. */
static char *
hash_pair (const Key *k, const char *pair)
{
  gsize key_len = strcspn (pair, "=!<>:@"), sign = strspn (pair + key_len, "=!<>");
  g_autofree char *name = g_strndup (pair, key_len), *signs = g_strndup (pair + key_len, sign);
  gboolean known = strstr (name, "kubernetes.io/") != NULL || strstr (name, "volcano.sh/") != NULL || strcmp (name, "pool") == 0 || strcmp (name, "rack") == 0 ||
                   strcmp (name, "cluster") == 0 || strcmp (name, "gpu-model") == 0;
  const char *rest = pair + key_len + sign, *effect = strpbrk (rest, ":@"); /* of taints: that says how, not who */
  g_autoptr (GString) out = g_string_new (NULL);

  if (*name == '\0')
    return g_strdup (pair);
  g_autofree char *hidden = known ? g_strdup (name) : hashed (k, "key", name), *values = effect != NULL ? g_strndup (rest, (gsize) (effect - rest)) : g_strdup (rest);
  g_auto (GStrv) value = g_strsplit (values, "|", -1);

  g_string_append_printf (out, "%s%s", hidden, signs);
  for (guint i = 0; value[i] != NULL && *values != '\0'; i++) {
    gboolean number = strspn (value[i], "0123456789") == strlen (value[i]), any = strcmp (value[i], "*") == 0;
    g_autofree char *now = number || any || strcmp (name, "gpu-model") == 0 ? g_strdup (value[i]) : hashed (k, "v", value[i]);

    g_string_append_printf (out, "%s%s", i > 0 ? "|" : "", now);
  }
  g_string_append (out, effect != NULL ? effect : "");
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static void
hash_pairs (const Key *k, WlTable *table, const char *column)
{
  int at = table != NULL ? wl_table_column (table, column) : -1;

  for (guint i = 0; at >= 0 && i < wl_table_rows (table); i++) {
    g_auto (GStrv) pair = g_strsplit (wl_table_cell (table, i, at), ";", -1);

    for (guint p = 0; pair[p] != NULL; p++) {
      char *now = hash_pair (k, pair[p]);

      g_free (pair[p]);
      pair[p] = now;
    }
    g_autofree char *all = g_strjoinv (";", pair);
    wl_table_set (table, i, (guint) at, all);
  }
}

/* "n1|n2" of nodes, "*", or labels. */
static void
hash_targets (const Key *k, WlTable *table, const char *column, gboolean may_be_labels)
{
  int at = table != NULL ? wl_table_column (table, column) : -1;

  for (guint i = 0; at >= 0 && i < wl_table_rows (table); i++) {
    const char *text = wl_table_cell (table, i, at);

    if (*text == '\0' || strcmp (text, "*") == 0)
      continue;
    gboolean labels = may_be_labels && strchr (text, '=') != NULL;
    g_auto (GStrv) part = g_strsplit (text, labels ? ";" : "|", -1);

    for (guint p = 0; part[p] != NULL; p++) {
      char *now = labels ? hash_pair (k, part[p]) : hashed (k, "node", part[p]);

      g_free (part[p]);
      part[p] = now;
    }
    g_autofree char *all = g_strjoinv (labels ? ";" : "|", part);
    wl_table_set (table, i, (guint) at, all);
  }
}

/* Taints that faults set, and the labels by which nodes fail together. */
static void
hash_faults (const Key *k, WlTable *faults)
{
  int kind = faults != NULL ? wl_table_column (faults, "kind") : -1, value = faults != NULL ? wl_table_column (faults, "value") : -1,
      unit = faults != NULL ? wl_table_column (faults, "unit") : -1;

  for (guint i = 0; kind >= 0 && i < wl_table_rows (faults); i++) {
    const char *label = wl_table_cell (faults, i, unit);

    if (value >= 0 && strcmp (wl_table_cell (faults, i, kind), "taint") == 0) {
      g_autofree char *now = hash_pair (k, wl_table_cell (faults, i, value));
      wl_table_set (faults, i, (guint) value, now);
    }
    if (*label != '\0' && strcmp (label, "node") != 0 && strcmp (label, "all") != 0) {
      g_autofree char *now = hash_pair (k, label);
      wl_table_set (faults, i, (guint) unit, now);
    }
  }
}

/* Names of classes of priority, where jobs ask for them and where the settings say what they are worth. */
static gboolean
hash_priorities (const Key *k, WlTrace *t, GError **error)
{
  static const char block[] = "priority_classes:";
  int at = wl_table_column (t->jobs, "priority");
  g_auto (GStrv) line = g_strsplit (t->settings->str, "\n", -1);
  gboolean inside = FALSE;

  for (guint i = 0; at >= 0 && i < wl_table_rows (t->jobs); i++) {
    const char *text = wl_table_cell (t->jobs, i, at);

    if (strspn (text, "-0123456789") == strlen (text) || g_str_has_prefix (text, "system-"))
      continue;
    g_autofree char *now = hashed (k, "class", text);
    wl_table_set (t->jobs, i, (guint) at, now);
  }
  g_string_truncate (t->settings, 0);
  for (guint i = 0; line[i] != NULL && *line[i] != '\0'; i++) {
    const char *name = line[i] + strspn (line[i], " "), *colon = strchr (name, ':');

    if (*line[i] != ' ')
      inside = g_str_has_prefix (line[i], block);
    if (inside && (*line[i] == ' ' ? colon == NULL : line[i][sizeof block - 1] != '\0')) {
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s/scenario.yaml: cannot be anonymised, expected priority_classes with a line 'name: value' for each, found '%s'", t->folder, line[i]);
      return FALSE;
    }
    if (inside && *line[i] == ' ') {
      g_autofree char *class = g_strndup (name, (gsize) (colon - name)), *now = hashed (k, "class", class);

      g_string_append_printf (t->settings, "  %s%s\n", now, colon);
    } else {
      g_string_append_printf (t->settings, "%s\n", line[i]);
    }
  }
  return TRUE;
}

/* Annotations go, but for the cards of a node, without which nothing could share them: "uuid,count,…:" for each, of which the uuid is hashed. */
static void
hash_annotations (const Key *k, WlTable *nodes)
{
  static const char cards[] = "volcano.sh/node-vgpu-register=";
  int at = wl_table_column (nodes, "annotations");

  for (guint i = 0; at >= 0 && i < wl_table_rows (nodes); i++) {
    const char *text = wl_table_cell (nodes, i, at), *from = strstr (text, cards);
    g_autoptr (GString) out = g_string_new (NULL);

    if (from != NULL && (from == text || from[-1] == ';')) {
      g_autofree char *all = g_strndup (from + sizeof cards - 1, strcspn (from, ";") - (sizeof cards - 1));
      g_auto (GStrv) card = g_strsplit (all, ":", -1);

      g_string_append (out, cards);
      for (guint c = 0; card[c] != NULL && *card[c] != '\0'; c++) {
        g_autofree char *uuid = g_strndup (card[c], strcspn (card[c], ",")), *now = hashed (k, "gpu", uuid);

        g_string_append_printf (out, "%s%s:", now, card[c] + strlen (uuid));
      }
    }
    wl_table_set (nodes, i, (guint) at, out->str);
  }
}

static void
empty_column (WlTable *table, guint column)
{
  for (guint i = 0; i < wl_table_rows (table); i++)
    wl_table_set (table, i, column, "");
}

gboolean
wl_trace_anonymise (WlTrace *t, const guint8 *key, gsize len, GError **error)
{
  const Key k = { key, len };
  static const char *const forbidden[] = { "node_group_affinity", "node_group_affinity_preferred", "node_group_anti_affinity", "node_group_anti_affinity_preferred", "hierarchy" };

  if (!wl_object_texts_refuse (t->objects, "--anonymise", error))
    return FALSE;

  if (len < 16) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "--anonymise, expected a file of at least 16 bytes as the key, found %" G_GSIZE_FORMAT, len);
    return FALSE;
  }
  for (guint i = 0; t->queues != NULL && i < G_N_ELEMENTS (forbidden); i++)
    if (wl_table_column (t->queues, forbidden[i]) >= 0) {
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s/queues.csv: cannot be anonymised, expected no column '%s', found one", t->folder, forbidden[i]);
      return FALSE;
    }
  if (wl_table_column (t->nodes, "count") >= 0)
    for (guint i = 0; t->recorded != NULL && i < wl_table_rows (t->recorded); i++)
      if (*wl_table_cell (t->recorded, i, wl_table_column (t->recorded, "nodes")) != '\0') {
        g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s/nodes.csv: cannot be anonymised, expected one row for each node where recorded.csv names nodes, found the column 'count'", t->folder);
        return FALSE;
      }
  hash_column (&k, t->nodes, "node", "node", NULL);
  hash_column (&k, t->jobs, "job", "job", NULL);
  hash_column (&k, t->jobs, "namespace", "ns", "default");
  hash_column (&k, t->jobs, "queue", "queue", "default");
  hash_column (&k, t->jobs, "task", "task", NULL);
  hash_column (&k, t->jobs, "image", "image", NULL);
  hash_column (&k, t->jobs, "apart", "apart", NULL);
  hash_column (&k, t->jobs, "x_user", "user", NULL);
  hash_pairs (&k, t->jobs, "node_selector");
  hash_pairs (&k, t->jobs, "tolerations");
  hash_pairs (&k, t->nodes, "labels");
  hash_pairs (&k, t->nodes, "taints");
  hash_column (&k, t->recorded, "job", "job", NULL);
  hash_column (&k, t->recorded, "namespace", "ns", "default");
  hash_targets (&k, t->recorded, "nodes", FALSE);
  hash_targets (&k, t->faults, "target", TRUE);
  hash_faults (&k, t->faults);
  if (t->queues != NULL) {
    int name = wl_table_column (t->queues, "queue"), parent = wl_table_column (t->queues, "parent");

    for (guint i = 0; i < wl_table_rows (t->queues); i++)
      for (guint side = 0; side < 2; side++) {
        int at = side == 0 ? name : parent;
        const char *text = wl_table_cell (t->queues, i, at);

        if (*text == '\0' || strcmp (text, "root") == 0 || strcmp (text, "default") == 0)
          continue;
        g_autofree char *now = hashed (&k, "queue", text);
        wl_table_set (t->queues, i, (guint) at, now);
      }
  }
  for (guint i = 0; i < wl_table_width (t->jobs); i++)
    if (g_str_has_prefix (wl_table_name (t->jobs, i), "x_") && strcmp (wl_table_name (t->jobs, i), "x_user") != 0)
      empty_column (t->jobs, i);
  hash_annotations (&k, t->nodes);
  return hash_priorities (&k, t, error);
}
