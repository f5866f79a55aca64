/* Rows of 'sacct --parsable2'. Its cells are not quoted: names of jobs, command lines, comments and constraints may hold the separator, and command lines end of lines. What
 * is too much belongs to one of them; the other columns say where, because most have a shape (times, durations, numbers). */
#include "slurm.h"
#include "workloads/text/parse.h"
#include <string.h>

#define MOST_COLUMNS 1000
#define MOST_SURPLUS 200
#define MOST_STEPS 2000000 /* tries for a row */

typedef enum { ANY, CLOCK, DURATION, NUMBER, CODE, JOB, STATE, TRES, TEXT } Shape; /* texts may hold separators */

static const struct { const char *name; Shape shape; } known[] = {
  { "Submit", CLOCK }, { "Eligible", CLOCK }, { "Start", CLOCK }, { "End", CLOCK },
  { "Elapsed", DURATION }, { "Timelimit", DURATION }, { "CPUTime", DURATION }, { "Suspended", DURATION }, { "TotalCPU", DURATION }, { "SystemCPU", DURATION }, { "UserCPU", DURATION },
  { "Reserved", DURATION }, { "ResvCPU", DURATION }, { "Planned", DURATION }, { "PlannedCPU", DURATION }, { "MinCPU", DURATION }, { "AveCPU", DURATION },
  { "ElapsedRaw", NUMBER }, { "CPUTimeRAW", NUMBER }, { "NNodes", NUMBER }, { "NCPUS", NUMBER }, { "ReqCPUS", NUMBER }, { "AllocCPUS", NUMBER }, { "AllocNodes", NUMBER }, { "ReqNodes", NUMBER },
  { "UID", NUMBER }, { "GID", NUMBER }, { "NTasks", NUMBER }, { "TimelimitRaw", NUMBER }, { "Priority", NUMBER }, { "QOSRAW", NUMBER }, { "AssocID", NUMBER }, { "DBIndex", NUMBER },
  { "ResvCPURAW", NUMBER }, { "PlannedCPURAW", NUMBER }, { "ConsumedEnergyRaw", NUMBER },
  { "ExitCode", CODE }, { "DerivedExitCode", CODE }, { "JobID", JOB }, { "JobIDRaw", JOB }, { "State", STATE },
  { "AllocTRES", TRES }, { "ReqTRES", TRES },
  { "Constraints", TEXT }, { "JobName", TEXT }, { "Comment", TEXT }, { "AdminComment", TEXT }, { "SystemComment", TEXT }, { "WorkDir", TEXT }, { "SubmitLine", TEXT },
};

struct WlSlurmRepair {
  char **name;
  Shape *shape;
  guint n;
  int job;        /* column of JobID */
  int constraints;
  int greedy;     /* the text that is likeliest to hold separators */
  gboolean texts; /* is there one that may hold separators? */
};

WlSlurmRepair *
wl_slurm_repair_new (const char *header, GError **error)
{
  g_autoptr (WlSlurmRepair) r = g_new0 (WlSlurmRepair, 1);

  r->name = g_strsplit (header, "|", -1);
  r->n = g_strv_length (r->name);
  r->shape = g_new0 (Shape, r->n + 1);
  for (guint i = 0; i < r->n; i++) {
    g_strstrip (r->name[i]);
    for (guint k = 0; k < G_N_ELEMENTS (known); k++)
      if (strcmp (r->name[i], known[k].name) == 0)
        r->shape[i] = known[k].shape;
    r->texts |= r->shape[i] == TEXT;
  }
  if (r->n > 1 && *r->name[r->n - 1] == '\0') /* --parsable: a separator at the end, too */
    r->shape[r->n - 1] = ANY;
  r->job = wl_slurm_column (r, "JobID");
  if (r->job < 0)
    r->job = wl_slurm_column (r, "JobIDRaw");
  r->constraints = wl_slurm_column (r, "Constraints");
  r->greedy = wl_slurm_column (r, "SubmitLine");
  if (r->greedy < 0)
    r->greedy = wl_slurm_column (r, "JobName");
  if (r->n > MOST_COLUMNS) {
    g_set_error (error, WL_ERROR, WL_ERROR_HEADER, "columns of sacct, expected at most %d, found %u", MOST_COLUMNS, r->n);
    return NULL;
  }
  if (r->job >= 0)
    return g_steal_pointer (&r);
  g_set_error_literal (error, WL_ERROR, WL_ERROR_HEADER, "columns of sacct, expected JobID or JobIDRaw among them, found neither");
  return NULL;
}

void
wl_slurm_repair_free (WlSlurmRepair *r)
{
  if (r == NULL)
    return;
  g_strfreev (r->name);
  g_free (r->shape);
  g_free (r);
}

int
wl_slurm_column (const WlSlurmRepair *r, const char *name)
{
  for (guint i = 0; i < r->n; i++)
    if (strcmp (r->name[i], name) == 0)
      return (int) i;
  return -1;
}

/* 123, 123_4, 123_[5-9%2], 123+0, 123.batch */
static gboolean
is_job (const char *text)
{
  const gsize digits = strspn (text, "0123456789");

  return digits > 0 && (text[digits] == '\0' || strchr ("_+.", text[digits]) != NULL) && strpbrk (text, " \t") == NULL;
}

static gboolean
fits (Shape shape, const char *text)
{
  WlTime t;

  if (*text == '\0')
    return shape != JOB;
  switch (shape) {
  case CLOCK:
    return wl_slurm_clock (text, &t, NULL);
  case DURATION:
    return strchr (text, ':') != NULL ? wl_slurm_duration (text, &t, NULL) : text[strspn (text, "0123456789")] != '\0' && wl_slurm_duration (text, &t, NULL);
  case NUMBER:
    return text[strspn (text, "0123456789")] == '\0' || (wl_slurm_duration (text, &t, NULL) && t == WL_TIME_NEVER);
  case CODE: {
    const gsize digits = strspn (text, "0123456789");
    return digits > 0 && text[digits] == ':' && text[digits + 1] != '\0' && text[digits + 1 + strspn (text + digits + 1, "0123456789")] == '\0';
  }
  case JOB:
    return is_job (text);
  case STATE:
    return g_ascii_isupper (*text) && g_ascii_isupper (text[1]);
  case TRES:
    return strchr (text, '=') != NULL;
  case ANY:
  case TEXT:
    break;
  }
  return TRUE;
}

gboolean
wl_slurm_begins (const WlSlurmRepair *r, const char *line)
{
  g_auto (GStrv) cell = g_strsplit (line, "|", -1);
  const guint n = g_strv_length (cell);

  if (n >= r->n)
    return TRUE;
  for (int i = 0; i <= r->job; i++)
    if ((guint) i >= n || !fits (r->shape[i], cell[i]))
      return FALSE;
  return TRUE;
}

gboolean
wl_slurm_may_go_on (const WlSlurmRepair *r)
{
  return r->texts;
}

typedef struct {
  const WlSlurmRepair *r;
  char **cell;
  guint *width; /* cells that each column takes */
  guint steps;
} Search;

/* Are brackets closed in these cells? A constraint is a formula. */
static gboolean
balanced (char **cell, guint n)
{
  int open = 0;

  for (guint i = 0; i < n; i++)
    for (const char *p = cell[i]; *p != '\0'; p++) {
      open += *p == '(' || *p == '[' ? 1 : *p == ')' || *p == ']' ? -1 : 0;
      if (open < 0)
        return FALSE;
    }
  return open == 0;
}

/* Give @surplus cells to the texts from @column on, whose first cell is @at. */
static gboolean
search (Search *s, guint column, guint at, guint surplus)
{
  const WlSlurmRepair *r = s->r;

  if (column == r->n)
    return surplus == 0;
  if (++s->steps > MOST_STEPS)
    return FALSE;
  if (r->shape[column] != TEXT) {
    s->width[column] = 1;
    return fits (r->shape[column], s->cell[at]) && search (s, column + 1, at + 1, surplus);
  }
  for (guint k = 0; k <= surplus; k++) {
    const guint more = (int) column == r->greedy ? surplus - k : k;

    s->width[column] = 1 + more;
    if ((int) column == r->constraints && !balanced (s->cell + at, 1 + more))
      continue;
    if (search (s, column + 1, at + 1 + more, surplus - more))
      return TRUE;
  }
  return FALSE;
}

char **
wl_slurm_cells (const WlSlurmRepair *r, const char *line, gboolean *repaired, GError **error)
{
  g_auto (GStrv) cell = g_strsplit (line, "|", -1);
  const guint n = g_strv_length (cell);
  g_autofree guint *width = g_new (guint, r->n + 1);
  Search s = { .r = r, .cell = cell, .width = width };

  *repaired = FALSE;
  if (n == r->n)
    return g_steal_pointer (&cell);
  if (n < r->n || !r->texts) {
    g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "row of %u cells, expected %u as in the header, found %u", n, r->n, n);
    return NULL;
  }
  if (n - r->n > MOST_SURPLUS || !search (&s, 0, 0, n - r->n)) {
    g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "row of %u cells, expected %u, or texts with separators between columns that tell where they are, found neither", n, r->n);
    return NULL;
  }
  *repaired = TRUE;
  char **out = g_new0 (char *, r->n + 1);

  for (guint i = 0, at = 0; i < r->n; at += width[i++]) {
    char *after = cell[at + width[i]];

    cell[at + width[i]] = NULL; /* join these */
    out[i] = g_strjoinv ("|", cell + at);
    cell[at + width[i]] = after;
  }
  return out;
}
