/*
 * What would make a line pass (runtime/decide/hint.h): a rule, where one is enough, and
 * else whose it is to change what stands. That a suggested rule is enough is tested with
 * everyday lines (tests/conformance/hints.py).
 */
#include "runtime/decide/hint.h"
#include "runtime/decide/rule_text.h"
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
#define NONE_ALLOWS "a rule that allows it; without one command-otherwise (level default) decides"

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
	/* in a sandbox a variable decides nothing */
	EXPECT("A=1 fix", "command { allow \"fix\" }");
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

/* --- connections ------------------------------------------------------------------ */

static void network(enum ir_mode mode, enum ir_level level, unsigned line)
{
	struct ir_scalar *s = &h.ir->scalars[IR_S_NET_MODE];

	s->num = mode;
	s->level = level;
	s->at = (struct ir_place){ .file = STR("p.pol"), .line = line, .col = 1,
				   .span = SPAN_NONE };
	hand_compile(&h);
}

static void expect_net(const struct hint_subject *s, enum ir_scalar_id by, uint8_t effect,
		       const char *want)
{
	const struct decision d = { .effect = effect,
				    .rule = h.b.rules->scalar_first + (uint32_t)by };
	struct hint got;

	hint_request(&h.b, s, &d, &got);
	assert_string_equal(got.text, want);
	assert_int_equal(got.rule, effect == PB_ASK);
}

static const struct hint_subject name = { .kind = PB_NET, .host = "a.example", .port = 443 };

static void test_a_connection_that_no_rule_is_about(void **state)
{
	const struct hint_subject v6 = { .kind = PB_NET, .host = "2001:db8::1", .port = 22,
					 .is_addr = true };
	uint32_t mode, otherwise;

	(void)state;
	network(IR_NET_LIMITED, IR_USER, 7);
	expect_net(&name, IR_S_NET_OTHERWISE, PB_DENY,
		   "network limited { allow tcp \"a.example\" port 443 }");
	expect_net(&name, IR_S_NET_OTHERWISE, PB_ASK,
		   "network limited { allow tcp \"a.example\" port 443 }");
	expect_net(&v6, IR_S_NET_OTHERWISE, PB_DENY,
		   "network limited { allow tcp 2001:db8::1 port 22 }");
	/* nobody wrote `otherwise`: the mode's line is named; another scalar by itself */
	mode = h.b.rules->scalar_first + (uint32_t)PB_S_NET_MODE;
	otherwise = h.b.rules->scalar_first + (uint32_t)PB_S_NET_OTHERWISE;
	assert_int_equal(explain_named(&h.b, otherwise), mode);
	assert_int_equal(explain_named(&h.b, mode), mode);
	assert_int_equal(explain_named(&h.b, otherwise + 1), otherwise + 1);
	assert_int_equal(explain_named(&h.b, UINT32_MAX), UINT32_MAX);
}

static void test_an_otherwise_that_was_written(void **state)
{
	uint32_t otherwise;

	(void)state;
	h.ir->scalars[IR_S_NET_OTHERWISE].at = (struct ir_place){
		.file = STR("p.pol"), .line = 9, .col = 1, .span = SPAN_NONE,
	};
	network(IR_NET_FULL, IR_USER, 7);
	otherwise = h.b.rules->scalar_first + (uint32_t)PB_S_NET_OTHERWISE;
	assert_int_equal(explain_named(&h.b, otherwise), otherwise);
	expect_net(&name, IR_S_NET_OTHERWISE, PB_DENY,
		   "network full { allow tcp \"a.example\" port 443 }");
}

static void test_a_network_that_is_off(void **state)
{
	(void)state;
	network(IR_NET_DISABLED, IR_USER, 7);
	expect_net(&name, IR_S_NET_MODE, PB_DENY,
		   "network limited { allow tcp \"a.example\" port 443 } in place of p.pol:7");
}

static void test_a_network_that_is_off_by_default(void **state)
{
	(void)state;
	network(IR_NET_DISABLED, IR_DEFAULT, 7);
	expect_net(&name, IR_S_NET_MODE, PB_DENY,
		   "network limited { allow tcp \"a.example\" port 443 }");
}

static void test_a_network_that_others_switched_off(void **state)
{
	(void)state;
	network(IR_NET_DISABLED, IR_PROJECT, 7);
	expect_net(&name, IR_S_NET_MODE, PB_DENY,
		   "network disabled (level project) stands: no rule counts");
}

static void test_a_locked_network(void **state)
{
	(void)state;
	h.ir->locked[IR_NET].level = IR_MANAGED;
	network(IR_NET_LIMITED, IR_MANAGED, 7);
	expect_net(&name, IR_S_NET_OTHERWISE, PB_DENY,
		   "locked by managed: only a rule there can allow it");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, hand_setup, hand_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_rule_that_is_enough),
		TEST(test_whose_it_is),
		TEST(test_a_locked_section),
		TEST(test_a_connection_that_no_rule_is_about),
		TEST(test_an_otherwise_that_was_written),
		TEST(test_a_network_that_is_off),
		TEST(test_a_network_that_is_off_by_default),
		TEST(test_a_network_that_others_switched_off),
		TEST(test_a_locked_network),
	};

	return cmocka_run_group_tests_name("hint", tests, NULL, NULL);
}
