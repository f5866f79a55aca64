/* Traces as the Standard Workload Format and as a Batsim workload. */
#include "transform.h"
#include "workloads/append.h"
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
} Facts;

static Facts
facts_of (const WlJob *job)
{
  Facts f = { .several = job->roles->len > 1 };
  double first = -1;

  for (guint i = 0; i < job->roles->len; i++) {
    const WlRole *role = &g_array_index (job->roles, WlRole, i);

    f.pods += role->replicas;
    f.cores += amount_of (role->resources, "cpu") * role->replicas;
    f.memory += amount_of (role->resources, "memory") * role->replicas;
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

/* Number of a name from 1 on, in the order in which they come; of an empty one -1. */
static int
number_of (GHashTable *known, GPtrArray *names, const char *name)
{
  gpointer at;

  if (name == NULL || *name == '\0')
    return -1;
  if (g_hash_table_lookup_extended (known, name, NULL, &at))
    return GPOINTER_TO_INT (at);
  g_ptr_array_add (names, g_strdup (name));
  g_hash_table_insert (known, g_strdup (name), GINT_TO_POINTER ((int) names->len));
  return (int) names->len;
}

static const char *
user_of (const WlJob *job)
{
  for (guint i = 0; i < job->extra->len; i++)
    if (strcmp (g_array_index (job->extra, WlPair, i).key, "x_user") == 0)
      return g_array_index (job->extra, WlPair, i).value;
  return NULL;
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
initial_nodes (const GArray *nodes, double *cores, double *most, double *memory)
{
  guint n = 0;

  *cores = *most = *memory = 0;
  for (guint i = 0; i < nodes->len; i++) {
    const WlNodeRow *row = &g_array_index (nodes, WlNodeRow, i);

    if (row->event != WL_NODE_ADD || row->time > 0)
      continue;
    double c = amount_of (row->resources, "cpu");

    n++;
    *cores += c;
    *most = MAX (*most, c);
    *memory = MAX (*memory, amount_of (row->resources, "memory"));
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
wl_export_swf (const GArray *nodes, const GArray *jobs, GPtrArray *notes, GError **error)
{
  g_autoptr (GString) body = g_string_new (NULL);
  GString *out = g_string_new (NULL);
  g_autoptr (GHashTable) users = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), queues = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) user_names = g_ptr_array_new_with_free_func (g_free), queue_names = g_ptr_array_new_with_free_func (g_free);
  guint64 several = 0, uneven = 0, devices = 0, endless = 0, idle = 0, parts = 0, written = 0;
  double cores, most, memory, longest = 0;
  guint n_nodes = initial_nodes (nodes, &cores, &most, &memory);

  for (guint i = 0; i < jobs->len; i++) {
    const WlJob *job = &g_array_index (jobs, WlJob, i);
    Facts f = facts_of (job);
    double processors = ceil (f.cores);

    if (f.seconds < 0 || processors < 1) {
      endless += f.seconds < 0;
      idle += f.seconds >= 0;
      continue;
    }
    several += f.several;
    uneven += f.uneven;
    devices += f.devices;
    parts += processors != f.cores;
    longest = MAX (longest, f.seconds);
    g_string_append_printf (body, "%" G_GUINT64_FORMAT, ++written);
    add_field (body, (double) job->submit / G_USEC_PER_SEC);
    add_field (body, -1);
    add_field (body, f.seconds);
    add_field (body, processors);
    g_string_append (body, " -1 -1");
    add_field (body, processors);
    add_field (body, -1);
    add_field (body, f.memory > 0 ? ceil (f.memory / 1024 / processors) : -1);
    g_string_append_printf (body, " %d %d -1 -1 %d -1 -1 -1\n", f.fails ? 0 : 1, number_of (users, user_names, user_of (job)), number_of (queues, queue_names, job->queue));
  }
  g_autofree char *version = g_strdup ("2.2"), *max_jobs = g_strdup_printf ("%" G_GUINT64_FORMAT, written), *max_nodes = g_strdup_printf ("%u", n_nodes),
                  *max_procs = g_strdup_printf ("%.0f", cores), *max_memory = g_strdup_printf ("%.0f", memory / 1024), *max_runtime = g_strdup_printf ("%.0f", ceil (longest));

  add_header (out, "Version", version);
  add_header (out, "Conversion", "volsim transform");
  add_header (out, "MaxJobs", max_jobs);
  add_header (out, "MaxRecords", max_jobs);
  add_header (out, "MaxNodes", max_nodes);
  add_header (out, "MaxProcs", max_procs);
  add_header (out, "MaxRuntime", max_runtime);
  if (memory > 0)
    add_header (out, "MaxMemory", max_memory);
  for (guint i = 0; i < queue_names->len; i++) {
    g_autofree char *text = g_strdup_printf ("%u %s", i + 1, (const char *) queue_names->pdata[i]);
    add_header (out, "Queue", text);
  }
  g_string_append_len (out, body->str, (gssize) body->len);
  note (notes, endless, "never end: left out");
  note (notes, idle, "ask for no processor: left out");
  note (notes, several, "have several tasks: their processors are added up");
  note (notes, uneven, "have pods of different running times: the longest counts");
  note (notes, devices, "ask for devices, which the format cannot say");
  note (notes, parts, "ask for parts of processors: rounded up");
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
  guint64 endless = 0, several = 0, uneven = 0, shared = 0;
  double cores, most, memory;
  guint n_nodes = initial_nodes (nodes, &cores, &most, &memory);

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
    g_string_append_printf (list, ", \"res\": %" G_GUINT64_FORMAT ", \"profile\": ", f.pods);
    wl_append_quoted (list, profile->str);
    g_string_append (list, "}");
  }
  g_string_append_printf (out, "{\n  \"description\": \"made by volsim transform\",\n  \"nb_res\": %u,\n  \"jobs\": [%s\n  ],\n  \"profiles\": {%s\n  }\n}\n", n_nodes, list->str,
                          profiles->str);
  note (notes, endless, "never end: left out");
  note (notes, several, "have several tasks: each pod is a host");
  note (notes, uneven, "have pods of different running times: the longest counts");
  note (notes, shared, "do not fill the hosts that they get: a host belongs to one job there");
  return out;
}
