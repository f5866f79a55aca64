/* sim/cli/cmd-generate.c - synthetic traces: out of a profile, a preset, or what another trace looks like. */
#include "core/conf/conf.h"
#include "sim/commands.h"
#include "sim/cycle/cycle.h"
#include "sim/interrupt.h"
#include "workloads/generate/fit.h"
#include "workloads/generate/generate.h"
#include "workloads/text/parse.h"
#include <stdio.h>
#include <string.h>

/* The value of the scalar @key at the top of the profile @text: replaced, or put behind the rest. */
static void
set_key (GString *text, const char *key, const char *value)
{
  g_autofree char *line = g_strdup_printf ("%s: %s\n", key, value), *start = g_strdup_printf ("%s:", key);
  const char *at = g_str_has_prefix (text->str, start) ? text->str : NULL;

  if (at == NULL) {
    g_autofree char *inner = g_strconcat ("\n", start, NULL);

    at = strstr (text->str, inner);
    at = at != NULL ? at + 1 : NULL;
  }
  if (at == NULL) {
    if (text->len > 0 && text->str[text->len - 1] != '\n')
      g_string_append_c (text, '\n');
    g_string_append (text, line);
    return;
  }
  gsize pos = (gsize) (at - text->str), len = strcspn (at, "\n") + 1;

  g_string_erase (text, (gssize) pos, (gssize) MIN (len, text->len - pos));
  g_string_insert (text, (gssize) pos, line);
}

static void
list_presets (void)
{
  for (const WlPreset *p = wl_presets; p->name != NULL; p++)
    printf ("%-20s %s\n", p->name, p->summary);
}

/* "RESOURCE=LOAD". */
static gboolean
read_load (const char *text, char **resource, double *load, GError **error)
{
  const char *equals = strrchr (text, '=');
  g_auto (WlDistribution) d = { 0 };

  if (equals == NULL || equals == text || !wl_parse_distribution_of (equals + 1, WL_NUMBERS, &d, NULL) || !wl_distribution_is_constant (&d) || !(d.a > 0 && d.a <= 100)) {
    g_autofree char *shown = wl_shown (text);
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--load, expected RESOURCE=FACTOR with a factor above 0 and at most 100, as in nvidia.com/gpu=0.8, found %s", shown);
    return FALSE;
  }
  *resource = g_strndup (text, (gsize) (equals - text));
  *load = d.a;
  return TRUE;
}

typedef struct { char *out, *preset, *like, *seed, *span, *jobs, *fit, **load; gboolean list, show; } Options;

static void
options_clear (Options *o)
{
  g_free (o->out);
  g_free (o->preset);
  g_free (o->like);
  g_free (o->seed);
  g_free (o->span);
  g_free (o->jobs);
  g_strfreev (o->load);
  g_free (o->fit);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
refuse (GError **error, const char *message)
{
  g_set_error_literal (error, SIM_ERROR, SIM_ERROR_INPUT, message);
  return FALSE;
}

/* The profile's text, and its name for messages. */
static gboolean
find_profile (const Options *o, int argc, char **argv, WlFit **fit, GString **text, char **source, GError **error)
{
  if ((argc > 1) + (o->preset != NULL) + (o->like != NULL) != 1)
    return refuse (error, "generate needs one of: a profile, --preset NAME, --like FOLDER");
  if (o->fit != NULL && o->like == NULL)
    return refuse (error, "--fit goes with --like");
  if (o->like != NULL) {
    *fit = wl_fit (o->like, o->fit, error);
    if (*fit == NULL)
      return FALSE;
    *text = g_string_new (wl_fit_profile (*fit));
    *source = g_strdup_printf ("the profile of %s", o->like);
    return TRUE;
  }
  if (o->preset != NULL) {
    const WlPreset *p = wl_preset (o->preset);
    const char *names[16];
    guint n = 0;

    for (const WlPreset *k = wl_presets; k->name != NULL; k++)
      names[n++] = k->name;
    if (p == NULL) {
      const char *near = vc_nearest_name (o->preset, names, n);
      g_autofree char *all = NULL;

      names[n] = NULL;
      all = g_strjoinv (", ", (char **) names);
      g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--preset, expected one of %s, found '%s'%s%s%s", all, o->preset, near != NULL ? "; did you mean '" : "",
                   near != NULL ? near : "", near != NULL ? "'?" : "");
      return FALSE;
    }
    *text = g_string_new (p->text);
    *source = g_strdup_printf ("preset %s", p->name);
    return TRUE;
  }
  gsize len;
  g_autofree char *content = wl_read_file (argv[1], 16u << 20, &len, error);

  if (content == NULL)
    return FALSE;
  if (strlen (content) != len) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "%s: expected a text, found a NUL byte", argv[1]);
    return FALSE;
  }
  *text = g_string_new (content);
  *source = g_strdup (argv[1]);
  return TRUE;
}

int
cmd_generate (int argc, char **argv, GError **error)
{
  g_auto (Options) o = { 0 };
  const GOptionEntry entries[] = {
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &o.out, "where the trace goes: a new folder, or an earlier one of generate", "DIR" },
    { "preset", 0, 0, G_OPTION_ARG_STRING, &o.preset, "a profile that comes with volsim", "NAME" },
    { "like", 0, 0, G_OPTION_ARG_FILENAME, &o.like, "fit a profile to the trace in this folder (nodes.csv, jobs.csv, queues.csv), and tell how well it fits", "FOLDER" },
    { "fit", 0, 0, G_OPTION_ARG_STRING, &o.fit, "with --like: parametric, empirical, or the better of them (default: best)", "HOW" },
    { "seed", 0, 0, G_OPTION_ARG_STRING, &o.seed, "seed in place of the profile's", "N" },
    { "span", 0, 0, G_OPTION_ARG_STRING, &o.span, "time of submissions in place of the profile's", "TIME" },
    { "jobs", 0, 0, G_OPTION_ARG_STRING, &o.jobs, "most jobs, in place of the profile's", "N" },
    { "load", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o.load, "choose the rate of arrivals so that the load of a resource is this part of the nodes", "RESOURCE=FACTOR" },
    { "list", 0, 0, G_OPTION_ARG_NONE, &o.list, "list the presets", NULL },
    { "show", 0, 0, G_OPTION_ARG_NONE, &o.show, "print the profile instead of drawing from it", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("[PROFILE.yaml]");
  g_autoptr (WlFit) fit = NULL;
  g_autoptr (GString) text = NULL;
  g_autofree char *source = NULL;

  g_option_context_set_summary (context, "Make a synthetic trace: nodes, queues, jobs and failures drawn from a profile (docs/generate.md).");
  if (!cmd_parse (context, entries, &argc, &argv, error))
    return -1;
  if (argc > 2) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "unexpected argument '%s'", argv[2]);
    return -1;
  }
  if (o.load != NULL && o.load[1] != NULL) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--load, expected one resource, whose load gives the rate of arrivals, found '%s' and '%s'", o.load[0], o.load[1]);
    return -1;
  }
  if (o.list) {
    list_presets ();
    return 0;
  }
  if (!find_profile (&o, argc, argv, &fit, &text, &source, error))
    return -1;
  const struct { const char *key, *value; } given[] = { { "seed", o.seed }, { "span", o.span }, { "jobs", o.jobs } };

  for (guint i = 0; i < G_N_ELEMENTS (given); i++)
    if (given[i].value != NULL) {
      WlTime t = 0;
      gint64 n;
      if (!(i == 1 ? wl_parse_time (given[i].value, FALSE, &t, error) : wl_parse_int (given[i].value, i == 0 ? 0 : 1, i == 0 ? G_MAXINT64 : 100000000, &n, error))) {
        g_prefix_error (error, "--%s: ", given[i].key);
        return -1;
      }
      if (i == 1 && t == 0) {
        g_set_error (error, SIM_ERROR, SIM_ERROR_INPUT, "--span, expected a time above 0, found '%s'", given[i].value);
        return -1;
      }
      set_key (text, given[i].key, given[i].value);
    }
  g_autoptr (WlProfile) p = wl_profile_read (source, text->str, text->len, error);

  if (p == NULL)
    return -1;
  if (o.load != NULL) {
    g_autofree char *resource = NULL;
    char buf[G_ASCII_DTOSTR_BUF_SIZE];
    double load, rate;

    if (!read_load (o.load[0], &resource, &load, error) || !wl_generate_rate (p, resource, load, &rate, error))
      return -1;
    p->rate *= rate;
    set_key (text, "rate", g_ascii_formatd (buf, sizeof buf, "%.17g", p->rate));
  }
  if (o.show)
    return cmd_print (text->str, error);
  if (o.out == NULL)
    return refuse (error, "generate needs --out DIR (or --show)") ? 0 : -1;
  sim_catch_signals ();
  g_autoptr (WlGenerated) g = wl_generate (p, 1, error);

  g_autofree char *table = NULL;

  if (g == NULL || !wl_generated_write (p, g, text->str, fit, &table, o.out, error))
    return -1;
  g_autofree char *summary = wl_generated_summary (p, g);
  g_autofree char *all = g_strconcat (summary, table != NULL ? "\n" : "", table, NULL);
  return cmd_print (all, error);
}
