/*
 * Only for test builds (-DPOL_TEST_SHELL): each production of productions.def can be
 * switched off. tests/conformance/shell.py then expects that a run against the shells
 * fails. In every other build the macros below are constants, and the objects hold
 * nothing of the table.
 */
#ifndef RUNTIME_LINE_SHELL_PRODUCTION_H
#define RUNTIME_LINE_SHELL_PRODUCTION_H

#ifdef POL_TEST_SHELL
enum shell_production {
	SHELL_ALL_ON,
#define X(id, name, dialect) SHELL_##id,
#include "runtime/line/shell/productions.def"
#undef X
	SHELL_PRODUCTIONS
};

/* Indexed by enum shell_production; dialect: "bash", "posix" or "both". */
extern const struct shell_production_row {
	const char *name, *dialect;
} shell_productions[SHELL_PRODUCTIONS];

/* The production that is off. */
extern unsigned shell_is_off;

#define SHELL_OFF(id) (shell_is_off == (unsigned)SHELL_##id)
/* For several in a row: the one k places after id. */
#define SHELL_OFF_AT(id, k) (shell_is_off == (unsigned)SHELL_##id + (unsigned)(k))
/* Removes the commands that were listed from this tail on. */
#define SHELL_DROP_AT(s, from, id, k)                     \
	do {                                              \
		if (SHELL_OFF_AT(id, k) && !(s)->quiet) { \
			*(from) = (void *)0;              \
			(s)->tail = (from);               \
		}                                         \
	} while (0)
#define SHELL_DROP(s, from, id) SHELL_DROP_AT(s, from, id, 0)
#else
#define SHELL_OFF(id) false
#define SHELL_OFF_AT(id, k) false
#define SHELL_DROP_AT(s, from, id, k) ((void)(from))
#define SHELL_DROP(s, from, id) ((void)(from))
#endif

#endif
