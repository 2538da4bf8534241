/* Decides at which places of the view writing is decided name by name, and at which nothing is
 * written because it cannot be. */
#include "runtime/sandbox/view_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void force_ro(struct view_place *p, uint32_t by)
{
	if (!(p->given.ops & PB_WRITE))
		return;
	p->given.ops &= (uint8_t)~PB_WRITE;
	p->wanted.ro.here = true;
	if (p->wanted.ro.by == VIEW_NO_RULE)
		p->wanted.ro.by = by;
}

/* Is it a directory in which names can be decided one by one: of the host, or a tree of the run's
 * own, in which nothing is the host's? */
static bool can_broker(const struct view_builder *b, const struct view_place *p, bool host)
{
	const struct view_object *o = &p->found.object;

	return b->in->broker && (p->wanted.private_ || (host && o->exists && o->is_dir));
}

/* Some names here and below are not to be written. */
static void restrict_writing(const struct view_builder *b, struct view_place *p, uint32_t by,
			     bool forced, bool host)
{
	if (forced || !can_broker(b, p, host)) {
		force_ro(p, by);
		return;
	}
	if (!(p->given.ops & PB_WRITE))
		return;
	p->given.broker = true;
	if (p->wanted.ro.by == VIEW_NO_RULE)
		p->wanted.ro.by = by;
}

static void restrict_by_above(const struct view_builder *b, struct view_place *p,
			      const char *name, bool host)
{
	struct view_upwards at = { 0 };
	const struct view_place *top;

	while (b->below && (top = view_places_above(b, name, &at)))
		if (top->wanted.ro.below)
			restrict_writing(b, p, top->wanted.ro.by, top->wanted.forced, host);
}

void view_restrict(struct view_builder *b, size_t i, bool host)
{
	struct view_place *p = &b->places[i];

	if (p->wanted.ro.here || p->wanted.ro.below)
		restrict_writing(b, p, p->wanted.ro.by, p->wanted.forced, host);
	restrict_by_above(b, p, p->path, host);
	/* also by the name on the host: a mount's tree may lie below such a directory */
	if (p->source)
		restrict_by_above(b, p, p->source, host);
	if (b->any_ro != VIEW_NO_RULE && (p->wanted.private_ || host))
		restrict_writing(b, p, b->any_ro, false, host);
}

/* The rule that opens names here, or below a directory above it, which may not be shown. */
static const struct view_wanted *opened_by(const struct view_builder *b,
					   const struct view_place *p)
{
	const char *const names[] = { p->path, p->source };
	const struct view_place *top;

	if (p->wanted.opens)
		return &p->wanted;
	for (size_t i = 0; b->opens && i < 2 && names[i]; i++) {
		struct view_upwards at = { 0 };

		while ((top = view_places_above(b, names[i], &at)))
			if (top->wanted.opens)
				return &top->wanted;
	}
	return NULL;
}

void view_open_names(const struct view_builder *b, struct view_place *p,
		       const struct view_place *up, bool host)
{
	struct view_given *g = &p->given;
	bool inherits = up && up->given.broker && up->given.from_host && !p->wanted.mounted;
	const struct view_wanted *by = NULL;

	if (p->wanted.private_ || !can_broker(b, p, host) || !(g->ops & PB_READ))
		return;
	if (!inherits && !(g->ops & PB_WRITE))
		by = opened_by(b, p);
	if (!inherits && !by)
		return;
	if (p->wanted.ro.by == VIEW_NO_RULE)
		p->wanted.ro.by = inherits ? up->wanted.ro.by : by->rule;
	g->ops |= PB_WRITE;
	g->allowed |= PB_WRITE;
	g->broker = true;
}

bool view_opens_alone(const struct view_builder *b, const struct view_place *p,
		      const struct view_place *up)
{
	const struct view_object *o = &p->found.object;
	const struct view_given *g = &p->given;
	bool absent = p->wanted.named && !o->exists && !o->unreachable && !o->beyond_link;

	return b->in->broker && !p->wanted.forced && !p->wanted.mounted && !p->wanted.private_ &&
	       (g->allowed & PB_WRITE) &&
	       (absent || (S_ISREG(o->mode) && !(g->ops & PB_WRITE))) && up &&
	       up->given.from_host && !up->given.mask && !up->given.broker &&
	       (up->given.ops & (PB_READ | PB_WRITE)) == PB_READ && up->found.object.is_dir;
}

static int mark_above(struct view_builder *b, const char *dir, const char *path, uint32_t by,
		      enum view_above what)
{
	struct view_place *p = view_place_at(b, dir);

	if (!p)
		return -ENOMEM;
	if (what == VIEW_ABOVE_OPENS) {
		b->again |= !p->wanted.opens;
		p->wanted.opens = b->opens = true;
		if (p->wanted.rule == VIEW_NO_RULE)
			p->wanted.rule = by;
		return 0;
	}
	b->again |= !p->wanted.ro.here;
	b->at_once |= what == VIEW_ABOVE_BELOW && !p->wanted.ro.below;
	p->wanted.ro.here = true;
	p->wanted.ro.below |= what == VIEW_ABOVE_BELOW;
	b->below |= p->wanted.ro.below;
	return view_place_ro_by(p, by, path);
}

int view_mark_above(struct view_builder *b, const char *path, uint32_t by,
			  enum view_above what)
{
	char dir[4096];

	(void)snprintf(dir, sizeof(dir), "%s", path);
	for (;;) {
		struct view_object o;
		char *slash = strrchr(dir, '/');
		int r;

		if (!slash || slash == dir)
			return 0;
		*slash = '\0';
		r = view_look(b->in->prefix, dir, &o);
		/* a link on the way: what it leads to has places of its own */
		if (r < 0 && r != -ELOOP)
			return r;
		if (r == 0 && o.fd >= 0)
			(void)close(o.fd);
		if (r == 0 && o.exists && o.is_dir)
			return mark_above(b, dir, path, by, what);
	}
}

int view_restrict_own(struct view_builder *b, size_t i)
{
	const struct view_wanted *w = &b->places[i].wanted;
	struct view_place *up = &b->places[b->places[i].given.up];

	if (!b->in->broker || w->private_ || !w->wildcard || b->places[i].given.from_host ||
	    up->given.broker || !up->wanted.private_ || !(up->given.ops & PB_WRITE))
		return 0;
	up->wanted.ro.here = b->again = true;
	return view_place_ro_by(up, w->ro.by, b->places[i].path);
}

bool view_by_name(const struct view_builder *b, const struct view_place *p,
		    const struct view_place *up, uint8_t lost)
{
	return b->in->broker && lost == PB_WRITE && !p->given.broker && !p->wanted.mounted &&
	       !p->wanted.project && up->found.object.is_dir;
}

bool view_makes_repository(const struct view_builder *b, const struct view_place *p)
{
	static const char dot_git[] = "/.git";
	const char *path = view_host_name(p), *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	struct view_object o;
	char dir[4096];

	if (n < sizeof(dot_git) || n >= sizeof(dir) ||
	    strncmp(slash - (sizeof(dot_git) - 1), dot_git, sizeof(dot_git) - 1) != 0)
		return false;
	(void)snprintf(dir, sizeof(dir), "%.*s", (int)n, path);
	if (view_look(b->in->prefix, dir, &o) < 0)
		return false;
	if (o.fd >= 0)
		(void)close(o.fd);
	return !o.exists && !o.unreachable && !o.beyond_link;
}

uint32_t view_kept_by(const struct view_builder *b, const char *path, const char *host, bool start)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct view_place *p = &b->places[i];
		uint32_t rule = start ? p->wanted.unstarted : p->wanted.unread;

		if (rule != VIEW_NO_RULE &&
		    (view_at(host, view_host_name(p)) || view_at(view_host_name(p), host) ||
		     view_at(path, p->path) || view_at(p->path, path)))
			return rule;
	}
	return start ? b->any_unstarted : b->any_unread;
}

/* Rights that a Landlock rule for the outer tree would give in the inner one as well: Landlock
 * walks up from a file through every mount point, and no rule can take a right away.  Where the
 * inner tree must not have such a right, the outer one does without it, and polrun opens the
 * files in it. */
static void narrow_outer(struct sandbox_node *outer, const struct sandbox_node *inner, bool broker)
{
	if ((outer->ops & PB_READ) && inner->open_by_name)
		outer->open_by_name = true;
	if ((outer->ops & PB_EXEC) && inner->start_by_name)
		outer->start_by_name = true;
	if (broker && (sandbox_node_native(outer) & PB_WRITE) &&
	    (sandbox_node_shows_host_read_only(inner) || inner->no_sockets))
		outer->write_by_name = true;
	/* polrun makes no calls for the run: the outer tree has no sockets either */
	if (!broker && (sandbox_node_native(outer) & PB_WRITE) && inner->no_sockets)
		outer->no_sockets = true;
}

/* The nodes are sorted, so those around a node are a stack: each lies in the one before it. */
static int narrow_outer_trees(struct view_builder *b)
{
	struct sandbox_view *v = b->out;
	size_t *around = calloc(v->n + 1, sizeof(*around)), depth = 0;

	if (!around)
		return -ENOMEM;
	for (size_t i = 0; i < v->n; i++) {
		struct sandbox_node *n = &v->nodes[i];

		if (n->noted || n->masked || n->locked || !n->is_dir)
			continue;
		while (depth && !view_below(n->path, v->nodes[around[depth - 1]].path))
			depth--;
		for (size_t k = 0; k < depth; k++)
			narrow_outer(&v->nodes[around[k]], n, b->in->broker);
		around[depth++] = i;
	}
	free(around);
	return 0;
}

/* Which names in the node are opened or started one by one, because of a rule about them? */
static int decide_names_in(struct view_builder *b, struct sandbox_node *n)
{
	const char *host = n->source ? n->source : n->path;

	if (n->noted || n->masked || n->locked || n->scratch || !n->is_dir || !(n->ops & PB_READ))
		return 0;
	n->open_by_name = view_kept_by(b, n->path, host, false) != VIEW_NO_RULE;
	n->start_by_name = (n->ops & PB_EXEC) &&
			   (n->open_by_name ||
			    view_kept_by(b, n->path, host, true) != VIEW_NO_RULE);
	if ((n->open_by_name || n->start_by_name) && !b->in->opens)
		return rt_fail(b->err, EOPNOTSUPP,
			       "%s: a rule with a wildcard keeps files from being read "
			       "or executed, which needs Landlock and seccomp "
			       "notifications", n->path);
	return 0;
}

/*
 * A socket in a tree of the host can be connected to by every other run that sees the tree.  So
 * the run makes one only where a rule about sockets allows all of the tree.
 */
static void close_to_sockets(const struct view_builder *b, struct sandbox_node *n)
{
	const char *host = n->source ? n->source : n->path;
	uint32_t rule;

	n->no_sockets = n->is_dir && sandbox_node_writes_itself(n) &&
			!(b->in->decide_socket &&
			  b->in->decide_socket(b->in->arg, host, &rule) == VIEW_ALLOW);
}

/* A rename over a file that is mounted alone is polrun's: the kernel moves nothing over a mount. */
static void mark_alone(struct view_builder *b)
{
	struct sandbox_view *v = b->out;

	for (size_t i = 0; i < v->n && b->in->broker; i++) {
		struct sandbox_node *n = &v->nodes[i], *up = NULL;

		if (n->noted || n->masked || n->locked || n->is_dir || n->socket || n->scratch ||
		    !(n->ops & PB_WRITE) || view_is_system(n->path))
			continue;
		for (size_t j = 0; j < i; j++)
			if (!v->nodes[j].noted && view_below(n->path, v->nodes[j].path))
				up = &v->nodes[j];
		n->alone = up && up->scratch && (up->ops & PB_WRITE) && !up->masked && !up->locked;
		v->brokers |= n->alone;
	}
}

int view_opens(struct view_builder *b)
{
	struct sandbox_view *v = b->out;
	int r = 0;

	for (size_t i = 0; i < v->n && r == 0; i++)
		r = decide_names_in(b, &v->nodes[i]);
	for (size_t i = 0; i < v->n; i++)
		close_to_sockets(b, &v->nodes[i]);
	if (r == 0)
		r = narrow_outer_trees(b);
	for (size_t i = 0; i < v->n; i++) {
		const struct sandbox_node *n = &v->nodes[i];
		bool by_name = n->open_by_name || n->start_by_name || n->write_by_name;

		v->opens |= n->open_by_name;
		v->starts |= n->start_by_name;
		v->brokers |= by_name;
		v->owns |= by_name && n->scratch;
	}
	mark_alone(b);
	return r;
}
