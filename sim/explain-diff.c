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
  for (guint t = 0; t < s->conf->n_tiers; t++)
    for (guint i = 0; i < s->conf->tier[t].n; i++)
      if (strcmp (s->conf->tier[t].plugin[i].name, plugin) == 0)
        return "is not asked";
  return "is not there";
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

/* The plugin whose opinion of the two chosen nodes differs most between the sides. */
static char *
scoring (const Side *a, const Side *b, const SimExplainEntry *x, const SimExplainEntry *y)
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
  if (best == NULL)
    return g_strdup_printf ("%s goes to %s in %s and to %s in %s; no plugin's score of the two nodes differs, equal scores do\n", x->subject, x->chosen,
                            a->label, y->chosen, b->label);
  double in_a = lead (x, best, x->chosen, y->chosen), in_b = lead (y, best, x->chosen, y->chosen);
  g_autofree char *tier_a = with_tier (a, best), *tier_b = with_tier (b, best);

  return g_strdup_printf ("%s goes to %s in %s and to %s in %s: %s in %s scores %s %+.6g against %s, %s in %s %+.6g\n", x->subject, x->chosen, a->label,
                          y->chosen, b->label, tier_a, a->label, x->chosen, in_a, y->chosen, tier_b, b->label, in_b);
}

/* A node that only one side lets the pod on. */
static char *
filtering (const Side *a, const Side *b, const SimExplainEntry *x, const SimExplainEntry *y)
{
  for (guint s = 0; s < 2; s++) {
    const SimExplainEntry *chose = s == 0 ? x : y, *other = s == 0 ? y : x;
    const Side *there = s == 0 ? b : a;
    const SimExplainRow *row = chose->chosen != NULL ? row_of (other, chose->chosen) : NULL;

    if (row != NULL && row->reasons->len > 0)
      return g_strdup_printf ("%s may not go to %s in %s: %s\n", x->subject, chose->chosen, there->label, (const char *) row->reasons->pdata[0]);
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
choice (const Side *a, const Side *b)
{
  for (guint i = 0; i < a->x->entries->len; i++) {
    const SimExplainEntry *x = a->x->entries->pdata[i];

    for (guint k = 0; is_choice (x) && k < b->x->entries->len; k++) {
      const SimExplainEntry *y = b->x->entries->pdata[k];

      if (!is_choice (y) || strcmp (x->subject, y->subject) != 0)
        continue;
      if (g_strcmp0 (x->chosen, y->chosen) != 0 && x->chosen != NULL && y->chosen != NULL && g_strcmp0 (x->within, y->within) != 0) {
        g_autofree char *in_a = domain (x), *in_b = domain (y);

        return g_strdup_printf ("%s goes to %s%s in %s and to %s%s in %s: its job is tried in other HyperNodes\n", x->subject, x->chosen, in_a, a->label,
                                y->chosen, in_b, b->label);
      }
      if (g_strcmp0 (x->chosen, y->chosen) != 0) {
        char *text = filtering (a, b, x, y);

        return text != NULL || x->chosen == NULL || y->chosen == NULL ? text : scoring (a, b, x, y);
      }
      break; /* the first attempt of both sides */
    }
  }
  return NULL;
}

/* Victims that a plugin grants on one side only. */
static char *
victims (const Side *here, const Side *there)
{
  for (guint i = 0; i < here->x->entries->len; i++) {
    const SimExplainEntry *e = here->x->entries->pdata[i], *other;

    if (e->kind != SIM_EXPLAIN_VICTIMS || e->vetoed->len == 0)
      continue;
    other = find (there, e->kind, e->what, e->plugin);
    if (other != NULL && other->vetoed->len == e->vetoed->len && other->accepted->len == e->accepted->len)
      continue;
    g_autofree char *plugin = with_tier (here, e->plugin);

    return g_strdup_printf ("%s: %s spares %u of %u in %s\n", e->what, plugin, e->vetoed->len, e->vetoed->len + e->accepted->len, here->label);
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
    text = choice (&x, &y);
  if (text == NULL)
    text = victims (&x, &y);
  if (text == NULL)
    text = victims (&y, &x);
  return text;
}
