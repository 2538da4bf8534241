/* Runs a filter as the kernel would.  Refuses instructions that polc never emits. */
#include "compiler/backend/seccomp/interp.h"

#include <string.h>

static bool load(const struct seccomp_data *data, uint32_t off, uint32_t *ret)
{
	if (off % 4 || off > sizeof(*data) - 4)
		return false;
	memcpy(ret, (const char *)data + off, sizeof(*ret));
	return true;
}

bool interp_run(const struct sock_filter *insns, size_t n,
		const struct seccomp_data *data, uint32_t *ret_value,
		uint32_t *ret_pc)
{
	uint32_t acc = 0;

	/* every jump is forward, so this loop ends */
	for (size_t pc = 0; pc < n; pc++) {
		const struct sock_filter *i = &insns[pc];

		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (!load(data, i->k, &acc))
				return false;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			acc &= i->k;
			break;
		case BPF_ALU | BPF_OR | BPF_K:
			acc |= i->k;
			break;
		case BPF_JMP | BPF_JA:
			pc += i->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			pc += acc == i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			pc += acc > i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			pc += acc >= i->k ? i->jt : i->jf;
			break;
		case BPF_RET | BPF_K:
			*ret_value = i->k;
			*ret_pc = (uint32_t)pc;
			return true;
		default:
			return false;
		}
	}
	return false;
}
