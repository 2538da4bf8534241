/*
 * Reads ir.json (doc/ir.md).  The bytes are not trusted: an error in them gives an
 * answer and never a crash, in bounded time and memory.
 *
 * Strict: the IR that was read is written again, and if one byte differs it is refused.
 * So a key that this version does not know, a second spelling, or a value that we did
 * not understand can never be ignored silently.
 */
#ifndef COMPILER_IR_READ_H
#define COMPILER_IR_READ_H

#include "compiler/ir/ir.h"

/* Larger texts are refused before they are parsed. */
#define IR_READ_MAX_BYTES ((size_t)32 * 1024 * 1024)
#define IR_READ_MAX_LISTS ((size_t)1000 * 1000) /* lists and records */
#define IR_READ_MAX_VALUES ((size_t)4 * 1000 * 1000)

/*
 * Returns the IR that these bytes describe, checked by ir_verify(), or NULL with the
 * reason in *ret_why (in the arena).  Places have no span and files no text.
 */
struct ir *ir_read(struct arena *a, struct str json, const char **ret_why);

#endif
