/*
 * Commands by the base name of their program.  A pattern for any program meets the rules
 * of all programs, which is too much for one automaton: it is looked at name by name.
 * Internal to diff_lang.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_BASE_H
#define COMPILER_ANALYSIS_DIFF_BASE_H

#include "compiler/analysis/diff_item.h"

enum diff_bases_kind {
	DIFF_BASE_IS,     /* this name */
	DIFF_BASE_COLON,  /* this name, ':', and anything: "npm:*" matches "npm:ci", too */
	DIFF_BASE_OTHERS  /* all names but these */
};

struct diff_bases {
	enum diff_bases_kind kind;
	struct str name;
	const struct diff_bases *not; /* for OTHERS */
	size_t n;
};

/* Divides what the item may match; returns the number of parts. */
size_t diff_base_divide(struct diff *d, struct arena *a, const struct diff_item *it,
			struct diff_bases **ret);
/* May the item match a program of these? */
bool diff_base_may_match(const struct diff_bases *b, const struct diff_item *it);
/* The words of all programs that do not belong to it. */
struct set_re *diff_base_outside(struct arena *a, const struct diff_bases *b);

#endif
