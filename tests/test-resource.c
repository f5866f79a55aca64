/* tests/test-resource.c - resource vectors against recorded results and a naive second version. */
#include "core/base/resource.h"
#include "suite.h"
#include <math.h>
#include <string.h>

/* ---- vectors of the tables ------------------------------------------------------------------ */

typedef struct {
  SuiteDoc *doc;
  VcResNames *names;
  GPtrArray *vector;  /* of VcRes* */
  GPtrArray *request; /* of VcRes*, NULL = none given */
} Table;

static VcRes *
read_vector (const VcResNames *names, SuiteNode *node)
{
  SuiteNode *scalars = suite_get (node, "scalars"), *value;
  const char *name;
  VcRes *r = vc_res_new (vc_res_names_count (names));

  vc_res_set (r, VC_RES_CPU, suite_number (suite_need (node, "cpu")));
  vc_res_set (r, VC_RES_MEMORY, suite_number (suite_need (node, "memory")));
  for (void *at = NULL; (value = suite_next_pair (scalars, &at, &name)) != NULL;) {
    int dim = vc_res_names_find (names, name);

    if (suite_check (dim >= VC_RES_FIRST_SCALAR, "'%s' has a dimension", name))
      vc_res_set (r, (guint) dim, suite_number (value));
  }
  r->map = scalars != NULL;
  return r;
}

static void
free_vector (gpointer r)
{
  vc_res_free (r);
}

static GPtrArray *
read_vectors (const VcResNames *names, SuiteNode *list)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (free_vector);
  SuiteNode *node;

  for (void *at = NULL; (node = suite_next (list, &at)) != NULL;)
    g_ptr_array_add (all, suite_is_null (node) ? NULL : read_vector (names, node));
  return all;
}

static Table
table_open (const char *file)
{
  static const char *const scalars[] = { "nvidia.com/gpu", "hugepages-test", "scalar.test/scalar1",
                                         "ephemeral-storage" };
  Table t = { .doc = suite_load (file) };
  SuiteNode *root = suite_root (t.doc), *requests = suite_get (root, "requests");

  t.names = vc_res_names_new (scalars, G_N_ELEMENTS (scalars), NULL);
  t.vector = read_vectors (t.names, suite_need (root, "vectors"));
  t.request = read_vectors (t.names, requests);
  return t;
}

static void
table_clear (Table *t)
{
  g_ptr_array_unref (t->request);
  g_ptr_array_unref (t->vector);
  vc_res_names_free (t->names);
  fy_document_destroy (t->doc);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Table, table_clear)

/* Exactly the same, map and presence included; absent scalars must be zero inside. */
static gboolean
identical (const VcRes *a, const VcRes *b)
{
  for (guint d = 0; d < a->n; d++)
    if (!vc_res_has (a, d) && a->v[d] != 0)
      return FALSE;
  return vc_res_same (a, b) && !a->map == !b->map;
}

static gboolean
is_vector (const Table *t, const VcRes *r, SuiteNode *expected)
{
  g_autoptr (VcRes) e = read_vector (t->names, expected);

  return identical (r, e);
}

static gboolean
is_mask (const Table *t, guint64 mask, SuiteNode *expected)
{
  SuiteNode *name;
  guint64 want = 0;

  for (void *at = NULL; (name = suite_next (expected, &at)) != NULL;)
    want |= G_GUINT64_CONSTANT (1) << vc_res_names_find (t->names, suite_text (name));
  return mask == want;
}

/* [answer, names] */
static gboolean
is_answer (const Table *t, gboolean answer, guint64 mask, SuiteNode *expected)
{
  return answer == suite_bool (suite_at (expected, 0)) && is_mask (t, mask, suite_at (expected, 1));
}

/* ---- operations on pairs -------------------------------------------------------------------- */

typedef struct {
  const char *name;
  VcAbsent absent;
  /* one of */
  void (*change) (VcRes *r, const VcRes *o);
  void (*change_absent) (VcRes *r, const VcRes *o, VcAbsent absent);
  gboolean (*ask) (const VcRes *r, const VcRes *o, VcAbsent absent);
  gboolean (*ask_names) (const VcRes *r, const VcRes *o, VcAbsent absent, guint64 *mask);
  gboolean (*other) (const Table *t, const VcRes *l, const VcRes *r, VcAbsent absent,
                     SuiteNode *expected);
} PairOp;

static gboolean
other_diff (const Table *t, const VcRes *l, const VcRes *r, VcAbsent absent, SuiteNode *expected)
{
  VC_RES_LOCAL (increased, l->n);
  VC_RES_LOCAL (decreased, l->n);

  vc_res_set (increased, 2, 5); /* results replace what was there */
  vc_res_diff (l, r, absent, increased, decreased);
  return is_vector (t, increased, suite_at (expected, 0))
         && is_vector (t, decreased, suite_at (expected, 1));
}

static gboolean
other_exceeded (const Table *t, const VcRes *l, const VcRes *r, VcAbsent absent,
                SuiteNode *expected)
{
  VC_RES_LOCAL (out, l->n);

  vc_res_set (out, 2, 5);
  vc_res_exceeded (l, r, out);
  return is_vector (t, out, expected);
}

static gboolean
other_intersection (const Table *t, const VcRes *l, const VcRes *r, VcAbsent absent,
                    SuiteNode *expected)
{
  return is_mask (t, vc_res_intersection (l, r), expected);
}

static gboolean
other_intersection_ignored (const Table *t, const VcRes *l, const VcRes *r, VcAbsent absent,
                            SuiteNode *expected)
{
  return is_mask (t, vc_res_intersection_ignored (l, r, t->names), expected);
}

static gboolean
other_sub (const Table *t, const VcRes *l, const VcRes *r, VcAbsent absent, SuiteNode *expected)
{
  g_autoptr (VcRes) out = vc_res_dup (l), unchecked = vc_res_dup (l);
  gboolean ok = vc_res_sub (out, r);

  vc_res_sub_unchecked (unchecked, r);
  if (!identical (out, unchecked))
    return FALSE;
  return ok ? suite_get (expected, "abort") == NULL && is_vector (t, out, expected)
            : suite_get (expected, "abort") != NULL;
}

static const PairOp pair_ops[] = {
  { "add", .change = vc_res_add },
  { "sub", .other = other_sub },
  { "sub_without_assert", .change = vc_res_sub_unchecked },
  { "set_max", .change = vc_res_set_max },
  { "fit_delta", .change = vc_res_fit_delta },
  { "min_dimension_zero", VC_ABSENT_ZERO, .change_absent = vc_res_min_dimension },
  { "min_dimension_inf", VC_ABSENT_INFINITY, .change_absent = vc_res_min_dimension },
  { "diff_zero", VC_ABSENT_ZERO, .other = other_diff },
  { "diff_inf", VC_ABSENT_INFINITY, .other = other_diff },
  { "exceeded_part", .other = other_exceeded },
  { "less_zero", VC_ABSENT_ZERO, .ask = vc_res_less },
  { "less_inf", VC_ABSENT_INFINITY, .ask = vc_res_less },
  { "less_equal_zero", VC_ABSENT_ZERO, .ask = vc_res_less_equal },
  { "less_equal_inf", VC_ABSENT_INFINITY, .ask = vc_res_less_equal },
  { "less_partly_zero", VC_ABSENT_ZERO, .ask = vc_res_less_partly },
  { "less_partly_inf", VC_ABSENT_INFINITY, .ask = vc_res_less_partly },
  { "less_equal_partly_zero", VC_ABSENT_ZERO, .ask = vc_res_less_equal_partly },
  { "less_equal_partly_inf", VC_ABSENT_INFINITY, .ask = vc_res_less_equal_partly },
  { "equal_zero", VC_ABSENT_ZERO, .ask = vc_res_equal },
  { "less_equal_names_zero", VC_ABSENT_ZERO, .ask_names = vc_res_less_equal_names },
  { "less_equal_names_inf", VC_ABSENT_INFINITY, .ask_names = vc_res_less_equal_names },
  { "greater_partly_zero", VC_ABSENT_ZERO, .ask_names = vc_res_greater_partly },
  { "greater_partly_inf", VC_ABSENT_INFINITY, .ask_names = vc_res_greater_partly },
  { "intersection", .other = other_intersection },
  { "intersection_ignored", .other = other_intersection_ignored },
};

static gboolean
pair_holds (const Table *t, const PairOp *op, const VcRes *l, const VcRes *r, SuiteNode *expected)
{
  if (op->change != NULL || op->change_absent != NULL) {
    g_autoptr (VcRes) out = vc_res_dup (l);

    if (op->change != NULL)
      op->change (out, r);
    else
      op->change_absent (out, r, op->absent);
    return is_vector (t, out, expected);
  }
  if (op->ask != NULL)
    return op->ask (l, r, op->absent) == suite_bool (expected);
  if (op->ask_names != NULL) {
    guint64 mask = 0;
    gboolean answer = op->ask_names (l, r, op->absent, &mask);

    return answer == op->ask_names (l, r, op->absent, NULL)
           && is_answer (t, answer, mask, expected);
  }
  return op->other (t, l, r, op->absent, expected);
}

static void
every_recorded_pair_gives_the_recorded_result (void)
{
  g_auto (Table) t = table_open ("resource-pairs.json");
  SuiteNode *pairs = suite_need (suite_root (t.doc), "pairs"), *rows, *row;
  const char *name;
  guint n_ops = 0;

  for (void *at = NULL; (rows = suite_next_pair (pairs, &at, &name)) != NULL; n_ops++) {
    const PairOp *op = NULL;
    guint n = 0;

    for (guint i = 0; i < G_N_ELEMENTS (pair_ops); i++)
      if (strcmp (pair_ops[i].name, name) == 0)
        op = &pair_ops[i];
    if (!suite_check (op != NULL, "operation '%s' is known", name))
      continue;
    for (void *i = NULL; (row = suite_next (rows, &i)) != NULL; n++) {
      guint l = (guint) suite_int (suite_at (row, 0)), r = (guint) suite_int (suite_at (row, 1));

      suite_check (pair_holds (&t, op, t.vector->pdata[l], t.vector->pdata[r], suite_at (row, 2)),
                   "%s of vectors %u and %u", name, l, r);
    }
    suite_check (n == t.vector->len * t.vector->len, "%s: %u rows", name, n);
  }
  CU_ASSERT_EQUAL (n_ops, G_N_ELEMENTS (pair_ops));
}

static void
check_is_zero (const Table *t, const VcRes *r, guint number, SuiteNode *by_name)
{
  SuiteNode *expected;
  const char *name;

  for (void *at = NULL; (expected = suite_next_pair (by_name, &at, &name)) != NULL;) {
    gboolean ok, zero = vc_res_is_zero (r, (guint) vc_res_names_find (t->names, name), &ok);

    suite_check (fy_node_is_mapping (expected) ? !ok : ok && zero == suite_bool (expected),
                 "%s of vector %u is zero", name, number);
  }
}

static void
every_recorded_vector_has_the_recorded_properties (void)
{
  static const struct {
    const char *key;
    double factor;
  } scales[] = { { "multi_0.5", 0.5 }, { "multi_1.2", 1.2 } };
  g_auto (Table) t = table_open ("resource-pairs.json");
  SuiteNode *row;
  guint n = 0;

  for (void *at = NULL;
       (row = suite_next (suite_need (suite_root (t.doc), "single"), &at)) != NULL; n++) {
    guint v = (guint) suite_int (suite_need (row, "v"));
    const VcRes *r = t.vector->pdata[v];

    suite_check (vc_res_is_empty (r, t.names) == suite_bool (suite_need (row, "is_empty")),
                 "vector %u is empty", v);
    suite_check (is_mask (&t, vc_res_name_mask (r), suite_need (row, "names")), "names of %u", v);
    check_is_zero (&t, r, v, suite_need (row, "is_zero"));
    for (guint i = 0; i < G_N_ELEMENTS (scales); i++) {
      g_autoptr (VcRes) scaled = vc_res_dup (r);

      vc_res_scale (scaled, scales[i].factor);
      suite_check (is_vector (&t, scaled, suite_need (row, scales[i].key)), "%s of vector %u",
                   scales[i].key, v);
    }
  }
  CU_ASSERT_EQUAL (n, t.vector->len);
}

/* ---- comparisons restricted to a request ---------------------------------------------------- */

typedef gboolean (*RequestFn) (const VcRes *r, const VcRes *o, const VcRes *req,
                               const VcResNames *names, guint64 *mask);
static const struct {
  const char *name;
  RequestFn fn;
} request_ops[] = {
  { "less_equal_with_dimension", vc_res_less_equal_dimension },
  { "less_equal_partly_with_dimension", vc_res_less_equal_partly_dimension },
  { "less_equal_partly_with_dimension_zero_filtered", vc_res_less_equal_partly_dimension_filtered },
  { "greater_partly_with_dimension", vc_res_greater_partly_dimension },
  { "greater_partly_with_relevant_dimensions", vc_res_greater_partly_relevant },
};

static void
every_recorded_request_gives_the_recorded_answer (void)
{
  g_auto (Table) t = table_open ("resource-requests.json");
  SuiteNode *ops = suite_need (suite_root (t.doc), "rows"), *rows, *row;
  const char *name;
  guint n_ops = 0;

  for (void *at = NULL; (rows = suite_next_pair (ops, &at, &name)) != NULL; n_ops++) {
    RequestFn fn = NULL;
    guint n = 0;

    for (guint i = 0; i < G_N_ELEMENTS (request_ops); i++)
      if (strcmp (request_ops[i].name, name) == 0)
        fn = request_ops[i].fn;
    if (!suite_check (fn != NULL, "operation '%s' is known", name))
      continue;
    for (void *i = NULL; (row = suite_next (rows, &i)) != NULL; n++) {
      guint l = (guint) suite_int (suite_at (row, 0)), r = (guint) suite_int (suite_at (row, 1));
      guint q = (guint) suite_int (suite_at (row, 2));
      guint64 mask = 0;
      gboolean answer = fn (t.vector->pdata[l], t.vector->pdata[r], t.request->pdata[q], t.names,
                            &mask);

      suite_check (is_answer (&t, answer, mask, suite_at (row, 3)),
                   "%s of vectors %u and %u for request %u", name, l, r, q);
    }
    suite_check (n == t.vector->len * t.vector->len * t.request->len, "%s: %u rows", name, n);
  }
  CU_ASSERT_EQUAL (n_ops, G_N_ELEMENTS (request_ops));
}

/* ---- by hand -------------------------------------------------------------------------------- */

static void
vectors_that_are_not_given_count_as_upstream_counts_them (void)
{
  g_autoptr (VcResNames) names = vc_res_names_new (NULL, 0, NULL);
  guint64 mask = 9;
  VC_RES_LOCAL (r, 3);
  VC_RES_LOCAL (req, 3);

  vc_res_set (r, VC_RES_MEMORY, 5);
  vc_res_set (r, 2, 1);
  vc_res_set (req, VC_RES_MEMORY, 1);
  CU_ASSERT_TRUE (vc_res_less_equal_dimension (NULL, r, req, names, &mask) && mask == 0);
  CU_ASSERT_TRUE (!vc_res_less_equal_dimension (r, NULL, req, names, &mask) && mask == 6);
  vc_res_clear (r);
  CU_ASSERT_TRUE (!vc_res_less_equal_dimension (r, NULL, NULL, names, &mask) && mask == 0);
  vc_res_set (r, VC_RES_MEMORY, 5);
  CU_ASSERT_TRUE (vc_res_greater_partly_dimension (r, NULL, req, names, &mask) && mask == 2);
  CU_ASSERT_TRUE (!vc_res_greater_partly_relevant (r, NULL, req, names, &mask) && mask == 0);
}

/* Scalars that only the right side has are not examined, also when they are below zero there. */
static void
a_negative_scalar_of_the_right_side_alone_hinders_nothing (void)
{
  guint64 mask;
  VC_RES_LOCAL (l, 4);
  VC_RES_LOCAL (r, 4);

  vc_res_set (r, 3, -5);
  vc_res_set (r, VC_RES_CPU, 1);
  vc_res_set (r, VC_RES_MEMORY, 1);
  CU_ASSERT_TRUE (vc_res_less_equal (l, r, VC_ABSENT_ZERO));
  CU_ASSERT_TRUE (vc_res_less (l, r, VC_ABSENT_ZERO));
  CU_ASSERT_TRUE (vc_res_less_equal_names (l, r, VC_ABSENT_ZERO, &mask));
  CU_ASSERT_FALSE (vc_res_less_equal (l, r, VC_ABSENT_INFINITY));
  vc_res_set (l, 3, 0);
  CU_ASSERT_FALSE (vc_res_less_equal (l, r, VC_ABSENT_ZERO));
}

static void
min_max_and_share_follow_the_helpers (void)
{
  VC_RES_LOCAL (l, 5);
  VC_RES_LOCAL (r, 5);
  VC_RES_LOCAL (out, 5);

  vc_res_set (l, VC_RES_CPU, 4);
  vc_res_set (r, VC_RES_CPU, 3);
  vc_res_set (l, VC_RES_MEMORY, -4);
  vc_res_set (l, 2, 7);
  vc_res_min (l, r, out); /* r has no map: no scalars */
  CU_ASSERT_TRUE (out->v[0] == 3 && out->v[1] == -4 && out->v[2] == 0);
  CU_ASSERT_TRUE (!out->map && out->has == 0);
  vc_res_max (l, r, out);
  CU_ASSERT_TRUE (out->v[0] == 4 && out->v[1] == 0 && out->map && out->has == 4 && out->v[2] == 7);
  vc_res_set (r, 3, 2);
  vc_res_set (r, 4, -2);
  vc_res_min (l, r, out); /* names of l only; absent in r is zero */
  CU_ASSERT_TRUE (out->map && out->has == 4 && out->v[2] == 0 && out->v[3] == 0);
  vc_res_set (l, 3, -9);
  vc_res_set (l, 4, -1);
  vc_res_max (l, r, out); /* negative ones drop out */
  CU_ASSERT_TRUE (out->has == (4 | 8) && out->v[2] == 7 && out->v[3] == 2 && out->v[4] == 0);

  CU_ASSERT_EQUAL (vc_share (0, 0), 0);
  CU_ASSERT_EQUAL (vc_share (3, 0), 1);
  CU_ASSERT_EQUAL (vc_share (3, 4), 0.75);
  CU_ASSERT_EQUAL (vc_share (0, 4), 0);
}

static void
sameness_tells_absent_from_zero_but_not_no_map_from_an_empty_one (void)
{
  VC_RES_LOCAL (l, 4);
  VC_RES_LOCAL (r, 4);

  r->map = TRUE;
  CU_ASSERT_TRUE (vc_res_same (l, r));
  vc_res_set (r, 2, 0);
  CU_ASSERT_FALSE (vc_res_same (l, r));
  vc_res_set (l, 2, 0);
  CU_ASSERT_TRUE (vc_res_same (l, r));
  vc_res_set (l, VC_RES_CPU, 0.001);
  CU_ASSERT_FALSE (vc_res_same (l, r));
  CU_ASSERT_TRUE (vc_res_equal (l, r, VC_ABSENT_ZERO));
  vc_res_copy (r, l);
  CU_ASSERT_TRUE (vc_res_same (l, r));
}

static void
names_are_sorted_and_unique (void)
{
  static const char *const scalars[] = { "zz/z", "aa/b", "pods", "aa/b", "memory", "Z/z" };
  static const char *const sorted[] = { "cpu", "memory", "Z/z", "aa/b", "pods", "zz/z" };
  g_autoptr (VcResNames) names = vc_res_names_new (scalars, G_N_ELEMENTS (scalars), NULL);

  CU_ASSERT_EQUAL_FATAL (vc_res_names_count (names), G_N_ELEMENTS (sorted));
  for (guint d = 0; d < G_N_ELEMENTS (sorted); d++) {
    CU_ASSERT_STRING_EQUAL (vc_res_names_get (names, d), sorted[d]);
    CU_ASSERT_EQUAL (vc_res_names_find (names, sorted[d]), (int) d);
  }
  CU_ASSERT_EQUAL (vc_res_names_find (names, "aa"), -1);
  CU_ASSERT_EQUAL (vc_res_names_pods (names), 4);
  CU_ASSERT_STRING_EQUAL (vc_res_names_insufficient (names, 1), "Insufficient memory");
  CU_ASSERT_STRING_EQUAL (vc_res_names_insufficient (names, 3), "Insufficient aa/b");
}

static void
a_run_has_at_most_64_dimensions (void)
{
  g_autoptr (GPtrArray) scalars = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (VcResNames) most = NULL, more = NULL;
  g_autoptr (GError) error = NULL;
  VC_RES_LOCAL (l, VC_RES_MAX);
  VC_RES_LOCAL (r, VC_RES_MAX);

  for (guint i = 0; i < VC_RES_MAX - 2; i++)
    g_ptr_array_add (scalars, g_strdup_printf ("example.com/x%u", i));
  /* cpu, memory and pods leave room for 61 */
  most = vc_res_names_new ((const char *const *) scalars->pdata, VC_RES_MAX - 3, &error);
  CU_ASSERT_TRUE (most != NULL && error == NULL && vc_res_names_count (most) == VC_RES_MAX);
  more = vc_res_names_new ((const char *const *) scalars->pdata, VC_RES_MAX - 2, &error);
  CU_ASSERT_TRUE (more == NULL && g_error_matches (error, VC_RES_ERROR, VC_RES_ERROR_TOO_MANY));

  vc_res_set (l, VC_RES_MAX - 1, 2); /* the last bit works like any other */
  vc_res_set (r, VC_RES_MAX - 1, 1);
  CU_ASSERT_FALSE (vc_res_less_equal (l, r, VC_ABSENT_ZERO));
  CU_ASSERT_TRUE (vc_res_less_equal (r, l, VC_ABSENT_ZERO));
  CU_ASSERT_EQUAL (vc_res_intersection (l, r), G_GUINT64_CONSTANT (1) << 63);
}

static void
every_recorded_name_is_a_scalar_or_not_as_recorded (void)
{
  g_autoptr (SuiteDoc) doc = suite_load ("resource-names.json");
  SuiteNode *rows = suite_need (suite_root (doc), "rows"), *row;
  guint n = 0;

  for (void *at = NULL; (row = suite_next (rows, &at)) != NULL; n++) {
    const char *name = suite_text (suite_need (row, "name"));
    SuiteNode *vector = suite_need (row, "vector"), *scalars = suite_get (vector, "scalars");

    suite_check (vc_res_is_scalar_name (name) == (scalars != NULL), "'%s'", name);
    if (scalars != NULL)
      suite_check (suite_number (suite_need (scalars, name))
                     == (strcmp (name, "pods") == 0 ? 3 : 3000),
                   "'%s' counts whole units or thousandths", name);
  }
  suite_check (n >= 28, "%u rows", n);
}

static void
domains_and_names_have_their_greatest_length (void)
{
  g_autofree char *label = g_strnfill (63, 'a');
  g_autofree char *long_label = g_strnfill (64, 'a');
  g_autofree char *domain = g_strnfill (244, 'd');
  g_autofree char *fits = g_strdup_printf ("%s/%s", domain, label);
  g_autofree char *long_name = g_strdup_printf ("d/%s", long_label);
  g_autofree char *long_domain = g_strdup_printf ("d%s/a", domain);

  CU_ASSERT_TRUE (vc_res_is_scalar_name (fits));
  CU_ASSERT_FALSE (vc_res_is_scalar_name (long_name));
  CU_ASSERT_FALSE (vc_res_is_scalar_name (long_domain));
  CU_ASSERT_FALSE (vc_res_is_scalar_name ("a/b/c"));
  CU_ASSERT_FALSE (vc_res_is_scalar_name ("a..b/c"));
  CU_ASSERT_FALSE (vc_res_is_scalar_name ("a.b-/c"));
  CU_ASSERT_FALSE (vc_res_is_scalar_name ("a_b/c"));
  CU_ASSERT_FALSE (vc_res_is_scalar_name ("a/_c"));
  CU_ASSERT_FALSE (vc_res_is_scalar_name ("a/c d"));
  CU_ASSERT_FALSE (vc_res_is_scalar_name (""));
  CU_ASSERT_TRUE (vc_res_is_scalar_name ("a.0-b/C_d.e-F"));
  CU_ASSERT_TRUE (vc_res_is_scalar_name ("requests.kubernetes.io/anything at all"));
}

/* ---- against a naive version that asks for presence at every step --------------------------- */

enum { N_DIMS = 7 };

static double
draw_value (guint64 *state)
{
  static const double values[] = { 0, 0, 0.05, 0.1, 1, 1.05, 1.1, 2, 3, -1, -0.05, 5e15 };

  return values[suite_random (state) % G_N_ELEMENTS (values)];
}

static void
draw_vector (VcRes *r, guint64 *state)
{
  vc_res_clear (r);
  r->map = suite_random (state) % 4 != 0;
  for (guint d = 0; d < r->n; d++)
    if (d < VC_RES_FIRST_SCALAR || (r->map && suite_random (state) % 2 == 0))
      vc_res_set (r, d, draw_value (state));
}

static gboolean
naive_le (double a, double b)
{
  return a < b || fabs (a - b) < 0.1;
}

static gboolean
naive_less_equal (const VcRes *r, const VcRes *o, VcAbsent absent)
{
  for (guint d = 0; d < r->n; d++) {
    if (vc_res_has (r, d)) {
      if (!vc_res_has (o, d) && absent == VC_ABSENT_INFINITY)
        continue;
      if (!naive_le (r->v[d], vc_res_has (o, d) ? o->v[d] : 0))
        return FALSE;
    } else if (absent == VC_ABSENT_INFINITY && vc_res_has (o, d)) {
      return FALSE;
    }
  }
  return TRUE;
}

static void
naive_add (VcRes *r, const VcRes *o, double sign)
{
  for (guint d = 0; d < o->n; d++)
    if (vc_res_has (o, d) && (d < VC_RES_FIRST_SCALAR || r->map || sign > 0))
      vc_res_set (r, d, (vc_res_has (r, d) ? r->v[d] : 0) + sign * o->v[d]);
}

static void
plain_loops_agree_with_the_naive_version (void)
{
  const guint64 seed = 20260801;
  guint64 state = seed;
  VC_RES_LOCAL (l, N_DIMS);
  VC_RES_LOCAL (r, N_DIMS);
  VC_RES_LOCAL (fast, N_DIMS);
  VC_RES_LOCAL (slow, N_DIMS);

  for (guint i = 0; i < 100000; i++) {
    gboolean good;

    draw_vector (l, &state);
    draw_vector (r, &state);
    good = vc_res_less_equal (l, r, VC_ABSENT_ZERO) == naive_less_equal (l, r, VC_ABSENT_ZERO)
           && vc_res_less_equal (l, r, VC_ABSENT_INFINITY)
                == naive_less_equal (l, r, VC_ABSENT_INFINITY);
    vc_res_copy (fast, l);
    vc_res_copy (slow, l);
    vc_res_add (fast, r);
    naive_add (slow, r, 1);
    good = good && identical (fast, slow);
    vc_res_copy (fast, l);
    vc_res_copy (slow, l);
    good = good && vc_res_sub (fast, r) == naive_less_equal (r, l, VC_ABSENT_ZERO);
    naive_add (slow, r, -1);
    good = good && identical (fast, slow);
    suite_check (good, "seed %" G_GUINT64_FORMAT ", round %u", seed, i);
  }
}

static CU_TestInfo tests[] = {
  { "every recorded pair gives the recorded result",
    every_recorded_pair_gives_the_recorded_result },
  { "every recorded vector has the recorded properties",
    every_recorded_vector_has_the_recorded_properties },
  { "every recorded request gives the recorded answer",
    every_recorded_request_gives_the_recorded_answer },
  { "every recorded name is a scalar or not as recorded",
    every_recorded_name_is_a_scalar_or_not_as_recorded },
  { "domains and names have their greatest length", domains_and_names_have_their_greatest_length },
  { "vectors that are not given count as upstream counts them",
    vectors_that_are_not_given_count_as_upstream_counts_them },
  { "a negative scalar of the right side alone hinders nothing",
    a_negative_scalar_of_the_right_side_alone_hinders_nothing },
  { "min, max and share follow the helpers", min_max_and_share_follow_the_helpers },
  { "sameness tells absent from zero but not no map from an empty one",
    sameness_tells_absent_from_zero_but_not_no_map_from_an_empty_one },
  { "names are sorted and unique", names_are_sorted_and_unique },
  { "a run has at most 64 dimensions", a_run_has_at_most_64_dimensions },
  { "plain loops agree with the naive version", plain_loops_agree_with_the_naive_version },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("resource", tests);
}
