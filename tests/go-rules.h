/* tests/go-rules.h - comparisons of the recordings in go-sort.json and go-heap.json.
 *
 * Each comparison goes into a digest, so that a recording also fixes which items Go compares, and
 * in which order: that decides the result when the comparison is no strict order. */
#pragma once
#include <glib.h>
#include <string.h>
#include "suite.h"
G_BEGIN_DECLS

typedef enum {
  GO_LESS,
  GO_GREATER,
  GO_LESS_EQUAL, /* not strict: ties answer yes both ways */
  GO_CYCLIC,     /* not transitive: 0 < 1 < 2 < 0, modulo 3 */
  GO_NOISE,      /* any answer, but the same for the same two items */
  GO_ALWAYS,
  GO_NEVER,
  GO_ADVERSARY, /* fixes the keys as late as it can, which drives quick sorts into bad partitions */
  GO_N_RULES
} GoRule;

static const char *const go_rule_names[GO_N_RULES] = {
  "less", "greater", "less-equal", "cyclic", "noise", "always", "never", "adversary",
};

typedef struct {
  GoRule rule;
  guint32 *key;   /* by item */
  guint64 digest; /* FNV-1a by words */
  /* of the adversary: the key of what is not fixed, the next fixed key, the last item seen */
  guint32 gas, solid, candidate;
} GoOrder;

static inline void
go_digest (guint64 *digest, guint32 word)
{
  *digest = (*digest ^ word) * G_GUINT64_CONSTANT (1099511628211);
}

static inline GoOrder
go_order (const char *rule, guint32 *key, guint32 n)
{
  GoOrder o = { .key = key, .digest = G_GUINT64_CONSTANT (14695981039346656037), .gas = n };

  while (o.rule < GO_N_RULES && strcmp (go_rule_names[o.rule], rule) != 0)
    o.rule++;
  if (o.rule == GO_ADVERSARY)
    for (guint32 i = 0; i < n; i++)
      key[i] = o.gas;
  return o;
}

static inline gboolean
go_adversary (GoOrder *o, guint32 l, guint32 r)
{
  guint32 *key = o->key;

  if (key[l] == o->gas && key[r] == o->gas)
    key[l == o->candidate ? l : r] = o->solid++;
  if (key[l] == o->gas)
    o->candidate = l;
  else if (key[r] == o->gas)
    o->candidate = r;
  return key[l] < key[r];
}

static inline gboolean
go_less (gpointer user, guint32 l, guint32 r)
{
  GoOrder *o = user;
  guint32 a = o->key[l], b = o->key[r];
  guint64 noise = ((guint64) l << 32) | r;

  go_digest (&o->digest, l);
  go_digest (&o->digest, r);
  switch (o->rule) {
  case GO_LESS:
    return a < b;
  case GO_GREATER:
    return a > b;
  case GO_LESS_EQUAL:
    return a <= b;
  case GO_CYCLIC:
    return (b + 3 - a % 3) % 3 == 1;
  case GO_NOISE:
    return suite_random (&noise) & 1;
  case GO_ALWAYS:
    return TRUE;
  case GO_NEVER:
    return FALSE;
  case GO_ADVERSARY:
    return go_adversary (o, l, r);
  case GO_N_RULES:
  default:
    g_assert_not_reached ();
  }
}

G_END_DECLS
