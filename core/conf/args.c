#include "args.h"

const VcArg *
vc_args_find (const VcArgs *args, const char *key)
{
  if (args == NULL)
    return NULL;
  for (guint i = args->n; i-- > 0;) /* backwards: of a repeated key the last counts */
    if (g_str_equal (args->arg[i].key, key))
      return &args->arg[i];
  return NULL;
}

void
vc_args_get_int (const VcArgs *args, const char *key, gint64 *inout)
{
  const VcArg *a = vc_args_find (args, key);

  if (a != NULL && a->type == VC_VALUE_INT)
    *inout = a->i;
}

void
vc_args_get_float (const VcArgs *args, const char *key, double *inout)
{
  const VcArg *a = vc_args_find (args, key);

  if (a != NULL && a->type == VC_VALUE_FLOAT)
    *inout = a->f;
  else if (a != NULL && a->type == VC_VALUE_INT)
    *inout = (double) a->i;
}

void
vc_args_get_bool (const VcArgs *args, const char *key, gboolean *inout)
{
  const VcArg *a = vc_args_find (args, key);

  if (a != NULL && a->type == VC_VALUE_BOOL)
    *inout = a->b;
  else if (a != NULL && a->type == VC_VALUE_STRING)
    vc_parse_bool (a->s, inout);
}

const char *
vc_args_get_string (const VcArgs *args, const char *key, const char *fallback)
{
  const VcArg *a = vc_args_find (args, key);

  return a != NULL && a->type == VC_VALUE_STRING ? a->s : fallback;
}

gboolean
vc_parse_bool (const char *text, gboolean *out)
{
  static const char *const yes[] = { "1", "t", "T", "true", "True", "TRUE", NULL };
  static const char *const no[] = { "0", "f", "F", "false", "False", "FALSE", NULL };

  if (g_strv_contains (yes, text))
    *out = TRUE;
  else if (g_strv_contains (no, text))
    *out = FALSE;
  else
    return FALSE;
  return TRUE;
}

void
vc_args_clear (VcArgs *args)
{
  for (guint i = 0; i < args->n; i++) {
    VcArg *a = &args->arg[i];

    g_free (a->key);
    g_free (a->s);
    if (a->child != NULL)
      vc_args_clear (a->child);
    g_free (a->child);
  }
  g_free (args->arg);
  *args = (VcArgs){ 0 };
}
