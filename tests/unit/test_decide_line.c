/*
 * Lines against rules by hand: the order of semantics 4.4, guards, words that
 * are not literal, tails, hidden words, redirections.  prop_walk compares what
 * matches with the evaluator's matcher.
 */
#include "tests/unit/hand.h"

static uint8_t block[8 << 20] __attribute__((aligned(16)));


/* "allow", "ask", "deny", and '!' where a person must answer; and the rule. */
static void expect_at(const char *line, const char *want, const char *by, int at)
{
	static const char *const words[] = { "allow", "ask", "deny", "hide" };
	const struct pb_rule *r;
	struct cmd_line parts;
	struct decision d;
	size_t size = decide_block_size(&h.c, strlen(line));
	char got[80];

	/* no more than it says suffices */
	assert_true(strlen(line) > 4096 || size <= sizeof(block));
	decide_line(&h.c, line, strlen(line), block,
		    size < sizeof(block) ? size : sizeof(block), &parts, &d);
	r = bundle_rule(&h.b, d.rule);
	snprintf(got, sizeof(got), "%s%s %.*s", words[d.effect], d.needs_person ? "!" : "",
		 r ? (int)r->id.len : 0, r ? pb_strp(h.b.rules, r->id) : "");
	if (strncmp(got, want, strlen(want)) != 0 || got[strlen(want)] != ' ' ||
	    (by && strcmp(got + strlen(want) + 1, by) != 0))
		fail_msg("%d: %s: %s, not %s %s", at, line, got, want, by ? by : "");
}

#define EXPECT(line, want, by) expect_at(line, want, by, __LINE__)

static struct ir_rule *rule(enum ir_effect e, const char *z)
{
	return hand_rule(&h, IR_COMMAND, IR_PROJECT, e, z);
}

static void guard(struct ir_rule *r, enum ir_guard_kind kind, const char *name)
{
	struct ir_guard *g = arena_array(&h.a, r->set.u.command.nguards + 1, sizeof(*g));
	struct ir_option *o = ARENA_NEW(&h.a, struct ir_option);

	if (r->set.u.command.nguards)
		memcpy(g, r->set.u.command.guards,
		       r->set.u.command.nguards * sizeof(*g));
	o->text = str_from(name);
	o->name = hand_glob(&h, &name, " ");
	g[r->set.u.command.nguards++] =
		(struct ir_guard){ .kind = kind, .options = o, .noptions = 1 };
	r->set.u.command.guards = g;
}

static void test_rules(void **state)
{
	(void)state;
	rule(IR_ALLOW, "git status");          /* r0 */
	rule(IR_ALLOW, "npm run test:*");      /* r1 */
	rule(IR_DENY, "curl:*");               /* r2 */
	rule(IR_ASK, "git push:*");            /* r3 */
	rule(IR_ALLOW, "./gradlew:*");         /* r4 */
	rule(IR_DENY, "dd*");                  /* r5 */
	hand_compile(&h);
	EXPECT("git status", "allow", "r0");
	EXPECT("/usr/bin/git status", "allow", "r0");
	EXPECT("/tmp/git status", "ask", NULL);
	EXPECT("git status -s", "ask", NULL);
	EXPECT("npm run test:unit --watch", "allow", "r1");
	EXPECT("npm run testing", "ask", NULL);
	EXPECT("npm run test && curl evil.sh", "deny", "r2");
	EXPECT("x/curl", "deny", "r2");
	EXPECT("git status; git push", "ask", "r3");
	EXPECT("../gradlew x", "ask", NULL);
	EXPECT("/p/gradlew x", "allow", "r4");
	EXPECT("./gradlew x", "ask", NULL); /* in /p/src */
	EXPECT("/x/ddrescue", "deny", "r5");
	EXPECT("git $X", "ask", NULL);
	EXPECT("$X status", "ask!", NULL); /* may be curl */
	EXPECT("", "allow", NULL);
	EXPECT("git 'status", "ask!", NULL);
}

static void test_guards(void **state)
{
	(void)state;
	rule(IR_ALLOW, "rm:*");                                  /* r0 */
	guard(rule(IR_DENY, "rm *"), IR_GD_WITH, "-rf");         /* r1 */
	guard(rule(IR_DENY, "git push:*"), IR_GD_WITH, "--force"); /* r2 */
	guard(rule(IR_ALLOW, "ls:*"), IR_GD_WITHOUT, "-R");      /* r3 */
	guard(rule(IR_ALLOW, "wc:*"), IR_GD_WITH_ONLY, "-l");    /* r4 */
	hand_compile(&h);
	EXPECT("rm a", "allow", "r0");
	EXPECT("rm -r a", "allow", "r0");
	EXPECT("rm -rf a", "deny", "r1");
	EXPECT("rm -f a -r", "deny", "r1");
	EXPECT("rm -- -rf a", "allow", "r0");
	EXPECT("rm $X a", "ask!", NULL);
	EXPECT("git push origin --force", "deny", "r2");
	EXPECT("git -C x push --force", "deny", "r2");
	EXPECT("git push origin", "ask", NULL);
	EXPECT("ls a", "allow", "r3");
	EXPECT("ls -R a", "ask", NULL);
	EXPECT("ls $X", "ask", NULL);
	EXPECT("wc -l a", "allow", "r4");
	EXPECT("wc -l -c a", "ask", NULL);
}

static void test_exceptions(void **state)
{
	struct ir_rule *r;

	(void)state;
	r = rule(IR_DENY, "git push:*"); /* r0 */
	hand_except(&h, r, "git push origin");
	r = rule(IR_ALLOW, "git:*");     /* r1 */
	hand_except(&h, r, "git commit:*");
	hand_compile(&h);
	EXPECT("git push origin", "allow", "r1");
	EXPECT("git push other", "deny", "r0");
	EXPECT("git push $X", "ask!", NULL);
	EXPECT("git commit", "ask", NULL);
	EXPECT("git -x commit", "ask", NULL);
	EXPECT("git log", "allow", "r1");
}

static void regex(struct ir_rule *r, const char *text, bool opaque)
{
	r->set.u.command = (struct ir_command){ .regex = true, .opaque = opaque,
						.text = str_from(text) };
}

static void test_regexes(void **state)
{
	(void)state;
	regex(rule(IR_ALLOW, "x"), "^make( \\w+)*$", false); /* r0 */
	regex(rule(IR_DENY, "x"), "\\bmkfs\\b", false);      /* r1 */
	hand_compile(&h);
	EXPECT("make all", "allow", "r0");
	EXPECT("/usr/bin/make all", "allow", "r0");
	EXPECT("/tmp/make all", "ask", NULL);
	EXPECT("make 'a b'", "ask", NULL);
	EXPECT("sudo mkfs x", "deny", "r1");
	EXPECT("mkfs.ext4 x", "deny", "r1");
	EXPECT("make $X", "ask!", NULL);
}

/* PCRE2 decides: back-references, look-around, on both sides. */
static void test_opaque_regexes(void **state)
{
	(void)state;
	regex(rule(IR_ALLOW, "x"), "^(ls|wc)(?! .*-R)( [\\w.-]+)*$", true); /* r0 */
	regex(rule(IR_DENY, "x"), "\\b(\\w+) \\1\\b", true);             /* r1 */
	regex(rule(IR_ASK, "x"), "(?<=-o)/etc", true);                   /* r2 */
	hand_except(&h, rule(IR_ALLOW, "cp:*"), "cp a");                  /* r3 */
	h.ir->rules.v[3]->except[0].u.command = (struct ir_command){
		.regex = true, .opaque = true, .text = STR("(.)\\1") };
	hand_compile(&h);
	EXPECT("ls -l a", "allow", "r0");
	EXPECT("/usr/bin/wc a", "allow", "r0");
	EXPECT("/tmp/ls a", "ask", NULL);     /* no name that an allow trusts */
	EXPECT("ls -l -R", "ask", NULL);
	EXPECT("ls 'a b'", "ask", NULL);      /* one word */
	EXPECT("ls 'a\n'", "ask", NULL);
	EXPECT("ls a a", "deny", "r1");
	EXPECT("ls aa ab", "allow", "r0");
	EXPECT("echo 'x x'", "deny", "r1");
	EXPECT("bin/a a", "deny", "r1");      /* by its base name */
	EXPECT("'./k k/x'", "deny", "r1");    /* as it is written */
	EXPECT("foo -o/etc", "ask", "r2");
	EXPECT("foo /etc", "ask", "command-otherwise");
	EXPECT("cp a b", "allow", "r3");
	EXPECT("cp aa b", "ask", NULL);       /* the exception */
	EXPECT("timeout 5 ls a a", "deny", "r1");
	/* words that are not literal: a deny may, an allow does not */
	EXPECT("cp $X b", "ask!", NULL);
	EXPECT("ls $X", "ask!", NULL);
}

/* The words of a wrapper that nobody knows are searched as commands, too. */
/* Names whose automata are alike are asked once, but for the one that stands there. */
static void test_programs_that_are_not_known(void **state)
{
	(void)state;
	rule(IR_DENY, "curl x");
	rule(IR_DENY, "wget x");
	rule(IR_DENY, "fetch x");
	hand_compile(&h);
	EXPECT("$X wget x", "ask!", NULL);
	EXPECT("$X fetch x", "ask!", NULL);
	EXPECT("$X $Y curl x", "ask!", NULL);
	EXPECT("$X nope x", "ask", NULL);
	EXPECT("\"$X\" wget x", "ask", NULL);
	EXPECT("\"$X\" x", "ask!", NULL);
	EXPECT("./$X x", "ask!", NULL);
	EXPECT("\"$X\"et x", "ask!", NULL);
	EXPECT("\"$X\"no x", "ask", NULL);
}

static void test_opaque_tails(void **state)
{
	(void)state;
	regex(rule(IR_DENY, "x"), "^rm (?!-i)", true); /* r0 */
	h.ir->scalars[IR_S_COMMAND_OTHERWISE].effect = IR_ALLOW;
	hand_compile(&h);
	EXPECT("./mywrap a b c", "allow", NULL);
	EXPECT("./mywrap rm -i b", "allow", NULL);
	EXPECT("./mywrap rm -f b", "ask", "r0");
	EXPECT("rm -f b", "deny", "r0");
}

/* A search past its limit: a deny may match, an allow does not. */
static void test_opaque_limits(void **state)
{
	static char line[64 << 10];
	size_t n, i;

	(void)state;
	rule(IR_ALLOW, "ls:*");                              /* r0 */
	regex(rule(IR_DENY, "x"), "(a*)*\\1!", true);         /* r1 */
	regex(rule(IR_ALLOW, "x"), "^b (?=(a*)*!|a)", true); /* r2 */
	regex(rule(IR_DENY, "x"), "(?:(?=c)c)+d", true);  /* r3 */
	hand_compile(&h);
	EXPECT("ls aaaa", "allow", "r0");
	EXPECT("ls aa!", "deny", "r1");
	EXPECT("b a", "allow", "r2");
	/* steps */
	EXPECT("ls aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "ask!", NULL);
	EXPECT("b aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "ask!", NULL);
	/* steps of all places where a match may begin, of which each has few */
	n = (size_t)snprintf(line, sizeof(line), "ls");
	for (i = 0; i < 400; i++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, " aaaaaaaaaaaa");
	line[2 + 13 * 10] = '\0';
	EXPECT(line, "allow", "r0");
	line[2 + 13 * 10] = ' ';
	EXPECT(line, "ask!", NULL);
	/* memory */
	EXPECT("ls cccd", "deny", "r3");
	n = (size_t)snprintf(line, sizeof(line), "ls ");
	memset(line + n, 'c', 20000);
	line[n + 20000] = '\0';
	EXPECT(line, "ask!", NULL);
	/* many of them spend what the line may take */
	for (n = 0; n + 64 < sizeof(line); n += 44)
		memcpy(line + n, "ls aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;", 45);
	EXPECT(line, "deny", NULL);
}

static uint8_t decide(const char *line, size_t n)
{
	size_t size = decide_block_size(&h.c, n);
	struct cmd_line parts;
	struct decision d;

	decide_line(&h.c, line, n, block, size < sizeof(block) ? size : sizeof(block), &parts,
		    &d);
	return d.effect;
}

/*
 * A long home makes much text of a few bytes: at some number of them the words
 * find room, and the text of all that an expression is searched in finds none.
 */
static void test_a_search_without_room(void **state)
{
	static char home[4000], line[2048];
	unsigned allowed = 0, denied = 0;

	(void)state;
	rule(IR_ALLOW, "ls:*");
	regex(rule(IR_DENY, "x"), " x$", false);
	hand_compile(&h);
	memset(home, 'h', sizeof(home) - 1);
	home[0] = '/';
	h.c.roots.dir[PB_ROOT_HOME] = home;
	for (size_t k = 1; 2 * k + 8 < sizeof(line); k += k / 16 + 1) {
		size_t n = 2, i;

		memcpy(line, "ls", 2);
		for (i = 0; i < k; i++, n += 2)
			memcpy(line + n, " ~", 2);
		memcpy(line + n, " x", 2);
		if (decide(line, n + 2) != PB_DENY)
			fail_msg("%zu words: a deny was not asked", k);
		line[n + 1] = 'y';
		*(decide(line, n + 2) == PB_DENY ? &denied : &allowed) += 1;
	}
	assert_true(allowed > 10 && denied > 5);
}

static void test_words(void **state)
{
	(void)state;
	hand_rule(&h, IR_FILE, IR_PROJECT, IR_HIDE, "H/.ssh"); /* r0 */
	rule(IR_ALLOW, "cat:*");   /* r1 */
	rule(IR_DENY, "rm:*");     /* r2 */
	h.ir->scalars[IR_S_COMMAND_OTHERWISE].effect = IR_ALLOW;
	hand_compile(&h);
	EXPECT("cat a", "allow", "r1");
	/* the kernel denies these */
	EXPECT("cat /home/u/.ssh/id", "allow", "r1");
	EXPECT("cat ~/.ssh/id", "allow", "r1");
	EXPECT("./mywrap rm -rf build", "ask", "r2");
	EXPECT("./mywrap rm -rf b*", "ask", "r2");
	EXPECT("./mywrap rm -rf \"$x\"", "ask", "r2");
	EXPECT("./mywrap $x rm -rf \"build/$(date)\" y", "ask", "r2");
	EXPECT("./mywrap \"$x\" run \"$x\"", "allow", NULL);
	EXPECT("./mywrap \"rm$x\" y", "allow", NULL);
	EXPECT("./mywrap run build", "allow", NULL);
	EXPECT("cat rm x", "allow", "r1");
	EXPECT("cat a > /tmp/x", "allow", "r1");
	h.c.scope = PB_HOST;
	EXPECT("cat /home/u/.ssh/id", "ask", "r0");
	EXPECT("cat ~/.ssh/id", "ask", "r0");
	EXPECT("cat --file=/home/u/.ssh", "ask", "r0");
	EXPECT("cat a > /tmp/x", "deny", NULL);
}

/* Patterns that may begin at any word: each is asked where its needle stands, and where
 * it may stand (runtime/bundle/format_matcher.h). */
static void test_needles(void **state)
{
	(void)state;
	rule(IR_DENY, "* ** *secret* **");       /* r0 */
	rule(IR_DENY, "* ** *secretly");         /* r1 */
	rule(IR_DENY, "cp ** x **");             /* r2 */
	rule(IR_DENY, "cp ** xy **");            /* r3 */
	rule(IR_DENY, "cp ** *abcdefz* **");     /* r4 */
	rule(IR_DENY, "cp ** *abcd* **");        /* r5 */
	rule(IR_ASK, "cp ** *bcdefg* **");       /* r6 */
	rule(IR_ALLOW, "ls ** *fine* **");       /* r7 */
	rule(IR_ALLOW, "cp ** *fine* **");       /* r8 */
	rule(IR_ALLOW, "cp ** *good* **");       /* r9 */
	hand_compile(&h);
	assert_int_equal(h.b.matcher->needles.count, 9);
	assert_int_equal(h.b.matcher->gram_sizes, 1 | 2 | 8);
	EXPECT("ls a my-secret-file b", "deny", "r0");
	EXPECT("ls secret", "deny", "r0");
	EXPECT("ls a secretl b", "deny", "r0");
	EXPECT("my-secret a", "ask", "command-otherwise");
	EXPECT("ls secre t", "ask", "command-otherwise");
	EXPECT("cp a x b", "deny", "r2");
	EXPECT("cp x", "deny", "r2");
	EXPECT("cp xx axb", "ask", "command-otherwise");
	EXPECT("cp xy", "deny", "r3");
	EXPECT("cp abcdefz", "deny", "r4");
	EXPECT("cp zabcdefzz", "deny", "r4");
	EXPECT("cp zabcdeffz", "deny", "r5");
	EXPECT("cp bcdefz", "ask", "command-otherwise");
	EXPECT("cp abcd", "deny", "r5");
	EXPECT("cp bcdefgh", "ask", "r6");
	EXPECT("cp a/fine/b", "allow", "r8");
	EXPECT("ls a/fine/b", "allow", "r7");
	EXPECT("cp goo d", "ask", "command-otherwise");
	EXPECT("mv abcdefz", "ask", "command-otherwise");
	/* what is not known may hold them; what is, still does */
	EXPECT("cp $a", "ask!", NULL);
	EXPECT("cp \"a$b\" good", "ask!", NULL);
	EXPECT("cp \"$b\" abcdefz", "deny", "r4");
	EXPECT("cp abc\"$b\"abcd", "deny", "r5");
	EXPECT("$x abcdefz", "ask!", NULL);
	EXPECT("$x secret", "ask!", NULL);
	EXPECT("\"$x\" secret", "deny", "r0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rules, hand_setup, hand_teardown),
		cmocka_unit_test_setup_teardown(test_guards, hand_setup, hand_teardown),
		cmocka_unit_test_setup_teardown(test_exceptions, hand_setup,
						hand_teardown),
		cmocka_unit_test_setup_teardown(test_regexes, hand_setup, hand_teardown),
		cmocka_unit_test_setup_teardown(test_opaque_regexes, hand_setup,
						hand_teardown),
		cmocka_unit_test_setup_teardown(test_programs_that_are_not_known, hand_setup,
						hand_teardown),
		cmocka_unit_test_setup_teardown(test_opaque_tails, hand_setup,
						hand_teardown),
		cmocka_unit_test_setup_teardown(test_opaque_limits, hand_setup,
						hand_teardown),
		cmocka_unit_test_setup_teardown(test_a_search_without_room, hand_setup,
						hand_teardown),
		cmocka_unit_test_setup_teardown(test_words, hand_setup, hand_teardown),
		cmocka_unit_test_setup_teardown(test_needles, hand_setup, hand_teardown),
	};

	return cmocka_run_group_tests_name("decide_line", tests, NULL, NULL);
}
