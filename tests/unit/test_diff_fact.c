/*
 * What diff says of facts: what a statement says counts, not how it is written, and which
 * of two statements counts is a fact, too.  And of values that only change their level.
 */
#include "tests/unit/diff_fixture.h"

static void add_input(struct options *o, const char *text, char *path)
{
	struct sema_input in = { .level = 0 };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(close(fd), 0);
	in.path = path;
	in.name = str_from(path + strlen("/tmp/"));
	VEC_PUSH(&arena, &o->inputs, in);
}

/* The bodies of a policy of level managed and one of level user. */
static struct ir *of_levels(const char *high, const char *low)
{
	struct compilation *c = ARENA_NEW(&arena, struct compilation);
	struct options *o = ARENA_NEW(&arena, struct options);
	char x[] = "/tmp/pol-high.XXXXXX", y[] = "/tmp/pol-low.XXXXXX";

	*o = (struct options){ .scope = IR_SANDBOX, .verb = CLI_CHECK };
	add_input(o, arena_printf(&arena, "policy h { level managed base none }\n%s", high), x);
	add_input(o, arena_printf(&arena, "policy l { level user }\n%s", low), y);
	compilation_init(c, o, &arena);
	if (passes_run(c, "lift") != CLI_CLEAN) {
		diag_render(stderr, &c->sink, &c->map, false);
		fail_msg("%s%s", high, low);
	}
	assert_int_equal(unlink(x), 0);
	assert_int_equal(unlink(y), 0);
	return c->ir;
}

/* Everything that is found is about facts, and widens. */
static void differs(enum diff_change change)
{
	bool found = false;

	for (size_t i = 0; i < res.findings.n; i++) {
		assert_string_equal(res.findings.v[i].kind, "fact");
		assert_true(res.findings.v[i].widening);
		found |= res.findings.v[i].change == change;
	}
	assert_true(found);
	assert_int_equal(res.doubts.n, 0);
}

static void facts_differ(const char *old, const char *new, enum diff_change change)
{
	compare(old, new);
	differs(change);
	compare(new, old);
	differs(change == DIFF_ADDED ? DIFF_REMOVED : change);
}

/* The text of a statement names a variable, and not its value. */
static void test_the_value_of_a_variable_counts(void **state)
{
	(void)state;
	facts_differ("let X = \"/usr/bin/git\"  command { pin git = \"${X}\" }",
		     "let X = \"/usr/bin/env\"  command { pin git = \"${X}\" }", DIFF_ADDED);
	facts_differ("let X = \"/bin/bash\"  command { shell bash = \"${X}\" }",
		     "let X = \"/bin/bush\"  command { shell bash = \"${X}\" }", DIFF_ADDED);
	facts_differ("let X = [\"echo:*\"]  command { inert X }",
		     "let X = [\"echo:*\", \"sudo:*\"]  command { inert X }", DIFF_ADDED);
	facts_differ("let X = \"echo\"  command { inert \"${X}:*\" }",
		     "let X = \"sudo\"  command { inert \"${X}:*\" }", DIFF_ADDED);
}

static void test_both_values_are_shown(void **state)
{
	const struct diff_said *old, *new;

	(void)state;
	compare("let X = \"/usr/bin/git\"  command { pin git = \"${X}\" }",
		"let X = \"/usr/bin/env\"  command { pin git = \"${X}\" }");
	assert_int_equal(res.findings.n, 2);
	old = &res.findings.v[0].side[0];
	new = &res.findings.v[1].side[1];
	assert_non_null(strstr(str_z(&arena, old->value), "/usr/bin/git"));
	assert_non_null(strstr(str_z(&arena, new->value), "/usr/bin/env"));
}

static void test_another_spelling_says_the_same(void **state)
{
	(void)state;
	is_same("let X = \"/usr/bin/git\"  command { pin git = \"${X}\" }",
		"let Y = \"/usr/bin/git\"  command { pin git = \"${Y}\" }");
	is_same("command { inert \"echo:*\" }", "let X = \"echo:*\"  command { inert X }");
	is_same("command { taint A  safe B  program x { options -a|-b: } }",
		"command { program x { options -a|-b: }  safe B  taint A }");
	is_same("command { program x { options -a: }  program x { options -b } }",
		"command { program x { options -b }  program x { options -a: } }");
}

/* Of two statements about one option, and about operands, the first counts. */
static void test_the_order_counts_where_statements_disagree(void **state)
{
	(void)state;
	facts_differ("command { program x { options -a: }  program x { options -a } }",
		     "command { program x { options -a }  program x { options -a: } }",
		     DIFF_CHANGED);
	facts_differ("command { wrapper w { skip 1 }  wrapper w { skip 2 } }",
		     "command { wrapper w { skip 2 }  wrapper w { skip 1 } }", DIFF_CHANGED);
}

/* The highest level's counts: the same statements, but each at the other's level. */
static void test_the_level_counts(void **state)
{
	static const char *const pairs[][2] = {
		{ "pin git = \"/usr/bin/git\"", "pin git = \"/usr/bin/env\"" },
		{ "shell bash", "shell posix" },
		{ "program x { options -a: }", "program x { options -a }" },
		{ "wrapper w { skip 1 }", "wrapper w { skip 2 }" },
		{ "safe A", "taint A" },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(pairs); i++) {
		const char *x = arena_printf(&arena, "command { %s }", pairs[i][0]);
		const char *y = arena_printf(&arena, "command { %s }", pairs[i][1]);

		compare_irs(of_levels(x, y), of_levels(y, x));
		assert_true(res.findings.n > 0);
		compare_irs(of_levels(x, y), of_levels(x, y));
		assert_int_equal(res.findings.n + res.doubts.n, 0);
		compare_irs(of_levels(x, ""), of_levels("", x));
		differs(DIFF_LEVEL);
	}
}

/* A value that another level may override, or no longer. */
static void test_a_value_that_changes_its_level_is_seen(void **state)
{
	static const char *const texts[] = {
		"limits { time 1m }", "command { otherwise deny }", "network disabled",
		"setting \"a.b\" = 1", "env { set A = \"1\" }",
		"env { keep A }", "env { secret A from file \"/x\" }",
		"alert a when denied > 5 per 1m do block",
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(texts); i++) {
		struct ir *up = resolved(
			arena_printf(&arena, "policy p { level managed }\n%s", texts[i]));
		struct ir *down = resolved(
			arena_printf(&arena, "policy p { level user }\n%s", texts[i]));

		print_message("%s\n", texts[i]);
		compare_irs(up, down);
		(void)only_finding(DIFF_LEVEL, true);
		compare_irs(down, up);
		(void)only_finding(DIFF_LEVEL, true);
	}
	/* nothing comes between the user and the library */
	compare_irs(resolved("policy p { level user }\nlimits { disk 4G }"),
		    resolved("policy p { level user }"));
	assert_int_equal(res.findings.n + res.doubts.n, 0);
}

/* A bundle brings the tables by which its lines are read: they must be those that it says. */
static void test_tables_that_nobody_states_are_a_doubt(void **state)
{
	struct ir *old = managed("command { program x { options -a: } }");
	struct ir *new = managed("command { program x { options -a: } }");
	struct ir *other = managed("command { program x { options -a } }");

	(void)state;
	new->line_facts = other->line_facts;
	compare_irs(old, new);
	assert_int_equal(res.findings.n, 0);
	assert_int_equal(res.doubts.n, 1);
	assert_false(res.doubts.v[0].narrows_only);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_the_value_of_a_variable_counts),
		WITH(arena, test_both_values_are_shown),
		WITH(arena, test_another_spelling_says_the_same),
		WITH(arena, test_the_order_counts_where_statements_disagree),
		WITH(arena, test_the_level_counts),
		WITH(arena, test_a_value_that_changes_its_level_is_seen),
		WITH(arena, test_tables_that_nobody_states_are_a_doubt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
