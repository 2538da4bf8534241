/* Decides at which path polquery listens, and to which users. */
#include "runtime/polquery/query_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/writers.h"

enum { BACKLOG = 128, LOCK_TRIES = 200, LOCK_WAIT_NS = 10 * 1000 * 1000 };

static int bad(struct rt_err *err, int e, const char *path, const char *why)
{
	char shown[160];

	io_escape(shown, sizeof(shown), path, strlen(path));
	return rt_fail(err, e, "socket '%s': %s", shown, why);
}

static int bad_errno(struct rt_err *err, const char *path, const char *what)
{
	char shown[160];
	int e = errno;

	io_escape(shown, sizeof(shown), path, strlen(path));
	return rt_fail_errno(err, e, "socket '%s': %s", shown, what);
}

static int address(const char *shown, const char *path, struct sockaddr_un *ret, struct rt_err *err)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	/* clients name it as the user does */
	if (strlen(shown) >= sizeof(ret->sun_path) || strlen(path) >= sizeof(ret->sun_path))
		return bad(err, ENAMETOOLONG, shown, "the path is longer than 107 bytes");
	memcpy(ret->sun_path, path, strlen(path));
	return 0;
}

/*
 * Locks the directory, so that only one polquery at a time looks at what is there and
 * replaces it.  The lock is on the directory itself, so that no lock file is left
 * behind.
 */
static int lock_directory(const char *path, int dir, int *ret, struct rt_err *err)
{
	char name[40];
	struct timespec wait = { .tv_nsec = LOCK_WAIT_NS };
	struct stat st;
	AUTO_CLOSE int fd = -1;
	int tries = 0;

	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", dir);
	fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return bad_errno(err, path, "its directory");
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return bad(err, EPERM, path,
			   "its directory is another user's, who may put another in its "
			   "place");
	if (!(st.st_mode & S_ISVTX) && writers_others(NULL, fd, &st))
		return bad(err, EPERM, path,
			   "others may write its directory (chmod go-w), and put another in its place");
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK || ++tries > LOCK_TRIES)
			return bad_errno(err, path, "locking its directory");
		(void)nanosleep(&wait, NULL);
	}
	*ret = io_steal_fd(&fd);
	return 0;
}

/* Removes a dead socket.  0: nothing is there (any more). */
static int clear(const char *path, const struct sockaddr_un *to, struct rt_err *err)
{
	AUTO_CLOSE int fd = -1;
	struct stat st;

	if (lstat(to->sun_path, &st) < 0)
		return errno == ENOENT ? 0 : bad_errno(err, path, "looking at it");
	if (!S_ISSOCK(st.st_mode))
		return bad(err, EEXIST, path, "something else is there");
	if (st.st_uid != geteuid())
		return bad(err, EEXIST, path, "it is another user's");
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return bad_errno(err, path, "a socket");
	/* a listening socket accepts the connection, or has too many of them */
	if (connect(fd, (const struct sockaddr *)to, sizeof(*to)) == 0 ||
	    errno != ECONNREFUSED)
		return bad(err, EADDRINUSE, path, "somebody listens there");
	if (unlink(to->sun_path) < 0)
		return bad_errno(err, path, "removing the dead one");
	return 0;
}

static int make(const char *path, const struct sockaddr_un *at, struct query_socket *s,
		struct rt_err *err)
{
	struct stat st;
	mode_t old;
	int r;

	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0)
		return bad_errno(err, path, "a socket");
	old = umask(0177);
	r = bind(s->fd, (const struct sockaddr *)at, sizeof(*at));
	(void)umask(old);
	if (r < 0)
		return bad_errno(err, path, "making it");
	if (listen(s->fd, BACKLOG) < 0 || lstat(at->sun_path, &st) < 0) {
		r = bad_errno(err, path, "listening");
		(void)unlink(at->sun_path);
		return r;
	}
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	return 0;
}

int query_socket_open(const char *shown, const struct output *where, struct query_socket *ret,
		      struct rt_err *err)
{
	struct query_socket s = { .fd = -1 };
	AUTO_CLOSE int lock = -1;
	struct sockaddr_un at;
	int r;

	(void)snprintf(s.path, sizeof(s.path), "/proc/self/fd/%d%s", where->dir,
		       strrchr(where->real, '/'));
	r = address(shown, s.path, &at, err);
	if (r == 0)
		r = lock_directory(shown, where->dir, &lock, err);
	if (r == 0)
		r = clear(shown, &at, err);
	if (r == 0)
		r = make(shown, &at, &s, err);
	if (r < 0) {
		if (s.fd >= 0)
			(void)close(s.fd);
		return r;
	}
	*ret = s;
	return 0;
}

void query_socket_close(struct query_socket *s)
{
	struct stat st;

	if (lstat(s->path, &st) == 0 && st.st_dev == s->dev && st.st_ino == s->ino)
		(void)unlink(s->path);
	(void)close(s->fd);
	s->fd = -1;
}

int query_socket_accept(const struct query_socket *s)
{
	for (;;) {
		int fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct ucred peer = { .uid = (uid_t)-1 };
		socklen_t n = sizeof(peer);

		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0)
			return -1;
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 &&
		    (peer.uid == 0 || peer.uid == geteuid()))
			return fd;
		(void)close(fd);
	}
}
