/* tests/test-conformance.c - recorded cycles of Volcano, decided again: with the engine's
 * shortcuts, without them, and through the command line. */
#include "case.h"
#include "suite.h"
#include <glib/gstdio.h>
#include <string.h>

#define SHOWN 6   /* differences printed of one case */
#define SAMPLE 23 /* every such case goes through the command line */

static const char *const groups[] = { "core", "queues", "evictions", "nodes", "devices", "topology", "shards", "further" }; /* all but the last as tests/conformance/update writes them */

typedef struct {
  VcArena *arena;
  GPtrArray *texts; /* char *: the trees point into them */
  GPtrArray *list;  /* Jd * */
} Cases;

static void
cases_load (Cases *c)
{
  c->arena = vc_arena_new ();
  c->texts = g_ptr_array_new_with_free_func (g_free);
  c->list = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++) {
    g_autofree char *path = g_strdup_printf ("conformance/%s.jsonl", groups[i]);
    char *line = suite_read (path, NULL), *end;
    guint n = 0;

    g_ptr_array_add (c->texts, line);
    for (; *line != '\0'; line = end) {
      Jd *json;

      end = strchrnul (line, '\n');
      if (*end != '\0')
        *end++ = '\0';
      json = jd_parse (c->arena, line, strlen (line), NULL);
      if (suite_check (json != NULL, "line %u of %s is JSON", ++n, path))
        g_ptr_array_add (c->list, json);
    }
  }
  suite_check (c->list->len >= 2400, "there are cases");
}

static void
cases_clear (Cases *c)
{
  g_clear_pointer (&c->list, g_ptr_array_unref);
  g_clear_pointer (&c->arena, vc_arena_free);
  g_clear_pointer (&c->texts, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cases, cases_clear)

/* Compares @answer with the record; counts and prints what differs. */
static void
judge (const Jd *json, const char *answer, const GError *error, const char *how)
{
  const char *id = jd_text (jd_get (json, "id"), "?");
  g_autoptr (VcArena) arena = vc_arena_new ();
  g_autoptr (GPtrArray) out = g_ptr_array_new_with_free_func (g_free);
  Jd *got = answer != NULL ? jd_parse (arena, answer, strlen (answer), NULL) : NULL;

  if (answer == NULL)
    g_ptr_array_add (out, g_strdup (error != NULL ? error->message : "no answer and no error"));
  else if (got == NULL)
    g_ptr_array_add (out, g_strdup ("the answer is not JSON"));
  else
    case_diff (json, got, out);
  for (guint i = 0; i < MIN (out->len, SHOWN); i++)
    g_print ("    %s (%s): %s\n", id, how, (const char *) g_ptr_array_index (out, i));
  suite_check (out->len == 0, "%s (%s) differs in %u places", id, how, out->len);
}

static char *
answer_in_process (const Jd *json, gboolean plain, GError **error)
{
  g_autoptr (WlObjects) objects = case_objects (json, error);
  g_autoptr (VcArena) arena = vc_arena_new ();
  SimCycleInput in;

  if (objects == NULL || !case_input (json, arena, &in, error))
    return NULL;
  in.engine.plain = plain;
  char *answer = sim_cycle_run (objects, &in, SIM_FORMAT_JSON, NULL, error);
  case_input_clear (&in);
  return answer;
}

static void
decide_all (gboolean plain)
{
  g_auto (Cases) cases = { 0 };

  cases_load (&cases);
  for (guint i = 0; i < cases.list->len; i++) {
    const Jd *json = g_ptr_array_index (cases.list, i);
    g_autoptr (GError) error = NULL;
    g_autofree char *answer = answer_in_process (json, plain, &error);

    judge (json, answer, error, plain ? "plain" : "default");
  }
}

static void
every_recorded_cycle_is_decided_as_recorded (void)
{
  decide_all (FALSE);
}

static void
so_it_is_without_shortcuts (void)
{
  decide_all (TRUE);
}

static void
the_command_line_gives_the_same_answers (void)
{
  const char *volsim = g_getenv ("VOLSIM_BIN");
  g_auto (Cases) cases = { 0 };

  if (!suite_check (volsim != NULL, "VOLSIM_BIN names the program"))
    return;
  cases_load (&cases);
  for (guint i = 0; i < cases.list->len; i += SAMPLE) {
    const Jd *json = g_ptr_array_index (cases.list, i);
    g_autoptr (GError) error = NULL;
    g_autofree char *dir = g_dir_make_tmp ("volsim-case-XXXXXX", NULL);
    g_auto (GStrv) args = case_arguments (json, volsim, dir, &error);
    g_autofree char *answer = NULL, *complaint = NULL;
    int status = 0;

    if (args != NULL
        && g_spawn_sync (NULL, args, NULL, G_SPAWN_DEFAULT, NULL, NULL, &answer, &complaint,
                         &status, &error)
        && !g_spawn_check_wait_status (status, &error)) {
      g_prefix_error (&error, "%s: ", g_strchomp (complaint));
      g_clear_pointer (&answer, g_free);
    }
    judge (json, answer, error, "command line");
    static const char *const files[] = { "volcano-scheduler.conf", "objects.json", "node-usage.json" };
    for (guint f = 0; f < G_N_ELEMENTS (files); f++) {
      g_autofree char *path = g_build_filename (dir, files[f], NULL);

      g_unlink (path);
    }
    g_rmdir (dir);
  }
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "every recorded cycle is decided as recorded", every_recorded_cycle_is_decided_as_recorded },
    { "so it is without the engine's shortcuts", so_it_is_without_shortcuts },
    { "the command line gives the same answers", the_command_line_gives_the_same_answers },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("conformance", tests);
}
