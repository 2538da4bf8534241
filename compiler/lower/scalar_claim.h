/*
 * Claims about scalars: one for each statement that gives one a value.
 */
#ifndef COMPILER_LOWER_SCALAR_CLAIM_H
#define COMPILER_LOWER_SCALAR_CLAIM_H

#include "compiler/lower/claims.h"

extern const struct claim_kind scalar_kind;

/* Adds a claim with a value for the caller to fill in, which starts as the built-in one. */
struct ir_scalar *scalar_claim(struct lower *l, const struct sema_stmt *t, enum ir_scalar_id id);

bool scalar_is_same(const struct claim *x, const struct claim *y);

/* A statement about both scopes makes two claims; an error in it is reported for the first only. */
bool scalar_is_second(const struct claim *x);

#endif
