/*
 * The first stage of a view: the places that rules name, and those that every run needs,
 * in the order in which they depend on each other.
 */
#include "runtime/sandbox/view_want.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/sandbox/view_anchor.h"
#include "runtime/sandbox/view_binds.h"
#include "runtime/sandbox/view_copy.h"
#include "runtime/sandbox/view_find.h"
#include "runtime/sandbox/view_lead.h"
#include "runtime/sandbox/view_link.h"
#include "runtime/sandbox/view_mount.h"
#include "runtime/sandbox/view_protect.h"
#include "runtime/sandbox/view_socket.h"

static int add_private(struct view_builder *b, const char *path)
{
	char real[4096];
	struct view_link *links;
	size_t n;
	struct view_place *p;
	int r = view_resolve(b->in->prefix, path, real, &links, &n);

	free(links);
	/* a loop, or a path that is too long, leads nowhere */
	if (r < 0 && r != -ELOOP && r != -ENAMETOOLONG)
		return rt_fail_errno(b->err, -r, "%s", path);
	/* /var/tmp may be a link to /tmp */
	p = view_place_at(b, r == 0 && n && strcmp(real, "/") ? real : path);
	if (!p)
		return -ENOMEM;
	p->wanted.private_ = true;
	return r == 0 && n && strcmp(real, path) ? view_add_link(b, path, real) : 0;
}

/* True if all of the host's tree may be read. */
static bool reads_anywhere(const struct view_in *in)
{
	struct view_answers root, below;

	in->decide(in->arg, "/", &root);
	in->decide(in->arg, "/.\x01", &below);
	return root.answer[VIEW_READ] == VIEW_ALLOW && below.answer[VIEW_READ] == VIEW_ALLOW;
}

/*
 * Can names of the host be written wherever they lie?  Then the run's root is not the host's,
 * which holds what the kernel makes (/proc, /sys) and cannot be given to another owner, and
 * which is not the run's to change: each of its names is mounted by itself.
 */
static bool writes_anywhere(const struct view_builder *b)
{
	const struct view_place *root = view_place_find(b, "/");

	return (root && root->wanted.opens) || view_may_write(b->in, "/.\x01") == VIEW_ALLOW;
}

/* Adds the host's object, even if it lies below a private tree. */
static int add_named(struct view_builder *b, const char *path)
{
	struct view_place *p = view_place_at(b, path);

	if (!p)
		return -ENOMEM;
	p->wanted.named = true;
	return 0;
}

/*
 * Covers parts of the host's root with the run's own devices, an empty /sys and an
 * empty /run.  Services listen in /run, and no mount prevents a connection to them.
 */
static int add_over_root(struct view_builder *b)
{
	static const char *const own[] = { "/dev", "/sys", "/run" };
	int r = add_named(b, "/");

	for (size_t i = 0; i < sizeof(own) / sizeof(*own) && r == 0; i++)
		r = add_private(b, own[i]);
	if (r == 0 && b->in->home)
		r = add_named(b, b->in->home);
	if (r == 0 && b->in->project)
		r = add_named(b, b->in->project);
	return r;
}

static int add_readable(struct view_builder *b, const char *path)
{
	struct view_anchor a = { .path = (char *)(uintptr_t)path, .kind = PB_A_PATH, .ops = PB_READ,
				 .effect = PB_ALLOW, .rule = VIEW_NO_RULE };

	return view_add_anchor(b, &a);
}

/*
 * The service that writes resolv.conf keeps it in its own directory below /run: root's, or an
 * account's for services (login.defs(5), SYS_UID_MAX).
 */
static bool is_of_service(const struct view_builder *b, const struct view_object *o)
{
	return S_ISREG(o->mode) && (o->uid == 0 || (o->uid < 1000 && o->uid != b->in->uid));
}

/*
 * A link into /run leads to what the run is not shown.  In the host's network the run needs the
 * file, and gets it alone; in any other it gets its own text at the name (plan_texts_make()), or
 * asks no resolver.  That the rules allow reading the file as well (std/base names those of the
 * usual services) is decided later, as for every place.
 */
static int add_resolv_conf(struct view_builder *b)
{
	static const char name[] = "/etc/resolv.conf";
	struct view_answers answers;
	struct view_object o;
	struct view_link *links;
	struct view_place *p;
	char real[4096];
	size_t n;
	int r = view_resolve(b->in->prefix, name, real, &links, &n);

	free(links);
	if (r < 0 || !view_below(real, "/run"))
		return add_readable(b, name);
	b->in->decide(b->in->arg, name, &answers);
	if (!b->in->host_network || answers.answer[VIEW_READ] != VIEW_ALLOW)
		return 0;
	r = view_look(b->in->prefix, real, &o);
	if (r < 0) /* ELOOP: it has become a link since */
		return r == -ELOOP ? 0 : rt_fail_errno(b->err, -r, "%s", real);
	if (is_of_service(b, &o)) {
		p = view_place_at(b, real);
		if (p) {
			view_find_take(p, &o); /* the file whose owner was looked at */
			return add_readable(b, name);
		}
		r = -ENOMEM;
	}
	if (o.fd >= 0)
		(void)close(o.fd);
	return r;
}

/* Adds what the run needs besides the names in the rules. */
static int add_fixed(struct view_builder *b)
{
	static const char *const trees[] = { "/tmp", "/var/tmp", "/dev/shm" };
	static const char *const links[] = { "/bin", "/sbin", "/lib", "/lib32", "/lib64",
					     "/libx32" };
	int r = 0;

	for (size_t i = 0; i < 3 && r == 0; i++)
		r = add_private(b, trees[i]);
	b->anywhere = reads_anywhere(b->in);
	if (r == 0 && b->anywhere)
		r = add_over_root(b);
	else if (r == 0 && b->in->home)
		r = add_private(b, b->in->home);
	for (size_t i = 0; i < sizeof(links) / sizeof(*links) && r == 0; i++)
		r = view_copy_link(b, links[i]);
	if (r == 0)
		r = add_resolv_conf(b);
	if (r == 0)
		r = add_readable(b, "/etc/hosts");
	if (r == 0)
		r = add_readable(b, "/etc/nsswitch.conf");
	if (r == 0 && b->in->project) {
		struct view_place *p = view_place_at(b, b->in->project);

		if (!p)
			return -ENOMEM;
		p->wanted.project = true;
	}
	return r;
}

/*
 * A run as root may be allowed to see something below a directory that it cannot pass.
 * That directory is then empty except for that object; the run could see nothing else
 * there anyway.
 */
static int open_ways(struct view_builder *b)
{
	char dir[4096];
	size_t n = b->n;

	for (size_t i = 0; i < n && b->anywhere; i++) {
		const struct view_wanted *w = &b->places[i].wanted;
		struct view_place *p;

		if (!(w->named || w->socket) || w->restricted)
			continue;
		while (view_beyond_reach(b, b->places[i].path, dir)) {
			p = view_place_at(b, dir);
			if (!p)
				return -ENOMEM;
			p->wanted.private_ = true;
		}
	}
	return 0;
}

int view_want(struct view_builder *b)
{
	const struct view_in *in = b->in;
	int r = add_fixed(b);

	/* scratch rules first: what a link means depends on whether it lies in a tree
	 * of the run's own */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < in->n && r == 0; i++)
			if (!!(in->anchors[i].flags & PB_AF_SCRATCH) != pass)
				r = view_add_anchor(b, &in->anchors[i]);
	b->spread = b->anywhere && writes_anywhere(b);
	if (r == 0)
		r = view_copies(b);
	if (r == 0)
		r = view_sockets(b);
	if (r == 0)
		r = open_ways(b);
	if (r == 0)
		r = view_protect(b);
	if (r == 0)
		r = view_lead(b);
	if (r == 0)
		r = view_binds(b);
	if (r == 0)
		r = view_mounts(b);
	if (r == 0 && in->project_link && in->project)
		r = view_add_link(b, in->project_link, in->project);
	return r;
}
