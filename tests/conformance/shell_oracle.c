/*
 * What the kernel saw of a shell line: the argv of each execve below the shell,
 * held by a seccomp filter and read out of the process before it goes on.  An
 * execve that fails counts as well: the shell meant to run it.  Runs in a jail
 * with a PID namespace of its own (shell.py makes it), since a line that takes
 * too long, or forks too often, is ended by killing every other process.
 *
 * Reads lines "SHELL HEX" (SHELL: a path, the same in all lines), writes for each
 *   "STATUS N SYNTAX" and N lines "PATH ARGV…", each a '=' and hex.
 * STATUS is the exit status, -1 past the limits; SYNTAX that of `SHELL -n -c`,
 * which is -1 when that took too long.  The last line is the time of all, in ms.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_FORKS 400
#define MAX_MS 1500
#define MAX_WORDS 20000
#define ZYGOTE_FD 190
#define PRELOAD "/b/conformance/shell_zygote.so"

static struct {
	const char *shell;
	pid_t pid;
	int sock, listener;
} zygote = { .sock = -1, .listener = -1 };

static FILE *out;
static unsigned nfound, nforks;

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(2);
}

/* --- the filter
 * ----------------------------------------------------------------------- */

#define LOAD(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IS(nr, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, yes, no)
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)

/*
 * Execs and forks are held; nobody may signal the first processes of the jail,
 * or all of them.  Sets the listener's descriptor.
 */
static int filter(void)
{
	struct sock_filter code[] = {
		LOAD(nr),
		IS(SYS_execve, 11, 0),
		IS(SYS_execveat, 10, 0),
		IS(SYS_clone, 9, 0),
		IS(SYS_clone3, 8, 0),
		IS(SYS_fork, 7, 0),
		IS(SYS_vfork, 6, 0),
		IS(SYS_kill, 0, 4),
		LOAD(args[0]),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0xfffffff0, 4, 0),
		IS(0, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 16, 0, 2),
		RETURN(SECCOMP_RET_ALLOW),
		RETURN(SECCOMP_RET_USER_NOTIF),
		RETURN(SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };
	unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
	long fd;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		     flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &prog);
	if (fd < 0)
		fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
	return (int)fd;
}

/* --- the argv of a process that is held
 * ---------------------------------------------------- */

static size_t peek(pid_t pid, uint64_t at, void *to, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)(uintptr_t)at, n };
	ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);

	return got < 0 ? 0 : (size_t)got;
}

static void put_string(pid_t pid, uint64_t at)
{
	char page[4096];

	fputc('=', out);
	for (;;) {
		/* not beyond a page, as the next one may not be there */
		size_t n = peek(pid, at, page, sizeof(page) - at % sizeof(page));

		for (size_t i = 0; i < n; i++) {
			static const char digits[] = "0123456789abcdef";
			unsigned char c = (unsigned char)page[i];

			if (!c)
				return;
			fputc(digits[c >> 4], out);
			fputc(digits[c & 15], out);
		}
		if (!n)
			return;
		at += n;
	}
}

static void record(pid_t pid, uint64_t path, uint64_t argv)
{
	uint64_t word;

	put_string(pid, path);
	for (int i = 0; i < MAX_WORDS; i++, argv += sizeof(word)) {
		if (peek(pid, argv, &word, sizeof(word)) != sizeof(word) || !word)
			break;
		fputc(' ', out);
		put_string(pid, word);
	}
	fputc('\n', out);
	nfound++;
}

/* One process that is held. */
static void notified(bool list)
{
	struct seccomp_notif n = { 0 };
	struct seccomp_notif_resp r = { 0 };

	if (ioctl(zygote.listener, SECCOMP_IOCTL_NOTIF_RECV, &n) < 0)
		return;
	if (list && (pid_t)n.pid != zygote.pid) {
		if (n.data.nr == SYS_execve)
			record((pid_t)n.pid, n.data.args[0], n.data.args[1]);
		else if (n.data.nr == SYS_execveat)
			record((pid_t)n.pid, n.data.args[1], n.data.args[2]);
		else
			nforks++;
	}
	r.id = n.id;
	r.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	ioctl(zygote.listener, SECCOMP_IOCTL_NOTIF_SEND, &r);
}

/* --- the shell, waiting
 * ---------------------------------------------------------------------- */

static void send_fd(int sock, int fd)
{
	char byte = 0, space[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec v = { &byte, 1 };
	struct msghdr m = { .msg_iov = &v,
			    .msg_iovlen = 1,
			    .msg_control = space,
			    .msg_controllen = sizeof(space) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (sendmsg(sock, &m, 0) != 1)
		_exit(2);
}

static int recv_fd(int sock)
{
	char byte, space[CMSG_SPACE(sizeof(int))];
	struct iovec v = { &byte, 1 };
	struct msghdr m = { .msg_iov = &v,
			    .msg_iovlen = 1,
			    .msg_control = space,
			    .msg_controllen = sizeof(space) };
	int fd;

	if (recvmsg(sock, &m, MSG_CMSG_CLOEXEC) != 1 || !CMSG_FIRSTHDR(&m))
		die("the filter's listener");
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

static _Noreturn void become(const char *shell, int sock)
{
	char *argv[] = { (char *)(uintptr_t)shell,
			 (char *)"+x",
			 (char *)"-c",
			 (char *)"--",
			 (char *)"",
			 /* $0, $1, $2, which shell_reader.c knows */
			 (char *)"say",
			 (char *)"p2",
			 (char *)"x y",
			 NULL };
	char number[16];
	int null = open("/dev/null", O_RDWR), fd;

	snprintf(number, sizeof(number), "%d", ZYGOTE_FD);
	setenv("SHELL_ZYGOTE", number, 1);
	setenv("LD_PRELOAD", PRELOAD, 1);
	for (int i = 0; i < 3; i++)
		dup2(null, i);
	fd = filter();
	if (fd < 0)
		_exit(2);
	send_fd(sock, fd);
	dup2(sock, ZYGOTE_FD);
	/* all else is for the oracle only */
	close_range(3, ZYGOTE_FD - 1, 0);
	execv(shell, argv);
	_exit(2);
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Serves what is held until the zygote answers; false past the limits. */
static bool answer(bool list, int *ret_status)
{
	long until = now_ms() + MAX_MS;

	nforks = 0;
	for (;;) {
		struct pollfd p[] = { { .fd = zygote.listener, .events = POLLIN },
				      { .fd = zygote.sock, .events = POLLIN } };
		long left = until - now_ms();

		if (left <= 0 || nforks > MAX_FORKS)
			return false;
		if (poll(p, 2, (int)left) < 0 && errno != EINTR)
			return false;
		if (p[0].revents & POLLIN)
			notified(list);
		else if (p[1].revents)
			return recv(zygote.sock, ret_status, sizeof(*ret_status), 0) ==
			       sizeof(*ret_status);
	}
}

static void end(bool kill_all)
{
	/* this process and the first of the jail are not among them */
	if (kill_all)
		kill(-1, SIGKILL);
	close(zygote.sock);
	while (waitpid(zygote.pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(zygote.listener);
	zygote.sock = -1;
}

static void begin(const char *shell)
{
	int pair[2], status;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		die("socketpair");
	zygote.pid = fork();
	if (zygote.pid < 0)
		die("fork");
	if (!zygote.pid) {
		close(pair[0]);
		become(shell, pair[1]);
	}
	close(pair[1]);
	zygote.sock = pair[0];
	zygote.listener = recv_fd(pair[0]);
	if (!answer(false, &status)) {
		fprintf(stderr, "shell_oracle: %s does not begin\n", shell);
		exit(2);
	}
}

/* --- lines
 * ----------------------------------------------------------------------------------------
 */

static int code(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The exit status, or -1. */
static int run(char mode, const char *shell, const char *dir, const char *line,
	       size_t n)
{
	static char packet[256 * 1024];
	size_t d = strlen(dir) + 1;
	int status;

	if (1 + d + n >= sizeof(packet))
		return -1;
	if (zygote.sock < 0)
		begin(shell);
	packet[0] = mode;
	memcpy(packet + 1, dir, d);
	memcpy(packet + 1 + d, line, n);
	if (send(zygote.sock, packet, 1 + d + n, MSG_NOSIGNAL) < 0 ||
	    !answer(mode == 'x', &status) || status < 0) {
		end(true);
		return -1;
	}
	return code(status);
}

static int digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
				      : -1;
}

static size_t unhex(char *hex)
{
	size_t n = 0;

	for (char *p = hex; *p && *p != '\n'; p += 2) {
		int hi = digit(p[0]), lo = digit(p[1]);

		if (hi < 0 || lo < 0)
			exit(2);
		hex[n++] = (char)(hi << 4 | lo);
	}
	hex[n] = '\0';
	return n;
}

/* Each line begins in a folder of its own, with the same files. */
static void place(unsigned long n, char dir[32])
{
	static const char *const names[] = { "a", "b", "aa", "ab", "c d", "p1", "-x" };
	int at;

	snprintf(dir, 32, "/w/%lu", n);
	if (mkdir(dir, 0755) < 0 || (at = open(dir, O_PATH | O_CLOEXEC)) < 0)
		die(dir);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		close(openat(at, names[i], O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
	close(at);
}

/* What all of it has cost, without the shells that did not end by themselves. */
static void put_time(void)
{
	struct rusage all = { 0 }, own = { 0 };

	getrusage(RUSAGE_CHILDREN, &all);
	getrusage(RUSAGE_SELF, &own);
	printf("%ld\n", (all.ru_utime.tv_sec + all.ru_stime.tv_sec +
			 own.ru_utime.tv_sec + own.ru_stime.tv_sec) *
					1000 +
				(all.ru_utime.tv_usec + all.ru_stime.tv_usec +
				 own.ru_utime.tv_usec + own.ru_stime.tv_usec) /
					1000);
}

int main(void)
{
	char *line = NULL, *text, *found = NULL, dir[32];
	unsigned long n = 0;
	size_t cap = 0, found_n, len;

	signal(SIGPIPE, SIG_IGN);
	while (getline(&line, &cap, stdin) > 0) {
		int status, syntax;

		text = strchr(line, ' ');
		if (!text)
			return 2;
		*text++ = '\0';
		len = unhex(text);
		place(n++, dir);
		nfound = 0;
		out = open_memstream(&found, &found_n);
		if (!out)
			die("memory");
		syntax = run('n', line, dir, text, len);
		status = run('x', line, dir, text, len);
		fclose(out);
		printf("%d %u %d\n%s", status, nfound, syntax, found);
		fflush(stdout);
		free(found);
	}
	if (zygote.sock >= 0)
		end(false);
	put_time();
	free(line);
	return 0;
}
