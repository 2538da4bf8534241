/*
 * A result as data, and its two machine spellings: JSON on one line, and YAML by
 * libyaml.  Keys keep the order in which they were added.
 */
#ifndef COMPILER_CLI_VALUE_H
#define COMPILER_CLI_VALUE_H

#include <stdio.h>

#include "compiler/base/buf.h"
#include "compiler/base/vec.h"

struct value;

struct value *value_map(struct arena *a);
struct value *value_list(struct arena *a);
struct value *value_str(struct arena *a, struct str s);
struct value *value_z(struct arena *a, const char *z);
struct value *value_num(struct arena *a, uint64_t n);
struct value *value_flag(struct arena *a, bool yes);
struct value *value_null(struct arena *a);
void value_put(struct value *map, const char *key, struct value *v);
void value_add(struct value *list, struct value *v);

/*
 * In both spellings, a byte that is not UTF-8 is shown as the character with that
 * number, as in compiler/base/json_buf.h.
 */
void value_json(struct buf *out, const struct value *v);
/* False if libyaml failed (out of memory). */
bool value_yaml(struct buf *out, const struct value *v);

#endif
