/* core/devices/vgpu.h - shared GPU cards: the book of one node, and the choice of cards for a pod. */
#pragma once
#include "device-class.h"
#include "gpu-exclusive.h"
G_BEGIN_DECLS

/* Slots of a cut card that are taken, by kind of instance. */
typedef struct { const char *name; guint64 memory; GArray *taken; /* gint: ascending */ } VcMigUsage;

typedef struct {
  gint32 index;              /* place in the inventory */
  const char *uuid, *type;
  gboolean nvidia;           /* the type says so */
  guint64 memory, number;    /* MB; pods that may share it */
  guint64 used_number, used_memory, used_cores;
  VcDevicePods pods;
  const VcMigModel *model;   /* ways to cut it; NULL: none */
  gint group;                /* of the model, in use; -1: none yet */
  GArray *usage;             /* VcMigUsage; NULL: none */
} VcVgpuCard;

typedef struct {
  gboolean mig;              /* the node cuts its cards, else pods share them */
  guint n;
  VcVgpuCard *card;          /* ascending by index */
  VcGpuExclusive *exclusive; /* of the session, when there are rules; NULL */
  guint first;               /* 1 + the card that is tried before all others; 0: none */
} VcVgpu;

typedef enum { VC_VGPU_ANY, VC_VGPU_BINPACK, VC_VGPU_SPREAD } VcVgpuPolicy;
VcVgpuPolicy vc_vgpu_policy (const char *name);

/* What a pod asks for. Texts live as long as its shape. */
typedef struct {
  VcDeviceAsk ask;
  VcDeviceRequest *request; guint n;         /* by container */
  const char *mode;                          /* volcano.sh/vgpu-mode; NULL: any */
  const char *use_type, *nouse_type;         /* NULL: none */
  const char *const *use_uuid, *const *nouse_uuid; /* NULL-terminated, maybe empty */
  const char *apart_from;                    /* PodGroup whose pods may not sit on the same card; NULL */
} VcVgpuAsk;
/** Requests and annotations of pods of a shape, in @arena. */
VcVgpuAsk *vc_vgpu_ask (const VcPodSpec *spec, const VcNvidiaConfig *names, VcArena *arena);

typedef struct { guint container, card; guint64 memory; guint32 cores; gint slot; /* position in the group, -1: not cut */ gint group; } VcVgpuPick;
typedef struct { GArray *pick; /* VcVgpuPick */ double score; } VcVgpuChoice;

/** Choose cards for @ask. @closed: cards that take nobody (NULL: none), by place. @book: also take them, and what upstream leaves taken where it
 * fails. FALSE: does not fit. @out may be NULL. @why, when given, gets a line for each card that is passed over. */
gboolean vc_vgpu_choose (VcVgpu *g, const VcVgpuAsk *ask, VcVgpuPolicy policy, guint64 memory_factor, const guint8 *closed, gboolean book, VcVgpuChoice *out, GString *why);

/** The inventory that @text announces ("uuid,count,memory,type,health,mode:" repeated), with texts interned in @c; NULL: none. */
VcVgpu *vc_vgpu_read (const char *text, const VcDeviceConfig *config, VcCluster *c);
VcVgpu *vc_vgpu_copy (const VcVgpu *g);
void vc_vgpu_free (VcVgpu *g);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcVgpu, vc_vgpu_free)

/* ---- cut cards (vgpu-mig.c) ---- */

/** The slot that a request of @memory gets: group, position in it, memory of the instance. Nothing is taken. */
gboolean vc_mig_match (const VcVgpuCard *card, guint64 memory, gint *group, gint *position, guint64 *got);
/** Group and position of the slot that @id names ("UUID[group-position]"). FALSE: it names none. */
gboolean vc_mig_parse (const char *id, gsize len, const char **group, gsize *group_len, gint64 *position);
/** Mark the slot as taken, or give it back; the memory of its instance, 0 when the card knows no such group or slot. */
guint64 vc_mig_take (VcVgpuCard *card, const char *group, gsize group_len, gint64 position);
guint64 vc_mig_give (VcVgpuCard *card, const char *group, gsize group_len, gint64 position);
GArray *vc_mig_usage_copy (const GArray *usage);
void vc_mig_usage_free (GArray *usage);

G_END_DECLS
