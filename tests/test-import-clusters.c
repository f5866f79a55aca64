/* tests/test-import-clusters.c - rows in the layouts of the traces of whole clusters (Google, Alibaba): what becomes of them, machines and their events, and where a bad
 * row is. The rows are made up. */
#include "run-helper.h"
#include "suite.h"
#include "workloads/import/import.h"
#include <string.h>

#define MOST_FILES 6
#define MOST_PARTS 16

typedef struct { const char *name, *text; } File;
typedef struct {
  const char *what, *format, *options; /* options: "a=1 b=2" */
  File file[MOST_FILES];
  struct { const char *file, *holds; } part[MOST_PARTS]; /* a part of the text of a file; "!" in front: it must not be there */
} Case;

/* Import the files of @c; their format is told by their content. NULL with @error. (transfer full) */
static char *
import (const Case *c, const char *dir, GError **error)
{
  char *out = g_build_filename (dir, "out", NULL);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) options = g_strsplit (c->options, " ", -1);
  const WlImportFormat *format;

  for (guint i = 0; i < MOST_FILES && c->file[i].name != NULL; i++)
    g_ptr_array_add (paths, test_write (dir, c->file[i].name, c->file[i].text));
  format = wl_import_detect ((const char *const *) paths->pdata, paths->len, error);
  if (format != NULL && suite_check (strcmp (format->name, c->format) == 0, "%s: taken for %s", c->what, format->name) &&
      wl_import_run (format, (const char *const *) paths->pdata, paths->len, (const char *const *) (*c->options != '\0' ? options : NULL), out, NULL, error))
    return out;
  g_free (out);
  return NULL;
}

static void
check_case (const Case *c)
{
  g_autofree char *dir = test_make_dir ();
  g_autoptr (GError) error = NULL;
  g_autofree char *out = import (c, dir, &error);

  suite_check (out != NULL, "%s: %s", c->what, error != NULL ? error->message : "");
  if (out != NULL) { /* what is written can be run to its end */
    g_autofree char *scenario = g_build_filename (out, "scenario.yaml", NULL), *results = g_build_filename (out, "results", NULL), *complaint = NULL;
    char *args[] = { (char *) g_getenv ("VOLSIM_BIN"), (char *) "run", scenario, (char *) "--no-charts", (char *) "--out", results, NULL };

    suite_check (test_run (args, NULL, &complaint) == 0, "%s: the run says %s", c->what, complaint);
  }
  for (guint i = 0; out != NULL && i < MOST_PARTS && c->part[i].file != NULL; i++) {
    g_autofree char *path = g_build_filename (out, c->part[i].file, NULL), *text = test_read (path, NULL, NULL);
    gboolean wanted = *c->part[i].holds != '!';
    const char *part = c->part[i].holds + !wanted;

    suite_check (text != NULL && (strstr (text, part) != NULL) == wanted, "%s: %s has %s'%s':\n%s", c->what, c->part[i].file, wanted ? "no " : "", part, text != NULL ? text : "(nothing)");
  }
  test_remove_tree (dir);
}

/* ---- Google 2011 ------------------------------------------------------------------------------------- */

#define MACHINES_2011 "0,5,0,pA,0.5,0.25\n0,6,0,pB,1,1\n700000000,5,1,,,\n900000000,5,0,pA,0.5,0.25\n800000000,6,2,pB,0.5,1\n650000000,9,1,,,\n"

static const Case google_2011[] = {
  { "tasks of 2011", "google-2011", "",
    { { "part-00000-of-00500.csv", /* shuffled: ends before submissions */
        "700000000,,7,1,6,4,ann,2,9,0.5,0.25,0,0\n"
        "600000000,,7,0,,0,ann,2,9,0.5,0.25,0,0\n600000000,,7,1,,0,ann,2,9,0.5,0.25,0,0\n"
        "610000000,,7,0,5,1,ann,2,9,0.5,0.25,0,0\n620000000,2,7,1,6,1,ann,2,9,0.5,0.25,0,0\n"
        "630000000,,7,0,5,2,ann,2,9,0.5,0.25,0,0\n630000000,,7,0,,0,ann,2,9,0.5,0.25,0,0\n640000000,,7,0,6,1,ann,2,9,0.5,0.25,0,0\n740000000,,7,0,6,3,ann,2,9,0.5,0.25,0,0\n"
        "605000000,,8,0,,0,bob,0,0,0.000001,0.1,0,0\n606000000,,8,0,6,1,bob,0,0,0.000001,0.1,0,0\n" /* runs on */
        "605000000,,9,0,,0,eve,0,1,0.1,0.1,0,0\n" /* never scheduled */
        "606000000,,10,0,,0,eve,0,1,0.1,,0,0\n607000000,,10,0,,7,eve,0,1,0.2,,0,0\n608000000,,10,0,6,1,eve,0,1,0.2,,0,0\n609000000,,10,0,6,8,eve,0,1,0.4,,0,0\n650000000,,10,0,6,5,eve,0,1,0.2,,0,0\n"
        "9223372036854775807,,8,0,6,4,bob,0,0,0.01,0.1,0,0\n" },
      { "machines.csv", MACHINES_2011 },
      { "jobs.csv", "599000000,,7,0,ann,2,j,l\n750000000,,7,4,ann,2,j,l\n600000000,,11,0,ann,2,j,l\n" } },
    { { "import.txt", "Rows         27 read = 22 imported + 5 dropped + 0 bad" },
      { "import.txt", "1  never scheduled" },
      { "import.txt", "1  update of a running task" },
      { "import.txt", "1  after the end of the trace" },
      { "import.txt", "1  removal of a machine that is not there" },
      { "import.txt", "1  job without a task that ran" },
      { "import.txt", "1  end of tasks (they outlive the trace)" },
      { "import.txt", "1  events that the authors reconstructed" },
      { "import.txt", "1  requests changed while the task waited" },
      { "import.txt", "Made         3 jobs of 4 pods, 3 queues, 2 nodes" },
      { "jobs.csv", "job-7,0,ann,priority-9,1,false,,task,2,32,64Gi,100|80,ann,2\n" },
      { "jobs.csv", "job-8,6,bob,priority-0,1,true,,task,1,1m,27487790694,144,bob,0\n" },
      { "jobs.csv", "job-10,7,eve,priority-1,1,true,51,task,1,12800m,,inf,eve,0\n" }, /* killed: until it is deleted */
      { "recorded.csv", "default,job-7,0,21,21,141,FINISH,1,m-6|m-6\n" },
      { "nodes.csv", "m-5,101,remove,,,,\nm-6,201,update,32,256Gi,1000000,platform=pB\nm-5,301,add,32,64Gi,1000000,platform=pA\n" },
      { "scenario.yaml", "priority-9: 9" } } },
  { "a killed job runs as long as it ran", "google-2011", "killed=run queue-by=band nodes=100",
    { { "t", "605000000,,9,0,,0,eve,0,1,0.1,0.1,0,1\n606000000,,9,0,6,1,eve,0,1,0.1,0.1,0,1\n650000000,,9,0,6,5,eve,0,1,0.1,0.1,0,1\n" } },
    { { "objects.yaml", "  name: \"job-9\"\n  labels:\n    volcano.sh/preemptable: \"true\"\n  annotations:\n    volsim.io/submit: \"0\"\nspec:\n  minAvailable: 1\n  queue: \"free\"\n" },
      { "objects.yaml", "            - topologyKey: kubernetes.io/hostname\n              labelSelector:\n                matchLabels: {volsim.io/job: \"job-9\"}\n" },
      { "objects.yaml", "volsim.io/duration: \"44\"\n" }, { "import.txt", "100  nodes (the published mix)" }, { "import.txt", "1 jobs of 1 pods, 1 queues, 100 nodes" } } },
  { "tasks that were alive at the start", "google-2011", "queue-by=none",
    { { "alive.csv.gz", "0;5;0;u=;2;10;2506186271862;-1;0.04376;0.003975\n0;5;1;u=;2;10;100000000;641;0;0.5\n0;5;1;u=;2;10;7;-1;0;0.5\n" },
      { "mix.csv", "cpu_capacity,memory_capacity,machines\n0.50,0.25,3\n1.00,1.00,1\n" } },
    { { "import.txt", "1  duplicate id" }, { "jobs.csv", "job-5,0,priority-10,1,false,task,1,2801m,1092639680,2506186.271862,u=,2\njob-5,0,priority-10,1,false,task-2,1,,128Gi,100,u=,2\n" },
      { "nodes.csv", "n-0,32,64Gi,1000000,3\n" }, { "recorded.csv", "default,job-5,0,,,2506186.271862,," } } },
  { "constraints and attributes", "google-2011", "queue-by=none",
    { { "t.csv", "600000000,,7,0,,0,ann,2,9,0.5,0.25,0,0\n610000000,,7,0,5,1,ann,2,9,0.5,0.25,0,0\n700000000,,7,0,5,4,ann,2,9,0.5,0.25,0,0\n" },
      { "m.csv", "0,5,0,pA,1,1\n0,6,0,pB,1,1\n" },
      { "c.csv", "600000000,7,0,0,ar/ch,x86\n600000000,7,0,3,cores,8\n600000000,7,0,1,gone,\n600000000,3,0,1,gone,\n" },
      { "a.csv", "0,5,ar/ch,x86,0\n0,5,cores,16,0\n0,5,gone,1,0\n0,5,kernel,3,0\n0,6,ar/ch,arm,0\n700000000,5,cores,,1\n0,5,cores,16,0\n" } },
    { { "jobs.csv", "job-7,0,priority-9,1,false,task,1,32,64Gi,90,ar-ch=x86;cores>8;gone=*,ann,2\n" },
      { "import.txt", "1  constraint of a task without events" },
      { "import.txt", "1  attribute that no constraint names" },
      { "nodes.csv", "m-5,0,add,64,256Gi,1000000,platform=pA;ar-ch=x86;cores=16;gone=1\nm-6,0,add,64,256Gi,1000000,platform=pB;ar-ch=arm\nm-5,100,update,64,256Gi,1000000,platform=pA;ar-ch=x86;gone=1\n" } } },
  { "constraints without attributes", "google-2011", "nodes=3",
    { { "t.csv", "600000000,,7,0,,0,ann,2,9,0.5,0.25,0,0\n610000000,,7,0,5,1,ann,2,9,0.5,0.25,0,0\n700000000,,7,0,5,4,ann,2,9,0.5,0.25,0,0\n" },
      { "c.csv", "600000000,7,0,0,ar/ch,x86\n" } },
    { { "jobs.csv", "job-7,0,ann,priority-9,1,false,task,1,32,64Gi,90,ann,2\n" }, { "import.txt", "1  tasks with constraints: not kept, no attributes" } } },
  { "a header by name, in another order", "google-2011", "nodes=3",
    { { "m.csv", "machine_id,time,event_type,cpus,memory,platform_id\n5,0,0,0.5,0.25,pA\n" } },
    { { "nodes.csv", "m-5,32,64Gi,1000000,platform=pA\n" } } },
  { "a header of other names", "google-2011", "",
    { { "m.csv", "timestamp,machine,event,platform,CPUs,Memory\n0,5,0,pA,0.5,0.25\n" } },
    { { "nodes.csv", "m-5,32,64Gi,1000000,platform=pA\n" }, { "import.txt", "Rows         1 read = 1 imported" } } },
};

/* ---- Google 2019 ------------------------------------------------------------------------------------- */

#define COLLECTIONS "time,type,collection_id,scheduling_class,missing_type,collection_type,priority,alloc_collection_id,user,start_after_collection_ids,vertical_scaling,scheduler\n"
#define INSTANCES "time,type,collection_id,collection_type,priority,alloc_collection_id,instance_index,machine_id,resource_request.cpus,resource_request.memory,constraint\n"

static const Case google_2019[] = {
  { "instances of 2019", "google-2019", "",
    { { "i.csv", INSTANCES
        "600000000,0,7,0,103,0,0,0,0.5,0.25,[]\n610000000,3,7,0,103,0,0,5,0.5,0.25,[]\n700000000,6,7,0,103,0,0,5,0.5,0.25,[]\n"
        "600000000,0,8,1,200,0,0,0,0.25,0.5,[]\n600500000,3,8,1,200,0,0,6,0.25,0.5,[]\n900000000,KILL,8,1,200,0,0,6,0.25,0.5,[]\n" /* an alloc set */
        "610000000,0,9,0,200,8,0,0,0.25,0.5,[]\n" /* in it */
        "600000000,0,10,0,360,0,0,0,0.1,0.1,\"[{'name': 'os', 'value': '7', 'relation': 5}\n {'name': 'gpu', 'value': None, 'relation': 7}]\"\n620000000,3,10,0,360,0,0,5,0.1,0.1,[]\n" },
      { "c.csv", COLLECTIONS "600000000,0,7,2,0,0,103,0,ann,[],1,1\n600000000,0,8,2,0,1,200,0,bob,[3],2,0\n600000000,0,9,2,0,0,200,8,bob,[],1,1\n" },
      { "m.csv", "time,machine_id,type,switch_id,capacity_cpus,capacity_memory,platform_id,missing_data_reason\n0,5,1,s/1,1,1,p,0\n0,6,1,s/2,0.5,0.5,p,0\n650000000,6,2,,,,,0\n" },
      { "a.json", "{\"time\":\"0\",\"machine_id\":\"5\",\"name\":\"os\",\"value\":\"8\",\"deleted\":false}\n" } },
    { { "import.txt", "Rows         16 read = 14 imported + 2 dropped + 0 bad" },
      { "import.txt", "2  runs inside an alloc set" },
      { "import.txt", "1  jobs to start after that are not there: ignored" },
      { "import.txt", "1  jobs whose requests may be resized" },
      { "jobs.csv", "job-7,0,batch,priority-103,1,true,,task,1,32,64Gi,90,,ann,2\n" },
      { "jobs.csv", "job-8,0,,priority-200,1,false,300,task,1,16,128Gi,inf,,bob,2\n" },
      { "jobs.csv", "job-10,0,,priority-360,1,false,,task,1,6400m,27487790694,280,os>6;gpu!=*,,\n" },
      { "nodes.csv", "m-5,0,add,64,256Gi,1000000,rack=s-1;platform=p;os=8\nm-6,0,add,32,128Gi,1000000,rack=s-2;platform=p\nm-6,50,remove,,,,\n" },
      { "recorded.csv", "default,job-7,0,10,10,100,FINISH,0,m-5\n" } } },
  { "jobs that start after others", "google-2019", "nodes=2",
    { { "i.csv", INSTANCES
        "600000000,0,7,0,103,0,0,0,0.5,0.25,[]\n600000000,3,7,0,103,0,0,5,0.5,0.25,[]\n700000000,6,7,0,103,0,0,5,0.5,0.25,[]\n"
        "610000000,0,8,0,103,0,0,0,0.5,0.25,[]\n700000000,3,8,0,103,0,0,5,0.5,0.25,[]\n740000000,6,8,0,103,0,0,5,0.5,0.25,[]\n"
        "800000000,0,9,0,103,0,0,0,0.5,0.25,[]\n800000000,3,9,0,103,0,0,5,0.5,0.25,[]\n810000000,6,9,0,103,0,0,5,0.5,0.25,[]\n" },
      { "c.csv", COLLECTIONS "610000000,0,8,2,0,0,103,0,ann,[7],1,0\n740000000,6,8,2,0,0,103,0,ann,[7],1,0\n800000000,0,9,2,0,0,103,0,ann,\"[7, 8]\",1,0\n" } },
    { { "import.txt", "Made         2 jobs of 3 pods, 1 queues, 2 nodes, 1 of the jobs flows of 2 steps" },
      { "import.txt", "2  jobs to start after that were over before: ignored" },
      { "objects.yaml", "  flows:\n  - name: \"job-7\"\n  - name: \"job-8\"\n    dependsOn:\n      targets: [\"job-7\"]\n" },
      { "jobs.csv", "job-9,200," },
      { "jobs.csv", "!job-8" },
      { "recorded.csv", "default,flow-7-job-8,0,90,100,140,FINISH,0,m-5\n" },
      { "results/jobs.csv", "default,flow-7-job-8,default,101," } /* when job 7 is over */ } },
  { "one of two amounts", "google-2019", "", /* the other is counted, of machines too */
    { { "i.csv", INSTANCES "600000000,0,7,0,103,0,0,0,0.5,,[]\n610000000,3,7,0,103,0,0,5,0.5,0.25,[]\n700000000,6,7,0,103,0,0,5,,0.25,[]\n" },
      { "m.csv", "time,machine_id,type,capacity_cpus,capacity.memory\n0,5,1,,1\n" } },
    { { "import.txt", "2  cpu of a row (none)" }, { "import.txt", "1  memory of a row (none)" } } },
  { "alloc sets are left out", "google-2019", "allocs=ignore queue-by=band nodes=2 constraints=ignore",
    { { "i.csv", INSTANCES "600000000,0,8,1,200,0,0,0,0.25,0.5,[]\n600500000,3,8,1,200,0,0,6,0.25,0.5,[]\n"
        "610000000,0,9,0,200,8,0,0,0.25,0.5,[]\n611000000,3,9,0,200,8,0,6,0.25,0.5,[]\n700000000,6,9,0,200,8,0,6,0.25,0.5,[]\n" } },
    { { "import.txt", "2  alloc set" }, { "jobs.csv", "job-9,0,production,priority-200,1,false,task,1,16,128Gi,89,,\n" }, { "nodes.csv", "n,64,256Gi,1000000,2\n" } } },
  { "JSON lines", "google-2019", "",
    { { "i.json.gz", "{\"time\":\"600000000\",\"type\":\"0\",\"collection_id\":\"7\",\"priority\":\"25\",\"instance_index\":\"0\",\"machine_id\":null,\"resource_request\":{\"cpus\":0.5,\"memory\":0.25},\"constraint\":[]}\r\n"
        "{\"type\": 3, \"time\": 610000000, \"collection_id\": 7, \"instance_index\": 0, \"machine_id\": \"5\"}\n\n{\"type\":\"FINISH\",\"time\":700000000,\"collection_id\":7,\"instance_index\":0}" },
      { "m.json", "{\"time\":\"0\",\"machine_id\":\"5\",\"type\":\"ADD\",\"switch_id\":null,\"capacity\":{\"cpus\":0.5,\"memory\":1}}\n" } },
    { { "nodes.csv", "m-5,32,256Gi,1000000\n" }, { "import.txt", "Rows         4 read = 4 imported" }, { "jobs.csv", "job-7,0,priority-25,1,true,task,1,32,64Gi,90,,\n" } } },
  { "the flat join", "google-2019", "",
    { { "flat.csv", ",time,instance_events_type,collection_id,scheduling_class,collection_type,priority,alloc_collection_id,instance_index,machine_id,resource_request,constraint,user,scheduler,start_time,end_time,tail\n"
        "0,0,6,7,3,0,200,0,1,5,\"{'cpus': 0.5, 'memory': None}\",[],ann,0.0,600000000,900000000,\"[0.1 0.2\n 0.3]\"\n"
        "1,0,6,7,3,0,200,0,1,5,\"{'cpus': 0.5, 'memory': None}\",[],ann,0.0,900000000,1200000000,\"[0.1]\"\n"
        "2,0,2,8,3,0,200,0,1,6,\"{'cpus': 0.5, 'memory': 0.1}\",[],ann,1.0,900000000,600000000,[]\n" } },
    { { "import.txt", "Rows         3 read = 2 imported + 1 dropped" }, { "import.txt", "1  ends before it starts" }, { "jobs.csv", "job-7,0,priority-200,1,false,task,1,32,600,ann,3\n" } } },
};

/* ---- Alibaba 2017 ------------------------------------------------------------------------------------ */

#define TASKS_2017 "100,200,4,7,3,Terminated,50,0.25\n-20,80,5,8,1,Failed,100,0.5\n"

static const Case alibaba_2017[] = {
  { "tasks of 2017", "alibaba-2017", "",
    { { "batch_task.csv", "150,0,4,9,2,Running,50,0.25\n" TASKS_2017 "100,200,4,10,5,Waiting,,\n160,,4,11,1,Running,,\n100,200,4,7,3,Terminated,50,0.25\n170,180,6,12,1,Running,75,0.1\n" },
      { "server_event.csv", "30,2,softerror,agent_check,0,0,0\n0,1,add,,64,0.5,1\n0,2,add,,64,1,0.5\n50,2,harderror,disk,0,0,0\n60,3,softerror,x,0,0,0\n0,1,add,,64,0.5,1\n" },
      { "container_event.csv", "0,Create,77,1,4,0.125,0.05,1|2|3\n150,Remove,77,1,4,0.125,0.05,\n10,Create,78,2,8,0.25,0.1,4\n10,Create,78,2,8,0.25,0.1,4\n20,Remove,79,2,8,0.25,0.1,4\n" },
      { "schema.csv", "file name,field number,content,format,mandatory\nbatch_task.csv,1,x, INTEGER, YES\n" } },
    { { "import.txt", "Rows         18 read = 11 imported + 7 dropped + 0 bad" },
      { "import.txt", "1  never ran (Waiting)" },
      { "import.txt", "1  ends before it starts" },
      { "import.txt", "2  duplicate id" },
      { "import.txt", "1  removal of a container that is not there" },
      { "import.txt", "1  says nothing new of a machine" },
      { "import.txt", "1  error of a machine that is not there" },
      { "import.txt", "1  end (still running when the trace ended)" },
      { "import.txt", "1  end of running tasks" },
      { "import.txt", "Made         5 jobs of 8 pods, 2 queues, 2 nodes, 2 faults" },
      { "jobs.csv", "job-4,120,batch,batch,1,7,3,500m,64Gi,,100\njob-4,120,batch,batch,1,11,1,500m,1Gi,,40\n" },
      { "jobs.csv", "job-5,0,batch,batch,1,8,1,1,128Gi,,100\n" },
      { "jobs.csv", "container-77,20,service,service,1,service,1,4,32Gi,50000,150\n" },
      { "jobs.csv", "container-78,30,service,service,1,service,1,8,64Gi,100000,inf\n" },
      { "faults.csv", "time,kind,target,duration,value\n50,cordon,m-2,1800,\n70,crash,m-2,1800,\n" },
      { "nodes.csv", "m-1,20,64,128Gi,1000000,1000000\nm-2,20,64,256Gi,500000,1000000\n" } } },
  { "instances of 2017", "alibaba-2017", "nodes=3 unit-memory=100Gi",
    { { "batch_task.csv", "100,200,4,7,4,Terminated,50,0.25\n" },
      { "batch_instance.csv", "120,150,4,7,9,Terminated,1,1,0.29,0.12,0.0068,0.0067\n110,150,4,7,8,Failed,1,2,0.29,0.12,0.0068,0.0067\n160,200,4,7,8,Terminated,2,2,,,,\n"
                              "130,130,5,1,,Terminated,1,1,,,,\n100,200,4,7,,Waiting,1,1,,,,\n" } },
    { { "import.txt", "1  an earlier try of an instance" },
      { "import.txt", "1  never ran (Waiting)" },
      { "import.txt", "2  duration of instances (their task's)" },
      { "import.txt", "1  tasks without a row of their own" },
      { "jobs.csv", "job-4,0,batch,batch,1,7,4,500m,25Gi,30|40|100|100\njob-5,30,batch,batch,1,1,1,500m,1Gi,0\n" },
      { "recorded.csv", "default,job-4,0,,0,100,Terminated,1,m-9|m-8||\n" },
      { "nodes.csv", "n,64,69Gi,1000000,3\n" } } },
  { "groups of instances", "alibaba-2017", "group-instances=2 max-instances=5 wave=2",
    { { "batch_task.csv", "100,200,4,7,9,Terminated,50,0.125\n100,200,4,8,2,Terminated,50,0.25\n" } },
    { { "jobs.csv", "job-4,0,batch,batch,1,7,2,1,64Gi,33.333333\njob-4,0,batch,batch,1,7-2,1,500m,32Gi,33.333333\n" },
      { "jobs.csv", "job-4,0,batch,batch,1,8,2,500m,64Gi,100\n" }, /* two would be more than half of a machine */
      { "import.txt", "4  instances beyond --max-instances" } } },
};

/* ---- Alibaba 2018 ------------------------------------------------------------------------------------ */

#define TASKS_2018 "M1,2.0,j_1,5,Terminated,100,150,50.0,0.5\nR2_1,1.0,j_1,5,Terminated,150,200,100.0,1\nJ3_1_2_Stg7,1.0,j_1,5,Terminated,200,230,,\n"
#define MACHINES_2018 "m_1,0,10,3,96,100,USING\nm_1,700,10,3,96,100,USING\nm_1,900,11,3,96,100,USING\nm_2,500,12,3,96,100,IMPORT_INSTALLING\nm_3,300,12,3,96,100,USING\nm_3,200,12,3,96,100,IMPORT_X\n"

static const Case alibaba_2018[] = {
  { "tasks of 2018", "alibaba-2018", "",
    { { "t.csv", "MergeTask,1.0,j_2,5,Running,120,0,50.0,0.5\n" TASKS_2018 "M4,1.0,j_2,6,Waiting,100,110,50.0,0.5\nR5_4_9,1.0,j_2,6,Terminated,100,110,50.0,0.5\nR2,1.0,j_2,6,Terminated,100,90,50.0,0.5\n" },
      { "m.csv", MACHINES_2018 },
      { "c.csv", "c_1,m_1,0,app_1,started,400,400,3.13\nc_2,m_3,50,app_1,started,400,400,3.13\nc_2,m_3,60,app_1,stopped,400,400,3.13\nc_3,m_3,0,app_2,stopped,400,400,3.13\n" } },
    { { "import.txt", "Rows         17 read = 10 imported + 7 dropped + 0 bad" },
      { "import.txt", "2  machine that is not in use yet" },
      { "import.txt", "1  says nothing new of a machine" },
      { "import.txt", "1  container that never ran" },
      { "import.txt", "3  machines in the list" },
      { "import.txt", "1  machines that are never in use: no nodes" },
      { "import.txt", "Made         3 jobs of 8 pods, 2 queues, 2 nodes, 1 of the jobs flows of 3 steps" },
      { "import.txt", "2  dependencies on tasks that the job does not have: ignored" },
      { "jobs.csv", "job,submit,queue,priority,min_available,task,replicas,cpu,memory,duration,x_type\nj-2,100,batch,batch,1,mergetask,1,500m,1374389535,110,5\nj-2,100,batch,batch,1,r5-4-9,1,500m,1374389535,10,5\n" },
      { "objects.yaml", "  name: \"j-1\"\n  annotations:\n    volsim.io/submit: \"100\"\nspec:\n  jobRetainPolicy: retain\n  flows:\n  - name: \"j-1-m1\"\n  - name: \"j-1-r2-1\"\n    dependsOn:\n      targets: [\"j-1-m1\"]\n"
                        "  - name: \"j-1-j3-1-2-stg7\"\n    dependsOn:\n      targets: [\"j-1-m1\", \"j-1-r2-1\"]\n" },
      { "objects.yaml", "        - topologyKey: rack\n          maxSkew: 1\n          whenUnsatisfiable: ScheduleAnyway\n          labelSelector:\n            matchLabels: {volsim.io/job: \"app-1\"}\n" },
      { "nodes.csv", "m-1,0,add,96,256Gi,1000000,rack=10;row=3\nm-3,300,add,96,256Gi,1000000,rack=12;row=3\nm-1,900,update,96,256Gi,1000000,rack=11;row=3\n" },
      { "recorded.csv", "default,j-1-j-1-r2-1,100,,150,200,Terminated,0,\n" },
      { "results/jobs.csv", "default,j-1-j-1-r2-1,batch,151," } } }, /* when M1 is over */
  { "names that become the same are told apart", "alibaba-2018", "nodes=2",
    { { "t.csv", "M1,1.0,j_1,5,Terminated,100,150,50.0,0.5\nR2_1,1.0,j_1,5,Terminated,150,200,50.0,0.5\nM1,1.0,j_-1,5,Terminated,100,150,50.0,0.5\nR2_1,1.0,j_-1,5,Terminated,150,200,50.0,0.5\n"
                 "M1,1.0,j_a_name_that_is_too_long_for_a_flow,5,Terminated,100,150,50.0,0.5\nR2_1,1.0,j_a_name_that_is_too_long_for_a_flow,5,Terminated,150,200,50.0,0.5\n" } },
    { { "import.txt", "Made         3 jobs of 6 pods, 1 queues, 2 nodes, 3 of the jobs flows of 6 steps; the record of 6 jobs" }, { "objects.yaml", "  name: \"j-1\"\n" }, { "objects.yaml", "  name: \"j-1-" } } },
  { "tasks that come when they came in reality", "alibaba-2018", "dag=times queue-by=task_type pod-cpu=2",
    { { "t.csv", TASKS_2018 } },
    { { "jobs.csv", "j-1-m1,0,type-5,batch,1,m1,2,500m,1374389535,50,5\nj-1-r2-1,50,type-5,batch,1,r2-1,1,1,2748779069,50,5\nj-1-j3-1-2-stg7,100,type-5,batch,1,j3-1-2-stg7,1,2,4Gi,30,5\n" },
      { "import.txt", "1  cpu of tasks" }, { "import.txt", "4,034 nodes" } } },
  { "tasks that come together", "alibaba-2018", "dag=ignore nodes=1",
    { { "t.csv", TASKS_2018 }, { "i.csv", "ins_1,M1,j_1,1,Terminated,100,120,m_7,1,1,1,2,3,4\nins_2,M1,j_1,1,Running,101,0,,1,1,,,,\n" } },
    { { "jobs.csv", "j-1,0,batch,batch,1,m1,2,500m,1374389535,20|129,5\nj-1,0,batch,batch,1,r2-1,1,1,2748779069,50,5\n" }, { "recorded.csv", "default,j-1,0,,0,130,Terminated,0,m-7|||\n" } } },
};

/* ---- PAI --------------------------------------------------------------------------------------------- */

#define A "aaaaaaaaaaaa"
#define B "bbbbbbbbbbbb"
#define C "cccccccccccc"
#define TASKS_PAI A ",worker,3.0,Terminated,110.0,200.0,600.0,29.296875,50.0,T4\n" A ",ps,1.0,Terminated,105.0,200.0,200.0,10.0,,CPU\n" B ",worker,2.0,Running,300.0,,600.0,10.0,150.0,V100\n"
#define LIST "job_id,user,num_gpu,num_cpu,num_pod,duration,job_name,submit_time,group,gpu_type,wait_time,user_dur,group_dur,group_gpu_dur\n"

static const Case pai[] = {
  { "tables of PAI", "pai", "",
    { { "task.csv", TASKS_PAI C ",worker,1.0,Waiting,,,600.0,10.0,100.0,T4\n" },
      { "job.csv", A ",1111111111aa,deadbeef01,Terminated,100.0,200.0\n" B ",1111111111bb,deadbeef02,Running,290.0,\n" C ",1111111111cc,deadbeef02,Waiting,,\ndddddddddddd,1111111111dd,deadbeef02,Failed,50.0,\n" },
      { "instance.csv", /* another order; the second instance was tried again, the third waits */
        A ",worker,22222222ab,3333333333,1111111111aa,Failed,112.0,,eeeeeeee02\n" A ",worker,22222222aa,3333333333,1111111111aa,Terminated,110.0,160.0,eeeeeeee01\n"
        A ",worker,22222222ab,3333333333,1111111111aa,Terminated,120.0,180.0,eeeeeeee03\n" A ",worker,22222222ac,,1111111111aa,Waiting,,,\n"
        A ",ps,22222222ad,3333333333,1111111111aa,Interrupted,,195.0,eeeeeeee02\n" C ",worker,22222222ae,,1111111111cc,Waiting,,,\n" B ",worker,22222222af,33333333,1111111111bb,Terminated,310.0,300.0,eeeeeeee02\n" },
      { "machine.csv", "eeeeeeee01,T4,96,512,2\neeeeeeee02,CPU,96,512,0\neeeeeeee03,V100,96,512,8\neeeeeeee01,T4,96,512,2\n" },
      { "group.csv", "1111111111aa,deadbeef01,T4,77777777ab,nmt\n1111111111aa,deadbeef01,T4,77777777ab,nmt\n" } },
    { { "import.txt", "Rows         21 read = 13 imported + 8 dropped + 0 bad" },
      { "import.txt", "1  ends before it starts" },
      { "import.txt", "1  another try of an instance" },
      { "import.txt", "2  duplicate id" },
      { "import.txt", "3  never started (all instances waiting)" },
      { "import.txt", "1  job without instances" },
      { "import.txt", "1  GPUs of a pod rounded up" },
      { "import.txt", "2  duration of instances (their task's)" },
      { "import.txt", "2  duration of instances (still running when the trace ended)" },
      { "import.txt", "Made         2 jobs of 6 pods, 2 queues, 3 nodes" },
      { "jobs.csv", "aaaaaaaaaaaa,0,deadbeef01,worker,3,6,30000Mi,1,50,8000,60|50|70,gpu-model=T4,deadbeef01,77777777ab\naaaaaaaaaaaa,0,deadbeef01,ps,1,2,10Gi,,,,90,,deadbeef01,77777777ab\n" },
      { "jobs.csv", "bbbbbbbbbbbb,190,deadbeef02,worker,2,6,10Gi,2,100,16000,0,gpu-model=V100,deadbeef02,\n" },
      { "recorded.csv", "default,aaaaaaaaaaaa,0,5,5,95,Terminated,0,eeeeeeee03|eeeeeeee01||eeeeeeee02\n" },
      { "nodes.csv", "eeeeeeee01,96,512Gi,2000,200,32000,gpu-model=T4," } } },
  { "queues by group, any type", "pai", "queue-by=group pai-gpu-type=ignore gpu-share=whole nodes=100",
    { { "task.csv", TASKS_PAI }, { "job.csv", A ",1111111111aa,deadbeef01,Terminated,100.0,200.0\n" }, { "group.csv", "1111111111aa,deadbeef01,T4,77777777ab,nmt\n" } },
    { { "jobs.csv", "aaaaaaaaaaaa,0,77777777ab,worker,3,6,30000Mi,1,90,deadbeef01,77777777ab\naaaaaaaaaaaa,0,77777777ab,ps,1,2,10Gi,,95,deadbeef01,77777777ab\nbbbbbbbbbbbb,200,,worker,2,6,10Gi,2,0,,\n" },
      { "import.txt", "100 nodes" },
      { "import.txt", "1  queue (the job has no group)" },
      { "import.txt", "1  submission (the start of the first task)" } } },
  { "instances alone, and headers", "pai", "",
    { { "instance.csv", "job_name,inst_name,task_name,inst_id,status,start_time,end_time,machine\n" A ",22222222aa,worker,1111111111aa,Terminated,110.0,160.0,eeeeeeee01\n" },
      { "pai_sensor_table.header", "job_name,task_name,worker_name,inst_id,machine,gpu_name,cpu_usage,gpu_wrk_util,avg_mem,max_mem,avg_gpu_wrk_mem,max_gpu_wrk_mem,read,write,read_count,write_count\n" } },
    { { "jobs.csv", "aaaaaaaaaaaa,0,worker,1,6,29Gi,1,50,,\n" }, { "import.txt", "1  GPUs of tasks without a row of their own" }, { "import.txt", "1,897 nodes" } } },
  { "the list of jobs", "pai", "",
    { { "list.csv", LIST "0,u1,0.0,2.0,1.0,34,n,10,g1,CPU,3,1,1,1\n1,u1,3.0,72.0,12.0,100,n,12,g1,T4,2,1,1,1\n2,u2,16.0,10.0,2.0,50,n,0,g2,V100,,1,1,1\n3,u2,1.0,1.0,1.0,-5,n,1,g2,V100,1,1,1,1\n" } },
    { { "import.txt", "Rows         4 read = 3 imported + 1 dropped + 0 bad" },
      { "jobs.csv", "job-2,0,u2,worker,2,5,494780232499,8,100,16000,50,gpu-model=V100,u2,g2\njob-0,10,u1,worker,1,2,4Gi,,,,34,,u1,g1\njob-1,12,u1,worker,12,6,61847529062,1,25,4000,100,gpu-model=T4,u1,g1\n" },
      { "recorded.csv", "default,job-0,10,3,13,47,,0,\ndefault,job-1,12,2,14,114,,0,\n" } } },
  { "rows of a group as one job", "pai", "pai-join-group=10s queue-by=none",
    { { "list.csv", LIST "1,u1,3.0,72.0,12.0,100,n,12,g1,T4,2,1,1,1\n0,u1,0.0,2.0,1.0,34,n,10,g1,CPU,3,1,1,1\n2,u1,0.0,2.0,1.0,34,n,21,g1,CPU,3,1,1,1\n" } },
    { { "jobs.csv", "job-0,0,cpu-0,1,2,4Gi,,,,34,,u1,g1\njob-0,0,t4-1,12,6,61847529062,1,25,4000,100,gpu-model=T4,u1,g1\njob-2,11,worker,1,2,4Gi,,,,34,,u1,g1\n" }, { "import.txt", "2  rows of a group that are one job" } } },
};

/* ---- bad rows ---------------------------------------------------------------------------------------- */

#define TASK "600000000,,7,0,,0,ann,2,9,0.5,0.25,0,0\n610000000,,7,0,5,1,ann,2,9,0.5,0.25,0,0\n"

static const struct { const char *format, *text, *says; } bad[] = {
  { "google-2011", TASK "x,,7,0,5,4,ann,2,9,0.5,0.25,0,0\n", ":3:1: column 'time': not a number" },
  { "google-2011", "x,,7,0,5,4,ann,2,9,0.5,0.25,0,0\n" TASK, ":1:1: column 'time': not a number" },
  { "google-2011", TASK "700000000,,7,0,5,9,ann,2,9,0.5,0.25,0,0\n", ":3:18: column 'event_type': number out of range, expected 0 to 8, found '9'" },
  { "google-2011", TASK "700000000,,7,0,5,4,ann,2,9,-0.5,0.25,0,0\n", ":3:28: column 'cpu_request': number out of range" },
  { "google-2011", TASK "700000000,,7,0,5,4,ann,2,9,0.5,1e9,0,0\n", ":3:32: column 'memory_request': number out of range" },
  { "google-2011", TASK "700000000,,7,0,5,4,ann,2,9,0.5,0.25,0\n", ":3:37: wrong number of cells, expected 13, which this table has, found 12" },
  { "google-2011", TASK "9007199254740993,,7,0,5,4,ann,2,9,0.5,0.25,0,0\n", ":3:1: column 'time': time out of range, expected microseconds up to 2^53" },
  { "google-2011", TASK "700000000,,7,1.5,5,4,ann,2,9,0.5,0.25,0,0\n", ":3:14: column 'task_index': not a whole number" },
  { "google-2011", "0,5,0,pA,1,1\n0,6,0,pB,one,1\n0,7,0,pB,1,1\n", ":2:10: column 'cpus': not a number" },
  { "google-2011", "0;5;0;u=;2;10;100;-1;0.1;0.1\n0;5;1;u=;2;10;;-1;0.1;0.1\n0;5;2;u=;2;10;100;-1;0.1;0.1\n", ":2:15: column 'end_time'" },
  { "google-2019", INSTANCES "600000000,0,7,0,103,0,,0,0.5,0.25,[]\n", ":2:23: column 'instance_index': empty, expected a whole number" },
  { "google-2019", INSTANCES "600000000,JUMP,7,0,103,0,0,0,0.5,0.25,[]\n", ":2:11: column 'type': not a number" },
  { "google-2019", INSTANCES "600000000,0,7,0,103,0,0,0,0.5,0.25,[{]\n", ":2:36: column 'constraint': map or list, expected" },
  { "google-2019", "{\"time\":0,\"type\":0,\"collection_id\":7,\"instance_index\":0}\n{\"time\":0,\"type\":0,\"collection_id\":7,\"instance_index\":-1}\n", ":2:55: 'instance_index': number out of range" },
  { "alibaba-2017", TASKS_2017 "100,200,x y,7,3,Done,50,0.25\n", ":3:17: column 'status', expected Terminated, Failed, Running, Waiting, Cancelled, Interrupted or Ready, found 'Done'" },
  { "alibaba-2017", TASKS_2017 "100,200,4,9,0.5,Terminated,50,0.25\n", ":3:13: column 'instance_num': not a whole number" },
  { "alibaba-2017", TASKS_2017 "100,200,4,9,3,Terminated,50,99999\n", ":3:29: column 'plan_mem': number out of range" },
  { "alibaba-2017", TASKS_2017 "100,200,4,,3,Terminated,50,0.25\n", ":3:11: column 'task_id': empty cell, expected the id of a task" },
  { "alibaba-2017", "0,1,add,,64,0.5,1\n0,2,vanish,,64,1,0.5\n0,3,add,,64,0.5,1\n", ":2:5: column 'event_type', expected add, softerror or harderror, found 'vanish'" },
  { "alibaba-2018", TASKS_2018 "M9,1.0,j_9,5,Terminated,soon,150,50.0,0.5\n", ":4:25: column 'start_time': not a number" },
  { "alibaba-2018", TASKS_2018 "M9,1.0,,5,Terminated,100,150,50.0,0.5\n", ":4:8: column 'job_name': empty cell" },
  { "alibaba-2018", TASKS_2018 "M8_9,1.0,j_9,5,Terminated,100,150,50.0,0.5\nM9_8,1.0,j_9,5,Terminated,100,150,50.0,0.5\n", ":4:1: tasks of a job, expected an order in which each can wait for those that it names, found a circle among those of 'j_9'" },
  { "pai", TASKS_PAI C ",worker,1.0,Waiting,,,much,10.0,100.0,T4\n", ":4:35: column 'plan_cpu': not a number" },
  { "pai", TASKS_PAI C ",worker,1.0,Gone,,,600.0,10.0,100.0,T4\n", ":4:25: column 'status', expected Terminated, Failed, Running, Waiting or Interrupted, found 'Gone'" },
  { "pai", TASKS_PAI C ",worker,1.5,Waiting,,,600.0,10.0,100.0,T4\n", ":4:21: column 'inst_num': not a whole number" },
  { "pai", "eeeeeeee01,T4,96,512,2\neeeeeeee02,CPU,96,512,\neeeeeeee03,T4,96,512,2\n", ":2:23: column 'cap_gpu': not a number" },
  { "pai", LIST "0,u1,0.0,2.0,0,34,n,10,g1,CPU,3,1,1,1\n", ":2:14: column 'num_pod': number out of range, expected 1 to 1000000, found '0'" },
  { "google-2019", "{\"time\":0,\"type\":0,\"collection_id\":7,\"instance_index\":0}\n{\"time\":0 \"type\n", ":2:16: map or list, expected a quote at the end of a string" },
};

static void
bad_rows_are_refused_with_their_place_or_skipped (void)
{
  static const char *const skip[] = { "on-bad-row=skip", NULL };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL), *path = test_write (dir, "trace", bad[i].text), *report = NULL;
    const char *const paths[] = { path };
    g_autoptr (GError) error = NULL;
    const WlImportFormat *format = wl_import_detect (paths, 1, &error);

    suite_check (format != NULL && strcmp (format->name, bad[i].format) == 0, "case %u is taken for %s", i, format != NULL ? format->name : error->message);
    g_clear_error (&error);
    format = wl_import_find (bad[i].format);
    gboolean good = wl_import_run (format, paths, 1, NULL, out, NULL, &error);

    suite_check (!good && strstr (error->message, bad[i].says) != NULL && strchr (error->message, '\n') == NULL, "case %u should say %s, says: %s", i, bad[i].says, error != NULL ? error->message : "nothing");
    suite_check (!g_file_test (out, G_FILE_TEST_EXISTS), "case %u: nothing is written", i);
    g_clear_error (&error);
    good = wl_import_run (format, paths, 1, skip, out, &report, &error);
    suite_check (good && strstr (report, "+ 1 bad\n") != NULL, "case %u is skipped: %s", i, error != NULL ? error->message : report);
    test_remove_tree (dir);
  }
}

static void
tables_of_others_are_not_taken_for_these (void)
{
  static const struct { const char *format, *text; } tables[] = {
    { "azure", "vmId,tenantId,vmTypeId,priority,starttime,endtime\n1,7,1,0,-0.5,0.5\n2,7,1,1,0.25,0.5\n3,7,2,0,0.1,0.2\n" },
    { "azure", "id,vmTypeId,machineId,core,memory,hdd,ssd,nic\n0,1,16,0.25,0.5,0,0.1,0.05\n1,2,17,0.5,0.5,0,0,0\n2,2,17,0.5,0.5,0,0,0\n" },
    { "pollux", "name,time,application,num_replicas,batch_size\ncifar10-0,107,cifar10,6,2048\n" },
    { NULL, "a,b,c,d,e\nx,y,1,2,z\nx,y,1,2,z\n" },
    { NULL, "1,2,3,4,5,6,7\n1,2,3,4,5,6,7\n" },
    { NULL, "submission_time,duration,num_gpu\n0,288476,16\n5810,17359,8\n9000,100,8\n" }, /* no mix of machines */
    { "google-2011", "0.5,0.25,100\n1,0.5,7\n" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++) {
    g_autofree char *dir = test_make_dir (), *path = test_write (dir, "trace", tables[i].text);
    const char *const paths[] = { path };
    g_autoptr (GError) error = NULL;
    const WlImportFormat *format = wl_import_detect (paths, 1, &error);

    suite_check (g_strcmp0 (format != NULL ? format->name : NULL, tables[i].format) == 0, "table %u is taken for %s", i, format != NULL ? format->name : error->message);
    test_remove_tree (dir);
  }
}

/* ---- the program ------------------------------------------------------------------------------------- */

static void
check_cases (const Case *c, guint n)
{
  for (guint i = 0; i < n; i++)
    check_case (&c[i]);
}

static void
tasks_of_google_2011_become_jobs (void)
{
  check_cases (google_2011, G_N_ELEMENTS (google_2011));
}

static void
instances_of_google_2019_become_jobs (void)
{
  check_cases (google_2019, G_N_ELEMENTS (google_2019));
}

static void
tasks_of_alibaba_2017_become_jobs (void)
{
  check_cases (alibaba_2017, G_N_ELEMENTS (alibaba_2017));
}

static void
tasks_of_alibaba_2018_become_jobs_and_flows (void)
{
  check_cases (alibaba_2018, G_N_ELEMENTS (alibaba_2018));
}

static void
tasks_of_pai_become_gangs (void)
{
  check_cases (pai, G_N_ELEMENTS (pai));
}

static CU_TestInfo tests[] = {
  { "tasks of Google 2011 become jobs", tasks_of_google_2011_become_jobs },
  { "instances of Google 2019 become jobs", instances_of_google_2019_become_jobs },
  { "tasks of Alibaba 2017 become jobs", tasks_of_alibaba_2017_become_jobs },
  { "tasks of Alibaba 2018 become jobs and flows", tasks_of_alibaba_2018_become_jobs_and_flows },
  { "tasks of PAI become gangs", tasks_of_pai_become_gangs },
  { "bad rows are refused with their place, or skipped", bad_rows_are_refused_with_their_place_or_skipped },
  { "tables of others are not taken for these", tables_of_others_are_not_taken_for_these },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("import clusters", tests);
}
