/* What polgate cannot do once it serves, each beside what it still can. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/egress/gate_confine.h"

/* Some rows are left out under the sanitizers. */
#define SAN_UNUSED __attribute__((unused))

enum { KILLED = -1, FINE = 0 }; /* else the errno */

static int failed(long r)
{
	return r < 0 ? errno : FINE;
}

/* Confines a child, which then makes the call. */
static int try(int (*call)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct rt_err err = { 0 };

		if (gate_confine(&err) != 0)
			_exit(200);
		_exit(call());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status)) {
		assert_int_equal(WTERMSIG(status), SIGSYS);
		return KILLED;
	}
	assert_int_not_equal(WEXITSTATUS(status), 200);
	return WEXITSTATUS(status);
}

static int in_socket(void)
{
	return failed(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

static int in6_datagram(void)
{
	return failed(socket(AF_INET6, SOCK_DGRAM, 0));
}

static SAN_UNUSED int unix_socket(void)
{
	return failed(socket(AF_UNIX, SOCK_STREAM, 0));
}

static SAN_UNUSED int netlink_socket(void)
{
	return failed(socket(AF_NETLINK, SOCK_RAW, 0));
}

static SAN_UNUSED int raw_socket(void)
{
	return failed(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
}

static SAN_UNUSED int mptcp_socket(void)
{
	return failed(socket(AF_INET, SOCK_STREAM, 262));
}

static SAN_UNUSED int open_file(void)
{
	return failed(openat(AT_FDCWD, "/etc/hostname", O_RDONLY));
}

static SAN_UNUSED int old_open(void)
{
	return failed(syscall(SYS_open, "/etc/hostname", O_RDONLY));
}

static int execute(void)
{
	return failed(execve("/bin/true", (char *[]){ (char *)(uintptr_t) "true", NULL }, NULL));
}

static SAN_UNUSED int make_process(void)
{
	return failed(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

static SAN_UNUSED int trace(void)
{
	return failed(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static SAN_UNUSED int signal_parent(void)
{
	return failed(kill(getppid(), 0));
}

static SAN_UNUSED int bind_port(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };

	return failed(bind(socket(AF_INET, SOCK_STREAM, 0), (void *)&a, sizeof(a)));
}

static int option_of_socket(void)
{
	int one = 1;

	return failed(setsockopt(socket(AF_INET, SOCK_STREAM, 0), IPPROTO_TCP, TCP_NODELAY,
				 &one, sizeof(one)));
}

static SAN_UNUSED int option_of_ip(void)
{
	int one = 1;

	return failed(setsockopt(socket(AF_INET, SOCK_STREAM, 0), IPPROTO_IP, IP_TOS, &one,
				 sizeof(one)));
}

static int long_pipe(void)
{
	int fd[2];

	return pipe2(fd, O_CLOEXEC) ? errno : failed(fcntl(fd[0], F_SETPIPE_SZ, 1 << 20));
}

static SAN_UNUSED int copy_descriptor(void)
{
	return failed(fcntl(0, F_DUPFD, 100));
}

static int memory(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
			       MAP_FAILED ? errno : FINE;
}

static SAN_UNUSED int code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
			       MAP_FAILED ? errno : FINE;
}

static void test_calls(void **state)
{
	static const struct {
		const char *name;
		int (*call)(void);
		int want;
	} rows[] = {
		{ "a TCP socket", in_socket, FINE },
		{ "a UDP socket", in6_datagram, FINE },
		{ "an option of TCP", option_of_socket, FINE },
		{ "a longer pipe", long_pipe, FINE },
		{ "memory", memory, FINE },
#ifndef POL_SAN /* its run time needs most of them */
		{ "a Unix socket", unix_socket, EPERM },
		{ "a netlink socket", netlink_socket, EPERM },
		{ "a raw socket", raw_socket, EPERM },
		{ "an MPTCP socket", mptcp_socket, EPERM },
		{ "openat", open_file, KILLED },
		{ "open", old_open, KILLED },
		{ "clone", make_process, KILLED },
		{ "ptrace", trace, KILLED },
		{ "kill", signal_parent, EPERM },
		{ "bind", bind_port, KILLED },
		{ "an option of IP", option_of_ip, EPERM },
		{ "dup", copy_descriptor, EPERM },
		{ "executable memory", code, EPERM },
#endif
		{ "execve", execute, KILLED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int got = try(rows[i].call);

		if (got != rows[i].want)
			fail_msg("%s: %d, not %d", rows[i].name, got, rows[i].want);
	}
}

/* The state of the process as another one sees it. */
static void test_privileges(void **state)
{
	char path[64], text[4096];
	int go[2], up[2], fd;
	struct rt_err err = { 0 };
	ssize_t n;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(go) | pipe(up), 0);
	pid = fork();
	if (pid == 0) {
		char c;

		if (gate_confine(&err) != 0)
			_exit(1);
		(void)close(up[1]); /* write() is none of its calls */
		(void)!read(go[0], &c, 1);
		_exit(0);
	}
	(void)close(up[1]);
	(void)!read(up[0], text, 1); /* until the child is confined */
	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	n = read(fd, text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	assert_non_null(strstr(text, "CapPrm:\t0000000000000000"));
	assert_non_null(strstr(text, "CapEff:\t0000000000000000"));
	assert_non_null(strstr(text, "CapInh:\t0000000000000000"));
	assert_non_null(strstr(text, "CapAmb:\t0000000000000000"));
	assert_non_null(strstr(text, "NoNewPrivs:\t1"));
	assert_non_null(strstr(text, "Seccomp:\t2"));
	(void)close(fd);
	(void)close(go[1]);
	(void)close(go[0]);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_privileges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
