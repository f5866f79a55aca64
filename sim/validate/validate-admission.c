/* sim/validate/validate-admission.c - what admission would refuse of the objects and changes that a configuration is looked at with. */
#include "validate.h"
#include "sim/world/queues.h"
#include "workloads/admission/admission.h"
#include <string.h>

static void
refuse (SimFacts *f, const char *file, guint32 line, const char *kind, const char *name, const char *reason)
{
  g_autofree char *text = g_strdup_printf ("%s '%s' is refused by admission: %s", kind, name, reason);
  SimFactRefusal r = { file, line, g_string_chunk_insert (f->text, text) };

  g_array_append_val (f->refused, r);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (((const WlQueueState *) a)->object.name, ((const WlQueueState *) b)->object.name);
}

/* Of two objects of one name the last counts. */
static GArray *
queues_of (const WlObjects *objects)
{
  GArray *all = g_array_new (FALSE, TRUE, sizeof (WlQueueState));

  for (guint i = 0; i < objects->objects->len; i++) {
    const WlObject *o = objects->objects->pdata[i];

    if (o->kind != WL_OBJECT_QUEUE)
      continue;
    WlQueueState s = { o->queue, 0 };
    guint k = 0;

    while (k < all->len && strcmp (g_array_index (all, WlQueueState, k).object.name, s.object.name) != 0)
      k++;
    if (k < all->len)
      g_array_index (all, WlQueueState, k) = s;
    else
      g_array_append_val (all, s);
  }
  g_array_sort (all, by_name);
  return all;
}

static WlQueueView
view_of (const GArray *all, const char *name, gboolean *found)
{
  WlQueueView v = { name, "Open", 0 };

  *found = all->len == 0 || strcmp (name, "default") == 0 || strcmp (name, "root") == 0; /* where nothing is known of queues they are taken for granted */
  for (guint i = 0; i < all->len; i++) {
    const VcQueueObject *q = &g_array_index (all, WlQueueState, i).object;

    v.n_children += g_strcmp0 (q->parent, name) == 0;
    if (strcmp (q->name, name) != 0)
      continue;
    *found = TRUE;
    if (q->state != NULL && *q->state != '\0')
      v.state = q->state;
  }
  return v;
}

static void
judge_maker (SimFacts *f, const WlMaker *maker, const char *kind, const char *reason)
{
  if (reason != NULL)
    refuse (f, maker->file, maker->line, kind, maker->name, reason);
}

void
sim_facts_judge_objects (SimFacts *f, const WlObjects *objects)
{
  g_autoptr (GArray) all = queues_of (objects);

  for (guint i = 0; i < objects->objects->len; i++) {
    const WlObject *o = objects->objects->pdata[i];
    gboolean given = o->kind == WL_OBJECT_QUEUE && strcmp (o->queue.name, "root") != 0 && strcmp (o->queue.name, "default") != 0;

    if (!given)
      continue;
    VcQueueObject now = o->queue;

    now.state = NULL; /* as the controller has left it */
    g_autofree char *reason = o->refusal != NULL ? g_strdup (o->refusal)
                                                 : wl_admit_queue ((const WlQueueState *) (gpointer) all->data, all->len, NULL, &now);

    if (reason != NULL)
      refuse (f, o->file, o->line, "queue", o->queue.name, reason);
  }
  for (guint i = 0; i < objects->jobs->len; i++) {
    const WlJobObject *j = objects->jobs->pdata[i];
    gboolean found;
    const WlQueueView view = view_of (all, j->queue, &found);
    g_autofree char *reason = wl_admit_job (&j->refusal, j->queue, found ? &view : NULL);

    if (reason != NULL)
      refuse (f, j->file, j->line, "job", j->name, reason);
  }
  for (guint i = 0; i < objects->flows->len; i++) {
    const WlJobFlow *flow = objects->flows->pdata[i];

    judge_maker (f, &flow->maker, "JobFlow", flow->maker.rejected != NULL ? flow->maker.rejected : flow->refused);
  }
  for (guint i = 0; i < objects->templates->len; i++) {
    const WlJobTemplate *t = objects->templates->pdata[i];

    judge_maker (f, &t->maker, "JobTemplate", t->maker.rejected);
  }
  for (guint i = 0; i < objects->crons->len; i++) {
    const WlJobTemplate *t = &((const WlCronJob *) objects->crons->pdata[i])->made_from;

    judge_maker (f, &t->maker, "CronJob", t->maker.rejected);
  }
}

void
sim_facts_judge_queues (SimFacts *f, SimWorld *w, const char *file)
{
  SimEvent ev;

  for (guint32 i = 0; i < w->n_queues; i++) {
    g_autofree char *reason = sim_queue_doubt (w, i);
    guint32 line = 1;

    for (guint32 k = 0; k < w->n_queue_changes && line == 1; k++)
      line = w->queue_change[k].queue == i ? w->queue_change[k].line : 1;
    if (reason != NULL)
      refuse (f, file, line, "queue", w->queue[i].name, reason);
  }
  while (sim_event_queue_pop (w->events, &ev)) {
    if (sim_event_kind (&ev) != SIM_EVENT_QUEUE)
      continue;
    g_autofree char *reason = sim_queue_forecast (w, ev.subject);

    if (reason != NULL)
      refuse (f, file, w->queue_change[ev.subject].line, "change of queue", w->queue[w->queue_change[ev.subject].queue].name, reason);
  }
}

void
sim_check_admission (SimValidation *v)
{
  for (guint i = 0; i < v->facts->refused->len; i++) {
    const SimFactRefusal *r = &g_array_index (v->facts->refused, SimFactRefusal, i);

    sim_warn (v, "admission", r->file, r->line, 1, "%s", r->text);
  }
}
