/*
 * What diff says of guards, exceptions and regular expressions of commands: a line that
 * meets the guard where something differs, "alike" where it can be shown, and a doubt
 * only where neither can be had.
 */
#include "tests/unit/diff_fixture.h"

#define OTHER "command { otherwise ask  "

/* The words of the only finding. */
static const char *line_of(const struct diff_finding *f)
{
	struct buf b;
	size_t i;

	buf_init(&b, &arena);
	for (i = 0; i < f->request.nargv; i++) {
		buf_z(&b, i ? " " : "");
		buf_str(&b, f->request.argv[i]);
	}
	return str_z(&arena, buf_view(&b));
}

/* From `old` to `new`, and back, lines of this kind differ first. */
static void differs(const char *old, const char *new, enum diff_change change,
		    bool widening, const char *line)
{
	compare(old, new);
	assert_true(res.findings.n > 0);
	assert_int_equal(res.doubts.n, 0);
	assert_string_equal(diff_change_name(res.findings.v[0].change), diff_change_name(change));
	assert_int_equal(res.findings.v[0].widening, widening);
	assert_string_equal(line_of(&res.findings.v[0]), line);
	compare(new, old);
	assert_true(res.findings.n > 0);
	assert_int_equal(res.doubts.n, 0);
}

static void test_an_option_of_a_guard_is_spelled(void **state)
{
	(void)state;
	differs(OTHER "deny \"foo push:*\" with --force, -f }", OTHER "}", DIFF_ASKED, true,
		"foo push --force");
	differs(OTHER "deny \"foo push:*\" with --force }",
		OTHER "deny \"foo push:*\" with --force, -f }", DIFF_DENIED, false,
		"foo push -f");
	differs(OTHER "allow \"foo push:*\" without --force }",
		OTHER "allow \"foo push:*\" without --force, -f }", DIFF_ASKED, false,
		"foo push -f");
	differs(OTHER "allow \"foo:*\" with only -l }",
		OTHER "allow \"foo:*\" with only -l, -a }", DIFF_ALLOWED, true, "foo -a");
}

static void test_a_path_of_a_guard_is_spelled(void **state)
{
	(void)state;
	differs(OTHER "allow \"foo *\" within \"src\" }",
		OTHER "allow \"foo *\" within \"src\", \"lib\" }", DIFF_ALLOWED, true,
		"foo /home/dev/app/lib");
	differs(OTHER "allow \"foo:*\" within \"src\" }", OTHER "allow \"foo:*\" }",
		DIFF_ALLOWED, true, "foo");
}

static void test_a_guard_of_an_exception_is_spelled(void **state)
{
	static const char old[] = "policy p { level managed  base none }\n"
				  "command { otherwise ask  deny \"foo:*\" except \"foo a:*\" }";
	struct ir *ir[2] = { resolved(old), resolved(old) };
	struct ir_option x = { .text = STR("-x") };
	struct ir_guard g = { .kind = IR_GD_WITH, .options = &x, .noptions = 1 };
	struct ir_glob_item v[2] = { { .op = IR_G_BYTE, .byte = '-' },
				     { .op = IR_G_BYTE, .byte = 'x' } };
	size_t i;

	(void)state;
	x.name = (struct ir_glob){ v, 2 };
	for (i = 0; i < ir[1]->rules.n; i++) {
		struct ir_rule *r = ir[1]->rules.v[i];

		if (r->kind != IR_COMMAND || !r->nexcept)
			continue;
		((struct ir_set *)(uintptr_t)r->except)->u.command.guards = &g;
		((struct ir_set *)(uintptr_t)r->except)->u.command.nguards = 1;
	}
	compare_irs(ir[0], ir[1]);
	assert_string_equal(line_of(only_finding(DIFF_DENIED, false)), "foo a");
	compare_irs(ir[1], ir[0]);
	assert_string_equal(line_of(only_finding(DIFF_ASKED, true)), "foo a");
}

static void test_guards_that_mean_the_same_are_alike(void **state)
{
	(void)state;
	is_same(OTHER "deny \"foo:*\" with -f, --force }", OTHER "deny \"foo:*\" with --force, -f }");
	is_same(OTHER "deny \"foo:*\" with -f, --force }",
		OTHER "deny \"foo:*\" with -f  deny \"foo:*\" with --force }");
	is_same(OTHER "allow \"foo:*\" without -a, -b }",
		OTHER "allow \"foo:*\" without -b without -a }");
	is_same(OTHER "allow \"foo *\" within \"a\", \"b\" }",
		OTHER "allow \"foo *\" within \"b\", \"a\" }");
	/* another deny has all of these lines */
	is_same(OTHER "deny \"foo:*\"  deny \"foo b:*\" with -x }",
		OTHER "deny \"foo:*\"  deny \"foo b:*\" with -y }");
	/* what is asked about is denied already */
	is_same(OTHER "deny \"foo:*\"  ask \"foo b:*\" with -x }", OTHER "deny \"foo:*\" }");
	is_same(OTHER "deny \"foo:*\" with -x  ask \"foo b:*\" with -x }",
		OTHER "deny \"foo:*\" with -x  ask \"foo b:*\" with -x, -x }");
}

static void test_a_regular_expression_is_a_language(void **state)
{
	(void)state;
	is_same(OTHER "deny /^foo (a|b)$/ }", OTHER "deny /^foo [ab]$/ }");
	is_same(OTHER "deny /evil/ }", OTHER "deny /ev(i)l/  deny /evil$/ }");
	is_same(OTHER "deny \"foo\" }", OTHER "deny \"foo\"  deny /^foo\\z/ }");
	/* `$` also matches before a last newline */
	differs(OTHER "deny \"foo\" }", OTHER "deny \"foo\"  deny /^foo$/ }", DIFF_DENIED,
		false, "foo\n");
	differs(OTHER "deny /^foo a$/ }", OTHER "deny /^foo [ab]$/ }", DIFF_DENIED, false, "foo b");
	differs(OTHER "allow /^foo [a-c]$/ }", OTHER "allow /^foo [a-d]$/ }", DIFF_ALLOWED, true,
		"foo d");
	differs(OTHER "deny /^foo x/ with -f }", OTHER "deny /^foo x/ with -g }", DIFF_ASKED,
		true, "foo x -f");
}

/* A back-reference is no automaton. */
static void test_what_no_automaton_has_is_undecided(void **state)
{
	size_t i;

	(void)state;
	compare(OTHER "deny /^(a+)b\\1$/ }", OTHER "}");
	assert_int_equal(res.findings.n, 0);
	assert_true(res.doubts.n > 0);
	for (i = 0; i < res.doubts.n; i++)
		assert_false(res.doubts.v[i].narrows_only);
	/* a deny more can only narrow */
	compare(OTHER "}", OTHER "deny /^(a+)b\\1$/ }");
	assert_int_equal(res.findings.n, 0);
	assert_true(res.doubts.n > 0);
	assert_true(res.doubts.v[0].narrows_only);
}

/*
 * Both decide alike, and only one by a rule: the words of another line, or the code of an
 * allowed shell, make the difference.
 */
static void test_a_default_is_not_a_rule(void **state)
{
	(void)state;
	compare("command { interpreter sh { shell }  otherwise ask  allow \"sh:*\"  "
		"ask \"foo:*\" may yes }",
		"command { interpreter sh { shell }  otherwise ask  allow \"sh:*\" }");
	assert_string_equal(line_of(only_finding(DIFF_ALLOWED, true)), "sh -c 'foo'");
	compare("command { interpreter sh { shell }  otherwise deny  allow \"sh:*\"  "
		"deny \"foo:*\" }",
		"command { interpreter sh { shell }  otherwise deny  allow \"sh:*\" }");
	assert_string_equal(line_of(only_finding(DIFF_ALLOWED, true)), "sh -c 'foo'");
	/* without its table, sh is a program that is given words */
	is_same("command { otherwise deny  allow \"sh:*\"  deny \"foo:*\" }",
		"command { otherwise deny  allow \"sh:*\" }");
	is_same("command { otherwise ask  allow \"bar:*\"  ask \"foo:*\" may yes }",
		"command { otherwise ask  allow \"bar:*\" }");
}

/*
 * An allow of an interpreter covers code that nobody sees, even where an ask decides about the
 * program: without code both policies answer alike.
 */
static void test_an_allow_beside_an_ask_covers_code(void **state)
{
	static const char with[] = "command { interpreter xpy { options -c:  code -c }  "
				   "otherwise deny  opaque deny  allow \"xpy **\"  ask \"xpy:*\" }";
	static const char without[] = "command { interpreter xpy { options -c:  code -c }  "
				      "otherwise deny  opaque deny  ask \"xpy:*\" }";

	(void)state;
	compare(without, with);
	assert_string_equal(line_of(only_finding(DIFF_ASKED, true)), "xpy -c x y");
	compare(with, without);
	assert_string_equal(line_of(only_finding(DIFF_DENIED, false)), "xpy -c x y");
	/* a program that runs no code has nothing to cover */
	is_same("command { otherwise deny  opaque deny  allow \"xpy **\"  ask \"xpy:*\" }",
		"command { otherwise deny  opaque deny  ask \"xpy:*\" }");
}

/* Where a region has only one list of words, these decide, and no option can. */
static void test_a_few_words_leave_nothing_to_options(void **state)
{
	(void)state;
	differs(OTHER "allow \"foo a **\" without --x }", OTHER "allow \"foo a\" }", DIFF_ASKED,
		false, "foo a ");
	differs(OTHER "allow \"foo a\" }", OTHER "allow \"foo a **\" without --x }", DIFF_ALLOWED,
		true, "foo a ");
	/* names that go on with ':' have no table either */
	is_same(OTHER "allow \"foo:*\" without -f }", OTHER "allow \"foo:*\" without -f, -rf }");
}

/*
 * An exception of an allow reads as a deny does: an option between its words does not bring a
 * command back into the rule.  diff took its words as they are written, and called alike what
 * lets `foo push --force` through.
 */
static void test_an_exception_reads_over_options(void **state)
{
	static const char without[] = OTHER "allow \"foo push *\" }",
		with[] = OTHER "allow \"foo push *\" except \"foo push\" }";

	(void)state;
	compare(with, without);
	assert_int_equal(strncmp(line_of(only_finding(DIFF_ALLOWED, true)), "foo push -", 10), 0);
	compare(without, with);
	assert_int_equal(strncmp(line_of(only_finding(DIFF_ASKED, false)), "foo push -", 10), 0);
	is_same(with, OTHER "allow \"foo push *\" except \"foo {push|push}\" }");
	/* the same words as no option */
	is_same(OTHER "allow \"foo push a*\" }", OTHER "allow \"foo push a*\" except \"foo push\" }");
}

/* A rule of a few programs is looked at program by program, as one with each name would be. */
static void test_a_program_that_is_one_of_a_few(void **state)
{
	static const char both[] = OTHER "allow \"{aa|bb} x\" }";

	(void)state;
	differs(OTHER "}", both, DIFF_ALLOWED, true, "aa x");
	is_same(both, OTHER "allow \"aa x\"  allow \"{bb|bb} x\" }");
	differs(both, OTHER "allow \"aa x\" }", DIFF_ASKED, false, "bb x");
	/* what denies one of them denies it there, too */
	is_same(OTHER "deny \"{aa|cc}:*\" }", OTHER "deny \"{aa|cc}:*\"  allow \"{aa|aa} x\" }");
	differs(OTHER "deny \"{aa|cc}:*\" }", OTHER "deny \"{aa|cc}:*\"  allow \"{aa|bb} x\" }",
		DIFF_ALLOWED, true, "bb x");
	differs(OTHER "deny \"{aa|bb}:*\" }", OTHER "deny \"aa:*\" }", DIFF_ASKED, true, "bb");
	/* a pattern for any program meets them all */
	is_same(OTHER "deny \"*\" }", OTHER "deny \"*\"  allow \"{aa|bb}\" }");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_a_program_that_is_one_of_a_few),
		WITH(arena, test_an_exception_reads_over_options),
		WITH(arena, test_an_option_of_a_guard_is_spelled),
		WITH(arena, test_a_path_of_a_guard_is_spelled),
		WITH(arena, test_a_guard_of_an_exception_is_spelled),
		WITH(arena, test_guards_that_mean_the_same_are_alike),
		WITH(arena, test_a_regular_expression_is_a_language),
		WITH(arena, test_what_no_automaton_has_is_undecided),
		WITH(arena, test_a_default_is_not_a_rule),
		WITH(arena, test_an_allow_beside_an_ask_covers_code),
		WITH(arena, test_a_few_words_leave_nothing_to_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
