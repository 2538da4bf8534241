/*
 * Mounts at another place.  The places below a mounted tree are repeated below its
 * mount point, so that what is restricted by one name is restricted by the other.
 */
#include "runtime/sandbox/view_mount.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/sandbox/view_link.h"

/* --- which of them can be --------------------------------------------------------- */

static int refused(struct view_builder *b, const struct view_mount *v, int e,
		   const char *why, const char *path)
{
	return rt_fail(b->err, e, "the mount at %s: %s%s", v->place, path, why);
}

/* The mount point must not overlap the run's own trees or its roots. */
static int check_place(struct view_builder *b, const struct view_mount *v)
{
	const char *const roots[] = { b->in->home, b->in->project, b->in->project_link };

	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++)
		if (roots[i] && (view_at(roots[i], v->place) || view_at(v->place, roots[i])))
			return refused(b, v, EEXIST, " lies there", roots[i]);
	for (size_t i = 0; i < b->n; i++)
		if (b->places[i].wanted.private_ && view_at(b->places[i].path, v->place))
			return refused(b, v, EEXIST, " lies there, a tree of the run's own",
				       b->places[i].path);
	return 0;
}

/* What the host has at the mount point has no name any more. */
static int forget_below(struct view_builder *b, const char *place)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->n; i++) {
		if (!view_at(b->places[i].path, place)) {
			b->places[kept++] = b->places[i];
			continue;
		}
		if (b->places[i].found.object.fd >= 0)
			(void)close(b->places[i].found.object.fd);
		free(b->places[i].path);
		free(b->places[i].source);
	}
	if (kept == b->n)
		return 0;
	b->n = kept;
	return view_places_index(b);
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
static int find_place(struct view_builder *b, const struct view_mount *v)
{
	struct view_object o;
	char top[4096];
	int r;

	if (!b->anywhere || b->spread)
		return 0;
	first_name(v->place, top);
	r = view_look(b->in->prefix, top, &o);
	if (r == 0 && o.fd >= 0)
		(void)close(o.fd);
	b->spread = r == 0 && !o.exists && !o.unreachable;
	return 0;
}

static int add_mount(struct view_builder *b, const struct view_mount *v)
{
	struct view_object o;
	struct view_place *p;
	int r = view_look(b->in->prefix, v->host, &o);

	if (r == -ELOOP)
		return refused(b, v, ELOOP, " leads through a symbolic link: name what it "
			       "leads to", v->host);
	if (r < 0)
		return rt_fail_errno(b->err, -r, "%s", v->host);
	if (o.fd >= 0)
		(void)close(o.fd);
	r = check_place(b, v);
	if (r < 0)
		return r;
	if (forget_below(b, v->place) < 0)
		return -ENOMEM;
	/* the tree's name on the host; if a rule applies to it, the rule's anchor has
	 * made this place already */
	p = view_place_at(b, v->host);
	if (!p)
		return -ENOMEM;
	p = view_place_at(b, v->place);
	if (!p)
		return -ENOMEM;
	p->source = strdup(v->host);
	p->wanted.mounted = p->wanted.named = true;
	p->wanted.rule = v->rule;
	return p->source ? find_place(b, v) : -ENOMEM;
}

/* Mounts the top names of the host one by one and copies the links. */
static int spread_root(struct view_builder *b)
{
	static const char *const own[] = { "/proc", "/dev", "/sys", "/tmp", "/run" };
	char full[4200], path[300];
	const struct dirent *e;
	DIR *dir;
	int r = 0;

	(void)snprintf(full, sizeof(full), "%s/", b->in->prefix);
	dir = opendir(full);
	if (!dir)
		return rt_fail_errno(b->err, errno, "/");
	while (r == 0 && (e = readdir(dir))) {
		struct stat st;
		bool skip = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
		struct view_place *p;

		(void)snprintf(path, sizeof(path), "/%s", e->d_name);
		for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
			skip |= !strcmp(path, own[i]);
		if (skip)
			continue;
		if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue; /* has disappeared since */
		if (S_ISLNK(st.st_mode)) {
			r = view_copy_link(b, path);
			continue;
		}
		p = view_place_at(b, path);
		if (!p)
			r = -ENOMEM;
		else
			p->wanted.named = true;
	}
	(void)closedir(dir);
	return r;
}

int view_mounts(struct view_builder *b)
{
	int r = 0;

	for (size_t i = 0; i < b->in->nmounts && r == 0; i++)
		r = add_mount(b, &b->in->mounts[i]);
	return r == 0 && b->spread ? spread_root(b) : r;
}

/* --- what stands below them ------------------------------------------------------- */

static void copy(struct view_wanted *to, const struct view_wanted *from)
{
	to->scratch |= from->scratch;
	to->private_ |= from->private_;
	to->named |= from->named;
	to->restricted |= from->restricted;
	to->no_socket |= from->no_socket;
	to->listens |= from->listens;
	to->floor = from->floor;
	to->library = from->library;
	to->wildcard |= from->wildcard;
	to->opens |= from->opens;
	to->forced |= from->forced;
	to->ro.here |= from->ro.here;
	to->ro.below |= from->ro.below;
	if (to->ro.by == VIEW_NO_RULE)
		to->ro.by = from->ro.by;
	if (to->rule == VIEW_NO_RULE)
		to->rule = from->rule;
	if (to->unread == VIEW_NO_RULE)
		to->unread = from->unread;
	if (to->unstarted == VIEW_NO_RULE)
		to->unstarted = from->unstarted;
}

int view_mirror(struct view_builder *b)
{
	size_t n = b->n;

	for (size_t i = 0; i < b->in->nmounts; i++) {
		const struct view_mount *v = &b->in->mounts[i];
		size_t len = strlen(v->host);

		for (size_t k = 0; k < n; k++) {
			char path[8300];
			struct view_place *p;

			if (b->places[k].source || !view_at(b->places[k].path, v->host))
				continue;
			(void)snprintf(path, sizeof(path), "%s%s", v->place,
				       b->places[k].path + (len > 1 ? len : 0));
			p = view_place_at(b, path);
			if (!p)
				return -ENOMEM;
			if (!p->source)
				p->source = strdup(b->places[k].path);
			if (!p->source)
				return -ENOMEM;
			copy(&p->wanted, &b->places[k].wanted);
		}
	}
	return 0;
}
