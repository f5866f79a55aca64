/* tests/test-import-hpc.c - small traces of HPC clusters and of simulators of training clusters, in each of their layouts. The rows are made up. */
#include "import-case.h"
#include "run-helper.h"
#include "suite.h"
#include "workloads/import/import.h"
#include <glib/gstdio.h>
#include <string.h>

/* ---- SWF ------------------------------------------------------------------------------------------- */

#define SWF_HEADER "; Version: 2.2\n; UnixStartTime: 1000000000\n; TimeZoneString: Europe/Berlin\n;   MaxNodes:  4 (of 8 processors)\n; MaxProcs: 32\n; Queue: 1 fast\n; Queue: 2 long queue\n; Partition: 7 west\n;\n"

static const ImportCase swf[] = {
  { .format = "swf",
    .file = { { "a.swf", SWF_HEADER " 3 100 20 60 12 -1 -1 12 90 1024 1 4 5 6 1 7 -1 -1\n\n4 110.5 -1 30 -1 -1 -1 3 -1 -1 0 4 5 -1 2 -1 -1 -1\r\n"
                                    "5 120 0 30 9 -1 -1 -1 -1 -1 5 -1 -1 -1 -1 7 -1 -1\n6 130 0 30 1 -1 -1 1 -1 -1 1 1 1 1 0 -1 -1 -1" } },
    .report = { "Rows         4 read = 4 imported + 0 dropped + 0 bad", "Made         4 jobs of 6 pods, 4 queues, 4 nodes; the record of 4 jobs", "0 is 100 s of the trace", "3  memory of pods", "4  memory of nodes",
                "time zone of the log: Europe/Berlin" },
    .jobs = { "job-3,0,fast,90,w,1,8,8Mi,60,4,5,6\n", "job-3,0,fast,90,rest,1,4,4Mi,60,4,5,6\n", "job-4,10.5,long-queue,,w,1,3,6Gi,30,4,5,\n", "job-5,20,west,,w,1,8,", "job-5,20,west,,rest,1,1,", "job-6,30,queue-0," },
    .other = "recorded.csv", .holds = "default,job-3,0,20,20,80,completed,0,\ndefault,job-4,10.5,,,,failed,0,\ndefault,job-5,20,0,20,50,cancelled,0,\n",
    .also = { { "nodes.csv", "n,8,16Gi,1000000,4\n" }, { "scenario.yaml", "start: 2001-09-09T01:48:20Z\n" } } },
  /* Rows that are left out, each for its reason; a second for those without time; requested times that kill. */
  { .format = "swf", .options = "zero-run=second walltime=kill failed=fail swf-pods=proc namespace-by=group queue-by=user",
    .file = { { "a", SWF_HEADER "1 0 0 0 2 -1 -1 2 -1 -1 1 1 3 -1 -1 -1 -1 -1\n2 1 0 -1 2 -1 -1 2 -1 -1 -1 1 1 -1 -1 -1 -1 -1\n3 2 0 9 0 -1 -1 -1 -1 -1 5 1 1 -1 -1 -1 -1 -1\n"
                                "4 -1 0 9 1 -1 -1 1 -1 -1 5 1 1 -1 -1 -1 -1 -1\n5 3 0 100 1 -1 -1 1 40 -1 1 1 1 -1 -1 -1 -1 -1\n6 4 0 8 1 -1 -1 1 40 -1 0 1 1 -1 -1 -1 -1 -1\n"
                                "6 4 0 8 1 -1 -1 1 40 -1 0 1 1 -1 -1 -1 -1 -1\n" } },
    .report = { "Rows         7 read = 3 imported + 4 dropped + 0 bad", "1  no run time (below 0)", "1  no number of processors", "1  no time of submission", "1  duplicate id", "1  run time of a second",
                "1  killed at the requested time" },
    .jobs = { "job-1,group-3,0,user-1,,w,2,1,2Gi,1,,", "job-5,group-1,3,user-1,40,w,1,1,2Gi,40,143,", "job-6,group-1,4,user-1,40,w,1,1,2Gi,8,1," } },
  { .format = "swf", .options = "swf-pods=job",
    .file = { { "a", "; MaxProcs: 3\n1 0 0 10 2 -1 -1 2 -1 -1 1 1 1 -1 -1 -1 -1 -1\n2 1 4 10 8 -1 -1 8 -1 -1 1 1 1 -1 -1 -1 -1 -1\n3 40 4 0 8 -1 -1 8 -1 -1 1 1 1 -1 -1 -1 -1 -1\n" } },
    .report = { "1  run time 0", "the header's 3 processors are fewer than the largest job has", "Made         2 jobs of 2 pods, 1 queues, 1 nodes" },
    .jobs = { "job-2,1,w,1,8,16Gi,10,1,1,\n" }, .other = "nodes.csv", .holds = "cluster,10,20Gi,1000000\n" },
  { .format = "swf", .options = "nodes=2 node-cpu=4 node-memory=4Gi", .file = { { "a", "; MaxProcs: 64\n1 0 0 10 8 -1 -1 8 -1 -1 1 1 1 -1 -1 -1 -1 -1\n2 0 0 10 9 -1 -1 9 -1 -1 1 1 1 -1 -1 -1 -1 -1\n" } },
    .report = { "Made         2 jobs of 5 pods, 1 queues, 2 nodes", "the largest job has 9 processors, the cluster 8: it never starts" }, .jobs = { "job-1,0,w,2,4,4Gi,10,", "job-2,0,rest,1,1,1Gi,10," },
    .other = "nodes.csv", .holds = "n,4,4Gi,1000000,2\n" },
  /* Nodes that are not all equal, and whole ones for the rest of a job. */
  { .format = "swf", .options = "whole-nodes memory-per-core=1Gi",
    .file = { { "a", "; MaxProcs: 10\n; MaxNodes: 4\n1 0 0 10 3 -1 -1 3 -1 -1 1 1 1 -1 -1 -1 -1 -1\n" } },
    .report = { "Made         1 jobs of 2 pods, 1 queues, 4 nodes" }, .jobs = { "job-1,0,w,1,2,2Gi,10,1,1,\n", "job-1,0,rest,1,2,2Gi,10,1,1,\n" }, .other = "nodes.csv", .holds = "m,3,3Gi,1000000,2\nn,2,2Gi,1000000,2\n" },
  /* Interrupted jobs: with a summary line, and in parts only. */
  { .format = "swf",
    .file = { { "a", "; Preemption: Double\n; MaxProcs: 4\n; MaxNodes: 4\n1 0 0 30 1 -1 -1 1 -1 -1 1 1 1 -1 -1 -1 -1 -1\n1 0 0 10 1 -1 -1 1 -1 -1 2 1 1 -1 -1 -1 -1 -1\n1 0 0 20 1 -1 -1 1 -1 -1 3 1 1 -1 -1 -1 -1 -1\n" } },
    .report = { "Rows         3 read = 1 imported + 2 dropped", "2  part of a job that has a summary line" }, .jobs = { "job-1,0,w,1,1,2Gi,30," } },
  { .format = "swf",
    .file = { { "a", "; Preemption: Yes\n; MaxProcs: 4\n; MaxNodes: 4\n1 0 0 10 1 -1 -1 1 -1 -1 2 1 1 -1 -1 -1 -1 -1\n2 5 0 7 1 -1 -1 1 -1 -1 2 1 1 -1 -1 -1 -1 -1\n1 0 0 20 1 -1 -1 1 -1 -1 3 1 1 -1 -1 -1 -1 -1\n" } },
    .report = { "Made         2 jobs of 2 pods", "1  parts of interrupted jobs put together", "1  interrupted jobs without a last part" }, .jobs = { "job-1,0,w,1,1,2Gi,30,", "job-2,5,w,1,1,2Gi,7," } },
  /* Alea: names of columns, DAGs, lists of machines, memory of a job. */
  { .format = "swf", .options = "swf-think",
    .file = { { "dag.swf", "id\tsubmit\twait\trun\n1\t20\t5\t100\t2\t-1\t-1\t2\t-1\t4096\t1\t1\t1\t1\t1\t1\t-1\t0\tD1\t1\n2\t20\t0\t50\t1\t-1\t-1\t1\t-1\t-1\t1\t1\t1\t1\t1\t1\t1\t7\tD1\t2\n"
                           "3\t20\t0\t50\t1\t-1\t-1\t1\t-1\t-1\t1\t1\t1\t1\t1\t1\t9\t7\tD2\t1\n" },
              { "dag.machines", "0\tfit\t2\t16\t1\t1048576\t30\n" } },
    .report = { "Rows         3 read = 3 imported", "2 nodes", "1  preceding job that does not come before: ignored" },
    .jobs = { "job-1,0,queue-1,w,1,2,4Mi,100,1,1,1,D1\n", "job-2,112,queue-1,w,1,1,64Mi,50,", "job-3,0,queue-1," }, .other = "nodes.csv", .holds = "fit,16,1Gi,1000000,cluster=fit,2\n" },
  { .format = "swf",
    .file = { { "w.swf", "0 1400000000 0 50 8 1 1024 8 100 8589934592 1 62 1 1 -1 1 1 1 {12,12,13,13} q_1d 2:ppn=4:x86_64:cl_big\n"
                         "1 1400000010 0 50 4 1 1024 4 100 4096 1 62 1 1 -1 1 1 1 {12} q_2d 1:ppn=4:cl_small#excl\n"
                         "2 1400000020 0 50 3 1 1024 3 100 4096 1 62 1 1 -1 1 1 1 {12} q_2d 1:ppn=1+1:ppn=2:^cl_small\n"
                         "3 1400000030 0 50 5 1 1024 5 100 4096 1 62 1 1 -1 1 1 1 {12} q_2d 2:ppn=1.5:brno\n" },
              { "w.machines", "0\tbig\t2\t16\t1\t33554432\n1\tsmall\t3\t8\t1\t16777216\n" } },
    .report = { "1  submissions are Unix times", "1  request of nodes that does not add up to the processors: ignored", "1  properties of nodes that no list of machines tells: ignored" },
    .jobs = { "job-0,0,q-1d,100,w,2,4,4Gi,50,cluster=big,", "job-1,10,q-2d,100,w,1,8,8Ki,50,cluster=small,", "job-2,20,q-2d,100,w,1,1,1366,50,cluster!=small,", "job-2,20,q-2d,100,w1,1,2,2732,50,", "job-3,30,q-2d,100,w,1,5," },
    .other = "recorded.csv", .holds = "default,job-0,0,0,0,50,completed,0,12|13\n", .also = { { "scenario.yaml", "start: 2014-05-13T16:53:20Z\n" } } },
  { .format = "swf",
    .file = { { "a.swf", "1 0 0 10 8 -1 -1 8 -1 -1 1 1 1 -1 -1 -1 -1 -1\n" },
              { "sys.json", "{\"system_name\": \"s\", \"start_time\": 86400, \"equivalence\": {\"processor\": {\"core\": 2}}, \"groups\": {\"g0\": {\"core\": 8, \"mem\": 1048576, \"gpu\": 2, \"mic\": 1}, \"g1\": {\"core\": 16, \"mem\": 4}},"
                            " \"resources\": {\"g0\": 3, \"g1\": 1}}" } },
    .report = { "4 nodes" }, .jobs = { "job-1,0,w,2,4,1Gi,10," }, .other = "nodes.csv", .holds = "node,cpu,memory,nvidia.com/gpu,volsim.io/mic,pods,labels,count\ng0,4,1Gi,2,1,1000000,cluster=g0,3\ng1,8,4Ki,,,1000000,cluster=g1,1\n" },
};

/* ---- Slurm ------------------------------------------------------------------------------------------ */

#define SLURM_CONF                                                                                                                                                              \
  "ClusterName=toy # a comment\nDefMemPerCPU=500\nNodeName=DEFAULT RealMemory=8000 \\\n  Sockets=2 CoresPerSocket=2\nnodename=a[01-02] Feature=fast,ib State=UNKNOWN\nNodeName=b1,b2 "  \
  "CPUs=8 Gres=gpu:tesla:2 Feature=slow,ib Weight=9\nNodeName=off State=FUTURE\nNodeName=b2 CPUs=8 RealMemory=9000 State=DOWN Feature=slow\nPartitionName=DEFAULT DefMemPerCPU=1000\n"       \
  "PartitionName=main Nodes=a[01-02],b[1-2] Default=YES Priority=10\nPartitionName=gpu Nodes=b[1-2] DefMemPerNode=4000 Priority=70\n"
#define SACCT_HEADER "JobID|JobIDRaw|Partition|Account|User|Submit|Eligible|Start|End|Elapsed|State|NNodes|NCPUS|ReqMem|AllocTRES|Timelimit|QOS|NodeList|Priority|JobName|Constraints\n"
#define DAY "2024-02-29T"

static const ImportCase slurm[] = {
  { .format = "slurm", .options = "qos-priority=high=100",
    .file = { { "jobs.psv", SACCT_HEADER "7|7|main|acc|ann|" DAY "10:00:00|" DAY "10:00:30|" DAY "10:01:00|" DAY "10:02:40.5|00:01:40|COMPLETED|2|5|1000Mc||1-00:00:00|high|a[01-02]|77|a|b|fast&ib\n"
                                         "7.batch|7.batch|||ann|" DAY "10:00:00|||||COMPLETED|1|5||||||||\n"
                                         "8_1|9|gpu|acc|bob|" DAY "10:00:10|" DAY "10:00:10|" DAY "10:00:20|" DAY "10:00:50|00:00:30|CANCELLED by 5|1|2|2Gn|cpu=2,gres/gpu=1,gres/gpu:tesla=1|UNLIMITED|low|b1|5|x|(fast|slow)&ib\n"
                                         "10|10|main|acc|bob|" DAY "10:00:10|" DAY "10:00:10|Unknown|Unknown|00:00:00|PENDING|1|1|0||00:10:00||None assigned|5||\n"
                                         "11|11|main|acc|bob|" DAY "10:00:10|" DAY "10:00:10|" DAY "10:00:40|Unknown|00:05:00|RUNNING|1|1|0||00:10:00||a02|5|y\nz|\n"
                                         "12|12|main|acc|bob|" DAY "10:00:10|" DAY "10:00:10|" DAY "10:00:40|" DAY "10:00:40|00:00:00|CANCELLED|1|1|0||00:10:00||None assigned|5||\n"
                                         "7|7|main|acc|ann|" DAY "10:00:00|" DAY "10:00:30|" DAY "10:01:00|" DAY "10:02:40|00:01:40|COMPLETED|2|5|1000Mc||1-00:00:00|high|a[01-02]|77|a|\n" },
              { "slurm.conf", SLURM_CONF } },
    .report = { "Rows         7 read = 3 imported + 4 dropped + 0 bad", "1  step of a job", "1  never started", "1  cancelled before it ran", "1  duplicate id", "1  end (still running", "2  rows with separators within texts",
                "1  lines that go on with the row before", "1  nodes of the state FUTURE" },
    .jobs = { "job-7,0,main,high,86400,node,1,3,3000Mi,,100,feature.slurm/fast=true;feature.slurm/ib=true,ann,acc,high,30\n", "job-7,0,main,high,86400,less,1,2,2000Mi,",
              "job-8-1,10,gpu,low,,node,1,2,2Gi,1,30,partition.slurm/gpu=true;constraint.slurm/c1=true;gpu-model=tesla,bob,acc,low,\n", "job-11,10,main,,600,node,1,1,1000Mi,,300,," },
    .other = "recorded.csv", .holds = "default,job-7,0,60,60,160.5,COMPLETED,0,a01|a02\ndefault,job-8-1,10,10,20,50,CANCELLED by 5,0,b1\ndefault,job-11,10,30,40,340,RUNNING,0,a02\n",
    .also = { { "nodes.csv", "a01,add,4,8000Mi,,1000000,feature.slurm/fast=true;feature.slurm/ib=true;constraint.slurm/c1=true\n" },
              { "nodes.csv", "b1,add,8,8000Mi,2,1000000,gpu-model=tesla;partition.slurm/gpu=true;feature.slurm/slow=true;feature.slurm/ib=true;constraint.slurm/c1=true\nb2,add,8,9000Mi,,1000000,partition.slurm/gpu=true;feature.slurm/slow=true\n"
                             "b2,cordon," },
              { "scenario.yaml", "start: 2024-02-29T10:00:00Z\n" },
              { "scenario.yaml", "  high: 100\n  low: 0\n" } } },
  /* Without a conf the nodes are those of the record. */
  { .format = "slurm", .options = "queue-by=account priority-by=priority submit-by=eligible failed=fail",
    .file = { { "jobs", SACCT_HEADER "7|7|main|acc|ann|" DAY "10:00:00|" DAY "10:00:30|" DAY "10:01:00|" DAY "10:02:40|00:01:40|FAILED|2|4|4G||1-00:00:00|high|n[8-9]|77|a|fast\n"
                                     "8|8|main|acc|ann|" DAY "10:01:00|" DAY "10:01:00|" DAY "10:01:30|" DAY "10:02:40|00:01:10|TIMEOUT|1|4|4G||1-00:00:00|high|n9|4000000000|a|\n" } },
    .report = { "2 nodes; the record of 2 jobs", "2  size of nodes (what was in use on them at once)", "1  constraints ignored: no slurm.conf", "1  priorities cut to 1000000000" },
    .jobs = { "job-7,0,acc,77,86400,node,2,2,2Gi,100,1,ann,acc,high,30\n", "job-8,30,acc,1000000000,86400,node,1,4,4Gi,70,1,ann,acc,high,\n" }, .other = "nodes.csv", .holds = "n8,2,2Gi,1000000\nn9,6,6Gi,1000000\n" },
  { .format = "slurm",
    .file = { { "jobcomp.log", "JobId=4 UserId=ann(1005) GroupId=g(7) Name=a b=c JobState=COMPLETED Partition=gpu TimeLimit=7 StartTime=" DAY "22:36:19 EndTime=" DAY "22:36:34 NodeList=b[1-2] NodeCnt=2 ProcCnt=12 WorkDir=/home/x y "
                               "ReservationName= Gres=gpu:1 Account=acc QOS=normal WcKey= Cluster=toy SubmitTime=" DAY "22:36:09 EligibleTime=" DAY "22:36:09 DerivedExitCode=0:0 ExitCode=0:0 \r\n\n" },
              { "slurm.conf", SLURM_CONF } },
    .report = { "Rows         1 read = 1 imported", "1  memory of pods" }, .jobs = { "job-4,0,gpu,normal,420,node,2,6,6000Mi,1,15,partition.slurm/gpu=true,ann,acc,normal,\n" }, .other = "recorded.csv",
    .holds = "default,job-4,0,10,10,25,COMPLETED,0,b1|b2\n" },
  { .format = "slurm",
    .file = { { "a.events", "-dt      10.50 -e submit_batch_job | -sim-walltime   100.00 --uid=ann -J j1 -N    2 -n     6 -t 1-00:00:00 -q hi -p main --mem=3000 --constraint=slow --begin=now pseudo.job\n# nothing\n"
                            "-dt 11 -e submit_batch_job | -sim-walltime 500 --uid=ann -J j2 -N1 -n 1 -t 5 -q hi -p gpu --gres=gpu:1 --gres=gpu:tesla:2 --exclusive x\n"
                            "-dt 12 -e submit_batch_job | -sim-walltime -1 --uid=bob -J j3 -n 10 -c 2 -t 00:10:00 --mem-per-cpu=100M --exclusive=user x\n-dt 13 -e cancel_job | --jobid=3\n" },
              { "slurm.conf", SLURM_CONF } },
    .report = { "Rows         4 read = 3 imported + 1 dropped", "1  event other than a submission", "1  killed at the requested time", "1  running time (until its limit)", "1  number of nodes", "1  jobs that want whole nodes",
                "1  option --begin of a submission: ignored", "1  nodes that only jobs of one user may share" },
    .jobs = { "job-j1,0,main,hi,86400,node,2,3,3000Mi,,100,,feature.slurm/slow=true,ann,,hi,\n", "job-j2,0.5,gpu,hi,300,node,1,8,8000Mi,2,300,143,partition.slurm/gpu=true;gpu-model=tesla,ann,,hi,\n",
              "job-j3,1.5,main,,600,node,5,4,400Mi,,600,,,bob,,,\n" } },
  { .format = "slurm", .options = "nodes=3 node-cpu=12 node-memory=64Gi gpus-per-node=2",
    .file = { { "jobs.csv", "dt;job_id;wall_time;user;wall_limit;n_tasks;ntasks_per_node;account;partition;qos;constraint;mem;gres\n0;1;15;ann;7;24;12;acc;normal;normal;;;\n9;2;-1;ann;25;3;12;acc;normal;normal;;5000;gpu:2\n" } },
    .report = { "Made         2 jobs of 3 pods, 1 queues, 3 nodes", "1  running time (until its limit)" }, .jobs = { "job-1,0,normal,normal,420,node,2,12,24Gi,,15,ann,acc,normal,\n", "job-2,9,normal,normal,1500,node,1,3,5000Mi,2,1500," },
    .other = "nodes.csv", .holds = "n,12,64Gi,2,1000000,3\n" },
  { .format = "slurm",
    .file = { { "log.sswf", "1;0;-1;15;12;-1;-1;-1;420;-1;-1;ann;acc;-1;normal;main;;-1;\n2;9;-1;-1;4;-1;5000;-1;60;-1;-1;bob;acc;-1;normal;main;;-1;\n" } },
    .report = { "Rows         2 read = 2 imported", "2  nodes (as many as suffice" }, .jobs = { "job-1,0,main,normal,420,node,1,12,24Gi,15,ann,acc,normal,\n", "job-2,9,main,normal,60,node,1,4,5000Mi,60,bob,acc,normal,\n" } },
};

/* ---- Batsim ----------------------------------------------------------------------------------------- */

static const ImportCase batsim[] = {
  { .format = "batsim",
    .file = { { "w.json", "{\"nb_res\": 2, \"jobs\": [\n {\"id\": 1, \"subtime\": 1e1, \"walltime\": 15, \"res\": 2, \"profile\": \"d\"},\n {\"id\": \"two\", \"subtime\": 10.5, \"res\": 1, \"profile\": \"long\"},\n"
                          " {\"id\": \"team/3\", \"subtime\": 12, \"walltime\": 7, \"res\": 1, \"profile\": \"long\"},\n {\"id\": 4, \"subtime\": 1e17, \"res\": 1, \"profile\": \"d\"},\n {\"id\": 1, \"subtime\": 13, \"res\": 1, \"profile\": \"d\"}],\n"
                          " \"profiles\": {\"d\": {\"type\": \"delay\", \"delay\": 10.25}, \"long\": {\"type\": \"DelayProfile\", \"delay\": 20, \"ret\": 3}}}" },
              { "events", "{\"type\": \"machine_unavailable\", \"timestamp\": 40.0, \"resources\": \"0-1\"}\n{\"type\": \"generic\", \"timestamp\": 50, \"data\": \"{\\\"type\\\": \\\"machine_available\\\", \\\"resources\\\": \\\"0 1\\\"}\"}\n\n"
                          "{\"type\": \"generic\", \"timestamp\": 60, \"data\": \"hello\"}\n" } },
    .report = { "Rows         8 read = 5 imported + 3 dropped + 0 bad", "1  submitted later than the clock reaches", "1  duplicate id", "1  generic event", "1  killed at the requested time", "2  hosts of one core (no platform)" },
    .jobs = { "job-1,,0,15,host,2,1,2Gi,10.25,", "two,,0.5,,host,1,1,2Gi,20,3\n", "3,team,2,7,host,1,1,2Gi,7,143\n" }, .other = "nodes.csv",
    .holds = "host-0,0,add,1,2Gi,1000000\nhost-1,0,add,1,2Gi,1000000\nhost-0,30,drain,,,\nhost-1,30,drain,,,\nhost-0,40,uncordon,,,\nhost-1,40,uncordon,,,\n" },
  { .format = "batsim", .options = "walltime=ignore memory-per-core=1Gi",
    .file = { { "w.json", "{\"jobs\": [{\"id\": \"a\", \"subtime\": 0, \"walltime\": 3, \"res\": 4, \"profile\": \"p\"}, {\"id\": \"b\", \"subtime\": 1, \"walltime\": -1, \"res\": 4, \"profile\": \"h\", \"extra_data\": \"{}\"},"
                          " {\"id\": \"c\", \"subtime\": 2, \"res\": 4, \"profile\": \"t\"}, {\"id\": \"d\", \"subtime\": 3, \"res\": 9, \"profile\": \"s\"}, {\"id\": \"e\", \"subtime\": 4, \"res\": 1, \"profile\": \"n\"}],"
                          " \"profiles\": {\"p\": {\"type\": \"parallel\", \"cpu\": [1e9, 5e9, 0, 0], \"com\": [0, 0]}, \"h\": {\"type\": \"ptask_homogeneous\", \"cpu\": 2e9, \"com\": 1e6},"
                          " \"t\": {\"type\": \"ParallelTaskHomogeneousProfile\", \"generation_strategy\": \"DefinedAmountsSpreadUniformly\", \"cpu\": 8e9, \"com\": 0}, \"s\": {\"type\": \"composed\", \"nb\": 3, \"seq\": [\"h\", \"t\"]},"
                          " \"n\": {\"type\": \"ParallelTaskProfile\", \"com\": [1]}}}" },
              { "p.xml", "\n<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"simgrid.dtd\">\n<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"><host id=\"master_host\" speed=\"1Gf\"/><cluster id=\"c\" prefix=\"n\" suffix=\".x\" "
                         "radical=\"0,9-11\" speed=\"2Gf, 1Gf\" core=\"4\"><prop id=\"zone\" value=\"q\"/></cluster><host id=\"big\" speed=\"1000Mf\" core=\"8\"/><host id=\"st\" speed=\"1f\"><prop id=\"role\" value=\"storage\"/></host>"
                         "<link id=\"l\" bandwidth=\"1Bps\" latency=\"0\"/></zone></platform>" } },
    .report = { "Made         5 jobs of 22 pods, 1 queues, 5 nodes", "2  hosts that do not compute (masters, storages)", "1  hosts of different speeds", "3  jobs whose transfers take no time", "1  extra_data of jobs ignored",
                "1  jobs that ask for more hosts than there are" },
    .jobs = { "a,0,3,host,4,4,4Gi,5\n", "b,1,,host,4,4,4Gi,2\n", "c,2,,host,4,4,4Gi,2\n", "d,3,,host,9,4,4Gi,8.666667\n", "e,4,,host,1,4,4Gi,0\n" }, .other = "nodes.csv",
    .holds = "big,8,8Gi,1\nn0.x,4,4Gi,1\nn9.x,4,4Gi,1\nn10.x,4,4Gi,1\nn11.x,4,4Gi,1\n" },
  { .format = "batsim", /* how each value counts, a limit that no clock reaches, and the long name of a unit */
    .file = { { "w.json", "{\"jobs\": [{\"id\": \"a\", \"subtime\": 0, \"walltime\": 30e9, \"res\": 2, \"profile\": \"h\"}], \"profiles\": {\"h\": {\"type\": \"ParallelTaskHomogeneousProfile\","
                          " \"generation_strategy\": \"DefinedAmountsUsedForEachValue\", \"cpu\": 6e9, \"com\": 0}}}" },
              { "p.xml", "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-1\" speed=\"1.5E3Mflops\" core=\"1\"/></platform>" } },
    .report = { "1  requested times that the clock does not reach (285 years): no limit" }, .jobs = { "a,0,host,2,1,2Gi,4\n" } },
};

/* ---- Muri and Tiresias ------------------------------------------------------------------------------ */

static const ImportCase muri[] = {
  { .format = "muri", /* Tiresias' first layout */
    .file = { { "tf_job.csv", "job_id,num_gpu,submit_time,start_time,duration,model_size,aggr_interval,model_name,model_scale\n10,2,11,14,20,400,0,vgg19,1\n" } },
    .report = { "Rows         1 read = 1 imported", "1  job list whose times are seconds", "0 is 11 s of the trace" }, .jobs = { "job-10,0,w,1,20,116Gi,2,20,vgg19,\n" } },
  { .format = "muri", .options = "priority-by=column",
    .file = { { "t.csv", "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time,resource_time_0,resource_time_1,resource_time_2,priority\r\n0,1,1500,4,dqn,128,60000,1,490,446,8,0,1\r\n"
                         "1,12,2750,10,vgg16,16,60001,1,214.5,82,75,66,0\r\n2,1,2750,1,dqn,16,-1,1,214.5,82,75,66,0\r\n" },
              { "n2g4.csv", "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n2,2,8,16,64" } },
    .report = { "Rows         4 read = 3 imported + 1 dropped", "1  negative duration", "1  job list whose times are milliseconds", "4 nodes" },
    .jobs = { "job-0,0,1,w,1,1800m,", "7730941131,1,60,dqn,128\n", "job-1,1.25,0,w,1,14400m,", ",8,60.001,vgg16,16\n", "job-1,1.25,0,rest,1,7200m," }, .other = "nodes.csv",
    .holds = "s0-n,16,64Gi,8,switch=s0,2\ns1-n,16,64Gi,8,switch=s1,2\n", .also = { { "scenario.yaml", "network_topology_types: {switch: [switch, kubernetes.io/hostname]}\n" } } },
  { .format = "muri", .options = "muri-starts nodes=2 pod-cpu=0 pod-memory=0",
    .file = { { "t.csv", "job_id,num_gpu,submit_time,iterations,model_name,duration,iteration_time\na,4,1000,1000,a2c,5,10\n" } },
    .jobs = { "job,submit,task,replicas,nvidia.com/gpu,duration,checkpoint,restart_cost,x_model,x_batch_size\njob-a,0,w,1,4,10.15,0.000001,39,a2c,\n" } },
  { .format = "muri", .file = { { "tiresias.csv", "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n7,2,100,5,vgg16,30,0\n" } },
    .report = { "1  job list whose times are seconds", "8  nodes" }, .jobs = { "job-7,0,w,1,20,116Gi,2,30,vgg16,\n" } },
};

/* ---- options of every format ----------------------------------------------------------------------- */

static const ImportCase common[] = {
  { .format = "itp", .options = "nodes=1 gpus-per-node=8 pod-cpu=0 pod-memory=0 whole-seconds assume-walltime node-pods=0",
    .file = { { "cluster06.csv", "job_id,submission_time,duration,num_gpu\n1,5,10.9,1\n2,5.5,20,8\n" } },
    .report = { "2  walltime (the running time)", "1  running time cut to whole seconds" }, .jobs = { "itp-00000,0,10,w,1,1,10,1\n", "itp-00001,0.5,20,w,1,8,20,2\n" }, .other = "nodes.csv",
    .holds = "n,96,768Gi,8,1000000\n" },
  { .format = "swf", .options = "assume-walltime node-pods=7",
    .file = { { "a", "; MaxNodes: 1\n; MaxProcs: 4\n1 0 0 9.5 2 -1 -1 2 30 -1 1 1 1 -1 -1 -1 -1 -1\n2 0 0 9.5 2 -1 -1 2 -1 -1 1 1 1 -1 -1 -1 -1 -1\n" } },
    .report = { "1  walltime (the running time)" }, .jobs = { "job-1,0,30,w,1,2,4Gi,9.5,", "job-2,0,9.5,w,1,2,4Gi,9.5," }, .other = "nodes.csv", .holds = "n,4,8Gi,7\n" },
};

static void
check_all (const ImportCase *c, guint n)
{
  for (guint i = 0; i < n; i++)
    test_import (&c[i]);
}

static void
logs_of_the_standard_workload_format_are_imported (void)
{
  check_all (swf, G_N_ELEMENTS (swf));
}

static void
files_of_slurm_are_imported (void)
{
  check_all (slurm, G_N_ELEMENTS (slurm));
}

static void
workloads_of_batsim_are_imported (void)
{
  check_all (batsim, G_N_ELEMENTS (batsim));
}

static void
traces_of_muri_and_tiresias_are_imported (void)
{
  check_all (muri, G_N_ELEMENTS (muri));
}

static void
requested_times_can_be_assumed_and_limits_of_pods_chosen (void)
{
  check_all (common, G_N_ELEMENTS (common));
}

/* ---- refusals ------------------------------------------------------------------------------------- */

#define SWF_ROW " -1 -1 2 -1 -1 1 1 1 -1 -1 -1 -1 -1\n"
#define BATSIM(job, profile) "{\"nb_res\": 2, \"jobs\": [\n" job "],\n\"profiles\": {\"d\": " profile "}}\n"
#define DELAY "{\"type\": \"delay\", \"delay\": 1}"
#define JOB "{\"id\": 1, \"subtime\": 0, \"res\": 1, \"profile\": \"d\"}"

static void
what_cannot_be_read_is_refused_with_its_place (void)
{
  static const struct { const char *format, *text, *says; } bad[] = {
    { "swf", "; MaxProcs: 4\n1 0 0 ten 2" SWF_ROW, ":2:7: field 4 (run time): not a number, expected a decimal number, found 'ten'" },
    { "muri", "job_id,num_gpu,submit_time,model_name,duration\n1,x,0,m,5\n", ":2:3: column 'num_gpu': not a number" },
    { "swf", "; MaxProcs: 4\n1 0 0 10 2 -1 -1 2\n", ":2:1: fields of a job, expected 18, found 8" },
    { "swf", "; MaxProcs: 4\n1 0 0 10 2 -1 -1 2 -1 -1 1 1 1 -1 -1 -1 -1 -1 a b c d\n", "expected 18 (19 to 21 in logs of Alea), found more" },
    { "swf", "; MaxProcs: four\n", ":1:12: not a number" },
    { "swf", "; MaxProcs: 4\n1 0 0 10 2.5" SWF_ROW, ":2:10: field 5 (allocated processors): not a whole number" },
    { "batsim", BATSIM ("{\"id\": 1, \"subtime\": 0, \"res\": 1.5, \"profile\": \"d\"}", DELAY), ":2:32: res of job '1': not a whole number" },
    { "swf", "; MaxProcs: 4\n1 0 0 10 200000000" SWF_ROW, ":2:10: field 5 (allocated processors), expected at most 100000000, found 200000000" },
    { "swf", "; MaxProcs: 4\n1 0 0 10 2 -1 -1 2 -1 -1 1 1 1 -1 -1 -1 -1 -1 \xff\n", ":2:1: bytes that no text has" },
    { "slurm", "Submit|State\nx|y\n", ":1:1: kind of file, expected sacct" },
    { "slurm", "JobID|Submit|Start|End|NNodes|NCPUS\n1|2024-01-01T00:00:00|2024-01-01T00:00:00|later|1|1\n", ":2:43: End: not a time" },
    { "slurm", "JobID|Submit|Start|End|NNodes|NCPUS\n1|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:00:09|1\n", ":2:1: row of 5 cells, expected 6 as in the header, found 5" },
    { "slurm", "JobID|Submit|Start|End|NNodes|NCPUS|JobName\n1|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:00:09|1|x|a\n", ":2:65: NCPUS: not a whole number" },
    { "slurm", "JobID|JobName|Submit|Start|End|NNodes|NCPUS\n1|a|b|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:00:09|1|x\n", ":2:1: row of 8 cells, expected 7, or texts with separators" },
    { "slurm", "JobID|Submit|Start|End|NNodes|NCPUS|ReqMem\n1|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:00:09|1|1|lots\n", ":2:67: ReqMem: not an amount of memory" },
    { "slurm", "JobID|Submit|Start|End|AllocNodes|ReqCPUS|JobName|ReqMem\n1|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:00:09|1|1|a|b|lots\n", ":2:71: ReqMem: not an amount" }, /* a name with a separator */
    { "slurm", "JobID|Submit|Start|End|AllocNodes|ReqCPUS\n1|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:00:09|1|x\n", ":2:65: NCPUS: not a whole number" }, /* what stands in for it */
    { "slurm", "JobId=1 UserId=u(1) JobState=COMPLETED TimeLimit=7 StartTime=soon EndTime=2024-01-01T00:00:09 NodeCnt=1 ProcCnt=1 SubmitTime=2024-01-01T00:00:00\n", ":1:62: StartTime: not a time" },
    { "slurm", "1;0;-1;15;12;-1;lots;12;-1;7;420;-1;u;a;-1;q;p;-1;-1\n", ":1:17: memory: not an amount of memory" },
    { "slurm", "1;0;-1;15;-1;-1;-1;many;-1;7;420;-1;u;a;-1;q;p;-1;-1\n", ":1:20: processors: not a whole number" },
    { "slurm", "JobID|Submit|State\n1|2|3\n", ":1:1: columns of sacct, expected Submit and Start" },
    { "slurm", "NodeName=n[1-] CPUs=4\n", ":1:1: list of hosts" },
    { "slurm", "ClusterName=x\nNodeName=n[3-1] CPUs=4\n", ":2:1: list of hosts, expected a range from low to high" },
    { "slurm", "NodeName=n[1-999999] CPUs=4\n", ":1:1: list of hosts, expected at most 200000 hosts" },
    { "slurm", "NodeName=n1 CPUs=many\n", ":1:1: CPUs: not a whole number" },
    { "slurm", "-dt 10 -e submit_batch_job | --uid=x -J j -n 1\n", ":1:1: submission, expected -sim-walltime and seconds, found none" },
    { "slurm", "-dt 10 -e submit_batch_job | -sim-walltime 5 -J j -n 1 --mem=lots\n", ":1:62: mem: not an amount of memory" },
    { "slurm", "-dt 10 -e submit_batch_job | -sim-walltime x -J j -n 1\n", ":1:44: -sim-walltime: not a number" },
    { "slurm", "-dt 10 -e submit_batch_job | -sim-walltime -1 -J j -n 1\n", ":1:1: running time, expected a limit for a job that runs until its limit" },
    { "slurm", "1;0;-1;15;12;-1;-1;-1;-5;-1;-1;ann;acc;-1;normal;main;;-1;\n", ":1:23: limit: number out of range" },
    { "slurm", "dt;job_id;wall_time;wall_limit;n_tasks\n0;1;15;7:99;12\n", ":2:8: column 'wall_limit'" },
    { "batsim", BATSIM ("{\"id\": 1, \"subtime\": 0, \"res\": 0, \"profile\": \"d\"}", DELAY), ":2:32: res of job '1': number out of range" },
    { "batsim", BATSIM ("{\"id\": 1, \"subtime\": 0, \"res\": 1, \"profile\": \"e\"}", DELAY), ":2:46: profile, expected one of the profiles, found 'e'" },
    { "batsim", BATSIM ("{\"id\": 1, \"subtime\": -1, \"res\": 1, \"profile\": \"d\"}", DELAY), ":2:22: subtime: number out of range" },
    { "batsim", BATSIM ("{\"id\": 1, \"subtime\": 0, \"walltime\": 0, \"res\": 1, \"profile\": \"d\"}", DELAY), ":2:37: walltime, expected a time above 0, or -1" },
    { "batsim", BATSIM (JOB, "{\"type\": \"TraceReplayProfile\"}"), "found 'TraceReplayProfile'" },
    { "batsim", BATSIM (JOB, "{\"type\": \"composed\", \"seq\": [\"d\"]}"), "sequence of profiles, expected one that does not hold itself" },
    { "batsim", BATSIM (JOB, "{\"type\": \"parallel\", \"cpu\": [-5]}"), "amount of a profile, expected a number from 0, found '-5'" },
    { "batsim", "{\"jobs\": [{\"subtime\": 0, \"res\": 1}\n", "expected JSON or YAML" },
    { "batsim", "<platform><host id=\"a\" speed=\"fast\"/></platform>", ":1:37: speed of a host, expected a number of flops above 0" },
    { "batsim", "<platform>\n<host id=\"a\" speed=\"1f\">\n</platform>", ":3:12: expected XML, found an error: Element" },
    { "batsim", "<platform>\n<host \033[31m id=\"a\"/>", "\\x1b[31m" },
    { "batsim", "<platform></platform>", "platform, expected hosts that compute, found none" },
    { "muri", "job_id,num_gpu,submit_time,iterations,model_name,duration\n1,0,0,1,a,1\n", ":2:3: column 'num_gpu'" },
  };

  const ImportCase two_logs = { .format = "swf", .file = { { "kth.swf", "1 0 0 10 2" SWF_ROW }, { "ctc.swf", "1 0 0 10 2" SWF_ROW } } };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    test_import_refusal (bad[i].format, bad[i].text, bad[i].says);
  test_import_refused (&two_logs, "/kth.swf and ");
  test_import_refused (&two_logs, "/ctc.swf; 'volsim transform' merges what is imported one by one");
}

static void
rows_that_are_skipped_are_counted (void)
{
  static const ImportCase cases[] = {
    { .format = "swf", .options = "on-bad-row=skip", .file = { { "a", "; Version: 2\n; MaxProcs: 4\n1 0 0 10 2" SWF_ROW "2 0 0 x 2" SWF_ROW "3 1 0 7 2" SWF_ROW } },
      .report = { "Rows         3 read = 2 imported + 0 dropped + 1 bad", "1  field 4 (run time): not a number, expected a decimal number", "the first:" } },
    { .format = "slurm", .options = "on-bad-row=skip nodes=1", .file = { { "a", "JobID|Submit|Start|End|NNodes|NCPUS\n1|x|||1|1\n2|2024-01-01T00:00:00|2024-01-01T00:00:00|2024-01-01T00:00:09|1|1\n3|y|||1|1" } },
      .report = { "Rows         3 read = 1 imported + 0 dropped + 2 bad" } },
    { .format = "batsim", .options = "on-bad-row=skip", .file = { { "a", BATSIM (JOB ", {\"id\": 2, \"subtime\": 0, \"res\": 1, \"profile\": \"x\"}", DELAY) } }, .report = { "Rows         2 read = 1 imported + 0 dropped + 1 bad" } },
  };

  check_all (cases, G_N_ELEMENTS (cases));
}

/* ---- round trips ---------------------------------------------------------------------------------- */

/* Import the files, write the result as @format (NULL: as it is), import that again, and run all: what comes out is the same, but for digests and the command line. */
static void
check_round_trip (const char *format, const char *options, const char *text)
{
  g_autofree char *dir = test_make_dir (), *trace = test_write (dir, "trace", text), *first = g_build_filename (dir, "first", NULL), *copy = g_build_filename (dir, "copy", NULL),
                  *file = g_build_filename (dir, "export", NULL), *export = g_strdup_printf ("%s=%s", format, file), *again = g_build_filename (dir, "again", NULL), *complaint = NULL;
  const char *folders[] = { first, copy, again };
  char *bin = (char *) g_getenv ("VOLSIM_BIN");
  char *import[] = { bin, (char *) "import", (char *) format, trace, (char *) options, (char *) "--out", first, NULL };
  char *transform[] = { bin, (char *) "transform", first, (char *) "--out", copy, (char *) "--export", export, NULL };
  char *reimport[] = { bin, (char *) "import", file, (char *) options, (char *) "--out", again, NULL }; /* numbers do not say what pods there were */
  static const char *const same[] = { "jobs.csv", "tasks.csv", "cycles.csv", "queues.csv", "events.csv" };

  suite_check (test_run (import, NULL, &complaint) == 0, "%s", complaint);
  g_clear_pointer (&complaint, g_free);
  suite_check (test_run (transform, NULL, &complaint) == 0, "%s", complaint);
  g_clear_pointer (&complaint, g_free);
  suite_check (test_run (reimport, NULL, &complaint) == 0, "%s", complaint);
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autofree char *scenario = g_build_filename (folders[i], "scenario.yaml", NULL), *out = g_build_filename (folders[i], "results", NULL);
    char *run[] = { bin, (char *) "run", scenario, (char *) "--no-charts", (char *) "--out", out, NULL };

    g_clear_pointer (&complaint, g_free);
    suite_check (test_run (run, NULL, &complaint) == 0, "%s", complaint);
    for (guint k = 0; i > 0 && k < G_N_ELEMENTS (same); k++) {
      g_autofree char *a = g_build_filename (first, "results", same[k], NULL), *b = g_build_filename (out, same[k], NULL), *expected = test_read (a, NULL, NULL), *got = test_read (b, NULL, NULL);

      suite_check (expected != NULL && g_strcmp0 (expected, got) == 0, "%s, %s: %s differs:\n%.600s\nexpected:\n%.600s", format, i == 1 ? "native" : "exported", same[k], got, expected);
    }
    g_autofree char *a = g_build_filename (first, "results", "summary.json", NULL), *b = g_build_filename (out, "summary.json", NULL), *expected = test_read (a, NULL, NULL), *got = test_read (b, NULL, NULL);
    const char *x = strstr (expected, "\"end_s\""), *y = got != NULL ? strstr (got, "\"end_s\"") : NULL; /* what is before that names files */

    suite_check (x != NULL && g_strcmp0 (x, y) == 0, "%s: summary.json differs:\n%s", format, y);
    suite_check (strstr (expected, "\"start\": \"2001") == NULL || (got != NULL && strstr (got, "\"start\": \"2001") != NULL), "%s: the date is lost", format);
  }
  test_remove_tree (dir);
}

/* A log with all that its numbers can say: sizes that fill nodes and do not, memory, limits, users, groups, programs, queues, failures. */
static char *
made_up_log (const char *header, guint first_number, const char *queues)
{
  GString *out = g_string_new (header);
  guint32 x = 7;
  WlTime submit = 900;

  for (guint i = 0; i < 120; i++) {
    x = x * 1664525 + 1013904223;
    const guint procs = 1 + (x >> 20) % 13, run = 20 + (x >> 12) % 400;

    submit += (x >> 8) % 60;
    g_string_append_printf (out, "%u %" G_GINT64_FORMAT " %u %u.%u %u -1 -1 %u %d %d %u %u %u %d %c -1 -1 -1\n", first_number + 3 * i, submit, (x >> 24) % 100, run, i % 2 * 5, procs, procs, i % 3 == 0 ? -1 : (int) run / 2 * 3,
                            i % 4 == 0 ? -1 : (int) (x >> 14) % 1000000, (x >> 5) % 2, (x >> 9) % 7, (x >> 6) % 3, i % 5 == 0 ? -1 : (int) (x >> 3) % 9, queues[(x >> 4) % strlen (queues)]);
  }
  return g_string_free (out, FALSE);
}

static void
an_exported_trace_runs_as_its_original (void)
{
  static const char *const options[] = { "--swf-pods=node", "--swf-pods=proc", "--swf-pods=job", "--zero-run=second" };
  g_autofree char *numbered = made_up_log ("; Version: 2.2\n; UnixStartTime: 1000000000\n; MaxNodes: 6\n; MaxProcs: 24\n", 1000, "0123"),
                  *named = made_up_log ("; Version: 2.2\n; MaxNodes: 5\n; MaxProcs: 15\n; MaxMemory: 8000000\n; Queue: 1 fast\n; Queue: 2 a b\n", 17, "12");

  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    check_round_trip ("swf", options[i], numbered);
    check_round_trip ("swf", options[i], named);
  }
  g_autoptr (GString) jobs = g_string_new ("{\"nb_res\": 8, \"jobs\": [");

  for (guint i = 0; i < 60; i++)
    g_string_append_printf (jobs, "%s\n{\"id\": %u, \"subtime\": %u.25, \"res\": %u, \"profile\": \"p%u\"%s}", i > 0 ? "," : "", i, i * 7 % 101, 1 + i * 5 % 8, i % 3, i % 2 == 0 ? ", \"walltime\": 25" : "");
  g_string_append (jobs, "], \"profiles\": {\"p0\": {\"type\": \"delay\", \"delay\": 12.5}, \"p1\": {\"type\": \"delay\", \"delay\": 30, \"ret\": 1}, \"p2\": {\"type\": \"parallel_homogeneous\", \"cpu\": 27e9, \"com\": 0}}}\n");
  check_round_trip ("batsim", "--walltime=kill", jobs->str);
}

static CU_TestInfo tests[] = {
  { "logs of the Standard Workload Format are imported", logs_of_the_standard_workload_format_are_imported },
  { "files of Slurm are imported", files_of_slurm_are_imported },
  { "workloads of Batsim are imported", workloads_of_batsim_are_imported },
  { "traces of Muri and Tiresias are imported", traces_of_muri_and_tiresias_are_imported },
  { "requested times can be assumed and limits of pods chosen", requested_times_can_be_assumed_and_limits_of_pods_chosen },
  { "what cannot be read is refused with its place", what_cannot_be_read_is_refused_with_its_place },
  { "rows that are skipped are counted", rows_that_are_skipped_are_counted },
  { "an exported trace runs as its original", an_exported_trace_runs_as_its_original },
  CU_TEST_INFO_NULL,
};

int
main (void)
{
  return suite_run ("import hpc", tests);
}
