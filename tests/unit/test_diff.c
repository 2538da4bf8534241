/*
 * What diff says of two small policies: which finding, which request, whether
 * it widens, and where it has to stay undecided.
 */
#include "tests/unit/diff_fixture.h"

/* --- requests ---------------------------------------------------------------- */

static void test_one_rule_more_is_one_shortest_request(void **state)
{
	const struct diff_finding *f;

	(void)state;
	compare("command { otherwise deny }",
		"command { otherwise deny  allow \"ls *\" }");
	f = only_finding(DIFF_ALLOWED, true);
	assert_int_equal(f->request.nargv, 2);
	assert_true(str_eqz(f->request.argv[0], "ls"));
	assert_int_equal(f->side[1].effect, IR_ALLOW);
	assert_int_equal(f->side[0].effect, IR_DENY);
	compare("file { allow read \"/srv\" }",
		"file { allow read \"/srv\"  deny read \"/srv/*.key\" }");
	f = only_finding(DIFF_DENIED, false);
	assert_true(str_eqz(f->request.path, "/srv/.key"));
}

static void test_each_change_has_its_word(void **state)
{
	(void)state;
	says("command { ask \"a\" }", "command { deny \"a\" }", DIFF_DENIED, false);
	says("command { deny \"a\" }", "command { ask \"a\" }", DIFF_ASKED, true);
	says("file { allow read \"/x\" hide \"/x/y\" }",
	     "file { allow read \"/x\" deny read \"/x/y\" }", DIFF_UNHIDDEN, true);
	says("limits { time 60s }", "limits { time 61s }", DIFF_LOOSER, true);
	says("limits { time 60s }", "", DIFF_LOOSER, true);
	says("limits { locked time 60s }", "limits { time 60s }", DIFF_LOCK_LOST, true);
	says("locked unix { }", "", DIFF_LOCK_LOST, true);
	says("syscall { deny ptrace }", "syscall { deny ptrace with ENOSYS }",
	     DIFF_ERRNO, false);
	says("env { keep A }", "env { keep A, B }", DIFF_ADDED, true);
	says("unix { otherwise deny }", "unix { otherwise deny  allow \"@bus\" }",
	     DIFF_ALLOWED, true);
	says("network limited", "network limited { allow 10.0.0.0/8 port 80 }",
	     DIFF_ALLOWED, true);
	says("command { risk low \"a\" }", "command { risk high \"a\" }",
	     DIFF_RISK_HIGHER, false);
}

/* A deny leaves options out that an allow spells: no word of its own shows that. */
static void test_options_of_a_deny_are_looked_at(void **state)
{
	static const char allow[] = "otherwise deny  allow \"git -x push\"";
	const char *with = arena_printf(&arena, "command { %s  deny \"git push\" }", allow);
	const char *without = arena_printf(&arena, "command { %s }", allow);

	(void)state;
	says(with, without, DIFF_ALLOWED, true);
	compare(with, without);
	assert_int_equal(only_finding(DIFF_ALLOWED, true)->request.nargv, 3);
}

/* Who only compares reads commands as a bundle would: behind a wrapper, too. */
static void test_commands_are_read_by_the_tables(void **state)
{
	static const char env[] = "command { otherwise deny  wrapper w { }  allow \"w:*\" }";
	static const char both[] = "command { otherwise deny  wrapper w { }  allow \"w:*\"  "
				   "allow \"ls\" }";
	const struct ir *ir = resolved(env);
	struct ir_request q = { .kind = IR_COMMAND, .scope = IR_SANDBOX, .cwd = STR("/w"),
				.nargv = 2 };
	struct eval_decision d;

	(void)state;
	assert_non_null(ir->line_facts);
	q.argv = arena_array(&arena, 2, sizeof(*q.argv));
	q.argv[0] = STR("w");
	q.argv[1] = STR("ls");
	eval_decide(ir, &q, &arena, &d);
	assert_int_equal(d.effect, IR_DENY);
	assert_int_equal(d.line->nparts, 2);
	eval_decide(resolved(both), &q, &arena, &d);
	assert_int_equal(d.effect, IR_ALLOW);
}

/* A bundle has one role's policy, and of the other roles a digest of all that counts there. */
static void test_the_digest_of_a_role_has_what_only_counts_there(void **state)
{
	const struct ir *old = managed("role r { }  command { deny \"a\"  deny \"b\" when role == r }");
	const struct ir *same = managed("role r { }  command { deny \"c\"  deny \"b\" when role == r }");
	const struct ir *none = managed("role r { }  command { deny \"a\" }");

	(void)state;
	assert_true(str_eq(old->roles.v[0].digest, same->roles.v[0].digest));
	assert_false(str_eq(old->roles.v[0].digest, none->roles.v[0].digest));
}

/* One half of a block, a port of a range, a mask of a flag. */
static void test_the_witness_lies_in_what_changed(void **state)
{
	const struct diff_finding *f;

	(void)state;
	compare("network limited { allow tcp 10.0.0.0/8 port 80-90 }",
		"network limited { allow tcp 10.0.0.0/9 port 80-90 "
		"allow tcp 10.128.0.0/9 port 80-89 }");
	f = only_finding(DIFF_DENIED, false);
	assert_int_equal(f->request.port, 90);
	assert_int_equal(f->request.addr[13], 128);
	compare("syscall { deny clone(flags) when flags & 3 }",
		"syscall { deny clone(flags) when flags & 1 }");
	f = only_finding(DIFF_ALLOWED, true);
	assert_int_equal(f->request.args[0], 2);
	compare("command { deny \"git {push|pull}\" }",
		"command { deny \"git push\" }");
	f = only_finding(DIFF_ASKED, true);
	assert_true(str_eqz(f->request.argv[1], "pull"));
}

/* Blocks around and inside of each other; the other way round each is a deny. */
static void test_a_wider_block_is_seen_around_a_narrower_one(void **state)
{
	static const char *const pairs[][2] = {
		{ "allow tcp 10.0.0.0/8 port 443",
		  "allow tcp 10.0.0.0/8 port 443  allow tcp 0.0.0.0/0 port 443" },
		{ "allow tcp 10.1.0.0/16 port 5432", "allow tcp 10.0.0.0/15 port 5432" },
		{ "allow tcp 10.1.0.0/16 port 5432", "allow tcp 10.1.0.0/16 port 5432-5433" },
		{ "allow tcp 10.1.0.0/16 port 5432", "allow 10.1.0.0/16 port 5432" },
		{ "allow 10.0.0.0/8  deny 10.1.2.0/24", "allow 10.0.0.0/8  deny 10.1.2.0/25" },
		{ "allow 20.0.0.0/7  deny 20.0.0.0/8  deny 20.1.0.0/16",
		  "allow 20.0.0.0/7  deny 20.1.0.0/16" },
		{ "allow 10.0.0.0/8 except 10.1.0.0/16, 10.1.2.0/24",
		  "allow 10.0.0.0/8 except 10.1.2.0/24" },
		{ "allow any  deny 0.0.0.0/0 except 10.0.0.0/8",
		  "allow any  deny 0.0.0.0/0 except 10.0.0.0/7" },
		{ "allow tcp 2001:db8:1::/48 port 443",
		  "allow tcp 2001:db8:1::/48 port 443  allow tcp 2001:db8::/32 port 443" },
		{ "allow ::/0  deny 2001:db8::/32  deny 2001:db8:1::/48",
		  "allow ::/0  deny 2001:db8:1::/48" },
		{ "deny \"*.invalid\"  allow \"a.example\"",
		  "deny \"*.invalid\"  allow \"a.example\"  allow any" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < POL_LEN(pairs); i++) {
		const char *old = arena_printf(&arena, "network limited { %s }", pairs[i][0]);
		const char *new = arena_printf(&arena, "network limited { %s }", pairs[i][1]);

		says(old, new, DIFF_ALLOWED, true);
		compare(new, old);
		(void)only_finding(DIFF_DENIED, false);
	}
	/* and the same in other words */
	is_same("network limited { allow 10.0.0.0/15  allow 10.1.0.0/16  deny 10.0.0.0/16 }",
		"network limited { allow 10.1.0.0/16  deny 10.0.0.0/16 }");
}

/* The address is denied either way, and only one policy keeps a name from leading there. */
static void test_where_names_may_lead(void **state)
{
	static const char *const pairs[][2] = {
		{ "allow tcp \"a.example\" port 22  deny tcp 192.0.2.0/24",
		  "allow tcp \"a.example\" port 22" },
		{ "allow tcp \"*.example\"  deny tcp 192.0.2.0/24 port 22",
		  "allow tcp \"*.example\"  deny tcp port 22 except \"a.example\"" },
		{ "allow tcp \"a.example\"  deny tcp port 22 except \"a.example\"  deny tcp 192.0.2.0/24 port 22",
		  "allow tcp \"a.example\"  deny tcp port 22 except \"a.example\"" },
		{ "allow tcp \"a.example\"  deny tcp ::/0 port 22",
		  "allow tcp \"a.example\"  deny tcp port 22 except \"a.example\"" },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(pairs); i++) {
		const char *old = arena_printf(&arena, "network limited { %s }", pairs[i][0]);
		const char *new = arena_printf(&arena, "network limited { %s }", pairs[i][1]);
		bool widens = false, narrows = false;

		compare(old, new);
		for (size_t k = 0; k < res.findings.n; k++)
			widens |= res.findings.v[k].change == DIFF_REACH &&
				  res.findings.v[k].widening;
		compare(new, old);
		for (size_t k = 0; k < res.findings.n; k++)
			narrows |= res.findings.v[k].change == DIFF_REACH &&
				   !res.findings.v[k].widening;
		if (!widens || !narrows)
			fail_msg("row %zu: %d %d", i, widens, narrows);
	}
	/* no name passes there, or none at all; datagrams reach nobody */
	is_same("network limited { allow tcp \"a.example\" port 22  deny tcp 192.0.2.0/24 port 80 }",
		"network limited { allow tcp \"a.example\" port 22 }");
	is_same("network limited { deny tcp 192.0.2.0/24 }", "network limited { }");
	is_same("network limited { allow tcp \"a.example\" port 22  deny udp 192.0.2.0/24 }",
		"network limited { allow tcp \"a.example\" port 22 }");
}

/* A lock keeps levels out that are not compared. */
static void test_a_lock_of_the_environment_is_one(void **state)
{
	(void)state;
	says("locked env { keep A }", "env { keep A }", DIFF_LOCK_LOST, true);
	says("env { locked keep A }", "env { keep A }", DIFF_LOCK_LOST, true);
	says("env { locked set A = \"1\" }", "env { set A = \"1\" }", DIFF_LOCK_LOST, true);
	says("env { locked secret A from store \"x\" }", "env { secret A from store \"x\" }",
	     DIFF_LOCK_LOST, true);
	says("env { set A = \"1\"  locked set B = \"1\" }",
	     "env { locked set A = \"1\"  locked set B = \"1\" }", DIFF_LOCK_ADDED, false);
	is_same("locked env { keep A  set B = \"1\" }",
		"env { locked keep A  locked set B = \"1\" }");
}

/* Of the one finding about a level; -1: there is none. */
static int level_widens(void)
{
	int widens = -1;
	size_t i;

	for (i = 0; i < res.findings.n; i++)
		if (res.findings.v[i].change == DIFF_LEVEL) {
			if (widens >= 0)
				fail_msg("two: %.*s", STR_ARG(res.findings.v[i].side[0].value));
			widens = res.findings.v[i].widening;
		}
	return widens;
}

/* What the level is decides against levels that are not compared. */
static void test_a_rule_that_changes_its_level_is_seen(void **state)
{
	static const char *const sections[][2] = {
		{ "command", "\"x\"" },	  { "file", "read \"/x\"" },
		{ "network", "10.0.0.1" }, { "unix", "\"@x\"" },
		{ "syscall", "ptrace" },	  { "tools", "\"x\"" },
	};
	static const char *const effects[] = { "allow", "deny" };
	size_t i, k;

	(void)state;
	for (i = 0; i < POL_LEN(sections); i++)
		for (k = 0; k < POL_LEN(effects); k++) {
			const char *text = arena_printf(&arena, "%s { %s %s }", sections[i][0],
							effects[k], sections[i][1]);
			struct ir *up = resolved(arena_printf(
				&arena, "policy p { level managed }\n%s", text));
			struct ir *down = resolved(arena_printf(
				&arena, "policy p { level user }\n%s", text));

			compare_irs(up, down);
			assert_int_equal(level_widens(), k == 1);
			compare_irs(down, up);
			assert_int_equal(level_widens(), k == 0);
			compare_irs(up, up);
			assert_int_equal(res.findings.n + res.doubts.n, 0);
		}
}

static void test_other_words_for_the_same_are_the_same(void **state)
{
	(void)state;
	is_same("command { allow \"a {b|c}\" }",
		"command { allow \"a c\" allow \"a b\" }");
	is_same("command { deny \"a *\" }",
		"command { deny \"a *\"  deny \"a b\" as x }");
	is_same("command { deny \"a\"  allow \"a\" }", "command { deny \"a\" }");
	is_same("file { allow read \"/x/{a,b}\" }",
		"file { allow read \"/x/b\", \"/x/a\" }");
	is_same("file { allow read \"/x\" }", "file { allow read \"/x\", \"/x/y\" }");
	is_same("network limited { allow 10.0.0.0/24 }",
		"network limited { allow 10.0.0.0/25  allow 10.0.0.128/25 }");
	is_same("syscall { deny socket(AF_PACKET) }",
		"syscall { deny socket(AF_PACKET), socket(AF_PACKET, SOCK_RAW) }");
	is_same("unix { deny \"@a*\" }", "unix { deny \"@a*\", \"@ab\" }");
	is_same("command { allow \"a\" because \"x\" as y }",
		"\n\n command { allow \"a\" }");
}

static void meets_at(enum diff_change change, bool widening, enum ir_root root,
		     const char *dir, const char *path)
{
	const struct diff_finding *f = only_finding(change, widening);

	assert_string_equal(arena_printf(&arena, "%.*s", STR_ARG(f->request.path)), path);
	assert_string_equal(
		arena_printf(&arena, "%.*s", STR_ARG(f->request.roots.dir[root])), dir);
}

/*
 * The place of a root decides whether the rule is about anything.  Then the finding says
 * such a place, and its request has it.
 */
static void test_a_root_may_lie_where_rules_meet(void **state)
{
	static const char old[] = "file { allow read \"${HOME}/x\" }";
	static const char new[] =
		"file { allow read \"${HOME}/x\"  deny read \"/opt\" }";

	(void)state;
	compare(old, new);
	meets_at(DIFF_DENIED, false, IR_ROOT_HOME, "/opt", "/opt/x");
	compare(new, old);
	meets_at(DIFF_ALLOWED, true, IR_ROOT_HOME, "/opt", "/opt/x");
	/* the own root is moved; of two that may be, the project */
	compare("file { allow read \"/opt/y\" }",
		"file { allow read \"/opt/y\"  deny read \"${PROJECT_DIR}/y\" }");
	meets_at(DIFF_DENIED, false, IR_ROOT_PROJECT, "/opt", "/opt/y");
	compare("file { allow read \"${TMPDIR}\", \"${PROJECT_DIR}\" }",
		"file { allow read \"${TMPDIR}\", \"${PROJECT_DIR}\"  deny read \"/k\" }");
	meets_at(DIFF_DENIED, false, IR_ROOT_PROJECT, "/k", "/k");
}

/* No place of HOME shows a difference; what finds examples proves nothing. */
static void test_roots_without_an_example_stay_undecided(void **state)
{
	(void)state;
	compare("file { allow read \"${HOME}\"  hide \"/e\" until 2999-01-01 }",
		"file { allow read \"${HOME}\"  hide \"/e\" until 2999-01-01  deny read \"/e\" }");
	assert_int_equal(res.findings.n, 0);
	assert_int_equal(res.doubts.n, 1);
	assert_true(res.doubts.v[0].narrows_only);
}

/* Rules at any depth that no automaton holds: asked where a tree is open. */
static void test_too_many_rules_are_asked_below_open_trees(void **state)
{
	char old[1000] = "file { allow read \"/srv\"  allow write \"/opt\" ", *new;
	size_t n = strlen(old), k;
	const struct diff_finding *f;

	(void)state;
	for (k = 0; k < 24; k++)
		n += (size_t)snprintf(old + n, sizeof(old) - n, "deny read \"**/.%c\" ",
				      (char)('a' + k));
	new = arena_printf(&arena, "%s }", old);
	(void)snprintf(old + n, sizeof(old) - n, "deny read \"**/.z\" }");
	compare(old, new);
	f = only_finding(DIFF_ALLOWED, true);
	assert_true(str_eqz(f->request.path, "/srv/.z"));
	compare(new, old);
	(void)only_finding(DIFF_DENIED, false);
}

/* A search ended before it had an answer: of what may widen it is a doubt that says so. */
static void is_undecided(const char *old, const char *new, bool may_widen)
{
	bool widens = false;
	size_t i;

	compare(old, new);
	assert_int_equal(res.findings.n, 0);
	assert_true(res.doubts.n > 0);
	for (i = 0; i < res.doubts.n; i++) {
		assert_true(str_eqz(res.doubts.v[i].why,
				    "not every request that it matches could be looked at"));
		widens |= !res.doubts.v[i].narrows_only;
	}
	assert_int_equal(widens, may_widen);
}

/* Wherever other roots lie, what both policies hide stays hidden. */
static void test_what_is_hidden_is_not_denied_once_more(void **state)
{
	static const char hides[] = "file { allow read \"${HOME}\"  hide \"/etc/shadow\" }";

	(void)state;
	is_same(hides, "file { allow read \"${HOME}\"  hide \"/etc/shadow\"  deny read \"/etc/shadow\" }");
	is_same(hides, "file { allow read \"${HOME}\"  hide \"/etc/shadow\"  allow read \"/etc/shadow\" }");
	/* a final rule may allow it, where its root lies there */
	compare("file { final allow read \"${HOME}\" }\nfile { hide \"/etc/shadow\" }",
		"file { final allow read \"${HOME}\" }\nfile { deny read \"/etc/shadow\" }");
	assert_true(res.findings.n + res.doubts.n > 0);
	/* a deny of one operation hides nothing of another */
	compare("file { deny read \"/k\" }", "file { deny read \"/k\"  deny write \"/k\" }");
	assert_true(res.findings.n + res.doubts.n > 0);
}

/*
 * `foo rm x` is asked about where no rule allows it, since its words spell a denied
 * command; `foo x` is allowed either way.
 */
static void test_an_allow_beside_otherwise_allow_is_not_called_the_same(void **state)
{
	static const char with[] = "command { otherwise allow  deny \"rm:*\"  allow \"foo:*\" }";
	static const char without[] = "command { otherwise allow  deny \"rm:*\" }";

	(void)state;
	compare(without, with);
	assert_true(res.findings.n + res.doubts.n > 0);
	compare(with, without);
	assert_true(res.findings.n + res.doubts.n > 0);
	is_same(with, "command { otherwise allow  deny \"rm:*\"  allow \"foo:*\"  "
		      "allow \"foo a\" }");
}

/*
 * An automaton of 2^20 states is none: the words that are tried are answered alike, which
 * says nothing of the others.
 */
static void test_a_set_past_the_budget_is_undecided(void **state)
{
	static const char big[] = "*a???????????????????", small[] = "*a???";

	(void)state;
	is_same("command { otherwise deny  allow \"x *\" }",
		arena_printf(&arena, "command { otherwise deny  allow \"x *\"  allow \"x %s\" }", small));
	is_undecided("command { otherwise deny  allow \"x *\" }",
		     arena_printf(&arena, "command { otherwise deny  allow \"x *\"  allow \"x %s\" }", big),
		     true);
	is_same("tools { otherwise deny  deny \"x*\" }",
		arena_printf(&arena, "tools { otherwise deny  deny \"x*\"  deny \"%s\" }", small));
	is_undecided("tools { otherwise deny  deny \"x*\" }",
		     arena_printf(&arena, "tools { otherwise deny  deny \"x*\"  deny \"%s\" }", big), false);
}

/* As many hosts as ports: what no request of the first ones shows may be in the others. */
static void test_a_network_past_the_budget_is_undecided(void **state)
{
	static const char whole[] = "allow tcp any", parts[] = "allow tcp any port 1-40000  "
							       "allow tcp any port 40001-65535";
	const char *few = "network limited { ", *many;
	uint32_t i;

	(void)state;
	for (i = 1; i <= 9; i++)
		few = arena_printf(&arena, "%sdeny tcp 10.0.%u.1 port %u  ", few, i, 1000 + 10 * i);
	is_same(arena_printf(&arena, "%s%s }", few, whole), arena_printf(&arena, "%s%s }", few, parts));
	for (many = few; i <= 600; i++)
		many = arena_printf(&arena, "%sdeny tcp 10.%u.%u.1 port %u  ", many, i / 200, i % 200,
				    1000 + 10 * i);
	is_undecided(arena_printf(&arena, "%s%s }", many, whole),
		     arena_printf(&arena, "%s%s }", many, parts), true);
}

/* --- what a bundle may hold, and no compiler makes ---------------------------------
 */

static void test_what_lifts_a_default_is_compared_too(void **state)
{
	static const char text[] = "policy p { level user }\n"
				   "file { allow read \"${HOME}/.ssh/known_hosts\" }";
	struct ir *x = resolved(text), *y = resolved(text);
	size_t i, lifted = 0;

	(void)state;
	for (i = 0; i < y->rules.n; i++) {
		lifted += y->rules.v[i]->nlifted_by;
		y->rules.v[i]->nlifted_by = 0;
	}
	assert_true(lifted > 0);
	compare_irs(x, y);
	assert_int_equal(res.findings.n, 1);
	assert_int_equal(res.findings.v[0].change, DIFF_HIDDEN);
	compare_irs(y, x);
	assert_true(str_eqz(only_finding(DIFF_ALLOWED, true)->request.path,
			    "/home/dev/.ssh/known_hosts"));
}

static void test_the_order_of_errnos_is_compared_too(void **state)
{
	static const char text[] = "policy p { level managed  base none }\n"
				   "syscall { deny ptrace with EPERM\n"
				   "deny ptrace(0) with EACCES }";
	struct ir *x = resolved(text), *y = resolved(text);
	uint32_t nr = 101;
	struct ir_rule *first = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < y->rules.n; i++) {
		struct ir_rule *r = y->rules.v[i], t;

		if (r->kind != IR_SYSCALL || r->set.u.syscall.nr != nr)
			continue;
		if (first) {
			t = *r;
			*r = *first;
			*first = t;
			r->index = t.index;
			first->index = (uint32_t)i - 1;
			break;
		}
		first = r;
	}
	assert_true(i < y->rules.n);
	compare_irs(x, y);
	assert_int_equal(res.findings.n, 1);
	assert_int_equal(res.findings.v[0].change, DIFF_ERRNO);
}

/* --- L7 ------------------------------------------------------------------------------
 */

static bool is_shown(struct str id)
{
	size_t i;

	for (i = 0; i < res.findings.n; i++)
		if (str_eq(res.findings.v[i].side[0].id, id))
			return true;
	return false;
}

/* `base none` is a line, and each hide and deny of the base that goes with it. */
static void test_L7_base_none_shows_in_bulk(void **state)
{
	static const char body[] =
		"file { allow read \"/\" } syscall { otherwise allow }";
	const struct ir *x =
		resolved(arena_printf(&arena, "policy p { level managed }%s", body));
	size_t i, hides = 0, bases = 0;

	(void)state;
	compare_irs(x,
		    resolved(arena_printf(
			    &arena, "policy p { level managed  base none }%s", body)));
	for (i = 0; i < x->rules.n; i++) {
		const struct ir_rule *r = x->rules.v[i];

		if (r->effect != IR_HIDE || r->level != IR_DEFAULT)
			continue;
		hides++;
		if (!is_shown(r->id))
			fail_msg("'%.*s' is lost and not shown", STR_ARG(r->text));
	}
	assert_true(hides > 20);
	for (i = 0; i < res.findings.n; i++)
		bases += strcmp(res.findings.v[i].kind, "policy") == 0 &&
			 res.findings.v[i].change == DIFF_LOOSER;
	assert_int_equal(bases, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_one_rule_more_is_one_shortest_request),
		WITH(arena, test_each_change_has_its_word),
		WITH(arena, test_options_of_a_deny_are_looked_at),
		WITH(arena, test_commands_are_read_by_the_tables),
		WITH(arena, test_the_digest_of_a_role_has_what_only_counts_there),
		WITH(arena, test_the_witness_lies_in_what_changed),
		WITH(arena, test_a_wider_block_is_seen_around_a_narrower_one),
		WITH(arena, test_where_names_may_lead),
		WITH(arena, test_a_lock_of_the_environment_is_one),
		WITH(arena, test_a_rule_that_changes_its_level_is_seen),
		WITH(arena, test_other_words_for_the_same_are_the_same),
		WITH(arena, test_an_allow_beside_otherwise_allow_is_not_called_the_same),
		WITH(arena, test_what_is_hidden_is_not_denied_once_more),
		WITH(arena, test_a_root_may_lie_where_rules_meet),
		WITH(arena, test_roots_without_an_example_stay_undecided),
		WITH(arena, test_too_many_rules_are_asked_below_open_trees),
		WITH(arena, test_a_set_past_the_budget_is_undecided),
		WITH(arena, test_a_network_past_the_budget_is_undecided),
		WITH(arena, test_what_lifts_a_default_is_compared_too),
		WITH(arena, test_the_order_of_errnos_is_compared_too),
		WITH(arena, test_L7_base_none_shows_in_bulk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
