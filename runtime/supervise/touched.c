/* The set of what a traced run has asked for. */
#include "runtime/supervise/touched.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 2 * TOUCHED_MAX }; /* a power of two */

bool touched_init(struct touched *t)
{
	*t = (struct touched){ .v = calloc(TOUCHED_MAX, sizeof(*t->v)),
			       .texts = calloc(TOUCHED_TEXTS, 1),
			       .slots = calloc(SLOTS, sizeof(*t->slots)) };
	if (t->v && t->texts && t->slots)
		return true;
	touched_release(t);
	return false;
}

void touched_release(struct touched *t)
{
	free(t->v);
	free(t->texts);
	free(t->slots);
	*t = (struct touched){ .n = 0 };
}

static size_t hash(const struct touched_one *k, const char *text)
{
	uint64_t h = 14695981039346656037ull ^ ((uint64_t)k->port << 16 | (uint64_t)k->kind << 8 | k->op);

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211ull;
	return (size_t)(h ^ h >> 32) & (SLOTS - 1);
}

/* The slot that has it, or the free one where it belongs. */
static size_t find_slot(const struct touched *t, const struct touched_one *k, const char *text)
{
	size_t i = hash(k, text);

	for (; t->slots[i]; i = (i + 1) & (SLOTS - 1)) {
		const struct touched_one *e = &t->v[t->slots[i] - 1];

		if (e->kind == k->kind && e->op == k->op && e->port == k->port &&
		    strcmp(t->texts + e->text, text) == 0)
			break;
	}
	return i;
}

void touched_add(struct touched *t, enum touched_kind kind, uint8_t op, const char *text,
		 uint16_t port)
{
	struct touched_one k = { .kind = (uint8_t)kind, .op = op, .port = port };
	size_t size = strlen(text) + 1, slot = find_slot(t, &k, text);

	if (t->slots[slot])
		return;
	if (t->n == TOUCHED_MAX || size > TOUCHED_TEXTS - t->used) {
		t->lost++;
		return;
	}
	k.text = (uint32_t)t->used;
	memcpy(t->texts + t->used, text, size);
	t->used += size;
	t->v[t->n++] = k;
	t->slots[slot] = (uint32_t)t->n;
}

/* The last one first, so that no slot is freed on the way to one that stays. */
void touched_forget(struct touched *t, size_t n)
{
	while (t->n > n) {
		const struct touched_one *e = &t->v[t->n - 1];

		t->slots[find_slot(t, e, t->texts + e->text)] = 0;
		t->used = e->text;
		t->n--;
	}
}
