/*
 * Searches with a regular expression that is not an automaton. PCRE2 does this in memory
 * that the caller provides. The decision library and the reference evaluator both use
 * this, so that options and limits, which affect answers, are the same.
 *
 * It works on bytes, without UTF, and with PCRE2's interpreter. Start and possessive
 * optimisations are off (they change answers of PCRE2 10.42). A search has a budget of
 * steps, linear in the text, and a fixed budget of memory.
 */
#ifndef RUNTIME_BASE_REGEX_H
#define RUNTIME_BASE_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum regex_flag {
	REGEX_CASELESS = 1,
	REGEX_EXTENDED = 2,
	REGEX_END_ONLY = 4 /* '$' matches only the very end, not before a last newline */
};

enum regex_says {
	REGEX_NO,
	REGEX_YES,
	REGEX_UNKNOWN /* a limit was exceeded, or any other error */
};

/* Size in bytes of the room for an expression of n bytes. */
size_t regex_room(size_t n);
/*
 * Compiles the expression once, in the room (8-byte aligned, regex_room() bytes), and
 * searches 1 to `count` texts. yes: one of them has a match; else unknown, if the answer
 * for one of them is unknown. *ret_steps: the cost, in steps of about 20 ns.
 */
struct regex_text { const char *p; size_t n; };
enum regex_says regex_search(const struct regex_text *re, unsigned flags, void *room,
			     size_t size, const struct regex_text *texts, size_t count,
			     uint64_t *ret_steps);
/*
 * Each text is only the prefix of a longer one. no: the expression is anchored (`^`), and no text
 * with one of these prefixes has a match; else unknown.
 */
enum regex_says regex_search_prefixes(const struct regex_text *re, unsigned flags, void *room,
					size_t size, const struct regex_text *texts, size_t count,
					uint64_t *ret_steps);

#endif
