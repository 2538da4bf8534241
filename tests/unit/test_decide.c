/*
 * Decisions by the compiled tables, each row as the semantics say it;
 * prop_matcher compares with the reference evaluator.
 */
#include "runtime/decide/bits.h"
#include "runtime/decide/near.h"
#include "runtime/decide/path.h"
#include "tests/unit/hand.h"

static struct decision argv_of(const char *line)
{
	const char *argv[8];
	char *own = arena_printf(&h.a, "%s", line), *word;
	size_t n = 0;
	static uint8_t block[4 << 20] __attribute__((aligned(16)));
	struct decision d;

	for (word = strtok(own, " "); word; word = strtok(NULL, " "))
		argv[n++] = word;
	decide_words(&h.c, argv, n, block, sizeof(block), NULL, &d);
	return d;
}

static unsigned effect_of(const char *line)
{
	return argv_of(line).effect;
}

static void same_as_near(struct decide_near *near, const char *path)
{
	const struct decision *each = decide_file_each(&h.c, near, path);

	for (unsigned i = 0; i < DECIDE_FILE_OPS; i++) {
		struct decision d;
		uint32_t n;

		decide_file(&h.c, (uint8_t)(1u << i), path, &d);
		n = d.nmatched < DECIDE_MAX_MATCHED ? d.nmatched : DECIDE_MAX_MATCHED;
		if (d.effect != each[i].effect || d.rule != each[i].rule ||
		    d.nmatched != each[i].nmatched ||
		    memcmp(d.matched, each[i].matched, n * sizeof(d.matched[0])) != 0)
			fail_msg("%.200s: operation %u: %u by %u, after others %u by %u", path, i,
				 d.effect, d.rule, each[i].effect, each[i].rule);
	}
}

static unsigned file(uint8_t op, const char *path)
{
	struct decide_near near = { .nmarks = 0 };
	struct decision d;

	decide_file(&h.c, op, path, &d);
	same_as_near(&near, path);
	return d.effect;
}

static void test_program_column(void **state)
{
	static const struct {
		const char *line;
		unsigned effect;
	} rows[] = {
		{ "make x", PB_ALLOW }, { "/usr/bin/make x", PB_ALLOW },
		{ "/bin/make x", PB_ALLOW }, { "/opt/make x", PB_ASK },
		{ "./make x", PB_ASK }, { "/usr/bin/../bin/make x", PB_ASK },
		{ "curl x", PB_DENY }, { "/opt/curl x", PB_DENY },
		{ "./curl x", PB_DENY }, { "../x/curl x", PB_DENY },
		{ "curlx y", PB_ASK }, { "/opt/wget", PB_DENY },
		{ "../gradlew b", PB_ASK }, { "./gradlew b", PB_ASK },
		{ "/p/gradlew b", PB_ALLOW }, { "/p//./gradlew b", PB_ALLOW },
		{ "gradlew b", PB_ASK }, { "/q/gradlew b", PB_ASK },
		{ "/opt/tool", PB_ALLOW }, { "/opt/./tool", PB_ALLOW },
		{ "/opt/x/../tool", PB_ASK }, { "tool", PB_ASK },
	};
	size_t i;

	(void)state;
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "make:*");
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "./gradlew:*");
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "/opt/tool");
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_DENY, "curl:*");
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_DENY, "/usr/bin/wget");
	hand_compile(&h);
	for (i = 0; i < POL_LEN(rows); i++)
		if (effect_of(rows[i].line) != rows[i].effect)
			fail_msg("%s: %u", rows[i].line, effect_of(rows[i].line));
	h.c.cwd = "/p";
	assert_int_equal(effect_of("./gradlew b"), PB_ALLOW);
	h.c.cwd = NULL;
	assert_int_equal(effect_of("./gradlew b"), PB_ASK);
	assert_int_equal(effect_of("/p/gradlew b"), PB_ALLOW);
	h.c.roots.dir[PB_ROOT_PROJECT] = NULL;
	assert_int_equal(effect_of("/p/gradlew b"), PB_ASK);
}

static void test_tails_and_exceptions(void **state)
{
	(void)state;
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "npm run test:*");
	hand_except(&h, hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_DENY, "git push *"),
		    "git push origin feature/*");
	hand_compile(&h);
	assert_int_equal(effect_of("npm run test"), PB_ALLOW);
	assert_int_equal(effect_of("npm run test --watch"), PB_ALLOW);
	assert_int_equal(effect_of("npm run test:unit x"), PB_ALLOW);
	assert_int_equal(effect_of("npm run test:unit;x"), PB_ASK);
	assert_int_equal(effect_of("npm run testing"), PB_ASK);
	assert_int_equal(effect_of("git push"), PB_ASK);
	assert_int_equal(effect_of("git push origin main"), PB_DENY);
	assert_int_equal(effect_of("git push origin feature/x"), PB_ASK);
	assert_int_equal(effect_of("git push origin feature/x y"), PB_DENY);
	/* an exception of a deny is as narrow as an allow */
	assert_int_equal(effect_of("./git push origin feature/x"), PB_DENY);
	assert_int_equal(effect_of("git push origin feature/$x"), PB_DENY);
}

static void test_a_path_is_judged_under_every_root(void **state)
{
	struct ir_rule *deny;

	(void)state;
	hand_rule(&h, IR_FILE, IR_PROJECT, IR_ALLOW, "P");
	hand_rule(&h, IR_FILE, IR_PROJECT, IR_HIDE, "H/.ssh");
	deny = hand_rule(&h, IR_FILE, IR_PROJECT, IR_DENY, "/**/.env*");
	hand_except(&h, deny, "P/.env.example");
	hand_compile(&h);
	assert_int_equal(file(PB_READ, "/p/a"), PB_ALLOW);
	assert_int_equal(file(PB_READ, "/p"), PB_ALLOW);
	assert_int_equal(file(PB_READ, "/pp"), PB_DENY);
	assert_int_equal(file(PB_WRITE, "/p/a"), PB_DENY);
	assert_int_equal(file(PB_READ, "/p/x/.env"), PB_DENY);
	assert_int_equal(file(PB_READ, "/p/.env.example"), PB_ALLOW);
	assert_int_equal(file(PB_READ, "/p/x/.env.example"), PB_DENY);
	assert_int_equal(file(PB_EXEC, "/home/u/.ssh/id"), PB_HIDE);
	/* roots may lie over each other */
	h.c.roots.dir[PB_ROOT_PROJECT] = "/home/u";
	assert_int_equal(file(PB_READ, "/home/u/a"), PB_ALLOW);
	assert_int_equal(file(PB_READ, "/home/u/.ssh/id"), PB_HIDE);
	assert_int_equal(file(PB_READ, "/p/a"), PB_DENY);
}

/* Whatever was decided before. */
static void test_files_one_after_the_other(void **state)
{
	static const char *const tops[] = { "", "/p", "/p/a", "/pp", "/home", "/home/u",
					    "/home/u/p", "/home/u/.ssh", "/tmp", "/tmp/host",
					    "/p/../p", "/p/" };
	static const char *const names[] = { "", "/a", "/ab", "/.env", "/.env.example", "/a/.env",
					     "/a/b", "/a/b/c", "/.\x01", "/a/.\x01", "/b" };
	static const char *const projects[] = { "/p", "/home/u", "/home/u/p", "/", NULL };
	char path[2 * NEAR_PATH] = "/p";
	struct decide_near near;
	struct ir_rule *deny, *own;
	uint32_t seed = 1;

	(void)state;
	hand_rule(&h, IR_FILE, IR_PROJECT, IR_ALLOW, "P");
	hand_rule(&h, IR_FILE, IR_PROJECT, IR_DENY, "P/a/b");
	hand_rule(&h, IR_FILE, IR_PROJECT, IR_HIDE, "H/.ssh");
	own = hand_rule(&h, IR_FILE, IR_PROJECT, IR_ALLOW, "/tmp");
	own->scratch = true;
	own->scopes = IR_SANDBOX;
	own->set.u.file.ops = IR_WRITE;
	hand_rule(&h, IR_FILE, IR_PROJECT, IR_ALLOW, "/tmp/host");
	deny = hand_rule(&h, IR_FILE, IR_PROJECT, IR_DENY, "/**/.env*");
	hand_except(&h, deny, "P/.env.example");
	hand_compile(&h);
	for (size_t p = 0; p < POL_LEN(projects); p++) {
		h.c.roots.dir[PB_ROOT_PROJECT] = projects[p];
		near = (struct decide_near){ .nmarks = 0 };
		for (int i = 0; i < 4000; i++) {
			seed = seed * 1664525 + 1013904223;
			(void)snprintf(path, sizeof(path), "%s%s", tops[(seed >> 8) % 251 % POL_LEN(tops)],
				       names[(seed >> 16) % 241 % POL_LEN(names)]);
			same_as_near(&near, path[0] ? path : "/");
		}
	}
	/* deeper, and longer, than what is kept of a path, and back */
	h.c.roots.dir[PB_ROOT_PROJECT] = "/p";
	near = (struct decide_near){ .nmarks = 0 };
	(void)strcpy(path, "/p");
	for (size_t n = 2; n < NEAR_PATH + 100; n += 2) {
		bool deep = n < 200 || n > NEAR_PATH - 100;

		(void)strcpy(path + n, deep ? "/a" : "xa");
		if (!deep)
			continue;
		same_as_near(&near, path);
		if (n % 32 == 0) {
			same_as_near(&near, "/p/a/b");
			same_as_near(&near, path);
		}
	}
}

static void test_what_lies_below_a_root(void **state)
{
	(void)state;
	assert_string_equal(path_rest("/p", "/p"), "");
	assert_string_equal(path_rest("/p", "/p/a"), "/a");
	assert_null(path_rest("/p", "/pp"));
	assert_null(path_rest("/p", "/"));
	assert_null(path_rest(NULL, "/p"));
	assert_string_equal(path_rest("/", "/"), "");
	assert_string_equal(path_rest("/", "/p"), "/p");
}

static void test_unknown_is_deny(void **state)
{
	static const char *const bad[] = { "", "a", "/p/", "//p", "/p//a", "/p/./a",
					   "/p/../p/a", "/p/..", "/p/." };
	struct decision d;
	size_t i;

	(void)state;
	hand_rule(&h, IR_FILE, IR_PROJECT, IR_ALLOW, "/");
	hand_rule(&h, IR_UNIX, IR_PROJECT, IR_ALLOW, "/");
	h.ir->scalars[IR_S_FILE_READ].effect = IR_ALLOW;
	hand_compile(&h);
	assert_int_equal(file(PB_READ, "/p/a"), PB_ALLOW);
	for (i = 0; i < POL_LEN(bad); i++) {
		assert_int_equal(file(PB_READ, bad[i]), PB_DENY);
		decide_unix(&h.c, bad[i], false, &d);
		assert_int_equal(d.effect, PB_DENY);
	}
	assert_int_equal(file(PB_READ | PB_WRITE, "/p/a"), PB_DENY);
	assert_int_equal(file(0, "/p/a"), PB_DENY);
	assert_int_equal(file(PB_READ, NULL), PB_DENY);
	decide_tool(&h.c, NULL, &d);
	assert_int_equal(d.effect, PB_DENY);
}

static void test_scopes(void **state)
{
	(void)state;
	hand_rule(&h, IR_COMMAND, IR_PROJECT, IR_ALLOW, "make")->scopes = IR_SANDBOX;
	hand_compile(&h);
	assert_int_equal(effect_of("make"), PB_ALLOW);
	h.c.scope = PB_HOST;
	assert_int_equal(effect_of("make"), PB_ASK);
}

static void test_risk(void **state)
{
	struct ir_scalar *s = &h.ir->scalars[IR_S_COMMAND_OTHERWISE];
	static const enum ir_effect effects[] = { IR_ALLOW, IR_ASK, IR_DENY, IR_DENY };
	static const struct {
		enum ir_risk risk;
		const char *pattern;
	} facts[] = { { IR_RISK_LOW, "ls:*" }, { IR_RISK_HIGH, "rm *" },
		      { IR_RISK_CRITICAL, "rm -rf *" } };
	size_t i;

	(void)state;
	s->by_risk = true;
	memcpy(s->effects, effects, sizeof(effects));
	for (i = 0; i < POL_LEN(facts); i++) {
		struct ir_risk_fact f = { .id = STR("risk"), .risk = facts[i].risk,
					  .level = IR_DEFAULT };

		f.at = (struct ir_place){ .file = STR("r.pol"), .line = 1, .col = 1 };
		f.set = hand_set(&h, IR_COMMAND, f.risk != IR_RISK_LOW,
				 facts[i].pattern, 0);
		VEC_PUSH(&h.a, &h.ir->risks, f);
	}
	hand_compile(&h);
	assert_int_equal(effect_of("ls -l"), PB_ALLOW);
	assert_int_equal(effect_of("./ls -l"), PB_ASK);
	assert_int_equal(effect_of("x"), PB_ASK);
	assert_int_equal(effect_of("/opt/rm x"), PB_DENY);
	assert_int_equal(argv_of("rm x").risk, 2);
	assert_int_equal(argv_of("rm -rf x").risk, 3);
	assert_int_equal(argv_of("ls").risk, 0);
}

static void test_unparsed(void **state)
{
	struct ir_scalar *opaque = &h.ir->scalars[IR_S_COMMAND_OPAQUE];
	struct ir_scalar *other = &h.ir->scalars[IR_S_COMMAND_OTHERWISE];
	static const struct {
		enum ir_effect opaque, other;
		unsigned effect;
		bool person;
	} rows[] = {
		{ IR_ALLOW, IR_ALLOW, PB_ASK, true },
		{ IR_ASK, IR_ALLOW, PB_ASK, true },
		{ IR_ALLOW, IR_ASK, PB_ASK, false },
		{ IR_ASK, IR_DENY, PB_DENY, false },
		{ IR_DENY, IR_ALLOW, PB_DENY, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < POL_LEN(rows); i++) {
		struct decision d;

		h.out.members.n = 0;
		opaque->effect = rows[i].opaque;
		other->effect = rows[i].other;
		hand_compile(&h);
		decide_unparsed(&h.c, &d);
		assert_int_equal(d.effect, rows[i].effect);
		assert_int_equal(d.needs_person, rows[i].person);
		assert_true(d.unparsed);
	}
}

static void test_network_is_off(void **state)
{
	uint8_t lo[16] = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 };
	uint8_t one[16] = {[15] = 1}, far[16] = {[10] = 0xff, [11] = 0xff, [12] = 10};
	struct decision d;

	(void)state;
	hand_compile(&h);
	decide_net(&h.c, false, lo, 80, &d);
	assert_int_equal(d.effect, PB_ALLOW);
	decide_net(&h.c, false, one, 80, &d);
	assert_int_equal(d.effect, PB_ALLOW);
	decide_net(&h.c, true, far, 53, &d);
	assert_int_equal(d.effect, PB_DENY);
	assert_int_equal(d.rule, h.b.rules->scalar_first + PB_S_NET_MODE);
	h.c.scope = PB_HOST;
	decide_net(&h.c, false, lo, 80, &d);
	assert_int_equal(d.effect, PB_DENY);
}

static void test_sockets_and_tools(void **state)
{
	struct decision d;

	(void)state;
	hand_rule(&h, IR_UNIX, IR_PROJECT, IR_ALLOW, "/run/x.sock");
	hand_rule(&h, IR_UNIX, IR_PROJECT, IR_ALLOW, "@name*");
	hand_rule(&h, IR_TOOL, IR_PROJECT, IR_ALLOW, "web_*");
	hand_compile(&h);
	decide_unix(&h.c, "/run/x.sock", false, &d);
	assert_int_equal(d.effect, PB_ALLOW);
	decide_unix(&h.c, "/run/x.sock", true, &d);
	assert_int_equal(d.effect, PB_DENY);
	decide_unix(&h.c, "name1", true, &d);
	assert_int_equal(d.effect, PB_ALLOW);
	decide_unix(&h.c, "/name1", false, &d);
	assert_int_equal(d.effect, PB_DENY);
	decide_tool(&h.c, "web_search", &d);
	assert_int_equal(d.effect, PB_ALLOW);
	/* a wildcard of an allow stands for plain characters only */
	decide_tool(&h.c, "web_ search", &d);
	assert_int_equal(d.effect, PB_ASK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(hand, test_program_column),
		WITH(hand, test_tails_and_exceptions),
		WITH(hand, test_a_path_is_judged_under_every_root),
		WITH(hand, test_files_one_after_the_other),
		cmocka_unit_test(test_what_lies_below_a_root),
		WITH(hand, test_unknown_is_deny),
		WITH(hand, test_scopes),
		WITH(hand, test_risk),
		WITH(hand, test_unparsed),
		WITH(hand, test_network_is_off),
		WITH(hand, test_sockets_and_tools),
	};

	return cmocka_run_group_tests_name("decide", tests, NULL, NULL);
}
