/*
 * The user's settings of git in a private HOME.  `git config --global` writes a new
 * file beside the old one and renames it, and the kernel moves nothing over a mount: so
 * the run has a copy of the file (view_settle.c decides where), and what it sets there
 * is gone after it.
 *
 * Git writes ~/.gitconfig if that exists, else ~/.config/git/config if that does.  A
 * rule shows all of
 * ~/.config/git, since settings name other files in it.  Mounted as one read-only tree
 * it would have no place for a copy, so the directory is the run's own and each name in
 * it is shown by itself.
 */
#include "runtime/sandbox/view_copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/view_find.h"
#include "runtime/sandbox/view_link.h"

/* A directory with more names than that stays one mount. */
#define MOST_NAMES 256

/* *ret: the place at which the host keeps what `name` in HOME leads to, or NULL. Adding
 * a place moves it. */
static int find_place(struct view_builder *b, const char *name, struct view_place **ret)
{
	char path[4200], real[4096];
	struct view_link *links;
	size_t n;
	int r;

	*ret = NULL;
	if (snprintf(path, sizeof(path), "%s%s", b->in->home, name) >= 4096)
		return 0;
	r = view_resolve(b->in->prefix, path, real, &links, &n);
	free(links);
	/* what cannot be looked at is not copied */
	if (r < 0 || !view_place_find(b, real))
		return r == -ENOMEM ? r : 0;
	*ret = view_place_at(b, real);
	return *ret ? 0 : -ENOMEM;
}

/* Does a policy say more here than that the file or directory can be read? */
static bool says_more(const struct view_wanted *w)
{
	return (w->restricted && !w->library) || w->wildcard || w->opens || w->forced ||
	       w->mounted;
}

/* Does only a rule that it can be read show this directory of the host, in a tree that
 * is the run's own? */
static bool can_split(struct view_builder *b, struct view_place *p)
{
	struct view_upwards at = { 0 };
	const struct view_place *top;
	bool own = false;

	if (!p->wanted.named || p->wanted.private_ || says_more(&p->wanted) ||
	    view_find(b, p) < 0 || !p->found.object.is_dir ||
	    /* of a run as root its user passes the directory by the mode for others */
	    (b->in->foreign && (~p->found.object.mode & (S_IROTH | S_IXOTH))) ||
	    view_may_write(b->in, p->path) == VIEW_ALLOW)
		return false;
	while ((top = view_places_above(b, p->path, &at)))
		own = top->wanted.private_ ||
		      (own && !top->wanted.named && !says_more(&top->wanted));
	return own;
}

static int show_name(struct view_builder *b, int dir, const char *name,
		     const char *path)
{
	char target[4096];
	struct view_place *p;
	struct stat st;
	ssize_t n;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return 0; /* it was removed */
	if (S_ISLNK(st.st_mode)) {
		n = readlinkat(dir, name, target, sizeof(target) - 1);
		if (n <= 0)
			return 0;
		target[n] = '\0';
		return view_add_link(b, path, target);
	}
	p = view_place_at(b, path);
	if (!p)
		return -ENOMEM;
	p->wanted.named = true;
	return 0;
}

/* Shows each name in the directory.  1 if that were too many or they could not be read:
 * what is shown already then changes nothing, since the directory itself is shown. */
static int show_names(struct view_builder *b, DIR *dir, const char *top)
{
	const struct dirent *e;
	char path[4200];
	int r = 0;

	for (size_t n = 0; r == 0 && (errno = 0, e = readdir(dir));) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		r = n++ == MOST_NAMES || snprintf(path, sizeof(path), "%s/%s", top,
						  e->d_name) >= 4096
			    ? 1
			    : show_name(b, dirfd(dir), e->d_name, path);
	}
	return r == 0 && errno ? 1 : r;
}

static int split_dir(struct view_builder *b, struct view_place *p)
{
	struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC };
	AUTO_FREE char *top = strdup(p->path);
	int fd, r;
	DIR *dir;

	if (!top)
		return -ENOMEM;
	fd = sys_openat2(p->found.object.fd, ".", &how);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			(void)close(fd);
		return 0;
	}
	r = show_names(b, dir, top);
	(void)closedir(dir);
	if (r != 0)
		return r < 0 ? r : 0;
	p = view_place_at(b, top);
	if (!p)
		return -ENOMEM;
	p->wanted.named = false;
	return 0;
}

int view_copies(struct view_builder *b)
{
	static const char *const files[] = { "/.gitconfig", "/.config/git/config" };
	struct view_place *p;
	int r = b->in->home ? find_place(b, "/.config/git", &p) : 0;

	if (!b->in->home)
		return 0;
	if (r == 0 && p && can_split(b, p))
		r = split_dir(b, p);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && r == 0; i++) {
		r = find_place(b, files[i], &p);
		if (r == 0 && p)
			p->wanted.copied = true;
	}
	return r;
}
