#include "http-client.h"

#ifdef HAVE_LIBCURL
#include "cycle.h"
#include <curl/curl.h>

struct SimHttpClient {
  VcHttpTransport transport;
  CURL *curl;
  struct curl_slist *headers;
};

/* Where an answer goes, and how much of it is wanted. */
typedef struct {
  GString *text; /* NULL: not wanted */
  gsize room;
  gboolean full;
} Sink;

static size_t
take (char *data, size_t size, size_t n, void *user)
{
  Sink *s = user;
  gsize len = size * n, kept = MIN (len, s->room);

  if (s->text != NULL)
    g_string_append_len (s->text, data, (gssize) kept);
  s->room -= kept;
  s->full |= kept < len;
  return kept; /* less than offered ends the transfer */
}

static gboolean
post (gpointer user, const char *url, const char *body, gsize len, gint64 timeout_us, GString *answer, gsize limit, guint *status, GError **error)
{
  SimHttpClient *c = user;
  Sink sink = { .text = answer, .room = answer != NULL ? limit + 1 : 0 };
  char detail[CURL_ERROR_SIZE] = "";
  long code = 0;

  curl_easy_setopt (c->curl, CURLOPT_URL, url);
  curl_easy_setopt (c->curl, CURLOPT_ERRORBUFFER, detail);
  curl_easy_setopt (c->curl, CURLOPT_POST, 1L);
  curl_easy_setopt (c->curl, CURLOPT_POSTFIELDS, body);
  curl_easy_setopt (c->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) len);
  curl_easy_setopt (c->curl, CURLOPT_TIMEOUT_MS, timeout_us > 0 ? (long) ((timeout_us + 999) / 1000) : 0L);
  curl_easy_setopt (c->curl, CURLOPT_WRITEDATA, &sink);
  CURLcode result = curl_easy_perform (c->curl);
  curl_easy_getinfo (c->curl, CURLINFO_RESPONSE_CODE, &code);
  curl_easy_setopt (c->curl, CURLOPT_ERRORBUFFER, NULL);
  if (result != CURLE_OK && !(result == CURLE_WRITE_ERROR && sink.full)) {
    g_set_error (error, SIM_ERROR, SIM_ERROR_FAILED, "Post \"%s\": %s", url, *detail != '\0' ? detail : curl_easy_strerror (result));
    return FALSE;
  }
  *status = (guint) code;
  return TRUE;
}

SimHttpClient *
sim_http_client_new (void)
{
  g_autoptr (SimHttpClient) c = g_new0 (SimHttpClient, 1);

  c->transport = (VcHttpTransport) { post, c };
  c->curl = curl_easy_init (); /* starts the library where that has not been done */
  if (c->curl == NULL)
    return NULL;
  c->headers = curl_slist_append (NULL, "Content-Type: application/json");
  c->headers = curl_slist_append (c->headers, "Expect:"); /* large bodies go at once */
  curl_easy_setopt (c->curl, CURLOPT_HTTPHEADER, c->headers);
  curl_easy_setopt (c->curl, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt (c->curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt (c->curl, CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt (c->curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt (c->curl, CURLOPT_PROXY, "");
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt (c->curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt (c->curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt (c->curl, CURLOPT_PROTOCOLS, (long) (CURLPROTO_HTTP | CURLPROTO_HTTPS));
  curl_easy_setopt (c->curl, CURLOPT_REDIR_PROTOCOLS, (long) (CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  return g_steal_pointer (&c);
}

void
sim_http_client_free (SimHttpClient *c)
{
  if (c == NULL)
    return;
  if (c->curl != NULL)
    curl_easy_cleanup (c->curl);
  curl_slist_free_all (c->headers);
  g_free (c);
}

const VcHttpTransport *
sim_http_client_transport (const SimHttpClient *c)
{
  return c != NULL ? &c->transport : NULL;
}

#else /* without libcurl */

SimHttpClient *
sim_http_client_new (void)
{
  return NULL;
}

void
sim_http_client_free (SimHttpClient *c)
{
}

const VcHttpTransport *
sim_http_client_transport (const SimHttpClient *c)
{
  return NULL;
}
#endif
