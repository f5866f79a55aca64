/* sim/cycle/http-client.h - the way to HTTP services, for plugins that ask one (libcurl).
 *
 * http and https, at most 10 redirects, no proxy. One connection is kept from call to call. Not thread-safe. */
#pragma once
#include "core/plugins/extender-http.h"
G_BEGIN_DECLS

typedef struct SimHttpClient SimHttpClient;
/** NULL when volsim is built without libcurl. (transfer full) */
SimHttpClient *sim_http_client_new (void);
void sim_http_client_free (SimHttpClient *c);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SimHttpClient, sim_http_client_free)
/** For VcEngineOptions.http: lives as long as @c; NULL for a client that is NULL. */
const VcHttpTransport *sim_http_client_transport (const SimHttpClient *c);

G_END_DECLS
