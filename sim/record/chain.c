#include "chain.h"
#include "sim/world/views.h"
#include <stdarg.h>
#include <string.h>

struct SimChain {
  SimWorld *w;
  RpResults *results;
  gboolean all;
  GPtrArray *wanted;     /* char *: "namespace/job" */
  GArray *met;           /* gboolean, one for each of wanted */
  guint32 about;         /* job, SIM_NONE */
  gboolean in_cycle, any; /* any: the cycle said something about a job */
  GArray *held;          /* RpStep: rows of this cycle, their detail and detail alone is owned */
  GString *text, *before; /* the rows about jobs of this cycle and of the one before, to be compared */
};

/* Functions of the engine that belong to the scheduler's cache; the others are the session's. */
static const char *const of_cache[] = { "AddPodGroupV1beta1", "DeletePodGroupV1beta1", "getOrCreateJob", "addTask", "UpdatePod",
                                        "DeletePod", "AddBindTask", "Evict", NULL };

static void
drop_detail (gpointer row)
{
  g_free ((char *) ((RpStep *) row)->detail);
}

static void
put (SimChain *c, guint32 job, const char *component, const char *function, const char *detail)
{
  const SimJob *j = job != SIM_NONE ? &c->w->job[job] : NULL;
  RpStep row = { c->w->now, component, function, j != NULL ? j->ns : "", j != NULL ? j->name : "", detail };

  if (!c->in_cycle) {
    rp_results_step (c->results, &row);
    return;
  }
  c->any |= j != NULL;
  row.detail = g_strdup (detail);
  g_array_append_val (c->held, row);
  if (j != NULL) /* what the session as a whole says differs from cycle to cycle */
    g_string_append_printf (c->text, "%s\n%s\n%s\n%s\n", function, row.ns, row.job, detail);
}

/* ---- from the engine -------------------------------------------------------------------------- */

static guint32
job_of (const SimChain *c, guint32 row)
{
  if (c->about != SIM_NONE)
    return c->about;
  guint32 job = c->w->cluster->job[row].user;

  return job < c->w->n_jobs ? job : SIM_NONE;
}

static gboolean
wants (gpointer user, guint32 row)
{
  const SimChain *c = user;
  guint32 job = row != VC_NONE ? job_of (c, row) : SIM_NONE;

  return row == VC_NONE || (job != SIM_NONE && c->w->job[job].followed && sim_view_of_job (c->w, job) == c->w->at); /* its own scheduler tells */
}

static void
step (gpointer user, const char *function, guint32 row, guint32 task, const char *text)
{
  SimChain *c = user;

  put (c, row != VC_NONE ? job_of (c, row) : SIM_NONE, g_strv_contains (of_cache, function) ? "cache" : "scheduler", function, text);
}

/* ---- from the simulator ----------------------------------------------------------------------- */

SimChain *
sim_chain_new (SimWorld *w, RpResults *results, const char *jobs)
{
  SimChain *c = g_new0 (SimChain, 1);
  g_auto (GStrv) name = g_strsplit (jobs, ",", -1);

  c->w = w;
  c->results = results;
  c->about = SIM_NONE;
  c->wanted = g_ptr_array_new_with_free_func (g_free);
  c->met = g_array_new (FALSE, TRUE, sizeof (gboolean));
  c->held = g_array_new (FALSE, FALSE, sizeof (RpStep));
  g_array_set_clear_func (c->held, drop_detail);
  c->text = g_string_new (NULL);
  c->before = g_string_new (NULL);
  for (guint i = 0; name[i] != NULL; i++) {
    g_strstrip (name[i]);
    if (strcmp (name[i], "all") == 0)
      c->all = TRUE;
    else
      g_ptr_array_add (c->wanted, g_strdup (name[i]));
  }
  g_array_set_size (c->met, c->wanted->len);
  w->chain = c;
  for (guint v = 0; v < w->n_views; v++)
    w->view[v].cluster->listener = (VcListener){ wants, step, c };
  return c;
}

void
sim_chain_free (SimChain *c)
{
  if (c == NULL)
    return;
  c->w->chain = NULL;
  for (guint v = 0; v < c->w->n_views; v++)
    c->w->view[v].cluster->listener = (VcListener){ NULL, NULL, NULL };
  g_ptr_array_unref (c->wanted);
  g_array_unref (c->met);
  g_array_unref (c->held);
  g_string_free (c->text, TRUE);
  g_string_free (c->before, TRUE);
  g_free (c);
}

char **
sim_chain_missed (const SimChain *c)
{
  g_autoptr (GStrvBuilder) b = g_strv_builder_new ();

  for (guint i = 0; i < c->wanted->len; i++)
    if (!g_array_index (c->met, gboolean, i))
      g_strv_builder_add (b, g_ptr_array_index (c->wanted, i));
  return g_strv_builder_end (b);
}

gboolean
sim_chain_chooses (const SimChain *c, const char *ns, const char *name)
{
  gboolean chosen = c->all;

  for (guint i = 0; i < c->wanted->len; i++) {
    const char *want = g_ptr_array_index (c->wanted, i);
    gsize n = strlen (ns);

    if (strncmp (want, ns, n) == 0 && want[n] == '/' && strcmp (want + n + 1, name) == 0)
      chosen = g_array_index (c->met, gboolean, i) = TRUE;
  }
  return chosen;
}

void
sim_chain_about (SimWorld *w, guint32 job)
{
  if (w->chain != NULL)
    w->chain->about = job;
}

void
sim_chain_tell (SimWorld *w, guint32 job, const char *component, const char *function, const char *format, ...)
{
  va_list args;

  if (job != SIM_NONE && !w->job[job].followed)
    return;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  put (w->chain, job, component, function, text);
}

void
sim_chain_cycle_begins (SimWorld *w)
{
  if (w->chain != NULL)
    w->chain->in_cycle = TRUE;
}

gboolean
sim_chain_cycle_ends (SimWorld *w)
{
  SimChain *c = w->chain;

  if (c == NULL)
    return FALSE;
  gboolean news = c->any && !g_string_equal (c->text, c->before);

  c->in_cycle = FALSE;
  if (news)
    for (guint i = 0; i < c->held->len; i++)
      rp_results_step (c->results, &g_array_index (c->held, RpStep, i));
  g_string_assign (c->before, c->text->str);
  g_string_truncate (c->text, 0);
  g_array_set_size (c->held, 0);
  c->any = FALSE;
  return news;
}
