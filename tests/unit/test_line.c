/* Lines: what is read as bash reads it, and what is left unparsed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/decide/line.h"

/* Words joined by '|'; NULL: unparsed. */
static const struct row {
	const char *line, *words;
} rows[] = {
	{"git status", "git|status"},
	{"  git\tstatus  ", "git|status"},
	{"\n\n git status \n\n", "git|status"},
	{"git commit -m 'a b'", "git|commit|-m|a b"},
	{"git commit -m \"a  b\"", "git|commit|-m|a  b"},
	{"a'b'\"c\"\\d", "abcd"},
	{"x '' \"\"", "x||"},
	{"x \"a\\$b\\`c\\\"d\\\\e\\f\"", "x|a$b`c\"d\\e\\f"},
	{"x 'a\\b'", "x|a\\b"},
	{"x \\'a", "x|'a"},
	{"x a\\ b", "x|a b"},
	{"x \\$HOME '$HOME'", "x|$HOME|$HOME"},
	{"x a$ $ \"$\" \"a$ b\" a$/b", "x|a$|$|$|a$ b|a$/b"},
	{"x $'a\\tb\\x41\\101\\'\\q'", "x|a\tbAA'\\q"},
	{"x $'\\n'", "x|\n"},
	{"x 'a\nb'", "x|a\nb"},
	{"git \\\n  status", "git|status"},
	{"git sta\\\ntus", "git|status"},
	{"x \"a\\\nb\"", "x|ab"},
	{"x 'a\\\nb'", "x|a\\\nb"},
	{"x a#b a~b HEAD~1 a=b -x=y {}", "x|a#b|a~b|HEAD~1|a=b|-x=y|{}"},
	{"x \\* '?' \"[\" \\~ '{a,b}' \\{", "x|*|?|[|~|{a,b}|{"},
	{"x a! a^b %1 @ + ,", "x|a!|a^b|%1|@|+|,"},
	{"'if' x", "if|x"},
	{"\\if x", "if|x"},
	{"\"A=b\" c", "A=b|c"},
	{"A\\=b", "A=b"},
	{"1=b", "1=b"},
	{"./x y", "./x|y"},
	{"x \xc3\xa4", "x|\xc3\xa4"},

	{"", NULL},
	{" \n", NULL},
	{"# x", NULL},
	{"x # y", NULL},
	{"a;b", NULL},
	{"a|b", NULL},
	{"a&", NULL},
	{"a && b", NULL},
	{"(a)", NULL},
	{"a >b", NULL},
	{"a <b", NULL},
	{"a 2>&1", NULL},
	{"a\nb", NULL},
	{"$x", NULL},
	{"a $x", NULL},
	{"a ${x}", NULL},
	{"a $(b)", NULL},
	{"a `b`", NULL},
	{"a \"$x\"", NULL},
	{"a \"`b`\"", NULL},
	{"a $1", NULL},
	{"a $@", NULL},
	{"a $$", NULL},
	{"a $?", NULL},
	{"a $\"x\"", NULL},
	{"a $[1]", NULL},
	{"a \"$\\\nx\"", NULL},
	{"a *", NULL},
	{"a b?", NULL},
	{"a [b]", NULL},
	{"a ~", NULL},
	{"a ~/b", NULL},
	{"a b=~", NULL},
	{"a b:~", NULL},
	{"a {b,c}", NULL},
	{"a {1..2}", NULL},
	{"a b{}", NULL},
	{"{ a; }", NULL},
	{"A=b", NULL},
	{"A=b c", NULL},
	{"A+=b c", NULL},
	{"A='b' c", NULL},
	{"A[0]=b", NULL},
	{"if x", NULL},
	{"i\\\nf x", NULL},
	{"! x", NULL},
	{"time x", NULL},
	{"cd x", NULL},
	{"'cd' x", NULL},
	{"\\cd x", NULL},
	{"echo x", NULL},
	{". x", NULL},
	{"eval x", NULL},
	{"[ x ]", NULL},
	{"[[ x ]]", NULL},
	{"exec x", NULL},
	{"a 'b", NULL},
	{"a \"b", NULL},
	{"a $'b", NULL},
	{"a $'\\0'", NULL},
	{"a $'\\x'", NULL},
	{"a $'\\u41'", NULL},
	{"a $'\\cA'", NULL},
	{"a \\", NULL},
	{"a \x01", NULL},
	{"a \r", NULL},
	{"a \x7f", NULL},
	{"a \x1b[0m", NULL},
	{"a '\x01'", NULL},
	{"a \xe2\x80\xae", NULL},
	{"a \xe2\x81\xa6", NULL},
	{"a \xd8\x9c", NULL},
	{"a '\xe2\x80\x8f'", NULL},
	{"a !(b)", NULL},
};

static char *joined(const struct line_words *w)
{
	size_t n = 1, i;
	char *s;

	for (i = 0; i < w->argc; i++)
		n += strlen(w->argv[i]) + 1;
	s = calloc(1, n);
	for (i = 0; i < w->argc; i++)
		strcat(strcat(s, i ? "|" : ""), w->argv[i]);
	return s;
}

static void test_rows(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct line_words w;
		char *s;

		assert_int_equal(line_split(rows[i].line, strlen(rows[i].line), &w), 0);
		if (!rows[i].words) {
			if (!w.unparsed || !w.why[0] || w.argc)
				fail_msg("'%s' was read", rows[i].line);
			line_release(&w);
			continue;
		}
		if (w.unparsed)
			fail_msg("'%s': %s", rows[i].line, w.why);
		s = joined(&w);
		assert_string_equal(s, rows[i].words);
		assert_null(w.argv[w.argc]);
		free(s);
		line_release(&w);
	}
}

/* What bash makes of the line: its words, each behind a '|'; "" when it fails. */
static void ask_bash(const char *line, char *ret, size_t size)
{
	int fds[2];
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		char script[512];

		snprintf(script, sizeof(script), "p() { printf '|%%s' \"$@\"; }; p %s",
			 line);
		dup2(fds[1], 1);
		close(fds[0]);
		close(fds[1]);
		execl("/bin/bash", "bash", "--norc", "--noprofile", "-c", script, NULL);
		_exit(127);
	}
	close(fds[1]);
	while (n + 1 < size && (got = read(fds[0], ret + n, size - n - 1)) > 0)
		n += (size_t)got;
	ret[n] = '\0';
	close(fds[0]);
	waitpid(pid, NULL, 0);
}

/* Every line that is read gives the words that bash gives. */
static void test_bash_agrees(void **state)
{
	char out[1024];
	size_t i;

	(void)state;
	if (access("/bin/bash", X_OK) != 0)
		skip();
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].words)
			continue;
		/* newlines around the command would end p's own line */
		ask_bash(rows[i].line + strspn(rows[i].line, "\n "), out, sizeof(out));
		if (out[0] != '|' || strcmp(out + 1, rows[i].words) != 0)
			fail_msg("'%s': bash reads '%s'", rows[i].line, out);
	}
}

static void test_nul_and_length(void **state)
{
	struct line_words w;
	char *big = malloc(LINE_MAX_BYTES + 1);

	(void)state;
	assert_int_equal(line_split("a\0b", 3, &w), 0);
	assert_true(w.unparsed);
	line_release(&w);
	memset(big, 'a', LINE_MAX_BYTES + 1);
	assert_int_equal(line_split(big, LINE_MAX_BYTES + 1, &w), -E2BIG);
	assert_true(w.unparsed);
	line_release(&w);
	assert_int_equal(line_split(big, LINE_MAX_BYTES, &w), 0);
	assert_false(w.unparsed);
	assert_int_equal(w.argc, 1);
	line_release(&w);
	memset(big, '\n', LINE_MAX_BYTES);
	big[0] = 'a';
	assert_int_equal(line_split(big, LINE_MAX_BYTES, &w), 0);
	assert_int_equal(w.argc, 1);
	line_release(&w);
	free(big);
}

/* Reasons are printed: no byte of the line reaches a terminal raw. */
static void test_reason_is_printable(void **state)
{
	struct line_words w;
	const char *c;

	(void)state;
	assert_int_equal(line_split("A=\xff\xfe b", 6, &w), 0);
	assert_true(w.unparsed);
	for (c = w.why; *c; c++)
		assert_true(*c >= ' ' && *c <= '~');
	line_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_bash_agrees),
		cmocka_unit_test(test_nul_and_length),
		cmocka_unit_test(test_reason_is_printable),
	};

	return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
