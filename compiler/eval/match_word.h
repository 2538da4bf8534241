/* Single words of a simple command, for the files of the reference evaluator. */
#ifndef COMPILER_EVAL_MATCH_WORD_H
#define COMPILER_EVAL_MATCH_WORD_H

#include "compiler/eval/asked.h"
#include "compiler/eval/match_glob.h"

/* The one text that the word stands for (with HOME for ~); false if there may be others. */
bool eval_word_text(const struct eval_asked *q, const struct cmd_word *word, struct arena *a,
		  struct str *ret);
bool eval_words_are_literal(const struct eval_asked *q);
/*
 * Matches one word against one glob.  `must` is false if the value may be several
 * words.
 */
struct eval_match eval_match_one_word(const struct eval_asked *q, const struct cmd_word *word,
				  const struct ir_glob *g, enum eval_bytes bytes);
/* May a text that begins with `prefix` match the glob? */
bool eval_glob_may_begin(const struct ir_glob *g, struct str prefix);

#endif
