/*
 * The reference evaluator on policies that are built by hand: each step of
 * semantics 3.1, risk, and lines that cannot be read.  What the rules of each
 * kind match is in test_eval_kinds.c.
 */
#include "tests/unit/eval_fixture.h"

/* --- the steps of 3.1 ------------------------------------------------------------------ */

static void test_strictest_wins_whatever_its_level(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct eval_decision d;

	(void)state;
	cmd(ir, IR_MANAGED, IR_ALLOW, "git:*");
	cmd(ir, IR_PROJECT, IR_ASK, "git push:*");
	cmd(ir, IR_USER, IR_DENY, "git push -f");
	cmd(ir, IR_USER, IR_DENY, "git push *");
	d = run(ir, "git status");
	assert_effect(d, IR_ALLOW);
	assert_step(d, EVAL_STEP_RULES);
	assert_effect(run(ir, "git push"), IR_ASK);
	d = run(ir, "git push -f");
	assert_effect(d, IR_DENY);
	assert_int_equal(d.rule->index, 2); /* the first with that effect */
	assert_int_equal(d.nmatched, 4);
}

static void test_final_of_level_1_ends_the_list(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct eval_decision d;

	(void)state;
	cmd(ir, IR_MANAGED, IR_ALLOW, "curl:*")->final = true;
	cmd(ir, IR_MANAGED, IR_ASK, "curl -d *");
	cmd(ir, IR_MANAGED_FILE, IR_DENY, "curl:*")->final = true;
	cmd(ir, IR_PROJECT, IR_DENY, "curl:*");
	d = run(ir, "curl x");
	assert_effect(d, IR_ALLOW);
	assert_step(d, EVAL_STEP_FINAL);
	assert_effect(run(ir, "curl -d x"), IR_ASK); /* of the same level */
}

static void test_final_of_level_2(void **state)
{
	struct ir *ir = ir_new(&arena);

	(void)state;
	cmd(ir, IR_MANAGED, IR_ASK, "git push");
	cmd(ir, IR_MANAGED_FILE, IR_ALLOW, "git:*")->final = true;
	cmd(ir, IR_PROJECT, IR_DENY, "git:*");
	assert_effect(run(ir, "git status"), IR_ALLOW);
	assert_effect(run(ir, "git push"), IR_ASK); /* level 1 still counts */
	/* behind a lock of level 1 its final allow is no allow */
	ir->locked[IR_COMMAND].level = IR_MANAGED;
	assert_effect(run(ir, "git status"), IR_DENY);
	assert_int_equal(run(ir, "git status").rule->index, 2);
	/* its final deny is */
	ir->rules.v[1]->effect = IR_DENY;
	assert_int_equal(run(ir, "git status").rule->index, 1);
}

static void test_locked_section_drops_allows_below(void **state)
{
	struct ir *ir = ir_new(&arena);

	(void)state;
	cmd(ir, IR_MANAGED, IR_ALLOW, "git status");
	cmd(ir, IR_MANAGED_FILE, IR_ALLOW, "ls:*");
	cmd(ir, IR_USER, IR_ALLOW, "make");
	cmd(ir, IR_USER, IR_DENY, "git status -v");
	cmd(ir, IR_DEFAULT, IR_ALLOW, "true");
	ir->scalars[IR_S_COMMAND_OTHERWISE].effect = IR_DENY;
	ir->locked[IR_COMMAND].level = IR_MANAGED;
	assert_effect(run(ir, "git status"), IR_ALLOW);
	assert_effect(run(ir, "ls"), IR_DENY);
	assert_effect(run(ir, "make"), IR_DENY);
	assert_effect(run(ir, "true"), IR_DENY); /* step 4 neither */
	ir->locked[IR_COMMAND].level = IR_MANAGED_FILE;
	assert_effect(run(ir, "ls"), IR_ALLOW);
	assert_effect(run(ir, "make"), IR_DENY);
	ir->locked[IR_COMMAND].level = 0;
	assert_effect(run(ir, "make"), IR_ALLOW);
	assert_step(run(ir, "true"), EVAL_STEP_BASE_ALLOW);
}

static void test_defaults_are_lifted_by_allows_that_count(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_rule *allow, *deny;

	(void)state;
	allow = cmd(ir, IR_PROJECT, IR_ALLOW, "scp a");
	cmd(ir, IR_PROJECT, IR_ALLOW, "scp:*");
	deny = cmd(ir, IR_DEFAULT, IR_DENY, "scp:*");
	lifted_by(deny, allow);
	assert_effect(run(ir, "scp a"), IR_ALLOW);
	/* the other allow matches too, and lifts nothing */
	assert_effect(run(ir, "scp b"), IR_DENY);
	assert_step(run(ir, "scp b"), EVAL_STEP_DEFAULT);
	/* an allow that a lock took away lifts nothing */
	ir->locked[IR_COMMAND].level = IR_MANAGED;
	assert_effect(run(ir, "scp a"), IR_DENY);
}

static void test_floor_decides_last_but_decides(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct eval_decision d;
	struct ir_rule *floor;

	(void)state;
	cmd(ir, IR_MANAGED, IR_ALLOW, "polc:*")->final = true;
	cmd(ir, IR_DEFAULT, IR_ASK, "polc x");
	floor = cmd(ir, IR_DEFAULT, IR_DENY, "polc trust:*");
	floor->floor = true;
	d = run(ir, "polc trust x");
	assert_effect(d, IR_DENY);
	assert_step(d, EVAL_STEP_FLOOR);
	lifted_by(floor, ir->rules.v[0]);
	assert_effect(run(ir, "polc trust x"), IR_ALLOW);
	assert_effect(run(ir, "polc x"), IR_ASK);
}

static void test_soft_asks_only_turn_allow_into_ask(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct eval_decision d;

	(void)state;
	cmd(ir, IR_PROJECT, IR_ASK, "make:*")->soft = true;
	cmd(ir, IR_USER, IR_ALLOW, "make a");
	cmd(ir, IR_USER, IR_DENY, "make b");
	cmd(ir, IR_DEFAULT, IR_ALLOW, "make c");
	ir->scalars[IR_S_COMMAND_OTHERWISE].effect = IR_DENY;
	d = run(ir, "make a");
	assert_effect(d, IR_ASK);
	assert_int_equal(d.rule->index, 0);
	assert_effect(run(ir, "make b"), IR_DENY);
	assert_effect(run(ir, "make c"), IR_ASK); /* step 4 said allow */
	d = run(ir, "make d");
	assert_effect(d, IR_DENY);
	assert_null(d.rule);
	ir->scalars[IR_S_COMMAND_OTHERWISE].effect = IR_ALLOW;
	assert_effect(run(ir, "make d"), IR_ASK);
	/* a full level's ask does turn a deny of otherwise into ask */
	ir->scalars[IR_S_COMMAND_OTHERWISE].effect = IR_DENY;
	ir->rules.v[0]->soft = false;
	assert_effect(run(ir, "make d"), IR_ASK);
}

static void test_managed_asks_want_a_person(void **state)
{
	struct ir *ir = ir_new(&arena);

	(void)state;
	cmd(ir, IR_MANAGED_FILE, IR_ASK, "a");
	cmd(ir, IR_PROJECT, IR_ASK, "{a|b}");
	assert_true(run(ir, "a").needs_person);
	assert_false(run(ir, "b").needs_person);
	assert_effect(run(ir, "c"), IR_ASK);
	assert_false(run(ir, "c").needs_person); /* otherwise is no rule */
}

static void test_otherwise_where_nobody_says_one(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_request q = base_request(IR_UNIX);

	(void)state;
	assert_effect(run(ir, "x"), IR_ASK);
	assert_step(run(ir, "x"), EVAL_STEP_OTHERWISE);
	assert_effect(op(ir, IR_READ, "/x"), IR_DENY);
	assert_int_equal(op(ir, IR_EXEC, "/x").scalar, IR_S_FILE_EXEC);
	q.path = STR("/x");
	assert_effect(ask(ir, &q), IR_DENY);
	q = base_request(IR_SYSCALL);
	q.nr_known = true;
	assert_effect(ask(ir, &q), IR_ALLOW);
	q = base_request(IR_TOOL);
	q.tool = STR("t");
	assert_effect(ask(ir, &q), IR_ASK);
}

static void test_exceptions_match_as_the_opposite(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_rule *deny = cmd(ir, IR_PROJECT, IR_DENY, "git push:*");
	struct ir_rule *allow = cmd(ir, IR_PROJECT, IR_ALLOW, "git fetch:*");

	(void)state;
	except(deny, command("git push * x", false));
	except(allow, command("git fetch *", true));
	assert_effect(run(ir, "git push a x"), IR_ASK);
	assert_effect(run(ir, "git push a;b x"), IR_DENY); /* narrow */
	assert_effect(run(ir, "git fetch"), IR_ALLOW);
	assert_effect(run(ir, "git fetch a;b c"), IR_ASK); /* broad, one or more */
}

static void test_scopes(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_request q = line("x");

	(void)state;
	cmd(ir, IR_PROJECT, IR_ALLOW, "x")->scopes = IR_HOST;
	assert_effect(ask(ir, &q), IR_ASK);
	q.scope = IR_HOST;
	assert_effect(ask(ir, &q), IR_ALLOW);
}

/* --- risk and unparsed lines ----------------------------------------------------------------- */

static void risk(struct ir *ir, enum ir_risk class, const char *pattern)
{
	struct ir_risk_fact f = { .risk = class, .level = IR_DEFAULT,
				  .set = command(pattern, class != IR_RISK_LOW),
				  .id = STR("risk"),
				  .at = { STR("t.pol"), 1, 1, SPAN_NONE } };

	VEC_PUSH(ir->a, &ir->risks, f);
}

static void test_risk_the_highest_class_counts(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_scalar *s = &ir->scalars[IR_S_COMMAND_OTHERWISE];

	(void)state;
	s->by_risk = true;
	s->effects[IR_RISK_LOW] = IR_ALLOW;
	s->effects[IR_RISK_MEDIUM] = IR_ASK;
	s->effects[IR_RISK_HIGH] = IR_ASK;
	s->effects[IR_RISK_CRITICAL] = IR_DENY;
	risk(ir, IR_RISK_LOW, "ls *");
	risk(ir, IR_RISK_HIGH, "ls -x");
	risk(ir, IR_RISK_CRITICAL, "rm *");
	assert_effect(run(ir, "ls a"), IR_ALLOW);
	assert_step(run(ir, "ls a"), EVAL_STEP_RISK);
	assert_int_equal(run(ir, "ls -x").risk, IR_RISK_HIGH);
	assert_effect(run(ir, "/opt/rm a b"), IR_DENY); /* as deny matches */
	assert_int_equal(run(ir, "/opt/ls a").risk, IR_RISK_MEDIUM); /* as allow */
	assert_int_equal(run(ir, "ls a b").risk, IR_RISK_MEDIUM);
	assert_null(run(ir, "cat").risk_fact);
	risk(ir, IR_RISK_CRITICAL, "rm -f");
	assert_ptr_equal(run(ir, "rm -f").risk_fact, &ir->risks.v[2]); /* the first */
	assert_effect(run(ir, "cat"), IR_ASK);
}

static void test_unparsed_lines_are_never_allowed(void **state)
{
	static const enum ir_effect want[3][3] = {
		/* opaque allow, ask, deny */
		{ IR_ASK, IR_ASK, IR_DENY },  /* otherwise allow */
		{ IR_ASK, IR_ASK, IR_DENY },  /* ask */
		{ IR_DENY, IR_DENY, IR_DENY } /* deny */
	};
	struct ir *ir = ir_new(&arena);
	struct ir_request q = base_request(IR_COMMAND);

	(void)state;
	cmd(ir, IR_MANAGED, IR_ALLOW, "*")->final = true;
	q.unparsed = true;
	for (int o = IR_ALLOW; o <= IR_DENY; o++) {
		for (int p = IR_ALLOW; p <= IR_DENY; p++) {
			struct eval_decision d;

			ir->scalars[IR_S_COMMAND_OTHERWISE].effect = (enum ir_effect)o;
			ir->scalars[IR_S_COMMAND_OPAQUE].effect = (enum ir_effect)p;
			d = ask(ir, &q);
			assert_effect(d, want[o][p]);
			assert_step(d, EVAL_STEP_OPAQUE);
			assert_null(d.rule);
		}
	}
	ir->scalars[IR_S_COMMAND_OTHERWISE].effect = IR_ASK;
	ir->scalars[IR_S_COMMAND_OPAQUE].effect = IR_ASK;
	assert_true(ask(ir, &q).needs_person);
	ir->scalars[IR_S_COMMAND_OPAQUE].effect = IR_ALLOW;
	assert_false(ask(ir, &q).needs_person);
	/* by risk: of medium */
	ir->scalars[IR_S_COMMAND_OTHERWISE].by_risk = true;
	ir->scalars[IR_S_COMMAND_OTHERWISE].effects[IR_RISK_MEDIUM] = IR_DENY;
	assert_effect(ask(ir, &q), IR_DENY);
	/* no words are no command */
	q.unparsed = false;
	assert_effect(ask(ir, &q), IR_DENY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_strictest_wins_whatever_its_level),
		WITH(arena, test_final_of_level_1_ends_the_list),
		WITH(arena, test_final_of_level_2),
		WITH(arena, test_locked_section_drops_allows_below),
		WITH(arena, test_defaults_are_lifted_by_allows_that_count),
		WITH(arena, test_floor_decides_last_but_decides),
		WITH(arena, test_soft_asks_only_turn_allow_into_ask),
		WITH(arena, test_managed_asks_want_a_person),
		WITH(arena, test_otherwise_where_nobody_says_one),
		WITH(arena, test_exceptions_match_as_the_opposite),
		WITH(arena, test_scopes),
		WITH(arena, test_risk_the_highest_class_counts),
		WITH(arena, test_unparsed_lines_are_never_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
