/*
 * `pin NAME = PATH` and `shell DIALECT`: which of a level's words counts.
 * They have no order by which one could be tighter, so a narrow-only level
 * and one below a lock have no say (sema/levels.c cuts them); otherwise the
 * highest rank's word counts, and two of one level must agree.
 */
#include "compiler/lower/internal.h"

static bool is_digest(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!strchr("0123456789abcdefABCDEF", s.p[i]) || !s.p[i])
			return false;
	return s.n == 64;
}

static struct str lower_case(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.n + 1);

	for (size_t i = 0; i < s.n; i++)
		p[i] = s.p[i] >= 'A' && s.p[i] <= 'F' ? (char)(s.p[i] + 'a' - 'A') :
							s.p[i];
	p[s.n] = '\0';
	return (struct str){ p, s.n };
}

/* "/name/name": no root, no '.', '..' or empty name. */
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

/* As it was written, with the other facts. */
static void add_fact(struct lower *l, const struct sema_stmt *t, struct str kind)
{
	struct ir_fact f = {
		.kind = kind, .text = t->text, .level = t->unit->level, .at = t->at
	};

	VEC_PUSH(l->a, &l->ir->facts, f);
}

void lower_pin(struct lower *l, const struct sema_stmt *t)
{
	const struct ast_value *path = t->stmt->values;
	struct lower_pinned p = { .t = t };
	bool ok = lower_program_name(l, t->stmt->name, t->stmt->name_at);

	p.pin = (struct ir_pin){
		.name = t->stmt->name, .level = t->unit->level, .at = t->at,
		.id = str_printf(l->a, "command-pin-%.*s", STR_ARG(t->stmt->name)),
	};
	if (!path || !program_path(l, path, &p.pin.path))
		ok = false;
	if (path && path->next) {
		struct str digest = path->next->text;

		if (!is_digest(digest)) {
			diag_add(l->sink, DIAG_VALUE, path->next->at,
				 "a SHA-256 digest is 64 hexadecimal digits");
			ok = false;
		} else {
			p.pin.sha256 = lower_case(l->a, digest);
		}
	}
	if (!ok)
		return;
	VEC_PUSH(l->a, &l->pins, p);
	add_fact(l, t, STR("pin"));
}

void lower_shell(struct lower *l, const struct sema_stmt *t)
{
	struct lower_shelled s = { .t = t };

	s.shell = (struct ir_shell){ .name = t->stmt->name,
				     .level = t->unit->level,
				     .at = t->at };
	if (t->stmt->values && !program_path(l, t->stmt->values, &s.shell.path))
		return;
	VEC_PUSH(l->a, &l->shells, s);
	add_fact(l, t, STR("shell"));
}

/* Does x's word replace y's?  A higher rank, a chosen role its level, a file
 * what it uses. */
static bool replaces(const struct sema_stmt *x, const struct sema_stmt *y)
{
	if (x->unit->level != y->unit->level)
		return x->unit->level < y->unit->level;
	if (x->role.n || y->role.n)
		return x->role.n && !y->role.n;
	return sema_imports(x->unit, y->unit);
}

static void conflict(struct lower *l, const struct sema_stmt *x,
		     const struct sema_stmt *y, struct str what)
{
	struct diag *d = diag_add(l->sink, DIAG_SCALAR_CONFLICT, y->at.span,
				  "level '%s' gives '%.*s' two values",
				  ir_level_name(y->unit->level), STR_ARG(what));

	diag_note(l->sink, d, x->at.span, "the other one is here");
}

static bool is_replaced_pin(const struct lower *l, size_t i)
{
	const struct lower_pinned *p = &l->pins.v[i];

	for (size_t k = 0; k < l->pins.n; k++)
		if (str_eq(l->pins.v[k].pin.name, p->pin.name) &&
		    replaces(l->pins.v[k].t, p->t))
			return true;
	return false;
}

/* One before it whose word on the same name counts, too, or NULL. */
static const struct lower_pinned *same_pin(const struct lower *l, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (str_eq(l->pins.v[k].pin.name, l->pins.v[i].pin.name) &&
		    !is_replaced_pin(l, k))
			return &l->pins.v[k];
	return NULL;
}

static void insert_pin(struct lower *l, const struct ir_pin *p)
{
	struct ir *ir = l->ir;
	size_t at;

	VEC_PUSH(l->a, &ir->pins, *p);
	for (at = ir->pins.n - 1; at > 0 && str_cmp(ir->pins.v[at - 1].name, p->name) > 0;
	     at--)
		ir->pins.v[at] = ir->pins.v[at - 1];
	ir->pins.v[at] = *p;
}

static void choose_pins(struct lower *l)
{
	for (size_t i = 0; i < l->pins.n; i++) {
		const struct lower_pinned *p = &l->pins.v[i], *first;

		if (is_replaced_pin(l, i))
			continue;
		first = same_pin(l, i);
		if (!first)
			insert_pin(l, &p->pin);
		else if (!str_eq(first->pin.path, p->pin.path) ||
			 !str_eq(first->pin.sha256, p->pin.sha256))
			conflict(l, first->t, p->t,
				 str_cat(l->a, STR("pin "), p->pin.name));
	}
}

static void choose_shell(struct lower *l)
{
	const struct lower_shelled *won = NULL;

	for (size_t i = 0; i < l->shells.n; i++) {
		const struct lower_shelled *s = &l->shells.v[i];
		bool replaced = false;

		for (size_t k = 0; k < l->shells.n && !replaced; k++)
			replaced = replaces(l->shells.v[k].t, s->t);
		if (replaced)
			continue;
		if (!won)
			won = s;
		else if (!str_eq(won->shell.name, s->shell.name) ||
			 !str_eq(won->shell.path, s->shell.path))
			conflict(l, won->t, s->t, STR("shell"));
	}
	if (won)
		l->ir->shell = won->shell;
}

void lower_pins_done(struct lower *l)
{
	choose_pins(l);
	choose_shell(l);
}
