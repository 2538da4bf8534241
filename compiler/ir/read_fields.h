/* Reads the records of ir.json, for read.c. */
#ifndef COMPILER_IR_READ_FIELDS_H
#define COMPILER_IR_READ_FIELDS_H

#include <json-c/json.h>

#include "compiler/ir/ir.h"

#define IR_READ_MAX_RULES ((size_t)65536)
#define IR_READ_MAX_GLOB ((size_t)8 * 1000 * 1000) /* limit for the items of all globs */
#define IR_READ_MAX_OPTIONS (512 * 1024) /* limit for the options of all programs */
#define IR_READ_MAX_DEPTH 1024

/* Reads the whole IR; returns NULL, or what is wrong. */
const char *ir_read_whole(struct arena *a, struct json_object *o, struct ir *ret);
/*
 * The value of a hexadecimal digit; for any other character a number so large that no
 * valid byte comes of it.
 */
unsigned ir_nibble(char c);

#endif
