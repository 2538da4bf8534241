/* Regular expressions as trees.  Internal to sets/. */
#ifndef COMPILER_SETS_REGEX_PARSE_H
#define COMPILER_SETS_REGEX_PARSE_H

#include "compiler/sets/regex_reader.h"
#include "compiler/sets/regex_tree.h"

/* Reads the whole pattern; NULL with `why` and `where` if it is not regular. */
struct rx *rx_parse(struct rx_reader *r);

#endif
