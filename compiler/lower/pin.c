/*
 * `pin NAME = PATH` and `shell DIALECT`: decides which level's statement counts.  No
 * value is tighter than another, so a narrow-only level and a level below a lock have
 * no say (sema/levels.c cuts their statements).  Otherwise the highest rank counts, and
 * two statements of one level must agree.
 */
#include "compiler/lower/claims.h"
#include "compiler/lower/program.h"

static bool is_digest(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!strchr("0123456789abcdefABCDEF", s.p[i]) || !s.p[i])
			return false;
	return s.n == 64;
}

/* Is it "/name/name", without root, '.', '..' or empty names? */
static bool is_resolved(struct str s)
{
	size_t from = 1;

	if (s.n < 2 || s.p[0] != '/')
		return false;
	for (size_t i = 1; i <= s.n; i++) {
		struct str name;

		if (i < s.n && s.p[i] != '/')
			continue;
		name = str_sub(s, from, i - from);
		if (!name.n || str_eqz(name, ".") || str_eqz(name, ".."))
			return false;
		from = i + 1;
	}
	return true;
}

static bool program_path(struct lower *l, const struct ast_value *v, struct str *ret)
{
	if (!lower_text(l, v, ret))
		return false;
	if (!sema_has_root(v->text) && is_resolved(*ret))
		return true;
	struct diag *d = diag_add(l->sink, DIAG_VALUE, v->at,
				  "'%.*s' is no absolute path of a program",
				  STR_ARG(v->text));
	diag_help(l->sink, d,
		  "write the whole path, without '.', '..', '//' and roots: "
		  "\"/usr/bin/git\"");
	return false;
}

/* Lists it with the other facts, as it was written. */
static void add_fact(struct lower *l, const struct sema_stmt *t, struct str kind)
{
	struct ir_fact f = {
		.kind = kind, .text = t->text, .level = t->unit->level, .at = t->at
	};

	VEC_PUSH(l->a, &l->made.facts, f);
}

static bool same_pin(const struct claim *x, const struct claim *y)
{
	const struct ir_pin *a = x->value, *b = y->value;

	return str_eq(a->path, b->path) && str_eq(a->sha256, b->sha256);
}

static const struct claim_kind pin_kind = { .name = "pin", .same = same_pin };

static bool same_shell(const struct claim *x, const struct claim *y)
{
	const struct ir_shell *a = x->value, *b = y->value;

	return str_eq(a->name, b->name) && str_eq(a->path, b->path);
}

static const struct claim_kind shell_kind = { .name = "shell", .same = same_shell };

static void say(struct lower *l, const struct claim_kind *kind, const struct sema_stmt *t,
		struct str key, struct str name, void *value)
{
	struct claim *x = claim_new(l, kind, t, key, value);

	x->name = name;
	x->locked = false; /* statements below the lock were already cut */
	claim_add(l, x);
	add_fact(l, t, str_from(kind->name));
}

void lower_pin(struct lower *l, const struct sema_stmt *t)
{
	const struct ast_value *path = t->stmt->values;
	struct ir_pin *pin = ARENA_NEW(l->a, struct ir_pin);
	bool ok = lower_program_name(l, t->stmt->name, t->stmt->name_at);

	*pin = (struct ir_pin){
		.name = t->stmt->name, .level = t->unit->level, .at = t->at,
		.id = str_printf(l->a, "command-pin-%.*s", STR_ARG(t->stmt->name)),
	};
	if (!path || !program_path(l, path, &pin->path))
		ok = false;
	if (path && path->next) {
		struct str digest = path->next->text;

		if (!is_digest(digest)) {
			diag_add(l->sink, DIAG_VALUE, path->next->at,
				 "a SHA-256 digest is 64 hexadecimal digits");
			ok = false;
		} else {
			pin->sha256 = lower_letters(l->a, digest);
		}
	}
	if (ok)
		say(l, &pin_kind, t, pin->name, str_cat(l->a, STR("pin "), pin->name), pin);
}

void lower_shell(struct lower *l, const struct sema_stmt *t)
{
	struct ir_shell *shell = ARENA_NEW(l->a, struct ir_shell);

	*shell = (struct ir_shell){ .name = t->stmt->name,
				    .level = t->unit->level,
				    .at = t->at };
	if (!t->stmt->values || program_path(l, t->stmt->values, &shell->path))
		say(l, &shell_kind, t, STR("shell"), STR("shell"), shell);
}

static void decide_pin(struct claims *c)
{
	struct ir *ir = c->l->ir;
	const struct ir_pin *p;
	size_t at;

	claims_decide_highest(c);
	p = c->value;
	VEC_PUSH(c->l->a, &ir->pins, *p);
	for (at = ir->pins.n - 1; at > 0 && str_cmp(ir->pins.v[at - 1].name, p->name) > 0;
	     at--)
		ir->pins.v[at] = ir->pins.v[at - 1];
	ir->pins.v[at] = *p;
}

static void decide_shell(struct claims *c)
{
	claims_decide_highest(c);
	c->l->ir->shell = *(const struct ir_shell *)c->value;
}

void lower_pins_done(struct lower *l)
{
	claims_each(l, &pin_kind, decide_pin);
	claims_each(l, &shell_kind, decide_shell);
}
