/* core/base/cel-private.h - between the parts of the evaluator: tree, types, functions. */
#pragma once
#include "cel.h"

/* ---- types ---- */
typedef enum {
  TYPE_DYN, TYPE_ANY /* an attribute: dynamic, but nothing to walk over */, TYPE_NULL, TYPE_BOOL, TYPE_INT, TYPE_UINT, TYPE_DOUBLE,
  TYPE_STRING, TYPE_LIST, TYPE_MAP, TYPE_DEVICE, TYPE_QUANTITY, TYPE_SEMVER, TYPE_OPTIONAL, TYPE_TYPE
} CelTypeKind;
typedef struct CelType CelType;
struct CelType {
  CelTypeKind kind;
  const CelType *elem, *key; /* of a list, optional: elem; of a map both */
};

/* ---- tree ---- */
typedef enum { NODE_CONST, NODE_IDENT, NODE_SELECT, NODE_CALL, NODE_LIST, NODE_MAP, NODE_FOLD, NODE_BIND } CelNodeKind;
typedef enum { FOLD_ALL, FOLD_EXISTS, FOLD_EXISTS_ONE, FOLD_FILTER, FOLD_MAP, FOLD_OPT_MAP, FOLD_OPT_FLAT_MAP } CelFold;
typedef struct CelNode CelNode;
typedef struct CelFunction CelFunction;
struct CelNode {
  CelNodeKind kind;
  guint32 at;           /* byte of the text */
  const char *name;     /* identifier, field, function, variable of a fold or bind */
  CelNode **arg;        /* operand of a select; arguments (the target first); items; keys and values; range, [filter,] step */
  guint n;
  gboolean member;      /* of a call: arg[0] is its target */
  gboolean test, optional; /* of a select: has(); `.?`. An optional index is the call "_[?_]" */
  CelFold fold;
  guint slot;           /* of a variable */
  gboolean is_device;   /* of an identifier */
  VcCelValue value;     /* of a constant */
  const CelFunction *function;
  GRegex *regex;        /* of a call of matches */
  const CelType *type;
};

struct VcCel {
  VcArena *arena;
  const char *text;
  const CelNode *root;
  GPtrArray *regexes;   /* owned */
};
#define CEL_SLOTS 32    /* variables in scope at once */
#define CEL_DEPTH 100   /* nesting of an expression */

/* ---- evaluation ---- */
typedef struct {
  const VcCelDevice *device;
  VcArena *arena;
  VcCelValue slot[CEL_SLOTS];
  guint64 cost;
} CelRun;
#define CEL_COST_LIMIT 1000000u /* CELSelectorExpressionMaxCost; counted in nodes here */

typedef VcCelValue (*CelCallFn) (CelRun *run, const CelNode *node, const VcCelValue *argv, guint n);
struct CelFunction {
  const char *name;      /* operators as cel-go names them, "_+_" */
  gboolean member;
  const char *signature; /* "args:result" of single letters, see cel-check.c */
  CelCallFn call;
};
/* All overloads of one name stand together. */
extern const CelFunction cel_functions[];
extern const guint cel_n_functions;

CelNode *cel_parse (const char *text, VcArena *arena, GError **error);
gboolean cel_check (VcCel *e, CelNode *root, GError **error);
VcCelValue cel_eval (CelRun *run, const CelNode *node);
void cel_refuse (GError **error, VcCelError code, const char *text, guint32 at, const char *format, ...) G_GNUC_PRINTF (5, 6);
VcCelValue cel_fail (CelRun *run, const char *format, ...) G_GNUC_PRINTF (2, 3);
VcCelValue cel_no_overload (void);
/** The same for functions of libraries, whose text names the arguments. */
VcCelValue cel_no_overload_of (CelRun *run, const char *name, const VcCelValue *argv, guint n);
/** Does the function leave its second argument alone when the optional in front has a value? */
gboolean cel_is_lazy (const CelFunction *f);
/* a value's place in a map; NULL: not there */
const VcCelValue *cel_map_find (const VcCelValue *map, const VcCelValue *key);
/** FALSE, also for values of different kinds; numbers compare by value. */
gboolean cel_equal (const VcCelValue *a, const VcCelValue *b);
/** Order of two values that can be ordered. FALSE: they cannot. */
gboolean cel_order (const VcCelValue *a, const VcCelValue *b, int *out);
const char *cel_kind_name (VcCelKind kind);

/* ---- functions ---- */
#define CEL_CALL(name) VcCelValue name (CelRun *run, const CelNode *node, const VcCelValue *a, guint n)
#define CEL_NEED(i, k)                                                                                                                             \
  do {                                                                                                                                             \
    if (a[i].kind != (k))                                                                                                                          \
      return cel_no_overload_of (run, node->name, a, n);                                                                                           \
  } while (0)
CEL_CALL (cel_quantity);
CEL_CALL (cel_is_quantity);
CEL_CALL (cel_quantity_part);
CEL_CALL (cel_quantity_sum);
CEL_CALL (cel_compare);
CEL_CALL (cel_semver);
CEL_CALL (cel_is_semver);
CEL_CALL (cel_version_part);
