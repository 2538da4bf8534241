/*
 * Regular expressions as languages, by hand: each construct with texts in and
 * out, every byte of every set.  PCRE2 confirms each expectation.
 */
#include "tests/unit/regex_fixture.h"

/* --- a table of patterns --------------------------------------------------- */

/* Texts in '/', which no text here holds: found in `in`, not found in `out`. */
struct row {
	unsigned flags;
	const char *pattern, *in, *out;
};

static const struct row rows[] = {
	/* it is searched, not matched as a whole */
	{ 0, "rm", "rm/xrm/rmx/a rm b", "r/m/r m/" },
	{ 0, "", "/x", NULL },
	{ 0, "a|", "/b", NULL },
	{ 0, "^(a|)$", "/a", "b/aa" },
	{ 0, "^(?:|a|b)c$", "c/ac/bc", "a/abc" },
	{ 0, "a.c", "abc/a c/xaccx", "a\nc/ac" },
	{ 0, "(?s)a.c", "a\nc/abc", "ac" },
	{ 0, "a\\Nc", "abc", "a\nc" },
	{ 0, "(?s)a\\Nc", "abc", "a\nc" },
	/* ends of the text */
	{ 0, "^a", "a/ab", "ba/\na" },
	{ 0, "a$", "a/ba/a\n", "ab/a\nb/a\n\n" },
	{ D, "a$", "a/ba", "ab/a\n" },
	{ D, "a\\Z", "a/ba/a\n", "ab/a\nb" },
	{ 0, "a\\z", "a/ba", "a\n" },
	{ 0, "\\Aa", "a/ab", "ba" },
	{ 0, "^$", "/\n", "a/\n\n/\na" },
	{ D, "^$", "", "\n/a" },
	{ 0, "^a$\n", "a\n", "a/a\nb/a\n\n" },
	{ 0, "$\n$", "\n/a\n/\n\n", "/a/\nb" },
	{ 0, "$^", "/\n", "a" },
	{ 0, "a^", NULL, "/a/aa" },
	{ 0, "$a", NULL, "/a/a\na" },
	{ 0, "(?m)^a", "a/b\na/\na", "ba/b\nca" },
	{ 0, "(?m)a$", "a/a\nb/a\n\n", "ab" },
	{ D, "(?m)a$", "a/a\nb", "ab" },
	{ 0, "(?m)a\n^", "a\nb/a\n\n", "a\n/a" },
	{ 0, "(?m)a\\Z", "a/a\n", "a\nb" },
	{ 0, "(?:^|b)a", "a/ba/cba", "ca" },
	{ 0, "(?:^a|b)*$", "/x", NULL },
	{ 0, "x(?:^a|b)*y", "xy/xby/xbby", "xay/xbay" },
	/* edges of words */
	{ 0, "\\brm\\b", "rm/a rm b/-rm-/rm\n", "xrm/rmx/_rm/rm1/rm_" },
	{ 0, "\\Brm\\B", "xrmx/1rm_", "rm/xrm/rmx/ rm " },
	{ 0, "\\b", "a/ a / a", "/ /-/\n" },
	{ 0, "\\B", "/ /aa/--/a-b-", "a" },
	{ 0, "^\\B$", "/\n", "a/-" },
	{ 0, "\\b\\B", NULL, "/a/ /a b" },
	{ 0, "a\\b.", "a-b/a b", "ab/a/a\n" },
	{ 0, "a\\b$", "a/a\n", "ab/a-" },
	{ 0, "(\\b)*a", "a/ba", "/b" },
	{ 0, "(?:\\ba|-)+!", "a!/-a!/a-!/--!/aa-!", "aa!/!" },
	/* quantifiers */
	{ 0, "^a{2,3}$", "aa/aaa", "/a/aaaa" },
	{ 0, "^a{2}$", "aa", "a/aaa" },
	{ 0, "^a{2,}$", "aa/aaaaa", "a" },
	{ 0, "^a{0}b$", "b", "ab" },
	{ 0, "^a{0,2}b$", "b/ab/aab", "aaab" },
	{ 0, "^a*?b+?c??$", "b/aabbc", "a/ac" },
	{ 0, "^(?:a{2}){2}$", "aaaa", "aa/aaa/aaaaa" },
	{ 0, "^(?:(?:a|b)*c)*$", "/c/abc/cc/acbc", "a/ca" },
	{ 0, "^(?:(?:a*)*)*$", "/aaa", "b" },
	{ 0, "^(?:a?){3}$", "/a/aa/aaa", "aaaa" },
	{ 0, "^(?:|a)+b$", "b/ab/aab", "a" },
	{ 0, "a{,x}", "a{,x}", "a" },
	{ 0, "^a{2$", "a{2", "aa" },
	{ 0, "^x{a}$", "x{a}", "x" },
	{ X, "^a +$", "a/aa", "/a " },
	{ X, "^a # more\n + (?#)? b$", "ab/aab", "b" },
	/* classes */
	{ 0, "^[a-c]$", "a/b/c", "d/-" },
	{ 0, "^[^a-c]$", "d/-/\n", "a/" },
	{ 0, "^[]a]$", "]/a", "[" },
	{ 0, "^[^]a]$", "b/[", "]/a" },
	{ 0, "^[a-]$", "a/-", "b" },
	{ 0, "^[-a]$", "a/-", "b" },
	{ 0, "^[a\\-c]$", "a/-/c", "b" },
	{ 0, "^[+--]$", "+/,/-", "." },
	{ 0, "^[\\d-]$", "0/9/-", "a" },
	{ 0, "^[[:alpha:]_]$", "a/Z/_", "0/[/:" },
	{ 0, "^[[:^alpha:]]$", "0/-", "a/Z" },
	{ 0, "^[\\Qa-c\\E]$", "a/-/c", "b" },
	{ 0, "^[\\Q]\\E]$", "]", "Q/E" },
	{ 0, "^[\\x41-\\x43\\n]$", "A/B/C/\n", "D/n" },
	{ 0, "^[\\b]$", "\b", "b" },
	{ 0, "^[a&&b]$", "a/&/b", "c" },
	{ I, "^[a-c]$", "a/B/C", "d/D" },
	{ I, "^[^a]$", "b", "a/A" },
	{ I, "^[Z-a]$", "z/Z/a/A/_/[", "b/Y" },
	{ I, "^[[:upper:]]$", "a/A", "1" },
	{ I, "^[[:^lower:]]$", "1", "a/A" },
	/* case, options and their reach */
	{ I, "rM", "rm/RM/xRm", "r" },
	{ 0, "(?i)rm", "RM", "r" },
	{ 0, "^(?i:r)m$", "rm/Rm", "RM/rM" },
	{ 0, "^(a(?i)b|c)d$", "aBd/Cd/cd", "ABd/abD" },
	{ I, "^a(?-i)b$", "ab/Ab", "aB" },
	{ I, "^(?^:a)b$", "aB/ab", "Ab" },
	{ 0, "^(?x) a b (?-x) c$", "ab c", "abc" },
	{ 0, "^(?xx) [a b] $", "a/b", " /c" },
	{ 0, "^(?xx) (?x) [a b] $", "a/b/ ", "c" },
	{ 0, "^(?xx) (?-x)[a b]$", "a/b/ ", "c" },
	{ D, "(?^)a$", "a/ba", "a\n" },
	{ X, "^ a [ ] b\\ c $ # that is all", "a b c", "abc/ab c" },
	{ X, "a#b", "a", "b" },
	{ 0, "^a(?#no)b$", "ab", "a(?#no)b" },
	/* groups, names, quotes, escapes */
	{ 0, "^(?<n>a)(?P<m>b)(?'o'c)(?|d|(e))$", "abcd/abce", "abc" },
	{ 0, "^\\Qa.b|c\\E+$", "a.b|c/a.b|cc", "axb" },
	{ 0, "^\\Qa.b$", NULL, "a.b" },
	{ 0, "\\Qa.b$", "a.b$", "a.b" },
	{ 0, "^a\\E+\\Q\\E?b$", "ab/aab", "b" },
	{ 0, "^\\x41\\x{42}\\o{104}\\t\\cJ$", "ABD\t\n", "ABD" },
	{ 0, "^a\\Rb$",
	  "a\nb/a\r\nb/a\rb/a\x85"
	  "b/a\fb",
	  "ab/a\n\nb/a\n\rb" },
	{ 0, "a\\R\n", "a\n\n/a\r\n\n", "a\r\n" },
	{ 0, "^\\R{2}$", "\n\n/\r\n\r\n/\r\r\n", "\r\n" },
	{ 0, "\\d{3}-\\d{4}", "555-1234/x555-1234x", "55-1234" },
};

static void check_texts(const struct row *r, const struct set_dfa *d,
			const struct oracle *o, const char *texts, bool want)
{
	while (texts) {
		const char *end = strchrnul(texts, '/');
		struct str text = { texts, (size_t)(end - texts) };

		if (oracle_finds(o, text) != want)
			fail_msg("PCRE2 differs from the row: /%s/ on \"%s\"",
				 r->pattern, oracle_show(&arena, text));
		if (takes(d, text) != want)
			fail_msg("/%s/ on \"%s\"", r->pattern,
				 oracle_show(&arena, text));
		texts = *end ? end + 1 : NULL;
	}
}

static void test_constructs(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct oracle o;
		struct set_dfa d;

		o = oracle_open(str_from(r->pattern), r->flags);
		assert_non_null(o.code);
		d = automaton(str_from(r->pattern), r->flags);
		check_texts(r, &d, &o, r->in, true);
		check_texts(r, &d, &o, r->out, false);
		oracle_close(&o);
	}
}

/* --- every byte of every set ----------------------------------------------- */

static const char *const sets[] = {
	".",
	"\\d",
	"\\D",
	"\\w",
	"\\W",
	"\\s",
	"\\S",
	"\\h",
	"\\H",
	"\\v",
	"\\V",
	"\\N",
	"\\R",
	"[[:alpha:]]",
	"[[:lower:]]",
	"[[:upper:]]",
	"[[:alnum:]]",
	"[[:ascii:]]",
	"[[:blank:]]",
	"[[:cntrl:]]",
	"[[:digit:]]",
	"[[:graph:]]",
	"[[:print:]]",
	"[[:punct:]]",
	"[[:space:]]",
	"[[:word:]]",
	"[[:xdigit:]]",
	"[[:^alpha:]]",
	"[[:^print:]]",
	"[[:^space:]]",
	"[^\\W\\d]",
	"[\\h\\v]",
	"[\\H]",
	"[\\V]",
	"[\\S]",
	"[\\D]",
	"[\\W]",
	"[^\\s]",
	"a",
	"[^a]",
	"[a-z]",
	"\\x85",
	"\\xa0",
	"\\xe0",
	"[\\xc0-\\xff]",
	" ",
	"\\n",
	"\\r",
	"(?s:.)",
	"_",
	"-",
	"[^\\n]",
};

static void test_every_byte_of_every_set(void **state)
{
	size_t i;
	unsigned f, c;

	(void)state;
	for (i = 0; i < POL_LEN(sets); i++) {
		struct str pattern = str_printf(&arena, "^%s\\z", sets[i]);

		for (f = 0; f < 2; f++) {
			struct oracle o = oracle_open(pattern, f);
			struct set_dfa d = automaton(pattern, f);

			for (c = 0; c < 256; c++) {
				char b = (char)c;
				struct str text = { &b, 1 };

				if (takes(&d, text) != oracle_finds(&o, text))
					fail_msg("/%s/%s: byte %02x", sets[i],
						 f ? "i" : "", c);
			}
			oracle_close(&o);
		}
	}
}

static void test_every_escape(void **state)
{
	unsigned c;

	(void)state;
	for (c = 0; c < 256; c++) {
		char p[3] = { '\\', (char)c, 0 };
		struct str pattern = { p, 2 };
		struct oracle o = oracle_open(pattern, 0);
		struct set_re *re;
		const char *why;
		size_t offset, i;
		enum set_regex_status s =
			set_from_regex(&arena, pattern, 0, &re, &offset, &why);
		struct set_tagged t = { .re = re };
		struct set_dfa d;

		assert_int_equal(s == SET_REGEX_SYNTAX, !o.code);
		for (i = 0; s == SET_REGEX_OK && i < 256; i++) {
			char b = (char)i;
			struct str text = { &b, 1 };

			assert_int_equal(set_dfa_build(&arena, &t, 1, 1000, &d),
					 SET_HOLDS);
			assert_int_equal(takes(&d, text), oracle_finds(&o, text));
		}
		oracle_close(&o);
	}
}

/* Two sets in a row with a quantifier, "@" and "%" being the first and the second. */
static struct str pair_of(const char *shape, const char *first, const char *second)
{
	struct buf b;

	buf_init(&b, &arena);
	for (; *shape; shape++) {
		if (*shape == '@')
			buf_z(&b, first);
		else if (*shape == '%')
			buf_z(&b, second);
		else
			buf_ch(&b, *shape);
	}
	return buf_view(&b);
}

/* One byte of any value, two bytes that some set or its case tells apart. */
static void check_pair(struct str pattern, struct set_re *re)
{
	static const char bytes[] = "a_ 0\n\r\t\v\f\x85\xa0\xe0-\x1b";
	struct set_tagged t = { .re = re };
	struct oracle o = oracle_open(pattern, 0);
	struct set_dfa d;
	size_t k;

	assert_int_equal(set_dfa_build(&arena, &t, 1, 1000, &d), SET_HOLDS);
	for (k = 0; k < 256 + sizeof(bytes) * sizeof(bytes); k++) {
		char p[2] = { (char)k, 0 };
		struct str text = { p, k < 256 ? 1 : 2 };

		if (text.n == 2) {
			p[0] = bytes[(k - 256) / sizeof(bytes)];
			p[1] = bytes[(k - 256) % sizeof(bytes)];
		}
		if (takes(&d, text) != oracle_finds(&o, text))
			fail_msg("/%.*s/ on \"%s\"", STR_ARG(pattern),
				 oracle_show(&arena, text));
	}
	oracle_close(&o);
}

/* What PCRE2's optimiser believes of two sets in a row shows in its answers. */
static void test_every_pair_of_sets(void **state)
{
	static const char *const shapes[] = { "^@?%", "@*%$", "@+?%" };
	size_t i, j, taken = 0, all = POL_LEN(sets) * POL_LEN(sets);
	struct set_re *re;
	const char *why;
	size_t offset;

	(void)state;
	for (i = 0; i < all; i++) {
		for (j = 0; j < POL_LEN(shapes); j++) {
			struct str p = pair_of(shapes[j], sets[i / POL_LEN(sets)],
					       sets[i % POL_LEN(sets)]);

			if (set_from_regex(&arena, p, 0, &re, &offset, &why) !=
			    SET_REGEX_OK)
				continue;
			taken++;
			check_pair(p, re);
		}
	}
	assert_true(taken > all * POL_LEN(shapes) * 9 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_constructs),
		WITH(arena, test_every_byte_of_every_set),
		WITH(arena, test_every_escape),
		WITH(arena, test_every_pair_of_sets),
	};

	return cmocka_run_group_tests_name("regex", tests, NULL, NULL);
}
