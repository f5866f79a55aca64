#include "conf.h"
#include "conf-reader.h"
#include <string.h>

G_DEFINE_QUARK (vc_conf_error_quark, vc_conf_error)

const char *const vc_flag_names[VC_N_FLAGS] = {
  [VC_FLAG_JOB_ORDER] = "enableJobOrder",
  [VC_FLAG_HIERARCHY] = "enableHierarchy",
  [VC_FLAG_JOB_READY] = "enableJobReady",
  [VC_FLAG_JOB_PIPELINED] = "enableJobPipelined",
  [VC_FLAG_TASK_ORDER] = "enableTaskOrder",
  [VC_FLAG_PREEMPTABLE] = "enablePreemptable",
  [VC_FLAG_RECLAIMABLE] = "enableReclaimable",
  [VC_FLAG_PREEMPTIVE] = "enablePreemptive",
  [VC_FLAG_QUEUE_ORDER] = "enableQueueOrder",
  [VC_FLAG_CLUSTER_ORDER] = "enabledClusterOrder",
  [VC_FLAG_PREDICATE] = "enablePredicate",
  [VC_FLAG_BEST_NODE] = "enableBestNode",
  [VC_FLAG_NODE_ORDER] = "enableNodeOrder",
  [VC_FLAG_TARGET_JOB] = "enableTargetJob",
  [VC_FLAG_RESERVED_NODES] = "enableReservedNodes",
  [VC_FLAG_JOB_ENQUEUED] = "enableJobEnqueued",
  [VC_FLAG_VICTIM] = "enabledVictim",
  [VC_FLAG_JOB_STARVING] = "enableJobStarving",
  [VC_FLAG_OVERUSED] = "enabledOverused",
  [VC_FLAG_ALLOCATABLE] = "enabledAllocatable",
  [VC_FLAG_HYPER_NODE_ORDER] = "enabledHyperNodeOrder",
  [VC_FLAG_SUB_JOB_READY] = "enabledSubJobReady",
  [VC_FLAG_SUB_JOB_PIPELINED] = "enabledSubJobPipelined",
  [VC_FLAG_SUB_JOB_ORDER] = "enabledSubJobOrder",
  [VC_FLAG_HYPER_NODE_GRADIENT] = "enabledHyperNodeGradient",
};

/* ---- structures; each is read as yaml.v2 would, then checked ---- */

static void
plugin_clear (gpointer data)
{
  VcPluginOption *p = data;

  g_free (p->name);
  vc_args_clear (&p->args);
}

static void
tier_clear (gpointer data)
{
  VcTier *t = data;

  for (guint i = 0; i < t->n; i++)
    plugin_clear (&t->plugin[i]);
  g_free (t->plugin);
}

static void
action_conf_clear (gpointer data)
{
  VcActionConf *a = data;

  g_free (a->name);
  vc_args_clear (&a->args);
}

static GArray *
array_new (guint size, GDestroyNotify clear)
{
  GArray *a = g_array_new (FALSE, TRUE, size);

  g_array_set_clear_func (a, clear);
  return a;
}

/* What is left to do with @n, which should be a list or a map. */
typedef enum { OPEN_FAILED, OPEN_NULL, OPEN_CONTENT } Opened;

static Opened
open_node (VcReader *r, VcYamlNode *n, VcYamlKind kind, const char *what)
{
  gboolean null;

  if (n->kind == kind)
    return OPEN_CONTENT;
  if (!vc_read_null (r, n, &null))
    return OPEN_FAILED;
  if (null)
    return OPEN_NULL;
  vc_reader_fail (r, VC_CONF_ERROR_TYPE, n->line, n->col, "wrong type of %s, expected %s, found %s",
                  what, kind == VC_YAML_LIST ? "a list" : "a mapping", vc_reader_describe (r, n));
  return OPEN_FAILED;
}

/* As open_node(), where a null is legal for Volcano but leaves a hole in the configuration. */
static Opened
open_required (VcReader *r, VcYamlNode *n, VcYamlKind kind, const char *what)
{
  const Opened opened = open_node (r, n, kind, what);

  if (opened == OPEN_NULL
      && !vc_reader_odd (r, VC_CONF_ERROR_TYPE, n->line, n->col,
                         "nothing in %s, expected %s, found null", what,
                         kind == VC_YAML_LIST ? "a list" : "a mapping"))
    return OPEN_FAILED;
  return opened;
}

typedef struct {
  VcPluginOption option;
  VcReadText name;
  VcArgsDraft args;
} PluginDraft;

/* The flag that is @key but for its prefix and case: enabledJobOrder, jobOrder. */
static const char *
flag_without_prefix (const char *key)
{
  static const char *const prefixes[] = { "enabled", "enable", "" };

  for (guint p = 0; p < G_N_ELEMENTS (prefixes); p++) {
    const gsize n = strlen (prefixes[p]);

    if (g_ascii_strncasecmp (key, prefixes[p], n) != 0)
      continue;
    for (guint f = 0; f < VC_N_FLAGS; f++) {
      const char *flag
          = vc_flag_names[f] + (g_str_has_prefix (vc_flag_names[f], "enabled") ? 7 : 6);

      if (g_ascii_strcasecmp (key + n, flag) == 0)
        return vc_flag_names[f];
    }
  }
  return NULL;
}

typedef struct {
  gint8 *given;
  const char *name;
} FlagTarget;

static gboolean
read_flag (VcReader *r, VcYamlNode *n, gpointer out)
{
  FlagTarget *t = out;
  VcArg v = { .type = VC_VALUE_OTHER };

  if (n->kind == VC_YAML_SCALAR && !vc_read_scalar (r, n, &v))
    return FALSE;
  g_free (v.s);
  if (v.type == VC_VALUE_BOOL) {
    *t->given = v.b ? 1 : 0;
  } else if (v.type == VC_VALUE_NULL) {
    *t->given = -1;
    /* Of the words for null yaml.v2 knows only some when it fills an optional value; the others set
     * it to false. */
    if (n->tag == NULL && g_ascii_strcasecmp (n->text, "null") == 0
        && !g_str_equal (n->text, "null")) {
      *t->given = 0;
      return vc_reader_odd (
          r, VC_CONF_ERROR_TYPE, n->line, n->col,
          "wrong type of flag '%s', expected true or false, found %s, which means false here",
          t->name, n->text);
    }
  } else {
    return vc_reader_fail (r, VC_CONF_ERROR_TYPE, n->line, n->col,
                           "wrong type of flag '%s', expected true or false, found %s", t->name,
                           vc_reader_describe (r, n));
  }
  return TRUE;
}

static gboolean
plugin_entry (VcReader *r, const VcReadKey *key, VcYamlNode *value, gpointer out)
{
  PluginDraft *d = out;
  const char *names[VC_N_FLAGS + 2], *near;

  if (g_str_equal (key->text, "name"))
    return vc_read_node (r, value, vc_read_text, &d->name);
  if (g_str_equal (key->text, "arguments"))
    return vc_read_node (r, value, vc_read_arguments, &d->args);
  for (guint f = 0; f < VC_N_FLAGS; f++) {
    if (g_str_equal (key->text, vc_flag_names[f]))
      return vc_read_node (r, value, read_flag,
                           &(FlagTarget){ &d->option.given[f], vc_flag_names[f] });
    names[f] = vc_flag_names[f];
  }
  names[VC_N_FLAGS] = "name";
  names[VC_N_FLAGS + 1] = "arguments";
  near = flag_without_prefix (key->text);
  if (near == NULL)
    near = vc_nearest_name (key->text, names, G_N_ELEMENTS (names));
  return vc_reader_odd (r, VC_CONF_ERROR_UNKNOWN, key->line, key->col,
                        "unknown key '%s' of a plugin%s", vc_reader_show (r, key->text),
                        near != NULL
                            ? vc_reader_advise (r, key->text, near, NULL, 0)
                            : ", expected name, arguments or a flag such as enableJobOrder");
}

static void
apply_defaults (VcPluginOption *o)
{
  for (guint f = 0; f < VC_N_FLAGS; f++)
    o->on[f]
        = o->given[f] < 0 ? f != VC_FLAG_HIERARCHY && f != VC_FLAG_CLUSTER_ORDER : o->given[f] > 0;
}

/* Whether the entry stays; FALSE in @keep drops it with a warning, as Volcano skips it. */
static gboolean
check_plugin (VcReader *r, const VcPluginOption *o, gboolean *keep)
{
  const VcNameSpec *spec;

  *keep = FALSE;
  if (*o->name == '\0')
    return vc_reader_odd (r, VC_CONF_ERROR_UNKNOWN, o->line, o->col,
                          "plugin without a name, expected a key name");
  *keep = TRUE;
  if (r->known == NULL)
    return TRUE;
  spec = vc_find_name (r->known->plugins, r->known->n_plugins, o->name);
  if (spec == NULL) {
    *keep = FALSE;
    return vc_reader_odd (
        r, VC_CONF_ERROR_UNKNOWN, o->line, o->col, "unknown plugin '%s'%s",
        vc_reader_show (r, o->name),
        vc_reader_advise_name (r, o->name, r->known->plugins, r->known->n_plugins));
  }
  if (!spec->exists)
    return vc_reader_fail (r, VC_CONF_ERROR_UNSUPPORTED, o->line, o->col,
                           "plugin '%s' is not implemented yet", o->name);
  return vc_reader_check_args (r, "plugin", spec, &o->args);
}

static gboolean
read_plugin (VcReader *r, VcYamlNode *n, gpointer out)
{
  GArray *plugins = out;
  PluginDraft d = { .name.what = "a plugin's name" };
  gboolean keep = FALSE, ok = FALSE;

  memset (d.option.given, -1, sizeof d.option.given);
  switch (open_node (r, n, VC_YAML_MAP, "a plugin")) {
  case OPEN_CONTENT:
    ok = vc_read_map (r, n, plugin_entry, &d);
    break;
  case OPEN_NULL:
    ok = TRUE; /* and no name */
    break;
  case OPEN_FAILED:
  default:
    break;
  }
  d.option.name = d.name.s != NULL ? d.name.s : g_strdup ("");
  d.option.line = d.name.node != NULL ? d.name.node->line : n->line;
  d.option.col = d.name.node != NULL ? d.name.node->col : n->col;
  if (ok)
    d.option.args = vc_args_draft_steal (&d.args);
  vc_args_draft_reset (&d.args);
  apply_defaults (&d.option);
  ok = ok && check_plugin (r, &d.option, &keep);
  if (ok && keep)
    g_array_append_val (plugins, d.option);
  else
    plugin_clear (&d.option);
  return ok;
}

/* A list of structures: given again it replaces the earlier one. */
typedef struct {
  GArray *array;
  VcReadFn element;
  const char *what;
  gboolean required;
} ListTarget;

static gboolean
read_list (VcReader *r, VcYamlNode *n, gpointer out)
{
  const ListTarget *t = out;
  const Opened opened = t->required ? open_required (r, n, VC_YAML_LIST, t->what)
                                    : open_node (r, n, VC_YAML_LIST, t->what);

  g_array_set_size (t->array, 0);
  for (guint i = 0; opened == OPEN_CONTENT && i < n->child->len; i++)
    if (!vc_read_node (r, n->child->pdata[i], t->element, t->array))
      return FALSE;
  return opened != OPEN_FAILED;
}

static gboolean
tier_entry (VcReader *r, const VcReadKey *key, VcYamlNode *value, gpointer out)
{
  static const char *const names[] = { "plugins" };

  if (g_str_equal (key->text, names[0]))
    return vc_read_node (r, value, read_list, &(ListTarget){ out, read_plugin, "plugins", TRUE });
  return vc_reader_odd (r, VC_CONF_ERROR_UNKNOWN, key->line, key->col,
                        "unknown key '%s' of a tier%s", vc_reader_show (r, key->text),
                        vc_reader_advise (r, key->text, NULL, names, G_N_ELEMENTS (names)));
}

/* Two plugins that would both divide the cluster among the queues. */
static gboolean
check_tier (VcReader *r, const GArray *plugins)
{
  const VcPluginOption *hierarchical = NULL, *proportion = NULL;

  for (guint i = 0; i < plugins->len; i++) {
    const VcPluginOption *o = &g_array_index (plugins, VcPluginOption, i);

    if (g_str_equal (o->name, "drf") && o->given[VC_FLAG_HIERARCHY] > 0)
      hierarchical = o;
    else if (g_str_equal (o->name, "proportion"))
      proportion = o;
  }
  if (hierarchical == NULL || proportion == NULL)
    return TRUE;
  return vc_reader_fail (
      r, VC_CONF_ERROR_CONFLICT, hierarchical->line, hierarchical->col,
      "drf with enableHierarchy conflicts with proportion, expected one of them in a tier, "
      "found both");
}

static gboolean
read_tier (VcReader *r, VcYamlNode *n, gpointer out)
{
  g_autoptr (GArray) plugins = array_new (sizeof (VcPluginOption), plugin_clear);
  const Opened opened = open_required (r, n, VC_YAML_MAP, "a tier");
  VcTier tier = { 0 };

  if (opened == OPEN_FAILED || (opened == OPEN_CONTENT && !vc_read_map (r, n, tier_entry, plugins))
      || !check_tier (r, plugins))
    return FALSE;
  tier.n = plugins->len;
  tier.plugin = (VcPluginOption *) (gpointer) g_array_free (g_steal_pointer (&plugins), FALSE);
  g_array_append_val (((GArray *) out), tier);
  return TRUE;
}

typedef struct {
  VcReadText name;
  VcArgsDraft args;
} ActionDraft;

static gboolean
action_entry (VcReader *r, const VcReadKey *key, VcYamlNode *value, gpointer out)
{
  static const char *const names[] = { "name", "arguments" };
  ActionDraft *d = out;

  if (g_str_equal (key->text, names[0]))
    return vc_read_node (r, value, vc_read_text, &d->name);
  if (g_str_equal (key->text, names[1]))
    return vc_read_node (r, value, vc_read_arguments, &d->args);
  return vc_reader_odd (r, VC_CONF_ERROR_UNKNOWN, key->line, key->col,
                        "unknown key '%s' of a configuration%s", vc_reader_show (r, key->text),
                        vc_reader_advise (r, key->text, NULL, names, G_N_ELEMENTS (names)));
}

static gboolean
check_action_conf (VcReader *r, const VcActionConf *a, const GArray *before, gboolean *keep)
{
  const VcNameSpec *spec;

  *keep = FALSE;
  if (*a->name == '\0')
    return vc_reader_odd (r, VC_CONF_ERROR_UNKNOWN, a->line, a->col,
                          "configuration without a name, expected a key name with an action");
  *keep = TRUE;
  for (guint i = 0; i < before->len; i++)
    if (g_str_equal (g_array_index (before, VcActionConf, i).name, a->name)) {
      vc_reader_warn (r, a->line, a->col,
                      "second configuration of action '%s' has no effect, the first counts",
                      vc_reader_show (r, a->name));
      break;
    }
  if (r->known == NULL)
    return TRUE;
  spec = vc_find_name (r->known->actions, r->known->n_actions, a->name);
  if (spec == NULL) {
    *keep = FALSE;
    return vc_reader_odd (
        r, VC_CONF_ERROR_UNKNOWN, a->line, a->col, "configuration of unknown action '%s'%s",
        vc_reader_show (r, a->name),
        vc_reader_advise_name (r, a->name, r->known->actions, r->known->n_actions));
  }
  return (!spec->exists && spec->args == NULL)
         || vc_reader_check_args (r, "action", spec, &a->args);
}

static gboolean
read_action_conf (VcReader *r, VcYamlNode *n, gpointer out)
{
  ActionDraft d = { .name.what = "an action's name" };
  VcActionConf a = { 0 };
  const Opened opened = open_node (r, n, VC_YAML_MAP, "a configuration");
  gboolean keep = FALSE, ok;

  ok = opened == OPEN_NULL || (opened == OPEN_CONTENT && vc_read_map (r, n, action_entry, &d));
  a.name = d.name.s != NULL ? d.name.s : g_strdup ("");
  a.line = d.name.node != NULL ? d.name.node->line : n->line;
  a.col = d.name.node != NULL ? d.name.node->col : n->col;
  if (ok)
    a.args = vc_args_draft_steal (&d.args);
  vc_args_draft_reset (&d.args);
  ok = ok && check_action_conf (r, &a, out, &keep);
  if (ok && keep)
    g_array_append_val (((GArray *) out), a);
  else
    action_conf_clear (&a);
  return ok;
}

static gboolean
metric_entry (VcReader *r, const VcReadKey *key, VcYamlNode *value, gpointer out)
{
  VcReadText text = { .what = "a metrics value" };
  const gboolean ok = vc_read_node (r, value, vc_read_text, &text);

  if (ok && g_str_equal (key->text, "interval")) {
    g_free (*(char **) out);
    *(char **) out = g_steal_pointer (&text.s);
  }
  g_free (text.s);
  return ok;
}

/* Where Volcano finds real usage figures: a simulation has its own, so the form is checked and the interval is kept. */
static gboolean
read_metrics (VcReader *r, VcYamlNode *n, gpointer out)
{
  const Opened opened = open_node (r, n, VC_YAML_MAP, "metrics");

  return opened == OPEN_NULL || (opened == OPEN_CONTENT && vc_read_map (r, n, metric_entry, out));
}

typedef struct {
  VcReadText actions;
  GArray *tiers, *action_confs;
  char *metrics_interval;
} TopDraft;

static gboolean
top_entry (VcReader *r, const VcReadKey *key, VcYamlNode *value, gpointer out)
{
  static const char *const names[] = { "actions", "tiers", "configurations", "metrics" };
  TopDraft *d = out;

  if (g_str_equal (key->text, names[0]))
    return vc_read_node (r, value, vc_read_text, &d->actions);
  if (g_str_equal (key->text, names[1]))
    return vc_read_node (r, value, read_list, &(ListTarget){ d->tiers, read_tier, "tiers", TRUE });
  if (g_str_equal (key->text, names[2]))
    return vc_read_node (
        r, value, read_list,
        &(ListTarget){ d->action_confs, read_action_conf, "configurations", FALSE });
  if (g_str_equal (key->text, names[3]))
    return vc_read_node (r, value, read_metrics, &d->metrics_interval);
  return vc_reader_odd (r, VC_CONF_ERROR_UNKNOWN, key->line, key->col, "unknown key '%s'%s",
                        vc_reader_show (r, key->text),
                        vc_reader_advise (r, key->text, NULL, names, G_N_ELEMENTS (names)));
}

/* ---- the list of actions ---- */

/* Go's unicode.IsSpace, which strings.TrimSpace cuts. */
static gboolean
is_space (gunichar c)
{
  return (c >= '\t' && c <= '\r') || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680
         || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f
         || c == 0x3000;
}

/* Column of byte @at of the text @n, when the file has the text as it is; else where the text
 * begins. */
static guint32
column_in (const VcReader *r, const VcYamlNode *n, gsize at)
{
  const gsize len = strlen (n->text), pos = n->pos + (n->plain ? 0 : 1);

  if (n->literal || pos > r->len || r->len - pos < len || memcmp (r->text + pos, n->text, len) != 0
      || memchr (n->text, '\n', at) != NULL)
    return n->col;
  return n->col + (n->plain ? 0 : 1) + (guint32) g_utf8_strlen (n->text, (gssize) at);
}

static gboolean
add_action (VcReader *r, const VcReadText *t, const char *from, const char *to, GPtrArray *actions)
{
  g_autofree char *name = NULL;
  const VcNameSpec *spec;
  guint32 col;

  while (from < to && is_space (g_utf8_get_char (from)))
    from = g_utf8_next_char (from);
  while (to > from && is_space (g_utf8_get_char (g_utf8_prev_char (to))))
    to = g_utf8_prev_char (to);
  name = g_strndup (from, (gsize) (to - from));
  col = g_str_equal (t->s, t->node->text) ? column_in (r, t->node, (gsize) (from - t->s))
                                          : t->node->col;
  if (r->known != NULL) {
    spec = vc_find_name (r->known->actions, r->known->n_actions, name);
    if (spec == NULL && *name == '\0')
      return vc_reader_fail (r, VC_CONF_ERROR_UNKNOWN, t->node->line, col,
                             "empty name in actions, expected names of actions between commas");
    if (spec == NULL)
      return vc_reader_fail (
          r, VC_CONF_ERROR_UNKNOWN, t->node->line, col, "unknown action '%s'%s",
          vc_reader_show (r, name),
          vc_reader_advise_name (r, name, r->known->actions, r->known->n_actions));
    if (!spec->exists)
      return vc_reader_fail (r, VC_CONF_ERROR_UNSUPPORTED, t->node->line, col,
                             "action '%s' is not implemented yet", name);
  }
  g_ptr_array_add (actions, g_steal_pointer (&name));
  return TRUE;
}

static char **
split_actions (VcReader *r, const VcReadText *t, const VcYamlNode *root)
{
  g_autoptr (GPtrArray) actions = g_ptr_array_new_with_free_func (g_free);

  if (t->s == NULL || *t->s == '\0') {
    const guint32 line = t->node != NULL ? t->node->line : root->line,
                  col = t->node != NULL ? t->node->col : root->col;

    vc_reader_fail (r, VC_CONF_ERROR_UNKNOWN, line, col,
                    "no actions, expected a list such as actions: \"enqueue, allocate, backfill\", "
                    "found nothing");
    return NULL;
  }
  for (const char *p = t->s; p != NULL;) {
    const char *comma = strchr (p, ',');

    if (!add_action (r, t, p, comma != NULL ? comma : p + strlen (p), actions))
      return NULL;
    p = comma != NULL ? comma + 1 : NULL;
  }
  g_ptr_array_add (actions, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&actions), FALSE);
}

/* ---- the whole ---- */

static gboolean
read_top (VcReader *r, VcYamlNode *n, gpointer out)
{
  return vc_read_map (r, n, top_entry, out);
}

static VcConf *
read_conf (VcReader *r, const VcYamlDoc *doc)
{
  g_autoptr (GArray) tiers = array_new (sizeof (VcTier), tier_clear);
  g_autoptr (GArray) action_confs = array_new (sizeof (VcActionConf), action_conf_clear);
  TopDraft d = { .actions.what = "actions", .tiers = tiers, .action_confs = action_confs };
  VcYamlNode *root = doc->root;
  g_auto (GStrv) actions = NULL;
  VcConf *conf;
  gboolean null = root == NULL, ok;

  if (root != NULL && !vc_read_null (r, root, &null))
    return NULL;
  if (null || root->kind != VC_YAML_MAP) {
    vc_reader_fail (r, VC_CONF_ERROR_TYPE, root != NULL ? root->line : 1,
                    root != NULL ? root->col : 1,
                    "no configuration, expected a mapping with actions and tiers, found %s",
                    null ? "an empty document" : vc_reader_describe (r, root));
    return NULL;
  }
  ok = vc_read_node (r, root, read_top, &d);
  if (ok)
    actions = split_actions (r, &d.actions, root);
  g_free (d.actions.s);
  g_autofree char *interval = d.metrics_interval;
  if (!ok || actions == NULL
      || (doc->more_line > 0
          && !vc_reader_odd (
              r, VC_CONF_ERROR_SYNTAX, doc->more_line, doc->more_col,
              "more than one document, expected one, found another that is not read")))
    return NULL;

  conf = g_new0 (VcConf, 1);
  conf->actions = g_steal_pointer (&actions);
  conf->n_tiers = tiers->len;
  conf->tier = (VcTier *) (gpointer) g_array_free (g_steal_pointer (&tiers), FALSE);
  conf->n_action_confs = action_confs->len;
  conf->action_conf
      = (VcActionConf *) (gpointer) g_array_free (g_steal_pointer (&action_confs), FALSE);
  conf->metrics_interval = g_steal_pointer (&interval);
  return conf;
}

static VcConf *
read_text (VcReader *r, const char *text, gsize len, VcYamlDoc *doc)
{
  g_auto (VcYamlFault) fault = { 0 };

  r->text = text;
  r->len = len;
  if (vc_yaml_read (text, len, doc, &fault))
    return read_conf (r, doc);
  vc_reader_fault (r, &fault);
  return NULL;
}

/* ---- ConfigMaps ---- */

static void
place_args (const VcReader *r, VcArgs *args)
{
  for (guint i = 0; i < args->n; i++) {
    VcArg *a = &args->arg[i];

    vc_reader_place (r, &a->line, &a->col);
    vc_reader_place (r, &a->key_line, &a->key_col);
    if (a->child != NULL)
      place_args (r, a->child);
  }
}

/* From places in the text of a ConfigMap to places in the file. */
static void
place_conf (const VcReader *r, VcConf *conf)
{
  for (guint t = 0; t < conf->n_tiers; t++)
    for (guint p = 0; p < conf->tier[t].n; p++) {
      VcPluginOption *o = &conf->tier[t].plugin[p];

      vc_reader_place (r, &o->line, &o->col);
      place_args (r, &o->args);
    }
  for (guint i = 0; i < conf->n_action_confs; i++) {
    vc_reader_place (r, &conf->action_conf[i].line, &conf->action_conf[i].col);
    place_args (r, &conf->action_conf[i].args);
  }
}

static VcConf *
read_config_map (VcReader *r, const VcYamlDoc *outer)
{
  const VcYamlNode *scalar = vc_reader_config_map_text (r, outer);
  g_auto (VcYamlDoc) doc = { 0 };
  VcReadInside inside;
  VcConf *conf;

  if (scalar == NULL)
    return NULL;
  if (outer->more_line > 0
      && !vc_reader_odd (r, VC_CONF_ERROR_SYNTAX, outer->more_line, outer->more_col,
                         "more than one document, expected one, found another that is not read"))
    return NULL;
  inside = (VcReadInside){ .scalar = scalar,
                           .indent = vc_reader_literal_indent (r->text, r->len, scalar) };
  r->inside = &inside;
  conf = read_text (r, scalar->text, strlen (scalar->text), &doc);
  if (conf != NULL)
    place_conf (r, conf);
  r->inside = NULL;
  return conf;
}

VcConf *
vc_conf_parse (const char *text, gsize len, const char *source, const VcCatalog *known,
               gboolean lenient, GPtrArray *warnings, GError **error)
{
  g_auto (VcYamlDoc) doc = { 0 };
  g_auto (VcYamlFault) fault = { 0 };
  VcReader r = {
    .source = source, .known = known, .lenient = lenient, .warnings = warnings, .error = error
  };
  VcConf *conf = NULL;

  if (len >= 3
      && memcmp (text, "\xef\xbb\xbf", 3) == 0) { /* a mark of UTF-8, no part of the text */
    text += 3;
    len -= 3;
  }
  r.text = text;
  r.len = len;
  r.scratch = g_string_chunk_new (256);
  if (!vc_yaml_read (text, len, &doc, &fault))
    vc_reader_fault (&r, &fault);
  else
    conf = vc_reader_is_config_map (&doc) ? read_config_map (&r, &doc) : read_conf (&r, &doc);
  g_string_chunk_free (r.scratch);
  return conf;
}

static VcConf *
built_in (const char *name, const char *text)
{
  g_autoptr (GError) error = NULL;
  VcConf *conf = vc_conf_parse (text, strlen (text), name, NULL, FALSE, NULL, &error);

  g_assert_no_error (error);
  return conf;
}

#define FIRST_ACTIONS "actions: 'enqueue, allocate, backfill'\n"

VcConf *
vc_conf_default (void)
{
  return built_in (
      "built-in default", FIRST_ACTIONS
      "tiers: [{plugins: [{name: priority}, {name: gang}, {name: conformance}]},\n"
      "  {plugins: [{name: overcommit}, {name: drf}, {name: predicates}, {name: proportion},\n"
      "    {name: nodeorder}]}]\n");
}

VcConf *
vc_conf_chart (void)
{
  return built_in ("chart default",
                   FIRST_ACTIONS "tiers: [{plugins: [{name: priority}, {name: gang, "
                                 "enablePreemptable: false}, {name: conformance}]},\n"
                                 "  {plugins: [{name: overcommit}, {name: drf, enablePreemptable: "
                                 "false}, {name: predicates},\n"
                                 "    {name: proportion}, {name: nodeorder}, {name: binpack}]}]\n");
}

void
vc_conf_keep (VcConf *conf, const char *const *actions, const char *const *plugins)
{
  g_strfreev (conf->actions);
  conf->actions = g_strdupv ((char **) actions);
  for (guint i = 0; i < conf->n_tiers; i++) {
    VcTier *tier = &conf->tier[i];
    guint kept = 0;

    for (guint k = 0; k < tier->n; k++)
      if (g_strv_contains (plugins, tier->plugin[k].name))
        tier->plugin[kept++] = tier->plugin[k];
      else
        plugin_clear (&tier->plugin[k]);
    tier->n = kept;
  }
}

void
vc_conf_free (VcConf *conf)
{
  if (conf == NULL)
    return;
  g_strfreev (conf->actions);
  for (guint i = 0; i < conf->n_tiers; i++)
    tier_clear (&conf->tier[i]);
  g_free (conf->tier);
  for (guint i = 0; i < conf->n_action_confs; i++)
    action_conf_clear (&conf->action_conf[i]);
  g_free (conf->action_conf);
  g_free (conf->metrics_interval);
  g_free (conf);
}

const VcArgs *
vc_conf_action_args (const VcConf *conf, const char *action)
{
  static const VcArgs none = { 0 };

  for (guint i = 0; i < conf->n_action_confs; i++)
    if (g_str_equal (conf->action_conf[i].name, action))
      return &conf->action_conf[i].args;
  return &none;
}
