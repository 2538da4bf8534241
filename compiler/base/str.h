/*
 * A counted byte string that somebody else owns (an arena, a source text).
 * It may hold NUL bytes, and it ends with NUL only if its maker says so.
 */
#ifndef COMPILER_BASE_STR_H
#define COMPILER_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compiler/base/arena.h"

struct str {
	const char *p;
	size_t n;
};

#define STR(lit) ((struct str){ (lit), sizeof(lit) - 1 })
#define STR_NULL ((struct str){ NULL, 0 })
/* For printf: "%.*s", STR_ARG(s) */
#define STR_ARG(s) (int)(s).n, (s).p

static inline struct str str_from(const char *z)
{
	return (struct str){ z, z ? strlen(z) : 0 };
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_eqz(struct str a, const char *z)
{
	return str_eq(a, str_from(z));
}

/* Compares by bytes; a string that is the beginning of the other comes first. */
int str_cmp(struct str a, struct str b);
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
struct str str_sub(struct str s, size_t from, size_t n);
/* Copies into the arena and adds a NUL after the last byte. */
struct str str_dup(struct arena *a, struct str s);
const char *str_z(struct arena *a, struct str s);
struct str str_cat(struct arena *a, struct str x, struct str y);
struct str str_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
