/*
 * Which rules of a policy may match a request?  For those who ask about very many requests:
 * the evaluator then tries only these rules.  The answer may name too many of them and never
 * too few (tests/prop/prop_index.c), so no decision depends on whether there is an index.
 * Part of the reference evaluator.
 */
#ifndef COMPILER_EVAL_INDEX_H
#define COMPILER_EVAL_INDEX_H

#include "compiler/eval/asked.h"

/*
 * A copy of the policy that has an index, in `a`.  It is valid as long as *ir is.  A copy of
 * this copy has none: somebody may have changed its rules.  A policy that has one is returned.
 */
const struct ir *eval_index_add(const struct ir *ir, struct arena *a);

/* Positions in a list of the policy, ascending. */
struct eval_few {
	const uint32_t *at; /* NULL: all, from 0 on */
	size_t n;
};

static inline size_t eval_few_at(const struct eval_few *f, size_t i)
{
	return f->at ? f->at[i] : i;
}

/* In ir.rules: what may match a simple command. */
struct eval_few eval_few_commands(const struct eval_asked *q, struct arena *a);
/* In ir.rules: what may match a request of another kind, whatever its operation. */
struct eval_few eval_few_rules(const struct ir *ir, const struct ir_request *req,
			       struct arena *a);
/* In ir.rules: all rules about files. */
struct eval_few eval_few_files(const struct ir *ir);
/* In ir.risks, and in ir.inert: what may match a simple command. */
struct eval_few eval_few_risks(const struct eval_asked *q, struct arena *a);
struct eval_few eval_few_inert(const struct eval_asked *q, struct arena *a);

#endif
