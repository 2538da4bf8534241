/* The plan that mounts a view of view_fixture.h, and its operations. */
#ifndef TESTS_UNIT_PLAN_FIXTURE_H
#define TESTS_UNIT_PLAN_FIXTURE_H

#include <sys/mount.h>

#include "runtime/sandbox/plan_view.h"
#include "tests/unit/view_fixture.h"

/* The plan of the view that was built last; `grounded`: what follows plan_ground(). */
static inline struct plan plan_made(struct world *w, bool grounded)
{
	static const struct plan_policy policy;
	static const struct plan_texts texts;
	struct sandbox_run run = { .cwd = "/home/u/p" };
	struct plan p;

	plan_init(&p);
	plan_view(&p, &run, &w->v, NULL, &policy, &texts, grounded);
	assert_int_equal(p.err, 0);
	return p;
}

static inline struct plan plan_of(struct world *w)
{
	return plan_made(w, false);
}

static inline struct plan plan_after_ground(struct world *w)
{
	return plan_made(w, true);
}

/* Index of the first operation of the row at this path, or -1. */
static inline int op_at(const struct plan *p, enum step_id step, const char *path)
{
	for (size_t i = 0; i < p->nops; i++)
		if (p->ops[i].step == step && !strcmp(p->pool + p->ops[i].path, path))
			return (int)i;
	return -1;
}

#endif
