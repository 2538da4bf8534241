/* polquery's reader of lines and its command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include <fcntl.h>

#include "runtime/bundle/format.h"
#include "runtime/polquery/query_input.h"
#include "runtime/query/query_options.h"

/* A descriptor that these bytes are read from, at its beginning. */
static int bytes(const char *p, size_t n)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, n), (ssize_t)n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void want_line(struct query_input *in, const char *text)
{
	char *line;
	size_t n;

	assert_int_equal(query_input_line(in, &line, &n), QUERY_LINE);
	assert_int_equal(n, strlen(text));
	assert_string_equal(line, text);
}

static void want(struct query_input *in, enum query_input_got what)
{
	char *line;
	size_t n;

	assert_int_equal(query_input_line(in, &line, &n), what);
}

static void test_lines_and_a_last_one_without_newline(void **state)
{
	struct query_input in;
	int fd = bytes("a\n\nbc\nd", 7);

	(void)state;
	query_input_init(&in, fd, 100);
	want_line(&in, "a");
	want_line(&in, "");
	want_line(&in, "bc");
	want_line(&in, "d");
	want(&in, QUERY_END);
	want(&in, QUERY_END);
	query_input_release(&in);
	close(fd);
}

static void test_nothing_has_no_line(void **state)
{
	struct query_input in;
	int fd = bytes("", 0);

	(void)state;
	query_input_init(&in, fd, 100);
	want(&in, QUERY_END);
	query_input_release(&in);
	close(fd);
}

static void test_what_is_too_long_is_told_once_and_skipped(void **state)
{
	static const char text[] = "12345\n123456\n1\n12345678901234567890\n12345\n123456";
	struct query_input in;
	int fd = bytes(text, sizeof(text) - 1);

	(void)state;
	query_input_init(&in, fd, 5);
	want_line(&in, "12345");
	want(&in, QUERY_TOO_LONG);
	want_line(&in, "1");
	want(&in, QUERY_TOO_LONG);
	want_line(&in, "12345");
	want(&in, QUERY_TOO_LONG);
	want(&in, QUERY_END);
	assert_true(in.cap <= 7);
	query_input_release(&in);
	close(fd);
}

static void test_memory_stays_bounded(void **state)
{
	enum { LIMIT = 200000, N = 5 * LIMIT };
	char *text = malloc(N), *line;
	struct query_input in;
	size_t n;
	int fd;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', N);
	text[LIMIT] = text[N - 2] = '\n';
	fd = bytes(text, N);
	query_input_init(&in, fd, LIMIT);
	assert_int_equal(query_input_line(&in, &line, &n), QUERY_LINE);
	assert_int_equal(n, LIMIT);
	want(&in, QUERY_TOO_LONG);
	want_line(&in, "x");
	want(&in, QUERY_END);
	assert_true(in.cap <= LIMIT + 2);
	query_input_release(&in);
	close(fd);
	free(text);
}

/* A peer writes half of a line, then the rest and the beginning of the next. */
static void test_pieces(void **state)
{
	struct query_input in;
	int p[2];

	(void)state;
	assert_int_equal(pipe(p), 0);
	query_input_init(&in, p[0], 100);
	assert_int_equal(write(p[1], "ab", 2), 2);
	assert_int_equal(write(p[1], "c\nd", 3), 3);
	want_line(&in, "abc");
	assert_int_equal(write(p[1], "e\n", 2), 2);
	want_line(&in, "de");
	close(p[1]);
	want(&in, QUERY_END);
	query_input_release(&in);
	close(p[0]);
}

static void test_an_error_is_no_end(void **state)
{
	struct query_input in;

	(void)state;
	query_input_init(&in, -1, 100);
	want(&in, QUERY_FAILED);
	query_input_release(&in);
}

static void test_what_does_not_block_waits_and_a_line_can_be_given_back(void **state)
{
	struct query_input in;
	int p[2];

	(void)state;
	assert_int_equal(pipe2(p, O_NONBLOCK), 0);
	query_input_init(&in, p[0], 100);
	want(&in, QUERY_WAIT);
	assert_int_equal(write(p[1], "ab", 2), 2);
	want(&in, QUERY_WAIT);
	assert_int_equal(write(p[1], "c\nde\nf", 6), 6);
	want_line(&in, "abc");
	query_input_back(&in, 3);
	want_line(&in, "abc");
	want_line(&in, "de");
	want(&in, QUERY_WAIT);
	close(p[1]);
	want_line(&in, "f");
	query_input_back(&in, 1);
	want_line(&in, "f");
	want(&in, QUERY_END);
	query_input_release(&in);
	close(p[0]);
}

/* --- the command line ------------------------------------------------------- */

static struct query_options opt;
static struct rt_err err;

static int parse(const char *words)
{
	static char buf[300];
	static char *args[12];
	int n = 0;

	memset(&err, 0, sizeof(err));
	(void)snprintf(buf, sizeof(buf), "%s", words);
	args[n++] = (char *)(uintptr_t) "polquery";
	for (char *p = strtok(buf, " "); p; p = strtok(NULL, " "))
		args[n++] = p;
	args[n] = NULL;
	return query_options_parse(n, args, &opt, &err);
}

static void refused(const char *words, const char *message)
{
	assert_true(parse(words) < 0);
	if (!strstr(err.text, message))
		fail_msg("'%s': got '%s', want '%s'", words, err.text, message);
}

static void test_options(void **state)
{
	(void)state;
	assert_int_equal(parse("--bundle=x"), 0);
	assert_string_equal(opt.bundle, "x");
	assert_int_equal(opt.scope, PB_HOST);
	assert_false(opt.require_signed);
	assert_int_equal(parse("-b x --scope sandbox --require-signed --allowed-signers f"), 0);
	assert_int_equal(opt.scope, PB_SANDBOX);
	assert_true(opt.require_signed);
	assert_string_equal(opt.signers, "f");
	assert_int_equal(parse("--help"), 0);
	assert_int_equal(opt.action, QUERY_HELP);
	assert_int_equal(parse("--version x"), 0);
	assert_int_equal(opt.action, QUERY_VERSION);
	refused("", "no bundle");
	refused("-b", "needs a value");
	refused("-b x -b y", "'--bundle' is given twice");
	refused("--bundle= ", "not empty");
	refused("--bundel x", "unknown option '--bundel'; did you mean '--bundle'?");
	refused("-b x -q", "unknown option '-q' (see polquery --help)");
	refused("-b x --scope all", "--scope: 'all' is neither");
	refused("-b x --scope host --scope host", "given twice");
	refused("-b x hook", "'hook' needs the name of an agent: claude-code, codex");
	assert_int_equal(parse("hook --help"), 0);
	assert_int_equal(opt.action, QUERY_HELP);
	assert_int_equal(parse("doctor -h"), 0);
	assert_int_equal(opt.action, QUERY_HELP);
	refused("-b x hook copilot", "'copilot' is none of the agents");
	refused("hook codex", "no bundle");
	refused("doctor codex cursor", "one agent, or none");
	refused("-b x doctor", "no options but --format");
	refused("--format xml doctor", "text or json");
	refused("--format json --format json doctor", "given twice");
	refused("--format json -b x", "an option of doctor");
	refused("--format json -b x hook codex", "an option of doctor");
	assert_int_equal(parse("--format json doctor codex"), 0);
	assert_true(opt.json);
	assert_int_equal(parse("--format=text doctor"), 0);
	assert_false(opt.json);
	assert_int_equal(parse("-b x hook codex a b"), 0);
	assert_int_equal(opt.action, QUERY_HOOK);
	assert_string_equal(opt.agent, "codex");
	assert_string_equal(opt.fields[1], "b");
	assert_null(opt.fields[2]);
	refused("-b x serve", "'serve' needs the path of a socket");
	refused("-b x serve s t", "'serve' needs the path of a socket");
	refused("serve s", "no bundle");
	assert_int_equal(parse("-b x serve s"), 0);
	assert_int_equal(opt.action, QUERY_SERVE);
	assert_string_equal(opt.socket, "s");
	refused("-b x file", "'file' is too much");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_and_a_last_one_without_newline),
		cmocka_unit_test(test_nothing_has_no_line),
		cmocka_unit_test(test_what_is_too_long_is_told_once_and_skipped),
		cmocka_unit_test(test_memory_stays_bounded),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_an_error_is_no_end),
		cmocka_unit_test(test_what_does_not_block_waits_and_a_line_can_be_given_back),
		cmocka_unit_test(test_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
