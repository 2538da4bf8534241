/* Decides which names of a repository that has appeared git would take commands from. */
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

	*r = (struct repos){ .trees = trees, .held = held, .config = BROKER_NO_RULE,
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

/* --- what is a repository -------------------------------------------------------------------- */

/* The object of n bytes of a path; -1: there is none, or it is in no tree. */
static int open_at(const struct repos *r, const char *path, size_t n)
{
	AUTO_FREE char *text = strndup(path, n);
	const struct broker_place *p;
	const char *rest;

	p = text ? broker_trees_find(r->trees, text, n, &rest) : NULL;
	if (!p || p->kind != BROKER_TREE)
		return -1;
	return broker_open_far(p->fd, *rest ? rest : ".", O_PATH | O_NOFOLLOW | O_CLOEXEC,
			       RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
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
	AUTO_CLOSE int fd = open_at(r, path, n);
	struct statx st;

	if (fd < 0)
		return false;
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
static bool is_others(const struct repos *r, const char *path, size_t n, const char *name, bool dirs)
{
	AUTO_CLOSE int fd = ends_with(path, n, name) ? open_at(r, path, n) : -1;
	struct statx st;

	if (fd < 0)
		return false;
	if (!look(fd, &st))
		return true;
	return S_ISDIR(st.stx_mode) ? dirs && !is_made(r, &st) : !known_files_has(&r->held->known, &st);
}

static const struct {
	const char *name;
	bool hooks;
} names[] = {
	{ "config", false }, { "config.worktree", false }, { "commondir", false },
	{ "gitdir", false },  { "hooks", true },
};

bool repos_keep(const struct repos *r, const char *path, uint32_t *ret_rule)
{
	const char *s;

	if (!r->project[0] || !view_below(path, r->project))
		return false;
	for (s = path + strlen(r->project); *s == '/';) {
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
		if (r->policy != BROKER_NO_RULE && is_others(r, path, (size_t)(s - path), dot_pol, true)) {
			*ret_rule = r->policy;
			return true;
		}
	}
	/* a .git that is a file or a link names a repository */
	if (r->config == BROKER_NO_RULE || !is_others(r, path, strlen(path), dot_git, false))
		return false;
	*ret_rule = r->config;
	return true;
}
