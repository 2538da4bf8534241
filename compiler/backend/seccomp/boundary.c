/* Collects the values of arguments at which a decision can change. */
#include "compiler/backend/seccomp/boundary.h"

#include "compiler/backend/seccomp/reported.h"

static void add(struct boundary *b, struct arena *a, unsigned arg, uint64_t v)
{
	for (size_t i = 0; i < b->values[arg].n; i++)
		if (b->values[arg].v[i] == v)
			return;
	VEC_PUSH(a, &b->values[arg], v);
}

/* Adds the value, also with other upper halves: the kernel reads some arguments as 32
 * bits. */
static void add_halves(struct boundary *b, struct arena *a, unsigned arg, uint64_t v)
{
	add(b, a, arg, v);
	add(b, a, arg, v ^ ((uint64_t)1 << 32));
	add(b, a, arg, v | ((uint64_t)UINT32_MAX << 32));
	add(b, a, arg, v & UINT32_MAX);
}

static void add_compare(struct boundary *b, struct arena *a, const struct ir_cond *c)
{
	unsigned arg = c->arg;

	for (size_t i = 0; i < b->compares.n; i++) {
		const struct ir_cond *k = b->compares.v[i];

		if (k->arg == c->arg && k->mask == c->mask && k->cmp == c->cmp &&
		    k->value == c->value && k->width == c->width)
			return;
	}
	VEC_PUSH(a, &b->compares, c);
	add_halves(b, a, arg, c->value);
	add_halves(b, a, arg, c->value - 1);
	add_halves(b, a, arg, c->value + 1);
	add_halves(b, a, arg, ~c->value);
	if (c->mask == UINT64_MAX || c->mask == UINT32_MAX)
		return;
	add_halves(b, a, arg, c->mask);
	add_halves(b, a, arg, ~c->mask);
	add_halves(b, a, arg, c->value | ~c->mask);
	for (unsigned bit = 0; bit < 64; bit++)
		if (c->mask >> bit & 1) {
			add_halves(b, a, arg, (uint64_t)1 << bit);
			add(b, a, arg, c->value ^ (uint64_t)1 << bit);
		}
}

static void walk(struct boundary *b, struct arena *a, const struct ir_cond *c)
{
	if (!c)
		return;
	if (c->op == IR_C_CMP)
		add_compare(b, a, c);
	if (c->op == IR_C_AND || c->op == IR_C_OR || c->op == IR_C_NOT)
		walk(b, a, c->a);
	if (c->op == IR_C_AND || c->op == IR_C_OR)
		walk(b, a, c->b);
}

void boundary_find(const struct ir *ir, enum pb_filter_kind kind, uint32_t nr,
		   struct arena *a, struct boundary *ret)
{
	struct reported report;

	*ret = (struct boundary){ 0 };
	for (size_t i = 0; i < ir->rules.n; i++) {
		const struct ir_rule *r = ir->rules.v[i];

		if (r->kind != IR_SYSCALL || r->set.u.syscall.nr != nr)
			continue;
		walk(ret, a, r->set.u.syscall.cond);
		for (size_t k = 0; k < r->nexcept; k++)
			if (r->except[k].u.syscall.nr == nr)
				walk(ret, a, r->except[k].u.syscall.cond);
	}
	if (reported_find(ir, kind, nr, &report) && !report.always)
		add_compare(ret, a, arena_dup(a, &report.when, sizeof(report.when)));
	for (unsigned arg = 0; arg < 6; arg++) {
		add(ret, a, arg, 0);
		if (ret->values[arg].n > 1)
			add(ret, a, arg, UINT64_MAX);
	}
}

size_t boundary_count(const struct boundary *b)
{
	size_t n = 1;

	for (unsigned arg = 0; arg < 6; arg++)
		if (__builtin_mul_overflow(n, b->values[arg].n, &n))
			return SIZE_MAX;
	return n;
}

void boundary_args(const struct boundary *b, size_t i, uint64_t ret_args[6])
{
	for (unsigned arg = 0; arg < 6; arg++) {
		ret_args[arg] = b->values[arg].v[i % b->values[arg].n];
		i /= b->values[arg].n;
	}
}
