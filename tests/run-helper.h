/* tests/run-helper.h - running the program from a test, and reading the tables that it writes. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

/* A CSV file: the header and the rows, every cell a text. */
typedef struct {
  char *text;       /* the cells point into it */
  GPtrArray *names; /* char *: the header */
  GPtrArray *rows;  /* const char **, [names->len] each */
} TestTable;

/** Read @path, or @path.gz when only that exists. FALSE with @error. */
gboolean test_table_read (TestTable *t, const char *path, GError **error);
void test_table_clear (TestTable *t);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TestTable, test_table_clear)
/** Column @name, or -1. */
int test_table_column (const TestTable *t, const char *name);
/** The cell, "" where there is no such column. */
const char *test_table_cell (const TestTable *t, guint row, int column);

/** The content of @path, or of @path.gz unpacked. NULL with @error. (transfer full) */
char *test_read (const char *path, gsize *len, GError **error);
/** @dir/@name if it exists, else @dir/@name.gz if that does, else NULL. (transfer full) */
char *test_find (const char *dir, const char *name);

/** Run @args and wait; gives the exit status (-1: killed or not started). @output and @complaint
 * (nullable) get what the program wrote. */
int test_run (char **args, char **output, char **complaint);
/** `volsim run` with @args (as it is, with --no-skip, with --plain), each time into a folder of its own in @dir: an assertion says whether all three
 * went well and wrote the same bytes, but for timing.json and summary.json. Gives the first of the folders. (transfer full) */
char *test_run_all_ways (const char *dir, const char *const *args);
char *test_make_dir (void);               /* a new temporary folder (transfer full) */
char *test_write (const char *dir, const char *name, const char *text); /* the path of the file; ends the program when it cannot be written (transfer full) */
void test_remove_tree (const char *path); /* nothing there: fine */
/** The first file below @a that is missing below @b or differs in its bytes, or the other way
 * round; files named @except are left out. NULL when all agree. (transfer full) */
char *test_first_difference (const char *a, const char *b, const char *except);

G_END_DECLS
