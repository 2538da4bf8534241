/* The filters of our own processes: what the builder's tables mean, instruction by instruction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linux/audit.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/base/own_filter.h"
#include "runtime/decide/bpf.h"

static const int calls[] = { SYS_read, SYS_write }, deadly[] = { SYS_execve };
static const int families[] = { 2, 10 };

static void make(struct own_filter *f)
{
	size_t call;

	own_filter_begin(f, (struct sock_filter)REFUSE);
	own_filter_calls(f, calls, OWN_FILTER_COUNT(calls), (struct sock_filter)ALLOW);
	own_filter_calls(f, deadly, OWN_FILTER_COUNT(deadly), (struct sock_filter)KILL);
	call = own_filter_call(f, SYS_socket);
	OWN_FILTER_ADD(f, LOAD_ARG(0));
	own_filter_one_of(f, families, OWN_FILTER_COUNT(families));
	OWN_FILTER_ADD(f, ALLOW);
	own_filter_end(f, call);
	OWN_FILTER_ADD(f, REFUSE);
}

static uint32_t ask(const struct own_filter *f, uint32_t arch, int nr, uint64_t a0, uint64_t a2)
{
	struct seccomp_data d = { .nr = nr, .arch = arch, .args = { a0, 0, a2 } };
	uint32_t value = 0;
	unsigned args;

	assert_true(bpf_run(f->v, f->n, &d, &value, &args) >= 0);
	return value;
}

static void test_tables_mean_what_they_say(void **state)
{
	const uint32_t x = AUDIT_ARCH_X86_64, refuse = SECCOMP_RET_ERRNO | EPERM;
	struct own_filter f;

	(void)state;
	make(&f);
	assert_false(f.over);
	assert_int_equal(ask(&f, x, SYS_read, 0, 0), SECCOMP_RET_ALLOW);
	assert_int_equal(ask(&f, x, SYS_write, 7, 7), SECCOMP_RET_ALLOW);
	assert_int_equal(ask(&f, x, SYS_execve, 0, 0), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(ask(&f, x, SYS_openat, 0, 0), refuse);
	assert_int_equal(ask(&f, x, SYS_socket, 2, 0), SECCOMP_RET_ALLOW);
	assert_int_equal(ask(&f, x, SYS_socket, 10, 0), SECCOMP_RET_ALLOW);
	assert_int_equal(ask(&f, x, SYS_socket, 16, 0), refuse);
	/* executable memory, another architecture */
	assert_int_equal(ask(&f, x, SYS_mmap, 0, PROT_READ | PROT_WRITE), SECCOMP_RET_ALLOW);
	assert_int_equal(ask(&f, x, SYS_mmap, 0, PROT_READ | PROT_EXEC), refuse);
	assert_int_equal(ask(&f, x, SYS_mprotect, 0, PROT_EXEC), refuse);
	assert_int_equal(ask(&f, x, SYS_mremap, 0, PROT_EXEC), SECCOMP_RET_ALLOW);
	assert_int_equal(ask(&f, AUDIT_ARCH_I386, SYS_read, 0, 0), SECCOMP_RET_KILL_PROCESS);
	own_filter_begin(&f, (struct sock_filter)KILL);
	assert_int_equal(ask(&f, x, SYS_mmap, 0, PROT_EXEC), SECCOMP_RET_KILL_PROCESS);
}

/* What does not fit is never loaded in part. */
static void test_a_filter_that_is_too_long_is_not_loaded(void **state)
{
	struct own_filter f;
	size_t call;

	(void)state;
	own_filter_begin(&f, (struct sock_filter)REFUSE);
	while (f.n < OWN_FILTER_MOST)
		own_filter_calls(&f, calls, OWN_FILTER_COUNT(calls), (struct sock_filter)ALLOW);
	assert_int_equal(own_filter_load(&f), -E2BIG);
	/* nor one in which a jump would be cut */
	own_filter_begin(&f, (struct sock_filter)REFUSE);
	f.n = 0;
	call = own_filter_call(&f, SYS_socket);
	f.n = call + 1 + UINT8_MAX;
	own_filter_end(&f, call);
	assert_false(f.over);
	f.n++;
	own_filter_end(&f, call);
	assert_true(f.over);
	assert_int_equal(own_filter_load(&f), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_mean_what_they_say),
		cmocka_unit_test(test_a_filter_that_is_too_long_is_not_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
