/*
 * System-call rules: the conditions of the rules on one number divide its arguments
 * into regions.  Each region is asked with its smallest arguments.
 */
#include "compiler/analysis/diff_call.h"

#include "compiler/analysis/diff_ask.h"
#include "compiler/analysis/diff_key.h"
#include "compiler/sets/box.h"

/* Limit for the regions of one changed rule. */
#define MAX_REGIONS 512

struct job {
	struct diff *d;
	struct arena *tmp;
	struct diff_item *it;
	struct diff_item **sel; /* the other rules on this number */
	struct ir_cond **conds;
	bool *in; /* for each sel[i]: does the region lie in it? */
	size_t n, regions;
	struct diff_small small;
	struct diff_told told;
};

/* The rule's condition without its exceptions. */
static struct ir_cond *cond_of(struct arena *a, const struct diff_item *it)
{
	static struct ir_cond always = { .op = IR_C_TRUE };
	const struct ir_rule *r = diff_rule(it);
	struct ir_cond *c = r->set.u.syscall.cond ? r->set.u.syscall.cond : &always;
	size_t i;

	for (i = 0; i < r->nexcept; i++) {
		const struct ir_syscall *e = &r->except[i].u.syscall;

		if (e->nr == r->set.u.syscall.nr)
			c = box_and(a, c, box_not(a, e->cond ? e->cond : &always));
	}
	return c ? c : &always;
}

DIFF_MUST_READ static enum diff_looked ask(struct job *j, const uint64_t args[6])
{
	struct ir_request q = diff_request(j->d, IR_SYSCALL);
	uint32_t *tags = arena_array(j->tmp, j->n + 1, sizeof(*tags));
	size_t i, n = 0;

	q.nr = diff_rule(j->it)->set.u.syscall.nr;
	q.nr_known = true;
	q.text = diff_rule(j->it)->set.u.syscall.name;
	memcpy(q.args, args, sizeof(q.args));
	for (i = 0; i < j->n; i++) {
		if (diff_matches(j->sel[i], &q) != j->in[i])
			return DIFF_IN_PART; /* too many masks to find a witness */
		if (j->in[i])
			tags[n++] = (uint32_t)i;
	}
	if (!j->d->context_differs[IR_SYSCALL] &&
	    diff_acts_alike(j->sel, tags, n, j->tmp))
		return DIFF_WHOLLY;
	(void)diff_ask(j->d, &j->small, &q, diff_scopes(j->it), j->tmp, &j->told);
	return DIFF_WHOLLY;
}

/*
 * Divides by sel[i] and those after it; `c` is true in the region, which lies in the
 * sel[0..i) that `in` names.
 */
DIFF_MUST_READ static enum diff_looked divide(struct job *j, struct ir_cond *c, size_t i)
{
	static struct ir_cond never = { .op = IR_C_FALSE };
	uint64_t args[6] = { 0, 0, 0, 0, 0, 0 };
	enum diff_looked inside;
	struct ir_cond *other;

	if (j->regions >= MAX_REGIONS)
		return DIFF_IN_PART;
	switch (box_cond_included(j->tmp, c, &never, args)) {
	case SET_HOLDS:
		return DIFF_WHOLLY; /* the region is empty */
	case SET_UNDECIDED:
		return DIFF_IN_PART;
	case SET_WITNESS:
		break;
	}
	if (i == j->n) {
		j->regions++;
		return ask(j, args);
	}
	other = j->conds[i];
	j->in[i] = true;
	if (j->sel[i] == j->it)
		return divide(j, c, i + 1);
	inside = divide(j, box_and(j->tmp, c, other), i + 1);
	j->in[i] = false;
	return diff_both(divide(j, box_and(j->tmp, c, box_not(j->tmp, other)), i + 1), inside);
}

static void settle(struct diff *d, struct diff_item *it)
{
	struct job j = { .d = d, .it = it, .told = { .of = it } };
	uint32_t nr = diff_rule(it)->set.u.syscall.nr;
	enum diff_looked looked;
	struct arena tmp;
	size_t i;

	arena_init(&tmp, ARENA_DEFAULT_BUDGET);
	j.tmp = &tmp;
	j.sel = arena_array(&tmp, d->items[IR_SYSCALL].n + 1, sizeof(*j.sel));
	j.conds = arena_array(&tmp, d->items[IR_SYSCALL].n + 1, sizeof(*j.conds));
	j.in = arena_array(&tmp, d->items[IR_SYSCALL].n + 1, sizeof(*j.in));
	for (i = 0; i < d->items[IR_SYSCALL].n; i++) {
		struct diff_item *other = d->items[IR_SYSCALL].v[i];

		if (diff_rule(other)->set.u.syscall.nr != nr)
			continue;
		j.conds[j.n] = cond_of(&tmp, other);
		j.sel[j.n++] = other;
	}
	j.small = diff_small_of(d, &tmp, j.sel, j.n);
	looked = divide(&j, cond_of(&tmp, it), 0);
	diff_settled(d, it, &j.told, looked, "not every call that it matches could be looked at");
	arena_release(&tmp);
}

void diff_calls(struct diff *d)
{
	size_t i;

	for (i = 0; i < d->items[IR_SYSCALL].n; i++)
		if (d->items[IR_SYSCALL].v[i]->changed)
			settle(d, d->items[IR_SYSCALL].v[i]);
}
