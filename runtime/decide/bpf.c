/* Runs classic BPF over struct seccomp_data, as kernel/seccomp.c accepts it: 32-bit loads
 * at aligned offsets, scratch memory, ALU, forward jumps. */
#include "runtime/decide/bpf.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct machine {
	uint32_t a, x;
	uint32_t mem[BPF_MEMWORDS];
};

static bool alu(struct machine *m, uint16_t code, uint32_t k)
{
	uint32_t v = BPF_SRC(code) == BPF_X ? m->x : k;

	switch (BPF_OP(code)) {
	case BPF_ADD:
		m->a += v;
		return true;
	case BPF_SUB:
		m->a -= v;
		return true;
	case BPF_MUL:
		m->a *= v;
		return true;
	case BPF_DIV:
		if (v == 0)
			return false;
		m->a /= v;
		return true;
	case BPF_AND:
		m->a &= v;
		return true;
	case BPF_OR:
		m->a |= v;
		return true;
	case BPF_XOR:
		m->a ^= v;
		return true;
	case BPF_LSH:
		m->a = v < 32 ? m->a << v : 0;
		return true;
	case BPF_RSH:
		m->a = v < 32 ? m->a >> v : 0;
		return true;
	case BPF_NEG:
		m->a = 0u - m->a;
		return true;
	default:
		return false;
	}
}

static bool load(struct machine *m, const struct sock_filter *i,
		 const struct seccomp_data *data)
{
	uint32_t v;

	switch (BPF_MODE(i->code)) {
	case BPF_ABS:
		if (i->k > sizeof(*data) - 4 || i->k % 4)
			return false;
		memcpy(&v, (const char *)data + i->k, 4);
		break;
	case BPF_IMM:
		v = i->k;
		break;
	case BPF_MEM:
		if (i->k >= BPF_MEMWORDS)
			return false;
		v = m->mem[i->k];
		break;
	case BPF_LEN:
		v = sizeof(*data);
		break;
	default:
		return false;
	}
	if (BPF_CLASS(i->code) == BPF_LD)
		m->a = v;
	else
		m->x = v;
	return true;
}

static bool jump_taken(const struct machine *m, const struct sock_filter *i)
{
	uint32_t v = BPF_SRC(i->code) == BPF_X ? m->x : i->k;

	switch (BPF_OP(i->code)) {
	case BPF_JEQ:
		return m->a == v;
	case BPF_JGT:
		return m->a > v;
	case BPF_JGE:
		return m->a >= v;
	case BPF_JSET:
		return (m->a & v) != 0;
	default:
		return false;
	}
}

static bool step(struct machine *m, const struct sock_filter *i,
		 const struct seccomp_data *data)
{
	switch (BPF_CLASS(i->code)) {
	case BPF_LD:
	case BPF_LDX:
		return load(m, i, data);
	case BPF_ST:
	case BPF_STX:
		if (i->k >= BPF_MEMWORDS)
			return false;
		m->mem[i->k] = BPF_CLASS(i->code) == BPF_ST ? m->a : m->x;
		return true;
	case BPF_ALU:
		return alu(m, i->code, i->k);
	case BPF_MISC:
		if (BPF_MISCOP(i->code) == BPF_TAX)
			m->x = m->a;
		else
			m->a = m->x;
		return true;
	default:
		return false;
	}
}

/* Bit N if the instruction loads from argument N. */
static unsigned argument_bit(const struct sock_filter *i)
{
	if (i->code != (BPF_LD | BPF_W | BPF_ABS) ||
	    i->k < offsetof(struct seccomp_data, args))
		return 0;
	return 1u << ((i->k - offsetof(struct seccomp_data, args)) / 8);
}

int bpf_run(const struct sock_filter *insns, size_t n, const struct seccomp_data *data,
	    uint32_t *ret_value, unsigned *ret_args)
{
	struct machine m = { 0 };
	size_t pc = 0;

	*ret_args = 0;

	while (pc < n) { /* jumps are forward: this ends */
		const struct sock_filter *i = &insns[pc];

		if (BPF_CLASS(i->code) == BPF_RET) {
			*ret_value = BPF_RVAL(i->code) == BPF_A ? m.a : i->k;
			return (int)pc;
		}
		if (BPF_CLASS(i->code) == BPF_JMP) {
			if (BPF_OP(i->code) == BPF_JA)
				pc += i->k;
			else
				pc += jump_taken(&m, i) ? i->jt : i->jf;
		} else if (!step(&m, i, data)) {
			return -1;
		} else {
			*ret_args |= argument_bit(i);
		}
		pc++;
	}
	return -1;
}
