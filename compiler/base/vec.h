/*
 * Typed vectors in an arena.  VEC(T) declares an anonymous struct type;
 * give it a tag or embed it:   VEC(struct ir_rule *) rules;
 */
#ifndef COMPILER_BASE_VEC_H
#define COMPILER_BASE_VEC_H

#include "compiler/base/arena.h"

#define VEC(T)              \
	struct {            \
		T *v;       \
		size_t n;   \
		size_t cap; \
	}

/* Appends a copy of `x`. */
#define VEC_PUSH(arena, vec, x)                                             \
	do {                                                                \
		if ((vec)->n == (vec)->cap)                                 \
			(vec)->v = vec_grow((arena), (vec)->v, &(vec)->cap, \
					    sizeof(*(vec)->v));             \
		(vec)->v[(vec)->n++] = (x);                                 \
	} while (0)

#define VEC_LAST(vec) (&(vec)->v[(vec)->n - 1])

/* Doubles `*cap` and returns the moved array; only VEC_PUSH uses it. */
void *vec_grow(struct arena *a, void *old, size_t *cap, size_t size);

#define POL_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
