/*
 * Turns expressions into position automata: which positions begin, end and follow, and
 * which bytes no language distinguishes.
 */
#include <stdlib.h>

#include "compiler/sets/nfa.h"

struct ends {
	uint32_t *first, *last;
	size_t nfirst, nlast;
	bool nullable;
};

void nfa_init(struct nfa *n, struct arena *a)
{
	*n = (struct nfa){ .a = a };
}

static uint32_t *joined(struct arena *a, const uint32_t *x, size_t nx,
			const uint32_t *y, size_t ny)
{
	uint32_t *v = arena_array(a, nx + ny + 1, sizeof(*v));

	if (nx)
		memcpy(v, x, nx * sizeof(*v));
	if (ny)
		memcpy(v + nx, y, ny * sizeof(*v));
	return v;
}

static void connect(struct nfa *n, const uint32_t *from, size_t nfrom,
		    const uint32_t *to, size_t nto)
{
	size_t i, k;

	for (i = 0; i < nfrom; i++)
		for (k = 0; k < nto; k++)
			VEC_PUSH(n->a, &n->pos.v[from[i]].follow, to[k]);
}

static uint32_t new_pos(struct nfa *n, bool minus)
{
	struct nfa_pos p = { .lang = n->nlangs, .minus = minus };

	VEC_PUSH(n->a, &n->pos, p);
	return (uint32_t)(n->pos.n - 1);
}

static struct ends walk(struct nfa *n, const struct set_re *re, bool minus);

static struct ends walk_cat(struct nfa *n, const struct set_re *re, bool minus)
{
	struct ends x = walk(n, re->a, minus), y = walk(n, re->b, minus), e;

	connect(n, x.last, x.nlast, y.first, y.nfirst);
	e = (struct ends){ .first = x.first, .nfirst = x.nfirst, .last = y.last,
			   .nlast = y.nlast, .nullable = x.nullable && y.nullable };
	if (x.nullable) {
		e.first = joined(n->a, x.first, x.nfirst, y.first, y.nfirst);
		e.nfirst = x.nfirst + y.nfirst;
	}
	if (y.nullable) {
		e.last = joined(n->a, x.last, x.nlast, y.last, y.nlast);
		e.nlast = x.nlast + y.nlast;
	}
	return e;
}

static struct ends walk_or(struct nfa *n, const struct set_re *re, bool minus)
{
	struct ends x = walk(n, re->a, minus), y = walk(n, re->b, minus);

	return (struct ends){
		.first = joined(n->a, x.first, x.nfirst, y.first, y.nfirst),
		.nfirst = x.nfirst + y.nfirst,
		.last = joined(n->a, x.last, x.nlast, y.last, y.nlast),
		.nlast = x.nlast + y.nlast,
		.nullable = x.nullable || y.nullable,
	};
}

static void shift(uint32_t *v, size_t n, uint32_t by)
{
	size_t i;

	for (i = 0; i < n; i++)
		v[i] += by;
}

static struct ends walk_graph(struct nfa *n, const struct set_graph *g, bool minus)
{
	uint32_t base = (uint32_t)n->pos.n, i, p;
	struct ends e = { .nullable = g->nullable, .nfirst = g->nfirst };

	e.first = joined(n->a, g->first, g->nfirst, NULL, 0);
	shift(e.first, e.nfirst, base);
	e.last = arena_array(n->a, g->n + 1, sizeof(*e.last));
	for (i = 0; i < g->n; i++) {
		const struct set_graph_pos *from = &g->pos[i];
		struct nfa_pos *to;

		p = new_pos(n, minus);
		to = &n->pos.v[p];
		to->bytes = from->bytes;
		to->follow.v = joined(n->a, from->follow, from->nfollow, NULL, 0);
		to->follow.n = from->nfollow;
		to->follow.cap = from->nfollow + 1;
		shift(to->follow.v, to->follow.n, base);
		if (from->last)
			e.last[e.nlast++] = p;
	}
	return e;
}

static struct ends walk(struct nfa *n, const struct set_re *re, bool minus)
{
	struct ends e = { .nullable = false };
	uint32_t p;

	switch (re->op) {
	case SET_EMPTY:
		break;
	case SET_EPS:
		e.nullable = true;
		break;
	case SET_CLASS:
		p = new_pos(n, minus);
		n->pos.v[p].bytes = re->bytes;
		e.first = e.last = joined(n->a, &p, 1, NULL, 0);
		e.nfirst = e.nlast = 1;
		break;
	case SET_CAT:
		return walk_cat(n, re, minus);
	case SET_OR:
		return walk_or(n, re, minus);
	case SET_STAR:
		e = walk(n, re->a, minus);
		connect(n, e.last, e.nlast, e.first, e.nfirst);
		e.nullable = true;
		break;
	case SET_GRAPH:
		return walk_graph(n, re->graph, minus);
	}
	return e;
}

static void add_part(struct nfa *n, const struct set_re *re, bool minus)
{
	uint32_t start = new_pos(n, minus);
	struct ends e = walk(n, re, minus);
	size_t i;

	connect(n, &start, 1, e.first, e.nfirst);
	n->pos.v[start].last = e.nullable;
	for (i = 0; i < e.nlast; i++)
		n->pos.v[e.last[i]].last = true;
	VEC_PUSH(n->a, &n->starts, start);
}

void nfa_add(struct nfa *n, const struct set_re *re, const struct set_re *minus)
{
	add_part(n, re, false);
	if (minus && minus->op != SET_EMPTY)
		add_part(n, minus, true);
	n->nlangs++;
}

/* --- byte classes ------------------------------------------------------ */

unsigned nfa_readable(uint8_t c)
{
	if (c >= 'a' && c <= 'z')
		return 4;
	if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'))
		return 3;
	if (c > ' ' && c < 127)
		return 2;
	return c == ' ';
}

/* Splits every class into the bytes in the set and the others. */
static void refine(struct nfa *n, const struct set_bytes *set)
{
	int in[256], out[256];
	uint32_t next = 0, c;

	for (c = 0; c < 256; c++)
		in[c] = out[c] = -1;
	for (c = 0; c < 256; c++) {
		int *to = set_bytes_has(set, c) ? &in[n->cls[c]] : &out[n->cls[c]];

		if (*to < 0)
			*to = (int)next++;
		n->cls[c] = (uint8_t)*to;
	}
	n->ncls = next;
}

/*
 * Gives each of these bytes a class of its own; classes are numbered by their first
 * byte.
 */
static void take_out(struct nfa *n, const bool alone[256])
{
	int number[512];
	uint32_t next = 0, c;

	for (c = 0; c < 512; c++)
		number[c] = -1;
	for (c = 0; c < 256; c++) {
		uint32_t from = alone[c] ? 256 + c : n->cls[c];

		if (number[from] < 0)
			number[from] = (int)next++;
		n->cls[c] = (uint8_t)number[from];
	}
	n->ncls = next;
}

static bool is_same(const struct set_bytes *x, const struct set_bytes *y)
{
	return memcmp(x, y, sizeof(*x)) == 0;
}

/* The byte, if the set has just one; else -1. */
static int single(const struct set_bytes *b)
{
	int c = -1;

	for (int w = 0; w < 4; w++) {
		if (!b->w[w])
			continue;
		if (c >= 0 || (b->w[w] & (b->w[w] - 1)))
			return -1;
		c = w * 64 + __builtin_ctzll(b->w[w]);
	}
	return c;
}

static void find_classes(struct nfa *n)
{
	VEC(struct set_bytes) seen = { NULL, 0, 0 };
	bool alone[256] = { false };
	size_t i, k;
	uint32_t c;

	n->ncls = 1;
	for (i = 0; i < n->pos.n; i++) {
		const struct set_bytes *b = &n->pos.v[i].bytes;
		int one = single(b);

		/*
		 * most positions read one byte: these bytes get their classes at the
		 * end
		 */
		if (one >= 0) {
			alone[one] = true;
			continue;
		}
		for (k = 0; k < seen.n; k++)
			if (is_same(&seen.v[k], b))
				break;
		if (k < seen.n)
			continue;
		refine(n, b);
		VEC_PUSH(n->a, &seen, *b);
	}
	take_out(n, alone);
	for (c = 256; c-- > 0;) {
		uint32_t k2 = n->cls[c];

		/* the lowest of the most readable bytes of the class */
		if (nfa_readable((uint8_t)c) >= nfa_readable(n->rep[k2]) ||
		    n->cls[n->rep[k2]] != k2)
			n->rep[k2] = (uint8_t)c;
	}
}

static int cmp_u32(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

static void seal_pos(const struct nfa *n, struct nfa_pos *p)
{
	struct set_bytes classes = { { 0, 0, 0, 0 } };
	size_t i, o = 0;
	uint32_t c;

	/* a set has all bytes of a class or none */
	for (c = 0; c < n->ncls; c++)
		if (set_bytes_has(&p->bytes, n->rep[c]))
			set_bytes_add(&classes, c, c);
	p->bytes = classes;
	if (p->follow.n)
		qsort(p->follow.v, p->follow.n, sizeof(uint32_t), cmp_u32);
	for (i = 0; i < p->follow.n; i++)
		if (!o || p->follow.v[o - 1] != p->follow.v[i])
			p->follow.v[o++] = p->follow.v[i];
	p->follow.n = o;
}

#define WHOLE_ROUNDS 8 /* a longer search is given up, and then no position is whole */

static bool is_covered(const struct nfa *n, const struct nfa_pos *p,
		       const struct set_bytes *all)
{
	struct set_bytes has = { { 0, 0, 0, 0 } };
	uint64_t open = 0;
	size_t i, w;

	for (i = 0; i < p->follow.n; i++)
		for (w = 0; n->is_whole[p->follow.v[i]] && w < 4; w++)
			has.w[w] |= n->pos.v[p->follow.v[i]].bytes.w[w];
	for (w = 0; w < 4; w++)
		open |= all->w[w] & ~has.w[w];
	return !open;
}

static struct set_bytes bytes_of(const struct nfa *n, size_t lo, size_t hi)
{
	struct set_bytes all = { { 0, 0, 0, 0 } };

	for (size_t i = lo; i < hi; i++)
		for (size_t w = 0; w < 4; w++)
			all.w[w] |= n->pos.v[i].bytes.w[w];
	return all;
}

/* Finds, among the positions from `lo` to `hi` of one part, those that end a member
 * and lead to each other by each of these bytes. */
static void find_whole(struct nfa *n, size_t lo, size_t hi, const struct set_bytes *all,
		       uint32_t *ret)
{
	bool changed = true;
	size_t i, round;

	for (i = lo; i < hi; i++)
		n->is_whole[i] = n->pos.v[i].last;
	for (round = 0; changed && round < WHOLE_ROUNDS; round++) {
		changed = false;
		for (i = lo; i < hi; i++) {
			if (!n->is_whole[i] || is_covered(n, &n->pos.v[i], all))
				continue;
			n->is_whole[i] = false;
			changed = true;
		}
	}
	*ret = NFA_NONE;
	for (i = hi; i-- > lo;) {
		n->is_whole[i] &= !changed;
		if (n->is_whole[i])
			*ret = (uint32_t)i;
	}
}

static void find_all_whole(struct nfa *n)
{
	size_t lo, mid, hi;

	n->whole = arena_array(n->a, n->nlangs + 1, sizeof(*n->whole));
	n->is_whole = arena_array(n->a, n->pos.n + 1, sizeof(*n->is_whole));
	for (lo = 0; lo < n->pos.n; lo = hi) {
		uint32_t lang = n->pos.v[lo].lang, minus;
		struct set_bytes all;

		for (mid = lo; mid < n->pos.n && n->pos.v[mid].lang == lang &&
			       !n->pos.v[mid].minus;)
			mid++;
		for (hi = mid; hi < n->pos.n && n->pos.v[hi].lang == lang; hi++)
			;
		all = bytes_of(n, lo, mid);
		n->whole[lang] = NFA_NONE;
		if (mid == hi)
			find_whole(n, lo, mid, &all, &n->whole[lang]);
		else
			find_whole(n, mid, hi, &all, &minus);
	}
}

void nfa_seal(struct nfa *n)
{
	size_t i;

	find_classes(n);
	for (i = 0; i < n->pos.n; i++)
		seal_pos(n, &n->pos.v[i]);
	find_all_whole(n);
}

bool nfa_accepts(const struct nfa *n, const uint32_t *set, size_t count,
		 uint32_t lang)
{
	bool in = false;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct nfa_pos *p = &n->pos.v[set[i]];

		if (p->lang != lang || !p->last)
			continue;
		if (p->minus)
			return false;
		in = true;
	}
	return in;
}
