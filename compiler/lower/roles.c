/* The roles that files declare, in the IR: by name. */
#include "compiler/lower/internal.h"

#include <stdlib.h>

static int by_name(const void *x, const void *y)
{
	const struct ir_role *a = x, *b = y;

	return str_cmp(a->name, b->name);
}

void lower_roles(struct lower *l)
{
	for (size_t i = 0; i < l->s->roles.n; i++) {
		struct ir_role r = { .name = l->s->roles.v[i].name,
				     .at = sema_place(l->s, l->s->roles.v[i].at) };

		VEC_PUSH(l->a, &l->ir->roles, r);
	}
	if (l->ir->roles.n > 1)
		qsort(l->ir->roles.v, l->ir->roles.n, sizeof(*l->ir->roles.v), by_name);
}
