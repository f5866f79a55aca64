/* tests/test-import.c - published traces become volsim's own files. The rows are made up in the formats of the traces. */
#include "suite.h"
#include "workloads/native/folder.h"
#include "workloads/import/import.h"
#include "workloads/native/node-terms.h"
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>

/* ---- an import in a folder of its own ---------------------------------------------------------------- */

typedef struct {
  char *dir, *out, *report;
  GPtrArray *paths;
  GError *error;
} Case;

static void
case_begin (Case *c)
{
  *c = (Case){ .dir = g_dir_make_tmp ("volsim-import-XXXXXX", NULL), .paths = g_ptr_array_new_with_free_func (g_free) };
  c->out = g_build_filename (c->dir, "out", NULL);
}

static void
case_file (Case *c, const char *name, const char *text)
{
  char *path = g_build_filename (c->dir, name, NULL);

  suite_check (g_file_set_contents (path, text, -1, NULL), "%s", path);
  g_ptr_array_add (c->paths, path);
}

/* @options is "a=1 b=2"; @format NULL: by content. */
static gboolean
case_import (Case *c, const char *format, const char *options)
{
  g_auto (GStrv) option = g_strsplit (options, " ", -1);
  const WlImportFormat *f;

  g_clear_error (&c->error);
  g_clear_pointer (&c->report, g_free);
  f = format != NULL ? wl_import_find (format) : wl_import_detect ((const char *const *) c->paths->pdata, c->paths->len, &c->error);
  return f != NULL
         && wl_import_run (f, (const char *const *) c->paths->pdata, c->paths->len, (const char *const *) (*options != '\0' ? option : NULL), c->out, &c->report, &c->error);
}

static void
case_holds (Case *c, const char *name, const char *expected)
{
  g_autofree char *path = g_build_filename (c->out, name, NULL), *text = NULL;

  (void) g_file_get_contents (path, &text, NULL, NULL);
  suite_check (g_strcmp0 (text, expected) == 0, "%s holds\n%s", name, text != NULL ? text : "nothing");
}

static void
case_reports (const Case *c, const char *line)
{
  suite_check (c->report != NULL && strstr (c->report, line) != NULL, "the report has no '%s':\n%s", line, c->report);
}

static void
case_fails (const Case *c, const char *message)
{
  suite_check (c->error != NULL && strstr (c->error->message, message) != NULL, "expected '%s', found '%s'", message, c->error != NULL ? c->error->message : "no error");
}

static void
remove_all (const char *dir)
{
  g_autoptr (GDir) d = g_dir_open (dir, 0, NULL);
  const char *name;

  while (d != NULL && (name = g_dir_read_name (d)) != NULL) {
    g_autofree char *path = g_build_filename (dir, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR))
      remove_all (path);
    else
      g_unlink (path);
  }
  g_rmdir (dir);
}

static void
case_end (Case *c)
{
  remove_all (c->dir);
  g_free (c->dir);
  g_free (c->out);
  g_free (c->report);
  g_ptr_array_unref (c->paths);
  g_clear_error (&c->error);
}

/* First cells of the rows below the header, with blanks between. (transfer full) */
static char *
first_cells (const Case *c, const char *name)
{
  g_autofree char *path = g_build_filename (c->out, name, NULL), *text = NULL;
  GString *out = g_string_new (NULL);

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return g_string_free (out, FALSE);
  g_auto (GStrv) line = g_strsplit (text, "\n", -1);
  for (guint i = 1; line[i] != NULL && *line[i] != '\0'; i++)
    g_string_append_printf (out, "%s%.*s", i > 1 ? " " : "", (int) strcspn (line[i], ","), line[i]);
  return g_string_free (out, FALSE);
}

/* ---- formats ------------------------------------------------------------------------------------------- */

static void
itp_traces_become_gangs_of_whole_nodes (void)
{
  Case c;

  case_begin (&c);
  case_file (&c, "cluster06.csv", "job_id,submission_time,duration,num_gpu\n59a72878,16566,3890,4\n4c693bbf,570514.5,932,16\n");
  suite_check (case_import (&c, NULL, ""), "%s", c.error != NULL ? c.error->message : "");
  case_holds (&c, "nodes.csv", "node,cpu,memory,nvidia.com/gpu,count\nn,96,768Gi,8,31\n");
  case_holds (&c, "jobs.csv",
              "job,submit,task,replicas,cpu,memory,nvidia.com/gpu,duration,x_job_id\n"
              "itp-00000,0,w,1,40,320Gi,4,3890,59a72878\n"
              "itp-00001,553948.5,w,2,80,640Gi,8,932,4c693bbf\n");
  case_reports (&c, "0 is 16566 s of the trace");
  case_file (&c, "Cluster_10.csv", "job_id,num_gpu,submission_time,duration\nx,12,7,600\n");
  suite_check (case_import (&c, "itp", "nodes=5 keep-times=true"), "%s", c.error != NULL ? c.error->message : "");
  case_holds (&c, "queues.csv", "queue,weight\ncluster06,1\ncluster-10,1\n");
  case_holds (&c, "jobs.csv",
              "job,submit,queue,task,replicas,cpu,memory,nvidia.com/gpu,duration,x_job_id\n"
              "itp-00002,7,cluster-10,w,1,80,640Gi,8,600,x\n"
              "itp-00002,7,cluster-10,rest,1,40,320Gi,4,600,x\n"
              "itp-00000,16566,cluster06,w,1,40,320Gi,4,3890,59a72878\n"
              "itp-00001,570514.5,cluster06,w,2,80,640Gi,8,932,4c693bbf\n");
  case_end (&c);
}

/* 0 to 90: 8 GPUs; 90 to 94: 40; 94 to 96: 56; 96 to 100: 16. So 16 suffice for 94 % of the time, 40 for 98 %. A job of 64 has to have room, however rare. */
static void
a_cluster_of_unknown_size_gets_nodes_for_95_percent_of_the_time (void)
{
  Case c;

  case_begin (&c);
  case_file (&c, "mine.csv",
             "job_id,submission_time,duration,num_gpu,model_name,batch_size,num_iteration\n"
             "a,0,96,8,bert,64,5\nb,90,10,16,bert,32,6\nc,90,6,16,,,\nd,94,2,16,gpt2,1,7\na,1,1,8,,,\n");
  suite_check (case_import (&c, "itp", ""), "%s", c.error != NULL ? c.error->message : "");
  case_holds (&c, "nodes.csv", "node,cpu,memory,nvidia.com/gpu,count\nn,96,768Gi,8,5\n");
  case_holds (&c, "jobs.csv",
              "job,submit,task,replicas,cpu,memory,nvidia.com/gpu,duration,x_job_id,x_model,x_batch_size,x_iterations\n"
              "itp-00000,0,w,1,80,640Gi,8,96,a,bert,64,5\nitp-00001,90,w,2,80,640Gi,8,10,b,bert,32,6\n"
              "itp-00002,90,w,2,80,640Gi,8,6,c,,,\nitp-00003,94,w,2,80,640Gi,8,2,d,gpt2,1,7\n");
  case_reports (&c, "1  duplicate id");
  case_file (&c, "large.csv", "job_id,submission_time,duration,num_gpu\na,0,1,64\nb,1,1000,8\n");
  suite_check (case_import (&c, "itp", ""), "%s", c.error != NULL ? c.error->message : "");
  case_holds (&c, "nodes.csv", "node,cpu,memory,nvidia.com/gpu,count\nn,96,768Gi,8,13\n"); /* two clusters, of 5 and 8 nodes */
  case_end (&c);
}

#define NODES "sn,cpu_milli,memory_mib,gpu,model\nn-0,32000,262144,0,\nn-1,64000,262144,2,T4\nn-2,96000,524288,8,G2\n"
#define PODS "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"

static void
openb_pods_have_shares_models_and_classes (void)
{
  Case c;

  case_begin (&c);
  case_file (&c, "pods.csv",
             PODS "p-3,8000,0,1,1000,G2|T4|G2,Burstable,Running,30,90,31\n" /* not sorted */
                  "p-0,12000,16384,1,460,,LS,Succeeded,10,110,10\n"
                  "p-1,500,1024,0,0,,BE,Failed,20,25,22\n"
                  "p-2,8000,2048,2,1000,P100,Guaranteed,Pending,25,500,\n");
  case_file (&c, "nodes.csv", NODES);
  suite_check (case_import (&c, NULL, ""), "%s", c.error != NULL ? c.error->message : "");
  case_holds (&c, "jobs.csv",
              "job,submit,priority,preemptable,task,replicas,cpu,memory,volcano.sh/vgpu-number,volcano.sh/vgpu-cores,volcano.sh/vgpu-memory,duration,node_selector\n"
              "p-0,0,ls,,pod,1,12,16Gi,1,46,7360,100,\n"
              "p-1,10,be,true,pod,1,500m,1Gi,,,,3,\n"
              "p-3,20,burstable,,pod,1,8,,1,100,16000,59,gpu-model=G2|T4\n");
  case_holds (&c, "recorded.csv",
              "namespace,job,submit,wait,start,end,status,evictions,nodes\n"
              "default,p-0,0,0,0,100,Succeeded,0,\n"
              "default,p-1,10,2,12,15,Failed,0,\n"
              "default,p-3,20,1,21,80,Running,0,\n");
  case_holds (&c, "nodes.csv",
              "node,cpu,memory,volcano.sh/vgpu-number,volcano.sh/vgpu-cores,volcano.sh/vgpu-memory,labels,annotations\n"
              "n-0,32,256Gi,,,,,\n"
              "n-1,64,256Gi,2000,200,32000,gpu-model=T4,\"volcano.sh/node-vgpu-register=GPU-0,1000,16000,NVIDIA-T4,true,:GPU-1,1000,16000,NVIDIA-T4,true,:\"\n"
              "n-2,96,512Gi,8000,800,128000,gpu-model=G2,\"volcano.sh/node-vgpu-register="
              "GPU-0,1000,16000,NVIDIA-G2,true,:GPU-1,1000,16000,NVIDIA-G2,true,:GPU-2,1000,16000,NVIDIA-G2,true,:GPU-3,1000,16000,NVIDIA-G2,true,:"
              "GPU-4,1000,16000,NVIDIA-G2,true,:GPU-5,1000,16000,NVIDIA-G2,true,:GPU-6,1000,16000,NVIDIA-G2,true,:GPU-7,1000,16000,NVIDIA-G2,true,:\"\n");
  case_reports (&c, "Rows         7 read = 6 imported + 1 dropped + 0 bad");
  case_reports (&c, "1  never scheduled");
  suite_check (case_import (&c, NULL, "gpu-share=pooled pending=median queue-by=qos"), "%s", c.error != NULL ? c.error->message : "");
  case_reports (&c, "Rows         7 read = 6 imported + 1 dropped + 0 bad"); /* nobody else has 2 GPUs and Guaranteed */
  case_holds (&c, "jobs.csv",
              "job,submit,queue,priority,preemptable,task,replicas,cpu,memory,volsim.io/gpu-milli,duration,node_selector\n"
              "p-0,0,ls,ls,,pod,1,12,16Gi,460,100,\n"
              "p-1,10,be,be,true,pod,1,500m,1Gi,,3,\n"
              "p-3,20,burstable,burstable,,pod,1,8,,1000,59,gpu-model=G2|T4\n");
  suite_check (case_import (&c, NULL, "gpu-share=whole mode=inflation interval=2"), "%s", c.error != NULL ? c.error->message : "");
  case_holds (&c, "jobs.csv",
              "job,submit,priority,preemptable,task,replicas,cpu,memory,nvidia.com/gpu,duration,node_selector\n"
              "p-3,0,burstable,,pod,1,8,,1,inf,gpu-model=G2|T4\n"
              "p-0,2,ls,,pod,1,12,16Gi,1,inf,\n"
              "p-1,4,be,true,pod,1,500m,1Gi,,inf,\n"
              "p-2,6,guaranteed,,pod,1,8,2Gi,2,inf,gpu-model=P100\n");
  case_reports (&c, "1 jobs have a pod that no node can hold, such as p-2.");
  case_end (&c);
}

static void
lists_without_times_are_for_inflation (void)
{
  Case c;

  case_begin (&c);
  case_file (&c, "multigpu.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1000,1024,2,1000\nb,1000,1024,0,0\n");
  case_file (&c, "nodes.csv", NODES);
  suite_check (!case_import (&c, NULL, ""), "a list without times is replayed");
  case_fails (&c, "multigpu.csv:1:1: a pod list without times, expected --mode=inflation for it, found --mode=replay");
  suite_check (case_import (&c, NULL, "mode=inflation repeat=1.5"), "%s", c.error != NULL ? c.error->message : "");
  case_holds (&c, "jobs.csv",
              "job,submit,task,replicas,cpu,memory,nvidia.com/gpu,duration\n"
              "a,0,pod,1,1,1Gi,2,inf\nb,1,pod,1,1,1Gi,,inf\na-r1,2,pod,1,1,1Gi,2,inf\n");
  case_end (&c);
}

/* Orders computed by a program in Go with math/rand, whose numbers the authors' simulator draws. */
static void
inflations_come_in_the_simulators_order (void)
{
  static const struct { const char *options, *jobs, *nodes, *report; } rows[] = {
    { "shuffle=42 load=1.3 draws=simulator", "b d e c a a-r1 c-r1 b-r1 d-r1 d-r2 e-r1 c-r2 a-r2", "n-0 n-1 n-2", "Made         13 jobs" },
    { "shuffle=7 load=0.5 draws=simulator", "d e c b", "n-1 n-0 n-2", "1  beyond the load" },
  };
  Case c;

  case_begin (&c);
  case_file (&c, "nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn-0,32000,262144,1,T4\nn-1,64000,262144,2,T4\nn-2,96000,524288,4,G2\n");
  case_file (&c, "pods.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\nd,1000,1024,1,500\na,2000,1024,2,1000\nc,3000,1024,0,0\nb,4000,1024,1,250\ne,5000,1024,1,1000\n");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *options = g_strconcat ("mode=inflation ", rows[i].options, NULL);

    suite_check (case_import (&c, NULL, options), "%s", c.error != NULL ? c.error->message : "");
    g_autofree char *jobs = first_cells (&c, "jobs.csv"), *nodes = first_cells (&c, "nodes.csv");
    suite_check (strcmp (jobs, rows[i].jobs) == 0 && strcmp (nodes, rows[i].nodes) == 0, "%s: %s on %s", rows[i].options, jobs, nodes);
    case_reports (&c, rows[i].report);
  }
  /* own draws: the sum comes to the load all the same, and a seed is an order */
  for (guint seed = 1; seed < 4; seed++) {
    g_autofree char *options = g_strdup_printf ("mode=inflation gpu-share=pooled load=1.3 shuffle=%u", seed), *first = NULL, *nodes = NULL;

    for (guint again = 0; again < 2; again++) {
      suite_check (case_import (&c, NULL, options), "%s", c.error != NULL ? c.error->message : "");
      g_autofree char *jobs = first_cells (&c, "jobs.csv");
      suite_check (first == NULL || strcmp (first, jobs) == 0, "%s, then %s", first, jobs);
      g_free (first);
      first = g_steal_pointer (&jobs);
    }
    suite_check (strchr (first, 'r') != NULL, "nobody comes again: %s", first);
    nodes = first_cells (&c, "nodes.csv");
    suite_check (strlen (nodes) == 11, "%s", nodes);
  }
  static const char *const wrong[][2] = {
    { "mode=inflation load=1.3", "--load and --draws, expected --shuffle SEED beside them, found none" },
    { "mode=inflation draws=simulator", "--load and --draws, expected --shuffle SEED beside them, found none" },
    { "mode=inflation shuffle=1 load=1.3 repeat=2", "--load, expected no --repeat beside it, found both" },
    { "mode=inflation shuffle=1 load=0", "--load, expected a number above 0 and up to 100, found '0'" },
    { "mode=inflation shuffle=1 load=101", "--load, expected a number above 0 and up to 100, found '101'" },
    { "shuffle=1", "--shuffle, expected --mode=inflation beside it, found --mode=replay" },
    { "load=1", "--load, expected --mode=inflation beside it, found --mode=replay" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    suite_check (!case_import (&c, NULL, wrong[i][0]), "%s is taken", wrong[i][0]);
    case_fails (&c, wrong[i][1]);
  }
  case_end (&c);
}

/* ---- rows -------------------------------------------------------------------------------------------------- */

static void
bad_rows_fail_or_are_counted (void)
{
  Case c;

  case_begin (&c);
  case_file (&c, "cluster10.csv",
             "job_id,submission_time,duration,num_gpu\na,5,10,1\nb,6,x,1\nc,7,10\nd,8,y,1\ne,9.0,10,2.0\nf,10,10,0.5\ng,11,-1,1");
  suite_check (!case_import (&c, NULL, ""), "a bad row passes");
  case_fails (&c, "cluster10.csv:3:5: column 'duration': not a number, expected a decimal number, found 'x'");
  suite_check (!g_file_test (c.out, G_FILE_TEST_EXISTS), "a refused import leaves something");
  suite_check (case_import (&c, NULL, "on-bad-row=skip"), "%s", c.error != NULL ? c.error->message : "");
  case_reports (&c, "Rows         7 read = 2 imported + 1 dropped + 4 bad");
  case_reports (&c, "         2  column 'duration': not a number, expected a decimal number\n");
  case_reports (&c, "         1  wrong number of cells, expected 4 as in the header\n");
  case_reports (&c, "         1  column 'num_gpu': not a whole number, expected 1 to 1000000\n");
  case_reports (&c, "         1  negative duration\n");
  case_holds (&c, "jobs.csv", "job,submit,task,replicas,cpu,memory,nvidia.com/gpu,duration,x_job_id\nitp-00000,0,w,1,10,80Gi,1,10,a\nitp-00001,4,w,1,20,160Gi,2,10,e\n");
  case_end (&c);
}

static void
names_are_made_valid_and_told_apart (void)
{
  Case c;

  case_begin (&c);
  case_file (&c, "nodes.csv", NODES);
  case_file (&c, "pods.csv", PODS "A_b,1000,0,0,0,,LS,Running,0,9,0\na-b,1000,0,0,0,,LS,Running,1,9,1\nA_b,1000,0,0,0,,LS,Running,2,9,2\n");
  suite_check (case_import (&c, NULL, ""), "%s", c.error != NULL ? c.error->message : "");
  case_holds (&c, "jobs.csv", "job,submit,priority,task,replicas,cpu,duration\na-b,0,ls,pod,1,1,9\na-b-7f5fe7ce,1,ls,pod,1,1,8\n");
  case_reports (&c, "1  duplicate id");
  case_end (&c);
}

static void
files_are_recognised_by_content (void)
{
  const char *text = "job_id,submission_time,duration,num_gpu\na,0,1,1\n";
  g_autoptr (GConverter) gzip = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6));
  char packed[200];
  gsize used, made = 0;
  Case c;

  case_begin (&c);
  case_file (&c, "notes.txt", "nothing of that kind\n");
  suite_check (!case_import (&c, NULL, ""), "notes are a trace");
  case_fails (&c, "notes.txt: the format of the trace, expected one that 'volsim import --list' names");
  case_file (&c, "cluster10.csv", text);
  suite_check (!case_import (&c, NULL, ""), "notes and a trace are a trace");
  case_fails (&c, "notes.txt: the format of the trace, expected one that 'volsim import --list' names, found none that knows this file and the others");
  case_end (&c);
  case_begin (&c);
  case_file (&c, "cluster10", "");
  suite_check (g_converter_convert (gzip, text, strlen (text), packed, sizeof packed, G_CONVERTER_INPUT_AT_END, &used, &made, NULL) == G_CONVERTER_FINISHED
                   && g_file_set_contents (c.paths->pdata[0], packed, (gssize) made, NULL),
               "compressed");
  suite_check (case_import (&c, NULL, ""), "a compressed file under another name: %s", c.error != NULL ? c.error->message : "");
  case_reports (&c, "Rows         1 read = 1 imported");
  case_end (&c);
}

/* ---- the layers below ----------------------------------------------------------------------------------------- */

static void
tables_come_in_other_shapes (void)
{
  static const char *const columns[] = { "time", "name", "size", NULL };
  const struct {
    const char *text, *cells;
    WlCsvShape shape;
  } cases[] = {
    { "1,a,2\n3,b,4", "1/a/2 3/b/4 ", { .columns = columns } },
    { "time,x,y\n3,b,4\n", "3/b/4 ", { .columns = columns, .maybe_header = TRUE } },
    { "when,x,y\n3,b,4\n", "3/b/4 ", { .columns = columns, .maybe_header = TRUE, .number_first = TRUE } },
    { "time,name,size\n1, a b ,\t2\n", "1/a b/2 ", { .trim = TRUE } },
    { "time\tname\tsize\n1\t\t2\n", "1//2 ", { .separator = '\t' } },
    { "1|say \"a\"|2\n", "1/say \"a\"/2 ", { .separator = '|', .no_quotes = TRUE, .columns = columns } },
    { "1;\"a;b\";2\n\"3\";c;4\n", "1/a;b/2 3/c/4 ", { .separator = ';', .columns = columns } },
  };
  g_autofree char *dir = g_dir_make_tmp ("volsim-import-XXXXXX", NULL), *path = g_build_filename (dir, "t.csv", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GString) cells = g_string_new (NULL);
    gboolean got = TRUE;

    suite_check (g_file_set_contents (path, cases[i].text, -1, NULL), "%s", path);
    g_autoptr (WlCsv) csv = wl_csv_open_shaped (path, &cases[i].shape, &error);

    while (csv != NULL && wl_csv_next (csv, &got, &error) && got)
      g_string_append_printf (cells, "%s/%s/%s ", wl_csv_cell (csv, 0), wl_csv_cell (csv, 1), wl_csv_cell (csv, 2));
    suite_check (error == NULL && strcmp (cells->str, cases[i].cells) == 0, "case %u: '%s', %s", i, cells->str, error != NULL ? error->message : "");
  }
  g_unlink (path);
  g_rmdir (dir);
}

static void
columns_that_nobody_knows_are_refused_or_counted (void)
{
  Case c;

  case_begin (&c);
  case_file (&c, "itp.csv", ",job_id,submission_time,duration,num_gpu,owner,\n0,a,0,5,1,ann,\n1,b,1,5,1,bob,\n"); /* numbered by a tool, and a comma at the end */
  suite_check (!case_import (&c, NULL, ""), "an unknown column passes");
  case_fails (&c, "itp.csv:1:42: unknown column, expected a known column, a name with '/' or x_…, found 'owner'");
  suite_check (case_import (&c, NULL, "other-columns=ignore"), "%s", c.error != NULL ? c.error->message : "");
  case_reports (&c, "Rows         2 read = 2 imported + 0 dropped + 0 bad");
  case_reports (&c, "2  columns without a name: ignored");
  case_reports (&c, "1  column 'owner': ignored");
  case_holds (&c, "jobs.csv",
              "job,submit,task,replicas,cpu,memory,nvidia.com/gpu,duration,x_job_id\nitp-00000,0,w,1,10,80Gi,1,5,a\nitp-00001,1,w,1,10,80Gi,1,5,b\n");
  case_end (&c);
}

static void
tables_without_a_header_may_have_quotes (void)
{
  Case c;

  case_begin (&c);
  case_file (&c, "machines", "\"m_1\",\"0\",\"1\",\"2\",\"96\",\"100\",\"USING\"\n");
  suite_check (case_import (&c, NULL, ""), "%s", c.error != NULL ? c.error->message : "");
  case_reports (&c, "alibaba-2018");
  case_reports (&c, "1 nodes");
  case_end (&c);
}

/* 1100 tasks at once, each of 128 units of 64 TiB: 140800 nodes, and more bytes than 64 bits hold. */
static void
large_requests_add_up_to_nodes (void)
{
  g_autoptr (GString) rows
      = g_string_new ("time,type,collection_id,collection_type,priority,alloc_collection_id,instance_index,machine_id,resource_request.cpus,resource_request.memory,constraint\n");
  Case c;

  for (guint i = 1; i <= 1100; i++)
    for (guint k = 0; k < 3; k++)
      g_string_append_printf (rows, "%u,%u,%u,0,200,0,0,5,0.001,128,[]\n", 600000000 + k * 10000000, k * 3, i);
  case_begin (&c);
  case_file (&c, "instances.csv", rows->str);
  suite_check (case_import (&c, "google-2019", "unit-memory=64Ti"), "%s", c.error != NULL ? c.error->message : "");
  case_reports (&c, "1,100 pods");
  case_reports (&c, "140,800 nodes");
  case_end (&c);
}

static void
empty_files_are_refused (void)
{
  static const char *const formats[] = { "gavel", "kubernetes", "openb", "swf" };
  Case c;

  case_begin (&c);
  case_file (&c, "part-2", " \n\r\n");
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    suite_check (!case_import (&c, formats[i], ""), "%s: nothing is a trace", formats[i]);
    case_fails (&c, "part-2:1:1: an empty file, expected a trace, found nothing");
  }
  case_end (&c);
}

static void
numbers_are_scaled_without_rounding_noise (void)
{
  const struct { const char *text; gint64 scale, value; } good[] = {
    { "0.5", 1000, 500 }, { "475.00000000000006", 1000000, 475000000 }, { "2506200000000", 1, G_GINT64_CONSTANT (2506200000000) }, { "-1078", 1000000, -1078000000 },
    { "1e3", 1, 1000 }, { "2.5e-1", 1000, 250 }, { "0.0005", 1000, 1 }, { "0.0004999", 1000, 0 }, { "9223372036854775807", 1, G_MAXINT64 }, { "12.", 10, 120 }, { ".5", 10, 5 },
  };
  const char *const bad[] = { "", "x", "1x", "1e", "--1", "0x10", "1,5", "1e99", "inf", "nan" };
  const struct { const char *text; gint64 seconds; } clocks[] = {
    { "1970-01-01 00:00:00", 0 }, { "2017-10-03 21:04:05", 1507064645 }, { "2023-03-01T08:00:00+08:00", 1677628800 }, { "2020-02-29T00:00:00Z", 1582934400 },
  };
  const char *const no_clocks[] = { "2017-10-03", "2017-13-03 00:00:00", "2019-02-29 00:00:00", "2017-10-03 24:00:00", "2017-10-03 00:00:00 PST", "Unknown" };
  gint64 v;
  WlTime t;

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    suite_check (wl_import_parse_scaled (good[i].text, good[i].scale, G_MININT64, G_MAXINT64, &v, NULL) && v == good[i].value, "%s: %" G_GINT64_FORMAT, good[i].text, v);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    suite_check (!wl_import_parse_scaled (bad[i], 1000, G_MININT64, G_MAXINT64, &v, NULL), "'%s' is a number", bad[i]);
  for (guint i = 0; i < G_N_ELEMENTS (clocks); i++)
    suite_check (wl_import_parse_clock (clocks[i].text, &t, NULL) && t == clocks[i].seconds * 1000000, "%s: %" G_GINT64_FORMAT, clocks[i].text, t);
  suite_check (wl_import_parse_clock ("1970-01-01 00:00:01.25", &t, NULL) && t == 1250000, "a fraction: %" G_GINT64_FORMAT, t);
  for (guint i = 0; i < G_N_ELEMENTS (no_clocks); i++)
    suite_check (!wl_import_parse_clock (no_clocks[i], &t, NULL), "'%s' is a time", no_clocks[i]);
}

static void
node_selectors_hold_terms (void)
{
  g_autoptr (GArray) pairs = NULL, terms = NULL;
  g_autoptr (GError) error = NULL;
  const char *const bad[] = { "zone", "a=b;", "a=b|", "a!b", "a>x", "a<", "a!=", "=b|c", "a=b|-", "n>9223372036854775808", "n<-9223372036854775809" };

  suite_check (wl_parse_node_selector ("zone=a;m=A|B;x!=1;y=*;z!=*;n>5;k<7", &pairs, &terms, &error), "%s", error != NULL ? error->message : "");
  suite_check (pairs != NULL && pairs->len == 1 && terms != NULL && terms->len == 6, "one pair and six terms");
  static const VcOperator ops[] = { VC_OP_IN, VC_OP_NOT_IN, VC_OP_EXISTS, VC_OP_DOES_NOT_EXIST, VC_OP_GT, VC_OP_LT };

  for (guint i = 0; terms != NULL && i < MIN (terms->len, G_N_ELEMENTS (ops)); i++)
    suite_check (g_array_index (terms, WlNodeTerm, i).op == ops[i], "operator of term %u", i);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GArray) p = NULL, t = NULL;

    suite_check (!wl_parse_node_selector (bad[i], &p, &t, NULL), "'%s' is a node selector", bad[i]);
  }
}

static void
formats_are_sound (void)
{
  g_autoptr (GHashTable) kinds = g_hash_table_new (g_str_hash, g_str_equal);

  for (const WlImportFormat *const *f = wl_import_formats; *f != NULL; f++) {
    suite_check (f == wl_import_formats || strcmp (f[-1]->name, (*f)->name) < 0, "%s stands in its place", (*f)->name);
    suite_check ((*f)->title != NULL && (*f)->files != NULL && (*f)->licence != NULL && (*f)->detect != NULL && (*f)->run != NULL, "%s is complete", (*f)->name);
    for (guint both = 0; both < 2; both++)
      for (const WlImportOption *o = both ? wl_import_common : (*f)->options; o != NULL && o->name != NULL; o++) {
        gpointer known = g_hash_table_lookup (kinds, o->name);

        suite_check (known == NULL || (GPOINTER_TO_UINT (known) == 1u + WL_OPTION_SWITCH) == (o->kind == WL_OPTION_SWITCH), "--%s takes a value in all formats or in none", o->name);
        suite_check ((o->kind == WL_OPTION_CHOICE) == (o->choices != NULL) && o->help != NULL, "--%s of %s is complete", o->name, (*f)->name);
        g_hash_table_insert (kinds, (gpointer) o->name, GUINT_TO_POINTER (1u + o->kind));
      }
  }
}

/* Refused with a message that holds @says; nothing is left behind. */
static void
case_refuses (Case *c, const char *format, const char *options, const char *says)
{
  const gboolean refused = !case_import (c, format, options);
  g_autoptr (GDir) dir = g_dir_open (c->dir, 0, NULL);

  suite_check (refused && strstr (c->error->message, says) != NULL, "%s %s should say\n%s, says\n%s", format, options, says, refused ? c->error->message : "nothing");
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    suite_check (strncmp (name, ".out", 4) != 0 && strcmp (name, "out") != 0, "%s is left behind", name);
}

/* What no run could do with is refused before anything is read. */
static void
options_have_limits (void)
{
  static const struct { const char *format, *options, *says; } bad[] = {
    { "google-2011", "unit-cpu=0", "--unit-cpu: expected a quantity above 0, found '0'" },
    { "google-2019", "unit-memory=0", "--unit-memory: expected a quantity above 0, found '0'" },
    { "alibaba-2017", "unit-memory=0", "--unit-memory: expected a quantity above 0, found '0'" },
    { "alibaba-2018", "unit-memory=0", "--unit-memory: expected a quantity above 0, found '0'" },
    { "azure", "unit-cpu=0", "--unit-cpu: expected a quantity above 0, found '0'" },
    { "azure", "unit-cpu=8Pi", "--unit-cpu: expected a quantity up to 1000000, found '8Pi'" },
    { "spot", "memory-per-core=8Pi", "--memory-per-core: expected a quantity up to 64Ti, found '8Pi'" },
    { "alibaba-2018", "pod-cpu=100000000", "--pod-cpu: expected a quantity up to 1000000, found '100000000'" },
    { "itp", "nodes=0", "--nodes: number out of range, expected 1 to 1000000, found '0'" },
    { "itp", "nodes=2147483647", "--nodes: number out of range, expected 1 to 1000000, found '2147483647'" },
    { "itp", "gpus-per-node=0", "--gpus-per-node: number out of range, expected 1 to 1000000, found '0'" },
    { "itp", "gpu-memory=0", "--gpu-memory: number out of range, expected 1 to 1000000, found '0'" },
    { "dlrm", "hn-nodes=1000001", "--hn-nodes: number out of range, expected 0 to 1000000, found '1000001'" },
    { "itp", "nodes=3 nodes=4", "--nodes, expected once, found twice" },
    { "openb", "mode=inflation repeat=0", "--repeat, expected a number above 0 and up to 1000, found '0'" },
    { "openb", "mode=inflation repeat=1001", "--repeat, expected a number above 0 and up to 1000, found '1001'" },
    { "openb", "mode=inflation repeat=5 interval=9000000000", "--interval, expected submissions within 285 years, found 5 pods at intervals of '9000000000'" },
  };
  Case c;

  case_begin (&c);
  case_file (&c, "cluster06.csv", "job_id,submission_time,duration,num_gpu\n1,0,5,512\n");
  case_refuses (&c, "itp", "pod-memory=64Ti gpus-per-node=1000", "expected up to 8Pi of memory");
  case_refuses (&c, "itp", "pod-memory=64Ti gpus-per-node=1000000", "expected up to 8Pi of memory");
  case_end (&c);
  case_begin (&c);
  case_file (&c, "pods.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\na,1000,1024,0,0,,LS,Running,0,10,0\n");
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    case_refuses (&c, bad[i].format, bad[i].options, bad[i].says);
  case_refuses (&c, "itp", "", "pods.csv:1"); /* the header, before what its name does not tell */
  g_ptr_array_add (c.paths, g_strconcat (c.dir, "/./pods.csv", NULL));
  case_refuses (&c, "openb", "", "expected each file once, found it twice");
  case_end (&c);
}

static void
an_interruption_ends_the_reading (void)
{
  Case c;

  case_begin (&c);
  case_file (&c, "nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn-0,32000,262144,1,T4\n");
  wl_folder_interrupt (SIGTERM);
  case_refuses (&c, "openb", "", "interrupted; nothing is written");
  wl_folder_interrupt (0);
  case_end (&c);
}

static void
a_node_that_is_there_comes_once (void)
{
  Case c;

  case_begin (&c);
  case_file (&c, "nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn-0,32000,262144,1,T4\nn-0,32000,262144,1,T4\nn-1,32000,262144,1,T4\n");
  suite_check (case_import (&c, NULL, ""), "%s", c.error != NULL ? c.error->message : "");
  case_reports (&c, "2 nodes");
  case_reports (&c, "1  duplicate node, left out");
  case_end (&c);
  case_begin (&c);
  case_file (&c, "nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\n");
  case_refuses (&c, "openb", "", "expected a job or a node, found none");
  case_end (&c);
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "ITP traces become gangs of whole nodes", itp_traces_become_gangs_of_whole_nodes },
    { "a cluster of unknown size gets nodes for 95 percent of the time", a_cluster_of_unknown_size_gets_nodes_for_95_percent_of_the_time },
    { "openb pods have shares, models and classes", openb_pods_have_shares_models_and_classes },
    { "lists without times are for inflation", lists_without_times_are_for_inflation },
    { "inflations come in the simulator's order", inflations_come_in_the_simulators_order },
    { "bad rows fail, or are counted", bad_rows_fail_or_are_counted },
    { "names are made valid and told apart", names_are_made_valid_and_told_apart },
    { "files are recognised by content", files_are_recognised_by_content },
    { "tables come in other shapes", tables_come_in_other_shapes },
    { "columns that nobody knows are refused, or counted", columns_that_nobody_knows_are_refused_or_counted },
    { "tables without a header may have quotes", tables_without_a_header_may_have_quotes },
    { "empty files are refused", empty_files_are_refused },
    { "large requests add up to nodes", large_requests_add_up_to_nodes },
    { "numbers are scaled without rounding noise", numbers_are_scaled_without_rounding_noise },
    { "node selectors hold terms", node_selectors_hold_terms },
    { "options have limits", options_have_limits },
    { "a node that is there comes once", a_node_that_is_there_comes_once },
    { "an interruption ends the reading", an_interruption_ends_the_reading },
    { "formats are sound", formats_are_sound },
    CU_TEST_INFO_NULL
  };

  return suite_run ("import", tests);
}
