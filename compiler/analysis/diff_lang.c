/*
 * Commands, tools, paths: one automaton divides the set of a changed rule into regions
 * whose words meet the same rules of both policies.  Each region is asked once, with
 * one of its shortest words.
 */
#include "compiler/analysis/diff_lang.h"

#include "compiler/analysis/diff_ask.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/analysis/diff_word.h"

/* Limits for the states of one automaton, and of all together. */
#define MAX_STATES 65536
#define MAX_SPENT ((size_t)4 * 1000 * 1000)
/* How often a region is tried again if its first words name no request. */
#define MAX_TRIES 8
/* How many trees we search for a path of a rule that is too large for an automaton. */
#define MAX_TREES 64

struct job {
	struct diff *d;
	struct arena *tmp;
	struct diff_item **sel; /* sel[0] is the changed item; the others may meet it */
	size_t n;
	enum diff_frame frame;
	struct diff_small small;
	struct set_dfa dfa;
	struct diff_told *told;
};

/* --- which rules may meet ------------------------------------------------ */

static void select_items(struct job *j, struct diff_item *it)
{
	struct diff *d = j->d;
	size_t i;

	j->sel = arena_array(j->tmp, d->items[it->kind].n + 1, sizeof(*j->sel));
	j->sel[j->n++] = it;
	for (i = 0; i < d->items[it->kind].n; i++) {
		struct diff_item *other = d->items[it->kind].v[i];

		if (other != it && diff_word_may_meet(it, other) &&
		    (j->frame != DIFF_RELATIVE || diff_word_same_root(it, other)))
			j->sel[j->n++] = other;
	}
}

static enum set_answer build(struct job *j)
{
	struct set_tagged *langs = arena_array(j->tmp, 2 * j->n + 1, sizeof(*langs));
	enum set_answer got;
	size_t i, n = j->n;

	if (j->d->spent > MAX_SPENT)
		return SET_UNDECIDED;
	for (i = 0; i < j->n; i++) {
		struct set_re *part =
			diff_word_partial(j->d, j->tmp, j->sel[i], j->frame);

		langs[i] =
			diff_word_language(j->d, j->tmp, j->sel[i], j->frame, i == 0);
		/* an exception that applies to some operations only also divides */
		if (part->op != SET_EMPTY)
			langs[n++].re = part;
	}
	for (i = 0; i < n; i++)
		langs[i].tag = (uint32_t)i;
	got = set_dfa_build(j->tmp, langs, n, MAX_STATES, &j->dfa);
	j->d->spent += got == SET_HOLDS ? j->dfa.nstates : MAX_STATES;
	return got;
}

/* --- one region ---------------------------------------------------------- */

static unsigned operations(const struct job *j)
{
	const struct ir_rule *r = diff_rule(j->sel[0]);
	size_t i;

	if (!r || r->kind != IR_FILE)
		return IR_READ; /* one round is enough */
	/*
	 * a scratch rule does not apply where a tree of the host is shown, whatever the
	 * operation
	 */
	for (i = 1; i < j->n && ir_rule_shows_host(r); i++)
		if (diff_rule(j->sel[i])->scratch)
			return IR_ALL_OPS;
	return r->set.u.file.ops;
}

/* Is the command, with the places that it has here, in the region? */
static bool is_command_of_region(const struct job *j, const struct ir_request *req,
				 const uint32_t *tags, size_t ntags)
{
	size_t n;
	const uint32_t *own = set_dfa_run(&j->dfa, diff_word_of_command(j->d, j->tmp, req), &n);

	return n == ntags && (!n || memcmp(own, tags, n * sizeof(*tags)) == 0);
}

/* Does the request meet the rules that the region names, whatever the operation? */
static bool is_of_region(const struct job *j, const struct ir_request *req,
			 const uint32_t *tags, size_t ntags)
{
	size_t i, k = 0;

	if (req->kind == IR_COMMAND)
		return is_command_of_region(j, req, tags, ntags);
	for (i = 0; i < j->n; i++) {
		struct ir_request q = *req;
		bool want;

		while (k < ntags && tags[k] < i)
			k++;
		want = k < ntags && tags[k] == i;
		if (q.kind == IR_FILE) {
			/* partial exceptions have tags of their own */
			if (want != diff_word_matches_path(j->sel[i], &q))
				return false;
		} else if (want != diff_matches(j->sel[i], &q)) {
			return false;
		}
	}
	return true;
}

static bool ask_region(struct job *j, struct str word, const uint32_t *tags,
		       size_t ntags)
{
	struct ir_request reqs[DIFF_WORD_REQUESTS];
	size_t i, n = diff_word_requests(j->d, j->tmp, j->sel[0], word, reqs);
	unsigned ops = operations(j), op;

	for (i = 0; i < n; i++) {
		if (!is_of_region(j, &reqs[i], tags, ntags))
			continue;
		for (op = IR_READ; op <= IR_EXEC; op <<= 1) {
			if (!(ops & op))
				continue;
			if (reqs[i].kind == IR_FILE)
				reqs[i].op = (enum ir_op)op;
			(void)diff_ask(j->d, &j->small, &reqs[i],
				       diff_scopes(j->sel[0]), j->tmp, j->told);
		}
		return true;
	}
	return false;
}

/* Are all tags those of items?  Only items act; false if an exception has a tag. */
static bool items_only(const struct job *j, const uint32_t *tags, size_t n)
{
	return n == 0 || tags[n - 1] < j->n;
}

/*
 * Do both sides act alike?  In the relative frame, exceptions under other roots cannot
 * be seen.
 */
static bool acts_alike(struct job *j, const uint32_t *tags, size_t n)
{
	uint32_t *kept = arena_array(j->tmp, n + 1, sizeof(*kept));
	size_t i, o = 0;

	if (j->d->context_differs[j->sel[0]->kind] || !items_only(j, tags, n))
		return false;
	for (i = 0; i < n; i++) {
		const struct diff_item *it = j->sel[tags[i]];

		if (j->frame == DIFF_RELATIVE && diff_word_is_vague(it)) {
			if (it->changed)
				return false;
			continue; /* the item is in both policies, or in neither */
		}
		kept[o++] = tags[i];
	}
	return diff_acts_alike(j->sel, kept, o, j->tmp);
}

/* --- all regions --------------------------------------------------------- */

struct region {
	bool decided;
	unsigned tries;
};

static void judge(struct job *j, struct map *regions, const struct diff_step *from,
		  uint32_t state)
{
	const uint32_t *tags = j->dfa.tags + j->dfa.tag_at[state];
	size_t n = j->dfa.tag_at[state + 1] - j->dfa.tag_at[state];
	struct str key = { (const char *)tags, n * sizeof(*tags) };
	struct region *r;

	if (!n || tags[0] != 0)
		return;
	r = map_get(regions, key);
	if (!r) {
		r = ARENA_NEW(j->tmp, struct region);
		map_put(regions, key, r);
		r->decided = acts_alike(j, tags, n);
	}
	if (r->decided || j->frame == DIFF_RELATIVE || r->tries++ >= MAX_TRIES)
		return;
	r->decided = ask_region(j, diff_word_spell(j->tmp, from, j->dfa.start, state),
				tags, n);
}

static bool all_decided(const struct map *regions)
{
	size_t i;

	for (i = 0; i < regions->n; i++)
		if (!((const struct region *)regions->e[i].value)->decided)
			return false;
	return true;
}

/* Breadth first: the first word that reaches a state is a shortest one. */
DIFF_MUST_READ static enum diff_looked walk(struct job *j)
{
	const struct set_dfa *f = &j->dfa;
	uint32_t *queue = arena_array(j->tmp, f->nstates + 1, sizeof(*queue));
	struct diff_step *from = arena_array(j->tmp, f->nstates + 1, sizeof(*from));
	uint8_t order[256], bytes[256];
	uint32_t head = 0, tail = 0, i;
	struct map regions;

	map_init(&regions, j->tmp);
	diff_word_order(f, order, bytes);
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
	return all_decided(&regions) ? DIFF_WHOLLY : DIFF_IN_PART;
}

/*
 * Used when too many rules meet for one automaton: tries a shortest word, and a word
 * that meets no other rule.  Whatever they show, the question stays open.
 */
static void sample(struct job *j)
{
	struct set_tagged x =
		diff_word_language(j->d, j->tmp, j->sel[0], j->frame, true);
	struct set_tagged *ys = arena_array(j->tmp, j->n, sizeof(*ys));
	struct ir_request reqs[DIFF_WORD_REQUESTS];
	struct str words[2];
	size_t i, k, n = 0;

	if (j->frame == DIFF_RELATIVE)
		return;
	for (i = 1; i < j->n; i++)
		ys[i - 1] =
			diff_word_language(j->d, j->tmp, j->sel[i], j->frame, false);
	if (set_member(j->tmp, x.re, x.minus, SET_DEFAULT_BUDGET, &words[n]) ==
	    SET_WITNESS)
		n++;
	if (set_included(j->tmp, x.re, x.minus, ys, j->n - 1, SET_DEFAULT_BUDGET,
			 &words[n]) == SET_WITNESS)
		n++;
	for (i = 0; i < n; i++) {
		size_t count =
			diff_word_requests(j->d, j->tmp, j->sel[0], words[i], reqs);

		for (k = 0; k < count; k++) {
			if (reqs[k].kind == IR_FILE)
				reqs[k].op =
					(enum ir_op)(operations(j) & -operations(j));
			(void)diff_ask(j->d, NULL, &reqs[k], diff_scopes(j->sel[0]),
				       j->tmp, j->told);
		}
	}
}

/*
 * Tries a path below each tree that another rule opens: a shortest word of an any-depth
 * pattern would lie where everything is denied anyway.
 */
static void sample_trees(struct job *j)
{
	struct diff_item *it = j->sel[0];
	struct set_tagged x = diff_word_language(j->d, j->tmp, it, j->frame, true);
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
			if (operations(j) & op)
				(void)diff_ask(j->d, NULL, &req, diff_scopes(it), j->tmp,
					       j->told);
		}
	}
}

DIFF_MUST_READ static enum diff_looked run(struct diff *d, struct arena *tmp,
					   struct diff_item *it, enum diff_frame frame,
					   struct diff_told *told)
{
	struct job j = { .d = d, .tmp = tmp, .frame = frame, .told = told };

	select_items(&j, it);
	j.small = diff_small_of(d, tmp, j.sel, j.n);
	if (build(&j) == SET_HOLDS)
		return walk(&j);
	sample(&j);
	sample_trees(&j);
	return DIFF_IN_PART;
}

/*
 * Does the change have no effect wherever the roots are?  Another arrangement of the
 * roots might show what this one does not.  So there is no effect only if in every
 * region the rules below the same root act alike.
 */
DIFF_MUST_READ static bool is_none_anywhere(struct diff *d, struct diff_item *it)
{
	struct diff_told told = { 0 };
	enum diff_looked looked;
	struct arena tmp;

	if (diff_word_is_vague(it))
		return false;
	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	looked = run(d, &tmp, it, DIFF_RELATIVE, &told);
	arena_release(&tmp);
	return looked == DIFF_WHOLLY;
}

/* Does the item, or another one that may meet it, depend on more than words? */
static bool is_loose_near(const struct diff *d, const struct diff_item *it)
{
	if (it->kind != IR_COMMAND)
		return false;
	for (size_t i = 0; i < d->items[IR_COMMAND].n; i++) {
		const struct diff_item *x = d->items[IR_COMMAND].v[i];

		if (diff_word_is_loose(x) && (x == it || diff_word_may_meet(x, it)))
			return true;
	}
	return false;
}

/* Is there a rule because of which the words of an allowed command are looked at? */
static bool are_words_judged(const struct diff *d)
{
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < d->ir[s]->rules.n; i++) {
			const struct ir_rule *r = d->ir[s]->rules.v[i];

			if ((r->kind == IR_COMMAND && r->effect == IR_DENY) ||
			    (r->kind == IR_FILE && r->effect >= IR_DENY))
				return true;
		}
	return false;
}

static void settle(struct diff *d, struct diff_item *it)
{
	enum diff_frame frame = diff_word_frame(it);
	struct diff_told told = { 0 };
	enum diff_looked looked;
	const char *why;
	struct arena tmp;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	looked = run(d, &tmp, it, frame, &told);
	arena_release(&tmp);
	if (looked != DIFF_WHOLLY)
		why = "not every request that it matches could be looked at";
	else if (is_loose_near(d, it))
		why = "options, paths or a regular expression decide it, too: other lines "
		      "may differ";
	else if (frame == DIFF_ABSOLUTE && told.changes)
		why = "where the roots are now it does not widen; elsewhere it may";
	else
		why = "where the roots are now nothing differs; elsewhere it may";
	if (frame == DIFF_ABSOLUTE || is_loose_near(d, it))
		looked = DIFF_IN_PART;
	if (looked != DIFF_WHOLLY && frame == DIFF_ABSOLUTE &&
	    !(told.widening || (told.changes && !diff_may_widen(it))) &&
	    is_none_anywhere(d, it))
		looked = DIFF_WHOLLY;
	/*
	 * a word of the line that was tried names a file: another line might give
	 * another answer
	 */
	if (it->kind == IR_COMMAND && told.unconfirmed && looked == DIFF_WHOLLY) {
		looked = DIFF_IN_PART;
		why = "what rules say of files decided about the lines that were tried: "
		      "other lines may differ";
	}
	if (told.allowed_otherwise && looked == DIFF_WHOLLY && are_words_judged(d)) {
		looked = DIFF_IN_PART;
		why = "only one policy allows these lines by this rule: the other may ask, "
		      "if their words spell a denied command or name a hidden path";
	}
	diff_settled(d, it, &told, looked, why);
}

void diff_languages(struct diff *d, enum ir_kind kind)
{
	size_t i;

	for (i = 0; i < d->items[kind].n; i++)
		diff_word_prepare(d, d->items[kind].v[i]);
	for (i = 0; i < d->items[kind].n; i++)
		if (d->items[kind].v[i]->changed)
			settle(d, d->items[kind].v[i]);
}
