/* Gives a policy another list of rules: numbers, lifts and mounts follow. */
#include "compiler/ir/edit.h"

#define GONE UINT32_MAX

/* The new number of each rule of `ir`, by its old one. */
static uint32_t *numbers(const struct ir *ir, struct ir_rule *const *v, size_t n, struct arena *a)
{
	uint32_t *ret = arena_array(a, ir->rules.n + 1, sizeof(*ret));

	for (size_t i = 0; i < ir->rules.n; i++)
		ret[i] = GONE;
	for (size_t i = 0; i < n; i++)
		if (v[i]->index < ir->rules.n && ir->rules.v[v[i]->index] == v[i])
			ret[v[i]->index] = (uint32_t)i;
	return ret;
}

static void follow_lifts(struct ir_rule *r, const uint32_t *number, size_t known, struct arena *a)
{
	uint32_t *by = arena_array(a, r->nlifted_by + 1, sizeof(*by));
	size_t n = 0;

	for (size_t i = 0; i < r->nlifted_by; i++)
		if (r->lifted_by[i] < known && number[r->lifted_by[i]] != GONE)
			by[n++] = number[r->lifted_by[i]];
	r->lifted_by = by;
	r->nlifted_by = n;
}

void ir_with_rules(const struct ir *ir, struct ir_rule *const *v, size_t n, struct arena *a,
		   struct ir *ret)
{
	const uint32_t *number = numbers(ir, v, n, a);
	struct ir all = *ir;

	memset(&all.rules, 0, sizeof(all.rules));
	memset(&all.mounts, 0, sizeof(all.mounts));
	memset(&all.tests, 0, sizeof(all.tests));
	memset(&all.examples, 0, sizeof(all.examples));
	for (size_t i = 0; i < n; i++) {
		struct ir_rule *r = arena_dup(a, v[i], sizeof(*r));

		if (v[i]->index < ir->rules.n && ir->rules.v[v[i]->index] == v[i])
			follow_lifts(r, number, ir->rules.n, a);
		r->index = (uint32_t)i;
		VEC_PUSH(a, &all.rules, r);
	}
	for (size_t i = 0; i < ir->mounts.n; i++) {
		struct ir_mount m = ir->mounts.v[i];

		if (number[m.rule] == GONE)
			continue;
		m.rule = number[m.rule];
		VEC_PUSH(a, &all.mounts, m);
	}
	*ret = all;
}
