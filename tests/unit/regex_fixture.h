/* Regular expressions as languages, for the tests of them by hand. */
#ifndef TESTS_UNIT_REGEX_FIXTURE_H
#define TESTS_UNIT_REGEX_FIXTURE_H

#include "compiler/base/buf.h"
#include "tests/lib/regex_oracle.h"
#include "tests/unit/fixture.h"

#define I SET_REGEX_I
#define X SET_REGEX_X
#define D SET_REGEX_DOLLAR_END

static inline struct set_re *language(struct str pattern, unsigned flags)
{
	struct set_re *re = NULL;
	const char *why = "";
	size_t offset;
	enum set_regex_status s =
		set_from_regex(&arena, pattern, flags, &re, &offset, &why);

	if (s != SET_REGEX_OK)
		print_message("/%.*s/: %s\n", STR_ARG(pattern), why);
	assert_int_equal(s, SET_REGEX_OK);
	return re;
}

static inline struct set_dfa automaton(struct str pattern, unsigned flags)
{
	struct set_tagged t = { .re = language(pattern, flags) };
	struct set_dfa d;

	assert_int_equal(set_dfa_build(&arena, &t, 1, 100000, &d), SET_HOLDS);
	return d;
}

static inline bool takes(const struct set_dfa *d, struct str text)
{
	size_t n;

	return set_dfa_run(d, text, &n) != NULL;
}

#endif
