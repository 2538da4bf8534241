/*
 * The second stage of a view: what the host has at a place.  It looks when the place is
 * needed, and holds the object by a descriptor.
 */
#include "runtime/sandbox/view_find.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int view_find(const struct view_builder *b, struct view_place *p)
{
	struct view_found *f = &p->found;
	int r = f->looked ? 0 : view_look(b->in->prefix, view_host_name(p), &f->object);

	f->looked = true;
	if (r == -ELOOP) {
		/* this was found as a directory above, or by resolving a link that
		 * another process has changed since: treat it as missing */
		f->object = (struct view_object){ .fd = -1, .beyond_link = true };
		return 0;
	}
	return r < 0 ? rt_fail_errno(b->err, -r, "%s", p->path) : 0;
}

void view_find_take(struct view_place *p, const struct view_object *object)
{
	if (!p->found.looked) {
		p->found.object = *object;
		p->found.looked = true;
	} else if (object->fd >= 0) {
		(void)close(object->fd);
	}
}

int view_find_mount_point(const struct view_builder *b, struct view_place *p)
{
	struct view_object o;
	int r = view_look(b->in->prefix, p->path, &o);

	if (r == 0 && o.fd >= 0)
		(void)close(o.fd);
	if (r < 0 || !o.exists || o.is_dir != p->found.object.is_dir)
		return -ENOENT;
	p->found.at_dev = o.dev;
	p->found.at_ino = o.ino;
	return 0;
}

void view_find_forget(struct view_place *p)
{
	if (p->found.object.fd >= 0)
		(void)close(p->found.object.fd);
	p->found.object = (struct view_object){ .fd = -1, .unreachable = true };
}

bool view_beyond_reach(const struct view_builder *b, const char *path,
		       char ret_dir[4096])
{
	(void)snprintf(ret_dir, 4096, "%s", path);
	for (char *s = ret_dir; b->in->foreign && (s = strchr(s + 1, '/')); *s = '/') {
		struct view_object o;
		int r;

		*s = '\0';
		if (view_is_private(b, ret_dir))
			continue;
		r = view_look(b->in->prefix, ret_dir, &o);
		if (r == 0 && o.fd >= 0)
			(void)close(o.fd);
		if (r == 0 && o.is_dir && !(o.mode & S_IXOTH))
			return true;
	}
	return false;
}
