/*
 * Laws of semantics 8 about command lines, on random policies with guards and
 * regular expressions and random lines: L2, a deny never makes an answer less
 * strict; L5, evaluator and matcher agree; L8, a word in another spelling is the
 * same word.  SEED= and RUNS= in the environment.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/prop/command_law.h"
#include "tests/prop/random_unasked.h"

#define LINES 60

/* A version that refuses guards is asked without them. */
static void test_guards_are_read(void **state)
{
	static const char *const text[3] = { NULL, "command { deny \"rm:*\" with -f }\n", NULL };
	struct compilation c;
	struct options o;
	struct arena a;

	(void)state;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	line_guarded = compile(&c, &o, &a, text);
	printf("guards are %s\n", line_guarded ? "read" : "refused");
	arena_release(&a);
}

/* --- L2 ------------------------------------------------------------------------------------ */

/* The text with one statement more. */
static const char *with_rule(struct rnd *r, const char *text, const char *effect)
{
	struct buf b;

	buf_init(&b, r->a);
	buf_z(&b, "command {\n");
	line_rule(r, &b, effect, false);
	buf_z(&b, "}\n");
	if (text)
		buf_z(&b, text);
	buf_ch(&b, '\0');
	return (const char *)b.p;
}

/* A deny of what an allow matches: it is stricter for certain. */
static void one_deny_more(struct rnd *r, unsigned long run)
{
	const char *program = line_programs[(first_seed + run) % POL_LEN(line_programs)];
	const char *line = arena_printf(r->a, "%s x", program), *x[3] = { NULL }, *y[3];
	uint32_t at = rnd_below(r, 3);
	struct compilation c, d;
	struct options o, p;
	enum ir_effect was, now;

	x[1] = arena_printf(r->a, "command { allow \"%s:*\" }\n", program);
	memcpy(y, x, sizeof(y));
	y[at] = arena_printf(r->a, "%scommand { deny \"%s:*\" }\n", x[at] ? x[at] : "", program);
	assert_true(compile(&c, &o, r->a, x) && compile(&d, &p, r->a, y));
	was = ask(c.ir, line, r->a).effect;
	now = ask(d.ir, line, r->a).effect;
	if (was >= now || now != IR_DENY)
		fail_msg("`%s`: %s, and with a deny %s", line, ir_effect_name(was),
			 ir_effect_name(now));
	seen.stricter++;
}

static void one_rule_more(struct rnd *r, unsigned long run)
{
	bool deny = rnd_one_in(r, 2);
	struct compilation c, d;
	struct options o, p;
	const char *x[3], *y[3];
	uint32_t at = rnd_below(r, 3), i;

	random_policy(r, x);
	memcpy(y, x, sizeof(y));
	y[at] = with_rule(r, x[at], deny ? "deny" : "ask");
	if (!compile(&c, &o, r->a, x) || !compile(&d, &p, r->a, y))
		return;
	for (i = 0; i < LINES; i++) {
		const char *line = line_random(r);
		struct eval_decision was = ask(c.ir, line, r->a), now = ask(d.ir, line, r->a);

		seen.stricter += now.effect > was.effect;
		if (now.effect >= was.effect)
			continue;
		/* an ask turns into ask what only `otherwise` denied */
		if (!deny && !was.rule && now.effect == IR_ASK)
			continue;
		show(y, line, run);
		fail_msg("%s, and without the first rule of %s it was %s",
			 ir_effect_name(now.effect), names[at], ir_effect_name(was.effect));
	}
}

/* --- L5 ------------------------------------------------------------------------------------ */

static void matcher_agrees(struct rnd *r, unsigned long run)
{
	struct compilation c;
	const char *text[3];
	struct options o;
	struct bundle b;
	uint32_t i;

	random_policy(r, text);
	if (!compile(&c, &o, r->a, text))
		return;
	if (!compiled_open(&c, &b))
		fail_msg("%s", c.internal);
	for (i = 0; i < LINES; i++) {
		const char *line = line_random(r), *why = NULL;
		struct ir_request q = request(line);
		struct eval_decision e = ask(c.ir, line, r->a);
		struct decision d;

		if (!compiled_answers(c.ir, &q))
			continue;
		seen.asked++;
		if (compiled_ask(&b, &q, r->a, &d, &why))
			why = compiled_differs(&b, &e, &q, &d, r->a);
		if (!why)
			continue;
		show(text, line, run);
		fail_msg("%s", why);
	}
	bundle_release(&b);
}

/* --- L8 ------------------------------------------------------------------------------------ */

static void spelling_says_nothing(struct rnd *r, unsigned long run)
{
	struct compilation c;
	const char *text[3];
	struct options o;
	uint32_t i, k, n;

	random_policy(r, text);
	if (!compile(&c, &o, r->a, text))
		return;
	for (i = 0; i < LINES; i++) {
		struct eval_decision x, y;
		struct buf plain, other;

		buf_init(&plain, r->a);
		buf_init(&other, r->a);
		n = rnd_below(r, 5);
		for (k = 0; k <= n; k++) {
			const char *z = k ? RND_PICK(r, line_words) :
					    RND_PICK(r, line_programs);

			buf_z(&plain, k ? " " : "");
			buf_z(&other, k ? " " : "");
			line_plain(&plain, z);
			line_quoted(r, &other, z);
		}
		buf_ch(&plain, '\0');
		buf_ch(&other, '\0');
		x = ask(c.ir, (const char *)plain.p, r->a);
		y = ask(c.ir, (const char *)other.p, r->a);
		seen.rewritten++;
		if (x.effect == y.effect && x.rule == y.rule && x.scalar == y.scalar &&
		    x.needs_person == y.needs_person && x.risk == y.risk)
			continue;
		show(text, (const char *)plain.p, run);
		printf("other: %s\n", (const char *)other.p);
		fail_msg("%s, and written otherwise %s", ir_effect_name(x.effect),
			 ir_effect_name(y.effect));
	}
}

/* --- each step -------------------------------------------------------------------------------- */

/* Each step decides a part here, and both agree on it: random lines seldom meet some of them. */
static const struct {
	const char *policy, *line;
	enum eval_part_step step;
} rows[] = {
	{ "command { allow \"sh:*\" deny \"rm:*\" otherwise deny opaque ask }\n", "sh -c 'a b; c'",
	  EVAL_PS_SHELL_CODE },
	{ "command { allow \"bash **\" otherwise ask opaque ask }\n", "bash -ec \"a | b\"",
	  EVAL_PS_SHELL_CODE },
	{ "command { deny \"rm:*\" otherwise allow opaque ask }\n", "./unknown -x rm d",
	  EVAL_PS_SPELLS },
	{ "command { deny \"git push:*\" otherwise allow opaque allow }\n", "mywrap git push -f",
	  EVAL_PS_SPELLS },
	/* what is not literal stands as a plain text, if the name is literal */
	{ "command { deny \"rm:*\" otherwise allow opaque ask }\n", "./unknown \"$x\" rm a\"$x\" v*",
	  EVAL_PS_SPELLS },
	{ "command { deny /^rm a/ otherwise allow opaque ask }\n", "./unknown rm ~/x; ./unknown rm a$x",
	  EVAL_PS_SPELLS },
	{ "command { allow \"cat **\" } file { hide \"**/environ\" }\n",
	  "cd /proc/1; cat environ", EVAL_PS_HIDDEN },
	{ "command { allow \"cat **\" } file { deny read \"${PROJECT_DIR}/.env\" }\n",
	  "cd sub; cat ../.env", EVAL_PS_RULES },
	{ "command { allow \"cp **\" } file { deny write \"${PROJECT_DIR}/x\" }\n",
	  "cp a/x .", EVAL_PS_WRITES },
	{ "command { allow \"ls:*\" otherwise deny }\n", "ls a", EVAL_PS_RULES },
	{ "command { allow \"ls:*\" otherwise deny }\n", "timeout 5 ls a", EVAL_PS_TRANSPARENT },
	{ "command { deny \"rm:*\" otherwise allow opaque allow }\n", "timeout $x rm -rf d",
	  EVAL_PS_LOST },
	{ "command { deny \"git push:*\" otherwise allow opaque ask }\n", "git $x",
	  EVAL_PS_MAY_DENY },
	{ "command { otherwise allow opaque ask }\n", "python3 -c $x", EVAL_PS_OPAQUE },
	{ "command { allow \"ls:*\" } file { allow write \"./**\" }\n", "ls >o", EVAL_PS_TARGET },
	{ "command { allow \"ls:*\" } file { allow write \"./**\" }\n", "ls >$x",
	  EVAL_PS_SANDBOX },
	{ "command { allow \"{sh|ls}:*\" }\n", "sh -c 'ls ('", EVAL_PS_UNPARSED },
	/* no line: it has no part */
	{ "command { otherwise allow opaque deny }\n", "ls (", EVAL_PS_COUNT },
};

/* In scope host, where no layer of the kernel stands behind the decision. */
static const struct {
	const char *line;
	enum eval_part_step step;
} on_host[] = {
	{ "cat .env", EVAL_PS_READS },           { "cat \"$PWD\"/.env", EVAL_PS_READS },
	{ "cat ../app/.env", EVAL_PS_READS },    { "cat .e*", EVAL_PS_HOLDS },
	{ "cat .[e]nv", EVAL_PS_HOLDS },         { "cat *v", EVAL_PS_HOLDS },
	{ "cat *.c", EVAL_PS_RULES },            { "grep -r x .", EVAL_PS_HOLDS },
	{ "grep -r x", EVAL_PS_HOLDS },          { "grep -r x ../..", EVAL_PS_HOLDS },
	{ "grep -r x src", EVAL_PS_RULES },      { "cat README", EVAL_PS_RULES },
	{ "cat k/*/c/x.pem", EVAL_PS_HOLDS },    { "cat k/*.pem/*", EVAL_PS_HOLDS },
	{ "cat k/c/*", EVAL_PS_HOLDS },          { "cat k/c/x.pem", EVAL_PS_READS },
	{ "cat k/b/x.pem", EVAL_PS_RULES },      { "cat k/b/*", EVAL_PS_RULES },
	{ "cat k/*.c", EVAL_PS_RULES },          { "cat /home/d*/app/.env", EVAL_PS_HOLDS },
	{ "cat >$x", EVAL_PS_NO_TARGET },        { "cat >\"$HOME\"/x", EVAL_PS_NO_TARGET },
	{ "pushd x; cat >x", EVAL_PS_TARGET },   { "cat >x", EVAL_PS_TARGET },
	{ "pushd \"$x\"; cat >x", EVAL_PS_NO_TARGET },
	{ "pushd x; cat >/x", EVAL_PS_TARGET },  { "cat >../x", EVAL_PS_TARGET },
	{ "grep -r x /home/*/app", EVAL_PS_HOLDS }, { "cat git/.env", EVAL_PS_RULES },
	{ "cat asked", EVAL_PS_MAY_READ },      { "cat ask*", EVAL_PS_MAY_READ },
	{ "own x keep", EVAL_PS_MAY_WRITE },    { "own x -o../app/keep/y", EVAL_PS_MAY_WRITE },
	{ "own x -Wl,-Map,keep", EVAL_PS_MAY_WRITE }, { "own x -Wl,-Mapkeep,a", EVAL_PS_MAY_WRITE },
	{ "own x keeper", EVAL_PS_RULES },      { "own x --o=$HOME/app/keep", EVAL_PS_MAY_WRITE },
	{ "split f kee", EVAL_PS_MAY_WRITE },    { "split f ./x/../ke", EVAL_PS_MAY_WRITE },
	{ "split f other", EVAL_PS_RULES },      { "gunzip keep.tar.gz", EVAL_PS_MAY_WRITE },
	{ "gunzip other.gz", EVAL_PS_RULES },    { "cat keep", EVAL_PS_RULES },
	{ "cat ~me/app/.env", EVAL_PS_READS },   { "own x -x.env", EVAL_PS_HIDDEN },
	{ "own x -ab.env", EVAL_PS_HIDDEN },   { "own x file://h/home/dev/app/.env", EVAL_PS_HIDDEN },
};

/* Both answer the line alike; ret: the evaluator's answer. */
static void both_on_host(struct compilation *c, struct bundle *b, const char *text,
			 const char *line, struct arena *a, struct eval_decision *ret)
{
	struct ir_request q = request(line);
	const char *why = NULL;
	struct decision d;
	size_t i;

	q.scope = IR_HOST;
	eval_decide(c->ir, &q, a, ret);
	for (i = 0; i < ret->line->nparts; i++)
		seen.step[ret->line->parts[i].step]++;
	if (compiled_ask(b, &q, a, &d, &why))
		why = compiled_differs(b, ret, &q, &d, a);
	if (why)
		fail_msg("%s: %s\n%s", line, why, text);
}

static void test_what_is_read_on_the_host(void **state)
{
	static const char *const text[3] = { NULL,
		"command { allow \"{cat|grep|own|split|gunzip} **\" }\n"
		"file { otherwise read allow deny read \"${PROJECT_DIR}/.env\" }\n"
		"file { deny write \"./keep\" }\n"
		"file { ask read \"./asked\" }\n"
		"file { deny read \"./k/**/*.pem\" except \"./k/b\" when scope == host }\n", NULL };
	struct compilation c;
	struct eval_decision e;
	struct options o;
	struct bundle b;
	struct arena a;
	size_t i;

	(void)state;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	assert_true(compile(&c, &o, &a, text));
	assert_true(compiled_open(&c, &b));
	for (i = 0; i < sizeof(on_host) / sizeof(on_host[0]); i++) {
		both_on_host(&c, &b, text[1], on_host[i].line, &a, &e);
		if (e.line->parts[e.line->nparts - 1].step != on_host[i].step)
			fail_msg("%s: the step '%s', not '%s'", on_host[i].line,
				 eval_part_step_name(e.line->parts[e.line->nparts - 1].step),
				 eval_part_step_name(on_host[i].step));
	}
	bundle_release(&b);
	arena_release(&a);
}

/* Pieces of which patterns of files and words are made. */
static const char *pattern(struct rnd *r, bool word)
{
	static const char *const pieces[] = { "a", "b", ".e", "*", "?", "/", "**/", "{a,b/c}", "a/b", "x.c" };
	struct buf b;

	buf_init(&b, r->a);
	for (unsigned n = 1 + rnd_below(r, 5); n; n--) {
		const char *p = pieces[rnd_below(r, sizeof(pieces) / sizeof(pieces[0]))];

		/* a "**" is a component, and braces are the shell's words */
		if ((p[0] == '*' && p[1] && (word || (b.n && b.p[b.n - 1] != '/'))) ||
		    (word && p[0] == '{'))
			p = "/";
		if (p[0] != '/' || (b.n && b.p[b.n - 1] != '/'))
			buf_z(&b, p);
	}
	buf_ch(&b, 'a');
	buf_ch(&b, '\0');
	return (const char *)b.p;
}

static void patterns_agree(struct rnd *r, unsigned long run)
{
	static const char *const roots[] = { "./", "${HOME}/", "/", "" };
	static const char *const starts[] = { "grep -r x", "cat", "cat", "split f", "own x", "own x -o" };
	const char *text[3] = { NULL, NULL, NULL };
	struct compilation c;
	struct eval_decision e;
	struct options o;
	struct bundle b;

	(void)run;
	text[1] = arena_printf(r->a,
			       "command { allow \"{cat|grep|own|split} **\" }\n"
			       "file { otherwise read allow deny read \"%s%s\" when scope == host }\n"
			       "file { deny write \"%s%s\" when scope == host }\n"
			       "file { %s \"%s%s\" when scope == host }\n",
			       roots[rnd_below(r, 4)], pattern(r, false),
			       roots[rnd_below(r, 4)], pattern(r, false),
			       rnd_one_in(r, 2) ? "hide" : "ask read",
			       roots[rnd_below(r, 4)], pattern(r, false));
	if (!compile(&c, &o, r->a, text))
		return;
	assert_true(compiled_open(&c, &b));
	for (int i = 0; i < 30; i++) {
		const char *line = arena_printf(r->a, "%s %s%s%s",
						RND_PICK(r, starts),
						rnd_one_in(r, 4) ? "/home/" : "", pattern(r, true),
						rnd_one_in(r, 2) ? "/.." : "");

		both_on_host(&c, &b, text[1], line, r->a, &e);
		seen.patterns += e.line->parts[0].step == EVAL_PS_HOLDS;
		seen.names += e.line->parts[0].step == EVAL_PS_MAY_WRITE;
	}
	/* whatever is hidden, this tree holds it */
	both_on_host(&c, &b, text[1], "grep -r x /", r->a, &e);
	seen.patterns += e.line->parts[0].step == EVAL_PS_HOLDS;
	bundle_release(&b);
}

/* What may be a file that a program runs unasked is seen, and what may not be is
 * nothing. */
static void unasked_files(struct rnd *r, unsigned long run)
{
	static const char *const files[] = { "abcfile", "a*",     "*.c",
					     "x-*.y",   ".abcrc", "*_t.go" };
	const char *text[3] = { NULL, NULL, NULL }, *name = RND_PICK(r, files);
	struct compilation c;
	struct eval_decision e;
	struct options o;
	struct bundle b;

	(void)run;
	text[1] = arena_printf(
		r->a,
		"command { allow \"{tee|cp|prog|cd|other|env} **\" opaque ask\n"
		"program prog { script-file default \"%s\", \"q.q\" } }\n"
		"file { otherwise read allow }\n",
		name);
	assert_true(compile(&c, &o, r->a, text));
	assert_true(compiled_open(&c, &b));
	for (int i = 0; i < 30; i++) {
		const char *form = RND_PICK(r, unasked_forms),
			   *word = unasked_word(r, unasked_instance(r, name));

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		const char *lines[] = { arena_printf(r->a, form, word, "prog"),
					arena_printf(r->a, form, word, "other"),
					arena_printf(r->a, form, "%no", "prog") };

		for (size_t k = 0; k < POL_LEN(lines); k++) {
			both_on_host(&c, &b, text[1], lines[k], r->a, &e);
			/* a word of unknown value that tee or cp writes may be every name */
			if (k == 1 && e.effect == IR_ASK && strchr(word, '$'))
				continue;
			if (e.effect != (k ? IR_ALLOW : IR_ASK))
				fail_msg("%s\n`%s` is answered by '%s' (SEED=%llu)",
					 text[1], lines[k], ir_effect_name(e.effect),
					 (unsigned long long)(first_seed + run));
		}
		seen.made++;
#pragma GCC diagnostic pop
	}
	bundle_release(&b);
}

static struct eval_decision both(struct compilation *c, struct bundle *b, const char *line,
				 struct arena *a)
{
	struct ir_request q = request(line);
	struct eval_decision e = ask(c->ir, line, a);
	const char *why = NULL;
	struct decision d;

	if (compiled_ask(b, &q, a, &d, &why))
		why = compiled_differs(b, &e, &q, &d, a);
	if (why)
		fail_msg("%s: %s", line, why);
	return e;
}

/* The next row of all, and random lines under its policy. */
static void row_in_turn(struct rnd *r, unsigned long run)
{
	size_t row = (first_seed + run) % POL_LEN(rows), k;
	const char *text[3] = { NULL, rows[row].policy, NULL };
	struct compilation c;
	struct eval_decision e;
	struct options o;
	struct bundle b;

	assert_true(compile(&c, &o, r->a, text));
	assert_true(compiled_open(&c, &b));
	e = both(&c, &b, rows[row].line, r->a);
	for (k = 0; k < e.line->nparts && e.line->parts[k].step != rows[row].step; k++)
		;
	if (rows[row].step == EVAL_PS_COUNT)
		assert_int_equal(e.line->why, EVAL_LW_UNPARSED);
	else if (k == e.line->nparts)
		fail_msg("no part of `%s` is decided by the step '%s'", rows[row].line,
			 eval_part_step_name(rows[row].step));
	for (k = 0; k < LINES / 4; k++)
		both(&c, &b, line_random(r), r->a);
	bundle_release(&b);
}

/* --- running -------------------------------------------------------------------------------- */

static void repeat(void (*one)(struct rnd *r, unsigned long run))
{
	unsigned long i;

	for (i = 0; i < runs; i++) {
		struct arena a;
		struct rnd r = { .s = (first_seed + i) * 0x9e3779b97f4a7c15u | 1, .a = &a };

		arena_init(&a, ARENA_DEFAULT_BUDGET);
		one(&r, i);
		arena_release(&a);
	}
}

static void test_L2_a_rule_more_is_never_less_strict(void **state)
{
	(void)state;
	repeat(one_rule_more);
	repeat(one_deny_more);
}

static void test_L5_patterns_agree(void **state)
{
	(void)state;
	repeat(patterns_agree);
	printf("%lu patterns and trees hold what is not to be read\n", seen.patterns);
}

static void test_L5_what_the_line_makes_is_seen(void **state)
{
	(void)state;
	repeat(unasked_files);
	printf("%lu files that run unasked were made\n", seen.made);
}

static void test_L5_the_matcher_agrees(void **state)
{
	(void)state;
	repeat(matcher_agrees);
}

static void test_each_step_decides(void **state)
{
	(void)state;
	repeat(row_in_turn);
}

static void test_L8_the_spelling_of_a_word_says_nothing(void **state)
{
	(void)state;
	repeat(spelling_says_nothing);
}

static unsigned need(const char *what, const char *name, unsigned long n)
{
	printf(" %s '%s' %lu", what, name, n);
	return n == 0;
}

static void test_everything_has_decided(void **state)
{
	static const char *const whys[] = { "part", "nothing", "unparsed", "limit", "shell" };
	unsigned bad = 0;
	int i;

	(void)state;
	for (i = 0; i <= IR_DENY; i++)
		bad += need("effect", ir_effect_name((enum ir_effect)i), seen.effect[i]);
	for (i = 0; i < EVAL_PS_COUNT; i++)
		bad += need("step", eval_part_step_name((enum eval_part_step)i), seen.step[i]);
	bad += need("line", whys[EVAL_LW_PART], seen.why[EVAL_LW_PART]);
	bad += need("line", whys[EVAL_LW_UNPARSED], seen.why[EVAL_LW_UNPARSED]);
	bad += need("stricter by", "a rule more", seen.stricter);
	bad += need("lines", "in two spellings", seen.rewritten);
	bad += need("patterns", "that hold what is hidden", seen.patterns);
	bad += need("words", "that name what may not be written", seen.names);
	printf("\n%lu lines, %lu asked of both, %lu policies compiled, %lu refused\n",
	       seen.lines, seen.asked, seen.compiled, seen.refused);
	/* the rows of the steps are met in turn, the rest by each run */
	if (runs < POL_LEN(rows))
		return;
	assert_true(seen.compiled > seen.refused && seen.asked > 0);
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guards_are_read),
		cmocka_unit_test(test_L2_a_rule_more_is_never_less_strict),
		cmocka_unit_test(test_L5_the_matcher_agrees),
		cmocka_unit_test(test_L8_the_spelling_of_a_word_says_nothing),
		cmocka_unit_test(test_each_step_decides),
		cmocka_unit_test(test_what_is_read_on_the_host),
		cmocka_unit_test(test_L5_patterns_agree),
		cmocka_unit_test(test_L5_what_the_line_makes_is_seen),
		cmocka_unit_test(test_everything_has_decided),
	};
	const char *seed = getenv("SEED"), *n = getenv("RUNS");
	char rm[64];
	int bad;

	first_seed = seed ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
	runs = n ? strtoul(n, NULL, 0) : POL_LEN(rows);
	printf("SEED=%llu RUNS=%lu\n", (unsigned long long)first_seed, runs);
	if (!mkdtemp(dir))
		return 1;
	bad = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(rm, sizeof(rm), "rm -rf '%s'", dir);
	return system(rm) || bad;
}
