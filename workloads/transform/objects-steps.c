/* workloads/transform/objects-steps.c - the steps of a transformation on objects: see objects.h. */
#include "objects-private.h"
#include "workloads/native/append.h"
#include "workloads/text/parse.h"
#include <string.h>

/* ---- choosing ------------------------------------------------------------------------------------ */

/* The longest first run of a note such as "40|20>40". */
static gboolean
longest (const char *text, WlTime *most, GError **error)
{
  g_auto (GStrv) replica = g_strsplit (text, "|", -1);

  for (char **r = replica; *r != NULL; r++) {
    WlTime time;

    (*r)[strcspn (*r, ">")] = '\0';
    if (!wl_parse_time (*r, TRUE, &time, error))
      return FALSE;
    *most = MAX (*most, time);
  }
  return TRUE;
}

/* Pods and times of a job's spec; @own is the duration that the job gives for all. */
static gboolean
add_spec (const VcYamlNode *spec, const char *own, WlObjectFacts *f, GError **error)
{
  const VcYamlNode *tasks = wl_doc_get (spec, "tasks");

  for (guint i = 0; tasks != NULL && tasks->kind == VC_YAML_LIST && i < tasks->child->len; i++) {
    const VcYamlNode *task = tasks->child->pdata[i], *notes = wl_doc_get (wl_doc_get (wl_doc_get (task, "template"), "metadata"), "annotations");
    gint64 replicas = 1;

    if (!wl_parse_int (wl_doc_text (wl_doc_get (task, "replicas"), "1"), 0, G_MAXINT32, &replicas, error) ||
        !longest (wl_doc_text (wl_doc_get (notes, "volsim.io/duration"), own), &f->duration, error))
      return FALSE;
    f->pods += (guint64) replicas;
  }
  return TRUE;
}

/* What several steps agree on; NULL otherwise. */
static void
agree (const char **one, const char *other, gboolean first)
{
  if (first)
    *one = other;
  else if (*one != NULL && strcmp (*one, other) != 0)
    *one = NULL;
}

typedef struct { const WlObjectTexts *o; const WlDoc *flow; GPtrArray *templates, *jobs; } Steps;

static void
note_step (const char *template, gpointer user)
{
  Steps *s = user;
  WlDoc *d = wl_doc_template (s->o, s->flow->ns, template);

  if (d != NULL)
    g_ptr_array_add (s->templates, d);
  g_ptr_array_add (s->jobs, g_strdup_printf ("%s/%s-%s", s->flow->ns, s->flow->name, template));
}

static void
steps_clear (Steps *s)
{
  g_ptr_array_unref (s->templates);
  g_ptr_array_unref (s->jobs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Steps, steps_clear)

static Steps
steps_of (const WlObjectTexts *o, const WlDoc *flow, const VcYamlNode *root)
{
  Steps s = { o, flow, g_ptr_array_new (), g_ptr_array_new_with_free_func (g_free) };

  wl_doc_each_step (root, note_step, &s);
  return s;
}

/* Does a job or flow stay? *@stays. */
static gboolean
judge (const WlObjectTexts *o, const WlDoc *d, const WlDoc *const *of, guint n_of, WlObjectKeep *keep, gpointer user, gboolean *stays, GError **error)
{
  g_auto (VcYamlDoc) doc = { 0 };
  g_autofree VcYamlDoc *own = g_new0 (VcYamlDoc, n_of + 1);
  WlObjectFacts f = { .name = d->name, .ns = d->ns };
  g_autoptr (GError) e = NULL;
  gboolean good = wl_doc_parse (o, d, &doc, error);
  const VcYamlNode *notes = good ? wl_doc_get (wl_doc_get (doc.root, "metadata"), "annotations") : NULL;

  if (good && !wl_parse_time (wl_doc_text (wl_doc_get (notes, NOTE_SUBMIT), "0"), FALSE, &f.submit, &e))
    good = wl_doc_refuse (o, d, error, NOTE_SUBMIT ": %s", e->message);
  for (guint i = 0; good && i < n_of; i++) {
    good = wl_doc_parse (o, of[i], &own[i], error);
    if (!good)
      break;
    const VcYamlNode *spec = wl_doc_get (own[i].root, "spec"), *of_own = wl_doc_get (wl_doc_get (own[i].root, "metadata"), "annotations");

    agree (&f.queue, wl_doc_text (wl_doc_get (spec, "queue"), "default"), i == 0);
    agree (&f.priority, wl_doc_text (wl_doc_get (spec, "priorityClassName"), ""), i == 0);
    if (!add_spec (spec, wl_doc_text (wl_doc_get (of_own, "volsim.io/duration"), "inf"), &f, &e))
      good = wl_doc_refuse (o, of[i], error, "%s", e->message);
  }
  if (good) {
    *stays = keep (&f, user, &e);
    if (e != NULL)
      good = wl_doc_refuse (o, d, error, "%s", e->message);
  }
  for (guint i = 0; i < n_of; i++)
    vc_yaml_doc_clear (&own[i]);
  return good;
}

gboolean
wl_object_texts_keep (WlObjectTexts *o, const char *option, WlObjectKeep *keep, gpointer user, GHashTable *gone, GError **error)
{
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();
  g_autofree gboolean *stays = g_new0 (gboolean, o->docs->len + 1);

  for (guint i = 0; i < o->docs->len; i++) {
    const WlDoc *d = o->docs->pdata[i];
    g_auto (VcYamlDoc) doc = { 0 };

    stays[i] = d->kind == OTHER;
    if (d->kind == OTHER && d->timed)
      return wl_doc_refuse_kind (o, d, option, error);
    if (d->kind == OTHER || d->kind == TEMPLATE)
      continue;
    if (!wl_doc_parse (o, d, &doc, error))
      return FALSE;
    g_auto (Steps) steps = steps_of (o, d, doc.root);
    const WlDoc *itself = d;

    if (!judge (o, d, d->kind == JOB ? &itself : (const WlDoc *const *) steps.templates->pdata, d->kind == JOB ? 1 : steps.templates->len, keep, user, &stays[i], error))
      return FALSE;
    for (guint k = 0; stays[i] && k < steps.templates->len; k++)
      g_hash_table_add (used, steps.templates->pdata[k]);
    if (!stays[i] && d->kind == JOB)
      g_hash_table_add (gone, g_strdup_printf ("%s/%s", d->ns, d->name));
    for (guint k = 0; !stays[i] && k < steps.jobs->len; k++)
      g_hash_table_add (gone, g_strdup (steps.jobs->pdata[k]));
  }
  g_ptr_array_set_free_func (o->docs, NULL);
  for (guint i = 0; i < o->docs->len; i++) {
    WlDoc *d = o->docs->pdata[i];

    if (stays[i] || g_hash_table_contains (used, d))
      g_ptr_array_add (kept, d);
    else
      wl_doc_free (d);
  }
  g_ptr_array_set_size (o->docs, 0);
  g_ptr_array_set_free_func (o->docs, wl_doc_free);
  for (guint i = 0; i < kept->len; i++)
    g_ptr_array_add (o->docs, kept->pdata[i]);
  wl_doc_index (o);
  return TRUE;
}

/* ---- times and queues ---------------------------------------------------------------------------- */

typedef struct { WlObjectChange *change; gconstpointer data; } Times;

static char *
rewrite_time (const char *text, gconstpointer data, GError **error)
{
  const Times *t = data;
  g_autoptr (GString) out = g_string_new (NULL);
  WlTime time;

  if (!wl_parse_time (text, FALSE, &time, error))
    return NULL;
  if ((time = t->change (time, t->data)) == WL_TIME_NONE) {
    g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "expected times below 285 years, found one that becomes later");
    return NULL;
  }
  wl_append_time (out, time);
  return g_string_free (g_steal_pointer (&out), FALSE);
}

gboolean
wl_object_texts_times (WlObjectTexts *o, const char *option, WlObjectChange *change, gconstpointer data, WlObjectRun *run, gconstpointer run_data, GError **error)
{
  static const char *const moments[] = { NOTE_SUBMIT, "volsim.io/delete", NULL };
  static const char *const spans[] = { "volsim.io/duration", "volsim.io/walltime", "volsim.io/checkpoint", "volsim.io/scale", NULL };
  const Times times = { change, data };

  for (guint i = 0; i < o->docs->len; i++) {
    WlDoc *d = o->docs->pdata[i];
    g_auto (VcYamlDoc) doc = { 0 };
    g_autoptr (GArray) edits = wl_edits_new ();
    const WlEditWalk w = { o, d, edits, error };

    if (d->kind == OTHER && d->timed)
      return wl_doc_refuse_kind (o, d, option, error);
    if (d->kind == OTHER)
      continue;
    if (!wl_doc_parse (o, d, &doc, error) || (change != NULL && !wl_edits_walk (&w, doc.root, moments, rewrite_time, &times)) || (run != NULL && !wl_edits_walk (&w, doc.root, spans, run, run_data)))
      return FALSE;
    wl_edits_apply (d, edits);
  }
  return TRUE;
}

gboolean
wl_object_texts_queues (WlObjectTexts *o, const char *option, const char *(*mapped) (const char *queue, gconstpointer data), gconstpointer data,
                        void (*found) (const char *queue, gpointer user), gpointer user, GError **error)
{
  for (guint i = 0; i < o->docs->len; i++) {
    WlDoc *d = o->docs->pdata[i];
    g_auto (VcYamlDoc) doc = { 0 };
    g_autoptr (GArray) edits = wl_edits_new ();

    if (option != NULL && d->kind == OTHER && (d->timed || strcmp (d->kind_name, "Queue") == 0))
      return wl_doc_refuse_kind (o, d, option, error);
    if (d->kind != JOB && d->kind != TEMPLATE)
      continue;
    if (!wl_doc_parse (o, d, &doc, error))
      return FALSE;
    const VcYamlNode *spec = wl_doc_get (doc.root, "spec"), *queue = wl_doc_get (spec, "queue");
    const char *old = wl_doc_text (queue, "default"), *now = mapped (old, data);

    if (found != NULL)
      found (now, user);
    if (strcmp (old, now) == 0)
      continue;
    if (queue != NULL && queue->kind == VC_YAML_SCALAR && *queue->text != '\0') {
      if (!wl_edits_put (o, d, edits, queue, now, error))
        return FALSE;
    } else if (queue != NULL || spec == NULL || spec->kind != VC_YAML_MAP || spec->child->len == 0) {
      return wl_doc_refuse (o, d, error, "%s cannot be applied to it, expected spec.queue to be a text or not there, found another value", option);
    } else {
      wl_edits_insert (d, edits, spec, "queue", now);
    }
    wl_edits_apply (d, edits);
  }
  return TRUE;
}

/* ---- names --------------------------------------------------------------------------------------- */

typedef struct { const char *before, *behind; } Affix;

static char *
affixed (const char *text, gconstpointer data, GError **error)
{
  const Affix *a = data;

  return g_strconcat (a->before, text, a->behind, NULL);
}

/* The names by which @d is known, those that it knows others by, and the label by which its pods know each other. */
static gboolean
rename_doc (const WlObjectTexts *o, WlDoc *d, const Affix *a, GError **error)
{
  static const char *const labels[] = { "volsim.io/job", NULL };
  g_auto (VcYamlDoc) doc = { 0 };
  g_autoptr (GArray) edits = wl_edits_new ();
  const WlEditWalk w = { o, d, edits, error };

  if (!wl_doc_parse (o, d, &doc, error))
    return FALSE;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const VcYamlNode *own = wl_doc_get (wl_doc_get (doc.root, "metadata"), "name"), *flows = d->kind == FLOW ? wl_doc_get (wl_doc_get (doc.root, "spec"), "flows") : NULL;

  if (own != NULL)
    g_ptr_array_add (names, (gpointer) own);
  for (guint i = 0; flows != NULL && flows->kind == VC_YAML_LIST && i < flows->child->len; i++) {
    const VcYamlNode *step = flows->child->pdata[i], *name = wl_doc_get (step, "name"), *targets = wl_doc_get (wl_doc_get (step, "dependsOn"), "targets");

    if (name != NULL)
      g_ptr_array_add (names, (gpointer) name);
    for (guint k = 0; targets != NULL && targets->kind == VC_YAML_LIST && k < targets->child->len; k++)
      g_ptr_array_add (names, targets->child->pdata[k]);
  }
  for (guint i = 0; i < names->len; i++) {
    const VcYamlNode *n = names->pdata[i];
    g_autofree char *now = n->kind == VC_YAML_SCALAR ? affixed (n->text, a, NULL) : g_strdup ("");

    if (!wl_edits_put (o, d, edits, n, now, error))
      return FALSE;
  }
  if (!wl_edits_walk (&w, doc.root, labels, affixed, a))
    return FALSE;
  wl_edits_apply (d, edits);
  char *name = g_strconcat (a->before, d->name, a->behind, NULL);

  g_free (d->name);
  d->name = name;
  return TRUE;
}

gboolean
wl_object_texts_prefix (WlObjectTexts *o, const char *prefix, GError **error)
{
  g_autofree char *before = g_strconcat (prefix, "-", NULL);
  const Affix a = { before, "" };

  for (guint i = 0; i < o->docs->len; i++) {
    WlDoc *d = o->docs->pdata[i];

    if (d->kind == OTHER && strcmp (d->kind_name, "PriorityClass") == 0)
      continue; /* clusters share it */
    if (d->kind == OTHER)
      return wl_doc_refuse_kind (o, d, "merging", error);
    if (!rename_doc (o, d, &a, error))
      return FALSE;
  }
  wl_doc_index (o);
  return TRUE;
}

static WlDoc *
copy_doc (const WlObjectTexts *o, const WlDoc *from, const Affix *a, GError **error)
{
  WlDoc *d = g_new0 (WlDoc, 1);

  *d = (WlDoc){ g_strdup (from->text), from->line, from->kind, g_strdup (from->kind_name), g_strdup (from->ns), g_strdup (from->name), from->timed };
  if (rename_doc (o, d, a, error))
    return d;
  wl_doc_free (d);
  return NULL;
}

static WlTime
moved (WlTime time, gconstpointer data)
{
  return MAX (time + *(const WlTime *) data, 0);
}

/* Copy @copy of the job or flow @unit with its templates, which several flows may share. */
static gboolean
copy_unit (WlObjectTexts *o, const WlDoc *unit, guint copy, WlTime by, GError **error)
{
  static const char *const moments[] = { NOTE_SUBMIT, "volsim.io/delete", NULL };
  g_autofree char *behind = g_strdup_printf ("-x%u", copy + 1);
  const Affix a = { "", behind };
  const Times times = { moved, &by };
  g_auto (VcYamlDoc) doc = { 0 }, made = { 0 };
  g_autoptr (GArray) edits = wl_edits_new ();
  WlDoc *d = wl_doc_parse (o, unit, &doc, error) ? copy_doc (o, unit, &a, error) : NULL;

  if (d == NULL)
    return FALSE;
  g_auto (Steps) steps = steps_of (o, unit, doc.root);

  wl_doc_add (o, d);
  const WlEditWalk w = { o, d, edits, error };

  if (!wl_doc_parse (o, d, &made, error) || !wl_edits_walk (&w, made.root, moments, rewrite_time, &times))
    return FALSE;
  wl_edits_apply (d, edits);
  for (guint i = 0; i < steps.templates->len; i++) {
    const WlDoc *t = steps.templates->pdata[i];
    g_autofree char *name = g_strconcat (t->name, behind, NULL);
    WlDoc *other = wl_doc_template (o, t->ns, name) == NULL ? copy_doc (o, t, &a, error) : NULL;

    if (other != NULL)
      wl_doc_add (o, other);
    else if (wl_doc_template (o, t->ns, name) == NULL)
      return FALSE;
  }
  return TRUE;
}

gboolean
wl_object_texts_copy (WlObjectTexts *o, const guint *copies, WlObjectMove *move, gpointer user, GError **error)
{
  const guint n = o->docs->len;

  for (guint i = 0, unit = 0; i < n; i++) {
    const WlDoc *d = o->docs->pdata[i];

    if (d->kind == OTHER && d->timed)
      return wl_doc_refuse_kind (o, d, "--sample", error);
    if (d->kind != JOB && d->kind != FLOW)
      continue;
    for (guint copy = 1; copy <= copies[unit]; copy++)
      if (!copy_unit (o, d, copy, move (unit, d->name, copy, user), error))
        return FALSE;
    unit++;
  }
  return TRUE;
}

/* ---- the rest ------------------------------------------------------------------------------------ */

static const WlDoc *
find_class (const WlObjectTexts *o, const char *name)
{
  for (guint i = 0; i < o->docs->len; i++) {
    const WlDoc *d = o->docs->pdata[i];

    if (d->kind == OTHER && strcmp (d->kind_name, "PriorityClass") == 0 && strcmp (d->name, name) == 0)
      return d;
  }
  return NULL;
}

gboolean
wl_object_texts_append (WlObjectTexts *o, const WlObjectTexts *from, GError **error)
{
  for (guint i = 0; i < from->docs->len; i++) {
    const WlDoc *d = from->docs->pdata[i], *same = d->kind == OTHER ? find_class (o, d->name) : NULL;

    if (same != NULL && strcmp (same->text, d->text) != 0)
      return wl_doc_refuse (from, d, error, "cannot be merged, expected the text of %s:%u, found another one", o->path, same->line);
    if (same != NULL)
      continue;
    WlDoc *made = g_new0 (WlDoc, 1);

    *made = (WlDoc){ g_strdup (d->text), d->line, d->kind, g_strdup (d->kind_name), g_strdup (d->ns), g_strdup (d->name), d->timed };
    wl_doc_add (o, made);
  }
  return TRUE;
}

gboolean
wl_object_texts_refuse (const WlObjectTexts *o, const char *option, GError **error)
{
  return o == NULL || o->docs->len == 0 || wl_doc_refuse (o, o->docs->pdata[0], error, "%s cannot be applied to objects, expected rows of jobs.csv alone", option);
}

void
wl_object_texts_write (const WlObjectTexts *o, GString *out)
{
  for (guint i = 0; i < o->docs->len; i++) {
    const WlDoc *d = o->docs->pdata[i];

    g_string_append (out, "---\n");
    g_string_append (out, d->text);
    if (!g_str_has_suffix (d->text, "\n"))
      g_string_append_c (out, '\n');
  }
}
