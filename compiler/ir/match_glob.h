/* Globs in the program column, for match.c only. */
#ifndef COMPILER_IR_MATCH_GLOB_H
#define COMPILER_IR_MATCH_GLOB_H

#include "compiler/ir/match.h"

/*
 * Deny and ask: does the base name of something that the pattern matches
 * equal `base`?  The pattern's own base name begins behind a '/' that it
 * spells; `*` and `?` never stand for that '/'.
 */
bool ir_match_base(const struct ir_glob *g, struct str base, enum ir_until until);
bool ir_glob_has_slash(const struct ir_glob *g);

#endif
