/*
 * Decides whether a write that the rules allow would fail in a run, because its tree is
 * read-only as a whole: the kernel can protect no name that does not exist, and no
 * pattern (runtime/sandbox/view_settle.c, existing_above).  Looks at this machine, as
 * polrun does when a run starts.
 */
#include "compiler/cli/explain_absent.h"

#include <sys/stat.h>

#include "compiler/backend/mounts/places.h"
#include "compiler/eval/eval.h"

struct ctx {
	const struct ir *ir;
	const struct ir_request *req;
	struct arena *a;
	struct str tree; /* the writable tree of the request */
};

static bool stands_there(struct arena *a, struct str path, struct stat *st)
{
	return lstat(str_dup(a, path).p, st) == 0;
}

static bool full_path(const struct ctx *c, enum ir_root root, struct str rest, struct str *ret)
{
	struct str dir = c->req->roots.dir[root];

	if (!dir.p)
		return false;
	if (str_eqz(dir, "/"))
		dir = STR("");
	*ret = str_cat(c->a, dir, rest);
	if (!ret->n)
		*ret = STR("/");
	return true;
}

static bool is_inside(struct str path, struct str top)
{
	return str_eqz(top, "/") || mounts_is_below(path, top);
}

/*
 * The innermost tree around `path` that a rule lets be written by its name.  False: there
 * is none, or it is a scratch tree, where the run makes absent names itself.
 */
static bool writable_tree(const struct ctx *c, struct str path, struct str *ret)
{
	bool found = false, scratch = false;

	for (size_t i = 0; i < c->ir->rules.n; i++) {
		const struct ir_rule *r = c->ir->rules.v[i];
		struct mounts_places at;
		struct str full;

		if (r->kind != IR_FILE || r->effect != IR_ALLOW || !(r->scopes & IR_SANDBOX) ||
		    !(r->set.u.file.ops & IR_WRITE))
			continue;
		mounts_places(c->a, &r->set.u.file.path, &at);
		for (size_t k = 0; at.shape == MOUNTS_LITERAL && k < at.paths.n; k++) {
			if (!full_path(c, r->set.u.file.path.root, at.paths.v[k], &full) ||
			    !is_inside(path, full) || (found && full.n < ret->n))
				continue;
			scratch = r->scratch || (found && full.n == ret->n && scratch);
			*ret = full;
			found = true;
		}
	}
	return found && !scratch;
}

/* The nearest directory above `path` that exists. */
static struct str existing_above(struct arena *a, struct str path)
{
	struct stat st;

	do {
		while (path.n && path.p[path.n - 1] != '/')
			path.n--;
		if (path.n <= 1)
			return STR("/");
		path.n--;
	} while (!stands_there(a, path, &st) || !S_ISDIR(st.st_mode));
	return path;
}

static bool denied(const struct ctx *c, struct str path, unsigned ops)
{
	static const enum ir_op all[] = { IR_READ, IR_WRITE, IR_EXEC };

	for (size_t i = 0; i < POL_LEN(all); i++) {
		struct ir_request q = *c->req;
		struct eval_decision e;

		if (!(ops & all[i]))
			continue;
		q.path = path;
		q.op = all[i];
		eval_decide(c->ir, &q, c->a, &e);
		if (e.effect != IR_ALLOW)
			return true;
	}
	return false;
}

/* An absent name: the tree around it is read-only, but not a tree in it that a rule names. */
static bool closes_by_name(const struct ctx *c, struct str name, unsigned ops, struct str *ret)
{
	struct str tree, dir;
	struct stat st;

	if (stands_there(c->a, name, &st) || !writable_tree(c, name, &tree))
		return false;
	dir = existing_above(c->a, name);
	if (!is_inside(dir, tree) || !is_inside(c->req->path, dir) ||
	    !is_inside(dir, c->tree) || !denied(c, name, ops))
		return false;
	*ret = dir;
	return true;
}

/* A wildcard: everything below its directory is read-only. */
static bool closes_by_pattern(const struct ctx *c, struct str dir, struct str *ret)
{
	struct str tree;
	struct stat st;

	if (!stands_there(c->a, dir, &st))
		dir = existing_above(c->a, dir);
	if (!writable_tree(c, dir, &tree) || !is_inside(c->req->path, dir))
		return false;
	*ret = dir;
	return true;
}

/* Does this set of a rule, of which something is denied, close the request's tree? */
static bool closes(const struct ctx *c, const struct ir_set *set, struct str *ret_dir,
		   struct str *ret_name)
{
	const struct ir_path *p = &set->u.file.path;
	struct mounts_places at;
	struct str full;

	mounts_places(c->a, p, &at);
	if (at.shape == MOUNTS_ANY) {
		*ret_dir = c->tree;
		*ret_name = STR("");
		return (set->u.file.ops & IR_WRITE) != 0;
	}
	for (size_t i = 0; i < at.paths.n; i++) {
		if (!full_path(c, p->root, at.paths.v[i], &full))
			continue;
		*ret_name = at.shape == MOUNTS_LITERAL ? full : STR("");
		if (at.shape == MOUNTS_LITERAL ?
			    closes_by_name(c, full, set->u.file.ops, ret_dir) :
			    (set->u.file.ops & IR_WRITE) && closes_by_pattern(c, full, ret_dir))
			return true;
	}
	return false;
}

static bool is_wall(const struct ir_rule *r)
{
	return r->kind == IR_FILE && (r->scopes & IR_SANDBOX) && r->effect != IR_ALLOW &&
	       !r->floor;
}

static void say(struct explain_answer *ans, const struct ir_rule *r, struct str dir,
		struct str name)
{
	struct explain_layer l = { "mounts", "over", STR("") };
	struct arena *a = ans->a;
	size_t kept = 0;

	if (name.n)
		l.note = str_printf(a, "not here: %.*s is absent (rule %.*s at %.*s:%u), and a run "
				    "then makes %.*s read-only", STR_ARG(name), STR_ARG(r->id),
				    STR_ARG(r->at.file), r->at.line, STR_ARG(dir));
	else
		l.note = str_printf(a, "not here: a pattern denies names below %.*s (rule %.*s at "
				    "%.*s:%u), and a run then makes all of it read-only",
				    STR_ARG(dir), STR_ARG(r->id), STR_ARG(r->at.file), r->at.line);
	for (size_t i = 0; i < ans->layers.n; i++)
		if (!str_eqz(str_from(ans->layers.v[i].layer), l.layer))
			ans->layers.v[kept++] = ans->layers.v[i];
	ans->layers.n = kept;
	VEC_PUSH(a, &ans->layers, l);
}

void explain_absent(struct explain_answer *ans, const struct ir *ir, const struct ir_request *req,
		    const struct eval_decision *e)
{
	struct ctx c = { .ir = ir, .req = req, .a = ans->a };
	struct str dir, name;

	if (req->kind != IR_FILE || req->op != IR_WRITE || !(req->scope & IR_SANDBOX) ||
	    e->effect != IR_ALLOW || !writable_tree(&c, req->path, &c.tree))
		return;
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (is_wall(r) && closes(&c, &r->set, &dir, &name)) {
			say(ans, r, dir, name);
			return;
		}
		for (size_t k = 0; r->kind == IR_FILE && r->effect == IR_ALLOW && !r->scratch &&
				   (r->scopes & IR_SANDBOX) && k < r->nexcept; k++)
			if (closes(&c, &r->except[k], &dir, &name)) {
				say(ans, r, dir, name);
				return;
			}
	}
}
