/* core/plugins/deviceshare.c - share GPUs and NPUs between pods.
 *
 * Policy: families of devices are switched on by argument (core/devices: one file each, with policy, formula and example). A node fits when every device
 * that the pod asks for and the node has fits; the first family that refuses gives the reason:
 *   GpuShare no enough gpu memory on node X, GpuNumber no enough gpu number on node X, hami-vgpuDeviceSharing error   unschedulable
 *   no ascend device available                                                                                    unschedulable, or an error
 * A node without the device is none of this plugin's business: the request itself does not fit there.
 *
 *   score = floor (sum of the families' scores + 0.5) * deviceshare.ScheduleWeight     nothing when the weight is 0 or less
 * MindCluster's NPUs, which upstream scores for all candidates at once, are refused by name.
 *
 * Example: ScheduleWeight 10 under binpack; a card of 30000 MB with 3000 used and a pod of 1000: floor (13.33 + 0.5) * 10 = 130.
 *
 * The plugin only filters and scores. It is predicates that books the devices of a placement (and gives them back), also for pipelined tasks; when they
 * cannot be booked the placement is rolled back. Without predicates nothing is ever booked.
 *
 * Mirrors pkg/scheduler/plugins/deviceshare/deviceshare.go. */
#include "plugins.h"
#include <math.h>

#define PLUGIN "deviceshare"

const VcArgSpec vc_deviceshare_args[] = {
  { "deviceshare.GPUSharingEnable", VC_ARG_BOOL, "share GPU cards by memory (default false; not with GPUNumberEnable, VGPUEnable)" },
  { "deviceshare.GPUNumberEnable", VC_ARG_BOOL, "give out GPU cards by number (default false; not with GPUSharingEnable, VGPUEnable)" },
  { "deviceshare.VGPUEnable", VC_ARG_BOOL, "share or cut GPU cards as announced by the vGPU device plugin (default false)" },
  { "deviceshare.AscendMindClusterVNPUEnable", VC_ARG_BOOL, "cut Ascend 310P NPUs as MindCluster announces them (default false; true is not implemented)" },
  { "deviceshare.AscendHAMiVNPUEnable", VC_ARG_BOOL, "share Ascend NPUs as HAMi announces them (default false)" },
  { "deviceshare.NodeLockEnable", VC_ARG_BOOL, "one placement on a node at a time, until its pod runs or five minutes are over (default false)" },
  { "deviceshare.SchedulePolicy", VC_ARG_STRING, "binpack, spread or none of these (default none)" },
  { "deviceshare.ScheduleWeight", VC_ARG_INT, "weight of the device scores (default 0: off)" },
  { "deviceshare.KnownGeometriesCMName", VC_ARG_STRING, "ConfigMap of the kinds of devices (default volcano-vgpu-device-config)" },
  { "deviceshare.KnownGeometriesCMNamespace", VC_ARG_STRING, "its namespace (default kube-system)" },
  { "deviceshare.GPUExclusiveRules", VC_ARG_ANY, "list of label sets: pods of one set never share a card (default none)" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef struct {
  const VcArgs *args;  /* of the configuration, which outlives the plugin */
  const char *policy;
  gint64 weight;
  gboolean filters;    /* enablePredicate: the filters run before the scores */
  gboolean configured;
} DeviceShare;

static gboolean
deviceshare_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  DeviceShare *p = self;

  p->args = &option->args;
  p->policy = vc_args_get_string (p->args, "deviceshare.SchedulePolicy", "");
  vc_args_get_int (p->args, "deviceshare.ScheduleWeight", &p->weight);
  p->filters = option->on[VC_FLAG_PREDICATE];
  return vc_devices_check (p->args, error);
}

static gboolean
deviceshare_predicate (gpointer self, VcSession *ssn, guint32 task, guint32 node, VcFitError *e)
{
  const DeviceShare *p = self;
  VcDevices *d = vc_session_devices (ssn);
  const char *reason = "";

  if (!vc_devices_asked (d, vc_task (vc_session_cluster (ssn), task)->shape))
    return TRUE;
  VcDeviceVerdict v = vc_devices_filter (d, task, node, p->policy, &reason, NULL);
  if (v != VC_DEVICE_FITS)
    vc_fit_error_add (e, v == VC_DEVICE_FULL ? VC_UNSCHEDULABLE : VC_ERROR, reason, "");
  return v == VC_DEVICE_FITS;
}

static void
deviceshare_column (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, guint8 *ok)
{
  const DeviceShare *p = self;
  VcDevices *d = vc_session_devices (ssn);
  const char *ignored;

  if (!vc_devices_asked (d, vc_task (vc_session_cluster (ssn), task)->shape))
    return;
  for (guint i = 0; i < n; i++)
    if (ok[i] && vc_devices_filter (d, task, nodes[i], p->policy, &ignored, NULL) != VC_DEVICE_FITS)
      ok[i] = 0;
}

/* For tasks that ask for no device. */
static guint32
deviceshare_room (gpointer self, VcSession *ssn, guint32 task, guint32 node)
{
  return vc_devices_asked (vc_session_devices (ssn), vc_task (vc_session_cluster (ssn), task)->shape) ? VC_ROOM_UNKNOWN : VC_ROOM_MAX;
}

static VcScope
deviceshare_filter_scope (gpointer self, VcSession *ssn, const VcShape *shape)
{
  return (VcScope) vc_devices_scope (vc_session_devices (ssn), shape, FALSE);
}

static VcScope
deviceshare_score_scope (gpointer self, VcSession *ssn, const VcShape *shape)
{
  return ((const DeviceShare *) self)->weight > 0 ? (VcScope) vc_devices_scope (vc_session_devices (ssn), shape, TRUE) : VC_SCOPE_NODE;
}

/* math.Floor to int64 as amd64 has it: what does not fit is the least of all. */
static double
rounded (double sum)
{
  double f = floor (sum + 0.5);

  return f >= -9223372036854775808.0 && f < 9223372036854775808.0 ? f : -9223372036854775808.0;
}

static gboolean
deviceshare_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  const DeviceShare *p = self;
  VcDevices *d = vc_session_devices (ssn);

  if (p->weight <= 0 || !vc_devices_asked (d, vc_task (vc_session_cluster (ssn), task)->shape))
    return TRUE;
  for (guint i = 0; i < n; i++)
    score[i] += rounded (vc_devices_score (d, task, nodes[i], p->policy, p->filters)) * (double) p->weight;
  return TRUE;
}

static gboolean
deviceshare_batch_score (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  const DeviceShare *p = self;

  if (p->weight > 0)
    vc_devices_score_batch (vc_session_devices (ssn), task, nodes, n, (double) p->weight, score);
  return TRUE;
}

static void
deviceshare_session_open (gpointer self, VcSession *ssn)
{
  DeviceShare *p = self;

  if (!p->configured)
    p->configured = vc_devices_configure (vc_session_devices (ssn), p->args, NULL); /* init has checked it */
  vc_session_add_predicate (ssn, deviceshare_predicate, deviceshare_column, deviceshare_filter_scope);
  vc_session_add_room (ssn, deviceshare_room);
  vc_session_add_node_order (ssn, deviceshare_score, deviceshare_score_scope);
  vc_session_add_batch_node_order (ssn, deviceshare_batch_score, deviceshare_score_scope);
}

static gboolean
deviceshare_reads_clock (gpointer self)
{
  return vc_devices_locks (((const DeviceShare *) self)->args);
}

static void
deviceshare_explain (gpointer self, VcSession *ssn, guint32 task, guint32 node, GString *out)
{
  const char *ignored;

  if (vc_devices_asked (vc_session_devices (ssn), vc_task (vc_session_cluster (ssn), task)->shape))
    vc_devices_filter (vc_session_devices (ssn), task, node, ((const DeviceShare *) self)->policy, &ignored, out);
}

/* One part for each family that scores, before the sum is rounded. */
static void
deviceshare_score_terms (gpointer self, VcSession *ssn, VcHookFamily f, guint32 task, const guint32 *nodes, guint n, VcScoreTermFn tell, gpointer user)
{
  const DeviceShare *p = self;
  VcDevices *d = vc_session_devices (ssn);
  g_autofree double *score = g_new (double, n);

  if (p->weight <= 0 || f != VC_HOOK_NODE_ORDER || !vc_devices_asked (d, vc_task (vc_session_cluster (ssn), task)->shape))
    return;
  for (guint i = 0; i < vc_devices_n_families (d); i++) {
    gboolean any = FALSE;

    for (guint k = 0; k < n; k++) {
      score[k] = 0;
      any |= vc_devices_family_score (d, i, task, nodes[k], p->policy, p->filters, &score[k]);
      score[k] *= (double) p->weight;
    }
    if (any)
      tell (user, vc_devices_family_name (d, i), p->weight, score);
  }
}

const VcPluginClass vc_plugin_deviceshare = {
  .name = PLUGIN,
  .summary = VC_DEVICESHARE_SUMMARY,
  .args = vc_deviceshare_args,
  .instance_size = sizeof (DeviceShare),
  .init = deviceshare_init,
  .session_open = deviceshare_session_open,
  .reads_clock = deviceshare_reads_clock,
  .explain = deviceshare_explain,
  .score_terms = deviceshare_score_terms,
};
