/* tests/test-cel.c - expressions about a device: what they give, and the texts of what goes wrong.
 *
 * The answers, and the texts of failures, are those of the evaluator that Kubernetes uses (cel-go with Kubernetes' libraries), asked about a
 * device of driver `a` that may be shared, with attributes b = true, s = "abc", v = version 1.2.3, x = 1 and o.com/y = 5, and capacity
 * memory = 80Gi and n.com/cores = 500m. Where an expression does not compile, the text is volsim's own. */
#include "core/base/cel.h"
#include "suite.h"
#include <string.h>

typedef struct { const char *expression, *text; } Text;

static const char *const holds[] = {
  "device.attributes[\"a\"].x < 2",
  "device.attributes[\"a\"].x + 1 == 2",
  "device.attributes[\"a\"].s.startsWith(\"a\")",
  "has(device.attributes.zz)",
  "has(device.attributes.a)",
  "device.attributes[?\"zz\"].hasValue()",
  "device.attributes[\"a\"].?x.orValue(7) == 1",
  "device.attributes[\"a\"].?nope.orValue(7) == 7",
  "device.attributes[\"zz\"].?nope.orValue(7) == 7",
  "device.capacity[\"a\"].memory.compareTo(quantity(\"80Gi\")) >= 0",
  "device.capacity[\"a\"].memory == quantity(\"80Gi\")",
  "device.capacity[\"a\"].memory.isGreaterThan(quantity(\"1\"))",
  "device.capacity[\"n.com\"].cores.asApproximateFloat() == 0.5",
  "device.capacity[\"n.com\"].cores.add(1) == quantity(\"1500m\")",
  "quantity(\"1e3\") == quantity(\"1k\")",
  "isQuantity(\"1Gi\") && !isQuantity(\"1GiB\")",
  "device.attributes[\"a\"].v.isLessThan(semver(\"2.0.0\"))",
  "device.attributes[\"a\"].v.compareTo(semver(\"1.2.3\")) == 0",
  "device.attributes[\"a\"].v == semver(\"1.2.3\")",
  "device.attributes[\"a\"].v.major() == 1",
  "semver(\"v1.0\", true).major() == 1",
  "semver(\"01.2.3\", true).minor() == 2",
  "isSemver(\"1.2.3-alpha.1+b.2\") && !isSemver(\"1.2\")",
  "isSemver(\"v1\", true)",
  "semver(\"1.0.0-alpha\").isLessThan(semver(\"1.0.0\")) && semver(\"1.0.0-alpha\").isLessThan(semver(\"1.0.0-alpha.1\")) && semver(\"1.0.0-2\").isLessThan(semver(\"1.0.0-11\")) && semver(\"1.0.0-11\").isLessThan(semver(\"1.0.0-a\"))",
  "device.allowMultipleAllocations",
  "device.attributes[\"a\"].b",
  "device.attributes[\"a\"].x == 1 || device.attributes[\"a\"].nope == 2",
  "device.attributes[\"a\"].nope == 2 || device.attributes[\"a\"].x == 1",
  "device.attributes[\"a\"].s in [\"abc\", \"def\"]",
  "device.attributes[\"a\"].x in [1, 2]",
  "type(device.attributes[\"a\"].x) == int",
  "type(device.attributes[\"a\"].s) == string && type(device.attributes[\"a\"].b) == bool",
  "device.attributes.exists(d, d == \"o.com\")",
  "device.attributes[\"a\"].exists(k, k == \"x\")",
  "device.attributes.all(d, device.attributes[d].size() > 0)",
  "device.attributes[\"a\"].map(k, k).size() == 4",
  "device.attributes[\"a\"].filter(k, k > \"b\").size() == 3",
  "device.attributes[\"a\"].exists_one(k, k == \"x\")",
  "cel.bind(d, device.attributes[\"a\"], d.x == 1 && d.s == \"abc\")",
  "cel.bind(d, device.attributes[\"a\"].nope, true)",
  "device.attributes[\"a\"].s.matches(\"^a.c$\")",
  "device.attributes[\"a\"].s.matches(\"[[:alpha:]]{3}\")",
  "device.attributes[\"a\"].s.matches(\"b\")",
  "matches(device.attributes[\"a\"].s, \"^[a-c]+$\")",
  "device.attributes[\"a\"].x == 1.0",
  "1 < 1.5",
  "1u < 2",
  "dyn(1) == 1.0",
  "device.attributes[\"a\"].b ? true : false",
  "device.attributes[\"a\"].s.lowerAscii() == \"abc\"",
  "device.attributes[\"a\"].s.upperAscii() == \"ABC\"",
  "device.attributes[\"a\"].s.split(\"b\") == [\"a\", \"c\"]",
  "device.attributes[\"a\"].s.split(\"\") == [\"a\", \"b\", \"c\"]",
  "device.attributes[\"a\"].s.split(\"b\", 1) == [\"abc\"]",
  "\"a,b,c\".split(\",\", 2) == [\"a\", \"b,c\"]",
  "\"a,b,c\".split(\",\", 0) == []",
  "\"\".split(\",\") == [\"\"]",
  "\"\".split(\"\") == []",
  "\"abc\".split(\"\", 2) == [\"a\", \"bc\"]",
  "device.attributes[\"a\"].s.substring(1) == \"bc\"",
  "device.attributes[\"a\"].s.substring(0, 2) == \"ab\"",
  "int(\"12\") == 12",
  "int(\"-12\") == -12",
  "uint(\"12\") == 12u",
  "int(1.9) == 1",
  "double(\"1.5\") == 1.5",
  "string(device.attributes[\"a\"].x) == \"1\"",
  "string(true) == \"true\"",
  "bool(\"True\")",
  "[1,2][1] == 2",
  "{\"a\": 1} == {\"a\": 1}",
  "{1: \"a\"}[1] == \"a\"",
  "-9223372036854775808 == -9223372036854775808",
  "0x10 == 16",
  "sets.contains([1,2],[1])",
  "sets.equivalent([1,2],[2,1,1])",
  "device.attributes.a.x == 1",
  "device.attributes[\"a\"].s.size() == 3",
  "size(device.attributes[\"a\"]) == 4",
  "device.attributes[\"a\"].s.contains(\"b\")",
  "null == null",
  "true",
  "1 + 1 == 2 ? true : false",
  "[1, 2, 3].all(x, x > 0) && [1, 2, 3].exists(x, x == 2)",
  "[1, 2].map(x, x * 2) == [2, 4]",
  "[1, 2, 3].map(x, x > 1, x * 2) == [4, 6]",
  "\"abc\".charAt(1) == \"b\"",
  "\"abc\".charAt(3) == \"\"",
  "\"abcabc\".indexOf(\"c\") == 2",
  "\"abcabc\".indexOf(\"c\", 3) == 5",
  "\"abcabc\".lastIndexOf(\"c\") == 5",
  "\"abcabc\".lastIndexOf(\"c\", 3) == 2",
  "\"abc\".replace(\"b\", \"x\") == \"axc\"",
  "\"aaa\".replace(\"a\", \"b\", 2) == \"bba\"",
  "\"abc\".replace(\"\", \"-\") == \"-a-b-c-\"",
  "[\"a\", \"b\"].join() == \"ab\"",
  "[\"a\", \"b\"].join(\",\") == \"a,b\"",
  "\"  a \".trim() == \"a\"",
  "r\"\\d\" == \"\\\\d\"",
  "'''a'b''' == \"a'b\"",
  "\"\\x41\\u0042\\103\" == \"ABC\"",
  "optional.of(1).value() == 1",
  "optional.of(1).or(optional.of(2)).value() == 1",
  "device.attributes[\"a\"].?x.optMap(v, v + 1).orValue(0) == 2",
  "device.attributes[?\"a\"].?x == optional.of(1)",
  "has(device.attributes[\"a\"].x) && device.attributes[\"a\"].x == 1",
  "has(device.attributes)",
  "[1, 2].exists(x, x / 0 == 1 || x == 2)",
  "[0, 1].exists(x, 1 / x == 1)",
  "!!true",
  "- -1 == 1",
  "--1 == 1",
  "-device.attributes[\"a\"].x == -1",
  "1 - -1 == 2",
  "device.attributes[\"a\"].x != 2",
  "device.driver == \"a\" && device.attributes[\"a\"].x >= 1",
  "device.driver.startsWith(\"a\")",
  "true // comment",
  "device.attributes[\"a\"][\"x\"] == 1",
  "(device.attributes[\"a\"].x == 1)",
  "device.attributes[\"a\"].x in {1: 2}",
  "\"a\" in [\"a\"]",
  "device.attributes[\"a\"].b == true",
  "device.attributes[\"a\"].s + \"d\" == \"abcd\"",
  "device.attributes[\"a\"].s.size() > 2 && device.attributes[\"a\"].s.size() < 4",
  "[] == []",
  "[1] + [2] == [1, 2]",
  "{}.size() == 0",
  "\"é\".size() == 1",
  "\"éa\".indexOf(\"a\") == 1",
  "1.5e3 == 1500.0",
  ".5 < 1.0",
  "1 == 1 == true",
  "device.attributes[\"a\"].all(k, has(device.attributes[\"a\"].x))",
  "quantity(\"10\").sub(quantity(\"3\")).asInteger() == 7",
  "device.capacity[\"a\"].memory.asInteger() == 85899345920",
  "device.capacity[\"a\"].memory.add(device.attributes[\"a\"].x).isGreaterThan(device.capacity[\"a\"].memory)",
  "cel.bind(x, 1, x) == 1",
  "cel.bind(x, 1, cel.bind(y, 2, x + y)) == 3",
};
static const char *const fails_to_hold[] = {
  "\"zz\" in device.attributes",
  "has(device.attributes[\"zz\"].nope)",
  "device.capacity[\"n.com\"].cores.isInteger()",
  "device.attributes[\"a\"].nope == 2 && device.attributes[\"a\"].x == 2",
  "device.attributes[\"a\"].x in [\"1\"]",
  "device.attributes[\"a\"].x in device.attributes",
  "device.attributes[\"a\"].x == \"1\"",
  "!device.attributes[\"a\"].b",
  "{\"a\": 1, \"a\": 2}.a == 1",
  "sets.intersects([1,2],[3])",
  "device.attributes[\"a\"].s == null",
  "optional.none().hasValue()",
  "optional.ofNonZeroValue(0).hasValue()",
  "[0, 1].all(x, 1 / x == 5)",
  "dyn([1]) == dyn([\"a\"])",
  "type(1) == type(2u)",
  "quantity(\"1.5\").add(quantity(\"500m\")).isInteger()",
};
static const Text failures[] = {
  { "device.attributes[\"a\"].x[0] == 1", "no such key: 0" },
  { "device.attributes[\"a\"].x.y == 1", "no such key: y" },
  { "device.attributes[\"a\"].x < \"2\"", "no such overload" },
  { "device.attributes[\"a\"].x + \"a\" == \"b\"", "no such overload" },
  { "device.attributes[\"a\"].x.startsWith(\"a\")", "no such overload" },
  { "device.attributes[\"a\"].nope == 1", "no such key: nope" },
  { "device.attributes[\"zz\"].nope == 1", "no such key: nope" },
  { "device.capacity[\"n.com\"].cores.asInteger() == 1", "cannot convert value to integer" },
  { "quantity(\"abc\") == quantity(\"1\")", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'" },
  { "quantity(\"\") == quantity(\"1\")", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'" },
  { "device.attributes[\"a\"].v == \"1.2.3\"", "no such overload" },
  { "semver(\"1.0\").major() == 1", "No Major.Minor.Patch elements found" },
  { "semver(\"v1.0.0\").major() == 1", "Invalid character(s) found in major number \"v1\"" },
  { "semver(\"1.2.3-01\", true).minor() == 2", "Numeric PreRelease version must not contain leading zeroes \"01\"" },
  { "semver(\"1.2.3.4\", true).minor() == 2", "Invalid character(s) found in patch number \"3.4\"" },
  { "device.attributes[\"a\"].x", "CEL result of type int could not be converted to bool: unsupported type conversion from 'int' to bool" },
  { "device.attributes[\"a\"].s", "CEL result of type string could not be converted to bool: unsupported native conversion from string to 'bool'" },
  { "device.attributes[\"a\"].v", "CEL result of type kubernetes.Semver could not be converted to bool: type conversion error from 'Semver' to 'bool'" },
  { "device.attributes[\"a\"].x / 0 == 1", "division by zero" },
  { "1 / 0 == 1", "division by zero" },
  { "1 % 0 == 1", "modulus by zero" },
  { "device.attributes[\"a\"].nope == 2 && device.attributes[\"a\"].x == 1", "no such key: nope" },
  { "device.attributes[\"a\"].x && device.attributes[\"a\"].nope == 2", "no such overload" },
  { "device.attributes[\"a\"].nope == 2 && device.attributes[\"a\"].x", "no such key: nope" },
  { "device.attributes[\"a\"].s > 5", "no such overload" },
  { "!device.attributes[\"a\"].x", "no such overload" },
  { "device.attributes[\"a\"].x && true", "no such overload" },
  { "device.attributes[\"a\"].x ? true : false", "no such overload" },
  { "device.attributes[\"a\"].s.substring(5) == \"bc\"", "index out of range: 5" },
  { "device.attributes[\"a\"].s.substring(2, 1) == \"bc\"", "invalid substring range. start: 2, end: 1" },
  { "int(device.attributes[\"a\"].s) == 3", "type conversion error from 'string' to 'int'" },
  { "device.attributes[\"a\"].s[0] == \"a\"", "no such key: 0" },
  { "[1,2][5] == 1", "index out of bounds: 5" },
  { "{\"a\": 1}[\"b\"] == 1", "no such key: b" },
  { "{\"a\": 1}.b == 1", "no such key: b" },
  { "9223372036854775807 + 1 == 1", "integer overflow" },
  { "-9223372036854775808 - 1 == 1", "integer overflow" },
  { "device.capacity[\"zz\"].memory == quantity(\"1\")", "no such key: memory" },
  { "\"abc\".charAt(4) == \"\"", "index out of range: 4" },
  { "optional.none().value() == 1", "optional.none() dereference" },
  { "[1, 2].all(x, x / 0 == 1)", "division by zero" },
  { "dyn(\"a\") < dyn(1)", "no such overload" },
  { "device.capacity[\"n.com\"].cores.isLessThan(device.attributes[\"a\"].x)", "no such overload: isLessThan(kubernetes.Quantity, int)" },
};
static const Text malformed[] = {
  { "device.attributes[\"a\"].x.exists(y, y == 1)", "column 24: expression of type 'any' cannot be range of a comprehension (must be list, map, or dynamic)" },
  { "device.capacity[\"a\"].memory > quantity(\"1\")", "column 29: found no matching overload for '_>_' applied to '(kubernetes.Quantity, kubernetes.Quantity)'" },
  { "device.foo", "column 8: undefined field 'foo'" },
  { "device.driver", "column 8: must evaluate to bool or the unknown type, not string" },
  { "[1, \"a\"].size() == 2", "column 5: expected type 'int' but found 'string'" },
  { "1 == 1.0", "column 3: found no matching overload for '_==_' applied to '(int, double)'" },
  { "\"a\" + 1 == \"b\"", "column 5: found no matching overload for '_+_' applied to '(string, int)'" },
  { "foo == 1", "column 1: undeclared reference to 'foo'" },
  { "9223372036854775808 == 1", "column 1: a number out of range" },
  { "device.attributes[\"a\"].s.foo()", "column 26: undeclared reference to 'foo'" },
  { "device.attributes[\"a\"].v > semver(\"1.0.0\")", "column 26: found no matching overload for '_>_' applied to '(any, kubernetes.Semver)'" },
  { "\"\" ", "column 1: must evaluate to bool or the unknown type, not string" },
  { "has(device)", "column 1: has() wants the selection of a field" },
  { "has(device.nope)", "column 12: undefined field 'nope'" },
  { "device.driver < 5", "column 15: found no matching overload for '_<_' applied to '(string, int)'" },
  { "// comment", "column 11: expected an expression" },
  { "device[\"driver\"] == \"a\"", "column 7: found no matching overload for '_[_]' applied to '(kubernetes.DRADevice, string)'" },
  { "if == 1", "column 1: a reserved word as a name" },
  { "1 in [1.0]", "column 3: found no matching overload for '@in' applied to '(int, list(double))'" },
  { "1. == 1", "column 4: expected the name of a field or function" },
  { "\"a", "column 1: a string without its closing quote" },
  { "\"unterminated", "column 1: a string without its closing quote" },
  { "device.attributes[\"a\"].x == 1 &&", "column 33: expected an expression" },
  { "a.b.c", "column 1: undeclared reference to 'a'" },
  { "quantity(\"1\").sign() == 1", "column 15: found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'" },
  { "device.capacity[\"a\"].memory >= 1", "column 29: found no matching overload for '_>=_' applied to '(kubernetes.Quantity, int)'" },
  { "device.attributes[\"a\"].x.compareTo(1) == 0", "column 26: found no matching overload for 'compareTo' applied to 'any.(int)'" },
};
static const Text unsupported[] = {
  { "device.attributes[\"a\"].s.matches(\"a**\")", "column 34: a repetition of a repetition in a regular expression is not implemented yet" },
  { "timestamp(\"2020-01-01T00:00:00Z\") == timestamp(\"2020-01-01T00:00:00Z\")", "column 1: the function timestamp() is not implemented yet" },
  { "duration(\"1s\") == duration(\"1s\")", "column 1: the function duration() is not implemented yet" },
  { "[1,2].sum() == 3", "column 7: the function sum() is not implemented yet" },
  { "\"%d\".format([1]) == \"1\"", "column 6: the function format() is not implemented yet" },
};

/* Texts of one domain or of the device's maps, ascending. */
static VcCelValue
map_of (const VcCelEntry *entry, guint n)
{
  return (VcCelValue){ .kind = VC_CEL_MAP, .n = n, .v.entry = entry };
}

/* Evaluates about the device of the head comment; "true", "false" or the text of what went wrong. */
static char *
ask (const char *expression)
{
  g_autoptr (VcArena) arena = vc_arena_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (VcCel) cel = vc_cel_compile (expression, &error);
  const char *failure = NULL;
  VcCelQuantity memory, cores;
  VcSemver version;

  if (cel == NULL)
    return g_strdup (error->message);
  suite_check (vc_cel_quantity_parse ("80Gi", &memory) && vc_cel_quantity_parse ("500m", &cores) && vc_semver_parse ("1.2.3", arena, &version), "values are read");
  const VcCelEntry own[] = { { vc_cel_string ("b"), vc_cel_bool (TRUE) },
                             { vc_cel_string ("s"), vc_cel_string ("abc") },
                             { vc_cel_string ("v"), { .kind = VC_CEL_SEMVER, .v.semver = &version } },
                             { vc_cel_string ("x"), vc_cel_int (1) } };
  const VcCelEntry other[] = { { vc_cel_string ("y"), vc_cel_int (5) } };
  const VcCelEntry attributes[] = { { vc_cel_string ("a"), map_of (own, 4) }, { vc_cel_string ("o.com"), map_of (other, 1) } };
  const VcCelEntry size[] = { { vc_cel_string ("memory"), { .kind = VC_CEL_QUANTITY, .v.quantity = &memory } } };
  const VcCelEntry share[] = { { vc_cel_string ("cores"), { .kind = VC_CEL_QUANTITY, .v.quantity = &cores } } };
  const VcCelEntry capacity[] = { { vc_cel_string ("a"), map_of (size, 1) }, { vc_cel_string ("n.com"), map_of (share, 1) } };
  const VcCelDevice device = { "a", TRUE, map_of (attributes, 2), map_of (capacity, 2) };
  gboolean match = vc_cel_matches (cel, &device, arena, &failure);
  return g_strdup (failure != NULL ? failure : match ? "true" : "false");
}

static void
expect (const char *expression, const char *text)
{
  g_autofree char *got = ask (expression);

  suite_check (strcmp (got, text) == 0, "%s: %s, expected %s", expression, got, text);
}

static void
expect_all (const Text *list, guint n)
{
  for (guint i = 0; i < n; i++)
    expect (list[i].expression, list[i].text);
}

static void
devices_match_what_holds_of_them (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (holds); i++)
    expect (holds[i], "true");
  for (guint i = 0; i < G_N_ELEMENTS (fails_to_hold); i++)
    expect (fails_to_hold[i], "false");
}

static void
failures_have_the_texts_of_upstream (void)
{
  expect_all (failures, G_N_ELEMENTS (failures));
}

static void
malformed_expressions_are_refused_with_their_place (void)
{
  expect_all (malformed, G_N_ELEMENTS (malformed));
}

static void
what_is_not_understood_is_named (void)
{
  expect_all (unsupported, G_N_ELEMENTS (unsupported));
}

static void
depth_and_work_have_limits (void)
{
  g_autoptr (GString) deep = g_string_new (NULL), long_list = g_string_new ("[1");
  g_autofree char *text = NULL, *slow = NULL;

  for (guint i = 0; i < 5000; i++)
    g_string_append_c (deep, '(');
  text = ask (deep->str);
  suite_check (strstr (text, "nest") != NULL, "%s", text);
  for (guint i = 1; i < 200; i++)
    g_string_append (long_list, ",1");
  g_string_append_c (long_list, ']');
  slow = g_strdup_printf ("%s.all(x, %s.all(y, %s.all(z, x == y && y == z)))", long_list->str, long_list->str, long_list->str);
  g_clear_pointer (&text, g_free);
  text = ask (slow);
  suite_check (strstr (text, "cost limit exceeded") != NULL, "%s", text);
}

/* No text makes the compiler or the evaluator fall. */
static void
damaged_expressions_do_no_harm (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  static const char letters[] = "\"'()[]{}.,?:&|!=<>+-*/%1ax \\u";

  for (guint round = 0; round < 20000; round++) {
    g_autofree char *text = g_strdup (holds[g_rand_int_range (rand, 0, G_N_ELEMENTS (holds))]);
    gsize n = strlen (text);

    for (guint k = 0; k < 1 + round % 3; k++)
      text[g_rand_int_range (rand, 0, (gint32) n)] = letters[g_rand_int_range (rand, 0, sizeof letters - 1)];
    g_autofree char *answer = ask (text);
    if (!suite_check (answer[0] != '\0', "%s", text))
      return;
  }
}

/* ---- values ---- */

static void
versions_have_their_order (void)
{
  /* ascending, as SemVer 2.0.0 (11) orders them */
  static const char *const order[] = { "0.9.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "2.0.0" };
  static const char *const bad[] = { "", "1", "1.2", "v1.2.3", "1.2.3.4", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3-a..b", "1.2.3+", "1.2.x", " 1.2.3", "18446744073709551616.0.0" };
  g_autoptr (VcArena) arena = vc_arena_new ();
  VcSemver a, b;

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    for (guint k = 0; k < G_N_ELEMENTS (order); k++) {
      suite_check (vc_semver_parse (order[i], arena, &a) && vc_semver_parse (order[k], arena, &b), "%s, %s", order[i], order[k]);
      suite_check (vc_semver_compare (&a, &b) == (i > k) - (i < k), "%s against %s", order[i], order[k]);
    }
  suite_check (vc_semver_parse ("1.2.3+x", arena, &a) && vc_semver_parse ("1.2.3", arena, &b) && vc_semver_compare (&a, &b) == 0, "a build does not count");
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    suite_check (!vc_semver_parse (bad[i], arena, &a), "%s is no version", bad[i]);
}

static void
quantities_are_exact_to_the_nano (void)
{
  static const struct { const char *text; gint64 whole, nano; gboolean fraction; } good[] = {
    { "0", 0, 0, FALSE },         { "80Gi", 85899345920, 0, FALSE }, { "500m", 0, 500000000, TRUE }, { "1.5", 1, 500000000, TRUE },
    { "1.5k", 1500, 0, FALSE },   { "1e3", 1000, 0, FALSE },         { "-2", -2, 0, FALSE },         { "1000m", 1, 0, TRUE },
    { "0.5Ki", 512, 0, TRUE },    { "1n", 0, 1, TRUE },              { "0.1n", 0, 1, TRUE },         { "8Ei", G_MAXINT64, 0, FALSE },
  };
  VcCelQuantity q;

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    suite_check (vc_cel_quantity_parse (good[i].text, &q) && q.amount == (VcNano) good[i].whole * VC_NANO_ONE + good[i].nano && q.fraction == good[i].fraction,
                 "%s: %.9f, %d", good[i].text, (double) q.amount / 1e9, q.fraction);
  static const char *const bad[] = { "", "x", "1GiB", "1 Gi", "--1", "1e", "1.2.3" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    suite_check (!vc_cel_quantity_parse (bad[i], &q), "%s is no quantity", bad[i]);
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "devices match what holds of them", devices_match_what_holds_of_them },
    { "failures have the texts of upstream", failures_have_the_texts_of_upstream },
    { "malformed expressions are refused with their place", malformed_expressions_are_refused_with_their_place },
    { "what is not understood is named", what_is_not_understood_is_named },
    { "depth and work have limits", depth_and_work_have_limits },
    { "damaged expressions do no harm", damaged_expressions_do_no_harm },
    { "versions have their order", versions_have_their_order },
    { "quantities are exact to the nano", quantities_are_exact_to_the_nano },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("cel", tests);
}
