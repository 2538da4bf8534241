/*
 * From anchors to nodes: each anchor is a place where the view may change;
 * the decision library says what holds there and below; what does not differ
 * from the place above is dropped.  What cannot be shown exactly is shown
 * narrower (forced_ro) and says by which rule.
 */
#include "runtime/sandbox/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"

#define NO_RULE UINT32_MAX

/* A place under consideration. */
struct cand {
	char *path;
	bool private_;   /* begins a private tree */
	bool scratch;    /* a rule makes it the run's own */
	bool named;      /* an allow names it: the host's object is shown */
	bool restricts;  /* a deny or hide names it */
	bool floor;      /* only rules of the floor do */
	bool deep_ro;    /* nothing below is writable: `by` */
	bool ro;         /* itself is read-only: `by` */
	bool made;       /* a wildcard's directory in a private tree */
	bool project;
	uint32_t by, rule;
	/* filled by settle() */
	struct view_place place;
	bool looked, from_host;
	uint8_t ops, wanted;
	uint32_t rules[3];
	int up;          /* the kept place above, or -1 */
	bool keep, mask, lock, absent;
};

struct alias {
	char *path, *real; /* the link, and what it stands for, physical */
};

struct maker {
	const struct view_in *in;
	struct cand *c;
	size_t n, cap;
	struct alias *alias;
	size_t nalias;
	struct sandbox_view *out;
	uint32_t any_ro; /* an any-depth deny of writing, or NO_RULE */
	bool again;      /* a place changed that was settled already */
	struct rt_err *err;
};

static struct cand *cand_at(struct maker *m, const char *path)
{
	struct cand *c;

	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->c[i].path, path))
			return &m->c[i];
	if (m->n == m->cap) {
		size_t cap = m->cap ? 2 * m->cap : 64;
		struct cand *grown = reallocarray(m->c, cap, sizeof(*grown));

		if (!grown)
			return NULL;
		m->c = grown;
		m->cap = cap;
	}
	c = &m->c[m->n];
	memset(c, 0, sizeof(*c));
	c->path = strdup(path);
	if (!c->path)
		return NULL;
	c->place.fd = -1;
	c->by = c->rule = NO_RULE;
	c->rules[0] = c->rules[1] = c->rules[2] = NO_RULE;
	c->floor = true;
	m->n++;
	return c;
}

static int by_path(const void *a, const void *b)
{
	/* '/' sorts before every other byte, so that a tree is contiguous */
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

/* --- links --------------------------------------------------------------------- */

static int add_link(struct sandbox_view *v, const char *path, const char *target)
{
	struct sandbox_link *l;

	for (size_t i = 0; i < v->nlinks; i++)
		if (!strcmp(v->links[i].path, path))
			return 0;
	l = reallocarray(v->links, v->nlinks + 1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	v->links = l;
	l[v->nlinks].path = strdup(path);
	l[v->nlinks].target = strdup(target);
	if (!l[v->nlinks].path || !l[v->nlinks].target) {
		free(l[v->nlinks].path);
		free(l[v->nlinks].target);
		return -ENOMEM;
	}
	v->nlinks++;
	return 0;
}

static int add_alias(struct maker *m, const char *path, const char *real)
{
	struct alias *a;

	for (size_t i = 0; i < m->nalias; i++)
		if (!strcmp(m->alias[i].path, path))
			return 0;
	a = reallocarray(m->alias, m->nalias + 1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	m->alias = a;
	a[m->nalias].path = strdup(path);
	a[m->nalias].real = strdup(real);
	if (!a[m->nalias].path || !a[m->nalias].real) {
		free(a[m->nalias].path);
		free(a[m->nalias].real);
		return -ENOMEM;
	}
	m->nalias++;
	return 0;
}

static bool private_tree(const struct maker *m, const char *path)
{
	const struct cand *best = NULL;
	size_t len = 0;

	for (size_t i = 0; i < m->n; i++)
		if (m->c[i].private_ && view_at(path, m->c[i].path) &&
		    strlen(m->c[i].path) >= len) {
			best = &m->c[i];
			len = strlen(best->path);
		}
	return best != NULL;
}

/*
 * Nobody inside can have made the link: no run can write where it is.  A
 * private tree's counterpart on the host is out of every run's reach, unless
 * a rule shows it (the project may lie in it).
 */
static bool link_is_foreign(const struct maker *m, const char *path)
{
	const struct view_in *in = m->in;
	uint32_t rule;

	if (in->project && view_at(path, in->project))
		return false;
	for (size_t i = 0; i < in->n; i++) {
		const struct view_anchor *a = &in->anchors[i];

		if (a->kind == PB_A_PATH && a->effect == PB_ALLOW &&
		    (a->ops & PB_WRITE) && !(a->flags & PB_AF_SCRATCH) &&
		    view_at(path, a->path))
			return false;
	}
	if (private_tree(m, path))
		return true;
	return in->decide(in->arg, PB_WRITE, path, &rule) != VIEW_ALLOW;
}

/* --- candidates ------------------------------------------------------------------ */

static bool hidden_system(const char *path)
{
	return view_at(path, "/proc") || view_at(path, "/sys") ||
	       (view_at(path, "/dev") && !view_at(path, "/dev/shm"));
}

static void name_it(struct cand *c, const struct view_anchor *a)
{
	if (a->effect == PB_ALLOW) {
		if (a->flags & PB_AF_SCRATCH)
			c->private_ = c->scratch = true;
		/* ${TMPDIR} is the run's own: its names are none of the host's */
		else if (a->root != PB_ROOT_TMP)
			c->named = true;
		return;
	}
	c->restricts = true;
	if (!(a->flags & PB_AF_FLOOR))
		c->floor = false;
	c->rule = a->rule;
	if (a->flags & VIEW_AF_FORCE) {
		c->deep_ro = true;
		c->by = a->rule;
	}
}

/* A literal anchor whose path on the host goes through a link. */
static int add_through_link(struct maker *m, const struct view_anchor *a)
{
	char real[4096], step[4096];
	struct view_link *links;
	size_t n;
	bool follow = true;
	int r = view_resolve(m->in->prefix, a->path, real, &links, &n);
	struct cand *c;

	for (size_t i = 0; r == 0 && i < n; i++) {
		struct view_link *more;
		size_t nmore;
		bool foreign = link_is_foreign(m, links[i].path);

		follow = follow && foreign;
		r = view_resolve(m->in->prefix, links[i].full, step, &more, &nmore);
		free(more);
		if (r == 0 && (a->effect != PB_ALLOW || follow))
			r = add_alias(m, links[i].path, step);
		if (r == 0 && foreign && a->effect == PB_ALLOW && follow)
			r = add_link(m->out, links[i].path, links[i].target);
		if (r == 0 && a->effect != PB_ALLOW && !foreign) {
			/* whoever replaces the link makes the denied name anew */
			char *slash;

			(void)snprintf(step, sizeof(step), "%s", links[i].path);
			slash = strrchr(step, '/');
			*(slash == step ? slash + 1 : slash) = '\0';
			c = cand_at(m, step);
			r = c ? 0 : -ENOMEM;
			if (c) {
				c->ro = true;
				c->by = a->rule;
			}
		}
	}
	free(links);
	/* a loop, or a path too long: an allow gives nothing; a deny that
	 * cannot be found cannot be kept */
	if (r == -ELOOP || r == -ENAMETOOLONG)
		return a->effect == PB_ALLOW ? 0 :
		       rt_fail_errno(m->err, -r, "the denied path %s", a->path);
	if (r < 0)
		return r;
	if (a->effect == PB_ALLOW && !follow)
		return 0;
	c = cand_at(m, real);
	if (!c)
		return -ENOMEM;
	name_it(c, a);
	if (a->effect == PB_ALLOW || !private_tree(m, a->path))
		return 0;
	/* in a private tree the link is not there: its name is free */
	c = cand_at(m, a->path);
	if (!c)
		return -ENOMEM;
	name_it(c, a);
	return 0;
}

static int add_anchor(struct maker *m, const struct view_anchor *a)
{
	struct view_place place;
	struct cand *c;
	int r;

	if (a->kind == PB_A_ANY) {
		m->any_ro = a->rule;
		return 0;
	}
	if (hidden_system(a->path) && (a->effect == PB_ALLOW || a->kind == PB_A_WILD))
		return 0;
	r = a->flags & PB_AF_SCRATCH ? 0 : view_look(m->in->prefix, a->path, &place);
	if (r == -ELOOP && a->kind == PB_A_PATH)
		return add_through_link(m, a);
	if (r < 0 && r != -ELOOP)
		return rt_fail_errno(m->err, -r, "%s", a->path);
	c = cand_at(m, a->path);
	if (!c)
		return -ENOMEM;
	if (r == 0 && !(a->flags & PB_AF_SCRATCH) && !c->looked) {
		c->place = place;
		c->looked = true;
	} else if (r == 0 && !(a->flags & PB_AF_SCRATCH) && place.fd >= 0) {
		(void)close(place.fd);
	}
	if (a->kind == PB_A_PATH) {
		name_it(c, a);
		return 0;
	}
	c->deep_ro = true;
	c->by = a->rule;
	c->made = true;
	return 0;
}

static int add_private(struct maker *m, const char *path)
{
	char real[4096];
	struct view_link *links;
	size_t n;
	struct cand *c;
	int r = view_resolve(m->in->prefix, path, real, &links, &n);

	free(links);
	/* /var/tmp may be a link to /tmp */
	c = cand_at(m, r == 0 && n && strcmp(real, "/") ? real : path);
	if (!c)
		return -ENOMEM;
	c->private_ = true;
	return r == 0 && n && strcmp(real, path) ? add_link(m->out, path, real) : 0;
}

/* What the run needs besides the rules' names. */
static int add_fixed(struct maker *m)
{
	static const char *const trees[] = { "/tmp", "/var/tmp", "/dev/shm" };
	static const char *const links[] = { "/bin", "/sbin", "/lib", "/lib32", "/lib64",
					     "/libx32" };
	static const char *const texts[] = { "/etc/resolv.conf", "/etc/hosts",
					     "/etc/nsswitch.conf" };
	int r = 0;

	for (size_t i = 0; i < 3 && r == 0; i++)
		r = add_private(m, trees[i]);
	if (r == 0 && m->in->home)
		r = add_private(m, m->in->home);
	for (size_t i = 0; i < sizeof(links) / sizeof(*links) && r == 0; i++) {
		char full[4200], target[4096];
		ssize_t n;

		(void)snprintf(full, sizeof(full), "%s%s", m->in->prefix, links[i]);
		n = readlink(full, target, sizeof(target) - 1);
		if (n <= 0)
			continue;
		target[n] = '\0';
		r = add_link(m->out, links[i], target);
	}
	for (size_t i = 0; i < 3 && r == 0; i++) {
		struct view_anchor a = { .path = (char *)(uintptr_t)texts[i],
					 .kind = PB_A_PATH, .ops = PB_READ,
					 .effect = PB_ALLOW, .rule = NO_RULE };

		r = add_anchor(m, &a);
	}
	if (r == 0 && m->in->project) {
		struct cand *c = cand_at(m, m->in->project);

		if (!c)
			return -ENOMEM;
		c->project = true;
	}
	return r;
}

static int add_git(struct maker *m)
{
	char *hooks[4], outside[4096];
	uint32_t rule = NO_RULE;
	size_t n;
	int r = 0;

	/* under the id of the line that speaks of .git/hooks */
	for (size_t i = 0; i < m->in->n; i++)
		if ((m->in->anchors[i].flags & PB_AF_FLOOR) && m->in->project &&
		    view_below(m->in->anchors[i].path, m->in->project) &&
		    strstr(m->in->anchors[i].path, "/.git/hooks"))
			rule = m->in->anchors[i].rule;
	if (rule == NO_RULE)
		return 0;
	n = view_git_hooks(m->in->prefix, m->in->project, hooks, 4, outside,
			   sizeof(outside));
	for (size_t i = 0; i < n; i++) {
		struct view_anchor a = { .path = hooks[i], .kind = PB_A_PATH,
					 .effect = PB_DENY, .ops = PB_WRITE,
					 .flags = PB_AF_FLOOR | VIEW_AF_FORCE,
					 .rule = rule };

		if (r == 0)
			r = add_anchor(m, &a);
		free(hooks[i]);
	}
	return r;
}

/* --- decisions -------------------------------------------------------------------- */

/* At a directory the answer must hold for what is below it too: an allow
 * with a wildcard may match the name and nothing under it. */
static enum view_answer ask_one(const struct maker *m, uint8_t op, const char *path,
				bool dir, uint32_t *rule)
{
	enum view_answer a = m->in->decide(m->in->arg, op, path, rule);
	char below[4200];
	uint32_t other;

	if (a != VIEW_ALLOW || !dir)
		return a;
	if (snprintf(below, sizeof(below), "%s/.\x01", path[1] ? path : "") >=
	    (int)sizeof(below))
		return VIEW_OTHERWISE;
	a = m->in->decide(m->in->arg, op, below, &other);
	if (a != VIEW_ALLOW)
		*rule = other;
	return a;
}

/* All names of one object count: a denial under any of them, an allow too. */
static bool ask(const struct maker *m, uint8_t op, const struct cand *c, bool dir,
		uint32_t *rule)
{
	enum view_answer a = ask_one(m, op, c->path, dir, rule);
	char other[8300];

	for (size_t i = 0; i < m->nalias && a != VIEW_DENY; i++) {
		enum view_answer b;
		uint32_t r = NO_RULE;

		if (!view_at(c->path, m->alias[i].real))
			continue;
		(void)snprintf(other, sizeof(other), "%s%s", m->alias[i].path,
			       c->path + (m->alias[i].real[1] ?
					  strlen(m->alias[i].real) : 0));
		b = ask_one(m, op, other, dir, &r);
		if (b == VIEW_DENY || (b == VIEW_ALLOW && a == VIEW_OTHERWISE)) {
			a = b;
			*rule = r;
		}
	}
	return a == VIEW_ALLOW;
}

static void decide_ops(const struct maker *m, struct cand *c, bool dir)
{
	static const uint8_t ops[3] = { PB_READ, PB_WRITE, PB_EXEC };

	c->ops = 0;
	for (int i = 0; i < 3; i++)
		if (ask(m, ops[i], c, dir, &c->rules[i]))
			c->ops |= ops[i];
	/* a mount cannot be written or executed without being read */
	if (!(c->ops & PB_READ))
		c->ops = 0;
	c->wanted = c->ops;
}

/* --- settling ------------------------------------------------------------------------ */

static int nearest(const struct maker *m, size_t i)
{
	int up = -1;

	for (size_t j = 0; j < i; j++)
		if (m->c[j].keep && view_below(m->c[i].path, m->c[j].path))
			up = (int)j;
	return up;
}

static void force_ro(struct cand *c, uint32_t by)
{
	if (!(c->ops & PB_WRITE))
		return;
	c->ops &= (uint8_t)~PB_WRITE;
	c->ro = true;
	if (c->by == NO_RULE)
		c->by = by;
}

/* The nearest directory above `path` that exists, as a place of its own. */
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
	c = cand_at(m, dir);
	if (!c)
		return -ENOMEM;
	m->again |= !c->ro || (deep && !c->deep_ro);
	c->ro = true;
	c->deep_ro |= deep;
	if (c->by == NO_RULE)
		c->by = by;
	return 0;
}

static int look(const struct maker *m, struct cand *c)
{
	int r = c->looked ? 0 : view_look(m->in->prefix, c->path, &c->place);

	c->looked = true;
	if (r == -ELOOP) {
		/* found as a directory above, or by a link's resolution that
		 * another process changed since: not there */
		memset(&c->place, 0, sizeof(c->place));
		c->place.fd = -1;
		return 0;
	}
	return r < 0 ? rt_fail_errno(m->err, -r, "%s", c->path) : 0;
}

static bool mountable(const struct view_place *p)
{
	return S_ISDIR(p->mode) || S_ISREG(p->mode);
}

/* In a tree of the run's own: the names of restrictions are made, what an
 * allow names is shown from the host. */
static void settle_own(struct cand *c, const struct cand *up)
{
	uint8_t have = up ? up->ops : 0;
	uint8_t lost = have & (uint8_t)~c->ops;

	if (c->private_) {
		c->keep = true;
		/* empty and private, but the run's own only by a scratch rule */
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
	/* nothing can be made where the run cannot write */
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
		/* its owner could open the way and then reach it */
		return lost && (have & PB_WRITE) ?
			       existing_above(m, c->path, c->rule, false) : 0;
	}
	if (!c->place.exists) {
		if (!lost || !(have & PB_WRITE) || !c->restricts)
			return 0;
		if (!c->floor)
			return existing_above(m, c->path, c->rule, false);
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
		/* a socket, a device: nothing of it is given; what the tree
		 * above gives and a rule takes away is masked */
		c->mask = c->keep = lost != 0;
		return 0;
	}
	c->keep = !up || up->mask || up->ops != c->ops || c->project;
	return 0;
}

/* Whose tree a place lies in: the nearest kept place above says. */
enum region {
	REGION_ROOT, /* the new root: only what rules name */
	REGION_OWN,  /* private: nothing of the host */
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
	for (size_t j = 0; j < i; j++)
		if (m->c[j].deep_ro && view_below(c->path, m->c[j].path))
			force_ro(c, m->c[j].by);
	if (m->any_ro != NO_RULE && !c->private_ &&
	    (region == REGION_HOST || (c->named && c->place.exists)))
		force_ro(c, m->any_ro);
}

static int settle_one(struct maker *m, size_t i)
{
	struct cand *c = &m->c[i], *up;
	enum region region;
	uint32_t rule;
	int r = look(m, c);

	if (r < 0 || !strcmp(c->path, "/"))
		return r;
	c->up = nearest(m, i);
	up = c->up < 0 ? NULL : &m->c[c->up];
	region = region_of(up);
	if (hidden_system(c->path)) {
		/* no rule is needed for what the run needs; a hide still holds */
		c->mask = c->keep = c->restricts && c->place.exists &&
				    ask_one(m, PB_READ, c->path, false, &rule) == VIEW_DENY;
		c->rules[0] = rule;
		return 0;
	}
	decide_ops(m, c, c->private_ || c->place.is_dir || !c->place.exists);
	apply_ro(m, i, region);
	if (c->private_ && region == REGION_HOST && !c->place.is_dir)
		return rt_fail(m->err, ENOTDIR, "scratch %s: there is no such directory on "
			       "this host, and it lies in a tree of the host", c->path);
	if (c->private_ || region == REGION_OWN)
		settle_own(c, up);
	else if (region == REGION_HOST || c->named)
		r = settle_host(m, c, up);
	/* a wildcard's directory that is not there: the tree above it */
	if (r == 0 && c->deep_ro && !c->keep && !c->place.exists && region == REGION_HOST &&
	    (up->ops & PB_WRITE))
		r = existing_above(m, c->path, c->by, true);
	return r;
}

static void forget(struct maker *m)
{
	for (size_t i = 0; i < m->n; i++)
		m->c[i].keep = m->c[i].mask = m->c[i].lock = m->c[i].from_host = false;
	for (size_t i = 0; i < m->out->ncreatable; i++)
		free(m->out->creatable[i].path);
	m->out->ncreatable = 0;
}

/* A place that becomes read-only may lie before the one that wants it so:
 * then all of it is done again.  Flags only ever come, so it ends. */
static int settle(struct maker *m)
{
	int r = 0;

	do {
		m->again = false;
		qsort(m->c, m->n, sizeof(*m->c), by_path);
		forget(m);
		for (size_t i = 0; i < m->n && r == 0 && !m->again; i++)
			r = settle_one(m, i);
	} while (m->again && r == 0);
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
	n->scratch = c->private_;
	n->masked = c->mask;
	n->locked = c->lock;
	n->absent = c->absent;
	n->is_dir = c->private_ || c->place.is_dir;
	n->forced_ro = (c->wanted & PB_WRITE) && !(c->ops & PB_WRITE) && c->by != NO_RULE;
	n->forced_by = n->forced_ro ? c->by : NO_RULE;
	memcpy(n->rule, c->rules, sizeof(n->rule));
	n->dev = c->place.dev;
	n->ino = c->place.ino;
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

static int put_nodes(struct maker *m)
{
	struct sandbox_view *v = m->out;
	int r = 0;

	v->nodes = calloc(m->n + 1, sizeof(*v->nodes));
	if (!v->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < m->n && r == 0; i++)
		if (m->c[i].keep)
			r = put_node(v, &m->c[i]);
	return r;
}

/* Links that lie in a tree of the host are there already. */
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
	struct maker m = { .in = in, .out = ret, .any_ro = NO_RULE, .err = err };
	int r;

	memset(ret, 0, sizeof(*ret));
	if (err)
		memset(err, 0, sizeof(*err));
	r = add_fixed(&m);
	/* scratch first: whether a name is in a tree of the run's own decides
	 * what a link in it means */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < in->n && r == 0; i++)
			if (!!(in->anchors[i].flags & PB_AF_SCRATCH) != pass)
				r = add_anchor(&m, &in->anchors[i]);
	if (r == 0)
		r = add_git(&m);
	if (r == 0 && in->project_link && in->project)
		r = add_link(ret, in->project_link, in->project);
	if (r == 0)
		r = settle(&m);
	if (r == 0)
		r = put_nodes(&m);
	if (r == 0)
		drop_links(ret);
	for (size_t i = 0; i < m.n; i++) {
		if (m.c[i].place.fd >= 0)
			(void)close(m.c[i].place.fd);
		free(m.c[i].path);
	}
	for (size_t i = 0; i < m.nalias; i++) {
		free(m.alias[i].path);
		free(m.alias[i].real);
	}
	free(m.alias);
	free(m.c);
	if (r < 0) {
		sandbox_view_release(ret);
		if (err && !err->text[0])
			(void)rt_fail_errno(err, -r, "the view");
	}
	return r;
}
