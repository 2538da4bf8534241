/*
 * From anchors to wishes: the path of an anchor, resolved on the host, and what symbolic
 * links lead to.
 */
#include "runtime/sandbox/view_anchor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/sandbox/view_find.h"
#include "runtime/sandbox/view_link.h"

static void want(struct view_wanted *w, const struct view_anchor *a)
{
	if (a->effect == PB_ALLOW) {
		if (a->flags & PB_AF_SCRATCH)
			w->private_ = w->scratch = true;
		/* ${TMPDIR} belongs to the run: names in it are not names of the host */
		else if (a->root != PB_ROOT_TMP)
			w->named = true;
		return;
	}
	w->restricted = true;
	if (!(a->flags & PB_AF_FLOOR))
		w->floor = false;
	if (!(a->flags & (VIEW_AF_LIBRARY | VIEW_AF_FORCE)))
		w->library = false;
	w->rule = a->rule;
	if (a->flags & VIEW_AF_FORCE) {
		w->ro.here = w->forced = true;
		w->ro.below |= !(a->flags & VIEW_AF_FILE);
		w->ro.by = a->rule;
	}
}

/* A run that could replace the link could make the denied name anew, so the directory
 * of the link is read-only. */
static int close_link(struct view_builder *b, const struct view_anchor *a, const char *link)
{
	char dir[4096];
	struct view_place *p;
	char *slash;

	(void)snprintf(dir, sizeof(dir), "%s", link);
	slash = strrchr(dir, '/');
	*(slash == dir ? slash + 1 : slash) = '\0';
	p = view_place_at(b, dir);
	if (!p)
		return -ENOMEM;
	p->wanted.ro.here = true;
	return view_place_ro_by(p, a->rule, link);
}

static int add_place(struct view_builder *b, const struct view_anchor *a, const char *path)
{
	struct view_place *p = view_place_at(b, path);

	if (!p)
		return -ENOMEM;
	if (a->flags & PB_AF_SOCKET) {
		p->wanted.socket |= a->effect == PB_ALLOW;
		p->wanted.no_socket |= a->effect != PB_ALLOW;
		return 0;
	}
	if (a->kind == PB_A_PATH) {
		want(&p->wanted, a);
		return a->flags & VIEW_AF_FORCE ? view_deny_name(b, path, a->rule, true) : 0;
	}
	if (a->effect == PB_ALLOW) {
		p->wanted.opens = true;
		if (p->wanted.rule == VIEW_NO_RULE)
			p->wanted.rule = a->rule;
		return 0;
	}
	/* what is opened or started by name is written by name as well */
	p->wanted.ro.below = true;
	p->wanted.ro.by = a->rule;
	p->wanted.wildcard = true;
	if (a->ops & PB_READ)
		p->wanted.unread = a->rule;
	if (a->ops & PB_EXEC)
		p->wanted.unstarted = a->rule;
	return 0;
}

/* A deny depends on the link: a run must not replace it, and the host must leave it alone. */
static int keep_link(struct view_builder *b, const struct view_anchor *a,
		     const struct view_link *link)
{
	int r = view_link_is_foreign(b, link->path) ? 0 : close_link(b, a, link->path);

	return r == 0 ? view_guard_link(b, link, a->rule) : r;
}

/*
 * Is the link at the repository of the worktree or above it?  There was none when the repository was found
 * (git_common.h), so somebody has put it there since, and it may lead to any other directory.
 */
static bool is_exchanged(const struct view_builder *b, const struct view_anchor *a, const struct view_link *link)
{
	return a->root == PB_ROOT_GIT && b->in->git_common && view_at(b->in->git_common, link->path);
}

/* Adds an anchor whose path on the host goes through a link. */
static int add_through_link(struct view_builder *b, const struct view_anchor *a)
{
	bool allow = a->effect == PB_ALLOW, socket = a->flags & PB_AF_SOCKET, follow = true;
	struct view_link *links;
	char real[4096];
	size_t n;
	int r = view_resolve(b->in->prefix, a->path, real, &links, &n);

	for (size_t i = 0; i < n && r == 0; i++) {
		if (is_exchanged(b, a, &links[i])) {
			r = rt_fail_errno(b->err, ESTALE, "%s was exchanged", b->in->git_common);
			break;
		}
		follow = follow && view_link_is_foreign(b, links[i].path);
		if (allow && follow)
			r = view_add_link(b, links[i].path, links[i].target);
		else if (!allow && !socket)
			r = keep_link(b, a, &links[i]);
	}
	free(links);
	/* a loop, or a path that is too long: an allow gives nothing; a deny cannot be
	 * enforced, so it is an error.  Nothing is brought in by such a socket's name. */
	if (r == -ELOOP || r == -ENAMETOOLONG)
		return allow || socket ? 0 : rt_fail_errno(b->err, -r, "the denied path %s",
							   a->path);
	if (r < 0 || (allow && !follow))
		return r;
	r = view_add_alias(b, a->path, real, a->rule, allow);
	if (socket && a->root == PB_ROOT_TMP)
		return r;
	if (r == 0)
		r = add_place(b, a, real);
	/* a private tree does not contain the link, so the run could make the name */
	if (r == 0 && !allow && !socket && view_is_private(b, a->path))
		r = add_place(b, a, a->path);
	return r;
}

int view_deny_target(struct view_builder *b, const struct view_anchor *a, const char *link,
		     const struct view_link *links, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = keep_link(b, a, &links[i]);
	if (r == 0)
		r = add_place(b, a, a->path);
	return r == 0 ? view_denied_by_link(b, link) : r;
}

int view_add_anchor(struct view_builder *b, const struct view_anchor *a)
{
	bool scratch = a->flags & PB_AF_SCRATCH;
	struct view_object object;
	struct view_place *p;
	int r;

	if (a->kind == PB_A_ANY) {
		b->any_ro = a->rule;
		if (a->ops & PB_READ)
			b->any_unread = a->rule;
		if (a->ops & PB_EXEC)
			b->any_unstarted = a->rule;
		return 0;
	}
	if (view_is_system(a->path) && (a->effect == PB_ALLOW || a->kind == PB_A_WILD ||
					(a->flags & PB_AF_SOCKET)))
		return 0;
	r = scratch ? 0 : view_look_once(b, a->path, &object);
	if (r == -ELOOP)
		return add_through_link(b, a);
	if (r < 0)
		return rt_fail_errno(b->err, -r, "%s", a->path);
	/* ${TMPDIR} is the run's own, and so are the sockets in it */
	if ((a->flags & PB_AF_SOCKET) && a->root == PB_ROOT_TMP) {
		if (object.fd >= 0)
			(void)close(object.fd);
		return 0;
	}
	p = view_place_at(b, a->path);
	if (!p)
		return -ENOMEM;
	if (!scratch)
		view_find_take(p, &object);
	return add_place(b, a, a->path);
}
