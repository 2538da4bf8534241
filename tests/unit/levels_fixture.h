/* Policies of several levels, loaded and lowered. */
#ifndef TESTS_UNIT_LEVELS_FIXTURE_H
#define TESTS_UNIT_LEVELS_FIXTURE_H

#include "tests/unit/sema_fixture.h"

/* Files of a row: managed, managed-file, project, discovered, user; base and
 * floor stand in for std/base and floor.pol. */
struct texts {
	const char *m, *f, *p, *d, *u, *base, *floor;
};

/* Takes them into `f`; `last` is one more, of the user. */
static inline void load(struct fx *f, const struct texts *t, const char *last)
{
	fx_init(f);
	if (t->base)
		fx_write(f, "std/base.pol", t->base);
	if (t->floor)
		fx_write(f, "std/floor.pol", t->floor);
	if (t->m)
		fx_add(f, "m.pol", t->m, IR_MANAGED, false);
	if (t->f)
		fx_add(f, "f.pol", t->f, IR_MANAGED_FILE, false);
	if (t->p)
		fx_add(f, "p.pol", t->p, IR_PROJECT, false);
	if (t->d)
		fx_add(f, "d.pol", t->d, IR_PROJECT, true);
	if (t->u)
		fx_add(f, "u.pol", t->u, IR_USER, false);
	if (last)
		fx_add(f, "t.pol", last, IR_USER, false);
}

#endif
