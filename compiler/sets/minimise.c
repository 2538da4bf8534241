/*
 * Finds the smallest automaton.  States with the same tags start in one block.  A block
 * is split while a byte leads from one part of it, but not from the rest, into some
 * block (Hopcroft: only the smaller half must be looked at again, so long chains stay
 * cheap).  Then classes of bytes that no state distinguishes are joined.
 */
#include "compiler/sets/minimise.h"

struct parts {
	struct arena *tmp;
	const struct set_dfa *raw;
	uint32_t *block;  /* the block of each state */
	uint32_t nblocks;
	uint32_t *elems;  /* the states, block by block */
	uint32_t *place;  /* the place of each state in elems */
	uint32_t *first, *past, *marked; /* for each block: range in elems, marks */
	uint32_t *work;   /* blocks by which others must still be split */
	size_t nwork;
	uint32_t *in_at, *in; /* the states that lead to a state: by class, then state */
};

static bool has_same_tags(const struct set_dfa *d, uint32_t x, uint32_t y)
{
	uint32_t nx = d->tag_at[x + 1] - d->tag_at[x];
	uint32_t ny = d->tag_at[y + 1] - d->tag_at[y];

	return nx == ny && (nx == 0 || memcmp(d->tags + d->tag_at[x],
					      d->tags + d->tag_at[y],
					      nx * sizeof(uint32_t)) == 0);
}

static uint64_t hash_tags(const struct set_dfa *d, uint32_t s)
{
	uint64_t h = 1;
	uint32_t i;

	for (i = d->tag_at[s]; i < d->tag_at[s + 1]; i++) {
		h = (h ^ (d->tags[i] + 1)) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return h;
}

/* Starts with one block for each set of tags. */
static void split_by_tags(struct parts *p)
{
	uint32_t *slots, s;
	size_t nslots = 16, k;

	while (nslots < p->raw->nstates * (size_t)2)
		nslots *= 2;
	slots = arena_array(p->tmp, nslots, sizeof(*slots));
	for (s = 0; s < p->raw->nstates; s++) {
		k = hash_tags(p->raw, s) & (nslots - 1);
		while (slots[k] && !has_same_tags(p->raw, slots[k] - 1, s))
			k = (k + 1) & (nslots - 1);
		if (!slots[k]) {
			slots[k] = s + 1;
			p->block[s] = p->nblocks++;
		} else {
			p->block[s] = p->block[slots[k] - 1];
		}
		p->past[p->block[s]]++;
	}
}

/* Puts the states of each block next to each other in elems. */
static void lay_out(struct parts *p)
{
	uint32_t b, s, at = 0;

	for (b = 0; b < p->nblocks; b++) {
		p->first[b] = at;
		at += p->past[b];
		p->past[b] = p->first[b];
		p->work[p->nwork++] = b;
	}
	for (s = 0; s < p->raw->nstates; s++) {
		p->place[s] = p->past[p->block[s]]++;
		p->elems[p->place[s]] = s;
	}
}

/* Lists, for each class, the states that lead to each state. */
static void invert(struct parts *p)
{
	uint32_t n = p->raw->nstates, k = p->raw->nclasses, s, c;
	size_t i, sum = 0;
	uint32_t *fill;

	p->in_at = arena_array(p->tmp, (size_t)n * k + 1, sizeof(*p->in_at));
	p->in = arena_array(p->tmp, (size_t)n * k + 1, sizeof(*p->in));
	fill = arena_array(p->tmp, (size_t)n * k + 1, sizeof(*fill));
	for (s = 0; s < n; s++)
		for (c = 0; c < k; c++)
			fill[(size_t)c * n + p->raw->next[(size_t)s * k + c]]++;
	for (i = 0; i < (size_t)n * k; i++) {
		p->in_at[i] = (uint32_t)sum;
		sum += fill[i];
		fill[i] = p->in_at[i];
	}
	p->in_at[i] = (uint32_t)sum;
	for (s = 0; s < n; s++)
		for (c = 0; c < k; c++)
			p->in[fill[(size_t)c * n +
				   p->raw->next[(size_t)s * k + c]]++] = s;
}

/* Moves the state to the front part of its block, where the marked states are. */
static void mark(struct parts *p, uint32_t s, uint32_t *touched, size_t *ntouched)
{
	uint32_t b = p->block[s], to = p->first[b] + p->marked[b], other;

	if (p->place[s] < to)
		return;
	other = p->elems[to];
	p->elems[p->place[s]] = other;
	p->place[other] = p->place[s];
	p->elems[to] = s;
	p->place[s] = to;
	if (!p->marked[b]++)
		touched[(*ntouched)++] = b;
}

static void split_block(struct parts *p, uint32_t b)
{
	uint32_t n = p->marked[b], all = p->past[b] - p->first[b], new, i;

	p->marked[b] = 0;
	if (n == all)
		return;
	new = p->nblocks++;
	/* the smaller part becomes the new block */
	if (n <= all - n) {
		p->first[new] = p->first[b];
		p->past[new] = p->first[b] += n;
	} else {
		p->past[new] = p->past[b];
		p->first[new] = p->past[b] = p->first[b] + n;
	}
	for (i = p->first[new]; i < p->past[new]; i++)
		p->block[p->elems[i]] = new;
	p->work[p->nwork++] = new;
}

static void refine(struct parts *p)
{
	uint32_t n = p->raw->nstates, c, i, k;
	uint32_t *own = arena_array(p->tmp, n, sizeof(*own));
	uint32_t *touched = arena_array(p->tmp, n, sizeof(*touched));

	while (p->nwork) {
		uint32_t b = p->work[--p->nwork];
		uint32_t size = p->past[b] - p->first[b];

		/* copy it: the block may itself be split while it splits others */
		memcpy(own, p->elems + p->first[b], size * sizeof(*own));
		for (c = 0; c < p->raw->nclasses; c++) {
			size_t ntouched = 0, t;

			for (i = 0; i < size; i++) {
				size_t at = (size_t)c * n + own[i];

				for (k = p->in_at[at]; k < p->in_at[at + 1]; k++)
					mark(p, p->in[k], touched, &ntouched);
			}
			for (t = 0; t < ntouched; t++)
				split_block(p, touched[t]);
		}
	}
}

static void partition(struct parts *p)
{
	uint32_t n = p->raw->nstates;

	p->block = arena_array(p->tmp, n, sizeof(uint32_t));
	p->elems = arena_array(p->tmp, n, sizeof(uint32_t));
	p->place = arena_array(p->tmp, n, sizeof(uint32_t));
	p->first = arena_array(p->tmp, n, sizeof(uint32_t));
	p->past = arena_array(p->tmp, n, sizeof(uint32_t));
	p->marked = arena_array(p->tmp, n, sizeof(uint32_t));
	p->work = arena_array(p->tmp, n + 1, sizeof(uint32_t));
	split_by_tags(p);
	lay_out(p);
	invert(p);
	refine(p);
}

/* Joins classes with equal columns; gives the new class of each old one. */
static uint32_t join_classes(const struct parts *p, const uint32_t *order,
			     uint32_t n, uint32_t *ret_class)
{
	const struct set_dfa *raw = p->raw;
	uint32_t c, o, k, count = 0;

	for (c = 0; c < raw->nclasses; c++) {
		for (o = 0; o < c; o++) {
			for (k = 0; k < n; k++) {
				const uint32_t *row = raw->next +
					(size_t)order[k] * raw->nclasses;

				if (p->block[row[o]] != p->block[row[c]])
					break;
			}
			if (k == n)
				break;
		}
		ret_class[c] = o < c ? ret_class[o] : count++;
	}
	return count;
}

/*
 * Lists one state of each block: the dead one first, then breadth first from the start.
 * number[] is the new number of each block.
 */
static uint32_t walk(const struct parts *p, uint32_t *order, uint32_t *number)
{
	const struct set_dfa *raw = p->raw;
	uint32_t n = 0, k, c, b;

	for (b = 0; b < p->nblocks; b++)
		number[b] = UINT32_MAX;
	order[n] = 0;
	number[p->block[0]] = n++;
	if (number[p->block[raw->start]] == UINT32_MAX) {
		order[n] = raw->start;
		number[p->block[raw->start]] = n++;
	}
	for (k = 0; k < n; k++) {
		const uint32_t *row = raw->next + (size_t)order[k] * raw->nclasses;

		for (c = 0; c < raw->nclasses; c++) {
			b = p->block[row[c]];
			if (number[b] != UINT32_MAX)
				continue;
			order[n] = row[c];
			number[b] = n++;
		}
	}
	return n;
}

static void copy_tags(struct arena *a, const struct set_dfa *raw,
		      const uint32_t *order, struct set_dfa *ret)
{
	uint32_t k, n;
	size_t at = 0;

	ret->tag_at = arena_array(a, ret->nstates + 1, sizeof(uint32_t));
	for (k = 0; k < ret->nstates; k++)
		at += raw->tag_at[order[k] + 1] - raw->tag_at[order[k]];
	ret->tags = arena_array(a, at + 1, sizeof(uint32_t));
	ret->ntags = at;
	for (k = 0, at = 0; k < ret->nstates; k++) {
		n = raw->tag_at[order[k] + 1] - raw->tag_at[order[k]];
		if (n)
			memcpy(ret->tags + at, raw->tags + raw->tag_at[order[k]],
			       n * sizeof(uint32_t));
		at += n;
		ret->tag_at[k + 1] = (uint32_t)at;
	}
}

void set_dfa_minimise(struct arena *a, struct arena *tmp, const struct set_dfa *raw,
		      struct set_dfa *ret)
{
	struct parts p = { .tmp = tmp, .raw = raw };
	uint32_t cls[256], *order, *number, k, c;
	struct set_dfa d = { .nstates = 0 };

	partition(&p);
	order = arena_array(tmp, p.nblocks, sizeof(*order));
	number = arena_array(tmp, p.nblocks, sizeof(*number));
	d.nstates = walk(&p, order, number);
	d.start = number[p.block[raw->start]];
	d.nclasses = join_classes(&p, order, d.nstates, cls);
	for (c = 0; c < 256; c++)
		d.cls[c] = (uint8_t)cls[raw->cls[c]];
	d.next = arena_array(a, (size_t)d.nstates * d.nclasses, sizeof(uint32_t));
	for (k = 0; k < d.nstates; k++) {
		const uint32_t *row = raw->next + (size_t)order[k] * raw->nclasses;

		for (c = 0; c < raw->nclasses; c++)
			d.next[(size_t)k * d.nclasses + cls[c]] =
				number[p.block[row[c]]];
	}
	copy_tags(a, raw, order, &d);
	*ret = d;
}
