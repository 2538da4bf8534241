/* Writes the instructions of a filter, and loads it. */
#include "runtime/base/own_filter.h"

#include <linux/audit.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/base/sys.h"

void own_filter_add(struct own_filter *f, struct sock_filter insn)
{
	if (f->n < OWN_FILTER_MOST)
		f->v[f->n++] = insn;
	else
		f->over = true;
}

void own_filter_begin(struct own_filter *f, struct sock_filter otherwise)
{
	const struct sock_filter head[] = {
		LOAD(arch), JEQ(AUDIT_ARCH_X86_64, 1, 0), KILL,
		LOAD(nr),
		JEQ(SYS_mmap, 2, 0), JEQ(SYS_mprotect, 1, 0), JEQ(SYS_mremap, 3, 4),
		LOAD_ARG(2),
		JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
		otherwise, ALLOW,
	};

	f->n = 0;
	f->over = false;
	for (size_t i = 0; i < OWN_FILTER_COUNT(head); i++)
		own_filter_add(f, head[i]);
}

void own_filter_calls(struct own_filter *f, const int *v, size_t n, struct sock_filter then)
{
	for (size_t i = 0; i < n; i++) {
		OWN_FILTER_ADD(f, JEQ(v[i], 0, 1));
		own_filter_add(f, then);
	}
}

size_t own_filter_call(struct own_filter *f, int nr)
{
	OWN_FILTER_ADD(f, JEQ(nr, 0, 0));
	return f->n - 1;
}

void own_filter_end(struct own_filter *f, size_t call)
{
	size_t skip = f->n - call - 1;

	f->over |= skip > UINT8_MAX;
	f->v[call].jf = (uint8_t)skip;
}

void own_filter_one_of(struct own_filter *f, const int *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		OWN_FILTER_ADD(f, JEQ(v[i], n - i, 0));
	OWN_FILTER_ADD(f, REFUSE);
}

void own_filter_allow_if(struct own_filter *f, int nr, unsigned arg, const int *v, size_t n)
{
	size_t call = own_filter_call(f, nr);

	OWN_FILTER_ADD(f, LOAD_ARG(arg));
	own_filter_one_of(f, v, n);
	OWN_FILTER_ADD(f, ALLOW);
	own_filter_end(f, call);
}

int own_filter_load(struct own_filter *f)
{
	struct sock_fprog prog = { .filter = f->v };

	OWN_FILTER_ADD(f, REFUSE);
	prog.len = (unsigned short)f->n;
	if (f->over)
		return -E2BIG;
	return sys_seccomp(SECCOMP_SET_MODE_FILTER, 0, &prog) == 0 ? 0 : -errno;
}
