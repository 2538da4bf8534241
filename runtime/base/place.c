/* Decides which directory is the project of a place, and where a path leads. */
#include "runtime/base/place.h"

#include <errno.h>
#include <fts.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/io.h"

bool place_is_plain(const char *path)
{
	const char *p = path, *end;

	if (!p || *p != '/')
		return false;
	if (p[1] == '\0')
		return true;
	for (; *p; p = end) {
		size_t n;

		end = strchrnul(p + 1, '/');
		n = (size_t)(end - p) - 1;
		if (n == 0 || (n == 1 && p[1] == '.') ||
		    (n == 2 && p[1] == '.' && p[2] == '.'))
			return false;
	}
	return true;
}

size_t place_shared(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	while (i + 8 <= n && memcmp(a + i, b + i, 8) == 0)
		i += 8;
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

void place_make_plain(char *path)
{
	char *w = path;

	for (const char *s = path; *s;) {
		size_t n = strcspn(s, "/");

		if (n == 2 && s[0] == '.' && s[1] == '.') {
			while (w > path && *--w != '/')
				;
		} else if (n && !(n == 1 && s[0] == '.')) {
			*w++ = '/';
			memmove(w, s, n);
			w += n;
		}
		s += n + (s[n] == '/');
	}
	*w = '\0';
}

bool place_is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (strcmp(dir, "/") == 0)
		return true;
	return strncmp(path, dir, n) == 0 && (!path[n] || path[n] == '/');
}

int place_is_marked(const char *dir)
{
	static const char *const marks[] = { ".pol", ".git" };
	char path[PATH_MAX];
	struct stat st;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, marks[i]) >=
		    sizeof(path))
			continue;
		if (lstat(path, &st) == 0)
			return 1;
		if (errno != ENOENT && errno != ENOTDIR)
			return -errno;
	}
	return 0;
}

char *place_project(const char *from, const char *home)
{
	const char *top = place_is_below(from, home) ? home : "/";
	AUTO_FREE char *dir = strdup(from);
	char *slash;

	if (!dir)
		return NULL;
	while (strcmp(dir, top) != 0 && strcmp(dir, "/") != 0) {
		int marked = place_is_marked(dir);

		if (marked > 0)
			return io_steal_ptr(&dir);
		if (marked < 0) {
			errno = -marked;
			return NULL;
		}
		slash = strrchr(dir, '/');
		slash[slash == dir] = '\0';
	}
	return strdup(from);
}

bool place_in_project(const char *real)
{
	const char *home = getenv("HOME");
	AUTO_FREE char *marked = NULL, *own = NULL;
	char cwd[PATH_MAX];

	home = home && home[0] == '/' ? home : "/";
	marked = place_project(real, home);
	if (!marked || place_is_marked(marked) != 0 || !getcwd(cwd, sizeof(cwd)))
		return true;
	own = place_project(cwd, home);
	return !own || (!place_is_below(home, own) && place_is_below(real, own));
}

int place_program(const char *name, char out[PATH_MAX])
{
	const char *dirs = getenv("PATH");
	char path[PATH_MAX];
	struct stat st;

	for (; dirs && *dirs; dirs += *dirs == ':') {
		size_t n = strcspn(dirs, ":");

		if (dirs[0] == '/' && snprintf(path, sizeof(path), "%.*s/%s", (int)n, dirs, name) <
					      (int)sizeof(path) &&
		    access(path, X_OK) == 0 && realpath(path, out) && stat(out, &st) == 0 &&
		    S_ISREG(st.st_mode) && !place_in_project(out) && !place_in_project(path)) {
			/* a program may ask by which name it was started */
			memcpy(out, path, sizeof(path));
			return 0;
		}
		dirs += n;
	}
	return -ENOENT;
}

char *place_outer_project(const char *project, const char *home)
{
	const char *top = place_is_below(project, home) ? home : "/";
	AUTO_FREE char *dir = strdup(project);
	char path[PATH_MAX];
	struct stat st;
	char *slash;

	while (dir && strcmp(dir, top) != 0 && (slash = strrchr(dir, '/')) && slash != dir) {
		*slash = '\0';
		if (strcmp(dir, top) != 0 && (size_t)snprintf(path, sizeof(path), "%s/.pol", dir) < sizeof(path) &&
		    lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
			return io_steal_ptr(&dir);
	}
	return NULL;
}

/* How many bytes of the path exist; -ELOOP if it ends at a link. */
static ssize_t existing(const char *path, char *buf)
{
	const char *p = path;
	ssize_t good = 0;
	struct stat st;

	while (*p) {
		const char *end = strchrnul(p + 1, '/');
		size_t n = (size_t)(end - path);

		memcpy(buf, path, n);
		buf[n] = '\0';
		if (stat(buf, &st) != 0) {
			if (lstat(buf, &st) == 0 && S_ISLNK(st.st_mode))
				return -ELOOP;
			return good;
		}
		good = (ssize_t)n;
		p = end;
	}
	return good;
}

/* Does the existing part of the path behind its first `known` bytes have no symbolic link?
 * Takes one call per component; most paths need no more. */
static bool is_without_links(const char *path, size_t known, char *buf)
{
	const char *p = path + known;
	struct stat st;

	while (*p) {
		const char *end = strchrnul(p + 1, '/');
		size_t n = (size_t)(end - path);

		memcpy(buf, path, n);
		buf[n] = '\0';
		if (lstat(buf, &st) != 0)
			return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
		if (S_ISLNK(st.st_mode))
			return false;
		p = end;
	}
	return true;
}

int place_physical(const char *path, char *out)
{
	return place_physical_below(path, 0, out);
}

int place_physical_below(const char *path, size_t known, char *out)
{
	char head[PATH_MAX];
	size_t n = strlen(path), got;
	ssize_t good;

	if (n >= PATH_MAX)
		return -ENAMETOOLONG;
	if (is_without_links(path, known, head)) {
		memcpy(out, path, n + 1);
		return 0;
	}
	if (realpath(path, out))
		return 0;
	if (errno == ELOOP || errno == ENAMETOOLONG)
		return -errno;
	good = existing(path, head);
	if (good < 0)
		return (int)good;
	head[good] = '\0';
	if (good == 0 || !realpath(head, out))
		out[0] = '\0';
	got = strcmp(out, "/") == 0 ? 0 : strlen(out);
	if (out[0] == '\0' && good > 0)
		return -ELOOP; /* somebody is changing the path */
	if (got + n - (size_t)good >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(out + got, path + good, n - (size_t)good + 1);
	return 0;
}

int place_agent(const char *value, uid_t uid, char *out)
{
	struct stat st;

	if (!value || !value[0])
		return -ENOENT;
	if (value[0] != '/')
		return -EINVAL;
	if (!realpath(value, out) || lstat(out, &st) < 0)
		return -errno;
	if (!S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	return st.st_uid == uid ? 0 : -EPERM;
}

/* There a link leads somewhere else for each who reads it. */
static bool is_personal(const char *path)
{
	return place_is_below(path, "/proc") || place_is_below(path, "/dev/fd") ||
	       strncmp(path, "/dev/std", 8) == 0;
}

/* Writes `dir`, which is physical, and the components of `rest`, without "." and "..". */
static int join_lexically(const char *dir, const char *rest, char out[PATH_MAX])
{
	size_t len = strlen(dir);

	memcpy(out, dir, len);
	for (const char *s = rest; *(s += strspn(s, "/"));) {
		size_t n = strcspn(s, "/");

		if (n == 2 && s[0] == '.' && s[1] == '.')
			while (len > 0 && out[--len] != '/')
				;
		else if (!(n == 1 && s[0] == '.')) {
			if (len + n + 2 > PATH_MAX)
				return -ENAMETOOLONG;
			out[len++] = '/';
			memcpy(out + len, s, n);
			len += n;
		}
		s += n;
	}
	if (len == 0)
		out[len++] = '/';
	out[len] = '\0';
	return 0;
}

/* Follows the path as the kernel does, one component after the other: `done` has no links. */
static int follow(struct place_memory *m, const char *path,
		  int (*each)(void *arg, const char *name), void *arg)
{
	char done[PATH_MAX] = "", rest[2 * PATH_MAX], name[PATH_MAX], text[PATH_MAX];
	bool known = m->n && strncmp(path, m->dir, m->n) == 0 && path[m->n] == '/';
	int links = 0, r = strlen(path) < sizeof(rest) ? 0 : -ENAMETOOLONG;
	ssize_t n;

	if (r == 0) {
		memcpy(rest, path, strlen(path) + 1);
		r = join_lexically("", rest, name);
	}
	if (r == 0)
		r = each(arg, name);
	if (r == 0 && known) {
		memcpy(done, m->dir, m->n + 1);
		memmove(rest, rest + m->n, strlen(rest + m->n) + 1);
	}
	while (r == 0) {
		char *s = rest + strspn(rest, "/"), part[NAME_MAX + 2];
		size_t k = strcspn(s, "/");

		if (!k)
			break;
		if (k > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(part, s, k);
		part[k] = '\0';
		s += k;
		if (!links && !s[strspn(s, "/")] && strcmp(done, m->dir) != 0) {
			m->n = strlen(done);
			memcpy(m->dir, done, m->n + 1);
		}
		r = join_lexically(done, part, name);
		n = r == 0 && strcmp(part, ".") != 0 && strcmp(part, "..") != 0 ?
			    readlink(name, text, sizeof(text) - 1) : -1;
		if (n > 0 && is_personal(name))
			return 0;
		if (n <= 0) {
			memcpy(done, name[1] ? name : "", name[1] ? strlen(name) + 1 : 1);
			memmove(rest, s, strlen(s) + 1);
			continue;
		}
		text[n] = '\0';
		if (++links > PLACE_MAX_LINKS)
			return -ELOOP;
		if ((size_t)n + strlen(s) + 1 > sizeof(rest))
			return -ENAMETOOLONG;
		memmove(rest + n, s, strlen(s) + 1);
		memcpy(rest, text, (size_t)n);
		if (text[0] == '/')
			done[0] = '\0';
		r = join_lexically(done, rest, name);
		if (r == 0)
			r = each(arg, name);
	}
	return r;
}

/* The walk does not say which of its names is the last one, so each is kept until the next one comes. */
struct held_back {
	int (*each)(void *arg, const char *name);
	void *arg;
	char name[PATH_MAX]; /* "": none yet */
};

static int hold_back(void *arg, const char *name)
{
	struct held_back *h = arg;
	int r = h->name[0] ? h->each(h->arg, h->name) : 0;

	h->name[0] = '\0';
	if (r == 0)
		memcpy(h->name, name, strlen(name) + 1);
	return r;
}

static int name_through_links(const struct place_links *l, const struct held_back *h)
{
	char other[PATH_MAX];
	int r = 0;

	for (size_t i = 0; i < l->n && r == 0; i++) {
		const struct place_link *k = &l->v[i];

		if (!place_is_below(h->name, k->real))
			continue;
		if (snprintf(other, sizeof(other), "%s%s", k->path, h->name + (k->real[1] ? strlen(k->real) : 0)) >=
		    (int)sizeof(other))
			return -ENAMETOOLONG;
		r = h->each(h->arg, other);
	}
	return r;
}

int place_names_in(struct place_memory *m, const char *path,
		   int (*each)(void *arg, const char *name), void *arg)
{
	struct held_back h; /* not cleared, as it is large */
	int r, by_links, last;

	if (!m->links || !m->links->n)
		return follow(m, path, each, arg);
	h.each = each;
	h.arg = arg;
	h.name[0] = '\0';
	r = follow(m, path, hold_back, &h);
	if (!h.name[0]) /* the walk was ended, or has no name */
		return r;
	by_links = name_through_links(m->links, &h);
	if (by_links != 0)
		return by_links;
	last = each(arg, h.name);
	/* a path that cannot be followed to its end has the names up to there */
	return r == 0 ? last : r;
}

int place_links_add(struct place_links *l, const char *path)
{
	char real[PATH_MAX];
	struct place_link *v;

	if (is_personal(path) || place_physical(path, real) < 0 || strcmp(path, real) == 0)
		return 0;
	v = reallocarray(l->v, l->n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	l->v = v;
	v[l->n] = (struct place_link){ strdup(path), strdup(real) };
	l->n++;
	return v[l->n - 1].path && v[l->n - 1].real ? 0 : -ENOMEM;
}

void place_links_release(struct place_links *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].path);
		free(l->v[i].real);
	}
	free(l->v);
	*l = (struct place_links){ NULL, 0 };
}

/* --- what is there ----------------------------------------------------------------------- */

static int report_below(FTS *tree, size_t top, bool leave_repo,
			int (*each)(void *arg, const char *rest), void *arg)
{
	FTSENT *e;

	while ((e = fts_read(tree))) {
		int r = 0;

		if (e->fts_info == FTS_DP || (e->fts_level == 0 && e->fts_info != FTS_DNR))
			continue;
		if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR)
			return -e->fts_errno;
		if (leave_repo && e->fts_level == 1 && strcmp(e->fts_name, ".git") == 0) {
			(void)fts_set(tree, e, FTS_SKIP);
			continue;
		}
		r = each(arg, e->fts_path + top);
		if (r != 0)
			return r;
	}
	return -errno;
}

int place_below(const char *dir, bool leave_repo, int (*each)(void *arg, const char *rest), void *arg)
{
	char top[PATH_MAX], *paths[] = { top, NULL };
	FTS *tree;
	int r;

	if (!realpath(dir, top))
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT | FTS_COMFOLLOW, NULL);
	if (!tree)
		return -errno;
	errno = 0;
	r = report_below(tree, top[1] ? strlen(top) + 1 : 1, leave_repo, each, arg);
	fts_close(tree);
	return r;
}

int place_matches(const char *pattern, int (*each)(void *arg, const char *path), void *arg)
{
	glob_t g = { 0 };
	int r = glob(pattern, GLOB_NOSORT, NULL, &g);

	if (r == GLOB_NOMATCH)
		return 0;
	if (r == 0)
		for (size_t i = 0; r == 0 && i < g.gl_pathc; i++)
			r = each(arg, g.gl_pathv[i]);
	else
		r = -ENOMEM;
	globfree(&g);
	return r;
}

const struct place_look place_look = { place_names_in, place_below, place_matches };

bool place_is_second_name(const char *path)
{
	return strstr(path, "/" PLACE_SECOND_NAME) != NULL;
}

bool place_of_link(const char *path, const char *text, char *out, size_t cap)
{
	size_t len = text[0] == '/' ? 0 : (size_t)(strrchr(path, '/') - path);
	bool named = false;

	if (len + 2 > cap)
		return false;
	memcpy(out, path, len);
	for (const char *s = text; *(s += strspn(s, "/"));) {
		size_t n = strcspn(s, "/");
		bool up = n == 2 && s[0] == '.' && s[1] == '.';

		if (up && named)
			return false;
		while (up && len > 0 && out[--len] != '/')
			;
		if (!up && !(n == 1 && s[0] == '.')) {
			if (len + n + 2 > cap)
				return false;
			out[len++] = '/';
			memcpy(out + len, s, n);
			len += n;
			named = true;
		}
		s += n;
	}
	if (len == 0)
		out[len++] = '/';
	out[len] = '\0';
	return !is_personal(out);
}
