/* sim/world/storage-private.h - what the parts of the storage share. Only storage.c and pod-claims.c use it. */
#pragma once
#include "storage.h"
#include "core/model/volumes.h"
#include "views.h"
G_BEGIN_DECLS

/* What the controllers know of a claim. */
typedef struct {
  char *ns, *name;
  guint32 users;       /* pods with a node that name it */
  guint32 stamp;       /* of the provisioning that is under way; events with another one are dead */
  gboolean provisioning, listed, gone;
} SimClaim;

typedef struct { guint32 claim; gboolean ephemeral; } SimKeptUse; /* of a pod object that is left of a finished job, and that the world has forgotten */
typedef struct {
  GArray *claims;      /* guint32: rows of those that the job owns, in the order in which they were made */
  GArray *kept;        /* SimKeptUse: of its pods */
} SimJobClaims;        /* of a job that has some */
typedef struct { guint32 pod, stamp; } SimWaitingPod;                  /* on its node; its claims are not bound */

struct SimStorage {
  GPtrArray *claim;    /* SimClaim, by the order in which they were made; rows are not used again */
  GHashTable *by_key;  /* "ns/name" → row + 1 of the claim that is there */
  GArray *unbound;     /* guint32: rows of claims that are not bound, in that order */
  GPtrArray *fresh;    /* names of volumes that the controller has not seen yet */
  GHashTable *of_job;  /* row of a job + 1 → SimJobClaims */
  GArray *waiting;     /* SimWaitingPod */
  gboolean dirty;      /* something has changed that may bind a claim */
  gboolean bound;      /* one has been bound since the waiting pods were looked at */
  guint64 next_uid;
};

/* What the API server has, as the first scheduler's tables hold it: all have the same, but for what their sessions assume. */
static inline const VcVolumes *
sim_storage_tables (const SimWorld *w)
{
  return w->view[0].cluster->volumes;
}

static inline guint32
sim_storage_row (const SimStorage *s, const char *ns, const char *name) /* of a claim that is there, SIM_NONE */
{
  g_autofree char *key = g_strconcat (ns, "/", name, NULL);

  return s != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (s->by_key, key)) - 1 : SIM_NONE;
}

static inline SimClaim *
sim_storage_claim (const SimStorage *s, guint32 row) /* NULL for SIM_NONE */
{
  return row != SIM_NONE ? s->claim->pdata[row] : NULL;
}

/* The same of the scheduler's tables. */
static inline const VcClaim *
sim_storage_object (const SimWorld *w, const SimClaim *c)
{
  return &sim_storage_tables (w)->claim[vc_volumes_claim (sim_storage_tables (w), c->ns, c->name)];
}

/** The world's, made when it is needed. */
SimStorage *sim_storage_get (SimWorld *w);
/** The job's, made when it is needed. */
SimJobClaims *sim_storage_of_job (SimStorage *s, guint32 job);
/** The API server has these now. */
void sim_storage_put_claim (SimWorld *w, const VcPersistentVolumeClaimObject *o);
void sim_storage_put_volume (SimWorld *w, const VcPersistentVolumeObject *o);
/** Somebody deletes a claim: it goes at once, or with the last pod that uses it. */
void sim_storage_delete_claim (SimWorld *w, SimClaim *c);
/** The volume that the controller would bind a claim to, VC_NONE; @delayed: only one that is the claim's own. */
guint32 sim_storage_match (const VcVolumes *t, const VcClaim *c, gboolean delayed);

G_END_DECLS
