/*
 * Is the block that is a part of polc (ready_block.h) that of this policy?  A digest of all
 * that a block is made from decides it.  A policy with other facts, or one on another version
 * of the library, has its block made anew.
 */
#ifndef COMPILER_LOWER_READY_H
#define COMPILER_LOWER_READY_H

#include <stdint.h>

#include "compiler/ir/ir.h"

#define FACTS_KEY_BYTES 32

/* A digest of all that lower_line_facts() reads. */
void facts_key(const struct ir *ir, uint8_t ret[FACTS_KEY_BYTES]);
/* The block, if it is that of these facts; else NULL. */
const struct line_facts *facts_ready_for(const struct ir *ir);

#endif
