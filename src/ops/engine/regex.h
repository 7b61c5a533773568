/* regex.h - regular expressions in RE2's syntax, matched in time linear in the text.
 *
 * The specification of RegexFullMatch asks for RE2's syntax; POSIX expressions are another language and backtracking
 * matchers can be made to run for ever, so this is a small automaton of its own.  Understood: literals, escapes,
 * classes (ranges, negation, \d \s \w, [:alpha:] and kin), groups (also named and (?:…)), | * + ? {n,m} and their lazy
 * forms, ^ $ \A \z \b \B, and the flags i, m, s, U.  Case folding is that of ASCII letters.  \p{…}, \C and \Q…\E are
 * refused with ERR_UNSUPPORTED. */
#ifndef OPS_ENGINE_REGEX_H
#define OPS_ENGINE_REGEX_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct regex;

/* Compiles n bytes of pattern into the arena; NULL on failure, e says why. */
struct regex *regex_compile(struct arena *a, const char *pattern, size_t n, struct err *e);

/* 1 when the whole text matches.  Bytes that are no UTF-8 match nothing. */
int regex_full_match(struct regex *r, const char *text, size_t n);

#endif
