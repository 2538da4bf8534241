/*
 * The program column of an allow rule (semantics 4.3): a bare name, the same
 * name directly in a trusted directory, or one file.  Part of the reference
 * evaluator.
 */
#ifndef COMPILER_EVAL_MATCH_PROGRAM_H
#define COMPILER_EVAL_MATCH_PROGRAM_H

#include "compiler/eval/asked.h"
#include "compiler/eval/match_glob.h"

/*
 * Is the word a bare name, or a file directly in a trusted directory?  A pinned program
 * must have the path of its pin.
 */
bool eval_program_is_trusted(const struct eval_asked *q, struct str word);
/*
 * Compares the word with the pattern.  A file is compared in every directory where the
 * command may run.
 */
struct eval_match eval_match_program(const struct eval_asked *q, const struct ir_glob *g,
				 struct str word, enum eval_until until);
/*
 * The absolute path of the word in directory `dir`.  False for a word with "..": it may
 * leave through a symbolic link, so we do not know which file it names.
 */
bool eval_program_path(struct arena *a, struct str word, struct str dir, struct str *ret);
/* What follows the last '/'. */
struct str eval_base_name(struct str word);

#endif
