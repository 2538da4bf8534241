/*
 * Jumps: a conditional jump reaches 255 instructions, and only forward.  If a target
 * is farther away, the jump goes to a trampoline: an unconditional jump (32 bits)
 * or, for a plain return, a copy of the return.
 */
#include "compiler/backend/seccomp/asm.h"

#include <assert.h>

#define REACH 255u

void asm_init(struct asm_program *p, struct arena *a)
{
	*p = (struct asm_program){ .a = a };
}

static uint32_t push(struct asm_program *p, struct sock_filter insn)
{
	VEC_PUSH(p->a, &p->back, insn);
	return (uint32_t)p->back.n - 1;
}

static uint32_t label(struct asm_program *p, uint32_t at, bool copy)
{
	VEC_PUSH(p->a, &p->labels, ((struct asm_label){ at, at, copy }));
	return (uint32_t)p->labels.n - 1;
}

uint32_t asm_ret(struct asm_program *p, uint32_t value, bool copy)
{
	return label(p, push(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, value)),
		     copy);
}

/* Instructions between the next one to be written and the nearest way to the label. */
static uint32_t distance(const struct asm_program *p, uint32_t l)
{
	return (uint32_t)p->back.n - p->labels.v[l].near - 1;
}

static void bring_near(struct asm_program *p, uint32_t l)
{
	struct asm_label *to = &p->labels.v[l];
	struct sock_filter insn = p->back.v[to->at];

	if (!to->copy)
		insn = (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA,
			(uint32_t)p->back.n - to->at - 1);
	to->near = push(p, insn);
}

uint32_t asm_jump(struct asm_program *p, uint16_t op, uint32_t k, uint32_t yes,
		  uint32_t no)
{
	/* a trampoline moves the other target one away: repeat until both are near */
	while (distance(p, yes) > REACH || distance(p, no) > REACH)
		bring_near(p, distance(p, yes) > REACH ? yes : no);
	return label(p, push(p, (struct sock_filter)BPF_JUMP(BPF_JMP | op | BPF_K, k,
			(uint8_t)distance(p, yes), (uint8_t)distance(p, no))),
		     false);
}

uint32_t asm_stmt(struct asm_program *p, uint16_t code, uint32_t k, uint32_t next)
{
	/* the statement falls through to `next`: nothing may stand between them */
	assert(p->labels.v[next].at + 1 == p->back.n);
	return label(p, push(p, (struct sock_filter)BPF_STMT(code, k)), false);
}

uint32_t asm_pc(const struct asm_program *p, uint32_t l)
{
	return (uint32_t)p->back.n - 1 - p->labels.v[l].at;
}

struct sock_filter *asm_finish(const struct asm_program *p, size_t *ret_n)
{
	struct sock_filter *v = arena_array(p->a, p->back.n + 1, sizeof(*v));

	for (size_t i = 0; i < p->back.n; i++)
		v[i] = p->back.v[p->back.n - 1 - i];
	*ret_n = p->back.n;
	return v;
}
