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
static struct line_facts *with_facts(void)
{
	struct line_facts *facts = facts_make(facts_text);

	h.b.commands = facts;
	return facts;
}

static void test_a_megabyte_has_a_budget(void **state)
{
	struct line_facts *facts;
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
		struct line_facts *facts = with_facts();
		struct said one = decide_big(&lines[i], SHORT);
		struct said two = decide_big(&lines[i], 2 * SHORT);

		free(facts);
		assert_false(one.limit || two.limit);
		if (two.steps > 2 * one.steps + 4096 || one.steps > 128 * SHORT)
			fail_msg("%s%s: %lu steps, and %lu", lines[i].head, lines[i].unit,
				 (unsigned long)one.steps, (unsigned long)two.steps);
	}
}

static void within_project(struct ir_rule *r)
{
	struct ir_guard *g = ARENA_NEW(&h.a, struct ir_guard);

	g->kind = IR_GD_WITHIN;
	g->paths = arena_array(&h.a, 1, sizeof(*g->paths));
	g->paths[0] = hand_path(&h, "P/src", true);
	g->npaths = 1;
	r->set.u.command.guards = g;
	r->set.u.command.nguards = 1;
}

/* Each word, redirection or hidden name is looked at in each directory that the line may be in. */
static void test_places_have_a_budget(void **state)
{
	static const char dirs[] = "cd /p/src/a;cd /p/src/b;cd /p/src/c;cd /p/src/d;cd /p/src/e;"
				   "cd /p/src/f;cd /p/src/g;cd /p/src/h;cd /p/src/i;";
	/* and the least that one costs in one directory */
	static const struct { const char *head, *unit; uint64_t cost; } rows[] = {
		{ "tee ", "b/ccc ", 40 }, { "ls ", ">b/ccc ", 64 }, { "ls ", "b/./ccc ", 64 },
	};
	struct line_facts *facts;

	(void)state;
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "ls:*");
	within_project(hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "tee:*"));
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "cd:*");
	hand_rule(&h, IR_FILE, IR_PROJECT, IR_ALLOW, "/")->set.u.file.ops = IR_WRITE;
	hand_rule(&h, IR_FILE, IR_PROJECT, IR_HIDE, "H/.ssh");
	hand_compile(&h);
	facts = with_facts();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char head[sizeof(dirs) + 8];
		struct big_line here = { rows[i].head, rows[i].unit, "" };
		struct big_line many = { head, rows[i].unit, "" };
		struct said one = decide_big(&here, SHORT / 4), all;
		uint64_t units = SHORT / 4 / strlen(here.unit);

		snprintf(head, sizeof(head), "%s%s", dirs, here.head);
		all = decide_big(&many, SHORT / 4);
		if (one.effect != PB_ALLOW || all.effect != PB_ALLOW)
			fail_msg("%s: %d, in many directories %d", here.unit, one.effect, all.effect);
		/* ten directories, and the line's words less those that lead there */
		if (all.steps < one.steps + 9 * rows[i].cost * (units - 32))
			fail_msg("%s: %lu steps, and %lu", here.unit, (unsigned long)one.steps,
				 (unsigned long)all.steps);
		all = decide_big(&many, LONG);
		if (all.effect != PB_DENY || all.steps > MOST)
			fail_msg("%s: a megabyte gets %d after %lu steps", here.unit, all.effect,
				 (unsigned long)all.steps);
	}
	free(facts);
}

/* With rules for sandboxes alone each address looks at all. */
static void test_addresses_have_a_budget(void **state)
{
	static const struct big_line line = { "ls ", ">/dev/tcp/192.0.2.1/1 ", "" };
	struct said sandbox, host;

	(void)state;
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "ls:*");
	for (size_t i = 0; i < 1000; i++)
		hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_DENY, "x");
	hand_compile(&h);
	h.c.scope = PB_SANDBOX;
	sandbox = decide_big(&line, SHORT / 4);
	h.c.scope = PB_HOST;
	host = decide_big(&line, SHORT / 4);
	assert_false(sandbox.limit || host.limit);
	/* no policy here has a network, and so they are denied */
	assert_true(host.steps >= sandbox.steps + 1000 * (SHORT / 4 / 22 - 1));
	host = decide_big(&line, LONG);
	assert_true(host.effect == PB_DENY && host.steps <= MOST);
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
		cmocka_unit_test_setup_teardown(test_places_have_a_budget, hand_setup,
						hand_teardown),
		cmocka_unit_test_setup_teardown(test_addresses_have_a_budget, hand_setup,
						hand_teardown),
		cmocka_unit_test_setup_teardown(test_tails_are_bounded, hand_setup,
						hand_teardown),
	};

	return cmocka_run_group_tests_name("decide_big", tests, NULL, NULL);
}
