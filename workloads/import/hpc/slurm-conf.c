/* slurm.conf: nodes and partitions. NodeName=DEFAULT and PartitionName=DEFAULT say what holds for the lines below them; a node that comes again replaces the
 * earlier one. Partitions, features and constraints become labels of nodes. */
#include "slurm.h"
#include "workloads/import/hpc.h"
#include "workloads/text/parse.h"
#include <string.h>

#define MIB (1 << 20)
#define MAX_OPEN 64 /* brackets of a constraint */

static void
node_clear (gpointer data)
{
  WlSlurmNode *n = data;

  g_free (n->name);
  g_free (n->features);
  g_free (n->gpu_type);
  if (n->labels != NULL)
    g_string_free (n->labels, TRUE);
}

static void
partition_clear (gpointer data)
{
  WlSlurmPartition *p = data;

  g_free (p->name);
  g_free (p->nodes);
  if (p->members != NULL)
    g_hash_table_unref (p->members);
}

WlSlurmCluster
wl_slurm_cluster_new (void)
{
  WlSlurmCluster c = { .nodes = g_array_new (FALSE, TRUE, sizeof (WlSlurmNode)),
                       .partitions = g_array_new (FALSE, TRUE, sizeof (WlSlurmPartition)),
                       .node_by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                       .constraints = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free) };

  g_array_set_clear_func (c.nodes, node_clear);
  g_array_set_clear_func (c.partitions, partition_clear);
  return c;
}

void
wl_slurm_cluster_clear (WlSlurmCluster *c)
{
  g_clear_pointer (&c->nodes, g_array_unref);
  g_clear_pointer (&c->partitions, g_array_unref);
  g_clear_pointer (&c->node_by_name, g_hash_table_unref);
  g_clear_pointer (&c->constraints, g_hash_table_unref);
}

gboolean
wl_slurm_is_conf (const WlImportHead *head)
{
  static const char *const marks[] = { "NodeName=", "PartitionName=", "ClusterName=", "ControlMachine=", "SlurmctldHost=" };
  g_auto (GStrv) line = g_strsplit (head->text, "\n", 400);

  for (char **p = line; *p != NULL; p++)
    for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
      if (g_ascii_strncasecmp (*p + strspn (*p, " \t"), marks[i], strlen (marks[i])) == 0)
        return TRUE;
  return FALSE;
}

/* ---- lines ------------------------------------------------------------------------------------------ */

/* What a line of nodes says; below 0: nothing. */
typedef struct { gint64 cpus, boards, sockets, cores, threads, memory; char *gres, *features, *state; } NodeLine;
typedef struct {
  WlSlurmCluster *c;
  NodeLine node;              /* of NodeName=DEFAULT */
  WlSlurmPartition partition; /* of PartitionName=DEFAULT */
  GString *held;              /* lines that end with a backslash */
  guint64 held_line;
} Conf;

static gboolean
take (char **into, const char *value)
{
  g_free (*into);
  *into = g_strdup (value);
  return TRUE;
}

static gboolean
number (const char *key, const char *value, gint64 max, gint64 *out, GError **error)
{
  if (wl_parse_int (value, 0, max, out, error))
    return TRUE;
  g_prefix_error (error, "%s: ", key);
  return FALSE;
}

static gboolean
node_key (WlImport *imp, NodeLine *n, const char *key, const char *value, GError **error)
{
  const struct { const char *name; gint64 *into; } numbers[] = { { "CPUs", &n->cpus },       { "Procs", &n->cpus },         { "Boards", &n->boards },        { "Sockets", &n->sockets },
                                                                { "SocketsPerBoard", &n->sockets }, { "CoresPerSocket", &n->cores }, { "ThreadsPerCore", &n->threads }, { "RealMemory", &n->memory } };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (g_ascii_strcasecmp (key, numbers[i].name) == 0)
      return number (key, value, G_GINT64_CONSTANT (1) << 32, numbers[i].into, error);
  if (g_ascii_strcasecmp (key, "Gres") == 0)
    return take (&n->gres, value);
  if (g_ascii_strcasecmp (key, "Feature") == 0 || g_ascii_strcasecmp (key, "Features") == 0)
    return take (&n->features, value);
  if (g_ascii_strcasecmp (key, "State") == 0)
    return take (&n->state, value);
  if (g_ascii_strcasecmp (key, "Weight") == 0)
    wl_import_note (imp, "lines of slurm.conf whose Weight is ignored", 1);
  return TRUE;
}

static gboolean
partition_key (WlSlurmPartition *p, const char *key, const char *value, GError **error)
{
  gint64 megabytes;

  if (g_ascii_strcasecmp (key, "Nodes") == 0)
    return take (&p->nodes, value);
  if (g_ascii_strcasecmp (key, "Default") == 0)
    p->is_default = g_ascii_strcasecmp (value, "YES") == 0;
  else if (g_ascii_strcasecmp (key, "Priority") == 0 || g_ascii_strcasecmp (key, "PriorityJobFactor") == 0)
    return number (key, value, G_MAXUINT16, &p->priority, error);
  else if (g_ascii_strcasecmp (key, "DefMemPerCPU") == 0 || g_ascii_strcasecmp (key, "DefMemPerNode") == 0) {
    if (g_ascii_strcasecmp (value, "UNLIMITED") == 0)
      megabytes = 0;
    else if (!number (key, value, WL_AMOUNT_MAX / MIB, &megabytes, error))
      return FALSE;
    *(g_ascii_strcasecmp (key, "DefMemPerCPU") == 0 ? &p->per_cpu : &p->per_node) = megabytes * MIB;
  }
  return TRUE;
}

static gint64
or_one (gint64 v)
{
  return v > 0 ? v : 1;
}

static gboolean
add_nodes (WlSlurmCluster *c, const char *names, const NodeLine *line, GError **error)
{
  g_autoptr (GPtrArray) host = wl_slurm_hosts (names, error);
  g_autofree char *type = NULL;
  gint64 gpus = 0;

  if (host == NULL || (line->gres != NULL && !wl_slurm_gres (line->gres, &gpus, &type, error)))
    return FALSE;
  for (guint i = 0; i < host->len; i++) {
    const char *name = host->pdata[i];
    guint at = GPOINTER_TO_UINT (g_hash_table_lookup (c->node_by_name, name));
    const WlSlurmNode node = { .name = g_strdup (name),
                               .features = g_strdup (line->features),
                               .cores = MIN (line->cpus > 0 ? line->cpus : or_one (line->boards) * or_one (line->sockets) * or_one (line->cores) * or_one (line->threads), 1000000),
                               .memory = MIN (line->memory, WL_AMOUNT_MAX / MIB) * MIB,
                               .gpus = (guint32) gpus,
                               .gpu_type = g_strdup (type),
                               .future = line->state != NULL && g_ascii_strncasecmp (line->state, "FUTURE", 6) == 0,
                               .down = line->state != NULL && (g_ascii_strncasecmp (line->state, "DOWN", 4) == 0 || g_ascii_strncasecmp (line->state, "DRAIN", 5) == 0),
                               .labels = g_string_new (NULL) };

    if (at > 0) {
      node_clear (&g_array_index (c->nodes, WlSlurmNode, at - 1));
      g_array_index (c->nodes, WlSlurmNode, at - 1) = node;
      continue;
    }
    g_array_append_val (c->nodes, node);
    g_hash_table_insert (c->node_by_name, g_strdup (name), GUINT_TO_POINTER (c->nodes->len));
  }
  return TRUE;
}

static void
line_free (NodeLine *n)
{
  g_free (n->gres);
  g_free (n->features);
  g_free (n->state);
}

static gboolean
node_line (WlImport *imp, Conf *conf, char **pair, GError **error)
{
  const char *names = strchr (pair[0], '=') + 1;
  NodeLine line = conf->node;
  gboolean good = TRUE, defaults = g_ascii_strcasecmp (names, "DEFAULT") == 0;

  line.gres = g_strdup (line.gres);
  line.features = g_strdup (line.features);
  line.state = g_strdup (line.state);
  for (guint i = 1; good && pair[i] != NULL; i++) {
    char *equals = strchr (pair[i], '=');

    if (equals == NULL)
      continue;
    *equals = '\0';
    good = node_key (imp, &line, pair[i], equals + 1, error);
  }
  if (good && defaults) {
    line_free (&conf->node);
    conf->node = line;
    return TRUE;
  }
  good = good && add_nodes (conf->c, names, &line, error);
  line_free (&line);
  return good;
}

static gboolean
partition_line (Conf *conf, char **pair, GError **error)
{
  const char *name = strchr (pair[0], '=') + 1;
  const gboolean defaults = g_ascii_strcasecmp (name, "DEFAULT") == 0;
  WlSlurmPartition p = conf->partition;
  gboolean good = TRUE;

  p.name = g_strdup (name);
  p.nodes = g_strdup (p.nodes);
  for (guint i = 1; good && pair[i] != NULL; i++) {
    char *equals = strchr (pair[i], '=');

    if (equals == NULL)
      continue;
    *equals = '\0';
    good = partition_key (&p, pair[i], equals + 1, error);
  }
  if (defaults || !good) {
    if (good) {
      partition_clear (&conf->partition);
      conf->partition = p;
    } else {
      partition_clear (&p);
    }
    return good;
  }
  g_array_append_val (conf->c->partitions, p);
  return TRUE;
}

/* A whole line, without its comment. */
static gboolean
statement (WlImport *imp, Conf *conf, const char *text, GError **error)
{
  g_auto (GStrv) all = g_strsplit_set (text, " \t", -1);
  g_autoptr (GPtrArray) pair = g_ptr_array_new ();
  WlSlurmPartition global = { .per_cpu = -1, .per_node = -1 };

  for (char **p = all; *p != NULL; p++)
    if (**p != '\0')
      g_ptr_array_add (pair, *p);
  g_ptr_array_add (pair, NULL);
  char **word = (char **) pair->pdata;

  if (word[0] == NULL)
    return TRUE;
  if (g_ascii_strncasecmp (word[0], "NodeName=", 9) == 0)
    return node_line (imp, conf, word, error);
  if (g_ascii_strncasecmp (word[0], "PartitionName=", 14) == 0)
    return partition_line (conf, word, error);
  if (g_ascii_strcasecmp (word[0], "Include") == 0 || g_ascii_strncasecmp (word[0], "Include=", 8) == 0)
    wl_import_note (imp, "files that slurm.conf includes: not read", 1);
  for (guint i = 0; word[i] != NULL; i++) {
    char *equals = strchr (word[i], '=');

    if (equals == NULL || g_ascii_strncasecmp (word[i], "DefMemPer", 9) != 0)
      continue;
    *equals = '\0';
    if (!partition_key (&global, word[i], equals + 1, error))
      return FALSE;
    conf->c->per_cpu = global.per_cpu >= 0 ? global.per_cpu : conf->c->per_cpu;
    conf->c->per_node = global.per_node >= 0 ? global.per_node : conf->c->per_node;
  }
  return TRUE;
}

static gboolean
conf_line (WlImport *imp, guint file, guint64 line_number, char *line, gsize len, gpointer user, GError **error)
{
  Conf *conf = user;
  gsize n = strlen (line);

  if (!wl_hpc_check_text (line, len, error))
    return wl_import_locate (imp, file, line_number, 1, error);
  for (char *hash = strchr (line, '#'); hash != NULL; hash = strchr (hash + 1, '#'))
    if (hash == line || hash[-1] != '\\') {
      *hash = '\0';
      n = (gsize) (hash - line);
      break;
    }
  if (conf->held->len == 0)
    conf->held_line = line_number;
  if (n > 0 && line[n - 1] == '\\') { /* goes on */
    g_string_append_len (conf->held, line, (gssize) n - 1);
    g_string_append_c (conf->held, ' ');
    return TRUE;
  }
  g_string_append (conf->held, line);
  g_autofree char *text = g_strdup (conf->held->str);

  g_string_truncate (conf->held, 0);
  return statement (imp, conf, text, error) || wl_import_locate (imp, file, conf->held_line, 1, error);
}

gboolean
wl_slurm_read_conf (WlImport *imp, guint file, WlSlurmCluster *c, GError **error)
{
  g_autoptr (GString) held = g_string_new (NULL);
  Conf conf = { .c = c, .held = held };
  gboolean good = wl_import_lines (imp, file, conf_line, &conf, error);

  good = good && (held->len == 0 || statement (imp, &conf, held->str, error) || wl_import_locate (imp, file, conf.held_line, 1, error));
  line_free (&conf.node);
  partition_clear (&conf.partition);
  return good;
}

/* ---- partitions ------------------------------------------------------------------------------------- */

gboolean
wl_slurm_settle (WlImport *imp, WlSlurmCluster *c, GError **error)
{
  guint present = 0;

  for (guint i = 0; i < c->nodes->len; i++)
    present += !g_array_index (c->nodes, WlSlurmNode, i).future;
  for (guint i = 0; i < c->partitions->len; i++) {
    WlSlurmPartition *p = &g_array_index (c->partitions, WlSlurmPartition, i);
    g_autoptr (GPtrArray) host = p->nodes != NULL && g_ascii_strcasecmp (p->nodes, "ALL") != 0 ? wl_slurm_hosts (p->nodes, error) : NULL;

    p->all = p->nodes != NULL && g_ascii_strcasecmp (p->nodes, "ALL") == 0;
    p->members = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    if (p->all || p->nodes == NULL)
      continue;
    if (host == NULL) {
      g_prefix_error (error, "partition %s: ", p->name);
      return FALSE;
    }
    for (guint k = 0; k < host->len; k++) {
      const guint at = GPOINTER_TO_UINT (g_hash_table_lookup (c->node_by_name, host->pdata[k]));

      if (at == 0)
        wl_import_note (imp, "nodes of partitions that no line declares", 1);
      else if (!g_array_index (c->nodes, WlSlurmNode, at - 1).future)
        g_hash_table_add (p->members, g_strdup (host->pdata[k]));
    }
    p->all = g_hash_table_size (p->members) == present;
  }
  return TRUE;
}

const WlSlurmPartition *
wl_slurm_partition (const WlSlurmCluster *c, const char *name)
{
  for (guint i = 0; i < c->partitions->len; i++) {
    const WlSlurmPartition *p = &g_array_index (c->partitions, WlSlurmPartition, i);

    if (name == NULL || *name == '\0' ? p->is_default : strcmp (p->name, name) == 0)
      return p;
  }
  return NULL;
}

static gboolean
has_node (const WlSlurmPartition *p, const WlSlurmNode *n)
{
  return p == NULL || p->all || g_hash_table_contains (p->members, n->name);
}

char *
wl_slurm_partition_term (const WlSlurmPartition *p)
{
  g_autofree char *value = wl_import_label_value (p->name);

  return p->all ? NULL : g_strdup_printf ("partition.slurm/%s=true", value);
}

/* ---- constraints ------------------------------------------------------------------------------------ */

static gboolean
has_feature (const WlSlurmNode *n, const char *feature, gsize len)
{
  for (const char *p = n->features; p != NULL && *p != '\0'; p += strcspn (p, ",") + (p[strcspn (p, ",")] != '\0'))
    if (strcspn (p, ",") == len && strncmp (p, feature, len) == 0)
      return TRUE;
  return FALSE;
}

static const char feature_end[] = "&|,()[]*! \t";

/* or := and { '|' and }; and := one { ('&' | ',') one }; one := '(' or ')' | '[' or ']' | feature. Gives where it ends, NULL: it cannot be understood. */
static const char *
evaluate (const WlSlurmNode *n, const char *p, guint level, gboolean *value)
{
  gboolean right;

  if (level == 2) {
    const gsize len = strcspn (p, feature_end);

    if (*p == '(' || *p == '[') {
      const char close = *p == '(' ? ')' : ']';

      p = evaluate (n, p + 1, 0, value);
      return p != NULL && *p == close ? p + 1 : NULL;
    }
    *value = has_feature (n, p, len);
    return len > 0 && p[len] != '*' ? p + len : NULL; /* numbers of nodes have no label */
  }
  p = evaluate (n, p, level + 1, value);
  while (p != NULL && (level == 0 ? *p == '|' : *p == '&' || *p == ',')) {
    p = evaluate (n, p + 1, level + 1, &right);
    *value = level == 0 ? *value || right : *value && right;
  }
  return p;
}

static gboolean
meets (const WlSlurmNode *n, const char *constraint)
{
  gboolean value = FALSE;
  const char *end = evaluate (n, constraint, 0, &value);

  return end != NULL && *end == '\0' && value;
}

const char *
wl_slurm_constraint (WlSlurmCluster *c, const char *text)
{
  const char *known = g_hash_table_lookup (c->constraints, text), *end;
  const WlSlurmNode nobody = { .name = NULL };
  guint open = 0;
  g_autoptr (GString) terms = g_string_new (NULL);
  gboolean value;

  if (known != NULL)
    return *known != '\0' ? known : NULL;
  for (const char *p = text; *p != '\0'; p++)
    open += *p == '(' || *p == '[';
  end = open <= MAX_OPEN ? evaluate (&nobody, text, 0, &value) : NULL;
  if (end != NULL && *end == '\0' && strpbrk (text, "|([") == NULL) {
    g_auto (GStrv) feature = g_strsplit_set (text, "&,", -1);

    for (char **f = feature; *f != NULL; f++) {
      g_autofree char *label = wl_import_label_value (*f);

      if (*label != '\0')
        g_string_append_printf (terms, "%sfeature.slurm/%s=true", terms->len > 0 ? ";" : "", label);
    }
  } else if (end != NULL && *end == '\0') { /* a label of the nodes that meet it */
    g_string_append_printf (terms, "constraint.slurm/c%u=true", g_hash_table_size (c->constraints));
    for (guint i = 0; i < c->nodes->len; i++) {
      WlSlurmNode *n = &g_array_index (c->nodes, WlSlurmNode, i);

      if (meets (n, text))
        g_string_append_printf (n->labels, ";%s", terms->str);
    }
  }
  char *kept = g_strdup (terms->str);

  g_hash_table_insert (c->constraints, g_strdup (text), kept);
  return *kept != '\0' ? kept : NULL;
}

gint64
wl_slurm_smallest (const WlSlurmCluster *c, const WlSlurmPartition *partition, const char *constraint, gint64 cores)
{
  gint64 found = 0;

  for (guint i = 0; i < c->nodes->len; i++) {
    const WlSlurmNode *n = &g_array_index (c->nodes, WlSlurmNode, i);

    if (!n->future && n->cores >= cores && (found == 0 || n->cores < found) && has_node (partition, n) && (constraint == NULL || meets (n, constraint)))
      found = n->cores;
  }
  return found;
}

void
wl_slurm_add_nodes (WlImport *imp, const WlSlurmCluster *c)
{
  for (guint i = 0; i < c->nodes->len; i++) {
    const WlSlurmNode *n = &g_array_index (c->nodes, WlSlurmNode, i);
    g_auto (GStrv) feature = g_strsplit (n->features != NULL ? n->features : "", ",", -1);
    g_autoptr (GString) labels = g_string_new (NULL);

    if (n->future) {
      wl_import_note (imp, "nodes of the state FUTURE: left out", 1);
      continue;
    }
    for (guint k = 0; k < c->partitions->len; k++) {
      const WlSlurmPartition *p = &g_array_index (c->partitions, WlSlurmPartition, k);
      g_autofree char *term = has_node (p, n) ? wl_slurm_partition_term (p) : NULL;

      if (term != NULL)
        g_string_append_printf (labels, ";%s", term);
    }
    for (char **f = feature; *f != NULL; f++) {
      g_autofree char *label = wl_import_label_value (*f);

      if (*label != '\0')
        g_string_append_printf (labels, ";feature.slurm/%s=true", label);
    }
    g_string_append (labels, n->labels->str);
    const WlImportNode node = { .name = n->name,
                                .time = WL_TIME_NONE,
                                .capacity = { .cpu_milli = n->cores * 1000, .memory = n->memory > 0 ? n->memory : n->cores * wl_import_bytes (imp, "memory-per-core"), .gpus = n->gpus },
                                .pods = -1,
                                .model = n->gpu_type,
                                .labels = labels->len > 0 ? labels->str + 1 : NULL };
    const WlImportNode down = { .name = n->name, .time = WL_TIME_NONE, .event = WL_NODE_CORDON };

    wl_import_node (imp, &node);
    if (n->memory == 0)
      wl_import_default (imp, "memory of nodes");
    if (n->down)
      wl_import_node (imp, &down);
  }
}
