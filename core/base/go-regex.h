/* core/base/go-regex.h - regular expressions of Go (RE2's syntax), asked whether they match anywhere in a short text.
 *
 * The patterns that Go's regexp and PCRE read alike are matched by GRegex. Of the others some are errors in Go, and some are Go's own:
 * those are told apart, so that a caller can treat an error as Go does and refuse the rest by name.
 * Mirrors regexp/syntax/parse.go (flags Perl) as far as that decision goes. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef enum {
  VC_GO_REGEX_GOOD,   /* the same in Go and here */
  VC_GO_REGEX_BAD,    /* Go refuses it */
  VC_GO_REGEX_FOREIGN /* Go may take it, volsim does not */
} VcGoRegexKind;
/** What @pattern is; unless it is good, *what (nullable) names the construct that decides. Static. */
VcGoRegexKind vc_go_regex_check (const char *pattern, const char **what);

typedef struct VcGoRegex VcGoRegex;
/** NULL unless vc_go_regex_check() calls the pattern good. (transfer full) */
VcGoRegex *vc_go_regex_new (const char *pattern);
void vc_go_regex_free (VcGoRegex *r);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VcGoRegex, vc_go_regex_free)
/** MatchString: is there a match anywhere in @text? Time grows linearly with the text. */
gboolean vc_go_regex_matches (const VcGoRegex *r, const char *text);

G_END_DECLS
