/*
 * Regular expressions as languages, by hand: each construct with texts in and
 * out, every byte of every set, what is opaque, refused or too large, and that
 * nothing is slow or deep.  PCRE2 confirms each expectation.
 */
#include <time.h>

#include "compiler/base/buf.h"
#include "tests/lib/regex_oracle.h"
#include "tests/unit/fixture.h"

#define I SET_REGEX_I
#define X SET_REGEX_X
#define D SET_REGEX_DOLLAR_END

static struct set_re *language(struct str pattern, unsigned flags)
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

static struct set_dfa automaton(struct str pattern, unsigned flags)
{
	struct set_tagged t = { .re = language(pattern, flags) };
	struct set_dfa d;

	assert_int_equal(set_dfa_build(&arena, &t, 1, 100000, &d), SET_HOLDS);
	return d;
}

static bool takes(const struct set_dfa *d, struct str text)
{
	size_t n;

	return set_dfa_run(d, text, &n) != NULL;
}

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
		WITH(arena, test_constructs),
		WITH(arena, test_every_byte_of_every_set),
		WITH(arena, test_every_escape),
		WITH(arena, test_every_pair_of_sets),
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

	return cmocka_run_group_tests_name("regex", tests, NULL, NULL);
}
