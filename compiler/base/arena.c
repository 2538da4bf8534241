/*
 * Bump allocation from blocks that grow.  This is the only file below cli/ that may end
 * the process, since nothing sensible can be done without memory.
 */
#include "compiler/base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Small, since thousands of arenas hold one automaton each and die soon: a recycled
 * block must be zeroed again. */
#define BLOCK_FIRST ((size_t)4 * 1024)
#define BLOCK_MAX ((size_t)4 * 1024 * 1024)
#define LARGE_PAGE ((size_t)2 * 1024 * 1024)
#define EXIT_TROUBLE 2

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	size_t mapped; /* size of the mapping, if it does not come from malloc */
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

		if (b->mapped)
			(void)munmap(b, b->mapped);
		else
			free(b);
		b = next;
	}
	arena_init(a, a->budget);
}

/*
 * A block of large pages, zeroed by the kernel.  A compilation touches each of its
 * pages, and on a virtual machine a short run spends much of its time on faults for
 * pages of 4 KiB.
 */
static struct arena_block *large_block(size_t *size)
{
	size_t n = (*size + sizeof(struct arena_block) + LARGE_PAGE - 1) &
		   ~(LARGE_PAGE - 1);
	struct arena_block *b;
	uint8_t *p, *from;

	if (n < *size || n > SIZE_MAX - LARGE_PAGE)
		return NULL;
	p = mmap(NULL, n + LARGE_PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	from = p + (-(uintptr_t)p & (LARGE_PAGE - 1));
	if (from > p)
		(void)munmap(p, (size_t)(from - p));
	(void)munmap(from + n, (size_t)(p + LARGE_PAGE - from));
	(void)madvise(from, n, MADV_HUGEPAGE); /* a hint only */
	b = (struct arena_block *)(void *)from;
	b->mapped = n;
	*size = n - sizeof(*b);
	return b;
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
	b = size >= LARGE_PAGE - sizeof(*b) ? large_block(&size)
					    : calloc(1, sizeof(*b) + size);
	if (!b)
		out_of_memory("out of memory");
	b->size = size;
	b->next = a->head;
	a->head = b;
}

static size_t rounded(size_t size)
{
	if (size > SIZE_MAX - 15)
		out_of_memory("out of memory");
	return (size + 15) & ~(size_t)15;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t need = rounded(size);
	void *p;

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

bool arena_extend(struct arena *a, const void *p, size_t old, size_t size)
{
	size_t had = rounded(old), more = rounded(size) - had;
	const struct arena_block *b = a->head;

	/* p is in this block; otherwise its end would not be the end of the block */
	if (!b || had > b->used ||
	    (const unsigned char *)p != b->bytes + b->used - had ||
	    more > b->size - b->used || more > a->budget - a->used)
		return false;
	a->head->used += more;
	a->used += more;
	return true;
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
