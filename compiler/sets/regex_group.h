/* The heads of groups in a regular expression.  Internal to sets/. */
#ifndef COMPILER_SETS_REGEX_GROUP_H
#define COMPILER_SETS_REGEX_GROUP_H

#include "compiler/sets/regex_reader.h"

/*
 * Reads a '(' and what belongs to it: "(", "(?:", "(?<name>", "(?i)".  The options that
 * it sets are those of `r` then.  *ret_is_group: its alternatives and a ')' follow;
 * otherwise it only sets options and has been read to its end.  False: it is opaque.
 */
bool rx_group_head(struct rx_reader *r, bool *ret_is_group);

#endif
