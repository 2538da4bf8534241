/*
 * Regular expressions against PCRE2: what is taken as a language has exactly
 * the texts in which pcre2_match() finds the pattern, and
 * what is refused is what pcre2_compile() refuses.  SEED= and RUNS= in the
 * environment; a run is one pattern.
 */
#include <stdio.h>

#include "tests/lib/regex_oracle.h"
#include "tests/prop/random_regex.h"
#include "tests/prop/runs.h"

static struct {
	unsigned long status[4], found, not_found, gave_up, no_dfa, after;
} seen;

struct subject {
	struct rnd *r;
	struct oracle o;
	struct str pattern;
	unsigned flags;
	struct set_re *re;
	struct set_dfa d;
};

static bool fail(struct subject *s, const char *what, struct str text)
{
	printf("%s: flags %u, pattern \"%s\", text \"%s\"\n", what, s->flags,
	       oracle_show(s->r->a, s->pattern), oracle_show(s->r->a, text));
	return false;
}

static bool check_text(struct subject *s, struct str text)
{
	int want = oracle_finds(&s->o, text);
	size_t n;
	bool got = set_dfa_run(&s->d, text, &n) != NULL;

	if (want < 0) {
		seen.gave_up++;
		return true;
	}
	seen.found += want == 1;
	seen.not_found += want == 0;
	return got == (want == 1) ||
	       fail(s, want ? "PCRE2 finds" : "PCRE2 does not find", text);
}

/* set_after() of a byte takes what the whole takes behind that byte. */
static bool check_after(struct subject *s)
{
	char c = regex_alphabet[rnd_below(s->r, sizeof(regex_alphabet))];
	struct set_tagged t = { .re = set_after(s->r->a, s->re, (uint8_t)c) };
	struct set_dfa d;
	size_t n, i;

	if (set_dfa_build(s->r->a, &t, 1, 20000, &d) != SET_HOLDS)
		return true;
	for (i = 0; i < 5; i++) {
		struct str rest = random_text(s->r), head = { &c, 1 };
		struct str all = str_cat(s->r->a, head, rest);

		seen.after++;
		if (!set_dfa_run(&d, rest, &n) != !set_dfa_run(&s->d, all, &n))
			return fail(s, "set_after", all);
	}
	return true;
}

static bool check_language(struct subject *s)
{
	struct set_bytes all = { { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };
	struct set_re *any = set_star(s->r->a, set_class(s->r->a, all));
	struct set_tagged t = { .re = s->re, .tag = 1 };
	struct str in = STR_NULL, out = STR_NULL;
	int i;

	if (set_dfa_build(s->r->a, &t, 1, 20000, &s->d) != SET_HOLDS) {
		seen.no_dfa++;
		return true;
	}
	/* the shortest text that has it, the shortest that has not, and their
	 * neighbours */
	(void)set_member(s->r->a, s->re, NULL, 2000, &in);
	(void)set_included(s->r->a, any, NULL, &t, 1, 2000, &out);
	if (!check_text(s, in) || !check_text(s, out) || !check_after(s))
		return false;
	for (i = 0; i < 12; i++) {
		struct str x = near_text(s->r, in), y = near_text(s->r, out);

		if (!check_text(s, x) || !check_text(s, y) ||
		    !check_text(s, random_text(s->r)))
			return false;
		in = rnd_one_in(s->r, 2) ? x : in;
		out = rnd_one_in(s->r, 2) ? y : out;
	}
	return true;
}

static bool check_pattern(struct rnd *r)
{
	struct subject s = { .r = r, .flags = rnd_below(r, 8) };
	enum set_regex_status st;
	const char *why = NULL;
	size_t offset = SIZE_MAX;
	bool ok = true;

	s.pattern = random_regex(r, s.flags & SET_REGEX_X);
	s.o = oracle_open(s.pattern, s.flags);
	st = set_from_regex(r->a, s.pattern, s.flags, &s.re, &offset, &why);
	seen.status[st]++;
	if ((st == SET_REGEX_SYNTAX) != !s.o.code)
		ok = fail(&s, "what PCRE2 says of the syntax", STR_NULL);
	else if (st != SET_REGEX_OK)
		ok = (why && *why && offset <= s.pattern.n) ||
		     fail(&s, "no reason", STR_NULL);
	else
		ok = check_language(&s);
	oracle_close(&s.o);
	return ok;
}

int main(void)
{
	unsigned long n;

	if (!prop_runs(10000, check_pattern, &n))
		return 1;
	printf("patterns: %lu taken, %lu opaque, %lu refused, %lu large, %lu without "
	       "automaton\n",
	       seen.status[SET_REGEX_OK], seen.status[SET_REGEX_OPAQUE],
	       seen.status[SET_REGEX_SYNTAX], seen.status[SET_REGEX_LARGE],
	       seen.no_dfa);
	printf("texts: %lu found, %lu not found, %lu given up by PCRE2; after: %lu\n",
	       seen.found, seen.not_found, seen.gave_up, seen.after);
	if (n >= 1000 &&
	    (seen.status[SET_REGEX_OK] < n / 3 || !seen.status[SET_REGEX_OPAQUE] ||
	     !seen.status[SET_REGEX_SYNTAX] || seen.found < n || seen.not_found < n ||
	     seen.no_dfa > n / 20)) {
		printf("FAIL: too little was compared\n");
		return 1;
	}
	printf("1 passed, 0 failed, 0 skipped\n");
	return 0;
}
