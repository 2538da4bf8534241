/*
 * The assembler: builds a classic BPF program from its last instruction to
 * its first, so that every jump's distance is known when it is written.
 */
#ifndef COMPILER_BACKEND_SECCOMP_ASM_H
#define COMPILER_BACKEND_SECCOMP_ASM_H

#include <linux/filter.h>
#include <stdbool.h>

#include "compiler/base/vec.h"

struct asm_label {
	uint32_t at;   /* the instruction, counted from the program's end */
	uint32_t near; /* the nearest instruction that leads there */
	bool copy;     /* a return without a record in the map: may be copied */
};

struct asm_program {
	struct arena *a;
	VEC(struct sock_filter) back; /* back.v[0] is the last instruction */
	VEC(struct asm_label) labels;
};

void asm_init(struct asm_program *p, struct arena *a);
/* Each writes its instruction in front of the others and returns its label. */
uint32_t asm_ret(struct asm_program *p, uint32_t value, bool copy);
/* if (A op k) goto yes; else goto no; op is BPF_JEQ, BPF_JGT or BPF_JGE. */
uint32_t asm_jump(struct asm_program *p, uint16_t op, uint32_t k, uint32_t yes,
		  uint32_t no);
/* A statement that falls through to `next`, the label written just before. */
uint32_t asm_stmt(struct asm_program *p, uint16_t code, uint32_t k, uint32_t next);
/* The pc of a label, once the program is complete. */
uint32_t asm_pc(const struct asm_program *p, uint32_t label);
/* The program in the order of execution. */
struct sock_filter *asm_finish(const struct asm_program *p, size_t *ret_n);

#endif
