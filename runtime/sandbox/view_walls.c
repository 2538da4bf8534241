/*
 * Decides which restrictions of the view depend on names of the host.  A mount on a
 * name of the run's own trees stays as long as the run.  A mount on a name of the host
 * disappears when a process of the host renames over the name or removes it, and moves
 * along when the name, or a directory above it, is moved.  A name that is absent and
 * hidden (or not executable) has no mount.  And a rule through a link is about what the
 * link led to at the start.
 */
#include "runtime/sandbox/view_walls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sandbox/view_names.h"

static int add(struct view_builder *b, const char *path, const char *target,
	       enum sandbox_wall_kind kind, uint32_t rule)
{
	struct sandbox_view *v = b->out;
	struct sandbox_wall *w = reallocarray(v->walls, v->nwalls + 1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	v->walls = w;
	w += v->nwalls++;
	w->kind = (uint8_t)kind;
	w->absent = false;
	w->rule = rule;
	w->path = strdup(path);
	w->target = target ? strdup(target) : NULL;
	return w->path && (w->target || !target) ? 0 : -ENOMEM;
}

static int add_name(struct view_builder *b, const char *path, bool absent, uint32_t rule)
{
	int r = add(b, path, NULL, SANDBOX_WALL_NAME, rule);

	if (r == 0)
		b->out->walls[b->out->nwalls - 1].absent = absent;
	return r;
}

/* The rule that takes away what the tree above gives. */
static uint32_t taken_by(const struct view_place *p, uint8_t lost)
{
	const struct view_given *g = &p->given;

	if (p->wanted.mounted && !lost && !g->mask)
		return p->wanted.rule;
	if (!(lost & PB_READ) && (g->allowed & PB_WRITE) && p->wanted.ro.by != VIEW_NO_RULE)
		return p->wanted.ro.by;
	return lost & PB_READ ? g->rules[0] : lost & PB_WRITE ? g->rules[1] : g->rules[2];
}

/*
 * Was there a link on the way, so that the name stays absent as long as the link stays?
 * The link has a wall of its own, and what it leads to has the wall of the name.  Below
 * the place of a mount the link is known by its name on the host, and this does not
 * apply.
 */
static bool way_is_guarded(const struct view_builder *b, const struct view_place *p)
{
	const char *path = p->path;

	if (p->found.object.beyond_link && strcmp(view_host_name(p), path) != 0)
		return true;
	for (size_t i = 0; i < b->nguarded; i++) {
		size_t n = strlen(b->guarded[i].path);

		if (!strncmp(path, b->guarded[i].path, n) && (!path[n] || path[n] == '/'))
			return true;
	}
	return false;
}

static int note_restricted(struct view_builder *b, const char *path)
{
	struct sandbox_view *v = b->out;
	char **grown = reallocarray(v->restricted, v->nrestricted + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	v->restricted = grown;
	grown[v->nrestricted] = strdup(path);
	return grown[v->nrestricted++] ? 0 : -ENOMEM;
}

static int wall_of(struct view_builder *b, const struct view_place *p)
{
	const struct view_given *g = &p->given;
	const struct view_given *up = g->up < 0 ? NULL : &b->places[g->up].given;
	uint8_t lost;

	if (up && up->broker && p->wanted.restricted && note_restricted(b, p->path) < 0)
		return -ENOMEM;
	/* /proc and /dev are the run's own */
	if (!p->path[1] || !up || !up->from_host || up->mask || view_is_system(p->path) ||
	    g->note || g->soft || g->socket)
		return 0;
	lost = view_native(up) & (uint8_t)~(g->mask ? 0 : view_native(g));
	/* a tree mounted over a place of the host: without the mount the host's own
	 * tree is visible */
	if (g->keep)
		return g->mask || p->wanted.private_ || p->wanted.mounted || lost ?
			       add(b, p->path, NULL, SANDBOX_WALL_MOUNT,
				   taken_by(p, lost)) : 0;
	/* The name is behind a closed directory, and whoever opens that directory shows
	   the name.  The supervisor of a run as root can look through it and would find
	   the name at once. */
	if (p->found.object.unreachable && b->in->foreign)
		return 0;
	/* a name that is only not to be written needs no watch: its directory is
	 * read-only.  (A file that is written loses this right where names below it are
	 * decided, but the broker decides its own name.) */
	if (up->broker && p->found.looked && p->wanted.restricted && !p->found.object.beyond_link &&
	    (p->wanted.forced || !(g->allowed & PB_WRITE)) &&
	    (p->found.object.exists || !(lost & (PB_READ | PB_EXEC) || view_makes_repository(b, p))))
		return add_name(b, p->path, !p->found.object.exists, g->rules[1]);
	if (p->wanted.restricted && p->found.looked && !p->found.object.exists &&
	    (lost & (PB_READ | PB_EXEC)) && !way_is_guarded(b, p))
		return add(b, p->path, NULL, SANDBOX_WALL_ABSENT,
			   g->rules[lost & PB_READ ? 0 : 2]);
	return 0;
}

/* A link in a tree of the run's own is a copy that no process of the host can change.
 * An empty directory that the run made (`locked`) has no link in it. */
static int wall_of_link(struct view_builder *b, const struct view_guarded *g)
{
	const struct sandbox_node *n = sandbox_view_find(b->out, g->path);

	for (size_t i = 0; i < b->out->nlinks; i++)
		if (!strcmp(b->out->links[i].path, g->path))
			return 0;
	if (!n || n->noted || n->scratch || n->locked || n->masked || !(n->ops & PB_READ))
		return 0;
	return add(b, g->path, g->target, SANDBOX_WALL_LINK, g->rule);
}

/* A name that git reads, in a tree whose names are decided one by one. */
static int wall_of_denied(struct view_builder *b, const struct sandbox_denied *d)
{
	const struct sandbox_node *n = sandbox_view_find(b->out, d->path);

	for (size_t i = 0; i < b->nguarded; i++) /* a link has a wall of its own */
		if (!strcmp(b->guarded[i].path, d->path))
			return 0;
	return n && n->broker && !n->scratch ? add(b, d->path, NULL, SANDBOX_WALL_NAME, d->rule) : 0;
}

static int wall_of_stays(struct view_builder *b, const struct sandbox_git *g)
{
	const struct sandbox_node *n = g->stays ? sandbox_view_find(b->out, g->path) : NULL;

	return n && n->broker && !n->scratch ?
		       add(b, g->path, NULL, SANDBOX_WALL_STAYS, g->rule) : 0;
}

int view_walls(struct view_builder *b)
{
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0; i++)
		r = wall_of(b, &b->places[i]);
	for (size_t i = 0; i < b->nguarded && r == 0; i++)
		r = wall_of_link(b, &b->guarded[i]);
	for (size_t i = 0; i < b->out->ndenied && r == 0; i++)
		r = wall_of_denied(b, &b->out->denied[i]);
	for (size_t i = 0; i < b->out->ngit && r == 0; i++)
		r = wall_of_stays(b, &b->out->git[i]);
	return r;
}
