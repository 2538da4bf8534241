/*
 * Which allows lift which defaults: the examples of the semantics, and the
 * relation against enumeration of requests over a small alphabet.
 */
#include "compiler/eval/eval.h"
#include "compiler/eval/request.h"
#include "compiler/sets/lang.h"
#include "tests/prop/random_ir.h"
#include "tests/lib/literal_part.h"
#include "tests/unit/hand.h"

static bool lifts(const struct ir_rule *rule, const struct ir_rule *by)
{
	size_t i;

	for (i = 0; i < rule->nlifted_by; i++)
		if (rule->lifted_by[i] == by->index)
			return true;
	return false;
}

static void test_examples_of_the_semantics(void **state)
{
	struct ir_rule *hosts, *root, *home, *hide;

	(void)state;
	hosts = hand_rule(&h, IR_FILE, IR_PROJECT, IR_ALLOW, "H/.ssh/known_hosts");
	root = hand_rule(&h, IR_FILE, IR_PROJECT, IR_ALLOW, "/");
	home = hand_rule(&h, IR_FILE, IR_USER, IR_ALLOW, "H");
	hide = hand_rule(&h, IR_FILE, IR_DEFAULT, IR_HIDE, "H/.ssh");
	hand_compile(&h);
	assert_true(lifts(hide, hosts));
	assert_false(lifts(hide, root));
	assert_false(lifts(hide, home));
	assert_true(h.ir->lifted);
}

static void test_level_5_allows_and_upper_denies(void **state)
{
	struct ir_rule *upper, *base, *hide;

	(void)state;
	upper = hand_rule(&h, IR_FILE, IR_USER, IR_DENY, "H/.ssh/a");
	base = hand_rule(&h, IR_FILE, IR_DEFAULT, IR_ALLOW, "H/.ssh/a");
	hide = hand_rule(&h, IR_FILE, IR_DEFAULT, IR_HIDE, "H/.ssh");
	hand_compile(&h);
	assert_int_equal(upper->nlifted_by, 0);
	assert_int_equal(hide->nlifted_by, 0);
	assert_int_equal(base->nlifted_by, 0);
}

static void test_the_floor_yields_to_few(void **state)
{
	struct ir_rule *final, *plain, *config, *narrow, *hooks, *git;

	(void)state;
	final = hand_rule(&h, IR_FILE, IR_MANAGED, IR_ALLOW, "P/.git/hooks/x");
	final->final = true;
	plain = hand_rule(&h, IR_FILE, IR_USER, IR_ALLOW, "P/.git/hooks/x");
	config = hand_rule(&h, IR_FILE, IR_USER, IR_ALLOW, "P/.git/config");
	narrow = hand_rule(&h, IR_FILE, IR_USER, IR_ALLOW, "P/.git/config");
	narrow->scopes = IR_SANDBOX;
	hooks = hand_rule(&h, IR_FILE, IR_DEFAULT, IR_DENY, "P/.git/hooks");
	git = hand_rule(&h, IR_FILE, IR_DEFAULT, IR_DENY, "P/.git/config");
	hooks->floor = git->floor = true;
	hand_compile(&h);
	assert_true(lifts(hooks, final));
	assert_false(lifts(hooks, plain));
	assert_true(lifts(git, config));
	assert_true(lifts(git, narrow));
	assert_false(lifts(git, final));
}

static void test_operations_and_scopes(void **state)
{
	struct ir_rule *write, *everywhere, *deny_read, *sandbox;

	(void)state;
	write = hand_rule(&h, IR_FILE, IR_PROJECT, IR_ALLOW, "/a");
	write->set.u.file.ops = IR_WRITE;
	everywhere = hand_rule(&h, IR_FILE, IR_PROJECT, IR_ALLOW, "/a");
	deny_read = hand_rule(&h, IR_FILE, IR_DEFAULT, IR_DENY, "/a");
	sandbox = hand_rule(&h, IR_FILE, IR_DEFAULT, IR_DENY, "/a");
	sandbox->scopes = IR_SANDBOX;
	hand_compile(&h);
	assert_false(lifts(deny_read, write));
	assert_true(lifts(deny_read, everywhere));
	assert_false(lifts(sandbox, everywhere));
}

static void test_exceptions_on_both_sides(void **state)
{
	struct ir_rule *inside, *clear, *meets, *file, *deny, *other;

	(void)state;
	inside = hand_rule(&h, IR_FILE, IR_PROJECT, IR_ALLOW, "/a/x");
	clear = hand_rule(&h, IR_FILE, IR_PROJECT, IR_ALLOW, "/a/y");
	meets = hand_rule(&h, IR_FILE, IR_PROJECT, IR_ALLOW, "/a");
	hand_except(&h, meets, "/a/x");
	file = hand_rule(&h, IR_FILE, IR_PROJECT, IR_ALLOW, "/a/x*");
	deny = hand_rule(&h, IR_FILE, IR_DEFAULT, IR_DENY, "/a");
	hand_except(&h, deny, "/a/x");
	other = hand_rule(&h, IR_FILE, IR_DEFAULT, IR_DENY, "/a");
	hand_except(&h, other, "H/b");
	hand_compile(&h);
	assert_false(lifts(deny, inside));
	assert_true(lifts(deny, clear));
	assert_true(lifts(deny, meets));
	/* HOME may be /a/x, whose b is below /a/x, and is nothing like /a/x… */
	assert_false(lifts(other, inside));
	assert_true(lifts(other, file));
}

/* --- against enumeration ---------------------------------------------------- */

static const char *const names[] = { "a", "b", "ab", "c", "d" };
static const char *const places[] = { "/a", "/a/b", "/c", "/" };

static bool matches(const struct ir_rule *r, const struct ir_request *q)
{
	return q->kind == IR_COMMAND ? literal_match(r, q) : eval_rule_matches(r, q);
}

/* Is there a request that `small` matches and `big` does not? */
static bool differs_at(const struct ir_rule *big, const struct ir_rule *small,
		       struct ir_request *q)
{
	return matches(small, q) && !matches(big, q);
}

static bool paths_differ(const struct ir_rule *big, const struct ir_rule *small,
			 struct ir_request *q)
{
	char path[64];
	unsigned i, k, n;

	for (n = 0; n < 6 * 6 * 6; n++) {
		char *p = path;

		for (i = n; i; i /= 6) {
			k = i % 6;
			p += k ? sprintf(p, "/%s", names[k - 1]) : 0;
		}
		if (p == path)
			p += sprintf(p, "/");
		q->path = (struct str){ path, (size_t)(p - path) };
		if (differs_at(big, small, q))
			return true;
	}
	return false;
}

static bool files_differ(const struct ir_rule *big, const struct ir_rule *small)
{
	struct ir_request q = { .kind = IR_FILE, .scope = IR_SANDBOX, .op = IR_READ };
	size_t i, k;

	q.roots.dir[IR_ROOT_FS] = STR("/");
	for (i = 0; i < POL_LEN(places); i++) {
		for (k = 0; k < POL_LEN(places); k++) {
			q.roots.dir[IR_ROOT_HOME] = str_from(places[i]);
			q.roots.dir[IR_ROOT_PROJECT] = str_from(places[k]);
			if (paths_differ(big, small, &q))
				return true;
		}
	}
	return false;
}

static void test_files_by_enumeration(void **state)
{
	static const char *const patterns[] = { "/",      "/a",     "/a/b",  "/a/*",
						"/a/?",   "/a*",    "/*",    "/**/b",
						"/**/a*", "/{a|b}", "/a/**", "/**/a/b",
						"H",      "H/a",    "H/*",   "H/**/b",
						"P/a",    "P/**/b", "H/a/b" };
	size_t i, k, e, held = 0, all = 0;

	(void)state;
	for (i = 0; i < POL_LEN(patterns); i++) {
		for (k = 0; k < POL_LEN(patterns); k++) {
			for (e = 0; e < 3; e++) {
				struct ir_rule *big = hand_rule(&h, IR_FILE, IR_DEFAULT,
								IR_DENY, patterns[i]);
				struct ir_rule *small = hand_rule(
					&h, IR_FILE, IR_USER, IR_ALLOW, patterns[k]);
				bool holds;

				if (e)
					hand_except(&h, big, e == 1 ? "/a/b" : "H/b");
				holds = set_rule_contains(&h.a, big, small) ==
					SET_HOLDS;
				held += holds;
				all++;
				if (holds == files_differ(big, small))
					fail_msg("%s (exception %zu) and %s: %d",
						 patterns[i], e, patterns[k], holds);
			}
		}
	}
	assert_true(held > 50 && held < all);
}

static bool commands_differ(const struct ir_rule *big, const struct ir_rule *small)
{
	static const char *const programs[] = { "a",   "b",      "/bin/a", "x/a",
						"./a", "/opt/a", "a:b" };
	static const char *const args[] = { "a", "b", "a:b", "ab", "" };
	struct ir_request q = { .kind = IR_COMMAND, .scope = IR_SANDBOX };
	struct str argv[4];
	unsigned n, k, p;

	q.roots.dir[IR_ROOT_FS] = STR("/");
	q.roots.dir[IR_ROOT_PROJECT] = STR("/p");
	q.cwd = STR("/p");
	q.argv = argv;
	for (p = 0; p < POL_LEN(programs); p++) {
		for (n = 0; n < 6 * 6 * 6; n++) {
			argv[0] = str_from(programs[p]);
			q.nargv = 1;
			for (k = n; k; k /= 6)
				if (k % 6)
					argv[q.nargv++] = str_from(args[k % 6 - 1]);
			if (differs_at(big, small, &q))
				return true;
		}
	}
	return false;
}

static void test_commands_by_enumeration(void **state)
{
	static const char *const patterns[] = { "a",     "a:*",     "a b",    "a b:*",
						"a *",   "a ** b",  "*",      "**",
						"a ?",   "{a|b} a", "/bin/a", "x/a",
						"./a:*", "** b",    "a a*" };
	size_t i, k, held = 0;

	(void)state;
	for (i = 0; i < POL_LEN(patterns); i++) {
		for (k = 0; k < POL_LEN(patterns); k++) {
			struct ir_rule *big = hand_rule(&h, IR_COMMAND, IR_DEFAULT,
							IR_DENY, patterns[i]);
			struct ir_rule *small = hand_rule(&h, IR_COMMAND, IR_USER,
							  IR_ALLOW, patterns[k]);
			bool holds = set_rule_contains(&h.a, big, small) == SET_HOLDS;
			bool differs = commands_differ(big, small);

			held += holds;
			/* a program by its path may be written in ways that are not
			   enumerated ("./a/"): then the answer may be no */
			if (holds ? differs : !differs && !strchr(patterns[k], '/'))
				fail_msg("%s and %s: %d", patterns[i], patterns[k],
					 holds);
		}
	}
	assert_true(held > 20);
}

/* --- boxes ------------------------------------------------------------------- */

static struct ir_cond *cmp(enum ir_cmp op, uint64_t mask, uint64_t value)
{
	struct ir_cond *c = ARENA_NEW(&h.a, struct ir_cond);

	*c = (struct ir_cond){
		.op = IR_C_CMP, .width = 32, .cmp = op, .mask = mask, .value = value
	};
	return c;
}

/* A rule of socket(2); `except` may be NULL. */
static struct ir_rule *call(enum ir_effect e, uint32_t nr, struct ir_cond *c,
			    struct ir_cond *except)
{
	struct ir_rule *r = hand_rule(&h, IR_TOOL, IR_USER, e, "x");

	r->kind = IR_SYSCALL;
	memset(&r->set, 0, sizeof(r->set));
	r->set.u.syscall = (struct ir_syscall){ .nr = nr, .cond = c };
	if (except) {
		r->nexcept = 1;
		r->except = arena_array(&h.a, 1, sizeof(*r->except));
		r->except[0].u.syscall =
			(struct ir_syscall){ .nr = 41, .cond = except };
	}
	return r;
}

static bool calls_differ(const struct ir_rule *big, const struct ir_rule *small)
{
	struct ir_request q = { .kind = IR_SYSCALL,
				.scope = IR_SANDBOX,
				.nr_known = true };
	unsigned i;

	for (i = 0; i < 64; i++) {
		q.nr = i / 32 ? 41 : 42;
		q.args[0] = i % 32;
		if (differs_at(big, small, &q))
			return true;
	}
	return false;
}

static void test_system_calls_by_enumeration(void **state)
{
	struct ir_cond *conds[] = { NULL,
				    cmp(IR_EQ, UINT64_MAX, 1),
				    cmp(IR_NE, UINT64_MAX, 1),
				    cmp(IR_LT, UINT64_MAX, 4),
				    cmp(IR_NE, 3, 0),
				    cmp(IR_EQ, 12, 0) };
	size_t i, k, e, held = 0;

	(void)state;
	for (i = 0; i < POL_LEN(conds); i++) {
		for (k = 0; k < POL_LEN(conds) * 2; k++) {
			for (e = 0; e < 9; e++) {
				struct ir_rule *big =
					call(IR_DENY, 41, conds[i], conds[e % 3]);
				struct ir_rule *small =
					call(IR_ALLOW, k % 2 ? 41 : 42, conds[k / 2],
					     conds[e / 3]);
				bool holds = set_rule_contains(&h.a, big, small) ==
					     SET_HOLDS;

				held += holds;
				if (holds == calls_differ(big, small))
					fail_msg("%zu %zu %zu: %d", i, k, e, holds);
			}
		}
	}
	assert_true(held > 20);
}

static struct ir_net net(unsigned n)
{
	static const char *const hosts[] = { "10.0.0.0/8", "10.0.0.0/9", "10.128.0.0/9",
					     "a.com", "b.a.com" };
	struct ir_net x = { .protos = 1 + n % 3, .port_lo = 1, .port_hi = 2 };
	struct str host = str_from(hosts[n / 3 % 5]);
	bool bits;

	if (n / 15 % 3)
		x.port_lo = x.port_hi = n / 15 % 3 == 1 ? 1 : 2;
	if (n / 45 % 2 && n / 3 % 5 == 0)
		return x;
	x.host = n / 45 % 2 && n / 3 % 5 == 3 ? IR_HOST_BELOW : IR_HOST_NAME;
	x.name = host;
	if (n / 3 % 5 < 3) {
		x.host = IR_HOST_CIDR;
		x.name = STR_NULL;
		assert_true(num_cidr(host, &x.cidr, &bits));
	}
	return x;
}

static bool nets_differ(const struct ir_rule *big, const struct ir_rule *small)
{
	static const char *const domains[] = { "a.com", "b.a.com", "c.a.com", "x.com" };
	struct ir_request q = { .kind = IR_NET, .scope = IR_SANDBOX };
	unsigned i;

	for (i = 0; i < 2 * 2 * 7; i++) {
		q.proto = i % 2 ? IR_TCP : IR_UDP;
		q.port = i / 2 % 2 ? 1 : 2;
		q.is_addr = i / 4 >= 4;
		q.host = q.is_addr ? STR_NULL : str_from(domains[i / 4]);
		memset(q.addr, 0, sizeof(q.addr));
		q.addr[10] = q.addr[11] = 0xff;
		q.addr[12] = i / 4 == 4 ? 11 : 10;
		q.addr[13] = i / 4 == 5 ? 1 : 129;
		if (differs_at(big, small, &q))
			return true;
	}
	return false;
}

static void test_nets_by_enumeration(void **state)
{
	struct rnd r = { .s = 12345678912345u, .a = &h.a };
	unsigned i, k, held = 0;

	(void)state;
	for (i = 0; i < 20000; i++) {
		struct ir_rule *v[2];
		bool holds;

		for (k = 0; k < 2; k++) {
			v[k] = hand_rule(&h, IR_TOOL, IR_USER, k ? IR_ALLOW : IR_DENY,
					 "x");
			v[k]->kind = IR_NET;
			memset(&v[k]->set, 0, sizeof(v[k]->set));
			v[k]->set.u.net = net(rnd_below(&r, 90));
			v[k]->nexcept = rnd_below(&r, 3);
			v[k]->except = arena_array(&h.a, 2, sizeof(*v[k]->except));
			v[k]->except[0].u.net = net(rnd_below(&r, 90));
			v[k]->except[1].u.net = net(rnd_below(&r, 90));
		}
		holds = set_rule_contains(&h.a, v[0], v[1]) == SET_HOLDS;
		held += holds;
		if (holds == nets_differ(v[0], v[1]))
			fail_msg("round %u: %d", i, holds);
	}
	assert_true(held > 200);
}

/* Whatever the policies: an inclusion that holds has no counterexample. */
static void test_random_inclusions_hold(void **state)
{
	struct rnd r = { .s = 88172645463325252u, .a = &h.a };
	unsigned held = 0, i, k;

	(void)state;
	for (i = 0; i < 3000; i++) {
		static const enum ir_kind kinds[] = { IR_FILE,    IR_FILE, IR_COMMAND,
						      IR_COMMAND, IR_UNIX, IR_TOOL };
		enum ir_kind kind = RND_PICK(&r, kinds);
		struct ir_rule *big = rnd_rule(&r, kind, IR_DEFAULT, true);
		struct ir_rule *small = rnd_rule(&r, kind, IR_USER, false);

		if (kind == IR_FILE)
			small->set.u.file.ops = 1u << rnd_below(&r, 3);
		small->effect = IR_ALLOW;
		if (rnd_one_in(&r, 2))
			small->set = big->set;
		if (kind == IR_FILE && small->set.u.file.ops == IR_ALL_OPS)
			small->set.u.file.ops = IR_READ;
		if (set_rule_contains(&h.a, big, small) != SET_HOLDS)
			continue;
		held++;
		for (k = 0; k < 200; k++) {
			struct ir_request q = rnd_request(&r);

			q.kind = kind;
			q.unparsed = false;
			if (kind != IR_UNIX && q.abstract)
				q.path = STR("/a");
			if (differs_at(big, small, &q))
				fail_msg("round %u", i);
		}
	}
	assert_true(held > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(hand, test_examples_of_the_semantics),
		WITH(hand, test_level_5_allows_and_upper_denies),
		WITH(hand, test_the_floor_yields_to_few),
		WITH(hand, test_operations_and_scopes),
		WITH(hand, test_exceptions_on_both_sides),
		WITH(hand, test_files_by_enumeration),
		WITH(hand, test_commands_by_enumeration),
		WITH(hand, test_system_calls_by_enumeration),
		WITH(hand, test_nets_by_enumeration),
		WITH(hand, test_random_inclusions_hold),
	};

	return cmocka_run_group_tests_name("lift", tests, NULL, NULL);
}
