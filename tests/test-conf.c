/* tests/test-conf.c - scheduler configurations: what is read, what is refused and where. */
#include "core/conf/conf.h"
#include "suite.h"
#include <string.h>

static const VcArgSpec binpack_args[] = { { "binpack.weight", VC_ARG_INT, "" },
                                          { "binpack.resources", VC_ARG_STRING, "" },
                                          { "binpack.resources.*", VC_ARG_INT, "" },
                                          { NULL, VC_ARG_ANY, NULL } };
static const VcArgSpec overcommit_args[]
    = { { "overcommit-factor", VC_ARG_FLOAT, "" }, { NULL, VC_ARG_ANY, NULL } };
static const VcArgSpec predicates_args[] = { { "predicate.GPUSharingEnable", VC_ARG_BOOL, "" },
                                             { "free", VC_ARG_ANY, "" },
                                             { NULL, VC_ARG_ANY, NULL } };
static const VcArgSpec allocate_args[]
    = { { "predicateErrorCacheEnable", VC_ARG_BOOL, "" }, { NULL, VC_ARG_ANY, NULL } };
static const VcNameSpec plugins[] = {
  { "priority", "", NULL, TRUE },
  { "gang", "", NULL, TRUE },
  { "conformance", "", NULL, TRUE },
  { "overcommit", "", overcommit_args, TRUE },
  { "drf", "", NULL, TRUE },
  { "predicates", "", predicates_args, TRUE },
  { "proportion", "", NULL, TRUE },
  { "nodeorder", "", NULL, TRUE },
  { "binpack", "", binpack_args, TRUE },
  { "capacity", "", NULL, FALSE },
};
static const VcNameSpec actions[] = {
  { "enqueue", "", NULL, TRUE },           { "allocate", "", allocate_args, TRUE },
  { "backfill", "", allocate_args, TRUE }, { "preempt", "", NULL, TRUE },
  { "shuffle", "", NULL, FALSE },
};
static const VcCatalog catalog
    = { plugins, G_N_ELEMENTS (plugins), actions, G_N_ELEMENTS (actions) };

#define HEAD "actions: allocate\ntiers:\n- plugins:\n"

static VcConf *
parse_bytes (const char *text, gsize len, gboolean lenient, GPtrArray *warnings, GError **error)
{
  return vc_conf_parse (text, len, "f", &catalog, lenient, warnings, error);
}

/* A text that must be accepted without a warning. */
static VcConf *
accept (const char *text)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  VcConf *conf = parse_bytes (text, strlen (text), FALSE, warnings, &error);

  suite_check (conf != NULL && error == NULL, "refused: %s", error != NULL ? error->message : text);
  suite_check (warnings->len == 0, "warning for %s", text);
  return conf;
}

static void
refuse (const char *text, gboolean lenient, VcConfError code, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (VcConf) conf = parse_bytes (text, strlen (text), lenient, NULL, &error);

  suite_check (conf == NULL && error != NULL, "accepted: %s", text);
  if (error != NULL) {
    suite_check (g_error_matches (error, VC_CONF_ERROR, (gint) code), "code %d: %s", error->code,
                 error->message);
    suite_check (g_str_equal (error->message, message), "\n is  %s\n not %s", error->message,
                 message);
  }
}

/* Refused when strict; when lenient accepted with this text as the only warning. */
static VcConf *
odd (const char *text, VcConfError code, const char *message)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  VcConf *conf = parse_bytes (text, strlen (text), TRUE, warnings, &error);

  refuse (text, FALSE, code, message);
  suite_check (conf != NULL, "refused: %s", error != NULL ? error->message : text);
  suite_check (warnings->len == 1 && g_str_equal (warnings->pdata[0], message), "%u warnings: %s",
               warnings->len, warnings->len > 0 ? (char *) warnings->pdata[0] : "");
  return conf;
}

static void
odd_only (const char *text, VcConfError code, const char *message)
{
  vc_conf_free (odd (text, code, message));
}

/* "enqueue,allocate | priority gang | drf+enableHierarchy": flags that differ from the default. */
static char *
outline (const VcConf *conf)
{
  g_autofree char *list = g_strjoinv (",", conf->actions);
  GString *s = g_string_new (list);

  for (guint t = 0; t < conf->n_tiers; t++) {
    g_string_append (s, " |");
    for (guint p = 0; p < conf->tier[t].n; p++) {
      const VcPluginOption *o = &conf->tier[t].plugin[p];

      g_string_append_printf (s, " %s", o->name);
      for (guint f = 0; f < VC_N_FLAGS; f++) {
        const gboolean usual = f != VC_FLAG_HIERARCHY && f != VC_FLAG_CLUSTER_ORDER;

        if (o->on[f] != usual)
          g_string_append_printf (s, "%c%s", o->on[f] ? '+' : '-', vc_flag_names[f]);
      }
    }
  }
  return g_string_free (s, FALSE);
}

static void
check_outline (const VcConf *conf, const char *expected)
{
  g_autofree char *is = conf != NULL ? outline (conf) : NULL;

  suite_check (g_strcmp0 (is, expected) == 0, "\n is  %s\n not %s", is, expected);
}

static void
outline_of (const char *text, const char *expected)
{
  g_autoptr (VcConf) conf = accept (text);

  check_outline (conf, expected);
}

static void
the_built_in_configurations_are_those_of_volcano (void)
{
  g_autoptr (VcConf) plain = vc_conf_default (), chart = vc_conf_chart ();

  check_outline (plain, "enqueue,allocate,backfill | priority gang conformance"
                        " | overcommit drf predicates proportion nodeorder");
  check_outline (chart, "enqueue,allocate,backfill"
                        " | priority gang-enablePreemptable conformance"
                        " | overcommit drf-enablePreemptable predicates proportion nodeorder"
                        " binpack");
  CU_ASSERT_EQUAL (plain->n_action_confs, 0);
}

static void
every_flag_can_be_set_and_has_its_default (void)
{
  for (guint f = 0; f < VC_N_FLAGS; f++)
    for (int value = 0; value < 2; value++) {
      g_autofree char *text = g_strdup_printf (HEAD "  - name: gang\n    %s: %s\n",
                                               vc_flag_names[f], value ? "true" : "false");
      g_autoptr (VcConf) conf = accept (text);

      if (conf == NULL)
        continue;
      for (guint g = 0; g < VC_N_FLAGS; g++) {
        const VcPluginOption *o = &conf->tier[0].plugin[0];
        const gboolean usual = g != VC_FLAG_HIERARCHY && g != VC_FLAG_CLUSTER_ORDER;

        suite_check (o->given[g] == (g == f ? value : -1), "%s of %s", vc_flag_names[g], text);
        suite_check (o->on[g] == (g == f ? value : usual), "%s of %s", vc_flag_names[g], text);
      }
    }
}

static void
flags_take_the_booleans_of_yaml_1_1 (void)
{
  static const char *const values[]
      = { "~;null;;!!null ''", "n;NO;Off;false", "y;Yes;on;TRUE;!!bool yes" };

  for (int given = -1; given < 2; given++) {
    g_auto (GStrv) texts = g_strsplit (values[given + 1], ";", -1);

    for (char **t = texts; *t != NULL; t++) {
      g_autofree char *text = g_strdup_printf (HEAD "  - name: gang\n    enableJobOrder: %s\n", *t);
      g_autoptr (VcConf) conf = accept (text);

      suite_check (conf != NULL && conf->tier[0].plugin[0].given[VC_FLAG_JOB_ORDER] == given, "%s",
                   *t);
    }
  }
}

static void
a_flag_that_is_no_boolean_is_always_refused (void)
{
  static const char *const cases[][2]
      = { { "'true'", "quoted text 'true'" },
          { "\"yes\"", "quoted text 'yes'" },
          { "1", "integer 1" },
          { "yEs", "text 'yEs'" },
          { "t", "text 't'" },
          { "1.5", "float 1.5" },
          { "[true]", "a list" },
          { "{}", "a mapping" },
          { "18446744073709551615", "integer 18446744073709551615, which has more than 64 bits" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int lenient = 0; lenient < 2; lenient++) {
      g_autofree char *text
          = g_strdup_printf (HEAD "  - name: gang\n    enableJobOrder: %s\n", cases[i][0]);
      g_autofree char *message = g_strdup_printf (
          "f:5:21: wrong type of flag 'enableJobOrder', expected true or false, found %s",
          cases[i][1]);

      refuse (text, lenient, VC_CONF_ERROR_TYPE, message);
    }
}

static void
other_words_for_null_make_a_flag_false (void)
{
  g_autoptr (VcConf) conf
      = odd (HEAD "  - name: gang\n    enableJobOrder: NULL\n", VC_CONF_ERROR_TYPE,
             "f:5:21: wrong type of flag 'enableJobOrder', expected true or "
             "false, found NULL, which means false here");

  check_outline (conf, "allocate | gang-enableJobOrder");
}

static char *
value_text (const VcArg *a)
{
  switch (a->type) {
  case VC_VALUE_INT:
    return g_strdup_printf ("int %" G_GINT64_FORMAT, a->i);
  case VC_VALUE_FLOAT:
    return g_strdup_printf ("float %g", a->f);
  case VC_VALUE_BOOL:
    return g_strdup_printf ("bool %d", a->b);
  case VC_VALUE_NULL:
    return g_strdup ("null");
  case VC_VALUE_STRING:
    return g_strdup ("text");
  case VC_VALUE_OTHER:
  default:
    return g_strdup ("other");
  }
}

static void
plain_scalars_are_read_as_yaml_v2_does (void)
{
  static const char *const cases[][2] = {
    { "int 5", "5;+5;0b101;!!int '5'" },
    { "int -5", "-5;-0b101;0b-101" },
    { "int 8", "010" },
    { "int 15", "0o17" },
    { "int 31", "0x1F" },
    { "int -31", "-0x1F" },
    { "int 1000", "1_000" },
    { "int 1", "+_1" },
    { "int 9223372036854775807", "9223372036854775807" },
    { "int -9223372036854775808", "-9223372036854775808" },
    { "other", "9223372036854775808;[1, x]" },
    { "float 1.84467e+19", "18446744073709551616" },
    { "float 8", "08" },
    { "float 1", "1.;1e0" },
    { "float 0.5", ".5;.5_0" },
    { "float -0.5", "-.5" },
    { "float 1000", "1e3" },
    { "float 0.15", "1.5E-1" },
    { "float inf", ".inf" },
    { "float -inf", "-.Inf" },
    { "float 5", "!!float 5" },
    { "bool 1", "yes" },
    { "bool 0", "off" },
    { "null", "~;NULL" },
    { "text", "'5';\"yes\";!!str 5;!own 5;|\n        "
              "5;_1;._5;.iNf;inf;1e400;0x;0o8;1e;1:30;2001-12-14;tRue;1,000" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (GStrv) values = g_strsplit (cases[i][1], ";", -1);

    for (char **v = values; *v != NULL; v++) {
      g_autofree char *text
          = g_strdup_printf (HEAD "  - name: predicates\n    arguments:\n      free: %s\n", *v);
      g_autoptr (VcConf) conf = accept (text);
      const VcArg *a = conf != NULL ? vc_args_find (&conf->tier[0].plugin[0].args, "free") : NULL;
      g_autofree char *is = a != NULL ? value_text (a) : NULL;

      suite_check (g_strcmp0 (is, cases[i][0]) == 0, "%s is %s", *v, is);
    }
  }
}

static void
readers_of_arguments_take_what_go_takes (void)
{
  const char *text = "actions: allocate\ntiers: [{plugins: [{name: x, arguments: {\n"
                     "  i: 5, q: '5', f: 5.0, t: 't', s: text, b: on, n: ~, l: [1, {a: 2}],\n"
                     "  w: 'maybe'}}]}]\n";
  g_autoptr (VcConf) conf = vc_conf_parse (text, strlen (text), "f", NULL, FALSE, NULL, NULL);
  const VcArgs *args;
  gint64 i = 7;
  double f = 7;
  gboolean b = FALSE;

  CU_ASSERT_PTR_NOT_NULL_FATAL (conf);
  args = &conf->tier[0].plugin[0].args;
  vc_args_get_int (args, "q", &i);
  vc_args_get_int (args, "f", &i);
  vc_args_get_int (args, "n", &i);
  vc_args_get_int (args, "none", &i);
  CU_ASSERT_EQUAL (i, 7);
  vc_args_get_int (args, "i", &i);
  CU_ASSERT_EQUAL (i, 5);
  vc_args_get_float (args, "q", &f);
  vc_args_get_float (args, "n", &f);
  CU_ASSERT_EQUAL (f, 7);
  vc_args_get_float (args, "i", &f);
  CU_ASSERT_EQUAL (f, 5);
  vc_args_get_bool (args, "w", &b);
  vc_args_get_bool (args, "i", &b);
  CU_ASSERT_FALSE (b);
  vc_args_get_bool (args, "t", &b);
  CU_ASSERT_TRUE (b);
  b = FALSE;
  vc_args_get_bool (args, "b", &b);
  CU_ASSERT_TRUE (b);
  CU_ASSERT_STRING_EQUAL (vc_args_get_string (args, "s", "-"), "text");
  CU_ASSERT_STRING_EQUAL (vc_args_get_string (args, "i", "-"), "-");
  CU_ASSERT_STRING_EQUAL (vc_args_get_string (args, "q", "-"), "5");
  CU_ASSERT_EQUAL (vc_args_find (args, "n")->type, VC_VALUE_NULL);
  CU_ASSERT_EQUAL (vc_args_find (args, "l")->child->n, 2);
  CU_ASSERT_EQUAL (vc_args_find (vc_args_find (args, "l")->child->arg[1].child, "a")->i, 2);
  CU_ASSERT_PTR_NULL (vc_args_find (NULL, "n"));
  CU_ASSERT_FALSE (vc_parse_bool ("yes", &b) || vc_parse_bool ("tRUE", &b));
  CU_ASSERT_TRUE (vc_parse_bool ("F", &b) && !b);
}

static void
lists_of_actions_are_split_and_trimmed (void)
{
  outline_of ("actions: \" enqueue ,allocate,\tallocate\"\ntiers: []\n",
              "enqueue,allocate,allocate");
  outline_of ("actions: allocate", "allocate");
  outline_of ("# a comment\n---\nactions: 'allocate'\n...\n", "allocate");
  outline_of ("\xef\xbb\xbf{actions: allocate, metrics: {type: prometheus, interval: 30s}}",
              "allocate");
  outline_of ("actions: >-\n  allocate,\n  backfill\r\ntiers:\r\n- plugins: []\r\n",
              "allocate,backfill |");
}

static void
merged_maps_count_where_they_are_merged (void)
{
  /* unlike the YAML document says, what is merged later wins over what stands before */
  g_autoptr (VcConf) conf
      = accept ("actions: allocate\n"
                "tiers:\n"
                "- plugins:\n"
                "  - &base\n"
                "    name: binpack\n"
                "    enableJobOrder: off\n"
                "    arguments: &args {binpack.weight: 1, binpack.resources: a}\n"
                "  - <<: *base\n"
                "    enableNodeOrder: no\n"
                "    arguments: {binpack.weight: 3}\n"
                "  - name: gang\n"
                "    <<: *base\n"
                "  - name: binpack\n"
                "    arguments:\n"
                "      <<: [*args, {binpack.weight: 9}]\n"
                "- plugins: &again\n"
                "  - name: gang\n"
                "- plugins: *again\n");
  gint64 weight = 0;

  check_outline (conf, "allocate | binpack-enableJobOrder binpack-enableJobOrder-enableNodeOrder"
                       " binpack-enableJobOrder binpack | gang | gang");
  if (conf == NULL)
    return;
  vc_args_get_int (&conf->tier[0].plugin[1].args, "binpack.weight", &weight);
  CU_ASSERT_EQUAL (weight, 3);
  CU_ASSERT_EQUAL (conf->tier[0].plugin[1].args.n, 2);
  vc_args_get_int (&conf->tier[0].plugin[3].args, "binpack.weight", &weight);
  CU_ASSERT_EQUAL (weight, 1);
}

static void
the_first_configuration_of_an_action_counts (void)
{
  const char *text = "actions: allocate\n"
                     "configurations:\n"
                     "- name: allocate\n"
                     "  arguments: {predicateErrorCacheEnable: 'F'}\n"
                     "- name: shuffle\n"
                     "  arguments: {anything: 1}\n"
                     "- name: allocate\n"
                     "  arguments: {predicateErrorCacheEnable: true}\n";
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (VcConf) conf = parse_bytes (text, strlen (text), FALSE, warnings, NULL);
  gboolean cache = TRUE;

  CU_ASSERT_PTR_NOT_NULL_FATAL (conf);
  CU_ASSERT_EQUAL (conf->n_action_confs, 3);
  vc_args_get_bool (vc_conf_action_args (conf, "allocate"), "predicateErrorCacheEnable", &cache);
  CU_ASSERT_FALSE (cache);
  CU_ASSERT_EQUAL (vc_conf_action_args (conf, "backfill")->n, 0);
  CU_ASSERT_EQUAL_FATAL (warnings->len, 1);
  CU_ASSERT_STRING_EQUAL (warnings->pdata[0],
                          "f:7:9: second configuration of action 'allocate' has no effect, the "
                          "first counts");
}

static void
oddities_are_errors_or_warnings_with_their_place (void)
{
  odd_only ("actions: allocate\ntier: []\n", VC_CONF_ERROR_UNKNOWN,
            "f:2:1: unknown key 'tier', did you mean 'tiers'?");
  odd_only ("actions: allocate\nspec: []\n", VC_CONF_ERROR_UNKNOWN,
            "f:2:1: unknown key 'spec', expected one of actions, tiers, configurations, metrics");
  odd_only ("actions: allocate\ntiers:\n- plugin: []\n", VC_CONF_ERROR_UNKNOWN,
            "f:3:3: unknown key 'plugin' of a tier, did you mean 'plugins'?");
  odd_only (HEAD "  - name: gang\n    enabledJobOrder: false\n", VC_CONF_ERROR_UNKNOWN,
            "f:5:5: unknown key 'enabledJobOrder' of a plugin, did you mean 'enableJobOrder'?");
  odd_only (HEAD "  - {name: gang, jobOrder: false}\n", VC_CONF_ERROR_UNKNOWN,
            "f:4:18: unknown key 'jobOrder' of a plugin, did you mean 'enableJobOrder'?");
  odd_only (HEAD "  - {name: gang, enableVictim: false}\n", VC_CONF_ERROR_UNKNOWN,
            "f:4:18: unknown key 'enableVictim' of a plugin, did you mean 'enabledVictim'?");
  odd_only (HEAD "  - {name: gang, argument: {}}\n", VC_CONF_ERROR_UNKNOWN,
            "f:4:18: unknown key 'argument' of a plugin, did you mean 'arguments'?");
  odd_only (HEAD "  - {name: gang, weight: 1}\n", VC_CONF_ERROR_UNKNOWN,
            "f:4:18: unknown key 'weight' of a plugin, expected name, arguments or a flag such as "
            "enableJobOrder");
  odd_only (HEAD "  - name: gagn\n", VC_CONF_ERROR_UNKNOWN,
            "f:4:11: unknown plugin 'gagn', did you mean 'gang'?");
  odd_only (HEAD "  - name: DRF\n", VC_CONF_ERROR_UNKNOWN,
            "f:4:11: unknown plugin 'DRF', did you mean 'drf'?");
  odd_only (HEAD "  - name: sla\n", VC_CONF_ERROR_UNKNOWN,
            "f:4:11: unknown plugin 'sla', expected one of priority, gang, conformance, "
            "overcommit, drf, predicates, proportion, nodeorder, binpack, capacity");
  odd_only (HEAD "  - enableJobOrder: true\n", VC_CONF_ERROR_UNKNOWN,
            "f:4:5: plugin without a name, expected a key name");
  odd_only (HEAD "  - name: gang\n    arguments: {weight: 1}\n", VC_CONF_ERROR_UNKNOWN,
            "f:5:17: unknown argument 'weight' of plugin 'gang', expected no arguments");
  odd_only (HEAD "  - name: binpack\n    arguments: {binpack.wieght: 1}\n", VC_CONF_ERROR_UNKNOWN,
            "f:5:17: unknown argument 'binpack.wieght' of plugin 'binpack', did you mean "
            "'binpack.weight'?");
  odd_only (HEAD "  - name: binpack\n    arguments: {binpack.resource.nvidia.com/gpu: 1}\n",
            VC_CONF_ERROR_UNKNOWN,
            "f:5:17: unknown argument 'binpack.resource.nvidia.com/gpu' of plugin 'binpack', did "
            "you mean 'binpack.resources.*'?");
  odd_only ("actions: allocate\nconfigurations: [{name: alocate}]\n", VC_CONF_ERROR_UNKNOWN,
            "f:2:25: configuration of unknown action 'alocate', did you mean 'allocate'?");
  odd_only ("actions: allocate\nconfigurations: [{arguments: {a: 1}}]\n", VC_CONF_ERROR_UNKNOWN,
            "f:2:18: configuration without a name, expected a key name with an action");
  odd_only ("actions: allocate\nconfigurations: [{name: allocate, args: {a: 1}}]\n",
            VC_CONF_ERROR_UNKNOWN,
            "f:2:35: unknown key 'args' of a configuration, expected one of name, arguments");
  odd_only ("actions: allocate\ntiers:\n", VC_CONF_ERROR_TYPE,
            "f:2:1: nothing in tiers, expected a list, found null");
  odd_only ("actions: allocate\ntiers: [~]\n", VC_CONF_ERROR_TYPE,
            "f:2:9: nothing in a tier, expected a mapping, found null");
  odd_only (HEAD, VC_CONF_ERROR_TYPE, "f:3:3: nothing in plugins, expected a list, found null");
  odd_only ("actions: allocate\nactions: backfill\n", VC_CONF_ERROR_SYNTAX,
            "f:2:1: repeated key 'actions', expected it once, found it on line 1 already");
  odd_only ("actions: allocate\n---\nactions: backfill\n", VC_CONF_ERROR_SYNTAX,
            "f:2:1: more than one document, expected one, found another that is not read");
}

static void
wrong_types_of_arguments_are_refused_or_leave_the_default (void)
{
  static const char *const cases[][4] = {
    { "overcommit", "overcommit-factor", "'1.5'", "a number, found text '1.5'" },
    { "overcommit", "overcommit-factor", "on", "a number, found boolean on" },
    { "binpack", "binpack.weight", "'5'", "an integer, found text '5'" },
    { "binpack", "binpack.weight", "5.0", "an integer, found float 5.0" },
    { "binpack", "binpack.weight", "[5]", "an integer, found a list" },
    { "binpack", "binpack.resources", "5", "a text, found integer 5" },
    { "binpack", "binpack.resources.x", "y", "an integer, found boolean y" },
    { "predicates", "predicate.GPUSharingEnable", "yEs", "true or false, found text 'yEs'" },
    { "predicates", "predicate.GPUSharingEnable", "1", "true or false, found integer 1" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const char *const *c = cases[i];
    g_autofree char *text
        = g_strdup_printf (HEAD "  - name: %s\n    arguments:\n      %s: %s\n", c[0], c[1], c[2]);
    g_autofree char *message
        = g_strdup_printf ("f:6:%u: wrong type of argument '%s' of plugin '%s', expected %s",
                           (guint) strlen (c[1]) + 9, c[1], c[0], c[3]);
    g_autoptr (VcConf) conf = odd (text, VC_CONF_ERROR_TYPE, message);
    gint64 weight = 77;

    CU_ASSERT_EQUAL (conf != NULL ? conf->tier[0].plugin[0].args.n : 0, 1);
    if (conf != NULL)
      vc_args_get_int (&conf->tier[0].plugin[0].args, "binpack.weight", &weight);
    CU_ASSERT_EQUAL (weight, 77);
  }
  outline_of (HEAD "  - name: binpack\n    arguments: {binpack.weight: ~, binpack.resources: ''}\n"
                   "  - name: overcommit\n    arguments: {overcommit-factor: 1}\n"
                   "  - name: predicates\n    arguments: {predicate.GPUSharingEnable: 'T'}\n"
                   "  - name: nodeorder\n    arguments:\n",
              "allocate | binpack overcommit predicates nodeorder");
}

static void
what_volcano_refuses_is_refused_in_both_modes (void)
{
  static const struct {
    const char *text;
    VcConfError code;
    const char *message;
  } cases[] = {
    { "", VC_CONF_ERROR_TYPE,
      "f:1:1: no configuration, expected a mapping with actions and tiers, found an empty "
      "document" },
    { "# nothing\n", VC_CONF_ERROR_TYPE,
      "f:1:1: no configuration, expected a mapping with actions and tiers, found an empty "
      "document" },
    { "---\n~\n", VC_CONF_ERROR_TYPE,
      "f:2:1: no configuration, expected a mapping with actions and tiers, found an empty "
      "document" },
    { "- actions: allocate\n", VC_CONF_ERROR_TYPE,
      "f:1:1: no configuration, expected a mapping with actions and tiers, found a list" },
    { "\n  hello\n", VC_CONF_ERROR_TYPE,
      "f:2:3: no configuration, expected a mapping with actions and tiers, found text 'hello'" },
    { "tiers: []\n", VC_CONF_ERROR_UNKNOWN,
      "f:1:1: no actions, expected a list such as actions: \"enqueue, allocate, backfill\", found "
      "nothing" },
    { "tiers: []\nactions: ''\n", VC_CONF_ERROR_UNKNOWN,
      "f:2:10: no actions, expected a list such as actions: \"enqueue, allocate, backfill\", found "
      "nothing" },
    { "actions: \"enqueue, allocat, backfill\"\n", VC_CONF_ERROR_UNKNOWN,
      "f:1:20: unknown action 'allocat', did you mean 'allocate'?" },
    { "actions: 'é, allocate'\n", VC_CONF_ERROR_UNKNOWN,
      "f:1:11: unknown action 'é', expected one of enqueue, allocate, backfill, preempt, shuffle" },
    { "actions: allocate, , backfill\n", VC_CONF_ERROR_UNKNOWN,
      "f:1:20: empty name in actions, expected names of actions between commas" },
    { "actions: [allocate]\n", VC_CONF_ERROR_TYPE,
      "f:1:10: wrong type of actions, expected text, found a list" },
    { "actions: allocate, shuffle\n", VC_CONF_ERROR_UNSUPPORTED,
      "f:1:20: action 'shuffle' is not implemented yet" },
    { HEAD "  - name: gang\n  - name: capacity\n", VC_CONF_ERROR_UNSUPPORTED,
      "f:5:11: plugin 'capacity' is not implemented yet" },
    { "actions: allocate\ntiers: {plugins: []}\n", VC_CONF_ERROR_TYPE,
      "f:2:8: wrong type of tiers, expected a list, found a mapping" },
    { "actions: allocate\ntiers: [gang]\n", VC_CONF_ERROR_TYPE,
      "f:2:9: wrong type of a tier, expected a mapping, found text 'gang'" },
    { HEAD "  - gang\n", VC_CONF_ERROR_TYPE,
      "f:4:5: wrong type of a plugin, expected a mapping, found text 'gang'" },
    { HEAD "    name: gang\n", VC_CONF_ERROR_TYPE,
      "f:4:5: wrong type of plugins, expected a list, found a mapping" },
    { HEAD "  - name: [gang]\n", VC_CONF_ERROR_TYPE,
      "f:4:11: wrong type of a plugin's name, expected text, found a list" },
    { HEAD "  - {name: gang, arguments: [a]}\n", VC_CONF_ERROR_TYPE,
      "f:4:29: wrong type of arguments, expected a mapping, found a list" },
    { HEAD "  - {name: gang, [a]: 1}\n", VC_CONF_ERROR_TYPE,
      "f:4:18: wrong type of a key, expected text, found a list" },
    { "actions: allocate\nmetrics: {type: [a]}\n", VC_CONF_ERROR_TYPE,
      "f:2:17: wrong type of a metrics value, expected text, found a list" },
    { HEAD "  - <<: gang\n", VC_CONF_ERROR_TYPE,
      "f:4:9: wrong value of <<, expected a mapping or a list of mappings, found text 'gang'" },
    { HEAD "  - {name: predicates, arguments: {free: !!int x}}\n", VC_CONF_ERROR_SYNTAX,
      "f:4:48: tag does not fit its value, expected a value of type int, found 'x'" },
    { HEAD "  - name: *p\n", VC_CONF_ERROR_SYNTAX,
      "f:4:11: unknown alias, expected an anchor given above, found *p" },
    { HEAD "  - &p\n    <<: *p\n    name: gang\n", VC_CONF_ERROR_SYNTAX,
      "f:5:9: value of *p contains itself" },
    { "actions: allocate\n\ttiers: []\n", VC_CONF_ERROR_SYNTAX,
      "f:1:10: broken YAML: invalid multiline plain key, found 'allocate'" },
    { "actions: 'allocate\ntiers: []\n", VC_CONF_ERROR_SYNTAX,
      "f:1:10: broken YAML: single-quoted scalar without closing quote, found ''allocate'" },
    { "actions: allocate\nx: \x01\n", VC_CONF_ERROR_SYNTAX,
      "f:2:4: control character, expected printable text, found U+0001" },
    { "actions: allocate\nx: \"\\0\"\n", VC_CONF_ERROR_SYNTAX,
      "f:2:4: text with a NUL character, expected printable text" },
    { "actions: é\xff\n", VC_CONF_ERROR_SYNTAX,
      "f:1:11: wrong encoding, expected UTF-8, found byte 0xff" },
    { "\xff\xfe"
      "a",
      VC_CONF_ERROR_SYNTAX, "f:1:1: wrong encoding, expected UTF-8, found UTF-16" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int lenient = 0; lenient < 2; lenient++)
      refuse (cases[i].text, lenient, cases[i].code, cases[i].message);
}

static void
hierarchical_drf_conflicts_with_proportion_in_its_tier_only (void)
{
  const char *message
      = "f:5:11: drf with enableHierarchy conflicts with proportion, expected one of "
        "them in a tier, found both";

  for (int lenient = 0; lenient < 2; lenient++)
    refuse (HEAD "  - name: proportion\n  - name: drf\n    enableHierarchy: yes\n", lenient,
            VC_CONF_ERROR_CONFLICT, message);
  outline_of (HEAD "  - name: proportion\n- plugins:\n  - name: drf\n    enableHierarchy: yes\n",
              "allocate | proportion | drf+enableHierarchy");
  outline_of (HEAD "  - name: proportion\n  - name: drf\n    enableHierarchy: no\n",
              "allocate | proportion drf");
}

static void
lenient_drops_unknown_plugins_and_takes_the_last_of_repeated_keys (void)
{
  const char *text = "actions: allocate\n"
                     "tiers:\n"
                     "- plugins:\n"
                     "  - name: gang\n"
                     "  - name: nothing-known\n"
                     "    arguments: {a: 1}\n"
                     "  - name: binpack\n"
                     "    enableJobOrder: true\n"
                     "    enableJobOrder: false\n"
                     "    arguments: {binpack.weight: 1, binpack.weight: 2, other: x}\n"
                     "  - ~\n"
                     "actions: backfill\n";
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (VcConf) conf = parse_bytes (text, strlen (text), TRUE, warnings, NULL);
  g_autoptr (VcConf) quiet = parse_bytes (text, strlen (text), TRUE, NULL, NULL);
  gint64 weight = 0;

  check_outline (conf, "backfill | gang binpack-enableJobOrder");
  check_outline (quiet, "backfill | gang binpack-enableJobOrder");
  CU_ASSERT_EQUAL (warnings->len, 6);
  if (conf == NULL)
    return;
  vc_args_get_int (&conf->tier[0].plugin[1].args, "binpack.weight", &weight);
  CU_ASSERT_EQUAL (weight, 2);
  CU_ASSERT_EQUAL (conf->tier[0].plugin[1].line, 7);
  CU_ASSERT_EQUAL (conf->tier[0].plugin[1].col, 11);
}

static void
config_maps_are_opened_and_their_places_are_those_of_the_file (void)
{
#define MAP "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
  g_autoptr (VcConf) conf = accept (MAP "data:\n"
                                        "  other: 'x'\n"
                                        "  volcano-scheduler.conf: | # the text\n"
                                        "\n"
                                        "    actions: allocate\n"
                                        "    tiers:\n"
                                        "    - plugins:\n"
                                        "      - name: binpack\n"
                                        "        arguments:\n"
                                        "          binpack.weight: 2\n");

  check_outline (conf, "allocate | binpack");
  if (conf != NULL) {
    CU_ASSERT_EQUAL (conf->tier[0].plugin[0].line, 11);
    CU_ASSERT_EQUAL (conf->tier[0].plugin[0].col, 15);
    CU_ASSERT_EQUAL (conf->tier[0].plugin[0].args.arg[0].line, 13);
    CU_ASSERT_EQUAL (conf->tier[0].plugin[0].args.arg[0].col, 27);
  }
  outline_of (MAP "data: {my.conf: 'actions: allocate'}\n", "allocate");
  outline_of (MAP "data:\n  my.conf: \"actions: allocate\\ntiers: [{plugins: [{name: gang}]}]\"\n",
              "allocate | gang");
  odd_only (MAP "data:\n  v.conf: |-\n     actions: allocate\n     tiers:\n     - plugins:\n"
                "       - name: gagn",
            VC_CONF_ERROR_UNKNOWN, "f:9:16: unknown plugin 'gagn', did you mean 'gang'?");
  odd_only (MAP "data:\r\n  v.conf: |\r\n    actions: allocate\r\n    actions: backfill\r\n",
            VC_CONF_ERROR_SYNTAX,
            "f:7:5: repeated key 'actions', expected it once, found it on line 6 already");
  refuse (MAP "data:\n  v.conf: |2\n      actions: 'é, x\n", TRUE, VC_CONF_ERROR_SYNTAX,
          "f:6:16: broken YAML: single-quoted scalar without closing quote, found ''é, x'");
  refuse (MAP "data:\n  v.conf: \"actions: allocate\\ntiers: 5\"\n", TRUE, VC_CONF_ERROR_TYPE,
          "f:5:11: wrong type of tiers, expected a list, found integer 5 (at 2:8 of the text "
          "there)");
  refuse (
      MAP, TRUE, VC_CONF_ERROR_TYPE,
      "f:1:1: ConfigMap without data, expected data: with a key volcano-scheduler.conf, found no "
      "key data");
  refuse (MAP "data: text\n", TRUE, VC_CONF_ERROR_TYPE,
          "f:4:7: ConfigMap without data, expected data: with a key volcano-scheduler.conf, found "
          "text 'text'");
  refuse (MAP "data:\n  a.conf: x\n  b.conf: x\n", TRUE, VC_CONF_ERROR_UNKNOWN,
          "f:5:3: ConfigMap without a configuration, expected a key volcano-scheduler.conf or one "
          "key that ends in .conf, found 2 of them");
  refuse (MAP "data:\n  a.conf:\n    actions: allocate\n", TRUE, VC_CONF_ERROR_TYPE,
          "f:6:5: wrong type of the configuration in a ConfigMap, expected a text (a block that "
          "begins with |), found a mapping");
  refuse (MAP "data:\n  a.conf: ''\n", TRUE, VC_CONF_ERROR_TYPE,
          "f:5:11: no configuration, expected a mapping with actions and tiers, found an empty "
          "document (at 1:1 of the text there)");
#undef MAP
}

static const char valid[] = "actions: &a \"enqueue, allocate\"\n"
                            "tiers:\n"
                            "- &t\n"
                            "  plugins:\n"
                            "  - {name: gang, enableJobOrder: off, arguments: &g {x: [1, 'é']}}\n"
                            "  - <<: *t\n"
                            "    name: 'drf'\n"
                            "  - name: binpack # comment\n"
                            "    arguments:\n"
                            "      <<: [*g, {z: 1e3}]\n"
                            "      ? y\n"
                            "      : |2\n"
                            "        text\n"
                            "- *t\n"
                            "configurations:\n"
                            "- {name: allocate, arguments: *g}\n"
                            "metrics: {type: !!str 5}\n";

/* Both readings must end in a configuration or in one error of our own. */
static void
survive (const char *text, gsize len)
{
  g_autofree char *exact = g_malloc (MAX (len, 1)); /* so that a sanitizer sees a read beyond it */

  memcpy (exact, text, len);
  for (int lenient = 0; lenient < 2; lenient++) {
    g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GError) error = NULL;
    g_autoptr (VcConf) conf = parse_bytes (exact, len, lenient, warnings, &error);

    suite_check ((conf == NULL) == (error != NULL), "neither or both at %" G_GSIZE_FORMAT, len);
    if (error != NULL)
      suite_check (error->domain == VC_CONF_ERROR && g_str_has_prefix (error->message, "f:")
                       && g_utf8_validate (error->message, -1, NULL)
                       && strchr (error->message, '\n') == NULL,
                   "message %s", error->message);
  }
}

static void
a_text_cut_or_changed_at_any_byte_does_no_harm (void)
{
  static const char bytes[] = "\0\n\t :-?[]{}&*!|>'\"%@#,<~\xff\xc3";
  g_autofree char *map
      = g_strdup_printf ("kind: ConfigMap\ndata: {x: y, v.conf: '%s'}\n", "actions: z");
  guint64 state = 1;

  for (gsize n = 0; n < sizeof valid; n++)
    survive (valid, n);
  for (gsize n = 0; n <= strlen (map); n++)
    survive (map, n);
  for (guint i = 0; i < 4000; i++) {
    g_autofree char *text = g_memdup2 (valid, sizeof valid);

    for (guint64 k = suite_random (&state) % 3 + 1; k > 0; k--)
      text[suite_random (&state) % (sizeof valid - 1)]
          = bytes[suite_random (&state) % (sizeof bytes - 1)];
    survive (text, sizeof valid - 1);
  }
}

static void
refuse_large (GString *text, const char *message)
{
  refuse (text->str, TRUE, VC_CONF_ERROR_SYNTAX, message);
  g_string_free (text, TRUE);
}

static GString *
repeat (const char *unit, guint n)
{
  GString *s = g_string_new (NULL);

  while (n-- > 0)
    g_string_append (s, unit);
  return s;
}

static void
deep_huge_and_unfolding_texts_are_refused_quickly (void)
{
  GString *bomb = g_string_new ("a0: &a0 {x: 1}\n");

  refuse_large (repeat ("[", 100000),
                "f:1:65: nested too deeply, expected at most 64 levels, found more");
  refuse_large (repeat ("- ", 100000),
                "f:1:129: nested too deeply, expected at most 64 levels, found more");
  refuse_large (repeat ("{a: ", 20000),
                "f:1:257: nested too deeply, expected at most 64 levels, found more");
  refuse_large (repeat ("0123456789abcdef", 200000),
                "f:1:1: text is too long, expected at most 2097152 bytes, found 3200000");
  for (guint i = 1; i < 12; i++)
    g_string_append_printf (bomb,
                            "a%u: &a%u {<<: [*a%u, *a%u, *a%u, *a%u, *a%u, *a%u, *a%u, *a%u]}\n", i,
                            i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
  g_string_append (bomb, HEAD "  - {name: gang, arguments: *a11}\n");
  refuse_large (bomb, "f:1:10: too many values repeated by aliases");
  {
    g_autoptr (GString) spaces = repeat ("      ", 300000);

    survive (spaces->str, spaces->len);
  }
}

static void
the_nearest_name_is_within_a_third (void)
{
  static const char *const names[] = { "gang", "drf", "predicates", "preempt" };

#define NEAR(text) vc_nearest_name (text, names, G_N_ELEMENTS (names))
  CU_ASSERT_STRING_EQUAL (NEAR ("gagn"), "gang");
  CU_ASSERT_STRING_EQUAL (NEAR ("predicate"), "predicates");
  CU_ASSERT_STRING_EQUAL (NEAR ("predcats"), "predicates");
  CU_ASSERT_STRING_EQUAL (NEAR ("df"), "drf");
  CU_ASSERT_STRING_EQUAL (NEAR ("PREEMPT"), "preempt");
  CU_ASSERT_PTR_NULL (NEAR ("gnag2"));
  CU_ASSERT_PTR_NULL (NEAR (""));
  CU_ASSERT_PTR_NULL (NEAR ("xyz"));
  CU_ASSERT_PTR_NULL (vc_nearest_name ("gang", NULL, 0));
#undef NEAR
}

static CU_TestInfo tests[] = {
  { "the built-in configurations are those of Volcano",
    the_built_in_configurations_are_those_of_volcano },
  { "every flag can be set and has its default", every_flag_can_be_set_and_has_its_default },
  { "flags take the booleans of YAML 1.1", flags_take_the_booleans_of_yaml_1_1 },
  { "a flag that is no boolean is always refused", a_flag_that_is_no_boolean_is_always_refused },
  { "other words for null make a flag false", other_words_for_null_make_a_flag_false },
  { "plain scalars are read as yaml.v2 does", plain_scalars_are_read_as_yaml_v2_does },
  { "readers of arguments take what Go takes", readers_of_arguments_take_what_go_takes },
  { "lists of actions are split and trimmed", lists_of_actions_are_split_and_trimmed },
  { "merged maps count where they are merged", merged_maps_count_where_they_are_merged },
  { "the first configuration of an action counts", the_first_configuration_of_an_action_counts },
  { "oddities are errors or warnings with their place",
    oddities_are_errors_or_warnings_with_their_place },
  { "wrong types of arguments are refused or leave the default",
    wrong_types_of_arguments_are_refused_or_leave_the_default },
  { "what Volcano refuses is refused in both modes",
    what_volcano_refuses_is_refused_in_both_modes },
  { "hierarchical drf conflicts with proportion in its tier only",
    hierarchical_drf_conflicts_with_proportion_in_its_tier_only },
  { "lenient drops unknown plugins and takes the last of repeated keys",
    lenient_drops_unknown_plugins_and_takes_the_last_of_repeated_keys },
  { "ConfigMaps are opened and their places are those of the file",
    config_maps_are_opened_and_their_places_are_those_of_the_file },
  { "a text cut or changed at any byte does no harm",
    a_text_cut_or_changed_at_any_byte_does_no_harm },
  { "deep, huge and unfolding texts are refused quickly",
    deep_huge_and_unfolding_texts_are_refused_quickly },
  { "the nearest name is within a third", the_nearest_name_is_within_a_third },
  CU_TEST_INFO_NULL
};

int
main (void)
{
  return suite_run ("conf", tests);
}
