/* Fault injection (VARIANT=faults): decides which call fails, and when. The linker
 * redirects every call of fault.def to this file. In every other build it is empty. */
#include "runtime/base/fault.h"

#ifdef POL_FAULTS
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <sys/capability.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <grp.h>
#include <termios.h>
#include <linux/magic.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/sys.h"

enum { MAX_CALLS = 256, MAX_FRAMES = 12, SHORT = -1 };

static struct {
	const char *role; /* NULL: no call was made yet */
	const char *spec; /* NULL: there are no faults; never "" */
	bool log, forked;
	const char *before, *last; /* the last two calls */
	unsigned launch; /* how often polrun has made a polinit */
	int out; /* 0: standard error; else where the loader and the looker keep it */
	struct {
		const char *name;
		unsigned long seen;
	} calls[MAX_CALLS];
	unsigned ncalls;
	uintptr_t stack_end;
} state;

/* Where the program lies in memory: addresses are printed relative to this. */
extern const char __executable_start[], etext[];

ssize_t __real_write(int fd, const void *buf, size_t n);
long __real_syscall(long number, ...);

static void begin(void)
{
	if (state.role)
		return;
	/* before main() the program's name is not known yet */
	const char *inside = getenv("POL_FAULT_INSIDE");

	state.role = inside ? "polinit" : "polrun";
	state.launch = inside ? (unsigned)strtoul(inside, NULL, 10) : 0;
	state.spec = getenv("POL_FAULT");
	state.log = getenv("POL_FAULT_LOG") != NULL;
	state.stack_end = (uintptr_t)environ;
}

/* Another process of the run begins: it counts from 1. */
static void enter(const char *role)
{
	state.role = role;
	state.ncalls = 0;
}

static unsigned long count(const char *name)
{
	unsigned i = 0;

	while (i < state.ncalls && strcmp(state.calls[i].name, name) != 0)
		i++;
	if (i == MAX_CALLS)
		abort();
	if (i == state.ncalls) {
		state.calls[state.ncalls].name = name;
		state.calls[state.ncalls++].seen = 0;
	}
	return ++state.calls[i].seen;
}

/* Writes each line with one call, as other processes of the run write to the same
 * pipe. */
static void say(char kind, const char *name, unsigned long n, const char *what,
		const uintptr_t *frame)
{
	char line[512];
	int at = snprintf(line, sizeof(line), "@%c %s %s %lu%s%s", kind, state.role,
			  name, n, *what ? " " : "", what);

	for (int i = 0; i < MAX_FRAMES && at < 480; i++) {
		uintptr_t next = frame[0], back = frame[1];

		if (back < (uintptr_t)__executable_start || back >= (uintptr_t)etext)
			break;
		at += snprintf(line + at, sizeof(line) - (size_t)at, " %lx",
			       back - (uintptr_t)__executable_start);
		/* libc keeps no frame pointers: a frame that comes through it may be
		 * anything */
		if (next <= (uintptr_t)frame || next >= state.stack_end - 16 ||
		    next % sizeof(next))
			break;
		frame = (const uintptr_t *)next;
	}
	line[at++] = '\n';
	(void)__real_write(state.out ? state.out : 2, line, (size_t)at);
}

static int errno_named(const char *name)
{
	for (int e = 1; e < 134; e++) {
		const char *s = strerrorname_np(e);

		if (s && strcmp(s, name) == 0)
			return e;
	}
	abort();
}

/* Does one of the specifications apply to this call? ret_what is its last field. */
static bool applies(const char *name, unsigned long n, char ret_what[16])
{
	char role[16], call[40], when[16];

	for (const char *s = state.spec; s && *s; s = strchr(s, ',')) {
		unsigned long from;
		char *end;

		s += *s == ',';
		if (sscanf(s, "%15[^:]:%39[^:]:%15[^:]:%15[^,]", role, call, when,
			   ret_what) != 4)
			abort();
		if (strcmp(role, state.role) != 0 || strcmp(call, name) != 0)
			continue;
		from = strtoul(when, &end, 10);
		if (*end == '/' && strtoul(end + 1, NULL, 10) != state.launch)
			continue;
		if (when[0] == '*' || (*end == '+' ? n >= from : n == from))
			return true;
	}
	return false;
}

int fault_at(const char *name)
{
	/* the wrapper's frame: its caller is in the program */
	const uintptr_t *frame = *(uintptr_t **)__builtin_frame_address(0);
	int keep = errno, r = 0;
	char what[16];
	unsigned long n;

	begin();
	state.before = state.last;
	state.last = name;
	n = count(name);
	if (state.log)
		say('F', name, n, "", frame);
	if (applies(name, n, what)) {
		r = strcmp(what, "short") == 0 ? SHORT : 0;
		if (strcmp(what, "stop") == 0) {
			say('S', name, n, "", frame);
			for (;;)
				(void)__real_syscall(SYS_pause);
		}
		if (r == 0) {
			r = errno_named(what);
			say('I', name, n, what, frame);
		}
	}
	errno = keep;
	return r;
}

#define FAIL(name, bad)                  \
	do {                             \
		int e_ = fault_at(name); \
		if (e_ > 0) {            \
			errno = e_;      \
			return bad;      \
		}                        \
	} while (0)

#define X(type, bad, name, params, args)   \
	type __real_##name params;         \
	type __wrap_##name params;         \
	type __wrap_##name params          \
	{                                  \
		FAIL(#name, bad);          \
		return __real_##name args; \
	}
#include "runtime/base/fault.def"
#undef X

/* --- by hand ------------------------------------------------------------------ */

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	int e = fault_at("close"), r = __real_close(fd);

	/* the descriptor is gone in any case */
	if (e > 0) {
		errno = e;
		return -1;
	}
	return r;
}

/* The name of a forked process: polinit blocks signals before it forks the command, but
 * only after polnft; what asks has a socket to who began it, made just before. */
static const char *forked_as(void)
{
	sigset_t now;

	if (strcmp(state.role, "asker") == 0)
		return "looker";
	if (strcmp(state.role, "polinit") != 0)
		return state.before && strcmp(state.before, "socketpair") == 0 ? "asker" : "copier";
	(void)__real_sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, SIGCHLD) ? "command" : "loader";
}

int __real_fcntl(int fd, int cmd, ...);
pid_t __real_fork(void);
pid_t __wrap_fork(void);
pid_t __wrap_fork(void)
{
	pid_t p;

	FAIL("fork", -1);
	p = __real_fork();
	/* polinit's own filter does not allow fstat() */
	state.forked = true;
	if (p == 0)
		enter(forked_as());
	return p;
}

/* The loader's standard error is polinit's socket, and the looker has none, so our lines go
 * to the original one. */
int __real_dup2(int from, int to);
int __wrap_dup2(int from, int to);
int __wrap_dup2(int from, int to)
{
	FAIL("dup2", -1);
	if (to == 2 && (strcmp(state.role, "loader") == 0 || strcmp(state.role, "looker") == 0))
		state.out = __real_fcntl(2, F_DUPFD_CLOEXEC, 64L);
	return __real_dup2(from, to);
}

/* The last argument, in the widest type that a caller passes; most pass none. */
#define LAST(after)              \
	va_list ap;              \
	long last;               \
	va_start(ap, after);     \
	last = va_arg(ap, long); \
	va_end(ap)

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	LAST(flags);
	FAIL("open", -1);
	return __real_open(path, flags, (mode_t)last);
}

int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...)
{
	LAST(flags);
	FAIL("openat", -1);
	return __real_openat(dir, path, flags, (mode_t)last);
}

int __real_fcntl(int fd, int cmd, ...);
int __wrap_fcntl(int fd, int cmd, ...);
int __wrap_fcntl(int fd, int cmd, ...)
{
	LAST(cmd);
	FAIL("fcntl", -1);
	return __real_fcntl(fd, cmd, last);
}

int __real_ioctl(int fd, unsigned long cmd, ...);
int __wrap_ioctl(int fd, unsigned long cmd, ...);
int __wrap_ioctl(int fd, unsigned long cmd, ...)
{
	LAST(cmd);
	FAIL("ioctl", -1);
	return __real_ioctl(fd, cmd, last);
}

int __real_prctl(int what, ...);
int __wrap_prctl(int what, ...);
int __wrap_prctl(int what, ...)
{
	unsigned long v[4];
	va_list ap;

	va_start(ap, what);
	for (int i = 0; i < 4; i++)
		v[i] = va_arg(ap, unsigned long);
	va_end(ap);
	FAIL("prctl", -1);
	return __real_prctl(what, v[0], v[1], v[2], v[3]);
}

static bool is_file(int fd)
{
	struct stat st;

	struct statfs fs;

	/* a file in /proc must be written in one call */
	return __real_fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       __real_fstatfs(fd, &fs) == 0 && fs.f_type != PROC_SUPER_MAGIC;
}

#define MOVE(name, params, call)                        \
	ssize_t __real_##name params;                   \
	ssize_t __wrap_##name params;                   \
	ssize_t __wrap_##name params                    \
	{                                               \
		int e = fault_at(#name);                \
		if (e > 0) {                            \
			errno = e;                      \
			return -1;                      \
		}                                       \
		if (e == SHORT && n > 1 && !state.forked && is_file(fd)) \
			n = 1;                          \
		return __real_##name call;              \
	}
MOVE(read, (int fd, void *buf, size_t n), (fd, buf, n))
MOVE(pread, (int fd, void *buf, size_t n, off_t at), (fd, buf, n, at))
MOVE(write, (int fd, const void *buf, size_t n), (fd, buf, n))

static const char *number_name(long number)
{
	switch (number) {
#define S(number, name) \
	case number:    \
		return #name;
#include "runtime/base/fault.def"
#undef S
	default:
		/* a call that fault.def lacks would never be tested */
		abort();
	}
}

/* polinit's environment is empty, except for what controls the faults. */
static char **own_environment(void)
{
	static char spec[400], log[] = "POL_FAULT_LOG=1", inside[40];
	static char *env[4] = {inside};
	int n = 1;

	(void)snprintf(inside, sizeof(inside), "POL_FAULT_INSIDE=%u", state.launch);
	if (state.spec && snprintf(spec, sizeof(spec), "POL_FAULT=%s", state.spec) <
				  (int)sizeof(spec))
		env[n++] = spec;
	if (state.log)
		env[n++] = log;
	return env;
}

long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	long v[6], r;
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		v[i] = va_arg(ap, long);
	va_end(ap);
	FAIL(number_name(number), -1);
	if (number == SYS_clone3 && ((struct clone_args *)v[0])->flags & CLONE_NEWNS)
		state.launch++;
	if (number == SYS_execveat && strcmp(state.role, "child") == 0)
		v[3] = (long)own_environment();
	r = __real_syscall(number, v[0], v[1], v[2], v[3], v[4], v[5]);
	if (r == 0 && number == SYS_clone3)
		enter(((struct clone_args *)v[0])->flags & CLONE_NEWNS ? "child"
								       : "owner");
	return r;
}
#else
typedef int fault_is_off;
#endif
