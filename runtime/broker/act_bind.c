/* Gives a socket of the run its name: bind(2) makes the file, so that it is made on the
 * caller's own socket, in the directory that was found. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/broker/actions.h"
#include "runtime/broker/tracee.h"

/* Whether it is what the thread has under this number: it may have descriptors of its own. */
static bool is_the_threads(const struct broker_caller *by, int fd, int got)
{
	char name[64], want[64], text[64];
	struct stat st;
	ssize_t n;

	if (fstat(got, &st) != 0)
		return false;
	(void)snprintf(name, sizeof(name), "%d/fd/%d", (int)by->pid, fd);
	(void)snprintf(want, sizeof(want), "socket:[%lu]", (unsigned long)st.st_ino);
	n = readlinkat(by->proc_fd, name, text, sizeof(text));
	return n > 0 && (size_t)n == strlen(want) && memcmp(text, want, (size_t)n) == 0;
}

/* The caller's descriptor, if it is a socket for names; else -1.  What it
 * has under this number now may be another one, which is as good: it is the run's. */
static int take_socket(const struct broker_caller *by, int fd)
{
	bool of_process;
	int pidfd = tracee_pidfd(by->proc_fd, by->pid, &of_process);
	int got, domain = 0;
	socklen_t n = sizeof(domain);

	if (pidfd < 0)
		return -1;
	got = sys_pidfd_getfd(pidfd, fd, 0);
	(void)close(pidfd);
	if (got < 0)
		return -1;
	if (getsockopt(got, SOL_SOCKET, SO_DOMAIN, &domain, &n) == 0 &&
	    domain == AF_UNIX && (!of_process || is_the_threads(by, fd, got)))
		return got;
	(void)close(got);
	return -1;
}

/* From the directory itself, so that getsockname(2) tells what the caller wrote. */
static int bind_here(const struct broker_act *a, int s, const struct sockaddr_un *name,
		     socklen_t n)
{
	int r;

	/* fchdir(2) of the very descriptor looks at the permission to search it */
	if (fchdir(a->at->parent) != 0)
		return -errno;
	r = broker_done(bind(s, (const struct sockaddr *)name, n));
	return fchdir(a->b->cwd) == 0 ? r : -EIO;
}

static int bind_name(const struct broker_act *a, int s)
{
	const struct broker_spot *at = a->at;
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	const size_t head = offsetof(struct sockaddr_un, sun_path);
	bool plain = !strchr(a->c->path.raw, '/');
	int n = snprintf(name.sun_path, sizeof(name.sun_path), "/proc/self/fd/%d/%s",
			 at->parent, at->leaf);

	if (!plain && n > 0 && (size_t)n < sizeof(name.sun_path))
		return broker_done(bind(s, (const struct sockaddr *)&name,
					(socklen_t)(head + (size_t)n + 1)));
	/* without a NUL, if there is no room */
	n = (int)strlen(at->leaf);
	if ((size_t)n > sizeof(name.sun_path))
		return -EINVAL;
	memset(name.sun_path, 0, sizeof(name.sun_path));
	memcpy(name.sun_path, at->leaf, (size_t)n);
	return bind_here(
		a, s, &name,
		(socklen_t)(head + (size_t)n + ((size_t)n < sizeof(name.sun_path))));
}

/*
 * Whoever connects to a socket can pass descriptors through it.  A run that passed what it has
 * open to another run would leave it with a file of which the other supervisor does not know:
 * when the file is given a denied name, that run would write on.
 */
static int may_bind(struct broker_act *a)
{
	const struct broker_rules *rules = &a->b->rules;
	uint32_t rule = BROKER_NO_RULE;
	int r = broker_may_make(a, false);

	if (r != 0)
		return r == -EEXIST ? -EADDRINUSE : r;
	if (!rules->allows_socket || rules->allows_socket(rules->arg, a->at->path, &rule))
		return 0;
	a->ret->rule = rule;
	return broker_refuse(a, EACCES, BROKER_BY_SOCKET, a->at->path);
}

int broker_bind(struct broker_act *a)
{
	AUTO_CLOSE int s = -1;
	mode_t own;
	int r;

	s = take_socket(&a->c->by, a->c->fd);
	if (s < 0)
		return BROKER_NOT_OURS;
	r = may_bind(a);
	if (r != 0)
		return r;
	r = broker_take_umask(a, &own);
	if (r < 0)
		return r;
	r = bind_name(a, s);
	(void)umask(own);
	return r;
}
