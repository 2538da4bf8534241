/*
 * What a watcher sees of each call that reads or changes a file: one line a step, "step: errno; events".
 * Run outside and in a sandbox, the two outputs are compared.  After inotify(7).
 *
 *   watch_probe DIR   DIR is there and empty; it is left so
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define QUIET_MS 250 /* whoever looks at files later has done so */

static int in = -1, dir = -1, open_fd = -1;
static int file_wd = -1;

static void name_event(const struct inotify_event *e)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {
		{ IN_ACCESS, "ACCESS" }, { IN_MODIFY, "MODIFY" }, { IN_ATTRIB, "ATTRIB" },
		{ IN_CLOSE_WRITE, "CLOSE_WRITE" }, { IN_CLOSE_NOWRITE, "CLOSE_NOWRITE" }, { IN_OPEN, "OPEN" },
		{ IN_MOVED_FROM, "MOVED_FROM" }, { IN_MOVED_TO, "MOVED_TO" }, { IN_CREATE, "CREATE" },
		{ IN_DELETE, "DELETE" }, { IN_DELETE_SELF, "DELETE_SELF" }, { IN_MOVE_SELF, "MOVE_SELF" },
		{ IN_IGNORED, "IGNORED" }, { IN_Q_OVERFLOW, "OVERFLOW" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (e->mask & names[i].bit)
			printf(" %s%s(%s)", names[i].name, e->mask & IN_ISDIR ? "/dir" : "",
			       e->len ? e->name : e->wd == file_wd ? "itself" : ".");
}

/* All events until nothing has come for a while. */
static void events(void)
{
	_Alignas(struct inotify_event) char buf[65536];
	struct pollfd p = { .fd = in, .events = POLLIN };

	while (poll(&p, 1, QUIET_MS) > 0) {
		ssize_t n = read(in, buf, sizeof(buf));

		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *e = (const void *)(buf + at);

			name_event(e);
			at += (ssize_t)(sizeof(*e) + e->len);
		}
	}
	printf("\n");
	(void)fflush(stdout);
}

static int say(const char *step, long r)
{
	printf("%s: %s;", step, r < 0 ? strerrorname_np(errno) : "0");
	events();
	return (int)r;
}

static long open_close(const char *name, int flags)
{
	char text[8];
	int fd = openat(dir, name, flags | O_CLOEXEC, 0644);

	if (fd < 0)
		return -1;
	if ((flags & O_ACCMODE) == O_RDONLY)
		(void)!read(fd, text, sizeof(text));
	else
		(void)!write(fd, "abc", 3);
	return close(fd);
}

/* Watches a file itself from now on; 0 if it is there. */
static long watch_file(const char *name)
{
	char path[300];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", dir, name);
	file_wd = inotify_add_watch(in, path, IN_ALL_EVENTS);
	return file_wd < 0 ? -1 : 0;
}

static long list(const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fdopendir(fd);

	if (!d)
		return -1;
	while (readdir(d))
		;
	return closedir(d);
}

int main(int argc, char **argv)
{
	struct stat st;

	in = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (argc != 2 || (dir = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return 2;
	if (fchdir(dir) != 0 || inotify_add_watch(in, ".", IN_ALL_EVENTS) < 0)
		return 3;
	(void)say("create", open_close("f", O_WRONLY | O_CREAT | O_EXCL));
	(void)say("write", open_close("f", O_WRONLY));
	(void)say("append", open_close("f", O_WRONLY | O_APPEND | O_CREAT));
	(void)say("rewrite", open_close("f", O_WRONLY | O_TRUNC));
	(void)say("read", open_close("f", O_RDONLY));
	(void)say("stat", fstatat(dir, "f", &st, 0));
	(void)say("access", faccessat(dir, "f", W_OK, 0));
	(void)say("chmod", fchmodat(dir, "f", 0600, 0));
	(void)say("times", utimensat(dir, "f", NULL, 0));
	(void)say("truncate", truncate("f", 1));
	(void)say("setxattr", setxattr("f", "user.x", "y", 1, 0));
	(void)say("link", linkat(dir, "f", dir, "g", 0));
	(void)say("rename", renameat(dir, "g", dir, "h"));
	(void)say("unlink a link", unlinkat(dir, "h", 0));
	(void)say("symlink", symlinkat("f", dir, "l"));
	(void)say("read through it", open_close("l", O_RDONLY));
	(void)say("write through it", open_close("l", O_WRONLY));
	(void)say("mkdir", mkdirat(dir, "d", 0755));
	(void)say("list", list("d"));
	(void)say("rename into", renameat(dir, "f", dir, "d/f"));
	(void)say("rename directory", renameat(dir, "d", dir, "e"));
	(void)say("rename out of", renameat(dir, "e/f", dir, "f"));
	(void)say("rmdir", unlinkat(dir, "e", AT_REMOVEDIR));
	(void)say("watch", watch_file("f"));
	(void)say("write again", open_close("f", O_WRONLY));
	(void)say("unlink", unlinkat(dir, "f", 0));
	/* one that is open, while others are written */
	open_fd = openat(dir, "log", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	(void)say("open", open_fd);
	(void)say("watch it", watch_file("log"));
	(void)say("another", open_close("k", O_WRONLY | O_CREAT));
	(void)say("another one", open_close("k2", O_WRONLY | O_CREAT));
	(void)say("write it", write(open_fd, "abc", 3));
	(void)say("unlink it", unlinkat(dir, "log", 0));
	(void)say("close it", close(open_fd));
	open_fd = openat(dir, "m", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	(void)say("third", open_fd);
	(void)say("close the third", close(open_fd));
	(void)say("rename over", renameat(dir, "k", dir, "m"));
	(void)say("unlink the rest", unlinkat(dir, "m", 0) + unlinkat(dir, "k2", 0) + unlinkat(dir, "l", 0));
	return 0;
}
