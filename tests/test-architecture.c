/* tests/test-architecture.c - the arrows between the folders stay one way, and a few rules that a
 * compiler does not know (docs/architecture.md). Reads the sources as text. */
#include "run-helper.h"
#include "suite.h"
#include <string.h>

#define LINES_MAX 800
#define TEST_LINES_MAX 900

/* What a folder may include besides itself; the longest matching folder counts. */
static const struct {
  const char *folder, *allowed; /* folders, separated by spaces */
} arrows[] = {
  { "core/base", "" },
  { "core/model", "core/base" },
  { "core/conf", "core/base" },
  { "core/devices", "core/base core/model core/conf" },
  { "core/numa", "core/base core/model" },
  { "core/cache", "core/base core/model core/conf core/devices core/numa" },
  { "core/session", "core/base core/model core/conf core/devices core/numa core/cache" },
  { "core/beyond", "core/base core/model core/conf core/devices core/numa core/cache core/session" },
  { "core/actions", "core/base core/model core/conf core/devices core/numa core/cache core/session core/beyond" }, /* the registry */
  { "core/plugins", "core/base core/model core/conf core/devices core/numa core/cache core/session core/beyond" },
  { "workloads", "core" },
  { "reports", "core" },
  { "sim", "core workloads reports" },
};

/* Folders that stand on top of those beside them: who else may include them. */
static const struct {
  const char *folder, *users;
} tops[] = {
  { "sim/cli", "" },
  { "sim/studies", "sim/cli" },
  { "sim/validate", "sim/cli sim/studies" },
  { "sim/scheduler", "sim" },
  { "workloads/transform", "sim" },
  { "workloads/generate", "sim" },
  { "workloads/import/alibaba", "" }, /* a format's door is the registry */
  { "workloads/import/clouds", "" },
  { "workloads/import/hpc", "" },
  { "workloads/import/kubernetes", "" },
  { "workloads/import/training", "" },
  { "reports/compare", "reports/pages sim" },
};

/* Words that have no place in the engine: it opens no file, prints nothing and reads no clock. */
static const char *const not_in_core[] = {
  "printf (stdout",
  "printf (stderr",
  "g_print (",
  "g_printerr (",
  "puts (",
  "fopen (",
  "g_file_get_contents (",
  "g_get_real_time (",
  "g_get_monotonic_time (",
  "time (NULL",
  "clock_gettime (",
  "getenv (",
  "<gio/",
  "<libfyaml.h>",
};
/* The reader of the configuration parses YAML texts (no files): the one place of core that knows
 * libfyaml. */
#define YAML_FOLDER "core/conf/"

typedef struct {
  char *root;
  GPtrArray *files; /* char *: paths below root */
} Tree;

static void
collect (Tree *t, const char *folder)
{
  g_autofree char *path = g_build_filename (t->root, folder, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *child = g_build_filename (folder, name, NULL),
                    *full = g_build_filename (t->root, child, NULL);

    if (g_file_test (full, G_FILE_TEST_IS_DIR))
      collect (t, child);
    else if (g_str_has_suffix (name, ".c") || g_str_has_suffix (name, ".h"))
      g_ptr_array_add (t->files, g_steal_pointer (&child));
  }
}

static void
tree_read (Tree *t)
{
  static const char *const folders[] = { "core", "workloads", "reports", "sim", "tests" };

  t->root = g_strdup (g_getenv ("VOLSIM_SOURCE"));
  t->files = g_ptr_array_new_with_free_func (g_free);
  if (!suite_check (t->root != NULL, "VOLSIM_SOURCE names the source folder"))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    collect (t, folders[i]);
  suite_check (t->files->len > 40, "there are sources");
}

static void
tree_clear (Tree *t)
{
  g_clear_pointer (&t->root, g_free);
  g_clear_pointer (&t->files, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Tree, tree_clear)

/* The file's lines; NULL-terminated. */
static char **
read_lines (const Tree *t, const char *file)
{
  g_autofree char *path = g_build_filename (t->root, file, NULL), *text = NULL;

  if (!suite_check (g_file_get_contents (path, &text, NULL, NULL), "%s can be read", path))
    return g_new0 (char *, 1);
  return g_strsplit (text, "\n", -1);
}

static gboolean
lies_in (const char *path, const char *folder)
{
  gsize n = strlen (folder);

  return strncmp (path, folder, n) == 0 && path[n] == '/';
}

/* Where an include of @file leads: a path below the root, or NULL for a system header written in
 * quotes. */
static char *
resolve (const Tree *t, const char *file, const char *include)
{
  g_autofree char *dir = g_path_get_dirname (file), *beside = g_build_filename (dir, include, NULL);
  g_autofree char *there = g_build_filename (t->root, beside, NULL),
                  *from_root = g_build_filename (t->root, include, NULL);

  if (g_file_test (there, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&beside);
  return g_file_test (from_root, G_FILE_TEST_EXISTS) ? g_strdup (include) : NULL;
}

static gboolean
may_include (const char *folder, const char *allowed, const char *target)
{
  g_auto (GStrv) list = g_strsplit (allowed, " ", -1);

  if (lies_in (target, folder))
    return TRUE;
  for (guint i = 0; list[i] != NULL; i++)
    if (*list[i] != '\0' && lies_in (target, list[i]))
      return TRUE;
  return FALSE;
}

static void
includes_follow_the_layers (void)
{
  g_auto (Tree) t = { 0 };
  guint checked = 0;

  tree_read (&t);
  for (guint f = 0; f < t.files->len; f++) {
    const char *file = g_ptr_array_index (t.files, f);
    g_auto (GStrv) lines = read_lines (&t, file);
    guint rule = 0;

    while (rule < G_N_ELEMENTS (arrows) && !lies_in (file, arrows[rule].folder))
      rule++;
    if (rule == G_N_ELEMENTS (arrows)) {
      suite_check (lies_in (file, "tests"), "%s lies in a folder that has a rule", file);
      continue;
    }
    for (guint l = 0; lines[l] != NULL; l++) {
      g_autofree char *include = NULL, *target = NULL;

      if (!g_str_has_prefix (lines[l], "#include \""))
        continue;
      include = g_strdup (lines[l] + strlen ("#include \""));
      *strchrnul (include, '"') = '\0';
      target = resolve (&t, file, include);
      suite_check (target != NULL, "%s:%u: %s is found", file, l + 1, include);
      suite_check (target != NULL
                       && may_include (arrows[rule].folder, arrows[rule].allowed, target),
                   "%s:%u: %s may include %s", file, l + 1, arrows[rule].folder, include);
      checked++;
    }
  }
  suite_check (checked > 50, "%u includes", checked);
}

static void
tops_are_used_from_above (void)
{
  g_auto (Tree) t = { 0 };
  guint seen = 0;

  tree_read (&t);
  for (guint f = 0; f < t.files->len; f++) {
    const char *file = g_ptr_array_index (t.files, f);
    g_auto (GStrv) lines = lies_in (file, "tests") ? g_new0 (char *, 1) : read_lines (&t, file);

    for (guint l = 0; lines[l] != NULL; l++) {
      g_autofree char *include = NULL, *target = NULL;

      if (!g_str_has_prefix (lines[l], "#include \""))
        continue;
      include = g_strdup (lines[l] + strlen ("#include \""));
      *strchrnul (include, '"') = '\0';
      target = resolve (&t, file, include);
      for (guint i = 0; target != NULL && i < G_N_ELEMENTS (tops); i++)
        if (lies_in (target, tops[i].folder)) {
          suite_check (may_include (tops[i].folder, tops[i].users, file),
                       "%s:%u: %s may be included from %s alone", file, l + 1, include,
                       *tops[i].users != '\0' ? tops[i].users : "its own folder");
          seen++;
        }
    }
  }
  suite_check (seen > 50, "%u includes of upper folders", seen);
}

static void
the_engine_keeps_its_hands_off_the_world (void)
{
  g_auto (Tree) t = { 0 };

  tree_read (&t);
  for (guint f = 0; f < t.files->len; f++) {
    const char *file = g_ptr_array_index (t.files, f);
    g_auto (GStrv) lines = NULL;

    if (!lies_in (file, "core"))
      continue;
    lines = read_lines (&t, file);
    for (guint l = 0; lines[l] != NULL; l++)
      for (guint w = 0; w < G_N_ELEMENTS (not_in_core); w++)
        if (!(g_str_has_prefix (file, YAML_FOLDER) && strcmp (not_in_core[w], "<libfyaml.h>") == 0))
          suite_check (strstr (lines[l], not_in_core[w]) == NULL, "%s:%u: %s", file, l + 1,
                       not_in_core[w]);
  }
}

/* Is @line the definition of a static variable that can change? The obvious forms: not const, or a
 * pointer that is not. */
static gboolean
is_mutable_static (const char *line)
{
  g_autofree char *head = g_strstrip (g_strdup (line));
  gsize whole = strlen (head);
  char *star;

  if (!g_str_has_prefix (head, "static ") || g_str_has_prefix (head, "static inline"))
    return FALSE;
  if (g_str_has_prefix (head, "static volatile sig_atomic_t ")) /* what a signal handler may set */
    return FALSE;
  head[strcspn (head, "=;{")] = '\0';
  if (strchr (head, '(') != NULL
      || strlen (head) == whole) /* a function, or its return type on a line of its own */
    return FALSE;
  star = strrchr (head, '*');
  return star != NULL ? strstr (star, "const") == NULL : strstr (head, "const ") == NULL;
}

static void
there_are_no_variables_that_two_simulations_would_share (void)
{
  g_auto (Tree) t = { 0 };

  suite_check (is_mutable_static ("static guint counter;"), "the test sees a counter");
  suite_check (is_mutable_static ("  static const char *last = NULL;"), "the test sees a pointer");
  suite_check (!is_mutable_static ("static const char *const names[] = {"),
               "the test passes a table");
  suite_check (!is_mutable_static ("static gboolean"), "the test passes a function's type");
  tree_read (&t);
  for (guint f = 0; f < t.files->len; f++) {
    const char *file = g_ptr_array_index (t.files, f);
    g_auto (GStrv) lines = NULL;

    if (lies_in (file, "tests"))
      continue;
    lines = read_lines (&t, file);
    for (guint l = 0; lines[l] != NULL; l++)
      suite_check (!is_mutable_static (lines[l]), "%s:%u: %s", file, l + 1, lines[l]);
  }
}

static void
files_stay_short (void)
{
  g_auto (Tree) t = { 0 };

  tree_read (&t);
  for (guint f = 0; f < t.files->len; f++) {
    const char *file = g_ptr_array_index (t.files, f);
    g_auto (GStrv) lines = read_lines (&t, file);

    suite_check (g_strv_length (lines) <= (lies_in (file, "tests") ? TEST_LINES_MAX : LINES_MAX),
                 "%s has %u lines", file, g_strv_length (lines));
  }
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "includes follow the layers", includes_follow_the_layers },
    { "upper folders are used from above", tops_are_used_from_above },
    { "the engine keeps its hands off the world", the_engine_keeps_its_hands_off_the_world },
    { "no variables that two simulations would share",
      there_are_no_variables_that_two_simulations_would_share },
    { "files stay short", files_stay_short },
    CU_TEST_INFO_NULL,
  };

  return suite_run ("architecture", tests);
}
