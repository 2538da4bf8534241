/*
 * Other names of restricted objects.  What a rule takes away by one name can be visible
 * by a second name, because another mount of the same file system lies in a tree that
 * is shown.  Such a name is treated like a name that a link gives.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/sandbox/host_mounts.h"
#include "runtime/sandbox/view_binds.h"
#include "runtime/sandbox/view_link.h"

/*
 * Is the object at `other` the one that the rule names?  1, 0, or -errno.  If nobody
 * may look at the rule's object, we assume that it is: it can be reached by the other
 * name.
 */
static int is_there(const struct view_builder *b, const char *path, const char *other)
{
	struct view_object p, o;
	int r = view_look(b->in->prefix, path, &p), same = 0;

	if (r < 0)
		return rt_fail_errno(b->err, -r, "%s", path);
	if (p.exists || p.unreachable) {
		r = view_look(b->in->prefix, other, &o);
		if (r == 0) {
			same = o.exists && (p.unreachable ||
					    (o.dev == p.dev && o.ino == p.ino));
			if (o.fd >= 0)
				(void)close(o.fd);
		}
	}
	if (p.fd >= 0)
		(void)close(p.fd);
	if (r < 0)
		return rt_fail_errno(b->err, -r, "%s", other);
	return same;
}

/* True if the name lies in a tree of the host that an allow shows. */
static bool is_shown(const struct view_builder *b, const char *path)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct view_place *p = &b->places[i];

		if (p->wanted.named && view_at(path, view_host_name(p)))
			return true;
	}
	return b->anywhere;
}

static int take_away(struct view_builder *b, size_t i, const char *named, const char *shown)
{
	const struct view_wanted from = b->places[i].wanted;
	uint32_t rule = from.rule;
	struct view_place *p;
	int r;

	if (!strcmp(named, shown) || view_is_system(shown) || !is_shown(b, shown))
		return 0;
	r = is_there(b, named, shown);
	if (r <= 0)
		return r;
	r = view_add_alias(b, named, shown, rule, false);
	p = r == 0 ? view_place_at(b, shown) : NULL;
	if (!p)
		return r < 0 ? r : -ENOMEM;
	p->wanted.no_socket |= from.no_socket;
	p->wanted.listens |= from.listens;
	if (!from.restricted)
		return 0;
	p->wanted.restricted = true;
	p->wanted.floor = p->wanted.floor && from.floor;
	p->wanted.library = p->wanted.library && from.library;
	if (p->wanted.rule == VIEW_NO_RULE)
		p->wanted.rule = rule;
	if (!from.forced)
		return 0;
	/* no rule speaks of the name, so that the second one has no rule either */
	p->wanted.forced = p->wanted.ro.here = true;
	p->wanted.ro.below |= from.ro.below;
	if (p->wanted.ro.by == VIEW_NO_RULE)
		p->wanted.ro.by = from.ro.by;
	return view_deny_name(b, shown, from.ro.by, true);
}

/* Does no other mount show its file system? */
static bool is_alone(const struct host_mounts *all, const struct host_mount *m)
{
	for (size_t i = 0; i < all->n; i++)
		if (&all->v[i] != m && strcmp(all->v[i].dev, m->dev) == 0)
			return false;
	return true;
}

/* Adds every other name that mounts give to what the place at `i` restricts, or to a
 * part of it.  *alone is the last mount that was found to be so: places have few. */
static int other_names(struct view_builder *b, size_t i, const struct host_mount **alone)
{
	const struct host_mounts *all = &b->mounts;
	char path[4096], in_fs[HOST_MOUNT_PATH], named[HOST_MOUNT_PATH], shown[HOST_MOUNT_PATH];
	const struct host_mount *own = host_mount_of(all, b->places[i].path);
	int r = 0;

	if (!own || own == *alone)
		return 0;
	if (is_alone(all, own)) {
		*alone = own;
		return 0;
	}
	(void)snprintf(path, sizeof(path), "%s", b->places[i].path);
	if (host_mount_inside(own, path, in_fs) < 0)
		return 0;
	for (size_t k = 0; k < all->n && r == 0; k++) {
		const struct host_mount *o = &all->v[k];

		if (o == own || strcmp(o->dev, own->dev) != 0)
			continue;
		if (view_at(in_fs, o->root)) {
			r = host_mount_name(o->at, o->root, in_fs, shown);
			if (r == 0)
				r = take_away(b, i, path, shown);
		} else if (view_below(o->root, in_fs)) {
			r = host_mount_name(path, in_fs, o->root, named);
			if (r == 0)
				r = take_away(b, i, named, o->at);
		}
	}
	return r;
}

int view_binds(struct view_builder *b)
{
	const struct host_mount *alone = NULL;
	size_t n = b->n;
	int r;

	if (!b->in->mountinfo)
		return 0;
	r = host_mounts_read(b->in->mountinfo, &b->mounts);
	if (r < 0)
		(void)rt_fail_errno(b->err, -r, "%s", b->in->mountinfo);
	for (size_t i = 0; i < n && r == 0; i++) {
		const struct view_wanted *w = &b->places[i].wanted;

		if ((w->restricted || w->no_socket || w->listens) && !w->private_ &&
		    !b->places[i].source)
			r = other_names(b, i, &alone);
	}
	return r;
}

/* --- second names of trees in which names are decided --------------------------------------- */

static const char *host_name(const struct sandbox_node *n)
{
	return n->source ? n->source : n->path;
}

/* Does `m`, which shows `at`, show a part of what `tree` shows, by names of its own? */
static bool overlaps(const struct host_mounts *all, const struct sandbox_node *tree,
		     const struct host_mount *m, const char *at)
{
	const struct host_mount *own = host_mount_of(all, host_name(tree));
	char a[HOST_MOUNT_PATH], b[HOST_MOUNT_PATH];

	if (!own || own == m || strcmp(own->dev, m->dev) != 0)
		return false;
	/* what is too long to compare may be the same */
	if (host_mount_inside(own, host_name(tree), a) < 0 || host_mount_inside(m, at, b) < 0)
		return true;
	return view_at(a, b) || view_at(b, a);
}

static bool is_read(const struct sandbox_node *n)
{
	return !n->noted && !n->masked && !n->locked && !n->scratch && (n->ops & PB_READ);
}

static int refuse(struct view_builder *b, const struct sandbox_node *tree, const char *other)
{
	return rt_fail(b->err, EXDEV,
		       "'%s' shows what lies in '%s' by a second name (a mount): the names there "
		       "are decided one by one, and a rule for the one would not hold for the "
		       "other; let only one of them be used", other, tree->path);
}

/* `seen`: names of `tree` are decided for reading or executing, and `n` lets the run do so; else
 * only writing is decided there. */
static int check_second(struct view_builder *b, const struct sandbox_node *tree,
			const struct sandbox_node *n, bool seen)
{
	const struct host_mounts *all = &b->mounts;
	const struct sandbox_view *v = b->out;
	const struct host_mount *own = host_mount_of(all, host_name(n));

	if (n != tree && own && overlaps(all, tree, own, host_name(n)))
		return refuse(b, tree, n->path);
	/* where polrun makes the writing calls it enters no such mount, and the kernel shows it
	   read-only */
	for (size_t k = 0; k < all->n && (seen || !n->broker) && !n->source; k++) {
		const struct host_mount *m = &all->v[k];

		if (view_below(m->at, n->path) && sandbox_view_find(v, m->at) == n &&
		    overlaps(all, tree, m, m->at))
			return refuse(b, tree, m->at);
	}
	return 0;
}

int view_binds_check(struct view_builder *b)
{
	const struct sandbox_view *v = b->out;
	int r = 0;

	for (size_t i = 0; v->brokers && i < v->n && r == 0; i++)
		for (size_t k = 0; k < v->n && r == 0; k++) {
			const struct sandbox_node *tree = &v->nodes[i], *n = &v->nodes[k];
			bool seen = is_read(n) && (tree->open_by_name ||
						   (tree->start_by_name && (n->ops & PB_EXEC)));

			if (seen || (tree->broker && sandbox_node_writes(tree) &&
				     sandbox_node_writes(n)))
				r = check_second(b, tree, n, seen);
		}
	return r;
}
