/*
 * Bump allocation from blocks that grow; the one place below cli/ that may
 * end the process, since nothing sensible can be done without memory.
 */
#include "compiler/base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/base/vec.h"

#define BLOCK_FIRST ((size_t)64 * 1024)
#define BLOCK_MAX ((size_t)4 * 1024 * 1024)
#define EXIT_TROUBLE 2

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	/* the bytes follow, aligned as malloc aligns */
	_Alignas(16) unsigned char bytes[];
};

static _Noreturn void out_of_memory(const char *why)
{
	fprintf(stderr, "polc: %s\n", why);
	exit(EXIT_TROUBLE);
}

void arena_init(struct arena *a, size_t budget)
{
	*a = (struct arena){ .head = NULL, .used = 0, .budget = budget };
}

void arena_release(struct arena *a)
{
	struct arena_block *b = a->head;

	while (b) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
	arena_init(a, a->budget);
}

static void add_block(struct arena *a, size_t need)
{
	size_t size = a->head ? a->head->size * 2 : BLOCK_FIRST;
	struct arena_block *b;

	if (size > BLOCK_MAX)
		size = BLOCK_MAX;
	if (size < need)
		size = need;
	if (size > SIZE_MAX - sizeof(*b))
		out_of_memory("out of memory");
	/* calloc: fresh pages come zeroed from the kernel at no cost */
	b = calloc(1, sizeof(*b) + size);
	if (!b)
		out_of_memory("out of memory");
	b->size = size;
	b->next = a->head;
	a->head = b;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t need;
	void *p;

	if (size > SIZE_MAX - 15)
		out_of_memory("out of memory");
	need = (size + 15) & ~(size_t)15;
	if (need > a->budget - a->used)
		out_of_memory("the policy needs more memory than the limit allows");
	if (!a->head || a->head->size - a->head->used < need)
		add_block(a, need);
	p = a->head->bytes + a->head->used;
	a->head->used += need;
	a->used += need;
	return p;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		out_of_memory("out of memory");
	return arena_alloc(a, count * size);
}

void *arena_dup(struct arena *a, const void *p, size_t size)
{
	void *q = arena_alloc(a, size);

	if (size)
		memcpy(q, p, size);
	return q;
}

char *arena_vprintf(struct arena *a, size_t *ret_len, const char *fmt, va_list ap)
{
	va_list again;
	char *p;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		out_of_memory("a message could not be formatted");
	p = arena_alloc(a, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	*ret_len = (size_t)n;
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	size_t n;
	char *p;

	va_start(ap, fmt);
	p = arena_vprintf(a, &n, fmt, ap);
	va_end(ap);
	return p;
}

void *vec_grow(struct arena *a, void *old, size_t *cap, size_t size)
{
	size_t n = *cap ? *cap * 2 : 8;
	void *p = arena_array(a, n, size);

	if (*cap)
		memcpy(p, old, *cap * size);
	*cap = n;
	return p;
}
