/*
 * Whether a link gives away a name that is denied below it; prop_link compares with the
 * decisions about the names themselves.
 */
#include "tests/unit/hand.h"

static void say(enum ir_effect effect, const char *path)
{
	hand_rule(&h, IR_FILE, IR_PROJECT, effect, path)->set.u.file.ops = IR_WRITE;
}

struct row {
	const char *from, *to;
	bool opens;
	const char *by; /* text of the rule; NULL: none */
};

static void check(const struct row *rows, size_t n, bool otherwise)
{
	static uint32_t room[DECIDE_LINK_ROOM / sizeof(uint32_t)];

	memset(room, 0, sizeof(room));
	for (size_t i = 0; i < n; i++) {
		uint32_t rule = 0;
		bool opens = decide_link_opens(&h.c, rows[i].from, rows[i].to, otherwise, room,
					       &rule);

		if (opens != rows[i].opens)
			fail_msg("%s -> %s: %d", rows[i].from, rows[i].to, opens);
		if (!opens)
			continue;
		if (!rows[i].by)
			assert_int_equal(rule, UINT32_MAX);
		else if (rule >= h.ir->rules.n ||
			 !str_eq(h.ir->rules.v[rule]->text, str_from(rows[i].by)))
			fail_msg("%s -> %s: by rule %u", rows[i].from, rows[i].to, rule);
	}
}

static void test_the_name_of_one_rule(void **state)
{
	static const struct row rows[] = {
		{ "/p/conf", "/p/src", true, "P/conf/prod.json" },
		{ "/p/conf", NULL, true, "P/conf/prod.json" },
		{ "/p/conf", "/p", true, "P/conf/prod.json" },
		{ "/p/conf", "/", false, NULL },
		{ "/p/conf", "/usr", false, NULL },
		/* its own name, and what only begins like it */
		{ "/p/conf/prod.json", "/p/src", true, "P/conf/prod.json" },
		{ "/p/con", "/p/src", false, NULL },
		{ "/p/conf2", "/p/src", false, NULL },
		{ "/p/conf/prod", "/p/src", false, NULL },
		{ "/p/conf", "/p/conf", false, NULL },
		{ "/p/src", "/p/conf", false, NULL },
		{ "/p/src", NULL, false, NULL },
		{ "/p/a/b/c/d", "/p/src", false, NULL },
	};

	(void)state;
	say(IR_ALLOW, "P");
	say(IR_DENY, "P/conf/prod.json");
	hand_compile(&h);
	check(rows, POL_LEN(rows), true);
}

static void test_wildcards(void **state)
{
	static const struct row rows[] = {
		/* as much is denied there */
		{ "/p/a", "/p/b", false, NULL },
		{ "/p/a", "/p/src", false, NULL },
		{ "/p/src/a", "/p/src/b", false, NULL },
		{ "/p/src/a", "/p/src/b/c", false, NULL },
		{ "/p/src/a", "/p/src", false, NULL },
		/* less is */
		{ "/p/src/a", "/p/b", true, "P/src/**/*.gen" },
		{ "/p/src", "/p/b", true, "P/src/**/*.gen" },
		{ "/p/a", "/q", false, NULL },
		{ "/p/a", NULL, true, "P/**/.env*" },
		/* one level, and its counterpart */
		{ "/p/one/x", "/p/one/y", false, NULL },
		{ "/p/one", "/p/two", true, "P/one/*/k" },
		{ "/p/one/x", "/p/two", true, "P/one/*/k" },
		{ "/p/one/x/y", "/p/two", false, NULL },
		/* the automata cannot tell the link from the names below it */
		{ "/p/all/x", "/p/two", true, "P/all" },
		{ "/p/all/x", "/p/all/y", false, NULL },
	};

	(void)state;
	say(IR_ALLOW, "P");
	say(IR_DENY, "P/**/.env*");
	say(IR_DENY, "P/src/**/*.gen");
	say(IR_DENY, "P/one/*/k");
	say(IR_DENY, "P/all");
	hand_compile(&h);
	check(rows, POL_LEN(rows), true);
}

static void test_what_no_rule_mentions(void **state)
{
	static const struct row shut[] = {
		{ "/p/conf", "/q", false, NULL }, { "/p/conf", "/p/free", true, "P/conf/x" },
		/* only what is allowed one by one: not a rule that denies */
		{ "/p/free/a", "/p/conf", false, NULL }, { "/p/other", "/p/free", false, NULL },
	};
	static const struct row open[] = {
		{ "/p/conf", "/q", true, "P/conf/x" }, { "/p/conf", "/p/free", true, "P/conf/x" },
	};

	(void)state;
	say(IR_ALLOW, "P/free");
	say(IR_DENY, "P/conf/x");
	hand_compile(&h);
	check(shut, POL_LEN(shut), true);
	check(open, POL_LEN(open), false);
	h.out.members.n = 0;
	h.ir->scalars[IR_S_FILE_WRITE].effect = IR_ALLOW;
	hand_compile(&h);
	check(open, POL_LEN(open), true);
}

static void test_other_operations_do_not_count(void **state)
{
	static const struct row rows[] = {
		{ "/p/r", "/p/b", false, NULL },
		{ "/p/hid", "/p/b", true, "P/hid/x" },
	};

	(void)state;
	say(IR_ALLOW, "P");
	hand_rule(&h, IR_FILE, IR_PROJECT, IR_DENY, "P/r/x");
	hand_rule(&h, IR_FILE, IR_PROJECT, IR_HIDE, "P/hid/x");
	hand_compile(&h);
	check(rows, POL_LEN(rows), true);
}

static void test_roots(void **state)
{
	static const struct row rows[] = {
		/* a root lies below the link */
		{ "/home", "/p/x", true, NULL },
		{ "/home/u", "/p/x", true, "H/.ssh" },
		{ "/home/u2", "/p/x", false, NULL },
		/* and below the target */
		{ "/p/x", "/home", false, NULL },
		{ "/p/h", "/home", false, NULL },
		{ "/p/h", "/ho", true, "P/h/u/free/no" },
		{ "/p/h/u", "/home", true, "P/h/u/free/no" },
	};

	(void)state;
	say(IR_ALLOW, "P");
	say(IR_ALLOW, "H/free");
	say(IR_ALLOW, "/ho");
	say(IR_ALLOW, "/home/free");
	say(IR_DENY, "H/.ssh");
	say(IR_DENY, "H/free/no");
	say(IR_DENY, "P/h/u/free/no");
	hand_compile(&h);
	check(rows, POL_LEN(rows), true);
}

static void test_a_long_list_is_too_much_only_where_it_is_asked_about(void **state)
{
	static const struct row rows[] = {
		{ "/p/a", "/p/b", false, NULL },
		{ "/p/list", "/p/list", false, NULL },
		/* what is denied there besides does not count */
		{ "/p/a", "/p/list", false, NULL },
		{ "/p/list", "/p/copy", true, NULL },
	};

	(void)state;
	say(IR_ALLOW, "P");
	say(IR_DENY, "P/**/.env*");
	for (unsigned i = 0; i < 4000; i++) {
		say(IR_DENY, arena_printf(&h.a, "P/list/%08x", i * 2654435761u));
		say(IR_DENY, arena_printf(&h.a, "P/copy/%08x", i * 2654435761u));
	}
	hand_compile(&h);
	check(rows, POL_LEN(rows), true);
}

/* What may be written tells names apart as well, but nothing is denied by it. */
static void test_a_long_list_of_what_is_allowed(void **state)
{
	static const struct row rows[] = {
		{ "/p/a", "/p/list", false, NULL },
		{ "/p/list", "/p/a", false, NULL },
		{ "/p/conf", "/p/list", true, "P/conf/x" },
	};

	(void)state;
	say(IR_ALLOW, "P");
	say(IR_DENY, "P/**/.env*");
	say(IR_DENY, "P/conf/x");
	for (unsigned i = 0; i < 4000; i++)
		say(IR_ALLOW, arena_printf(&h.a, "P/list/%08x", i * 2654435761u));
	hand_compile(&h);
	check(rows, POL_LEN(rows), true);
	check(rows, POL_LEN(rows), false);
}

static void test_bad_paths(void **state)
{
	static const struct row rows[] = {
		{ "p/conf", "/q", true, NULL }, { "/p//conf", "/q", true, NULL },
		{ "/p/../p/conf", "/q", true, NULL }, { "/p/conf/", "/q", true, NULL },
		{ "/p/free", "/q/../p", false, NULL },
		{ "/p/conf", "/q/..", true, "P/conf/x" },
	};

	(void)state;
	say(IR_ALLOW, "P");
	say(IR_DENY, "P/conf/x");
	hand_compile(&h);
	check(rows, POL_LEN(rows), true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(hand, test_the_name_of_one_rule),
		WITH(hand, test_wildcards),
		WITH(hand, test_what_no_rule_mentions),
		WITH(hand, test_other_operations_do_not_count),
		WITH(hand, test_roots),
		WITH(hand, test_a_long_list_is_too_much_only_where_it_is_asked_about),
		WITH(hand, test_a_long_list_of_what_is_allowed),
		WITH(hand, test_bad_paths),
	};

	return cmocka_run_group_tests_name("decide_link", tests, NULL, NULL);
}
