/* tests/import-case.h - a small trace, and what an import has to make of it. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef struct {
  const char *format, *options; /* "a=1 b=2" */
  struct { const char *name, *text; } file[4];
  const char *report[9]; /* parts of the report */
  const char *jobs[8];   /* parts of jobs.csv */
  const char *other, *holds; /* a part of another file */
  struct { const char *file, *holds; } also[6];
} ImportCase;

/** The content tells the format; what is imported holds all the parts; the scenario runs to its end where there are nodes and jobs. */
void test_import (const ImportCase *c);
/** Importing @text as @format fails with one line that holds @says, and leaves nothing behind. */
void test_import_refusal (const char *format, const char *text, const char *says);
/** The same for the files and options of @c. */
void test_import_refused (const ImportCase *c, const char *says);

G_END_DECLS
