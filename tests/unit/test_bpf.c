/*
 * The pieces below the filter: interpreter, assembler, decision graphs; and
 * libseccomp's own generator as a second opinion on the policies that it can
 * express (equality under masks).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <fcntl.h>
#include <seccomp.h>

#include "compiler/backend/seccomp/asm.h"
#include "compiler/backend/seccomp/boundary.h"
#include "compiler/backend/seccomp/dag.h"
#include "compiler/backend/seccomp/interp.h"
#include "compiler/backend/seccomp/members.h"
#include "compiler/backend/seccomp/seccomp.h"
#include "tests/lib/load_filter.h"
#include "tests/lib/syscall_ir.h"

/* --- interpreter ------------------------------------------------------------ */

static void test_interpreter_refuses_what_is_not_ours(void **state)
{
	const struct sock_filter ret = BPF_STMT(BPF_RET | BPF_K, 7);
	struct { struct sock_filter v[2]; bool ok; } rows[] = {
		{ { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), ret }, true },
		{ { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 60), ret }, true },
		{ { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64), ret }, false },
		{ { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2), ret }, false },
		{ { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0xfffffffc), ret }, false },
		{ { BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0), ret }, false },
		{ { BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, 1), ret }, false },
		{ { BPF_STMT(BPF_RET | BPF_A, 0), ret }, false },
		{ { BPF_STMT(BPF_JMP | BPF_JA, 0), ret }, true },
		{ { BPF_STMT(BPF_JMP | BPF_JA, 1), ret }, false },
		{ { BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), ret }, false },
		{ { BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0, 0, 0), ret }, false },
		{ { BPF_STMT(BPF_ALU | BPF_OR | BPF_K, 1),
		    BPF_STMT(BPF_ALU | BPF_OR | BPF_K, 1) }, false },
	};
	struct seccomp_data data = { 0 };
	uint32_t value, pc;

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		assert_int_equal(interp_run(rows[i].v, 2, &data, &value, &pc),
				 rows[i].ok);
		if (rows[i].ok) {
			assert_int_equal(value, 7);
			assert_int_equal(pc, 1);
		}
	}
	assert_false(interp_run(rows[0].v, 0, &data, &value, &pc));
}

static void test_interpreter_compares(void **state)
{
	static const struct { uint16_t op; uint32_t acc, k; bool yes; } rows[] = {
		{ BPF_JEQ, 5, 5, true }, { BPF_JEQ, 5, 6, false },
		{ BPF_JGT, 5, 5, false }, { BPF_JGT, 6, 5, true },
		{ BPF_JGE, 5, 5, true }, { BPF_JGE, 4, 5, false },
		{ BPF_JGT, 0x80000000, 1, true }, { BPF_JGE, 0, 0xffffffff, false },
	};
	uint32_t value, pc;

	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		struct sock_filter v[] = {
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
			BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xffffffff),
			BPF_STMT(BPF_ALU | BPF_OR | BPF_K, 0),
			BPF_JUMP((uint16_t)(BPF_JMP | rows[i].op | BPF_K), rows[i].k, 0, 1),
			BPF_STMT(BPF_RET | BPF_K, 1),
			BPF_STMT(BPF_RET | BPF_K, 2),
		};
		struct seccomp_data data = { .nr = (int)rows[i].acc };

		assert_true(interp_run(v, POL_LEN(v), &data, &value, &pc));
		assert_int_equal(value, rows[i].yes ? 1 : 2);
	}
}

/* --- assembler --------------------------------------------------------------- */

static void test_far_jumps_reach_their_target(void **state)
{
	enum { N = 1200 };
	struct asm_program p;
	struct arena a;
	uint32_t rets[N], next, value, pc;
	struct sock_filter *v;
	size_t n, far = 0;

	(void)state;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	asm_init(&p, &a);
	next = asm_ret(&p, 0xffff, true);
	for (uint32_t i = 0; i < N; i++)
		rets[i] = asm_ret(&p, i, i % 3 == 0);
	/* each test's two targets may both be out of reach */
	for (uint32_t i = 0; i < N; i++)
		next = asm_jump(&p, BPF_JEQ, i, rets[(i * 7) % N], next);
	asm_stmt(&p, BPF_LD | BPF_W | BPF_ABS, 0, next);
	v = asm_finish(&p, &n);
	for (size_t i = 0; i < n; i++)
		far += v[i].code == (BPF_JMP | BPF_JA);
	assert_true(far > 100);
	for (uint32_t i = 0; i < N + 1; i++) {
		struct seccomp_data data = { .nr = (int)i };

		assert_true(interp_run(v, n, &data, &value, &pc));
		assert_int_equal(value, i < N ? (i * 7) % N : 0xffff);
		/* a return that is not copied has one place, the label's */
		if (i < N && (i * 7) % N % 3)
			assert_int_equal(pc, asm_pc(&p, rets[(i * 7) % N]));
	}
	arena_release(&a);
}

/* --- decision graphs ------------------------------------------------------------ */

static uint32_t leaf(struct dag *d, uint32_t rule)
{
	return dag_leaf(d, (struct dag_leaf){ DAG_DENY, rule, EPERM });
}

static void test_graphs_are_unique(void **state)
{
	struct arena a;
	struct dag d;
	uint32_t x, y, both;

	(void)state;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	dag_init(&d, &a);
	x = dag_cond(&d, sir_cmp(&a, 0, 32, IR_EQ, UINT32_MAX, 5));
	y = dag_cond(&d, sir_cmp(&a, 1, 64, IR_GE, UINT64_MAX, 7));
	assert_int_equal(dag_and(&d, x, y), dag_and(&d, y, x));
	assert_int_equal(dag_not(&d, dag_not(&d, x)), x);
	assert_int_equal(dag_or(&d, x, dag_not(&d, x)), DAG_TRUE);
	assert_int_equal(dag_and(&d, x, dag_not(&d, x)), DAG_FALSE);
	both = dag_ite(&d, x, leaf(&d, 1), leaf(&d, 1));
	assert_int_equal(both, leaf(&d, 1));
	assert_int_not_equal(leaf(&d, 1), leaf(&d, 2));
	/* no verdict is a truth value */
	assert_true(dag_leaf(&d, (struct dag_leaf){ DAG_ALLOW, 0, 0 }) > DAG_TRUE);
	/* x < 7 and x >= 7 are one atom */
	assert_int_equal(dag_not(&d, y),
			 dag_cond(&d, sir_cmp(&a, 1, 64, IR_LT, UINT64_MAX, 7)));
	assert_int_equal(y, dag_cond(&d, sir_cmp(&a, 1, 64, IR_GT, UINT64_MAX, 6)));
	arena_release(&a);
}

static void test_constant_compares_fold(void **state)
{
	static const struct { unsigned width; enum ir_cmp cmp; uint64_t mask, value;
			      uint32_t want; } rows[] = {
		{ 32, IR_EQ, UINT32_MAX, 0x100000005, DAG_FALSE },
		{ 32, IR_NE, UINT32_MAX, 0x100000005, DAG_TRUE },
		{ 64, IR_EQ, 0xf, 0x10, DAG_FALSE },
		{ 64, IR_EQ, 0, 0, DAG_TRUE },
		{ 64, IR_GE, UINT64_MAX, 0, DAG_TRUE },
		{ 64, IR_LT, UINT64_MAX, 0, DAG_FALSE },
		{ 64, IR_GT, UINT64_MAX, UINT64_MAX, DAG_FALSE },
		{ 64, IR_LE, UINT64_MAX, UINT64_MAX, DAG_TRUE },
		{ 32, IR_GT, UINT64_MAX, UINT32_MAX, DAG_FALSE },
		{ 32, IR_LE, UINT64_MAX, UINT32_MAX, DAG_TRUE },
		{ 64, IR_GE, 0xf0, 0xf1, DAG_FALSE },
	};
	struct arena a;
	struct dag d;

	(void)state;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	dag_init(&d, &a);
	for (size_t i = 0; i < POL_LEN(rows); i++)
		assert_int_equal(dag_cond(&d, sir_cmp(&a, 0, rows[i].width,
				 rows[i].cmp, rows[i].mask, rows[i].value)),
				 rows[i].want);
	arena_release(&a);
}

static void test_impossible_combinations_are_pruned(void **state)
{
	struct arena a;
	struct dag d;
	uint32_t f, bits, low, eq;

	(void)state;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	dag_init(&d, &a);
	/* x == 3 and x & 1 == 0: nothing is both */
	eq = dag_cond(&d, sir_cmp(&a, 0, 32, IR_EQ, UINT32_MAX, 3));
	bits = dag_cond(&d, sir_cmp(&a, 0, 32, IR_EQ, 1, 0));
	f = dag_ite(&d, dag_and(&d, eq, bits), leaf(&d, 1), leaf(&d, 2));
	assert_int_equal(dag_size(&d, f), 2);
	assert_int_equal(dag_prune(&d, f), leaf(&d, 2));
	/* on another argument it is possible */
	bits = dag_cond(&d, sir_cmp(&a, 1, 32, IR_EQ, 1, 0));
	f = dag_ite(&d, dag_and(&d, eq, bits), leaf(&d, 1), leaf(&d, 2));
	assert_int_equal(dag_prune(&d, f), f);
	/* three masks: (x & 3) != 0 follows from (x & 1) != 0 */
	bits = dag_not(&d, dag_cond(&d, sir_cmp(&a, 2, 64, IR_EQ, 3, 0)));
	low = dag_not(&d, dag_cond(&d, sir_cmp(&a, 2, 64, IR_EQ, 1, 0)));
	f = dag_ite(&d, dag_and(&d, low, dag_not(&d, bits)), leaf(&d, 1), leaf(&d, 2));
	assert_int_equal(dag_prune(&d, f), leaf(&d, 2));
	arena_release(&a);
}

/* --- limits ------------------------------------------------------------------------ */

static void test_too_long_a_filter_is_an_error(void **state)
{
	struct bk_output out;
	struct diag_sink sink;
	struct arena a;
	struct ir *ir;
	struct ir_cond *any = NULL;
	struct ir_rule *r;

	(void)state;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	ir = ir_new(&a);
	ir->scalars[IR_S_SYSCALL_OTHERWISE].effect = IR_ALLOW;
	for (unsigned i = 0; i < 5000; i++) {
		struct ir_cond *c = sir_cmp(&a, 1, 32, IR_EQ, UINT32_MAX, i * 5u);

		any = any ? sir_op(&a, IR_C_OR, c, any) : c;
	}
	sir_rule(ir, IR_USER, IR_DENY, sir_nr("socket"),
		 sir_cmp(&a, 0, 32, IR_EQ, UINT32_MAX, 17));
	r = sir_rule(ir, IR_USER, IR_DENY, sir_nr("ioctl"), any);
	sir_finish(ir);
	r->at.span = (struct span){ 3, 14, 15 };
	diag_init(&sink, &a);
	out = (struct bk_output){ .a = &a };
	assert_false(bk_seccomp.emit(ir, &out, &sink));
	assert_int_equal(sink.errors, 1);
	assert_int_equal(sink.list.v[0]->code, DIAG_SECCOMP_SIZE);
	assert_int_equal(sink.list.v[0]->at.off, 14);
	assert_int_equal(out.members.n, 0);
	arena_release(&a);
}

static void test_too_complex_conditions_are_an_error(void **state)
{
	struct bk_output out;
	struct diag_sink sink;
	struct arena a;
	struct ir *ir;
	struct ir_cond *any = NULL;

	(void)state;
	arena_init(&a, (size_t)8 << 30);
	ir = ir_new(&a);
	/* x_i and y_i with all x before all y: exponential in any one order */
	for (unsigned i = 0; i < 44; i++) {
		struct ir_cond *c = sir_cmp(&a, 1, 64, IR_EQ, (uint64_t)1 << i, 0);

		any = any ? sir_op(&a, IR_C_OR, any, c) : c;
	}
	any = sir_op(&a, IR_C_OR, any, sir_op(&a, IR_C_FALSE, NULL, NULL));
	for (unsigned i = 0, k = 0; i < 22; i++, k += 2) {
		struct ir_cond *c = sir_op(&a, IR_C_AND,
			sir_cmp(&a, 1, 64, IR_EQ, (uint64_t)1 << i, 0),
			sir_cmp(&a, 1, 64, IR_EQ, (uint64_t)1 << (i + 22), 0));

		any = i ? sir_op(&a, IR_C_OR, any, c) :
		      sir_op(&a, IR_C_OR, sir_op(&a, IR_C_AND, any,
			     sir_op(&a, IR_C_FALSE, NULL, NULL)), c);
	}
	sir_rule(ir, IR_USER, IR_DENY, sir_nr("ioctl"), any);
	sir_finish(ir);
	diag_init(&sink, &a);
	out = (struct bk_output){ .a = &a };
	assert_false(bk_seccomp.emit(ir, &out, &sink));
	assert_int_equal(sink.list.v[0]->code, DIAG_SECCOMP_COMPLEX);
	arena_release(&a);
}

/* --- libseccomp's opinion ------------------------------------------------------------- */

static uint64_t rnd_state = 88172645463325252u;

static uint64_t rnd(void)
{
	rnd_state ^= rnd_state << 13;
	rnd_state ^= rnd_state >> 7;
	rnd_state ^= rnd_state << 17;
	return rnd_state >> 8;
}

/* One deny of up to three compares of different arguments, in both generators. */
static void add_deny(struct ir *ir, scmp_filter_ctx ctx, const char *name,
		     uint16_t err)
{
	const struct target_call *call = target_call_by_name(str_from(name));
	struct scmp_arg_cmp cmps[3];
	struct ir_cond *all = NULL;
	unsigned n = 0;

	for (unsigned arg = 0; arg < 3 && (int)arg < call->nargs; arg++) {
		uint64_t bits = call->args[arg].mask;
		uint64_t mask = rnd() % 3 ? bits : (rnd() % 16 << (rnd() % 40)) & bits;
		uint64_t value = (rnd() % 5) & mask;
		struct ir_cond *c;

		if (mask == 0 || rnd() % 3 == 0)
			continue;
		c = sir_cmp(ir->a, arg, call->args[arg].width, IR_EQ, mask, value);
		all = all ? sir_op(ir->a, IR_C_AND, all, c) : c;
		cmps[n++] = SCMP_CMP64(arg, SCMP_CMP_MASKED_EQ, mask, value);
	}
	/* it refuses a rule of which it already has the like */
	if (seccomp_rule_add_exact_array(ctx, SCMP_ACT_ERRNO(err), (int)call->nr, n,
					 cmps) == 0)
		sir_rule(ir, IR_USER, IR_DENY, call->nr, all)->err = err;
}

static struct sock_filter *export_bpf(scmp_filter_ctx ctx, size_t *ret_n)
{
	int fd = memfd_create("bpf", MFD_CLOEXEC);
	struct sock_filter *v;
	off_t size;

	assert_true(fd >= 0);
	assert_int_equal(seccomp_export_bpf(ctx, fd), 0);
	size = lseek(fd, 0, SEEK_END);
	v = malloc((size_t)size);
	assert_int_equal(pread(fd, v, (size_t)size, 0), size);
	close(fd);
	*ret_n = (size_t)size / sizeof(*v);
	return v;
}

#ifdef POL_SAN
/* libseccomp 2.5.4 forgets memory when it refuses a rule. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libseccomp.so";
}
#endif

static size_t opinions[2];

static void compare_opinions(const struct ir *ir, const struct sock_filter *ours,
			     size_t nours, const struct sock_filter *theirs,
			     size_t ntheirs, uint32_t nr)
{
	struct boundary b;
	size_t n;

	boundary_find(ir, PB_FILTER_ENFORCE, nr, ir->a, &b);
	n = boundary_count(&b);
	for (size_t i = 0; i < n && i < 4000; i++) {
		struct seccomp_data data = { .nr = (int)nr,
					     .arch = TARGET_AUDIT_ARCH_X86_64 };
		uint64_t args[6];
		uint32_t x, y, pc;

		boundary_args(&b, n > 4000 ? rnd() % n : i, args);
		for (unsigned k = 0; k < 6; k++)
			data.args[k] = args[k];
		assert_true(interp_run(ours, nours, &data, &x, &pc));
		assert_true(interp_run(theirs, ntheirs, &data, &y, &pc));
		if (x != y)
			fail_msg("call %u: ours %#x, libseccomp's %#x", nr, x, y);
		opinions[x == SECCOMP_RET_ALLOW]++;
	}
}

static void test_libseccomp_agrees(void **state)
{
	static const char *const names[] = { "socket", "ioctl", "mprotect", "clone",
					     "openat", "lseek", "unshare" };

	(void)state;
	for (unsigned run = 0; run < 60; run++) {
		scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
		struct sock_filter *ours, *theirs;
		struct bk_output out;
		struct diag_sink sink;
		struct emitted e;
		struct arena a;
		struct ir *ir;
		size_t n;

		arena_init(&a, ARENA_DEFAULT_BUDGET);
		ir = ir_new(&a);
		ir->scalars[IR_S_SYSCALL_OTHERWISE].effect = IR_ALLOW;
		for (unsigned i = 0; i < 10; i++) {
			unsigned k = (unsigned)(rnd() % POL_LEN(names));

			/* one errno a call: libseccomp has no order of rules */
			add_deny(ir, ctx, names[k], (uint16_t)(k + 1));
		}
		sir_finish(ir);
		diag_init(&sink, &a);
		out = (struct bk_output){ .a = &a };
		assert_true(bk_seccomp.emit(ir, &out, &sink));
		/* without a listener all three decide alike */
		assert_null(emitted_read(&out, (enum pb_filter_kind)(run % PB_FILTER_COUNT),
					 &a, &e));
		ours = errno_program(e.insns, e.n, e.map, e.nmap);
		theirs = export_bpf(ctx, &n);
		for (size_t i = 0; i < POL_LEN(names); i++)
			compare_opinions(ir, ours, e.n, theirs, n, sir_nr(names[i]));
		free(ours);
		free(theirs);
		seccomp_release(ctx);
		arena_release(&a);
	}
	printf("libseccomp: denied %zu, allowed %zu\n", opinions[0], opinions[1]);
	assert_true(opinions[0] > 500 && opinions[1] > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interpreter_refuses_what_is_not_ours),
		cmocka_unit_test(test_interpreter_compares),
		cmocka_unit_test(test_far_jumps_reach_their_target),
		cmocka_unit_test(test_graphs_are_unique),
		cmocka_unit_test(test_constant_compares_fold),
		cmocka_unit_test(test_impossible_combinations_are_pruned),
		cmocka_unit_test(test_too_long_a_filter_is_an_error),
		cmocka_unit_test(test_too_complex_conditions_are_an_error),
		cmocka_unit_test(test_libseccomp_agrees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
