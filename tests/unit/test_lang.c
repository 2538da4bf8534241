/* From patterns to languages: what each side's wildcards stand for. */
#include "compiler/sets/lang.h"
#include "tests/unit/hand.h"

static bool in(const struct set_re *re, struct str word)
{
	struct set_tagged t = { .re = re };
	struct set_dfa d;
	size_t n;

	assert_int_equal(set_dfa_build(&h.a, &t, 1, 100000, &d), SET_HOLDS);
	return set_dfa_run(&d, word, &n) != NULL;
}

static bool in_path(const char *pattern, bool below, const char *rest)
{
	struct ir_path p = hand_path(&h, pattern, below);

	return in(set_from_path(&h.a, &p), str_from(rest));
}

static void test_paths(void **state)
{
	(void)state;
	assert_true(in_path("/a/*", false, "/a/b"));
	assert_false(in_path("/a/*", false, "/a/b/c"));
	assert_true(in_path("/a/*", true, "/a/b/c"));
	assert_true(in_path("/a", true, "/a"));
	assert_true(in_path("/a", true, "/a/b"));
	assert_false(in_path("/a", true, "/ab"));
	assert_true(in_path("/**/b", false, "/b"));
	assert_true(in_path("/**/b", false, "/x/y/b"));
	assert_false(in_path("/**/b", false, "/xb"));
	assert_true(in_path("/a**", false, "/ab/c"));
	assert_true(in_path("/", true, ""));
	assert_true(in_path("/", true, "/x"));
	assert_true(in_path("/{a|b/c}?", false, "/b/cx"));
	assert_false(in_path("/a?", false, "/a/"));
	assert_true(in_path("/a\\*", false, "/a*"));
	assert_false(in_path("/a\\*", false, "/ab"));
}

static void test_words_by_side(void **state)
{
	const char *z = "a*";
	struct ir_glob g = hand_glob(&h, &z, "");
	struct set_re *broad = set_from_word(&h.a, &g, SET_BROAD);
	struct set_re *narrow = set_from_word(&h.a, &g, SET_NARROW);
	const char *plain = "a09AZ._:/@+-", *c;

	(void)state;
	assert_true(in(broad, STR("a;b $")));
	assert_false(in(narrow, STR("a;b $")));
	assert_true(in(narrow, str_from(plain)));
	assert_false(in(broad, (struct str){ "a\0b", 3 }));
	for (c = " !\"#$%&'()*,;<=>?[\\]^`{|}~\n\x7f\xc3"; *c; c++)
		assert_false(in(narrow, str_printf(&h.a, "a%c", *c)));
	assert_int_equal(set_side_of(IR_ALLOW), SET_NARROW);
	assert_int_equal(set_side_of(IR_ASK), SET_BROAD);
	assert_int_equal(set_side_of(IR_HIDE), SET_BROAD);
}

/* program | place in the project | absolute place | words, a NUL after each. */
static bool in_command(const char *pattern, enum set_side side, const char *fields)
{
	struct ir_command c = hand_command(&h, pattern, side == SET_BROAD);
	char *p = arena_printf(&h.a, "%s|", fields);
	struct str line = { p, strlen(p) };

	for (; *p; p++)
		if (*p == '|')
			*p = '\0';
	return in(set_from_command(&h.a, &c, side), line);
}

static void test_commands(void **state)
{
	(void)state;
	assert_true(in_command("git push", SET_NARROW, "git|||push"));
	assert_true(
		in_command("git push", SET_NARROW, "/usr/bin/git||=/usr/bin/git|push"));
	assert_false(in_command("git push", SET_NARROW, "/x/git||=/x/git|push"));
	assert_true(in_command("git push", SET_BROAD, "/x/git||=/x/git|push"));
	assert_false(in_command("git push", SET_BROAD, "git|||push|x"));
	assert_true(in_command("./g", SET_NARROW, "./g|=g|=/p/g"));
	assert_true(in_command("x/g", SET_NARROW, "./g|=x/g|=/p/x/g"));
	assert_false(in_command("./g", SET_NARROW, "./g|=x/g|=/p/x/g"));
	assert_false(in_command("./g", SET_NARROW, "g|=g|=/p/g"));
	assert_true(in_command("/x/g", SET_NARROW, "./g||=/x/g"));
	assert_true(in_command("/x/g", SET_BROAD, "/y/g||=/y/g"));
	assert_true(in_command("a ** b", SET_NARROW, "a|||b"));
	assert_true(in_command("a ** b", SET_NARROW, "a|||$x|b"));
	assert_true(in_command("a *", SET_BROAD, "a|||x|y"));
	assert_false(in_command("a *", SET_BROAD, "a||"));
	assert_false(in_command("a *", SET_NARROW, "a|||x|y"));
	assert_true(in_command("a:*", SET_NARROW, "a:b||"));
	assert_true(in_command("a:*", SET_NARROW, "a||"));
	assert_false(in_command("a:*", SET_NARROW, "ab||"));
}

static bool in_readings(const char *pattern, const char *fields)
{
	struct ir_command c = hand_command(&h, pattern, true);
	char *p = arena_printf(&h.a, "%s|", fields);
	struct str line = { p, strlen(p) };

	for (; *p; p++)
		if (*p == '|')
			*p = '\0';
	return in(set_from_readings(&h.a, &c), line);
}

static void test_options_stand_anywhere_in_a_reading(void **state)
{
	static const char *const yes[] = { "git|||push", "git|||-x|push", "git|||-C|dir|push",
					   "git|||+x|--|push", "git|||push|-f",
					   "git|||push|--to|x|-a" };
	static const char *const no[] = { "git|||x|push", "git|||push|x", "git|||-|push",
					  "git|||-C|a|b|push", "git||" };
	size_t i;

	(void)state;
	for (i = 0; i < POL_LEN(yes); i++)
		if (!in_readings("git push", yes[i]))
			fail_msg("%s", yes[i]);
	for (i = 0; i < POL_LEN(no); i++)
		if (in_readings("git push", no[i]))
			fail_msg("%s", no[i]);
	assert_true(in_readings("npm:*", "npm|||-x|a"));
	assert_true(in_readings("** push", "git|||push"));
}

static struct ir_rule *tool(enum ir_effect e, const char *z)
{
	return hand_rule(&h, IR_TOOL, IR_USER, e, z);
}

static void test_containment_takes_each_rules_own_side(void **state)
{
	(void)state;
	assert_int_equal(
		set_rule_contains(&h.a, tool(IR_DENY, "a*"), tool(IR_ALLOW, "a*")),
		SET_HOLDS);
	assert_int_equal(
		set_rule_contains(&h.a, tool(IR_ALLOW, "a*"), tool(IR_DENY, "a*")),
		SET_WITNESS);
	assert_int_equal(set_rule_contains(&h.a, tool(IR_DENY, "a*"),
					   hand_rule(&h, IR_COMMAND, IR_USER, IR_ALLOW,
						     "a")), SET_WITNESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(hand, test_paths),
		WITH(hand, test_words_by_side),
		WITH(hand, test_commands),
		WITH(hand, test_options_stand_anywhere_in_a_reading),
		WITH(hand, test_containment_takes_each_rules_own_side),
	};

	return cmocka_run_group_tests_name("lang", tests, NULL, NULL);
}
