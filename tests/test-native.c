/* tests/test-native.c - native trace files that are right: what the readers make of them. */
#include "suite.h"
#include "workloads/native/native.h"
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* ---- helpers ---- */

typedef GArray *(*ReadFn) (const char *path, GError **error);

/* Read @bytes under the name @name in a folder of its own; NULL with a failed check. */
static GArray *
read_bytes (ReadFn read_fn, const char *name, const void *bytes, gsize size)
{
  g_autofree char *dir = g_dir_make_tmp ("volsim-native-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, name, NULL);
  g_autoptr (GError) error = NULL;
  GArray *rows;

  suite_check (g_file_set_contents (path, bytes, (gssize) size, NULL), "%s is written", path);
  rows = read_fn (path, &error);
  suite_check ((rows == NULL) == (error != NULL), "an error and only then");
  suite_check (rows != NULL, "accepted, not: %s", error != NULL ? error->message : "");
  g_unlink (path);
  g_rmdir (dir);
  return rows;
}

static GArray *
read_text (ReadFn read_fn, const char *text)
{
  return read_bytes (read_fn, "input.csv", text, strlen (text));
}

static void
add_resources (GString *out, const GArray *list)
{
  for (guint i = 0; list != NULL && i < list->len; i++) {
    const WlResource *res = &g_array_index (list, WlResource, i);

    g_string_append_printf (out, "%s%s=%" G_GINT64_FORMAT, i > 0 ? "," : "", res->name,
                            res->amount.milli);
  }
}

static void
add_pairs (GString *out, const GArray *list)
{
  for (guint i = 0; i < list->len; i++) {
    const WlPair *pair = &g_array_index (list, WlPair, i);

    g_string_append_printf (out, "%s%s=%s", i > 0 ? "," : "", pair->key, pair->value);
  }
}

static void
add_taints (GString *out, const GArray *list)
{
  for (guint i = 0; i < list->len; i++) {
    const WlTaint *t = &g_array_index (list, WlTaint, i);

    g_string_append_printf (out, "%s%s%s%s:%s", i > 0 ? "," : "", t->key, t->exists ? "~" : "=",
                            t->value, t->effect);
  }
}

/* "10|20>30": lists of times or of exit codes. */
static void
add_lists (GString *out, const GArray *lists, gboolean times)
{
  for (guint i = 0; i < lists->len; i++) {
    const GArray *runs = g_array_index (lists, GArray *, i);

    if (i > 0)
      g_string_append_c (out, '|');
    for (guint k = 0; k < runs->len; k++) {
      if (k > 0)
        g_string_append_c (out, '>');
      if (times)
        wl_append_time (out, g_array_index (runs, WlTime, k));
      else
        g_string_append_printf (out, "%d", g_array_index (runs, gint32, k));
    }
  }
}

/* One line a node row. */
static char *
show_nodes (const GArray *rows)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; rows != NULL && i < rows->len; i++) {
    const WlNodeRow *row = &g_array_index (rows, WlNodeRow, i);

    g_string_append_printf (out, "%u %s @", row->line, row->name);
    wl_append_time (out, row->time);
    g_string_append_printf (out, " %d %s[", (int) row->event, row->has_resources ? "R" : "-");
    add_resources (out, row->resources);
    g_string_append_printf (out, "] %s[", row->has_labels ? "L" : "-");
    add_pairs (out, row->labels);
    g_string_append_printf (out, "] %s[", row->has_taints ? "T" : "-");
    add_taints (out, row->taints);
    g_string_append_c (out, ']');
    if (row->has_annotations) {
      g_string_append (out, " A[");
      add_pairs (out, row->annotations);
      g_string_append_c (out, ']');
    }
    g_string_append_c (out, '\n');
  }
  return g_string_free (out, FALSE);
}

/* One line a job, one a role. */
static char *
show_jobs (const GArray *jobs)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; jobs != NULL && i < jobs->len; i++) {
    const WlJob *job = &g_array_index (jobs, WlJob, i);

    g_string_append_printf (out, "%u %s/%s q=%s @", job->line, job->ns, job->name, job->queue);
    wl_append_time (out, job->submit);
    g_string_append_printf (out,
                            " prio=%s min=%d res=", job->priority != NULL ? job->priority : "-",
                            job->min_available);
    g_string_append (out, job->min_resources != NULL ? "" : "-");
    add_resources (out, job->min_resources);
    g_string_append_printf (out, " pre=%d retry=%d succ=%d ttl=%" G_GINT64_FORMAT " del=",
                            job->preemptable, job->max_retry, job->min_success, job->ttl);
    wl_append_time (out, job->remove);
    g_string_append (out, " x[");
    add_pairs (out, job->extra);
    g_string_append (out, "]\n");
    for (guint k = 0; k < job->roles->len; k++) {
      const WlRole *role = &g_array_index (job->roles, WlRole, k);

      g_string_append_printf (out, " %u %s*%u min=%d [", role->line, role->name, role->replicas,
                              role->min_available);
      add_resources (out, role->resources);
      g_string_append (out, "] d=");
      add_lists (out, role->durations, TRUE);
      g_string_append (out, " e=");
      add_lists (out, role->exit_codes, FALSE);
      g_string_append (out, " s[");
      add_pairs (out, role->node_selector);
      g_string_append (out, "] t[");
      add_taints (out, role->tolerations);
      g_string_append (out, "]\n");
    }
  }
  return g_string_free (out, FALSE);
}

static char *
show_queues (const GArray *rows)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; rows != NULL && i < rows->len; i++) {
    const WlQueueRow *row = &g_array_index (rows, WlQueueRow, i);

    g_string_append_printf (out, "%u %s<%s @", row->line, row->name,
                            row->parent != NULL ? row->parent : "-");
    wl_append_time (out, row->time);
    g_string_append_printf (out, " w=%d p=%d r=%d %s c[", row->weight, row->priority,
                            row->reclaimable, row->state != NULL ? row->state : "-");
    add_resources (out, row->capability);
    g_string_append (out, "] g[");
    add_resources (out, row->guarantee);
    g_string_append (out, "] d[");
    add_resources (out, row->deserved);
    g_string_append (out, "]\n");
  }
  return g_string_free (out, FALSE);
}

typedef char *(*ShowFn) (const GArray *rows);

/* @rows (freed here) show as @expected. */
static void
shows (GArray *rows, ShowFn show, const char *expected)
{
  g_autofree char *text = show (rows);

  suite_check (strcmp (text, expected) == 0, "read as\n%sexpected\n%s", text, expected);
  if (rows != NULL)
    g_array_unref (rows);
}

/* ---- times ---- */

static void
times_are_read_to_the_microsecond_half_up (void)
{
  static const struct {
    const char *text;
    WlTime us;
    const char *back;
  } rows[] = {
    { "0", 0, "0" },
    { "12.5", 12500000, "12.5" },
    { "81", 81000000, "81" },
    { "100", 100000000, "100" },
    { ".25", 250000, "0.25" },
    { "5.", 5000000, "5" },
    { "0.0000004999999999999999999999", 0, "0" },
    { "0.0000005", 1, "0.000001" },
    { "1.0000015", 1000002, "1.000002" },
    { "475.00000000000006", 475000000, "475" },
    { "1e3", 1000000000, "1000" },
    { "1.5e-6", 2, "0.000002" },
    { "2.5E+1", 25000000, "25" },
    { "1e-400", 0, "0" },
    { "0e999", 0, "0" },
    { "0000000000000000000000000000000000000007", 7000000, "7" },
    { "1h30m", 5400000000, "5400" },
    { "250ms", 250000, "0.25" },
    { "1.5h", 5400000000, "5400" },
    { "1m0.5s", 60500000, "60.5" },
    { "1d12h", G_GINT64_CONSTANT (129600000000), "129600" },
    { "0.5d", G_GINT64_CONSTANT (43200000000), "43200" },
    { "3us", 3, "0.000003" },
    { "3µs", 3, "0.000003" },
    { "499ns", 0, "0" },
    { "500ns", 1, "0.000001" },
    { "9007199254.740992", G_GINT64_CONSTANT (1) << 53, "9007199254.740992" },
    { "inf", WL_TIME_NEVER, "inf" },
  };
  static const char *const bad[] = { "",
                                     ".",
                                     "-",
                                     "x",
                                     "1x",
                                     "1h30",
                                     "1 s",
                                     "s",
                                     "1e",
                                     "e5",
                                     "1e+",
                                     "1e5s",
                                     "nan",
                                     "-inf",
                                     "+1",
                                     "1.2.3",
                                     "1..2",
                                     "0x10",
                                     "-1",
                                     "-5s",
                                     "1,5",
                                     "Inf",
                                     "1e400",
                                     "1e99999999999999999999",
                                     "9007199254.740993",
                                     "3000000h",
                                     "99999999999999999999999999h",
                                     "1h99999999999999999999s" };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GString) back = g_string_new (NULL);
    WlTime t = -7;

    suite_check (wl_parse_time (rows[i].text, TRUE, &t, NULL) && t == rows[i].us,
                 "%s gave %" G_GINT64_FORMAT, rows[i].text, t);
    wl_append_time (back, t);
    suite_check (strcmp (back->str, rows[i].back) == 0, "%s came back as %s", rows[i].text,
                 back->str);
  }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    WlTime t = -7;

    suite_check (!wl_parse_time (bad[i], TRUE, &t, &error) && error != NULL && t == -7,
                 "'%s' is refused", bad[i]);
  }
}

/* ---- tables ---- */

static void
nodes_are_read_with_groups_events_and_counts (void)
{
  shows (
      read_text (wl_read_nodes,
                 "node,cpu,memory,pods,vendor.io/card,labels,taints,time,event,count,x_rack\n"
                 "a,8,1k,,2,zone=a;example.com/gen=v100,gpu=yes:NoSchedule;slow:NoExecute,,,,r1\n"
                 "b,500m,,20,,,,1m,add,3,\n"
                 "a,,,,,zone=,,30,update,,\n"
                 "a,0,,,,,,40.5,update,,\n"
                 "b,,,,,,,70,cordon,2,\n"
                 "a,,,,,,,50,remove,,\n"
                 "a,,,,,,,50,add,,\n"),
      show_nodes,
      "2 a @0 0 R[cpu=8000,memory=1000000,vendor.io/card=2000,pods=110000] "
      "L[zone=a,example.com/gen=v100] T[gpu=yes:NoSchedule,slow=:NoExecute]\n"
      "3 b-0 @60 0 R[cpu=500,pods=20000] -[] -[]\n"
      "3 b-1 @60 0 R[cpu=500,pods=20000] -[] -[]\n"
      "3 b-2 @60 0 R[cpu=500,pods=20000] -[] -[]\n"
      "4 a @30 1 -[] L[zone=] -[]\n"
      "5 a @40.5 1 R[cpu=0,pods=110000] -[] -[]\n"
      "6 b-0 @70 2 -[] -[] -[]\n"
      "6 b-1 @70 2 -[] -[] -[]\n"
      "7 a @50 7 -[] -[] -[]\n"
      "8 a @50 0 -[pods=110000] -[] -[]\n");
}

static void
annotations_hold_any_text (void)
{
  shows (read_text (wl_read_nodes, "node,annotations,time,event\n"
                                   "a,\"v.io/x=[{\"\"id\"\":1}];v.io/y=a=b\\;c\",,\n"
                                   "b,v.io/x=,,\n"
                                   "a,v.io/y=7,5,update\n"),
         show_nodes,
         "2 a @0 0 -[pods=110000] -[] -[] A[v.io/x=[{\"id\":1}],v.io/y=a=b;c]\n"
         "3 b @0 0 -[pods=110000] -[] -[] A[v.io/x=]\n"
         "4 a @5 1 -[] -[] -[] A[v.io/y=7]\n");
}

static void
jobs_are_read_with_roles_lists_and_defaults (void)
{
  shows (read_text (wl_read_jobs,
                    "job,namespace,submit,queue,priority,min_available,task,replicas,task_min_"
                    "available,cpu,memory,v.io/gpu,duration,exit_code,node_selector,tolerations,"
                    "min_resources,preemptable,max_retry,ttl,min_success,delete,x_user,x_note\n"
                    "a,,0,,,,,,,,,,10,,,,,,,,,,u1,\"say \"\"hi\"\"\"\n"
                    "b,team,1.5,q,high,3,ps,1,0,2,1Gi,0,inf,,,,cpu=4;memory=1,true,0,1m,2,90,u2,\n"
                    "a,team,2,,-007,0,w,4,,500m,,1,1|2>3|inf,0|1>2>0,zone=a;gen=v100,"
                    "gpu=yes:NoSchedule;slow:;:;:NoExecute,,false,,0,,,,\n"
                    "b,team,1.50,q,high,3,w,2,2,4,2Gi,8,1m|2m,,,,cpu=4000m;memory=1,true,0,60,2,"
                    "1m30s,ignored,\n"),
         show_jobs,
         "2 default/a q=default @0 prio=- min=-1 res=- pre=-1 retry=-1 succ=-1 ttl=-1 del= "
         "x[x_user=u1,x_note=say \"hi\"]\n"
         " 2 task*1 min=-1 [] d=10 e=0 s[] t[]\n"
         "3 team/b q=q @1.5 prio=high min=3 res=cpu=4000,memory=1000 pre=1 retry=0 succ=2 ttl=60 "
         "del=90 x[x_user=u2,x_note=]\n"
         " 3 ps*1 min=0 [cpu=2000,memory=1073741824000] d=inf e=0 s[] t[]\n"
         " 5 w*2 min=2 [cpu=4000,memory=2147483648000,v.io/gpu=8000] d=60|120 e=0 s[] t[]\n"
         "4 team/a q=default @2 prio=-7 min=-1 res=- pre=0 retry=-1 succ=-1 ttl=0 del= "
         "x[x_user=,x_note=]\n"
         " 4 w*4 min=-1 [cpu=500,v.io/gpu=1000] d=1|2>3|inf e=0|1>2>0 s[zone=a,gen=v100] "
         "t[gpu=yes:NoSchedule,slow~:,~:,~:NoExecute]\n");
}

static void
queues_are_read_with_parents_and_changes (void)
{
  shows (read_text (wl_read_queues,
                    "parent,queue,weight,capability/cpu,capability/vendor.io/rdma,guarantee/cpu,"
                    "deserved/cpu,deserved/memory,reclaimable,priority,state,time,x_owner\n"
                    "b,a,,,,,,,,,,,me\n"
                    ",b,65535,10,4,1500m,4,0,false,7,Open,0,\n"
                    ",default,2,,,,,,,,,,\n"
                    "root,a,,,,,,,true,,Closed,60,\n"
                    "a,b,,,,,,,,,,60,\n"),
         show_queues,
         "2 a<b @0 w=-1 p=-1 r=-1 - c[] g[] d[]\n"
         "3 b<- @0 w=65535 p=7 r=0 Open c[cpu=10000,vendor.io/rdma=4000] g[cpu=1500] "
         "d[cpu=4000,memory=0]\n"
         "4 default<- @0 w=2 p=-1 r=-1 - c[] g[] d[]\n"
         "5 a<root @60 w=-1 p=-1 r=1 Closed c[] g[] d[]\n"
         "6 b<a @60 w=-1 p=-1 r=-1 - c[] g[] d[]\n");
}

static void
a_header_alone_is_an_empty_table (void)
{
  shows (read_text (wl_read_nodes, "node\n"), show_nodes, "");
  shows (read_text (wl_read_jobs, "job,submit,duration"), show_jobs, "");
  shows (read_text (wl_read_queues, "queue,weight\r\n\r\n"), show_queues, "");
}

/* ---- the CSV itself ---- */

static void
marks_line_ends_quotes_and_empty_lines_change_nothing (void)
{
  static const char *const same[] = {
    "node,cpu,x_t\na,1,\nb,2,é\n",
    "node,cpu,x_t\na,1,\nb,2,é",
    "\xef\xbb\xbfnode,cpu,x_t\r\na,1,\r\nb,2,é\r\n",
    "\"node\",\"cpu\",x_t\n\"a\",\"1\",\"\"\n\"b\",2,\"é\"\r\n",
    "x_t,cpu,node\n,1,a\n\"two\"\" words, and a comma\",2,b\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (same); i++)
    shows (read_text (wl_read_nodes, same[i]), show_nodes,
           "2 a @0 0 R[cpu=1000,pods=110000] -[] -[]\n3 b @0 0 R[cpu=2000,pods=110000] -[] -[]\n");
  shows (read_text (wl_read_nodes,
                    "\n\r\nnode,x_t\n\n\na,\"two\nlines\r\nand \"\"quotes\"\"\"\n\nb,\n"),
         show_nodes, "6 a @0 0 -[pods=110000] -[] -[]\n10 b @0 0 -[pods=110000] -[] -[]\n");
}

/* Rows without a quote take a short way past libcsv: the same table with one quoted cell a row must
 * read the same. Cells of many lengths, with characters of two and four bytes, cross the ends of
 * the reader's chunks at every offset. */
static void
plain_and_quoted_rows_read_the_same (void)
{
  g_autoptr (GString) plain = g_string_new ("job,submit,duration,x_note\n");
  g_autoptr (GString) quoted = g_string_new ("\"job\",submit,duration,x_note\n");
  guint64 state = 11;
  g_autofree char *expected = NULL;
  GArray *rows;

  for (guint i = 0; i < 20000; i++) {
    guint64 random = suite_random (&state);
    g_autoptr (GString) note = g_string_new (NULL);
    const char *end = random & 1 ? "\r\n" : "\n";

    for (guint k = 0; k < (random >> 8) % 40; k++)
      g_string_append (note, (random >> (k % 48)) & 4 ? "é" : (random >> (k % 40)) & 8 ? "𝄞" : "n");
    g_string_append_printf (plain, "j%u,%u,%u.5,%s%s", i, i, i % 77, note->str, end);
    g_string_append_printf (quoted, "j%u,%u,\"%u.5\",%s%s", i, i, i % 77, note->str, end);
  }
  rows = read_text (wl_read_jobs, plain->str);
  suite_check (rows != NULL && rows->len == 20000, "20000 jobs");
  expected = show_jobs (rows);
  if (rows != NULL)
    g_array_unref (rows);
  shows (read_text (wl_read_jobs, quoted->str), show_jobs, expected);
}

/* ---- where bytes come from ---- */

static GBytes *
gzip (const char *text)
{
  g_autoptr (GConverter) zip
      = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 9));
  gsize size = strlen (text) + 1024, used, made = 0;
  g_autofree guint8 *out = g_malloc (size);

  suite_check (g_converter_convert (zip, text, strlen (text), out, size, G_CONVERTER_INPUT_AT_END,
                                    &used, &made, NULL)
                   == G_CONVERTER_FINISHED,
               "compressed");
  return g_bytes_new (out, made);
}

static void
compressed_files_are_read_by_their_suffix (void)
{
  const char *expected
      = "2 a @0 0 R[cpu=1000,pods=110000] -[] -[]\n3 b @0 0 R[cpu=2000,pods=110000] -[] -[]\n";
  g_autoptr (GBytes) one = gzip ("node,cpu\na,1\n"), two = gzip ("b,2\n");
  g_autoptr (GByteArray) members = g_byte_array_new ();
  const guint8 zeros[512] = { 0 };

  g_byte_array_append (members, g_bytes_get_data (one, NULL), (guint) g_bytes_get_size (one));
  g_byte_array_append (members, g_bytes_get_data (two, NULL), (guint) g_bytes_get_size (two));
  shows (read_bytes (wl_read_nodes, "n.csv.gz", members->data, members->len), show_nodes, expected);
  g_byte_array_append (members, zeros, sizeof zeros); /* padding of a tape */
  shows (read_bytes (wl_read_nodes, "n.csv.gz", members->data, members->len), show_nodes, expected);
#ifdef HAVE_LIBARCHIVE
  {
    /* "node,cpu\nz1,2\n" as zstd 1.5 and xz 5.4 write it */
    static const guint8 zst[]
        = { 0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x0e, 0x71, 0x00, 0x00, 0x6e, 0x6f, 0x64, 0x65, 0x2c,
            0x63, 0x70, 0x75, 0x0a, 0x7a, 0x31, 0x2c, 0x32, 0x0a, 0x81, 0xf9, 0x9d, 0xdb };
    static const guint8 xz[]
        = { 0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46,
            0x02, 0x00, 0x21, 0x01, 0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3,
            0x01, 0x00, 0x0d, 0x6e, 0x6f, 0x64, 0x65, 0x2c, 0x63, 0x70, 0x75, 0x0a,
            0x7a, 0x31, 0x2c, 0x32, 0x0a, 0x00, 0x00, 0x00, 0x5e, 0xed, 0x9c, 0x76,
            0x6c, 0x47, 0x2b, 0x13, 0x00, 0x01, 0x26, 0x0e, 0x08, 0x1b, 0xe0, 0x04,
            0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a };
    g_autofree char *dir = g_dir_make_tmp ("volsim-native-XXXXXX", NULL);
    g_autofree char *path = g_build_filename (dir, "cut.csv.zst", NULL);
    GArray *cut;

    shows (read_bytes (wl_read_nodes, "n.csv.zst", zst, sizeof zst), show_nodes,
           "2 z1 @0 0 R[cpu=2000,pods=110000] -[] -[]\n");
    shows (read_bytes (wl_read_nodes, "n.csv.xz", xz, sizeof xz), show_nodes,
           "2 z1 @0 0 R[cpu=2000,pods=110000] -[] -[]\n");
    for (guint size = 0; size < sizeof zst; size++) {
      suite_check (g_file_set_contents (path, (const char *) zst, size, NULL), "%s", path);
      cut = wl_read_nodes (path, NULL);
      suite_check (cut == NULL, "zstd data cut after %u bytes is refused", size);
      if (cut != NULL)
        g_array_unref (cut);
    }
    g_unlink (path);
    g_rmdir (dir);
  }
#endif
}

static void
a_dash_reads_standard_input (void)
{
  int fds[2], before = dup (STDIN_FILENO);
  const char *text = "node,cpu\na,1\n";
  g_autoptr (GError) error = NULL;
  GArray *rows;

  suite_check (pipe (fds) == 0 && dup2 (fds[0], STDIN_FILENO) == STDIN_FILENO, "a pipe");
  suite_check (write (fds[1], text, strlen (text)) == (gssize) strlen (text), "written");
  close (fds[1]);
  shows (wl_read_nodes ("-", NULL), show_nodes, "2 a @0 0 R[cpu=1000,pods=110000] -[] -[]\n");
  rows = wl_read_nodes ("-", &error); /* at its end now */
  suite_check (rows == NULL && error != NULL
                   && g_str_has_prefix (error->message, "standard input:1:1: "),
               "%s", error != NULL ? error->message : "accepted");
  close (fds[0]);
  dup2 (before, STDIN_FILENO);
  close (before);
}

static void
whole_files_are_read_up_to_a_limit (void)
{
  g_autofree char *dir = g_dir_make_tmp ("volsim-native-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "some.yaml", NULL);
  g_autofree char *all = NULL, *expected = NULL;
  g_autoptr (GError) error = NULL;
  gsize len = 0;

  suite_check (g_file_set_contents (path, "a: 1\0b", 6, NULL), "%s", path);
  all = wl_read_file (path, 6, &len, NULL);
  suite_check (all != NULL && len == 6 && memcmp (all, "a: 1\0b", 7) == 0, "read whole");
  suite_check (wl_read_file (path, 5, &len, &error) == NULL, "one byte too many");
  expected = g_strdup_printf ("%s: file too large, expected at most 5 bytes, found more", path);
  suite_check (error != NULL && strcmp (error->message, expected) == 0, "%s",
               error != NULL ? error->message : "");
  g_unlink (path);
  g_rmdir (dir);
}

/* ---- any bytes ---- */

/* Bytes changed, dropped, doubled at random: the reader accepts, or refuses in one line of the
 * usual form. */
static void
damaged_files_are_accepted_or_refused_in_one_line (void)
{
  static const struct {
    ReadFn read_fn;
    const char *text;
  } inputs[] = {
    { wl_read_nodes,
      "node,cpu,labels,taints,time,event,count\na,8,z=a,g=y:NoSchedule,,,\nb,1,,,5,add,"
      "2\na,,,,6,remove,\n" },
    { wl_read_jobs, "job,submit,task,duration,exit_code,tolerations,min_resources,x_a\n"
                    "a,0,\"w\",1|2,0>1|2,:,cpu=1,é\na,0,v,1,,,cpu=1,\n" },
    { wl_read_queues,
      "queue,parent,capability/cpu,guarantee/cpu,time\na,b,4,1,\nb,,,,\na,,2,,9\n" },
  };
  static const char spice[] = "\",\n\r;:=|>\0\xff\xc3-.0inf";
  g_autofree char *dir = g_dir_make_tmp ("volsim-native-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "fuzz.csv", NULL);
  g_autofree char *pattern
      = g_strdup_printf ("^%s:[0-9]+:[0-9]+: .+, expected .+, found .+$", path);
  g_autoptr (GRegex) form = g_regex_new (pattern, G_REGEX_RAW, 0, NULL);
  guint64 state = 5;

  for (guint round = 0; round < 6000; round++) {
    guint which = round % G_N_ELEMENTS (inputs), changes = (guint) (1 + suite_random (&state) % 4);
    g_autoptr (GString) text = g_string_new (inputs[which].text);
    g_autoptr (GError) error = NULL;
    GArray *rows;

    while (changes-- > 0) {
      gsize at = (gsize) (suite_random (&state) % text->len);
      char byte = spice[suite_random (&state) % (sizeof spice - 1)];

      switch (suite_random (&state) % 3) {
      case 0:
        text->str[at] = byte;
        break;
      case 1:
        g_string_insert_c (text, (gssize) at, byte);
        break;
      default:
        g_string_erase (text, (gssize) at, 1);
        break;
      }
    }
    suite_check (g_file_set_contents (path, text->str, (gssize) text->len, NULL), "%s", path);
    rows = inputs[which].read_fn (path, &error);
    suite_check ((rows == NULL) == (error != NULL), "round %u: an error and only then", round);
    suite_check (error == NULL
                     || (strchr (error->message, '\n') == NULL
                         && g_regex_match (form, error->message, 0, NULL)),
                 "round %u said %s", round, error != NULL ? error->message : "");
    if (rows != NULL)
      g_array_unref (rows);
  }
  g_unlink (path);
  g_rmdir (dir);
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "times are read to the microsecond, half up", times_are_read_to_the_microsecond_half_up },
    { "nodes are read with groups, events and counts",
      nodes_are_read_with_groups_events_and_counts },
  { "annotations of nodes hold any text", annotations_hold_any_text },
    { "jobs are read with roles, lists and defaults", jobs_are_read_with_roles_lists_and_defaults },
    { "queues are read with parents and changes", queues_are_read_with_parents_and_changes },
    { "a header alone is an empty table", a_header_alone_is_an_empty_table },
    { "marks, line ends, quotes and empty lines change nothing",
      marks_line_ends_quotes_and_empty_lines_change_nothing },
    { "plain and quoted rows read the same", plain_and_quoted_rows_read_the_same },
    { "compressed files are read by their suffix", compressed_files_are_read_by_their_suffix },
    { "a dash reads standard input", a_dash_reads_standard_input },
    { "whole files are read up to a limit", whole_files_are_read_up_to_a_limit },
    { "damaged files are accepted, or refused in one line",
      damaged_files_are_accepted_or_refused_in_one_line },
    CU_TEST_INFO_NULL
  };

  return suite_run ("native", tests);
}
