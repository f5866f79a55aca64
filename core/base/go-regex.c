#include "core/base/go-regex.h"
#include <string.h>

#define DEPTH 100       /* nested groups */
#define MAX_REPEAT 1000 /* of {n,m}, as in Go */
#define MAX_NAME 32     /* of a group, as in PCRE */

struct VcGoRegex {
  GRegex *regex;
  char *prefix; /* a match begins with it at the start of the text; NULL: nothing known */
  gsize n_prefix;
};

/* ---- the check: a walk over the pattern by Go's grammar -------------------------------------------- */

typedef struct {
  const char *p;
  VcGoRegexKind kind;
  const char *what;
  GHashTable *names; /* of groups */
  guint repeats;     /* counted repetitions so far */
  gboolean over;     /* what follows is not read */
} Walk;

/* The first finding counts, but an error of Go's outweighs what is merely foreign. */
static void
find (Walk *w, VcGoRegexKind kind, const char *what)
{
  if (w->over)
    return;
  if (w->kind == VC_GO_REGEX_GOOD || (w->kind == VC_GO_REGEX_FOREIGN && kind == VC_GO_REGEX_BAD)) {
    w->kind = kind;
    w->what = what;
  }
}

/* A character that stands for itself or for a set of characters, behind the backslash. FALSE: it stands for a place between characters.
 * *set: it cannot be the end of a range. */
static gboolean
walk_escape (Walk *w, gboolean in_class, gboolean *set)
{
  char c = *w->p++;

  *set = FALSE;
  if (c == '\0') {
    w->p--;
    find (w, VC_GO_REGEX_BAD, "a backslash at the end");
    return TRUE;
  }
  if ((guchar) c < 0x80 && !g_ascii_isalnum (c))
    return TRUE; /* punctuation for itself */
  if ((guchar) c >= 0x80) {
    find (w, VC_GO_REGEX_BAD, "an escaped letter beyond ASCII");
    return TRUE;
  }
  if (strchr ("dDsSwW", c) != NULL) {
    *set = TRUE;
    return TRUE;
  }
  if (strchr ("afnrt", c) != NULL)
    return TRUE;
  if (strchr ("bBAz", c) != NULL && !in_class)
    return FALSE;
  if (c == 'x' && g_ascii_isxdigit (w->p[0]) && g_ascii_isxdigit (w->p[1])) {
    w->p += 2;
    return TRUE;
  }
  if (c == '0' || (c >= '1' && c <= '7' && w->p[0] >= '0' && w->p[0] <= '7'))
    find (w, VC_GO_REGEX_FOREIGN, "an octal character (\\0)");
  else if (c == 'x' && *w->p == '{')
    find (w, VC_GO_REGEX_FOREIGN, "a character by its code point (\\x{…})");
  else if (c == 'p' || c == 'P')
    find (w, VC_GO_REGEX_FOREIGN, "a Unicode class (\\p)");
  else if (c == 'Q' && !in_class)
    find (w, VC_GO_REGEX_FOREIGN, "quoted text (\\Q)");
  else if (c == 'v')
    find (w, VC_GO_REGEX_FOREIGN, "a vertical tab (\\v)");
  else
    find (w, VC_GO_REGEX_BAD, "an unknown escape");
  w->over |= c == 'Q' && !in_class; /* quoted: up to \\E nothing is what it looks like */
  return TRUE;
}

static gboolean
walk_posix_class (Walk *w)
{
  static const char *const names[] = { "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word", "xdigit" };
  const char *end = strstr (w->p + 2, ":]"), *name = w->p + 2;

  if (end == NULL)
    return FALSE; /* a bracket for itself */
  name += *name == '^';
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strlen (names[i]) == (gsize) (end - name) && strncmp (names[i], name, (gsize) (end - name)) == 0) {
      w->p = end + 2;
      return TRUE;
    }
  find (w, VC_GO_REGEX_BAD, "an unknown class [:…:]");
  w->p = end + 2;
  return TRUE;
}

/* One character of a class; its value in *c. *set: it is a whole class. */
static void
walk_class_char (Walk *w, gunichar *c, gboolean *set)
{
  const char *from = w->p;

  *set = FALSE;
  if (*w->p == '\\') {
    w->p++;
    walk_escape (w, TRUE, set);
    *c = from[1] == 'x' ? (gunichar) (g_ascii_xdigit_value (from[2]) * 16 + g_ascii_xdigit_value (from[3]))
                        : strchr ("afnrt", from[1]) != NULL ? 1 : (guchar) from[1];
    return;
  }
  *c = g_utf8_get_char (w->p);
  w->p = g_utf8_next_char (w->p);
}

static void
walk_class (Walk *w)
{
  gboolean first = TRUE, set;

  w->p++;
  if (*w->p == '^')
    w->p++;
  for (; *w->p != ']' || first; first = FALSE) {
    gunichar low, high;

    if (*w->p == '\0') {
      find (w, VC_GO_REGEX_BAD, "a class without ']'");
      return;
    }
    if (w->p[0] == '[' && w->p[1] == ':' && walk_posix_class (w))
      continue;
    if (w->p[0] == '[' && (w->p[1] == '.' || w->p[1] == '='))
      find (w, VC_GO_REGEX_FOREIGN, "[. or [= in a class");
    walk_class_char (w, &low, &set);
    if (w->p[0] != '-' || w->p[1] == ']' || w->p[1] == '\0')
      continue;
    if (set) {
      find (w, VC_GO_REGEX_FOREIGN, "a '-' behind a class in a class");
      continue;
    }
    w->p++;
    walk_class_char (w, &high, &set);
    if (set || high < low)
      find (w, VC_GO_REGEX_BAD, "a range from high to low");
    if (w->p[0] == '-' && w->p[1] != ']')
      find (w, VC_GO_REGEX_FOREIGN, "a '-' behind a range in a class");
  }
  w->p++;
}

/* {n}, {n,} or {n,m} at w->p: TRUE and behind it. Anything else in braces stands for itself. */
static gboolean
walk_count (Walk *w)
{
  const char *p = w->p + 1;
  gint64 low = 0, high = -1;

  if (!g_ascii_isdigit (*p))
    return FALSE;
  for (; g_ascii_isdigit (*p); p++)
    low = MIN (low * 10 + (*p - '0'), MAX_REPEAT + 1);
  if (p - w->p > 2 && w->p[1] == '0')
    find (w, VC_GO_REGEX_FOREIGN, "a repetition with a leading zero"); /* plain text in Go */
  if (*p == ',') {
    const char *from = ++p;
    for (high = g_ascii_isdigit (*p) ? 0 : -1; g_ascii_isdigit (*p); p++)
      high = MIN (high * 10 + (*p - '0'), MAX_REPEAT + 1);
    if (p - from > 1 && *from == '0')
      find (w, VC_GO_REGEX_FOREIGN, "a repetition with a leading zero");
  } else {
    high = low;
  }
  if (*p != '}')
    return FALSE;
  if (low > MAX_REPEAT || high > MAX_REPEAT || (high >= 0 && high < low))
    find (w, VC_GO_REGEX_BAD, "a repetition of a wrong size");
  w->repeats++;
  w->p = p + 1;
  return TRUE;
}

/* What may follow an atom; @atom FALSE: there is nothing to repeat, @place: an assertion. */
static void
walk_repetition (Walk *w, gboolean atom, gboolean place, guint counted_inside)
{
  gboolean counted = FALSE;

  if (*w->p == '{') {
    if (!walk_count (w))
      return;
    counted = TRUE;
  } else if (*w->p == '*' || *w->p == '+' || *w->p == '?') {
    w->p++;
  } else {
    return;
  }
  if (!atom)
    find (w, VC_GO_REGEX_BAD, "a repetition of nothing");
  if (place)
    find (w, VC_GO_REGEX_FOREIGN, "a repetition of an assertion");
  if (counted && counted_inside > 0)
    find (w, VC_GO_REGEX_FOREIGN, "counted repetitions inside each other");
  if (*w->p == '?')
    w->p++;
  const char *before = w->p;
  if (*w->p == '*' || *w->p == '+' || *w->p == '?' || (*w->p == '{' && walk_count (w))) {
    w->p = MAX (before + 1, w->p);
    find (w, VC_GO_REGEX_BAD, "a repetition of a repetition");
  }
}

static void
walk_group_name (Walk *w)
{
  const char *from = w->p;

  while (g_ascii_isalnum (*w->p) || *w->p == '_')
    w->p++;
  g_autofree char *name = g_strndup (from, (gsize) (w->p - from));
  if (*w->p != '>' || *name == '\0')
    find (w, VC_GO_REGEX_BAD, "a bad name of a group");
  else if (g_ascii_isdigit (*name) || strlen (name) > MAX_NAME)
    find (w, VC_GO_REGEX_FOREIGN, "a name of a group that begins with a digit or is too long");
  else if (!g_hash_table_add (w->names, g_steal_pointer (&name)))
    find (w, VC_GO_REGEX_BAD, "a name of two groups");
  if (*w->p == '>')
    w->p++;
}

/* Behind "(?": TRUE when a group begins, FALSE for flags alone. */
static gboolean
walk_group_head (Walk *w)
{
  gboolean minus = FALSE, any = FALSE;

  if (*w->p == 'P' && w->p[1] == '<')
    w->p++;
  if (*w->p == '<' && w->p[1] != '=' && w->p[1] != '!') {
    w->p++;
    walk_group_name (w);
    return TRUE;
  }
  for (;; w->p++) {
    char c = *w->p;
    if (c != '\0' && strchr ("imsU", c) != NULL) {
      any = TRUE;
    } else if (c == '-' && !minus) {
      minus = TRUE;
      any = FALSE;
    } else if ((c == ':' || c == ')') && (any || !minus)) {
      w->p++;
      return c == ':';
    } else {
      find (w, VC_GO_REGEX_BAD, "an unknown group (?…)");
      w->p = c == '\0' ? w->p : w->p + 1;
      return TRUE;
    }
  }
}

/* Alternatives up to the closing bracket (or the end); gives the number of counted repetitions inside. */
static guint
walk (Walk *w, guint depth)
{
  guint before = w->repeats;

  if (depth > DEPTH) {
    find (w, VC_GO_REGEX_FOREIGN, "groups nested too deeply");
    w->p += strlen (w->p);
    return 0;
  }
  walk_repetition (w, FALSE, FALSE, 0);
  while (*w->p != '\0' && *w->p != ')') {
    gboolean atom = TRUE, place = FALSE, set;
    guint inside = 0;

    switch (*w->p) {
    case '|':
      w->p++;
      atom = FALSE;
      break;
    case '^':
    case '$':
      place = TRUE;
      w->p++;
      break;
    case '[':
      walk_class (w);
      break;
    case '\\':
      w->p++;
      place = !walk_escape (w, FALSE, &set);
      break;
    case '(':
      w->p++;
      if (*w->p == '?') {
        w->p++;
        if (!walk_group_head (w)) {
          if (*w->p != '\0' && strchr ("*+?{", *w->p) != NULL)
            find (w, VC_GO_REGEX_FOREIGN, "a repetition behind flags");
          break;
        }
      }
      inside = walk (w, depth + 1);
      if (*w->p == ')')
        w->p++;
      else
        find (w, VC_GO_REGEX_BAD, "a group without ')'");
      break;
    default:
      w->p = g_utf8_next_char (w->p);
      break;
    }
    walk_repetition (w, atom, place, inside);
  }
  return w->repeats - before;
}

VcGoRegexKind
vc_go_regex_check (const char *pattern, const char **what)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Walk w = { .p = pattern, .names = names };

  if (!g_utf8_validate (pattern, -1, NULL))
    find (&w, VC_GO_REGEX_BAD, "bytes that are not UTF-8");
  else
    walk (&w, 0);
  if (w.kind != VC_GO_REGEX_BAD && *w.p == ')' )
    find (&w, VC_GO_REGEX_BAD, "a ')' without a group");
  if (w.kind == VC_GO_REGEX_GOOD) {
    g_autoptr (GRegex) probe = g_regex_new (pattern, G_REGEX_DOLLAR_ENDONLY, 0, NULL);
    if (probe == NULL)
      find (&w, VC_GO_REGEX_FOREIGN, "a construct that PCRE reads otherwise");
  }
  if (what != NULL)
    *what = w.what;
  return w.kind;
}

/* ---- matching ---------------------------------------------------------------------------------------- */

/* Text that every match has at the start: plain characters behind a leading '^', without alternatives anywhere. */
static void
find_prefix (VcGoRegex *r, const char *pattern)
{
  gsize n = 0;

  if (*pattern != '^' || strchr (pattern, '|') != NULL || strstr (pattern, "(?") != NULL)
    return;
  while (g_ascii_isalnum (pattern[1 + n]) || pattern[1 + n] == '-')
    n++;
  if (n > 0 && pattern[1 + n] != '\0' && strchr ("*?{", pattern[1 + n]) != NULL)
    n--; /* the last one may be missing */
  r->prefix = g_strndup (pattern + 1, n);
  r->n_prefix = n;
}

VcGoRegex *
vc_go_regex_new (const char *pattern)
{
  if (vc_go_regex_check (pattern, NULL) != VC_GO_REGEX_GOOD)
    return NULL;
  VcGoRegex *r = g_new0 (VcGoRegex, 1);
  r->regex = g_regex_new (pattern, G_REGEX_DOLLAR_ENDONLY | G_REGEX_OPTIMIZE, 0, NULL);
  find_prefix (r, pattern);
  return r;
}

void
vc_go_regex_free (VcGoRegex *r)
{
  if (r == NULL)
    return;
  g_regex_unref (r->regex);
  g_free (r->prefix);
  g_free (r);
}

gboolean
vc_go_regex_matches (const VcGoRegex *r, const char *text)
{
  if (r->prefix != NULL && strncmp (text, r->prefix, r->n_prefix) != 0)
    return FALSE;
  return g_regex_match_all (r->regex, text, 0, NULL); /* without backtracking: no pattern can take for ever */
}
