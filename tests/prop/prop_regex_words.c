/*
 * Regular expressions of commands as languages of word lists, against the evaluator,
 * which searches with PCRE2: both find the same in random word lists, for a deny and for
 * an allow.  And lines with words that are not literal, under a deny: the evaluator and the matcher let a line
 * through exactly if no value of its words is found.  SEED= and RUNS= in the environment; a run is one
 * expression of each kind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/cli/compiled.h"
#include "compiler/cli/passes.h"

#include "compiler/eval/eval.h"
#include "compiler/eval/line.h"
#include "compiler/sets/lang.h"
#include "compiler/sets/regex.h"
#include "runtime/base/regex.h"
#include "tests/lib/regex_oracle.h"
#include "tests/prop/random_regex.h"
#include "tests/prop/runs.h"

static struct {
	unsigned long found[2], not_found[2], no_language, no_dfa, slash, empty, gave_up;
} seen;

static struct {
	unsigned long expressions[2], passed, stopped, other, values, found, decided, ruled_out;
} lines;

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

	/* `b0` is judged as `b`, too: a name with a version is another one of the same program */
	if (!name.n || strchr("0123456789.", name.p[name.n - 1]))
		name = str_cat(r->a, name, STR("b"));
	return str_cat(r->a, str_from(RND_PICK(r, dirs)), name);
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
	/* where the words behind an unknown program spell what is denied, the rule asks */
	want = d.rule == s->rule && d.effect == s->rule->effect;
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

/* --- words that are not literal ---------------------------------------------------- */

/*
 * A line, and what its words may be: literal pieces, and pieces whose value is not known.  Its
 * values are drawn (a deny that finds one of them must not let the line through), and the set of all of
 * them is built from the pieces alone, as an expression: a line that is not let through must have a value
 * that is found.
 */
enum piece_kind { PIECE_TEXT, PIECE_ONE /* "$x" */, PIECE_MANY /* $x */, PIECE_FILES /* * */ };

struct piece {
	enum piece_kind kind;
	struct str text;
};

struct word {
	struct piece piece[3];
	uint32_t n;
};

struct shell_line {
	struct str program;
	struct word word[4];
	uint32_t n;
	bool unknown, exact; /* exact: every value in the set can come about */
};

static const char *const unknown_programs[] = { "a", "b", "ab", "/bin/a", "./b", "/a b/ab" };

static struct str line_piece(struct rnd *r)
{
	static const char *const pieces[] = { "a", "b", "-", "ab", "A", "_", "0", " ", "\n", "a b", "z", "=", "\xff" };
	struct str s = str_from(RND_PICK(r, pieces));

	return rnd_one_in(r, 3) ? str_cat(r->a, s, str_from(RND_PICK(r, pieces))) : s;
}

static void random_word_of_line(struct rnd *r, struct shell_line *l, struct word *w)
{
	bool has_text = false, has_many = false, has_one = false;

	*w = (struct word){ .n = 1 + rnd_below(r, 3) };
	for (uint32_t i = 0; i < w->n; i++) {
		struct piece *p = &w->piece[i];

		p->kind = (enum piece_kind)rnd_below(r, 3);
		if (p->kind == PIECE_TEXT)
			p->text = line_piece(r);
		has_text |= p->kind == PIECE_TEXT;
		has_many |= p->kind == PIECE_MANY;
		has_one |= p->kind == PIECE_ONE;
	}
	/* the names of files: beside text, so that the word is never empty */
	if (!has_many && !has_one && w->n < 3 && rnd_one_in(r, 3)) {
		w->piece[w->n++].kind = PIECE_FILES;
		l->unknown = true;
	}
	l->unknown |= has_many | has_one;
	/* a word such as "$x"$y is never gone; the evaluator does not tell it from $y */
	l->exact &= has_text || !(has_many && has_one);
	/* $x'A'$y may be a pattern of file names that have no A: [^A] */
	if (w->n == 3 && w->piece[0].kind == PIECE_MANY && w->piece[2].kind == PIECE_MANY)
		l->exact = false;
}

static struct shell_line random_shell_line(struct rnd *r)
{
	struct shell_line l = { .program = str_from(RND_PICK(r, unknown_programs)), .exact = true };

	l.n = 1 + rnd_below(r, 4);
	for (uint32_t i = 0; i < l.n; i++)
		random_word_of_line(r, &l, &l.word[i]);
	return l;
}

static struct str text_of_line(struct rnd *r, const struct shell_line *l)
{
	uint32_t names = 0;
	struct buf b;

	buf_init(&b, r->a);
	buf_printf(&b, "'%.*s'", STR_ARG(l->program));
	for (uint32_t i = 0; i < l->n; i++) {
		buf_ch(&b, ' ');
		for (uint32_t k = 0; k < l->word[i].n; k++) {
			const struct piece *p = &l->word[i].piece[k];

			if (p->kind == PIECE_TEXT)
				buf_printf(&b, "'%.*s'", STR_ARG(p->text));
			else if (p->kind == PIECE_ONE)
				buf_printf(&b, rnd_one_in(r, 2) ? "\"$x%u\"" : "\"${x%u#a}\"", names++);
			else if (p->kind == PIECE_MANY)
				buf_printf(&b, rnd_one_in(r, 2) ? "${x%u}" : "\"${x%u[@]}\"", names++);
			else
				buf_ch(&b, '*');
		}
	}
	return buf_view(&b);
}

static struct str random_value(struct rnd *r)
{
	struct str s = STR("");

	for (uint32_t n = rnd_below(r, 3); n--;)
		s = str_cat(r->a, s, line_piece(r));
	return s;
}

/* Ends a word, which is gone if nothing of it is quoted and it is empty. */
static void end_word(struct str argv[], size_t *n, struct str *at, bool *stays)
{
	if (at->n || *stays)
		argv[(*n)++] = *at;
	*at = STR("");
	*stays = false;
}

/* The words that a word may become: at most 8. */
static void expand_word(struct rnd *r, const struct word *w, struct str argv[], size_t *n)
{
	struct str at = STR(""), name = STR("");
	bool stays = false;
	size_t from = *n;

	for (uint32_t k = 0; k < w->n; k++) {
		const struct piece *p = &w->piece[k];

		if (p->kind == PIECE_FILES) {
			/* what stands before it stands before each name; it is the last piece */
			for (uint32_t m = 1 + rnd_below(r, 2); m--;)
				argv[(*n)++] = str_cat(r->a, at, random_value(r));
			return;
		}
		if (p->kind != PIECE_MANY) {
			name = p->kind == PIECE_TEXT ? p->text : random_value(r);
			at = str_cat(r->a, at, name);
			stays = true;
			continue;
		}
		for (uint32_t m = rnd_below(r, 3); m-- && *n - from < 4;) {
			at = str_cat(r->a, at, random_value(r));
			if (m || rnd_one_in(r, 2))
				end_word(argv, n, &at, &stays);
		}
	}
	end_word(argv, n, &at, &stays);
}

static struct set_re *any_text(struct arena *a)
{
	struct set_bytes all = { { 0 } };

	set_bytes_add(&all, 1, 255);
	return set_star(a, set_class(a, all));
}

/* All texts that the words of the line may be when they are joined. */
static struct set_re *texts_of_line(struct arena *a, const struct shell_line *l, struct str program)
{
	struct set_re *re = set_lit(a, program);

	for (uint32_t i = 0; i < l->n; i++) {
		struct set_re *w = set_lit(a, STR(" "));
		bool gone = true;

		for (uint32_t k = 0; k < l->word[i].n; k++) {
			const struct piece *p = &l->word[i].piece[k];

			gone &= p->kind == PIECE_MANY;
			w = set_cat(a, w, p->kind == PIECE_TEXT ? set_lit(a, p->text) : any_text(a));
		}
		re = set_cat(a, re, gone ? set_or(a, w, set_eps(a)) : w);
	}
	return re;
}

/* Is a text in both languages?  *ret: one of the shortest. */
static enum set_answer in_both(struct arena *a, const struct set_re *x, const struct set_re *y, struct str *ret)
{
	struct set_tagged t[2] = { { .re = x, .tag = 1 }, { .re = y, .tag = 2 } };
	struct set_dfa d;
	uint32_t *queue, *from, first = 0, last = 0;
	uint8_t *by;

	if (set_dfa_build(a, t, 2, 20000, &d) != SET_HOLDS)
		return SET_UNDECIDED;
	queue = arena_array(a, d.nstates, sizeof(*queue));
	from = arena_array(a, d.nstates, sizeof(*from));
	by = arena_array(a, d.nstates, 1);
	from[d.start] = d.start + 1;
	queue[last++] = d.start;
	for (; first < last; first++) {
		uint32_t s = queue[first];

		if (d.tag_at[s + 1] - d.tag_at[s] == 2) {
			size_t n = 0;
			char *p;

			for (uint32_t k = s; k != d.start; k = from[k] - 1)
				n++;
			p = arena_alloc(a, n + 1);
			*ret = (struct str){ p, n };
			for (uint32_t k = s; k != d.start; k = from[k] - 1)
				p[--n] = (char)by[k];
			return SET_WITNESS;
		}
		for (unsigned c = 1; c < 256; c++) {
			uint32_t to = d.next[s * d.nclasses + d.cls[c]];

			if (to && !from[to]) {
				from[to] = s + 1;
				by[to] = (uint8_t)c;
				queue[last++] = to;
			}
		}
	}
	return SET_HOLDS;
}

/* A policy whose last rule is the expression; its text, flags and bundle are replaced for each run. */
struct policy {
	struct arena a;
	struct options o;
	struct compilation c;
	struct ir_command *re;
	struct ir_rule *rule;
};

static bool open_policy(struct policy *p)
{
	char dir[] = "/tmp/pol-regex.XXXXXX";
	struct sema_input in = { .name = STR("p.pol"), .level = IR_PROJECT, .cmdline_level = true };
	bool ok = false;
	FILE *f;

	arena_init(&p->a, ARENA_DEFAULT_BUDGET);
	p->o = (struct options){ .created = -1, .scope = IR_SANDBOX, .verb = CLI_COMPILE };
	if (!mkdtemp(dir))
		return false;
	in.path = arena_printf(&p->a, "%s/p.pol", dir);
	f = fopen(in.path, "we");
	if (f) {
		ok = fputs("policy p { base none }\n"
			   "command { allow \"*:*\" deny /expression/ otherwise allow opaque ask }\n", f) >= 0;
		ok = fclose(f) == 0 && ok;
		VEC_PUSH(&p->a, &p->o.inputs, in);
		compilation_init(&p->c, &p->o, &p->a);
		ok = ok && passes_run(&p->c, NULL) == CLI_CLEAN;
	}
	(void)unlink(in.path);
	(void)rmdir(dir);
	for (size_t i = 0; ok && i < p->c.ir->rules.n; i++)
		if (p->c.ir->rules.v[i]->kind == IR_COMMAND && p->c.ir->rules.v[i]->set.u.command.regex) {
			p->rule = p->c.ir->rules.v[i];
			p->re = &p->rule->set.u.command;
		}
	return ok && p->re;
}

static struct policy policy;

static bool fail_line(struct rnd *r, const char *what, struct str line, struct str text)
{
	const struct ir_command *c = policy.re;

	printf("deny /%s/%s%s%s: `%s` %s \"%s\"\n", oracle_show(r->a, c->text), c->regex_i ? "i" : "",
	       c->regex_x ? "x" : "", c->opaque ? " (PCRE2 searches)" : "", oracle_show(r->a, line), what,
	       oracle_show(r->a, text));
	return false;
}

static struct ir_request request_of_app(void)
{
	return (struct ir_request){
		.kind = IR_COMMAND, .scope = IR_SANDBOX, .cwd = STR("/home/dev/app"),
		.roots.dir = { [IR_ROOT_FS] = STR("/"), [IR_ROOT_HOME] = STR("/home/dev"),
			       [IR_ROOT_PROJECT] = STR("/home/dev/app"), [IR_ROOT_TMP] = STR("/tmp") },
	};
}

/* Is none of the values found that the words may have, if the line is let through? */
static bool check_values(struct rnd *r, const struct shell_line *l, struct str line, bool passes)
{
	struct ir_request q = request_of_app();
	struct eval_decision d;
	struct str argv[40];

	q.argv = argv;
	for (int i = 0; i < 8; i++) {
		argv[0] = l->program;
		q.nargv = 1;
		for (uint32_t k = 0; k < l->n; k++)
			expand_word(r, &l->word[k], argv, &q.nargv);
		eval_decide(policy.c.ir, &q, r->a, &d);
		lines.values++;
		if (d.rule != policy.rule || d.effect != IR_DENY) /* else an unknown program spells it */
			continue;
		lines.found++;
		if (passes) {
			struct str text = argv[0];

			for (size_t k = 1; k < q.nargv; k++)
				text = str_cat(r->a, str_cat(r->a, text, STR(" ")), argv[k]);
			return fail_line(r, "is let through, and may be", line, text);
		}
	}
	return true;
}

/* Is there a value that is found, exactly if the line is not let through? */
static bool check_set(struct rnd *r, const struct shell_line *l, const struct set_re *found,
		      const struct oracle *o, struct str line, bool passes)
{
	const char *slash = memrchr(l->program.p, '/', l->program.n);
	struct str base = l->program, text = STR("");
	enum set_answer says;

	if (slash)
		base = (struct str){ slash + 1, l->program.n - (size_t)(slash + 1 - l->program.p) };
	says = in_both(r->a, texts_of_line(r->a, l, base), found, &text);
	if (says == SET_HOLDS && slash)
		says = in_both(r->a, texts_of_line(r->a, l, l->program), found, &text);
	if (says == SET_UNDECIDED)
		return true;
	lines.decided++;
	if (says == SET_WITNESS && oracle_finds(o, text) != 1)
		return fail_line(r, "has in its set what PCRE2 does not find:", line, text);
	if (says == SET_WITNESS && passes)
		return fail_line(r, "is let through, and may be", line, text);
	if (says == SET_HOLDS && !passes && l->exact)
		return fail_line(r, "is not let through, and no value is found", line, STR(""));
	return true;
}

static bool check_line(struct rnd *r, struct bundle *b, const struct set_re *found, const struct oracle *o)
{
	struct shell_line l = random_shell_line(r);
	struct ir_request q = request_of_app();
	struct str line = text_of_line(r, &l);
	struct eval_decision e;
	const char *why = NULL;
	struct decision d;
	bool passes;

	if (!l.unknown)
		return true;
	q.line = q.text = line;
	eval_decide(policy.c.ir, &q, r->a, &e);
	passes = e.effect == IR_ALLOW;
	lines.passed += passes;
	lines.stopped += !passes;
	if (b && compiled_ask(b, &q, r->a, &d, &why))
		why = compiled_differs(b, &e, &q, &d, r->a);
	if (why)
		return fail_line(r, why, line, STR(""));
	/* not where the words of an unknown program spell what is denied */
	if (passes || (e.line->nparts == 1 && (e.line->parts[0].step == EVAL_PS_MAY_DENY || e.effect == IR_DENY)))
		return check_values(r, &l, line, passes) && (!found || check_set(r, &l, found, o, line, passes));
	lines.other++;
	return true;
}

static struct str random_expression_of_line(struct rnd *r, bool extended)
{
	struct str text = random_regex_of(r, extended, rnd_one_in(r, 2));

	/* most others are found in anything */
	switch (rnd_below(r, 5)) {
	case 0:
		return str_cat(r->a, STR("^"), text);
	case 1:
		return str_cat(r->a, extended ? STR("^a\\ ") : STR("^a "), text);
	case 2:
		return str_cat(r->a, str_cat(r->a, STR("^[^ab]*[ab]+\\x20"), text), STR("$"));
	default:
		return text;
	}
}

static bool open_bundle(struct rnd *r, struct bundle *ret)
{
	struct compilation c;

	compilation_init(&c, &policy.o, r->a);
	c.ir = policy.c.ir;
	return passes_of_ir(&c) == CLI_CLEAN && compiled_open(&c, ret);
}

static bool check_lines(struct rnd *r)
{
	struct ir_command *c = policy.re;
	struct set_re *found = NULL;
	enum set_regex_status is;
	struct bundle b;
	struct oracle o;
	const char *why;
	bool ok = true, bundled = rnd_one_in(r, 4);
	unsigned flags;
	size_t at;

	c->regex_i = rnd_one_in(r, 6);
	c->regex_x = rnd_one_in(r, 6);
	c->text = random_expression_of_line(r, c->regex_x);
	flags = (c->regex_i ? (unsigned)SET_REGEX_I : 0) | (c->regex_x ? (unsigned)SET_REGEX_X : 0);
	is = set_from_regex(r->a, c->text, flags, &found, &at, &why);
	if (!c->text.n || (is != SET_REGEX_OK && is != SET_REGEX_OPAQUE))
		return true;
	c->opaque = is == SET_REGEX_OPAQUE;
	lines.expressions[c->opaque]++;
	o = oracle_open(c->text, flags);
	if (bundled && !open_bundle(r, &b)) {
		printf("no bundle of /%s/\n", oracle_show(r->a, c->text));
		ok = false;
	}
	for (int i = 0; i < 8 && ok; i++)
		ok = check_line(r, bundled ? &b : NULL, c->opaque ? NULL : found, &o);
	if (bundled && ok)
		bundle_release(&b);
	oracle_close(&o);
	return ok;
}

/* --- the beginnings of texts --------------------------------------------------------- */

/* What regex_search_prefixes() rules out is in no text that begins so. */
static bool check_beginnings(struct rnd *r)
{
	struct str re = random_expression_of_line(r, false);
	struct regex_text of = { re.p, re.n };
	size_t size = regex_room(re.n);
	void *room = arena_alloc(r->a, size);

	for (int i = 0; i < 6; i++) {
		struct str begins = str_cat(r->a, STR("a"), random_value(r));
		struct regex_text text = { begins.p, begins.n };
		uint64_t steps;

		if (regex_search_prefixes(&of, 0, room, size, &text, 1, &steps) != REGEX_NO)
			continue;
		lines.ruled_out++;
		for (int k = 0; k < 6; k++) {
			struct str whole = str_cat(r->a, begins, random_value(r));

			text = (struct regex_text){ whole.p, whole.n };
			if (regex_search(&of, 0, room, size, &text, 1, &steps) != REGEX_YES)
				continue;
			printf("/%s/ is ruled out by \"%s\", and found in \"%s\"\n", oracle_show(r->a, re),
			       oracle_show(r->a, begins), oracle_show(r->a, whole));
			return false;
		}
	}
	return true;
}

/* A line costs as much as a hundred lists of words. */
#define LINES_ONE_IN 4

static bool check_all(struct rnd *r)
{
	return check_expression(r) && (!rnd_one_in(r, LINES_ONE_IN) || check_lines(r)) && check_beginnings(r);
}

int main(void)
{
	unsigned long n = 0;
	bool ok = open_policy(&policy) && prop_runs(3000, check_all, &n);

	printf("deny: found %lu, not found %lu; allow: found %lu, not found %lu; "
	       "no language %lu, no automaton %lu; a program with '/' %lu, empty words %lu, "
	       "given up by PCRE2 %lu\n",
	       seen.found[0], seen.not_found[0], seen.found[1], seen.not_found[1],
	       seen.no_language, seen.no_dfa, seen.slash, seen.empty, seen.gave_up);
	printf("lines: expressions %lu, and %lu that PCRE2 searches; let through %lu, not %lu, for another reason "
	       "%lu; values %lu, found %lu; decided by their sets %lu; beginnings ruled out %lu\n",
	       lines.expressions[0], lines.expressions[1], lines.passed, lines.stopped, lines.other, lines.values,
	       lines.found, lines.decided, lines.ruled_out);
	if (!ok)
		return 1;
	if (n >= 300 && (seen.found[0] < n || seen.not_found[0] < n || seen.found[1] < n ||
			 seen.not_found[1] < n || seen.no_dfa > n / 20 || lines.passed < n / 10 ||
			 lines.stopped < n / 10 || lines.found < n || lines.decided < n / 4 ||
			 lines.expressions[1] < n / 100 || lines.ruled_out < n / 4)) {
		printf("FAIL: too little was compared\n");
		return 1;
	}
	printf("1 passed, 0 failed, 0 skipped\n");
	return 0;
}
