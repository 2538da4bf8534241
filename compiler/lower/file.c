/*
 * File rules and scratch trees (semantics 5): one rule for each operation
 * and path.  How a path can be enforced is for the back ends to say; only
 * reading of the whole machine has no meaning before its view exists.
 */
#include "compiler/lower/internal.h"

static bool is_everything(const struct ir_path *p)
{
	return p->root == IR_ROOT_FS && p->glob.n == 0;
}

static bool file_set(struct lower *l, const struct ast_value *v, enum lower_side side,
		     unsigned ops, struct ir_set *ret)
{
	*ret = (struct ir_set){ 0 };
	ret->u.file.ops = ops;
	return lower_path(l, v, side, &ret->u.file.path);
}

/* Exceptions count for whatever operation their rule speaks of. */
static bool read_except(struct lower *l, const struct ast_value *v, enum lower_side side,
			struct lower_sets *into)
{
	struct ir_set set;

	if (!file_set(l, v, side, IR_ALL_OPS, &set))
		return false;
	VEC_PUSH(l->a, &into->v, set);
	return true;
}

static const unsigned each_op[] = { IR_READ, IR_WRITE, IR_EXEC };

void lower_file(struct lower *l, const struct sema_stmt *t)
{
	enum lower_side side = lower_side_of(t->stmt->effect);
	bool hide = t->stmt->effect == AST_HIDE;
	unsigned ops = t->stmt->ops ? t->stmt->ops : IR_ALL_OPS;
	struct lower_head h;
	bool ok = lower_head(l, t, IR_FILE, &h);

	ok &= lower_except(l, t->stmt, side, read_except, &h.rule.except,
			   &h.rule.nexcept);
	for (const struct ast_value *v = t->stmt->values; v; v = v->next) {
		struct ir_set set;

		if (!file_set(l, v, side, IR_ALL_OPS, &set))
			continue;
		if (t->stmt->effect == AST_ALLOW && is_everything(&set.u.file.path)) {
			struct diag *d = diag_add(
				l->sink, DIAG_UNSUPPORTED, v->at,
				"an 'allow' of the whole file system is not supported "
				"by this version");
			diag_help(l->sink, d, "name the trees that the command needs");
			continue;
		}
		if (!ok)
			continue;
		if (hide)
			lower_add(l, &h, &set);
		for (size_t i = 0; !hide && i < POL_LEN(each_op); i++) {
			set.u.file.ops = each_op[i];
			if (ops & each_op[i])
				lower_add(l, &h, &set);
		}
	}
}

static bool is_fixed(const struct ir_glob *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].op != IR_G_BYTE)
			return false;
	return true;
}

void lower_scratch(struct lower *l, const struct sema_stmt *t)
{
	struct lower_head h;
	bool ok = lower_head(l, t, IR_FILE, &h);

	h.rule.effect = IR_ALLOW;
	h.rule.scratch = true;
	h.rule.scopes = IR_SANDBOX;
	for (const struct ast_value *v = t->stmt->values; v; v = v->next) {
		struct ir_set set;

		if (!file_set(l, v, LOWER_NARROW, IR_READ, &set))
			continue;
		if (!is_fixed(&set.u.file.path.glob) ||
		    is_everything(&set.u.file.path)) {
			diag_add(l->sink, DIAG_PATH_PATTERN, v->at,
				 "'scratch' makes one directory, and '%.*s' names none",
				 STR_ARG(v->text));
			continue;
		}
		if (!ok)
			continue;
		lower_add(l, &h, &set);
		set.u.file.ops = IR_WRITE;
		lower_add(l, &h, &set);
	}
}
