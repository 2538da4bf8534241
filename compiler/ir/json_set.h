/* Writers of the canonical JSON that json.c and json_set.c share. */
#ifndef COMPILER_IR_JSON_SET_H
#define COMPILER_IR_JSON_SET_H

#include "compiler/ir/ir.h"

/* `"k":`, after a comma where a member stands before it. */
void ir_json_key(struct buf *b, const char *k);
void ir_json_str(struct buf *b, const char *k, struct str v);
void ir_json_word(struct buf *b, const char *k, const char *v);
void ir_json_num(struct buf *b, const char *k, uint64_t v);
/* Only where it is not empty, not 0. */
void ir_json_opt_str(struct buf *b, const char *k, struct str v);
void ir_json_opt_num(struct buf *b, const char *k, uint64_t v);
/* Flags are written only when they are set. */
void ir_json_flag(struct buf *b, const char *k, bool v);
/* 64-bit masks and values lose bits in readers that use doubles: text. */
void ir_json_hex(struct buf *b, const char *k, uint64_t v);
/* 32 hexadecimal digits; v4 as v4-mapped. */
void ir_json_addr(struct buf *b, const char *k, const uint8_t addr[16]);
/* Between the items of a list. */
void ir_json_comma(struct buf *b, size_t i);
/* A place, or null for one that nobody wrote. */
void ir_json_place(struct buf *b, const char *k, const struct ir_place *p);
/* Opens record `i` of a list on a line of its own. */
void ir_json_record(struct buf *b, size_t i);
/* Who says it, and where: what ends most records. */
void ir_json_said(struct buf *b, enum ir_level level, struct str id,
		  const struct ir_place *at);
/* json_facts.c: everything of ir/facts.h. */
void ir_json_facts(struct buf *b, const struct ir *ir);
/* "set" and "except" of a rule or fact. */
void ir_json_sets(struct buf *b, enum ir_kind kind, const struct ir_set *set,
		  const struct ir_set *except, size_t nexcept);

#endif
