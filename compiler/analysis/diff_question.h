/*
 * The questions into which a proof about paths is divided, so that the automata stay
 * small.  Internal to diff_lang.c.
 */
#ifndef COMPILER_ANALYSIS_DIFF_QUESTION_H
#define COMPILER_ANALYSIS_DIFF_QUESTION_H

#include "compiler/analysis/diff_symbol.h"

/* The questions that together decide it; false if they are too many. */
bool diff_questions(const struct diff *d, const struct diff_item *it,
			   struct diff_symbols **ret, size_t *ret_n);
/* Can no request that matches the other rule be against `it`, where a question is asked? */
bool diff_question_is_settled(const struct diff *d, const struct diff_item *it,
			      const struct diff_item *other);
/* Has the other rule a say in the question about `it`? */
bool diff_question_counts(const struct diff *d, const struct diff_item *it,
			const struct diff_item *other);

#endif
