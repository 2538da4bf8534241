/* Looks for the denied name of a file that has several: other_names.h. */
#include "runtime/supervise/other_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

struct search {
	dev_t dev;
	ino_t ino;
	char *path; /* PATH_MAX: of the directory that is listed, and then of the file */
	unsigned names, depth;
	int64_t until; /* sys_now_ms() */
};

static bool is_it(const struct search *s, const struct stat *st)
{
	return st->st_dev == s->dev && st->st_ino == s->ino;
}

static int list_dir(struct search *s, int fd);

/* An entry of a directory on the file's own file system. */
static int look_at_entry(struct search *s, int dir, const struct dirent64 *e)
{
	size_t len = strlen(s->path), n = strlen(e->d_name);
	AUTO_CLOSE int fd = -1;
	struct stat st;
	int r;

	if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
		return 0;
	if (++s->names > OTHER_NAMES_MOST || sys_now_ms() > s->until || len + n + 2 > PATH_MAX)
		return -E2BIG;
	if (e->d_ino != s->ino && e->d_type != DT_DIR && e->d_type != DT_UNKNOWN)
		return 0;
	if (fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : -E2BIG;
	s->path[len] = '/';
	memcpy(s->path + len + 1, e->d_name, n + 1);
	if (is_it(s, &st))
		return 1;
	r = 0;
	if (S_ISDIR(st.st_mode) && st.st_dev == s->dev) {
		fd = sys_open_beneath(dir, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
				      RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
		r = fd >= 0 && s->depth++ < OTHER_NAMES_DEEP ? list_dir(s, fd) :
		    fd < 0 && (errno == ENOENT || errno == EXDEV) ? 0 : -E2BIG;
		s->depth -= fd >= 0;
	}
	if (r <= 0)
		s->path[len] = '\0';
	return r;
}

static int list_dir(struct search *s, int fd)
{
	char buf[8192] __attribute__((aligned(__alignof__(struct dirent64))));
	long n;

	while ((n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0)
		for (long at = 0; at < n;) {
			const struct dirent64 *e = (const void *)(buf + at);
			int r = look_at_entry(s, fd, e);

			if (r != 0)
				return r;
			at += e->d_reclen;
		}
	return n < 0 ? -E2BIG : 0;
}

static int look_at_name(struct search *s, int root_fd, const char *path)
{
	AUTO_CLOSE int fd = sys_open_beneath(root_fd, path + 1, O_PATH | O_NOFOLLOW | O_CLOEXEC,
					     RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	AUTO_CLOSE int dir = -1;
	struct stat st;

	/* what is not there, or cannot be reached, is no name by which programs outside find the file */
	if (fd < 0 || fstat(fd, &st) != 0 || st.st_dev != s->dev || strlen(path) >= PATH_MAX)
		return 0;
	(void)snprintf(s->path, PATH_MAX, "%s", path);
	if (is_it(s, &st))
		return 1;
	if (!S_ISDIR(st.st_mode))
		return 0;
	dir = sys_open_beneath(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	return dir < 0 ? -E2BIG : list_dir(s, dir);
}

int other_names_find(const struct sandbox_view *view, const struct broker_rules *rules, int root_fd, int fd,
		     char ret_path[PATH_MAX], uint32_t *ret_rule)
{
	struct search s = { .path = ret_path, .until = sys_now_ms() + OTHER_NAMES_MS };
	struct stat st;
	int r = 0;

	if (fstat(fd, &st) != 0)
		return -errno;
	s.dev = st.st_dev;
	s.ino = st.st_ino;
	for (size_t i = 0; i < view->nrestricted && r == 0; i++)
		if (!rules->allows(rules->arg, BROKER_WRITE, view->restricted[i], false, ret_rule))
			r = look_at_name(&s, root_fd, view->restricted[i]);
	return r;
}
