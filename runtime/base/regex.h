/*
 * A regular expression that is no automaton, searched by PCRE2 in memory that
 * the caller gives.  The decision library and the reference evaluator search
 * with this, so that options and limits, which show in answers, are the same.
 *
 * Bytes, no UTF; the interpreter, whose start and possessive optimisations are
 * off (they show in answers of PCRE2 10.42).  A search has a budget of steps,
 * linear in the text, and a fixed one of memory.
 */
#ifndef RUNTIME_BASE_REGEX_H
#define RUNTIME_BASE_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum regex_flag {
	REGEX_CASELESS = 1,
	REGEX_EXTENDED = 2,
	REGEX_END_ONLY = 4 /* '$' is the very end, not before a last newline too */
};

enum regex_says {
	REGEX_NO,
	REGEX_YES,
	REGEX_UNKNOWN /* past a limit, or any other error */
};

/* Bytes of the room that an expression of n bytes gets. */
size_t regex_room(size_t n);
/*
 * Searches one to `count` texts, compiled once in the room (8-byte aligned, of
 * regex_room() bytes): yes if one of them has a match, else unknown if that is
 * so of one.  *ret_steps: what it took, more or less 20 ns each.
 */
struct regex_text { const char *p; size_t n; };
enum regex_says regex_search(const struct regex_text *re, unsigned flags, void *room,
			     size_t size, const struct regex_text *texts, size_t count,
			     uint64_t *ret_steps);

#endif
