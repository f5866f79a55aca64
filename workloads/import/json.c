#include "json.h"
#include "import.h"
#include "workloads/text/parse.h"
#include <libfyaml.h>
#include <string.h>

struct WlJsonDoc {
  struct fy_document *doc;
  struct fy_diag *diag;
};

/* libfyaml's own messages go nowhere: the first one becomes the error. */
static void
swallow (struct fy_diag *diag, void *user, const char *buf, size_t len)
{
}

WlJsonDoc *
wl_json_read (const char *file, const char *text, gsize len, GError **error)
{
  struct fy_diag_cfg quiet;
  WlJsonDoc *d = g_new0 (WlJsonDoc, 1);

  fy_diag_cfg_default (&quiet);
  quiet.fp = NULL;
  quiet.output_fn = swallow;
  d->diag = fy_diag_create (&quiet);
  fy_diag_set_collect_errors (d->diag, true);
  struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG, .diag = d->diag };

  d->doc = fy_document_build_from_string (&cfg, text, len);
  if (d->doc != NULL && fy_document_root (d->doc) != NULL)
    return d;
  void *at = NULL;
  const struct fy_diag_error *e = fy_diag_errors_iterate (d->diag, &at);
  g_autofree char *what = g_strdelimit (g_strdup (e != NULL && e->msg != NULL ? e->msg : "no document"), "\r\n", ' ');

  g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "%s:%d:%d: expected JSON or YAML, found an error: %s", file, e != NULL ? e->line + 1 : 1, e != NULL ? e->column + 1 : 1, what);
  wl_json_free (d);
  return NULL;
}

void
wl_json_free (WlJsonDoc *d)
{
  if (d == NULL)
    return;
  if (d->doc != NULL)
    fy_document_destroy (d->doc);
  fy_diag_destroy (d->diag);
  g_free (d);
}

WlJson
wl_json_root (const WlJsonDoc *d)
{
  return fy_document_root (d->doc);
}

gboolean
wl_json_is_list (WlJson at)
{
  return at != NULL && fy_node_is_sequence (at);
}

gboolean
wl_json_is_map (WlJson at)
{
  return at != NULL && fy_node_is_mapping (at);
}

WlJson
wl_json_get (WlJson map, const char *key)
{
  return wl_json_is_map (map) ? fy_node_mapping_lookup_value_by_simple_key (map, key, FY_NT) : NULL; /* not _by_string(), which reads the key as YAML */
}

guint
wl_json_count (WlJson at)
{
  if (wl_json_is_list (at))
    return (guint) fy_node_sequence_item_count (at);
  return wl_json_is_map (at) ? (guint) fy_node_mapping_item_count (at) : 0;
}

WlJson
wl_json_at (WlJson list, guint i)
{
  return wl_json_is_list (list) ? fy_node_sequence_get_by_index (list, (int) i) : NULL;
}

WlJson
wl_json_next (WlJson list, void **it)
{
  return wl_json_is_list (list) ? fy_node_sequence_iterate (list, it) : NULL;
}

WlJson
wl_json_next_pair (WlJson map, void **it, const char **key)
{
  struct fy_node_pair *pair = wl_json_is_map (map) ? fy_node_mapping_iterate (map, it) : NULL;

  *key = pair != NULL ? wl_json_text (fy_node_pair_key (pair)) : NULL;
  return pair != NULL ? fy_node_pair_value (pair) : NULL;
}

const char *
wl_json_text (WlJson at)
{
  if (at == NULL || !fy_node_is_scalar (at))
    return NULL;
  const char *text = fy_node_get_scalar0 (at);

  return fy_node_get_style (at) == FYNS_PLAIN && (text == NULL || strcmp (text, "null") == 0 || strcmp (text, "~") == 0 || *text == '\0') ? NULL : text;
}

gboolean
wl_json_is_quoted (WlJson at)
{
  return at != NULL && fy_node_is_scalar (at) && fy_node_get_style (at) != FYNS_PLAIN;
}

gboolean
wl_json_scaled (WlJson at, gint64 scale, gint64 min, gint64 max, gint64 *out, GError **error)
{
  const char *text = wl_json_text (at);

  if (text != NULL)
    return wl_import_parse_scaled (text, scale, min, max, out, error);
  g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "expected a number, found nothing");
  return FALSE;
}

gboolean
wl_json_int (WlJson at, gint64 min, gint64 max, gint64 *out, GError **error)
{
  const char *text = wl_json_text (at);

  if (text != NULL)
    return wl_import_parse_int (text, min, max, out, error);
  g_set_error_literal (error, WL_ERROR, WL_ERROR_VALUE, "expected a whole number, found nothing");
  return FALSE;
}

/* The first scalar of a value; NULL: it has none. */
static WlJson
first_scalar (WlJson at)
{
  if (wl_json_is_map (at) && fy_node_mapping_item_count (at) > 0)
    return first_scalar (fy_node_pair_key (fy_node_mapping_get_by_index (at, 0)));
  if (wl_json_is_list (at) && fy_node_sequence_item_count (at) > 0)
    return first_scalar (fy_node_sequence_get_by_index (at, 0));
  return at != NULL && fy_node_is_scalar (at) ? at : NULL;
}

static const struct fy_mark *
mark_of (WlJson scalar)
{
  struct fy_token *token = scalar != NULL ? fy_node_get_scalar_token (scalar) : NULL;

  return token != NULL ? fy_token_start_mark (token) : NULL;
}

guint64
wl_json_line (WlJson at)
{
  const struct fy_mark *mark = mark_of (first_scalar (at));

  return mark != NULL ? (guint64) mark->line + 1 : 1;
}

guint64
wl_json_column (WlJson at)
{
  const WlJson scalar = first_scalar (at);
  const struct fy_mark *mark = mark_of (scalar);

  return mark != NULL ? (guint64) mark->column + 1 - (wl_json_is_quoted (scalar) && mark->column > 0) : 1; /* the mark is behind the quote */
}
