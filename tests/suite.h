/* tests/suite.h - one CUnit suite per program, and JSON tables for it.
 *
 * Tables lie in tests/tables, plain (x.json) or compressed (x.json.gz). The folder is looked for in
 * $G_TEST_SRCDIR, else beside this module's source file. */
#pragma once
#include <CUnit/CUnit.h>
#include <glib.h>
#include <libfyaml.h>
G_BEGIN_DECLS

/** Run @tests (ended by CU_TEST_INFO_NULL) as suite @name. Exit status: success needs at least one
 * test run, at least one assertion made and no failure. */
int suite_run (const char *name, CU_TestInfo *tests);

/** Assert @ok; the message, printf-like, says which case failed. Gives @ok back. */
#define suite_check(ok, ...) suite_check_at (__FILE__, __LINE__, (ok), __VA_ARGS__)
gboolean suite_check_at (const char *file, guint line, gboolean ok, const char *format, ...)
  G_GNUC_PRINTF (4, 5);

typedef struct fy_document SuiteDoc;
typedef struct fy_node SuiteNode;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SuiteDoc, fy_document_destroy)

/** The file tests/@path as it is, or unpacked when only tests/@path.gz exists. A file that cannot
 * be read ends the program with a message. (transfer full) */
char *suite_read (const char *path, gsize *size);
/** The JSON document tests/tables/@name, in the same way. (transfer full) */
SuiteDoc *suite_load (const char *name);

/* Nodes. All but suite_get() end the program when the node is missing or of another kind. */
SuiteNode *suite_root (SuiteDoc *doc);
SuiteNode *suite_get (SuiteNode *map, const char *key); /* NULL when there is no such key */
SuiteNode *suite_need (SuiteNode *map, const char *key);
SuiteNode *suite_at (SuiteNode *list, guint i);
guint suite_count (SuiteNode *list);
const char *suite_text (SuiteNode *node);
double suite_number (SuiteNode *node);
gint64 suite_int (SuiteNode *node);
gboolean suite_bool (SuiteNode *node);
gboolean suite_is_null (SuiteNode *node); /* a JSON null; no node at all is not one */

/** Walk a list: for (void *at = NULL; (item = suite_next (list, &at)) != NULL;). A NULL @list is
 * empty. */
SuiteNode *suite_next (SuiteNode *list, void **at);
/** Walk a map: gives the values and @key. A NULL @map is empty. */
SuiteNode *suite_next_pair (SuiteNode *map, void **at, const char **key);

/** splitmix64: the same stream everywhere from the same start of *state. */
guint64 suite_random (guint64 *state);

G_END_DECLS
