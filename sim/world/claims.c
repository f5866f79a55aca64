#include "claims.h"
#include "core/model/claims.h"
#include "sim/cycle/cycle.h"
#include <string.h>

#define BASE_LENGTH 57 /* of a generated name, before the suffix */

struct SimClaims {
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
  g_array_unref (claims->entry);
  g_free (claims);
}

gboolean
sim_claims_kind (WlObjectKind kind)
{
  return kind == WL_OBJECT_RESOURCE_CLAIM || kind == WL_OBJECT_RESOURCE_CLAIM_TEMPLATE || kind == WL_OBJECT_RESOURCE_SLICE || kind == WL_OBJECT_DEVICE_CLASS;
}

gboolean
sim_claims_load (SimWorld *w, const WlObject *o, gboolean *known, GError **error)
{
  const VcResourceClaimObject *c = &o->resource_claim;

  *known = sim_claims_kind (o->kind);
  if (*known && (o->submit != WL_TIME_NONE || o->remove != WL_TIME_NONE))
    return refuse (error, o->file, o->line, "a ResourceClaim or ResourceClaimTemplate that comes or goes during the run, or a DeviceClass that goes,");
  if (o->kind == WL_OBJECT_RESOURCE_CLAIM_TEMPLATE) {
    if (!g_hash_table_insert (claims_of (w)->template_of, g_strconcat (c->ns, "/", c->name, NULL), (gpointer) c)) {
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s:%u:1: ResourceClaimTemplate '%s' of namespace '%s' stands there twice", o->file, o->line, c->name, c->ns);
      return FALSE;
    }
    return TRUE;
  }
  if (o->kind == WL_OBJECT_RESOURCE_CLAIM && (c->allocation != NULL || c->n_reserved_for > 0 || c->deleting))
    return refuse (error, o->file, o->line, "a ResourceClaim that is allocated, reserved or being deleted when the run begins");
  if (*known)
    sim_cycle_add_object (w->cache, o);
  return TRUE;
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
    if (e->template == NULL && (w->cluster->claims == NULL || vc_claims_find (w->cluster->claims, ns, e->claim) == VC_NONE))
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
sim_claims_make (SimWorld *w, guint32 pod, VcPodObject *o)
{
  const SimPod *p = &w->pod[pod];
  const SimTaskSpec *t = w->role[p->role].spec;

  if (t == NULL || t->n_claims == 0)
    return;
  SimClaims *claims = claims_of (w);
  g_array_set_size (claims->entry, 0);
  for (guint i = 0; i < t->n_claims; i++) {
    VcPodClaim e = t->claim[i];

    if (e.template != NULL) {
      VcResourceClaimObject c = *find_template (w, o->ns, e.template);

      e.claim = claim_name (w, o->name, e.name, p->uid);
      c.name = c.uid = e.claim;
      c.owner = o->uid;
      vc_cache_add_resource_claim (w->cache, &c);
    }
    g_array_append_val (claims->entry, e);
  }
  o->spec.claim = (const VcPodClaim *) (gpointer) claims->entry->data;
  o->spec.n_claims = claims->entry->len;
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

    vc_cache_leave_resource_claim (w->cache, ns, name, uid);
    if (e->template != NULL)
      vc_cache_remove_resource_claim (w->cache, ns, name);
  }
}
