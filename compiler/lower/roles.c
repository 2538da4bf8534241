/* Lists the roles that files declare in the IR, by name. */
#include <sodium.h>
#include <stdlib.h>

#include "compiler/lower/cond.h"
#include "compiler/lower/internal.h"

static int by_name(const void *x, const void *y)
{
	const struct ir_role *a = x, *b = y;

	return str_cmp(a->name, b->name);
}

/* Does it count under some roles only, although it stands in none? */
static bool asks_for_role(const struct sema_stmt *t)
{
	for (const struct ast_option *o = t->stmt->options; o; o = o->next)
		if (o->kind == AST_O_WHEN && lower_mentions_role(o->expr))
			return true;
	return false;
}

/* What each statement means, with its rank and section; printed once for all roles. */
static struct str *texts(struct lower *l)
{
	struct str *ret = arena_array(l->a, l->s->stmts.n + 1, sizeof(*ret));

	for (size_t i = 0; i < l->s->stmts.n; i++) {
		const struct sema_stmt *t = l->s->stmts.v[i];
		struct buf b;

		if (t->inner)
			continue;
		buf_init(&b, l->a);
		buf_printf(&b, "%d %d %d %d ", t->unit->level, t->unit->narrow,
			   t->in_section ? (int)t->section : -1, t->section_locked);
		buf_str(&b, sema_text(l->s, t->stmt));
		buf_ch(&b, 0);
		ret[i] = buf_view(&b);
	}
	return ret;
}

/*
 * A digest of what a role says: its statements and those whose condition asks for a role,
 * as they are meant (names replaced), by rank, with their sections and levels.  Two policies
 * whose roles have the same digest say the same in them, and need no comparison where the
 * role is not chosen.  `all`: with the statements that stand in no role.
 */
static struct str digest(struct lower *l, const struct str *text, struct str role, bool all)
{
	unsigned char h[16];
	crypto_generichash_state state;
	struct buf hex;

	crypto_generichash_init(&state, NULL, 0, sizeof(h));
	for (size_t i = 0; i < l->s->stmts.n; i++) {
		const struct sema_stmt *t = l->s->stmts.v[i];

		if (!t->inner && (t->role.n ? str_eq(t->role, role) : all || asks_for_role(t)))
			crypto_generichash_update(&state, (const unsigned char *)text[i].p, text[i].n);
	}
	crypto_generichash_final(&state, h, sizeof(h));
	buf_init(&hex, l->a);
	for (size_t i = 0; i < sizeof(h); i++)
		buf_printf(&hex, "%02x", h[i]);
	return buf_view(&hex);
}

void lower_roles(struct lower *l)
{
	const struct str *text = l->s->roles.n ? texts(l) : NULL;

	for (size_t i = 0; i < l->s->roles.n; i++) {
		struct ir_role r = { .name = l->s->roles.v[i].name,
				     .at = sema_place(l->s, l->s->roles.v[i].at),
				     .digest = digest(l, text, l->s->roles.v[i].name, false),
				     .all = digest(l, text, l->s->roles.v[i].name, true) };

		VEC_PUSH(l->a, &l->ir->roles, r);
	}
	if (l->ir->roles.n > 1)
		qsort(l->ir->roles.v, l->ir->roles.n, sizeof(*l->ir->roles.v), by_name);
}
