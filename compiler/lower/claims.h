/*
 * Who wins where several levels give one key a value (semantics 3.2).  A section makes
 * claims; its `claim_kind` says how their values are compared and combined.  Only
 * claims.c decides which claim counts.
 */
#ifndef COMPILER_LOWER_CLAIMS_H
#define COMPILER_LOWER_CLAIMS_H

#include "compiler/lower/internal.h"

struct claims;

/* What one statement says about a key. */
struct claim {
	const struct claim_kind *kind;
	struct str key;   /* unique among the claims of its kind */
	struct str name;  /* the key as messages show it */
	int row;          /* the row in its section's table */
	const struct sema_stmt *t;
	struct ir_place at;
	bool append;      /* the statement has `+=` */
	bool locked;      /* a managed level has locked it */
	const char *plus; /* a list: the operator that adds to it; else NULL */
	void *value;      /* its type depends on the kind */
};

/* How the values of a kind of claims are compared and combined. */
struct claim_kind {
	const char *name;
	bool (*same)(const struct claim *x, const struct claim *y);
	/*
	 * Returns the value so far with the value of a `+=` added; NULL after an error.
	 */
	const void *(*add)(const struct claims *c, const struct claim *x);
	/*
	 * Handles a claim that may only tighten: takes it if it does, and notes what of
	 * it is dropped.  `by` is the lock that the claim stands below; NULL: the
	 * claim's level is narrow-only.
	 */
	void (*tighten)(struct claims *c, const struct claim *x,
			const struct ir_lock *by);
};

/* All claims on one key, and the result so far. */
struct claims {
	struct lower *l;
	VEC(struct claim *) v;   /* in the order of statements */
	const struct claim *won; /* the claim that counts; NULL: none does */
	const void *value;       /* its value, combined with what others added */
};

/* Makes a claim with the statement's place.  It takes part only after claim_add(). */
struct claim *claim_new(struct lower *l, const struct claim_kind *kind,
			const struct sema_stmt *t, struct str key, void *value);
/* Adds it to the claims on its key, if its statement counts. */
void claim_add(struct lower *l, struct claim *x);
/* The claims on a key, or NULL. */
struct claims *claims_find(struct lower *l, const struct claim_kind *kind,
			   struct str key);
/*
 * Calls `f` with the claims on each key of a kind, in the order of the keys' first
 * claims.
 */
void claims_each(struct lower *l, const struct claim_kind *kind,
		 void (*f)(struct claims *c));

/* Makes this the value that counts so far. */
void claims_take(struct claims *c, const struct claim *x, const void *value);
/* Reports that both give different values and neither overrides the other. */
void claims_conflict(struct lower *l, const struct claim *x, const struct claim *y);
/* Reports every claim on a key that a higher level has locked. */
void claims_check_locks(const struct claims *c);
/*
 * The claim without `+=` that counts among a level's full (or narrow-only) files, or
 * NULL.
 */
const struct claim *claims_plain(const struct claims *c, enum ir_level level, bool narrow);
/* Apply what a level's full files say, and what its narrow-only files say. */
void claims_full(struct claims *c, enum ir_level level);
void claims_narrow(struct claims *c, enum ir_level level);
/*
 * Decides from level 5 up: a plain value replaces, `+=` adds, a narrow-only level only
 * tightens, and so does every level below `lock` (NULL: the section has none).
 */
void claims_decide(struct claims *c, const struct ir_lock *lock);
/* For values that are not combined: the highest full level that gives one wins. */
void claims_decide_highest(struct claims *c);

#endif
