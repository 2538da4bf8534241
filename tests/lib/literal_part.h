/*
 * A command of literal words as the evaluator's matcher takes it: each word as it
 * stands, none of which a broad reading may leave out.
 */
#ifndef TESTS_LIB_LITERAL_PART_H
#define TESTS_LIB_LITERAL_PART_H

#include "compiler/eval/part.h"

/* Does the rule match these words, in the request's working directory? */
static inline bool literal_match(const struct ir_rule *r, const struct ir_request *req)
{
	static const struct line_facts no_facts;
	static const struct ir no_policy;
	struct cmd_world world = { .facts = &no_facts };
	struct cmd_dir dir = { NULL, NULL };
	struct cmd_part part = { .kind = CMD_COMMAND, .dirs_unknown = !req->cwd.n,
				 .dirs = req->cwd.n ? &dir : NULL };
	struct eval_asked q = { &no_policy, req, &world, &part };
	struct arena a;
	bool yes;
	size_t i;

	if (!req->nargv)
		return false;
	arena_init(&a, ARENA_DEFAULT_BUDGET);
	dir.path = world.cwd = str_z(&a, req->cwd);
	world.project = str_z(&a, req->roots.dir[IR_ROOT_PROJECT]);
	part.nwords = (uint32_t)req->nargv;
	part.words = arena_array(&a, req->nargv, sizeof(*part.words));
	for (i = 0; i < req->nargv; i++) {
		struct sh_word *w = ARENA_NEW(&a, struct sh_word);

		w->seg = (struct sh_seg){ .p = str_z(&a, req->argv[i]),
					  .n = (uint32_t)req->argv[i].n };
		part.words[i].w = w;
	}
	yes = eval_rule_on_part(&q, r).must;
	arena_release(&a);
	return yes;
}

#endif
