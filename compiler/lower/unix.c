/*
 * Lowers Unix sockets (semantics 1): a path, or after '@' an abstract name, in which
 * '/' is an ordinary byte.
 */
#include "compiler/lower/glob.h"
#include "compiler/lower/mount.h"

static bool abstract_name(struct lower *l, const struct ast_value *v,
			  struct ir_path *ret)
{
	struct lower_glob_in in = { .l = l,
				    .shown = v->text,
				    .at = v->at,
				    .code = DIAG_PATH_PATTERN,
				    .separator = ',',
				    .path = false,
				    .depth = 0 };
	struct ir_path p = { .root = IR_ROOT_FS, .abstract = true, .text = v->text };

	in.text = str_sub(v->text, 1, v->text.n - 1);
	if (v->kind == AST_V_STRING)
		in.text = sema_plain(l->a, in.text);
	if (!in.text.n) {
		diag_add(l->sink, DIAG_PATH_PATTERN, v->at,
			 "'@' begins an abstract name, which is missing");
		return false;
	}
	if (!lower_glob(&in, &p.glob))
		return false;
	if (in.i < in.text.n) {
		struct diag *d = diag_add(l->sink, DIAG_PATH_PATTERN, v->at,
					  "a blank in the abstract name '%.*s'",
					  STR_ARG(v->text));
		diag_help(l->sink, d, "write it as '\\\\ '");
		return false;
	}
	*ret = p;
	return true;
}

static bool socket_paths(struct lower *l, const struct ast_value *v,
			 enum lower_side side, struct lower_paths *ret)
{
	struct ir_path p;

	if ((v->kind != AST_V_STRING && v->kind != AST_V_RAW) || !v->text.n ||
	    v->text.p[0] != '@') {
		bool ok;

		l->sockets = true;
		ok = lower_paths(l, v, side, ret);
		l->sockets = false;
		return ok;
	}
	if (!abstract_name(l, v, &p))
		return false;
	VEC_PUSH(l->a, &ret->v, p);
	return true;
}

static bool read_except(struct lower *l, const struct ast_value *v, enum lower_side side,
			struct lower_sets *into)
{
	struct lower_paths paths = { .v = { NULL, 0, 0 } };

	if (!socket_paths(l, v, side, &paths))
		return false;
	for (size_t i = 0; i < paths.v.n; i++) {
		struct ir_set set = { .u.unix_path = paths.v.v[i] };

		VEC_PUSH(l->a, &into->v, set);
	}
	return true;
}

void lower_unix(struct lower *l, const struct sema_stmt *t)
{
	enum lower_side side = lower_side_of(t->stmt->effect);
	struct ir_rule h;
	bool ok = lower_head(l, t, IR_UNIX, &h);

	ok &= lower_except(l, t->stmt, side, read_except, &h.except, &h.nexcept);
	for (const struct ast_value *v = t->stmt->values; v; v = v->next) {
		struct lower_paths paths = { .v = { NULL, 0, 0 } };

		if (!socket_paths(l, v, side, &paths) || !ok)
			continue;
		for (size_t i = 0; i < paths.v.n; i++) {
			struct ir_set set = { .u.unix_path = paths.v.v[i] };

			lower_add(l, &h, &set);
		}
	}
}
