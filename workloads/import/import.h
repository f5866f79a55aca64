/* workloads/import/import.h - published traces become volsim's own files: what a format says about itself, and what it reports.
 *
 * A format is one file of this folder, one line in registry.c and one in meson.build. It says what its files look like (detect()) and reads
 * them (run()); everything else is done here: options, decompression, rows that cannot be read, sorting by (submission, row), shifting so that
 * the first submission is 0, GPU shares, the files that are written, and the report. docs/import.md walks through a whole format.
 *
 *   static gboolean
 *   job_row (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error)
 *   {
 *     WlTime submit, run;
 *     gint64 gpus;
 *
 *     if (!wl_import_time (csv, cell[C_SUBMIT], &submit, error) || !wl_import_time (csv, cell[C_RUN], &run, error)
 *         || !wl_import_int (csv, cell[C_GPUS], 0, 1000, &gpus, error))
 *       return FALSE;                                       (the message has file, line and column; --on-bad-row=skip counts it instead)
 *     if (run == 0)
 *       return wl_import_drop (imp, "never ran");           (a row that is left out says why)
 *     WlImportRole role = { .replicas = 1, .request = { .cpu_milli = 4000, .gpus = (guint32) gpus }, .duration = run };
 *     WlImportJob job = { .name = wl_csv_cell (csv, cell[C_ID]), .submit = submit, .role = &role, .n_roles = 1 };
 *
 *     wl_import_default (imp, "memory");                     (the trace is silent: the report counts what was made up)
 *     wl_import_job (imp, &job);
 *     return TRUE;
 *   }
 *
 * Texts that are passed to sinks are copied; NULL (or 0) means "not given" everywhere. Times are microseconds (WlTime) on the trace's own axis,
 * below 0 too; the shift happens at the end. Memory is about 140 bytes a job: pass rows on one by one, and do not keep them. */
#pragma once
#include "workloads/native/native.h"
#include "workloads/text/csv-table.h"
G_BEGIN_DECLS

typedef struct WlImport WlImport;

/* ---- what a format says about itself ------------------------------------------------------------ */

/* No cluster is larger; products of these can still be told from what nothing holds (wl_import_product()). */
#define WL_OPTION_MAX 1000000
#define WL_OPTION_MEMORY_MAX (G_GINT64_CONSTANT (1) << 46) /* bytes */

typedef enum {
  WL_OPTION_TEXT,
  WL_OPTION_INT,      /* a whole number from 0 to WL_OPTION_MAX: of things that may be missing */
  WL_OPTION_COUNT,    /* the same from 1 */
  WL_OPTION_SEED,     /* any whole number from 0 */
  WL_OPTION_NUMBER,   /* a decimal number from 0 */
  WL_OPTION_TIME,     /* seconds or 1h30m */
  WL_OPTION_QUANTITY, /* 96, 500m, 768Gi: from 0 to WL_OPTION_MAX, of memory to WL_OPTION_MEMORY_MAX */
  WL_OPTION_SIZE,     /* the same above 0 */
  WL_OPTION_CHOICE,   /* one of `choices` */
  WL_OPTION_SWITCH    /* --name; off by default */
} WlOptionKind;

typedef struct {
  const char *name;     /* without the dashes; the same name takes a value in every format, or in none. NULL ends a list */
  WlOptionKind kind;
  const char *fallback; /* default, as text; NULL: none (wl_import_given() tells) */
  const char *choices;  /* "a|b|c" of a choice */
  const char *help;     /* one line */
} WlImportOption;

/* The beginning of a file, decompressed: enough to recognise it. */
typedef struct {
  const char *name; /* of the file, without folders */
  const char *text; /* its first 64 KiB, NUL at the end */
  gsize len;
} WlImportHead;

/* How sure a format is of a file. Two formats that are equally sure are ambiguous, and the user must choose. */
#define WL_DETECT_NO 0
#define WL_DETECT_WEAK 20   /* could be (a count of fields, the name of the file) */
#define WL_DETECT_LIKELY 60 /* a header or keys that others may share */
#define WL_DETECT_SURE 100  /* a header or a mark that nobody else has */

typedef struct {
  const char *name;    /* as on the command line: openb */
  const char *title;   /* Alibaba GPU cluster 2023 */
  const char *files;   /* what is expected, in one line: "pod lists, and the node list" */
  const char *licence; /* of the published data, in one line */
  const WlImportOption *options; /* ended by a NULL name; NULL: none of its own */
  guint (*detect) (const WlImportHead *head); /* WL_DETECT_… for one file; each file of an import must be recognised */
  gboolean (*run) (WlImport *imp, GError **error);
} WlImportFormat;

/** First line that is not empty, without its end and a byte-order mark. (transfer full) */
char *wl_head_line (const WlImportHead *head);
/** Does the first line name all these columns ("a,b,c"; any order, others may be there)? @separator as in the file; blanks and quotes around names do
 * not matter. */
gboolean wl_head_has (const WlImportHead *head, char separator, const char *columns);
/** Is @key a key somewhere in the JSON or YAML of the head? */
gboolean wl_head_has_key (const WlImportHead *head, const char *key);
/** Fields of the first line, which has no quotes. */
guint wl_head_fields (const WlImportHead *head, char separator);

/* ---- options and files ---------------------------------------------------------------------------- */

/* Value of an option of the format (or of the common ones), checked before run(). Asking for a name that is not declared is a mistake in the
 * program. */
const char *wl_import_text (const WlImport *imp, const char *option);   /* NULL: no default and not given; a choice, too */
gboolean wl_import_is (const WlImport *imp, const char *option, const char *choice);
gint64 wl_import_number (const WlImport *imp, const char *option);      /* WL_OPTION_INT, _COUNT, _SEED; 0 without default */
double wl_import_decimal (const WlImport *imp, const char *option);     /* WL_OPTION_NUMBER */
WlTime wl_import_duration (const WlImport *imp, const char *option);    /* WL_OPTION_TIME */
gint64 wl_import_milli (const WlImport *imp, const char *option);       /* WL_OPTION_QUANTITY, _SIZE in thousandths */
gint64 wl_import_bytes (const WlImport *imp, const char *option);       /* WL_OPTION_QUANTITY, _SIZE in units */
gboolean wl_import_on (const WlImport *imp, const char *option);        /* WL_OPTION_SWITCH */
gboolean wl_import_given (const WlImport *imp, const char *option);     /* did the user say it? */

guint wl_import_n_files (const WlImport *imp);
const char *wl_import_path (const WlImport *imp, guint file);
const WlImportHead *wl_import_head (const WlImport *imp, guint file); /* to tell node lists from job lists */

/* ---- reading -------------------------------------------------------------------------------------- */

/** One row of a table: sinks are called only when nothing can fail any more. FALSE with @error (located by wl_csv_locate() and the like) is a bad
 * row. */
typedef gboolean WlImportRow (WlImport *imp, WlCsv *csv, const int *cell, gpointer user, GError **error);

/** Read table @file: rows of the shape @shape (NULL: commas and a header), whose columns @known are looked for by name. cell[i] is the place of
 * known[i], -1 when an optional one is missing. Columns that @known does not name are refused, unless @shape says others. FALSE with @error. */
gboolean wl_import_table (WlImport *imp, guint file, const WlCsvShape *shape, const WlColumn *known, guint n_known, WlImportRow *row,
                          gpointer user, GError **error);
/** Whole text of @file (JSON, YAML, XML), NUL at the end; NULL with @error. (transfer full) */
char *wl_import_whole (WlImport *imp, guint file, gsize *len, GError **error);
/** Read @file line by line. @line is without its end; @number counts from 1. The function judges comments and empty lines itself and calls
 * wl_import_begin_row() for each row. FALSE with @error ("what, expected …, found …"; place it by wl_import_locate()) is a bad row. */
typedef gboolean WlImportLine (WlImport *imp, guint file, guint64 number, char *line, gsize len, gpointer user, GError **error);
gboolean wl_import_lines (WlImport *imp, guint file, WlImportLine *line, gpointer user, GError **error);
/** Put "file:line:column: " in front of @error; returns FALSE. */
gboolean wl_import_locate (WlImport *imp, guint file, guint64 line, guint64 column, GError **error);

/** For readers without wl_import_table(): a row begins. read = imported + dropped + bad rows. */
void wl_import_begin_row (WlImport *imp);
/** For the same: a row could not be read. TRUE: it is skipped and counted, *error is cleared; FALSE: the import fails with *error, always so when that is a
 * WL_ERROR_HEADER. */
gboolean wl_import_bad_row (WlImport *imp, GError **error);
/** The row at hand (or @n that were counted as imported, at the end) is left out for @reason, a literal such as "never scheduled". TRUE always. */
gboolean wl_import_drop (WlImport *imp, const char *reason);
void wl_import_drop_more (WlImport *imp, const char *reason, guint64 n);
/** The trace does not say @field of the job or node at hand: the report counts values that were made up. */
void wl_import_default (WlImport *imp, const char *field);
void wl_import_default_more (WlImport *imp, const char *field, guint64 n);
/** Anything else that is worth counting: "gpu_type ignored", "request rounded up". */
void wl_import_note (WlImport *imp, const char *what, guint64 n);

/* One cell of a table, with place in messages; FALSE with @error. */
gboolean wl_import_int (const WlCsv *csv, int cell, gint64 min, gint64 max, gint64 *out, GError **error); /* 3 or 3.0 */
/** A decimal number times @scale, rounded to the nearest integer (half up), from @min to @max: "0.5" with 1000 is 500. Never through double
 * where the text is short enough to be exact (18 digits). */
gboolean wl_import_scaled (const WlCsv *csv, int cell, gint64 scale, gint64 min, gint64 max, gint64 *out, GError **error);
gboolean wl_import_time (const WlCsv *csv, int cell, WlTime *out, GError **error); /* seconds; may be negative, may have rounding noise */
/** Is the cell one of the spellings of a missing value: empty, nan, NaN, None, NULL, NA, Unknown? */
gboolean wl_import_missing (const WlCsv *csv, int cell);
/** The same for texts of other sources. FALSE with @error "what, expected …, found …" without a place. */
gboolean wl_import_parse_scaled (const char *text, gint64 scale, gint64 min, gint64 max, gint64 *out, GError **error);
gboolean wl_import_parse_int (const char *text, gint64 min, gint64 max, gint64 *out, GError **error); /* 3 or 3.0 */
gboolean wl_import_parse_missing (const char *text);
/** Wall-clock text "2017-10-03 21:04:05" (or with T; a fraction, and Z or +08:00, may follow) as microseconds since 1970, taken as it stands: the
 * zone is subtracted only when it is written. */
gboolean wl_import_parse_clock (const char *text, WlTime *out, GError **error);

/* ---- sinks ---------------------------------------------------------------------------------------- */

/* Amounts of a pod, a node or a queue. GPUs are devices; a pod may ask for a part of each, which --gpu-share turns into resources. */
typedef struct {
  gint64 cpu_milli;
  gint64 memory;     /* bytes */
  guint32 gpus;
  guint32 gpu_milli; /* of a pod: share of each device, 1 to 1000; 0: whole devices */
  const char *more;  /* other resources: "rdma.io/nic=25;ephemeral-storage=10Gi" */
} WlImportAmounts;

/** @a times @b over @per, cut off at what the sinks refuse as too much. */
gint64 wl_import_product (gint64 a, gint64 b, gint64 per);

typedef struct {
  const char *name;          /* made a valid name; NULL: n-0, n-1, … */
  WlTime time;               /* of the event; WL_TIME_NONE (or before the first submission): from the start */
  WlNodeEvent event;         /* WL_NODE_ADD unless set */
  WlImportAmounts capacity;
  gint64 pods;               /* most pods; 0: Kubernetes' 110, -1: no limit (as good as); --node-pods overrides both */
  const char *model;         /* of its GPUs: label gpu-model */
  const char *labels;        /* "rack=r1;zone=a" */
  const char *taints;        /* "key=value:NoSchedule" */
  const char *annotations;   /* "key=value", a semicolon in a value as "\;" */
  guint32 count;             /* so many equal nodes <name>-0, <name>-1, …; 0 or 1: one */
} WlImportNode;
void wl_import_node (WlImport *imp, const WlImportNode *node);

/* One role: pods that ask for the same. */
typedef struct {
  const char *name;              /* a label; NULL: task */
  guint32 replicas;              /* 0: 1 */
  gint32 min_available;          /* of the role; 0: all of its replicas */
  WlImportAmounts request;
  WlTime duration;               /* of every pod; WL_TIME_NEVER: for ever */
  const WlTime *durations;       /* per replica, `replicas` of them, in place of the one */
  int exit_code;
  const char *node_selector;     /* "gpu-model=A|B;zone!=c;cores>64": terms that must all hold (docs/scenario.md) */
  const char *tolerations;       /* "key=value:NoSchedule" */
  const char *apart;             /* pods with the same text, made a valid name, never share a node; NULL: none */
  const char *scale;             /* replicas over time, "1h:5>2h:1" since the submission */
  WlTime checkpoint, restart_cost; /* 0: not given (docs/scenario.md) */
  const char *apart_by;          /* label of nodes (kubernetes.io/hostname): no two pods of the job on nodes with the same value */
  const char *spread;            /* the same as a wish: as evenly as can be over the values */
} WlImportRole;

typedef struct {
  const char *name;              /* the trace's own id, made a valid name; NULL: <format>-000000 by row. One that exists already is refused */
  const char *ns;                /* NULL: default */
  const char *queue;             /* made a valid name; NULL: default. A queue that nobody declares gets weight 1 */
  const char *priority;          /* class, or an integer; NULL: 0 */
  WlTime submit;
  gint32 min_available;          /* gang; 0: all pods of all roles (their minima) */
  int preemptable;               /* 1 yes, 0 not said, -1 no */
  WlTime remove;                 /* when its user deletes it; 0 or WL_TIME_NONE: never */
  WlTime walltime;               /* time that its user asked for; 0 or WL_TIME_NONE: none */
  const WlImportRole *role; guint n_roles;
  gboolean by_object;            /* it stands among wl_import_objects() under that very name: it is counted, and no row of jobs.csv. Its queue is no affair of ours */
  const char *flow;              /* jobs of one flow come together, one call after the other and with one submission, and each begins when those of `after` are */
  const guint32 *after; guint n_after; /* … completed (numbers that wl_import_job() gave). Their names become <flow>-<name>. NULL: none */
  const char *const *extra;      /* values of the columns of wl_import_extra(), in that order; NULL: none */
} WlImportJob;
/** Collect a job. Returns its number, for wl_import_recorded(); G_MAXUINT32 when its name is taken, which is dropped and counted ("duplicate id"). */
guint32 wl_import_job (WlImport *imp, const WlImportJob *job);
/** Declare a column x_… of jobs.csv, which results carry along (users, models), or one of volsim's own that WlImportJob does not have, before the
 * first job. */
void wl_import_extra (WlImport *imp, const char *column);

typedef struct {
  const char *name, *parent; /* made valid names */
  WlTime time;               /* WL_TIME_NONE: from the start; later rows change the queue */
  gint32 weight;             /* 0: 1 */
  int reclaimable;           /* 1 yes, 0 not said, -1 no */
  WlImportAmounts capability, deserved, guarantee; /* all zero: not given */
  gboolean gpu_limit;        /* no GPUs in the capability are a limit of 0 */
} WlImportQueue;
void wl_import_queue (WlImport *imp, const WlImportQueue *queue);
void wl_import_priority_class (WlImport *imp, const char *name, gint32 value); /* the first value of a name counts */

/* A row of faults.csv (docs/scenario.md): @duration WL_TIME_NEVER has no end. */
typedef struct { WlTime time; const char *kind, *target, *value; WlTime duration; } WlImportFault;
void wl_import_fault (WlImport *imp, const WlImportFault *fault);

/* What the trace says has happened: kept for comparison, never shown to the scheduler. */
typedef struct {
  WlTime wait;         /* WL_TIME_NONE: start minus submission; WL_TIME_NEVER: not recorded */
  WlTime start, end;   /* WL_TIME_NONE: not recorded */
  const char *status;  /* as in the trace */
  const char *nodes;   /* where, pod by pod: "n1|n2" (made valid names); NULL: not recorded */
  guint32 evictions;
} WlImportRecord;
void wl_import_recorded (WlImport *imp, guint32 job, const WlImportRecord *record);

/** Kubernetes objects that native tables cannot say: YAML documents of objects.yaml, each after "---\n". Times in them are on the axis of the results:
 * call wl_import_set_offset() first. */
GString *wl_import_objects (WlImport *imp);
/** One of them is a queue of its own. */
void wl_import_object_queue (WlImport *imp);
/** volcano-scheduler.conf, in place of what would be written otherwise. The first one counts. */
void wl_import_conf (WlImport *imp, const char *text);
/** A line of scenario.yaml ("period", "60s"). */
void wl_import_scenario (WlImport *imp, const char *key, const char *value);
/** The trace's time 0 is this second since 1970: scenario.yaml gets `start`. */
void wl_import_origin (WlImport *imp, gint64 unix_seconds);
/** Shift by this in place of the first submission. */
void wl_import_set_offset (WlImport *imp, WlTime offset);
/** Time that the recorded load is spread over, for the offered load; without it first to last submission. */
void wl_import_span (WlImport *imp, WlTime begin, WlTime end);

/** The name of the trace's node @text in our files. Borrowed. */
const char *wl_import_node_name (WlImport *imp, const char *text);
/** @text as a DNS label: lower case, others than letters and digits as '-', at most 63 bytes; "x" when nothing is left. (transfer full) */
char *wl_import_label (const char *text);
/** @text as the value of a label: others than letters, digits, '-', '_' and '.' as '-', at most 63 bytes. For terms of node selectors. (transfer full) */
char *wl_import_label_value (const char *text);

/* ---- for the command line ------------------------------------------------------------------------- */

extern const WlImportFormat *const wl_import_formats[]; /* by name; NULL ends it */
extern const WlImportOption wl_import_common[];         /* options of every format */
const WlImportFormat *wl_import_find (const char *name); /* NULL: no such */
/** The one format that recognises all of @paths. NULL with @error: none, or several (they are listed). */
const WlImportFormat *wl_import_detect (const char *const *paths, guint n, GError **error);
/** Option @name of the format or of all; NULL with @error that names the nearest. */
const WlImportOption *wl_import_option (const WlImportFormat *format, const char *name, GError **error);
/** Import @paths into the folder @out, which is made, or replaces an earlier import. @options are "name=value". *@report is the text of import.txt.
 * Errors are WL_ERROR: of the input, or WL_ERROR_WRITE; nothing is left behind then. */
gboolean wl_import_run (const WlImportFormat *format, const char *const *paths, guint n, const char *const *options, const char *out,
                        char **report, GError **error);

G_END_DECLS
