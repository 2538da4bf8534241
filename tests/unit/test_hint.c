/*
 * What would make a line pass (runtime/decide/hint.h): a rule, where one is enough, and
 * else whose it is to change what stands. That a suggested rule is enough is tested with
 * everyday lines (tests/conformance/hints.py).
 */
#include "runtime/decide/hint.h"
#include "tests/unit/hand.h"

static uint8_t block[8 << 20] __attribute__((aligned(16)));

static void expect_at(const char *line, const char *want, int at)
{
	struct cmd_line parts;
	struct decision d;
	struct hint got;

	decide_line(&h.c, line, strlen(line), block, sizeof(block), &parts, &d);
	hint_line(&h.b, "/p", &parts, &d, &got);
	if (strcmp(got.text, want) != 0 || got.rule != (strncmp(want, "command {", 9) == 0))
		fail_msg("%d: %s: '%s', not '%s'", at, line, got.text, want);
}

#define EXPECT(line, want) expect_at(line, want, __LINE__)
#define RULE(z) "command { allow " z " }"
#define NONE_ALLOWS "no rule allows it, so command-otherwise (level default) decides"

static void test_a_rule_that_is_enough(void **state)
{
	(void)state;
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "ls **"); /* r0 */
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_DENY, "rm *");   /* r1 */
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ASK, "push *");  /* r2 */
	hand_compile(&h);
	h.c.cwd = "/p";
	EXPECT("ls", "");
	EXPECT("fix a 'b c' a:", RULE("\"fix a b\\\\ c a\\\\:\""));
	EXPECT("/usr/bin/fix; fix", RULE("\"fix\""));
	EXPECT("fix a; ls; mend b", RULE("\"fix a\", \"mend b\""));
	EXPECT("./fix", RULE("\"./fix\""));
	EXPECT("fix '$a' '*' '\"' '\\'", RULE("\"fix \\$a \\\\* \\\\\\\" \\\\\\\\\""));
	/* in another directory the pattern would be another file */
	EXPECT("cd a; ./fix", NONE_ALLOWS);
	/* no pattern for an empty word, for bytes that people do not see, for too much */
	EXPECT("fix ''", NONE_ALLOWS);
	EXPECT("fix $'a\\e'", NONE_ALLOWS);
	EXPECT("fix a; fix b; fix c; fix d; fix e; fix f; fix g", NONE_ALLOWS);
	/* a rule for the one does not help while the other asks */
	EXPECT("fix; push x", "change rule r2 (level project), say by an 'except'");
	EXPECT("fix; rm x", "change rule r1 (level project), say by an 'except'");
	EXPECT("A=1 fix",
	       "write the line without that variable, or let a policy call it 'safe'");
	EXPECT("fix() { ls; }; fix", "write the commands themselves in place of the name");
	EXPECT("ls 'a", "write it without what cannot be read");
}

static void test_whose_it_is(void **state)
{
	struct ir_rule *last;

	(void)state;
	hand_rule(&h, IR_COMMAND, IR_MANAGED, IR_DENY, "curl *");  /* r0 */
	hand_rule(&h, IR_COMMAND, IR_MANAGED, IR_ASK, "push *");   /* r1 */
	hand_rule(&h, IR_COMMAND, IR_USER, IR_DENY, "rm *");       /* r2 */
	hand_rule(&h, IR_COMMAND, IR_DEFAULT, IR_DENY, "dd *");         /* r3 */
	last = hand_rule(&h, IR_COMMAND, IR_DEFAULT, IR_DENY, "pol *"); /* r4 */
	last->floor = true;
	hand_compile(&h);
	EXPECT("curl x", "locked by managed (rule r0)");
	EXPECT("push x; fix", "locked by managed (rule r1)");
	EXPECT("rm x; fix", "change rule r2 (level user), say by an 'except'");
	EXPECT("dd x", "rule r3 (level default) stands");
	EXPECT("pol x", "nothing: rule r4 is in every policy");
}

static void test_a_locked_section(void **state)
{
	(void)state;
	hand_rule(&h, IR_COMMAND, IR_MANAGED, IR_ALLOW, "ls **");
	h.ir->locked[IR_COMMAND].level = IR_MANAGED;
	hand_compile(&h);
	EXPECT("ls x", "");
	EXPECT("fix", "locked by managed: only a rule there can allow it");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_rule_that_is_enough, hand_setup,
						hand_teardown),
		cmocka_unit_test_setup_teardown(test_whose_it_is, hand_setup, hand_teardown),
		cmocka_unit_test_setup_teardown(test_a_locked_section, hand_setup,
						hand_teardown),
	};

	return cmocka_run_group_tests_name("hint", tests, NULL, NULL);
}
