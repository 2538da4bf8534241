/* polrun's command line: what is taken, what is refused, and by which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/polrun/polrun_options.h"

static char *args[16];
static struct polrun_options opt;
static struct rt_err err;

/* Words separated by one blank; "~" is an empty word. */
static int parse(const char *words)
{
	static char buf[512];
	int n = 0;

	memset(&err, 0, sizeof(err));
	memset(&opt, 0, sizeof(opt));
	(void)strncpy(buf, words, sizeof(buf) - 1);
	args[n++] = (char *)(uintptr_t) "polrun";
	for (char *p = strtok(buf, " "); p; p = strtok(NULL, " "))
		args[n++] = strcmp(p, "~") == 0 ? p + 1 : p;
	args[n] = NULL;
	return polrun_options_parse(n, args, &opt, &err);
}

static void refused(const char *words, const char *message)
{
	assert_true(parse(words) < 0);
	if (!strstr(err.text, message))
		fail_msg("'%s': got '%s', want '%s'", words, err.text, message);
}

static void test_a_command_keeps_its_own_options(void **state)
{
	(void)state;
	assert_int_equal(parse("-b x.polb git -y --help"), 0);
	assert_int_equal(opt.action, OPT_RUN);
	assert_false(opt.yes);
	assert_int_equal(opt.argc, 3);
	assert_string_equal(opt.argv[0], "git");
	assert_string_equal(opt.argv[2], "--help");
	assert_null(opt.argv[3]);
}

static void test_two_dashes_end_the_options(void **state)
{
	(void)state;
	assert_int_equal(parse("-b x -- -y"), 0);
	assert_false(opt.yes);
	assert_string_equal(opt.argv[0], "-y");
}

static void test_every_option(void **state)
{
	(void)state;
	assert_int_equal(parse("--bundle=a --project b --user=c --report d -y "
			       "--explain-denials --plan ls"), 0);
	assert_string_equal(opt.bundle, "a");
	assert_string_equal(opt.project, "b");
	assert_string_equal(opt.user, "c");
	assert_string_equal(opt.report, "d");
	assert_true(opt.yes);
	assert_true(opt.explain);
	assert_int_equal(opt.action, OPT_PLAN);
	assert_int_equal(opt.ask, ASK_TTY);
	assert_null(opt.session);
	assert_int_equal(parse("-b x --ask=fail --session a-1 ls"), 0);
	assert_int_equal(opt.ask, ASK_FAIL);
	assert_string_equal(opt.session, "a-1");
	assert_int_equal(parse("-b x --ask deny ls"), 0);
	assert_int_equal(opt.ask, ASK_DENY);
}

static void test_short_options_cluster_and_take_values(void **state)
{
	(void)state;
	assert_int_equal(parse("-ybfile ls"), 0);
	assert_true(opt.yes);
	assert_string_equal(opt.bundle, "file");
	assert_int_equal(parse("-b f -c line"), 0);
	assert_string_equal(opt.line, "line");
	assert_int_equal(opt.argc, 0);
}

static void test_help_version_and_doctor_need_no_bundle(void **state)
{
	(void)state;
	assert_int_equal(parse("--help"), 0);
	assert_int_equal(opt.action, OPT_HELP);
	assert_int_equal(parse("--version"), 0);
	assert_int_equal(opt.action, OPT_VERSION);
	assert_int_equal(parse("--doctor"), 0);
	assert_int_equal(opt.action, OPT_DOCTOR);
}

static void test_what_is_refused(void **state)
{
	(void)state;
	assert_int_equal(parse("ls"), 0);
	assert_null(opt.bundle);
	assert_int_equal(parse("-p x -q ls"), 0);
	assert_string_equal(opt.policy, "x");
	assert_true(opt.quiet);
	refused("-b x -p y ls", "one policy");
	refused("-v -q ls", "contradict");
	refused("--require-signed ls", "not signed");
	refused("--allowed-signers f -p x ls", "not signed");
	refused("-b x", "no command");
	refused("-b x ~", "name is empty");
	refused("-b x -b y ls", "given twice");
	refused("-b x -c a -c b", "given twice");
	refused("-b x -c a ls", "whole line");
	refused("-b", "needs a value");
	refused("--bundle= ls", "not empty");
	refused("--yes=1 -b x ls", "takes no value");
	refused("-b x -z ls", "unknown option '-z'");
	refused("-b x --ask=yes ls", "neither 'tty' nor 'deny' nor 'fail'");
	refused("-b x --session a/b ls", "1 to 128");
	assert_int_equal(parse("-b x -P 5173 --publish=8080:80 -P65535:1 ls"), 0);
	assert_int_equal(opt.npublish, 3);
	assert_int_equal(opt.publish[0].host, 5173);
	assert_int_equal(opt.publish[0].inside, 5173);
	assert_int_equal(opt.publish[1].host, 8080);
	assert_int_equal(opt.publish[1].inside, 80);
	assert_int_equal(opt.publish[2].inside, 1);
	refused("-b x -P 0 ls", "'0' is no port");
	refused("-b x -P 80: ls", "'80:' is no port");
	refused("-b x -P 65536 ls", "is no port");
	refused("-b x -P 4294967297 ls", "is no port");
	refused("-b x -P 127.0.0.1:80:80 ls", "on loopback alone");
	refused("-b x -P 80 -P 80:81 ls", "given twice");
	refused("-b x --session= ls", "not empty");
}

static void test_unknown_options_get_a_suggestion(void **state)
{
	(void)state;
	refused("--bundel x ls", "did you mean '--bundle'");
	refused("--explain-denial -b x ls", "did you mean '--explain-denials'");
	refused("--zzzzzzzzzz -b x ls", "see polrun --help");
	refused("--\x1b[2J -b x ls", "\\x1b");
	/* 40 letters: more than the distance looks at */
	refused("--aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa -b x ls", "unknown option");
}

static void test_what_later_versions_bring_is_not_ignored(void **state)
{
	(void)state;
	refused("-b x --allow-degraded=r ls", "not supported");
	refused("-b x --learn", "not supported");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_command_keeps_its_own_options),
		cmocka_unit_test(test_two_dashes_end_the_options),
		cmocka_unit_test(test_every_option),
		cmocka_unit_test(test_short_options_cluster_and_take_values),
		cmocka_unit_test(test_help_version_and_doctor_need_no_bundle),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_unknown_options_get_a_suggestion),
		cmocka_unit_test(test_what_later_versions_bring_is_not_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
