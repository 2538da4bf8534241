/*
 * Mounts at another place.  The candidates below a mounted tree are repeated below its
 * mount point, so that what is restricted by one name is restricted by the other.
 */
#include "runtime/sandbox/view_cand.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- which of them can be --------------------------------------------------------- */

static int refused(struct maker *m, const struct view_mount *v, int e, const char *why,
		   const char *path)
{
	return rt_fail(m->err, e, "the mount at %s: %s%s", v->place, path, why);
}

/* The mount point must not overlap the run's own trees or its roots. */
static int check_place(struct maker *m, const struct view_mount *v)
{
	const char *const roots[] = { m->in->home, m->in->project, m->in->project_link };

	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		if (roots[i] && (view_at(roots[i], v->place) || view_at(v->place, roots[i])))
			return refused(m, v, EEXIST, " lies there", roots[i]);
	for (size_t i = 0; i < m->n; i++)
		if (m->c[i].private_ && view_at(m->c[i].path, v->place))
			return refused(m, v, EEXIST, " lies there, a tree of the run's own",
				       m->c[i].path);
	return 0;
}

/* What the host has at the mount point has no name any more. */
static void forget_below(struct maker *m, const char *place)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->n; i++) {
		if (!view_at(m->c[i].path, place)) {
			m->c[kept++] = m->c[i];
			continue;
		}
		if (m->c[i].place.fd >= 0)
			(void)close(m->c[i].place.fd);
		free(m->c[i].path);
		free(m->c[i].from);
	}
	m->n = kept;
}

/* The first name of a path: "/a" of "/a/b". */
static void first_name(const char *path, char ret[4096])
{
	(void)snprintf(ret, 4096, "/%.*s", (int)strcspn(path + 1, "/"), path + 1);
}

/*
 * In an empty root and in a tree of the run's own we can make the mount point.  In a
 * tree of the host it must exist; if all of the host is shown, we can still make the
 * first name in a root that is put together from the names of the host's root.
 */
static int find_place(struct maker *m, const struct view_mount *v)
{
	struct view_place p;
	char top[4096];
	int r;

	if (!m->anywhere || m->spread)
		return 0;
	first_name(v->place, top);
	r = view_look(m->in->prefix, top, &p);
	if (r == 0 && p.fd >= 0)
		(void)close(p.fd);
	m->spread = r == 0 && !p.exists && !p.unreachable;
	return 0;
}

static int add_mount(struct maker *m, const struct view_mount *v)
{
	struct view_place p;
	struct cand *c;
	int r = view_look(m->in->prefix, v->host, &p);

	if (r == -ELOOP)
		return refused(m, v, ELOOP, " leads through a symbolic link: name what it "
			       "leads to", v->host);
	if (r < 0)
		return rt_fail_errno(m->err, -r, "%s", v->host);
	if (p.fd >= 0)
		(void)close(p.fd);
	r = check_place(m, v);
	if (r < 0)
		return r;
	forget_below(m, v->place);
	/* the tree's name on the host; if a rule applies to it, the rule's anchor has
	 * made this candidate already */
	c = view_cand_at(m, v->host);
	if (!c)
		return -ENOMEM;
	c = view_cand_at(m, v->place);
	if (!c)
		return -ENOMEM;
	c->from = strdup(v->host);
	c->mounted = c->named = true;
	c->rule = v->rule;
	return c->from ? find_place(m, v) : -ENOMEM;
}

/* Mounts the top names of the host one by one and copies the links. */
static int spread_root(struct maker *m)
{
	static const char *const own[] = { "/proc", "/dev", "/sys", "/tmp", "/run" };
	char full[4200], path[300];
	const struct dirent *e;
	DIR *dir;
	int r = 0;

	(void)snprintf(full, sizeof(full), "%s/", m->in->prefix);
	dir = opendir(full);
	if (!dir)
		return rt_fail_errno(m->err, errno, "/");
	while (r == 0 && (e = readdir(dir))) {
		struct stat st;
		bool skip = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
		struct cand *c;

		(void)snprintf(path, sizeof(path), "/%s", e->d_name);
		for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
			skip |= !strcmp(path, own[i]);
		if (skip)
			continue;
		if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue; /* has disappeared since */
		if (S_ISLNK(st.st_mode)) {
			r = view_copy_link(m, path);
			continue;
		}
		c = view_cand_at(m, path);
		if (!c)
			r = -ENOMEM;
		else
			c->named = true;
	}
	(void)closedir(dir);
	return r;
}

int view_mounts(struct maker *m)
{
	int r = 0;

	for (size_t i = 0; i < m->in->nmounts && r == 0; i++)
		r = add_mount(m, &m->in->mounts[i]);
	return r == 0 && m->spread ? spread_root(m) : r;
}

/* --- what stands below them ------------------------------------------------------- */

static void copy(struct cand *to, const struct cand *from)
{
	to->scratch |= from->scratch;
	to->private_ |= from->private_;
	to->named |= from->named;
	to->restricts |= from->restricts;
	to->floor = from->floor;
	to->deep_ro |= from->deep_ro;
	to->ro |= from->ro;
	to->made |= from->made;
	if (to->by == VIEW_NO_RULE)
		to->by = from->by;
	if (to->rule == VIEW_NO_RULE)
		to->rule = from->rule;
}

int view_mirror(struct maker *m)
{
	size_t n = m->n;

	for (size_t i = 0; i < m->in->nmounts; i++) {
		const struct view_mount *v = &m->in->mounts[i];
		size_t len = strlen(v->host);

		for (size_t k = 0; k < n; k++) {
			char path[8300];
			struct cand *c;

			if (m->c[k].from || !view_at(m->c[k].path, v->host))
				continue;
			(void)snprintf(path, sizeof(path), "%s%s", v->place,
				       m->c[k].path + (len > 1 ? len : 0));
			c = view_cand_at(m, path);
			if (!c)
				return -ENOMEM;
			if (!c->from)
				c->from = strdup(m->c[k].path);
			if (!c->from)
				return -ENOMEM;
			copy(c, &m->c[k]);
		}
	}
	return 0;
}
