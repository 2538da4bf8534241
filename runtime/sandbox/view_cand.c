/*
 * Finds the places where the view may change: the paths of the anchors, resolved on the
 * host; what symbolic links lead to; the run's private trees; git's hooks.
 */
#include "runtime/sandbox/view_cand.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/io.h"

struct cand *view_cand_at(struct maker *m, const char *path)
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
	c->by = c->rule = VIEW_NO_RULE;
	c->rules[0] = c->rules[1] = c->rules[2] = VIEW_NO_RULE;
	c->floor = true;
	m->n++;
	return c;
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

static int add_alias(struct maker *m, const char *path, const char *real, uint32_t rule,
		     bool lends)
{
	struct alias *v = reallocarray(m->alias, m->nalias + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	m->alias = v;
	v[m->nalias].path = strdup(path);
	v[m->nalias].real = strdup(real);
	v[m->nalias].rule = rule;
	v[m->nalias].lends = lends;
	if (!v[m->nalias].path || !v[m->nalias].real) {
		free(v[m->nalias].path);
		free(v[m->nalias].real);
		return -ENOMEM;
	}
	m->nalias++;
	return 0;
}

int view_alias(struct maker *m, const char *path, const char *real, uint32_t rule)
{
	return add_alias(m, path, real, rule, false);
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
 * True if no run can have made the link, because no run can write where it lies.  What
 * lies on the host under a private tree's name is out of reach of every run, unless a
 * rule shows it (the project may lie in it).
 */
static bool link_is_foreign(const struct maker *m, const char *path)
{
	const struct view_in *in = m->in;
	enum view_answer answer;
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
	answer = in->decide(in->arg, PB_WRITE, path, &rule);
	return answer != VIEW_ALLOW && answer != VIEW_OWN;
}

/* --- candidates ------------------------------------------------------------------ */

bool view_is_system(const char *path)
{
	return view_at(path, "/proc") || view_at(path, "/sys") ||
	       (view_at(path, "/dev") && !view_at(path, "/dev/shm"));
}

static void name_it(struct cand *c, const struct view_anchor *a)
{
	if (a->effect == PB_ALLOW) {
		if (a->flags & PB_AF_SCRATCH)
			c->private_ = c->scratch = true;
		/* ${TMPDIR} belongs to the run: names in it are not names of the host */
		else if (a->root != PB_ROOT_TMP)
			c->named = true;
		return;
	}
	c->restricts = true;
	if (!(a->flags & PB_AF_FLOOR))
		c->floor = false;
	c->rule = a->rule;
	if (a->flags & VIEW_AF_FORCE) {
		c->ro = true;
		c->deep_ro |= !(a->flags & VIEW_AF_FILE);
		c->by = a->rule;
	}
}

/* A run that could replace the link could make the denied name anew, so the directory
 * of the link is read-only. */
static int close_link(struct maker *m, const struct view_anchor *a, const char *link)
{
	char dir[4096];
	struct cand *c;
	char *slash;

	(void)snprintf(dir, sizeof(dir), "%s", link);
	slash = strrchr(dir, '/');
	*(slash == dir ? slash + 1 : slash) = '\0';
	c = view_cand_at(m, dir);
	if (!c)
		return -ENOMEM;
	c->ro = true;
	c->by = a->rule;
	return 0;
}

static int add_place(struct maker *m, const struct view_anchor *a, const char *path)
{
	struct cand *c = view_cand_at(m, path);

	if (!c)
		return -ENOMEM;
	if (a->kind == PB_A_PATH) {
		name_it(c, a);
		return 0;
	}
	c->deep_ro = true;
	c->by = a->rule;
	c->made = true;
	return 0;
}

/* Adds an anchor whose path on the host goes through a link. */
static int add_through_link(struct maker *m, const struct view_anchor *a)
{
	bool allow = a->effect == PB_ALLOW, follow = true;
	struct view_link *links;
	char real[4096];
	size_t n;
	int r = view_resolve(m->in->prefix, a->path, real, &links, &n);

	for (size_t i = 0; i < n && r == 0; i++) {
		bool foreign = link_is_foreign(m, links[i].path);

		follow = follow && foreign;
		if (allow && follow)
			r = add_link(m->out, links[i].path, links[i].target);
		else if (!allow && !foreign)
			r = close_link(m, a, links[i].path);
		if (!allow && r == 0)
			r = view_guard_link(m, &links[i], a->rule);
	}
	free(links);
	/* a loop, or a path that is too long: an allow gives nothing; a deny cannot be
	 * enforced, so it is an error */
	if (r == -ELOOP || r == -ENAMETOOLONG)
		return allow ? 0 : rt_fail_errno(m->err, -r, "the denied path %s", a->path);
	if (r < 0 || (allow && !follow))
		return r;
	r = add_alias(m, a->path, real, a->rule, allow);
	if (r == 0)
		r = add_place(m, a, real);
	/* a private tree does not contain the link, so the run could make the name */
	if (r == 0 && !allow && private_tree(m, a->path))
		r = add_place(m, a, a->path);
	return r;
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
	if (view_is_system(a->path) && (a->effect == PB_ALLOW || a->kind == PB_A_WILD))
		return 0;
	r = a->flags & PB_AF_SCRATCH ? 0 : view_look(m->in->prefix, a->path, &place);
	if (r == -ELOOP)
		return add_through_link(m, a);
	if (r < 0)
		return rt_fail_errno(m->err, -r, "%s", a->path);
	c = view_cand_at(m, a->path);
	if (!c)
		return -ENOMEM;
	if (!(a->flags & PB_AF_SCRATCH) && !c->looked) {
		c->place = place;
		c->looked = true;
	} else if (!(a->flags & PB_AF_SCRATCH) && place.fd >= 0) {
		(void)close(place.fd);
	}
	return add_place(m, a, a->path);
}

static int add_private(struct maker *m, const char *path)
{
	char real[4096];
	struct view_link *links;
	size_t n;
	struct cand *c;
	int r = view_resolve(m->in->prefix, path, real, &links, &n);

	free(links);
	/* a loop, or a path that is too long, leads nowhere */
	if (r < 0 && r != -ELOOP && r != -ENAMETOOLONG)
		return rt_fail_errno(m->err, -r, "%s", path);
	/* /var/tmp may be a link to /tmp */
	c = view_cand_at(m, r == 0 && n && strcmp(real, "/") ? real : path);
	if (!c)
		return -ENOMEM;
	c->private_ = true;
	return r == 0 && n && strcmp(real, path) ? add_link(m->out, path, real) : 0;
}

/* True if all of the host's tree may be read. */
static bool reads_anywhere(const struct view_in *in)
{
	uint32_t rule;

	return in->decide(in->arg, PB_READ, "/", &rule) == VIEW_ALLOW &&
	       in->decide(in->arg, PB_READ, "/.\x01", &rule) == VIEW_ALLOW;
}

/* Adds the host's object, even if it lies below a private tree. */
static int add_named(struct maker *m, const char *path)
{
	struct cand *c = view_cand_at(m, path);

	if (!c)
		return -ENOMEM;
	c->named = true;
	return 0;
}

/*
 * Covers parts of the host's root with the run's own devices, an empty /sys and an
 * empty /run.  Services listen in /run, and no mount prevents a connection to them.
 */
static int add_over_root(struct maker *m)
{
	static const char *const own[] = { "/dev", "/sys", "/run" };
	int r = add_named(m, "/");

	for (size_t i = 0; i < sizeof(own) / sizeof(*own) && r == 0; i++)
		r = add_private(m, own[i]);
	if (r == 0 && m->in->home)
		r = add_named(m, m->in->home);
	if (r == 0 && m->in->project)
		r = add_named(m, m->in->project);
	return r;
}

bool view_beyond_reach(const struct maker *m, const char *path, char ret_dir[4096])
{
	(void)snprintf(ret_dir, 4096, "%s", path);
	for (char *s = ret_dir; m->in->foreign && (s = strchr(s + 1, '/')); *s = '/') {
		struct view_place p;
		int r;

		*s = '\0';
		if (private_tree(m, ret_dir))
			continue;
		r = view_look(m->in->prefix, ret_dir, &p);
		if (r == 0 && p.fd >= 0)
			(void)close(p.fd);
		if (r == 0 && p.is_dir && !(p.mode & S_IXOTH))
			return true;
	}
	return false;
}

/*
 * A run as root may be allowed to see something below a directory that it cannot pass.
 * That directory is then empty except for that object; the run could see nothing else
 * there anyway.
 */
static int open_ways(struct maker *m)
{
	char dir[4096];
	size_t n = m->n;

	for (size_t i = 0; i < n && m->anywhere; i++) {
		struct cand *c;

		if (!m->c[i].named || m->c[i].restricts)
			continue;
		while (view_beyond_reach(m, m->c[i].path, dir)) {
			c = view_cand_at(m, dir);
			if (!c)
				return -ENOMEM;
			c->private_ = true;
		}
	}
	return 0;
}

int view_copy_link(struct maker *m, const char *path)
{
	char full[4200], target[4096];
	ssize_t n;

	(void)snprintf(full, sizeof(full), "%s%s", m->in->prefix, path);
	n = readlink(full, target, sizeof(target) - 1);
	/* EINVAL: on this host it is a directory */
	if (n < 0)
		return errno == EINVAL || errno == ENOENT ? 0 : -errno;
	target[n] = '\0';
	return add_link(m->out, path, target);
}

/* Adds what the run needs besides the names in the rules. */
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
	m->anywhere = reads_anywhere(m->in);
	if (r == 0 && m->anywhere)
		r = add_over_root(m);
	else if (r == 0 && m->in->home)
		r = add_private(m, m->in->home);
	for (size_t i = 0; i < sizeof(links) / sizeof(*links) && r == 0; i++)
		r = view_copy_link(m, links[i]);
	for (size_t i = 0; i < 3 && r == 0; i++) {
		struct view_anchor a = { .path = (char *)(uintptr_t)texts[i],
					 .kind = PB_A_PATH, .ops = PB_READ,
					 .effect = PB_ALLOW, .rule = VIEW_NO_RULE };

		r = add_anchor(m, &a);
	}
	if (r == 0 && m->in->project) {
		struct cand *c = view_cand_at(m, m->in->project);

		if (!c)
			return -ENOMEM;
		c->project = true;
	}
	return r;
}

/* The rule of the floor for a name below a root, or VIEW_NO_RULE. */
static uint32_t floor_rule(const struct maker *m, const char *root, const char *name)
{
	for (size_t i = 0; i < m->in->n; i++) {
		const struct view_anchor *a = &m->in->anchors[i];

		if ((a->flags & PB_AF_FLOOR) && a->path && root &&
		    view_below(a->path, root) && !strcmp(a->path + strlen(root), name))
			return a->rule;
	}
	return VIEW_NO_RULE;
}

/*
 * Protects names in the user's home.  A run may want to write them in a home of its own
 * (git config --global, pip install --user), so no rule for the scope sandbox mentions
 * them.  They are protected if a rule allows writing to the folder that holds them, but
 * not if a rule names them.
 */
static int add_home(struct maker *m)
{
	static const struct {
		const char *dir, *name;
	} names[] = { { "", "/.gitconfig" }, { "/.local", "/bin" }, { "", "/.claude" },
		      { "/.cargo", "/config.toml" } };
	const char *home = m->in->home;
	uint32_t rule = floor_rule(m, home, "/.bashrc"), by;
	int r = 0;

	if (rule == VIEW_NO_RULE)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && r == 0; i++) {
		char path[4200];
		struct view_anchor a = { .path = path, .kind = PB_A_PATH,
					 .effect = PB_DENY, .ops = PB_WRITE, .rule = rule,
					 .flags = PB_AF_FLOOR | VIEW_AF_FORCE };

		if (snprintf(path, sizeof(path), "%s%s", home, names[i].dir) >= 4096 ||
		    m->in->decide(m->in->arg, PB_WRITE, path, &by) != VIEW_ALLOW)
			continue;
		if (snprintf(path, sizeof(path), "%s%s%s", home, names[i].dir,
			     names[i].name) >= 4096)
			continue;
		/* an absent name may still be created; the report names it */
		if (!view_is_dir(m->in->prefix, path))
			a.flags |= VIEW_AF_FILE;
		r = add_anchor(m, &a);
	}
	return r;
}

/* Adds git's names with the ids of the rules for .git/hooks and .git/config. */
static int add_git(struct maker *m, bool nested)
{
	uint32_t hooks = floor_rule(m, m->in->project, "/.git/hooks");
	uint32_t config = floor_rule(m, m->in->project, "/.git/config");
	size_t n = m->out->ngit;
	int r;

	if (hooks == VIEW_NO_RULE)
		return 0;
	r = nested ? view_nested_paths(m->in->prefix, m->in->home, m->in->project,
				       &m->out->repos, &m->out->git, &m->out->ngit, m->err) :
		     view_git_paths(m->in->prefix, m->in->home, m->in->project, &m->out->git,
				    &m->out->ngit, m->err);
	for (; n < m->out->ngit && r == 0; n++) {
		struct view_anchor a = { .path = m->out->git[n].path, .kind = PB_A_PATH,
					 .effect = PB_DENY, .ops = PB_WRITE,
					 .flags = PB_AF_FLOOR | VIEW_AF_FORCE,
					 .rule = hooks };

		if (!m->out->git[n].hooks) {
			a.flags |= VIEW_AF_FILE;
			a.rule = config != VIEW_NO_RULE ? config : hooks;
		}
		m->out->git[n].rule = a.rule;
		r = add_anchor(m, &a);
	}
	return r;
}

/* Could the run write to the path, to one of its links, or to what they lead to? */
static int within_reach(const struct maker *m, const char *path, bool *ret)
{
	const struct view_in *in = m->in;
	struct view_link *links;
	char real[4096];
	uint32_t rule;
	size_t n;
	int r = view_resolve(in->prefix, path, real, &links, &n);

	*ret = in->decide(in->arg, PB_WRITE, path, &rule) == VIEW_ALLOW;
	for (size_t i = 0; i < n && r == 0; i++)
		*ret |= in->decide(in->arg, PB_WRITE, links[i].path, &rule) == VIEW_ALLOW;
	free(links);
	if (r < 0)
		return rt_fail_errno(m->err, -r, "%s", path);
	*ret |= in->decide(in->arg, PB_WRITE, real, &rule) == VIEW_ALLOW;
	return 0;
}

/*
 * A mount on the name would not be enough: it is lost as soon as a process of the host
 * renames over the name (`polc compile -o`), and the next run would then rely on what
 * this one wrote.
 */
static int refuse_believed(const struct maker *m, const char *path)
{
	char shown[300];

	io_escape(shown, sizeof(shown), path, strlen(path));
	return rt_fail(m->err, EPERM, "%s lies where the command can write, and the next "
		       "run would believe it: keep it in a .pol directory of the project, "
		       "which no run writes, or outside of what the rules make writable",
		       shown);
}

/* Protects the run's own bundle and similar files, with the id of the rule for the
 * policy's files. */
static int add_kept(struct maker *m)
{
	uint32_t rule = VIEW_NO_RULE;
	int r = 0;

	for (size_t i = 0; i < m->in->n && rule == VIEW_NO_RULE; i++) {
		const struct view_anchor *a = &m->in->anchors[i];

		if ((a->flags & PB_AF_FLOOR) && a->path && !strcmp(a->path, "/etc/pol"))
			rule = a->rule;
	}
	for (size_t i = 0; i < m->in->nkept && r == 0; i++) {
		struct view_anchor a = { .path = (char *)(uintptr_t)m->in->kept[i],
					 .kind = PB_A_PATH, .effect = PB_DENY,
					 .ops = PB_WRITE, .rule = rule,
					 .flags = PB_AF_FLOOR | VIEW_AF_FORCE |
						  VIEW_AF_FILE };

		bool reach;

		r = within_reach(m, a.path, &reach);
		if (r == 0 && reach && i < m->in->nbelieved)
			r = refuse_believed(m, a.path);
		else if (r == 0 && reach)
			r = add_anchor(m, &a);
	}
	return r;
}

int view_cands(struct maker *m)
{
	const struct view_in *in = m->in;
	int r = add_fixed(m);

	/* scratch rules first: what a link means depends on whether it lies in a tree
	 * of the run's own */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < in->n && r == 0; i++)
			if (!!(in->anchors[i].flags & PB_AF_SCRATCH) != pass)
				r = add_anchor(m, &in->anchors[i]);
	if (r == 0)
		r = open_ways(m);
	if (r == 0)
		r = add_git(m, false);
	if (r == 0)
		r = add_git(m, true);
	if (r == 0)
		r = add_home(m);
	if (r == 0)
		r = add_kept(m);
	if (r == 0)
		r = view_binds(m);
	if (r == 0)
		r = view_mounts(m);
	if (r == 0 && in->project_link && in->project)
		r = add_link(m->out, in->project_link, in->project);
	return r;
}
