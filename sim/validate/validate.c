/* sim/validate/validate.c - see validate.h. */
#include "validate.h"
#include "core/plugins/extender-http.h"
#include <string.h>

static void
warning_free (gpointer p)
{
  SimWarning *w = p;

  g_free (w->file);
  g_free (w->text);
  g_free (w);
}

/* What was seen to happen with such inputs, and not to happen without: entries of scenarios/gallery. */
static const struct { const char *code, *entry; } proofs[] = {
  { "admission-blocks-eviction", "g08-enqueue-blocks-reclaim" },
  { "shares-asked-too-late", "g61-claims-beyond-deserved" },
  { "slack-in-deserved", "g03-memory-slack-tug-of-war" },
  { "priority-on-borrower", "g04-priority-on-the-borrower" },
  { "pool-fills-admission", "g09-wrong-pool-fills-inqueue" },
  { "big-gang-starves", "g10-big-gang-starves" },
  { "drf-before-gangs", "g11-gang-one-short" },
  { "broken-gang", "g56-stock-gang-one-short" },
  { "jobs-above-every-share", "g12-half-gpu-each" },
  { "shares-beyond-cluster", "g17-last-borrowed-gpu-kept" },
  { "parents-not-asked", "g18-cousin-reclaim" },
  { "better-queue-pays", "g28-gold-queue-robbed-first" },
  { "reclaims-for-unplaceable", "g52-reclaim-unplaceable" },
  { "priority-across-queues", "g60-priority-across-queues" },
  { "binpack-ignores", "g22-binpack-ignores-gpu" },
  { "small-pods-first", "g23-greedy-gang" },
  { "unplaceable-gang-admitted", "g32-sum-fits-pods-do-not" },
  { "backfill-takes-places", "g42-besteffort-takes-pod-slots" },
  { "backfill-takes-back", "g43-preempt-backfill-pingpong" },
  { "guarantee-beyond-cluster", "g44-guarantee-typo" },
  { "nominated-pods-wait", "g45-stale-nomination" },
  { "elastic-jobs-drained", "g46-gangpreempt-drains" },
  { "nothing-evictable", "g65-not-preemptable-lender" },
};

static const char *
proof_of (const SimValidation *v, const char *code)
{
  if (strcmp (code, "admission-blocks-eviction") == 0 && !sim_has_action (v, "reclaim") && !sim_has_action (v, "gangreclaim"))
    return "g15-preempt-never-asked";
  for (guint i = 0; i < G_N_ELEMENTS (proofs); i++)
    if (strcmp (proofs[i].code, code) == 0)
      return proofs[i].entry;
  return NULL;
}

G_GNUC_PRINTF (6, 0) static void
warn_va (SimValidation *v, const char *code, const char *file, guint32 line, guint32 column, const char *format, va_list args)
{
  SimWarning *w = g_new0 (SimWarning, 1);

  w->code = code;
  w->entry = proof_of (v, code);
  w->file = g_strdup (file);
  w->line = line;
  w->column = column;
  w->text = g_strdup_vprintf (format, args);
  g_ptr_array_add (v->warnings, w);
}

void
sim_warn (SimValidation *v, const char *code, const char *file, guint32 line, guint32 column, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  warn_va (v, code, file, line, column, format, args);
  va_end (args);
}

/* The reader does not keep where an action's name stands: look for it behind the first `actions:` that begins a line. */
static const char *
find_actions (const SimValidation *v)
{
  for (const char *line = v->text; line != NULL && *line != '\0';) {
    const char *at = line + strspn (line, " \t\"'");

    if (g_str_has_prefix (at, "actions"))
      return at;
    line = strchr (line, '\n');
    line = line != NULL ? line + 1 : NULL;
  }
  return v->text;
}

static gboolean
is_name_char (char c)
{
  return g_ascii_isalnum (c) || c == '-' || c == '_';
}

static void
place_of_action (const SimValidation *v, const char *action, guint nth, guint32 *line, guint32 *column)
{
  const char *start = find_actions (v), *at = start;

  if (action != NULL)
    for (at = start + strlen ("actions"); (at = strstr (at, action)) != NULL; at += strlen (action))
      if (!is_name_char (at[-1]) && !is_name_char (at[strlen (action)]) && nth-- == 0)
        break;
  if (at == NULL)
    at = start;
  *line = *column = 1;
  for (const char *c = v->text; c < at; c++)
    if (*c == '\n') {
      ++*line;
      *column = 1;
    } else if (((guchar) *c & 0xC0) != 0x80) {
      ++*column;
    }
}

void
sim_warn_action (SimValidation *v, const char *code, const char *action, guint nth, const char *format, ...)
{
  guint32 line, column;
  va_list args;

  place_of_action (v, action, nth, &line, &column);
  va_start (args, format);
  warn_va (v, code, v->source, line, column, format, args);
  va_end (args);
}

void
sim_warn_plugin (SimValidation *v, const char *code, const VcPluginOption *plugin, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  warn_va (v, code, v->source, plugin->line, plugin->col, format, args);
  va_end (args);
}

/* ---- questions ------------------------------------------------------------------------------ */

int
sim_action_place (const SimValidation *v, const char *action)
{
  for (int i = 0; v->conf->actions[i] != NULL; i++)
    if (strcmp (v->conf->actions[i], action) == 0)
      return i;
  return -1;
}

gboolean
sim_has_action (const SimValidation *v, const char *action)
{
  return sim_action_place (v, action) >= 0;
}

const char *
sim_evicting_action (const SimValidation *v)
{
  static const char *const names[] = { "preempt", "reclaim", "gangpreempt", "gangreclaim" };
  const char *first = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (sim_has_action (v, names[i]) && (first == NULL || sim_action_place (v, names[i]) < sim_action_place (v, first)))
      first = names[i];
  return first;
}

const VcPluginOption *
sim_plugin (const SimValidation *v, const char *name, guint *tier)
{
  for (guint t = 0; t < v->conf->n_tiers; t++)
    for (guint i = 0; i < v->conf->tier[t].n; i++)
      if (strcmp (v->conf->tier[t].plugin[i].name, name) == 0) {
        if (tier != NULL)
          *tier = t;
        return &v->conf->tier[t].plugin[i];
      }
  return NULL;
}

gboolean
sim_is_asked (const SimValidation *v, VcHookFamily f, const char *plugin)
{
  for (guint i = 0; i < v->asked[f]->len; i++)
    if (strcmp (v->asked[f]->pdata[i], plugin) == 0)
      return TRUE;
  return FALSE;
}

double
sim_plugin_float (const VcPluginOption *plugin, const char *key, double fallback)
{
  if (plugin != NULL)
    vc_args_get_float (&plugin->args, key, &fallback);
  return fallback;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void
take_participants (VcSession *ssn, gpointer user)
{
  SimValidation *v = user;

  for (guint f = 0; f < VC_N_HOOKS; f++)
    for (guint i = 0; i < vc_session_participants (ssn, (VcHookFamily) f); i++)
      g_ptr_array_add (v->asked[f], (gpointer) vc_session_participant (ssn, (VcHookFamily) f, i));
}

/* Services are not called: to a plugin that wants to, all is well. */
static gboolean
answer_nothing (gpointer user, const char *url, const char *body, gsize len, gint64 timeout_us, GString *answer, gsize limit, guint *status, GError **error)
{
  *status = 200;
  if (answer != NULL)
    g_string_assign (answer, "{}");
  return TRUE;
}

/* A session on an empty cluster tells who registers what, and its making refuses arguments that plugins refuse. */
static gboolean
ask_plugins (SimValidation *v, GError **error)
{
  VcCacheOptions cache_options;
  VcEngineOptions options;
  const VcHttpTransport nobody = { answer_nothing, NULL };
  VcResNames *names = vc_res_names_new (NULL, 0, error);

  if (names == NULL)
    return FALSE;
  vc_cache_options_init (&cache_options);
  vc_engine_options_init (&options);
  options.http = &nobody;
  g_autoptr (VcCache) cache = vc_cache_new (names, &cache_options);
  VcConf *copy = vc_conf_parse (v->text, v->len, v->source, vc_catalog (), FALSE, NULL, error);

  if (copy == NULL)
    return FALSE;
  g_autoptr (VcEngine) engine = vc_engine_new (cache, copy, FALSE, &options, error);
  if (engine == NULL) {
    g_prefix_error (error, "%s: ", v->source);
    return FALSE;
  }
  vc_engine_with_session (engine, 0, take_participants, v);
  return TRUE;
}

static int
compare_warnings (gconstpointer a, gconstpointer b, gpointer user)
{
  const SimWarning *l = *(const SimWarning *const *) a, *r = *(const SimWarning *const *) b;
  const char *source = user;
  gboolean conf_l = strcmp (l->file, source) == 0, conf_r = strcmp (r->file, source) == 0;

  if (conf_l != conf_r)
    return conf_l ? -1 : 1;
  int files = strcmp (l->file, r->file);
  if (files != 0)
    return files;
  if (l->line != r->line)
    return l->line < r->line ? -1 : 1;
  return l->column != r->column ? (l->column < r->column ? -1 : 1) : strcmp (l->code, r->code);
}

/* "source:line:column: text" of the reader. */
static void
add_reader_warning (SimValidation *v, const char *text)
{
  guint64 line = 1, column = 1;
  char *end = NULL;
  gsize n = strlen (v->source);

  if (g_str_has_prefix (text, v->source) && text[n] == ':') {
    line = g_ascii_strtoull (text + n + 1, &end, 10);
    column = g_ascii_strtoull (end + 1, &end, 10);
    text = end + (*end == ':') + (end[0] == ':' && end[1] == ' ');
  }
  sim_warn (v, "reader", v->source, (guint32) line, (guint32) column, "%s", text);
}

GPtrArray *
sim_validate (const char *text, gsize len, const char *source, const SimFacts *facts, GError **error)
{
  g_autoptr (GPtrArray) said = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (VcConf) conf = vc_conf_parse (text, len, source, vc_catalog (), FALSE, said, error);

  if (conf == NULL)
    return NULL;
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (warning_free);
  SimValidation v = { .conf = conf, .text = text, .len = len, .source = source, .facts = facts, .warnings = warnings };
  gboolean good;

  for (guint f = 0; f < VC_N_HOOKS; f++)
    v.asked[f] = g_ptr_array_new ();
  good = ask_plugins (&v, error);
  if (good) {
    for (guint i = 0; i < said->len; i++)
      add_reader_warning (&v, said->pdata[i]);
    sim_check_conf (&v);
    if (facts != NULL) {
      sim_check_data (&v);
      sim_check_admission (&v);
    }
    g_ptr_array_sort_with_data (warnings, compare_warnings, (gpointer) source);
  }
  for (guint f = 0; f < VC_N_HOOKS; f++)
    g_ptr_array_unref (v.asked[f]);
  return good ? g_steal_pointer (&warnings) : NULL;
}
