/* What the jobs of a synthetic trace are. Each job has streams of its own, named by class and number: a change of one class, or of one seed, shifts
 * nothing else. */
#include "generate.h"
#include "workloads/text/parse.h"
#include <math.h>
#include <string.h>

#define RUN_MOST 162754.791419 /* e^12 s: longer running times are drawn again, as in Lublin and Feitelson's model */

/* ---- shares -------------------------------------------------------------------------------------- */

/* One of @n by its weight; @up_to holds the sums. */
static guint32
pick (const double *up_to, guint n, VcRandom *r)
{
  double at = vc_random_unit (r) * up_to[n - 1];
  guint low = 0, high = n - 1;

  while (low < high) {
    guint mid = low + (high - low) / 2;

    if (up_to[mid] > at)
      high = mid;
    else
      low = mid + 1;
  }
  return low;
}

/* Sums of 1 / rank^s. */
static double *
zipf (guint n, double s)
{
  double *up_to = g_new (double, MAX (n, 1)), sum = 0;

  for (guint i = 0; i < n; i++)
    up_to[i] = sum += vc_random_exp (-s * vc_random_log (i + 1.0));
  return up_to;
}

static void
make_queues (const WlProfile *p, WlGenerated *g)
{
  if (p->queue_crowd.count > 0) {
    g_autofree double *up_to = zipf ((guint) p->queue_crowd.count, p->queue_crowd.zipf);

    for (guint i = 0; i < (guint) p->queue_crowd.count; i++) {
      double share = up_to[i] - (i > 0 ? up_to[i - 1] : 0);

      g_ptr_array_add (g->queues, g_strdup_printf ("%s-%u", p->queue_crowd.prefix != NULL ? p->queue_crowd.prefix : "queue", i));
      g_array_append_val (g->queue_shares, share);
    }
    return;
  }
  for (guint i = 0; i < p->queues->len; i++) {
    const WlQueueClass *q = &g_array_index (p->queues, WlQueueClass, i);

    g_ptr_array_add (g->queues, g_strdup (q->name));
    g_array_append_val (g->queue_shares, q->share);
  }
}

/* ---- sizes --------------------------------------------------------------------------------------- */

static guint32
two_stage (const WlTwoStage *t, VcRandom *r)
{
  const double ln2 = 0x1.62e42fefa39efp-1;
  double u = vc_random_unit (r);

  if (u <= t->serial)
    return 1;
  gboolean first = vc_random_unit (r) <= t->first;
  double from = first ? t->low : t->middle, to = first ? t->middle : t->high, x = from + (to - from) * vc_random_unit (r);

  if (u <= t->serial + t->power)
    x = floor (x + 0.5);
  return (guint32) floor (vc_random_exp (x * ln2) + 0.5);
}

static guint32
draw_replicas (const WlJobClass *c, const WlShape *s, VcRandom *r)
{
  if (c->two_stage.given)
    return two_stage (&c->two_stage, r);
  if (!s->has_replicas)
    return 1;
  double n = floor (wl_distribution_draw (&s->replicas, r) + 0.5); /* not inside a macro, which would draw twice */

  return (guint32) CLAMP (n, 1, WL_REPLICAS_MAX);
}

/* Is it an amount that the profile states, and not one that chance makes? */
static gboolean
is_stated (const WlDistribution *d)
{
  return d->kind == WL_CONSTANT || d->kind == WL_WEIGHTED;
}

/* As the resource is counted: cores to thousandths, devices whole, memory to MiB, unless it is @stated: then it is kept to the byte, or a fit would miss each size of its trace. */
static double
rounded (const char *resource, double amount, gboolean stated)
{
  if (strcmp (resource, "cpu") == 0)
    return floor (amount * 1000 + 0.5) / 1000;
  if (wl_resource_is_bytes (resource))
    return stated || amount < 1048576 ? floor (amount + 0.5) : floor (amount / 1048576 + 0.5) * 1048576;
  return floor (amount + 0.5);
}

static void
draw_requests (const WlShape *s, VcRandom *r, WlDrawnJob *job, GArray *amounts)
{
  job->first_amount = amounts->len;
  for (guint i = 0; i < s->requests->len; i++) {
    const WlRequest *q = &g_array_index (s->requests, WlRequest, i);
    double amount = wl_distribution_draw (&q->amount, r);

    for (guint k = job->first_amount; q->times != NULL && k < amounts->len; k++) {
      const WlDrawnAmount *other = &g_array_index (amounts, WlDrawnAmount, k);

      if (strcmp (other->resource, q->times) == 0) {
        amount *= other->amount;
        break;
      }
    }
    WlDrawnAmount one = { q->resource, rounded (q->resource, amount, is_stated (&q->amount)) };
    g_array_append_val (amounts, one);
  }
  job->n_amounts = amounts->len - job->first_amount;
}

/* ---- running times ------------------------------------------------------------------------------- */

static double
hyper_gamma (const WlHyperGamma *h, guint32 replicas, VcRandom *r)
{
  double p = CLAMP (h->slope * replicas + h->base, 0, 1);
  gboolean first = vc_random_unit (r) <= p;
  const WlDistribution d = { .kind = WL_LOGGAMMA, .a = first ? h->shape1 : h->shape2, .b = first ? h->scale1 : h->scale2, .c = RUN_MOST, .unit = 1 };

  return floor (wl_distribution_draw (&d, r)) * G_USEC_PER_SEC; /* whole seconds, as in the model */
}

WlTime
wl_generate_duration (const WlJobClass *c, guint32 replicas, VcRandom *r)
{
  WlTime t = c->hyper.given ? (WlTime) hyper_gamma (&c->hyper, replicas, r) : wl_distribution_draw_time (&c->duration, r);

  return MAX (t, 1000); /* a job that takes no time at all is none */
}

void
wl_generate_duration_stream (const WlProfile *p, const WlJobClass *c, guint32 number, VcRandom *r)
{
  wl_profile_random (p, WL_SEED_DURATIONS, c->name, number, r);
}

static void
draw_durations (const WlProfile *p, const WlJobClass *c, WlDrawnJob *job)
{
  VcRandom r;

  wl_generate_duration_stream (p, c, job->number, &r);
  for (guint32 i = 0; i < (c->each ? job->replicas : 1); i++) {
    WlTime t = wl_generate_duration (c, job->replicas, &r);

    job->duration = MAX (job->duration, t);
    job->work += (double) t / G_USEC_PER_SEC * (c->each ? 1 : job->replicas);
  }
  if (c->endless > 0 && vc_random_unit (&r) < c->endless) { /* drawn last: all others run as long as without it */
    job->duration = WL_TIME_NEVER;
    job->work = 0;
  }
}

/* ---- a job --------------------------------------------------------------------------------------- */

typedef struct { double *shapes; guint n; guint32 queue; } ClassFacts;

static gboolean
fits_in_a_cell (const WlProfile *p, const WlJobClass *c, const WlDrawnJob *job, GError **error)
{
  const guint most = 20000; /* durations of single pods stand in one cell of jobs.csv, which has at most 1 MiB */

  if (!c->each || job->replicas <= most)
    return TRUE;
  g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s:%u:%u: class '%s', expected at most %u replicas where each has its own duration, found %u", p->source,
               c->line, c->column, c->name, most, job->replicas);
  return FALSE;
}

WlGenerated *
wl_generate (const WlProfile *p, double rate, GError **error)
{
  g_autoptr (GArray) arrived = wl_generate_arrivals (p, rate, error);
  g_autoptr (WlGenerated) g = g_new0 (WlGenerated, 1);

  g->jobs = g_array_new (FALSE, TRUE, sizeof (WlDrawnJob));
  g->amounts = g_array_new (FALSE, FALSE, sizeof (WlDrawnAmount));
  g->queues = g_ptr_array_new_with_free_func (g_free);
  g->queue_shares = g_array_new (FALSE, FALSE, sizeof (double));
  g->n_users = (guint) p->users.count;
  if (arrived == NULL)
    return NULL;
  make_queues (p, g);
  g_autofree double *queue_sums = g_new0 (double, MAX (g->queues->len, 1)), *users = zipf (g->n_users, p->users.zipf);
  g_autofree ClassFacts *facts = g_new0 (ClassFacts, p->classes->len);
  double sum = 0;
  gboolean good = TRUE;

  for (guint i = 0; i < g->queues->len; i++)
    queue_sums[i] = sum += g_array_index (g->queue_shares, double, i);
  for (guint k = 0; k < p->classes->len; k++) {
    const WlJobClass *c = &g_array_index (p->classes, WlJobClass, k);

    facts[k].n = c->shapes->len;
    facts[k].shapes = g_new (double, c->shapes->len);
    facts[k].queue = G_MAXUINT32;
    sum = 0;
    for (guint i = 0; i < c->shapes->len; i++)
      facts[k].shapes[i] = sum += g_array_index (c->shapes, WlShape, i).share;
    for (guint32 q = 0; c->queue != NULL && q < g->queues->len; q++)
      if (strcmp (g->queues->pdata[q], c->queue) == 0)
        facts[k].queue = q;
  }
  for (guint i = 0; good && i < arrived->len; i++) {
    const WlArrived *a = &g_array_index (arrived, WlArrived, i);
    const WlJobClass *c = &g_array_index (p->classes, WlJobClass, a->job_class);
    WlDrawnJob job = { .submit = a->time, .job_class = a->job_class, .number = a->number, .queue = facts[a->job_class].queue, .user = G_MAXUINT32 };
    VcRandom r;

    wl_profile_random (p, WL_SEED_SIZES, c->name, a->number, &r);
    const WlShape *s = &g_array_index (c->shapes, WlShape, pick (facts[a->job_class].shapes, facts[a->job_class].n, &r));
    job.replicas = draw_replicas (c, s, &r);
    draw_requests (s, &r, &job, g->amounts);
    draw_durations (p, c, &job);
    if (c->queue == NULL && g->queues->len > 0) {
      wl_profile_random (p, WL_SEED_QUEUES, c->name, a->number, &r);
      job.queue = pick (queue_sums, g->queues->len, &r);
    }
    if (g->n_users > 0) {
      wl_profile_random (p, WL_SEED_USERS, c->name, a->number, &r);
      job.user = pick (users, g->n_users, &r);
    }
    g_array_append_val (g->jobs, job);
    good = fits_in_a_cell (p, c, &job, error);
  }
  for (guint k = 0; k < p->classes->len; k++)
    g_free (facts[k].shapes);
  return good ? g_steal_pointer (&g) : NULL;
}

void
wl_generated_free (WlGenerated *g)
{
  if (g == NULL)
    return;
  g_clear_pointer (&g->jobs, g_array_unref);
  g_clear_pointer (&g->amounts, g_array_unref);
  g_clear_pointer (&g->queues, g_ptr_array_unref);
  g_clear_pointer (&g->queue_shares, g_array_unref);
  g_free (g);
}

/* ---- load ---------------------------------------------------------------------------------------- */

static double
capacity (const WlProfile *p, const char *resource)
{
  double sum = 0;

  for (guint i = 0; i < p->nodes->len; i++) {
    const WlNodeClass *n = &g_array_index (p->nodes, WlNodeClass, i);

    for (guint k = 0; k < n->cells->len; k++) {
      const WlCell *c = &g_array_index (n->cells, WlCell, k);
      g_auto (WlDistribution) d = { 0 };

      if (strcmp (c->column, resource) == 0 && wl_parse_distribution_of (c->text, WL_AMOUNTS, &d, NULL) && wl_distribution_is_constant (&d))
        sum += d.a * (double) n->count;
    }
  }
  return sum;
}

double
wl_generated_load (const WlProfile *p, const WlGenerated *g, const char *resource)
{
  double have = capacity (p, resource), work = 0;

  if (g->jobs->len < 2 || have <= 0)
    return 0;
  for (guint i = 0; i < g->jobs->len; i++) {
    const WlDrawnJob *job = &g_array_index (g->jobs, WlDrawnJob, i);

    for (guint k = 0; k < job->n_amounts; k++) {
      const WlDrawnAmount *a = &g_array_index (g->amounts, WlDrawnAmount, job->first_amount + k);

      if (strcmp (a->resource, resource) == 0)
        work += a->amount * job->work;
    }
  }
  double span = (double) (g_array_index (g->jobs, WlDrawnJob, g->jobs->len - 1).submit - g_array_index (g->jobs, WlDrawnJob, 0).submit) / G_USEC_PER_SEC;

  return span > 0 ? work / have / span : 0;
}

gboolean
wl_generate_rate (const WlProfile *p, const char *resource, double load, double *rate, GError **error)
{
  double best = 1, gap = G_MAXDOUBLE, at = 1;

  if (capacity (p, resource) <= 0) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s: expected nodes with '%s', whose load is to be %g, found none", p->source, resource, load);
    return FALSE;
  }
  /* The load rises with the rate, nearly in proportion. */
  for (guint i = 0; i < 20 && gap > 1e-3 * load; i++) {
    g_autoptr (WlGenerated) g = wl_generate (p, at, error);

    if (g == NULL)
      return FALSE;
    double now = wl_generated_load (p, g, resource);

    if (now <= 0) {
      g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s: expected jobs that ask for '%s', whose load is to be %g, found none", p->source, resource, load);
      return FALSE;
    }
    if (fabs (now - load) < gap) {
      gap = fabs (now - load);
      best = at;
    }
    at *= CLAMP (load / now, 1e-4, 1e4);
  }
  if (gap > 0.05 * load) {
    g_set_error (error, WL_ERROR, WL_ERROR_VALUE, "%s: no rate of arrivals gives '%s' a load of %g: the nearest is off by %.3g", p->source, resource, load, gap);
    return FALSE;
  }
  *rate = best;
  return TRUE;
}
