/* core/plugins/extender.c - ask an HTTP service at the plugin's extension points.
 *
 * Policy: each verb that is configured is one extension point; the call is POST <urlPrefix>/<verb> with a JSON body (extender-json.h), and the
 * answer's status must be 200 within httpTimeout. With managedResources only tasks count whose containers request or limit one of them.
 *   verb                     body                       answer                     error: ignorable / not
 *   onSessionOpenVerb        Jobs, Nodes, Queues, …     none                       go on / register nothing in this session
 *   predicateVerb            task, node                 status (text), code        pass / the task does not fit
 *   prioritizeVerb           task, nodes                nodeScore, errorMessage    no scores / scoring fails
 *   preemptableVerb, reclaimableVerb  evictor, evictees status (vote), victims     no victims / no victims
 *   jobEnqueueableVerb       job                        status (vote)              permit / reject
 *   jobEnqueuedVerb          job                        none                       logged
 *   queueOverusedVerb        queue                      overused                   no / yes
 *   jobReadyVerb             job                        status (true or false)     false / true, as upstream has it (inverted)
 *   allocateFuncVerb, deallocateFuncVerb  task          errorMessage               passed over / the placement is rolled back
 *   onSessionCloseVerb       {}                         none                       logged
 * A text in `status` of a predicate refuses the node; code 0 then counts as 1 (error). An errorMessage of allocateFunc always rolls back.
 * nodeScore without errorMessage counts, anything else is an error, also when errors are ignorable. Victims are known by their UID; one that
 * was not offered is passed over. An answer above 10 MiB is an error.
 *
 * Example: urlPrefix http://127.0.0.1:8080/, predicateVerb filter: POST http://127.0.0.1:8080/filter {"task":{…},"node":{…}}; the answer
 * {"status":"maintenance","code":3} makes the node unschedulable, and no eviction helps.
 *
 * Mirrors pkg/scheduler/plugins/extender/{extender,argument}.go. */
#include "plugins.h"
#include "extender-http.h"
#include "extender-json.h"
#include "core/base/go-duration.h"
#include "core/base/json.h"

#define BODY_LIMIT (10u << 20)

const VcArgSpec vc_extender_args[] = {
  { "extender.urlPrefix", VC_ARG_STRING, "address of the service, such as http://127.0.0.1:8080" },
  { "extender.httpTimeout", VC_ARG_STRING, "longest wait for an answer (duration, default 1s)" },
  { "extender.ignorable", VC_ARG_BOOL, "errors of the service do not stop scheduling (default false)" },
  { "extender.managedResources", VC_ARG_ANY, "list of resources: only tasks that name one are asked about (default: all tasks)" },
  { "extender.onSessionOpenVerb", VC_ARG_STRING, "path of the call when a session opens (each verb: default no call)" },
  { "extender.onSessionCloseVerb", VC_ARG_STRING, "path of the call when a session closes" },
  { "extender.predicateVerb", VC_ARG_STRING, "path of the call that filters a node" },
  { "extender.prioritizeVerb", VC_ARG_STRING, "path of the call that scores nodes" },
  { "extender.preemptableVerb", VC_ARG_STRING, "path of the call that chooses victims of the same queue" },
  { "extender.reclaimableVerb", VC_ARG_STRING, "path of the call that chooses victims of other queues" },
  { "extender.queueOverusedVerb", VC_ARG_STRING, "path of the call that tells whether a queue is overused" },
  { "extender.jobEnqueueableVerb", VC_ARG_STRING, "path of the call that votes on the admission of a job" },
  { "extender.jobEnqueuedVerb", VC_ARG_STRING, "path of the call when a job is admitted" },
  { "extender.jobReadyVerb", VC_ARG_STRING, "path of the call that tells whether a job is ready" },
  { "extender.allocateFuncVerb", VC_ARG_STRING, "path of the call when a task is placed" },
  { "extender.deallocateFuncVerb", VC_ARG_STRING, "path of the call when a task is taken away" },
  { NULL, VC_ARG_ANY, NULL },
};

typedef enum {
  VERB_SESSION_OPEN, VERB_SESSION_CLOSE, VERB_PREDICATE, VERB_PRIORITIZE, VERB_PREEMPTABLE, VERB_RECLAIMABLE, VERB_OVERUSED,
  VERB_ENQUEUEABLE, VERB_ENQUEUED, VERB_READY, VERB_ALLOCATE, VERB_DEALLOCATE, N_VERBS
} Verb;

typedef struct {
  char *prefix, *verb[N_VERBS]; /* verb NULL: no call */
  gint64 timeout_us;
  gboolean ignorable;
  char **managed;               /* NULL: every task */
  const VcHttpTransport *http;
  GString *body, *answer;
  VcArena *arena;               /* of one answer */
} Extender;

/* ---- arguments -------------------------------------------------------------------------------- */

static gboolean
read_managed (Extender *e, const VcArg *a, GError **error)
{
  guint n = a->child != NULL ? a->child->n : 0;
  gboolean good = a->type == VC_VALUE_NULL || a->is_list;

  e->managed = g_new0 (char *, n + 1);
  for (guint i = 0; i < n && good; i++) {
    const VcArg *v = &a->child->arg[i];
    good = v->type == VC_VALUE_STRING || v->type == VC_VALUE_NULL;
    e->managed[i] = g_strdup (v->type == VC_VALUE_STRING ? v->s : "");
  }
  if (!good)
    g_set_error (error, VC_CONF_ERROR, VC_CONF_ERROR_TYPE, "plugin 'extender': extender.managedResources in line %u: expected a list of texts", a->line);
  if (n == 0)
    g_clear_pointer (&e->managed, g_strfreev);
  return good;
}

static gboolean
extender_init (gpointer self, const VcPluginOption *option, gboolean lenient, GError **error)
{
  static const char *const name[N_VERBS] = {
    "onSessionOpen", "onSessionClose", "predicate", "prioritize", "preemptable", "reclaimable", "queueOverused", "jobEnqueueable", "jobEnqueued",
    "jobReady", "allocateFunc", "deallocateFunc",
  };
  Extender *e = self;
  const VcArgs *args = &option->args;
  const char *timeout = vc_args_get_string (args, "extender.httpTimeout", "");
  const VcArg *managed = vc_args_find (args, "extender.managedResources");
  gint64 ns = G_GINT64_CONSTANT (1000000000);

  e->body = g_string_new (NULL);
  e->answer = g_string_new (NULL);
  e->arena = vc_arena_new ();
  e->prefix = g_strdup (vc_args_get_string (args, "extender.urlPrefix", ""));
  while (g_str_has_suffix (e->prefix, "/"))
    e->prefix[strlen (e->prefix) - 1] = '\0';
  if (*e->prefix == '\0' && !lenient) {
    g_set_error (error, VC_CONF_ERROR, VC_CONF_ERROR_TYPE, "plugin 'extender' in line %u: extender.urlPrefix is missing, expected the address of a service",
                 option->line);
    return FALSE;
  }
  for (guint v = 0; v < N_VERBS; v++) {
    g_autofree char *key = g_strconcat ("extender.", name[v], "Verb", NULL);
    const char *text = vc_args_get_string (args, key, "");
    e->verb[v] = *text != '\0' ? g_strdup (text) : NULL;
  }
  vc_args_get_bool (args, "extender.ignorable", &e->ignorable);
  vc_go_duration_parse (timeout, &ns);
  e->timeout_us = ns > 0 ? ns / 1000 + (ns % 1000 != 0) : 0; /* 0 and less: no bound */
  return managed == NULL || read_managed (e, managed, error);
}

static gboolean
extender_connect (gpointer self, const VcHttpTransport *http, GError **error)
{
  ((Extender *) self)->http = http;
  if (http == NULL)
    g_set_error_literal (error, VC_CONF_ERROR, VC_CONF_ERROR_UNSUPPORTED,
                         "plugin 'extender' needs an HTTP client, and this program has none (volsim is built without libcurl)");
  return http != NULL;
}

/* ---- calls ------------------------------------------------------------------------------------ */

/* Send e->body. TRUE with the answer's value in *answer when @answer is given. What fails is logged, and told in *message when given. */
static gboolean
call (Extender *e, VcSession *ssn, Verb verb, const VcJson **answer, char **message)
{
  g_autofree char *url = g_strconcat (e->prefix, "/", e->verb[verb], NULL);
  g_autoptr (GError) error = NULL;
  guint status = 0;
  gboolean good;

  g_string_truncate (e->answer, 0);
  vc_arena_reset (e->arena);
  good = e->http->post (e->http->user, url, e->body->str, e->body->len, e->timeout_us, answer != NULL ? e->answer : NULL, BODY_LIMIT, &status, &error);
  if (good && status != 200) {
    g_set_error (&error, VC_JSON_ERROR, VC_JSON_ERROR_TYPE, "failed %s with extender at URL %s, code %u", e->verb[verb], url, status);
    good = FALSE;
  } else if (good && answer != NULL && e->answer->len > BODY_LIMIT) {
    g_set_error_literal (&error, VC_JSON_ERROR, VC_JSON_ERROR_SYNTAX, "http: request body too large");
    good = FALSE;
  } else if (good && answer != NULL) {
    *answer = vc_json_parse (e->answer->str, e->answer->len, e->arena, &error);
    good = *answer != NULL;
    if (good && (*answer)->kind != VC_JSON_MAP && (*answer)->kind != VC_JSON_NULL) {
      g_set_error_literal (&error, VC_JSON_ERROR, VC_JSON_ERROR_TYPE, "wrong type of the answer, expected a map");
      good = FALSE;
    }
  }
  if (good)
    return TRUE;
  vc_session_log (ssn, 0, "extender: %s: %s", e->verb[verb], error->message);
  if (message != NULL)
    *message = g_strdup (error->message);
  return FALSE;
}

/* An answer that does not decode: logged, like a call that failed. */
static gboolean
undecoded (const Extender *e, VcSession *ssn, Verb verb, const GError *error)
{
  if (error != NULL)
    vc_session_log (ssn, 0, "extender: %s: %s", e->verb[verb], error->message);
  return error != NULL;
}

static GString *
start_body (Extender *e, const char *key)
{
  g_string_assign (e->body, "{");
  vc_json_key (e->body, key);
  return e->body;
}

static gboolean
names_managed (const Extender *e, const VcAmounts *a)
{
  for (guint i = 0; i < a->n; i++)
    if (g_strv_contains ((const char *const *) e->managed, a->item[i].name))
      return TRUE;
  return FALSE;
}

static gboolean
is_interested (const Extender *e, const VcCluster *c, guint32 task)
{
  const VcPodSpec *s = &c->task[task].shape->spec;

  for (guint i = 0; e->managed != NULL && i < s->n_containers; i++)
    if (names_managed (e, &s->container[i].request) || names_managed (e, &s->container[i].limit))
      return TRUE;
  return e->managed == NULL;
}

/* ---- nodes ------------------------------------------------------------------------------------ */

static VcCode
code_of (gint64 code)
{
  if (code == VC_OK)
    return VC_ERROR; /* services of old give a text and no code */
  return code > 0 && code <= VC_SKIP ? (VcCode) code : VC_OK; /* a code that nobody knows is none of those that are looked for */
}

static gboolean
extender_predicate (gpointer self, VcSession *ssn, guint32 task, guint32 node, VcFitError *fit)
{
  Extender *e = self;
  VcCluster *c = vc_session_cluster (ssn);
  const VcJson *answer = NULL;
  const char *status = "";
  g_autofree char *message = NULL;
  g_autoptr (GError) error = NULL;
  gint64 code = 0;

  if (!is_interested (e, c, task))
    return TRUE;
  vc_extender_task (start_body (e, "task"), c, task);
  vc_json_key (e->body, "node");
  vc_extender_node (e->body, c, node);
  g_string_append_c (e->body, '}');
  gboolean good = call (e, ssn, VERB_PREDICATE, &answer, &message);
  if (good && (!vc_json_get_text (answer, "status", &status, &error) || !vc_json_get_int (answer, "code", &code, &error))) {
    good = FALSE;
    undecoded (e, ssn, VERB_PREDICATE, error);
    message = g_strdup (error->message);
  }
  if (!good) {
    if (!e->ignorable)
      vc_fit_error_add (fit, VC_ERROR, vc_cluster_intern (c, message), "extender");
    return e->ignorable;
  }
  if (*status == '\0')
    return TRUE;
  vc_fit_error_add (fit, code_of (code), vc_cluster_intern (c, status), "extender");
  return FALSE;
}

static gboolean
add_scores (const VcCluster *c, const VcJson *scores, const guint32 *nodes, guint n, double *score, GError **error)
{
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal); /* looked up only */
  double v = 0;

  for (guint i = 0; i < n; i++)
    g_hash_table_insert (by_name, c->nodes.info[nodes[i]].name, GUINT_TO_POINTER (i + 1));
  for (const VcJson *s = scores->child; s != NULL; s = s->next)
    if (s->kind != VC_JSON_NULL && !vc_json_as_double (s, &v, error))
      return FALSE;
  g_autofree double *answer = g_new0 (double, n + 1);
  for (const VcJson *s = scores->child; s != NULL; s = s->next) {
    guint i = GPOINTER_TO_UINT (g_hash_table_lookup (by_name, s->key));
    v = 0;
    if (i > 0 && (s->kind == VC_JSON_NULL || vc_json_as_double (s, &v, NULL)))
      answer[i - 1] = v; /* of several the last counts */
  }
  for (guint i = 0; i < n; i++)
    score[i] += answer[i];
  return TRUE;
}

static gboolean
extender_prioritize (gpointer self, VcSession *ssn, guint32 task, const guint32 *nodes, guint n, double *score)
{
  Extender *e = self;
  const VcCluster *c = vc_session_cluster (ssn);
  const VcJson *answer = NULL, *scores;
  const char *message = "";
  g_autoptr (GError) error = NULL;

  if (!is_interested (e, c, task))
    return TRUE;
  vc_extender_task (start_body (e, "task"), c, task);
  vc_json_key (e->body, "nodes");
  for (guint i = 0; i < n; i++) {
    g_string_append_c (e->body, i == 0 ? '[' : ',');
    vc_extender_node (e->body, c, nodes[i]);
  }
  g_string_append (e->body, n == 0 ? "[]}" : "]}");
  if (!call (e, ssn, VERB_PRIORITIZE, &answer, NULL))
    return e->ignorable;
  scores = vc_json_get (answer, "nodeScore");
  if (!vc_json_get_text (answer, "errorMessage", &message, &error)) {
    undecoded (e, ssn, VERB_PRIORITIZE, error);
    return e->ignorable;
  }
  if (scores != NULL && scores->kind != VC_JSON_MAP) {
    vc_session_log (ssn, 0, "extender: %s: wrong type of 'nodeScore', expected a map", e->verb[VERB_PRIORITIZE]);
    return e->ignorable;
  }
  if (*message != '\0' || scores == NULL) {
    vc_session_log (ssn, 0, "extender: %s: %s", e->verb[VERB_PRIORITIZE], message);
    return FALSE;
  }
  return add_scores (c, scores, nodes, n, score, &error) || (undecoded (e, ssn, VERB_PRIORITIZE, error) && e->ignorable);
}

/* What the service answers depends on more than the node. */
static VcScope
extender_scope (gpointer self, VcSession *ssn, const VcShape *shape)
{
  return VC_SCOPE_CLUSTER;
}

/* ---- victims ---------------------------------------------------------------------------------- */

/* The offered tasks that @list names, in its order. FALSE with @error when it is no list of tasks. */
static gboolean
read_victims (const VcCluster *c, const VcJson *list, const guint32 *candidates, guint n, guint32 *out, guint *n_out, GError **error)
{
  g_autoptr (GHashTable) by_uid = g_hash_table_new (g_str_hash, g_str_equal); /* looked up only */

  if (list != NULL && list->kind != VC_JSON_LIST) {
    g_set_error_literal (error, VC_JSON_ERROR, VC_JSON_ERROR_TYPE, "wrong type of 'victims', expected a list");
    return FALSE;
  }
  for (guint i = 0; i < n; i++)
    g_hash_table_insert (by_uid, (gpointer) c->task[candidates[i]].uid, GUINT_TO_POINTER (candidates[i] + 1));
  for (const VcJson *v = list != NULL ? list->child : NULL; v != NULL; v = v->next) {
    const char *uid = "";

    if (v->kind != VC_JSON_MAP) {
      g_set_error_literal (error, VC_JSON_ERROR, VC_JSON_ERROR_TYPE, "wrong type of a victim, expected a task");
      return FALSE;
    }
    if (!vc_json_get_text (v, "UID", &uid, error))
      return FALSE;
    guint32 task = GPOINTER_TO_UINT (g_hash_table_lookup (by_uid, uid));
    if (task > 0)
      out[(*n_out)++] = task - 1;
    g_hash_table_remove (by_uid, uid); /* once is enough */
  }
  return TRUE;
}

static VcVote
vote_of (gint64 status)
{
  return status < 0 ? VC_REJECT : status > 0 ? VC_PERMIT : VC_ABSTAIN;
}

static VcVote
choose_victims (Extender *e, VcSession *ssn, Verb verb, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out)
{
  const VcCluster *c = vc_session_cluster (ssn);
  const VcJson *answer = NULL;
  g_autoptr (GError) error = NULL;
  gint64 status = 0;

  *n_out = 0;
  if (!is_interested (e, c, evictor))
    return VC_ABSTAIN;
  vc_extender_task (start_body (e, "evictor"), c, evictor);
  vc_json_key (e->body, "evictees");
  for (guint i = 0; i < n; i++) {
    g_string_append_c (e->body, i == 0 ? '[' : ',');
    vc_extender_task (e->body, c, candidates[i]);
  }
  g_string_append (e->body, n == 0 ? "[]}" : "]}");
  if (call (e, ssn, verb, &answer, NULL) && vc_json_get_int (answer, "status", &status, &error) &&
      read_victims (c, vc_json_get (answer, "victims"), candidates, n, out, n_out, &error))
    return vote_of (status);
  undecoded (e, ssn, verb, error);
  *n_out = 0;
  return e->ignorable ? VC_PERMIT : VC_REJECT;
}

static VcVote
extender_preemptable (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out)
{
  return choose_victims (self, ssn, VERB_PREEMPTABLE, evictor, candidates, n, out, n_out);
}

static VcVote
extender_reclaimable (gpointer self, VcSession *ssn, guint32 evictor, const guint32 *candidates, guint n, guint32 *out, guint *n_out)
{
  return choose_victims (self, ssn, VERB_RECLAIMABLE, evictor, candidates, n, out, n_out);
}

/* ---- jobs and queues -------------------------------------------------------------------------- */

static gboolean
ask_about_job (Extender *e, VcSession *ssn, Verb verb, guint32 job, const VcJson **answer)
{
  vc_extender_job (start_body (e, "job"), vc_session_cluster (ssn), job);
  g_string_append_c (e->body, '}');
  return call (e, ssn, verb, answer, NULL);
}

static VcVote
extender_enqueueable (gpointer self, VcSession *ssn, guint32 job)
{
  Extender *e = self;
  const VcJson *answer = NULL;
  g_autoptr (GError) error = NULL;
  gint64 status = 0;

  if (ask_about_job (e, ssn, VERB_ENQUEUEABLE, job, &answer) && vc_json_get_int (answer, "status", &status, &error))
    return vote_of (status);
  undecoded (e, ssn, VERB_ENQUEUEABLE, error);
  return e->ignorable ? VC_PERMIT : VC_REJECT;
}

static void
extender_enqueued (gpointer self, VcSession *ssn, guint32 job)
{
  const VcJson *answer = NULL;
  ask_about_job (self, ssn, VERB_ENQUEUED, job, &answer);
}

static gboolean
extender_overused (gpointer self, VcSession *ssn, guint32 queue)
{
  Extender *e = self;
  const VcJson *answer = NULL;
  g_autoptr (GError) error = NULL;
  gboolean overused = FALSE;

  vc_extender_queue (start_body (e, "queue"), vc_session_cluster (ssn), queue);
  g_string_append_c (e->body, '}');
  if (call (e, ssn, VERB_OVERUSED, &answer, NULL) && vc_json_get_bool (answer, "overused", &overused, &error))
    return overused;
  undecoded (e, ssn, VERB_OVERUSED, error);
  return !e->ignorable;
}

static gboolean
extender_ready (gpointer self, VcSession *ssn, guint32 job)
{
  Extender *e = self;
  const VcJson *answer = NULL;
  g_autoptr (GError) error = NULL;
  gboolean ready = FALSE;

  if (ask_about_job (e, ssn, VERB_READY, job, &answer) && vc_json_get_bool (answer, "status", &ready, &error))
    return ready;
  undecoded (e, ssn, VERB_READY, error);
  return !e->ignorable; /* upstream's: ready because the service failed */
}

/* ---- events ----------------------------------------------------------------------------------- */

static gboolean
tell (Extender *e, VcSession *ssn, Verb verb, guint32 task)
{
  const VcCluster *c = vc_session_cluster (ssn);
  const VcJson *answer = NULL;
  const char *message = "";
  g_autoptr (GError) error = NULL;

  if (!is_interested (e, c, task))
    return TRUE;
  vc_extender_task (start_body (e, "task"), c, task);
  g_string_append_c (e->body, '}');
  if (!call (e, ssn, verb, &answer, NULL))
    return e->ignorable;
  if (!vc_json_get_text (answer, "errorMessage", &message, &error)) {
    undecoded (e, ssn, verb, error);
    return e->ignorable;
  }
  if (*message != '\0')
    vc_session_log (ssn, 0, "extender: %s: %s", e->verb[verb], message);
  return *message == '\0';
}

static gboolean
extender_allocated (gpointer self, VcSession *ssn, guint32 task)
{
  return tell (self, ssn, VERB_ALLOCATE, task);
}

static void
extender_deallocated (gpointer self, VcSession *ssn, guint32 task)
{
  tell (self, ssn, VERB_DEALLOCATE, task); /* nobody looks at an error */
}

/* ---- sessions --------------------------------------------------------------------------------- */

static void
extender_session_open (gpointer self, VcSession *ssn)
{
  Extender *e = self;

  if (e->verb[VERB_SESSION_OPEN] != NULL) {
    g_string_truncate (e->body, 0);
    vc_extender_session (e->body, ssn);
    if (!call (e, ssn, VERB_SESSION_OPEN, NULL, NULL) && !e->ignorable)
      return;
  }
  if (e->verb[VERB_PREDICATE] != NULL)
    vc_session_add_predicate (ssn, extender_predicate, NULL, extender_scope);
  if (e->verb[VERB_PRIORITIZE] != NULL)
    vc_session_add_batch_node_order (ssn, extender_prioritize, extender_scope);
  if (e->verb[VERB_PREEMPTABLE] != NULL)
    vc_session_add_victims (ssn, VC_HOOK_PREEMPTABLE, extender_preemptable);
  if (e->verb[VERB_RECLAIMABLE] != NULL)
    vc_session_add_victims (ssn, VC_HOOK_RECLAIMABLE, extender_reclaimable);
  if (e->verb[VERB_ENQUEUEABLE] != NULL)
    vc_session_add_job_vote (ssn, VC_HOOK_JOB_ENQUEUEABLE, extender_enqueueable);
  if (e->verb[VERB_ENQUEUED] != NULL)
    vc_session_add_job_enqueued (ssn, extender_enqueued);
  if (e->verb[VERB_OVERUSED] != NULL)
    vc_session_add_overused (ssn, extender_overused);
  if (e->verb[VERB_READY] != NULL)
    vc_session_add_job_test (ssn, VC_HOOK_JOB_READY, extender_ready);
  if (e->verb[VERB_ALLOCATE] != NULL || e->verb[VERB_DEALLOCATE] != NULL)
    vc_session_add_handlers (ssn, e->verb[VERB_ALLOCATE] != NULL ? extender_allocated : NULL,
                             e->verb[VERB_DEALLOCATE] != NULL ? extender_deallocated : NULL);
}

static void
extender_session_close (gpointer self, VcSession *ssn)
{
  Extender *e = self;

  if (e->verb[VERB_SESSION_CLOSE] == NULL)
    return;
  g_string_assign (e->body, "{}");
  call (e, ssn, VERB_SESSION_CLOSE, NULL, NULL);
}

static void
extender_clear (gpointer self)
{
  Extender *e = self;

  g_free (e->prefix);
  for (guint v = 0; v < N_VERBS; v++)
    g_free (e->verb[v]);
  g_strfreev (e->managed);
  if (e->body != NULL)
    g_string_free (e->body, TRUE);
  if (e->answer != NULL)
    g_string_free (e->answer, TRUE);
  vc_arena_free (e->arena);
}

const VcPluginClass vc_plugin_extender = {
  .name = "extender",
  .summary = VC_EXTENDER_SUMMARY,
  .args = vc_extender_args,
  .instance_size = sizeof (Extender),
  .init = extender_init,
  .connect = extender_connect,
  .session_open = extender_session_open,
  .session_close = extender_session_close,
  .clear = extender_clear,
};
