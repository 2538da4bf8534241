/*
 * The reference evaluator on policies that are built by hand: what rules of
 * each kind match, by the matchers of 4.3 and 5, and conditions, errnos and the
 * network's modes.
 */
#include "tests/unit/eval_fixture.h"

/* --- word patterns --------------------------------------------------------------- */

struct match_row {
	enum ir_effect side;
	const char *pattern, *line;
	bool want;
};

static void match_all(const struct match_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (matches(rows[i].side, rows[i].pattern, rows[i].line) != rows[i].want)
			fail_msg("%s '%s' on '%s': expected %d",
				 ir_effect_name(rows[i].side), rows[i].pattern,
				 rows[i].line, rows[i].want);
}

static void test_words_and_tails(void **state)
{
	static const struct match_row rows[] = {
		{ IR_ALLOW, "git status", "git status", true },
		{ IR_ALLOW, "git status", "git status -s", false },
		{ IR_ALLOW, "git status", "git", false },
		{ IR_ALLOW, "npm run test:*", "npm run test", true },
		{ IR_ALLOW, "npm run test:*", "npm run test --watch", true },
		{ IR_ALLOW, "npm run test:*", "npm run test:unit", true },
		{ IR_ALLOW, "npm run test:*", "npm run test:unit -x y", true },
		{ IR_ALLOW, "npm run test:*", "npm run testing", false },
		{ IR_ALLOW, "npm run test:*", "npm run test:un;it", false },
		{ IR_DENY, "npm run test:*", "npm run test:un;it", true },
		{ IR_ALLOW, "cd *", "cd src/a", true },
		{ IR_ALLOW, "cd *", "cd a b", false },
		{ IR_ALLOW, "cd *", "cd $x", false },
		{ IR_DENY, "cd *", "cd $x", true },
		{ IR_DENY, "cd *", "cd a b", true },
		{ IR_DENY, "cd *", "cd", false },
		{ IR_DENY, "*", "anything at all", true },
		{ IR_DENY, "git ** -f", "git push a b -f", true },
		{ IR_DENY, "git ** -f", "git -f", true },
		{ IR_DENY, "git ** -f", "git -f x", false },
		{ IR_ALLOW, "git ** x", "git $a;b x", true },
		{ IR_ALLOW, "git p?sh", "git push", true },
		{ IR_ALLOW, "git p?sh", "git p;sh", false },
		{ IR_ALLOW, "git {push|pull}", "git pull", true },
		{ IR_ALLOW, "git {push|pull}x", "git pullx", true },
		{ IR_ALLOW, "git {push|pull}x", "git pull", false },
		{ IR_DENY, "a *b*c", "a xbyc", true },
		{ IR_DENY, "a *b*c", "a xcyb", false },
	};

	(void)state;
	match_all(rows, POL_LEN(rows));
}

static void test_program_column(void **state)
{
	static const struct match_row rows[] = {
		{ IR_DENY, "curl:*", "/opt/x/curl a", true },
		{ IR_DENY, "/usr/bin/curl:*", "curl a", true },
		{ IR_DENY, "/usr/bin/c*", "./cat", true },
		{ IR_DENY, "c*", "x/wget", false },
		{ IR_DENY, "{/usr/bin/curl|wget}", "./curl", true },
		{ IR_DENY, "{/usr/bin/curl|wget}", "/x/wget", true },
		{ IR_DENY, "curl:*", "curl:x", true },
		{ IR_DENY, "curl:*", "curlx", false },
		{ IR_ALLOW, "git", "git", true },
		{ IR_ALLOW, "git", "/usr/bin/git", true },
		{ IR_ALLOW, "git", "/usr/local/bin/git", true },
		{ IR_ALLOW, "git", "/usr/local/sbin/git", false },
		{ IR_ALLOW, "git", "/usr/bin/x/git", false },
		{ IR_ALLOW, "git", "/opt/git", false },
		{ IR_ALLOW, "git", "./git", false },
		{ IR_ALLOW, "*", "./git", false },
		{ IR_ALLOW, "./gradlew", "./gradlew", true },
		{ IR_ALLOW, "./gradlew", "/home/dev/app/gradlew", true },
		{ IR_ALLOW, "./gradlew", "gradlew", false },
		{ IR_ALLOW, "./gradlew", "sub/gradlew", false },
		{ IR_ALLOW, "./gradlew", "./x/../gradlew", false },
		{ IR_ALLOW, "./bin/*", "./bin/x", true },
		{ IR_ALLOW, "./bin/*", "./bin/../../evil", false },
		{ IR_ALLOW, "bin/tool", "./bin/tool", true },
		{ IR_ALLOW, "/opt/tool", "/opt/tool", true },
		{ IR_ALLOW, "/opt/tool", "tool", false },
	};

	(void)state;
	match_all(rows, POL_LEN(rows));
}

static void test_program_is_taken_from_the_working_directory(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_rule *r = cmd(ir, IR_PROJECT, IR_ALLOW, "./gradlew");
	struct ir_request q = line("../gradlew");

	(void)state;
	q.cwd = STR("/home/dev/app/src");
	assert_false(literal_match(r, &q)); /* ".." may be a link's */
	q = line("./gradlew");
	q.cwd = STR("/home/dev/app/src");
	assert_false(literal_match(r, &q));
	q.cwd = STR_NULL;
	assert_false(literal_match(r, &q));
	q = line("app/gradlew");
	q.cwd = STR("/home/dev");
	assert_true(literal_match(r, &q));
}

static void test_many_stars_end_in_time(void **state)
{
	char text[4000];

	(void)state;
	memset(text, 'a', sizeof(text));
	memcpy(text, "x ", 2);
	text[sizeof(text) - 1] = '\0';
	assert_false(matches(IR_DENY, "x *a*a*a*a*a*a*a*a*a*a*a*b", text));
}

/* --- paths -------------------------------------------------------------------------- */

static void test_path_patterns(void **state)
{
	static const struct {
		const char *pattern;
		bool below;
		const char *path;
		bool want;
	} rows[] = {
		{ "/etc", true, "/etc", true },
		{ "/etc", true, "/etc/ssl/x", true },
		{ "/etc", true, "/etcetera", false },
		{ "/etc", false, "/etc/ssl", false },
		{ "", true, "/", true },
		{ "", true, "/x", true },
		{ "/a/*.ts", false, "/a/x.ts", true },
		{ "/a/*.ts", false, "/a/b/x.ts", false },
		{ "/a/*.ts", true, "/a/x.ts/y", true },
		{ "/a/**/*.ts", false, "/a/x.ts", true },
		{ "/a/**/*.ts", false, "/a/b/c/x.ts", true },
		{ "/a/**/*.ts", false, "/ax.ts", false },
		{ "/**/.env*", true, "/.env", true },
		{ "/**/.env*", true, "/x/y/.env.local", true },
		{ "/**/.env*", true, "/x/y.env", false },
		{ "/a/x**y", false, "/a/x/b/cy", true },
		{ "/a/?", false, "/a/b", true },
		{ "/a/?", false, "/a//", false },
		{ "/{a|b}/c", true, "/b/c/d", true },
		{ "/{a|b}/c", true, "/d/c", false },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++)
		if (path_matches(rows[i].pattern, rows[i].below, rows[i].path) !=
		    rows[i].want)
			fail_msg("'%s' on '%s': expected %d", rows[i].pattern,
				 rows[i].path, rows[i].want);
}

static void test_roots_are_one_list(void **state)
{
	struct ir *ir = ir_new(&arena);

	(void)state;
	rule(ir, IR_PROJECT, IR_ALLOW, IR_FILE, file(IR_ROOT_PROJECT, "", IR_READ, true));
	rule(ir, IR_USER, IR_DENY, IR_FILE, file(IR_ROOT_HOME, "/app/x", IR_READ, true));
	rule(ir, IR_USER, IR_ALLOW, IR_FILE, file(IR_ROOT_SESSION, "", IR_READ, true));
	assert_effect(op(ir, IR_READ, "/home/dev/app/a"), IR_ALLOW);
	assert_effect(op(ir, IR_READ, "/home/dev/app/x/y"), IR_DENY);
	assert_effect(op(ir, IR_READ, "/home/dev/other"), IR_DENY);
	assert_effect(op(ir, IR_WRITE, "/home/dev/app/a"), IR_DENY);
	/* a root that does not exist matches nothing */
	assert_int_equal(op(ir, IR_READ, "/home/dev/app/a").nmatched, 1);
}

static void test_paths_in_another_spelling_match_nothing(void **state)
{
	static const char *const odd[] = { "", "x", "/a/../etc", "/./a", "//a", "/a/" };
	struct ir *ir = ir_new(&arena);

	(void)state;
	rule(ir, IR_PROJECT, IR_ALLOW, IR_FILE, file(IR_ROOT_FS, "", IR_READ, true));
	assert_effect(op(ir, IR_READ, "/a"), IR_ALLOW);
	for (size_t i = 0; i < POL_LEN(odd); i++)
		assert_effect(op(ir, IR_READ, odd[i]), IR_DENY);
}

static void test_hide_denies_every_operation(void **state)
{
	static const enum ir_op ops[] = { IR_READ, IR_WRITE, IR_EXEC };
	struct ir *ir = ir_new(&arena);
	struct ir_rule *h;

	(void)state;
	rule(ir, IR_PROJECT, IR_ALLOW, IR_FILE, file(IR_ROOT_FS, "", IR_READ, true));
	rule(ir, IR_PROJECT, IR_DENY, IR_FILE, file(IR_ROOT_FS, "/s", IR_READ, true));
	h = rule(ir, IR_USER, IR_HIDE, IR_FILE, file(IR_ROOT_FS, "/s", IR_ALL_OPS, true));
	for (size_t i = 0; i < POL_LEN(ops); i++) {
		struct eval_decision d = op(ir, ops[i], "/s/x");

		assert_effect(d, IR_HIDE);
		assert_ptr_equal(d.rule, h);
	}
}

/* --- system calls ----------------------------------------------------------------------------- */

static struct ir_cond *cmp(uint8_t width, uint64_t mask, enum ir_cmp c, uint64_t v)
{
	struct ir_cond *x = ARENA_NEW(&arena, struct ir_cond);

	*x = (struct ir_cond){ .op = IR_C_CMP, .arg = 1, .width = width, .cmp = c,
			       .mask = mask, .value = v };
	return x;
}

static struct ir_cond *join(enum ir_cond_op o, struct ir_cond *a, struct ir_cond *b)
{
	struct ir_cond *x = ARENA_NEW(&arena, struct ir_cond);

	*x = (struct ir_cond){ .op = o, .a = a, .b = b };
	return x;
}

static bool call(struct ir_cond *c, uint64_t arg)
{
	struct ir *ir = ir_new(&arena);
	struct ir_request q = base_request(IR_SYSCALL);
	struct ir_set s = { .u.syscall = { .nr = 16, .name = STR("ioctl"), .cond = c } };
	struct ir_rule *r = rule(ir, IR_PROJECT, IR_DENY, IR_SYSCALL, s);

	q.nr = 16;
	q.nr_known = true;
	q.args[1] = arg;
	return eval_rule_matches(r, &q);
}

static void test_conditions_are_arithmetic(void **state)
{
	const uint64_t hi = 0xdead00000000u, m32 = UINT32_MAX, m64 = UINT64_MAX;

	(void)state;
	assert_true(call(NULL, 7));
	assert_true(call(cmp(32, m32, IR_EQ, 0x5412), 0x5412));
	assert_true(call(cmp(32, m32, IR_EQ, 0x5412), hi | 0x5412));
	assert_false(call(cmp(64, m64, IR_EQ, 0x5412), hi | 0x5412));
	assert_true(call(cmp(32, 6, IR_NE, 0), hi | 4));
	assert_false(call(cmp(32, 6, IR_NE, 0), hi | 1));
	assert_true(call(cmp(64, m64, IR_GT, 10), hi));
	assert_false(call(cmp(32, m32, IR_GT, 10), hi));
	assert_true(call(cmp(32, m32, IR_GE, 0xffffffff), m64)); /* unsigned */
	assert_true(call(cmp(32, m32, IR_LT, 5), 4));
	assert_false(call(cmp(32, m32, IR_LT, 5), 5));
	assert_true(call(cmp(32, m32, IR_LE, 5), 5));
	assert_false(call(join(IR_C_NOT, cmp(32, m32, IR_LE, 5), NULL), 5));
	assert_true(call(join(IR_C_AND, cmp(32, m32, IR_GE, 3), cmp(32, m32, IR_LE, 5)), 4));
	assert_false(call(join(IR_C_AND, cmp(32, m32, IR_GE, 3), cmp(32, m32, IR_LE, 5)), 6));
	assert_true(call(join(IR_C_OR, cmp(32, m32, IR_EQ, 3), cmp(32, m32, IR_EQ, 6)), 6));
	assert_false(call(join(IR_C_FALSE, NULL, NULL), 6));
}

static void test_errno_of_the_highest_ranked_deny(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_set s = { .u.syscall = { .nr = 101, .name = STR("ptrace") } };
	struct ir_request q = base_request(IR_SYSCALL);

	(void)state;
	rule(ir, IR_MANAGED, IR_ASK, IR_SYSCALL, s);
	rule(ir, IR_MANAGED_FILE, IR_DENY, IR_SYSCALL, s)->err = EACCES;
	rule(ir, IR_USER, IR_DENY, IR_SYSCALL, s)->err = ENOENT;
	q.nr = 101;
	q.nr_known = true;
	assert_int_equal(ask(ir, &q).err, EACCES);
	q.nr = 102;
	assert_int_equal(ask(ir, &q).err, 0);
	ir->scalars[IR_S_SYSCALL_OTHERWISE].effect = IR_DENY;
	assert_int_equal(ask(ir, &q).err, EPERM);
}

static void test_numbers_without_a_name_do_not_exist(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_request q = base_request(IR_SYSCALL);
	struct eval_decision d;

	(void)state;
	q.nr = 9999;
	d = ask(ir, &q);
	assert_effect(d, IR_DENY);
	assert_int_equal(d.err, ENOSYS);
	assert_step(d, EVAL_STEP_UNKNOWN);
}

/* --- network, sockets, tools ---------------------------------------------------------------------- */

static struct ir_request net(const char *addr, const char *host, uint16_t port)
{
	struct ir_request q = base_request(IR_NET);
	struct num_cidr c;
	bool bits;

	q.proto = IR_TCP;
	q.port = port;
	if (addr) {
		assert_true(num_cidr(str_from(addr), &c, &bits));
		q.is_addr = true;
		memcpy(q.addr, c.addr, 16);
	} else {
		q.host = str_from(host);
	}
	return q;
}

static struct ir_set to_host(enum ir_host_kind k, const char *name, uint16_t lo, uint16_t hi)
{
	struct ir_set s = { .u.net = { .protos = IR_TCP, .host = k, .port_lo = lo,
				       .port_hi = hi } };
	bool bits;

	if (k == IR_HOST_CIDR)
		assert_true(num_cidr(str_from(name), &s.u.net.cidr, &bits));
	else
		s.u.net.name = str_from(name);
	return s;
}

static void test_network_modes(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_request far = net("10.1.2.3", NULL, 443);
	struct ir_request own = net("127.0.0.9", NULL, 80), own6 = net("::1", NULL, 80);

	(void)state;
	rule(ir, IR_MANAGED, IR_ALLOW, IR_NET, to_host(IR_HOST_CIDR, "10.0.0.0/8", 443, 443))
		->final = true;
	assert_effect(ask(ir, &far), IR_DENY); /* disabled, whatever rules say */
	assert_step(ask(ir, &far), EVAL_STEP_MODE);
	assert_effect(ask(ir, &own), IR_ALLOW);
	assert_effect(ask(ir, &own6), IR_ALLOW);
	own.scope = IR_HOST;
	assert_effect(ask(ir, &own), IR_DENY);
	ir->scalars[IR_S_NET_MODE].num = IR_NET_LIMITED;
	assert_effect(ask(ir, &far), IR_ALLOW);
	far.port = 80;
	assert_effect(ask(ir, &far), IR_DENY);
	ir->scalars[IR_S_NET_MODE].num = IR_NET_FULL;
	assert_effect(ask(ir, &far), IR_ALLOW);
	ir->scalars[IR_S_NET_OTHERWISE].set = true;
	ir->scalars[IR_S_NET_OTHERWISE].level = IR_PROJECT;
	assert_effect(ask(ir, &far), IR_DENY);
}

static void test_hosts(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_request q;

	(void)state;
	ir->scalars[IR_S_NET_MODE].num = IR_NET_LIMITED;
	rule(ir, IR_PROJECT, IR_ALLOW, IR_NET, to_host(IR_HOST_NAME, "a.example", 1, 65535));
	rule(ir, IR_PROJECT, IR_ALLOW, IR_NET, to_host(IR_HOST_BELOW, "b.example", 1, 65535));
	q = net(NULL, "a.example", 1);
	assert_effect(ask(ir, &q), IR_ALLOW);
	q = net(NULL, "x.a.example", 1);
	assert_effect(ask(ir, &q), IR_DENY);
	q = net(NULL, "y.x.b.example", 1);
	assert_effect(ask(ir, &q), IR_ALLOW);
	q = net(NULL, "b.example", 1);
	assert_effect(ask(ir, &q), IR_DENY);
	q = net(NULL, "xb.example", 1);
	assert_effect(ask(ir, &q), IR_DENY);
	q = net(NULL, "a.example", 1);
	q.proto = IR_UDP;
	assert_effect(ask(ir, &q), IR_DENY);
	q = net("9.9.9.9", NULL, 1);
	assert_effect(ask(ir, &q), IR_DENY);
}

static void test_sockets_and_tools(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_request q = base_request(IR_UNIX);
	struct ir_set s = { .u.unix_path = { .root = IR_ROOT_FS, .abstract = true,
					     .glob = glob("bus-*") } };
	struct ir_set p = { .u.unix_path = { .root = IR_ROOT_FS, .below = true,
					     .glob = glob("/run/x") } };
	struct ir_set t = { .u.tool.glob = glob("read_*") };

	(void)state;
	rule(ir, IR_PROJECT, IR_ALLOW, IR_UNIX, s);
	rule(ir, IR_PROJECT, IR_ALLOW, IR_UNIX, p);
	rule(ir, IR_PROJECT, IR_ALLOW, IR_TOOL, t);
	q.path = STR("bus-1");
	q.abstract = true;
	assert_effect(ask(ir, &q), IR_ALLOW);
	q.path = STR("/run/x/s");
	assert_effect(ask(ir, &q), IR_DENY);
	q.abstract = false;
	assert_effect(ask(ir, &q), IR_ALLOW);
	q = base_request(IR_TOOL);
	q.tool = STR("read_file");
	assert_effect(ask(ir, &q), IR_ALLOW);
	q.tool = STR("read");
	assert_effect(ask(ir, &q), IR_ASK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_words_and_tails),
		WITH(arena, test_program_column),
		WITH(arena, test_program_is_taken_from_the_working_directory),
		WITH(arena, test_many_stars_end_in_time),
		WITH(arena, test_path_patterns),
		WITH(arena, test_roots_are_one_list),
		WITH(arena, test_paths_in_another_spelling_match_nothing),
		WITH(arena, test_hide_denies_every_operation),
		WITH(arena, test_conditions_are_arithmetic),
		WITH(arena, test_errno_of_the_highest_ranked_deny),
		WITH(arena, test_numbers_without_a_name_do_not_exist),
		WITH(arena, test_network_modes),
		WITH(arena, test_hosts),
		WITH(arena, test_sockets_and_tools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
