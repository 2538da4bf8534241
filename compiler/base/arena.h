/*
 * One arena owns everything of one compilation: texts, trees, IR, messages.
 * Nothing is freed separately; arena_release() frees all of it.
 */
#ifndef COMPILER_BASE_ARENA_H
#define COMPILER_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
	struct arena_block *head;
	size_t used;   /* bytes handed out so far */
	size_t budget; /* upper bound of `used`; beyond it the process exits 2 */
};

/* The budget that the command line tools use. */
#define ARENA_DEFAULT_BUDGET ((size_t)1024 * 1024 * 1024)

void arena_init(struct arena *a, size_t budget);
void arena_release(struct arena *a);

/*
 * Zeroed memory, aligned for any type.  Never NULL: if memory or the budget runs out,
 * prints one line and exits 2.  This is the only exit below cli/.
 */
void *arena_alloc(struct arena *a, size_t size);
void *arena_array(struct arena *a, size_t count, size_t size);
void *arena_dup(struct arena *a, const void *p, size_t size);
/*
 * Enlarges the last memory that was handed out, `p` of `old` bytes, in place and zeroes
 * the new part.  False if it is not the last, or if its block is full.
 */
bool arena_extend(struct arena *a, const void *p, size_t old, size_t size);

/* A NUL-terminated string that lives as long as the arena. */
char *arena_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

char *arena_vprintf(struct arena *a, size_t *ret_len, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))

#endif
