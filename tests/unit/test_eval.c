/*
 * The reference evaluator on policies that are built by hand: each step of
 * semantics 3.1, the matchers of 4.3 and 5, conditions, the network's modes.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "compiler/ir/eval.h"

static struct arena arena;

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, ARENA_DEFAULT_BUDGET);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

/* --- building -------------------------------------------------------------- */

/* "*" "?" are wildcards, "**" is DEEP, "**" and "/" at a component DIRS, "{a|b}". */
static struct ir_glob glob_until(const char **p, const char *stop)
{
	struct { VEC(struct ir_glob_item) v; } to = { .v = { NULL, 0, 0 } };

	while (**p && !strchr(stop, **p)) {
		struct ir_glob_item it = { .op = IR_G_BYTE, .byte = (uint8_t)**p };
		bool start = !to.v.n || VEC_LAST(&to.v)->byte == '/';

		if (strncmp(*p, "**/", 3) == 0 && start) {
			it = (struct ir_glob_item){ .op = IR_G_DIRS, .byte = '/' };
			*p += 2;
		} else if (strncmp(*p, "**", 2) == 0) {
			it = (struct ir_glob_item){ .op = IR_G_DEEP };
			*p += 1;
		} else if (**p == '*' || **p == '?') {
			it.op = **p == '*' ? IR_G_STAR : IR_G_ONE;
			it.byte = 0;
		} else if (**p == '{') {
			it = (struct ir_glob_item){ .op = IR_G_ALT };
			it.alts = arena_array(&arena, 8, sizeof(*it.alts));
			do {
				(*p)++;
				it.alts[it.nalts++] = glob_until(p, "|}");
			} while (**p == '|');
		}
		VEC_PUSH(&arena, &to.v, it);
		(*p)++;
	}
	return (struct ir_glob){ to.v.v, to.v.n };
}

static struct ir_glob glob(const char *text)
{
	return glob_until(&text, "");
}

/* "git push:*"; "rm *" sets `more` where `broad`. */
static struct ir_set command(const char *text, bool broad)
{
	struct ir_set s = { 0 };
	struct ir_command *c = &s.u.command;
	char *copy = arena_printf(&arena, "%s", text), *word, *save = NULL;
	size_t n = strlen(copy);

	c->text = str_from(text);
	c->words = arena_array(&arena, 32, sizeof(*c->words));
	if (n > 2 && strcmp(copy + n - 2, ":*") == 0) {
		copy[n - 2] = '\0';
		c->tail = true;
	}
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		c->words[c->nwords].any_words = strcmp(word, "**") == 0;
		if (!c->words[c->nwords].any_words)
			c->words[c->nwords].glob = glob(word);
		c->more = broad && !c->tail && strcmp(word, "*") == 0;
		c->nwords++;
	}
	return s;
}

static struct ir_set file(enum ir_root root, const char *rest, unsigned ops, bool below)
{
	struct ir_set s = { 0 };

	s.u.file.ops = ops;
	s.u.file.path = (struct ir_path){ .root = root, .glob = glob(rest),
					  .below = below, .text = str_from(rest) };
	return s;
}

static struct ir_rule *rule(struct ir *ir, enum ir_level level, enum ir_effect e,
			    enum ir_kind kind, struct ir_set set)
{
	struct ir_rule *r = ARENA_NEW(ir->a, struct ir_rule);

	r->index = (uint32_t)ir->rules.n;
	r->id = str_printf(ir->a, "r%u", r->index);
	r->at = (struct ir_place){ STR("t.pol"), r->index + 1, 1, SPAN_NONE };
	r->text = STR("rule");
	r->level = level;
	r->effect = e;
	r->kind = kind;
	r->set = set;
	r->scopes = IR_ALL_SCOPES;
	r->full = true;
	if (kind == IR_SYSCALL && e == IR_DENY)
		r->err = EPERM;
	VEC_PUSH(ir->a, &ir->rules, r);
	return r;
}

static struct ir_rule *cmd(struct ir *ir, enum ir_level level, enum ir_effect e,
			   const char *pattern)
{
	return rule(ir, level, e, IR_COMMAND, command(pattern, e != IR_ALLOW));
}

static void except(struct ir_rule *r, struct ir_set s)
{
	struct ir_set *v = arena_array(&arena, r->nexcept + 1, sizeof(*v));

	for (size_t i = 0; i < r->nexcept; i++)
		v[i] = r->except[i];
	v[r->nexcept] = s;
	r->except = v;
	r->nexcept++;
}

static void lifted_by(struct ir_rule *r, const struct ir_rule *by)
{
	r->lifted_by = arena_dup(&arena, &by->index, sizeof(by->index));
	r->nlifted_by = 1;
}

/* --- asking ------------------------------------------------------------------ */

static struct ir_request base_request(enum ir_kind kind)
{
	return (struct ir_request){
		.kind = kind, .scope = IR_SANDBOX, .cwd = STR("/home/dev/app"),
		.roots.dir = { [IR_ROOT_FS] = STR("/"), [IR_ROOT_HOME] = STR("/home/dev"),
			       [IR_ROOT_PROJECT] = STR("/home/dev/app"),
			       [IR_ROOT_TMP] = STR("/tmp") },
	};
}

static struct ir_decision ask(const struct ir *ir, const struct ir_request *q)
{
	struct ir_decision d;

	ir_eval(ir, q, &arena, &d);
	return d;
}

static struct ir_request line(const char *text)
{
	struct ir_request q = base_request(IR_COMMAND);
	char *copy = arena_printf(&arena, "%s", text), *word, *save = NULL;

	q.argv = arena_array(&arena, 64, sizeof(*q.argv));
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		q.argv[q.nargv++] = str_from(word);
	return q;
}

static struct ir_decision run(const struct ir *ir, const char *text)
{
	struct ir_request q = line(text);

	return ask(ir, &q);
}

static struct ir_decision op(const struct ir *ir, enum ir_op o, const char *path)
{
	struct ir_request q = base_request(IR_FILE);

	q.op = o;
	q.path = str_from(path);
	return ask(ir, &q);
}

static bool matches(enum ir_effect e, const char *pattern, const char *text)
{
	struct ir *ir = ir_new(&arena);
	struct ir_rule *r = cmd(ir, IR_PROJECT, e, pattern);
	struct ir_request q = line(text);

	return ir_rule_matches(r, &q);
}

static bool path_matches(const char *pattern, bool below, const char *path)
{
	struct ir *ir = ir_new(&arena);
	struct ir_rule *r = rule(ir, IR_PROJECT, IR_DENY, IR_FILE,
				 file(IR_ROOT_FS, pattern, IR_READ, below));
	struct ir_request q = base_request(IR_FILE);

	q.op = IR_READ;
	q.path = str_from(path);
	return ir_rule_matches(r, &q);
}

#define assert_effect(d, e) assert_string_equal(ir_effect_name((d).effect), ir_effect_name(e))
#define assert_step(d, s) assert_string_equal(ir_step_name((d).step), ir_step_name(s))

/* --- word patterns --------------------------------------------------------------- */

static void test_words_and_tails(void **state)
{
	static const struct {
		enum ir_effect side;
		const char *pattern, *line;
		bool want;
	} rows[] = {
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
	for (size_t i = 0; i < POL_LEN(rows); i++)
		if (matches(rows[i].side, rows[i].pattern, rows[i].line) != rows[i].want)
			fail_msg("%s '%s' on '%s': expected %d",
				 ir_effect_name(rows[i].side), rows[i].pattern,
				 rows[i].line, rows[i].want);
}

static void test_program_column(void **state)
{
	static const struct {
		enum ir_effect side;
		const char *pattern, *line;
		bool want;
	} rows[] = {
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
	for (size_t i = 0; i < POL_LEN(rows); i++)
		if (matches(rows[i].side, rows[i].pattern, rows[i].line) != rows[i].want)
			fail_msg("%s '%s' on '%s': expected %d",
				 ir_effect_name(rows[i].side), rows[i].pattern,
				 rows[i].line, rows[i].want);
}

static void test_program_is_taken_from_the_working_directory(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_rule *r = cmd(ir, IR_PROJECT, IR_ALLOW, "./gradlew");
	struct ir_request q = line("../gradlew");

	(void)state;
	q.cwd = STR("/home/dev/app/src");
	assert_false(ir_rule_matches(r, &q)); /* ".." may be a link's */
	q = line("./gradlew");
	q.cwd = STR("/home/dev/app/src");
	assert_false(ir_rule_matches(r, &q));
	q.cwd = STR_NULL;
	assert_false(ir_rule_matches(r, &q));
	q = line("app/gradlew");
	q.cwd = STR("/home/dev");
	assert_true(ir_rule_matches(r, &q));
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
		struct ir_decision d = op(ir, ops[i], "/s/x");

		assert_effect(d, IR_HIDE);
		assert_ptr_equal(d.rule, h);
	}
}

/* --- the steps of 3.1 ------------------------------------------------------------------ */

static void test_strictest_wins_whatever_its_level(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_decision d;

	(void)state;
	cmd(ir, IR_MANAGED, IR_ALLOW, "git:*");
	cmd(ir, IR_PROJECT, IR_ASK, "git push:*");
	cmd(ir, IR_USER, IR_DENY, "git push -f");
	cmd(ir, IR_USER, IR_DENY, "git push *");
	d = run(ir, "git status");
	assert_effect(d, IR_ALLOW);
	assert_step(d, IR_STEP_RULES);
	assert_effect(run(ir, "git push"), IR_ASK);
	d = run(ir, "git push -f");
	assert_effect(d, IR_DENY);
	assert_int_equal(d.rule->index, 2); /* the first with that effect */
	assert_int_equal(d.nmatched, 4);
}

static void test_final_of_level_1_ends_the_list(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_decision d;

	(void)state;
	cmd(ir, IR_MANAGED, IR_ALLOW, "curl:*")->final = true;
	cmd(ir, IR_MANAGED, IR_ASK, "curl -d *");
	cmd(ir, IR_MANAGED_FILE, IR_DENY, "curl:*")->final = true;
	cmd(ir, IR_PROJECT, IR_DENY, "curl:*");
	d = run(ir, "curl x");
	assert_effect(d, IR_ALLOW);
	assert_step(d, IR_STEP_FINAL);
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
	assert_step(run(ir, "true"), IR_STEP_BASE_ALLOW);
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
	assert_step(run(ir, "scp b"), IR_STEP_DEFAULT);
	/* an allow that a lock took away lifts nothing */
	ir->locked[IR_COMMAND].level = IR_MANAGED;
	assert_effect(run(ir, "scp a"), IR_DENY);
}

static void test_floor_decides_last_but_decides(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_decision d;
	struct ir_rule *floor;

	(void)state;
	cmd(ir, IR_MANAGED, IR_ALLOW, "polc:*")->final = true;
	cmd(ir, IR_DEFAULT, IR_ASK, "polc x");
	floor = cmd(ir, IR_DEFAULT, IR_DENY, "polc trust:*");
	floor->floor = true;
	d = run(ir, "polc trust x");
	assert_effect(d, IR_DENY);
	assert_step(d, IR_STEP_FLOOR);
	lifted_by(floor, ir->rules.v[0]);
	assert_effect(run(ir, "polc trust x"), IR_ALLOW);
	assert_effect(run(ir, "polc x"), IR_ASK);
}

static void test_soft_asks_only_turn_allow_into_ask(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_decision d;

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
	assert_step(run(ir, "x"), IR_STEP_OTHERWISE);
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
	assert_step(run(ir, "ls a"), IR_STEP_RISK);
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
			struct ir_decision d;

			ir->scalars[IR_S_COMMAND_OTHERWISE].effect = (enum ir_effect)o;
			ir->scalars[IR_S_COMMAND_OPAQUE].effect = (enum ir_effect)p;
			d = ask(ir, &q);
			assert_effect(d, want[o][p]);
			assert_step(d, IR_STEP_OPAQUE);
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
	return ir_rule_matches(r, &q);
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
	struct ir_decision d;

	(void)state;
	q.nr = 9999;
	d = ask(ir, &q);
	assert_effect(d, IR_DENY);
	assert_int_equal(d.err, ENOSYS);
	assert_step(d, IR_STEP_UNKNOWN);
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
	assert_step(ask(ir, &far), IR_STEP_MODE);
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
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_words_and_tails),
		T(test_program_column),
		T(test_program_is_taken_from_the_working_directory),
		T(test_many_stars_end_in_time),
		T(test_path_patterns),
		T(test_roots_are_one_list),
		T(test_paths_in_another_spelling_match_nothing),
		T(test_hide_denies_every_operation),
		T(test_strictest_wins_whatever_its_level),
		T(test_final_of_level_1_ends_the_list),
		T(test_final_of_level_2),
		T(test_locked_section_drops_allows_below),
		T(test_defaults_are_lifted_by_allows_that_count),
		T(test_floor_decides_last_but_decides),
		T(test_soft_asks_only_turn_allow_into_ask),
		T(test_managed_asks_want_a_person),
		T(test_otherwise_where_nobody_says_one),
		T(test_exceptions_match_as_the_opposite),
		T(test_scopes),
		T(test_risk_the_highest_class_counts),
		T(test_unparsed_lines_are_never_allowed),
		T(test_conditions_are_arithmetic),
		T(test_errno_of_the_highest_ranked_deny),
		T(test_numbers_without_a_name_do_not_exist),
		T(test_network_modes),
		T(test_hosts),
		T(test_sockets_and_tools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
