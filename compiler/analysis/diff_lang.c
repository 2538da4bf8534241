/*
 * Commands, tools, paths: one automaton divides the set of a changed rule into regions
 * whose words meet the same rules of both policies.  Each region is asked once, with
 * one of its shortest words.
 */
#include "compiler/analysis/diff_lang.h"

#include "compiler/analysis/diff_job.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_question.h"
#include "compiler/analysis/diff_spell.h"
#include "compiler/analysis/diff_where.h"
#include "compiler/analysis/diff_witness.h"

/* Limits for the states of one automaton, and of all together. */
#define MAX_STATES 65536
#define MAX_SPENT ((size_t)4 * 1000 * 1000)
/* Limits for the work on one automaton (half a second), and on all that became too large:
 * when that is used up, only small ones are built, and nothing is tried where one is not. */
#define MAX_WORK ((size_t)64 * 1000 * 1000)
#define MAX_FAILED ((size_t)32 * 1000 * 1000)
#define SMALL_STATES 2048
#define SMALL_WORK ((size_t)128 * 1000)
/* How often a region is tried again if its first words name no request. */
#define MAX_TRIES 8
/* How many trees we search for a path of a rule that is too large for an automaton. */
#define MAX_TREES 64


/* --- which rules may meet ------------------------------------------------ */

static bool may_meet(const struct diff_job *j, const struct diff_item *it,
		     const struct diff_item *other)
{
	if (j->frame == DIFF_SYMBOLIC)
		return !diff_question_is_settled(j->d, it, other) &&
		       diff_question_counts(j->d, it, other);
	return diff_word_may_meet(it, other) &&
	       (j->frame != DIFF_RELATIVE || diff_word_same_root(it, other));
}

static void select_items(struct diff_job *j, struct diff_item *it)
{
	struct diff *d = j->d;
	size_t i;

	j->sel = arena_array(j->tmp, d->items[it->kind].n + 1, sizeof(*j->sel));
	j->sel[j->n++] = it;
	if (d->symbols && d->symbols->letting)
		j->sel[j->n++] = (struct diff_item *)(uintptr_t)d->symbols->letting;
	for (i = 0; i < d->items[it->kind].n; i++) {
		struct diff_item *other = d->items[it->kind].v[i];

		if (j->bases && !diff_base_may_match(j->bases, other))
			continue;
		if (other != it && (!d->symbols || other != d->symbols->letting) &&
		    may_meet(j, it, other))
			j->sel[j->n++] = other;
	}
	for (i = 0; i < j->n; i++)
		diff_word_search(d, j->sel[i]);
}

/* The exceptions that apply to some requests only also divide. */
static size_t add_parts(struct diff_job *j, uint32_t item, struct set_tagged *langs, size_t n)
{
	size_t count = diff_word_nexcept(j->sel[item]), i;

	for (i = 0; i < count; i++) {
		struct set_re *part =
			diff_word_partial(j->d, j->tmp, j->sel[item], i, j->frame);

		if (!part || part->op == SET_EMPTY)
			continue;
		j->part[n - j->n] = (struct diff_part){ item, i };
		langs[n++].re = part;
	}
	return n;
}

/* Words of the changed rule that belong to no question, or to another one; NULL: none. */
static struct set_re *outside_of(const struct diff_job *j)
{
	struct diff *d = j->d;
	struct diff_item *it = j->sel[0];
	struct set_re **v;
	size_t i, n = 0;

	if (j->bases)
		return diff_base_outside(j->tmp, j->bases);
	if (j->frame != DIFF_SYMBOLIC)
		return NULL;
	v = arena_array(j->tmp, d->items[it->kind].n + 1, sizeof(struct set_re *));
	for (i = 0; i < d->items[it->kind].n; i++) {
		const struct diff_item *by = d->items[it->kind].v[i];
		const struct ir_path *p = ir_set_path(it->kind, diff_set(by));

		if (!p->abstract && diff_question_is_settled(d, it, by))
			v[n++] = diff_symbol_path(d, j->tmp, p);
	}
	return set_or_all(j->tmp, v, n);
}

static bool has_failed(const struct diff *d)
{
	return d->failed > MAX_FAILED;
}

static enum set_answer build(struct diff_job *j)
{
	struct set_re *outside = outside_of(j);
	struct set_tagged *langs;
	bool small = has_failed(j->d);
	size_t limit = small ? SMALL_WORK : MAX_WORK, left = limit;
	enum set_answer got;
	size_t i, most = j->n, n = j->n;
	/* with a rule that lets through only words of both rules belong to the question */
	size_t needed = j->d->symbols && j->d->symbols->letting ? 2 : 1;

	if (j->d->spent > MAX_SPENT)
		return SET_UNDECIDED;
	for (i = 0; i < j->n; i++)
		most += diff_word_nexcept(j->sel[i]);
	langs = arena_array(j->tmp, most + 1, sizeof(*langs));
	j->part = arena_array(j->tmp, most - j->n + 1, sizeof(*j->part));
	for (i = 0; i < j->n; i++) {
		langs[i] = i ? diff_word_language(j->d, j->tmp, j->sel[i], j->frame) :
			       diff_word_requests_of(j->d, j->tmp, j->sel[0], j->frame,
						     outside);
		n = add_parts(j, (uint32_t)i, langs, n);
	}
	for (i = 0; i < n; i++)
		langs[i].tag = (uint32_t)i;
	got = set_dfa_build_of_first(j->tmp, langs, n, needed, small ? SMALL_STATES : MAX_STATES,
				     &left, &j->dfa);
	j->d->spent += got == SET_HOLDS ? j->dfa.nstates : small ? SMALL_STATES : MAX_STATES;
	j->d->failed += got == SET_HOLDS ? 0 : limit - left;
	return got;
}

/* --- all regions --------------------------------------------------------- */

struct region {
	enum diff_cond open;
	unsigned tries;
};

static void judge(struct diff_job *j, struct map *regions, const struct diff_step *from,
		  uint32_t state)
{
	struct diff_region tags = { j->dfa.tags + j->dfa.tag_at[state],
				    j->dfa.tag_at[state + 1] - j->dfa.tag_at[state] };
	struct str key = { (const char *)tags.tags, tags.n * sizeof(*tags.tags) };
	struct region *r;

	if (!tags.n || tags.tags[0] != 0)
		return;
	/* other requests belong to another question */
	if (j->d->symbols && j->d->symbols->letting && (tags.n < 2 || tags.tags[1] != 1))
		return;
	r = map_get(regions, key);
	if (!r) {
		r = ARENA_NEW(j->tmp, struct region);
		map_put(regions, key, r);
		r->open = diff_region_alike(j, tags) ? DIFF_COND_ALIKE : DIFF_COND_UNKNOWN;
	}
	if (r->open == DIFF_COND_ALIKE || j->frame == DIFF_RELATIVE || r->tries++ >= MAX_TRIES)
		return;
	r->open = diff_region_ask(
		j, diff_witness_spell(j->tmp, from, j->dfa.start, state), tags);
}

static enum diff_cond worst(const struct map *regions)
{
	enum diff_cond ret = DIFF_COND_ALIKE;
	size_t i;

	for (i = 0; i < regions->n; i++)
		ret = diff_cond_worse(ret, ((const struct region *)regions->e[i].value)->open);
	return ret;
}

/* Breadth first: the first word that reaches a state is a shortest one. */
DIFF_MUST_READ static enum diff_cond walk(struct diff_job *j)
{
	const struct set_dfa *f = &j->dfa;
	uint32_t *queue = arena_array(j->tmp, f->nstates + 1, sizeof(*queue));
	struct diff_step *from = arena_array(j->tmp, f->nstates + 1, sizeof(*from));
	uint8_t order[256], bytes[256];
	uint32_t head = 0, tail = 0, i;
	struct map regions;

	map_init(&regions, j->tmp);
	diff_witness_order(f, order, bytes);
	from[f->start].seen = true;
	queue[tail++] = f->start;
	while (head < tail) {
		uint32_t s = queue[head++];

		judge(j, &regions, from, s);
		for (i = 0; i < f->nclasses; i++) {
			uint32_t to = f->next[s * f->nclasses + order[i]];

			if (!to || from[to].seen)
				continue;
			from[to] = (struct diff_step){ s, bytes[order[i]], true };
			queue[tail++] = to;
		}
	}
	return worst(&regions);
}

/*
 * Used when too many rules meet for one automaton: tries a shortest word, and one
 * (`longer`) that meets no other rule, which takes long to find.  Whatever they show, the
 * question stays open.
 */
static void sample(struct diff_job *j, bool longer)
{
	struct set_re *outside = outside_of(j);
	struct set_tagged x =
		diff_word_requests_of(j->d, j->tmp, j->sel[0], j->frame, outside);
	struct set_tagged *ys = arena_array(j->tmp, j->n, sizeof(*ys));
	struct ir_request reqs[DIFF_WITNESS_REQUESTS];
	struct str words[2];
	size_t i, k, n = 0;

	if (j->frame == DIFF_RELATIVE)
		return;
	for (i = 1; longer && i < j->n; i++)
		ys[i - 1] =
			diff_word_language(j->d, j->tmp, j->sel[i], j->frame);
	if (set_member(j->tmp, x.re, x.minus, SET_DEFAULT_BUDGET, &words[n]) ==
	    SET_WITNESS)
		n++;
	if (longer && set_included(j->tmp, x.re, x.minus, ys, j->n - 1, SET_DEFAULT_BUDGET,
				   &words[n]) == SET_WITNESS)
		n++;
	for (i = 0; i < n; i++) {
		size_t count =
			diff_witness_requests(j->d, j->tmp, j->sel[0], words[i], reqs);

		for (k = 0; k < count; k++) {
			if (reqs[k].kind == IR_FILE)
				reqs[k].op =
					(enum ir_op)(diff_region_operations(j) & -diff_region_operations(j));
			(void)diff_ask(j->d, NULL, &reqs[k], diff_scopes(j->sel[0]),
				       j->tmp, j->told);
		}
	}
}

/*
 * Tries a path below each tree that another rule opens: a shortest word of an any-depth
 * pattern would lie where everything is denied anyway.
 */
static void sample_trees(struct diff_job *j)
{
	struct diff_item *it = j->sel[0];
	struct set_tagged x = diff_word_requests_of(j->d, j->tmp, it, j->frame, NULL);
	struct str word, lead;
	size_t i, tried = 0;

	if (it->kind != IR_FILE || j->frame == DIFF_RELATIVE ||
	    set_member(j->tmp, x.re, x.minus, SET_DEFAULT_BUDGET, &word) != SET_WITNESS)
		return;
	for (i = 1; i < j->n && tried < MAX_TREES; i++) {
		const struct ir_rule *r = diff_rule(j->sel[i]);
		struct ir_request req = diff_request(j->d, IR_FILE);
		unsigned op;

		lead = j->sel[i]->lead;
		if (r->effect >= IR_DENY || !lead.n)
			continue;
		req.path = str_cat(j->tmp, lead, word);
		if (!diff_word_matches_path(it, &req))
			continue;
		tried++;
		for (op = IR_READ; op <= IR_EXEC; op <<= 1) {
			req.op = (enum ir_op)op;
			if (diff_region_operations(j) & op)
				(void)diff_ask(j->d, NULL, &req, diff_scopes(it), j->tmp,
					       j->told);
		}
	}
}

/*
 * The searches of many regular expressions may need too large an automaton.  Then what
 * they find counts as unknown: for the rules that have not changed, or for all but the
 * rule itself.
 */
static enum set_answer build_simply(struct diff_job *j)
{
	enum set_answer got = build(j);
	int all;
	size_t i;

	for (all = 0; all < 2 && got != SET_HOLDS; all++) {
		bool fewer = false;

		for (i = 1; i < j->n; i++)
			if (all || !j->sel[i]->changed)
				fewer |= diff_word_hide_search(j->d, j->sel[i]);
		if (fewer)
			got = build(j);
	}
	return got;
}

static void show_searches(struct diff_job *j)
{
	size_t i;

	for (i = 0; i < j->n; i++)
		diff_word_show_search(j->sel[i]);
}

/* What is not known about a rule, after its regions have been asked. */
struct open {
	enum diff_cond cond;
	bool conditions; /* guards are the reason */
	bool large;      /* an automaton was too large */
};

static struct open run_part(struct diff *d, struct diff_item *it, enum diff_frame frame,
			    const struct diff_bases *bases, struct diff_told *told)
{
	struct open open = { .cond = DIFF_COND_UNKNOWN };
	struct diff_job j = { .d = d, .frame = frame, .bases = bases, .told = told };
	struct arena tmp;
	bool failed = has_failed(d); /* the first that is too large is still tried at places */

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	j.tmp = &tmp;
	select_items(&j, it);
	j.small = diff_small_of(d, &tmp, j.sel, j.n);
	if (build_simply(&j) == SET_HOLDS) {
		open.cond = walk(&j);
		open.conditions = j.conditions;
	} else {
		open.large = true;
		sample(&j, !failed);
		if (!failed)
			sample_trees(&j);
	}
	show_searches(&j);
	arena_release(&tmp);
	return open;
}

DIFF_MUST_READ static struct open run(struct diff *d, struct diff_item *it,
				      enum diff_frame frame, struct diff_told *told)
{
	struct open all = { .cond = DIFF_COND_ALIKE }, one;
	struct diff_bases *bases;
	struct arena a;
	size_t n, i;

	if (it->kind != IR_COMMAND)
		return run_part(d, it, frame, NULL, told);
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	n = diff_base_divide(d, &a, it, &bases);
	for (i = 0; i < n && !diff_told_enough(it, told); i++) {
		one = run_part(d, it, frame, &bases[i], told);
		all.cond = diff_cond_worse(all.cond, one.cond);
		all.conditions |= one.conditions;
		all.large |= one.large;
	}
	arena_release(&a);
	return all;
}

/*
 * Does the change have no effect wherever the roots are?  Another arrangement of the
 * roots might show what this one does not.  So there is no effect only if in every
 * region the rules below the same root act alike.
 */
DIFF_MUST_READ static bool is_none_anywhere(struct diff *d, struct diff_item *it)
{
	struct diff_told told = { 0 };

	return !diff_word_is_vague(it) &&
	       run(d, it, DIFF_RELATIVE, &told).cond == DIFF_COND_ALIKE;
}

/* --- one changed rule ------------------------------------------------------------------ */

static const char *why_files(const struct diff_told *told)
{
	return told->changes ? "where the roots are now it does not widen; elsewhere it may" :
			       "where the roots are now nothing differs; elsewhere it may";
}

/* First without the rules that seldom matter: if they do, the whole policies say so. */
DIFF_MUST_READ static enum diff_cond answer(struct diff *d, struct diff_item *it,
					    struct diff_symbols *question)
{
	enum diff_cond open = DIFF_COND_UNKNOWN;
	int all;

	for (all = 0; all < 2 && open != DIFF_COND_ALIKE && !d->ret->findings.n; all++) {
		struct diff_told told = { .of = it };

		question->all = all;
		d->symbols = question;
		open = run(d, it, DIFF_SYMBOLIC, &told).cond;
		/* a rule that was left out decided: other words of its region may be open */
		if (told.unconfirmed)
			open = DIFF_COND_UNKNOWN;
	}
	return open;
}

/*
 * For a proof: is no request against the rule, wherever the roots are?  One that is, with
 * roots elsewhere, is told as such.
 */
DIFF_MUST_READ static enum diff_looked prove_anywhere(struct diff *d, struct diff_item *it)
{
	struct diff_result own = { .findings = { NULL, 0, 0 } };
	enum diff_cond open = DIFF_COND_ALIKE;
	struct diff_symbols *questions;
	struct diff any = *d;
	size_t n, i;

	if (!diff_questions(d, it, &questions, &n))
		return DIFF_IN_PART;
	any.ret = &own;
	map_init(&any.seen, d->a);
	for (i = 0; i < n && !own.findings.n; i++)
		open = diff_cond_worse(open, answer(&any, it, &questions[i]));
	d->spent = any.spent;
	d->failed = any.failed;
	if (own.findings.n)
		VEC_PUSH(d->a, &d->ret->elsewhere, own.findings.v[0]);
	return open == DIFF_COND_ALIKE ? DIFF_WHOLLY : DIFF_IN_PART;
}

static void settle_proof(struct diff *d, struct diff_item *it)
{
	struct diff_told told = { .of = it };
	size_t before = d->ret->elsewhere.n;
	enum diff_looked here = run(d, it, DIFF_ABSOLUTE, &told).cond == DIFF_COND_ALIKE ?
					DIFF_WHOLLY : DIFF_IN_PART;
	enum diff_looked anywhere = told.changes ? DIFF_IN_PART : prove_anywhere(d, it);

	/* if it is false elsewhere, it is enough that it is true where the roots are */
	if (d->ret->elsewhere.n > before)
		anywhere = here;
	diff_settled(d, it, &told, anywhere,
		     here == DIFF_WHOLLY ? why_files(&told) :
					   "not every request that it matches could be looked at");
}

static void settle_path(struct diff *d, struct diff_item *it)
{
	struct diff_told told = { .of = it };
	bool whole = run(d, it, DIFF_ABSOLUTE, &told).cond == DIFF_COND_ALIKE;
	const char *why = whole ? why_files(&told) :
				  "not every request that it matches could be looked at";
	enum diff_looked looked = DIFF_IN_PART;

	if (!diff_told_enough(it, &told) && is_none_anywhere(d, it))
		looked = DIFF_WHOLLY;
	else if (!diff_told_enough(it, &told))
		diff_where_ask(d, it, &told);
	diff_settled(d, it, &told, looked, why);
}

/* Only one policy decides by a rule: is what is not known settled by other lines? */
static bool is_spelled(struct diff *d, struct diff_item *it, struct diff_told *told)
{
	if ((!told->named[0] && !told->named[1]) || diff_told_enough(it, told))
		return true;
	if (d->in_set_only)
		return it->kind != IR_COMMAND || diff_spell_shell(d, it, told);
	if (diff_spell_ask(d, it, told))
		return true;
	/* it only narrows, and a difference tells that */
	return !told->named[0] && told->changes;
}

/* Only one policy allows an interpreter: is it settled by lines with code? */
static bool is_coded(struct diff *d, struct diff_item *it, struct diff_told *told)
{
	if (d->in_set_only || (!told->code[0] && !told->code[1]) ||
	    diff_told_enough(it, told) || diff_spell_code(d, it, told))
		return true;
	return !told->code[0] && told->changes;
}

static void settle_words(struct diff *d, struct diff_item *it)
{
	struct diff_told told = { .of = it };
	struct open open = run(d, it, DIFF_WORDS, &told);
	/* it stays undecided: no line can tell more than that, and they take long */
	bool spelled = open.large || is_spelled(d, it, &told);
	bool coded = open.large || is_coded(d, it, &told);
	enum diff_looked looked = DIFF_IN_PART;
	const char *why = NULL;

	if (open.cond == DIFF_COND_NARROWS && told.changes)
		open.cond = DIFF_COND_ALIKE;
	/* each of the reasons below may be about what widens */
	told.narrows_only = open.cond != DIFF_COND_UNKNOWN && !told.unconfirmed &&
			    (spelled || !told.named[0]) && (coded || !told.code[0]);
	if (open.cond != DIFF_COND_ALIKE && open.conditions)
		why = "options, paths or a regular expression decide it, too: other lines "
		      "may differ";
	else if (open.cond != DIFF_COND_ALIKE)
		why = "not every request that it matches could be looked at";
	else if (told.unconfirmed && it->kind == IR_COMMAND)
		/* a word of the line that was tried names a file: another line might
		   give another answer */
		why = "what rules say of files decided about the lines that were tried: "
		      "other lines may differ";
	else if (!spelled && d->in_set_only)
		why = "only a default decides about it: in the code of a shell that a rule allows "
		      "it may pass";
	else if (!spelled)
		why = "only one policy decides these lines by this rule: lines that spell a "
		      "denied command or name a hidden path may differ";
	else if (!coded)
		why = "only one policy allows a program whose code nobody sees: lines with code "
		      "may differ";
	else
		looked = DIFF_WHOLLY;
	diff_settled(d, it, &told, looked, why);
}

void diff_languages(struct diff *d, enum ir_kind kind)
{
	size_t i;

	for (i = 0; i < d->items[kind].n; i++)
		diff_word_prepare(d, d->items[kind].v[i]);
	for (i = 0; i < d->items[kind].n; i++) {
		struct diff_item *it = d->items[kind].v[i];

		if (!it->changed)
			continue;
		if (diff_word_frame(it) == DIFF_ABSOLUTE && d->in_set_only)
			settle_proof(d, it);
		else if (diff_word_frame(it) == DIFF_ABSOLUTE)
			settle_path(d, it);
		else
			settle_words(d, it);
	}
}
