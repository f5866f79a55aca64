/* workloads/itp.h - Microsoft ITP 2021 traces (ElasticFlow): one CSV file a cluster,
 * job_id,submission_time,duration,num_gpu, in seconds. */
#pragma once
#include "native.h"
G_BEGIN_DECLS

/** Write nodes.csv, jobs.csv and queues.csv into @out_dir (made when missing) from the @n traces
 * @paths.
 *
 * A job is a gang of pods of up to 8 GPUs, named itp-NNNNN in file order, with 10 cores and 80Gi
 * for each GPU; times are taken as given. Several files give one queue each, named after the file;
 * one file uses `default`. Nodes have 8 GPUs, 96 cores and 768Gi; @n_nodes 0 takes what keeps the
 * clusters busy without drowning them: the 95th percentile of the GPUs that would be in use if
 * every job started at once, known for clusters 01, 02, 04, 06, 07, 09 and 10, in whole nodes,
 * summed over the files. */
gboolean wl_itp_convert (const char *const *paths, guint n, const char *out_dir, guint n_nodes,
                         GError **error);

G_END_DECLS
