/*
 * Known ways around a sandbox through system calls, each of one verb:
 *   escape_kernel VERB [ARG…]   →   "OK" (and what was found) or the errno's
 * name.  What a verb does is harmless where it works: run inside the sandbox by
 * tests/live/escape/, and outside of it as the control.  Exit 0 for OK, 1 for
 * an errno, 2 for a bad call.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int victim = 1;

/* A child of our own that waits until it is killed. */
static pid_t child(void)
{
	pid_t pid = fork();

	while (pid == 0)
		(void)pause();
	return pid;
}

static pid_t target(char **arg, int *own)
{
	*own = !arg[0];
	return arg[0] ? (pid_t)strtol(arg[0], NULL, 0) : child();
}

static int done(pid_t pid, int own, int ret)
{
	int e = errno;

	if (own) {
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, 0);
	}
	errno = e;
	return ret;
}

/* trace, vm, getfd, mem [PID]: PID, or a child of our own. */
static int do_trace(char **arg)
{
	int own;
	pid_t pid = target(arg, &own);

	return done(pid, own, (int)ptrace(PTRACE_SEIZE, pid, NULL, NULL));
}

static int do_vm(char **arg)
{
	int own, new = 2;
	pid_t pid = target(arg, &own);
	struct iovec from = { &new, sizeof(new) };
	struct iovec to = { (void *)(size_t)&victim, sizeof(new) };

	return done(pid, own, process_vm_writev(pid, &from, 1, &to, 1, 0) < 0 ? -1 : 0);
}

static int do_getfd(char **arg)
{
	int own;
	pid_t pid = target(arg, &own);
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return done(pid, own, fd < 0 || syscall(SYS_pidfd_getfd, fd, 0, 0) < 0 ? -1 : 0);
}

static int do_mem(char **arg)
{
	char path[64];
	int own, fd, new = 2, ret = -1;
	pid_t pid = target(arg, &own);

	(void)snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0 && own)
		ret = pwrite(fd, &new, sizeof(new), (off_t)(size_t)&victim) < 0 ? -1 : 0;
	else if (fd >= 0)
		ret = 0;
	return done(pid, own, ret);
}

/* Our own call through the 32-bit door; the kernel takes the low halves. */
static int do_int80(char **arg)
{
	long ret;

	(void)arg;
	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(20L) : "r8", "r9", "r10", "r11",
			 "memory");
	errno = ENOSYS;
	return ret == getpid() ? 0 : -1;
}

static int do_x32(char **arg)
{
	(void)arg;
	return syscall(0x40000000L | SYS_getpid) < 0 ? -1 : 0;
}

static int do_clone3(char **arg)
{
	struct { unsigned long long v[11]; } a = { { 0, 0, 0, 0, SIGCHLD } };
	long pid;

	if (!arg[0])
		return -1;
	a.v[0] = strtoull(arg[0], NULL, 0);
	pid = syscall(SYS_clone3, &a, sizeof(a));
	if (pid == 0)
		_exit(0);
	return pid < 0 ? -1 : 0;
}

struct ring {
	int fd;
	unsigned *sq_tail, *sq_mask, *sq_array, *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
};

static int ring_open(struct ring *r)
{
	struct io_uring_params p;
	char *sq;

	memset(&p, 0, sizeof(p));
	r->fd = (int)syscall(SYS_io_uring_setup, 4, &p);
	if (r->fd < 0)
		return -1;
	/* one mapping holds both rings since Linux 5.4 */
	sq = mmap(NULL, 4096 * 4, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
		  IORING_OFF_SQ_RING);
	r->sqes = mmap(NULL, p.sq_entries * sizeof(*r->sqes), PROT_READ | PROT_WRITE,
		       MAP_SHARED, r->fd, IORING_OFF_SQES);
	if (sq == MAP_FAILED || (void *)r->sqes == MAP_FAILED)
		return -1;
	r->sq_tail = (unsigned *)(void *)(sq + p.sq_off.tail);
	r->sq_mask = (unsigned *)(void *)(sq + p.sq_off.ring_mask);
	r->sq_array = (unsigned *)(void *)(sq + p.sq_off.array);
	r->cq_head = (unsigned *)(void *)(sq + p.cq_off.head);
	r->cq_tail = (unsigned *)(void *)(sq + p.cq_off.tail);
	r->cq_mask = (unsigned *)(void *)(sq + p.cq_off.ring_mask);
	r->cqes = (struct io_uring_cqe *)(void *)(sq + p.cq_off.cqes);
	return 0;
}

/* One operation; its result, or -1 with errno. */
static int ring_do(struct ring *r, const struct io_uring_sqe *sqe)
{
	unsigned tail = *r->sq_tail, head = *r->cq_head;
	int res;

	r->sqes[tail & *r->sq_mask] = *sqe;
	r->sq_array[tail & *r->sq_mask] = tail & *r->sq_mask;
	__atomic_store_n(r->sq_tail, tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, r->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		return -1;
	if (__atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE) == head) {
		errno = EIO;
		return -1;
	}
	res = r->cqes[head & *r->cq_mask].res;
	__atomic_store_n(r->cq_head, head + 1, __ATOMIC_RELEASE);
	if (res >= 0)
		return res;
	errno = -res;
	return -1;
}

/* ring PATH TEXT: opens and writes without one system call for either. */
static int do_ring(char **arg)
{
	struct ring r;
	struct io_uring_sqe s;
	int fd;

	if (ring_open(&r) < 0)
		return -1;
	if (!arg[0] || !arg[1])
		return 0;
	memset(&s, 0, sizeof(s));
	s.opcode = IORING_OP_OPENAT;
	s.fd = AT_FDCWD;
	s.addr = (unsigned long long)(size_t)arg[0];
	s.open_flags = O_RDWR | O_CREAT;
	s.len = 0644;
	fd = ring_do(&r, &s);
	if (fd < 0)
		return -1;
	memset(&s, 0, sizeof(s));
	s.opcode = IORING_OP_WRITE;
	s.fd = fd;
	s.addr = (unsigned long long)(size_t)arg[1];
	s.len = (unsigned)strlen(arg[1]);
	return ring_do(&r, &s) < 0 ? -1 : 0;
}

/* ring-socket FAMILY: makes a socket without the system call. */
static int do_ring_socket(char **arg)
{
	struct io_uring_sqe s;
	struct ring r;

	if (!arg[0] || ring_open(&r) < 0)
		return -1;
	memset(&s, 0, sizeof(s));
	s.opcode = IORING_OP_SOCKET;
	s.fd = atoi(arg[0]);
	s.off = SOCK_STREAM;
	return ring_do(&r, &s) < 0 ? -1 : 0;
}

/* A program that no path names: memfd, tmpfile DIR, deleted FILE. */
static int copy_to(int fd, const char *from)
{
	char buf[65536];
	int in = open(from, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (in < 0 || fd < 0)
		return -1;
	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (write(fd, buf, (size_t)n) != n)
			return -1;
	return n < 0 || fchmod(fd, 0755) < 0 ? -1 : 0;
}

static int exec_fd(int fd, char **argv)
{
	char *env[] = { NULL };

	return (int)syscall(SYS_execveat, fd, "", argv, env, AT_EMPTY_PATH);
}

/* memfd PROGRAM ARG… */
static int do_memfd(char **arg)
{
	int fd = memfd_create("x", MFD_CLOEXEC);

	return !arg[0] || copy_to(fd, arg[0]) < 0 ? -1 : exec_fd(fd, arg);
}

/* tmpfile DIR PROGRAM ARG… */
static int do_tmpfile(char **arg)
{
	char path[64];
	int w, r;

	w = arg[0] && arg[1] ? open(arg[0], O_TMPFILE | O_RDWR | O_CLOEXEC, 0755) : -1;
	if (w < 0 || copy_to(w, arg[1]) < 0)
		return -1;
	/* a file that is open for writing does not run */
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", w);
	r = open(path, O_RDONLY | O_CLOEXEC);
	(void)close(w);
	return r < 0 ? -1 : exec_fd(r, arg + 1);
}

/* key-add NAME: into the user keyring, readable by the user. */
static int do_key_add(char **arg)
{
	long id = arg[0] ? syscall(SYS_add_key, "user", arg[0], "secret", 6,
				   KEY_SPEC_USER_KEYRING) : -1;

	if (id < 0 || syscall(SYS_keyctl, KEYCTL_SETPERM, id, 0x3f3f0000) < 0)
		return -1;
	printf("%ld\n", id);
	return 0;
}

static int do_key_find(char **arg)
{
	long id = syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user",
			  arg[0] ? arg[0] : "", 0);

	return id < 0 ? -1 : 0;
}

/* key-read SERIAL, key-unlink SERIAL */
static int do_key_read(char **arg)
{
	char buf[16];
	long n = syscall(SYS_keyctl, KEYCTL_READ, arg[0] ? atol(arg[0]) : 0, buf,
			 sizeof(buf));

	return n < 0 ? -1 : 0;
}

static int do_key_unlink(char **arg)
{
	return (int)syscall(SYS_keyctl, KEYCTL_UNLINK, arg[0] ? atol(arg[0]) : 0,
			    KEY_SPEC_USER_KEYRING);
}

union handle {
	struct file_handle h;
	char bytes[sizeof(struct file_handle) + MAX_HANDLE_SZ];
};

/* handle-of PATH: prints what handle-open DIR TYPE HEX opens. */
static int do_handle_of(char **arg)
{
	union handle u = { .h.handle_bytes = MAX_HANDLE_SZ };
	int mnt;

	if (!arg[0] || name_to_handle_at(AT_FDCWD, arg[0], &u.h, &mnt, 0) < 0)
		return -1;
	printf("%d ", u.h.handle_type);
	for (unsigned i = 0; i < u.h.handle_bytes; i++)
		printf("%02x", u.h.f_handle[i]);
	putchar('\n');
	return 0;
}

static int do_handle_open(char **arg)
{
	union handle u = { .h.handle_bytes = 0 };
	char buf[64] = "";
	int dir, fd;

	errno = EINVAL;
	if (!arg[0] || !arg[1] || !arg[2] || strlen(arg[2]) > 2 * MAX_HANDLE_SZ)
		return -1;
	u.h.handle_type = atoi(arg[1]);
	u.h.handle_bytes = (unsigned)strlen(arg[2]) / 2;
	for (unsigned i = 0; i < u.h.handle_bytes; i++) {
		char two[3] = { arg[2][2 * i], arg[2][2 * i + 1], '\0' };

		u.h.f_handle[i] = (unsigned char)strtoul(two, NULL, 16);
	}
	dir = open(arg[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = dir < 0 ? -1 : open_by_handle_at(dir, &u.h, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, buf, sizeof(buf) - 1) < 0)
		return -1;
	printf("%s", buf);
	return 0;
}

/* filter COMMAND…: under one more filter, which allows everything. */
static int do_filter(char **arg)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog prog = { 1, &allow };

	if (!arg[0] || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) < 0)
		return -1;
	return execv(arg[0], arg);
}

/* pid PID: whether a process of that number can be had in any way. */
static int do_pid(char **arg)
{
	pid_t pid = arg[0] ? atoi(arg[0]) : 0;
	union sigval v = { 0 };

	if (syscall(SYS_pidfd_open, pid, 0) >= 0 || kill(pid, 0) == 0 ||
	    sigqueue(pid, 0, v) == 0 || syscall(SYS_tgkill, pid, pid, 0) == 0 ||
	    syscall(SYS_tkill, pid, 0) == 0)
		return 0;
	return -1;
}

/*
 * group GROUP PID: SIGURG, which nobody dies of, to the caller's group and to
 * everybody, in all ways that there are; how many calls the kernel took.
 */
static int do_group(char **arg)
{
	pid_t group = arg[0] ? atoi(arg[0]) : 0, pid = arg[0] && arg[1] ? atoi(arg[1]) : 0;
	struct f_owner_ex own[] = { { F_OWNER_PGRP, 0 }, { F_OWNER_PGRP, group },
				    { F_OWNER_PID, pid } };
	int taken = 0, p[2];

	(void)signal(SIGURG, SIG_IGN);
	taken += kill(0, SIGURG) == 0;
	taken += syscall(SYS_kill, 0xffffffff00000000UL, SIGURG) == 0;
	taken += kill(-1, SIGURG) == 0;
	taken += group && kill(-group, SIGURG) == 0;
	taken += pid && kill(pid, SIGURG) == 0;
	taken += killpg(getpgrp(), SIGURG) == 0;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (pipe2(p, O_CLOEXEC) < 0 || fcntl(p[0], F_SETSIG, SIGURG) < 0 ||
		    fcntl(p[0], F_SETOWN_EX, &own[i]) < 0 ||
		    fcntl(p[0], F_SETFL, O_ASYNC | O_NONBLOCK) < 0)
			continue;
		(void)!write(p[1], "x", 1);
	}
	if (pipe2(p, O_CLOEXEC) == 0 && fcntl(p[0], F_SETSIG, SIGURG) == 0 &&
	    fcntl(p[0], F_SETOWN, -getpgrp()) == 0 &&
	    fcntl(p[0], F_SETFL, O_ASYNC | O_NONBLOCK) == 0)
		(void)!write(p[1], "x", 1);
	printf("%d taken\n", taken);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(char **arg);
} verbs[] = {
	{ "trace", do_trace },	       { "vm", do_vm },
	{ "getfd", do_getfd },	       { "mem", do_mem },
	{ "int80", do_int80 },	       { "x32", do_x32 },
	{ "clone3", do_clone3 },       { "ring", do_ring },
	{ "ring-socket", do_ring_socket },
	{ "memfd", do_memfd },	       { "tmpfile", do_tmpfile },
	{ "key-add", do_key_add },     { "key-find", do_key_find },
	{ "key-read", do_key_read },   { "key-unlink", do_key_unlink },
	{ "handle-of", do_handle_of }, { "handle-open", do_handle_open },
	{ "filter", do_filter },       { "pid", do_pid },
	{ "group", do_group },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc >= 2 && i < sizeof(verbs) / sizeof(*verbs); i++) {
		if (strcmp(argv[1], verbs[i].name) != 0)
			continue;
		if (verbs[i].run(argv + 2) == 0) {
			puts("OK");
			return 0;
		}
		puts(strerrorname_np(errno));
		return 1;
	}
	(void)fputs("usage: escape_kernel VERB [ARG...]\n", stderr);
	return 2;
}
