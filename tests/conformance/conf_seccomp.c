/*
 * Hand-made rows of semantics 3.1 and of filters that went wrong elsewhere,
 * each in three worlds: the evaluator, the compiled filter (interpreter, and
 * its trace twin), and where the call is harmless the running kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compiler/backend/seccomp/interp.h"
#include "compiler/backend/seccomp/members.h"
#include "compiler/backend/seccomp/seccomp.h"
#include "tests/lib/load_filter.h"
#include "tests/lib/syscall_ir.h"

#define HI(x) ((uint64_t)(x) | 0xdeadbeef00000000u) /* the upper half set */
#define M32 0xffffffffu
#define TIOCSTI_ 0x5412
#define NEWUSER 0x10000000u
#define PROTECT 2, 64 /* mprotect's prot */

static struct ir *ir;

static struct ir_cond *eq(unsigned arg, unsigned width, uint64_t v)
{
	return sir_cmp(ir->a, arg, width, IR_EQ, UINT64_MAX, v);
}

static struct ir_cond *mask(unsigned arg, unsigned width, uint64_t m)
{
	return sir_cmp(ir->a, arg, width, IR_NE, m, 0);
}

static struct ir_cond *cmp(unsigned arg, unsigned width, enum ir_cmp op, uint64_t v)
{
	return sir_cmp(ir->a, arg, width, op, UINT64_MAX, v);
}

static struct ir_cond *both(struct ir_cond *x, struct ir_cond *y)
{
	return sir_op(ir->a, IR_C_AND, x, y);
}

static struct ir_cond *not(struct ir_cond *x)
{
	return sir_op(ir->a, IR_C_NOT, x, NULL);
}

static struct ir_rule *rule(enum ir_level l, enum ir_effect e, const char *call,
			    struct ir_cond *c, uint16_t err)
{
	struct ir_rule *r = sir_rule(ir, l, e, sir_nr(call), c);

	if (err)
		r->err = err;
	return r;
}

static void otherwise(enum ir_effect e)
{
	ir->scalars[IR_S_SYSCALL_OTHERWISE].effect = e;
}

/* --- policies -------------------------------------------------------------- */

static void families(void)
{
	rule(IR_USER, IR_DENY, "socket", eq(0, 32, 17), EACCES);
	rule(IR_USER, IR_DENY, "socket", eq(0, 32, 40), EAFNOSUPPORT);
	rule(IR_USER, IR_DENY, "socket",
	     sir_cmp(ir->a, 1, 32, IR_EQ, 0xf, 3), EPROTO);
	/* netlink but for NETLINK_ROUTE */
	sir_except(ir, rule(IR_USER, IR_DENY, "socket", eq(0, 32, 16), EXDEV),
		   sir_nr("socket"), eq(2, 32, 0));
}

static void terminal(void)
{
	static const uint32_t cmds[] = { TIOCSTI_, 0x541c, 0x541d, 0x5423 };

	for (size_t i = 0; i < POL_LEN(cmds); i++)
		rule(IR_DEFAULT, IR_DENY, "ioctl", eq(1, 32, cmds[i]), EXDEV)->floor =
			true;
}

static void namespaces(void)
{
	rule(IR_USER, IR_DENY, "clone", mask(0, 32, NEWUSER), EDOM);
	rule(IR_USER, IR_DENY, "unshare", mask(0, 64, NEWUSER), EDOM);
	rule(IR_USER, IR_DENY, "clone3", NULL, ENOSYS);
	rule(IR_USER, IR_DENY, "mount", NULL, EDOM);
	rule(IR_USER, IR_DENY, "fsopen", NULL, EDOM);
	rule(IR_USER, IR_DENY, "open_tree", NULL, EDOM);
	rule(IR_USER, IR_DENY, "move_mount", NULL, EDOM);
	rule(IR_USER, IR_DENY, "mount_setattr", NULL, EDOM);
}

static void masks(void)
{
	/* write and exec together */
	rule(IR_USER, IR_DENY, "mprotect", both(mask(PROTECT, 2), mask(PROTECT, 4)),
	     EDOM);
	/* more than the known bits */
	rule(IR_USER, IR_DENY, "mprotect", mask(PROTECT, ~0x300000full), EXDEV);
	/* an interval and a mask of one argument */
	rule(IR_USER, IR_DENY, "fadvise64",
	     both(cmp(3, 32, IR_GE, 4), not(mask(3, 32, 1))), EDOM);
	/* a value, unless a bit: 0x11 has it, 0x10 has it not */
	rule(IR_USER, IR_DENY, "flock", both(cmp(1, 32, IR_LE, 0x11),
	     both(cmp(1, 32, IR_GE, 0x10), mask(1, 32, 1))), EDOM);
}

static void wide(void)
{
	rule(IR_USER, IR_DENY, "lseek", cmp(1, 64, IR_GT, 0x1ffffffff), EDOM);
	rule(IR_USER, IR_DENY, "pread64", both(cmp(3, 64, IR_GE, 0x100000005),
	     cmp(3, 64, IR_LT, 0x300000002)), EDOM);
	rule(IR_USER, IR_DENY, "ftruncate", eq(1, 64, 0x200000000), EDOM);
	rule(IR_USER, IR_DENY, "readahead",
	     sir_cmp(ir->a, 1, 64, IR_GE, 0xffffffff00000000, 0x200000000), EDOM);
	rule(IR_USER, IR_DENY, "sync_file_range", cmp(1, 64, IR_NE, 0), EDOM);
}

static void levels(void)
{
	/* final deny over a lower allow; final allow over lower denies */
	rule(IR_MANAGED, IR_DENY, "flock", eq(1, 32, 1), EDOM)->final = true;
	rule(IR_USER, IR_ALLOW, "flock", NULL, 0);
	rule(IR_MANAGED, IR_ALLOW, "lseek", eq(2, 32, 1), 0)->final = true;
	rule(IR_USER, IR_DENY, "lseek", NULL, EDOM);
	rule(IR_DEFAULT, IR_DENY, "dup3", NULL, EDOM)->floor = true;
	rule(IR_MANAGED_FILE, IR_ALLOW, "listen", NULL, 0)->final = true;
	rule(IR_MANAGED, IR_DENY, "listen", eq(1, 32, 7), EXDEV);
	rule(IR_PROJECT, IR_DENY, "listen", eq(1, 32, 8), EPROTO);
	/* the highest level's first deny gives the errno */
	rule(IR_USER, IR_DENY, "shutdown", NULL, EXDEV);
	rule(IR_PROJECT, IR_DENY, "shutdown", eq(1, 32, 1), EDOM);
	rule(IR_PROJECT, IR_DENY, "shutdown", cmp(1, 32, IR_LE, 2), EPROTO);
	/* deny > ask > allow whatever the level */
	rule(IR_MANAGED, IR_ALLOW, "fchmod", NULL, 0);
	rule(IR_USER, IR_ASK, "fchmod", eq(1, 32, 1), 0);
	rule(IR_USER, IR_DENY, "fchmod", eq(1, 32, 2), EDOM);
}

/* An allow of a full level lifts a default that contains it. */
static void lifted(void)
{
	struct ir_rule *allow, *deny;

	allow = rule(IR_USER, IR_ALLOW, "flock", eq(1, 32, 5), 0);
	deny = rule(IR_DEFAULT, IR_DENY, "flock", NULL, EDOM);
	rule(IR_DEFAULT, IR_DENY, "dup3", NULL, EDOM);
	rule(IR_USER, IR_ALLOW, "dup3", eq(2, 32, 5), 0);
	sir_finish(ir);
	deny->lifted_by = arena_dup(ir->a, &allow->index, sizeof(allow->index));
	deny->nlifted_by = 1;
}

static void locked(void)
{
	ir->locked[IR_SYSCALL].level = IR_MANAGED_FILE;
	ir->locked[IR_SYSCALL].at.line = 1;
	otherwise(IR_DENY);
	for (size_t i = 0; i < 3; i++) {
		static const char *const always[] = { "exit_group", "write", "lseek" };

		rule(IR_MANAGED, IR_ALLOW, always[i], NULL, 0);
	}
	rule(IR_USER, IR_ALLOW, "flock", NULL, 0);          /* below the lock */
	rule(IR_MANAGED_FILE, IR_ALLOW, "dup3", NULL, 0);   /* at the lock */
	rule(IR_DEFAULT, IR_ALLOW, "listen", NULL, 0);      /* step 4 is off */
	rule(IR_USER, IR_DENY, "lseek", eq(2, 32, 1), EDOM);/* still denies */
	rule(IR_USER, IR_ASK, "lseek", eq(2, 32, 2), 0)->soft = true;
	rule(IR_USER, IR_ASK, "shutdown", NULL, 0)->soft = true;
}

static void allow_list(void)
{
	otherwise(IR_DENY);
	rule(IR_USER, IR_ALLOW, "exit_group", NULL, 0);
	rule(IR_USER, IR_ALLOW, "flock", cmp(1, 32, IR_LT, 9), 0);
	rule(IR_DEFAULT, IR_ALLOW, "lseek", NULL, 0);
	sir_except(ir, rule(IR_USER, IR_ALLOW, "dup3", NULL, 0), sir_nr("dup3"),
		   eq(1, 32, 9));
}

static void asking(void)
{
	otherwise(IR_ASK);
	rule(IR_USER, IR_ALLOW, "exit_group", NULL, 0);
	rule(IR_USER, IR_ALLOW, "flock", NULL, 0);
	rule(IR_USER, IR_ASK, "flock", eq(1, 32, 1), 0)->soft = true;
	rule(IR_USER, IR_ASK, "lseek", NULL, 0);
}

/* Two ways, with different words loaded, come to one test. */
static void joins(void)
{
	rule(IR_USER, IR_DENY, "setsockopt",
	     sir_op(ir->a, IR_C_OR, both(cmp(1, 32, IR_GE, 10), eq(2, 32, 1)),
		    mask(1, 32, 1)), EDOM);
}

/* A final allow does not count where the level above locked the section. */
static void final_below_lock(void)
{
	ir->locked[IR_SYSCALL].level = IR_MANAGED;
	ir->locked[IR_SYSCALL].at.line = 1;
	rule(IR_MANAGED_FILE, IR_ALLOW, "flock", NULL, 0)->final = true;
	rule(IR_PROJECT, IR_DENY, "flock", NULL, EDOM);
	rule(IR_MANAGED_FILE, IR_DENY, "dup3", eq(1, 32, 7), EXDEV)->final = true;
	rule(IR_PROJECT, IR_DENY, "dup3", NULL, EDOM);
}

/* --- rows ------------------------------------------------------------------------ */

#define ANY (-1) /* not run in the kernel */

struct row {
	void (*policy)(void);
	const char *call; /* NULL: the number nr */
	uint64_t args[6];
	int err;    /* 0: allowed */
	int native; /* allowed: what the kernel gives itself */
	uint32_t nr;
};

#define FD 0xffffffff

static const struct row rows[] = {
	{ families, "socket", { 17, 3, 0 }, EACCES, ANY, 0 },
	{ families, "socket", { HI(17), 3, 0 }, EACCES, ANY, 0 },
	{ families, "socket", { 17 | (1ull << 63), 1, 0 }, EACCES, ANY, 0 },
	{ families, "socket", { 40, 1, 0 }, EAFNOSUPPORT, ANY, 0 },
	{ families, "socket", { 2, 3, 0 }, EPROTO, ANY, 0 },
	{ families, "socket", { 2, 3 | 02000000 | 04000, 0 }, EPROTO, ANY, 0 },
	{ families, "socket", { 2, HI(3), 0 }, EPROTO, ANY, 0 },
	{ families, "socket", { 16, 2, 0 }, 0, 0, 0 },
	{ families, "socket", { 16, 2, 9 }, EXDEV, ANY, 0 },
	{ families, "socket", { 16, 2, 1ull << 32 }, 0, 0, 0 },
	{ families, "socket", { 2, 1, 0 }, 0, 0, 0 },
	{ families, "socket", { 1, 1, 0 }, 0, 0, 0 },
	{ families, "socket", { 9999, 1, 0 }, 0, EAFNOSUPPORT, 0 },

	{ terminal, "ioctl", { FD, TIOCSTI_ }, EXDEV, ANY, 0 },
	{ terminal, "ioctl", { FD, HI(TIOCSTI_) }, EXDEV, ANY, 0 }, /* CVE-2019-10063 */
	{ terminal, "ioctl", { FD, TIOCSTI_ | 1ull << 32 }, EXDEV, ANY, 0 },
	{ terminal, "ioctl", { FD, TIOCSTI_ | 1ull << 63 }, EXDEV, ANY, 0 },
	{ terminal, "ioctl", { FD, HI(0x541c) }, EXDEV, ANY, 0 },
	{ terminal, "ioctl", { FD, 0x541d }, EXDEV, ANY, 0 },
	{ terminal, "ioctl", { FD, 0x5423 }, EXDEV, ANY, 0 },
	{ terminal, "ioctl", { FD, 0x5413 }, 0, EBADF, 0 },
	{ terminal, "ioctl", { FD, 0x15412 }, 0, EBADF, 0 },
	{ terminal, "ioctl", { FD, 0, TIOCSTI_ }, 0, EBADF, 0 },

	{ namespaces, "clone", { NEWUSER | 17 }, EDOM, ANY, 0 },
	{ namespaces, "clone", { HI(NEWUSER) }, EDOM, ANY, 0 },
	{ namespaces, "clone", { 0x6c020000 }, 0, ANY, 0 },
	{ namespaces, "clone", { 0x7c020000 }, EDOM, ANY, 0 },
	{ namespaces, "clone", { (uint64_t)NEWUSER << 32 }, 0, ANY, 0 },
	{ namespaces, "unshare", { NEWUSER }, EDOM, ANY, 0 },
	{ namespaces, "unshare", { 0 }, 0, 0, 0 },
	{ namespaces, "clone3", { 0, 88 }, ENOSYS, ANY, 0 },
	{ namespaces, "mount", { 0 }, EDOM, ANY, 0 },
	{ namespaces, "fsopen", { 0 }, EDOM, ANY, 0 },       /* CVE-2021-41133 */
	{ namespaces, "open_tree", { 0 }, EDOM, ANY, 0 },
	{ namespaces, "move_mount", { 0 }, EDOM, ANY, 0 },
	{ namespaces, "mount_setattr", { 0 }, EDOM, ANY, 0 },
	{ namespaces, NULL, { 0 }, ENOSYS, ANY, 457 }, /* statmount */
	{ namespaces, NULL, { 0 }, ENOSYS, ANY, 463 }, /* setxattrat */
	{ namespaces, NULL, { 0 }, ENOSYS, ANY, 400 },
	{ namespaces, NULL, { 0 }, ENOSYS, ANY, 100000 },
	{ namespaces, NULL, { 0 }, ENOSYS, ANY, UINT32_MAX },

	{ masks, "mprotect", { 0, 0, 6 }, EDOM, ANY, 0 },
	{ masks, "mprotect", { 0, 0, 7 }, EDOM, ANY, 0 },
	{ masks, "mprotect", { 0, 0, 4 }, 0, 0, 0 },
	{ masks, "mprotect", { 0, 0, 2 }, 0, 0, 0 },
	{ masks, "mprotect", { 0, 0, 3 }, 0, 0, 0 },
	{ masks, "mprotect", { 0, 0, 0x10 }, EXDEV, ANY, 0 },
	{ masks, "mprotect", { 0, 0, 1ull << 40 }, EXDEV, ANY, 0 },
	{ masks, "mprotect", { 0, 0, 6 | 1ull << 63 }, EDOM, ANY, 0 },
	{ masks, "fadvise64", { FD, 0, 0, 4 }, EDOM, ANY, 0 },
	{ masks, "fadvise64", { FD, 0, 0, 5 }, 0, EBADF, 0 },
	{ masks, "fadvise64", { FD, 0, 0, HI(6) }, EDOM, ANY, 0 },
	{ masks, "fadvise64", { FD, 0, 0, 2 }, 0, EBADF, 0 },
	{ masks, "fadvise64", { FD, 0, 0, 1ull << 32 }, 0, EBADF, 0 },
	{ masks, "flock", { FD, 0x11 }, EDOM, ANY, 0 },
	{ masks, "flock", { FD, 0x10 }, 0, ANY, 0 },
	{ masks, "flock", { FD, 0x12 }, 0, ANY, 0 },

	{ wide, "lseek", { FD, 0x1ffffffff }, 0, EBADF, 0 },
	{ wide, "lseek", { FD, 0x200000000 }, EDOM, ANY, 0 },
	{ wide, "lseek", { FD, 0xffffffff }, 0, EBADF, 0 },
	{ wide, "lseek", { FD, UINT64_MAX }, EDOM, ANY, 0 },
	{ wide, "pread64", { FD, 0, 0, 0x100000004 }, 0, EBADF, 0 },
	{ wide, "pread64", { FD, 0, 0, 0x100000005 }, EDOM, ANY, 0 },
	{ wide, "pread64", { FD, 0, 0, 0x200000000 }, EDOM, ANY, 0 },
	{ wide, "pread64", { FD, 0, 0, 0x300000001 }, EDOM, ANY, 0 },
	{ wide, "pread64", { FD, 0, 0, 0x300000002 }, 0, EBADF, 0 },
	{ wide, "pread64", { FD, 0, 0, 0xfffffffe }, 0, EBADF, 0 },
	{ wide, "ftruncate", { FD, 0x200000000 }, EDOM, ANY, 0 },
	{ wide, "ftruncate", { FD, 0 }, 0, EBADF, 0 },
	{ wide, "ftruncate", { FD, 0x200000001 }, 0, EBADF, 0 },
	{ wide, "readahead", { FD, 0x1ffffffff }, 0, EBADF, 0 },
	{ wide, "readahead", { FD, 0x2ffffffff }, EDOM, ANY, 0 },
	{ wide, "sync_file_range", { FD, 1ull << 32 }, EDOM, ANY, 0 },
	{ wide, "sync_file_range", { FD, 0 }, 0, EBADF, 0 },

	{ levels, "flock", { FD, 1 }, EDOM, ANY, 0 },
	{ levels, "flock", { FD, 2 }, 0, EBADF, 0 },
	{ levels, "lseek", { FD, 0, 1 }, 0, EBADF, 0 },
	{ levels, "lseek", { FD, 0, 0 }, EDOM, ANY, 0 },
	{ levels, "dup3", { FD, FD, 0 }, EDOM, ANY, 0 },
	{ levels, "listen", { FD, 7 }, EXDEV, ANY, 0 },
	{ levels, "listen", { FD, 8 }, 0, EBADF, 0 },
	{ levels, "shutdown", { FD, 1 }, EDOM, ANY, 0 },
	{ levels, "shutdown", { FD, 2 }, EPROTO, ANY, 0 },
	{ levels, "shutdown", { FD, 3 }, EXDEV, ANY, 0 },
	{ levels, "fchmod", { FD, 0 }, 0, EBADF, 0 },
	{ levels, "fchmod", { FD, 1 }, EPERM, ANY, 0 },
	{ levels, "fchmod", { FD, 2 }, EDOM, ANY, 0 },

	{ lifted, "flock", { FD, 5 }, 0, EBADF, 0 },
	{ lifted, "flock", { FD, 6 }, EDOM, ANY, 0 },
	{ lifted, "dup3", { FD, FD, 5 }, EDOM, ANY, 0 },

	{ locked, "flock", { FD, 0 }, EPERM, ANY, 0 },
	{ locked, "dup3", { FD, 99, 0 }, 0, EBADF, 0 },
	{ locked, "listen", { FD, 0 }, EPERM, ANY, 0 },
	{ locked, "lseek", { FD, 0, 0 }, 0, EBADF, 0 },
	{ locked, "lseek", { FD, 0, 1 }, EDOM, ANY, 0 },
	{ locked, "lseek", { FD, 0, 2 }, EPERM, ANY, 0 },
	{ locked, "shutdown", { FD, 0 }, EPERM, ANY, 0 },

	{ allow_list, "flock", { FD, 8 }, 0, EBADF, 0 },
	{ allow_list, "flock", { FD, 9 }, EPERM, ANY, 0 },
	{ allow_list, "flock", { FD, HI(8) }, 0, EBADF, 0 },
	{ allow_list, "lseek", { FD, 0, 0 }, 0, EBADF, 0 },
	{ allow_list, "dup3", { FD, 8, 0 }, 0, EBADF, 0 },
	{ allow_list, "dup3", { FD, 9, 0 }, EPERM, ANY, 0 },
	{ allow_list, "listen", { FD, 0 }, EPERM, ANY, 0 },

	{ asking, "flock", { FD, 0 }, 0, EINVAL, 0 },
	{ asking, "flock", { FD, 1 }, EPERM, ANY, 0 },
	{ asking, "lseek", { FD, 0, 0 }, EPERM, ANY, 0 },
	{ asking, "listen", { FD, 0 }, EPERM, ANY, 0 },

	{ joins, "setsockopt", { FD, 12, 1 }, EDOM, ANY, 0 },
	{ joins, "setsockopt", { FD, 12, 3 }, 0, EBADF, 0 },
	{ joins, "setsockopt", { FD, 13, 2 }, EDOM, ANY, 0 },
	{ joins, "setsockopt", { FD, 3, 2 }, EDOM, ANY, 0 },
	{ joins, "setsockopt", { FD, 2, 1 }, 0, EBADF, 0 },

	{ final_below_lock, "flock", { FD, 8 }, EDOM, ANY, 0 },
	{ final_below_lock, "dup3", { FD, 7, 0 }, EXDEV, ANY, 0 },
	{ final_below_lock, "dup3", { FD, 8, 0 }, EDOM, ANY, 0 },
};

/* --- the worlds --------------------------------------------------------------------- */

static struct arena arena;
static struct emitted enforce, broker, trace;

static void build(void (*policy)(void))
{
	struct bk_output *out;
	struct diag_sink sink;
	const char *bad;

	arena_init(&arena, ARENA_DEFAULT_BUDGET);
	ir = ir_new(&arena);
	otherwise(IR_ALLOW);
	policy();
	sir_finish(ir);
	diag_init(&sink, &arena);
	out = ARENA_NEW(&arena, struct bk_output);
	out->a = &arena;
	assert_true(bk_seccomp.emit(ir, out, &sink));
	bad = bk_seccomp.verify(ir, out, &arena);
	if (bad)
		fail_msg("%s", bad);
	assert_null(emitted_read(out, PB_FILTER_ENFORCE, &arena, &enforce));
	assert_null(emitted_read(out, PB_FILTER_BROKER, &arena, &broker));
	assert_null(emitted_read(out, PB_FILTER_TRACE, &arena, &trace));
}

static void row_evaluator(const struct row *r, size_t i, uint32_t nr)
{
	struct ir_request req = { .kind = IR_SYSCALL, .scope = IR_SANDBOX, .nr = nr,
				  .nr_known = target_call_by_nr(nr) != NULL };
	struct eval_decision d;
	int err;

	memcpy(req.args, r->args, sizeof(req.args));
	eval_decide(ir, &req, &arena, &d);
	err = d.effect == IR_ALLOW ? 0 : d.err ? d.err : EPERM;
	if (err != r->err)
		fail_msg("row %zu: the evaluator gives %d, wanted %d", i, err, r->err);
}

static void row_filter(const struct row *r, size_t i, uint32_t nr,
		       const struct emitted *e)
{
	struct seccomp_data data = { .nr = (int)nr,
				     .arch = TARGET_AUDIT_ARCH_X86_64 };
	uint32_t value, pc;
	const struct pb_map_entry *m;
	int err;

	for (unsigned k = 0; k < 6; k++)
		data.args[k] = r->args[k];
	assert_true(interp_run(e->insns, e->n, &data, &value, &pc));
	m = emitted_entry(e, pc);
	err = value == SECCOMP_RET_ALLOW ||
			      (m && m->verdict != PB_V_DENY && m->verdict != PB_V_KILL)
		      ? 0
	      : m ? m->err
		  : (int)(value & SECCOMP_RET_DATA);
	if (err != r->err || value == SECCOMP_RET_KILL_PROCESS)
		fail_msg("row %zu: the filter gives %d, wanted %d", i, err, r->err);
}

static size_t in_kernel, in_kernel_denied;

static void row_kernel(const struct row *r, size_t i, uint32_t nr)
{
	struct kernel_call c = { .nr = (long)nr };
	struct sock_filter *p;

	if (!r->err && r->native == ANY)
		return;
	memcpy(c.args, r->args, sizeof(c.args));
	p = errno_program(enforce.insns, enforce.n, enforce.map, enforce.nmap);
	assert_int_not_equal(run_in_kernel(p, enforce.n, &c, 1), -1);
	free(p);
	if (!c.done || c.err != (r->err ? r->err : r->native))
		fail_msg("row %zu: the kernel gives %d, wanted %d", i,
			 c.done ? c.err : -1, r->err ? r->err : r->native);
	in_kernel++;
	in_kernel_denied += r->err != 0;
}

static void test_rows_in_three_worlds(void **state)
{
	(void)state;
	for (size_t i = 0; i < POL_LEN(rows); i++) {
		const struct row *r = &rows[i];
		uint32_t nr = r->call ? sir_nr(r->call) : r->nr;

		build(r->policy);
		row_evaluator(r, i, nr);
		row_filter(r, i, nr, &enforce);
		row_filter(r, i, nr, &broker);
		row_filter(r, i, nr, &trace);
		row_kernel(r, i, nr);
		arena_release(&arena);
	}
	printf("rows %zu, in the kernel %zu, of them denied %zu\n", POL_LEN(rows),
	       in_kernel, in_kernel_denied);
	assert_true(POL_LEN(rows) >= 60 && in_kernel >= 20);
}

/* x32 and i386 calls end the process, whatever the policy says. */
static void test_foreign_calls_kill(void **state)
{
	struct kernel_call c = { .nr = 0x40000000 + SYS_getpid };
	struct sock_filter *p;
	int status;

	(void)state;
	build(families);
	p = errno_program(enforce.insns, enforce.n, enforce.map, enforce.nmap);
	status = run_in_kernel(p, enforce.n, &c, 1);
	assert_true(status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
	assert_false(c.done);
	free(p);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_in_three_worlds),
		cmocka_unit_test(test_foreign_calls_kill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
