/*
 * Regular expressions that are opaque, refused or too large, that nothing is slow or
 * deep, and languages that are small or stand inside of others.
 */
#include <time.h>

#include "tests/unit/regex_fixture.h"

/* --- what is not taken -------------------------------------------------------------- --- */

static const struct {
	unsigned flags;
	const char *pattern, *why;
	size_t offset;
} opaque[] = {
	{ 0, "(a)\\1", "a back-reference", 3 },
	{ 0, "(?<n>a)\\k<n>", "a back-reference", 7 },
	{ 0, "(?P<n>a)(?P=n)", "a back-reference", 8 },
	{ 0, "(a)\\g{-1}", "a back-reference or a recursion", 3 },
	{ 0, "\\12", "a back-reference",
	  0 }, /* octal, as long as there is no group 12 */
	{ 0, "a(?=b)", "look-around", 1 },
	{ 0, "a(?!b)", "look-around", 1 },
	{ 0, "(?<=a)b", "look-around", 0 },
	{ 0, "(?<!a)b", "look-around", 0 },
	{ 0, "[[:<:]]a", "look-around", 0 },
	{ 0, "a[[:>:]]", "look-around", 1 },
	{ 0, "(*pla:b)", "a verb or an assertion by name", 0 },
	{ 0, "a(*FAIL)", "a verb or an assertion by name", 1 },
	{ 0, "(*CRLF)a$", "a verb or an assertion by name", 0 },
	{ 0, "(*LIMIT_MATCH=1)a", "a verb or an assertion by name", 0 },
	{ 0, "(?>a*)a", "an atomic group", 0 },
	{ 0, "a*+a", "a possessive quantifier", 2 },
	{ 0, "a++", "a possessive quantifier", 2 },
	{ 0, "a?+a", "a possessive quantifier", 2 },
	{ 0, "a{2}+a", "a possessive quantifier", 4 },
	{ X, "a + +a", "a possessive quantifier", 4 },
	{ 0, "(a(?R)?b)", "a recursion", 2 },
	{ 0, "(a)(?1)", "a recursion", 3 },
	{ 0, "(a)(?-1)", "a recursion", 3 },
	{ 0, "(?<n>a)(?&n)", "a recursion", 7 },
	{ 0, "(?<n>a)(?P>n)", "a recursion", 7 },
	{ 0, "(a)?(?(1)b|c)", "a condition", 4 },
	{ 0, "a(?C1)b", "a callout", 1 },
	{ 0, "a\\Kb", "\\K", 1 },
	{ 0, "\\Ga", "\\G", 0 },
	{ 0, "a\\C", "\\C", 1 },
	{ 0, "\\X", "\\X", 0 },
	{ 0, "\\pL", "a Unicode property", 0 },
	{ 0, "a\\P{Lu}", "a Unicode property", 1 },
	{ 0, "[\\pL]", "this item of a class", 1 },
	{ 0, "[\\1]", "this item of a class", 1 },
	{ 0, "[[:]", "this item of a class", 1 },
	{ 0, "a{,3}", "a '{' that releases of PCRE2 read differently", 1 },
	{ 0, "a{ 1, 2 }", "a '{' that releases of PCRE2 read differently", 1 },
	{ 0, "(?:|\\A){0}a", "a group that is repeated no times", 7 },
	{ 0, "\\S?\\R", "\\R, \\h or \\v beside a repetition, which PCRE2 misreads",
	  0 },
	{ 0, ".+\\R", "\\R, \\h or \\v beside a repetition, which PCRE2 misreads", 0 },
	{ 0, "\\h*\\S", "\\R, \\h or \\v beside a repetition, which PCRE2 misreads",
	  0 },
	{ X, "a\x85", "a byte 0x85 that is white space to some builds of PCRE2", 1 },
};

static void test_what_is_no_language_is_opaque(void **state)
{
	size_t i, offset;

	(void)state;
	for (i = 0; i < POL_LEN(opaque); i++) {
		struct set_re *re = NULL;
		const char *why = "nothing";

		if (set_from_regex(&arena, str_from(opaque[i].pattern), opaque[i].flags,
				   &re, &offset, &why) != SET_REGEX_OPAQUE ||
		    strcmp(why, opaque[i].why) != 0 || offset != opaque[i].offset || re)
			fail_msg("/%s/: \"%s\" at %zu", opaque[i].pattern, why, offset);
	}
}

static void test_syntax_errors_are_those_of_pcre2(void **state)
{
	static const char *const bad[] = {
		"(",
		"a)",
		"[a",
		"*a",
		"a**",
		"\\",
		"(?<n",
		"a{2,1}",
		"a{65536}",
		"[b-a]",
		"[[:foo:]]",
		"[\\d-z]",
		"(?z)",
		"\\p{Nope}",
		"\\x{100}",
		"\\400",
		"(?P<n>a)(?P<n>b)",
		"^*",
		"\\b+",
		"(?<=a+)b",
		"(*UTF)a",
		"(*UCP)a",
		"(*NOPE)",
		"\\u0041",
		"\\N{U+41}",
		"(?#",
		"(a)(?2)",
		"\\k<x>",
	};
	size_t i, offset;

	(void)state;
	for (i = 0; i < POL_LEN(bad); i++) {
		struct oracle o = oracle_open(str_from(bad[i]), 0);
		struct set_re *re = NULL;
		const char *why = "nothing";
		char text[256];

		assert_null(o.code);
		(void)pcre2_get_error_message(o.error, (PCRE2_UCHAR *)text,
					      sizeof(text));
		if (set_from_regex(&arena, str_from(bad[i]), 0, &re, &offset, &why) !=
			    SET_REGEX_SYNTAX ||
		    strcmp(why, text) != 0 || offset != o.offset || re)
			fail_msg("/%s/: \"%s\" at %zu", bad[i], why, offset);
		oracle_close(&o);
	}
}

/* --- limits ---------------------------------------------------------------- */

static struct str repeated(const char *z, size_t n, const char *end)
{
	struct buf b;

	buf_init(&b, &arena);
	while (n--)
		buf_z(&b, z);
	buf_z(&b, end);
	return buf_view(&b);
}

static enum set_regex_status status_in_time(struct str pattern)
{
	struct set_re *re = NULL;
	const char *why = NULL;
	size_t offset;
	clock_t start = clock();
	enum set_regex_status s =
		set_from_regex(&arena, pattern, 0, &re, &offset, &why);

	/* a sanitizer takes ten times as long; without a bound it would be hours */
	assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
	assert_true((s == SET_REGEX_OK) == (re != NULL));
	assert_true(s == SET_REGEX_OK || (why && *why));
	return s;
}

static void test_deep_patterns(void **state)
{
	struct str deep =
		str_cat(&arena, repeated("(", 250, "a"), repeated(")", 250, ""));
	struct set_dfa d = automaton(deep, 0);

	(void)state;
	assert_true(takes(&d, STR("xa")));
	assert_false(takes(&d, STR("x")));
	deep = str_cat(&arena, repeated("(", 251, "a"), repeated(")", 251, ""));
	assert_int_equal(status_in_time(deep), SET_REGEX_LARGE);
	deep = str_cat(&arena, repeated("(", 10000, "a"), repeated(")", 10000, ""));
	assert_int_equal(status_in_time(deep), SET_REGEX_LARGE);
	assert_int_equal(status_in_time(repeated("(", 10000, "")), SET_REGEX_LARGE);
	assert_int_equal(status_in_time(repeated("(?:", 10000, "")), SET_REGEX_LARGE);
	assert_int_equal(status_in_time(repeated("[", 10000, "")), SET_REGEX_SYNTAX);
	deep = str_cat(&arena, repeated("(?:a|", 249, "b"), repeated(")*", 249, ""));
	assert_int_not_equal(status_in_time(deep), SET_REGEX_SYNTAX);
}

static void test_large_patterns(void **state)
{
	struct str p;

	(void)state;
	assert_int_equal(status_in_time(STR("(?:a{100}){100}")), SET_REGEX_OK);
	assert_int_equal(status_in_time(STR("(?:a{1000}){1000}")), SET_REGEX_LARGE);
	assert_int_equal(status_in_time(STR("((a{0,255}){0,255}){0,255}")),
			 SET_REGEX_LARGE);
	assert_int_equal(status_in_time(STR("a{65535}")), SET_REGEX_LARGE);
	assert_int_equal(status_in_time(STR("(?:(?:){65535}){65535}")),
			 SET_REGEX_LARGE);
	assert_int_equal(status_in_time(STR("(?:(?:a?){999}\\b){20}")),
			 SET_REGEX_LARGE);
	assert_int_equal(status_in_time(repeated("a", SET_REGEX_MAX_PATTERN / 2, "")),
			 SET_REGEX_OK);
	assert_int_equal(status_in_time(repeated("a", SET_REGEX_MAX_PATTERN + 1, "")),
			 SET_REGEX_LARGE);
	assert_int_equal(status_in_time(repeated("a?", 10000, "b")), SET_REGEX_LARGE);
	assert_int_equal(status_in_time(repeated("\\b", 10000, "")), SET_REGEX_OK);
	assert_int_equal(status_in_time(repeated("(?:", 200, "")), SET_REGEX_SYNTAX);
	/* each of a thousand alternatives may follow each */
	p = str_cat(&arena, STR("(?:"), repeated("ab|", 1000, "c)*d"));
	assert_int_equal(status_in_time(p), SET_REGEX_LARGE);
	p = str_cat(&arena, STR("^(?:"), repeated("ab|", 1000, "c)d"));
	assert_int_equal(status_in_time(p), SET_REGEX_OK);
}

/* Few states, but each of thousands of positions: no answer, and no end by memory. */
static void test_an_automaton_too_large_is_undecided(void **state)
{
	struct set_tagged t = { .re = language(STR(".{25000}"), 0) };
	struct set_dfa d = { .nstates = 77 };

	(void)state;
	assert_int_equal(set_dfa_build(&arena, &t, 1, 262144, &d), SET_UNDECIDED);
	assert_int_equal(d.nstates, 77);
}

static void test_bytes_of_any_value(void **state)
{
	struct set_dfa d = automaton((struct str){ "^a\0b\\x00[\0-\1]$", 14 }, 0);
	struct set_dfa high = automaton(STR("^\xc3\xa4+$"), I);

	(void)state;
	assert_true(takes(&d, (struct str){ "a\0b\0\0", 5 }));
	assert_true(takes(&d, (struct str){ "a\0b\0\1", 5 }));
	assert_false(takes(&d, (struct str){ "a\0b\0\2", 5 }));
	assert_true(takes(&high, STR("\xc3\xa4\xa4")));
	assert_false(takes(&high, STR("\xc3\xa4\xc3\xa4")));
	assert_false(takes(&high, STR("\xc3\x84")));
	assert_int_equal(status_in_time(STR_NULL), SET_REGEX_OK);
}

/* What nothing can match is the empty set, so that sets of sets stay small. */
static void test_what_matches_nothing_is_empty(void **state)
{
	static const char *const none[] = { "a^",           "$a",        "\\b\\B",
					    "a\\Bb\\b\\Bc", "[^\\d\\D]", "a\\bb" };
	size_t i;

	(void)state;
	for (i = 0; i < POL_LEN(none); i++)
		assert_int_equal(language(str_from(none[i]), 0)->op, SET_EMPTY);
	assert_int_equal(language(STR("^\\z"), 0)->op, SET_EPS);
}

/* What cannot change the answer any more takes no positions. */
static void test_few_positions(void **state)
{
	struct set_re *re = language(STR("^ab|^cd"), 0);

	(void)state;
	/* before, "a", behind */
	assert_int_equal(language(STR("a(?:bcd)?"), 0)->graph->n, 3);
	assert_int_equal(language(STR("a(?:|bcd)"), 0)->graph->n, 3);
	/* an anchored pattern has no loop before it */
	assert_int_equal(re->graph->n, 5);
	assert_int_equal(set_after(&arena, re, 'a')->graph->n, 2);
	/* two kinds of each byte but of "a" and "b" */
	assert_int_equal(language(STR("a\\b.*\\bb"), 0)->graph->n, 2 + 2 * 3);
}

/* A graph stands in other expressions as any other. */
static void test_inside_of_other_expressions(void **state)
{
	struct set_re *re = language(STR("^a\\b"), 0), *after;
	struct set_tagged t = {
		.re = set_star(&arena, set_cat(&arena, re, set_byte(&arena, ';')))
	};
	struct set_dfa d;
	struct str w;

	(void)state;
	assert_int_equal(set_dfa_build(&arena, &t, 1, 1000, &d), SET_HOLDS);
	assert_true(takes(&d, STR("")));
	assert_true(takes(&d, STR("a;a b;")));
	assert_false(takes(&d, STR("ab;a;")));
	after = set_after(&arena, re, 'a');
	t.re = after;
	assert_int_equal(set_dfa_build(&arena, &t, 1, 1000, &d), SET_HOLDS);
	assert_true(takes(&d, STR("")));
	assert_true(takes(&d, STR("-b")));
	assert_false(takes(&d, STR("b")));
	assert_int_equal(set_after(&arena, re, 'b')->op, SET_EMPTY);
	/* inclusion, with a witness: /rm/ holds in more texts than /\brm\b/ */
	t.re = language(STR("\\brm\\b"), 0);
	assert_int_equal(
		set_included(&arena, language(STR("rm"), 0), NULL, &t, 1, 10000, &w),
		SET_WITNESS);
	assert_int_equal(w.n, 3);
	t.re = language(STR("rm"), 0);
	assert_int_equal(set_included(&arena, language(STR("\\brm\\b"), 0), NULL, &t, 1,
				      10000, &w),
			 SET_HOLDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_what_is_no_language_is_opaque),
		WITH(arena, test_syntax_errors_are_those_of_pcre2),
		WITH(arena, test_deep_patterns),
		WITH(arena, test_large_patterns),
		WITH(arena, test_an_automaton_too_large_is_undecided),
		WITH(arena, test_bytes_of_any_value),
		WITH(arena, test_what_matches_nothing_is_empty),
		WITH(arena, test_few_positions),
		WITH(arena, test_inside_of_other_expressions),
	};

	return cmocka_run_group_tests_name("regex limits", tests, NULL, NULL);
}
