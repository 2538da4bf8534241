/*
 * Proves the emitted filters equal to the IR.  For each number, symbolic.c follows
 * every path through the program, with its tests as conditions on the arguments.
 * What that leaves open, and the numbers and architectures without arguments, are
 * run by the interpreter and compared with eval_decide() (judge.c).  Nothing here
 * looks at select.c, dag.c or codegen.c, except for the lists of reported calls.
 */
#include <errno.h>

#include "compiler/backend/seccomp/interp.h"
#include "compiler/backend/seccomp/judge.h"
#include "compiler/backend/seccomp/members.h"
#include "compiler/backend/seccomp/symbolic.h"
#include "compiler/ir/texts.h"
#include "compiler/target/target.h"

/* The most combinations of boundary values with which one number is run. */
#define MAX_RUNS 2048

/* The policy with only its rules about system calls: no other rule matches a call. */
static const struct ir *calls_of(const struct ir *ir, struct arena *a)
{
	struct ir *sub = ARENA_NEW(a, struct ir);

	*sub = *ir;
	memset(&sub->rules, 0, sizeof(sub->rules));
	for (size_t i = 0; i < ir->rules.n; i++)
		if (ir->rules.v[i]->kind == IR_SYSCALL ||
		    ir_rule_starts_by_name(ir->rules.v[i]))
			VEC_PUSH(a, &sub->rules, ir->rules.v[i]);
	return sub;
}

/* Checks numbers and architectures that no rule is about. */
static const char *verify_outside(const struct emitted *e, enum pb_filter_kind kind,
				  struct arena *a)
{
	static const struct {
		uint32_t arch, nr, value;
	} rows[] = {
		{ TARGET_AUDIT_ARCH_X86_64, TARGET_X32_BIT, SECCOMP_RET_KILL_PROCESS },
		{ TARGET_AUDIT_ARCH_X86_64, TARGET_X32_BIT + 1, SECCOMP_RET_KILL_PROCESS },
		{ TARGET_AUDIT_ARCH_X86_64, TARGET_X32_BIT + 520, SECCOMP_RET_KILL_PROCESS },
		{ TARGET_AUDIT_ARCH_X86_64, INT32_MAX, SECCOMP_RET_KILL_PROCESS },
		{ TARGET_AUDIT_ARCH_X86_64, TARGET_X32_BIT - 1, SECCOMP_RET_ERRNO | ENOSYS },
		{ TARGET_AUDIT_ARCH_X86_64, 0x80000000u, SECCOMP_RET_ERRNO | ENOSYS },
		{ TARGET_AUDIT_ARCH_X86_64, 0xc0000001u, SECCOMP_RET_ERRNO | ENOSYS },
		{ TARGET_AUDIT_ARCH_X86_64, UINT32_MAX, SECCOMP_RET_ERRNO | ENOSYS },
		{ TARGET_AUDIT_ARCH_I386, 1, SECCOMP_RET_KILL_PROCESS },
		{ TARGET_AUDIT_ARCH_I386, UINT32_MAX, SECCOMP_RET_KILL_PROCESS },
		{ 0xc00000b7u, 0, SECCOMP_RET_KILL_PROCESS },
		{ 0, 0, SECCOMP_RET_KILL_PROCESS },
	};
	static const uint64_t none[6];

	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct seccomp_data data = { .nr = (int)rows[i].nr,
					     .arch = rows[i].arch };
		uint32_t value, pc;

		if (!interp_run(e->insns, e->n, &data, &value, &pc) ||
		    value != rows[i].value)
			return judge_text(
				a, kind, rows[i].nr, none,
				arena_printf(a,
					     "architecture %#x is not answered by %#x",
					     rows[i].arch, rows[i].value));
	}
	return NULL;
}

static const char *verify_filter(const struct ir *ir, const struct bk_output *in,
				 enum pb_filter_kind kind, struct arena *a)
{
	uint32_t end = target_call_end();
	struct emitted e;
	const char *bad = emitted_read(in, kind, a, &e);

	e.ir_rules = ir->rules.n;
	ir = calls_of(ir, a);
	if (!bad)
		bad = verify_outside(&e, kind, a);
	/* include some numbers beyond the last name */
	for (uint32_t nr = 0; nr < end + 64 && !bad; nr++) {
		bool proved = false;
		struct arena scratch;

		/* findings go into an arena that lives for one number */
		arena_init(&scratch, ARENA_DEFAULT_BUDGET);
		if (target_call_by_nr(nr))
			bad = symbolic_number(ir, &e, kind, nr, &scratch, &proved);
		if (!bad)
			bad = judge_number(ir, &e, kind, nr, proved ? 16 : MAX_RUNS,
					   &scratch);
		if (bad)
			bad = arena_printf(a, "%s", bad);
		arena_release(&scratch);
	}
	return bad;
}

const char *bk_seccomp_verify(const struct ir *ir, const struct bk_output *in,
			      struct arena *a)
{
	const char *bad = NULL;

	for (unsigned k = 0; k < PB_FILTER_COUNT && !bad; k++)
		bad = verify_filter(ir, in, (enum pb_filter_kind)k, a);
	return bad;
}
