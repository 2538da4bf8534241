/*
 * ir.json read back (doc/ir.md).  The bytes are somebody else's: whatever is
 * wrong with them is an answer, never a crash, in bounded time and memory.
 *
 * Strict: the IR that was read is written again, and one byte of difference
 * refuses it.  So a key that this version does not know, a second spelling or
 * a value that was not understood can never be silently left out.
 */
#ifndef COMPILER_IR_READ_H
#define COMPILER_IR_READ_H

#include "compiler/ir/ir.h"

/* Larger ones are refused before they are parsed. */
#define IR_READ_MAX_BYTES ((size_t)32 * 1024 * 1024)
#define IR_READ_MAX_LISTS ((size_t)1000 * 1000) /* lists and records */
#define IR_READ_MAX_VALUES ((size_t)4 * 1000 * 1000)

/*
 * The IR of these bytes, verified by ir_verify(), or NULL with the reason in
 * *ret_why (in the arena).  Places have no span and files no text.
 */
struct ir *ir_read(struct arena *a, struct str json, const char **ret_why);

#endif
