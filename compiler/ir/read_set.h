/* Readers of ir.json that read.c and read_set.c share. */
#ifndef COMPILER_IR_READ_SET_H
#define COMPILER_IR_READ_SET_H

#include <json-c/json.h>

#include "compiler/ir/ir.h"

struct ir_reader {
	struct arena *a;
	const char *why;  /* the first thing that is wrong, or NULL */
	const char *list; /* the list that is being read, for the message */
	size_t at;        /* its record */
	size_t nglob;     /* items of all globs so far */
	size_t noptions;  /* options of all programs so far */
};

/* Keeps the first reason.  Always false. */
bool ir_rd_fail(struct ir_reader *r, const char *key, const char *what);
/* The member of that type; NULL after a failure. */
struct json_object *ir_rd_get(struct ir_reader *r, struct json_object *o,
			      const char *key, enum json_type type);
struct str ir_rd_text(struct ir_reader *r, struct json_object *v);
struct str ir_rd_str(struct ir_reader *r, struct json_object *o, const char *key);
/* At most `max`. */
uint64_t ir_rd_num(struct ir_reader *r, struct json_object *o, const char *key,
		   uint64_t max);
/* Absent: empty, 0.  One that is there and empty is not what is written again. */
struct str ir_rd_opt_str(struct ir_reader *r, struct json_object *o, const char *key);
uint64_t ir_rd_opt_num(struct ir_reader *r, struct json_object *o, const char *key,
		       uint64_t max);
struct json_object *ir_rd_opt_list(struct ir_reader *r, struct json_object *o,
				   const char *key, size_t *ret_n);
/* Absent: false. */
bool ir_rd_flag(struct ir_reader *r, struct json_object *o, const char *key);
uint64_t ir_rd_hex(struct ir_reader *r, struct json_object *o, const char *key);
/* 32 hexadecimal digits, and "/bits" where `ret_bits` is given. */
void ir_rd_addr(struct ir_reader *r, struct str s, uint8_t addr[16], uint8_t *ret_bits);
/* The index of the member's word in the table; 0 after a failure. */
unsigned ir_rd_word(struct ir_reader *r, struct json_object *o, const char *key,
		    const char *const *words, unsigned n);
/* The list, and how long it is (0 after a failure). */
struct json_object *ir_rd_list(struct ir_reader *r, struct json_object *o,
			       const char *key, size_t *ret_n);
enum ir_level ir_rd_level(struct ir_reader *r, struct json_object *o, const char *key);
/* `null` is a place that nobody wrote. */
struct ir_place ir_rd_place(struct ir_reader *r, struct json_object *o,
			    const char *key);
/* The keys level, id and at: who says it, and where. */
void ir_rd_said(struct ir_reader *r, struct json_object *o, enum ir_level *level,
		struct str *id, struct ir_place *at);
/* Any JSON value. */
void ir_rd_value(struct ir_reader *r, struct json_object *v, struct ir_value *ret,
		 unsigned depth);
void ir_rd_setting(struct ir_reader *r, struct json_object *o, struct ir_setting *ret,
		   unsigned depth);
/* read_facts.c: one record each of what ir/facts.h describes. */
void ir_rd_risk(struct ir_reader *r, struct json_object *o, struct ir *ir);
void ir_rd_fact(struct ir_reader *r, struct json_object *o, struct ir *ir);
void ir_rd_program(struct ir_reader *r, struct json_object *o, struct ir *ir);
void ir_rd_var(struct ir_reader *r, struct json_object *o, struct ir *ir);
void ir_rd_inert(struct ir_reader *r, struct json_object *o, struct ir *ir);
void ir_rd_pin(struct ir_reader *r, struct json_object *o, struct ir *ir);
/* The member "shell" of the whole. */
void ir_rd_shell(struct ir_reader *r, struct json_object *o, struct ir *ir);
/* "set" and "except" of a rule or fact. */
void ir_rd_sets(struct ir_reader *r, struct json_object *o, enum ir_kind kind,
		struct ir_set *ret_set, struct ir_set **ret_except, size_t *ret_n);

#endif
