/*
 * The files that a simple command names, reads and writes, by its program's table.
 * Part of the reference evaluator.
 */
#ifndef COMPILER_EVAL_FILES_H
#define COMPILER_EVAL_FILES_H

#include "compiler/eval/asked.h"
#include "compiler/eval/decision.h"

/*
 * The directories in which the command may run, as far as they are known.  Never empty: where none
 * is known, the list holds one unknown directory.
 */
const struct cmd_dir *eval_part_dirs(const struct eval_asked *q);
/* The rule that hides one path from any operation, or denies reading it (only_read: a rule about reading
 * only); the one that keeps it from being written, or asks.  NULL: none. */
const struct ir_rule *eval_name_hidden(const struct eval_asked *q, struct str path, bool only_read);
const struct ir_rule *eval_name_kept(const struct eval_asked *q, struct str path);
/*
 * Returns the rule that hides the file that a literal word names, or denies reading it.
 * Looks at all words, or only at those that are read.  In scope sandbox only names below /proc and /dev
 * count (doc/semantics.md 4.4).
 */
const struct ir_rule *eval_part_hidden(const struct eval_asked *q, bool only_read,
				     uint32_t *ret_word);
/* Returns such a rule, or (`asks`) one that asks about reading, for a file that a read pattern or tree
 * may contain. */
const struct ir_rule *eval_part_holds(const struct eval_asked *q, bool asks);
/* Returns the rule that asks about reading the file that a literal word names; *ret_person is set
 * if only a person can answer. */
const struct ir_rule *eval_part_asked(const struct eval_asked *q, uint32_t *ret_word, bool *ret_person);
/*
 * Returns the rule that keeps from being written, or asks about, a path that the command may
 * write: a literal word names or begins it, and no table says that the program does not write.
 */
const struct ir_rule *eval_part_may_write(const struct eval_asked *q, uint32_t *ret_word);
/* What rules say of the files that the command writes; false if no rule decides. */
bool eval_part_writes(const struct eval_asked *q, struct arena *a, struct eval_decision *ret);

#endif
