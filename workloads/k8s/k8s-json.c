/* Finds the items of a `v1 List` in JSON text, so that each can be parsed alone: the tree of a
 * whole List takes eighty times its size in memory, and most of the time goes into filling it. */
#include "k8s-fields.h"

/* Behind the string that begins at text[i]; 0 when it does not end on its line. */
static gsize
string_end (const char *text, gsize len, gsize i)
{
  for (i++; i < len; i++) {
    if (text[i] == '"')
      return i + 1;
    if (text[i] == '\n')
      return 0;
    if (text[i] == '\\')
      i++;
  }
  return 0;
}

gsize
k8s_json_scan (const char *text, gsize len, K8sJsonList *list)
{
  gsize depth = 0, key = 0; /* key: where the last key of the outer object begins */
  gboolean inside = FALSE, regular = TRUE;
  guint32 lines = 0;
  char last
      = '\0'; /* the token before: a bracket, a comma, a colon, a quote or 'v' for anything else */
  K8sJsonItem item = { 0 };

  list->open = list->close = 0;
  g_array_set_size (list->items, 0);
  for (gsize i = 0; i < len; i++) {
    char c = text[i];
    switch (c) {
    case '\n':
      lines++;
      continue;
    case ' ':
    case '\t':
    case '\r':
      continue;
    case '"': {
      gsize end = string_end (text, len, i);
      if (end == 0)
        return 0;
      if (depth == 1 && (last == '{' || last == ','))
        key = i;
      regular = regular && !(inside && depth == 2);
      i = end - 1;
      break;
    }
    case '{':
    case '[':
      if (inside && depth == 2) {
        regular = regular && c == '{' && (last == '[' || last == ',');
        item = (K8sJsonItem){ i, 0, lines };
      } else if (depth == 1 && c == '[' && last == ':'
                 && strncmp (text + key, "\"items\"", 7) == 0) {
        regular = regular && list->open == 0;
        list->open = i;
        inside = TRUE;
      }
      depth++;
      break;
    case '}':
    case ']':
      if (depth == 0)
        return 0;
      depth--;
      if (inside && depth == 2) {
        item.len = i + 1 - item.start;
        regular = regular && c == '}';
        g_array_append_val (list->items, item);
      } else if (inside && depth == 1) {
        regular = regular && c == ']' && last != ',';
        list->close = i;
        inside = FALSE;
      }
      if (depth == 0) {
        if (!regular)
          list->open = list->close = 0;
        return i + 1;
      }
      break;
    case ',':
      regular = regular && !(inside && depth == 2 && last != '}');
      break;
    case ':':
      regular = regular && !(inside && depth == 2);
      break;
    default:
      if (!g_ascii_isalnum (c) && c != '+' && c != '-' && c != '.')
        return 0; /* an anchor, an alias, a tag, a comment: YAML, not JSON */
      regular = regular && !(inside && depth == 2);
      c = 'v';
      break;
    }
    last = c;
  }
  return 0;
}
