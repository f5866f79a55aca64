/* tests/test-import-families.c - small traces in the layouts of the families: what becomes of their rows. The rows are made up. */
#include "run-helper.h"
#include "workloads/import/import.h"
#include "import-case.h"
#include "suite.h"

static const ImportCase families[] = {
  { .format = "spot", "", { { "node_info_df.csv", "gpu_model,gpu_capacity_num,cpu_num,node_name\nA10,1,128,0\nH800,8,192,1\n" },
                  { "job_info_df.csv", "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n"
                                       "7,13,A10,20,1,1,10,100,HP\n8,57,H800,15,8,2,40,50,Spot\n9,1,,4,0,1,50,-1,HP\n10,,,4,1,1,50,9,HP\n" } },
    { "Rows         6 read = 5 imported + 1 dropped + 0 bad", "Made         3 jobs of 4 pods", "1  negative duration", "1  queue (the trace names none: default)", "1  gpu_model (none given: any)" },
    { "job-7,0,org-13,hp,", "job-8,30,org-57,spot,", "gpu-model=H800" }, "scenario.yaml", "hp: 1000" },
  { .format = "dlrm", "hn-nodes=2 cn-nodes=1", { { "dlrm.csv", "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,memory_limit,disk_request,"
                                       "disk_limit,max_instance_per_node,creation_time,scheduled_time,deletion_time\n"
                                       "instance_0,HN,app_0,12,12,1,1,25,25,120.0,120.0,640.0,800.0,2,,,\n"
                                       "instance_2,HN,app_0,12,12,1,1,25,25,120.0,120.0,640.0,800.0,2,500,500,600\ninstance_3,HN,app_0,12,12,1,1,25,25,120.0,120.0,640.0,800.0,2,500,500,600\n"
                                       "instance_1,CN,app_1,64,64,0,0,1,1,256,256,100,100,-1,475.00000000000006,480.0,1475.0\n" } },
    { "Rows         4 read = 4 imported + 0 dropped", "1  creation (there before the trace)", "1  deletion (outlives the trace)" },
    { "instance-0,0,", "instance-1,475,", ",995,pool=cn,,app_1", "pool=hn,app-0-hn-2-1,app_0\ninstance-3,500,", "pool=hn,app-0-hn-2-0,app_0\n" }, "recorded.csv", "default,instance-1,475,5,480,1475," },
  { .format = "helios", "nodes=2", { { "cluster_log.csv", "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
                                               "1,ann,vcA,16,64,2,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:11,2020-06-09 18:42:51,100,10\n"
                                               "2,bob,vcB,0,4,1,CANCELLED,2020-06-09 18:41:05,2020-06-09 18:41:05,2020-06-09 18:41:05,0,0\n" },
                           { "gpus.csv", "date,vcA,vcB,total\n2020-06-07,8,8,16\n2020-06-08,0,16,16\n2020-06-09,16,0,16\n2020-06-10,8,8,16\n" } },
    { "Made         1 jobs of 2 pods", "1  no running time (cancelled while waiting)", "the record of 1 jobs" }, { "job-1,0,vca,w,2,32,", ",100," }, "recorded.csv", "default,job-1,0,10,10,110,COMPLETED," },
  { .format = "acme", "", { { "seren.csv", "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time\n"
                                            "1,u,1,8,8,,COMPLETED,2023-05-17 11:00:58+08:00,2023-05-17 11:01:08+08:00,2023-05-17 11:01:16+08:00,18,10,1\n"
                                            "2,u,1,8,8,Poem,COMPLETED,2023-05-17 11:00:59+08:00,2023-05-17 11:01:08+08:00,2023-05-17 11:01:16+08:00,18,10,1\n" } },
    { "1  type (none given: priority 100)", "1  queue (the trace names none: default)", "1  priority of a type that the format does not know (100)" }, { "job-2,1,poem,100" }, NULL, NULL },
  { .format = "helios", "nodes=2", { { "cluster_log.csv", "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
                                               "1,ann,,16,64,2,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:11,2020-06-09 18:42:51,100,10\n" } },
    { "1  queue (the trace names none: default)" }, { "job-1,0,w,2,32," }, NULL, NULL },
  { .format = "helios", "nodes=2 on-bad-row=skip", /* days in any order, row numbers in front, quotes; three that cannot be read */
    { { "cluster_log.csv", "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
                           "1,ann,vcA,8,64,1,COMPLETED,2020-06-08 18:41:01,2020-06-08 18:41:11,2020-06-10 18:42:51,100,10\n" },
      { "gpus.csv", ",\"date\",vcA,\"vcB\",total\n3,2020-06-10,8,8,16\n0,2020-06-07,8,\"8\",16\n1,2020-06-08,8.0,x,8\n2,2020-06-09,16,0,16\n4,x,1,1,2\n5,2020-06-11,1,1\n" } },
    { "Rows         7 read = 4 imported + 0 dropped + 3 bad" }, { "job-1,0,vca,w,1,64," }, "queues.csv",
    "queue,time,weight,capability/nvidia.com/gpu\nvca,0,1,8\nvcb,0,1,8\nvca,19139,1,16\nvcb,19139,1,0\nvca,105539,1,8\nvcb,105539,1,8\n" },
  { .format = "openb", "mode=inflation", { { "pods.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1000,5,1,500\nb,1000,5,1,1000\n" }, { "nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn,96000,4096,8,G2\n" } },
    { "2  qos (none given: no priority)" }, { "a,0,pod,1,1,5Mi,1,50,8000,inf" }, NULL, NULL },
  { .format = "pai", "", { { "list.csv", "job_id,user,num_gpu,num_cpu,num_pod,duration,submit_time,gpu_type\n1,,1,6,1,9,0,T4\n2,u,1,6,1,9,5,T4\n" } },
    { "1  queue (the trace names none: default)" }, { "job-1,0,,", "job-2,5,u," }, NULL, NULL },
  { .format = "acme", "", { { "trace_kalos.csv", "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time\n"
                                       "dlc1,u,8,64,960,1000,100.0,Pretrain,FAILED,2023-05-17 11:00:58+00:00,2023-05-17 11:01:08+00:00,2023-05-17 11:01:16+00:00,,,18,10.0,1152.0\n"
                                       "dlc2,u,1,8,8,10,,Evaluation,COMPLETED,2023-05-17 11:00:59+00:00,,2023-05-17 11:01:16+00:00,,,18,10.0,1152.0\n" } },
    { "Made         1 jobs of 8 pods", "1  never started", "302  nodes" }, { "job-dlc1,0,pretrain", ",400,", ",8," }, "recorded.csv", "default,job-dlc1,0,10,10,18,FAILED," },
  { .format = "philly", "philly-attempts=sum", { { "cluster_job_log", "[{\"status\": \"Pass\", \"vc\": \"ee9e8c\", \"jobid\": \"application_1_1\", \"attempts\": [\n"
                                                           " {\"start_time\": \"2017-10-07 01:00:10\", \"end_time\": \"2017-10-07 01:00:40\", \"detail\": [{\"ip\": \"m1\", \"gpus\": [\"gpu0\", \"gpu1\"]}]},\n"
                                                           " {\"start_time\": \"2017-10-07 01:01:00\", \"end_time\": null, \"detail\": [{\"ip\": \"m1\", \"gpus\": [\"gpu0\"]}]},\n"
                                                           " {\"start_time\": \"2017-10-07 01:02:00\", \"end_time\": \"2017-10-07 01:02:20\", \"detail\": [{\"ip\": \"m2\", \"gpus\": [\"gpu0\", \"gpu1\"]}]}],\n"
                                                           " \"submitted_time\": \"2017-10-07 01:00:00\", \"user\": \"ann\"},\n"
                                                           " {\"status\": \"Killed\", \"vc\": \"ee9e8c\", \"jobid\": \"application_1_2\", \"attempts\": [], \"submitted_time\": \"2017-10-07 01:00:00\", \"user\": \"ann\"}]\n" },
                                       { "cluster_machine_list", "machineId, number of GPUs, single GPU mem\nm1,2, 12GB\nm2,8, 24GB\n" } },
    { "Rows         4 read = 3 imported + 1 dropped + 0 bad", "1  never tried", "1  attempts without start, end or GPUs are left out" }, { "application-1-1,0,ee9e8c,", ",50," }, "recorded.csv",
    "default,application-1-1,0,10,10,140,Pass,2,m2" },
  { .format = "philly", "nodes=2", /* bytes that no table may hold */
    { { "cluster_job_log", "[{\"status\": \"Pa\\u0001ss\", \"vc\": \"v\\u0007c\", \"jobid\": \"a\\u00011\", \"attempts\": [{\"start_time\": \"2017-10-07 01:00:10\", \"end_time\": \"2017-10-07 01:00:40\", "
                           "\"detail\": [{\"ip\": \"m1\", \"gpus\": [\"gpu0\"]}]}], \"submitted_time\": \"2017-10-07 01:00:00\", \"user\": \"\\u001b[31ma\\r\"}]" } },
    { "3  texts with control characters, which are replaced" }, { "a-1,0,v-c,", ",\xef\xbf\xbd[31ma\xef\xbf\xbd,Pa\xef\xbf\xbdss\n" }, "recorded.csv", "default,a-1,0,10,10,40,Pa\xef\xbf\xbdss,0,m1\n" },
  { .format = "philly", "nodes=2", { { "philly.csv", "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 07:01:55,66.0,12,792.0,11cb48\n2017-10-09 06:01:55,6.0,1,6.0,6214e9\n" } },
    { "Made         2 jobs of 3 pods", "2  cpu and memory of pods" }, { ",0,6214e9,", ",3600,11cb48,", ",8,66\n", ",4,66\n" }, "queues.csv", "11cb48" },
  { .format = "azure", "nodes=3 machine-type=16", { { "vm.csv", "vmId,tenantId,vmTypeId,priority,starttime,endtime\n1,7,1,0,-0.5,0.5\n2,7,1,1,0.25,\n3,7,2,0,0.1,0.2\n" },
                                         { "vmType.csv", "id,vmTypeId,machineId,core,memory,hdd,ssd,nic\n0,1,16,0.25,0.5,0,0.1,0.05\n1,2,17,0.5,0.5,,0,0\n" } },
    { "1  disks or network of VM types (none)", "1  cannot run on the chosen machine type", "1  start (alive at the beginning", "1  end (still there" }, { "vm-1,0,", ",43200,", "vm-2,21600,", ",16,128Gi,50000,100000,43200,", ",true" }, "nodes.csv", "machine-type=16" },
  { .format = "gavel", "nodes=1", { { "a.trace", "ResNet-18 (batch size 32)\tcmd \"%s\"\t-n\t1\t3000\t10.000000\t2\nLM (batch size 5)\tcmd\t-n\t1\t3000\t20.000000\t1\n" },
                          { "t.json", "{\"v100\": {\"('ResNet-18 (batch size 32)', 2)\": {\"null\": 12.5}}, \"k80\": {}}" } },
    { "Rows         2 read = 1 imported + 1 dropped", "1  no throughput for this model and scale" }, { ",0,", ",240," }, "jobs.csv", "ResNet-18 (batch size 32)" },
  { .format = "gavel", "nodes=1", { { "a.trace", "\xef\xbb\xbfLM (batch size 5)\tcmd\t-n\t1\t3000\t20.0\t1\n" }, /* byte-order marks, and ends of lines of another system */
                          { "t.json", "\xef\xbb\xbf{\"v100\": {\r\n\"('LM (batch size 5)', 1)\": {\"null\": 10}}, \"k80\": {}}\r\n" } },
    { "Rows         1 read = 1 imported" }, { ",0,", ",300," }, NULL, NULL },
  { .format = "gavel", "nodes=1 missing-scale=linear", { { "a.trace", "LM (batch size 9)\tcmd\t-n\t1\t1200\t10.0\t6\nLM (batch size 9)\tcmd\t-n\t1\t1200\t20.0\t2\nLM (batch size 5)\tcmd\t-n\t1\t3000\t20.0\t1\n" },
                                              { "t.json", "{\"v100\": {\"('LM (batch size 9)', 1)\": {\"null\": 1}, \"('LM (batch size 9)', 2)\": {\"null\": 4}}, \"k80\": {}}" } },
    { "Rows         3 read = 2 imported + 1 dropped", "1  no throughput for this model and scale", "1  throughput, in proportion to that of fewer workers" }, { "gavel-00000,0,worker,6,", ",100,", ",300," }, "jobs.csv", "LM (batch size 9)" },
  { .format = "shockwave", "nodes=1", { { "d.trace", "LM (batch size 10)\tcmd\tdir\t--steps\t1\t134583\t2\tgns\t1\t-1.000000\t1418\t7\n" } },
    { "Made         1 jobs of 2 pods" }, { ",1418," }, "jobs.csv", "LM (batch size 10)" },
  { .format = "pollux", "cifar10=1h", { { "workload-1.csv", "name,time,application,num_replicas,batch_size\ncifar10-0,107,cifar10,6,2048\n" } },
    { "Made         1 jobs of 6 pods", "1  duration (by application)" }, { "cifar10-0,0,", ",600," }, "nodes.csv", "n,48," },
};

static void
rows_of_each_family_become_jobs (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    test_import (&families[i]);
}

static void
rows_that_cannot_be_read_are_refused_with_their_place (void)
{
  static const struct { const char *format, *text, *says; } bad[] = {
    { "spot", "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n7,13,A10,20,1.5,1,10,100,HP\n", ":2:13: column 'gpu_request'" },
    { "spot", "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n7,13,A10,20,1,1,10,100,hp\n", "expected HP or Spot, found 'hp'" },
    { "dlrm", "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,memory_limit,disk_request,disk_limit,max_instance_per_node,"
              "creation_time,scheduled_time,deletion_time\ni,XN,a,1,1,1,1,1,1,1,1,1,1,1,,,\n", ":2:3: column 'role', expected HN or CN, found 'XN'" },
    { "dlrm", "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,memory_limit,disk_request,disk_limit,max_instance_per_node,"
              "creation_time,scheduled_time,deletion_time\ni,CN,a,1,1,1,1,1,1,1,1,1,1,0,,,\n", ":2:28: column 'max_instance_per_node', expected -1 (no limit), or a number from 1, found '0'" },
    { "philly", "timestamp,duration,num_gpus,gpu_time,cluster\nyesterday,66.0,12,792.0,11cb48\n", ":2:1: column 'timestamp'" },
    { "philly", "[{\"jobid\": \"a\", \"vc\": \"\", \"submitted_time\": \"2017-10-07 01:00:00\",\n\"attempts\": []}]", ":1:3: job, expected jobid, vc and submitted_time" },
    { "philly", "[{\"jobid\": \"a\", \"vc\": \"v\",\n \"submitted_time\": \"soon\", \"attempts\": []}]", ":2:20: not a time" },
    { "pollux", "name,time,application,num_replicas,batch_size\nx,107,chess,6,2048\n", ":2:7: column 'application', expected cifar10, ncf, bert, deepspeech2, yolov3 or imagenet, found 'chess'" },
    { "gavel", "ResNet-18 (batch size 32)\tcmd\t-n\t1\t3000\t10.0\t2\n", ":1:1: a job in steps, expected simulation_throughputs.json among the files, found none" },
    { "helios", "date,a,b,total\n2020-04-01,1,2,3\n2020-04-02,1,x,3\n", ":3:14: column 'b': not a number" },
    { "helios", "date,a,b,total\n2020-04-01,1,2,3\nsoon,1,2,3\n", ":3:1: column 'date', expected a day such as 2020-04-01, found 'soon'" },
    { "helios", "date,a,b,total\n2020-04-01,1,2,3\n2020-04-02,1,2\n", ":3:14: wrong number of cells, expected 4 as in the header, found 3" },
    { "shockwave", "LM (batch size 10)\tcmd\tdir\t--steps\t1\t134583\t1.5\tgns\t1\t-1.000000\t1418\t7\n", ":1:45: scale factor: not a whole number, expected 1 to 10000, found '1.5'" },
    { "shockwave", "LM (batch size 10)\tcmd\tdir\t--steps\t1\t134583\t1\tgns\tmuch\t-1.000000\t1418\t7\n", ":1:51: priority weight: not a number" },
    { "shockwave", "LM (batch size 10)\tcmd\tdir\t--steps\t1\t134583\t1\tgns\t1\tsoon\t1418\t7\n", ":1:53: SLO: not a number" },
    { "shockwave", "LM (batch size 10)\tcmd\tdir\t--steps\t1\t134583\t1\tgns\t1\t-1\t1418\tnever\n", ":1:61: arrival time: not a number" },
    { "azure", "vmTypeId,machineId,core,memory,hdd,ssd,nic\n1,7,0.5,0.5,,0,0\n2,7,,0.5,0,0,0\n", ":3:5: column 'core': not a number" },
    { "azure", "vmTypeId,machineId,kernel,memory\n1,7,1,0\n", ":1:1: expected the columns of VM types" },
    { "shockwave", "L\xb4 (batch size 10)\tcmd\tdir\t--steps\t1\t134583\t2\tgns\t1\t-1.000000\t1418\t7\n", ":1:1: bytes that no text has" },
    { "azure", "vmId,tenantId,vmTypeId,priority,starttime,endtime\n1,7,1,0,-0.5,0.5\n", "azure: expected the table of VM types" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    test_import_refusal (bad[i].format, bad[i].text, bad[i].says);
}

/* A format of the test's own: its first job comes at 100. */
static gboolean
early_run (WlImport *imp, GError **error)
{
  static const WlImportQueue queues[] = {
    { .name = "q", .parent = "p", .time = WL_TIME_NONE, .weight = 2, .capability = { .gpus = 8 }, .deserved = { .gpus = 2 } },
    { .name = "p", .time = WL_TIME_NONE },
    { .name = "q", .time = 40000000, .weight = 3, .capability = { .gpus = 4 } },
    { .name = "q", .time = 90000000, .weight = 3, .gpu_limit = TRUE },
    { .name = "q", .time = 160000000, .weight = 3, .capability = { .gpus = 1 } },
  };
  static const WlImportFault faults[] = {
    { 10000000, "notready", "a", NULL, 20000000 },  /* over before anybody came */
    { 50000000, "notready", "b", NULL, 70000000 },  /* 20 s are left */
    { 60000000, "notready", "c", NULL, WL_TIME_NEVER },
    { 150000000, "notready", "d", NULL, 5000000 },
  };
  const WlImportRole role = { .name = "w", .request = { .gpus = 1 }, .duration = 60000000 };
  const WlImportJob job = { .name = "j", .queue = "q", .submit = 100000000, .role = &role, .n_roles = 1 };

  for (guint i = 0; i < G_N_ELEMENTS (queues); i++)
    wl_import_queue (imp, &queues[i]);
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    wl_import_fault (imp, &faults[i]);
  wl_import_job (imp, &job);
  return TRUE;
}

static void
what_happens_before_the_first_job_is_how_it_begins (void)
{
  static const WlImportFormat early = { .name = "early", .title = "early", .run = early_run };
  static const struct { const char *file, *holds; } want[] = {
    { "queues.csv", "queue,time,parent,weight,capability/nvidia.com/gpu,deserved/nvidia.com/gpu\nq,0,p,3,0,2\np,0,,1,,\nq,60,,3,1,\n" },
    { "faults.csv", "time,kind,target,duration,value\n0,notready,b,20,\n0,notready,c,,\n50,notready,d,5,\n" },
  };
  g_autofree char *dir = test_make_dir (), *out = g_build_filename (dir, "out", NULL), *path = test_write (dir, "trace", "x\n");
  const char *const paths[] = { path };
  g_autoptr (GError) error = NULL;

  suite_check (wl_import_run (&early, paths, 1, NULL, out, NULL, &error), "%s", error != NULL ? error->message : "");
  for (guint i = 0; i < G_N_ELEMENTS (want); i++) {
    g_autofree char *file = g_build_filename (out, want[i].file, NULL), *text = test_read (file, NULL, NULL);

    suite_check (g_strcmp0 (text, want[i].holds) == 0, "%s holds\n%s", want[i].file, text);
  }
  test_remove_tree (dir);
}

static CU_TestInfo tests[] = {
  { "rows of each family become jobs", rows_of_each_family_become_jobs },
  { "rows that cannot be read are refused with their place", rows_that_cannot_be_read_are_refused_with_their_place },
  { "what happens before the first job is how it begins", what_happens_before_the_first_job_is_how_it_begins },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("import families", tests);
}
