/*
 * Decides which restrictions of the view depend on names of the host.  A mount on a
 * name of the run's own trees stays as long as the run.  A mount on a name of the host
 * disappears when a process of the host renames over the name or removes it, and moves
 * along when the name, or a directory above it, is moved.  A name that is absent and
 * hidden (or not executable) has no mount.  And a rule through a link is about what the
 * link led to at the start.
 */
#include "runtime/sandbox/view_cand.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int view_guard_link(struct maker *m, const struct view_link *link, uint32_t rule)
{
	struct guarded *v;

	for (size_t i = 0; i < m->nguarded; i++)
		if (!strcmp(m->guarded[i].path, link->path))
			return 0;
	v = reallocarray(m->guarded, m->nguarded + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	m->guarded = v;
	v[m->nguarded].path = strdup(link->path);
	v[m->nguarded].target = strdup(link->target);
	v[m->nguarded].rule = rule;
	if (!v[m->nguarded].path || !v[m->nguarded].target) {
		free(v[m->nguarded].path);
		free(v[m->nguarded].target);
		return -ENOMEM;
	}
	m->nguarded++;
	return 0;
}

static int add(struct maker *m, const char *path, const char *target,
	       enum sandbox_wall_kind kind, uint32_t rule)
{
	struct sandbox_view *v = m->out;
	struct sandbox_wall *w = reallocarray(v->walls, v->nwalls + 1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	v->walls = w;
	w += v->nwalls++;
	w->kind = (uint8_t)kind;
	w->rule = rule;
	w->path = strdup(path);
	w->target = target ? strdup(target) : NULL;
	return w->path && (w->target || !target) ? 0 : -ENOMEM;
}

/* The rule that takes away what the tree above gives. */
static uint32_t taken_by(const struct cand *c, uint8_t lost)
{
	if (c->mounted && !lost && !c->mask)
		return c->rule;
	if (!(lost & PB_READ) && (c->wanted & PB_WRITE) && c->by != VIEW_NO_RULE)
		return c->by;
	return lost & PB_READ ? c->rules[0] : lost & PB_WRITE ? c->rules[1] : c->rules[2];
}

/*
 * Was there a link on the way, so that the name stays absent as long as the link stays?
 * The link has a wall of its own, and what it leads to has the wall of the name.  Below
 * the place of a mount the link is known by its name on the host, and this does not
 * apply.
 */
static bool way_is_guarded(const struct maker *m, const struct cand *c)
{
	const char *path = c->path;

	if (c->place.beyond_link && strcmp(view_host_name(c), path) != 0)
		return true;
	for (size_t i = 0; i < m->nguarded; i++) {
		size_t n = strlen(m->guarded[i].path);

		if (!strncmp(path, m->guarded[i].path, n) && (!path[n] || path[n] == '/'))
			return true;
	}
	return false;
}

static int wall_of(struct maker *m, const struct cand *c)
{
	const struct cand *up = c->up < 0 ? NULL : &m->c[c->up];
	uint8_t lost;

	/* /proc and /dev are the run's own */
	if (!c->path[1] || !up || !up->from_host || up->mask || view_is_system(c->path) || c->note)
		return 0;
	lost = up->ops & (uint8_t)~(c->mask ? 0 : c->ops);
	/* a tree mounted over a place of the host: without the mount the host's own
	 * tree is visible */
	if (c->keep)
		return c->mask || c->private_ || c->mounted || lost ?
			       add(m, c->path, NULL, SANDBOX_WALL_MOUNT, taken_by(c, lost)) : 0;
	/* The name is behind a closed directory, and whoever opens that directory shows
	   the name.  The supervisor of a run as root can look through it and would find
	   the name at once. */
	if (c->place.unreachable && m->in->foreign)
		return 0;
	/* a name that is only not to be written needs no watch: its directory is
	 * read-only */
	if (c->restricts && c->looked && !c->place.exists && (lost & (PB_READ | PB_EXEC)) &&
	    !way_is_guarded(m, c))
		return add(m, c->path, NULL, SANDBOX_WALL_ABSENT,
			   c->rules[lost & PB_READ ? 0 : 2]);
	return 0;
}

/* A link in a tree of the run's own is a copy that no process of the host can change.
 * An empty directory that the run made (`locked`) has no link in it. */
static int wall_of_link(struct maker *m, const struct guarded *g)
{
	const struct sandbox_node *n = sandbox_view_find(m->out, g->path);

	for (size_t i = 0; i < m->out->nlinks; i++)
		if (!strcmp(m->out->links[i].path, g->path))
			return 0;
	if (!n || n->noted || n->scratch || n->locked || n->masked || !(n->ops & PB_READ))
		return 0;
	return add(m, g->path, g->target, SANDBOX_WALL_LINK, g->rule);
}

int view_walls(struct maker *m)
{
	int r = 0;

	for (size_t i = 0; i < m->n && r == 0; i++)
		r = wall_of(m, &m->c[i]);
	for (size_t i = 0; i < m->nguarded && r == 0; i++)
		r = wall_of_link(m, &m->guarded[i]);
	return r;
}

void view_walls_release(struct sandbox_view *v)
{
	for (size_t i = 0; i < v->nwalls; i++) {
		free(v->walls[i].path);
		free(v->walls[i].target);
	}
	free(v->walls);
	v->walls = NULL;
	v->nwalls = 0;
}
