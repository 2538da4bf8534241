/* Which bytes a regular expression names.  Internal to sets/. */
#ifndef COMPILER_SETS_REGEX_CLASS_H
#define COMPILER_SETS_REGEX_CLASS_H

#include "compiler/sets/bytes.h"
#include "compiler/sets/regex_reader.h"

/* Reads a bracketed class at '['.  False: it is opaque. */
bool rx_class(struct rx_reader *r, struct set_bytes *ret);
/* The set for \d \D \s \S \w \W \h \H \v \V. */
bool rx_named_set(char name, struct set_bytes *ret);
/* Reads such a letter after a backslash, and notes in `seen` that the pattern has it. */
bool rx_read_set(struct rx_reader *r, struct set_bytes *ret);
/*
 * Reads a single byte after a backslash.  False if it is something else; then nothing
 * was read.
 */
bool rx_escaped_byte(struct rx_reader *r, uint8_t *ret);
/* The set, and of each of its letters the other case. */
struct set_bytes rx_folded(struct set_bytes b);

#endif
