/*
 * Makes a view: from anchors to nodes.  Each anchor is a place where the view may change.
 * Three stages fill the places (view_place.h); this file runs them and writes down what
 * has come of it.
 */
#include "runtime/sandbox/view.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/folds.h"
#include "runtime/base/io.h"
#include "runtime/sandbox/view_binds.h"
#include "runtime/sandbox/view_names.h"
#include "runtime/sandbox/view_place.h"
#include "runtime/sandbox/view_settle.h"
#include "runtime/sandbox/view_walls.h"
#include "runtime/sandbox/view_want.h"

static int put_node(struct view_builder *b, struct view_place *p)
{
	struct sandbox_view *v = b->out;
	struct view_object *o = &p->found.object;
	const struct view_wanted *w = &p->wanted;
	const struct view_given *g = &p->given;
	struct sandbox_node *n = &v->nodes[v->n];

	memset(n, 0, sizeof(*n));
	n->path = strdup(p->path);
	if (!n->path)
		return -ENOMEM;
	n->ops = g->mask ? 0 : g->ops;
	n->scratch = w->private_ && !g->mask;
	n->broker = g->broker && !g->mask;
	n->source = p->source ? strdup(p->source) : NULL;
	if (p->source && !n->source)
		return -ENOMEM;
	n->masked = g->mask || (g->note && !w->mounted && !g->copy);
	n->noted = g->note;
	if (g->copy) {
		char name[40];
		int r;

		(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", o->fd);
		r = io_read_file(name, VIEW_MOST_COPIED, &n->text, &n->ntext);
		if (r < 0)
			return rt_fail_errno(b->err, -r, "%s", p->path);
		n->scratch = true;
		n->ops = PB_READ | PB_WRITE;
	}
	n->locked = g->lock;
	n->absent = g->absent || (g->note && w->mounted);
	n->is_dir = w->private_ || o->is_dir || g->is_dir;
	n->socket = g->socket;
	n->soft = g->soft;
	n->forced_ro = (g->allowed & PB_WRITE) && !(g->ops & PB_WRITE) &&
		       w->ro.by != VIEW_NO_RULE;
	n->forced_by = n->forced_ro || n->broker ? w->ro.by : VIEW_NO_RULE;
	b->out->brokered |= n->broker;
	b->out->brokers |= n->broker;
	b->out->owns |= n->broker && n->scratch;
	if ((n->forced_ro || n->broker) && w->ro.name) {
		n->forced_name = strdup(w->ro.name);
		if (!n->forced_name)
			return -ENOMEM;
	}
	memcpy(n->rule, g->rules, sizeof(n->rule));
	n->dev = o->dev;
	n->ino = o->ino;
	n->at_dev = w->mounted ? p->found.at_dev : o->dev;
	n->at_ino = w->mounted ? p->found.at_ino : o->ino;
	n->uid = o->uid;
	n->gid = o->gid;
	n->pin_fd = -1;
	if (g->from_host) {
		n->pin_fd = o->fd;
		o->fd = -1;
	}
	v->n++;
	return 0;
}

/* A name that the run makes is a directory if something lies below it. */
static void shape_own(struct view_builder *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct view_place *p = &b->places[i];
		struct view_given *g = &b->places[i].given;

		for (size_t j = i + 1; g->keep && g->absent && j < b->n &&
				       view_below(b->places[j].path, p->path); j++)
			g->is_dir |= b->places[j].given.keep;
	}
}

/* Names that are decided one by one must be the names that the file system knows. */
static int check_case(struct view_builder *b)
{
	for (size_t i = 0; i < b->out->n; i++) {
		const struct sandbox_node *n = &b->out->nodes[i];
		int r;

		if ((!n->broker && !n->open_by_name) || n->masked || n->pin_fd < 0 || !n->is_dir)
			continue;
		r = folds_case(n->pin_fd);
		if (r < 0)
			return rt_fail_errno(b->err, -r, "whether '%s' tells 'A' from 'a'", n->path);
		if (r > 0)
			return rt_fail(b->err, EOPNOTSUPP,
				       "'%s' lies on a file system, or is a directory, that does not "
				       "tell 'A' from 'a': names in it cannot be decided one by one, "
				       "as a rule wants there; only all of it can be written or hidden",
				       n->path);
	}
	return 0;
}

static int put_nodes(struct view_builder *b)
{
	struct sandbox_view *v = b->out;
	int r = 0;

	shape_own(b);
	v->nodes = calloc(b->n + 1, sizeof(*v->nodes));
	if (!v->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < b->n && r == 0; i++)
		if (b->places[i].given.keep || b->places[i].given.note)
			r = put_node(b, &b->places[i]);
	return r;
}

/* Drops the links that lie in a tree of the host: they exist there already. */
static void drop_links(struct sandbox_view *v)
{
	size_t kept = 0;

	for (size_t i = 0; i < v->nlinks; i++) {
		const struct sandbox_node *n = sandbox_view_find(v, v->links[i].path);
		bool own = !n || (n->scratch && strcmp(n->path, v->links[i].path));

		if (own) {
			v->links[kept++] = v->links[i];
			continue;
		}
		free(v->links[i].path);
		free(v->links[i].target);
	}
	v->nlinks = kept;
}

/*
 * For a rule that restricts a path in a directory which the caller may not search: nothing can be mounted over the
 * path, since polrun cannot look it up.  But the directory belongs to the run's user, so the run could open it by
 * chmod(2) and use the path before polrun protects it.  So the broker is told to refuse changes of the directory.
 */
static int keep_dir_closed(struct view_builder *b, const struct view_place *p)
{
	const char *host = view_host_name(p);
	const size_t len = strlen(p->path);
	char dir[PATH_MAX];
	size_t n, end;

	if (!p->found.object.unreachable || !p->wanted.restricted || p->given.up < 0 ||
	    !b->places[p->given.up].given.broker)
		return 0;
	n = view_closed_way(b->in->prefix, host);
	if (!n)
		return 0;
	/* the path on the host and the path in the sandbox may begin differently, but end alike */
	end = strlen(host + n);
	(void)snprintf(dir, sizeof(dir), "%.*s", (int)(end < len ? len - end : len), p->path);
	return view_deny_name(b, dir, p->wanted.rule, false);
}

/* Hands the broker the names that it needs while the run goes on: closed directories, the links
 * through which rules lead, which the run must not replace (it could make the denied path anew
 * behind another link), and the aliases, by which the broker finds the rules for such paths. */
static int give_names_to_broker(struct view_builder *b)
{
	int r = 0;

	for (size_t i = 0; i < b->n && r == 0; i++)
		r = keep_dir_closed(b, &b->places[i]);
	for (size_t i = 0; i < b->nguarded && r == 0; i++)
		r = view_deny_name(b, b->guarded[i].path, b->guarded[i].rule, false);
	b->out->aliases = b->aliases;
	b->out->naliases = b->naliases;
	b->aliases = NULL;
	b->naliases = 0;
	return r;
}

int view_make(const struct view_in *in, struct sandbox_view *ret, struct rt_err *err)
{
	struct view_builder b = { .in = in, .out = ret, .any_ro = VIEW_NO_RULE, .err = err,
				  .any_unread = VIEW_NO_RULE,
				  .any_unstarted = VIEW_NO_RULE };
	int r;

	memset(ret, 0, sizeof(*ret));
	if (err)
		memset(err, 0, sizeof(*err));
	r = view_want(&b);
	if (r == 0)
		r = view_settle(&b);
	if (r == 0)
		r = put_nodes(&b);
	if (r == 0)
		r = view_opens(&b);
	if (r == 0)
		r = check_case(&b);
	if (r == 0)
		r = view_binds_check(&b);
	if (r == 0)
		drop_links(ret);
	if (r == 0)
		r = view_walls(&b);
	if (r == 0)
		r = give_names_to_broker(&b);
	view_places_release(&b);
	if (r < 0) {
		sandbox_view_release(ret);
		if (err && !err->text[0])
			(void)rt_fail_errno(err, -r, "the view");
	}
	return r;
}
