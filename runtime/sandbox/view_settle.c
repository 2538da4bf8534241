/*
 * The third stage of a view.  The decision library says what holds at a place and below;
 * a place that does not differ from the place above it is dropped.  What cannot be shown
 * exactly is shown with fewer rights, together with the rule that caused it.
 */
#include "runtime/sandbox/view_settle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/place.h"
#include "runtime/sandbox/view_decide.h"
#include "runtime/sandbox/view_find.h"
#include "runtime/sandbox/view_mount.h"
#include "runtime/sandbox/view_names.h"

static int by_path(const void *a, const void *b)
{
	/* '/' sorts before every other byte, so a tree is contiguous */
	const struct view_place *p = a, *q = b;
	const size_t n = p->len < q->len ? p->len : q->len;
	const size_t i = place_shared(p->path, q->path, n);
	const unsigned char x = (unsigned char)p->path[i], y = (unsigned char)q->path[i];

	if (i == n)
		return p->len == q->len ? 0 : p->len < q->len ? -1 : 1;
	if (x == '/' || y == '/')
		return x == '/' ? -1 : 1;
	return x < y ? -1 : 1;
}

/* Trees are contiguous in the list, so we go up from the previous place. */
static int nearest(const struct view_builder *b, size_t i)
{
	int up = (int)i - 1;

	while (up >= 0 && !(b->places[up].given.keep &&
			    view_below(b->places[i].path, b->places[up].path)))
		up = b->places[up].given.up;
	return up;
}

/* The kind of tree that a place lies in, decided by the nearest kept place above it. */
enum region {
	REGION_ROOT, /* the new root: shows only what rules name */
	REGION_OWN,  /* private: shows nothing of the host */
	REGION_HOST
};

static enum region region_of(const struct view_place *up)
{
	return !up ? REGION_ROOT : up->given.from_host ? REGION_HOST : REGION_OWN;
}

static bool mountable(const struct view_object *o)
{
	return S_ISDIR(o->mode) || S_ISREG(o->mode);
}

static void decide_ops(const struct view_builder *b, struct view_place *p, bool dir,
		       bool host)
{
	static const uint8_t ops[VIEW_OPS] = { PB_READ, PB_WRITE, PB_EXEC };
	struct view_given *g = &p->given;
	struct view_answers a;

	view_answers_at(b, p, dir, host, &a);
	g->ops = 0;
	for (int i = 0; i < VIEW_OPS; i++) {
		g->rules[i] = a.rule[i];
		if (a.answer[i] == VIEW_ALLOW)
			g->ops |= ops[i];
	}
	/* a mount cannot be written or executed without being read */
	if (!(g->ops & PB_READ))
		g->ops = 0;
	g->allowed = g->ops;
}

/* --- one place ----------------------------------------------------------------------- */

/*
 * Does the private tree begin with a copy of the file, which the run may change?  Not where a policy itself says
 * more about the file, nor where the broker decides each name, since it decides them by the rules for the
 * host's file.
 */
static bool is_copied(const struct view_builder *b, const struct view_place *p, const struct view_place *up)
{
	const struct view_object *o = &p->found.object;
	const struct view_wanted *w = &p->wanted;
	struct stat st;

	return w->copied && (p->given.ops & (PB_READ | PB_WRITE)) == PB_READ && (!w->restricted || w->library) &&
	       !w->wildcard && !p->source && S_ISREG(o->mode) && up && up->wanted.scratch && (up->given.ops & PB_WRITE) && !up->given.broker &&
	       fstat(o->fd, &st) == 0 && st.st_size <= VIEW_MOST_COPIED &&
	       /* what the run could not read of a mount is not copied for it */
	       (b->in->foreign ? (st.st_mode & S_IROTH) != 0 : faccessat(AT_FDCWD, p->path, R_OK, AT_EACCESS) == 0);
}

/* In a tree of the run's own: makes the names that rules restrict, and shows from the
 * host what an allow names. */
static void settle_own(const struct view_builder *b, struct view_place *p, const struct view_place *up)
{
	const struct view_object *o = &p->found.object;
	struct view_wanted *w = &p->wanted;
	struct view_given *g = &p->given;
	/* also what polrun makes there for the run */
	uint8_t have = up ? up->given.ops : 0;
	uint8_t lost = have & (uint8_t)~view_native(g);

	if (w->private_) {
		g->keep = true;
		w->scratch |= up && up->wanted.scratch;
		/* empty and private, but writable only if a scratch rule says so */
		if (!w->scratch)
			g->ops &= PB_READ;
		g->broker = g->broker && (g->ops & PB_WRITE);
		return;
	}
	if (w->named && o->exists && is_copied(b, p, up)) {
		g->note = g->copy = true;
		return;
	}
	if (w->named && o->exists && mountable(o) && g->ops) {
		g->keep = g->from_host = true;
		return;
	}
	/* what the library keeps are the host's files, and nothing of the host is here: settings and
	 * keys that programs make for themselves are the run's own, and lost with it */
	if (w->restricted && w->library && !w->wildcard)
		return;
	/* what an allow names and the host does not have is the run's own after all: a name
	 * in its place would be neither the file nor the folder that programs look for */
	if (w->named && !w->restricted && (!lost || !o->exists))
		return;
	if (w->wildcard && !w->restricted && (have & PB_WRITE)) {
		/* the tree's names are decided one by one */
		if (up->given.broker)
			return;
		g->keep = g->lock = g->is_dir = true;
		g->ops = have & (uint8_t)~PB_WRITE;
		return;
	}
	/* the run cannot make anything where it cannot write */
	if (!lost || !(have & PB_WRITE))
		return;
	g->keep = true;
	g->absent = !o->exists;
	g->mask = !(g->ops & PB_READ);
	g->lock = !g->mask;
}

static int add_creatable(struct sandbox_view *v, const struct view_place *p)
{
	void *grown = reallocarray(v->creatable, v->ncreatable + 1, sizeof(*v->creatable));

	if (!grown)
		return -ENOMEM;
	v->creatable = grown;
	v->creatable[v->ncreatable].rule = p->wanted.rule;
	v->creatable[v->ncreatable].path = strdup(p->path);
	return v->creatable[v->ncreatable++].path ? 0 : -ENOMEM;
}

/* In a tree whose names are decided one by one, a place that is no more than one of these
 * names needs no mount. */
static bool differs(const struct view_given *up, const struct view_given *g)
{
	if (up->broker)
		return (up->ops ^ g->ops) & (uint8_t)~PB_WRITE;
	return up->ops != g->ops || g->broker;
}

static int settle_host(struct view_builder *b, struct view_place *p,
		       const struct view_place *up)
{
	const struct view_object *o = &p->found.object;
	const struct view_wanted *w = &p->wanted;
	struct view_given *g = &p->given;
	uint8_t have = up ? view_native(&up->given) : 0;
	uint8_t lost = have & (uint8_t)~view_native(g);

	if (o->unreachable) {
		/* the owner could open the way with chmod and then reach it */
		return lost && (have & PB_WRITE) ?
			       view_mark_above(b, view_host_name(p), w->rule, VIEW_ABOVE_HERE) : 0;
	}
	if (!o->exists) {
		if (w->floor && w->restricted && up && up->given.broker && !p->source &&
		    !(g->ops & PB_WRITE) && view_makes_repository(b, p))
			return add_creatable(b->out, p);
		if (!lost || !(have & PB_WRITE) || !w->restricted)
			return 0;
		if (!w->floor || (b->in->broker && !view_makes_repository(b, p)))
			return view_mark_above(b, view_host_name(p), w->rule, VIEW_ABOVE_HERE);
		/* below a mount the entry for the host's own name covers it */
		return p->source ? 0 : add_creatable(b->out, p);
	}
	g->from_host = true;
	if (!(g->ops & PB_READ)) {
		g->keep = g->mask = (have & PB_READ) != 0;
		return 0;
	}
	if (!mountable(o)) {
		/* a socket or a device is not shown; if a rule takes away what the tree
		 * above gives, it is masked */
		g->mask = g->keep = lost != 0;
		return 0;
	}
	/* a mount on a name of the host is lost when a process of the host takes the name
	 * away: its directory is decided name by name instead */
	if (view_by_name(b, p, up, lost))
		return view_mark_above(b, view_host_name(p), w->rule, VIEW_ABOVE_HERE);
	/* keep what was forced as a place of its own, so that the report can give the
	 * reason */
	g->keep = !up || up->given.mask || differs(&up->given, g) || w->project ||
		  w->mounted ||
		  (g->allowed & (uint8_t)~g->ops & (uint8_t)~up->given.allowed);
	return 0;
}

/* The run sees the host's root, which must never be writable as a whole. */
static void settle_root(struct view_builder *b, struct view_place *p)
{
	if (!b->anywhere || b->spread)
		return;
	decide_ops(b, p, true, true);
	p->given.ops &= (uint8_t)~PB_WRITE;
	p->given.keep = p->given.from_host = true;
}

/* What the run itself needs is allowed without a rule, but a hide still holds. */
static void settle_system(struct view_builder *b, struct view_place *p)
{
	struct view_given *g = &p->given;
	struct view_answers a;

	g->mask = g->keep = false;
	g->rules[0] = VIEW_NO_RULE;
	if (p->wanted.restricted && p->found.object.exists) {
		view_decide_path(b, p->path, false, true, &a);
		g->mask = g->keep = a.answer[VIEW_READ] == VIEW_DENY;
		g->rules[0] = a.rule[VIEW_READ];
	}
	if (p->wanted.private_ && !g->mask && p->found.object.is_dir) {
		g->keep = true;
		g->ops = g->allowed = PB_READ;
	}
}

/* What a run as root cannot reach needs no mask, and could not be masked. */
static void forget_unreachable(const struct view_builder *b, struct view_place *p,
			       const struct view_place *up)
{
	char dir[4096];

	if (b->in->foreign && !(up->given.ops & PB_WRITE) && !up->wanted.project &&
	    !p->wanted.private_ &&
	    !(b->in->project && view_at(up->path, b->in->project)) &&
	    view_beyond_reach(b, p->path, dir))
		view_find_forget(p);
}

/* A mount whose tree does not exist is left out.  In a tree of the host it needs an
 * existing name of the same kind as mount point. */
static int settle_mount(struct view_builder *b, struct view_place *p, enum region region)
{
	if (!p->found.object.exists || !mountable(&p->found.object)) {
		p->given.note = true;
		p->given.rules[0] = p->wanted.rule;
		return 0;
	}
	if (region != REGION_HOST || view_find_mount_point(b, p) == 0)
		return 0;
	return rt_fail(b->err, ENOENT, "the mount at %s: the host has nothing there that "
		       "it could lie on, and the tree above is the host's", p->path);
}

/*
 * Brings in the socket that a unix rule names, and nothing beside it, also below a hidden
 * directory.  One that a tree of the host shows anyway stays what it is there, but for a
 * run as root: its user owns nothing, and only a mount can be mapped to it.  One that a
 * file rule hides by its own name stays hidden.
 */
static bool settle_socket(const struct view_builder *b, struct view_place *p,
			  const struct view_place *up)
{
	const struct view_object *o = &p->found.object;
	struct view_given *g = &p->given;
	bool shown = up && up->given.from_host && !up->given.mask &&
		     (up->given.ops & PB_READ);
	uint32_t rule = VIEW_NO_RULE;
	struct view_answers file;

	if (!p->wanted.socket || p->wanted.private_ || p->wanted.mounted || !o->exists ||
	    !S_ISSOCK(o->mode) ||
	    (shown && (!b->in->foreign || up->wanted.project || (up->given.ops & PB_WRITE))))
		return false;
	if (view_answer_socket(b, p, &rule) != VIEW_ALLOW)
		return false;
	if (p->wanted.restricted) {
		view_answers_at(b, p, false, true, &file);
		if (file.answer[VIEW_READ] == VIEW_DENY)
			return false;
	}
	g->keep = g->from_host = g->socket = true;
	g->ops = g->allowed = 0;
	g->rules[0] = g->rules[1] = g->rules[2] = rule;
	return true;
}

/*
 * Masks a socket in a tree that is shown, if the rules deny connections to it: one that
 * a rule names, and where all of the host is shown also one that listens there.  What
 * the run can write may be its own.
 */
static bool mask_socket(const struct view_builder *b, struct view_place *p,
			const struct view_place *up)
{
	const struct view_object *o = &p->found.object;
	const struct view_wanted *w = &p->wanted;
	struct view_given *g = &p->given;
	uint32_t rule = VIEW_NO_RULE;

	if (!o->exists || !S_ISSOCK(o->mode) || !up || !up->given.from_host ||
	    up->given.mask || !(up->given.ops & PB_READ) ||
	    !(w->no_socket || (w->listens && !(up->given.ops & PB_WRITE))) ||
	    view_answer_socket(b, p, &rule) == VIEW_ALLOW)
		return false;
	g->keep = g->mask = g->from_host = true;
	g->soft = !w->no_socket && !w->restricted;
	g->ops = g->allowed = 0;
	g->rules[0] = g->rules[1] = g->rules[2] = rule;
	return true;
}

/* What the place at `i` asks of the tree in which it lies. */
static int mark_trees(struct view_builder *b, size_t i, enum region region)
{
	/* adding a place may have moved the array */
	const struct view_place *p = &b->places[i];
	const struct view_place *up = p->given.up < 0 ? NULL : &b->places[p->given.up];
	const struct view_wanted *w = &p->wanted;
	bool lost = !p->found.object.exists && region == REGION_HOST;

	/* the directory of a wildcard does not exist: restrict the tree above it */
	if (lost && w->ro.below && !p->given.keep && (view_native(&up->given) & PB_WRITE))
		return view_mark_above(b, view_host_name(p), w->ro.by, VIEW_ABOVE_BELOW);
	if (region == REGION_OWN && up) {
		int r = view_restrict_own(b, i);

		if (r < 0)
			return r;
	}
	if (view_opens_alone(b, p, up))
		return view_mark_above(b, view_host_name(p),
				       w->ro.by != VIEW_NO_RULE ? w->ro.by : p->given.rules[1],
				       VIEW_ABOVE_OPENS);
	if (lost && w->opens && b->in->broker)
		return view_mark_above(b, view_host_name(p), w->rule, VIEW_ABOVE_OPENS);
	return 0;
}

static int settle_one(struct view_builder *b, size_t i)
{
	struct view_place *p = &b->places[i], *up;
	const struct view_object *o = &p->found.object;
	const struct view_wanted *w = &p->wanted;
	enum region region;
	bool host;
	int r = view_find(b, p);

	if (r < 0)
		return r;
	p->given.up = nearest(b, i);
	if (!strcmp(p->path, "/")) {
		settle_root(b, p);
		return 0;
	}
	up = p->given.up < 0 ? NULL : &b->places[p->given.up];
	region = region_of(up);
	if (view_is_system(p->path)) {
		settle_system(b, p);
		return 0;
	}
	if (w->mounted) {
		r = settle_mount(b, p, region);
		if (r < 0 || p->given.note)
			return r;
	}
	if (settle_socket(b, p, up))
		return 0;
	if (region == REGION_HOST)
		forget_unreachable(b, p, up);
	if (mask_socket(b, p, up))
		return 0;
	decide_ops(b, p, w->private_ || o->is_dir || p->given.is_dir || !o->exists,
		   !w->private_ && (region == REGION_HOST || (w->named && o->exists)));
	host = region == REGION_HOST || (w->named && o->exists);
	view_restrict(b, i, host);
	view_open_names(b, p, up, host);
	/* there is nothing to cover, and the run could not make anything there */
	if (w->private_ && !w->scratch && region == REGION_HOST && !o->is_dir)
		return 0;
	if (w->private_ && region == REGION_HOST && !o->is_dir)
		return rt_fail(b->err, ENOTDIR, "scratch %s: there is no such directory on "
			       "this host, and it lies in a tree of the host", p->path);
	if (w->private_ || region == REGION_OWN)
		settle_own(b, p, up);
	else if (region == REGION_HOST || w->named)
		r = settle_host(b, p, up);
	else
		/* mounted nowhere: nothing to do, but --plan shows it */
		p->given.note = w->restricted && o->exists && !p->given.ops;
	return r < 0 ? r : mark_trees(b, i, region);
}

/* --- all of them --------------------------------------------------------------------- */

static void forget(struct view_builder *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct view_given *g = &b->places[i].given;

		g->keep = g->mask = g->lock = g->note = g->from_host = g->socket =
			g->soft = g->broker = g->copy = false;
		/* a tree above may be the run's to write now, and so mapped to its user */
		if (b->places[i].found.object.unreachable)
			b->places[i].found.looked = false;
		b->below |= b->places[i].wanted.ro.below;
		b->opens |= b->places[i].wanted.opens;
	}
	for (size_t i = 0; i < b->out->ncreatable; i++)
		free(b->out->creatable[i].path);
	b->out->ncreatable = 0;
}

/*
 * A place may make an earlier one read-only that has been settled already.  Then
 * everything is settled again, and at once if the restriction is about everything below
 * a place.  Wishes are only ever added, so this ends.
 */
int view_settle(struct view_builder *b)
{
	int r = 0;

	do {
		size_t n;

		b->again = b->at_once = false;
		r = view_mirror(b);
		qsort(b->places, b->n, sizeof(*b->places), by_path);
		if (r == 0)
			r = view_places_index(b);
		forget(b);
		n = b->n; /* places that are added are not sorted yet */
		for (size_t i = 0; i < n && r == 0 && !b->at_once; i++)
			r = settle_one(b, i);
	} while ((b->again || b->at_once) && r == 0);
	return r;
}
