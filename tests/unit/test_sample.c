/* One path of a pattern, and whether a pattern may match it (compiler/sets/sample.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/sets/sample.h"

#define MAX_ITEMS 64

/* A pattern in which '*', '?', '>' (**), and '&' (zero or more "name/") are wildcards, and '('
 * and ')' stand around two alternatives, "b" and "cc". */
static struct ir_path path_of(struct ir_glob_item *v, const char *text, bool below)
{
	static struct ir_glob_item b = { .op = IR_G_BYTE, .byte = 'b' };
	static struct ir_glob_item c[2] = { { .op = IR_G_BYTE, .byte = 'c' },
					    { .op = IR_G_BYTE, .byte = 'c' } };
	static struct ir_glob alts[2] = { { &b, 1 }, { c, 2 } };
	struct ir_path p = { .below = below, .glob = { v, 0 } };

	for (; *text; text++) {
		struct ir_glob_item *it = &v[p.glob.n++];

		*it = (struct ir_glob_item){ .op = *text == '*' ? IR_G_STAR :
						   *text == '?' ? IR_G_ONE :
						   *text == '>' ? IR_G_DEEP :
						   *text == '&' ? IR_G_DIRS :
						   *text == '(' ? IR_G_ALT : IR_G_BYTE,
					     .byte = (uint8_t)*text };
		if (*text == '(')
			it->alts = alts, it->nalts = 2;
	}
	return p;
}

static void test_a_sample_is_a_path_of_the_pattern(void **state)
{
	static const char *const good[] = { "/a", "/a/*", "/a/?.x", "/>", "/a/&x", "/a/(/d",
					    "/a*b", "/.a", "/a/..b", "" };
	static const char *const bad[] = { "/a//b", "/a/", "/./a", "/a/..", "a", "/..", "/a/." };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct ir_glob_item v[MAX_ITEMS];
		struct ir_path p = path_of(v, good[i], false);
		char buf[SAMPLE_SIZE];
		struct str s = sample_path(&p, buf);

		if (!s.p || !sample_may_match(&p, s))
			fail_msg("%s", good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ir_glob_item v[MAX_ITEMS];
		struct ir_path p = path_of(v, bad[i], false);
		char buf[SAMPLE_SIZE];

		if (sample_path(&p, buf).p)
			fail_msg("%s", bad[i]);
	}
}

static void test_how_a_path_of_the_pattern_may_begin(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool below, want;
	} rows[] = {
		{ "/ab", "/a", false, true },	{ "/ab", "/b", false, false },
		{ "/a", "/a/", false, false },	{ "/a", "/a/", true, true },
		{ "/a", "/ab", true, false },	{ "/(d", "/c", false, true },
		{ "/(d", "/ccd", false, true }, { "/(d", "/ce", false, false },
		{ "/&c", "/a/b", false, true }, { "/&c", "/a/b/", false, true },
		{ "/&c", "//", false, false },	{ "/*/c", "/ab", false, true },
		{ "/*/c", "/a/b", false, false }, { "/>x", "/a/b", false, true },
		{ "/?/", "/ab", false, false }, { "/?/", "", false, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ir_glob_item v[MAX_ITEMS];
		struct ir_path p = path_of(v, rows[i].pattern, rows[i].below);
		struct str text = { rows[i].text, strlen(rows[i].text) };

		if (sample_may_begin(&p, text) != rows[i].want)
			fail_msg("%s %s", rows[i].pattern, rows[i].text);
	}
}

static void test_what_a_pattern_may_match(void **state)
{
	static const struct {
		const char *pattern, *rest;
		bool below, want;
	} rows[] = {
		{ "/a", "/a", false, true },	    { "/a", "/a/b", false, false },
		{ "/a", "/a/b", true, true },	    { "/a", "/ab", true, false },
		{ "/*", "/abc", false, true },	    { "/*", "/a/c", false, false },
		{ "/*/c", "/a/c", false, true },    { "/?", "/a", false, true },
		{ "/?", "/", false, false },	    { "/?x", "//x", false, false },
		{ "/>", "/a/b/c", false, true },    { "/>x", "/a/b/c", false, false },
		{ "/>c", "/a/b/c", false, true },   { "/&c", "/c", false, true },
		{ "/&c", "/a/b/c", false, true },   { "/&c", "/a/bc", false, false },
		{ "/&c", "//c", false, false },	    { "/(", "/b", false, true },
		{ "/(", "/cc", false, true },	    { "/(", "/c", false, false },
		{ "/(/d", "/cc/d", false, true },   { "/(", "/cc/d", true, true },
		{ "", "", false, true },	    { "", "/a", true, true },
		{ "/&*.x", "/a/b.x", false, true }, { "/&*.x", "/a/b.y", false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ir_glob_item v[MAX_ITEMS];
		struct ir_path p = path_of(v, rows[i].pattern, rows[i].below);
		struct str rest = { rows[i].rest, strlen(rows[i].rest) };

		if (sample_may_match(&p, rest) != rows[i].want)
			fail_msg("'%s' and '%s'", rows[i].pattern, rows[i].rest);
	}
}

/* A search that is given up says "perhaps", never "no". */
static void test_a_long_search_says_perhaps(void **state)
{
	struct ir_glob_item v[MAX_ITEMS];
	struct ir_path p = path_of(v, "/>a>a>a>a>a>a>a>a>a>a>z", false);
	char text[201];

	(void)state;
	memset(text, 'a', 200);
	text[0] = '/';
	assert_true(sample_may_match(&p, (struct str){ text, 200 }));
}

static void test_a_long_pattern_has_no_sample(void **state)
{
	static struct ir_glob_item v[SAMPLE_SIZE + 8];
	struct ir_path p = { .glob = { v, 0 } };
	char buf[SAMPLE_SIZE];

	(void)state;
	for (size_t i = 0; i < SAMPLE_SIZE + 1; i++)
		v[i] = (struct ir_glob_item){ .op = IR_G_BYTE, .byte = i ? 'a' : '/' };
	p.glob.n = SAMPLE_SIZE;
	assert_int_equal(sample_path(&p, buf).n, SAMPLE_SIZE);
	p.glob.n = SAMPLE_SIZE + 1;
	assert_null(sample_path(&p, buf).p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_sample_is_a_path_of_the_pattern),
		cmocka_unit_test(test_how_a_path_of_the_pattern_may_begin),
		cmocka_unit_test(test_what_a_pattern_may_match),
		cmocka_unit_test(test_a_long_search_says_perhaps),
		cmocka_unit_test(test_a_long_pattern_has_no_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
