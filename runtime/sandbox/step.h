/*
 * The step table: one row for each effect of the set-up, in the order in which they
 * happen.  steps.def holds the table, step_*.c the functions of its rows, and steps.c
 * executes a plan with them.
 */
#ifndef RUNTIME_SANDBOX_STEP_H
#define RUNTIME_SANDBOX_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"

/* Where a row's effect happens. */
enum step_side {
	STEP_POLRUN,  /* in polrun, before or beside the child */
	STEP_CHILD,   /* in the child before polinit is executed */
	STEP_POLINIT, /* in pid 1 */
	STEP_COMMAND  /* in the process that becomes the command */
};

enum step_id {
#define X(id, name, side, fn, needs, undo, prevents) STEP_##id,
#include "runtime/sandbox/steps.def"
#undef X
	STEP_COUNT
};

struct plan_op;
struct plan_head;

/* The state of pid 1 during the set-up. */
struct init {
	const struct plan_head *plan;
	int sock;        /* socket to polrun */
	int base;        /* the run's own tmpfs: r (root), s (scratch), m (masks) */
	int root;        /* the new root */
	int masks;       /* read-only: what is attached */
	int made;        /* the same directory, writable; -1: masks still is */
	int scratch;
	int copies;      /* the files for copies of programs; -1: none */
	int ruleset;     /* Landlock ruleset */
	int listener;    /* listener of the target's filter */
	int *slots;      /* open trees; -1: none */
	sigset_t ignored; /* signals that the caller ignored */
};

struct step {
	const char *name;
	enum step_side side;
	const char *needs;    /* kernel feature or capability */
	const char *undo;     /* what undoes it when the run ends */
	const char *prevents; /* the escape that it prevents */
};

extern const struct step step_table[STEP_COUNT];

/* Always true, except in a build with -DPOL_TEST_STEPS.  There POL_STEPS_OFF in the
 * environment lists the rows, separated by commas, that are switched off. */
#ifdef POL_TEST_STEPS
bool step_on(enum step_id id);
#else
static inline bool step_on(enum step_id id)
{
	(void)id;
	return true;
}
#endif

/* Fills err->step and returns -errno; the text of errno follows the message. */
int step_fail(struct rt_err *err, enum step_id id, int e, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The functions of the rows, in step_*.c. */
#define X(id, name, side, fn, needs, undo, prevents) \
	int fn(struct init *in, const struct plan_op *op, struct rt_err *err);
#define STEP_FUNCTIONS
#include "runtime/sandbox/steps.def"
#undef STEP_FUNCTIONS
#undef X

#endif
