/* What the files of the IR's text dump share; nothing else includes this. */
#ifndef COMPILER_IR_PRINT_H
#define COMPILER_IR_PRINT_H

#include "compiler/ir/ir.h"

void ir_print_str(FILE *out, struct str s);
/* Prints it on one line, between double quotes. */
void ir_print_quoted(FILE *out, struct str s);
/* "FILE:LINE", or "(built in)". */
void ir_print_place(FILE *out, const struct ir_place *at);
/* Prints "  # LEVEL FILE:LINE", which ends most lines. */
void ir_print_said(FILE *out, enum ir_level level, const struct ir_place *at);
void ir_print_set(FILE *out, enum ir_kind kind, const struct ir_set *s);
void ir_print_except(FILE *out, enum ir_kind kind, const struct ir_set *e, size_t n);
/* Prints everything of ir/facts.h (print_facts.c). */
void ir_print_facts(FILE *out, const struct ir *ir);

#endif
