/* Single words of a simple command, for the files of the reference evaluator. */
#ifndef COMPILER_IR_MATCH_WORD_H
#define COMPILER_IR_MATCH_WORD_H

#include "compiler/ir/match_command.h"

/* The one text that the word stands for (~ as HOME), or false. */
bool ir_word_text(const struct ir_asked *q, const struct cmd_word *word, struct arena *a,
		  struct str *ret);
bool ir_words_are_literal(const struct ir_asked *q);
/* One word against one glob; a value that may be several words never must. */
struct ir_match ir_match_one_word(const struct ir_asked *q, const struct cmd_word *word,
				  const struct ir_glob *g, enum ir_bytes bytes);
/* May a text that begins with `prefix` match the glob? */
bool ir_glob_may_begin(const struct ir_glob *g, struct str prefix);

#endif
