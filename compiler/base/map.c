/* A hash table with open addressing over an array in insertion order. */
#include "compiler/base/map.h"

/* Eight bytes at a time: keys may be whole lines. */
static uint64_t hash(struct str s)
{
	uint64_t h = 14695981039346656037ull ^ s.n, v;

	for (size_t i = 0; i < s.n; i += sizeof(v)) {
		v = 0;
		memcpy(&v, s.p + i, s.n - i < sizeof(v) ? s.n - i : sizeof(v));
		h = (h ^ v) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 32;
	}
	return h;
}

void map_init(struct map *m, struct arena *a)
{
	*m = (struct map){ .a = a };
}

/* The slot that holds the key, or the free slot where it belongs. */
static size_t find_slot(const struct map *m, struct str key)
{
	size_t i = (size_t)hash(key) & (m->nslots - 1);

	while (m->slots[i] && !str_eq(m->e[m->slots[i] - 1].key, key))
		i = (i + 1) & (m->nslots - 1);
	return i;
}

static void rehash(struct map *m)
{
	m->nslots = m->nslots ? m->nslots * 2 : 16;
	m->slots = arena_array(m->a, m->nslots, sizeof(*m->slots));
	for (size_t i = 0; i < m->n; i++)
		m->slots[find_slot(m, m->e[i].key)] = (uint32_t)(i + 1);
}

void *map_get(const struct map *m, struct str key)
{
	size_t i;

	if (!m->nslots)
		return NULL;
	i = find_slot(m, key);
	return m->slots[i] ? m->e[m->slots[i] - 1].value : NULL;
}

void *map_put(struct map *m, struct str key, void *value)
{
	size_t i;

	if (m->n * 2 >= m->nslots)
		rehash(m);
	i = find_slot(m, key);
	if (m->slots[i]) {
		struct map_entry *e = &m->e[m->slots[i] - 1];
		void *old = e->value;

		e->value = value;
		return old;
	}
	if (m->n == m->cap) {
		size_t cap = m->cap ? m->cap * 2 : 16;
		struct map_entry *e = arena_array(m->a, cap, sizeof(*e));

		if (m->n)
			memcpy(e, m->e, m->n * sizeof(*e));
		m->e = e;
		m->cap = cap;
	}
	m->e[m->n++] = (struct map_entry){ key, value };
	m->slots[i] = (uint32_t)m->n;
	return NULL;
}
