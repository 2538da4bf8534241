/*
 * The tables of compiler/target against what they were made from: libseccomp's
 * names and numbers, the system headers' values; and the widths that filters
 * depend on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <seccomp.h>

#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sched.h>
#include <poll.h>
#include <unistd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <asm/prctl.h>
#include <sys/ptrace.h>
#include <sys/personality.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/signalfd.h>
#include <sys/inotify.h>
#include <sys/fanotify.h>
#include <sys/resource.h>
#include <sys/mount.h>
#include <sys/swap.h>
#include <sys/reboot.h>
#include <sys/random.h>
#include <sys/xattr.h>
#include <sys/wait.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/sem.h>
#include <sys/msg.h>
#include <sys/file.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/quota.h>
#include <time.h>
#include <linux/netlink.h>
#include <linux/if_alg.h>
#include <linux/if_packet.h>
#include <linux/vm_sockets.h>
#include <linux/openat2.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <linux/filter.h>
#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <linux/futex.h>
#include <linux/memfd.h>
#include <linux/userfaultfd.h>
#include <linux/perf_event.h>
#include <linux/io_uring.h>
#include <linux/landlock.h>
#include <linux/membarrier.h>
#include <linux/kcmp.h>
#include <linux/kexec.h>
#include <linux/module.h>
#include <linux/mempolicy.h>
#include <linux/ioprio.h>
#include <linux/sockios.h>
#include <linux/fs.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <linux/rseq.h>
#include <linux/tiocl.h>
#include <linux/kd.h>
#include <linux/vt.h>

#include "compiler/target/target.h"

static void test_every_name_of_libseccomp_is_a_call(void **state)
{
	size_t n, found = 0;
	const struct target_call *calls = target_calls(&n);

	(void)state;
	for (int nr = 0; nr < 1024; nr++) {
		char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86_64, nr);
		const struct target_call *c = target_call_by_nr((uint32_t)nr);

		if (!name) {
			assert_null(c);
			continue;
		}
		assert_non_null(c);
		assert_string_equal(c->name, name);
		assert_ptr_equal(target_call_by_name(str_from(name)), c);
		found++;
		free(name);
	}
	assert_int_equal(found, n);
	assert_int_equal(calls[n - 1].nr + 1, target_call_end());
	assert_null(target_call_by_nr(target_call_end()));
	assert_null(target_call_by_nr(UINT32_MAX));
	assert_null(target_call_by_name(STR("statmount")));
	assert_null(target_call_by_name(STR("socke")));
	assert_null(target_call_by_name(STR("")));
}

static void test_arguments_are_well_formed(void **state)
{
	size_t n;
	const struct target_call *calls = target_calls(&n);

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (int a = 0; a < calls[i].nargs; a++) {
			const struct target_arg *arg = &calls[i].args[a];

			assert_true(arg->width == 32 || arg->width == 64);
			assert_true(arg->width == 64 || arg->mask <= UINT32_MAX);
			/* no name or alias hides another argument */
			assert_int_equal(target_call_arg(&calls[i],
							 str_from(arg->name)), a);
			if (arg->alias)
				assert_int_equal(target_call_arg(&calls[i],
						 str_from(arg->alias)), a);
		}
}

struct row {
	const char *call, *arg;
	int index;
	unsigned width;
	uint64_t mask;
};

static const struct row rows[] = {
	{ "ioctl", "cmd", 1, 32, 0xffffffff },
	{ "ioctl", "request", 1, 32, 0xffffffff },
	{ "ioctl", "arg", 2, 64, UINT64_MAX },
	{ "socket", "family", 0, 32, 0xffffffff },
	{ "socket", "domain", 0, 32, 0xffffffff },
	{ "socket", "protocol", 2, 32, 0xffffffff },
	{ "clone", "flags", 0, 32, 0xffffffff },
	{ "unshare", "flags", 0, 64, UINT64_MAX },
	{ "setns", "nstype", 1, 32, 0xffffffff },
	{ "kill", "pid", 0, 32, 0xffffffff },
	{ "open", "flags", 1, 32, 0xffffffff },
	{ "open", "mode", 2, 32, 0xffff },
	{ "openat", "mode", 3, 32, 0xffff },
	{ "chmod", "mode", 1, 32, 0xffff },
	{ "fchmodat2", "mode", 2, 32, 0xffff },
	{ "mknodat", "mode", 2, 32, 0xffff },
	{ "mmap", "prot", 2, 64, UINT64_MAX },
	{ "mmap", "fd", 4, 32, 0xffffffff },
	{ "mprotect", "prot", 2, 64, UINT64_MAX },
	{ "prctl", "option", 0, 32, 0xffffffff },
	{ "prctl", "arg2", 1, 64, UINT64_MAX },
	{ "personality", "persona", 0, 32, 0xffffffff },
	{ "ptrace", "request", 0, 64, UINT64_MAX },
	{ "mount", "mountflags", 3, 64, UINT64_MAX },
	{ "umount2", "flags", 1, 32, 0xffffffff },
	{ "execve", "filename", 0, 64, UINT64_MAX },
	{ "prlimit64", "resource", 1, 32, 0xffffffff },
	{ "setuid", "uid", 0, 32, 0xffffffff },
	{ "clone3", "cl_args", 0, 64, UINT64_MAX },
	{ "socket", "flags", -1, 0, 0 },
	{ "vserver", "flags", -1, 0, 0 },
};

static void test_widths(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		const struct target_call *c = target_call_by_name(str_from(r->call));
		int a;

		assert_non_null(c);
		a = target_call_arg(c, str_from(r->arg));
		assert_int_equal(a, r->index);
		if (a < 0)
			continue;
		assert_int_equal(c->args[a].width, r->width);
		assert_true(c->args[a].mask == r->mask);
	}
	assert_int_equal(target_call_by_name(STR("vserver"))->nargs, -1);
	assert_int_equal(target_call_by_name(STR("getpid"))->nargs, 0);
}

/* NAME is both the text and, as a macro of the headers, the value. */
static const struct {
	const char *name;
	uint64_t table, header;
} headers[] = {
#define CONSTANT(name, value) { #name, (uint64_t)(int64_t)(value), \
				(uint64_t)(int64_t)(name) },
#define KERNEL_CONSTANT(name, value)
#include "compiler/target/constants.def"
#undef CONSTANT
#undef KERNEL_CONSTANT
#define ERRNO(name, value) { #name, (value), (uint64_t)(name) },
#include "compiler/target/errnos.def"
#undef ERRNO
};

static void test_constants_are_the_headers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		uint64_t v = 0;

		if (headers[i].table != headers[i].header)
			fail_msg("%s is %#llx in the table, %#llx in the headers",
				 headers[i].name,
				 (unsigned long long)headers[i].table,
				 (unsigned long long)headers[i].header);
		assert_true(target_constant(str_from(headers[i].name), &v));
		assert_true(v == headers[i].header);
	}
}

static void test_constants_are_sorted(void **state)
{
	size_t n;
	const char *const *names = target_constant_names(&n);
	uint64_t v;

	(void)state;
	for (size_t i = 1; i < n; i++)
		if (str_cmp(str_from(names[i - 1]), str_from(names[i])) >= 0)
			fail_msg("%s before %s", names[i - 1], names[i]);
	for (size_t i = 0; i < n; i++)
		assert_true(target_constant(str_from(names[i]), &v));
	assert_true(target_constant(STR("AT_FDCWD"), &v));
	assert_true(v == (uint64_t)-100);
	assert_true(target_constant(STR("SOCK_TYPE_MASK"), &v));
	assert_true(v == 15);
	assert_true(target_constant(STR("O_LARGEFILE"), &v));
	assert_true(v == 0x8000);
	assert_false(target_constant(STR("AF_NOTHING"), &v));
	assert_false(target_constant(STR("AF_INE"), &v));
	assert_false(target_constant(STR(""), &v));
}

static void test_errnos(void **state)
{
	size_t n;
	const char *const *names = target_errno_names(&n);

	(void)state;
	assert_true(n > 130);
	for (size_t i = 0; i < n; i++) {
		uint16_t e = target_errno(str_from(names[i]));

		assert_true(e > 0 && e < 4096);
		assert_int_equal(target_errno(str_from(target_errno_name(e))), e);
	}
	assert_int_equal(target_errno(STR("EPERM")), 1);
	assert_int_equal(target_errno(STR("ENOSYS")), 38);
	assert_string_equal(target_errno_name(11), "EAGAIN");
	assert_string_equal(target_errno_name(95), "EOPNOTSUPP");
	assert_int_equal(target_errno(STR("EPOLLIN")), 0);
	assert_int_equal(target_errno(STR("EPER")), 0);
	assert_null(target_errno_name(0));
	assert_null(target_errno_name(4095));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_name_of_libseccomp_is_a_call),
		cmocka_unit_test(test_arguments_are_well_formed),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_constants_are_the_headers),
		cmocka_unit_test(test_constants_are_sorted),
		cmocka_unit_test(test_errnos),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
