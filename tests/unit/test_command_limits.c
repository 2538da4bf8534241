/* Limits of the analysis, an argv, paths: what is no table of lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/unit/command_rows.h"

struct run {
	struct line_facts *facts;
	struct cmd_world w;
	struct cmd_line l;
	void *block;
	size_t size;
};

static void run_line(struct run *r, const char *facts, const char *text, size_t n, size_t size)
{
	r->facts = rows_facts(facts);
	r->w = (struct cmd_world){ .facts = r->facts, .cwd = "/w", .home = "/h" };
	r->size = size ? size : cmd_block_size(n);
	r->block = malloc(r->size);
	assert_non_null(r->block);
	cmd_from_line(&r->l, r->block, r->size, &r->w, text, n);
}

static void end(struct run *r)
{
	free(r->block);
	free(r->facts);
}

static char *repeat(const char *unit, size_t times, const char *tail)
{
	size_t n = strlen(unit);
	char *s = malloc(n * times + strlen(tail) + 1);

	assert_non_null(s);
	for (size_t i = 0; i < times; i++)
		memcpy(s + i * n, unit, n);
	strcpy(s + n * times, tail);
	return s;
}

/* Milliseconds of processor time that one line takes. */
static double run_timed(const char *unit, size_t times, const char *tail, bool limit)
{
	char *s = repeat(unit, times, tail);
	clock_t from;
	struct run r;
	double took;

	from = clock();
	run_line(&r, "", s, strlen(s), 0);
	took = (double)(clock() - from) * 1000 / CLOCKS_PER_SEC;
	if (limit)
		assert_true(r.l.limit && r.l.why);
	else
		assert_true(!r.l.limit && r.l.nparts > 0);
	end(&r);
	free(s);
	return took;
}

static void test_nesting_has_an_end(void **state)
{
	(void)state;
	run_timed("nice ", 90, "rm x", false);
	run_timed("nice ", 1000, "rm x", true);
	run_timed("eval ", 50, "rm x", false);
	run_timed("eval ", 1000, "rm x", true);
	run_timed("xargs -I{} ", 1000, "rm", true);
	/* each level is read in two dialects, and here the two differ */
	run_timed("sh <<A;{a,b}\nsh <<B;{a,b}\n", 40, "rm", true);
	run_timed("sh <<A\nsh <<B\n", 10, "rm", false);
	run_timed("sudo $x ", 400, "rm", true);
}

static void test_long_lines_take_no_longer(void **state)
{
	(void)state;
	run_timed("f(){ :; };", 20000, "rm", false);
	run_timed("bash x.sh;", 20000, "rm", false);
	run_timed("a -xyz=1 --foo b >c;", 20000, "rm", false);
	run_timed("cd a;", 20000, "rm", false);
	run_timed("foo ", 100000, "rm", false);
	run_timed("-abcdefghijklmnop ", 7000, "rm", false);
}

/* What nobody writes has a number, not a time. */
static void test_too_many_are_a_limit(void **state)
{
	(void)state;
	run_timed("a;", 65535, "rm", false);
	run_timed("a;", 65536, "rm", true);
	run_timed(">a ", 65535, "rm", false);
	run_timed(">a ", 65536, "rm", true);
	run_timed("-ab ", 43690, "rm", false);
	run_timed("-ab ", 70000, "rm", true);
}

/* Each wrapper has the words behind it once, each eval their bytes. */
static void test_steps_of_what_is_read_again(void **state)
{
	char *s = repeat("nice ", 40, "rm"), *twice = repeat("eval ", 12, "rm");
	struct run r;

	(void)state;
	run_line(&r, "", s, strlen(s), 0);
	assert_int_equal(r.l.steps, 41 * 40 / 2);
	end(&r);
	run_line(&r, "", twice, strlen(twice), 0);
	assert_true(r.l.steps > 0 && r.l.steps < 12 * (strlen(twice) + 64));
	end(&r);
	free(s);
	free(twice);}

static void test_many_words_of_a_wrapper(void **state)
{
	char *s = repeat("word ", 100000, "x");
	char *line = NULL;
	struct run r;

	(void)state;
	assert_true(asprintf(&line, "nice timeout 5 env A=1 %s", s) > 0);
	run_line(&r, "", line, strlen(line), 0);
	assert_false(r.l.limit);
	assert_int_equal(r.l.nparts, 4);
	end(&r);
	free(line);
	free(s);
}

static void test_a_small_block_is_a_limit(void **state)
{
	static const char line[] = "cd a; nice bash -c 'rm -rf x' >f; x=1 ./a -xyz b";
	size_t sizes[] = { 0, 8, 16, 100, 1000, 2000, 3000, 4000, 5000, 6000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct run r;

		run_line(&r, "", line, sizeof(line) - 1, sizes[i] ? sizes[i] : 1);
		assert_int_equal(r.l.limit, r.l.memory_short);
		if (sizes[i] <= 1000)
			assert_true(r.l.limit);
		end(&r);
	}
}

static void test_an_unknown_shell_leaves_lines_unparsed(void **state)
{
	struct run r;

	(void)state;
	run_line(&r, "dialect none\n", "rm -rf x", 8, 0);
	assert_true(r.l.unparsed && r.l.why);
	assert_int_equal(r.l.nparts, 1);
	end(&r);
}

static void check_argv(const char *const *argv, size_t argc, const char *want)
{
	struct line_facts *f = rows_facts("");
	struct cmd_world w = { .facts = f, .cwd = "/w", .home = "/h" };
	size_t size = cmd_block_size(100);
	void *block = malloc(size);
	struct cmd_line l;
	char *got;

	cmd_from_argv(&l, block, size, &w, argv, argc);
	got = command_text_of(&l, &w);
	assert_string_equal(got, want);
	free(got);
	free(block);
	free(f);
}

static void test_an_argv_is_not_read_by_a_shell(void **state)
{
	(void)state;
	check_argv((const char *const[]){ "rm", "$x;", "*", ">f" }, 4, "rm|$x;|*|>f @n");
	check_argv((const char *const[]){ "nice", "bash", "-c", "rm x; ls" }, 4,
		   "nice|bash|-c|rm x; ls @tn ; bash|-c|rm x; ls @in <1 ; rm|x @n <2 $2 ; "
		   "ls <2 $2");
	check_argv((const char *const[]){ "sh", "-c", "echo {a,b}" }, 3,
		   "sh|-c|echo {a,b} @in ; echo|a|b <1 $1 ; echo|{a,b} @r <1 $1");
	check_argv((const char *const[]){ "bash" }, 1, "bash @oin");
	check_argv(NULL, 0, "");
}

static void check_path(const char *dir, const char *text, bool home, const char *want)
{
	struct cmd_world w = { .home = "/h" };
	char buf[64];
	bool ok = cmd_resolve(&w, dir, text, strlen(text), home, buf, sizeof(buf));

	assert_int_equal(ok, want != NULL);
	if (want)
		assert_string_equal(buf, want);
}

static void test_paths_are_resolved_or_unknown(void **state)
{
	(void)state;
	check_path("/w", "a/b", false, "/w/a/b");
	check_path("/w", "./a//b/.", false, "/w/a/b");
	check_path("/w", "/a/./b/", false, "/a/b");
	check_path("/", "a", false, "/a");
	check_path("/w", "/", false, "/");
	check_path("/w", ".", false, "/w");
	check_path("/w", "a/../b", false, NULL);
	check_path("/w", "..", false, NULL);
	check_path("/w", "", false, NULL);
	check_path(NULL, "a", false, NULL);
	check_path(NULL, "/a", false, "/a");
	check_path("/w", "/.ssh", true, "/h/.ssh");
	check_path("/w", "", true, "/h");
	check_path("/w", "0123456789012345678901234567890123456789012345678901234567890",
		   false, NULL);
}

static void check_pieces(const char *word, bool pieces, const char *want)
{
	char line[100], got[200] = "";
	const char *p;
	struct run r;
	size_t n, at = 0;
	bool home;

	snprintf(line, sizeof(line), "p %s", word);
	run_line(&r, "", line, strlen(line), 0);
	while (cmd_path_text(&r.l.first->words[1], pieces, &at, &p, &n, &home))
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s%.*s",
			 got[0] ? " " : "", home ? "~" : "", (int)n, p);
	assert_string_equal(got, want);
	end(&r);
}

static void check_texts(const char *word, const char *want)
{
	check_pieces(word, false, want);
}

static void test_words_that_may_be_paths(void **state)
{
	(void)state;
	check_pieces("a/b", true, "a/b");
	check_pieces("'f=@/a;type=x'", true, "f=@/a;type=x @/a;type=x f /a type x");
	check_pieces("-v/a:/b", true, "-v/a:/b /a:/b /a /b a:/b a");
	check_pieces("-x@", true, "-x@ @");
	check_pieces("~/a:/b:c", true, "~/a:/b:c ~/a /b c");
	check_pieces("$HOME/a", true, "~/a");
	check_pieces("\"${HOME}\"/a:b", true, "~/a:b ~/a b");
	check_pieces("$PWD/a", true, "a");
	check_pieces("$PWD", true, ".");
	check_pieces("$OLDPWD/a", true, "");
	check_pieces("$PWD$x", true, "");
	check_texts("a/b", "a/b");
	check_texts("--out=/a", "--out=/a /a");
	check_texts("of=/a=b", "of=/a=b /a=b");
	check_texts("-o/a", "-o/a /a");
	check_texts("-o=/a", "-o=/a /a =/a");
	check_texts("~/a", "~/a");
	check_texts("k=~/a", "~/a");
	check_texts("-o\"$HOME/a\"", "~/a");
	check_texts("-uo$PWD/a", "a");
	check_texts("--o$PWD/a", "a");
	check_texts("-o\"$x\"/a", "");
	check_texts("~", "~");
	check_texts("'~/a'", "~/a");
	check_texts("\"$x\"/a", "");
	check_texts("*", "");
}

static void test_same_options(void **state)
{
	struct line_facts *f = rows_facts("");
	const struct line_program *p = cmd_program(f, "rm", 2);

	(void)state;
	assert_non_null(p);
	assert_null(cmd_program(f, "r", 1));
	assert_null(cmd_program(f, "rmx", 3));
	assert_null(cmd_table_option(f, p, "-z", 2));
	assert_ptr_equal(cmd_table_option(f, p, "-R", 2)->same + p,
			 cmd_table_option(f, p, "--recursive", 11)->same + p);
	for (uint32_t i = 0; i < p->options.count; i++) {
		const struct line_option *o = (const struct line_option *)(const void *)
			((const char *)f + p->options.off) + i;
		const char *name = (const char *)f + o->name.off;
		bool recursive = strncmp(name, "-r", o->name.len) == 0 ||
				 strncmp(name, "-R", o->name.len) == 0 ||
				 strncmp(name, "--recursive", o->name.len) == 0;

		assert_int_equal(cmd_table_option(f, p, "-R", 2)->same == o->same, recursive);
	}
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nesting_has_an_end),
		cmocka_unit_test(test_long_lines_take_no_longer),
		cmocka_unit_test(test_too_many_are_a_limit),
		cmocka_unit_test(test_steps_of_what_is_read_again),
		cmocka_unit_test(test_many_words_of_a_wrapper),
		cmocka_unit_test(test_a_small_block_is_a_limit),
		cmocka_unit_test(test_an_unknown_shell_leaves_lines_unparsed),
		cmocka_unit_test(test_an_argv_is_not_read_by_a_shell),
		cmocka_unit_test(test_paths_are_resolved_or_unknown),
		cmocka_unit_test(test_words_that_may_be_paths),
		cmocka_unit_test(test_same_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
