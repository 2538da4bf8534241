/* What one simple command gets, step by step of semantics 4.4, on parts made by hand. */
#include "tests/unit/part_fixture.h"

/* --- may and must --------------------------------------------------------------------- */

enum { NO, MAY, MUST };

struct row {
	enum ir_effect effect;
	const char *pattern, *text;
	int want;
};

static int how(struct eval_match m)
{
	return m.must ? MUST : m.may ? MAY : NO;
}

static void check_rows(const struct row *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct ir *ir = ir_new(&arena);
		struct ir_rule *x = cmd(ir, IR_PROJECT, r[i].effect, r[i].pattern);
		struct eval_asked q = part_asked(ir, part_of(r[i].text));

		if (how(eval_rule_on_part(&q, x)) != r[i].want)
			fail_msg("%s \"%s\" on '%s': %d, not %d", ir_effect_name(r[i].effect),
				 r[i].pattern, r[i].text, how(eval_rule_on_part(&q, x)),
				 r[i].want);
	}
}

static void test_words_that_are_not_known(void **state)
{
	static const struct row rows[] = {
		{ IR_DENY, "rm:*", "rm -rf x", MUST },
		{ IR_DENY, "rm:*", "@ rm -rf x", MAY },
		{ IR_DENY, "rm:*", "$ -rf x", MAY },
		{ IR_DENY, "rm:*", "$/rm -rf x", MUST },
		{ IR_DENY, "rm:*", "r$ -rf x", MAY },
		{ IR_DENY, "rm:*", "~/bin/rm x", MUST },
		{ IR_DENY, "git push:*", "git pu$ x", MAY },
		{ IR_DENY, "git push:*", "git $ push", MUST },
		{ IR_DENY, "git push:*", "git $ x", MAY },
		{ IR_DENY, "git push:*", "git status $", NO },
		{ IR_DENY, "git push:*", "git @", MAY },
		{ IR_DENY, "git push:*", "git -C x push", NO },
		{ IR_DENY, "git push:*", "git -c push", MUST },
		{ IR_DENY, "rm *", "rm @", MAY },
		{ IR_DENY, "rm *", "rm $", MUST },
		{ IR_DENY, "*", "@", MAY },
		{ IR_ALLOW, "ls:*", "ls $ @ *", MUST },
		{ IR_ALLOW, "ls", "ls @", MAY },
		{ IR_ALLOW, "ls ?", "ls *", MAY },
		{ IR_ALLOW, "ls *", "ls $", MAY },
		{ IR_ALLOW, "ls *", "ls ~", MUST },
		{ IR_ALLOW, "$x:*", "$ a", MAY },
		{ IR_ALLOW, "cat /home/dev/**", "cat ~/x", MUST },
		{ IR_ALLOW, "git push", "git -x push", NO },
		{ IR_ALLOW, "npm run test:*", "npm run test$", MAY },
		{ IR_ALLOW, "npm run test:*", "npm run test:$", MAY },
		{ IR_ALLOW, "npm run test:*", "npm run test $", MUST },
	};

	(void)state;
	check_rows(rows, POL_LEN(rows));
}

static void test_words_that_follow_are_any(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct cmd_part *p = part_of("git push");
	struct eval_asked q = part_asked(ir, p);

	(void)state;
	p->flags = CMD_APPENDS;
	assert_int_equal(how(eval_rule_on_part(&q, cmd(ir, IR_USER, IR_ALLOW, "git push"))), MAY);
	assert_int_equal(how(eval_rule_on_part(&q, cmd(ir, IR_USER, IR_ALLOW, "git push:*"))),
			 MUST);
	assert_int_equal(how(eval_rule_on_part(&q, cmd(ir, IR_USER, IR_DENY, "git push x:*"))),
			 MAY);
	assert_int_equal(how(eval_rule_on_part(&q, cmd(ir, IR_USER, IR_DENY, "git pull:*"))), NO);
}

static void test_exceptions_match_as_the_opposite(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_rule *deny = cmd(ir, IR_USER, IR_DENY, "git push:*");
	struct ir_rule *allow = cmd(ir, IR_USER, IR_ALLOW, "npm run:*");
	struct eval_asked q;

	(void)state;
	except(deny, command("git push --dry-run", false));
	except(allow, command("npm run deploy:*", true));
	q = part_asked(ir, part_of("git push --dry-run"));
	assert_int_equal(how(eval_rule_on_part(&q, deny)), NO);
	q = part_asked(ir, part_of("git push --dry$"));
	assert_int_equal(how(eval_rule_on_part(&q, deny)), MAY);
	q = part_asked(ir, part_of("git push origin"));
	assert_int_equal(how(eval_rule_on_part(&q, deny)), MUST);
	q = part_asked(ir, part_of("npm run -s deploy"));
	assert_int_equal(how(eval_rule_on_part(&q, allow)), NO);
	q = part_asked(ir, part_of("npm run $"));
	assert_int_equal(how(eval_rule_on_part(&q, allow)), MAY);
	/* a name that means something else is no exception */
	q = part_asked(ir, part_of("git push --dry-run"));
	((struct cmd_part *)(uintptr_t)q.part)->flags = CMD_VOID;
	assert_int_equal(how(eval_rule_on_part(&q, deny)), MAY);
}

static void test_pins(void **state)
{
	static const struct ir_pin pin = { .name = { "git", 3 }, .path = { "/opt/git", 8 } };
	static const struct {
		const char *text;
		int want;
	} rows[] = {
		{ "git x", MUST }, { "/opt/git x", MUST }, { "/usr/bin/git x", NO },
		{ "./git x", NO },
	};
	struct ir *ir = ir_new(&arena);
	struct ir_rule *r = cmd(ir, IR_USER, IR_ALLOW, "git x");

	(void)state;
	VEC_PUSH(&arena, &ir->pins, pin);
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct eval_asked q = part_asked(ir, part_of(rows[i].text));

		if (how(eval_rule_on_part(&q, r)) != rows[i].want)
			fail_msg("'%s'", rows[i].text);
	}
}

static void test_a_file_is_the_same_in_every_directory(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_rule *r = cmd(ir, IR_USER, IR_ALLOW, "./run x");
	struct cmd_dir old = { "/home/dev/app", NULL }, both = { "/home/dev/app/src", &old };
	struct cmd_part *p = part_of("./run x");
	struct eval_asked q = part_asked(ir, p);

	(void)state;
	assert_int_equal(how(eval_rule_on_part(&q, r)), MUST);
	p->dirs = &both;
	assert_int_equal(how(eval_rule_on_part(&q, r)), MAY);
	p->dirs = NULL;
	p->dirs_unknown = true;
	assert_int_equal(how(eval_rule_on_part(&q, r)), MAY);
}

/* --- guards ------------------------------------------------------------------------------- */

static struct ir_guard guard(enum ir_guard_kind kind, const char *list)
{
	char *copy = arena_printf(&arena, "%s", list), *word, *save = NULL;
	struct ir_guard g = { .kind = kind };

	g.options = arena_array(&arena, 8, sizeof(*g.options));
	g.paths = arena_array(&arena, 8, sizeof(*g.paths));
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *eq = strchr(word, '=');
		struct ir_option *o = &g.options[g.noptions];

		if (kind == IR_GD_WITHIN) {
			g.paths[g.npaths++] = (struct ir_path){
				.root = IR_ROOT_FS, .below = true, .glob = glob(word),
			};
			continue;
		}
		if (eq) {
			*eq = '\0';
			o->value = ARENA_NEW(&arena, struct ir_glob);
			*o->value = glob(eq + 1);
		}
		o->name = glob(word);
		g.noptions++;
	}
	return g;
}

struct guard_row {
	enum ir_effect effect;
	enum ir_guard_kind kind;
	const char *list, *text;
	int want;
};

static void test_guards(void **state)
{
	static const struct guard_row rows[] = {
		{ IR_DENY, IR_GD_WITH, "-f --force", "git push -f", MUST },
		{ IR_DENY, IR_GD_WITH, "-f --force", "git push origin --force", MUST },
		{ IR_DENY, IR_GD_WITH, "-f --force", "git push", NO },
		{ IR_DENY, IR_GD_WITH, "-f", "git push -uf", MUST },
		{ IR_ALLOW, IR_GD_WITH, "-f", "git push -uf", MAY },
		{ IR_ALLOW, IR_GD_WITH, "-f", "git push -f", MUST },
		{ IR_DENY, IR_GD_WITH, "-f", "git push $", MAY },
		{ IR_DENY, IR_GD_WITH, "-rf", "rm -r -f x", MUST },
		{ IR_DENY, IR_GD_WITH, "-rf", "rm -fr x", MUST },
		{ IR_DENY, IR_GD_WITH, "-rf", "rm -r x", NO },
		{ IR_DENY, IR_GD_WITH, "-rf", "rm -r $", MAY },
		{ IR_DENY, IR_GD_WITH, "--data*", "curl --data-raw=x", MUST },
		{ IR_DENY, IR_GD_WITH, "--o=a*", "x --o=ab", MUST },
		{ IR_DENY, IR_GD_WITH, "--o=a*", "x --o=b", NO },
		{ IR_DENY, IR_GD_WITH, "--o=a*", "x --o", NO },
		{ IR_ALLOW, IR_GD_WITH, "--o=a*", "x --o=a!", NO },
		{ IR_ALLOW, IR_GD_WITHOUT, "--output", "git log", MUST },
		{ IR_ALLOW, IR_GD_WITHOUT, "--output", "git log --output", NO },
		{ IR_ALLOW, IR_GD_WITHOUT, "--output", "git log $", MAY },
		{ IR_ALLOW, IR_GD_WITHOUT, "--o*", "git log --o!", NO },
		{ IR_ALLOW, IR_GD_WITHOUT, "-x", "git log -ax", MAY },
		{ IR_DENY, IR_GD_WITHOUT, "-x", "git log -ax", MUST },
		{ IR_DENY, IR_GD_WITHOUT, "-x", "git log -x", NO },
		{ IR_DENY, IR_GD_WITHOUT, "-x", "git log $", MAY },
		{ IR_ALLOW, IR_GD_WITH_ONLY, "-a -b", "ls -a -b x", MUST },
		{ IR_ALLOW, IR_GD_WITH_ONLY, "-a -b", "ls x", MUST },
		{ IR_ALLOW, IR_GD_WITH_ONLY, "-a", "ls -a -b x", NO },
		{ IR_ALLOW, IR_GD_WITH_ONLY, "-a -b", "ls $", MAY },
		{ IR_ALLOW, IR_GD_WITH_ONLY, "-ab", "ls -a -b", MUST },
		{ IR_ALLOW, IR_GD_WITHIN, "/home/dev/app", "rm x y", MUST },
		{ IR_ALLOW, IR_GD_WITHIN, "/home/dev/app", "rm", NO },
		{ IR_ALLOW, IR_GD_WITHIN, "/home/dev/app", "rm x /etc", NO },
		{ IR_ALLOW, IR_GD_WITHIN, "/home/dev/app", "rm ../x", MAY },
		{ IR_ALLOW, IR_GD_WITHIN, "/home/dev/app", "rm x $", MAY },
		{ IR_ALLOW, IR_GD_WITHIN, "/home/dev/app", "rm x --to=/etc", NO },
		{ IR_ALLOW, IR_GD_WITHIN, "/home/dev/app", "rm ~/app/x", MUST },
		{ IR_ALLOW, IR_GD_WITHIN, "/home/dev/app", "rm ~/x", NO },
		{ IR_DENY, IR_GD_WITHIN, "/etc", "rm /etc/x", MUST },
		{ IR_DENY, IR_GD_WITHIN, "/etc", "rm /etc/x /tmp/y", NO },
		{ IR_DENY, IR_GD_WITHIN, "/etc", "rm /etc/x $", MAY },
		{ IR_DENY, IR_GD_WITHIN, "/etc", "rm x", NO },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		const struct guard_row *x = &rows[i];
		struct ir *ir = ir_new(&arena);
		struct ir_rule *r = cmd(ir, IR_PROJECT, x->effect, "*:*");
		struct ir_guard g = guard(x->kind, x->list);
		struct eval_asked q = part_asked(ir, part_of(x->text));

		r->set.u.command.guards = &g;
		r->set.u.command.nguards = 1;
		if (how(eval_rule_on_part(&q, r)) != x->want)
			fail_msg("%s, guard %d '%s' on '%s': %d", ir_effect_name(x->effect),
				 x->kind, x->list, x->text, how(eval_rule_on_part(&q, r)));
	}
}

/* --- regular expressions -------------------------------------------------------------------- */

static void test_regular_expressions(void **state)
{
	static const struct row rows[] = {
		{ IR_DENY, "rm .*-rf", "rm -v -rf x", MUST },
		{ IR_DENY, "^rm ", "/opt/rm x", MUST },
		{ IR_DENY, "^/opt/", "/opt/rm x", MUST },
		{ IR_DENY, "^rm ", "ls $", NO },
		{ IR_DENY, "^ls a", "ls $", MAY },
		{ IR_DENY, "^rm ", "ls x", NO },
		{ IR_ALLOW, "^ls( -l)?$", "ls -l", MUST },
		{ IR_ALLOW, "^ls( -l)?$", "/usr/bin/ls -l", MUST },
		{ IR_ALLOW, "^ls( -l)?$", "/opt/ls -l", NO },
		{ IR_ALLOW, "^ls( -l)?$", "ls $", MAY },
		{ IR_ALLOW, "^(a|ab)\\1$", "aa", MUST },
		/* past the limit of a search: may, never must */
		{ IR_DENY, "(a+)+\\1$", "x aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", MAY },
		{ IR_ALLOW, "(a+)+\\1$", "x aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", MAY },
	};

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct ir *ir = ir_new(&arena);
		struct ir_rule *r = cmd(ir, IR_PROJECT, rows[i].effect, rows[i].pattern);
		struct eval_asked q = part_asked(ir, part_of(rows[i].text));

		r->set.u.command.regex = true;
		if (how(eval_rule_on_part(&q, r)) != rows[i].want)
			fail_msg("/%s/ on '%s': %d", rows[i].pattern, rows[i].text,
				 how(eval_rule_on_part(&q, r)));
	}
}

static void test_an_allow_sees_no_blank_inside_of_a_word(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_rule *r = cmd(ir, IR_USER, IR_ALLOW, "^echo a b$");
	struct cmd_part *p = part_of("echo x");
	struct eval_asked q = part_asked(ir, p);

	(void)state;
	r->set.u.command.regex = true;
	((struct sh_word *)(uintptr_t)p->words[1].w)->seg =
		(struct sh_seg){ .kind = SH_LIT, .p = "a b", .n = 3 };
	assert_int_equal(how(eval_rule_on_part(&q, r)), NO);
	r->effect = IR_DENY;
	assert_int_equal(how(eval_rule_on_part(&q, r)), MUST);
	r->effect = IR_ALLOW;
	r->set.u.command.text = STR("^echo a$");
	((struct sh_word *)(uintptr_t)p->words[1].w)->seg =
		(struct sh_seg){ .kind = SH_LIT, .p = "a\n", .n = 2 };
	assert_int_equal(how(eval_rule_on_part(&q, r)), NO); /* `$` is the very end */
}

/* --- the steps of 4.4 ------------------------------------------------------------------------- */

static void test_what_may_be_denied_is_opaque(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct eval_part_decision d;

	(void)state;
	ir->scalars[IR_S_COMMAND_OTHERWISE].effect = IR_ALLOW;
	cmd(ir, IR_PROJECT, IR_DENY, "git push:*");
	d = part_ask(ir, part_of("git push"));
	assert_part(d, IR_DENY, EVAL_PS_RULES);
	d = part_ask(ir, part_of("git status"));
	assert_part(d, IR_ALLOW, EVAL_PS_RULES);
	d = part_ask(ir, part_of("git pu$"));
	assert_part(d, IR_ASK, EVAL_PS_MAY_DENY);
	assert_true(d.d.needs_person);
	assert_int_equal(d.d.scalar, IR_S_COMMAND_OPAQUE);
	ir->scalars[IR_S_COMMAND_OPAQUE].effect = IR_DENY;
	d = part_ask(ir, part_of("git pu$"));
	assert_part(d, IR_DENY, EVAL_PS_MAY_DENY);
	/* an opaque that allows takes nothing back */
	ir->scalars[IR_S_COMMAND_OPAQUE].effect = IR_ALLOW;
	d = part_ask(ir, part_of("git pu$"));
	assert_part(d, IR_ALLOW, EVAL_PS_RULES);
}

static void test_a_final_allow_settles_what_may_be_denied(void **state)
{
	struct ir *ir = ir_new(&arena);

	(void)state;
	cmd(ir, IR_MANAGED, IR_ALLOW, "git:*")->final = true;
	cmd(ir, IR_PROJECT, IR_DENY, "git push:*");
	assert_part(part_ask(ir, part_of("git pu$")), IR_ALLOW, EVAL_PS_RULES);
}

static void test_an_ask_by_opaque_is_for_a_person(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct eval_part_decision d;

	(void)state;
	cmd(ir, IR_PROJECT, IR_ASK, "git:*");
	cmd(ir, IR_PROJECT, IR_DENY, "git push:*");
	d = part_ask(ir, part_of("git x"));
	assert_false(d.d.needs_person);
	d = part_ask(ir, part_of("git pu$"));
	assert_part(d, IR_ASK, EVAL_PS_RULES);
	assert_true(d.d.needs_person); /* the rule's ask and that of opaque */
}

static void test_code_places(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct cmd_part *p = part_of("python3 -c x");

	(void)state;
	cmd(ir, IR_PROJECT, IR_ALLOW, "python3:*");
	assert_part(part_ask(ir, p), IR_ALLOW, EVAL_PS_RULES);
	p->flags = CMD_OPAQUE_CODE;
	assert_part(part_ask(ir, p), IR_ASK, EVAL_PS_OPAQUE);
	p->flags = CMD_OPAQUE_CODE | CMD_INTERPRETER;
	assert_part(part_ask(ir, p), IR_ALLOW, EVAL_PS_RULES);
	p->flags = CMD_OPAQUE | CMD_INTERPRETER;
	assert_part(part_ask(ir, p), IR_ASK, EVAL_PS_OPAQUE);
	p->flags = CMD_VOID;
	assert_part(part_ask(ir, p), IR_ASK, EVAL_PS_RULES);
}

static void test_wrappers_and_shells(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct cmd_part *p = part_of("timeout 5 x"), *shell = part_of("sh -c x");

	(void)state;
	ir->scalars[IR_S_COMMAND_OTHERWISE].effect = IR_DENY;
	assert_part(part_ask(ir, p), IR_DENY, EVAL_PS_RULES);
	p->flags = CMD_TRANSPARENT;
	assert_part(part_ask(ir, p), IR_ALLOW, EVAL_PS_TRANSPARENT);
	cmd(ir, IR_PROJECT, IR_ASK, "timeout:*");
	assert_part(part_ask(ir, p), IR_ASK, EVAL_PS_RULES);
	p = part_of("x");
	p->shell = shell;
	assert_part(part_ask(ir, p), IR_DENY, EVAL_PS_RULES);
	shell->allowed_by_rule = true;
	assert_part(part_ask(ir, p), IR_ALLOW, EVAL_PS_SHELL_CODE);
}

static void test_words_that_spell_a_denied_command(void **state)
{
	struct ir *ir = ir_new(&arena);
	static const struct ir_inert says = { .level = IR_DEFAULT };
	struct ir_inert inert = says;
	struct eval_part_decision d;
	struct cmd_part *p;

	(void)state;
	ir->scalars[IR_S_COMMAND_OTHERWISE].effect = IR_ALLOW;
	cmd(ir, IR_PROJECT, IR_DENY, "rm:*");
	d = part_ask(ir, part_of("./mywrap x rm -r build"));
	assert_part(d, IR_ASK, EVAL_PS_SPELLS);
	assert_int_equal(d.word, 2);
	assert_part(part_ask(ir, part_of("./mywrap rmdir x")), IR_ALLOW, EVAL_PS_RULES);
	p = part_of("./mywrap x rm -r build");
	p->flags = CMD_TABLED;
	assert_part(part_ask(ir, p), IR_ALLOW, EVAL_PS_RULES);
	p->flags = CMD_TABLED | CMD_LOST;
	assert_part(part_ask(ir, p), IR_DENY, EVAL_PS_LOST);
	inert.set = command("echo:*", false);
	VEC_PUSH(&arena, &ir->inert, inert);
	assert_part(part_ask(ir, part_of("echo rm")), IR_ALLOW, EVAL_PS_RULES);
	cmd(ir, IR_USER, IR_ALLOW, "say:*");
	assert_part(part_ask(ir, part_of("say rm")), IR_ALLOW, EVAL_PS_RULES);
}

static void test_words_that_name_a_hidden_path(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct eval_part_decision d;

	(void)state;
	cmd(ir, IR_PROJECT, IR_ALLOW, "cat:*");
	rule(ir, IR_PROJECT, IR_HIDE, IR_FILE,
	     file(IR_ROOT_HOME, "/.ssh", IR_ALL_OPS, true));
	assert_part(part_ask_in(ir, part_of("cat x"), IR_HOST), IR_ALLOW, EVAL_PS_RULES);
	d = part_ask_in(ir, part_of("cat ~/.ssh/id"), IR_HOST);
	assert_part(d, IR_ASK, EVAL_PS_HIDDEN);
	assert_int_equal(d.word, 1);
	assert_part(part_ask_in(ir, part_of("cat --file=/home/dev/.ssh"), IR_HOST), IR_ASK, EVAL_PS_HIDDEN);
	assert_part(part_ask_in(ir, part_of("cat -f/home/dev/.ssh"), IR_HOST), IR_ASK, EVAL_PS_HIDDEN);
	/* in a sandbox the kernel denies it, unless it lies in the run's own file systems */
	assert_part(part_ask(ir, part_of("cat ~/.ssh/id")), IR_ALLOW, EVAL_PS_RULES);
	rule(ir, IR_PROJECT, IR_HIDE, IR_FILE, file(IR_ROOT_FS, "/proc/1/environ", IR_ALL_OPS, false));
	assert_part(part_ask(ir, part_of("cat /proc/1/environ")), IR_ASK, EVAL_PS_HIDDEN);
	assert_part(part_ask(ir, part_of("cat /proc/1/status")), IR_ALLOW, EVAL_PS_RULES);
	ir->rules.v[0]->final = true;
	ir->rules.v[0]->level = IR_MANAGED;
	assert_part(part_ask_in(ir, part_of("cat ~/.ssh/id"), IR_HOST), IR_ALLOW, EVAL_PS_RULES);
	/* wherever it stands among the rules that allow */
	rule(ir, IR_MANAGED, IR_ALLOW, IR_COMMAND, ir->rules.v[0]->set)->final = true;
	ir->rules.v[0]->final = false;
	d = part_ask_in(ir, part_of("cat ~/.ssh/id"), IR_HOST);
	assert_part(d, IR_ALLOW, EVAL_PS_RULES);
	assert_true(d.d.rule->final);
}

static void test_risk_matches_as_its_side(void **state)
{
	struct ir *ir = ir_new(&arena);
	struct ir_scalar *s = &ir->scalars[IR_S_COMMAND_OTHERWISE];
	struct ir_risk_fact low = { .risk = IR_RISK_LOW, .kind = IR_COMMAND },
			    high = { .risk = IR_RISK_HIGH, .kind = IR_COMMAND };

	(void)state;
	s->by_risk = true;
	s->effects[IR_RISK_LOW] = IR_ALLOW;
	s->effects[IR_RISK_MEDIUM] = IR_ASK;
	s->effects[IR_RISK_HIGH] = s->effects[IR_RISK_CRITICAL] = IR_DENY;
	low.set = command("ls a", false);
	high.set = command("chmod:*", true);
	VEC_PUSH(&arena, &ir->risks, low);
	VEC_PUSH(&arena, &ir->risks, high);
	assert_part(part_ask(ir, part_of("ls a")), IR_ALLOW, EVAL_PS_RULES);
	assert_part(part_ask(ir, part_of("ls $")), IR_ASK, EVAL_PS_RULES);
	assert_part(part_ask(ir, part_of("chm$ x")), IR_DENY, EVAL_PS_RULES);
	assert_int_equal(part_ask(ir, part_of("chmod x")).d.risk, IR_RISK_HIGH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(arena, test_words_that_are_not_known),
		WITH(arena, test_words_that_follow_are_any),
		WITH(arena, test_exceptions_match_as_the_opposite),
		WITH(arena, test_pins),
		WITH(arena, test_a_file_is_the_same_in_every_directory),
		WITH(arena, test_guards),
		WITH(arena, test_regular_expressions),
		WITH(arena, test_an_allow_sees_no_blank_inside_of_a_word),
		WITH(arena, test_what_may_be_denied_is_opaque),
		WITH(arena, test_a_final_allow_settles_what_may_be_denied),
		WITH(arena, test_an_ask_by_opaque_is_for_a_person),
		WITH(arena, test_code_places),
		WITH(arena, test_wrappers_and_shells),
		WITH(arena, test_words_that_spell_a_denied_command),
		WITH(arena, test_words_that_name_a_hidden_path),
		WITH(arena, test_risk_matches_as_its_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
