/* Warns of names that a file defines and that nothing uses. */
#include "compiler/sema/internal.h"

/* Has another file, or this one at another level, used the same definition? */
static bool is_used(const struct sema *s, const struct sema_name *n)
{
	for (size_t i = 0; i < s->units.n && !n->used; i++) {
		const struct map *scope = &s->units.v[i]->scope;

		for (size_t k = 0; k < scope->n; k++) {
			const struct sema_name *other = scope->e[k].value;

			if (other->used && sema_same_definition(other, n))
				return true;
		}
	}
	return n->used;
}

void sema_scope_unused(struct sema *s, const struct sema_unit *u)
{
	/* the names of a file that others use are for them, and so are those of a file without rules */
	if (!u->named || u->from || u->std || !u->stmts.n)
		return;
	for (size_t i = 0; i < u->scope.n; i++) {
		const struct sema_name *n = u->scope.e[i].value;
		struct diag *d;

		if (strcmp(n->real, u->real) != 0 || is_used(s, n))
			continue;
		d = diag_add(s->sink, DIAG_NAME_UNUSED, n->stmt->at, "nothing uses the %s '%s%.*s'",
			     n->group ? "group" : "name", n->group ? "@" : "", STR_ARG(n->name));
		diag_help(s->sink, d, n->group ? "a rule names it as '@%.*s'" :
					   "a text names it as '${%.*s}', a list without quotes",
			  STR_ARG(n->name));
	}
}
