/*
 * Who wins where several levels say a value under one key (semantics 3.2).
 * A section makes claims and says, with a `claim_kind`, how their values are
 * compared and combined; which one counts is decided in claims.c alone.
 */
#ifndef COMPILER_LOWER_CLAIMS_H
#define COMPILER_LOWER_CLAIMS_H

#include "compiler/lower/internal.h"

struct claims;

/* One statement's word on a key. */
struct claim {
	const struct claim_kind *kind;
	struct str key;   /* among those of its kind */
	struct str name;  /* the key, in messages */
	int row;          /* of its section's table */
	const struct sema_stmt *t;
	struct ir_place at;
	bool append;      /* `+=` */
	bool locked;      /* by a managed level */
	const char *plus; /* what adds to its value, a list; NULL: it is none */
	void *value;      /* as the kind has it */
};

/* How the values of a kind of claims are compared and combined. */
struct claim_kind {
	const char *name;
	const char *locked; /* its keys in messages about locks; NULL: their names */
	bool (*same)(const struct claim *x, const struct claim *y);
	/* The value and what a `+=` adds to it; NULL after an error. */
	const void *(*add)(const struct claims *c, const struct claim *x);
	/*
	 * Takes a claim that can only tighten, if it does, and notes what is lost of
	 * it.  `by`: the lock that it stands below; NULL: its level is narrow-only.
	 */
	void (*tighten)(struct claims *c, const struct claim *x,
			const struct ir_lock *by);
};

/* All claims on one key, and what has been made of them. */
struct claims {
	struct lower *l;
	VEC(struct claim *) v;   /* in the order of statements */
	const struct claim *won; /* whose value counts; NULL: nobody's */
	const void *value;       /* its value, with what was combined */
};

/* A claim of this statement, at its place; not one of `claims` before claim_add(). */
struct claim *claim_new(struct lower *l, const struct claim_kind *kind,
			const struct sema_stmt *t, struct str key, void *value);
/* Puts it with the others on its key, if its statement counts. */
void claim_add(struct lower *l, struct claim *x);
/* The claims on a key, or NULL. */
struct claims *claims_find(struct lower *l, const struct claim_kind *kind,
			   struct str key);
/* Calls `f` for the claims on each key of a kind, in the order of first claims. */
void claims_each(struct lower *l, const struct claim_kind *kind,
		 void (*f)(struct claims *c));

/* Makes this the value that counts so far. */
void claims_take(struct claims *c, const struct claim *x, const void *value);
/* Error: both say something else, and neither overrides the other. */
void claims_conflict(struct lower *l, const struct claim *x, const struct claim *y);
/* Error: whoever speaks of what a higher level has locked. */
void claims_check_locks(const struct claims *c);
/* The plain value of a level's full or narrow-only files, or NULL. */
const struct claim *claims_plain(const struct claims *c, enum ir_level level, bool narrow);
/* What the files of a level say, and of a level's narrow-only ones. */
void claims_full(struct claims *c, enum ir_level level);
void claims_narrow(struct claims *c, enum ir_level level);
/*
 * From level 5 up: a plain value replaces, `+=` adds, a narrow-only level
 * tightens, and so does what stands below `lock` (NULL: the section has none).
 */
void claims_decide(struct claims *c, const struct ir_lock *lock);
/* The word of the highest full level that speaks, for values that are not combined. */
void claims_decide_highest(struct claims *c);

#endif
