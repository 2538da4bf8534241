/*
 * Policies of system call rules, built in C for tests.  Header only, so that
 * tests of other parts link without the compiler.
 */
#ifndef TESTS_LIB_SYSCALL_IR_H
#define TESTS_LIB_SYSCALL_IR_H

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "compiler/diag/diag.h"
#include "compiler/eval/eval.h"
#include "compiler/ir/ir.h"
#include "compiler/target/target.h"

#define SIR_FN __attribute__((unused)) static

SIR_FN struct ir_cond *sir_cmp(struct arena *a, unsigned arg, unsigned width,
			       enum ir_cmp cmp, uint64_t mask, uint64_t value)
{
	struct ir_cond *c = ARENA_NEW(a, struct ir_cond);

	c->op = IR_C_CMP;
	c->arg = (uint8_t)arg;
	c->width = (uint8_t)width;
	c->cmp = cmp;
	c->mask = mask;
	c->value = value;
	return c;
}

SIR_FN struct ir_cond *sir_op(struct arena *a, enum ir_cond_op op, struct ir_cond *x,
			      struct ir_cond *y)
{
	struct ir_cond *c = ARENA_NEW(a, struct ir_cond);

	c->op = op;
	c->a = x;
	c->b = y;
	return c;
}

SIR_FN uint32_t sir_nr(const char *name)
{
	const struct target_call *c = target_call_by_name(str_from(name));

	assert(c);
	return c->nr;
}

/* A rule at the end of the list; sir_finish() gives it its place. */
SIR_FN struct ir_rule *sir_rule(struct ir *ir, enum ir_level level,
				enum ir_effect effect, uint32_t nr,
				struct ir_cond *cond)
{
	struct ir_rule *r = ARENA_NEW(ir->a, struct ir_rule);
	const struct target_call *c = target_call_by_nr(nr);

	assert(c);
	r->kind = IR_SYSCALL;
	r->level = level;
	r->effect = effect;
	r->scopes = IR_ALL_SCOPES;
	r->full = true;
	r->err = effect == IR_DENY ? EPERM : 0;
	r->set.u.syscall.nr = nr;
	r->set.u.syscall.name = str_from(c->name);
	r->set.u.syscall.cond = cond;
	VEC_PUSH(ir->a, &ir->rules, r);
	return r;
}

SIR_FN void sir_except(struct ir *ir, struct ir_rule *r, uint32_t nr,
		       struct ir_cond *cond)
{
	struct ir_set *v = arena_array(ir->a, r->nexcept + 1, sizeof(*v));

	if (r->nexcept)
		memcpy(v, r->except, r->nexcept * sizeof(*v));
	v[r->nexcept].u.syscall = (struct ir_syscall){
		.nr = nr, .name = str_from(target_call_by_nr(nr)->name),
		.cond = cond };
	r->except = v;
	r->nexcept++;
}

/* Sorts by level, the floor last; gives index, id and place. */
SIR_FN void sir_finish(struct ir *ir)
{
	size_t n = ir->rules.n, out = 0;
	struct ir_rule **v = arena_array(ir->a, n + 1, sizeof(*v));

	for (unsigned rank = IR_MANAGED; rank <= IR_DEFAULT + 1u; rank++)
		for (size_t i = 0; i < n; i++) {
			struct ir_rule *r = ir->rules.v[i];

			if ((r->floor ? IR_DEFAULT + 1u : (unsigned)r->level) == rank)
				v[out++] = r;
		}
	assert(out == n);
	for (size_t i = 0; i < n; i++) {
		struct ir_rule *r = v[i];

		ir->rules.v[i] = r;
		r->index = (uint32_t)i;
		r->id = str_printf(ir->a, "syscall-%zu", i);
		r->text = STR("a rule of a test");
		r->at.file = r->floor ? STR("floor.pol") :
			     str_printf(ir->a, "%s.pol", ir_level_name(r->level));
		r->at.line = (uint32_t)i + 1;
		r->at.col = 1;
		r->at.span = SPAN_NONE;
	}
	ir->lifted = true;
}

#endif
