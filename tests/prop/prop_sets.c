/*
 * The set engine against brute force: automata and inclusion on random
 * expressions, conditions on random trees.  SEED= and RUNS= in the environment.
 */
#include <stdio.h>

#include "compiler/sets/box.h"
#include "tests/prop/runs.h"

#define MAX_LEN 5
static const char alphabet[] = "abc";

static struct {
	unsigned long holds, witness, undecided, hold, apart, included, not_included;
} seen;

/* --- expressions, read in the plainest way ------------------------------------ */

static struct set_re *random_graph(struct rnd *r);

static struct set_re *random_re(struct rnd *r, int depth)
{
	struct set_bytes b = { { 0, 0, 0, 0 } };
	struct set_re *x;
	uint32_t k = depth > 3 ? rnd_below(r, 3) : rnd_below(r, 11);

	switch (k) {
	case 0:
		return set_eps(r->a);
	case 1:
	case 2:
	case 3:
		for (k = 0; k < 3; k++)
			if (rnd_one_in(r, 2))
				b.w[1] |= (uint64_t)1 << (alphabet[k] - 64);
		return set_class(r->a, b);
	case 4:
	case 5:
	case 6:
		x = random_re(r, depth + 1);
		return set_cat(r->a, x, random_re(r, depth + 1));
	case 7:
	case 8:
		x = random_re(r, depth + 1);
		return set_or(r->a, x, random_re(r, depth + 1));
	case 9:
		return random_graph(r);
	default:
		return set_star(r->a, random_re(r, depth + 1));
	}
}

static struct set_re *random_graph(struct rnd *r)
{
	struct set_graph_pos pos[4];
	struct set_graph g = { .pos = pos, .n = 4, .nullable = rnd_one_in(r, 3) };
	uint32_t lists[5][4], i, k;

	for (i = 0; i < 5; i++) {
		uint32_t n = rnd_below(r, 4);

		for (k = 0; k < n; k++)
			lists[i][k] = (k + i + rnd_below(r, 2)) % 4;
		if (i == 4) {
			g.first = lists[i];
			g.nfirst = n;
			break;
		}
		pos[i] = (struct set_graph_pos){ .follow = lists[i], .nfollow = n,
						 .last = rnd_one_in(r, 3) };
		pos[i].bytes.w[1] = (uint64_t)rnd_below(r, 8) << ('a' - 64);
	}
	return set_from_graph(r->a, &g);
}

static unsigned graph_ends(const struct set_graph *g, struct str w, unsigned from)
{
	unsigned to = g->nullable ? from : 0, at;
	uint64_t now, next;
	uint32_t i, k;

	for (at = 0; at < w.n; at++) {
		size_t j;

		if (!(from >> at & 1))
			continue;
		for (i = 0, now = 0; i < g->nfirst; i++)
			now |= (uint64_t)1 << g->first[i];
		for (j = at; j < w.n; j++, now = next) {
			uint8_t c = (uint8_t)w.p[j];

			for (i = 0, next = 0; i < g->n; i++) {
				const struct set_graph_pos *p = &g->pos[i];

				if (!(now >> i & 1) || !(p->bytes.w[c >> 6] >> (c & 63) & 1))
					continue;
				to |= p->last ? 1u << (j + 1) : 0;
				for (k = 0; k < p->nfollow; k++)
					next |= (uint64_t)1 << p->follow[k];
			}
		}
	}
	return to;
}

/* Bit i of the result: a member of `re` ends at i, having begun at a bit of `from`. */
static unsigned ends(const struct set_re *re, struct str w, unsigned from)
{
	unsigned to = 0, before;
	size_t i;

	switch (re->op) {
	case SET_EMPTY:
		return 0;
	case SET_EPS:
		return from;
	case SET_CLASS:
		for (i = 0; i < w.n; i++) {
			uint8_t c = (uint8_t)w.p[i];

			if ((from >> i & 1) && (re->bytes.w[c >> 6] >> (c & 63) & 1))
				to |= 1u << (i + 1);
		}
		return to;
	case SET_CAT:
		return ends(re->b, w, ends(re->a, w, from));
	case SET_OR:
		return ends(re->a, w, from) | ends(re->b, w, from);
	case SET_STAR:
		to = from;
		do {
			before = to;
			to |= ends(re->a, w, to);
		} while (to != before);
		return to;
	case SET_GRAPH:
		return graph_ends(re->graph, w, from);
	}
	return 0;
}

static bool is_in(const struct set_re *re, struct str w)
{
	return re && (ends(re, w, 1) >> w.n & 1);
}

static bool is_tagged(const struct set_tagged *t, struct str w)
{
	return is_in(t->re, w) && !is_in(t->minus, w);
}

static bool next_word(char *w, size_t *n)
{
	size_t i;

	for (i = *n; i-- > 0;) {
		if (w[i] != 'c') {
			w[i]++;
			return true;
		}
		w[i] = 'a';
	}
	w[(*n)++] = 'a';
	return *n <= MAX_LEN;
}

/* --- the laws -------------------------------------------------------------------- */

/* Only the words that are in each of the first `needed` languages have tags. */
static bool check_dfa(const struct set_dfa *d, const struct set_tagged *t, size_t n,
		      size_t needed)
{
	char w[MAX_LEN + 2] = "";
	size_t len = 0, i, count;

	do {
		struct str word = { w, len };
		const uint32_t *tags = set_dfa_run(d, word, &count);
		size_t at = 0, in = 0;

		while (in < needed && is_tagged(&t[in], word))
			in++;
		for (i = 0; i < n && in == needed; i++)
			if (is_tagged(&t[i], word) &&
			    (at >= count || tags[at++] != t[i].tag))
				return false;
		if (at != count)
			return false;
	} while (next_word(w, &len));
	return true;
}

static bool same_tags(const struct set_dfa *d, uint32_t x, uint32_t y)
{
	uint32_t nx = d->tag_at[x + 1] - d->tag_at[x];

	return nx == d->tag_at[y + 1] - d->tag_at[y] &&
	       (nx == 0 || memcmp(d->tags + d->tag_at[x], d->tags + d->tag_at[y],
				  nx * sizeof(*d->tags)) == 0);
}

/* No two states are equal: some word tells each pair apart. */
static bool is_minimal(struct rnd *r, const struct set_dfa *d)
{
	uint32_t n = d->nstates, x, y, c;
	bool *apart = arena_array(r->a, (size_t)n * n, sizeof(bool)), more = true;

	while (more) {
		more = false;
		for (x = 0; x < n; x++) {
			for (y = 0; y < n; y++) {
				bool now = !same_tags(d, x, y);

				for (c = 0; c < d->nclasses && !now; c++)
					now = apart[d->next[x * d->nclasses + c] * n +
						    d->next[y * d->nclasses + c]];
				more |= now && !apart[x * n + y];
				apart[x * n + y] |= now;
			}
		}
	}
	for (x = 0; x < n; x++)
		for (y = 0; y < x; y++)
			if (!apart[x * n + y])
				return false;
	return true;
}

/* Breaks one thing that matters and expects to hear of it. */
static bool check_broken(struct rnd *r, const struct set_dfa *d,
			 const struct set_tagged *t, size_t n)
{
	struct set_dfa bad = *d;
	struct str at = STR_NULL;
	uint32_t *tags;

	if (!d->ntags)
		return true;
	tags = arena_dup(r->a, d->tags, d->ntags * sizeof(*tags));
	tags[rnd_below(r, (uint32_t)d->ntags)] += 1000;
	bad.tags = tags;
	return set_dfa_equals(r->a, &bad, t, n, SET_DEFAULT_BUDGET, &at) == SET_WITNESS;
}

static bool check_inclusion(struct rnd *r, const struct set_tagged *t, size_t n)
{
	const struct set_re *x = random_re(r, 0);
	const struct set_re *xm = rnd_one_in(r, 2) ? random_re(r, 1) : NULL;
	struct str got = STR_NULL;
	enum set_answer a = set_included(r->a, x, xm, t, n, SET_DEFAULT_BUDGET, &got);
	char w[MAX_LEN + 2] = "";
	size_t len = 0, i;
	bool found = false;

	do {
		struct str word = { w, len };

		for (i = 0; i < n && !is_tagged(&t[i], word); i++)
			;
		found = is_in(x, word) && !is_in(xm, word) && i == n;
	} while (!found && next_word(w, &len));
	seen.undecided += a == SET_UNDECIDED;
	seen.holds += a == SET_HOLDS;
	seen.witness += a == SET_WITNESS;
	if (a != SET_WITNESS)
		return a == SET_HOLDS && !found;
	for (i = 0; i < n; i++)
		if (got.n < 32 && is_tagged(&t[i], got))
			return false;
	if (got.n < 32 && (!is_in(x, got) || is_in(xm, got)))
		return false;
	return found ? got.n == len : got.n > MAX_LEN;
}

static bool check_first(struct rnd *r, const struct set_tagged *t, size_t n)
{
	size_t work = 1000 * 1000, needed = n ? 1 + rnd_below(r, (uint32_t)n) : 0;
	struct set_dfa d;

	return set_dfa_build_of_first(r->a, t, n, needed, 10000, &work, &d) == SET_HOLDS &&
	       check_dfa(&d, t, n, needed) && is_minimal(r, &d);
}

static bool check_languages(struct rnd *r)
{
	struct set_tagged t[4];
	size_t n = rnd_below(r, 4), i;
	struct set_dfa d;
	struct str at = STR_NULL;

	for (i = 0; i < n; i++) {
		t[i].re = random_re(r, 0);
		t[i].minus = rnd_one_in(r, 2) ? random_re(r, 1) : NULL;
		t[i].tag = (uint32_t)i * 2;
	}
	if (set_dfa_build(r->a, t, n, 10000, &d) != SET_HOLDS)
		return false;
	return check_dfa(&d, t, n, 0) && is_minimal(r, &d) && check_broken(r, &d, t, n) &&
	       check_first(r, t, n) &&
	       set_dfa_equals(r->a, &d, t, n, SET_DEFAULT_BUDGET, &at) == SET_HOLDS &&
	       check_inclusion(r, t, n);
}

/* --- conditions --------------------------------------------------------- */

static struct ir_cond *random_cond(struct rnd *r, int depth)
{
	static const uint64_t masks[] = { UINT64_MAX, 1, 3, 5, 10, 12, 15, 8 };
	struct ir_cond *c = ARENA_NEW(r->a, struct ir_cond);
	uint32_t k = rnd_below(r, depth > 3 ? 1 : 5);

	c->op = IR_C_CMP;
	if (k == 1 || k == 2)
		c->op = k == 1 ? IR_C_AND : IR_C_OR;
	else if (k == 3)
		c->op = rnd_one_in(r, 3) ? IR_C_TRUE : IR_C_NOT;
	else if (k == 4)
		c->op = rnd_one_in(r, 9) ? IR_C_FALSE : IR_C_CMP;
	if (c->op == IR_C_AND || c->op == IR_C_OR || c->op == IR_C_NOT)
		c->a = random_cond(r, depth + 1);
	if (c->op == IR_C_AND || c->op == IR_C_OR)
		c->b = random_cond(r, depth + 1);
	c->arg = (uint8_t)(rnd_below(r, 2) * 3);
	c->width = rnd_one_in(r, 2) ? 32 : 64;
	c->cmp = (enum ir_cmp)rnd_below(r, 6);
	c->mask = RND_PICK(r, masks);
	c->value = rnd_below(r, 20);
	return c;
}

static bool compares(const struct ir_cond *c, uint64_t x)
{
	switch (c->cmp) {
	case IR_EQ:
		return x == c->value;
	case IR_NE:
		return x != c->value;
	case IR_LT:
		return x < c->value;
	case IR_LE:
		return x <= c->value;
	case IR_GT:
		return x > c->value;
	case IR_GE:
		return x >= c->value;
	}
	return false;
}

static bool holds(const struct ir_cond *c, const uint64_t args[6])
{
	uint64_t low = c->width == 32 ? UINT32_MAX : UINT64_MAX;

	switch (c->op) {
	case IR_C_TRUE:
		return true;
	case IR_C_FALSE:
		return false;
	case IR_C_AND:
		return holds(c->a, args) && holds(c->b, args);
	case IR_C_OR:
		return holds(c->a, args) || holds(c->b, args);
	case IR_C_NOT:
		return !holds(c->a, args);
	case IR_C_CMP:
		break;
	}
	return compares(c, args[c->arg] & c->mask & low);
}

/*
 * Values up to 63 meet every case of masks below 16 and bounds below 20, the
 * same with a bit that 32-bit compares do not see every case of both widths.
 */
static uint64_t nth_value(unsigned i)
{
	return i < 64 ? i : ((uint64_t)1 << 32) + i - 64;
}

static bool check_conditions(struct rnd *r)
{
	struct ir_cond *x = rnd_one_in(r, 8) ? NULL : random_cond(r, 0);
	struct ir_cond *y = random_cond(r, 0);
	uint64_t args[6] = { 0, 0, 0, 0, 0, 0 }, got[6];
	enum set_answer a = box_cond_included(r->a, x, y, got);
	bool counter = false;
	unsigned i;

	for (i = 0; i < 128 * 128 && !counter; i++) {
		args[0] = nth_value(i / 128);
		args[3] = nth_value(i % 128);
		counter = (!x || holds(x, args)) && !holds(y, args);
	}
	seen.included += a == SET_HOLDS;
	seen.not_included += a == SET_WITNESS;
	if (a == SET_WITNESS)
		return counter && (!x || holds(x, got)) && !holds(y, got);
	return a == SET_HOLDS && !counter;
}

static bool check_atoms(struct rnd *r)
{
	struct box_atom atoms[5];
	uint64_t args[6] = { 0, 0, 0, 0, 0, 0 }, got[6];
	size_t n = 1 + rnd_below(r, 5), i;
	bool want = false;
	unsigned v;

	for (i = 0; i < n; i++) {
		struct ir_cond *c = random_cond(r, 9);

		c->arg = 3;
		c->op = IR_C_CMP;
		atoms[i] = (struct box_atom){ c, rnd_one_in(r, 2) };
	}
	for (v = 0; v < 128 && !want; v++) {
		args[3] = nth_value(v);
		for (i = 0; i < n; i++)
			if (holds(atoms[i].cmp, args) == atoms[i].negated)
				break;
		want = i == n;
	}
	seen.hold += want;
	seen.apart += !want;
	/* the witness is the smallest value */
	return box_atoms_hold(atoms, n, got) == want && (!want || got[3] == args[3]);
}

static bool one_run(struct rnd *r)
{
	return check_languages(r) && check_conditions(r) && check_atoms(r);
}

int main(void)
{
	unsigned long n;

	if (!prop_runs(3000, one_run, &n))
		return 1;
	printf("inclusion: %lu hold, %lu witnesses, %lu undecided\n", seen.holds,
	       seen.witness, seen.undecided);
	printf("conditions: %lu included, %lu not; atoms: %lu hold, %lu cannot\n",
	       seen.included, seen.not_included, seen.hold, seen.apart);
	if (n >= 1000 && (!seen.holds || !seen.witness || !seen.hold || !seen.apart ||
			  !seen.included || !seen.not_included)) {
		printf("FAIL: one answer never came\n");
		return 1;
	}
	printf("1 passed, 0 failed, 0 skipped\n");
	return 0;
}
