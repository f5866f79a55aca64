/* core/base/resource.h - resource vectors: cpu, memory and scalars.
 *
 * A vector has the dimensions of one VcResNames: 0 = cpu in milli-cores, 1 = memory in bytes,
 * 2.. = scalar resources in ascending byte order of their names (milli-units; `pods` in whole units).
 * Numbers are doubles as upstream's are: whole values below 2^53 are exact, and the 0.1 tolerance of the
 * comparisons then equals plain `<=`.
 *
 * A scalar may be absent, which a few operations tell from present-and-zero; so may the whole scalar map.
 * Invariant: an absent scalar has v[d] == 0, so loops over values need no test of presence.
 *
 * Mirrors pkg/scheduler/api/resource_info.go and pkg/scheduler/api/helpers/helpers.go. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

#define VC_RES_CPU 0
#define VC_RES_MEMORY 1
#define VC_RES_FIRST_SCALAR 2
#define VC_RES_MAX 64         /* dimensions of one run; `has` is a 64-bit mask */
#define VC_RES_EPSILON 0.1    /* upstream's minResource */
#define VC_RES_HUGE 1.7976931348623157e308 /* "no limit" of cpu and memory */

/* ---- names ---------------------------------------------------------------------------------- */
typedef struct VcResNames VcResNames;

#define VC_RES_ERROR (vc_res_error_quark ())
typedef enum { VC_RES_ERROR_TOO_MANY } VcResError;
GQuark vc_res_error_quark (void);

/** Names of one run: cpu, memory, `pods`, then every name in @scalars (any order, repeats allowed), scalars sorted
 * by bytes. NULL with @error when there are more than VC_RES_MAX. (transfer full) */
VcResNames *vc_res_names_new (const char *const *scalars, guint n_scalars, GError **error);
void vc_res_names_free (VcResNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcResNames, vc_res_names_free)
guint vc_res_names_count (const VcResNames *names);
const char *vc_res_names_get (const VcResNames *names, guint dim); /* borrowed */
/** Dimension of @name, or -1. */
int vc_res_names_find (const VcResNames *names, const char *name);
guint vc_res_names_pods (const VcResNames *names); /* dimension of `pods` */
/** "Insufficient <name>", borrowed; the same pointer for the same dimension. */
const char *vc_res_names_insufficient (const VcResNames *names, guint dim);

/** Does a quantity of this name enter a vector as a scalar (01 §1.2 rule 1; also `pods` and ephemeral-storage)? */
gboolean vc_res_is_scalar_name (const char *name);

/* ---- vectors -------------------------------------------------------------------------------- */
typedef struct {
  guint32 n;   /* dimensions */
  guint32 map; /* is there a scalar map (possibly empty)? */
  guint64 has; /* bit d: scalar d is present; bits 0 and 1 are unused (0) */
  double v[];  /* [n] */
} VcRes;

/* Room for any vector, on the stack. A union, as ISO C lets no structure hold one with a flexible array. */
typedef union {
  VcRes r;
  double room[sizeof (VcRes) / sizeof (double) + VC_RES_MAX];
} VcResBuf;
/** An empty vector (all zero, no scalar map) of @n dimensions in @buf. */
VcRes *vc_res_init (VcResBuf *buf, guint n);
#define VC_RES_LOCAL(name, dims) VcResBuf name##_buf; VcRes *name = vc_res_init (&name##_buf, (dims))

VcRes *vc_res_new (guint n);              /* empty, on the heap */
VcRes *vc_res_dup (const VcRes *r);
void vc_res_free (VcRes *r);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcRes, vc_res_free)
gsize vc_res_size (guint n);              /* bytes of a vector of n dimensions, for arrays of them */
void vc_res_clear (VcRes *r);             /* all zero, no map */
void vc_res_copy (VcRes *dst, const VcRes *src);
/** Set one scalar (or cpu, memory): the name becomes present and the map exists. */
void vc_res_set (VcRes *r, guint dim, double value);
static inline double vc_res_get (const VcRes *r, guint dim) { return r->v[dim]; }
static inline gboolean vc_res_has (const VcRes *r, guint dim) { return dim < 2 || ((r->has >> dim) & 1u); }

typedef enum { VC_ABSENT_ZERO, VC_ABSENT_INFINITY } VcAbsent; /* meaning of an absent scalar */

/* arithmetic: in place on the first argument */
void vc_res_add (VcRes *r, const VcRes *o);
/** Subtract; FALSE (and r changed as by vc_res_sub_unchecked) when upstream's assertion `o <= r` fails. */
gboolean vc_res_sub (VcRes *r, const VcRes *o);
/** Subtract, negative results allowed. A receiver without a scalar map loses the scalars of @o (upstream's quirk). */
void vc_res_sub_unchecked (VcRes *r, const VcRes *o);
void vc_res_scale (VcRes *r, double f);
void vc_res_set_max (VcRes *r, const VcRes *o);
void vc_res_fit_delta (VcRes *r, const VcRes *o);
void vc_res_min_dimension (VcRes *r, const VcRes *o, VcAbsent absent);
/* arithmetic: into @out, which may not alias the inputs */
void vc_res_diff (const VcRes *l, const VcRes *r, VcAbsent absent, VcRes *increased, VcRes *decreased);
void vc_res_exceeded (const VcRes *l, const VcRes *r, VcRes *out);          /* ExceededPart, both given */
void vc_res_min (const VcRes *l, const VcRes *r, VcRes *out);               /* helpers.Min */
void vc_res_max (const VcRes *l, const VcRes *r, VcRes *out);               /* helpers.Max */
double vc_share (double l, double r);                                       /* helpers.Share */

/* comparisons (01 §1.4). Name lists are masks of dimensions: bit d; cpu = bit 0, memory = bit 1. */
static inline gboolean vc_le (double a, double b) { return b - a > -VC_RES_EPSILON; }
gboolean vc_res_less (const VcRes *r, const VcRes *o, VcAbsent absent);
gboolean vc_res_less_equal (const VcRes *r, const VcRes *o, VcAbsent absent);
/** LessEqualWithResourcesName; @failing (nullable) gets the lacking dimensions. */
gboolean vc_res_less_equal_names (const VcRes *r, const VcRes *o, VcAbsent absent, guint64 *failing);
/** LessEqualWithDimensionAndResourcesName (FITS of 03 §0.2). @o and @req may be NULL as upstream's. */
gboolean vc_res_less_equal_dimension (const VcRes *r, const VcRes *o, const VcRes *req, const VcResNames *names, guint64 *failing);
gboolean vc_res_less_partly (const VcRes *r, const VcRes *o, VcAbsent absent);
gboolean vc_res_less_equal_partly (const VcRes *r, const VcRes *o, VcAbsent absent);
gboolean vc_res_less_equal_partly_dimension (const VcRes *r, const VcRes *o, const VcRes *req, const VcResNames *names, guint64 *fitting);
gboolean vc_res_less_equal_partly_dimension_filtered (const VcRes *r, const VcRes *o, const VcRes *req, const VcResNames *names, guint64 *fitting);
gboolean vc_res_equal (const VcRes *r, const VcRes *o, VcAbsent absent);    /* Equal, with tolerance */
gboolean vc_res_greater_partly (const VcRes *r, const VcRes *o, VcAbsent absent, guint64 *exceeding);
gboolean vc_res_greater_partly_dimension (const VcRes *r, const VcRes *o, const VcRes *req, const VcResNames *names, guint64 *exceeding);
gboolean vc_res_greater_partly_relevant (const VcRes *r, const VcRes *o, const VcRes *req, const VcResNames *names, guint64 *exceeding);
/** Semantic.DeepEqual: exact numbers; absent differs from present-and-zero; no map equals an empty one. */
gboolean vc_res_same (const VcRes *r, const VcRes *o);
gboolean vc_res_is_empty (const VcRes *r, const VcResNames *names);
/** IsZero; FALSE in @ok (nullable) when upstream's assertion (key present) fails. */
gboolean vc_res_is_zero (const VcRes *r, guint dim, gboolean *ok);
guint64 vc_res_name_mask (const VcRes *r);                                  /* ResourceNames */
guint64 vc_res_intersection (const VcRes *a, const VcRes *b);
guint64 vc_res_intersection_ignored (const VcRes *a, const VcRes *b, const VcResNames *names);

G_END_DECLS
