/* Checks matcher.bin: the automata, and the rules that are their tags. */
#include "runtime/bundle/check.h"

#define MAX_AUTOMATA 1024u

static const void *at(const struct check *c, uint32_t off)
{
	return c->data + off;
}

static int check_shape(const struct check *c, const struct pb_automaton *a)
{
	bool rooted = a->kind == PB_FILE || a->kind == PB_UNIX;

	if (a->kind != PB_TOOL && a->kind != PB_RISK && !rooted)
		return check_bad(c, "an automaton has an unknown kind");
	if (a->root >= PB_ROOT_COUNT || (a->root != 0 && !rooted))
		return check_bad(c, "an automaton has an unknown root");
	if (a->abstract > 1 || (a->abstract && (a->kind != PB_UNIX || a->root != 0)))
		return check_bad(c,
				 "an automaton over abstract names is no such thing");
	if (a->except > (a->kind == PB_FILE ? 7u : 1u) || a->zero)
		return check_bad(c, "an automaton has an unknown flag");
	return 0;
}

static int check_tags(const struct check *c, const struct pb_automaton *a,
		      const struct pb_rules *rules)
{
	const struct pb_rule *r =
		(const void *)((const uint8_t *)rules + rules->rules.off);
	const uint32_t *tags = at(c, a->tags);
	uint32_t hides = 0;

	for (uint32_t i = 0; i < a->ntags; i++) {
		if (tags[i] >= rules->rules.count || r[tags[i]].kind != a->kind)
			return check_bad(c, "a tag names no rule of its kind");
		hides |= a->kind == PB_FILE &&
			 (r[tags[i]].effect == PB_HIDE ||
			  (r[tags[i]].effect == PB_DENY && (r[tags[i]].ops & PB_READ)));
	}
	if (a->hides != hides)
		return check_bad(c, "an automaton is wrong about what its rules hide");
	return 0;
}

/* --- commands -------------------------------------------------------------------- */

#define MAX_CLAUSES (4u * PB_MAX_RULES)

static int check_automata(struct check *c, struct pb_table t, uint32_t ntags,
			  const char *what)
{
	const struct pb_automaton *v;

	CHECK_TRY(check_table(c, t, sizeof(*v), MAX_CLAUSES, what));
	v = at(c, t.off);
	for (uint32_t i = 0; i < t.count; i++) {
		const uint32_t *tags;

		if (v[i].kind != PB_COMMAND || v[i].root || v[i].abstract ||
		    v[i].except || v[i].zero || v[i].hides)
			return check_bad(c, "an automaton of commands has flags");
		CHECK_TRY(check_automaton(c, v + i));
		tags = at(c, v[i].tags);
		for (uint32_t k = 0; k < v[i].ntags; k++)
			if (tags[k] >= ntags)
				return check_bad(c, "a tag names no clause");
	}
	return 0;
}

/* A clause's rule is a command rule or a risk fact; exceptions follow their own
 * clause. */
static int check_clauses(const struct check *c, const struct pb_matcher *h,
			 const struct pb_rules *rules)
{
	const struct pb_rule *r =
		(const void *)((const uint8_t *)rules + rules->rules.off);
	const struct pb_clause *v = at(c, h->clauses.off);

	for (uint32_t i = 0; i < h->clauses.count; i++) {
		if (v[i].except > 1 || v[i].broad > 1 || v[i].regex > 1 ||
		    v[i].sure > v[i].broad)
			return check_bad(c, "a clause has unknown flags");
		if (v[i].rule != PB_NO_RULE &&
		    (v[i].rule >= rules->rules.count ||
		     (r[v[i].rule].kind != PB_COMMAND && r[v[i].rule].kind != PB_RISK)))
			return check_bad(c, "a clause names no rule of commands");
		if (v[i].except && (i == 0 || v[i - 1].rule != v[i].rule))
			return check_bad(c, "an exception follows no clause");
		if (v[i].nguards > h->guards.count ||
		    v[i].guard > h->guards.count - v[i].nguards)
			return check_bad(c, "a guard leaves its table");
	}
	return 0;
}

static bool is_words(const struct pb_matcher *h, uint32_t words)
{
	return words == PB_NO_WORDS || words < h->words.count;
}

static int check_guards(struct check *c, const struct pb_matcher *h)
{
	const struct pb_guard *g = at(c, h->guards.off);
	const struct pb_guard_option *o = at(c, h->guard_options.off);
	const struct pb_guard_path *p = at(c, h->guard_paths.off);

	for (uint32_t i = 0; i < h->guards.count; i++) {
		uint32_t all = g[i].kind == PB_G_WITHIN ? h->guard_paths.count :
							  h->guard_options.count;

		if (g[i].kind > PB_G_WITHIN || g[i].zero)
			return check_bad(c, "a guard is of an unknown kind");
		if (g[i].count > all || g[i].first > all - g[i].count)
			return check_bad(c, "a guard's list leaves its table");
	}
	for (uint32_t i = 0; i < h->guard_options.count; i++) {
		CHECK_TRY(check_string(c, o[i].name, "an option's name"));
		if (!is_words(h, o[i].names) || !is_words(h, o[i].values))
			return check_bad(c, "an option names no automaton");
	}
	for (uint32_t i = 0; i < h->guard_paths.count; i++)
		if ((p[i].root & ~PB_PATH_WHOLE_ROOT) >= PB_ROOT_COUNT || p[i].words >= h->words.count)
			return check_bad(c, "a path of a guard is none");
	return 0;
}

static int check_names(struct check *c, const struct pb_matcher *h)
{
	const struct pb_name *v = at(c, h->names.off);
	const uint32_t *slots = at(c, h->slots.off);
	uint32_t n = h->commands.count, used = 0;

	if (h->names.count < PB_NAME_FIRST)
		return check_bad(c, "the first names are missing");
	for (uint32_t i = 0; i < h->names.count; i++) {
		CHECK_TRY(check_string(c, v[i].name, "a program's name"));
		if (v[i].nnarrow > n || v[i].narrow > n - v[i].nnarrow ||
		    v[i].nbroad > n || v[i].broad > n - v[i].nbroad ||
		    v[i].narrow_rare > v[i].nnarrow || v[i].broad_rare > v[i].nbroad)
			return check_bad(c, "a name's automata leave the table");
	}
	if (!h->slots.count || (h->slots.count & (h->slots.count - 1)))
		return check_bad(c, "the slots of names are no power of two");
	for (uint32_t i = 0; i < h->slots.count; i++) {
		if (slots[i] >= h->names.count || slots[i] == PB_NAME_REGEX)
			return check_bad(c, "a slot names nothing");
		used += slots[i] != 0;
	}
	/* a search ends at a free slot */
	if (used == h->slots.count)
		return check_bad(c, "no slot is free");
	return 0;
}

/* --- needles ---------------------------------------------------------------------- */

static int check_needle(struct check *c, const struct pb_matcher *h, uint32_t number,
			uint32_t automaton)
{
	const struct pb_needle *e = at(c, h->needles.off);

	const struct pb_automaton *a = at(c, h->commands.off);

	if (number >= h->needles.count || e[number].automaton != automaton)
		return check_bad(c, "an automaton has no needle");
	if (e[number].flags > (PB_NF_WORD | PB_NF_TEXT) || a[automaton].ntags != 1)
		return check_bad(c, "a needle has unknown flags");
	return 0;
}

/* Each automaton that is not always asked has one needle; needles are in the order of the
 * automata. */
static int check_rare(struct check *c, const struct pb_matcher *h)
{
	const struct pb_name *v = at(c, h->names.off);
	uint32_t n = 0, k;

	for (uint32_t i = 0; i < h->names.count; i++) {
		for (k = v[i].nnarrow - v[i].narrow_rare; k < v[i].nnarrow; k++)
			CHECK_TRY(check_needle(c, h, n++, v[i].narrow + k));
		for (k = v[i].nbroad - v[i].broad_rare; k < v[i].nbroad; k++)
			CHECK_TRY(check_needle(c, h, n++, v[i].broad + k));
	}
	if (n != h->needles.count)
		return check_bad(c, "a needle belongs to no automaton");
	return 0;
}

static int check_text(struct check *c, const struct pb_needle *e, uint32_t *ret_size)
{
	CHECK_TRY(check_string(c, e->text, "a needle"));
	*ret_size = e->text.len < PB_GRAM ? e->text.len : PB_GRAM;
	if (!e->text.len || e->text.len > PB_MAX_NEEDLE ||
	    e->gram > e->text.len - *ret_size)
		return check_bad(c, "a needle is none");
	return 0;
}

/* The needles of one slot have its bytes, and none occurs twice. */
static int check_gram(struct check *c, const struct pb_matcher *h, const struct pb_gram *g)
{
	const struct pb_needle *e = at(c, h->needles.off);
	const uint32_t *order = at(c, h->needle_order.off);
	uint32_t size;

	if (!g->count || g->count > h->needles.count ||
	    g->first > h->needles.count - g->count)
		return check_bad(c, "a slot of needles leaves their table");
	for (uint32_t i = g->first; i < g->first + g->count; i++) {
		if (order[i] >= h->needles.count || (i > g->first && order[i] <= order[i - 1]))
			return check_bad(c, "a slot of needles is not sorted");
		CHECK_TRY(check_text(c, &e[order[i]], &size));
		if (pb_gram_of(at(c, e[order[i]].text.off + e[order[i]].gram), size) !=
			    g->bytes ||
		    !(h->gram_sizes >> (size - 1) & 1))
			return check_bad(c, "a needle is not found by its bytes");
	}
	return 0;
}

/* Every needle can be found: the slots' bytes differ, and together they have all
 * needles. */
static int check_grams(struct check *c, const struct pb_matcher *h)
{
	const struct pb_gram *v = at(c, h->grams.off);
	uint32_t mask = h->grams.count - 1, free = 0, k;
	uint64_t found = 0, steps = 0;

	if (h->needle_order.count != h->needles.count || h->gram_sizes >> PB_GRAM)
		return check_bad(c, "needles and their order differ");
	if (!h->needles.count)
		return h->grams.count || h->gram_sizes ?
			       check_bad(c, "there are no needles") : 0;
	if (h->grams.count & mask || !h->grams.count)
		return check_bad(c, "the slots of needles are no power of two");
	for (uint32_t i = 0; i < h->grams.count; i++)
		free += !v[i].bytes;
	if (!free)
		return check_bad(c, "no slot of needles is free");
	for (uint32_t i = 0; i < h->grams.count; i++) {
		if (!v[i].bytes)
			continue;
		for (k = pb_gram_hash(v[i].bytes) & mask; v[k].bytes && v[k].bytes != v[i].bytes;
		     k = (k + 1) & mask)
			steps++;
		if (k != i || steps > 8 * (uint64_t)h->grams.count)
			return check_bad(c, "a slot of needles is not found");
		CHECK_TRY(check_gram(c, h, &v[i]));
		found += v[i].count;
	}
	if (found != h->needles.count)
		return check_bad(c, "a needle has no slot");
	return 0;
}

static int check_commands(struct check *c, const struct pb_matcher *h,
			  const struct pb_rules *rules)
{
	const struct pb_automaton *a;
	const struct pb_regex *r;
	uint32_t largest = 0;

	CHECK_TRY(check_table(c, h->clauses, sizeof(struct pb_clause), MAX_CLAUSES,
			      "clauses"));
	CHECK_TRY(check_table(c, h->names, sizeof(struct pb_name), MAX_CLAUSES, "names"));
	CHECK_TRY(check_table(c, h->slots, 4, 4 * MAX_CLAUSES, "slots"));
	CHECK_TRY(check_table(c, h->guards, sizeof(struct pb_guard), MAX_CLAUSES,
			      "guards"));
	CHECK_TRY(check_table(c, h->guard_options, sizeof(struct pb_guard_option),
			      MAX_CLAUSES, "options"));
	CHECK_TRY(check_table(c, h->guard_paths, sizeof(struct pb_guard_path),
			      MAX_CLAUSES, "paths"));
	CHECK_TRY(check_table(c, h->regexes, sizeof(*r), MAX_CLAUSES, "expressions"));
	CHECK_TRY(check_table(c, h->needles, sizeof(struct pb_needle), MAX_CLAUSES,
			      "needles"));
	CHECK_TRY(check_table(c, h->needle_order, 4, MAX_CLAUSES, "needles in order"));
	CHECK_TRY(check_table(c, h->grams, sizeof(struct pb_gram), 16 * MAX_CLAUSES,
			      "slots of needles"));
	CHECK_TRY(check_automata(c, h->commands, h->clauses.count, "automata"));
	CHECK_TRY(check_automata(c, h->words, 1, "automata of words"));
	CHECK_TRY(check_clauses(c, h, rules));
	CHECK_TRY(check_guards(c, h));
	CHECK_TRY(check_names(c, h));
	CHECK_TRY(check_rare(c, h));
	CHECK_TRY(check_grams(c, h));
	a = at(c, h->commands.off);
	for (uint32_t i = 0; i < h->commands.count; i++)
		if (a[i].nstates > largest)
			largest = a[i].nstates;
	/* a decision's memory grows with this number */
	if (h->max_states != largest)
		return check_bad(c, "the largest automaton is none");
	r = at(c, h->regexes.off);
	for (uint32_t i = 0; i < h->regexes.count; i++) {
		CHECK_TRY(check_string(c, r[i].text, "a regular expression"));
		if (r[i].clause >= h->clauses.count || r[i].flags > 3)
			return check_bad(c, "a regular expression has no clause");
		if (i && r[i - 1].clause >= r[i].clause)
			return check_bad(c, "the regular expressions are not sorted");
	}
	return 0;
}

int bundle_check_matcher(const void *data, size_t size, const struct pb_rules *rules,
			 struct rt_err *err)
{
	struct check c = { .data = data, .size = size, .member = PB_MATCHER, .err = err };
	const struct pb_matcher *h = data;
	const struct pb_automaton *v;

	CHECK_TRY(check_head(&c, PB_MAGIC_MATCHER, sizeof(*h)));
	CHECK_TRY(check_table(&c, h->automata, sizeof(*v), MAX_AUTOMATA, "automata"));
	v = at(&c, h->automata.off);
	for (uint32_t i = 0; i < h->automata.count; i++) {
		CHECK_TRY(check_shape(&c, v + i));
		CHECK_TRY(check_automaton(&c, v + i));
		CHECK_TRY(check_tags(&c, v + i, rules));
	}
	return check_commands(&c, h, rules);
}
