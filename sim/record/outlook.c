#include "outlook.h"
#include "sim/world/world.h"

/* Running time that the pod at this place still needs; SIM_NEVER. */
static SimTime
left_of (const SimWorld *w, const SimRole *r, guint32 place)
{
  const SimSlot *slot = &r->slot[place];
  const SimPod *p = slot->pod != SIM_NONE ? &w->pod[slot->pod] : NULL;

  if (p != NULL && p->runs)
    return p->length == SIM_NEVER ? SIM_NEVER : MAX (p->length - (w->now - p->run_start), 0);
  if (p != NULL && (p->phase == SIM_POD_SUCCEEDED || p->phase == SIM_POD_FAILED))
    return 0;
  SimTime work = sim_schedule_at (r->duration, place, p != NULL ? p->attempt + p->restarts : slot->attempts);

  return work == SIM_NEVER ? SIM_NEVER : MAX (work - slot->saved, 0);
}

gboolean
sim_outlook (gpointer user, guint32 job, VcOutlook *out)
{
  const SimWorld *w = user;
  const SimJob *j = &w->job[job];

  *out = (VcOutlook){ .submitted = w->options.epoch * SIM_SECOND + j->submit, .place = job, .walltime = j->walltime == SIM_NO_TIME ? -1 : j->walltime };
  return TRUE;
}

gboolean
sim_progress (gpointer user, guint32 job, VcProgress *out)
{
  const SimWorld *w = user;
  const SimJob *j = &w->job[job];
  SimTime left = 0, started = SIM_NO_TIME;

  for (guint32 k = 0; k < j->n_roles; k++) {
    const SimRole *r = &w->role[j->first_role + k];

    for (guint32 i = 0; r->slot != NULL && i < MIN (r->replicas, r->n_slots); i++) {
      const SimPod *p = r->slot[i].pod != SIM_NONE ? &w->pod[r->slot[i].pod] : NULL;

      left = MAX (left, left_of (w, r, i));
      if (p != NULL && p->bound != SIM_NO_TIME && (started == SIM_NO_TIME || p->bound < started))
        started = p->bound;
    }
  }
  *out = (VcProgress){ .started = started == SIM_NO_TIME ? -1 : w->options.epoch * SIM_SECOND + started, .left = left == SIM_NEVER ? -1 : left };
  return TRUE;
}
