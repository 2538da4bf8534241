/* Finds what a command of a run as root could not write because its owner is not the
 * owner of the tree.  Executed in the confined supervisor. */
#include "runtime/polrun/foreign.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

#define MAX_DEPTH 3
#define MAX_ENTRIES 4096

struct walk {
	uid_t owner;
	unsigned left;
	char path[512];
};

static bool is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static bool look(struct walk *w, int dirfd, size_t len, unsigned depth);

/* Looks at one entry.  True if it, or something below it, has another owner. */
static bool look_at(struct walk *w, int dirfd, const char *name, size_t len,
		    unsigned depth)
{
	struct stat st;
	size_t n = strlen(name);

	if (len + n + 2 > sizeof(w->path) ||
	    fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) != 0)
		return false;
	if (len)
		w->path[len++] = '/';
	memcpy(w->path + len, name, n + 1);
	if (st.st_uid != w->owner)
		return true;
	if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH) {
		AUTO_CLOSE int fd = sys_open_beneath(
			dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW,
			RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);

		return fd >= 0 && look(w, fd, len + n, depth + 1);
	}
	return false;
}

static bool look(struct walk *w, int dirfd, size_t len, unsigned depth)
{
	char buf[4096] __attribute__((aligned(8)));
	long n;

	while ((n = syscall(SYS_getdents64, dirfd, buf, sizeof(buf))) > 0)
		for (long at = 0; at < n;) {
			const struct dirent64 *d = (const void *)(buf + at);

			at += d->d_reclen;
			if (is_dots(d->d_name))
				continue;
			if (w->left == 0)
				return false;
			w->left--;
			if (look_at(w, dirfd, d->d_name, len, depth))
				return true;
			w->path[len] = '\0';
		}
	return false;
}

bool foreign_find(int dirfd, char *out, size_t cap)
{
	struct walk w = { .left = MAX_ENTRIES };
	struct stat st;

	if (fstat(dirfd, &st) != 0)
		return false;
	w.owner = st.st_uid;
	if (!look(&w, dirfd, 0, 0))
		return false;
	io_escape(out, cap, w.path, strlen(w.path));
	return true;
}

void foreign_say(FILE *out, int dirfd, const char *project)
{
	char path[300], dir[200];

	if (!foreign_find(dirfd, path, sizeof(path)))
		return;
	io_escape(dir, sizeof(dir), project, strlen(project));
	fprintf(out, "polrun: %s in %s belongs to another user than the project: a run by "
		     "root cannot write it (--user NAME|UID runs as that user)\n",
		path, dir);
}
