/* Rewrites that mean nothing are alike, also of rules that are final or hold until a day. */
#include "tests/unit/diff_fixture.h"

/* The control: the same with another set. */
static void differs(const char *old, const char *new)
{
	compare(old, new);
	if (!res.findings.n && !res.doubts.n)
		fail_msg("%s\n%s: alike", old, new);
}

static void test_alternatives(void **state)
{
	(void)state;
	is_same("command { deny \"a b\" until 2999-01-01 }", "command { deny \"a {b|b}\" until 2999-01-01 }");
	is_same("command { final deny \"{a|b} c\" }", "command { final deny \"{b|a} c\" }");
	is_same("command { deny \"a\" within \"/{x,y}\" }", "command { deny \"a\" within \"/{y,x,x}\" }");
	is_same("file { allow read \"/a/b\" except \"/a/b/{c,d}\" until 2999-01-01 }",
	     "file { allow read \"/a/{b,b}\" except \"/a/b/{d,c}\" until 2999-01-01 }");
	is_same("unix { final allow \"/a\" }", "unix { final allow \"/{a,a}\" }");
	is_same("tools { final deny \"a*\" until 2999-01-01 }", "tools { final deny \"{a|a}*\" until 2999-01-01 }");
	differs("command { final deny \"{a|b} c\" }", "command { final deny \"{b|b} c\" }");
	differs("tools { final deny \"a*\" }", "tools { final deny \"{a|b}*\" }");
	differs("file { allow read \"/a/b\" until 2999-01-01 }", "file { allow read \"/a/{b,c}\" until 2999-01-01 }");
}

static void test_split_blocks_and_statements(void **state)
{
	(void)state;
	is_same("network limited { final deny 10.1.0.0/16 }", "network limited { final deny 10.1.0.0/17, 10.1.128.0/17 }");
	is_same("network limited { ask 10.1.0.0/16 until 2999-01-01 }",
	     "network limited { ask 10.1.0.0/17 until 2999-01-01  ask 10.1.128.0/17 until 2999-01-01 }");
	is_same("tools { final allow \"{a|b}\" until 2999-01-01 }",
	     "tools { final allow \"b\" until 2999-01-01  final allow \"a\" until 2999-01-01 }");
	differs("network limited { final deny 10.1.0.0/16 }",
		"network limited { final deny 10.1.0.0/17, 10.1.192.0/18 }");
	differs("network limited { ask 10.1.0.0/16 until 2999-01-01 }",
		"network limited { ask 10.1.0.0/17 until 2999-01-01  ask 10.1.128.0/17 until 2999-01-02 }");
	differs("network limited { ask 10.1.0.0/16 until 2999-01-01 }",
		"network limited { ask 10.1.0.0/17 until 2999-01-01  ask 10.1.128.0/17 }");
	/* a rule that was there in other words is final no more */
	differs("tools { final allow \"{a|b}\" }", "tools { final allow \"b\"  allow \"a\" }");
}

/* Without the header the gateway dials another port, and what the run sends goes out as it
 * is. */
static void test_a_header_that_is_gone_may_widen(void **state)
{
	const char *with = "env { secret S from file \"/s\" } network limited "
			   "{ allow tcp \"a.example\" inject header \"X\" from secret S }";
	const char *without = "env { secret S from file \"/s\" } network limited "
			      "{ allow tcp \"a.example\" port 80 }";

	(void)state;
	compare(with, without);
	(void)only_finding(DIFF_GATEWAY, true);
	compare(without, with);
	(void)only_finding(DIFF_GATEWAY, true);
	is_same(with, with);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_alternatives),
		WITH(arena, test_split_blocks_and_statements),
		WITH(arena, test_a_header_that_is_gone_may_widen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
