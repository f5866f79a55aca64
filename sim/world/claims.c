#include "claims.h"
#include "core/model/claims.h"
#include "cluster-objects.h"
#include "pod-object.h"
#include "views.h"
#include "sim/cycle/cycle.h"
#include "sim/record/record.h"
#include <string.h>

#define BASE_LENGTH 57 /* of a generated name, before the suffix */

struct SimClaims {
  GHashTable *claim_of;    /* "ns/name" → the last WlObject of a ResourceClaim of that name; for look-ups only */
  GHashTable *template_of; /* "ns/name" → VcResourceClaimObject of the world's objects; for look-ups only */
  GArray *entry;           /* VcPodClaim of the pod at hand */
};

/* ---- what is refused -------------------------------------------------------------------------- */

static gboolean
has_plugin (const VcConf *conf, const char *name)
{
  for (guint t = 0; t < conf->n_tiers; t++)
    for (guint p = 0; p < conf->tier[t].n; p++)
      if (strcmp (conf->tier[t].plugin[p].name, name) == 0)
        return TRUE;
  return FALSE;
}

static gboolean
refuse (GError **error, const char *file, guint32 line, const char *what)
{
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s:%u:1: %s is not implemented yet", file, line, what);
  return FALSE;
}

static gboolean
jobs_have_claims (const WlJobObject *job)
{
  for (guint k = 0; k < job->n_tasks; k++)
    if (job->task[k].spec.n_claims > 0)
      return TRUE;
  return FALSE;
}

gboolean
sim_claims_check (const WlObjects *objects, const VcConf *conf, gboolean later, GError **error)
{
  static const char telling[] = "telling the service of plugin extender about resource claims";
  gboolean extender = has_plugin (conf, "extender");

  for (guint i = 0; i < objects->objects->len; i++) {
    const WlObject *o = objects->objects->pdata[i];

    if (extender && o->kind == WL_OBJECT_POD && o->pod.spec.n_claims > 0)
      return refuse (error, o->file, o->line, telling);
    for (guint d = 0; later && o->kind == WL_OBJECT_RESOURCE_SLICE && d < o->slice.n_devices; d++)
      if (o->slice.device[d].has_conditions)
        return refuse (error, o->file, o->line, "waiting for the binding conditions of devices beyond the first cycle");
  }
  for (guint i = 0; extender && i < objects->jobs->len; i++) {
    const WlJobObject *job = objects->jobs->pdata[i];
    if (jobs_have_claims (job))
      return refuse (error, job->file, job->line, telling);
  }
  for (guint i = 0; extender && i < objects->templates->len; i++) {
    const WlJobTemplate *t = objects->templates->pdata[i];
    if (jobs_have_claims (&t->job))
      return refuse (error, t->maker.file, t->maker.line, telling);
  }
  for (guint i = 0; extender && i < objects->crons->len; i++) {
    const WlCronJob *cron = objects->crons->pdata[i];
    if (jobs_have_claims (&cron->made_from.job))
      return refuse (error, cron->made_from.maker.file, cron->made_from.maker.line, telling);
  }
  return TRUE;
}

/* ---- objects of a run -------------------------------------------------------------------------- */

static SimClaims *
claims_of (SimWorld *w)
{
  if (w->claims == NULL) {
    w->claims = g_new0 (SimClaims, 1);
    w->claims->template_of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    w->claims->claim_of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    w->claims->entry = g_array_new (FALSE, FALSE, sizeof (VcPodClaim));
  }
  return w->claims;
}

void
sim_claims_free (SimClaims *claims)
{
  if (claims == NULL)
    return;
  g_hash_table_unref (claims->template_of);
  g_hash_table_unref (claims->claim_of);
  g_array_unref (claims->entry);
  g_free (claims);
}

gboolean
sim_claims_kind (WlObjectKind kind)
{
  return kind == WL_OBJECT_RESOURCE_CLAIM || kind == WL_OBJECT_RESOURCE_CLAIM_TEMPLATE || kind == WL_OBJECT_RESOURCE_SLICE || kind == WL_OBJECT_DEVICE_CLASS;
}

/* Claims of one name follow each other: the earlier one goes first. */
static gboolean
check_order (SimWorld *w, const WlObject *o, GError **error)
{
  const VcResourceClaimObject *c = &o->resource_claim;
  char *key = g_strconcat (c->ns, "/", c->name, NULL);
  const WlObject *last = g_hash_table_lookup (claims_of (w)->claim_of, key);
  WlTime submit = o->submit != WL_TIME_NONE ? o->submit : 0;

  g_hash_table_replace (claims_of (w)->claim_of, key, (gpointer) o);
  if (o->remove != WL_TIME_NONE && o->remove <= submit) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s:%u:1: annotation volsim.io/delete of ResourceClaim '%s', expected a time after it comes", o->file, o->line, c->name);
    return FALSE;
  }
  if (last == NULL || (last->remove != WL_TIME_NONE && last->remove <= submit))
    return TRUE;
  g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s:%u:1: ResourceClaim '%s/%s' is there already: a claim does not change, another one of that name has to come after it is deleted (volsim.io/delete)",
               o->file, o->line, c->ns, c->name);
  return FALSE;
}

gboolean
sim_claims_load (SimWorld *w, const WlObject *o, guint32 i, gboolean *known, GError **error)
{
  const VcResourceClaimObject *c = &o->resource_claim;

  *known = sim_claims_kind (o->kind);
  if (o->kind == WL_OBJECT_RESOURCE_CLAIM_TEMPLATE && (o->submit != WL_TIME_NONE || o->remove != WL_TIME_NONE))
    return refuse (error, o->file, o->line, "a ResourceClaimTemplate that comes or goes during the run");
  if (o->kind == WL_OBJECT_RESOURCE_CLAIM_TEMPLATE) {
    if (!g_hash_table_insert (claims_of (w)->template_of, g_strconcat (c->ns, "/", c->name, NULL), (gpointer) c)) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s:%u:1: ResourceClaimTemplate '%s' of namespace '%s' stands there twice", o->file, o->line, c->name, c->ns);
      return FALSE;
    }
    return TRUE;
  }
  if (o->kind == WL_OBJECT_RESOURCE_CLAIM && (c->allocation != NULL || c->n_reserved_for > 0 || c->deleting))
    return refuse (error, o->file, o->line, "a ResourceClaim that is allocated, reserved or being deleted when the run begins");
  if (o->kind == WL_OBJECT_RESOURCE_CLAIM && !check_order (w, o, error))
    return FALSE;
  if (*known)
    sim_objects_load (w, i);
  return TRUE;
}

static void
tell (SimWorld *w, const WlObject *o, const char *event)
{
  gboolean class = o->kind == WL_OBJECT_DEVICE_CLASS;

  if (w->record != NULL)
    sim_record_event (w, class ? "DeviceClass" : "ResourceClaim", class ? "" : o->resource_claim.ns, class ? o->device_class.name : o->resource_claim.name, event, "");
}

void
sim_claims_add (SimWorld *w, const WlObject *o)
{
  if (o->kind == WL_OBJECT_RESOURCE_CLAIM && w->cluster->claims != NULL && vc_claims_find (w->cluster->claims, o->resource_claim.ns, o->resource_claim.name) != VC_NONE) {
    tell (w, o, "create-refused"); /* one of that name is still used */
    return;
  }
  SIM_EACH_VIEW (w, back)
    sim_cycle_add_object (w->cache, o);
  if (o->submit != WL_TIME_NONE || o->kind == WL_OBJECT_DEVICE_CLASS)
    tell (w, o, "created");
}

void
sim_claims_remove (SimWorld *w, const WlObject *o)
{
  gboolean gone = TRUE;

  SIM_EACH_VIEW (w, back)
    if (o->kind == WL_OBJECT_DEVICE_CLASS)
      vc_claims_remove_class (vc_claims_get (w->cluster), o->device_class.name);
    else
      gone = vc_claims_delete (vc_claims_get (w->cluster), o->resource_claim.ns, o->resource_claim.name);
  if (gone) /* else it goes with the last pod that uses it */
    tell (w, o, "deleted");
}

static const VcResourceClaimObject *
find_template (const SimWorld *w, const char *ns, const char *name)
{
  g_autofree char *key = g_strconcat (ns, "/", name, NULL);

  return w->claims != NULL ? g_hash_table_lookup (w->claims->template_of, key) : NULL;
}

char *
sim_claims_missing (const SimWorld *w, const char *ns, const VcPodClaim *entry, guint n)
{
  for (guint i = 0; i < n; i++) {
    const VcPodClaim *e = &entry[i];

    if (e->template != NULL && find_template (w, ns, e->template) == NULL)
      return g_strdup_printf ("ResourceClaimTemplate '%s'", e->template);
    if (e->template == NULL && e->claim == NULL)
      return g_strdup_printf ("resourceClaimName or resourceClaimTemplateName of '%s'", e->name);
    if (e->template != NULL)
      continue;
    g_autofree char *key = g_strconcat (ns, "/", e->claim, NULL);

    if (w->claims == NULL || !g_hash_table_contains (w->claims->claim_of, key))
      return g_strdup_printf ("ResourceClaim '%s'", e->claim);
  }
  return NULL;
}

/* ---- the controller ----------------------------------------------------------------------------- */

/* As generateName of the controller, with the pod's UID for what the API server adds by chance. */
static const char *
claim_name (SimWorld *w, const char *pod, const char *entry, guint64 uid)
{
  static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
  gsize whole = strlen (pod) + strlen (entry) + 2;
  g_autoptr (GString) s = g_string_new (NULL);

  if (whole > BASE_LENGTH)
    g_string_append_printf (s, "%.*s-%.*s", (int) (strlen (pod) * BASE_LENGTH / whole), pod, (int) (strlen (entry) * BASE_LENGTH / whole), entry);
  else
    g_string_append_printf (s, "%s-%s-", pod, entry);
  for (guint i = 0; i < 5 || uid > 0; i++, uid /= sizeof letters - 1)
    g_string_append_c (s, letters[uid % (sizeof letters - 1)]);
  return vc_cluster_intern (w->cluster, s->str);
}

void
sim_claims_resolve (SimWorld *w, guint32 pod, VcPodObject *o)
{
  const SimTaskSpec *t = w->role[w->pod[pod].role].spec;

  if (t == NULL || t->n_claims == 0)
    return;
  SimClaims *claims = claims_of (w);

  g_array_set_size (claims->entry, 0);
  for (guint i = 0; i < t->n_claims; i++) {
    VcPodClaim e = t->claim[i];

    if (e.template != NULL)
      e.claim = claim_name (w, o->name, e.name, w->pod[pod].uid);
    g_array_append_val (claims->entry, e);
  }
  o->spec.claim = (const VcPodClaim *) (gpointer) claims->entry->data;
  o->spec.n_claims = claims->entry->len;
}

void
sim_claims_make (SimWorld *w, guint32 pod, VcPodObject *o)
{
  const SimPod *p = &w->pod[pod];
  const SimTaskSpec *t = w->role[p->role].spec;

  if (t == NULL || t->n_claims == 0)
    return;
  const char *missing = NULL;

  for (guint i = 0; i < t->n_claims; i++) {
    const VcPodClaim *e = &t->claim[i];

    if (e->template != NULL) {
      VcResourceClaimObject c = *find_template (w, o->ns, e->template);

      c.name = c.uid = claim_name (w, o->name, e->name, p->uid);
      c.owner = o->uid;
      SIM_EACH_VIEW (w, back)
        vc_cache_add_resource_claim (w->cache, &c);
    } else if (vc_claims_find (vc_claims_get (w->cluster), o->ns, e->claim) == VC_NONE) {
      missing = e->claim;
    }
  }
  sim_claims_resolve (w, pod, o);
  if (missing == NULL)
    return;
  /* addPod gives up, and resyncTask forgets a task that no job has: nothing but another process of the scheduler sees the pod again. */
  w->job[p->job].reason = "a ResourceClaim was missing when a pod was made: the scheduler knows nothing of the pod";
  sim_record_event (w, "Pod", o->ns, o->name, "claim-missing", missing);
}

/* A claim that its user has deleted goes when nobody has it any more. */
static void
finish_deletion (SimWorld *w, const char *ns, const char *name)
{
  gboolean gone = FALSE;

  SIM_EACH_VIEW (w, back) {
    guint32 row = vc_claims_find (w->cluster->claims, ns, name);

    gone = row != VC_NONE && w->cluster->claims->claim[row].deleting && vc_claims_delete (w->cluster->claims, ns, name);
  }
  if (gone)
    sim_record_event (w, "ResourceClaim", ns, name, "deleted", "");
}

void
sim_claims_leave (SimWorld *w, guint32 pod)
{
  const SimPod *p = &w->pod[pod];
  const SimTaskSpec *t = w->role[p->role].spec;
  const char *ns = w->job[p->job].ns;
  char uid[24];

  if (t == NULL || t->n_claims == 0)
    return;
  g_snprintf (uid, sizeof uid, "%016" G_GUINT64_FORMAT, p->uid);
  for (guint i = 0; i < t->n_claims; i++) {
    const VcPodClaim *e = &t->claim[i];
    const char *name = e->template != NULL ? claim_name (w, sim_pod_name (w, pod), e->name, p->uid) : e->claim;

    SIM_EACH_VIEW (w, back) {
      vc_cache_leave_resource_claim (w->cache, ns, name, uid);
      if (e->template != NULL)
        vc_cache_remove_resource_claim (w->cache, ns, name);
    }
    if (e->template == NULL)
      finish_deletion (w, ns, name);
  }
}

/* The claim as the view that is entered has it, to the others. */
static void
share (SimWorld *w, guint32 row)
{
  const VcClaims *own = w->cluster->claims;

  SIM_EACH_VIEW (w, back)
    if (w->cluster->claims != own)
      vc_claims_tell (w->cluster->claims, own, row);
}

void
sim_claims_bound (SimWorld *w, guint32 pod)
{
  const SimTaskSpec *t = w->role[w->pod[pod].role].spec;

  for (guint i = 0; w->n_views > 1 && t != NULL && i < t->n_claims; i++) {
    const VcPodClaim *e = &t->claim[i];
    const char *name = e->template != NULL ? claim_name (w, sim_pod_name (w, pod), e->name, w->pod[pod].uid) : e->claim;
    guint32 row = vc_claims_find (w->cluster->claims, w->job[w->pod[pod].job].ns, name);

    if (row != VC_NONE)
      share (w, row);
  }
}

void
sim_claims_given_back (SimWorld *w)
{
  for (guint32 i = 0; w->n_views > 1 && w->cluster->claims != NULL && i < w->cluster->claims->n_claims; i++)
    share (w, i);
}

void
sim_claims_unbound (SimWorld *w, guint32 pod)
{
  const SimTaskSpec *t = w->role[w->pod[pod].role].spec;

  sim_claims_bound (w, pod);
  for (guint i = 0; t != NULL && i < t->n_claims; i++)
    if (t->claim[i].template == NULL)
      finish_deletion (w, w->job[w->pod[pod].job].ns, t->claim[i].claim);
}

void
sim_claims_list_pods (SimWorld *w)
{
  for (guint32 i = 0; w->claims != NULL && i < w->n_pods; i++) {
    SimPod *p = &w->pod[i];
    SimRole *r = p->live ? &w->role[p->role] : NULL;

    if (r == NULL || r->spec == NULL || r->spec->n_claims == 0 || p->phase != SIM_POD_PENDING || p->deleting || p->node != SIM_NONE || sim_role_is_foreign (r)
        || sim_view_task (w, i) != VC_NONE || sim_view_of_role (w, r) != w->at || !w->job[p->job].has_pg)
      continue;
    SimPodText text;
    VcPodObject o = sim_pod_describe (w, i, &text);

    sim_claims_resolve (w, i, &o);
    guint32 task = vc_cache_add_pod_of_shape (w->cache, &o, sim_view_shape (w, r->shape));

    if (task == VC_NONE)
      continue;
    w->cluster->task[task].user = i;
    sim_view_set_task (w, i, task);
    w->job[p->job].reason = NULL;
  }
}
