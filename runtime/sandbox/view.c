/*
 * From anchors to nodes.  Each anchor is a place where the view may change.  The
 * decision library says what holds there and below; a place that does not differ from
 * the place above it is dropped.  What cannot be shown exactly is shown with fewer
 * rights (forced_ro), together with the rule that caused it.
 */
#include "runtime/sandbox/view_cand.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"

static int by_path(const void *a, const void *b)
{
	/* '/' sorts before every other byte, so a tree is contiguous */
	const unsigned char *x = (const unsigned char *)((const struct cand *)a)->path;
	const unsigned char *y = (const unsigned char *)((const struct cand *)b)->path;

	while (*x && *x == *y)
		x++, y++;
	if (*x == *y)
		return 0;
	if (!*x || !*y)
		return *x ? 1 : -1;
	if (*x == '/' || *y == '/')
		return *x == '/' ? -1 : 1;
	return *x < *y ? -1 : 1;
}

/* --- decisions -------------------------------------------------------------------- */

/* A scratch rule is about the run's own files.  It opens nothing of the host, such as a
 * read-only project below a scratch ${HOME}. */
static enum view_answer ask_rules(const struct maker *m, uint8_t op, const char *path,
				  bool host, uint32_t *rule)
{
	enum view_answer a = m->in->decide(m->in->arg, op, path, rule);

	if (a != VIEW_OWN)
		return a;
	if (!host)
		return VIEW_ALLOW;
	*rule = m->in->otherwise + (op == PB_WRITE ? 1 : op == PB_EXEC ? 2 : 0);
	return VIEW_OTHERWISE;
}

/* At a directory the answer must also hold for everything below it: an allow with a
 * wildcard may match the name but nothing under it. */
static enum view_answer ask_one(const struct maker *m, uint8_t op, const char *path,
				bool dir, bool host, uint32_t *rule)
{
	enum view_answer a = ask_rules(m, op, path, host, rule);
	char below[4200];
	uint32_t other;

	if (a != VIEW_ALLOW || !dir)
		return a;
	if (snprintf(below, sizeof(below), "%s/.\x01", path[1] ? path : "") >=
	    (int)sizeof(below))
		return VIEW_OTHERWISE;
	a = ask_rules(m, op, below, host, &other);
	if (a != VIEW_ALLOW)
		*rule = other;
	return a;
}

/* The object also has the names by which rules reach it through links.  A deny of such
 * a name holds.  An allow holds if it is the rule that goes through the links, unless a
 * run may have made one of the links. */
static bool ask(const struct maker *m, uint8_t op, const struct cand *c, bool dir,
		bool host, uint32_t *rule)
{
	enum view_answer a = ask_one(m, op, c->path, dir, host, rule);
	const char *own = view_host_name(c);
	char other[8300];

	for (size_t i = 0; i < m->nalias && a != VIEW_DENY; i++) {
		enum view_answer b;
		uint32_t r = VIEW_NO_RULE;

		if (!view_at(own, m->alias[i].real))
			continue;
		(void)snprintf(other, sizeof(other), "%s%s", m->alias[i].path,
			       own + (m->alias[i].real[1] ?
					      strlen(m->alias[i].real) : 0));
		b = ask_one(m, op, other, dir, host, &r);
		if (m->alias[i].lends ? b == VIEW_ALLOW && a == VIEW_OTHERWISE &&
						r == m->alias[i].rule :
					b == VIEW_DENY) {
			a = b;
			*rule = r;
		}
	}
	return a == VIEW_ALLOW;
}

static void decide_ops(const struct maker *m, struct cand *c, bool dir, bool host)
{
	static const uint8_t ops[3] = { PB_READ, PB_WRITE, PB_EXEC };

	c->ops = 0;
	for (int i = 0; i < 3; i++)
		if (ask(m, ops[i], c, dir, host, &c->rules[i]))
			c->ops |= ops[i];
	/* a mount cannot be written or executed without being read */
	if (!(c->ops & PB_READ))
		c->ops = 0;
	c->wanted = c->ops;
}

/* --- settling ------------------------------------------------------------------------ */

/* Trees are contiguous in the list, so we go up from the previous candidate. */
static int nearest(const struct maker *m, size_t i)
{
	int up = (int)i - 1;

	while (up >= 0 && !(m->c[up].keep && view_below(m->c[i].path, m->c[up].path)))
		up = m->c[up].up;
	return up;
}

static void force_ro(struct cand *c, uint32_t by)
{
	if (!(c->ops & PB_WRITE))
		return;
	c->ops &= (uint8_t)~PB_WRITE;
	c->ro = true;
	if (c->by == VIEW_NO_RULE)
		c->by = by;
}

/* Finds the nearest existing directory above `path` and makes it a place of its own. */
static int existing_above(struct maker *m, const char *path, uint32_t by, bool deep)
{
	char dir[4096];
	struct cand *c;

	(void)snprintf(dir, sizeof(dir), "%s", path);
	for (;;) {
		struct view_place p;
		char *slash = strrchr(dir, '/');
		int r;

		if (!slash || slash == dir)
			return 0;
		*slash = '\0';
		r = view_look(m->in->prefix, dir, &p);
		if (r == 0 && p.fd >= 0)
			(void)close(p.fd);
		if (r == 0 && p.exists && p.is_dir)
			break;
	}
	c = view_cand_at(m, dir);
	if (!c)
		return -ENOMEM;
	m->again |= !c->ro;
	m->at_once |= deep && !c->deep_ro;
	c->ro = true;
	c->deep_ro |= deep;
	if (c->by == VIEW_NO_RULE)
		c->by = by;
	return 0;
}

static int look(const struct maker *m, struct cand *c)
{
	int r = c->looked ? 0 : view_look(m->in->prefix, view_host_name(c), &c->place);

	c->looked = true;
	if (r == -ELOOP) {
		/* this was found as a directory above, or by resolving a link that
		 * another process has changed since: treat it as missing */
		memset(&c->place, 0, sizeof(c->place));
		c->place.fd = -1;
		c->place.beyond_link = true;
		return 0;
	}
	return r < 0 ? rt_fail_errno(m->err, -r, "%s", c->path) : 0;
}

static bool mountable(const struct view_place *p)
{
	return S_ISDIR(p->mode) || S_ISREG(p->mode);
}

/* In a tree of the run's own: makes the names that rules restrict, and shows from the
 * host what an allow names. */
static void settle_own(struct cand *c, const struct cand *up)
{
	uint8_t have = up ? up->ops : 0;
	uint8_t lost = have & (uint8_t)~c->ops;

	if (c->private_) {
		c->keep = true;
		/* empty and private, but writable only if a scratch rule says so */
		if (!c->scratch && !(up && up->scratch))
			c->ops &= PB_READ;
		c->scratch |= up && up->scratch;
		return;
	}
	if (c->named && c->place.exists && mountable(&c->place) && c->ops) {
		c->keep = c->from_host = true;
		return;
	}
	if (c->named && !c->restricts && !lost)
		return;
	if (c->made && !c->restricts && (have & PB_WRITE)) {
		c->keep = c->lock = true;
		c->place.is_dir = true;
		c->ops = have & (uint8_t)~PB_WRITE;
		return;
	}
	/* the run cannot make anything where it cannot write */
	if (!lost || !(have & PB_WRITE))
		return;
	c->keep = true;
	c->absent = !c->place.exists;
	c->mask = !(c->ops & PB_READ);
	c->lock = !c->mask;
}

static int settle_host(struct maker *m, struct cand *c, const struct cand *up)
{
	uint8_t have = up ? up->ops : 0;
	uint8_t lost = have & (uint8_t)~c->ops;

	if (c->place.unreachable) {
		/* the owner could open the way with chmod and then reach it */
		return lost && (have & PB_WRITE) ?
			       existing_above(m, view_host_name(c), c->rule, false) : 0;
	}
	if (!c->place.exists) {
		if (!lost || !(have & PB_WRITE) || !c->restricts)
			return 0;
		if (!c->floor)
			return existing_above(m, view_host_name(c), c->rule, false);
		if (c->from) /* the entry for the host's own name covers it */
			return 0;
		void *grown = reallocarray(m->out->creatable, m->out->ncreatable + 1,
					   sizeof(*m->out->creatable));
		if (!grown)
			return -ENOMEM;
		m->out->creatable = grown;
		m->out->creatable[m->out->ncreatable].rule = c->rule;
		m->out->creatable[m->out->ncreatable].path = strdup(c->path);
		return m->out->creatable[m->out->ncreatable++].path ? 0 : -ENOMEM;
	}
	c->from_host = true;
	if (!(c->ops & PB_READ)) {
		c->keep = c->mask = (have & PB_READ) != 0;
		return 0;
	}
	if (!mountable(&c->place)) {
		/* a socket or a device is not shown; if a rule takes away what the tree
		 * above gives, it is masked */
		c->mask = c->keep = lost != 0;
		return 0;
	}
	/* keep what was forced as a place of its own, so that the report can give the
	 * reason */
	c->keep = !up || up->mask || up->ops != c->ops || c->project || c->mounted ||
		  (c->wanted & (uint8_t)~c->ops & (uint8_t)~up->wanted);
	return 0;
}

/* The kind of tree that a place lies in, decided by the nearest kept place above it. */
enum region {
	REGION_ROOT, /* the new root: shows only what rules name */
	REGION_OWN,  /* private: shows nothing of the host */
	REGION_HOST
};

static enum region region_of(const struct cand *up)
{
	return !up ? REGION_ROOT : up->from_host ? REGION_HOST : REGION_OWN;
}

static void apply_ro(struct maker *m, size_t i, enum region region)
{
	struct cand *c = &m->c[i];

	if (c->ro || c->deep_ro)
		force_ro(c, c->by);
	/* also by the name on the host: a mount's tree may lie below such a directory */
	for (size_t j = 0; j < m->n; j++)
		if (m->c[j].deep_ro && (view_below(c->path, m->c[j].path) ||
					view_below(view_host_name(c), m->c[j].path)))
			force_ro(c, m->c[j].by);
	if (m->any_ro != VIEW_NO_RULE && !c->private_ &&
	    (region == REGION_HOST || (c->named && c->place.exists)))
		force_ro(c, m->any_ro);
}

/* The run sees the host's root, which must never be writable as a whole. */
static void settle_root(struct maker *m, struct cand *c)
{
	if (!m->anywhere || m->spread)
		return;
	decide_ops(m, c, true, true);
	c->ops &= (uint8_t)~PB_WRITE;
	c->keep = c->from_host = true;
}

/* What the run itself needs is allowed without a rule, but a hide still holds. */
static void settle_system(struct maker *m, struct cand *c)
{
	uint32_t rule = VIEW_NO_RULE;

	c->mask = c->keep = c->restricts && c->place.exists &&
			    ask_one(m, PB_READ, c->path, false, true, &rule) == VIEW_DENY;
	c->rules[0] = rule;
	if (c->private_ && !c->mask && c->place.is_dir) {
		c->keep = true;
		c->ops = c->wanted = PB_READ;
	}
}

/* What a run as root cannot reach needs no mask, and could not be masked. */
static void forget_unreachable(const struct maker *m, struct cand *c,
			       const struct cand *up)
{
	char dir[4096];

	if (!m->in->foreign || (up->ops & PB_WRITE) || up->project || c->private_ ||
	    (m->in->project && view_at(up->path, m->in->project)) ||
	    !view_beyond_reach(m, c->path, dir))
		return;
	if (c->place.fd >= 0)
		(void)close(c->place.fd);
	c->place = (struct view_place){ .fd = -1, .unreachable = true };
}

/* A mount whose tree does not exist is left out.  In a tree of the host it needs an
 * existing name of the same kind as mount point. */
static int settle_place(struct maker *m, struct cand *c, enum region region)
{
	struct view_place p;
	int r;

	if (!c->place.exists || !mountable(&c->place)) {
		c->note = true;
		c->rules[0] = c->rule;
		return 0;
	}
	if (region != REGION_HOST)
		return 0;
	r = view_look(m->in->prefix, c->path, &p);
	if (r == 0 && p.fd >= 0)
		(void)close(p.fd);
	if (r < 0 || !p.exists || p.is_dir != c->place.is_dir)
		return rt_fail(m->err, ENOENT, "the mount at %s: the host has nothing "
			       "there that it could lie on, and the tree above is the "
			       "host's", c->path);
	c->at_dev = p.dev;
	c->at_ino = p.ino;
	return 0;
}

static int settle_one(struct maker *m, size_t i)
{
	struct cand *c = &m->c[i], *up;
	enum region region;
	int r = look(m, c);

	if (r < 0)
		return r;
	c->up = nearest(m, i);
	if (!strcmp(c->path, "/")) {
		settle_root(m, c);
		return 0;
	}
	up = c->up < 0 ? NULL : &m->c[c->up];
	region = region_of(up);
	if (view_is_system(c->path)) {
		settle_system(m, c);
		return 0;
	}
	if (c->mounted) {
		r = settle_place(m, c, region);
		if (r < 0 || c->note)
			return r;
	}
	if (region == REGION_HOST)
		forget_unreachable(m, c, up);
	decide_ops(m, c, c->private_ || c->place.is_dir || !c->place.exists,
		   !c->private_ && (region == REGION_HOST ||
				    (c->named && c->place.exists)));
	apply_ro(m, i, region);
	/* there is nothing to cover, and the run could not make anything there */
	if (c->private_ && !c->scratch && region == REGION_HOST && !c->place.is_dir)
		return 0;
	if (c->private_ && region == REGION_HOST && !c->place.is_dir)
		return rt_fail(m->err, ENOTDIR, "scratch %s: there is no such directory on "
			       "this host, and it lies in a tree of the host", c->path);
	if (c->private_ || region == REGION_OWN)
		settle_own(c, up);
	else if (region == REGION_HOST || c->named)
		r = settle_host(m, c, up);
	else
		/* mounted nowhere: nothing to do, but --plan shows it */
		c->note = c->restricts && c->place.exists && !c->ops;
	/* adding a place may have moved the array */
	c = &m->c[i];
	up = c->up < 0 ? NULL : &m->c[c->up];
	/* the directory of a wildcard does not exist: restrict the tree above it */
	if (r == 0 && c->deep_ro && !c->keep && !c->place.exists && region == REGION_HOST &&
	    (up->ops & PB_WRITE))
		r = existing_above(m, view_host_name(c), c->by, true);
	return r;
}

static void forget(struct maker *m)
{
	for (size_t i = 0; i < m->n; i++)
		m->c[i].keep = m->c[i].mask = m->c[i].lock = m->c[i].note =
			m->c[i].from_host = false;
	for (size_t i = 0; i < m->out->ncreatable; i++)
		free(m->out->creatable[i].path);
	m->out->ncreatable = 0;
}

/*
 * A place may make an earlier one read-only that has been settled already.  Then
 * everything is settled again, and at once if the restriction is about everything below
 * a place.  Flags are only ever set, so this ends.
 */
static int settle(struct maker *m)
{
	int r = 0;

	do {
		size_t n;

		m->again = m->at_once = false;
		r = view_mirror(m);
		qsort(m->c, m->n, sizeof(*m->c), by_path);
		forget(m);
		n = m->n; /* places that are added are not sorted yet */
		for (size_t i = 0; i < n && r == 0 && !m->at_once; i++)
			r = settle_one(m, i);
	} while ((m->again || m->at_once) && r == 0);
	return r;
}

/* --- result ---------------------------------------------------------------------------- */

static int put_node(struct sandbox_view *v, struct cand *c)
{
	struct sandbox_node *n = &v->nodes[v->n];

	memset(n, 0, sizeof(*n));
	n->path = strdup(c->path);
	if (!n->path)
		return -ENOMEM;
	n->ops = c->mask ? 0 : c->ops;
	n->scratch = c->private_ && !c->mask;
	n->source = c->from ? strdup(c->from) : NULL;
	if (c->from && !n->source)
		return -ENOMEM;
	n->masked = c->mask || (c->note && !c->mounted);
	n->noted = c->note;
	n->locked = c->lock;
	n->absent = c->absent || (c->note && c->mounted);
	n->is_dir = c->private_ || c->place.is_dir;
	n->forced_ro = (c->wanted & PB_WRITE) && !(c->ops & PB_WRITE) && c->by != VIEW_NO_RULE;
	n->forced_by = n->forced_ro ? c->by : VIEW_NO_RULE;
	memcpy(n->rule, c->rules, sizeof(n->rule));
	n->dev = c->place.dev;
	n->ino = c->place.ino;
	n->at_dev = c->mounted ? c->at_dev : c->place.dev;
	n->at_ino = c->mounted ? c->at_ino : c->place.ino;
	n->uid = c->place.uid;
	n->gid = c->place.gid;
	n->pin_fd = -1;
	if (c->from_host) {
		n->pin_fd = c->place.fd;
		c->place.fd = -1;
	}
	v->n++;
	return 0;
}

/* A name that the run makes is a directory if something lies below it. */
static void shape_own(struct maker *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct cand *c = &m->c[i];

		for (size_t j = i + 1; c->keep && c->absent && j < m->n &&
				       view_below(m->c[j].path, c->path); j++)
			c->place.is_dir |= m->c[j].keep;
	}
}

static int put_nodes(struct maker *m)
{
	struct sandbox_view *v = m->out;
	int r = 0;

	shape_own(m);
	v->nodes = calloc(m->n + 1, sizeof(*v->nodes));
	if (!v->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < m->n && r == 0; i++)
		if (m->c[i].keep || m->c[i].note)
			r = put_node(v, &m->c[i]);
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

int view_make(const struct view_in *in, struct sandbox_view *ret, struct rt_err *err)
{
	struct maker m = { .in = in, .out = ret, .any_ro = VIEW_NO_RULE, .err = err };
	int r;

	memset(ret, 0, sizeof(*ret));
	if (err)
		memset(err, 0, sizeof(*err));
	r = view_cands(&m);
	if (r == 0)
		r = settle(&m);
	if (r == 0)
		r = put_nodes(&m);
	if (r == 0)
		drop_links(ret);
	if (r == 0)
		r = view_walls(&m);
	for (size_t i = 0; i < m.n; i++) {
		if (m.c[i].place.fd >= 0)
			(void)close(m.c[i].place.fd);
		free(m.c[i].path);
		free(m.c[i].from);
	}
	for (size_t i = 0; i < m.nalias; i++) {
		free(m.alias[i].path);
		free(m.alias[i].real);
	}
	for (size_t i = 0; i < m.nguarded; i++) {
		free(m.guarded[i].path);
		free(m.guarded[i].target);
	}
	free(m.guarded);
	free(m.alias);
	free(m.c);
	if (r < 0) {
		sandbox_view_release(ret);
		if (err && !err->text[0])
			(void)rt_fail_errno(err, -r, "the view");
	}
	return r;
}
