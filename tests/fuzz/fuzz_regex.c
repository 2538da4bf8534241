/*
 * A regular expression: a byte of flags, the pattern up to a byte 0xfe, a text.
 * It is refused where PCRE2 refuses it (or is too large); where it is taken as a
 * language, PCRE2 finds it in the text, in its parts and in the shortest members
 * exactly where the automaton does.
 */
#include "tests/fuzz/law.h"
#include "tests/lib/regex_oracle.h"

struct subject {
	struct oracle o;
	struct set_dfa d;
};

static void check(const struct subject *s, struct str text)
{
	int want = oracle_finds(&s->o, text);
	size_t n;

	if (want >= 0)
		LAW((set_dfa_run(&s->d, text, &n) != NULL) == want);
}

static void check_language(struct arena *a, struct subject *s, struct set_re *re,
			   struct str pattern, struct str text)
{
	struct set_bytes all = { { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };
	struct set_tagged t = { .re = re };
	struct str w = STR_NULL;
	size_t i;

	if (set_dfa_build(a, &t, 1, 5000, &s->d) != SET_HOLDS)
		return;
	check(s, STR_NULL);
	check(s, pattern);
	for (i = 0; i <= text.n && i < 64; i++) {
		check(s, str_sub(text, i, text.n - i));
		check(s, str_sub(text, 0, i));
	}
	(void)set_member(a, re, NULL, 1000, &w);
	check(s, w);
	check(s, str_cat(a, w, STR("\n")));
	check(s, str_cat(a, STR("x"), w));
	(void)set_included(a, set_star(a, set_class(a, all)), NULL, &t, 1, 1000, &w);
	check(s, w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *bytes = law_text(data, n);
	const char *end = n ? memchr(bytes + 1, 0xfe, n - 1) : NULL;
	size_t at = end ? (size_t)(end - bytes) : n, offset = SIZE_MAX;
	struct str pattern = { bytes + 1, n ? at - 1 : 0 };
	struct str text = { bytes + at + 1, end ? n - at - 1 : 0 };
	unsigned flags = n ? (unsigned)data[0] & 7 : 0;
	struct set_re *re = NULL;
	enum set_regex_status st;
	const char *why = NULL;
	struct subject s;
	struct arena a;

	if (!n)
		pattern.p = text.p = "";
	/* PCRE2 itself is quadratic in some patterns; the limit has a unit test */
	if (pattern.n > 4096 || text.n > 4096) {
		free(bytes);
		return 0;
	}
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	s.o = oracle_open(pattern, flags);
	st = set_from_regex(&a, pattern, flags, &re, &offset, &why);
	LAW((st == SET_REGEX_OK) == (re != NULL));
	LAW(st == SET_REGEX_OK || (why && *why && offset <= pattern.n));
	LAW(st != SET_REGEX_SYNTAX || !s.o.code);
	LAW(s.o.code || st == SET_REGEX_SYNTAX || st == SET_REGEX_LARGE);
	if (re)
		check_language(&a, &s, re, pattern, text);
	oracle_close(&s.o);
	arena_release(&a);
	free(bytes);
	return 0;
}
