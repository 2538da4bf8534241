/*
 * What a command finds on the disk where it writes and reads, for a request whose paths are looked
 * up on this machine.  Part of the reference evaluator.
 */
#ifndef COMPILER_EVAL_DISK_H
#define COMPILER_EVAL_DISK_H

#include "compiler/eval/asked.h"

/*
 * Returns the rule that keeps from being written, or asks about, something that the command
 * finds: what a pattern of file names matches, what lies below a directory that it moves or
 * removes, and the names that a copied tree gets in the directory in which it is put.  Also the
 * rule that hides what a pattern matches that is read.  *ret_undecided: more lies there than is
 * looked at, or it cannot be read.
 */
const struct ir_rule *eval_part_on_disk(const struct eval_asked *q, uint32_t *ret_word,
					bool *ret_undecided);

#endif
