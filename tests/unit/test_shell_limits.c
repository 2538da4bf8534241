/*
 * Shell text that nobody should write: bytes that no line may have, depth,
 * size, and texts that are read more than once.  Each ends soon, and what may
 * be hidden in it is a limit or is listed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/unit/shell_rows.h"

/* Processor time; the sanitizers and a busy machine take many times what it should. */
#define SOON_SECONDS 2.0

struct read {
	struct sh s;
	void *block;
	double seconds;
};

static struct read read_as(const char *line, size_t n, enum sh_dialect dialect)
{
	struct read r;
	clock_t from;

	r.block = malloc(sh_block_size(n));
	assert_non_null(r.block);
	from = clock();
	sh_parse(&r.s, r.block, sh_block_size(n), line, n, dialect);
	r.seconds = (double)(clock() - from) / CLOCKS_PER_SEC;
	return r;
}

static bool has_command(const struct sh *s, const char *first)
{
	const struct sh_cmd *c;

	for (c = s->first; c; c = c->next)
		if (c->words && sh_is_literal(c->words) &&
		    c->words->seg.n == strlen(first) &&
		    memcmp(c->words->seg.p, first, strlen(first)) == 0)
			return true;
	return false;
}

/* `unit` again and again up to n bytes, then `end`. */
static char *repeat(const char *unit, size_t n, const char *end)
{
	size_t u = strlen(unit), i;
	char *line = malloc(n + u + strlen(end) + 1);

	assert_non_null(line);
	for (i = 0; i < n; i += u)
		memcpy(line + i, unit, u);
	memcpy(line + i, end, strlen(end) + 1);
	return line;
}

static void test_bytes_that_no_line_may_have(void **state)
{
	static const struct {
		const char *line;
		size_t n;
		const char *want;
	} rows[] = {
		{ "ls\0rm x", 7, "! ls ; rm|x" },
		{ "ls\r\nrm x", 8, "! ls\r ; rm|x" },
		{ "ls\rrm x", 7, "! ls\rrm|x" },
		{ "ls\x0b-la", 6, "! ls\x0b-la" },
		{ "ls \x1b[2K", 7, "! ls|\x1b[2K" },
		{ "ls \x7f", 4, "! ls|\x7f" },
		{ "ls \x01", 4, "! ls|\x01" },
		{ "ls # \xe2\x80\xae x", 10, "! ls" },
		{ "ls '\xe2\x81\xa6'", 8, "! ls|\xe2\x81\xa6" },
		{ "ls \xe2\x80\x8e", 6, "! ls|\xe2\x80\x8e" },
		{ "ls \xd8\x9c", 5, "! ls|\xd8\x9c" },
		/* these a line may have */
		{ "ls \xe2\x80\xa8x", 7, "ls|\xe2\x80\xa8x" },
		{ "r\xe2\x80\x8bm x", 7, "r\xe2\x80\x8bm|x" },
		{ "ls \xff\xe2\x80", 6, "ls|\xff\xe2\x80" },
		{ "ls\t-l\n", 6, "ls|-l" },
		{ "ls \xe2", 4, "ls|\xe2" },
		{ "", 0, "" },
		{ " \n\n", 3, "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *got = read_line_as(rows[i].line, rows[i].n, SH_BASH);

		assert_string_equal(got, rows[i].want);
		free(got);
	}
}

/* Whatever opens: at most the depth is read, and beyond it the answer is a limit. */
static void test_depth_has_a_limit(void **state)
{
	static const char *const units[] = {
		"$(", "`\\`", "(", "{ ", "if ", "while a; do ", "case a in a) ", "f() { ",
		"\"$(", "${x:-$(", "<(", "$((1+$(", "[[ ( ", "! ! ( ", "for i in $(",
		"a=($(", "coproc { ", "{a,{b,", "{a,", "@(", "\"${x:-\"", "((", "$((",
		"a[$(", "<<<$(", "function f { ", "time { ", "[[ ! ",
	};
	size_t i, d;

	(void)state;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		for (d = 0; d < 2; d++) {
			char *line = repeat(units[i], 256 * 1024, "x");
			struct read r = read_as(line, strlen(line), d ? SH_POSIX : SH_BASH);

			if (r.seconds > SOON_SECONDS)
				fail_msg("'%s' again and again takes %.1f s", units[i],
					 r.seconds);
			if (r.s.status == SH_PARSED && d == 0 && !strchr("{@<", units[i][0]))
				fail_msg("'%s' again and again is parsed", units[i]);
			free(line);
			free(r.block);
		}
}

static void test_nesting_below_the_limit_is_read(void **state)
{
	char line[1024] = "";
	struct read r;
	int i;

	(void)state;
	for (i = 0; i < SH_MAX_DEPTH - 1; i++)
		strcat(line, "$(");
	strcat(line, "rm x");
	for (i = 0; i < SH_MAX_DEPTH - 1; i++)
		strcat(line, ")");
	r = read_as(line, strlen(line), SH_BASH);
	assert_int_equal(r.s.status, SH_PARSED);
	assert_true(has_command(&r.s, "rm"));
	free(r.block);
	memmove(line + 4, line, strlen(line) + 1);
	memcpy(line, "$($(", 4);
	strcat(line, "))");
	r = read_as(line, strlen(line), SH_BASH);
	assert_int_equal(r.s.status, SH_LIMIT);
	assert_false(r.s.memory_short);
	free(r.block);
}

static void test_long_lines_end_soon(void **state)
{
	static const char *const units[] = {
		"a ", "a;", "a|", "a\n", "a=b ", "'a' ", "\"$v\" ", "$v", "\\a", "[", "[a] ",
		"{", "{a,b} ", "{a,b}", "~ ", ">a ", "<<E\n", "a&&", "{1..9} ", "'", "\"",
		"$(a) ", "`a` ", "${v} ", "$((1)) ", "#\n", "!", "a() { b; };", "\\\n",
		"a[1]=b ", "a=(b) ", "[[ a ]];", "${v:-", "$'a' ", "a <<E\nx\nE\n", ")", "}",
		"do ", ";;", "a[", "*", "${a[", "\"`", "a <<E;", "((a)b)", "$((a)b)", "<(a) ",
		"{a..z}{1..9} ", "'a'b\"c\"",
	};
	size_t i, d;

	(void)state;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		for (d = 0; d < 2; d++) {
			char *line = repeat(units[i], 1024 * 1024, " ; rm x");
			struct read r = read_as(line, strlen(line), d ? SH_POSIX : SH_BASH);

			if (r.seconds > SOON_SECONDS)
				fail_msg("'%s' again and again takes %.1f s", units[i],
					 r.seconds);
			if (r.s.memory_short)
				fail_msg("'%s' again and again is short of memory", units[i]);
			free(line);
			free(r.block);
		}
}

/* What is open at the end never hides what stands in it. */
static void test_open_text_is_read_all_the_same(void **state)
{
	static const char *const lines[] = {
		"ls 'x; rm y", "ls \"x; rm y", "ls `x; rm y", "ls $(x; rm y", "ls ${x; rm y",
		"ls $((x; rm y", "ls \"$(x; rm y", "ls $'x; rm y", "{ ls; rm y", "(ls; rm y",
		"if ls; rm y", "while ls; rm y", "ls <<E; rm y", "f() { rm y", "a=(x; rm y",
		"((x; rm y", "[[ x; rm y", "case x in; rm y", "for i in; rm y", "ls \"'x; rm y",
		"ls \"\"\"x; rm y", "ls '\"' \"'; rm y", "a[x; rm y", "ls && ; rm y",
		"ls \"$(echo 'x; rm y", "`rm y`; ls '", "ls ) ; rm y", "ls ]] ; rm y",
		"echo \"${x:-$(rm y)\"", "ls \"`echo 'x` ; rm y",
	};
	size_t i, d;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		for (d = 0; d < 2; d++) {
			struct read r = read_as(lines[i], strlen(lines[i]),
						d ? SH_POSIX : SH_BASH);

			if (!has_command(&r.s, "rm"))
				fail_msg("no rm is seen in: %s", lines[i]);
			free(r.block);
		}
}

static void test_braces_past_the_limit_keep_their_beginning(void **state)
{
	static const char line[] = "{rm,-rf,build,{1..1000}} x";
	struct read r = read_as(line, strlen(line), SH_BASH);
	const struct sh_word *w;
	size_t n = 0;

	(void)state;
	assert_int_equal(r.s.status, SH_PARSED);
	assert_true(has_command(&r.s, "rm"));
	for (w = r.s.first->words; w; w = w->next)
		n++;
	/* 256 of the braces, any number of words, and x */
	assert_int_equal(n, 258);
	assert_int_equal(n, r.s.first->nwords);
	free(r.block);
}

static void test_a_small_block_is_a_limit(void **state)
{
	static const char line[] = "echo \"$(rm -rf x)\" {a,b}{c,d} `q \\`r\\`` <<E\n$v\nE\n";
	char *want = read_line_as(line, strlen(line), SH_BASH);
	size_t size;
	unsigned parsed = 0;

	(void)state;
	for (size = 0; size < 12 * 1024; size += 8) {
		void *block = malloc(size ? size : 1);
		struct sh s;

		assert_non_null(block);
		sh_parse(&s, block, size, line, strlen(line), SH_BASH);
		if (s.status == SH_PARSED) {
			char *got = shell_text_of(&s);

			assert_string_equal(got, want);
			free(got);
			parsed++;
		} else {
			assert_int_equal(s.status, SH_LIMIT);
			assert_true(s.memory_short);
			/* once it suffices, more does as well */
			assert_int_equal(parsed, 0);
		}
		free(block);
	}
	assert_true(parsed > 0);
	free(want);
}

static void test_spans_are_those_of_the_line(void **state)
{
	static const char line[] = "a 'b c' | d$(e \"f\") >g; h";
	struct read r = read_as(line, strlen(line), SH_BASH);
	static const char *const spans[] = { "a 'b c'", "d$(e \"f\") >g", "e \"f\"", "h" };
	const struct sh_cmd *c = r.s.first;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(spans) / sizeof(spans[0]); i++, c = c->next) {
		assert_non_null(c);
		assert_int_equal(c->to - c->from, strlen(spans[i]));
		assert_memory_equal(line + c->from, spans[i], strlen(spans[i]));
	}
	c = r.s.first;
	assert_int_equal(c->words->next->from, 2);
	assert_int_equal(c->words->next->to, 7);
	assert_true(c->next->next->parent == c->next);
	/* what is literal as it stands is handed out where it lies, quoted or not */
	assert_memory_equal(c->words->next->seg.p, "b c'", 4);
	free(r.block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_that_no_line_may_have),
		cmocka_unit_test(test_depth_has_a_limit),
		cmocka_unit_test(test_nesting_below_the_limit_is_read),
		cmocka_unit_test(test_long_lines_end_soon),
		cmocka_unit_test(test_open_text_is_read_all_the_same),
		cmocka_unit_test(test_braces_past_the_limit_keep_their_beginning),
		cmocka_unit_test(test_a_small_block_is_a_limit),
		cmocka_unit_test(test_spans_are_those_of_the_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
