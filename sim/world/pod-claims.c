/* sim/world/pod-claims.c - what pods and jobs have to do with claims; see storage.h. */
#include "kubelet.h"
#include "storage-private.h"
#include <string.h>

static const VcPodSpec *
spec_of (const SimWorld *w, guint32 pod)
{
  return &w->role[w->pod[pod].role].shape->spec;
}

static const char *
ns_of (const SimWorld *w, guint32 pod)
{
  return w->job[w->pod[pod].job].ns;
}

/* Name of the claim of volume @i of a pod, in *made where it is put together. */
static const char *
claim_name (const SimWorld *w, guint32 pod, guint i, char **made)
{
  return vc_pod_claim_name (&spec_of (w, pod)->volume[i], sim_pod_name ((SimWorld *) w, pod), made);
}

static guint32
claim_row (const SimWorld *w, guint32 pod, guint i)
{
  g_autofree char *made = NULL;

  return sim_storage_row (w->storage, ns_of (w, pod), claim_name (w, pod, i, &made));
}

/* The same in tables, VC_NONE. */
static guint32
table_row (const SimWorld *w, const VcVolumes *t, guint32 pod, guint i)
{
  g_autofree char *made = NULL;

  return vc_volumes_claim (t, ns_of (w, pod), claim_name (w, pod, i, &made));
}

/* Every scheduler that has the pod reads it again. */
static void
reread (SimWorld *w, guint32 pod)
{
  SIM_EACH_VIEW (w, back)
    if (sim_view_task (w, pod) != VC_NONE)
      vc_cache_pod_reread (w->cache, sim_view_task (w, pod));
}

void
sim_storage_reread (SimWorld *w, const char *ns, const char *name)
{
  for (guint32 i = 0; i < w->n_pods; i++) {
    const SimPod *p = &w->pod[i];

    if (!p->live || spec_of (w, i)->n_volumes == 0 || strcmp (ns_of (w, i), ns) != 0)
      continue;
    for (guint k = 0; k < spec_of (w, i)->n_volumes; k++) {
      g_autofree char *made = NULL;

      if (strcmp (claim_name (w, i, k, &made), name) == 0)
        reread (w, i);
    }
  }
}

/* ---- the life of a pod ----------------------------------------------------------------------- */

/* As sim_pod_tell() gives it. (transfer full) */
static char *
uid_of (const SimWorld *w, guint32 pod)
{
  return g_strdup_printf ("%016" G_GUINT64_FORMAT, w->pod[pod].uid);
}

static gboolean
is_of_pod (const SimWorld *w, const SimClaim *c, guint32 pod)
{
  g_autofree char *uid = uid_of (w, pod);

  return g_strcmp0 (sim_storage_object (w, c)->owner, uid) == 0;
}

void
sim_storage_pod_made (SimWorld *w, guint32 pod)
{
  const VcPodSpec *spec = spec_of (w, pod);
  const SimTaskSpec *t = w->role[w->pod[pod].role].spec;
  g_autofree char *uid = uid_of (w, pod);
  gboolean some = FALSE;

  for (guint i = 0; t != NULL && i < spec->n_volumes; i++) {
    g_autofree char *name = NULL;

    /* One of that name that is there already is another's: the pod waits. */
    if (!spec->volume[i].ephemeral || t->volume[i].claim == NULL || claim_row (w, pod, i) != SIM_NONE)
      continue;
    VcPersistentVolumeClaimObject o = *t->volume[i].claim;

    o.ns = ns_of (w, pod);
    o.name = claim_name (w, pod, i, &name);
    o.owner = uid;
    sim_storage_make_claim (w, &o, SIM_NONE);
    some = TRUE;
  }
  if (some)
    reread (w, pod);
}

void
sim_storage_pod_placed (SimWorld *w, guint32 pod)
{
  for (guint i = 0; w->storage != NULL && i < spec_of (w, pod)->n_volumes; i++) {
    SimClaim *c = sim_storage_claim (w->storage, claim_row (w, pod, i));

    if (c != NULL)
      c->users++;
  }
}

/* A pod object that used a claim is no more. */
static void
end_use (SimWorld *w, SimClaim *c, gboolean placed, gboolean own)
{
  if (placed && c->users > 0)
    c->users--;
  if (own || (sim_storage_object (w, c)->deleting && c->users == 0))
    sim_storage_delete_claim (w, c);
}

void
sim_storage_pod_gone (SimWorld *w, guint32 pod, gboolean object_stays)
{
  const SimPod *p = &w->pod[pod];

  for (guint i = 0; w->storage != NULL && i < spec_of (w, pod)->n_volumes; i++) {
    guint32 row = claim_row (w, pod, i);
    SimClaim *c = sim_storage_claim (w->storage, row);

    if (c == NULL)
      continue;
    gboolean own = spec_of (w, pod)->volume[i].ephemeral && is_of_pod (w, c, pod);
    SimKeptUse use = { row, own };

    if (object_stays)
      g_array_append_val (sim_storage_of_job (w->storage, p->job)->kept, use);
    else
      end_use (w, c, p->node != SIM_NONE, own);
  }
}

void
sim_storage_job_gone (SimWorld *w, guint32 job)
{
  SimStorage *s = w->storage;
  const SimJobClaims *o = s != NULL ? g_hash_table_lookup (s->of_job, GUINT_TO_POINTER (job + 1)) : NULL;

  if (o == NULL)
    return;
  for (guint i = 0; i < o->claims->len; i++) {
    SimClaim *c = sim_storage_claim (s, g_array_index (o->claims, guint32, i));

    if (!c->gone)
      sim_storage_delete_claim (w, c);
  }
  for (guint i = 0; i < o->kept->len; i++) {
    SimKeptUse use = g_array_index (o->kept, SimKeptUse, i);

    if (!sim_storage_claim (s, use.claim)->gone)
      end_use (w, sim_storage_claim (s, use.claim), TRUE, use.ephemeral);
  }
  g_hash_table_remove (s->of_job, GUINT_TO_POINTER (job + 1));
}

/* ---- what binds wait for --------------------------------------------------------------------- */

/* The volume that a session has assumed for the claim. */
static guint32
assumed_volume (const VcVolumes *t, guint32 claim)
{
  const GArray *list = vc_volumes_of_class (t, t->claim[claim].class);

  for (guint i = 0; list != NULL && i < list->len; i++)
    if (t->volume[g_array_index (list, guint32, i)].assumed == claim)
      return g_array_index (list, guint32, i);
  return VC_NONE;
}

guint64
sim_storage_prebind (SimWorld *w, guint32 pod)
{
  const VcPodSpec *spec = spec_of (w, pod);
  const VcVolumes *t = w->cluster->volumes; /* of the scheduler that binds: what its session has assumed */
  guint64 waits = 0;

  for (guint i = 0; i < MIN (spec->n_volumes, 64); i++) {
    guint32 claim = table_row (w, t, pod, i);

    if (claim == VC_NONE || vc_claim_is_bound (&t->claim[claim]))
      continue;
    VcPersistentVolumeClaimObject o = vc_claim_object (&t->claim[claim]);
    guint32 node = t->claim[claim].assumed_node, volume = node == VC_NONE ? assumed_volume (t, claim) : VC_NONE;

    if (node != VC_NONE) {
      o.selected_node = vc_cluster_intern (w->cluster, w->cluster->nodes.info[node].name);
      sim_storage_put_claim (w, &o);
    } else if (volume != VC_NONE) {
      VcPersistentVolumeObject v = vc_volume_object (&t->volume[volume]);

      v.claim_ns = o.ns;
      v.claim_name = o.name;
      v.claim_uid = o.uid;
      sim_storage_put_volume (w, &v);
    }
    /* What another pod of the same claim has written already is waited for as well; a claim that nobody has decided about is not. */
    if (node != VC_NONE || volume != VC_NONE || o.selected_node != NULL || sim_storage_match (t, &t->claim[claim], TRUE) != VC_NONE)
      waits |= G_GUINT64_CONSTANT (1) << i;
  }
  return waits;
}

SimVolumesState
sim_storage_check (const SimWorld *w, guint32 pod, guint32 node, guint64 waits)
{
  const VcVolumes *t = w->cluster->volumes; /* of the scheduler that binds: what its session has assumed */
  SimVolumesState state = SIM_VOLUMES_READY;

  if (!w->node[node].present)
    return SIM_VOLUMES_FAILED;
  for (guint i = 0; waits >> i != 0; i++) {
    guint32 claim = waits >> i & 1 ? table_row (w, t, pod, i) : VC_NONE;

    if ((waits >> i & 1) == 0)
      continue;
    if (claim == VC_NONE)
      return SIM_VOLUMES_FAILED;
    guint32 volume = *t->claim[claim].volume != '\0' ? vc_volumes_volume (t, t->claim[claim].volume) : VC_NONE;

    if (volume != VC_NONE && !vc_volume_reaches (t->volume[volume].where, &w->cluster->nodes.info[sim_view_node (w, node)].facts))
      return SIM_VOLUMES_FAILED;
    if (volume == VC_NONE || !vc_claim_is_bound (&t->claim[claim]))
      state = SIM_VOLUMES_WAIT;
  }
  return state;
}

/* ---- what kubelets wait for ------------------------------------------------------------------ */

static gboolean
is_ready (const SimWorld *w, guint32 pod)
{
  for (guint i = 0; i < spec_of (w, pod)->n_volumes; i++) {
    guint32 claim = table_row (w, sim_storage_tables (w), pod, i);

    if (claim == VC_NONE || !vc_claim_is_bound (&sim_storage_tables (w)->claim[claim]))
      return FALSE;
  }
  return TRUE;
}

gboolean
sim_storage_may_start (SimWorld *w, guint32 pod)
{
  SimWaitingPod p = { pod, w->pod[pod].stamp };

  if (spec_of (w, pod)->n_volumes == 0 || is_ready (w, pod))
    return TRUE;
  g_array_append_val (sim_storage_get (w)->waiting, p);
  return FALSE;
}

void
sim_storage_wake (SimWorld *w)
{
  SimStorage *s = w->storage;
  guint left = 0;

  s->bound = FALSE;
  for (guint i = 0; i < s->waiting->len; i++) {
    SimWaitingPod p = g_array_index (s->waiting, SimWaitingPod, i);

    if (!w->pod[p.pod].live || w->pod[p.pod].stamp != p.stamp)
      continue;
    if (is_ready (w, p.pod))
      sim_pod_post (w, p.pod, 0, SIM_EVENT_POD_START);
    else
      g_array_index (s->waiting, SimWaitingPod, left++) = p;
  }
  g_array_set_size (s->waiting, left);
}

/* ---- volumes of jobs ------------------------------------------------------------------------- */

/* Name of the claim of a job's volume: its own, or `<job>-pvc-<12 letters>`, which other jobs of that name do not draw again. */
static char *
job_claim (const SimWorld *w, guint32 job, guint i)
{
  static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  const SimJob *j = &w->job[job];
  const SimJobVolume *v = &j->spec->volume[i];
  char text[13] = { 0 };
  VcRandom r;

  if (v->made == NULL)
    return g_strdup (v->claim);
  g_autofree char *subject = g_strdup_printf ("%s/%s/%u", j->ns, j->name, job);

  vc_random_init (&r, w->model->seed, "claim-name", subject, i);
  for (guint k = 0; k < sizeof text - 1; k++)
    text[k] = letters[vc_random_below (&r, sizeof letters - 1)];
  return g_strdup_printf ("%s-pvc-%s", j->name, text);
}

/* All its pods get the volumes, each claim once. */
static void
mount (SimWorld *w, guint32 job, GPtrArray *claims)
{
  const SimJob *j = &w->job[job];

  for (guint32 k = 0; k < j->n_roles; k++) {
    SimRole *role = &w->role[j->first_role + k];
    VcPodSpec spec = role->shape->spec;
    g_autofree VcPodVolume *volume = g_new0 (VcPodVolume, spec.n_volumes + claims->len);

    if (spec.n_volumes > 0)
      memcpy (volume, spec.volume, spec.n_volumes * sizeof *volume);
    for (guint i = 0; i < claims->len; i++) {
      guint first;

      g_ptr_array_find_with_equal_func (claims, claims->pdata[i], g_str_equal, &first);
      if (first == i)
        volume[spec.n_volumes++] = (VcPodVolume){ .name = claims->pdata[i] };
    }
    spec.volume = volume;
    role->shape = vc_shape_intern (w->view[0].cluster->shapes, &spec);
  }
}

char *
sim_storage_begin_job (SimWorld *w, guint32 job)
{
  SimJob *j = &w->job[job];
  g_autoptr (GPtrArray) claims = g_ptr_array_new_with_free_func (g_free);

  if (j->spec == NULL || j->spec->n_volumes == 0)
    return NULL;
  for (guint i = 0; i < j->spec->n_volumes; i++)
    g_ptr_array_add (claims, job_claim (w, job, i));
  for (guint i = 0; i < claims->len; i++) {
    const SimJobVolume *v = &j->spec->volume[i];
    const char *name = claims->pdata[i];

    if (v->made != NULL && !j->has_claims) {
      VcPersistentVolumeClaimObject o = *v->made;

      o.ns = j->ns;
      o.name = name;
      sim_storage_make_claim (w, &o, job);
    } else if (!sim_storage_has_claim (w, j->ns, name)) {
      return g_strdup_printf ("pvc %s is not found, the job will be in the Pending state until the PVC is created", name);
    }
  }
  if (!j->has_claims)
    mount (w, job, claims);
  j->has_claims = TRUE;
  return NULL;
}
