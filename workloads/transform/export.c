/* Traces as the Standard Workload Format and as a Batsim workload. */
#include "transform.h"
#include "workloads/native/append.h"
#include <math.h>
#include <string.h>

static double
amount_of (const GArray *resources, const char *name)
{
  for (guint i = 0; i < resources->len; i++)
    if (strcmp (g_array_index (resources, WlResource, i).name, name) == 0)
      return wl_units (&g_array_index (resources, WlResource, i));
  return 0;
}

typedef struct {
  double seconds;        /* the longest first run of a pod; -1: for ever */
  double cores, memory;  /* of all pods */
  guint64 pods;
  gboolean several, uneven, devices, fails;
  gboolean alike;        /* pods ask for memory in proportion to their cores, as pods of a job that fill nodes do */
} Facts;

static Facts
facts_of (const WlJob *job)
{
  Facts f = { .several = job->roles->len > 1, .alike = TRUE };
  double first = -1, each = -1;

  for (guint i = 0; i < job->roles->len; i++) {
    const WlRole *role = &g_array_index (job->roles, WlRole, i);

    const double cores = amount_of (role->resources, "cpu"), memory = amount_of (role->resources, "memory");

    f.alike = f.alike && cores > 0 && (each < 0 || each == memory / cores);
    each = cores > 0 ? memory / cores : 0;
    f.pods += role->replicas;
    f.cores += cores * role->replicas;
    f.memory += memory * role->replicas;
    for (guint k = 0; k < role->resources->len; k++)
      f.devices |= strchr (g_array_index (role->resources, WlResource, k).name, '/') != NULL;
    for (guint k = 0; k < role->durations->len; k++) {
      const GArray *runs = g_array_index (role->durations, GArray *, k);
      WlTime t = runs->len > 0 ? g_array_index (runs, WlTime, 0) : WL_TIME_NEVER;
      double s = t == WL_TIME_NEVER ? -1 : (double) t / G_USEC_PER_SEC;

      f.uneven |= first >= 0 && s != first;
      first = s;
      f.seconds = s < 0 || f.seconds < 0 ? -1 : MAX (f.seconds, s);
    }
    for (guint k = 0; k < role->exit_codes->len; k++) {
      const GArray *runs = g_array_index (role->exit_codes, GArray *, k);

      f.fails |= runs->len > 0 && g_array_index (runs, gint32, 0) != 0;
    }
  }
  return f;
}

static void
note (GPtrArray *notes, guint64 n, const char *what)
{
  if (n > 0)
    g_ptr_array_add (notes, g_strdup_printf ("%" G_GUINT64_FORMAT " jobs %s", n, what));
}

/* ---- numbers of names ------------------------------------------------------------------------------ */

/* SWF has numbers for names. Names that all are one behind the same prefix ("job-17") keep it, others are counted from 1 in the order in which they come. */
typedef struct {
  const char *prefix;
  GHashTable *known; /* name → number */
  GPtrArray *names;  /* by number, of those that are counted */
  gboolean keeps;
} Numbers;

static void
numbers_init (Numbers *n, const char *prefix)
{
  *n = (Numbers) { .prefix = prefix, .known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), .names = g_ptr_array_new_with_free_func (g_free), .keeps = TRUE };
}

static void
numbers_clear (Numbers *n)
{
  g_hash_table_unref (n->known);
  g_ptr_array_unref (n->names);
}

/* The number of "job-17"; -1: not such a name. */
static int
number_in (const Numbers *n, const char *name)
{
  const char *digits = g_str_has_prefix (name, n->prefix) ? name + strlen (n->prefix) : "";
  const gsize len = strlen (digits);

  if (len == 0 || len > 9 || (len > 1 && *digits == '0') || digits[strspn (digits, "0123456789")] != '\0')
    return -1;
  return (int) g_ascii_strtoll (digits, NULL, 10);
}

/* To be called for every name before number_of(). The queue default needs no number: a log without queues means it. */
static void
note_name (Numbers *n, const char *name)
{
  n->keeps = n->keeps && (name == NULL || *name == '\0' || strcmp (name, "default") == 0 || number_in (n, name) >= 0);
}

static int
number_of (Numbers *n, const char *name)
{
  gpointer at;

  if (name == NULL || *name == '\0')
    return -1;
  if (n->keeps)
    return number_in (n, name);
  if (g_hash_table_lookup_extended (n->known, name, NULL, &at))
    return GPOINTER_TO_INT (at);
  g_ptr_array_add (n->names, g_strdup (name));
  g_hash_table_insert (n->known, g_strdup (name), GINT_TO_POINTER ((int) n->names->len));
  return (int) n->names->len;
}

static const char *
extra_of (const WlJob *job, const char *column)
{
  for (guint i = 0; i < job->extra->len; i++)
    if (strcmp (g_array_index (job->extra, WlPair, i).key, column) == 0)
      return g_array_index (job->extra, WlPair, i).value;
  return NULL;
}

enum { JOB, USER, GROUP, PROGRAM, QUEUE, N_NUMBERS };

static const char *
name_of (const WlJob *job, guint kind)
{
  return kind == JOB ? job->name : kind == QUEUE ? job->queue : extra_of (job, kind == USER ? "x_user" : kind == GROUP ? "x_group" : "x_program");
}

/* Job numbers are kept when no two jobs have the same. */
static void
note_names (Numbers numbers[N_NUMBERS], const GArray *jobs)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < jobs->len; i++) {
    const WlJob *job = &g_array_index (jobs, WlJob, i);

    for (guint k = 0; k < N_NUMBERS; k++)
      note_name (&numbers[k], name_of (job, k));
    numbers[JOB].keeps = g_hash_table_add (seen, job->name) && numbers[JOB].keeps;
  }
}

/* A field of SWF: a whole number, or with the decimals that there are. */
static void
add_field (GString *out, double v)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (out, " %s", v == floor (v) && fabs (v) < 1e15 ? g_ascii_formatd (buf, sizeof buf, "%.0f", v) : g_ascii_formatd (buf, sizeof buf, "%.6f", v));
}

/* Nodes that are there from the start. */
static guint
initial_nodes (const GArray *nodes, double *cores, double *most, double *memory, guint64 *others)
{
  guint n = 0;

  *cores = *most = *memory = 0;
  *others = 0;
  for (guint i = 0; i < nodes->len; i++) {
    const WlNodeRow *row = &g_array_index (nodes, WlNodeRow, i);

    if (row->event != WL_NODE_ADD || row->time > 0)
      continue;
    double c = amount_of (row->resources, "cpu"), m = amount_of (row->resources, "memory");

    *others += n > 0 && (c != *most || m != *memory);
    n++;
    *cores += c;
    *most = MAX (*most, c);
    *memory = MAX (*memory, m);
  }
  return n;
}

/* A header line's value: one line. */
static void
add_header (GString *out, const char *name, const char *value)
{
  g_autofree char *line = g_strdelimit (g_strdup (value), "\r\n", ' ');

  g_string_append_printf (out, "; %s: %s\n", name, line);
}

GString *
wl_export_swf (const GArray *nodes, const GArray *jobs, gint64 start, GPtrArray *notes, GError **error)
{
  static const char *const prefix[N_NUMBERS] = { [JOB] = "job-", [USER] = "", [GROUP] = "", [PROGRAM] = "", [QUEUE] = "queue-" };
  g_autoptr (GString) body = g_string_new (NULL);
  GString *out = g_string_new (NULL);
  Numbers numbers[N_NUMBERS];
  guint64 several = 0, uneven = 0, devices = 0, endless = 0, idle = 0, parts = 0, failed = 0, spaces = 0, instant = 0, written = 0, others;
  double cores, most, memory, longest = 0;
  guint n_nodes = initial_nodes (nodes, &cores, &most, &memory, &others);

  for (guint k = 0; k < N_NUMBERS; k++)
    numbers_init (&numbers[k], prefix[k]);
  note_names (numbers, jobs);
  for (guint i = 0; i < jobs->len; i++) {
    const WlJob *job = &g_array_index (jobs, WlJob, i);
    Facts f = facts_of (job);
    double processors = ceil (f.cores);

    if (f.seconds < 0 || processors < 1) {
      endless += f.seconds < 0;
      idle += f.seconds >= 0;
      continue;
    }
    several += f.several && !f.alike;
    uneven += f.uneven;
    devices += f.devices;
    failed += f.fails;
    instant += f.seconds == 0;
    spaces += strcmp (job->ns, "default") != 0;
    parts += processors != f.cores;
    longest = MAX (longest, f.seconds);
    written++;
    g_string_append_printf (body, "%d", number_of (&numbers[JOB], job->name));
    add_field (body, (double) job->submit / G_USEC_PER_SEC);
    add_field (body, -1);
    add_field (body, f.seconds);
    add_field (body, processors);
    g_string_append (body, " -1 -1");
    add_field (body, processors);
    add_field (body, job->walltime == WL_TIME_NONE ? -1 : (double) job->walltime / G_USEC_PER_SEC);
    add_field (body, f.memory > 0 ? ceil (f.memory / 1024 / processors) : -1);
    g_string_append_printf (body, " %d", f.fails ? 0 : 1);
    for (guint k = USER; k <= QUEUE; k++)
      g_string_append_printf (body, " %d", number_of (&numbers[k], name_of (job, k)));
    g_string_append (body, " -1 -1 -1\n");
  }
  g_autofree char *version = g_strdup ("2.2"), *max_jobs = g_strdup_printf ("%" G_GUINT64_FORMAT, written), *max_nodes = g_strdup_printf ("%u", n_nodes),
                  *max_procs = g_strdup_printf ("%.0f", cores), *max_memory = g_strdup_printf ("%.0f", memory / 1024), *max_runtime = g_strdup_printf ("%.0f", ceil (longest)),
                  *unix_start = g_strdup_printf ("%" G_GINT64_FORMAT, start);

  add_header (out, "Version", version);
  add_header (out, "Conversion", "volsim transform");
  add_header (out, "MaxJobs", max_jobs);
  add_header (out, "MaxRecords", max_jobs);
  if (start >= 0)
    add_header (out, "UnixStartTime", unix_start);
  add_header (out, "MaxNodes", max_nodes);
  add_header (out, "MaxProcs", max_procs);
  add_header (out, "MaxRuntime", max_runtime);
  if (memory > 0)
    add_header (out, "MaxMemory", max_memory);
  for (guint i = 0; i < numbers[QUEUE].names->len; i++) {
    g_autofree char *text = g_strdup_printf ("%u %s", i + 1, (const char *) numbers[QUEUE].names->pdata[i]);
    add_header (out, "Queue", text);
  }
  g_string_append_len (out, body->str, (gssize) body->len);
  note (notes, endless, "never end: left out");
  note (notes, idle, "ask for no processor: left out");
  note (notes, several, "have several tasks: their processors are added up");
  note (notes, uneven, "have pods of different running times: the longest counts");
  note (notes, devices, "ask for devices, which the format cannot say");
  note (notes, parts, "ask for parts of processors: rounded up");
  note (notes, spaces, "lose their namespace");
  note (notes, failed, "fail: their status is 0");
  note (notes, instant, "have a running time of 0, which most readers leave out");
  note (notes, numbers[JOB].keeps ? 0 : written, "lose their name: they are numbered");
  if (others > 0)
    g_ptr_array_add (notes, g_strdup ("nodes of different sizes: their average is said, and the largest memory"));
  for (guint k = 0; k < N_NUMBERS; k++)
    numbers_clear (&numbers[k]);
  return out;
}

static void
add_json_number (GString *out, double v)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (out, v == floor (v) && fabs (v) < 1e15 ? g_ascii_formatd (buf, sizeof buf, "%.0f", v) : g_ascii_formatd (buf, sizeof buf, "%.6f", v));
}

GString *
wl_export_batsim (const GArray *nodes, const GArray *jobs, GPtrArray *notes, GError **error)
{
  GString *out = g_string_new (NULL);
  g_autoptr (GString) list = g_string_new (NULL), profiles = g_string_new (NULL);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint64 endless = 0, several = 0, uneven = 0, shared = 0, beyond = 0, others;
  double cores, most, memory;
  guint n_nodes = initial_nodes (nodes, &cores, &most, &memory, &others);

  for (guint i = 0; i < jobs->len; i++) {
    const WlJob *job = &g_array_index (jobs, WlJob, i);
    g_autoptr (GString) profile = g_string_new (NULL);
    Facts f = facts_of (job);

    if (f.seconds < 0) {
      endless++;
      continue;
    }
    several += f.several;
    uneven += f.uneven;
    shared += f.cores < most * (double) f.pods;
    g_string_append (profile, f.fails ? "fail-" : "delay-");
    add_json_number (profile, f.seconds);
    if (g_hash_table_add (known, g_strdup (profile->str))) {
      g_string_append (profiles, profiles->len > 0 ? ",\n    " : "\n    ");
      wl_append_quoted (profiles, profile->str);
      g_string_append (profiles, ": {\"type\": \"delay\", \"delay\": ");
      add_json_number (profiles, f.seconds);
      g_string_append (profiles, f.fails ? ", \"ret\": 1}" : "}");
    }
    g_string_append (list, list->len > 0 ? ",\n    {\"id\": " : "\n    {\"id\": ");
    if (strcmp (job->ns, "default") == 0)
      wl_append_quoted (list, job->name);
    else {
      g_autofree char *full = g_strdup_printf ("%s/%s", job->ns, job->name);
      wl_append_quoted (list, full);
    }
    g_string_append (list, ", \"subtime\": ");
    add_json_number (list, (double) job->submit / G_USEC_PER_SEC);
    g_string_append_printf (list, ", \"res\": %" G_GUINT64_FORMAT, f.pods);
    if (job->walltime != WL_TIME_NONE && job->walltime > 0) {
      g_string_append (list, ", \"walltime\": ");
      add_json_number (list, (double) job->walltime / G_USEC_PER_SEC);
      beyond += f.seconds > (double) job->walltime / G_USEC_PER_SEC;
    }
    g_string_append (list, ", \"profile\": ");
    wl_append_quoted (list, profile->str);
    g_string_append (list, "}");
  }
  g_string_append_printf (out, "{\n  \"description\": \"made by volsim transform\",\n  \"nb_res\": %u,\n  \"jobs\": [%s\n  ],\n  \"profiles\": {%s\n  }\n}\n", n_nodes, list->str,
                          profiles->str);
  note (notes, endless, "never end: left out");
  note (notes, several, "have several tasks: each pod is a host");
  note (notes, uneven, "have pods of different running times: the longest counts");
  note (notes, beyond, "run longer than they have asked for: Batsim kills them");
  note (notes, shared, "do not fill the hosts that they get: a host belongs to one job there");
  return out;
}
