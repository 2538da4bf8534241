/*
 * Law L5 for system calls: on random policies the compiled filters decide as
 * the evaluator does, at every number and every boundary of every argument;
 * verify sees any change that matters; and a sample of the same rows runs in
 * the real kernel.  SEED= and RUNS= from the environment.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "compiler/backend/seccomp/boundary.h"
#include "compiler/backend/seccomp/interp.h"
#include "compiler/backend/seccomp/members.h"
#include "compiler/backend/seccomp/seccomp.h"
#include "compiler/backend/seccomp/symbolic.h"
#include "tests/lib/load_filter.h"
#include "tests/lib/syscall_ir.h"

static uint64_t seed, state;
static unsigned runs;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static unsigned below(unsigned n)
{
	return (unsigned)((rnd() >> 11) % n);
}

static bool chance(unsigned percent)
{
	return below(100) < percent;
}

/* --- what decided how often ------------------------------------------------------ */

static size_t by_step[EVAL_STEP_COUNT], by_level[IR_LEVEL_COUNT],
	by_effect[IR_EFFECT_COUNT], by_kernel[2], by_soft, rows_run, proved, unproved;
static size_t mutants, mutants_seen;

static void counted(const char *what, size_t n)
{
	printf("  %-22s %zu\n", what, n);
	/* a few policies may miss what chance alone finds */
	if (n == 0 && runs >= 200)
		fail_msg("seed %llu: '%s' never decided", (unsigned long long)seed, what);
}

/* --- random policies -------------------------------------------------------------- */

/* Calls that do nothing on descriptor -1 or with these arguments. */
static const char *const harmless[] = {
	"ioctl", "fcntl", "lseek", "sendto", "connect", "setsockopt", "getsockopt",
	"fchmod", "epoll_ctl", "timerfd_settime", "pread64", "fadvise64", "listen",
	"shutdown", "accept4", "fchown", "flock", "dup3",
};

static const char *const others[] = {
	"socket", "clone", "prctl", "mmap", "mprotect", "unshare", "ptrace", "open",
	"openat", "kill", "personality", "mount", "chmod", "getpid", "bpf", "execve",
};

static uint32_t random_nr(void)
{
	size_t n;
	const struct target_call *calls;

	if (chance(50))
		return sir_nr(harmless[below(POL_LEN(harmless))]);
	if (chance(80))
		return sir_nr(others[below(POL_LEN(others))]);
	calls = target_calls(&n);
	return calls[below((unsigned)n)].nr;
}

static uint64_t random_value(void)
{
	static const uint64_t values[] = {
		0, 1, 2, 3, 7, 16, 17, 0x5412, 0x80000000, 0xffffffff, 0x7fffffff,
		0x10000000, 0x100000000, 0xffffffff00000000, 0x8000000000000000,
		UINT64_MAX, 0x100000001, 0xfffffffffffffffe,
	};

	if (chance(70))
		return values[below(POL_LEN(values))];
	return rnd() >> below(64);
}

static uint64_t random_mask(unsigned width)
{
	switch (below(6)) {
	case 0:
		return (uint64_t)1 << below(width);
	case 1:
		return 0xf;
	case 2:
		return (uint64_t)0x12 << below(width - 8);
	case 3:
		return width == 64 ? 0xffff0000ffff0000 : 0xffff;
	default:
		return width == 64 ? UINT64_MAX : UINT32_MAX;
	}
}

static struct ir_cond *random_compare(struct arena *a, uint32_t nr)
{
	const struct target_call *call = target_call_by_nr(nr);
	unsigned n = call->nargs > 0 ? (unsigned)call->nargs : 1, arg = below(n);
	unsigned width = call->nargs > 0 ? call->args[arg].width : 64;
	uint64_t mask = random_mask(width), value = random_value();

	/* few arguments, so that conditions meet each other */
	if (chance(60))
		arg = n > 1;
	width = call->nargs > 0 ? call->args[arg].width : 64;
	if (width == 32)
		mask &= UINT32_MAX;
	if (chance(70))
		value &= mask;
	return sir_cmp(a, arg, width, (enum ir_cmp)below(6), mask, value);
}

static struct ir_cond *random_cond(struct arena *a, uint32_t nr, unsigned depth)
{
	if (depth == 0 || chance(50))
		return random_compare(a, nr);
	switch (below(8)) {
	case 0:
		return sir_op(a, chance(50) ? IR_C_TRUE : IR_C_FALSE, NULL, NULL);
	case 1:
		return sir_op(a, IR_C_NOT, random_cond(a, nr, depth - 1), NULL);
	case 2:
	case 3:
	case 4:
		return sir_op(a, IR_C_OR, random_cond(a, nr, depth - 1),
			      random_cond(a, nr, depth - 1));
	default:
		return sir_op(a, IR_C_AND, random_cond(a, nr, depth - 1),
			      random_cond(a, nr, depth - 1));
	}
}

/* No call on descriptor -1 gives these by itself. */
static const uint16_t errnos[] = { EPERM, EACCES, EXDEV, EPROTO, EDOM, ENOTNAM };

static void random_rule(struct ir *ir, const uint32_t *nrs, unsigned nnrs)
{
	enum ir_level level = (enum ir_level)(IR_MANAGED + below(5));
	enum ir_effect effect = (enum ir_effect)below(3);
	uint32_t nr = nrs[below(nnrs)];
	struct ir_rule *r = sir_rule(ir, level, effect, nr, chance(15) ? NULL :
				     random_cond(ir->a, nr, 2));

	if (effect == IR_DENY)
		r->err = errnos[below(POL_LEN(errnos))];
	if (level <= IR_MANAGED_FILE && effect != IR_ASK && chance(30))
		r->final = true;
	if (effect == IR_ASK && level > IR_MANAGED && chance(40))
		r->soft = true;
	if (level == IR_DEFAULT && effect == IR_DENY && chance(60))
		r->floor = true;
	if (chance(10))
		r->scopes = chance(50) ? IR_HOST : IR_SANDBOX;
	while (chance(25))
		sir_except(ir, r, chance(80) ? nr : nrs[below(nnrs)],
			   chance(10) ? NULL : random_cond(ir->a, nr, 1));
}

/* Which allows lift is the pass lift's business; here any may. */
static void random_lifts(struct ir *ir)
{
	for (size_t i = 0; i < ir->rules.n; i++) {
		struct ir_rule *r = ir->rules.v[i];

		if (r->level != IR_DEFAULT || r->effect == IR_ALLOW)
			continue;
		r->lifted_by = arena_array(ir->a, ir->rules.n, sizeof(*r->lifted_by));
		for (size_t k = 0; k < ir->rules.n; k++)
			if (ir->rules.v[k]->effect == IR_ALLOW &&
			    ir->rules.v[k]->level < IR_DEFAULT && chance(25))
				r->lifted_by[r->nlifted_by++] = (uint32_t)k;
	}
}

static struct ir *random_policy(struct arena *a)
{
	struct ir *ir = ir_new(a);
	uint32_t nrs[4];
	unsigned n = 1 + below(12);

	for (unsigned i = 0; i < POL_LEN(nrs); i++)
		nrs[i] = random_nr();
	for (unsigned i = 0; i < n; i++)
		random_rule(ir, nrs, POL_LEN(nrs));
	if (chance(25)) {
		ir->locked[IR_SYSCALL].level = chance(50) ? IR_MANAGED :
							    IR_MANAGED_FILE;
		ir->locked[IR_SYSCALL].at = ir->scalars[0].at;
	}
	ir->scalars[IR_S_SYSCALL_OTHERWISE].effect = (enum ir_effect)below(3);
	sir_finish(ir);
	random_lifts(ir);
	return ir;
}

/* --- one row ------------------------------------------------------------------------ */

static void evaluate(const struct ir *ir, uint32_t nr, const uint64_t args[6],
		     struct eval_decision *d)
{
	struct ir_request req = { .kind = IR_SYSCALL, .scope = IR_SANDBOX, .nr = nr,
				  .nr_known = target_call_by_nr(nr) != NULL };
	struct arena a;

	memcpy(req.args, args, sizeof(req.args));
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	eval_decide(ir, &req, &a, d);
	arena_release(&a);
	by_step[d->step]++;
	by_effect[d->effect]++;
	if (d->rule)
		by_level[d->rule->level]++;
	by_soft += d->rule && d->rule->soft;
}

/* What the broker's filter notifies, read from the list itself: nr, argument, mask. */
static const struct {
	const char *name;
	unsigned arg;
	uint32_t mask;
} brokered[] = {
#define BROKER_CALL(name, arg, mask) { #name, arg, mask },
#include "runtime/bundle/broker_calls.def"
};

static bool is_brokered(uint32_t nr, const uint64_t args[6])
{
	const struct target_call *c = target_call_by_nr(nr);

	for (size_t i = 0; c && i < POL_LEN(brokered); i++)
		if (strcmp(c->name, brokered[i].name) == 0)
			/* no rule here takes a program away by name */
			return brokered[i].arg != BROKER_STARTS &&
			       (brokered[i].arg == BROKER_ALWAYS ||
				((uint32_t)args[brokered[i].arg] & brokered[i].mask));
	return false;
}

/* Is that how this filter answers an allowed call? */
static bool is_passed(enum pb_filter_kind kind, uint32_t nr, const uint64_t args[6],
		      uint32_t value, const struct pb_map_entry *m)
{
	if (kind == PB_FILTER_BROKER && is_brokered(nr, args))
		return value == SECCOMP_RET_USER_NOTIF && m &&
		       m->verdict == PB_V_BROKER;
	if (kind == PB_FILTER_TRACE && m && m->verdict == PB_V_TRACE)
		return value == SECCOMP_RET_USER_NOTIF;
	return value == SECCOMP_RET_ALLOW && !m &&
	       !(kind == PB_FILTER_TRACE && is_brokered(nr, args));
}

static void check_row(const struct ir *ir, const struct emitted *e,
		      enum pb_filter_kind kind, uint32_t nr, const uint64_t args[6])
{
	struct seccomp_data data = { .nr = (int)nr,
				     .arch = TARGET_AUDIT_ARCH_X86_64 };
	uint32_t value = 0, pc = 0, wanted;
	const struct pb_map_entry *m;
	struct eval_decision d;
	bool ok;

	for (unsigned i = 0; i < 6; i++)
		data.args[i] = args[i];
	evaluate(ir, nr, args, &d);
	ok = interp_run(e->insns, e->n, &data, &value, &pc);
	m = emitted_entry(e, pc);
	rows_run++;
	if (d.step == EVAL_STEP_UNKNOWN) {
		ok = ok && value == (SECCOMP_RET_ERRNO | ENOSYS);
	} else if (d.effect == IR_ALLOW) {
		ok = ok && is_passed(kind, nr, args, value, m);
	} else {
		wanted = d.rule ? d.rule->index :
			 (uint32_t)ir->rules.n + IR_S_SYSCALL_OTHERWISE;
		ok = ok && value == SECCOMP_RET_USER_NOTIF && m &&
		     m->verdict == PB_V_DENY && m->rule == wanted &&
		     m->err == (d.err ? d.err : EPERM);
	}
	if (!ok)
		fail_msg("seed %llu: nr %u (%llx %llx %llx %llx): evaluator %s, %s, "
			 "filter %#x at %u", (unsigned long long)seed, nr,
			 (unsigned long long)args[0], (unsigned long long)args[1],
			 (unsigned long long)args[2], (unsigned long long)args[3],
			 ir_effect_name(d.effect), eval_step_name(d.step), value, pc);
}

static void check_number(const struct ir *ir, const struct emitted *e,
			 enum pb_filter_kind kind, uint32_t nr, struct arena *a)
{
	static const uint64_t zero[6];
	struct boundary b;
	uint64_t args[6];
	size_t n, most = 3000;

	check_row(ir, e, kind, nr, zero);
	boundary_find(ir, kind, nr, a, &b);
	n = boundary_count(&b);
	for (size_t i = 0; i < n && i < most; i++) {
		boundary_args(&b, n > most ? (size_t)(rnd() % n) : i, args);
		check_row(ir, e, kind, nr, args);
	}
}

static bool has_rule(const struct ir *ir, uint32_t nr)
{
	for (size_t i = 0; i < ir->rules.n; i++)
		if (ir->rules.v[i]->set.u.syscall.nr == nr)
			return true;
	return false;
}

static void check_filter(const struct ir *ir, const struct bk_output *out,
			 enum pb_filter_kind kind)
{
	struct emitted e;
	bool done;

	assert_null(emitted_read(out, kind, ir->a, &e));
	e.ir_rules = ir->rules.n;
	for (uint32_t nr = 0; nr < target_call_end() + 8; nr++) {
		check_number(ir, &e, kind, nr, ir->a);
		if (!has_rule(ir, nr))
			continue;
		assert_null(symbolic_number(ir, &e, kind, nr, ir->a, &done));
		*(done ? &proved : &unproved) += 1;
	}
}

static struct ir *emitted_policy(struct arena *a, struct bk_output *out)
{
	struct ir *ir = random_policy(a);
	struct diag_sink sink;

	diag_init(&sink, a);
	*out = (struct bk_output){ .a = a };
	if (!bk_seccomp.emit(ir, out, &sink))
		fail_msg("seed %llu: %.*s", (unsigned long long)seed,
			 STR_ARG(sink.list.v[0]->text));
	return ir;
}

static void next_seed(void)
{
	seed++;
	state = seed * 0x9e3779b97f4a7c15u | 1;
	(void)rnd();
	(void)rnd();
}

static void test_filter_equals_evaluator(void **unused)
{
	struct bk_output out;
	struct arena a;

	(void)unused;
	for (unsigned i = 0; i < runs; i++) {
		const struct ir *ir;
		const char *bad;

		next_seed();
		arena_init(&a, ARENA_DEFAULT_BUDGET);
		ir = emitted_policy(&a, &out);
		check_filter(ir, &out, PB_FILTER_ENFORCE);
		if (i % 2 == 0)
			check_filter(ir, &out, PB_FILTER_BROKER);
		if (i % 4 == 0)
			check_filter(ir, &out, PB_FILTER_TRACE);
		bad = bk_seccomp.verify(ir, &out, &a);
		if (bad)
			fail_msg("seed %llu: verify: %s", (unsigned long long)seed, bad);
		arena_release(&a);
	}
	printf("rows %zu, numbers with rules proved %zu, too many ways %zu\n",
	       rows_run, proved, unproved);
	counted("final rule", by_step[EVAL_STEP_FINAL]);
	counted("rules", by_step[EVAL_STEP_RULES]);
	counted("default rule", by_step[EVAL_STEP_DEFAULT]);
	counted("floor", by_step[EVAL_STEP_FLOOR]);
	counted("default allow", by_step[EVAL_STEP_BASE_ALLOW]);
	counted("otherwise", by_step[EVAL_STEP_OTHERWISE]);
	counted("unknown number", by_step[EVAL_STEP_UNKNOWN]);
	for (unsigned l = IR_MANAGED; l < IR_LEVEL_COUNT; l++)
		counted(ir_level_name((enum ir_level)l), by_level[l]);
	for (unsigned e = IR_ALLOW; e <= IR_DENY; e++)
		counted(ir_effect_name((enum ir_effect)e), by_effect[e]);
	counted("soft ask", by_soft);
	counted("numbers proved", proved);
}

/* --- verify must be able to fail ------------------------------------------------------- */

/* Changes one instruction of the enforcing filter. */
static void mutate(struct bk_output *out)
{
	struct str *bytes = NULL;
	struct sock_filter *v, *i;
	char *copy;

	for (size_t k = 0; k < out->members.n; k++)
		if (str_eqz(out->members.v[k].path, PB_SECCOMP_ENFORCE))
			bytes = &out->members.v[k].bytes;
	assert_non_null(bytes);
	copy = arena_dup(out->a, bytes->p, bytes->n);
	v = (struct sock_filter *)(void *)copy;
	i = &v[below((unsigned)(bytes->n / sizeof(*v)))];
	bytes->p = copy;
	switch (BPF_CLASS(i->code)) {
	case BPF_JMP:
		if (BPF_OP(i->code) != BPF_JA && chance(50)) {
			uint8_t t = i->jt;

			i->jt = i->jf;
			i->jf = t;
			return;
		}
		i->k++;
		return;
	case BPF_RET:
		i->k = i->k == SECCOMP_RET_ALLOW ? SECCOMP_RET_USER_NOTIF :
						   SECCOMP_RET_ALLOW;
		return;
	default:
		i->k ^= chance(50) ? 4 : 8;
		return;
	}
}

static void test_verify_sees_changes(void **unused)
{
	struct bk_output out;
	struct arena a;

	(void)unused;
	for (unsigned i = 0; i < runs; i++) {
		const struct ir *ir;

		next_seed();
		arena_init(&a, ARENA_DEFAULT_BUDGET);
		ir = emitted_policy(&a, &out);
		mutate(&out);
		mutants++;
		mutants_seen += bk_seccomp.verify(ir, &out, &a) != NULL;
		arena_release(&a);
	}
	printf("changed instructions %zu, seen %zu\n", mutants, mutants_seen);
	/* the others change nothing (a jump whose two targets decide alike); a few may be among these */
	assert_true(runs < 200 || mutants_seen * 10 >= mutants * 8);
}

/* --- the kernel ------------------------------------------------------------------------- */

#define MAX_CALLS 64

static size_t pick_calls(const struct ir *ir, struct kernel_call *calls)
{
	size_t n = 0;

	for (size_t i = 0; i < POL_LEN(harmless); i++) {
		uint32_t nr = sir_nr(harmless[i]);
		struct boundary b;
		size_t count;

		if (!has_rule(ir, nr))
			continue;
		boundary_find(ir, PB_FILTER_ENFORCE, nr, ir->a, &b);
		count = boundary_count(&b);
		for (unsigned k = 0; k < 12 && n < MAX_CALLS; k++) {
			calls[n] = (struct kernel_call){ .nr = (long)nr };
			boundary_args(&b, (size_t)(rnd() % count), calls[n].args);
			/* the descriptor -1, whatever stands above an int */
			calls[n].args[0] = calls[n].args[0] << 32 | UINT32_MAX;
			n++;
		}
	}
	return n;
}

static void check_kernel_row(const struct ir *ir, const struct kernel_call *c)
{
	struct eval_decision d;
	bool by_filter = false;

	if (!c->done)
		fail_msg("seed %llu: call %ld never returned", (unsigned long long)seed,
			 c->nr);
	evaluate(ir, (uint32_t)c->nr, c->args, &d);
	for (size_t i = 0; i < POL_LEN(errnos); i++)
		by_filter |= c->err == errnos[i];
	if (d.effect == IR_ALLOW ? by_filter : c->err != (d.err ? d.err : EPERM))
		fail_msg("seed %llu: kernel gives errno %d for call %ld (%llx %llx "
			 "%llx), evaluator says %s", (unsigned long long)seed, c->err,
			 c->nr, (unsigned long long)c->args[0],
			 (unsigned long long)c->args[1],
			 (unsigned long long)c->args[2], ir_effect_name(d.effect));
	by_kernel[d.effect != IR_ALLOW]++;
}

static void test_kernel_equals_evaluator(void **unused)
{
	struct kernel_call calls[MAX_CALLS];
	struct bk_output out;
	struct arena a;

	(void)unused;
	for (unsigned i = 0; i < runs; i++) {
		struct sock_filter *prog;
		struct emitted e;
		struct ir *ir;
		size_t n;

		next_seed();
		arena_init(&a, ARENA_DEFAULT_BUDGET);
		ir = emitted_policy(&a, &out);
		assert_null(emitted_read(
			&out, (enum pb_filter_kind)(i % PB_FILTER_COUNT), &a, &e));
		n = pick_calls(ir, calls);
		prog = errno_program(e.insns, e.n, e.map, e.nmap);
		if (run_in_kernel(prog, e.n, calls, n) == -1)
			fail_msg("the filter was not loaded: %s", strerror(errno));
		for (size_t k = 0; k < n; k++)
			check_kernel_row(ir, &calls[k]);
		free(prog);
		arena_release(&a);
	}
	counted("kernel allowed", by_kernel[0]);
	counted("kernel denied", by_kernel[1]);
}

static uint64_t from_env(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);

	return s && *s ? strtoull(s, NULL, 0) : otherwise;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filter_equals_evaluator),
		cmocka_unit_test(test_verify_sees_changes),
		cmocka_unit_test(test_kernel_equals_evaluator),
	};

	seed = from_env("SEED", (uint64_t)time(NULL));
	runs = (unsigned)from_env("RUNS", 300);
	printf("SEED=%llu RUNS=%u\n", (unsigned long long)seed, runs);
	seed--;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
