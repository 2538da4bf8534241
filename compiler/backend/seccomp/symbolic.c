/*
 * Follows a filter with a known architecture and number and unknown arguments.
 * A test of a word is a compare of the argument under a mask, and a path is a list of
 * such compares.  At the return of a path, the compares of the rules and of what the
 * filter reports are decided too (with both answers, if both are possible).  So one
 * witness stands for every call that takes this path.
 */
#include "compiler/backend/seccomp/symbolic.h"

#include <linux/seccomp.h>
#include <stddef.h>

#include "compiler/backend/seccomp/boundary.h"
#include "compiler/backend/seccomp/cost.h"
#include "compiler/backend/seccomp/judge.h"
#include "compiler/target/target.h"

#define MAX_ATOMS 256

/* The accumulator: a known number, or a word of an argument under a mask. */
struct value {
	bool known;
	uint8_t arg;
	bool high;
	uint32_t mask, number;
};

struct symbolic {
	const struct ir *ir;
	const struct emitted *e;
	enum pb_filter_kind kind;
	uint32_t nr;
	struct arena *a;
	struct boundary b;
	struct box_atom atoms[MAX_ATOMS];
	size_t natoms, cost;
	bool over;
	const char *bad;
};

static bool possible(struct symbolic *s, const struct ir_cond *c, bool negated)
{
	if (s->natoms == MAX_ATOMS) {
		s->over = true;
		return false;
	}
	s->atoms[s->natoms] = (struct box_atom){ c, negated };
	s->cost += cost_of(s->atoms, s->natoms + 1);
	if (s->cost > COST_BUDGET) { /* give up: nothing is proved */
		s->over = true;
		return false;
	}
	return box_atoms_hold(s->atoms, s->natoms + 1, NULL);
}

/* At a return: decides the compares of the rules from the i-th on. */
static void decide(struct symbolic *s, uint32_t pc, size_t i)
{
	uint64_t args[6] = { 0 };

	if (s->over || s->bad)
		return;
	if (i < s->b.compares.n) {
		for (int negated = 0; negated < 2; negated++)
			if (possible(s, s->b.compares.v[i], negated)) {
				s->natoms++;
				decide(s, pc, i + 1);
				s->natoms--;
			}
		return;
	}
	if (s->natoms && !box_atoms_hold(s->atoms, s->natoms, args)) {
		s->bad = "a way through the filter that nothing can go";
		return;
	}
	s->bad = judge_return(s->ir, s->e, s->kind, s->nr, args, s->e->insns[pc].k, pc,
			      s->a);
}

static void follow(struct symbolic *s, size_t pc, struct value acc);

static struct value load(const struct symbolic *s, uint32_t off)
{
	uint32_t args = (uint32_t)offsetof(struct seccomp_data, args);

	if (off == offsetof(struct seccomp_data, arch))
		return (struct value){ .known = true,
				       .number = TARGET_AUDIT_ARCH_X86_64 };
	if (off == offsetof(struct seccomp_data, nr))
		return (struct value){ .known = true, .number = s->nr };
	return (struct value){ .arg = (uint8_t)((off - args) / 8),
			       .high = (off - args) % 8 != 0, .mask = UINT32_MAX };
}

static bool compare_known(uint16_t op, uint32_t x, uint32_t k)
{
	return op == BPF_JEQ ? x == k : op == BPF_JGT ? x > k : x >= k;
}

/* Follows both answers of a test of an argument's word, if they are possible. */
static void branch(struct symbolic *s, size_t pc, struct value acc)
{
	const struct sock_filter *i = &s->e->insns[pc];
	unsigned shift = acc.high ? 32 : 0;
	struct ir_cond *c = ARENA_NEW(s->a, struct ir_cond);

	c->op = IR_C_CMP;
	c->arg = acc.arg;
	c->width = 64;
	c->mask = (uint64_t)acc.mask << shift;
	c->value = (uint64_t)i->k << shift;
	c->cmp = BPF_OP(i->code) == BPF_JEQ ? IR_EQ :
		 BPF_OP(i->code) == BPF_JGT ? IR_GT : IR_GE;
	if (possible(s, c, false)) {
		s->natoms++;
		follow(s, pc + 1 + i->jt, acc);
		s->natoms--;
	}
	if (possible(s, c, true)) {
		s->natoms++;
		follow(s, pc + 1 + i->jf, acc);
		s->natoms--;
	}
}

static bool is_load_of_ours(uint32_t off)
{
	return off % 4 == 0 && off < sizeof(struct seccomp_data) &&
	       (off < offsetof(struct seccomp_data, instruction_pointer) ||
		off >= offsetof(struct seccomp_data, args));
}

static void follow(struct symbolic *s, size_t pc, struct value acc)
{
	for (; pc < s->e->n && !s->over && !s->bad; pc++) {
		const struct sock_filter *i = &s->e->insns[pc];

		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (!is_load_of_ours(i->k)) {
				s->bad = "a load that no filter of ours makes";
				return;
			}
			acc = load(s, i->k);
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			acc.number &= i->k;
			acc.mask &= i->k;
			break;
		case BPF_JMP | BPF_JA:
			pc += i->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
		case BPF_JMP | BPF_JGT | BPF_K:
		case BPF_JMP | BPF_JGE | BPF_K:
			if (!acc.known) {
				branch(s, pc, acc);
				return;
			}
			pc += compare_known(BPF_OP(i->code), acc.number, i->k) ?
			      i->jt : i->jf;
			break;
		case BPF_RET | BPF_K:
			decide(s, (uint32_t)pc, 0);
			return;
		default:
			s->bad = "an instruction that no filter of ours holds";
			return;
		}
	}
	if (!s->over && !s->bad)
		s->bad = "a jump out of the program";
}

const char *symbolic_number(const struct ir *ir, const struct emitted *e,
			    enum pb_filter_kind kind, uint32_t nr, struct arena *a,
			    bool *ret_proved)
{
	struct symbolic *s = ARENA_NEW(a, struct symbolic);

	s->ir = ir;
	s->e = e;
	s->kind = kind;
	s->nr = nr;
	s->a = a;
	boundary_find(ir, kind, nr, a, &s->b);
	follow(s, 0, (struct value){ .known = true });
	*ret_proved = !s->over && !s->bad;
	return s->bad;
}
