/*
 * Lowers file rules and scratch trees (semantics 5): one rule for each operation and
 * path.  The back ends decide how well a path can be enforced.
 */
#include "compiler/lower/dialect.h"
#include "compiler/lower/glob.h"
#include "compiler/lower/mount.h"

static bool is_everything(const struct ir_path *p)
{
	return p->root == IR_ROOT_FS && p->glob.n == 0;
}

/* An exception counts for every operation of its rule. */
static bool read_except(struct lower *l, const struct ast_value *v, enum lower_side side,
			struct lower_sets *into)
{
	struct lower_paths paths = { .v = { NULL, 0, 0 } };

	if (!lower_paths(l, v, side, &paths))
		return false;
	for (size_t i = 0; i < paths.v.n; i++) {
		struct ir_set set = { 0 };

		set.u.file.ops = IR_ALL_OPS;
		set.u.file.path = paths.v.v[i];
		VEC_PUSH(l->a, &into->v, set);
	}
	return true;
}

static const unsigned each_op[] = { IR_READ, IR_WRITE, IR_EXEC };

/*
 * Adds the rules for one path: one for each operation.  A hide is one rule for all
 * operations.
 */
static void add_path(struct lower *l, const struct ir_rule *h, unsigned ops,
		     const struct ir_path *path)
{
	struct ir_set set = { 0 };

	set.u.file.path = *path;
	set.u.file.ops = IR_ALL_OPS;
	if (h->effect == IR_HIDE) {
		lower_add(l, h, &set);
		return;
	}
	for (size_t i = 0; i < POL_LEN(each_op); i++) {
		set.u.file.ops = each_op[i];
		if (ops & each_op[i])
			lower_add(l, h, &set);
	}
}

void lower_file(struct lower *l, const struct sema_stmt *t)
{
	enum lower_side side = lower_side_of(t->stmt->effect);
	unsigned ops = t->stmt->ops ? t->stmt->ops : IR_ALL_OPS;
	struct ir_rule h;
	bool ok = lower_head(l, t, IR_FILE, &h);

	ok &= lower_except(l, t->stmt, side, read_except, &h.except, &h.nexcept);
	for (const struct ast_value *v = t->stmt->values; v; v = v->next) {
		struct lower_paths paths = { .v = { NULL, 0, 0 } };

		if (!lower_paths(l, v, side, &paths))
			continue;
		(void)lower_warn_dialect(l, v, false);
		for (size_t i = 0; i < paths.v.n && ok; i++)
			add_path(l, &h, ops, &paths.v.v[i]);
	}
}

void lower_scratch(struct lower *l, const struct sema_stmt *t)
{
	struct ir_rule h;
	bool ok = lower_head(l, t, IR_FILE, &h);

	h.effect = IR_ALLOW;
	h.scratch = true;
	h.scopes = IR_SANDBOX;
	for (const struct ast_value *v = t->stmt->values; v; v = v->next) {
		struct lower_paths paths = { .v = { NULL, 0, 0 } };

		if (!lower_paths(l, v, LOWER_NARROW, &paths))
			continue;
		if (!lower_is_fixed(&paths.v.v[0].glob) || is_everything(&paths.v.v[0])) {
			diag_add(l->sink, DIAG_PATH_PATTERN, v->at,
				 "'scratch' makes one directory, and '%.*s' names none",
				 STR_ARG(v->text));
			continue;
		}
		if (ok)
			add_path(l, &h, IR_READ | IR_WRITE, &paths.v.v[0]);
	}
}

/*
 * In a run that may read all files, ${HOME} is the host's home.  Then we do not create
 * the private directories that the library makes in every other run; a scratch tree
 * that a policy itself asks for is created.
 */
void lower_home(struct lower *l)
{
	struct ir *ir = l->ir;
	struct str said = STR_NULL;
	size_t kept = 0;

	if (!ir_reads_anywhere(ir))
		return;
	for (size_t i = 0; i < ir->rules.n; i++) {
		struct ir_rule *r = ir->rules.v[i];
		const struct ir_path *p = &r->set.u.file.path;

		if (!r->scratch || r->level != IR_DEFAULT || p->root != IR_ROOT_HOME ||
		    p->glob.n != 0) {
			ir->rules.v[kept++] = r;
			continue;
		}
		if (!str_eq(said, r->id))
			lower_drop(l, STR("scratch \"${HOME}\""),
				   "where all can be read, the host's is shown", r->at,
				   (struct ir_place){ .line = 0 }, r->level);
		said = r->id;
	}
	ir->rules.n = kept;
}
