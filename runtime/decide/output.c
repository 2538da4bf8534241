/*
 * A look for links before the open would not do: a run that is alive exchanges a directory
 * and a link between the two.  openat2(RESOLVE_NO_SYMLINKS) alone would not do either: the
 * home or /tmp of a user may lie behind a link of the system's, such as /home -> /data/home.
 * So each component is opened from the directory that was opened before it, O_NOFOLLOW, and
 * the text of a link is read from the descriptor of that very link.
 */
#include "runtime/decide/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/place.h"
#include "runtime/base/sys.h"
#include "runtime/decide/rule_text.h"

enum { LINKS_MAX = 40, SHOWN = 200 };

/* --- what the policy says -------------------------------------------------------- */

static bool is_writable(const struct decide_ctx *c, const char *path)
{
	struct decision d;

	decide_file(c, PB_WRITE, path, &d);
	return d.effect == PB_ALLOW;
}

/* True if it lies in a tree that the run may write. */
static bool is_below_writable(const struct decide_ctx *c, const char *path)
{
	char dir[PATH_MAX], *slash;

	(void)snprintf(dir, sizeof(dir), "%s", path);
	while ((slash = strrchr(dir, '/')) && slash != dir) {
		*slash = '\0';
		if (is_writable(c, dir))
			return true;
	}
	return false;
}

int output_refuse(const char *kind, const char *path, const struct bundle *b, uint32_t rule,
		  struct rt_err *err)
{
	char shown[SHOWN], text[EXPLAIN_RULE_CAP];

	io_escape(shown, sizeof(shown), path, strlen(path));
	return rt_fail(err, EPERM, "the %s '%s' has a name that %s keeps from being written", kind,
		       shown, explain_rule(b, rule, text));
}

/* The rule of a file section that denies writing `path`; NULL: there is none. */
static const struct pb_rule *find_denial(const struct decide_ctx *c, const char *path,
					 struct decision *d)
{
	const struct pb_rule *r;

	decide_file(c, PB_WRITE, path, d);
	r = d->effect == PB_ALLOW ? NULL : bundle_rule(c->b, d->rule);
	return r && r->kind == PB_FILE ? r : NULL;
}

static int check_name(const struct output *o, const char *kind, const char *path,
		      const struct decide_ctx *c, struct rt_err *err)
{
	struct decide_ctx host = *c;
	const struct pb_rule *r;
	struct decision d;

	host.scope = PB_HOST;
	r = find_denial(c, o->real, &d);
	if (r && ((r->flags & PB_F_FLOOR) || is_below_writable(c, o->real)))
		return output_refuse(kind, path, c->b, d.rule, err);
	r = find_denial(&host, o->real, &d);
	if (r && (r->flags & PB_F_FLOOR))
		return output_refuse(kind, path, c->b, d.rule, err);
	return 0;
}

/* --- the way to the file --------------------------------------------------------- */

/* The physical path of `name` in the directory; a name that is too long is an error. */
static int find_real(int dir, const char *name, char out[PATH_MAX])
{
	char fd[40], real[PATH_MAX];
	ssize_t n;

	(void)snprintf(fd, sizeof(fd), "/proc/self/fd/%d", dir);
	n = readlink(fd, real, sizeof(real));
	if (n < 0)
		return -errno;
	/* a directory that is not below our root has no path for a rule to match */
	if ((size_t)n >= sizeof(real) || real[0] != '/')
		return n > 0 && real[0] == '/' ? -ENAMETOOLONG : -ENOENT;
	real[n] = '\0';
	n = snprintf(out, PATH_MAX, "%s/%s", n > 1 ? real : "", name);
	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* Could only root make the link?  Root owns it and its directory, and nobody else may write there. */
static bool is_of_root(int dir, const struct stat *link)
{
	struct stat st;

	return link->st_uid == 0 && fstat(dir, &st) == 0 && st.st_uid == 0 && !(st.st_mode & 022);
}

/* Is it a link that the user has made outside of projects?  Other users can make links in a
 * directory like /tmp. */
static bool is_from_user(int dir, const char *name, const struct stat *link)
{
	char real[PATH_MAX];
	struct stat st;

	return fstat(dir, &st) == 0 && !((st.st_mode & 02) && link->st_uid != 0) &&
	       find_real(dir, name, real) == 0 && !place_in_project(real);
}

/* Can no run have made the link?  A run of root's writes what root may write, so that the owner
 * alone does not tell. */
static bool can_follow(int dir, const char *name, const struct stat *link,
		       const struct decide_ctx *c)
{
	const char *project;
	char real[PATH_MAX];

	if (!c)
		return is_from_user(dir, name, link) || (geteuid() != 0 && is_of_root(dir, link));
	project = c->roots.dir[PB_ROOT_PROJECT];
	return is_of_root(dir, link) && find_real(dir, name, real) == 0 && !is_writable(c, real) &&
	       !(project && place_is_below(real, project));
}

struct way {
	int dir;
	char text[2 * PATH_MAX]; /* what is still to be walked */
	unsigned links;
};

static int take_dir(struct way *w, int fd)
{
	if (fd < 0)
		return -errno;
	if (w->dir >= 0)
		(void)close(w->dir);
	w->dir = fd;
	return 0;
}

/* Puts the text of a link before the rest of the way.  -ELOOP: it is not to be followed. */
static int follow_link(struct way *w, int link, const char *name, const char *rest,
		       const struct stat *st, const struct decide_ctx *c)
{
	char text[sizeof(w->text)];
	ssize_t n;

	if (++w->links > LINKS_MAX || !can_follow(w->dir, name, st, c))
		return -ELOOP;
	n = readlinkat(link, "", text, PATH_MAX);
	if (n < 0)
		return -errno;
	if (n == 0 || n >= PATH_MAX ||
	    snprintf(text + n, sizeof(text) - (size_t)n, "/%s", rest) >= (int)sizeof(text) - (int)n)
		return -ENAMETOOLONG;
	memcpy(w->text, text, strlen(text) + 1);
	return text[0] == '/' ? take_dir(w, sys_open("/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0)) : 0;
}

static int enter(struct way *w, const char *name, const char *rest, const struct decide_ctx *c)
{
	AUTO_CLOSE int fd = sys_openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return follow_link(w, fd, name, rest, &st, c);
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	memmove(w->text, rest, strlen(rest) + 1);
	return take_dir(w, io_steal_fd(&fd));
}

/* Ends at the directory of the last name, which is left in w->text. */
static int walk_to_directory(struct way *w, const char *path, const struct decide_ctx *c)
{
	int r = take_dir(w, sys_open(path[0] == '/' ? "/" : ".",
				     O_PATH | O_DIRECTORY | O_CLOEXEC, 0));

	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(w->text, path, strlen(path) + 1);
	while (r == 0) {
		char name[NAME_MAX + 1];
		char *at = w->text + strspn(w->text, "/");
		size_t n = strcspn(at, "/");

		if (n > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, at, n);
		name[n] = '\0';
		if (!at[n]) {
			memcpy(w->text, name, n + 1);
			return !n || !strcmp(name, ".") || !strcmp(name, "..") ? -EISDIR : 0;
		}
		r = enter(w, name, at + n + 1, c);
	}
	return r;
}

/* --- the file -------------------------------------------------------------------- */

static const char *last_name(const struct output *o)
{
	return strrchr(o->real, '/') + 1;
}

static int open_output(struct output *o, int flags)
{
	flags |= O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	o->fd = sys_openat(o->dir, last_name(o), flags | O_CREAT | O_EXCL, 0600);
	o->made = o->fd >= 0;
	if (o->fd < 0 && errno == EEXIST)
		o->fd = sys_openat(o->dir, last_name(o), flags, 0);
	return o->fd < 0 ? -errno : 0;
}

int output_find(struct output *o, const char *kind, const char *path,
		const struct decide_ctx *c, struct rt_err *err)
{
	struct way w = { .dir = -1 };
	char shown[SHOWN];
	int r = walk_to_directory(&w, path, c);

	io_escape(shown, sizeof(shown), path, strlen(path));
	*o = (struct output){ .fd = -1, .dir = w.dir };
	if (r == -ELOOP)
		r = rt_fail(err, EPERM, "the %s '%s' is reached by a symbolic link that a run can "
			    "have made: name the file without links", kind, shown);
	else if (r < 0 || (r = find_real(w.dir, w.text, o->real)) < 0)
		r = rt_fail_errno(err, -r, "the %s '%s'", kind, shown);
	else
		r = c ? check_name(o, kind, path, c, err) : 0;
	if (r < 0)
		output_close(o);
	return r;
}

int output_open(struct output *o, const char *kind, const char *path, int flags,
		const struct decide_ctx *c, struct rt_err *err)
{
	char shown[SHOWN];
	int r = output_find(o, kind, path, c, err);

	if (r < 0)
		return r;
	r = open_output(o, flags);
	if (r == 0)
		return 0;
	output_close(o);
	io_escape(shown, sizeof(shown), path, strlen(path));
	return r == -ELOOP ? rt_fail(err, ELOOP, "the %s '%s' is a symbolic link", kind, shown) :
			     rt_fail_errno(err, -r, "the %s '%s'", kind, shown);
}

int output_check_kept(const struct output *o, const char *kind, struct rt_err *err)
{
	char shown[SHOWN];
	struct stat now, st;

	io_escape(shown, sizeof(shown), o->real, strlen(o->real));
	if (fstat(o->fd, &st) != 0)
		return rt_fail_errno(err, errno, "the %s '%s'", kind, shown);
	if (fstatat(AT_FDCWD, o->real, &now, AT_SYMLINK_NOFOLLOW) == 0) {
		if (st.st_dev == now.st_dev && st.st_ino == now.st_ino)
			return 0;
	} else if (errno != ENOENT && errno != ENOTDIR) {
		return rt_fail_errno(err, errno, "the %s: whether it is still at '%s'", kind, shown);
	}
	return rt_fail(err, ESTALE, "the %s was moved away: another file may be at '%s'", kind, shown);
}

bool output_same(const struct output *a, const struct output *b)
{
	struct stat x, y;

	return fstat(a->fd, &x) != 0 || fstat(b->fd, &y) != 0 ||
	       (x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

void output_close(struct output *o)
{
	if (o->fd >= 0)
		(void)close(o->fd);
	if (o->dir >= 0)
		(void)close(o->dir);
	o->fd = o->dir = -1;
}

void output_remove(struct output *o)
{
	if (o->made)
		(void)unlinkat(o->dir, last_name(o), 0);
	output_close(o);
}
