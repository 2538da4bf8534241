/*
 * Regular expressions (PCRE2 syntax) as languages: the set of whole texts in which a
 * search succeeds.
 *
 * The meaning is that of the interpreter, pcre2_match() of PCRE2 10.42 without JIT and
 * without PCRE2_UTF.  The code is compiled with the newline LF, PCRE2_BSR_UNICODE, the
 * built-in tables, the options PCRE2_NEVER_UTF | PCRE2_NEVER_UCP, and those of the
 * flags below.  Texts are bytes of any value.  (The JIT of 10.42 misses matches, for
 * example /(?:Z|)a*z/ in "z", unless the pattern is compiled with
 * PCRE2_NO_START_OPTIMIZE.)
 *
 * We give a language only if it has exactly that meaning.  Everything else that PCRE2
 * accepts is SET_REGEX_OPAQUE: back-references, look-around, atomic groups and
 * possessive quantifiers, recursion, conditions, callouts, verbs, \K \G \C \X, Unicode
 * properties, syntax that different releases of PCRE2 read differently, and what 10.42
 * itself gets wrong (/\S?\R/ and /(?:|\A){0}a/, see regex_parse.c).  \b \B ^ $ \A \z \Z
 * and \R are exact.
 *
 * Time and memory are bounded by the constants of regex_limits.h, and linear in the edges of the
 * automaton.
 */
#ifndef COMPILER_SETS_REGEX_H
#define COMPILER_SETS_REGEX_H

#include "compiler/sets/automaton.h"
#include "compiler/sets/regex_limits.h"

enum set_regex_status {
	SET_REGEX_OK,
	SET_REGEX_OPAQUE, /* PCRE2 accepts it, but we have no automaton for it */
	SET_REGEX_SYNTAX, /* PCRE2 refuses it */
	SET_REGEX_LARGE   /* past a limit of PCRE2 or of ours */
};

enum set_regex_flag {
	SET_REGEX_I = 1,         /* PCRE2_CASELESS */
	SET_REGEX_X = 2,         /* PCRE2_EXTENDED */
	SET_REGEX_DOLLAR_END = 4 /* PCRE2_DOLLAR_ENDONLY: `$` is only the very end */
};

/*
 * OK: *ret_re is the language, in the arena.  Otherwise *ret_offset is the place in the
 * pattern, and *ret_why a short text, in the arena or constant: PCRE2's message, or the
 * name of what is not regular or too large.
 */
enum set_regex_status set_from_regex(struct arena *a, struct str pattern,
				     unsigned flags, struct set_re **ret_re,
				     size_t *ret_offset, const char **ret_why);

#endif
