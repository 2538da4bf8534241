/* Reads the links of /proc that lead to a process's directories and descriptors.
 * Decides which of them are read, and by which number the supervisor knows the process.
 */
#include "runtime/broker/procfs.h"

#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

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
 * Process 1 is polinit, into which no run looks. */
static bool process(const struct broker_caller *by, int root, const char *s, size_t n,
		    struct procfs_link *ret)
{
	unsigned long tgid = (unsigned long)by->pid;

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

bool procfs_link(const struct broker_caller *by, int root, const char *names,
		 struct procfs_link *ret)
{
	size_t n = strcspn(names, "/"), at;
	const char *s = behind(names, n);

	if (!by->pid || !procfs_is_process(names, n) ||
	    !process(by, root, names, n, ret))
		return false;
	at = strlen(ret->name);
	n = strcspn(s, "/");
	if (is(s, n, "cwd") || is(s, n, "root")) {
		(void)snprintf(ret->name + at, sizeof(ret->name) - at, "%.*s", (int)n,
			       s);
	} else if (is(s, n, "fd")) {
		s = behind(s, n);
		n = strcspn(s, "/");
		if (!is_number(s, n))
			return false;
		(void)snprintf(ret->name + at, sizeof(ret->name) - at, "fd/%.*s",
			       (int)n, s);
	} else {
		return false;
	}
	ret->used = (size_t)(s + n - names);
	if (!tracee_link(ret->dir, ret->name, ret->text))
		return false;
	ret->ends_gone = tracee_is_gone(ret->text);
	return true;
}
