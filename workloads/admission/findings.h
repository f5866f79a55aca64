/* workloads/admission/findings.h - what is wrong with an object, said as the API server says it: `path: Invalid value: "x": why`.
 *
 * Findings are collected in a GPtrArray of char * (owned by it) in the order in which they are made. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

/** An empty list. (transfer full) */
GPtrArray *wl_findings_new (void);
/** `@path: …` */
void wl_find (GPtrArray *out, const char *path, const char *format, ...) G_GNUC_PRINTF (3, 4);
/** `@path: Invalid value: "@value": @why` */
void wl_find_invalid (GPtrArray *out, const char *path, const char *value, const char *why);
/** `@path: Required value` */
void wl_find_required (GPtrArray *out, const char *path);
/** `@path: Unsupported value: "@value": supported values: "a", "b"` */
void wl_find_unsupported (GPtrArray *out, const char *path, const char *value, const char *const *allowed, guint n);
/** All of them as one text: the finding when there is one, else `[a, b]` with each text once. (transfer full) */
char *wl_findings_text (const GPtrArray *findings);

/* What is wrong with a name; NULL: nothing. Static texts, as k8s.io/apimachinery/pkg/util/validation gives them. */
const char *wl_dns_label_problem (const char *text);
const char *wl_dns_subdomain_problem (const char *text);
const char *wl_label_value_problem (const char *text);
/** A qualified name, `[prefix/]name`: every problem with it is appended to @out (static texts). */
void wl_qualified_problems (const char *text, GPtrArray *out);
/** The same as one text: `[problem problem]`; NULL: nothing. (transfer full) */
char *wl_qualified_problem (const char *text);

G_END_DECLS
