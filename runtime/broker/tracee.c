/* Reads strings and paths of a traced caller.  The kernel resolves paths below the
 * sandbox's root (openat2, O_PATH).  The part that does not exist there is appended as
 * text. */
#include "runtime/broker/tracee.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

/* Most strings end within it, and it is read faster than a page. */
#define FIRST_PART 256

#define OF_THREAD O_EXCL /* PIDFD_THREAD, 6.9 */

/* Reads at most up to the end of a page: a range that ends in an unmapped page would
 * fail as a whole. */
static size_t read_page(pid_t pid, uint64_t addr, void *buf, size_t len)
{
	size_t part = 4096 - (size_t)(addr & 4095);
	struct iovec local, remote;
	ssize_t n;

	if (part > len)
		part = len;
	local = (struct iovec){ buf, part };
	remote = (struct iovec){ (void *)(uintptr_t)addr, part };
	n = process_vm_readv(pid, &local, 1, &remote, 1, 0);
	return n > 0 ? (size_t)n : 0;
}

size_t tracee_read(pid_t pid, uint64_t addr, void *buf, size_t len)
{
	size_t got = 0;

	while (got < len) {
		size_t n = read_page(pid, addr + got, (char *)buf + got, len - got);

		if (n == 0)
			break;
		got += n;
	}
	return got;
}

bool tracee_string(pid_t pid, uint64_t addr, char *buf, size_t cap)
{
	size_t got = 0;

	if (addr == 0)
		return false;
	while (got < cap) {
		size_t part = got ? cap - got : cap < FIRST_PART ? cap : FIRST_PART;
		size_t n = read_page(pid, addr + got, buf + got, part);

		if (n == 0)
			return false;
		if (memchr(buf + got, 0, n))
			return true;
		got += n;
	}
	return false;
}

bool tracee_link(int dir, const char *name, char out[PATH_MAX])
{
	ssize_t n = readlinkat(dir, name, out, PATH_MAX - 1);

	if (n >= PATH_MAX - 1)
		errno = ENAMETOOLONG;
	if (n <= 0 || n >= PATH_MAX - 1 || out[0] != '/')
		return false;
	out[n] = '\0';
	return true;
}

bool tracee_is_gone(const char *path)
{
	static const char end[] = " (deleted)";
	size_t n = strlen(path);

	return n >= sizeof(end) - 1 && strcmp(path + n - (sizeof(end) - 1), end) == 0;
}

void tracee_number_text(unsigned n, char out[TRACEE_NUMBER])
{
	char *p = out + TRACEE_NUMBER;

	/* snprintf() takes as long as a call of the kernel */
	*--p = '\0';
	do
		*--p = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	memmove(out, p, (size_t)(out + TRACEE_NUMBER - p));
}

#define PROC_NAME (2 * TRACEE_NUMBER + 16)

/* A name below a process's directory in /proc.  Returns its end. */
static char *proc_name(pid_t pid, const char *what, char out[PROC_NAME])
{
	size_t n = strlen(what);

	tracee_number_text((unsigned)pid, out);
	out += strlen(out);
	memcpy(out, what, n + 1);
	return out + n;
}

bool tracee_status(int proc_fd, pid_t pid, const char *field, int base,
		   unsigned long *ret)
{
	char file[PROC_NAME];

	(void)proc_name(pid, "/status", file);
	return tracee_number(proc_fd, file, field, base, ret);
}

bool tracee_number(int proc_fd, const char *file, const char *field, int base,
		   unsigned long *ret)
{
	char name[32], text[512];
	AUTO_CLOSE int fd = -1;
	const char *at;
	ssize_t n;

	fd = sys_open_beneath(proc_fd, file, O_RDONLY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (fd < 0)
		return false;
	n = SYS_RETRY(read(fd, text, sizeof(text) - 1));
	if (n <= 0)
		return false;
	text[n] = '\0';
	(void)snprintf(name, sizeof(name), "\n%s:\t", field);
	/* the line before may hold the command's name, but no line break */
	at = strstr(text, name);
	if (!at)
		return false;
	*ret = strtoul(at + strlen(name), NULL, base);
	return true;
}

/* All of /proc/PID/status: the groups of a process may be many.  To be freed; NULL. */
static char *status_text(int proc_fd, pid_t pid)
{
	char file[PROC_NAME], *text = NULL;
	size_t n;

	(void)proc_name(pid, "/status", file);
	AUTO_CLOSE int fd = sys_open_beneath(proc_fd, file, O_RDONLY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);

	return fd >= 0 && io_read_all(fd, 1 << 20, &text, &n) == 0 ? text : NULL;
}

static uint64_t status_number(const char *text, const char *field, int base)
{
	char name[32];
	const char *at;

	(void)snprintf(name, sizeof(name), "\n%s:\t", field);
	at = strstr(text, name);
	return at ? strtoull(at + strlen(name), NULL, base) : 0;
}

static bool is_stopped(int proc_fd, pid_t pid)
{
	AUTO_FREE char *text = status_text(proc_fd, pid);

	return text && strstr(text, "\nState:\tT");
}

enum tracee_signal tracee_signal(int proc_fd, pid_t pid)
{
	AUTO_FREE char *text = status_text(proc_fd, pid);
	uint64_t blocked, all;
	pid_t leader;

	if (!text)
		return TRACEE_SIGNAL_NONE;
	blocked = status_number(text, "SigBlk", 16);
	all = status_number(text, "ShdPnd", 16) & ~blocked;
	leader = (pid_t)status_number(text, "Tgid", 10);
	if (status_number(text, "SigPnd", 16) & ~blocked)
		return TRACEE_SIGNAL_OWN;
	if (all && status_number(text, "Threads", 10) == 1)
		return TRACEE_SIGNAL_OWN;
	/* the process stops as soon as this thread does: what stopped it was taken by another one */
	if (leader != pid && is_stopped(proc_fd, leader))
		return TRACEE_SIGNAL_OWN;
	return all ? TRACEE_SIGNAL_ANY : TRACEE_SIGNAL_NONE;
}

static bool base_name(pid_t pid, int dirfd, char name[PROC_NAME])
{
	if (dirfd == AT_FDCWD)
		(void)proc_name(pid, "/cwd", name);
	else if (dirfd >= 0)
		tracee_number_text((unsigned)dirfd, proc_name(pid, "/fd/", name));
	return dirfd == AT_FDCWD || dirfd >= 0;
}

int tracee_base(int proc_fd, pid_t pid, int dirfd, char out[PATH_MAX])
{
	char name[PROC_NAME];

	errno = 0;
	if (base_name(pid, dirfd, name) && tracee_link(proc_fd, name, out))
		return 0;
	if (errno == ENAMETOOLONG)
		return -errno;
	return dirfd == AT_FDCWD ? -ENOENT : -EBADF;
}

int tracee_open_base(int proc_fd, pid_t pid, int dirfd)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC };
	char name[PROC_NAME];
	int fd;

	if (!base_name(pid, dirfd, name))
		return -EBADF;
	fd = sys_openat2(proc_fd, name, &how);
	return fd < 0 ? -errno : fd;
}

/* Is one of the numbers below `most` free?  `dir` lists those that are not. */
static bool has_free_number(int dir, rlim_t most)
{
	_Alignas(8) char buf[4096];
	rlim_t used = 0;
	long n;

	while ((n = syscall(SYS_getdents64, dir, buf, sizeof(buf))) > 0)
		for (long at = 0; at < n;) {
			const struct dirent64 *e = (const void *)(buf + at);

			at += e->d_reclen;
			if (e->d_name[0] != '.' && strtoul(e->d_name, NULL, 10) < most)
				used++;
		}
	return n < 0 || used < most;
}

bool tracee_has_room(int proc_fd, pid_t pid)
{
	AUTO_CLOSE int dir = -1;
	char name[PROC_NAME];
	struct rlimit most;
	struct stat st;

	(void)proc_name(pid, "/fd", name);
	if (prlimit(pid, RLIMIT_NOFILE, NULL, &most) != 0 || fstatat(proc_fd, name, &st, 0) != 0)
		return true;
	/* how many there are, which only Linux 6.2 tells */
	if (st.st_size > 0 && (rlim_t)st.st_size < most.rlim_cur)
		return true;
	dir = sys_open_beneath(proc_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	return dir < 0 || has_free_number(dir, most.rlim_cur);
}

int tracee_pidfd(int proc_fd, pid_t pid, bool *ret_of_process)
{
	unsigned long tgid = (unsigned long)pid;
	int r = sys_pidfd_open(pid, OF_THREAD);

	*ret_of_process = r < 0;
	if (r < 0 && tracee_status(proc_fd, pid, "Tgid", 10, &tgid))
		r = sys_pidfd_open((pid_t)tgid, 0);
	return r;
}

/* Removes '.', '..' and double slashes, by text only. */
static void normalise(char *path)
{
	char *w = path, *r = path;

	while (*r) {
		size_t n;

		while (*r == '/')
			r++;
		n = strcspn(r, "/");
		if (n == 2 && r[0] == '.' && r[1] == '.') {
			while (w > path && *--w != '/')
				;
		} else if (n > 0 && !(n == 1 && r[0] == '.')) {
			*w++ = '/';
			memmove(w, r, n);
			w += n;
		}
		r += n;
	}
	if (w == path)
		*w++ = '/';
	*w = '\0';
}

/* May one more path of this call be resolved?  After the first no, the answer stays no.
 */
static bool may_resolve(struct tracee_paths *p)
{
	struct timespec ts;

	if (p->resolutions == 0)
		(void)clock_gettime(CLOCK_MONOTONIC, &p->begun);
	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	if ((ts.tv_sec - p->begun.tv_sec) * 1000 +
			    (ts.tv_nsec - p->begun.tv_nsec) / 1000000 >=
		    TRACE_MAX_MS ||
	    p->resolutions >= TRACE_MAX_RESOLUTIONS)
		p->given_up = true;
	p->resolutions++;
	return !p->given_up;
}

/* The real path of `path` below the sandbox's root, if it exists. */
static bool real_inside(struct tracee_paths *p, const char *path, bool follow,
			char out[PATH_MAX])
{
	if (!may_resolve(p))
		return false;
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | (follow ? 0u : (unsigned)O_NOFOLLOW),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	AUTO_CLOSE int fd = sys_openat2(p->root_fd, path, &how);
	char name[32];

	if (fd < 0)
		return false;
	(void)snprintf(name, sizeof(name), "self/fd/%d", fd);
	return tracee_link(p->proc_fd, name, out);
}

/*
 * Finds the longest prefix of `full` (ending with a '/') that exists.  Returns its
 * length and writes its real path to `out`; 0 and "" if only the root exists.  If a
 * path exists then so does every prefix, so a binary search works.  Trying the prefixes
 * one by one took the supervisor many seconds for 2,000 names behind a chain of links.
 */
static size_t deepest(struct tracee_paths *p, const char *full, char out[PATH_MAX])
{
	uint16_t ends[PATH_MAX / 2 + 1];
	size_t n = 0, low = 0, high;
	char cut[PATH_MAX];

	for (size_t i = 1; full[i]; i++)
		if (full[i] == '/' && full[i - 1] != '/')
			ends[n++] = (uint16_t)(i + 1);
	out[0] = '\0';
	for (high = n; low < high;) {
		size_t half = (low + high + 1) / 2;

		memcpy(cut, full, ends[half - 1]);
		cut[ends[half - 1]] = '\0';
		if (real_inside(p, cut, true, out))
			low = half;
		else
			high = half - 1;
	}
	return low ? ends[low - 1] : 0;
}

bool tracee_path(struct tracee_paths *p, pid_t pid, int dirfd, const char *raw,
		 bool follow, char out[PATH_MAX], bool *ret_exists)
{
	char full[PATH_MAX];
	size_t len, have, rest;

	if (raw[0] == '/') {
		if ((size_t)snprintf(full, sizeof(full), "%s", raw) >= sizeof(full))
			return false;
	} else {
		char base[PATH_MAX];

		if (tracee_base(p->proc_fd, pid, dirfd, base) < 0 ||
		    (size_t)snprintf(full, sizeof(full), "%s/%s", base, raw) >=
			    sizeof(full))
			return false;
	}
	*ret_exists = real_inside(p, full, follow, out);
	if (*ret_exists)
		return true;
	len = deepest(p, full, out);
	if (p->given_up)
		return false;
	have = strlen(out);
	rest = strlen(full + len);
	if (have + 1 + rest >= PATH_MAX)
		return false;
	out[have] = '/';
	memcpy(out + have + 1, full + len, rest + 1);
	normalise(out);
	return true;
}
