/* The facts of std/base that are a part of polc (compiler/lower/ready_block.h). */
#include <sodium.h>

#include "compiler/lower/line_facts.h"
#include "compiler/lower/ready.h"
#include "compiler/lower/ready_block.h"
#include "tests/unit/sema_fixture.h"

/* The policy on the real library. */
static void resolve(struct fx *f, const char *text)
{
	fx_init(f);
	f->s.stdlib_dir = POL_STDLIB_DIR;
	fx_add(f, "own.pol", text, IR_USER, false);
	assert_true(fx_run(f));
}

static void test_it_is_what_lowering_makes(void **state)
{
	const struct line_facts *made;
	struct fx f;

	(void)state;
	resolve(&f, "policy p { level user }\ncommand { allow \"git status\" }\n");
	assert_true(facts_ready.size > 100 * 1000);
	assert_ptr_equal(f.ir->line_facts, facts_ready.block);
	made = lower_line_facts_anew(f.ir, &f.a, &f.sink);
	assert_non_null(made);
	assert_ptr_not_equal(made, facts_ready.block);
	assert_int_equal(made->head.size, facts_ready.size);
	assert_memory_equal(made, facts_ready.block, facts_ready.size);
	fx_release(&f);
}

/* What a policy adds, however little, makes a block of its own. */
static void test_other_facts_are_made_anew(void **state)
{
	static const char *const adds[] = {
		"command { program git { options -Q: } }",
		"command { program nosuch { options -x } }",
		"command { wrapper sudo { options -Q: } }",
		"command { taint NOSUCH }",
		"command { safe NOSUCH }",
		"command { shell posix }",
		"command { pin git = \"/usr/bin/git\" }",
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(adds); i++) {
		struct fx f;

		resolve(&f, adds[i]);
		if (f.ir->line_facts == facts_ready.block)
			fail_msg("%s", adds[i]);
		assert_true(facts_ready_for(f.ir) == NULL);
		fx_release(&f);
	}
}

/* --- each member that the block is made from is in the key ----------------------- */

static uint8_t before[FACTS_KEY_BYTES];

static void expect_other(const struct ir *ir, const char *what)
{
	uint8_t now[FACTS_KEY_BYTES];

	facts_key(ir, now);
	if (memcmp(now, before, sizeof(now)) == 0)
		fail_msg("%s is not in the key", what);
}

/* Changes the member, looks at the key, and changes it back. */
#define CHANGE(member, value)                                  \
	do {                                                   \
		__typeof__(member) was_ = (member);            \
		(member) = (value);                            \
		expect_other(&ir, #member);                    \
		(member) = was_;                               \
	} while (0)

static void test_each_member_counts(void **state)
{
	struct ir_optspec option = { .name = STR("-x"), .flags = LINE_OF_CODE,
				     .when = { .is = true, .text = STR("a") } };
	struct ir_code_place place = { .operand = 1, .when = { .is = true, .text = STR("b") } };
	struct str word[4] = { STR("w0"), STR("w1"), STR("w2"), STR("w3") };
	struct ir_program p = { .name = STR("prog"), .kind = LINE_PK_PROGRAM,
				.options = &option, .noptions = 1, .codes = &place, .ncodes = 1,
				.after = &word[0], .nafter = 1, .ends = &word[1], .nends = 1,
				.also = &word[2], .nalso = 1, .defaults = &word[3],
				.ndefaults = 1 };
	struct ir_var var = { .name = STR("VAR") };
	struct ir_pin pin = { .name = STR("tool"), .path = STR("/t"), .sha256 = STR("") };
	struct ir ir = { .shell = { .level = IR_USER, .name = STR("bash"), .path = STR("/b") } };

	(void)state;
	ir.programs.v = &p, ir.programs.n = 1;
	ir.vars.v = &var, ir.vars.n = 1;
	ir.pins.v = &pin, ir.pins.n = 1;
	facts_key(&ir, before);
	CHANGE(p.name, STR("prof"));
	CHANGE(p.kind, LINE_PK_WRAPPER);
	CHANGE(p.flags, p.flags ^ 1u);
	CHANGE(p.skip, 1);
	CHANGE(p.noptions, 0);
	CHANGE(p.ncodes, 0);
	CHANGE(p.nafter, 0);
	CHANGE(p.nends, 0);
	CHANGE(p.nalso, 0);
	CHANGE(p.ndefaults, 0);
	for (size_t i = 0; i < POL_LEN(word); i++)
		CHANGE(word[i], STR("other"));
	CHANGE(option.name, STR("-y"));
	CHANGE(option.takes, LINE_TAKES_VALUE);
	CHANGE(option.says_takes, true);
	CHANGE(option.flags, 0);
	CHANGE(option.same, 7);
	CHANGE(option.when.is, false);
	CHANGE(option.when.i, true);
	CHANGE(option.when.x, true);
	CHANGE(option.when.text, STR("c"));
	CHANGE(place.kind, LINE_PLACE_CODE + 1);
	CHANGE(place.operand, 2);
	CHANGE(place.when.is, false);
	CHANGE(place.when.text, STR("c"));
	CHANGE(var.name, STR("VAS"));
	CHANGE(var.taint, true);
	CHANGE(pin.name, STR("tooi"));
	CHANGE(pin.path, STR("/u"));
	CHANGE(pin.sha256, STR("00"));
	CHANGE(ir.shell.level, 0);
	CHANGE(ir.shell.name, STR("dash"));
	CHANGE(ir.shell.path, STR("/c"));
	CHANGE(ir.programs.n, 0);
	CHANGE(ir.vars.n, 0);
	CHANGE(ir.pins.n, 0);
	facts_key(&ir, before); /* which says that all were changed back */
}

/* Neither may an end of one text be the beginning of the next. */
static void test_texts_do_not_run_together(void **state)
{
	struct str one[2] = { STR("ab"), STR("c") }, two[2] = { STR("a"), STR("bc") };
	struct ir_program p = { .name = STR("prog"), .kind = LINE_PK_PROGRAM, .after = one,
				.nafter = 2 };
	struct ir ir = { .a = NULL };

	(void)state;
	ir.programs.v = &p, ir.programs.n = 1;
	facts_key(&ir, before);
	CHANGE(p.after, two);
	p.nafter = 0;
	facts_key(&ir, before);
	p.nends = 2;
	CHANGE(p.ends, one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_is_what_lowering_makes),
		cmocka_unit_test(test_other_facts_are_made_anew),
		cmocka_unit_test(test_each_member_counts),
		cmocka_unit_test(test_texts_do_not_run_together),
	};

	return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
