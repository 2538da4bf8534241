/*
 * The smallest automaton, by refining the partition of states that carry the
 * same tags until no byte tells two states of a block apart (Moore), then
 * joining the classes of bytes that no state tells apart any more.
 */
#include "compiler/sets/dfa.h"

struct parts {
	struct arena *tmp;
	const struct set_dfa *raw;
	uint32_t *block;  /* of each state */
	uint32_t *fresh;  /* of each state, in the round at hand */
	uint32_t nblocks;
	uint32_t *slots;  /* state + 1 that stands for a new block */
	size_t nslots;
};

static bool has_same_tags(const struct set_dfa *d, uint32_t x, uint32_t y)
{
	uint32_t nx = d->tag_at[x + 1] - d->tag_at[x];
	uint32_t ny = d->tag_at[y + 1] - d->tag_at[y];

	return nx == ny && (nx == 0 || memcmp(d->tags + d->tag_at[x],
					      d->tags + d->tag_at[y],
					      nx * sizeof(uint32_t)) == 0);
}

static bool is_same_block(const struct parts *p, uint32_t x, uint32_t y)
{
	const uint32_t *nx = p->raw->next + (size_t)x * p->raw->nclasses;
	const uint32_t *ny = p->raw->next + (size_t)y * p->raw->nclasses;
	uint32_t c;

	if (p->block[x] != p->block[y])
		return false;
	for (c = 0; c < p->raw->nclasses; c++)
		if (p->block[nx[c]] != p->block[ny[c]])
			return false;
	return true;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

static uint64_t hash_tags(const struct set_dfa *d, uint32_t s)
{
	uint64_t h = 1;
	uint32_t i;

	for (i = d->tag_at[s]; i < d->tag_at[s + 1]; i++)
		h = mix(h, d->tags[i] + 1);
	return h;
}

static uint64_t hash_block(const struct parts *p, uint32_t s)
{
	const uint32_t *next = p->raw->next + (size_t)s * p->raw->nclasses;
	uint64_t h = mix(3, p->block[s]);
	uint32_t c;

	for (c = 0; c < p->raw->nclasses; c++)
		h = mix(h, p->block[next[c]]);
	return h;
}

/* One round; the first one splits by tags. */
static uint32_t split(struct parts *p, bool by_tags)
{
	uint32_t s, n = 0;

	memset(p->slots, 0, p->nslots * sizeof(*p->slots));
	for (s = 0; s < p->raw->nstates; s++) {
		uint64_t h = by_tags ? hash_tags(p->raw, s) : hash_block(p, s);
		size_t k = h & (p->nslots - 1);

		for (; p->slots[k]; k = (k + 1) & (p->nslots - 1)) {
			uint32_t o = p->slots[k] - 1;

			if (by_tags ? has_same_tags(p->raw, o, s) :
				      is_same_block(p, o, s))
				break;
		}
		if (!p->slots[k]) {
			p->slots[k] = s + 1;
			p->fresh[s] = n++;
		} else {
			p->fresh[s] = p->fresh[p->slots[k] - 1];
		}
	}
	return n;
}

static void partition(struct parts *p)
{
	size_t bytes = p->raw->nstates * sizeof(uint32_t);
	uint32_t n;

	p->block = arena_alloc(p->tmp, bytes);
	p->fresh = arena_alloc(p->tmp, bytes);
	for (p->nslots = 16; p->nslots < p->raw->nstates * (size_t)2;)
		p->nslots *= 2;
	p->slots = arena_array(p->tmp, p->nslots, sizeof(*p->slots));
	n = split(p, true);
	do {
		memcpy(p->block, p->fresh, bytes);
		p->nblocks = n;
		n = split(p, false);
	} while (n != p->nblocks);
}

/* Joins classes with equal columns: the class of each old class. */
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
 * One state of each block, the dead one first, then breadth first from the
 * start; number[] is the new number of each block.
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
