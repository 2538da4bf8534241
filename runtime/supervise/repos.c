/* Decides which names of a repository or a project below git, agents or polrun would take commands from. */
#include "runtime/supervise/repos.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/broker/below.h"
#include "runtime/sandbox/view_host.h"

#define MOST_MADE ((size_t)1 << 20) /* slots: 8 MiB */

static const char dot_git[] = ".git", dot_pol[] = ".pol";

static uint32_t rule_of(const struct decide_ctx *c, const char *project, const char *name)
{
	char path[PATH_MAX];
	struct decision d;

	if (snprintf(path, sizeof(path), "%s/%s", project, name) >= (int)sizeof(path))
		return BROKER_NO_RULE;
	decide_file(c, PB_WRITE, path, &d);
	return d.effect == PB_ALLOW ? BROKER_NO_RULE : d.rule;
}

void repos_init(struct repos *r, const struct decide_ctx *c, const struct broker_trees *trees,
		const struct held *held)
{
	const char *project = c->roots.dir[PB_ROOT_PROJECT];

	*r = (struct repos){ .ctx = c, .trees = trees, .held = held, .config = BROKER_NO_RULE,
			     .hooks = BROKER_NO_RULE, .policy = BROKER_NO_RULE };
	if (!project || strlen(project) >= sizeof(r->project))
		return;
	memcpy(r->project, project, strlen(project) + 1);
	r->config = rule_of(c, project, ".git/config");
	r->hooks = rule_of(c, project, ".git/hooks");
	r->policy = rule_of(c, project, dot_pol);
}

void repos_release(struct repos *r)
{
	numbers_release(&r->made);
	*r = (struct repos){ .trees = NULL };
}

/* --- what the run has made ------------------------------------------------------------------- */

static bool look(int fd, struct statx *ret)
{
	return SYS_RETRY(statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME | STATX_TYPE, ret)) == 0;
}

/* What is not noted is taken for somebody else's. */
void repos_note(struct repos *r, int dir, const char *name)
{
	AUTO_CLOSE int fd = sys_open_beneath(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
					     RESOLVE_BENEATH | RESOLVE_NO_XDEV);
	struct statx st;

	if (fd >= 0 && look(fd, &st))
		(void)numbers_add(&r->made, known_files_number(&st), MOST_MADE);
}

static bool is_made(const struct repos *r, const struct statx *st)
{
	return numbers_has(&r->made, known_files_number(st));
}

static bool is_foreign(const struct repos *r, const struct statx *st)
{
	return S_ISDIR(st->stx_mode) ? !is_made(r, st) : !known_files_has(&r->held->known, st);
}

/* --- what is a repository -------------------------------------------------------------------- */

/*
 * Opens the object that the first n bytes of a path name.  Returns -1 if there is none, or it is in no
 * tree.  *ret_closed: or if it cannot be looked at; a folder above it may be closed, and another
 * process may open it before the call is made.
 */
static int open_at(const struct repos *r, const char *path, size_t n, bool *ret_closed)
{
	AUTO_FREE char *text = strndup(path, n);
	const struct broker_place *p;
	const char *rest;
	int fd;

	*ret_closed = !text;
	p = text ? broker_trees_find(r->trees, text, n, &rest) : NULL;
	if (!p || p->kind != BROKER_TREE)
		return -1;
	fd = broker_open_far(p->fd, *rest ? rest : ".", O_PATH | O_NOFOLLOW | O_CLOEXEC,
			     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	*ret_closed = fd < 0 && errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
	return fd;
}

static bool has(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

static bool ends_with(const char *path, size_t n, const char *name)
{
	size_t k = strlen(name);

	return n > k && path[n - k - 1] == '/' && memcmp(path + n - k, name, k) == 0;
}

static size_t above(const char *path, size_t n)
{
	while (n && path[n - 1] != '/')
		n--;
	return n ? n - 1 : 0;
}

/* Is the directory of n bytes one that git reads, and somebody else's? */
static bool is_repository(const struct repos *r, const char *path, size_t n)
{
	bool closed = false;
	AUTO_CLOSE int fd = open_at(r, path, n, &closed);
	struct statx st;

	if (fd < 0)
		return closed;
	if (!look(fd, &st))
		return true;
	if (!S_ISDIR(st.stx_mode) || is_made(r, &st))
		return false;
	if (ends_with(path, n, dot_git))
		return true;
	if (ends_with(path, above(path, n), "worktrees"))
		return has(fd, "gitdir") || has(fd, "commondir");
	return has(fd, "HEAD") && has(fd, "objects") && has(fd, "refs");
}

/* Do the n bytes of a path end with `name`, and name an object that somebody else has made?
 * Without `dirs` a directory is not meant. */
static bool is_foreign_named(const struct repos *r, const char *path, size_t n, const char *name, bool dirs)
{
	bool closed = false;
	AUTO_CLOSE int fd = ends_with(path, n, name) ? open_at(r, path, n, &closed) : -1;
	struct statx st;

	if (fd < 0)
		return closed;
	if (!look(fd, &st))
		return true;
	return (dirs || !S_ISDIR(st.stx_mode)) && is_foreign(r, &st);
}

/* --- what else is kept at the top of a project ------------------------------------------------ */

/* Does the directory of n bytes hold a .git or a .pol that somebody else has made? */
static bool is_project(const struct repos *r, const char *path, size_t n)
{
	static const char *const marks[] = { dot_git, dot_pol };
	bool closed = false;
	AUTO_CLOSE int fd = open_at(r, path, n, &closed);
	struct statx st;

	for (size_t i = 0; fd >= 0 && i < 2; i++) {
		if (SYS_RETRY(statx(fd, marks[i], AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME | STATX_TYPE,
				    &st)) != 0) {
			closed |= errno != ENOENT && errno != ENOTDIR;
			continue;
		}
		if (is_foreign(r, &st))
			return true;
	}
	return closed;
}

/* Is the path one of the floor's names at the top of a project, or below one, which exists?  The first n
 * bytes are the project. */
static bool is_floor_name_of_project(const struct repos *r, const char *path, size_t n, uint32_t *ret_rule)
{
	const struct pb_mounts *m = r->ctx->b->mounts;
	const char *rest = path + n;

	for (uint32_t i = 0; m && i < m->anchors.count; i++) {
		const struct pb_anchor *a = pb_at(m, m->anchors, sizeof(*a), i);
		const char *name = pb_strp(m, a->path);
		size_t k = a->path.len;
		bool closed = false, foreign = false;
		struct statx st;
		int fd;

		if (!(a->flags & PB_AF_FLOOR) || a->kind != PB_A_PATH || a->root != PB_ROOT_PROJECT ||
		    a->effect != PB_DENY || k < 2 || strncmp(rest, name, k) != 0 ||
		    (rest[k] && rest[k] != '/'))
			continue;
		fd = open_at(r, path, n + k, &closed);
		if (fd >= 0)
			foreign = !look(fd, &st) || is_foreign(r, &st);
		if (fd >= 0)
			(void)close(fd);
		if (!(foreign || closed) || !is_project(r, path, n))
			continue;
		*ret_rule = a->rule;
		return true;
	}
	return false;
}

static const struct {
	const char *name;
	bool hooks;
} names[] = {
	{ "config", false }, { "config.worktree", false }, { "commondir", false },
	{ "gitdir", false },  { "hooks", true },
};

/* How much of a path is the tree in which it lies: the project, or a tree of the broker. */
static size_t find_top(const struct repos *r, const char *path)
{
	const struct broker_place *p;

	if (view_below(path, r->project))
		return strlen(r->project);
	p = broker_trees_find(r->trees, path, strlen(path), NULL);
	return p && p->kind == BROKER_TREE ? p->len : SIZE_MAX;
}

/* What git reads in a repository, and a .pol. */
static bool is_name_of_git(const struct repos *r, const char *path, size_t top, uint32_t *ret_rule)
{
	for (const char *s = path + top; *s == '/';) {
		size_t n = strcspn(s + 1, "/");

		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			uint32_t rule = names[i].hooks ? r->hooks : r->config;

			if (rule == BROKER_NO_RULE || n != strlen(names[i].name) ||
			    memcmp(s + 1, names[i].name, n) != 0 ||
			    !is_repository(r, path, (size_t)(s - path)))
				continue;
			*ret_rule = rule;
			return true;
		}
		s += 1 + n;
		if (r->policy != BROKER_NO_RULE && is_foreign_named(r, path, (size_t)(s - path), dot_pol, true)) {
			*ret_rule = r->policy;
			return true;
		}
	}
	/* a .git that is a file or a link names a repository */
	if (r->config == BROKER_NO_RULE || !is_foreign_named(r, path, strlen(path), dot_git, false))
		return false;
	*ret_rule = r->config;
	return true;
}

bool repos_keep(const struct repos *r, const char *path, uint32_t *ret_rule)
{
	size_t top = r->project[0] ? find_top(r, path) : SIZE_MAX;

	if (top == SIZE_MAX)
		return false;
	/* first the names for which the policy may have a rule of its own */
	if (is_name_of_git(r, path, top, ret_rule))
		return true;
	for (const char *s = path + top; *s == '/'; s += 1 + strcspn(s + 1, "/"))
		/* the names of the project itself have rules */
		if ((s > path + top || !view_below(path, r->project)) &&
		    is_floor_name_of_project(r, path, (size_t)(s - path), ret_rule))
			return true;
	return false;
}

bool repos_is_mark(const struct repos *r, const char *path, uint32_t *ret_rule)
{
	if (!r->project[0] || r->config == BROKER_NO_RULE || find_top(r, path) == SIZE_MAX ||
	    !is_foreign_named(r, path, strlen(path), dot_git, true))
		return false;
	*ret_rule = r->config;
	return true;
}
