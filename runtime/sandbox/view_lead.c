/*
 * A rule that denies writing `.claude` also denies writing `.claude/settings.json` where that is
 * a symbolic link to `shared/settings.json`: who reads the denied name gets what the link leads
 * to.  The mounts and the broker only see the physical path, and `shared` may be written.  So
 * the denied directories are searched for links when the run starts, and the target of each
 * link that the run could write gets the rule of the directory.  A target that is a directory is
 * searched in its turn, since its links are names below the denied one as well.  Where a rule
 * denies writing with a wildcard (`*.key`), the links are those that the rule matches: the
 * directory of the wildcard is searched, or the trees that rules let be written.
 *
 * The search stays in the file system's mount and reads at most MOST_ENTRIES names of a
 * directory tree: a start takes milliseconds.  It does not deny a directory that holds the
 * denied one or the project itself, to which a link in the project's `.vscode` may well lead:
 * nothing could be written then.  What is left out is recorded, and reported as `under`.
 */
#include "runtime/sandbox/view_lead.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/base/sys.h"
#include "runtime/sandbox/view_anchor.h"
#include "runtime/sandbox/view_decide.h"

enum { MOST_ENTRIES = 10000 };

/* A directory whose writing a rule denies. */
struct denied_dir {
	char *path;
	uint32_t rule;
	bool floor;
	bool by_name; /* the rule denies the path itself, and not only by the name of a link */
	bool wild;    /* a wildcard denies some names in it */
};

struct search {
	struct view_builder *b;
	struct denied_dir *dirs; /* grows while they are searched */
	size_t ndirs, cap;
	/* the one that is being searched */
	size_t at;
	char **queue; /* directories below it, relative to it; "." is the first */
	size_t nqueue, queue_cap;
	unsigned left; /* entries that may still be read */
	bool cut;
};

static int add_dir(struct search *s, const char *path, const struct denied_dir *like)
{
	for (size_t i = 0; i < s->ndirs; i++)
		if (s->dirs[i].wild == like->wild && view_at(path, s->dirs[i].path))
			return 0;
	if (s->ndirs == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;
		struct denied_dir *grown = reallocarray(s->dirs, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		s->dirs = grown;
		s->cap = cap;
	}
	s->dirs[s->ndirs] = *like;
	s->dirs[s->ndirs].path = strdup(path);
	return s->dirs[s->ndirs++].path ? 0 : -ENOMEM;
}

static int leave_out(struct search *s, const char *path, uint32_t rule, uint8_t why)
{
	struct sandbox_view *v = s->b->out;
	struct sandbox_unsearched *u = reallocarray(v->unsearched, v->nunsearched + 1, sizeof(*u));

	if (!u)
		return -ENOMEM;
	v->unsearched = u;
	u[v->nunsearched] = (struct sandbox_unsearched){ strdup(path), rule, why };
	return u[v->nunsearched++].path ? 0 : -ENOMEM;
}

/* --- one link ------------------------------------------------------------------------- */

static bool is_opened(const struct view_in *in, const struct view_anchor *a)
{
	enum view_answer answer;

	if (a->effect != PB_ALLOW || !(a->ops & PB_WRITE) ||
	    (a->flags & (PB_AF_SCRATCH | PB_AF_SOCKET)) || !a->path)
		return false;
	if (a->kind == PB_A_WILD)
		return true;
	answer = view_may_write(in, a->path);
	return answer == VIEW_ALLOW || answer == VIEW_OWN;
}

/* Could the run write the path, or a name below it? */
static bool is_writable(const struct view_in *in, const char *path)
{
	if (view_may_write(in, path) == VIEW_ALLOW)
		return true;
	for (size_t i = 0; i < in->n; i++)
		if (is_opened(in, &in->anchors[i]) &&
		    (view_at(in->anchors[i].path, path) ||
		     (in->anchors[i].kind == PB_A_WILD && view_at(path, in->anchors[i].path))))
			return true;
	return false;
}

static int deny_target(struct search *s, const struct view_link *links, size_t n, const char *real,
		       uint32_t rule)
{
	const struct denied_dir d = { .rule = rule, .floor = s->dirs[s->at].floor };
	const bool is_dir = view_is_dir(s->b->in->prefix, real);
	/* what is no directory has nothing below it; see VIEW_AF_FILE */
	struct view_anchor a = { .path = (char *)(uintptr_t)real, .kind = PB_A_PATH,
				 .effect = PB_DENY, .ops = PB_WRITE, .rule = d.rule,
				 .flags = (uint8_t)(VIEW_AF_FORCE | (d.floor ? PB_AF_FLOOR : 0) |
						    (is_dir ? 0 : VIEW_AF_FILE)) };
	int r = view_deny_target(s->b, &a, links[0].path, links + 1, n - 1);

	return r == 0 && is_dir ? add_dir(s, real, &d) : r;
}

/* Is the link at the path denied?  *ret_rule is the rule. */
static bool is_denied(const struct search *s, const char *path, uint32_t *ret_rule)
{
	const struct denied_dir *d = &s->dirs[s->at];
	struct view_answers a;

	*ret_rule = d->rule;
	if (!d->by_name && !d->wild)
		return true;
	s->b->in->decide(s->b->in->arg, path, &a);
	if (d->wild)
		*ret_rule = a.rule[VIEW_WRITE];
	return a.answer[VIEW_WRITE] == VIEW_DENY;
}

/* Does the whole way stay in the directory that is searched? */
static bool stays_inside(const char *dir, const struct view_link *links, size_t n, const char *real)
{
	for (size_t i = 0; i < n; i++)
		if (!view_at(links[i].path, dir))
			return false;
	return view_at(real, dir);
}

static int look_at_link(struct search *s, const char *path)
{
	struct view_builder *b = s->b;
	const struct denied_dir *d = &s->dirs[s->at];
	struct view_link *links;
	char real[4096];
	bool writable;
	uint32_t rule;
	size_t n;
	int r;

	if (!is_denied(s, path, &rule))
		return 0;
	r = view_resolve(b->in->prefix, path, real, &links, &n);
	if (r < 0 && r != -ELOOP && r != -ENAMETOOLONG) {
		r = r == -ENOMEM ? r : rt_fail_errno(b->err, -r, "%s", path);
		goto out;
	}
	/* a loop leads nobody to anything */
	if (r < 0 || !n || (!d->wild && stays_inside(d->path, links, n, real)) ||
	    view_is_system(real)) {
		r = 0;
		goto out;
	}
	writable = is_writable(b->in, real);
	for (size_t i = 1; i < n && !writable; i++)
		writable = view_may_write(b->in, links[i].path) == VIEW_ALLOW;
	if (!writable)
		r = 0;
	else if (view_at(path, real) || (b->in->project && view_at(b->in->project, real)))
		r = leave_out(s, path, rule, SANDBOX_LEADS_AROUND);
	else
		r = deny_target(s, links, n, real, rule);
out:
	free(links);
	return r;
}

/* --- one directory -------------------------------------------------------------------- */

static int enqueue(struct search *s, const char *dir, const char *name)
{
	char path[4096];

	if (snprintf(path, sizeof(path), "%s%s%s", dir, *dir ? "/" : "", name) >=
	    (int)sizeof(path)) {
		s->cut = true;
		return 0;
	}
	if (s->nqueue == s->queue_cap) {
		size_t cap = s->queue_cap ? 2 * s->queue_cap : 64;
		char **grown = reallocarray(s->queue, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		s->queue = grown;
		s->queue_cap = cap;
	}
	s->queue[s->nqueue] = strdup(path);
	return s->queue[s->nqueue++] ? 0 : -ENOMEM;
}

static int look_at_entry(struct search *s, DIR *dir, const char *below, const struct dirent *e)
{
	const char *top = s->dirs[s->at].path;
	unsigned char type = e->d_type;
	char path[4096];
	struct stat st;

	if (type == DT_UNKNOWN) {
		if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return 0; /* has disappeared since */
		type = S_ISLNK(st.st_mode) ? DT_LNK : S_ISDIR(st.st_mode) ? DT_DIR : DT_REG;
	}
	if (type == DT_DIR)
		return enqueue(s, below, e->d_name);
	if (type != DT_LNK)
		return 0;
	if (snprintf(path, sizeof(path), "%s%s%s/%s", top[1] ? top : "", *below ? "/" : "", below,
		     e->d_name) >= (int)sizeof(path)) {
		s->cut = true;
		return 0;
	}
	return look_at_link(s, path);
}

static int fail_at(const struct search *s, const char *below, int err)
{
	return rt_fail_errno(s->b->err, err, "%s%s%s", s->dirs[s->at].path, *below ? "/" : "", below);
}

/* The directory could not be opened: errno. */
static int dir_is_closed(struct search *s, int top, const char *below)
{
	switch (errno) {
	case ENOENT: /* replaced or removed since */
	case ENOTDIR:
	case ELOOP:
		return 0;
	case EXDEV:
		s->cut = true;
		return 0;
	case EACCES:
		/* a directory that the caller cannot pass is closed to the caller's programs */
		s->cut |= faccessat(top, *below ? below : ".", X_OK, AT_EACCESS) == 0;
		return 0;
	}
	return fail_at(s, below, errno);
}

static int read_dir(struct search *s, int top, const char *below)
{
	struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
					   RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV };
	const struct dirent *e;
	int fd = sys_openat2(top, *below ? below : ".", &how), r = 0;
	DIR *dir;

	if (fd < 0)
		return dir_is_closed(s, top, below);
	dir = fdopendir(fd);
	if (!dir) {
		r = errno == ENOMEM ? -ENOMEM : fail_at(s, below, errno);
		(void)close(fd);
		return r;
	}
	while (r == 0 && (errno = 0, e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (!s->left) {
			s->cut = true;
			break;
		}
		s->left--;
		r = look_at_entry(s, dir, below, e);
	}
	if (r == 0 && errno && errno != ENOENT) /* it was removed */
		r = fail_at(s, below, errno);
	(void)closedir(dir);
	return r;
}

static int search_dir(struct search *s)
{
	char full[8300];
	AUTO_CLOSE int top = -1;
	int r;

	(void)snprintf(full, sizeof(full), "%s%s", s->b->in->prefix, s->dirs[s->at].path);
	top = sys_open(full, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
	/* no directory, or on a way that is closed to the caller's programs as well */
	if (top < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EACCES ? 0 : fail_at(s, "", errno);
	s->left = MOST_ENTRIES;
	s->cut = false;
	s->nqueue = 0;
	r = read_dir(s, top, "");
	for (size_t i = 0; i < s->nqueue; i++) {
		if (r == 0 && s->left)
			r = read_dir(s, top, s->queue[i]);
		s->cut |= !s->left;
		free(s->queue[i]);
	}
	return r == 0 && s->cut ? leave_out(s, s->dirs[s->at].path, s->dirs[s->at].rule, SANDBOX_NOT_SEARCHED) : r;
}

/* --- all of them ----------------------------------------------------------------------- */

/* Can a run write anything of the host?  Most policies that deny a large tree allow little. */
static bool writes_host(const struct view_builder *b)
{
	for (size_t i = 0; i < b->in->n; i++)
		if (is_opened(b->in, &b->in->anchors[i]) &&
		    b->in->anchors[i].root != PB_ROOT_TMP)
			return true;
	return b->spread;
}

static int add_denied(struct search *s, struct view_place *p)
{
	const struct view_wanted *w = &p->wanted;
	struct denied_dir d = { .rule = w->ro.by, .floor = w->floor };
	struct view_answers a;
	int r = 0;

	if (w->private_ || view_is_system(p->path))
		return 0;
	if (w->wildcard)
		r = add_dir(s, p->path, &(struct denied_dir){ .rule = w->ro.by, .wild = true });
	if (!w->restricted || r < 0)
		return r;
	view_answers_at(s->b, p, false, true, &a);
	d.by_name = view_may_write(s->b->in, p->path) == VIEW_DENY;
	if (a.answer[VIEW_WRITE] == VIEW_DENY)
		d.rule = a.rule[VIEW_WRITE];
	else if (!w->forced)
		return 0;
	return add_dir(s, p->path, &d);
}

/* A wildcard denies names at any depth: those that matter lie in trees that can be written. */
static int add_written(struct search *s)
{
	const struct view_in *in = s->b->in;
	struct denied_dir d = { .rule = s->b->any_ro, .wild = true };
	int r = 0;

	for (size_t i = 0; i < in->n && r == 0 && d.rule != VIEW_NO_RULE; i++) {
		const struct view_anchor *a = &in->anchors[i];
		const struct view_place *p = is_opened(in, a) ? view_place_find(s->b, a->path) : NULL;

		if (p && !p->wanted.private_)
			r = add_dir(s, a->path, &d);
	}
	return r;
}

int view_lead(struct view_builder *b)
{
	struct search s = { .b = b };
	int r = 0;

	if (!writes_host(b))
		return 0;
	for (size_t i = 0; i < b->n && r == 0; i++)
		r = add_denied(&s, &b->places[i]);
	if (r == 0)
		r = add_written(&s);
	for (; s.at < s.ndirs && r == 0; s.at++)
		r = search_dir(&s);
	for (size_t i = 0; i < s.ndirs; i++)
		free(s.dirs[i].path);
	free(s.dirs);
	free(s.queue);
	return r;
}
