/*
 * What levels make of each other beside decisions (semantics 3): which faults are said, what is
 * dropped and says so, scalars, the environment, the marks of rules.
 */
#include "compiler/analysis/lift.h"
#include "compiler/eval/eval.h"
#include "tests/unit/levels_fixture.h"

/* --- errors ---------------------------------------------------------------- */

static const struct {
	struct texts t;
	const char *code, *say;
} errors[] = {
	{ { .p = "command { final deny \"x\" }" }, "P0312", "reserved for managed levels" },
	{ { .p = "command { final deny \"x\" }" }, "P0312", "level 'project'" },
	{ { .u = "file { final allow read \"/x\" }" }, "P0312", "drop 'final'" },
	{ { .d = "command { final deny \"x\" }" }, "P0312", "as a discovered file" },
	{ { .base = "command { final deny \"x\" }" }, "P0312", "level 'default'" },
	{ { .m = "command { final ask \"x\" }" }, "P0314", "no lower level can loosen" },
	{ { .p = "locked command { }" }, "P0313", "reserved for managed levels" },
	{ { .u = "command { locked otherwise deny }" }, "P0313", "reserved" },
	{ { .u = "env { locked keep PATH }" }, "P0313", "reserved" },
	{ { .p = "policy p { locked base std }" }, "P0313", "reserved" },
	{ { .m = "command { locked opaque deny }", .u = "command { opaque ask }" },
	  "P0311", "'command opaque' is locked by level 'managed'" },
	{ { .m = "command { locked otherwise ask }", .f = "command { otherwise deny }" },
	  "P0311", "'command otherwise'" },
	{ { .m = "limits { locked time 60s }", .d = "limits { time 1s }" }, "P0311",
	  "'limits time'" },
	{ { .f = "locked limits { time 60s }", .u = "limits { time 1s }" }, "P0311",
	  "managed-file" },
	{ { .m = "env { locked keep PATH }", .u = "env { keep += X }" }, "P0311",
	  "'env keep' is locked" },
	{ { .m = "env { locked set A = \"1\" }", .u = "env { set A = \"2\" }" }, "P0311",
	  "'A' is locked by level 'managed'" },
	{ { .p = "limits { time 1s time 2s }" }, "P0310", "two values" },
	{ { .p = "command { otherwise ask otherwise deny }" }, "P0310", "two values" },
	{ { .p = "env { keep A  keep B }" }, "P0310", "'keep +='" },
	{ { .p = "env { set A = \"1\" set A = \"2\" }" }, "P0310", "'A' two values" },
	{ { .p = "network limited { } network full { }" }, "P0310", "'network mode'" },
	{ { .p = "env { set A = \"\\${HOME} ${HOME}\" }" }, "P0205", "a root's name" },
	{ { .p = "env { set A = r\"${HOME}\" }" }, "P0205", "a root's name" },
};

static void test_every_fault_has_its_message(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(errors); i++) {
		struct fx f;

		load(&f, &errors[i].t, NULL);
		if (fx_run(&f) || !fx_said(&f, errors[i].code, errors[i].say)) {
			fx_show(&f);
			fail_msg("row %zu: no %s '%s'", i, errors[i].code, errors[i].say);
		}
		fx_release(&f);
	}
}

/* --- what is dropped, and says so ------------------------------------------ */

static const struct {
	struct texts t;
	const char *why;
	size_t n;
} drops[] = {
	{ { .d = "command { allow \"x\" }" }, "narrow-only", 1 },
	{ { .d = "file { scratch \"/s\" }" }, "narrow-only", 1 },
	{ { .d = "command { safe A  inert \"x\"  program p { }  risk low \"x\" }" },
	  "narrow-only", 4 },
	{ { .d = "command { taint A  risk high \"x\"  deny \"y\" }" }, "", 0 },
	{ { .d = "limits { time 2h }", .u = "limits { time 1h }" }, "tightens", 1 },
	{ { .d = "limits { time 1h }", .u = "limits { time 2h }" }, "", 0 },
	{ { .d = "env { set A = \"1\" }" }, "sets no variables", 1 },
	{ { .d = "env { keep += A }" }, "tightens", 1 },
	{ { .d = "env { keep A, B }", .u = "env { keep A }" }, "tightens", 1 },
	{ { .m = "locked command { }", .u = "command { allow \"x\" }" },
	  "locked by managed", 1 },
	{ { .m = "locked command { }", .p = "command { safe A  risk low \"x\" }" },
	  "lower facts", 2 },
	{ { .m = "locked command { }",
	    .f = "command { safe A  pin p = \"/bin/p\"  shell posix  interpreter i { }  "
		 "wrapper w { }  program p { }  inert \"x\"  risk low \"x\" }" },
	  "lower facts", 8 },
	{ { .m = "command { final deny \"x\" }",
	    .f = "command { safe A  taint B  risk high \"x\" } tool t { risk read-only }" },
	  "lower facts", 1 },
	{ { .m = "locked tools { }",
	    .f = "tool t { risk read-only } tool v { risk network }" }, "class one lower", 1 },
	{ { .m = "tools { final deny \"x\" }", .f = "tool t { risk read-only }" },
	  "class one lower", 1 },
	/* a level's own, and those of a level above */
	{ { .f = "locked command { safe A }" }, "", 0 },
	{ { .f = "locked command { }", .m = "command { safe A }" }, "", 0 },
	{ { .m = "locked command { }", .base = "command { safe A  program p { } }" }, "", 0 },
	{ { .m = "locked file { }", .f = "command { safe A }" }, "", 0 },
	{ { .m = "locked command { otherwise deny }", .u = "command { otherwise ask }" },
	  "only tighter", 1 },
	{ { .m = "locked file { }", .base = "file { allow read \"/b\" }" },
	  "locked by managed", 1 },
	{ { .d = "policy d { base none }" }, "tightens", 1 },
};

static void test_what_is_dropped_says_so(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(drops); i++) {
		struct fx f;

		load(&f, &drops[i].t, NULL);
		if (!fx_run(&f)) {
			fx_show(&f);
			fail_msg("row %zu does not compile", i);
		}
		if (f.ir->dropped.n != drops[i].n)
			fail_msg("row %zu: %zu dropped, not %zu", i, f.ir->dropped.n,
				 drops[i].n);
		for (size_t k = 0; k < f.ir->dropped.n; k++) {
			const struct ir_dropped *d = &f.ir->dropped.v[k];

			assert_non_null(memmem(d->why.p, d->why.n, drops[i].why,
					       strlen(drops[i].why)));
			assert_true(d->at.line > 0 && d->text.n > 0);
		}
		fx_release(&f);
	}
}

/* --- scalars --------------------------------------------------------------- */

static void test_a_scalar_knows_what_it_overrode(void **state)
{
	static const struct texts t = { .m = "limits { time 10s }",
					.u = "limits { time 20s }",
					.base = "limits { time 30s }" };
	const struct ir_scalar *s;
	struct fx f;

	(void)state;
	load(&f, &t, NULL);
	assert_true(fx_run(&f));
	s = &f.ir->scalars[IR_S_LIMIT_TIME];
	assert_int_equal(s->num, 10000);
	assert_int_equal(s->level, IR_MANAGED);
	assert_int_equal(s->nover, 2);
	assert_int_equal(s->over[0].num, 20000);
	assert_int_equal(s->over[1].num, 30000);
	assert_int_equal(s->over[1].level, IR_DEFAULT);
	assert_true(str_eqz(s->over[0].at.file, "u.pol"));
	fx_release(&f);
}

static void test_a_file_overrides_what_it_uses(void **state)
{
	struct fx f;

	(void)state;
	fx_init(&f);
	fx_write(&f, "lib.pol", "limits { time 10s }\nenv { keep A  set X = \"1\" }\n"
		 "command { otherwise deny }\n");
	fx_add(&f, "p.pol", "use ./lib\nlimits { time 20s }\n"
	       "env { keep B  set X = \"2\" }\ncommand { otherwise ask }\n",
	       IR_PROJECT, false);
	if (!fx_run(&f))
		fx_show(&f);
	assert_non_null(f.ir);
	assert_int_equal(f.ir->scalars[IR_S_LIMIT_TIME].num, 20000);
	assert_int_equal(f.ir->scalars[IR_S_COMMAND_OTHERWISE].effect, IR_ASK);
	assert_int_equal(f.ir->keep.n, 1);
	assert_true(str_eqz(f.ir->keep.v[0].name, "B"));
	assert_int_equal(f.ir->env.n, 1);
	assert_true(str_eqz(f.ir->env.v[0].value, "2"));
	fx_release(&f);
}

static void test_two_files_of_one_level_must_agree(void **state)
{
	struct fx f;

	(void)state;
	fx_init(&f);
	fx_add(&f, "a.pol", "limits { time 10s }\n", IR_USER, false);
	fx_add(&f, "b.pol", "limits { time 20s }\n", IR_USER, false);
	assert_false(fx_run(&f));
	assert_true(fx_said(&f, "P0310", "level 'user' gives 'limits time' two values"));
	fx_release(&f);
	fx_init(&f);
	fx_add(&f, "a.pol", "limits { time 10s }\n", IR_USER, false);
	fx_add(&f, "b.pol", "limits { time 10s }\n", IR_USER, false);
	assert_true(fx_run(&f));
	fx_release(&f);
}

static void test_the_environment(void **state)
{
	static const struct texts t = {
		.base = "env { keep PATH, \"LC_*\"  set A = \"base\" }",
		.u = "env { keep += X  set A = \"\\$x ${HOME}\" }",
		.d = "env { keep PATH, LC_ALL, Y }",
		.m = "env { keep += Z }",
	};
	struct fx f;

	(void)state;
	load(&f, &t, NULL);
	assert_true(fx_run(&f));
	/* base, X; narrow: PATH and LC_ALL are among them, Y and X are not; Z */
	assert_int_equal(f.ir->keep.n, 3);
	assert_true(str_eqz(f.ir->keep.v[0].name, "PATH"));
	assert_true(str_eqz(f.ir->keep.v[1].name, "LC_ALL"));
	assert_true(str_eqz(f.ir->keep.v[2].name, "Z"));
	assert_int_equal(f.ir->keep.v[2].level, IR_MANAGED);
	assert_int_equal(f.ir->env.n, 1);
	assert_true(str_eqz(f.ir->env.v[0].value, "$x ${HOME}"));
	fx_release(&f);
}

/* --- marks ----------------------------------------------------------------- */

static void test_rules_carry_their_marks(void **state)
{
	static const struct texts t = {
		.m = "locked command { final deny \"a\"  ask \"b\" }",
		.f = "command { ask \"c\" }",
		.d = "command { ask \"d\" }\nfile { ask read \"/x\" }",
		.u = "command { ask \"e\"  deny \"f\" because \"w\\$\" }",
	};
	struct fx f;

	(void)state;
	load(&f, &t, NULL);
	assert_true(fx_run(&f));
	assert_true(fx_rule(&f, 0)->final);
	assert_false(fx_rule(&f, 1)->soft);
	assert_true(fx_rule(&f, 2)->soft);  /* below a lock */
	assert_true(fx_rule(&f, 3)->soft);  /* narrow-only and below */
	assert_false(fx_rule(&f, 3)->full);
	assert_true(fx_rule(&f, 4)->soft);  /* narrow-only */
	assert_true(fx_rule(&f, 5)->soft);
	assert_true(fx_rule(&f, 5)->full);
	assert_true(str_eqz(fx_rule(&f, 6)->because, "w$"));
	assert_int_equal(f.ir->locked[IR_COMMAND].level, IR_MANAGED);
	assert_true(str_eqz(f.ir->locked[IR_COMMAND].at.file, "m.pol"));
	assert_int_equal(f.ir->locked[IR_FILE].level, 0);
	fx_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_fault_has_its_message),
		cmocka_unit_test(test_what_is_dropped_says_so),
		cmocka_unit_test(test_a_scalar_knows_what_it_overrode),
		cmocka_unit_test(test_a_file_overrides_what_it_uses),
		cmocka_unit_test(test_two_files_of_one_level_must_agree),
		cmocka_unit_test(test_the_environment),
		cmocka_unit_test(test_rules_carry_their_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
