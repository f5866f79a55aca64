/* Numatopologies: what the agent of a node reports of its CPUs. */
#include "k8s-fields.h"
#include "core/base/go-number.h"
#include "core/numa/cpu-topology.h"
#include <stddef.h>
#include <string.h>

/* ---- where CPUs lie ------------------------------------------------------------------------- */

static gboolean
read_id (K8sReader *r, struct fy_node *node, gpointer out)
{
  gint32 id;

  if (!k8s_int32 (r, node, &id))
    return FALSE;
  if (id < 0)
    return k8s_refuse (r, node, "expected an id, 0 or more, found %d", id);
  *(guint32 *) out = (guint32) id;
  return TRUE;
}

static gboolean
read_numa_id (K8sReader *r, struct fy_node *node, gpointer out)
{
  if (!read_id (r, node, out))
    return FALSE;
  return *(guint32 *) out < VC_NUMA_LIMIT || k8s_refuse (r, node, "expected a NUMA node from 0 to %u, found %u", VC_NUMA_LIMIT - 1, *(guint32 *) out);
}

static gboolean
read_detail (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "numa", read_numa_id, offsetof (VcCpuDetail, numa) },
    { "socket", read_id, offsetof (VcCpuDetail, socket) },
    { "core", read_id, offsetof (VcCpuDetail, core) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_details (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcNumatopologyObject *o = out;
  const char *const *key;
  gpointer items;
  guint64 nodes = 0;

  if (!k8s_map (r, node, sizeof (VcCpuDetail), read_detail, &key, &items, &o->n_details))
    return FALSE;
  VcCpuDetail *detail = items;
  for (guint i = 0; i < o->n_details; i++) {
    gint64 cpu;

    if (!vc_go_parse_int (key[i], 0, VC_CPU_LIMIT - 1, &cpu))
      return k8s_refuse (r, node, "expected CPUs from 0 to %u, found '%s'", VC_CPU_LIMIT - 1, key[i]);
    detail[i].cpu = (guint32) cpu;
    nodes |= G_GUINT64_CONSTANT (1) << detail[i].numa;
  }
  o->detail = detail;
  guint n = (guint) __builtin_popcountll (nodes);
  return n <= VC_NUMA_MOST || k8s_refuse (r, node, "expected at most %u NUMA nodes, found %u", VC_NUMA_MOST, n);
}

/* ---- resources ------------------------------------------------------------------------------ */

static gboolean
read_cpus (K8sReader *r, struct fy_node *node, gpointer out)
{
  const char *text = NULL;

  if (!k8s_text (r, node, &text))
    return FALSE;
  if (vc_cpu_list_parse (text, NULL) == -2)
    return k8s_refuse (r, node, "expected CPUs from 0 to %u, found '%s'", VC_CPU_LIMIT - 1, text);
  *(const char **) out = text; /* what is no list at all counts as none */
  return TRUE;
}

static gboolean
read_resource (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = { { "allocatable", read_cpus, 0 } };

  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
skip_resource (K8sReader *r, struct fy_node *node, gpointer out)
{
  return TRUE;
}

/* Only CPUs are given out by NUMA node; the sets of other resources have another form. */
static gboolean
read_resources (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcNumatopologyObject *o = out;
  static const K8sField fields[] = { { "cpu", read_resource, offsetof (VcNumatopologyObject, cpus) } };
  const char *const *key;
  gpointer items;
  guint n;

  if (!k8s_map (r, node, 1, skip_resource, &key, &items, &n))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (strcmp (key[i], "cpu") == 0)
      o->cpus = "";
  return K8S_FIELDS (r, node, fields, out);
}

/* Of reservations that cannot be read none counts. */
static gboolean
read_reserved (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const char *const names[] = { "cpu", "memory", "ephemeral-storage", NULL };
  VcNumatopologyObject *o = out;
  VcPairs pairs;
  gint64 cpus = 0;

  if (!k8s_pairs (r, node, &pairs))
    return FALSE;
  for (guint i = 0; i < pairs.n; i++) {
    VcQuantity q;

    if (!g_strv_contains (names, pairs.item[i].key) || !vc_quantity_parse (pairs.item[i].value, &q, NULL) || q.milli < 0)
      return TRUE;
    if (strcmp (pairs.item[i].key, "cpu") == 0)
      cpus = (q.milli + 999) / 1000;
  }
  o->reserved = cpus;
  return TRUE;
}

/* ---- the object ----------------------------------------------------------------------------- */

static gboolean
read_pod (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "uid", k8s_text, offsetof (VcNumaPod, uid) },
    { "namespace", k8s_text, offsetof (VcNumaPod, ns) },
    { "name", k8s_text, offsetof (VcNumaPod, name) },
  };
  VcNumaPod *pod = out;

  *pod = (VcNumaPod){ "", "", "" };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_pods (K8sReader *r, struct fy_node *node, gpointer out)
{
  VcNumatopologyObject *o = out;
  gpointer items;

  if (!k8s_list (r, node, sizeof (VcNumaPod), read_pod, &items, &o->n_pods))
    return FALSE;
  o->pod = items;
  return TRUE;
}

static gboolean
read_policies (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "CPUManagerPolicy", k8s_text, offsetof (VcNumatopologyObject, cpu_manager) },
    { "TopologyManagerPolicy", k8s_text, offsetof (VcNumatopologyObject, topology_manager) },
  };
  return K8S_FIELDS (r, node, fields, out);
}

static gboolean
read_spec (K8sReader *r, struct fy_node *node, gpointer out)
{
  static const K8sField fields[] = {
    { "policies", read_policies, 0 },
    { "numares", read_resources, 0 },
    { "cpuDetail", read_details, 0 },
    { "resReserved", read_reserved, 0 },
    { "podAllocations", read_pods, 0 },
  };
  return K8S_FIELDS (r, node, fields, out);
}

gboolean
k8s_read_numatopology (K8sReader *r, const K8sTop *top, const K8sMeta *meta, VcNumatopologyObject *out)
{
  *out = (VcNumatopologyObject){ .name = meta->name, .cpu_manager = "", .topology_manager = "" };
  return k8s_field (r, "spec", top->spec, read_spec, out);
}
