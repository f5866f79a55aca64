/* tests/test-extender.c - the plugin extender against a real HTTP server on the loopback interface. */
#include "core/base/json.h"
#include "json-doc.h"
#include "plugin-world.h"
#include "run-helper.h"
#include "sim/cycle/http-client.h"
#include <gio/gio.h>

/* ---- the service ------------------------------------------------------------------------------ */

typedef struct {
  guint status;
  char *body;
  gulong delay_us;
} Answer;

typedef struct {
  GThread *thread;
  GMainContext *context;
  int stop; /* atomic */
  GSocketService *listener;
  guint16 port;
  GMutex lock;
  GHashTable *answers; /* path → Answer */
  GPtrArray *calls;    /* char *: "path body" */
  guint connections, active; /* ever made; being served */
} Service;

static void
answer_free (gpointer p)
{
  g_free (((Answer *) p)->body);
  g_free (p);
}

/* One request: path and body. FALSE at the end of the connection. */
static gboolean
read_request (GDataInputStream *in, char **path, char **body)
{
  g_autofree char *first = g_data_input_stream_read_line (in, NULL, NULL, NULL);
  g_auto (GStrv) words = first != NULL ? g_strsplit (first, " ", 3) : NULL;
  gsize length = 0, got = 0;

  if (first == NULL || g_strv_length (words) != 3 || strcmp (words[0], "POST") != 0)
    return FALSE;
  for (;;) {
    g_autofree char *line = g_data_input_stream_read_line (in, NULL, NULL, NULL);
    if (line == NULL)
      return FALSE;
    g_strchomp (line);
    if (*line == '\0')
      break;
    if (g_ascii_strncasecmp (line, "Content-Length:", 15) == 0)
      length = (gsize) g_ascii_strtoull (line + 15, NULL, 10);
  }
  *body = g_malloc0 (length + 1);
  *path = g_strdup (words[1]);
  return g_input_stream_read_all (G_INPUT_STREAM (in), *body, length, &got, NULL, NULL) && got == length;
}

static gboolean
serve (GThreadedSocketService *listener, GSocketConnection *connection, GObject *source, gpointer user)
{
  Service *s = user;
  g_autoptr (GDataInputStream) in = g_data_input_stream_new (g_io_stream_get_input_stream (G_IO_STREAM (connection)));
  GOutputStream *out = g_io_stream_get_output_stream (G_IO_STREAM (connection));

  g_data_input_stream_set_newline_type (in, G_DATA_STREAM_NEWLINE_TYPE_ANY);
  g_mutex_lock (&s->lock);
  s->connections++;
  s->active++;
  g_mutex_unlock (&s->lock);
  for (;;) {
    g_autofree char *path = NULL, *body = NULL, *answer = NULL, *head = NULL;
    guint status = 404;
    gulong delay = 0;

    if (!read_request (in, &path, &body))
      break;
    g_mutex_lock (&s->lock);
    const Answer *a = g_hash_table_lookup (s->answers, path);
    if (a != NULL) {
      status = a->status;
      delay = a->delay_us;
      answer = g_strdup (a->body);
    }
    g_ptr_array_add (s->calls, g_strconcat (path, " ", body, NULL));
    g_mutex_unlock (&s->lock);
    if (delay > 0)
      g_usleep (delay);
    head = g_strdup_printf ("HTTP/1.1 %u X\r\nContent-Type: application/json\r\nContent-Length: %" G_GSIZE_FORMAT "\r\n\r\n", status,
                            answer != NULL ? strlen (answer) : 0);
    if (!g_output_stream_write_all (out, head, strlen (head), NULL, NULL, NULL)
        || (answer != NULL && !g_output_stream_write_all (out, answer, strlen (answer), NULL, NULL, NULL)))
      break;
  }
  g_mutex_lock (&s->lock);
  s->active--;
  g_mutex_unlock (&s->lock);
  return TRUE;
}

static gpointer
run_service (gpointer user)
{
  Service *s = user;

  g_main_context_push_thread_default (s->context);
  g_socket_service_start (s->listener);
  while (!g_atomic_int_get (&s->stop))
    g_main_context_iteration (s->context, TRUE);
  g_socket_service_stop (s->listener);
  g_socket_listener_close (G_SOCKET_LISTENER (s->listener));
  while (g_main_context_iteration (s->context, FALSE))
    ;
  g_main_context_pop_thread_default (s->context);
  return NULL;
}

static gboolean
service_start (Service *s)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) any_port = g_inet_socket_address_new (loopback, 0), bound = NULL;
  g_autoptr (GError) error = NULL;

  g_mutex_init (&s->lock);
  s->answers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, answer_free);
  s->calls = g_ptr_array_new_with_free_func (g_free);
  s->context = g_main_context_new ();
  g_main_context_push_thread_default (s->context);
  s->listener = g_threaded_socket_service_new (16);
  gboolean good = g_socket_listener_add_address (G_SOCKET_LISTENER (s->listener), any_port, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL, &bound,
                                                 &error);
  g_main_context_pop_thread_default (s->context);
  if (!suite_check (good, "%s", error != NULL ? error->message : ""))
    return FALSE;
  s->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound));
  g_signal_connect (s->listener, "run", G_CALLBACK (serve), s);
  s->thread = g_thread_new ("service", run_service, s);
  return TRUE;
}

/* Take no more calls. */
static void
service_quit (Service *s)
{
  if (s->thread == NULL)
    return;
  g_atomic_int_set (&s->stop, TRUE);
  g_main_context_wakeup (s->context);
  g_thread_join (g_steal_pointer (&s->thread));
}

static void
service_stop (Service *s)
{
  gboolean busy = TRUE;

  service_quit (s);
  while (busy) { /* the client is gone: its connections end */
    g_mutex_lock (&s->lock);
    busy = s->active > 0;
    g_mutex_unlock (&s->lock);
    if (busy)
      g_usleep (1000);
  }
  g_clear_object (&s->listener);
  g_main_context_unref (s->context);
  g_hash_table_unref (s->answers);
  g_ptr_array_unref (s->calls);
}

/* ---- a world that calls it -------------------------------------------------------------------- */

typedef struct {
  Service service;
  SimHttpClient *client;
  World world;
  guint32 nodes[2], task, running[2], job, queue;
} Scene;

/* What the service says from now on; the calls until now are forgotten. */
static void
answer (Scene *s, const char *path, guint status, const char *body)
{
  Answer *a = g_new0 (Answer, 1);

  a->status = status;
  a->body = g_strdup (body);
  g_mutex_lock (&s->service.lock);
  g_hash_table_replace (s->service.answers, g_strdup (path), a);
  g_ptr_array_set_size (s->service.calls, 0);
  g_mutex_unlock (&s->service.lock);
}

static void
answer_late (Scene *s, const char *path, gulong delay_us)
{
  answer (s, path, 200, "{}");
  g_mutex_lock (&s->service.lock);
  ((Answer *) g_hash_table_lookup (s->service.answers, path))->delay_us = delay_us;
  g_mutex_unlock (&s->service.lock);
}

/* The body of the only call since then, which must have gone to @path. */
static char *
take_call (Scene *s, const char *path)
{
  g_autofree char *prefix = g_strconcat (path, " ", NULL);
  char *body = NULL;

  g_mutex_lock (&s->service.lock);
  guint n = s->service.calls->len;
  if (n == 1 && g_str_has_prefix (s->service.calls->pdata[0], prefix))
    body = g_strdup ((char *) s->service.calls->pdata[0] + strlen (prefix));
  g_ptr_array_set_size (s->service.calls, 0);
  g_mutex_unlock (&s->service.lock);
  suite_check (body != NULL, "%s is called once, %u calls", path, n);
  return body != NULL ? body : g_strdup ("{}");
}

static guint
count_calls (Scene *s)
{
  g_mutex_lock (&s->service.lock);
  guint n = s->service.calls->len;
  g_ptr_array_set_size (s->service.calls, 0);
  g_mutex_unlock (&s->service.lock);
  return n;
}

static void
scene_clear (Scene *s)
{
  if (s->world.log != NULL)
    world_clear (&s->world);
  sim_http_client_free (s->client);
  if (s->service.context != NULL)
    service_stop (&s->service);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scene, scene_clear)

/* Two nodes, two running pods of job L on n0, a pending one of job A. FALSE: no HTTP client in this build, nothing to test. */
static gboolean
scene_init (Scene *s)
{
  s->client = sim_http_client_new ();
  if (s->client == NULL || !service_start (&s->service))
    return FALSE;
  world_init (&s->world);
  s->nodes[0] = add_node (&s->world, "n0", HAVE (4000, 8 * GI, 110), NULL);
  s->nodes[1] = add_node (&s->world, "n1", HAVE (4000, 8 * GI, 110, 2), NULL);
  s->queue = add_queue (&s->world, "q", 1, NONE, NONE);
  add_group (&s->world, "L", "q", 1, "Running", NULL);
  s->job = add_group (&s->world, "A", "q", 1, "Pending", NULL);
  s->running[0] = add_pod (&s->world, "L", "l0", HAVE (1000, GI), "n0", NULL);
  s->running[1] = add_pod (&s->world, "L", "l1", HAVE (1000, GI), "n0", NULL);
  s->task = add_pod (&s->world, "A", "a0", HAVE (1000, GI), NULL, NULL);
  return TRUE;
}

/* An engine with the extender and these arguments, on top of gang. */
static gboolean
scene_start (Scene *s, const char *actions, const char *arguments)
{
  g_autofree char *text = g_strdup_printf ("actions: \"%s\"\ntiers:\n- plugins:\n  - name: gang\n  - name: extender\n    arguments:\n"
                                           "      extender.urlPrefix: http://127.0.0.1:%u/api//\n%s",
                                           actions, s->service.port, arguments);
  g_autoptr (GError) error = NULL;
  VcConf *conf = vc_conf_parse (text, strlen (text), "conf", vc_catalog (), FALSE, NULL, &error);
  VcEngineOptions options;

  vc_engine_options_init (&options);
  options.http = sim_http_client_transport (s->client);
  options.log = keep_log;
  options.log_user = &s->world;
  g_clear_pointer (&s->world.engine, vc_engine_free);
  if (conf != NULL)
    s->world.engine = vc_engine_new (s->world.cache, conf, FALSE, &options, &error);
  return suite_check (s->world.engine != NULL, "%s", error != NULL ? error->message : "");
}

static void
in_session (Scene *s, const char *arguments, void (*fn) (VcSession *ssn, gpointer user))
{
  if (scene_start (s, "allocate", arguments)) {
    vc_engine_with_session (s->world.engine, 0, fn, s);
    g_clear_pointer (&s->world.engine, vc_engine_free);
  }
}

#define IGNORABLE "      extender.ignorable: true\n"
#define VERB(name) "      extender." name "Verb: " name "\n"

/* ---- configuration ---------------------------------------------------------------------------- */

static void
without_a_client_it_is_refused_by_name (void)
{
  const char *text = TIERS "  - name: extender\n    arguments:\n      extender.urlPrefix: http://127.0.0.1:1\n";
  const char *nowhere = TIERS "  - name: extender\n";
  g_auto (World) w = { 0 };
  g_autoptr (GError) error = NULL;
  VcEngineOptions options;

  world_init (&w);
  vc_engine_options_init (&options);
  w.engine = vc_engine_new (w.cache, vc_conf_parse (text, strlen (text), "conf", vc_catalog (), FALSE, NULL, NULL), FALSE, &options, &error);
  suite_check (w.engine == NULL && error != NULL && strstr (error->message, "plugin 'extender' needs an HTTP client") != NULL, "%s",
               error != NULL ? error->message : "accepted");
  g_clear_error (&error);
  w.engine = vc_engine_new (w.cache, vc_conf_parse (nowhere, strlen (nowhere), "conf", vc_catalog (), FALSE, NULL, NULL), FALSE, &options, &error);
  suite_check (w.engine == NULL && error != NULL && strstr (error->message, "extender.urlPrefix is missing") != NULL, "%s",
               error != NULL ? error->message : "accepted");
}

/* ---- nodes ------------------------------------------------------------------------------------ */

static gboolean
fits (VcSession *ssn, Scene *s, guint node, VcFitError *e)
{
  *e = (VcFitError){ 0 };
  return vc_session_predicate (ssn, s->task, s->nodes[node], e);
}

static void
check_predicate (VcSession *ssn, gpointer user)
{
  Scene *s = user;
  VcFitError e;
  g_autoptr (VcArena) arena = vc_arena_new ();

  answer (s, "/api/predicate", 200, "{}");
  suite_check (fits (ssn, s, 1, &e), "an empty answer passes");
  g_autofree char *body = take_call (s, "/api/predicate");
  const Jd *call = jd_parse (arena, body, strlen (body), NULL), *task = jd_get (call, "task"), *node = jd_get (call, "node");
  suite_check (call != NULL && call->n == 2, "task and node: %s", body);
  suite_check (strcmp (jd_text (jd_get (task, "UID"), ""), "a0") == 0 && strcmp (jd_text (jd_get (task, "Job"), ""), "ns/A") == 0, "the task");
  suite_check (jd_number (jd_get (jd_get (task, "Resreq"), "MilliCPU"), 0) == 1000 && jd_number (jd_get (task, "Status"), 0) == 1, "its request");
  const Jd *meta = jd_get (jd_get (task, "Pod"), "metadata");
  suite_check (strcmp (jd_text (jd_get (jd_get (meta, "annotations"), "scheduling.k8s.io/group-name"), ""), "A") == 0, "its annotations");
  suite_check (strcmp (jd_text (jd_get (node, "Name"), ""), "n1") == 0, "the node");
  suite_check (jd_number (jd_get (jd_get (jd_get (node, "Allocatable"), "ScalarResources"), GPU), 0) == 2000, "its devices");
  suite_check (strcmp (jd_text (jd_get (jd_get (jd_get (jd_get (node, "Node"), "status"), "allocatable"), GPU), ""), "2") == 0, "as an object too");

  answer (s, "/api/predicate", 200, "{\"status\":\"maintenance\",\"code\":3}");
  suite_check (!fits (ssn, s, 0, &e) && e.n == 1 && e.item[0].code == VC_UNRESOLVABLE && strcmp (e.item[0].reason, "maintenance") == 0, "refused");
  answer (s, "/api/predicate", 200, "{\"STATUS\":\"no\\u0021\"} trailing");
  suite_check (!fits (ssn, s, 0, &e) && e.item[0].code == VC_ERROR && strcmp (e.item[0].reason, "no!") == 0, "no code is an error");
}

static void
check_predicate_errors (VcSession *ssn, gpointer user)
{
  static const struct {
    guint status;
    const char *body;
  } bad[] = { { 500, "{}" }, { 404, "{}" }, { 200, "" }, { 200, "{\"status\":" }, { 200, "[]" }, { 200, "{\"status\":5}" }, { 200, "{\"status\":\"x\",\"code\":1.5}" } };
  Scene *s = user;
  VcFitError e;
  gboolean ignorable = strstr (s->world.log->str, "ignorable") != NULL;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    answer (s, "/api/predicate", bad[i].status, bad[i].body);
    gboolean passed = fits (ssn, s, 0, &e);
    suite_check (passed == ignorable, "case %u, ignorable %d", i, ignorable);
    suite_check (passed || (e.n == 1 && e.item[0].code == VC_ERROR && *e.item[0].reason != '\0'), "case %u: a reason", i);
  }
  answer (s, "/api/predicate", 200, "null");
  suite_check (fits (ssn, s, 0, &e), "null is an empty answer");
}

static void
check_status_text (VcSession *ssn, gpointer user)
{
  Scene *s = user;
  VcFitError e;
  g_autofree char *want = g_strdup_printf ("failed predicate with extender at URL http://127.0.0.1:%u/api/predicate, code 503", s->service.port);

  answer (s, "/api/predicate", 503, "");
  gboolean passed = fits (ssn, s, 0, &e);
  suite_check (!passed && strcmp (e.item[0].reason, want) == 0, "%s", passed ? "passed" : e.item[0].reason);
}

static void
a_service_filters_nodes (void)
{
  g_auto (Scene) s = { 0 };

  if (!scene_init (&s))
    return;
  in_session (&s, VERB ("predicate"), check_predicate);
  in_session (&s, VERB ("predicate"), check_status_text);
  in_session (&s, VERB ("predicate"), check_predicate_errors);
  g_string_assign (s.world.log, "ignorable\n");
  in_session (&s, VERB ("predicate") IGNORABLE, check_predicate_errors);
  suite_check (s.service.connections == 1, "one connection serves all calls, %u", s.service.connections);
}

static void
check_scores (VcSession *ssn, gpointer user)
{
  Scene *s = user;
  double total[2];
  gboolean ignorable = strstr (s->world.log->str, "ignorable") != NULL;

  answer (s, "/api/prioritize", 200, "{\"nodeScore\":{\"n1\":7.5,\"n0\":-2,\"other\":9}}");
  suite_check (vc_session_scores (ssn, s->task, s->nodes, 2, total) && total[0] == -2 && total[1] == 7.5, "%g %g", total[0], total[1]);
  g_autofree char *body = take_call (s, "/api/prioritize");
  suite_check (strstr (body, "\"nodes\":[{\"Name\":\"n0\"") != NULL, "nodes in order");
  answer (s, "/api/prioritize", 200, "{\"nodeScore\":{}}");
  suite_check (vc_session_scores (ssn, s->task, s->nodes, 2, total) && total[0] == 0 && total[1] == 0, "no scores");
  answer (s, "/api/prioritize", 200, "{\"nodeScore\":{\"n1\":1},\"errorMessage\":\"x\"}");
  suite_check (!vc_session_scores (ssn, s->task, s->nodes, 2, total), "a message is an error");
  answer (s, "/api/prioritize", 200, "{}");
  suite_check (!vc_session_scores (ssn, s->task, s->nodes, 2, total), "so is nothing at all");
  answer (s, "/api/prioritize", 500, "{}");
  suite_check (vc_session_scores (ssn, s->task, s->nodes, 2, total) == ignorable, "a failed call");
  answer (s, "/api/prioritize", 200, "{\"nodeScore\":{\"n1\":\"1\"}}");
  suite_check (vc_session_scores (ssn, s->task, s->nodes, 2, total) == ignorable, "a text for a number");
}

static void
a_service_scores_nodes (void)
{
  g_auto (Scene) s = { 0 };

  if (!scene_init (&s))
    return;
  in_session (&s, VERB ("prioritize"), check_scores);
  g_string_assign (s.world.log, "ignorable\n");
  in_session (&s, VERB ("prioritize") IGNORABLE, check_scores);
}

/* ---- victims ---------------------------------------------------------------------------------- */

static void
check_victims (VcSession *ssn, gpointer user)
{
  Scene *s = user;
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (guint32));
  static const VcHookFamily family[] = { VC_HOOK_PREEMPTABLE, VC_HOOK_RECLAIMABLE };
  static const char *const path[] = { "/api/preemptable", "/api/reclaimable" };

  for (guint f = 0; f < 2; f++) {
    answer (s, path[f], 200, "{\"status\":1,\"victims\":[{\"UID\":\"l1\",\"Name\":\"l1\"},{\"UID\":\"gone\"},{\"UID\":\"l1\"},{\"UID\":\"l0\"}]}");
    vc_session_victims (ssn, family[f], s->task, s->running, 2, out);
    suite_check (out->len == 2 && g_array_index (out, guint32, 0) == s->running[1] && g_array_index (out, guint32, 1) == s->running[0], "%s: both",
                 path[f]);
    g_autofree char *body = take_call (s, path[f]);
    suite_check (strstr (body, "\"evictor\":{\"UID\":\"a0\"") != NULL && strstr (body, "\"evictees\":[{\"UID\":\"l0\"") != NULL, "%s", body);
    answer (s, path[f], 200, "{\"status\":-1,\"victims\":[{\"UID\":\"l0\"}]}");
    vc_session_victims (ssn, family[f], s->task, s->running, 2, out);
    suite_check (out->len == 1, "any vote but 0 counts");
    answer (s, path[f], 200, "{\"status\":1,\"victims\":[null]}");
    vc_session_victims (ssn, family[f], s->task, s->running, 2, out);
    suite_check (out->len == 0, "no task");
    answer (s, path[f], 500, "");
    vc_session_victims (ssn, family[f], s->task, s->running, 2, out);
    suite_check (out->len == 0, "an error leaves no victims");
  }
}

static void
a_service_chooses_victims (void)
{
  g_auto (Scene) s = { 0 };
  const char *alone = "  - name: gang\n    enablePreemptable: false\n    enableReclaimable: false\n";

  if (!scene_init (&s))
    return;
  g_autofree char *text = g_strdup_printf ("actions: allocate\ntiers:\n- plugins:\n%s  - name: extender\n    arguments:\n"
                                           "      extender.urlPrefix: http://127.0.0.1:%u/api\n" VERB ("preemptable") VERB ("reclaimable"),
                                           alone, s.service.port);
  g_autoptr (GError) error = NULL;
  VcEngineOptions options;
  vc_engine_options_init (&options);
  options.http = sim_http_client_transport (s.client);
  s.world.engine = vc_engine_new (s.world.cache, vc_conf_parse (text, strlen (text), "conf", vc_catalog (), FALSE, NULL, NULL), FALSE, &options, &error);
  if (suite_check (s.world.engine != NULL, "%s", error != NULL ? error->message : ""))
    vc_engine_with_session (s.world.engine, 0, check_victims, &s);
}

/* ---- jobs and queues -------------------------------------------------------------------------- */

static void
check_votes (VcSession *ssn, gpointer user)
{
  Scene *s = user;
  gboolean ignorable = strstr (s->world.log->str, "ignorable") != NULL;

  answer (s, "/api/jobEnqueueable", 200, "{\"status\":-1}");
  suite_check (!vc_session_job_enqueueable (ssn, s->job), "rejected");
  g_autofree char *job = take_call (s, "/api/jobEnqueueable");
  suite_check (strstr (job, "{\"job\":{\"UID\":\"ns/A\"") == job && strstr (job, "\"TaskStatusIndex\":{\"1\":{\"a0\":{") != NULL, "%s", job);
  answer (s, "/api/jobEnqueueable", 200, "{\"status\":1}");
  suite_check (vc_session_job_enqueueable (ssn, s->job), "permitted");
  answer (s, "/api/jobEnqueueable", 500, "{}");
  suite_check (vc_session_job_enqueueable (ssn, s->job) == ignorable, "a failed call");
  count_calls (s);

  answer (s, "/api/jobEnqueued", 200, "{}");
  vc_session_job_enqueued (ssn, s->job);
  g_free (take_call (s, "/api/jobEnqueued"));

  answer (s, "/api/queueOverused", 200, "{\"overused\":true}");
  suite_check (vc_session_overused (ssn, s->queue), "overused");
  g_autofree char *queue = take_call (s, "/api/queueOverused");
  suite_check (strstr (queue, "{\"queue\":{\"UID\":\"q\",\"Name\":\"q\",\"Weight\":1,") == queue, "%s", queue);
  answer (s, "/api/queueOverused", 200, "{}");
  suite_check (!vc_session_overused (ssn, s->queue), "not overused");
  answer (s, "/api/queueOverused", 500, "{}");
  suite_check (vc_session_overused (ssn, s->queue) == !ignorable, "a failed call");

  answer (s, "/api/jobReady", 200, "{\"status\":true}");
  suite_check (vc_session_job_ready (ssn, s->job), "ready");
  answer (s, "/api/jobReady", 200, "{\"status\":false}");
  suite_check (!vc_session_job_ready (ssn, s->job), "not ready");
  answer (s, "/api/jobReady", 500, "{}");
  suite_check (vc_session_job_ready (ssn, s->job) == !ignorable, "a failed call: ready when not ignorable, as upstream has it");
}

static void
a_service_votes_on_jobs_and_queues (void)
{
  g_auto (Scene) s = { 0 };
  const char *verbs = VERB ("jobEnqueueable") VERB ("jobEnqueued") VERB ("queueOverused") VERB ("jobReady");
  g_autofree char *ignorable = g_strconcat (verbs, IGNORABLE, NULL);

  if (!scene_init (&s))
    return;
  s.world.c->job[s.job].min_available = 0; /* gang finds it ready */
  in_session (&s, verbs, check_votes);
  g_string_assign (s.world.log, "ignorable\n");
  in_session (&s, ignorable, check_votes);
}

/* ---- events and sessions ---------------------------------------------------------------------- */

static guint
binds_of_a_cycle (Scene *s, const char *arguments)
{
  VcCycleResult result = { 0 };

  if (scene_start (s, "enqueue, allocate", arguments))
    vc_engine_cycle (s->world.engine, 0, &result);
  for (guint i = 0; i < vc_cache_binds (s->world.cache)->len; i++)
    vc_cache_pod_status (s->world.cache, g_array_index (vc_cache_binds (s->world.cache), VcBind, i).task, VC_PENDING);
  g_array_set_size (vc_cache_binds (s->world.cache), 0);
  return result.binds;
}

static void
an_error_of_an_event_rolls_back (void)
{
  g_auto (Scene) s = { 0 };
  const char *verbs = VERB ("allocateFunc") VERB ("deallocateFunc");
  g_autofree char *ignorable = g_strconcat (verbs, IGNORABLE, NULL);

  if (!scene_init (&s))
    return;
  answer (&s, "/api/allocateFunc", 200, "{}");
  answer (&s, "/api/deallocateFunc", 200, "{}");
  suite_check (binds_of_a_cycle (&s, verbs) == 1, "placed");
  g_autofree char *body = take_call (&s, "/api/allocateFunc");
  suite_check (strstr (body, "\"NodeName\":\"n0\"") != NULL && strstr (body, "\"Status\":2") != NULL, "Allocated on n0: %s", body);
  answer (&s, "/api/allocateFunc", 200, "{\"errorMessage\":\"no\"}");
  suite_check (binds_of_a_cycle (&s, verbs) == 0 && count_calls (&s) == 2, "taken back, and told so");
  suite_check (binds_of_a_cycle (&s, ignorable) == 0, "a message counts in any case");
  answer (&s, "/api/allocateFunc", 500, "");
  suite_check (binds_of_a_cycle (&s, verbs) == 0, "a failed call");
  suite_check (binds_of_a_cycle (&s, ignorable) == 1, "a failed call that may be ignored");
}

static void
a_session_is_announced (void)
{
  g_auto (Scene) s = { 0 };
  const char *verbs = VERB ("onSessionOpen") VERB ("onSessionClose") VERB ("predicate");
  g_autofree char *ignorable = g_strconcat (verbs, IGNORABLE, NULL);
  g_autoptr (VcArena) arena = vc_arena_new ();

  if (!scene_init (&s))
    return;
  answer (&s, "/api/onSessionOpen", 200, "not JSON, and nobody reads it");
  answer (&s, "/api/onSessionClose", 200, "");
  answer (&s, "/api/predicate", 200, "{\"status\":\"no\"}");
  suite_check (binds_of_a_cycle (&s, verbs) == 0, "the filter refuses");
  g_mutex_lock (&s.service.lock);
  guint n = s.service.calls->len;
  g_autofree char *first = n > 0 ? g_strdup (s.service.calls->pdata[0]) : g_strdup ("");
  g_autofree char *last = n > 0 ? g_strdup (s.service.calls->pdata[n - 1]) : g_strdup ("");
  g_mutex_unlock (&s.service.lock);
  suite_check (count_calls (&s) == 4 && strcmp (last, "/api/onSessionClose {}") == 0, "open, two nodes, close: %u, %s", n, last);
  suite_check (g_str_has_prefix (first, "/api/onSessionOpen {"), "open comes first");
  const char *body = first + strlen ("/api/onSessionOpen ");
  const Jd *open = g_str_has_prefix (first, "/api/onSessionOpen ") ? jd_parse (arena, body, strlen (body), NULL) : NULL;
  const Jd *node = jd_get (jd_get (open, "Nodes"), "n0");
  suite_check (open != NULL && jd_get (open, "Jobs")->n == 2 && jd_get (open, "Nodes")->n == 2 && jd_get (open, "Queues")->n == 1, "all of it");
  suite_check (jd_get (node, "Tasks") != NULL && jd_get (node, "Tasks")->n == 2 && jd_number (jd_get (jd_get (node, "Idle"), "MilliCPU"), 0) == 2000, "n0");

  answer (&s, "/api/onSessionOpen", 500, "");
  suite_check (binds_of_a_cycle (&s, verbs) == 1, "nothing is registered in such a session");
  suite_check (binds_of_a_cycle (&s, ignorable) == 0, "unless the error may be ignored");
}

/* ---- limits ----------------------------------------------------------------------------------- */

static void
check_timeout (VcSession *ssn, gpointer user)
{
  Scene *s = user;
  VcFitError e;
  gint64 start = g_get_monotonic_time ();

  answer_late (s, "/api/predicate", 700000);
  suite_check (!fits (ssn, s, 0, &e), "too late");
  gint64 took = g_get_monotonic_time () - start;
  suite_check (took >= 50000 && took < 600000, "%" G_GINT64_FORMAT " us", took);
}

static void
check_in_time (VcSession *ssn, gpointer user)
{
  Scene *s = user;
  VcFitError e;

  answer_late (s, "/api/predicate", 60000);
  suite_check (fits (ssn, s, 0, &e), "in time");
}

static void
check_size (VcSession *ssn, gpointer user)
{
  Scene *s = user;
  VcFitError e;
  const gsize limit = 10u << 20;
  g_autofree char *body = g_malloc (limit + 3);

  memset (body, ' ', limit + 2);
  body[0] = '{';
  body[limit] = '\0';
  body[limit - 1] = '}';
  answer (s, "/api/predicate", 200, body);
  suite_check (fits (ssn, s, 0, &e), "10 MiB");
  body[limit - 1] = ' ';
  body[limit] = '}';
  body[limit + 1] = '\0';
  answer (s, "/api/predicate", 200, body);
  suite_check (!fits (ssn, s, 0, &e), "a byte more");
}

static void
answers_are_bounded_in_time_and_size (void)
{
  g_auto (Scene) s = { 0 };

  if (!scene_init (&s))
    return;
  in_session (&s, VERB ("predicate") "      extender.httpTimeout: 50ms\n", check_timeout);
  in_session (&s, VERB ("predicate") "      extender.httpTimeout: 0s\n", check_in_time);
  in_session (&s, VERB ("predicate") "      extender.httpTimeout: soon\n", check_in_time);
  in_session (&s, VERB ("predicate") "      extender.httpTimeout: 30s\n", check_size);
}

static void
check_nobody_there (VcSession *ssn, gpointer user)
{
  Scene *s = user;
  VcFitError e;

  gboolean passed = fits (ssn, s, 0, &e);
  suite_check (!passed && strstr (e.item[0].reason, "127.0.0.1") != NULL, "%s", passed ? "passed" : e.item[0].reason);
}

static void
a_service_that_is_down_is_an_error (void)
{
  g_auto (Scene) s = { 0 };

  if (!scene_init (&s))
    return;
  service_quit (&s.service);
  in_session (&s, VERB ("predicate"), check_nobody_there);
}

/* ---- managed resources ------------------------------------------------------------------------ */

static void
only_tasks_with_managed_resources_are_asked_about (void)
{
  static const VcAmount gpu[] = { { GPU, { 1, 1000 } } };
  static const struct {
    const char *resources;
    gboolean request, limit, init, asked;
  } cases[] = {
    { "[]", FALSE, FALSE, FALSE, TRUE },
    { "[" GPU "]", FALSE, FALSE, FALSE, FALSE },
    { "[" GPU "]", TRUE, FALSE, FALSE, TRUE },
    { "[" GPU "]", FALSE, TRUE, FALSE, TRUE },
    { "[" GPU "]", FALSE, FALSE, TRUE, TRUE },
    { "[" FOO ", " GPU "]", TRUE, FALSE, FALSE, TRUE },
    { "[" FOO "]", TRUE, TRUE, TRUE, FALSE },
  };
  const VcPair group = { "scheduling.k8s.io/group-name", "A" };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Scene) s = { 0 };
    g_autofree char *arguments = g_strdup_printf (VERB ("predicate") "      extender.managedResources: %s\n", cases[i].resources);
    const VcAmounts some = { gpu, 1, TRUE }, none = { 0 };
    VcContainer container[] = { { .name = "i", .init = TRUE, .request = cases[i].init ? some : none },
                                { .name = "c", .request = cases[i].request ? some : none, .limit = cases[i].limit ? some : none } };
    VcPodObject o = { .ns = "ns", .name = "x", .uid = "x", .annotations = { &group, 1 }, .created = VC_NO_TIME, .start_time = VC_NO_TIME,
                      .phase = VC_POD_PENDING, .spec = { .container = container, .n_containers = 2 } };

    if (!scene_init (&s))
      return;
    s.task = vc_cache_add_pod (s.world.cache, &o);
    if (!scene_start (&s, "allocate", arguments))
      continue;
    vc_engine_with_session (s.world.engine, 0, check_in_time, &s);
    suite_check ((count_calls (&s) == 1) == cases[i].asked, "case %u", i);
  }
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void
json_is_written_as_go_writes_it (void)
{
  g_autoptr (GString) out = g_string_new ("{");

  vc_json_key (out, "a<b");
  vc_json_text (out, "\"\\/\n\x01\xe2\x80\xa8\xff\xc3\xa9&");
  vc_json_key (out, "n");
  vc_json_number (out, 0.1);
  vc_json_key (out, "i");
  vc_json_number (out, 1e15);
  vc_json_key (out, "x");
  vc_json_number (out, HUGE_VAL);
  g_string_append_c (out, '}');
  suite_check (strcmp (out->str, "{\"a\\u003cb\":\"\\\"\\\\/\\n\\u0001\\u2028\xef\xbf\xbd\xc3\xa9\\u0026\",\"n\":0.1,\"i\":1000000000000000,\"x\":null}") == 0, "%s",
               out->str);
}

static void
json_is_read_as_go_reads_it (void)
{
  static const char *const bad[] = { "", " ", "{", "[1,]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "-", "1.", "1e", "tru", "\"\t\"", "\"\\x\"", "\"\\u12\"", "\"" };
  g_autoptr (VcArena) arena = vc_arena_new ();
  g_autofree char *deep = g_strnfill (100000, '[');
  g_autoptr (GError) error = NULL;
  const char *good = " {\"A\":\"\\ud83d\\ude00\\ud83d!\",\"a\":\"x\",\"n\":-1.5e1,\"l\":[true,null],\"i\":9223372036854775808} garbage", *text = "";
  gint64 i = 7;
  gboolean b = FALSE;
  double d = 0;

  for (guint k = 0; k < G_N_ELEMENTS (bad); k++)
    suite_check (vc_json_parse (bad[k], strlen (bad[k]), arena, NULL) == NULL, "'%s' is refused", bad[k]);
  suite_check (vc_json_parse (deep, strlen (deep), arena, NULL) == NULL, "deep nesting is refused");
  const VcJson *v = vc_json_parse (good, strlen (good), arena, &error);
  if (!suite_check (v != NULL, "%s", error != NULL ? error->message : ""))
    return;
  suite_check (vc_json_get_text (v, "A", &text, NULL) && strcmp (text, "\xf0\x9f\x98\x80\xef\xbf\xbd!") == 0, "surrogates: %s", text);
  suite_check (vc_json_get_text (v, "a", &text, NULL) && strcmp (text, "x") == 0, "the exact name goes first");
  suite_check (vc_json_get (v, "N") != NULL && vc_json_as_double (vc_json_get (v, "N"), &d, NULL) && d == -15, "any case");
  suite_check (!vc_json_get_int (v, "n", &i, NULL) && !vc_json_get_int (v, "i", &i, NULL) && i == 7, "no whole numbers");
  suite_check (!vc_json_get_bool (v, "l", &b, &error) && strstr (error->message, "'l'") != NULL, "a list is no truth");
  suite_check (vc_json_get_bool (v, "none", &b, NULL) && !b, "what is absent stays");
}

/* ---- the program ------------------------------------------------------------------------------ */

static void
the_program_asks_a_service (void)
{
  g_auto (Scene) s = { 0 };
  const char *bin = g_getenv ("VOLSIM_BIN");
  g_autofree char *dir = NULL, *conf_path = NULL, *objects_path = NULL, *conf = NULL, *output = NULL, *complaint = NULL;

  if (bin == NULL || !scene_init (&s))
    return;
  dir = test_make_dir ();
  conf_path = g_build_filename (dir, "conf.yaml", NULL);
  objects_path = g_build_filename (dir, "objects.yaml", NULL);
  conf = g_strdup_printf ("actions: allocate\ntiers:\n- plugins:\n  - name: extender\n    arguments:\n      extender.urlPrefix: http://127.0.0.1:%u\n" VERB (
                            "prioritize"),
                          s.service.port);
  g_file_set_contents (conf_path, conf, -1, NULL);
  g_file_set_contents (objects_path,
                       "{apiVersion: v1, kind: Node, metadata: {name: n0}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}}\n---\n"
                       "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}}\n---\n"
                       "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: default}, spec: {weight: 1}, status: {state: Open}}\n---\n"
                       "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g, namespace: x}, spec: {minMember: 1, queue: default},"
                       " status: {phase: Inqueue}}\n---\n"
                       "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: x, annotations: {scheduling.k8s.io/group-name: g}},"
                       " spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}, status: {phase: Pending}}\n",
                       -1, NULL);
  answer (&s, "/prioritize", 200, "{\"nodeScore\":{\"n1\":5}}");
  char *args[] = { (char *) bin, (char *) "cycle", (char *) "-o", (char *) "json", (char *) "--conf", conf_path, objects_path, NULL };
  int status = test_run (args, &output, &complaint);
  suite_check (status == 0 && strstr (output, "\"x/p\": \"n1\"") != NULL, "%d: %s%s", status, output, complaint);
  test_remove_tree (dir);
}

int
main (void)
{
  CU_TestInfo tests[] = {
    { "without a client it is refused by name", without_a_client_it_is_refused_by_name },
    { "a service filters nodes", a_service_filters_nodes },
    { "a service scores nodes", a_service_scores_nodes },
    { "a service chooses victims", a_service_chooses_victims },
    { "a service votes on jobs and queues", a_service_votes_on_jobs_and_queues },
    { "an error of an event rolls back", an_error_of_an_event_rolls_back },
    { "a session is announced", a_session_is_announced },
    { "answers are bounded in time and size", answers_are_bounded_in_time_and_size },
    { "a service that is down is an error", a_service_that_is_down_is_an_error },
    { "only tasks with managed resources are asked about", only_tasks_with_managed_resources_are_asked_about },
    { "JSON is written as Go writes it", json_is_written_as_go_writes_it },
    { "JSON is read as Go reads it", json_is_read_as_go_reads_it },
    { "the program asks a service", the_program_asks_a_service },
    CU_TEST_INFO_NULL,
  };
  return suite_run ("extender", tests);
}
