/*
 * Which rules match a command whose words are small languages: on random rules
 * and parts, the values of the words are written out (as far as a few texts
 * go), each with every choice of words left out, and matched one by one by
 * the evaluator's matcher.  What one of them matches may match; what must
 * match, all of them do, but for the few denials that are past a budget; of
 * literal words both are exact.  Regular expressions that are no automata are
 * searched by PCRE2 as it comes, here.  SEED= RUNS=.
 */
#include <stdio.h>

#include "compiler/analysis/lift.h"
#include "compiler/backend/matcher/matcher.h"
#include "compiler/backend/rules/rules.h"
#include "compiler/eval/match_command.h"
#include "runtime/decide/part_match.h"
#include "tests/lib/literal_part.h"
#include "tests/lib/regex_oracle.h"
#include "tests/prop/runs.h"

#define PARTS 60
#define MAX_WORDS 10
#define MAX_VALUES 4000
#define ENOUGH 60 /* policies, of which some keep patterns apart */

static struct {
	unsigned long may, must, none, literal, parts, found, not_found, apart, sampled;
} seen;

static const char *const texts[] = { "", "a", "b", "git", ":a", "push", "/" };
static const char *const more_texts[] = { "a b", "a", "", "push", "-f a", " " };

/* `skip`: not 0, the word may be left out, with all others of that number. */
struct value {
	struct str word[MAX_WORDS];
	uint32_t skip[MAX_WORDS];
	size_t n;
};

struct world {
	struct arena *a;
	struct rnd *r;
	struct ir *ir;
	struct bundle b;
	struct line_facts facts;
	struct decide_ctx c;
	struct cmd_dir dir;
	struct cmd_part part;
	struct value *values;
	size_t nvalues;
};

/* --- parts ------------------------------------------------------------------------- */

static struct sh_word *random_word(struct world *w, bool program)
{
	struct sh_word *word = ARENA_NEW(w->a, struct sh_word);
	uint32_t kind = rnd_below(w->r, 10);
	const char *lit = program ? RND_PICK(w->r, rnd_programs) : RND_PICK(w->r, rnd_args);
	struct sh_seg *two = ARENA_NEW(w->a, struct sh_seg);

	word->seg = (struct sh_seg){ .p = lit, .n = (uint32_t)strlen(lit) };
	if (kind < 6)
		return word;
	two->kind = kind < 8 ? SH_ANY : SH_MULTI;
	if (rnd_one_in(w->r, 2))
		word->seg.next = two;
	else
		word->seg = *two;
	return word;
}

static void random_part(struct world *w)
{
	struct cmd_part p = { .dirs = &w->dir };
	uint32_t i;

	p.nwords = 1 + rnd_below(w->r, 4);
	p.words = arena_array(w->a, p.nwords, sizeof(*p.words));
	for (i = 0; i < p.nwords; i++) {
		p.words[i].w = random_word(w, i == 0);
		if (i && rnd_one_in(w->r, 3))
			p.words[i].roles = CMD_W_OPTION;
		else if (i)
			p.words[i].roles = CMD_W_OPERAND;
	}
	w->part = p;
}

/* --- the values of its words ----------------------------------------------------------- */

/* Appends what the text is as words behind `prefix`: a blank ends one. */
static void add_words(struct world *w, const struct value *from, const char *prefix,
		      size_t n, const char *text, bool split, uint32_t skip)
{
	struct value v = *from;
	struct buf b;

	if (w->nvalues == MAX_VALUES || v.n + 3 > MAX_WORDS)
		return;
	buf_init(&b, w->a);
	buf_add(&b, prefix, n);
	for (; *text; text++) {
		if (!split || *text != ' ') {
			buf_ch(&b, *text);
			continue;
		}
		v.skip[v.n] = skip;
		v.word[v.n++] = str_dup(w->a, buf_view(&b));
		buf_init(&b, w->a);
	}
	v.skip[v.n] = skip;
	v.word[v.n++] = str_dup(w->a, buf_view(&b));
	w->values[w->nvalues++] = v;
}

static void add_word(struct world *w, const struct cmd_word *word, const struct value *from)
{
	const struct sh_seg *s = &word->w->seg;
	const char *prefix = s->kind == SH_LIT ? s->p : "";
	size_t n = s->kind == SH_LIT ? s->n : 0, i;
	uint32_t skip = word->roles & CMD_W_OPTION ?
				(uint32_t)(word - w->part.words) + 1 : 0;

	if (s->kind == SH_LIT)
		s = s->next;
	if (!s) {
		add_words(w, from, prefix, n, "", false, skip);
		return;
	}
	for (i = 0; i < POL_LEN(texts); i++)
		add_words(w, from, prefix, n, texts[i], false, skip);
	for (i = 0; s->kind == SH_MULTI && i < POL_LEN(more_texts); i++)
		add_words(w, from, prefix, n, more_texts[i], true, skip);
	if (s->kind == SH_MULTI && !n && w->nvalues < MAX_VALUES)
		w->values[w->nvalues++] = *from;
}

static void write_values(struct world *w)
{
	struct value *last = arena_array(w->a, MAX_VALUES, sizeof(*last));
	size_t n = 1, i;
	uint32_t k;

	memset(last, 0, sizeof(*last));
	for (k = 0; k < w->part.nwords; k++) {
		w->nvalues = 0;
		for (i = 0; i < n; i++)
			add_word(w, &w->part.words[k], &last[i]);
		n = w->nvalues;
		memcpy(last, w->values, n * sizeof(*last));
	}
}

/* The joined words, the program without its first `skip` bytes. */
static struct str joined(struct arena *a, const struct value *v, bool broad, size_t skip)
{
	struct buf b;
	size_t i, k;

	buf_init(&b, a);
	for (i = 0; i < v->n; i++) {
		struct str s = i ? v->word[i] : str_sub(v->word[0], skip, v->word[0].n - skip);

		buf_z(&b, i ? " " : "");
		buf_z(&b, broad || s.n ? "" : "\x1f");
		for (k = 0; k < s.n; k++)
			buf_ch(&b, !broad && s.p[k] == ' ' ? '\x1f' : s.p[k]);
	}
	return buf_view(&b);
}

static bool is_trusted(struct str dir)
{
	static const char *const dirs[] = { "", "/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/",
					    "/usr/local/bin/" };
	size_t i;

	for (i = 0; i < POL_LEN(dirs); i++)
		if (str_eq(dir, str_from(dirs[i])))
			return true;
	return false;
}

static bool finds(struct arena *a, const struct ir_rule *r, const struct value *v)
{
	bool broad = r->effect != IR_ALLOW, yes;
	struct oracle o = oracle_open(r->set.u.command.text,
				      broad ? 0 : (unsigned)SET_REGEX_DOLLAR_END);
	size_t dir = v->n ? v->word[0].n : 0;

	while (dir && v->word[0].p[dir - 1] != '/')
		dir--;
	yes = (broad || is_trusted(str_sub(v->word[0], 0, dir))) &&
	      oracle_finds(&o, joined(a, v, broad, dir)) == 1;
	yes |= broad && oracle_finds(&o, joined(a, v, broad, 0)) == 1;
	oracle_close(&o);
	return yes;
}

/* Does some choice of the words that may be left out match? */
static bool matches(struct arena *a, const struct ir_rule *r, const struct value *v)
{
	enum eval_side side = r->effect == IR_ALLOW ? EVAL_NARROW : EVAL_BROAD;
	struct str argv[MAX_WORDS];
	struct ir_request q = { .kind = IR_COMMAND, .scope = IR_SANDBOX, .argv = argv, .cwd = STR("/p/x"),
				.roots.dir = { [IR_ROOT_FS] = STR("/"),
					       [IR_ROOT_PROJECT] = STR("/p") } };
	uint32_t left;
	size_t i;

	if (r->set.u.command.regex)
		return finds(a, r, v);
	for (left = 0; left < 1u << v->n; left++) {
		bool good = true;

		q.nargv = 0;
		for (i = 0; i < v->n; i++) {
			bool out = left >> i & 1;

			good &= !out || (v->skip[i] && side == EVAL_BROAD);
			good &= !i || !v->skip[i] || v->skip[i] != v->skip[i - 1] ||
				out == (left >> (i - 1) & 1);
			if (!out)
				argv[q.nargv++] = v->word[i];
		}
		if (good && literal_match(r, &q))
			return true;
	}
	return false;
}

/* --- comparing ------------------------------------------------------------------------------ */

static void complain(const struct world *w, const struct ir_rule *r, const char *what)
{
	const struct sh_seg *s;
	uint32_t i;

	ir_print(stdout, w->ir);
	printf("rule %u: %s\npart:", r->index, what);
	for (i = 0; i < w->part.nwords; i++) {
		printf(" [%u:", w->part.words[i].roles);
		for (s = &w->part.words[i].w->seg; s; s = s->next)
			printf(s->kind == SH_LIT ? "'%.*s'" : "<%.*s%d>", (int)s->n,
			       s->p ? s->p : "", (int)s->kind);
		printf("]");
	}
	printf("\n");
}

/* Past its budget walk_ask.c takes for certain what this one list matches: unknown pieces
 * become a byte that no pattern spells. */
static bool is_sampled(struct world *w, const struct ir_rule *r)
{
	struct value v = { .n = 0 };
	uint32_t i;

	for (i = 0; i < w->part.nwords; i++) {
		const struct sh_seg *s;
		struct buf b;

		buf_init(&b, w->a);
		for (s = &w->part.words[i].w->seg; s; s = s->next)
			buf_add(&b, s->kind == SH_LIT ? s->p : "\1", s->kind == SH_LIT ? s->n : 1);
		v.skip[v.n] = w->part.words[i].roles & CMD_W_OPTION ? i + 1 : 0;
		v.word[v.n++] = buf_view(&b);
	}
	return matches(w->a, r, &v);
}

static bool check_rule(struct world *w, const struct part_match *m, const struct ir_rule *r,
		       bool literal)
{
	bool may = match_has(r->effect == IR_DENY ? &m->more : &m->sure, r->index);
	bool must = match_has(&m->sure, r->index), some = false, all = w->nvalues > 0;
	const char *wrong = NULL;
	size_t i;

	for (i = 0; i < w->nvalues; i++) {
		bool yes;

		/* no word at all is no command: nothing is to be matched */
		if (!w->values[i].n)
			continue;
		yes = matches(w->a, r, &w->values[i]);
		some |= yes;
		all &= yes;
	}
	if (r->effect != IR_ALLOW && some && !may)
		wrong = "a value matches, and it may not";
	if (r->effect == IR_DENY && must && !all && is_sampled(w, r))
		seen.sampled++;
	else if (r->effect != IR_ASK && must && !all)
		wrong = "it must match, and a value does not";
	if (literal && (r->effect == IR_ALLOW ? must : may) != some)
		wrong = "literal words, and not exact";
	if (literal && r->effect == IR_DENY && must != some)
		wrong = "literal words, and not sure";
	if (wrong)
		complain(w, r, wrong);
	seen.may += may && !must;
	seen.must += must && !literal;
	seen.none += !may && !literal;
	seen.literal += literal && some;
	seen.found += literal && r->set.u.command.regex && some;
	seen.not_found += literal && r->set.u.command.regex && !some;
	return !wrong;
}

static bool check_part(struct world *w)
{
	static uint8_t block[1 << 22] __attribute__((aligned(16)));
	struct line_ctx l = { .c = &w->c, .pool = { block, sizeof(block) },
			      .work = 1 << 24 };
	static struct part_match m;
	bool literal = true;
	uint32_t i;

	l.world = (struct cmd_world){ .facts = &w->facts, .cwd = "/p/x", .project = "/p" };
	if (!pool_bits(&l.pool, w->b.matcher->clauses.count, &l.may) ||
	    !pool_bits(&l.pool, w->b.matcher->clauses.count, &l.must) ||
	    !pool_bits(&l.pool, w->b.rules->rules.count, &l.seen))
		return false;
	random_part(w);
	write_values(w);
	for (i = 0; i < w->part.nwords; i++)
		literal &= sh_is_literal(w->part.words[i].w);
	part_match(&l, &w->part, &m);
	seen.parts++;
	for (i = 0; i < w->ir->rules.n; i++)
		if (!check_rule(w, &m, w->ir->rules.v[i], literal))
			return false;
	return true;
}

/* --- policies --------------------------------------------------------------------------------- */

static const char *const opaque[] = {
	"(a|b|push) \\1", "^git(?! .*a)", "(?<=\\./)a", "(?=.*:)(.)\\1*b$", "^(\\w+)(?: \\1)?$",
	"(?<!b) a b", "^(?>a|ab) ", "([ab]) .*\\1\\n?$",
};

/* A pattern that may begin to match at any word; many of them are kept apart. */
static struct ir_command floating_command(struct rnd *r)
{
	static const char *const programs[] = { "git", "a" };
	static const char *const pieces[] = { "a", "b", "push", "git", "a:b", "x/y", "pu", "ab",
					      "a:b/c", "a:b/" };
	struct ir_command c = { .text = STR("command"), .nwords = 3 };
	struct rnd_glob g = { { NULL, 0, 0 } };
	const char *p = RND_PICK(r, pieces);
	bool inside = !rnd_one_in(r, 3);

	c.words = arena_array(r->a, 5, sizeof(*c.words));
	c.words[0].glob = rnd_glob_of(r, RND_PICK(r, programs));
	if (rnd_one_in(r, 2)) {
		rnd_add(r, &g, IR_G_STAR, 0);
		c.words[0].glob = rnd_done(&g);
		g = (struct rnd_glob){ { NULL, 0, 0 } };
	}
	c.words[1].any_words = true;
	if (inside)
		rnd_add(r, &g, IR_G_STAR, 0);
	for (; *p; p++)
		rnd_add(r, &g, IR_G_BYTE, *p);
	if (inside && !rnd_one_in(r, 4))
		rnd_add(r, &g, IR_G_STAR, 0);
	c.words[2].glob = rnd_done(&g);
	if (rnd_one_in(r, 3))
		c.words[c.nwords++].glob = rnd_glob_of(r, RND_PICK(r, rnd_args));
	if (!rnd_one_in(r, 4))
		c.words[c.nwords++].any_words = true;
	return c;
}

static struct ir *random_rules(struct rnd *r)
{
	static const enum ir_effect effects[] = { IR_ALLOW, IR_ASK, IR_DENY };
	struct ir *ir = ir_new(r->a);
	/* a quarter, for certain: only their patterns are kept apart */
	bool floats = r->seed % 4 == 0;
	uint32_t n = floats ? 8 + rnd_below(r, 6) : 1 + rnd_below(r, 8), i;

	for (i = 0; i < n; i++) {
		struct ir_rule *x = ARENA_NEW(r->a, struct ir_rule);

		*x = (struct ir_rule){ .index = i, .id = str_printf(r->a, "r%u", i),
				       .text = STR("rule"), .kind = IR_COMMAND,
				       .effect = RND_PICK(r, effects),
				       .level = IR_PROJECT, .scopes = IR_ALL_SCOPES,
				       .full = true,
				       .at = { .file = STR("p.pol"), .line = i + 1,
					       .col = 1, .span = SPAN_NONE } };
		x->set.u.command = rnd_command(r, x->effect != IR_ALLOW);
		if (floats && !rnd_one_in(r, 4))
			x->set.u.command = floating_command(r);
		else if (rnd_one_in(r, 4))
			x->set.u.command = (struct ir_command){
				.regex = true, .opaque = true,
				.text = str_from(RND_PICK(r, opaque)) };
		VEC_PUSH(r->a, &ir->rules, x);
	}
	return ir;
}

static bool one_policy(struct rnd *r)
{
	struct world w = { .a = r->a, .r = r, .ir = random_rules(r), .dir = { "/p/x", NULL } };
	struct bk_output out = { .a = r->a };
	struct diag_sink sink;
	const char *why;
	int i;

	diag_init(&sink, r->a);
	pass_lift(w.ir, &sink);
	why = ir_verify(w.ir, r->a);
	if (!why && (!bk_rules.emit(w.ir, &out, &sink) ||
		     !bk_matcher.emit(w.ir, &out, &sink)))
		why = "not emitted";
	why = why ? why : bk_matcher.verify(w.ir, &out, r->a);
	if (why) {
		ir_print(stdout, w.ir);
		printf("%s\n", why);
		return false;
	}
	w.b.rules = (const void *)bk_member(&out, PB_RULES)->bytes.p;
	w.b.matcher = (const void *)bk_member(&out, PB_MATCHER)->bytes.p;
	seen.apart += w.b.matcher->needles.count;
	w.b.commands = &w.facts;
	w.c = (struct decide_ctx){ .b = &w.b, .scope = PB_SANDBOX, .cwd = "/p/x" };
	w.c.roots.dir[PB_ROOT_FS] = "/";
	w.c.roots.dir[PB_ROOT_PROJECT] = "/p";
	w.values = arena_array(r->a, MAX_VALUES, sizeof(*w.values));
	for (i = 0; i < PARTS; i++)
		if (!check_part(&w))
			return false;
	return true;
}

static bool is_met(void)
{
	return seen.may && seen.must && seen.none && seen.literal && seen.found &&
	       seen.not_found && seen.apart && seen.sampled * 50 < seen.must;
}

int main(void)
{
	unsigned long n;
	bool all;

	if (!prop_runs(ENOUGH, one_policy, &n))
		return 1;
	printf("%lu parts: may %lu, must %lu, none %lu, literal %lu; expressions found %lu, "
	       "not found %lu; %lu patterns apart; past the budget %lu\n",
	       seen.parts, seen.may, seen.must, seen.none, seen.literal, seen.found,
	       seen.not_found, seen.apart, seen.sampled);
	all = n < ENOUGH || is_met();
	printf("%d passed, %d failed, 0 skipped\n", all, !all);
	return !all;
}
