/*
 * Turns the view's nodes into mounts, in an order in which every mount point exists
 * when it is needed.  Outer trees come before inner ones.  Below a writable tree the
 * order is: names, pins on every directory above a restriction, the cover that makes
 * the tree one mount again, then the restrictions themselves.
 */
#include "runtime/sandbox/plan_view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include "runtime/sandbox/plan_pins.h"
#include "runtime/sandbox/plan_staged.h"
#include "runtime/sandbox/view_answer.h"

static bool below(const char *path, const char *top)
{
	size_t n = strlen(top);

	if (n == 1)
		return path[1] != '\0';
	return !strncmp(path, top, n) && path[n] == '/';
}

/* The run makes /proc and /dev itself: rules can only mask names there. */
static bool special(const char *path)
{
	return below(path, "/proc") ||
	       (below(path, "/dev") && strcmp(path, "/dev/shm") &&
		!below(path, "/dev/shm"));
}

static enum plan_ground_kind ground_above(const struct plan_build *b, size_t i)
{
	return b->parent[i] < 0 ? GROUND_ROOT : (enum plan_ground_kind)b->ground[b->parent[i]];
}

static bool plain_dir(const struct plan_build *b, size_t i)
{
	const struct sandbox_node *n = &b->v->nodes[i];

	/* private, empty and read-only on the root's own tmpfs: needs no mount */
	return n->scratch && !(n->ops & PB_WRITE) && ground_above(b, i) == GROUND_ROOT;
}

static bool remember(struct plan_build *b, const char *path, size_t len)
{
	for (size_t i = 0; i < b->nmade; i++)
		if (!strncmp(b->made[i], path, len) && !b->made[i][len])
			return false;
	if (b->nmade == b->made_cap) {
		size_t cap = b->made_cap ? 2 * b->made_cap : 64;
		char **made = reallocarray(b->made, cap, sizeof(*made));

		if (!made) {
			b->p->err = -ENOMEM;
			return false;
		}
		b->made = made;
		b->made_cap = cap;
	}
	b->made[b->nmade] = strndup(path, len);
	if (!b->made[b->nmade]) {
		b->p->err = -ENOMEM;
		return false;
	}
	b->nmade++;
	return true;
}

/* Makes a name in the new root, or in the tree that will be mounted there. */
static void make_at(struct plan_build *b, struct plan_op *op, const char *path, size_t len)
{
	char inner[4200];

	if (!b->source) {
		op->path = plan_rel(b, path, len);
		return;
	}
	(void)snprintf(inner, sizeof(inner), "%s%.*s", b->source,
		       (int)(len - b->source_top), path + b->source_top);
	op->flags |= PLAN_F_SCRATCH;
	op->path = plan_str(b->p, inner);
}

static void make_dir(struct plan_build *b, const char *path, size_t len, unsigned mode)
{
	struct plan_op *op;

	if (len <= 1 || !remember(b, path, len))
		return;
	op = plan_add(b->p, STEP_MKDIR, PLAN_INIT);
	op->mode = mode;
	make_at(b, op, path, len);
}

/* Makes the directories between `top` (a length) and the last '/' of `path`. */
static void make_above(struct plan_build *b, const char *path, size_t top)
{
	for (size_t i = top > 1 ? top + 1 : 1; path[i]; i++)
		if (path[i] == '/')
			make_dir(b, path, i, 0755);
}

static void make_place(struct plan_build *b, const char *path, size_t top, bool dir)
{
	make_above(b, path, top);
	if (dir) {
		make_dir(b, path, strlen(path), 0755);
	} else if (remember(b, path, strlen(path))) {
		struct plan_op *op = plan_add(b->p, STEP_MKFILE, PLAN_INIT);

		op->mode = 0644;
		make_at(b, op, path, strlen(path));
	}
}

static int node_above(const struct plan_build *b, const char *path)
{
	for (size_t i = b->v->n; i-- > 0;) {
		const struct sandbox_node *n = &b->v->nodes[i];

		if (!n->noted && below(path, n->path))
			return (int)i;
	}
	return -1;
}

/* A file with which a private tree begins. */
static void make_copy(struct plan_build *b, const struct sandbox_node *n, size_t top)
{
	struct plan_op *op;

	make_above(b, n->path, top);
	op = plan_add(b->p, STEP_MKFILE, PLAN_INIT);
	op->mode = 0644;
	make_at(b, op, n->path, strlen(n->path));
	op->other = plan_blob(b->p, n->text, n->ntext);
	op->len = (uint32_t)n->ntext;
}

/* Makes the names that nodes and links directly on ground `i` (-1: the root) need. */
static void make_places(struct plan_build *b, int i)
{
	size_t top = i < 0 ? 1 : strlen(b->v->nodes[i].path);

	for (size_t j = 0; j < b->v->n; j++)
		if (!b->v->nodes[j].noted && b->parent[j] == i &&
		    b->v->nodes[j].path[1] && !special(b->v->nodes[j].path))
			make_place(b, b->v->nodes[j].path, top, b->v->nodes[j].is_dir);
	for (size_t j = 0; j < b->v->n; j++)
		if (b->v->nodes[j].text && node_above(b, b->v->nodes[j].path) == i)
			make_copy(b, &b->v->nodes[j], top);
	for (size_t j = 0; j < b->v->nlinks; j++) {
		const struct sandbox_link *l = &b->v->links[j];
		struct plan_op *op;

		if (node_above(b, l->path) != i)
			continue;
		make_above(b, l->path, top);
		op = plan_add(b->p, STEP_SYMLINK, PLAN_INIT);
		make_at(b, op, l->path, strlen(l->path));
		op->other = plan_str(b->p, l->target);
	}
}

static void attach_pins(struct plan_build *b, char **pins, size_t n, size_t node,
			uint32_t slot)
{
	struct plan_op *op;

	for (size_t i = 0; i < n; i++) {
		op = plan_add(b->p, STEP_PIN_DIR, PLAN_INIT);
		op->path = plan_rel(b, pins[i], strlen(pins[i]));
		free(pins[i]);
	}
	free(pins);
	op = plan_add(b->p, STEP_COVER, PLAN_INIT);
	op->path = plan_rel(b, b->v->nodes[node].path, strlen(b->v->nodes[node].path));
	op->fd = (int32_t)slot;
}

static uint32_t tree_flags(const struct sandbox_node *n)
{
	return (n->broker ? PLAN_F_BROKER : plan_node_writable(n) ? 0u : PLAN_F_RO) |
	       (n->ops & PB_EXEC ? 0u : PLAN_F_NOEXEC) | (n->is_dir ? PLAN_F_DIR : 0u);
}

static void check_object(const struct plan_build *b, struct plan_op *op, size_t i)
{
	const struct sandbox_node *n = &b->v->nodes[i];

	if (plan_in_overlay(b, i))
		return;
	op->flags |= PLAN_F_CHECK;
	op->v = n->at_dev;
	op->w = n->at_ino;
}

static void add_mask(struct plan_build *b, size_t i)
{
	const struct sandbox_node *n = &b->v->nodes[i];
	enum step_id step = n->locked   ? STEP_LOCK_NAME
			    : n->is_dir ? STEP_HIDE_DIR
					: STEP_HIDE_FILE;
	struct plan_op *op;
	char name[24];

	plan_check_below(b, i);
	op = plan_add(b->p, step, PLAN_INIT);
	(void)snprintf(name, sizeof(name), "k%zu", i);
	op->path = plan_rel(b, n->path, strlen(n->path));
	op->other = plan_str(b->p, b->full[i]  ? name
				   : n->locked ? (n->is_dir ? "E" : "e")
				   : n->is_dir ? "d"
					       : "f");
	if (n->soft)
		op->flags |= PLAN_F_MAYBE;
	else if (ground_above(b, i) == GROUND_HOST)
		check_object(b, op, i);
	else
		op->flags |= PLAN_F_MADE;
}

/* The names are made before the mount, which may be read-only. */
static void fill_scratch(struct plan_build *b, size_t i, const char *name)
{
	struct plan_op *op = plan_add(b->p, STEP_MKDIR, PLAN_INIT);

	op->mode = 0755;
	op->flags = PLAN_F_SCRATCH;
	op->path = plan_str(b->p, name);
	b->source = name;
	b->source_top = strlen(b->v->nodes[i].path);
	make_places(b, (int)i);
	if (!strcmp(b->v->nodes[i].path, "/dev"))
		plan_devices(b->p, name, PLAN_F_SCRATCH);
	b->source = NULL;
}

/* True if the node is an empty, read-only tree over the host's, which no rule asked for:
 * the run puts nothing there. */
static bool covers(const struct plan_build *b, size_t i)
{
	return b->v->nodes[i].scratch && !(b->v->nodes[i].ops & PB_WRITE) &&
	       ground_above(b, i) == GROUND_HOST;
}

static void add_node(struct plan_build *b, size_t i)
{
	const struct sandbox_node *n = &b->v->nodes[i];
	char **pins = NULL;
	size_t npins = plan_node_writable(n) ?
			       plan_pins(b->v, b->parent, i, &pins, &b->p->err) :
			       0;
	struct plan_op *op;
	uint32_t cover = 0;
	char name[24];

	if (n->masked || n->locked) {
		add_mask(b, i);
		return;
	}
	if (plain_dir(b, i)) {
		make_places(b, (int)i);
		return;
	}
	(void)snprintf(name, sizeof(name), "%zu", i);
	if (n->scratch)
		fill_scratch(b, i, name);
	plan_overlay(b, i);
	plan_check_below(b, i);
	op = plan_add(b->p, covers(b, i) ? STEP_COVER_DIR
			    : n->scratch ? STEP_SCRATCH
					 : STEP_TREE, PLAN_INIT);
	op->flags = tree_flags(n);
	if (npins) {
		op->flags |= PLAN_F_COVER;
		op->aux = cover = b->slots++;
	}
	if (n->broker)
		op->aux = b->brokered[i] = b->slots++;
	if (ground_above(b, i) == GROUND_HOST)
		check_object(b, op, i);
	if (n->scratch) {
		bool shared = !strcmp(n->path, "/tmp") ||
			      !strcmp(n->path, "/var/tmp") ||
			      !strcmp(n->path, "/dev/shm");

		op->mode = shared ? 01777 : 0755;
		op->other = plan_str(b->p, name);
	} else if (b->given && b->given[i] >= 0 && !b->staged[i].layer) {
		op->flags |= PLAN_F_GIVEN;
		op->fd = b->given[i];
	} else {
		op->fd = (int32_t)i;
	}
	op->path = plan_rel(b, n->path, strlen(n->path));
	if (npins)
		attach_pins(b, pins, npins, i, cover);
}

static void set_aside(struct plan_build *b, uint64_t propagation)
{
	if (b->grounded && b->anywhere)
		plan_add(b->p, STEP_ASIDE, PLAN_INIT)->v = propagation;
}

/* Opens every tree before anything of the view is mounted over it. */
static void open_trees(struct plan_build *b)
{
	set_aside(b, MS_UNBINDABLE);
	for (size_t i = 0; i < b->v->n; i++) {
		const struct sandbox_node *n = &b->v->nodes[i];
		struct plan_op *op;

		if (b->ground[i] != GROUND_HOST || n->noted || special(n->path) ||
		    (b->given && b->given[i] >= 0))
			continue;
		op = plan_add(b->p, STEP_OPEN, PLAN_INIT);
		op->fd = (int32_t)i;
		op->v = n->dev;
		op->w = n->ino;
		op->path = plan_str(b->p, n->source ? n->source : n->path);
	}
	for (size_t i = 0; i < b->v->n && !b->given; i++)
		plan_open_layer(b, i);
	set_aside(b, MS_PRIVATE);
}

/* The run's own tmpfs covers the host's /proc. */
bool plan_ground_fits(const struct sandbox_view *v)
{
	for (size_t i = 0; i < v->n; i++) {
		const char *path = v->nodes[i].source ? v->nodes[i].source : v->nodes[i].path;

		if (!v->nodes[i].noted && !special(v->nodes[i].path) &&
		    (!strcmp(path, "/proc") || below(path, "/proc")))
			return false;
	}
	return true;
}

/* A mask with something visible below it: the run can pass through it, but not list it. */
static void mask_with_names(struct plan_build *b, size_t i)
{
	const char *top = b->v->nodes[i].path;
	char name[32];
	size_t tl = strlen(top);

	(void)snprintf(name, sizeof(name), "k%zu", i);
	(void)plan_mask(b->p, STEP_MKDIR, name, b->v->nodes[i].locked ? 0555 : 0111);
	for (size_t j = i + 1; j < b->v->n; j++) {
		const struct sandbox_node *n = &b->v->nodes[j];
		char path[4200];

		if (n->noted || b->parent[j] != (int)i)
			continue;
		(void)snprintf(path, sizeof(path), "%s%s", name, n->path + tl);
		for (char *s = strchr(path, '/'); (s = strchr(s + 1, '/')); *s = '/') {
			*s = '\0';
			(void)plan_mask(b->p, STEP_MKDIR, path, 0111);
		}
		(void)plan_mask(b->p, n->is_dir ? STEP_MKDIR : STEP_MKFILE, path, 0);
	}
}

/* The objects that this run attaches: texts, and masks with something visible below. */
static void add_objects(struct plan_build *b, const struct plan_texts *texts)
{
	struct plan_op *op;

	for (size_t i = 0; i < texts->n; i++) {
		char name[24];

		(void)snprintf(name, sizeof(name), "t%zu", i);
		op = plan_mask(b->p, STEP_MKFILE, name, 0444);
		op->other = plan_blob(b->p, texts->v[i].bytes, texts->v[i].len);
		op->len = (uint32_t)texts->v[i].len;
	}
	for (size_t i = 0; i < b->v->n; i++)
		if (b->full[i])
			mask_with_names(b, i);
}

/* Puts the text over the file, or over the link, where a tree of the host shows it. */
static void add_text(struct plan_build *b, size_t i, const char *path)
{
	const struct sandbox_node *n = sandbox_view_find(b->v, path);
	struct plan_op *op;
	char name[24];

	if (!n || n->masked || n->locked || n->scratch || !(n->ops & PB_READ))
		return;
	(void)snprintf(name, sizeof(name), "t%zu", i);
	op = plan_add(b->p, STEP_TEXT, PLAN_INIT);
	op->flags = PLAN_F_MAYBE;
	op->path = plan_str(b->p, path + 1);
	op->other = plan_str(b->p, name);
}

static void add_texts(struct plan_build *b, const struct plan_texts *texts)
{
	for (size_t i = 0; i < texts->n; i++) {
		const struct plan_text *t = &texts->v[i];
		uint32_t rule;

		if (!t->link || strcmp(t->path, t->link) != 0)
			add_text(b, i, t->path);
		/* a rule about the name holds for what the link leads to, and no mask is at the link */
		if (t->link && view_allows_name(&b->run->ctx, b->v, PB_READ, t->link, &rule))
			add_text(b, i, t->link);
	}
}

/* Adds the host's root; without it the root is an empty one. */
static void add_root(struct plan_build *b)
{
	const struct sandbox_node *n = b->v->n ? &b->v->nodes[0] : NULL;
	struct plan_op *op;

	if (!b->anywhere)
		return;
	op = plan_add(b->p, STEP_ROOT_TREE, PLAN_INIT);
	op->flags = tree_flags(n);
	op->path = plan_str(b->p, ".");
	op->fd = 0;
	if (b->given && b->given[0] >= 0) {
		op->flags |= PLAN_F_GIVEN;
		op->fd = b->given[0];
	}
}

static bool index_nodes(struct plan_build *b)
{
	const struct sandbox_view *v = b->v;

	b->parent = calloc(v->n + 1, sizeof(*b->parent));
	b->ground = calloc(v->n + 1, 1);
	b->full = calloc(v->n + 1, sizeof(*b->full));
	b->brokered = calloc(v->n + 1, sizeof(*b->brokered));
	b->staged = calloc(v->n + 1, sizeof(*b->staged));
	if (!b->parent || !b->ground || !b->full || !b->brokered || !b->staged)
		return false;
	for (size_t i = 0; i < b->run->nlayers; i++)
		b->staged[b->run->layers[i].node].layer = &b->run->layers[i];
	for (size_t i = 0; i < v->n; i++) {
		const struct sandbox_node *n = &v->nodes[i];

		b->parent[i] = -1;
		for (size_t j = i; j-- > 0 && b->parent[i] < 0;)
			if (!v->nodes[j].noted && below(n->path, v->nodes[j].path))
				b->parent[i] = (int)j;
		b->ground[i] = n->masked || n->locked ? GROUND_MASK
			       : n->scratch           ? GROUND_OWN
						      : GROUND_HOST;
		if (plain_dir(b, i))
			b->ground[i] = GROUND_ROOT;
		if (!n->noted && b->parent[i] >= 0 &&
		    b->ground[b->parent[i]] == GROUND_MASK)
			b->full[b->parent[i]] = true;
	}
	return true;
}

/* polrun gets the writable clones, and the root in which it walks the run's paths. */
static void give_trees(struct plan_build *b)
{
	struct plan_op *op;

	if (!b->v->brokers)
		return;
	op = plan_add(b->p, STEP_BROKER, PLAN_INIT);
	op->flags = PLAN_F_SPECIAL;
	for (size_t i = 0; i < b->v->n; i++) {
		if (!b->v->nodes[i].broker || b->v->nodes[i].noted)
			continue;
		op = plan_add(b->p, STEP_BROKER, PLAN_INIT);
		op->fd = (int32_t)b->brokered[i];
		op->v = i;
	}
}

static void forget_made(struct plan_build *b)
{
	for (size_t i = 0; i < b->nmade; i++)
		free(b->made[i]);
	free(b->made);
}

void plan_view(struct plan *p, const struct sandbox_run *run,
	       const struct sandbox_view *v, const int *given,
	       const struct plan_policy *policy, const struct plan_texts *texts,
	       bool grounded)
{
	struct plan_build b = { .p = p, .run = run, .v = v, .given = given,
			   .slots = (uint32_t)v->n, .grounded = grounded };

	if (!index_nodes(&b)) {
		p->err = -ENOMEM;
		goto out;
	}
	b.anywhere = v->n && !v->nodes[0].path[1] && !v->nodes[0].noted;
	open_trees(&b);
	if (!grounded)
		plan_base(p);
	if (!grounded && !b.anywhere)
		plan_kernel(p, false, run->host_network);
	plan_limit(p, policy->disk);
	add_objects(&b, texts);
	add_root(&b);
	if (!b.anywhere) {
		(void)remember(&b, "/proc", 5);
		(void)remember(&b, "/dev", 4);
	}
	make_places(&b, -1);
	for (size_t i = 0; i < v->n; i++)
		if (!v->nodes[i].noted && v->nodes[i].path[1] &&
		    !special(v->nodes[i].path))
			add_node(&b, i);
	plan_hide_stages(&b);
	add_texts(&b, texts);
	if (b.anywhere)
		plan_kernel(p, true, run->host_network);
	if (v->starts)
		plan_add(p, STEP_COPIES, PLAN_INIT)->aux = SANDBOX_COPIES;
	for (size_t i = 0; i < v->n; i++)
		if (!v->nodes[i].noted && special(v->nodes[i].path) &&
		    v->nodes[i].masked)
			plan_add_at(p, v->nodes[i].is_dir ? STEP_HIDE_DIR : STEP_HIDE_FILE,
			       v->nodes[i].path + 1, v->nodes[i].is_dir ? "d" : "f",
			       PLAN_F_MAYBE);
	if (!b.anywhere) /* otherwise the root is read-only from the start */
		(void)plan_add(p, STEP_ROOT_RO, PLAN_INIT);
	give_trees(&b);
	(void)plan_add(p, STEP_PIVOT, PLAN_INIT);
	(void)plan_add(p, STEP_DETACH, PLAN_INIT);
	plan_add_at(p, STEP_CWD, run->cwd, NULL, 0);
	p->head.nslots = b.slots;
out:
	forget_made(&b);
	free(b.parent);
	free(b.ground);
	free(b.full);
	free(b.brokered);
	free(b.staged);
}
