/*
 * The JSON of polc: the writer of runtime/base/json.h into a buffer, on one line.  A byte
 * that is not UTF-8 becomes the character with its number.
 */
#ifndef COMPILER_BASE_JSON_BUF_H
#define COMPILER_BASE_JSON_BUF_H

#include "compiler/base/buf.h"
#include "runtime/base/json.h"

/* `b` must outlive the writer.  Nothing has to be released or finished. */
void json_buf_init(struct json *j, struct buf *b);
void json_buf_str(struct json *j, const char *key, struct str s);
/* Adds one text in quotes. */
void buf_json(struct buf *b, struct str s);

#endif
