/*
 * Decides which names that a run has made are shown to a person.
 *
 * At the top a list is made before the run and compared after it: a changed file there
 * is in `git diff`.  Below, the whole tree is searched after the run only, together
 * with the search for repositories, and what was changed since the run began is taken:
 * the kernel sets the time of change (ctime) of a name that is made, renamed or
 * written, and no call sets it to another value.
 */
#include "runtime/polrun/new_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"

#define MAX_DEPTH 4u /* of folders at the top whose names begin with a dot */

static const char *const ordinary_dots[] = {
#define DOT(pattern) pattern,
#include "runtime/polrun/ordinary.def"
};
static const char *const ordinary_configs[] = {
#define CONFIG(pattern) pattern,
#include "runtime/polrun/ordinary.def"
};
static const char *const packages[] = {
#define PACKAGES(name) name,
#include "runtime/polrun/ordinary.def"
};
/* Below the project's top folder: kept nowhere, since runs write them */
static const char *const told[] = {
#define KEPT(...)
#define KEPT_HOST(...)
#define KEPT_TOLD(name) name,
#include "kept_names.def"
#undef KEPT
#undef KEPT_HOST
#undef KEPT_TOLD
};
/* How the names of files end that say what a program does, or what an agent is told. */
static const char *const config_ends[] = { ".json", ".jsonc", ".json5", ".toml",
					   ".yaml", ".yml",   ".ini",   ".cfg",
					   ".conf", ".mdc",   "rc" };

/* --- lists
 * ------------------------------------------------------------------------------- */

static void put_name(struct name_list *l, const char *dir, const char *name)
{
	size_t size;
	char *path;

	if (l->n == NEW_NAMES_MOST) {
		l->cut = true;
		return;
	}
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 64;
		char **grown = reallocarray(l->v, cap, sizeof(*grown));

		if (!grown) {
			l->cut = true;
			return;
		}
		l->v = grown;
		l->cap = cap;
	}
	size = strlen(dir) + 1 + strlen(name) + 1;
	path = malloc(size);
	if (!path) {
		l->cut = true;
		return;
	}
	(void)snprintf(path, size, "%s%s%s", dir, dir[0] ? "/" : "", name);
	l->v[l->n++] = path;
}

void name_list_release(struct name_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	*l = (struct name_list){ .v = NULL };
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has_name(const struct name_list *l, const char *path)
{
	return l->n && bsearch(&path, l->v, l->n, sizeof(*l->v), by_name);
}

/* --- what a name is
 * ---------------------------------------------------------------------- */

static bool matches_one(const char *const *patterns, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (fnmatch(patterns[i], name, FNM_NOESCAPE) == 0)
			return true;
	return false;
}
#define MATCHES(patterns, name) \
	matches_one(patterns, sizeof(patterns) / sizeof((patterns)[0]), name)

static bool is_capital_text(const char *name)
{
	size_t n = strlen(name);

	return n > 3 && strcasecmp(name + n - 3, ".md") == 0 &&
	       strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
		       strcspn(name, ".");
}

static bool looks_like_config(const char *name)
{
	size_t n = strlen(name);

	if (is_capital_text(name))
		return true;
	for (size_t i = 0; i < sizeof(config_ends) / sizeof(config_ends[0]); i++) {
		size_t end = strlen(config_ends[i]);

		if (n > end && strcmp(name + n - end, config_ends[i]) == 0)
			return true;
	}
	return false;
}

/* Of the last component of what is looked for, one of 4,096 bits: most names of a large project are
 * known by it to be none of these. */
static unsigned bit_of(const char *name, size_t len)
{
	return (unsigned)((unsigned char)name[0] * 67u + (unsigned char)name[len - 1] * 7u + len) % 4096;
}

static void take_last(struct new_names *n, const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len), *last = slash ? slash + 1 : path;
	const unsigned bit = bit_of(last, len - (size_t)(last - path));

	n->last[bit / 64] |= UINT64_C(1) << bit % 64;
}

static bool may_be_last(const struct new_names *n, const char *name)
{
	const unsigned bit = bit_of(name, strlen(name));

	return n->last[bit / 64] & UINT64_C(1) << bit % 64;
}

/* Collects what the floor keeps at the top of the project: "/CLAUDE.md",
 * "/.github/hooks". */
static void take_floor(struct new_names *n)
{
	const struct pb_mounts *m = n->b->mounts;

	n->floor = calloc(m->anchors.count + 1, sizeof(*n->floor));
	n->top.cut = n->known.cut = !n->floor;
	for (uint32_t i = 0; n->floor && i < m->anchors.count; i++) {
		const struct pb_anchor *a = pb_at(m, m->anchors, sizeof(*a), i);

		if ((a->flags & PB_AF_FLOOR) && a->kind == PB_A_PATH &&
		    a->effect == PB_DENY && a->root == PB_ROOT_PROJECT &&
		    a->path.len > 1)
			n->floor[n->nfloor++] =
				(struct floor_name){ pb_strp(m, a->path), a->path.len };
	}
	for (size_t i = 0; i < n->nfloor; i++)
		take_last(n, n->floor[i].text, n->floor[i].len);
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		take_last(n, told[i], strlen(told[i]));
}

/* Does the path end with the name, as "sub/.claude" does? */
static bool ends_with_floor(const struct new_names *n, const char *path, size_t len)
{
	for (size_t i = 0; i < n->nfloor; i++)
		if (len > n->floor[i].len &&
		    memcmp(path + len - n->floor[i].len, n->floor[i].text,
			   n->floor[i].len) == 0)
			return true;
	return false;
}

/* The length of the shortest beginning of a folder's path that ends with a name of the
 * floor; 0: none. */
static size_t find_floor(const struct new_names *n, const char *dir)
{
	for (size_t i = 1; dir[i - 1]; i++)
		if ((dir[i] == '/' || !dir[i]) && ends_with_floor(n, dir, i))
			return i;
	return 0;
}

/* Is it kept at the top, or below what is? */
static bool is_kept(const struct new_names *n, const char *path)
{
	for (size_t i = 0; i < n->nfloor; i++) {
		size_t len = n->floor[i].len - 1;

		if (strncmp(path, n->floor[i].text + 1, len) == 0 &&
		    (!path[len] || path[len] == '/'))
			return true;
	}
	return false;
}

/* False if the name is gone, or cannot be looked at, which the list says. */
static bool stat_name(struct name_list *l, int fd, const char *name, struct stat *ret)
{
	if (fstatat(fd, name, ret, AT_SYMLINK_NOFOLLOW) == 0)
		return true;
	l->cut |= errno != ENOENT;
	return false;
}

/* --- at the top
 * -------------------------------------------------------------------------- */

struct top_search {
	const struct new_names *names;
	const struct name_list *before; /* NULL: list all */
	struct name_list *to;
	int project;
};

static void search_top(struct top_search *s, const char *dir, unsigned depth);

static bool is_changed(const struct new_names *n, const struct stat *st)
{
	return st->st_ctim.tv_sec > n->begun.tv_sec ||
	       (st->st_ctim.tv_sec == n->begun.tv_sec &&
		st->st_ctim.tv_nsec >= n->begun.tv_nsec);
}

static void meet_top(struct top_search *s, int fd, const char *dir, const char *name,
		     unsigned depth)
{
	const bool dot = dir[0] || name[0] == '.';
	char path[PATH_MAX];
	struct stat st;

	if (!dir[0] && MATCHES(told, name))
		return;
	if (dot ? MATCHES(ordinary_dots, name)
		: (!looks_like_config(name) || MATCHES(ordinary_configs, name)))
		return;
	if (snprintf(path, sizeof(path), "%s%s%s", dir, dir[0] ? "/" : "", name) >=
	    (int)sizeof(path)) {
		s->to->cut = true;
		return;
	}
	if (is_kept(s->names, path) || !stat_name(s->to, fd, name, &st))
		return;
	if (!dot && S_ISDIR(st.st_mode))
		return;
	/* Linux's own configuration; as a folder it holds those of tools */
	if (strcmp(path, ".config") == 0 && S_ISREG(st.st_mode))
		return;
	if (!s->before || !has_name(s->before, path)) {
		put_name(s->to, dir, name);
		if (s->before) /* a folder that is new is named as a whole */
			return;
	}
	if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH)
		search_top(s, path, depth + 1);
}

static void search_top(struct top_search *s, const char *dir, unsigned depth)
{
	int fd = sys_open_beneath(s->project, dir[0] ? dir : ".",
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW,
				  RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	/* a link or a mount is no folder of the project */
	if (!d && (!dir[0] || (errno != ENOENT && errno != ENOTDIR && errno != ELOOP &&
			       errno != EXDEV)))
		s->to->cut = true;
	if (!d && fd >= 0)
		(void)close(fd);
	while (d && !s->to->cut && (errno = 0, e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			meet_top(s, fd, dir, e->d_name, depth);
	s->to->cut |= d && errno != 0;
	if (d)
		(void)closedir(d);
}

void new_names_begin(struct new_names *n, const struct bundle *b, int project)
{
	struct top_search s = { .names = n, .to = &n->top, .project = project };

	*n = (struct new_names){ .b = b };
	take_floor(n);
	/* the clock by which the kernel sets times of change */
	(void)clock_gettime(CLOCK_REALTIME_COARSE, &n->begun);
	search_top(&s, "", 0);
	if (n->top.n)
		qsort(n->top.v, n->top.n, sizeof(*n->top.v), by_name);
}

void new_names_end(const struct new_names *n, int project, struct name_list *ret)
{
	struct top_search s = {
		.names = n, .before = &n->top, .to = ret, .project = project
	};

	/* of half a list the other half would look new */
	if (!n->top.cut)
		search_top(&s, "", 0);
	else
		ret->cut = true;
}

/* --- below
 * ------------------------------------------------------------------------------- */

static bool lies_in_packages(const char *dir)
{
	while (*dir) {
		size_t n = strcspn(dir, "/");

		for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++)
			if (strlen(packages[i]) == n &&
			    memcmp(dir, packages[i], n) == 0)
				return true;
		dir += n + (dir[n] == '/');
	}
	return false;
}

/* The row `told` that the path is, or lies below; NULL: none. */
static const char *find_told(const char *path)
{
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		size_t n = strlen(told[i]);

		if (strncmp(path, told[i], n) == 0 && (!path[n] || path[n] == '/'))
			return told[i];
	}
	return NULL;
}

/* A folder is met in one go, but for what is sorted between its folders. */
static void put_once(struct name_list *l, const char *path)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->v[i], path) == 0)
			return;
	put_name(l, "", path);
}

/* Is the folder one from which git takes what it does later (`git rebase --continue`), in a
 * repository or in a worktree's administrative files?  These are the rows `told` below .git; a
 * folder of such a name counts where a HEAD lies beside it. */
static bool is_git_state(int dirfd, const char *name)
{
	bool named = false;
	struct stat st;

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]) && !named; i++)
		named = strncmp(told[i], ".git/", 5) == 0 && strcmp(told[i] + 5, name) == 0;
	return named && (fstatat(dirfd, "HEAD", &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT);
}

/* Was the name, or what lies in the folder, made or changed by the run?  What cannot be looked at
 * counts as changed. */
static bool is_changed_inside(struct new_names *n, int dirfd, const char *name)
{
	const struct dirent *e;
	bool changed;
	struct stat st;
	DIR *d;
	int fd;

	if (!stat_name(&n->known, dirfd, name, &st))
		return false;
	if (!S_ISDIR(st.st_mode) || is_changed(n, &st))
		return is_changed(n, &st);
	fd = sys_open_beneath(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW,
			      RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		if (fd >= 0)
			(void)close(fd);
		return true;
	}
	changed = false;
	while (!changed && (errno = 0, e = readdir(d)) != NULL)
		changed = strcmp(e->d_name, "..") != 0 &&
			  (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || is_changed(n, &st));
	changed |= errno != 0;
	(void)closedir(d);
	return changed;
}

static bool lies_in_git(const char *dir)
{
	const char *at = strstr(dir, ".git");

	for (; at; at = strstr(at + 1, ".git"))
		if ((at == dir || at[-1] == '/') && (!at[4] || at[4] == '/'))
			return true;
	return false;
}

void new_names_meet(void *new_names, int dirfd, const char *dir, const char *name)
{
	struct new_names *n = new_names;
	char path[PATH_MAX];
	const char *row;
	struct stat st;
	int len;

	if (strcmp(n->dir, dir) != 0) {
		n->in_packages = strlen(dir) >= sizeof(n->dir) || lies_in_packages(dir);
		(void)snprintf(n->dir, sizeof(n->dir), "%s", dir);
		n->in_floor = find_floor(n, dir);
		n->in_told = find_told(dir) != NULL;
	}
	if (!n->in_floor && !n->in_told && !may_be_last(n, name))
		return;
	len = snprintf(path, sizeof(path), "%s%s%s", dir, dir[0] ? "/" : "", name);
	if (is_git_state(dirfd, name)) {
		if (len >= (int)sizeof(path))
			n->known.cut = true;
		else if (is_changed_inside(n, dirfd, name))
			put_once(&n->known, path);
		return;
	}
	/* the rest of a repository has rules of its own */
	if (lies_in_git(dir))
		return;
	row = len < (int)sizeof(path) ? find_told(path) : NULL;
	if (row && stat_name(&n->known, dirfd, name, &st) && is_changed(n, &st))
		put_once(&n->known, row);
	/* what is kept at the top, packages, and what is searched for as a repository
	 */
	if (!dir[0] || n->in_packages || len >= (int)sizeof(path) ||
	    strcmp(name, ".git") == 0 || is_kept(n, dir))
		return;
	if ((!n->in_floor && !ends_with_floor(n, path, (size_t)len)) ||
	    !stat_name(&n->known, dirfd, name, &st) || !is_changed(n, &st))
		return;
	/* a folder counts once, whatever was changed in it */
	if (n->in_floor)
		path[n->in_floor] = '\0';
	put_once(&n->known, path);
}

bool new_names_changed(const struct new_names *n, size_t i, int fd, const char *dir, char *ret)
{
	const char *text = n->floor[i].text + (dir[0] ? 0 : 1);
	int len = (int)n->floor[i].len - (dir[0] ? 0 : 1);
	AUTO_CLOSE int at = -1;
	struct stat st;

	if (snprintf(ret, PATH_MAX, "%s%.*s", dir, len, text) >= PATH_MAX)
		return false;
	at = sys_open_beneath(fd, ret, O_PATH | O_NOFOLLOW | O_CLOEXEC,
			      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	if (at < 0)
		return errno != ENOENT && errno != ENOTDIR;
	return fstat(at, &st) != 0 || is_changed(n, &st);
}

size_t new_names_git_states(void)
{
	return sizeof(told) / sizeof(told[0]);
}

bool new_names_git_state(struct new_names *n, size_t i, int fd, const char *dir, char *ret)
{
	const char *name = told[i] + sizeof(".git/") - 1;
	AUTO_CLOSE int at = -1;

	if (strncmp(told[i], ".git/", 5) != 0 ||
	    snprintf(ret, PATH_MAX, "%s%s%s", dir, dir[0] ? "/" : "", name) >= PATH_MAX)
		return false;
	at = sys_open_beneath(fd, dir[0] ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW,
			      RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
	if (at < 0)
		return errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
	return is_git_state(at, name) && is_changed_inside(n, at, name);
}

/* Was a folder on the way changed?  Of one that the run has moved to its place the links in it keep their times.  A
 * repository itself changes each time that git works there. */
static bool is_changed_above(const struct new_links *l, const char *dir)
{
	char path[PATH_MAX], *slash;
	struct stat st;

	if (snprintf(path, sizeof(path), "%s", dir) >= (int)sizeof(path))
		return true;
	for (slash = strrchr(path, '/'); path[0]; slash = strrchr(path, '/')) {
		if (strcmp(slash ? slash + 1 : path, ".git") == 0)
			return false;
		if (fstatat(l->top, path, &st, AT_SYMLINK_NOFOLLOW) != 0 || is_changed(l->names, &st))
			return true;
		if (!slash)
			return false;
		*slash = '\0';
	}
	return false;
}

void new_links_meet(void *new_links, int fd, const char *dir, const char *name)
{
	struct new_links *l = new_links;
	struct stat st;

	if (stat_name(&l->found, fd, name, &st) && S_ISLNK(st.st_mode) &&
	    (is_changed(l->names, &st) || is_changed_above(l, dir)))
		put_name(&l->found, dir, name);
}

void new_names_release(struct new_names *n)
{
	name_list_release(&n->top);
	name_list_release(&n->known);
	free(n->floor);
	n->floor = NULL;
	n->nfloor = 0;
}
