/*
 * Regular expressions of commands as languages of word lists, against the evaluator,
 * which searches with PCRE2: both find the same in random word lists, for a deny and for
 * an allow.  SEED= and RUNS= in the environment; a run is one expression.
 */
#include <stdio.h>

#include "compiler/eval/eval.h"
#include "compiler/sets/lang.h"
#include "compiler/sets/regex.h"
#include "tests/lib/regex_oracle.h"
#include "tests/prop/random_regex.h"
#include "tests/prop/runs.h"

static struct {
	unsigned long found[2], not_found[2], no_language, no_dfa, slash, empty, gave_up;
} seen;

struct subject {
	struct rnd *r;
	struct ir *ir;
	struct ir_rule *rule;
	bool allow;
	struct set_dfa d;
};

/* --- word lists ------------------------------------------------------------------- */

static struct str random_word(struct rnd *r)
{
	static const char *const pieces[] = { "a", "a", "b", "b", "A", "_", "-", " ",
					      "\n", "\t", "0", "/", "z", "\x1f", "a b" };
	struct str w = STR("");
	uint32_t n = rnd_below(r, 4);

	while (n--)
		w = str_cat(r->a, w, str_from(RND_PICK(r, pieces)));
	return w;
}

static struct str random_program(struct rnd *r)
{
	static const char *const dirs[] = { "", "", "", "/usr/bin/", "/bin/", "./", "/x/", "a/" };
	struct str name = random_word(r);

	return str_cat(r->a, str_from(RND_PICK(r, dirs)), name.n ? name : STR("b"));
}

/* The places do not matter to an expression: they are left empty, or are anything. */
static struct str encoded(struct rnd *r, const struct str *argv, size_t n)
{
	struct buf b;
	size_t i;

	buf_init(&b, r->a);
	buf_str(&b, argv[0]);
	buf_ch(&b, 0);
	for (i = 0; i < 2; i++) {
		buf_z(&b, rnd_one_in(r, 2) ? "" : "=a/b");
		buf_ch(&b, 0);
	}
	for (i = 1; i < n; i++) {
		buf_str(&b, argv[i]);
		buf_ch(&b, 0);
	}
	return buf_view(&b);
}

/* --- one expression --------------------------------------------------------------- */

static bool fail(const struct subject *s, bool want, const struct str *argv, size_t n)
{
	size_t i;

	printf("%s /%s/%s%s: the evaluator says %d of", s->allow ? "allow" : "deny",
	       oracle_show(s->r->a, s->rule->set.u.command.text),
	       s->rule->set.u.command.regex_i ? "i" : "",
	       s->rule->set.u.command.regex_x ? "x" : "", want);
	for (i = 0; i < n; i++)
		printf(" \"%s\"", oracle_show(s->r->a, argv[i]));
	printf("\n");
	return false;
}

static bool check_list(struct subject *s)
{
	struct str argv[5];
	struct ir_request q = { .kind = IR_COMMAND, .scope = IR_SANDBOX,
				.roots = rnd_roots(s->r), .argv = argv };
	struct eval_decision d;
	bool want, got;
	size_t i, n;

	q.cwd = q.roots.dir[IR_ROOT_PROJECT];
	argv[0] = random_program(s->r);
	q.nargv = 1 + rnd_below(s->r, 4);
	for (i = 1; i < q.nargv; i++) {
		argv[i] = random_word(s->r);
		seen.empty += !argv[i].n;
	}
	seen.slash += memchr(argv[0].p, '/', argv[0].n) != NULL;
	eval_decide(s->ir, &q, s->r->a, &d);
	/* PCRE2 has reached its limit: the line may match */
	if (d.step == EVAL_STEP_OPAQUE) {
		seen.gave_up++;
		return true;
	}
	want = d.rule == s->rule;
	got = set_dfa_run(&s->d, encoded(s->r, argv, q.nargv), &n) != NULL;
	seen.found[s->allow] += want;
	seen.not_found[s->allow] += !want;
	return got == want || fail(s, want, argv, q.nargv);
}

static bool check_expression(struct rnd *r)
{
	struct subject s = { .r = r, .ir = rnd_ir(r), .allow = rnd_one_in(r, 2) };
	struct ir_scalar *other = &s.ir->scalars[IR_S_COMMAND_OTHERWISE];
	struct set_tagged t = { .tag = 1 };
	struct ir_command *c;
	int i;

	memset(&s.ir->rules, 0, sizeof(s.ir->rules));
	memset(&s.ir->risks, 0, sizeof(s.ir->risks));
	memset(&s.ir->inert, 0, sizeof(s.ir->inert));
	memset(&s.ir->pins, 0, sizeof(s.ir->pins));
	memset(s.ir->locked, 0, sizeof(s.ir->locked));
	other->by_risk = false;
	other->effect = IR_ASK;
	/* so that a search that PCRE2 gave up shows */
	s.ir->scalars[IR_S_COMMAND_OPAQUE].effect = IR_DENY;
	s.rule = ARENA_NEW(r->a, struct ir_rule);
	*s.rule = (struct ir_rule){ .kind = IR_COMMAND, .level = IR_MANAGED,
				    .effect = s.allow ? IR_ALLOW : IR_DENY,
				    .scopes = IR_ALL_SCOPES, .id = STR("r") };
	c = &s.rule->set.u.command;
	*c = (struct ir_command){ .regex = true, .regex_i = rnd_one_in(r, 4),
				  .regex_x = rnd_one_in(r, 4) };
	c->text = random_regex(r, c->regex_x);
	VEC_PUSH(r->a, &s.ir->rules, s.rule);
	t.re = set_from_search(r->a, c, s.allow ? SET_NARROW : SET_BROAD);
	if (!t.re) {
		seen.no_language++;
		return true;
	}
	if (set_dfa_build(r->a, &t, 1, 20000, &s.d) != SET_HOLDS) {
		seen.no_dfa++;
		return true;
	}
	for (i = 0; i < 40; i++)
		if (!check_list(&s))
			return false;
	return true;
}

int main(void)
{
	unsigned long n = 0;
	bool ok = prop_runs(3000, check_expression, &n);

	printf("deny: found %lu, not found %lu; allow: found %lu, not found %lu; "
	       "no language %lu, no automaton %lu; a program with '/' %lu, empty words %lu, "
	       "given up by PCRE2 %lu\n",
	       seen.found[0], seen.not_found[0], seen.found[1], seen.not_found[1],
	       seen.no_language, seen.no_dfa, seen.slash, seen.empty, seen.gave_up);
	if (!ok)
		return 1;
	if (n >= 300 && (seen.found[0] < n || seen.not_found[0] < n || seen.found[1] < n ||
			 seen.not_found[1] < n || seen.no_dfa > n / 20)) {
		printf("FAIL: too little was compared\n");
		return 1;
	}
	printf("1 passed, 0 failed, 0 skipped\n");
	return 0;
}
