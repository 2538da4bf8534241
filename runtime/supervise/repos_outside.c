/* Asks for a commit what the supervisor asks for a run: see repos_outside.h. */
#include "runtime/supervise/repos_outside.h"

void repos_outside_init(struct repos_outside *r, const struct decide_ctx *c)
{
	*r = (struct repos_outside){ .trees = { 0 } };
	held_init(&r->held, NULL, 0);
	repos_init(&r->repos, c, &r->trees, &r->held);
}

void repos_outside_release(struct repos_outside *r)
{
	repos_release(&r->repos);
	broker_trees_release(&r->trees);
}

int repos_outside_add(struct repos_outside *r, const char *at, int top)
{
	return broker_trees_add(&r->trees, BROKER_TREE, at, top);
}

void repos_outside_note(struct repos_outside *r, int top, const char *path)
{
	repos_note(&r->repos, top, path);
}

bool repos_outside_keep(const struct repos_outside *r, const char *name, uint32_t *ret_rule)
{
	return repos_keep(&r->repos, name, ret_rule);
}
