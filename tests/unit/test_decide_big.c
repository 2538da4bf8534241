/*
 * Long lines that nobody writes, by steps and not by time: what grows with the
 * square of a line is denied before it is slow, and no repetition of a line
 * gets more than a few of it do.
 */
#include "tests/unit/hand.h"

#include "tests/lib/big_lines.h"
#include "tests/lib/facts.h"

#define LONG ((size_t)1 << 20)
#define SHORT ((size_t)1 << 14)
/* Of one line: at 5 ns a step less than a tenth of a second. */
#define MOST ((uint64_t)20 * 1000 * 1000)

static char text[BIG_ROOM(LONG)];

struct said { uint8_t effect; bool limit; uint64_t steps; uint32_t parts; };

static struct said decide(const char *line, size_t n)
{
	/* kept: gigabytes that are hardly used, which the sanitizers would mark each time */
	static void *block;
	size_t size = decide_block_size(&h.c, LONG);
	struct cmd_line parts;
	struct decision d;

	block = block ? block : malloc(size);
	assert_non_null(block);
	decide_line(&h.c, line, n, block, size, &parts, &d);
	assert_true(!parts.limit || d.effect == PB_DENY);
	return (struct said){ d.effect, parts.limit, parts.steps, parts.nparts };
}

static struct said decide_big(const struct big_line *b, size_t n)
{
	return decide(text, big_line(text, b, n));
}

static void policy(void)
{
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "a:*");
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "ls:*");
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "x:*");
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "echo:*");
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_DENY, "rm * z");
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_DENY, "git push * b c");
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_DENY, "*d q");
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ASK, "npm:*");
	hand_rule(&h, IR_FILE, IR_PROJECT, IR_HIDE, "H/.ssh");
	hand_rule(&h, IR_FILE, IR_PROJECT, IR_HIDE, "P/**/.env");
	h.ir->scalars[IR_S_COMMAND_OTHERWISE].effect = IR_ALLOW;
	hand_compile(&h);
}

/* The standard library's kinds of programs, few of each. */
static struct pb_commands *with_facts(void)
{
	struct pb_commands *facts = facts_make(facts_text);

	h.b.commands = facts;
	return facts;
}

static void test_a_megabyte_has_a_budget(void **state)
{
	struct pb_commands *facts;
	unsigned denied = 0, others = 0;

	(void)state;
	policy();
	facts = with_facts();
	for (size_t i = 0; i < BIG_LINES; i++) {
		struct said few = decide_big(&big_lines[i], SHORT);
		struct said all = decide_big(&big_lines[i], LONG);

		if (few.steps > MOST || all.steps > MOST)
			fail_msg("%s: %lu steps", big_lines[i].unit,
				 (unsigned long)all.steps);
		if (all.effect < few.effect)
			fail_msg("%s: a megabyte gets %d, less %d", big_lines[i].unit,
				 all.effect, few.effect);
		denied += all.limit;
		others += !all.limit;
	}
	free(facts);
	assert_true(denied > 10 && others > 10);
}

/* Twice the line is twice the steps where no two words are compared. */
static void test_most_are_linear(void **state)
{
	static const struct big_line lines[] = {
		{ "", "ls ", "" }, { "", "a;", "" }, { "ls ", ">b ", "" },
		{ "echo ", "\"$b\" ", "" }, { "y ", "b ", "" }, { "y ", "/etc/hosts ", "" },
		{ "y ", "~/b ", "" }, { "\"", "$(ls)", "\"" }, { "git push ", "--force ", "" },
		{ "rm ", "-r ", "" }, { "a ", "$b ", "" }, { "", "cd b;", "" },
		{ "find . ", "-exec ls \\; ", "" }, { "git ", "--a ", "" },
	};

	(void)state;
	policy();
	free(with_facts());
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct pb_commands *facts = with_facts();
		struct said one = decide_big(&lines[i], SHORT);
		struct said two = decide_big(&lines[i], 2 * SHORT);

		free(facts);
		assert_false(one.limit || two.limit);
		if (two.steps > 2 * one.steps + 4096 || one.steps > 128 * SHORT)
			fail_msg("%s%s: %lu steps, and %lu", lines[i].head, lines[i].unit,
				 (unsigned long)one.steps, (unsigned long)two.steps);
	}
}

/* Tails of words that may each be denied are looked at one by one: a limit. */
static void test_tails_are_bounded(void **state)
{
	static const struct big_line rm = { "y ", "rm ", "" };
	struct said said;

	(void)state;
	policy();
	said = decide_big(&rm, 300);
	assert_true(said.effect == PB_ALLOW && said.steps > 300 * 60 / 3);
	said = decide_big(&rm, LONG);
	assert_true(said.effect == PB_DENY && said.steps <= MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_megabyte_has_a_budget, hand_setup,
						hand_teardown),
		cmocka_unit_test_setup_teardown(test_most_are_linear, hand_setup,
						hand_teardown),
		cmocka_unit_test_setup_teardown(test_tails_are_bounded, hand_setup,
						hand_teardown),
	};

	return cmocka_run_group_tests_name("decide_big", tests, NULL, NULL);
}
