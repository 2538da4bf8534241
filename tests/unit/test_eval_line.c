/* What whole lines get: the strictest of their parts, and what is no simple command. */
#include "compiler/eval/line.h"
#include "tests/unit/eval_fixture.h"

static struct eval_decision of_line(const struct ir *ir, const char *text)
{
	struct ir_request q = base_request(IR_COMMAND);

	q.line = str_from(text);
	return ask(ir, &q);
}

static struct ir *policy(void)
{
	struct ir *ir = ir_new(&arena);

	cmd(ir, IR_PROJECT, IR_ALLOW, "ls:*");
	cmd(ir, IR_PROJECT, IR_ALLOW, "cd:*");
	cmd(ir, IR_PROJECT, IR_DENY, "rm:*");
	cmd(ir, IR_PROJECT, IR_ASK, "git push:*");
	rule(ir, IR_PROJECT, IR_ALLOW, IR_FILE,
	     file(IR_ROOT_PROJECT, "/out", IR_WRITE, true));
	rule(ir, IR_PROJECT, IR_HIDE, IR_FILE,
	     file(IR_ROOT_HOME, "/.ssh", IR_ALL_OPS, true));
	return ir;
}

struct line_row {
	const char *text;
	enum ir_effect want;
	int rule; /* that decided, -1: a scalar */
};

static void check_lines(const struct ir *ir, const struct line_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct eval_decision d = of_line(ir, rows[i].text);

		if (d.effect != rows[i].want ||
		    (d.rule ? (int)d.rule->index : -1) != rows[i].rule)
			fail_msg("'%s': %s by %d", rows[i].text, ir_effect_name(d.effect),
				 d.rule ? (int)d.rule->index : -1);
	}
}

static void test_the_strictest_part_decides(void **state)
{
	static const struct line_row rows[] = {
		{ "ls", IR_ALLOW, 0 },
		{ "ls && ls -l | ls", IR_ALLOW, 0 },
		{ "ls; git push", IR_ASK, 3 },
		{ "ls; make; git push", IR_ASK, -1 },
		{ "git push; make", IR_ASK, 3 },
		{ "git push && rm x", IR_DENY, 2 },
		{ "ls $(rm x)", IR_DENY, 2 },
		{ "ls `git push`", IR_ASK, 3 },
		{ "if ls; then rm x; fi", IR_DENY, 2 },
		{ "f() { rm x; }; ls", IR_DENY, 2 },
	};

	(void)state;
	check_lines(policy(), rows, POL_LEN(rows));
}

static void test_redirections_are_files(void **state)
{
	static const struct line_row rows[] = {
		{ "ls >out", IR_ALLOW, 0 },
		{ "ls >out/x 2>&1", IR_ALLOW, 0 },
		/* what only `otherwise` denies is left to the sandbox */
		{ "ls >x", IR_ALLOW, 0 },
		{ "ls >~/.ssh/x", IR_DENY, 5 },
		{ "ls >out/../../.ssh/x", IR_DENY, 5 },
		{ "ls >$HOME/.ssh/x", IR_DENY, 5 },
		{ "ls <>~/.ssh/x", IR_DENY, 5 },
		{ "ls >\"$x\"", IR_ALLOW, 0 },
		{ ">out", IR_ALLOW, 4 },
		/* judged in the new directory and in the old one */
		{ "cd /home/dev; ls >.ssh/x", IR_DENY, 5 },
		{ "cd /home/dev; ls >x", IR_ALLOW, 1 },
	};
	struct ir_request q = base_request(IR_COMMAND);
	struct ir *ir = policy();
	struct eval_decision d;

	(void)state;
	check_lines(ir, rows, POL_LEN(rows));
	/* on the host, a target that is not known: the stricter of `opaque` and `otherwise` */
	ir->scalars[IR_S_FILE_WRITE].effect = IR_ALLOW;
	q.line = STR("ls >\"$x\"");
	q.scope = IR_HOST;
	d = ask(ir, &q);
	assert_effect(d, IR_ASK);
	assert_int_equal(d.scalar, IR_S_COMMAND_OPAQUE);
	assert_true(d.needs_person);
}

static void test_addresses_are_the_network_s(void **state)
{
	struct ir *ir = policy();
	struct ir_set s = { .u.net = { .protos = IR_TCP, .host = IR_HOST_NAME,
				       .name = STR("a.example"), .port_lo = 80,
				       .port_hi = 80 } };

	(void)state;
	assert_effect(of_line(ir, "ls >/dev/tcp/a.example/80"), IR_DENY);
	assert_step(of_line(ir, "ls >/dev/tcp/a.example/80"), EVAL_STEP_MODE);
	ir->scalars[IR_S_NET_MODE].num = IR_NET_LIMITED;
	rule(ir, IR_PROJECT, IR_ALLOW, IR_NET, s);
	assert_effect(of_line(ir, "ls >/dev/tcp/A.example./80"), IR_ALLOW);
	assert_effect(of_line(ir, "ls >/dev/tcp/b.example/80"), IR_DENY);
	assert_effect(of_line(ir, "ls >/dev/udp/a.example/80"), IR_DENY);
	ir->scalars[IR_S_NET_OTHERWISE].effect = IR_ALLOW;
	ir->scalars[IR_S_NET_OTHERWISE].set = true;
	assert_effect(of_line(ir, "ls >/dev/tcp/$h/80"), IR_ASK);
	assert_effect(of_line(ir, "ls >/dev/tcp/9.9.9.9/80"), IR_ALLOW);
}

static void test_lines_that_run_nothing(void **state)
{
	static const struct line_row rows[] = {
		{ "", IR_ALLOW, -1 }, { "  # rm x", IR_ALLOW, -1 }, { "LANG=C", IR_ALLOW, -1 },
	};
	struct ir *ir = policy();

	(void)state;
	ir->scalars[IR_S_COMMAND_OTHERWISE].effect = IR_DENY;
	check_lines(ir, rows, POL_LEN(rows));
	assert_int_equal(of_line(ir, "").line->why, EVAL_LW_NOTHING);
}

static void test_lines_that_cannot_be_read(void **state)
{
	static const struct line_row rows[] = {
		{ "ls; (", IR_ASK, -1 },
		{ "ls; (rm x", IR_DENY, 2 },
		{ "(", IR_ASK, -1 },
	};
	struct ir *ir = policy();
	struct eval_decision d;

	(void)state;
	check_lines(ir, rows, POL_LEN(rows));
	d = of_line(ir, "ls; (");
	assert_int_equal(d.line->why, EVAL_LW_UNPARSED);
	assert_true(d.needs_person);
	assert_step(d, EVAL_STEP_OPAQUE);
	ir->scalars[IR_S_COMMAND_OTHERWISE].effect = IR_ALLOW;
	ir->scalars[IR_S_COMMAND_OPAQUE].effect = IR_ALLOW;
	assert_effect(of_line(ir, "("), IR_ASK); /* never allow */
}

static void test_a_shell_that_is_not_read(void **state)
{
	struct ir *ir = policy();
	struct eval_decision d;

	(void)state;
	ir->shell.level = IR_PROJECT;
	ir->shell.name = STR("zsh");
	d = of_line(ir, "ls");
	assert_effect(d, IR_DENY);
	assert_int_equal(d.line->why, EVAL_LW_SHELL);
	assert_int_equal(d.scalar, IR_S_COMMAND_OPAQUE);
	ir->shell.name = STR("dash");
	assert_effect(of_line(ir, "ls"), IR_ALLOW);
	assert_effect(of_line(ir, "ls <(ls)"), IR_ASK);
	ir->shell.name = STR("bash");
	assert_effect(of_line(ir, "ls <(ls)"), IR_ALLOW);
}

static void test_past_a_limit_everything_is_denied(void **state)
{
	struct ir *ir = policy();
	struct eval_decision d;
	char text[4096];
	size_t n = 0;

	(void)state;
	while (n < 2000)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "$(ls ");
	while (n < 2400)
		text[n++] = ')';
	text[n] = '\0';
	d = of_line(ir, text);
	assert_effect(d, IR_DENY);
	assert_int_equal(d.line->why, EVAL_LW_LIMIT);
}

static void test_every_ask_must_be_answered(void **state)
{
	struct ir *ir = policy();

	(void)state;
	cmd(ir, IR_MANAGED, IR_ASK, "make:*");
	assert_false(of_line(ir, "git push").needs_person);
	assert_true(of_line(ir, "git push; make").needs_person);
	/* the first part decides, and another part wants the person */
	assert_int_equal(of_line(ir, "git push; make").rule->index, 3);
	assert_false(of_line(ir, "git push; make; rm x").needs_person);
}

static void test_risk_is_the_highest_of_the_line(void **state)
{
	struct ir *ir = policy();
	struct ir_risk_fact low = { .risk = IR_RISK_LOW, .kind = IR_COMMAND },
			    high = { .risk = IR_RISK_HIGH, .kind = IR_COMMAND };

	(void)state;
	low.set = command("ls:*", false);
	high.set = command("git push:*", true);
	VEC_PUSH(&arena, &ir->risks, low);
	VEC_PUSH(&arena, &ir->risks, high);
	assert_int_equal(of_line(ir, "ls; ls").risk, IR_RISK_LOW);
	assert_int_equal(of_line(ir, "ls; make").risk, IR_RISK_MEDIUM);
	assert_int_equal(of_line(ir, "ls; git push; ls").risk, IR_RISK_HIGH);
	assert_int_equal(of_line(ir, "").risk, IR_RISK_MEDIUM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_the_strictest_part_decides),
		WITH(arena, test_redirections_are_files),
		WITH(arena, test_addresses_are_the_network_s),
		WITH(arena, test_lines_that_run_nothing),
		WITH(arena, test_lines_that_cannot_be_read),
		WITH(arena, test_a_shell_that_is_not_read),
		WITH(arena, test_past_a_limit_everything_is_denied),
		WITH(arena, test_every_ask_must_be_answered),
		WITH(arena, test_risk_is_the_highest_of_the_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
