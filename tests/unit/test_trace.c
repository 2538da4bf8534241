/* What one traced call may cost the supervisor (TRACE_MAX_MS, TRACE_MAX_RESOLUTIONS):
 * by a clock of the test's own, which each resolution moves on, and by the processor
 * time of the longest chain of links that there can be. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "runtime/supervise/trace.h"
#include "runtime/broker/tracee.h"
#include "tests/unit/scratch_dir.h"

static char dir[] = "/tmp/pol-trace.XXXXXX";

/* The clock: while it is ours it stands still but for what a resolution costs. */
static bool is_ours;
static int64_t now_ms, cost_ms;
static unsigned resolved;

/* In place of libc's: the runtime calls this one. */
int clock_gettime(clockid_t id, struct timespec *ts)
{
	if (!is_ours || id != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, id, ts);
	*ts = (struct timespec){ now_ms / 1000, now_ms % 1000 * 1000000 };
	return 0;
}

/* In place of libc's: counts openat2(2). */
long syscall(long nr, ...)
{
	long a[6], ret;
	va_list ap;

	va_start(ap, nr);
	for (size_t i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_openat2) {
		resolved++;
		now_ms += cost_ms;
	}
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];

	__asm__ volatile("syscall" : "=a"(ret)
			 : "a"(nr), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	if (ret < 0 && ret >= -4095) {
		errno = (int)-ret;
		return -1;
	}
	return ret;
}

static struct sandbox_run run;
static struct sandbox_view view;
static struct denials denials;
static struct trace trace;

/* A call of our own, which is traced. */
static void look(int nr, const void *a0, const void *a1, unsigned long a2)
{
	struct seccomp_notif req = { .pid = (__u32)getpid(), .data = { .nr = nr } };

	req.data.args[0] = (uint64_t)(uintptr_t)a0;
	req.data.args[1] = (uint64_t)(uintptr_t)a1;
	req.data.args[2] = a2;
	now_ms = 5000;
	resolved = 0;
	is_ours = true;
	trace_look(&trace, &req);
	is_ours = false;
}

static int begin(void **state)
{
	(void)state;
	if (scratch_enter(dir) < 0)
		return -1;
	trace = (struct trace){ .judge = { &run, &view, &denials } };
	trace.paths.proc_fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	trace.paths.root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return trace.paths.proc_fd < 0 || trace.paths.root_fd < 0 ? -1 : 0;
}

static int end(void **state)
{
	(void)state;
	trace_release(&trace);
	return scratch_leave(dir);
}

/* The longest path, of the shortest names, that leads nowhere: below a tree of the run's
 * own, so that it is no denial either. */
static void longest_path(char path[PATH_MAX])
{
	size_t n = (size_t)snprintf(path, PATH_MAX, "/proc");

	while (n + 2 < PATH_MAX) {
		memcpy(path + n, "/n", 3);
		n += 2;
	}
}

static void test_the_longest_paths_are_looked_at(void **state)
{
	char path[PATH_MAX];

	(void)state;
	longest_path(path);
	denials.lost = 0;
	cost_ms = 0;
	look(SYS_rename, path, path, 0);
	assert_int_equal(denials.lost, 0);
	assert_true(resolved > 16 && resolved <= TRACE_MAX_RESOLUTIONS);
}

static void test_a_call_ends_at_its_share_of_time(void **state)
{
	char path[PATH_MAX];
	unsigned all;

	(void)state;
	longest_path(path);
	cost_ms = 0;
	look(SYS_rename, path, path, 0);
	all = resolved;
	for (cost_ms = 1; cost_ms <= TRACE_MAX_MS; cost_ms++) {
		denials.lost = 0;
		look(SYS_rename, path, path, 0);
		/* the last one may have begun just before */
		assert_true(now_ms - 5000 < TRACE_MAX_MS + cost_ms);
		assert_true(now_ms - 5000 < 2000);
		/* what was not looked at to its end is told, and nothing ends earlier */
		assert_int_equal(denials.lost, resolved < all);
		assert_true(resolved == all || now_ms - 5000 >= TRACE_MAX_MS);
		/* and the next call has a share of its own */
		denials.lost = 0;
		look(SYS_stat, "/proc", NULL, 0);
		assert_int_equal(denials.lost, 0);
		assert_int_equal(resolved, 1);
	}
	assert_int_equal(denials.n, 0);
}

/* Eight addresses of 50 names each, which one call may bring. */
static void test_a_call_ends_at_its_share_of_resolutions(void **state)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct mmsghdr m[8] = { 0 };
	size_t n = 5;

	(void)state;
	memcpy(to.sun_path, "/proc", 6);
	for (; n + 2 < sizeof(to.sun_path); n += 2)
		memcpy(to.sun_path + n, "/n", 3);
	for (size_t i = 0; i < 8; i++) {
		m[i].msg_hdr.msg_name = &to;
		m[i].msg_hdr.msg_namelen = sizeof(to);
	}
	denials.lost = 0;
	cost_ms = 0;
	look(SYS_sendmmsg, NULL, m, 2);
	assert_int_equal(denials.lost, 0);
	assert_true(resolved > 8 && resolved <= TRACE_MAX_RESOLUTIONS);
	look(SYS_sendmmsg, NULL, m, 8);
	assert_int_equal(denials.lost, 1);
	assert_int_equal(resolved, TRACE_MAX_RESOLUTIONS);
	look(SYS_sendmmsg, NULL, m, 2);
	assert_int_equal(denials.lost, 1);
}

static int64_t processor_ms(void)
{
	struct rusage u;

	assert_int_equal(getrusage(RUSAGE_SELF, &u), 0);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
}

/* 39 links (the kernel follows 40), each behind as many names as a link can hold, and
 * behind them names that are nowhere, so that the search goes on. */
static void test_the_slowest_resolution_fits_into_the_share(void **state)
{
	char text[PATH_MAX], name[16], path[PATH_MAX];
	struct seccomp_notif req = { .pid = (__u32)getpid(), .data = { .nr = SYS_truncate } };
	int64_t from;
	bool exists = false;
	size_t n;

	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	for (unsigned i = 0; i < 39; i++) {
		for (n = 0; n + 5 + 8 < PATH_MAX; n += 5)
			memcpy(text + n, "d/../", 6);
		if (i)
			(void)snprintf(text + n, sizeof(text) - n, "l%u", i - 1);
		else
			(void)snprintf(text + n, sizeof(text) - n, "d");
		(void)snprintf(name, sizeof(name), "l%u", i);
		assert_int_equal(symlink(text, name), 0);
	}
	(void)snprintf(text, sizeof(text), "%s/l38", dir);
	/* openat2() fails with EAGAIN if anything on the machine is renamed or mounted
	 * while it goes through a "..", and here are 31,000 of them */
	for (int i = 0; i < 100 && !exists; i++) {
		from = processor_ms();
		trace.paths.resolutions = 0;
		trace.paths.given_up = false;
		if (!tracee_path(&trace.paths, getpid(), AT_FDCWD, text, true, path, &exists))
			exists = false;
		assert_true(processor_ms() - from < TRACE_MAX_MS);
	}
	assert_true(exists);

	n = strlen(text);
	while (n + 2 < sizeof(text)) {
		memcpy(text + n, "/n", 3);
		n += 2;
	}
	req.data.args[0] = (uint64_t)(uintptr_t)text;
	from = processor_ms();
	trace_look(&trace, &req);
	assert_true(processor_ms() - from < 2000);
	assert_true(trace.paths.resolutions > 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_longest_paths_are_looked_at),
		cmocka_unit_test(test_a_call_ends_at_its_share_of_time),
		cmocka_unit_test(test_a_call_ends_at_its_share_of_resolutions),
		cmocka_unit_test(test_the_slowest_resolution_fits_into_the_share),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
