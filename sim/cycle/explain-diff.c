#include "explain-diff.h"
#include "explain-private.h"
#include <math.h>
#include <string.h>

typedef struct {
  const SimExplain *x;
  const VcConf *conf;
  const char *label;
} Side;

/* "overcommit (tier 2)" of a side; a plugin that is not in the configuration has no tier. */
static char *
with_tier (const Side *s, const char *plugin)
{
  for (guint t = 0; t < s->conf->n_tiers; t++)
    for (guint i = 0; i < s->conf->tier[t].n; i++)
      if (strcmp (s->conf->tier[t].plugin[i].name, plugin) == 0)
        return g_strdup_printf ("%s (tier %u)", plugin, t + 1);
  return g_strdup_printf ("%s (not configured)", plugin);
}

static gboolean
has_plugin (const Side *s, const char *plugin)
{
  for (guint t = 0; t < s->conf->n_tiers; t++)
    for (guint i = 0; i < s->conf->tier[t].n; i++)
      if (strcmp (s->conf->tier[t].plugin[i].name, plugin) == 0)
        return TRUE;
  return FALSE;
}

/* The first entry of that kind, hook and plugin about @subject (NULL: any). */
static const SimExplainEntry *
find (const Side *s, SimExplainKind kind, const char *what, const char *plugin)
{
  for (guint i = 0; i < s->x->entries->len; i++) {
    const SimExplainEntry *e = s->x->entries->pdata[i];

    if (e->kind == kind && strcmp (e->what, what) == 0 && strcmp (e->plugin, plugin) == 0)
      return e;
  }
  return NULL;
}

static const char *
vote_word (const Side *s, const SimExplainEntry *e, const char *plugin)
{
  if (e != NULL)
    return e->vote < 0 ? "rejects" : e->vote > 0 ? "permits" : "abstains";
  return has_plugin (s, plugin) ? "is not asked" : "is not there";
}

/* A vote against it, or a refusal, that only @here has. */
static char *
objection (const Side *here, const Side *there)
{
  for (guint i = 0; i < here->x->entries->len; i++) {
    const SimExplainEntry *e = here->x->entries->pdata[i];
    gboolean vote = e->kind == SIM_EXPLAIN_VOTE && e->vote < 0;

    if (!vote && e->kind != SIM_EXPLAIN_REFUSED)
      continue;
    const SimExplainEntry *other = find (there, e->kind, e->what, e->plugin);

    if (other != NULL && (!vote || other->vote < 0))
      continue;
    g_autofree char *plugin = with_tier (here, e->plugin);

    return vote ? g_strdup_printf ("%s: %s rejects it in %s; in %s it %s\n", e->what, plugin, here->label, there->label, vote_word (there, other, e->plugin))
                : g_strdup_printf ("%s: %s says so in %s; in %s it does not\n", e->what, plugin, here->label, there->label);
  }
  return NULL;
}

/* ---- scores -------------------------------------------------------------------------------------- */

static const SimExplainRow *
row_of (const SimExplainEntry *e, const char *node)
{
  for (guint i = 0; i < e->rows->len; i++)
    if (strcmp (((const SimExplainRow *) e->rows->pdata[i])->node, node) == 0)
      return e->rows->pdata[i];
  return NULL;
}

/* By how much @plugin puts the first node above the second one; 0 where it does not score. */
static double
lead (const SimExplainEntry *e, const char *plugin, const char *first, const char *second)
{
  const SimExplainRow *l = row_of (e, first), *r = row_of (e, second);
  double sum = 0;

  for (guint p = 0; e->plugins != NULL && p < e->plugins->len; p++)
    if (strcmp (e->plugins->pdata[p], plugin) == 0 && l != NULL && r != NULL && l->scored && r->scored)
      sum += l->score[p] - r->score[p];
  return sum;
}

/* " +18.75 (binpack +20, nodeorder -1.25)": by how much a side puts the first node above the second one, and who does. */
static char *
leads (const SimExplainEntry *e, const char *first, const char *second)
{
  g_autoptr (GString) parts = g_string_new (NULL);
  double total = 0;

  for (guint p = 0; e->plugins != NULL && p < e->plugins->len; p++) {
    const char *plugin = e->plugins->pdata[p];
    gboolean again = FALSE;

    for (guint k = 0; k < p && !again; k++) /* a plugin may score in several ways; they are one here */
      again = strcmp (e->plugins->pdata[k], plugin) == 0;
    double l = again ? 0 : lead (e, plugin, first, second);

    if (l != 0)
      g_string_append_printf (parts, "%s%s %+.6g", parts->len > 0 ? ", " : "", plugin, l);
    total += l;
  }
  return parts->len > 0 ? g_strdup_printf ("%+.6g (%s)", total, parts->str) : g_strdup ("0");
}

/* Whose opinion of the two chosen nodes differs most between the sides; NULL: nobody's does. */
static const char *
decider (const SimExplainEntry *x, const SimExplainEntry *y)
{
  const char *best = NULL;
  double most = 0;

  for (guint s = 0; s < 2; s++) {
    const SimExplainEntry *e = s == 0 ? x : y;

    for (guint p = 0; e->plugins != NULL && p < e->plugins->len; p++) {
      const char *plugin = e->plugins->pdata[p];
      double change = fabs (lead (x, plugin, x->chosen, y->chosen) - lead (y, plugin, x->chosen, y->chosen));

      if (change > most) {
        most = change;
        best = plugin;
      }
    }
  }
  return best;
}

static char *
scoring (const Side *a, const Side *b, const SimExplainEntry *x, const SimExplainEntry *y)
{
  const char *best = decider (x, y);

  if (best == NULL)
    return g_strdup_printf ("%s goes to %s in %s and to %s in %s; no plugin's score of the two nodes differs, equal scores do\n", x->subject, x->chosen,
                            a->label, y->chosen, b->label);
  g_autofree char *in_a = leads (x, x->chosen, y->chosen), *in_b = leads (y, x->chosen, y->chosen), *tier_a = with_tier (a, best), *tier_b = with_tier (b, best);

  return g_strdup_printf ("%s: by its score %s is above %s by %s in %s, and by %s in %s\n  most of the difference is made by %s in %s, %s in %s\n", x->subject, x->chosen, y->chosen, in_a,
                          a->label, in_b, b->label, tier_a, a->label, tier_b, b->label);
}

/* A node that only one side lets the pod on. Both cycles begin alike: what lacks room on one side alone was given to others before, which is told only
 * where @crowding. */
static char *
filtering (const Side *a, const Side *b, const SimExplainEntry *x, const SimExplainEntry *y, gboolean crowding)
{
  for (guint s = 0; s < 2; s++) {
    const SimExplainEntry *chose = s == 0 ? x : y, *other = s == 0 ? y : x;
    const Side *there = s == 0 ? b : a;
    const SimExplainRow *row = chose->chosen != NULL ? row_of (other, chose->chosen) : NULL;

    if (row != NULL && row->reasons->len > 0) {
      const char *reason = row->reasons->pdata[0];

      if (g_str_has_prefix (reason, "Insufficient") != crowding)
        continue;
      return g_strdup_printf ("%s may not go to %s in %s: %s%s\n", x->subject, chose->chosen, there->label, reason,
                              g_str_has_prefix (reason, "Insufficient") ? "; others come before it there, so the order of jobs and pods decides" : "");
    }
  }
  return NULL;
}

/* A choice of a node; a trial of a HyperNode that ended at this pod is none. */
static gboolean
is_choice (const SimExplainEntry *e)
{
  return e->kind == SIM_EXPLAIN_PICK && (e->within == NULL || e->chosen != NULL);
}

static char *
domain (const SimExplainEntry *e)
{
  return e->within != NULL ? g_strdup_printf (" of %s", e->within) : g_strdup (" of all nodes");
}

static char *
choice (const Side *a, const Side *b, gboolean crowding)
{
  for (guint i = 0; i < a->x->entries->len; i++) {
    const SimExplainEntry *x = a->x->entries->pdata[i];

    for (guint k = 0; is_choice (x) && k < b->x->entries->len; k++) {
      const SimExplainEntry *y = b->x->entries->pdata[k];

      if (!is_choice (y) || strcmp (x->subject, y->subject) != 0)
        continue;
      if (!crowding && g_strcmp0 (x->chosen, y->chosen) != 0 && x->chosen != NULL && y->chosen != NULL && g_strcmp0 (x->within, y->within) != 0) {
        g_autofree char *in_a = domain (x), *in_b = domain (y);

        return g_strdup_printf ("%s goes to %s%s in %s and to %s%s in %s: its job is tried in other HyperNodes\n", x->subject, x->chosen, in_a, a->label,
                                y->chosen, in_b, b->label);
      }
      if (g_strcmp0 (x->chosen, y->chosen) != 0) {
        char *text = filtering (a, b, x, y, FALSE);
        g_autofree char *crowd = filtering (a, b, x, y, TRUE);

        if (crowding)
          return g_steal_pointer (&crowd);
        return text != NULL || crowd != NULL || x->chosen == NULL || y->chosen == NULL ? text : scoring (a, b, x, y);
      }
      break; /* the first attempt of both sides */
    }
  }
  return NULL;
}

/* Is @pod in the list? */
static gboolean
lists (const GPtrArray *pods, const char *pod)
{
  for (guint i = 0; pods != NULL && i < pods->len; i++)
    if (strcmp (pods->pdata[i], pod) == 0)
      return TRUE;
  return FALSE;
}

/* Does a plugin grant @pod there to whom @e is about? @plugin NULL: any of them. */
static gboolean
grants (const Side *there, const SimExplainEntry *e, const char *plugin, const char *pod)
{
  for (guint i = 0; i < there->x->entries->len; i++) {
    const SimExplainEntry *o = there->x->entries->pdata[i];

    if (o->kind == SIM_EXPLAIN_VICTIMS && strcmp (o->what, e->what) == 0 && strcmp (o->subject, e->subject) == 0 && (plugin == NULL || strcmp (o->plugin, plugin) == 0) &&
        lists (o->accepted, pod))
      return TRUE;
  }
  return FALSE;
}

/* A victim that a plugin spares on one side, and that the same plugin grants on the other, or others do where it is not configured. */
static char *
victims (const Side *here, const Side *there)
{
  for (guint i = 0; i < here->x->entries->len; i++) {
    const SimExplainEntry *e = here->x->entries->pdata[i];

    for (guint k = 0; e->kind == SIM_EXPLAIN_VICTIMS && k < e->vetoed->len; k++) {
      const char *pod = e->vetoed->pdata[k];
      gboolean known = has_plugin (there, e->plugin);

      if (!grants (there, e, known ? e->plugin : NULL, pod))
        continue;
      g_autofree char *plugin = with_tier (here, e->plugin);

      return g_strdup_printf ("%s for %s: %s spares %s in %s; in %s it %s\n", e->what, e->subject, plugin, pod, here->label, there->label,
                              known ? "grants it" : "is not there, and others grant it");
    }
  }
  return NULL;
}

char *
sim_explain_difference (const SimExplain *a, const SimExplain *b, const VcConf *conf_a, const VcConf *conf_b, const char *label_a,
                        const char *label_b)
{
  Side x = { a, conf_a, label_a }, y = { b, conf_b, label_b };
  char *text = objection (&x, &y);

  if (text == NULL)
    text = objection (&y, &x);
  if (text == NULL)
    text = choice (&x, &y, FALSE);
  if (text == NULL)
    text = victims (&x, &y);
  if (text == NULL)
    text = victims (&y, &x);
  return text;
}

char *
sim_explain_crowding (const SimExplain *a, const SimExplain *b, const VcConf *conf_a, const VcConf *conf_b, const char *label_a, const char *label_b)
{
  const Side x = { a, conf_a, label_a }, y = { b, conf_b, label_b };

  return choice (&x, &y, TRUE);
}

/* ---- turns --------------------------------------------------------------------------------------- */

static const SimExplainTurn *
turn_at (const SimExplain *x, guint i)
{
  return i < x->turns->len ? &g_array_index (x->turns, SimExplainTurn, i) : NULL;
}

/* The place of the first turn that differs. */
static guint
common_turns (const SimExplain *a, const SimExplain *b)
{
  guint i = 0;

  for (; i < MIN (a->turns->len, b->turns->len); i++) {
    const SimExplainTurn *x = turn_at (a, i), *y = turn_at (b, i);

    if (x->admission != y->admission || strcmp (x->queue, y->queue) != 0 || strcmp (x->job, y->job) != 0)
      break;
  }
  return i;
}

/* Is @group the PodGroup of the job? The job controller names it after the job, with the job's UID behind it. */
static gboolean
is_group_of (const char *group, const char *job)
{
  gsize n = strlen (job);

  return strncmp (group, job, n) == 0 && (group[n] == '\0' || (group[n] == '-' && strchr (group + n + 1, '-') == NULL));
}

guint
sim_explain_turn_of (const SimExplain *a, const SimExplain *b, const char *job)
{
  guint n = common_turns (a, b);

  for (guint i = 0; i < n; i++)
    if (is_group_of (turn_at (a, i)->job, job))
      return i;
  return G_MAXUINT;
}

/* Who puts the job (or queue) of turn @i before @other: of those that stand between them, the plugin that is asked first. "" when @other is not behind it. */
static const char *
puts_before (const SimExplain *x, guint i, const char *other, gboolean queues)
{
  const char *by = "";
  guint rank = G_MAXUINT;
  const gboolean admission = turn_at (x, i)->admission;

  for (;;) {
    const SimExplainTurn *t = turn_at (x, i);
    const char *next = queues ? t->next_queue : t->next_job, *teller = queues ? t->queue_by : t->job_by;

    if (*next == '\0' || *teller == '\0')
      return "";
    if ((queues ? t->queue_rank : t->job_rank) < rank) {
      rank = queues ? t->queue_rank : t->job_rank;
      by = teller;
    }
    if (strcmp (next, other) == 0)
      return by;
    do
      i++;
    while (turn_at (x, i) != NULL && (turn_at (x, i)->admission != admission || strcmp (queues ? turn_at (x, i)->queue : turn_at (x, i)->job, next) != 0));
    if (turn_at (x, i) == NULL)
      return "";
  }
}

static char *
teller_words (const Side *s, const char *by)
{
  if (strcmp (by, "created") == 0)
    return g_strdup ("as it is older");
  if (strcmp (by, "name") == 0)
    return g_strdup ("by its name, as nothing else tells them apart");
  g_autofree char *plugin = with_tier (s, by);

  return g_strconcat ("by ", plugin, NULL);
}

/* The job of a PodGroup that the job controller has named. */
static char *
job_of_group (const char *group)
{
  const char *dash = strrchr (group, '-');

  return dash != NULL ? g_strndup (group, (gsize) (dash - group)) : g_strdup (group);
}

char *
sim_explain_order (const SimExplain *a, const SimExplain *b, const VcConf *conf_a, const VcConf *conf_b, const char *label_a, const char *label_b,
                   char **missing)
{
  const Side l = { a, conf_a, label_a }, r = { b, conf_b, label_b };
  guint i = common_turns (a, b);
  const SimExplainTurn *x = turn_at (a, i), *y = turn_at (b, i);

  *missing = NULL;
  if (x == NULL && y == NULL)
    return NULL;
  if (x != NULL && y != NULL && x->admission == y->admission) {
    gboolean queues = strcmp (x->queue, y->queue) != 0;
    const char *first = queues ? x->queue : x->job, *second = queues ? y->queue : y->job;
    const char *in_a = puts_before (a, i, second, queues), *in_b = puts_before (b, i, first, queues);

    if (*in_a != '\0' && *in_b != '\0') {
      g_autofree char *by_a = teller_words (&l, in_a), *by_b = teller_words (&r, in_b);

      return g_strdup_printf ("the order of %s: %s%s comes before %s %s in %s; %s before %s %s in %s\n", queues ? "queues" : "jobs", queues ? "queue " : "", first,
                              second, by_a, label_a, second, first, by_b, label_b);
    }
  }
  const char *lone = x != NULL && *x->job != '\0' ? x->job : y != NULL ? y->job : "";

  *missing = *lone != '\0' ? job_of_group (lone) : NULL;
  return NULL;
}
