/*
 * One path that a pattern surely matches, and whether another pattern matches it.  Most
 * pairs of patterns have nothing to do with each other, and one path shows that without an
 * automaton.
 */
#ifndef COMPILER_SETS_SAMPLE_H
#define COMPILER_SETS_SAMPLE_H

#include "compiler/ir/set.h"

#define SAMPLE_SIZE 254 /* a longer one is not looked for */

/* Spells into `buf`, of SAMPLE_SIZE bytes, a rest below the pattern's root that it matches and
 * that a path can have; p is NULL if none was found. */
struct str sample_path(const struct ir_path *p, char *buf);
/* False: the pattern surely does not match this rest below its root. */
bool sample_may_match(const struct ir_path *p, struct str rest);
/* False: no rest that the pattern matches begins with this text. */
bool sample_may_begin(const struct ir_path *p, struct str text);

#endif
