/*
 * The filter `broker`: what it notifies, what it lets pass, and that its list is that of
 * the broker itself (decode.c).  Beside it libseccomp's filter of the same list, and the
 * running kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "compiler/backend/seccomp/interp.h"
#include "compiler/backend/seccomp/members.h"
#include "compiler/backend/seccomp/seccomp.h"
#include "runtime/base/sys.h"
#include "runtime/broker/decode.h"
#include "tests/lib/load_filter.h"
#include "tests/lib/syscall_ir.h"

#define TMPFILE_BIT 020000000 /* O_TMPFILE without O_DIRECTORY */

static const struct call {
	const char *name;
	unsigned arg;
	uint32_t mask;
} calls[] = {
#define BROKER_CALL(name, arg, mask) { #name, arg, mask },
#include "runtime/bundle/broker_calls.def"
};

static const struct call *find(uint32_t nr)
{
	const struct target_call *c = target_call_by_nr(nr);

	for (size_t i = 0; c && i < POL_LEN(calls); i++)
		if (strcmp(calls[i].name, c->name) == 0)
			return &calls[i];
	return NULL;
}

struct policy {
	struct arena a;
	struct ir *ir;
	struct bk_output out;
	struct emitted e[PB_FILTER_COUNT];
};

static void start(struct policy *p, enum ir_effect otherwise)
{
	arena_init(&p->a, ARENA_DEFAULT_BUDGET);
	p->ir = ir_new(&p->a);
	p->ir->scalars[IR_S_SYSCALL_OTHERWISE].effect = otherwise;
}

static void emit(struct policy *p)
{
	struct diag_sink sink;
	const char *bad;

	sir_finish(p->ir);
	diag_init(&sink, &p->a);
	p->out = (struct bk_output){ .a = &p->a };
	assert_true(bk_seccomp.emit(p->ir, &p->out, &sink));
	bad = bk_seccomp.verify(p->ir, &p->out, &p->a);
	if (bad)
		fail_msg("%s", bad);
	for (unsigned k = 0; k < PB_FILTER_COUNT; k++)
		assert_null(emitted_read(&p->out, (enum pb_filter_kind)k, &p->a, &p->e[k]));
}

/* What the filter says: the verdict, or 0 for a call that simply passes. */
static unsigned ask(const struct policy *p, enum pb_filter_kind kind, uint32_t nr,
		    const uint64_t args[6], const struct pb_map_entry **ret)
{
	const struct emitted *e = &p->e[kind];
	struct seccomp_data data = { .nr = (int)nr, .arch = TARGET_AUDIT_ARCH_X86_64 };
	uint32_t value, pc;

	for (unsigned i = 0; i < 6; i++)
		data.args[i] = args[i];
	assert_true(interp_run(e->insns, e->n, &data, &value, &pc));
	*ret = emitted_entry(e, pc);
	if (!*ret)
		assert_int_equal(value, SECCOMP_RET_ALLOW);
	else
		assert_int_equal(value, SECCOMP_RET_USER_NOTIF);
	return *ret ? (*ret)->verdict : 0;
}

static unsigned ask_one(const struct policy *p, const char *name, unsigned arg, uint64_t v)
{
	const struct pb_map_entry *m;
	uint64_t args[6] = { 0 };

	args[arg] = v;
	return ask(p, PB_FILTER_BROKER, sir_nr(name), args, &m);
}

/* Every number, with each bit of each argument alone: the list and nothing else. */
static void test_the_list_is_notified_and_nothing_else(void **state)
{
	struct policy p;
	const struct pb_map_entry *m;
	size_t notified = 0, passed = 0;

	(void)state;
	start(&p, IR_ALLOW);
	emit(&p);
	for (uint32_t nr = 0; nr < target_call_end(); nr++) {
		const struct call *c = find(nr);

		if (!target_call_by_nr(nr))
			continue;
		for (unsigned bit = 0; bit < 6 * 64; bit++) {
			uint64_t args[6] = { 0 };
			bool writes;

			args[bit / 64] = (uint64_t)1 << bit % 64;
			/* these policies take nothing away by name */
			writes = c && c->arg != BROKER_STARTS &&
				 (c->arg == BROKER_ALWAYS ||
				  (uint32_t)args[c->arg] & c->mask);
			assert_int_equal(ask(&p, PB_FILTER_BROKER, nr, args, &m),
					 writes ? PB_V_BROKER : 0);
			/* what the broker may be asked is looked at when traced */
			if (c)
				assert_int_equal(ask(&p, PB_FILTER_TRACE, nr, args, &m),
						 PB_V_TRACE);
			assert_int_equal(ask(&p, PB_FILTER_ENFORCE, nr, args, &m), 0);
			*(writes ? &notified : &passed) += 1;
		}
	}
	assert_true(notified > 12000 && passed > 100000);
	arena_release(&p.a);
}

/* Written out by hand: what opens for writing, in every spelling. */
static void test_spellings_of_open_and_access(void **state)
{
	static const struct {
		uint64_t flags;
		unsigned want;
	} rows[] = {
		{ O_RDONLY, 0 },
		{ O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK, 0 },
		{ O_PATH | O_CLOEXEC, 0 },
		{ O_RDONLY | O_APPEND | O_EXCL | O_NOCTTY | O_SYNC | O_NOATIME, 0 },
		{ O_WRONLY, PB_V_BROKER },
		{ O_RDWR | O_CLOEXEC, PB_V_BROKER },
		{ O_ACCMODE, PB_V_BROKER },
		{ O_RDONLY | O_TRUNC, PB_V_BROKER },
		{ O_RDONLY | O_CREAT, PB_V_BROKER },
		{ O_RDONLY | O_CREAT | O_EXCL, PB_V_BROKER },
		{ O_TMPFILE | O_RDWR, PB_V_BROKER },
		{ TMPFILE_BIT, PB_V_BROKER },
	};
	static const char *const names[] = { "access", "faccessat", "faccessat2" };
	static const uint64_t high[] = { 0, 1ull << 32, 0xffffffffull << 32, 1ull << 63 };
	struct policy p;

	(void)state;
	start(&p, IR_ALLOW);
	emit(&p);
	/* the kernel does not read the upper half: it must not matter */
	for (size_t h = 0; h < POL_LEN(high); h++) {
		for (size_t i = 0; i < POL_LEN(rows); i++) {
			uint64_t v = rows[i].flags | high[h];

			assert_int_equal(ask_one(&p, "open", 1, v), rows[i].want);
			assert_int_equal(ask_one(&p, "openat", 2, v), rows[i].want);
		}
		for (size_t i = 0; i < POL_LEN(names); i++) {
			unsigned arg = i ? 2 : 1;

			assert_int_equal(ask_one(&p, names[i], arg, high[h] | F_OK), 0);
			assert_int_equal(ask_one(&p, names[i], arg, high[h] | R_OK | X_OK), 0);
			assert_int_equal(ask_one(&p, names[i], arg, high[h] | W_OK), PB_V_BROKER);
			assert_int_equal(ask_one(&p, names[i], arg, high[h] | 7), PB_V_BROKER);
		}
	}
	assert_int_equal(ask_one(&p, "openat2", 0, 0), PB_V_BROKER);
	assert_int_equal(ask_one(&p, "creat", 0, 0), PB_V_BROKER);
	assert_int_equal(ask_one(&p, "bind", 0, 0), PB_V_BROKER);
	arena_release(&p.a);
}

static void assert_denied(const struct policy *p, uint32_t nr, const uint64_t args[6],
			  uint32_t rule, int err)
{
	for (unsigned k = 0; k < PB_FILTER_COUNT; k++) {
		const struct pb_map_entry *m;

		assert_int_equal(ask(p, (enum pb_filter_kind)k, nr, args, &m), PB_V_DENY);
		assert_int_equal(m->rule, rule);
		assert_int_equal(m->err, err);
	}
}

static void test_denied_calls_keep_their_rule(void **state)
{
	static const uint64_t none[6], all[6] = { ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull };
	struct policy p;

	(void)state;
	start(&p, IR_ALLOW);
	for (size_t i = 0; i < POL_LEN(calls); i++)
		sir_rule(p.ir, IR_USER, IR_DENY, sir_nr(calls[i].name), NULL)->err =
			(uint16_t)(i + 1);
	emit(&p);
	for (size_t i = 0; i < POL_LEN(calls); i++) {
		assert_denied(&p, sir_nr(calls[i].name), none, (uint32_t)i, (int)i + 1);
		assert_denied(&p, sir_nr(calls[i].name), all, (uint32_t)i, (int)i + 1);
	}
	arena_release(&p.a);
	/* nothing is allowed */
	start(&p, IR_DENY);
	emit(&p);
	for (size_t i = 0; i < POL_LEN(calls); i++)
		assert_denied(&p, sir_nr(calls[i].name), all, IR_S_SYSCALL_OTHERWISE, EPERM);
	arena_release(&p.a);
}

/* A rule about the same argument, and one about another. */
static void test_rules_on_flags_come_first(void **state)
{
	struct policy p;
	const struct pb_map_entry *m;
	uint64_t args[6] = { 0 };

	(void)state;
	start(&p, IR_ALLOW);
	sir_rule(p.ir, IR_USER, IR_DENY, sir_nr("openat"),
		 sir_cmp(&p.a, 2, 32, IR_NE, O_CREAT, 0))->err = EACCES;
	sir_rule(p.ir, IR_USER, IR_DENY, sir_nr("openat"),
		 sir_cmp(&p.a, 0, 32, IR_EQ, UINT32_MAX, 77))->err = EXDEV;
	emit(&p);
	assert_int_equal(ask_one(&p, "openat", 2, O_RDONLY), 0);
	assert_int_equal(ask_one(&p, "openat", 2, O_WRONLY), PB_V_BROKER);
	args[2] = O_WRONLY | O_CREAT;
	assert_denied(&p, sir_nr("openat"), args, 0, EACCES);
	args[2] = O_RDONLY | O_CREAT;
	assert_denied(&p, sir_nr("openat"), args, 0, EACCES);
	args[2] = O_RDONLY;
	args[0] = 77;
	assert_denied(&p, sir_nr("openat"), args, 1, EXDEV);
	args[2] = O_WRONLY;
	assert_denied(&p, sir_nr("openat"), args, 1, EXDEV);
	args[0] = 78;
	assert_int_equal(ask(&p, PB_FILTER_BROKER, sir_nr("openat"), args, &m), PB_V_BROKER);
	arena_release(&p.a);
}

/* --- the broker's own table ------------------------------------------------------------- */

/* Arguments that name no memory: the broker says EFAULT to what it serves. */
static int decoded(uint32_t nr, const uint64_t args[6], struct broker_decoded *d)
{
	struct broker_source from = { -1, -1, { 0 }, false, true, NULL };
	struct seccomp_notif req = { .id = 1, .pid = (uint32_t)getpid() };

	req.data.nr = (int)nr;
	for (unsigned i = 0; i < 6; i++)
		req.data.args[i] = args[i];
	return broker_decode(&from, &req, sys_now_ms(), d);
}

static void test_the_broker_serves_this_list(void **state)
{
	size_t served = 0;

	(void)state;
	for (uint32_t nr = 0; nr < 1024; nr++) {
		bool is = broker_decodes((int)nr), wanted = find(nr) != NULL;

		if (is != wanted)
			fail_msg("call %u: %s", nr, is ? "the filter does not notify it" :
						   "the broker has no row for it");
		served += is;
	}
	assert_true(served >= POL_LEN(calls));
}

/* Whatever flags the broker takes for writing, the filter takes for it, too. */
static void test_the_broker_sees_all_that_writes(void **state)
{
	static const char *const names[] = { "open", "openat" };
	struct broker_decoded *d = malloc(sizeof(*d));
	size_t ours = 0;
	struct policy p;

	(void)state;
	assert_non_null(d);
	start(&p, IR_ALLOW);
	emit(&p);
	for (unsigned i = 0; i < 33 * 33; i++) {
		uint64_t v = (i % 33 < 32 ? 1ull << i % 33 : 0) |
			     (i / 33 < 32 ? 1ull << i / 33 : 0);

		for (unsigned k = 0; k < 2; k++) {
			uint64_t args[6] = { 1, 1, 1, 0, 0, 0 };
			const struct pb_map_entry *m;

			args[k + 1] = v;
			if (decoded(sir_nr(names[k]), args, d) == BROKER_NOT_OURS)
				continue;
			assert_int_equal(ask(&p, PB_FILTER_BROKER, sir_nr(names[k]), args, &m),
					 PB_V_BROKER);
			ours++;
		}
	}
	assert_true(ours > 200);
	free(d);
	arena_release(&p.a);
}

/* --- libseccomp's filter of the same list ----------------------------------------------- */

#ifdef POL_SAN
/* libseccomp 2.5.4 forgets memory when it refuses a rule. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libseccomp.so";
}
#endif

static struct sock_filter *theirs(size_t *ret_n)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int fd = memfd_create("bpf", MFD_CLOEXEC);
	struct sock_filter *v;
	off_t size;

	assert_true(ctx && fd >= 0);
	for (size_t i = 0; i < POL_LEN(calls); i++) {
		int nr = (int)sir_nr(calls[i].name);

		if (calls[i].arg == BROKER_ALWAYS)
			assert_int_equal(seccomp_rule_add_exact(ctx, SCMP_ACT_NOTIFY, nr, 0), 0);
		for (unsigned bit = 0; bit < 32; bit++)
			if (calls[i].mask >> bit & 1)
				assert_int_equal(seccomp_rule_add_exact(ctx, SCMP_ACT_NOTIFY, nr, 1,
					SCMP_CMP64(calls[i].arg, SCMP_CMP_MASKED_EQ, 1ull << bit,
						   1ull << bit)), 0);
	}
	assert_int_equal(seccomp_export_bpf(ctx, fd), 0);
	seccomp_release(ctx);
	size = lseek(fd, 0, SEEK_END);
	v = malloc((size_t)size);
	assert_int_equal(pread(fd, v, (size_t)size, 0), size);
	close(fd);
	*ret_n = (size_t)size / sizeof(*v);
	return v;
}

static void test_libseccomp_makes_the_same_filter(void **state)
{
	struct sock_filter *other;
	size_t n, notified = 0, passed = 0;
	uint64_t x = 88172645463325252u;
	struct policy p;

	(void)state;
	start(&p, IR_ALLOW);
	emit(&p);
	other = theirs(&n);
	for (uint32_t nr = 0; nr < target_call_end(); nr++) {
		for (unsigned i = 0; i < 400 && target_call_by_nr(nr); i++) {
			struct seccomp_data data = { .nr = (int)nr,
						     .arch = TARGET_AUDIT_ARCH_X86_64 };
			const struct emitted *e = &p.e[PB_FILTER_BROKER];
			uint32_t a, b, pc;

			for (unsigned k = 0; k < 6; k++) {
				x ^= x << 13;
				x ^= x >> 7;
				x ^= x << 17;
				/* few bits: also calls without any of a mask */
				data.args[k] = x & x >> 21 & x >> 42;
			}
			assert_true(interp_run(e->insns, e->n, &data, &a, &pc));
			assert_true(interp_run(other, n, &data, &b, &pc));
			if (a != b)
				fail_msg("call %u: ours %#x, libseccomp's %#x", nr, a, b);
			*(a == SECCOMP_RET_ALLOW ? &passed : &notified) += 1;
		}
	}
	assert_true(notified > 10000 && passed > 100000);
	free(other);
	arena_release(&p.a);
}

/* --- the kernel ------------------------------------------------------------------------- */

static struct shared {
	volatile int listener; /* in the common table of descriptors */
	volatile long result[8];
} *shared;

/* Below the filter: whatever notifies waits for an answer. */
static void under_filter(const struct policy *p, void (*body)(void))
{
	const struct emitted *e = &p->e[PB_FILTER_BROKER];
	struct sock_fprog prog = { .len = (unsigned short)e->n,
				   .filter = (struct sock_filter *)(uintptr_t)e->insns };
	long fd;

	(void)alarm(10);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		_exit(2);
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
		     &prog);
	if (fd < 0)
		_exit(3);
	shared->listener = (int)fd;
	body();
	_exit(0);
}

static pid_t started(const struct policy *p, void (*body)(void))
{
	pid_t pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(shared != MAP_FAILED);
	shared->listener = -1;
	/* a common table of descriptors, so that the listener is here, too */
	pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0)
		under_filter(p, body);
	assert_true(pid > 0);
	return pid;
}

static void reads_only(void)
{
	struct stat st;

	for (unsigned i = 0; i < 1000; i++) {
		int fd = (int)syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY);

		if (fd < 0 || close(fd) || syscall(SYS_access, "/", R_OK | X_OK) ||
		    fstatat(AT_FDCWD, "/", &st, 0) || syscall(SYS_getpid) < 0)
			_exit(4);
	}
}

/* Nobody answers here: what notified would never return. */
static void test_reading_reaches_the_kernel_alone(void **state)
{
	struct policy p;
	int status;
	pid_t pid;

	(void)state;
	start(&p, IR_ALLOW);
	emit(&p);
	pid = started(&p, reads_only);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	close(shared->listener);
	munmap(shared, sizeof(*shared));
	arena_release(&p.a);
}

static const struct tried {
	long nr;
	uint64_t args[4];
} tries[] = {
	{ SYS_open, { 0, O_TRUNC } },
	{ SYS_open, { 0, O_WRONLY | 1ull << 32 } },
	{ SYS_openat, { 0, 0, TMPFILE_BIT } },
	{ SYS_openat, { 0, 0, O_TMPFILE | O_RDWR | 0xffffffffull << 32 } },
	{ SYS_openat2, { 0 } },
	{ SYS_creat, { 0 } },
	{ SYS_faccessat2, { 0, 0, W_OK, 0 } },
	{ SYS_bind, { 0 } },
};

static void writes(void)
{
	for (size_t i = 0; i < POL_LEN(tries); i++) {
		errno = 0;
		shared->result[i] = syscall(tries[i].nr, tries[i].args[0], tries[i].args[1],
					    tries[i].args[2], tries[i].args[3]) == -1 ? errno : 0;
	}
}

static void test_writing_comes_to_the_listener(void **state)
{
	struct seccomp_notif req;
	struct policy p;
	int status;
	pid_t pid;

	(void)state;
	start(&p, IR_ALLOW);
	emit(&p);
	pid = started(&p, writes);
	for (unsigned i = 0; shared->listener < 0 && i < 10000; i++)
		usleep(1000);
	for (size_t i = 0; i < POL_LEN(tries); i++) {
		struct pollfd at = { shared->listener, POLLIN, 0 };
		struct seccomp_notif_resp resp = { .error = -EOWNERDEAD };

		assert_int_equal(poll(&at, 1, 10000), 1);
		memset(&req, 0, sizeof(req));
		assert_int_equal(ioctl(shared->listener, SECCOMP_IOCTL_NOTIF_RECV, &req), 0);
		assert_int_equal(req.data.nr, tries[i].nr);
		for (unsigned k = 0; k < 4; k++)
			assert_int_equal(req.data.args[k], tries[i].args[k]);
		resp.id = req.id;
		assert_int_equal(ioctl(shared->listener, SECCOMP_IOCTL_NOTIF_SEND, &resp), 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	for (size_t i = 0; i < POL_LEN(tries); i++)
		assert_int_equal(shared->result[i], EOWNERDEAD);
	close(shared->listener);
	munmap(shared, sizeof(*shared));
	arena_release(&p.a);
}

/* Numbers of x32, of i386 and beyond the tables open nothing either. */
static void test_other_numbers_never_pass(void **state)
{
	struct policy p;

	(void)state;
	start(&p, IR_ALLOW);
	emit(&p);
	for (size_t i = 0; i < POL_LEN(calls); i++) {
		const struct emitted *e = &p.e[PB_FILTER_BROKER];
		uint32_t nr = sir_nr(calls[i].name), value, pc;
		struct seccomp_data data = { .nr = (int)(nr | 0x40000000u),
					     .arch = TARGET_AUDIT_ARCH_X86_64 };

		assert_true(interp_run(e->insns, e->n, &data, &value, &pc));
		assert_int_equal(value, SECCOMP_RET_KILL_PROCESS);
		data.nr = (int)(nr | 0x80000000u);
		assert_true(interp_run(e->insns, e->n, &data, &value, &pc));
		assert_int_equal(value, SECCOMP_RET_ERRNO | ENOSYS);
		data = (struct seccomp_data){ .nr = (int)nr, .arch = TARGET_AUDIT_ARCH_I386 };
		assert_true(interp_run(e->insns, e->n, &data, &value, &pc));
		assert_int_equal(value, SECCOMP_RET_KILL_PROCESS);
	}
	/* newer calls that write by a name: setxattrat, removexattrat, open_tree_attr,
	   file_setattr, and others that may come */
	for (uint32_t nr = target_call_end(); nr < 1000; nr++) {
		const struct pb_map_entry *m = NULL;
		const struct emitted *e = &p.e[PB_FILTER_BROKER];
		struct seccomp_data data = { .nr = (int)nr, .arch = TARGET_AUDIT_ARCH_X86_64 };
		uint32_t value, pc;

		assert_true(interp_run(e->insns, e->n, &data, &value, &pc));
		m = emitted_entry(e, pc);
		assert_null(m);
		assert_int_equal(value, SECCOMP_RET_ERRNO | ENOSYS);
	}
	assert_true(target_call_end() <= 463);
	arena_release(&p.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_list_is_notified_and_nothing_else),
		cmocka_unit_test(test_spellings_of_open_and_access),
		cmocka_unit_test(test_denied_calls_keep_their_rule),
		cmocka_unit_test(test_rules_on_flags_come_first),
		cmocka_unit_test(test_the_broker_serves_this_list),
		cmocka_unit_test(test_the_broker_sees_all_that_writes),
		cmocka_unit_test(test_libseccomp_makes_the_same_filter),
		cmocka_unit_test(test_reading_reaches_the_kernel_alone),
		cmocka_unit_test(test_writing_comes_to_the_listener),
		cmocka_unit_test(test_other_numbers_never_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
