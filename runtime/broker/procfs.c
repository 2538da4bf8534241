/* Reads the links of /proc that lead to a process's directories and descriptors.
 * Decides which of them are read, and by which number the supervisor knows the process.
 */
#include "runtime/broker/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "runtime/base/sys.h"
#include "runtime/broker/tracee.h"

#define PROC_ROOT_INO 1 /* linux/proc_ns.h */

static bool is_number(const char *s, size_t n)
{
	return n > 0 && n < 10 && strspn(s, "0123456789") >= n &&
	       (s[0] != '0' || n == 1);
}

static bool is(const char *s, size_t n, const char *name)
{
	return n == strlen(name) && memcmp(s, name, n) == 0;
}

bool procfs_is_process(const char *name, size_t n)
{
	return is(name, n, "self") || is(name, n, "thread-self") || is_number(name, n);
}

/* -1: not known. */
static int is_procfs(int fd)
{
	struct statfs st;

	return fstatfs(fd, &st) != 0 ? -1 : st.f_type == PROC_SUPER_MAGIC;
}

bool procfs_may_be(int fd)
{
	return is_procfs(fd) != 0;
}

bool procfs_is_root(int fd)
{
	struct stat st;

	return is_procfs(fd) == 1 && fstat(fd, &st) == 0 && st.st_ino == PROC_ROOT_INO;
}

/* The caller's number is that of polrun's /proc, all others are those of the run's.
 * False: process 1, which is polinit, into which no run looks; or (ret->name is empty) the
 * caller is gone. */
static bool process(const struct broker_caller *by, int root, const char *s, size_t n,
		    struct procfs_link *ret)
{
	unsigned long tgid = (unsigned long)by->pid;

	ret->name[0] = '\0';
	ret->dir = by->proc_fd;
	if (is(s, n, "self") && !tracee_status(by->proc_fd, by->pid, "Tgid", 10, &tgid))
		return false;
	if (!is_number(s, n)) {
		(void)snprintf(ret->name, sizeof(ret->name), "%lu/", tgid);
		return true;
	}
	ret->dir = root;
	(void)snprintf(ret->name, sizeof(ret->name), "%.*s/", (int)n, s);
	return !is(s, n, "1");
}

static const char *behind(const char *s, size_t n)
{
	return s + n + strspn(s + n, "/");
}

/* A thread has the names of a process, and is found by its own number as well.  Returns what
 * follows the thread; ret->name is the directory that has its names. */
static const char *thread(int root, const char *s, struct procfs_link *ret)
{
	const char *number = behind(s, strcspn(s, "/"));
	size_t n = strcspn(number, "/");

	if (!is(s, strcspn(s, "/"), "task") || !is_number(number, n) || is(number, n, "1"))
		return s;
	ret->dir = root;
	(void)snprintf(ret->name, sizeof(ret->name), "%.*s/", (int)n, number);
	return behind(number, n);
}

/* Does the kernel reach the end without a link that leads to an object of a process? */
static enum procfs_kind by_names_alone(const struct procfs_link *at, const char *names)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s%s", at->name, names) >= (int)sizeof(path))
		return PROCFS_UNDECIDED;
	fd = sys_openat2(at->dir, path, &how);
	if (fd >= 0)
		(void)close(fd);
	return fd < 0 && (errno == ELOOP || errno == EXDEV) ? PROCFS_UNDECIDED : PROCFS_OWN;
}

/* The kernel tells "/" also of a directory that it cannot name, because somebody outside has moved it
 * out of what the run sees, or unmounted the file system. */
static bool is_root(const struct procfs_link *l)
{
	struct stat st, root;
	char name[sizeof(l->name)];

	(void)snprintf(name, sizeof(name), "%.*s/root", (int)strcspn(l->name, "/"), l->name);
	return fstatat(l->dir, l->name, &st, 0) == 0 && fstatat(l->dir, name, &root, 0) == 0 &&
	       st.st_dev == root.st_dev && st.st_ino == root.st_ino;
}

enum procfs_kind procfs_link(const struct broker_caller *by, int root, const char *names,
			     struct procfs_link *ret)
{
	size_t n = strcspn(names, "/"), at;
	const char *s = behind(names, n), *end, *number;

	/* a path that the kernel tells has no link in it */
	if (!by->pid || !procfs_is_process(names, n))
		return PROCFS_OWN;
	if (!process(by, root, names, n, ret))
		return ret->name[0] ? by_names_alone(ret, s) : PROCFS_UNDECIDED;
	s = thread(root, s, ret);
	at = strlen(ret->name);
	n = strcspn(s, "/");
	end = s + n;
	number = behind(s, n);
	if (is(s, n, "fd") && is_number(number, strcspn(number, "/"))) {
		end = number + strcspn(number, "/");
		(void)snprintf(ret->name + at, sizeof(ret->name) - at, "fd/%.*s",
			       (int)(end - number), number);
	} else if (is(s, n, "cwd") || is(s, n, "root")) {
		(void)snprintf(ret->name + at, sizeof(ret->name) - at, "%.*s", (int)n, s);
	} else if (is(s, n, "exe") && !*end) {
		return PROCFS_OBJECT;
	} else {
		return by_names_alone(ret, s);
	}
	ret->used = (size_t)(end - names);
	if (!tracee_link(ret->dir, ret->name, ret->text) || (!ret->text[1] && !is_root(ret)))
		return PROCFS_OBJECT;
	ret->ends_gone = tracee_is_gone(ret->text);
	return PROCFS_PATH;
}
